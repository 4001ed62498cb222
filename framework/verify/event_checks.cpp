// SPDX-License-Identifier: BSD-3-Clause
// Checks of events: the times at which objects act, what acting does, and crossing functions.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include "bench.hpp"
#include "own_values.hpp"

namespace ancora::verify {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kTimes = 100;    // followed one after the other
constexpr int kPairs = 400;    // of points, tried until one lies before a crossing and one behind
constexpr int kPassings = 12;  // of each crossing
constexpr int kBisections = 80;
constexpr int kMostActs = 32;        // at one instant
constexpr double kSameTime = 1e-12;  // that a time may be off, of its size
// That a crossing function may be below zero after its act, of its size before and behind.
constexpr double kAtZero = 1e-9;

/// A point at which signals are evaluated, with numbers of its own.
struct Point {
    double t = 0.0;
    Numbers u, du, inputs, x, z;

    SignalPoint view() const { return {t, u, du, {inputs, x, z}}; }
    /// On the way to another one, whose z is the same.
    Point towards(const Point& other, double part) const {
        const auto between = [part](double a, double b) {
            return a + part * (b - a);
        };
        Point out = *this;
        out.t = between(t, other.t);
        for (const auto of : {&Point::u, &Point::du, &Point::inputs, &Point::x})
            std::ranges::transform(this->*of, other.*of, (out.*of).begin(), between);
        return out;
    }
};

struct States {
    Numbers x, z;
};

/// An object with Signals.
class EventSpecimen {
public:
    EventSpecimen(const Example& example, std::uint64_t seed)
        : arguments_(example.bind()),
          object_(example.make(arguments_)),
          stage_(example.type(), arguments_, object_),
          signals_(signals_of(object_)),
          random_(seed) {
        if (signals_ == nullptr) throw Skipped("it has no signals");
        guard("start_values", [&] {
            own_ = OwnSampler(stage_, object_);
            start_.x.resize(own_.num_x());
            start_.z.resize(own_.num_z());
            signals_->start_values(start_.x, start_.z);
        });
    }

    const States& start() const { return start_; }
    int num_crossings() const { return signals_->num_crossings(); }
    Random& random() { return random_; }

    /// Anywhere, with inputs of both signs and many magnitudes.
    Point point(const Numbers& z) {
        Point at{random_.uniform(0.0, 2.0),
                 Numbers(static_cast<std::size_t>(stage_.num_scalars())),
                 {},
                 Numbers(own_.num_inputs()),
                 Numbers(own_.num_x()),
                 z};
        at.du.resize(at.u.size());
        if (!at.u.empty()) stage_.motion(random_).evaluate(0.0, at.u, at.du, {});
        for (double& input : at.inputs)
            input =
                random_.uniform() < -0.6
                    ? 0.0
                    : std::copysign(std::pow(10.0, random_.uniform(-2.0, 2.0)), random_.uniform());
        own_.sample_x(random_, at.x);
        return at;
    }

    double next_time(double after, const Numbers& z) const {
        double time = 0.0;
        guard("next_time", [&] {
            time = signals_->next_time(after, z);
        });
        return time;
    }
    Numbers crossings(const Point& at) const {
        Numbers g(static_cast<std::size_t>(num_crossings()), 0.0);
        guard("evaluate_crossings", [&] {
            signals_->evaluate_crossings(at.view(), g);
        });
        return g;
    }

