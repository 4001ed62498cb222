// SPDX-License-Identifier: BSD-3-Clause
// What a program does when a plugin crashes it, ends it, or does not come back.
#pragma once

#include <exception>
#include <functional>

#include "ancora/framework/export.hpp"

namespace ancora {

/// A crash of a plugin (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT) and exit() from one cannot be
/// thrown through its frames. While a guard lives they become an error that names plugin, object,
/// call and time, a FailedCall where inputs are recorded, which `finish` is called with on the
/// spot: it keeps what it can, says what happened, and returns the status with which the process
/// ends at once, without destructors. If it crashes itself, or takes longer than ten seconds, the
/// process ends with a line that reports it. Crashes outside of a plugin's call are left to their
/// default.
///
/// For programs that own their process, such as `ancora`; a library loaded into another program
/// must not take its signals. Guards nest; the innermost one's `finish` counts. Use one thread.
class ANCORA_FRAMEWORK_EXPORT CrashGuard {
public:
    using Finish = std::function<int(const std::exception_ptr&)>;
    explicit CrashGuard(Finish finish);
    ~CrashGuard();
    CrashGuard(const CrashGuard&) = delete;
    CrashGuard& operator=(const CrashGuard&) = delete;

    /// To be called by a program's own exit(), quick_exit(), _exit() and _Exit(), which take the
    /// place of the C library's for plugins too: ends the process as above if a call is under way.
    static void exit_was_called();
    /// To be called by a handler of a signal that asks the process to end, for the second time:
    /// ends it as above if a plugin's call is under way, with status 130; otherwise returns.
    static void give_up();
    /// To be called by a handler: writes to standard error which call is waited for, if one is.
    static void say_what_is_waited_for();

    int finish(const std::exception_ptr& failure) const;

private:
    Finish finish_;
    CrashGuard* outer_;
};

}  // namespace ancora
