// SPDX-License-Identifier: BSD-3-Clause
// Checks of integrators with what is no mechanics: states of objects, events, works and impulses.
#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "convergence.hpp"
#include "integrator_runs.hpp"
#include "object.hpp"
#include "random.hpp"
#include "reference_systems.hpp"
#include "system_run.hpp"

namespace ancora::verify {
namespace {

/// A system of the kit, and how far a run is off now, relative to what is of size one.
struct MeasuredRun {
    ReferenceSystem system;
    /// Made for each run, with its start.
    std::function<std::function<double(const Simulation&)>(const Simulation& start)> error;
};

Outcome run_once(Subject& subject,
                 const std::string& own,
                 const MeasuredRun& measured,
                 const StepChoice& choice) {
    Simulation simulation(integrator_manifest(subject, own, measured.system, choice),
                          subject.registry);
    const auto error = measured.error(simulation);
    double squares = 0.0, last = 0.0;
    int rows = 0;
    while (!simulation.done()) {
        simulation.step();
        last = error(simulation);
        squares += last * last;
        ++rows;
    }
    return {std::sqrt(squares / rows), static_cast<double>(simulation.statistics().substeps), last};
}

/// Refuses errors that do not fall as `order` says.
///
/// @param what  what is off: "the state of a filter"
void require_order(Subject& subject,
                   const std::string& own,
                   const MeasuredRun& measured,
                   bool is_adaptive,
                   int order,
                   const std::string& what) {
    std::vector<Outcome> runs;
    double found = std::nan("");
    // an order is of small steps: where it seems too low, smaller ones are tried
    const int most = static_cast<int>(std::size(kSteps)) + kRefinements;
    for (int k = 0; k < most; ++k) {
        runs.push_back(run_once(subject, own, measured, StepChoice::of(k, is_adaptive)));
        if (!std::isfinite(runs.back().error))
            throw Failure(fmt::format(
                "{} goes to {} in {} steps", what, runs.back().error, runs.back().steps));
        if (k + 1 < static_cast<int>(std::size(kSteps))) continue;
        const std::vector<Outcome> told = telling(runs);
        if (told.size() < 2) return;
        found = order_of(told);
        if (std::isnan(found) || found >= order - kOrderSlack) return;
    }
    throw Failure(fmt::format(
        "{} shows the order {:.2f} (errors along the way {}), it must be {}: the entries of x "
        "behind q and v are states like them",
        what,
        found,
        text_of(telling(runs)),
        order));
}

/// Runs `check(example, is_adaptive)` on each example; what no system can be run with is skipped.
template <class Function>
void for_each_integrator(Subject& subject, const ReferenceSystem& system, Function&& check) {
    if (!system.is_there(subject.registry))
        throw Skipped(fmt::format("needs the types {}, which no plugin on the search path offers",
                                  system.types()));
    for_each_example(subject, [&](const Example& example) {
        try {
            check(example, example.make().integrator->traits().is_adaptive);
        } catch (const Error& error) {
            // not every method serves every system
            if (error.kind() == ErrorKind::plugin) throw;
            throw Skipped("no such system can be run: " + error.message());
        }
    });
}

/// A filter of a swinging value, T y' = sin(w t) - y:
///
///   y = (sin(w t) - w T cos(w t) + w T exp(-t / T)) / (1 + w^2 T^2)
void check_own_states(Subject& subject) {
    const ReferenceSystem system = reference_system("filtered");
    const double w = system.number("w"), T = 0.5 / (std::numbers::pi * system.number("f"));
    const MeasuredRun filtered{system, [=](const Simulation& start) {
                                   return [=, columns = SystemRow(start)](const Simulation& now) {
                                       const double t = now.time();
                                       const double y = (std::sin(w * t) - w * T * std::cos(w * t) +
                                                         w * T * std::exp(-t / T)) /
                                                        (1.0 + w * w * T * T);
                                       return std::abs(columns.value(now, "filter.value") - y);
                                   };
                               }};
    for_each_integrator(subject, system, [&](const Example& example, bool is_adaptive) {
        // a step of the discrete formulation takes them by the midpoint rule
        const int claimed = std::max(1, static_cast<int>(subject.type.order));
        const bool is_discrete = example.make().integrator->traits().face == Face::discrete;
        require_order(subject,
                      example.text(),
                      filtered,
                      is_adaptive,
                      is_discrete ? std::min(claimed, 2) : claimed,
                      "the state of a filter");
    });
}

/// The states inside steps of a method that chooses them, of the mass that a load drives.
void check_inside(Subject& subject) {
    if (subject.type.order == 0) throw Skipped("no order is claimed");
    const ReferenceSystem system = reference_system("driven");
    const double m = system.number("m"), w = system.number("w"), F = system.number("F"),
                 G = system.number("G");
    const Vec3 x0(system.number("x"), system.number("y"), system.number("z"));
    const Vec3 v0(system.number("vx"), system.number("vy"), system.number("vz"));
    using Row = std::vector<double>;
    constexpr double kInside[] = {0.3, 0.5, 0.8};
    constexpr double kAtEnd = 1e-10;  // of what is of size one
    for_each_integrator(subject, system, [&](const Example& example, bool is_adaptive) {
        const IntegratorTraits traits = example.make().integrator->traits();
        if (!is_adaptive || traits.face != Face::continuous)
            throw Skipped("its states are those at the ends of steps");
        const auto run = [&](const StepChoice& choice) {
            Simulation simulation(integrator_manifest(subject, example.text(), system, choice),
                                  subject.registry);
            const std::vector<std::string> names = simulation.column_names();
            const auto column = [&](const char* name) {
                return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
            };
            const std::size_t work = column("work.external");
            const auto now = [&](double t, bool is_inside) {
                Row row(names.size()), state(7);
                if (is_inside)
                    simulation.sample_at(t, {row, {}, state});
                else
                    simulation.sample({row, {}, state});
                state.push_back(work < row.size() ? row[work] : 0.0);
                return state;
            };
            const auto require_end = [&](double t, const Row& is) {
                const Row said = now(t, true);
                for (std::size_t i = 1; i < is.size(); ++i)
                    if (!(std::abs(said[i] - is[i]) <= kAtEnd * (1.0 + std::abs(is[i]))))
                        throw Failure(fmt::format(
                            "interpolate({:.6g}), at an end of its step, gives {:.9g} for {} where "
                            "the state is {:.9g}",
                            t,
                            said[i],
                            i < 7 ? fmt::format("{}[{}]", i < 4 ? 'q' : 'v', (i - 1) % 3)
                                  : std::string("the work"),
                            is[i]));
            };
            Outcome out;
            double squares = 0.0;
            int count = 0;
            Row before = now(0.0, false);
            while (!simulation.done()) {
                const double t0 = simulation.time();
                simulation.step();
                const double t1 = simulation.time();
                const Row after = now(t1, false);
                require_end(t0, before);
                require_end(t1, after);
                for (const double part : kInside) {
                    const double t = t0 + part * (t1 - t0);
                    const Row said = now(t, true);
                    const double c = std::cos(w * t), s = std::sin(w * t);
                    const Vec3 v = v0 + Vec3(F / (m * w) * (1.0 - c), G / (m * w) * s, 0.0);
                    const Vec3 x =
                        x0 + t * v0 +
                        Vec3(F / (m * w) * (t - s / w), G / (m * w * w) * (1.0 - c), 0.0);
                    const double energy = 0.5 * m * (v.squaredNorm() - v0.squaredNorm());
                    const double off = (Vec3(said[1], said[2], said[3]) - x).norm() +
                                       (Vec3(said[4], said[5], said[6]) - v).norm() +
                                       std::abs(said[7] - energy);
                    squares += off * off;
                    ++count;
                }
                before = after;
            }
            out.error = std::sqrt(squares / count);
            out.steps = static_cast<double>(simulation.statistics().substeps);
            return out;
        };
        std::vector<Outcome> runs;
        for (int k = 0; k < static_cast<int>(std::size(kTolerances)); ++k)
            runs.push_back(run(StepChoice::of(k, true)));
        const std::vector<Outcome> told = telling(runs);
        if (told.size() < 2) return;
        const double found = order_of(told);
        const int least = std::max(1, static_cast<int>(subject.type.order) - 1);
        if (!std::isnan(found) && !(found >= least - kOrderSlack))
            throw Failure(fmt::format(
                "states inside steps show the order {:.2f} (errors {}), it must be {}: at most one "
                "below that of the method, for q, v and what stands behind them in x",
                found,
                text_of(told),
                least));
    });
}

/// A mass that is pushed from the moment on at which a relay has switched:
///
///   v = v_0 + F / m (t - t_on),   t_on = level / rate
void check_integrator_events(Subject& subject) {
    const ReferenceSystem system = reference_system("switched");
    const double m = system.number("m"), F = system.number("F"),
                 on = system.number("level") / system.number("rate");
    constexpr double kShare = 0.05;  // of a step, that an event may be off
    constexpr double kExact = 1e-4;  // [s], where tolerances choose the steps
    constexpr double kStepsBeside[] = {0.01, 0.004};
    for_each_integrator(subject, system, [&](const Example& example, bool is_adaptive) {
        for (const double step : kStepsBeside) {
            Simulation simulation(
                integrator_manifest(
                    subject, example.text(), system, {step, is_adaptive ? 1e-8 : 0.0}),
                subject.registry);
            const SystemRow columns(simulation);
            const double before = columns.value(simulation, "mass.vz");
            while (!simulation.done()) simulation.step();
            const double switched = columns.value(simulation, "trigger.switched");
            if (switched != 1.0)
                throw Failure(fmt::format(
                    "what has to switch at {:.6g} s has switched {} times by {:.6g} s: "
                    "steps end at System::evaluate_events()'s zeros, and pass_event() is called",
                    on,
                    switched,
                    simulation.time()));
            const double gained = columns.value(simulation, "mass.vz") - before;
            const double off = gained * m / F - (simulation.time() - on);
            if (!(std::abs(off) <= (is_adaptive ? kExact : kShare * step)))
                throw Failure(
                    fmt::format("an event at {:.6g} s acts {:.3g} s {} in steps of {:g} s",
                                on,
                                std::abs(off),
                                off > 0.0 ? "early" : "late",
                                step));
        }
    });
}

/// Works and impulses of a mass that a load drives, whose exact gain of energy and momentum is
/// known, and what is left of the balances.
void check_order_of_works(Subject& subject) {
    if (subject.type.order < 2) throw Skipped("no order above one is claimed");
    const ReferenceSystem system = reference_system("driven");
    const double m = system.number("m"), w = system.number("w"), F = system.number("F"),
                 G = system.number("G");
    const Vec3 v0(system.number("vx"), system.number("vy"), system.number("vz"));
    const MeasuredRun work{system, [=](const Simulation& start) {
                               return [=, columns = SystemRow(start)](const Simulation& now) {
                                   const double t = now.time();
                                   const Vec3 v = v0 + Vec3(F / (m * w) * (1.0 - std::cos(w * t)),
                                                            G / (m * w) * std::sin(w * t),
                                                            0.0);
                                   const double exact =
                                       0.5 * m * (v.squaredNorm() - v0.squaredNorm());
                                   return std::abs(columns.value(now, "work.external") - exact);
                               };
                           }};
    const auto balance_of = [&](const std::string& name) {
        return MeasuredRun{system, [=](const Simulation& start) {
                               const SystemRow columns(start);
                               const auto left = [=](const Simulation& now) {
                                   return Vec3(columns.value(now, name + ".balance.x"),
                                               columns.value(now, name + ".balance.y"),
                                               columns.value(now, name + ".balance.z"));
                               };
                               return [=, begin = left(start)](const Simulation& now) {
                                   return (left(now) - begin).norm();
                               };
                           }};
    };
    for_each_integrator(subject, system, [&](const Example& example, bool is_adaptive) {
        const auto require = [&](const MeasuredRun& measured, const char* what) {
            require_order(subject, example.text(), measured, is_adaptive, subject.type.order, what);
        };
        require(work, "the work of a load");
        require(balance_of("momentum"), "the impulse of a load");
        require(balance_of("angular_momentum"), "the angular impulse of a load");
    });
}

constexpr Check kIntegratorSignalChecks[] = {
    {"own_states",
     kIntegrators,
     "states of objects (Signals) are carried: a filter of a swinging value converges, at the "
     "order "
     "claimed, or at the second in the discrete formulation",
     check_own_states},
    {"inside",
     kIntegrators,
     "states inside steps (DenseOutput) meet those at their ends, and are at most one order below "
     "the method, works too",
     check_inside},
    {"events",
     kIntegrators,
     "steps end where an object's crossing comes down to zero, and it acts there; or the method "
     "refuses models with events",
     check_integrator_events},
    {"order_of_works",
     kIntegrators,
     "works and impulses of a driven mass have the order claimed, as the motion has",
     check_order_of_works},
};

}  // namespace

std::span<const Check> integrator_signal_checks() {
    return kIntegratorSignalChecks;
}

}  // namespace ancora::verify
