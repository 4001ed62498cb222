// SPDX-License-Identifier: BSD-3-Clause
// The sweep back over a run's steps.
#include "adjoint.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "impact_derivative.hpp"
#include "parameter_group.hpp"
#include "projection_derivative.hpp"
#include "rate_derivative.hpp"
#include "state_columns.hpp"
#include "step_derivative.hpp"

namespace ancora {
namespace {

// Relative error of a derivative, of the sum of its terms' sizes.
constexpr double kError = 1e-10;
// Mass is lent to coordinates without any where rates are prescribed; beside light bodies this has
// been seen to change a derivative by 7e-7 of it.
constexpr double kErrorOfLent = 2e-6;
// A step's end may differ from what the equations say.
constexpr double kAgrees = 1e-10;
constexpr int kTries = 3;
// Rows that meet at less than this part of their speed.
constexpr double kGrazes = 1e-6;
// Instants that are nearer to each other than this part of a step are the same.
constexpr double kAtOnce = 1e-9;

// --- objectives

/// Weights of a column's values at the ends of steps.
std::map<long, double> weights_of(const Objective& objective,
                                  const ColumnWatch::Place& place,
                                  std::span<const double> times,
                                  double step) {
    const long last = static_cast<long>(times.size()) - 1;
    std::map<long, double> out;
    switch (objective.take) {
        case ColumnTake::final:
            out[last] = 1.0;
            break;
        case ColumnTake::at: {
            // as ColumnWatch takes it
            long k = 0;
            while (k < last && times[static_cast<std::size_t>(k)] + 0.5 * step < objective.time)
                ++k;
            out[k] = 1.0;
            break;
        }
        case ColumnTake::maximum:
        case ColumnTake::minimum:
            out[place.step] = 1.0;
            break;
        case ColumnTake::largest:
            out[place.step] = place.sign;
            break;
        case ColumnTake::integral:
        case ColumnTake::mean: {
            const double over = objective.take == ColumnTake::mean ? times.back() - times[0] : 1.0;
            for (long k = 1; k <= last; ++k) {
                const auto u = static_cast<std::size_t>(k);
                const double half = 0.5 * (times[u] - times[u - 1]) / over;
                out[k] += half;
                out[k - 1] += half;
            }
            break;
        }
    }
    return out;
}

// --- the sweep

class Sweep {
public:
    Sweep(const ModelSource& model,
          const ModelRuns& runs,
          RecordedRun& run,
          Simulation& simulation,
          std::span<const Objective> of,
          std::span<const ColumnWatch::Place> places,
          std::span<const ModelParameter> by)
        : run_(run),
          simulation_(simulation),
          system_(KernelAccess::of(simulation)),
          here_(runs.make({})),
          derivative_(here_.system),
          rates_(here_.system),
          of_(of) {
        const StateColumns columns(simulation);
        out_.of.resize(of.size());
        out_.by.resize(by.size());
        out_.entries.resize(of.size() * by.size());
        std::vector<std::string> names;
        for (std::size_t i = 0; i < of.size(); ++i) {
            out_.of[i] = columns.obstacle(of[i].column);
            if (!out_.of[i].empty()) {
                out_.of[i] = fmt::format("{} is {}", of[i].column, out_.of[i]);
                continue;
            }
            const auto found = std::ranges::find(names, of[i].column);
            column_of_.push_back({i, static_cast<std::size_t>(found - names.begin())});
            if (found == names.end()) {
                names.push_back(of[i].column);
                places_.push_back(columns.place(of[i].column));
            }
            weights_.push_back(weights_of(of[i], places[i], run.times(), simulation.step_size()));
        }
        columns_.emplace(simulation, names);
        impact_may_come_ = !system_.parts().rows.unilateral().empty();
        settings_ = model({}).integrator;
        if (!column_of_.empty()) {
            parameters_.emplace(by,
                                runs,
                                settings_,
                                here_.simulation,
                                simulation.extent(),
                                run.first_step(),
                                places_,
                                columns_->with_energies(),
                                derivative_);
            out_.by = parameters_->faults;
        }
        const int n = system_.num_coordinates();
        const auto zero = [](Eigen::Index size) {
            return Eigen::VectorXd(Eigen::VectorXd::Zero(size));
        };
        costates_.assign(column_of_.size(), {zero(n), zero(n), zero(system_.parts().m), 0.0});
        value_.assign(column_of_.size() * by.size(), 0.0);
        size_ = value_;
    }

