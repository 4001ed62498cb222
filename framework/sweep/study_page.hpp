// SPDX-License-Identifier: BSD-3-Clause
// A page from the table of a sweep.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "ancora/framework/sweep.hpp"

namespace ancora {

/// The page as it is before data and title are put in.
extern const std::string_view kStudyPage;

/// A page that holds all it needs: parallel coordinates and a scatter of all cases, and for each
/// its values, the command that runs it alone, and its results, where they are kept.
/// @param rows lines of the table by their case
std::string study_page(const Study& study, const std::map<std::size_t, std::string>& rows);

/// Writes it, in the place of an earlier one.
/// @throws Error (file)
void write_study_page(const std::filesystem::path& file,
                      const Study& study,
                      const std::map<std::size_t, std::string>& rows);

}  // namespace ancora
