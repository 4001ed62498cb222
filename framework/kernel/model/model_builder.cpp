// SPDX-License-Identifier: BSD-3-Clause
// Makes a model's objects from their specifications and resolves what refers to what.
#include "model_builder.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "actors.hpp"
#include "ancora/sdk/authoring/attachment_texts.hpp"
#include "argument_binder.hpp"
#include "body_builder.hpp"
#include "contact_shapes.hpp"
#include "discrete_face.hpp"
#include "force_targets.hpp"
#include "looks.hpp"
#include "manifest_plugins.hpp"
#include "matter.hpp"
#include "model.hpp"
#include "object_types.hpp"
#include "requested_attachments.hpp"
#include "signal_collector.hpp"

namespace ancora {
namespace {

/// Makes the objects, each kind once what it may refer to is there.
class ModelBuilder {
public:
    ModelBuilder(Model& model, const Manifest& manifest, PluginRegistry& registry)
        : model_(model),
          manifest_(manifest),
          types_(model, manifest, registry),
          signals_(model),
          binder_(
              model,
              manifest,
              [this](const std::string& body, const Place& place) -> const RigidMotion& {
                  return bodies_.motion_of(body, place);
              },
              [this](const std::string& text, const Asker& asker) {
                  return bodies_.frame_of(text, asker);
              }),
          bodies_(model, manifest, types_, binder_, signals_) {}

    void build() {
        bodies_.make_all();
        read_looks(model_, manifest_);
        bodies_.number_coordinates();
        bodies_.name_frames();
        actors_.emplace(model_, manifest_, types_);
        friction_on_.assign(model_.constraints.size(), -1);
        // Joints come first: they say where bodies are, which others ask for.
        place_bodies();
        contact_shapes_.emplace(model_, manifest_, actors_->list());
        make_other_constraints();
        for (const Actor& actor : actors_->list())
            if (actor.object.type->kind == TypeKind::force) make_force(actor);
        signals_.read();
        make_integrator();
    }

private:
    void make_other_constraints() {
        std::size_t index = 0;
        for (const Actor& actor : actors_->list()) {
            if (actor.object.type->kind != TypeKind::constraint) continue;
            if (!actor.is_joint) make_constraint(actor, index);
            ++index;
        }
    }

    /// Joints of a link wait until that lies between its ends.
    void place_bodies() {
        std::vector<std::vector<int>> joined;
        for (const Actor& actor : actors_->list())
            if (actor.is_joint) joined.push_back(named_by(actor));
        const std::vector<LinkBody>& links = bodies_.find_links(joined);
        std::vector<int> link_of(model_.bodies.size(), -1);
        for (std::size_t k = 0; k < links.size(); ++k) link_of[links[k].body] = static_cast<int>(k);
        struct Waiting {
            const Actor* actor;
            std::size_t index;
            int num_links;
        };
        std::vector<Waiting> waiting;
        std::vector<std::vector<std::size_t>> waiting_for(links.size());
        std::vector<std::vector<int>> tied(links.size());
        std::vector<const Place*> starts(model_.constraints.size(), nullptr);
        std::size_t index = 0;
        for (const Actor& actor : actors_->list()) {
            if (actor.object.type->kind != TypeKind::constraint) continue;
            const std::size_t its = index++;
            if (!actor.is_joint) continue;
            if (const Table::Entry* const start = actor.parameters->find("start"))
                starts[its] = &start->place;
            const std::vector<int> bodies = links.empty() ? std::vector<int>{} : named_by(actor);
            int num_links = 0;
            for (const int body : bodies) {
                if (body < 0 || link_of[body] < 0) continue;
                ++num_links;
                waiting_for[link_of[body]].push_back(waiting.size());
                for (const int other : bodies)
                    if (other != body) tied[link_of[body]].push_back(other);
            }
            if (num_links == 0)
                make_constraint(actor, its);
            else
                waiting.push_back({&actor, its, num_links});
        }
        bodies_.place(
            tied,
            [&](int link) {
                for (const std::size_t k : waiting_for[link_of[link]])
                    if (--waiting[k].num_links == 0)
                        make_constraint(*waiting[k].actor, waiting[k].index);
            },
            [&](int joint) {
                return starts[static_cast<std::size_t>(joint)];
            });
    }