    AdjointGradient run() {
        if (!parameters_ || parameters_->groups.empty()) return std::move(out_);
        try {
            const auto note = [this](long step) {
                note_seeds(step);
            };
            out_.is_forward = goes_forth();
            if (out_.is_forward) {
                derivative_.go_forwards();
                start_changes();
                run_.visit_forwards(note, [this](const RecordedRun::Segment& segment) {
                    go_forth(segment);
                });
            } else {
                run_.visit_backwards(note, [this](const RecordedRun::Segment& segment) {
                    go_back(segment);
                });
                take_start();
            }
        } catch (const AdjointObstacle& obstacle) {
            out_.obstacle = obstacle.why;
            return std::move(out_);
        } catch (const Error& error) {
            out_.obstacle = error.message();
            return std::move(out_);
        }
        for (ParameterGroup& group : parameters_->groups)
            for (const ParameterGroup::Member& member : group.members())
                out_.by[member.number] = member.fault;
        const std::size_t num_parameters = out_.by.size();
        for (std::size_t c = 0; c < column_of_.size(); ++c)
            for (std::size_t k = 0; k < num_parameters; ++k) {
                Gradient::Entry& entry = out_.entries[column_of_[c].first * num_parameters + k];
                entry.value = value_[c * num_parameters + k];
                entry.error = kError * size_[c * num_parameters + k];
                if (rates_.lends()) entry.error += kErrorOfLent * std::abs(entry.value);
                entry.is_by_adjoint = true;
            }
        return std::move(out_);
    }

private:
    struct Seeds {
        std::vector<Entries> of_columns;
        StepState at;
    };

    double weight(std::size_t c, long step) const {
        const auto found = weights_[c].find(step);
        return found == weights_[c].end() ? 0.0 : found->second;
    }

    /// At the end of a step, as it is computed again.
    void note_seeds(long step) {
        for (std::size_t c = 0; c < weights_.size(); ++c)
            if (weight(c, step) != 0.0) {
                seeds_[step] = {columns_->take(), StepState::of(system_)};
                return;
            }
    }

    void add(std::size_t c, std::size_t k, double term, double size) {
        value_[c * out_.by.size() + k] += term;
        size_[c * out_.by.size() + k] += size;
    }

    void plant(long step) {
        const auto found = seeds_.find(step);
        if (found == seeds_.end()) return;
        const Seeds& seeds = found->second;
        const std::vector<int> unseen = derivative_.unseen_rows(seeds.at);
        const int n = system_.num_coordinates();
        if (impact_may_come_) {
            if (!impact_) impact_.emplace(here_.system);
            if (impact_->meets_at(seeds.at)) refuse_instant(seeds.at.t);
        }
        look_at_columns(seeds, unseen);
        for (std::size_t c = 0; c < column_of_.size(); ++c) {
            const double w = weight(c, step);
            if (w == 0.0) continue;
            for (const auto& [j, value] : seeds.of_columns[column_of_[c].second]) {
                Costate& to = costates_[c];
                (j < n ? to.q[j] : j < 2 * n ? to.v[j - n] : to.pi[j - 2 * n]) += w * value;
            }
            derivative_.move_massless(seeds.at, costates_[c]);
            add_columns(c, w, seeds, unseen);
        }
        seeds_.erase(found);
    }

    void look_at_columns(const Seeds& seeds, const std::vector<int>& unseen) {
        for (ParameterGroup& group : parameters_->groups) {
            if (column_looks_ >= kTries) break;
            group.look(seeds.at, places_, unseen, columns_->with_energies());
            if (group.is_in_columns() && group.members().size() > 1)
                throw AdjointObstacle{"parameters enter columns at some times only"};
        }
        ++column_looks_;
    }

    /// What a column depends on parameters at a given state.
    void add_columns(std::size_t c, double w, const Seeds& seeds, const std::vector<int>& unseen) {
        for (ParameterGroup& group : parameters_->groups) {
            const std::size_t place = places_[column_of_[c].second];
            if (!group.is_in_column(place)) continue;
            const double term =
                w * group.of_column(seeds.at, place, unseen, columns_->with_energies());
            add(c, group.members().front().number, term, std::abs(term));
        }
    }

