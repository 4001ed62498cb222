// SPDX-License-Identifier: BSD-3-Clause
// A spring without free length between two points, and the damper along their line.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ancora/sdk/constraint.hpp"
#include "ancora/sdk/helpers/time_function.hpp"
#include "ancora/sdk/numbers/math.hpp"
#include "constant_stress.hpp"

namespace ancora::joints {

/// A stiffness over time as a scale of strains: g = sqrt(k(t) c), c the compliance of their rows.
struct StiffnessScale {
    double value = 1.0, rate = 0.0, second = 0.0;

    /// [step] @throws std::domain_error where the stiffness is not above zero
    static StiffnessScale at(const TimeFunction& stiffness, double compliance, double t);
};

/// The direction of a damper between two points a and b, of the scalars u = (r_a, r_b), d = r_b -
/// r_a. Where both coincide it is that of their relative velocity, along which |d| is about to
/// grow: the limit of every straight way through the point. At rest there is none, and no force.
class LineOfTwo {
public:
    /// d of the scalars u. [step]
    static Vec3 difference(std::span<const double> u) {
        return {u[3] - u[0], u[4] - u[1], u[5] - u[2]};
    }
    /// What a factor e of r_b - r_a is in six entries. [step]
    static void put(const Vec3& e, double* A) {
        for (int k = 0; k < 3; ++k) {
            A[k] = -e[k];
            A[3 + k] = e[k];
        }
    }
    /// A = d|d|/du, six entries; du may be empty. [step]
    static void gradient(std::span<const double> u, std::span<const double> du, double* A);
    /// The discrete gradient of |d| (theory (51)). A step that swings past the point, where the
    /// change of |d| says nothing of the way, has B of the length one that the way asks for. [step]
    static void step_gradient(const RowStep& step, double* B);
};

/// Elastic rows of the energy k |d|^2 / 2, smooth where a and b coincide, and a dashpot beside. Of
/// constant stiffness they are linear, of one over time there is one that carries the potential,
/// f = k(t) / k(0), whose force is along d whatever k does:
///
///   pi_i = d_i,   i = 1, 2, 3,   compliance 1 / k                                        (1)
///   pi = f d.d / 2,   stress k(0)                                                        (2)
///   psi = |d|'                                                                           (3)
///
/// The force over a step is the mean of k times the mean of d, exactly.
class PointSpring final : public RowSource, public EffortFactors {
public:
    /// [assembly] @param stiffness  over time, or none; outlives this
    PointSpring(double compliance, const TimeFunction* stiffness, double damping);
    PointSpring(const PointSpring&) = delete;
    PointSpring& operator=(const PointSpring&) = delete;

    std::span<const RowBlock> row_blocks() const override {
        return std::span(blocks_).first(has_damper_ ? 2 : 1);
    }
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override;
    void evaluate_step(int block, const RowStep& step, const RowStepValues& out) const override;
    void evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const override;
    void evaluate(const RowPoint& at, double h, std::span<double> factors) const override;

private:
    struct Factor {
        double value = 1.0, rate = 0.0, second = 0.0;
    };
    Factor factor(double t) const;

    const TimeFunction* stiffness_;
    bool has_damper_;
    ConstantStress stress_;
    RowLaw law_, damping_;
    std::array<RowBlock, 2> blocks_;
};

}  // namespace ancora::joints
