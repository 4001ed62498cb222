// SPDX-License-Identifier: BSD-3-Clause
// Pictures of derivatives and of fits, as SVG.
#pragma once

#include <filesystem>

#include "ancora/framework/gradient.hpp"

namespace ancora::command {

/// Before the runs that the picture is of.
/// @throws Error (usage) if the file's ending is not .svg, (file) if it is there and no picture of
///         this kind
void require_gradient_picture(const std::filesystem::path& file);
void require_fit_picture(const std::filesystem::path& file);

/// A panel for each number of the run: relative derivatives as bars, the largest first.
/// @throws Error (file) if it cannot be written
void write_gradient_picture(const std::filesystem::path& file, const Gradient& gradient);

/// A panel for each column, data as dots and the fitted model as a line, with what is left below.
/// @throws Error (file) if it cannot be written
void write_fit_picture(const std::filesystem::path& file, const MeasuredData& data, const Fit& fit);

}  // namespace ancora::command
