// SPDX-License-Identifier: BSD-3-Clause
// Runs that start relaxed: a cable at rest, a net in steady spin, a tethered mass about its
// balance.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

// The zero of a function that rises through it.
double bisect(double low, double high, const std::function<double(double)>& f) {
    for (int k = 0; k < 200; ++k) {
        const double mid = 0.5 * (low + high);
        (f(mid) < 0.0 ? low : high) = mid;
    }
    return low;
}

/// An inextensible cable of length S and weight w per metre between two points 1 m apart at one
/// height, z = a cosh(x / a):  2 a sinh(1 / (2 a)) = S.
struct Catenary {
    explicit Catenary(double S)
        : a(bisect(0.01, 100.0, [&](double x) {
              return S - 2.0 * x * std::sinh(0.5 / x);
          })) {}
    double sag() const { return a * (std::cosh(0.5 / a) - 1.0); }
    double end_tension(double w) const { return w * a * std::cosh(0.5 / a); }
    double a;
};

constexpr double kWeight = 0.981;  // N/m

Overrides cable(int N, double length) {
    return {fmt::format("body.cable.grid.counts=[{}, 1]", N + 1),
            fmt::format("body.cable.grid.spacing=[{:.17g}, 1.0]", 1.0 / N),
            fmt::format("body.cable.rest_length={:.17g}", length / N),
            fmt::format("body.cable.held=[0, {}]", N),
            fmt::format("constraint.right.a=\"cable@{}\"", N),
            fmt::format("output.points=[\"cable@{}\"]", N / 2),
            fmt::format("force.tap.at=\"cable@{}\"", N / 2),
            "force.tap.force=[[0, 0, 0, 0], [1, 0, 0, 0]]"};
}

TEST_SUITE("hanging cable") {
    TEST_CASE("links of any number rest, and their sag and end tension are those of the catenary") {
        for (const double length : {1.2, 1.5}) {
            const Catenary exact(length);
            std::vector<double> sag_error, tension_error;
            for (const int N : {8, 16, 32, 64}) {
                CAPTURE(length);
                CAPTURE(N);
                Simulation run = example("hanging_cable", cable(N, length));
                const std::vector<double> start(run.q().begin(), run.q().end());
                const std::string middle = fmt::format("cable@{}", N / 2);
                const double sag = -run.point(middle).position[2];
                double moved = 0.0;
                while (!run.done()) {
                    run.step();
                    for (std::size_t i = 0; i < start.size(); ++i)
                        moved = std::fmax(moved, std::abs(run.q()[i] - start[i]));
                }
                // A second of free fall would be 5 m
                CHECK(moved <= tolerance(1e-12));
                const std::vector<double> hook = run.reaction("left");
                // Positions round by 1e-16 m, of which 2 M / h^2 = 7e4 N/m makes forces
                CHECK(hook[2] == near(0.5 * kWeight * length, 2e-11));
                sag_error.push_back(sag - exact.sag());
                tension_error.push_back(std::hypot(hook[0], hook[2]) - exact.end_tension(kWeight));
            }
            // Second order in the length of a link
            for (std::size_t k = 0; k + 1 < sag_error.size(); ++k) {
                CHECK(sag_error[k] / sag_error[k + 1] == near(4.0, 0.15));
                CHECK(tension_error[k] / tension_error[k + 1] == near(4.0, 0.15));
            }
            // and without that term fourth order
            const auto extrapolated = [](const std::vector<double>& error, std::size_t k) {
                return (4.0 * error[k + 1] - error[k]) / 3.0;
            };
            for (const auto& error : {sag_error, tension_error}) {
                CHECK(extrapolated(error, 1) / extrapolated(error, 2) == near(16.0, 1.0));
                CHECK(extrapolated(error, 2) == near(0.0, 3e-7));
            }
        }
    }

    // Stretch by T / (E A) lengthens the cable: the difference falls like 1 / (E A).
    TEST_CASE("a cable of stiff bars rests too, and comes to the rigid one like 1 / (E A)") {
        const auto sag = [](const std::string& young, double& moved) {
            Overrides overrides = cable(32, 1.2);
            overrides.push_back("body.cable.young=" + young);
            Simulation run = example("hanging_cable", overrides);
            const std::vector<double> start(run.q().begin(), run.q().end());
            run_to_end(run);
            for (std::size_t i = 0; i < start.size(); ++i)
                moved = std::fmax(moved, std::abs(run.q()[i] - start[i]));
            return -run.point("cable@16").position[2];
        };
        double moved = 0.0;
        const double rigid = sag("inf", moved), stiff = sag("1e9", moved), soft = sag("1e8", moved);
        CHECK((soft - rigid) / (stiff - rigid) == near(10.0, 0.01));
        // Strains round by some 1e-15, of which E A = 1e5 N makes forces of 1e-10 of the weight
        CHECK(moved <= tolerance(1e-11));
    }

    // Nothing is left to find once the first step has the tensions, which no matrix knew before:
    // one iteration finds them, one makes up for that matrix, one or two more see rounding.
    TEST_CASE("at rest a step of any length is as easy as one in motion") {
        for (const char* young : {"inf", "1e11", "1e7"})
            for (const double h : {1e-4, 1e-3, 1e-2, 0.1}) {
                CAPTURE(young);
                CAPTURE(h);
                Overrides overrides = cable(64, 1.2);
                overrides.push_back(fmt::format("body.cable.young={}", young));
                overrides.push_back(fmt::format("integrator.step={:.17g}", h));
                overrides.push_back(fmt::format("integrator.end={:.17g}", 100.0 * h));
                Simulation run = example("hanging_cable", overrides);
                run_to_end(run);
                CHECK(run.statistics().max_iterations <= 6);
                CHECK(run.statistics().iterations <= 300);
                CHECK(run.statistics().substeps == 100);
            }
    }
}

