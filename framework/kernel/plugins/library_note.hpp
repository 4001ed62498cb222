// SPDX-License-Identifier: BSD-3-Clause
// What an ELF file says of itself, read without running any of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ancora/sdk/plugin.hpp"

namespace ancora {

/// The text that ANCORA_PLUGIN leaves in the file.
struct PluginNote {
    std::string plugin;
    std::string version;
    std::uint32_t sdk = 0;
    std::vector<std::pair<TypeKind, std::string>> types;

    bool offers(TypeKind kind, std::string_view type) const;
};

/// A shared library of this machine's kind, as far as its headers go.
struct LibraryNote {
    std::optional<PluginNote> plugin;
    std::vector<std::string> needed;    ///< names of the libraries that it is linked with
    std::vector<std::string> run_path;  ///< where the loader looks for them, $ORIGIN as written
    std::uint64_t end = 0;              ///< one past the last byte that the loader maps
};

/// Copies `size` bytes from `offset` of a file; false if it does not have them.
using ReadBytes = std::function<bool(std::uint64_t offset, void* to, std::size_t size)>;

/// Most bytes that are read of one file, some of them more than once. What a library says of itself
/// is a few thousand; damaged headers may name the same text thousands of times.
inline constexpr std::uint64_t kMostLibraryBytes = 4 << 20;

/// Reads program headers, notes and the dynamic section. Whatever the bytes are, it reads within
/// the file, and kMostLibraryBytes at most; what makes no sense is passed over. Null if this is no
/// ELF file for this machine.
std::optional<LibraryNote> read_library_note(const ReadBytes& read);

/// The text of a plugin's note; null if it is not as ANCORA_PLUGIN writes it.
std::optional<PluginNote> parse_plugin_note(std::string_view text);

}  // namespace ancora
