// SPDX-License-Identifier: BSD-3-Clause
// Makes a model's objects from their specifications and resolves what refers to what.
#include "model_builder.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "ancora/framework/nearest_name.hpp"
#include "ancora/sdk/authoring/attachment_texts.hpp"
#include "bound_arguments.hpp"
#include "joint_placement.hpp"
#include "manifest_plugins.hpp"
#include "mass_points.hpp"
#include "model.hpp"
#include "pose.hpp"
#include "sha256.hpp"
#include "toml_writer.hpp"

namespace ancora {
namespace {

std::string label_of(const ObjectSpec& spec) {
    return fmt::format("{} \"{}\"", heading_of(spec), spec.name);
}

/// Makes the objects. Bodies are made on demand, since one may start from another's motion.
class ModelBuilder {
public:
    ModelBuilder(Model& model, const Manifest& manifest, PluginRegistry& registry)
        : model_(model),
          manifest_(manifest),
          registry_(registry),
          progress_(manifest.bodies.size(), Progress::waiting),
          motions_(manifest.bodies.size()) {}

    void build() {
        open_plugins();
        for (const ObjectSpec& spec : manifest_.bodies) model_.body_names.add(spec.name);
        model_.bodies.resize(manifest_.bodies.size());
        for (std::size_t i = 0; i < manifest_.bodies.size(); ++i) make_body(i);
        read_looks();
        number_coordinates();
        for (std::size_t i = 0; i < manifest_.bodies.size(); ++i) name_frames(i);
        sort_out_actors();
        // Joints come first: they say where bodies are, which others ask for.
        make_constraints(true);
        place();
        make_constraints(false);
        for (const Actor& actor : actors_)
            if (actor.object.type->kind == TypeKind::force) make_force(actor);
        read_looks();
        read_signals();
        make_integrator();
    }

private:
    enum class Progress { waiting, making, made };

    /// A constraint or force, as the manifest has it or as a law inside a joint.
    struct Actor {
        const ObjectSpec* spec;
        ObjectRef object;
        const Table* parameters;
        bool is_joint = false;
    };

    void open_plugins() {
        for (const Plugin* const plugin : load_plugins(manifest_, registry_)) use(*plugin);
    }

    UsedPlugin& use(const Plugin& plugin) {
        std::vector<UsedPlugin>& used = model_.used_plugins;
        const auto known = std::ranges::find(used, &plugin, &UsedPlugin::plugin);
        return known != used.end() ? *known : used.emplace_back(UsedPlugin{&plugin, {}});
    }

    PluginType find_type(TypeKind kind, const std::string& name, const Place& place) {
        const PluginType found = registry_.find_type(kind, name, place);
        std::vector<const TypeDescriptor*>& types = use(*found.plugin).types;
        if (std::ranges::find(types, found.type) == types.end()) types.push_back(found.type);
        return found;
    }

    ObjectRef refer(TypeKind kind,
                    const std::string& name,
                    const std::string& label,
                    const std::string& type_name,
                    const Place& place,
                    const Place& type_place) {
        const PluginType type = find_type(kind, type_name, type_place);
        const auto known = std::find(model_.plugins.begin(), model_.plugins.end(), type.plugin);
        const auto index = static_cast<int>(known - model_.plugins.begin());
        if (known == model_.plugins.end()) model_.plugins.push_back(type.plugin);
        return {
            name, label, type.plugin, type.type, index, place, std::make_shared<ObjectRecord>()};
    }

    ObjectRef refer(const ObjectSpec& spec) {
        return refer(spec.kind, spec.name, label_of(spec), spec.type, spec.place, spec.type_place);
    }

