// SPDX-License-Identifier: BSD-3-Clause
// Reads the directory of an archive, then each file, with its size and checksum.
#include "unpacked.hpp"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

namespace ancora::fmu {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;  // of an archive, and of what is in it
constexpr std::size_t kMostFiles = 20'000;
constexpr std::size_t kEndSize = 22, kEntrySize = 46, kLocalSize = 30;
constexpr std::uint32_t kEndMark = 0x06054b50, kEntryMark = 0x02014b50, kLocalMark = 0x04034b50;

[[noreturn]] void damaged(const std::string& what) {
    throw std::runtime_error("is no FMU, or damaged: " + what);
}

/// Little-endian numbers of an archive, none from beyond its end.
class Bytes {
public:
    explicit Bytes(std::string_view text) : text_(text) {}
    std::uint32_t number(std::size_t at, std::size_t width) const {
        const std::string_view digits = part(at, width);
        std::uint32_t value = 0;
        for (std::size_t i = width; i-- > 0;)
            value = value << 8 | static_cast<unsigned char>(digits[i]);
        return value;
    }
    std::string_view part(std::size_t at, std::size_t size) const {
        if (at > text_.size() || size > text_.size() - at) damaged("it ends too early");
        return text_.substr(at, size);
    }
    std::size_t size() const { return text_.size(); }

private:
    std::string_view text_;
};

struct Entry {
    std::string name;
    std::uint32_t method, crc, packed, size, local;
};

std::size_t find_end(const Bytes& bytes) {
    constexpr std::size_t kMostComment = 0xffff;
    for (std::size_t back = kEndSize; back <= bytes.size() && back <= kEndSize + kMostComment;
         ++back)
        if (bytes.number(bytes.size() - back, 4) == kEndMark) return bytes.size() - back;
    damaged("it has no directory of a ZIP archive at its end");
}

std::vector<Entry> read_directory(const Bytes& bytes) {
    const std::size_t end = find_end(bytes);
    const std::size_t count = bytes.number(end + 10, 2);
    std::size_t at = bytes.number(end + 16, 4);
    if (count > kMostFiles) damaged("it has " + std::to_string(count) + " files");
    std::vector<Entry> out;
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (bytes.number(at, 4) != kEntryMark) damaged("its directory is cut");
        Entry entry{std::string(bytes.part(at + kEntrySize, bytes.number(at + 28, 2))),
                    bytes.number(at + 10, 2),
                    bytes.number(at + 16, 4),
                    bytes.number(at + 20, 4),
                    bytes.number(at + 24, 4),
                    bytes.number(at + 42, 4)};
        total += entry.size;
        if (total > kMostBytes) damaged("it would unpack to more than 1 GiB");
        at += kEntrySize + bytes.number(at + 28, 2) + bytes.number(at + 30, 2) +
              bytes.number(at + 32, 2);
        out.push_back(std::move(entry));
    }
    return out;
}

