// SPDX-License-Identifier: BSD-3-Clause
// Reads VTK's XML formats .vtu and .vtp: text, base64 and appended data without compression.
//
// Source: "VTK File Formats", https://docs.vtk.org/en/latest/vtk_file_formats.
#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include <pugixml.hpp>

#include "cursor.hpp"
#include "vtk_cells.hpp"

namespace ancora::mesh {
namespace {

using Node = pugi::xml_node;

std::size_t offset_of(const Node& node) {
    return static_cast<std::size_t>(std::max<std::ptrdiff_t>(node.offset_debug(), 0));
}

/// Numbers of an array and where they stand: each one's place, or only the array's.
template <class T>
struct Values {
    std::vector<T> values;
    std::vector<std::size_t> places;
    std::size_t array_place = 0;

    std::size_t place(std::size_t i) const { return i < places.size() ? places[i] : array_place; }
};

/// Six bits of a base64 letter; -1 for anything else.
int base64_bits(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/// The first `most` bytes; fewer if the text ends before. Head and data may be encoded apart, so
/// that "=" stands in the middle.
std::string decode_base64(std::string_view text, std::size_t most) {
    std::string out;
    unsigned bits = 0;
    int letters = 0, padding = 0;
    for (const char c : text) {
        if (out.size() >= most) break;
        if (c == ' ' || (c >= '\t' && c <= '\r')) continue;
        const int value = c == '=' ? 0 : base64_bits(c);
        if (value < 0) break;
        padding += c == '=';
        bits = bits << 6 | static_cast<unsigned>(value);
        if (++letters < 4) continue;
        for (int k = 0; k < 3 - padding; ++k)
            out += static_cast<char>(bits >> (16 - 8 * k) & 0xffu);
        bits = 0;
        letters = padding = 0;
    }
    if (out.size() > most) out.resize(most);
    return out;
}

class VtkXmlReader {
public:
    VtkXmlReader(std::string_view file, Mesh& mesh) : file_(file), mesh_(mesh) {}

    void read() {
        parse();
        const Node root = document_.child("VTKFile");
        if (!root) fail(document_.document_element(), "expected <VTKFile>");
        const std::string type = root.attribute("type").value();
        const bool is_grid = type == "UnstructuredGrid";
        if (!is_grid && type != "PolyData")
            fail(root,
                 "a network is of type \"UnstructuredGrid\" or \"PolyData\", not " +
                     Cursor::shown(type));
        is_big_endian_ = std::string_view(root.attribute("byte_order").value()) == "BigEndian";
        has_long_heads_ = std::string_view(root.attribute("header_type").value()) == "UInt64";
        is_compressed_ = root.attribute("compressor");

        const Node data = root.child(type.c_str());
        const Node piece = data.child("Piece");
        if (!piece) fail(data ? data : root, "there is no <Piece>");
        if (piece.next_sibling("Piece"))
            fail(piece.next_sibling("Piece"), "a second <Piece>; save the mesh as one");
        read_piece(piece, is_grid);
    }

private:
    [[noreturn]] void fail(const Node& node, const std::string& message) const {
        throw MeshError(offset_of(node), message);
    }

    // What is appended may be binary and is no XML: the document ends before it.
    void parse() {
        const std::size_t mark = file_.find("<AppendedData");
        std::string text(file_.substr(0, mark));
        if (mark != std::string_view::npos) {
            const std::size_t end = file_.find('>', mark);
            const std::size_t begin = end == std::string_view::npos ? end : file_.find('_', end);
            if (begin == std::string_view::npos)
                throw MeshError(mark, "<AppendedData> holds no data; the file is cut short");
            appended_ = file_.substr(begin + 1);
            appended_place_ = begin + 1;
            const std::string_view head = file_.substr(mark, end - mark);
            is_appended_raw_ = head.find("raw") != std::string_view::npos;
            text += "</VTKFile>";
        }
        // No conversion of any kind, so that places in the document are places in the file
        const pugi::xml_parse_result result = document_.load_buffer(
            text.data(), text.size(), pugi::parse_minimal | pugi::parse_cdata, pugi::encoding_utf8);
        if (!result)
            throw MeshError(static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0)),
                            std::string("is not well-formed XML: ") + result.description());
    }