    BoundArguments bind(const ObjectRef& object,
                        const Table& parameters,
                        const ExpressionScope* scope) {
        const std::span<const Parameter> schema(
            object.type->parameters, static_cast<std::size_t>(object.type->num_parameters));
        Table storage;
        const Table& numbers =
            with_numbers(manifest_, scope, object.label, parameters, schema, storage);
        const auto motion = [this, record = object.record](
                                const std::string& body, const Place& place) -> const RigidMotion& {
            const RigidMotion& found = motion_of(body, place);
            record->motions.emplace_back(body, found);
            return found;
        };
        BoundArguments arguments(
            object.label, object.name, object.type->name, numbers, object.place, schema, motion);
        arguments.set_lookup(
            {[this, record = object.record, label = object.label](
                 const std::string& text, const Place& place) -> const FrameStart& {
                 return record->frames
                     .emplace_back(text, frame_start(model_, text, {label, place, {}, {}}, texts()))
                     .second;
             },
             [this, record = object.record, label = object.label](
                 const std::string& text, const Place& place) -> const MeasureStart& {
                 const MeasureRef ref = find_measure(model_, text, {label, place, {}, {}});
                 return record->measures.emplace_back(text, measure_start(model_, ref)).second;
             }});
        arguments.set_model(model_.gravity, manifest_.integrator.end);
        Table recorded = numbers;
        write_whole_paths(recorded, arguments);
        for (const auto& [key, path] : arguments.files())
            model_.files.push_back(
                {fmt::format("{}.{}.{}", to_text(object.type->kind), object.name, key),
                 path,
                 sha256_of_file(path)});
        for (const Table::Entry& entry : recorded.entries())
            object.record->parameters +=
                fmt::format("{} = {}\n", toml_key(entry.key), toml_value(entry.value));
        object.record->gravity = model_.gravity;
        object.record->end_time = manifest_.integrator.end;
        return arguments;
    }

    void make_body(std::size_t i) {
        if (progress_[i] == Progress::made) return;
        const ObjectSpec& spec = manifest_.bodies[i];
        progress_[i] = Progress::making;
        const ObjectRef object = refer(spec);
        BoundArguments arguments = bind(object, spec.parameters, spec.scope.get());
        model_.bodies[i] = {object, create_object<Body>(object, arguments)};
        if (model_.bodies[i].signals()) body_arguments_.emplace(i, std::move(arguments));
        progress_[i] = Progress::made;
    }

    /// Notes an object that has signals; they are read when all objects are there.
    template <class Part>
    void note_signals(SignalPart::Of of,
                      std::size_t index,
                      const Part& part,
                      BoundArguments arguments) {
        const GuardedSignals signals = part.signals();
        if (!signals) return;
        SignalPart noted;
        noted.of = of;
        noted.index = static_cast<int>(index);
        noted.name = part.object.name;
        noted.label = part.object.label;
        noted.place = part.object.place;
        noted.facts = signals.facts();
        noted.num_values = num_values(noted.facts.outputs);
        model_.signals.push_back(std::move(noted));
        signal_arguments_.push_back(std::move(arguments));
    }

    void read_signals() {
        for (auto& [i, arguments] : body_arguments_)
            note_signals(SignalPart::Of::body, i, model_.bodies[i], std::move(arguments));
        // parts do not move any more
        for (SignalPart& part : model_.signals) {
            const auto i = static_cast<std::size_t>(part.index);
            part.signals = part.of == SignalPart::Of::body         ? model_.bodies[i].signals()
                           : part.of == SignalPart::Of::constraint ? model_.constraints[i].signals()
                                                                   : model_.forces[i].signals();
        }
        read_inputs(
            model_.signals,
            signal_arguments_,
            [this](
                const AttachmentRequest& request, const Asker& asker, std::vector<Attachment>& to) {
                resolve(request, model_.integrator_object, asker, to);
            });
    }

    void name_frames(std::size_t i) {
        const ObjectSpec& spec = manifest_.bodies[i];
        for (BodyFrame& frame : read_frames(manifest_, spec))
            model_.frames.add(static_cast<int>(i), spec.name, std::move(frame));
    }

    std::deque<std::string>& texts() { return model_.texts; }

    /// All constraints and forces with their types, laws inside joints behind their joint.
    void sort_out_actors() {
        for (const auto* const list : {&manifest_.constraints, &manifest_.forces})
            for (const ObjectSpec& spec : *list) add_actor(spec);
        for (const Actor& actor : actors_)
            if (actor.object.type->kind == TypeKind::constraint)
                model_.constraint_names.add(actor.object.name);
        model_.constraints.resize(model_.constraint_names.size());
        friction_on_.assign(model_.constraints.size(), -1);
    }

