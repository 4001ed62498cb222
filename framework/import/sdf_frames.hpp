// SPDX-License-Identifier: BSD-3-Clause
// The graph of frames of an SDF model: where what has a name lies.
#pragma once

#include <map>
#include <string>

#include "robot.hpp"
#include "xml_source.hpp"

namespace ancora::robot {

/// Poses of links, joints, frames and models in space, with all measures at zero.
class SdfFrames {
public:
    explicit SdfFrames(const XmlSource& source) : source_(source) {}

    /// @param scope      names of the models around it, "arm::hand::" or nothing
    /// @param otherwise  what its pose is relative to where it does not say
    void add(const std::string& scope,
             const std::string& name,
             pugi::xml_node node,
             const std::string& otherwise);

    /// By its whole name; "" is the model of no scope's surrounding, "world" the ground.
    Pose of(const std::string& name, pugi::xml_node asked);

    /// The pose that an element has in space, `<pose>` in it being relative to what it says or else
    /// to `otherwise`.
    Pose in_space(pugi::xml_node node, const std::string& scope, const std::string& otherwise);

    /// The same in a frame by its whole name; without rounding where it is relative to that.
    Pose in_frame(pugi::xml_node node,
                  const std::string& scope,
                  const std::string& otherwise,
                  const std::string& frame);

    /// Finds mistakes in the `<pose>` of an element, if it has one.
    void check_pose(pugi::xml_node node) const;

    /// The whole name of what is meant by a name in a scope.
    std::string resolve(const std::string& scope, const std::string& name) const;

private:
    std::string base_of(pugi::xml_node node,
                        const std::string& scope,
                        const std::string& otherwise) const;

    struct Named {
        pugi::xml_node node;
        std::string scope, otherwise;
        Pose pose;
        enum class State { unknown, asked, known } state = State::unknown;
    };
    const XmlSource& source_;
    std::map<std::string, Named> named_;
};

}  // namespace ancora::robot
