// SPDX-License-Identifier: BSD-3-Clause
// Differences of residuals along a random direction.
#include "step_check.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <Eigen/Core>

#include "idle_viscosity.hpp"
#include "part_differences.hpp"

namespace ancora {
namespace {

// Its distance, and the part by which derivatives may miss.
constexpr double kTry = 0x1p-20;
constexpr double kMiss = 1e-6;

struct CheckedResidual {
    Eigen::VectorXd motion, rows;

    explicit CheckedResidual(KernelSystem& system)
        : motion(system.num_coordinates()), rows(system.num_rows()) {}
    void evaluate(KernelSystem& system, const AcceptedStep& step) {
        step.before.put(system);
        system.step_equations()->evaluate({step.before.t, step.h, view(step.a), view(step.s)},
                                          {motion.data(), static_cast<std::size_t>(motion.size())},
                                          {rows.data(), static_cast<std::size_t>(rows.size())});
    }
};

}  // namespace

std::string check_derivative(StepDerivative& of,
                             KernelSystem& system,
                             const AcceptedStep& step,
                             unsigned seed) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> any(-1.0, 1.0);
    const auto random = [&](Eigen::Index size, double scale) {
        Eigen::VectorXd out(size);
        for (double& x : out) x = scale * any(engine);
        return out;
    };
    const SystemData data = system.step_data();
    const RowSet& rows = data.parts.rows;
    const RowLaws& laws = data.parts.laws;
    const int n = data.parts.n, m = data.parts.m, all = system.num_rows();
    CheckedResidual here(system), up(system), down(system);
    here.evaluate(system, step);
    const double force =
        std::max({largest_entry(data.trial.Ma), largest_entry(data.trial.F), 1e-300});
    Eigen::VectorXd stressed = Eigen::VectorXd::Zero(n);
    for (int k = 0; k < m; ++k)
        for (const int e : rows.entries(k))
            stressed[rows.column_of(e)] += std::abs(rows.B[e] * step.s[k]);
    const double terms = std::max(force, largest_entry(stressed));
    if (largest_entry(here.motion) > 1e-4 * terms)
        return "its equations are not met at the steps of the run";
    const double size = std::min(1.0, data.state.extent);
    const Eigen::VectorXd dq = random(n, size), dq0 = random(n, size);
    Eigen::VectorXd ds = random(all, std::max(largest_entry(step.s), force));
    Eigen::VectorXd dpi = random(m, 1e-3 * size + largest_entry(step.before.pi));
    std::vector<char> counts(static_cast<std::size_t>(all), 1);
    for (int k = 0; k < m; ++k) {
        if (!laws.carries(k)) dpi[k] = 0.0;
        // Nor do stresses of dashpots without viscosity, of which any is a rate beyond bounds.
        if (laws[k].kind == RowKind::unilateral || laws[k].viscosity == kIdleViscosity)
            counts[static_cast<std::size_t>(k)] = 0;
    }
    for (const int k : rows.dropped()) counts[static_cast<std::size_t>(k)] = 0;
    for (int k = 0; k < m; ++k)
        if (counts[static_cast<std::size_t>(k)] == 0) ds[k] = dpi[k] = 0.0;
    // With dv0 = ddq / h the mean acceleration stays.
    const auto moved = [&](double by) {
        AcceptedStep out = step;
        out.before.q += by * dq0;
        out.before.v += (by / step.h) * dq;
        out.before.pi += by * dpi;
        out.s += by * ds;
        return out;
    };
    {
        const HeldLaws held(system);
        up.evaluate(system, moved(kTry));
        down.evaluate(system, moved(-kTry));
    }
    const Eigen::VectorXd motion = (up.motion - down.motion) / (2.0 * kTry);
    const Eigen::VectorXd of_rows = (up.rows - down.rows) / (2.0 * kTry);
    const Eigen::VectorXd same = Eigen::VectorXd::Zero(n);
    const StepDerivative::Change expected = of.change_by(dq, dq0, same, ds, dpi);
    const double noise = kRoundingOfSum / kTry;
    if (largest_entry(motion - expected.motion) >
        kMiss * largest_entry(expected.motion_terms) + noise * terms)
        return "the derivatives of its forces or stresses are not what they say";
    Eigen::VectorXd off = of_rows - expected.rows;
    for (int k = 0; k < m; ++k)
        if (counts[static_cast<std::size_t>(k)] == 0) off[k] = 0.0;
    if (largest_entry(off.head(m)) >
        kMiss * largest_entry(expected.rows_terms.head(m)) + noise * size)
        return laws.has_nonlinear()
                   ? "stresses change their law within the step, as where something goes slack"
                   : "the derivatives of its rows are not what they say";
    if (largest_entry(off.tail(all - m)) >
        kMiss * largest_entry(expected.rows_terms.tail(all - m)) + noise * size)
        return "the derivatives of its friction are not what they say";
    // What plugins keep besides
    if (step.before.plugin.empty()) return {};
    AcceptedStep other = step;
    for (double& w : other.before.plugin) w += 1e-7 * (1.0 + std::abs(w)) * any(engine);
    here.evaluate(system, step);
    up.evaluate(system, other);
    if (largest_entry(up.motion - here.motion) > kRoundingOfSum * terms ||
        largest_entry(up.rows - here.rows) > kRoundingOfSum * (size + largest_entry(here.rows)))
        return "it has objects with states of their own";
    return {};
}

}  // namespace ancora
