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

namespace {

struct Refusal {
    const Session* of = nullptr;
    std::string text;
};
thread_local Refusal last_refusal;

}  // namespace

InCall::InCall(Session& session, const char* name) noexcept : session_(session) {
    const std::thread::id me = std::this_thread::get_id();
    std::thread::id nobody{};
    const bool is_inner = session.user.load() == me;
    if (is_inner || session.user.compare_exchange_strong(nobody, me)) {
        is_outer_ = !is_inner;
        outer_ = session.inside.exchange(name);
        if (last_refusal.of == &session) last_refusal = {};
        return;
    }
    is_refused_ = true;
    try {
        const char* const other = session.inside.load();
        last_refusal = {
            &session,
            fmt::format("{}: another thread is inside {} of the same session; a session with its "
                        "models and simulations is used by one thread at a time: make one for each "
                        "thread, or let one wait for the other",
                        name,
                        *other == '\0' ? "a call" : other)};
    } catch (...) {
        last_refusal = {};
    }
}

InCall::~InCall() {
    if (is_refused_) return;
    session_.inside = outer_;
    if (is_outer_) session_.user = std::thread::id{};
}

std::string_view InCall::refusal(const Session& session) noexcept {
    return last_refusal.of == &session ? std::string_view(last_refusal.text) : std::string_view();
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

std::vector<std::string> texts_of(const char* const* texts, std::size_t count, const char* name) {
    std::vector<std::string> out;
    if (count > 0) required(texts, name);
    for (std::size_t i = 0; i < count; ++i) out.push_back(text_of(texts[i], name));
    return out;
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
