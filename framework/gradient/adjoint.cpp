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

#include "break_schedule.hpp"
#include "step_derivative.hpp"

namespace ancora {
namespace {

// Neighbouring models: relative to the parameter's scale, for residuals of steps and for starts.
constexpr double kNear = 0x1p-16;
constexpr double kFar = 0x1p-10;
// Differences of columns, relative to the size of a coordinate.
constexpr double kMoveOfColumn = 0x1p-11;
// Relative error of a derivative, of the sum of its terms' sizes.
constexpr double kError = 1e-10;
// A step's end may differ from what the equations say.
constexpr double kAgrees = 1e-10;
constexpr int kTries = 3;
// Slopes on both sides of a corner; and what residuals are counted as zero.
constexpr double kBend = 0.3;
constexpr double kLeft = 100.0;
constexpr double kRoundingOfStart = 1e-9;

// --- objectives

/// Entries of a derivative by (q, v, pi), which follow each other.
using Entries = std::vector<std::pair<int, double>>;

/// Columns of a simulation that follow from its state: positions, velocities and strains.
class StateColumns {
public:
    explicit StateColumns(const Simulation& simulation) : names_(simulation.column_names()) {
        for (const int column : simulation.step_mean_columns()) is_mean_.insert(names_[column]);
        row_.resize(names_.size());
        for (std::size_t k = 0; k < names_.size() && names_[k] != "energy.balance"; ++k)
            if (names_[k].starts_with("energy.")) energies_.push_back(k);
        const auto vector = [&](const std::string& name) {
            return static_cast<std::size_t>(std::ranges::find(names_, name) - names_.begin());
        };
        momentum_ = vector("momentum.x");
        angular_momentum_ = vector("angular_momentum.x");
    }
    /// Why a column is none; empty: it is.
    std::string obstacle(const std::string& column) const {
        const auto ends = [&](std::string_view with) {
            return column.ends_with(with);
        };
        if (std::ranges::find(names_, column) == names_.end()) return "no such column";
        if (is_of_energy(column)) return {};
        if (is_mean_.contains(column)) return "a mean over steps";
        const std::string_view first = std::string_view(column).substr(0, column.find('.'));
        for (const std::string_view of :
             {"t", "energy", "work", "momentum", "angular_momentum", "constraint", "integrator"})
            if (first == of) return "more than a state has";
        if (ends(".work") || ends(".gap") || ends(".impulse") || ends(".loss"))
            return "more than a state has";
        return {};
    }
    bool is_of_energy(const std::string& column) const {
        const std::size_t at = place(column);
        return std::ranges::find(energies_, at) != energies_.end() ||
               (at >= momentum_ && at < momentum_ + 3) ||
               (at >= angular_momentum_ && at < angular_momentum_ + 3);
    }
    std::size_t place(const std::string& column) const {
        return static_cast<std::size_t>(std::ranges::find(names_, column) - names_.begin());
    }
    /// @param with_energies  those of the present state, which are else those accepted
    const std::vector<double>& sample(const Simulation& simulation, bool with_energies) {
        simulation.sample({row_, {}, {}, false});
        if (!with_energies) return row_;
        const EnergyAccounting::Snapshot now = KernelAccess::of(simulation).energies();
        const double potential = now.elastic + now.gravity;
        const std::array<double, 3> energies{now.kinetic, potential, now.kinetic + potential};
        for (std::size_t k = 0; k < energies_.size(); ++k) row_[energies_[k]] = energies[k];
        std::ranges::copy(now.momenta.linear, &row_[momentum_]);
        std::ranges::copy(now.momenta.angular, &row_[angular_momentum_]);
        return row_;
    }

private:
    std::vector<std::string> names_;
    std::set<std::string> is_mean_;
    std::vector<std::size_t> energies_;  // kinetic, potential, total
    std::size_t momentum_ = 0, angular_momentum_ = 0;
    std::vector<double> row_;
};

/// Derivatives of some columns by q, v and pi at the present state of a run.
class ColumnDerivative {
public:
    ColumnDerivative(Simulation& simulation, std::vector<std::string> columns)
        : simulation_(simulation),
          system_(KernelAccess::of(simulation)),
          columns_(simulation),
          engine_(1) {
        for (const std::string& name : columns) {
            at_.push_back(columns_.place(name));
            with_energies_ |= columns_.is_of_energy(name);
        }
        n_ = system_.num_coordinates();
        count_ = 2 * n_ + (with_energies_ ? system_.parts().m : 0);
    }
    bool with_energies() const { return with_energies_; }
    /// One list for each column.
    std::vector<Entries> take() {
        std::vector<Entries> out(at_.size());
        find_others();
        for (const int j : known_) {
            double& x = coordinate(j);
            const double kept = x;
            const double d = distance(j);
            const auto move = [&](double by) {
                x = kept + by * d;
                return pick();
            };
            const Eigen::VectorXd up = move(1.0), down = move(-1.0);
            const Eigen::VectorXd more = move(2.0), less = move(-2.0);
            x = kept;
            for (std::size_t c = 0; c < at_.size(); ++c) {
                const auto at = static_cast<Eigen::Index>(c);
                const double value =
                    (8.0 * (up[at] - down[at]) - (more[at] - less[at])) / (12.0 * d);
                if (value != 0.0) out[c].emplace_back(j, value);
            }
        }
        pick();  // what sampling keeps is that of this state
        return out;
    }

private:
    double& coordinate(int j) {
        MotionState& state = system_.step_data().state;
        return j < n_ ? state.q[j] : j < 2 * n_ ? state.v[j - n_] : state.pi[j - 2 * n_];
    }
    double distance(int j) {
        const bool is_velocity = j >= n_ && j < 2 * n_;
        return kMoveOfColumn * std::max(std::abs(coordinate(j)), is_velocity ? 1.0 : 1e-3);
    }
    Eigen::VectorXd pick() {
        const std::vector<double>& row = columns_.sample(simulation_, with_energies_);
        Eigen::VectorXd out(static_cast<Eigen::Index>(at_.size()));
        for (std::size_t c = 0; c < at_.size(); ++c)
            out[static_cast<Eigen::Index>(c)] = row[at_[c]];
        return out;
    }
    /// Coordinates that columns depend on and that are not known to be such, by halves of those
    /// that move columns together.
    void find_others() {
        std::vector<int> others;
        for (int j = 0; j < count_; ++j)
            if (!std::ranges::binary_search(known_, j)) others.push_back(j);
        const Eigen::VectorXd here = pick();
        std::vector<int> found;
        const auto search = [&](const auto& again, std::span<const int> among) -> void {
            if (among.empty() || !moves(among, here)) return;
            if (among.size() == 1) {
                found.push_back(among.front());
                return;
            }
            const std::size_t half = among.size() / 2;
            again(again, among.first(half));
            again(again, among.subspan(half));
        };
        search(search, others);
        known_.insert(known_.end(), found.begin(), found.end());
        std::ranges::sort(known_);
    }
    bool moves(std::span<const int> among, const Eigen::VectorXd& here) {
        std::uniform_real_distribution<double> any(0.5, 1.0);
        std::vector<double> kept;
        for (const int j : among) {
            kept.push_back(coordinate(j));
            coordinate(j) += any(engine_) * distance(j);
        }
        const bool out = pick() != here;
        for (std::size_t i = 0; i < among.size(); ++i) coordinate(among[i]) = kept[i];
        return out;
    }

