// SPDX-License-Identifier: BSD-3-Clause
// Energy, momentum and angular momentum of the two published systems, at every step and penalty.
#include <algorithm>
#include <cmath>
#include <string>

#include <doctest/doctest.h>

#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

// Under sanitizers a tenth of the steps; the bounds follow the number of steps.
#ifdef ANCORA_TEST_SHORT
constexpr double kShare = 0.1;
#else
constexpr double kShare = 1.0;
#endif

const char* const kSystems[] = {"tumbling_box", "box_with_truss"};

// Energy, momentum and angular momentum of the free box from its coordinates alone: none of the
// ledger's sums, none of the strains that the step carries along.
struct Box {
    static constexpr double kMass = 16200.0;
    static constexpr double kVolume = 6.0;
    const Vec3 m{12150.0, 5400.0, 1350.0};  // M a_i^2 / 12

    double energy(const Simulation& simulation, double penalty) const {
        const Eigen::Map<const Eigen::Matrix<double, 3, 4>> q(simulation.q().data());
        const Eigen::Map<const Eigen::Matrix<double, 3, 4>> v(simulation.v().data());
        double energy = 0.5 * kMass * v.col(0).squaredNorm();
        for (int i = 0; i < 3; ++i) energy += 0.5 * m(i) * v.col(i + 1).squaredNorm();
        if (std::isinf(penalty)) return energy;
        for (int i = 0; i < 3; ++i)
            for (int j = i; j < 3; ++j) {
                const double product = q.col(i + 1).dot(q.col(j + 1));
                const double strain = i == j ? 0.5 * (product - 1.0) : product;
                energy += 0.5 * kVolume * penalty * strain * strain;
            }
        return energy;
    }
    Vec3 angular_momentum(const Simulation& simulation) const {
        const Eigen::Map<const Eigen::Matrix<double, 3, 4>> q(simulation.q().data());
        const Eigen::Map<const Eigen::Matrix<double, 3, 4>> v(simulation.v().data());
        Vec3 L = kMass * q.col(0).cross(v.col(0));
        for (int i = 0; i < 3; ++i) L += m(i) * q.col(i + 1).cross(v.col(i + 1));
        return L;
    }
};

void check_balances(const RunStatistics& statistics) {
    const double bound = rounding_bound(static_cast<double>(statistics.steps));
    CHECK(statistics.energy.max_rel <= tolerance(bound));
    CHECK(statistics.momentum.max_rel <= tolerance(bound));
    CHECK(statistics.angular_momentum.max_rel <= tolerance(bound));
}

TEST_SUITE("conservation") {
    // Sugano's Figs. 6 and 9. The steps also ask for no retry: one accepted piece per step.
    TEST_CASE("both systems keep energy and momenta to rounding for every step and penalty") {
        for (const std::string system : kSystems)
            for (const std::string penalty : {"1e9", "1e11", "inf"})
                for (const double step : {1e-4, 1e-3, 1e-2, 1e-1}) {
                    CAPTURE(system);
                    CAPTURE(penalty);
                    CAPTURE(step);
                    const double end = step < 1e-3 ? 10.0 * kShare : 10.0;
                    Simulation simulation = example(system,
                                                    {"body.box.penalty=" + penalty,
                                                     setting("integrator.step", step),
                                                     setting("integrator.end", end)});
                    const RunStatistics statistics = run_to_end(simulation).statistics();
                    check_balances(statistics);
                    CHECK(statistics.steps == std::lround(end / step));
                    CHECK(statistics.substeps == statistics.steps);
                }
    }

    TEST_CASE("the box alone keeps them over a million steps") {
        for (const std::string penalty : {"1e9", "inf"}) {
            CAPTURE(penalty);
            Simulation simulation = example("tumbling_box",
                                            {"body.box.penalty=" + penalty,
                                             "integrator.step=1e-3",
                                             setting("integrator.end", 1000.0 * kShare)});
            const RunStatistics statistics = run_to_end(simulation).statistics();
            check_balances(statistics);
            CHECK(statistics.steps == std::lround(1e6 * kShare));
        }
    }

    // The ledger must not be the only witness of what it claims.
    TEST_CASE("energy and angular momentum worked out from q and v alone agree") {
        const Box box;
        for (const double penalty : {1e9, 1e11, double{INFINITY}}) {
            CAPTURE(penalty);
            Simulation simulation = example("tumbling_box", {setting("body.box.penalty", penalty)});
            const double energy = box.energy(simulation, penalty);
            const Vec3 L = box.angular_momentum(simulation);
            CHECK(energy == near(7607.25, 1e-11));
            double energy_change = 0.0, L_change = 0.0;
            while (!simulation.done()) {
                simulation.step();
                energy_change =
                    std::max(energy_change, std::abs(box.energy(simulation, penalty) - energy));
                L_change = std::max(L_change, (box.angular_momentum(simulation) - L).norm());
            }
            // A strain is e.e - 1, known from q to 1e-16, and the energy of strains near U to
            // sqrt(2 U V alpha) 1e-16 = 2e-12 J here, where U is 0.05 J at 1e9 Pa.
            CHECK(energy_change <= tolerance(2e-15 * energy));
            CHECK(L_change <= tolerance(2e-15 * L.norm()));
        }
    }
}

// At 1e-3 s.
void check_iterations(const std::string& penalty) {
    for (const std::string system : kSystems) {
        CAPTURE(system);
        CAPTURE(penalty);
        Simulation simulation = example(system,
                                        {"body.box.penalty=" + penalty,
                                         "integrator.step=1e-3",
                                         setting("integrator.end", 10.0 * kShare)});
        const RunStatistics statistics = run_to_end(simulation).statistics();
        CHECK(statistics.iterations <= 3 * statistics.steps);
        CHECK(statistics.max_iterations <= 4);
        CHECK(statistics.substeps == statistics.steps);
    }
}

TEST_SUITE("iterations") {
    TEST_CASE("at most 3 Newton iterations a step on average and 4 in any, at 1e-3 s") {
        for (const char* penalty : {"1e6", "1e7", "1e8", "1e9", "1e10", "1e11", "inf"})
            check_iterations(penalty);
    }

    TEST_CASE("steps of 0.1 s fail for no penalty and need no smaller pieces") {
        for (const std::string system : kSystems)
            for (const std::string penalty : {"1e6", "1e7", "1e8", "1e9", "1e10", "1e11", "inf"}) {
                CAPTURE(system);
                CAPTURE(penalty);
                Simulation simulation =
                    example(system, {"body.box.penalty=" + penalty, "integrator.step=0.1"});
                const RunStatistics statistics = run_to_end(simulation).statistics();
                CHECK(statistics.steps == 100);
                CHECK(statistics.substeps == 100);
            }
    }
}

}  // namespace
}  // namespace ancora::testing
