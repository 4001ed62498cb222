// SPDX-License-Identifier: BSD-3-Clause
// Segments of an open library, read from the loader's own list.
#include "plugin_memory.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>

#include <cxxabi.h>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>
#include <malloc.h>

namespace ancora::verify {
namespace {

constexpr std::size_t kWord = sizeof(std::uintptr_t);
constexpr std::size_t kBehindPointers = 256;     // [bytes]
constexpr std::size_t kLargestObject = 1 << 20;  // [bytes]; more is no size

struct Range {
    std::uintptr_t begin = 0, end = 0;
    bool has(std::uintptr_t x) const { return x >= begin && x < end; }
};

struct Segments {
    std::uintptr_t of = 0;  ///< an address inside
    bool is_found = false;
    std::uintptr_t base = 0;
    Range code;
    std::vector<Range> writable;
    std::vector<Range> loader_owned;
};

int note_segments(dl_phdr_info* info, std::size_t, void* to) {
    Segments& found = *static_cast<Segments*>(to);
    const std::span headers(info->dlpi_phdr, info->dlpi_phnum);
    const auto range = [&](const ElfW(Phdr) & header) {
        const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
        return Range{begin, begin + header.p_memsz};
    };
    if (std::ranges::none_of(headers, [&](const ElfW(Phdr) & header) {
            return header.p_type == PT_LOAD && range(header).has(found.of);
        }))
        return 0;
    found.is_found = true;
    found.base = info->dlpi_addr;
    for (const ElfW(Phdr) & header : headers) {
        if (header.p_type == PT_LOAD && (header.p_flags & PF_X) != 0) found.code = range(header);
        if (header.p_type == PT_LOAD && (header.p_flags & PF_W) != 0)
            found.writable.push_back(range(header));
        if (header.p_type == PT_GNU_RELRO || header.p_type == PT_DYNAMIC)
            found.loader_owned.push_back(range(header));
        if (header.p_type != PT_DYNAMIC) continue;
        std::uintptr_t table = 0, bytes = 0;
        for (auto* entry = reinterpret_cast<const ElfW(Dyn)*>(range(header).begin);
             entry->d_tag != DT_NULL;
             ++entry) {
            if (entry->d_tag == DT_PLTGOT) table = entry->d_un.d_ptr;
            if (entry->d_tag == DT_PLTRELSZ) bytes = entry->d_un.d_val;
        }
        // three entries of the loader's own, and one per function
        if (table != 0)
            found.loader_owned.push_back({table, table + (3 + bytes / sizeof(ElfW(Rela))) * kWord});
    }
    return 1;
}

std::uint64_t hash(std::uint64_t seed, const void* bytes, std::size_t count) {
    for (const unsigned char byte : std::span(static_cast<const unsigned char*>(bytes), count))
        seed = (seed ^ byte) * 0x100000001b3;
    return seed;
}

/// Mappings that may be read and written and belong to no file.
std::vector<Range> heaps() {
    std::vector<Range> found;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        Range range;
        char flags[5] = {};
        unsigned long inode = 0;
        if (std::sscanf(
                line.c_str(), "%lx-%lx %4s %*s %*s %lu", &range.begin, &range.end, flags, &inode) ==
                4 &&
            flags[0] == 'r' && flags[1] == 'w' && inode == 0 &&
            line.find("[stack") == std::string::npos)
            found.push_back(range);
    }
    return found;
}

template <class T>
bool read_at(std::ifstream& file, std::uint64_t at, T* to, std::size_t count = 1) {
    file.seekg(static_cast<std::streamoff>(at));
    return static_cast<bool>(
        file.read(reinterpret_cast<char*>(to), static_cast<std::streamsize>(count * sizeof(T))));
}

std::string demangled(const std::string& name) {
    int status = 0;
    char* const text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
    std::string out = status == 0 ? text : name;
    std::free(text);
    constexpr std::string_view kAnonymous = "(anonymous namespace)::";
    for (std::size_t at = out.find(kAnonymous); at != std::string::npos; at = out.find(kAnonymous))
        out.erase(at, kAnonymous.size());
    return out;
}

}  // namespace