    void read_piece(const Node& piece, bool is_grid) {
        const std::size_t num_points = count(piece, "NumberOfPoints");
        if (num_points > static_cast<std::size_t>(kMostNodes)) fail(piece, "too many points");
        const Node points = piece.child("Points").child("DataArray");
        if (!points) fail(piece, "there is no array in <Points>");
        const Values<double> x = numbers<double>(points, "a point's coordinate");
        require_size(points, x.values.size(), 3 * num_points, "3 for each point");
        for (std::size_t i = 0; i < num_points; ++i) mesh_.add_node(x.values.data() + 3 * i);

        VtkMembers members;
        if (is_grid) {
            add_cells(piece, "Cells", "NumberOfCells", 0, members);
        } else {
            // Cell data count points, lines, strips, then faces
            constexpr std::int64_t kPolyLine = 4, kPolygon = 7;
            if (piece.attribute("NumberOfVerts")) members.resize(count(piece, "NumberOfVerts"));
            add_cells(piece, "Lines", "NumberOfLines", kPolyLine, members);
            if (piece.attribute("NumberOfStrips"))
                members.resize(members.size() + count(piece, "NumberOfStrips"));
            add_cells(piece, "Polys", "NumberOfPolys", kPolygon, members);
        }
        for (const Node& array : piece.child("CellData").children("DataArray"))
            if (const VtkValues values = group_values(array, members.size());
                !values.values.empty())
                mesh_.group_by_value(values.name, values.values, members, true);
        for (const Node& array : piece.child("PointData").children("DataArray"))
            add_point_groups(group_values(array, num_points), mesh_);
    }

    // type 0: the file tells each cell's
    void add_cells(const Node& piece,
                   const char* where,
                   const char* attribute,
                   std::int64_t type,
                   VtkMembers& members) {
        if (type != 0 && !piece.attribute(attribute)) return;
        const std::size_t n = count(piece, attribute);
        if (n == 0) return;
        const Node table = piece.child(where);
        const Values<std::int64_t> ends = cell_array(piece, table, "offsets");
        require_size(table, ends.values.size(), n, attribute);
        Values<std::int64_t> corners = cell_array(piece, table, "connectivity");

        VtkCells cells;
        cells.ends = ends.values;
        std::int64_t begin = 0;
        for (std::size_t k = 0; k < n; ++k) {
            cells.places.push_back(corners.place(static_cast<std::size_t>(begin)));
            begin = std::max<std::int64_t>(ends.values[k], 0);
        }
        cells.corners = std::move(corners.values);
        cells.corner_places = std::move(corners.places);
        if (type != 0) {
            cells.types.assign(n, type);
        } else {
            cells.types = cell_array(piece, table, "types").values;
            require_size(table, cells.types.size(), n, "one type for each cell");
        }
        VtkMembers added;
        add_vtk_cells(cells, mesh_, added);
        members.insert(members.end(), added.begin(), added.end());
    }

    Values<std::int64_t> cell_array(const Node& piece, const Node& table, const char* name) const {
        const Node array = table.find_child_by_attribute("DataArray", "Name", name);
        if (!array) fail(table ? table : piece, std::string("there is no array \"") + name + '"');
        return numbers<std::int64_t>(array, std::string("a number of \"") + name + '"');
    }

    // Empty if the array is none of one whole number per item.
    VtkValues group_values(const Node& array, std::size_t size) const {
        VtkValues out;
        out.name = array.attribute("Name").value();
        const std::string_view type = array.attribute("type").value();
        const bool is_whole = type.find("Int") != std::string_view::npos;
        if (!is_whole || array.attribute("NumberOfComponents").as_int(1) != 1) return out;
        out.values = numbers<std::int64_t>(array, "a value").values;
        if (out.values.size() != size) out.values.clear();
        return out;
    }

