// SPDX-License-Identifier: BSD-3-Clause
// Failed calls as an embedding program meets them: what is recorded, and that the same call made
// again fails in the same way.
#include "ancora/framework/failed_call.hpp"

#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "framework/models.hpp"
#include "support/process.hpp"

using namespace ancora;
using ancora::testing::near;
using ancora::testing::Plugins;
using ancora::testing::TempFolder;

namespace {

// The mass moves along x: beyond 0.015 m at the second step's end.
std::string mass(const char* type = "test_mass") {
    return fmt::format(
        "[[body]]\nname = \"m\"\ntype = \"{}\"\nmass = 2.0\nvelocity = [1.0, 0, 0]\n", type);
}
std::string tie(const char* type) {
    return fmt::format("[[constraint]]\nname = \"c\"\ntype = \"{}\"\nat = \"m@0\"\n", type);
}
std::string push(const char* type) {
    return fmt::format("[[force]]\nname = \"f\"\ntype = \"{}\"\nat = \"m@0\"\n", type);
}
std::string by(const char* integrator) {
    return fmt::format("[integrator]\ntype = \"{}\"\nstep = 0.01\nend = 0.1\n", integrator);
}

/// What stops the run of a model; poses are looked at after each step.
FailedCall failure_of(const std::string& text, PluginRegistry& registry) {
    try {
        Simulation simulation(ancora::testing::manifest(text), registry);
        while (!simulation.done()) {
            simulation.step();
            static_cast<void>(simulation.pose("m"));
        }
    } catch (const FailedCall& failure) {
        CHECK(failure.kind() == ErrorKind::plugin);
        CHECK(failure.file().empty());
        return failure;
    }
    FAIL("nothing failed in:\n", text);
    return {"", {}, ""};
}

std::span<const double> input(const Replay& replay, const std::string& name) {
    for (const CallValues& values : replay.inputs)
        if (values.name == name) return values.values;
    FAIL("no input ", name);
    return {};
}

/// The failed call of a model, written and made again in a registry of its own.
Replay replay_of(const std::string& text) {
    const TempFolder folder;
    Plugins plugins;
    const FailedCall failure = failure_of(text, plugins.registry).written_to(folder / "f.toml");
    CHECK(failure.file() == folder / "f.toml");
    CHECK(failure.message().find("ancora replay " + (folder / "f.toml").string()) !=
          std::string::npos);
    CHECK(folder.read("f.toml") == failure.capture());
    Plugins others;
    return replay_call(folder / "f.toml", others.registry);
}

}  // namespace

