// SPDX-License-Identifier: BSD-3-Clause
// Parameters from data with impacts and means over steps, entries of tables, values at zero:
// against closed forms.
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/gradient.hpp"
#include "ancora/framework/simulation.hpp"
#include "friction_models.hpp"
#include "gradient_checks.hpp"
#include "support/refusal.hpp"

namespace ancora::testing {
namespace {

Fit fit_of(const std::string& text, const MeasuredData& data, const std::string& by) {
    const std::vector<FitParameter> one{FitParameter::parse(by)};
    return fit(
        [&text](std::span<const std::string> overrides) {
            return Manifest::parse(text, "test.toml", overrides);
        },
        data,
        one,
        registry());
}

std::string driven_swing(double damping, const std::string& method = "emm") {
    return weight({0.0, 0.0, -kGravity}) +
           fmt::format(
               "\n[[body]]\nname = \"bar\"\ntype = \"ancf_rigid_body\"\nsize = [0.6, 0.02, 0.02]\n"
               "density = 2700\nposition = [0.3, 0, 0]\n\n[[joint]]\nname = \"pivot\"\ntype = "
               "\"revolute\"\na = \"ground\"\nb = \"bar\"\npoint = [0, 0, 0]\naxis = [0, 1, 0]\n"
               "damping = {:.17g}\nmotor = \"0.2*sin(5*t) - 0.1*rate\"\n",
               damping) +
           integrator(method, 0.01, 0.6);
}

TEST_CASE("a fit to the model's own forces and efforts leaves nothing at the truth") {
    // As history.csv has them: what a step's mean is stands at its end, that of the first at the
    // start too.
    Simulation simulation = model(driven_swing(0.05));
    const Texts columns{"pivot.motor.effort", "pivot.on_b.force.x", "bar.z"};
    MeasuredData data{.t = {0.0}, .columns = columns, .values = {}};
    const double start = simulation.value("bar.z");
    while (!simulation.done()) {
        simulation.step();
        if (simulation.steps_done() == 1) {
            for (const std::string& name : columns) data.values.push_back(simulation.value(name));
            data.values.back() = start;
        }
        data.t.push_back(simulation.time());
        for (const std::string& name : columns) data.values.push_back(simulation.value(name));
    }
    const Fit there = fit_of(driven_swing(0.05), data, "joint.pivot.damping");
    for (const auto& column : there.columns) CHECK(column.rms_start <= tolerance(1e-13));
    const Fit found = fit_of(driven_swing(0.2), data, "joint.pivot.damping=0:1");
    CHECK(found.by[0].value == near(0.05, 1e-7));
    CHECK(found.remark == "");
}

/// Height and velocity of a ball with restitution e, dropped from 1 m.
double velocity_after_drop(double t, double e) {
    double v = std::sqrt(2.0 * kGravity), from = v / kGravity;
    if (t < from) return -kGravity * t;
    for (;;) {
        v *= e;
        const double next = from + 2.0 * v / kGravity;
        if (t < next) return v - kGravity * (t - from);
        from = next;
    }
}

std::string dropped_ball(double e) {
    return weight({0.0, 0.0, -kGravity}) + particle("ball", 2.0, {0, 0, 1}, {0, 0, 0}) +
           fmt::format(
               "\n[[constraint]]\nname = \"floor\"\ntype = \"contact\"\na = \"ball\"\nb = "
               "\"ground\"\nradius = 0.0\nplane = {{ normal = [0, 0, 1] }}\nrestitution = "
               "{:.17g}\n",
               e) +
           integrator("emm", 0.01, 1.5);
}

TEST_CASE("a fit of velocities knows on which side of an impact data lie, and when it is stuck") {
    MeasuredData data{.t = {}, .columns = {"ball.vz"}, .values = {}};
    // In steps with impacts too: they are at 0.4515 s and 1.0837 s.
    for (double t = 0.0137; t < 1.5; t += 0.0237) {
        data.t.push_back(t);
        data.values.push_back(velocity_after_drop(t, 0.7));
    }
    const Fit there = fit_of(dropped_ball(0.7), data, "constraint.floor.restitution=0.1:1");
    CHECK(there.columns[0].rms_start <= tolerance(1e-9));
    CHECK(there.by[0].value == near(0.7, 1e-9));
    // What jumps past the times of data has no slope that leads to the truth.
    const Fit far = fit_of(dropped_ball(0.6), data, "constraint.floor.restitution=0.1:1");
    CHECK((std::abs(far.by[0].value - 0.7) < 1e-6 || has(far.remark, "jump")));
}

TEST_CASE("without viscosity a damper is there and does nothing") {
    // m x'' = -c x': x = v t, dx/dc = -v t^2 / (2 m) at c = 0
    for (const std::string method : {"emm", "rk4", "dopri5"}) {
        CAPTURE(method);
        for (const std::string damper :
             {"", "[[force]]\nname = \"d\"\ntype = \"damper\"\non = \"rail.displacement\"\n"}) {
            const std::string text =
                particle("stone", 2.0, {0, 0, 0}, {3, 0, 0}) +
                "\n[[joint]]\nname = \"rail\"\ntype = \"in_line\"\na = \"ground\"\nb = \"stone\"\n"
                "point = [0, 0, 0]\naxis = \"x\"\n" +
                (damper.empty() ? "damping = 0.0\n" : damper + "damping = 0\n") +
                integrator(method, 0.01, 0.5);
            const Gradient found =
                gradient_of(text,
                            {"stone.x", "stone.vx"},
                            {damper.empty() ? "joint.rail.damping" : "force.d.damping"},
                            GradientMethod::automatic);
            CHECK(found.of[0].value == near(1.5, 1e-12));
            CHECK(found.of[1].value == near(3.0, 1e-12));
            CHECK(found.entry(0, 0).value == near(-3.0 * 0.25 / 4.0, 2e-5));
            CHECK(found.entry(1, 0).value == near(-3.0 * 0.5 / 2.0, 2e-5));
        }
    }
}

TEST_CASE("entries of tables and of rows are parameters") {
    // A force that rises linearly to F over T: v = F T / (2 m), x = F T^2 / (6 m)
    const double T = 0.5, m = 2.0;
    const std::string text =
        "[parameters]\np = [[1, 2], [3, 4]]\nq = [\"2 m\", \"5 m\"]\n" +
        particle("stone", m, {0, 0, 0}, {0, 0, 0}) +
        "\n[[force]]\nname = \"load\"\ntype = \"point_load\"\nat = \"stone\"\nforce = [[0, 0, 0, "
        "0], [0.5, 3.0, 0, \"p[1][0]\"]]\n" +
        particle("other", 1.0, {0, 0, 0}, {0, 0, 0}) +
        "\n[[force]]\nname = \"push\"\ntype = \"point_load\"\nat = \"other\"\nforce = [\"p[1][0] * "
        "q[1] / (1 m)\", 0, 0]\n" +
        integrator("emm", 0.01, T);
    const Gradient found = gradient_of(text,
                                       {"stone.vx", "stone.x", "stone.vz", "other.vx"},
                                       {"force.load.force[1][1]",
                                        "force.load.force[1][3]",
                                        "parameters.p[1][0]",
                                        "parameters.q[1]"},
                                       GradientMethod::automatic);
    const double v = T / (2.0 * m), x = T * T / (6.0 * m);
    CHECK(found.by[0].value == 3.0);
    CHECK(found.by[3].unit == "m");
    const double expected[4][4] = {
        {v, 0, 0, 0}, {x, 0, 0, 0}, {0, v, v, 0}, {0, 0, T * 5.0, T * 3.0}};
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t k = 0; k < 4; ++k) {
            CAPTURE(i);
            CAPTURE(k);
            // The midpoint rule has the integral of a line's integral to h^2 F / (24 T m) T
            CHECK(found.entry(i, k).value == near(expected[i][k], i == 1 ? 1e-5 : 1e-8));
        }
    const auto with = [&](const std::string& change) {
        const std::vector<std::string> one{change};
        Simulation simulation(Manifest::parse(text, "test.toml", one), registry());
        while (!simulation.done()) simulation.step();
        return simulation.value("stone.vx") + simulation.value("stone.vz") +
               simulation.value("other.vx");
    };
    const double rest = 3.0 * v + 3.0 * v + T * 15.0;
    CHECK(with("force.load.force[1][1]=7") == near(rest + 4.0 * v, 1e-10));
    CHECK(with("parameters.p[1][0]=5") == near(rest + 2.0 * v + T * 10.0, 1e-10));
    CHECK(with("parameters.q[1]=\"7 m\"") == near(rest + T * 6.0, 1e-10));
    CHECK(with("model.gravity[2]=-9") == near(rest - 9.0 * T, 1e-10));
    CHECK(has(refusal([&] {
                  with("force.load.force[2][1]=7");
              }),
              "\"force\" has the entries force[0] to force[1]"));
    CHECK(has(refusal([&] {
                  with("force.load.force[1][1][0]=7");
              }),
              "\"force[1][1]\" is 3.0, it has no entries"));
    CHECK(has(refusal([&] {
                  with("body.stone.mass[0]=7");
              }),
              "it has no entries"));
    CHECK(has(refusal([&] {
                  with("body.stone.turn[0]=7");
              }),
              "the model gives turn no value that has entries"));
    const auto by = [&](const std::string& key) {
        return refusal([&] {
            gradient_of(text, {"stone.x"}, {key}, GradientMethod::automatic);
        });
    };
    CHECK(has(by("force.load.force"), "write force.load.force[0][0] to force.load.force[1][3]"));
    CHECK(has(by("force.load.force[1]"), "write force.load.force[1][0] to force.load.force[1][3]"));
    CHECK(has(by("force.load.force[1][1][0]"), "force.load.force[1][1] is one number"));
    CHECK(has(by("parameters.p[1]"), "write parameters.p[1][0] to parameters.p[1][1]"));
}

}  // namespace
}  // namespace ancora::testing
