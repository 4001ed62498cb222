// SPDX-License-Identifier: BSD-3-Clause
// Asks bodies what they look like, constraints and forces where they act.
#include "scene_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "ancora/sdk/numbers/math.hpp"

namespace ancora {
namespace {

// Of scenery that has no colour of its own.
constexpr std::array kGroundColor{0.72, 0.72, 0.70};

/// Takes what a body draws, checked; throws std::invalid_argument at what cannot be.
class SceneSketch final : public Sketch {
public:
    /// @param has_look  the manifest says what the body looks like; solids are checked and dropped
    SceneSketch(SceneBody& body, bool has_look) : body_(body), has_look_(has_look) {}

    void box(const std::array<double, 3>& size,
             const std::array<double, 3>& center,
             const std::array<double, 4>& quaternion) override {
        check("box", size);
        check("box", center);
        check("box", quaternion);
        for (const double edge : size)
            if (edge < 0.0) throw std::invalid_argument("box: a negative edge");
        add(Box{size, center, quaternion});
    }
    void sphere(double radius, const std::array<double, 3>& center) override {
        check("sphere", std::array{radius});
        check("sphere", center);
        if (radius < 0.0) throw std::invalid_argument("sphere: a negative radius");
        add(Sphere{radius, center});
    }
    void cylinder(double radius,
                  const std::array<double, 3>& from,
                  const std::array<double, 3>& to) override {
        check("cylinder", std::array{radius});
        check("cylinder", from);
        check("cylinder", to);
        if (radius < 0.0) throw std::invalid_argument("cylinder: a negative radius");
        add(Cylinder{radius, from, to});
    }
    void nodes(int count) override {
        if (count < 0) throw std::invalid_argument("nodes: a negative number of them");
        body_.num_nodes = count;
    }
    void lines(std::span<const std::int32_t> ends) override {
        if (ends.size() % 2 != 0) throw std::invalid_argument("lines: an odd number of ends");
        for (const std::int32_t end : ends)
            if (end < 0 || end >= body_.num_nodes)
                throw std::invalid_argument(fmt::format(
                    "lines: an end at node {}, but there are {} nodes", end, body_.num_nodes));
        for (std::size_t i = 0; i < ends.size(); i += 2)
            body_.lines.push_back({ends[i], ends[i + 1]});
    }
    void triangles(std::span<const std::int32_t> corners) override {
        if (corners.size() % 3 != 0)
            throw std::invalid_argument("triangles: not three corners for each");
        for (const std::int32_t corner : corners)
            if (corner < 0 || corner >= body_.num_nodes)
                throw std::invalid_argument(
                    fmt::format("triangles: a corner at node {}, but there are {} nodes",
                                corner,
                                body_.num_nodes));
        for (std::size_t i = 0; i < corners.size(); i += 3)
            body_.triangles.push_back({corners[i], corners[i + 1], corners[i + 2]});
    }
    using Sketch::channel;
    void channel(const char* name, const char* unit, ChannelPlace of) override {
        if (of < ChannelPlace::lines || of > ChannelPlace::curves)
            throw std::invalid_argument(fmt::format(
                "channel: the values of \"{}\" belong to no lines, nodes or triangles", name));
        body_.channels.push_back({name, unit, of});
    }
    void outlines(std::span<const Outline> all, std::span<const std::int32_t> of_lines) override {
        if (of_lines.size() != 2 * body_.lines.size())
            throw std::invalid_argument("outlines: not two for each line");
        for (const std::int32_t number : of_lines)
            if (number < 0 || static_cast<std::size_t>(number) >= all.size())
                throw std::invalid_argument(
                    fmt::format("outlines: number {} of {}", number, all.size()));
        for (const Outline& outline : all) {
            check("outlines", outline.points);
            if (outline.points.size() < 6 || outline.points.size() % 2 != 0 ||
                outline.points.size() != all.front().points.size())
                throw std::invalid_argument("outlines: not as many points in all, three or more");
            if (!(outline.hole >= 0.0 && outline.hole < 1.0))
                throw std::invalid_argument(
                    "outlines: a hole that is not smaller than its outline");
            SceneOutline& out = body_.outlines.emplace_back();
            out.hole = outline.hole;
            for (std::size_t i = 0; i < outline.points.size(); i += 2)
                out.points.push_back({outline.points[i], outline.points[i + 1]});
        }
        for (std::size_t i = 0; i < of_lines.size(); i += 2)
            body_.line_outlines.push_back({of_lines[i], of_lines[i + 1]});
    }

private:
    template <class Numbers>
    static void check(const char* what, const Numbers& numbers) {
        for (const double x : numbers)
            if (!std::isfinite(x))
                throw std::invalid_argument(fmt::format("{}: a number is {}", what, x));
    }
    void add(SceneShape shape) {
        if (body_.pose == PoseKind::none)
            throw std::invalid_argument("a shape, but the body has no pose to move it with");
        if (!has_look_) body_.shapes.push_back({shape});
    }

