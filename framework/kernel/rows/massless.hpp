// SPDX-License-Identifier: BSD-3-Clause
// Coordinates without mass: whether rows determine them, and their velocities after a step.
#pragma once

#include <memory>
#include <vector>

#include <Eigen/Core>

#include "mass_matrix.hpp"
#include "normal_matrix.hpp"
#include "row_set.hpp"
#include "space.hpp"

namespace ancora {

/// The velocity of a massless coordinate is not state: v1 = 2 dq / h - v0 would alternate,
/// undamped. It is reset after each step from the rates of the rows that hold it (theory (35)): of
/// constraint rows where those suffice, else of all, weighted by stiffness, in the least-squares
/// sense. A joint in the plane of a flat body depends on the director across it by round-off only,
/// and does not determine it.
class Massless {
public:
    Massless(const MassMatrix& mass, const RowSet& rows, const Space& space, int num_coordinates);

    bool empty() const { return clusters_.empty(); }
    /// Coordinates of the largest cluster with gauge rows, whose rank is found densely.
    int largest_with_gauge_rows() const;
    /// Blocks whose Jacobian the reset needs at the present state.
    const std::vector<int>& blocks() const { return blocks_; }

    /// Rows of RowKind::gauge.
    const std::vector<int>& gauge_rows() const { return gauge_rows_; }
    /// Gauge rows that a state does not need, since constraints determine the coordinates that they
    /// regularise: the spin of an ideal rod that is hinged, say.
    std::vector<int> idle_gauge_rows(const Eigen::VectorXd& A);

    /// Decides at a state which rows determine each cluster.
    /// @param A values of the Jacobian in the row set's pattern
    /// @returns a coordinate that no row determines, or -1
    int analyse(const Eigen::VectorXd& A);

    /// Resets the massless entries of v. [step]
    void reset(const Eigen::VectorXd& A, const Eigen::VectorXd& pi_t, double* v);

    /// A coordinate that constraints alone do not determine, or only by a hair; -1 if there is
    /// none. Constraints alone count from then on.
    int held_by_stiffness(const Eigen::VectorXd& A);
    /// [step] Factorises at a state for spare().
    /// @returns a coordinate that constraints do not determine there, or -1
    int hold(const Eigen::VectorXd& A);
    /// [step] The multipliers next to mu that do not act on massless coordinates,
    ///
    ///   mu - A_z (A_z^T A_z)^-1 A_z^T mu,   A_z: what constraints see of them,           (1)
    ///
    /// with A as it was last held.
    /// @param mu one per row
    void spare(const Eigen::VectorXd& A, double* mu);

private:
    struct Cluster {
        std::vector<int> coordinates;
        std::vector<int> rows;
        std::vector<int> num_seen;  ///< of each row: massless coordinates
        std::vector<int> slots;     ///< of all entries of the rows: place among those, or -1
        bool by_constraints = true;
        bool without_gauge_rows = false;
        std::unique_ptr<NormalMatrix> normal;  ///< its rows are those above, in their order
        Eigen::VectorXd rhs;
    };
    void lay_out(Cluster& cluster);
    /// Calls f(c, row, a, next) for the rows of a cluster: the c-th one, its massless entries, and
    /// where its slots begin.
    template <class F>
    void for_rows(Cluster& cluster, const Eigen::VectorXd& A, const F& f);
    void fill(Cluster& cluster,
              const Eigen::VectorXd& A,
              const Eigen::VectorXd* pi_t,
              const double* v);
    double weight(const Cluster& cluster, int row) const;
    double part_seen(int row, const Eigen::VectorXd& A) const;
    bool counts(const Cluster& cluster, int row, const Eigen::VectorXd& A) const;
    bool is_well_seen(Cluster& cluster, const Eigen::VectorXd& A);

    const RowSet& rows_;
    Eigen::VectorXd reach_;
    std::vector<Cluster> clusters_;
    std::vector<int> place_;  // of a coordinate in its cluster, -1 if it has mass
    std::vector<int> blocks_;
    std::vector<int> gauge_rows_;
    std::size_t most_seen_ = 0;
    std::vector<double> seen_;  // massless entries of a row
};

}  // namespace ancora
