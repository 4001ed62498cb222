// SPDX-License-Identifier: BSD-3-Clause
// Elements of trusses as engineers have them: damped, prestressed, slack under compression,
// breaking. Against closed forms, Newton's equation integrated here, and the ledger.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "support/model.hpp"
#include "support/near.hpp"
#include "support/restored.hpp"

namespace ancora::testing {
namespace {

using std::numbers::pi;

std::string integrator(const std::string& type, double step, double end, double tolerance = 1e-12) {
    const std::string table = fmt::format(
        "\n[integrator]\ntype = \"{}\"\nstep = {:.17g}\nend = {:.17g}\n", type, step, end);
    return type == "dopri5" ? table + fmt::format("tolerance = {:.17g}\n", tolerance) : table;
}

/// A massless element of length L along z from the ground at the origin to a mass at height z,
/// which the start moves at w; further keys of the element.
struct Hanging {
    double mass = 2.0, L = 1.5, EA = 800.0;
    double z = -1.5, w = 0.0;
    double gravity = 9.81;
    std::string keys;

    std::string text() const {
        return fmt::format(R"(
[model]
gravity = [0.0, 0.0, {:.17g}]
[[body]]
name = "rope"
type = "truss"
nodes = [[0.0, 0.0, 0.0], [0.0, 0.0, {:.17g}]]
elements = [[0, 1]]
rest_length = {:.17g}
area = 1.0e-4
young = {:.17g}
density = 0.0
node_masses = [[1, {:.17g}]]
{}
[[constraint]]
name = "top"
type = "position"
a = "rope@0"
b = "ground@[0.0, 0.0, 0.0]"
[output]
points = ["rope@1"]
)",
                           -gravity,
                           z,
                           L,
                           EA / 1e-4,
                           mass,
                           keys);
    }

    /// z'' at an axial stress [Pa].
    double acceleration(double height, double stress) const {
        return -gravity - 1e-4 * stress * height / (L * mass);
    }
    double strain(double height) const { return (height - L) * (height + L) / (2.0 * L * L); }
    double young() const { return EA / 1e-4; }
};

using State = std::array<double, 2>;

/// x'' = f(x, x'), from (x, v) over a time, by the classical Runge-Kutta method in steps so small
/// that its error is rounding.
State integrated(const std::function<double(double, double)>& f,
                 State start,
                 double time,
                 int steps = 20'000) {
    auto [x, v] = start;
    const double h = time / steps;
    for (int k = 0; k < steps; ++k) {
        const double x1 = v, v1 = f(x, v);
        const double x2 = v + 0.5 * h * v1, v2 = f(x + 0.5 * h * x1, x2);
        const double x3 = v + 0.5 * h * v2, v3 = f(x + 0.5 * h * x2, x3);
        const double x4 = v + h * v3, v4 = f(x + h * x3, x4);
        x += h / 6.0 * (x1 + 2.0 * x2 + 2.0 * x3 + x4);
        v += h / 6.0 * (v1 + 2.0 * v2 + 2.0 * v3 + v4);
    }
    return {x, v};
}

/// The same until g(x, v) turns negative; adds the time that takes.
State integrated_until(const std::function<double(double, double)>& f,
                       const std::function<double(double, double)>& g,
                       State start,
                       double& time) {
    constexpr double kStep = 1e-4;
    const auto after = [&](const State& from, double h) {
        return integrated(f, from, h, 1);
    };
    State next = after(start, kStep);
    while (g(next[0], next[1]) >= 0.0) {
        start = next;
        time += kStep;
        next = after(start, kStep);
    }
    double low = 0.0, high = kStep;
    for (int k = 0; k < 60; ++k) {
        const double middle = 0.5 * (low + high);
        next = after(start, middle);
        (g(next[0], next[1]) >= 0.0 ? low : high) = middle;
    }
    time += low;
    return after(start, low);
}

/// The model of `hanging` with the mass moving at its w.
Simulation started(const Hanging& hanging, const std::string& integrator) {
    Simulation run = model(hanging.text() + integrator);
    const std::vector<double> q(run.q().begin(), run.q().end());
    std::vector<double> v(run.v().begin(), run.v().end());
    v[5] = hanging.w;
    run.set_state(q, v);
    return run;
}

double speed(const Simulation& simulation) {
    return simulation.point("rope@1").velocity[2];
}

void check_balances(const RunStatistics& statistics) {
    const double bound = rounding_bound(static_cast<double>(statistics.steps));
    CHECK(statistics.energy.max_rel <= tolerance(bound));
    CHECK(statistics.momentum.max_rel <= tolerance(bound));
    CHECK(statistics.angular_momentum.max_rel <= tolerance(bound));
}

double height(const Simulation& simulation) {
    return simulation.point("rope@1").position[2];
}

double order(const std::function<double(double)>& error, double h) {
    return std::log2(error(h) / error(0.5 * h));
}

}  // namespace

