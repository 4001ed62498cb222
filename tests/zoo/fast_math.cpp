// SPDX-License-Identifier: BSD-3-Clause
// Bad: linked with -ffast-math, which switches flush to zero on as soon as it is loaded.
#include "test_mass.hpp"

namespace {

using namespace ancora;

constexpr TypeDescriptor kTypes[] = {
    type<zoo::TestMass>("fast_math", {"point mass"}, zoo::TestMass::kParameters),
};

// From version 13 on GCC leaves crtfastmath.o out of shared libraries, as Clang does from 19 on;
// plugins that were linked by older ones are still around, so their start is played here.
#if defined(__x86_64__) && (defined(__clang__) || __GNUC__ >= 13)
[[gnu::constructor]] void flush_to_zero() {
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
}
#endif

}  // namespace

ANCORA_PLUGIN("fast_math", "1.0.0", kTypes)
