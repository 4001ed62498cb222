// SPDX-License-Identifier: BSD-3-Clause
// One motion of each kind against its closed form, or a second formulation.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <vector>

#include <ancora/framework/simulation.hpp>
#include <doctest/doctest.h>

namespace {

using Settings = std::vector<std::string>;

constexpr double kGravity = 9.81;
constexpr double kPi = std::numbers::pi;

/// A model of models/, with other values of its keys.
struct Run {
    explicit Run(const std::string& model, const Settings& settings = {})
        : manifest(ancora::Manifest::load(
              std::string(ANCORA_TEST_SOURCE_DIR) + "/models/" + model + ".toml", settings)),
          simulation(manifest, registry) {}

    ancora::Simulation& finish() {
        while (!simulation.done()) simulation.step();
        return simulation;
    }

    struct Registry : ancora::PluginRegistry {
        Registry() { add_folder(ANCORA_TEST_PLUGIN_DIR); }
    };

    ancora::Manifest manifest;
    Registry registry;
    ancora::Simulation simulation;
};

Settings with(const std::string& integrator, const std::string& step) {
    return {"integrator.type=\"" + integrator + "\"", "integrator.step=" + step};
}
Settings adaptive() {
    return {"integrator.type=\"dopri5\"", "integrator.tolerance=1e-10"};
}

double helix_error(const Settings& settings) {
    Run run("bead_on_helix", settings);
    const auto r = run.finish().point("bead@0").position;
    const double c = 1.0 / kPi, t = run.simulation.time();
    const double z = -0.5 * kGravity * t * t * c * c / (0.25 + c * c);
    CHECK(std::abs(r[0] - 0.5 * std::cos(kPi * r[2])) <= 1e-11);
    CHECK(std::abs(r[1] - 0.5 * std::sin(kPi * r[2])) <= 1e-11);
    return std::abs(r[2] - z);
}

double rope_error(const Settings& settings) {
    Run run("rope_over_points", settings);
    const double z = run.finish().point("bead@0").position[2];
    const double falls = std::sqrt(2.0 * 0.2 / kGravity), speed = kGravity * falls;
    const double rate = std::sqrt(4.0 * 100.0 / 0.5), rest = 1.0 + kGravity / (rate * rate);
    const double phase = rate * (run.simulation.time() - falls);
    return std::abs(-z - rest - (1.0 - rest) * std::cos(phase) - speed / rate * std::sin(phase));
}

double bouc_wen_error(const Settings& settings) {
    Run run("bouc_wen", settings);
    const double z = run.finish().value("damper.hysteresis");
    return std::abs(z - 0.25 * (1.0 - std::exp(-2.0 * run.simulation.time())));
}

/// theta and theta' of the pendulum by the classical method of Runge and Kutta on its own equation.
std::array<double, 2> pendulum(double end) {
    const double factor = 1.2 * kGravity * 0.7 / (0.3 + 1.2 * 0.49);
    constexpr int kSteps = 2000;
    const double h = end / kSteps;
    std::array<double, 2> x{};
    const auto rate = [&](const std::array<double, 2>& at) {
        return std::array{at[1], -factor * std::cos(at[0])};
    };
    const auto moved = [&x](const std::array<double, 2>& by, double step) {
        return std::array{x[0] + step * by[0], x[1] + step * by[1]};
    };
    for (int i = 0; i < kSteps; ++i) {
        const auto k1 = rate(x), k2 = rate(moved(k1, 0.5 * h)), k3 = rate(moved(k2, 0.5 * h));
        const auto k4 = rate(moved(k3, h));
        for (std::size_t j = 0; j < 2; ++j)
            x[j] += h / 6.0 * (k1[j] + 2.0 * k2[j] + 2.0 * k3[j] + k4[j]);
    }
    return x;
}

double pendulum_error(const Settings& settings) {
    Run run("planar_body", settings);
    const auto r = run.finish().point("rod@[0.0, 0.0, 0.0]").position;
    const auto [theta, rate] = pendulum(run.simulation.time());
    // By a wrong ScalarRotation balances would close all the same.
    const double moment = (0.3 + 1.2 * 0.49) * rate;
    CHECK(run.simulation.value("angular_momentum.z") == doctest::Approx(moment).epsilon(1e-3));
    return std::hypot(r[0] - 0.7 * std::cos(theta), r[1] - 0.7 * std::sin(theta));
}

/// Error of the speed with which the sphere leaves the plane.
double impact_error(const Settings& settings) {
    Run run("hunt_crossley", settings);
    const double after = run.finish().point("sphere@0").velocity[2];
    const auto F = [](double v) {
        return v / 0.4 - std::log1p(0.4 * v) / 0.16;
    };
    double low = -1.0, high = 0.0;  // of the speed of indentation
    for (int i = 0; i < 60; ++i) {
        const double middle = 0.5 * (low + high);
        (F(middle) > F(1.0) ? low : high) = middle;
    }
    return std::abs(after + low);
}

}  // namespace

