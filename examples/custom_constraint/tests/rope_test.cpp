// SPDX-License-Identifier: BSD-3-Clause
// The rope as rows against differences, and the model's motion against a solution in minimal
// coordinates that shares nothing with it.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <ancora/framework/simulation.hpp>
#include <ancora/sdk/plugin.hpp>
#include <ancora/sdk/testing/fake_arguments.hpp>
#include <ancora/sdk/testing/row_errors.hpp>
#include <boost/numeric/odeint.hpp>
#include <doctest/doctest.h>

extern "C" const ancora::PluginDescriptor ancora_plugin_descriptor;

namespace {

// model.toml, with the lengths and angles of its start.
constexpr double kGravity = 9.81, kLight = 1.0, kHeavy = 2.6;
constexpr double kRatio = 2.0, kLength = 3.0;
constexpr double kViscous = 0.15, kDry = 0.4, kSmoothing = 0.2;
constexpr double kEnd = 4.0;

/// r = |r_a - r_p|, the angles theta at p and psi at q from the vertical, their rates, and the work
/// of friction. With R = (L - r)/n for the other side,
///
///   T = m/2 (r'^2 + r^2 theta'^2) + M/2 (R'^2 + R^2 psi'^2)
///   V = -m g r cos theta - M g R cos psi
///
/// and Lagrange's equations with the force -f(r') on r.
using State = std::array<double, 7>;

void equations_of_motion(const State& x, State& dx, double) {
    const auto& [r, theta, psi, dr, dtheta, dpsi, work] = x;
    const double R = (kLength - r) / kRatio;
    const double dR = -dr / kRatio;
    const double friction = kViscous * dr + kDry * dr / std::hypot(dr, kSmoothing);
    dx[0] = dr;
    dx[1] = dtheta;
    dx[2] = dpsi;
    dx[3] = (kLight * (r * dtheta * dtheta + kGravity * std::cos(theta)) -
             kHeavy / kRatio * (R * dpsi * dpsi + kGravity * std::cos(psi)) - friction) /
            (kLight + kHeavy / (kRatio * kRatio));
    dx[4] = -(2.0 * dr * dtheta + kGravity * std::sin(theta)) / r;
    dx[5] = -(2.0 * dR * dpsi + kGravity * std::sin(psi)) / R;
    dx[6] = -friction * dr;
}

/// Positions and velocities of both masses and the work of friction at the end, by extrapolation
/// to a tolerance of 1e-13.
std::vector<double> solution() {
    State x{1.0, std::atan2(0.8, 0.6), std::atan2(0.28, 0.96), 0.0, 0.0, 0.0, 0.0};
    boost::numeric::odeint::bulirsch_stoer<State> stepper(1e-13, 1e-13);
    boost::numeric::odeint::integrate_adaptive(stepper, equations_of_motion, x, 0.0, kEnd, 1e-3);
    const auto& [r, theta, psi, dr, dtheta, dpsi, work] = x;
    const double R = (kLength - r) / kRatio;
    const double dR = -dr / kRatio;
    return {r * std::sin(theta),
            -r * std::cos(theta),
            2.0 + R * std::sin(psi),
            -R * std::cos(psi),
            dr * std::sin(theta) + r * dtheta * std::cos(theta),
            -dr * std::cos(theta) + r * dtheta * std::sin(theta),
            dR * std::sin(psi) + R * dpsi * std::cos(psi),
            -dR * std::cos(psi) + R * dpsi * std::sin(psi),
            work};
}

/// model.toml with other settings, at its end.
ancora::Simulation finished(const std::vector<std::string>& settings) {
    static ancora::PluginRegistry registry;
    static const bool once = (registry.add_folder(ANCORA_TEST_PLUGIN_DIR), true);
    static_cast<void>(once);
    const std::string file = std::string(ANCORA_TEST_SOURCE_DIR) + "/model.toml";
    ancora::Simulation simulation(ancora::Manifest::load(file, settings), registry);
    while (!simulation.done()) simulation.step();
    return simulation;
}

double column(const ancora::Simulation& simulation, const std::string& name) {
    const std::vector<std::string> names = simulation.column_names();
    std::vector<double> row(names.size());
    simulation.sample(row);
    const auto at = std::find(names.begin(), names.end(), name);
    REQUIRE(at != names.end());
    return row[static_cast<std::size_t>(at - names.begin())];
}

/// Largest difference to the solution [m, m/s, J].
double error_of(const ancora::Simulation& simulation) {
    static const std::vector<double> exact = solution();
    static const std::vector<std::string> columns{"light.x",
                                                  "light.z",
                                                  "heavy.x",
                                                  "heavy.z",
                                                  "light.vx",
                                                  "light.vz",
                                                  "heavy.vx",
                                                  "heavy.vz",
                                                  "work.nonideal"};
    double error = 0.0;
    for (std::size_t i = 0; i < exact.size(); ++i)
        error = std::max(error, std::abs(column(simulation, columns[i]) - exact[i]));
    return error;
}

std::unique_ptr<ancora::Constraint> make_rope() {
    ancora::test::FakeArguments arguments(ancora_plugin_descriptor.types[0]);
    arguments.set("ratio", kRatio).set("length", kLength);
    return std::unique_ptr<ancora::Constraint>(
        static_cast<ancora::Constraint*>(ancora_plugin_descriptor.types[0].create(arguments)));
}

}  // namespace

TEST_SUITE("rope") {
    TEST_CASE("the rows are the derivatives of phi, and exact over a step of any size") {
        const std::vector<double> u{0.8, 0.1, -0.6, 0.0, 0.2, 0.0, 2.3, 0.0, -1.0, 2.0, 0.3, 0.1};
        const std::vector<double> du{0.2, 0.5, -0.3, 0.1, 0.0, 0.4, -0.6, 0.2, 0.3, 0.0, -0.1, 0.2};
        const ancora::test::RowErrors errors = ancora::test::row_errors(*make_rope(), 0, u, du);
        CHECK(errors.jacobian <= 1e-11);
        CHECK(errors.bias <= 1e-9);
        CHECK(errors.tangent <= 1e-10);
        CHECK(errors.discrete <= 4e-15);
    }

    TEST_CASE("emm: the motion in minimal coordinates, with order 2 and its books closed") {
        const ancora::Simulation coarse = finished({"integrator.step=1e-3"});
        const ancora::Simulation fine = finished({"integrator.step=5e-4"});
        MESSAGE("largest errors: ", error_of(coarse), ", ", error_of(fine));
        CHECK(error_of(fine) <= 1e-5);
        CHECK(error_of(coarse) / error_of(fine) == doctest::Approx(4.0).epsilon(0.02));
        // Rounding adds up like a random walk.
        const double steps = static_cast<double>(fine.statistics().steps);
        CHECK(fine.statistics().energy.max_rel <= 1e-15 + 3e-16 * std::sqrt(steps));
        CHECK(fine.statistics().constraint_position.max_abs <= 1e-14);
    }

    TEST_CASE("rk4: the same motion, with order 4") {
        const ancora::Simulation coarse = finished({"integrator.type=rk4", "integrator.step=2e-3"});
        const ancora::Simulation fine = finished({"integrator.type=rk4", "integrator.step=1e-3"});
        MESSAGE("largest errors: ", error_of(coarse), ", ", error_of(fine));
        CHECK(error_of(fine) <= 1e-9);
        CHECK(error_of(coarse) / error_of(fine) >= 14.0);
    }
}
