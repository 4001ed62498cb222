// SPDX-License-Identifier: BSD-3-Clause
// JSON as commands write it: documents and matrices.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace ancora::command {

/// With a line for each entry; what is no UTF-8 is replaced.
inline std::string json_text(const nlohmann::ordered_json& json) {
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

/// The rows of a matrix that is given row by row.
inline nlohmann::ordered_json matrix_json(const std::vector<double>& x, int rows, int columns) {
    nlohmann::ordered_json out = nlohmann::ordered_json::array();
    for (int i = 0; i < rows; ++i)
        out.push_back(std::vector<double>(x.begin() + i * columns, x.begin() + (i + 1) * columns));
    return out;
}

}  // namespace ancora::command
