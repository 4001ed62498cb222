// SPDX-License-Identifier: BSD-3-Clause
// Checks of what calls leave behind: statics and members that results depend on, leaks.
#include <chrono>
#include <cmath>

#include <fmt/format.h>
#include <malloc.h>

#include "allocation_probe.hpp"
#include "bench.hpp"
#include "interleave.hpp"
#include "plugin_memory.hpp"

namespace ancora::verify {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSets = 6;                // of inputs per function
constexpr std::size_t kCalls = 20'000;  // in which a counter is to show
constexpr double kCallSeconds = 0.3;    // for them
constexpr double kStepSeconds = 4.0;    // for stopped calls, of which a busy machine makes fewer
constexpr std::size_t kFew = 400;       // instructions that are all tried
constexpr int kMostWaits = 3;           // at a lock, which then is one
// Rounds in which leaks are looked for, doubled as long as there is time.
constexpr int kFirstRounds = 16;
constexpr int kFewestRounds = 128;
constexpr int kLeakRounds = 1 << 14;
constexpr double kLeakSeconds = 0.05;
constexpr double kLeak = 16.0;  // [bytes], the least that the heap gives

double since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A function with inputs and what it gave for them at first.
struct Known {
    const StepCall* call;
    std::vector<Numbers> in, expected;
    bool is_shared = false;  ///< it writes what other objects may see
};

/// What a call changes besides its outputs.
struct Trace {
    std::vector<const std::uintptr_t*> statics;
    bool has_other = false;  ///< in the object, or perhaps on the heap behind a static
    std::string call;        ///< that did it
};

Trace trace_of(const PluginMemory& memory, const Bench& bench, std::vector<Known>& known) {
    Trace trace;
    for (Known& one : known) {
        // buffers of the kit are not to lie where statics point to
        const Numbers in = one.in.back();
        Room room(*one.call);
        const std::span<double> out = room.all();
        const std::vector<std::uintptr_t> before = memory.statics();
        const std::uint64_t heap = memory.pointed_to(), own = own_bytes(bench.object);
        guard(one.call->name, [&] {
            one.call->call(bench.object, in, out);
            one.call->call(bench.object, one.in.front(), out);
            one.call->call(bench.object, one.in[1], out);
        });
        const auto changed = memory.changed(before);
        if (!changed.empty() && trace.statics.empty()) trace.call = one.call->name;
        trace.statics.insert(trace.statics.end(), changed.begin(), changed.end());
        one.is_shared = !changed.empty() || heap != memory.pointed_to();
        trace.has_other |= one.is_shared || own != own_bytes(bench.object);
    }
    return trace;
}

std::string words(const PluginMemory& memory, const Trace& trace) {
    if (trace.statics.empty()) return "what the object keeps";
    return "the static " + memory.name_of(trace.statics.front());
}

// Any order of calls, and so many that a counter runs out.
void require_same_in_any_order(const PluginMemory& memory,
                               const Trace& trace,
                               const Bench& bench,
                               const std::vector<Known>& known,
                               Random& random) {
    const Clock::time_point start = Clock::now();
    for (std::size_t k = 0; k < kCalls; ++k) {
        if (k % 64 == 0 && since(start) > kCallSeconds) break;
        const Known& one = known[random.bits() % known.size()];
        const std::size_t set = random.bits() % one.in.size();
        const Numbers out = results(*one.call, bench.object, one.in[set], 0.0);
        if (!same_bits(out, one.expected[set])) {
            const std::string when =
                fmt::format("after {} other calls, for the same input (a call writes {})",
                            k,
                            words(memory, trace));
            refuse_difference(*one.call, one.expected[set], out, when.c_str());
        }
    }
}

// One call stopped between two instructions while another object has its own done.
void require_same_when_stopped(const PluginMemory& memory,
                               const Trace& trace,
                               const Bench& bench,
                               const Bench& other,
                               const std::vector<Known>& known,
                               Random& random) {
    std::vector<const std::uintptr_t*> watched = trace.statics;
    if (watched.size() > 64) watched.resize(64);
    Interleave interleave(memory.code(), watched);
    const Clock::time_point start = Clock::now();
    for (const Known& one : known) {
        if (!one.is_shared) continue;
        Room a(*one.call), b(*one.call);
        std::string problem;
        const auto make = [&](const Bench& on, std::size_t set, Room& out) {
            try {
                one.call->call(on.object, one.in[set], out.all());
            } catch (const std::exception& error) {
                problem = error.what();
            }
        };
        const std::size_t sets = one.in.size();
        const std::size_t mine = random.bits() % sets,
                          its = (mine + 1 + random.bits() % (sets - 1)) % sets;
        const auto first = [&] {
            make(bench, mine, a);
        };
        const auto second = [&] {
            make(other, its, b);
        };
        // with the other's traces before it, and with its own, which it may take another way for
        second();
        Interleave::Steps steps = interleave.count(first);
        const Interleave::Steps again = interleave.count(first);
        steps.count = std::max(steps.count, again.count);
        steps.changes.insert(steps.changes.end(), again.changes.begin(), again.changes.end());
        // behind each change, and then anywhere
        std::vector<std::size_t> stops = steps.changes;
        if (stops.size() > kFew) stops.resize(kFew);
        const std::size_t first_anywhere = stops.size();
        for (std::size_t k = 0; k < std::min(kFew, steps.count); ++k)
            stops.push_back(steps.count <= kFew ? 1 + k : 1 + random.bits() % steps.count);
        // in no order, so that the time that there is goes to all of it
        for (std::size_t k = stops.size(); k > first_anywhere + 1; --k)
            std::swap(stops[k - 1], stops[first_anywhere + random.bits() % (k - first_anywhere)]);
        int waits = 0;
        for (std::size_t k = 0; k < stops.size(); ++k) {
            if (stops[k] == 0 || stops[k] > steps.count || waits >= kMostWaits) continue;
            if (since(start) > kStepSeconds) break;
            for (const bool own_before : {false, true}) {
                if (own_before) first();
                waits += interleave.run(first, second, stops[k]) ? 0 : 1;
                const auto require = [&](const Room& found, std::size_t set) {
                    const Numbers& expected = one.expected[set];
                    const Numbers given = found.outputs();
                    if (problem.empty() && same_bits(given, expected)) return;
                    const std::string who =
                        trace.statics.empty() ? "objects share memory without a lock"
                                              : words(memory, trace) + " is shared without a lock";
                    if (!problem.empty())
                        throw Failure(
                            fmt::format("{} threw \"{}\" with another object at work in "
                                        "a second thread: {}",
                                        one.call->name,
                                        problem,
                                        who));
                    const std::string when =
                        fmt::format("with another object at work in a second thread ({})", who);
                    refuse_difference(*one.call, expected, given, when.c_str());
                };
                require(a, mine);
                require(b, its);
            }
        }
    }
}

void check_hidden_state(Subject& subject) {
#if defined(__SANITIZE_ADDRESS__)
    throw Skipped("the address sanitizer forbids to look at a plugin's memory as a whole");
#endif
    const PluginMemory memory(subject.plugin);
    std::string remark;
    for_each_example(subject, [&](const Example& example) {
        const Bench bench(example), other(example);
        if (bench.calls.empty()) throw Skipped("the object has no [step] functions");
        Random random(subject.seed);
        std::vector<Known> known;
        for (const StepCall& call : bench.calls) {
            Known& one = known.emplace_back(Known{&call, {}, {}});
            for (int k = 0; k < kSets; ++k) {
                one.in.push_back(inputs(call, random));
                // twice: what a first call makes once and for all is no state
                results(call, other.object, one.in.back(), 0.0);
                one.expected.push_back(results(call, bench.object, one.in.back(), 0.0));
            }
        }
        const Trace trace = trace_of(memory, bench, known);
        if (trace.statics.empty() && !trace.has_other) return;
        require_same_in_any_order(memory, trace, bench, known, random);
        if (Interleave::is_there())
            require_same_when_stopped(memory, trace, bench, other, known, random);
        if (!trace.statics.empty())
            remark = fmt::format(
                "{} writes {}; no result depends on it, in any order of calls nor beside a second "
                "thread",
                trace.call,
                words(memory, trace));
    });
    subject.remark = remark;
}

// --- leaks

double heap_bytes() {
    const struct mallinfo2 info = ::mallinfo2();
    return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
}

/// Bytes that a round leaves behind on average, where the heap grows however long one goes on: by
/// each of the last three doublings of the rounds. What is kept once, and stores of the allocator,
/// come to an end; a list that grows by doubling, or a leak now and then, does not.
template <class Function>
double left_by(Function&& round) {
    constexpr std::size_t kDoublings = 3;
    const Clock::time_point start = Clock::now();
    std::vector<double> bytes;
    int done = 0;
    for (int next = kFirstRounds; next <= kLeakRounds; next *= 2) {
        if (next > kFewestRounds && since(start) > kLeakSeconds) break;
        for (; done < next; ++done) round();
        bytes.push_back(heap_bytes());
    }
    const std::size_t last = bytes.size() - 1;
    for (std::size_t k = last; k > last - kDoublings; --k)
        if (!(bytes[k] - bytes[k - 1] >= 0.9 * kLeak)) return 0.0;
    const double rounds = done - (done >> kDoublings);
    return (bytes[last] - bytes[last - kDoublings]) / rounds;
}

/// Of an integrator, in a run that has no end of its own. That it refuses the system, or fails on
/// the way, is for other checks to tell.
void check_leaks_of_steps(const Subject& subject, const Example& example) {
    RunSettings settings;
    settings.integrator = subject.type.name;
    settings.end = 1e6;
    double left = 0.0;
    try {
        Simulation simulation = example.simulate(settings);
        left = left_by([&] {
            simulation.step();
        });
    } catch (const Error&) {
    }
    if (left > 0.0)
        throw Failure(fmt::format("step() leaves {:.3g} bytes on the heap in each step", left));
}

void check_leaks(Subject& subject) {
    if (!AllocationProbe::is_there()) throw Skipped("the heap cannot be measured in this program");
    for_each_example(subject, [&](const Example& example) {
        const BoundArguments arguments = example.bind();
        const double by_objects = left_by([&] {
            static_cast<void>(example.make(arguments));
        });
        if (by_objects > 0.0)
            throw Failure(fmt::format(
                "each object that is made and destroyed leaves {:.3g} bytes on the heap",
                by_objects));
        if (example.type().kind == TypeKind::integrator)
            return check_leaks_of_steps(subject, example);
        const Bench bench(example);
        Random random(subject.seed);
        struct Ready {
            const StepCall* call;
            std::vector<Numbers> in;
            Room out;
        };
        std::vector<Ready> ready;
        for (const StepCall& call : bench.calls) {
            Ready& one = ready.emplace_back(Ready{&call, {}, Room(call)});
            // the same ones again and again: a cache may keep them
            for (int k = 0; k < 4; ++k) one.in.push_back(inputs(call, random));
        }
        std::size_t round = 0;
        const auto left_by_calls = [&](std::span<Ready> of) {
            return left_by([&] {
                ++round;
                for (Ready& one : of)
                    guard(one.call->name, [&] {
                        one.call->call(bench.object, one.in[round % one.in.size()], one.out.all());
                    });
            });
        };
        // all at once, and one by one only where something is left
        const double together = left_by_calls(ready);
        if (!(together > 0.0)) return;
        for (Ready& one : ready)
            if (const double each = left_by_calls({&one, 1}); each > 0.0)
                throw Failure(fmt::format(
                    "{} leaves {:.3g} bytes on the heap in each call", one.call->name, each));
        // A list that has doubled takes as many calls again until it grows once more, so that no
        // function shows it by itself.
        throw Failure(
            fmt::format("calls of all its functions leave {:.3g} bytes on the heap in each round, "
                        "as a list does that keeps something of each call",
                        together));
    });
}

constexpr Check kHiddenStateChecks[] = {
    {"hidden_state",
     kModels,
     "what calls leave in statics or the object changes no result: in any order of calls, and with "
     "another object's call let in between any two instructions; a cache may be kept so",
     check_hidden_state},
    {"leaks",
     kEvery,
     "thousands of objects, of calls and of steps leave nothing on the heap, neither in lists that "
     "grow",
     check_leaks},
};

}  // namespace

std::span<const Check> hidden_state_checks() {
    return kHiddenStateChecks;
}

}  // namespace ancora::verify
