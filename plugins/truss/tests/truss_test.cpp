// SPDX-License-Identifier: BSD-3-Clause
// Tests of the body type `truss`: rows, mass, start, steady spin, numbering and messages.
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Dense>
#include <doctest/doctest.h>

#include "ancora/sdk/numbers/math.hpp"
#include "support/plugin_body.hpp"

namespace {

using ancora::Locator;
using ancora::Vec3;
using ancora::test::FakeArguments;
using ancora::testing::make;
using ancora::testing::schema;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Span = std::span<const double>;

constexpr double kInf = std::numeric_limits<double>::infinity();

// |a - b| within tol, with tol the absolute error that is allowed.
bool near(double a, double b, double tol) {
    return std::abs(a - b) <= tol;
}

FakeArguments steel() {
    FakeArguments arguments = schema();
    arguments.set("area", 1e-4).set("young", 70e9).set("density", 2700.0);
    return arguments;
}

FakeArguments bar() {
    FakeArguments arguments = steel();
    arguments.set("from", {1.5, 0.0, 0.0}).set("to", {2.3, 0.0, 0.0});
    return arguments;
}

FakeArguments grid(double nx, double ny, double dx, double dy, bool diagonals = false) {
    FakeArguments arguments = steel();
    arguments.set_table("grid")
        .set("counts", {nx, ny})
        .set("spacing", {dx, dy})
        .set("origin", {-0.5 * (nx - 1) * dx, -0.5 * (ny - 1) * dy, 0.0})
        .set("diagonals", diagonals);
    return arguments;
}

// A tetrahedron with a tail: unequal lengths, a node of one element, rest lengths off the start.
FakeArguments tetrahedron() {
    FakeArguments arguments = steel();
    arguments
        .set_matrix("nodes", 3, {0, 0, 0, 1, 0, 0.1, 0.2, 0.9, 0, 0.3, 0.4, 1.1, 0.5, 0.5, 2.0})
        .set_matrix("elements", 2, {0, 1, 0, 2, 3, 0, 1, 2, 1, 3, 3, 2, 3, 4})
        .set("rest_length", {1.1, 0.9, 1.0, 1.3, 1.2, 1.25, 0.8});
    return arguments;
}

struct DenseMass final : ancora::MassSink {
    explicit DenseMass(Index n) : M(MatrixXd::Zero(n, n)) {}
    void add(int i, int j, double value) override {
        REQUIRE(i >= j);
        const bool is_new = M(i, j) == 0.0;
        REQUIRE(is_new);
        M(i, j) = M(j, i) = value;
    }
    MatrixXd M;
};

MatrixXd mass_of(const ancora::Body& body) {
    DenseMass sink(static_cast<Index>(body.coordinates().size()));
    body.mass(sink);
    return sink.M;
}

std::pair<VectorXd, VectorXd> start_of(const ancora::Body& body) {
    const auto n = static_cast<Index>(body.coordinates().size());
    VectorXd q(n), v(n);
    body.start({q.data(), q.data() + n}, {v.data(), v.data() + n});
    return {q, v};
}

Locator node(std::int64_t index) {
    Locator where;
    where.kind = Locator::Kind::index;
    where.index = index;
    return where;
}

Span view(const VectorXd& x) {
    return {x.data(), static_cast<std::size_t>(x.size())};
}

VectorXd strains(const ancora::Body& body, const VectorXd& q) {
    VectorXd pi(body.row_blocks()[0].num_items);
    body.evaluate(0, {view(q), {}, 0.0}, {{pi.data(), pi.data() + pi.size()}, {}, {}, {}});
    return pi;
}

// The rows of a block, E x 6, spread over all coordinates.
MatrixXd spread(const ancora::Body& body, const std::vector<double>& A) {
    const ancora::RowBlock& block = body.row_blocks()[0];
    MatrixXd out = MatrixXd::Zero(block.num_items, static_cast<Index>(body.coordinates().size()));
    for (std::size_t k = 0; k < A.size(); ++k)
        out(static_cast<Index>(k / 6), block.stencil[k]) += A[k];
    return out;
}

MatrixXd jacobian(const ancora::Body& body, const VectorXd& q) {
    std::vector<double> A(6 * static_cast<std::size_t>(body.row_blocks()[0].num_items));
    body.evaluate(0, {view(q), {}, 0.0}, {{}, A, {}, {}});
    return spread(body, A);
}

MatrixXd discrete_jacobian(const ancora::Body& body, const VectorXd& q0, const VectorXd& dq) {
    std::vector<double> B(6 * static_cast<std::size_t>(body.row_blocks()[0].num_items));
    const VectorXd mid = q0 + 0.5 * dq;
    const VectorXd q1 = q0 + dq;
    body.evaluate_step(
        0, {view(q0), view(dq), view(mid), view(q1), {}, 0.0, 0.1, {}, {}}, {B, {}, {}, {}});
    return spread(body, B);
}

// Stress of elastic rows, s = eps / c.
VectorXd stresses(const ancora::Body& body, const VectorXd& q) {
    const ancora::RowBlock& block = body.row_blocks()[0];
    VectorXd s = strains(body, q);
    for (Index e = 0; e < s.size(); ++e)
        s[e] /= block.laws[block.laws.size() == 1 ? 0 : static_cast<std::size_t>(e)].compliance;
    return s;
}

VectorXd random_vector(Index n, unsigned seed) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    return VectorXd::NullaryExpr(n, [&] {
        return uniform(engine);
    });
}

