// SPDX-License-Identifier: BSD-3-Clause
// Reads buffers, accessors and the tree of nodes; trusts no count, offset, index or path.
#include "gltf_file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Geometry>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bounded_json.hpp"
#include "little_endian.hpp"
#include "welder.hpp"
#include "wording.hpp"

namespace ancora {
namespace {

using Json = nlohmann::ordered_json;
using Bytes = std::string_view;

// Numbers of bytes and entries beyond this are refused before they are multiplied.
constexpr std::int64_t kMostBytes = std::int64_t{1} << 40;
// More than the specification allows from one entry to the next.
constexpr std::int64_t kMostStride = 252;

[[noreturn]] void damaged(const std::string& why) {
    throw SurfaceError("is damaged: " + why);
}

// --- the parts of the file

/// The document, and the buffer that a binary file holds behind it.
struct Parts {
    Bytes text;
    std::optional<Bytes> buffer;
};

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

// --- addresses

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

// --- the document

/// Entry i of a list of the document, in words for messages: "accessor 3".
class Document {
public:
    explicit Document(Bytes text) : json_(parse_json(text)), root_(json_, "it") {}

    const Json& root() const { return json_; }
    std::size_t count(const char* list) const {
        return json_.contains(list) ? root_.array(list).size() : 0;
    }
    JsonReader entry(const char* list, const char* name, std::size_t index) const {
        return {root_.array(list)[index], fmt::format("{} {}", name, index)};
    }
    /// The entry of `list` that `key` names; refused if there is none.
    std::size_t index(const JsonReader& of, const char* key, const char* list) const {
        const auto most = static_cast<std::int64_t>(count(list)) - 1;
        if (most < 0) of.refuse(key, fmt::format("names one of \"{}\", which is empty", list));
        return static_cast<std::size_t>(of.whole(key, 0, most));
    }

    void require_readable() const {
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

private:
    Json json_;
    JsonReader root_;
};

std::int64_t whole_or(const JsonReader& of,
                      const Json& json,
                      const char* key,
                      std::int64_t low,
                      std::int64_t high,
                      std::int64_t otherwise) {
    return json.contains(key) ? of.whole(key, low, high) : otherwise;
}

// --- numbers

/// Values of an accessor, whose places are checked once.
struct Values {
    Bytes bytes;  ///< from the first
    std::size_t count = 0;
    std::size_t stride = 0;
    int type = 0;  ///< of a component, as the specification numbers them
    bool is_normalized = false;

    template <class T>
    T raw(std::size_t at) const {
        std::array<char, sizeof(T)> own{};
        std::memcpy(own.data(), bytes.data() + at, sizeof(T));
        if constexpr (std::endian::native == std::endian::big) std::ranges::reverse(own);
        return std::bit_cast<T>(own);
    }
    std::uint32_t index(std::size_t i) const {
        const std::size_t at = i * stride;
        if (type == 5121) return raw<std::uint8_t>(at);
        return type == 5123 ? raw<std::uint16_t>(at) : raw<std::uint32_t>(at);
    }
    double number(std::size_t at) const {
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
    Eigen::Vector3d point(std::size_t i) const {
        const std::size_t at = i * stride, size = size_of(type);
        return {number(at), number(at + size), number(at + 2 * size)};
    }
    /// Bytes of a component; 0: there is no such type.
    static std::size_t size_of(std::int64_t type) {
        return type == 5120 || type == 5121                       ? 1
               : type == 5122 || type == 5123                     ? 2
               : type == 5125 || type == 5126 /*unsigned, float*/ ? 4
                                                                  : 0;
    }
};

class Reader {
public:
    Reader(const Parts& parts, const ReadNeighbour& read_neighbour)
        : document_(parts.text), inner_(parts.buffer), read_neighbour_(read_neighbour) {
        document_.require_readable();
        buffers_.resize(document_.count("buffers"));
    }

    TriangleMesh read() {
        std::vector<Step> steps;
        const Eigen::Affine3d in_place = Eigen::Affine3d::Identity();
        for (const std::size_t node : roots()) steps.push_back({node, in_place});
        is_placed_.assign(document_.count("nodes"), false);
        while (!steps.empty()) {
            const Step step = steps.back();
            steps.pop_back();
            add_node(step, steps);
        }
        return welder_.take();
    }

private:
    struct Step {
        std::size_t node;
        Eigen::Affine3d parent;
    };

