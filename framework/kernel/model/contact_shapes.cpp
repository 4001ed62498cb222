// SPDX-License-Identifier: BSD-3-Clause
// Which shapes meet.
#include "contact_shapes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "ancora/sdk/sketch.hpp"
#include "name_pattern.hpp"
#include "wording.hpp"

namespace ancora {
namespace {

constexpr std::string_view kGroundName = "ground";

std::span<const Parameter> schema_of(const TypeDescriptor& type) {
    return {type.parameters, static_cast<std::size_t>(type.num_parameters)};
}

[[noreturn]] void refuse(const Actor& actor,
                         std::string_view key,
                         const std::string& why,
                         const Place& at = {}) {
    throw Error(ErrorKind::manifest,
                fmt::format("{}: {}: {}", actor.object.label, key, why),
                at.known() ? at : actor.spec->place);
}

/// A text, or a list of some.
std::vector<std::pair<std::string, Place>> texts_of(const Table& parameters, const char* key) {
    std::vector<std::pair<std::string, Place>> out;
    const Table::Entry* const entry = parameters.find(key);
    if (entry == nullptr) return out;
    const auto add = [&](const Value& value) {
        // What is none is refused by the schema.
        if (const std::string* const text = value.as<std::string>())
            out.emplace_back(*text, value.place());
    };
    if (const Array* const array = entry->value.as<Array>())
        std::ranges::for_each(*array, add);
    else
        add(entry->value);
    return out;
}

Value numbers(std::span<const double> x, const Place& place) {
    Array out;
    for (const double component : x) out.push_back({component, place});
    return {std::move(out), place};
}

using Triple = std::array<double, 3>;

/// A shape in numbers: kind, three sizes, where its origin is and how it is turned.
struct Encoded {
    double kind = 0.0;
    Triple size{}, position{};
    std::array<double, 4> turn{1.0, 0.0, 0.0, 0.0};
};

/// The solids that a body draws of itself.
class Solids final : public Sketch {
public:
    explicit Solids(std::vector<SceneShape>& out) : out_(out) {}
    void box(const Triple& size, const Triple& center, const std::array<double, 4>& q) override {
        out_.push_back(Box{size, center, q});
    }
    void sphere(double radius, const Triple& center) override {
        out_.push_back(Sphere{radius, center});
    }
    void cylinder(double radius, const Triple& from, const Triple& to) override {
        out_.push_back(Cylinder{radius, from, to});
    }
    void nodes(int) override {}
    void lines(std::span<const std::int32_t>) override {}
    void triangles(std::span<const std::int32_t>) override {}
    void channel(const char*, const char*, ChannelPlace) override {}

private:
    std::vector<SceneShape>& out_;
};

/// The rotation that takes the third axis to the way from one point to the other.
template <class Round>
Encoded encoded_round(double kind, const Round& round) {
    Triple d{}, middle{};
    double square = 0.0;
    for (std::size_t i = 0; i < 3; ++i) {
        d[i] = round.to[i] - round.from[i];
        middle[i] = 0.5 * (round.from[i] + round.to[i]);
        square += d[i] * d[i];
    }
    const double length = std::sqrt(square);
    Encoded out{kind, {round.radius, 0.5 * length, 0.0}, middle};
    // Half way between the third axis and d / |d|; against it, about the first.
    const double w = 1.0 + d[2] / length;
    if (w > 1e-12) {
        out.turn = {w, -d[1] / length, d[0] / length, 0.0};
        const double norm = std::sqrt(out.turn[0] * out.turn[0] + out.turn[1] * out.turn[1] +
                                      out.turn[2] * out.turn[2]);
        for (double& x : out.turn) x /= norm;
    } else {
        out.turn = {0.0, 1.0, 0.0, 0.0};
    }
    return out;
}

}  // namespace

bool takes_shapes(const TypeDescriptor& type) {
    if (type.kind != TypeKind::constraint) return false;
    const auto has = [&](std::string_view key, Shape shape) {
        return std::ranges::any_of(schema_of(type), [&](const Parameter& p) {
            return p.name == key && p.allows(shape);
        });
    };
    return has("a", Shape::frame) && has("b", Shape::frame) && has("shape", Shape::table) &&
           has("shape_b", Shape::table) && has("bodies", Shape::texts) &&
           has("solids", Shape::matrix) && has("apart", Shape::matrix);
}

ContactShapes::ContactShapes(Model& model,
                             const Manifest& manifest,
                             const std::vector<Actor>& actors)
    : model_(model), manifest_(manifest), actors_(actors) {
    const auto is_contact = [](const Actor& actor) {
        return takes_shapes(*actor.object.type);
    };
    if (std::ranges::none_of(actors, is_contact)) return;
    read_solids();
    read_joints();
    read_pairs();
    read_ties();
    for (const Actor& actor : actors)
        // What is no name is refused by the schema.
        if (is_contact(actor) && !texts_of(*actor.parameters, "bodies").empty() &&
            actor.parameters->find("solids") == nullptr)
            groups_.push_back(read_group(actor));
    share_pairs();
    warn_of_materials();
    for (const Group& group : groups_) note(group);
}

void ContactShapes::read_solids() {
    const auto add = [this](int body,
                            const std::vector<SceneSolid>& solids,
                            const std::vector<std::string>& materials) {
        for (std::size_t i = 0; i < solids.size(); ++i)
            solids_.push_back({body, &solids[i], materials[i], {}});
    };
    for (std::size_t b = 0; b < model_.body_names.size(); ++b) {
        const BodyPart& part = model_.bodies[b];
        add(static_cast<int>(b), part.look.solids, part.look.materials);
        if (part.look.is_given || part.pose_kind != PoseKind::attitude) continue;
        std::vector<SceneShape> shapes;
        Solids sketch(shapes);
        part.draw(sketch);
        for (SceneShape& shape : shapes)
            solids_.push_back(
                {static_cast<int>(b), &drawn_.emplace_back(SceneSolid{std::move(shape)}), {}, {}});
    }
    add(kGround, model_.scenery, model_.scenery_materials);
}

/// The bodies that each joint joins.
void ContactShapes::read_joints() {
    for (const ConstraintPart& part : model_.constraints) {
        if (part.joint == nullptr) continue;
        int first = kGround - 1, second = first;
        for (const Attachment& at : part.attachments) {
            const int body = at.body;
            if (first < kGround)
                first = body;
            else if (body != first)
                second = body;
        }
        if (second >= kGround) joined_.emplace(pair_of(first, second), part.object.name);
    }
}

std::string ContactShapes::name_of(int body) const {
    return body == kGround ? std::string(kGroundName) : model_.bodies[body].object.name;
}

/// The body that `a` or `b` of a contact of two names, with a point or a frame of it, or the
/// ground; below that where there is none.
int ContactShapes::body_of(const Actor& actor, const char* key) const {
    const auto names = texts_of(*actor.parameters, key);
    if (names.empty()) return kGround - 1;
    const std::string name = names.front().first.substr(0, names.front().first.find_first_of("@."));
    if (name == kGroundName) return kGround;
    const int found = model_.body_names.find(name);
    return found >= 0 ? found : kGround - 1;
}

/// That body with all its shapes, or the point of it that is named, where it has none.
ContactShapes::End ContactShapes::end_of(const Actor& actor, const char* key) const {
    End out{body_of(actor, key), {}};
    if (out.body <= kGround || has_shape(out.body)) return out;
    const auto [name, place] = texts_of(*actor.parameters, key).front();
    if (name.find('@') == std::string::npos) return out;
    const std::vector<std::string> points = points_of(name, {actor.object.label, place, key, {}});
    if (points.size() == 1) out.point = points.front();
    return out;
}

/// All points that a text names, as texts of attachments.
std::vector<std::string> ContactShapes::points_of(const std::string& text,
                                                  const Asker& asker) const {
    std::vector<Attachment> points;
    attach_points(model_, text, asker, points);
    std::vector<std::string> out;
    for (Attachment& point : points) out.push_back(std::move(point.text));
    return out;
}

/// Points that are held at another body, which they do not meet as well.
void ContactShapes::read_ties() {
    for (const Actor& actor : actors_) {
        if (actor.object.type->kind != TypeKind::constraint || actor.release != nullptr ||
            takes_shapes(*actor.object.type))
            continue;
        const End a = end_of(actor, "a"), b = end_of(actor, "b");
        if (a.body < kGround || b.body < kGround || (a.point.empty() && b.point.empty())) continue;
        tied_.emplace(pair_of(a, b), actor.object.name);
    }
}

/// The joint of two bodies, or what ties a point of one to the other; null: none.
const std::string* ContactShapes::joint_of(const Solid& a, const Solid& b) const {
    if (a.point.empty() && b.point.empty()) {
        const auto joint = joined_.find(pair_of(a.body, b.body));
        return joint == joined_.end() ? nullptr : &joint->second;
    }
    const auto tie = tied_.find(pair_of(End{a.body, a.point}, End{b.body, b.point}));
    return tie == tied_.end() ? nullptr : &tie->second;
}

/// The contacts of two, of which joined bodies are better none.
void ContactShapes::read_pairs() {
    for (const Actor& actor : actors_) {
        if (!takes_shapes(*actor.object.type) || actor.parameters->find("bodies") != nullptr)
            continue;
        // A plane is none of the shapes of b.
        if (actor.parameters->find("plane") != nullptr) continue;
        const int a = body_of(actor, "a"), b = body_of(actor, "b");
        if (a < kGround || b < kGround) continue;
        const Pair pair = pair_of(a, b);
        named_.emplace(pair_of(end_of(actor, "a"), end_of(actor, "b")), actor.object.name);
        // Points of bodies are chosen on purpose, as those of a stop.
        const auto joint = joined_.find(pair);
        const auto names_point = [&actor](const char* key) {
            const auto texts = texts_of(*actor.parameters, key);
            return texts.front().first.find_first_of("@.") != std::string::npos;
        };
        if (joint == joined_.end() || names_point("a") || names_point("b")) continue;
        model_.warnings.push_back(
            {fmt::format("{}: the joint \"{}\" joins \"{}\" and \"{}\", and their shapes meet "
                         "where it does: such a contact fights the joint wherever it closes; "
                         "leave it out, or give limits to the joint",
                         actor.object.label,
                         joint->second,
                         name_of(a),
                         name_of(b)),
             actor.spec->place});
    }
}

bool ContactShapes::Selection::has(int place, const Solid& solid) const {
    return solid.point.empty() ? std::ranges::binary_search(bodies, solid.body)
                               : std::ranges::binary_search(points, place);
}

bool ContactShapes::has_shape(int body) const {
    return std::ranges::any_of(solids_, [body](const Solid& solid) {
        return solid.body == body && solid.solid != nullptr;
    });
}

/// Puts points of a body behind all solids.
void ContactShapes::add_points(int body,
                               const std::string& text,
                               const Actor& actor,
                               const char* key,
                               const Place& place,
                               Selection& to) {
    for (std::string& point : points_of(text, {actor.object.label, place, key, {}})) {
        const auto found = std::ranges::find(solids_, point, &Solid::point);
        to.points.push_back(static_cast<int>(found - solids_.begin()));
        if (found == solids_.end()) solids_.push_back({body, nullptr, {}, std::move(point)});
    }
}

/// Bodies by names in which * and ? stand for any characters, and points.
ContactShapes::Selection ContactShapes::select(const Actor& actor, const char* key) {
    Selection out;
    for (const auto& [name, place] : texts_of(*actor.parameters, key)) {
        if (name == kGroundName) {
            out.bodies.push_back(kGround);
            continue;
        }
        if (const std::size_t at = name.find('@'); at != std::string::npos) {
            // What is wrong with the name is said where its points are looked for.
            add_points(model_.body_names.find(name.substr(0, at)), name, actor, key, place, out);
            continue;
        }
        const int body = model_.body_names.find(name);
        if (body >= 0) {
            std::span<const std::int32_t> nodes;
            if (has_shape(body))
                out.bodies.push_back(body);
            else if (!model_.bodies[body].group("*", nodes).has_value())
                add_points(body, name + "@*", actor, key, place, out);
            else
                refuse(actor,
                       key,
                       fmt::format("body \"{}\" has no shape; give it one, such as shape = "
                                   "{{ sphere = 0.1 }}",
                                   name),
                       place);
            continue;
        }
        std::vector<std::string> names;
        const std::size_t before = out.bodies.size();
        bool any = false;
        for (std::size_t b = 0; b < model_.body_names.size(); ++b) {
            names.push_back(model_.bodies[b].object.name);
            if (name.find_first_of("*?") == std::string::npos || !fits_pattern(name, names.back()))
                continue;
            any = true;
            if (has_shape(static_cast<int>(b))) out.bodies.push_back(static_cast<int>(b));
        }
        if (out.bodies.size() > before) continue;
        if (any)
            refuse(actor,
                   key,
                   fmt::format("no body that {} stands for has a shape; give them the key "
                               "`shape`",
                               in_quotes(name)),
                   place);
        refuse(actor,
               key,
               fmt::format("{} stands for no body{}", in_quotes(name), hint(name, names, "bodies")),
               place);
    }
    for (std::vector<int>* const list : {&out.bodies, &out.points}) {
        std::ranges::sort(*list);
        const auto rest = std::ranges::unique(*list);
        list->erase(rest.begin(), rest.end());
    }
    return out;
}

ContactShapes::Group ContactShapes::read_group(const Actor& actor) {
    const Table& parameters = *actor.parameters;
    const auto refuse_beside = [&](const char* key) {
        if (const Table::Entry* const entry = parameters.find(key))
            refuse(actor, key, "is about a contact of two, and `bodies` names many", entry->place);
    };
    for (const char* const key : {"a", "b", "shape", "shape_b", "radius_b", "inside", "plane"})
        refuse_beside(key);
    Group group;
    group.actor = &actor;
    group.has_planes = parameters.find("planes") != nullptr;
    const Selection bodies = select(actor, "bodies");
    const bool has_with = parameters.find("with") != nullptr;
    const Selection with = has_with ? select(actor, "with") : bodies;
    const bool has_points = !bodies.points.empty() || !with.points.empty();
    // Of points it is the radius.
    if (!has_points) refuse_beside("radius");
    const auto materials = texts_of(parameters, "materials");
    if (has_points && !materials.empty())
        refuse(actor,
               "materials",
               "are those of shapes, and a point has none: leave points or materials out",
               materials.front().second);
    if (materials.size() > 2)
        refuse(actor,
               "materials",
               fmt::format("names {} materials; a pair has two", materials.size()),
               materials.front().second);
    for (const auto& [material, place] : materials) {
        group.materials.push_back(material);
        std::vector<std::string> known;
        for (const Solid& solid : solids_)
            if (!solid.material.empty()) known.push_back(solid.material);
        std::ranges::sort(known);
        const auto rest = std::ranges::unique(known);
        known.erase(rest.begin(), rest.end());
        if (std::ranges::find(known, material) == known.end())
            refuse(actor,
                   "materials",
                   fmt::format("no shape is of {}{}",
                               in_quotes(material),
                               known.empty() ? "; write shape = { ..., material = \"steel\" }"
                                             : hint(material, known, "materials")),
                   place);
    }
    for (std::size_t i = 0; i < solids_.size(); ++i) {
        const Solid& solid = solids_[i];
        const int place = static_cast<int>(i);
        const int sides = (bodies.has(place, solid) ? 1 : 0) + (with.has(place, solid) ? 2 : 0);
        int matches = 3;
        if (!group.materials.empty())
            matches = (solid.material == group.materials.front() ? 1 : 0) +
                      (solid.material == group.materials.back() ? 2 : 0);
        if (sides == 0 || matches == 0) continue;
        std::string name = solid.point.empty() ? name_of(solid.body) : solid.point;
        if (group.names.empty() || group.names.back() != name)
            group.names.push_back(std::move(name));
        group.name_of.push_back(static_cast<int>(group.names.size()) - 1);
        if (!solid.point.empty()) ++group.num_points;
        group.solids.push_back(place);
        group.sides.push_back(sides);
        group.matches.push_back(matches);
        if (group.members.empty() || group.members.back() != solid.body)
            group.members.push_back(solid.body);
    }
    return group;
}

/// Each pair of shapes belongs to one contact: the more particular one, where there are several.
void ContactShapes::share_pairs() {
    std::unordered_map<std::int64_t, const Group*> owners;
    const bool are_shared = groups_.size() > 1;
    for (const bool by_material : {true, false})
        for (Group& group : groups_) {
            if (group.materials.empty() == by_material) continue;
            const auto count = static_cast<int>(group.solids.size());
            for (int i = 0; i < count; ++i)
                for (int j = 0; j < i; ++j) {
                    const Solid& a = solids_[group.solids[i]];
                    const Solid& b = solids_[group.solids[j]];
                    const auto meet = [&](const std::vector<int>& of) {
                        return ((of[i] & 1) != 0 && (of[j] & 2) != 0) ||
                               ((of[j] & 1) != 0 && (of[i] & 2) != 0);
                    };
                    if (a.body == b.body || !meet(group.sides) || !meet(group.matches)) continue;
                    if (const std::string* const joint = joint_of(a, b)) {
                        group.joints.insert(*joint);
                        ++group.num_joined;
                        group.apart.emplace_back(j, i);
                        continue;
                    }
                    const auto particular =
                        named_.find(pair_of(End{a.body, a.point}, End{b.body, b.point}));
                    if (particular != named_.end()) {
                        group.others.insert(particular->second);
                        ++group.num_others;
                        group.apart.emplace_back(j, i);
                        continue;
                    }
                    if (are_shared) {
                        const std::int64_t key = static_cast<std::int64_t>(group.solids[i]) *
                                                     static_cast<std::int64_t>(solids_.size()) +
                                                 group.solids[j];
                        const auto [owner, is_new] = owners.emplace(key, &group);
                        if (!is_new) {
                            const Actor& other = *owner->second->actor;
                            if (owner->second->materials.empty() == group.materials.empty())
                                refuse(*group.actor,
                                       "bodies",
                                       fmt::format("the pair \"{}\" and \"{}\" is that of {} "
                                                   "already; a pair has one contact",
                                                   name_of(a.body),
                                                   name_of(b.body),
                                                   other.object.label));
                            group.others.insert(other.object.name);
                            ++group.num_others;
                            group.apart.emplace_back(j, i);
                            continue;
                        }
                    }
                    group.own.emplace_back(j, i);
                }
            if (group.own.empty() && !group.has_planes)
                refuse(*group.actor,
                       "bodies",
                       group.num_others > 0
                           ? fmt::format("leaves no pair of shapes: more particular contacts have "
                                         "them all, such as \"{}\"; leave this one out",
                                         *group.others.begin())
                       : group.num_joined > 0
                           ? "all of its pairs are joined by joints, and none is left"
                           : "leaves no pair of shapes of two bodies");
        }
}

/// Where contacts are by materials, pairs of materials that none is about.
void ContactShapes::warn_of_materials() {
    if (std::ranges::all_of(groups_, [](const Group& group) {
            return group.materials.empty();
        }))
        return;
    std::set<int> members;
    std::set<std::pair<std::string, std::string>> met;
    const auto materials = [](const std::string& a, const std::string& b) {
        return std::pair(std::min(a, b), std::max(a, b));
    };
    for (const Group& group : groups_) {
        members.insert(group.members.begin(), group.members.end());
        for (const auto* const list : {&group.own, &group.apart})
            for (const auto& [j, i] : *list)
                met.insert(materials(solids_[group.solids[i]].material,
                                     solids_[group.solids[j]].material));
    }
    std::set<std::pair<std::string, std::string>> missing;
    for (std::size_t i = 0; i < solids_.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const Solid& a = solids_[i];
            const Solid& b = solids_[j];
            if (a.body == b.body || !members.contains(a.body) || !members.contains(b.body) ||
                a.solid == nullptr || b.solid == nullptr)
                continue;
            const auto pair = materials(a.material, b.material);
            if (!met.contains(pair)) missing.insert(pair);
        }
    const auto in_words = [](const std::string& material) {
        return material.empty() ? std::string("what has no material") : in_quotes(material);
    };
    for (const auto& [a, b] : missing)
        model_.warnings.push_back(
            {fmt::format("no contact is about {} and {}, so that they go through each other: give "
                         "one the key materials = [\"{}\", \"{}\"], or one without materials for "
                         "all others",
                         in_words(a),
                         in_words(b),
                         a.empty() ? "..." : a,
                         b.empty() ? "..." : b),
             {}});
}

/// What `check` says of a contact of many.
void ContactShapes::note(const Group& group) {
    const auto names = [](const std::set<std::string>& of) {
        constexpr std::size_t kMost = 6;
        std::vector<std::string> list;
        for (const std::string& name : of)
            if (list.size() < kMost) list.push_back(in_quotes(name));
        std::string out = fmt::format("{}", fmt::join(list, ", "));
        if (of.size() > kMost) out += fmt::format(" and {} more", of.size() - kMost);
        return out;
    };
    const long num_shapes = static_cast<long>(group.solids.size()) - group.num_points;
    std::string text =
        fmt::format("{} pair{} of {} {}{} of {} bodies may meet",
                    group.own.size(),
                    group.own.size() == 1 ? "" : "s",
                    num_shapes,
                    num_shapes == 1 ? "shape" : "shapes",
                    group.num_points == 0 ? "" : fmt::format(" and {} points", group.num_points),
                    group.members.size());
    if (group.num_joined > 0)
        text += fmt::format("; {} left out, since {} join {}: {}",
                            group.num_joined,
                            group.num_points == 0 ? "joints" : "constraints",
                            group.num_points == 0 ? "their bodies" : "them",
                            names(group.joints));
    if (group.num_others > 0)
        text += fmt::format(
            "; {} left to more particular contacts: {}", group.num_others, names(group.others));
    model_.contact_notes.push_back({group.actor->object.name, text});
}

/// What the schema knows of the shape of the body that `key` names, where nothing else is given.
void ContactShapes::add_own_shape(const Actor& actor,
                                  const char* key,
                                  const char* shape,
                                  const char* radius,
                                  const Table& parameters,
                                  Table& storage) const {
    if (parameters.find(shape) != nullptr || parameters.find(radius) != nullptr) return;
    const Table::Entry* const entry = parameters.find(key);
    const std::string* const name = entry == nullptr ? nullptr : entry->value.as<std::string>();
    const int body = name == nullptr ? -1 : model_.body_names.find(*name);
    if (body < 0) return;
    std::vector<const SceneSolid*> solids;
    for (const Solid& solid : solids_)
        if (solid.body == body && solid.solid != nullptr) solids.push_back(solid.solid);
    if (solids.empty()) return;
    if (solids.size() > 1)
        refuse(actor,
               key,
               fmt::format("body \"{}\" has {} shapes: give `{}`, or name both bodies in `bodies`, "
                           "which takes all of them",
                           *name,
                           solids.size(),
                           shape),
               entry->place);
    const Place& at = entry->place;
    const SceneShape& found = solids.front()->shape;
    Table table;
    const auto round = [&](const char* kind, const auto& of) {
        Table keys;
        keys.add({"radius", at, {of.radius, at}});
        keys.add({"from", at, numbers(of.from, at)});
        keys.add({"to", at, numbers(of.to, at)});
        table.add({kind, at, {std::move(keys), at}});
    };
    if (const auto* const box = std::get_if<Box>(&found)) {
        table.add({"box", at, numbers(box->size, at)});
        table.add({"position", at, numbers(box->center, at)});
        table.add({"orientation", at, numbers(box->quaternion, at)});
    } else if (const auto* const sphere = std::get_if<Sphere>(&found)) {
        // One about the body's own point needs no axes.
        if (sphere->center == Triple{}) {
            storage.set(radius, {sphere->radius, at});
            return;
        }
        table.add({"sphere", at, {sphere->radius, at}});
        table.add({"position", at, numbers(sphere->center, at)});
    } else if (const auto* const cylinder = std::get_if<Cylinder>(&found)) {
        round("cylinder", *cylinder);
    } else if (const auto* const capsule = std::get_if<Capsule>(&found)) {
        round("capsule", *capsule);
    } else {
        const MeshShape& mesh = std::get<MeshShape>(found);
        Array points;
        for (const Triple& x : scaled_points(mesh)) points.push_back(numbers(x, at));
        table.add({"hull", at, {std::move(points), at}});
        table.add({"position", at, numbers(mesh.center, at)});
        table.add({"orientation", at, numbers(mesh.quaternion, at)});
    }
    storage.set(shape, {std::move(table), at});
}

/// The points of a mesh in its own axes, of which a contact takes the convex hull.
std::vector<std::array<double, 3>> ContactShapes::scaled_points(const MeshShape& mesh) const {
    std::vector<Triple> out;
    for (const std::array<float, 3>& p : model_.meshes[static_cast<std::size_t>(mesh.mesh)].points)
        out.push_back({mesh.scale[0] * static_cast<double>(p[0]),
                       mesh.scale[1] * static_cast<double>(p[1]),
                       mesh.scale[2] * static_cast<double>(p[2])});
    std::ranges::sort(out);
    const auto rest = std::ranges::unique(out);
    out.erase(rest.begin(), rest.end());
    return out;
}

const Table& ContactShapes::with_shapes(const Actor& actor,
                                        const Table& parameters,
                                        Table& storage) {
    if (!takes_shapes(*actor.object.type)) return parameters;
    const auto group = std::ranges::find(groups_, &actor, &Group::actor);
    if (group != groups_.end()) return with_solids(*group, parameters, storage);
    if (parameters.find("bodies") != nullptr) return parameters;
    storage = parameters;
    add_own_shape(actor, "a", "shape", "radius", parameters, storage);
    if (parameters.find("plane") == nullptr)
        add_own_shape(actor, "b", "shape_b", "radius_b", parameters, storage);
    return storage;
}

const Table& ContactShapes::with_solids(const Group& group,
                                        const Table& parameters,
                                        Table& storage) const {
    const Place& at = parameters.find("bodies")->place;
    storage = parameters;
    Array bodies, solids, apart, points;
    for (const std::string& name : group.names) bodies.emplace_back(name, at);
    const SceneShape point = Sphere{};
    for (std::size_t i = 0; i < group.solids.size(); ++i) {
        const Solid& solid = solids_[group.solids[i]];
        const SceneShape& shape = solid.solid == nullptr ? point : solid.solid->shape;
        Encoded code;
        if (const auto* const sphere = std::get_if<Sphere>(&shape))
            code = {0.0, {sphere->radius, 0.0, 0.0}, sphere->center};
        else if (const auto* const capsule = std::get_if<Capsule>(&shape))
            code = encoded_round(1.0, *capsule);
        else if (const auto* const cylinder = std::get_if<Cylinder>(&shape))
            code = encoded_round(2.0, *cylinder);
        else if (const auto* const box = std::get_if<Box>(&shape))
            code = {3.0, box->size, box->center, box->quaternion};
        else {
            const MeshShape& mesh = std::get<MeshShape>(shape);
            const std::vector<Triple> corners = scaled_points(mesh);
            code = {4.0,
                    {static_cast<double>(points.size()), static_cast<double>(corners.size()), 0.0},
                    mesh.center,
                    mesh.quaternion};
            for (const Triple& x : corners) points.push_back(numbers(x, at));
        }
        const bool is_flat = code.kind == 3.0 && std::ranges::count(code.size, 0.0) > 0;
        if (is_flat || (code.kind == 0.0 && code.size[0] == 0.0 && solid.solid != nullptr))
            refuse(*group.actor,
                   "bodies",
                   fmt::format("the shape of \"{}\" has no volume", name_of(solid.body)),
                   at);
        std::vector<double> row{static_cast<double>(group.name_of[i]),
                                static_cast<double>(group.sides[i]),
                                static_cast<double>(group.matches[i]),
                                code.kind};
        row.insert(row.end(), code.size.begin(), code.size.end());
        row.insert(row.end(), code.position.begin(), code.position.end());
        row.insert(row.end(), code.turn.begin(), code.turn.end());
        solids.push_back(numbers(row, at));
    }
    for (const auto& [j, i] : group.apart)
        apart.push_back(numbers(std::array{static_cast<double>(j), static_cast<double>(i)}, at));
    storage.set("bodies", {std::move(bodies), at});
    storage.set("solids", {std::move(solids), at});
    if (!points.empty()) storage.set("points", {std::move(points), at});
    if (!apart.empty()) storage.set("apart", {std::move(apart), at});
    return storage;
}

}  // namespace ancora
