// SPDX-License-Identifier: BSD-3-Clause
#include "video_container.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace ancora {
namespace {

/// The lowest bytes of a number, the highest of them first.
std::string big_endian(std::uint64_t x, int bytes) {
    std::string out;
    for (int k = bytes; k-- > 0;) out += static_cast<char>(x >> (8 * k) & 0xff);
    return out;
}

std::string joined(std::initializer_list<std::string_view> parts) {
    std::string out;
    for (const std::string_view part : parts) out += part;
    return out;
}

// --- WebM: elements of EBML (RFC 8794), as Matroska (RFC 9559) names them

/// An element: its identity, its size in eight bytes, what is in it.
std::string element(std::uint32_t identity, std::string_view content) {
    const int bytes = identity > 0xffffff ? 4 : identity > 0xffff ? 3 : identity > 0xff ? 2 : 1;
    return big_endian(identity, bytes) + '\x01' + big_endian(content.size(), 7) +
           std::string(content);
}
std::string whole_element(std::uint32_t identity, std::uint64_t x) {
    return element(identity, big_endian(x, 8));
}
std::string number_element(std::uint32_t identity, double x) {
    return element(identity, big_endian(std::bit_cast<std::uint64_t>(x), 8));
}

constexpr std::uint64_t kMostInCluster = 30'000;  // [ms]; times in it have 16 bits

/// Of a picture, from the first on [ms].
std::uint64_t milliseconds(std::size_t picture, double rate) {
    return static_cast<std::uint64_t>(std::llround(1000.0 * static_cast<double>(picture) / rate));
}

// --- MP4: boxes (ISO/IEC 14496-12)

std::string box(const char* type, std::string_view content) {
    return big_endian(content.size() + 8, 4) + std::string(type, 4) + std::string(content);
}
/// A box with a version and flags.
std::string full_box(const char* type, std::uint32_t flags, std::string_view content) {
    return box(type, big_endian(flags, 4) + std::string(content));
}
std::string u32(std::uint64_t x) {
    return big_endian(x, 4);
}
std::string u16(std::uint64_t x) {
    return big_endian(x, 2);
}

const std::string kUnitMatrix = joined(
    {u32(0x10000), u32(0), u32(0), u32(0), u32(0x10000), u32(0), u32(0), u32(0), u32(0x40000000)});

constexpr std::uint64_t kTicks = 1000;  // of one picture

std::uint64_t number(std::size_t x) {
    return x;
}

/// The table of samples: all in one chunk, which begins at `offset` of the file.
std::string sample_table(const CodedVideo& video, std::uint64_t offset) {
    const std::uint64_t count = video.pictures.size();
    const auto width = static_cast<std::uint64_t>(video.width),
               height = static_cast<std::uint64_t>(video.height);
    const auto colour = [](int x) {
        return u16(static_cast<std::uint64_t>(x));
    };
    const std::string entry = box("avc1",
                                  joined({u32(0),
                                          u16(0),
                                          u16(1),
                                          std::string(16, '\0'),
                                          u16(width),
                                          u16(height),
                                          u32(0x480000),
                                          u32(0x480000),
                                          u32(0),
                                          u16(1),
                                          std::string(32, '\0'),
                                          u16(24),
                                          u16(0xffff),
                                          box("avcC", video.description),
                                          box("colr",
                                              joined({"nclx",
                                                      colour(video.colours.primaries),
                                                      colour(video.colours.transfer),
                                                      colour(video.colours.matrix),
                                                      std::string(1, '\0')}))}));
    std::string sizes, keys;
    std::uint64_t num_keys = 0;
    for (std::size_t k = 0; k < video.pictures.size(); ++k) {
        sizes += u32(number(video.pictures[k].data.size()));
        if (!video.pictures[k].is_key) continue;
        keys += u32(number(k) + 1);
        ++num_keys;
    }
    return box("stbl",
               joined({full_box("stsd", 0, u32(1) + entry),
                       full_box("stts", 0, u32(1) + u32(count) + u32(kTicks)),
                       full_box("stss", 0, u32(num_keys) + keys),
                       full_box("stsc", 0, u32(1) + u32(1) + u32(count) + u32(1)),
                       full_box("stsz", 0, u32(0) + u32(count) + sizes),
                       full_box("co64", 0, u32(1) + big_endian(offset, 8))}));
}

std::string movie(const CodedVideo& video, std::uint64_t offset) {
    const auto scale =
        static_cast<std::uint64_t>(std::llround(static_cast<double>(kTicks) * video.rate));
    const std::uint64_t duration = video.pictures.size() * kTicks;
    const auto width = static_cast<std::uint64_t>(video.width),
               height = static_cast<std::uint64_t>(video.height);
    const std::string header = full_box("mvhd",
                                        0,
                                        joined({u32(0),
                                                u32(0),
                                                u32(scale),
                                                u32(duration),
                                                u32(0x10000),
                                                u16(0x100),
                                                std::string(10, '\0'),
                                                kUnitMatrix,
                                                std::string(24, '\0'),
                                                u32(2)}));
    const std::string track = full_box("tkhd",
                                       3,  // enabled, in the movie
                                       joined({u32(0),
                                               u32(0),
                                               u32(1),
                                               u32(0),
                                               u32(duration),
                                               std::string(16, '\0'),
                                               kUnitMatrix,
                                               u32(width << 16),
                                               u32(height << 16)}));
    const std::string here = full_box("url ", 1, "");
    const std::string media = box(
        "mdia",
        joined(
            {full_box("mdhd",
                      0,
                      joined({u32(0), u32(0), u32(scale), u32(duration), u16(0x55c4), u16(0)})),
             full_box("hdlr",
                      0,
                      joined({u32(0), "vide", std::string(12, '\0'), std::string("video\0", 6)})),
             box("minf",
                 joined({full_box("vmhd", 1, std::string(8, '\0')),
                         box("dinf", full_box("dref", 0, u32(1) + here)),
                         sample_table(video, offset)}))}));
    return box("moov", header + box("trak", track + media));
}

}  // namespace

