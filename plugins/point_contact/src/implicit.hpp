// SPDX-License-Identifier: BSD-3-Clause
// A function of a point's coordinates, read from text, whose zeros are a surface.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ancora/sdk/formula/formula.hpp"
#include "ancora/sdk/numbers/math.hpp"
#include "ancora/sdk/rows.hpp"

namespace ancora::point_contact {

/// phi(rho) = (left - right) / c of an equation "left = right" in x, y and z, the components of rho
/// [m]. c is constant, so that a polynomial keeps its degree; see scale_by().
class Implicit {
public:
    /// [assembly] @throws FormulaError if the text is no equation in x, y or z, or holds t
    explicit Implicit(std::string_view text);

    /// [assembly] Divides phi by `c` > 0 from now on.
    void scale_by(double c) { inverse_scale_ /= c; }

    const std::string& text() const { return text_; }
    Degree degree() const { return degree_; }
    bool depends_on(int axis) const { return formula_.depends_on(axis); }

    /// [step] phi, its gradient and its second derivatives.
    double value(const Vec3& rho) const;
    Vec3 gradient(const Vec3& rho) const;
    Mat3 hessian(const Vec3& rho) const;
    /// [step] phi'' along rho'' = 0.
    double second_rate(const Vec3& rho, const Vec3& drho) const;
    /// [step] g with g . d = phi(rho + d) - phi(rho): the gradient at the midpoint, which is that
    /// for a polynomial of degree two, else corrected along d.
    Vec3 discrete_gradient(const Vec3& rho, const Vec3& d) const;

private:
    std::string text_;
    Formula formula_;
    Degree degree_ = Degree::general;
    double inverse_scale_ = 1.0;
};

/// [assembly] Scales one or two functions so that their gradients have unit length at a point where
/// both vanish: phi is then a length near it. The point is looked for from a few places, so that it
/// depends on the equations alone; where none is found the functions are left as they are.
/// @throws std::invalid_argument if gradients vanish or are parallel there: no normals
void normalise(std::span<Implicit> functions);

/// [step] @throws std::domain_error if the gradients g at rho vanish or are parallel
void check_normals(std::span<const Implicit> functions, std::span<const Vec3> g, const Vec3& rho);

}  // namespace ancora::point_contact
