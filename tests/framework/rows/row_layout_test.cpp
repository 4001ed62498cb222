// SPDX-License-Identifier: BSD-3-Clause
// Which entries the geometric stiffness of joints has, against differences.
#include "row_layout.hpp"

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

/// Two rigid bodies at any attitude, with a joint somewhere between them or to the ground.
class JoinedBodies {
public:
    JoinedBodies(const std::string& joint, bool is_grounded, std::mt19937& random)
        : model_(manifest(text(joint, is_grounded, random)), plugins_.registry),
          parts(model_),
          random_(random) {}

    VectorXd random_vector(Index size) {
        std::uniform_real_distribution<double> uniform(-1.0, 1.0);
        return VectorXd::NullaryExpr(size, [&] {
            return uniform(random_);
        });
    }
    /// A in the pattern of the rows.
    VectorXd jacobian(const VectorXd& q) {
        RowSet::StateValues at;
        const VectorXd v = VectorXd::Zero(parts.n);
        parts.rows.evaluate(q.data(), v.data(), 0.0, at);
        return at.A;
    }
    /// A(q)^T s
    VectorXd force(const VectorXd& q, const VectorXd& s) {
        const VectorXd A = jacobian(q);
        VectorXd out = VectorXd::Zero(parts.n);
        for (int k = 0; k < parts.m; ++k) parts.rows.add_transposed(A.data(), k, s[k], out.data());
        return out;
    }
    MatrixXd stiffness(const VectorXd& q, const VectorXd& s, bool positive_part) {
        const VectorXd dq = VectorXd::Zero(parts.n);
        std::vector<double> state0(static_cast<std::size_t>(parts.rows.num_state)), state1(state0);
        parts.rows.evaluate_step(q.data(), dq.data(), q.data(), 0.0, 1.0, state0, state1);
        parts.rows.evaluate_tangent(q.data(), s.data(), positive_part, 0.0);
        MatrixXd G = MatrixXd::Zero(parts.n, parts.n);
        parts.rows.tangent_terms.for_each_term([&](const TangentTerm& term) {
            const double g = term.weight * parts.rows.K[term.from];
            G(term.i, term.j) += g;
            if (term.i != term.j) G(term.j, term.i) += g;
        });
        return G;
    }

private:
    static std::string text(const std::string& joint, bool is_grounded, std::mt19937& random) {
        std::uniform_real_distribution<double> uniform(-1.0, 1.0);
        const auto numbers = [&] {
            return fmt::format("[{}, {}, {}]", uniform(random), uniform(random), uniform(random));
        };
        std::string out = "[integrator]\ntype = \"emm\"\nstep = 1e-3\nend = 1.0\n";
        for (const char* name : {"one", "two"})
            out += fmt::format(
                "[[body]]\nname = \"{}\"\ntype = \"ancf_rigid_body\"\nsize = [1, 0.5, 0.2]\n"
                "density = 100.0\nposition = {}\norientation = {{axis = {}, angle = 1.3}}\n",
                name,
                numbers(),
                numbers());
        out += fmt::format(
            "[[constraint]]\nname = \"joint\"\ntype = \"{}\"\na = \"{}\"\nb = \"two\"\n",
            joint,
            is_grounded ? "ground" : "one");
        if (joint != "parallel") out += fmt::format("point = {}\n", numbers());
        if (joint != "fixed" && joint != "spherical") out += fmt::format("axis = {}\n", numbers());
        return out;
    }

    Plugins plugins_;
    Model model_;

public:
    Assembly parts;

private:
    std::mt19937& random_;
};

void check_entries(JoinedBodies& bodies, bool is_grounded) {
    constexpr double kRounding = 1e-13;
    RowSet& rows = bodies.parts.rows;
    // G = d(A^T s)/dq, of which central differences of quadratic rows are exact.
    const VectorXd q = bodies.random_vector(bodies.parts.n);
    const VectorXd s = bodies.random_vector(bodies.parts.m);
    const MatrixXd G = bodies.stiffness(q, s, false);
    for (Index j = 0; j < q.size(); ++j) {
        VectorXd up = q, down = q;
        up[j] += 1.0;
        down[j] -= 1.0;
        const VectorXd by_difference = 0.5 * (bodies.force(up, s) - bodies.force(down, s));
        CHECK((G.col(j) - by_difference).cwiseAbs().maxCoeff() <= kRounding);
    }
    // Coordinates that G does not act on have no terms; what stands on the ground counts as any.
    if (!is_grounded)
        rows.tangent_terms.for_each_term([&](const TangentTerm& term) {
            CHECK(G.col(term.i).norm() > 0.0);
            CHECK(G.col(term.j).norm() > 0.0);
        });
    // What has no terms in G has none in its positive part, which is semidefinite, and so is what
    // it has more than G.
    const MatrixXd positive = bodies.stiffness(q, s, true);
    CHECK(by_eigen::symmetric_eigenvalues(positive)[0] >= -kRounding);
    CHECK(by_eigen::symmetric_eigenvalues(positive - G)[0] >= -kRounding);
}

}  // namespace

TEST_SUITE("entries of rows") {
    TEST_CASE("joints have those of their stiffness that are ever there, and no more") {
        std::mt19937 random(7);
        for (const std::string joint : {"revolute",
                                        "prismatic",
                                        "cylindrical",
                                        "fixed",
                                        "spherical",
                                        "planar",
                                        "parallel",
                                        "in_line",
                                        "in_plane"})
            for (const bool is_grounded : {false, true})
                for (int trial = 0; trial < 3; ++trial) {
                    CAPTURE(joint);
                    CAPTURE(is_grounded);
                    JoinedBodies bodies(joint, is_grounded, random);
                    check_entries(bodies, is_grounded);
                }
    }
}

}  // namespace ancora::testing
