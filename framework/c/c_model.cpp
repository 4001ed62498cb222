// SPDX-License-Identifier: BSD-3-Clause
// Models of the C interface: a text, and values that are set over it.
#include <array>

#include <fmt/format.h>

#include "ancora/framework/manifest_text.hpp"
#include "c_calls.hpp"
#include "file_writer.hpp"
#include "manifest_plugins.hpp"
#include "toml_writer.hpp"

using namespace ancora;

const Manifest& ancora_model::read() {
    if (!manifest) manifest = Manifest::parse(text, file, overrides);
    return *manifest;
}

namespace {

/// A new handle, complete or not there at all.
template <class F>
ancora_status new_model(ancora_session* session,
                        ancora_model** model,
                        F&& fill,
                        const char* name = __builtin_FUNCTION()) {
    if (model != nullptr) *model = nullptr;
    return c::call(
        session,
        [&](ancora_session& it) {
            c::required(model, "model");
            auto made = std::make_unique<ancora_model>();
            made->session = it.session;
            fill(*made);
            *model = made.release();
        },
        name);
}

/// Tries a change on a copy of what is changed.
template <class F>
void change(ancora_model& model, F&& edit) {
    const std::string text = model.text;
    const std::vector<std::string> overrides = model.overrides;
    edit();
    try {
        std::optional<Manifest> manifest;
        if (model.is_complete) manifest = Manifest::parse(model.text, model.file, model.overrides);
        model.manifest = std::move(manifest);
    } catch (...) {
        model.text = text;
        model.overrides = overrides;
        throw;
    }
}

}  // namespace

ancora_status ancora_model_load(ancora_session* session, const char* file, ancora_model** model) {
    return new_model(session, model, [&](ancora_model& it) {
        it.file = c::text_of(file, "file");
        it.text = read_text_file(it.file, "the manifest");
        it.is_complete = true;
        it.read();
    });
}

ancora_status ancora_model_parse(ancora_session* session,
                                 const char* text,
                                 size_t length,
                                 const char* file,
                                 ancora_model** model) {
    return new_model(session, model, [&](ancora_model& it) {
        if (length > 0) it.text.assign(&c::required(text, "text"), length);
        it.file = file != nullptr ? file : "model";
        it.is_complete = true;
        it.read();
    });
}

ancora_status ancora_model_new(ancora_session* session, ancora_model** model) {
    return new_model(session, model, [](ancora_model& it) {
        it.file = "model";
    });
}

void ancora_model_free(ancora_model* model) {
    if (model == nullptr || model->tag != c::Tag::model) return;
    model->tag = c::Tag::none;
    delete model;
}

ancora_status ancora_model_add(ancora_model* model,
                               const char* kind,
                               const char* name,
                               const char* type) {
    return c::call(model, [&](ancora_model& it) {
        const std::string of_kind = c::text_of(kind, "kind");
        constexpr std::array<std::string_view, 4> kKinds = {"body", "constraint", "joint", "force"};
        if (std::ranges::find(kKinds, of_kind) == kKinds.end())
            c::refuse(
                fmt::format("\"{}\" is no kind of object; there are body, constraint, joint and "
                            "force",
                            of_kind));
        const std::string object = fmt::format("\n[[{}]]\nname = {}\ntype = {}\n",
                                               of_kind,
                                               toml_text(c::text_of(name, "name")),
                                               toml_text(c::text_of(type, "type")));
        change(it, [&] {
            it.text += object;
        });
    });
}

ancora_status ancora_model_set(ancora_model* model, const char* assignment) {
    return c::call(model, [&](ancora_model& it) {
        std::string text = c::text_of(assignment, "assignment");
        change(it, [&] {
            it.overrides.push_back(text);
        });
        std::optional<Manifest> manifest = it.manifest;
        try {
            if (!manifest) manifest = Manifest::parse(it.text, it.file, it.overrides);
        } catch (const Error&) {
            return;  // a model that is still being written
        }
        try {
            require_known_key(*manifest, it.session->registry, text);
        } catch (...) {
            change(it, [&] {
                it.overrides.pop_back();
            });
            throw;
        }
    });
}

ancora_status ancora_model_text(ancora_model* model, char* text, size_t capacity, size_t* count) {
    return c::call(model, [&](ancora_model& it) {
        c::put_text(expanded_text(it.read(), it.session->registry), text, capacity, count);
    });
}
