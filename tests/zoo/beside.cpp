// SPDX-License-Identifier: BSD-3-Clause
// Good: a library without a note, that a plugin is linked with.
#include <cstdlib>

extern "C" [[gnu::visibility("default")]] int ancora_test_beside() {
    return 42;
}

[[gnu::constructor]] static void say_so() {
    ::setenv("ANCORA_TEST_BESIDE", "1", 1);
}
