// SPDX-License-Identifier: BSD-3-Clause
// Tests of `point_on_surface` and `point_on_curve`: rows and sliding against differences, against
// the plane and the circle, over steps, and the messages.
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <doctest/doctest.h>

#include "ancora/sdk/numbers/math.hpp"
#include "ancora/sdk/plugin.hpp"
#include "ancora/sdk/testing/fake_arguments.hpp"
#include "support/dense.hpp"
#include "support/row_values.hpp"

extern "C" const ancora::PluginDescriptor ancora_plugin_descriptor;

namespace {

namespace by_eigen = ancora::testing::by_eigen;
using ancora::Constraint;
using ancora::Mat3;
using ancora::RowBlock;
using ancora::RowSource;
using ancora::Vec3;
using ancora::test::FakeArguments;
using ancora::testing::discrete;
using ancora::testing::Rows;
using ancora::testing::span;
using Eigen::MatrixXd;
using Eigen::VectorXd;

using Texts = std::vector<std::string>;

const ancora::TypeDescriptor& type_of(const std::string& name) {
    for (std::uint32_t k = 0; k < ancora_plugin_descriptor.num_types; ++k)
        if (ancora_plugin_descriptor.types[k].name == name)
            return ancora_plugin_descriptor.types[k];
    throw std::invalid_argument("no type " + name);
}

FakeArguments arguments_of(const std::string& type) {
    FakeArguments arguments(type_of(type));
    arguments.set("point", "bead@0");
    return arguments;
}

std::unique_ptr<Constraint> make(const std::string& type, const FakeArguments& arguments) {
    return std::unique_ptr<Constraint>(static_cast<Constraint*>(type_of(type).create(arguments)));
}

std::unique_ptr<Constraint> surface(const std::string& equation) {
    return make("point_on_surface",
                arguments_of("point_on_surface").set("equation", equation.c_str()));
}

std::unique_ptr<Constraint> curve(const std::string& first, const std::string& second) {
    return make("point_on_curve",
                arguments_of("point_on_curve").set_texts("equations", {first, second}));
}

const char* const kEllipsoid = "x^2/4 + y^2 + z^2 = 1";
const char* const kWaves = "z = sin(x)*cos(y) + 0.1*x*y";

/// Linear, quadratic and other equations, with and without coordinates that they do not hold.
std::vector<std::unique_ptr<Constraint>> all() {
    std::vector<std::unique_ptr<Constraint>> out;
    out.push_back(surface("0.6*x - 0.3*y + 2*z = 0"));
    out.push_back(surface(kEllipsoid));
    out.push_back(surface(kWaves));
    out.push_back(surface("z = 0.5*x^2"));
    out.push_back(surface("exp(x) = y + 1"));
    out.push_back(curve("x^2 + y^2 = 1", "z = 0.2*x"));
    out.push_back(curve(kEllipsoid, kWaves));
    return out;
}

Rows evaluate(const RowSource& source, const VectorXd& u, const VectorXd& du) {
    REQUIRE(source.row_blocks()[0].scalars_per_item == 6);
    const Rows out = ancora::testing::evaluate(source, u, du);
    CHECK(out.pi_t.norm() == 0.0);
    return out;
}
MatrixXd discrete(const RowSource& source, const VectorXd& u0, const VectorXd& du) {
    return discrete(source, u0, du, 0.1);
}

struct Numbers : ancora::testing::Numbers {
    Numbers() : ancora::testing::Numbers(20240917) {}
};

/// (r_p, r_o) with the given difference.
VectorXd placed(const Vec3& rho) {
    VectorXd u(6);
    u << rho + Vec3(0.3, -0.2, 0.5), 0.3, -0.2, 0.5;
    return u;
}

}  // namespace

