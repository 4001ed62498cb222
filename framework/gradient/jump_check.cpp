// SPDX-License-Identifier: BSD-3-Clause
// Second differences of residuals along a run.
#include "jump_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <Eigen/Core>
#include <fmt/format.h>

namespace ancora {
namespace {

// Of the largest term of what changes: less is curvature, as of springs that turn fast.
constexpr double kOfTerms = 0.5;
// Of the largest force: what is less is nothing to the motion.
constexpr double kNoForce = 1e-6;
// Of twice a jump: smooth forces are nearer to their cubic on the way, jumps a quarter of them off.
constexpr double kOfJump = 0.06;
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

/// At a part of the way from one step to another.
AcceptedStep JumpCheck::on_the_way(const AcceptedStep& one,
                                   const AcceptedStep& other,
                                   double part) {
    AcceptedStep out = one;
    const Way way = between(one, other);
    out.before.q += part * way.q;
    out.before.pi += part * way.pi;
    out.a += part * way.a;
    out.s += part * way.s;
    // dq = h (v0 + h a / 2)
    out.before.v += part * (way.dq / one.h - 0.5 * one.h * way.a);
    return out;
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
    const StepDerivative::Change& there = *ahead_;
    // Rounding of accelerations is that of places over h^2.
    const double places =
        2.0 * std::numeric_limits<double>::epsilon() * data.state.extent / (step.h * step.h);
    const double force = kNoForce * std::max({largest_entry(data.trial.Ma),
                                              largest_entry(data.trial.F),
                                              largest_entry(there.motion_terms)});
    const auto exceeds = [](double a, double b, double terms, double least) {
        return 0.5 * std::abs(a + b) > std::abs(a - b) + kOfTerms * terms + least;
    };
    // Numbers of coordinates, and behind them of rows, of which (1) leaves too much.
    const auto find = [&](const Change& a, const Change& b) {
        std::vector<int> out;
        const int n = data.parts.n;
        for (int i = 0; i < n; ++i)
            if (exceeds(a.motion[i],
                        b.motion[i],
                        std::max(here.motion_terms[i], there.motion_terms[i]),
                        force + places * std::abs(data.parts.mass.diagonal(i))))
                out.push_back(i);
        for (int k = 0; k < data.parts.m; ++k)
            if (data.parts.laws.carries(k) &&
                exceeds(a.rows[k],
                        b.rows[k],
                        std::max(here.rows_terms[k], there.rows_terms[k]),
                        kNoWay * data.state.extent) &&
                std::ranges::find(step.before.dropped, k) == step.before.dropped.end())
                out.push_back(n + k);
        return out;
    };
    if (find({here.motion, here.rows}, {there.motion, there.rows}).empty()) return false;

    // Loads and drives over time change besides.
    const double t0 = last_.before.t, t1 = step.before.t;
    const Residuals last_then(system_, last_, t0), last_now(system_, last_, t1),
        here_then(system_, step, t0), here_now(system_, step, t1);
    const Change a{here.motion + here_now.motion - here_then.motion,
                   here.rows + here_now.rows - here_then.rows},
        b{there.motion + last_now.motion - last_then.motion,
          there.rows + last_now.rows - last_then.rows};
    const std::vector<int> found = find(a, b);
    if (found.empty()) return false;
    // At one place alone the force may be about to jump.
    for (const double part : {1.0 / 3.0, 2.0 / 3.0}) {
        const Residuals there_on(system_, on_the_way(last_, step, part), t0 + part * (t1 - t0));
        const double rest = 1.0 - part;
        for (const int i : found) {
            const int k = i - data.parts.n;
            const bool is_row = k >= 0;
            const double x = is_row ? a.rows[k] : a.motion[i], y = is_row ? b.rows[k] : b.motion[i];
            const double off = is_row ? there_on.rows[k] : there_on.motion[i];
            const double cubic = part * rest * (rest * y - part * x);
            if (std::abs(off - cubic) > kOfJump * std::abs(x + y)) return true;
        }
    }
    return false;
}

}  // namespace ancora