    std::size_t count(const Node& node, const char* attribute) const {
        const std::string_view text = node.attribute(attribute).value();
        std::int64_t n = 0;
        const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), n);
        if (error != std::errc() || stop != text.data() + text.size() || n < 0)
            fail(node,
                 std::string("expected a whole number in ") + attribute + ", found " +
                     Cursor::shown(text));
        // Even an encoded number takes more than a byte
        if (static_cast<std::uint64_t>(n) > file_.size())
            fail(node,
                 std::string(attribute) + " is " + std::to_string(n) +
                     ", more than the file holds; it is cut short, or the number is wrong");
        return static_cast<std::size_t>(n);
    }

    void require_size(const Node& node,
                      std::size_t found,
                      std::size_t wanted,
                      const std::string& why) const {
        if (found != wanted)
            fail(node,
                 "holds " + std::to_string(found) + " numbers, but needs " +
                     std::to_string(wanted) + ": " + why);
    }

    template <class T>
    Values<T> numbers(const Node& array, const std::string& what) const {
        Values<T> out;
        out.array_place = offset_of(array);
        const std::string_view format = array.attribute("format").value();
        if (format == "ascii") {
            for (const Node& text : array.children()) {
                Cursor in(text.value(), offset_of(text));
                while (!in.at_end()) {
                    if constexpr (std::is_same_v<T, double>)
                        out.values.push_back(in.number(what));
                    else
                        out.values.push_back(in.whole(what, std::numeric_limits<T>::min()));
                    out.places.push_back(in.offset());
                }
            }
            return out;
        }
        if (format != "binary" && format != "appended")
            fail(array,
                 "expected format \"ascii\", \"binary\" or \"appended\", found " +
                     Cursor::shown(format));
        if (is_compressed_)
            fail(array,
                 "the data are compressed; save them without compression (ParaView: Compressor "
                 "Type None) or as text");
        out.values = converted<T>(array, bytes(array, format == "binary"));
        if constexpr (std::is_same_v<T, double>)
            for (const double x : out.values)
                if (!std::isfinite(x)) fail(array, what + " is not a finite number");
        return out;
    }

    // The array's bytes: a head of 4 or 8 says how many follow.
    std::string bytes(const Node& array, bool is_inline) const {
        std::string_view coded = appended_;
        if (is_inline) {
            coded = array.text().get();
        } else {
            const auto offset = array.attribute("offset").as_ullong();
            if (appended_place_ == 0) fail(array, "there is no <AppendedData>");
            if (offset > coded.size())
                fail(array,
                     "begins at byte " + std::to_string(offset) +
                         " of the appended data, which "
                         "have " +
                         std::to_string(coded.size()) + "; the file is cut short");
            coded.remove_prefix(static_cast<std::size_t>(offset));
        }
        const bool is_raw = !is_inline && is_appended_raw_;
        const auto first = [&](std::size_t most) {
            return is_raw ? std::string(coded.substr(0, most)) : decode_base64(coded, most);
        };
        const std::size_t head_size = has_long_heads_ ? 8 : 4;
        const std::string head = first(head_size);
        if (head.size() < head_size) fail(array, "has no data; the file is cut short");
        const std::uint64_t size = has_long_heads_ ? integer<std::uint64_t>(head.data())
                                                   : integer<std::uint32_t>(head.data());
        if (size > coded.size())
            fail(array,
                 "announces " + std::to_string(size) +
                     " bytes, more than the file holds; it is cut short");
        std::string data = first(head_size + static_cast<std::size_t>(size));
        if (data.size() < head_size + size)
            fail(array,
                 "announces " + std::to_string(size) + " bytes, but has " +
                     std::to_string(data.size() - head_size) + "; the file is cut short");
        data.erase(0, head_size);
        // Each array has bytes of its own: many that name the same ones would be read forever.
        num_decoded_ += data.size();
        if (num_decoded_ > file_.size()) fail(array, "shares its data with other arrays");
        return data;
    }

    template <class T>
    std::vector<T> converted(const Node& array, const std::string& data) const {
        const std::string_view type = array.attribute("type").value();
        const auto as = [&]<class From>(From) {
            if (data.size() % sizeof(From) != 0)
                fail(array,
                     "has " + std::to_string(data.size()) + " bytes, no multiple of " +
                         std::to_string(sizeof(From)));
            std::vector<T> out;
            out.reserve(data.size() / sizeof(From));
            for (std::size_t i = 0; i < data.size(); i += sizeof(From))
                out.push_back(static_cast<T>(value<From>(data.data() + i)));
            return out;
        };
        if (type == "Int8") return as(std::int8_t{});
        if (type == "UInt8") return as(std::uint8_t{});
        if (type == "Int16") return as(std::int16_t{});
        if (type == "UInt16") return as(std::uint16_t{});
        if (type == "Int32") return as(std::int32_t{});
        if (type == "UInt32") return as(std::uint32_t{});
        if (type == "Int64") return as(std::int64_t{});
        if (type == "UInt64") return as(std::uint64_t{});
        // Whole numbers are not written as fractions, and the conversion might overflow
        if constexpr (std::is_same_v<T, double>) {
            if (type == "Float32") return as(float{});
            if (type == "Float64") return as(double{});
        }
        fail(array, "numbers of type " + Cursor::shown(type) + " do not belong here");
    }

    template <class From>
    From value(const char* data) const {
        if constexpr (std::is_same_v<From, float>)
            return std::bit_cast<float>(integer<std::uint32_t>(data));
        else if constexpr (std::is_same_v<From, double>)
            return std::bit_cast<double>(integer<std::uint64_t>(data));
        else
            return static_cast<From>(integer<std::make_unsigned_t<From>>(data));
    }

    // Put together byte by byte: the file's order counts, not this machine's.
    template <class Unsigned>
    Unsigned integer(const char* data) const {
        std::uint64_t out = 0;
        for (std::size_t k = 0; k < sizeof(Unsigned); ++k) {
            const std::size_t at = is_big_endian_ ? k : sizeof(Unsigned) - 1 - k;
            out = out << 8 | static_cast<unsigned char>(data[at]);
        }
        return static_cast<Unsigned>(out);
    }

    std::string_view file_;
    Mesh& mesh_;
    pugi::xml_document document_;
    std::string_view appended_;
    std::size_t appended_place_ = 0;  ///< 0: nothing is appended
    mutable std::size_t num_decoded_ = 0;
    bool is_appended_raw_ = false;
    bool is_big_endian_ = false;
    bool has_long_heads_ = false;
    bool is_compressed_ = false;
};

}  // namespace

void read_vtk_xml(std::string_view file, Mesh& mesh) {
    VtkXmlReader(file, mesh).read();
}

}  // namespace ancora::mesh
