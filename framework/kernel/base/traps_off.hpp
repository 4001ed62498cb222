// SPDX-License-Identifier: BSD-3-Clause
// Frees the kernel of the traps of a program that embeds it.
#pragma once

#include <cfenv>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace ancora {

/// Stands at the head of each function of the public interface that computes. Some programs that
/// embed the kernel let a division by zero or a NaN end in a signal; here infinities are values,
/// as limits of parameters or of friction, and what is wrong gets a message.
///
/// While it lives nothing traps; then the caller has his settings and flags again. Without traps,
/// as in nearly every program, it costs a few nanoseconds and leaves all alone.
class TrapsOff {
public:
    TrapsOff() : has_traps_(has_traps()) {
        if (has_traps_) std::feholdexcept(&before_);
    }
    // flags that were raised meanwhile go, since on the x87 unit they would trap at once
    ~TrapsOff() {
        if (has_traps_) std::fesetenv(&before_);
    }
    TrapsOff(const TrapsOff&) = delete;
    TrapsOff& operator=(const TrapsOff&) = delete;

private:
    static bool has_traps() {
#if defined(__x86_64__)
        constexpr unsigned kMasks = 0x1f80;     // of MXCSR: exceptions that do not trap
        constexpr unsigned kX87Masks = 0x003f;  // of the x87 unit's control word
        unsigned short x87 = 0;
        asm volatile("fnstcw %0" : "=m"(x87));
        return (_mm_getcsr() & kMasks) != kMasks || (x87 & kX87Masks) != kX87Masks;
#elif defined(__GLIBC__)
        return ::fegetexcept() != 0;
#else
        return false;
#endif
    }

    bool has_traps_;
    std::fenv_t before_{};  // if it has
};

}  // namespace ancora
