// SPDX-License-Identifier: BSD-3-Clause
// What a manifest says about plugins and types.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ancora/framework/manifest.hpp"
#include "ancora/framework/plugin_registry.hpp"
#include "bound_arguments.hpp"
#include "schema_expressions.hpp"
#include "symbols.hpp"

namespace ancora {

/// What heads an object in a manifest: "body", "constraint" or "joint", "force".
const char* heading_of(const ObjectSpec& spec);

/// Adds the manifest's folders to the registry and loads the plugins that it lists, in its order.
/// @throws Error (plugin)
std::vector<const Plugin*> load_plugins(const Manifest& manifest, PluginRegistry& registry);

/// A folder of plugins, relative to the file that names it, which may be included; one of --set is
/// relative to the manifest.
std::filesystem::path plugin_folder(const Manifest& manifest, const PlacedText& folder);

/// The names that an object's expressions may use.
/// @param scope  the object's own; null: the manifest's
const Symbols& symbols_of(const Manifest& manifest, const ExpressionScope* scope);

/// The parameters of an object with numbers in the place of expressions: `parameters` itself if
/// there are none, else `storage`.
/// @param scope  the object's own; null: the manifest's
const Table& with_numbers(const Manifest& manifest,
                          const ExpressionScope* scope,
                          const std::string& label,
                          const Table& parameters,
                          std::span<const Parameter> schema,
                          Table& storage,
                          ActsOn measure = ActsOn::unknown);

/// The keys of [[body.frame]].
std::span<const Parameter> frame_keys();

/// The key of any constraint that says when it opens for good.
inline constexpr const char* kReleaseKey = "release";
/// Its keys; a number in the place of a table is `at`.
std::span<const Parameter> release_keys();
/// The value of that key, null without one; a type may have a parameter of that name of its own.
const Table::Entry* find_release(const TypeDescriptor& type, const Table& parameters);

/// A frame that a body names.
struct BodyFrame {
    std::string name;
    std::array<double, 3> position{};  ///< body axes [m]
    std::array<double, 9> axes{};      ///< frame to body axes, row by row
};

/// The table of a frame with numbers in the place of expressions.
Table frame_with_numbers(const Manifest& manifest, const ObjectSpec& body, const Value& frame);
/// The frames of a body.
/// @throws Error (manifest)
std::vector<BodyFrame> read_frames(const Manifest& manifest, const ObjectSpec& body);
/// [[frame]] as those of a body "ground".
ObjectSpec ground_of(const Manifest& manifest);

/// The manifest with values in the place of "${EXPRESSION}" in texts of what was added in code:
/// itself if there is none, else `storage`.
/// @throws Error (manifest) for what cannot be computed, and names the object
const Manifest& with_texts(const Manifest& manifest, std::optional<Manifest>& storage);

/// Throws an error about a manifest together with what else its objects have that no type takes:
/// unknown types, keys and values. Returns if the error is no mistake in the manifest's text, or if
/// there are no others.
void refuse_with_others(const Error& error, const Manifest& manifest, PluginRegistry& registry);

/// Refuses an assignment "KIND.NAME.KEY = VALUE" whose key the object's type does not have; what
/// cannot be judged here, as where the type is not to be found, is left to who makes the object.
/// @throws Error (manifest) naming the nearest key
void require_known_key(const Manifest& manifest,
                       PluginRegistry& registry,
                       std::string_view assignment);

/// Replaces the names of files by what `write` makes of their paths.
void write_paths(Table& parameters,
                 const BoundArguments& arguments,
                 const std::function<std::string(const std::filesystem::path&)>& write);

/// Replaces the names of files by their whole paths, so that the table serves wherever it lies.
void write_whole_paths(Table& parameters, const BoundArguments& arguments);

}  // namespace ancora
