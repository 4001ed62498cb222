// SPDX-License-Identifier: BSD-3-Clause
// Mistakes that do not depend on each other, told in one go.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ancora/framework/error.hpp"

namespace ancora {

/// As many are shown.
inline constexpr std::size_t kMostMistakes = 20;

/// What stands below those that are shown: "\nand 3 more mistakes", or nothing.
std::string not_shown(std::size_t mistakes);

/// Collects mistakes in what somebody wrote: errors of the kinds manifest and file that have a
/// place. Any other error ends the collecting.
class Mistakes {
public:
    /// Calls `check`, which throws what it finds; false if that was a mistake.
    template <class Check>
    bool gather(Check&& check) {
        try {
            std::forward<Check>(check)();
            return true;
        } catch (const Error& error) {
            if (!take(error)) throw;
            return false;
        }
    }

    /// Takes an error that is a mistake; false if it is none.
    bool take(const Error& error);

    bool empty() const { return found_.empty(); }
    /// @throws Error with all that was found, in the order of the places, if there is anything
    void refuse();

private:
    std::vector<Error> found_;
    std::set<std::string> known_;
};

}  // namespace ancora
