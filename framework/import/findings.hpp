// SPDX-License-Identifier: BSD-3-Clause
// What is found wrong with a description, or has no counterpart.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ancora/framework/error.hpp"

namespace ancora::robot {

/// Mistakes are gathered, so that one call tells all of them.
class Findings {
public:
    explicit Findings(bool is_lenient) : is_lenient_(is_lenient) {}

    bool is_lenient() const { return is_lenient_; }

    /// The description is damaged: an error in any case.
    void damaged(const Place& place, const std::string& message);
    /// Something has no counterpart: an error that says how to mend it, or left out.
    void no_counterpart(const Place& place, const std::string& what, const std::string& mend);
    /// A file is missing or cannot be used: likewise.
    void no_file(const Place& place, const std::string& what, const std::string& mend);
    /// Something has no part in the motion, or is kept as a comment; alike ones are counted.
    void note(const std::string& text, const Place& place);

    /// @throws Error with all mistakes
    void throw_mistakes() const;

    std::vector<std::string> notes() const;
    const std::vector<std::string>& left_out() const { return left_out_; }

private:
    void add(const Error& mistake);
    void left(ErrorKind kind, const Place& place, const std::string& what, const std::string& mend);

    struct Note {
        std::string text;
        Place first;
        int count;
    };
    bool is_lenient_;
    std::vector<Error> mistakes_;
    std::vector<std::string> left_out_;
    std::vector<Note> notes_;
};

}  // namespace ancora::robot
