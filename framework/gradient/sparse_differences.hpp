// SPDX-License-Identifier: BSD-3-Clause
// Sparse derivatives by differences of fourth order, columns that share no row together.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <Eigen/Core>

#include "central_differences.hpp"

namespace ancora {

/// Derivatives F'(x) of a function whose outputs come from objects that see some of the inputs
/// each:
///
///   F'(x) e_j = (8 (F(x + d e_j) - F(x - d e_j)) - (F(x + 2 d e_j) - F(x - 2 d e_j))) / (12 d) (1)
///
/// Inputs that share no output are moved together (Curtis, Powell, Reid, J. Inst. Math. Appl. 13
/// (1974) 117).
class SparseDifferences {
public:
    struct Object {
        std::vector<int> inputs, outputs;
    };
    SparseDifferences(int num_inputs, int num_outputs, const std::vector<Object>& objects);

    bool empty() const { return colours_.empty(); }
    /// Inputs that some object sees, rising.
    const std::vector<int>& inputs() const { return inputs_; }

    /// Calls take(i, j, dF_i / dx_j) for all that may differ from zero.
    /// @param evaluate  writes all of F at a changed x: evaluate(F)
    /// @param x  is changed and put back
    /// @param distance  d of an input
    template <class Evaluate, class Distance, class Take>
    void differentiate(const Evaluate& evaluate,
                       Eigen::VectorXd& x,
                       const Distance& distance,
                       const Take& take) {
        for (const std::vector<int>& colour : colours_) {
            differences_.begin(colour, x, distance);
            differences_.evaluate(colour, x, evaluate);
            for (std::size_t c = 0; c < colour.size(); ++c) {
                const int j = colour[c];
                differences_.put_back(c, x[j]);
                for (const int i : outputs_[j]) take(i, j, differences_.slope(c, i));
            }
        }
    }

private:
    std::vector<std::vector<int>> outputs_;  // of each input
    std::vector<std::vector<int>> colours_;
    std::vector<int> inputs_;
    CentralDifferences differences_;
};

}  // namespace ancora
