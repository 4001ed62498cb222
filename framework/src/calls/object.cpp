// SPDX-License-Identifier: BSD-3-Clause
// Attribution of errors to plugins.
#include "object.hpp"

#include <exception>
#include <new>

#include <fmt/format.h>

namespace ancora {

std::string describe(const ObjectRef& object) {
    return fmt::format("{} (type {} of plugin {} {})",
                       object.label,
                       object.type->name,
                       object.plugin->name,
                       object.plugin->version);
}

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

void rethrow_from_plugin(const ObjectRef& object,
                         const char* call,
                         const double* t,
                         const PluginCall* inputs) {
    const auto refuse_thrown = [&](const std::string& what) {
        refuse(object,
               fmt::format("{}{}: {} threw {}", when(t), describe(object), call, what),
               inputs);
    };
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
    } catch (const std::exception& error) {
        refuse_thrown(fmt::format("\"{}\"", error.what()));
    } catch (...) {
        refuse_thrown("something that is not a std::exception");
    }
    throw Error(ErrorKind::internal, "unreachable");
}

}  // namespace ancora
