// SPDX-License-Identifier: BSD-3-Clause
// Sessions of the C interface.
#include "ancora/framework/report.hpp"
#include "ancora/framework/version.hpp"
#include "c_calls.hpp"

using namespace ancora;

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
        c::put_text(session->session->message, text, capacity, count);
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

ancora_status ancora_write_report(ancora_session* session, const char* results, const char* file) {
    return c::call(session, [&](ancora_session&) {
        const std::filesystem::path folder = c::text_of(results, "results");
        write_report({&folder, 1}, c::text_of(file, "file"));
    });
}
