// SPDX-License-Identifier: BSD-3-Clause
// The bodies of a model, made on demand, since one may start from another's motion.
#include "body_builder.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "joint_placement.hpp"
#include "manifest_plugins.hpp"
#include "pose.hpp"
#include "shape_weight.hpp"

namespace ancora {
namespace {

// Between the ends of a body whose places are not known yet [m]: it is made there to know its
// coordinates, and again where they are. One that refuses the first (a cable that is too short) is
// tried with the others.
constexpr std::array<double, 7> kDistances = {1.0, 0.1, 10.0, 0.01, 100.0, 0.001, 1000.0};

}  // namespace

BodyBuilder::BodyBuilder(Model& model,
                         const Manifest& manifest,
                         ObjectTypes& types,
                         const ArgumentBinder& binder,
                         SignalCollector& signals)
    : model_(model),
      manifest_(manifest),
      types_(types),
      binder_(binder),
      signals_(signals),
      progress_(manifest.bodies.size(), Progress::waiting),
      motions_(manifest.bodies.size()) {}

void BodyBuilder::make_all() {
    for (const ObjectSpec& spec : manifest_.bodies) model_.body_names.add(spec.name);
    model_.bodies.resize(manifest_.bodies.size());
    // messages on the first of them name others, too
    for (std::size_t i = 0; i < manifest_.bodies.size(); ++i)
        model_.bodies[i].object.name = manifest_.bodies[i].name;
    for (std::size_t i = 0; i < manifest_.bodies.size(); ++i) make(i);
}

void BodyBuilder::make(std::size_t i) {
    if (progress_[i] == Progress::made) return;
    const ObjectSpec& spec = manifest_.bodies[i];
    progress_[i] = Progress::making;
    const ObjectRef object = types_.refer(spec);
    std::optional<Error> refusal;
    for (const double distance : kDistances) {
        num_ends_ = 0;
        end_distance_ = distance;
        if (refusal) forget_calls(object);
        BoundArguments arguments = refusal ? bind_again(spec, object) : bind(spec, object);
        try {
            model_.bodies[i] = {object, create_object<Body>(object, arguments)};
        } catch (const Error& error) {
            if (object.record->frames.empty()) throw;
            if (!refusal) refusal = error;
            continue;
        }
        signals_.note_body(i, std::move(arguments));
        progress_[i] = Progress::made;
        return;
    }
    throw *refusal;
}

void BodyBuilder::forget_calls(const ObjectRef& object) {
    object.record->motions.clear();
    object.record->frames.clear();
    object.record->parameters.clear();
}

/// Files and angles are noted from the first time.
BoundArguments BodyBuilder::bind_again(const ObjectSpec& spec, const ObjectRef& object) {
    const std::size_t num_files = model_.files.size(), num_angles = model_.plain_angles.size();
    BoundArguments arguments = bind(spec, object);
    model_.files.erase(model_.files.begin() + static_cast<std::ptrdiff_t>(num_files),
                       model_.files.end());
    model_.plain_angles.resize(num_angles);
    return arguments;
}

BoundArguments BodyBuilder::bind(const ObjectSpec& spec, const ObjectRef& object) const {
    Table weighed;
    const bool is_weighed = weigh_by_shape(manifest_, spec, object, weighed);
    return binder_.bind(object, is_weighed ? weighed : spec.parameters, spec.scope.get());
}

void BodyBuilder::number_coordinates() {
    for (BodyPart& part : model_.bodies) {
        part.first = model_.num_coordinates;
        model_.num_coordinates += part.count;
    }
    if (model_.num_coordinates == 0)
        throw Error(
            ErrorKind::manifest,
            "the model has no body, or none with coordinates; add a [[body]]",
            manifest_.file.empty()
                ? Place{}
                : Place{std::make_shared<const std::string>(manifest_.file.string()), 0, 0});
    model_.start_q.assign(model_.num_coordinates, 0.0);
    model_.start_v = model_.start_q;
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) read_start(i);
}

void BodyBuilder::name_frames() {
    for (BodyFrame& frame : read_frames(manifest_, ground_of(manifest_)))
        model_.frames.add(FrameNames::kGround, "ground", std::move(frame));
    for (std::size_t i = 0; i < manifest_.bodies.size(); ++i) {
        const ObjectSpec& spec = manifest_.bodies[i];
        for (BodyFrame& frame : read_frames(manifest_, spec))
            model_.frames.add(static_cast<int>(i), spec.name, std::move(frame));
    }
}

