// SPDX-License-Identifier: BSD-3-Clause
// Rows that have a law together: against the same springs in principal directions, against the
// equations in minimal form, and what is kept.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/sdk/helpers/stress_laws.hpp"
#include "framework/models.hpp"
#include "support/near.hpp"
#include "zoo/test_laws.hpp"

using namespace ancora;
using ancora::testing::failure_of;
using ancora::testing::Run;
using ancora::testing::tolerance;

namespace {

constexpr const char* kStiffness = "stiffness = [300, 90, 160, 80, -30, -110]\n";

/// `accuracy`: length of a step, or the tolerance of dopri5.
std::string integrator(const char* type, double accuracy, double end) {
    const std::string steps = std::string(type) == "dopri5"
                                  ? fmt::format("step = 0.01\ntolerance = {:.17g}", accuracy)
                                  : fmt::format("step = {:.17g}", accuracy);
    return fmt::format("\n[integrator]\ntype = \"{}\"\n{}\nend = {:.17g}\n", type, steps, end);
}

/// A box on two bushings to the ground and to a bob, so that laws meet rows of other kinds.
std::string model(const std::string& type, const std::string& more = "") {
    const auto bushing = [&](const char* name, const char* a, const char* b) {
        return fmt::format(
            "[[constraint]]\nname = \"{}\"\ntype = \"{}\"\na = \"{}\"\nb = \"{}\"\n{}{}",
            name,
            type,
            a,
            b,
            kStiffness,
            more);
    };
    return R"([model]
gravity = [0, 0, -9.81]
[[body]]
name = "box"
type = "ancf_rigid_body"
mass = 2.0
inertia = [0.08, 0.06, 0.05]
position = [0.1, 0.0, -0.05]
angular_velocity = [1.0, 2.0, -0.5]
[[body]]
name = "bob"
type = "particle"
mass = 0.5
position = [0.6, 0.0, -0.6]
velocity = [0.0, 0.3, 0.0]
[[constraint]]
name = "rod"
type = "w_distance"
a = "bob@0"
b = "ground@[0.6, 0, 0.2]"
length = 0.8
)" + bushing("left", "box@[-0.2, 0, 0]", "ground@[-0.15, 0, 0]") +
           bushing("right", "box@[0.3, 0.1, 0]", "bob@0");
}

std::vector<double> places(const Run& run) {
    std::vector<double> out;
    for (const char* column :
         {"box.x", "box.y", "box.z", "box.vx", "box.vy", "box.vz", "bob.x", "bob.y", "bob.z"})
        out.push_back(run.column(column));
    return out;
}
double distance(const std::vector<double>& a, const std::vector<double>& b) {
    double out = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) out = std::max(out, std::abs(a[i] - b[i]));
    return out;
}
std::vector<double> end_of(const std::string& text) {
    Run run(text);
    run.to_end();
    return places(run);
}

}  // namespace

