// SPDX-License-Identifier: BSD-3-Clause
// Sessions of the C interface.
#include <stdexcept>

#include <fmt/format.h>

#include "ancora/framework/report.hpp"
#include "ancora/framework/version.hpp"
#include "c_calls.hpp"

using namespace ancora;

namespace {

/// While it lives, a function of the program runs.
class InFunction {
public:
    explicit InFunction(c::Session& session) : session_(session) { ++session_.in_function; }
    ~InFunction() { --session_.in_function; }
    InFunction(const InFunction&) = delete;
    InFunction& operator=(const InFunction&) = delete;

private:
    c::Session& session_;
};

void require_success(int result) {
    if (result != 0) throw std::runtime_error(fmt::format("the function returned {}", result));
}

}  // namespace

const char* ancora_version(void) {
    return version();
}

int32_t ancora_c_interface(void) {
    return ANCORA_C_INTERFACE;
}

ancora_status ancora_session_new(ancora_session** session) {
    if (session == nullptr) return ANCORA_USAGE;
    *session = nullptr;
    try {
        *session = new ancora_session;
        return ANCORA_OK;
    } catch (const std::bad_alloc&) {
        return ANCORA_NUMERICAL;
    } catch (...) {
        return ANCORA_INTERNAL;
    }
}

void ancora_session_free(ancora_session* session) {
    if (session == nullptr || session->tag != c::Tag::session) return;
    session->tag = c::Tag::none;
    delete session;
}

ancora_status ancora_session_message(const ancora_session* session,
                                     char* text,
                                     size_t capacity,
                                     size_t* count) {
    if (session == nullptr || session->tag != c::Tag::session) return ANCORA_USAGE;
    try {
        const std::string_view refusal = c::InCall::refusal(*session->session);
        c::put_text(refusal.empty() ? session->session->message : refusal, text, capacity, count);
        return ANCORA_OK;
    } catch (const c::BufferTooSmall&) {
        return ANCORA_BUFFER;
    } catch (...) {
        return ANCORA_USAGE;
    }
}

ancora_status ancora_session_on_warning(ancora_session* session,
                                        ancora_warning_callback callback,
                                        void* user) {
    return c::call(session, [&](ancora_session& it) {
        it.session->on_warning = callback;
        it.session->warning_user = user;
    });
}

ancora_status ancora_session_add_plugin_folder(ancora_session* session, const char* folder) {
    return c::call(session, [&](ancora_session& it) {
        const std::filesystem::path path = c::text_of(folder, "folder");
        it.session->registry.add_folder(path);
        it.session->plugin_dirs.push_back(path);
    });
}

ancora_status ancora_session_allow_unchecked_folders(ancora_session* session, int allow) {
    return c::call(session, [&](ancora_session& it) {
        it.session->registry.allow_unchecked_folders(allow != 0);
    });
}

ancora_status ancora_session_add_force(ancora_session* session,
                                       const char* type,
                                       ancora_force_function function,
                                       void* user) {
    return c::call(session, [&](ancora_session& it) {
        if (function == nullptr) c::refuse("function is NULL");
        it.session->has_functions = true;
        // The session owns the registry, which owns this.
        it.session->registry.add(
            ForceFunction{c::text_of(type, "type"),
                          [own = it.session.get(), function, user](const FunctionPoint& at,
                                                                   std::span<double> force) {
                              const InFunction running(*own);
                              require_success(function(at.position.size() / 3,
                                                       at.t,
                                                       at.position.data(),
                                                       at.velocity.data(),
                                                       force.data(),
                                                       user));
                          }});
    });
}

ancora_status ancora_session_add_constraint(ancora_session* session,
                                            const char* type,
                                            size_t num_rows,
                                            int depends_on_time,
                                            ancora_constraint_function function,
                                            void* user) {
    return c::call(session, [&](ancora_session& it) {
        if (function == nullptr) c::refuse("function is NULL");
        it.session->has_functions = true;
        constexpr std::size_t kMost = 1 << 20;  // an int; how many there may be the registry says
        it.session->registry.add(ConstraintFunction{
            c::text_of(type, "type"),
            static_cast<int>(std::min(num_rows, kMost)),
            depends_on_time != 0,
            [own = it.session.get(), function, user](
                double t, std::span<const double> position, std::span<double> phi) {
                const InFunction running(*own);
                require_success(
                    function(position.size() / 3, t, position.data(), phi.data(), user));
            }});
    });
}

ancora_status ancora_write_report(ancora_session* session, const char* results, const char* file) {
    return c::call(session, [&](ancora_session&) {
        const std::filesystem::path folder = c::text_of(results, "results");
        write_report({&folder, 1}, c::text_of(file, "file"));
    });
}
