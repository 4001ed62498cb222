// SPDX-License-Identifier: BSD-3-Clause
// Finds by hash which of some names a name is.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace ancora {

/// Names in the order of their adding.
class NameIndex {
public:
    /// Gives the name the next index. Of equal names the first is found.
    void add(std::string_view name) { index_of_.try_emplace(std::string(name), count_++); }

    std::size_t size() const { return static_cast<std::size_t>(count_); }

    /// -1: not among them.
    int find(std::string_view name) const {
        const auto found = index_of_.find(name);
        return found == index_of_.end() ? -1 : found->second;
    }

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view name) const {
            return std::hash<std::string_view>{}(name);
        }
    };
    std::unordered_map<std::string, int, Hash, std::equal_to<>> index_of_;
    int count_ = 0;
};

}  // namespace ancora
