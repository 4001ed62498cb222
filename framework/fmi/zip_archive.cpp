// SPDX-License-Identifier: BSD-3-Clause
// ZIP archives.
#include "zip_archive.hpp"

#include <limits>

#include <fmt/format.h>
#include <zlib.h>

#include "ancora/framework/error.hpp"

namespace ancora {
namespace {

constexpr std::uint16_t kDeflated = 8;
constexpr std::uint16_t kVersion = 20;
constexpr std::uint16_t kUtf8Names = 0x0800;
constexpr std::uint16_t kUnix = 3 << 8;
// 1980-01-01: no time of its own, so that the bytes depend on the files alone.
constexpr std::uint16_t kDate = 0x0021;

void put16(std::string& to, std::uint32_t x) {
    to += static_cast<char>(x & 0xff);
    to += static_cast<char>(x >> 8 & 0xff);
}
void put32(std::string& to, std::uint32_t x) {
    put16(to, x & 0xffff);
    put16(to, x >> 16);
}

std::uint32_t checked(std::size_t size) {
    if (size > std::numeric_limits<std::uint32_t>::max())
        throw Error(ErrorKind::file, "the archive grows beyond 4 GiB");
    return static_cast<std::uint32_t>(size);
}

/// Deflated without zlib's own head.
std::string deflated(std::string_view bytes) {
    z_stream stream{};
    if (deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::bad_alloc();
    std::string out(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    const int status = deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    if (status != Z_STREAM_END) throw std::bad_alloc();
    return out;
}

constexpr std::uint32_t kFile = 0x04034b50;
constexpr std::size_t kHeadSize = 30;
// Of one file in an archive that is read: libraries have some ten megabytes.
constexpr std::uint32_t kMostBytes = 1u << 30;

std::uint32_t get16(std::string_view from, std::size_t at) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(from[at])) |
           static_cast<std::uint32_t>(static_cast<unsigned char>(from[at + 1])) << 8;
}
std::uint32_t get32(std::string_view from, std::size_t at) {
    return get16(from, at) | get16(from, at + 2) << 16;
}

[[noreturn]] void refuse_archive() {
    throw Error(ErrorKind::file, "is damaged, or not made by `ancora fmu`");
}

std::uint32_t crc_of(std::string_view bytes) {
    return static_cast<std::uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
}

std::string inflated(std::string_view packed, std::uint32_t size) {
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
    std::string out(size, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    const int status = inflate(&stream, Z_FINISH);
    const bool is_whole = status == Z_STREAM_END && stream.total_out == size;
    inflateEnd(&stream);
    if (!is_whole) refuse_archive();
    return out;
}

}  // namespace

std::vector<ArchivedFile> read_archive(std::string_view archive) {
    std::vector<ArchivedFile> out;
    std::size_t at = 0;
    while (archive.size() - at >= kHeadSize && get32(archive, at) == kFile) {
        const std::uint32_t crc = get32(archive, at + 14), packed = get32(archive, at + 18),
                            size = get32(archive, at + 22);
        const std::size_t name = get16(archive, at + 26), extra = get16(archive, at + 28);
        const std::size_t begin = at + kHeadSize + name + extra;
        if ((get16(archive, at + 6) & ~std::uint32_t{kUtf8Names}) != 0 ||
            get16(archive, at + 8) != kDeflated || size > kMostBytes || begin > archive.size() ||
            packed > archive.size() - begin)
            refuse_archive();
        out.push_back({std::string(archive.substr(at + kHeadSize, name)),
                       inflated(archive.substr(begin, packed), size)});
        if (crc_of(out.back().bytes) != crc) refuse_archive();
        at = begin + packed;
    }
    if (out.empty()) refuse_archive();
    return out;
}

void ZipArchive::add(const std::string& name, std::string_view bytes, bool is_executable) {
    const std::string packed = deflated(bytes.substr(0, checked(bytes.size())));
    const std::uint32_t crc = crc_of(bytes);
    entries_.push_back({name,
                        crc,
                        checked(packed.size()),
                        checked(bytes.size()),
                        checked(text_.size()),
                        is_executable});
    put32(text_, kFile);
    put16(text_, kVersion);
    put16(text_, kUtf8Names);
    put16(text_, kDeflated);
    put16(text_, 0);
    put16(text_, kDate);
    put32(text_, crc);
    put32(text_, entries_.back().packed);
    put32(text_, entries_.back().size);
    put16(text_, static_cast<std::uint32_t>(name.size()));
    put16(text_, 0);
    text_ += name;
    text_ += packed;
}

std::string ZipArchive::finish() {
    const std::uint32_t begin = checked(text_.size());
    for (const Entry& entry : entries_) {
        put32(text_, 0x02014b50);
        put16(text_, kVersion | kUnix);
        put16(text_, kVersion);
        put16(text_, kUtf8Names);
        put16(text_, kDeflated);
        put16(text_, 0);
        put16(text_, kDate);
        put32(text_, entry.crc);
        put32(text_, entry.packed);
        put32(text_, entry.size);
        put16(text_, static_cast<std::uint32_t>(entry.name.size()));
        for (int i = 0; i < 4; ++i) put16(text_, 0);  // extra, comment, disk, kind of text
        put32(text_, (entry.is_executable ? 0100755u : 0100644u) << 16);
        put32(text_, entry.offset);
        text_ += entry.name;
    }
    const std::uint32_t size = checked(text_.size()) - begin;
    put32(text_, 0x06054b50);
    put32(text_, 0);
    put16(text_, static_cast<std::uint32_t>(entries_.size()));
    put16(text_, static_cast<std::uint32_t>(entries_.size()));
    put32(text_, size);
    put32(text_, begin);
    put16(text_, 0);
    return std::move(text_);
}

}  // namespace ancora
