// SPDX-License-Identifier: BSD-3-Clause
// Systems with constraints and an unsymmetric leading block, dense and sparse, against full
// pivoting.
#include "augmented_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <vector>

#include <Eigen/Dense>
#include <doctest/doctest.h>

#include "support/dense.hpp"

namespace ancora {
namespace {

/// n coordinates in a band, m conditions on four neighbours each.
struct Problem {
    Problem(int num_coordinates, int num_conditions) : n(num_coordinates), m(num_conditions) {
        std::mt19937 random(7);
        std::normal_distribution<double> normal;
        S.setZero(n, n);
        A.setZero(m, n);
        S_start.push_back(0);
        for (int i = 0; i < n; ++i) {
            for (int j = std::max(0, i - 2); j <= std::min(n - 1, i + 2); ++j) {
                S(i, j) = normal(random) + (i == j ? 8.0 : 0.0);
                S_column.push_back(j);
                S_value.push_back(S(i, j));
            }
            S_start.push_back(static_cast<int>(S_column.size()));
        }
        A_start.push_back(0);
        for (int k = 0; k < m; ++k) {
            for (int j = 3 * k; j < 3 * k + 4; ++j) {
                A(k, j) = normal(random);
                A_column.push_back(j);
                A_value.push_back(A(k, j));
            }
            A_start.push_back(static_cast<int>(A_column.size()));
        }
        r = Eigen::VectorXd::Random(n);
        g = Eigen::VectorXd::Random(m);
    }
    /// Makes S symmetric, positive definite for a shift of 0.
    void mirror(double shift = 0.0) {
        S = (0.5 * (S + S.transpose())).eval();
        S.diagonal().array() -= shift;
        read_S();
    }
    void read_S() {
        std::size_t e = 0;
        for (int i = 0; i < n; ++i)
            for (int j = std::max(0, i - 2); j <= std::min(n - 1, i + 2); ++j)
                S_value[e++] = S(i, j);
    }
    AugmentedMatrix matrix() const { return {S_start, S_column, A_start, A_column}; }
    /// Largest difference from the solution without the conditions left out.
    double error(AugmentedMatrix& matrix, const std::vector<char>& is_dropped) const {
        Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n + m, n + m);
        Eigen::VectorXd rhs(n + m), found(n + m);
        K.topLeftCorner(n, n) = S;
        K.bottomLeftCorner(m, n) = A;
        K.topRightCorner(n, m) = -A.transpose();
        rhs << r, g;
        for (int k = 0; k < m; ++k) {
            if (is_dropped[k] == 0) continue;
            K.row(n + k).setZero();
            K.col(n + k).setZero();
            K(n + k, n + k) = 1.0;
            rhs[n + k] = 0.0;
        }
        const auto span = [](double* x, int count) {
            return std::span<double>(x, static_cast<std::size_t>(count));
        };
        matrix.solve({r.data(), static_cast<std::size_t>(n)},
                     {g.data(), static_cast<std::size_t>(m)},
                     span(found.data(), n),
                     span(found.data() + n, m));
        return (found - testing::by_eigen::solved(K, rhs)).cwiseAbs().maxCoeff();
    }