struct Weights final : ancora::AttachmentSink {
    void weight(int component, int coordinate, double value) override {
        at[{component, coordinate}] += value;
    }
    void constant(int, double) override { FAIL("a node has no constant part"); }
    void nonlinear(int, std::span<const std::int32_t>) override { FAIL("a node is linear"); }
    std::map<std::pair<int, int>, double> at;
};

// Largest unbalanced force of the steady rotation `omega` about `center`, M a + A^T s, relative to
// the largest load.
double unbalance(const ancora::Body& body, const Vec3& omega, const Vec3& center = Vec3::Zero()) {
    const auto [q, v] = start_of(body);
    VectorXd a(q.size());
    for (Index i = 0; i < q.size(); i += 3)
        a.segment<3>(i) = omega.cross(omega.cross(q.segment<3>(i) - center));
    const VectorXd load = mass_of(body) * a;
    const VectorXd force = jacobian(body, q).transpose() * stresses(body, q);
    return (load + force).lpNorm<Eigen::Infinity>() / load.lpNorm<Eigen::Infinity>();
}

}  // namespace

TEST_SUITE("truss: rows") {
    TEST_CASE("an element has the Green strain of its length and the compliance 1 / (E A L)") {
        FakeArguments arguments = bar();
        arguments.set("rest_length", 0.5);
        const auto body = make(arguments);
        const ancora::RowBlock& block = body->row_blocks()[0];
        CHECK(block.num_items == 1);
        CHECK(block.degree == ancora::Degree::quadratic);
        CHECK(block.tangent == ancora::TangentForm::isotropic);
        CHECK(block.laws[0].kind == ancora::RowKind::elastic);
        CHECK(near(block.laws[0].compliance * (70e9 * 1e-4 * 0.5), 1.0, 1e-15));

        // l = 0.8, L = 0.5: (0.64 - 0.25) / 0.5
        CHECK(near(strains(*body, start_of(*body).first)[0], 0.78, 1e-15));
    }

    TEST_CASE("without a rest length the start is free of strain, to the last digit") {
        const auto body = make(grid(20, 13, 0.1, 0.3, true));
        CHECK(strains(*body, start_of(*body).first).lpNorm<Eigen::Infinity>() <= 2.3e-16);
    }

    // eps = x + x^2 / 2 for l = (1 + x) L; the numbers below are exact in double precision.
    TEST_CASE("small strains keep an absolute accuracy of rounding") {
        const auto body = make(bar().set("from", {0.0, 0.0, 0.0}).set("to", {1.0, 0.0, 0.0}));
        for (const double x : {1e-3, 1e-6, 1e-9, 1e-12}) {
            VectorXd q = start_of(*body).first;
            q[3] += x;
            const double exact = q[3] - 1.0;
            CHECK(near(strains(*body, q)[0], exact + 0.5 * exact * exact, 1e-18 + 3e-16 * x));
        }
    }

    TEST_CASE("infinite stiffness makes a constraint") {
        const auto body = make(bar().set("young", kInf));
        CHECK(body->row_blocks()[0].laws[0].kind == ancora::RowKind::constraint);
    }

    // s = A L (E eps + damping eps' + prestress)
    TEST_CASE("each element has the law of its own numbers") {
        FakeArguments arguments = tetrahedron();
        arguments.erase("rest_length").set("rest_length", 2.0);
        arguments.set("young", {1e6, 2e6, kInf, 4e6, 5e6, 6e6, 7e6});
        arguments.set("area", {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0});
        arguments.set("damping", {10.0, 0.0, 0.0, 0.0, 0.0, 0.0, 3.0});
        arguments.set("prestress", {0.0, -20.0, 0.0, 0.0, 0.0, 0.0, 5.0});
        const auto body = make(arguments);
        const std::span<const ancora::RowLaw> laws = body->row_blocks()[0].laws;
        REQUIRE(laws.size() == 7);
        CHECK(near(laws[1].compliance * 2e6 * 2.0 * 2.0, 1.0, 1e-15));
        CHECK(laws[0].viscosity == 10.0 * 1.0 * 2.0);
        CHECK(laws[6].viscosity == 3.0 * 7.0 * 2.0);
        CHECK(laws[1].prestress == -20.0 * 2.0 * 2.0);
        CHECK(laws[2].kind == ancora::RowKind::constraint);
        CHECK(laws[3].kind == ancora::RowKind::elastic);
    }

    TEST_CASE("the Jacobian is the derivative of the strains") {
        const auto body = make(tetrahedron());
        const VectorXd q = start_of(*body).first + 0.2 * random_vector(15, 1);
        const MatrixXd A = jacobian(*body, q);
        for (Index k = 0; k < q.size(); ++k) {
            // Strains are quadratic, so the central difference is exact for any step
            VectorXd plus = q, minus = q;
            plus[k] += 0.125;
            minus[k] -= 0.125;
            const VectorXd slope = (strains(*body, plus) - strains(*body, minus)) / 0.25;
            CHECK((A.col(k) - slope).lpNorm<Eigen::Infinity>() < 1e-14);
        }
    }

    // On q + v t the strain is quadratic in t and pi'' = -b.
    TEST_CASE("the bias is minus the second derivative of the strain along a straight motion") {
        const auto body = make(tetrahedron());
        const VectorXd q = start_of(*body).first, v = random_vector(15, 2);
        VectorXd b(7), pi_t = VectorXd::Ones(7);
        body->evaluate(0, {view(q), view(v), 0.0}, {{}, {}, {pi_t.data(), 7}, {b.data(), 7}});
        const VectorXd second =
            strains(*body, q + v) - 2.0 * strains(*body, q) + strains(*body, q - v);
        CHECK((b + second).lpNorm<Eigen::Infinity>() < 1e-14);
        CHECK(pi_t.isZero(0.0));
    }

    TEST_CASE("over a step of any size the discrete Jacobian gives the change of the strain") {
        const auto body = make(tetrahedron());
        for (const double size : {1e-6, 1e-2, 1.0, 10.0}) {
            const VectorXd q0 = start_of(*body).first, dq = size * random_vector(15, 3);
            const VectorXd change = strains(*body, q0 + dq) - strains(*body, q0);
            const VectorXd error = discrete_jacobian(*body, q0, dq) * dq - change;
            CHECK(error.lpNorm<Eigen::Infinity>() < 1e-15 * (1.0 + size) * (1.0 + size));
        }
    }

    TEST_CASE("the tangent is the derivative of the element forces at constant stress") {
        const auto body = make(tetrahedron());
        const ancora::RowBlock& block = body->row_blocks()[0];
        const VectorXd mid = start_of(*body).first, s = random_vector(7, 4);
        std::vector<double> G(28);
        body->evaluate_tangent(0, {.mid = view(mid), .s = view(s), .positive_part = false}, G);
        MatrixXd spread_G = MatrixXd::Zero(15, 15);
        for (std::size_t e = 0; e < 7; ++e)
            for (std::size_t i = 0; i < 6; ++i)
                for (std::size_t j = 0; j < 6; ++j)
                    if (i % 3 == j % 3)
                        spread_G(block.stencil[6 * e + i], block.stencil[6 * e + j]) +=
                            G[4 * e + 2 * (i / 3) + j / 3];

        // A^T s is linear in q
        const VectorXd dq = random_vector(15, 5);
        const VectorXd change = (jacobian(*body, mid + dq) - jacobian(*body, mid)).transpose() * s;
        CHECK((spread_G * dq - change).lpNorm<Eigen::Infinity>() < 1e-14);
    }

    TEST_CASE("the positive part leaves compressed elements out") {
        const auto body = make(bar());
        const auto [q, v] = start_of(*body);
        std::array<double, 4> G;
        const std::array<double, 1> push = {-3.0}, pull = {3.0};
        body->evaluate_tangent(0, {.mid = view(q), .s = push, .positive_part = true}, G);
        CHECK(G == std::array<double, 4>{0.0, 0.0, 0.0, 0.0});
        body->evaluate_tangent(0, {.mid = view(q), .s = pull, .positive_part = true}, G);
        CHECK(near(G[0], 3.0 / 0.64, 1e-14));
        CHECK(G[1] == -G[0]);
        body->evaluate_tangent(0, {.mid = view(q), .s = push, .positive_part = false}, G);
        CHECK(near(G[3], -3.0 / 0.64, 1e-14));
    }
}

