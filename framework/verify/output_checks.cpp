// SPDX-License-Identifier: BSD-3-Clause
// Checks of what any [step] function does with memory: outputs, inputs, state, heap.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

#include <fmt/format.h>

#include "allocation_probe.hpp"
#include "bench.hpp"
#include "call_table.hpp"

namespace ancora::verify {
namespace {

constexpr int kOutputStates = 48;  // sampled per function
constexpr int kThreadRounds = 1000;

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

// --- where numbers get difficult

/// The first output that is not finite in some samples of all functions, in words; empty if none.
std::string not_finite(const Bench& bench, Random& random, int samples) {
    for (const StepCall& call : bench.calls)
        for (int k = 0; k < samples; ++k) {
            const Numbers in = inputs(call, random);
            const Numbers out = results(call, bench.object, in, 0.0);
            for (std::size_t i = 0; i < out.size(); ++i)
                if (!std::isfinite(out[i]))
                    return fmt::format("{} returned {} in {}", call.name, out[i], call.describe(i));
        }
    return "";
}

/// The ends of a parameter's range; just inside where the end itself is left out.
std::vector<double> ends_of(const Parameter& p) {
    constexpr double kInside = 1e-6;
    std::vector<double> ends;
    const auto add = [&](double end, bool is_excluded, double inwards) {
        if (!std::isfinite(end)) return;
        ends.push_back(is_excluded ? end + inwards * kInside * std::max(1.0, std::abs(end)) : end);
    };
    add(p.minimum, p.minimum_is_excluded, 1.0);
    add(p.maximum, p.maximum_is_excluded, -1.0);
    return ends;
}

void check_parameter_ends(Subject& subject, const Example& example) {
    const BoundArguments usual = example.bind();
    for (const Parameter& p : std::span(subject.type.parameters,
                                        static_cast<std::size_t>(subject.type.num_parameters))) {
        if (!p.allows(Shape::number) && !p.allows(Shape::integer)) continue;
        // what the example leaves open may be something that it does without
        if (!usual.given(p.name)) continue;
        for (const double end : ends_of(p)) {
            Table changes;
            if (p.allows(Shape::number))
                changes.set(p.name, end);
            else
                changes.set(p.name, static_cast<std::int64_t>(end));
            const std::string which =
                fmt::format("with \"{}\" = {:g}, an end of what its schema allows, ", p.name, end);
            std::string problem;
            try {
                const Bench bench(example, changes);
                Random random(subject.seed);
                problem = not_finite(bench, random, 4);
            } catch (const Error& error) {
                if (error.kind() == ErrorKind::manifest) continue;  // refused, with a reason
                throw;
            } catch (const Skipped&) {
                continue;
            } catch (const Failure& failure) {
                throw Failure(which + failure.what());
            }
            if (!problem.empty())
                throw Failure(which + problem +
                              "; narrow the range, or refuse it by Arguments::fail");
        }
    }
}

void check_extremes(Subject& subject) {
    struct Where {
        Placement placement;
        const char* text;
    };
    constexpr Where kPlaces[] = {
        {Placement::aligned, "along an axis, with components that are zero"},
        {Placement::far, "ten times farther out"},
        {Placement::turned, "where a direction passes the opposite of another one"},
    };
    std::string remark;
    for_each_example(subject, [&](const Example& example) {
        Bench bench(example);
        if (bench.calls.empty()) throw Skipped("the object has no [step] functions");
        Random random(subject.seed);
        for (const auto& [placement, text] : kPlaces) {
            bench.stage.place(placement);
            std::string problem;
            try {
                problem = not_finite(bench, random, 24);
            } catch (const Failure& refusal) {  // a reason is better than a number
                remark = fmt::format("{}, {}", text, refusal.what());
            }
            if (problem.empty()) continue;
            // an angle whose directions lie along its axis has a value and no derivative
            const bool is_tangent = problem.starts_with(calls::DifferentiateStep::kName) ||
                                    problem.starts_with(calls::EvaluateTangent::kName);
            if (!is_tangent) throw Failure(fmt::format("{}, {}", text, problem));
            remark = fmt::format("{}, {}: a run that gets there ends", text, problem);
        }
        // whether points may meet only the type knows; a run that gets there is ended by name
        bench.stage.place(Placement::together);
        try {
            if (const std::string problem = not_finite(bench, random, 8); !problem.empty())
                remark = fmt::format("where its first points meet, {}: a run ends there", problem);
        } catch (const Failure&) {  // it refuses to
        }
        check_parameter_ends(subject, example);
    });
    subject.remark = remark;
}

/// Refuses what a call wrote besides its outputs.
void require_fences(const StepCall& call, const std::string& problem, bool is_input) {
    if (problem.empty() || problem.starts_with("changed its inputs") != is_input) return;
    throw Failure(fmt::format("{} {}", call.name, problem));
}

void check_inputs(Subject& subject) {
    for_each_call(subject, [](const Example&, const Bench& bench, const StepCall& call, Random& r) {
        for (int k = 0; k < 8; ++k) {
            const Numbers in = inputs(call, r);
            require_fences(call, fenced_results(call, bench.object, in, kCanary).problem, true);
        }
    });
}

void check_bounds(Subject& subject) {
    for_each_call(subject, [](const Example&, const Bench& bench, const StepCall& call, Random& r) {
        // what is read beside a span moves with what lies there
        constexpr double kZones[] = {-3.25e3, 7.5e1};
        for (int k = 0; k < 8; ++k) {
            const Numbers in = inputs(call, r);
            const FencedResults a = fenced_results(call, bench.object, in, kCanary);
            require_fences(call, a.problem, false);
            // what differs without a reason is for the check repeatable to tell
            if (!same_bits(a.out, fenced_results(call, bench.object, in, kCanary).out)) continue;
            for (const double zone : kZones) {
                const FencedResults b = fenced_results(call, bench.object, in, zone);
                require_fences(call, b.problem, false);
                if (!same_bits(a.out, b.out))
                    refuse_difference(call,
                                      a.out,
                                      b.out,
                                      "with other numbers beside its inputs and outputs, which it "
                                      "therefore reads");
            }
        }
    });
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

void check_call_allocation(Subject& subject) {
    if (!AllocationProbe::is_there())
        throw Skipped("allocations cannot be counted in this program");
    for_each_call(subject, [](const Example&, const Bench& bench, const StepCall& call, Random& r) {
        Room out(call);
        for (int k = 0; k < 8; ++k) {
            const Numbers in = inputs(call, r);
            AllocationProbe probe;
            guard(call.name, [&] {
                call.call(bench.object, in, out.all());
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
    {"extremes",
     kModels,
     "no NaN or infinity along axes, ten times farther out, through half turns, and with each "
     "parameter at the ends of its range; points that meet are remarked on",
     check_extremes},
    {"inputs", kModels, "inputs are left as they are", check_inputs},
    {"bounds",
     kModels,
     "nothing beside inputs and outputs is written or read (guard zones around each)",
     check_bounds},
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
};

}  // namespace

std::span<const Check> output_checks() {
    return kOutputChecks;
}

}  // namespace ancora::verify
