// SPDX-License-Identifier: BSD-3-Clause
// Tests of `knife_edge` and `rolling`: what they forbid, both formulations, and the messages.
#include <cmath>
#include <memory>
#include <random>
#include <span>
#include <string_view>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <doctest/doctest.h>

#include "ancora/sdk/numbers/math.hpp"
#include "ancora/sdk/plugin.hpp"
#include "ancora/sdk/testing/fake_arguments.hpp"
#include "support/row_values.hpp"

extern "C" const ancora::PluginDescriptor ancora_plugin_descriptor;

namespace {

using ancora::Constraint;
using ancora::Mat3;
using ancora::RowBlock;
using ancora::Vec3;
using ancora::test::FakeArguments;
using ancora::testing::discrete;
using ancora::testing::evaluate;
using ancora::testing::Rows;
using ancora::testing::span;
using Eigen::MatrixXd;
using Eigen::VectorXd;

enum Type { knife_edge, rolling };
constexpr double kRadius = 0.3;

FakeArguments sled() {
    FakeArguments arguments(ancora_plugin_descriptor.types[knife_edge]);
    arguments.set("body", "sled").set("direction", {2.0, 0.0, 0.0});
    return arguments;
}

FakeArguments ball() {
    FakeArguments arguments(ancora_plugin_descriptor.types[rolling]);
    arguments.set("body", "ball").set("radius", kRadius);
    return arguments;
}

std::unique_ptr<Constraint> make(Type type, const FakeArguments& arguments) {
    return std::unique_ptr<Constraint>(
        static_cast<Constraint*>(ancora_plugin_descriptor.types[type].create(arguments)));
}

struct Numbers : ancora::testing::Numbers {
    Numbers() : ancora::testing::Numbers(19720101) {}
};

/// u of a ball at x with attitude R.
VectorXd ball_at(const Vec3& x, const Mat3& R) {
    VectorXd u(12);
    u << x, R.col(0), R.col(1), R.col(2);
    return u;
}

/// Rates of it, omega in inertial axes.
VectorXd ball_rates(const Vec3& dx, const Vec3& omega, const Mat3& R) {
    return ball_at(dx, ancora::skew(omega) * R);
}

Mat3 turned(double angle, const Vec3& axis) {
    return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
}

}  // namespace

TEST_SUITE("nonholonomic: shape") {
    TEST_CASE("a knife edge asks for its point and its unit direction") {
        const auto c =
            make(knife_edge, sled().set("point", {-0.2, 0.1, 0.0}).set("direction", {3.0, 0, 4.0}));
        REQUIRE(c->attachments().size() == 2);
        const ancora::AttachmentRequest& point = c->attachments()[0];
        const ancora::AttachmentRequest& edge = c->attachments()[1];
        CHECK(point.kind == ancora::AttachmentRequest::Kind::point);
        CHECK(std::string_view(point.text) == "sled@[-0.2, 0.1, 0]");
        CHECK(edge.kind == ancora::AttachmentRequest::Kind::direction);
        CHECK(std::string_view(edge.text) == "sled@[0.6, 0, 0.8]");
        CHECK(std::string_view(edge.key) == "body");
    }

    TEST_CASE("rolling asks for the center and the three axes of the body") {
        const auto c = make(rolling, ball().set("center", {0.0, 0.0, 0.01}));
        REQUIRE(c->attachments().size() == 4);
        const char* const texts[] = {
            "ball@[0, 0, 0.01]", "ball@[1, 0, 0]", "ball@[0, 1, 0]", "ball@[0, 0, 1]"};
        for (std::size_t k = 0; k < 4; ++k) {
            const ancora::AttachmentRequest& request = c->attachments()[k];
            CHECK(std::string_view(request.text) == texts[k]);
            CHECK(std::string_view(request.key) == "body");
            CHECK(request.kind == (k == 0 ? ancora::AttachmentRequest::Kind::point
                                          : ancora::AttachmentRequest::Kind::direction));
        }
    }

    TEST_CASE("both are velocity constraints against the inertial frame, with a force") {
        for (const auto& c : {make(knife_edge, sled()), make(rolling, ball())}) {
            REQUIRE(c->row_blocks().size() == 1);
            const RowBlock& block = c->row_blocks()[0];
            CHECK(block.laws[0].kind == ancora::RowKind::velocity_constraint);
            CHECK_FALSE(block.depends_on_time);
            CHECK(facets_of(*c).tied_to_inertial_frame);
            CHECK(facets_of(*c).reaction == ancora::ReactionKind::force);
            CHECK(facets_of(*c).tangents == nullptr);
            REQUIRE(static_cast<std::size_t>(block.scalars_per_item) ==
                    3 * c->attachments().size());
            for (std::int32_t j = 0; j < block.scalars_per_item; ++j) CHECK(block.stencil[j] == j);
        }
    }
}

