// SPDX-License-Identifier: BSD-3-Clause
// Bad: the constraint z = 0, whose calls do not come back as soon as time is above 0.005, or write
// to standard output.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "test_plane.hpp"

namespace {

using namespace ancora;

/// Fills the stack.
__attribute__((noinline)) int deepen(volatile char* above, int depth) {
    volatile char room[4096];
    room[0] = above != nullptr ? above[0] : char(1);
    return depth < 0 ? room[0] : deepen(room, depth + 1) + room[0];
}

/// Crashes when the program is done, if it is asked to.
struct LastWords {
    bool crashes = false;
    volatile int* nowhere = nullptr;
    [[gnu::no_sanitize("undefined")]] ~LastWords() {
        if (crashes) *nowhere = 1;
    }
};
LastWords last_words;

class EndsInCall final : public zoo::TestPlane {
public:
    explicit EndsInCall(const Arguments& arguments)
        : TestPlane(arguments), how_(arguments.text("how")) {
        if (how_ == "factory") std::raise(SIGSEGV);
        if (how_ == "after") last_words.crashes = true;
    }

    void evaluate(int block, const RowPoint& at, const RowValues& out) const override {
        if (at.t > 0.005) end();
        TestPlane::evaluate(block, at, out);
    }

private:
    void end() const {
        if (how_ == "memory") write(nowhere_);
        if (how_ == "stack") std::exit(deepen(nullptr, 0));
        if (how_ == "abort") std::abort();
        if (how_ == "terminate")
            std::thread([] {
                throw 1;
            }).join();
        if (how_ == "exit") std::exit(0);
        if (how_ == "quick_exit") std::quick_exit(0);
        if (how_ == "talk") std::puts("a plugin talks");
        if (how_ == "hang") {
            std::fputs("a plugin hangs\n", stderr);
            for (volatile unsigned i = 0;;) i = i + 1;
        }
    }

    // A crash that no sanitizer is to see coming.
    [[gnu::noinline, gnu::no_sanitize("undefined")]] static void write(void* where) {
        *static_cast<volatile int*>(where) = 1;
    }

    std::string how_;
    void* nowhere_ = nullptr;
};

constexpr Parameter kParameters[] = {
    zoo::TestPlane::kParameters[0],
    parameter::text("how",
                    "what it ends by",
                    "factory|after|memory|stack|abort|terminate|exit|quick_exit|talk|hang")
        .required(),
};

constexpr TypeDescriptor kTypes[] = {
    type<EndsInCall>("ends_in_call", {"z = 0"}, kParameters),
};

}  // namespace

ANCORA_PLUGIN("ends_in_call", "1.0.0", kTypes)
