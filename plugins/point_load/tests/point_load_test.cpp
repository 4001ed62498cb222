// SPDX-License-Identifier: BSD-3-Clause
// Tests of the force type `point_load`: its distribution over a body's axes, tables, formulas and
// messages.
#include <array>
#include <cmath>
#include <initializer_list>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <doctest/doctest.h>

#include "ancora/sdk/numbers/math.hpp"
#include "ancora/sdk/plugin.hpp"
#include "ancora/sdk/testing/fake_arguments.hpp"

extern "C" const ancora::PluginDescriptor ancora_plugin_descriptor;

namespace {

using ancora::Mat3;
using ancora::Vec3;
using ancora::test::FakeArguments;
using Load = std::unique_ptr<ancora::NonidealForce>;
using Vector = Eigen::VectorXd;

FakeArguments load() {
    return FakeArguments(ancora_plugin_descriptor.types[0]);
}
FakeArguments on_bead() {
    FakeArguments arguments = load();
    arguments.set("at", "bead@0");
    return arguments;
}
Load make(const FakeArguments& arguments) {
    return Load(
        static_cast<ancora::NonidealForce*>(ancora_plugin_descriptor.types[0].create(arguments)));
}
Vector at_instant(const Load& load, const Vector& u, double t) {
    const Vector du = Vector::Constant(u.size(), 0.3);
    Vector f = Vector::Constant(u.size(), 9.0);
    const auto n = static_cast<std::size_t>(u.size());
    load->evaluate({{u.data(), n}, {du.data(), n}, t}, {}, {{f.data(), n}});
    return f;
}
Vector over_step(const Load& load, const Vector& mid, double t0, double h) {
    Vector f = Vector::Constant(mid.size(), 9.0);
    const auto n = static_cast<std::size_t>(mid.size());
    ancora::RowStep step;
    step.mid = {mid.data(), n};
    step.t0 = t0;
    step.h = h;
    load->evaluate_step(step, {}, {{f.data(), n}});
    return f;
}
const Vector kSomewhere = Vec3(1.0, 2.0, 3.0);

/// Three columns d_i as local scalars.
Vector stacked(const Mat3& axes) {
    return Eigen::Map<const Vector>(axes.data(), 9);
}
/// sum d_i x f_i of the last three attachments.
Vec3 moment(const Vector& u, const Vector& f) {
    Vec3 sum = Vec3::Zero();
    for (Eigen::Index i = u.size() - 9; i < u.size(); i += 3)
        sum += u.segment<3>(i).cross(f.segment<3>(i));
    return sum;
}
Mat3 some_rotation() {
    return Eigen::AngleAxisd(1.1, Vec3(1.0, -2.0, 0.5).normalized()).toRotationMatrix();
}

}  // namespace

