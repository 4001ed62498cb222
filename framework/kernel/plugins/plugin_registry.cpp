// SPDX-License-Identifier: BSD-3-Clause
// The plugins in use, and their types by kind and name.
#include "ancora/framework/plugin_registry.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>

#include "ancora/framework/lock.hpp"
#include "ancora/framework/nearest_name.hpp"
#include "function_types.hpp"
#include "plugin_checks.hpp"
#include "plugin_loader.hpp"
#include "plugin_search.hpp"
#include "traps_off.hpp"
#include "usual_names.hpp"

namespace ancora {
namespace {

namespace fs = std::filesystem;

// More refused plugins than this are counted, not named, in a message about something else.
constexpr std::size_t kMostRefusals = 8;
constexpr std::size_t kMostTypesListed = 60;

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
    switch (kind) {
        case TypeKind::integrator:
            return "[integrator]";
        case TypeKind::constraint:
            return "[[joint]] or [[constraint]], which are the same";
        default:
            return fmt::format("[[{}]]", to_text(kind));
    }
}

// What stands in the way of a file that has no note; ANCORA_PLUGIN leaves one.
constexpr const char* kNoNote =
    "was not opened, since it does not say which types it offers; if it is a plugin, build it "
    "again "
    "with the installed SDK, whose ANCORA_PLUGIN writes that into the file, or name it in plugins "
    "of [model]";

// The types that there are, by name.
std::string hint_at_types(TypeKind kind, std::vector<std::string> names) {
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    if (names.empty()) return {};
    const std::size_t shown = std::min(names.size(), kMostTypesListed);
    return fmt::format("; {} types: {}{}",
                       to_text(kind),
                       fmt::join(std::span(names).first(shown), ", "),
                       shown < names.size() ? ", ..." : "");
}

struct Offer {
    std::string plugin;
    std::string file;
};

}  // namespace

struct PluginRegistry::Impl {
    PluginSearch search;
    bool allows_unchecked = false;
    std::vector<const Plugin*> in_use;
    std::optional<Lock> lock;
    std::vector<std::unique_ptr<ProgramPlugin>> of_program;

    const Plugin& add(std::unique_ptr<ProgramPlugin> added);
    const Plugin* find_in_use(const std::string& name) const {
        for (const Plugin* plugin : in_use)
            if (plugin->name == name) return plugin;
        return nullptr;
    }

    // Held to the lock, the plugin is compared before any code of it runs.
    const Plugin& open(const fs::path& path, const Place& place) {
        std::function<void(const Plugin&)> admit;
        if (lock)
            admit = [this](const Plugin& plugin) {
                lock->check(plugin);
            };
        const OpenedPlugin opened = open_plugin(read_plugin_file(path, allows_unchecked), admit);
        if (opened.plugin == nullptr)
            throw Error(ErrorKind::plugin, refusal(path, opened.problem), place);
        if (std::ranges::find(in_use, opened.plugin) == in_use.end())
            in_use.push_back(opened.plugin);
        return *opened.plugin;
    }

    // What a file said when it was read, until it is another one.
    struct Seen {
        bool allows_unchecked;
        struct stat status;
        fs::path path;
        std::optional<PluginNote> note;
    };
    mutable std::map<fs::path, Seen> seen;
    PluginFile look_at(const fs::path& path, TrustedFiles& files) const;

    std::vector<PluginFile> read_search_path() const;
    TypeKind acting_kind(const std::string& name) const;
    std::vector<PluginType> offers(TypeKind kind, const std::string& name) const;
    [[noreturn]] void refuse_ambiguous(TypeKind kind,
                                       const std::string& name,
                                       const Offer& a,
                                       const Offer& b,
                                       const Place& place) const;
    [[noreturn]] void refuse_unknown(TypeKind kind,
                                     const std::string& name,
                                     const std::vector<PluginFile>& on_path,
                                     const Place& place) const;
};

