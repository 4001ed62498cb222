// SPDX-License-Identifier: BSD-3-Clause
// Tests of `point_on_plane`, `point_on_line` and `point_on_circle`: both formulations of the normal
// rows and of sliding, the axes, and the messages.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
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
using ancora::vec3;
using ancora::Vec3;
using ancora::test::FakeArguments;
using ancora::testing::discrete;
using ancora::testing::evaluate;
using ancora::testing::Rows;
using ancora::testing::span;
using Eigen::MatrixXd;
using Eigen::VectorXd;

enum Type { plane, line, circle };
constexpr const char* kAxisKeys[] = {"normal", "direction", "normal"};
constexpr double kRadius = 0.8;

FakeArguments arguments_of(Type type) {
    FakeArguments arguments(ancora_plugin_descriptor.types[type]);
    arguments.set("point", "bead@[0, 0, 0]");
    if (type == circle) arguments.set("radius", kRadius);
    return arguments;
}

std::unique_ptr<Constraint> make(Type type, const FakeArguments& arguments) {
    return std::unique_ptr<Constraint>(
        static_cast<Constraint*>(ancora_plugin_descriptor.types[type].create(arguments)));
}

std::unique_ptr<Constraint> carried(Type type, const char* axis = "box@[0.6, -0.3, 2.0]") {
    return make(type, arguments_of(type).set(kAxisKeys[type], axis));
}

std::unique_ptr<Constraint> on_ground(Type type, std::vector<double> axis = {0.6, -0.3, 2.0}) {
    return make(type, arguments_of(type).set(kAxisKeys[type], std::move(axis)));
}

Eigen::Index num_scalars(const Constraint& c) {
    return static_cast<Eigen::Index>(3 * c.attachments().size());
}

/// G of the item, expanded to all of u.
MatrixXd tangent(const RowSource& source, const VectorXd& mid, const VectorXd& s, bool positive) {
    const RowBlock& block = source.row_blocks()[0];
    const Eigen::Index points = block.scalars_per_item / 3;
    VectorXd K = VectorXd::Constant(points * points, NAN);
    source.evaluate_tangent(
        0, {.mid = span(mid), .s = span(s), .positive_part = positive}, span(K));
    MatrixXd G = MatrixXd::Zero(mid.size(), mid.size());
    for (Eigen::Index i = 0; i < points; ++i)
        for (Eigen::Index j = 0; j < points; ++j)
            for (Eigen::Index k = 0; k < 3; ++k)
                G(block.stencil[3 * i + k], block.stencil[3 * j + k]) += K(i * points + j);
    return G;
}

struct Numbers : ancora::testing::Numbers {
    Numbers() : ancora::testing::Numbers(20240611) {}
};

/// All six ways to carry the three types.
std::vector<std::unique_ptr<Constraint>> all() {
    std::vector<std::unique_ptr<Constraint>> out;
    for (const Type type : {plane, line, circle}) {
        out.push_back(carried(type));
        out.push_back(on_ground(type));
    }
    return out;
}

/// Both sources of every constraint that give positions.
std::vector<const RowSource*> position_sources(
    const std::vector<std::unique_ptr<Constraint>>& from) {
    std::vector<const RowSource*> out;
    for (const auto& c : from) {
        out.push_back(c.get());
        if (facets_of(*c).tangents->row_blocks()[0].laws[0].kind == ancora::RowKind::constraint)
            out.push_back(facets_of(*c).tangents);
    }
    return out;
}

Eigen::Index width_of(const RowSource& source) {
    std::int32_t last = 0;
    for (const std::int32_t j : source.row_blocks()[0].stencil) last = std::max(last, j);
    return last + 1;
}

/// The components of a direction attachment.
Vec3 components(const char* text) {
    const std::string all(text);
    Vec3 x;
    const char* at = all.c_str() + all.find('[') + 1;
    for (int k = 0; k < 3; ++k) {
        char* end = nullptr;
        x(k) = std::strtod(at, &end);
        at = end + 1;
    }
    return x;
}