TEST_SUITE("failed calls") {
    TEST_CASE("each call that can fail in a run fails again when it is replayed") {
        struct Case {
            std::string model;
            std::string call;
            std::string thrown;
            std::string bad;
        };
        const std::string friction =
            "[model]\ngravity = [0, 0, -9.81]\n" + mass() +
            "[[constraint]]\nname = \"c\"\ntype = \"point_on_plane\"\npoint = \"m@0\"\n"
            "normal = [0, 0, 1]\n[[force]]\nname = \"f\"\ntype = \"nan_slip\"\non = \"c\"\n";
        const std::vector<Case> cases = {
            {mass("throwing_factory") + by("emm"), "its factory", "\"out of luck\"", ""},
            {mass("nan_start") + by("emm"), "start", "", "v is nan at row 1"},
            {mass("nan_mass") + by("emm"), "mass", "", "M is nan at row 1, column 2"},
            {mass() + tie("throws_in_call") + by("emm"),
             "evaluate of block 0",
             "\"out of order\"",
             ""},
            {mass() + tie("nan_in_call") + by("emm"), "evaluate of block 0", "", "pi is nan"},
            {mass() + tie("nan_in_call") + by("rk4"), "evaluate of block 0", "", "pi is nan"},
            {mass() + tie("nan_jacobian") + by("emm"),
             "evaluate_step of block 0",
             "",
             "B is nan at row 0, column 2"},
            {mass() + tie("nan_tangent") + by("emm"),
             "evaluate_tangent of block 0",
             "",
             "G is nan"},
            {mass() + tie("throws_in_tangent") + by("emm"),
             "evaluate_tangent of block 0",
             "\"no tangent today\"",
             ""},
            {mass() + push("throwing_force") + by("emm"),
             "evaluate_step",
             "something that is not a std::exception",
             ""},
            {mass() + push("nan_force") + by("emm"),
             "evaluate_step",
             "",
             "f is nan at row 0, column 1"},
            {mass() + push("nan_force") + by("rk4"), "evaluate", "", "f is nan at row 0, column 1"},
            {mass() + push("nan_derivative") + by("emm"),
             "differentiate_step",
             "",
             "D is nan at row 1, column 2"},
            {mass() + push("nan_rate") + by("emm"), "differentiate", "", "dx is nan at row 1"},
            {mass() + push("nan_rate") + by("rk4"), "differentiate", "", "dx is nan at row 1"},
            {mass() + push("throws_in_act") + by("emm"), "act", "\"no action today\"", ""},
            {mass("nan_mass_later") + by("rk4"),
             "evaluate_mass",
             "",
             "M is nan at row 1, column 1"},
            {mass("nan_attachment") + push("test_drag") + "c = 0.5\n" + by("rk4"),
             "evaluate_attachment",
             "",
             "J is nan at row 1, column 2"},
            {mass("throws_in_attach") +
                 "[[constraint]]\nname = \"c\"\ntype = \"general_constraint\"\n"
                 "equation = \"m.x = 0\"\n" +
                 by("emm"),
             "attach",
             "\"no points today\"",
             ""},
            {mass("throws_in_pose") + by("emm"), "pose", "\"lost\"", ""},
            {friction + by("emm"), "slip", "", "by_normal is nan"},
        };
        for (const Case& expected : cases) {
            CAPTURE(expected.model);
            const Replay replay = replay_of(expected.model);
            CHECK(replay.call == expected.call);
            CHECK(replay.thrown == expected.thrown);
            CHECK((replay.bad.empty() ? "" : replay.bad.front()) == expected.bad);
            CHECK(replay.has_failed);
            CHECK(replay.is_same_plugin);
        }
    }

    TEST_CASE("the inputs are those of the run, to the last bit") {
        // At the start they are known exactly; 0.1 + 0.2 has 17 digits.
        const Replay first = replay_of(
            "[[body]]\nname = \"m\"\ntype = \"test_mass\"\nmass = 2.0\n"
            "position = [0.30000000000000004, -1e-300, 5e8]\nvelocity = [0.1, 0, 0]\n" +
            push("throwing_force") + by("emm"));
        const std::span<const double> u0 = input(first, "u0");
        REQUIRE(u0.size() == 3);
        CHECK(u0[0] == 0.1 + 0.2);
        CHECK(u0[1] == -1e-300);
        CHECK(u0[2] == 5e8);
        CHECK(input(first, "t0")[0] == 0.0);
        CHECK(input(first, "h")[0] == 0.01);

        // Free motion: x = v t.
        const Replay later = replay_of(mass() + tie("throws_in_call") + by("emm"));
        CHECK(input(later, "t")[0] == 0.01);
        CHECK(near(input(later, "u")[0], 0.01, 1e-17));
        CHECK(input(later, "u")[2] == 0.0);

        // 2 kg on the plane: N = m g.
        const Replay slip = replay_of(
            "[model]\ngravity = [0, 0, -9.81]\n" + mass() +
            "[[constraint]]\nname = \"c\"\ntype = \"point_on_plane\"\npoint = \"m@0\"\n"
            "normal = [0, 0, 1]\n[[force]]\nname = \"f\"\ntype = \"nan_slip\"\non = \"c\"\n" +
            by("rk4"));
        CHECK(near(input(slip, "N")[0], 19.62, 1e-13));
        CHECK(near(input(slip, "speed")[0], 1.0, 1e-15));
    }

    TEST_CASE("messages name row and column of what is not finite") {
        Plugins plugins;
        CHECK(failure_of(mass() + tie("nan_in_call") + by("rk4"), plugins.registry)
                  .message()
                  .ends_with("evaluate returned a value that is not finite (constraint \"c\", gap "
                             "0: pi is nan)"));
        CHECK(failure_of(mass() + tie("nan_tangent") + by("emm"), plugins.registry)
                  .message()
                  .ends_with("returned a tangent that is not finite (block \"gap\", row 0, column "
                             "0)"));
        CHECK(failure_of(mass("nan_attachment") + push("test_drag") + "c = 0.5\n" + by("rk4"),
                         plugins.registry)
                  .message()
                  .ends_with("a Jacobian that is not finite (attachment \"m@0\", row 1, column "
                             "2)"));
        CHECK(failure_of(mass() + push("nan_derivative") + by("emm"), plugins.registry)
                  .message()
                  .ends_with("differentiate_step returned a derivative that is not finite (row 1, "
                             "column 2)"));
    }

    TEST_CASE("a body that starts with another's motion is made again without that body") {
        const Replay replay = replay_of(
            "[[body]]\nname = \"box\"\ntype = \"ancf_rigid_body\"\nsize = [1, 1, 1]\n"
            "density = 1.0\nvelocity = [0, 3.0, 0.1]\n[[body]]\nname = \"m\"\n"
            "type = \"nan_carried\"\nmass = 1.0\nvelocity_from = \"box\"\n" +
            by("emm"));
        CHECK(replay.call == "start");
        CHECK(replay.bad == std::vector<std::string>{"q is nan at row 2"});
        REQUIRE(replay.outputs.size() == 2);
        CHECK(replay.outputs[1].values == std::vector<double>{0.0, 3.0, 0.1});
    }

    TEST_CASE("records that are none, or do not fit") {
        const TempFolder folder;
        Plugins plugins;
        const std::string good =
            failure_of(mass() + tie("throws_in_call") + by("emm"), plugins.registry).capture();
        const auto refused = [&](const std::string& from, const std::string& to) {
            std::string text = good;
            const std::size_t at = text.find(from);
            REQUIRE(at != std::string::npos);
            folder.write("f.toml", text.replace(at, from.size(), to));
            try {
                replay_call(folder / "f.toml", plugins.registry);
            } catch (const Error& error) {
                CHECK(static_cast<int>(error.kind()) >= static_cast<int>(ErrorKind::manifest));
                CHECK(error.place().known());
                return error.message();
            }
            return std::string("nothing was refused");
        };
        const std::string head = "this is not a record of a failed call: ";
        CHECK(refused("format = 1", "format = 3") ==
              head + "it has format 3, this version reads 1");
        CHECK(refused("kind = \"constraint\"", "kind = \"integrator\"") ==
              head + "kind: expected \"body\", \"constraint\" or \"force\"");
        CHECK(refused("name = \"evaluate\"", "name = \"pose\"") ==
              head + "a constraint has no call \"pose\"");
        CHECK(refused("type = \"throws_in_call\"", "type = \"gone\"").find("has no constraint") !=
              std::string::npos);
        CHECK(refused("at = \"m@0\"", "at = 3").find("at: expected") != std::string::npos);
        CHECK(refused("block = 0", "block = \"0\"") ==
              head + "block: expected a whole number, got \"0\"");
    }
}