TEST_SUITE("point on surface, point on curve: rows") {
    TEST_CASE("shape: one row and two tangents, or two and one; the degree is the equation's") {
        for (const auto& c : all()) {
            const int rows = c->row_blocks()[0].rows_per_item;
            CHECK(facets_of(*c).tangents->row_blocks()[0].rows_per_item == 3 - rows);
            CHECK(facets_of(*c).tangents->row_blocks()[0].laws[0].kind ==
                  ancora::RowKind::velocity_constraint);
            CHECK(c->attachments().size() == 2);
            CHECK(facets_of(*c).tied_to_inertial_frame);
        }
        using ancora::Degree;
        CHECK(surface("x = 2*y")->row_blocks()[0].degree == Degree::linear);
        CHECK(surface(kEllipsoid)->row_blocks()[0].degree == Degree::quadratic);
        CHECK(surface(kWaves)->row_blocks()[0].degree == Degree::general);
        CHECK(curve("x = 2*y", kEllipsoid)->row_blocks()[0].degree == Degree::quadratic);
    }

    // Gradient lengths on the surfaces by hand: |(3, 0, 4)|, 2 R on a sphere, and on a plane that
    // is written in another unit.
    TEST_CASE("rows are lengths") {
        const VectorXd zero = VectorXd::Zero(6);
        CHECK(evaluate(*surface("3*x + 4*z = 5"), placed({0, 0, 0}), zero).pi(0) ==
              doctest::Approx(-1.0).scale(0).epsilon(1e-14));
        for (const double R : {1e-4, 0.7, 30.0}) {
            const auto sphere =
                surface("x^2 + y^2 + z^2 = " + std::to_string(R * R * 1e8) + "*1e-8");
            const Vec3 n = Vec3(0.3, -0.5, 0.2).normalized();
            CHECK(evaluate(*sphere, placed(R * n), zero).A.row(0).head(3).norm() ==
                  doctest::Approx(1.0).scale(0).epsilon(1e-12));
            CHECK(evaluate(*sphere, placed(1.001 * R * n), zero).pi(0) ==
                  doctest::Approx(0.001 * R).scale(0).epsilon(1e-3));
        }
        CHECK(evaluate(*surface("1e6*z = 0"), placed({1, 2, 3}), zero).pi(0) ==
              doctest::Approx(3.0).scale(0).epsilon(1e-14));
    }

    TEST_CASE("A is the derivative of pi, to the error of differences") {
        Numbers numbers;
        for (const auto& c : all()) {
            const VectorXd u = numbers.vector(6);
            const Rows rows = evaluate(*c, u, u);
            constexpr double kStep = 1e-5;
            for (Eigen::Index j = 0; j < 6; ++j) {
                const VectorXd e = kStep * VectorXd::Unit(6, j);
                const VectorXd slope =
                    (evaluate(*c, u + e, u).pi - evaluate(*c, u - e, u).pi) / (2.0 * kStep);
                CHECK((rows.A.col(j) - slope).norm() < 1e-9);
            }
        }
    }

    TEST_CASE("b is the part of pi'' that accelerations do not make") {
        Numbers numbers;
        for (const auto& c : all()) {
            const VectorXd u = numbers.vector(6), du = numbers.vector(6), ddu = numbers.vector(6);
            const auto pi = [&](double t) {
                return evaluate(*c, u + t * du + 0.5 * t * t * ddu, du).pi;
            };
            constexpr double kStep = 1e-3;
            const VectorXd second = (pi(kStep) - 2.0 * pi(0.0) + pi(-kStep)) / (kStep * kStep);
            const Rows rows = evaluate(*c, u, du);
            CHECK((rows.A * ddu - rows.b - second).norm() < 1e-4);
        }
    }

    TEST_CASE("over a large step B du is the change of pi, to rounding") {
        Numbers numbers;
        for (const auto& c : all()) {
            const VectorXd u = numbers.vector(6), du = numbers.vector(6);
            const VectorXd change = evaluate(*c, u + du, du).pi - evaluate(*c, u, du).pi;
            const MatrixXd B = discrete(*c, u, du);
            CHECK((B * du - change).norm() < 1e-14);
            CHECK(B.leftCols(3) == -B.rightCols(3));
            // the exact derivative is that at the midpoint
            if (c->row_blocks()[0].degree != ancora::Degree::general)
                CHECK((B - evaluate(*c, u + 0.5 * du, du).A).norm() < 1e-15);
        }
    }

    TEST_CASE("G is the derivative of A^T s, and its positive part is one") {
        Numbers numbers;
        for (const auto& c : all()) {
            const RowBlock& block = c->row_blocks()[0];
            if (block.tangent == ancora::TangentForm::none) continue;
            const VectorXd u = numbers.vector(6), s = numbers.vector(block.rows_per_item);
            const auto tangent = [&](bool positive) {
                VectorXd G = VectorXd::Constant(36, NAN);
                c->evaluate_tangent(
                    0, {.mid = span(u), .s = span(s), .positive_part = positive}, span(G));
                return MatrixXd(G.reshaped(6, 6));
            };
            const MatrixXd G = tangent(false);
            constexpr double kStep = 1e-5;
            for (Eigen::Index j = 0; j < 6; ++j) {
                const VectorXd e = kStep * VectorXd::Unit(6, j);
                const VectorXd change =
                    (evaluate(*c, u + e, u).A.transpose() - evaluate(*c, u - e, u).A.transpose()) *
                    s / (2.0 * kStep);
                CHECK((G.col(j) - change).norm() < 1e-9);
            }
            const MatrixXd exact = by_eigen::positive_part(G);
            CHECK((tangent(true) - exact).norm() < 1e-14);
        }
    }
}

