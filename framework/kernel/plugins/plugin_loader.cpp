// SPDX-License-Identifier: BSD-3-Clause
// The process-wide table of open plugins, and the diagnosis of libraries that do not open.
#include "plugin_loader.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <boost/core/demangle.hpp>
#include <boost/dll/shared_library.hpp>
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fp_environment.hpp"
#include "plugin_checks.hpp"
#include "plugin_image.hpp"

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

FileIdentity identity_of(const struct stat& s) {
    return {s.st_dev, s.st_ino, s.st_size, s.st_mtim.tv_sec, s.st_mtim.tv_nsec};
}

/// A library that is open, whether accepted or not.
struct OpenLibrary {
    boost::dll::shared_library library;
    const char* path_for_loader = nullptr;  ///< that the loader allotted, see show_file
    FileIdentity identity;
    Plugin plugin;        ///< complete if there is no problem
    std::string problem;  ///< why it was refused
};

struct OpenedLibraries {
    std::mutex mutex;
    std::map<fs::path, OpenLibrary> libraries;  ///< by canonical path
};

// Never destroyed: plugins may be in use until the very end of the process.
OpenedLibraries& table() {
    static OpenedLibraries& the_table = *new OpenedLibraries;
    return the_table;
}

// --- why a library does not open

bool is_elf(int descriptor) {
    char mark[4] = {};
    return ::pread(descriptor, mark, sizeof(mark), 0) == sizeof(mark) &&
           std::memcmp(mark, "\177ELF", sizeof(mark)) == 0;
}

// The word behind `before`, up to the next blank or one of ",;:()".
std::string word_after(std::string_view text, std::string_view before) {
    const std::size_t at = text.find(before);
    if (at == std::string_view::npos) return {};
    text.remove_prefix(at + before.size());
    return std::string(text.substr(0, text.find_first_of(" ,;:()")));
}

