// SPDX-License-Identifier: BSD-3-Clause
// One self-contained HTML page from the results of a run.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "ancora/framework/export.hpp"

namespace ancora {

struct ReportOptions {
    /// Columns of history.csv to have in the page beside those of the whole model; without any,
    /// as many as fit.
    std::vector<std::string> columns;
    /// Largest page [bytes]. Frames and rows are thinned to fit, which the page then says.
    std::size_t most_bytes = 20'000'000;
    /// Paths as they are. Else those that name folders of this machine are cut to their last name,
    /// since a page is made to be sent.
    bool full_paths = false;
};

/// The page of one run, or of two that are laid over each other. It holds everything it needs:
/// results, 3D scene, plots and the libraries for them. Works also for a run that goes on, was
/// interrupted or killed.
/// @throws Error (file) if a folder holds no results, or damaged ones; (usage) for a column that is
///         not there, or more than two folders
ANCORA_FRAMEWORK_EXPORT std::string report_page(std::span<const std::filesystem::path> folders,
                                                const ReportOptions& options = {});

/// Writes the page, as a whole or not at all; an earlier report is replaced, another file or a link
/// is not. As `report.html` in the folder of the first run it goes with the results when a new run
/// replaces them.
/// @throws Error (file) and what report_page() throws
ANCORA_FRAMEWORK_EXPORT void write_report(std::span<const std::filesystem::path> folders,
                                          const std::filesystem::path& file,
                                          const ReportOptions& options = {});

/// Writes the page, and anew whenever the results have changed, until `ends` returns true; an open
/// page loads itself again, which a file FILE.js beside it tells, as long as this goes on. The last
/// page is one like those of write_report().
/// @param written  is called after each page, if given
/// @throws Error (file), for the first and the last page, while those between wait for results that
///         can be read; and what report_page() throws besides
ANCORA_FRAMEWORK_EXPORT void watch_report(std::span<const std::filesystem::path> folders,
                                          const std::filesystem::path& file,
                                          const ReportOptions& options,
                                          const std::function<bool()>& ends,
                                          const std::function<void()>& written = {});

}  // namespace ancora
