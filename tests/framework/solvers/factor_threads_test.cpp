// SPDX-License-Identifier: BSD-3-Clause
// Large factors in parts: the parts do not touch, and any number of threads gives the same bits.
#include <algorithm>
#include <cfenv>
#include <limits>
#include <random>
#include <vector>

#include <Eigen/SparseCore>
#include <doctest/doctest.h>

#include "factor_parts.hpp"
#include "sparse_ldlt.hpp"
#include "sparse_matrices.hpp"
#include "workers.hpp"

namespace ancora::testing {
namespace {

Supernodes supernodes_of(const Sparse& upper) {
    return {upper, EliminationTree(upper)};
}

/// Some independent grids and a path.
Sparse forest(int count, int side) {
    Edges edges;
    int first = 0;
    for (int k = 0; k < count; ++k, first += side * side)
        for (const auto& [a, b] : grid(side, side)) edges.emplace(first + a, first + b);
    for (int k = 0; k < 50; ++k) edges.emplace(first + k, first + k + 1);
    return ordered(matrix_of(first + 51, edges, 3, true, 4));
}

}  // namespace

TEST_SUITE_BEGIN("factor_threads");

TEST_CASE("parts and separator are all, and no part reaches into another") {
    int most = 0;
    for (const Sparse& upper : {ordered(matrix_of(100 * 100, grid(100, 100), 3, false, 1)),
                                ordered(matrix_of(400 * 30, grid(400, 30), 3, true, 2)),
                                forest(40, 30),
                                ordered(matrix_of(12 * 12, grid(12, 12), 3, false, 3))}) {
        const Supernodes supernodes = supernodes_of(upper);
        const FactorParts parts(supernodes);
        most = std::max(most, static_cast<int>(parts.parts.size()));
        std::vector<int> part_of(static_cast<std::size_t>(supernodes.size()), -2);
        for (const int s : parts.separator) part_of[s] = -1;
        for (std::size_t p = 0; p < parts.parts.size(); ++p)
            for (int s = parts.parts[p].first; s < parts.parts[p].end; ++s) {
                CHECK(part_of[s] == -2);
                part_of[s] = static_cast<int>(p);
            }
        CHECK(std::ranges::count(part_of, -2) == 0);
        CHECK(std::ranges::is_sorted(parts.separator));
        bool touches = false;
        for (int s = 0; s < supernodes.size(); ++s)
            for (const int row : supernodes.rows(s)) {
                const int other = part_of[supernodes.of(row)];
                touches |= other != -1 && other != part_of[s];
            }
        CHECK_FALSE(touches);
        if (supernodes.num_values() < 100'000) CHECK(parts.parts.empty());
    }
    CHECK(most >= 8);
}

TEST_CASE("subtrees of a separator do not reach into each other") {
    const Sparse upper = ordered(matrix_of(220 * 220, grid(220, 220), 3, false, 4));
    const Supernodes supernodes = supernodes_of(upper);
    const FactorParts parts(supernodes);
    REQUIRE(parts.subtrees.size() >= 2);
    constexpr int kBelow = -1;
    constexpr int kTop = -2;
    std::vector<int> limb_of(static_cast<std::size_t>(supernodes.size()), kBelow);
    for (const int s : parts.separator) limb_of[s] = kTop;
    for (std::size_t l = 0; l < parts.subtrees.size(); ++l)
        for (int i = parts.subtrees[l].first; i < parts.subtrees[l].end; ++i) {
            int& subtree = limb_of[parts.separator[i]];
            CHECK(subtree == kTop);
            subtree = static_cast<int>(l);
        }
    CHECK(std::ranges::count(limb_of, kTop) > 0);
    bool touches = false;
    for (const int s : parts.separator)
        for (const int row : supernodes.rows(s)) {
            const int subtree = limb_of[supernodes.of(row)];
            touches |= subtree != kTop && subtree != limb_of[s];
        }
    CHECK_FALSE(touches);
}

TEST_CASE("the same bits with 1 to 7 threads, in double and in single precision") {
    for (const Sparse& upper : {ordered(matrix_of(100 * 100, grid(100, 100), 3, true, 5)),
                                ordered(matrix_of(220 * 220, grid(220, 220), 3, false, 4)),
                                forest(40, 30)}) {
        REQUIRE_FALSE(FactorParts(supernodes_of(upper)).parts.empty());
        const Sparse full = upper.selfadjointView<Eigen::Upper>();
        const Eigen::VectorXd x = Eigen::VectorXd::Random(upper.cols());
        const Eigen::VectorXd f = full * x;
        for (const bool in_single : {false, true}) {
            SparseLdlt alone;
            alone.analyse(upper);
            alone.use_single(in_single);
            REQUIRE(alone.factorise(upper));
            Eigen::VectorXd y = f;
            alone.solve(y.data());
            CHECK((y - x).norm() <= (in_single ? 1e-3 : 1e-12) * x.norm());

            Workers workers;
            SparseLdlt shared;
            shared.use_workers(&workers);
            shared.analyse(upper);
            shared.use_single(in_single);
            // also with more threads than it was factorised with
            for (const int count : {1, 2, 3, 7}) {
                CAPTURE(count);
                Eigen::VectorXd z = f;
                if (count > 1) {
                    workers.resize(count);
                    shared.solve(z.data());
                    CHECK(z == y);
                }
                for (int turn = 0; turn < 3; ++turn) {
                    REQUIRE(shared.factorise(upper));
                    CHECK(shared.pivots() == alone.pivots());
                    z = f;
                    shared.solve(z.data());
                    CHECK(z == y);
                }
            }
        }
    }
}

TEST_CASE("a pivot that is none is told, wherever it stands, and the next matrix is factorised") {
    const Sparse good = ordered(matrix_of(100 * 100, grid(100, 100), 3, false, 6));
    Workers workers;
    workers.resize(3);
    SparseLdlt factor;
    factor.use_workers(&workers);
    factor.analyse(good);
    std::mt19937 random(7);
    for (int turn = 0; turn < 12; ++turn) {
        Sparse bad = good;
        const int at = turn == 0 ? static_cast<int>(bad.cols()) - 1
                                 : static_cast<int>(random() % static_cast<unsigned>(bad.cols()));
        CAPTURE(at);
        bad.coeffRef(at, at) = std::numeric_limits<double>::quiet_NaN();
        CHECK_FALSE(factor.factorise(bad));
        CHECK(factor.factorise(good));
    }
}

TEST_CASE("threads round as the one that calls does") {
    Workers workers;
    workers.resize(3);
    std::vector<int> seen(3);
    for (const int mode : {FE_UPWARD, FE_TONEAREST}) {
        std::fesetround(mode);
        workers.run([&](int k) {
            seen[k] = std::fegetround();
        });
        std::fesetround(FE_TONEAREST);
        CHECK(std::ranges::count(seen, mode) == 3);
    }
}

TEST_CASE("threads come and go, and each does its share once") {
    Workers workers;
    for (const int count : {1, 4, 2, 8, 1, 3}) {
        workers.resize(count);
        CHECK(workers.size() == count);
        for (int turn = 0; turn < 200; ++turn) {
            std::vector<int> done(100, 0);
            std::vector<int> of_thread(static_cast<std::size_t>(count), 0);
            workers.for_each(100, [&](int i, int k) {
                ++done[i];
                ++of_thread[k];
            });
            REQUIRE(std::ranges::count(done, 1) == 100);
            int all = 0;
            for (const int some : of_thread) all += some;
            REQUIRE(all == 100);
        }
    }
}

TEST_SUITE_END();

}  // namespace ancora::testing