// `said` is the loader's own text without the file's path in front.
std::string diagnose(int descriptor, const std::string& said) {
    if (!is_elf(descriptor))
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

// What the loader says, without the path by which it opened the file.
std::string loader_text(const std::string& path) {
    const char* said = ::dlerror();
    std::string text = said != nullptr ? said : "no reason given";
    const std::string prefix = path + ": ";
    if (text.starts_with(prefix)) text.erase(0, prefix.size());
    return text;
}

// --- libraries that a plugin is linked with

// A run path with the plugin's folder, which may itself be called "$ORIGIN", in its place.
std::string with_origin(std::string_view written, const std::string& folder) {
    std::string path;
    while (!written.empty()) {
        bool is_origin = false;
        for (const std::string_view origin : {"$ORIGIN", "${ORIGIN}"})
            if (!is_origin && written.starts_with(origin)) {
                is_origin = true;
                written.remove_prefix(origin.size());
            }
        if (!is_origin) {
            path += written.front();
            written.remove_prefix(1);
        } else {
            path += folder;
        }
    }
    return path;
}

// Opens those that the plugin looks for beside itself, "$ORIGIN/...": the loader would look beside
// the copy in memory. It takes what is open, by its soname. They are examined like the plugin, but
// opened from where they lie, for libraries of their own; by dlopen, since Boost.DLL would close
// them. Returns a problem, or an empty text.
std::string open_needed(const LibraryNote& note, const fs::path& folder, bool allows_unchecked) {
    for (const std::string& name : note.needed) {
        if (name.find('/') != std::string::npos) continue;
        for (const std::string& written : note.run_path) {
            const std::string path = with_origin(written, folder.string());
            const bool is_beside = path != written;
            const fs::path file = fs::path(path) / name;
            std::error_code ignored;
            if (!fs::exists(file, ignored)) continue;
            if (!is_beside) break;  // the loader finds it, too
            const TrustedFile trusted = open_trusted(file, allows_unchecked);
            if (!trusted.problem.empty())
                return fmt::format("is linked with {}, and that {}", name, trusted.problem);
            // what was examined and what the loader opens are to be one file
            if (trusted.path.native().find('$') != std::string::npos)
                return fmt::format(
                    "is linked with {}, which cannot be loaded: in its path, \"{}\", the loader "
                    "would take what begins with \"$\" for something else; rename the folder",
                    name,
                    trusted.path.string());
            if (::dlopen(trusted.path.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr)
                return fmt::format("is linked with {}, which cannot be loaded: {}",
                                   name,
                                   loader_text(trusted.path.string()));
            break;
        }
    }
    return {};
}

// --- opening

bool read_at(int descriptor, std::uint64_t offset, void* to, std::size_t size) {
    if (offset > static_cast<std::uint64_t>(std::numeric_limits<off_t>::max()) - size) return false;
    return ::pread(descriptor, to, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
}

/// Reads a file in pieces: what a library says of itself is a hundred numbers and names in a few of
/// them.
class PieceReader {
public:
    explicit PieceReader(int descriptor) : descriptor_(descriptor) {}

    bool read(std::uint64_t offset, void* to, std::size_t size) {
        if (size > kPiece) return read_at(descriptor_, offset, to, size);
        const bool is_inside =
            offset >= begin_ && offset - begin_ <= filled_ && size <= filled_ - (offset - begin_);
        if (!is_inside) {
            filled_ = 0;
            if (offset > static_cast<std::uint64_t>(std::numeric_limits<off_t>::max()) - kPiece)
                return false;
            const ssize_t got =
                ::pread(descriptor_, piece_.data(), kPiece, static_cast<off_t>(offset));
            begin_ = offset;
            filled_ = got > 0 ? static_cast<std::size_t>(got) : 0;
            if (size > filled_) return false;
        }
        std::memcpy(to, piece_.data() + (offset - begin_), size);
        return true;
    }

private:
    static constexpr std::size_t kPiece = 4096;
    int descriptor_;
    std::uint64_t begin_ = 0;
    std::size_t filled_ = 0;
    std::array<char, kPiece> piece_;
};

// Lets debuggers, stack traces and dladdr() name the file that the bytes came from. The path by
// which the loader opened them leads nowhere once the copy is closed. Returns that path, which
// must be kept: it is the loader's.
const char* show_file(const boost::dll::shared_library& library, const fs::path& file) {
    link_map* map = nullptr;
    if (::dlinfo(library.native(), RTLD_DI_LINKMAP, &map) != 0 || map == nullptr) return nullptr;
    char* const name = ::strdup(file.c_str());
    return name != nullptr ? __atomic_exchange_n(&map->l_name, name, __ATOMIC_ACQ_REL) : nullptr;
}

// What is to be known before the library is opened; its own code runs as soon as it is.
std::string check_unopened(const LibraryNote* library, const PluginImage& image) {
    if (library == nullptr) return {};  // the loader says what it is
    if (library->end > static_cast<std::uint64_t>(image.status.st_size))
        return "is cut off: parts of it that are to be loaded lie behind its end; build or copy "
               "it again";
    if (library->plugin && library->plugin->sdk != ANCORA_SDK_VERSION)
        return other_sdk(library->plugin->sdk);
    return {};
}

// The note is what types are found by.
std::string compare(const PluginNote& note, const PluginDescriptor& descriptor) {
    bool is_same = note.plugin == descriptor.name && note.version == descriptor.version &&
                   note.types.size() == descriptor.num_types;
    for (std::uint32_t i = 0; is_same && i < descriptor.num_types; ++i)
        is_same = note.types[i].first == descriptor.types[i].kind &&
                  note.types[i].second == descriptor.types[i].name;
    return is_same ? ""
                   : "says something else in its section .note.ancora than in its descriptor; "
                     "build it again";
}

// Opens the file and puts it into the table, accepted or not. Returns a problem only if nothing was
// opened, so that the file may be tried again.
std::string open_new(const PluginFile& file,
                     const std::function<void(const Plugin&)>& admit,
                     OpenedLibraries& opened) {
    const fs::path& path = file.file.path;
    const PluginImage image = read_image(file.file.descriptor.number(), path.filename().string());
    if (!image.problem.empty()) return image.problem;
    PieceReader pieces(image.descriptor.number());
    const auto note = read_library_note([&](std::uint64_t offset, void* to, std::size_t size) {
        return pieces.read(offset, to, size);
    });
    std::string problem = check_unopened(note ? &*note : nullptr, image);
    if (!problem.empty()) return problem;

    OpenLibrary entry;
    entry.identity = identity_of(image.status);
    entry.plugin.name = path.stem().string();
    entry.plugin.file = path;
    entry.plugin.sha256 = image.sha256;
    if (note && note->plugin) {
        entry.plugin.name = note->plugin->plugin;
        entry.plugin.version = note->plugin->version;
    }
    if (admit) admit(entry.plugin);

    const bool is_in_place = ::secure_getenv("ANCORA_PLUGINS_IN_PLACE") != nullptr;
    const std::string for_loader = is_in_place ? path.string() : loader_path(image);
    const FpEnvironment environment = FpEnvironment::capture();
    if (note && !is_in_place) {
        problem = open_needed(*note, path.parent_path(), file.allows_unchecked);
        environment.restore();
        if (!problem.empty()) return problem;
    }
    std::error_code failed;
    ::dlerror();  // forget older failures
    entry.library.load(
        for_loader, failed, boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local);
    if (failed) {
        const std::string said = loader_text(for_loader);
        environment.restore();
        return diagnose(image.descriptor.number(), said);
    }
    if (!is_in_place) entry.path_for_loader = show_file(entry.library, path);
    if (problem = changed_since(image); !problem.empty()) return problem;

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
        if (entry.problem.empty() && note && note->plugin)
            entry.problem = compare(*note->plugin, descriptor);
        if (entry.problem.empty()) {
            entry.plugin.name = descriptor.name;
            entry.plugin.version = descriptor.version;
            entry.plugin.descriptor = &descriptor;
        }
    }
    opened.libraries.emplace(path, std::move(entry));
    return {};
}

}  // namespace

PluginFile read_plugin_file(const fs::path& file, bool allows_unchecked) {
    return read_plugin_file(file, open_trusted(file, allows_unchecked), allows_unchecked);
}

PluginFile read_plugin_file(const fs::path& named, TrustedFile file, bool allows_unchecked) {
    PluginFile out{named, std::move(file), allows_unchecked, {}, {}};
    out.problem = out.file.problem;
    if (!out.problem.empty()) return out;
    PieceReader reader(out.file.descriptor.number());
    auto library = read_library_note([&](std::uint64_t offset, void* to, std::size_t size) {
        return reader.read(offset, to, size);
    });
    if (library) out.note = std::move(library->plugin);
    return out;
}

bool is_open(const PluginFile& file) {
    OpenedLibraries& opened = table();
    const std::scoped_lock lock(opened.mutex);
    return opened.libraries.contains(file.file.path);
}

OpenedPlugin open_plugin(const PluginFile& file, const std::function<void(const Plugin&)>& admit) {
    if (!file.problem.empty()) return {nullptr, file.problem};

    OpenedLibraries& opened = table();
    const std::scoped_lock lock(opened.mutex);
    auto entry = opened.libraries.find(file.file.path);
    if (entry == opened.libraries.end()) {
        std::string problem = open_new(file, admit, opened);
        if (!problem.empty()) return {nullptr, std::move(problem)};
        entry = opened.libraries.find(file.file.path);
    } else if (entry->second.identity != identity_of(file.file.status)) {
        return {nullptr, "was replaced on disk since it was opened; restart the program"};
    }

    // A library may be reached by several links, so its name is compared with the one in use.
    const OpenLibrary& library = entry->second;
    if (!library.problem.empty()) return {nullptr, library.problem};
    if (library.plugin.name != file.named.stem().string())
        return {nullptr, other_name(library.plugin.name)};
    if (admit) admit(library.plugin);
    return {&library.plugin, {}};
}

std::string other_name(const std::string& name) {
    return fmt::format(
        "calls itself \"{0}\"; rename the file to {0}.so or the plugin in ANCORA_PLUGIN", name);
}

}  // namespace ancora
