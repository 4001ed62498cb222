// SPDX-License-Identifier: BSD-3-Clause
// What implicit integrators receive, against central differences of the equations themselves: K, D,
// G and A' as compressed rows and as products.
#include "implicit_face.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "framework/models.hpp"
#include "kernel_system.hpp"
#include "model.hpp"

using namespace ancora;
using ancora::testing::manifest;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr double kTime = 0.3;

std::span<const double> view_of(const VectorXd& x) {
    return {x.data(), static_cast<std::size_t>(x.size())};
}

/// A model at a state beside its start, with accelerations and multipliers of no motion.
struct Point {
    explicit Point(std::string_view text)
        : model(manifest(text), plugins.registry),
          system(model),
          face(*system.implicit()),
          n(system.num_coordinates()),
          m(face.num_conditions()) {
        std::mt19937 random(7);
        std::uniform_real_distribution<double> uniform(-1.0, 1.0);
        const auto some = [&](Index size, double scale) -> VectorXd {
            return VectorXd::NullaryExpr(size, [&] {
                return scale * uniform(random);
            });
        };
        q = Eigen::Map<const VectorXd>(system.q().data(), n) + some(n, 0.05);
        v = Eigen::Map<const VectorXd>(system.v().data(), n) + some(n, 0.7);
        a = some(n, 2.0);
        lambda = some(m, 3.0);
        const auto own = static_cast<std::size_t>(system.continuous()->size().num_own);
        base.assign(own, 0.2);
        if (own > 0) face.follow_own(base, 0.02);
    }

    void evaluate(const VectorXd& at_q, const VectorXd& at_v) {
        face.evaluate({kTime, view_of(at_q), view_of(at_v), view_of(lambda)});
    }
    MatrixXd full(const CompressedMatrix& from, Index columns) const {
        MatrixXd out = MatrixXd::Zero(from.num_rows(), columns);
        for (int i = 0; i < from.num_rows(); ++i)
            for (auto e = from.row_start[i]; e < from.row_start[static_cast<std::size_t>(i) + 1];
                 ++e)
                out(i, from.column[e]) += from.value[e];
        return out;
    }
    VectorXd inertia_less_force(const VectorXd& at_q, const VectorXd& at_v) {
        evaluate(at_q, at_v);
        VectorXd out = -Eigen::Map<const VectorXd>(face.force().data(), n);
        face.mass().add_product(1.0, view_of(a), {out.data(), static_cast<std::size_t>(n)});
        return out;
    }
    VectorXd reaction(const VectorXd& at_q, const VectorXd& at_v) {
        evaluate(at_q, at_v);
        VectorXd out = VectorXd::Zero(n);
        face.jacobian().add_transposed_product(
            1.0, view_of(lambda), {out.data(), static_cast<std::size_t>(n)});
        return out;
    }
    VectorXd rates_of_positions(const VectorXd& at_q, const VectorXd& at_v) {
        evaluate(at_q, at_v);
        VectorXd out = Eigen::Map<const VectorXd>(face.rates().data(), m);
        for (Index k = 0; k < m; ++k)
            if (face.levels()[k] != RowLevel::position) out[k] = 0.0;
        return out;
    }

    testing::Plugins plugins;
    Model model;
    KernelSystem system;
    ImplicitSystem& face;
    Index n, m;
    VectorXd q, v, a, lambda;
    std::vector<double> base;
};

/// By central differences of two lengths, extrapolated.
MatrixXd differences(const VectorXd& at, const std::function<VectorXd(const VectorXd&)>& f) {
    constexpr double kLength = 1e-3;
    MatrixXd out;
    for (Index j = 0; j < at.size(); ++j) {
        const auto slope = [&](double d) -> VectorXd {
            VectorXd up = at, down = at;
            up[j] += d;
            down[j] -= d;
            return (f(up) - f(down)) / (2.0 * d);
        };
        const VectorXd column = (4.0 * slope(0.5 * kLength) - slope(kLength)) / 3.0;
        if (out.size() == 0) out.setZero(column.size(), at.size());
        out.col(j) = column;
    }
    return out;
}

