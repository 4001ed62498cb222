// SPDX-License-Identifier: BSD-3-Clause
// The bodies of a model, made on demand, since one may start from another's motion.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "argument_binder.hpp"
#include "joint_placement.hpp"
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

    /// Bodies that lie between points of others, which are known from now on: but a rigid one with
    /// an end in numbers that a joint ties to the body of the other is laid out here, and goes with
    /// that body as any other does.
    /// @param joined  bodies that each joint ties, -1 the ground
    /// @throws Error (manifest) if one names a body that is not there
    const std::vector<LinkBody>& find_links(std::span<const std::vector<int>> joined);

    /// Puts bodies where joints put them, and links between their ends. Bodies that start as
    /// carried by others are made anew where these were moved.
    /// @param joints_of  makes the joints that wait for a link
    /// @param tied       bodies that joints tie to each link
    /// @param start_of   where a joint says how it is to start, or null
    void place(const std::vector<std::vector<int>>& tied,
               const std::function<void(int)>& joints_of,
               const std::function<const Place*(int)>& start_of);

    /// How a frame or point that a body's parameters name moves at the start: somewhere, as long as
    /// joints may still put its body elsewhere.
    FrameStart frame_of(const std::string& text, const Asker& asker);

    /// A body that a constraint brings along, and the attachments that are its coordinates.
    void take_in(const Body& own, ConstraintPart& part);

    /// The motion at the start of the body of a name, which is made if it has not been.
    const RigidMotion& motion_of(const std::string& name, const Place& place);

private:
    enum class Progress { waiting, making, made };

    void make(std::size_t i);
    BoundArguments bind(const ObjectSpec& spec, const ObjectRef& object) const;
    void lay_out(std::span<const std::vector<int>> joined);
    BoundArguments bind_again(const ObjectSpec& spec, const ObjectRef& object);
    static void forget_calls(const ObjectRef& object);
    void remake(std::size_t i);
    void read_start(std::size_t i);
    std::vector<int> follow(std::span<const int> moved);
    RigidMotion motion_of_part(std::size_t i);

    Model& model_;
    const Manifest& manifest_;
    ObjectTypes& types_;
    const ArgumentBinder& binder_;
    SignalCollector& signals_;
    std::vector<Progress> progress_;
    std::vector<std::unique_ptr<RigidMotion>> motions_;
    std::vector<LinkBody> links_;
    std::vector<std::vector<int>> carried_;  // bodies that start as carried by each
    std::vector<bool> has_moved_;
    bool has_places_ = false;  // what bodies' parameters name has its place at the start
    int num_ends_ = 0;  // of a body that is made, which stand somewhere
    double end_distance_ = 1.0;
};

/// The body whose frame or point a text names, -1 for the ground.
/// @throws Error (manifest) with the nearest name
int body_of_frame(const Model& model, const std::string& text, const Asker& asker);

/// Index of the body of a name. @throws Error (manifest) with the nearest name
int find_body(const Model& model,
              const Manifest& manifest,
              const std::string& name,
              const Place& place);

}  // namespace ancora