TEST_SUITE("spinning net, relaxed") {
    Simulation relaxed_net(const Overrides& overrides) {
        std::ifstream file(std::string(ANCORA_TEST_SOURCE_DIR) +
                           "/examples/spinning_net/model.toml");
        std::stringstream text;
        text << file.rdbuf();
        std::string manifest = text.str();
        const std::string spin = "rest_length = \"spin\"";
        const std::size_t at = manifest.find(spin);
        REQUIRE(at != std::string::npos);
        manifest.replace(at, spin.size(), "start = \"relaxed\"");
        return model(manifest, overrides);
    }

    // Of all elements of the grid, from the positions of the nodes: E A eps l / L.
    double largest_force(std::span<const double> q) {
        const std::size_t n = 60;
        const double EA = 3e3, L = 0.25;
        double out = 0.0;
        const auto visit = [&](std::size_t a, std::size_t b) {
            const double l = (Vec3(q[3 * b], q[3 * b + 1], q[3 * b + 2]) -
                              Vec3(q[3 * a], q[3 * a + 1], q[3 * a + 2]))
                                 .norm();
            out = std::fmax(out, EA * (l - L) * (l + L) / (2.0 * L * L) * l / L);
        };
        for (std::size_t j = 0; j < n; ++j)
            for (std::size_t i = 0; i + 1 < n; ++i) {
                visit(j * n + i, j * n + i + 1);
                visit(i * n + j, (i + 1) * n + j);
            }
        return out;
    }

    // The scheme turns a balance of forces and centrifugal loads as a whole, without an error of
    // the step: midpoint and accelerations shrink by the same factor, cos(h Omega / 2 and so on).
    TEST_CASE("the largest element force stays for a second, whatever the step") {
#ifdef ANCORA_TEST_SHORT
        Simulation run = relaxed_net({"integrator.step=5e-3", "integrator.end=2e-2"});
#else
        Simulation run = relaxed_net({"integrator.step=5e-3", "integrator.end=1.0"});
#endif
        const double start = largest_force(run.q());
        // As much as the loads outward of an element near the centre ask for
        CHECK(start > 3.0);
        double change = 0.0;
        while (!run.done()) {
            run.step();
            change = std::fmax(change, std::abs(largest_force(run.q()) / start - 1.0));
        }
        CHECK(change <= tolerance(1e-9));
    }
}

// Angular frequency of a sampled sinusoid: x(t - T) + x(t + T) = 2 cos(omega T) x(t), by least
// squares.
double frequency(const std::vector<double>& x, double T) {
    double product = 0.0, square = 0.0;
    for (std::size_t k = 1; k + 1 < x.size(); ++k) {
        product += x[k] * (x[k - 1] + x[k + 1]);
        square += 2.0 * x[k] * x[k];
    }
    return std::acos(product / square) / T;
}

struct Frequencies {
    double in_plane = 0.0, out_of_plane = 0.0, length = 0.0;
};

