// SPDX-License-Identifier: BSD-3-Clause
// Reads VTK's legacy format as text, and turns the cells of both VTK formats into lines.
//
// Source: "VTK File Formats", https://docs.vtk.org/en/latest/vtk_file_formats.
#include <algorithm>
#include <array>
#include <string>

#include "cursor.hpp"
#include "vtk_cells.hpp"

namespace ancora::mesh {
namespace {

constexpr std::int64_t kVtkLine = 3, kVtkPolyLine = 4, kVtkTriangle = 5, kVtkPolygon = 7,
                       kVtkPixel = 8, kVtkQuad = 9;
// Edges, triangles and quadrilaterals with nodes between their corners.
constexpr std::array kVtkCurvedLines = {21, 35, 68};
constexpr std::array kVtkCurvedFaces = {22, 23, 28, 30, 32, 34, 69, 70};

bool is_one_of(std::int64_t type, const auto& types) {
    return std::ranges::find(types, type) != types.end();
}

class VtkReader {
public:
    VtkReader(std::string_view file, Mesh& mesh) : in_(file), mesh_(mesh) {}

    void read() {
        read_head();
        bool goes_on = true;
        while (goes_on && !in_.at_end()) goes_on = read_section(in_.word("a section"));
        add_vtk_cells(is_grid_ ? cells_ : lines_, mesh_, members_);
        if (!is_grid_) {
            // Cell data count points, lines, then faces
            VtkMembers lines = std::move(members_), faces;
            members_.assign(points_.size(), {});
            add_vtk_cells(faces_, mesh_, faces);
            members_.insert(members_.end(), lines.begin(), lines.end());
            members_.insert(members_.end(), faces.begin(), faces.end());
        }
        for (const VtkValues& array : cell_values_)
            if (array.values.size() == members_.size())
                mesh_.group_by_value(array.name, array.values, members_, true);
        for (const VtkValues& array : point_values_) add_point_groups(array, mesh_);
    }

private:
    void read_head() {
        if (!in_.line().starts_with("# vtk DataFile"))
            in_.fail("a VTK file begins with \"# vtk DataFile Version\"");
        in_.line();  // title
        const std::string coding(in_.word("\"ASCII\""));
        if (coding == "BINARY")
            in_.fail("this is a binary file, but text is needed: save it as ASCII");
        if (coding != "ASCII") in_.fail("expected \"ASCII\", found " + Cursor::shown(coding));
        const std::string mark(in_.word("\"DATASET\""));
        if (mark != "DATASET") in_.fail("expected \"DATASET\", found " + Cursor::shown(mark));
        const std::string dataset(in_.word("a kind of data"));
        is_grid_ = dataset == "UNSTRUCTURED_GRID";
        if (!is_grid_ && dataset != "POLYDATA")
            in_.fail("a network is POLYDATA or UNSTRUCTURED_GRID, not " + Cursor::shown(dataset));
    }

    // False where the geometry ends and data stand that are no groups.
    bool read_section(std::string_view name) {
        if (name == "POINTS") {
            read_points();
        } else if (name == "CELLS" && is_grid_) {
            read_cells(cells_);
        } else if (name == "CELL_TYPES" && is_grid_) {
            const std::size_t n = in_.count("the number of cells");
            for (std::size_t k = 0; k < n; ++k)
                cells_.types.push_back(in_.whole("a cell's type", 0, 255));
            if (cells_.types.size() != cells_.size())
                in_.fail("there are " + std::to_string(cells_.types.size()) + " types for " +
                         std::to_string(cells_.size()) + " cells");
        } else if (name == "VERTICES" && !is_grid_) {
            read_cells(points_);
        } else if (name == "LINES" && !is_grid_) {
            read_cells(lines_);
            lines_.types.assign(lines_.size(), kVtkPolyLine);
        } else if (name == "POLYGONS" && !is_grid_) {
            read_cells(faces_);
            faces_.types.assign(faces_.size(), kVtkPolygon);
        } else if (name == "METADATA") {
            // up to an empty line
            do in_.line();
            while (!in_.at_line_end());
        } else if (name == "FIELD") {
            read_field();
        } else if (name == "CELL_DATA" || name == "POINT_DATA") {
            data_ = name == "CELL_DATA" ? &cell_values_ : &point_values_;
            num_data_ = in_.count("a number of values");
        } else if (name == "SCALARS" && data_ != nullptr) {
            read_scalars();
        } else if (data_ != nullptr) {
            return false;
        } else {
            in_.fail("expected a section such as \"POINTS\" or \"LINES\", found " +
                     Cursor::shown(name));
        }
        return true;
    }

