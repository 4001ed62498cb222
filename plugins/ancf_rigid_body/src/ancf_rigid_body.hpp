// SPDX-License-Identifier: BSD-3-Clause
// The body type `ancf_rigid_body`: a rigid body in absolute nodal coordinates.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/body.hpp"
#include "ancora/sdk/helpers/rigid_body.hpp"
#include "ancora/sdk/numbers/math.hpp"

namespace ancora::ancf {

/// A rigid body whose coordinates are a point and three base vectors, held together by a penalty
/// or, for alpha = inf, exactly:
///
///   q = (x, e_1, e_2, e_3),   r(xi) = x + xi_i e_i                                          (1)
///   T = 1/2 M x'.x' + 1/2 m_i e_i'.e_i'                                                     (2)
///   eps_i = 1/2 (e_i.e_i - 1),  eps_4 = e_1.e_2,  eps_5 = e_2.e_3,  eps_6 = e_3.e_1         (3)
///   U = 1/2 V alpha sum of eps_k^2                                                          (4)
///
/// Terms:
///   x, e_i  centre of mass [m] and base vectors [-], inertial axes; e_i start as principal axes,
///           which makes the mass matrix constant and diagonal for every body
///   xi      material point in principal axes from the centre of mass [m]
///   M, m_i  mass [kg] and its second moments [kg m^2], see rigid::MassProperties
///   V, alpha  volume [m^3] and penalty [Pa]
/// (2) is [1, eqs. (3), (4)]; (4) is [1, eq. (6)] with alpha as a Young's modulus, so b_k = V alpha
/// / 2. The strains are six quadratic rows; alpha = inf only makes their law a constraint.
/// Flat bodies have one m_i = 0. A rod has two, and then a seventh row, by convention, keeps its
/// base vectors from turning about it.
/// Points, directions and attitude meet the user in body axes from the reference point; only here
/// are they brought to principal axes and the centre of mass.
///
/// [1] H. Sugano, Structure-Preserving Absolute Nodal Coordinate Formulation for Rigid Body and
/// Rigid Body Constraint, Miyazaki-Yamazaki Laboratory.
class AncfRigidBody final : public Body, private Drawing {
public:
    /// [assembly] Refuses through Arguments::fail what is no rigid body or has no such start.
    explicit AncfRigidBody(const Arguments& arguments);

    std::span<const Coordinate> coordinates() const override { return coordinates_; }
    void start(std::span<double> q, std::span<double> v) const override;
    void mass(MassSink& M) const override;
    /// Points and directions in body axes; everything is linear in q.
    void attach(const Locator& where, AttachmentSink& out) const override;
    PoseKind pose_kind() const override { return PoseKind::attitude; }
    /// Reference point as a material point; attitude and angular velocity of the polar frame.
    void pose(std::span<const double> q, std::span<const double> v, Pose& out) const override;

    void facets(BodyFacets& out) const override { out.drawing = this; }
    void draw(Sketch& out) const override { rigid::draw(body_, out); }

    std::span<const RowBlock> row_blocks() const override;
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override;
    void evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const override;

private:
    void set_coordinates();
    void set_rows(double stiffness);
    void set_start(const Arguments& arguments, double stiffness);
    void evaluate_rod_spin(const RowPoint& at, const RowValues& out) const;
    /// Material point or direction in body axes to principal axes.
    Vec3 principal_point(const Vec3& p) const {
        return body_.axes.transpose() * (p - body_.center);
    }

    rigid::MassProperties body_;
    int rod_axis_ = -1;  ///< principal axis of a rod, or -1
    std::array<double, 12> q_{};
    std::array<double, 12> v_{};
    std::array<Coordinate, 12> coordinates_{};
    std::array<std::int32_t, 6> rod_stencil_{};
    RowLaw strain_law_;
    std::array<RowBlock, 2> blocks_{};
};

}  // namespace ancora::ancf
