// SPDX-License-Identifier: BSD-3-Clause
// Bad: a static whose destructor crashes, after everything went well.
#include "parts.hpp"

namespace {

using namespace ancora;
using zoo::Rod;

struct Last {
    ~Last() { *nowhere = 1; }
    int* volatile nowhere = nullptr;
};
Last last;

constexpr TypeDescriptor kTypes[] = {
    type<Rod>("crashes_at_end", Rod::kDocs, Rod::kParameters),
};

}  // namespace

ANCORA_PLUGIN("crashes_at_end", "1.0.0", kTypes)
