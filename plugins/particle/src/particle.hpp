// SPDX-License-Identifier: BSD-3-Clause
// The body type `particle`: a point mass in one to three coordinates.
#pragma once

#include <array>
#include <span>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/body.hpp"
#include "ancora/sdk/helpers/time_function.hpp"
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
/// mass, constraints must determine the motion. A mass over time, M = m(t) I, is that of a tank:
/// matter leaves or comes with the velocity of the particle, without a force. It is shown as
/// outputs, and where it is a table a step ends at each row, at which m' may jump.
///
/// [1] F. E. Udwadia, R. E. Kalaba, Y. Fan, Is analytical dynamics a theoretical or an experimental
/// science?, Nonlinear Analysis 63 (2005) 692-698.
class Particle final : public Body, public Signals {
public:
    /// [assembly] Refuses through Arguments::fail what is no mass or no set of axes, and a velocity
    /// along an axis that is not kept.
    explicit Particle(const Arguments& arguments);

    std::span<const Coordinate> coordinates() const override { return used(coordinates_); }
    void start(std::span<double> q, std::span<double> v) const override;
    void mass(MassSink& M) const override;
    MassKind mass_kind() const override {
        return m_.num_components() > 0 ? MassKind::of_time : MassKind::constant;
    }
    void evaluate_mass(const MassState& at, const MassValues& out) const override;
    /// The point itself, as [0, 0, 0] or as node 0.
    void attach(const Locator& where, AttachmentSink& out) const override;
    PoseKind pose_kind() const override { return PoseKind::position; }
    void pose(std::span<const double> q, std::span<const double> v, Pose& out) const override;

    void facets(BodyFacets& out) const override {
        if (mass_kind() == MassKind::of_time) out.signals = this;
    }
    std::span<const Output> outputs() const override { return kOutputs; }
    bool outputs_read_inputs() const override { return false; }
    void evaluate_outputs(const SignalPoint& at, std::span<double> y) const override;
    /// The rows of a table that are past: what m' is where it jumps.
    int num_discrete() const override { return m_.is_table() ? 1 : 0; }
    double next_time(double after, std::span<const double> z) const override;
    void act(const SignalPoint& at,
             int crossing,
             std::span<double> x,
             std::span<double> z) const override;

private:
    static constexpr std::array<Output, 2> kOutputs{
        {{"mass", "kg", "m"}, {"mass_rate", "kg/s", "m', below zero where it empties"}}};
    void set_axes(const Arguments& arguments);
    void set_mass(const Arguments& arguments);
    void set_mass_over_time(const Arguments& arguments);
    double mass_at(double t, double& rate) const;

    template <class T>
    std::span<const T> used(const std::array<T, 3>& x) const {
        return std::span(x).first(n_);
    }
    /// Inertial axis of coordinate i.
    int axis(int i) const { return coordinates_[i].axis; }

    int n_ = 0;
    std::array<Coordinate, 3> coordinates_{};
    Mat3 M_ = Mat3::Zero();  ///< leading n x n, at the start
    TimeFunction m_;         ///< of mass that changes with time
    Vec3 r_0_;
    Vec3 v_0_;
};

}  // namespace ancora::particle
