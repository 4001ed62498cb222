// SPDX-License-Identifier: BSD-3-Clause
// Steps by the processor's trap flag: a signal after each instruction.
#include "interleave.hpp"

#include <atomic>
#include <csignal>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <sched.h>
#include <semaphore.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define ANCORA_CAN_STEP 1
#endif

namespace ancora::verify {

struct Interleave::Impl {
    std::pair<std::uintptr_t, std::uintptr_t> code;
    std::vector<const std::uintptr_t*> watched;
    std::vector<std::uintptr_t> last;
    struct sigaction before = {};

    std::size_t steps = 0;
    std::size_t stop_at = 0;  // 0: nowhere
    std::vector<std::size_t> changes;
    bool waited = false;

    sem_t go = {};
    std::atomic<bool> is_done{false};
    std::atomic<bool> is_over{false};
    std::atomic<bool> is_running{false};
    std::atomic<int> worker_id{0};
    const std::function<void()>* second = nullptr;
    std::thread worker;

    void look() {
        for (std::size_t k = 0; k < watched.size(); ++k)
            if (*watched[k] != last[k]) {
                last[k] = *watched[k];
                if (changes.empty() || changes.back() != steps) {
                    // the room was made before: nothing is allocated in a signal
                    if (changes.size() < changes.capacity()) changes.push_back(steps);
                }
            }
    }
};

#ifdef ANCORA_CAN_STEP
namespace {

constexpr long kTrapFlag = 0x100;
constexpr double kGlance = 1e-3;   // [s], between looks at whether the second call sleeps
constexpr double kPatience = 2.0;  // [s], with one that waits without sleeping

void* current_impl = nullptr;

double now() {
    timespec t = {};
    ::clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

void start_stepping() {
    asm volatile(
        "lea -128(%%rsp), %%rsp; pushfq; orq $0x100, (%%rsp); popfq; lea 128(%%rsp), "
        "%%rsp" ::
            : "cc", "memory");
}
void stop_stepping() {
    asm volatile(
        "lea -128(%%rsp), %%rsp; pushfq; andq $-257, (%%rsp); popfq; lea 128(%%rsp), "
        "%%rsp" ::
            : "cc", "memory");
}

/// Whether a thread of this process waits for something. In a signal: nothing is allocated.
bool sleeps(int thread) {
    char path[64] = "/proc/self/task/";
    char digits[16];
    int count = 0;
    for (int rest = thread; rest > 0; rest /= 10)
        digits[count++] = static_cast<char>('0' + rest % 10);
    std::size_t at = std::strlen(path);
    while (count > 0) path[at++] = digits[--count];
    std::memcpy(path + at, "/stat", 6);
    const int file = ::open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    char text[256] = {};
    const ssize_t size = ::read(file, text, sizeof(text) - 1);
    ::close(file);
    if (size <= 0) return false;
    // "12 (name) S ..."
    const char* const state = std::strrchr(text, ')');
    return state != nullptr && state[1] == ' ' && state[2] == 'S';
}

template <class Impl>
void on_step(int, siginfo_t*, void* where) {
    auto& context = *static_cast<ucontext_t*>(where);
    auto& impl = *static_cast<Impl*>(current_impl);
    const auto at = static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
    if (at < impl.code.first || at >= impl.code.second) return;
    ++impl.steps;
    if (impl.stop_at == 0) {
        impl.look();
        return;
    }
    if (impl.steps != impl.stop_at) return;
    context.uc_mcontext.gregs[REG_EFL] &= ~kTrapFlag;
    ::sem_post(&impl.go);
    const double start = now();
    double glance = start;
    int asleep = 0;
    while (!impl.is_done.load()) {
        ::sched_yield();
        const double time = now();
        if (time - glance < kGlance) continue;
        glance = time;
        // at a lock it sleeps; on a busy machine it only has not come to its turn
        asleep = impl.is_running.load() && sleeps(impl.worker_id.load()) ? asleep + 1 : 0;
        if (asleep < 3 && time - start < kPatience) continue;
        impl.waited = true;
        return;
    }
}

}  // namespace

bool Interleave::is_there() {
    return true;
}

Interleave::Interleave(std::pair<std::uintptr_t, std::uintptr_t> code,
                       std::vector<const std::uintptr_t*> watched)
    : impl_(new Impl) {
    impl_->code = code;
    impl_->watched = std::move(watched);
    impl_->changes.reserve(1024);
    ::sem_init(&impl_->go, 0, 0);
    current_impl = impl_;
    struct sigaction action = {};
    action.sa_sigaction = on_step<Impl>;
    action.sa_flags = SA_SIGINFO;
    ::sigaction(SIGTRAP, &action, &impl_->before);
    impl_->worker = std::thread([this] {
        impl_->worker_id = static_cast<int>(::gettid());
        for (;;) {
            while (::sem_wait(&impl_->go) != 0) {
            }
            if (impl_->is_over) return;
            impl_->is_running = true;
            (*impl_->second)();
            impl_->is_running = false;
            impl_->is_done = true;
        }
    });
}

Interleave::~Interleave() {
    impl_->is_over = true;
    ::sem_post(&impl_->go);
    impl_->worker.join();
    ::sigaction(SIGTRAP, &impl_->before, nullptr);
    ::sem_destroy(&impl_->go);
    delete impl_;
}

Interleave::Steps Interleave::count(const std::function<void()>& first) {
    impl_->steps = 0;
    impl_->stop_at = 0;
    impl_->changes.clear();
    impl_->last.clear();
    for (const std::uintptr_t* word : impl_->watched) impl_->last.push_back(*word);
    start_stepping();
    first();
    stop_stepping();
    return {impl_->steps, impl_->changes};
}

bool Interleave::run(const std::function<void()>& first,
                     const std::function<void()>& second,
                     std::size_t at) {
    impl_->steps = 0;
    impl_->stop_at = at;
    impl_->waited = false;
    impl_->is_done = false;
    impl_->second = &second;
    start_stepping();
    first();
    stop_stepping();
    // one that ended before it was stopped lets the other one run now
    if (impl_->steps < at) ::sem_post(&impl_->go);
    while (!impl_->is_done) ::sched_yield();
    return !impl_->waited;
}

#else

bool Interleave::is_there() {
    return false;
}
Interleave::Interleave(std::pair<std::uintptr_t, std::uintptr_t>,
                       std::vector<const std::uintptr_t*>)
    : impl_(nullptr) {}
Interleave::~Interleave() = default;
Interleave::Steps Interleave::count(const std::function<void()>& first) {
    first();
    return {};
}
bool Interleave::run(const std::function<void()>& first,
                     const std::function<void()>& second,
                     std::size_t) {
    first();
    second();
    return true;
}

#endif

}  // namespace ancora::verify
