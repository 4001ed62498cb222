// SPDX-License-Identifier: BSD-3-Clause
// Collecting, and the order of places.
#include "mistakes.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "place_note.hpp"

namespace ancora {
bool Mistakes::take(const Error& error) {
    const bool is_mistake = error.kind() == ErrorKind::manifest || error.kind() == ErrorKind::file;
    if (!is_mistake) return false;
    for (const Error& mistake : error.mistakes()) {
        const Place& place = mistake.place();
        if (!place.known()) return false;
        // [[generate]] makes many objects of one mistake.
        std::string key = note_of(place) == nullptr
                              ? mistake.what()
                              : fmt::format("{}:{}:{}", *place.file, place.line, place.column);
        if (known_.insert(std::move(key)).second) found_.push_back(mistake);
    }
    return true;
}

void Mistakes::refuse() {
    if (found_.empty()) return;
    std::unordered_map<std::string_view, std::size_t> files;  // in the order of their mention
    for (const Error& mistake : found_) files.emplace(*mistake.place().file, files.size());
    std::ranges::stable_sort(found_, {}, [&](const Error& mistake) {
        const Place& place = mistake.place();
        return std::tuple(files.at(*place.file), place.line, place.column);
    });
    throw Error(std::move(found_));
}

}  // namespace ancora
