// SPDX-License-Identifier: BSD-3-Clause
// Makes a model's objects from their specifications and resolves what refers to what.
#include "model.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "ancora/framework/printable.hpp"
#include "ancora/sdk/numbers/math.hpp"
#include "bound_arguments.hpp"
#include "fp_environment.hpp"
#include "manifest_plugins.hpp"
#include "sha256.hpp"
#include "toml_writer.hpp"

namespace ancora {
namespace {

/// Splits "name@rest"; both parts trimmed.
bool split_attachment(const std::string& text, std::string& name, std::string& rest) {
    const std::size_t at = text.find('@');
    if (at == std::string::npos) return false;
    const auto trim = [](std::string part) {
        const auto is_space = [](unsigned char c) {
            return std::isspace(c) != 0;
        };
        part.erase(part.begin(), std::find_if_not(part.begin(), part.end(), is_space));
        part.erase(std::find_if_not(part.rbegin(), part.rend(), is_space).base(), part.end());
        return part;
    };
    name = trim(text.substr(0, at));
    rest = trim(text.substr(at + 1));
    return !name.empty() && !rest.empty();
}

/// Reads what stands behind the '@'; false if it is none of the three forms.
bool read_locator(const std::string& text, Locator& out) {
    if (text.front() == '[') {
        const Value value = parse_value(text);
        const Array* array = value.as<Array>();
        if (array == nullptr || array->size() != 3) return false;
        for (std::size_t i = 0; i < 3; ++i) {
            if (const auto* x = (*array)[i].as<double>())
                out.xyz[i] = *x;
            else if (const auto* k = (*array)[i].as<std::int64_t>())
                out.xyz[i] = static_cast<double>(*k);
            else
                return false;
            if (!std::isfinite(out.xyz[i])) return false;
        }
        out.kind = Locator::Kind::coordinates;
        return true;
    }
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, out.index);
    if (error == std::errc() && stop == end) {
        out.kind = Locator::Kind::index;
        return out.index >= 0;
    }
    const auto is_word = [](unsigned char c) {
        return std::isalnum(c) || c == '_' || c == '-';
    };
    out.kind = Locator::Kind::name;
    out.name = text;
    return std::all_of(text.begin(), text.end(), is_word) &&
           std::isdigit(static_cast<unsigned char>(text.front())) == 0;
}

/// Who refers to something, before a message; nobody for a call of an embedding program.
std::string prefix(const std::string& owner) {
    return owner.empty() ? "" : owner + ": ";
}

/// Motion of a body's frame at its start, inertial axes.
RigidMotion start_motion(const BodyPart& part) {
    std::vector<double> q(static_cast<std::size_t>(part.count));
    std::vector<double> v(q.size());
    part.start(q, v);
    const Pose pose = part.pose(q, v, nullptr);
    RigidMotion motion;
    motion.position = pose.position;
    motion.velocity = pose.velocity;
    const auto& [w, x, y, z] = pose.quaternion;
    const Mat3 R = Eigen::Quaterniond(w, x, y, z).normalized().toRotationMatrix();
    Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(motion.rotation.data()) = R;
    vec3(motion.angular_velocity) = R * vec3(pose.angular_velocity);
    return motion;
}

std::string label_of(const ObjectSpec& spec) {
    return fmt::format("{} \"{}\"", to_text(spec.kind), spec.name);
}

}  // namespace

std::string coordinate_name(const BodyPart& part, int i) {
    const Coordinate& c = part.coordinates[static_cast<std::size_t>(i - part.first)];
    return c.vector < 0 ? fmt::format("coordinate {}", i - part.first)
                        : fmt::format("vector {} along {}", c.vector, "xyz"[c.axis]);
}

void evaluate_attachment(const std::vector<BodyPart>& bodies,
                         const Attachment& at,
                         const double* q,
                         const double* v,
                         double* r,
                         double* rate) {
    if (!at.is_nonlinear) {
        at.map(q, true, r);
        if (v != nullptr) at.map(v, false, rate);
        return;
    }
    const BodyPart& part = bodies[static_cast<std::size_t>(at.body)];
    const auto count = static_cast<std::size_t>(part.count);
    const std::size_t width = at.coordinates.size();
    std::vector<double> J(3 * width);
    const std::span<const double> own(q + part.first, count);
    part.evaluate_attachment(
        nullptr, nullptr, {at.id, at.locator, at.text}, own, {}, {{r, 3}, J, {}});
    for (std::size_t c = 0; v != nullptr && c < 3; ++c) {
        rate[c] = 0.0;
        for (std::size_t j = 0; j < width; ++j) rate[c] += J[c * width + j] * v[at.coordinates[j]];
    }
}

