// SPDX-License-Identifier: BSD-3-Clause
// Errors of the kernel: what, where, and the exit status that the command gives them.
#pragma once

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "ancora/framework/export.hpp"

namespace ancora {

/// A place in a text file; line and column count from 1, line 0 means the file as a whole. A value
/// that was made in code has no file.
struct Place {
    std::shared_ptr<const std::string> file;
    int line = 0;
    int column = 0;

    bool known() const { return file != nullptr; }
};

/// Kinds of errors; the numbers are the exit statuses of the `ancora` command.
enum class ErrorKind {
    internal = 1,
    usage = 2,
    manifest = 3,
    plugin = 4,
    numerical = 5,
    file = 6,
};

/// The one exception type that the kernel throws. what() is the whole message with its place in
/// front, "FILE:LINE:COLUMN: error: MESSAGE" where a place is known, "error: MESSAGE" elsewhere.
class ANCORA_FRAMEWORK_EXPORT Error : public std::runtime_error {
public:
    Error(ErrorKind kind, const std::string& message, Place place = {});
    /// Several mistakes at once, at least one: what() has them all, one after the other; kind,
    /// message and place are those of the first.
    explicit Error(std::vector<Error> mistakes);

    /// The mistakes one by one; most errors are one alone.
    std::span<const Error> mistakes() const;

    ErrorKind kind() const { return kind_; }
    const std::string& message() const { return message_; }
    const Place& place() const { return place_; }

private:
    ErrorKind kind_;
    std::string message_;
    Place place_;
    std::shared_ptr<const std::vector<Error>> mistakes_;  ///< null: this one alone
};

}  // namespace ancora