TEST_SUITE("point on surface, point on curve: sliding") {
    TEST_CASE("directions are orthonormal and across the reaction, also over a large step") {
        Numbers numbers;
        for (const auto& c : all())
            for (int trial = 0; trial < 20; ++trial) {
                const VectorXd u = numbers.vector(6), du = 0.5 * numbers.vector(6);
                const MatrixXd now = evaluate(*facets_of(*c).tangents, u, du).A.leftCols(3);
                const MatrixXd step = discrete(*facets_of(*c).tangents, u, du).leftCols(3);
                const MatrixXd one = MatrixXd::Identity(now.rows(), now.rows());
                CHECK((now * now.transpose() - one).norm() < 1e-14);
                CHECK((step * step.transpose() - one).norm() < 1e-14);
                CHECK((now * evaluate(*c, u, du).A.leftCols(3).transpose()).norm() < 1e-14);
                CHECK((step * discrete(*c, u, du).leftCols(3).transpose()).norm() < 1e-14);
            }
    }

    TEST_CASE("b is the part of psi' that accelerations do not make") {
        Numbers numbers;
        for (const auto& c : all()) {
            const RowSource& sliding = *facets_of(*c).tangents;
            const VectorXd u = numbers.vector(6), du = numbers.vector(6), ddu = numbers.vector(6);
            const auto psi = [&](double t) {
                const VectorXd rate = du + t * ddu;
                return VectorXd(evaluate(sliding, u + t * du + 0.5 * t * t * ddu, rate).A * rate);
            };
            constexpr double kStep = 1e-5;
            const VectorXd slope = (psi(kStep) - psi(-kStep)) / (2.0 * kStep);
            const Rows rows = evaluate(sliding, u, du);
            CHECK((rows.A * ddu - rows.b - slope).norm() < 1e-7);
            CHECK(rows.pi.norm() == 0.0);
        }
    }

    // The turn that takes n to n' moves every vector by at most |n' - n|; also at the normals where
    // axes fixed in space would jump, of which one is -(0.48, 0.6, 0.64).
    TEST_CASE("within a step the directions turn no more than the normal") {
        Numbers numbers;
        const auto sphere = surface("x^2 + y^2 + z^2 = 1");
        for (int trial = 0; trial < 200; ++trial) {
            Vec3 n = numbers.vector(3);
            if (trial % 2 == 0) n = -Vec3(0.48, 0.6, 0.64) + 1e-3 * n;
            n.normalize();
            const VectorXd u = placed(n);
            VectorXd du = VectorXd::Zero(6);
            du.head(3) = 0.01 * numbers.vector(3);
            const MatrixXd now = evaluate(*facets_of(*sphere).tangents, u, du).A.leftCols(3);
            const MatrixXd step = discrete(*facets_of(*sphere).tangents, u, du).leftCols(3);
            const Vec3 mid = (n + 0.5 * Vec3(du.head(3))).normalized();
            for (Eigen::Index i = 0; i < 2; ++i)
                CHECK((step.row(i) - now.row(i)).norm() <= (mid - n).norm() + 1e-14);
            CHECK(Vec3(step.row(0)).cross(Vec3(step.row(1))).dot(mid) > 0.999);
        }
    }
}

