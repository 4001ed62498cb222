// SPDX-License-Identifier: BSD-3-Clause
// What a manifest says about plugins and types.
#include "manifest_plugins.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "ancora/sdk/helpers/orientation.hpp"
#include "expression_scope.hpp"
#include "formula_tables.hpp"
#include "interpolation.hpp"
#include "manifest_reader.hpp"
#include "mistakes.hpp"
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

const char* heading_of(const ObjectSpec& spec) {
    return spec.is_joint ? "joint" : to_text(spec.kind);
}

std::vector<const Plugin*> load_plugins(const Manifest& manifest, PluginRegistry& registry) {
    for (const PlacedText& folder : manifest.model.plugin_dirs) {
        const std::filesystem::path path = plugin_folder(manifest, folder);
        std::error_code ignored;
        using Type = std::filesystem::file_type;
        const Type type = std::filesystem::status(path, ignored).type();
        // none: it may not be looked into, which the search reports
        if (type != Type::directory && type != Type::none)
            throw Error(ErrorKind::manifest,
                        fmt::format("[model]: plugin_dirs: there is no folder {}",
                                    in_quotes(path.lexically_normal().string())),
                        folder.place);
        registry.add_folder(path);
    }
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
                          Table& storage,
                          ActsOn measure) {
    const bool has_files = has_table_files(parameters);
    if (!has_files && !has_expressions(parameters, schema)) return parameters;
    storage = parameters;
    if (has_files)
        read_table_files(
            label, storage, {std::make_shared<const std::string>(manifest.file.string()), 1, 1});
    compute_expressions(label, storage, schema, symbols_of(manifest, scope), measure);
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

std::span<const Parameter> release_keys() {
    static constexpr Parameter kKeys[] = {
        parameter::number("at", "s", "time at which it opens"),
        parameter::make("when",
                        "",
                        "a condition, such as \"hub.wz < 0.5\": it opens where that becomes true",
                        Shape::signal)
            .or_text(),
        parameter::text("after", "name of another constraint with this key: it opens after that"),
        parameter::number("delay", "s", "from `when` or `after` to its opening")
            .nonnegative()
            .otherwise("0.0"),
    };
    return kKeys;
}

const Table::Entry* find_release(const TypeDescriptor& type, const Table& parameters) {
    if (type.kind != TypeKind::constraint) return nullptr;
    const std::span<const Parameter> schema(type.parameters,
                                            static_cast<std::size_t>(type.num_parameters));
    const bool is_own = std::ranges::any_of(schema, [](const Parameter& p) {
        return p.name == std::string_view(kReleaseKey);
    });
    return is_own ? nullptr : parameters.find(kReleaseKey);
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

ObjectSpec ground_of(const Manifest& manifest) {
    ObjectSpec ground;
    ground.name = "ground";
    ground.frames = manifest.ground_frames;
    return ground;
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

void refuse_with_others(const Error& error, const Manifest& manifest, PluginRegistry& registry) {
    Mistakes mistakes;
    if (!mistakes.take(error)) return;
    const auto check = [&](TypeKind kind,
                           const std::string& label,
                           const std::string& type_name,
                           const ExpressionScope* scope,
                           const Table& parameters,
                           const Place& place,
                           const Place& type_place) {
        try {
            mistakes.gather([&] {
                const TypeDescriptor& type = *registry.find_type(kind, type_name, type_place).type;
                const std::span<const Parameter> schema(
                    type.parameters, static_cast<std::size_t>(type.num_parameters));
                // objects inside this one are their own types' matter
                Table own = parameters;
                for (const Parameter& p : schema)
                    if (p.makes != nullptr) own.erase(p.name);
                if (find_release(type, own) != nullptr) own.erase(kReleaseKey);
                Table storage;
                const Table& numbers = with_numbers(manifest, scope, label, own, schema, storage);
                BoundArguments(label, "", type_name, numbers, place, schema);
            });
        } catch (
            const Error&) {  // what is no mistake in the text: the first error is the one to tell
        }
    };
    for (const auto* const list : {&manifest.bodies, &manifest.constraints, &manifest.forces})
        for (const ObjectSpec& spec : *list)
            check(spec.kind,
                  fmt::format("{} \"{}\"", heading_of(spec), spec.name),
                  spec.type,
                  spec.scope.get(),
                  spec.parameters,
                  spec.place,
                  spec.type_place);
    const IntegratorSettings& integrator = manifest.integrator;
    for (const auto& [type, table] : integrator.own) {
        const auto place = integrator.own_places.find(type);
        const Place where = place == integrator.own_places.end() ? integrator.place : place->second;
        check(TypeKind::integrator,
              fmt::format("integrator \"{}\"", type),
              type,
              nullptr,
              table,
              where,
              type == integrator.type ? integrator.type_place : where);
    }
    if (!integrator.own.contains(integrator.type))
        check(TypeKind::integrator,
              fmt::format("integrator \"{}\"", integrator.type),
              integrator.type,
              nullptr,
              {},
              integrator.place,
              integrator.type_place);
    mistakes.refuse();
}

void require_known_key(const Manifest& manifest,
                       PluginRegistry& registry,
                       std::string_view assignment) {
    const std::string_view path = assignment.substr(0, assignment.find('='));
    std::vector<std::string_view> parts;
    for (std::size_t begin = 0; begin <= path.size();) {
        const std::size_t end = std::min(path.find('.', begin), path.size());
        std::string_view part = path.substr(begin, end - begin);
        while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
        while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
        parts.push_back(part);
        begin = end + 1;
    }
    if (parts.size() < 3) return;
    for (const auto* const list : {&manifest.bodies, &manifest.constraints, &manifest.forces})
        for (const ObjectSpec& spec : *list) {
            if (parts[0] != heading_of(spec) || parts[1] != spec.name) continue;
            const Table::Entry* const entry = spec.parameters.find(parts[2]);
            if (entry == nullptr) return;  // of every type
            std::vector<std::string> keys;
            try {
                load_plugins(manifest, registry);
                const TypeDescriptor& type =
                    *registry.find_type(spec.kind, spec.type, spec.type_place).type;
                for (int p = 0; p < type.num_parameters; ++p)
                    keys.emplace_back(type.parameters[p].name);
            } catch (const Error&) {
                return;
            }
            if (spec.kind == TypeKind::constraint) keys.emplace_back(kReleaseKey);
            if (std::ranges::find(keys, "*") != keys.end() ||
                std::ranges::find(keys, parts[2]) != keys.end())
                return;
            const std::string help =
                keys.empty() ? "; there are none to give" : hint(entry->key, keys, "valid keys");
            throw Error(ErrorKind::manifest,
                        fmt::format("{} \"{}\": unknown key {}{}",
                                    heading_of(spec),
                                    spec.name,
                                    in_quotes(entry->key),
                                    help),
                        entry->place);
        }
}

const Manifest& with_texts(const Manifest& manifest, std::optional<Manifest>& storage) {
    static const NoSymbols kNone;
    const auto is_open = [](const PlacedText& point) {
        return !point.place.known() && point.text.find("${") != std::string::npos;
    };
    const auto has_open = [](const std::vector<ObjectSpec>& objects) {
        return std::ranges::any_of(objects, [](const ObjectSpec& spec) {
            return spec.has_interpolation &&
                   (holds_interpolation(spec.parameters) || holds_interpolation(spec.frames));
        });
    };
    if (!has_open(manifest.bodies) && !has_open(manifest.constraints) &&
        !has_open(manifest.forces) && std::ranges::none_of(manifest.output.points, is_open))
        return manifest;
    storage = manifest;
    const auto scope_of = [&](const ExpressionScope* own) -> const Symbols& {
        const ExpressionScope* const scope = own != nullptr ? own : manifest.scope.get();
        return scope != nullptr ? static_cast<const Symbols&>(*scope) : kNone;
    };
    for (auto* const list : {&storage->bodies, &storage->constraints, &storage->forces})
        for (ObjectSpec& spec : *list) {
            if (!std::exchange(spec.has_interpolation, false)) continue;
            for (Value& frame : spec.frames) interpolate(frame, scope_of(spec.scope.get()));
            for (Table::Entry& entry : spec.parameters.entries()) try {
                    interpolate(entry.value, scope_of(spec.scope.get()));
                } catch (const Error& error) {
                    throw Error(error.kind(),
                                fmt::format("{} {}: {}: {}",
                                            heading_of(spec),
                                            in_quotes(spec.name),
                                            entry.key,
                                            error.message()),
                                error.place());
                }
        }
    for (PlacedText& point : storage->output.points) {
        if (!is_open(point)) continue;
        Value value(point.text);
        interpolate(value, scope_of(nullptr));
        point.text = *value.as<std::string>();
    }
    return *storage;
}

void write_paths(Table& parameters,
                 const BoundArguments& arguments,
                 const std::function<std::string(const std::filesystem::path&)>& write) {
    for (const auto& [key, path] : arguments.files()) set_text(parameters, key, write(path));
}

void write_whole_paths(Table& parameters, const BoundArguments& arguments) {
    write_paths(parameters, arguments, [](const std::filesystem::path& path) {
        return std::filesystem::absolute(path).string();
    });
}

}  // namespace ancora