void compare(const char* what, const MatrixXd& found, const MatrixXd& expected) {
    // Some are forward differences in the kernel, of half the digits.
    const double scale = std::max(1.0, expected.cwiseAbs().maxCoeff());
    const MatrixXd off = found - expected;
    Index i = 0, j = 0;
    const double worst = off.size() > 0 ? off.cwiseAbs().maxCoeff(&i, &j) : 0.0;
    INFO(what << " (" << i << ", " << j << "): " << (off.size() > 0 ? found(i, j) : 0.0)
              << " instead of " << (off.size() > 0 ? expected(i, j) : 0.0));
    CHECK(worst <= 2e-6 * scale);
}

void check_derivatives(std::string_view text) {
    Point at(text);
    const VectorXd q = at.q, v = at.v;
    const auto by_q = [&](auto f) {
        return differences(q, [&](const VectorXd& x) {
            return (at.*f)(x, v);
        });
    };
    const MatrixXd K = by_q(&Point::inertia_less_force), G = -by_q(&Point::reaction),
                   A_rate = by_q(&Point::rates_of_positions);
    const MatrixXd D = differences(v, [&](const VectorXd& x) -> VectorXd {
        return at.inertia_less_force(q, x) - at.reaction(q, x);
    });

    at.evaluate(q, v);
    at.face.differentiate(view_of(at.a));
    compare("K", at.full(at.face.stiffness(), at.n), K);
    compare("D", at.full(at.face.damping(), at.n), D);
    compare("G", at.full(at.face.geometric(), at.n), G);
    compare("A'", at.full(at.face.jacobian_rate(), at.n), A_rate);

    // Products are those of the full matrices, to rounding.
    for (const CompressedMatrix& matrix : {at.face.mass(),
                                           at.face.stiffness(),
                                           at.face.damping(),
                                           at.face.geometric(),
                                           at.face.jacobian()}) {
        const MatrixXd dense = at.full(matrix, at.n);
        VectorXd x = at.a, y = VectorXd::Ones(dense.rows());
        matrix.add_product(-2.0, view_of(x), {y.data(), static_cast<std::size_t>(y.size())});
        const double scale = 1.0 + dense.cwiseAbs().rowwise().sum().maxCoeff();
        CHECK((y - (VectorXd::Ones(dense.rows()) - 2.0 * dense * x)).cwiseAbs().maxCoeff() <=
              1e-14 * scale * x.cwiseAbs().maxCoeff());
        VectorXd z = VectorXd::Ones(dense.rows()), w = VectorXd::Zero(at.n);
        matrix.add_transposed_product(
            3.0, view_of(z), {w.data(), static_cast<std::size_t>(w.size())});
        CHECK((w - 3.0 * dense.transpose() * z).cwiseAbs().maxCoeff() <= 1e-13 * scale * at.n);
    }
}

const std::string kHead =
    "[model]\ngravity = [0.0, 0.0, -9.81]\nproject_start = true\n"
    "[integrator]\ntype = \"generalized_alpha\"\nstep = 1e-3\nend = 1.0\n";

std::string body(const std::string& name, const std::string& type, const std::string& more) {
    return fmt::format(
        "[[body]]\nname = \"{}\"\ntype = \"{}\"\nmass = 2.0\n"
        "inertia = [0.3, 0.4, 0.5]\n{}{}\n",
        name,
        type,
        type == "ancf_rigid_body" ? "penalty = inf\n" : "",
        more);
}

}  // namespace