    void add_actor(const ObjectSpec& spec) {
        Actor actor{&spec, refer(spec), &spec.parameters};
        const std::span<const Parameter> schema(
            actor.object.type->parameters,
            static_cast<std::size_t>(actor.object.type->num_parameters));
        std::vector<const ObjectSpec*> laws;
        for (const Parameter& p : schema) {
            actor.is_joint |=
                actor.object.type->kind == TypeKind::constraint && p.allows(Shape::frame);
            if (p.makes == nullptr) continue;
            const Table::Entry* const entry = actor.parameters->find(p.name);
            if (entry == nullptr) continue;
            laws.push_back(&inner_laws_.emplace_back(law_inside(spec, p, *entry)));
            if (actor.parameters == &spec.parameters)
                actor.parameters = &own_parameters_.emplace_back(spec.parameters);
            own_parameters_.back().erase(p.name);
        }
        actors_.push_back(std::move(actor));
        for (const ObjectSpec* const law : laws) add_actor(*law);
    }

    /// The object that `joint.KEY` makes.
    static ObjectSpec law_inside(const ObjectSpec& joint,
                                 const Parameter& key,
                                 const Table::Entry& entry) {
        ObjectSpec law;
        law.kind = TypeKind::force;
        law.name = fmt::format("{}.{}", joint.name, key.name);
        law.type = key.makes;
        law.place = law.name_place = law.type_place =
            entry.place.known() ? entry.place : joint.place;
        law.scope = joint.scope;
        std::string on = joint.name;
        if (const Table* const table = entry.value.as<Table>()) {
            law.parameters = *table;
            if (const Table::Entry* const inner = table->find("on")) {
                const std::string* const measure = inner->value.as<std::string>();
                if (measure != nullptr) on = fmt::format("{}.{}", joint.name, *measure);
            }
        } else {
            law.parameters.add({key.makes_key, entry.place, entry.value});
        }
        law.parameters.set("on", Value(on));
        return law;
    }

    void make_constraints(bool joints) {
        std::size_t index = 0;
        for (const Actor& actor : actors_) {
            if (actor.object.type->kind != TypeKind::constraint) continue;
            if (actor.is_joint == joints) make_constraint(actor, index);
            ++index;
        }
    }

    /// Bodies that start as carried by others are made anew where these were moved.
    void place() {
        place_bodies(model_);
        if (model_.placed_bodies.empty()) return;
        std::vector<bool> moved(model_.bodies.size(), false);
        for (const Model::PlacedBody& placed : model_.placed_bodies) {
            moved[static_cast<std::size_t>(placed.body)] = true;
            motions_[static_cast<std::size_t>(placed.body)].reset();
        }
        for (std::size_t i = 0; i < moved.size(); ++i) {
            if (moved[i]) continue;
            for (const auto& [carrier, motion] : model_.bodies[i].object.record->motions)
                if (moved[static_cast<std::size_t>(model_.body_names.find(carrier))]) {
                    remake(i);
                    break;
                }
        }
    }

    void remake(std::size_t i) {
        const ObjectSpec& spec = manifest_.bodies[i];
        const ObjectRef object = model_.bodies[i].object;
        object.record->motions.clear();
        object.record->parameters.clear();
        const BoundArguments arguments = bind(object, spec.parameters, spec.scope.get());
        const BodyPart before = std::move(model_.bodies[i]);
        BodyPart& part = model_.bodies[i] = {object, create_object<Body>(object, arguments)};
        part.first = before.first;
        part.look = before.look;
        read_start(i);
    }

    void read_start(std::size_t i) {
        const BodyPart& part = model_.bodies[i];
        const auto first = static_cast<std::size_t>(part.first);
        const auto count = static_cast<std::size_t>(part.count);
        part.start(std::span(model_.start_q).subspan(first, count),
                   std::span(model_.start_v).subspan(first, count));
    }