TEST_SUITE("damped elements") {
    // Where the weight stretches the spring by 1e-9 of its length, its law is linear:
    //   x = x_s [1 - e^(-d t) (cos w_d t + d / w_d sin w_d t)],   x_s = m g L / (E A),
    //   d = c A / (2 m L),  w_d^2 = E A / (m L) - d^2           for a damping c in Pa s
    TEST_CASE("a weight dropped on a spring follows the damped oscillation, order 2") {
        Hanging drop;
        drop.gravity = 1e-9 * drop.EA / drop.mass;
        constexpr double kDamping = 1e5;  // Pa s
        drop.keys = fmt::format("damping = {}", kDamping);
        const double d = kDamping * 1e-4 / (2.0 * drop.mass * drop.L);
        const double w = std::sqrt(drop.EA / (drop.mass * drop.L) - d * d);
        const double end = 1.3;
        const double stretch =
            1e-9 * drop.L *
            (1.0 - std::exp(-d * end) * (std::cos(w * end) + d / w * std::sin(w * end)));
        const auto error = [&](double h) {
            Simulation run = model(drop.text() + integrator("emm", h, end));
            run_to_end(run);
            check_balances(run.statistics());
            // Node 1 began at -L: its displacement is exact to rounding of 1, as q is compensated
            return std::abs((-drop.L - height(run)) - stretch) / (1e-9 * drop.L);
        };
        CHECK(order(error, 0.005) == near(2.0, 0.02));
    }

    // m z'' = -m g - s z / L^2,  s = A L (E eps + c eps'),  eps = (z^2 - L^2) / (2 L^2)
    TEST_CASE("stretched far it follows the Green law, order 2, and all integrators agree") {
        Hanging drop;
        drop.keys = "damping = 3.0e5";
        const double A = 1e-4, c = 3e5, end = 1.6;
        const double L2 = drop.L * drop.L;
        const auto exact = integrated(
            [&](double z, double w) {
                const double s =
                    drop.L * (drop.EA * (z * z - L2) / (2.0 * L2) + c * A * z * w / L2);
                return -drop.gravity - s * z / (L2 * drop.mass);
            },
            {drop.z, 0.0},
            end);
        const auto error = [&](double h) {
            Simulation run = model(drop.text() + integrator("emm", h, end));
            run_to_end(run);
            check_balances(run.statistics());
            CHECK(column(run, "work.nonideal") < 0.0);
            return std::abs(height(run) - exact[0]);
        };
        CHECK(order(error, 0.01) == near(2.0, 0.03));
        Simulation adaptive = model(drop.text() + integrator("dopri5", 0.01, end));
        CHECK(height(run_to_end(adaptive)) == near(exact[0], 1e-10));
        CHECK(column(adaptive, "energy.balance") == near(0.0, 1e-9));
    }
}