TEST_SUITE("point load") {
    TEST_CASE("a force in space acts on one point; its work is external") {
        const Load push = make(on_bead().set("force", {1.0, -2.0, 0.5}));
        REQUIRE(push->attachments().size() == 1);
        CHECK(push->attachments()[0].text == std::string("bead@0"));
        CHECK(push->attachments()[0].kind == ancora::AttachmentRequest::Kind::points);
        CHECK(push->work() == ancora::WorkKind::external);
        CHECK(facets_of(*push).contact == nullptr);
        CHECK(facets_of(*push).start_state.empty());
        CHECK(at_instant(push, kSomewhere, 7.0) == Vec3(1.0, -2.0, 0.5));
        CHECK(over_step(push, kSomewhere, 7.0, 0.1) == Vec3(1.0, -2.0, 0.5));
    }

    TEST_CASE("what needs the body's axes asks for three directions of it") {
        const Load turn = make(load().set("body", "my-box").set("torque", {0.0, 0.0, 1.0}));
        REQUIRE(turn->attachments().size() == 3);
        CHECK(turn->attachments()[1].text == std::string("my-box@[0, 1, 0]"));
        CHECK(turn->attachments()[1].kind == ancora::AttachmentRequest::Kind::direction);
        CHECK(turn->attachments()[1].key == std::string("body"));

        const Load thrust = make(
            load().set("at", "box@[0.5, 0, 0]").set("force", {0.0, 0.0, 1.0}).set("frame", "body"));
        REQUIRE(thrust->attachments().size() == 4);
        CHECK(thrust->attachments()[0].text == std::string("box@[0.5, 0, 0]"));
        CHECK(thrust->attachments()[3].text == std::string("box@[0, 0, 1]"));
        CHECK(thrust->attachments()[3].key == std::string("at"));
    }

    TEST_CASE("a group of points: the force acts on each of them, the torque once") {
        const Load load = make(on_bead()
                                   .set("at", "net@rim")
                                   .set("force", {1.0, -2.0, 0.5})
                                   .set("torque", {0.0, 0.0, 1.0}));
        REQUIRE(load->attachments().size() == 4);
        Vector u(3 * 4 + 9);
        u << Vector::Random(12), stacked(Mat3::Identity());
        const Vector f = at_instant(load, u, 0.0);
        for (int i = 0; i < 4; ++i) CHECK(f.segment<3>(3 * i) == Vec3(1.0, -2.0, 0.5));
        CHECK((moment(u, f) - Vec3(0.0, 0.0, 1.0)).norm() <= 1e-15);
    }

    TEST_CASE("follow = true says the same as frame = \"body\"; both may not contradict") {
        const Mat3 R = some_rotation();
        const Vec3 T(0.3, -0.7, 1.1);
        FakeArguments arguments = load();
        arguments.set("at", "box@[1, 2, 3]").set("torque", {T(0), T(1), T(2)});
        const Load turn = make(arguments.set("follow", true));
        const Vector u = stacked(R);
        CHECK((moment(u, at_instant(turn, u, 0.0)) - R * T).norm() <= 1e-15);
        CHECK_NOTHROW(make(arguments.set("frame", "body")));
        CHECK_THROWS_WITH(make(arguments.set("frame", "space")),
                          "follow: contradicts frame: follow = true says the same as frame = "
                          "\"body\"; leave one of them out");
    }

    TEST_CASE("a table of factors scales force and torque, over a step by its mean") {
        FakeArguments arguments = on_bead();
        arguments.set("force", {1.0, -2.0, 0.5})
            .set("torque", {0.0, 0.0, 3.0})
            .set_matrix("table", 2, {0.0, 0.0, 1.0, 2.0, 4.0, 2.0})
            .set("outside", "hold");
        const Load load = make(arguments);
        Vector u(12);
        u << kSomewhere, stacked(Mat3::Identity());
        const Vector f = at_instant(load, u, 0.25);
        CHECK((f.head<3>() - Vec3(0.5, -1.0, 0.25)).norm() <= 1e-15);
        CHECK((moment(u, f) - Vec3(0.0, 0.0, 1.5)).norm() <= 1e-15);
        // 0 to 2 over one second, then 2: a mean of 1.5 over two.
        CHECK((over_step(load, u, 0.0, 2.0).head<3>() - Vec3(1.5, -3.0, 0.75)).norm() <= 1e-15);
        CHECK((at_instant(load, u, 9.0).head<3>() - Vec3(2.0, -4.0, 1.0)).norm() <= 1e-15);
    }

    TEST_CASE("a torque comes out as the moment of the forces on the axes, half of tau x d each") {
        const Mat3 R = some_rotation();
        const Vec3 T(0.3, -0.7, 1.1);
        const Load turn = make(load().set("body", "box").set("torque", {T(0), T(1), T(2)}));
        const Vector u = stacked(R), f = at_instant(turn, u, 0.0);
        CHECK((moment(u, f) - T).norm() <= 1e-15);
        for (int i = 0; i < 3; ++i)
            CHECK((f.segment<3>(3 * i) - 0.5 * T.cross(R.col(i))).norm() <= 1e-15);
    }

    TEST_CASE("in axes of the body force and torque turn with it") {
        const Mat3 R = some_rotation();
        const Vec3 F(2.0, -1.0, 0.4), T(0.3, -0.7, 1.1);
        const Load both = make(load()
                                   .set("at", "box@[1, 2, 3]")
                                   .set("force", {F(0), F(1), F(2)})
                                   .set("torque", {T(0), T(1), T(2)})
                                   .set("frame", "body"));
        Vector u(12);
        u << 4.0, 5.0, 6.0, stacked(R);
        const Vector f = at_instant(both, u, 0.0);
        CHECK((f.head<3>() - R * F).norm() <= 1e-15);
        CHECK((moment(u, f) - R * T).norm() <= 1e-15);
    }

    // sum d_i x (a x d_i) = (tr D - D) a for any d_i.
    TEST_CASE("the moment is the torque between two attitudes too, where axes are shorter than 1") {
        const Vec3 T(0.3, -0.7, 1.1);
        const Load turn = make(load().set("body", "box").set("torque", {T(0), T(1), T(2)}));
        for (const double angle : {0.01, 0.3, 1.5, 3.0}) {
            const Mat3 R = some_rotation();
            const Mat3 later =
                Eigen::AngleAxisd(angle, Vec3(0.2, 0.3, 1.0).normalized()).toRotationMatrix() * R;
            const Vector mid = stacked(0.5 * (R + later));
            const Vector f = over_step(turn, mid, 0.0, 0.1);
            CHECK((moment(mid, f) - T).norm() <= 1e-13);
        }
        // Half a turn leaves one axis; still finite.
        const Vector mid = stacked(Vec3(0.0, 0.0, 1.0) * Vec3(0.0, 0.0, 1.0).transpose());
        CHECK(over_step(turn, mid, 0.0, 0.1).allFinite());
    }

    TEST_CASE("formulas of t are taken at the instant, over a step at its middle") {
        FakeArguments arguments = on_bead();
        arguments.set_texts("force", {"2*sin(3*t)", "t^2", "-pi"});
        const Load push = make(arguments);
        const Vector f = at_instant(push, kSomewhere, 0.7);
        CHECK(std::abs(f(0) - 2.0 * std::sin(2.1)) <= 1e-15);
        CHECK(std::abs(f(1) - 0.49) <= 1e-15);
        CHECK(f(2) == -3.14159265358979323846);
        CHECK((over_step(push, kSomewhere, 0.6, 0.2) - f).norm() <= 1e-14);
    }
}

