// SPDX-License-Identifier: BSD-3-Clause
// Text first, with the place of each array in the bytes behind it.
#include "vtp_file.hpp"

#include <bit>
#include <limits>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>
#include <unistd.h>

#include "ancora/framework/error.hpp"
#include "result_files.hpp"
#include "xml_text.hpp"

namespace ancora {
namespace {

static_assert(std::endian::native == std::endian::little,
              "arrays are written as they lie in memory");

/// Collects arrays, and gives out their elements.
class Appended {
public:
    template <class T>
    std::string element(std::string_view name, int components, const std::vector<T>& values) {
        const std::uint64_t size = values.size() * sizeof(T);
        std::string out = fmt::format(
            "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" "
            "offset=\"{}\"/>\n",
            std::is_same_v<T, double>  ? "Float64"
            : std::is_same_v<T, float> ? "Float32"
                                       : "Int32",
            escaped_xml(name, '?'),
            components,
            bytes_.size());
        bytes_.append(reinterpret_cast<const char*>(&size), sizeof size);
        bytes_.append(reinterpret_cast<const char*>(values.data()), size);
        return out;
    }
    std::string element(const VtpFile::Array& array) {
        return array.integers.empty() ? element(array.name, array.components, array.numbers)
                                      : element(array.name, array.components, array.integers);
    }
    std::string cells(const char* kind, const VtpFile::Cells& of) {
        return fmt::format("<{}>\n{}{}</{}>\n",
                           kind,
                           element("connectivity", 1, of.connectivity),
                           element("offsets", 1, of.offsets),
                           kind);
    }
    const std::string& bytes() const { return bytes_; }

private:
    std::string bytes_;
};

/// Texts are written as the codes of their characters, each ended by 0.
std::string names_element(const VtpFile::Names& names) {
    std::string out =
        fmt::format("<Array type=\"String\" Name=\"{}\" NumberOfTuples=\"{}\" format=\"ascii\">\n",
                    escaped_xml(names.name, '?'),
                    names.texts.size());
    for (const std::string& text : names.texts) {
        for (const char c : text)
            out += fmt::format("{} ", static_cast<int>(static_cast<unsigned char>(c)));
        out += "0\n";
    }
    return out + "</Array>\n";
}

std::int32_t counted(std::size_t number) {
    if (number > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
        throw Error(ErrorKind::file,
                    "the scene has more points or corners than a VTK file with numbers of 32 bits "
                    "can count");
    return static_cast<std::int32_t>(number);
}

}  // namespace

void VtpFile::Cells::add(std::span<const std::int32_t> corners) {
    connectivity.insert(connectivity.end(), corners.begin(), corners.end());
    offsets.push_back(counted(connectivity.size()));
}

std::int32_t VtpFile::add_point(const std::array<double, 3>& x) {
    points.insert(points.end(), x.begin(), x.end());
    return counted(points.size() / 3) - 1;
}

void VtpFile::write(const FileAt& file) const {
    Appended data;
    std::string text(kParaviewFrameMark);
    text +=
        "\n<VTKFile type=\"PolyData\" version=\"1.0\" "
        "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n";
    if (!field_data.empty()) {
        text += "<FieldData>\n";
        for (const Names& names : field_data) text += names_element(names);
        text += "</FieldData>\n";
    }
    text += fmt::format(
        "<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"{}\" "
        "NumberOfStrips=\"0\" NumberOfPolys=\"{}\">\n",
        points.size() / 3,
        vertices.offsets.size(),
        lines.offsets.size(),
        polygons.offsets.size());
    const auto add = [&](const char* kind, const std::vector<Array>& arrays) {
        text += fmt::format("<{}>\n", kind);
        for (const Array& array : arrays) text += data.element(array);
        text += fmt::format("</{}>\n", kind);
    };
    add("PointData", point_data);
    add("CellData", cell_data);
    text += "<Points>\n" + data.element("points", 3, points) + "</Points>\n";
    text += data.cells("Verts", vertices);
    text += data.cells("Lines", lines);
    text += data.cells("Polys", polygons);
    text += "</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_";

    require_replaceable(file, kParaviewFrameMark, "a frame of a run");
    // Not as a whole, which would take long for thousands of them.
    ::unlinkat(file.folder, file.name.c_str(), 0);
    FileWriter out(file);
    out.append(text);
    out.append(data.bytes());
    out.append("\n</AppendedData>\n</VTKFile>\n");
    out.close();
}

}  // namespace ancora
