// SPDX-License-Identifier: BSD-3-Clause
// hypot() by the name that glibc has had for it from the beginning. Version 2.35 gave it a second
// name, for a function that differs in errno alone: what is linked with that one does not load on
// older systems, and an FMU is to run where it was not built. The linker leads calls of hypot()
// here (--wrap).
#include <features.h>  // defines __GLIBC__

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the linker's names
extern "C" {

#if defined(__GLIBC__) && defined(__x86_64__)
double ancora_first_hypot(double, double);
__asm__(".symver ancora_first_hypot, hypot@GLIBC_2.2.5");
#elif defined(__GLIBC__) && defined(__aarch64__)
double ancora_first_hypot(double, double);
__asm__(".symver ancora_first_hypot, hypot@GLIBC_2.17");
#else
double __real_hypot(double, double);
#define ancora_first_hypot __real_hypot
#endif

double __wrap_hypot(double x, double y);
double __wrap_hypot(double x, double y) {
    return ancora_first_hypot(x, y);
}
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
