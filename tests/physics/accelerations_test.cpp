// SPDX-License-Identifier: BSD-3-Clause
// Accelerations and forces at an instant, through Simulation::dynamics(), against closed solutions
// and the Udwadia-Kalaba equation written out with square roots of M.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "support/dense.hpp"
#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

using Vec2 = Eigen::Vector2d;
using Mat2 = Eigen::Matrix2d;
using VecX = Eigen::VectorXd;
using MatX = Eigen::MatrixXd;

constexpr double kGravity = 9.81;  // m/s^2
const std::vector<std::string> kIntegrators{"emm", "rk4", "dopri5"};

std::string integrator(const std::string& type = "rk4") {
    return "\n[integrator]\ntype = \"" + type + "\"\nstep = 0.01\nend = 1.0\n";
}
std::string list(const VecX& x) {
    std::string text;
    for (const double value : x)
        text += (text.empty() ? "[" : ", ") + fmt::format("{:.17g}", value);
    return text + "]";
}
std::string weight(const Vec3& gravity) {
    return "[model]\ngravity = " + list(gravity) + "\n";
}
std::string number(double x) {
    return fmt::format("{:.17g}", x);
}
std::string particle(const std::string& mass,
                     const Vec3& x,
                     const Vec3& v,
                     const std::string& coordinates = "xyz") {
    return "\n[[body]]\nname = \"p\"\ntype = \"particle\"\nmass = " + mass +
           "\nposition = " + list(x) + "\nvelocity = " + list(v) + "\ncoordinates = \"" +
           coordinates + "\"\n";
}
/// M in the upper left corner of a 3 x 3 matrix, as TOML.
std::string matrix(const Mat2& M) {
    return fmt::format("[[{:.17g}, {:.17g}, 0.0], [{:.17g}, {:.17g}, 0.0], [0.0, 0.0, 1.0]]",
                       M(0, 0),
                       M(0, 1),
                       M(1, 0),
                       M(1, 1));
}
std::string equation(const std::string& name, const std::string& text) {
    return "\n[[constraint]]\nname = \"" + name +
           "\"\ntype = \"general_constraint\"\nequation = \"" + text + "\"\n";
}
std::string push(const Vec3& C, const std::string& at = "p@0") {
    return "\n[[force]]\nname = \"push\"\ntype = \"constant_force\"\nat = \"" + at +
           "\"\nforce = " + list(C) + "\n";
}
std::string plane(const std::string& point, const Vec3& normal) {
    return "\n[[constraint]]\nname = \"plane\"\ntype = \"point_on_plane\"\npoint = \"" + point +
           "\"\nnormal = " + list(normal) + "\n";
}
std::string friction(double at_rest, double kinetic) {
    return fmt::format(
        "\n[[force]]\nname = \"rub\"\ntype = \"coulomb_friction\"\non = \"plane\"\n"
        "mu_static = {:.17g}\nmu_kinetic = {:.17g}\n",
        at_rest,
        kinetic);
}

VecX vec(const std::vector<double>& x) {
    return Eigen::Map<const VecX>(x.data(), static_cast<Eigen::Index>(x.size()));
}
/// |x - y| relative to |y|.
double miss(const std::vector<double>& x, const VecX& y) {
    REQUIRE(static_cast<Eigen::Index>(x.size()) == y.size());
    return (vec(x) - y).norm() / y.norm();
}

/// The published equation with M^(1/2) by eigenvalues, which the kernel never forms:
///
///   F_L = M^(1/2) B^+ (b - A M^-1 Q),  F_C = M^(1/2) [I - B^+ B] M^(-1/2) C,  B = A M^(-1/2)
struct Published {
    Published(const MatX& M, const MatX& A, const VecX& b, const VecX& Q, const VecX& C) {
        const by_eigen::SymmetricEigen eigen(M);
        const MatX root = eigen.apply([](double value) {
            return std::sqrt(value);
        });
        const MatX inverse_root = eigen.apply([](double value) {
            return 1.0 / std::sqrt(value);
        });
        const MatX B = A * inverse_root;
        const MatX B_plus = by_eigen::pseudo_inverse(B);
        const MatX free = MatX::Identity(M.rows(), M.rows()) - B_plus * B;
        F_L = root * B_plus * (b - A * by_eigen::solved(M, Q));
        F_C = root * free * inverse_root * C;
        F_C_misprinted = root * free * root * C;
        a = by_eigen::solved(M, Q + F_L + F_C);
    }
    VecX F_L, F_C, F_C_misprinted, a;
};

