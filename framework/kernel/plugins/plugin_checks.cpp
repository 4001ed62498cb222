// SPDX-License-Identifier: BSD-3-Clause
// The checks of a plugin's descriptor, from its first byte to the last parameter of its schemas.
#include "plugin_checks.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "ancora/framework/plugin_registry.hpp"

namespace ancora {
namespace {

// Far more than anybody writes; larger counts come from memory that is no descriptor.
constexpr int kMostEntries = 10'000;
constexpr int kDeepestTable = 16;

constexpr std::uint32_t kAllShapes = (static_cast<std::uint32_t>(Shape::signal) << 1) - 1;
constexpr std::uint32_t kAllClaims =
    (static_cast<std::uint32_t>(Claim::keeps_angular_momentum) << 1) - 1;

// --- built for this program?

const char* value_of(std::span<const AbiEntry> entries, std::string_view name) {
    for (const AbiEntry& entry : entries)
        if (entry.name != nullptr && entry.name == name) return entry.value;
    return nullptr;
}

// One line per entry that differs.
std::string fingerprint_differences(std::span<const AbiEntry> theirs,
                                    std::span<const AbiEntry> ours) {
    std::string lines;
    const auto compare = [&](const char* name) {
        const char* a = value_of(theirs, name);
        const char* b = value_of(ours, name);
        if (a != nullptr && b != nullptr && std::strcmp(a, b) == 0) return;
        const auto said = [](const char* value) {
            return value != nullptr ? value : "not stated";
        };
        lines += fmt::format("\n  {}: plugin {}, program {}", name, said(a), said(b));
    };
    for (const AbiEntry& entry : ours) compare(entry.name);
    for (const AbiEntry& entry : theirs)
        if (entry.name != nullptr && value_of(ours, entry.name) == nullptr) compare(entry.name);
    return lines;
}

std::string find_foreign_build(const void* address) {
    // copied, since an alien symbol may lie at any address
    std::uint64_t magic = 0;
    std::memcpy(&magic, address, sizeof(magic));
    if (magic != kPluginMagic)
        return fmt::format(
            "is not an Ancora plugin: its ancora_plugin_descriptor begins with {:#018x} instead of "
            "{:#018x}; write the descriptor with ANCORA_PLUGIN and rebuild it",
            magic,
            kPluginMagic);

    const auto& d = *static_cast<const PluginDescriptor*>(address);
    if (d.sdk_version != ANCORA_SDK_VERSION) return other_sdk(d.sdk_version);
    if (d.size != sizeof(PluginDescriptor))
        return fmt::format(
            "has a descriptor of {} bytes, this program's SDK {} has one of {}; "
            "rebuild it with the installed SDK",
            d.size,
            ANCORA_SDK_VERSION,
            sizeof(PluginDescriptor));
    if (d.abi == nullptr || d.num_abi > kMostEntries)
        return "states no ABI fingerprint; write the descriptor with ANCORA_PLUGIN and rebuild it";

    const std::string differences = fingerprint_differences({d.abi, d.num_abi}, kAbiFingerprint);
    if (!differences.empty())
        return "was built in a way that does not fit this program; rebuild it through the CMake "
               "target Ancora::sdk of the installed SDK:" +
               differences;
    return {};
}

// --- schemas

// `where` is the type or the table that the schema belongs to: 'body "mass"'.
std::string find_schema_flaw(std::span<const Parameter> schema,
                             const std::string& where,
                             int depth);

std::string find_parameter_flaw(const Parameter& p, const std::string& what, int depth) {
    if (p.unit == nullptr || p.doc == nullptr)
        return what + " has a null unit or doc; use an empty text for none";
    if (p.shapes == 0) return what + " allows no shape; say what its value looks like";
    if ((p.shapes & ~kAllShapes) != 0)
        return fmt::format("{} allows a shape that SDK {} does not have (shapes {:#x})",
                           what,
                           ANCORA_SDK_VERSION,
                           p.shapes);
    if (p.is_required && p.default_value != nullptr)
        return fmt::format(
            "{} is required and has the default {}; choose one", what, p.default_value);
    if (std::isnan(p.minimum) || std::isnan(p.maximum) || p.minimum > p.maximum)
        return fmt::format("{} has the empty range from {} to {}", what, p.minimum, p.maximum);
    if (p.length < 0 || p.rows < 0 || p.columns < 0)
        return fmt::format("{} has a negative length, number of rows or of columns", what);

    const bool has_children = p.children != nullptr && p.num_children > 0;
    if (!has_children && (p.children != nullptr || p.num_children != 0))
        return fmt::format("{} announces {} entries of its table, but {}",
                           what,
                           p.num_children,
                           p.children == nullptr ? "leads to none" : "leads to some");
    if (has_children != p.allows(Shape::table))
        return what + (has_children ? " has a schema for a table but does not allow one"
                                    : " allows a table but has no schema for it");
    if (!has_children) return {};
    if (depth >= kDeepestTable) return what + " nests tables too deeply";
    if (p.num_children > kMostEntries) return what + " has too many entries in its table";
    return find_schema_flaw(
        {p.children, static_cast<std::size_t>(p.num_children)}, what, depth + 1);
}

std::string find_schema_flaw(std::span<const Parameter> schema,
                             const std::string& where,
                             int depth) {
    // A table of free names has one entry for all of them, "*"
    const bool may_be_free = depth > 0 && schema.size() == 1;
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < schema.size(); ++i) {
        const Parameter& p = schema[i];
        const bool is_free = may_be_free && p.name != nullptr && p.name == std::string_view("*");
        if (is_free && (p.is_required || p.default_value != nullptr))
            return where +
                   ": the parameter \"*\" stands for any name, so that it can neither be "
                   "required nor have a default";
        if (!is_free && (p.name == nullptr || !is_valid_name(p.name)))
            return fmt::format(
                "{}: parameter {} has the name \"{}\"; a name is a letter or \"_\" followed by "
                "letters, digits, \"_\" and \"-\"",
                where,
                i + 1,
                p.name == nullptr ? "" : p.name);
        if (std::find(names.begin(), names.end(), p.name) != names.end())
            return fmt::format("{} has two parameters \"{}\"", where, p.name);
        names.push_back(p.name);
        std::string flaw =
            find_parameter_flaw(p, fmt::format("{}: parameter \"{}\"", where, p.name), depth);
        if (!flaw.empty()) return flaw;
    }
    return {};
}

// --- types

bool is_known(TypeKind kind) {
    return kind == TypeKind::body || kind == TypeKind::constraint || kind == TypeKind::force ||
           kind == TypeKind::integrator;
}

std::string find_type_flaw(const TypeDescriptor& type, std::uint32_t index) {
    if (!is_known(type.kind))
        return fmt::format(
            "type {} is of the unknown kind {}", index + 1, static_cast<std::int32_t>(type.kind));
    if (type.name == nullptr || !is_valid_name(type.name))
        return fmt::format(
            "type {} has the name \"{}\"; a name is a letter or \"_\" followed by "
            "letters, digits, \"_\" and \"-\"",
            index + 1,
            type.name == nullptr ? "" : type.name);

    const std::string what = fmt::format("{} type \"{}\"", to_text(type.kind), type.name);
    if (type.create == nullptr) return what + " has no factory";
    if (type.doc == nullptr || type.equation == nullptr || type.source == nullptr ||
        type.tolerance == nullptr)
        return what + " has a null doc, equation, source or tolerance; use an empty text for none";
    if (type.num_parameters < 0 || type.num_parameters > kMostEntries ||
        (type.parameters != nullptr) != (type.num_parameters > 0))
        return fmt::format("{} announces {} parameters, but leads to {}",
                           what,
                           type.num_parameters,
                           type.parameters == nullptr ? "none" : "an array of them");

    if ((type.claims.bits & ~kAllClaims) != 0)
        return fmt::format("{} makes a claim that SDK {} does not have (claims {:#x})",
                           what,
                           ANCORA_SDK_VERSION,
                           type.claims.bits);
    if (type.order < 0) return fmt::format("{} claims the order {}", what, type.order);

    const std::span schema(type.parameters, static_cast<std::size_t>(type.num_parameters));
    std::string flaw = find_schema_flaw(schema, what, 0);
    if (!flaw.empty() || type.kind == TypeKind::integrator) return flaw;

    // these keys of an object's table are the kernel's
    for (const Parameter& p : schema) {
        for (const std::string_view reserved : {"name", "type"})
            if (p.name == reserved)
                return fmt::format("{}: no parameter can be called \"{}\", which every object has",
                                   what,
                                   reserved);
        if (type.kind == TypeKind::body && p.name == std::string_view("shape"))
            return fmt::format(
                "{}: no parameter can be called \"shape\", which every body has for its look",
                what);
    }
    return {};
}

std::string find_content_flaw(const PluginDescriptor& d) {
    if (d.name == nullptr || !is_valid_name(d.name))
        return fmt::format(
            "has the name \"{}\"; a name is a letter or \"_\" followed by letters, "
            "digits, \"_\" and \"-\"",
            d.name == nullptr ? "" : d.name);
    if (d.version == nullptr || *d.version == '\0')
        return "states no version; write one in ANCORA_PLUGIN";
    if (d.num_types == 0 || d.types == nullptr)
        return "offers no types; list them in ANCORA_PLUGIN";
    if (d.num_types > kMostEntries) return fmt::format("announces {} types", d.num_types);

    const std::span types(d.types, d.num_types);
    for (std::uint32_t i = 0; i < d.num_types; ++i) {
        const std::string flaw = find_type_flaw(types[i], i);
        if (!flaw.empty()) return "has a flaw in its descriptor: " + flaw;
        for (std::uint32_t j = 0; j < i; ++j)
            if (types[j].kind == types[i].kind && std::strcmp(types[j].name, types[i].name) == 0)
                return fmt::format("offers two {} types \"{}\"; give one of them another name",
                                   to_text(types[i].kind),
                                   types[i].name);
    }
    return {};
}

}  // namespace

bool is_valid_name(std::string_view name) {
    // not std::isalpha, which depends on the locale
    const auto is_letter = [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
    };
    const auto may_follow = [&](char c) {
        return is_letter(c) || (c >= '0' && c <= '9') || c == '-';
    };
    return !name.empty() && is_letter(name.front()) &&
           std::all_of(name.begin(), name.end(), may_follow);
}

std::string other_sdk(std::uint32_t version) {
    return fmt::format(
        "was built for SDK {}, this program speaks SDK {}; rebuild it with the installed SDK{}",
        version,
        ANCORA_SDK_VERSION,
        version < ANCORA_SDK_VERSION ? "; what its source must change for that stands in "
                                       "share/ancora/sdk/README.md, \"Versions: what fits what\""
                                     : "");
}

std::string find_flaw(const void* descriptor) {
    std::string flaw = find_foreign_build(descriptor);
    if (flaw.empty()) flaw = find_content_flaw(*static_cast<const PluginDescriptor*>(descriptor));
    return flaw;
}

}  // namespace ancora