/// u of a constraint whose axes are carried by a frame R, with rho = r_p - r_o given.
VectorXd placed(const Constraint& c, const Vec3& axis, const Mat3& R, const Vec3& rho) {
    VectorXd u(num_scalars(c));
    u.segment<3>(3) = Vec3(0.3, -0.2, 0.5);
    u.segment<3>(0) = u.segment<3>(3) + rho;
    u.segment<3>(6) = R * axis.normalized();
    for (std::size_t k = 0; k < 2; ++k)
        u.segment<3>(static_cast<Eigen::Index>(9 + 3 * k)) =
            R * components(c.attachments()[3 + k].text);
    return u;
}

Mat3 some_rotation() {
    return Eigen::AngleAxisd(0.7, Vec3(1.0, -2.0, 0.5).normalized()).toRotationMatrix();
}

}  // namespace

TEST_SUITE("point contact: shape") {
    TEST_CASE("axes of a body are attachments, axes of the ground are numbers") {
        const char* const origins[] = {"origin", "origin", "center"};
        for (const Type type : {plane, line, circle}) {
            const auto on_body = carried(type);
            REQUIRE(on_body->attachments().size() == 5);
            CHECK(std::string_view(on_body->attachments()[0].parameter) == "point");
            CHECK(std::string_view(on_body->attachments()[1].parameter) == origins[type]);
            CHECK(std::string_view(on_body->attachments()[2].parameter) == kAxisKeys[type]);
            for (const ancora::AttachmentRequest& request : on_body->attachments().subspan(3)) {
                CHECK(request.kind == ancora::AttachmentRequest::Kind::direction);
                CHECK(std::string_view(request.text).starts_with("box@["));
                CHECK(std::string_view(request.key) == kAxisKeys[type]);
            }
            CHECK_FALSE(facets_of(*on_body).tied_to_inertial_frame);

            const auto fixed = on_ground(type);
            CHECK(fixed->attachments().size() == 2);
            CHECK(facets_of(*fixed).tied_to_inertial_frame);
            CHECK(facets_of(*fixed).reaction == ancora::ReactionKind::force);
        }
    }

    TEST_CASE("rows and degrees: linear on the ground, quadratic on a body") {
        for (const Type type : {plane, line}) {
            const auto fixed = on_ground(type);
            const auto on_body = carried(type);
            CHECK(fixed->row_blocks()[0].degree == ancora::Degree::linear);
            CHECK(fixed->row_blocks()[0].tangent == ancora::TangentForm::none);
            CHECK(facets_of(*fixed).tangents->row_blocks()[0].degree == ancora::Degree::linear);
            CHECK(on_body->row_blocks()[0].degree == ancora::Degree::quadratic);
            CHECK(facets_of(*on_body).tangents->row_blocks()[0].degree ==
                  ancora::Degree::quadratic);
            const int normal = type == plane ? 1 : 2;
            for (const Constraint* c : {fixed.get(), on_body.get()}) {
                CHECK(c->row_blocks().size() == 1);
                CHECK(facets_of(*c).tangents->row_blocks().size() == 1);
                CHECK(c->row_blocks()[0].rows_per_item == normal);
                CHECK(facets_of(*c).tangents->row_blocks()[0].rows_per_item == 3 - normal);
            }
        }
        for (const auto& hoop : {carried(circle), on_ground(circle)}) {
            CHECK(hoop->row_blocks()[0].rows_per_item == 2);
            CHECK(hoop->row_blocks()[0].degree == ancora::Degree::quadratic);
            const RowBlock& sliding = facets_of(*hoop).tangents->row_blocks()[0];
            CHECK(sliding.rows_per_item == 1);
            CHECK(sliding.laws[0].kind == ancora::RowKind::velocity_constraint);
        }
    }

    TEST_CASE("the origin is the ground's unless it is given") {
        for (const Type type : {plane, line, circle}) {
            const char* const key = type == circle ? "center" : "origin";
            const FakeArguments arguments = arguments_of(type);
            CHECK(arguments.shape(key) == ancora::Shape::vector);
            CHECK(vec3(arguments.numbers(key)) == Vec3::Zero());
        }
    }
}