TEST_SUITE("nonholonomic: what is forbidden") {
    TEST_CASE("a sled may move along its edge and up, and not across") {
        const auto c = make(knife_edge, sled());
        const Vec3 d(std::cos(0.4), std::sin(0.4), 0.0);
        const Vec3 side(-std::sin(0.4), std::cos(0.4), 0.0);
        VectorXd u(6);
        u << 1.0, 2.0, 3.0, d;
        const auto psi = [&](const Vec3& v) {
            VectorXd du(6);
            du << v, side;  // it may turn, too
            return (evaluate(*c, u, du).A * du)(0);
        };
        CHECK(std::abs(psi(d)) < 1e-16);
        CHECK(psi(Vec3::UnitZ()) == 0.0);
        CHECK(psi(2.0 * side) == doctest::Approx(2.0).scale(0).epsilon(1e-15));
    }

    TEST_CASE("on a plane of another normal the edge has another side") {
        const auto c = make(knife_edge, sled().set("normal", {0.0, -5.0, 0.0}));
        VectorXd u(6);
        u << 0.0, 0.0, 0.0, 1.0, 0.0, 0.0;
        CHECK(evaluate(*c, u, u).A.leftCols<3>() == Eigen::RowVector3d(0.0, 0.0, 1.0));
    }

    // Rigid motion: the velocity of the contact point is r_c' + omega x (-R n).
    TEST_CASE("a ball rolls where its contact point rests, however the body's axes lie") {
        Numbers numbers;
        for (int trial = 0; trial < 20; ++trial) {
            const Vec3 given = numbers.vector(3);
            const Vec3 n = given.normalized();
            const auto c = make(rolling, ball().set("normal", {given.x(), given.y(), given.z()}));
            const Mat3 R = turned(3.0 * numbers.vector(1)(0), numbers.vector(3));
            const Vec3 v = numbers.vector(3);
            const Vec3 omega = numbers.vector(3);
            const Rows rows = evaluate(*c, ball_at(Vec3::Ones(), R), ball_rates(v, omega, R));
            const VectorXd psi = rows.A * ball_rates(v, omega, R);
            const Vec3 contact = v - kRadius * omega.cross(n);
            const MatrixXd T = rows.A.leftCols<3>();
            CHECK((psi - T * contact).norm() < 1e-15);
            CHECK((T * T.transpose() - MatrixXd::Identity(2, 2)).norm() < 1e-15);
            CHECK((T * n).norm() < 1e-15);
            // spinning about the normal is free, and so is rolling
            const VectorXd rolls = ball_rates(kRadius * omega.cross(n), omega + 2.0 * n, R);
            CHECK((rows.A * rolls).norm() < 1e-15);
        }
    }

    // f along t_k at the contact point has the moment -R n x f about the center.
    TEST_CASE("the reaction of rolling acts at the contact point") {
        const auto c = make(rolling, ball());
        const Mat3 R = turned(0.8, Vec3(1.0, 2.0, -1.0));
        const VectorXd u = ball_at(Vec3::Zero(), R);
        const MatrixXd A = evaluate(*c, u, u).A;
        for (Eigen::Index k = 0; k < 2; ++k) {
            const Vec3 f = A.block<1, 3>(k, 0).transpose();
            Vec3 moment = Vec3::Zero();
            for (Eigen::Index i = 3; i < 12; i += 3)
                moment += Vec3(u.segment<3>(i)).cross(Vec3(A.block<1, 3>(k, i).transpose()));
            CHECK((moment + kRadius * Vec3::UnitZ().cross(f)).norm() < 1e-15);
        }
    }

    // sum_i (mean e_i . n) (change of e_i) = 1/2 (Q - Q^T) n = sin(a) axis x n for a turn Q by a.
    TEST_CASE("over a step that turns the ball by a its center moves on by R sin a") {
        const auto c = make(rolling, ball());
        const Mat3 R0 = turned(0.5, Vec3(1.0, -1.0, 2.0));
        constexpr double kAngle = 0.7;
        const Mat3 R1 = turned(kAngle, Vec3::UnitY()) * R0;
        const Vec3 moved = kRadius * std::sin(kAngle) * Vec3::UnitX();
        const VectorXd u0 = ball_at(Vec3::Zero(), R0);
        const VectorXd du = ball_at(moved, R1) - u0;
        CHECK((discrete(*c, u0, du, 0.1) * du).norm() < 1e-15);
    }
}

