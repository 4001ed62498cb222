// SPDX-License-Identifier: BSD-3-Clause
// Notices when foreign code changes how this thread computes with floating-point numbers.
#pragma once

#include <cstdint>
#include <string>

#if defined(__x86_64__)
#include <xmmintrin.h>
#elif !defined(__aarch64__)
#include <cfenv>
#endif

namespace ancora {

/// The settings of the processor's floating-point unit for the calling thread: rounding, flush to
/// zero, and which exceptions trap. Flags of exceptions that happened are not part of it.
///
///   const FpEnvironment before = FpEnvironment::capture();
///   call_foreign_code();
///   if (before.differs()) before.restore();
///
/// Each function costs a few nanoseconds, so it may stand around every call of a plugin.
class FpEnvironment {
public:
    static FpEnvironment capture() {
        FpEnvironment now;
#if defined(__x86_64__)
        now.main_ = _mm_getcsr() & ~kFlags;
        asm volatile("fnstcw %0" : "=m"(now.x87_));
#elif defined(__aarch64__)
        asm volatile("mrs %0, fpcr" : "=r"(now.main_));
#else
        now.main_ = static_cast<std::uint64_t>(std::fegetround());
#endif
        return now;
    }

    /// True if the thread's settings are no longer these.
    bool differs() const {
        const FpEnvironment now = capture();
        return now.main_ != main_ || now.x87_ != x87_;
    }

    /// Puts these settings back; the flags of exceptions stay as they are.
    void restore() const {
#if defined(__x86_64__)
        _mm_setcsr(static_cast<std::uint32_t>(main_) | (_mm_getcsr() & kFlags));
        asm volatile("fldcw %0" : : "m"(x87_));
#elif defined(__aarch64__)
        asm volatile("msr fpcr, %0" : : "r"(main_));
#else
        std::fesetround(static_cast<int>(main_));
#endif
    }

    /// What is different now, in words: "flush to zero, rounding". Empty if nothing is.
    std::string changes() const;

private:
    FpEnvironment() = default;

#if defined(__x86_64__)
    static constexpr std::uint32_t kFlags = 0x3f;  // exceptions that happened, in MXCSR
#endif

    std::uint64_t main_ = 0;  // MXCSR, FPCR, or the rounding direction
    std::uint16_t x87_ = 0;   // control word of the x87 unit, which computes in long double
};

}  // namespace ancora
