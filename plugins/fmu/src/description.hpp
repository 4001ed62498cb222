// SPDX-License-Identifier: BSD-3-Clause
// What an FMU says of itself: modelDescription.xml.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ancora::fmu {

enum class Role : std::int32_t { input, output, parameter, other };

struct Variable {
    std::string name;
    unsigned reference = 0;
    Role role = Role::other;
    std::string unit;
    bool is_number = false;  ///< Real, or Float64 without dimensions
};

struct Description {
    int version = 2;          ///< of the standard: 2 or 3
    std::string token;        ///< guid, or instantiationToken
    std::string identifier;   ///< of its library
    bool has_states = false;  ///< they can be got, set and written as bytes
    double step_size = 0.0;   ///< of its default experiment [s]; 0: not told
    std::vector<Variable> variables;

    /// The number that has this name and role.
    /// @throws std::runtime_error with those that there are
    const Variable& find(std::string_view name, Role role) const;
};

/// @throws std::runtime_error if it is none that can be run
Description read_description(const std::filesystem::path& file);

}  // namespace ancora::fmu