TEST_SUITE("nonholonomic: faces") {
    // psi(u, u') along u + u' t + u'' t^2 / 2 is a polynomial of third degree: central differences
    // err by step^2.
    TEST_CASE("b is the part of psi' that accelerations do not make") {
        Numbers numbers;
        for (const auto& c : {make(knife_edge, sled().set("normal", {0.1, -0.2, 1.0})),
                              make(rolling, ball().set("normal", {0.1, -0.2, 1.0}))}) {
            const Eigen::Index width = c->row_blocks()[0].scalars_per_item;
            const VectorXd u = numbers.vector(width);
            const VectorXd du = numbers.vector(width);
            const VectorXd ddu = numbers.vector(width);
            const auto psi = [&](double t) {
                const VectorXd rate = du + t * ddu;
                return VectorXd(evaluate(*c, u + t * du + 0.5 * t * t * ddu, rate).A * rate);
            };
            constexpr double kStep = 1e-4;
            const VectorXd slope = (psi(kStep) - psi(-kStep)) / (2.0 * kStep);
            const Rows rows = evaluate(*c, u, du);
            CHECK((rows.A * ddu - rows.b - slope).norm() < 1e-7);
            CHECK(rows.pi.norm() == 0.0);
            CHECK(rows.pi_t.norm() == 0.0);
        }
    }

    TEST_CASE("over a step B is A at the midpoint") {
        Numbers numbers;
        for (const auto& c : {make(knife_edge, sled()), make(rolling, ball())}) {
            const Eigen::Index width = c->row_blocks()[0].scalars_per_item;
            const VectorXd u = numbers.vector(width);
            const VectorXd du = numbers.vector(width);
            CHECK(discrete(*c, u, du, 0.1) == evaluate(*c, u + 0.5 * du, du).A);
        }
    }

    TEST_CASE("only what is asked for is written") {
        for (const auto& c : {make(knife_edge, sled()), make(rolling, ball())}) {
            const VectorXd u = VectorXd::Ones(c->row_blocks()[0].scalars_per_item);
            CHECK_NOTHROW(c->evaluate(0, {span(u), span(u), 0.0}, {{}, {}, {}, {}}));
        }
    }
}

TEST_SUITE("nonholonomic: messages") {
    TEST_CASE("directions that point nowhere are refused") {
        CHECK_THROWS_WITH(make(knife_edge, sled().set("direction", {0, 0, 0})),
                          "direction: the direction [0, 0, 0] points nowhere");
        CHECK_THROWS_WITH(make(knife_edge, sled().set("normal", {0, 0, 0})),
                          "normal: the direction [0, 0, 0] points nowhere");
        CHECK_THROWS_WITH(make(rolling, ball().set("normal", {0, 0, 0})),
                          "normal: the direction [0, 0, 0] points nowhere");
    }
}