TEST_SUITE("point contact: axes") {
    /// Sliding directions of a plane on the ground.
    void check_axes(const Vec3& normal, const Vec3& t1, const Vec3& t2) {
        const auto c = on_ground(plane, {normal.x(), normal.y(), normal.z()});
        const Rows sliding =
            evaluate(*facets_of(*c).tangents, VectorXd::Zero(6), VectorXd::Zero(6));
        CHECK((sliding.A.block<1, 3>(0, 0).transpose() - t1).norm() < 1e-15);
        CHECK((sliding.A.block<1, 3>(1, 0).transpose() - t2).norm() < 1e-15);
    }

    TEST_CASE("normals along the coordinate axes give the other two in cyclic order") {
        check_axes({0, 0, 3}, Vec3::UnitX(), Vec3::UnitY());
        check_axes({2, 0, 0}, Vec3::UnitY(), Vec3::UnitZ());
        check_axes({0, 1, 0}, Vec3::UnitZ(), Vec3::UnitX());
        check_axes({0, 0, -1}, -Vec3::UnitX(), Vec3::UnitY());
    }

    // A point that has two coordinates only must find the third direction exactly absent.
    TEST_CASE("an incline in a coordinate plane has one axis in that plane, exactly") {
        const double c = std::cos(0.4);
        const double s = std::sin(0.4);
        check_axes({-s, 0, c}, {c, 0, s}, Vec3::UnitY());
        check_axes({-s, c, 0}, {-c, -s, 0}, Vec3::UnitZ());
        for (const Vec3& n : {Vec3(-s, c, 0), Vec3(s, c, 0), Vec3(c, s, 0)}) {
            const auto ramp = on_ground(plane, {n.x(), n.y(), n.z()});
            const Rows rows =
                evaluate(*facets_of(*ramp).tangents, VectorXd::Zero(6), VectorXd::Zero(6));
            CHECK(rows.A(0, 2) == 0.0);
            CHECK(rows.A(1, 0) == 0.0);
            CHECK(rows.A(1, 1) == 0.0);
            const auto rail = on_ground(line, {n.x(), n.y(), n.z()});
            const Rows across = evaluate(*rail, VectorXd::Zero(6), VectorXd::Zero(6));
            CHECK(across.A(0, 2) == 0.0);
            CHECK(across.A(1, 0) == 0.0);
            CHECK(across.A(1, 1) == 0.0);
        }
    }

    TEST_CASE("axes of any direction are orthonormal and right-handed, on ground and body alike") {
        Numbers numbers;
        for (int trial = 0; trial < 50; ++trial) {
            const Vec3 n = numbers.vector(3);
            const auto c = on_ground(plane, {n.x(), n.y(), n.z()});
            const VectorXd zero = VectorXd::Zero(6);
            Mat3 R;
            R.topRows<2>() = evaluate(*facets_of(*c).tangents, zero, zero).A.leftCols<3>();
            R.row(2) = evaluate(*c, zero, zero).A.leftCols<3>();
            CHECK((R * R.transpose() - Mat3::Identity()).norm() < 1e-15);
            CHECK(R.determinant() > 0.0);
            CHECK((R.row(2).transpose() - n.normalized()).norm() < 1e-15);

            FakeArguments arguments = arguments_of(plane);
            char text[120];
            std::snprintf(text, sizeof text, " box @ [%.17g,%.17g , %.17g] ", n.x(), n.y(), n.z());
            const auto moving = make(plane, arguments.set("normal", text));
            CHECK(components(moving->attachments()[3].text) == Vec3(R.row(0)));
            CHECK(components(moving->attachments()[4].text) == Vec3(R.row(1)));
            CHECK(std::string_view(moving->attachments()[3].text).starts_with("box@["));
        }
    }

    TEST_CASE("a direction of the ground may be written as an attachment") {
        const auto c = make(plane, arguments_of(plane).set("normal", "ground@[0, 0, +2.0]"));
        CHECK(c->attachments().size() == 2);
        CHECK(facets_of(*c).tied_to_inertial_frame);
        const Rows rows = evaluate(*c, VectorXd::Zero(6), VectorXd::Zero(6));
        CHECK(rows.A.row(0).head<3>().transpose() == Vec3::UnitZ());
    }
}

