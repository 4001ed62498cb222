// SPDX-License-Identifier: BSD-3-Clause
// Energy that grows without end: the run names what does it, and nothing else is said to.
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "joint_law_models.hpp"
#include "support/mechanisms.hpp"
#include "support/model.hpp"

namespace ancora::testing {
namespace {

struct Case {
    const char* what;
    std::string text;
    std::string name;  ///< of the object at fault
};

std::string particle(const std::string& more = "") {
    return "[[body]]\nname = \"p\"\ntype = \"particle\"\nmass = 2.0\nposition = [1, 0, 0.01]\n" +
           more;
}
/// The particle on a line along z, with a velocity.
std::string slider(const std::string& laws) {
    return model_text(false) + particle("velocity = [0, 0, 0.1]\n") +
           constraint(
               "slide", "in_line", "a = \"ground@[1, 0, 0]\"\nb = \"p@0\"\naxis = [0, 0, 1]\n") +
           laws;
}

/// Each with a rate of growth of 4 to 6 1/s.
std::vector<Case> family() {
    return {
        {"a formula of the wrong sign above the floor",
         slider(
             force("floor", "motor", "on = \"slide.displacement\"\neffort = \"max(0, 60*value)\"")),
         "force \"floor\""},
        {"a spring that pushes away",
         slider(force("push",
                      "spring",
                      "on = \"slide.displacement\"\nfree = 0.0\n"
                      "table = [[-1.0, 32.0], [0.0, 0.0], [1.0, -32.0]]")),
         "\"push\""},
        {"a motor that feeds its own rate back",
         slider(force("engine", "motor", "on = \"slide.displacement\"\neffort = \"8*rate\"")),
         "force \"engine\""},
        {"a controller with positive feedback",
         slider(
             force("pid",
                   "sampled_pid",
                   "reference = 0.0\nmeasured = \"slide.displacement\"\nperiod = 0.01\n"
                   "kp = -40.0") +
             force("drive", "actuator", "on = \"slide.displacement\"\ncommand = \"pid.command\"")),
         "force \"drive\""},
    };
}

std::string doubt_of(const Simulation& run) {
    for (const std::string& doubt : run.statistics().doubts)
        if (doubt.starts_with("the energy of motion grew from")) return doubt;
    return "";
}

}  // namespace

TEST_SUITE("motions that run away") {
    TEST_CASE("a completed run says from where to where the energy grew, and by what") {
        for (const Case& one : family())
            for (const char* integrator : kIntegrators) {
                CAPTURE(one.what);
                CAPTURE(integrator);
                Simulation run = model(one.text + steps(integrator, 5e-3, 4.0, 1e-9));
                run_to_end(run);
                const std::string doubt = doubt_of(run);
                CAPTURE(doubt);
                CHECK(doubt.find("most by the work of") != std::string::npos);
                CHECK(doubt.find(one.name) != std::string::npos);
            }
    }
    TEST_CASE("a run that ends by it says so in its error") {
        for (const Case& one : family())
            for (const char* integrator : {"rk4", "dopri5"}) {
                CAPTURE(one.what);
                CAPTURE(integrator);
                Simulation run = model(one.text + steps(integrator, 5e-3, 400.0, 1e-9));
                std::string error;
                try {
                    run_to_end(run);
                } catch (const Error& thrown) {
                    error = thrown.message();
                }
                CAPTURE(error);
                CHECK(error.find("the energy of motion grew from") != std::string::npos);
                CHECK(error.find(one.name) != std::string::npos);
                CHECK(error.find("the step is too long") == std::string::npos);
            }
    }
    TEST_CASE("the first state goes with a run that is resumed") {
        const Case one = family()[2];
        Simulation run = model(one.text + steps("emm", 5e-3, 4.0));
        while (run.time() < 2.0) run.step();
        const std::vector<std::byte> saved = run.save();
        run_to_end(run);
        Simulation again = model(one.text + steps("emm", 5e-3, 4.0));
        again.restore(saved);
        run_to_end(again);
        CHECK(!doubt_of(run).empty());
        CHECK(doubt_of(again) == doubt_of(run));
    }
    TEST_CASE("loads that are given, pushes and falls are no diverged motions") {
        const std::string pushed = "at = \"p@0\"\nforce = ";
        for (const std::string& text :
             {model_text(false) + particle() + force("f", "point_load", pushed + "[4e4, 0, 0]"),
              model_text(false) + particle() +
                  force("f", "point_load", pushed + "[\"1e4*t^3\", \"0\", \"0\"]"),
              model_text(false) + particle() +
                  force("f",
                        "point_load",
                        pushed + "[\"2e7*max(0, 0.01 - abs(t - 0.5))\", \"0\", \"0\"]"),
              model_text() + particle(),
              slider(force(
                  "lift", "drive", "on = \"slide.displacement\"\nrate = \"0.1 + 5e3*min(1, t)\""))})
            for (const char* integrator : kIntegrators) {
                CAPTURE(text);
                CAPTURE(integrator);
                Simulation run = model(text + steps(integrator, 5e-3, 4.0, 1e-9));
                run_to_end(run);
                CHECK(doubt_of(run) == "");
            }
    }
}

}  // namespace ancora::testing
