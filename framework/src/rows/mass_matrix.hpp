// SPDX-License-Identifier: BSD-3-Clause
// The mass matrix of a model.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "call_meter.hpp"
#include "model.hpp"

namespace ancora {

/// Symmetric mass matrix in compressed lower form, i >= j.
struct MassEntry {
    int i;
    int j;
    double value;
};

/// M, symmetric positive semidefinite, n x n: a diagonal if it is one, else compressed rows. The
/// blocks of bodies whose mass depends on their state are those of the last update().
class MassMatrix {
public:
    explicit MassMatrix(const Model& model);

    bool is_constant() const { return varying_.empty(); }
    /// Evaluates the blocks that depend on the state, and adds dT/dq - (dM/dt) v to `force` unless
    /// that is null. [step]
    void update(const double* q, const double* v, double t, CallMeter& meter, double* force);

    /// y = M x
    void multiply(const double* x, double* y) const;
    int size() const { return n_; }
    double diagonal(int i) const { return diagonal_[i]; }
    bool is_massless(int i) const { return !(diagonal_[i] > 0.0); }
    /// Lower triangle, one entry per pair.
    const std::vector<MassEntry>& entries() const { return entries_; }
    /// Their values alone.
    std::span<const double> values() const { return entry_value_; }

private:
    static constexpr int kAxes = 3;
    void build_rows();
    void find_vectors();
    void multiply_by_vectors(const double* x, double* y) const;

    /// A body whose block varies, and its entries.
    struct Varying {
        const BodyPart* part;
        std::size_t first_entry;
        std::size_t num_entries;
        std::vector<double> M;
        std::vector<double> force;
    };

    int n_;
    std::vector<MassEntry> entries_;
    std::vector<double> entry_value_;
    std::vector<Varying> varying_;
    std::vector<std::pair<int, int>> place_;  // of an entry and its mirror in the compressed rows
    Eigen::VectorXd diagonal_;
    bool is_diagonal_ = true;
    bool is_by_vectors_ = false;  // a constant matrix that acts alike on x, y and z
    std::vector<int> row_start_;
    std::vector<int> column_;
    std::vector<double> value_;
};

}  // namespace ancora