TEST_SUITE("truss: mass and start") {
    TEST_CASE("the consistent mass is rho A L / 6 [2 1; 1 2], the lumped one half on each node") {
        const double m = 2700.0 * 1e-4 * 0.8;
        const MatrixXd consistent = mass_of(*make(bar()));
        CHECK(near(consistent(0, 0), m / 3.0, 1e-16));
        CHECK(near(consistent(3, 0), m / 6.0, 1e-16));
        CHECK(consistent(1, 0) == 0.0);
        const MatrixXd lumped = mass_of(*make(bar().set("mass", "lumped")));
        CHECK(near(lumped(2, 2), 0.5 * m, 1e-16));
        CHECK(lumped(3, 0) == 0.0);
    }

    TEST_CASE("mass follows the rest length, and point masses add to it") {
        FakeArguments arguments = bar();
        arguments.set("rest_length", 0.5).set_matrix("node_masses", 2, {1, 7.0});
        const MatrixXd M = mass_of(*make(arguments));
        for (Index k = 0; k < 3; ++k) {
            double total = 0.0;
            for (Index i = k; i < 6; i += 3)
                for (Index j = k; j < 6; j += 3) total += M(i, j);
            CHECK(near(total, 2700.0 * 1e-4 * 0.5 + 7.0, 1e-14));
        }
        CHECK(near(M(3, 3) - M(0, 0), 7.0, 1e-14));
    }

    TEST_CASE("a spring has no mass, and point masses alone need no density") {
        CHECK(mass_of(*make(bar().set("density", 0.0))).isZero(0.0));
        FakeArguments dumbbell = bar();
        dumbbell.erase("density").erase("area").set("young", kInf);
        dumbbell.set_matrix("node_masses", 2, {0, 2.0, 1, 3.0});
        const MatrixXd M = mass_of(*make(dumbbell));
        CHECK(M.diagonal() == (VectorXd(6) << 2, 2, 2, 3, 3, 3).finished());
        CHECK(M.sum() == 15.0);
    }

    // 3 x 3 nodes at distance 1, 12 bars of mass 1, spinning about the middle one. Consistent: bars
    // are rods, J = 4 (1/12 + 1/4) + 8 (1/12 + 5/4) = 12. Lumped: corners 1, sides 3/2, middle 2,
    // J = 4 * 2 * 1 + 4 * 1 * 3/2 = 14.
    TEST_CASE("a spun grid has the momentum and angular momentum of its rods or nodes") {
        for (const auto& [kind, J] : {std::pair{"consistent", 12.0}, std::pair{"lumped", 14.0}}) {
            FakeArguments arguments = grid(3, 3, 1.0, 1.0);
            arguments.set("area", 0.01).set("density", 100.0).set("mass", kind);
            arguments.set("velocity", {0.5, 0.0, -0.25});
            arguments.set_table("spin").set("axis", {0.0, 0.0, 3.0}).set("rate", 2.0);
            const auto body = make(arguments);
            const auto [q, v] = start_of(*body);
            const VectorXd p = mass_of(*body) * v;
            Vec3 P = Vec3::Zero(), L = Vec3::Zero();
            for (Index i = 0; i < q.size(); i += 3) {
                P += p.segment<3>(i);
                L += q.segment<3>(i).cross(p.segment<3>(i));
            }
            CHECK((P - Vec3(6.0, 0.0, -3.0)).norm() < 1e-13);
            CHECK((L - Vec3(0.0, 0.0, 2.0 * J)).norm() < 1e-13);
        }
    }

    TEST_CASE("the spin's center and the axis set where nodes go") {
        FakeArguments arguments = bar();
        arguments.set_table("spin")
            .set("axis", {0.0, 2.0, 0.0})
            .set("rate", 3.0)
            .set("center", {1.5, 1.0, 0.0});
        const auto [q, v] = start_of(*make(arguments));
        CHECK(v.head<3>().norm() < 1e-15);
        CHECK((v.tail<3>() - Vec3(0.0, 0.0, -3.0 * (2.3 - 1.5))).norm() < 1e-15);
    }

    TEST_CASE("carried by a body, nodes start with its velocity field") {
        ancora::RigidMotion carrier;
        carrier.position = {1.0, 0.0, 0.0};
        carrier.velocity = {0.1, 0.2, 0.3};
        carrier.angular_velocity = {0.0, 0.0, 2.0};
        const auto [q, v] = start_of(*make(bar().set_motion("velocity_from", carrier)));
        CHECK((v.head<3>() - Vec3(0.1, 0.2 + 2.0 * 0.5, 0.3)).norm() < 1e-15);
        CHECK((v.tail<3>() - Vec3(0.1, 0.2 + 2.0 * 1.3, 0.3)).norm() < 1e-15);
    }

    TEST_CASE("coordinates are the components of the nodes, and nodes are attachments") {
        const auto body = make(tetrahedron());
        CHECK(body->coordinates().size() == 15);
        const ancora::Coordinate c = body->coordinates()[7];
        CHECK(c.vector == 2);
        CHECK(c.axis == 1);
        CHECK(c.translates);
        CHECK(c.reach == 1.0);

        Weights sink;
        body->attach(node(4), sink);
        CHECK(sink.at ==
              std::map<std::pair<int, int>, double>{{{0, 12}, 1}, {{1, 13}, 1}, {{2, 14}, 1}});
    }

    TEST_CASE("two nodes report the position of the first, a network reports none") {
        const auto body = make(bar().set("velocity", {1.0, 2.0, 3.0}));
        CHECK(body->pose_kind() == ancora::PoseKind::position);
        const auto [q, v] = start_of(*body);
        ancora::Pose pose;
        body->pose(view(q), view(v), pose);
        CHECK(pose.position == std::array<double, 3>{1.5, 0.0, 0.0});
        CHECK(pose.velocity == std::array<double, 3>{1.0, 2.0, 3.0});
        CHECK(make(tetrahedron())->pose_kind() == ancora::PoseKind::none);
    }
}

