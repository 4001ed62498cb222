// SPDX-License-Identifier: BSD-3-Clause
// Second differences of residuals along a run.
#include "jump_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Core>
#include <fmt/format.h>

namespace ancora {
namespace {

// Of the largest term of what changes: less is curvature, as of springs that turn fast.
constexpr double kOfTerms = 0.5;
// Of the largest force: what is less is nothing to the motion.
constexpr double kNoForce = 1e-6;
constexpr double kNoWay = 1e-9;  // of the model's size: the same of strains
constexpr double kSameLength = 1e-9;

/// Forces and row equations of a step at another time.
struct Residuals {
    Eigen::VectorXd motion, rows;

    Residuals(KernelSystem& system, const AcceptedStep& step, double t)
        : motion(system.num_coordinates()), rows(system.num_rows()) {
        StepState begin = step.before;
        begin.t = t;
        begin.put(system);
        system.step_equations()->evaluate({t, step.h, view(step.a), view(step.s)},
                                          {motion.data(), static_cast<std::size_t>(motion.size())},
                                          {rows.data(), static_cast<std::size_t>(rows.size())});
    }
};

}  // namespace

JumpCheck::Way JumpCheck::between(const AcceptedStep& from, const AcceptedStep& to) {
    const auto dq = [](const AcceptedStep& step) {
        return Eigen::VectorXd(step.h * (step.before.v + 0.5 * step.h * step.a));
    };
    return {dq(to) - dq(from),
            to.before.q - from.before.q,
            to.a - from.a,
            to.s - from.s,
            to.before.pi - from.before.pi};
}

bool JumpCheck::are_alike(const AcceptedStep& one, const AcceptedStep& other) const {
    return !one.projection && !other.projection &&
           std::abs(one.h - other.h) <= kSameLength * one.h &&
           one.before.dropped == other.before.dropped && one.before.closed == other.before.closed &&
           changed_modes(system_, one.before, other.before).empty();
}

void JumpCheck::take(const StepDerivative& of, const AcceptedStep& step, const AcceptedStep* next) {
    if (ahead_) {
        const StepDerivative::Change here = of.change_by(way_.dq, way_.q, way_.a, way_.s, way_.pi);
        if (jumps(here, step))
            throw AdjointObstacle{
                fmt::format("t = {:.6g} s: a force or law jumps, by a condition on the state",
                            std::max(step.before.t, last_.before.t)),
                true};
    }
    ahead_.reset();
    if (next == nullptr || !are_alike(step, *next)) return;
    way_ = between(step, *next);
    ahead_ = of.change_by(way_.dq, way_.q, way_.a, way_.s, way_.pi);
    last_ = step;
}

bool JumpCheck::jumps(const StepDerivative::Change& here, const AcceptedStep& step) {
    const SystemData data = system_.step_data();
    const int m = data.parts.m;
    const StepDerivative::Change& there = *ahead_;
    // Rounding of accelerations is that of places over h^2.
    const double places =
        2.0 * std::numeric_limits<double>::epsilon() * data.state.extent / (step.h * step.h);
    const double force = kNoForce * std::max({largest_entry(data.trial.Ma),
                                              largest_entry(data.trial.F),
                                              largest_entry(there.motion_terms)});
    const auto finds = [&](const Eigen::VectorXd& by_time_motion,
                           const Eigen::VectorXd& by_time_rows) {
        const auto is_jump = [](double a, double b, double by_time, double terms, double least) {
            const double left = std::abs(0.5 * (a + b + by_time));
            return left > std::abs(a - b) + kOfTerms * terms + least;
        };
        for (int i = 0; i < data.parts.n; ++i) {
            const double rounding = places * std::abs(data.parts.mass.diagonal(i));
            if (is_jump(here.motion[i],
                        there.motion[i],
                        by_time_motion[i],
                        std::max(here.motion_terms[i], there.motion_terms[i]),
                        force + rounding))
                return true;
        }
        for (int k = 0; k < m; ++k)
            if (data.parts.laws.carries(k) &&
                is_jump(here.rows[k],
                        there.rows[k],
                        by_time_rows[k],
                        std::max(here.rows_terms[k], there.rows_terms[k]),
                        kNoWay * data.state.extent) &&
                std::ranges::find(step.before.dropped, k) == step.before.dropped.end())
                return true;
        return false;
    };
    const Eigen::VectorXd no_motion = Eigen::VectorXd::Zero(data.parts.n),
                          no_rows = Eigen::VectorXd::Zero(system_.num_rows());
    if (!finds(no_motion, no_rows)) return false;
    // Loads and drives over time change besides.
    const Residuals at_last(system_, last_, last_.before.t),
        at_last_now(system_, last_, step.before.t), here_then(system_, step, last_.before.t),
        here_now(system_, step, step.before.t);
    return finds(at_last_now.motion - at_last.motion + here_now.motion - here_then.motion,
                 at_last_now.rows - at_last.rows + here_now.rows - here_then.rows);
}

}  // namespace ancora