TEST_SUITE("point contact: rows") {
    // The body's and the ground's form are the same function where the body does not move.
    TEST_CASE("a plane measures height above it and position on it") {
        const auto c = carried(plane, "box@[0, 0, 1]");
        const VectorXd u = placed(*c, Vec3::UnitZ(), Mat3::Identity(), Vec3(1.0, 2.0, 3.0));
        CHECK(evaluate(*c, u, u).pi(0) == doctest::Approx(3.0).scale(0).epsilon(1e-15));
        const VectorXd sigma = evaluate(*facets_of(*c).tangents, u, u).pi;
        CHECK((sigma - Eigen::Vector2d(1.0, 2.0)).norm() < 1e-15);
        const auto fixed = on_ground(plane, {0, 0, 1});
        CHECK((evaluate(*fixed, u.head(6), u.head(6)).pi - evaluate(*c, u, u).pi).norm() < 1e-15);
    }

    TEST_CASE("a circle measures height above its plane and distance from it") {
        const auto c = on_ground(circle, {0, 0, 1});
        VectorXd u = VectorXd::Zero(6);
        u.head<3>() = Vec3(0.0, kRadius, 0.0);
        CHECK(evaluate(*c, u, u).pi.norm() < 1e-16);
        u.head<3>() = Vec3(0.0, kRadius + 1e-9, 1e-9);
        CHECK(evaluate(*c, u, u).pi(0) == 1e-9);
        CHECK(evaluate(*c, u, u).pi(1) == doctest::Approx(1e-9).scale(0).epsilon(1e-6));
    }

    // Rates of a point on a circle that turns at 2 rad/s against a hoop that turns at 0.5 rad/s.
    TEST_CASE("sliding on a circle is the rate of arc length relative to the hoop") {
        const auto fixed = on_ground(circle, {0, 0, 1});
        VectorXd u = VectorXd::Zero(6);
        u.head<3>() = kRadius * Vec3(std::cos(0.3), std::sin(0.3), 0.0);
        VectorXd du = VectorXd::Zero(6);
        du.head<3>() = 2.0 * Vec3::UnitZ().cross(Vec3(u.head<3>()));
        CHECK((evaluate(*facets_of(*fixed).tangents, u, du).A * du)(0) ==
              doctest::Approx(2.0 * kRadius).scale(0).epsilon(1e-15));

        const auto moving = carried(circle, "hoop@[0, 0, 1]");
        const Mat3 R = some_rotation();
        const VectorXd w = placed(*moving, Vec3::UnitZ(), R, R * u.head<3>());
        const Vec3 omega = R * Vec3(0.0, 0.0, 0.5);
        VectorXd dw = VectorXd::Zero(15);
        dw.segment<3>(3) = Vec3(1.0, 2.0, 3.0);
        dw.segment<3>(0) = dw.segment<3>(3) + R * du.head<3>();
        for (const Eigen::Index k : {6, 9, 12})
            dw.segment<3>(k) = omega.cross(Vec3(w.segment<3>(k)));
        CHECK((evaluate(*facets_of(*moving).tangents, w, dw).A * dw)(0) ==
              doctest::Approx(1.5 * kRadius).scale(0).epsilon(1e-14));
    }

    TEST_CASE("on the axis of a circle sliding has no direction, and says zero") {
        const auto c = on_ground(circle, {0, 0, 1});
        const Rows rows = evaluate(*facets_of(*c).tangents, VectorXd::Zero(6), VectorXd::Ones(6));
        CHECK(rows.A == MatrixXd::Zero(1, 6));
        CHECK(rows.b(0) == 0.0);
    }

    TEST_CASE("sliding directions are orthonormal and perpendicular to the reaction") {
        const Mat3 R = some_rotation();
        const Vec3 axis(0.6, -0.3, 2.0);
        for (const Type type : {plane, line, circle}) {
            const auto c = carried(type);
            Vec3 rho(0.7, -0.4, 0.2);
            if (type == circle) rho = kRadius * axis.cross(rho).normalized();
            const VectorXd u = placed(*c, axis, R, R * rho);
            const MatrixXd N = evaluate(*c, u, u).A.leftCols(3);
            const MatrixXd T = evaluate(*facets_of(*c).tangents, u, u).A.leftCols(3);
            CHECK((T * T.transpose() - MatrixXd::Identity(T.rows(), T.rows())).norm() < 1e-15);
            CHECK((N * N.transpose() - MatrixXd::Identity(N.rows(), N.rows())).norm() < 1e-15);
            CHECK((N * T.transpose()).norm() < 1e-15);
        }
    }

    TEST_CASE("over a large step on a circle the sliding direction stays a unit tangent") {
        const auto c = on_ground(circle, {0, 0, 1});
        const auto at = [](double angle) {
            VectorXd u = VectorXd::Zero(6);
            u.head<3>() = kRadius * Vec3(std::cos(angle), std::sin(angle), 0.0);
            return u;
        };
        const VectorXd du = at(1.5) - at(0.2);
        const MatrixXd T = discrete(*facets_of(*c).tangents, at(0.2), du, 0.1);
        const MatrixXd N = discrete(*c, at(0.2), du, 0.1);
        CHECK(T.leftCols(3).norm() == doctest::Approx(1.0).scale(0).epsilon(1e-15));
        CHECK((N.leftCols(3) * T.leftCols(3).transpose()).norm() < 1e-15);
        // the chord
        CHECK((T * du)(0) ==
              doctest::Approx(2.0 * kRadius * std::sin(0.65)).scale(0).epsilon(1e-14));
    }
}

