// SPDX-License-Identifier: BSD-3-Clause
// Checks of rows that may not become negative, and of the degrees that rows state.
#include <cmath>

#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "differences.hpp"
#include "row_states.hpp"

namespace ancora::verify {
namespace {

bool is_unilateral(const Block& block) {
    return block.kind() == RowKind::unilateral;
}

/// A gap is positive on one side of where it is zero, and negative on the other.
void check_signs(const Block& block, const Stage& stage, Random& random) {
    constexpr double kBeside = 1e-3;
    int found = 0;
    for (int k = 0; k < kRowStates; ++k) {
        const At at = random_state(stage, random);
        Vector u;
        if (block.num_rows_of() != 1 || !find_satisfied(block, at, u, true)) continue;
        ++found;
        const Vector slope = block.evaluate(u, at.du, at.t).A.row(0);
        const double size = slope.norm();
        if (!(size > 0.0))
            throw Failure(fmt::format("A of {} is zero where it closes: nothing could press there",
                                      block.where()));
        const auto beside = [&](double way) {
            return block.evaluate(u + way / size * slope, at.du, at.t).pi(0);
        };
        if (!(beside(kBeside) > 0.0))
            throw Failure(fmt::format(
                "{} does not open: it is {:.3g} where it moved {:g} along A from where it is zero",
                block.where(),
                beside(kBeside),
                kBeside));
        if (!(beside(-kBeside) < 0.0))
            throw Failure(
                fmt::format("{} does not become negative, so that no step could find that it "
                            "closes: it is {:.3g} where it moved {:g} against A from where it is "
                            "zero",
                            block.where(),
                            beside(-kBeside),
                            kBeside));
    }
    if (block.num_rows_of() == 1 && found == 0)
        throw Failure(fmt::format(
            "{} is zero nowhere along its gradient from {} sampled states: it never closes",
            block.where(),
            kRowStates));
}

void check_gap(Subject& subject) {
    for_each_example(subject, [&](const Example& example) {
        const Object object = example.make();
        bool has_gap = false, has_other = false;
        for (const RowBlock& block : object.constraint->row_blocks())
            for (const RowLaw& law : block.laws) {
                if (law.kind != RowKind::unilateral) {
                    has_other = true;
                    continue;
                }
                has_gap = true;
                if (!(law.restitution >= 0.0 && law.restitution <= 1.0))
                    throw Failure(
                        fmt::format("block \"{}\" has the restitution {}, which lies "
                                    "between 0 and 1",
                                    block.name,
                                    law.restitution));
            }
        if (!has_gap) throw Skipped("no row is unilateral");
        if (has_other) return;
        // Where the kit puts a and b the example is open: a gap of the wrong sign would not be.
        RunSettings settings;
        settings.integrator = example.integrators().front();
        try {
            const Simulation simulation(example.system(settings, 0), subject.registry);
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::numerical) throw;
            throw Failure("the example does not start open, with the gap positive: " +
                          error.message());
        }
    });
    for_each_block(subject, "no row is unilateral", is_unilateral, check_signs);
}

/// Third differences of a quadratic function, and second ones of a linear one, are zero.
void check_degree(Subject& subject) {
    for_each_block(
        subject,
        "no row says that it is linear or quadratic",
        [](const Block& block) {
            return !block.is_velocity() && !block.is_acceleration() &&
                   block.shape().degree != Degree::general;
        },
        [](const Block& block, const Stage& stage, Random& random) {
            const bool is_linear = block.shape().degree == Degree::linear;
            for (int k = 0; k < kRowStates; ++k) {
                const At at = random_state(stage, random), other = random_state(stage, random);
                const auto along = [&](double s) {
                    return block.evaluate(at.u + s * (other.u - at.u), at.du, at.t).pi;
                };
                const Vector p[] = {along(-0.5), along(0.0), along(0.5), along(1.0)};
                const Vector left = is_linear ? Vector(p[0] - 2.0 * p[1] + p[2])
                                              : Vector(p[3] - p[0] + 3.0 * (p[1] - p[2]));
                const Vector size = p[0].cwiseAbs() + p[1].cwiseAbs() + p[2].cwiseAbs() +
                                    p[3].cwiseAbs() +
                                    block.evaluate(at.u, at.du, at.t).A.cwiseAbs().rowwise().sum();
                for (Eigen::Index i = 0; i < left.size(); ++i)
                    if (!(std::abs(left(i)) <= kRounding * size(i)))
                        throw Failure(
                            fmt::format("{} is said to be {}, and its {} difference in row {} is "
                                        "{:.3g} of {:.3g}",
                                        block.where(),
                                        is_linear ? "linear" : "quadratic",
                                        is_linear ? "second" : "third",
                                        i,
                                        left(i),
                                        size(i)));
            }
        });
}

constexpr Check kGapChecks[] = {
    {"degree",
     kRows,
     "rows that are said to be linear or quadratic have no higher differences",
     check_degree},
    {"gap",
     kConstraints,
     "unilateral rows start open, take both signs beside where they close, and bounce by 0 to 1",
     check_gap},
};

}  // namespace

std::span<const Check> gap_checks() {
    return kGapChecks;
}

}  // namespace ancora::verify