TEST_SUITE("derivatives for implicit integrators") {
    TEST_CASE("a free top: gyroscopic terms of a mass that depends on the state") {
        check_derivatives(kHead +
                          body("top", "quaternion_body", "angular_velocity = [1.0, 8.0, -2.0]"));
    }

    TEST_CASE("joints with springs and dampers, on bodies of both kinds") {
        for (const char* type : {"ancf_rigid_body", "quaternion_body"}) {
            CAPTURE(type);
            check_derivatives(
                kHead + body("arm", type, "position = [0.5, 0.0, 0.0]") +
                body("hand", type, "position = [1.4, 0.1, 0.2]") +
                "[[constraint]]\nname = \"shoulder\"\ntype = \"revolute\"\na = \"ground\"\n"
                "b = \"arm\"\npoint = [0.0, 0.0, 0.0]\naxis = [0.0, 1.0, 0.2]\n"
                "[[constraint]]\nname = \"wrist\"\ntype = \"universal\"\na = \"arm\"\n"
                "b = \"hand\"\npoint = [1.0, 0.0, 0.0]\naxis_a = [0.0, 1.0, 0.0]\n"
                "axis_b = [0.0, 0.0, 1.0]\n"
                "[[force]]\nname = \"spring\"\ntype = \"spring\"\non = \"shoulder.angle\"\n"
                "stiffness = 30.0\nfree = 0.4\n"
                "[[force]]\nname = \"rope\"\ntype = \"spring\"\na = \"ground@[0, 1, 0]\"\n"
                "b = \"hand@[0.1, 0.2, 0]\"\nstiffness = 80.0\nfree = 1.0\n");
        }
    }

    TEST_CASE("dampers whose lines turn with the motion") {
        check_derivatives(
            kHead + body("arm", "ancf_rigid_body", "position = [0.5, 0.0, 0.0]") +
            "[[force]]\nname = \"strut\"\ntype = \"spring_damper\"\na = \"ground@[0, 1, 0]\"\n"
            "b = \"arm@[0.1, 0.2, 0]\"\nstiffness = 80.0\ndamping = 5.0\nfree = 1.0\n"
            "[[constraint]]\nname = \"shoulder\"\ntype = \"spherical\"\na = \"ground\"\n"
            "b = \"arm\"\npoint = [0.0, 0.0, 0.0]\n");
    }

    TEST_CASE("nets and loads: elastic rows, drag, a load that follows the state") {
        check_derivatives(
            kHead +
            "[[body]]\nname = \"net\"\ntype = \"truss\"\n"
            "nodes = [[0, 0, 0], [1, 0, 0], [0, 1, 0.2], [1, 1, 0]]\n"
            "elements = [[0, 1], [1, 3], [2, 3], [0, 2], [0, 3]]\narea = 1e-4\nyoung = 1e6\n"
            "density = 1000.0\nrest_length = 0.9\n"
            "[[constraint]]\nname = \"pin\"\ntype = \"position\"\na = \"net@0\"\n"
            "b = \"ground@[0, 0, 0]\"\n"
            "[[force]]\nname = \"air\"\ntype = \"drag\"\nat = \"net@*\"\nquadratic = 0.4\n"
            "linear = 0.1\nmedium_velocity = [1.0, 0.0, 0.5]\n"
            "[[force]]\nname = \"push\"\ntype = \"point_load\"\nat = \"net@3\"\n"
            "force = [\"-3*vx*abs(vx)\", \"-2*y\", \"sin(x) - 0.3*vz\"]\n");
    }

    TEST_CASE("conditions on velocities") {
        check_derivatives(
            kHead + body("skate", "ancf_rigid_body", "velocity = [1.0, 0.0, 0.0]") +
            "[[constraint]]\nname = \"edge\"\ntype = \"knife_edge\"\nbody = \"skate\"\n"
            "point = [0.1, 0.0, 0.0]\ndirection = [1.0, 0.0, 0.0]\nnormal = [0.0, 0.0, 1.0]\n");
    }

    TEST_CASE("a rocket: mass over time and a jet that turns with the body") {
        check_derivatives(
            kHead + body("stage", "ancf_rigid_body", "angular_velocity = [0.1, 0.4, 0.0]") +
            "[[body]]\nname = \"tank\"\ntype = \"particle\"\nmass_over_time = \"3 - t\"\n"
            "velocity_from = \"stage\"\n"
            "[[constraint]]\nname = \"mount\"\ntype = \"position\"\na = \"stage@[0, 0, 0]\"\n"
            "b = \"tank@0\"\n"
            "[[force]]\nname = \"engine\"\ntype = \"jet\"\nat = \"stage@[0, 0.1, -1]\"\n"
            "from = \"tank@0\"\nflow = \"-tank.mass_rate\"\nvelocity = [0.0, 0.5, -20.0]\n");
    }

    // With x = base + weight x' the torque answers to the rate through the current.
    TEST_CASE("a motor with a coil: its state answers, too") {
        check_derivatives(kHead +
                          body("rotor", "ancf_rigid_body", "angular_velocity = [0.0, 0.0, 2.0]") +
                          "[[constraint]]\nname = \"shaft\"\ntype = \"revolute\"\na = \"ground\"\n"
                          "b = \"rotor\"\npoint = [0.0, 0.0, 0.0]\naxis = [0.0, 0.0, 1.0]\n"
                          "[[force]]\nname = \"motor\"\ntype = \"dc_motor\"\non = \"shaft.angle\"\n"
                          "voltage = 12.0\nresistance = 0.5\ninductance = 0.01\nconstant = 0.8\n");
    }
}