    void read_points() {
        if (mesh_.num_nodes() > 0) in_.fail("there is a second POINTS");
        const std::size_t n = in_.count("the number of points");
        if (n > static_cast<std::size_t>(kMostNodes)) in_.fail("too many points");
        in_.word_on_line("the type of numbers");
        for (std::size_t k = 0; k < n; ++k) {
            const double x[3] = {
                in_.number("a point's x"), in_.number("a point's y"), in_.number("a point's z")};
            mesh_.add_node(x);
        }
    }

    // Counts before the points of each cell, or, since version 5.1, offsets and points apart
    void read_cells(VtkCells& cells) {
        if (!cells.ends.empty()) in_.fail("the section stands there twice");
        const std::size_t n = in_.count("the number of cells");
        const std::size_t size = in_.count("the number of entries");
        if (in_.peek() == "OFFSETS") {
            in_.word("");
            in_.word_on_line("the type of numbers");
            for (std::size_t k = 0; k < n; ++k) {
                const std::int64_t end = in_.whole("an offset", 0, std::int64_t(size));
                if (k == 0 && end != 0) in_.fail("the first offset is not 0");
                if (k == 0) continue;
                cells.ends.push_back(end);
                cells.places.push_back(in_.offset());
            }
            if (in_.word("\"CONNECTIVITY\"") != "CONNECTIVITY")
                in_.fail("expected \"CONNECTIVITY\"");
            in_.word_on_line("the type of numbers");
            for (std::size_t k = 0; k < size; ++k) read_corner(cells);
            place_at_first_corner(cells);
            return;
        }
        std::size_t entries = 0;
        for (std::size_t k = 0; k < n; ++k) {
            const std::size_t num_corners = in_.count("the number of a cell's points");
            cells.places.push_back(in_.offset());
            for (std::size_t i = 0; i < num_corners; ++i) read_corner(cells);
            cells.ends.push_back(static_cast<std::int64_t>(cells.corners.size()));
            entries += 1 + num_corners;
        }
        if (entries != size)
            in_.fail("the cells have " + std::to_string(entries) +
                     " entries, but the section announces " + std::to_string(size));
    }

    void read_corner(VtkCells& cells) {
        cells.corners.push_back(in_.whole("a point of a cell", 0));
        cells.corner_places.push_back(in_.offset());
    }

    void place_at_first_corner(VtkCells& cells) {
        std::int64_t begin = 0;
        for (std::size_t k = 0; k < cells.ends.size(); ++k) {
            if (begin < static_cast<std::int64_t>(cells.corner_places.size()))
                cells.places[k] = cells.corner_places[static_cast<std::size_t>(begin)];
            begin = cells.ends[k];
        }
    }

    void read_field() {
        in_.word_on_line("a field's name");
        const std::size_t num_arrays = in_.count("the number of arrays");
        for (std::size_t k = 0; k < num_arrays; ++k) {
            const std::string name(in_.word("an array's name"));
            const std::size_t width = in_.count("the number of components");
            const std::size_t n = in_.count("the number of entries");
            const std::string type(in_.word_on_line("the type of numbers"));
            if (width > 0) read_values(name, type, width, n);
        }
    }

    void read_scalars() {
        const std::string name(in_.word_on_line("an array's name"));
        const std::string type(in_.word_on_line("the type of numbers"));
        const std::size_t width =
            in_.at_line_end() ? 1 : static_cast<std::size_t>(in_.whole("components", 1, 4));
        if (in_.peek() == "LOOKUP_TABLE") {
            in_.word("");
            in_.word_on_line("a name");
        }
        read_values(name, type, width, num_data_);
    }

