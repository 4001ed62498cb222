// SPDX-License-Identifier: BSD-3-Clause
// The columns of history.csv and their values at the present state.
#pragma once

#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernel_system.hpp"
#include "model.hpp"

namespace ancora {

/// Names and computes what a run records.
class Observables {
public:
    /// @throws Error (manifest) if output.points or output.columns name what there is not
    Observables(const Model& model, KernelSystem& system, const OutputSettings& output);

    const std::vector<std::string>& names() const { return names_; }
    /// SI units of columns whose names do not tell them: efforts, and measures of joints.
    const std::vector<std::pair<std::string, std::string>>& own_units() const { return own_units_; }
    /// Names of the reactions of constraints, in the order of Reactions::mean().
    std::span<const std::string> reactions() const { return reactions_; }
    /// Columns that hold a mean over the step that ended now.
    const std::vector<int>& step_means() const { return step_means_; }
    /// Whether a column, by its number among all, is such a mean.
    bool is_step_mean(int column) const { return column >= first_mean_ && column < end_of_means_; }
    /// Writes one value per column, of reactions that are up to date. Quaternions keep the sign of
    /// the sample before.
    void sample(std::span<double> row);
    /// Value of a column, also of one that the choice of columns leaves out.
    /// @throws Error (usage) if there is no such column
    double value(const std::string& name);
    /// Its number among all columns, those that are left out too.
    /// @throws Error (usage) if there is no such column
    int find(const std::string& name) const;
    /// Values of columns by these numbers, which must be in range.
    void values(std::span<const int> columns, std::span<double> to);
    int num_all() const { return static_cast<int>(all_names_.size()); }
    /// Forgets the sample before.
    void restart() { has_sampled_ = false; }
    /// Goes on where those of the same columns have come to.
    void continue_from(const Observables& before) {
        has_sampled_ = before.has_sampled_;
        last_quaternion_ = before.last_quaternion_;
    }
    /// Writes or reads the sample before, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive) {
        archive(has_sampled_);
        archive.fixed(last_quaternion_);
    }

private:
    const Joint* joint_of(const ForcePart& part) const;
    void require_different_names(const Model& model) const;
    void add_vector(const std::string& name, const char* components);
    void add_output(const std::string& owner, const Output& shown);
    void add_effort(const std::string& owner, const char* unit);
    void keep_only(const std::vector<PlacedText>& patterns,
                   std::size_t first_of_objects,
                   std::size_t first_of_points);
    void sample_all(std::span<double> row);
    void put_contacts(double*& out) const;

    const Model& model_;
    KernelSystem& system_;
    std::vector<Attachment> points_;
    std::vector<std::string> names_;
    std::vector<std::string> all_names_;  // those that are left out too
    bool wants_signals_ = true;           // some column is an output
    std::vector<std::pair<std::string, std::string>> own_units_;
    std::vector<std::size_t> kept_;  // of all there would be; empty: all of them
    std::vector<double> all_;        // scratch for all columns
    std::vector<double> outputs_;    // scratch for those of signals
    std::vector<double> integrator_outputs_;
    std::vector<std::string> reactions_;
    std::vector<int> step_means_;
    int first_mean_ = 0, end_of_means_ = 0;  // of all columns
    std::vector<int> posed_;                 // bodies with a pose
    std::vector<PoseKind> pose_kinds_;
    std::vector<int> contacts_;     // constraints with unilateral rows
    std::vector<bool> has_torque_;  // of each force
    std::vector<int> num_applied_;  // columns of each force before its torque
    std::vector<std::array<double, 4>> last_quaternion_;
    bool has_sampled_ = false;
    bool all_forces_ = false;
};

}  // namespace ancora
