// SPDX-License-Identifier: BSD-3-Clause
// Constraints with the right mechanics that wait in a call: once, which is slow, or for ever.
#include <atomic>
#include <chrono>
#include <thread>

#include "parts.hpp"

namespace {

using namespace ancora;
using zoo::Rod;

/// Waits in the first call of the process without any work.
class Waits final : public Rod {
public:
    using Rod::Rod;
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override {
        if (!has_waited_.exchange(true))
            std::this_thread::sleep_for(std::chrono::milliseconds(1200));
        Rod::evaluate(block, at, out);
    }

private:
    static inline std::atomic<bool> has_waited_{false};
};

class WaitsForEver final : public Rod {
public:
    using Rod::Rod;
    void evaluate(int, const RowPoint&, const RowValues&) const override {
        std::this_thread::sleep_for(std::chrono::hours(1));
    }
};

constexpr TypeDescriptor kTypes[] = {
    type<Waits>("waits", Rod::kDocs, Rod::kParameters),
    type<WaitsForEver>("waits_for_ever", Rod::kDocs, Rod::kParameters),
};

}  // namespace

ANCORA_PLUGIN("waits", "1.0.0", kTypes)