TEST_SUITE("truss: grids") {
    TEST_CASE("nodes count along the first direction first") {
        FakeArguments arguments = steel();
        arguments.set_table("grid")
            .set("counts", {4.0, 3.0})
            .set("spacing", {0.5, 2.0})
            .set("origin", {1.0, 0.0, 0.0})
            .set_matrix("directions", 3, {0.0, 3.0, 0.0, 0.0, 0.0, 0.1});
        const auto [q, v] = start_of(*make(arguments));
        CHECK(q.size() == 36);
        // Node 6 is (2, 1)
        CHECK(q.segment<3>(18) == Vec3(1.0, 1.0, 2.0));
    }

    TEST_CASE("elements run along the first direction, the second, then the diagonals") {
        const auto body = make(grid(3, 2, 1.0, 1.0, true));
        const ancora::RowBlock& block = body->row_blocks()[0];
        std::vector<std::pair<int, int>> found;
        for (std::size_t e = 0; e < static_cast<std::size_t>(block.num_items); ++e)
            found.emplace_back(block.stencil[6 * e] / 3, block.stencil[6 * e + 3] / 3);
        CHECK(found == std::vector<std::pair<int, int>>{{0, 1},
                                                        {1, 2},
                                                        {3, 4},
                                                        {4, 5},
                                                        {0, 3},
                                                        {1, 4},
                                                        {2, 5},
                                                        {0, 4},
                                                        {1, 5},
                                                        {1, 3},
                                                        {2, 4}});
    }

    TEST_CASE("a row of nodes is a chain") {
        CHECK(make(grid(5, 1, 1.0, 1.0, true))->row_blocks()[0].num_items == 4);
        CHECK(make(grid(1, 5, 1.0, 1.0, true))->row_blocks()[0].num_items == 4);
    }
}

