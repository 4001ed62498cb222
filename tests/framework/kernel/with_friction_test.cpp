// SPDX-License-Identifier: BSD-3-Clause
// The kernel with the part for friction, and nothing else of framework.
#include <cmath>

#include <doctest/doctest.h>

#include "kernel_run.hpp"

namespace {

using namespace ancora;

}  // namespace

TEST_SUITE("kernel with friction") {
    // Up the slope by v0 = 2 m/s, decelerated by g (sin a + mu cos a); it stops, and slides back by
    // g (sin a - mu cos a) from there.
    TEST_CASE("a block slides up an incline, stops and slides back") {
        KernelRun run(kBlockOnIncline);
        run.finish();
        const double g = 9.81, mu = 0.3, a = M_PI / 6.0;
        const double up = g * (std::sin(a) + mu * std::cos(a));
        const double down = g * (std::sin(a) - mu * std::cos(a));
        const double stop = 2.0 / up;
        const double way = 0.5 * up * stop * stop - 0.5 * down * (1.0 - stop) * (1.0 - stop);
        const std::span<const double> q = run.system.q();
        CHECK(std::abs(std::hypot(q[0], q[2]) - std::abs(way)) < 1e-6);
        CHECK(run.system.mode_events().all().size() >= 1);
    }
}
