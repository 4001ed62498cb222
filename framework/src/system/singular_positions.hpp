// SPDX-License-Identifier: BSD-3-Clause
// Singular positions: where rows become dependent on the way, and other motions begin.
#pragma once

#include <vector>

#include <Eigen/Core>

#include "ancora/sdk/system.hpp"
#include "assembly.hpp"
#include "rank_analysis.hpp"

namespace ancora {

/// Looks for them within trials, and remembers those that were passed.
class SingularPositions {
public:
    SingularPositions(Assembly& parts, const MotionState& state) : parts_(parts), state_(state) {
        q_.setZero(parts.n);
    }

    /// See System::nears_singular_position().
    bool nears(const StepTrial& trial);
    /// See System::record_singular_position().
    void record(double t0, double t1, bool continues);

    /// One that was passed; the first ten thousand.
    struct Passed {
        double t;
        bool continues;  ///< the motion; else velocities jump there
    };
    const std::vector<Passed>& all() const { return all_; }
    void forget() {
        all_.clear();
        until_ = -1.0;
    }

    /// Writes or reads it, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive) {
        archive.list(all_, [&](auto& position) {
            archive(position.t);
            archive(position.continues);
        });
        archive(until_);
    }

private:
    bool looks_singular(const StepTrial& trial);

    Assembly& parts_;
    const MotionState& state_;
    std::vector<Passed> all_;
    bool comes_to_nothing_ = false;  // the independence looked at last
    double until_ = -1.0;            // end of the piece that the last of them was passed in
    Eigen::VectorXd q_;
    RowSet::Instant instant_;
};

}  // namespace ancora
