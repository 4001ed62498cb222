// SPDX-License-Identifier: BSD-3-Clause
// Trusts no count, offset, index or path.
#include "gltf_buffers.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "surface_file.hpp"
#include "wording.hpp"

namespace ancora::gltf {
namespace {

// More than the specification allows from one entry to the next.
constexpr std::int64_t kMostStride = 252;

/// Bytes of a component; 0: there is no such type.
std::size_t size_of(std::int64_t type) {
    return type == 5120 || type == 5121                       ? 1
           : type == 5122 || type == 5123                     ? 2
           : type == 5125 || type == 5126 /*unsigned, float*/ ? 4
                                                              : 0;
}

std::string decoded_base64(Bytes text) {
    const auto digit = [](char c) -> int {
        if (c >= 'A' && c <= 'Z') return c - 'A';
        if (c >= 'a' && c <= 'z') return c - 'a' + 26;
        if (c >= '0' && c <= '9') return c - '0' + 52;
        return c == '+' ? 62 : c == '/' ? 63 : -1;
    };
    while (text.ends_with('=')) text.remove_suffix(1);
    std::string out;
    out.reserve(text.size() / 4 * 3 + 2);
    std::uint32_t bits = 0;
    int count = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const int x = digit(text[i]);
        if (x < 0) damaged(fmt::format("base64 of a buffer: character {} is none of it", i + 1));
        bits = (bits << 6 | static_cast<std::uint32_t>(x)) & 0xFFFFFF;
        count += 6;
        if (count < 8) continue;
        count -= 8;
        out += static_cast<char>(bits >> count & 0xFF);
    }
    return out;
}

std::string decoded_percent(Bytes text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto digit = [&](std::size_t at) -> int {
            if (at >= text.size()) return -1;
            const char c = text[at];
            if (c >= '0' && c <= '9') return c - '0';
            const char lower = static_cast<char>(c | 0x20);
            return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
        };
        const int high = digit(i + 1), low = digit(i + 2);
        if (text[i] == '%' && high >= 0 && low >= 0) {
            out += static_cast<char>(16 * high + low);
            i += 2;
        } else {
            out += text[i];
        }
    }
    return out;
}

/// A relative path that stays in the folder of the file; whatever else it names is not opened.
std::string neighbour_of(const std::string& uri) {
    std::string path = decoded_percent(uri);
    bool is_inside = !path.empty() && path.front() != '/' &&
                     path.find_first_of(std::string_view(":\\\0", 3)) == std::string::npos;
    for (std::size_t at = 0; at <= path.size();) {
        const std::size_t end = std::min(path.find('/', at), path.size());
        is_inside &= path.substr(at, end - at) != "..";
        at = end + 1;
    }
    if (!is_inside)
        throw SurfaceError(fmt::format(
            "keeps a buffer in {}; only files beside it are opened, or it holds them itself",
            in_quotes(uri)));
    return path;
}

}  // namespace

template <class T>
T Values::raw(std::size_t at) const {
    std::array<char, sizeof(T)> own{};
    std::memcpy(own.data(), bytes.data() + at, sizeof(T));
    if constexpr (std::endian::native == std::endian::big) std::ranges::reverse(own);
    return std::bit_cast<T>(own);
}

std::uint32_t Values::index(std::size_t i) const {
    const std::size_t at = i * stride;
    if (type == 5121) return raw<std::uint8_t>(at);
    return type == 5123 ? raw<std::uint16_t>(at) : raw<std::uint32_t>(at);
}

double Values::number(std::size_t at) const {
    const auto share = [&](auto x, double full) {
        return is_normalized ? std::max(static_cast<double>(x) / full, -1.0)
                             : static_cast<double>(x);
    };
    switch (type) {
        case 5120:
            return share(raw<std::int8_t>(at), 127.0);
        case 5121:
            return share(raw<std::uint8_t>(at), 255.0);
        case 5122:
            return share(raw<std::int16_t>(at), 32767.0);
        case 5123:
            return share(raw<std::uint16_t>(at), 65535.0);
        default:
            return static_cast<double>(raw<float>(at));
    }
}

Eigen::Vector3d Values::point(std::size_t i) const {
    const std::size_t at = i * stride, size = size_of(type);
    return {number(at), number(at + size), number(at + 2 * size)};
}

