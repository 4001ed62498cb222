// SPDX-License-Identifier: BSD-3-Clause
// A manifest written out.
#include "ancora/framework/manifest_text.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "body_look.hpp"
#include "expression_scope.hpp"
#include "interpolation.hpp"
#include "manifest_plugins.hpp"
#include "table_file.hpp"
#include "toml_writer.hpp"
#include "traps_off.hpp"
#include "type_kind.hpp"
#include "wording.hpp"

namespace ancora {
namespace {

// Longer arrays of arrays have a line for each row.
constexpr std::size_t kLongestLine = 100;

// Strings as they must be written to be read as what they are.
Value as_written(const Value& value) {
    if (const auto* const text = value.as<std::string>()) return without_interpolation(*text);
    if (const Array* const array = value.as<Array>()) {
        Array out;
        out.reserve(array->size());
        for (const Value& entry : *array) out.push_back(as_written(entry));
        return out;
    }
    if (const Table* const table = value.as<Table>()) {
        Table out;
        for (const Table::Entry& entry : table->entries())
            out.add({entry.key, {}, as_written(entry.value)});
        return out;
    }
    return value;
}

std::string value_text(const Value& value) {
    const Value written = as_written(value);
    std::string text = toml_value(written);
    const Array* const rows = written.as<Array>();
    if (text.size() <= kLongestLine || rows == nullptr || !rows->front().as<Array>()) return text;
    text = "[\n";
    for (const Value& row : *rows) text += fmt::format("    {},\n", toml_value(row));
    return text + ']';
}

namespace fs = std::filesystem;

using FindType =
    std::function<const TypeDescriptor&(TypeKind, const std::string& name, const Place&)>;
using WritePath = std::function<std::string(const fs::path&)>;

class Writer {
public:
    /// @param write_path  how a file or a folder is named in the text
    Writer(const Manifest& manifest, FindType find_type, WritePath write_path)
        : manifest_(manifest),
          find_type_(std::move(find_type)),
          write_path_(std::move(write_path)) {}

    std::string text(std::span<const fs::path> more_plugin_dirs) {
        model(more_plugin_dirs);
        for (const auto* const list :
             {&manifest_.bodies, &manifest_.constraints, &manifest_.forces})
            for (const ObjectSpec& spec : *list) object(spec);
        ground();
        integrator();
        output();
        return std::move(text_);
    }

private:
    void model(std::span<const fs::path> more_plugin_dirs) {
        const ModelSettings& m = manifest_.model;
        text_ += "[model]\n";
        add("name", m.name);
        add("gravity", Array(m.gravity.begin(), m.gravity.end()));
        if (!m.plugins.empty()) add("plugins", texts(m.plugins));
        Array folders;
        for (const fs::path& folder : more_plugin_dirs) folders.emplace_back(write_path_(folder));
        for (const PlacedText& folder : m.plugin_dirs)
            folders.emplace_back(write_path_(plugin_folder(manifest_, folder)));
        if (!folders.empty()) add("plugin_dirs", std::move(folders));
        if (m.project_start == ProjectStart::near) add("project_start", true);
        if (m.project_start == ProjectStart::far) add("project_start", "far");
        if (m.start == ModelStart::equilibrium) add("start", "equilibrium");
        if (m.start == ModelStart::steady_spin) add("start", "steady_spin");
        if (m.has_impacts_in_turn) add("impacts", "in_turn");
    }

    void object(const ObjectSpec& spec) {
        text_ += fmt::format("\n[[{}]]\n", heading_of(spec));
        add("name", spec.name);
        add("type", spec.type);
        keys(fmt::format("{} {}", heading_of(spec), in_quotes(spec.name)),
             spec.name,
             spec.kind,
             spec.type,
             spec.scope.get(),
             spec.parameters,
             spec.place,
             spec.type_place);
        if (spec.shape)
            add(kShapeKey,
                expanded_shape(object_title(spec.kind, spec.name),
                               *spec.shape,
                               spec.place,
                               symbols_of(manifest_, spec.scope.get())));
        for (const Value& frame : spec.frames) {
            text_ += fmt::format("[[{}.frame]]\n", to_text(spec.kind));
            const Table numbers = frame_with_numbers(manifest_, spec, frame);
            for (const Table::Entry& entry : numbers.entries()) add(entry.key, entry.value);
        }
    }

    void ground() {
        for (const Value& shape : manifest_.scenery) {
            text_ += "\n[[shape]]\n";
            const Value numbers =
                expanded_shape("[[shape]]", shape, shape.place(), symbols_of(manifest_, nullptr));
            for (const Table::Entry& entry : numbers.as<Table>()->entries())
                add(entry.key, entry.value);
        }
        for (const Value& frame : manifest_.ground_frames) {
            text_ += "\n[[frame]]\n";
            const Table numbers = frame_with_numbers(manifest_, ground_of(manifest_), frame);
            for (const Table::Entry& entry : numbers.entries()) add(entry.key, entry.value);
        }
    }

    void integrator() {
        const IntegratorSettings& i = manifest_.integrator;
        text_ += "\n[integrator]\n";
        add("type", i.type);
        add("step", i.step);
        if (i.begin != 0.0) add("begin", i.begin);
        add("end", i.end);
        if (i.tolerance) add("tolerance", *i.tolerance);
        for (const auto& [type, table] : i.own) {
            text_ += fmt::format("\n[integrator.{}]\n", toml_key(type));
            const auto known = i.own_places.find(type);
            const Place place = known == i.own_places.end() ? i.place : known->second;
            keys(fmt::format("integrator \"{}\"", type),
                 type,
                 TypeKind::integrator,
                 type,
                 nullptr,
                 table,
                 place,
                 place);
        }
    }