std::string webm_end(const std::string& note) {
    return element(0xec, note);  // Void
}

std::string webm_file(const CodedVideo& video, const std::string& note) {
    const auto colour = [](int x) {
        return static_cast<std::uint64_t>(x);
    };
    const std::string head = element(0x1a45dfa3,
                                     joined({whole_element(0x4286, 1),
                                             whole_element(0x42f7, 1),
                                             whole_element(0x42f2, 4),
                                             whole_element(0x42f3, 8),
                                             element(0x4282, "webm"),
                                             whole_element(0x4287, 4),
                                             whole_element(0x4285, 2)}));
    const auto milliseconds_of_all =
        1000.0 * static_cast<double>(video.pictures.size()) / video.rate;
    const std::string info = element(0x1549a966,
                                     joined({whole_element(0x2ad7b1, 1'000'000),
                                             number_element(0x4489, milliseconds_of_all),
                                             element(0x4d80, "Ancora"),
                                             element(0x5741, "Ancora")}));
    const std::string picture = element(
        0xe0,
        joined({whole_element(0xb0, static_cast<std::uint64_t>(video.width)),
                whole_element(0xba, static_cast<std::uint64_t>(video.height)),
                element(0x55b0,
                        joined({whole_element(0x55b1, colour(video.colours.matrix)),
                                whole_element(0x55b9, 1),  // not of the full range
                                whole_element(0x55ba, colour(video.colours.transfer)),
                                whole_element(0x55bb, colour(video.colours.primaries))}))}));
    const std::string tracks = element(
        0x1654ae6b,
        element(0xae,
                joined({whole_element(0xd7, 1),
                        whole_element(0x73c5, 1),
                        whole_element(0x83, 1),
                        whole_element(0x9c, 0),
                        element(0x86, video.is_vp8 ? "V_VP8" : "V_VP9"),
                        whole_element(0x23e383,
                                      static_cast<std::uint64_t>(std::llround(1e9 / video.rate))),
                        picture})));

    // Where the parts begin, from the segment's content on; the sizes of the first do not depend on
    // it.
    const auto seek = [](std::uint32_t identity, std::uint64_t at) {
        return element(0x4dbb,
                       element(0x53ab, big_endian(identity, 4)) + whole_element(0x53ac, at));
    };
    const auto seek_head =
        [&](std::uint64_t info_at, std::uint64_t tracks_at, std::uint64_t cues_at) {
            return element(0x114d9b74,
                           joined({seek(0x1549a966, info_at),
                                   seek(0x1654ae6b, tracks_at),
                                   seek(0x1c53bb6b, cues_at)}));
        };
    const std::uint64_t info_at = seek_head(0, 0, 0).size(), tracks_at = info_at + info.size();
    std::string clusters, cues;
    for (std::size_t k = 0; k < video.pictures.size();) {
        const std::uint64_t begin = milliseconds(k, video.rate);
        const std::uint64_t at = tracks_at + tracks.size() + clusters.size();
        if (video.pictures[k].is_key)
            cues += element(0xbb,
                            whole_element(0xb3, begin) +
                                element(0xb7, whole_element(0xf7, 1) + whole_element(0xf1, at)));
        std::string blocks = whole_element(0xe7, begin);
        do {
            const CodedPicture& one = video.pictures[k];
            const std::uint64_t after = milliseconds(k, video.rate) - begin;
            blocks += element(0xa3,
                              joined({"\x81",
                                      big_endian(after, 2),
                                      std::string(1, one.is_key ? '\x80' : '\0'),
                                      one.data}));
            ++k;
        } while (k < video.pictures.size() && !video.pictures[k].is_key &&
                 milliseconds(k, video.rate) - begin < kMostInCluster);
        clusters += element(0x1f43b675, blocks);
    }
    const std::uint64_t cues_at = tracks_at + tracks.size() + clusters.size();
    return head + element(0x18538067,
                          joined({seek_head(info_at, tracks_at, cues_at),
                                  info,
                                  tracks,
                                  clusters,
                                  element(0x1c53bb6b, cues),
                                  webm_end(note)}));
}

std::string mp4_end(const std::string& note) {
    return box("free", note);
}

std::string mp4_file(const CodedVideo& video, const std::string& note) {
    const std::string type =
        box("ftyp", joined({"isom", u32(0x200), "isom", "iso2", "avc1", "mp41"}));
    std::uint64_t size = 16;  // of the head of the pictures' box
    for (const CodedPicture& picture : video.pictures) size += picture.data.size();
    const std::uint64_t offset = type.size() + movie(video, 0).size() + 16;
    std::string out = joined({type, movie(video, offset), u32(1), "mdat", big_endian(size, 8)});
    for (const CodedPicture& picture : video.pictures) out += picture.data;
    return out + mp4_end(note);
}

}  // namespace ancora
