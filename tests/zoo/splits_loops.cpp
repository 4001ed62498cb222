// SPDX-License-Identifier: BSD-3-Clause
// Euler's method with a long loop that the kernel's threads share. Good; or bad in the loop's last
// turn, which is another thread's where there are several, or in all, as soon as time is above
// 0.005.
#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "ancora/sdk/plugin.hpp"

namespace {

using namespace ancora;

constexpr std::size_t kCount = 100'000;

class SplitsLoops final : public Integrator {
public:
    explicit SplitsLoops(const Arguments& arguments) : how_(arguments.text("how")) {}
    IntegratorTraits traits() const override { return {.face = Face::continuous}; }
    void prepare(const System& system, const StepSettings&) override {
        const auto size = static_cast<std::size_t>(system.continuous()->size().num_states);
        for (std::vector<double>* x : {&x_, &dx_}) x->assign(size, 0.0);
        turns_.assign(kCount, 0);
    }
    void step(System& system, double t0, double h) override {
        std::ranges::fill(turns_, 0);
        system.split(kCount, [this, t0](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) ++turns_[i];
            if (t0 > 0.005) fail(begin, end);
        });
        if (std::ranges::any_of(turns_, [](int turns) {
                return turns != 1;
            }))
            system.refuse(t0, "a turn was not made once");
        system.continuous()->read_state(x_);
        system.continuous()->derivative(t0, x_, dx_);
        for (std::size_t i = 0; i < x_.size(); ++i) x_[i] += h * dx_[i];
        system.continuous()->accept_state(t0, t0 + h, x_);
    }

private:
    void fail(std::size_t begin, std::size_t end) const {
        if (how_ == "memory in all") write(nowhere_);
        if (how_ == "throw") throw std::runtime_error("a loop fails at " + std::to_string(begin));
        if (end != kCount) return;
        if (how_ == "memory") write(nowhere_);
        if (how_ == "stack") std::exit(deepen(nullptr, 0));
    }
    // Fills the stack.
    __attribute__((noinline)) static int deepen(volatile char* above, int depth) {
        volatile char room[4096];
        room[0] = above != nullptr ? above[0] : char(1);
        return depth < 0 ? room[0] : deepen(room, depth + 1) + room[0];
    }
    // A crash that no sanitizer is to see coming.
    [[gnu::noinline, gnu::no_sanitize("undefined")]] static void write(void* where) {
        *static_cast<volatile int*>(where) = 1;
    }

    std::string how_;
    void* nowhere_ = nullptr;
    std::vector<double> x_, dx_;
    std::vector<int> turns_;
};

constexpr Parameter kParameters[] = {
    parameter::text("how", "what goes wrong", "nothing|memory|memory in all|stack|throw")
        .required(),
};

constexpr TypeDescriptor kTypes[] = {
    type<SplitsLoops>("splits_loops",
                      {.doc = "Euler's method, with a long loop",
                       .equation = "x1 = x0 + h x0'",
                       .source = "made for tests",
                       .tolerance = "not used",
                       .examples = {"how = \"nothing\""},
                       .order = 1},
                      kParameters),
};

}  // namespace

ANCORA_PLUGIN("splits_loops", "1.0.0", kTypes)
