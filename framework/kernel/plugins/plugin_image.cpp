// SPDX-License-Identifier: BSD-3-Clause
// From an open file to a sealed copy in memory.
#include "plugin_image.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <system_error>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sha256.hpp"

namespace ancora {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// A file that changed less than this ago may still be changing: its times are those of the
// system's coarse clock, which advances every few milliseconds.
constexpr auto kSettled = 20ms;
constexpr auto kPatience = 1s;

// More than any plugin, and little enough to be held in memory.
constexpr off_t kMostBytes = off_t{1} << 30;

std::string reason(const char* what, int error) {
    return fmt::format("{}: {}", what, std::generic_category().message(error));
}

std::chrono::nanoseconds time_of(const timespec& t) {
    return std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
}

bool is_same(const struct stat& a, const struct stat& b) {
    return a.st_size == b.st_size && time_of(a.st_mtim) == time_of(b.st_mtim) &&
           time_of(a.st_ctim) == time_of(b.st_ctim);
}

// How long ago the file changed last; a clock elsewhere that is ahead of ours counts as long ago.
std::chrono::nanoseconds age_of(const struct stat& s) {
    timespec now = {};
    ::clock_gettime(CLOCK_REALTIME, &now);
    const auto age = time_of(now) - time_of(s.st_ctim);
    return age < 0ns ? std::chrono::nanoseconds(kSettled) : age;
}

// Writes all of it at the end of the file.
bool write_all(int to, const char* bytes, std::size_t size) {
    while (size > 0) {
        const ssize_t written = ::write(to, bytes, size);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        bytes += written;
        size -= static_cast<std::size_t>(written);
    }
    return true;
}

// Whether the process may write a file of this size: the limit holds for memory that is a file,
// too, and going beyond it is a signal.
bool may_write(off_t size) {
    rlimit limit = {};
    return ::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
           static_cast<std::uintmax_t>(size) <= limit.rlim_cur;
}

// Reads all of a file; copies it unless `to` is negative.
std::string copy(int from, int to, std::string& sha256) {
    Sha256 digest;
    std::vector<char> chunk(std::size_t{1} << 16);
    off_t at = 0;
    while (true) {
        const ssize_t size = ::pread(from, chunk.data(), chunk.size(), at);
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) return reason("cannot be read", errno);
        if (size == 0) break;
        at += size;
        if (at > kMostBytes)
            return fmt::format("has more than {} MiB, which is no plugin", kMostBytes >> 20);
        digest.add(chunk.data(), static_cast<std::size_t>(size));
        if (to >= 0 && !write_all(to, chunk.data(), static_cast<std::size_t>(size)))
            return reason("cannot be copied to memory", errno);
    }
    sha256 = digest.text();
    return {};
}

FileDescriptor new_memory(const std::string& name) {
    // it is mapped by the loader, never executed as a program
#if defined(MFD_NOEXEC_SEAL)
    FileDescriptor memory(
        ::memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL));
    if (memory || errno != EINVAL) return memory;  // EINVAL: an older system
#endif
    return FileDescriptor(::memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
}

}  // namespace

PluginImage read_image(int descriptor, const std::string& name) {
    PluginImage image;
    const auto give_up_at = Clock::now() + kPatience;
    while (true) {
        if (::fstat(descriptor, &image.status) != 0) {
            image.problem = reason("cannot be read", errno);
            return image;
        }
        const auto age = age_of(image.status);
        if (age >= kSettled) {
            image.is_file = !may_write(image.status.st_size);
            image.descriptor = image.is_file
                                   ? FileDescriptor(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0))
                                   : new_memory(name);
            image.problem =
                image.descriptor
                    ? copy(descriptor, image.is_file ? -1 : image.descriptor.number(), image.sha256)
                    : reason("cannot be copied to memory", errno);
            if (!image.problem.empty()) return image;
            struct stat after = {};
            if (::fstat(descriptor, &after) == 0 && is_same(image.status, after)) break;
        }
        if (Clock::now() > give_up_at) {
            image.problem = "is being written; try again when it is complete";
            return image;
        }
        std::this_thread::sleep_for(age < kSettled ? kSettled - age
                                                   : std::chrono::nanoseconds(1ms));
    }
    if (image.is_file) return image;
    constexpr int kSeals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    if (::fcntl(image.descriptor.number(), F_ADD_SEALS, kSeals) != 0)
        image.problem = reason("cannot be sealed in memory", errno);
    return image;
}

std::string changed_since(const PluginImage& image) {
    if (!image.is_file) return {};
    struct stat now = {};
    std::string sha256;
    const bool is_read = ::fstat(image.descriptor.number(), &now) == 0 &&
                         copy(image.descriptor.number(), -1, sha256).empty();
    return is_read && is_same(image.status, now) && sha256 == image.sha256
               ? ""
               : "was written to while it was loaded; try again when it is complete";
}

std::string loader_path(const PluginImage& image) {
    // The number of the process as /proc counts, which may be another one than getpid() says. A
    // debugger can follow this path, /proc/self would lead it to itself.
    std::array<char, 32> self;
    const ssize_t size = ::readlink("/proc/self", self.data(), self.size());
    std::string path =
        fmt::format("/proc/{}/fd",
                    size > 0 ? std::string(self.data(), static_cast<std::size_t>(size)) : "self");

    // Descriptors are closed and their numbers used again; "/" and "/./" are the digits of a
    // number that is not.
    static std::atomic<std::uint32_t> count = 0;
    std::uint32_t digits = count++;
    for (int i = 0; i < 32; ++i, digits >>= 1) path += (digits & 1) != 0 ? "/." : "/";
    return fmt::format("{}/{}", path, image.descriptor.number());
}

}  // namespace ancora
