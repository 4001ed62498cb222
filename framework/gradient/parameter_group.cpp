// SPDX-License-Identifier: BSD-3-Clause
// Neighbouring models, and which parameters one of them serves.
#include "parameter_group.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "break_schedule.hpp"

namespace ancora {
namespace {

// Neighbouring models: relative to the parameter's scale, for residuals of steps and for starts.
constexpr double kNear = 0x1p-16;
constexpr double kFar = 0x1p-10;
// Slopes on both sides of a corner; and what residuals are counted as zero.
constexpr double kBend = 0.3;
constexpr double kLeft = 100.0;
constexpr double kRoundingOfStart = 1e-9;
// Velocities of coordinates without mass leave so much of a column, whatever the parameter.
constexpr double kRoundingOfColumn = 1e-14;
constexpr double kUnseenAtStart = 4e-15;
// Slopes at two distances agree, relative to the largest: beside that rounding over the distance.
constexpr double kAgree = 1e-5;

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

/// Of the step evaluated last.
Eigen::VectorXd forces_of(const Neighbour& of) {
    const ForceSet& forces = of.system.parts().forces;
    Eigen::VectorXd out = Eigen::VectorXd::Zero(of.motion.size());
    for (int part = 0; part < forces.num_parts(); ++part) forces.add(part, out.data());
    return out;
}

}  // namespace

Neighbour::Neighbour(Simulation made)
    : simulation(std::move(made)),
      system(KernelAccess::of(simulation)),
      columns(simulation),
      motion(system.num_coordinates()),
      rows(system.num_rows()) {}

void Neighbour::evaluate(const AcceptedStep& step) {
    step.before.put(system);
    system.step_equations()->evaluate({step.before.t, step.h, view(step.a), view(step.s)},
                                      {motion.data(), static_cast<std::size_t>(motion.size())},
                                      {rows.data(), static_cast<std::size_t>(rows.size())});
    const SystemData data = system.step_data();
    increment = data.trial.Bdq + data.parts.rows.tau;
}

void Neighbour::evaluate_laws(const AcceptedStep& step,
                              const Eigen::VectorXd& increments,
                              bool forces) {
    step.before.put(system);
    const SystemData data = system.step_data();
    Assembly& parts = data.parts;
    parts.laws.prepare(step.h);
    parts.hold_mass(step.before.t, step.h);
    parts.mass.multiply(step.a.data(), motion.data());
    data.trial.F = parts.gravity_force;
    if (forces) {
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
            rows[k] =
                laws.stiffest_compliance(k) *
                (laws.mean_stress(k, data.state.pi[k], increments[k], step.h).stress - step.s[k]);
    increment.setZero(m);
}

const std::vector<double>& Neighbour::sample(const StepState& at,
                                             const std::vector<int>& unseen,
                                             bool with_energies) {
    at.put(system);
    if (system.parts().model.traits.face == Face::discrete)
        MasslessDerivative::reset(system, unseen);
    system.follow_joints();
    return columns.sample(simulation, with_energies);
}

ParameterGroup::ParameterGroup(std::vector<Member> members,
                               const ModelRuns& runs,
                               const IntegratorSettings& settings,
                               Simulation& base,
                               double extent)
    : members_(std::move(members)), runs_(runs), settings_(settings), base_(base) {
    KernelSystem& system = KernelAccess::of(base);
    if (system.num_rows() > system.parts().m) {
        // A coefficient of friction enters where something slides.
        is_of_start_ = false;
        is_in_rows_ = true;
    }
    for (Member& member : members_) {
        const double p = member.parameter->value();
        member.distance = kNear * member.parameter->scale(extent);
        member.width = (p + member.distance) - (p - member.distance);
    }
    if (members_.size() > 1) {
        is_supported_.assign(static_cast<std::size_t>(system.num_coordinates() + system.parts().m),
                             0);
        for (const Member& member : members_) {
            for (const int i : member.support.coordinates) is_supported_[i] = 1;
            for (const int k : member.support.rows) is_supported_[system.num_coordinates() + k] = 1;
        }
    }
    up_ = std::make_unique<Neighbour>(make(1.0, false));
    down_ = std::make_unique<Neighbour>(make(-1.0, false));
    take_start(StepState::of(system), extent);
    if (members_.size() < 2) return;
    uneven_up_ = std::make_unique<Neighbour>(make(1.0, true));
    uneven_down_ = std::make_unique<Neighbour>(make(-1.0, true));
    if (!starts_agree(StepState::of(uneven_up_->system), StepState::of(uneven_down_->system)))
        throw Entangled();
}

/// Distances of members that are moved unevenly, between a half and one, each its own.
double ParameterGroup::part_of(const Member& member) const {
    constexpr double kGolden = 0.6180339887498949;
    const double turns = kGolden * static_cast<double>(member.number + 1);
    return 0.5 + 0.5 * (turns - std::floor(turns));
}

Simulation ParameterGroup::make(double part, bool is_uneven) const {
    std::vector<std::string> overrides;
    for (const Member& member : members_)
        overrides.push_back(member.parameter->override_with(
            member.parameter->value() +
            part * (is_uneven ? part_of(member) : 1.0) * member.distance));
    Simulation made = runs_.make(overrides);
    const KernelSystem &other = KernelAccess::of(made), &system = KernelAccess::of(base_);
    if (other.parts().n != system.parts().n || other.parts().m != system.parts().m ||
        other.state().plugin.size() != system.state().plugin.size() ||
        made.column_names() != base_.column_names())
        throw AdjointObstacle{"with another value the model has other coordinates or rows"};
    if (breaks_of(other.parts().model, settings_) != breaks_of(system.parts().model, settings_))
        throw AdjointObstacle{
            "the times at which what is given over time is not smooth depend on it"};
    return made;
}

/// Calls visit(i) for some entries of a vector, or for all.
template <class Visit>
void ParameterGroup::for_entries(const std::vector<int>* only,
                                 Eigen::Index size,
                                 const Visit& visit) {
    if (only == nullptr) {
        for (int i = 0; i < size; ++i) visit(i);
        return;
    }
    for (const int i : *only) visit(i);
}

void ParameterGroup::take_start(const StepState& here, double extent) {
    const StepState near_up = StepState::of(up_->system), near_down = StepState::of(down_->system);
    const auto is_here = [&](const StepState& at) {
        return at.q == here.q && at.v == here.v && at.pi == here.pi;
    };
    if (is_here(near_up) && is_here(near_down)) return;
    const KernelSystem& system = KernelAccess::of(base_);
    for (const StepState* const near : {&near_up, &near_down})
        if (!changed_modes(system, here, *near).empty())
            throw AdjointObstacle{"friction begins in another mode with another value"};
    if (!is_within_supports(near_up, here) || !is_within_supports(near_down, here))
        throw Entangled();
    const auto start_at = [&](double by) {
        Simulation made = make(by * kFar / kNear, false);
        return StepState::of(KernelAccess::of(made));
    };
    const StepState up = start_at(1.0), down = start_at(-1.0);
    const StepState more = start_at(2.0), less = start_at(-2.0);
    for (Member& member : members_) {
        const double factor = kNear / (kFar * 12.0 * member.distance);
        const Support& support = member.support;
        const auto take = [&](auto of, const std::vector<int>* only, Eigen::Index first) {
            // What a start is solved to; rows' stiff multipliers would make much of it.
            const double rounding = kUnseenAtStart * std::max(largest_entry(here.*of), extent);
            double bend = 0.0, rise = 0.0, size = 0.0;
            for_entries(only, (here.*of).size(), [&](int i) {
                const double near = (up.*of)[i] - (down.*of)[i];
                const double slope = factor * (8.0 * near - ((more.*of)[i] - (less.*of)[i]));
                if (std::abs(near) > rounding)
                    member.start.emplace_back(static_cast<int>(first) + i, slope);
                bend = std::max(bend, std::abs((up.*of)[i] + (down.*of)[i] - 2.0 * (here.*of)[i]));
                rise = std::max(rise, std::abs(near));
                size = std::max(size, std::abs((here.*of)[i]));
            });
            return bend > kBend * rise + kRoundingOfStart * (1.0 + size);
        };
        const std::vector<int>* const coordinates = support.is_all ? nullptr : &support.coordinates;
        const Eigen::Index n = here.q.size();
        const bool has_corner =
            take(&StepState::q, coordinates, 0) || take(&StepState::v, coordinates, n);
        take(&StepState::pi, support.is_all ? nullptr : &support.rows, 2 * n);
        if (!has_corner) continue;
        if (members_.size() > 1) throw Entangled();
        throw AdjointObstacle{"the start has a corner there"};
    }
}

bool ParameterGroup::is_within_supports(const StepState& start, const StepState& here) const {
    if (is_supported_.empty()) return true;
    const Eigen::Index n = here.q.size();
    for (Eigen::Index i = 0; i < n; ++i)
        if (is_supported_[i] == 0 && (start.q[i] != here.q[i] || start.v[i] != here.v[i]))
            return false;
    for (Eigen::Index k = 0; k < here.pi.size(); ++k)
        if (is_supported_[n + k] == 0 && start.pi[k] != here.pi[k]) return false;
    return true;
}

bool ParameterGroup::are_numbers_within() const {
    if (is_supported_.empty()) return true;
    const Eigen::Index n = motion_.size();
    for (Eigen::Index i = 0; i < n; ++i)
        if (is_supported_[i] == 0 && motion_[i] != 0.0) return false;
    for (Eigen::Index k = 0; k < rows_.size(); ++k)
        if (is_supported_[n + k] == 0 && rows_[k] != 0.0) return false;
    return true;
}

bool ParameterGroup::starts_agree(const StepState& up, const StepState& down) const {
    const StepState near_up = StepState::of(up_->system), near_down = StepState::of(down_->system);
    for (const Member& member : members_) {
        const double part = part_of(member);
        const auto agrees = [&](auto of, const std::vector<int>& only) {
            return std::ranges::all_of(only, [&](int i) {
                const double rise = (near_up.*of)[i] - (near_down.*of)[i];
                const double other = ((up.*of)[i] - (down.*of)[i]) / part;
                return std::abs(other - rise) <=
                       kAgree * std::abs(rise) +
                           kRoundingOfStart * kNear * (1.0 + std::abs((up.*of)[i]));
            });
        };
        if (!agrees(&StepState::q, member.support.coordinates) ||
            !agrees(&StepState::v, member.support.coordinates) ||
            !agrees(&StepState::pi, member.support.rows))
            return false;
    }
    return true;
}

bool ParameterGroup::look(const AcceptedStep& step, const Neighbour& here) {
    bool is_within = true;
    const auto n = static_cast<Eigen::Index>(here.motion.size());
    for (Neighbour* const side : {up_.get(), down_.get()}) {
        side->evaluate(step);
        is_of_start_ = is_of_start_ && side->motion == here.motion && side->rows == here.rows &&
                       side->increment == here.increment;
        const Assembly &own = side->system.parts(), &its = here.system.parts();
        is_in_rows_ = is_in_rows_ || own.rows.B.size() != its.rows.B.size() ||
                      own.rows.B != its.rows.B || own.rows.tau != its.rows.tau ||
                      !its.laws.together().empty() || here.system.step_parts().num_rows() > 0;
        is_in_forces_ = is_in_forces_ || forces_of(*side) != forces_of(here);
        if (is_supported_.empty()) continue;
        for (Eigen::Index i = 0; i < n; ++i)
            is_within = is_within && (is_supported_[i] != 0 || side->motion[i] == here.motion[i]);
        for (Eigen::Index k = 0; k < here.increment.size(); ++k)
            is_within = is_within &&
                        (is_supported_[n + k] != 0 || (side->rows[k] == here.rows[k] &&
                                                       side->increment[k] == here.increment[k]));
    }
    return is_within;
}

bool ParameterGroup::agrees(const AcceptedStep& step) {
    if (!uneven_up_) return true;
    uneven_up_->evaluate(step);
    uneven_down_->evaluate(step);
    const auto agrees = [&](auto of, const std::vector<int>& only, double part) {
        const Eigen::VectorXd &up = (*up_).*of, &down = (*down_).*of;
        const Eigen::VectorXd &other_up = (*uneven_up_).*of, &other_down = (*uneven_down_).*of;
        double size = 0.0, off = 0.0;
        for (const int i : only) {
            const double rise = up[i] - down[i];
            size = std::max(size, std::abs(rise));
            off = std::max(off, std::abs((other_up[i] - other_down[i]) / part - rise));
        }
        // Residuals are small differences of large terms.
        const double rounding =
            kRoundingOfStart * kNear * (1.0 + largest_entry(up) + largest_entry(step.a));
        return off <= kAgree * size + rounding;
    };
    for (const Member& member : members_) {
        const double part = part_of(member);
        if (!agrees(&Neighbour::motion, member.support.coordinates, part) ||
            !agrees(&Neighbour::rows, member.support.rows, part) ||
            !agrees(&Neighbour::increment, member.support.rows, part))
            return false;
    }
    return true;
}

void ParameterGroup::look(const StepState& at,
                          std::span<const std::size_t> places,
                          const std::vector<int>& unseen,
                          bool with_energies) {
    const std::vector<double>& up = up_->sample(at, unseen, with_energies);
    const std::vector<double>& down = down_->sample(at, unseen, with_energies);
    for (const std::size_t place : places)
        if (!is_in_column(place) &&
            std::abs(up[place] - down[place]) > kRoundingOfColumn * std::abs(up[place]))
            columns_.push_back(place);
}

void ParameterGroup::take_laws(const AcceptedStep& step, const Eigen::VectorXd& increments) {
    for (Neighbour* const side : {up_.get(), down_.get()})
        side->evaluate_laws(step, increments, is_in_forces_);
    motion_ = up_->motion - down_->motion;
    rows_ = up_->rows - down_->rows;
    increment_ = up_->increment - down_->increment;
}

void ParameterGroup::take(const AcceptedStep& step, double motion_left, double rows_left) {
    up_->evaluate(step);
    down_->evaluate(step);
    // Residuals are zero at the parameter's value: at a smooth one those on both sides are
    // opposite.
    const auto bends = [&](auto of, const std::vector<int>* only, double left) {
        const Eigen::VectorXd &up = (*up_).*of, &down = (*down_).*of;
        double bend = 0.0, rise = 0.0;
        for_entries(only, up.size(), [&](int i) {
            bend = std::max(bend, std::abs(up[i] + down[i]));
            rise = std::max(rise, std::abs(up[i] - down[i]));
        });
        return bend > kBend * rise + kLeft * left;
    };
    for (Member& member : members_) {
        const Support& support = member.support;
        if (bends(
                &Neighbour::motion, support.is_all ? nullptr : &support.coordinates, motion_left) ||
            bends(&Neighbour::rows, support.is_all ? nullptr : &support.rows, rows_left))
            member.fault =
                fmt::format("t = {:.6g} s: the equations have a corner there", step.before.t);
    }
    motion_ = up_->motion - down_->motion;
    rows_ = up_->rows - down_->rows;
    increment_ = up_->increment - down_->increment;
}

ParameterGroup::Term ParameterGroup::term(const Member& member,
                                          const Eigen::VectorXd& motion,
                                          const Eigen::VectorXd& rows,
                                          const Eigen::VectorXd& of_increments) const {
    Term out = product(member, motion, rows);
    double value = 0.0, size = 0.0;
    const Support& support = member.support;
    for_entries(support.is_all ? nullptr : &support.rows, increment_.size(), [&](int k) {
        const double term = of_increments[k] * increment_[k];
        value += term;
        size += std::abs(term);
    });
    out.value += value / member.width;
    out.size += size / std::abs(member.width);
    return out;
}

ParameterGroup::Term ParameterGroup::product(const Member& member,
                                             const Eigen::VectorXd& motion,
                                             const Eigen::VectorXd& rows) const {
    Term out;
    const Support& support = member.support;
    const auto add = [&](const std::vector<int>* only,
                         const Eigen::VectorXd& by,
                         const Eigen::VectorXd& numbers) {
        for_entries(only, by.size(), [&](int i) {
            const double term = -by[i] * numbers[i];
            out.value += term;
            out.size += std::abs(term);
        });
    };
    add(support.is_all ? nullptr : &support.coordinates, motion, motion_);
    add(support.is_all ? nullptr : &support.rows, rows, rows_);
    out.value /= member.width;
    out.size /= std::abs(member.width);
    return out;
}

void ParameterGroup::put_slopes(const Member& member,
                                Eigen::VectorXd& motion,
                                Eigen::VectorXd& rows,
                                Eigen::VectorXd& increments) const {
    for (Eigen::VectorXd* const x : {&motion, &rows, &increments}) x->setZero();
    const Support& support = member.support;
    for_entries(support.is_all ? nullptr : &support.coordinates, motion.size(), [&](int i) {
        motion[i] = motion_[i] / member.width;
    });
    for_entries(support.is_all ? nullptr : &support.rows, rows.size(), [&](int k) {
        rows[k] = rows_[k] / member.width;
        if (k < increments.size()) increments[k] = increment_[k] / member.width;
    });
}

ParameterGroup::Term ParameterGroup::sum(const Member& member) const {
    Term out;
    const Support& support = member.support;
    const auto add = [&](const std::vector<int>* only, const Eigen::VectorXd& numbers) {
        for_entries(only, numbers.size(), [&](int i) {
            out.value += numbers[i];
            out.size += std::abs(numbers[i]);
        });
    };
    add(support.is_all ? nullptr : &support.coordinates, motion_);
    add(support.is_all ? nullptr : &support.rows, rows_);
    out.value /= member.width;
    out.size /= std::abs(member.width);
    return out;
}

double ParameterGroup::of_column(const StepState& at,
                                 std::size_t place,
                                 const std::vector<int>& unseen,
                                 bool with_energies) {
    return (up_->sample(at, unseen, with_energies)[place] -
            down_->sample(at, unseen, with_energies)[place]) /
           members_.front().width;
}

ParameterGroups::ParameterGroups(std::span<const ModelParameter> by,
                                 const ModelRuns& runs,
                                 const IntegratorSettings& settings,
                                 Simulation& base,
                                 double extent,
                                 const AcceptedStep& step,
                                 std::span<const std::size_t> places,
                                 bool with_energies,
                                 StepDerivative& derivative)
    : faults(by.size()),
      by_(by),
      runs_(runs),
      settings_(settings),
      base_(base),
      extent_(extent),
      step_(step),
      places_(places),
      with_energies_(with_energies),
      derivative_(derivative) {
    const Assembly& parts = KernelAccess::of(base).parts();
    rows_of_coordinate_.resize(static_cast<std::size_t>(parts.n));
    for (int k = 0; k < parts.m; ++k)
        for (const int i : parts.rows.columns(k)) rows_of_coordinate_[i].push_back(k);
    // Those of the same key of objects of one kind enter at like places.
    std::map<std::string, std::vector<std::size_t>> alike;
    for (std::size_t k = 0; k < by.size(); ++k) {
        const std::string& key = by[k].key();
        // Of energies a small part may be below rounding in one state and not in another; rows of
        // parts see masses of many objects.
        if (with_energies || KernelAccess::of(base).num_rows() > parts.m ||
            support_of(by[k], Reach::own).is_all) {
            make({k}, Reach::all);
            continue;
        }
        alike[key.substr(0, key.find('.')) + key.substr(key.rfind('.'))].push_back(k);
    }
    for (auto& [key, of] : alike) make(std::move(of), Reach::own);
}

/// Of an object: its own coordinates, rows and attachments' coordinates; or with them all rows that
/// see these, and their coordinates.
Support ParameterGroups::support_of(const ModelParameter& parameter, Reach reach) const {
    Support out;
    const std::string& key = parameter.key();
    const std::size_t first = key.find('.'), last = key.rfind('.');
    if (reach == Reach::all || first == std::string::npos || !(first < last)) return out;
    const std::string kind = key.substr(0, first), name = key.substr(first + 1, last - first - 1);
    const Assembly& parts = KernelAccess::of(base_).parts();
    const Model& model = parts.model;
    const auto take_rows = [&](const RowOwner& owner) {
        for (int k = owner.first_row; k < owner.first_row + owner.num_rows; ++k)
            out.rows.push_back(k);
    };
    if (kind == "body") {
        for (std::size_t b = 0; b < model.bodies.size(); ++b) {
            if (model.bodies[b].object.name != name) continue;
            const int end = b + 1 < model.bodies.size() ? model.bodies[b + 1].first : parts.n;
            for (int i = model.bodies[b].first; i < end; ++i) out.coordinates.push_back(i);
            take_rows(parts.rows.owners[b]);
            out.is_all = false;
        }
    } else if (kind == "constraint" || kind == "joint") {
        const int c = model.constraint_names.find(name);
        if (c >= 0) {
            take_rows(parts.owner_of_constraint(static_cast<std::size_t>(c)));
            out.is_all = false;
        }
    }
    if (out.is_all || reach == Reach::own) return out;
    const auto sort = [](std::vector<int>& x) {
        std::ranges::sort(x);
        x.erase(std::unique(x.begin(), x.end()), x.end());
    };
    const auto take_coordinates = [&] {
        for (const int k : out.rows)
            for (const int i : parts.rows.columns(k)) out.coordinates.push_back(i);
        sort(out.coordinates);
    };
    if (out.coordinates.empty()) take_coordinates();
    for (const int i : out.coordinates)
        out.rows.insert(
            out.rows.end(), rows_of_coordinate_[i].begin(), rows_of_coordinate_[i].end());
    sort(out.rows);
    take_coordinates();
    return out;
}

/// In as many groups as it takes for their supports to be apart.
void ParameterGroups::make(std::vector<std::size_t> of, Reach reach) {
    if (of.size() == 1) reach = Reach::all;
    std::vector<std::size_t> further;
    if (reach == Reach::all) {
        for (const std::size_t k : of) make_group({k}, reach, further);
        return;
    }
    const Assembly& parts = KernelAccess::of(base_).parts();
    std::vector<std::vector<std::size_t>> apart;
    std::vector<std::vector<char>> is_taken;
    for (const std::size_t k : of) {
        const Support support = support_of(by_[k], reach);
        const auto for_all = [&](const auto& visit) {
            for (const int i : support.coordinates) visit(i);
            for (const int row : support.rows) visit(parts.n + row);
        };
        std::size_t group = 0;
        for (; group < apart.size(); ++group) {
            bool is_free = true;
            for_all([&](int i) {
                is_free = is_free && is_taken[group][i] == 0;
            });
            if (is_free) break;
        }
        if (group == apart.size()) {
            apart.emplace_back();
            is_taken.emplace_back(static_cast<std::size_t>(parts.n + parts.m), 0);
        }
        apart[group].push_back(k);
        for_all([&](int i) {
            is_taken[group][i] = 1;
        });
    }
    for (std::vector<std::size_t>& group : apart) make_group(std::move(group), reach, further);
    if (!further.empty()) make(std::move(further), reach == Reach::own ? Reach::ring : Reach::all);
}

/// @param further  gets those that cannot be together with this reach
void ParameterGroups::make_group(std::vector<std::size_t> of,
                                 Reach reach,
                                 std::vector<std::size_t>& further) {
    const bool is_alone = of.size() == 1;
    const auto fail = [&](const std::string& why) {
        if (is_alone)
            faults[of.front()] = fmt::format("{}: {}", by_[of.front()].key(), why);
        else
            further.insert(further.end(), of.begin(), of.end());
    };
    std::vector<ParameterGroup::Member> members;
    for (const std::size_t k : of)
        members.push_back({k, &by_[k], is_alone ? Support() : support_of(by_[k], reach)});
    try {
        ParameterGroup group(std::move(members), runs_, settings_, base_, extent_);
        if (!is_alone) {
            if (!here_) here_ = std::make_unique<Neighbour>(runs_.make({}));
            here_->evaluate(step_);
            const bool is_apart = group.look(step_, *here_) && group.agrees(step_);
            group.look(step_.before,
                       places_,
                       derivative_.massless().unseen_rows(step_.before),
                       with_energies_);
            if (!is_apart || group.is_in_columns()) return fail("");
        }
        groups.push_back(std::move(group));
    } catch (const ParameterGroup::Entangled&) {
        fail("");
    } catch (const AdjointObstacle& obstacle) {
        fail(obstacle.why);
    } catch (const Error& error) {
        fail(error.message());
    }
}

}  // namespace ancora
