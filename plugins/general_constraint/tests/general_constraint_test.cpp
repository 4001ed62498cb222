// SPDX-License-Identifier: BSD-3-Clause
// Tests of the constraint type `general_constraint`: its rows, its faces and its messages.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Dense>
#include <doctest/doctest.h>

#include "ancora/sdk/plugin.hpp"
#include "ancora/sdk/testing/fake_arguments.hpp"
#include "names.hpp"
#include "support/dense.hpp"

extern "C" const ancora::PluginDescriptor ancora_plugin_descriptor;

namespace {

namespace by_eigen = ancora::testing::by_eigen;
using ancora::Constraint;
using ancora::Degree;
using ancora::RowBlock;
using ancora::TangentForm;
using ancora::test::FakeArguments;
using ancora::test::near;

std::unique_ptr<Constraint> make(const FakeArguments& arguments) {
    return std::unique_ptr<Constraint>(
        static_cast<Constraint*>(ancora_plugin_descriptor.types[0].create(arguments)));
}
FakeArguments arguments_of(const std::string& equation, const char* level = "position") {
    FakeArguments arguments(ancora_plugin_descriptor.types[0]);
    arguments.set("equation", equation.c_str()).set("level", level);
    return arguments;
}
std::unique_ptr<Constraint> position(const std::string& equation) {
    return make(arguments_of(equation));
}
std::unique_ptr<Constraint> velocity(const std::string& equation) {
    return make(arguments_of(equation, "velocity"));
}

/// Values of the coordinates as the kernel hands them over: three scalars each.
std::vector<double> scalars(const std::vector<double>& coordinates) {
    std::vector<double> u;
    for (const double x : coordinates) u.insert(u.end(), {x, 0.0, 0.0});
    return u;
}

struct Row {
    double pi = 0.0, pi_t = 0.0, b = 0.0;
    std::vector<double> A;  ///< one entry per scalar of the stencil
};
Row evaluate(const Constraint& constraint,
             const std::vector<double>& x,
             const std::vector<double>& v,
             double t = 0.0,
             int block = 0) {
    const RowBlock& shape = constraint.row_blocks()[block];
    Row row;
    row.A.resize(shape.scalars_per_item);
    constraint.evaluate(
        block, {scalars(x), scalars(v), t}, {{&row.pi, 1}, row.A, {&row.pi_t, 1}, {&row.b, 1}});
    return row;
}
double phi(const Constraint& constraint, const std::vector<double>& x, double t = 0.0) {
    double value = 0.0;
    constraint.evaluate(0, {scalars(x), {}, t}, {{&value, 1}, {}, {}, {}});
    return value;
}

std::vector<double> moved(const std::vector<double>& x, const std::vector<double>& d, double s) {
    std::vector<double> out = x;
    for (std::size_t i = 0; i < x.size(); ++i) out[i] += s * d[i];
    return out;
}

/// B du + tau over a step, as the SDK derives it.
struct Step {
    std::vector<double> B;
    double tau = 0.0;
    double sum = 0.0;
};
Step step(const Constraint& constraint,
          const std::vector<double>& x0,
          const std::vector<double>& dx,
          double t0,
          double h) {
    const RowBlock& shape = constraint.row_blocks()[0];
    Step out;
    out.B.resize(shape.scalars_per_item);
    double work0 = 0.0;
    double work1 = 0.0;
    const std::vector<double> du = scalars(dx);
    constraint.evaluate_step(
        0,
        {scalars(x0),
         du,
         scalars(moved(x0, dx, 0.5)),
         scalars(moved(x0, dx, 1.0)),
         scalars(moved(std::vector<double>(dx.size()), dx, 1.0 / h)),
         t0,
         h,
         {},
         {}},
        {out.B,
         shape.depends_on_time ? std::span<double>(&out.tau, 1) : std::span<double>{},
         {&work0, 1},
         {&work1, 1}});
    out.sum = out.tau;
    for (std::size_t j = 0; j < out.B.size(); ++j) out.sum += out.B[j] * du[shape.stencil[j]];
    return out;
}

Eigen::MatrixXd tangent(const Constraint& constraint,
                        const std::vector<double>& x,
                        double s,
                        bool positive_part) {
    const auto n = static_cast<Eigen::Index>(constraint.row_blocks()[0].scalars_per_item);
    Eigen::MatrixXd G = Eigen::MatrixXd::Constant(n, n, -77.0);
    constraint.evaluate_tangent(0,
                                {.mid = scalars(x), .s = {&s, 1}, .positive_part = positive_part},
                                {G.data(), static_cast<std::size_t>(G.size())});
    return G;
}

long allocations = 0;

}  // namespace