    // Keeps what may name groups: one whole number for each of all cells or points.
    void read_values(const std::string& name,
                     const std::string& type,
                     std::size_t width,
                     std::size_t n) {
        const bool is_whole = type.find("int") != std::string::npos || type == "long" ||
                              type == "unsigned_long" || type.find("short") != std::string::npos ||
                              type == "vtkIdType" || type == "vtktypeint64";
        const bool is_wanted = is_whole && width == 1 && data_ != nullptr && n == num_data_;
        VtkValues array;
        array.name = name;
        for (std::size_t k = 0; k < n; ++k)
            for (std::size_t i = 0; i < width; ++i) {
                if (is_wanted)
                    array.values.push_back(
                        in_.whole("a value", std::numeric_limits<std::int64_t>::min()));
                else
                    in_.word("a value");
            }
        if (is_wanted) data_->push_back(std::move(array));
    }

    Cursor in_;
    Mesh& mesh_;
    bool is_grid_ = false;
    VtkCells cells_, points_, lines_, faces_;
    VtkMembers members_;
    std::vector<VtkValues> cell_values_, point_values_;
    std::vector<VtkValues>* data_ = nullptr;  ///< the one that is being read
    std::size_t num_data_ = 0;
};

}  // namespace

void add_vtk_cells(const VtkCells& cells, Mesh& mesh, VtkMembers& members) {
    const auto refuse = [&](std::size_t cell, const std::string& message) {
        throw MeshError(cells.places[cell], "cell " + std::to_string(cell) + " " + message);
    };
    if (cells.types.size() != cells.size())
        throw MeshError(0,
                        "there are " + std::to_string(cells.types.size()) + " cell types for " +
                            std::to_string(cells.size()) + " cells");
    members.assign(cells.size(), {});
    std::int64_t begin = 0;
    std::vector<std::int32_t> corners;
    for (std::size_t k = 0; k < cells.size(); ++k) {
        const std::int64_t end = cells.ends[k];
        if (end < begin || end > static_cast<std::int64_t>(cells.corners.size()))
            refuse(k,
                   "ends at entry " + std::to_string(end) + " of " +
                       std::to_string(cells.corners.size()) + ", and begins at " +
                       std::to_string(begin));
        corners.clear();
        for (std::int64_t i = begin; i < end; ++i) {
            const auto at = static_cast<std::size_t>(i);
            const std::int64_t corner = cells.corners[at];
            if (corner < 0 || corner >= mesh.num_nodes())
                throw MeshError(
                    cells.corner_places.empty() ? cells.places[k] : cells.corner_places[at],
                    "there is no point " + std::to_string(corner) + "; the file has " +
                        std::to_string(mesh.num_nodes()) + ", counted from 0");
            corners.push_back(static_cast<std::int32_t>(corner));
        }
        begin = end;

        const std::int64_t type = cells.types[k];
        if (is_one_of(type, kVtkCurvedLines) ||
            (mesh.takes_faces() && is_one_of(type, kVtkCurvedFaces)))
            refuse(k,
                   "has nodes between its corners (type " + std::to_string(type) +
                       "); save elements of first order");
        if (type == kVtkLine || type == kVtkPolyLine) {
            if (corners.size() < 2 || (type == kVtkLine && corners.size() != 2))
                refuse(k, "is a line of " + std::to_string(corners.size()) + " points");
            for (std::size_t i = 0; i + 1 < corners.size(); ++i)
                members[k].push_back(mesh.add_line(corners[i], corners[i + 1], cells.places[k]));
        } else if (type == kVtkTriangle || type == kVtkQuad || type == kVtkPolygon ||
                   type == kVtkPixel) {
            if (corners.size() < 3 || (type == kVtkPixel && corners.size() != 4))
                refuse(k, "is a face of " + std::to_string(corners.size()) + " points");
            if (type == kVtkPixel) std::swap(corners[2], corners[3]);
            mesh.add_face(corners, cells.places[k], members[k]);
        }
    }
}

void add_point_groups(const VtkValues& array, Mesh& mesh) {
    if (array.values.size() != static_cast<std::size_t>(mesh.num_nodes())) return;
    VtkMembers members;
    for (std::int32_t i = 0; i < mesh.num_nodes(); ++i) members.push_back({i});
    mesh.group_by_value(array.name, array.values, members, false);
}

void read_vtk(std::string_view file, Mesh& mesh) {
    VtkReader(file, mesh).read();
}

}  // namespace ancora::mesh
