// SPDX-License-Identifier: BSD-3-Clause
// Judges how far project_start went.
#include "start_projection.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "joint_states.hpp"

namespace ancora {

StartProjection judge_projection(const Model& model,
                                 const KernelSystem& system,
                                 const WarningSink& warn) {
    StartProjection out;
    std::vector<MovedBody>& projected = out.bodies;
    std::vector<MovedMeasure>& projected_measures = out.measures;
    constexpr double kFar = 0.1;      // of the model's size
    constexpr double kTurned = 0.35;  // 20 degrees
    constexpr double kTold = 0.05;    // of these, what is worth a warning
    constexpr double kDegrees = 57.29577951308232;
    const double extent = system.state().extent;
    const auto share = [&](const MovedBody& body) {
        return std::max(body.moved / (kFar * extent), body.turned / kTurned);
    };
    projected = moved_bodies(model, system.q(), extent);
    projected_measures = moved_measures(model, system);
    if (const ConstraintPart* const part = turned_over(model, system.q()))
        throw Error(ErrorKind::numerical,
                    fmt::format("project_start would meet {} with its axes against each other, "
                                "which its rows hold as well; start nearer to how the bodies "
                                "are to lie",
                                part->object.label),
                    part->object.place);
    const auto worst = std::ranges::max_element(projected, {}, share);
    if (worst == projected.end() || share(*worst) <= kTold) return out;
    std::string what = fmt::format("body \"{}\" by {:.3g} m and turned it by {:.3g} degrees",
                                   worst->name,
                                   worst->moved,
                                   kDegrees * worst->turned);
    const auto change = [](const MovedMeasure& measure) {
        return std::abs(measure.after - measure.before);
    };
    const auto joint = std::ranges::max_element(projected_measures, {}, change);
    if (joint != projected_measures.end())
        what += fmt::format(
            ", {} from {:.4g} to {:.4g} {}", joint->name, joint->before, joint->after, joint->unit);
    if (share(*worst) > 1.0 && model.project_start == ProjectStart::near)
        throw Error(ErrorKind::numerical,
                    fmt::format("inconsistent start: to meet the constraints project_start "
                                "moved {}; that is more than a tenth of the model's size or 20 "
                                "degrees, and may be another position than the one that is "
                                "meant. Start nearer, or allow it with project_start = \"far\"",
                                what),
                    model.project_start_place);
    if (warn && model.project_start != ProjectStart::drives)
        warn(fmt::format(
            "project_start moved {} to meet the constraints{}; `ancora check` lists "
            "how far each body and joint went",
            what,
            projected.size() > 1 ? fmt::format(", and {} more", projected.size() - 1) : ""));
    return out;
}

}  // namespace ancora
