// SPDX-License-Identifier: BSD-3-Clause
// The body type `quaternion_body`: a rigid body whose attitude is a unit quaternion.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/body.hpp"
#include "ancora/sdk/helpers/rigid_body.hpp"
#include "ancora/sdk/numbers/math.hpp"
#include "quaternion.hpp"

namespace ancora::quaternion_body {

/// A rigid body whose coordinates are a point and four Euler parameters:
///
///   q = (x, p),  p = (w, u),   r(xi) = x + R(p) xi                                          (1)
///   phi = 1/2 (p.p - 1) = 0,   A = p^T,   b = -p'.p'                                        (2)
///   w_b = 2 G(p) p',   G(p) = [-u, w I - u^]                                                (3)
///   T = 1/2 M x'.x' + 1/2 w_b.J w_b,   M_xx = M I,   M_pp = 4 G^T J G                       (4)
///   dT/dp - M_pp' p' = -8 G(p')^T J G(p) p'                                                 (5)
///
/// Terms:
///   x      centre of mass [m], inertial axes
///   p      quaternion from body to inertial axes [-], the body axes in which the user gives points
///          and inertia; R(p) is its rotation matrix, homogeneous and quadratic in p
///   xi     material point from the centre of mass [m], body axes
///   w_b    angular velocity [rad/s], body axes
///   M, J   mass [kg] and inertia about the centre of mass [kg m^2], body axes
/// (5) is (4) differentiated, since G(p) p' = -G(p') p and G(p') p' = 0:
///   dT/dp = -4 G(p')^T J G(p) p',   M_pp' p' = 4 G(p')^T J G(p) p'.
/// M_pp depends on p and has rank 3: G(p) p = 0. The norm (2) determines what it leaves open, so
/// the equations need the form for singular mass [2]. There is no discrete formulation.
///
/// [1] P. E. Nikravesh, Computer-Aided Analysis of Mechanical Systems, Prentice Hall, 1988, ch. 6.
/// [2] F. E. Udwadia, P. Phohomsiri, Explicit equations of motion for constrained mechanical
/// systems with singular mass matrices and applications to multi-body dynamics, Proc. R. Soc. A 462
/// (2006) 2097-2117.
class QuaternionBody final : public Body,
                             private ScalarRotation,
                             private BodyNames,
                             private Drawing {
public:
    /// [assembly] Refuses through Arguments::fail what is no rigid body, and a rod: its spin has no
    /// inertia and (2) does not determine it.
    explicit QuaternionBody(const Arguments& arguments);

    std::span<const Coordinate> coordinates() const override { return coordinates_; }
    void start(std::span<double> q, std::span<double> v) const override;

    /// All of M_pp is in the pattern, zero at the start or not.
    void mass(MassSink& M) const override;
    MassKind mass_kind() const override { return MassKind::of_state; }
    void evaluate_mass(const MassState& at, const MassValues& out) const override;
    void facets(BodyFacets& out) const override {
        out.scalar_rotation = this;
        out.names = this;
        out.drawing = this;
    }
    void turn(const std::array<double, 9>& R,
              std::span<double> q,
              std::span<double> v) const override;
    void rotation(std::span<const double> q, std::span<double> Xi) const override;

    /// Points and directions in body axes: nonlinear, but for the centre of mass.
    void attach(const Locator& where, AttachmentSink& out) const override;
    void evaluate_attachment(int id,
                             std::span<const double> q,
                             std::span<const double> v,
                             const AttachmentValues& out) const override;
    /// "qw", "qx", "qy", "qz": the components of p.
    int find_coordinate(std::string_view name) const override;

    PoseKind pose_kind() const override { return PoseKind::attitude; }
    /// Of p / |p|, so that an attitude off the norm (2) is one all the same.
    void pose(std::span<const double> q, std::span<const double> v, Pose& out) const override;

    void draw(Sketch& out) const override { rigid::draw(body_, out); }

    std::span<const RowBlock> row_blocks() const override { return {&block_, 1}; }
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override;
    void evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const override;

private:
    /// A point from the centre of mass, or a direction, in body axes.
    struct Attached {
        Vec3 xi;
        bool is_direction;
    };

    void refuse_rod(const Arguments& arguments) const;
    /// G(p), its rows along the principal axes, where J is diagonal.
    Mat34 principal_rates(const Vec4& p) const { return body_.axes.transpose() * body_rates(p); }
    Eigen::Matrix4d rotational_mass(const Vec4& p) const;

    rigid::MassProperties body_;
    Vec3 J_;  ///< principal moments
    std::array<double, 7> q_{};
    std::array<double, 7> v_{};
    std::array<Coordinate, 7> coordinates_{};
    RowBlock block_;
    /// What the ids of attachments stand for. Grows in attach(), in assembly alone, and never
    /// forgets: an id means the same for the life of the object, a locator always gets the same id.
    mutable std::vector<Attached> attached_;
};

}  // namespace ancora::quaternion_body
