// SPDX-License-Identifier: BSD-3-Clause
// Bad: a static initialiser throws as soon as the library is opened.
#include "parts.hpp"

namespace {

using namespace ancora;
using zoo::Rod;

double table() {
    throw std::runtime_error("no table today");
}
[[gnu::used]] const double kTable = table();

constexpr TypeDescriptor kTypes[] = {
    type<Rod>("loaded_rod", Rod::kDocs, Rod::kParameters),
};

}  // namespace

ANCORA_PLUGIN("throws_at_load", "1.0.0", kTypes)
