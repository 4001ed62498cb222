// SPDX-License-Identifier: BSD-3-Clause
// A reader of ELF headers that trusts no number in them.
#include "library_note.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>

#include <elf.h>
#include <link.h>

#include "plugin_checks.hpp"

namespace ancora {
namespace {

using Header = ElfW(Ehdr);
using Segment = ElfW(Phdr);
using Entry = ElfW(Dyn);
using NoteHeader = ElfW(Nhdr);

// Far more than any linker writes; larger counts come from a damaged file.
constexpr std::size_t kMostSegments = 64;
constexpr std::uint64_t kMostNoteBytes = 1 << 20;
constexpr std::size_t kMostDynamicEntries = 4096;
constexpr std::size_t kLongestText = 4096;

constexpr unsigned char kClass = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
constexpr unsigned char kByteOrder =
    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
constexpr ElfW(Half) kMachine =
#if defined(__x86_64__)
    EM_X86_64;
#elif defined(__aarch64__)
    EM_AARCH64;
#else
    EM_NONE;  // not compared
#endif

constexpr std::string_view kOwner("Ancora\0", 7);
constexpr std::uint32_t kForm = 1;

template <class T>
bool read_one(const ReadBytes& read, std::uint64_t offset, T& out) {
    return read(offset, &out, sizeof(T));
}

// `a + b`, or the largest number.
std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
    return b > std::numeric_limits<std::uint64_t>::max() - a
               ? std::numeric_limits<std::uint64_t>::max()
               : a + b;
}

// Takes the text behind `word` off the front, up to the end of the line.
std::optional<std::string_view> take_line(std::string_view& text, std::string_view word) {
    const std::size_t end = text.find('\n');
    if (!text.starts_with(word) || end == std::string_view::npos || end < word.size()) return {};
    const std::string_view line = text.substr(word.size(), end - word.size());
    text.remove_prefix(end + 1);
    return line;
}

std::optional<PluginNote> find_plugin_note(const ReadBytes& read, const Segment& segment) {
    if (segment.p_filesz > kMostNoteBytes) return {};
    std::string bytes(static_cast<std::size_t>(segment.p_filesz), '\0');
    if (!read(segment.p_offset, bytes.data(), bytes.size())) return {};

    // Notes of eight bytes' alignment are padded to it; every other number there is means four.
    const std::size_t step = segment.p_align == 8 ? 8 : 4;
    const auto padded = [step](std::size_t size) {
        return (size + step - 1) / step * step;
    };
    std::string_view rest = bytes;
    while (rest.size() >= sizeof(NoteHeader)) {
        NoteHeader note;
        std::memcpy(&note, rest.data(), sizeof(note));
        rest.remove_prefix(sizeof(note));
        // sizes of 32 bits, so that their sums fit
        const std::size_t text_at = padded(std::size_t{note.n_namesz});
        if (text_at > rest.size() || note.n_descsz > rest.size() - text_at) return {};
        if (rest.substr(0, note.n_namesz) == kOwner && note.n_type == kForm)
            return parse_plugin_note(rest.substr(text_at, note.n_descsz));
        rest.remove_prefix(std::min(rest.size(), text_at + padded(std::size_t{note.n_descsz})));
    }
    return {};
}

// Where the loader finds an address of the library in the file.
std::optional<std::uint64_t> offset_of(std::uint64_t address,
                                       const std::vector<Segment>& segments) {
    for (const Segment& s : segments)
        if (s.p_type == PT_LOAD && address >= s.p_vaddr && address - s.p_vaddr < s.p_filesz)
            return sum(s.p_offset, address - s.p_vaddr);
    return {};
}

// A text that ends with a zero; empty if it does not end, or is none.
std::string text_at(const ReadBytes& read, std::uint64_t offset) {
    std::string text;
    char piece[64];
    while (text.size() < kLongestText) {
        // near the end of the file pieces are short
        std::size_t size = sizeof(piece);
        while (size > 0 && !read(offset, piece, size)) size /= 2;
        if (size == 0) return {};
        const std::string_view read_now(piece, size);
        const std::size_t zero = read_now.find('\0');
        text += read_now.substr(0, zero);
        if (zero != std::string_view::npos) return text;
        offset = sum(offset, size);
    }
    return {};
}

void read_dynamic(const ReadBytes& read,
                  const Segment& dynamic,
                  const std::vector<Segment>& segments,
                  LibraryNote& out) {
    std::vector<std::uint64_t> needed;
    std::optional<std::uint64_t> strings, run_path, old_run_path;
    const std::uint64_t count =
        std::min<std::uint64_t>(dynamic.p_filesz / sizeof(Entry), kMostDynamicEntries);
    for (std::uint64_t i = 0; i < count; ++i) {
        Entry entry;
        if (!read_one(read, sum(dynamic.p_offset, i * sizeof(Entry)), entry)) return;
        if (entry.d_tag == DT_NULL) break;
        if (entry.d_tag == DT_STRTAB) strings = offset_of(entry.d_un.d_ptr, segments);
        if (entry.d_tag == DT_NEEDED) needed.push_back(entry.d_un.d_val);
        if (entry.d_tag == DT_RUNPATH) run_path = entry.d_un.d_val;
        if (entry.d_tag == DT_RPATH) old_run_path = entry.d_un.d_val;
    }
    if (!strings) return;
    for (const std::uint64_t at : needed) {
        std::string name = text_at(read, sum(*strings, at));
        if (!name.empty()) out.needed.push_back(std::move(name));
    }
    if (!run_path) run_path = old_run_path;  // the loader's order
    if (!run_path) return;
    const std::string path = text_at(read, sum(*strings, *run_path));
    for (std::size_t at = 0; at < path.size();) {
        const std::size_t colon = std::min(path.find(':', at), path.size());
        if (colon > at) out.run_path.push_back(path.substr(at, colon - at));
        at = colon + 1;
    }
}

}  // namespace

