// SPDX-License-Identifier: BSD-3-Clause
// Names of a description as names of a manifest.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>

namespace ancora::robot {

/// What is said of a type that a format does not have.
std::string no_such_type(std::string_view type, std::span<const std::string> types);

/// Gives names that a manifest takes, each once.
class Names {
public:
    /// The name itself where that may be, else without odd characters or with something behind.
    ///
    /// @param otherwise  where nothing is left of it: "link"
    std::string unique(std::string_view name, const char* otherwise);

    /// Words that are no name here beside those that are none anywhere.
    void reserve(std::string_view name) { taken_.emplace(name); }

private:
    std::set<std::string> taken_;
};

}  // namespace ancora::robot
