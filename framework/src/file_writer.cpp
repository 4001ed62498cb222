// SPDX-License-Identifier: BSD-3-Clause
// Buffered writing through a POSIX descriptor.
#include "file_writer.hpp"

#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "ancora/framework/error.hpp"

namespace ancora {
namespace {

constexpr std::size_t kBufferSize = std::size_t{1} << 16;  // bytes

}  // namespace

FileWriter::FileWriter(std::filesystem::path file) : file_(std::move(file)) {
    descriptor_ = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor_ < 0) fail(errno);
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
    if (buffer_.size() >= kBufferSize) write_buffer();
}

void FileWriter::flush() {
    if (descriptor_ >= 0 && !buffer_.empty()) write_buffer();
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

}  // namespace ancora