    // --- the other way: changes by each parameter go forth with the run

    /// Where there are fewer parameters than numbers, if that is to be had.
    bool goes_forth() const {
        if (column_of_.size() <= out_.by.size() || run_.has_events() || rates_.is_wanted() ||
            run_.first_step().projection)
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
                push(accepted, i == 0);
            }
            harvest(step);
        }
    }

    void push(const AcceptedStep& step, bool is_to_be_checked) {
        derivative_.take(step);
        Eigen::VectorXd motion(system_.num_coordinates()), rows(system_.parts().m), I = rows;
        for (ParameterGroup& group : parameters_->groups) {
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
        const auto found = seeds_.find(step);
        if (found == seeds_.end()) return;
        const Seeds& seeds = found->second;
        const std::vector<int> none;
        const int n = system_.num_coordinates();
        look_at_columns(seeds, none);
        for (std::size_t c = 0; c < column_of_.size(); ++c) {
            const double w = weight(c, step);
            if (w == 0.0) continue;
            for (ParameterGroup& group : parameters_->groups)
                for (const ParameterGroup::Member& member : group.members()) {
                    const Costate& by = changes_[member.number];
                    for (const auto& [j, value] : seeds.of_columns[column_of_[c].second]) {
                        const double term = w * value *
                                            (j < n       ? by.q[j]
                                             : j < 2 * n ? by.v[j - n]
                                                         : by.pi[j - 2 * n]);
                        add(c, member.number, term, std::abs(term));
                    }
                }
            add_columns(c, w, seeds, none);
        }
        seeds_.erase(found);
    }

    void start_changes() {
        const int n = system_.num_coordinates();
        const Eigen::VectorXd none = Eigen::VectorXd::Zero(n);
        changes_.assign(out_.by.size(),
                        {none, none, Eigen::VectorXd::Zero(system_.parts().m), 0.0});
        for (ParameterGroup& group : parameters_->groups)
            for (const ParameterGroup::Member& member : group.members())
                for (const auto& [j, slope] : member.start) {
                    Costate& to = changes_[member.number];
                    (j < n ? to.q[j] : j < 2 * n ? to.v[j - n] : to.pi[j - 2 * n]) = slope;
                }
    }

    void go_back(const RecordedRun::Segment& segment) {
        bool is_first = true;
        for (long step = segment.last; step > segment.first; --step) {
            plant(step);
            const auto at = static_cast<std::size_t>(step - segment.first - 1);
            const std::size_t begin = at > 0 ? segment.ends[at - 1] : 0;
            const std::span<const PassedEvent> events = events_of(segment, step);
            std::size_t left = events.size();  // that are still ahead on the way back
            const double end_time = run_.times()[static_cast<std::size_t>(step)];
            for (Costate& of : costates_) of.t = 0.0;
            for (std::size_t i = segment.ends[at]; i-- > begin;) {
                const AcceptedStep& accepted = segment.steps[i];
                const bool is_last = i + 1 == segment.steps.size();
                StepState next = is_last ? segment.end : segment.steps[i + 1].start();
                const PassedEvent* ended_by = nullptr;
                for (; left > 0 && events[left - 1].steps > i; --left) {
                    ended_by = &events[left - 1];
                    if (end_time - ended_by->before.t <= kAtOnce * accepted.h)
                        refuse_instant(ended_by->before.t);
                    pass_back(*ended_by, next);
                    next = ended_by->before;
                }
                require_agreement(accepted, next);
                // Its end: that of the step, or the event's root. Other pieces have lengths of
                // their own.
                length_ = {ended_by != nullptr, ended_by != nullptr || left > 0};
                const double rest = end_time - accepted.before.t - accepted.h;
                if (left > 0 && ended_by == nullptr && std::abs(rest) > kAtOnce * accepted.h)
                    throw AdjointObstacle{fmt::format(
                        "t = {:.6g} s: what an event has left of a step is halved", next.t)};
                if (ended_by == nullptr && i + 1 < segment.ends[at] && impact_may_come_)
                    require_halved(accepted, step);
                // First, since it tells what each parameter enters.
                if (is_first) try_out(accepted);
                if (accepted.projection) {
                    if (!projection_) projection_.emplace(here_.system);
                    projection_->take(accepted, next);
                } else if (rates_.is_wanted()) {
                    pull_back_rates(accepted, next);
                }
                pull_back(accepted, std::exchange(is_first, false));
            }
            if (left > 0) refuse_instant(events[left - 1].before.t);
        }
        if (segment.first == 0) plant(0);
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
            throw AdjointObstacle{
                fmt::format("t = {:.6g} s: an event that changes nothing", piece.before.t)};
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
        for (std::size_t c = 0; c < column_of_.size(); ++c) {
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
    /// takes the place of L, and h may then be held.
    void take_root(const AcceptedStep& step) {
        Costate gap = impact_->gap();
        const double along = slope_by_length(step, gap);
        const double terms = std::abs(gap.t) + gap.q.cwiseAbs().dot(step.before.v.cwiseAbs());
        if (!(std::abs(along) > kGrazes * terms))
            throw AdjointObstacle{fmt::format(
                "t = {:.6g} s: it grazes, so that there is no derivative", step.before.t + step.h)};
        for (std::size_t c = 0; c < costates_.size(); ++c) {
            Costate& of = costates_[c];
            const double sigma = slope_by_length(step, of) / along;
            of.q -= sigma * impact_->gap().q;
            of.t -= sigma * impact_->gap().t;
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

    double slope_by_length(const AcceptedStep& step, const Costate& of) {
        Costate back = of;
        Eigen::VectorXd motion, rows;
        if (!derivative_.pull_back(back, motion, rows)) refuse_singular(step);
        return derivative_.shift(step, of, motion, rows).by_length;
    }

    [[noreturn]] static void refuse_singular(const AcceptedStep& step) {
        throw AdjointObstacle{
            fmt::format("t = {:.6g} s: the step's matrix has no inverse", step.before.t)};
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
        if (largest_entry(next.q - before.q - dq) > kAgrees * q_size ||
            largest_entry(v_off) > kAgrees * v_size)
            throw AdjointObstacle{fmt::format(
                "t = {:.6g} s: positions or velocities change by more than a step of second order",
                next.t)};
    }

    void pull_back_rates(const AcceptedStep& step, const StepState& next) {
        rates_.take(next, step.before.v + step.h * step.a);
        for (std::size_t c = 0; c < column_of_.size(); ++c) {
            rates_.pull_back(costates_[c]);
            add_numbers(c,
                        [this](KernelSystem& system,
                               Eigen::VectorXd& of_coordinates,
                               Eigen::VectorXd& of_rows) {
                            rates_.evaluate(system, of_coordinates, of_rows);
                        });
        }
    }

    /// What parameters make of numbers of each coordinate and row.
    /// @param of_all  of those too that the equations of steps do not depend on
    template <class Evaluate>
    void add_numbers(std::size_t c, const Evaluate& evaluate, bool of_all = false) {
        for (ParameterGroup& group : parameters_->groups) {
            if (group.is_of_start() && !of_all) continue;
            group.take_numbers(evaluate);
            for (const ParameterGroup::Member& member : group.members()) {
                const auto [value, size] = group.sum(member);
                add(c, member.number, value, size);
            }
        }
    }

    /// Whether derivatives are what they say, and which parameters are where.
    void try_out(const AcceptedStep& step) {
        derivative_.look(step);
        derivative_.take(step);
        const std::string fault = derivative_.check(step, ++checks_);
        if (!fault.empty())
            throw AdjointObstacle{fmt::format("t = {:.6g} s: {}", step.before.t, fault)};
        look(step);
    }

    void pull_back(const AcceptedStep& step, bool is_to_be_checked) {
        derivative_.take(step);
        if (length_.is_root) take_root(step);
        pulled_.resize(costates_.size());
        for (std::size_t c = 0; c < costates_.size(); ++c) {
            Pulled& to = pulled_[c];
            to.behind = costates_[c].pi;
            const Costate given = costates_[c];
            const bool is_solved =
                step.projection
                    ? projection_->pull_back(derivative_, costates_[c], to.motion, to.rows)
                    : derivative_.pull_back(costates_[c], to.motion, to.rows);
            if (!is_solved) refuse_singular(step);
            if (length_.matters) {
                const StepDerivative::Shift by = derivative_.shift(step, given, to.motion, to.rows);
                // h = t_end - t0
                costates_[c].t = by.by_begin - (length_.is_root ? 0.0 : by.by_length);
            }
            if (rates_.is_wanted() && !step.projection)
                derivative_.move_massless(step.before, costates_[c]);
            if (step.projection)
                add_numbers(c,
                            [this](KernelSystem& system,
                                   Eigen::VectorXd& of_coordinates,
                                   Eigen::VectorXd& of_rows) {
                                projection_->evaluate(system, of_coordinates, of_rows);
                            });
        }
        for (ParameterGroup& group : parameters_->groups) {
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

    /// Which parameters residuals depend on: near this step too, so that nothing cancels.
    void look(const AcceptedStep& step) {
        std::mt19937 engine(++checks_);
        std::uniform_real_distribution<double> any(-1.0, 1.0);
        AcceptedStep other = step;
        const auto stir = [&](Eigen::VectorXd& x, double least) {
            const double size = 1e-3 * (largest_entry(x) + least);
            for (double& entry : x) entry += size * any(engine);
        };
        stir(other.before.q, 1.0);
        stir(other.before.v, 1.0);
        stir(other.before.pi, 1e-3);
        stir(other.a, 1.0);
        stir(other.s, 1.0);
        for (const AcceptedStep* at : {&step, &std::as_const(other)}) {
            here_.evaluate(*at);
            for (ParameterGroup& group : parameters_->groups) {
                const auto before = group.parts();
                const bool is_apart = group.look(*at, here_);
                if (!is_apart || (has_looked_ && group.parts() != before))
                    throw AdjointObstacle{"a parameter enters the equations at some times only"};
            }
        }
        has_looked_ = true;
    }

    void take_start() {
        const int n = system_.num_coordinates();
        for (std::size_t c = 0; c < column_of_.size(); ++c) {
            const Costate& of = costates_[c];
            for (ParameterGroup& group : parameters_->groups)
                for (const ParameterGroup::Member& member : group.members())
                    for (const auto& [j, slope] : member.start) {
                        const double term = slope * (j < n       ? of.q[j]
                                                     : j < 2 * n ? of.v[j - n]
                                                                 : of.pi[j - 2 * n]);
                        add(c, member.number, term, std::abs(term));
                    }
        }
    }

    RecordedRun& run_;
    Simulation& simulation_;
    KernelSystem& system_;
    Neighbour here_;  // of the same values
    StepDerivative derivative_;
    RateDerivative rates_;
    std::optional<ProjectionDerivative> projection_;
    std::optional<ImpactDerivative> impact_;
    /// What the length of the step under way follows from.
    struct Length {
        bool is_root = false;  ///< the root of the event taken last
        bool matters = false;  ///< it depends on when the step begins
    };
    Length length_;
    bool impact_may_come_ = false;  // there are unilateral rows
    std::span<const Objective> of_;
    AdjointGradient out_;
    std::vector<std::pair<std::size_t, std::size_t>> column_of_;  // objective, its column
    std::vector<std::size_t> places_;                             // of columns in a row
    std::vector<std::map<long, double>> weights_;                 // as column_of_
    std::optional<ColumnDerivative> columns_;
    IntegratorSettings settings_;
    std::optional<ParameterGroups> parameters_;
    std::map<long, Seeds> seeds_;
    std::vector<Costate> costates_;
    std::vector<Costate> changes_;  // of the state, by each parameter, where they go forth
    std::vector<double> value_, size_;
    /// What a step's residual is multiplied by, and the derivatives by pi behind it.
    struct Pulled {
        Eigen::VectorXd motion, rows, behind;
    };
    std::vector<Pulled> pulled_;  // of each costate
    unsigned checks_ = 0;
    int column_looks_ = 0;
    bool has_looked_ = false;
};

}  // namespace

std::string obstacle_of_adjoint(const Simulation& simulation) {
    return StepDerivative::obstacle(KernelAccess::of(simulation));
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
        const bool is_of_all = one.take == ColumnTake::integral || one.take == ColumnTake::mean;
        num_states = std::max(num_states + 1.0, is_of_all ? num_steps : 1.0);
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
    return Sweep(model, runs, run, simulation, of, places, by).run();
}

}  // namespace ancora
