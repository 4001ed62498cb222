// SPDX-License-Identifier: BSD-3-Clause
// Shapes that may be meshes: what a manifest says of them.
#pragma once

#include <memory>
#include <string>

#include "ancora/pairs/shape_contact.hpp"
#include "ancora/pairs/shapes.hpp"
#include "surface.hpp"
#include "surface_pair.hpp"

namespace ancora::contact {

/// The keys of a shape, and those of a mesh.
inline constexpr Parameter kMeshShapeKeys[] = {
    parameter::file("mesh", "triangles of a file: .stl, .msh, .vtk, .vtu or .vtp"),
    parameter::number("scale", "-", "of the file's lengths to metres").positive().otherwise("1.0"),
    parameter::matrix("nodes", 0, 3, "m", "instead of a file: corners of triangles, a row each"),
    parameter::matrix("triangles",
                      0,
                      3,
                      "",
                      "rows of three nodes, counted from 0, counter-clockwise seen from outside"),
    kShapeKeys[0],
    kShapeKeys[1],
    kShapeKeys[2],
    kShapeKeys[3],
    kShapeKeys[4],
    kShapeKeys[5],
    kShapeKeys[6],
};

/// A body with a mesh, or another shape.
struct MeshSide {
    PairSide side;
    std::shared_ptr<const Surface> mesh;

    /// What of it meets a mesh; of a shape that has no surface `why`.
    Body body(std::string& why) const;
};

/// @throws through Arguments::fail
MeshSide read_mesh_side(const Arguments& arguments, bool is_b);

/// Two bodies, one of which has a mesh; refuses those that overlap at the start.
class MeshContact final : public ShapeContact {
public:
    explicit MeshContact(const Arguments& arguments);

private:
    struct Sides;
    MeshContact(const Arguments& arguments, const Sides& sides);
    void refuse_overlap(const Arguments& arguments, const Sides& sides) const;
};

}  // namespace ancora::contact
