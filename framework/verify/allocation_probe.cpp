// SPDX-License-Identifier: BSD-3-Clause
// The kit's side of the preloaded library.
#include "allocation_probe.hpp"

#include <string_view>

#include <dlfcn.h>
#include <execinfo.h>

namespace ancora::verify {
namespace {

// As in malloc_probe.cpp.
struct Probe {
    static constexpr int kTraces = 64;
    static constexpr int kFrames = 16;
    bool is_on;
    bool is_tracing;
    long count;
    int num_traces;
    int depth[kTraces];
    void* frames[kTraces][kFrames];
};

Probe* probe() {
    using Function = Probe* (*)();
    static const auto function =
        reinterpret_cast<Function>(::dlsym(RTLD_DEFAULT, "ancora_malloc_probe"));
    return function != nullptr ? function() : nullptr;
}

std::string_view file_of(void* address) {
    Dl_info info = {};
    return ::dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

bool is_runtime(std::string_view file) {
    for (const char* name : {"malloc_probe", "libc.so", "libc-", "libstdc++", "libc++", "libgcc"})
        if (file.find(name) != std::string_view::npos) return true;
    return false;
}

}  // namespace

AllocationProbe::AllocationProbe() {
    Probe* const counter = probe();
    if (counter == nullptr) return;
    // its first call loads a library
    void* frames[1];
    static_cast<void>(::backtrace(frames, 1));
    counter->count = 0;
    counter->num_traces = 0;
    counter->is_tracing = true;
    counter->is_on = true;
}

AllocationProbe::~AllocationProbe() {
    if (Probe* const counter = probe()) counter->is_on = false;
}

bool AllocationProbe::is_there() {
    return probe() != nullptr;
}

long AllocationProbe::count() {
    Probe* const counter = probe();
    if (counter == nullptr) return 0;
    counter->is_on = false;
    return counter->count;
}

long AllocationProbe::count_from(const std::string& file) {
    if (count() == 0) return 0;
    const Probe& counter = *probe();
    long found = 0;
    for (int k = 0; k < counter.num_traces; ++k)
        for (int i = 0; i < counter.depth[k]; ++i) {
            const std::string_view caller = file_of(counter.frames[k][i]);
            if (is_runtime(caller)) continue;
            if (caller == file) ++found;
            break;
        }
    return found;
}

}  // namespace ancora::verify
