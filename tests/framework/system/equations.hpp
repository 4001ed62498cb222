// SPDX-License-Identifier: BSD-3-Clause
// A model with its equations as full matrices, and a model with rows of every kind.
#pragma once

#include <cstddef>
#include <random>
#include <string_view>
#include <vector>

#include <Eigen/Dense>

#include "framework/models.hpp"
#include "kernel_system.hpp"
#include "model.hpp"

namespace ancora::testing {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// A model with its equations.
struct Equations {
    explicit Equations(const Manifest& from)
        : model(from, plugins.registry),
          system(model),
          equations(*static_cast<System&>(system).step_equations()),
          n(system.num_coordinates()),
          m(system.num_rows()) {}
    explicit Equations(std::string_view text) : Equations(manifest(text)) {}

    VectorXd q() const { return Eigen::Map<const VectorXd>(system.q().data(), n); }
    VectorXd v() const { return Eigen::Map<const VectorXd>(system.v().data(), n); }

    RowSet::StateValues at(const VectorXd& q, const VectorXd& v, double t) {
        RowSet::StateValues instant;
        system.parts().rows.evaluate(q.data(), v.data(), t, instant);
        return instant;
    }
    /// A Jacobian in the row set's pattern as a full matrix.
    MatrixXd full(const VectorXd& values) {
        MatrixXd out = MatrixXd::Zero(m, n);
        const RowSet& rows = system.parts().rows;
        for (int k = 0; k < m; ++k)
            for (int e = rows.row_start[k]; e < rows.row_start[static_cast<std::size_t>(k) + 1];
                 ++e)
                out(k, rows.column[e]) += values[e];
        return out;
    }
    /// Evaluates the step q -> q + dq from t to t + h.
    void evaluate_step(const VectorXd& q0, const VectorXd& dq, double t, double h) {
        const VectorXd mid = q0 + 0.5 * dq;
        std::vector<double> state0(static_cast<std::size_t>(system.parts().rows.num_state));
        std::vector<double> state1(state0);
        system.parts().rows.evaluate_step(q0.data(), dq.data(), mid.data(), t, h, state0, state1);
    }
    MatrixXd mass() const {
        MatrixXd M = MatrixXd::Zero(n, n);
        for (const MassEntry& entry : system.parts().mass.entries())
            M(entry.i, entry.j) = M(entry.j, entry.i) = entry.value;
        return M;
    }
    /// The geometric stiffness at q under stresses s.
    MatrixXd stiffness(const VectorXd& q, const VectorXd& s, bool positive_part) {
        evaluate_step(q, VectorXd::Zero(n), 0.0, 1.0);
        system.parts().rows.evaluate_tangent(q.data(), s.data(), positive_part, 0.0);
        MatrixXd G = MatrixXd::Zero(n, n);
        system.parts().rows.tangent_terms.for_each_term([&](const TangentTerm& term) {
            const double g = term.weight * system.parts().rows.K[term.from];
            G(term.i, term.j) += g;
            if (term.i != term.j) G(term.j, term.i) += g;
        });
        return G;
    }

    testing::Plugins plugins;
    Model model;
    KernelSystem system;
    StepEquations& equations;
    Index n;
    Index m;
};

inline VectorXd random_vector(Index size, std::mt19937& random) {
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    return VectorXd::NullaryExpr(size, [&] {
        return uniform(random);
    });
}

/// Rows of every kind that is shipped, and a distance that is driven in time: two boxes, one
/// exactly rigid with its centre of mass off the reference point, one elastic; a net and a rigid
/// link; point constraints.
inline constexpr const char* kAllRows = R"(
[model]
gravity = [0.0, 0.0, -9.81]
[[body]]
name = "stiff"
type = "ancf_rigid_body"
mass = 3.0
inertia = [[2.0, 0.1, -0.2], [0.1, 2.5, 0.3], [-0.2, 0.3, 1.5]]
center_of_mass = [0.1, -0.2, 0.3]
orientation = {axis = [1.0, 2.0, -1.0], angle = 0.7}
[[body]]
name = "soft"
type = "ancf_rigid_body"
size = [1.0, 0.5, 0.2]
density = 100.0
penalty = 1e5
position = [2.0, 0.0, 0.0]
[[body]]
name = "net"
type = "truss"
grid = {counts = [3, 2], spacing = [0.5, 0.7], origin = [2.0, 1.0, 0.0], diagonals = true}
young = 1e6
area = 1e-3
density = 500.0
[[body]]
name = "link"
type = "truss"
from = [2.0, 1.0, 0.0]
to = [2.0, 1.0, 1.0]
young = inf
area = 1e-3
density = 500.0
[[constraint]]
name = "hook"
type = "position"
a = "net@0"
b = "link@0"
[[constraint]]
name = "rope"
type = "test_spring"
geometry = "square"
law = "elastic"
compliance = 0.3
length = 1.5
amplitude = 0.2
frequency = 3.0
a = "stiff@[0.3, 0.1, -0.2]"
b = "soft@[-0.5, 0.2, 0.1]"
[[constraint]]
name = "drive"
type = "test_spring"
law = "elastic"
axis = [0.6, 0.0, 0.8]
speed = 0.7
a = "soft@[0.5, 0.0, 0.0]"
b = "ground@[1.0, 2.0, 3.0]"
[integrator]
type = "emm"
step = 1e-3
end = 1.0
)";

}  // namespace ancora::testing
