// SPDX-License-Identifier: BSD-3-Clause
// A good plugin: conditions that are nonlinear in the velocity, written as one function each. Apart
// from test_written, since `ancora verify` cannot start a system at a speed that it does not know.
#include "test_written.hpp"

namespace {

using namespace ancora;

constexpr TypeDescriptor kTypes[] = {
    type<zoo::Speed>("w_speed",
                     {"keeps a speed, or raises it", "psi = (p'.p' - (c + a t)^2) / 2c"},
                     zoo::Speed::kParameters),
    type<zoo::PlainSpeed>("w_plain_speed",
                          {"keeps a speed, by differences", "psi = (p'.p' - c^2) / 2c"},
                          zoo::PlainSpeed::kParameters),
};

}  // namespace

ANCORA_PLUGIN("test_speed", "1.0.0", kTypes)