/// Unit mass on k x - y = 0, weight along -y, C = (1, 2):
///
///   a = (0, -g) - g / (k^2 + 1) (k, -1) + (1 + 2 k) / (k^2 + 1) (1, k)
///
/// the last two terms being F_L and F_C.
///
/// Source: F. E. Udwadia, R. E. Kalaba, Y. Fan, Nonlinear Analysis 63 (2005) 692-698, section 4.
TEST_SUITE("line with a constant nonideal force") {
    const Vec3 kC(1.0, 2.0, 0.0);

    TEST_CASE("unit mass: the published acceleration and its two forces") {
        for (const double k : {0.5, 1.0, -2.0, 3.7})
            for (const std::string& type : kIntegrators) {
                CAPTURE(k);
                CAPTURE(type);
                Simulation simulation =
                    model(weight({0.0, -kGravity, 0.0}) +
                          particle("1.0", Vec3::Zero(), Vec3::Zero(), "xy") +
                          equation("line", number(k) + "*p.x = p.y") + push(kC) + integrator(type));
                const Dynamics d = simulation.dynamics();
                const double s = k * k + 1.0;
                const Vec2 Q(0.0, -kGravity), C(1.0, 2.0);
                const Vec2 F_L = -kGravity / s * Vec2(k, -1.0);
                const Vec2 F_C = (1.0 + 2.0 * k) / s * Vec2(1.0, k);
                CHECK(vec(d.Q) == Q);
                CHECK(vec(d.C) == C);
                CHECK(miss(d.F_L, F_L) <= tolerance(1e-14));
                CHECK((vec(d.F_C) - F_C).norm() <= tolerance(1e-14 * C.norm()));
                CHECK(miss(d.acceleration, Q + F_L + F_C) <= tolerance(1e-14));

                // Multipliers: F_L = A^T lambda, F_C - C = A^T lambda'
                REQUIRE(d.constraints.size() == 1);
                const ConstraintForces& line = d.constraints[0];
                CHECK(line.name == "line");
                CHECK(line.ideal[0] == near(-kGravity / s, 1e-14 * kGravity));
                CHECK(line.nonideal[0] == near((2.0 - k) / s, 1e-14 * C.norm()));
                CHECK(line.reaction[0] ==
                      near((-kGravity + 2.0 - k) / s, 1e-14 * (kGravity + C.norm())));
                REQUIRE(d.forces.size() == 1);
                CHECK(d.forces[0].name == "push");
                CHECK(vec3(d.forces[0].force) == kC);
            }
    }

    TEST_CASE("in space, on a point_on_line: the same, and the force on the point in newtons") {
        const double k = 0.75;
        Simulation simulation =
            model(weight({0.0, -kGravity, 0.0}) + particle("1.0", Vec3::Zero(), Vec3::Zero()) +
                  "\n[[constraint]]\nname = \"line\"\ntype = \"point_on_line\"\npoint = \"p@0\"\n"
                  "direction = [1.0, 0.75, 0.0]\n" +
                  push(kC) + integrator());
        const Dynamics d = simulation.dynamics();
        const double s = k * k + 1.0;
        const Vec3 F_L = -kGravity / s * Vec3(k, -1.0, 0.0);
        const Vec3 F_C = (1.0 + 2.0 * k) / s * Vec3(1.0, k, 0.0);
        CHECK(miss(d.acceleration, Vec3(0.0, -kGravity, 0.0) + F_L + F_C) <= tolerance(1e-14));
        CHECK(miss(d.F_L, F_L) <= tolerance(1e-14));
        CHECK(miss(d.F_C, F_C) <= tolerance(1e-14));
        CHECK(miss(d.constraints[0].ideal, F_L) <= tolerance(1e-14));
        CHECK(miss(d.constraints[0].nonideal, F_C - kC) <= tolerance(1e-14));
        CHECK(miss(d.constraints[0].reaction, F_L + F_C - kC) <= tolerance(1e-14));
    }

    // C is a force: its factor is M^(-1/2). With M^(1/2), as the equation is sometimes printed, the
    // motion is another, which M = I hides.
    TEST_CASE("masses other than one: the equation with square roots, and not its misprint") {
        const double k = 0.8;
        const MatX A = (MatX(1, 2) << k, -1.0).finished();
        const Mat2 masses[] = {Vec2(2.5, 2.5).asDiagonal(),
                               Vec2(0.3, 4.0).asDiagonal(),
                               (Mat2() << 2.0, 0.7, 0.7, 1.1).finished()};
        for (const Mat2& M : masses) {
            CAPTURE(M);
            Simulation simulation =
                model(weight({0.0, -kGravity, 0.0}) +
                      particle(matrix(M), Vec3::Zero(), Vec3::Zero(), "xy") +
                      equation("line", number(k) + "*p.x = p.y") + push(kC) + integrator());
            const Dynamics d = simulation.dynamics();
            const Vec2 Q = M * Vec2(0.0, -kGravity), C = kC.head<2>();
            CHECK(miss(d.Q, Q) <= tolerance(1e-15));
            // One row: F_L = A^T (b - A M^-1 Q) / (A M^-1 A^T)
            const Vec2 n(k, -1.0);
            const Vec2 M_n = M.inverse() * n;
            const Vec2 F_L = -n * M_n.dot(Q) / M_n.dot(n);
            const Vec2 F_C = C - n * M_n.dot(C) / M_n.dot(n);
            CHECK(miss(d.F_L, F_L) <= tolerance(1e-14));
            CHECK(miss(d.F_C, F_C) <= tolerance(1e-14));
            CHECK(miss(d.acceleration, M.inverse() * (Q + F_L + F_C)) <= tolerance(1e-14));

            const Published published(M, A, VecX::Zero(1), Q, C);
            CHECK(miss(d.F_L, published.F_L) <= tolerance(1e-14));
            CHECK(miss(d.F_C, published.F_C) <= tolerance(1e-14));
            CHECK(miss(d.acceleration, published.a) <= tolerance(1e-14));
            CHECK((vec(d.F_C) - published.F_C_misprinted).norm() > 0.1);
            // Virtual work: v.(F_L + F_C) = v.C along the line, v = (1, k)
            const Vec2 v(1.0, k);
            CHECK(v.dot(vec(d.F_L) + vec(d.F_C)) == near(v.dot(C), 1e-14 * Q.norm()));
        }
    }

    TEST_CASE("the same line twice, one row ten times as long: halves of the same force") {
        const double k = 0.8;
        const std::string start = weight({0.0, -kGravity, 0.0}) +
                                  particle("1.7", Vec3::Zero(), Vec3::Zero(), "xy") + push(kC) +
                                  equation("line", number(k) + "*p.x = p.y");
        const Dynamics once = model(start + integrator()).dynamics();
        const Dynamics twice =
            model(start + equation("again", "10*(p.y - " + number(k) + "*p.x) = 0") + integrator())
                .dynamics();
        CHECK(miss(twice.acceleration, vec(once.acceleration)) <= tolerance(1e-14));
        CHECK(miss(twice.F_L, vec(once.F_L)) <= tolerance(1e-14));
        CHECK(miss(twice.F_C, vec(once.F_C)) <= tolerance(1e-14));
        const double lambda = once.constraints[0].ideal[0];
        CHECK(twice.constraints[0].ideal[0] == near(0.5 * lambda, 1e-14 * std::abs(lambda)));
        CHECK(twice.constraints[1].ideal[0] == near(-0.05 * lambda, 1e-15 * std::abs(lambda)));
    }
}

