// SPDX-License-Identifier: BSD-3-Clause
// A good plugin: conditions that are nonlinear in the velocity, written as one function each.
#include "test_written.hpp"

namespace {

using namespace ancora;

constexpr const char* kSource = "tests/zoo/test_written.hpp";
constexpr const char* kExample = "p = \"a@[0.0, 0.0, 0.0]\"\nspeed = 0.7";

constexpr TypeDescriptor kTypes[] = {
    type<zoo::Speed>("w_speed",
                     {.doc = "keeps a speed, or raises it",
                      .equation = "psi = (p'.p' - (c + a t)^2) / 2c",
                      .source = kSource,
                      .examples = {kExample}},
                     zoo::Speed::kParameters),
    type<zoo::PlainSpeed>("w_plain_speed",
                          {.doc = "keeps a speed, by differences",
                           .equation = "psi = (p'.p' - c^2) / 2c",
                           .source = kSource,
                           .examples = {kExample}},
                          zoo::PlainSpeed::kParameters),
};

}  // namespace

ANCORA_PLUGIN("test_speed", "1.0.0", kTypes)
