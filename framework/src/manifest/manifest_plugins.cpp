// SPDX-License-Identifier: BSD-3-Clause
// What a manifest says about plugins and types.
#include "manifest_plugins.hpp"

#include <filesystem>
#include <variant>

#include "ancora/sdk/helpers/orientation.hpp"
#include "expression_scope.hpp"
#include "manifest_reader.hpp"
#include "schema_expressions.hpp"
#include "type_kind.hpp"
#include "wording.hpp"

namespace ancora {
namespace {

// `key` may lead into tables: "mesh.file".
void set_text(Table& table, std::string_view key, const std::string& text) {
    const std::size_t dot = key.find('.');
    Table::Entry* const entry = table.find(key.substr(0, dot));
    if (entry == nullptr) return;  // a default
    if (dot == std::string_view::npos)
        entry->value = Value(text);
    else if (Table* const inner = std::get_if<Table>(&entry->value.data()))
        set_text(*inner, key.substr(dot + 1), text);
}

}  // namespace

std::vector<const Plugin*> load_plugins(const Manifest& manifest, PluginRegistry& registry) {
    for (const PlacedText& folder : manifest.model.plugin_dirs)
        registry.add_folder(plugin_folder(manifest, folder));
    std::vector<const Plugin*> plugins;
    for (const PlacedText& plugin : manifest.model.plugins)
        plugins.push_back(&registry.load(plugin.text, plugin.place));
    return plugins;
}

std::filesystem::path plugin_folder(const Manifest& manifest, const PlacedText& folder) {
    const std::filesystem::path base =
        folder.place.line > 0 ? std::filesystem::path(*folder.place.file) : manifest.file;
    return base.parent_path() / folder.text;
}

const Symbols& symbols_of(const Manifest& manifest, const ExpressionScope* scope) {
    static const NoSymbols kNone;
    if (scope == nullptr) scope = manifest.scope.get();
    return scope != nullptr ? static_cast<const Symbols&>(*scope) : kNone;
}

const Table& with_numbers(const Manifest& manifest,
                          const ExpressionScope* scope,
                          const std::string& label,
                          const Table& parameters,
                          std::span<const Parameter> schema,
                          Table& storage) {
    if (!has_expressions(parameters, schema)) return parameters;
    storage = parameters;
    compute_expressions(label, storage, schema, symbols_of(manifest, scope));
    return storage;
}

std::span<const Parameter> frame_keys() {
    static constexpr Parameter kKeys[] = {
        parameter::text("name", "name of the frame; BODY.NAME means it elsewhere").required(),
        parameter::vector("position", 3, "m", "origin from the reference point, body axes")
            .otherwise("[0.0, 0.0, 0.0]"),
        orientation_parameter("rotation from the frame's to body axes: unit quaternion "
                              "[w, x, y, z], axis and angle, a sequence of angles, or two "
                              "directions"),
        parameter::vector("axis",
                          3,
                          "",
                          "direction of the frame's z axis, body axes; instead of "
                          "orientation"),
    };
    return kKeys;
}

Table frame_with_numbers(const Manifest& manifest, const ObjectSpec& body, const Value& frame) {
    Table storage;
    return with_numbers(manifest,
                        body.scope.get(),
                        object_title(body.kind, body.name) + ": frame",
                        *frame.as<Table>(),
                        frame_keys(),
                        storage);
}

std::vector<BodyFrame> read_frames(const Manifest& manifest, const ObjectSpec& body) {
    std::vector<BodyFrame> frames;
    for (const Value& value : body.frames) {
        const BoundArguments keys(object_title(body.kind, body.name) + ": frame",
                                  "",
                                  "[[body.frame]]",
                                  frame_with_numbers(manifest, body, value),
                                  value.place(),
                                  frame_keys());
        BodyFrame frame;
        frame.name = keys.text("name");
        const auto refuse_name = [&](const std::string& why) {
            keys.fail("name", in_quotes(frame.name) + " " + why);
        };
        if (!may_name_object(frame.name))
            refuse_name("is no name; it is a letter or _, then letters, digits, _ or -");
        for (const char* const component : {"x", "y", "z"})
            if (frame.name == component) refuse_name("means a coordinate; choose another name");
        for (const BodyFrame& other : frames)
            if (other.name == frame.name) refuse_name("is already that of a frame of this body");
        frame.position = keys.triple("position");
        Mat3 R = read_orientation(keys);
        if (keys.given("axis")) {
            if (keys.given("orientation"))
                keys.fail("axis", "is given beside orientation; give one of them");
            const Vec3 axis = vec3(keys.numbers("axis"));
            if (!(axis.norm() > 0.0)) keys.fail("axis", "the axis has length zero");
            R = frame_about(axis);
        }
        Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(frame.axes.data()) = R;
        frames.push_back(std::move(frame));
    }
    return frames;
}

void write_whole_paths(Table& parameters, const BoundArguments& arguments) {
    for (const auto& [key, path] : arguments.files())
        set_text(parameters, key, std::filesystem::absolute(path).string());
}

}  // namespace ancora
