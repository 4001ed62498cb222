// SPDX-License-Identifier: BSD-3-Clause
// A stack for handlers of signals, since the thread's own may be what is full.
#pragma once

#include <csignal>
#include <cstddef>
#include <memory>
#include <new>

namespace ancora {

/// Of the thread that makes it, until it ends; without memory there is none.
class AlternateStack {
public:
    AlternateStack() : memory_(new (std::nothrow) char[kSize]) {
        if (memory_ == nullptr) return;
        stack_t stack = {};
        stack.ss_sp = memory_.get();
        stack.ss_size = kSize;
        ::sigaltstack(&stack, nullptr);
    }
    ~AlternateStack() {
        stack_t none = {};
        none.ss_flags = SS_DISABLE;
        ::sigaltstack(&none, nullptr);
    }
    AlternateStack(const AlternateStack&) = delete;
    AlternateStack& operator=(const AlternateStack&) = delete;

private:
    static constexpr std::size_t kSize = 512 * 1024;  // results are finished on it
    std::unique_ptr<char[]> memory_;
};

}  // namespace ancora
