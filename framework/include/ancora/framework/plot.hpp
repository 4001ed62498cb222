// SPDX-License-Identifier: BSD-3-Clause
// Static pictures of columns, for papers and READMEs.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "ancora/framework/export.hpp"

namespace ancora {

struct PlotOptions {
    std::vector<std::string> columns;  ///< of history.csv; at least one
    std::string over = "t";            ///< the column along the abscissa
    bool is_logarithmic = false;       ///< magnitudes on a logarithmic scale
    bool full_paths = false;  ///< in the names of several runs; see ReportOptions::full_paths
};

/// Draws columns of one run, or of several in one picture, with the program gnuplot. Columns of one
/// unit share a panel. The file's ending decides on the format: .svg, .pdf or .png. An earlier
/// picture of a run is replaced, another file or a link is not.
/// @throws Error (usage) for a column or format that is not there, (file) if a folder holds no
///         results, gnuplot is missing or fails, or the file cannot be written
ANCORA_FRAMEWORK_EXPORT void plot_results(std::span<const std::filesystem::path> folders,
                                          const std::filesystem::path& file,
                                          const PlotOptions& options);

}  // namespace ancora
