// SPDX-License-Identifier: BSD-3-Clause
// The sweep back over a run's steps.
#include "adjoint.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "adjoint_sweep.hpp"
#include "impact_derivative.hpp"
#include "jump_check.hpp"
#include "mode_sweep.hpp"
#include "projection_derivative.hpp"
#include "rate_derivative.hpp"
#include "stage_sweep.hpp"
#include "step_check.hpp"

namespace ancora {
namespace {

// Mass is lent to coordinates without any where rates are prescribed; beside light bodies this has
// been seen to change a derivative by 7e-7 of it.
constexpr double kErrorOfLent = 2e-6;
// A step's end may differ from what the equations say; and what is held at rest has accelerations
// by rounding, of positions over a step.
constexpr double kAgrees = 1e-10;
constexpr double kAtRest = 1e-13;
// Rows that meet at less than this part of their speed.
constexpr double kGrazes = 1e-6;
// Instants that are nearer to each other than this part of a step are the same.
constexpr double kAtOnce = 1e-9;

/// Steps of the discrete formulation.
class StepSweep final : public AdjointSweep {
public:
    explicit StepSweep(const Subject& of)
        : AdjointSweep(of, of.run.first_step()),
          rates_(here_.system),
          jumps_(here_.system),
          modes_(here_.system,
                 costates_.size(),
                 [this](std::size_t c, const ModeSweep::Evaluate& evaluate) {
                     add_numbers(c, evaluate, true);
                 }) {
        impact_may_come_ = !system_.parts().rows.unilateral().empty();
    }

private:
    void go(AdjointGradient& out) override {
        const auto note = [this](long step) {
            note_seeds(step);
        };
        out.is_forward = goes_forth();
        if (out.is_forward) {
            derivative_.go_forwards();
            start_changes();
            run_.visit_forwards(note, [this](const RecordedRun::Segment& segment) {
                go_forth(segment);
            });
        } else {
            std::optional<AdjointObstacle> obstacle;
            run_.visit_backwards(note, [&](const RecordedRun::Segment& segment) {
                try {
                    if (!obstacle) return go_back(segment);
                } catch (const AdjointObstacle& found) {
                    if (found.is_jump) throw;
                    obstacle = found;
                    jumps_.reset();
                }
                look_for_jumps(segment);
            });
            if (obstacle) throw *obstacle;
            take_start();
        }
    }

    double further_error(double value) const override {
        return rates_.lends() ? kErrorOfLent * std::abs(value) : 0.0;
    }

    void plant_at(long step) {
        at_seeds(step, [&](const Seeds& seeds) {
            const std::vector<int> unseen = derivative_.massless().unseen_rows(seeds.at);
            if (impact_may_come_) {
                if (!impact_) impact_.emplace(here_.system);
                if (impact_->meets_at(seeds.at)) refuse_instant(seeds.at.t);
            }
            look_at_columns(seeds, unseen);
            for (std::size_t c = 0; c < num_columns(); ++c) {
                const double w = weight(c, step);
                if (w == 0.0) continue;
                plant(c, w, seeds, costates_[c]);
                derivative_.massless().move(seeds.at, costates_[c]);
                add_columns(c, w, seeds, unseen);
            }
        });
    }

    // --- the other way: changes by each parameter go forth with the run

    /// Where there are fewer parameters than numbers, if that is to be had.
    bool goes_forth() const {
        if (num_columns() <= num_parameters() || run_.has_events() || modes_.has_modes() ||
            rates_.is_wanted() || run_.first_step().projection)
            return false;
        for (int i = 0; i < system_.num_coordinates(); ++i)
            if (system_.parts().mass.is_massless(i)) return false;
        return true;
    }

    void go_forth(const RecordedRun::Segment& segment) {
        if (segment.first == 0) harvest(0);
        std::size_t i = 0;
        for (long step = segment.first + 1; step <= segment.last; ++step) {
            const std::size_t end =
                segment.ends[static_cast<std::size_t>(step - segment.first - 1)];
            for (; i < end; ++i) {
                const AcceptedStep& accepted = segment.steps[i];
                const bool is_last = i + 1 == segment.steps.size();
                require_agreement(accepted, is_last ? segment.end : segment.steps[i + 1].before);
                if (i == 0) try_out(accepted);
                const AcceptedStep* following = is_last ? nullptr : &segment.steps[i + 1];
                if (is_last && segment.following) following = &*segment.following;
                push(accepted, following, i == 0);
            }
            harvest(step);
        }
    }