TEST_SUITE("prestressed elements") {
    // A string of N elements under T = prestress A, its ends held, in its n-th mode with so small
    // an amplitude that the stretch adds little. Linear elements with consistent mass have
    //   w^2 = 6 T / (rho A l^2) (1 - cos k) / (2 + cos k),   k = n pi / N,   l = L / N
    // exactly, where the string has n pi / L sqrt(T / (rho A)).
    // A step turns the mode by 2 atan(w h / 2), and the mode's amplitude tells w.
    double frequency(int num_elements, int mode) {
        const double L = 2.0, amplitude = 1e-3;
        const double exact = mode * pi / L * std::sqrt(5e6 / 1000.0);
        const double h = 2.0 * pi / exact / 20.0;
        std::string nodes, elements, ends;
        for (int i = 0; i <= num_elements; ++i) {
            const double x = static_cast<double>(i) / num_elements;
            const bool is_end = i == 0 || i == num_elements;
            nodes += fmt::format("[{:.17g}, {:.17g}, 0.0], ",
                                 L * x,
                                 is_end ? 0.0 : amplitude * std::sin(mode * pi * x));
            if (i > 0) elements += fmt::format("[{}, {}], ", i - 1, i);
        }
        for (const auto& [name, node, x] :
             {std::tuple("left", 0, 0.0), std::tuple("right", num_elements, L)})
            ends += fmt::format(
                "[[constraint]]\nname = \"{}\"\ntype = \"position\"\na = \"string@{}\"\nb = "
                "\"ground@[{}, 0.0, 0.0]\"\n",
                name,
                node,
                x);
        Simulation run = model(fmt::format(R"(
[[body]]
name = "string"
type = "truss"
nodes = [{}]
elements = [{}]
rest_length = {:.17g}
area = 2.0e-6
young = 1.0e7
density = 1000.0
prestress = 5.0e6
{}
)",
                                           nodes,
                                           elements,
                                           L / num_elements,
                                           ends) +
                               integrator("emm", h, 40.0 * h));
        const auto modal = [&] {
            double sum = 0.0;
            for (int i = 1; i < num_elements; ++i)
                sum += run.point(fmt::format("string@{}", i)).position[1] *
                       std::sin(mode * pi * i / num_elements);
            return 2.0 * sum / num_elements;
        };
        std::vector<double> a = {modal()};
        while (!run.done()) {
            run.step();
            a.push_back(modal());
        }
        // Of the 5 J that prestress has stored
        CHECK(run.statistics().energy.max_abs <= tolerance(5.0 * rounding_bound(40.0)));
        // a_k-1 + a_k+1 = 2 cos(theta) a_k, by least squares
        double top = 0.0, bottom = 0.0;
        for (std::size_t k = 1; k + 1 < a.size(); ++k) {
            top += (a[k - 1] + a[k + 1]) * a[k];
            bottom += 2.0 * a[k] * a[k];
        }
        const double w = 2.0 / h * std::tan(0.5 * std::acos(top / bottom));
        const double k = mode * pi / num_elements;
        const double l = L / num_elements;
        const double discrete =
            std::sqrt(6.0 * 5e6 / (1000.0 * l * l) * (1.0 - std::cos(k)) / (2.0 + std::cos(k)));
        CHECK(w / discrete == near(1.0, 1e-5));
        return w / exact - 1.0;
    }

    TEST_CASE("a string's frequencies are n / 2L sqrt(T / rho A), of order 2 in the elements") {
        for (const int mode : {1, 2, 3}) {
            CAPTURE(mode);
            const double coarse = frequency(10, mode);
            const double fine = frequency(20, mode);
            // The next term of the expansion is of relative size k^2
            const double k = mode * pi / 10.0;
            CHECK(std::log2(coarse / fine) == near(2.0, 0.1 * k * k));
            CHECK(std::abs(fine) < mode * mode * pi * pi / (20.0 * 20.0) / 20.0);
        }
    }

    // Tension at the start: T = prestress A (1 + E / prestress eps) l / L.
    TEST_CASE("a held weight feels the prestress and the stretch") {
        Hanging held;
        held.z = -1.8;
        held.gravity = 0.0;
        held.keys = "prestress = 2.0e6";
        Simulation run = model(held.text() + integrator("emm", 1e-3, 1.0));
        const double strain = (1.8 * 1.8 - 1.5 * 1.5) / (2.0 * 1.5 * 1.5);
        const double T = (2e6 * 1e-4 + held.EA * strain) * 1.8 / 1.5;
        CHECK(run.dynamics().acceleration[5] == near(T / held.mass, 1e-12 * T));
    }
}