    /// States after acting, which must be all that has changed.
    States act(const Point& at, int crossing) const {
        const std::string name = crossing == Signals::kTimeEvent
                                     ? fmt::format("act, at its time {:.6g},", at.t)
                                     : fmt::format("act, at crossing {},", crossing);
        const Numbers others = look(at);
        const States after = act_once(at, crossing, name);
        const auto require_finite = [&](const Numbers& states, const char* kind) {
            for (std::size_t i = 0; i < states.size(); ++i)
                if (!std::isfinite(states[i]))
                    throw Failure(fmt::format("{} leaves {} in {}[{}]", name, states[i], kind, i));
        };
        require_finite(after.x, "x");
        require_finite(after.z, "z");
        if (const States again = act_once(at, crossing, name);
            !same_bits(after.x, again.x) || !same_bits(after.z, again.z))
            throw Failure(name +
                          " leaves other states when it is called again with the same ones: "
                          "what it remembers belongs in x and z");
        if (!same_bits(others, look(at)))
            throw Failure(name +
                          " changes what the object answers for the same states: what it "
                          "remembers belongs in x and z");
        return after;
    }

private:
    /// What everything else says at a point.
    Numbers look(const Point& at) const {
        Numbers y(static_cast<std::size_t>(num_values(signals_->outputs())), 0.0), dx(at.x.size());
        guard("evaluate_outputs", [&] {
            if (!y.empty()) signals_->evaluate_outputs(at.view(), y);
        });
        try {
            if (!dx.empty()) signals_->differentiate(at.view(), dx);
        } catch (const std::exception&) {  // it may refuse a place
        }
        const Numbers g = crossings(at);
        Numbers all = {next_time(at.t, at.z)};
        for (const auto& part : {std::cref(y), std::cref<Numbers>(dx), std::cref(g)})
            all.insert(all.end(), part.get().begin(), part.get().end());
        return all;
    }
    States act_once(const Point& at, int crossing, const std::string& name) const {
        constexpr std::size_t kZone = 16;
        const auto fenced = [](const Numbers& states) {
            Numbers room(states.size() + 2 * kZone, kCanary);
            std::ranges::copy(states, room.begin() + kZone);
            return room;
        };
        Numbers x = fenced(at.x), z = fenced(at.z);
        const Point before = at;
        guard(name, [&] {
            signals_->act(at.view(),
                          crossing,
                          std::span(x).subspan(kZone, at.x.size()),
                          std::span(z).subspan(kZone, at.z.size()));
        });
        for (const auto of : {&Point::u, &Point::du, &Point::inputs, &Point::x, &Point::z})
            if (!same_bits(before.*of, at.*of))
                throw Failure(name +
                              " changes what it is given: states go into its last two "
                              "arguments");
        const auto inner = [&](const Numbers& room, const char* kind) {
            for (std::size_t k = 0; k < room.size(); ++k)
                if ((k < kZone || k >= room.size() - kZone) && !same_bits(room[k], kCanary))
                    throw Failure(fmt::format("{} writes beside {}", name, kind));
            return Numbers(room.begin() + kZone, room.end() - kZone);
        };
        return {inner(x, "x"), inner(z, "z")};
    }

