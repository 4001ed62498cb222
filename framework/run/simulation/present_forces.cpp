// SPDX-License-Identifier: BSD-3-Clause
// Collects what objects bear and apply, for `ancora check`.
#include "present_forces.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "ancora/sdk/numbers/math.hpp"
#include "effort_units.hpp"

namespace ancora {
namespace {

std::vector<double> list(std::span<const double> x) {
    return {x.begin(), x.end()};
}

double norm(std::span<const double> x) {
    double sum = 0.0;
    for (const double c : x) sum += c * c;
    return std::sqrt(sum);
}

/// Forces as they are, moments by the model's size.
double size_of(const ObjectForce& of, double length) {
    const double value = std::abs(of.value) / (of.unit == "N m" ? length : 1.0);
    return std::max({norm(of.force), norm(of.moment) / length, value, norm(of.multipliers)});
}

ObjectForce entry_for(const ObjectRef& object) {
    ObjectForce out;
    out.name = object.name;
    out.type = object.type->name;
    return out;
}

ObjectForce effort(const ObjectRef& object, double value, const char* unit) {
    ObjectForce out = entry_for(object);
    out.has_value = true;
    out.value = value;
    out.unit = unit;
    return out;
}

ObjectForce of_constraint(const ConstraintPart& part, const ConstraintForces& now) {
    if (part.reaction == ReactionKind::effort)
        return effort(part.object, now.reaction.front(), effort_unit(part));
    ObjectForce out = entry_for(part.object);
    const std::span<const double> on_b(now.on_b);
    if (!on_b.empty()) {
        out.force = list(on_b.first(3));
        out.moment = list(on_b.subspan(3));
    } else if (part.reaction == ReactionKind::force) {
        out.force = now.reaction;
    } else {
        out.multipliers = now.reaction;
    }
    return out;
}

void add_force(const Model& model,
               const ForcePart& part,
               const AppliedForce& now,
               std::vector<ObjectForce>& to) {
    if (part.effort_on != nullptr) {
        to.push_back(effort(part.object, now.force[0], effort_unit(part.effort_on->kind)));
        return;
    }
    const Joint* const joint =
        part.contact != nullptr ? model.constraints[part.constraint].joint : nullptr;
    if (joint != nullptr && part.num_slides == 1) {
        to.push_back(effort(part.object, now.force[0], friction_unit(*joint)));
        return;
    }
    if (joint != nullptr && part.num_slides == 2) {
        for (std::size_t k = 0; k < std::min<std::size_t>(2, joint->measures.size()); ++k) {
            to.push_back(effort(part.object, now.force[k], effort_unit(joint->measures[k].kind)));
            to.back().name += "." + std::string(joint->measures[k].name);
        }
        return;
    }
    ObjectForce out = entry_for(part.object);
    out.force = list(now.force);
    if (norm(now.torque) > 0.0) out.moment = list(now.torque);
    to.push_back(std::move(out));
}

/// The largest value of each quantity in newtons that a body shows along its lines.
void add_lines(const BodyPart& part,
               const SceneBody& body,
               const SketchState& now,
               std::vector<ObjectForce>& to) {
    const auto is_force = [](const SceneChannel& channel) {
        return channel.of == ChannelPlace::lines && channel.unit == "N";
    };
    if (std::ranges::none_of(body.channels, is_force) || body.lines.empty()) return;
    std::vector<double> values(static_cast<std::size_t>(body.end() - body.channel_at(0)));
    part.draw_values(now, values);
    for (int c = 0; c < static_cast<int>(body.channels.size()); ++c) {
        if (!is_force(body.channels[static_cast<std::size_t>(c)])) continue;
        const auto first = values.begin() + (body.channel_at(c) - body.channel_at(0));
        const auto largest =
            std::max_element(first, first + body.channel_size(c), [](double a, double b) {
                return std::abs(a) < std::abs(b);
            });
        to.push_back(effort(part.object, *largest, "N"));
        to.back().name += "." + body.channels[static_cast<std::size_t>(c)].name;
        to.back().line = static_cast<int>(largest - first);
        to.back().num_lines = body.channel_size(c);
    }
}

}  // namespace

std::vector<ObjectForce> present_forces(const Model& model,
                                        KernelSystem& system,
                                        const Scene& scene,
                                        const Dynamics& now) {
    std::vector<ObjectForce> out;
    for (std::size_t c = 0; c < model.constraints.size(); ++c)
        if (!now.constraints[c].reaction.empty())
            out.push_back(of_constraint(model.constraints[c], now.constraints[c]));
    for (std::size_t f = 0; f < model.forces.size(); ++f) {
        const ForcePart& part = model.forces[f];
        if (part.contact != nullptr || !part.attachments.empty())
            add_force(model, part, now.forces[f], out);
    }
    const std::span<const double> q = system.q(), v = system.v();
    const Eigen::VectorXd& s = system.stress_at_instant();
    for (std::size_t i = 0; i < model.bodies.size() && !model.bodies[i].is_inner; ++i) {
        const BodyPart& part = model.bodies[i];
        const auto first = static_cast<std::size_t>(part.first);
        const auto count = static_cast<std::size_t>(part.count);
        const RowOwner& owner = system.parts().rows.owners[i];
        const std::span<const double> own(s.data() + owner.first_row,
                                          static_cast<std::size_t>(owner.num_rows));
        add_lines(part,
                  scene.bodies[i],
                  {q.subspan(first, count), v.subspan(first, count), own, system.time()},
                  out);
    }
    const double length = system.state().extent > 0.0 ? system.state().extent : 1.0;
    for (ObjectForce& of : out) of.size = size_of(of, length);
    std::ranges::stable_sort(out, std::ranges::greater{}, &ObjectForce::size);
    return out;
}

std::vector<BodyAcceleration> present_accelerations(const Model& model,
                                                    const KernelSystem& system,
                                                    const Dynamics& now) {
    // Velocities of the frame along q + v dt, v + a dt, by a central difference
    constexpr double kTime = 1e-6;
    std::vector<BodyAcceleration> out;
    std::vector<double> q, v;
    for (const BodyPart& part : model.bodies) {
        if (part.is_inner || part.pose_kind == PoseKind::none) continue;
        std::array<Vec3, 2> velocity, spin;
        for (const std::size_t side : {0u, 1u}) {
            const double dt = side == 0 ? -kTime : kTime;
            q.clear();
            v.clear();
            for (int i = part.first; i < part.first + part.count; ++i) {
                const auto k = static_cast<std::size_t>(i);
                q.push_back(system.q()[k] + dt * system.v()[k]);
                v.push_back(system.v()[k] + dt * now.acceleration[k]);
            }
            const double t = system.time();
            const Pose pose = part.pose(q, v, &t);
            velocity[side] = vec3(pose.velocity);
            const auto& [w, x, y, z] = pose.quaternion;
            spin[side] = Eigen::Quaterniond(w, x, y, z).normalized() * vec3(pose.angular_velocity);
        }
        BodyAcceleration& of = out.emplace_back();
        of.name = part.object.name;
        vec3(of.linear) = (velocity[1] - velocity[0]) / (2.0 * kTime);
        if (part.pose_kind == PoseKind::attitude)
            vec3(of.angular) = (spin[1] - spin[0]) / (2.0 * kTime);
    }
    std::ranges::stable_sort(out, std::ranges::greater{}, [](const BodyAcceleration& of) {
        return norm(of.linear);
    });
    return out;
}

}  // namespace ancora
