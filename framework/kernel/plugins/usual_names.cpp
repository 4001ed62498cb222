// SPDX-License-Identifier: BSD-3-Clause
// Looks a name up among the usual ones.
#include "usual_names.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace ancora {
namespace {

/// "Ball-Joint" is "ball_joint".
std::string in_small_letters(std::string_view name) {
    std::string out;
    for (const char c : name)
        out += c == '-' || c == ' '
                   ? '_'
                   : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

/// "hinge" of "hinge_joint".
std::string_view without_ending(std::string_view name) {
    for (const std::string_view end : {"_joint", "_constraint", "_force", "_body"})
        if (name.size() > end.size() && name.ends_with(end))
            return name.substr(0, name.size() - end.size());
    return name;
}

std::string_view take_word(std::string_view& line) {
    const std::size_t end = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    return word;
}

}  // namespace

std::string hint_at_usual_name(std::string_view kind,
                               std::string_view name,
                               std::span<const std::string> types) {
    const std::string said = in_small_letters(name);
    const std::string_view short_form = without_ending(said);
    const auto is_there = [&](std::string_view type) {
        return std::ranges::find(types, type) != types.end();
    };
    for (const std::string_view form : {std::string_view(said), short_form})
        if (form != name && is_there(form)) return fmt::format("; write type = \"{}\"", form);
    for (std::string_view rest = kUsualNames; !rest.empty();) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        std::string_view line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (take_word(line) != kind) continue;
        const std::string_view word = take_word(line);
        if ((word == said || word == short_form) && is_there(line))
            return fmt::format("; here it is called {0}: write type = \"{0}\"", line);
    }
    return {};
}

}  // namespace ancora