TEST_SUITE("point contact: faces") {
    // Central differences are exact for quadratic functions, up to rounding / step.
    TEST_CASE("A is the derivative of pi") {
        Numbers numbers;
        const auto constraints = all();
        for (const RowSource* source : position_sources(constraints)) {
            const Eigen::Index width = width_of(*source);
            const VectorXd u = numbers.vector(width);
            const Rows rows = evaluate(*source, u, numbers.vector(width));
            constexpr double kStep = 1e-2;
            for (Eigen::Index j = 0; j < width; ++j) {
                VectorXd plus = u, minus = u;
                plus(j) += kStep;
                minus(j) -= kStep;
                const VectorXd slope =
                    (evaluate(*source, plus, u).pi - evaluate(*source, minus, u).pi) /
                    (2.0 * kStep);
                CHECK((rows.A.col(j) - slope).norm() < 1e-13);
            }
            CHECK(rows.pi_t.norm() == 0.0);
        }
    }

    // pi'' = A u'' - b on u + u' t + u'' t^2 / 2: pi is quartic in t there, so that second
    // differences err by the fourth derivative times step^2 / 12.
    TEST_CASE("b is the part of pi'' that accelerations do not make") {
        Numbers numbers;
        const auto constraints = all();
        for (const RowSource* source : position_sources(constraints)) {
            const Eigen::Index width = width_of(*source);
            const VectorXd u = numbers.vector(width);
            const VectorXd du = numbers.vector(width);
            const VectorXd ddu = numbers.vector(width);
            const auto pi = [&](double t) {
                return evaluate(*source, u + t * du + 0.5 * t * t * ddu, du).pi;
            };
            constexpr double kStep = 1e-3;
            const VectorXd second = (pi(kStep) - 2.0 * pi(0.0) + pi(-kStep)) / (kStep * kStep);
            const Rows rows = evaluate(*source, u, du);
            CHECK((rows.A * ddu - rows.b - second).norm() < 1e-5);
        }
    }

    TEST_CASE("b of sliding on a circle is the part of psi' that accelerations do not make") {
        Numbers numbers;
        for (const auto& c : {carried(circle), on_ground(circle)}) {
            const RowSource& sliding = *facets_of(*c).tangents;
            const Eigen::Index width = num_scalars(*c);
            const VectorXd u = numbers.vector(width);
            const VectorXd du = numbers.vector(width);
            const VectorXd ddu = numbers.vector(width);
            const auto psi = [&](double t) {
                const VectorXd rate = du + t * ddu;
                return VectorXd(evaluate(sliding, u + t * du + 0.5 * t * t * ddu, rate).A * rate);
            };
            constexpr double kStep = 1e-5;
            const VectorXd slope = (psi(kStep) - psi(-kStep)) / (2.0 * kStep);
            const Rows rows = evaluate(sliding, u, du);
            CHECK((rows.A * ddu - rows.b - slope).norm() < 1e-7);
            CHECK(rows.pi.norm() == 0.0);
            CHECK(rows.pi_t.norm() == 0.0);
        }
    }

    TEST_CASE("over a large step B du is the change of pi, to rounding") {
        Numbers numbers;
        const auto constraints = all();
        for (const RowSource* source : position_sources(constraints)) {
            const Eigen::Index width = width_of(*source);
            const VectorXd u = numbers.vector(width);
            const VectorXd du = 2.0 * numbers.vector(width);
            const VectorXd change = evaluate(*source, u + du, du).pi - evaluate(*source, u, du).pi;
            CHECK((discrete(*source, u, du, 0.1) * du - change).norm() < 1e-14);
        }
    }

    TEST_CASE("over a step on a circle B du is h times the rate at the midpoint") {
        Numbers numbers;
        for (const auto& c : {carried(circle), on_ground(circle)}) {
            const VectorXd u = numbers.vector(num_scalars(*c));
            const VectorXd du = numbers.vector(num_scalars(*c));
            const Rows middle = evaluate(*facets_of(*c).tangents, u + 0.5 * du, du / 0.1);
            const VectorXd moved = discrete(*facets_of(*c).tangents, u, du, 0.1) * du;
            CHECK((moved - 0.1 * middle.A * (du / 0.1)).norm() < 1e-15);
        }
    }

    // Rows that do not change under rotations and translations make no moment and no force.
    TEST_CASE("rows carried by bodies do no work on a rigid motion of everything") {
        Numbers numbers;
        for (const Type type : {plane, line, circle}) {
            const auto c = carried(type);
            const VectorXd u = numbers.vector(num_scalars(*c));
            const Vec3 omega = numbers.vector(3);
            VectorXd du(u.size());
            for (Eigen::Index k = 0; k < u.size(); k += 3)
                du.segment<3>(k) = omega.cross(Vec3(u.segment<3>(k)));
            for (const Eigen::Index k : {0, 3}) du.segment<3>(k) += Vec3(1.0, 2.0, 3.0);
            CHECK((evaluate(*c, u, du).A * du).norm() < 1e-14);
            CHECK((evaluate(*facets_of(*c).tangents, u, du).A * du).norm() < 1e-14);
        }
    }

    TEST_CASE("G is the derivative of A^T s, and its positive part is one") {
        Numbers numbers;
        const auto constraints = all();
        for (const RowSource* source : position_sources(constraints)) {
            const RowBlock& block = source->row_blocks()[0];
            if (block.tangent == ancora::TangentForm::none) continue;
            const Eigen::Index width = width_of(*source);
            const VectorXd u = numbers.vector(width);
            for (int trial = 0; trial < 4; ++trial) {
                const VectorXd s = numbers.vector(block.rows_per_item);
                const MatrixXd G = tangent(*source, u, s, false);
                const VectorXd x = numbers.vector(width);
                const VectorXd change = (evaluate(*source, u + x, x).A.transpose() -
                                         evaluate(*source, u, x).A.transpose()) *
                                        s;
                CHECK((G * x - change).norm() < 1e-14);

                // the exact positive part: eigenvalues below zero are cut off
                const MatrixXd exact = by_eigen::positive_part(G);
                CHECK((tangent(*source, u, s, true) - exact).norm() < 1e-14);
            }
            const VectorXd zero = VectorXd::Zero(block.rows_per_item);
            CHECK(tangent(*source, u, zero, true).norm() == 0.0);
        }
    }
}

TEST_SUITE("point contact: messages") {
    TEST_CASE("a direction that points nowhere is refused") {
        CHECK_THROWS_WITH(on_ground(plane, {0, 0, 0}),
                          "normal: the direction [0, 0, 0] points nowhere");
        CHECK_THROWS_WITH(carried(line, "box@[0, 0, 0]"),
                          "direction: the direction [0, 0, 0] points nowhere");
    }

    TEST_CASE("a direction without components is refused") {
        for (const char* text : {"net@3",
                                 "box@up",
                                 "box",
                                 "@[0, 0, 1]",
                                 "box@[0, 0]",
                                 "box@[0, 0, 1, 0]",
                                 "box@[0, 0, one]",
                                 "box@[0, 0, inf]",
                                 "box@[0, 0, 1"})
            CHECK_THROWS_WITH(
                carried(circle, text),
                ("normal: \"" + std::string(text) +
                 "\" does not give components, from which the directions perpendicular to it are "
                 "found; write \"BODY@[x, y, z]\", or [x, y, z] for a direction fixed in space")
                    .c_str());
    }
}