/// Which force keeps a particle of mass m on r = e x + l with m (x y' - y x') = L? Newton's,
/// -L^2 / (m l r^2) along the radius. The first constraint is one on positions, the second one on
/// velocities.
TEST_SUITE("inverse Kepler") {
    TEST_CASE("the constraint force is -L^2 / (m l r^2) along the radius") {
        constexpr double m = 2.5, L = 0.9, l = 1.3, e = 0.6;
        const std::string constraints = equation("conic", "sqrt(p.x^2 + p.y^2) = 0.6*p.x + 1.3") +
                                        equation("areas", "2.5*(p.x*p.vy - p.y*p.vx) = 0.9") +
                                        "level = \"velocity\"\n";
        for (const double angle : {0.0, 0.7, 2.0, 3.1, -1.4}) {
            CAPTURE(angle);
            const double c = std::cos(angle), s = std::sin(angle);
            const double r = l / (1.0 - e * c);
            const double turn = L / (m * r * r);            // angle'
            const double rise = -r * r * e * s / l * turn;  // r'
            const Vec3 x = r * Vec3(c, s, 0.0);
            const Vec3 v = rise * Vec3(c, s, 0.0) + r * turn * Vec3(-s, c, 0.0);
            for (const std::string& type : kIntegrators) {
                CAPTURE(type);
                Simulation simulation =
                    model(particle("2.5", x, v, "xy") + constraints + integrator(type));
                const Dynamics d = simulation.dynamics();
                const Vec2 F = -L * L / (m * l * r * r) * Vec2(c, s);
                CHECK(miss(d.F_L, F) <= tolerance(1e-14));
                CHECK(miss(d.acceleration, F / m) <= tolerance(1e-14));
                CHECK(vec(d.F_C).norm() == 0.0);
                CHECK(vec(d.Q).norm() == 0.0);
                // A^T lambda of the two rows
                const Vec2 conic(c - e, s), areas(-m * x(1), m * x(0));
                const Vec2 sum =
                    d.constraints[0].reaction[0] * conic + d.constraints[1].reaction[0] * areas;
                CHECK((sum - F).norm() <= tolerance(1e-14 * F.norm()));
            }
        }
    }
}

