// SPDX-License-Identifier: BSD-3-Clause
// How this thread computes with floating-point numbers: noticed when foreign code changes it, and
// freed of the host's traps.
#pragma once

#include <cfenv>
#include <cstdint>
#include <string>

#if defined(__x86_64__)
#include <xmmintrin.h>
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

    /// True if an exception, such as a division by zero, would end in a signal.
    bool has_traps() const {
#if defined(__x86_64__)
        return (main_ & kMasks) != kMasks || (x87_ & kX87Masks) != kX87Masks;
#elif defined(__aarch64__)
        return (main_ & kTraps) != 0;
#else
        return false;
#endif
    }

    /// What is different now, in words: "flush to zero, rounding". Empty if nothing is.
    std::string changes() const;

private:
    FpEnvironment() = default;

#if defined(__x86_64__)
    static constexpr std::uint32_t kFlags = 0x3f;    // exceptions that happened, in MXCSR
    static constexpr std::uint32_t kMasks = 0x1f80;  // exceptions that do not trap, likewise
    static constexpr std::uint16_t kX87Masks = 0x3f;
#elif defined(__aarch64__)
    static constexpr std::uint64_t kTraps = 0x9f00;
#endif

    std::uint64_t main_ = 0;  // MXCSR, FPCR, or the rounding direction
    std::uint16_t x87_ = 0;   // control word of the x87 unit, which computes in long double
};

/// Stands at the head of each function of the public interface that computes. Some programs that
/// embed the kernel let a division by zero or a NaN end in a signal; here infinities are values,
/// as limits of parameters or of friction, and what is wrong gets a message.
///
/// While it lives nothing traps; then the caller has his settings and flags again. Without traps,
/// as in nearly every program, it costs a few nanoseconds and leaves all alone.
class TrapsOff {
public:
    TrapsOff() : has_traps_(FpEnvironment::capture().has_traps()) {
        if (has_traps_) std::feholdexcept(&before_);
    }
    // flags that were raised meanwhile go, since on the x87 unit they would trap at once
    ~TrapsOff() {
        if (has_traps_) std::fesetenv(&before_);
    }
    TrapsOff(const TrapsOff&) = delete;
    TrapsOff& operator=(const TrapsOff&) = delete;

private:
    bool has_traps_;
    std::fenv_t before_;  // if it has
};

}  // namespace ancora