    SceneBody& body_;
    bool has_look_;
};

std::vector<Attachment> points_of(const std::vector<Attachment>& attachments) {
    std::vector<Attachment> out;
    std::ranges::copy_if(attachments, std::back_inserter(out), [](const Attachment& at) {
        return at.is_point;
    });
    return out;
}

/// The body's points "@0" to "@count-1".
std::vector<Attachment> nodes_of(const Model& model, const BodyPart& part, int count) {
    std::vector<Attachment> out;
    out.reserve(count);
    for (int i = 0; i < count; ++i) {
        try {
            out.push_back(attach(model,
                                 fmt::format("{}@{}", part.object.name, i),
                                 {"", part.object.place, {}, {}},
                                 false));
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::manifest) throw;
            throw Error(ErrorKind::plugin,
                        fmt::format("{}: draw has {} nodes, but the body does not know node {}: {}",
                                    describe(part.object),
                                    count,
                                    i,
                                    error.message()),
                        part.object.place);
        }
    }
    return out;
}

/// The body whose directions a force acts on, and so turns it; -1 if it does not.
int turned_body(const Model& model, const ForcePart& part) {
    if (part.effort_on != nullptr || part.contact != nullptr) return -1;
    const auto axis = std::ranges::find_if(part.attachments, &Attachment::is_direction);
    if (axis == part.attachments.end() || axis->body < 0) return -1;
    const BodyPart& body = model.bodies[axis->body];
    return body.pose_kind == PoseKind::attitude ? axis->body : -1;
}

/// The reference point of a body with a pose.
Attachment reference_point(const Model& model, int body) {
    const ObjectRef& object = model.bodies[body].object;
    return attach(model, object.name + "@[0, 0, 0]", {"", object.place, {}, {}}, false);
}

/// Bodies that meet there, and slide on each other.
bool touches(const ConstraintPart& part) {
    if (!part.tangents() || part.attachments.empty() || !part.attachments.front().is_point)
        return false;
    const std::span<const RowBlock> blocks = part.rows().blocks();
    return !blocks.empty() && blocks.front().laws.front().kind == RowKind::unilateral;
}

/// Of a constraint with a release.
bool has_opened(const Model& model, const KernelSystem& system, int constraint) {
    for (std::size_t i = 0; i < model.signals.size(); ++i)
        if (const SignalPart& part = model.signals[i];
            part.of == SignalPart::Of::release && part.index == constraint)
            return Release::has_opened(
                system.parts().signals.discrete_of_part(static_cast<int>(i)));
    return false;
}

SceneMarker marker_of(const ObjectRef& object, const std::vector<Attachment>& points) {
    SceneMarker out;
    out.name = object.name;
    out.type = object.type->name;
    for (const Attachment& at : points) out.points.push_back(at.text);
    return out;
}

}  // namespace

