// SPDX-License-Identifier: BSD-3-Clause
// Velocities of massless coordinates against dense least squares, and what nothing determines
// against the null space of the rows.
#include "massless.hpp"

#include <cmath>
#include <cstddef>
#include <random>
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

/// A row n . (r_a - r_b) between two particles, or to the ground.
struct TiedRow {
    int a, b;           ///< -1: the ground
    double compliance;  ///< 0: a constraint
    Eigen::Vector3d axis;
};

struct MasslessModel {
    MasslessModel(const std::vector<bool>& has_mass, const std::vector<TiedRow>& ties)
        : model(manifest(text(has_mass, ties)), plugins.registry),
          parts(model),
          massless(parts.mass, parts.rows, parts.space, parts.n) {
        VectorXd q(parts.n), v(parts.n);
        parts.read_start(q.data(), v.data());
        parts.rows.evaluate(q.data(), v.data(), 0.0, instant);
        A = MatrixXd::Zero(parts.m, parts.n);
        for (int k = 0; k < parts.m; ++k)
            for (int e = parts.rows.row_begin(k); e < parts.rows.row_end(k); ++e)
                A(k, parts.rows.column_of(e)) += instant.A[e];
        for (int i = 0; i < parts.n; ++i) (parts.mass.is_massless(i) ? light : heavy).push_back(i);
        for (int k = 0; k < parts.m; ++k)
            (parts.laws.is_constraint(k) ? constraints : elastic).push_back(k);
    }
    static std::string text(const std::vector<bool>& has_mass, const std::vector<TiedRow>& ties) {
        std::string out = "[integrator]\ntype = \"emm\"\nstep = 1e-3\nend = 1.0\n";
        for (std::size_t p = 0; p < has_mass.size(); ++p)
            out += fmt::format(
                "[[body]]\nname = \"p{0}\"\ntype = \"particle\"\nmass = {1}\n"
                "position = [{0}, 0, 0]\n",
                p,
                has_mass[p] ? "2.0" : "[[1, 0, 0], [0, 0, 0], [0, 0, 0]]");
        for (std::size_t k = 0; k < ties.size(); ++k) {
            const TiedRow& tie = ties[k];
            out += fmt::format(
                "[[constraint]]\nname = \"c{}\"\ntype = \"test_spring\"\naxis = [{}, {}, {}]\na = "
                "\"p{}@0\"\nb = \"{}\"\n",
                k,
                tie.axis[0],
                tie.axis[1],
                tie.axis[2],
                tie.a,
                tie.b < 0 ? "ground@[0, 0, 0]" : fmt::format("p{}@0", tie.b));
            if (tie.compliance > 0.0)
                out += fmt::format("law = \"elastic\"\ncompliance = {}\n", tie.compliance);
        }
        return out;
    }
    MatrixXd of(const std::vector<int>& rows, const std::vector<int>& columns) const {
        MatrixXd out(static_cast<Index>(rows.size()), static_cast<Index>(columns.size()));
        for (Index r = 0; r < out.rows(); ++r)
            for (Index c = 0; c < out.cols(); ++c)
                out(r, c) =
                    A(rows[static_cast<std::size_t>(r)], columns[static_cast<std::size_t>(c)]);
        return out;
    }
    /// A_m v_m + pi_t of some rows.
    VectorXd known(const std::vector<int>& rows, const VectorXd& v, const VectorXd& pi_t) const {
        VectorXd out(static_cast<Index>(rows.size()));
        for (std::size_t r = 0; r < rows.size(); ++r) {
            double sum = pi_t[rows[r]];
            for (const int i : heavy) sum += A(rows[r], i) * v[i];
            out[static_cast<Index>(r)] = sum;
        }
        return out;
    }
    VectorXd reset(VectorXd v, const VectorXd& pi_t) {
        massless.reset(instant.A, pi_t, v.data());
        return v;
    }

    Plugins plugins;
    Model model;
    Assembly parts;
    Massless massless;
    RowSet::StateValues instant;
    MatrixXd A;
    std::vector<int> light, heavy, constraints, elastic;
};

struct DrawnTies {
    std::mt19937 random{1};
    double uniform(double from, double to) {
        return std::uniform_real_distribution<double>(from, to)(random);
    }
    int below(int end) { return std::uniform_int_distribution<int>(0, end - 1)(random); }
    VectorXd vector(Index size) {
        return VectorXd::NullaryExpr(size, [this] {
            return uniform(-1.0, 1.0);
        });
    }
    TiedRow tie(int a, int particles, double compliance) {
        const int b = below(3) == 0 ? -1 : (a + 1) % particles;
        return {a, b == a ? -1 : b, compliance, 2.0 * vector(3)};
    }
};

