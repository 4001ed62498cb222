// SPDX-License-Identifier: BSD-3-Clause
// Shapes as JSON, alike in scene.json and in the page of a report.
#pragma once

#include <variant>

#include <nlohmann/json.hpp>

#include "ancora/framework/shape.hpp"

namespace ancora {

struct ShapeWriter {
    nlohmann::ordered_json operator()(const Box& box) const {
        return {{"kind", "box"},
                {"size", box.size},
                {"center", box.center},
                {"quaternion", box.quaternion}};
    }
    nlohmann::ordered_json operator()(const Sphere& sphere) const {
        return {{"kind", "sphere"}, {"radius", sphere.radius}, {"center", sphere.center}};
    }
    nlohmann::ordered_json operator()(const Cylinder& cylinder) const {
        return round("cylinder", cylinder);
    }
    nlohmann::ordered_json operator()(const Capsule& capsule) const {
        return round("capsule", capsule);
    }
    nlohmann::ordered_json operator()(const MeshShape& mesh) const {
        return {{"kind", "mesh"},
                {"mesh", mesh.mesh},
                {"scale", mesh.scale},
                {"center", mesh.center},
                {"quaternion", mesh.quaternion}};
    }

private:
    static nlohmann::ordered_json round(const char* kind, const auto& shape) {
        return {{"kind", kind}, {"radius", shape.radius}, {"from", shape.from}, {"to", shape.to}};
    }
};

inline nlohmann::ordered_json json_of(const SceneShape& shape) {
    return std::visit(ShapeWriter(), shape);
}

}  // namespace ancora