    /// What the manifest says of the bodies' looks.
    void read_looks() {
        MeshFiles files;
        for (std::size_t i = 0; i < manifest_.bodies.size(); ++i) {
            const ObjectSpec& spec = manifest_.bodies[i];
            if (!spec.shape) continue;
            BodyPart& part = model_.bodies[i];
            const std::size_t known = files.paths.size();
            files.neighbours.clear();
            part.look = read_look(part.object.label,
                                  *spec.shape,
                                  spec.place,
                                  symbols_of(manifest_, spec.scope.get()),
                                  files);
            if (part.pose_kind == PoseKind::none && !part.look.solids.empty())
                throw Error(ErrorKind::manifest,
                            fmt::format("{} (type {}) has no reference point that a shape could "
                                        "move with; write shape = \"none\" to hide it, or leave "
                                        "\"shape\" out",
                                        part.object.label,
                                        part.object.type->name),
                            spec.shape->place().known() ? spec.shape->place() : spec.place);
            const auto note = [&](const std::string& key, const std::filesystem::path& path) {
                model_.files.push_back(
                    {fmt::format("body.{}.{}", spec.name, key), path, sha256_of_file(path), true});
            };
            for (std::size_t k = known; k < files.paths.size(); ++k)
                note(files.keys[k], files.paths[k]);
            for (const MeshFiles::Neighbour& file : files.neighbours) note(file.key, file.path);
        }
        model_.meshes = std::move(files.meshes);
    }

