// SPDX-License-Identifier: BSD-3-Clause
// `ancora new`: writes a plugin of one's own that builds, verifies and runs as it stands.
#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "ancora/framework/manifest.hpp"
#include "commands.hpp"
#include "table.hpp"

namespace ancora::command {
namespace {

namespace fs = std::filesystem;

/// A template is a plugin that works as it stands. Wherever one of the two names is a word of its
/// files, made of letters alone, the new plugin's name takes its place.
struct Template {
    const char* kind;
    const char* folder;       ///< of the template
    const char* name;         ///< of its plugin and type
    const char* capitalised;  ///< of its class
};

constexpr std::array kTemplates = {
    Template{"constraint", "constraint", "rod", "Rod"},
    Template{"body", "body", "dumbbell", "Dumbbell"},
    Template{"force", "force", "damper", "Damper"},
    Template{"integrator", "integrator", "midpoint", "Midpoint"},
};
constexpr Template kForceWithState{"force", "force_with_state", "maxwell", "Maxwell"};
constexpr Template kUnilateral{"constraint", "unilateral", "wall", "Wall"};

// Names that CMake keeps for targets of its own, and that of the doctest library's.
constexpr std::array<std::string_view, 8> kTargets = {
    "all", "clean", "edit_cache", "help", "install", "package", "rebuild_cache", "test"};

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
    throw Error(ErrorKind::usage, fmt::format("\"{}\" cannot name the plugin: {}", name, why));
}

const Template& find_template(const std::string& kind, const Options& options) {
    if (options.unilateral) {
        if (kind == kUnilateral.kind && !options.with_state) return kUnilateral;
        throw Error(ErrorKind::usage,
                    fmt::format("--unilateral writes a constraint that opens and closes, not a {}",
                                options.with_state ? "force with a state" : kind));
    }
    if (options.with_state) {
        if (kind == kForceWithState.kind) return kForceWithState;
        throw Error(ErrorKind::usage,
                    fmt::format("--with-state writes a force with a state of its own, not a {}; "
                                "bodies and constraints have Signals in the same way",
                                kind));
    }
    std::vector<std::string> kinds;
    for (const Template& known : kTemplates) {
        if (known.kind == kind) return known;
        kinds.emplace_back(known.kind);
    }
    const std::string nearest = nearest_name(kind, kinds);
    throw Error(ErrorKind::usage,
                fmt::format("there is no kind \"{}\"{}; write one of {}",
                            kind,
                            nearest.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", nearest),
                            fmt::join(kinds, ", ")));
}

/// Lower-case letters, digits and single "_" inside, so that a class can be named after it.
void require_well_formed(const std::string& name) {
    const auto is_letter = [](char c) {
        return c >= 'a' && c <= 'z';
    };
    const auto is_digit = [](char c) {
        return c >= '0' && c <= '9';
    };
    bool good = !name.empty() && is_letter(name.front()) && name.back() != '_' &&
                name.find("__") == std::string::npos && name.size() <= 64;
    for (const char c : name) good = good && (is_letter(c) || is_digit(c) || c == '_');
    if (!good)
        refuse(name,
               "write a lower-case letter, then lower-case letters, digits and single \"_\" "
               "between them, 64 at most, as in \"rope_over_pulley\"");
    if (std::ranges::find(kTargets, name) != kTargets.end())
        refuse(name, "CMake has a target of this name; choose another one");
}

/// "rope_over_pulley" -> "RopeOverPulley"
std::string class_name(const std::string& name) {
    std::string result;
    bool starts_word = true;
    for (const char c : name) {
        if (c != '_')
            result +=
                starts_word ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
        starts_word = c == '_';
    }
    return result;
}

/// Names of plugins and types must be unique.
void require_unknown(const std::string& name, const Options& options) {
    PluginRegistry registry;
    add_folders(registry, options);
    for (const ListedPlugin& listed : registry.list()) {
        if (listed.name == name)
            refuse(name,
                   fmt::format("there is a plugin of this name, {}; choose another one",
                               listed.file.string()));
        for (const auto& [kind, type] : listed.types)
            if (name == type)
                refuse(name,
                       fmt::format("the plugin \"{}\" offers the {} `{}`; choose another one",
                                   listed.name,
                                   to_text(kind),
                                   name));
    }
}

std::string read(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    if (!in) throw Error(ErrorKind::file, fmt::format("cannot read {}", file.string()));
    return text;
}

bool is_letter(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

/// `text` with each word `from` replaced.
std::string replaced(const std::string& text, std::string_view from, const std::string& to) {
    std::string result;
    std::size_t at = 0;
    for (std::size_t found; (found = text.find(from, at)) != std::string::npos;
         at = found + from.size()) {
        const std::size_t end = found + from.size();
        const bool is_word = (found == 0 || !is_letter(text[found - 1])) &&
                             (end == text.size() || !is_letter(text[end]));
        result.append(text, at, found - at);
        result += is_word ? to : std::string(from);
    }
    return result.append(text, at);
}

/// Whether `word` stands in `text` as an identifier of its own.
bool has_identifier(const std::string& text, const std::string& word) {
    const auto continues = [&](std::size_t i) {
        return i < text.size() &&
               (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_');
    };
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
        if ((at == 0 || !continues(at - 1)) && !continues(at + word.size())) return true;
    return false;
}

/// Files of the new plugin, by path inside its folder.
std::map<fs::path, std::string> files_of(const Template& source,
                                         const fs::path& folder,
                                         const std::string& name) {
    const std::string capitalised = class_name(name);
    std::map<fs::path, std::string> files;
    std::error_code failed;
    for (fs::recursive_directory_iterator entry(folder, failed), end; entry != end;
         entry.increment(failed)) {
        const std::string leaf = entry->path().filename().string();
        if (entry->is_directory() && (leaf == "build" || leaf == "results"))
            entry.disable_recursion_pending();
        if (!entry->is_regular_file()) continue;
        std::string text = read(entry->path());
        if (name != source.name) {
            // What the files call by this name already would be called so twice.
            const fs::path extension = entry->path().extension();
            if (extension == ".cpp" && has_identifier(text, capitalised))
                refuse(name,
                       fmt::format("its class would be {}, which the code uses already; choose "
                                   "another one",
                                   capitalised));
            if ((extension == ".cpp" || extension == ".toml") &&
                text.find('"' + name + '"') != std::string::npos)
                refuse(name,
                       fmt::format("{} of the template has another use for it; choose another one",
                                   leaf));
            text = replaced(replaced(text, source.name, name), source.capitalised, capitalised);
        }
        const fs::path inside = fs::relative(entry->path(), folder);
        files[replaced(inside.string(), source.name, name)] = std::move(text);
    }
    if (failed || files.empty())
        throw Error(ErrorKind::file,
                    fmt::format("the templates are not in {}; install Ancora anew, or start the "
                                "`ancora` of the folder that it was installed to",
                                folder.parent_path().string()));
    return files;
}

void write(const fs::path& file, const std::string& text) {
    std::error_code ignored;  // the stream fails if there is no folder
    fs::create_directories(file.parent_path(), ignored);
    std::ofstream out(file, std::ios::binary);
    out << text;
    if (!out.flush()) throw Error(ErrorKind::file, fmt::format("cannot write {}", file.string()));
}

/// A path as a shell reads it.
std::string quoted(const fs::path& path) {
    const std::string text = path.string();
    const auto is_plain = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
               std::string_view("/._-+").find(c) != std::string_view::npos;
    };
    if (std::ranges::all_of(text, is_plain)) return text;
    std::string result = "'";
    for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
}

}  // namespace

int new_plugin(const Options& options) {
    const Template& source = find_template(options.operands[0], options);
    const std::string& name = options.operands[1];
    require_well_formed(name);
    require_unknown(name, options);

    const fs::path bin = fs::read_symlink("/proc/self/exe").parent_path();
    const auto files = files_of(
        source, (bin / ANCORA_TEMPLATES_FROM_BIN / source.folder).lexically_normal(), name);
    const fs::path folder = options.dir.value_or(".") / name;
    if (fs::symlink_status(folder).type() != fs::file_type::not_found)
        throw Error(ErrorKind::file,
                    fmt::format("{} is there already; nothing was written", folder.string()));
    for (const auto& [file, text] : files) write(folder / file, text);

    const fs::path prefix = (bin / ANCORA_PREFIX_FROM_BIN).lexically_normal().parent_path();
    std::string text = fmt::format("{} `{}` in {}\n\n", source.kind, name, folder.string());
    for (const auto& [file, content] : files) text += fmt::format("  {}\n", file.string());
    text += fmt::format("\nNext, in {}:\n\n", folder.string());
    text += fmt::format(
        "  cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH={}\n"
        "  cmake --build build && ctest --test-dir build && ancora verify build/plugins/{}.so\n"
        "  ancora run model.toml --plugin-dir build/plugins\n",
        quoted(prefix),
        name);
    if (!fs::exists(prefix / ANCORA_PACKAGE_FROM_PREFIX))
        text += fmt::format(
            "\nThis `ancora` is not installed: first `cmake --install {} --prefix PREFIX`, and "
            "write "
            "PREFIX above.\n",
            quoted(prefix));
    write_out(text);
    return 0;
}

}  // namespace ancora::command
