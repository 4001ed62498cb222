// SPDX-License-Identifier: BSD-3-Clause
// The plugins in use, and their types by kind and name.
#include "ancora/framework/plugin_registry.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "ancora/framework/lock.hpp"
#include "ancora/framework/manifest.hpp"
#include "plugin_checks.hpp"
#include "plugin_loader.hpp"
#include "plugin_search.hpp"

namespace ancora {
namespace {

namespace fs = std::filesystem;

// More refused plugins than this are counted, not named, in a message about something else.
constexpr std::size_t kMostRefusals = 8;

std::string refusal(const fs::path& file, const std::string& problem) {
    return fmt::format("plugin \"{}\" ({}) {}", file.stem().string(), file.string(), problem);
}

// @throws Error (plugin) with what to write instead
void require_plugin_name(const std::string& name, const Place& place) {
    if (is_valid_name(name)) return;
    std::string advice =
        "; a name is a letter or \"_\" followed by letters, digits, \"_\" and \"-\"";
    const fs::path path = name;
    if (name.find('/') != std::string::npos || name.find('\\') != std::string::npos)
        advice = fmt::format(
            "; a plugin is named, not pathed: write its name{}, and its folder in "
            "plugin_dirs of [model] or after --plugin-dir",
            is_valid_name(path.stem().string()) ? fmt::format(" \"{}\"", path.stem().string())
                                                : "");
    else if (path.extension() == ".so" && is_valid_name(path.stem().string()))
        advice = fmt::format("; write \"{}\", without the ending", path.stem().string());
    throw Error(ErrorKind::plugin,
                fmt::format("\"{}\" is not the name of a plugin{}", name, advice),
                place);
}

std::span<const TypeDescriptor> types_of(const Plugin& plugin) {
    return {plugin.descriptor->types, plugin.descriptor->num_types};
}

const TypeDescriptor* type_of(const Plugin& plugin, TypeKind kind, const std::string& name) {
    for (const TypeDescriptor& type : types_of(plugin))
        if (type.kind == kind && type.name == name) return &type;
    return nullptr;
}

// What heads an object of this kind in a manifest.
std::string heading(TypeKind kind) {
    return kind == TypeKind::integrator ? fmt::format("[{}]", to_text(kind))
                                        : fmt::format("[[{}]]", to_text(kind));
}

}  // namespace

struct PluginRegistry::Impl {
    PluginSearch search;
    std::vector<const Plugin*> in_use;
    std::optional<Lock> lock;

    const Plugin* find_in_use(const std::string& name) const {
        for (const Plugin* plugin : in_use)
            if (plugin->name == name) return plugin;
        return nullptr;
    }

    void use(const Plugin& plugin) {
        if (std::find(in_use.begin(), in_use.end(), &plugin) != in_use.end()) return;
        if (lock) lock->check(plugin);
        in_use.push_back(&plugin);
    }

    const Plugin& open(const PluginSearch::Candidate& candidate, const Place& place) {
        const FoundPlugin found = try_open(candidate);
        if (found.plugin == nullptr) throw Error(ErrorKind::plugin, found.problem, place);
        use(*found.plugin);
        return *found.plugin;
    }

    static FoundPlugin try_open(const PluginSearch::Candidate& candidate) {
        OpenedPlugin opened{nullptr, candidate.problem};
        if (opened.problem.empty()) opened = open_plugin(candidate.file);
        if (opened.plugin == nullptr) opened.problem = refusal(candidate.file, opened.problem);
        return {candidate.file, opened.plugin, opened.problem};
    }

