// SPDX-License-Identifier: BSD-3-Clause
// The models of a description in SDF.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sdf_frames.hpp"
#include "xml_source.hpp"

namespace ancora::robot {

/// Models, those in them, and those of files that they include, with the names of their links,
/// joints and frames.
class SdfModels {
public:
    SdfModels(XmlSource& source, SdfFrames& frames) : source_(source), frames_(frames) {}

    struct Model {
        pugi::xml_node node;
        std::string scope;  ///< of what is in it: "arm::"
        bool is_static;
    };

    void add_world(pugi::xml_node world);
    /// `<sdf>`, whose models stand beside worlds.
    void add_root(pugi::xml_node root);

    const std::vector<Model>& all() const { return models_; }
    /// The link, or else the last frame, that a frame is attached to.
    std::string attached_to(std::string frame) const;

private:
    /// The model, its links, joints and frames by name; several models have their names before
    /// them.
    void collect(pugi::xml_node model, const std::string& around, int depth, bool is_static);
    /// A model of another file, or the same once more, by a name and at a place of its own.
    void include(pugi::xml_node node, const std::string& around, int depth, bool is_static);

    XmlSource& source_;
    SdfFrames& frames_;
    std::vector<Model> models_;
    std::vector<std::string> including_;  ///< files that are being read
    int num_included_ = 0;
    std::map<std::string, std::string> attached_;  ///< frames and what they are attached to
};

}  // namespace ancora::robot