/// A block of mass m on a plane that rises along x by 30 degrees.
TEST_SUITE("incline") {
    constexpr double kMass = 2.5, kSin = 0.5;
    const double kCos = std::numbers::sqrt3 / 2.0;
    const Vec3 kUp(kCos, 0.0, kSin), kNormal(-kSin, 0.0, kCos);
    const Vec3 kWeight(0.0, 0.0, -kMass * kGravity);
    const double N = kMass * kGravity * kCos, T = kMass * kGravity * kSin;

    struct Case {
        double speed, mu_s, mu_k;
        double friction;  // along kUp
    };
    const Case kCases[] = {
        {2.0, 0.3, 0.3, -0.3 * N},  // slides up
        {-2.0, 0.3, 0.3, 0.3 * N},  // slides down
        {-2.0, 0.8, 0.7, 0.7 * N},  // slides down and slows
        {0.0, 0.6, 0.6, T},         // rests
        {0.0, 0.6, 0.2, T},         // rests, though kinetic friction would not hold it
        {0.0, 0.5, 0.3, 0.3 * N},   // cannot rest
    };

    TEST_CASE("at rest and sliding: normal force in F_L, friction in C, a along the slope") {
        for (const Case& one : kCases)
            for (const std::string& type : kIntegrators) {
                CAPTURE(one.speed);
                CAPTURE(one.mu_s);
                CAPTURE(one.mu_k);
                CAPTURE(type);
                Simulation simulation = model(
                    weight({0.0, 0.0, -kGravity}) + particle("2.5", Vec3::Zero(), one.speed * kUp) +
                    plane("p@0", kNormal) + friction(one.mu_s, one.mu_k) + integrator(type));
                const Dynamics d = simulation.dynamics();
                const Vec3 C = one.friction * kUp;
                CHECK(miss(d.Q, kWeight) <= tolerance(1e-15));
                CHECK(miss(d.C, C) <= tolerance(1e-14));
                CHECK(miss(d.F_L, N * kNormal) <= tolerance(1e-14));
                CHECK(miss(d.F_C, C) <= tolerance(1e-14));
                CHECK((vec(d.acceleration) - (one.friction - T) / kMass * kUp).norm() <=
                      tolerance(1e-14 * kGravity));
                CHECK(miss(d.constraints[0].reaction, N * kNormal) <= tolerance(1e-14));
                CHECK(vec(d.constraints[0].nonideal).norm() <= tolerance(1e-14 * N));
                REQUIRE(d.forces.size() == 1);
                CHECK((vec3(d.forces[0].force) - C).norm() <= tolerance(1e-14 * C.norm()));
            }
    }

    // What presses the block on: friction depends on the reaction F_L + F_C - C, not to F_L alone.
    TEST_CASE("a force across the plane raises the friction, though it moves nothing by itself") {
        const double press = 7.0, pull = 3.0;
        const Vec3 C_push = pull * kUp - press * kNormal;
        Simulation simulation =
            model(weight({0.0, 0.0, -kGravity}) + particle("2.5", Vec3::Zero(), -2.0 * kUp) +
                  plane("p@0", kNormal) + friction(0.3, 0.3) + push(C_push) + integrator());
        const Dynamics d = simulation.dynamics();
        const double rub = 0.3 * (N + press);
        CHECK(miss(d.C, C_push + rub * kUp) <= tolerance(1e-14));
        CHECK(miss(d.F_L, N * kNormal) <= tolerance(1e-14));
        CHECK(miss(d.F_C, (pull + rub) * kUp) <= tolerance(1e-14));
        CHECK(miss(d.constraints[0].nonideal, press * kNormal) <= tolerance(1e-14));
        CHECK(miss(d.constraints[0].reaction, (N + press) * kNormal) <= tolerance(1e-14));
        CHECK(miss(d.acceleration, (pull + rub - T) / kMass * kUp) <= tolerance(1e-14));
    }

    // A rod at the angle a to the plane z = 0 that drags its end P, J about y, l from P to the
    // centre of mass, at rest but for a translation u along x. The normal acceleration of P stays
    // zero:  N (1/m + l^2 cos^2 a / J) - T l^2 sin a cos a / J = g,  T = -mu N sgn u.
    TEST_CASE("friction changes the normal force that it depends on") {
        constexpr double m = 1.5, l = 0.8, J = 0.4, mu = 0.5;
        const double a = 0.9, c = std::cos(a), s = std::sin(a);
        for (const std::string body : {"ancf_rigid_body", "quaternion_body"})
            for (const double u : {2.0, -2.0}) {
                CAPTURE(body);
                CAPTURE(u);
                Simulation simulation = model(
                    weight({0.0, 0.0, -kGravity}) + "\n[[body]]\nname = \"p\"\ntype = \"" + body +
                    "\"\nmass = 1.5\ninertia = [0.1, 0.4, 0.35]\nposition = " +
                    list(Vec3(l * c, 0.0, l * s)) +
                    fmt::format("\norientation = {{axis = [0.0, -1.0, 0.0], angle = {:.17g}}}\n",
                                a) +
                    "velocity = " + list(Vec3(u, 0.0, 0.0)) + "\n" +
                    plane("p@[-0.8, 0.0, 0.0]", Vec3::UnitZ()) + friction(mu, mu) + integrator());
                const Dynamics d = simulation.dynamics();
                const double side = u > 0.0 ? -1.0 : 1.0;  // of friction
                const double normal =
                    kGravity / (1.0 / m + l * l * c * c / J - side * mu * l * l * s * c / J);
                const Vec3 force(side * mu * normal, 0.0, normal);
                CHECK(miss(d.constraints[0].reaction, Vec3(0.0, 0.0, normal)) <= tolerance(1e-14));
                CHECK((vec3(d.forces[0].force) - Vec3(force(0), 0.0, 0.0)).norm() <=
                      tolerance(1e-14 * normal));
                // The first three coordinates are the centre of mass.
                const Vec3 expected = force / m - Vec3(0.0, 0.0, kGravity);
                CHECK((vec(d.acceleration).head<3>() - expected).norm() <=
                      tolerance(1e-14 * kGravity));
            }
    }
}

