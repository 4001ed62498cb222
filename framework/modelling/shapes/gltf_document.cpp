// SPDX-License-Identifier: BSD-3-Clause
// Trusts no count and no size.
#include "gltf_document.hpp"

#include <fmt/format.h>

#include "little_endian.hpp"
#include "surface_file.hpp"
#include "wording.hpp"

namespace ancora::gltf {

void damaged(const std::string& why) {
    throw SurfaceError("is damaged: " + why);
}

Parts parts_of(Bytes bytes) {
    constexpr std::size_t kHeader = 12, kChunkHeader = 8;
    constexpr std::uint32_t kJson = 0x4E4F534A, kBuffer = 0x004E4942;
    if (!bytes.starts_with("glTF")) return {bytes, std::nullopt};
    if (bytes.size() < kHeader + kChunkHeader)
        throw SurfaceError(
            fmt::format("is cut short: it has {} bytes, and a binary glTF file begins with {}",
                        bytes.size(),
                        kHeader + kChunkHeader));
    if (const std::uint32_t version = little_endian(bytes, 4); version != 2)
        throw SurfaceError(fmt::format("is of glTF {}; 2.0 is read", version));
    if (const std::uint32_t size = little_endian(bytes, 8); size != bytes.size())
        damaged(fmt::format("it says that it has {} bytes, and has {}", size, bytes.size()));
    Parts out;
    std::size_t number = 0;
    for (std::size_t at = kHeader; at < bytes.size(); ++number) {
        const std::size_t left = bytes.size() - at;
        if (left < kChunkHeader) damaged(fmt::format("{} bytes are left behind its parts", left));
        const std::size_t size = little_endian(bytes, at);
        if (size > left - kChunkHeader)
            damaged(fmt::format("part {} says that it has {} bytes, but {} are left",
                                number,
                                size,
                                left - kChunkHeader));
        const std::uint32_t kind = little_endian(bytes, at + 4);
        const Bytes content = bytes.substr(at + kChunkHeader, size);
        if ((number == 0) != (kind == kJson)) damaged("its first part, and only that, is JSON");
        if (number == 0) out.text = content;
        if (number == 1 && kind == kBuffer) out.buffer = content;
        at += kChunkHeader + size;
    }
    return out;
}

Document::Document(Bytes text) : json_(parse_json(text)), root_(json_, "it") {}

std::size_t Document::count(const char* list) const {
    return json_.contains(list) ? root_.array(list).size() : 0;
}

JsonReader Document::entry(const char* list, const char* name, std::size_t index) const {
    return {root_.array(list)[index], fmt::format("{} {}", name, index)};
}

std::size_t Document::index(const JsonReader& of, const char* key, const char* list) const {
    const auto most = static_cast<std::int64_t>(count(list)) - 1;
    if (most < 0) of.refuse(key, fmt::format("names one of \"{}\", which is empty", list));
    return static_cast<std::size_t>(of.whole(key, 0, most));
}

void Document::require_readable() const {
    const JsonReader asset(root_.at("asset"), "asset");
    const std::string version = asset.text("version");
    if (!version.starts_with("2."))
        throw SurfaceError(fmt::format("is of glTF {}; 2.0 is read", version));
    if (!json_.contains("extensionsRequired")) return;
    for (const Json& name : root_.array("extensionsRequired")) {
        if (!name.is_string()) damaged("a name of \"extensionsRequired\" is no text");
        const auto& text = name.get_ref<const std::string&>();
        const auto is_about = [&](const char* begin) {
            return text.starts_with(begin);
        };
        if (text == "KHR_mesh_quantization" || is_about("KHR_materials_") ||
            is_about("KHR_texture_") || is_about("KHR_lights_") || is_about("EXT_texture_") ||
            is_about("EXT_lights_"))
            continue;
        throw SurfaceError(
            fmt::format("cannot be read without its extension {}, which is not known here; "
                        "save it without, for instance without compression",
                        in_quotes(text)));
    }
}

std::int64_t whole_or(const JsonReader& of,
                      const Json& json,
                      const char* key,
                      std::int64_t low,
                      std::int64_t high,
                      std::int64_t otherwise) {
    return json.contains(key) ? of.whole(key, low, high) : otherwise;
}

}  // namespace ancora::gltf
