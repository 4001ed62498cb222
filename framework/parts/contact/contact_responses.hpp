// SPDX-License-Identifier: BSD-3-Clause
// Responses of a model to friction: compliance (Delassus) matrices of the contact rows.
#pragma once

#include <vector>

#include <Eigen/Core>

#include "assembly.hpp"
#include "contact_groups.hpp"
#include "contacts.hpp"
#include "continuous_face.hpp"
#include "small_solver.hpp"

namespace ancora {

/// Responses of the rest of the model to unit friction along each sliding row, and the small system
/// of each group of contacts: its Schur complement, or Delassus operator. One for both
/// formulations, since n times the number of rows may be large.
///
/// Column j has the responses to the j-th row of every group at once: those of one group are its
/// entries at the group's coordinates and rows.
class ContactResponses {
public:
    ContactResponses(const Assembly& parts, const Contacts& contacts);

    /// Computes the responses to unit forces along the rows by solve(force, x, s).
    template <class Solve>
    void ask(const Solve& solve) {
        follow_open();
        for (int j = 0; j < groups_.num_places(); ++j) {
            unit_.setZero();
            for (const ContactGroup& group : groups_.all())
                if (j < static_cast<int>(group.rows.size()))
                    contacts_.add_along(group.rows[j], 1.0, unit_.data());
            solve(view(unit_), x_.col(j), s_.col(j));
        }
        find_slides();
    }
    const ContactGroups& groups() const { return groups_; }
    /// The same at the state that the face was last assembled for.
    void ask(ContinuousFace& face);
    /// T X: the slide of a row for a unit force along the row that has a place in its group.
    double slide(int row, int place) const { return slide_(place, row); }
    /// Column of a place in each group, of the model's stresses.
    Eigen::MatrixXd& stresses() { return s_; }

    /// The system of a group, in the order of its rows.
    SmallSolver& small(const ContactGroup& group) { return small_[&group - groups_.all().data()]; }
    /// Factorises all of them. @returns the least sign of a determinant
    int factorise();
    /// Solves with the factors for the right-hand sides.
    void solve();
    /// Solution for a row of contacts.
    double solution(int row) const { return solution_[row]; }
    /// x -= the responses to forces `value` of each row of contacts, in the first entries of it;
    /// and s, whose entry k is that of the model's row `row_of(k)`, likewise.
    void subtract(const double* value, std::span<double> x) const;
    template <class RowOf>
    void subtract(const double* value, std::span<double> s, const RowOf& row_of) const {
        subtract_columns(s_, value, s, [&](std::size_t k) {
            return groups_.of_rows()[row_of(k)];
        });
    }

    bool are_of_step = false;      ///< with the matrix in use
    bool has_no_solution = false;  ///< the coupled laws of the last solve, or several

private:
    template <class GroupOf>
    void subtract_columns(const Eigen::MatrixXd& columns,
                          const double* value,
                          std::span<double> from,
                          const GroupOf& group_of) const {
        for (std::size_t i = 0; i < from.size(); ++i) {
            const int g = group_of(i);
            if (g < 0) continue;
            int j = 0;
            for (const int row : groups_.all()[g].rows)
                from[i] -= columns(static_cast<Eigen::Index>(i), j++) * value[row];
        }
    }

    void find_slides();
    void follow_open();
    void make_groups();

    const Assembly& parts_;
    const Contacts& contacts_;
    ContactGroups groups_;
    Eigen::MatrixXd x_, s_;  // per place, a column
    Eigen::MatrixXd slide_;  // per place and row
    std::vector<SmallSolver> small_;
    Eigen::VectorXd solution_, unit_;
};

}  // namespace ancora
