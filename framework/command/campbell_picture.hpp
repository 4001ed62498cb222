// SPDX-License-Identifier: BSD-3-Clause
// Frequencies over the rate of a spin, as a table and a picture.
#pragma once

#include <complex>
#include <filesystem>
#include <string>
#include <vector>

namespace ancora::command {

/// A mode at each rate; not a number where it is none.
struct CampbellCurve {
    std::string name;
    std::vector<double> frequency;  ///< [Hz]
    std::vector<double> damping, whirl;
    std::vector<std::complex<double>> eigenvalue;
};

/// Before the modes are found.
/// @throws Error (file) if campbell.csv or campbell.svg is there and was not written by this
void require_campbell(const std::filesystem::path& folder);

/// campbell.csv and campbell.svg.
/// @param is_turning whether the axes turn: the spin's own frequency is then no line of the picture
/// @throws Error (file) if they cannot be written
void write_campbell(const std::filesystem::path& folder,
                    const std::string& model,
                    bool is_turning,
                    const std::vector<double>& rates,
                    const std::vector<CampbellCurve>& curves);

}  // namespace ancora::command