double largest_error(const MasslessModel& model, const VectorXd& v, const VectorXd& exact) {
    double error = 0.0;
    for (std::size_t i = 0; i < model.light.size(); ++i)
        error = std::max(error, std::abs(v[model.light[i]] - exact[static_cast<Index>(i)]));
    return error;
}

}  // namespace

TEST_SUITE("massless coordinates") {
    TEST_CASE("constraints that suffice decide alone, in the sense of least squares") {
        DrawnTies draw;
        for (int trial = 0; trial < 30; ++trial) {
            const int particles = 1 + trial % 4;
            std::vector<bool> has_mass(static_cast<std::size_t>(particles), false);
            has_mass.push_back(true);
            std::vector<TiedRow> ties;
            for (int p = 0; p < particles; ++p)
                for (int k = 0; k < 3; ++k) ties.push_back(draw.tie(p, particles + 1, 0.0));
            ties.push_back(draw.tie(0, particles + 1, 0.01));
            MasslessModel model(has_mass, ties);
            const MatrixXd Az = model.of(model.constraints, model.light);
            if (by_eigen::singular_values(Az).values.tail(1)[0] < 0.1) continue;
            CHECK(model.massless.analyse(model.instant.A) == -1);
            const VectorXd v = draw.vector(model.parts.n);
            const VectorXd pi_t = draw.vector(model.parts.m);
            const VectorXd exact =
                by_eigen::least_squares(Az, -model.known(model.constraints, v, pi_t));
            const VectorXd after = model.reset(v, pi_t);
            CHECK(largest_error(model, after, exact) <= 1e-11 * exact.cwiseAbs().maxCoeff());
            for (const int i : model.heavy) CHECK(after[i] == v[i]);
        }
    }

    TEST_CASE("elastic rows alone count by their stiffness") {
        DrawnTies draw;
        for (int trial = 0; trial < 30; ++trial) {
            const int particles = 1 + trial % 3;
            std::vector<bool> has_mass(static_cast<std::size_t>(particles), false);
            has_mass.push_back(true);
            std::vector<TiedRow> ties;
            for (int p = 0; p < particles; ++p)
                for (int k = 0; k < 4; ++k)
                    ties.push_back(
                        draw.tie(p, particles + 1, std::pow(10.0, draw.uniform(-6.0, -4.0))));
            MasslessModel model(has_mass, ties);
            MatrixXd weighted = model.of(model.elastic, model.light);
            const VectorXd v = draw.vector(model.parts.n);
            const VectorXd pi_t = draw.vector(model.parts.m);
            VectorXd known = model.known(model.elastic, v, pi_t);
            for (std::size_t k = 0; k < model.elastic.size(); ++k) {
                const auto row = static_cast<Index>(k);
                const double root = std::sqrt(1e-6 / model.parts.laws[model.elastic[k]].compliance);
                weighted.row(row) *= root;
                known[row] *= root;
            }
            if (by_eigen::singular_values(weighted).values.tail(1)[0] < 0.01) continue;
            CHECK(model.massless.analyse(model.instant.A) == -1);
            const VectorXd exact = by_eigen::least_squares(weighted, -known);
            CHECK(largest_error(model, model.reset(v, pi_t), exact) <=
                  1e-9 * exact.cwiseAbs().maxCoeff());
        }
    }

    // min sum (A_e v + known)^2 / c with A_c v + known = 0, by the equations of Lagrange.
    TEST_CASE("what constraints leave free elastic rows decide, and hardly disturb them") {
        DrawnTies draw;
        for (int trial = 0; trial < 30; ++trial) {
            std::vector<TiedRow> ties{
                draw.tie(0, 2, 0.0), draw.tie(0, 2, 0.02), draw.tie(0, 2, 0.01)};
            MasslessModel model({false, true}, ties);
            const MatrixXd Ac = model.of(model.constraints, model.light);
            const MatrixXd Ae = model.of(model.elastic, model.light);
            const VectorXd weight = Eigen::Vector2d(50.0, 100.0);
            if (Ac.norm() < 0.5 || std::abs(MatrixXd(Ae).determinant()) < 0.3) continue;
            const VectorXd v = draw.vector(model.parts.n);
            const VectorXd pi_t = draw.vector(model.parts.m);
            MatrixXd K = MatrixXd::Zero(3, 3);
            K.topLeftCorner(2, 2) = Ae.transpose() * weight.asDiagonal() * Ae;
            K.topRightCorner(2, 1) = Ac.transpose();
            K.bottomLeftCorner(1, 2) = Ac;
            VectorXd right(3);
            right.head(2) =
                -Ae.transpose() * weight.asDiagonal() * model.known(model.elastic, v, pi_t);
            right.tail(1) = -model.known(model.constraints, v, pi_t);
            const VectorXd exact = by_eigen::solved(K, right).col(0).head(2);
            CHECK(model.massless.analyse(model.instant.A) == -1);
            CHECK(largest_error(model, model.reset(v, pi_t), exact) <= 1e-2);
        }
    }

    TEST_CASE("what no row sees is named, and it is in the null space of the rows") {
        DrawnTies draw;
        for (int trial = 0; trial < 30; ++trial) {
            const int particles = 1 + trial % 4;
            std::vector<bool> has_mass(static_cast<std::size_t>(particles), false);
            has_mass.push_back(true);
            std::vector<TiedRow> ties;
            const int free = draw.below(particles);
            for (int p = 0; p < particles; ++p)
                for (int k = 0; k < (p == free ? 1 : 3); ++k)
                    ties.push_back({p, particles, k == 2 ? 0.1 : 0.0, 2.0 * draw.vector(3)});
            MasslessModel model(has_mass, ties);
            const int found = model.massless.analyse(model.instant.A);
            REQUIRE(found >= 0);
            CHECK(model.parts.mass.is_massless(found));
            CHECK(found / 3 == free);  // each has three coordinates
        }
    }

    TEST_CASE("multipliers are spared what acts on massless coordinates, and nothing else") {
        DrawnTies draw;
        for (int trial = 0; trial < 30; ++trial) {
            const int particles = 1 + trial % 4;
            std::vector<bool> has_mass(static_cast<std::size_t>(particles), false);
            has_mass.push_back(true);
            std::vector<TiedRow> ties;
            for (int p = 0; p < particles; ++p)
                for (int k = 0; k < 4; ++k) ties.push_back(draw.tie(p, particles + 1, 0.0));
            ties.push_back(draw.tie(particles, particles + 1, 0.0));
            ties.push_back(draw.tie(0, particles + 1, 0.01));
            MasslessModel model(has_mass, ties);
            const MatrixXd Az = model.of(model.constraints, model.light);
            if (by_eigen::singular_values(Az).values.tail(1)[0] < 0.1) continue;
            CHECK(model.massless.held_by_stiffness(model.instant.A) == -1);
            REQUIRE(model.massless.hold(model.instant.A) == -1);
            const VectorXd before = draw.vector(model.parts.m);
            VectorXd after = before;
            model.massless.spare(model.instant.A, after.data());
            // The component across the range of A_z, by an orthonormal basis of it
            VectorXd mu(Az.rows());
            for (Index r = 0; r < mu.size(); ++r)
                mu[r] = before[model.constraints[static_cast<std::size_t>(r)]];
            const MatrixXd Q = by_eigen::orthonormal_columns(Az);
            const VectorXd exact = mu - Q * (Q.transpose() * mu);
            for (Index r = 0; r < mu.size(); ++r)
                CHECK(std::abs(after[model.constraints[static_cast<std::size_t>(r)]] - exact[r]) <=
                      1e-12);
            for (const int k : model.elastic) CHECK(after[k] == before[k]);
        }
    }

    TEST_CASE("what stiffness alone holds is named") {
        DrawnTies draw;
        std::vector<TiedRow> ties;
        for (int k = 0; k < 3; ++k) ties.push_back({0, 2, 0.0, 2.0 * draw.vector(3)});
        for (int k = 0; k < 3; ++k) ties.push_back({1, 2, 0.1, 2.0 * draw.vector(3)});
        MasslessModel model({false, false, true}, ties);
        CHECK(model.massless.analyse(model.instant.A) == -1);
        const int found = model.massless.held_by_stiffness(model.instant.A);
        CHECK(found / 3 == 1);
    }

    // Roundings of a director across a flat body are no hold; a small part that is meant is one.
    TEST_CASE("what a row sees of a massless coordinate by rounding only does not hold it") {
        for (const double seen : {1e-15, 1e-14, 1e-6, 1e-3}) {
            const std::vector<TiedRow> ties{{0, 1, 0.0, {1.0, seen, 0.0}},
                                            {0, 1, 0.0, {0.0, 0.0, 1.0}}};
            MasslessModel model({false, true}, ties);
            CHECK((model.massless.analyse(model.instant.A) == -1) == (seen > 1e-10));
        }
    }

    TEST_CASE("without massless coordinates there is nothing to do") {
        MasslessModel model({true, true}, {{0, 1, 0.0, {1.0, 0.0, 0.0}}});
        CHECK(model.massless.empty());
        CHECK(model.massless.largest_with_gauge_rows() == 0);
        CHECK(model.massless.analyse(model.instant.A) == -1);
    }
}

}  // namespace ancora::testing
