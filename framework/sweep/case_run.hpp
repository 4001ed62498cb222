// SPDX-License-Identifier: BSD-3-Clause
// One case of a study, and its row.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "ancora/framework/sweep.hpp"
#include "quantity.hpp"

namespace ancora {

/// A number with a unit, "10 deg", in SI units, with its dimension; nothing for other texts.
std::optional<Quantity> quantity_of(std::string_view text);

/// A cell of a CSV file by RFC 4180; line breaks become spaces.
std::string csv_cell(std::string_view text);

/// The row of a case that has no results, and why.
std::string failed_row(const Study& study,
                       std::size_t index,
                       int status,
                       std::string_view exit,
                       std::string_view message);

/// Folder of a case's results among the runs, "000017".
std::string run_folder_of(std::size_t index);

}  // namespace ancora