    void push(const AcceptedStep& step, const AcceptedStep* following, bool is_to_be_checked) {
        look_at_idle(step);
        derivative_.take(step);
        jumps_.take(derivative_, step, following);
        Eigen::VectorXd motion(system_.num_coordinates()), rows(system_.num_rows());
        Eigen::VectorXd I(system_.parts().m);
        for (ParameterGroup& group : parameters().groups) {
            take_residuals(group, step, is_to_be_checked);
            for (const ParameterGroup::Member& member : group.members()) {
                if (group.is_of_start())
                    for (Eigen::VectorXd* const x : {&motion, &rows, &I}) x->setZero();
                else
                    group.put_slopes(member, motion, rows, I);
                if (!derivative_.push(changes_[member.number], motion, rows, I))
                    refuse_singular(step);
            }
        }
    }

    void harvest(long step) {
        at_seeds(step, [&](const Seeds& seeds) {
            const std::vector<int> none;
            look_at_columns(seeds, none);
            for (std::size_t c = 0; c < num_columns(); ++c) {
                const double w = weight(c, step);
                if (w == 0.0) continue;
                for (ParameterGroup& group : parameters().groups)
                    for (const ParameterGroup::Member& member : group.members()) {
                        Costate& by = changes_[member.number];
                        for (const auto& [j, value] : seeds.of_columns[column_of()[c].second]) {
                            const double term = w * value * entry(by, j);
                            add(c, member.number, term, std::abs(term));
                        }
                    }
                add_columns(c, w, seeds, none);
            }
        });
    }

    void start_changes() {
        const int n = system_.num_coordinates();
        const Eigen::VectorXd none = Eigen::VectorXd::Zero(n);
        changes_.assign(num_parameters(),
                        {none, none, Eigen::VectorXd::Zero(system_.parts().m), 0.0});
        for (ParameterGroup& group : parameters().groups)
            for (const ParameterGroup::Member& member : group.members())
                for (const auto& [j, slope] : member.start)
                    entry(changes_[member.number], j) = slope;
    }

    void go_back(const RecordedRun::Segment& segment) {
        bool is_first = true;
        for (long step = segment.last; step > segment.first; --step) {
            const auto at = static_cast<std::size_t>(step - segment.first - 1);
            const std::size_t begin = at > 0 ? segment.ends[at - 1] : 0;
            const std::span<const PassedEvent> events = events_of(segment, step);
            std::size_t left = events.size();  // that are still ahead on the way back
            const double end_time = run_.times()[static_cast<std::size_t>(step)];
            bool is_planted = false;
            for (Costate& of : costates_) of.t = 0.0;
            for (std::size_t i = segment.ends[at]; i-- > begin;) {
                const AcceptedStep& accepted = segment.steps[i];
                const bool is_last = i + 1 == segment.steps.size();
                StepState next = is_last ? segment.end : segment.steps[i + 1].start();
                // What is asked for at the end of a grid step is so before what comes behind it.
                if (i + 1 == segment.ends[at] &&
                    !modes_.is_corrected(accepted.end(), next, accepted.h)) {
                    plant_at(step);
                    is_planted = true;
                }
                const PassedEvent* ended_by = nullptr;
                for (; left > 0 && events[left - 1].steps > i; --left) {
                    const PassedEvent& event = events[left - 1];
                    const bool is_at_end = end_time - event.before.t <= kAtOnce * accepted.h;
                    if (!event.is_impact) {
                        if (modes_.pass(event, accepted, is_at_end)) ended_by = &event;
                        continue;
                    }
                    ended_by = &event;
                    if (is_at_end) refuse_instant(event.before.t);
                    pass_back(event, next);
                    next = event.before;
                }
                const bool is_mode = ended_by != nullptr && !ended_by->is_impact;
                if (modes_.is_corrected(accepted.end(), next, accepted.h)) {
                    const bool is_stop = is_mode && !modes_.end().is_mean();
                    modes_.correct(accepted.end(), next, accepted.h, is_stop, costates_);
                    next = accepted.end();
                }
                if (!is_planted) plant_at(step);
                is_planted = true;
                require_agreement(accepted, next);
                // Its end: that of the step, or the event's root. Other pieces have lengths of
                // their own.
                length_ = {ended_by != nullptr, ended_by != nullptr || left > 0, is_mode};
                const double rest = end_time - accepted.before.t - accepted.h;
                if (left > 0 && ended_by == nullptr && std::abs(rest) > kAtOnce * accepted.h)
                    throw AdjointObstacle{fmt::format(
                        "t = {:.6g} s: what an event has left of a step is halved", next.t)};
                if (ended_by == nullptr && i + 1 < segment.ends[at] &&
                    (impact_may_come_ || modes_.has_modes()))
                    require_halved(accepted, step);
                // First, since it tells what each parameter enters.
                if (is_first) try_out(accepted);
                if (accepted.projection) {
                    if (!projection_) projection_.emplace(here_.system);
                    projection_->take(accepted, next);
                } else if (rates_.is_wanted()) {
                    pull_back_rates(accepted, next);
                }
                pull_back(accepted, former(segment, i), std::exchange(is_first, false));
            }
            if (left > 0) refuse_instant(events[left - 1].before.t);
        }
        const AcceptedStep& first = segment.steps.front();
        if (modes_.is_corrected(segment.begin, first.before, first.h))
            modes_.correct(segment.begin, first.before, first.h, false, costates_);
        if (segment.first == 0) plant_at(0);
    }

