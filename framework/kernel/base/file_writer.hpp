// SPDX-License-Identifier: BSD-3-Clause
// A buffered file that notices every error of writing, never keeps half a line of text, and never
// writes through a link.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include <fcntl.h>

namespace ancora {

/// A file by its name in an open folder, so that nothing else is written if the folder's path leads
/// elsewhere meanwhile; or, without a folder, by its path.
struct FileAt {
    FileAt(std::filesystem::path file)  // NOLINT: a path is a place
        : name(file), path(std::move(file)) {}
    FileAt(int open_folder, std::filesystem::path file)
        : folder(open_folder), name(file.filename()), path(std::move(file)) {}

    int folder = AT_FDCWD;       ///< descriptor; the caller keeps it open
    std::filesystem::path name;  ///< relative to it
    std::filesystem::path path;  ///< for messages
};

/// Writes a text file. After an error the file ends with its last whole line, the error is thrown
/// once as Error (file) with path and reason, and what follows is dropped. The folder of the file
/// must stay open as long as the writer lives.
class FileWriter {
public:
    /// Reads up to `size` bytes from `offset` on.
    using Reader = std::function<std::string(std::uint64_t offset, std::size_t size)>;

    /// Creates the file.
    /// @throws Error (file), also if there is something of this name
    explicit FileWriter(FileAt file);
    /// Goes on behind the first `size` bytes of a file that is there, and drops the rest of it.
    /// @param check  may read before; it throws if the file is another one, which is then left as
    ///               it is
    /// @throws Error (file), also for a link, and a file that has other names
    FileWriter(FileAt file, std::uint64_t size, const std::function<void(const Reader&)>& check);
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

    /// After a failed write: the bytes that reached the file, and writing over some of them, which
    /// needs no space. 0 if it is not known.
    std::uint64_t bytes_in_file() const noexcept;
    void patch(std::uint64_t offset, std::string_view text) noexcept;

    /// Before close().
    /// @throws Error (file) if the file no longer stands in its folder under its name
    void require_in_place() const;

private:
    bool is_open() const { return descriptor_ >= 0 && !has_failed_; }
    void write_buffer();
    [[noreturn]] void fail(int error);

    FileAt file_;
    std::string buffer_;
    std::uint64_t size_ = 0;
    bool has_lines_ = true;
    bool has_failed_ = false;
    int descriptor_ = -1;  // -1: closed
};

enum class MarkAt { begin, end };

/// Replaces a file as a whole or not at all. One that is there is replaced only if it is no link
/// and begins, or ends, with `mark`, as earlier ones of its kind do; `kind` names that: "a lock".
/// @throws Error (file)
void replace_file(const FileAt& file,
                  std::string_view text,
                  std::string_view mark,
                  std::string_view kind,
                  MarkAt where = MarkAt::begin);

/// Refuses what replace_file() would not replace, before anything is computed.
void require_replaceable(const FileAt& file,
                         std::string_view mark,
                         std::string_view kind,
                         MarkAt where = MarkAt::begin);

/// Whether there is a file, not a link, that begins or ends with these bytes.
bool has_mark(const FileAt& file, std::string_view mark, MarkAt where = MarkAt::begin);

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
