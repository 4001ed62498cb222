// SPDX-License-Identifier: BSD-3-Clause
// The model: named bodies, constraints, forces and one integrator, made by their plugins.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "ancora/framework/manifest.hpp"
#include "ancora/framework/plugin_registry.hpp"
#include "ancora/framework/used_plugin.hpp"
#include "attachment.hpp"
#include "body_look.hpp"
#include "guarded_body.hpp"
#include "guarded_constraint.hpp"
#include "guarded_force.hpp"
#include "guarded_integrator.hpp"
#include "name_index.hpp"
#include "references.hpp"
#include "release.hpp"
#include "signal_parts.hpp"

namespace ancora {

struct BodyPart : GuardedBody {
    using GuardedBody::GuardedBody;

    int first = 0;  ///< of its coordinates in the model's
    BodyLook look;
    bool is_inner = false;  ///< a constraint's own: it has no name and is not shown
};

/// "vector 3 along y": component of a body's vector; i counts in the model.
std::string coordinate_name(const BodyPart& part, int i);

struct ConstraintPart : GuardedConstraint {
    using GuardedConstraint::GuardedConstraint;

    ReactionKind reaction = ReactionKind::force;
    std::vector<Attachment> attachments;
    bool is_tied_to_ground = false;
    const Joint* joint = nullptr;                   ///< null: it is none
    const char* effort_unit = "";                   ///< of an effort on several measures
    const EffortFactors* effort_factors = nullptr;  ///< null: all are one
    int own_first = 0, own_end = 0;                 ///< coordinates that it brings along
    std::shared_ptr<const Release> release;         ///< when it opens for good; null: never
    int inside = -1;                                ///< the joint that it is a law inside of
    /// Axes of a joint's frame in its body a; none: inertial ones.
    std::vector<Attachment> axes;
};

struct ForcePart : GuardedForce {
    using GuardedForce::GuardedForce;

    WorkKind work = WorkKind::external;
    const Measure* effort_on = nullptr;     ///< null: it is a force
    const ForceTangent* tangent = nullptr;  ///< null: it gives none
    bool is_external = false;               ///< its impulse comes from outside
    std::vector<Attachment> attachments;
    const ContactLaw* contact = nullptr;  ///< dry friction on a constraint, without attachments
    GuardedContactLaw law() const { return {*contact, object}; }
    int constraint = -1;                        ///< that constraint's index
    int num_slides = 0;                         ///< its sliding rows
    std::array<double, 3> arms{1.0, 1.0, 1.0};  ///< what they are multiplied by
    std::array<double, 3> surface{};            ///< velocity of what they slide on
    std::vector<int> reactions;                 ///< constraints on whose reactions it depends
};

/// Names of bodies, constraints or forces, in their order.
template <class Part>
std::vector<std::string> names_of(const std::vector<Part>& parts) {
    std::vector<std::string> names;
    for (const Part& part : parts) {
        if constexpr (std::is_same_v<Part, BodyPart>)
            if (part.is_inner) continue;
        names.push_back(part.object.name);
    }
    return names;
}

/// The message about a body that is not there: the nearest name, or what stands for the ground.
std::string no_such_body(const std::string& name, const std::vector<std::string>& names);

/// Owns the objects of a manifest. Immutable after construction.
class Model {
public:
    Model(const Manifest& manifest, PluginRegistry& registry);

    /// Index of a body, or an error with the nearest name.
    int body_index(const std::string& name, const Asker& asker) const;

    std::string name;
    std::array<double, 3> gravity{};
    double begin_time = 0.0;  ///< of the run [s]
    ProjectStart project_start = ProjectStart::no;
    Place project_start_place;
    bool has_impacts_in_turn = false;
    std::vector<BodyPart> bodies;  ///< those of constraints behind the manifest's
    std::vector<ConstraintPart> constraints;
    std::vector<ForcePart> forces;
    NameIndex body_names;             ///< in the order of `bodies`, without inner ones
    NameIndex constraint_names;       ///< in the order of `constraints`
    std::vector<SignalPart> signals;  ///< of objects that have some: bodies, constraints, forces
    ObjectRef integrator_object;
    GuardedIntegrator integrator;
    IntegratorTraits traits;
    std::vector<const Plugin*> plugins;    ///< in use, in the order of first use
    std::vector<UsedPlugin> used_plugins;  ///< with types, and with plugins that are only named
    std::vector<InputFile> files;          ///< that parameters and shapes name
    std::vector<TriangleMesh> meshes;      ///< that bodies are drawn with
    std::vector<SceneSolid> scenery;       ///< on the ground, inertial axes
    std::vector<std::string> scenery_materials;  ///< of each, see BodyLook
    int num_coordinates = 0;
    std::vector<double> start_q, start_v;  ///< of all bodies, where joints have put them
    FrameNames frames;
    std::deque<std::string> texts;  ///< that starts of frames and measures refer to
    /// Where what an object is given over time is not smooth.
    struct ObjectBreakPoints {
        ObjectRef object;
        std::shared_ptr<const BreakPoints> points;
    };
    std::vector<ObjectBreakPoints> break_points;
    /// What plugins say about values that are allowed and may not be meant.
    struct Warning {
        std::string text;  ///< with the object's label in front
        Place place;
    };
    std::vector<Warning> warnings;
    /// Which pairs contacts of many are about.
    struct ContactNote {
        std::string contact, text;
    };
    std::vector<ContactNote> contact_notes;
    std::vector<Warning> plain_angles;  ///< given beyond a turn as numbers without unit
    struct PlacedBody {
        int body;
        double moved;   ///< [m]
        double turned;  ///< [rad]
    };
    std::vector<PlacedBody> placed_bodies;  ///< that joints have put somewhere
};

}  // namespace ancora
