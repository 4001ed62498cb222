// SPDX-License-Identifier: BSD-3-Clause
// Which constraint rows a step asks for where they depend on each other, and what the others do.
#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

#include "mass_matrix.hpp"
#include "row_laws.hpp"
#include "row_set.hpp"

namespace ancora {

/// Redundant rows are dependent *on* the constraints' manifold and, in closed loops, independent
/// beside it: at a midpoint their smallest singular value is as small as the gap, not zero, and a
/// multiplier divided by it means nothing. And where rounded coordinates contradict each other no
/// motion closes their gaps. So rows are chosen once, at an accepted state, and kept for the steps
/// that follow; the others are left out, and closed by those that stay, since these define the same
/// manifold (theory, section 1.6).
class IndependentRows {
public:
    IndependentRows(RowSet& rows, const RowLaws& laws, const MassMatrix& mass)
        : rows_(rows), laws_(laws), mass_(mass) {}

    bool all() const { return rows_.left_out().empty(); }
    const std::vector<int>& left_out() const { return rows_.left_out(); }

    /// Chooses at a state.
    /// @param A values of the Jacobian there, in the row set's pattern
    /// @param pi of all rows there; those that are left out are carried here from then on, and are
    ///        zero in `pi` afterwards
    /// @returns whether other rows are left out than before
    bool choose(const Eigen::VectorXd& A, Eigen::VectorXd& pi);

    /// Leaves no row out; carried pi are the caller's.
    void forget();

    /// Row left out that opens in the step last evaluated, or -1: it does not depend on the others
    /// there.
    /// @param extent of the model [m]
    int opening_row(double extent) const;
    double gap_after(int row) const;
    /// To be called when a step is accepted.
    void accept();

    /// Writes or reads the choice, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive);

private:
    RowSet& rows_;
    const RowLaws& laws_;
    const MassMatrix& mass_;
    std::vector<double> gap_;  // of each row left out
};

}  // namespace ancora
