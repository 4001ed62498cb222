// SPDX-License-Identifier: BSD-3-Clause
// Gaps of shapes and meshes over meshes.
#pragma once

#include <memory>

#include "ancora/pairs/relative.hpp"
#include "surface.hpp"

namespace ancora::contact {

/// What meets a mesh: corners, edges and triangles, all rounded by a radius. A ball is one corner,
/// a capsule an edge; of others the radius is zero.
struct Body {
    std::shared_ptr<const Surface> surface;
    double radius = 0.0;
    double reach = 0.0;  ///< of the ball about its middle that it fills

    bool is_ball() const { return surface->corners.size() == 1; }
};

Body ball(double radius);
Body capsule(double radius, double half_length);
Body solid(std::shared_ptr<const Surface> surface);

/// A body over a mesh, see SurfacePair.
std::unique_ptr<PairGeometry> over_mesh(const Body& a, std::shared_ptr<const Surface> b);
/// A mesh over the plane through d across f_3: corners, of which the nearest have rows.
std::unique_ptr<PairGeometry> mesh_over_plane(std::shared_ptr<const Surface> a);

}  // namespace ancora::contact
