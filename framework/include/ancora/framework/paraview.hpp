// SPDX-License-Identifier: BSD-3-Clause
// A run's frames as files that ParaView and other VTK programs open.
#pragma once

#include <cstddef>
#include <filesystem>

#include "ancora/framework/export.hpp"

namespace ancora {

/// Reads the frames of a run and writes them as VTK XML (PolyData, binary): `paraview.pvd` in the
/// folder of results lists the files of `paraview/`, with times. Of each frame
///
///   bodies    surfaces of the bodies' shapes, a vertex for a body without; per cell `body`,
///             `velocity` [m/s], `angular_velocity` [rad/s, inertial axes], `quaternion` (w, x, y,
///             z)
///   networks  lines; per line `body` and the channels that the bodies have, such as `force` and
///             `strain`; per point `velocity`
///   marks     first points of constraints (`kind` 0) and forces (1), with `force` [N]
///
/// where a model has any. Earlier frames are replaced, other files and links are not. Field data
/// hold the names that `body` and `index` count.
/// @param every one frame of so many, and the last
/// @returns the number of frames written
/// @throws Error (file) if the folder holds no frames, or damaged ones, or cannot be written
ANCORA_FRAMEWORK_EXPORT std::size_t write_paraview(const std::filesystem::path& folder,
                                                   std::size_t every = 1);

}  // namespace ancora