    /// Differences of runs, which are taken instead, do not know of them either.
    void look_for_jumps(const RecordedRun::Segment& segment) {
        try {
            for (std::size_t i = segment.steps.size(); i-- > 0;) {
                derivative_.take(segment.steps[i]);
                jumps_.take(derivative_, segment.steps[i], former(segment, i));
            }
        } catch (const AdjointObstacle& obstacle) {
            if (obstacle.is_jump) throw;
        }
    }

    /// The step before, if no event is between them.
    static const AcceptedStep* former(const RecordedRun::Segment& segment, std::size_t i) {
        const bool has_event =
            std::ranges::binary_search(segment.events, i, std::ranges::less(), &PassedEvent::steps);
        if (has_event) return nullptr;
        return i > 0 ? &segment.steps[i - 1] : segment.former ? &*segment.former : nullptr;
    }

    static std::span<const PassedEvent> events_of(const RecordedRun::Segment& segment, long step) {
        const auto range = std::ranges::equal_range(
            segment.events, step, std::ranges::less(), &PassedEvent::grid_step);
        return {range.begin(), range.end()};
    }

    /// A piece of a step that nothing is known to end has a length that follows from the step's.
    void require_halved(const AcceptedStep& piece, long step) const {
        constexpr double kParts = 1024.0;
        const auto at = static_cast<std::size_t>(step);
        const double part = kParts * piece.h / (run_.times()[at] - run_.times()[at - 1]);
        if (std::abs(part - std::round(part)) > kAtOnce * kParts)
            throw AdjointObstacle{fmt::format(
                "t = {:.6g} s: an event that changes no mode, as where what slides turns "
                "about at once",
                piece.before.t)};
    }

    [[noreturn]] static void refuse_instant(double t) {
        throw AdjointObstacle{fmt::format(
            "t = {:.6g} s: an event at the instant of another or of a step's end, in an order that "
            "may change",
            t)};
    }

    /// Back over an event, which the state `behind` follows.
    void pass_back(const PassedEvent& event, const StepState& behind) {
        if (!event.behind.is_same(behind)) refuse_instant(event.before.t);
        if (!impact_) impact_.emplace(here_.system);
        impact_->take(event);
        for (std::size_t c = 0; c < num_columns(); ++c) {
            impact_->pull_back(costates_[c]);
            if (impact_->leaves_velocities()) continue;
            add_numbers(
                c,
                [this](KernelSystem& system,
                       Eigen::VectorXd& of_coordinates,
                       Eigen::VectorXd& of_rows) {
                    impact_->evaluate(system, of_coordinates, of_rows);
                },
                true);
        }
    }

