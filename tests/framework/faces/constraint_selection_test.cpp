// SPDX-License-Identifier: BSD-3-Clause
// The choice among dependent rows and what those left out bear, against dense decompositions.
#include "constraint_selection.hpp"

#include <algorithm>
#include <cstddef>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "assembly.hpp"
#include "framework/models.hpp"
#include "support/dense.hpp"

namespace ancora::testing {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd drawn(Index size, std::mt19937& random) {
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    return VectorXd::NullaryExpr(size, [&] {
        return uniform(random);
    });
}

/// Particles of several masses in heaps that have nothing to do with each other, each with more
/// rows than it has directions: pi = n . (r_a - r_b) between two of a heap, or to the ground.
std::string heaps_of_particles(
    int heaps, int particles, int rows, bool to_ground, std::mt19937& random) {
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    std::string text = "[integrator]\ntype = \"emm\"\nstep = 1e-3\nend = 1.0\n";
    for (int heap = 0; heap < heaps; ++heap) {
        for (int p = 0; p < particles; ++p)
            text += fmt::format(
                "[[body]]\nname = \"p{}_{}\"\ntype = \"particle\"\nmass = {}\nposition = [{}, {}, "
                "{}]\n",
                heap,
                p,
                0.2 + (uniform(random) + 1.0) * (p % 3 == 0 ? 10.0 : 1.0),
                heap,
                p,
                uniform(random));
        for (int k = 0; k < rows; ++k) {
            // Neighbours, so that every particle is held and long heaps stay sparse.
            const int a = k % particles;
            const int b = (a + 1 + (k / particles) % 2) % particles;
            const bool is_grounded = to_ground && k % 3 == 0;
            const double length = 0.3 + 2.0 * std::abs(uniform(random));
            text += fmt::format(
                "[[constraint]]\nname = \"c{}_{}\"\ntype = \"test_spring\"\naxis = [{}, {}, {}]\n"
                "a = \"p{}_{}@0\"\nb = \"{}\"\n",
                heap,
                k,
                length * uniform(random),
                length * uniform(random),
                length * uniform(random),
                heap,
                a,
                is_grounded || a == b ? "ground@[0, 0, 0]" : fmt::format("p{}_{}@0", heap, b));
        }
        // Rows that are no constraints are none of this.
        text += fmt::format(
            "[[constraint]]\nname = \"e{0}\"\ntype = \"test_spring\"\nlaw = \"elastic\"\naxis = "
            "[1, 1, 1]\na = \"p{0}_0@0\"\nb = \"ground@[0, 0, 0]\"\n",
            heap);
    }
    return text;
}

struct DependentRows {
    explicit DependentRows(const std::string& text)
        : model(manifest(text), plugins.registry),
          parts(model),
          independent(parts.rows, parts.laws, parts.mass),
          q(VectorXd::Zero(parts.n)),
          v(q) {
        parts.read_start(q.data(), v.data());
        parts.rows.evaluate(q.data(), v.data(), 0.0, instant);
        for (int k = 0; k < parts.m; ++k)
            if (parts.laws.is_constraint(k)) rows.push_back(k);
    }
    /// A step with the rows that stay, which sets B.
    void evaluate_step(const VectorXd& dq) {
        const VectorXd mid = q + 0.5 * dq;
        std::vector<double> state0(static_cast<std::size_t>(parts.rows.num_state)), state1(state0);
        parts.rows.evaluate_step(q.data(), dq.data(), mid.data(), 0.0, 1e-3, state0, state1);
    }
    /// Constraint rows scaled as theory (5) has it: A_k M^-1/2 over its length D_k^1/2.
    MatrixXd scaled(const VectorXd& values) const {
        MatrixXd out = MatrixXd::Zero(static_cast<Index>(rows.size()), parts.n);
        for (std::size_t r = 0; r < rows.size(); ++r)
            for (int e = parts.rows.row_begin(rows[r]); e < parts.rows.row_end(rows[r]); ++e) {
                const int i = parts.rows.column_of(e);
                out(static_cast<Index>(r), i) += values[e] * std::sqrt(parts.inverse_mass[i]);
            }
        return out;
    }

    Plugins plugins;
    Model model;
    Assembly parts;
    ConstraintSelection independent;
    VectorXd q, v;
    RowSet::StateValues instant;
    std::vector<int> rows;  // constraints
};

constexpr double kNoPivot = 1e-10;

/// The least-norm x with N^T x = f, for rows N of unit length.
VectorXd least_norm(const MatrixXd& N, const VectorXd& f) {
    return by_eigen::least_squares(N.transpose(), f);
}

struct Heaps {
    int heaps, particles, rows;
    bool to_ground;
};
constexpr Heaps kHeaps[] = {{1, 1, 5, true},
                            {1, 4, 18, true},
                            {1, 4, 18, false},
                            {3, 2, 11, true},
                            {4, 3, 12, false},
                            {2, 5, 9, false}};

}  // namespace

