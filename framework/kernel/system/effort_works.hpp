// SPDX-License-Identifier: BSD-3-Clause
// Works of efforts on measures: springs, motors, drives, friction in joints.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "ancora/sdk/system.hpp"
#include "assembly.hpp"
#include "continuous_face.hpp"
#include "step_parts.hpp"

namespace ancora {

/// One work for each law on a measure: effort times change of the measure over a step in the
/// discrete formulation, in the continuous one a power that the method integrates as it does those
/// of the ledger. The energy stored in a spring counts as work too.
class EffortWorks {
public:
    EffortWorks(const Assembly& parts, const StepParts& extra);

    /// The laws' names, in the order of their works.
    const std::vector<std::string>& names() const { return names_; }
    int count() const { return static_cast<int>(laws_.size()); }
    std::span<const double> so_far() const { return view(works_); }

    const Eigen::VectorXd& values() const { return works_; }
    void set(const Eigen::VectorXd& works) { works_ = works; }
    void begin() { works_.setZero(); }
    /// Label and work of the constraint that has given most so far.
    std::pair<std::string, double> largest_of_constraints() const;
    /// Adds those of an accepted piece of a step. [step]
    void record(const StepTrial& trial, const Trial& step);
    /// Adds those of impulses -s of all rows, whose Jacobian is A, with the mean of the velocities
    /// before and after. [step]
    void record_impulse(const Eigen::VectorXd& s, const Eigen::VectorXd& A, const double* v_mean);
    /// Powers at the state that the face has solved last. [step]
    void powers(const ContinuousFace& face, const double* v, std::span<double> out) const;
    /// Adds integrated powers. [step]
    void record(std::span<const double> works);

    /// Writes or reads it, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive) {
        archive(works_);
    }

private:
    enum class Of { constraint, force, part };
    struct Law {
        Of of;
        int index;     ///< of the constraint, the force, or the part's effort
        int part = 0;  ///< then
    };

    const Assembly& parts_;
    const StepParts& extra_;
    std::vector<Law> laws_;
    std::vector<std::string> names_;
    Eigen::VectorXd works_;
};

}  // namespace ancora