    const RigidMotion& motion_of(const std::string& name, const Place& place) {
        const auto i = static_cast<std::size_t>(find_body(name, place));
        if (progress_[i] == Progress::making)
            throw Error(
                ErrorKind::manifest,
                fmt::format("body \"{}\" starts from itself, over one or more other bodies", name),
                place);
        make_body(i);
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
    RigidMotion motion_of_part(std::size_t i) {
        if (model_.num_coordinates > 0) return start_motion(model_, static_cast<int>(i));
        BodyPart& part = model_.bodies[i];
        const int first = std::exchange(part.first, 0);
        model_.start_q.assign(static_cast<std::size_t>(part.count), 0.0);
        model_.start_v = model_.start_q;
        read_start(i);
        const RigidMotion motion = start_motion(model_, static_cast<int>(i));
        part.first = first;
        return motion;
    }

    int find_body(const std::string& name, const Place& place) const {
        const int found = model_.body_names.find(name);
        if (found >= 0) return found;
        std::vector<std::string> names;
        for (const ObjectSpec& spec : manifest_.bodies) names.push_back(spec.name);
        throw Error(ErrorKind::manifest, no_such_body(name, names), place);
    }

    void number_coordinates() {
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
        model_.start_q.assign(static_cast<std::size_t>(model_.num_coordinates), 0.0);
        model_.start_v = model_.start_q;
        for (std::size_t i = 0; i < model_.bodies.size(); ++i) read_start(i);
    }

    /// Adds the attachment that is asked for; all of a group's points.
    void resolve(const AttachmentRequest& request,
                 const ObjectRef& object,
                 const Asker& asker,
                 std::vector<Attachment>& to) {
        using Kind = AttachmentRequest::Kind;
        switch (request.kind) {
            case Kind::coordinate:
                to.push_back(attach_coordinate(model_, request.text, asker));
                return;
            case Kind::measure:
                for (Attachment& at :
                     ancora::attachments_of(model_, find_measure(model_, request.text, asker)))
                    to.push_back(std::move(at));
                return;
            case Kind::points:
                if (object.type->kind != TypeKind::force)
                    throw std::logic_error("groups of points are for forces alone");
                attach_points(model_, request.text, asker, to);
                return;
            case Kind::point:
            case Kind::direction:
                to.push_back(attach(model_, request.text, asker, request.kind == Kind::direction));
        }
    }

    /// The attachments that an object names in its parameters.
    std::vector<Attachment> attachments_of(const ObjectRef& object,
                                           const BoundArguments& arguments,
                                           std::span<const char* const> names,
                                           std::span<const AttachmentRequest> requests,
                                           bool may_be_none = false) {
        const auto ground = [](std::span<const double> r) {
            Attachment at;
            at.text = fmt::format("ground@[{}, {}, {}]", r[0], r[1], r[2]);
            std::ranges::copy(r, at.constant.begin());
            return at;
        };
        std::vector<Attachment> attachments;
        int request = 0;  // of each parameter, which may ask for many
        const auto number = [&](std::size_t first) {
            for (std::size_t i = first; i < attachments.size(); ++i)
                attachments[i].request = request;
        };
        for (const char* key : names) {
            ++request;
            if (arguments.shape(key) == Shape::vector) {
                attachments.push_back(ground(arguments.numbers(key)));
                number(attachments.size() - 1);
                continue;
            }
            if (arguments.shape(key) == Shape::measure) {
                resolve({AttachmentRequest::Kind::measure, arguments.text(key).data(), key, ""},
                        object,
                        {object.label, arguments.place_of(key), {}, {}},
                        attachments);
                continue;
            }
            const bool is_direction = arguments.shape(key) == Shape::direction;
            attachments.push_back(attach(model_,
                                         std::string(arguments.text(key)),
                                         {object.label, arguments.place_of(key), {}, {}},
                                         is_direction));
            number(attachments.size() - 1);
        }
        std::string last_key;
        for (const AttachmentRequest& asked : requests) {
            if (asked.key != last_key) ++request;
            last_key = asked.key;
            const std::size_t first = attachments.size();
            Asker asker{object.label, arguments.place_of(asked.key), {}, {}};
            if (*asked.where != '\0') {
                asker.key = asked.key;
                asker.where = asked.where;
            }
            resolve(asked, object, asker, attachments);
            number(first);
        }
        const bool moves = std::any_of(attachments.begin(), attachments.end(), [](const auto& at) {
            return at.body >= 0;
        });
        if (!moves && !may_be_none)
            throw Error(ErrorKind::manifest,
                        fmt::format("{}: all its attachments are on the ground, nothing can move",
                                    object.label),
                        object.place);
        return attachments;
    }

    void make_constraint(const Actor& actor, std::size_t index) {
        const ObjectRef& object = actor.object;
        Table storage;
        BoundArguments arguments =
            bind(object, with_matter(actor, storage), actor.spec->scope.get());
        ConstraintPart part(object, create_object<Constraint>(object, arguments));
        const GuardedConstraint::Facts facts = part.facts();
        part.reaction = facts.reaction;
        part.is_tied_to_ground = facts.is_tied_to_inertial_frame;
        call_plugin(part.object, "attachments", [&] {
            part.attachments =
                attachments_of(object, arguments, facts.attachments, facts.more_attachments);
        });
        for (const Attachment& at : part.attachments) part.is_tied_to_ground |= at.body < 0;
        part.joint = facts.joint;
        part.effort_unit = facts.effort_unit;
        part.effort_factors = facts.effort_factors;
        if (facts.own_body != nullptr) take_in(*facts.own_body, part);
        if (part.joint != nullptr) attach_axes(part);
        model_.constraints[index] = std::move(part);
        note_signals(
            SignalPart::Of::constraint, index, model_.constraints[index], std::move(arguments));
    }

    /// A body that a constraint brings along, and the attachments that are its coordinates.
    void take_in(const Body& own, ConstraintPart& part) {
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
        model_.start_q.resize(static_cast<std::size_t>(model_.num_coordinates), 0.0);
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

    /// A type with the parameters `on`, `points` and `masses` acts on all matter of the bodies that
    /// `on` names: points that stand for it are put in.
    const Table& with_matter(const Actor& actor, Table& storage) {
        const std::span<const Parameter> schema(
            actor.object.type->parameters,
            static_cast<std::size_t>(actor.object.type->num_parameters));
        for (const std::string_view key : {"on", "points", "masses"})
            if (std::ranges::none_of(schema, [key](const Parameter& p) {
                    return p.name == key;
                }))
                return *actor.parameters;
        const Table::Entry* const on = actor.parameters->find("on");
        if (on == nullptr || actor.parameters->find("points") != nullptr) return *actor.parameters;

        std::vector<int> bodies;
        const auto add = [&](const Value& value) {
            const std::string* const name = value.as<std::string>();
            if (name == nullptr) return;  // told by the schema
            if (*name != "*") {
                bodies.push_back(find_body(*name, value.place()));
                return;
            }
            for (std::size_t i = 0; i < manifest_.bodies.size(); ++i)
                bodies.push_back(static_cast<int>(i));
        };
        if (const Array* const names = on->value.as<Array>())
            for (const Value& name : *names) add(name);
        else
            add(on->value);
        Array points, masses;
        for (const int body : bodies)
            for (const MassPoint& point : mass_points(model_, body)) {
                points.emplace_back(point.text, on->value.place());
                masses.emplace_back(point.mass, on->value.place());
            }
        storage = *actor.parameters;
        storage.set("points", Value(std::move(points), on->value.place()));
        storage.set("masses", Value(std::move(masses), on->value.place()));
        return storage;
    }

    void attach_axes(ConstraintPart& part) const {
        const JointFrame& a = part.joint->a;
        if (!a.has_axes) return;
        for (std::size_t k = 0; k < 3; ++k)
            part.axes.push_back(
                attach(model_,
                       attachment_text(a.body, Vec3(a.axes[k], a.axes[3 + k], a.axes[6 + k])),
                       {part.object.label, part.object.place, {}, {}},
                       true));
    }

    void make_force(const Actor& actor) {
        const ObjectRef& object = actor.object;
        BoundArguments arguments = bind(object, *actor.parameters, actor.spec->scope.get());
        ForcePart part(object, create_object<NonidealForce>(object, arguments));
        const GuardedForce::Facts facts = part.facts();
        part.contact = facts.contact;
        part.effort_on = facts.effort_on;
        part.work = facts.work;
        part.is_external = part.work == WorkKind::external || facts.is_tied_to_inertial_frame;
        for (const char* key : facts.listens_to)
            part.listens_to.push_back(listen(part, arguments, key));
        if (part.contact != nullptr) {
            put_on_constraint(part, arguments);
        } else {
            call_plugin(part.object, "attachments", [&] {
                // a sensor or a controller acts on nothing
                const bool may_be_none = facts.attachments.empty() && part.signals();
                part.attachments = attachments_of(
                    object, arguments, facts.attachments, facts.more_attachments, may_be_none);
            });
        }
        for (const Attachment& at : part.attachments) part.is_external |= at.body < 0;
        model_.forces.push_back(std::move(part));
        note_signals(SignalPart::Of::force,
                     model_.forces.size() - 1,
                     model_.forces.back(),
                     std::move(arguments));
    }

    /// Index of the constraint that a force's parameter names.
    int find_constraint(const ForcePart& part,
                        const BoundArguments& arguments,
                        const char* key) const {
        const std::string name(arguments.text(key));
        const int found = model_.constraint_names.find(name);
        if (found >= 0) return found;
        throw Error(ErrorKind::manifest,
                    fmt::format("{}: there is no constraint \"{}\"{}",
                                part.object.label,
                                name,
                                did_you_mean(name, names_of(model_.constraints))),
                    arguments.place_of(key));
    }

    /// The constraint whose reaction a force hears.
    int listen(const ForcePart& part, const BoundArguments& arguments, const char* key) const {
        const int index = find_constraint(part, arguments, key);
        const ConstraintPart& heard = model_.constraints[static_cast<std::size_t>(index)];
        if (heard.reaction != ReactionKind::force)
            throw Error(ErrorKind::manifest,
                        fmt::format("{}: the reaction of {} (type {}) is no force on a point; "
                                    "listen to a constraint of points, such as \"position\"",
                                    part.object.label,
                                    heard.object.label,
                                    heard.object.type->name),
                        arguments.place_of(key));
        return index;
    }

    /// Finds the constraint that friction acts on.
    void put_on_constraint(ForcePart& part, const BoundArguments& arguments) {
        const char* const key = part.law().constraint();
        part.constraint = find_constraint(part, arguments, key);
        const ConstraintPart& on = model_.constraints[static_cast<std::size_t>(part.constraint)];
        if (!on.tangents())
            throw Error(ErrorKind::manifest,
                        fmt::format("{}: nothing slides on {} (type {}); friction needs a "
                                    "constraint with tangential directions, such as a point kept "
                                    "on a plane, a line or a curve",
                                    part.object.label,
                                    on.object.label,
                                    on.object.type->name),
                        arguments.place_of(key));
        int& friction = friction_on_[static_cast<std::size_t>(part.constraint)];
        if (friction >= 0)
            throw Error(ErrorKind::manifest,
                        fmt::format("{}: {} has friction already, by {}",
                                    part.object.label,
                                    on.object.label,
                                    model_.forces[static_cast<std::size_t>(friction)].object.label),
                        arguments.place_of(key));
        friction = static_cast<int>(model_.forces.size());
        for (const RowBlock& block : on.tangents().blocks())
            part.num_slides += block.num_items * block.rows_per_item;
        part.arms = part.law().arms();
        part.surface = part.law().surface_velocity();
        part.is_external |= on.is_tied_to_ground;
    }

    /// A step needs the discrete face of everything in the model, if the integrator works on it.
    void check_discrete_face() const {
        const std::string needs = fmt::format(
            "{} steps on the discrete face and cannot serve it; choose an integrator that works on "
            "accelerations",
            model_.integrator_object.label);
        for (const BodyPart& part : model_.bodies)
            if (!part.has_constant_mass)
                throw Error(ErrorKind::manifest,
                            fmt::format("{} (type {}) has a mass matrix that depends on its state: "
                                        "{}, or a body with a constant mass matrix",
                                        part.object.label,
                                        part.object.type->name,
                                        needs),
                            part.object.place);
        const auto refuse_nonlinear = [&](const auto& part) {
            for (const Attachment& at : part.attachments)
                if (at.is_nonlinear)
                    throw Error(ErrorKind::manifest,
                                fmt::format("{}: \"{}\" is not a linear function of the "
                                            "coordinates of its body: {}",
                                            part.object.label,
                                            at.text,
                                            needs),
                                part.object.place);
        };
        for (const ForcePart& part : model_.forces) refuse_nonlinear(part);
        for (const ConstraintPart& part : model_.constraints) {
            refuse_nonlinear(part);
            refuse_accelerations(part.rows(), part.object, needs);
        }
        for (const BodyPart& part : model_.bodies)
            refuse_accelerations(part.rows(), part.object, needs);
    }

    static void refuse_accelerations(const GuardedRows& rows,
                                     const ObjectRef& object,
                                     const std::string& needs) {
        for (const RowBlock& block : rows.blocks())
            for (const RowLaw& law : block.laws)
                if (law.kind == RowKind::acceleration_constraint)
                    throw Error(ErrorKind::manifest,
                                fmt::format("{} (type {}) is given at acceleration level only: {}",
                                            object.label,
                                            object.type->name,
                                            needs),
                                object.place);
    }

    void make_integrator() {
        const IntegratorSettings& settings = manifest_.integrator;
        model_.integrator_object = refer(TypeKind::integrator,
                                         settings.type,
                                         fmt::format("integrator \"{}\"", settings.type),
                                         settings.type,
                                         settings.place,
                                         settings.type_place);
        static const Table kNone;
        const auto own = settings.own.find(settings.type);
        const BoundArguments arguments = bind(
            model_.integrator_object, own == settings.own.end() ? kNone : own->second, nullptr);
        const ObjectRef& object = model_.integrator_object;
        model_.integrator = {object, create_object<Integrator>(object, arguments)};
        model_.traits = model_.integrator.traits();
        if (model_.traits.face == Face::discrete) check_discrete_face();
        // Keys of other integrators are checked too, so that a slip there is not silent.
        for (const auto& [type, table] : settings.own) {
            if (type == settings.type) continue;
            const auto place = settings.own_places.find(type);
            const Place where = place == settings.own_places.end() ? Place{} : place->second;
            ObjectRef other = model_.integrator_object;
            other.type = find_type(TypeKind::integrator, type, where).type;
            other.label = fmt::format("integrator \"{}\"", type);
            other.place = where;
            bind(other, table, nullptr);
        }
    }

    Model& model_;
    const Manifest& manifest_;
    PluginRegistry& registry_;
    std::vector<Progress> progress_;
    std::vector<std::unique_ptr<RigidMotion>> motions_;
    std::vector<Actor> actors_;
    std::deque<ObjectSpec> inner_laws_;
    std::map<std::size_t, BoundArguments> body_arguments_;  // of bodies with signals
    std::vector<BoundArguments> signal_arguments_;          // of the model's signals
    std::deque<Table> own_parameters_;                      // of joints without the laws inside
    std::vector<int> friction_on_;  // the force of each constraint that is its friction, or -1
};

}  // namespace

void build(Model& model, const Manifest& manifest, PluginRegistry& registry) {
    try {
        ModelBuilder(model, manifest, registry).build();
    } catch (const Error& error) {
        // The other mistakes that can be told without making objects, in one go.
        refuse_with_others(error, manifest, registry);
        throw;
    }
}

}  // namespace ancora
