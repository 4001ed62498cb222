// SPDX-License-Identifier: BSD-3-Clause
// Unilateral rows as a part of a system.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "crossing.hpp"
#include "impact.hpp"
#include "state_archive.hpp"
#include "step_parts.hpp"
#include "unilateral_rows.hpp"

namespace ancora {
namespace {

constexpr long kMostEvents = 64;  // in one step (theory, section 8.2.5)

/// Unilateral rows are rows of the model: open ones nothing, closed ones constraints. The part has
/// no rows of its own; it says when rows meet and when they part, and what happens then.
///
/// Events, one per row: of an open row the least gap within the step, of a closed one what it
/// presses by at the step's end.
class ImpactPart final : public StepPart {
public:
    explicit ImpactPart(const PartContext& in)
        : StepPart(in.first_row),
          parts_(in.parts),
          state_(in.state),
          trial_(in.trial),
          inner_(in.inner),
          records_(in.impacts),
          rows_(in.parts),
          impact_(in.parts, in.state, in.accelerations, in.energy, rows_, in.impacts),
          accelerations_(in.accelerations),
          crossing_(in.parts, in.state, in.trial, in.accelerations, rows_, impact_) {
        stress_.setZero(0);
        records_.begin(parts_.m, parts_.rows.unilateral());
        for (Eigen::VectorXd* x : {&q_, &v_}) x->setZero(parts_.n);
    }

    // No rows of its own.
    int num_rows() const override { return 0; }
    bool acts_on(int) const override { return false; }
    void evaluate(const StepTrial&, std::span<double>, std::span<double>) override {}
    void solve(std::span<const double> r_motion,
               std::span<const double> r_rows,
               std::span<double> ddq,
               std::span<double> ds) override {
        inner_.solve(r_motion, r_rows, ddq, ds);
    }
    void forget_matrix() override {}
    void subtract_tangent(const double*, const double*, double*, double*) override {}
    void measure(const StepTrial&, PartResidual&) override {}
    bool settle(const StepTrial& trial) override {
        return is_crossing_ && crossing_.settle(trial, longest_);
    }
    bool is_admissible() const override { return !is_crossing_ || !crossing_.is_open_ended(); }
    bool may_share() const override { return false; }
    void clear_shared_stress(std::span<double>) const override {}
    void hold(const StepTrial&) override {}
    void return_to_step(const StepTrial&) override {}
    void record(const StepTrial& trial, const TrialSizes&) override {
        if (is_crossing_) crossing_.note(trial);
    }
    void solve_instant(ContinuousFace&, const double*, const double*, double, bool) override {}
    const Eigen::VectorXd& stress() const override { return stress_; }
    void hold_accelerations(const double*, double*, const ContinuousFace&) override {}
    double max_smooth_step(double h) const override { return h; }
    Work work(const double*, const double*) const override { return {}; }
    void add_forces(const double*, double*) const override {}
    void add_external(const double*, double*) const override {}
    void add_applied(const double*, double, std::span<double>, std::span<double>) const override {}
    std::vector<std::string> efforts() const override { return {}; }
    double effort_work(int, const double*, const double*) const override { return 0.0; }

    void accept_step(double) override { look(); }
    void accept_state() override { look(); }

    void start() override;
    void restart() override { resolve(); }
    void forget_rows() override { impact_.pressed().make_free_face(); }
    int num_events() const override { return rows_.count(); }
    void evaluate_events(const StepTrial& trial, std::span<double> g) override;
    void evaluate_events(double t, const double* q, const double* v, std::span<double> g) override;
    void begin_course() override {
        is_in_course_ = false;
        has_courses_ = true;
        look();
        rows_.begin_course();
        is_in_course_ = true;
    }
    void evaluate_course(std::span<double> g) override;
    Passage pass(int event) override;
    bool is_overrun() const override { return num_events_ > most_events_; }
    Passage go_over() override;
    bool take_less() override { return is_crossing_ && crossing_.drop_friction(); }
    Passage finish_step() override;
    Passage follow_signals() override;
    void recheck() override { count_event(); }
    void note_jump() override {}
    void resolve() override {
        if (impact_.close_pressed()) look();
    }

