// SPDX-License-Identifier: BSD-3-Clause
// The body type `particle`: a point mass in one to three coordinates.
#pragma once

#include <array>
#include <span>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/body.hpp"
#include "ancora/sdk/numbers/math.hpp"

namespace ancora::particle {

/// A point with mass, free along some or all inertial axes:
///
///   q = (r_k),  k among x, y, z                                                          (1)
///   T = 1/2 q'.M q'                                                                      (2)
///
/// Terms:
///   r   position [m], inertial axes; components that are no coordinates stay as they start
///   M   mass [kg]: m I, or for an anisotropic mass the rows and columns of the kept components of
///       a symmetric positive semidefinite matrix
/// Matter has M = m I. An anisotropic M stands for reduced models, and for tests: with M = I a
/// mistake in the powers of M does not show [1, eq. (11)]. A singular M is allowed; where it has no
/// mass, constraints must determine the motion.
///
/// [1] F. E. Udwadia, R. E. Kalaba, Y. Fan, Is analytical dynamics a theoretical or an experimental
/// science?, Nonlinear Analysis 63 (2005) 692-698.
class Particle final : public Body {
public:
    /// [assembly] Refuses through Arguments::fail what is no mass or no set of axes, and a velocity
    /// along an axis that is not kept.
    explicit Particle(const Arguments& arguments);

    std::span<const Coordinate> coordinates() const override { return used(coordinates_); }
    void start(std::span<double> q, std::span<double> v) const override;
    void mass(MassSink& M) const override;
    /// The point itself, as [0, 0, 0] or as node 0.
    void attach(const Locator& where, AttachmentSink& out) const override;
    PoseKind pose_kind() const override { return PoseKind::position; }
    void pose(std::span<const double> q, std::span<const double> v, Pose& out) const override;

private:
    void set_axes(const Arguments& arguments);
    void set_mass(const Arguments& arguments);

    template <class T>
    std::span<const T> used(const std::array<T, 3>& x) const {
        return std::span(x).first(static_cast<std::size_t>(n_));
    }
    /// Inertial axis of coordinate i.
    int axis(int i) const { return coordinates_[static_cast<std::size_t>(i)].axis; }

    int n_ = 0;
    std::array<Coordinate, 3> coordinates_{};
    Mat3 M_ = Mat3::Zero();  ///< leading n x n
    Vec3 r_0_;
    Vec3 v_0_;
};

}  // namespace ancora::particle
