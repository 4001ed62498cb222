// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of a sum over objects by finite differences, many columns at once (colouring).
#pragma once

#include <cmath>
#include <vector>

#include <Eigen/Core>

namespace ancora {

/// The derivative dF/dx of F = sum_o F_o, where F_o acts on some coordinates and depends on the
/// same ones. Columns without a common row are perturbed together (Curtis, Powell, Reid, J.
/// Inst. Maths Applics 13 (1974) 117-119), so that the number of evaluations does not grow with the
/// model.
class ColouredDifferences {
public:
    ColouredDifferences() = default;
    /// @param objects coordinates of each, without repetition
    ColouredDifferences(int num_coordinates, const std::vector<std::vector<int>>& objects);

    bool empty() const { return entries_.empty(); }
    int num_colours() const { return static_cast<int>(first_column_.size()) - 1; }
    /// The entries that differ from zero, each once.
    struct Entry {
        int row, column;
    };
    const std::vector<Entry>& entries() const { return entries_; }

    /// Writes dF/dx to `values`, in the order of entries(). Allocates nothing.
    /// @param evaluate writes F at a changed x: evaluate(x, F)
    /// @param x is changed and put back
    /// @param least size that x counts as having at least
    template <class Evaluate>
    void differentiate(const Evaluate& evaluate,
                       Eigen::VectorXd& x,
                       double least,
                       Eigen::VectorXd& base,
                       Eigen::VectorXd& changed,
                       double* values) {
        evaluate(x, base);
        for (int colour = 0; colour < num_colours(); ++colour) {
            const int begin = first_column_[colour];
            const int end = first_column_[static_cast<std::size_t>(colour) + 1];
            for (int c = begin; c < end; ++c) {
                Column& column = columns_[c];
                column.kept = x[column.index];
                x[column.index] += kPart * std::max(least, std::abs(column.kept));
                column.change = x[column.index] - column.kept;
            }
            evaluate(x, changed);
            for (int c = begin; c < end; ++c) {
                const Column& column = columns_[c];
                for (int e = column.first_entry; e < column.end_entry; ++e) {
                    const int row = entries_[e].row;
                    values[e] = (changed[row] - base[row]) / column.change;
                }
                x[column.index] = column.kept;
            }
        }
    }

private:
    // Perturbation: balances the round-off of F against its curvature.
    static constexpr double kPart = 1e-7;

    struct Column {
        int index = 0;
        int first_entry = 0, end_entry = 0;
        double kept = 0.0, change = 0.0;
    };
    std::vector<Column> columns_;    // by colours
    std::vector<int> first_column_;  // of each colour, and one past the last
    std::vector<Entry> entries_;     // by columns
};

}  // namespace ancora
