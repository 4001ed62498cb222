// SPDX-License-Identifier: BSD-3-Clause
// Errors and warnings for people: with the line of the file that they are about, and in colour on
// a terminal.
#pragma once

#include <string>

#include "ancora/framework/error.hpp"

namespace ancora::command {

/// Writes an error to standard error: each of its mistakes, and below it the line of the file in
/// which it stands, with a caret.
void write_error(const Error& error);

/// Writes "warning: MESSAGE" to standard error.
void write_warning(const std::string& message);

}  // namespace ancora::command