TEST_SUITE("point on surface, point on curve: the same as the types with a shape") {
    TEST_CASE("a plane z = 0, a tilted plane") {
        Numbers numbers;
        const std::vector<std::pair<std::string, std::vector<double>>> planes{
            {"z = 0", {0.0, 0.0, 1.0}},
            {"x = 0", {1.0, 0.0, 0.0}},
            {"y = 0", {0.0, 1.0, 0.0}},
            {"0.8*z = 0.6*x", {-0.6, 0.0, 0.8}}};
        for (const auto& [equation, normal] : planes) {
            CAPTURE(equation);
            const auto ours = surface(equation);
            const auto plane =
                make("point_on_plane", arguments_of("point_on_plane").set("normal", normal));
            const VectorXd u = numbers.vector(6), du = numbers.vector(6);
            const Rows a = evaluate(*ours, u, du), b = evaluate(*plane, u, du);
            CHECK((a.pi - b.pi).norm() < 1e-15);
            CHECK((a.A - b.A).norm() < 1e-15);
            CHECK(a.b.norm() == 0.0);
            const Rows s = evaluate(*facets_of(*ours).tangents, u, du),
                       t = evaluate(*facets_of(*plane).tangents, u, du);
            CHECK((s.A - t.A).norm() < 1e-15);
            CHECK((s.b - t.b).norm() < 1e-15);
            CHECK((discrete(*facets_of(*ours).tangents, u, du) - t.A).norm() < 1e-14);
        }
    }

    TEST_CASE("a circle, its sense given by the order of the equations") {
        Numbers numbers;
        const auto ours = curve("z = 0", "x^2 + y^2 + z^2 = 0.64");
        const auto circle =
            make("point_on_circle",
                 arguments_of("point_on_circle").set("normal", {0.0, 0.0, 1.0}).set("radius", 0.8));
        const VectorXd u = placed({0.8 * std::cos(0.4), 0.8 * std::sin(0.4), 0.0});
        VectorXd du = numbers.vector(6);
        const Rows a = evaluate(*ours, u, du), b = evaluate(*circle, u, du);
        CHECK((a.pi - b.pi).norm() < 1e-15);
        CHECK((a.A - b.A).norm() < 1e-14);
        CHECK((a.b - b.b).norm() < 1e-14);
        const Rows s = evaluate(*facets_of(*ours).tangents, u, du),
                   t = evaluate(*facets_of(*circle).tangents, u, du);
        CHECK((s.A - t.A).norm() < 1e-14);
        // along the circle, where psi is the same function
        du = VectorXd::Zero(6);
        du.head(3) = 2.0 * t.A.row(0).head(3).transpose();
        CHECK((evaluate(*facets_of(*ours).tangents, u, du).b -
               evaluate(*facets_of(*circle).tangents, u, du).b)
                  .norm() < 1e-14);
        // a chord within the plane
        const VectorXd chord = placed({0.8 * std::cos(1.3), 0.8 * std::sin(1.3), 0.0}) - u;
        CHECK((discrete(*ours, u, chord) - discrete(*circle, u, chord)).norm() < 1e-14);
        CHECK((discrete(*facets_of(*ours).tangents, u, chord) -
               discrete(*facets_of(*circle).tangents, u, chord))
                  .norm() < 1e-14);
    }
}

