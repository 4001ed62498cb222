// SPDX-License-Identifier: BSD-3-Clause
// The lock of a model: with which kernel and plugins it was run, so that another run can insist.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ancora/framework/error.hpp"
#include "ancora/framework/export.hpp"
#include "ancora/framework/plugin_registry.hpp"
#include "ancora/framework/used_plugin.hpp"

namespace ancora {

class Simulation;

/// A plugin as a lock knows it.
struct LockedPlugin {
    std::string name;
    std::string version;
    std::string sha256;              ///< of its file, hexadecimal
    std::vector<std::string> types;  ///< that the model takes from it: "body truss"
};

/// What a model was run with: the kernel, the ABI fingerprint, and each plugin by the hash of its
/// file. Its text is TOML.
///
///     Lock::of(simulation).write("model.lock.toml");       // once
///
///     PluginRegistry registry;                             // later
///     registry.lock_to(Lock::read("model.lock.toml"));
///     Simulation simulation(manifest, registry);           // refuses anything else
class ANCORA_FRAMEWORK_EXPORT Lock {
public:
    static Lock of(std::span<const UsedPlugin> used);
    /// Of the plugins that a simulation uses.
    static Lock of(const Simulation& simulation);

    /// @throws Error (file) with line and column if it cannot be read or is no lock
    static Lock read(const std::filesystem::path& file);
    /// The same from text; `file` is used in messages.
    static Lock parse(std::string_view text, const std::filesystem::path& file);

    std::string text() const;
    /// Replaces the file as a whole or not at all. One that is there must be a lock.
    /// @throws Error (file)
    void write(const std::filesystem::path& file) const;

    /// Throws unless the kernel that runs has the locked version and ABI.
    /// @throws Error (plugin) that names what differs and says how to accept it
    void check_kernel() const;
    /// Throws unless the plugin is in the lock, with this version and file. A plugin that is not
    /// open yet may have no version.
    void check(const Plugin& plugin) const;
    /// Throws unless the model takes from its plugins just what the lock says.
    void check(std::span<const UsedPlugin> used) const;
    void check(const Simulation& simulation) const;

    /// The plugin that offers a type; null if the type is not in the lock.
    const LockedPlugin* find(TypeKind kind, std::string_view type) const;
    /// "m.lock.toml: error: the lock does not allow this: MESSAGE; run "ancora lock m.toml" to
    /// accept what is here now"
    [[noreturn]] void refuse(const std::string& message) const;

    std::filesystem::path file;  ///< it was read from; empty for one made in code
    std::string kernel;          ///< version
    int sdk = 0;                 ///< version
    std::string abi_sha256;      ///< of the entries below
    /// The ABI fingerprint by entry.
    struct AbiProperty {
        std::string name;
        std::string value;
    };
    std::vector<AbiProperty> abi;
    std::vector<LockedPlugin> plugins;  ///< by name
};

/// SHA-256 over the entries of the running kernel's ABI fingerprint. Every plugin that it opens has
/// the same.
ANCORA_FRAMEWORK_EXPORT std::string abi_sha256();

/// Where the lock of a model file is kept: "dir/crane.toml" has "dir/crane.lock.toml".
ANCORA_FRAMEWORK_EXPORT std::filesystem::path lock_file_of(const std::filesystem::path& manifest);

}  // namespace ancora
