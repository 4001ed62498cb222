// SPDX-License-Identifier: BSD-3-Clause
// Bad: it greets, and takes a signal, when it is opened.
#include <csignal>
#include <cstdio>

#include "parts.hpp"

namespace {

using namespace ancora;
using zoo::Rod;

const bool has_acted = [] {
    std::puts("welcome");
    std::signal(SIGTERM, SIG_IGN);
    return true;
}();

constexpr TypeDescriptor kTypes[] = {
    type<Rod>("acts_at_load", Rod::kDocs, Rod::kParameters),
};

}  // namespace

ANCORA_PLUGIN("acts_at_load", "1.0.0", kTypes)
