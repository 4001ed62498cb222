// SPDX-License-Identifier: BSD-3-Clause
// The message of a call that is refused.
#pragma once

#include <string>

#include "ancora/framework/error.hpp"

namespace ancora::testing {

/// What `call` throws, in words.
template <class Call>
std::string refusal(const Call& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    return "nothing was thrown";
}

inline bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace ancora::testing