// The sanitizers bring a malloc of their own, beside which ours cannot be.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern "C" {
void* __libc_malloc(std::size_t size);
[[gnu::visibility("default")]] void* malloc(std::size_t size) {
    ++allocations;
    return __libc_malloc(size);
}
}
#endif

TEST_SUITE("general constraint") {
    TEST_CASE("each coordinate is asked for once, as the manifest writes it") {
        const auto tie =
            velocity("der(box.x)*net@[1,0,0].vy = box.x + 'my-box'@4.z*der('my-box'.qw) + box.vx");
        REQUIRE(tie->attachments().size() == 4);
        const char* const texts[] = {"box.x", "net@[1, 0, 0].y", "my-box@4.z", "my-box.qw"};
        for (std::size_t k = 0; k < 4; ++k) {
            const ancora::AttachmentRequest& request = tie->attachments()[k];
            CHECK(request.kind == ancora::AttachmentRequest::Kind::coordinate);
            CHECK(std::string_view(request.text) == texts[k]);
            CHECK(std::string_view(request.key) == "equation");
        }
        CHECK(facets_of(*tie).reaction == ancora::ReactionKind::lambda);
        CHECK(facets_of(*tie).tied_to_inertial_frame);
        // A has columns for rates alone: of box.x, net@[1, 0, 0].y and my-box.qw.
        const RowBlock& block = tie->row_blocks()[0];
        const std::array<std::int32_t, 3> columns = {0, 3, 9};
        CHECK(std::ranges::equal(block.stencil, columns));
        CHECK(block.laws[0].kind == ancora::RowKind::velocity_constraint);
    }

    // x^2 + y^2 = l^2: A = (2x, 2y), b = -2 v.v.
    TEST_CASE("pendulum: the rows are those of the closed form") {
        const auto rod = position("bob.x^2 + bob.y^2 = 4");
        const RowBlock& block = rod->row_blocks()[0];
        CHECK(block.num_items == 1);
        CHECK(block.rows_per_item == 1);
        CHECK(block.scalars_per_item == 2);
        CHECK(block.laws[0].kind == ancora::RowKind::constraint);
        CHECK(block.degree == Degree::quadratic);
        CHECK(block.tangent == TangentForm::full);
        CHECK(!block.depends_on_time);
        const Row row = evaluate(*rod, {1.5, -2.0}, {0.25, 3.0});
        CHECK(row.pi == 2.25);
        CHECK(row.A == std::vector<double>{3.0, -4.0});
        CHECK(row.pi_t == 0.0);
        CHECK(row.b == -2.0 * (0.0625 + 9.0));
        // Quadratic: B du is the change of phi, here in numbers that a double holds exactly.
        const Step over = step(*rod, {1.5, -2.0}, {0.5, 4.0}, 0.0, 0.1);
        CHECK(over.sum == phi(*rod, {2.0, 2.0}) - phi(*rod, {1.5, -2.0}));
        CHECK(over.B == std::vector<double>{3.5, 0.0});
    }

    // Udwadia and Kalaba's inverse Kepler problem, no impressed force: phi = r - eps x - l = 0 and
    // psi = m (x y' - y x') - L = 0. The conic is traced, and the constraint force comes out as
    // Newton's: m a = -L^2/(m l r^2) along the radius.
    TEST_CASE("inverse Kepler: two constraints give the force of gravitation") {
        const double eps = 0.6, l = 1.3, m = 2.5, L = 0.9;
        const auto conic = position("sqrt(p.x^2 + p.y^2) = 0.6*p.x + 1.3");
        const auto momentum = velocity("2.5*(p.x*p.vy - p.y*p.vx) = 0.9");
        CHECK(conic->row_blocks()[0].degree == Degree::general);
        CHECK(momentum->row_blocks()[0].depends_on_time);
        for (const double angle : {0.4, 1.7, 2.9, -0.8}) {
            const double r = l / (1.0 - eps * std::cos(angle));
            const double x = r * std::cos(angle);
            const double y = r * std::sin(angle);
            // The velocity obeys both: (x/r - eps, y/r) . v = 0 and (-y, x) . v = L/m.
            Eigen::Matrix2d A;
            A << x / r - eps, y / r, -y, x;
            const Eigen::Vector2d v = A.inverse() * Eigen::Vector2d(0.0, L / m);

            const Row first = evaluate(*conic, {x, y}, {v.x(), v.y()});
            CHECK(near(first.pi, 0.0, 1e-15));
            CHECK(near(first.A[0], x / r - eps, 1e-15));
            CHECK(near(first.A[1], y / r, 1e-15));
            const double cross = x * v.y() - y * v.x();
            CHECK(near(first.b, -cross * cross / (r * r * r), 1e-14));
            const Row second = evaluate(*momentum, {x, y}, {v.x(), v.y()});
            // The stencil lists rates as they turn up in the text: y first.
            CHECK(momentum->attachments()[1].text == std::string_view("p.y"));
            const RowBlock& block = momentum->row_blocks()[0];
            Eigen::RowVector2d A2;
            for (std::size_t j = 0; j < 2; ++j) A2[block.stencil[j] / 3] = second.A[j];
            CHECK(near(A2[0], -m * y, 1e-15));
            CHECK(near(A2[1], m * x, 1e-15));
            CHECK(near(second.pi_t, -L, 1e-15));
            CHECK(second.pi == 0.0);
            CHECK(near(second.b, 0.0, 1e-15));

            Eigen::Matrix2d rows;
            rows << first.A[0], first.A[1], A2;
            const Eigen::Vector2d a = rows.inverse() * Eigen::Vector2d(first.b, second.b);
            const double force = -L * L / (m * l * r * r);
            CHECK(near(m * a.x(), force * x / r, 1e-13));
            CHECK(near(m * a.y(), force * y / r, 1e-13));
        }
    }

    // b = A u'' - pi'' along a motion with u'' = 0; differences of phi in long steps of 1e-3.
    TEST_CASE("the bias is what a straight motion leaves of the second derivative") {
        const std::vector<double> x = {0.7, -0.4, 1.1};
        const std::vector<double> v = {0.3, 0.9, -0.5};
        const double t = 0.8;
        for (const std::string equation : {"sin(a.x*a.y) + a.z^2*t = 3",
                                           "atan2(a.y, a.x) = 2*t + a.z",
                                           "hypot(a.x, a.y, a.z) = 1 + 0.1*sin(3*t)"}) {
            CAPTURE(equation);
            const auto tie = position(equation);
            constexpr double h = 1e-3;
            const auto at = [&](int k) {
                return phi(*tie, moved(x, v, k * h), t + k * h);
            };
            const Row row = evaluate(*tie, x, v, t);
            double rate = row.pi_t;
            for (std::size_t j = 0; j < 3; ++j)
                rate += row.A[j] * v[static_cast<std::size_t>(tie->row_blocks()[0].stencil[j]) / 3];
            CHECK(near(rate, (at(-2) - 8 * at(-1) + 8 * at(1) - at(2)) / (12 * h), 1e-9));
            const double second =
                (-at(-2) + 16 * at(-1) - 30 * at(0) + 16 * at(1) - at(2)) / (12 * h * h);
            CHECK(near(-row.b, second, 1e-7));
        }
    }

    TEST_CASE("velocity rows: psi = A u' + pi_t, and b is what constant rates leave of psi'") {
        const std::vector<double> x = {0.7, -0.4};
        const std::vector<double> v = {0.3, 0.9};
        const double t = 0.8;
        const auto check = [&](const std::string& equation, auto psi) {
            CAPTURE(equation);
            const auto tie = velocity(equation);
            const Row row = evaluate(*tie, x, v, t);
            double sum = row.pi_t;
            for (std::size_t j = 0; j < row.A.size(); ++j)
                sum += row.A[j] * v[static_cast<std::size_t>(tie->row_blocks()[0].stencil[j]) / 3];
            CHECK(near(sum, psi(x[0], x[1], v[0], v[1], t), 1e-15));
            constexpr double h = 1e-3;
            const auto at = [&](int k) {
                return psi(x[0] + k * h * v[0], x[1] + k * h * v[1], v[0], v[1], t + k * h);
            };
            CHECK(near(-row.b, (at(-2) - 8 * at(-1) + 8 * at(1) - at(2)) / (12 * h), 1e-9));
        };
        check("a.vx*sin(a.y) - a.vy*cos(a.y) = 0",
              [](double, double y, double vx, double vy, double) {
                  return vx * std::sin(y) - vy * std::cos(y);
              });
        check("a.vx^2 + a.vy^2 = (1 + t)^2*a.x",
              [](double X, double, double vx, double vy, double s) {
                  return vx * vx + vy * vy - (1.0 + s) * (1.0 + s) * X;
              });
        check("hypot(a.vx, a.vy) = 2*t + a.x*a.y",
              [](double X, double Y, double vx, double vy, double s) {
                  return std::hypot(vx, vy) - 2.0 * s - X * Y;
              });
    }

    TEST_CASE("over a large step the rows have exactly the change of phi") {
        const std::vector<double> x0 = {0.7, -0.4, 1.1};
        const std::vector<double> dx = {0.5, 1.2, -0.6};
        for (const std::string equation : {"a.x + 2*a.y - a.z/3 = 1",
                                           "a.x - sin(t) = a.y + a.z",
                                           "a.x^2 - a.y*a.z + 3*a.x = 1",
                                           "a.x^2*sin(t) - a.y*a.z = t",
                                           "sin(a.x*a.y) + exp(a.z) = 3",
                                           "hypot(a.x, a.y)*t = 1 + a.z^3"}) {
            CAPTURE(equation);
            const auto tie = position(equation);
            const double change = phi(*tie, moved(x0, dx, 1.0), 0.3 + 0.2) - phi(*tie, x0, 0.3);
            CHECK(near(step(*tie, x0, dx, 0.3, 0.2).sum, change, 1e-15));
        }
    }

    TEST_CASE("over a step a velocity row is h psi at the midpoint with the mean rate") {
        const std::vector<double> x0 = {0.7, -0.4};
        const std::vector<double> dx = {0.5, 1.2};
        const double h = 0.2;
        const auto nonlinear = velocity("a.vx^2 + a.vy^2 = (1 + t)^2*a.x");
        const double speed2 = (0.25 + 1.44) / (h * h);
        CHECK(near(
            step(*nonlinear, x0, dx, 0.3, h).sum, h * (speed2 - 1.4 * 1.4 * (0.7 + 0.25)), 1e-14));
        // Homogeneous in the rates: no tau, and so no work.
        const auto skate = velocity("a.vx*sin(a.y) = a.vy*cos(a.y)");
        CHECK(!skate->row_blocks()[0].depends_on_time);
        const Step over = step(*skate, x0, dx, 0.3, h);
        CHECK(over.tau == 0.0);
        CHECK(near(over.sum, 0.5 * std::sin(0.2) - 1.2 * std::cos(0.2), 1e-15));
    }

    TEST_CASE("degree, time and tangent tell the kernel what may be kept") {
        const auto is = [](const Constraint& tie, Degree degree, bool time, TangentForm form) {
            const RowBlock& block = tie.row_blocks()[0];
            return block.degree == degree && block.depends_on_time == time && block.tangent == form;
        };
        const auto none = TangentForm::none;
        const auto full = TangentForm::full;
        CHECK(is(*position("a.x = a.y"), Degree::linear, false, none));
        CHECK(is(*position("a.x = sin(t)"), Degree::linear, true, none));
        CHECK(is(*position("a.x*t = a.y"), Degree::linear, true, none));
        CHECK(is(*position("a.x*a.y = t"), Degree::quadratic, true, full));
        CHECK(is(*position("a.x*a.y*t = 1"), Degree::quadratic, true, none));
        CHECK(is(*position("a.x*a.y*a.z = 1"), Degree::general, false, full));
        CHECK(is(*position("sin(a.x) = t"), Degree::general, true, full));
        CHECK(is(*position("sin(a.x*t) = 0"), Degree::general, true, none));
        CHECK(is(*velocity("a.vx = 2*a.vy"), Degree::linear, false, none));
        CHECK(is(*velocity("a.vx = 2*a.vy + 1"), Degree::linear, true, none));
        CHECK(is(*velocity("a.vx = a.y"), Degree::linear, true, none));
        CHECK(is(*velocity("a.vx*t = a.vy"), Degree::general, false, none));
        CHECK(is(*velocity("a.vx*a.x = a.vy"), Degree::quadratic, false, none));
        CHECK(is(*velocity("a.vx^2 = a.vy^2"), Degree::quadratic, true, none));
    }

    TEST_CASE("the tangent is the derivative of A^T s") {
        const std::vector<double> x = {0.7, -0.4, 1.1};
        for (const std::string equation :
             {"a.x^2 - 3*a.x*a.y + a.y*a.z = t", "sin(a.x*a.y)*a.z + exp(a.y - a.z) = t"}) {
            CAPTURE(equation);
            const auto tie = position(equation);
            const double s = -1.7;
            const Eigen::MatrixXd G = tangent(*tie, x, s, false);
            constexpr double h = 1e-3;
            for (std::size_t j = 0; j < 3; ++j) {
                std::vector<double> d(3, 0.0);
                d[j] = 1.0;
                const auto A = [&](int k) {
                    return evaluate(*tie, moved(x, d, k * h), d).A;
                };
                for (std::size_t i = 0; i < 3; ++i) {
                    const double slope =
                        s * (A(-2)[i] - 8 * A(-1)[i] + 8 * A(1)[i] - A(2)[i]) / (12 * h);
                    CHECK(near(G(Eigen::Index(i), Eigen::Index(j)), slope, 1e-9));
                }
            }
        }
    }

    TEST_CASE("the positive part of the tangent has its positive eigenvalues and no other") {
        const std::vector<double> x = {0.7, -0.4, 1.1, 0.2};
        for (const std::string equation : {"a.x^2 - 3*a.x*a.y + a.y*a.z - b.x^2 = 0",
                                           "sin(a.x*a.y)*a.z + exp(a.y - a.z)*b.x = 0"}) {
            CAPTURE(equation);
            const auto tie = position(equation);
            for (const double s : {2.0, -1.5}) {
                const Eigen::MatrixXd expected =
                    by_eigen::positive_part(tangent(*tie, x, s, false));
                const Eigen::MatrixXd G = tangent(*tie, x, s, true);
                CHECK((G - expected).norm() < 1e-13);
                CHECK(expected.norm() > 0.1);
            }
        }
    }

    TEST_CASE("a large general tangent has no positive part, a quadratic one always has") {
        std::string sum = "0";
        std::string waves = "0";
        for (int i = 0; i < 14; ++i) {
            const std::string x = "net@" + std::to_string(i) + ".x";
            sum += "+" + x + "^2";
            waves += "+sin(" + x + ")";
        }
        const std::vector<double> x(14, 0.5);
        CHECK(tangent(*position(sum + "=1"), x, 2.0, true)
                  .isApprox(4.0 * Eigen::MatrixXd::Identity(14, 14)));
        CHECK(tangent(*position(waves + "=1"), x, -2.0, true).isZero(0.0));
        CHECK(tangent(*position(waves + "=1"), x, -2.0, false)
                  .isApprox(2.0 * std::sin(0.5) * Eigen::MatrixXd::Identity(14, 14)));
    }

    TEST_CASE("several equations are several rows on common coordinates") {
        FakeArguments arguments(ancora_plugin_descriptor.types[0]);
        arguments.set_texts("equation", {"a.x^2 + a.y^2 = 1", "a.z = a.y"});
        const auto ring = make(arguments);
        CHECK(ring->attachments().size() == 3);
        CHECK(ring->row_blocks().size() == 2);
        CHECK(ring->row_blocks()[0].degree == Degree::quadratic);
        CHECK(ring->row_blocks()[1].degree == Degree::linear);
        const Row row = evaluate(*ring, {1.0, 2.0, 5.0}, {0.0, 0.0, 0.0}, 0.0, 1);
        CHECK(row.pi == 3.0);
        CHECK(row.A == std::vector<double>{1.0, -1.0});
        const std::array<std::int32_t, 2> stencil = {6, 3};
        CHECK(std::ranges::equal(ring->row_blocks()[1].stencil, stencil));
    }

    TEST_CASE("coordinates that cancel in the text are no part of the row") {
        const auto tie = position("a.x^0 + a.y = 3");
        CHECK(tie->row_blocks()[0].scalars_per_item == 1);
        CHECK(tie->row_blocks()[0].stencil[0] == 3);
        CHECK(evaluate(*tie, {9.0, 2.0}, {9.0, 1.0}).pi == 0.0);
    }

    TEST_CASE("no function of the step allocates") {
        std::string waves = "0";
        for (int i = 0; i < 12; ++i) waves += "+sin(net@" + std::to_string(i) + ".x*t^0)";
        std::string lengthy = "a.x";
        for (int i = 1; i < 80; ++i) lengthy += "+sin(a.x+" + std::to_string(i) + ")";
        for (const auto& tie : {position(waves + "=1"),
                                position(lengthy + " = 0"),
                                position("a.x^2 + a.y^2 = t"),
                                velocity("a.vx^2 + a.vy^2 = a.x")}) {
            const std::vector<double> u(3 * tie->attachments().size(), 0.25);
            const auto width = static_cast<std::size_t>(tie->row_blocks()[0].scalars_per_item);
            std::vector<double> A(width);
            std::vector<double> G(width * width);
            double pi = 0.0, pi_t = 0.0, b = 0.0, work0 = 0.0, work1 = 0.0;
            const double s = 1.0;
            const long before = allocations;
            tie->evaluate(0, {u, u, 0.0}, {{&pi, 1}, A, {&pi_t, 1}, {&b, 1}});
            tie->evaluate_step(
                0, {u, u, u, u, u, 0.0, 0.1, {}, {}}, {A, {&pi_t, 1}, {&work0, 1}, {&work1, 1}});
            tie->evaluate_tangent(0, {.mid = u, .s = {&s, 1}, .positive_part = true}, G);
            tie->evaluate_tangent(0, {.mid = u, .s = {&s, 1}, .positive_part = false}, G);
            CHECK(allocations == before);
        }
    }

    TEST_CASE("mistakes are shown where they are") {
        CHECK_THROWS_WITH(position("a.x + = 0"),
                          "equation: position 7: found \"=\", expected a number, a function, a "
                          "coordinate such as \"box.x\" or \"(\"\n"
                          "    a.x + = 0\n"
                          "          ^");
        CHECK_THROWS_WITH(position("x = 0"),
                          "equation: position 1: found \"x\", expected a coordinate such as "
                          "\"box.x\"\n"
                          "    x = 0\n"
                          "    ^");
        CHECK_THROWS_WITH(position("a.x = b.vx"),
                          "equation: position 7: found the rate \"b.vx\" in an equation on "
                          "coordinates; write level = \"velocity\"\n"
                          "    a.x = b.vx\n"
                          "          ^");
        CHECK_THROWS_WITH(position("a.x = der(b.qw)"),
                          "equation: position 7: found the rate \"der(b.qw)\" in an equation on "
                          "coordinates; write level = \"velocity\"\n"
                          "    a.x = der(b.qw)\n"
                          "          ^");
        CHECK_THROWS_WITH(position("2 = 2*t"),
                          "equation: position 1: the equation holds no coordinate; write one such "
                          "as \"box.x\"\n"
                          "    2 = 2*t\n"
                          "    ^");
        CHECK_THROWS_WITH(velocity("a.x = 2*t"),
                          "equation: position 1: the equation holds no rate; write one such as "
                          "\"box.vx\" or \"der(box.x)\", or level = \"position\"\n"
                          "    a.x = 2*t\n"
                          "    ^");
        CHECK_THROWS_WITH(position("a.x = ground@[0, 1, 0].y"),
                          "equation: position 7: found \"ground@[0, 1, 0].y\", but the ground does "
                          "not move; write the number\n"
                          "    a.x = ground@[0, 1, 0].y\n"
                          "          ^");
        CHECK_THROWS_WITH(velocity("a.vx = der(b.vx)"),
                          "equation: position 8: found \"der(b.vx)\", but \"b.vx\" is a rate "
                          "already\n"
                          "    a.vx = der(b.vx)\n"
                          "           ^");
        CHECK_THROWS_WITH(position("a@3.qw = 1"),
                          "equation: position 1: found \"a@3.qw\", expected x, y, z, vx, vy or vz "
                          "of a point\n"
                          "    a@3.qw = 1\n"
                          "    ^");
        FakeArguments arguments(ancora_plugin_descriptor.types[0]);
        arguments.set_texts("equation", {"a.x = 0", "a.y = "});
        CHECK_THROWS_WITH(make(arguments),
                          "equation: equation 2 of 2, position 7: found the end of the formula, "
                          "expected a number, a function, a coordinate such as \"box.x\" or \"(\"\n"
                          "    a.y = \n"
                          "          ^");
        arguments.set_texts("equation", {});
        CHECK_THROWS_WITH(make(arguments), "equation: found no equation, expected one or more");
    }
}
