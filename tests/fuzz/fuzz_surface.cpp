// SPDX-License-Identifier: BSD-3-Clause
// Triangles from any bytes, as STL, OBJ and glTF: what is read has finite points and corners that
// exist.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "surface_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ancora;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    // what is beside a file is as damaged as it
    const ReadNeighbour neighbour = [&](const std::string&) {
        return std::string(bytes);
    };
    for (const SurfaceFormat format :
         {SurfaceFormat::stl, SurfaceFormat::obj, SurfaceFormat::gltf}) {
        try {
            const TriangleMesh mesh = read_surface(bytes, format, neighbour);
            if (mesh.triangles.empty()) std::abort();
            for (const auto& point : mesh.points)
                for (const float x : point)
                    if (!std::isfinite(x)) std::abort();
            for (const auto& triangle : mesh.triangles)
                for (const std::int32_t corner : triangle)
                    if (corner < 0 || static_cast<std::size_t>(corner) >= mesh.points.size())
                        std::abort();
        } catch (const SurfaceError&) {
        }
    }
    return 0;
}
