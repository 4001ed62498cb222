// SPDX-License-Identifier: BSD-3-Clause
// Exceptions as statuses, and texts of callers.
#include "c_calls.hpp"

#include <new>

#include <fmt/format.h>

#include "ancora/framework/error.hpp"

namespace ancora::c {

void Session::say(std::string_view text) noexcept {
    // A message that is about one call alone needs no word "error" in front.
    constexpr std::string_view kPrefix = "error: ";
    if (text.starts_with(kPrefix)) text.remove_prefix(kPrefix.size());
    try {
        message = text;
    } catch (...) {
        message.clear();
    }
}

void refuse(const std::string& message) {
    throw Error(ErrorKind::usage, message);
}

ancora_status status_of_exception(Session& session) noexcept {
    try {
        throw;
    } catch (const Stopped&) {
        return ANCORA_STOPPED;
    } catch (const BufferTooSmall& buffer) {
        try {
            session.say(fmt::format(
                "the buffer has room for {}, and {} are needed", buffer.capacity, buffer.needed));
        } catch (...) {
        }
        return ANCORA_BUFFER;
    } catch (const Error& error) {
        session.say(error.what());
        return static_cast<ancora_status>(error.kind());
    } catch (const std::bad_alloc&) {
        session.say("there is not enough memory for this");
        return ANCORA_NUMERICAL;
    } catch (const std::length_error&) {
        session.say("there is not enough memory for this");
        return ANCORA_NUMERICAL;
    } catch (const std::exception& error) {
        session.say(error.what());
        return ANCORA_INTERNAL;
    } catch (...) {
        session.say("an exception that is none of C++'s own");
        return ANCORA_INTERNAL;
    }
}

std::string text_of(const char* text, const char* name) {
    return &required(text, name);
}

void put_text(std::string_view text, char* to, std::size_t capacity, std::size_t* count) {
    put(count, text.size());
    if (capacity == 0) return;
    if (capacity <= text.size()) throw BufferTooSmall{capacity, text.size() + 1};
    if (to == nullptr) refuse("the buffer is NULL, though its capacity is not 0");
    std::copy(text.begin(), text.end(), to);
    to[text.size()] = '\0';
}

}  // namespace ancora::c
