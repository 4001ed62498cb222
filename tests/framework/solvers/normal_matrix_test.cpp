// SPDX-License-Identifier: BSD-3-Clause
// Normal matrices of random sparse rows against dense ones.
#include "normal_matrix.hpp"

#include <cmath>
#include <random>
#include <vector>

#include <Eigen/Core>
#include <doctest/doctest.h>

#include "dense.hpp"

using namespace ancora;

namespace {

struct Rows {
    int size;
    std::vector<std::vector<int>> columns;
    std::vector<std::vector<double>> entries;
    std::vector<double> weight;

    /// Chains and trees, as of the nodes of beams; with `hole` the last two coordinates are seen
    /// by their sum alone.
    Rows(std::mt19937& random, int n, bool hole) : size(n) {
        std::uniform_real_distribution<double> uniform(-1.0, 1.0);
        for (int i = 0; i < n; ++i)
            for (int twice = 0; twice < 2; ++twice) {
                std::vector<int> at{i};
                if (i > 0) at.push_back(std::uniform_int_distribution<int>(i / 2, i - 1)(random));
                std::vector<double> a;
                for (std::size_t k = 0; k < at.size(); ++k) a.push_back(uniform(random));
                if (hole && i >= n - 2) {
                    at = {n - 2, n - 1};
                    a = {a[0], a[0]};
                }
                columns.push_back(at);
                entries.push_back(a);
                weight.push_back(1.0 + uniform(random) * 0.9);
            }
    }
    Eigen::MatrixXd dense() const {
        Eigen::MatrixXd N = Eigen::MatrixXd::Zero(size, size);
        for (std::size_t k = 0; k < columns.size(); ++k)
            for (std::size_t i = 0; i < columns[k].size(); ++i)
                for (std::size_t j = 0; j < columns[k].size(); ++j)
                    N(columns[k][i], columns[k][j]) += weight[k] * entries[k][i] * entries[k][j];
        return N;
    }
    void put_into(NormalMatrix& N) const {
        N.clear();
        for (std::size_t k = 0; k < columns.size(); ++k)
            N.add(static_cast<int>(k), weight[k], entries[k]);
    }
};

}  // namespace

TEST_SUITE("normal matrix") {
    TEST_CASE("sums, solutions and the least eigenvalue are those of the dense matrix") {
        std::mt19937 random(3);
        for (const int size : {1, 2, 5, 17, 60})
            for (int k = 0; k < 20; ++k) {
                CAPTURE(size);
                const Rows rows(random, size, false);
                const Eigen::MatrixXd dense = rows.dense();
                NormalMatrix N(size, rows.columns);
                rows.put_into(N);
                CHECK((N.dense() - dense).cwiseAbs().maxCoeff() <= 1e-15);
                const Eigen::VectorXd values = symmetric_eigenvalues(dense);
                CHECK(N.largest() >= values[size - 1]);
                CHECK(N.largest() <= 10.0 * values[size - 1]);
                const NormalMatrix::Least least = N.least();
                CHECK(least.value >= values[0] - 1e-15);
                CHECK(least.value <= 1.2 * values[0] + 1e-13);
                CHECK(std::abs(least.direction.norm() - 1.0) <= 1e-12);
                CHECK(std::abs(least.direction.dot(dense * least.direction) - least.value) <=
                      1e-14);
                if (values[0] < 1e-6) continue;
                const Eigen::VectorXd wanted = Eigen::VectorXd::NullaryExpr(size, [&] {
                    return std::uniform_real_distribution<double>(-1.0, 1.0)(random);
                });
                Eigen::VectorXd x = dense * wanted;
                REQUIRE(N.factorise());
                N.solve(x.data());
                CHECK((x - wanted).cwiseAbs().maxCoeff() <= 1e-14 / values[0]);
            }
    }

    TEST_CASE("a direction that no row sees is found") {
        std::mt19937 random(5);
        for (const int size : {2, 5, 17, 300}) {
            CAPTURE(size);
            const Rows rows(random, size, true);
            NormalMatrix N(size, rows.columns);
            rows.put_into(N);
            const NormalMatrix::Least least = N.least();
            CHECK(std::abs(least.value) <= 1e-14);
            CHECK(std::abs(std::abs(least.direction[size - 1]) - std::sqrt(0.5)) <= 1e-6);
            CHECK(std::abs(least.direction[size - 1] + least.direction[size - 2]) <= 1e-6);
        }
    }
}
