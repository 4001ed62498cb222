// SPDX-License-Identifier: BSD-3-Clause
// The small system of contacts against Eigen's dense decompositions, for matrices of every rank.
#include "small_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <Eigen/Dense>
#include <doctest/doctest.h>

#include "support/dense.hpp"

namespace {

namespace by_eigen = ancora::testing::by_eigen;
using ancora::SmallSolver;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kEps = std::numeric_limits<double>::epsilon();

/// A system with its solution.
struct SmallSystem {
    explicit SmallSystem(const MatrixXd& W, const VectorXd& r, const VectorXd& weights = {}) {
        const auto n = static_cast<int>(W.rows());
        solver.resize(n);
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) solver(i, j) = W(i, j);
            solver.rhs(i) = r[i];
            if (weights.size() > 0 && weights[i] > 0.0) solver.share(i, weights[i]);
        }
        sign = solver.factorise();
        solver.solve();
        x = VectorXd::NullaryExpr(n, [this](Index i) {
            return solver.x(static_cast<int>(i));
        });
    }
    SmallSolver solver;
    int sign = 0;
    VectorXd x;
};

struct Drawn {
    explicit Drawn(unsigned seed) : random(seed) {}
    double uniform(double from, double to) {
        return std::uniform_real_distribution<double>(from, to)(random);
    }
    MatrixXd matrix(Index rows, Index columns) {
        return MatrixXd::NullaryExpr(rows, columns, [this] {
            return uniform(-1.0, 1.0);
        });
    }
    MatrixXd orthogonal(Index n) { return by_eigen::orthonormal_columns(matrix(n, n)); }
    /// Singular values in [least, 1] and zeros; determinants of both signs.
    MatrixXd of_rank(Index n, Index rank, double least) {
        VectorXd values = VectorXd::Zero(n);
        for (Index i = 0; i < rank; ++i) values[i] = std::pow(least, uniform(0.0, 1.0));
        if (uniform(0.0, 1.0) < 0.5) values[0] = -values[0];
        return orthogonal(n) * values.asDiagonal() * orthogonal(n).transpose();
    }
    /// T X of sticking contacts: symmetric, of eigenvalues in [least, 1] and zeros.
    MatrixXd semidefinite(Index n, Index rank, double least) {
        VectorXd values = VectorXd::Zero(n);
        for (Index i = 0; i < rank; ++i) values[i] = std::pow(least, uniform(0.0, 1.0));
        const MatrixXd Q = orthogonal(n);
        return Q * values.asDiagonal() * Q.transpose();
    }
    std::mt19937 random;
};

/// argmin sum w_i x_i^2 among the solutions of W x = r: x = D^-1/2 (W D^-1/2)^+ r.
VectorXd least_weighted(const MatrixXd& W, const VectorXd& r, const VectorXd& weights) {
    const VectorXd scale = weights.cwiseSqrt().cwiseInverse();
    const by_eigen::SingularValues of = by_eigen::singular_values(W * scale.asDiagonal());
    VectorXd y = of.U.transpose() * r;
    for (Index i = 0; i < y.size(); ++i) {
        const double value = of.values[i];
        y[i] = value > 1e-10 * of.values[0] ? y[i] / value : 0.0;
    }
    return scale.cwiseProduct(of.V * y);
}

}  // namespace

