// SPDX-License-Identifier: BSD-3-Clause
// Tangents of the forces of a step with respect to its displacements.
#pragma once

#include <vector>

#include <Eigen/Core>

#include "dense.hpp"

namespace ancora {

class ForceSet;

/// The part -dF/d(dq) of a step's matrix that comes from forces with a tangent: a dense block for
/// each, on the coordinates that its attachments move. It need not be symmetric; the factorised
/// matrix takes its symmetric part; iterative refinement and the consistent tangent take all of it.
class ForceTangents {
public:
    ForceTangents() = default;
    explicit ForceTangents(const ForceSet& forces);

    bool empty() const { return blocks_.empty(); }
    /// Takes the derivatives at the step last evaluated. Allocates nothing.
    void evaluate(ForceSet& forces);
    /// Puts the positive semidefinite part of what was evaluated in the place of the symmetric
    /// part.
    void make_definite();
    /// r -= T x
    void subtract(const double* x, double* r) const;

    /// Calls add(i, j, value) with the entries of the symmetric part, each pair of a block once,
    /// always in the same order.
    template <class Add>
    void for_each_symmetric(const Add& add) const {
        for (const Block& block : blocks_)
            for (int a = 0; a < block.size(); ++a)
                for (int b = 0; b <= a; ++b)
                    add(block.coordinate[a], block.coordinate[b], block.symmetric(a, b));
    }
    /// The same for the skew part of T: (i, j) and (j, i).
    template <class Add>
    void for_each_rest(const Add& add) const {
        for (const Block& block : blocks_)
            for (int a = 0; a < block.size(); ++a)
                for (int b = 0; b < block.size(); ++b)
                    add(block.coordinate[a],
                        block.coordinate[b],
                        full(block, a, b) - block.symmetric(a, b));
    }

    /// terms += part |T| |size|: the rounding-error bound of the forces due to positions.
    void add_sizes(double part, const double* size, double* terms) const;

    /// All entries of T, block after block; for saved states.
    Eigen::VectorXd& values() { return values_; }

private:
    /// An entry of W = du / dq: a weight, or a weight times an entry of the attachments' Jacobian.
    struct Entry {
        Eigen::Index scalar, column;
        double weight;
        std::ptrdiff_t jacobian;  ///< -1: constant
        double value = 0.0;
    };
    struct Block {
        int part_of_forces = 0;       ///< its number there
        std::vector<int> coordinate;  ///< that its scalars depend on
        std::vector<Entry> entries;
        Eigen::MatrixXd D, part;
        SymmetricEigen modes;
        Eigen::MatrixXd symmetric;
        Eigen::Index first = 0;  ///< of its entries in values_, by columns
        int size() const { return static_cast<int>(coordinate.size()); }
    };
    template <class Matrix>
    static void transform(const Block& block, const Eigen::MatrixXd& D, Matrix& T);
    double full(const Block& block, int a, int b) const {
        return values_[block.first + b * block.size() + a];
    }
    void for_each_block(const double* x, const auto& visit) const;

    std::vector<Block> blocks_;
    Eigen::VectorXd values_;
    mutable Eigen::VectorXd own_, product_;  // workspace: vectors on the coordinates of a block
};

/// Of a model without such forces.
inline const ForceTangents kNoTangents;

}  // namespace ancora