    /// Nodes without parents of the scene that is shown, or of the file if there is none.
    std::vector<std::size_t> roots() const {
        std::vector<std::size_t> out;
        const Json& root = document_.root();
        if (const std::size_t count = document_.count("scenes"); count > 0) {
            const auto scene = static_cast<std::size_t>(
                whole_or({root, "it"}, root, "scene", 0, static_cast<std::int64_t>(count) - 1, 0));
            return nodes_of(
                document_.entry("scenes", "scene", scene), root["scenes"][scene], "nodes");
        }
        std::vector<bool> is_child(document_.count("nodes"), false);
        for (std::size_t i = 0; i < is_child.size(); ++i)
            for (const std::size_t child :
                 nodes_of(document_.entry("nodes", "node", i), root["nodes"][i], "children"))
                is_child[child] = true;
        for (std::size_t i = 0; i < is_child.size(); ++i)
            if (!is_child[i]) out.push_back(i);
        return out;
    }

    std::vector<std::size_t> nodes_of(const JsonReader& of,
                                      const Json& json,
                                      const char* key) const {
        std::vector<std::size_t> out;
        if (!json.contains(key)) return out;
        const auto most = static_cast<std::int64_t>(document_.count("nodes")) - 1;
        for (const Json& child : of.array(key))
            out.push_back(static_cast<std::size_t>(of.whole_of(child, key, 0, most)));
        return out;
    }

    void add_node(const Step& step, std::vector<Step>& steps) {
        const JsonReader node = document_.entry("nodes", "node", step.node);
        if (is_placed_[step.node])
            damaged(fmt::format("node {} stands twice in the tree of nodes", step.node));
        is_placed_[step.node] = true;
        const Json& json = document_.root()["nodes"][step.node];
        const Eigen::Affine3d place = step.parent * placement(node, json);
        if (!place.matrix().allFinite())
            damaged(fmt::format("node {} is moved by numbers that are too large", step.node));
        for (const std::size_t child : nodes_of(node, json, "children"))
            steps.push_back({child, place});
        if (!json.contains("mesh")) return;
        const std::size_t index = document_.index(node, "mesh", "meshes");
        const JsonReader mesh = document_.entry("meshes", "mesh", index);
        const Json& primitives = mesh.array("primitives");
        for (std::size_t p = 0; p < primitives.size(); ++p) {
            // many nodes of one mesh with nothing to draw
            if (++num_primitives_ > kMostTriangles)
                throw SurfaceError(fmt::format("has more than {} parts", kMostTriangles));
            add_primitive(primitives[p], fmt::format("primitive {} of mesh {}", p, index), place);
        }
    }

    static Eigen::Affine3d placement(const JsonReader& node, const Json& json) {
        Eigen::Affine3d out = Eigen::Affine3d::Identity();
        if (json.contains("matrix")) {
            const std::array<double, 16> columns = node.numbers<16>("matrix");
            out.matrix().topRows<3>() =
                Eigen::Map<const Eigen::Matrix4d>(columns.data()).topRows<3>();
            return out;
        }
        if (json.contains("translation")) {
            const auto r = node.numbers<3>("translation");
            out.translate(Eigen::Vector3d(r[0], r[1], r[2]));
        }
        if (json.contains("rotation")) {
            const auto x = node.numbers<4>("rotation");
            const Eigen::Quaterniond turn(x[3], x[0], x[1], x[2]);
            if (!(turn.norm() > 0.5 && turn.norm() < 2.0))
                node.refuse("rotation", "is no unit quaternion");
            out.rotate(turn.normalized());
        }
        if (json.contains("scale")) {
            const auto s = node.numbers<3>("scale");
            out.scale(Eigen::Vector3d(s[0], s[1], s[2]));
        }
        return out;
    }