    /// A step that ends where a gap is zero: its length h follows from g(q1(h), t1) = 0, so that
    ///
    ///   L - sigma dg,   sigma = (dL / dh) / (dg / dh)
    ///
    /// takes the place of L, and h may then be held. So it is with what ends a mode of friction,
    /// which may be a function of the step itself.
    void take_root(const AcceptedStep& step) {
        const Costate& gap = length_.is_mode ? modes_.end().gap() : impact_->gap();
        double along = 0.0;
        if (length_.is_mode && modes_.end().is_mean()) {
            Costate nothing = gap;
            const StepFunction g = modes_.end().of_step(1.0);
            along = slope_by_length(step, nothing, &g);
        } else {
            along = slope_by_length(step, gap, nullptr);
        }
        const double terms = std::abs(gap.t) + gap.q.cwiseAbs().dot(step.before.v.cwiseAbs()) +
                             gap.v.cwiseAbs().dot(step.a.cwiseAbs());
        if (!(std::abs(along) > kGrazes * terms))
            throw AdjointObstacle{fmt::format(
                "t = {:.6g} s: it grazes, so that there is no derivative", step.before.t + step.h)};
        for (std::size_t c = 0; c < costates_.size(); ++c) {
            Costate& of = costates_[c];
            const double sigma =
                (slope_by_length(step, of, modes_.besides(c)) + modes_.by_length(c)) / along;
            if (length_.is_mode) {
                modes_.take_end(c, sigma, of);
                continue;
            }
            of.q -= sigma * gap.q;
            of.t -= sigma * gap.t;
            add_numbers(
                c,
                [&](KernelSystem& system,
                    Eigen::VectorXd& of_coordinates,
                    Eigen::VectorXd& of_rows) {
                    of_coordinates.setZero(system.num_coordinates());
                    impact_->evaluate_gap(system, -sigma, of_rows);
                },
                true);
        }
    }

    double slope_by_length(const AcceptedStep& step,
                           const Costate& of,
                           const StepFunction* besides) {
        Costate back = of;
        Eigen::VectorXd motion, rows;
        if (!derivative_.pull_back(back, motion, rows, besides)) refuse_singular(step);
        return derivative_.shift(step, of, motion, rows, besides).by_length;
    }

    [[noreturn]] static void refuse_singular(const AcceptedStep& step) {
        throw AdjointObstacle{fmt::format(
            "t = {:.6g} s: the step's matrix has no inverse, as where friction holds what "
            "constraints hold too",
            step.before.t)};
    }

    /// The state behind a step is what its equations say, and nothing has changed it besides.
    void require_agreement(const AcceptedStep& step, const StepState& next) const {
        const StepState& before = step.before;
        const Eigen::VectorXd dv = step.h * step.a;
        const Eigen::VectorXd dq = step.h * before.v + 0.5 * step.h * dv;
        const double q_size = largest_entry(before.q) + largest_entry(dq);
        const double v_size = largest_entry(before.v) + largest_entry(dv);
        Eigen::VectorXd v_off = next.v - before.v - dv;
        for (int i = 0; i < v_off.size(); ++i)
            if (system_.parts().mass.is_massless(i) || rates_.is_wanted() || step.projection)
                v_off[i] = 0.0;
        const double least = kAtRest * system_.state().extent;
        if (largest_entry(next.q - before.q - dq) > kAgrees * q_size + least ||
            largest_entry(v_off) > kAgrees * v_size + least / std::abs(step.h))
            throw AdjointObstacle{
                fmt::format("t = {:.6g} s: positions or velocities are not those that the step's "
                            "equations lead to",
                            next.t)};
    }

    void pull_back_rates(const AcceptedStep& step, const StepState& next) {
        rates_.take(next, step.before.v + step.h * step.a);
        for (std::size_t c = 0; c < num_columns(); ++c) {
            rates_.pull_back(costates_[c]);
            add_numbers(c,
                        [this](KernelSystem& system,
                               Eigen::VectorXd& of_coordinates,
                               Eigen::VectorXd& of_rows) {
                            rates_.evaluate(system, of_coordinates, of_rows);
                        });
        }
    }

    /// Whether derivatives are what they say, and which parameters are where.
    void try_out(const AcceptedStep& step) {
        derivative_.look(step);
        derivative_.take(step);
        const std::string fault = check_derivative(derivative_, here_.system, step, ++checks_);
        if (!fault.empty())
            throw AdjointObstacle{fmt::format("t = {:.6g} s: {}", step.before.t, fault)};
        look(step);
    }