const std::vector<LinkBody>& BodyBuilder::find_links(std::span<const std::vector<int>> joined) {
    carried_.resize(model_.bodies.size());
    has_moved_.assign(model_.bodies.size(), false);
    for (std::size_t i = 0; i < manifest_.bodies.size(); ++i)
        for (const auto& [carrier, motion] : model_.bodies[i].object.record->motions)
            carried_[model_.body_names.find(carrier)].push_back(static_cast<int>(i));
    for (std::size_t i = 0; i < manifest_.bodies.size(); ++i) {
        const ObjectRef& object = model_.bodies[i].object;
        if (object.record->frames.empty()) continue;
        LinkBody link{static_cast<int>(i), {}, {}};
        for (const auto& [text, frame] : object.record->frames) {
            const int end = body_of_frame(model_, text, {object.label, object.place, {}, {}});
            if (std::ranges::find(link.ends, end) == link.ends.end()) link.ends.push_back(end);
            if (end == link.body)
                throw Error(ErrorKind::manifest,
                            fmt::format("{}: \"{}\" is a point of the body itself, expected one of "
                                        "another body or the ground",
                                        object.label,
                                        text),
                            object.place);
        }
        links_.push_back(std::move(link));
    }
    lay_out(joined);
    return links_;
}

/// Numbers say where things lie before joints move them: a rod from a body's point to numbers turns
/// with that body, instead of changing its length.
void BodyBuilder::lay_out(std::span<const std::vector<int>> joined) {
    const auto is_link = [this](int body) {
        return std::ranges::find(links_, body, &LinkBody::body) != links_.end();
    };
    const auto is_laid_out = [&](const LinkBody& link) {
        const auto is_rigid = [this](int body) {
            return model_.bodies[body].pose_kind == PoseKind::attitude;
        };
        if (link.ends.size() != 1 || link.ends[0] < 0 || is_link(link.ends[0])) return false;
        // One end is in numbers where all that its parameters name is one point
        const auto& named = model_.bodies[link.body].object.record->frames;
        if (std::ranges::any_of(named, [&](const auto& one) {
                return one.first != named.front().first;
            }))
            return false;
        return is_rigid(link.body) && is_rigid(link.ends[0]) &&
               std::ranges::any_of(joined, [&](const std::vector<int>& bodies) {
                   return std::ranges::find(bodies, link.body) != bodies.end() &&
                          std::ranges::find(bodies, link.ends[0]) != bodies.end();
               });
    };
    has_places_ = true;
    for (auto next = links_.begin(); next != links_.end();) {
        if (!is_laid_out(*next)) {
            ++next;
            continue;
        }
        const int body = next->body;
        links_.erase(next);
        remake(static_cast<std::size_t>(body));
        follow({&body, 1});
        next = links_.begin();  // others may begin on it
    }
    has_places_ = false;
    has_moved_.assign(model_.bodies.size(), false);
}

void BodyBuilder::place(const std::vector<std::vector<int>>& tied,
                        const std::function<void(int)>& joints_of,
                        const std::function<const Place*(int)>& start_of) {
    for (std::size_t k = 0; k < links_.size(); ++k) links_[k].tied = tied[k];
    has_places_ = true;
    place_bodies(model_,
                 {links_,
                  [&](int link) {
                      remake(static_cast<std::size_t>(link));
                      joints_of(link);
                  },
                  [this](std::span<const int> moved) {
                      return follow(moved);
                  },
                  start_of});
}

/// Makes bodies anew that start as carried by those that have moved, and have not moved themselves.
std::vector<int> BodyBuilder::follow(std::span<const int> moved) {
    std::vector<int> out;
    for (const int i : moved) has_moved_[i] = true;
    const auto is_in = [](const auto& bodies, int i) {
        return std::ranges::find(bodies, i) != bodies.end();
    };
    const auto follow_one = [&](int i) {
        motions_[i].reset();
        for (const int carried : carried_[i]) {
            const bool is_link =
                std::ranges::find(links_, carried, &LinkBody::body) != links_.end();
            if (is_link || has_moved_[carried] || is_in(out, carried)) continue;
            out.push_back(carried);
        }
    };
    for (const int i : moved) follow_one(i);
    for (std::size_t k = 0; k < out.size(); ++k) follow_one(out[k]);
    for (const int i : out) remake(static_cast<std::size_t>(i));
    return out;
}

void BodyBuilder::remake(std::size_t i) {
    const ObjectSpec& spec = manifest_.bodies[i];
    const ObjectRef object = model_.bodies[i].object;
    forget_calls(object);
    const BoundArguments arguments = bind_again(spec, object);
    const BodyPart before = std::move(model_.bodies[i]);
    BodyPart& part = model_.bodies[i] = {object, create_object<Body>(object, arguments)};
    part.first = before.first;
    part.look = before.look;
    read_start(i);
}

