// SPDX-License-Identifier: BSD-3-Clause
// Detection of unbounded growth of the kinetic energy, and its cause.
#pragma once

#include <cstdint>
#include <string>

#include <Eigen/Core>

#include "assembly.hpp"
#include "effort_works.hpp"
#include "ledger.hpp"

namespace ancora {

/// Monitors the kinetic energy beyond its initial scale. A given load makes it grow like a power of
/// time; a force that grows with the motion that it causes makes it grow exponentially: each
/// hundredfold takes about as long as the one before, or less. Three in a row, a thousand times the
/// initial speeds, are reported as a diverging motion.
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

    /// The range of the growth and the force whose work caused it; empty where the motion has not
    /// diverged, or where works do not explain it.
    /// @param has_failed  the run has failed: a large energy then suffices, without observed growth
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
