// SPDX-License-Identifier: BSD-3-Clause
// Finds, checks and opens plugins; knows their types by name.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ancora/framework/error.hpp"
#include "ancora/framework/export.hpp"
#include "ancora/framework/program_types.hpp"
#include "ancora/sdk/plugin.hpp"

namespace ancora {

/// An open, accepted plugin. It stays open for the life of the process; one of the program itself
/// has no file, and lives as long as its registry.
struct Plugin {
    std::string name;
    std::string version;
    std::filesystem::path file;
    std::string sha256;  ///< of the file, hexadecimal; empty if it is of the program itself
    const PluginDescriptor* descriptor = nullptr;
    /// Makes objects of a type that is a function of the program; empty: TypeDescriptor::create.
    std::function<void*(const Arguments&)> make{};
};

/// A type and the plugin that offers it.
struct PluginType {
    const Plugin* plugin = nullptr;
    const TypeDescriptor* type = nullptr;
};

/// A file that looks like a plugin and whether it was accepted.
struct FoundPlugin {
    std::filesystem::path file;
    const Plugin* plugin = nullptr;  ///< null if refused
    std::string problem;             ///< why it was refused
};

/// What a file that looks like a plugin says of itself; nothing of it has run.
struct ListedPlugin {
    std::filesystem::path file;
    std::string name;     ///< empty if refused
    std::string version;  ///< likewise
    std::vector<std::pair<TypeKind, std::string>> types;
    std::string problem;  ///< why it was refused
};

class Lock;

/// One set of plugins. Several registries may live side by side in one process; they share the
/// libraries, which are opened once. One registry is not to be used from two threads at once.
class ANCORA_FRAMEWORK_EXPORT PluginRegistry {
public:
    PluginRegistry();
    ~PluginRegistry();
    PluginRegistry(const PluginRegistry&) = delete;
    PluginRegistry& operator=(const PluginRegistry&) = delete;

    /// Folders in the order of search: added ones first, in the order of the calls; then those of
    /// ANCORA_PLUGIN_PATH; then the installed plugin folder.
    void add_folder(const std::filesystem::path& folder);
    /// A plugin is refused if somebody other than root and the user of this program could have put
    /// it there: if its file, its folder or a folder above belongs to another user, or others may
    /// write to it (a folder above may have the sticky bit instead, as /tmp). This allows it for
    /// every folder, also those that a manifest names; no manifest can allow it.
    void allow_unchecked_folders(bool allow);
    std::vector<std::filesystem::path> folders() const;

    /// From now on only plugins that the lock names may come into use, each with the locked version
    /// and file, and a model made with this registry must take from them just what the lock says.
    /// @throws Error (plugin) if the kernel is another one, or a plugin in use is not as locked
    void lock_to(Lock lock);
    /// Null if there is none.
    const Lock* lock() const;

    /// Opens the plugin with this name, whose code then runs; returns it at once if it is in use
    /// already. What runs are the bytes that Plugin::sha256 is of, whatever becomes of the file
    /// meanwhile, and a lock is asked before they do.
    /// @throws Error (plugin) that names every folder searched, in order, and near misses
    const Plugin& load(const std::string& name, const Place& place = {});
    /// Opens a plugin file, which need not be on the search path; the same checks apply.
    const Plugin& load_file(const std::filesystem::path& file, const Place& place = {});

    /// Brings types of the program itself into use, without a library: classes, by the descriptor
    /// that ANCORA_PLUGIN defines in its sources, which must outlive the registry; or functions.
    /// Models that use them run in this program alone: they cannot be locked, packed as an FMU, or
    /// run by the command. In a saved state functions are their names, and what they depend on is
    /// for the program to keep.
    /// @throws Error (plugin) if the descriptor has a flaw, or a plugin of this name is in use,
    ///         (usage) if there is no function
    const Plugin& add(const PluginDescriptor& descriptor);
    const Plugin& add(ForceFunction function);
    const Plugin& add(ConstraintFunction function);

    /// The type `name` of this kind: among the plugins in use first, then among all plugins of the
    /// search path. Only the one that offers it is opened, and is then in use: files say which
    /// types they offer in a note that ANCORA_PLUGIN writes. One without a note is found by its
    /// name alone. A force that is written as rows, such as a spring, is a constraint type: where
    /// no force has the name, asking for a force finds that.
    /// @throws Error (manifest) for an unknown type, with the nearest name and where was searched,
    ///         (plugin) if two plugins offer it, or if a lock does not allow it
    PluginType find_type(TypeKind kind, const std::string& name, const Place& place = {});

    /// Opens everything on the search path that has such a note and says what became of it. It
    /// brings no plugin into use: find_type would otherwise depend on what was looked at before.
    std::vector<FoundPlugin> scan();
    /// The same by the notes alone; opens nothing.
    std::vector<ListedPlugin> list() const;

    /// The plugins in use, in the order of opening: those loaded by name or file, and those that a
    /// type was found in.
    std::vector<const Plugin*> plugins() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// "body", "constraint", "force" or "integrator".
ANCORA_FRAMEWORK_EXPORT const char* to_text(TypeKind kind);

}  // namespace ancora