FrameStart BodyBuilder::frame_of(const std::string& text, const Asker& asker) {
    if (has_places_) return frame_start(model_, text, asker, model_.texts);
    body_of_frame(model_, text, asker);  // refuses one that is not there, at the key's place
    FrameStart somewhere;
    somewhere.body = "ground";
    somewhere.point = "ground@[0, 0, 0]";
    somewhere.names_point = somewhere.has_attitude = true;
    somewhere.motion.position[0] = ++num_ends_ * end_distance_;  // two ends apart
    return somewhere;
}

void BodyBuilder::read_start(std::size_t i) {
    const BodyPart& part = model_.bodies[i];
    const auto first = static_cast<std::size_t>(part.first);
    const auto count = static_cast<std::size_t>(part.count);
    part.start(std::span(model_.start_q).subspan(first, count),
               std::span(model_.start_v).subspan(first, count));
}

const RigidMotion& BodyBuilder::motion_of(const std::string& name, const Place& place) {
    const auto i = static_cast<std::size_t>(find_body(model_, manifest_, name, place));
    if (progress_[i] == Progress::making)
        throw Error(
            ErrorKind::manifest,
            fmt::format("body \"{}\" starts from itself, over one or more other bodies", name),
            place);
    make(i);
    if (!motions_[i]) {
        const BodyPart& part = model_.bodies[i];
        if (part.pose_kind != PoseKind::attitude)
            throw Error(ErrorKind::manifest,
                        fmt::format("body \"{}\" (type {}) has no attitude, so nothing can "
                                    "start as carried by it; name a rigid body",
                                    name,
                                    part.object.type->name),
                        place);
        motions_[i] = std::make_unique<RigidMotion>(motion_of_part(i));
    }
    return *motions_[i];
}

/// Bodies are asked for their start before coordinates are numbered, too.
RigidMotion BodyBuilder::motion_of_part(std::size_t i) {
    if (model_.num_coordinates > 0) return start_motion(model_, static_cast<int>(i));
    BodyPart& part = model_.bodies[i];
    const int first = std::exchange(part.first, 0);
    model_.start_q.assign(part.count, 0.0);
    model_.start_v = model_.start_q;
    read_start(i);
    const RigidMotion motion = start_motion(model_, static_cast<int>(i));
    part.first = first;
    return motion;
}

void BodyBuilder::take_in(const Body& own, ConstraintPart& part) {
    if (part.joint != nullptr)
        throw Error(ErrorKind::plugin,
                    describe(part.object) +
                        ": is a joint and brings a body along, which only "
                        "other constraints may",
                    part.object.place);
    ObjectRef object = part.object;
    object.label += ", its inertia";
    object.record = nullptr;  // nothing makes it by itself
    // The constraint owns it
    BodyPart body{object, std::shared_ptr<const Body>(std::shared_ptr<void>(), &own)};
    body.is_inner = true;
    body.first = model_.num_coordinates;
    model_.num_coordinates += body.count;
    part.own_first = body.first;
    part.own_end = model_.num_coordinates;
    model_.start_q.resize(model_.num_coordinates, 0.0);
    model_.start_v.resize(model_.start_q.size(), 0.0);
    for (int i = 0; i < body.count; ++i) {
        Attachment at;
        at.is_point = false;
        at.body = static_cast<int>(model_.bodies.size());
        at.text = fmt::format("{}.{}", part.object.name, i);
        at.terms.push_back({0, body.first + i, 1.0});
        part.attachments.push_back(std::move(at));
    }
    model_.bodies.push_back(std::move(body));
    read_start(model_.bodies.size() - 1);
}

int body_of_frame(const Model& model, const std::string& text, const Asker& asker) {
    const FrameNames::Named* const named = model.frames.find(text);
    if (named != nullptr) return named->body;
    std::string name = text.substr(0, text.find('@'));
    if (name.size() == text.size() && model.body_names.find(name) < 0)
        name.resize(std::min(name.size(), name.find('.')));
    name.erase(name.find_last_not_of(' ') + 1);
    return name == "ground" ? FrameNames::kGround : model.body_index(name, asker);
}

int find_body(const Model& model,
              const Manifest& manifest,
              const std::string& name,
              const Place& place) {
    const int found = model.body_names.find(name);
    if (found >= 0) return found;
    std::vector<std::string> names;
    for (const ObjectSpec& spec : manifest.bodies) names.push_back(spec.name);
    throw Error(ErrorKind::manifest, no_such_body(name, names), place);
}

}  // namespace ancora