std::string inflated(std::string_view packed, const Entry& entry) {
    std::string out(entry.size, '\0');
    z_stream stream{};
    if (::inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    Bytef none = 0;  // zlib wants some address
    stream.next_out = out.empty() ? &none : reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    const int status = ::inflate(&stream, Z_FINISH);
    const bool is_whole = status == Z_STREAM_END && stream.avail_out == 0;
    ::inflateEnd(&stream);
    if (!is_whole) damaged("\"" + entry.name + "\" does not unpack");
    return out;
}

std::string content(const Bytes& bytes, const Entry& entry) {
    if (bytes.number(entry.local, 4) != kLocalMark)
        damaged("\"" + entry.name + "\" is not where the directory says");
    const std::size_t at = entry.local + kLocalSize + bytes.number(entry.local + 26, 2) +
                           bytes.number(entry.local + 28, 2);
    const std::string_view packed = bytes.part(at, entry.packed);
    std::string out;
    if (entry.method == 0)
        out = packed;
    else if (entry.method == Z_DEFLATED)
        out = inflated(packed, entry);
    else
        damaged("\"" + entry.name + "\" is packed by method " + std::to_string(entry.method) +
                "; 0 and 8 are read");
    const uLong crc =
        ::crc32(0, reinterpret_cast<const Bytef*>(out.data()), static_cast<uInt>(out.size()));
    if (out.size() != entry.size || crc != entry.crc)
        damaged("\"" + entry.name + "\" has another checksum than the directory says");
    return out;
}

/// Below the folder, whatever the archive says.
fs::path place_of(const fs::path& folder, const std::string& name) {
    const fs::path path = name;
    bool is_inside = path.is_relative() && name.find('\\') == std::string::npos &&
                     name.find('\0') == std::string::npos;
    for (const fs::path& part : path) is_inside = is_inside && part != "..";
    if (!is_inside) damaged("it has a file \"" + name + "\", which lies outside of it");
    return folder / path;
}

std::string read(const fs::path& file) {
    std::error_code failed;
    if (const auto size = fs::file_size(file, failed); !failed && size > kMostBytes)
        throw std::runtime_error("is larger than 1 GiB");
    std::ifstream in(file, std::ios::binary);
    std::string text(std::istreambuf_iterator<char>(in), {});
    if (!in && !in.eof()) throw std::runtime_error("cannot be read");
    return text;
}

constexpr std::string_view kPrefix = "ancora-fmu-";

/// Folders that processes have left which were stopped while they loaded a model.
void remove_stale(const fs::path& temporary) {
    std::error_code failed;
    for (fs::directory_iterator at(temporary, failed), end; !failed && at != end;
         at.increment(failed)) {
        const std::string name = at->path().filename().string();
        if (!name.starts_with(kPrefix)) continue;
        pid_t of = 0;
        const char* const digits = name.c_str() + kPrefix.size();
        const auto [rest, error] = std::from_chars(digits, name.c_str() + name.size(), of);
        struct stat status = {};
        if (error != std::errc() || *rest != '-' || of <= 0 ||
            ::lstat(at->path().c_str(), &status) != 0 || !S_ISDIR(status.st_mode) ||
            status.st_uid != ::geteuid() || ::kill(of, 0) == 0 || errno != ESRCH)
            continue;
        std::error_code ignored;
        fs::remove_all(at->path(), ignored);
    }
}

}  // namespace

std::string distrust(const fs::path& file) {
    const uid_t me = ::geteuid();
    std::error_code failed;
    const fs::path whole = fs::canonical(file, failed);
    if (failed) return "cannot be found: " + failed.message();
    for (fs::path at = whole;; at = at.parent_path()) {
        struct stat status = {};
        if (::stat(at.c_str(), &status) != 0) return "cannot be examined: " + at.string();
        const bool is_sticky = at != whole && (status.st_mode & S_ISVTX) != 0;
        if (status.st_uid != 0 && status.st_uid != me)
            return "runs code, and " + at.string() + " belongs to another user";
        const bool group_may =
            (status.st_mode & S_IWGRP) != 0 && status.st_gid != 0 && status.st_gid != ::getegid();
        if (!is_sticky && (group_may || (status.st_mode & S_IWOTH) != 0))
            return "runs code, and others may write to " + at.string() +
                   "; take that right from them (chmod go-w)";
        if (at == at.root_path()) return {};
    }
}

Unpacked::Unpacked(const fs::path& archive) {
    const std::string text = read(archive);
    const Bytes bytes(text);
    if (text.size() < kEndSize) damaged("it is too short");
    const std::vector<Entry> entries = read_directory(bytes);
    const fs::path temporary = fs::temp_directory_path();
    remove_stale(temporary);
    std::string pattern =
        (temporary / (std::string(kPrefix) + std::to_string(::getpid()) + "-XXXXXX")).string();
    if (::mkdtemp(pattern.data()) == nullptr)
        throw std::runtime_error("cannot be unpacked into " + pattern);
    folder_ = pattern;
    try {
        for (const Entry& entry : entries) {
            const fs::path path = place_of(folder_, entry.name);
            if (entry.name.ends_with('/')) {
                fs::create_directories(path);
                continue;
            }
            fs::create_directories(path.parent_path());
            std::ofstream out(path, std::ios::binary);
            out << content(bytes, entry);
            out.close();
            if (!out) throw std::runtime_error("cannot be unpacked into " + path.string());
        }
    } catch (...) {
        std::error_code ignored;
        fs::remove_all(folder_, ignored);
        throw;
    }
}

Unpacked::~Unpacked() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
}

}  // namespace ancora::fmu
