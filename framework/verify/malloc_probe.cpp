// SPDX-License-Identifier: BSD-3-Clause
// The library that the kit's child process preloads: malloc and its kin, counted on demand.
#include <cerrno>
#include <cstddef>

#include <execinfo.h>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

/// What the kit reads, per thread; frames of the first allocations, innermost first.
struct AncoraMallocProbe {
    static constexpr int kTraces = 64;
    static constexpr int kFrames = 16;
    bool is_on = false;
    bool is_tracing = false;
    long count = 0;
    int num_traces = 0;
    int depth[kTraces] = {};
    void* frames[kTraces][kFrames] = {};
};

[[gnu::visibility("default")]] AncoraMallocProbe* ancora_malloc_probe() {
    [[gnu::tls_model("initial-exec")]] static thread_local AncoraMallocProbe probe;
    return &probe;
}

namespace {

void note() {
    AncoraMallocProbe& probe = *ancora_malloc_probe();
    if (!probe.is_on) return;
    ++probe.count;
    if (!probe.is_tracing || probe.num_traces == AncoraMallocProbe::kTraces) return;
    probe.is_on = false;  // what backtrace() allocates does not count
    const int k = probe.num_traces++;
    probe.depth[k] = ::backtrace(probe.frames[k], AncoraMallocProbe::kFrames);
    probe.is_on = true;
}

}  // namespace

[[gnu::visibility("default")]] void* malloc(std::size_t size) {
    note();
    return __libc_malloc(size);
}
[[gnu::visibility("default")]] void* calloc(std::size_t count, std::size_t size) {
    note();
    return __libc_calloc(count, size);
}
[[gnu::visibility("default")]] void* realloc(void* old, std::size_t size) {
    note();
    return __libc_realloc(old, size);
}
[[gnu::visibility("default")]] void* aligned_alloc(std::size_t alignment, std::size_t size) {
    note();
    return __libc_memalign(alignment, size);
}
[[gnu::visibility("default")]] void* memalign(std::size_t alignment, std::size_t size) {
    note();
    return __libc_memalign(alignment, size);
}
[[gnu::visibility("default")]] int posix_memalign(void** out,
                                                  std::size_t alignment,
                                                  std::size_t size) {
    note();
    *out = __libc_memalign(alignment, size);
    return *out == nullptr ? ENOMEM : 0;
}
}
