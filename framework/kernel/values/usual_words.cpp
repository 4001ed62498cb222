// SPDX-License-Identifier: BSD-3-Clause
// Words of textbooks and other programs, beside those of manifests.
#include "usual_words.hpp"

#include <algorithm>
#include <cctype>

namespace ancora {

std::string_view usual_word(std::string_view name, std::span<const std::string> names) {
    constexpr std::size_t kLongest = 24;
    if (name.empty() || name.size() > kLongest || name.find_first_of(" :\n") != std::string::npos)
        return {};
    std::string wanted = " ";
    for (const char c : name)
        wanted += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    wanted += ' ';
    for (std::string_view rest = kUsualWords; !rest.empty();) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos) continue;
        const std::string others = std::string(line.substr(colon + 1)) + ' ';
        const std::string_view word = line.substr(0, colon);
        if (others.find(wanted) != std::string::npos &&
            std::ranges::find(names, word) != names.end())
            return word;
    }
    return {};
}

}  // namespace ancora
