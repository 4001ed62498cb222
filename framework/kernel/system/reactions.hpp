// SPDX-License-Identifier: BSD-3-Clause
// Reactions of constraints and forces of force objects, as reported.
#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

#include "ancora/sdk/system.hpp"
#include "assembly.hpp"
#include "constraint_selection.hpp"
#include "step_parts.hpp"

namespace ancora {

/// Means over a grid step, of minimum norm where rows are redundant, or values at a state.
class Reactions {
public:
    Reactions(const SystemData& of, const StepParts& extra, ConstraintSelection& independent);

    /// Where a constraint's reaction stands: three entries of a force, one of an effort, or one per
    /// row; of a joint six more, force and moment on b at its point, in axes of a.
    const std::vector<int>& start() const { return start_; }
    /// Joints have one, if they tie anything.
    bool has_wrench(std::size_t constraint) const {
        const Joint* const joint = parts_.model.constraints[constraint].joint;
        return joint != nullptr && joint->has_rows;
    }
    /// Entries of a constraint's reaction without the wrench of a joint.
    int count_alone(std::size_t constraint) const;
    std::span<const double> mean() const {
        if (is_shown_) return view(shown_.mean);
        share();
        return view(mean_);
    }
    /// C of every force object: its force, three entries each, of one on a measure its effort, and
    /// zeros; and its torque likewise.
    std::span<const double> applied() const { return all_applied().first(3 * num_forces()); }
    std::span<const double> torques() const { return all_applied().subspan(3 * num_forces()); }

    /// Whether the state is the end of a step, or one is shown: else there is no mean.
    bool has_mean() const { return has_mean_ || is_shown_; }
    struct Means {
        Eigen::VectorXd mean, applied;
    };
    Means means() const;
    /// Values that are reported instead, until anything changes; no part of the state.
    void show(Means means);
    void hide() { is_shown_ = false; }

    void begin_grid_step();
    /// Adds an accepted substep of the grid step. [step]
    void collect(const StepTrial& trial);
    /// Adds impulses -s of all rows at the state at which rates were evaluated last, and those of
    /// force objects, laid out like applied_at_instant(), unless null. [step]
    void collect_impulse(const Eigen::VectorXd& s, const Eigen::VectorXd* applied = nullptr);
    void end_grid_step();
    void forget();
    /// Takes those at the instant last solved, of stresses s of the model's rows.
    void take_instant(const double* s);
    /// A constraint's reaction for stresses s, without the wrench of a joint.
    std::vector<double> reported(std::size_t constraint, const double* s, bool of_step) const;
    /// The wrench of a joint at the present state: six entries, or none of what has no wrench.
    std::vector<double> wrench(std::size_t constraint, const double* s) const;
    /// Which entries of mean() depend on states of self-stress of the rows evaluated last at a
    /// state: redundancy makes them arbitrary.
    std::vector<bool> answers_to(const Eigen::MatrixXd& forceless) const;
    /// C of every force object at the instant last solved: forces, then torques, three entries
    /// each.
    Eigen::VectorXd applied_at_instant() const;

    /// Writes or reads it, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive);

private:
    std::size_t num_forces() const { return parts_.model.forces.size(); }
    std::span<const double> all_applied() const {
        return view(is_shown_ ? shown_.applied : applied_mean_);
    }
    void share() const;
    void write(std::size_t constraint, const double* s, bool of_step, double* out) const;
    void write_wrench(const ConstraintPart& part,
                      const double* f,
                      const double* q,
                      double* out) const;
    void add_applied(const double* s, double factor, Eigen::VectorXd& to) const;

    const Assembly& parts_;
    const MotionState& state_;
    const Trial& trial_;
    const StepParts& extra_;
    ConstraintSelection& independent_;
    std::vector<int> start_;
    Eigen::VectorXd sum_, applied_sum_, applied_mean_, stress_sum_;
    double time_ = 0.0;  // of the grid step so far
    Means shown_;
    bool is_shown_ = false;
    bool has_mean_ = false;  // of the last grid step that was made
    // Replaced by those of minimum norm on demand, since a step itself does not need them.
    mutable Eigen::VectorXd mean_;
    mutable bool is_shared_ = true;
    mutable Eigen::VectorXd local_force_, share_work_, one_;
    mutable std::vector<double> factors_, at_;
};

}  // namespace ancora
