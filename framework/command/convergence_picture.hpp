// SPDX-License-Identifier: BSD-3-Clause
// A picture of how differences between runs fall with the step, as SVG.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ancora::command {

struct ConvergenceCurve {
    std::string name;
    std::vector<double> differences;  ///< of run k and the next finer one
};

/// Before the runs that the picture is of.
/// @throws Error (usage) if the file's ending is not .svg, (file) if it is there and no picture of
///         this kind
void require_convergence_picture(const std::filesystem::path& file);

/// @throws Error (file) if it cannot be written
void write_convergence_picture(const std::filesystem::path& file,
                               const std::string& model,
                               bool by_tolerance,
                               const std::vector<double>& parameters,
                               const std::vector<ConvergenceCurve>& curves);

}  // namespace ancora::command
