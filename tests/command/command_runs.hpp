// SPDX-License-Identifier: BSD-3-Clause
// What the tests of the command have in common: models, calls, and what came out.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace ancora::testing {

using Json = nlohmann::json;

// A free top; what is added to it begins on line 17.
inline const std::string kTop = R"([model]
name = "top"
plugins = ["ancf_rigid_body", "emm"]

[[body]]
name = "box"
type = "ancf_rigid_body"
size = [3.0, 2.0, 1.0]
density = 2700.0
angular_velocity = [0.3, 0.5, 0.8]

[integrator]
type = "emm"
step = 1.0e-3
end = 0.1

)";

inline const std::string kBoom = R"([[body]]
name = "boom"
type = "truss"
from = [1.5, 0.0, 0.0]
to = [2.3, 0.0, 0.0]
area = 1.0e-4
density = 2700.0
young = 70.0e9
velocity_from = "box"

)";

// `from`, which must be there, replaced by `to`.
inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

inline std::string constraint(const std::string& a, const std::string& b) {
    return "[[constraint]]\nname = \"hook\"\ntype = \"position\"\na = \"" + a + "\"\nb = \"" + b +
           "\"\n";
}

/// Runs `text` as m.toml, which must fail before anything is written.
inline ProcessResult run_refused(const std::string& text, const CommandArguments& arguments = {}) {
    const TempFolder folder;
    folder.write("m.toml", text);
    CommandArguments all{"run", "m.toml"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const ProcessResult result = run_ancora(folder, all);
    CHECK(result.out == "");
    CHECK_FALSE(std::filesystem::exists(folder / "results"));
    return result;
}

/// `text` is refused with this status and exactly this message.
inline void check_refused(const std::string& text, int status, const std::string& message) {
    const ProcessResult result = run_refused(text);
    CHECK(result.status == status);
    CHECK(result.err == message + "\n");
}

inline std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

/// Rows of history.csv below its header; each must be whole and hold finite numbers.
inline std::vector<std::vector<double>> rows_of(const std::string& history) {
    CHECK(history.ends_with('\n'));
    std::vector<std::vector<double>> rows;
    for (const std::string& line : lines_of(history)) {
        std::vector<double>& row = rows.emplace_back();
        std::istringstream cells(line);
        for (std::string cell; std::getline(cells, cell, ',');)
            row.push_back(std::strtod(cell.c_str(), nullptr));
    }
    REQUIRE(!rows.empty());
    rows.erase(rows.begin());
    for (const auto& row : rows) CHECK(row.size() == rows.front().size());
    CHECK(history.find("nan") == std::string::npos);
    CHECK(history.find("inf") == std::string::npos);
    return rows;
}

}  // namespace ancora::testing
