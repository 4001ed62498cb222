// SPDX-License-Identifier: BSD-3-Clause
// Attribution of errors to plugins.
#include "guard.hpp"

#include <exception>
#include <new>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

namespace ancora {
namespace {

std::string when(const double* t) {
    return t != nullptr ? fmt::format("t = {:.9g} s, ", *t) : "";
}

[[noreturn]] void refuse(const ObjectRef& object,
                         const std::string& message,
                         const PluginCall* inputs) {
    if (inputs == nullptr) throw Error(ErrorKind::plugin, message, object.place);
    throw FailedCall(message, object.place, failed_call_text(object, *inputs, message));
}

}  // namespace

void refuse_environment(const ObjectRef& object, const char* call, const double* t) {
    throw Error(ErrorKind::plugin,
                fmt::format("{}{}: {} changed the floating-point environment (rounding, flush to "
                            "zero or exceptions) and did not restore it",
                            when(t),
                            describe(object),
                            call),
                object.place);
}

void refuse_nonfinite(const ObjectRef& object,
                      const char* call,
                      const std::string& what,
                      const double* t,
                      const std::string& where,
                      const PluginCall* inputs) {
    refuse(object,
           fmt::format("{}{}: {} returned {} that is not finite{}{}",
                       when(t),
                       describe(object),
                       call,
                       what,
                       where.empty() ? "" : fmt::format(" ({})", where),
                       inputs == nullptr || bad_entries(inputs->inputs).empty()
                           ? ""
                           : "; its inputs were not finite already"),
           inputs);
}

void refuse_ended(const ObjectRef& object,
                  const char* call,
                  const double* t,
                  const char* what,
                  const PluginCall* inputs) {
    refuse(object, fmt::format("{}{}: {} {}", when(t), describe(object), call, what), inputs);
}

void refuse_call(const ObjectRef& object, const PluginCall& call, const std::string& what) {
    const std::string message = fmt::format("{}: {}", describe(object), what);
    throw FailedCall(message, object.place, failed_call_text(object, call, message));
}

void copy_start_state(const ObjectRef& object,
                      std::span<const double> start,
                      std::span<double> state) {
    for (std::size_t i = 0; i < start.size(); ++i) {
        state[i] = start[i];
        if (!std::isfinite(start[i]))
            refuse_nonfinite(object, "start_state", "a state", nullptr, fmt::format("entry {}", i));
    }
}

std::string BadOutput::where() const {
    using calls::Entries;
    const std::size_t columns = output_.columns;
    switch (output_.entries) {
        case Entries::one:
            return "";
        case Entries::rows:
            return fmt::format("row {}", index_);
        case Entries::matrix:
            return fmt::format("row {}, column {}", index_ / columns, index_ % columns);
        case Entries::numbers:
            return fmt::format("entry {}", index_);
        case Entries::pairs:
            return fmt::format("entry ({}, {})", index_ / columns, index_ % columns);
        case Entries::components:
            return fmt::format("component {}", "xyz"[index_ % 3]);
        case Entries::items: {
            const std::size_t of_item = output_.per_item > 0 ? index_ % output_.per_item : index_;
            const std::string item =
                output_.per_item > 0 ? fmt::format("element {}, ", index_ / output_.per_item) : "";
            return fmt::format("{}row {}, column {}", item, of_item / columns, of_item % columns);
        }
    }
    return "";
}

void rethrow_from_plugin(const ObjectRef& object,
                         const char* call,
                         const double* t,
                         const PluginCall* inputs) {
    const auto refuse_thrown = [&](const std::string& what) {
        refuse(object,
               fmt::format("{}{}: {} threw {}", when(t), describe(object), call, what),
               inputs);
    };
    constexpr std::size_t kNone = std::string_view::npos;
    try {
        throw;
    } catch (const Error&) {
        throw;
    } catch (const std::bad_alloc&) {
        // no fault of the plugin's
        throw Error(ErrorKind::numerical,
                    fmt::format("{}{}: {} found not enough memory; make the model smaller, or give "
                                "the process more",
                                when(t),
                                describe(object),
                                call),
                    object.place);
    } catch (const std::domain_error& error) {
        // Of what the model asks for, such as a formula outside of where it has a value
        throw Error(ErrorKind::numerical,
                    fmt::format("{}{}: {}{}",
                                when(t),
                                object.label,
                                error.what(),
                                std::string_view(error.what()).find("formula") == kNone
                                    ? ""
                                    : "; max, min or if(condition, ...) keep a formula to where "
                                      "it has one"),
                    object.place);
    } catch (const std::exception& error) {
        refuse_thrown(fmt::format("\"{}\"", error.what()));
    } catch (...) {
        refuse_thrown("something that is not a std::exception");
    }
    throw Error(ErrorKind::internal, "unreachable");
}

}  // namespace ancora
