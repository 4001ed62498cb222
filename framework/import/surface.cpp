// SPDX-License-Identifier: BSD-3-Clause
#include "surface.hpp"

#include <algorithm>
#include <memory>
#include <string>

#include "ancora/framework/error.hpp"
#include "read_file.hpp"
#include "surface_file.hpp"

namespace ancora::robot {

TriangleMesh read_surface_file(const std::filesystem::path& file) {
    std::string ending = file.extension().string();
    std::ranges::transform(ending, ending.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    const SurfaceFormat format = ending == ".stl"   ? SurfaceFormat::stl
                                 : ending == ".obj" ? SurfaceFormat::obj
                                                    : SurfaceFormat::gltf;
    const auto neighbour = [&](const std::string& path) {
        return read_file(file.parent_path() / path, "the mesh");
    };
    try {
        return read_surface(read_file(file, "the mesh"), format, neighbour);
    } catch (const SurfaceError& error) {
        throw Error(ErrorKind::manifest,
                    error.what(),
                    {std::make_shared<const std::string>(file.string()), error.line, error.column});
    }
}

}  // namespace ancora::robot
