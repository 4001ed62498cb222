// SPDX-License-Identifier: BSD-3-Clause
// Checks of what any [step] function does with memory: outputs, inputs, state, heap, environment.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <thread>

#include <fmt/format.h>

#include "allocation_probe.hpp"
#include "fp_environment.hpp"
#include "step_call.hpp"

namespace ancora::verify {
namespace {

constexpr int kOutputStates = 48;  // sampled per function
constexpr int kThreadRounds = 1000;

using Numbers = std::vector<double>;

bool same_bits(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}
bool same_bits(const Numbers& a, const Numbers& b) {
    return std::ranges::equal(a, b, [](double x, double y) {
        return same_bits(x, y);
    });
}

// NaNs that no computation produces, and that differ from each other.
const double kCanary = std::bit_cast<double>(std::uint64_t{0x7ff8'c0de'0000'0001});
const double kOtherCanary = std::bit_cast<double>(std::uint64_t{0xfff8'beef'0000'0002});

/// An object of an example, its [step] functions, and buffers for them.
struct Bench {
    explicit Bench(const Example& made_from)
        : arguments(made_from.bind()),
          object(made_from.make(arguments)),
          stage(made_from.type(), arguments, object),
          calls((skip_wrong_sizes(stage, object), step_calls(stage, object))) {}
    Bench(const Bench&) = delete;

    BoundArguments arguments;
    Object object;
    Stage stage;
    std::vector<StepCall> calls;
};

Numbers inputs(const StepCall& call, Random& random) {
    Numbers in(call.num_inputs);
    call.sample(random, in);
    return in;
}

/// The outputs of one call; the buffers are filled with `canary` before.
Numbers results(const StepCall& call, const Object& object, const Numbers& in, double canary) {
    Numbers out(call.num_outputs + call.num_scratch, canary);
    guard(call.name, [&] {
        call.call(object, in, out);
    });
    out.resize(call.num_outputs);
    return out;
}

/// Runs `check(bench, call, random)` on each [step] function of each example.
template <class Function>
void for_each_call(Subject& subject, Function&& check) {
    for_each_example(subject, [&](const Example& example) {
        const Bench bench(example);
        if (bench.calls.empty()) throw Skipped("the object has no [step] functions");
        Random random(subject.seed);
        for (const StepCall& call : bench.calls) check(example, bench, call, random);
    });
}

// --- sizes

void check_sizes(Subject& subject) {
    for_each_example(subject, [&](const Example& example) {
        const BoundArguments arguments = example.bind();
        const Object object = example.make(arguments);
        const Stage stage(example.type(), arguments, object);
        for (const RowPart& part : row_parts(object))
            require_sizes(*part.of(object), part.title, stage.num_scalars());
        if (!object.body) return;
        const std::span<const Coordinate> coordinates = object.body->coordinates();
        if (coordinates.empty()) throw Failure("the body has no coordinates");
        for (std::size_t i = 0; i < coordinates.size(); ++i) {
            const Coordinate& c = coordinates[i];
            if (c.vector < -1 || c.axis < 0 || c.axis > 2 || !(c.reach >= 0.0))
                throw Failure(fmt::format(
                    "coordinate {}: vector {}, axis {}, reach {}", i, c.vector, c.axis, c.reach));
        }
    });
}

// --- outputs and inputs

void check_outputs(Subject& subject) {
    for_each_call(subject, [](const Example&, const Bench& bench, const StepCall& call, Random& r) {
        for (int k = 0; k < kOutputStates; ++k) {
            const Numbers in = inputs(call, r);
            const Numbers a = results(call, bench.object, in, kCanary);
            const Numbers b = results(call, bench.object, in, kOtherCanary);
            for (std::size_t i = 0; i < a.size(); ++i)
                if (same_bits(a[i], kCanary) && same_bits(b[i], kOtherCanary))
                    throw Failure(fmt::format("{} does not write {}", call.name, call.describe(i)));
        }
    });
}

void check_finite(Subject& subject) {
    for_each_call(subject, [](const Example&, const Bench& bench, const StepCall& call, Random& r) {
        for (int k = 0; k < 4 * kOutputStates; ++k) {
            const Numbers in = inputs(call, r);
            const Numbers out = results(call, bench.object, in, 0.0);
            for (std::size_t i = 0; i < out.size(); ++i)
                if (!std::isfinite(out[i]))
                    throw Failure(fmt::format("{} returned {} in {} at sampled state {}",
                                              call.name,
                                              out[i],
                                              call.describe(i),
                                              k + 1));
        }
    });
}

void check_inputs(Subject& subject) {
    for_each_call(subject, [](const Example&, const Bench& bench, const StepCall& call, Random& r) {
        for (int k = 0; k < 8; ++k) {
            const Numbers before = inputs(call, r);
            const Numbers in = before;
            results(call, bench.object, in, kCanary);
            if (!same_bits(in, before)) throw Failure(call.name + " changed its inputs");
        }
    });
}

[[noreturn]] void refuse_difference(const StepCall& call,
                                    const Numbers& expected,
                                    const Numbers& found,
                                    const char* when) {
    std::size_t i = 0;
    while (i + 1 < expected.size() && same_bits(expected[i], found[i])) ++i;
    throw Failure(fmt::format("{} gave {:.17g} and then, {}, {:.17g} in {}",
                              call.name,
                              expected[i],
                              when,
                              found[i],
                              call.describe(i)));
}

/// Objects of the type that differ from the example's: of the other examples, and with one number
/// changed. What the factory refuses is left out.
std::vector<Object> unlike_objects(Subject& subject, const Example& example) {
    std::vector<Object> objects;
    const auto add = [&](const Example& of, const Table& changes) {
        try {
            objects.push_back(of.make(of.bind(changes)));
        } catch (const Error&) {
        } catch (const Failure&) {
        }
    };
    for (const std::string& text : subject.examples())
        if (text != example.text()) add(Example(subject, text), {});
    const BoundArguments arguments = example.bind();
    for (const Parameter& p : std::span(subject.type.parameters,
                                        static_cast<std::size_t>(subject.type.num_parameters))) {
        if (!arguments.has(p.name)) continue;
        Table changes;
        if (arguments.shape(p.name) == Shape::number) {
            changes.set(p.name, 0.8 * arguments.number(p.name) + 0.1);
        } else if (arguments.shape(p.name) == Shape::vector) {
            Array entries;
            for (const double x : arguments.numbers(p.name)) entries.emplace_back(0.8 * x);
            changes.set(p.name, std::move(entries));
        } else {
            continue;
        }
        add(example, changes);
    }
    return objects;
}

// A static that the constructor fills is the last object's.
void check_repeatable_beside_others(Subject& subject) {
    for_each_example(subject, [&](const Example& example) {
        const Bench bench(example);
        if (bench.calls.empty()) throw Skipped("the object has no [step] functions");
        Random random(subject.seed);
        std::vector<Numbers> in, first;
        for (const StepCall& call : bench.calls) {
            in.push_back(inputs(call, random));
            first.push_back(results(call, bench.object, in.back(), 0.0));
        }
        const std::vector<Object> others = unlike_objects(subject, example);
        for (std::size_t i = 0; i < bench.calls.size(); ++i) {
            const Numbers after = results(bench.calls[i], bench.object, in[i], 0.0);
            if (!same_bits(first[i], after))
                refuse_difference(bench.calls[i],
                                  first[i],
                                  after,
                                  "after objects of the type were made with other parameters");
        }
    });
}

void check_repeatable(Subject& subject) {
    for_each_call(
        subject, [](const Example& example, const Bench& bench, const StepCall& call, Random& r) {
            const Bench other(example);
            const Numbers in = inputs(call, r);
            const Numbers first = results(call, bench.object, in, 0.0);
            const Numbers again = results(call, bench.object, in, 0.0);
            if (!same_bits(first, again))
                refuse_difference(call, first, again, "for the same input");
            for (int k = 0; k < 8; ++k) results(call, other.object, inputs(call, r), 0.0);
            const Numbers after = results(call, bench.object, in, 0.0);
            if (!same_bits(first, after))
                refuse_difference(call, first, after, "after calls on another object of the type");
            const Numbers fresh = results(call, other.object, in, 0.0);
            if (!same_bits(first, fresh))
                refuse_difference(call, first, fresh, "from another object like it");
        });
    check_repeatable_beside_others(subject);
}

// A trial that the kernel dropped is a call with other numbers in between.
void check_retry(Subject& subject) {
    for_each_example(subject, [&](const Example& example) {
        const Bench bench(example);
        if (bench.calls.empty()) throw Skipped("the object has no [step] functions");
        Random random(subject.seed);
        std::vector<Numbers> in;
        std::vector<Numbers> first;
        for (const StepCall& call : bench.calls) {
            in.push_back(inputs(call, random));
            first.push_back(results(call, bench.object, in.back(), 0.0));
        }
        // dropped trials, of all functions
        for (int k = 0; k < 8; ++k)
            for (const StepCall& call : bench.calls)
                results(call, bench.object, inputs(call, random), 0.0);
        for (std::size_t i = 0; i < bench.calls.size(); ++i) {
            const Numbers again = results(bench.calls[i], bench.object, in[i], 0.0);
            if (!same_bits(first[i], again))
                refuse_difference(bench.calls[i], first[i], again, "after dropped trials");
        }
    });
}

void check_threads(Subject& subject) {
    for_each_call(
        subject,
        [](const Example& example, const Bench& bench, const StepCall& call, Random& random) {
            const Bench other(example);
            const Object* objects[] = {&bench.object, &other.object};
            std::vector<Numbers> in[2];
            std::vector<Numbers> expected[2];
            for (int side = 0; side < 2; ++side)
                for (int k = 0; k < 4; ++k) {
                    in[side].push_back(inputs(call, random));
                    expected[side].push_back(results(call, *objects[side], in[side].back(), 0.0));
                }
            std::string problem[2];
            std::atomic<int> ready{0};
            const auto work = [&](int side) {
                ++ready;
                while (ready < 2) std::this_thread::yield();
                try {
                    for (int round = 0; round < kThreadRounds; ++round) {
                        const auto k = static_cast<std::size_t>(round % 4);
                        const Numbers out = results(call, *objects[side], in[side][k], 0.0);
                        if (!same_bits(out, expected[side][k]))
                            refuse_difference(call,
                                              expected[side][k],
                                              out,
                                              "with another object at work in a second thread");
                    }
                } catch (const std::exception& error) {
                    problem[side] = error.what();
                }
            };
            std::thread second(work, 1);
            work(0);
            second.join();
            for (const std::string& text : problem)
                if (!text.empty()) throw Failure(text);
        });
}

void check_environment(Subject& subject) {
    for_each_call(subject, [](const Example&, const Bench& bench, const StepCall& call, Random& r) {
        for (int k = 0; k < 8; ++k) {
            const Numbers in = inputs(call, r);
            const FpEnvironment before = FpEnvironment::capture();
            results(call, bench.object, in, 0.0);
            const bool differs = before.differs();
            before.restore();
            if (differs)
                throw Failure(call.name +
                              " changed the floating-point environment (rounding, "
                              "flush to zero or exceptions) and did not restore it");
        }
    });
}

void check_call_allocation(Subject& subject) {
    if (!AllocationProbe::is_there())
        throw Skipped("allocations cannot be counted in this program");
    for_each_call(subject, [](const Example&, const Bench& bench, const StepCall& call, Random& r) {
        Numbers out(call.num_outputs + call.num_scratch);
        for (int k = 0; k < 8; ++k) {
            const Numbers in = inputs(call, r);
            AllocationProbe probe;
            guard(call.name, [&] {
                call.call(bench.object, in, out);
            });
            const long count = probe.count();
            // the first call may still fill caches of the library's own
            if (count > 0 && k > 0)
                throw Failure(fmt::format(
                    "{} allocates ({} time{} in call {}); keep buffers sized at construction",
                    call.name,
                    count,
                    count == 1 ? "" : "s",
                    k + 1));
        }
    });
}

constexpr Check kOutputChecks[] = {
    {"sizes", kRows, "blocks, stencils, laws and coordinates fit each other", check_sizes},
    {"outputs", kModels, "every entry of every output is written (two canaries)", check_outputs},
    {"finite", kModels, "no NaN or infinity at sampled states and steps", check_finite},
    {"inputs", kModels, "inputs are left as they are", check_inputs},
    {"repeatable",
     kModels,
     "same input, same output, whatever other objects of the type do",
     check_repeatable},
    {"retry", kModels, "a dropped trial leaves no trace in the object", check_retry},
    {"threads", kModels, "two objects may work in two threads", check_threads},
    {"allocation",
     kModels,
     "[step] functions allocate nothing after the first call",
     check_call_allocation},
    {"environment",
     kModels,
     "[step] functions leave the floating-point unit alone",
     check_environment},
};

}  // namespace

std::span<const Check> output_checks() {
    return kOutputChecks;
}

}  // namespace ancora::verify
