// SPDX-License-Identifier: BSD-3-Clause
// Finds jumps of prescribed motions over time.
#pragma once

#include <vector>

#include <Eigen/Core>

#include "row_laws.hpp"
#include "row_set.hpp"

namespace ancora {

/// Refuses constraints whose explicit time jumps, which no body can follow: pi(u, t) at a fixed u
/// has a difference over an interval of time that does not shrink with the interval.
///
/// A step is looked at in quarters. On each, of length w, a smooth pi grows by about w times the
/// mean of pi_t at its ends; where it does not, the quarter is halved again and again towards the
/// larger difference, down to a few units in the last place of t. A jump keeps its size; the
/// difference of anything continuous, however steep, falls. What jumps and comes back within a
/// quarter is not seen, by the step neither.
///
/// What is continuous but does its way within a step, as a ramp that is shorter than it, is
/// followed, by velocities that mean nothing; the first one is remembered. It shows by growing by
/// more than the rates at the ends of an interval allow, of which a corner is no case.
class JumpSearch {
public:
    /// [assembly] Notes the blocks that may jump.
    JumpSearch(RowSet& rows, const RowLaws& laws);

    /// [step] Looks for jumps from t0 to t0 + h, at the coordinates q.
    /// @param extent of the model [m], of which a small part is rounding
    /// @throws Error (numerical) that names the row, the time and the size
    void check(const double* q, double t0, double h, double extent);
    /// [step] The same between two sides of an instant at which there may be one.
    void check_sides(const double* q, double before, double behind, double extent);

    /// What was prescribed first that a step does not resolve; no row: nothing was.
    struct Unresolved {
        double t = 0.0;     ///< end of that step [s]
        double h = 0.0;     ///< its length [s]
        double size = 0.0;  ///< how far it goes within it
        int row = -1;
    };
    const Unresolved& unresolved() const { return unresolved_; }

    /// Writes or reads it, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive) {
        archive(unresolved_.t);
        archive(unresolved_.h);
        archive(unresolved_.size);
        archive(unresolved_.row);
        archive.require(unresolved_.row >= -1 && unresolved_.row < rows_.num_rows(),
                        "a row that was not resolved");
    }

private:
    struct Side {
        double t = 0.0;
        Eigen::VectorXd pi, rate;
    };
    void evaluate(const BlockPart& part, const double* q, double t, Side& side);
    void follow(const BlockPart& part,
                const double* q,
                int row,
                double t_before,
                double t_after,
                double tolerance);

    [[noreturn]] void refuse(int row, double t, double size) const;
    void note(int row, const Side& from, const Side& to, int local, double tolerance, double h);

    RowSet& rows_;
    const RowLaws& laws_;
    std::vector<int> blocks_;
    Side begin_, before_, after_, middle_;
    Unresolved unresolved_;
    Eigen::VectorXd A_;
};

}  // namespace ancora
