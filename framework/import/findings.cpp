// SPDX-License-Identifier: BSD-3-Clause
#include "findings.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

namespace ancora::robot {
namespace {

// More tell nothing new.
constexpr std::size_t kMostMistakes = 50;

std::string in_text(const Place& place) {
    if (!place.known()) return {};
    const std::string file = std::filesystem::path(*place.file).filename().string();
    return place.line > 0 ? fmt::format("{}:{}", file, place.line) : file;
}

}  // namespace

void Findings::damaged(const Place& place, const std::string& message) {
    add({ErrorKind::manifest, message, place});
}

/// Once: an element may be looked at from several sides.
void Findings::add(const Error& mistake) {
    const auto is_same = [&](const Error& other) {
        return std::string_view(other.what()) == mistake.what();
    };
    if (mistakes_.size() < kMostMistakes && std::ranges::none_of(mistakes_, is_same))
        mistakes_.push_back(mistake);
}

void Findings::left(ErrorKind kind,
                    const Place& place,
                    const std::string& what,
                    const std::string& mend) {
    if (!is_lenient_)
        return add({kind, fmt::format("{}: {}, or leave it out by --lenient", what, mend), place});
    const std::string entry = fmt::format("{}: {}", in_text(place), what);
    if (std::ranges::find(left_out_, entry) == left_out_.end()) left_out_.push_back(entry);
}

void Findings::no_counterpart(const Place& place,
                              const std::string& what,
                              const std::string& mend) {
    left(ErrorKind::manifest, place, what, mend);
}

void Findings::no_file(const Place& place, const std::string& what, const std::string& mend) {
    left(ErrorKind::file, place, what, mend);
}

void Findings::note(const std::string& text, const Place& place) {
    const auto known = std::ranges::find(notes_, text, &Note::text);
    if (known == notes_.end())
        notes_.push_back({text, place, 1});
    else
        ++known->count;
}

void Findings::throw_mistakes() const {
    if (mistakes_.size() == 1) throw Error(mistakes_.front());
    if (!mistakes_.empty()) throw Error(mistakes_);
}

std::vector<std::string> Findings::notes() const {
    std::vector<std::string> out;
    for (const Note& note : notes_)
        out.push_back(
            note.count == 1
                ? fmt::format("{}: {}", in_text(note.first), note.text)
                : fmt::format(
                      "{} and {} more: {}", in_text(note.first), note.count - 1, note.text));
    return out;
}

}  // namespace ancora::robot
