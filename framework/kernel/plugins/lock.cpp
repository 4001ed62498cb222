// SPDX-License-Identifier: BSD-3-Clause
// Writing, reading and comparing locks.
#include "ancora/framework/lock.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "ancora/framework/version.hpp"
#include "ancora/sdk/abi.hpp"
#include "file_writer.hpp"
#include "sha256.hpp"
#include "table_reader.hpp"
#include "toml_reader.hpp"
#include "toml_writer.hpp"
#include "wording.hpp"

namespace ancora {
namespace {

namespace fs = std::filesystem;

// The first line of every lock, which distinguishes it from files that must not be overwritten.
constexpr std::string_view kMark = "# Lock of an Ancora model.";
constexpr int kFormat = 1;

std::string shortened(const std::string& sha256) {
    return sha256.size() > 12 ? sha256.substr(0, 12) + "..." : sha256;
}

std::string type_text(TypeKind kind, std::string_view type) {
    return fmt::format("{} {}", to_text(kind), type);
}

std::vector<Lock::AbiProperty> running_abi() {
    std::vector<Lock::AbiProperty> entries;
    for (const AbiEntry& entry : kAbiFingerprint) entries.push_back({entry.name, entry.value});
    return entries;
}

std::string hash_of(const std::vector<Lock::AbiProperty>& entries) {
    std::string all;
    for (const Lock::AbiProperty& entry : entries)
        all += fmt::format("{}={}\n", entry.name, entry.value);
    return sha256_of_text(all);
}

// The model that a lock is named after, for advice.
std::string model_of(const fs::path& lock) {
    constexpr std::string_view kEnding = ".lock.toml";
    const std::string name = lock.string();
    if (!name.ends_with(kEnding)) return "MODEL.toml";
    return name.substr(0, name.size() - kEnding.size()) + ".toml";
}

LockedPlugin read_plugin(const TableReader& reader, const Value& entry) {
    const PlacedTable table = reader.table(entry, "plugin");
    reader.only(table, {"name", "version", "sha256", "types"});
    LockedPlugin plugin{reader.text(table, "name"),
                        reader.text(table, "version"),
                        reader.text(table, "sha256"),
                        reader.texts(table, "types")};
    if (plugin.sha256.size() != 64 ||
        plugin.sha256.find_first_not_of("0123456789abcdef") != std::string::npos)
        reader.refuse("sha256: expected 64 hexadecimal digits",
                      reader.value(table, "sha256").place());
    return plugin;
}

}  // namespace

std::string abi_sha256() {
    static const std::string hash = hash_of(running_abi());
    return hash;
}

fs::path lock_file_of(const fs::path& manifest) {
    return fs::path(manifest).replace_extension(".lock.toml");
}

Lock Lock::of(std::span<const UsedPlugin> used_plugins) {
    Lock lock;
    lock.kernel = ancora::version();
    lock.sdk = ANCORA_SDK_VERSION;
    lock.abi = running_abi();
    lock.abi_sha256 = ancora::abi_sha256();
    for (const UsedPlugin& used : used_plugins) {
        if (used.plugin->sha256.empty())
            throw Error(ErrorKind::plugin,
                        fmt::format("plugin \"{}\" ({}) has no file, so that a lock cannot hold it",
                                    used.plugin->name,
                                    used.plugin->file.string()));
        LockedPlugin& plugin = lock.plugins.emplace_back(
            LockedPlugin{used.plugin->name, used.plugin->version, used.plugin->sha256, {}});
        for (const TypeDescriptor* type : used.types)
            plugin.types.push_back(type_text(type->kind, type->name));
        std::ranges::sort(plugin.types);
    }
    std::ranges::sort(lock.plugins, {}, &LockedPlugin::name);
    return lock;
}

Lock Lock::read(const fs::path& file) {
    return parse(
        read_text_file(
            file, "the lock", fmt::format("; \"ancora lock {}\" writes one", model_of(file))),
        file);
}

Lock Lock::parse(std::string_view text, const fs::path& file) {
    const auto name = std::make_shared<const std::string>(file.string());
    const TableReader reader("this is not a lock that \"ancora lock\" wrote");
    Table document;
    try {
        document = read_toml(text, name);
    } catch (const Error& error) {
        throw Error(ErrorKind::file, error.message(), error.place());
    }

    const PlacedTable root{document, Place{name}};
    if (const std::int64_t format = reader.integer(root, "format"); format != kFormat)
        reader.refuse(fmt::format("it has format {}, this version reads {}", format, kFormat),
                      reader.value(root, "format").place());
    reader.only(root, {"format", "kernel", "abi", "plugin"});

    Lock lock;
    lock.file = file;
    const PlacedTable kernel = reader.table(root, "kernel");
    reader.only(kernel, {"version", "sdk", "abi_sha256"});
    lock.kernel = reader.text(kernel, "version");
    const std::int64_t sdk = reader.integer(kernel, "sdk");
    if (!std::in_range<int>(sdk))
        reader.refuse(fmt::format("sdk: {} is no version of the SDK", sdk),
                      reader.value(kernel, "sdk").place());
    lock.sdk = static_cast<int>(sdk);
    lock.abi_sha256 = reader.text(kernel, "abi_sha256");
    for (const Table::Entry& entry : reader.table(root, "abi").table.entries())
        lock.abi.push_back({entry.key, reader.as<std::string>(entry.value, entry.key, "a text")});
    if (hash_of(lock.abi) != lock.abi_sha256)
        reader.refuse("abi_sha256 is not the hash of the entries of [abi]",
                      reader.value(kernel, "abi_sha256").place());

    for (const Value& entry :
         reader.as<Array>(reader.value(root, "plugin"), "plugin", "tables [[plugin]]")) {
        LockedPlugin plugin = read_plugin(reader, entry);
        if (std::ranges::find(lock.plugins, plugin.name, &LockedPlugin::name) != lock.plugins.end())
            reader.refuse(fmt::format("plugin {} is there twice", in_quotes(plugin.name)),
                          entry.place());
        lock.plugins.push_back(std::move(plugin));
    }
    return lock;
}

std::string Lock::text() const {
    std::string out = fmt::format(
        "{} \"ancora run --locked\" refuses any other kernel or plugin;\n"
        "# \"ancora lock\" writes this file anew.\n"
        "format = {}\n{}\n"
        "[kernel]\nversion = {}\nsdk = {}\nabi_sha256 = {}\n\n[abi]\n",
        kMark,
        kFormat,
        plugins.empty() ? "plugin = []\n" : "",
        toml_text(kernel),
        sdk,
        toml_text(abi_sha256));
    for (const AbiProperty& entry : abi)
        out += fmt::format("{} = {}\n", toml_text(entry.name), toml_text(entry.value));
    for (const LockedPlugin& plugin : plugins) {
        out += fmt::format("\n[[plugin]]\nname = {}\nversion = {}\nsha256 = {}\ntypes = [",
                           toml_text(plugin.name),
                           toml_text(plugin.version),
                           toml_text(plugin.sha256));
        for (std::size_t i = 0; i < plugin.types.size(); ++i)
            out += (i > 0 ? ", " : "") + toml_text(plugin.types[i]);
        out += "]\n";
    }
    return out;
}

void Lock::write(const fs::path& to) const {
    replace_file(to, text(), kMark, "a lock");
}

void Lock::refuse(const std::string& message) const {
    Place place;
    if (!file.empty()) place.file = std::make_shared<const std::string>(file.string());
    throw Error(ErrorKind::plugin,
                fmt::format("the lock does not allow this: {}; run \"ancora lock {}\" to accept "
                            "what is here now",
                            message,
                            model_of(file)),
                place);
}

void Lock::check_kernel() const {
    if (kernel != ancora::version())
        refuse(fmt::format("the kernel is Ancora {}, the lock has {}", ancora::version(), kernel));
    if (sdk != ANCORA_SDK_VERSION)
        refuse(fmt::format("the kernel speaks SDK {}, the lock has {}", ANCORA_SDK_VERSION, sdk));

    std::vector<std::string> differences;
    const auto value_in = [](const std::vector<AbiProperty>& entries, const std::string& name) {
        const auto found = std::ranges::find(entries, name, &AbiProperty::name);
        return found == entries.end() ? std::string("missing")
                                      : fmt::format("\"{}\"", found->value);
    };
    const std::vector<AbiProperty> here = running_abi();
    for (const AbiProperty& entry : here)
        if (value_in(abi, entry.name) != value_in(here, entry.name))
            differences.push_back(fmt::format("\n  {} is \"{}\", in the lock {}",
                                              entry.name,
                                              entry.value,
                                              value_in(abi, entry.name)));
    for (const AbiProperty& entry : abi)
        if (value_in(here, entry.name) == "missing")
            differences.push_back(
                fmt::format("\n  {} is missing, in the lock \"{}\"", entry.name, entry.value));
    if (differences.empty()) return;
    std::string all = "the kernel was built differently:";
    for (const std::string& difference : differences) all += difference;
    refuse(all);
}

void Lock::check(const Plugin& plugin) const {
    const auto locked = std::ranges::find(plugins, plugin.name, &LockedPlugin::name);
    const std::string title = fmt::format("plugin \"{}\" ({})", plugin.name, plugin.file.string());
    if (locked == plugins.end()) refuse(fmt::format("{} is not in the lock", title));
    // before it is opened, the version is known only if the file says it
    const bool has_version = !plugin.version.empty();
    if (has_version && locked->version != plugin.version)
        refuse(fmt::format(
            "{} has version {}, the lock has {}", title, plugin.version, locked->version));
    if (locked->sha256 != plugin.sha256)
        refuse(fmt::format(
            "{} is another file{}: SHA-256 is {}, the lock has {}",
            title,
            has_version ? fmt::format(", though its version is {} as in the lock", plugin.version)
                        : "",
            shortened(plugin.sha256),
            shortened(locked->sha256)));
}

void Lock::check(std::span<const UsedPlugin> used) const {
    check_kernel();
    for (const UsedPlugin& one : used) {
        check(*one.plugin);
        for (const TypeDescriptor* type : one.types)
            if (const LockedPlugin* const locked = find(type->kind, type->name);
                locked == nullptr || locked->name != one.plugin->name)
                refuse(
                    fmt::format("the model takes {} \"{}\" from plugin \"{}\", which the lock "
                                "does not have",
                                to_text(type->kind),
                                type->name,
                                one.plugin->name));
    }
    for (const LockedPlugin& locked : plugins) {
        const auto one = std::ranges::find(used, locked.name, [](const UsedPlugin& u) {
            return u.plugin->name;
        });
        if (one == used.end())
            refuse(fmt::format("the lock has plugin \"{}\", which the model does not use",
                               locked.name));
        for (const std::string& type : locked.types)
            if (std::ranges::none_of(one->types, [&](const TypeDescriptor* t) {
                    return type_text(t->kind, t->name) == type;
                }))
                refuse(fmt::format("the lock has {} of plugin \"{}\", which the model does not use",
                                   type,
                                   locked.name));
    }
}

const LockedPlugin* Lock::find(TypeKind kind, std::string_view type) const {
    const std::string text = type_text(kind, type);
    for (const LockedPlugin& plugin : plugins)
        if (std::ranges::find(plugin.types, text) != plugin.types.end()) return &plugin;
    return nullptr;
}

}  // namespace ancora