Buffers::Buffers(const Document& document,
                 std::optional<Bytes> inner,
                 const ReadNeighbour& read_neighbour)
    : document_(document),
      inner_(inner),
      read_neighbour_(read_neighbour),
      buffers_(document.count("buffers")) {}

Values Buffers::values(std::size_t index, const std::string& shape) {
    const JsonReader accessor = document_.entry("accessors", "accessor", index);
    const Json& json = document_.root()["accessors"][index];
    Values out;
    out.type = static_cast<int>(accessor.whole("componentType", 5120, 5126));
    const std::size_t size = size_of(out.type);
    const bool is_index = shape == "SCALAR";
    if (size == 0 ||
        (is_index ? out.type != 5121 && out.type != 5123 && out.type != 5125 : out.type == 5125))
        accessor.refuse("componentType",
                        fmt::format("is {}, which {} cannot have",
                                    out.type,
                                    is_index ? "numbers of points" : "positions"));
    if (accessor.text("type") != shape)
        accessor.refuse("type", fmt::format("is not \"{}\"", shape));
    if (json.contains("sparse"))
        throw SurfaceError(fmt::format(
            "keeps accessor {} sparse, which is not read; save it with whole arrays", index));
    if (json.contains("normalized")) out.is_normalized = accessor.boolean("normalized");
    out.count = static_cast<std::size_t>(accessor.whole("count", 0, kMostBytes));
    if (out.count == 0) return out;
    if (!json.contains("bufferView")) accessor.refuse("bufferView", "is missing");

    const std::size_t number = document_.index(accessor, "bufferView", "bufferViews");
    const JsonReader view = document_.entry("bufferViews", "bufferView", number);
    const Json& view_json = document_.root()["bufferViews"][number];
    const Bytes whole = buffer(document_.index(view, "buffer", "buffers"));
    const std::int64_t begin = whole_or(view, view_json, "byteOffset", 0, kMostBytes, 0);
    const std::int64_t length = view.whole("byteLength", 0, kMostBytes);
    if (begin + length > static_cast<std::int64_t>(whole.size()))
        damaged(fmt::format("bufferView {} ends at byte {} of a buffer of {}",
                            number,
                            begin + length,
                            whole.size()));
    const auto entry = static_cast<std::int64_t>(is_index ? size : 3 * size);
    const std::int64_t stride = whole_or(view, view_json, "byteStride", entry, kMostStride, entry);
    const std::int64_t offset = whole_or(accessor, json, "byteOffset", 0, kMostBytes, 0);
    const std::int64_t end = offset + stride * (static_cast<std::int64_t>(out.count) - 1) + entry;
    if (end > length)
        damaged(
            fmt::format("accessor {} ends at byte {} of a bufferView of {}", index, end, length));
    out.stride = static_cast<std::size_t>(stride);
    out.bytes = whole.substr(static_cast<std::size_t>(begin + offset),
                             static_cast<std::size_t>(end - offset));
    return out;
}

Bytes Buffers::buffer(std::size_t index) {
    std::optional<std::string>& own = buffers_[index];
    const JsonReader buffer = document_.entry("buffers", "buffer", index);
    const Json& json = document_.root()["buffers"][index];
    const auto length = static_cast<std::size_t>(buffer.whole("byteLength", 0, kMostBytes));
    Bytes content;
    if (!json.contains("uri")) {
        if (index > 0 || !inner_) buffer.refuse("uri", "is missing, and the file holds none");
        content = *inner_;
    } else {
        if (!own) own = read_buffer(buffer.text("uri"));
        content = *own;
    }
    if (length > content.size())
        damaged(fmt::format(
            "buffer {} says that it has {} bytes, and has {}", index, length, content.size()));
    return content.substr(0, length);
}

std::string Buffers::read_buffer(const std::string& uri) const {
    if (uri.starts_with("data:")) {
        const std::size_t comma = uri.find(',');
        if (comma == std::string::npos || !Bytes(uri).substr(0, comma).ends_with(";base64"))
            damaged("a buffer in the file is not written as base64");
        return decoded_base64(Bytes(uri).substr(comma + 1));
    }
    const std::string path = neighbour_of(uri);
    if (!read_neighbour_)
        throw SurfaceError(fmt::format("keeps a buffer in another file, {}", in_quotes(path)));
    return read_neighbour_(path);
}

}  // namespace ancora::gltf
