// SPDX-License-Identifier: BSD-3-Clause
// Signals and exit() inside calls of plugins.
#include "ancora/framework/crash_guard.hpp"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "alternate_stack.hpp"
#include "guard.hpp"
#include "present_call.hpp"

namespace ancora {

constinit thread_local const PresentCall* present_call = nullptr;

namespace {

constexpr int kCrashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
constexpr unsigned kMostSeconds = 10;
constexpr int kMostFrames = 64;
constexpr int kPluginStatus = static_cast<int>(ErrorKind::plugin);
constexpr int kInterrupted = 130;

CrashGuard* innermost = nullptr;
// Of the thread that the guard is for: a plugin's own threads are in no call.
const PresentCall* const* owners_call = nullptr;
// The thread that ends the process, 0 as long as none does.
std::atomic<pid_t> ender{0};
static_assert(std::atomic<pid_t>::is_always_lock_free);

const PresentCall* call_under_way() {
    if (present_call != nullptr) return present_call;
    return owners_call != nullptr ? *owners_call : nullptr;
}

const char* what_happened(int signal) {
    switch (signal) {
        case SIGABRT:
            return "aborted the process (a failed assertion, or an exception that nothing caught)";
        case SIGFPE:
            return "crashed: an arithmetic fault such as an integer division by zero";
        case SIGILL:
            return "crashed: an illegal instruction; was it built for another processor?";
        case SIGBUS:
            return "crashed: a bus error; was its file changed while it ran?";
        default:
            return "crashed: it used memory that is not its own";
    }
}

/// Past _exit(), which a program may have replaced to call exit_was_called().
[[noreturn]] void leave(int status) {
    ::syscall(SYS_exit_group, status);
    __builtin_unreachable();
}

/// For handlers: no memory is asked for.
void write_plainly(const char* text) {
    const ssize_t ignored = ::write(STDERR_FILENO, text, std::strlen(text));
    static_cast<void>(ignored);
}

void write_call(const PresentCall& call) {
    write_plainly(call.name);
    write_plainly(" of ");
    write_plainly(call.object->label.c_str());
    write_plainly(" (plugin ");
    write_plainly(call.object->plugin->name.c_str());
    write_plainly(")");
}

/// What went wrong while another failure was dealt with.
[[noreturn]] void end_plainly() {
    write_plainly("error: ");
    if (const PresentCall* const call = call_under_way()) write_call(*call);
    write_plainly(" failed, and what was computed could not be kept\n");
    leave(kPluginStatus);
}

bool ends_here() {
    return ender == ::gettid();
}

/// Makes this thread the one that ends the process. Others that fail meanwhile, as all that share a
/// loop may do, wait until it has.
void begin_to_end() {
    if (ends_here()) end_plainly();
    for (pid_t nobody = 0; !ender.compare_exchange_strong(nobody, ::gettid()); nobody = 0)
        ::pause();
}

/// Ends the process; `call` is under way.
[[noreturn]] void end(const PresentCall& call, const char* what, int status) {
    begin_to_end();
    std::signal(SIGALRM, [](int) {
        end_plainly();
    });
    ::alarm(kMostSeconds);
    std::exception_ptr failure;
    try {
        try {
            PluginCall inputs;
            if (call.record != nullptr) inputs = call.record(call.capture);
            refuse_ended(*call.object, call.name, call.t, what, call.record ? &inputs : nullptr);
        } catch (...) {
            failure = std::current_exception();
        }
        const int own = innermost->finish(failure);
        if (status == 0) status = own;
    } catch (...) {
        end_plainly();
    }
    std::fflush(stdout);
    std::fflush(stderr);
    leave(status);
}

/// The file of the plugin whose code the crash came from, or null: what runs outside of calls is a
/// destructor of static objects, or a thread of its own.
const char* plugin_on_stack() {
    void* frames[kMostFrames];
    const int count = ::backtrace(frames, kMostFrames);
    for (int i = 0; i < count; ++i) {
        Dl_info info = {};
        if (::dladdr(frames[i], &info) == 0 || info.dli_fname == nullptr) continue;
        void* const library = ::dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
        if (library == nullptr) continue;
        if (::dlsym(library, "ancora_plugin_descriptor") != nullptr) return info.dli_fname;
    }
    return nullptr;
}

/// Ends the process after a crash when the program is done.
[[noreturn]] void end_outside(const char* file, const char* what) {
    begin_to_end();
    write_plainly("error: the plugin ");
    write_plainly(file);
    write_plainly(" ");
    write_plainly(what);
    write_plainly(
        ", when the program was done: in the destructor of a static object, or a thread of its "
        "own; what was written before is complete\n");
    leave(kPluginStatus);
}

extern "C" void on_crash(int signal) {
    if (const PresentCall* const call = call_under_way(); call != nullptr && innermost != nullptr)
        end(*call, what_happened(signal), 0);
    if (innermost == nullptr)
        if (const char* const file = plugin_on_stack()) end_outside(file, what_happened(signal));
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

/// Takes the signals, on a stack of their own, since the other one may be what is full.
void install() {
    static bool is_installed = false;
    if (is_installed) return;
    is_installed = true;
    owners_call = &present_call;
    void* frame = nullptr;
    ::backtrace(&frame, 1);  // loads what it needs while there is memory
    // Kept for what crashes when the program is done.
    static const AlternateStack* const kStack = new AlternateStack;
    static_cast<void>(kStack);
    for (const int signal : kCrashes) {
        struct sigaction action = {};
        action.sa_handler = &on_crash;
        action.sa_flags = SA_ONSTACK | SA_NODEFER;
        ::sigaction(signal, &action, nullptr);
    }
}

}  // namespace

CrashGuard::CrashGuard(Finish finish) : finish_(std::move(finish)), outer_(innermost) {
    innermost = this;
    install();
}

CrashGuard::~CrashGuard() {
    innermost = outer_;
}

int CrashGuard::finish(const std::exception_ptr& failure) const {
    return finish_(failure);
}

void CrashGuard::exit_was_called() {
    if (const PresentCall* const call = call_under_way();
        call != nullptr && innermost != nullptr && !ends_here())
        end(*call, "called exit(), which ends the program", 0);
}

void CrashGuard::give_up() {
    if (const PresentCall* const call = call_under_way(); call != nullptr && innermost != nullptr)
        end(*call, "did not come back, and the run was ended", kInterrupted);
}

void CrashGuard::say_what_is_waited_for() {
    const PresentCall* const call = call_under_way();
    if (call == nullptr || ender != 0) return;
    write_plainly("waiting for ");
    write_call(*call);
    write_plainly("; a second signal ends the run with what was computed\n");
}

}  // namespace ancora