    Simulation& simulation_;
    KernelSystem& system_;
    StateColumns columns_;
    std::vector<std::size_t> at_;
    int n_ = 0, count_ = 0;
    bool with_energies_ = false;
    std::vector<int> known_;  // that columns depend on, rising
    std::mt19937 engine_;
};

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

// --- parameters

/// A model with a neighbouring value.
struct Neighbour {
    explicit Neighbour(Simulation made)
        : simulation(std::move(made)),
          system(KernelAccess::of(simulation)),
          columns(simulation),
          motion(system.num_coordinates()),
          rows(system.num_rows()) {}

    void evaluate(const AcceptedStep& step) {
        step.before.put(system);
        system.step_equations()->evaluate({step.before.t, step.h, view(step.a), view(step.s)},
                                          {motion.data(), static_cast<std::size_t>(motion.size())},
                                          {rows.data(), static_cast<std::size_t>(rows.size())});
        const SystemData data = system.step_data();
        increment = data.trial.Bdq + data.parts.rows.tau;
    }
    /// What parts of the residual are made of, without rows' geometry: M a - F, and what laws make
    /// of strains and stresses at these increments.
    void evaluate_laws(const AcceptedStep& step, const Eigen::VectorXd& increments) {
        step.before.put(system);
        const SystemData data = system.step_data();
        Assembly& parts = data.parts;
        parts.laws.prepare(step.h);
        parts.hold_mass(step.before.t, step.h);
        parts.mass.multiply(step.a.data(), motion.data());
        data.trial.F = parts.gravity_force;
        {
            const Eigen::VectorXd dq = step.h * step.before.v + 0.5 * step.h * step.h * step.a;
            std::ranges::copy(data.state.plugin, data.trial.plugin.begin());
            parts.forces.evaluate_step(step.before.q.data(),
                                       dq.data(),
                                       step.before.t,
                                       step.h,
                                       data.state.plugin,
                                       data.trial.plugin,
                                       data.trial.F.data());
        }
        motion -= data.trial.F;
        const RowLaws& laws = parts.laws;
        const auto m = static_cast<Eigen::Index>(parts.m);
        rows.head(m) = laws.theta().cwiseProduct(data.state.pi) + laws.extra() -
                       laws.gamma().cwiseProduct(step.s.head(m));
        for (const int k : laws.nonlinear())
            if (!laws.together().holds(k))
                rows[k] = laws.stiffest_compliance(k) *
                          (laws.mean_stress(k, data.state.pi[k], increments[k], step.h).stress -
                           step.s[k]);
        increment.setZero(m);
    }
    const std::vector<double>& sample(const StepState& at,
                                      const std::vector<int>& unseen,
                                      bool with_energies) {
        at.put(system);
        StepDerivative::reset_massless(system, unseen);
        system.follow_joints();
        return columns.sample(simulation, with_energies);
    }

