// SPDX-License-Identifier: BSD-3-Clause
// When the energy of motion has grown without end, and what did it.
#pragma once

#include <cstdint>
#include <string>

#include <Eigen/Core>

#include "assembly.hpp"
#include "effort_works.hpp"
#include "ledger.hpp"

namespace ancora {

/// Follows the energy of motion beyond what was in play at first. A load that is given makes it
/// grow like a power of time; a force that grows with the motion that it causes, each hundredfold
/// in about the same time as the one before, or faster. Three in a row, a thousand times the speeds
/// in play, are a motion that runs away.
class EnergyGrowth {
public:
    explicit EnergyGrowth(const Assembly& parts);

    /// Begins at t with an energy that counts as in play [J].
    void begin(double in_play, double t);
    /// Adds the works of all forces as last evaluated: of a step, or as powers times its length.
    /// [step]
    void add_works(double factor);
    /// Takes the kinetic energy of an accepted state. [step]
    void note(double kinetic, double t) { marks_.note(kinetic, t); }

    /// From where to where the energy grew, and by whose work; empty where it has not run away, or
    /// where it is not the works that brought it.
    /// @param has_failed  the run has ended: what is large then need not have been seen to grow
    std::string cause(const Ledger& ledger, const EffortWorks& efforts, bool has_failed) const;

    /// Writes or reads it, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive) {
        archive(marks_);
        archive.require(marks_.count >= -1 && marks_.count <= 3, "growth of the energy");
        archive(in_play_);
        archive(works_);
    }

private:
    struct Marks {
        void begin(double in_play, double t);
        void note(double kinetic, double t);
        bool has_run_away() const;

        double from = 0.0, from_t = 0.0;  ///< where the growth began
        double mark = 0.0, mark_t = 0.0;  ///< the last hundredfold, and when it was reached
        double last_took = 0.0;           ///< time for it
        double now_t = 0.0;
        double most = 0.0;        ///< largest kinetic energy
        std::int64_t count = -1;  ///< hundredfolds in a row; -1: not more than was in play yet
    };

    const Assembly& parts_;
    Marks marks_;
    double in_play_ = 0.0;
    Eigen::VectorXd works_;  ///< of each force so far
};

}  // namespace ancora
