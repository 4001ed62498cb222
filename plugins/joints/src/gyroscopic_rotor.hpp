// SPDX-License-Identifier: BSD-3-Clause
// A rotor that the base of its joint carries along.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>

#include "ancora/sdk/body.hpp"
#include "ancora/sdk/constraint.hpp"
#include "ancora/sdk/helpers/measure_function.hpp"

namespace ancora::joints {

/// A rotor of inertia J that turns by n times an angle m about its axis a, on a base that turns
/// with omega (theory (56a), (56b)): as a ball, which turns with
///
///   w' = omega + n m' a,   T = J w'.w' / 2,   L = J w'                                      (1)
///
/// Of a ball angular momentum and energy know no attitude, so w' is made of rates of coordinates
/// with a constant mass, and three conditions on rates hold it to (1). Their multiplier J w'' turns
/// against the base as a whole and against the measure with n a: that is J n m'' a and the
/// gyroscopic moment J n m' omega x a, with J omega' of the ball itself. a = p1 x p2 of the angle's
/// two directions in the base, and
///
///   omega = N sum_i p^i x p_i',   N = I - a a^T / 2                                         (2)
///
/// with p^i reciprocal to p_i. Over a step (2) with the mean directions is what moments on
/// directors are conjugate to: the moment on the base is the multiplier exactly, however far the
/// step turns, so that angular momentum is kept to rounding; as conditions on rates do no work,
/// energy is too.
class GyroscopicRotor final : private EffortFactors {
public:
    /// @param inertia J [kg m^2]
    /// @param ratio   n
    GyroscopicRotor(const MeasureFunction& angle, double inertia, double ratio);
    GyroscopicRotor(const GyroscopicRotor&) = delete;
    GyroscopicRotor& operator=(const GyroscopicRotor&) = delete;

    std::span<const RowBlock> row_blocks() const { return {&block_, 1}; }
    void evaluate(const RowPoint& at, const RowValues& out) const;
    void evaluate_step(const RowStep& step, const RowStepValues& out) const;
    const Body& body() const { return ball_; }
    const EffortFactors& effort_factors() const { return *this; }

private:
    // EffortFactors
    void evaluate(const RowPoint& at, double h, std::span<double> factors) const override;

    static constexpr std::size_t kAngle = 9;   // scalars of the measure
    static constexpr std::size_t kWidth = 12;  // and w

    /// Inertial components of w, an angle about each axis; their start follows from the rows.
    class Ball final : public Body, private ScalarRotation {
    public:
        std::span<const Coordinate> coordinates() const override { return coordinates_; }
        void start(std::span<double> q, std::span<double> v) const override;
        void mass(MassSink& M) const override;
        void facets(BodyFacets& out) const override { out.scalar_rotation = this; }
        void rotation(std::span<const double>, std::span<double> Xi) const override;
        void attach(const Locator&, AttachmentSink&) const override {
            throw std::invalid_argument("a rotor has no points");
        }

        double inertia = 0.0;
        std::array<Coordinate, 3> coordinates_;
    };

    MeasureFunction angle_;
    double ratio_;
    Ball ball_;
    std::array<std::int32_t, kWidth> stencil_;
    RowLaw law_{.kind = RowKind::velocity_constraint};
    RowBlock block_;
};

}  // namespace ancora::joints