TEST_SUITE("truss: steady spin") {
    // Two masses m at distance l joined by a massless bar: N = m omega^2 l / 2. The rest length by
    // bisection of N(L) = E A eps l / L, which falls with L.
    TEST_CASE("two masses: the bar's tension is m omega^2 r") {
        const double m = 3.0, omega = 40.0, l = 0.8, EA = 2e4;
        FakeArguments arguments = bar();
        arguments.set("density", 0.0).set("area", 1.0).set("young", EA).set("rest_length", "spin");
        arguments.set_matrix("node_masses", 2, {0, m, 1, m});
        arguments.set_table("spin")
            .set("axis", {0.0, 0.0, 1.0})
            .set("rate", omega)
            .set("center", {1.9, 0.0, 0.0});
        const auto body = make(arguments);

        double low = 0.1 * l, high = l;
        for (int k = 0; k < 200; ++k) {
            const double L = 0.5 * (low + high);
            const double N = EA * (l * l - L * L) / (2.0 * L * L) * l / L;
            (N > m * omega * omega * 0.5 * l ? low : high) = L;
        }
        const double compliance = body->row_blocks()[0].laws[0].compliance;
        CHECK(near(1.0 / (compliance * EA), low, 1e-15));
    }

    // Lumped, without diagonals: N = omega^2 x (sum of m x of all nodes further out on the line).
    TEST_CASE("a rectangular net carries on each line what lies outward of it") {
        FakeArguments arguments = grid(5, 3, 1.0, 2.0);
        arguments.set("area", 0.01).set("young", 1e9).set("density", 0.0);
        std::vector<double> masses;
        for (int i = 0; i < 15; ++i) masses.insert(masses.end(), {static_cast<double>(i), 2.0});
        arguments.set_matrix("node_masses", 2, masses).set("rest_length", "spin");
        arguments.set_table("spin").set("axis", {0.0, 0.0, 1.0}).set("rate", 10.0);
        const auto body = make(arguments);
        const auto [q, v] = start_of(*body);
        // Tension N = |force on the outer node| of elements (1,0)-(2,0) and (0,0)-(1,0)
        const MatrixXd A = jacobian(*body, q);
        const VectorXd s = stresses(*body, q);
        CHECK(near(std::abs(s[1] * A(1, 6)), 100.0 * 2.0 * (1.0 + 2.0), 1e-6));
        CHECK(near(std::abs(s[0] * A(0, 3)), 100.0 * 2.0 * 2.0, 1e-6));
    }

    // a = omega x (omega x r) at every node: M a + A^T s = 0.
    TEST_CASE("forces balance the centripetal loads") {
        for (const bool diagonals : {false, true})
            for (const char* kind : {"consistent", "lumped"}) {
                CAPTURE(diagonals);
                CAPTURE(kind);
                FakeArguments arguments = grid(9, 6, 0.5, 0.4, diagonals);
                arguments.set("young", 1e7).set("mass", kind).set("rest_length", "spin");
                arguments.set_matrix("node_masses", 2, {0, 0.1, 8, 0.1, 45, 0.1, 53, 0.1});
                arguments.set_table("spin").set("axis", {0.0, 0.0, 1.0}).set("rate", 5.0);
                CHECK(unbalance(*make(arguments), {0.0, 0.0, 5.0}) < 1e-11);
            }
    }

    TEST_CASE("forces balance the loads where every element has numbers of its own") {
        FakeArguments arguments = grid(6, 4, 0.5, 0.4, true);
        std::vector<double> young, area, masses;
        for (int e = 0; e < 5 * 4 + 6 * 3 + 2 * 5 * 3; ++e) {
            young.push_back(1e7 * (1.0 + e % 3));
            area.push_back(1e-4 * (1.0 + e % 5));
        }
        for (int i = 0; i < 24; ++i) masses.insert(masses.end(), {static_cast<double>(i), 0.1});
        arguments.set("young", young).set("area", area).set("density", 0.0);
        arguments.set_matrix("node_masses", 2, masses).set("rest_length", "spin");
        arguments.set_table("spin").set("axis", {0.0, 0.0, 1.0}).set("rate", 5.0);
        CHECK(unbalance(*make(arguments), {0.0, 0.0, 5.0}) < 1e-11);
    }

    TEST_CASE("every element brings the mass of its own density and area") {
        FakeArguments arguments = tetrahedron();
        arguments.set("density", {1.0, 2.0, 0.0, 4.0, 5.0, 6.0, 7.0});
        arguments.set("area", {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7});
        const MatrixXd M = mass_of(*make(arguments));
        // Elements 0 and 1 join nodes 0 and 1, 0 and 2; element 2 has no mass
        CHECK(near(M(3, 0), 1.0 * 0.1 * 1.1 / 6.0, 1e-16));
        CHECK(near(M(6, 0), 2.0 * 0.2 * 0.9 / 6.0, 1e-16));
        CHECK(M(9, 0) == 0.0);
        CHECK(near(M(0, 0), (0.1 * 1.1 + 0.4 * 0.9) / 3.0, 1e-16));
    }

    TEST_CASE("a stretch of half the length converges as well") {
        FakeArguments arguments = grid(21, 1, 0.5, 1.0);
        arguments.set("young", 1e7).set("rest_length", "spin");
        arguments.set_table("spin").set("axis", {0.0, 1.0, 0.0}).set("rate", 12.0);
        const auto body = make(arguments);
        CHECK(strains(*body, start_of(*body).first).maxCoeff() > 0.3);
        CHECK(unbalance(*body, {0.0, 12.0, 0.0}) < 1e-13);
    }

    TEST_CASE("a net of 60 x 60 nodes in an oblique plane balances") {
        FakeArguments arguments = steel();
        arguments.set_table("grid")
            .set("counts", {60.0, 60.0})
            .set("spacing", {1.0, 1.0})
            .set("origin", {0.0, 0.0, 0.0})
            .set_matrix("directions", 3, {2.0, 1.0, 2.0, -2.0, 2.0, 1.0});
        const Vec3 e1 = Vec3(2, 1, 2) / 3.0, e2 = Vec3(-2, 2, 1) / 3.0, n = e1.cross(e2);
        const Vec3 center = 29.5 * (e1 + e2);
        arguments.set("rest_length", "spin");
        arguments.set_table("spin")
            .set("axis", {n.x(), n.y(), n.z()})
            .set("rate", 0.5)
            .set("center", {center.x(), center.y(), center.z()});
        const auto body = make(arguments);
        const auto [q, v] = start_of(*body);

        // Sums by element, since a dense matrix of this size would take seconds
        VectorXd rest = VectorXd::Zero(q.size());
        struct Apply final : ancora::MassSink {
            void add(int i, int j, double value) override {
                f[i] += value * a[j];
                if (i != j) f[j] += value * a[i];
            }
            VectorXd a, f;
        } M;
        M.a.resize(q.size());
        M.f = VectorXd::Zero(q.size());
        for (Index i = 0; i < q.size(); i += 3)
            M.a.segment<3>(i) = -0.25 * (q.segment<3>(i) - center);
        body->mass(M);
        const ancora::RowBlock& block = body->row_blocks()[0];
        const VectorXd s = stresses(*body, q);
        std::vector<double> A(block.stencil.size());
        body->evaluate(0, {view(q), {}, 0.0}, {{}, A, {}, {}});
        rest = M.f;
        for (std::size_t k = 0; k < A.size(); ++k)
            rest[block.stencil[k]] += A[k] * s[static_cast<Index>(k / 6)];
        // E A times the rounding of a strain is 7e6 * 2e-16 N, the loads are some 5 N
        CHECK(rest.lpNorm<Eigen::Infinity>() < 1e-8);
    }

    TEST_CASE("what cannot hold its shape is refused, with the place") {
        FakeArguments off_center = grid(3, 3, 1.0, 1.0);
        off_center.set("rest_length", "spin");
        off_center.set_table("spin")
            .set("axis", {0.0, 0.0, 1.0})
            .set("rate", 1.0)
            .set("center", {0.1, 0.0, 0.0});
        CHECK_THROWS_WITH_AS(make(off_center),
                             doctest::Contains("rest_length: no steady shape: no element forces "
                                               "hold node "),
                             std::runtime_error);

        FakeArguments arguments = bar();
        arguments.set("rest_length", "spin");
        CHECK_THROWS_WITH(make(arguments),
                          "rest_length: \"spin\" needs the key \"spin\" beside it");
        arguments.set("young", kInf).set_table("spin").set("axis", {0.0, 0.0, 1.0}).set("rate", 1);
        CHECK_THROWS_WITH(
            make(arguments),
            "rest_length: rigid links keep their length at any spin; leave \"rest_length\" out");
    }
}