    /// Bodies whose frames and points an object's parameters name; a mistake in them is found where
    /// they are read.
    std::vector<int> named_by(const Actor& actor) const {
        std::vector<int> out;
        const std::span<const Parameter> schema(
            actor.object.type->parameters,
            static_cast<std::size_t>(actor.object.type->num_parameters));
        for (const Parameter& p : schema) {
            if (!p.allows(Shape::frame)) continue;
            const Table::Entry* const entry = actor.parameters->find(p.name);
            const auto* const text = entry != nullptr ? entry->value.as<std::string>() : nullptr;
            if (text == nullptr) continue;
            try {
                out.push_back(body_of_frame(model_, *text, {}));
            } catch (const Error&) {
            }
        }
        return out;
    }

    void make_constraint(const Actor& actor, std::size_t index) {
        const ObjectRef& object = actor.object;
        Table storage, with_own_shapes;
        const Table& parameters =
            contact_shapes_.has_value()
                ? contact_shapes_->with_shapes(actor, *actor.parameters, with_own_shapes)
                : *actor.parameters;
        BoundArguments arguments =
            binder_.bind(object,
                         with_matter(model_, manifest_, object, parameters, storage),
                         actor.spec->scope.get());
        ConstraintPart part(object, create_object<Constraint>(object, arguments));
        const ConstraintFacets facts = part.facets();
        part.reaction = facts.reaction;
        part.is_tied_to_ground = facts.tied_to_inertial_frame;
        const std::span<const AttachmentRequest> asked = part.asked_attachments();
        call_plugin(part.object, "attachments", [&] {
            part.attachments = attachments_of(model_, object, arguments, asked);
        });
        for (const Attachment& at : part.attachments) part.is_tied_to_ground |= at.body < 0;
        part.joint = facts.joint;
        part.effort_unit = facts.effort_unit;
        part.effort_factors = facts.effort_factors;
        if (facts.own_body != nullptr) bodies_.take_in(*facts.own_body, part);
        if (part.joint != nullptr) {
            check_joint(part);
            attach_axes(part);
        }
        const std::size_t dot = object.name.find('.');
        if (dot != std::string::npos)
            part.inside = model_.constraint_names.find(object.name.substr(0, dot));
        model_.constraints[index] = std::move(part);
        signals_.note_constraint(index, std::move(arguments));
        if (actor.release == nullptr) return;
        refuse_efforts_inside(actor);
        signals_.note_release(
            index, binder_.bind_release(object, *actor.release, actor.spec->scope.get()));
    }

    /// A law inside a joint that is no row goes on acting where the joint is none any more.
    void refuse_efforts_inside(const Actor& joint) const {
        const std::string prefix = joint.object.name + ".";
        for (const Actor& actor : actors_->list())
            if (actor.object.type->kind == TypeKind::force && actor.object.name.starts_with(prefix))
                throw Error(ErrorKind::manifest,
                            fmt::format("{}: release: \"{}\" would go on acting on what is no "
                                        "joint any more; leave it out, or let it end by a formula",
                                        joint.object.label,
                                        actor.object.name),
                            joint.release->place);
    }