TEST_SUITE("moving and rolling constraints") {
    // theta'' = -(g / l) sin(theta), pull m (g cos(theta) + l theta'^2)
    TEST_CASE("pendulum: acceleration and pull, whatever the mass") {
        constexpr double l = 1.0, rate = 1.5, angle = 0.8, m = 2.0;
        const double c = std::cos(angle), s = std::sin(angle);
        const Vec2 radial(s, -c), across(c, s);
        for (const std::string& type : kIntegrators) {
            CAPTURE(type);
            Simulation simulation = model(
                weight({0.0, -kGravity, 0.0}) +
                particle(
                    "2.0", Vec3(l * s, -l * c, 0.0), Vec3(l * rate * c, l * rate * s, 0.0), "xy") +
                equation("rod", "p.x^2 + p.y^2 = 1") + integrator(type));
            const Dynamics d = simulation.dynamics();
            const Vec2 a = -kGravity * s * across - l * rate * rate * radial;
            const double pull = m * (kGravity * c + l * rate * rate);
            CHECK(miss(d.acceleration, a) <= tolerance(1e-14));
            CHECK(miss(d.F_L, -pull * radial) <= tolerance(1e-14));
        }
    }
    // x = 0.2 sin(3 t)
    TEST_CASE("a prescribed motion has its acceleration at every time, under every integrator") {
        for (const std::string& type : kIntegrators) {
            CAPTURE(type);
            Simulation simulation =
                model(weight({0.0, -kGravity, 0.0}) +
                      particle("2.0", Vec3::Zero(), Vec3(0.6, 0.0, 0.0), "xy") +
                      equation("lift", "p.x = 0.2*sin(3*t)") + integrator(type));
            while (!simulation.done()) {
                const Dynamics d = simulation.dynamics();
                const double a = -1.8 * std::sin(3.0 * simulation.time());
                CHECK(d.acceleration[0] == near(a, 1e-14));
                CHECK(d.acceleration[1] == -kGravity);
                CHECK(d.F_L[0] == near(2.0 * a, 1e-14));
                simulation.step();
            }
        }
    }
    // A disc of radius R rolls down a slope: a = g sin(a) / (1 + J / (m R^2)), for a ball 5/7.
    TEST_CASE("a ball rolls down with 5/7 of g sin(a), held by 2/7 of its tangential weight") {
        const double slope = 0.3, R = 0.1, m = 2.0;
        const double J = 0.4 * m * R * R;
        for (const std::string body : {"ancf_rigid_body", "quaternion_body"}) {
            CAPTURE(body);
            Simulation simulation =
                model(weight({kGravity * std::sin(slope), 0.0, -kGravity * std::cos(slope)}) +
                      "\n[[body]]\nname = \"p\"\ntype = \"" + body + "\"\nmass = 2.0\ninertia = " +
                      list(Vec3(J, J, J)) + "\nvelocity = [0.3, 0.0, 0.0]\n" +
                      "angular_velocity = [0.0, 3.0, 0.0]\n" + plane("p@[0, 0, 0]", Vec3::UnitZ()) +
                      "\n[[constraint]]\nname = \"grip\"\ntype = \"rolling\"\nbody = \"p\"\n"
                      "radius = 0.1\n" +
                      integrator());
            const Dynamics d = simulation.dynamics();
            const double pull = kGravity * std::sin(slope);
            CHECK((vec(d.acceleration).head<3>() - Vec3(5.0 / 7.0 * pull, 0.0, 0.0)).norm() <=
                  tolerance(1e-13));
            const auto grip = std::ranges::find(d.constraints, "grip", &ConstraintForces::name);
            REQUIRE(grip != d.constraints.end());
            CHECK((vec(grip->reaction) - Vec3(-2.0 / 7.0 * m * pull, 0.0, 0.0)).norm() <=
                  tolerance(1e-13));
        }
    }
}

