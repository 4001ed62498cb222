// SPDX-License-Identifier: BSD-3-Clause
// The text of an error: its place in front of its message.
#include "ancora/framework/error.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "ancora/framework/printable.hpp"
#include "escaped.hpp"
#include "mistakes.hpp"
#include "place_note.hpp"

namespace ancora {
namespace {

struct NotedFile {
    std::shared_ptr<const std::string> file;
    std::string note;
    void operator()(const std::string*) const {}
};

std::string with_place(const std::string& message, const Place& place) {
    if (!place.known()) return "error: " + message;
    // on one line, whatever a file is called
    const std::string file = escaped(*place.file);
    if (place.line == 0) return fmt::format("{}: error: {}", file, message);
    const std::string* const note = note_of(place);
    return fmt::format("{}:{}:{}: error: {}{}",
                       file,
                       place.line,
                       place.column,
                       message,
                       note != nullptr ? fmt::format(" ({})", *note) : "");
}

/// What all say, a line or more for each; not without end, since a model may be made by a program.
std::string text_of(const std::vector<Error>& mistakes) {
    std::string text = mistakes.front().what();
    const std::size_t shown = std::min(mistakes.size(), kMostMistakes);
    for (std::size_t i = 1; i < shown; ++i) text += fmt::format("\n{}", mistakes[i].what());
    return text + not_shown(mistakes.size());
}

}  // namespace

std::string not_shown(std::size_t mistakes) {
    return mistakes <= kMostMistakes
               ? ""
               : fmt::format("\nand {} more mistakes", mistakes - kMostMistakes);
}

std::shared_ptr<const std::string> with_note(const std::shared_ptr<const std::string>& file,
                                             std::string note) {
    return {file.get(), NotedFile{file, std::move(note)}};
}

const std::string* note_of(const Place& place) {
    const NotedFile* const noted = std::get_deleter<NotedFile>(place.file);
    return noted != nullptr ? &noted->note : nullptr;
}

Error::Error(ErrorKind kind, const std::string& message, Place place)
    : std::runtime_error(with_place(printable(message), place)),
      kind_(kind),
      message_(printable(message)),
      place_(std::move(place)) {}

Error::Error(std::vector<Error> mistakes)
    : std::runtime_error(text_of(mistakes)),
      kind_(mistakes.front().kind_),
      message_(mistakes.front().message_),
      place_(mistakes.front().place_) {
    if (mistakes.size() > 1)
        mistakes_ = std::make_shared<const std::vector<Error>>(std::move(mistakes));
}

std::span<const Error> Error::mistakes() const {
    if (mistakes_) return *mistakes_;
    return {this, 1};
}

}  // namespace ancora
