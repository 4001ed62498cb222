// SPDX-License-Identifier: BSD-3-Clause
// The [step] functions of an object on a bench: called with sampled numbers, results compared.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "step_call.hpp"

namespace ancora::verify {

using Numbers = std::vector<double>;

inline bool same_bits(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}
inline bool same_bits(const Numbers& a, const Numbers& b) {
    return std::ranges::equal(a, b, [](double x, double y) {
        return same_bits(x, y);
    });
}

// NaNs that no computation produces, and that differ from each other.
inline const double kCanary = std::bit_cast<double>(std::uint64_t{0x7ff8'c0de'0000'0001});
inline const double kOtherCanary = std::bit_cast<double>(std::uint64_t{0xfff8'beef'0000'0002});

/// An object of an example, its [step] functions, and buffers for them.
struct Bench {
    explicit Bench(const Example& made_from, const Table& changes = {})
        : arguments(made_from.bind(changes)),
          object(made_from.make(arguments)),
          stage(made_from.type(), arguments, object),
          calls((skip_wrong_sizes(stage, object), step_calls(stage, object))) {}
    Bench(const Bench&) = delete;

    BoundArguments arguments;
    Object object;
    Stage stage;
    std::vector<StepCall> calls;
};

inline Numbers inputs(const StepCall& call, Random& random) {
    Numbers in(call.num_inputs);
    call.sample(random, in);
    return in;
}

/// Outputs and scratch of a call, with room around them for what it writes besides.
class Room {
public:
    explicit Room(const StepCall& call, double fill = 0.0)
        : num_outputs_(call.num_outputs),
          size_(call.num_outputs + call.num_scratch),
          numbers_(size_ + 2 * kMargin, fill) {}

    std::span<double> all() { return std::span(numbers_).subspan(kMargin, size_); }
    Numbers outputs() const {
        const auto first = numbers_.begin() + kMargin;
        return {first, first + static_cast<std::ptrdiff_t>(num_outputs_)};
    }

private:
    static constexpr std::size_t kMargin = 128;
    std::size_t num_outputs_, size_;
    Numbers numbers_;
};

/// The outputs of one call; the buffers are filled with `canary` before.
inline Numbers results(const StepCall& call,
                       const Object& object,
                       const Numbers& in,
                       double canary) {
    Room out(call, canary);
    guard(call.name, [&] {
        call.call(object, in, out.all());
    });
    return out.outputs();
}

struct FencedResults {
    Numbers out;
    std::string problem;  ///< see StepCall::fenced
};
inline FencedResults fenced_results(const StepCall& call,
                                    const Object& object,
                                    const Numbers& in,
                                    double zone) {
    FencedResults found{Numbers(call.num_outputs, 0.0), ""};
    guard(call.name, [&] {
        found.problem = call.fenced(object, in, found.out, zone);
    });
    return found;
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

/// Refuses results that differ, naming the first that does.
/// @throws Failure
[[noreturn]] inline void refuse_difference(const StepCall& call,
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

}  // namespace ancora::verify