// Of the mass on the tether about the hub's axes, once the tap is over; a hundredth of the tap in
// the file: angles of 1e-5, whose squares do not show.
Frequencies run_tether(double step, const std::string& young) {
    Simulation run = example("tethered_hub",
                             {setting("integrator.step", step),
                              "body.tether.young=" + young,
                              "force.tap.force=[[0, 0, 0, 0], [0.05, 0, 4e-4, 8e-4], [0.1, 0, 0, "
                              "0]]"});
    Frequencies out;
    out.length = run.point("tether@1").position[0] - 1.0;
    const double T = 1.0;
    const long every = std::lround(T / step);
    std::vector<double> in_plane, out_of_plane;
    while (!run.done()) {
        run.step();
        if (run.steps_done() % every != 0) continue;
        const Vec3 root = vec3(run.point("hub@[1, 0, 0]").position);
        const Vec3 tip = vec3(run.point("tether@1").position);
        const Vec3 d = attitude(run, "hub").transpose() * (tip - root);
        in_plane.push_back(std::atan2(d.y(), d.x()));
        out_of_plane.push_back(std::asin(d.z() / d.norm()));
    }
    out.in_plane = frequency(in_plane, T);
    out.out_of_plane = frequency(out_of_plane, T);
    return out;
}

TEST_SUITE("tethered hub") {
    constexpr double R = 1.0, L = 4.0, m = 1.0;  // m, m, kg; Omega = 1 rad/s

    TEST_CASE("a rigid tether swings with Omega sqrt(R / l) and Omega sqrt(1 + R / l)") {
        const Frequencies coarse = run_tether(4e-2, "inf"), fine = run_tether(2e-2, "inf");
        const double in_plane = std::sqrt(R / L), out_of_plane = std::sqrt(1.0 + R / L);
        CHECK(fine.in_plane == near(in_plane, 2e-4 * in_plane));
        CHECK(fine.out_of_plane == near(out_of_plane, 1e-4 * out_of_plane));
        // Second order in the step
        CHECK((coarse.in_plane - in_plane) / (fine.in_plane - in_plane) == near(4.0, 0.05));
        CHECK((coarse.out_of_plane - out_of_plane) / (fine.out_of_plane - out_of_plane) ==
              near(4.0, 0.05));
        CHECK((4.0 * fine.in_plane - coarse.in_plane) / 3.0 == near(in_plane, 1e-6));
        CHECK((4.0 * fine.out_of_plane - coarse.out_of_plane) / 3.0 == near(out_of_plane, 1e-6));
    }

    // Steady: N(l) = m Omega^2 (R + l). About it, u along the tether and w across it in the plane,
    //
    //   u'' - 2 Omega w' + (k / m - Omega^2) u = 0,   w'' + 2 Omega u' + Omega^2 R / l w = 0
    //
    // with k = dN/dl, whose lower frequency is the pendulum's.
    TEST_CASE(
        "a wire starts as long as the spin stretches it and swings with its own frequencies") {
        const double EA = 200e9 * 5e-6;
        const auto force = [&](double y) {
            return 0.5 * EA * y * (y + 1.0) * (y + 2.0);
        };
        const double y = bisect(0.0, 1.0, [&](double x) {
            return force(x) - m * (R + L * (1.0 + x));
        });
        const double l = L * (1.0 + y), k = 0.5 * EA * (3.0 * y * y + 6.0 * y + 2.0) / L;
        // lambda = -omega^2: (lambda + k / m - 1) (lambda + R / l) + 4 lambda = 0
        const double b = k / m - 1.0 + R / l + 4.0, c = (k / m - 1.0) * R / l;
        const double in_plane = std::sqrt(2.0 * c / (b + std::sqrt(b * b - 4.0 * c)));
        const double out_of_plane = std::sqrt(1.0 + R / l);

        const Frequencies coarse = run_tether(2e-2, "200e9"), fine = run_tether(1e-2, "200e9");
        CHECK(fine.length == near(l, 1e-12));
        CHECK((4.0 * fine.in_plane - coarse.in_plane) / 3.0 == near(in_plane, 1e-6));
        CHECK((4.0 * fine.out_of_plane - coarse.out_of_plane) / 3.0 == near(out_of_plane, 1e-6));
        // which differ from those of a rigid tether by the stretch and by Coriolis' force
        CHECK(in_plane == near(std::sqrt(R / L), 1e-5));
    }
}

}  // namespace
}  // namespace ancora::testing
