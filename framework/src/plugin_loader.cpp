// SPDX-License-Identifier: BSD-3-Clause
// The process-wide table of open plugins, and the diagnosis of libraries that do not open.
#include "plugin_loader.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <string_view>
#include <system_error>
#include <vector>

#include <boost/core/demangle.hpp>
#include <boost/dll/shared_library.hpp>
#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "fp_environment.hpp"
#include "plugin_checks.hpp"
#include "sha256.hpp"

namespace ancora {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEntry = "ancora_plugin_descriptor";

/// What tells a file from another one that took its place.
struct FileIdentity {
    dev_t device = 0;
    ino_t inode = 0;
    off_t size = 0;
    std::int64_t seconds = 0;
    std::int64_t nanoseconds = 0;

    bool operator==(const FileIdentity&) const = default;
};

/// A library that is open, whether accepted or not.
struct OpenLibrary {
    boost::dll::shared_library library;
    FileIdentity identity;
    Plugin plugin;        ///< complete if there is no problem
    std::string problem;  ///< why it was refused
};

struct Table {
    std::mutex mutex;
    std::map<fs::path, OpenLibrary> libraries;  ///< by canonical path
};

// Never destroyed: plugins may be in use until the very end of the process.
Table& table() {
    static Table& the_table = *new Table;
    return the_table;
}

// --- why a library does not open

bool is_elf(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    char mark[4] = {};
    return in.read(mark, sizeof(mark)) && std::memcmp(mark, "\177ELF", sizeof(mark)) == 0;
}

// The word behind `before`, up to the next blank or one of ",;:()".
std::string word_after(std::string_view text, std::string_view before) {
    const std::size_t at = text.find(before);
    if (at == std::string_view::npos) return {};
    text.remove_prefix(at + before.size());
    return std::string(text.substr(0, text.find_first_of(" ,;:()")));
}

// `said` is the loader's own text without the file's path in front.
std::string diagnose(const fs::path& file, const std::string& said) {
    if (!is_elf(file))
        return fmt::format(
            "is not a shared library (the loader says: {}); name the library that was built", said);

    const std::string text = fmt::format("cannot be loaded: {}", said);
    const std::string symbol = word_after(said, "undefined symbol: ");
    if (!symbol.empty()) {
        const std::string readable = boost::core::demangle(symbol.c_str());
        return fmt::format(
            "{}; neither the plugin nor a library that it is linked with defines {}; "
            "add the missing source or library and link with -Wl,-z,defs, as "
            "ancora_add_plugin() does, to see this at build time",
            text,
            readable);
    }
    const std::size_t missing = said.find(": cannot open shared object file");
    if (missing != std::string::npos)
        return fmt::format(
            "{}; the plugin is linked with {}, which is not where the loader looks; "
            "install it or add its folder to the plugin's run path",
            text,
            said.substr(0, missing));
    if (said.find("wrong ELF class") != std::string::npos)
        return text + "; it was built for another kind of processor, rebuild it on this one";
    return text;
}

std::string loader_text(const fs::path& file) {
    const char* said = ::dlerror();
    std::string text = said != nullptr ? said : "no reason given";
    const std::string prefix = file.string() + ": ";
    if (text.starts_with(prefix)) text.erase(0, prefix.size());
    return text;
}

// --- opening

bool identify(const fs::path& file, FileIdentity& out) {
    struct stat s = {};
    if (::stat(file.c_str(), &s) != 0) return false;
    out = {s.st_dev, s.st_ino, s.st_size, s.st_mtim.tv_sec, s.st_mtim.tv_nsec};
    return true;
}

// Opens `file` and puts it into the table, accepted or not. Returns a problem only if nothing was
// opened, so that the file may be tried again.
std::string open_new(const fs::path& file, const FileIdentity& identity, Table& opened) {
    // the hash first: a library's own code runs as soon as it is opened
    OpenLibrary entry;
    entry.identity = identity;
    try {
        entry.plugin.sha256 = sha256_of_file(file);
    } catch (const std::system_error& error) {
        return fmt::format("cannot be read: {}", error.code().message());
    }

    const FpEnvironment environment = FpEnvironment::capture();
    std::error_code failed;
    ::dlerror();  // forget older failures
    entry.library.load(
        file, failed, boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local);
    if (failed) {
        const std::string said = loader_text(file);
        environment.restore();
        return diagnose(file, said);
    }

    const std::string changes = environment.changes();
    if (!changes.empty()) {
        environment.restore();
        entry.problem = fmt::format(
            "changed the floating-point environment of the whole program while it was loaded "
            "({}); link it without -ffast-math, -Ofast and -funsafe-math-optimizations, which add "
            "crtfastmath.o",
            changes);
    } else if (!entry.library.has(kEntry)) {
        entry.problem = fmt::format(
            "is a shared library but not an Ancora plugin: it does not export {}; write "
            "ANCORA_PLUGIN(name, version, types) once in its sources",
            kEntry);
    } else {
        const auto& descriptor = entry.library.get<const PluginDescriptor>(kEntry);
        entry.problem = find_flaw(&descriptor);
        if (entry.problem.empty()) {
            entry.plugin.name = descriptor.name;
            entry.plugin.version = descriptor.version;
            entry.plugin.file = file;
            entry.plugin.descriptor = &descriptor;
        }
    }
    opened.libraries.emplace(file, std::move(entry));
    return {};
}

}  // namespace

OpenedPlugin open_plugin(const fs::path& file) {
    std::error_code failed;
    const fs::path canonical = fs::canonical(file, failed);
    if (failed) return {nullptr, fmt::format("cannot be opened: {}", failed.message())};
    FileIdentity identity;
    if (!identify(canonical, identity))
        return {nullptr,
                fmt::format("cannot be opened: {}", std::generic_category().message(errno))};

    Table& opened = table();
    const std::scoped_lock lock(opened.mutex);
    auto entry = opened.libraries.find(canonical);
    if (entry == opened.libraries.end()) {
        std::string problem = open_new(canonical, identity, opened);
        if (!problem.empty()) return {nullptr, std::move(problem)};
        entry = opened.libraries.find(canonical);
    } else if (entry->second.identity != identity) {
        return {nullptr, "was replaced on disk since it was opened; restart the program"};
    }

    // A library may be reached by several links, so its name is compared with the one in use.
    const OpenLibrary& library = entry->second;
    if (!library.problem.empty()) return {nullptr, library.problem};
    if (library.plugin.name != file.stem().string())
        return {nullptr,
                fmt::format("calls itself \"{0}\"; rename the file to {0}.so or the plugin in "
                            "ANCORA_PLUGIN",
                            library.plugin.name)};
    return {&library.plugin, {}};
}

}  // namespace ancora
