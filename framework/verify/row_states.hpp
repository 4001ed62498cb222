// SPDX-License-Identifier: BSD-3-Clause
// States at which rows are looked at, and the walk over all blocks of all examples.
#pragma once

#include <cstddef>
#include <string>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "differences.hpp"
#include "step_call.hpp"

namespace ancora::verify {

inline constexpr int kRowStates = 12;

/// A motion at one instant.
struct At {
    Motion motion;
    double t;
    Vector u, du, ddu;

    Vector u_at(double dt) const {
        Vector x(u.size());
        motion.evaluate(dt, {x.data(), size()}, {}, {});
        return x;
    }
    Vector du_at(double dt) const {
        Vector x(u.size());
        motion.evaluate(dt, {}, {x.data(), size()}, {});
        return x;
    }
    std::size_t size() const { return static_cast<std::size_t>(u.size()); }
};

inline At random_state(const Stage& stage,
                       Random& random,
                       double perturbation = 0.05,
                       Placement placement = Placement::usual) {
    At at;
    Stage there = stage;
    there.place(placement);
    at.motion = there.motion(random, perturbation);
    at.t = random.uniform(0.0, 2.0);
    const int n = stage.num_scalars();
    at.u.resize(n);
    at.du.resize(n);
    at.ddu.resize(n);
    const auto size = static_cast<std::size_t>(n);
    at.motion.evaluate(0.0, {at.u.data(), size}, {at.du.data(), size}, {at.ddu.data(), size});
    return at;
}

/// Every third of the states is somewhere else.
inline At state_of(int k, Placement third, const Stage& stage, Random& random) {
    return random_state(stage, random, 0.05, k % 3 == 2 ? third : Placement::usual);
}

/// The nearest u at which the rows are satisfied, by Newton's method; false if it finds none. A
/// double root is found by halves, so it goes on until nothing moves. One far away is none unless
/// `goes_far`.
inline bool find_satisfied(const Block& block, const At& at, Vector& u, bool goes_far = false) {
    constexpr double kFar = 10.0;
    u = at.u;
    double start = 0.0, left = 0.0;
    for (int k = 0; k < 60; ++k) {
        const Block::Values values = block.evaluate(u, at.du, at.t);
        if (!values.pi.allFinite() || !values.A.allFinite())
            throw Failure(fmt::format(
                "pi or A of {} is not finite on the way to where the rows are satisfied: pi = {}",
                block.where(),
                values.pi.allFinite() ? fmt::format("{:.3g}", values.pi.cwiseAbs().maxCoeff())
                                      : std::string("nan")));
        left = values.pi.cwiseAbs().maxCoeff();
        if (k == 0) start = left;
        if (left == 0.0) return true;
        Vector step = values.A.completeOrthogonalDecomposition().solve(values.pi);
        if (!step.allFinite()) return false;
        if (step.norm() > kFar) {
            if (!goes_far) return false;
            step *= kFar / step.norm();
        }
        u -= step;
        if (step.norm() <= 1e-15 * u.norm()) break;
    }
    return left <= 1e-9 * start;
}

/// Runs `check(block, stage, random)` on each block, twice where the object has states of its own;
/// skips the example if none is `wanted`.
template <class Wanted, class Function>
void for_each_block(Subject& subject, const char* none, Wanted&& wanted, Function&& check) {
    for_each_example(subject, [&](const Example& example) {
        const BoundArguments arguments = example.bind();
        const Object object = example.make(arguments);
        const Stage stage(example.type(), arguments, object);
        skip_wrong_sizes(stage, object);
        Random random(subject.seed);
        bool found = false;
        const OwnSampler own(stage, object);
        for (const RowPart& part : row_parts(object)) {
            const auto count = static_cast<int>(part.of(object)->row_blocks().size());
            for (int k = 0; k < count; ++k) {
                const Block block(object, part, k, stage.num_scalars());
                if (block.num_rows_of() == 0 || !wanted(block)) continue;
                found = true;
                check(block, stage, random);
                // once more with other states of its own
                if (own.num_x() + own.num_z() == 0) continue;
                block.sample_own(own, random);
                check(block, stage, random);
            }
        }
        if (!found) throw Skipped(none);
    });
}

}  // namespace ancora::verify
