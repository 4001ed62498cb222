// SPDX-License-Identifier: BSD-3-Clause
// Rows of a model as the step and the accelerations see them: derivatives, and the residual.
#include <cstddef>
#include <random>
#include <string>
#include <utility>

#include <Eigen/Dense>
#include <Eigen/Geometry>
#include <doctest/doctest.h>

#include "equations.hpp"
#include "support/dense.hpp"

namespace ancora::testing {

TEST_SUITE("rows of a model") {
    // Theory, section 3.1: B dq + tau = pi(q1, t1) - pi(q0, t0), exactly.
    TEST_CASE("over a step the discrete Jacobian gives the increment of every row") {
        Equations model(kAllRows);
        std::mt19937 random(1);
        for (int trial = 0; trial < 20; ++trial) {
            const VectorXd q0 = model.q() + 0.3 * random_vector(model.n, random);
            const VectorXd dq = 0.5 * random_vector(model.n, random);
            const double t0 = 0.37 * trial;
            const double h = 0.05;
            model.evaluate_step(q0, dq, t0, h);
            const VectorXd increment =
                model.full(model.system.parts().rows.B) * dq + model.system.parts().rows.tau;
            const VectorXd pi0 = model.at(q0, dq, t0).pi;
            const VectorXd pi1 = model.at(q0 + dq, dq, t0 + h).pi;
            for (Index k = 0; k < model.m; ++k)
                CHECK_MESSAGE(near(increment[k], pi1[k] - pi0[k], 2e-14),
                              model.system.parts().rows.row_name(static_cast<int>(k)));
        }
    }

    // The faces of |d| - L - g(t): the discrete one is what the SDK derives from the continuous
    // one.
    TEST_CASE("rows that are not quadratic: both faces, driven in time or not") {
        for (const char* motion : {"", "speed = 0.7\namplitude = 0.2\nfrequency = 3.0\n"}) {
            Equations model(std::string(R"(
[[body]]
name = "box"
type = "ancf_rigid_body"
size = [1.0, 0.5, 0.2]
density = 100.0
[[body]]
name = "m"
type = "test_mass"
mass = 1.0
position = [2.0, 1.0, 0.0]
[[constraint]]
name = "rope"
type = "test_spring"
geometry = "length"
law = "elastic"
length = 1.5
a = "box@[0.5, 0.2, 0.1]"
b = "m@0"
)") + motion + "[integrator]\ntype = \"emm\"\nstep = 1e-3\nend = 1.0\n");
            std::mt19937 random(11);
            const Index k = model.m - 1;
            const VectorXd q = model.q() + 0.1 * random_vector(model.n, random);
            const VectorXd dq = 0.2 * random_vector(model.n, random);
            const double t = 0.3;
            const double h = 0.05;
            model.evaluate_step(q, dq, t, h);
            const double increment = model.full(model.system.parts().rows.B).row(k).dot(dq) +
                                     model.system.parts().rows.tau[k];
            const double exact = model.at(q + dq, dq, t + h).pi[k] - model.at(q, dq, t).pi[k];
            CHECK(near(increment, exact, 1e-14));
            // tau is the part of time alone: without it there is none.
            if (motion[0] == '\0') CHECK(model.system.parts().rows.tau[k] == 0.0);

            const VectorXd v = random_vector(model.n, random);
            const VectorXd a = random_vector(model.n, random);
            const RowSet::StateValues here = model.at(q, v, t);
            const double d = 1e-3;
            const auto pi_at = [&](double x) {
                return model.at(q + x * v + 0.5 * x * x * a, v, t + x).pi[k];
            };
            const double first = (pi_at(d) - pi_at(-d)) / (2 * d);
            const double second = (pi_at(d) - 2 * pi_at(0) + pi_at(-d)) / (d * d);
            const Eigen::RowVectorXd A = model.full(here.A).row(k);
            CHECK(near(A.dot(v) + here.pi_t[k], first, 1e-5));
            CHECK(near(A.dot(a) - here.b[k], second, 1e-5));

            VectorXd s = VectorXd::Zero(model.m);
            s[k] = -0.7;
            const MatrixXd G = model.stiffness(q, s, false);
            const VectorXd w = random_vector(model.n, random);
            const auto force = [&](double x) -> VectorXd {
                return model.full(model.at(q + x * w, v, t).A).transpose() * s;
            };
            CHECK((G * w - (force(1e-4) - force(-1e-4)) / 2e-4).norm() <= 1e-7);
        }
    }

    // Central differences of a quadratic function are its derivative but for rounding.
    TEST_CASE("A is the derivative of pi in q, pi_t that in time") {
        Equations model(kAllRows);
        std::mt19937 random(2);
        const VectorXd q = model.q() + 0.3 * random_vector(model.n, random);
        const VectorXd v = random_vector(model.n, random);
        const double t = 0.8;
        const RowSet::StateValues here = model.at(q, v, t);
        const MatrixXd A = model.full(here.A);
        const double d = 0.01;
        for (Index i = 0; i < model.n; ++i) {
            VectorXd step = VectorXd::Zero(model.n);
            step[i] = d;
            const VectorXd column =
                (model.at(q + step, v, t).pi - model.at(q - step, v, t).pi) / (2.0 * d);
            CHECK((column - A.col(i)).cwiseAbs().maxCoeff() <= 1e-12);
        }
        const VectorXd pi_t = (model.at(q, v, t + 1e-5).pi - model.at(q, v, t - 1e-5).pi) / 2e-5;
        CHECK((pi_t - here.pi_t).cwiseAbs().maxCoeff() <= 1e-9);
    }

    // Along q(t) = q + v t + a t^2 / 2 the second derivative of pi is A a - b.
    TEST_CASE("the bias is what the second derivative along a motion leaves") {
        Equations model(kAllRows);
        std::mt19937 random(3);
        const VectorXd q = model.q() + 0.3 * random_vector(model.n, random);
        const VectorXd v = random_vector(model.n, random);
        const VectorXd a = random_vector(model.n, random);
        const double t = 0.8;
        const RowSet::StateValues here = model.at(q, v, t);
        const auto pi_at = [&](double d) {
            return model.at(q + d * v + 0.5 * d * d * a, v, t + d).pi;
        };
        // Fourth order in d
        const double d = 2e-3;
        const VectorXd second =
            (-pi_at(2 * d) + 16 * pi_at(d) - 30 * pi_at(0) + 16 * pi_at(-d) - pi_at(-2 * d)) /
            (12 * d * d);
        CHECK((model.full(here.A) * a - here.b - second).cwiseAbs().maxCoeff() <= 1e-8);
    }

    // A rigid body's point is at r + R p and moves with v + w x R p.
    TEST_CASE("constraints are chained through points away from the centre of mass") {
        Equations model(R"(
[[body]]
name = "one"
type = "ancf_rigid_body"
mass = 3.0
inertia = [[2.0, 0.1, -0.2], [0.1, 2.5, 0.3], [-0.2, 0.3, 1.5]]
center_of_mass = [0.1, -0.2, 0.3]
orientation = {axis = [1.0, 2.0, -1.0], angle = 0.7}
position = [0.5, -1.0, 2.0]
velocity = [0.3, 0.2, -0.1]
angular_velocity = [1.0, -2.0, 0.5]
[[body]]
name = "two"
type = "ancf_rigid_body"
size = [1.0, 0.5, 0.2]
density = 100.0
orientation = {axis = [0.0, 1.0, 1.0], angle = -2.0}
position = [-0.7, 0.1, 0.4]
velocity = [-0.6, 0.9, 0.2]
angular_velocity = [0.4, 0.7, -1.1]
[[constraint]]
name = "n"
type = "test_spring"
law = "elastic"
axis = [0.36, 0.48, 0.8]
a = "one@[0.3, 0.1, -0.2]"
b = "two@[-0.5, 0.2, 0.7]"
[integrator]
type = "emm"
step = 1e-3
end = 1.0
)");
        const auto point = [](Eigen::Vector3d r,
                              Eigen::Vector3d axis,
                              double angle,
                              Eigen::Vector3d v,
                              Eigen::Vector3d w,
                              Eigen::Vector3d p) {
            const Eigen::Matrix3d R =
                Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
            return std::pair<Eigen::Vector3d, Eigen::Vector3d>(r + R * p, v + R * w.cross(p));
        };
        const auto [ra, va] = point({0.5, -1.0, 2.0},
                                    {1, 2, -1},
                                    0.7,
                                    {0.3, 0.2, -0.1},
                                    {1.0, -2.0, 0.5},
                                    {0.3, 0.1, -0.2});
        const auto [rb, vb] = point({-0.7, 0.1, 0.4},
                                    {0, 1, 1},
                                    -2.0,
                                    {-0.6, 0.9, 0.2},
                                    {0.4, 0.7, -1.1},
                                    {-0.5, 0.2, 0.7});
        const Eigen::Vector3d n(0.36, 0.48, 0.8);
        const RowSet::StateValues here = model.at(model.q(), model.v(), 0.0);
        // The constraint's row is the last, behind the bodies' strains.
        const Index k = model.m - 1;
        CHECK(near(here.pi[k], n.dot(ra - rb), 1e-15));
        CHECK(near(model.full(here.A).row(k).dot(model.v()), n.dot(va - vb), 1e-15));
    }

    // B(q) is linear in q for quadratic rows, so differences of B^T s give G but for rounding.
    TEST_CASE("the geometric stiffness is the derivative of B^T s") {
        Equations model(kAllRows);
        std::mt19937 random(4);
        const VectorXd q = model.q() + 0.3 * random_vector(model.n, random);
        const VectorXd s = random_vector(model.m, random);
        const MatrixXd G = model.stiffness(q, s, false);
        const double d = 0.01;
        for (Index i = 0; i < model.n; ++i) {
            VectorXd step = VectorXd::Zero(model.n);
            step[i] = d;
            const auto force = [&](const VectorXd& x) -> VectorXd {
                return model.full(model.at(x, q, 0.0).A).transpose() * s;
            };
            const VectorXd column = (force(q + step) - force(q - step)) / (2.0 * d);
            CHECK((column - G.col(i)).cwiseAbs().maxCoeff() <= 1e-12);
        }
    }

    TEST_CASE("its positive part has no negative eigenvalue and is not below it") {
        Equations model(kAllRows);
        std::mt19937 random(5);
        const VectorXd s = random_vector(model.m, random);
        const MatrixXd G = model.stiffness(model.q(), s, false);
        const MatrixXd P = model.stiffness(model.q(), s, true);
        const auto lowest = [](const MatrixXd& X) {
            return by_eigen::symmetric_eigenvalues(X)[0];
        };
        CHECK(lowest(G) < -0.1);
        CHECK(lowest(P) >= -1e-14);
        CHECK(lowest(P - G) >= -1e-14);
    }

    // r_motion = M a + B^T s - F, r_rows = B dq + tau + rho - gamma s with the laws of theory
    // (11): here theta = 2, gamma = 2 c for strains and theta = 1, gamma = 0 for
    // constraints.
    TEST_CASE("the residual is the sum of its parts") {
        Equations model(kAllRows);
        model.system.set_redundant(false);
        std::mt19937 random(6);
        const double h = 0.02;
        const VectorXd a = random_vector(model.n, random);
        const VectorXd s = random_vector(model.m, random);
        VectorXd r(model.n), r_rows(model.m);
        model.equations.evaluate(
            {0.0, h, {a.data(), std::size_t(model.n)}, {s.data(), std::size_t(model.m)}},
            {r.data(), std::size_t(model.n)},
            {r_rows.data(), std::size_t(model.m)});
        const VectorXd dq = h * model.v() + 0.5 * h * h * a;
        const VectorXd pi0 = model.at(model.q(), model.v(), 0.0).pi;
        const VectorXd pi1 = model.at(model.q() + dq, model.v(), h).pi;
        const MatrixXd B = model.full(model.system.parts().rows.B);
        // Gravity on all that translates
        VectorXd fall = VectorXd::Zero(model.n);
        for (const BodyPart& part : model.model.bodies)
            for (int i = 0; i < part.count; ++i) {
                const Coordinate& c = part.coordinates[i];
                if (c.translates && c.axis == 2) fall[part.first + i] = -9.81;
            }
        const VectorXd motion = model.mass() * (a - fall) + B.transpose() * s;
        CHECK((motion - r).cwiseAbs().maxCoeff() <= 1e-12 * motion.cwiseAbs().maxCoeff());
        for (Index k = 0; k < model.m; ++k) {
            const RowLaw& law = model.system.parts().rows.laws[k];
            const double expected = law.kind == RowKind::constraint
                                        ? pi1[k]
                                        : pi0[k] + pi1[k] - 2.0 * law.compliance * s[k];
            CHECK(near(r_rows[k], expected, 1e-14));
        }
    }
}

}  // namespace ancora::testing