PluginMemory::PluginMemory(const Plugin& plugin) : file_(plugin.file.string()) {
    Segments found;
    found.of = reinterpret_cast<std::uintptr_t>(plugin.descriptor);
    ::dl_iterate_phdr(note_segments, &found);
    if (!found.is_found) return;
    base_ = found.base;
    code_ = {found.code.begin, found.code.end};
    for (const Range& range : found.writable) {
        const std::uintptr_t first = (range.begin + kWord - 1) / kWord * kWord;
        const std::uintptr_t* begin = nullptr;
        std::size_t words = 0;
        for (std::uintptr_t at = first; at + kWord <= range.end; at += kWord) {
            const bool is_loaders = std::ranges::any_of(found.loader_owned, [&](const Range& r) {
                return r.has(at);
            });
            if (!is_loaders) {
                if (words++ == 0) begin = reinterpret_cast<const std::uintptr_t*>(at);
                continue;
            }
            if (words > 0) regions_.push_back({begin, words});
            words = 0;
        }
        if (words > 0) regions_.push_back({begin, words});
    }
}

std::vector<std::uintptr_t> PluginMemory::statics() const {
    std::vector<std::uintptr_t> all;
    for (const Region& region : regions_)
        all.insert(all.end(), region.begin, region.begin + region.words);
    return all;
}

std::uint64_t PluginMemory::pointed_to() const {
    const std::vector<Range> ranges = heaps();
    std::uint64_t found = 0;
    for (const std::uintptr_t word : statics())
        for (const Range& range : ranges)
            if (range.has(word))
                found = hash(found,
                             reinterpret_cast<const void*>(word),
                             std::min<std::size_t>(kBehindPointers, range.end - word));
    return found;
}

std::vector<const std::uintptr_t*> PluginMemory::changed(
    const std::vector<std::uintptr_t>& before) const {
    std::vector<const std::uintptr_t*> found;
    std::size_t k = 0;
    for (const Region& region : regions_)
        for (std::size_t i = 0; i < region.words; ++i, ++k)
            if (region.begin[i] != before[k]) found.push_back(region.begin + i);
    return found;
}

std::string PluginMemory::name_of(const void* address) const {
    const auto at = reinterpret_cast<std::uintptr_t>(address) - base_;
    std::ifstream file(file_, std::ios::binary);
    ElfW(Ehdr) header;
    if (read_at(file, 0, &header)) {
        std::vector<ElfW(Shdr)> sections(header.e_shnum);
        read_at(file, header.e_shoff, sections.data(), sections.size());
        for (const ElfW(Shdr) & section : sections) {
            if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
            std::vector<ElfW(Sym)> symbols(section.sh_size / sizeof(ElfW(Sym)));
            if (!read_at(file, section.sh_offset, symbols.data(), symbols.size())) continue;
            for (const ElfW(Sym) & symbol : symbols) {
                if (symbol.st_size == 0 || at < symbol.st_value ||
                    at >= symbol.st_value + symbol.st_size)
                    continue;
                std::string name;
                file.clear();
                file.seekg(static_cast<std::streamoff>(sections[section.sh_link].sh_offset +
                                                       symbol.st_name));
                std::getline(file, name, '\0');
                return demangled(name);
            }
        }
    }
    return fmt::format("at {:#x} of the file's memory", at);
}

std::uint64_t own_bytes(const Object& object) {
    // the address of the whole object, which its block begins with
    const void* whole = nullptr;
    if (object.body) whole = dynamic_cast<const void*>(object.body.get());
    if (object.constraint) whole = dynamic_cast<const void*>(object.constraint.get());
    if (object.force) whole = dynamic_cast<const void*>(object.force.get());
    if (whole == nullptr) return 0;
    const std::size_t size = ::malloc_usable_size(const_cast<void*>(whole));
    return size <= kLargestObject ? hash(1, whole, size) : 0;
}

}  // namespace ancora::verify