// [[force]] may name a force that is written as rows, such as a spring: a constraint type then,
// unless a force has that name.
TypeKind PluginRegistry::Impl::acting_kind(const std::string& name) const {
    const auto decide = [&](auto&& is_offered) {
        return !is_offered(TypeKind::force) && is_offered(TypeKind::constraint)
                   ? TypeKind::constraint
                   : TypeKind::force;
    };
    if (lock)
        return decide([&](TypeKind kind) {
            return lock->find(kind, name) != nullptr;
        });
    for (const TypeKind kind : {TypeKind::force, TypeKind::constraint})
        if (!offers(kind, name).empty()) return kind;
    const std::vector<PluginFile> on_path = read_search_path();
    return decide([&](TypeKind kind) {
        return std::ranges::any_of(on_path, [&](const PluginFile& file) {
            return file.problem.empty() && file.note && file.note->offers(kind, name);
        });
    });
}

// Reads the note of a file, or remembers it. It says which types the file offers, and no more: a
// file that is to be opened is examined, read and hashed anew. What was refused is always read.
PluginFile PluginRegistry::Impl::look_at(const fs::path& path, TrustedFiles& files) const {
    struct stat now = {};
    const auto is_same = [&](const struct stat& then) {
        const auto same_time = [](const timespec& a, const timespec& b) {
            return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
        };
        return then.st_dev == now.st_dev && then.st_ino == now.st_ino &&
               then.st_size == now.st_size && same_time(then.st_mtim, now.st_mtim) &&
               same_time(then.st_ctim, now.st_ctim);
    };
    if (const auto known = seen.find(path); known != seen.end()) {
        const Seen& at = known->second;
        if (at.allows_unchecked == allows_unchecked && ::stat(path.c_str(), &now) == 0 &&
            is_same(at.status)) {
            PluginFile file;
            file.named = path;
            file.file.path = at.path;
            file.file.status = at.status;
            file.allows_unchecked = allows_unchecked;
            file.note = at.note;
            return file;
        }
        seen.erase(known);
    }
    PluginFile file = read_plugin_file(path, files.open(path), allows_unchecked);
    file.file.descriptor = {};  // a process may not have many
    if (file.problem.empty())
        seen.emplace(path, Seen{allows_unchecked, file.file.status, file.file.path, file.note});
    return file;
}

// Reads the note of each file of the search path; those that another one of the same name hides
// have a problem. Nothing of them runs, and they are not left open.
std::vector<PluginFile> PluginRegistry::Impl::read_search_path() const {
    std::map<std::string, fs::path> first;
    for (const Plugin* plugin : in_use) first.emplace(plugin->name, plugin->file);

    std::vector<PluginFile> all;
    TrustedFiles files(allows_unchecked);
    for (const fs::path& path : search.list()) {
        const auto [hiding, is_first] = first.emplace(path.stem().string(), path);
        std::error_code failed;
        if (is_first || fs::equivalent(hiding->second, path, failed)) {
            PluginFile& file = all.emplace_back(look_at(path, files));
            if (file.problem.empty() && file.note && file.note->plugin != path.stem())
                file.problem = other_name(file.note->plugin);
        } else {
            PluginFile& file = all.emplace_back();
            file.named = path;
            file.problem =
                fmt::format("is hidden by {}, which comes first", hiding->second.string());
        }
    }
    return all;
}

std::vector<PluginType> PluginRegistry::Impl::offers(TypeKind kind, const std::string& name) const {
    std::vector<PluginType> found;
    for (const Plugin* plugin : in_use)
        if (const TypeDescriptor* type = type_of(*plugin, kind, name))
            found.push_back({plugin, type});
    return found;
}

void PluginRegistry::Impl::refuse_ambiguous(TypeKind kind,
                                            const std::string& name,
                                            const Offer& a,
                                            const Offer& b,
                                            const Place& place) const {
    const bool is_listed = find_in_use(a.plugin) != nullptr;
    throw Error(ErrorKind::plugin,
                fmt::format("{} type \"{}\" is offered by two plugins, \"{}\" ({}) and \"{}\" "
                            "({}); {} of them in plugins of [model]",
                            to_text(kind),
                            name,
                            a.plugin,
                            a.file,
                            b.plugin,
                            b.file,
                            is_listed ? "keep only one" : "name one"),
                place);
}

