// SPDX-License-Identifier: BSD-3-Clause
// The text of an error: its place in front of its message.
#include "ancora/framework/error.hpp"

#include <utility>

#include <fmt/format.h>

namespace ancora {
namespace {

std::string with_place(const std::string& message, const Place& place) {
    if (!place.known()) return "error: " + message;
    if (place.line == 0) return fmt::format("{}: error: {}", *place.file, message);
    return fmt::format("{}:{}:{}: error: {}", *place.file, place.line, place.column, message);
}

}  // namespace

Error::Error(ErrorKind kind, const std::string& message, Place place)
    : std::runtime_error(with_place(message, place)),
      kind_(kind),
      message_(message),
      place_(std::move(place)) {}

}  // namespace ancora
