// SPDX-License-Identifier: BSD-3-Clause
// Sizes, masses and ties of bodies beside each other.
#include "plausibility.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <fmt/format.h>

#include "ancora/sdk/numbers/math.hpp"
#include "mass_points.hpp"
#include "pose.hpp"

namespace ancora {
namespace {

// Of the model's size: a radius of gyration beyond it is that of another unit.
constexpr double kLargeGyration = 10.0;
// Of the way from the centre of mass to what is tied or shown.
constexpr double kSmallGyration = 1.0 / 300.0;
// Of a body's own size: a joint that far from it is in another unit.
constexpr double kFarJoint = 100.0;
// [m/s^2] More than on the Sun: a gravity in another unit.
constexpr double kMostGravity = 300.0;

/// A rigid body as it lies at the start.
struct Lump {
    int body = -1;
    Vec3 center = Vec3::Zero();  ///< of mass, inertial axes [m]
    double gyration = 0.0;       ///< largest radius of gyration [m]
    double shown = 0.0;          ///< from the centre to the farthest of its shapes; 0: none [m]
    double tied = 0.0;           ///< and to the farthest point where something is tied to it [m]
};

Vec3 at_start(const Model& model, const Attachment& at) {
    Vec3 r = Vec3::Zero();
    evaluate_attachment(model.bodies, at, model.start_q.data(), nullptr, r.data(), nullptr);
    return r;
}

/// The farthest that a shape reaches from the reference point [m].
double reach_of(const SceneShape& shape, const Model& model) {
    return std::visit(
        [&](const auto& solid) {
            using Solid = std::decay_t<decltype(solid)>;
            const auto norm = [](const std::array<double, 3>& x) {
                return vec3(x).norm();
            };
            if constexpr (std::is_same_v<Solid, Box>) {
                return norm(solid.center) + 0.5 * norm(solid.size);
            } else if constexpr (std::is_same_v<Solid, Sphere>) {
                return norm(solid.center) + solid.radius;
            } else if constexpr (std::is_same_v<Solid, MeshShape>) {
                double farthest = 0.0;
                for (const auto& p : model.meshes[static_cast<std::size_t>(solid.mesh)].points)
                    farthest = std::max(
                        farthest,
                        Vec3(p[0] * solid.scale[0], p[1] * solid.scale[1], p[2] * solid.scale[2])
                            .norm());
                return norm(solid.center) + farthest;
            } else {
                return std::max(norm(solid.from), norm(solid.to)) + solid.radius;
            }
        },
        shape);
}

/// Calls `note` with each point that constraints and forces take.
template <class Note>
void each_point(const Model& model, const Note& note) {
    const auto of = [&](const auto& parts) {
        for (const auto& part : parts)
            for (const Attachment& at : part.attachments)
                if (at.is_point) note(at);
    };
    of(model.constraints);
    of(model.forces);
}

std::optional<Lump> lump_of(const Model& model, int body) {
    const BodyPart& part = model.bodies[body];
    if (part.is_inner || part.pose_kind != PoseKind::attitude) return std::nullopt;
    Lump out;
    out.body = body;
    double mass = 0.0;
    std::vector<std::pair<Vec3, double>> points;
    for (const MassPoint& point : mass_points(model, body)) {
        const Attachment at = attach(model, point.text, {"", part.object.place, {}, {}}, false);
        points.emplace_back(at_start(model, at), point.mass);
        mass += point.mass;
        out.center += point.mass * points.back().first;
    }
    if (!(mass > 0.0)) return std::nullopt;
    out.center /= mass;
    Mat3 J = Mat3::Zero();
    for (const auto& [r, m] : points) {
        const Vec3 arm = r - out.center;
        J += m * (arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose());
    }
    out.gyration = std::sqrt(J.diagonal().maxCoeff() / mass);
    const RigidMotion motion = start_motion(model, body);
    const double offset = (vec3(motion.position) - out.center).norm();
    for (const SceneSolid& solid : part.look.solids)
        out.shown = std::max(out.shown, offset + reach_of(solid.shape, model));
    return out;
}

/// Extends the box by the points of bodies that are no lump, such as nodes of a mesh.
/// @returns how large the largest of them is by what moves with its other coordinates
double extend_by_points(const Model& model, Eigen::AlignedBox3d& box) {
    double size = 0.0;
    for (const BodyPart& part : model.bodies) {
        if (part.is_inner || part.pose_kind != PoseKind::none) continue;
        for (std::size_t k = 0; k < part.coordinates.size(); ++k) {
            const Coordinate& coordinate = part.coordinates[k];
            if (!coordinate.translates) {
                if (coordinate.vector >= 0) size = std::max(size, 2.0 * coordinate.reach);
            } else if (coordinate.axis == 0 && k + 2 < part.coordinates.size() &&
                       part.coordinates[k + 1].translates && part.coordinates[k + 1].axis == 1 &&
                       part.coordinates[k + 2].translates && part.coordinates[k + 2].axis == 2) {
                box.extend(Vec3(model.start_q.data() + part.first + k));
            }
        }
    }
    return size;
}

/// Whether something acts on or holds a body.
std::vector<bool> tied_bodies(const Model& model) {
    std::vector<bool> out(model.bodies.size());
    const auto note = [&](const auto& parts) {
        for (const auto& part : parts)
            for (const Attachment& at : part.attachments)
                if (at.body >= 0) out[static_cast<std::size_t>(at.body)] = true;
    };
    note(model.constraints);
    note(model.forces);
    return out;
}

void judge_gyration(const Model& model,
                    const Lump& lump,
                    double size,
                    std::vector<Model::Warning>& out) {
    const ObjectRef& object = model.bodies[lump.body].object;
    const double reach = std::max(lump.shown, lump.tied);
    if (size > 0.0 && lump.gyration > kLargeGyration * size)
        out.push_back(
            {fmt::format("{}: its radius of gyration, sqrt(inertia/mass), is {:.3g} m, and "
                         "the whole model is {:.3g} m large: give inertia in kg m^2 and "
                         "mass in kg, or with a unit as in \"3 kg*mm^2\"",
                         object.label,
                         lump.gyration,
                         size),
             object.place});
    else if (lump.gyration < kSmallGyration * reach)
        out.push_back(
            {fmt::format("{}: its radius of gyration, sqrt(inertia/mass), is {:.3g} m, and "
                         "it reaches {:.3g} m from its centre of mass: give inertia in kg "
                         "m^2 and lengths in m, or with units as in \"30 mm\"",
                         object.label,
                         lump.gyration,
                         reach),
             object.place});
}

void judge_joint(const Model& model,
                 const ConstraintPart& part,
                 const std::vector<std::optional<Lump>>& lumps,
                 std::vector<Model::Warning>& out) {
    if (part.joint == nullptr || part.joint->point < 0) return;
    const Attachment& at = part.attachments[part.joint->point];
    if (!at.is_point) return;
    const Vec3 point = at_start(model, at);
    std::string far;
    bool is_near = false;
    for (const std::string_view name : {part.joint->a.body, part.joint->b.body}) {
        if (name == "ground") continue;
        const int body = model.body_names.find(std::string(name));
        const Lump* const lump = body >= 0 && lumps[body] ? &*lumps[body] : nullptr;
        const double size = lump != nullptr ? std::max(lump->shown, 2.0 * lump->gyration) : 0.0;
        const double distance = lump != nullptr ? (point - lump->center).norm() : 0.0;
        if (lump == nullptr || distance <= kFarJoint * size) {
            is_near = true;
            continue;
        }
        far += fmt::format("{}{:.3g} m from the centre of \"{}\", which is {:.3g} m large",
                           far.empty() ? "" : " and ",
                           distance,
                           name,
                           size);
    }
    if (far.empty() || is_near) return;
    out.push_back({fmt::format("{}: it lies {}: give lengths in m, or with a unit as in \"300 mm\"",
                               part.object.label,
                               far),
                   part.object.place});
}

}  // namespace

std::vector<Model::Warning> implausible_parts(const Model& model) {
    std::vector<Model::Warning> out = model.plain_angles;
    std::vector<std::optional<Lump>> lumps;
    for (int i = 0; i < static_cast<int>(model.bodies.size()); ++i)
        lumps.push_back(lump_of(model, i));

    // The model's size: of the box about all that is tied or lies somewhere
    Eigen::AlignedBox3d box;
    for (const auto& lump : lumps)
        if (lump) box.extend(lump->center);
    each_point(model, [&](const Attachment& at) {
        const Vec3 r = at_start(model, at);
        box.extend(r);
        if (at.body < 0 || !lumps[at.body]) return;
        Lump& lump = *lumps[at.body];
        lump.tied = std::max(lump.tied, (r - lump.center).norm());
    });
    const double largest = extend_by_points(model, box);
    double size = std::max(largest, box.isEmpty() ? 0.0 : box.diagonal().norm());
    for (const auto& lump : lumps)
        if (lump) size = std::max(size, 2.0 * lump->shown);
    for (const auto& lump : lumps)
        if (lump) judge_gyration(model, *lump, size, out);
    for (const ConstraintPart& part : model.constraints) judge_joint(model, part, lumps, out);

    if (const double g = vec3(model.gravity).norm(); g > kMostGravity)
        out.push_back(
            {fmt::format("[model]: gravity is {:.4g} m/s^2, more than on the Sun: give it in "
                         "m/s^2, on Earth 9.81, or with a unit",
                         g),
             {}});

    // A body alone flies, and so may all of them; among bodies that are tied one was forgotten
    const std::vector<bool> tied = tied_bodies(model);
    const bool falls = vec3(model.gravity).norm() > 0.0;
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
        const BodyPart& part = model.bodies[i];
        if (tied[i] || part.is_inner || !falls || model.constraints.empty()) continue;
        out.push_back(
            {fmt::format("{}: nothing ties it or acts on it but gravity, so that it falls: "
                         "add a joint or a force, or leave it out",
                         part.object.label),
             part.object.place});
    }
    return out;
}

}  // namespace ancora