SceneSampler::SceneSampler(const Model& model) : model_(model) {
    scene_.gravity = model.gravity;
    const auto note_means = [&](int first, int end) {
        for (int k = first; model.traits.face == Face::discrete && k < end; ++k)
            step_means_.push_back(k);
    };
    int next = 0;
    for (const BodyPart& part : model.bodies) {
        if (part.is_inner) break;  // they are the last
        SceneBody body;
        body.name = part.object.name;
        body.type = part.object.type->name;
        body.pose = part.pose_kind;
        body.first = next;
        body.first_coordinate = part.first;
        body.num_coordinates = part.count;
        SceneSketch sketch(body, part.look.is_given);
        part.draw(sketch);
        if (part.look.is_given) {
            body.shapes = part.look.solids;
            body.is_hidden = body.shapes.empty();
        }
        nodes_.push_back(nodes_of(model, part, body.num_nodes));
        next = body.end();
        for (int c = 0; c < static_cast<int>(body.channels.size()); ++c)
            if (body.channels[static_cast<std::size_t>(c)].of != ChannelPlace::curves)
                note_means(body.channel_at(c), body.channel_at(c) + body.channel_size(c));
        scene_.bodies.push_back(std::move(body));
    }
    if (!model.scenery.empty()) {
        // A body that stands still, with the columns of any other
        SceneBody ground;
        ground.name = ground.type = "ground";
        ground.pose = PoseKind::attitude;
        ground.shapes = model.scenery;
        for (SceneSolid& solid : ground.shapes)
            if (!solid.color) solid.color = kGroundColor;
        ground.first = next;
        ground.first_coordinate = model.num_coordinates;
        next = ground.end();
        scene_.bodies.push_back(std::move(ground));
    }
    const auto add = [&](SceneMarker marker, std::vector<SceneMarker>& to) {
        marker.first = next;
        next = marker.end();
        note_means(marker.force_at(), marker.holds_at());
        to.push_back(std::move(marker));
    };
    for (const ConstraintPart& part : model.constraints) {
        tie_axes_.emplace_back();
        if (part.reaction == ReactionKind::effort)
            tie_axes_.back() = turning_axis(model, part.attachments);
        ties_.push_back(tie_axes_.back() ? std::vector{tie_axes_.back()->point}
                                         : points_of(part.attachments));
        // Of a contact the point that is pressed, without a line to the origin of what it touches.
        if (touches(part)) ties_.back().resize(1);
        SceneMarker marker = marker_of(part.object, ties_.back());
        marker.has_force = part.reaction == ReactionKind::force && !ties_.back().empty();
        marker.has_torque = tie_axes_.back().has_value();
        marker.opens = part.release != nullptr;
        add(std::move(marker), scene_.constraints);
    }
    for (const ForcePart& part : model.forces) {
        // Friction acts where its constraint does.
        const ConstraintPart* const on =
            part.contact != nullptr ? &model.constraints[part.constraint] : nullptr;
        const bool is_in_joint = on != nullptr && on->joint != nullptr;
        load_axes_.emplace_back();
        const bool is_in_ball = is_in_joint && part.num_slides == 3;
        if (is_in_ball) {
            loads_.push_back({on->attachments[on->joint->point]});
            is_torque_load_.push_back(true);
            SceneMarker marker = marker_of(part.object, loads_.back());
            marker.has_torque = true;
            add(std::move(marker), scene_.forces);
            continue;
        }
        if (is_in_joint)
            load_axes_.back() = turning_axis(*on);
        else if (part.effort_on != nullptr)
            load_axes_.back() = turning_axis(model, part.attachments);
        if (load_axes_.back())
            loads_.push_back({load_axes_.back()->point});
        else
            loads_.push_back(points_of(on != nullptr ? on->attachments : part.attachments));
        if (on != nullptr && touches(*on)) loads_.back().resize(1);
        const bool is_on_points = !loads_.back().empty();
        const int turned = turned_body(model, part);
        is_torque_load_.push_back(turned >= 0);
        if (turned >= 0 && !is_on_points) loads_.back().push_back(reference_point(model, turned));
        SceneMarker marker = marker_of(part.object, loads_.back());
        // An effort on a measure is one number and no force on a point.
        marker.has_force = is_on_points && !is_in_joint && part.effort_on == nullptr;
        marker.has_torque = load_axes_.back().has_value() || is_torque_load_.back();
        add(std::move(marker), scene_.forces);
    }
    scene_.num_values = next;
    scene_.meshes = model.meshes;
    add_skeletons(model, scene_);
    add_joints(model, scene_);
    add_frames(model, scene_);
}