    void add_primitive(const Json& json, const std::string& what, const Eigen::Affine3d& place) {
        enum Mode { kTriangles = 4, kStrip = 5, kFan = 6 };
        const JsonReader primitive(json, what);
        const std::int64_t mode = whole_or(primitive, json, "mode", 0, 6, kTriangles);
        if (mode < kTriangles) return;  // points and lines
        const JsonReader attributes(primitive.at("attributes"), "attributes of " + what);
        if (!primitive.at("attributes").contains("POSITION")) return;
        const Values points = values(document_.index(attributes, "POSITION", "accessors"), "VEC3");
        std::optional<Values> indices;
        if (json.contains("indices"))
            indices = values(document_.index(primitive, "indices", "accessors"), "SCALAR");

        const std::size_t corners = indices ? indices->count : points.count;
        if (mode == kTriangles && corners % 3 != 0)
            damaged(fmt::format("{} has {} corners, which make no whole triangles", what, corners));
        const std::size_t count =
            mode == kTriangles ? corners / 3 : std::max<std::size_t>(corners, 2) - 2;
        num_triangles_ += count;
        if (num_triangles_ > kMostTriangles) throw SurfaceError(too_many(num_triangles_));
        const bool is_mirrored = place.linear().determinant() < 0.0;
        for (std::size_t i = 0; i < count; ++i) {
            std::array<std::size_t, 3> at{};
            if (mode == kTriangles)
                at = {3 * i, 3 * i + 1, 3 * i + 2};
            else if (mode == kFan)
                at = {0, i + 1, i + 2};
            else
                at = {i, i + 1 + i % 2, i + 2 - i % 2};
            if (is_mirrored) std::swap(at[1], at[2]);
            std::array<std::int32_t, 3> t{};
            for (std::size_t k = 0; k < 3; ++k) {
                const std::size_t point = indices ? indices->index(at[k]) : at[k];
                if (point >= points.count)
                    damaged(fmt::format("{} names point {} of {}", what, point, points.count));
                t[k] = corner(points.point(point), place, what, point);
            }
            welder_.add(t);
        }
    }

    std::int32_t corner(const Eigen::Vector3d& local,
                        const Eigen::Affine3d& place,
                        const std::string& what,
                        std::size_t number) {
        const Eigen::Vector3f r = (place * local).cast<float>();
        if (!r.allFinite())
            throw SurfaceError(fmt::format("point {} of {} is not finite", number, what));
        return welder_.index({r(0), r(1), r(2)});
    }

    Values values(std::size_t index, const std::string& shape) {
        const JsonReader accessor = document_.entry("accessors", "accessor", index);
        const Json& json = document_.root()["accessors"][index];
        Values out;
        out.type = static_cast<int>(accessor.whole("componentType", 5120, 5126));
        const std::size_t size = Values::size_of(out.type);
        const bool is_index = shape == "SCALAR";
        if (size == 0 || (is_index ? out.type != 5121 && out.type != 5123 && out.type != 5125
                                   : out.type == 5125))
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
        const std::int64_t stride =
            whole_or(view, view_json, "byteStride", entry, kMostStride, entry);
        const std::int64_t offset = whole_or(accessor, json, "byteOffset", 0, kMostBytes, 0);
        const std::int64_t end =
            offset + stride * (static_cast<std::int64_t>(out.count) - 1) + entry;
        if (end > length)
            damaged(fmt::format(
                "accessor {} ends at byte {} of a bufferView of {}", index, end, length));
        out.stride = static_cast<std::size_t>(stride);
        out.bytes = whole.substr(static_cast<std::size_t>(begin + offset),
                                 static_cast<std::size_t>(end - offset));
        return out;
    }

    Bytes buffer(std::size_t index) {
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

    std::string read_buffer(const std::string& uri) const {
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

    Document document_;
    std::optional<Bytes> inner_;
    const ReadNeighbour& read_neighbour_;
    std::vector<std::optional<std::string>> buffers_;  // that are not in the file's own part
    std::vector<bool> is_placed_;
    std::size_t num_primitives_ = 0, num_triangles_ = 0;
    Welder welder_;
};

}  // namespace

TriangleMesh read_gltf(std::string_view bytes, const ReadNeighbour& read_neighbour) {
    try {
        return Reader(parts_of(bytes), read_neighbour).read();
    } catch (const std::invalid_argument& error) {
        damaged(error.what());
    }
}

}  // namespace ancora