void PluginRegistry::Impl::refuse_unknown(TypeKind kind,
                                          const std::string& name,
                                          const std::vector<PluginFile>& on_path,
                                          const Place& place) const {
    std::vector<std::pair<TypeKind, std::string>> known;
    for (const Plugin* plugin : in_use)
        for (const TypeDescriptor& type : types_of(*plugin))
            known.emplace_back(type.kind, type.name);
    std::vector<std::string> refused;
    for (const PluginFile& file : on_path) {
        if (!file.problem.empty())
            refused.push_back(refusal(file.named, file.problem));
        else if (file.note)
            known.insert(known.end(), file.note->types.begin(), file.note->types.end());
        else if (!is_open(file))
            refused.push_back(refusal(file.named, kNoNote));
    }

    std::string guess;
    std::vector<std::string> names;
    std::vector<std::string> of_rows;  // springs and dampers, which [[force]] may name too
    for (const auto& [its_kind, its_name] : known) {
        if (its_kind == kind) names.push_back(its_name);
        if (kind == TypeKind::force && its_kind == TypeKind::constraint)
            of_rows.push_back(its_name);
        if (its_name == name)
            guess = fmt::format("; \"{}\" is {} {}, write {}",
                                name,
                                its_kind == TypeKind::integrator ? "an" : "a",
                                to_text(its_kind),
                                heading(its_kind));
    }
    if (guess.empty()) guess = hint_at_usual_name(to_text(kind), name, names);
    if (guess.empty() && !of_rows.empty())
        guess = hint_at_usual_name(to_text(TypeKind::constraint), name, of_rows);
    if (guess.empty()) {
        std::vector<std::string> all = names;
        all.insert(all.end(), of_rows.begin(), of_rows.end());
        guess = did_you_mean(name, all);
    }
    // Where there is no guess, all that there are; where there is one, no list of folders.
    const bool has_guess = !guess.empty();
    if (!has_guess) {
        guess = hint_at_types(kind, names);
        if (!of_rows.empty())
            guess +=
                hint_at_types(TypeKind::constraint, of_rows) + ", springs and dampers among them";
    }

    std::string used;
    for (const Plugin* plugin : in_use) used += (used.empty() ? "" : ", ") + plugin->name;

    std::string text = fmt::format("unknown {} type \"{}\"{} (plugins in use: {}){}",
                                   to_text(kind),
                                   name,
                                   guess,
                                   used.empty() ? "none" : used,
                                   has_guess && refused.empty() ? "" : search.searched());
    for (std::size_t i = 0; i < refused.size() && i < kMostRefusals; ++i)
        text += "\n  refused: " + refused[i];
    if (refused.size() > kMostRefusals)
        text += fmt::format("\n  refused: {} more", refused.size() - kMostRefusals);
    throw Error(ErrorKind::manifest, text, place);
}

const Plugin& PluginRegistry::Impl::add(std::unique_ptr<ProgramPlugin> added) {
    const Plugin& plugin = added->plugin;
    const auto refuse = [&](const std::string& problem) {
        throw Error(ErrorKind::plugin,
                    fmt::format("plugin \"{}\" ({}) {}", plugin.name, kThisProgram, problem));
    };
    if (const std::string flaw = find_flaw(plugin.descriptor); !flaw.empty()) refuse(flaw);
    if (const Plugin* const other = find_in_use(plugin.name))
        refuse(fmt::format("has the name of a plugin that is in use, {}", other->file.string()));
    if (lock) lock->check(plugin);
    of_program.push_back(std::move(added));
    in_use.push_back(&plugin);
    return plugin;
}

PluginRegistry::PluginRegistry() : impl_(std::make_unique<Impl>()) {}

PluginRegistry::~PluginRegistry() = default;

void PluginRegistry::add_folder(const fs::path& folder) {
    impl_->search.add_folder(folder);
}

void PluginRegistry::allow_unchecked_folders(bool allow) {
    impl_->allows_unchecked = allow;
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
    const TrapsOff traps_off;
    require_plugin_name(name, place);
    if (const Plugin* plugin = impl_->find_in_use(name)) return *plugin;
    const auto file = impl_->search.find(name);
    if (!file) throw Error(ErrorKind::plugin, impl_->search.not_found(name), place);
    return impl_->open(*file, place);
}

