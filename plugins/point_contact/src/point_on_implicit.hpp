// SPDX-License-Identifier: BSD-3-Clause
// The constraint types `point_on_surface` and `point_on_curve`: surfaces given by equations.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/constraint.hpp"
#include "ancora/sdk/numbers/math.hpp"
#include "implicit.hpp"

namespace ancora::point_contact {

/// One or two unit vectors.
struct Tangents {
    std::array<Vec3, 2> t;
    std::size_t count = 0;
};

/// Rates at which a point slides on a surface or along a curve:
///
///   psi_i = t_i . rho',   A = (t_i^T, -t_i^T) on (r_p, r_o),   b_i = -t_i' . rho'        (1)
///   curve:    t = g_1 x g_2 / |g_1 x g_2|
///   surface:  n = g / |g|, and t_1, t_2 with t_1 x t_2 = n, by one of
///     t_2 = e, t_1 = e x n                            if phi is free of the coordinate along e
///     t_i = e_i - (e_i . n) / (1 + c . n) (c + n)     (e_1, e_2, c) turned so that c becomes n (2)
///
/// g = dphi/drho. Over a step g is the discrete gradient that the normal rows take too, so that
/// what slides is what they leave; and (2) turns the axes of the step's beginning, so that they
/// turn no more than the normal does. At an instant (2) turns axes fixed in space, which fails for
/// n = -c only; no coordinate plane holds c.
class ImplicitSliding final : public RowSource {
public:
    explicit ImplicitSliding(std::span<const Implicit> functions);
    ImplicitSliding(const ImplicitSliding&) = delete;
    ImplicitSliding& operator=(const ImplicitSliding&) = delete;

    std::span<const RowBlock> row_blocks() const override { return {&block_, 1}; }
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override;
    void evaluate_step(int block, const RowStep& step, const RowStepValues& out) const override;

private:
    Tangents at_instant(const Vec3& rho) const;

    std::span<const Implicit> functions_;
    int free_axis_ = -1;  // of a surface's axes, one that its equation does not hold
    RowBlock block_;
};

/// A point stays where one or two functions vanish:
///
///   phi_k(rho) = 0,  rho = r_p - r_o                                                     (1)
///   A_k = (g_k^T, -g_k^T) on (r_p, r_o),  g_k = dphi_k/drho,  b_k = -rho'^T H_k rho'     (2)
///   sliding:  psi_i = t_i . rho', see ImplicitSliding                                    (3)
///
/// Terms, inertial axes:
///   r_p, r_o   `point`, and `origin` of the coordinates x, y, z that the equations hold [m]
///   phi_k      left side less right side, divided by the length of its gradient at one point of
///              the surface: a length to first order, and of the equation's degree
///   H_k        second derivatives of phi_k
/// Over a step a polynomial of degree one or two has its exact derivative at the midpoint, any
/// other function is corrected along the change of rho. The axes are the inertial ones, so that an
/// origin carried by a body moves the surface and does not turn it; the moment that this takes is
/// the ground's.
///
/// Source: A. A. Shabana, Dynamics of Multibody Systems, 4th ed., Cambridge UP, 2013.
class PointOnImplicit : public Constraint {
public:
    std::span<const AttachmentRequest> attachments() const override;
    void facets(ConstraintFacets& out) const override {
        out.tangents = &sliding_;
        out.tied_to_inertial_frame = true;
    }

    std::span<const RowBlock> row_blocks() const override { return {&block_, 1}; }
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override;
    void evaluate_step(int block, const RowStep& step, const RowStepValues& out) const override;
    void evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const override;

protected:
    /// [assembly] Reads `count` equations from the parameter `key`; refuses through
    /// Arguments::fail what is no equation, with the place in its text.
    PointOnImplicit(const Arguments& arguments, const char* key, int count);

private:
    static std::vector<Implicit> read(const Arguments& arguments, const char* key, int count);

    std::vector<Implicit> functions_;
    ImplicitSliding sliding_;
    RowBlock block_;
};

/// A point stays on the surface that one equation states.
class PointOnSurface final : public PointOnImplicit {
public:
    explicit PointOnSurface(const Arguments& arguments)
        : PointOnImplicit(arguments, "equation", 1) {}
};

/// A point stays on the curve in which two surfaces cross.
class PointOnCurve final : public PointOnImplicit {
public:
    explicit PointOnCurve(const Arguments& arguments)
        : PointOnImplicit(arguments, "equations", 2) {}
};

}  // namespace ancora::point_contact