    void output() {
        const OutputSettings& o = manifest_.output;
        text_ += "\n[output]\n";
        if (o.every) add("every", *o.every);
        add("checkpoint", o.checkpoint);
        if (!o.points.empty()) add("points", texts(o.points));
        if (o.columns) add("columns", texts(*o.columns));
        if (o.frames) add("frames", *o.frames);
        if (o.states) add("states", true);
        if (o.all_forces) add("forces", "all");
    }

    // Parameters of a type, checked as the model does.
    void keys(const std::string& label,
              const std::string& name,
              TypeKind kind,
              const std::string& type_name,
              const ExpressionScope* scope,
              const Table& parameters,
              const Place& place,
              const Place& type_place) {
        const TypeDescriptor& type = find_type_(kind, type_name, type_place);
        const std::span<const Parameter> schema(type.parameters,
                                                static_cast<std::size_t>(type.num_parameters));
        Table storage, own = parameters;
        if (const Table::Entry* const release = find_release(type, parameters)) {
            const bool is_table = release->value.as<Table>() != nullptr;
            Table keys, room;
            if (is_table)
                keys = *release->value.as<Table>();
            else
                keys.add({"at", release->place, release->value});
            const Table& computed =
                with_numbers(manifest_, scope, label, keys, release_keys(), room);
            add(kReleaseKey, is_table ? Value(computed) : computed.find("at")->value);
            own.erase(kReleaseKey);
        }
        for (const Parameter& p : schema) {
            const Table::Entry* const entry = p.makes != nullptr ? own.find(p.name) : nullptr;
            const Table* const table = entry != nullptr ? entry->value.as<Table>() : nullptr;
            if (table != nullptr && names_columns(*table))
                own.set(p.name, law_of_columns(p, *table, entry->value.place()));
        }
        const Table& numbers = with_numbers(manifest_, scope, label, own, schema, storage);
        const BoundArguments arguments(label, name, type_name, numbers, place, schema);
        if (arguments.files().empty()) {
            for (const Table::Entry& entry : numbers.entries()) add(entry.key, entry.value);
        } else {
            Table with_paths = numbers;
            write_paths(with_paths, arguments, write_path_);
            for (const Table::Entry& entry : with_paths.entries()) add(entry.key, entry.value);
        }
    }

    void add(std::string_view key, const Value& value) {
        text_ += fmt::format("{} = {}\n", toml_key(key), value_text(value));
    }

    static Array texts(const std::vector<PlacedText>& from) {
        Array to;
        for (const PlacedText& text : from) to.emplace_back(text.text);
        return to;
    }

    const Manifest& manifest_;
    FindType find_type_;
    WritePath write_path_;
    std::string text_;
};

std::string whole_path(const fs::path& path) {
    return fs::absolute(path).string();
}

/// A path as seen from a folder; whole if they have no folder in common, or if links lead to the
/// folder, since what ".." means then depends on how one gets there.
std::string path_from(const fs::path& folder, const fs::path& path) {
    std::error_code error;
    fs::path here = fs::absolute(folder);
    const fs::path real = fs::weakly_canonical(here, error);
    here = here.lexically_normal();
    if (!here.has_filename()) here = here.parent_path();
    if (error || real != here) return whole_path(path);
    const fs::path there = fs::weakly_canonical(fs::absolute(path), error);
    if (error) return whole_path(path);
    // The first in common is the root.
    const auto parting = std::ranges::mismatch(real, there);
    const bool has_common = std::distance(real.begin(), parting.in1) > 1;
    return has_common ? there.lexically_relative(real).string() : whole_path(path);
}

}  // namespace

std::string expanded_text(const Manifest& manifest, PluginRegistry& registry) {
    const TrapsOff traps_off;
    std::optional<Manifest> storage;
    const Manifest& ready = with_texts(manifest, storage);
    load_plugins(manifest, registry);
    const auto find_type =
        [&](TypeKind kind, const std::string& name, const Place& place) -> const TypeDescriptor& {
        return *registry.find_type(kind, name, place).type;
    };
    return Writer(ready, find_type, &whole_path).text({});
}

std::string expanded_text(const Manifest& manifest, const ExpandedForFolder& where) {
    const TrapsOff traps_off;
    const auto find_type =
        [&](TypeKind kind, const std::string& name, const Place& place) -> const TypeDescriptor& {
        // A [[force]] may name a type that is written as rows.
        const TypeDescriptor* of_rows = nullptr;
        for (const UsedPlugin& used : where.plugins)
            for (const TypeDescriptor* const type : used.types) {
                if (type->name != name) continue;
                if (type->kind == kind) return *type;
                if (kind == TypeKind::force && type->kind == TypeKind::constraint) of_rows = type;
            }
        if (of_rows != nullptr) return *of_rows;
        throw Error(ErrorKind::usage,
                    fmt::format("{} type {} is not one of the model's: this is another manifest",
                                to_text(kind),
                                in_quotes(name)),
                    place);
    };
    const auto write_path = [&](const fs::path& path) {
        return path_from(where.folder, path);
    };
    std::optional<Manifest> storage;
    return Writer(with_texts(manifest, storage), find_type, write_path)
        .text(where.more_plugin_dirs);
}

}  // namespace ancora
