// SPDX-License-Identifier: BSD-3-Clause
// The matrix of a step against dense solutions, corotated and not; the rank of constraint rows.
#include <cmath>
#include <cstddef>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <Eigen/Geometry>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "co_rotation.hpp"
#include "equations.hpp"
#include "rank_analysis.hpp"
#include "support/dense.hpp"

namespace ancora::testing {

namespace {

/// Boxes in a row, each hung to the one before at a point between them; `extra` of the joints are
/// there twice.
Manifest chain(int num_bodies, const std::vector<int>& doubled, double spread = 0.0) {
    Manifest out;
    out.model.gravity = {0.0, 0.0, -9.81};
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(-spread, spread);
    const auto tie = [&](const std::string& name, int k) {
        ObjectSpec& joint = out.add_constraint(name, "position");
        joint.set("a", k == 0 ? "ground@[-0.5, 0, 0]" : fmt::format("b{}@[0.5, 0, 0]", k - 1));
        joint.set("b", fmt::format("b{}@[-0.5, 0, 0]", k));
    };
    for (int k = 0; k < num_bodies; ++k) {
        ObjectSpec& box = out.add_body(fmt::format("b{}", k), "ancf_rigid_body");
        box.set("size", {1.0, 0.2 + std::abs(uniform(random)), 0.1}).set("density", 1000.0);
        box.set("position", {1.0 * k, 0.0, 0.0});
        tie(fmt::format("j{}", k), k);
    }
    for (const int k : doubled) tie(fmt::format("again{}", k), k);
    out.integrator.type = "emm";
    out.integrator.step = 1e-3;
    out.integrator.end = 1.0;
    return out;
}

}  // namespace

TEST_SUITE("step matrix") {
    // K (x, y) = (r, g) with K = [2M/h^2 + G/2, B^T; B, -gamma], solved dense with full pivoting.
    TEST_CASE("the solution is that of the dense system, without redundant rows") {
        Equations model(kAllRows);
        model.system.set_redundant(false);
        std::mt19937 random(8);
        for (const double h : {1e-4, 1e-2, 0.3}) {
            const VectorXd a = random_vector(model.n, random);
            // Tension and pressure; the factorisation takes the positive part only.
            const VectorXd s = 1e-3 * random_vector(model.m, random);
            const StepTrial trial{
                0.0, h, {a.data(), std::size_t(model.n)}, {s.data(), std::size_t(model.m)}};
            VectorXd r(model.n), g(model.m), x(model.n), y(model.m);
            model.equations.evaluate(
                trial, {r.data(), std::size_t(model.n)}, {g.data(), std::size_t(model.m)});
            REQUIRE(model.equations.factorise(trial, Tangent::consistent));
            model.equations.solve({r.data(), std::size_t(model.n)},
                                  {g.data(), std::size_t(model.m)},
                                  {x.data(), std::size_t(model.n)},
                                  {y.data(), std::size_t(model.m)});

            const VectorXd dq = h * model.v() + 0.5 * h * h * a;
            const MatrixXd B = model.full(model.system.parts().rows.B);
            const MatrixXd B_end = model.full(model.at(model.q() + dq, a, h).A);
            const MatrixXd G = model.stiffness(model.q() + 0.5 * dq, s, false);
            MatrixXd K = MatrixXd::Zero(model.n + model.m, model.n + model.m);
            K.topLeftCorner(model.n, model.n) = 2.0 / (h * h) * model.mass() + 0.5 * G;
            K.topRightCorner(model.n, model.m) = B.transpose();
            K.bottomLeftCorner(model.m, model.n) = B_end;
            for (Index k = 0; k < model.m; ++k) {
                const RowLaw& law = model.system.parts().rows.laws[k];
                if (law.kind == RowKind::elastic)
                    K(model.n + k, model.n + k) = -2.0 * law.compliance;
            }
            VectorXd rhs(model.n + model.m);
            rhs << r, g;
            // Scaled, since the entries differ by 1 / h^2
            VectorXd scale(model.n + model.m);
            scale.head(model.n).setConstant(h);
            scale.tail(model.m).setConstant(1.0 / h);
            const MatrixXd scaled = scale.asDiagonal() * K * scale.asDiagonal();
            const VectorXd exact = scale.cwiseProduct(
                Eigen::ColPivHouseholderQR<MatrixXd>(scaled).solve(scale.cwiseProduct(rhs)).eval());
            CAPTURE(h);
            // The rows' own regularisation is 1e-10 of their Schur complement.
            CHECK((exact.head(model.n) - x).norm() <= 1e-8 * x.norm());
            CHECK((exact.tail(model.m) - y).norm() <= 1e-8 * y.norm());
        }
    }

    // Theory, section 3.1 item 4: with redundant rows dq is the pseudo-inverse's, and s the one of
    // least sum D_k s_k^2 with D_k = B_k M^-1 B_k^T.
    TEST_CASE("redundant rows: dq of the pseudo-inverse, s of least norm, after two refinements") {
        for (const int num_bodies : {2, 7}) {
            Equations model(chain(num_bodies, {0, num_bodies / 2}, 0.3));
            const Index n = model.n;
            const Index m = model.m;
            const double h = 1e-2;
            const VectorXd zero = VectorXd::Zero(n);
            model.evaluate_step(model.q(), zero, 0.0, h);
            RowSet& rows = model.system.parts().rows;
            rows.K.setZero();
            const VectorXd gamma = VectorXd::Zero(m);
            std::vector<int> first;
            for (const BodyPart& part : model.model.bodies) first.push_back(part.first);
            StepMatrix matrix(static_cast<int>(n),
                              model.system.parts().mass.entries(),
                              model.system.parts().rows,
                              first,
                              true);
            REQUIRE(matrix.factorise({rows.B, rows.K, gamma}, rows.B, h, Tangent::definite));

            const MatrixXd B = model.full(model.system.parts().rows.B);
            const MatrixXd M = model.mass();
            MatrixXd K = MatrixXd::Zero(n + m, n + m);
            K.topLeftCorner(n, n) = 2.0 / (h * h) * M;
            K.topRightCorner(n, m) = B.transpose();
            K.bottomLeftCorner(m, n) = B;
            std::mt19937 random(9);
            VectorXd rhs(n + m);
            rhs << random_vector(n, random), B * (1e-4 * random_vector(n, random));

            // Three solves with the residual of the system without regularisation
            VectorXd x = VectorXd::Zero(n + m);
            VectorXd correction(n + m);
            for (int pass = 0; pass < 3; ++pass) {
                const VectorXd r = rhs - K * x;
                matrix.solve({r.data(), std::size_t(n)},
                             {r.data() + n, std::size_t(m)},
                             {correction.data(), std::size_t(n)},
                             {correction.data() + n, std::size_t(m)});
                x += correction;
            }

            // In the variables (dq, D^1/2 s), of any scale in dq, the least-norm solution
            VectorXd scale(n + m);
            scale.head(n).setConstant(h * h);
            for (Index k = 0; k < m; ++k)
                scale[n + k] = 1.0 / std::sqrt((B.row(k) * M.inverse() * B.row(k).transpose())(0));
            const MatrixXd scaled = scale.asDiagonal() * K * scale.asDiagonal();
            REQUIRE(by_eigen::rank_of(scaled, 1e-11) == n + m - 6);
            const VectorXd exact =
                scale.cwiseProduct(by_eigen::least_squares(scaled, scale.cwiseProduct(rhs), 1e-11));
            CHECK((exact.head(n) - x.head(n)).norm() <= 1e-12 * exact.head(n).norm());
            CHECK((exact.tail(m) - x.tail(m)).norm() <= 1e-9 * exact.tail(m).norm());
        }
    }

    TEST_CASE("condensed rows leave the solution as it is") {
        std::mt19937 random(12);
        for (const int n : {2, 9}) {
            Equations model(fmt::format(R"(
[[body]]
name = "net"
type = "truss"
grid = {{counts = [{0}, {0}], spacing = [0.5, 0.7], diagonals = true}}
young = 1e6
area = 1e-3
density = 500.0
[[body]]
name = "box"
type = "ancf_rigid_body"
size = [1.0, 0.5, 0.2]
density = 100.0
penalty = 1e5
position = [-0.5, 0.0, 0.0]
[[constraint]]
name = "hook"
type = "position"
a = "net@0"
b = "box@[0.5, 0, 0]"
[integrator]
type = "emm"
step = 1e-3
end = 1.0
)",
                                        n));
            RowSet& rows = model.system.parts().rows;
            std::vector<int> first;
            for (const BodyPart& part : model.model.bodies) first.push_back(part.first);
            for (const double h : {1e-4, 1e-2}) {
                const VectorXd s = 1e-3 * random_vector(model.m, random);
                const VectorXd q = model.q() + 1e-2 * random_vector(model.n, random);
                const MatrixXd G = model.stiffness(q, s, true);
                // Compliances over three decades, none for the constraint.
                VectorXd gamma = VectorXd::Zero(model.m);
                for (Index k = 0; k < model.m; ++k)
                    if (rows.laws[k].kind == RowKind::elastic)
                        gamma[k] = 1e-3 * std::pow(10.0, 1.5 * random_vector(1, random)[0]);
                const VectorXd r = random_vector(model.n, random);
                const VectorXd g = 1e-5 * random_vector(model.m, random);
                const auto solve = [&](StepMatrix::Condense condense, VectorXd& x, VectorXd& y) {
                    StepMatrix matrix(static_cast<int>(model.n),
                                      model.system.parts().mass.entries(),
                                      rows,
                                      first,
                                      false,
                                      condense);
                    const VectorXd B_end = 1.001 * rows.B;
                    for (const Tangent tangent : {Tangent::consistent, Tangent::definite}) {
                        REQUIRE(matrix.factorise({rows.B, rows.K, gamma}, B_end, h, tangent));
                        const Index from = tangent == Tangent::consistent ? 0 : 1;
                        matrix.solve({r.data(), std::size_t(model.n)},
                                     {g.data(), std::size_t(model.m)},
                                     {x.data() + from * model.n, std::size_t(model.n)},
                                     {y.data() + from * model.m, std::size_t(model.m)});
                    }
                    return matrix.num_condensed();
                };
                // Backward errors in the system as it is, row by row: rounding. A constraint misses
                // delta s as well, its regularisation, of which K_jj without the elastic rows give
                // an upper bound.
                const MatrixXd B = model.full(rows.B);
                const auto check = [&](StepMatrix::Condense condense, Index num_condensed) {
                    VectorXd x(2 * model.n), y(2 * model.m);
                    CHECK(solve(condense, x, y) == num_condensed);
                    for (Index i = 0; i < 2; ++i) {
                        MatrixXd K = MatrixXd::Zero(model.n + model.m, model.n + model.m);
                        K.topLeftCorner(model.n, model.n) = 2.0 / (h * h) * model.mass() + 0.5 * G;
                        K.topRightCorner(model.n, model.m) = B.transpose();
                        K.bottomLeftCorner(model.m, model.n) = (i == 0 ? 1.001 : 1.0) * B;
                        K.bottomRightCorner(model.m, model.m) = -gamma.asDiagonal().toDenseMatrix();
                        VectorXd solution(model.n + model.m), rhs(model.n + model.m);
                        solution << x.segment(i * model.n, model.n),
                            y.segment(i * model.m, model.m);
                        rhs << r, g;
                        const VectorXd miss = (K * solution - rhs).cwiseAbs();
                        const VectorXd size = K.cwiseAbs() * solution.cwiseAbs() + rhs.cwiseAbs();
                        CAPTURE(i);
                        const VectorXd mobility = K.diagonal().head(model.n).cwiseInverse();
                        // Partial pivoting rounds a row like the largest of all.
                        const double largest =
                            i == 0 ? K.topLeftCorner(model.n, model.n).cwiseAbs().maxCoeff() *
                                         solution.head(model.n).cwiseAbs().maxCoeff()
                                   : 0.0;
                        for (Index k = 0; k < model.n + model.m; ++k) {
                            double delta_s = 0.0;
                            if (k >= model.n && gamma[k - model.n] == 0.0)
                                delta_s = 1e-10 * std::abs(solution[k]) *
                                          B.row(k - model.n).cwiseAbs2().dot(mobility);
                            CAPTURE(k);
                            CHECK(miss[k] <= 1e-14 * (size[k] + largest) + delta_s);
                        }
                    }
                };
                CAPTURE(n);
                CAPTURE(h);
                check(StepMatrix::Condense::never, 0);
                check(StepMatrix::Condense::all, model.m - 3);
            }
        }
    }

