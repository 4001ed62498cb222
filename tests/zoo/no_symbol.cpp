// SPDX-License-Identifier: BSD-3-Clause
// Bad: a shared library without a descriptor.

extern "C" [[gnu::visibility("default")]] int something_else() {
    return 1;
}
