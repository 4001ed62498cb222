// SPDX-License-Identifier: BSD-3-Clause
// The bodies of a model, made on demand, since one may start from another's motion.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "argument_binder.hpp"
#include "object_types.hpp"
#include "signal_collector.hpp"

namespace ancora {

/// Makes bodies and gives them their place among the model's coordinates.
class BodyBuilder {
public:
    BodyBuilder(Model& model,
                const Manifest& manifest,
                ObjectTypes& types,
                const ArgumentBinder& binder,
                SignalCollector& signals);

    void make_all();

    void number_coordinates();

    /// The frames that the manifest gives bodies.
    void name_frames();

    /// Puts bodies where joints put them. Bodies that start as carried by others are made anew
    /// where these were moved.
    void place();

    /// A body that a constraint brings along, and the attachments that are its coordinates.
    void take_in(const Body& own, ConstraintPart& part);

    /// The motion at the start of the body of a name, which is made if it has not been.
    const RigidMotion& motion_of(const std::string& name, const Place& place);

private:
    enum class Progress { waiting, making, made };

    void make(std::size_t i);
    BoundArguments bind(const ObjectSpec& spec, const ObjectRef& object) const;
    void remake(std::size_t i);
    void read_start(std::size_t i);
    RigidMotion motion_of_part(std::size_t i);

    Model& model_;
    const Manifest& manifest_;
    ObjectTypes& types_;
    const ArgumentBinder& binder_;
    SignalCollector& signals_;
    std::vector<Progress> progress_;
    std::vector<std::unique_ptr<RigidMotion>> motions_;
};

/// Index of the body of a name. @throws Error (manifest) with the nearest name
int find_body(const Model& model,
              const Manifest& manifest,
              const std::string& name,
              const Place& place);

}  // namespace ancora