    void pull_back(const AcceptedStep& step, const AcceptedStep* former, bool is_to_be_checked) {
        look_at_idle(step);
        modes_.begin(step);
        derivative_.take(step);
        jumps_.take(derivative_, step, former);
        if (length_.is_root) take_root(step);
        pulled_.resize(costates_.size());
        for (std::size_t c = 0; c < costates_.size(); ++c) {
            Pulled& to = pulled_[c];
            to.behind = costates_[c].pi;
            const Costate given = costates_[c];
            const StepFunction* const besides = modes_.besides(c);
            const bool is_solved =
                step.projection
                    ? projection_->pull_back(derivative_, costates_[c], to.motion, to.rows)
                    : derivative_.pull_back(costates_[c], to.motion, to.rows, besides);
            if (!is_solved) refuse_singular(step);
            if (length_.matters) {
                const StepDerivative::Shift by =
                    derivative_.shift(step, given, to.motion, to.rows, besides);
                // h = t_end - t0
                costates_[c].t =
                    by.by_begin - (length_.is_root ? 0.0 : by.by_length + modes_.by_length(c));
            }
            if (rates_.is_wanted() && !step.projection)
                derivative_.massless().move(step.before, costates_[c]);
            if (step.projection)
                add_numbers(c,
                            [this](KernelSystem& system,
                                   Eigen::VectorXd& of_coordinates,
                                   Eigen::VectorXd& of_rows) {
                                projection_->evaluate(system, of_coordinates, of_rows);
                            });
        }
        for (ParameterGroup& group : parameters().groups) {
            if (group.is_of_start()) continue;
            take_residuals(group, step, is_to_be_checked);
            for (std::size_t c = 0; c < costates_.size(); ++c)
                for (const ParameterGroup::Member& member : group.members()) {
                    const Pulled& by = pulled_[c];
                    const auto [value, size] = group.term(member, by.motion, by.rows, by.behind);
                    add(c, member.number, value, size);
                }
        }
    }

    void take_residuals(ParameterGroup& group, const AcceptedStep& step, bool is_to_be_checked) {
        if (group.is_of_start()) return;
        // In full now and then, which tells whether it has a corner. Rows leave more rounding.
        if (group.is_in_rows() || is_to_be_checked)
            group.take(step, derivative_.motion_left(), derivative_.rows_left());
        if (!group.is_in_rows()) group.take_laws(step, derivative_.increments());
    }

    RateDerivative rates_;
    JumpCheck jumps_;
    std::optional<ProjectionDerivative> projection_;
    std::optional<ImpactDerivative> impact_;
    ModeSweep modes_;
    /// What the length of the step under way follows from.
    struct Length {
        bool is_root = false;  ///< the root of the event taken last
        bool matters = false;  ///< it depends on when the step begins
        bool is_mode = false;  ///< that event is the end of a mode of friction
    };
    Length length_;
    bool impact_may_come_ = false;  // there are unilateral rows
    std::vector<Costate> changes_;  // of the state, by each parameter, where they go forth
    /// What a step's residual is multiplied by, and the derivatives by pi behind it.
    struct Pulled {
        Eigen::VectorXd motion, rows, behind;
    };
    std::vector<Pulled> pulled_;  // of each costate
};

}  // namespace

std::string obstacle_of_adjoint(const Simulation& simulation) {
    KernelSystem& system = KernelAccess::of(simulation);
    return system.parts().model.traits.face == Face::continuous ? obstacle_of_stages(system)
                                                                : StepDerivative::obstacle(system);
}

bool differences_cost_less(const Simulation& simulation,
                           std::span<const Objective> of,
                           std::size_t num_parameters) {
    // A pass is a fifth of a step, a parameter seven runs.
    constexpr double kPassesPerStep = 5.0, kRunsPerParameter = 7.0, kPassesPerEntry = 4.0;
    const StateColumns columns(simulation);
    const auto num_steps = static_cast<double>(simulation.num_steps());
    double num_states = 0.0;
    for (const Objective& one : of) {
        if (!columns.is_of_energy(one.column)) continue;
        num_states = std::max(num_states + 1.0, is_sum(one.take) ? num_steps : 1.0);
    }
    const Assembly& parts = KernelAccess::of(simulation).parts();
    return num_states * kPassesPerEntry * (2.0 * parts.n + parts.m) >
           kPassesPerStep * kRunsPerParameter * num_steps * static_cast<double>(num_parameters);
}

AdjointGradient differentiate_backwards(const ModelSource& model,
                                        const ModelRuns& runs,
                                        RecordedRun& run,
                                        Simulation& simulation,
                                        std::span<const Objective> of,
                                        std::span<const ColumnWatch::Place> places,
                                        std::span<const ModelParameter> by) {
    const AdjointSweep::Subject subject{model, runs, run, simulation, of, places, by};
    if (KernelAccess::of(simulation).parts().model.traits.face == Face::continuous)
        return differentiate_stages(subject);
    return StepSweep(subject).run();
}

}  // namespace ancora