    TEST_CASE("rows that are stiff beside the mass stay in the matrix") {
        Equations model(chain(3, {}));
        std::vector<int> first;
        for (const BodyPart& part : model.model.bodies) first.push_back(part.first);
        StepMatrix matrix(static_cast<int>(model.n),
                          model.system.parts().mass.entries(),
                          model.system.parts().rows,
                          first,
                          false,
                          StepMatrix::Condense::all);
        model.evaluate_step(model.q(), VectorXd::Zero(model.n), 0.0, 0.01);
        RowSet& rows = model.system.parts().rows;
        rows.K.setZero();
        for (const double gamma : {1e-20, 1.0}) {
            const VectorXd all = VectorXd::Constant(model.m, gamma);
            matrix.plan({rows.B, rows.K, all}, 0.01);
            CHECK(matrix.num_condensed() == (gamma < 1.0 ? 0 : model.m));
        }
    }

    // T K T^T = K at the attitude T: a corotated factorisation solves as one made there.
    TEST_CASE("a factorisation turns along with a chain and a net that turn as a whole") {
        Equations model(R"(
[[body]]
name = "box"
type = "ancf_rigid_body"
size = [1.0, 0.5, 0.2]
density = 100.0
penalty = 1e5
[[body]]
name = "other"
type = "ancf_rigid_body"
size = [1.0, 0.4, 0.3]
density = 100.0
position = [1.0, 0.0, 0.0]
[[body]]
name = "net"
type = "truss"
grid = {counts = [3, 4], spacing = [0.5, 0.7], diagonals = true}
young = 1e6
area = 1e-3
density = 500.0
[[constraint]]
name = "joint"
type = "position"
a = "box@[0.5, 0, 0]"
b = "other@[-0.5, 0, 0]"
[[constraint]]
name = "root"
type = "position"
a = "box@[-0.5, 0, 0]"
b = "ground@[-0.5, 0, 0]"
[integrator]
type = "emm"
step = 1e-3
end = 1.0
)");
        std::mt19937 random(13);
        RowSet& rows = model.system.parts().rows;
        std::vector<int> first;
        for (const BodyPart& part : model.model.bodies) first.push_back(part.first);
        const double h = 1e-2;
        VectorXd gamma = VectorXd::Zero(model.m);
        for (Index k = 0; k < model.m; ++k) gamma[k] = 2.0 * rows.laws[k].compliance;
        const VectorXd s = 1e-3 * random_vector(model.m, random);
        const VectorXd r = random_vector(model.n, random);
        const VectorXd g = 1e-5 * random_vector(model.m, random);
        const auto factorised_at = [&](const VectorXd& q) {
            model.stiffness(q, s, true);
            auto matrix = std::make_unique<StepMatrix>(
                static_cast<int>(model.n), model.system.parts().mass.entries(), rows, first, false);
            REQUIRE(matrix->factorise({rows.B, rows.K, gamma}, rows.B, h, Tangent::definite));
            return matrix;
        };
        const auto solve = [&](StepMatrix& matrix,
                               const VectorXd& r_,
                               const VectorXd& g_,
                               VectorXd& x,
                               VectorXd& y) {
            x.resize(model.n);
            y.resize(model.m);
            matrix.solve({r_.data(), std::size_t(model.n)},
                         {g_.data(), std::size_t(model.m)},
                         {x.data(), std::size_t(model.n)},
                         {y.data(), std::size_t(model.m)});
        };
        const VectorXd q0 = model.q() + 1e-2 * random_vector(model.n, random);
        const std::unique_ptr<StepMatrix> reference = factorised_at(q0);
        CoRotation turn(
            model.system.parts().space, model.system.parts().mass, rows, static_cast<int>(model.n));
        turn.set_reference(q0);
        CHECK_FALSE(turn.follow(q0));

        VectorXd q = q0;
        const Eigen::Vector3d axis = Eigen::Vector3d(1.0, -2.0, 0.5).normalized();
        for (int k = 1; k <= 40; ++k) {  // 2 rad, about no point in particular
            const Eigen::Matrix3d R(Eigen::AngleAxisd(0.05 * k, axis));
            for (const Space::Vector& v : model.system.parts().space.vectors()) {
                const Eigen::Vector3d at(q0[v.at[0]], q0[v.at[1]], q0[v.at[2]]);
                const Eigen::Vector3d turned =
                    R * at + (v.translates ? 100.0 : 0.0) * Eigen::Vector3d::Ones();
                for (std::size_t c = 0; c < 3; ++c) q[v.at[c]] = turned[static_cast<Index>(c)];
            }
            CHECK(turn.follow(q));
        }
        turn.follow(q);  // the fit trails a moving body by the cube of its last step
        VectorXd x, y, x_there, y_there;
        solve(*factorised_at(q), r, g, x_there, y_there);
        VectorXd r_turned = r;
        VectorXd g_turned = g;
        turn.into_reference({r_turned.data(), std::size_t(model.n)},
                            {g_turned.data(), std::size_t(model.m)});
        solve(*reference, r_turned, g_turned, x, y);
        turn.out_of_reference({x.data(), std::size_t(model.n)}, {y.data(), std::size_t(model.m)});
        CHECK((x - x_there).norm() <= 1e-9 * x.norm());
        CHECK((y - y_there).norm() <= 1e-9 * y.norm());
        // Without it nothing is right.
        solve(*reference, r, g, x, y);
        CHECK((x - x_there).norm() > 0.1 * x.norm());
        turn.give_up();
        CHECK_FALSE(turn.follow(q));
    }

