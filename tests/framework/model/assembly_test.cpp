// SPDX-License-Identifier: BSD-3-Clause
// A model of many objects is assembled and analysed with work and memory that grow as their number
// does. Both are counted, never timed: allocations, bytes, comparisons of texts, calls of plugins.
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <malloc.h>

#include "ancora/framework/plugin_registry.hpp"
#include "ancora/framework/simulation.hpp"

// The sanitizers bring a malloc of their own, beside which ours cannot be.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kCounts = false;
#else
constexpr bool kCounts = true;
#endif

namespace {

/// What the process has done while counting is on.
struct Counter {
    std::atomic<bool> is_on{false};
    std::atomic<long> allocations{0};
    std::atomic<long> bytes{0};
    std::atomic<long> held{0};  // bytes, of those allocated since
    std::atomic<long> most_held{0};
    std::atomic<long> comparisons{0};

    [[maybe_unused]] void* took(void* memory) {
        if (!is_on.load(std::memory_order_relaxed) || memory == nullptr) return memory;
        const auto size = static_cast<long>(::malloc_usable_size(memory));
        ++allocations;
        bytes += size;
        if ((held += size) > most_held) most_held = held.load();
        return memory;
    }
    [[maybe_unused]] void* gives(void* memory) {
        if (is_on.load(std::memory_order_relaxed) && memory != nullptr)
            held -= static_cast<long>(::malloc_usable_size(memory));
        return memory;
    }
    void begin() {
        for (std::atomic<long>* count : {&allocations, &bytes, &held, &most_held, &comparisons})
            *count = 0;
        is_on = true;
    }
    void end() { is_on = false; }
};
Counter counter;

}  // namespace

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// Plugins and libraries call these too: the program's symbols come first in the search.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* memory);

[[gnu::visibility("default")]] void* malloc(std::size_t size) {
    return counter.took(__libc_malloc(size));
}
[[gnu::visibility("default")]] void* calloc(std::size_t count, std::size_t size) {
    return counter.took(__libc_calloc(count, size));
}
[[gnu::visibility("default")]] void* realloc(void* old, std::size_t size) {
    return counter.took(__libc_realloc(counter.gives(old), size));
}
[[gnu::visibility("default")]] void* aligned_alloc(std::size_t alignment, std::size_t size) {
    return counter.took(__libc_memalign(alignment, size));
}
[[gnu::visibility("default")]] void* memalign(std::size_t alignment, std::size_t size) {
    return counter.took(__libc_memalign(alignment, size));
}
[[gnu::visibility("default")]] int posix_memalign(void** out,
                                                  std::size_t alignment,
                                                  std::size_t size) {
    *out = counter.took(__libc_memalign(alignment, size));
    return *out == nullptr ? ENOMEM : 0;
}
[[gnu::visibility("default")]] void free(void* memory) {
    __libc_free(counter.gives(memory));
}
// Names of the same length are compared by this one.
[[gnu::visibility("default")]] int memcmp(const void* a, const void* b, std::size_t count) {
    if (counter.is_on.load(std::memory_order_relaxed)) ++counter.comparisons;
    const auto* x = static_cast<const unsigned char*>(a);
    const auto* y = static_cast<const unsigned char*>(b);
    for (std::size_t i = 0; i < count; ++i)
        if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    return 0;
}
}
#endif

namespace {

using namespace ancora;

/// How box i > 0 hangs from one before it; in a doubled chain every second joint is there twice.
enum class Hanging { chain, tree, doubled };

/// Boxes, the first hung from the ground, each other one from a box before it.
Manifest boxes(int N, const char* integrator, Hanging hanging) {
    Manifest manifest;
    manifest.integrator.type = integrator;
    manifest.integrator.step = 1e-3;
    manifest.integrator.end = 1.0;
    for (int i = 0; i < N; ++i) {
        // Of a tree each box carries three.
        const int above = hanging == Hanging::tree ? (i - 1) / 3 : i - 1;
        int level = i;
        if (hanging == Hanging::tree) {
            level = 0;
            for (int k = i; k > 0; k = (k - 1) / 3) ++level;
        }
        manifest.add_body(fmt::format("link{}", i), "ancf_rigid_body")
            .set("size", {1.0, 0.2, 0.1})
            .set("density", 1000.0)
            .set("position", {level + 0.5, 0.0, 0.0});
        manifest.add_constraint(fmt::format("joint{}", i), "position")
            .set("a", fmt::format("link{}@[-0.5, 0, 0]", i))
            .set("b",
                 i == 0 ? std::string("ground@[0, 0, 0]")
                        : fmt::format("link{}@[0.5, 0, 0]", above));
        if (hanging == Hanging::doubled && i % 2 == 1)
            manifest.add_constraint(fmt::format("again{}", i), "position")
                .set("a", fmt::format("link{}@[-0.5, 0, 0]", i))
                .set("b", fmt::format("link{}@[0.5, 0, 0]", above));
    }
    return manifest;
}

/// What is counted until a model stands and is analysed.
struct Census {
    double allocations, bytes, most_held, comparisons, calls;
};

Census census(const Manifest& manifest, int rank, PluginRegistry& registry) {
    counter.begin();
    double calls = 0.0;
    {
        const Simulation simulation(manifest, registry);
        CHECK(simulation.analyse().rank == rank);
        for (const PluginCost& plugin : simulation.statistics().plugins)
            calls += static_cast<double>(plugin.calls);
    }
    counter.end();
    const auto number = [](const std::atomic<long>& count) {
        return static_cast<double>(count.load());
    };
    return {number(counter.allocations),
            number(counter.bytes),
            number(counter.most_held),
            number(counter.comparisons),
            calls};
}

}  // namespace

TEST_SUITE("assembly" * doctest::skip(!kCounts)) {
    TEST_CASE("twice as many boxes take twice the work and memory") {
        // Arrays that grow by doubling are longer than they need be by another part each time;
        // where each object is searched for among all, or has an entry for each, this is 4.
        constexpr double kMost = 2.25;
        struct Kind {
            const char* integrator;
            Hanging hanging;
        };
        for (const auto& [integrator, hanging] : {Kind{"emm", Hanging::chain},
                                                  Kind{"emm", Hanging::tree},
                                                  Kind{"emm", Hanging::doubled},
                                                  Kind{"rk4", Hanging::chain},
                                                  Kind{"rk4", Hanging::tree}}) {
            CAPTURE(integrator);
            CAPTURE(static_cast<int>(hanging));
            PluginRegistry registry;
            registry.add_folder(ANCORA_TEST_PLUGIN_DIR);
            census(boxes(10, integrator, hanging), 90, registry);  // loads the plugins
            Census before{};
            // Factors are worked on in parts from some 2500 boxes on.
            for (const int N : {1000, 2000, 4000, 8000}) {
                const Census now = census(boxes(N, integrator, hanging), 9 * N, registry);
                MESSAGE(
                    fmt::format("{} boxes: {:.0f} allocations, {:.0f} bytes, {:.0f} held, "
                                "{:.0f} comparisons, {:.0f} calls, each",
                                N,
                                now.allocations / N,
                                now.bytes / N,
                                now.most_held / N,
                                now.comparisons / N,
                                now.calls / N));
                if (N > 1000) {
                    CAPTURE(N);
                    CHECK(now.allocations < kMost * before.allocations);
                    CHECK(now.bytes < kMost * before.bytes);
                    CHECK(now.most_held < kMost * before.most_held);
                    CHECK(now.comparisons < kMost * before.comparisons);
                    CHECK(now.calls < kMost * before.calls);
                }
                before = now;
            }
        }
    }
}