/// Makes the objects. Bodies are made on demand, since one may start from another's motion.
class Model::Builder {
public:
    Builder(Model& model, const Manifest& manifest, PluginRegistry& registry)
        : model_(model),
          manifest_(manifest),
          registry_(registry),
          progress_(manifest.bodies.size(), Progress::waiting),
          motions_(manifest.bodies.size()) {}

    void build() {
        open_plugins();
        model_.bodies.resize(manifest_.bodies.size());
        for (std::size_t i = 0; i < manifest_.bodies.size(); ++i) make_body(i);
        number_coordinates();
        for (const ObjectSpec& spec : manifest_.constraints) make_constraint(spec);
        for (const ObjectSpec& spec : manifest_.forces) make_force(spec);
        make_integrator();
    }

private:
    enum class Progress { waiting, making, made };

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
        const BoundArguments arguments = bind(object, spec.parameters, spec.scope.get());
        model_.bodies[i] = {object, create_object<Body>(object, arguments)};
        progress_[i] = Progress::made;
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
            motions_[i] = std::make_unique<RigidMotion>(start_motion(part));
        }
        return *motions_[i];
    }

    int find_body(const std::string& name, const Place& place) const {
        std::vector<std::string> names;
        for (std::size_t i = 0; i < manifest_.bodies.size(); ++i) {
            if (manifest_.bodies[i].name == name) return static_cast<int>(i);
            names.push_back(manifest_.bodies[i].name);
        }
        const std::string near = nearest_name(name, names);
        throw Error(ErrorKind::manifest,
                    near.empty()
                        ? fmt::format("there is no body \"{}\"", name)
                        : fmt::format("there is no body \"{}\"; did you mean \"{}\"?", name, near),
                    place);
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
    }

    /// Adds the attachment that is asked for; all of a group's points.
    void resolve(const AttachmentRequest& request,
                 const ObjectRef& object,
                 const Place& place,
                 std::vector<Attachment>& to) {
        using Kind = AttachmentRequest::Kind;
        switch (request.kind) {
            case Kind::coordinate:
                to.push_back(model_.attach_coordinate(request.text, object.label, place));
                return;
            case Kind::points:
                if (object.type->kind != TypeKind::force)
                    throw std::logic_error("groups of points are for forces alone");
                model_.attach_points(request.text, object.label, place, to);
                return;
            case Kind::point:
            case Kind::direction:
                to.push_back(model_.attach(
                    request.text, object.label, place, request.kind == Kind::direction));
        }
    }

    /// The attachments that an object names in its parameters.
    std::vector<Attachment> attachments_of(const ObjectRef& object,
                                           const BoundArguments& arguments,
                                           std::span<const char* const> names,
                                           std::span<const AttachmentRequest> requests) {
        const auto ground = [](std::span<const double> r) {
            Attachment at;
            at.text = fmt::format("ground@[{}, {}, {}]", r[0], r[1], r[2]);
            std::ranges::copy(r, at.constant.begin());
            return at;
        };
        std::vector<Attachment> attachments;
        for (const char* key : names) {
            if (arguments.shape(key) == Shape::vector) {
                attachments.push_back(ground(arguments.numbers(key)));
                continue;
            }
            const bool is_direction = arguments.shape(key) == Shape::direction;
            attachments.push_back(model_.attach(std::string(arguments.text(key)),
                                                object.label,
                                                arguments.place_of(key),
                                                is_direction));
        }
        for (const AttachmentRequest& request : requests) {
            const Place place = arguments.place_of(request.key);
            try {
                resolve(request, object, place, attachments);
            } catch (const Error& error) {
                if (*request.where == '\0') throw;
                throw Error(error.kind(),
                            fmt::format("{}: {}: {}, {}",
                                        object.label,
                                        request.key,
                                        error.message().substr(object.label.size() + 2),
                                        request.where),
                            error.place());
            }
        }
        const bool moves = std::any_of(attachments.begin(), attachments.end(), [](const auto& at) {
            return at.body >= 0;
        });
        if (!moves)
            throw Error(ErrorKind::manifest,
                        fmt::format("{}: all its attachments are on the ground, nothing can move",
                                    object.label),
                        object.place);
        return attachments;
    }

    void make_constraint(const ObjectSpec& spec) {
        const ObjectRef object = refer(spec);
        const BoundArguments arguments = bind(object, spec.parameters, spec.scope.get());
        ConstraintPart part(object, create_object<Constraint>(object, arguments));
        const GuardedConstraint::Facts facts = part.facts();
        part.reaction = facts.reaction;
        part.is_tied_to_ground = facts.is_tied_to_inertial_frame;
        call_plugin(part.object, "attachments", [&] {
            part.attachments =
                attachments_of(object, arguments, facts.attachments, facts.more_attachments);
        });
        for (const Attachment& at : part.attachments) part.is_tied_to_ground |= at.body < 0;
        model_.constraints.push_back(std::move(part));
    }

    void make_force(const ObjectSpec& spec) {
        const ObjectRef object = refer(spec);
        const BoundArguments arguments = bind(object, spec.parameters, spec.scope.get());
        ForcePart part(object, create_object<NonidealForce>(object, arguments));
        const GuardedForce::Facts facts = part.facts();
        part.contact = facts.contact;
        part.work = facts.work;
        part.is_external = part.work == WorkKind::external || facts.is_tied_to_inertial_frame;
        for (const char* key : facts.listens_to)
            part.listens_to.push_back(listen(part, arguments, key));
        if (part.contact != nullptr) {
            put_on_constraint(part, arguments);
        } else {
            call_plugin(part.object, "attachments", [&] {
                part.attachments =
                    attachments_of(object, arguments, facts.attachments, facts.more_attachments);
            });
        }
        for (const Attachment& at : part.attachments) part.is_external |= at.body < 0;
        model_.forces.push_back(std::move(part));
    }

    /// Index of the constraint that a force's parameter names.
    int find_constraint(const ForcePart& part,
                        const BoundArguments& arguments,
                        const char* key) const {
        const std::string name(arguments.text(key));
        std::vector<std::string> names;
        for (const ConstraintPart& candidate : model_.constraints) {
            if (candidate.object.name == name) return static_cast<int>(names.size());
            names.push_back(candidate.object.name);
        }
        const std::string near = nearest_name(name, names);
        throw Error(ErrorKind::manifest,
                    fmt::format("{}: there is no constraint \"{}\"{}",
                                part.object.label,
                                name,
                                near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)),
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
        for (const ForcePart& other : model_.forces)
            if (other.constraint == part.constraint)
                throw Error(ErrorKind::manifest,
                            fmt::format("{}: {} has friction already, by {}",
                                        part.object.label,
                                        on.object.label,
                                        other.object.label),
                            arguments.place_of(key));
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

    friend class Model;

    Model& model_;
    const Manifest& manifest_;
    PluginRegistry& registry_;
    std::vector<Progress> progress_;
    std::vector<std::unique_ptr<RigidMotion>> motions_;
};