TEST_SUITE("tension-only elements") {
    // Slack at the start, a mass w / m falls from -0.5 m to -L, is caught, and thrown up again.
    TEST_CASE("a bungee jump: free flight, a taut swing, free flight; order 2") {
        Hanging jump;
        jump.z = -0.5;
        jump.keys = "tension_only = true";
        const double g = jump.gravity;
        const double fall = std::sqrt(2.0 * (jump.z + jump.L) / g);
        double taut = 0.0;
        const State thrown = integrated_until(
            [&](double z, double) {
                return jump.acceleration(z, jump.young() * jump.strain(z));
            },
            [&](double z, double) {
                return -jump.L - z;
            },
            {-jump.L, -g * fall},
            taut);
        // Energy is kept
        CHECK(thrown[1] == near(g * fall, 1e-10));
        const double end = fall + taut + 0.3;
        const double exact = -jump.L + thrown[1] * 0.3 - 0.5 * g * 0.3 * 0.3;
        const auto error = [&](double h) {
            Simulation run = started(jump, integrator("emm", h, end));
            run_to_end(run);
            check_balances(run.statistics());
            return std::abs(height(run) - exact);
        };
        // Where in a step it becomes taut is different for every length: order over a factor of 16
        CHECK(0.25 * std::log2(error(end / 200.0) / error(end / 3200.0)) == near(2.0, 0.15));
        Simulation adaptive = started(jump, integrator("dopri5", 0.01, end));
        CHECK(height(run_to_end(adaptive)) == near(exact, 1e-8));
        Simulation fixed = started(jump, integrator("rk4", 1e-4, end));
        CHECK(height(run_to_end(fixed)) == near(exact, 1e-7));
    }

    TEST_CASE("a slack element carries exactly nothing, and throws back what it caught") {
        Hanging tether;
        tether.gravity = 0.0;
        tether.z = -0.5;
        tether.w = -3.0;
        tether.keys = "tension_only = true";
        Simulation run = started(tether, integrator("emm", 0.01, 1.3));
        int slack = 0;
        while (!run.done()) {
            run.step();
            const bool is_out = height(run) > -tether.L + 0.03 && run.time() < 0.5;
            const bool is_back = height(run) > -tether.L + 0.03 && run.time() > 0.5;
            if (is_out) CHECK(speed(run) == -3.0);
            // Energy is kept over the swing, whatever the step
            if (is_back) CHECK(speed(run) == near(3.0, 1e-13));
            if (!is_out && !is_back) continue;
            CHECK(column(run, "energy.potential") == 0.0);
            for (const double f : run.reaction("top")) CHECK(f == near(0.0, 1e-15));
            ++slack;
        }
        CHECK(slack > 60);
        check_balances(run.statistics());
    }

    // The viscous stress begins with a jump, and never pushes: the rope lets go where E eps +
    // damping eps' reaches zero.
    TEST_CASE("a damped rope never pushes; order 2, and it dissipates what the law says") {
        Hanging jump;
        jump.z = -0.5;
        jump.keys = "tension_only = true\ndamping = 1.0e5";
        const double g = jump.gravity, L2 = jump.L * jump.L;
        const auto stress = [&](double z, double w) {
            return jump.young() * jump.strain(z) + 1e5 * z * w / L2;
        };
        const double fall = std::sqrt(2.0 * (jump.z + jump.L) / g);
        double taut = 0.0;
        const State let_go = integrated_until(
            [&](double z, double w) {
                return jump.acceleration(z, stress(z, w));
            },
            stress,
            {-jump.L, -g * fall},
            taut);
        REQUIRE(jump.strain(let_go[0]) > 0.0);
        const double end = fall + taut + 0.2;
        const double exact = let_go[0] + let_go[1] * 0.2 - 0.5 * g * 0.2 * 0.2;
        const double lost =
            0.5 * jump.mass * g * g * fall * fall -
            (0.5 * jump.mass * let_go[1] * let_go[1] + jump.mass * g * (let_go[0] + jump.L));
        const auto error = [&](double h) {
            Simulation run = started(jump, integrator("emm", h, end));
            run_to_end(run);
            check_balances(run.statistics());
            return std::abs(height(run) - exact);
        };
        CHECK(0.25 * std::log2(error(end / 200.0) / error(end / 3200.0)) == near(2.0, 0.3));
        Simulation run = started(jump, integrator("emm", 1e-4, end));
        run_to_end(run);
        CHECK(column(run, "work.nonideal") == near(-lost, 1e-4 * lost));
        Simulation adaptive = started(jump, integrator("dopri5", 0.01, end));
        CHECK(height(run_to_end(adaptive)) == near(exact, 1e-7));
        CHECK(column(adaptive, "work.nonideal") == near(-lost, 1e-9 * lost));
    }

    // The power of a damped rope jumps where it becomes taut, and none of its motion shows how much
    // is lost there. It becomes taut some ten times, and about each jump there are a few steps
    // whose error is what a step may have, up to four times the tolerance times the energy.
    TEST_CASE("dopri5 keeps the balance of a damped rope to its tolerance") {
        Hanging jump;
        jump.z = -0.5;
        jump.keys = "tension_only = true\ndamping = 1.0e5";
        for (const double tol : {1e-5, 1e-7, 1e-9, 1e-11}) {
            CAPTURE(tol);
            Simulation run = started(jump, integrator("dopri5", 0.01, 6.0, tol));
            run_to_end(run);
            CHECK(column(run, "work.nonideal") < -0.5);
            CHECK(run.statistics().energy.max_rel <= tolerance(10.0 * 5.0 * 4.0 * tol));
        }
    }

    // A square net of ropes with diagonals too long, which starts to spin: everything goes slack
    // and taut again.
    TEST_CASE("a spun net of ropes with slack diagonals runs 10 s") {
#ifdef ANCORA_TEST_SHORT
        const double end = 0.5;
#else
        const double end = 10.0;
#endif
        constexpr int n = 5;
        std::string lengths;
        for (int e = 0; e < 2 * n * (n - 1); ++e) lengths += "0.5, ";
        for (int e = 0; e < 2 * (n - 1) * (n - 1); ++e) lengths += "0.74, ";
        Simulation run = model(fmt::format(R"(
[[body]]
name = "net"
type = "truss"
grid = {{ counts = [5, 5], spacing = [0.5, 0.5], origin = [-1.0, -1.0, 0.0], diagonals = true }}
rest_length = [{}]
area = 1.0e-5
young = 1.0e8
density = 1400.0
mass = "lumped"
tension_only = true
node_masses = [[0, 0.3], [4, 0.1], [20, 0.2], [24, 0.2]]
spin = {{ axis = [0.0, 0.1, 1.0], rate = 3.0 }}
)",
                                           lengths) +
                               integrator("emm", 2e-3, end));
        // <eps> of every element from its nodes
        const auto elastic = [&](int& num_slack) {
            const auto q = run.q();
            double sum = 0.0;
            num_slack = 0;
            const auto add = [&](int a, int b, double L) {
                double square = 0.0;
                for (int k = 0; k < 3; ++k) {
                    const double d = q[3 * b + k] - q[3 * a + k];
                    square += d * d;
                }
                const double strain = (square - L * L) / (2.0 * L * L);
                num_slack += strain < 0.0;
                if (strain > 0.0) sum += 0.5 * 1e8 * 1e-5 * L * strain * strain;
            };
            for (int j = 0; j < n; ++j)
                for (int i = 0; i < n; ++i) {
                    const int node = j * n + i;
                    if (i + 1 < n) add(node, node + 1, 0.5);
                    if (j + 1 < n) add(node, node + n, 0.5);
                    if (i + 1 < n && j + 1 < n) add(node, node + n + 1, 0.74);
                    if (i + 1 < n && j + 1 < n) add(node + 1, node + n, 0.74);
                }
            return sum;
        };
        const double energy = column(run, "energy.total");
        int most_slack = 0, least_slack = 72;
        while (!run.done()) {
            run.step();
            int num_slack = 0;
            CHECK(column(run, "energy.potential") == near(elastic(num_slack), 1e-13 * energy));
            most_slack = std::max(most_slack, num_slack);
            least_slack = std::min(least_slack, num_slack);
        }
        CHECK(most_slack > least_slack + 10);
        check_balances(run.statistics());
    }
}

