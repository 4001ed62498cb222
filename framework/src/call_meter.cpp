// SPDX-License-Identifier: BSD-3-Clause
// The refusal of a plugin that changes the floating-point environment.
#include "call_meter.hpp"

#include <fmt/format.h>

namespace ancora {

void CallMeter::refuse_environment(const ObjectRef& object, const char* what, double t) {
    throw Error(
        ErrorKind::plugin,
        fmt::format("t = {:.9g} s, {}: {} changed the floating-point environment (rounding, "
                    "flush to zero or exceptions) and did not restore it",
                    t,
                    describe(object),
                    what),
        object.place);
}

}  // namespace ancora
