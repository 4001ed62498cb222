// SPDX-License-Identifier: BSD-3-Clause
// What plugins warn of: rotors on bases that turn, splines that leave their tables.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "ancora/sdk/helpers/time_table.hpp"
#include "joint_law_models.hpp"
#include "support/mechanisms.hpp"
#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

/// What a model warns of as it is made, which the summary repeats.
std::vector<std::string> warnings_of(const std::string& text) {
    std::vector<std::string> out;
    const Simulation run(
        Manifest::parse(text, "test.toml"), registry(), [&](const std::string& one) {
            out.push_back(one);
        });
    const std::vector<std::string> kept = run.statistics().warnings;
    for (const std::string& one : kept)
        CHECK(std::ranges::any_of(out, [&](const std::string& shown) {
            return shown.starts_with("test.toml:") && shown.ends_with(one);
        }));
    return kept;
}

/// A free base, and an arm that turns on it about one axis with a rotor of ratio n behind a gear.
struct Spinner {
    double base, arm, rotor, ratio;

    std::string text(bool is_law) const {
        const auto disc = [](const std::string& name, double inertia) {
            return body(name, "ancf_rigid_body", "", 1.0, fmt::format("[{0}, {0}, {0}]", inertia));
        };
        const auto hinge = [](const std::string& name, const char* a, const char* b) {
            return constraint(
                name,
                "revolute",
                fmt::format("a = \"{}\"\nb = \"{}\"\npoint = [0, 0, 0]\naxis = [0, 0, 1]", a, b));
        };
        std::string out = model_text(false) + disc("base", base) + disc("arm", arm) +
                          hinge("joint", "base", "arm") +
                          force("push", "motor", "on = \"joint.angle\"\neffort = 0.2");
        if (is_law)
            return out + force("rotor",
                               "rotor",
                               fmt::format(
                                   "on = \"joint.angle\"\ninertia = {}\nratio = {}", rotor, ratio));
        return out + disc("wheel", rotor) + hinge("spindle", "base", "wheel") +
               constraint(
                   "gear",
                   "coupler",
                   fmt::format("on = [\"spindle.angle\", \"joint.angle\"]\nratios = [1.0, {}]",
                               -ratio));
    }
};

std::string driven(const std::string& rows, const std::string& more) {
    return model_text(false) + body("wheel", "ancf_rigid_body", "") +
           axle("drive = {motion = " + rows + more + "}") + steps("rk4", 1e-2, 2.0);
}

}  // namespace

TEST_SUITE("warnings of plugins") {
    TEST_CASE("a rotor on a base that may turn is named, with the coupling that it leaves out") {
        for (const Spinner& one : {Spinner{3.0, 1.0, 0.02, 5.0},
                                   Spinner{0.8, 0.3, 0.1, 2.0},
                                   Spinner{2.0, 0.5, 1e-3, -40.0}}) {
            // As a body with a gear: L = 0 about the axis gives the base's rate by the joint's
            for (const char* integrator : kIntegrators) {
                CAPTURE(integrator);
                Simulation run = model(one.text(false) + steps(integrator, 1e-3, 0.5, 1e-11));
                run_to_end(run);
                const double rate = column(run, "joint.angle_rate");
                const double exact =
                    -(one.arm + one.ratio * one.rotor) * rate / (one.base + one.arm + one.rotor);
                CHECK(omega(run, "base")[2] == Near(exact, 1e-8 * std::abs(rate)));
            }
            CHECK(warnings_of(one.text(false) + steps("emm", 1e-3, 0.5)).empty());
            const std::vector<std::string> said =
                warnings_of(one.text(true) + steps("emm", 1e-3, 0.5));
            REQUIRE(said.size() == 1);
            CHECK(said[0].starts_with(
                fmt::format("force \"rotor\": on: is an angle seen from \"base\": where that turns "
                            "itself, the coupling of {:.3g} kg m^2",
                            std::abs(one.ratio * one.rotor))));
            CHECK(said[0].find("gyroscopic = true") != std::string::npos);
        }
        // A fiftieth of what is kept, and nothing
        const Spinner geared{2.0, 0.5, 1e-4, 100.0};
        CHECK(warnings_of(geared.text(true) + steps("emm", 1e-3, 0.5)).empty());
        CHECK(warnings_of(model_text(false) + body("wheel", "ancf_rigid_body", "") +
                          axle("rotor = {inertia = 1e-3, ratio = 20}") + steps("emm", 1e-3, 0.1))
                  .empty());
    }
    TEST_CASE("a spline that leaves its table where rows go one way is named") {
        const std::string step =
            "[[0, 0], [0.5, 0], [0.6, 1], [0.8, 1], [1.2, 1], [2, 1]]";  // overshoots on both sides
        for (const char* interpolation : {"spline", "rest", "monotone"}) {
            CAPTURE(interpolation);
            const auto text = driven(step, fmt::format(", interpolation = \"{}\"", interpolation));
            std::vector<std::string> said;
            try {
                said = warnings_of(text);
            } catch (const Error& error) {
                // The natural spline has a rate at its begin
                CHECK(interpolation == std::string("spline"));
                CHECK(error.message().find("interpolation = \"rest\"") != std::string::npos);
                continue;
            }
            REQUIRE(said.size() == (interpolation == std::string("rest") ? 1 : 0));
            if (said.empty()) continue;
            CHECK(
                said[0].starts_with("force \"axle.drive\": motion: the spline through the table "
                                    "goes "));
            CHECK(said[0].find("interpolation = \"monotone\"") != std::string::npos);
            // How far, by the motion itself, which begins at zero and ends at one
            Simulation run = model(text);
            double most = 0.0;
            while (!run.done()) {
                run.step();
                const double angle = column(run, "axle.angle");
                most = std::max({most, angle - 1.0, -angle});
            }
            const std::size_t at = said[0].find("goes ") + 5;
            CHECK(std::stod(said[0].substr(at)) == Near(most, 5e-3));
        }
    }
    TEST_CASE("splines through samples of smooth motions are not") {
        std::mt19937 random(3);
        std::uniform_real_distribution<double> any(0.2, 1.0);
        for (int i = 0; i < 30; ++i) {
            const double w = 3.0 * any(random), phase = 6.0 * any(random), size = any(random);
            std::vector<double> times, values;
            for (int k = 0; k <= 40; ++k) {
                times.push_back(0.05 * k);
                values.push_back(size * std::sin(0.05 * k * w + phase));
            }
            CAPTURE(w);
            CAPTURE(phase);
            for (const Interpolation kind : {Interpolation::spline, Interpolation::linear})
                CHECK(TimeTable(times, values, kind).overshoot().by == 0.0);
            // One of them a step further: it turns where the others do not
            for (std::size_t k = 20; k < values.size(); ++k) values[k] += 10.0;
            CHECK(TimeTable(times, values, Interpolation::spline).overshoot().by > 0.1);
            CHECK(TimeTable(times, values, Interpolation::monotone).overshoot().by == 0.0);
        }
    }
}

}  // namespace ancora::testing
