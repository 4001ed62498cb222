// SPDX-License-Identifier: BSD-3-Clause
// Buffered writing through a POSIX descriptor.
#include "file_writer.hpp"

#include <cerrno>
#include <fstream>
#include <memory>
#include <new>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ancora/framework/error.hpp"

namespace ancora {
namespace {

constexpr std::size_t kBufferSize = std::size_t{1} << 16;  // bytes

/// Closes itself.
struct Descriptor {
    explicit Descriptor(int open_number) : number(open_number) {}
    ~Descriptor() {
        if (number >= 0) ::close(number);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int number;
};
std::string reason_of(int error) {
    return error == ELOOP ? "this is a link, and nothing is written through links"
                          : std::generic_category().message(error);
}

[[noreturn]] void refuse(const FileAt& file, const std::string& reason) {
    throw Error(ErrorKind::file,
                fmt::format("cannot write \"{}\": {}", file.path.string(), reason));
}

/// Reads up to `size` bytes from `offset` on.
std::string bytes_of(int descriptor, off_t offset, std::size_t size) {
    std::string out(size, '\0');
    std::size_t held = 0;
    while (held < size) {
        const ssize_t count =
            ::pread(descriptor, out.data() + held, size - held, offset + static_cast<off_t>(held));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        held += static_cast<std::size_t>(count);
    }
    out.resize(held);
    return out;
}

int open_new(const FileAt& file, const std::filesystem::path& name) {
    return ::openat(
        file.folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

/// Writes all of it to the disk; 0 or the error.
int write_whole(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t count = ::write(descriptor, text.data(), text.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return count < 0 ? errno : ENOSPC;
        text.remove_prefix(static_cast<std::size_t>(count));
    }
    // Some file systems cannot be asked to.
    return ::fsync(descriptor) != 0 && errno != EINVAL && errno != EROFS ? errno : 0;
}

/// Names beside the file that are free as a rule: NAME.PID.new, and others with more digits.
std::filesystem::path name_beside(const FileAt& file, int attempt) {
    constexpr long kApart = 10'000'000;  // more than there are process numbers
    std::filesystem::path beside = file.name;
    beside += fmt::format(".{}.new", ::getpid() + attempt * kApart);
    return beside;
}
constexpr int kMostAttempts = 100;

/// A file without a name, which goes away with the process; -1 where that cannot be had.
int open_nameless(const FileAt& file) {
    const std::filesystem::path folder = file.name.parent_path();
    return ::openat(
        file.folder, folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
}

/// Gives it one; empty if that cannot be done here.
std::filesystem::path name_it(int descriptor, const FileAt& file) {
    const std::string self = fmt::format("/proc/self/fd/{}", descriptor);
    for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
        const std::filesystem::path beside = name_beside(file, attempt);
        if (::linkat(AT_FDCWD, self.c_str(), file.folder, beside.c_str(), AT_SYMLINK_FOLLOW) == 0)
            return beside;
        if (errno != EEXIST) break;
    }
    return {};
}

/// Writes the text into a new file beside; returns its name.
std::filesystem::path write_beside(const FileAt& file, std::string_view text) {
    // Without a name as long as it is not whole, so that nothing stays behind a process that is
    // killed.
    if (const int descriptor = open_nameless(file); descriptor >= 0) {
        const int error = write_whole(descriptor, text);
        const std::filesystem::path beside =
            error == 0 ? name_it(descriptor, file) : std::filesystem::path();
        ::close(descriptor);
        if (error != 0) refuse(file, reason_of(error));
        if (!beside.empty()) return beside;
    }
    for (int attempt = 0;; ++attempt) {
        const std::filesystem::path beside = name_beside(file, attempt);
        const int descriptor = open_new(file, beside);
        if (descriptor < 0 && errno == EEXIST && attempt < kMostAttempts) continue;
        if (descriptor < 0) {
            FileAt refused = file;
            refused.path.replace_filename(beside.filename());
            refuse(refused, reason_of(errno));
        }
        int error = write_whole(descriptor, text);
        if (::close(descriptor) != 0 && error == 0 && errno != EINTR) error = errno;
        if (error == 0) return beside;
        ::unlinkat(file.folder, beside.c_str(), 0);
        refuse(file, reason_of(error));
    }
}

}  // namespace

FileWriter::FileWriter(FileAt file) : file_(std::move(file)) {
    descriptor_ = open_new(file_, file_.name);
    if (descriptor_ < 0) fail(errno);
}

FileWriter::FileWriter(FileAt file,
                       std::uint64_t size,
                       const std::function<void(const Reader&)>& check)
    : file_(std::move(file)), size_(size) {
    descriptor_ =
        ::openat(file_.folder, file_.name.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor_ < 0) fail(errno);
    const auto refuse_it = [&](const std::string& why) {
        ::close(std::exchange(descriptor_, -1));
        throw Error(ErrorKind::file, fmt::format("\"{}\" {}", file_.path.string(), why));
    };
    struct stat found {};
    if (::fstat(descriptor_, &found) != 0) refuse_it("cannot be looked at");
    if (!S_ISREG(found.st_mode)) refuse_it("is no regular file");
    if (found.st_nlink > 1)
        refuse_it(
            fmt::format("has {} names, and what is written would appear under all of them; "
                        "put a copy in its place",
                        found.st_nlink));
    try {
        check([&](std::uint64_t offset, std::size_t count) {
            return bytes_of(descriptor_, static_cast<off_t>(offset), count);
        });
    } catch (...) {
        ::close(std::exchange(descriptor_, -1));
        throw;
    }
    const auto end = static_cast<std::uint64_t>(found.st_size);
    if (end < size)
        refuse_it(fmt::format(
            "has {} bytes, but {} had been written to it; it was cut short since", end, size));
    const auto wanted = static_cast<off_t>(size);
    if (::ftruncate(descriptor_, wanted) != 0 || ::lseek(descriptor_, wanted, SEEK_SET) < 0)
        refuse_it(fmt::format("cannot be cut to {} bytes: {}", size, reason_of(errno)));
}

FileWriter::~FileWriter() {
    try {
        close();
    } catch (const Error&) {  // a destructor has nobody to tell
    }
}

void FileWriter::append(std::string_view text) {
    if (!is_open()) return;
    buffer_ += text;
    size_ += text.size();
    if (buffer_.size() >= kBufferSize) write_buffer();
}

void FileWriter::rewrite(std::uint64_t offset, std::string_view text) {
    flush();
    if (!is_open()) return;
    while (!text.empty()) {
        const ssize_t count =
            ::pwrite(descriptor_, text.data(), text.size(), static_cast<off_t>(offset));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) fail(count < 0 ? errno : ENOSPC);
        text.remove_prefix(static_cast<std::size_t>(count));
        offset += static_cast<std::uint64_t>(count);
    }
}

void FileWriter::flush() {
    if (is_open() && !buffer_.empty()) write_buffer();
}

void FileWriter::sync() {
    flush();
    // Some file systems cannot be asked to.
    if (is_open() && ::fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) fail(errno);
}

void FileWriter::close() {
    flush();
    const int descriptor = std::exchange(descriptor_, -1);
    // Network file systems and quotas may report a failed write only here.
    if (descriptor >= 0 && ::close(descriptor) != 0 && errno != EINTR && !has_failed_) fail(errno);
}

void FileWriter::write_buffer() {
    std::size_t written = 0;
    while (written < buffer_.size()) {
        const ssize_t count =
            ::write(descriptor_, buffer_.data() + written, buffer_.size() - written);
        if (count > 0) {
            written += static_cast<std::size_t>(count);
            continue;
        }
        if (count < 0 && errno == EINTR) continue;
        const int error = count < 0 ? errno : ENOSPC;

        if (!has_lines_) fail(error);
        // Cut the file back to the last whole line that reached it.
        const std::size_t last = buffer_.substr(0, written).rfind('\n');
        const std::size_t whole = last == std::string::npos ? 0 : last + 1;
        const off_t end = ::lseek(descriptor_, 0, SEEK_CUR);
        if (end >= 0) {
            const off_t kept = end - static_cast<off_t>(written - whole);
            if (::ftruncate(descriptor_, kept) != 0) errno = 0;  // the write error says it all
        }
        fail(error);
    }
    buffer_.clear();
}

void FileWriter::fail(int error) {
    buffer_.clear();
    has_failed_ = true;
    refuse(file_, reason_of(error));
}

std::uint64_t FileWriter::bytes_in_file() const noexcept {
    struct stat found {};
    if (descriptor_ < 0 || ::fstat(descriptor_, &found) != 0) return 0;
    return static_cast<std::uint64_t>(found.st_size);
}

void FileWriter::patch(std::uint64_t offset, std::string_view text) noexcept {
    // The error that led here says it all.
    if (descriptor_ >= 0 &&
        ::pwrite(descriptor_, text.data(), text.size(), static_cast<off_t>(offset)) < 0)
        errno = 0;
}

void FileWriter::require_in_place() const {
    if (descriptor_ < 0) return;
    struct stat mine {
    }, there{};
    const bool is_same =
        ::fstat(descriptor_, &mine) == 0 &&
        ::fstatat(file_.folder, file_.name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0 &&
        mine.st_dev == there.st_dev && mine.st_ino == there.st_ino;
    if (!is_same)
        throw Error(ErrorKind::file,
                    fmt::format("\"{}\" was deleted or replaced while it was being written; what "
                                "was computed is not in it",
                                file_.path.string()));
}

bool has_mark(const FileAt& file, std::string_view mark, MarkAt where) {
    const int descriptor =
        ::openat(file.folder, file.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) return false;
    struct stat found {};
    bool has = ::fstat(descriptor, &found) == 0 && S_ISREG(found.st_mode) &&
               static_cast<std::size_t>(found.st_size) >= mark.size();
    if (has) {
        const off_t offset =
            where == MarkAt::begin ? 0 : found.st_size - static_cast<off_t>(mark.size());
        has = bytes_of(descriptor, offset, mark.size()) == mark;
    }
    ::close(descriptor);
    return has;
}

void require_replaceable(const FileAt& file,
                         std::string_view mark,
                         std::string_view kind,
                         MarkAt where) {
    struct stat found {};
    if (::fstatat(file.folder, file.name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) return;
    if (S_ISLNK(found.st_mode)) refuse(file, reason_of(ELOOP));
    if (S_ISDIR(found.st_mode)) refuse(file, "this is a folder");
    if (!S_ISREG(found.st_mode)) refuse(file, "this is no regular file");
    if (!has_mark(file, mark, where))
        refuse(file, fmt::format("the file that is there is not {}, so it is left alone", kind));
}

void replace_file(const FileAt& file,
                  std::string_view text,
                  std::string_view mark,
                  std::string_view kind,
                  MarkAt where) {
    require_replaceable(file, mark, kind, where);
    // beside it, since a file is renamed at once only within one file system
    const std::filesystem::path beside = write_beside(file, text);
    if (::renameat(file.folder, beside.c_str(), file.folder, file.name.c_str()) == 0) return;
    const int error = errno;
    ::unlinkat(file.folder, beside.c_str(), 0);
    refuse(file, reason_of(error));
}

std::string read_text_file(const std::filesystem::path& file,
                           std::string_view what,
                           std::string_view advice,
                           std::uint64_t most_bytes) {
    const auto refuse = [&](const std::string& reason) {
        throw Error(ErrorKind::file,
                    fmt::format("cannot read {}: {}{}", what, reason, advice),
                    {std::make_shared<const std::string>(file.string())});
    };
    const auto system_reason = [] {
        return std::error_code(errno, std::generic_category()).message();
    };
    const auto refuse_size = [&] {
        refuse(fmt::format("it has more than {} bytes, the most that is read", most_bytes));
    };

    // Opening a pipe must not wait for a writer.
    Descriptor in(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat about {};
    if (in.number < 0 || ::fstat(in.number, &about) != 0) refuse(system_reason());
    if (S_ISDIR(about.st_mode)) refuse("this is a folder");
    // A device or a pipe may never end.
    if (!S_ISREG(about.st_mode)) refuse("this is no regular file");
    if (static_cast<std::uint64_t>(about.st_size) > most_bytes) refuse_size();

    std::string text;
    try {
        // one more, to see the end
        text.resize(static_cast<std::size_t>(about.st_size) + 1);
        std::size_t size = 0;
        while (true) {
            const ssize_t count = ::read(in.number, text.data() + size, text.size() - size);
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) refuse(system_reason());
            if (count == 0) break;
            size += static_cast<std::size_t>(count);
            if (size > most_bytes) refuse_size();
            // A file may grow while it is read, and those of /proc tell no size.
            if (size == text.size()) text.resize(2 * size + kBufferSize);
        }
        text.resize(size);
    } catch (const std::bad_alloc&) {
        refuse(fmt::format("there is not enough memory for its {} bytes", about.st_size));
    }
    return text;
}

std::uint64_t most_result_bytes() {
    const long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
    constexpr std::uint64_t kFallback = std::uint64_t{1} << 32;
    if (pages <= 0 || page <= 0) return kFallback;
    return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
}

}  // namespace ancora
