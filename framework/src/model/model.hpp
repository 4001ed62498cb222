// SPDX-License-Identifier: BSD-3-Clause
// The model: named bodies, constraints, forces and one integrator, made by their plugins.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ancora/framework/manifest.hpp"
#include "ancora/framework/plugin_registry.hpp"
#include "ancora/framework/used_plugin.hpp"
#include "guarded_body.hpp"
#include "guarded_constraint.hpp"
#include "guarded_force.hpp"
#include "guarded_integrator.hpp"

namespace ancora {

/// A resolved attachment: r = c + W q, or a nonlinear function that its body evaluates.
struct Attachment {
    struct Term {
        int component;
        int coordinate;  ///< in the whole model
        double weight;
    };
    int body = -1;         ///< -1: the ground
    bool is_point = true;  ///< neither a direction nor a coordinate
    std::string text;
    std::vector<Term> terms;
    std::array<double, 3> constant{};
    bool is_nonlinear = false;
    int id = 0;
    std::string locator;           ///< what stands behind the '@', see locator_text()
    int component = -1;            ///< nonlinear: only this one counts, and stands first
    std::vector<int> coordinates;  ///< of a nonlinear attachment, in the whole model

    /// c + W x, or W x without the constant, of a linear attachment; x has the model's coordinates.
    void map(const double* x, bool with_constant, double* r) const {
        for (int c = 0; c < 3; ++c) r[c] = with_constant ? constant[c] : 0.0;
        for (const Term& term : terms) r[term.component] += term.weight * x[term.coordinate];
    }
};

struct BodyPart : GuardedBody {
    using GuardedBody::GuardedBody;

    int first = 0;  ///< of its coordinates in the model's
};

/// "vector 3 along y": component of a body's vector; i counts in the model.
std::string coordinate_name(const BodyPart& part, int i);

struct ConstraintPart : GuardedConstraint {
    using GuardedConstraint::GuardedConstraint;

    ReactionKind reaction = ReactionKind::force;
    std::vector<Attachment> attachments;
    bool is_tied_to_ground = false;
};

struct ForcePart : GuardedForce {
    using GuardedForce::GuardedForce;

    WorkKind work = WorkKind::external;
    bool is_external = false;  ///< its impulse comes from outside
    std::vector<Attachment> attachments;
    const ContactLaw* contact = nullptr;  ///< dry friction on a constraint, without attachments
    GuardedContactLaw law() const { return {*contact, object}; }
    int constraint = -1;                  ///< that constraint's index
    std::vector<int> listens_to;          ///< constraints whose reactions it hears
};

/// Position and, where v and rate are not null, velocity of an attachment, linear or not.
void evaluate_attachment(const std::vector<BodyPart>& bodies,
                         const Attachment& at,
                         const double* q,
                         const double* v,
                         double* r,
                         double* rate);

/// Owns the objects of a manifest. Immutable after construction.
class Model {
public:
    Model(const Manifest& manifest, PluginRegistry& registry);

    /// Resolves "NAME@LOCATOR"; `owner` is who asks, for messages.
    Attachment attach(const std::string& text,
                      const std::string& owner,
                      const Place& place,
                      bool is_direction) const;

    /// Resolves "NAME@GROUP" and "NAME@*" to all the points of a body's group, and any other text
    /// as attach() does; adds them to `to`.
    void attach_points(const std::string& text,
                       const std::string& owner,
                       const Place& place,
                       std::vector<Attachment>& to) const;

    /// Resolves "NAME.x": a coordinate of a body in the first of the attachment's scalars.
    Attachment attach_coordinate(const std::string& text,
                                 const std::string& owner,
                                 const Place& place) const;

    /// Index of a body, or an error with the nearest name.
    int body_index(const std::string& name, const std::string& owner, const Place& place) const;

    std::string name;
    std::array<double, 3> gravity{};
    bool projects_start = false;
    std::vector<BodyPart> bodies;
    std::vector<ConstraintPart> constraints;
    std::vector<ForcePart> forces;
    ObjectRef integrator_object;
    GuardedIntegrator integrator;
    IntegratorTraits traits;
    std::vector<const Plugin*> plugins;    ///< in use, in the order of first use
    std::vector<UsedPlugin> used_plugins;  ///< with types, and with plugins that are only named
    std::vector<InputFile> files;          ///< that parameters name
    int num_coordinates = 0;

private:
    class Builder;
};

}  // namespace ancora
