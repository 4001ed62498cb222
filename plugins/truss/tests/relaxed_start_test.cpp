// SPDX-License-Identifier: BSD-3-Clause
// Tests of `start = "relaxed"`: steady shapes against closed forms and against their own balance.
#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Dense>
#include <doctest/doctest.h>

#include "ancora/sdk/numbers/math.hpp"
#include "material.hpp"
#include "support/plugin_body.hpp"

namespace {

using ancora::Vec3;
using ancora::test::FakeArguments;
using ancora::testing::make;
using ancora::testing::schema;
using Eigen::Index;
using Eigen::VectorXd;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kGravity = 9.81;

bool near(double a, double b, double tol) {
    return std::abs(a - b) <= tol;
}

FakeArguments network(std::vector<double> nodes, std::vector<double> elements) {
    FakeArguments arguments = schema();
    arguments.set_matrix("nodes", 3, std::move(nodes))
        .set_matrix("elements", 2, std::move(elements))
        .set("start", "relaxed");
    return arguments;
}

// A link from the origin to `to` without mass, and a mass of 2 kg there.
FakeArguments pendulum(const Vec3& to) {
    FakeArguments arguments = network({0, 0, 0, to.x(), to.y(), to.z()}, {0, 1});
    arguments.set("young", kInf).set_matrix("node_masses", 2, {0, 1.0, 1, 2.0});
    arguments.set("held", std::vector{0.0}).set_gravity({0.0, 0.0, -kGravity});
    return arguments;
}

// N links along x from 0 to 1, both ends held.
FakeArguments cable(int N, double length, double stiffness) {
    FakeArguments arguments = schema();
    arguments.set_table("grid").set("counts", {N + 1.0, 1.0}).set("spacing", {1.0 / N, 1.0});
    arguments.set("young", stiffness).set("area", 1.0).set("density", 1.0);
    arguments.set("rest_length", length / N).set("start", "relaxed");
    arguments.set("held", {0.0, static_cast<double>(N)}).set_gravity({0.0, 0.0, -kGravity});
    return arguments;
}

FakeArguments grid(double nx, double ny, double dx, double dy, bool diagonals) {
    FakeArguments arguments = schema();
    arguments.set("area", 1e-4).set("young", 1e7).set("density", 2700.0).set("start", "relaxed");
    arguments.set_table("grid")
        .set("counts", {nx, ny})
        .set("spacing", {dx, dy})
        .set("origin", {-0.5 * (nx - 1) * dx, -0.5 * (ny - 1) * dy, 0.0})
        .set("diagonals", diagonals);
    return arguments;
}

void set_spin(FakeArguments& arguments,
              double rate,
              const std::vector<double>& center = {0, 0, 0}) {
    arguments.set_table("spin")
        .set("axis", {0.0, 0.0, 1.0})
        .set("rate", rate)
        .set("center", center);
}

std::pair<VectorXd, VectorXd> start_of(const ancora::Body& body) {
    const auto n = static_cast<Index>(body.coordinates().size());
    VectorXd q(n), v(n);
    body.start({q.data(), q.data() + n}, {v.data(), v.data() + n});
    return {q, v};
}

Vec3 node(const VectorXd& q, Index i) {
    return q.segment<3>(3 * i);
}

VectorXd mass_times(const ancora::Body& body, const VectorXd& a) {
    struct Apply final : ancora::MassSink {
        void add(int i, int j, double value) override {
            f[i] += value * a[j];
            if (i != j) f[j] += value * a[i];
        }
        VectorXd a, f;
    } M;
    M.a = a;
    M.f = VectorXd::Zero(a.size());
    body.mass(M);
    return M.f;
}

// Largest component of M (omega x (omega x (r - c)) - g) + A^T s at nodes that are not held, over
// that of the loads, from the body's own rows and mass; stresses of elastic rows s = pi / c + s0,
// not below 0 for those that bear tension only.
double unbalance(const ancora::Body& body,
                 const Vec3& omega,
                 const Vec3& g,
                 std::initializer_list<Index> held = {}) {
    const VectorXd q = start_of(body).first;
    VectorXd a(q.size());
    for (Index i = 0; i < q.size(); i += 3)
        a.segment<3>(i) = omega.cross(omega.cross(q.segment<3>(i))) - g;
    VectorXd force = mass_times(body, a);
    const double load = force.lpNorm<Eigen::Infinity>();

    const ancora::RowBlock& block = body.row_blocks()[0];
    const auto num = static_cast<std::size_t>(block.num_items);
    std::vector<double> pi(num), A(6 * num);
    const std::span<const double> u(q.data(), static_cast<std::size_t>(q.size()));
    body.evaluate(0, {u, {}, 0.0}, {pi, A, {}, {}});
    for (std::size_t e = 0; e < num; ++e) {
        const ancora::RowLaw& law = block.laws[block.laws.size() == 1 ? 0 : e];
        double s = pi[e] / law.compliance + law.prestress;
        if (ancora::truss::is_tension_only(law)) s = std::fmax(s, 0.0);
        for (std::size_t k = 6 * e; k < 6 * e + 6; ++k) force[block.stencil[k]] += A[k] * s;
    }
    for (const Index i : held) force.segment<3>(3 * i).setZero();
    return force.lpNorm<Eigen::Infinity>() / load;
}

// The zero of a function that rises through it.
template <class Function>
double bisect(double low, double high, const Function& f) {
    for (int k = 0; k < 200; ++k) {
        const double mid = 0.5 * (low + high);
        (f(mid) < 0.0 ? low : high) = mid;
    }
    return low;
}

}  // namespace