    TEST_CASE("the order of elimination keeps the factor of a chain linear in its length") {
        const auto entries = [](int num_bodies) {
            Equations model(chain(num_bodies, {}));
            std::vector<int> first;
            for (const BodyPart& part : model.model.bodies) first.push_back(part.first);
            StepMatrix matrix(static_cast<int>(model.n),
                              model.system.parts().mass.entries(),
                              model.system.parts().rows,
                              first,
                              false);
            model.evaluate_step(model.q(), VectorXd::Zero(model.n), 0.0, 0.01);
            RowSet& rows = model.system.parts().rows;
            rows.K.setZero();
            const VectorXd gamma = VectorXd::Zero(model.m);
            REQUIRE(matrix.factorise({rows.B, rows.K, gamma}, rows.B, 0.01, Tangent::definite));
            return static_cast<double>(matrix.num_factor_entries()) / num_bodies;
        };
        CHECK(entries(160) <= 1.1 * entries(20));
    }
}

TEST_SUITE("rank of the constraint rows") {
    // Both paths, dense up to 400 rows and sparse beyond, on chains with joints that are there
    // twice: a doubled joint adds three rows and no rank.
    TEST_CASE("doubled joints are found, and without the rows named the rest has full rank") {
        std::mt19937 random(10);
        for (const int num_bodies : {5, 30, 60}) {
            std::set<int> doubled;
            for (int k = 0; k < num_bodies / 5 + 1; ++k)
                doubled.insert(static_cast<int>(random() % static_cast<unsigned>(num_bodies)));
            Equations model(chain(num_bodies, {doubled.begin(), doubled.end()}, 0.3));
            const RowSet::StateValues here = model.at(model.q(), model.v(), 0.0);
            const RankAnalysis rank =
                analyse_rank(model.system.parts().rows, here.A, model.system.parts().mass);
            const int num_redundant = 3 * static_cast<int>(doubled.size());
            CHECK(rank.num_rows == model.m);
            CHECK(rank.rank == model.m - num_redundant);
            CHECK(static_cast<int>(rank.redundant.size()) == num_redundant);
            CHECK(rank.threshold == 1e-10);
            CHECK(rank.smallest_kept > 1e-8);
            CHECK(rank.smallest_kept <= 1.0);
            CHECK(rank.largest_dropped <= 1e-14);
            CHECK_FALSE(rank.is_near_threshold);

            // The rows named are copies of joints that exist twice, and the others are independent.
            MatrixXd A = model.full(here.A);
            for (const int row : rank.redundant) {
                const std::string name = model.system.parts().rows.row_name(row);
                bool is_double = false;
                for (const int k : doubled)
                    is_double |= name.starts_with(fmt::format("constraint \"j{}\"", k)) ||
                                 name.starts_with(fmt::format("constraint \"again{}\"", k));
                CHECK_MESSAGE(is_double, name);
                A.row(row).setZero();
            }
            Eigen::ColPivHouseholderQR<MatrixXd> qr(A.transpose());
            qr.setThreshold(1e-11);
            CHECK(qr.rank() == model.m - num_redundant);
        }
    }

    TEST_CASE("of rows that say the same the later are named") {
        Equations model(chain(3, {1}));
        const RowSet::StateValues here = model.at(model.q(), model.v(), 0.0);
        const RankAnalysis rank =
            analyse_rank(model.system.parts().rows, here.A, model.system.parts().mass);
        REQUIRE(rank.redundant.size() == 3);
        for (std::size_t k = 0; k < 3; ++k)
            CHECK(model.system.parts().rows.row_name(rank.redundant[k]) ==
                  fmt::format("constraint \"again1\", gap {}", k));
    }

    // Two points of a body 1e-5, 1e-10 and 1e-15 m apart, both held: the second one's rows are
    // independent by just that lever.
    TEST_CASE("a pivot next to the threshold is reported as such") {
        const auto analyse = [](const char* lever) {
            Equations model(fmt::format(R"(
[[body]]
name = "box"
type = "ancf_rigid_body"
size = [1.0, 1.0, 1.0]
density = 1.0
[[constraint]]
name = "first"
type = "position"
a = "box@[0, 0, 0]"
b = "ground@[0, 0, 0]"
[[constraint]]
name = "second"
type = "position"
a = "box@[{0}, 0, 0]"
b = "ground@[{0}, 0, 0]"
components = "y"
[integrator]
type = "emm"
step = 1e-3
end = 1.0
)",
                                        lever));
            const RowSet::StateValues here = model.at(model.q(), model.v(), 0.0);
            return analyse_rank(model.system.parts().rows, here.A, model.system.parts().mass);
        };
        const RankAnalysis wide = analyse("1e-5");
        CHECK(wide.rank == 10);
        CHECK_FALSE(wide.is_near_threshold);
        const RankAnalysis narrow = analyse("1e-9");
        CHECK(narrow.rank == 10);
        CHECK(narrow.is_near_threshold);
        // In the metric of M the second row leaves the first by lever * sqrt(m / m_xx), of which
        // the strain e_1.e_2 = 0 takes one of two equal components away.
        CHECK(near(narrow.smallest_kept, 1e-9 * std::sqrt(6.0), 1e-11));
        const RankAnalysis below = analyse("1e-12");
        CHECK(below.rank == 9);
        CHECK(below.is_near_threshold);
        CHECK(near(below.largest_dropped, 1e-12 * std::sqrt(6.0), 1e-14));
    }
}

}  // namespace ancora::testing
