// SPDX-License-Identifier: BSD-3-Clause
// Sparse factors by supernodes against dense ones and Eigen's column by column.
#include "sparse_ldlt.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <Eigen/Dense>
#include <Eigen/OrderingMethods>
#include <Eigen/SparseCholesky>
#include <doctest/doctest.h>

#include "elimination_tree.hpp"
#include "sparse_matrices.hpp"

namespace ancora::testing {
namespace {

void check_solves(const Sparse& upper, double tolerance = 1e-13) {
    SparseLdlt factor;
    factor.analyse(upper);
    REQUIRE(factor.factorise(upper));
    const Sparse full = upper.selfadjointView<Eigen::Upper>();
    const Eigen::VectorXd x = Eigen::VectorXd::Random(upper.cols());
    Eigen::VectorXd y = full * x;
    factor.solve(y.data());
    CHECK((y - x).norm() <= tolerance * x.norm());

    Eigen::SimplicialLDLT<Sparse, Eigen::Upper, Eigen::NaturalOrdering<int>> reference(full);
    REQUIRE(reference.info() == Eigen::Success);
    const Eigen::VectorXd D = reference.vectorD();
    CHECK((factor.pivots() - D).cwiseQuotient(D).cwiseAbs().maxCoeff() <= 1e-12);

    // In single precision, and the same bits a second time.
    factor.use_single(true);
    REQUIRE(factor.factorise(upper));
    Eigen::VectorXd z = full * x;
    factor.solve(z.data());
    CHECK((z - x).norm() <= 1e-4 * x.norm());
    CHECK((z - x).norm() > 0.0);
    CHECK((factor.pivots() - D).cwiseQuotient(D).cwiseAbs().maxCoeff() <= 1e-4);
    factor.use_single(false);
    REQUIRE(factor.factorise(upper));
    Eigen::VectorXd again = full * x;
    factor.solve(again.data());
    CHECK(again == y);
}

}  // namespace

TEST_SUITE_BEGIN("sparse_ldlt");

TEST_CASE("grids, chains, stars and random graphs in any order") {
    std::mt19937 random(3);
    for (const int block : {1, 2, 3, 7}) {
        CAPTURE(block);
        for (const bool has_rows : {false, true}) {
            check_solves(ordered(matrix_of(12 * 11, grid(12, 11), block, has_rows, 1)));
            check_solves(matrix_of(40, grid(40, 1), block, has_rows, 2));
            Edges star;
            for (int v = 1; v < 30; ++v) star.emplace(0, v);
            check_solves(matrix_of(30, star, block, has_rows, 3));
            check_solves(ordered(matrix_of(30, star, block, has_rows, 3)));
            for (int k = 0; k < 10; ++k) {
                const int vertices = 1 + static_cast<int>(random() % 60);
                Edges edges;
                for (int e = 0; e < 2 * vertices; ++e) {
                    const int a = static_cast<int>(random() % static_cast<unsigned>(vertices));
                    const int b = static_cast<int>(random() % static_cast<unsigned>(vertices));
                    if (a != b) edges.emplace(std::min(a, b), std::max(a, b));
                }
                const Sparse upper = matrix_of(vertices, edges, block, has_rows, random());
                check_solves(upper);
                check_solves(ordered(upper));
            }
        }
    }
}

TEST_CASE("a right-hand side of some trees is zero on the others, and the same bits on its own") {
    std::mt19937 random(11);
    for (int trial = 0; trial < 30; ++trial) {
        CAPTURE(trial);
        // Chains of random length, a forest; every block of unknowns knows its chain.
        const int block = 1 + trial % 4;
        Edges edges;
        std::vector<int> chain_of;
        for (int chain = 0; chain < 6; ++chain)
            for (int k = 1 + static_cast<int>(random() % 9); k > 0; --k) {
                const int v = static_cast<int>(chain_of.size());
                if (v > 0 && chain_of.back() == chain) edges.emplace(v - 1, v);
                chain_of.push_back(chain);
            }
        const Sparse upper =
            matrix_of(static_cast<int>(chain_of.size()), edges, block, trial % 2 == 0, random());
        SparseLdlt factor;
        factor.analyse(upper);
        REQUIRE(factor.factorise(upper));
        Eigen::VectorXd all = Eigen::VectorXd::Random(upper.cols());
        Eigen::VectorXd some = all;
        const auto chosen = static_cast<int>(random() % 6);
        for (int i = 0; i < some.size(); ++i)
            if (chain_of[i / block] != chosen) some[i] = 0.0;
        factor.solve(all.data());
        factor.solve(some.data());
        for (int i = 0; i < some.size(); ++i)
            CHECK(some[i] == (chain_of[i / block] == chosen ? all[i] : 0.0));
    }
}

TEST_CASE("wide panels: a full matrix and one with large separators") {
    Edges all;
    for (int a = 0; a < 60; ++a)
        for (int b = a + 1; b < 60; ++b) all.emplace(a, b);
    check_solves(matrix_of(60, all, 3, true, 5));
    check_solves(ordered(matrix_of(40 * 40, grid(40, 40), 3, false, 6)));
}

TEST_CASE("supernodes hold every entry of the factor and few zeros") {
    const Sparse upper = ordered(matrix_of(40 * 40, grid(40, 40), 3, false, 8));
    const EliminationTree tree(upper);
    const Supernodes supernodes(upper, tree);
    const Sparse full = upper.selfadjointView<Eigen::Upper>();
    const Eigen::SimplicialLDLT<Sparse, Eigen::Upper, Eigen::NaturalOrdering<int>> reference(full);
    const Sparse L = reference.matrixL();
    long held = 0;
    for (int s = 0; s < supernodes.size(); ++s) {
        const std::span<const int> rows = supernodes.rows(s);
        CHECK(std::ranges::is_sorted(rows));
        for (int c = 0; c < supernodes.width(s); ++c) {
            held += supernodes.height(s) - c;
            for (Sparse::InnerIterator it(L, supernodes.first_column(s) + c); it; ++it)
                CHECK(std::ranges::binary_search(rows, static_cast<int>(it.row())));
        }
    }
    CHECK(held >= L.nonZeros());
    CHECK(held <= 1.25 * static_cast<double>(L.nonZeros()));
    CHECK(supernodes.size() < upper.cols() / 5);  // a node alone has 3
    // Columns of equal structure alone make many more.
    int alike = 1;
    for (std::size_t j = 1; j < tree.parent.size(); ++j)
        if (tree.parent[j - 1] != static_cast<int>(j) || tree.count[j - 1] != tree.count[j] + 1)
            ++alike;
    CHECK(supernodes.size() < 0.9 * alike);
}

TEST_CASE("a zero pivot and numbers that are none are told") {
    Sparse upper = ordered(matrix_of(20, grid(5, 4), 3, false, 9));
    SparseLdlt factor;
    factor.analyse(upper);
    REQUIRE(factor.factorise(upper));
    const Sparse good = upper;
    upper.coeffRef(7, 7) = std::numeric_limits<double>::quiet_NaN();
    CHECK_FALSE(factor.factorise(upper));
    upper = good;
    upper.coeffRef(0, 0) = 0.0;
    CHECK_FALSE(factor.factorise(upper));
    REQUIRE(factor.factorise(good));
}

TEST_CASE("the tree's order puts the columns of each subtree together and keeps the fill") {
    const Sparse upper = matrix_of(200, grid(20, 10), 1, false, 10);
    std::vector<int> shuffled(200);
    std::iota(shuffled.begin(), shuffled.end(), 0);
    std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(11));
    const Sparse mixed = permuted(upper, shuffled);
    const EliminationTree before(mixed);
    std::vector<int> place(200);
    std::iota(place.begin(), place.end(), 0);
    REQUIRE(before.put_in_postorder(place));
    const EliminationTree after(permuted(mixed, place));
    CHECK(std::accumulate(before.count.begin(), before.count.end(), 0) ==
          std::accumulate(after.count.begin(), after.count.end(), 0));
    std::vector<int> size(200, 1);
    for (std::size_t j = 0; j < 200; ++j) {
        // The subtree of j ends at j: its last child is j - 1.
        if (size[j] > 1) CHECK(after.parent[j - 1] == static_cast<int>(j));
        if (after.parent[j] >= 0) size[after.parent[j]] += size[j];
    }
    CHECK_FALSE(after.put_in_postorder(place));
}

TEST_SUITE_END();

}  // namespace ancora::testing
