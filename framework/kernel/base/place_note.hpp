// SPDX-License-Identifier: BSD-3-Clause
// Places of objects that [[generate]] made: which of them it is.
#pragma once

#include <memory>
#include <string>

#include "ancora/framework/error.hpp"

namespace ancora {

/// The same file name with a note such as "i = 3", which messages end with. It travels in the
/// pointer's deleter, so that the places of all other values do not grow by it.
std::shared_ptr<const std::string> with_note(const std::shared_ptr<const std::string>& file,
                                             std::string note);

/// The note of a place; null if it has none.
const std::string* note_of(const Place& place);

}  // namespace ancora