TEST_SUITE("small solver") {
    TEST_CASE("regular systems: solution and sign of the determinant") {
        Drawn draw(1);
        int negative = 0;
        for (int trial = 0; trial < 200; ++trial) {
            const Index n = 1 + trial % 9;
            const MatrixXd W = draw.of_rank(n, n, 1e-3);
            const VectorXd r = draw.matrix(n, 1);
            const SmallSystem small(W, r);
            const VectorXd exact = by_eigen::solved(W, r);
            CHECK((small.x - exact).norm() <=
                  1e3 * 10.0 * static_cast<double>(n) * kEps * std::max(1.0, exact.norm()));
            CHECK(small.sign == (W.determinant() > 0.0 ? 1 : -1));
            negative += small.sign < 0 ? 1 : 0;
        }
        CHECK(negative >= 50);
    }

    // A factor of the whole system is no property of it: forces in N or kN.
    TEST_CASE("units of the rows do not count") {
        Drawn draw(2);
        for (int trial = 0; trial < 100; ++trial) {
            const Index n = 1 + trial % 6;
            const Index rank = 1 + (trial / 6) % n;
            const MatrixXd W = draw.semidefinite(n, rank, 0.1);
            const VectorXd r = W * draw.matrix(n, 1);
            const VectorXd ones = VectorXd::Ones(n);
            const SmallSystem small(W, r, ones);
            for (const int power : {-40, 30}) {
                const double factor = std::ldexp(1.0, power);  // exact in every operation
                const SmallSystem other(factor * W, factor * r, ones);
                CHECK(other.sign == small.sign);
                CHECK((other.x - small.x).cwiseAbs().maxCoeff() == 0.0);
            }
        }
    }

    TEST_CASE(
        "a matrix that is singular but for rounding has no sign, and is solved all the same") {
        Drawn draw(3);
        for (int trial = 0; trial < 200; ++trial) {
            const Index n = 2 + trial % 8;
            const Index rank = (trial / 8) % n;
            CAPTURE(n);
            CAPTURE(rank);
            // Small integers: the product is free of rounding, and dependent rows are so exactly.
            const auto integers = [&](Index rows, Index columns) -> MatrixXd {
                return (3.0 * draw.matrix(rows, columns)).array().round();
            };
            const MatrixXd W = integers(n, rank) * integers(rank, n);
            const VectorXd r = W * draw.matrix(n, 1);
            const SmallSystem small(W, r);
            CHECK(small.sign == 0);
            CHECK((W * small.x - r).norm() <= 1e-10 * std::max(1.0, r.norm()));
        }
    }

    // Well away from rounding the sign stays that of the determinant: a law of slip that comes near
    // Painleve's paradox is not called singular before it is.
    TEST_CASE("a determinant that is small and not rounding has its sign") {
        Drawn draw(4);
        for (int trial = 0; trial < 100; ++trial) {
            const Index n = 2 + trial % 5;
            const MatrixXd U = draw.orthogonal(n);
            const MatrixXd V = draw.orthogonal(n);
            VectorXd values = VectorXd::Ones(n);
            values[n - 1] = (trial % 2 == 0 ? 1.0 : -1.0) * 1e-11;
            const MatrixXd W = U * values.asDiagonal() * V.transpose();
            const double sign = U.determinant() * V.determinant() * values[n - 1];
            CHECK(SmallSystem(W, VectorXd::Ones(n)).sign == (sign > 0.0 ? 1 : -1));
        }
    }

    TEST_CASE("shared rows that depend on each other: least sum of weight x^2") {
        Drawn draw(5);
        for (int trial = 0; trial < 200; ++trial) {
            const Index n = 1 + trial % 9;
            const Index rank = 1 + (trial / 9) % n;
            CAPTURE(n);
            CAPTURE(rank);
            const MatrixXd W = draw.semidefinite(n, rank, 1e-2);
            const VectorXd r = W * draw.matrix(n, 1);
            VectorXd weights(n);
            for (Index i = 0; i < n; ++i) weights[i] = std::pow(10.0, draw.uniform(-2.0, 0.0));
            const SmallSystem small(W, r, weights);
            const VectorXd least = least_weighted(W, r, weights);
            CHECK(small.sign == 1);
            // Forces along null directions are the round-off of W x over the smallest
            // regularisation, 1e-6 of a diagonal entry and weight.
            const double open = 1e-6 * 1e-2 * W.diagonal().maxCoeff();
            CHECK((W * small.x - r).norm() <= 1e-12 * least.norm());
            CHECK((small.x - least).norm() <=
                  10.0 * static_cast<double>(n) * kEps / open * least.norm());
        }
    }

    // What the regularisation adds is taken out of the independent directions, whatever its size.
    TEST_CASE("shared rows that are independent are solved as if they were not shared") {
        Drawn draw(6);
        for (int trial = 0; trial < 100; ++trial) {
            const Index n = 1 + trial % 6;
            const MatrixXd W = draw.semidefinite(n, n, 1e-3);
            const VectorXd x = draw.matrix(n, 1);
            for (const double share : {1e-8, 1e-6}) {
                SmallSolver solver;
                solver.resize(static_cast<int>(n));
                solver.set_regularisation(share);
                for (int i = 0; i < n; ++i) {
                    for (int j = 0; j < n; ++j) solver(i, j) = W(i, j);
                    solver.rhs(i) = W.row(i).dot(x);
                    solver.share(i, 1.0);
                }
                CHECK(solver.factorise() == 1);
                solver.solve();
                for (int i = 0; i < n; ++i) CHECK(std::abs(solver.x(i) - x[i]) <= 1e-11);
            }
        }
    }

    // Rows that slip stand beside shared ones: these may be open, the sign is that of the others.
    TEST_CASE("the sign of slipping rows is seen beside sticking ones that are open") {
        Drawn draw(7);
        for (int trial = 0; trial < 100; ++trial) {
            const Index stick = 2 + trial % 3;
            const MatrixXd S = draw.semidefinite(stick, stick - 1, 0.1);
            MatrixXd W = MatrixXd::Zero(stick + 2, stick + 2);
            W.topLeftCorner(stick, stick) = S;
            W.bottomRightCorner(2, 2) = draw.of_rank(2, 2, 0.1);
            W.block(stick, 0, 2, stick) = draw.matrix(2, stick);  // changes no determinant
            const double sign = W.bottomRightCorner(2, 2).determinant();
            VectorXd weights = VectorXd::Ones(stick + 2);
            weights.tail(2).setZero();
            const VectorXd r = W * draw.matrix(stick + 2, 1);
            CHECK(SmallSystem(W, r, weights).sign == (sign > 0.0 ? 1 : -1));
            // And a law of slip without a single solution is not regularised away.
            W.row(stick + 1) = W.row(stick);
            CHECK(SmallSystem(W, r, weights).sign == 0);
        }
    }
}
