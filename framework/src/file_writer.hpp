// SPDX-License-Identifier: BSD-3-Clause
// A buffered file that notices every error of writing and never keeps half a line of text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace ancora {

/// Writes a new text file. After an error the file ends with its last whole line, the error is
/// thrown once as Error (file) with path and reason, and what follows is dropped.
class FileWriter {
public:
    /// Creates the file, or empties the one that is there.
    explicit FileWriter(std::filesystem::path file);
    /// Goes on behind the first `size` bytes of a file that is there, and drops the rest of it.
    FileWriter(std::filesystem::path file, std::uint64_t size);
    /// Writes what is left and closes; errors are lost, so call close() where they matter.
    ~FileWriter();
    FileWriter(const FileWriter&) = delete;
    FileWriter& operator=(const FileWriter&) = delete;

    void append(std::string_view text);
    /// Brings what is buffered to the file and writes over bytes that are there.
    void rewrite(std::uint64_t offset, std::string_view text);
    void flush();
    /// Waits until all of it is on the disk.
    void sync();
    void close();
    /// Bytes of the file, with those that are not written yet.
    std::uint64_t size() const { return size_; }

    bool has_unwritten() const { return !buffer_.empty(); }
    /// After a failed write the file ends with its last whole line, or, after this call, wherever
    /// the disk was full.
    void keep_every_byte() { has_lines_ = false; }

private:
    void write_buffer();
    [[noreturn]] void fail(int error);

    std::filesystem::path file_;
    std::string buffer_;
    std::uint64_t size_ = 0;
    bool has_lines_ = true;
    int descriptor_ = -1;  // -1: closed or failed
};

/// Replaces a file as a whole or not at all. One that is there is replaced only if it begins with
/// `mark`, as earlier ones of its kind do; `kind` names that: "a lock".
/// @throws Error (file)
void replace_file(const std::filesystem::path& file,
                  std::string_view text,
                  std::string_view mark,
                  std::string_view kind);

/// Largest manifest, included file, lock, scene and the like [bytes]. Their values take many times
/// this in memory.
constexpr std::uint64_t kMostTextBytes = std::uint64_t{1} << 28;
/// Largest file of results that is read as a whole [bytes]: what memory the machine has.
std::uint64_t most_result_bytes();

/// The whole text of a regular file; a pipe or a device, which may never end, is refused.
/// @throws Error (file) "cannot read the lock: REASON" with `what` = "the lock", and `advice`
std::string read_text_file(const std::filesystem::path& file,
                           std::string_view what,
                           std::string_view advice = "",
                           std::uint64_t most_bytes = kMostTextBytes);

}  // namespace ancora
