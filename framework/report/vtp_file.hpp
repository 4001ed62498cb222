// SPDX-License-Identifier: BSD-3-Clause
// VTK's XML format for polygons, lines and vertices, with binary data behind the text.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "file_writer.hpp"

namespace ancora {

/// One PolyData piece. Cells are numbered vertices first, then lines, then polygons; the data of
/// cells are in that order.
///
/// Format: "VTK XML Formats" of the VTK documentation; version 1.0, appended raw data.
class VtpFile {
public:
    std::vector<double> points;  ///< 3 for each
    /// Ends of cells in `connectivity`, counted from its begin.
    struct Cells {
        std::vector<std::int32_t> connectivity, offsets;
        /// @throws Error (file) if there are more corners than can be counted
        void add(std::span<const std::int32_t> corners);
    };
    Cells vertices, lines, polygons;

    /// Number of the new point.
    /// @throws Error (file) if there are more than can be counted
    std::int32_t add_point(const std::array<double, 3>& x);

    struct Array {
        std::string name;
        int components = 1;
        std::vector<float> numbers;
        std::vector<std::int32_t> integers;  ///< in place of numbers
    };
    std::vector<Array> point_data, cell_data;
    /// Lists of names.
    struct Names {
        std::string name;
        std::vector<std::string> texts;
    };
    std::vector<Names> field_data;

    bool empty() const { return points.empty(); }
    /// @throws Error (file)
    void write(const FileAt& file) const;
};

}  // namespace ancora
