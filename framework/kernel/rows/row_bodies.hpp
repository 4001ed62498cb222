// SPDX-License-Identifier: BSD-3-Clause
// The bodies that rows act on.
#pragma once

#include <vector>

#include "compressed_rows.hpp"
#include "model.hpp"

namespace ancora {

/// Bodies with coordinates among the entries of rows first to end - 1, ascending.
std::vector<int> bodies_of_rows(const Model& model, const CompressedRows& rows, int first, int end);

}  // namespace ancora
