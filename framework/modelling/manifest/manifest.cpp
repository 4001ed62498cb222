// SPDX-License-Identifier: BSD-3-Clause
// Loading, building and validating a manifest.
#include "ancora/framework/manifest.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "expression_scope.hpp"
#include "file_writer.hpp"
#include "interpolation.hpp"
#include "manifest_plugins.hpp"
#include "manifest_reader.hpp"
#include "mistakes.hpp"
#include "toml_reader.hpp"
#include "traps_off.hpp"
#include "type_kind.hpp"
#include "wording.hpp"

namespace ancora {
namespace {

// Names of columns of history.csv and of things that are in every model.
constexpr std::string_view kReservedNames[] = {
    "t", "energy", "work", "momentum", "angular_momentum", "constraint", "ground", "model"};

// Grid times k * step are exact in k up to here.
constexpr double kMostSteps = 9.0e15;

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace

bool may_name_object(std::string_view name) {
    const auto may_begin = [](char c) {
        return is_letter(c) || c == '_';
    };
    const auto may_follow = [&](char c) {
        return may_begin(c) || (c >= '0' && c <= '9') || c == '-';
    };
    return !name.empty() && may_begin(name.front()) && std::ranges::all_of(name, may_follow);
}

namespace {

std::string title_of(const ObjectSpec& object) {
    return fmt::format("{} {}", heading_of(object), in_quotes(object.name));
}

void check_name(const ObjectSpec& object) {
    const std::string title = title_of(object);
    if (!may_name_object(object.name))
        throw Error(ErrorKind::manifest,
                    fmt::format("{}: a name is a letter or _, then letters, digits, _ or -", title),
                    object.name_place);
    if (std::ranges::find(kReservedNames, object.name) != std::end(kReservedNames))
        throw Error(ErrorKind::manifest,
                    fmt::format("{}: this name is reserved; choose another", title),
                    object.name_place);
    if (object.type.empty())
        throw Error(ErrorKind::manifest,
                    fmt::format("{}: the type is empty; write the name of a type", title),
                    object.type_place);
}

// The objects in the order of the files, where they come from one.
std::vector<const ObjectSpec*> in_order(const Manifest& manifest) {
    std::vector<const ObjectSpec*> objects;
    for (const auto* const list : {&manifest.bodies, &manifest.constraints, &manifest.forces})
        for (const ObjectSpec& object : *list) objects.push_back(&object);
    std::unordered_map<const std::string*, std::size_t> files;
    for (const ObjectSpec* const object : objects)
        files.emplace(object->place.file.get(), files.size());
    std::ranges::stable_sort(objects, {}, [&](const ObjectSpec* object) {
        return std::tuple(
            files.at(object->place.file.get()), object->place.line, object->place.column);
    });
    return objects;
}

std::string at_place(const Place& place) {
    if (!place.known()) return "";
    if (place.line == 0) return fmt::format(" ({})", *place.file);
    return fmt::format(" at {}:{}:{}", *place.file, place.line, place.column);
}

/// Of [[generate]]: both have the name that stands there once.
bool is_one_text(const ObjectSpec& a, const ObjectSpec& b) {
    return a.name_place.line > 0 && a.name_place.line == b.name_place.line &&
           a.name_place.column == b.name_place.column;
}

void check_names(const Manifest& manifest, Mistakes& mistakes) {
    std::unordered_map<std::string_view, const ObjectSpec*> first_uses;
    for (const ObjectSpec* const object : in_order(manifest))
        mistakes.gather([&] {
            check_name(*object);
            const auto [first, is_new] = first_uses.emplace(object->name, object);
            if (!is_new)
                throw Error(ErrorKind::manifest,
                            fmt::format("{}: this name is already that of a {}{}{}",
                                        title_of(*object),
                                        heading_of(*first->second),
                                        at_place(first->second->name_place),
                                        is_one_text(*object, *first->second)
                                            ? "; write an index of \"for\" into it, as in "
                                              "name = \"bead_${i}\""
                                            : ""),
                            object->name_place);
        });
}

// In the words that BoundArguments has for the same mistake in a file.
void check_positive(std::string_view key, double x, std::string_view unit, const Place& place) {
    if (x > 0.0 && std::isfinite(x)) return;
    const std::string expected =
        !(x <= 0.0) ? "a finite number" : fmt::format("a value > 0{}", unit);
    throw Error(ErrorKind::manifest,
                fmt::format("{}: expected {}, got {}{}", key, expected, in_words(Value(x)), unit),
                place);
}

void check_integrator(const IntegratorSettings& integrator) {
    if (integrator.type.empty())
        throw Error(ErrorKind::manifest,
                    "[integrator]: the type is empty; write the name of an integrator",
                    integrator.type_place);
    check_positive("[integrator]: step", integrator.step, " s", integrator.step_place);
    if (!std::isfinite(integrator.begin))
        throw Error(ErrorKind::manifest,
                    fmt::format("[integrator]: begin: expected a finite number, got {} s",
                                in_words(Value(integrator.begin))),
                    integrator.place);
    const Place& end_place = integrator.end_place.known() ? integrator.end_place : integrator.place;
    if (!std::isfinite(integrator.end) || integrator.begin == 0.0)
        check_positive("[integrator]: end", integrator.end, " s", end_place);
    const double length = integrator.end - integrator.begin;
    if (!(length > 0.0))
        throw Error(ErrorKind::manifest,
                    fmt::format("[integrator]: end: expected a time behind that of begin, {} s, "
                                "got {} s",
                                integrator.begin,
                                integrator.end),
                    end_place);
    if (integrator.tolerance)
        check_positive("[integrator]: tolerance", *integrator.tolerance, "", integrator.place);
    if (length / integrator.step > kMostSteps)
        throw Error(
            ErrorKind::manifest,
            fmt::format("[integrator]: steps of {} s to {} s are too many; at most {:g} fit",
                        integrator.step,
                        integrator.end,
                        kMostSteps),
            integrator.step_place);
}

ObjectSpec& add(std::vector<ObjectSpec>& list, TypeKind kind, std::string name, std::string type) {
    ObjectSpec object;
    object.kind = kind;
    object.name = std::move(name);
    object.type = std::move(type);
    return list.emplace_back(std::move(object));
}

// Parameters computed, objects generated, values put into texts, overrides applied.
ManifestTables expand(Table root, std::span<const std::string> overrides, Mistakes& mistakes) {
    ManifestTables tables;
    for (const std::string& text : overrides)
        if (is_about_parameters(text)) apply_override(root, text, {});
    Table parameters;
    if (Table::Entry* const entry = root.find("parameters"))
        parameters = std::move(std::get<Table>(entry->value.data()));
    root.erase("parameters");
    tables.scope = std::make_shared<const ExpressionScope>(parameters);
    for (Table::Entry& entry : root.entries()) {
        if (entry.key == "generate") continue;
        const auto put_in = [&](Value& value) {
            mistakes.gather([&] {
                interpolate(value, *tables.scope);
            });
        };
        if (Array* const objects = std::get_if<Array>(&entry.value.data()))
            std::ranges::for_each(*objects, put_in);
        else
            put_in(entry.value);
    }
    tables.root = std::move(root);
    generate_objects(tables, mistakes);
    // An object that is not there for a mistake is none of its own.
    const bool is_complete = mistakes.empty();
    for (const std::string& text : overrides) {
        if (is_about_parameters(text)) continue;
        Mistakes of_override;
        const bool is_right = of_override.gather([&] {
            apply_override(tables.root, text, *tables.scope);
        });
        if (!is_right && is_complete)
            mistakes.gather([&] {
                of_override.refuse();
            });
    }
    return tables;
}

}  // namespace

std::span<const std::string_view> reserved_names() {
    return kReservedNames;
}

Manifest Manifest::load(const std::filesystem::path& file, std::span<const std::string> overrides) {
    const TrapsOff traps_off;
    return parse(read_text_file(file, "the manifest"), file, overrides);
}

Manifest Manifest::parse(std::string_view text,
                         const std::filesystem::path& file,
                         std::span<const std::string> overrides) {
    const TrapsOff traps_off;
    Place whole;
    whole.file = std::make_shared<const std::string>(file.empty() ? "manifest" : file.string());
    Table root = read_toml(text, whole.file);
    Mistakes mistakes;
    check_outline(root, mistakes);
    name_joints(root);
    join_includes(root, file);
    ManifestTables tables = expand(std::move(root), overrides, mistakes);
    Manifest manifest = read_manifest(std::move(tables), whole, mistakes);
    check_names(manifest, mistakes);
    mistakes.refuse();
    manifest.file = file;
    manifest.overrides.assign(overrides.begin(), overrides.end());
    manifest.validate();
    return manifest;
}

ObjectSpec& Manifest::add_body(std::string name, std::string type) {
    return add(bodies, TypeKind::body, std::move(name), std::move(type));
}

ObjectSpec& Manifest::add_constraint(std::string name, std::string type) {
    return add(constraints, TypeKind::constraint, std::move(name), std::move(type));
}

ObjectSpec& Manifest::add_force(std::string name, std::string type) {
    return add(forces, TypeKind::force, std::move(name), std::move(type));
}

void Manifest::set_parameters(const Table& parameters) {
    const TrapsOff traps_off;
    scope = std::make_shared<const ExpressionScope>(parameters);
}

void Manifest::validate() const {
    const TrapsOff traps_off;
    Mistakes mistakes;
    check_names(*this, mistakes);
    mistakes.refuse();
    check_integrator(integrator);
    if (output.every) check_positive("[output]: every", *output.every, " s", {});
    for (const double g : model.gravity)
        if (!std::isfinite(g))
            throw Error(ErrorKind::manifest,
                        fmt::format("[model]: gravity: expected a finite number, got {} m/s^2", g));
}

}  // namespace ancora