    int n, m;
    Eigen::MatrixXd S, A;
    Eigen::VectorXd r, g;
    std::vector<int> S_start, S_column, A_start, A_column;
    std::vector<double> S_value, A_value;
};

TEST_SUITE("augmented matrix") {
    TEST_CASE("dense and sparse systems are solved, with conditions left out") {
        for (const int conditions : {10, 60}) {  // 50 unknowns and 300
            CAPTURE(conditions);
            const Problem problem(4 * conditions, conditions);
            AugmentedMatrix matrix = problem.matrix();
            std::vector<char> is_dropped(static_cast<std::size_t>(conditions), 0);
            REQUIRE(
                matrix.factorise(problem.S_value, problem.A_value, problem.A_value, is_dropped));
            CHECK(problem.error(matrix, is_dropped) <= 1e-11);
            is_dropped[3] = is_dropped[7] = 1;
            REQUIRE(
                matrix.factorise(problem.S_value, problem.A_value, problem.A_value, is_dropped));
            CHECK(problem.error(matrix, is_dropped) <= 1e-11);
        }
    }

    TEST_CASE("symmetric systems, definite or not, are solved alike") {
        for (const double shift : {0.0, 8.0})
            for (const int conditions : {0, 60}) {
                CAPTURE(shift);
                CAPTURE(conditions);
                Problem problem(240, conditions);
                problem.mirror(shift);
                AugmentedMatrix matrix = problem.matrix();
                std::vector<char> is_dropped(static_cast<std::size_t>(conditions), 0);
                for (int turn = 0; turn < 2; ++turn) {
                    REQUIRE(matrix.factorise(
                        problem.S_value, problem.A_value, problem.A_value, is_dropped));
                    CHECK(problem.error(matrix, is_dropped) <= 1e-11);
                    if (conditions > 0) is_dropped[3] = is_dropped[7] = 1;
                }
            }
    }

    TEST_CASE("what differs by more than rounding from its mirror image is not symmetric") {
        Problem problem(240, 60);
        problem.mirror();
        for (int i = 0; i + 1 < problem.n; ++i) problem.S(i, i + 1) *= 1.0 + 1e-11;
        problem.read_S();
        AugmentedMatrix matrix = problem.matrix();
        const std::vector<char> is_dropped(60, 0);
        REQUIRE(matrix.factorise(problem.S_value, problem.A_value, problem.A_value, is_dropped));
        CHECK(problem.error(matrix, is_dropped) <= 1e-13);
    }

    // A condition holds what stiffness alone would leave next to free.
    TEST_CASE("a condition keeps its digits where its coordinates have small pivots") {
        Problem problem(240, 60);
        problem.mirror();
        for (int i = 0; i < problem.n; ++i)
            for (int j = 0; j < problem.n; ++j)
                if (i != j && (i < 4 || j < 4)) problem.S(i, j) = 0.0;
        for (int i = 0; i < 4; ++i) problem.S(i, i) = 1.0;
        problem.S(0, 1) = problem.S(1, 0) = 1.0 - 1e-10;
        problem.read_S();
        AugmentedMatrix matrix = problem.matrix();
        const std::vector<char> is_dropped(60, 0);
        REQUIRE(matrix.factorise(problem.S_value, problem.A_value, problem.A_value, is_dropped));
        CHECK(problem.error(matrix, is_dropped) <= 1e-11);
    }

    // Two coordinates; the second has no mass, and bears on its diagonal next to nothing.
    TEST_CASE("a diagonal that vanishes is no scale") {
        for (const double diagonal : {1e-3, 1e-17, 0.0, -1e-40}) {
            CAPTURE(diagonal);
            AugmentedMatrix matrix(
                std::vector{0, 1, 2}, std::vector{0, 1}, std::vector{0, 2}, std::vector{0, 1});
            REQUIRE(matrix.factorise(
                std::vector{3e4, diagonal}, std::vector{1.0, 2.0}, std::vector{1.0, 2.0}, {0}));
            std::vector<double> x(2), y(1);
            matrix.solve(std::vector{3e4, diagonal}, std::vector{3.0}, x, y);
            CHECK(std::abs(x[0] - 1.0) <= 1e-12);
            CHECK(std::abs(x[1] - 1.0) <= 1e-12);
            CHECK(std::abs(y[0]) <= 1e-8);
        }
    }

    TEST_CASE("values that are not finite have no factors") {
        AugmentedMatrix matrix(
            std::vector{0, 1}, std::vector{0}, std::vector<int>{0}, std::vector<int>{});
        CHECK_FALSE(matrix.factorise(
            std::vector{std::nan("")}, std::vector<double>{}, std::vector<double>{}, {}));
        CHECK_FALSE(matrix.is_factorised());
    }
}

}  // namespace
}  // namespace ancora
