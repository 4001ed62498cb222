// SPDX-License-Identifier: BSD-3-Clause
// Forces on groups of points: each point gets its own, and what a name may mean.
#include <cmath>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "framework/models.hpp"

namespace ancora::testing {
namespace {

std::string cluster(const std::string& forces) {
    return "[model]\ngravity = [0.0, 0.0, -9.81]\n"
           "[[body]]\nname = \"net\"\ntype = \"test_cluster\"\n"
           "positions = [[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0], [0, 0, 1]]\n" +
           forces + "[integrator]\ntype = \"emm\"\nstep = 0.01\nend = 1.0\n";
}
std::string drag(const std::string& at) {
    return "[[force]]\nname = \"air\"\ntype = \"drag\"\nlinear = 2.0\nat = " + at + "\n";
}
std::string push(const std::string& at) {
    return "[[force]]\nname = \"push\"\ntype = \"point_load\"\nforce = [3.0, 0.0, 0.0]\nat = " +
           at + "\n";
}
std::string refusal(const std::string& text) {
    try {
        Run run(text);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}
void check_balances(const Run& run) {
    const RunStatistics statistics = run.simulation.statistics();
    const double bound = 1e-15 + 3e-16 * std::sqrt(static_cast<double>(statistics.steps));
    CHECK(statistics.energy.max_rel <= bound);
    CHECK(statistics.momentum.max_rel <= bound);
    CHECK(statistics.angular_momentum.max_rel <= bound);
}

TEST_SUITE("groups of points") {
    // 1 kg each: m v' = F.
    TEST_CASE("a load on a group acts on each of its points and on no other") {
        Run run(cluster(push("\"net@even\"")));
        run.to_end();
        for (int i = 0; i < 5; ++i) {
            const auto v = run.simulation.point(fmt::format("net@{}", i)).velocity;
            CHECK(near(v[0], i % 2 == 0 ? 3.0 : 0.0, 1e-13));
            CHECK(near(v[2], -9.81, 1e-13));
        }
        CHECK(near(run.column("momentum.x"), 9.0, 1e-13));
        check_balances(run);
    }

    // In steps of the midpoint v_1 = (v_0 (1 - h c / 2) - h g) / (1 + h c / 2), exactly.
    TEST_CASE("drag on a group, beside a single point: each falls for itself") {
        Run run(cluster(drag("[\"net@even\", \"net@1\"]")));
        run.to_end();
        double v = 0.0;
        for (int k = 0; k < 100; ++k) v = (v * (1.0 - 0.01) - 0.01 * 9.81) / (1.0 + 0.01);
        for (int i = 0; i < 5; ++i)
            CHECK(near(run.simulation.point(fmt::format("net@{}", i)).velocity[2],
                       i == 3 ? -9.81 : v,
                       1e-13));
        check_balances(run);
    }

    TEST_CASE("\"*\" means every point, a name may be one of a single point") {
        Run all(cluster(drag("\"net@*\"")));
        Run listed(cluster(drag("[\"net@0\", \"net@1\", \"net@2\", \"net@3\", \"net@4\"]")));
        Run named(cluster(push("\"net@first\"")));
        for (Run* run : {&all, &listed, &named}) run->to_end();
        for (int i = 0; i < 5; ++i) {
            const std::string point = fmt::format("net@{}", i);
            CHECK(all.simulation.point(point).velocity == listed.simulation.point(point).velocity);
            CHECK(near(named.simulation.point(point).velocity[0], i == 0 ? 3.0 : 0.0, 1e-13));
        }
    }

    TEST_CASE("a name of nothing, and bodies without groups") {
        CHECK(refusal(cluster(drag("\"net@odd\""))) ==
              "model.toml:11:6: error: force \"air\": \"net@odd\": there is no group \"odd\"; "
              "there are \"*\" and \"even\"; as the name of a point: the one point with a name is "
              "\"first\"");
        CHECK(refusal("[[body]]\nname = \"bead\"\ntype = \"particle\"\nmass = 1.0\n" +
                      drag("\"bead@*\"") +
                      "[integrator]\ntype = \"emm\"\nstep = 0.01\nend = 1.0\n") ==
              "model.toml:9:6: error: force \"air\": \"bead@*\": has no groups of points");
    }
}

}  // namespace
}  // namespace ancora::testing
