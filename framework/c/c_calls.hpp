// SPDX-License-Identifier: BSD-3-Clause
// What all functions of the C interface share: handles, exceptions as statuses, buffers.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "ancora/ancora.h"
#include "ancora/framework/batch.hpp"
#include "ancora/framework/gradient.hpp"
#include "ancora/framework/manifest.hpp"
#include "ancora/framework/plugin_registry.hpp"
#include "ancora/framework/recorder.hpp"
#include "ancora/framework/simulation.hpp"

namespace ancora::c {

/// What a handle is of: a pointer to something else is then an error and no crash, mostly.
enum class Tag : std::uint64_t {
    none = 0,
    session = 0x616e632d73657373,
    model = 0x616e632d6d6f646c,
    simulation = 0x616e632d73696d75,
    batch = 0x616e632d62617463,
};

/// Lives as long as one of its handles does.
struct Session {
    PluginRegistry registry;
    std::vector<std::filesystem::path> plugin_dirs;
    ancora_warning_callback on_warning = nullptr;
    void* warning_user = nullptr;
    std::string message;
    bool has_functions = false;            ///< of the program, as forces or constraints
    int in_function = 0;                   ///< of these
    std::atomic<std::thread::id> user{};   ///< the thread that is inside a call
    std::atomic<const char*> inside = "";  ///< that call

    void say(std::string_view text) noexcept;
};

/// A call of a session by one thread. What it calls back may call again; others are refused, with a
/// message that only they see.
class InCall {
public:
    InCall(Session& session, const char* name) noexcept;
    ~InCall();
    InCall(const InCall&) = delete;
    InCall& operator=(const InCall&) = delete;
    bool is_refused() const { return is_refused_; }
    /// What this thread was refused with by its last call of the session; empty if it was not.
    static std::string_view refusal(const Session& session) noexcept;

private:
    Session& session_;
    const char* outer_ = "";
    bool is_refused_ = false, is_outer_ = false;
};

/// A buffer is too small; its count has been told.
struct BufferTooSmall {
    std::size_t capacity, needed;
};
/// A callback asked to stop.
struct Stopped {};

[[noreturn]] void refuse(const std::string& message);
/// Turns the exception that is being handled into a status and the session's message.
ancora_status status_of_exception(Session& session) noexcept;

/// What an argument must not be: null.
template <class T>
T& required(T* pointer, const char* name) {
    if (pointer == nullptr) refuse(std::string(name) + " is NULL");
    return *pointer;
}
/// A text of the caller.
std::string text_of(const char* text, const char* name);

template <class T>
void put(T* to, T value) {
    if (to != nullptr) *to = value;
}
/// Values into a buffer of the caller, by the rules of the header.
template <class T, class Buffer>
void put_all(std::span<const T> values, Buffer* to, std::size_t capacity, std::size_t* count) {
    put(count, values.size());
    if (capacity == 0) return;
    if (capacity < values.size()) throw BufferTooSmall{capacity, values.size()};
    if (values.empty()) return;
    if (to == nullptr) refuse("the buffer is NULL, though its capacity is not 0");
    std::copy(values.begin(), values.end(), to);
}
void put_text(std::string_view text, char* to, std::size_t capacity, std::size_t* count);
/// Makes a model of the interface with overrides; the model must outlive it.
ancora::ModelSource source_of(ancora_model& model);
/// How many threads may call functions of the program: one.
int workers_of(const Session& session, std::int32_t wanted);
/// Copies an array of texts.
std::vector<std::string> texts_of(const char* const* texts, std::size_t count, const char* name);
/// How much of a structure the caller knows.
template <class Info>
std::size_t size_of_struct(Info* to, const char* name) {
    const std::size_t size = required(to, name).size;
    // The first member alone is no structure of any version.
    if (size <= sizeof(std::size_t))
        refuse(std::string(name) + ": set its member size to its sizeof first");
    return std::min(size, sizeof(Info));
}
/// A structure of this version into one of the caller's.
template <class Info>
void put_struct(const Info& info, Info* to, const char* name) {
    const std::size_t known = size_of_struct(to, name);
    std::memcpy(reinterpret_cast<std::byte*>(to) + sizeof(std::size_t),
                reinterpret_cast<const std::byte*>(&info) + sizeof(std::size_t),
                known - sizeof(std::size_t));
}

}  // namespace ancora::c

struct ancora_session {
    ancora::c::Tag tag = ancora::c::Tag::session;
    std::shared_ptr<ancora::c::Session> session = std::make_shared<ancora::c::Session>();
};

struct ancora_model {
    ancora::c::Tag tag = ancora::c::Tag::model;
    std::shared_ptr<ancora::c::Session> session;
    std::filesystem::path file;
    std::string text;
    std::vector<std::string> overrides;
    bool is_complete = false;  ///< read as a whole, so that changes are tried at once
    std::optional<ancora::Manifest> manifest;  ///< of text and overrides; read when first wanted
    /// As last asked for.
    std::optional<ancora::Gradient> gradient;
    std::optional<ancora::Fit> fit;

    const ancora::Manifest& read();
};

struct ancora_batch {
    ancora::c::Tag tag = ancora::c::Tag::batch;
    std::shared_ptr<ancora::c::Session> session;
    std::optional<ancora::Batch> batch;
};

struct ancora_simulation {
    ancora::c::Tag tag = ancora::c::Tag::simulation;
    std::shared_ptr<ancora::c::Session> session;
    ancora::Manifest manifest;
    std::optional<ancora::Simulation> simulation;
    std::unique_ptr<ancora::Recorder> recorder;
    std::vector<std::string> columns;
    std::vector<std::string> column_units;
    std::vector<std::string> inputs;
    std::vector<std::string> input_units;
    std::size_t num_coordinates = 0;
    int depth = 0;  ///< of callbacks that are under way
    /// Of the present state, until it changes: asked twice, for the size and for the values.
    std::optional<ancora::Equation> equation;
    std::optional<ancora::Dynamics> dynamics;
    std::vector<std::byte> saved;
    /// As last asked for.
    std::optional<ancora::Equilibrium> rest;
    std::optional<ancora::Modes> modes;
    std::optional<ancora::LinearModel> linear;
    std::optional<ancora::JointSpace> joints;

    void changed() {
        equation.reset();
        dynamics.reset();
        saved.clear();
    }
    ancora::Simulation& steady(const char* call);
};

namespace ancora::c {

inline Tag tag_of(const ancora_session*) {
    return Tag::session;
}
inline Tag tag_of(const ancora_model*) {
    return Tag::model;
}
inline Tag tag_of(const ancora_batch*) {
    return Tag::batch;
}
inline Tag tag_of(const ancora_simulation*) {
    return Tag::simulation;
}

/// Calls `f` with the object behind a handle; what it throws becomes a status and a message.
template <class Handle, class F>
ancora_status call(Handle* handle, F&& f, const char* name = __builtin_FUNCTION()) noexcept {
    if (handle == nullptr || handle->tag != tag_of(handle)) return ANCORA_USAGE;
    const std::shared_ptr<Session> session = handle->session;
    const InCall in_call(*session, name);
    if (in_call.is_refused()) return ANCORA_USAGE;
    session->message.clear();
    if (session->in_function > 0) {
        session->say("a function that is a force or a constraint may call nothing of its session");
        return ANCORA_USAGE;
    }
    try {
        f(*handle);
        return ANCORA_OK;
    } catch (...) {
        return status_of_exception(*session);
    }
}

}  // namespace ancora::c