    Simulation simulation;
    KernelSystem& system;
    StateColumns columns;
    Eigen::VectorXd motion, rows, increment;
};

/// Break points of a model's functions of time.
std::vector<double> breaks_of(const Model& model, const IntegratorSettings& settings) {
    constexpr std::size_t kMost = 10'000;
    BreakSchedule schedule(model, settings);
    std::vector<double> out;
    for (double t = settings.begin; out.size() < kMost;) {
        t = schedule.next(t, settings.end);
        if (!(t <= settings.end)) break;
        out.push_back(t);
    }
    return out;
}

/// How starts, residuals and columns depend on a parameter.
class ParameterSide {
public:
    ParameterSide(const ModelParameter& parameter,
                  const ModelRuns& runs,
                  const IntegratorSettings& settings,
                  Simulation& base,
                  double extent)
        : scale_(parameter.scale(extent)) {
        KernelSystem& system = KernelAccess::of(base);
        const auto make = [&](double value) {
            Simulation made = runs.make(std::vector<std::string>{parameter.override_with(value)});
            KernelSystem& other = KernelAccess::of(made);
            if (other.num_coordinates() != system.num_coordinates() ||
                other.num_rows() != system.num_rows() ||
                other.state().plugin.size() != system.state().plugin.size() ||
                made.column_names() != base.column_names())
                throw AdjointObstacle{"with another value the model has other coordinates or rows"};
            if (breaks_of(other.parts().model, settings) !=
                breaks_of(system.parts().model, settings))
                throw AdjointObstacle{
                    "the times at which what is given over time is not smooth depend on it"};
            return made;
        };
        const double p = parameter.value();
        distance_ = kNear * scale_;
        const double far = kFar * scale_;
        const auto start_at = [&](double by) {
            Simulation made = make(p + by * far);
            return StepState::of(KernelAccess::of(made));
        };
        const StepState up = start_at(1.0), down = start_at(-1.0);
        const StepState more = start_at(2.0), less = start_at(-2.0);
        const auto slope = [&](auto of) {
            return Eigen::VectorXd((8.0 * (up.*of - down.*of) - (more.*of - less.*of)) /
                                   (12.0 * far));
        };
        start_ = {slope(&StepState::q), slope(&StepState::v), slope(&StepState::pi)};
        const StepState here = StepState::of(system);
        for (const auto of : {&StepState::q, &StepState::v}) {
            const Eigen::VectorXd bend = up.*of + down.*of - 2.0 * here.*of;
            if (largest_entry(bend) > kBend * largest_entry(up.*of - down.*of) +
                                          kRoundingOfStart * (1.0 + largest_entry(here.*of)))
                throw AdjointObstacle{"the start has a corner there"};
        }
        up_ = std::make_unique<Neighbour>(make(p + distance_));
        down_ = std::make_unique<Neighbour>(make(p - distance_));
        width_ = (p + distance_) - (p - distance_);
    }