    /// Indices of attachments in what a plugin says of its joint.
    static void check_joint(const ConstraintPart& part) {
        const auto check = [&](std::int32_t index, std::string_view what) {
            if (index >= 0 && static_cast<std::size_t>(index) < part.attachments.size()) return;
            throw Error(ErrorKind::plugin,
                        fmt::format("{}: {} of its joint() names attachment {}, and it has {}, "
                                    "counted from 0",
                                    describe(part.object),
                                    what,
                                    index,
                                    part.attachments.size()),
                        part.object.place);
        };
        const Joint& joint = *part.joint;
        for (const Measure& measure : joint.measures)
            for (int k = 0; k < num_attachments(measure.kind); ++k)
                check(measure.attachments[static_cast<std::size_t>(k)],
                      fmt::format("the measure \"{}\"", measure.name));
        for (const std::int32_t index : joint.on_b) check(index, "on_b");
        if (joint.point >= 0) check(joint.point, "point");
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
        BoundArguments arguments = binder_.bind(object, *actor.parameters, actor.spec->scope.get());
        ForcePart part(object, create_object<NonidealForce>(object, arguments));
        const ForceFacets facts = part.facets();
        part.contact = facts.contact;
        part.effort_on = facts.effort_on;
        part.tangent = facts.tangent;
        part.work = part.asked_work();
        part.is_external = part.work == WorkKind::external || facts.tied_to_inertial_frame;
        for (const char* key : facts.reactions)
            part.reactions.push_back(find_reaction_constraint(model_, part, arguments, key));
        if (part.contact != nullptr) {
            put_on_constraint(model_, arguments, part, friction_on_);
        } else {
            const std::span<const AttachmentRequest> asked = part.asked_attachments();
            // a sensor or a controller acts on nothing
            const bool may_be_none = asked.empty() && facts.signals != nullptr;
            call_plugin(part.object, "attachments", [&] {
                part.attachments = attachments_of(model_, object, arguments, asked, may_be_none);
            });
        }
        for (const Attachment& at : part.attachments) part.is_external |= at.body < 0;
        model_.forces.push_back(std::move(part));
        signals_.note_force(model_.forces.size() - 1, std::move(arguments));
    }

    void make_integrator() {
        const IntegratorSettings& settings = manifest_.integrator;
        model_.integrator_object = types_.refer(TypeKind::integrator,
                                                settings.type,
                                                fmt::format("integrator \"{}\"", settings.type),
                                                settings.type,
                                                settings.place,
                                                settings.type_place);
        static const Table kNone;
        const auto own = settings.own.find(settings.type);
        const BoundArguments arguments = binder_.bind(
            model_.integrator_object, own == settings.own.end() ? kNone : own->second, nullptr);
        const ObjectRef& object = model_.integrator_object;
        model_.integrator = {object, create_object<Integrator>(object, arguments)};
        model_.traits = model_.integrator.traits();
        if (settings.is_outer) {
            if (model_.traits.face != Face::continuous) model_.traits = IntegratorTraits{};
            model_.traits.face = Face::continuous;
            model_.traits.is_adaptive = false;
        }
        if (model_.traits.face == Face::discrete) check_discrete_face(model_);
        // Keys of other integrators are checked too, so that a slip there is not silent.
        for (const auto& [type, table] : settings.own) {
            if (type == settings.type) continue;
            const auto place = settings.own_places.find(type);
            const Place where = place == settings.own_places.end() ? Place{} : place->second;
            ObjectRef other = model_.integrator_object;
            other.type = types_.find(TypeKind::integrator, type, where).type;
            other.label = fmt::format("integrator \"{}\"", type);
            other.place = where;
            binder_.bind(other, table, nullptr);
        }
    }

    Model& model_;
    const Manifest& manifest_;
    ObjectTypes types_;
    SignalCollector signals_;
    ArgumentBinder binder_;
    BodyBuilder bodies_;
    std::optional<Actors> actors_;
    std::optional<ContactShapes> contact_shapes_;  // from where joints are there
    std::vector<int> friction_on_;  // the force of each constraint that is its friction, or -1
};

}  // namespace

void build(Model& model, const Manifest& manifest, PluginRegistry& registry) {
    try {
        ModelBuilder(model, manifest, registry).build();
    } catch (const Error& error) {
        // Reports all other mistakes that can be found without making objects.
        refuse_with_others(error, manifest, registry);
        throw;
    }
}

}  // namespace ancora