TEST_SUITE("truss: messages") {
    FakeArguments list(std::vector<double> nodes, std::vector<double> elements) {
        FakeArguments arguments = steel();
        arguments.set_matrix("nodes", 3, std::move(nodes));
        arguments.set_matrix("elements", 2, std::move(elements));
        return arguments;
    }

    TEST_CASE("a network is given in one way, completely") {
        CHECK_THROWS_WITH(make(steel()),
                          "nodes: a truss needs \"from\" and \"to\", or \"nodes\" and "
                          "\"elements\", or \"grid\", or \"mesh\", or \"fold\"");
        CHECK_THROWS_WITH(make(bar().erase("to")), "from: \"from\" needs \"to\" beside it");
        CHECK_THROWS_WITH(make(steel().set_matrix("elements", 2, {0, 1})),
                          "elements: \"elements\" needs \"nodes\" beside it");
        CHECK_THROWS_WITH(make(tetrahedron().set("from", {0.0, 0.0, 0.0}).set("to", {1.0, 0., 0.})),
                          "nodes: \"nodes\" and \"from\" both describe the network; keep one of "
                          "them");
    }

    TEST_CASE("a rest shape is one of the same network, or it is said what differs") {
        const auto rest = [](std::vector<double> nodes) {
            FakeArguments arguments = list({0, 0, 0, 1, 0, 0, 1, 2, 0}, {0, 1, 1, 2});
            arguments.set_table("rest").set_matrix("nodes", 3, std::move(nodes));
            return arguments;
        };
        // eps = (l^2 - L^2) / (2 L^2), L from the rest shape, wherever that lies
        const auto body = make(rest({7, 0, 0, 7, 3, 0, 7, 3, 1.5}));
        std::vector<double> q(9), v(9), pi(2);
        body->start(q, v);
        body->evaluate(0, {q, {}, 0.0}, {pi, {}, {}, {}});
        CHECK(std::abs(pi[0] - (1.0 - 9.0) / 18.0) <= 1e-15);
        CHECK(std::abs(pi[1] - (4.0 - 2.25) / 4.5) <= 1e-15);
        CHECK_THROWS_WITH(make(rest({0, 0, 0, 1, 0, 0})),
                          "rest: the rest shape has 2 nodes, the start has 3; both are to be one "
                          "network, with the same numbers");
        CHECK_THROWS_WITH(make(rest({0, 0, 0, 0, 0, 0, 1, 0, 0})),
                          "rest: element 0 has length zero: nodes 0 and 1 are both at [0, 0, 0]");
        CHECK_THROWS_WITH(make(rest({0, 0, 0, 1, 0, 0, 2, 0, 0}).set("rest_length", 1.0)),
                          "rest_length: \"rest_length\" and \"rest\" both give rest lengths; keep "
                          "one of them");
        FakeArguments grid = steel();
        grid.set_table("grid").set("counts", {2, 3}).set("spacing", {1.0, 1.0});
        grid.set_table("rest").set_table("grid").set("counts", {3, 2}).set("spacing", {1.0, 1.0});
        CHECK_THROWS_WITH(make(grid),
                          "rest: element 1 joins nodes 1, 2 at rest, and 2, 3 at the start; "
                          "both are to be one network, with the same numbers");
        FakeArguments none = list({0, 0, 0, 1, 0, 0}, {0, 1});
        none.set_table("rest");
        CHECK_THROWS_WITH(
            make(none), "rest: a rest shape has one of the keys \"nodes\", \"grid\" and \"mesh\"");
    }

    TEST_CASE("a folded net has no strain, and as many edges as Euler's formula says") {
        FakeArguments arguments = steel();
        arguments.set_table("fold")
            .set("pattern", "miura")
            .set("counts", {4, 3})
            .set("sides", {0.3, 0.4})
            .set("angle", 1.1)
            .set("tilt", 0.9);
        const auto body = make(arguments);
        const auto edges = static_cast<std::size_t>(body->row_blocks()[0].num_items);
        const std::size_t nodes = body->coordinates().size() / 3;
        CHECK(nodes == 20);
        CHECK(edges == nodes + 12 - 1);  // V - E + F = 1
        std::vector<double> q(3 * nodes), v(3 * nodes), pi(edges);
        body->start(q, v);
        body->evaluate(0, {q, {}, 0.0}, {pi, {}, {}, {}});
        for (const double eps : pi) CHECK(std::abs(eps) <= 1e-14);
    }

    TEST_CASE("elements join two existing nodes, once, over some distance") {
        const std::vector<double> nodes = {0, 0, 0, 1, 0, 0, 1, 0, 0};
        CHECK_THROWS_WITH(make(list(nodes, {0, 1, 1, 3})),
                          "elements: element 1 names node 3, but the nodes are 0 to 2");
        CHECK_THROWS_WITH(make(list(nodes, {0, -1})),
                          "elements: element 0 names node -1, but the nodes are 0 to 2");
        CHECK_THROWS_WITH(make(list(nodes, {0, 0.5})),
                          "elements: element 0 names node 0.5, not a whole number");
        CHECK_THROWS_WITH(make(list(nodes, {0, 1, 2, 2})),
                          "elements: element 1 joins node 2 to itself");
        CHECK_THROWS_WITH(make(list(nodes, {0, 1, 1, 2})),
                          "elements: element 1 has length zero: nodes 1 and 2 are both at "
                          "[1, 0, 0]");
        CHECK_THROWS_WITH(make(list(nodes, {0, 1, 0, 2, 1, 0})),
                          "elements: elements 0 and 2 both join nodes 0 and 1; give the second "
                          "one's area to the first");
        CHECK_THROWS_WITH(make(list(nodes, {})),
                          "elements: a truss needs at least one element: [[0, 1]]");
        CHECK_THROWS_WITH(make(bar().set("to", {1.5, 0.0, 0.0})),
                          "from: element 0 has length zero: nodes 0 and 1 are both at [1.5, 0, 0]");
    }

    TEST_CASE("every node has an element or a mass") {
        const std::vector<double> nodes = {0, 0, 0, 1, 0, 0, 2, 0, 0};
        CHECK_THROWS_WITH(make(list(nodes, {0, 1})),
                          "nodes: node 2 has no element and no mass; join it, give it a mass in "
                          "\"node_masses\", or leave it out");
        CHECK_NOTHROW(make(list(nodes, {0, 1}).set_matrix("node_masses", 2, {2, 1.0})));
        CHECK_THROWS_WITH(make(bar().set_matrix("node_masses", 2, {2, 1.0})),
                          "node_masses: there is no node 2; the nodes are 0 to 1");
        CHECK_THROWS_WITH(make(bar().set_matrix("node_masses", 2, {1, 1.0, 1, 2.0})),
                          "node_masses: node 1 stands there twice");
    }

    TEST_CASE("grids have whole counts and two different directions") {
        const auto with_counts = [](double nx, double ny) {
            return grid(nx, ny, 1.0, 1.0);
        };
        CHECK_THROWS_WITH(make(with_counts(2.5, 2)), "counts: 2.5 is not a whole number of nodes");
        CHECK_THROWS_WITH(make(with_counts(1, 1)),
                          "counts: a grid needs at least two nodes: [2, 1]");
        CHECK_THROWS_WITH(make(with_counts(1e5, 1e5)), "counts: too many nodes: 1e+10");
        FakeArguments arguments = steel();
        arguments.set_table("grid")
            .set("counts", {2.0, 2.0})
            .set("spacing", {1.0, 1.0})
            .set_matrix("directions", 3, {1, 0, 0, -2, 0, 0});
        CHECK_THROWS_WITH(make(arguments), "directions: the two directions are parallel");
    }

    TEST_CASE("material, rest lengths and start are complete and free of contradiction") {
        CHECK_THROWS_WITH(make(bar().erase("area")),
                          "area: \"area\" is missing; only rigid links without density need none");
        CHECK_THROWS_WITH(make(bar().erase("density")),
                          "density: a truss needs \"density\" (0 for a spring) or "
                          "\"node_masses\"");
        CHECK_THROWS_WITH(make(bar().set("rest_length", {1.0, 2.0})),
                          "rest_length: there are 2 values for 1 element; write one value for "
                          "all or one per element");
        CHECK_THROWS_WITH(make(bar().set_motion("velocity_from", {}).set("velocity", {1., 0., 0.})),
                          "velocity: \"velocity\" and \"velocity_from\" both give the velocities "
                          "at the start; keep one of them");
        FakeArguments arguments = bar();
        arguments.set_table("spin").set("axis", {0.0, 0.0, 0.0}).set("rate", 1.0);
        CHECK_THROWS_WITH(make(arguments), "axis: the axis has length zero");
    }

    TEST_CASE("numbers of the material are one for all or one per element, and fit together") {
        CHECK_THROWS_WITH(make(tetrahedron().set("young", {1e6, 2e6})),
                          "young: there are 2 values for 7 elements; write one value for all or "
                          "one per element");
        CHECK_THROWS_WITH(make(tetrahedron().set("damping", {1.0, 2.0, 3.0})),
                          "damping: there are 3 values for 7 elements; write one value for all or "
                          "one per element");
        CHECK_THROWS_WITH(make(bar().set("young", kInf).set("damping", 1.0)),
                          "damping: element 0 is a rigid link (\"young\" is inf), which has no "
                          "strain; leave \"damping\" out or make it 0 there");
        CHECK_THROWS_WITH(make(bar().set("young", kInf).set("prestress", -1.0)),
                          "prestress: element 0 is a rigid link (\"young\" is inf), which has no "
                          "strain; leave \"prestress\" out or make it 0 there");
        FakeArguments arguments = bar();
        arguments.set("prestress", 1.0).set("rest_length", "spin");
        arguments.set_table("spin").set("axis", {0.0, 0.0, 1.0}).set("rate", 1.0);
        CHECK_THROWS_WITH(make(arguments),
                          "rest_length: \"spin\" and \"prestress\" both set the tension at the "
                          "start; keep one of them");
    }

    TEST_CASE("attachments other than existing nodes are refused") {
        const auto body = make(tetrahedron());
        Weights sink;
        Locator direction;
        direction.is_direction = true;
        CHECK_THROWS_WITH_AS(body->attach(node(5), sink),
                             "there is no node 5; this truss has nodes 0 to 4",
                             std::invalid_argument);
        CHECK_THROWS_WITH_AS(
            body->attach(Locator(), sink),
            "points of a truss are its nodes, written as a number 0 to 4 or as the "
            "name of a group of one",
            std::invalid_argument);
        CHECK_THROWS_WITH_AS(body->attach(direction, sink),
                             "a truss has no directions, only nodes 0 to 4",
                             std::invalid_argument);
    }
}