TEST_SUITE("singular mass") {
    // M = diag(1, 0) on y = k x: (1, k).(M a - C) = 0, so a_x = C_x + k C_y.
    TEST_CASE("a coordinate without mass follows the row that ties it") {
        const double k = 0.8;
        const Vec3 C(1.0, 2.0, 0.0);
        const std::string text =
            particle(matrix(Vec2(1.0, 0.0).asDiagonal()), Vec3::Zero(), Vec3::Zero(), "xy") +
            push(C);
        const Dynamics d =
            model(text + equation("line", number(k) + "*p.x = p.y") + integrator()).dynamics();
        const double a = C(0) + k * C(1);
        CHECK(miss(d.acceleration, Vec2(a, k * a)) <= tolerance(1e-14));
        // M a = Q + F_L + F_C
        CHECK((Vec2(a, 0.0) - vec(d.Q) - vec(d.F_L) - vec(d.F_C)).norm() <= tolerance(1e-14));
        CHECK_THROWS_WITH_AS(model(text + integrator()),
                             doctest::Contains("body \"p\": its vector 0 along y (coordinate 1) "
                                               "has no mass, and no constraint or stiffness "
                                               "determines its motion"),
                             Error);
    }

    // w = 2 G(p) p' in body axes, so w' = 2 G(p) p'' (G(p') p' = 0); J w' = -w x J w.
    TEST_CASE("a free body in quaternions: p'' gives Euler's equations") {
        const Vec3 J(1.0, 2.0, 2.6), w(0.9, -1.3, 0.7);
        const Eigen::Quaterniond p = Eigen::Quaterniond(0.3, -0.5, 0.7, 0.2).normalized();
        Simulation simulation =
            model("\n[[body]]\nname = \"p\"\ntype = \"quaternion_body\"\nmass = 2.0\ninertia = " +
                  list(J) + "\nangular_velocity = " + list(w) + "\norientation = " +
                  list(Eigen::Vector4d(p.w(), p.x(), p.y(), p.z())) + "\n" + integrator());
        const Dynamics d = simulation.dynamics();
        const Eigen::Vector4d ddp = vec(d.acceleration).segment<4>(3);
        const Vec3 u = p.vec(), ddu = ddp.tail<3>();
        const Vec3 rate = 2.0 * (p.w() * ddu - ddp(0) * u - u.cross(ddu));
        const Vec3 expected = -w.cross(J.cwiseProduct(w)).cwiseQuotient(J);
        CHECK((rate - expected).norm() <= tolerance(1e-14 * expected.norm()));
        CHECK(vec(d.acceleration).head<3>().norm() == 0.0);
        // |p| = 1: p.p'' = -p'.p' = -w.w / 4
        const Eigen::Vector4d all(p.w(), p.x(), p.y(), p.z());
        CHECK(all.dot(ddp) == near(-0.25 * w.squaredNorm(), 1e-14));
    }
}