    /// d(q, v, pi)/dp at the begin.
    const Costate& start() const { return start_; }
    /// Whether residuals do not depend on it where they have been looked at.
    bool is_of_start() const { return is_of_start_; }
    bool is_in_columns() const { return is_in_columns_; }

    /// Looks whether residuals of a step depend on it, which `here` has evaluated.
    void look(const AcceptedStep& step, const Neighbour& here) {
        for (Neighbour* const side : {up_.get(), down_.get()}) {
            side->evaluate(step);
            is_of_start_ = is_of_start_ && side->motion == here.motion && side->rows == here.rows &&
                           side->increment == here.increment;
            const Assembly &own = side->system.parts(), &its = here.system.parts();
            is_in_rows_ = is_in_rows_ || own.rows.B != its.rows.B || own.rows.tau != its.rows.tau ||
                          !its.laws.together().empty();
        }
    }
    /// Where it is, as far as it has been looked at: in the start alone, in rows.
    std::array<bool, 2> parts() const { return {is_of_start_, is_in_rows_}; }
    bool is_in_rows() const { return is_in_rows_; }
    void look(const StepState& at,
              std::span<const std::size_t> places,
              const std::vector<int>& unseen,
              bool with_energies) {
        if (is_in_columns_) return;
        const std::vector<double>& up = up_->sample(at, unseen, with_energies);
        const std::vector<double>& down = down_->sample(at, unseen, with_energies);
        for (const std::size_t place : places) is_in_columns_ |= up[place] != down[place];
    }
    /// Why there is no derivative by it; empty: there is.
    const std::string& fault() const { return fault_; }
    /// dr/dp of a step by laws, masses and forces alone, where rows do not depend on it.
    void take_laws(const AcceptedStep& step, const Eigen::VectorXd& increments) {
        for (Neighbour* const side : {up_.get(), down_.get()})
            side->evaluate_laws(step, increments);
        take_slopes();
    }
    /// dr/dp and dI/dp of a step, whose own residuals are as small as these.
    void take(const AcceptedStep& step, double motion_left, double rows_left) {
        up_->evaluate(step);
        down_->evaluate(step);
        if (bends(up_->motion, down_->motion, motion_left) ||
            bends(up_->rows, down_->rows, rows_left))
            fault_ = fmt::format("t = {:.6g} s: the equations have a corner there", step.before.t);
        take_slopes();
    }
    /// Of a column at a state.
    double of_column(const StepState& at,
                     std::size_t place,
                     const std::vector<int>& unseen,
                     bool with_energies) {
        return (up_->sample(at, unseen, with_energies)[place] -
                down_->sample(at, unseen, with_energies)[place]) /
               width_;
    }

    Eigen::VectorXd motion, rows, increment;

private:
    void take_slopes() {
        motion = (up_->motion - down_->motion) / width_;
        rows = (up_->rows - down_->rows) / width_;
        increment = (up_->increment - down_->increment) / width_;
    }
    /// Residuals are zero at the parameter's value: at a smooth one those on both sides are
    /// opposite.
    static bool bends(const Eigen::VectorXd& up, const Eigen::VectorXd& down, double left) {
        return largest_entry(up + down) > kBend * largest_entry(up - down) + kLeft * left;
    }

