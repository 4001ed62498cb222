// SPDX-License-Identifier: BSD-3-Clause
// Shared libraries of this process, and what they need.
#include "shared_objects.hpp"

#include <array>
#include <cstring>

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

namespace ancora {
namespace {

/// A structure out of the bytes; false if it does not lie inside.
template <class T>
bool read(std::string_view bytes, std::uint64_t at, T& to) {
    if (at > bytes.size() || bytes.size() - at < sizeof(T)) return false;
    std::memcpy(&to, bytes.data() + at, sizeof(T));
    return true;
}

}  // namespace

std::vector<std::string> needed_by(std::string_view elf) {
    std::vector<std::string> out;
    Elf64_Ehdr head;
    if (!read(elf, 0, head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_ident[EI_DATA] != ELFDATA2LSB)
        return out;
    std::vector<Elf64_Phdr> segments;
    for (std::uint64_t i = 0; i < head.e_phnum; ++i) {
        Elf64_Phdr segment;
        if (!read(elf, head.e_phoff + i * head.e_phentsize, segment)) return out;
        segments.push_back(segment);
    }
    std::vector<Elf64_Dyn> entries;
    for (const Elf64_Phdr& segment : segments) {
        if (segment.p_type != PT_DYNAMIC) continue;
        for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= segment.p_filesz;
             at += sizeof(Elf64_Dyn)) {
            Elf64_Dyn entry;
            if (!read(elf, segment.p_offset + at, entry)) return out;
            entries.push_back(entry);
        }
    }
    std::uint64_t strings = 0;
    for (const Elf64_Dyn& entry : entries)
        if (entry.d_tag == DT_STRTAB)
            for (const Elf64_Phdr& segment : segments)
                if (segment.p_type == PT_LOAD && entry.d_un.d_ptr >= segment.p_vaddr &&
                    entry.d_un.d_ptr - segment.p_vaddr < segment.p_filesz)
                    strings = segment.p_offset + (entry.d_un.d_ptr - segment.p_vaddr);
    if (strings == 0) return out;
    for (const Elf64_Dyn& entry : entries) {
        if (entry.d_tag != DT_NEEDED || strings + entry.d_un.d_val >= elf.size()) continue;
        const std::string_view rest = elf.substr(strings + entry.d_un.d_val);
        const std::size_t end = rest.find('\0');
        if (end != std::string_view::npos) out.emplace_back(rest.substr(0, end));
    }
    return out;
}

std::map<std::string, std::filesystem::path> loaded_libraries() {
    std::map<std::string, std::filesystem::path> out;
    const auto add = [](dl_phdr_info* info, std::size_t, void* to) {
        const std::filesystem::path file = info->dlpi_name;
        if (!file.empty()) static_cast<decltype(out)*>(to)->emplace(file.filename().string(), file);
        return 0;
    };
    ::dl_iterate_phdr(add, &out);
    return out;
}

std::filesystem::path kernel_file() {
    Dl_info info;
    if (::dladdr(reinterpret_cast<const void*>(&kernel_file), &info) == 0) return {};
    std::error_code error;
    const std::filesystem::path file = std::filesystem::canonical(info.dli_fname, error);
    return error ? std::filesystem::path() : file;
}

bool is_of_system(std::string_view name) {
    constexpr std::array<std::string_view, 9> kNames = {"libc.so.6",
                                                        "libm.so.6",
                                                        "libdl.so.2",
                                                        "librt.so.1",
                                                        "libpthread.so.0",
                                                        "libstdc++.so.6",
                                                        "libgcc_s.so.1",
                                                        "ld-linux-x86-64.so.2",
                                                        "ld-linux-aarch64.so.1"};
    for (const std::string_view known : kNames)
        if (name == known) return true;
    return false;
}

}  // namespace ancora