TEST_SUITE("outside") {
    TEST_CASE("a bead slides down a helix") {
        const double error = helix_error({});
        CHECK(error <= 3e-5);
        CHECK(helix_error(with("emm", "4e-3")) / error == doctest::Approx(4.0).epsilon(0.05));
        CHECK(helix_error(adaptive()) <= 1e-10);
    }

    TEST_CASE("a rope is slack and then a spring") {
        CHECK(rope_error({}) <= 2e-5);
        CHECK(rope_error(adaptive()) <= 1e-9);
    }

    TEST_CASE("a cable keeps energy and momenta, and has the frequency of a beam") {
        Run run("cubic_cable");
        const auto& statistics = run.finish().statistics();
        CHECK(statistics.energy.max_rel <= 1e-13);
        CHECK(statistics.momentum.max_rel <= 1e-13);
        CHECK(statistics.angular_momentum.max_rel <= 1e-13);
        const double frequency = 0.5 * kPi * std::sqrt(0.5 / (0.3 * 8.0));
        const ancora::Modes modes = Run("pinned_cable").simulation.modes();
        CHECK(modes.modes[0].frequency == doctest::Approx(frequency).epsilon(1e-4));
        CHECK(modes.modes[1].frequency == doctest::Approx(frequency).epsilon(1e-4));
    }

    TEST_CASE("a planar body swings as its angle alone does") {
        CHECK(pendulum_error({}) <= 1e-10);
        const double error = pendulum_error(with("generalized_alpha", "4e-3"));
        CHECK(pendulum_error(with("generalized_alpha", "8e-3")) / error ==
              doctest::Approx(4.0).epsilon(0.1));
    }

    TEST_CASE("hysteresis at a steady rate") {
        const double error = bouc_wen_error({});
        CHECK(error <= 5e-6);
        CHECK(bouc_wen_error(with("emm", "2e-2")) / error == doctest::Approx(4.0).epsilon(0.05));
        CHECK(bouc_wen_error(adaptive()) <= 1e-9);
    }

    TEST_CASE("tr_bdf2 is of second order, with constraints, angles and states of objects") {
        for (const auto error : {&helix_error, &pendulum_error, &bouc_wen_error}) {
            const double fine = error(with("tr_bdf2", "1e-2"));
            CHECK(fine <= 1e-3);
            CHECK(error(with("tr_bdf2", "2e-2")) / fine == doctest::Approx(4.0).epsilon(0.1));
        }
    }

    TEST_CASE("a sphere leaves a plane at its closed speed") {
        CHECK(impact_error({}) <= 1e-4);
        CHECK(impact_error(with("rk4", "1e-3")) <= 1e-5);
        CHECK(impact_error(adaptive()) <= 1e-8);
    }

    TEST_CASE("a sensor lags and holds its samples") {
        using namespace std::complex_literals;
        Run run("imu");
        constexpr double w = 3.0, r = 0.2, T = 0.05;
        while (!run.simulation.done()) {
            run.simulation.step();
            const double t = 0.04 * std::floor(run.simulation.time() / 0.04 + 1e-9);
            const std::complex<double> turn = std::exp(1i * w * t), v = 1i * w * r * turn;
            const std::complex<double> lagged =
                1i * w * r / (1.0 + 1i * w * T) * (turn - std::exp(-t / T));
            const std::complex<double> f = (v - lagged) / T / turn;
            CHECK(run.simulation.value("sensor.f1") == doctest::Approx(f.real()).epsilon(1e-4));
            CHECK(run.simulation.value("sensor.f2") == doctest::Approx(f.imag()).epsilon(1e-4));
            CHECK(run.simulation.value("sensor.f3") ==
                  doctest::Approx(kGravity * std::exp(-t / T)).epsilon(1e-4));
            CHECK(run.simulation.value("sensor.w3") ==
                  doctest::Approx(w * (1.0 - std::exp(-t / T))).epsilon(1e-4));
        }
    }
}
