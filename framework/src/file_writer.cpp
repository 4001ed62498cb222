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

}  // namespace

FileWriter::FileWriter(std::filesystem::path file) : file_(std::move(file)) {
    descriptor_ = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor_ < 0) fail(errno);
}

FileWriter::FileWriter(std::filesystem::path file, std::uint64_t size)
    : file_(std::move(file)), size_(size) {
    descriptor_ = ::open(file_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail(errno);
    const off_t end = ::lseek(descriptor_, 0, SEEK_END);
    if (end < 0) fail(errno);
    const auto wanted = static_cast<off_t>(size);
    if (end < wanted) {
        ::close(std::exchange(descriptor_, -1));
        throw Error(ErrorKind::file,
                    fmt::format("\"{}\" has {} bytes, but {} had been written to it; it was cut "
                                "short since",
                                file_.string(),
                                end,
                                size));
    }
    if (::ftruncate(descriptor_, wanted) != 0 || ::lseek(descriptor_, wanted, SEEK_SET) < 0)
        fail(errno);
}

FileWriter::~FileWriter() {
    try {
        close();
    } catch (const Error&) {  // a destructor has nobody to tell
    }
}

void FileWriter::append(std::string_view text) {
    if (descriptor_ < 0) return;
    buffer_ += text;
    size_ += text.size();
    if (buffer_.size() >= kBufferSize) write_buffer();
}

void FileWriter::rewrite(std::uint64_t offset, std::string_view text) {
    flush();
    if (descriptor_ < 0) return;
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
    if (descriptor_ >= 0 && !buffer_.empty()) write_buffer();
}

void FileWriter::sync() {
    flush();
    // Some file systems cannot be asked to.
    if (descriptor_ >= 0 && ::fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS)
        fail(errno);
}

void FileWriter::close() {
    flush();
    const int descriptor = std::exchange(descriptor_, -1);
    // Network file systems and quotas may report a failed write only here.
    if (descriptor >= 0 && ::close(descriptor) != 0 && errno != EINTR) fail(errno);
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
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
    throw Error(
        ErrorKind::file,
        fmt::format(
            "cannot write \"{}\": {}", file_.string(), std::generic_category().message(error)));
}

void replace_file(const std::filesystem::path& file,
                  std::string_view text,
                  std::string_view mark,
                  std::string_view kind) {
    const auto fail = [&](const std::string& reason) {
        throw Error(ErrorKind::file, fmt::format("cannot write \"{}\": {}", file.string(), reason));
    };
    std::error_code error;
    if (std::filesystem::is_directory(file, error)) fail("this is a folder");
    if (std::filesystem::exists(file, error)) {
        if (!std::filesystem::is_regular_file(file, error)) fail("this is no regular file");
        std::string first;
        std::ifstream in(file, std::ios::binary);
        std::getline(in, first);
        if (!first.starts_with(mark))
            fail(fmt::format("the file that is there is not {}, so it is left alone", kind));
    }
    // beside it, since a file is renamed at once only within one file system
    std::filesystem::path beside = file;
    beside += fmt::format(".{}.new", ::getpid());
    try {
        FileWriter writer(beside);
        writer.append(text);
        writer.sync();  // before the name goes over to it, or a crash could leave it empty
        writer.close();
    } catch (...) {
        std::filesystem::remove(beside, error);
        throw;
    }
    std::filesystem::rename(beside, file, error);
    if (!error) return;
    const std::string reason = error.message();
    std::filesystem::remove(beside, error);
    fail(reason);
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
