// SPDX-License-Identifier: BSD-3-Clause
// Threads that wait for work: each job is done once, whoever does it, however long it takes.
#include "workers.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <random>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

namespace ancora {
namespace {

TEST_CASE("each job of each round is done once, before the round ends") {
    for (const int size : {1, 2, 3, 7}) {
        CAPTURE(size);
        Workers workers;
        workers.resize(size);
        std::vector<int> done(static_cast<std::size_t>(workers.size()), 0);
        for (int round = 1; round <= 300; ++round) {
            workers.run([&](int k) {
                ++done[static_cast<std::size_t>(k)];
            });
            bool all = true;
            for (const int count : done) all &= count == round;
            REQUIRE(all);
        }
    }
}

TEST_CASE("pieces of unlike length, rounds of unlike number") {
    Workers workers;
    workers.resize(4);
    std::mt19937 random(1);
    for (int round = 0; round < 300; ++round) {
        const int count = static_cast<int>(random() % 40);
        std::vector<std::atomic<int>> done(static_cast<std::size_t>(count));
        const int slow = count > 0 ? static_cast<int>(random() % static_cast<unsigned>(count)) : 0;
        workers.for_each(count, [&](int i, int) {
            if (i == slow && round % 10 == 0)
                std::this_thread::sleep_for(std::chrono::microseconds(300));
            ++done[static_cast<std::size_t>(i)];
        });
        for (const std::atomic<int>& one : done) REQUIRE(one == 1);
    }
}

TEST_CASE("a job inside a job is done by the thread that asks") {
    Workers workers;
    workers.resize(3);
    std::atomic<int> inner{0};
    workers.run([&](int) {
        workers.run([&](int) {
            ++inner;
        });
    });
    CHECK(inner == 9);
}

TEST_CASE("the number of threads changes between rounds") {
    Workers workers;
    for (int round = 0; round < 40; ++round) {
        workers.resize(1 + round % 5);
        std::atomic<int> done{0};
        workers.run([&](int) {
            ++done;
        });
        CHECK(done == 1 + round % 5);
    }
}

}  // namespace
}  // namespace ancora