TEST_SUITE("point on surface, point on curve: messages") {
    TEST_CASE("mistakes in the text are shown where they are") {
        CHECK_THROWS_WITH(surface("x^2 + + = 1"),
                          "equation: position 9: found \"=\", expected a number, a function, x, y, "
                          "z or \"(\"\n"
                          "    x^2 + + = 1\n"
                          "            ^");
        CHECK_THROWS_WITH(surface("box.x + y = 0"),
                          "equation: position 1: found \"box.x\", expected x, y or z, the "
                          "coordinates of the point\n"
                          "    box.x + y = 0\n"
                          "    ^");
        CHECK_THROWS_WITH(surface("x + w = 0"),
                          "equation: position 5: found \"w\", expected x, y, z\n"
                          "    x + w = 0\n"
                          "        ^");
        CHECK_THROWS_WITH(surface("der(x) + y = 0"),
                          "equation: position 1: found \"der(x)\", but the equation is one on "
                          "coordinates\n"
                          "    der(x) + y = 0\n"
                          "    ^");
        CHECK_THROWS_WITH(
            surface("1 = 2"),
            "equation: position 1: the equation holds no coordinate; write x, y or z\n"
            "    1 = 2\n"
            "    ^");
        CHECK_THROWS_WITH(surface("z = tan(x) + 2*t"),
                          "equation: position 16: found \"t\", but the surface has one shape for "
                          "ever; let a body carry its origin, or take general_constraint\n"
                          "    z = tan(x) + 2*t\n"
                          "                   ^");
        CHECK_THROWS_WITH(
            curve("x = 0", "y = = 0"),
            "equations: equation 2 of 2, position 5: found \"=\", expected a number, a "
            "function, x, y, z or \"(\"\n"
            "    y = = 0\n"
            "        ^");
        CHECK_THROWS_WITH(
            make("point_on_curve",
                 arguments_of("point_on_curve").set_texts("equations", {"x = 0"})),
            "equations: expected 2 equations, for a curve is where two surfaces cross; found 1");
    }

    TEST_CASE("equations without a normal where they hold are refused") {
        const auto message = [](const auto& make_it) {
            try {
                make_it();
            } catch (const std::runtime_error& error) {
                return std::string(error.what());
            }
            return std::string("nothing thrown");
        };
        const std::string squared = message([] {
            surface("(x^2 + y^2 - 1)^2 = 0");
        });
        // at some point of the unit cylinder, found from the equation
        CHECK(squared.starts_with("equation: \"(x^2 + y^2 - 1)^2 = 0\" has no gradient at ("));
        CHECK(
            squared.ends_with(" and so no normal there; keep the point away, or write an "
                              "equation whose sides cross where they are equal"));
        const std::string touching = message([] {
            curve("z = 0", "z = x^2");
        });
        CHECK(touching.starts_with(
            "equations: the surfaces \"z = 0\" and \"z = x^2\" touch at (0, "));
        CHECK(touching.ends_with(
            " and have no curve in common there; write two surfaces that cross"));
        CHECK(message([] {
                  curve("x + y = 1", "2*x + 2*y = 2");
              }).starts_with("equations: the surfaces \"x + y = 1\" and \"2*x + 2*y = 2\" touch"));
    }

    TEST_CASE("a point in the tip of a cone, or in a sphere without radius, has no normal") {
        const auto cone = surface("x^2 + y^2 = z^2");
        const VectorXd zero = VectorXd::Zero(6);
        CHECK_NOTHROW(evaluate(*cone, placed({0.6, 0.8, 1.0}), zero));
        CHECK_THROWS_AS(evaluate(*cone, placed({0.0, 0.0, 0.0}), zero), std::domain_error);
        CHECK_THROWS_AS(evaluate(*surface("x^2 + y^2 + z^2 = 0"), placed({0.0, 0.0, 0.0}), zero),
                        std::domain_error);
        CHECK_THROWS_WITH(
            evaluate(*facets_of(*cone).tangents, placed({0.0, 0.0, 0.0}), zero),
            "\"x^2 + y^2 = z^2\" has no gradient at (0, 0, 0) and so no normal there; "
            "keep the point away, or write an equation whose sides cross where they "
            "are equal");
    }
}