Model::Model(const Manifest& manifest, PluginRegistry& registry)
    : name(manifest.model.name),
      gravity(manifest.model.gravity),
      projects_start(manifest.model.project_start) {
    Builder(*this, manifest, registry).build();
}

int Model::body_index(const std::string& body, const std::string& owner, const Place& place) const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        if (bodies[i].object.name == body) return static_cast<int>(i);
        names.push_back(bodies[i].object.name);
    }
    names.emplace_back("ground");
    const std::string near = nearest_name(body, names);
    throw Error(ErrorKind::manifest,
                fmt::format("{}there is no body \"{}\"{}",
                            prefix(owner),
                            body,
                            near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)),
                place);
}

Attachment Model::attach(const std::string& text,
                         const std::string& owner,
                         const Place& place,
                         bool is_direction) const {
    Attachment out;
    out.is_point = !is_direction;
    out.text = text;
    std::string body_name;
    std::string rest;
    Locator where;
    where.is_direction = is_direction;
    if (!split_attachment(text, body_name, rest) || !read_locator(rest, where))
        throw Error(ErrorKind::manifest,
                    fmt::format("{}\"{}\" is not an attachment; write \"BODY@[x, y, z]\" for a "
                                "material {}, \"BODY@3\" for a node, or \"ground@[x, y, z]\"",
                                prefix(owner),
                                text,
                                is_direction ? "direction" : "point"),
                    place);
    if (body_name == "ground") {
        if (where.kind != Locator::Kind::coordinates)
            throw Error(ErrorKind::manifest,
                        fmt::format("{}\"{}\": a point of the ground is written "
                                    "\"ground@[x, y, z]\"",
                                    prefix(owner),
                                    text),
                        place);
        out.constant = where.xyz;
        if (!is_direction) return out;
        const double length = vec3(where.xyz).norm();
        if (!(length > 0.0))
            throw Error(
                ErrorKind::manifest,
                fmt::format(
                    "{}\"{}\": the direction [0, 0, 0] points nowhere", prefix(owner), text),
                place);
        for (double& x : out.constant) x /= length;
        return out;
    }
    if (is_direction && where.kind == Locator::Kind::coordinates) {
        const double length = vec3(where.xyz).norm();
        if (length > 0.0)
            for (double& x : where.xyz) x /= length;
    }
    out.body = body_index(body_name, owner, place);
    const BodyPart& part = bodies[static_cast<std::size_t>(out.body)];
    out.locator = locator_text(where);
    calls::AttachmentTerms said;
    if (const std::optional<std::string> why_not = part.attach(where, said))
        throw Error(
            ErrorKind::manifest, fmt::format("{}\"{}\": {}", prefix(owner), text, *why_not), place);
    for (const auto& [component, coordinate, weight] : said.terms)
        if (weight != 0.0) out.terms.push_back({component, part.first + coordinate, weight});
    for (const auto& [component, value] : said.constants)
        out.constant[static_cast<std::size_t>(component)] = value;
    out.is_nonlinear = said.is_nonlinear;
    out.id = said.id;
    for (const int coordinate : said.coordinates)
        out.coordinates.push_back(part.first + coordinate);
    return out;
}