TEST_SUITE("laws of rows together") {
    // V^T (a - b) with the compliances 1 / lambda is the same spring without any coupling.
    TEST_CASE("a full stiffness matrix is the springs in its principal directions") {
        for (const char* more : {"", "damping = 3.0\n"})
            for (const char* type : {"emm", "rk4", "dopri5", "generalized_alpha"}) {
                CAPTURE(std::string(type));
                CAPTURE(std::string(more));
                const std::string steps =
                    integrator(type, std::string(type) == "dopri5" ? 1e-10 : 2e-3, 1.0);
                CHECK(distance(end_of(model("l_bushing", more) + steps),
                               end_of(model("l_bushing_by_rows", more) + steps)) <=
                      tolerance(1e-9));
            }
    }

    TEST_CASE("kinks anywhere in a step change nothing; kinks out of order name the law's owner") {
        const std::string steps = integrator("emm", 2e-3, 0.2);
        CHECK(distance(end_of(model("l_bushing") + steps),
                       end_of(model("l_bushing", "kinks = [0.3, 0.8]\n") + steps)) <=
              tolerance(1e-9));
        for (const char* points : {"[0.8, 0.3]", "[0.3, 1.5]", "[-0.1, 0.3]"}) {
            const std::string failure =
                failure_of(model("l_bushing", fmt::format("kinks = {}\n", points)) + steps).message;
            CAPTURE(failure);
            CHECK(failure.find("constraint \"left\"") != std::string::npos);
            CHECK(failure.find("ItemLaw::discontinuities gives") != std::string::npos);
        }
    }

    TEST_CASE("its rest and its modes are theirs") {
        const std::string steps = integrator("emm", 1e-3, 1.0);
        Run together(model("l_bushing") + steps), by_rows(model("l_bushing_by_rows") + steps);
        together.simulation.find_equilibrium();
        by_rows.simulation.find_equilibrium();
        CHECK(distance(places(together), places(by_rows)) <= tolerance(1e-9));
        const Modes a = together.simulation.modes(), b = by_rows.simulation.modes();
        REQUIRE(a.modes.size() == b.modes.size());
        REQUIRE(a.modes.size() == 8);
        for (std::size_t k = 0; k < a.modes.size(); ++k)
            CHECK(a.modes[k].frequency ==
                  testing::Near(b.modes[k].frequency, 1e-8 * (1.0 + b.modes[k].frequency)));
    }

    // m x'' = -dW/dx by Stoermer's method in numbers of its own, fine and extrapolated.
    TEST_CASE("a hardening, one-sided law moves a mass as its potential says, to order 2") {
        zoo::BushingLaw law;
        law.D << 300, 80, -110, 80, 90, -30, -110, -30, 160;
        law.quartic = 4000.0;
        law.one_sided = 250.0;
        const auto verlet = [&law](int count) {
            Eigen::Vector3d x(0.1, -0.15, 0.2), v(0.5, 0.0, -1.0), force;
            const double h = 1.0 / count;
            const auto pull = [&] {
                law.potential(0, {x.data(), 3}, {force.data(), 3}, {});
            };
            pull();
            for (int k = 0; k < count; ++k) {
                v -= 0.25 * h * force;  // m = 2
                x += h * v;
                pull();
                v -= 0.25 * h * force;
            }
            return x;
        };
        const Eigen::Vector3d exact = (4.0 * verlet(400'000) - verlet(200'000)) / 3.0;
        const auto error = [&](const char* type, double h) {
            Run run(std::string(R"([[body]]
name = "m"
type = "particle"
mass = 2.0
position = [0.1, -0.15, 0.2]
velocity = [0.5, 0.0, -1.0]
[[constraint]]
name = "bushing"
type = "l_bushing"
a = "m@0"
b = "ground@[0, 0, 0]"
quartic = 4000
one_sided = 250
)") + kStiffness + integrator(type, h, 1.0));
            double balance = 0.0;
            while (!run.simulation.done()) {
                run.simulation.step();
                balance = std::max(balance, std::abs(run.column("energy.balance")));
            }
            if (std::string(type) == "emm") CHECK(balance <= tolerance(2e-12));
            return (Eigen::Vector3d(run.column("m.x"), run.column("m.y"), run.column("m.z")) -
                    exact)
                .norm();
        };
        CHECK(error("dopri5", 1e-10) <= tolerance(1e-7));
        const double coarse = error("emm", 1e-3), fine = error("emm", 5e-4);
        CHECK(std::log2(coarse / fine) == testing::Near(2.0, 0.1));
        CHECK(fine <= tolerance(1e-4));
        // Stiff steps of any length keep what the law has
        for (const double h : {0.02, 0.05, 0.1}) error("emm", h);
    }

    TEST_CASE("the mean over a step does the work of the potential, and D is its derivative") {
        zoo::BushingLaw law;
        law.D << 300, 80, -110, 80, 90, -30, -110, -30, 160;
        law.quartic = 4000.0;
        std::array<RowLaw, 3> rows;
        for (RowLaw& row : rows) row = {.kind = RowKind::elastic, .compliance = 1.0 / 300.0};
        using Point = std::array<double, 3>;
        const auto mean = [&](const Point& from, const Point& by, std::span<double> D) {
            std::array<StressMean, 3> out;
            mean_over_step(law, 0, rows, from, by, out, D);
            return Eigen::Vector3d(out[0].elastic, out[1].elastic, out[2].elastic);
        };
        const auto energy = [&](const Point& from, const Point& by) {
            const Point at = {from[0] + by[0], from[1] + by[1], from[2] + by[2]};
            return law.potential(0, at, {}, {});
        };
        for (const double one_sided : {0.0, 250.0})
            for (const double size : {1.0, 1e-3, 1e-9, 0.0}) {
                CAPTURE(one_sided);
                CAPTURE(size);
                law.one_sided = one_sided;
                const Point from = {0.1, -0.15, -0.01};
                const Point by = {-0.3 * size, 0.1 * size, 0.4 * size};
                std::array<double, 9> D{};
                const Eigen::Vector3d s = mean(from, by, D);
                const double change = energy(from, by) - energy(from, {});
                CHECK(s.dot(Eigen::Vector3d(by[0], by[1], by[2])) ==
                      testing::Near(change, 1e-13 * (energy(from, by) + energy(from, {}))));
                if (size > 0.0 && size < 1e-3) continue;  // differences of it say nothing
                const Eigen::Map<const Eigen::Matrix3d> slope(D.data());
                Eigen::Matrix3d differences;
                for (std::size_t j = 0; j < 3; ++j) {
                    constexpr double kStep = 1e-6;
                    Point more = by, less = by;
                    more[j] += kStep;
                    less[j] -= kStep;
                    std::array<double, 9> none{};
                    differences.col(static_cast<Eigen::Index>(j)) =
                        (mean(from, more, none) - mean(from, less, none)) / (2.0 * kStep);
                }
                const Eigen::Matrix3d symmetric = 0.5 * (differences + differences.transpose());
                // Across the slope discontinuity the difference is not symmetric, and D is its
                // symmetric part
                CHECK((slope - symmetric).norm() <= tolerance(1e-6 * symmetric.norm()));
            }
    }

    TEST_CASE("a step finds its solution in a few iterations, whatever the coupling") {
        const auto iterations = [](const std::string& type) {
            Run run(model(type) + integrator("emm", 5e-3, 1.0));
            run.to_end();
            return static_cast<double>(run.simulation.work_done());
        };
        // Principal directions are free of coupling, so that any excess is what it costs.
        CHECK(iterations("l_bushing") <= 1.3 * iterations("l_bushing_by_rows"));
    }

    TEST_CASE("a saved state goes on to the same bits") {
        const std::string text =
            model("l_bushing", "quartic = 4000\none_sided = 250\n") + integrator("emm", 2e-3, 1.0);
        Run whole(text), cut(text);
        whole.to_end();
        cut.steps(217);
        const std::vector<std::byte> state = cut.simulation.save();
        Run resumed(text);
        resumed.simulation.restore(state);
        resumed.to_end();
        CHECK(places(whole) == places(resumed));
    }
}