    BoundArguments arguments_;
    Object object_;
    Stage stage_;
    const Signals* signals_;
    Random random_;
    OwnSampler own_;
    States start_;
};

/// Follows the times at which it acts. @returns z on the way
std::vector<Numbers> check_times(EventSpecimen& specimen) {
    std::vector<Numbers> z = {specimen.start().z};
    const double first = specimen.next_time(-kInfinity, z.back());
    if (!(first > -kInfinity))
        throw Failure(fmt::format("the first next_time is {}: say lowest() for the start", first));
    double after = std::max(first, 0.0);
    for (int k = 0; k < kTimes && std::isfinite(after); ++k) {
        Point at = specimen.point(z.back());
        at.t = after;
        if (k % 4 == 0) at.x = specimen.start().x;
        z.push_back(specimen.act(at, Signals::kTimeEvent).z);
        const double next = specimen.next_time(after, z.back());
        if (!(next > after))
            throw Failure(fmt::format(
                "next_time({:.9g}) returns {:.9g}, which does not lie behind it", after, next));
        for (const double part : {0.3, 0.7}) {
            if (!std::isfinite(next)) break;
            const double between = after + part * (next - after);
            const double then = specimen.next_time(between, z.back());
            if (!(std::abs(then - next) <= kSameTime * std::max(1.0, std::abs(next))))
                throw Failure(fmt::format(
                    "next_time({:.9g}) returns {:.9g}, and next_time({:.9g}), between both, "
                    "{:.9g}: times that are counted from the question drift; see SampleTimes",
                    after,
                    next,
                    between,
                    then));
        }
        after = next;
    }
    return z;
}

/// Lets everything act that is due at an instant, as the kernel does.
/// @param before  crossing functions just before
/// @param size    of the one that comes down, at some distance
void act_until_rest(
    EventSpecimen& specimen, Point at, const Numbers& before, int crossing, double size) {
    std::vector<bool> is_armed;
    for (const double g : before) is_armed.push_back(g > 0.0);
    Numbers last = specimen.crossings(at);
    for (int k = 0; crossing >= 0; ++k) {
        if (k == kMostActs)
            throw Failure(fmt::format(
                "acts at one instant follow each other without end, the last at crossing {}",
                crossing));
        const auto i = static_cast<std::size_t>(crossing);
        is_armed[i] = false;
        const States after = specimen.act(at, crossing);
        at.x = after.x;
        at.z = after.z;
        const Numbers now = specimen.crossings(at);
        if (now[i] < std::min(0.0, last[i]) - kAtZero * size)
            throw Failure(fmt::format(
                "after act, crossing function {} is {:.6g}: it must be positive as long as nothing "
                "happens, so that it comes down to zero where something does",
                i,
                now[i]));
        crossing = -1;
        for (std::size_t j = 0; j < now.size(); ++j) {
            if (now[j] > std::max(last[j], 0.0)) is_armed[j] = true;
            if (is_armed[j] && now[j] <= 0.0) crossing = static_cast<int>(j);
        }
        last = now;
    }
}

/// Takes each crossing function down to zero, from states of both kinds.
/// @returns how many came there
int check_passings(EventSpecimen& specimen, const std::vector<Numbers>& z) {
    int found = 0;
    for (int crossing = 0; crossing < specimen.num_crossings(); ++crossing) {
        const auto i = static_cast<std::size_t>(crossing);
        std::vector<Numbers> known = z;
        int passed = 0;
        for (int k = 0; k < kPairs && passed < kPassings; ++k) {
            const Numbers& now = known[specimen.random().bits() % known.size()];
            Point positive = specimen.point(now), other = specimen.point(now);
            Numbers before;
            double size = 0.0;
            try {
                before = specimen.crossings(positive);
                const double behind = specimen.crossings(other)[i];
                if (!(before[i] > 0.0) || !(behind <= 0.0)) continue;
                size = before[i] - behind;
                for (int bisection = 0; bisection < kBisections; ++bisection) {
                    const Point middle = positive.towards(other, 0.5);
                    const Numbers g = specimen.crossings(middle);
                    (g[i] > 0.0 ? positive : other) = middle;
                    if (g[i] > 0.0) before = g;
                }
            } catch (const Failure&) {  // it may refuse a place
                continue;
            }
            ++passed;
            act_until_rest(specimen, other, before, crossing, size);
            // what it is after acting is where it goes on from
            if (known.size() < 8) known.push_back(specimen.act(other, crossing).z);
        }
        found += passed > 0 ? 1 : 0;
    }
    return found;
}

void check_events(Subject& subject) {
    std::string remark;
    for_each_example(subject, [&](const Example& example) {
        EventSpecimen specimen(example, subject.seed);
        const std::vector<Numbers> z = check_times(specimen);
        if (z.size() < 2 && specimen.num_crossings() == 0) throw Skipped("nothing happens to it");
        const int found = check_passings(specimen, z);
        if (found < specimen.num_crossings())
            remark = fmt::format("no sampled states lie on both sides of {} of {} crossings",
                                 specimen.num_crossings() - found,
                                 specimen.num_crossings());
    });
    subject.remark = remark;
}

constexpr Check kEventChecks[] = {
    {"events",
     kModels,
     "times of acts follow each other and do not drift, acts leave finite states and nothing else, "
     "crossing functions are not below zero after their act, and acts come to rest",
     check_events},
};

}  // namespace

std::span<const Check> event_checks() {
    return kEventChecks;
}

}  // namespace ancora::verify