TEST_SUITE("independent rows") {
    TEST_CASE("as many rows stay as the rank, and they say as much as all of them") {
        std::mt19937 random(1);
        for (const Heaps& of : kHeaps)
            for (int trial = 0; trial < 5; ++trial) {
                DependentRows model(
                    heaps_of_particles(of.heaps, of.particles, of.rows, of.to_ground, random));
                const MatrixXd all = model.scaled(model.instant.A).rowwise().normalized();
                const Index rank = by_eigen::rank_of(all, kNoPivot);
                VectorXd pi = drawn(model.parts.m, random);
                model.independent.choose(model.instant.A, pi);
                const std::vector<int>& left = model.independent.dropped();
                CHECK(static_cast<Index>(model.rows.size() - left.size()) == rank);
                CHECK(std::ranges::is_sorted(left));
                CHECK(std::ranges::includes(model.rows, left));
                MatrixXd kept(rank, model.parts.n);
                Index next = 0;
                for (std::size_t r = 0; r < model.rows.size(); ++r)
                    if (!std::ranges::binary_search(left, model.rows[r]))
                        kept.row(next++) = all.row(static_cast<Index>(r));
                CHECK(by_eigen::rank_of(kept, kNoPivot) == rank);
                // And not by a hair: beside the least singular value of all rows.
                const VectorXd of_all = by_eigen::singular_values(all).values;
                const VectorXd of_kept = by_eigen::singular_values(kept).values;
                CHECK(of_kept[rank - 1] * 10.0 * static_cast<double>(rank) >= of_all[rank - 1]);
                // The same choice again changes nothing.
                CHECK_FALSE(model.independent.choose(model.instant.A, pi));
            }
    }

    TEST_CASE("shared stresses make the same force and have the least norm") {
        std::mt19937 random(2);
        for (const Heaps& of : kHeaps)
            for (int trial = 0; trial < 5; ++trial) {
                DependentRows model(
                    heaps_of_particles(of.heaps, of.particles, of.rows, of.to_ground, random));
                VectorXd pi = VectorXd::Zero(model.parts.m);
                model.independent.choose(model.instant.A, pi);
                const MatrixXd full = model.scaled(model.instant.A);
                const VectorXd length = full.rowwise().norm();
                model.evaluate_step(0.1 * drawn(model.parts.n, random));
                model.independent.prepare_minimum_norm();
                VectorXd s = drawn(model.parts.m, random);
                for (const int k : model.independent.dropped()) s[k] = 0.0;
                VectorXd before(full.rows());
                for (Index r = 0; r < full.rows(); ++r) before[r] = s[model.rows[r]];
                const VectorXd exact =
                    least_norm(full.rowwise().normalized(), full.transpose() * before)
                        .cwiseQuotient(length);
                VectorXd shared = s;
                model.independent.share(shared.data());
                for (Index r = 0; r < full.rows(); ++r) {
                    CHECK(
                        near(shared[model.rows[r]], exact[r], 1e-10 * exact.cwiseAbs().maxCoeff()));
                    s[model.rows[r]] = shared[model.rows[r]];
                }
                CHECK((shared - s).cwiseAbs().maxCoeff() == 0.0);  // of other rows
                // What is shared once is shared.
                model.independent.share(s.data());
                CHECK((shared - s).cwiseAbs().maxCoeff() <= 1e-12 * shared.cwiseAbs().maxCoeff());
            }
    }

    // More rows than are written out as a dense matrix.
    TEST_CASE("many rows share by conjugate gradients what few share by a factorisation") {
        std::mt19937 random(3);
        DependentRows model(heaps_of_particles(1, 150, 460, true, random));
        VectorXd pi = VectorXd::Zero(model.parts.m);
        model.independent.choose(model.instant.A, pi);
        const MatrixXd full = model.scaled(model.instant.A);
        CHECK(static_cast<Index>(model.rows.size() - model.independent.dropped().size()) ==
              by_eigen::rank_of(full.rowwise().normalized(), kNoPivot));
        REQUIRE(model.rows.size() - model.independent.dropped().size() > 400);
        REQUIRE(!model.independent.dropped().empty());
        model.evaluate_step(0.1 * drawn(model.parts.n, random));
        model.independent.prepare_minimum_norm();
        VectorXd s = drawn(model.parts.m, random);
        for (const int k : model.independent.dropped()) s[k] = 0.0;
        VectorXd before(full.rows());
        for (Index r = 0; r < full.rows(); ++r) before[r] = s[model.rows[r]];
        const VectorXd exact = least_norm(full.rowwise().normalized(), full.transpose() * before)
                                   .cwiseQuotient(full.rowwise().norm());
        model.independent.share(s.data());
        VectorXd error(full.rows());
        for (Index r = 0; r < full.rows(); ++r) error[r] = s[model.rows[r]] - exact[r];
        CHECK(error.cwiseAbs().maxCoeff() <= 1e-8 * exact.cwiseAbs().maxCoeff());
    }

    // pi_1 = pi_0 + B dq + tau (theory (12)), never recomputed from q.
    TEST_CASE(
        "gaps are carried where they are: by the choice while a row is out, else by the caller") {
        std::mt19937 random(4);
        DependentRows model(heaps_of_particles(2, 3, 14, true, random));
        const VectorXd start = drawn(model.parts.m, random);
        VectorXd carried = start;  // of all rows, by hand
        VectorXd pi = start;
        model.independent.choose(model.instant.A, pi);
        std::set<int> ever;
        for (int step = 0; step < 10; ++step) {
            const VectorXd dq = 0.01 * drawn(model.parts.n, random);
            const std::vector<int> left = model.independent.dropped();
            ever.insert(left.begin(), left.end());
            model.evaluate_step(dq);
            for (const int k : model.rows) {
                double increment = 0.0;
                for (int e = model.parts.rows.row_begin(k); e < model.parts.rows.row_end(k); ++e)
                    increment += model.instant.A[e] * dq[model.parts.rows.column_of(e)];
                carried[k] += increment;
                if (std::ranges::binary_search(left, k)) {
                    CHECK(pi[k] == 0.0);
                    CHECK(near(model.independent.dropped_row_residual(k), carried[k], 1e-14));
                } else {
                    pi[k] += increment;
                }
            }
            model.independent.accept();
            // Another Jacobian asks for another choice.
            VectorXd A = model.instant.A;
            for (Index e = 0; e < A.size(); ++e) A[e] *= 1.0 + 0.9 * drawn(1, random)[0];
            model.independent.choose(A, pi);
            for (const int k : model.rows)
                if (!std::ranges::binary_search(model.independent.dropped(), k))
                    CHECK(near(pi[k], carried[k], 1e-13));
        }
        CHECK(ever.size() > model.independent.dropped().size());
        model.independent.forget();
        CHECK(model.independent.all());
    }

    TEST_CASE("a row left out opens where it leaves the others by more than rounding") {
        std::mt19937 random(5);
        for (const double extent : {1e-3, 1.0, 1e3})
            for (const double at_start : {0.0, 1e-6}) {
                DependentRows model(heaps_of_particles(1, 2, 9, true, random));
                VectorXd pi = VectorXd::Constant(model.parts.m, at_start * extent);
                model.independent.choose(model.instant.A, pi);
                model.evaluate_step(VectorXd::Zero(model.parts.n));
                const std::vector<int> left = model.independent.dropped();
                REQUIRE(left.size() >= 2);
                // What it may do grows with the model and with the gap that it had.
                const double allowed = extent * (1e-9 + 10.0 * at_start);
                CHECK(model.independent.violated_dropped_row(extent) == -1);
                model.parts.rows.set_dropped_increment(0, 0.1 * allowed);
                CHECK(model.independent.violated_dropped_row(extent) == -1);
                model.parts.rows.set_dropped_increment(0, 10.0 * allowed);
                CHECK(model.independent.violated_dropped_row(extent) == left[0]);
                // The one that opens most.
                model.parts.rows.set_dropped_increment(1, -20.0 * allowed);
                CHECK(model.independent.violated_dropped_row(extent) == left[1]);
            }
    }

    // A motion along which all rows depend on each other: none is violated. One in which the kept
    // rows stay closed and another does not: that one is reported.
    TEST_CASE("a motion that meets the rows that stay closes the others too") {
        std::mt19937 random(6);
        for (int trial = 0; trial < 20; ++trial) {
            DependentRows model(heaps_of_particles(2, 3, 8, false, random));
            VectorXd pi = VectorXd::Zero(model.parts.m);
            model.independent.choose(model.instant.A, pi);
            if (model.independent.all()) continue;
            const MatrixXd full = model.scaled(model.instant.A);
            const MatrixXd free = by_eigen::null_space(full, kNoPivot);
            VectorXd dq = free * drawn(free.cols(), random);
            dq = dq.cwiseProduct(model.parts.inverse_mass.cwiseSqrt());
            model.evaluate_step(dq);
            CHECK(model.independent.violated_dropped_row(1.0) == -1);
        }
    }
}

}  // namespace ancora::testing
