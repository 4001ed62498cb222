// SPDX-License-Identifier: BSD-3-Clause
// Writes a ZIP archive, and reads what it has written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ancora {

/// Files in a ZIP archive (PKWARE's APPNOTE 6.3), deflated, without time stamps: the same files
/// give the same bytes.
class ZipArchive {
public:
    /// `name` is relative, with slashes. @throws Error (file) beyond 4 GiB
    void add(const std::string& name, std::string_view bytes, bool is_executable = false);
    /// The archive.
    std::string finish();

private:
    struct Entry {
        std::string name;
        std::uint32_t crc, packed, size, offset;
        bool is_executable;
    };
    std::string text_;
    std::vector<Entry> entries_;
};

struct ArchivedFile {
    std::string name;
    std::string bytes;
};

/// The files of an archive of the kind that ZipArchive writes: deflated, sizes before the bytes.
/// @throws Error (file) for others, and where it is damaged
std::vector<ArchivedFile> read_archive(std::string_view archive);

}  // namespace ancora
