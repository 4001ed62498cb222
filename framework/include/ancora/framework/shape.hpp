// SPDX-License-Identifier: BSD-3-Clause
// Shapes that bodies are drawn with. Nothing in them acts on the motion.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ancora {

// Shapes of a body, in its axes from its reference point [m].

struct Box {
    std::array<double, 3> size{};
    std::array<double, 3> center{};
    std::array<double, 4> quaternion{1, 0, 0, 0};  ///< w, x, y, z; box to body axes
};
struct Sphere {
    double radius = 0.0;
    std::array<double, 3> center{};
};
struct Cylinder {
    double radius = 0.0;
    std::array<double, 3> from{}, to{};
};
/// A cylinder with half a sphere beyond each of its ends.
struct Capsule {
    double radius = 0.0;
    std::array<double, 3> from{}, to{};
};
/// A surface of triangles: r = center + R(quaternion) S p, S = diag(scale), p as the file has them.
struct MeshShape {
    int mesh = 0;  ///< of the scene's meshes
    std::array<double, 3> scale{1, 1, 1};
    std::array<double, 3> center{};
    std::array<double, 4> quaternion{1, 0, 0, 0};
};
using SceneShape = std::variant<Box, Sphere, Cylinder, Capsule, MeshShape>;

/// A shape as it is drawn.
struct SceneSolid {
    SceneShape shape;
    /// Red, green and blue from 0 to 1; without it the view chooses one for each body.
    std::optional<std::array<double, 3>> color = std::nullopt;
    double opacity = 1.0;
};

/// The triangles of a file; several bodies may show them.
struct TriangleMesh {
    std::string name;  ///< of the file, without its folder
    std::vector<std::array<float, 3>> points;
    std::vector<std::array<std::int32_t, 3>> triangles;  ///< counter-clockwise from outside
};

}  // namespace ancora
