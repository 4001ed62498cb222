// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a shared library, of which the headers and the plugin's note are read, and as the
// text of such a note. The marks that a file for another machine lacks are put in, too.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include <elf.h>
#include <link.h>

#include "library_note.hpp"
#include "plugin_checks.hpp"

namespace {

using namespace ancora;

void require(bool holds) {
    if (!holds) std::abort();
}

/// What the kernel takes from a note without a further look.
void examine(const PluginNote& note) {
    require(is_valid_name(note.plugin));
    require(note.version.find('\n') == std::string::npos);
    for (const auto& [kind, name] : note.types) {
        require(is_valid_name(name));
        require(note.offers(kind, name));
    }
}

void read_file(std::string_view bytes) {
    std::uint64_t total = 0;
    const auto library = read_library_note([&](std::uint64_t offset, void* to, std::size_t size) {
        if (offset > bytes.size() || size > bytes.size() - offset) return false;
        std::memcpy(to, bytes.data() + offset, size);
        total += size;
        return true;
    });
    require(total <= kMostLibraryBytes);
    if (!library) return;
    if (library->plugin) examine(*library->plugin);
    std::uint64_t kept = 0;
    for (const auto* const list : {&library->needed, &library->run_path})
        for (const std::string& text : *list) {
            require(!text.empty() && text.find('\0') == std::string::npos);
            kept += text.size();
        }
    require(kept <= kMostLibraryBytes);
}

/// The bytes with the marks of a library of this machine, as far as they reach.
std::string with_marks(std::string bytes) {
    ElfW(Ehdr) header;
    if (bytes.size() < sizeof(header)) return bytes;
    std::memcpy(&header, bytes.data(), sizeof(header));
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
    header.e_ident[EI_DATA] = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
    header.e_type = ET_DYN;
#if defined(__x86_64__)
    header.e_machine = EM_X86_64;
#elif defined(__aarch64__)
    header.e_machine = EM_AARCH64;
#endif
    header.e_phentsize = sizeof(ElfW(Phdr));
    std::memcpy(bytes.data(), &header, sizeof(header));
    return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    read_file(bytes);
    read_file(with_marks(bytes));
    if (const std::optional<PluginNote> note = parse_plugin_note(bytes)) examine(*note);
    return 0;
}
