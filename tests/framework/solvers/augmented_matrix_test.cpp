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
        return (found - K.fullPivLu().solve(rhs)).cwiseAbs().maxCoeff();
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