TEST_SUITE("truss: relaxed start") {
    // N = E A y (y + 1) (y + 2) / 2 with y = l / L - 1 holds m omega^2 l / 2, so that
    // (l / L)^2 = 1 + m omega^2 L / (E A).
    TEST_CASE("two spinning masses pull their bar to the length that holds them, at any speed") {
        const double m = 3.0, L = 0.8, EA = 2e4;
        for (const double omega : {0.1, 40.0, 1000.0}) {
            FakeArguments arguments = network({1.5, 0, 0, 2.3, 0, 0}, {0, 1});
            arguments.set("density", 0.0).set("area", 1.0).set("young", EA);
            arguments.set("breaking_strain", kInf).set_matrix("node_masses", 2, {0, m, 1, m});
            set_spin(arguments, omega, {1.9, 0.0, 0.3});
            const auto [q, v] = start_of(*make(arguments));
            const double l = L * std::sqrt(1.0 + m * omega * omega * L / EA);
            CHECK((node(q, 0) - Vec3(1.9 - 0.5 * l, 0.0, 0.0)).norm() < 1e-13 * l);
            CHECK((node(q, 1) - Vec3(1.9 + 0.5 * l, 0.0, 0.0)).norm() < 1e-13 * l);
            // The velocities are those of the found shape
            CHECK((node(v, 1) - Vec3(0.0, 0.5 * omega * l, 0.0)).norm() < 1e-12 * omega * l);
        }
    }

    TEST_CASE("a weight on a bar stretches it by E A y (y + 1) (y + 2) / 2 = m g") {
        const double m = 2.0, L = 0.5, EA = 300.0;
        FakeArguments arguments = pendulum({0.3, 0.0, -0.4});
        arguments.set("young", EA).set("area", 1.0).set("density", 0.0);
        const auto q = start_of(*make(arguments)).first;
        const double y = bisect(0.0, 1.0, [&](double x) {
            return 0.5 * EA * x * (x + 1.0) * (x + 2.0) - m * kGravity;
        });
        CHECK(near(q[5], -L * (1.0 + y), 1e-14));
        CHECK(std::hypot(q[3], q[4]) < 1e-12);
        CHECK(node(q, 0) == Vec3::Zero());
    }

    // Each inner node bears w = W / N, so the slopes of the links go up in equal steps,
    // tan(theta_k) = (k - (N - 1) / 2) w / H, and H is such that the span is 1.
    TEST_CASE("a cable of rigid links hangs in its funicular polygon") {
        for (const double length : {1.05, 1.2, 1.5, 4.0})
            for (const int N : {2, 7, 8, 64}) {
                CAPTURE(length);
                CAPTURE(N);
                const auto slope = [&](int k, double w_over_H) {
                    return (k - 0.5 * (N - 1)) * w_over_H;
                };
                const double w_over_H = bisect(0.0, 1e4, [&](double x) {
                    double span = 0.0;
                    for (int k = 0; k < N; ++k) span += length / N / std::hypot(1.0, slope(k, x));
                    return 1.0 - span;
                });
                const auto q = start_of(*make(cable(N, length, kInf))).first;
                Vec3 r = Vec3::Zero();
                double off = 0.0;
                for (int k = 0; k < N; ++k) {
                    const double s = slope(k, w_over_H);
                    r += length / N / std::hypot(1.0, s) * Vec3(1.0, 0.0, s);
                    off = std::fmax(off, (node(q, k + 1) - r).norm());
                }
                CHECK(off < 1e-11);
            }
    }

    TEST_CASE("an elastic cable is in balance, soft, stiff, and pulled taut") {
        for (const double length : {0.9, 1.0, 1.5})
            for (const double stiffness : {10.0, 1e3, 1e5}) {
                CAPTURE(length);
                CAPTURE(stiffness);
                // The rounding of a strain is some N 1e-16, times E A over a load of W / N
                const double rounding = 100.0 * stiffness * 1e-16 * 400.0;
                CHECK(unbalance(*make(cable(20, length, stiffness)),
                                Vec3::Zero(),
                                {0.0, 0.0, -kGravity},
                                {0, 20}) < 1e-12 + rounding);
            }
    }

    TEST_CASE("a spinning grid is in balance, and its centre of mass stays") {
        for (const bool diagonals : {false, true})
            for (const char* kind : {"consistent", "lumped"}) {
                CAPTURE(diagonals);
                CAPTURE(kind);
                FakeArguments arguments = grid(9, 6, 0.5, 0.4, diagonals);
                arguments.set("mass", kind);
                arguments.set_matrix("node_masses", 2, {0, 0.1, 8, 0.1, 45, 0.1, 53, 0.1});
                set_spin(arguments, 5.0);
                const auto body = make(arguments);
                CHECK(unbalance(*body, {0.0, 0.0, 5.0}, Vec3::Zero()) < 1e-11);
                const VectorXd p = mass_times(*body, start_of(*body).first);
                Vec3 moment = Vec3::Zero();
                for (Index i = 0; i < p.size(); i += 3) moment += p.segment<3>(i);
                CHECK(moment.norm() < 1e-14);
            }
    }

    // Its centre hung up, spinning under its weight: an umbrella. Then carried round by two
    // corners.
    TEST_CASE("a net spins under its weight, held at its centre or carried by two corners") {
        FakeArguments umbrella = grid(7, 7, 0.5, 0.5, true);
        umbrella.set("held", std::vector{24.0}).set_gravity({0.0, 0.0, -kGravity});
        set_spin(umbrella, 4.0);
        const auto body = make(umbrella);
        const Vec3 g(0.0, 0.0, -kGravity);
        CHECK(unbalance(*body, {0.0, 0.0, 4.0}, g, {24}) < 1e-10);
        const auto [q, v] = start_of(*body);
        CHECK(node(q, 24) == Vec3::Zero());
        CHECK(q[2] < -0.05);
        CHECK((node(v, 0) - Vec3(0.0, 0.0, 4.0).cross(node(q, 0))).norm() < 1e-15);

        FakeArguments carried = grid(7, 7, 0.5, 0.5, true);
        carried.set("held", {0.0, 6.0}).set_gravity({0.0, 0.0, -kGravity});
        set_spin(carried, 4.0);
        CHECK(unbalance(*make(carried), {0.0, 0.0, 4.0}, g, {0, 6}) < 1e-10);
    }

    // m omega^2 l sin = N sin, m g = N cos: cos(angle) = g / (omega^2 l) from omega^2 = g / l on.
    // Straight down, where it starts, is a balance too, but no longer stable.
    TEST_CASE("a spinning pendulum hangs straight when slow and swings out when fast") {
        for (const double omega : {0.5, 4.0, 5.0, 40.0}) {
            FakeArguments arguments = pendulum({0.0, 0.0, -0.8});
            set_spin(arguments, omega);
            const auto q = start_of(*make(arguments)).first;
            const double cosine = std::fmin(1.0, kGravity / (omega * omega * 0.8));
            CHECK(near(q[5], -0.8 * cosine, 1e-12));
            CHECK(near(node(q, 1).norm(), 0.8, 1e-14));
        }
    }

    TEST_CASE("a column that stands on its tip falls and hangs") {
        const auto q = start_of(*make(pendulum({0.0, 0.0, 0.8}))).first;
        CHECK((node(q, 1) - Vec3(0.0, 0.0, -0.8)).norm() < 1e-12);
    }

    TEST_CASE("a stiff frame that bears its weight stays near the given shape") {
        // A tripod of 2 m with 100 kg on top
        FakeArguments arguments =
            network({1, 0, 0, -0.5, 0.8, 0, -0.5, -0.8, 0, 0, 0, 2}, {0, 3, 1, 3, 2, 3});
        arguments.set("young", 1e6).set("area", 1.0).set("density", 0.0);
        arguments.set_matrix("node_masses", 2, {3, 100.0}).set("held", {0.0, 1.0, 2.0});
        arguments.set_gravity({0.0, 0.0, -kGravity});
        const auto body = make(arguments);
        CHECK(unbalance(*body, Vec3::Zero(), {0, 0, -kGravity}, {0, 1, 2}) < 1e-10);
        const auto q = start_of(*body).first;
        CHECK(q[11] < 2.0);
        CHECK(q[11] > 1.99);
    }

    // The hub's angular velocity and reference point, as `spin` would give them.
    TEST_CASE("a tether carried by a body is stretched as the body's spin asks") {
        FakeArguments arguments = grid(11, 1, 0.4, 1.0, false);
        arguments.set("held", std::vector{5.0});
        set_spin(arguments, 6.0);
        const auto [q, v] = start_of(*make(arguments));
        ancora::RigidMotion carrier;
        carrier.velocity = {0.0, 0.0, 0.5};
        carrier.angular_velocity = {0.0, 0.0, 6.0};
        const auto [q_carried, v_carried] =
            start_of(*make(arguments.erase("spin").set_motion("velocity_from", carrier)));
        CHECK(q_carried == q);
        CHECK(q[30] > 2.0 * (1.0 + 1e-4));
        for (Index i = 0; i < 11; ++i)
            CHECK((node(v_carried, i) - node(v, i) - Vec3(0.0, 0.0, 0.5)).norm() < 1e-15);
    }

    // N = A (E eps + prestress) l / L on both sides of a weight m g = 2 N sin(angle).
    TEST_CASE("a weight on a prestressed string sinks to where its tension holds it") {
        const double m = 0.5, L = 1.0, A = 2.0, E = 100.0, prestress = 30.0;
        FakeArguments arguments = network({-L, 0, 0, 0, 0, 0, L, 0, 0}, {0, 1, 1, 2});
        arguments.set("young", E).set("area", A).set("density", 0.0).set("prestress", prestress);
        arguments.set_matrix("node_masses", 2, {1, m}).set("held", {0.0, 2.0});
        arguments.set_gravity({0.0, 0.0, -kGravity});
        const double sag = bisect(0.0, 1.0, [&](double z) {
            const double l = std::hypot(L, z), strain = 0.5 * (l * l - L * L) / (L * L);
            return 2.0 * A * (E * strain + prestress) * l / L * (z / l) - m * kGravity;
        });
        CHECK(near(start_of(*make(arguments)).first[5], -sag, 1e-14));
    }

    TEST_CASE("a hammock of ropes is in balance, some of them slack") {
        FakeArguments arguments = grid(9, 9, 0.25, 0.25, true);
        arguments.set("rest_length", 0.28).set("tension_only", true).set("young", 1e6);
        arguments.set("held", {0.0, 8.0, 72.0, 80.0}).set_gravity({0.0, 0.0, -kGravity});
        const auto body = make(arguments);
        // Rounding of strains, 1e-15, times E A over the load of a node, 0.1 N
        CHECK(unbalance(*body, Vec3::Zero(), {0.0, 0.0, -kGravity}, {0, 8, 72, 80}) < 1e-11);
        int num_slack = 0;
        const auto q = start_of(*body).first;
        for (int e = 0; e < body->row_blocks()[0].num_items; ++e) {
            const auto stencil = body->row_blocks()[0].stencil.subspan(6 * std::size_t(e), 6);
            num_slack += (node(q, stencil[3] / 3) - node(q, stencil[0] / 3)).norm() < 0.28;
        }
        CHECK(num_slack > 10);
    }

    // A rigid link above a spring: the link keeps its length, the spring bears m g.
    TEST_CASE("rigid and elastic elements in one chain") {
        const double m = 2.0, EA = 300.0;
        FakeArguments arguments = network({0, 0, 0, 0.3, 0, -0.4, 0.7, 0, -0.7}, {0, 1, 1, 2});
        arguments.set("young", {kInf, EA}).set("area", 1.0).set("density", 0.0);
        arguments.set_matrix("node_masses", 2, {2, m}).set("held", std::vector{0.0});
        arguments.set_gravity({0.0, 0.0, -kGravity});
        const auto q = start_of(*make(arguments)).first;
        const double y = bisect(0.0, 1.0, [&](double x) {
            return 0.5 * EA * x * (x + 1.0) * (x + 2.0) - m * kGravity;
        });
        CHECK(near(q[5], -0.5, 1e-13));
        CHECK(near(q[8], -0.5 - 0.5 * (1.0 + y), 1e-12));
    }

    TEST_CASE("without loads and strains the shape stays as given, to the last digit") {
        FakeArguments arguments = grid(5, 4, 0.3, 0.2, true);
        const auto relaxed = start_of(*make(arguments)).first;
        CHECK(relaxed == start_of(*make(arguments.set("start", "given"))).first);
    }

    TEST_CASE("what has no steady shape is refused, with the place") {
        FakeArguments falling = cable(4, 1.2, kInf);
        falling.erase("held");
        CHECK_THROWS_WITH(make(falling),
                          "start: no steady shape: node 0 and what hangs together with it has a "
                          "weight, and nothing holds it; name nodes in \"held\" that the model "
                          "fixes");

        FakeArguments short_cable = cable(4, 0.9, kInf);
        CHECK_THROWS_WITH(make(short_cable),
                          doctest::Contains("cannot keep its length; its strain would be "));

        FakeArguments oblique = pendulum({0.3, 0.0, -0.4});
        oblique.set_gravity({0.1, 0.0, -kGravity});
        set_spin(oblique, 4.0);
        CHECK_THROWS_WITH(make(oblique),
                          "start: no steady shape: gravity is not along the axis of the spin, so "
                          "that the load of a node changes as it goes round; turn one of them");

        FakeArguments off_center = grid(3, 3, 1.0, 1.0, true);
        set_spin(off_center, 1.0, {0.1, 0.0, 0.0});
        CHECK_THROWS_WITH(make(off_center),
                          "start: no steady shape: nothing holds node 0 and what hangs together "
                          "with it, and its centre of mass is 0.1 m off the axis of the spin; put "
                          "\"center\" there, or name nodes in \"held\" that the model carries "
                          "round");
    }

    TEST_CASE("an element that the load breaks is named") {
        FakeArguments arguments = pendulum({0.3, 0.0, -0.4});
        arguments.set("young", 300.0).set("area", 1.0).set("density", 0.0);
        arguments.set("breaking_strain", 0.05);
        CHECK_THROWS_WITH(make(arguments),
                          doctest::Contains("start: no steady shape: element 0 from node 0 to 1 "
                                            "breaks; the strain there would be 0.06"));
        CHECK_NOTHROW(make(arguments.set("breaking_strain", 0.07)));
    }

    // A mass on a spring about the axis: E A (y^2 - 1) / 2 y = m omega^2 L y, with y = l / L
    TEST_CASE("spun so fast that elements stretch beyond the law, it is refused unless told") {
        constexpr double L = 0.8, EA = 300.0, m = 2.0;
        const auto spun = [&](double stretch) {
            FakeArguments arguments = pendulum({L, 0.0, 0.0});
            arguments.set("young", EA).set("area", 1.0).set("density", 0.0);
            arguments.set_gravity({0.0, 0.0, 0.0});
            set_spin(arguments, std::sqrt(EA * (stretch * stretch - 1.0) / (2.0 * m * L)));
            return arguments;
        };
        CHECK_NOTHROW(make(spun(1.499)));
        FakeArguments fast = spun(2.0);
        CHECK_THROWS_WITH(make(fast),
                          "start: in the steady shape element 0 from node 0 to 1 would be 2 times "
                          "as long as at rest, and a linear law is no model beyond 1.5; check "
                          "\"young\", \"area\", masses and the spin, or state the Green strain "
                          "that the elements bear in \"breaking_strain\" (inf: any)");
        // (2^2 - 1) / 2
        CHECK_THROWS_WITH(make(fast.set("breaking_strain", 1.4)),
                          doctest::Contains("element 0 from node 0 to 1 breaks; the strain there "
                                            "would be 1.5"));
        CHECK(near(start_of(*make(fast.set("breaking_strain", 1.6))).first[3], 2.0 * L, 1e-12));
        CHECK_NOTHROW(make(fast.set("breaking_strain", kInf)));
    }

    TEST_CASE("two ways to a steady start, and nodes that do not exist, are refused") {
        FakeArguments both = grid(3, 3, 1.0, 1.0, true);
        set_spin(both, 1.0);
        both.set("rest_length", "spin");
        CHECK_THROWS_WITH(make(both),
                          "start: rest_length = \"spin\" chooses rest lengths for the shape as "
                          "given, start = \"relaxed\" the shape for given rest lengths; keep one "
                          "of them");
        CHECK_THROWS_WITH(make(cable(4, 1.2, kInf).set("held", std::vector{5.0})),
                          "held: there is no node 5; the nodes are 0 to 4");
        CHECK_THROWS_WITH(make(cable(4, 1.2, kInf).set("held", std::vector{0.5})),
                          "held: there is no node 0.5; the nodes are 0 to 4");
    }
}