    double scale_, distance_ = 0.0, width_ = 0.0;
    std::string fault_;
    Costate start_;
    std::unique_ptr<Neighbour> up_, down_;
    bool is_of_start_ = true, is_in_columns_ = false;
    bool is_in_rows_ = false;
};

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
        const IntegratorSettings settings = model({}).integrator;
        for (std::size_t k = 0; k < by.size() && !column_of_.empty(); ++k) {
            try {
                parameters_.push_back(
                    {k,
                     ParameterSide(by[k], runs, settings, here_.simulation, simulation.extent())});
            } catch (const AdjointObstacle& obstacle) {
                out_.by[k] = fmt::format("{}: {}", by[k].key(), obstacle.why);
            } catch (const Error& error) {
                out_.by[k] = fmt::format("{}: {}", by[k].key(), error.message());
            }
        }
        const int n = system_.num_coordinates();
        const auto zero = [](Eigen::Index size) {
            return Eigen::VectorXd(Eigen::VectorXd::Zero(size));
        };
        costates_.assign(column_of_.size(), {zero(n), zero(n), zero(system_.parts().m)});
        value_.assign(column_of_.size() * parameters_.size(), 0.0);
        size_ = value_;
    }

    AdjointGradient run() {
        if (column_of_.empty() || parameters_.empty()) return std::move(out_);
        try {
            run_.visit_backwards(
                [this](long step) {
                    note_seeds(step);
                },
                [this](const RecordedRun::Segment& segment) {
                    go_back(segment);
                });
            take_start();
        } catch (const AdjointObstacle& obstacle) {
            out_.obstacle = obstacle.why;
            return std::move(out_);
        } catch (const Error& error) {
            out_.obstacle = error.message();
            return std::move(out_);
        }
        for (const auto& [number, side] : parameters_) out_.by[number] = side.fault();
        for (std::size_t c = 0; c < column_of_.size(); ++c)
            for (std::size_t k = 0; k < parameters_.size(); ++k) {
                Gradient::Entry& entry =
                    out_.entries[column_of_[c].first * out_.by.size() + parameters_[k].first];
                entry.value = value_[c * parameters_.size() + k];
                entry.error = kError * size_[c * parameters_.size() + k];
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

    static bool is_live(const ParameterSide& side) {
        return !side.is_of_start() && side.fault().empty();
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
        value_[c * parameters_.size() + k] += term;
        size_[c * parameters_.size() + k] += size;
    }

    void plant(long step) {
        const auto found = seeds_.find(step);
        if (found == seeds_.end()) return;
        const Seeds& seeds = found->second;
        const std::vector<int> unseen = derivative_.unseen_rows(seeds.at);
        const int n = system_.num_coordinates();
        for (auto& [number, side] : parameters_)
            if (column_looks_ < kTries)
                side.look(seeds.at, places_, unseen, columns_->with_energies());
        ++column_looks_;
        for (std::size_t c = 0; c < column_of_.size(); ++c) {
            const double w = weight(c, step);
            if (w == 0.0) continue;
            for (const auto& [j, value] : seeds.of_columns[column_of_[c].second]) {
                Costate& to = costates_[c];
                (j < n ? to.q[j] : j < 2 * n ? to.v[j - n] : to.pi[j - 2 * n]) += w * value;
            }
            derivative_.move_massless(seeds.at, costates_[c]);
            for (std::size_t k = 0; k < parameters_.size(); ++k) {
                ParameterSide& side = parameters_[k].second;
                if (!side.is_in_columns()) continue;
                const double term = w * side.of_column(seeds.at,
                                                       places_[column_of_[c].second],
                                                       unseen,
                                                       columns_->with_energies());
                add(c, k, term, std::abs(term));
            }
        }
        seeds_.erase(found);
    }

    void go_back(const RecordedRun::Segment& segment) {
        bool is_first = true;
        for (long step = segment.last; step > segment.first; --step) {
            plant(step);
            const auto at = static_cast<std::size_t>(step - segment.first - 1);
            const std::size_t begin = at > 0 ? segment.ends[at - 1] : 0;
            for (std::size_t i = segment.ends[at]; i-- > begin;) {
                const AcceptedStep& accepted = segment.steps[i];
                const bool is_last = i + 1 == segment.steps.size();
                const StepState& next = is_last ? segment.end : segment.steps[i + 1].before;
                require_agreement(accepted, next);
                if (is_first) try_out(accepted);
                pull_back(accepted, std::exchange(is_first, false));
            }
        }
        if (segment.first == 0) plant(0);
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
            if (system_.parts().mass.is_massless(i)) v_off[i] = 0.0;
        if (largest_entry(next.q - before.q - dq) > kAgrees * q_size ||
            largest_entry(v_off) > kAgrees * v_size)
            throw AdjointObstacle{fmt::format(
                "t = {:.6g} s: positions or velocities change by more than a step of second order",
                next.t)};
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
        for (auto& [number, side] : parameters_) {
            if (!is_live(side)) continue;
            // In full now and then, which tells whether it has a corner.
            if (side.is_in_rows() || is_to_be_checked)
                side.take(step, derivative_.motion_left(), derivative_.rows_left());
            else
                side.take_laws(step, derivative_.increments());
        }
        Eigen::VectorXd motion, rows;
        for (std::size_t c = 0; c < column_of_.size(); ++c) {
            const Eigen::VectorXd behind = costates_[c].pi;
            if (!derivative_.pull_back(costates_[c], motion, rows))
                throw AdjointObstacle{
                    fmt::format("t = {:.6g} s: the step's matrix has no inverse", step.before.t)};
            for (std::size_t k = 0; k < parameters_.size(); ++k) {
                const ParameterSide& side = parameters_[k].second;
                if (!is_live(side)) continue;
                const Eigen::Index m = rows.size();
                add(c,
                    k,
                    behind.dot(side.increment) - motion.dot(side.motion) -
                        rows.dot(side.rows.head(m)),
                    behind.cwiseAbs().dot(side.increment.cwiseAbs()) +
                        motion.cwiseAbs().dot(side.motion.cwiseAbs()) +
                        rows.cwiseAbs().dot(side.rows.head(m).cwiseAbs()));
            }
        }
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
            for (auto& [number, side] : parameters_) {
                const auto before = side.parts();
                side.look(*at, here_);
                if (has_looked_ && side.parts() != before)
                    throw AdjointObstacle{"a parameter enters the equations at some times only"};
            }
        }
        has_looked_ = true;
    }

    void take_start() {
        for (std::size_t c = 0; c < column_of_.size(); ++c)
            for (std::size_t k = 0; k < parameters_.size(); ++k) {
                const Costate& start = parameters_[k].second.start();
                const Costate& of = costates_[c];
                add(c,
                    k,
                    of.q.dot(start.q) + of.v.dot(start.v) + of.pi.dot(start.pi),
                    of.q.cwiseAbs().dot(start.q.cwiseAbs()) +
                        of.v.cwiseAbs().dot(start.v.cwiseAbs()) +
                        of.pi.cwiseAbs().dot(start.pi.cwiseAbs()));
            }
    }

    RecordedRun& run_;
    Simulation& simulation_;
    KernelSystem& system_;
    Neighbour here_;  // of the same values
    StepDerivative derivative_;
    std::span<const Objective> of_;
    AdjointGradient out_;
    std::vector<std::pair<std::size_t, std::size_t>> column_of_;  // objective, its column
    std::vector<std::size_t> places_;                             // of columns in a row
    std::vector<std::map<long, double>> weights_;                 // as column_of_
    std::optional<ColumnDerivative> columns_;
    std::vector<std::pair<std::size_t, ParameterSide>> parameters_;
    std::map<long, Seeds> seeds_;
    std::vector<Costate> costates_;
    std::vector<double> value_, size_;
    unsigned checks_ = 0;
    int column_looks_ = 0;
    bool has_looked_ = false;
};

}  // namespace

std::string obstacle_of_adjoint(const Simulation& simulation) {
    return StepDerivative::obstacle(KernelAccess::of(simulation));
}

bool differences_cost_less(const Simulation& simulation, std::size_t num_parameters) {
    // spinning_net, one parameter: 32 s by the adjoint, 1.8 s by differences.
    constexpr std::size_t kCoordinatesPerParameter = 100;
    const auto n = static_cast<std::size_t>(KernelAccess::of(simulation).num_coordinates());
    return n > kCoordinatesPerParameter * num_parameters;
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