TEST_SUITE("breaking elements") {
    // The mass runs away from its anchor at w until the element's strain is eps_b:
    //   m v^2 / 2 = m w^2 / 2 - E A L eps_b^2 / 2
    Hanging pulled() {
        Hanging pull;
        pull.gravity = 0.0;
        pull.w = -4.0;
        pull.keys = "breaking_strain = 0.1";
        return pull;
    }

    TEST_CASE("when a mass breaks its tether, how fast it goes on, and what that took") {
        const Hanging pull = pulled();
        const double energy = 0.5 * pull.EA * pull.L * 0.1 * 0.1;
        const double v = -std::sqrt(pull.w * pull.w - 2.0 * energy / pull.mass);
        double time = 0.0;
        const State at = integrated_until(
            [&](double z, double) {
                return pull.acceleration(z, pull.young() * pull.strain(z));
            },
            [&](double z, double) {
                return 0.1 - pull.strain(z);
            },
            {-pull.L, pull.w},
            time);
        CHECK(at[1] == near(v, 1e-12));
        double last = 0.0;
        for (const double h : {0.01, 0.005}) {
            Simulation run = started(pull, integrator("emm", h, 0.2));
            run_to_end(run);
            REQUIRE(run.breaks().size() == 1);
            const BreakEvent event = run.breaks()[0];
            CHECK(event.object == "rope");
            CHECK(event.item == 0);
            CHECK(event.energy == near(energy, 1e-13));
            // Energy is kept up to the break, whatever the step: the speed behind it is exact
            CHECK(speed(run) == near(v, 1e-13));
            CHECK(column(run, "work.nonideal") == near(-energy, 1e-13));
            CHECK(column(run, "energy.potential") == 0.0);
            check_balances(run.statistics());
            const double error = event.t - time;
            if (last != 0.0) CHECK(std::log2(last / error) == near(2.0, 0.1));
            last = error;
        }
        for (const std::string type : {"rk4", "dopri5"}) {
            CAPTURE(type);
            Simulation run = started(pull, integrator(type, 5e-4, 0.2));
            run_to_end(run);
            REQUIRE(run.breaks().size() == 1);
            CHECK(run.breaks()[0].t == near(time, 1e-9));
            CHECK(run.breaks()[0].energy == near(energy, 1e-9));
            CHECK(speed(run) == near(v, 1e-9));
            CHECK(column(run, "work.nonideal") == near(-energy, 1e-9));
            CHECK(column(run, "energy.balance") == near(0.0, 1e-9));
        }
    }

    TEST_CASE("rows inside a step of dopri5 lie before and behind the break") {
        const Hanging pull = pulled();
        Simulation run = started(pull, integrator("dopri5", 1e-3, 0.2));
        while (run.breaks().empty()) run.step();
        std::vector<double> row(run.column_names().size());
        const double t = run.time() - 1e-6;
        run.sample_at(t, row);
        const auto names = run.column_names();
        const auto at = std::find(names.begin(), names.end(), "energy.potential") - names.begin();
        CHECK(row[at] > 0.9 * run.breaks()[0].energy);
        CHECK(column(run, "energy.potential") == 0.0);
        run.step();
        CHECK(column(run, "energy.potential") == 0.0);
    }

    // A tension-only element that has gone slack may break later.
    TEST_CASE("a slack tether breaks when it is jerked taut") {
        Hanging pull = pulled();
        pull.z = -0.7;
        pull.keys = "breaking_strain = 0.1\ntension_only = true";
        const double energy = 0.5 * pull.EA * pull.L * 0.1 * 0.1;
        for (const std::string type : {"emm", "rk4", "dopri5"}) {
            CAPTURE(type);
            Simulation run = started(pull, integrator(type, 1e-3, 0.6));
            run_to_end(run);
            REQUIRE(run.breaks().size() == 1);
            CHECK(run.breaks()[0].energy == near(energy, 1e-8));
            CHECK(0.5 * pull.mass * speed(run) * speed(run) ==
                  near(0.5 * pull.mass * 16.0 - energy, 1e-7));
        }
    }

    std::string chain(const std::string& type) {
        return R"(
[[body]]
name = "chain"
type = "truss"
nodes = [[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0], [4, 0, 0]]
elements = [[0, 1], [1, 2], [2, 3], [3, 4]]
area = [3.0e-5, 2.0e-5, 1.0e-5, 2.0e-5]
young = 1.0e8
density = 1000.0
damping = 1.0e4
breaking_strain = 0.02
node_masses = [[0, 5.0], [4, 5.0]]
spin = { axis = [0, 0, 1], rate = 1.2, center = [2.0, 0, 0] }
)" + integrator(type, 1e-3, 2.0);
    }

    TEST_CASE("of a chain the weakest link breaks, and the pieces keep the momenta") {
        for (const std::string type : {"emm", "dopri5"}) {
            CAPTURE(type);
            Simulation run = model(chain(type));
            run_to_end(run);
            REQUIRE(run.breaks().size() == 1);
            CHECK(run.breaks()[0].item == 2);
            CHECK(run.breaks()[0].energy ==
                  near(0.5 * 1e8 * 1e-5 * 0.02 * 0.02, type == "emm" ? 1e-13 : 1e-9));
            if (type == "emm") check_balances(run.statistics());
            // The pieces fly apart
            const double gap =
                (vec3(run.point("chain@3").position) - vec3(run.point("chain@2").position)).norm();
            CHECK(gap > 1.2);
        }
    }

    TEST_CASE("what is broken is part of the state, saved and restored to the bit") {
        for (const std::string type : {"emm", "dopri5"}) {
            CAPTURE(type);
            Simulation run = model(chain(type));
            while (run.breaks().empty()) run.step();
            const auto saved = run.save();
            Simulation other = model(chain(type));
            other.restore(saved);
            for (int k = 0; k < 50; ++k) {
                run.step();
                other.step();
            }
            CHECK(std::equal(run.q().begin(), run.q().end(), other.q().begin()));
            CHECK(std::equal(run.v().begin(), run.v().end(), other.v().begin()));
            CHECK(other.breaks().size() == 1);
            CHECK(other.breaks()[0].t == run.breaks()[0].t);
        }
    }

    TEST_CASE("ropes are saved and restored to the bit") {
        Hanging jump;
        jump.z = -0.5;
        jump.keys = "tension_only = true\ndamping = 1.0e4";
        CHECK(ends_alike_restored(jump.text() + integrator("emm", 3e-3, 2.0), 160));
    }
}

