// SPDX-License-Identifier: BSD-3-Clause
#include "png_mark.hpp"

#include <cstdint>

#include <zlib.h>

namespace ancora {

std::string png_end(std::string_view software) {
    const std::string text = std::string("tEXtSoftware") + '\0' + std::string(software);
    std::string out;
    // Each chunk: its length, its name and content, their checksum.
    for (const std::string& chunk : {text, std::string("IEND")}) {
        const auto append = [&](std::uint32_t x) {
            for (const int shift : {24, 16, 8, 0}) out += static_cast<char>(x >> shift & 0xff);
        };
        append(static_cast<std::uint32_t>(chunk.size() - 4));
        out += chunk;
        append(static_cast<std::uint32_t>(::crc32(
            0, reinterpret_cast<const Bytef*>(chunk.data()), static_cast<uInt>(chunk.size()))));
    }
    return out;
}

std::string with_png_end(std::string picture, const std::string& end) {
    constexpr std::size_t kEndChunk = 12;  // bytes
    if (picture.ends_with(std::string_view(end).substr(end.size() - kEndChunk)))
        picture.resize(picture.size() - kEndChunk);
    return picture + end;
}

}  // namespace ancora
