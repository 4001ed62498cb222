// SPDX-License-Identifier: BSD-3-Clause
// Attribution of errors to plugins.
#include "object.hpp"

#include <exception>

#include <fmt/format.h>

namespace ancora {

std::string describe(const ObjectRef& object) {
    return fmt::format("{} (type {} of plugin {} {})",
                       object.label,
                       object.type->name,
                       object.plugin->name,
                       object.plugin->version);
}

void rethrow_from_plugin(const ObjectRef& object, const char* call, const double* t) {
    const std::string when = t != nullptr ? fmt::format("t = {:.9g} s, ", *t) : "";
    const auto refuse = [&](const std::string& what) {
        throw Error(ErrorKind::plugin,
                    fmt::format("{}{}: {} threw {}", when, describe(object), call, what),
                    object.place);
    };
    try {
        throw;
    } catch (const Error&) {
        throw;
    } catch (const std::exception& error) {
        refuse(fmt::format("\"{}\"", error.what()));
    } catch (...) {
        refuse("something that is not a std::exception");
    }
    throw Error(ErrorKind::internal, "unreachable");
}

}  // namespace ancora
