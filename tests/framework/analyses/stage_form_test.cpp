// SPDX-License-Identifier: BSD-3-Clause
// The coefficients of steps, read off the integrators themselves, against the published ones.
#include "stage_form.hpp"

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "framework/models.hpp"
#include "kernel_system.hpp"
#include "model.hpp"

using namespace ancora;
using ancora::testing::manifest;

namespace {

constexpr double kStep = 0.05;

/// Of an integrator of a plugin, after its first step.
std::optional<StageForm> form_of(const std::string& method) {
    ancora::testing::Plugins plugins;
    Model model(manifest(fmt::format("[[body]]\nname = \"p\"\ntype = \"particle\"\nmass = 1.0\n"
                                     "[integrator]\ntype = \"{}\"\nstep = {}\nend = 1.0\n",
                                     method,
                                     kStep)),
                plugins.registry);
    KernelSystem system(model);
    CallMeter& meter = system.step_data().parts.meter;
    meter.resize(100);
    model.integrator.prepare(system, {kStep, 0.0}, [&](int size) {
        system.resize_history(size);
    });
    model.integrator.step(meter, system, 0.0, kStep);
    return find_stage_form(model.integrator, meter, system.history(), kStep);
}

double sum(const std::vector<double>& x) {
    double out = 0.0;
    for (const double one : x) out += one;
    return out;
}

}  // namespace

TEST_CASE("rk4 has Kutta's coefficients") {
    const std::optional<StageForm> form = form_of("rk4");
    REQUIRE(form);
    REQUIRE(form->stages.size() == 4);
    const double times[] = {0.0, 0.5, 0.5, 1.0}, weights[] = {1.0, 2.0, 2.0, 1.0};
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(form->stages[i].time == doctest::Approx(times[i]));
        CHECK(form->stages[i].drift == doctest::Approx(times[i]));
        CHECK(form->end.of_v[i] == doctest::Approx(weights[i] / 6.0));
        // b_i (1 - c_i): of any method of Runge and Kutta whose order is its number of stages
        CHECK(form->end.of_q[i] ==
              doctest::Approx(weights[i] / 6.0 * (1.0 - times[i])).epsilon(1e-12));
    }
    CHECK(form->stages[1].of_v == std::vector<double>{0.5});
    CHECK(form->stages[3].of_v[2] == doctest::Approx(1.0));
    CHECK(form->stages[3].of_q[1] == doctest::Approx(0.5));
}

TEST_CASE("verlet drifts, kicks and drifts; the symplectic method has the conditions of order 4") {
    const std::optional<StageForm> verlet = form_of("verlet");
    REQUIRE(verlet);
    REQUIRE(verlet->stages.size() == 1);
    CHECK(verlet->stages[0].time == doctest::Approx(0.5));
    CHECK(verlet->stages[0].drift == doctest::Approx(0.5));
    CHECK(verlet->end.of_v[0] == doctest::Approx(1.0));
    CHECK(verlet->end.of_q[0] == doctest::Approx(0.5));

    const std::optional<StageForm> form = form_of("symplectic");
    REQUIRE(form);
    // Nystroem's: sum b = 1, b c = 1/2, b c^2 = 1/3, b c^3 = 1/4, and b_bar = b (1 - c)
    for (int power = 0; power < 4; ++power) {
        double moment = 0.0;
        for (std::size_t i = 0; i < form->stages.size(); ++i)
            moment += form->end.of_v[i] * std::pow(form->stages[i].drift, power);
        CHECK(moment == doctest::Approx(1.0 / (power + 1)).epsilon(1e-12));
    }
    for (std::size_t i = 0; i < form->stages.size(); ++i)
        CHECK(form->end.of_q[i] ==
              doctest::Approx(form->end.of_v[i] * (1.0 - form->stages[i].drift)).epsilon(1e-12));
    CHECK(sum(form->end.of_q) == doctest::Approx(0.5));
    CHECK(form->end.drift == doctest::Approx(1.0));
}

TEST_CASE("methods of another form have none") {
    CHECK_FALSE(form_of("generalized_alpha"));
    CHECK_FALSE(form_of("dopri5"));
}