    std::vector<FoundPlugin> open_search_path() const;
    std::vector<PluginType> offers(TypeKind kind,
                                   const std::string& name,
                                   std::span<const Plugin* const> plugins) const;
    [[noreturn]] void refuse_ambiguous(TypeKind kind,
                                       const std::string& name,
                                       const std::vector<PluginType>& found,
                                       const Place& place) const;
    [[noreturn]] void refuse_unknown(TypeKind kind,
                                     const std::string& name,
                                     const std::vector<FoundPlugin>& on_path,
                                     const Place& place) const;
};

// Opens each file of the search path, except those that another one of the same name hides. This
// brings no plugin into use.
std::vector<FoundPlugin> PluginRegistry::Impl::open_search_path() const {
    std::map<std::string, fs::path> first;
    for (const Plugin* plugin : in_use) first.emplace(plugin->name, plugin->file);

    std::vector<FoundPlugin> all;
    for (const PluginSearch::Candidate& candidate : search.list()) {
        const auto [hiding, is_first] =
            first.emplace(candidate.file.stem().string(), candidate.file);
        std::error_code failed;
        if (is_first || fs::equivalent(hiding->second, candidate.file, failed))
            all.push_back(try_open(candidate));
        else
            all.push_back({candidate.file,
                           nullptr,
                           refusal(candidate.file,
                                   fmt::format("is hidden by {}, which comes first",
                                               hiding->second.string()))});
    }
    return all;
}

std::vector<PluginType> PluginRegistry::Impl::offers(TypeKind kind,
                                                     const std::string& name,
                                                     std::span<const Plugin* const> plugins) const {
    std::vector<PluginType> found;
    for (const Plugin* plugin : plugins)
        if (const TypeDescriptor* type = type_of(*plugin, kind, name))
            found.push_back({plugin, type});
    return found;
}

void PluginRegistry::Impl::refuse_ambiguous(TypeKind kind,
                                            const std::string& name,
                                            const std::vector<PluginType>& found,
                                            const Place& place) const {
    const Plugin& a = *found[0].plugin;
    const Plugin& b = *found[1].plugin;
    const bool is_listed = find_in_use(a.name) != nullptr;
    throw Error(ErrorKind::plugin,
                fmt::format("{} type \"{}\" is offered by two plugins, \"{}\" ({}) and \"{}\" "
                            "({}); {} of them in plugins of [model]",
                            to_text(kind),
                            name,
                            a.name,
                            a.file.string(),
                            b.name,
                            b.file.string(),
                            is_listed ? "keep only one" : "name one"),
                place);
}

void PluginRegistry::Impl::refuse_unknown(TypeKind kind,
                                          const std::string& name,
                                          const std::vector<FoundPlugin>& on_path,
                                          const Place& place) const {
    std::vector<const Plugin*> known = in_use;
    std::vector<std::string> refused;
    for (const FoundPlugin& found : on_path) {
        if (found.plugin != nullptr)
            known.push_back(found.plugin);
        else
            refused.push_back(found.problem);
    }

    std::string guess;
    std::vector<std::string> names;
    for (const Plugin* plugin : known)
        for (const TypeDescriptor& type : types_of(*plugin)) {
            if (type.kind == kind) names.emplace_back(type.name);
            if (type.name == name)
                guess = fmt::format("; \"{}\" is {} {}, write {}",
                                    name,
                                    type.kind == TypeKind::integrator ? "an" : "a",
                                    to_text(type.kind),
                                    heading(type.kind));
        }
    const std::string near_name = nearest_name(name, names);
    if (guess.empty() && !near_name.empty())
        guess = fmt::format("; did you mean \"{}\"?", near_name);

    std::string used;
    for (const Plugin* plugin : in_use) used += (used.empty() ? "" : ", ") + plugin->name;

    std::string text = fmt::format("unknown {} type \"{}\"{} (plugins in use: {}){}",
                                   to_text(kind),
                                   name,
                                   guess,
                                   used.empty() ? "none" : used,
                                   search.searched());
    for (std::size_t i = 0; i < refused.size() && i < kMostRefusals; ++i)
        text += "\n  refused: " + refused[i];
    if (refused.size() > kMostRefusals)
        text += fmt::format("\n  refused: {} more", refused.size() - kMostRefusals);
    throw Error(ErrorKind::manifest, text, place);
}

PluginRegistry::PluginRegistry() : impl_(std::make_unique<Impl>()) {}

PluginRegistry::~PluginRegistry() = default;

void PluginRegistry::add_folder(const fs::path& folder) {
    impl_->search.add_folder(folder);
}

void PluginRegistry::allow_unchecked_folders(bool allow) {
    impl_->search.allow_unchecked_folders(allow);
}

std::vector<fs::path> PluginRegistry::folders() const {
    return impl_->search.folders();
}

void PluginRegistry::lock_to(Lock lock) {
    lock.check_kernel();
    for (const Plugin* plugin : impl_->in_use) lock.check(*plugin);
    impl_->lock = std::move(lock);
}

const Lock* PluginRegistry::lock() const {
    return impl_->lock ? &*impl_->lock : nullptr;
}

const Plugin& PluginRegistry::load(const std::string& name, const Place& place) {
    require_plugin_name(name, place);
    if (const Plugin* plugin = impl_->find_in_use(name)) return *plugin;
    const auto candidate = impl_->search.find(name);
    if (!candidate) throw Error(ErrorKind::plugin, impl_->search.not_found(name), place);
    return impl_->open(*candidate, place);
}

const Plugin& PluginRegistry::load_file(const fs::path& file, const Place& place) {
    const fs::path path = fs::absolute(file).lexically_normal();
    const Plugin* other = impl_->find_in_use(path.stem().string());
    std::error_code failed;
    if (other != nullptr && !fs::equivalent(other->file, path, failed))
        throw Error(ErrorKind::plugin,
                    refusal(path,
                            fmt::format("has the name of a plugin that is in use, {}",
                                        other->file.string())),
                    place);
    return impl_->open(impl_->search.inspect(path), place);
}

PluginType PluginRegistry::find_type(TypeKind kind, const std::string& name, const Place& place) {
    if (impl_->lock) {
        // Where it comes from is known; no other plugin is opened.
        const LockedPlugin* const locked = impl_->lock->find(kind, name);
        if (locked == nullptr)
            impl_->lock->refuse(
                fmt::format("{} type \"{}\" is not in the lock", to_text(kind), name));
        load(locked->name, place);
    }
    std::vector<PluginType> found = impl_->offers(kind, name, impl_->in_use);
    if (found.empty()) {
        const std::vector<FoundPlugin> on_path = impl_->open_search_path();
        std::vector<const Plugin*> accepted;
        for (const FoundPlugin& one : on_path)
            if (one.plugin != nullptr &&
                std::find(accepted.begin(), accepted.end(), one.plugin) == accepted.end())
                accepted.push_back(one.plugin);
        found = impl_->offers(kind, name, accepted);
        if (found.empty()) impl_->refuse_unknown(kind, name, on_path, place);
    }
    if (found.size() > 1) impl_->refuse_ambiguous(kind, name, found, place);
    impl_->use(*found.front().plugin);
    return found.front();
}

std::vector<FoundPlugin> PluginRegistry::scan() {
    return impl_->open_search_path();
}

std::vector<const Plugin*> PluginRegistry::plugins() const {
    return impl_->in_use;
}

}  // namespace ancora