TEST_SUITE("point load: tables") {
    Load table(std::vector<double> rows, const char* interpolation, const char* outside) {
        FakeArguments arguments = on_bead();
        arguments.set_matrix("force", 4, std::move(rows))
            .set("interpolation", interpolation)
            .set("outside", outside);
        return make(arguments);
    }
    const std::vector<double> kRows = {0.0,
                                       1.0,
                                       0.0,
                                       5.0,  //
                                       0.5,
                                       3.0,
                                       -1.0,
                                       5.0,  //
                                       2.0,
                                       0.0,
                                       2.0,
                                       5.0,  //
                                       2.5,
                                       1.0,
                                       2.0,
                                       5.0};

    TEST_CASE("straight lines between the rows, and each row where it stands") {
        const Load push = table(kRows, "linear", "refuse");
        CHECK(at_instant(push, kSomewhere, 0.0) == Vec3(1.0, 0.0, 5.0));
        CHECK(at_instant(push, kSomewhere, 0.5) == Vec3(3.0, -1.0, 5.0));
        CHECK(at_instant(push, kSomewhere, 2.5) == Vec3(1.0, 2.0, 5.0));
        CHECK((at_instant(push, kSomewhere, 0.125) - Vec3(1.5, -0.25, 5.0)).norm() <= 1e-15);
        CHECK((at_instant(push, kSomewhere, 1.25) - Vec3(1.5, 0.5, 5.0)).norm() <= 1e-15);
    }

    // The conditions that define the natural spline, by differences within one piece.
    TEST_CASE("the spline goes through the rows, twice smooth, and straight at both ends") {
        const Load push = table(kRows, "spline", "refuse");
        for (std::size_t k = 0; k < 4; ++k) {
            const Vec3 row(kRows[4 * k + 1], kRows[4 * k + 2], kRows[4 * k + 3]);
            CHECK((at_instant(push, kSomewhere, kRows[4 * k]) - row).norm() <= 1e-14);
        }
        const auto f = [&](double t) -> Vec3 {
            return at_instant(push, kSomewhere, t);
        };
        // One-sided differences, exact for cubics.
        const auto slope = [&](double t, double e) -> Vec3 {
            return (-11.0 * f(t) + 18.0 * f(t + e) - 9.0 * f(t + 2.0 * e) + 2.0 * f(t + 3.0 * e)) /
                   (6.0 * e);
        };
        const auto bend = [&](double t, double e) -> Vec3 {
            return (2.0 * f(t) - 5.0 * f(t + e) + 4.0 * f(t + 2.0 * e) - f(t + 3.0 * e)) / (e * e);
        };
        constexpr double e = 0.1;
        for (const double knot : {0.5, 2.0}) {
            CHECK((slope(knot, e) - slope(knot, -e)).norm() <= 1e-12);
            CHECK((bend(knot, e) - bend(knot, -e)).norm() <= 1e-11);
            CHECK(bend(knot, e).norm() > 1.0);
        }
        CHECK(bend(0.0, e).norm() <= 1e-11);
        CHECK(bend(2.5, -e).norm() <= 1e-11);
    }

    TEST_CASE("two rows are a straight line by either interpolation") {
        const std::vector<double> rows = {1.0, 2.0, 0.0, 0.0, 3.0, 6.0, 1.0, 0.0};
        for (const char* interpolation : {"linear", "spline"})
            CHECK((at_instant(table(rows, interpolation, "hold"), kSomewhere, 1.5) -
                   Vec3(3.0, 0.25, 0.0))
                      .norm() <= 1e-15);
    }

    // By Gauss' rule with three points on each piece, which is a cubic at most.
    TEST_CASE("over a step it is the mean, whatever rows the step passes") {
        const double node = std::sqrt(0.6);
        for (const char* interpolation : {"linear", "spline"})
            for (const char* outside : {"hold", "zero"})
                for (const auto& [t0, t1] :
                     std::initializer_list<std::pair<double, double>>{{0.1, 0.2},
                                                                      {0.4, 0.6},
                                                                      {0.0, 2.5},
                                                                      {0.3, 2.4},
                                                                      {-1.0, -0.5},
                                                                      {-1.0, 0.2},
                                                                      {2.4, 4.0},
                                                                      {3.0, 4.0},
                                                                      {-1.0, 5.0},
                                                                      {2.5, 3.0},
                                                                      {-0.5, 0.0}}) {
                    CAPTURE(t0);
                    CAPTURE(t1);
                    const Load push = table(kRows, interpolation, outside);
                    Vec3 integral = Vec3::Zero();
                    const std::array<double, 6> ends = {-9.0, 0.0, 0.5, 2.0, 2.5, 9.0};
                    for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
                        const double a = std::max(t0, ends[k]), b = std::min(t1, ends[k + 1]);
                        if (!(a < b)) continue;
                        const double middle = 0.5 * (a + b), half = 0.5 * (b - a);
                        const auto f = [&](double x) -> Vec3 {
                            return at_instant(push, kSomewhere, middle + half * x);
                        };
                        integral += half / 9.0 * (5.0 * f(-node) + 8.0 * f(0.0) + 5.0 * f(node));
                    }
                    const Vector mean = over_step(push, kSomewhere, t0, t1 - t0);
                    CHECK((mean - integral / (t1 - t0)).norm() <= 1e-14);
                }
    }

    TEST_CASE("outside it holds, is nothing, or refuses; rounding of its end is forgiven") {
        CHECK(at_instant(table(kRows, "linear", "hold"), kSomewhere, 9.0) == Vec3(1.0, 2.0, 5.0));
        CHECK(at_instant(table(kRows, "spline", "hold"), kSomewhere, -1.0) == Vec3(1.0, 0.0, 5.0));
        CHECK(at_instant(table(kRows, "linear", "zero"), kSomewhere, 9.0) == Vec3(0.0, 0.0, 0.0));
        const Load push = table(kRows, "linear", "refuse");
        CHECK_NOTHROW(at_instant(push, kSomewhere, 2.5 + 1e-12));
        CHECK_NOTHROW(over_step(push, kSomewhere, 2.4, 0.1 + 1e-12));
        CHECK_THROWS_WITH(over_step(push, kSomewhere, 2.4, 0.2),
                          "the table of force ends at t = 2.5 s, and the motion needs it at t = "
                          "2.6 s; add rows, or say with `outside` what is there");
        CHECK_THROWS_WITH(at_instant(push, kSomewhere, -0.25),
                          "the table of force begins at t = 0 s, and the motion needs it at t = "
                          "-0.25 s; add rows, or say with `outside` what is there");
    }
}

