// SPDX-License-Identifier: BSD-3-Clause
// The columns of history.csv and their values at the present state.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "kernel_system.hpp"
#include "model.hpp"

namespace ancora {

/// Names and computes what a run records.
class Observables {
public:
    Observables(const Model& model, KernelSystem& system, const OutputSettings& output);

    const std::vector<std::string>& names() const { return names_; }
    /// Names of the reactions of constraints, in the order of Reactions::mean().
    std::span<const std::string> reactions() const {
        return std::span(names_).subspan(first_reaction_, num_reactions_);
    }
    /// Columns that hold a mean over the step that ended now.
    const std::vector<int>& step_means() const { return step_means_; }
    /// Writes one value per column, of reactions that are up to date. Quaternions keep the sign of
    /// the sample before.
    void sample(std::span<double> row);
    /// Forgets the sample before.
    void restart() { has_sampled_ = false; }
    /// Writes or reads the sample before, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive) {
        archive(has_sampled_);
        archive.fixed(last_quaternion_);
    }

private:
    bool is_on_measure(const ForcePart& part) const;
    void add_vector(const std::string& name, const char* components);

    const Model& model_;
    KernelSystem& system_;
    std::vector<Attachment> points_;
    std::vector<std::string> names_;
    std::size_t first_reaction_ = 0, num_reactions_ = 0;
    std::vector<int> step_means_;
    std::vector<int> posed_;  // bodies with a pose
    std::vector<PoseKind> pose_kinds_;
    std::vector<bool> has_torque_;  // of each force
    std::vector<std::array<double, 4>> last_quaternion_;
    bool has_sampled_ = false;
    bool all_forces_ = false;
};

}  // namespace ancora
