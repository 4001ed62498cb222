// SPDX-License-Identifier: BSD-3-Clause
// From a file to a manifest: the reader of its format, what all formats have in common, the writer.
#include "import.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "ancora/framework/printable.hpp"
#include "findings.hpp"
#include "manifest_writer.hpp"
#include "mjcf_reader.hpp"
#include "reduction.hpp"
#include "sdf_reader.hpp"
#include "urdf_reader.hpp"
#include "xml_source.hpp"

namespace ancora {
namespace robot {
namespace {

struct Format {
    std::string_view root;
    Robot (*read)(pugi::xml_node root, XmlSource& source);
};
constexpr std::array kFormats = {
    Format{"robot", &read_urdf}, Format{"mujoco", &read_mjcf}, Format{"sdf", &read_sdf}};

Robot read(pugi::xml_node root, XmlSource& source) {
    for (const Format& format : kFormats)
        if (format.root == root.name()) return format.read(root, source);
    throw Error(
        ErrorKind::manifest,
        fmt::format("the first element is <{}>: expected <robot> (URDF), <mujoco> (MJCF) or "
                    "<sdf>",
                    printable(root.name())),
        source.place(root));
}

bool is_shown(const Robot& robot, int mesh) {
    return std::ranges::any_of(robot.links, [&](const Link& link) {
        return std::ranges::any_of(link.shapes, [&](const Shape& shape) {
            return shape.own == mesh;
        });
    });
}

std::string as_obj(const OwnMesh& mesh) {
    std::string out = fmt::format("# {}\n", printable(mesh.name));
    for (const auto& x : mesh.triangles.points)
        out += fmt::format("v {} {} {}\n", x[0], x[1], x[2]);
    for (const auto& face : mesh.triangles.triangles)
        out += fmt::format("f {} {} {}\n", face[0] + 1, face[1] + 1, face[2] + 1);
    return out;
}

}  // namespace
}  // namespace robot

ImportedModel import_model(const std::filesystem::path& file, const ImportOptions& options) {
    using namespace robot;
    Findings findings(options.is_lenient);
    XmlSource source(findings);
    Robot robot = read(source.load(file), source);
    check_tree(robot, findings);
    findings.throw_mistakes();
    reduce(robot, findings);
    fit_limits(robot, findings);
    findings.throw_mistakes();
    if (robot.links.empty())
        throw Error(ErrorKind::manifest,
                    "no body with mass is left, so that there is nothing to move",
                    {std::make_shared<const std::string>(file.string()), 0, 0});

    ImportedModel out;
    out.notes = findings.notes();
    out.left_out = findings.left_out();
    std::vector<std::string> remarks;
    for (const auto* const list : {&out.notes, &out.left_out})
        for (const std::string& entry : *list) remarks.push_back(entry);
    out.text = manifest_text(robot, options.manifest, remarks);
    const std::vector<std::string> names = own_mesh_names(robot, options.manifest);
    for (std::size_t i = 0; i < names.size(); ++i)
        if (is_shown(robot, static_cast<int>(i)))
            out.files.emplace_back(names[i], as_obj(robot.meshes[i]));
    out.num_bodies = static_cast<int>(robot.links.size());
    out.num_joints = static_cast<int>(robot.joints.size());
    return out;
}

}  // namespace ancora