bool PluginNote::offers(TypeKind kind, std::string_view type) const {
    return std::ranges::any_of(types, [&](const auto& one) {
        return one.first == kind && one.second == type;
    });
}

std::optional<PluginNote> parse_plugin_note(std::string_view text) {
    PluginNote note;
    const auto plugin = take_line(text, "plugin ");
    const auto version = plugin ? take_line(text, "version ") : std::nullopt;
    const auto sdk = version ? take_line(text, "sdk ") : std::nullopt;
    if (!sdk) return {};
    const auto is_printable = [](char c) {
        return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
    };
    if (!is_valid_name(*plugin) || !std::ranges::all_of(*version, is_printable)) return {};
    const auto [end, error] = std::from_chars(sdk->data(), sdk->data() + sdk->size(), note.sdk);
    if (error != std::errc() || end != sdk->data() + sdk->size()) return {};
    note.plugin = *plugin;
    note.version = *version;
    while (!text.empty()) {
        std::optional<std::string_view> name;
        TypeKind kind{};
        for (const auto& [its_kind, word] :
             {std::pair<TypeKind, std::string_view>{TypeKind::body, "body "},
              {TypeKind::constraint, "constraint "},
              {TypeKind::force, "force "},
              {TypeKind::integrator, "integrator "}}) {
            if (name) break;
            kind = its_kind;
            name = take_line(text, word);
        }
        if (!name || !is_valid_name(*name)) return {};
        note.types.emplace_back(kind, *name);
    }
    return note;
}

std::optional<LibraryNote> read_library_note(const ReadBytes& read_file) {
    std::uint64_t left = kMostLibraryBytes;
    const ReadBytes read = [&](std::uint64_t offset, void* to, std::size_t size) {
        if (size > left || !read_file(offset, to, size)) return false;
        left -= size;
        return true;
    };
    Header header;
    if (!read_one(read, 0, header)) return {};
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != kClass ||
        header.e_ident[EI_DATA] != kByteOrder || header.e_type != ET_DYN ||
        (kMachine != EM_NONE && header.e_machine != kMachine) ||
        header.e_phentsize != sizeof(Segment))
        return {};

    std::vector<Segment> segments(std::min<std::size_t>(header.e_phnum, kMostSegments));
    for (std::size_t i = 0; i < segments.size(); ++i)
        if (!read_one(read, sum(header.e_phoff, i * sizeof(Segment)), segments[i])) return {};

    LibraryNote out;
    for (const Segment& segment : segments) {
        if (segment.p_type == PT_LOAD)
            out.end = std::max(out.end, sum(segment.p_offset, segment.p_filesz));
        if (segment.p_type == PT_NOTE && !out.plugin) out.plugin = find_plugin_note(read, segment);
        if (segment.p_type == PT_DYNAMIC) read_dynamic(read, segment, segments, out);
    }
    return out;
}

}  // namespace ancora