    void refuse_unsolvable(double) const override {}
    OpenRow describe_row(int) const override { return {}; }
    Unsmooth unsmooth() const override { return {}; }
    std::vector<std::string> locked() const override { return {}; }
    std::vector<std::string> ambiguous(ContinuousFace&) const override { return {}; }

    void save(std::vector<std::byte>& to) const override {
        to.clear();
        for (const std::vector<char>* flags : {&rows_.closed(), &rows_.latched()}) {
            const std::span<const std::byte> bytes = std::as_bytes(std::span(*flags));
            to.insert(to.end(), bytes.begin(), bytes.end());
        }
    }
    void restore(std::span<const std::byte> from) override {
        if (from.empty()) return;
        const std::size_t count = from.size() / 2;
        std::vector<char> closed(count), latched(count);
        std::memcpy(closed.data(), from.data(), count);
        std::memcpy(latched.data(), from.data() + count, count);
        impact_.set_latched(latched);
        close(closed);
    }
    void transfer(ArchiveWriter& archive) override { transfer_all(archive); }
    void transfer(ArchiveReader& archive) override { transfer_all(archive); }
    void follow_restored() override { look(); }

private:
    void look();
    void evaluate(double t, const double* q, const double* v, bool of_course, std::span<double> g);
    void count_event();
    void set_crossing(bool is_crossing) {
        is_crossing_ = is_crossing;
        parts_.rows.set_crossing(is_crossing);
    }
    void close(const std::vector<char>& closed) {
        rows_.close(closed);
        accelerations_.rebuild();
    }
    template <class Archive>
    void transfer_all(Archive& archive) {
        std::vector<char> closed = rows_.closed(), implied = rows_.implied();
        std::vector<char> latched = rows_.latched(), rubbing = rows_.rubbing();
        for (std::vector<char>* flags :
             {&closed, &implied, &latched, &rubbing, &rows_.broken(), &rows_.absent()}) {
            archive.fixed(*flags);
            archive.require(std::ranges::all_of(*flags,
                                                [](char c) {
                                                    return c == 0 || c == 1;
                                                }),
                            "a flag");
        }
        archive(longest_);
        archive.require(longest_ >= 0.0, "a length");
        archive(rows_.top_speed());
        archive(counted_since_);
        archive.require(std::isfinite(counted_since_), "a time");
        for (long* number : {&num_events_, &most_events_}) {
            archive(*number);
            archive.require(*number >= 0, "a count");
        }
        archive(is_crossing_);
        for (long* number : {&num_over_, &run_over_}) {
            archive(*number);
            archive.require(*number >= 0, "a count");
        }
        archive(over_until_);
        archive.require(std::isfinite(over_until_), "a time");
        records_.transfer(archive);
        if constexpr (Archive::kReads) {
            impact_.set_latched(latched);
            parts_.rows.set_crossing(is_crossing_);
            rows_.set_rubbing(rubbing);
            close(closed);
            rows_.set_implied(implied);
            impact_.pressed().assume_dependence();
            crossing_.forget(closed);
        }
    }