void Model::attach_points(const std::string& text,
                          const std::string& owner,
                          const Place& place,
                          std::vector<Attachment>& to) const {
    std::string body_name;
    std::string group;
    const bool is_split = split_attachment(text, body_name, group);
    Locator where;
    const bool is_group =
        is_split && body_name != "ground" &&
        (group == "*" || (read_locator(group, where) && where.kind == Locator::Kind::name));
    if (!is_group) {
        to.push_back(attach(text, owner, place, false));
        return;
    }
    const BodyPart& part = bodies[static_cast<std::size_t>(body_index(body_name, owner, place))];
    std::span<const std::int32_t> points;
    if (const std::optional<std::string> said = part.group(group, points)) {
        const std::string& why_no_group = *said;
        // as it stands in a message
        const std::string begin = printable(fmt::format("{}\"{}\": ", prefix(owner), text));
        if (group == "*") throw Error(ErrorKind::manifest, begin + why_no_group, place);
        // A single point may have a name too.
        try {
            to.push_back(attach(text, owner, place, false));
            return;
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::manifest) throw;
            const std::string why_no_point = error.message().substr(begin.size());
            const bool is_said = why_no_point == why_no_group;
            throw Error(ErrorKind::manifest,
                        fmt::format("{}{}{}",
                                    begin,
                                    why_no_group,
                                    is_said ? "" : "; as the name of a point: " + why_no_point),
                        place);
        }
    }
    to.reserve(to.size() + points.size());
    for (const std::int32_t index : points)
        to.push_back(attach(fmt::format("{}@{}", body_name, index), owner, place, false));
}

Attachment Model::attach_coordinate(const std::string& text,
                                    const std::string& owner,
                                    const Place& place) const {
    const std::size_t dot = text.rfind('.');
    const std::string object = text.substr(0, dot);
    const std::string component_name = dot == std::string::npos ? "" : text.substr(dot + 1);
    const bool names_point = object.find('@') != std::string::npos;
    const int body = body_index(object.substr(0, object.find('@')), owner, place);
    const BodyPart& part = bodies[static_cast<std::size_t>(body)];
    Attachment out;
    out.is_point = false;
    out.body = body;
    out.text = text;
    if (component_name == "x" || component_name == "y" || component_name == "z") {
        const int component = component_name[0] - 'x';
        Attachment point =
            attach(names_point ? object : object + "@[0, 0, 0]", owner, place, false);
        if (point.is_nonlinear) {
            point.is_point = false;
            point.text = text;
            point.component = component;
            return point;
        }
        out.constant[0] = point.constant[static_cast<std::size_t>(component)];
        for (const Attachment::Term& term : point.terms)
            if (term.component == component) out.terms.push_back({0, term.coordinate, term.weight});
        return out;
    }
    const int coordinate = names_point ? -1 : part.find_coordinate(component_name);
    if (coordinate < 0 || coordinate >= part.count)
        throw Error(
            ErrorKind::manifest,
            fmt::format("{}{} (type {}) has no coordinate \"{}\"; \"x\", \"y\" and \"z\" are "
                        "those of its reference point, and `ancora describe {}` says more",
                        prefix(owner),
                        part.object.label,
                        part.object.type->name,
                        component_name,
                        part.object.type->name),
            place);
    out.terms.push_back({0, part.first + coordinate, 1.0});
    return out;
}

}  // namespace ancora
