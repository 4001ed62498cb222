// SPDX-License-Identifier: BSD-3-Clause
// The C library's ways to end a process, replaced so that a plugin that takes one is named.
#include <cstdlib>

#include <dlfcn.h>
#include <unistd.h>

#include "ancora/framework/crash_guard.hpp"

namespace {

/// What the program would have called without these.
[[noreturn]] void call_next(const char* name, int status) {
    ancora::CrashGuard::exit_was_called();
    using Exit = void (*)(int);
    reinterpret_cast<Exit>(::dlsym(RTLD_NEXT, name))(status);
    __builtin_unreachable();
}

}  // namespace

// The executable comes first where a library's names are looked up.
extern "C" {
__attribute__((visibility("default"))) void exit(int status) noexcept {
    call_next("exit", status);
}
__attribute__((visibility("default"))) void quick_exit(int status) noexcept {
    call_next("quick_exit", status);
}
__attribute__((visibility("default"))) void _exit(int status) {
    call_next("_exit", status);
}
__attribute__((visibility("default"))) void _Exit(int status) noexcept {
    call_next("_Exit", status);
}
}