TEST_SUITE("point load: refusals") {
    TEST_CASE("a load without force and torque, or without a place") {
        CHECK_THROWS_WITH(make(load()),
                          "force: neither a force nor a torque is given; give one or both");
        CHECK_THROWS_WITH(make(load().set("force", {1.0, 0.0, 0.0})),
                          "at: is missing; name the point on which the force acts");
        CHECK_THROWS_WITH(make(load().set("torque", {1.0, 0.0, 0.0})),
                          "body: is missing; name the body on which the torque acts");
        CHECK_THROWS_WITH(
            make(on_bead().set("body", "box").set("force", {1.0, 0.0, 0.0})),
            "body: is \"box\", but the load acts at a point of \"bead\"; write two loads, one for "
            "each body");
        CHECK_THROWS_WITH(make(on_bead().set("force", {1.0, 0.0, 0.0}).set("outside", "hold")),
                          "outside: is about a table, and neither force nor torque is one");
    }

    TEST_CASE("tables whose times do not increase, with the row, and tables too short") {
        const auto table = [](std::vector<double> rows) {
            FakeArguments arguments = on_bead();
            arguments.set_matrix("force", 4, std::move(rows));
            return make(arguments);
        };
        CHECK_THROWS_WITH(table({0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 0.0, 0.0}),
                          "force: row 3 has t = 1 s, but the row before it t = 1 s; times must "
                          "increase from row to row, and a jump is written as a short ramp");
        CHECK_THROWS_WITH(table({0.0, 0.0, 0.0, 0.0, -1.5, 0.0, 0.0, 0.0}),
                          "force: row 2 has t = -1.5 s, but the row before it t = 0 s; times must "
                          "increase from row to row, and a jump is written as a short ramp");
        CHECK_THROWS_WITH(table({0.0, 0.0, 0.0, 0.0}),
                          "force: a table needs at least two rows [t, x, y, z], found 1");
    }

    TEST_CASE("formulas that cannot be read, with the place") {
        const auto formulas = [](std::vector<std::string> texts) {
            FakeArguments arguments = on_bead();
            arguments.set_texts("force", std::move(texts));
            return make(arguments);
        };
        CHECK_THROWS_WITH(formulas({"1", "2*sin(3*t", "0"}),
                          "force: formula of y, position 10: found the end of the formula, "
                          "expected \")\" to close \"(\" at position 6\n"
                          "    2*sin(3*t\n"
                          "             ^");
        CHECK_THROWS_WITH(formulas({"1", "0", "2*box"}),
                          doctest::Contains("force: formula of z, position 3: "));
        CHECK_THROWS_WITH(formulas({"1", "0"}),
                          "force: found 2 formulas, expected 3: those of x, y, z");
    }
}