void SceneSampler::sample(KernelSystem& system, std::span<double> frame) {
    const std::span<const double> q = system.q();
    const std::span<const double> v = system.v();
    const double t = system.time();
    double* out = frame.data();
    const auto put = [&out](const auto& values) {
        for (const double x : values) *out++ = x;
    };
    const auto put_points = [&](const std::vector<Attachment>& points) {
        std::array<double, 3> r{};
        for (const Attachment& at : points) {
            evaluate_attachment(model_.bodies, at, q.data(), nullptr, r.data(), nullptr);
            put(r);
        }
    };

    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const BodyPart& part = model_.bodies[i];
        const SceneBody& body = scene_.bodies[i];
        const auto first = static_cast<std::size_t>(part.first);
        const auto count = static_cast<std::size_t>(part.count);
        const std::span<const double> own_q = q.subspan(first, count);
        const std::span<const double> own_v = v.subspan(first, count);
        if (body.pose != PoseKind::none) {
            const Pose pose = part.pose(own_q, own_v, &t);
            put(pose.position);
            put(pose.velocity);
            if (body.pose == PoseKind::attitude) {
                put(pose.quaternion);
                put(pose.angular_velocity);
            }
        }
        double* const velocities = out + 3 * body.num_nodes;
        std::array<double, 3> r{}, rate{};
        for (std::size_t k = 0; k < nodes_[i].size(); ++k) {
            evaluate_attachment(
                model_.bodies, nodes_[i][k], q.data(), v.data(), r.data(), rate.data());
            put(r);
            std::ranges::copy(rate, velocities + 3 * k);
        }
        out += 3 * body.num_nodes;
        if (body.channels.empty()) continue;
        const std::span<double> values(out,
                                       static_cast<std::size_t>(body.end() - body.channel_at(0)));
        const SketchState state{own_q, own_v, system.stress_of_body(i), t};
        part.draw_values(state, values);
        out += values.size();
    }
    if (!model_.scenery.empty()) {
        put(std::array<double, 6>{});         // position and velocity
        put(std::array{1.0, 0.0, 0.0, 0.0});  // attitude
        put(std::array<double, 3>{});         // angular velocity
    }
    const auto put_torque = [&](const TurningAxis& about, double effort) {
        std::array<Vec3, 2> p;
        for (std::size_t k = 0; k < 2; ++k)
            evaluate_attachment(
                model_.bodies, about.across[k], q.data(), nullptr, p[k].data(), nullptr);
        const Vec3 torque = effort * p[0].cross(p[1]).normalized();
        put(std::array{torque(0), torque(1), torque(2)});
    };
    const std::span<const double> reactions = system.reactions().mean();
    for (std::size_t c = 0; c < scene_.constraints.size(); ++c) {
        const auto start = static_cast<std::size_t>(system.reactions().start()[c]);
        put_points(ties_[c]);
        if (scene_.constraints[c].has_force) put(reactions.subspan(start, 3));
        if (tie_axes_[c]) put_torque(*tie_axes_[c], reactions[start]);
        if (scene_.constraints[c].opens)
            put(std::array{has_opened(model_, system, static_cast<int>(c)) ? 0.0 : 1.0});
    }
    const std::span<const double> applied = system.reactions().applied();
    for (std::size_t f = 0; f < scene_.forces.size(); ++f) {
        put_points(loads_[f]);
        if (scene_.forces[f].has_force) put(applied.subspan(3 * f, 3));
        if (load_axes_[f]) put_torque(*load_axes_[f], applied[3 * f]);
        if (is_torque_load_[f]) put(system.reactions().torques().subspan(3 * f, 3));
    }
}

}  // namespace ancora
