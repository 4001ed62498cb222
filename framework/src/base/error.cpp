// SPDX-License-Identifier: BSD-3-Clause
// The text of an error: its place in front of its message.
#include "ancora/framework/error.hpp"

#include <utility>

#include <fmt/format.h>

#include "ancora/framework/printable.hpp"
#include "escaped.hpp"
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

}  // namespace

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

}  // namespace ancora
