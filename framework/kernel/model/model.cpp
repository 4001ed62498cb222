// SPDX-License-Identifier: BSD-3-Clause
// The model: its bodies by name.
#include "model.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "ancora/framework/nearest_name.hpp"
#include "model_builder.hpp"

namespace ancora {

std::string coordinate_name(const BodyPart& part, int i) {
    const Coordinate& c = part.coordinates[i - part.first];
    return c.vector < 0 ? fmt::format("coordinate {}", i - part.first)
                        : fmt::format("vector {} along {}", c.vector, "xyz"[c.axis]);
}

Model::Model(const Manifest& manifest, PluginRegistry& registry)
    : name(manifest.model.name),
      gravity(manifest.model.gravity),
      begin_time(manifest.integrator.begin),
      project_start(manifest.model.project_start),
      project_start_place(manifest.model.project_start_place),
      has_impacts_in_turn(manifest.model.has_impacts_in_turn) {
    build(*this, manifest, registry);
}

std::string no_such_body(const std::string& name, const std::vector<std::string>& names) {
    constexpr const char* kOthersSay[] = {
        "world", "World", "inertial", "earth", "space", "origin", "Ground"};
    const bool is_ground = std::ranges::any_of(kOthersSay, [&](const char* word) {
        return name == word;
    });
    return fmt::format("there is no body \"{}\"{}",
                       name,
                       is_ground ? "; what is fixed in space is called \"ground\", a point of it "
                                   "\"ground@[x, y, z]\""
                       : name.find('[') != std::string::npos
                           ? "; a point of a body is written \"BODY@[x, y, z]\""
                           : did_you_mean(name, names));
}

int Model::body_index(const std::string& body, const Asker& asker) const {
    const int found = body_names.find(body);
    if (found >= 0) return found;
    std::vector<std::string> names = names_of(bodies);
    names.emplace_back("ground");
    throw asker.error(no_such_body(body, names));
}

}  // namespace ancora