TEST_SUITE("dynamics()") {
    TEST_CASE("rows that contradict each other are refused by name") {
        const std::string text = particle("2.0", Vec3::Zero(), Vec3::Zero(), "xy") +
                                 equation("wall", "p.x = 0") + equation("drive", "p.vx = 3*t") +
                                 "level = \"velocity\"\n" + integrator();
        try {
            model(text).dynamics();
            FAIL("not refused");
        } catch (const Error& error) {
            CHECK(error.kind() == ErrorKind::numerical);
            const std::string message = error.what();
            CAPTURE(message);
            CHECK((message.find("wall") != std::string::npos ||
                   message.find("drive") != std::string::npos));
        }
    }

    // m (g cos(theta) + l theta'^2) at the end of the last step, without a row of output before
    TEST_CASE("reaction() after a step of the continuous face is that of the present state") {
        for (const std::string type : {"rk4", "dopri5"}) {
            CAPTURE(type);
            Simulation simulation = model(
                weight({0.0, -kGravity, 0.0}) + particle("2.0", Vec3(1.0, 0.0, 0.0), Vec3::Zero()) +
                "\n[[constraint]]\nname = \"hoop\"\ntype = \"point_on_circle\"\n"
                "point = \"p@0\"\nnormal = [0.0, 0.0, 1.0]\nradius = 1.0\n" +
                integrator(type));
            run_to_end(simulation);
            const Simulation::PointState p = simulation.point("p@0");
            const Vec3 x = vec3(p.position), v = vec3(p.velocity);
            const double pull = 2.0 * (-kGravity * x(1) + v.squaredNorm());
            CHECK(miss(simulation.reaction("hoop"), -pull * x) <= tolerance(1e-13));
            CHECK((columns(simulation, "hoop.force") + pull * x).norm() <= tolerance(1e-13 * pull));
        }
    }

    TEST_CASE("asking for the forces does not change the motion") {
        const std::string text =
            weight({0.0, 0.0, -kGravity}) +
            particle("2.5", Vec3::Zero(), Vec3(1.7, 0.3, 1.7 / std::numbers::sqrt3)) +
            plane("p@0", Vec3(-0.5, 0.0, std::numbers::sqrt3 / 2.0)) + friction(0.3, 0.3);
        for (const std::string& type : kIntegrators) {
            CAPTURE(type);
            Simulation asked = model(text + integrator(type)),
                       alone = model(text + integrator(type));
            while (!asked.done()) {
                asked.dynamics();
                asked.step();
                alone.step();
                CHECK(std::ranges::equal(asked.q(), alone.q()));
                CHECK(std::ranges::equal(asked.v(), alone.v()));
                CHECK(std::ranges::equal(asked.reaction("plane"), alone.reaction("plane")));
            }
            CHECK(asked.statistics().energy.max_abs == alone.statistics().energy.max_abs);
        }
    }
}

}  // namespace
}  // namespace ancora::testing