TEST_SUITE("elements: messages") {
    std::string message(const std::string& keys, double z = -1.5) {
        Hanging hanging;
        hanging.keys = keys;
        hanging.z = z;
        try {
            model(hanging.text() + integrator("emm", 1e-3, 1.0));
        } catch (const Error& error) {
            return error.what();
        }
        return "accepted";
    }
    bool says(const std::string& text, const std::string& part) {
        CAPTURE(text);
        const bool found = text.find(part) != std::string::npos;
        CHECK(found);
        return found;
    }

    TEST_CASE("numbers out of range and lists of the wrong kind are named with their place") {
        says(message("damping = -1.0"), "test.toml:14:11: error: ");
        says(message("damping = -1.0"), "damping: expected a value >= 0 Pa s, got -1.0 Pa s");
        says(message("breaking_strain = 0.0"), "breaking_strain: expected a value > 0, got 0.0");
        says(message("breaking_strain = [0.1, 0.2]"),
             "breaking_strain: there are 2 values for 1 element");
        says(message("tension_only = [true, 1.0]"), "tension_only[1]: expected true or false");
        says(message("tension_only = 1.0"),
             "tension_only: expected true or false or an array of them, got 1.0");
        says(message("tension_only = [true, true]"),
             "tension_only: there are 2 values for 1 element");
        says(message("breaking_strain = 0.1", -1.8),
             "breaking_strain: element 0 starts with the Green strain 0.22 and breaks at 0.1");
    }

    TEST_CASE("a mass that only ropes hold must have a mass") {
        std::string text = Hanging{}.text();
        text.replace(text.find("node_masses"), std::string("node_masses").size(), "# ");
        text.replace(text.find("density = 0.0"), 13, "density = 0.0\ntension_only = true");
        try {
            model(text + integrator("emm", 1e-3, 1.0));
            FAIL("accepted");
        } catch (const Error& error) {
            says(error.what(), "has no mass, and no constraint or stiffness determines its motion");
        }
    }
}

}  // namespace ancora::testing
