// SPDX-License-Identifier: BSD-3-Clause
// Clocks of an FMU for co-simulation: when they tick, and what event mode does then.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "fmu.hpp"

namespace ancora::fmu {
namespace {

// An FMU that wants more updates of its discrete states than this has none that stays, and one that
// returns from a step so often at one time does not go on.
constexpr int kMostUpdates = 1000;
// As a state, which is finite.
constexpr double kNever = std::numeric_limits<double>::max();

double as_time(double t) {
    return t < kNever ? t : std::numeric_limits<double>::infinity();
}

double behind(double t) {
    return t + kSameTime * std::abs(t);
}

/// When a clock ticks by an interval from now on, by which it may tick now once more.
double tick_of(const Clock& clock, double t, const Slave::Interval& interval) {
    if (interval.told == Slave::Interval::Told::not_yet) return kNever;
    if (!(interval.seconds >= 0.0) || std::isinf(interval.seconds))
        throw std::runtime_error("its clock \"" + clock.name + "\" has an interval of " +
                                 std::to_string(interval.seconds) + " s");
    return t + interval.seconds;
}

/// Some of the ports, with the values of their elements and where these stand among all.
struct Part {
    template <class Which>
    Part(const Ports& all, std::span<const double> values, const Which& is_wanted) {
        std::size_t at = 0;
        for (const Port& port : all) {
            if (is_wanted(port)) {
                ports.push_back(port);
                for (std::size_t k = at; k < at + port.count; ++k) {
                    numbers.push_back(values[k]);
                    places.push_back(k);
                }
            }
            at += port.count;
        }
    }
    Ports ports;
    std::vector<double> numbers;
    std::vector<std::size_t> places;
};

bool is_free(const Port& port) {
    return port.clocks.empty();
}

bool is_among(unsigned clock, const References& clocks) {
    return std::ranges::find(clocks, clock) != clocks.end();
}

}  // namespace

void Fmu::find_clocks(const Arguments& arguments) {
    bool is_driven = false;  // its ticks say when it acts
    for (const Clock& clock : description_.clocks) {
        switch (clock.kind) {
            case Clock::Kind::periodic:
                periodic_.push_back(
                    {clock.reference, {clock.interval, times_.offset + clock.shift}});
                break;
            case Clock::Kind::changing:
            case Clock::Kind::countdown:
                chosen_.push_back(clock);
                break;
            case Clock::Kind::output:
                output_clocks_.push_back(clock.reference);
                break;
            case Clock::Kind::triggered:
                break;
        }
        is_driven |= clock.kind != Clock::Kind::output &&
                     (clock.kind != Clock::Kind::triggered || !triggered_.empty());
    }
    if (!is_driven && !(times_.period > 0.0))
        arguments.fail("period", "is missing, and the FMU has no clock that tells it");
    for (std::size_t k = 0; k < periodic_.size(); ++k) {
        double& interval = periodic_[k].times.period;
        if (interval > 0.0) continue;
        try {
            slave_->begin(times_.offset, setting(), {Ports(), {}});
            interval = slave_->interval_of(periodic_[k].clock).seconds;
            if (!(interval > 0.0 && std::isfinite(interval)))
                throw std::runtime_error(
                    "does not say how often its clock \"" +
                    std::ranges::find(description_.clocks, periodic_[k].clock, &Clock::reference)
                        ->name +
                    "\" ticks");
        } catch (const std::runtime_error& error) {
            arguments.fail("file", error.what());
        }
    }
}

double Fmu::next_time(double after, std::span<const double> z) const {
    if (after < times_.offset) return times_.offset;
    if (!has_events()) return times_.next(after);
    double next = std::numeric_limits<double>::infinity();
    const auto take = [&](double t) {
        if (t > after) next = std::min(next, as_time(t));
    };
    // What is now but for rounding has had its turn with others.
    const auto next_of = [&](const SampleTimes& times) {
        const double t = times.next(after);
        return t > behind(after) ? t : times.next(t);
    };
    if (times_.period > 0.0) take(next_of(times_));
    for (std::size_t k = 0; k < periodic_.size(); ++k) {
        const double tick = periodic_tick(k, z);
        take(tick > after ? tick : next_of(periodic_[k].times));
    }
    if (z[kBegun] != 0.0)
        for (std::size_t k = next_event(); k < whole_number(0); ++k) take(z[k]);
    return next;
}

double Fmu::periodic_tick(std::size_t k, std::span<const double> z) const {
    const SampleTimes& times = periodic_[k].times;
    return times.offset + z[num_ticks(k)] * times.period;
}

References Fmu::tick_periodic(double t, std::span<double> z) const {
    References due;
    for (std::size_t k = 0; k < periodic_.size(); ++k) {
        if (!(periodic_tick(k, z) <= behind(t))) continue;
        due.push_back(periodic_[k].clock);
        z[num_ticks(k)] += 1.0;
    }
    return due;
}

void Fmu::evaluate_crossings(const SignalPoint& at, std::span<double> g) const {
    for (std::size_t k = 0; k < triggered_.size(); ++k) {
        const double u = at.own.inputs[triggered_[k].input], whole = at.own.z[whole_number(k)];
        // A signal that shakes where it has ticked lets nothing tick.
        g[k] = at.own.z[kBegun] == 0.0 ? 1.0 : std::min(whole + 1.0 - u, u - (whole - 0.5));
    }
}

/// How large its state is after a first step, of its own length: a period may hold many of them.
/// Inputs are still unknown.
void Fmu::find_room(const Arguments& arguments) {
    try {
        std::vector<double> z(first_byte());
        begin(times_.offset, {});
        note_first_intervals(times_.offset, z);
        if (has_events()) pass_event(times_.offset, tick_periodic(times_.offset, z), false, z);
        std::size_t size = slave_->state().size();
        const double own = description_.step_size;
        double period = times_.period > 0.0 ? times_.period : own;
        for (const Periodic& clock : periodic_)
            period = period > 0.0 ? std::min(period, clock.times.period) : clock.times.period;
        if (period > 0.0) {
            z[kTime] = times_.offset;
            go_to(times_.offset + (own > 0.0 ? std::min(own, period) : period), z);
            if (has_events()) {
                slave_->enter_events();
                settle();
                slave_->leave_events();
            }
            size = std::max(size, slave_->state().size());
        }
        make_room(size);
    } catch (const std::runtime_error& error) {
        arguments.fail("file", error.what());
    }
}

void Fmu::begin(double t, const Values& inputs) const {
    const Part free(inputs.ports, inputs.numbers, is_free);
    slave_->begin(t, setting(), {free.ports, free.numbers});
}

Slave::Update Fmu::settle() const {
    for (int count = 0; count < kMostUpdates; ++count)
        if (const Slave::Update last = slave_->update(); !last.needs_another) return last;
    throw std::runtime_error(
        "its discrete states find no rest: it has asked for an update of them " +
        std::to_string(kMostUpdates) + " times at one event");
}

void Fmu::go_to(double t, std::span<double> z) const {
    double& now = z[kTime];
    for (int count = 0; t > behind(now);) {
        const Slave::Reached reached = slave_->step(now, t);
        count = reached.t > now ? 0 : count + 1;
        if (count == kMostUpdates)
            throw std::runtime_error("its fmi3DoStep has returned early " +
                                     std::to_string(kMostUpdates) + " times without going on");
        now = std::min(reached.t, t);
        // An event there is passed with what is due there.
        if (t <= behind(now) || !reached.has_event || !has_events()) continue;
        slave_->enter_events();
        pass_event(now, {}, false, z);
    }
}

void Fmu::note_first_intervals(double t, std::span<double> z) const {
    if (!has_events()) return;
    z[next_event()] = kNever;
    for (std::size_t k = 0; k < chosen_.size(); ++k)
        z[next_tick(k)] = tick_of(chosen_[k], t, slave_->first_interval_of(chosen_[k].reference));
}

/// What the FMU says of the clocks whose ticks it chooses, behind an update.
void Fmu::note_intervals(double t, const References& ticked, std::span<double> z) const {
    for (std::size_t k = 0; k < chosen_.size(); ++k) {
        const Clock& clock = chosen_[k];
        const bool is_countdown = clock.kind == Clock::Kind::countdown;
        if (!is_countdown && !is_among(clock.reference, ticked)) continue;
        const Slave::Interval next = slave_->interval_of(clock.reference);
        if (next.told == Slave::Interval::Told::not_yet ||
            (is_countdown && next.told == Slave::Interval::Told::unchanged))
            continue;
        z[next_tick(k)] = tick_of(clock, t, next);
    }
}

void Fmu::pass_event(double t, References due, bool gives, std::span<double> z) const {
    // What hangs on clocks that do not tick keeps its value.
    for (std::size_t i = 0; i < outputs_.size(); ++i)
        if (output_.places[i] != kNoPlace) output_.numbers[output_.places[i]] = z[kNumStates + i];
    const auto get = [&](const auto& which) {
        Part got(output_.ports, output_.numbers, which);
        slave_->get(got.ports, got.numbers);
        for (std::size_t k = 0; k < got.places.size(); ++k)
            output_.numbers[got.places[k]] = got.numbers[k];
    };
    Slave::Update last;
    for (int count = 0;; ++count) {
        if (count == kMostUpdates)
            throw std::runtime_error("its clocks and discrete states find no rest at one event");
        for (std::size_t k = 0; k < chosen_.size(); ++k) {
            if (!(z[next_tick(k)] <= behind(t))) continue;
            due.push_back(chosen_[k].reference);
            z[next_tick(k)] = kNever;
        }
        if (!due.empty()) slave_->tick(due);
        References active = due;
        const auto is_active = [&](const Port& port) {
            return is_free(port) || std::ranges::any_of(port.clocks, [&](unsigned clock) {
                       return is_among(clock, active);
                   });
        };
        if (gives) {
            const Part given(input_.ports, input_.numbers, is_active);
            slave_->set({given.ports, given.numbers});
        }
        if (!output_clocks_.empty()) {
            const std::vector<bool> ticking = slave_->are_ticking(output_clocks_);
            for (std::size_t k = 0; k < ticking.size(); ++k)
                if (ticking[k]) active.push_back(output_clocks_[k]);
        }
        get(is_active);  // clocks tick until the update
        for (const Count& of : counts_)
            if (is_among(of.clock, active)) z[kNumStates + of.output] += 1.0;
        last = slave_->update();
        note_intervals(t, due, z);
        due.clear();
        const bool is_due = std::any_of(z.begin() + static_cast<std::ptrdiff_t>(next_tick(0)),
                                        z.begin() + static_cast<std::ptrdiff_t>(whole_number(0)),
                                        [&](double tick) {
                                            return tick <= behind(t);
                                        });
        if (!last.needs_another && !is_due) break;
    }
    z[next_event()] = last.has_next && last.next > behind(t) ? std::min(last.next, kNever) : kNever;
    get(is_free);
    slave_->leave_events();
    for (std::size_t i = 0; i < outputs_.size(); ++i)
        if (output_.places[i] != kNoPlace) z[kNumStates + i] = output_.numbers[output_.places[i]];
}

}  // namespace ancora::fmu
