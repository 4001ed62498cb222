// SPDX-License-Identifier: BSD-3-Clause
#include "mesh_files.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <pugixml.hpp>

#include "ancora/framework/printable.hpp"
#include "xml_source.hpp"

namespace ancora::robot {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(path, ignored);
}

/// Folders that an environment variable lists.
std::vector<fs::path> listed(const char* variable, const char* below = "") {
    std::vector<fs::path> out;
    const char* const value = std::getenv(variable);
    const std::string_view text = value != nullptr ? value : "";
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(':', at), text.size());
        if (end > at) out.push_back(fs::path(text.substr(at, end - at)) / below);
        at = end + 1;
    }
    return out;
}

/// Candidates for a package's folder, the nearest first.
std::vector<fs::path> package_folders(const std::string& package, const fs::path& folder) {
    std::vector<fs::path> out;
    const auto look_at = [&](const fs::path& place) {
        if (place.filename() == package) out.push_back(place);
        out.push_back(place / package);
    };
    std::error_code ignored;
    fs::path at = fs::weakly_canonical(folder.empty() ? fs::path(".") : folder, ignored);
    for (; !at.empty(); at = at.parent_path()) {
        look_at(at);
        if (at == at.parent_path()) break;
    }
    for (const char* const variable :
         {"ROS_PACKAGE_PATH", "GAZEBO_MODEL_PATH", "GZ_SIM_RESOURCE_PATH"})
        for (const fs::path& place : listed(variable)) look_at(place);
    for (const fs::path& place : listed("AMENT_PREFIX_PATH", "share")) look_at(place);
    return out;
}

}  // namespace

namespace {

/// What a URI leads to, a file or a folder; `what` it is in words.
std::optional<fs::path> find(const std::string& uri,
                             const fs::path& folder,
                             const char* what,
                             const Place& place,
                             Findings& findings) {
    for (const std::string_view scheme : {"package://", "model://"}) {
        if (!uri.starts_with(scheme)) continue;
        const std::string rest = uri.substr(scheme.size());
        const std::size_t slash = rest.find('/');
        const std::string package = rest.substr(0, slash);
        const fs::path inside = slash == std::string::npos ? "" : rest.substr(slash + 1);
        for (const fs::path& candidate : package_folders(package, folder))
            if (is_there(candidate / inside)) return candidate / inside;
        findings.no_file(place,
                         fmt::format("\"{}\" is not found", printable(uri)),
                         fmt::format("put the folder \"{}\" beside the description or above it, "
                                     "name its parent in ROS_PACKAGE_PATH",
                                     printable(package)));
        return std::nullopt;
    }
    std::string path = uri;
    if (path.starts_with("file://")) path.erase(0, 7);
    const fs::path found = fs::path(path).is_absolute() ? fs::path(path) : folder / path;
    if (is_there(found)) return found;
    findings.no_file(place,
                     fmt::format("{} \"{}\" is not there", what, printable(found.string())),
                     "put it there");
    return std::nullopt;
}

}  // namespace

std::optional<fs::path> find_mesh(const std::string& uri,
                                  const fs::path& folder,
                                  const Place& place,
                                  Findings& findings) {
    return find(uri, folder, "mesh", place, findings);
}

std::optional<fs::path> find_sdf_model(const std::string& uri,
                                       const fs::path& folder,
                                       const Place& place,
                                       Findings& findings) {
    const std::optional<fs::path> found = find(uri, folder, "model", place, findings);
    std::error_code ignored;
    if (!found || !fs::is_directory(*found, ignored)) return found;
    std::string name = "model.sdf";
    pugi::xml_document config;
    if (config.load_file((*found / "model.config").c_str()))
        for (const pugi::xml_node sdf : config.document_element().children("sdf"))
            if (const std::string own = text_of(sdf); !own.empty()) name = own;
    if (is_there(*found / name)) return *found / name;
    findings.no_file(place,
                     fmt::format("\"{}\" has no {}", printable(found->string()), printable(name)),
                     "put it there");
    return std::nullopt;
}

bool can_be_shown(const fs::path& file) {
    std::string ending = file.extension().string();
    std::ranges::transform(ending, ending.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return ending == ".stl" || ending == ".obj" || ending == ".glb" || ending == ".gltf";
}

}  // namespace ancora::robot
