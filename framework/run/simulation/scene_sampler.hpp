// SPDX-License-Identifier: BSD-3-Clause
// Makes a model's scene, and the values of its frames.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ancora/framework/scene.hpp"
#include "kernel_system.hpp"
#include "model.hpp"
#include "scene_ties.hpp"

namespace ancora {

class SceneSampler {
public:
    /// [assembly]
    /// @throws Error (plugin) if a body draws what it does not have
    explicit SceneSampler(const Model& model);

    const Scene& scene() const { return scene_; }
    /// Values that are means over the step that ended now: forces, and what lines show.
    const std::vector<int>& step_means() const { return step_means_; }
    /// Writes Scene::num_values values of the present state, whose reactions have been found.
    /// @throws Error (plugin) if a body gives a value that is not finite
    void sample(KernelSystem& system, std::span<double> frame);

private:
    const Model& model_;
    Scene scene_;
    std::vector<std::vector<Attachment>> nodes_;  ///< of each body
    std::vector<std::vector<Attachment>> ties_;   ///< points of each constraint
    std::vector<std::vector<Attachment>> loads_;  ///< of each force
    /// Of constraints and forces that are torques about the axis of a joint.
    std::vector<std::optional<TurningAxis>> tie_axes_, load_axes_;
    std::vector<bool> is_torque_load_;  ///< of each force, whether it acts on directions of a body
    std::vector<int> step_means_;
};

}  // namespace ancora