    Assembly& parts_;
    MotionState& state_;
    Trial& trial_;
    StepOperator& inner_;
    ImpactRecords& records_;
    UnilateralRows rows_;
    Impact impact_;
    Accelerations& accelerations_;
    Crossing crossing_;
    double looked_at_ = 0.0;  // time of the state that gaps are of
    double longest_ = 0.0;    // step that was tried [s]
    bool is_in_course_ = false;
    bool has_courses_ = false;
    // Events since a time, within a step from there; beyond so many the rest of it is one step over
    // all of them.
    double counted_since_ = 0.0;
    long num_events_ = 0;
    long most_events_ = kMostEvents;
    bool is_crossing_ = false;
    // Steps behind this one that are gone over as well: of a run that is twice as long as the one
    // before where that has ended within a step of here. What tries to go from event to event and
    // fails costs far more than these steps, in all no more than they do.
    long num_over_ = 0;
    long run_over_ = 0;
    double over_until_ = 0.0;
    Eigen::VectorXd stress_, q_, v_, gaps_, rates_, pressure_;
};

void ImpactPart::look() {
    rows_.set_extent(state_.extent);
    impact_.look();
    looked_at_ = state_.t;
    // Ends of a composition's stages are no states of the motion.
    if (is_in_course_) return;
    rows_.update_latches();
    for (int i = 0; i < rows_.count(); ++i)
        records_.set_gap(rows_.row(i), rows_.gap(i), rows_.is_absent(i));
}

void ImpactPart::start() {
    records_.forget();
    is_in_course_ = false;
    set_crossing(false);
    counted_since_ = state_.t;
    num_events_ = 0;
    most_events_ = kMostEvents;
    num_over_ = 0;
    run_over_ = 0;
    over_until_ = state_.t;
    rows_.top_speed() = 0.0;
    const std::vector<char> none(static_cast<std::size_t>(rows_.count()), 0);
    impact_.set_latched(none);
    rows_.renew_latches();
    close(none);
    look();
    impact_.refuse_overlap();
    try {
        impact_.close_pressed();
    } catch (const Error&) {
        // Without accelerations nothing is pressed; a step may find out.
        close(rows_.latched());
    }
}

StepPart::Passage ImpactPart::follow_signals() {
    if (!impact_.open_latches()) {
        rows_.update_latches();
        return {};
    }
    is_in_course_ = false;
    look();
    crossing_.forget(rows_.closed());
    return {true, nullptr, true};
}

void ImpactPart::evaluate_events(const StepTrial& trial, std::span<double> g) {
    for (int i = 0; i < parts_.n; ++i) {
        q_[i] = state_.q[i] + (state_.q_low[i] + trial_.dq[i]);
        v_[i] = state_.v[i] + (state_.v_low[i] + trial.h * trial.a[i]);
    }
    const double t1 = trial.t0 + trial.h;
    if (is_crossing_) {
        std::ranges::fill(g, 1.0);
        return;
    }
    longest_ = std::max(longest_, trial.h);
    rows_.evaluate(q_.data(), v_.data(), t1, gaps_, rates_);
    // Rates at the end of a trial are off by what a step leaves of conditions: (g1 - g0) and the
    // rate at the begin say the same, to the order of the step.
    for (int i = 0; i < rows_.count(); ++i)
        rates_[i] = 2.0 * (gaps_[i] - rows_.gap(i)) / trial.h - rows_.rate_at_begin(i);
    evaluate(t1, q_.data(), v_.data(), false, g);
}

void ImpactPart::evaluate_events(double t, const double* q, const double* v, std::span<double> g) {
    longest_ = std::max(longest_, t - looked_at_);
    rows_.evaluate(q, v, t, gaps_, rates_);
    evaluate(t, q, v, false, g);
}

void ImpactPart::evaluate_course(std::span<double> g) {
    const double* const q = state_.q.data();
    const double* const v = state_.v.data();
    longest_ = std::max(longest_, state_.t - rows_.begin_of_course());
    rows_.evaluate(q, v, state_.t, gaps_, rates_);
    for (int i = 0; i < rows_.count(); ++i)
        records_.set_gap(rows_.row(i), gaps_[i], rows_.is_absent(i));
    evaluate(state_.t, q, v, true, g);
}

/// @param of_course since the course began, else since the last accepted state
void ImpactPart::evaluate(
    double t, const double* q, const double* v, bool of_course, std::span<double> g) {
    if (rows_.any_closed()) impact_.pressed().evaluate(q, v, t, pressure_);
    for (int i = 0; i < rows_.count(); ++i) {
        double& event = g[static_cast<std::size_t>(i)];
        if (rows_.is_absent(i))
            event = 1.0;
        else
            event = rows_.is_closed(i) ? rows_.stays_in_touch(i, gaps_[i], pressure_[i])
                                       : rows_.least(i, gaps_[i], rates_[i], t, of_course);
    }
}

StepPart::Passage ImpactPart::pass(int event) {
    if (is_crossing_) return {};
    const std::vector<char> latched = rows_.latched();
    const bool depended = impact_.pressed().may_depend();
    const std::vector<char> closed = rows_.closed();
    bool has_changed = false;
    try {
        has_changed = impact_.pass(event, longest_);
    } catch (const Error& error) {
        // Which rows press is not known where accelerations have no solution: a step over what
        // happens here needs none.
        if (error.kind() != ErrorKind::numerical || impact_.has_struck() ||
            latched != rows_.latched())
            throw;
        close(closed);
    }
    const bool may_depend =
        latched != rows_.latched() || depended || impact_.pressed().may_depend();
    // What has changed nothing comes again at once, without end.
    if (!has_changed && !impact_.has_struck())
        num_events_ = std::max(num_events_, most_events_) + 1;
    is_in_course_ = false;
    look();
    if (!impact_.has_struck()) return {has_changed, nullptr, may_depend};
    return {has_changed, &impact_.stress(), may_depend, &impact_.applied()};
}

/// Of this part or another.
void ImpactPart::count_event() {
    if (!(state_.t <= counted_since_ + longest_)) {
        // Of the steps before this one.
        if (num_events_ <= most_events_) most_events_ = std::min(2 * most_events_, kMostEvents);
        counted_since_ = state_.t;
        num_events_ = 0;
    }
    ++num_events_;
}

StepPart::Passage ImpactPart::go_over() {
    const bool may_cross = parts_.model.traits.face == Face::discrete && !has_courses_;
    if (!may_cross || !(longest_ > 0.0)) return {};
    if (is_crossing_) {
        // With the rows that are closed it has no solution, as where these depend on each other:
        // it begins anew without any, and those that the gaps ask for are independent.
        if (!crossing_.begin_anew()) return {};
        return {true, nullptr};
    }
    if (!(state_.t <= counted_since_ + longest_)) counted_since_ = state_.t;
    most_events_ = std::max(most_events_ / 2, 1L);
    const bool comes_again = run_over_ > 0 && state_.t <= over_until_ + longest_;
    run_over_ = comes_again ? std::min(2 * run_over_, kMostEvents) : 1;
    num_over_ = run_over_ - 1;
    records_.record_stepped_over();
    set_crossing(true);
    crossing_.begin();
    return {true, nullptr, impact_.pressed().may_depend()};
}

StepPart::Passage ImpactPart::finish_step() {
    if (!is_crossing_) return {};
    const std::vector<char> latched = rows_.latched();
    const bool depended = impact_.pressed().may_depend();
    parts_.rows.set_rubbing({});
    crossing_.finish(longest_);
    look();
    constexpr double kNothing = 1e-9;
    bool goes_on = state_.t < counted_since_ + (1.0 - kNothing) * longest_;
    if (!goes_on && num_over_ > 0) {
        --num_over_;
        counted_since_ = state_.t;
        records_.record_stepped_over();
        goes_on = true;
    }
    set_crossing(goes_on);
    over_until_ = state_.t;
    if (is_crossing_) crossing_.begin();
    const bool may_depend =
        latched != rows_.latched() || depended || impact_.pressed().may_depend();
    return {true, &impact_.stress(), may_depend, &impact_.applied()};
}

std::unique_ptr<StepPart> make_impacts(const PartContext& context) {
    if (context.parts.rows.unilateral().empty()) return nullptr;
    return std::make_unique<ImpactPart>(context);
}

const bool is_registered_for_impacts = StepParts::add_maker(make_impacts);

}  // namespace
}  // namespace ancora