const Plugin& PluginRegistry::load_file(const fs::path& file, const Place& place) {
    const TrapsOff traps_off;
    const fs::path path = fs::absolute(file).lexically_normal();
    const Plugin* other = impl_->find_in_use(path.stem().string());
    std::error_code failed;
    if (other != nullptr && !fs::equivalent(other->file, path, failed))
        throw Error(ErrorKind::plugin,
                    refusal(path,
                            fmt::format("has the name of a plugin that is in use, {}",
                                        other->file.string())),
                    place);
    return impl_->open(path, place);
}

const Plugin& PluginRegistry::add(const PluginDescriptor& descriptor) {
    const TrapsOff traps_off;
    if (const std::string flaw = find_flaw(&descriptor); !flaw.empty())
        throw Error(ErrorKind::plugin, fmt::format("the descriptor of the program {}", flaw));
    return impl_->add(plugin_of(descriptor));
}

const Plugin& PluginRegistry::add(ForceFunction function) {
    const TrapsOff traps_off;
    return impl_->add(plugin_of(std::move(function)));
}

const Plugin& PluginRegistry::add(ConstraintFunction function) {
    const TrapsOff traps_off;
    return impl_->add(plugin_of(std::move(function)));
}

PluginType PluginRegistry::find_type(TypeKind kind, const std::string& name, const Place& place) {
    const TrapsOff traps_off;
    if (kind == TypeKind::force) kind = impl_->acting_kind(name);
    if (impl_->lock) {
        // Where it comes from is known; no other plugin is opened.
        const LockedPlugin* const locked = impl_->lock->find(kind, name);
        if (locked == nullptr)
            impl_->lock->refuse(
                fmt::format("{} type \"{}\" is not in the lock", to_text(kind), name));
        load(locked->name, place);
    }
    std::vector<PluginType> found = impl_->offers(kind, name);
    if (found.empty()) {
        const std::vector<PluginFile> on_path = impl_->read_search_path();
        const PluginFile* offering = nullptr;
        for (const PluginFile& file : on_path) {
            if (!file.problem.empty() || !file.note || !file.note->offers(kind, name)) continue;
            // one file may be reached through several links
            if (offering != nullptr && offering->file.path != file.file.path)
                impl_->refuse_ambiguous(kind,
                                        name,
                                        {offering->note->plugin, offering->file.path.string()},
                                        {file.note->plugin, file.file.path.string()},
                                        place);
            offering = &file;
        }
        if (offering == nullptr) impl_->refuse_unknown(kind, name, on_path, place);
        impl_->open(offering->named, place);
        found = impl_->offers(kind, name);
        if (found.empty())
            throw Error(ErrorKind::plugin,
                        refusal(offering->named, "was replaced while it was opened; try again"),
                        place);
    }
    if (found.size() > 1)
        impl_->refuse_ambiguous(kind,
                                name,
                                {found[0].plugin->name, found[0].plugin->file.string()},
                                {found[1].plugin->name, found[1].plugin->file.string()},
                                place);
    return found.front();
}

std::vector<FoundPlugin> PluginRegistry::scan() {
    const TrapsOff traps_off;
    std::vector<FoundPlugin> all;
    for (const PluginFile& file : impl_->read_search_path()) {
        OpenedPlugin opened{nullptr, file.problem};
        if (opened.problem.empty() && !file.note && !is_open(file)) opened.problem = kNoNote;
        if (opened.problem.empty())
            opened = open_plugin(read_plugin_file(file.named, impl_->allows_unchecked), {});
        if (opened.plugin == nullptr) opened.problem = refusal(file.named, opened.problem);
        all.push_back({file.named, opened.plugin, opened.problem});
    }
    return all;
}

std::vector<ListedPlugin> PluginRegistry::list() const {
    std::vector<ListedPlugin> all;
    for (PluginFile& file : impl_->read_search_path()) {
        ListedPlugin& listed = all.emplace_back();
        listed.file = file.named;
        if (file.problem.empty() && !file.note) file.problem = kNoNote;
        if (!file.problem.empty()) {
            listed.problem = refusal(file.named, file.problem);
            continue;
        }
        listed.name = file.note->plugin;
        listed.version = file.note->version;
        listed.types = std::move(file.note->types);
    }
    return all;
}

std::vector<const Plugin*> PluginRegistry::plugins() const {
    return impl_->in_use;
}

}  // namespace ancora
