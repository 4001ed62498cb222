// SPDX-License-Identifier: BSD-3-Clause
// Bad: forces with states, times and crossings of their own that are wrong in one place each, and
// right ones beside them.
#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "ancora/sdk/authoring.hpp"
#include "ancora/sdk/plugin.hpp"
#include "ancora/sdk/signals.hpp"

namespace {

using namespace ancora;

constexpr Parameter kAt[] = {parameter::point("at", "where it acts").required()};
constexpr TypeDocs docs(Claims claims = {}) {
    return {.doc = "a force with a memory",
            .equation = "f = f(r, r', x, z)",
            .source = "made for tests",
            .examples = {"at = \"a@[0.3, 0.1, -0.2]\""},
            .claims = claims};
}

/// A point that is dragged through something viscous, which lags behind: x' = r'_z - 6 x.
class Lag : public ForceLaw<Lag>, public Signals {
public:
    static constexpr auto& kParameters = kAt;
    explicit Lag(const Arguments&) {}
    WorkKind work() const override { return WorkKind::nonideal; }
    void facets(ForceFacets& out) const override {
        ForceLaw::facets(out);
        out.tied_to_inertial_frame = true;
    }
    Vec3 force(const Vec3&, const Vec3& v, const OwnValues& own) const { return push(v, own); }
    std::span<const Output> outputs() const override { return kOutputs; }
    bool outputs_read_inputs() const override { return false; }
    void evaluate_outputs(const SignalPoint& at, std::span<double> y) const override {
        y[0] = at.own.x[0];
    }
    int num_continuous() const override { return 1; }
    void differentiate(const SignalPoint& at, std::span<double> dx) const override {
        dx[0] = at.du[2] - 6.0 * at.own.x[0];
    }

protected:
    virtual Vec3 push(const Vec3& v, const OwnValues&) const { return -0.3 * v; }

private:
    static constexpr std::array<Output, 1> kOutputs{{{"lag", "m", "of the medium"}}};
};

// --- states

class ForgetsRateAtZero final : public Lag {
public:
    using Lag::Lag;
    void differentiate(const SignalPoint& at, std::span<double> dx) const override {
        if (at.own.x[0] == 0.0) return;
        Lag::differentiate(at, dx);
    }
};
/// A level that falls as in a tank, and may not fall below nothing.
class RootOfLevel final : public Lag {
public:
    using Lag::Lag;
    void differentiate(const SignalPoint& at, std::span<double> dx) const override {
        dx[0] = -std::sqrt(at.own.x[0]);
    }
};
/// Right: the same, and reported.
class RefusesLevel final : public Lag {
public:
    using Lag::Lag;
    void differentiate(const SignalPoint& at, std::span<double> dx) const override {
        if (at.own.x[0] < 0.0) throw std::domain_error("the level is below zero");
        dx[0] = -std::sqrt(at.own.x[0]);
    }
};
class ForgetsLargeOutput final : public Lag {
public:
    using Lag::Lag;
    void evaluate_outputs(const SignalPoint& at, std::span<double> y) const override {
        if (std::abs(at.own.x[0]) < 10.0) y[0] = at.own.x[0];
    }
};
/// What has lagged behind pulls the point on.
class DrivesByState final : public Lag {
public:
    using Lag::Lag;

private:
    Vec3 push(const Vec3& v, const OwnValues& own) const override {
        return -0.3 * v + Vec3(0.0, 0.0, 2.0 * own.x[0]);
    }
};
class DividesByState final : public Lag {
public:
    using Lag::Lag;

private:
    Vec3 push(const Vec3& v, const OwnValues& own) const override {
        return -0.3 * (own.x[0] / std::abs(own.x[0])) * v;
    }
};

// --- times

/// Counts every 0.05 s.
class Counts : public Lag {
public:
    using Lag::Lag;
    int num_discrete() const override { return 1; }
    double next_time(double after, std::span<const double>) const override {
        return SampleTimes{0.05, 0.01}.next(after);
    }
    void act(const SignalPoint& at, int, std::span<double>, std::span<double> z) const override {
        z[0] = at.own.z[0] + 1.0;
    }
};
class LeavesNan final : public Counts {
public:
    using Counts::Counts;
    void act(const SignalPoint& at, int, std::span<double>, std::span<double> z) const override {
        z[0] = at.own.x[0] / std::abs(at.own.x[0]);
    }
};
class CountsInObject final : public Counts {
public:
    using Counts::Counts;
    void act(const SignalPoint&, int, std::span<double>, std::span<double> z) const override {
        z[0] = static_cast<double>(++count_);
    }

private:
    mutable int count_ = 0;
};
/// Its output follows a member that act() moves.
class ShowsMember final : public Counts {
public:
    using Counts::Counts;
    void evaluate_outputs(const SignalPoint& at, std::span<double> y) const override {
        y[0] = at.own.x[0] + shown_;
    }
    void act(const SignalPoint& at, int, std::span<double>, std::span<double> z) const override {
        z[0] = at.own.z[0] + 1.0;
        shown_ = z[0];
    }

private:
    mutable double shown_ = 0.0;
};
class WritesBefore final : public Counts {
public:
    using Counts::Counts;
    void act(const SignalPoint& at, int, std::span<double>, std::span<double>) const override {
        const_cast<double&>(at.own.z[0]) += 1.0;
    }
};
class WritesBesideZ final : public Counts {
public:
    using Counts::Counts;
    void act(const SignalPoint& at, int, std::span<double>, std::span<double> z) const override {
        z[0] = at.own.z[0] + 1.0;
        z.data()[1] = z[0];
    }
};
class StopsInTime final : public Counts {
public:
    using Counts::Counts;
    double next_time(double after, std::span<const double>) const override {
        return std::min(SampleTimes{0.05, 0.01}.next(after), 0.26);
    }
};
/// From the question on, so that roundings and late questions add up.
class Drifts final : public Counts {
public:
    using Counts::Counts;
    double next_time(double after, std::span<const double>) const override {
        return after < 0.0 ? 0.01 : after + 0.05;
    }
};

// --- crossings

/// On above 0.2 of the lag, off below -0.1.
class Switch : public Lag {
public:
    using Lag::Lag;
    int num_discrete() const override { return 1; }
    int num_crossings() const override { return 1; }
    void evaluate_crossings(const SignalPoint& at, std::span<double> g) const override {
        const double x = at.own.x[0];
        g[0] = at.own.z[0] == 0.0 ? 0.2 - x : x + 0.1;
    }
    void act(const SignalPoint& at, int, std::span<double>, std::span<double> z) const override {
        z[0] = at.own.z[0] == 0.0 ? 1.0 : 0.0;
    }
};
class SwitchesWrongWay final : public Switch {
public:
    using Switch::Switch;
    void evaluate_crossings(const SignalPoint& at, std::span<double> g) const override {
        const double x = at.own.x[0];
        g[0] = at.own.z[0] == 0.0 ? 0.2 - x : -0.1 - x;
    }
};
class CrossesIntoNan final : public Switch {
public:
    using Switch::Switch;
    void act(const SignalPoint& at, int, std::span<double> x, std::span<double> z) const override {
        Switch::act(at, 0, x, z);
        x[0] = std::sqrt(0.1 - at.own.x[0]);  // behind 0.2
    }
};
/// Its thresholds lie on each other's wrong side.
class NeverRests final : public Switch {
public:
    using Switch::Switch;
    int num_crossings() const override { return 2; }
    void evaluate_crossings(const SignalPoint& at, std::span<double> g) const override {
        const double x = at.own.x[0];
        const bool is_on = at.own.z[0] != 0.0;
        g[0] = is_on ? 1.0 : 0.2 - x;
        g[1] = is_on ? x - 0.5 : 1.0;
    }
};
/// Right: what is counted does not move the crossing function.
class CountsPassages final : public Switch {
public:
    using Switch::Switch;
    void evaluate_crossings(const SignalPoint& at, std::span<double> g) const override {
        g[0] = 0.2 - at.own.x[0];
    }
    void act(const SignalPoint& at, int, std::span<double>, std::span<double> z) const override {
        z[0] = at.own.z[0] + 1.0;
    }
};
/// Right: the state jumps back, as what bounces does.
class Bounces final : public Switch {
public:
    using Switch::Switch;
    void evaluate_crossings(const SignalPoint& at, std::span<double> g) const override {
        g[0] = 0.2 - at.own.x[0];
    }
    void act(const SignalPoint& at, int, std::span<double> x, std::span<double> z) const override {
        x[0] = 0.5 * at.own.x[0];
        z[0] = at.own.z[0] + 1.0;
    }
};

template <class T>
constexpr TypeDescriptor one(const char* name, Claims claims = {}) {
    return type<T>(name, docs(claims), kAt);
}

constexpr TypeDescriptor kTypes[] = {
    one<Lag>("right_lag", {Claim::dissipative}),
    one<RefusesLevel>("right_refuses_level"),
    one<Counts>("right_counts"),
    one<Switch>("right_switch"),
    one<CountsPassages>("right_counts_passages"),
    one<Bounces>("right_bounces"),
    one<ForgetsRateAtZero>("forgets_rate_at_zero"),
    one<RootOfLevel>("root_of_level"),
    one<ForgetsLargeOutput>("forgets_large_output"),
    one<DrivesByState>("drives_by_state", {Claim::dissipative}),
    one<DividesByState>("divides_by_state"),
    one<LeavesNan>("leaves_nan"),
    one<CountsInObject>("counts_in_object"),
    one<ShowsMember>("shows_member"),
    one<WritesBefore>("writes_before"),
    one<WritesBesideZ>("writes_beside_z"),
    one<StopsInTime>("stops_in_time"),
    one<Drifts>("drifts"),
    one<SwitchesWrongWay>("switches_wrong_way"),
    one<CrossesIntoNan>("crosses_into_nan"),
    one<NeverRests>("never_rests"),
};

}  // namespace

ANCORA_PLUGIN("wrong_signals", "1.0.0", kTypes)
