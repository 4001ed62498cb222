// SPDX-License-Identifier: BSD-3-Clause
// Energies, momenta, violations, poses, reactions and points as columns.
#include "observables.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "ancora/framework/nearest_name.hpp"
#include "effort_units.hpp"
#include "name_pattern.hpp"
#include "pose.hpp"
#include "wording.hpp"

namespace ancora {
namespace {

// --- the choice of columns

/// `; did you mean ...?` behind a pattern that fits no column: a column, or such a pattern that
/// fits.
std::string nearest_pattern(const std::string& pattern, const std::vector<std::string>& names) {
    const std::size_t wild = pattern.find_first_of("*?");
    if (wild == std::string::npos) return did_you_mean(pattern, names);
    // "elbw.*" is compared with "elbow.*", "*.anlge" with "*.angle", "elbow.anlge*" with all names
    const std::string head = pattern.substr(0, wild), tail = pattern.substr(wild);
    std::vector<std::string> known;
    for (const std::string& name : names) {
        const std::size_t dot = std::min(name.find('.'), name.size());
        if (head.ends_with('.'))
            known.push_back(name.substr(0, dot + 1) + tail);
        else if (head.empty() && tail.starts_with("*."))
            known.push_back('*' + name.substr(dot));
        else
            known.push_back(name + tail);
    }
    return did_you_mean(pattern, known);
}

/// A sensor or a controller.
bool acts_on_nothing(const ForcePart& part) {
    return part.contact == nullptr && part.attachments.empty();
}

/// "; of hinge there are angle, angle_rate", those of the object that a pattern begins with.
std::string columns_of(const std::string& pattern, const std::vector<std::string>& names) {
    constexpr std::size_t kMostListed = 12;
    const std::string object = pattern.substr(0, pattern.find('.'));
    std::string list;
    std::size_t count = 0;
    for (const std::string& name : names) {
        if (!name.starts_with(object + ".") || count++ >= kMostListed) continue;
        list += (list.empty() ? "" : ", ") + name.substr(object.size() + 1);
    }
    if (count == 0) return {};
    return fmt::format("; of {} there are {}{}", object, list, count > kMostListed ? ", ..." : "");
}

}  // namespace

Observables::Observables(const Model& model, KernelSystem& system, const OutputSettings& output)
    : model_(model), system_(system), all_forces_(output.all_forces) {
    names_ = {"t",
              "energy.kinetic",
              "energy.potential",
              "energy.total",
              "work.external",
              "work.nonideal",
              "work.projection",
              "energy.balance"};
    const RowSet& rows = system.parts().rows;
    if (!rows.unilateral().empty()) names_.insert(names_.end() - 1, "work.impacts");
    for (const char* name :
         {"momentum", "angular_momentum", "momentum.balance", "angular_momentum.balance"})
        add_vector(std::string(name) + ".", "xyz");
    for (const char* name : {"constraint.position", "constraint.velocity", "constraint.strain"})
        names_.emplace_back(name);
    const std::size_t num_of_model = names_.size();
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
        const BodyPart& part = model.bodies[i];
        const PoseKind kind = part.pose_kind;
        if (kind == PoseKind::none) continue;
        posed_.push_back(static_cast<int>(i));
        pose_kinds_.push_back(kind);
        add_vector(part.object.name + ".", "xyz");
        add_vector(part.object.name + ".v", "xyz");
        if (kind != PoseKind::attitude) continue;
        add_vector(part.object.name + ".q", "wxyz");
        add_vector(part.object.name + ".w", "xyz");
    }
    last_quaternion_.assign(posed_.size(), {1.0, 0.0, 0.0, 0.0});
    const auto first_reaction = static_cast<std::ptrdiff_t>(names_.size());
    for (std::size_t c = 0; c < model.constraints.size(); ++c) {
        const ConstraintPart& part = model.constraints[c];
        const auto first = static_cast<int>(names_.size());
        const int count = system.reactions().start()[c + 1] - system.reactions().start()[c];
        const int alone = system.reactions().count_alone(c);
        if (part.reaction == ReactionKind::force)
            add_vector(part.object.name + ".force.", "xyz");
        else if (part.reaction == ReactionKind::effort)
            add_effort(part.object.name, effort_unit(part));
        else
            for (int k = 0; k < alone; ++k)
                names_.push_back(fmt::format("{}.lambda.{}", part.object.name, k));
        if (system.reactions().has_wrench(c)) {
            add_vector(part.object.name + ".on_b.force.", "xyz");
            add_vector(part.object.name + ".on_b.moment.", "xyz");
        }
        if (model.traits.face == Face::continuous) continue;
        for (int k = 0; k < count; ++k) step_means_.push_back(first + k);
    }
    reactions_.assign(names_.begin() + first_reaction, names_.end());
    first_mean_ = static_cast<int>(first_reaction);
    for (const ForcePart& part : model.forces) {
        const auto first = static_cast<int>(names_.size());
        if (acts_on_nothing(part)) {
            has_torque_.push_back(false);
            num_applied_.push_back(0);
            continue;
        }
        const Joint* const in_joint = joint_of(part);
        const bool is_force = part.effort_on == nullptr && in_joint == nullptr;
        has_torque_.push_back(
            (is_force && std::ranges::any_of(part.attachments, &Attachment::is_direction)) ||
            (in_joint != nullptr && part.num_slides == 3));
        if (part.effort_on != nullptr) {
            add_effort(part.object.name, effort_unit(part.effort_on->kind));
        } else if (in_joint != nullptr && part.num_slides == 1) {
            add_effort(part.object.name, friction_unit(*in_joint));
        } else if (in_joint != nullptr && part.num_slides == 2) {
            for (const Measure& measure : in_joint->measures) {
                names_.push_back(fmt::format("{}.effort.{}", part.object.name, measure.name));
                own_units_.emplace_back(names_.back(), effort_unit(measure.kind));
            }
        } else if (is_force) {
            add_vector(part.object.name + ".force.", "xyz");
        }
        num_applied_.push_back(static_cast<int>(names_.size()) - first);
        if (has_torque_.back()) add_vector(part.object.name + ".torque.", "xyz");
        if (model.traits.face == Face::continuous) continue;
        for (int k = first; k < static_cast<int>(names_.size()); ++k) step_means_.push_back(k);
    }
    end_of_means_ =
        model.traits.face == Face::continuous ? first_mean_ : static_cast<int>(names_.size());
    for (const std::string& law : system.accounting().efforts.names())
        names_.push_back(law + ".work");
    for (const JointValues::Entry& entry : system.joints().entries()) {
        const std::string unit = unit_of(entry.function.kind());
        own_units_.emplace_back(names_.emplace_back(entry.name), unit);
        own_units_.emplace_back(names_.emplace_back(entry.name + "_rate"), unit + "/s");
    }
    for (std::size_t c = 0; c < model.constraints.size(); ++c) {
        const RowOwner& owner = system.parts().owner_of_constraint(c);
        if (owner.num_rows == 0 || !rows.is_unilateral(owner.first_row)) continue;
        contacts_.push_back(static_cast<int>(c));
        for (const char* const what : {".gap", ".impulse", ".loss"})
            names_.push_back(model.constraints[c].object.name + what);
    }
    for (std::size_t c = 0; all_forces_ && c < model.constraints.size(); ++c) {
        const ConstraintPart& part = model.constraints[c];
        const int count = system.reactions().count_alone(c);
        for (const char* which : {".ideal.", ".nonideal."}) {
            if (part.reaction == ReactionKind::force)
                add_vector(part.object.name + which, "xyz");
            else
                for (int k = 0; k < count; ++k)
                    names_.push_back(fmt::format("{}{}{}", part.object.name, which, k));
        }
    }
    const std::size_t first_of_outputs = names_.size();
    for (const SignalPart& part : model.signals)
        for (const Output& shown : part.facts.outputs) add_output(part.name, shown);
    outputs_.resize(names_.size() - first_of_outputs);
    const std::span<const Output> of_integrator = model.integrator.outputs();
    integrator_outputs_.resize(num_values(of_integrator));
    for (const Output& shown : of_integrator) add_output("integrator", shown);
    const std::size_t first_of_points = names_.size();
    for (const PlacedText& point : output.points) {
        points_.push_back(
            attach(model, point.text, {"[output]: points", point.place, {}, {}}, false));
        add_vector(point.text + ".", "xyz");
        add_vector(point.text + ".v", "xyz");
    }
    require_different_names(model);
    all_names_ = names_;
    all_.resize(names_.size());
    if (output.columns) keep_only(*output.columns, num_of_model, first_of_points);
    wants_signals_ = !outputs_.empty() &&
                     (kept_.empty() || std::ranges::any_of(kept_, [&](std::size_t k) {
                          return k >= first_of_outputs && k < first_of_outputs + outputs_.size();
                      }));
}

void Observables::add_output(const std::string& owner, const Output& shown) {
    const std::string name = fmt::format("{}.{}", owner, shown.name);
    const std::size_t first = names_.size();
    if (shown.is_vector)
        add_vector(name + ".", "xyz");
    else
        names_.push_back(name);
    for (std::size_t k = first; k < names_.size() && *shown.unit != '\0'; ++k)
        own_units_.emplace_back(names_[k], shown.unit);
}

/// An output may not be called as another column.
void Observables::require_different_names(const Model& model) const {
    if (outputs_.empty() && integrator_outputs_.empty()) return;
    std::vector<std::string> sorted = names_;
    std::ranges::sort(sorted);
    const auto twice = std::ranges::adjacent_find(sorted);
    if (twice == sorted.end()) return;
    for (const SignalPart& part : model.signals)
        if (twice->starts_with(part.name + "."))
            throw Error(
                ErrorKind::plugin,
                fmt::format(
                    "{}: its output \"{}\" has the name of another column", part.label, *twice),
                part.place);
    if (twice->starts_with("integrator."))
        throw Error(ErrorKind::plugin,
                    fmt::format("{}: its output \"{}\" has the name of another column",
                                describe(model.integrator_object),
                                *twice),
                    model.integrator_object.place);
}

int Observables::find(const std::string& name) const {
    const auto found = std::ranges::find(all_names_, name);
    if (found == all_names_.end())
        throw Error(
            ErrorKind::usage,
            fmt::format(
                "there is no column {}{}", in_quotes(name), did_you_mean(name, all_names_)));
    return static_cast<int>(found - all_names_.begin());
}

void Observables::values(std::span<const int> columns, std::span<double> to) {
    const bool wanted = std::exchange(wants_signals_, !outputs_.empty());
    sample_all(all_);
    wants_signals_ = wanted;
    for (std::size_t i = 0; i < columns.size(); ++i) to[i] = all_[columns[i]];
}

double Observables::value(const std::string& name) {
    const int column = find(name);
    double value = 0.0;
    values({&column, 1}, {&value, 1});
    return value;
}

/// The joint that friction is in; null if it is none.
const Joint* Observables::joint_of(const ForcePart& part) const {
    return part.contact != nullptr ? model_.constraints[part.constraint].joint : nullptr;
}

void Observables::add_effort(const std::string& owner, const char* unit) {
    names_.push_back(owner + ".effort");
    if (*unit != '\0') own_units_.emplace_back(names_.back(), unit);
}

/// Leaves out columns of objects that no pattern fits. Those of the model stay, and those of
/// points, which were asked for by name.
void Observables::keep_only(const std::vector<PlacedText>& patterns,
                            std::size_t first_of_objects,
                            std::size_t first_of_points) {
    std::vector<bool> is_kept(names_.size(), true);
    const auto first = static_cast<std::ptrdiff_t>(first_of_objects);
    const auto end = static_cast<std::ptrdiff_t>(first_of_points);
    std::fill(is_kept.begin() + first, is_kept.begin() + end, false);
    for (const PlacedText& pattern : patterns) {
        bool is_used = false;
        for (std::size_t k = 0; k < names_.size(); ++k) {
            if (!fits_pattern(pattern.text, names_[k])) continue;
            is_used = true;
            is_kept[k] = true;
        }
        if (is_used) continue;
        std::string near = nearest_pattern(pattern.text, names_);
        if (near.empty()) near = columns_of(pattern.text, names_);
        throw Error(
            ErrorKind::manifest,
            fmt::format(
                "[output]: columns: there is no column {}{}", in_quotes(pattern.text), near),
            pattern.place);
    }
    std::vector<std::string> names;
    std::vector<int> number(names_.size(), -1);
    for (std::size_t k = 0; k < names_.size(); ++k) {
        if (!is_kept[k]) continue;
        number[k] = static_cast<int>(names.size());
        names.push_back(std::move(names_[k]));
        kept_.push_back(k);
    }
    names_ = std::move(names);
    std::erase_if(step_means_, [&](int& k) {
        k = number[k];
        return k < 0;
    });
    std::erase_if(own_units_, [&](const auto& of) {
        return std::ranges::find(names_, of.first) == names_.end();
    });
}

void Observables::add_vector(const std::string& name, const char* components) {
    for (const char* c = components; *c != '\0'; ++c) names_.push_back(name + *c);
}

void Observables::sample(std::span<double> row) {
    if (kept_.empty()) {
        sample_all(row);
        return;
    }
    sample_all(all_);
    for (std::size_t k = 0; k < kept_.size(); ++k) row[k] = all_[kept_[k]];
}

/// Of each constraint with unilateral rows the least gap, and sums since the start.
void Observables::put_contacts(double*& out) const {
    const ImpactRecords& of = system_.impacts();
    for (const int c : contacts_) {
        const RowOwner& owner = system_.parts().owner_of_constraint(static_cast<std::size_t>(c));
        *out++ = of.gap().segment(owner.first_row, owner.num_rows).minCoeff();
        *out++ = of.impulse().segment(owner.first_row, owner.num_rows).sum();
        *out++ = of.loss().segment(owner.first_row, owner.num_rows).sum();
    }
}

void Observables::sample_all(std::span<double> row) {
    double* out = row.data();
    const auto put = [&out](const auto& values) {
        for (const double x : values) *out++ = x;
    };
    const Balances& now = system_.ledger().now();
    const Violation& violation = system_.violations().now();
    put(std::array{system_.time(),
                   now.kinetic,
                   now.elastic + now.gravity,
                   now.kinetic + now.elastic + now.gravity,
                   now.work_external,
                   now.work_nonideal,
                   now.work_projection});
    if (!contacts_.empty()) *out++ = now.work_impacts;
    *out++ = now.energy;
    put(now.momenta.linear);
    put(now.momenta.angular);
    put(now.momentum);
    put(now.angular_momentum);
    put(std::array{violation.position, violation.velocity, violation.strain});

    const std::span<const double> q = system_.q();
    const std::span<const double> v = system_.v();
    for (std::size_t i = 0; i < posed_.size(); ++i) {
        const BodyPart& part = model_.bodies[posed_[i]];
        const auto first = static_cast<std::size_t>(part.first);
        const auto count = static_cast<std::size_t>(part.count);
        const double t = system_.time();
        const Pose pose = part.pose(q.subspan(first, count), v.subspan(first, count), &t);
        put(pose.position);
        put(pose.velocity);
        if (pose_kinds_[i] != PoseKind::attitude) continue;
        // q and -q are one attitude: w >= 0 first, continuous after.
        std::array<double, 4>& last = last_quaternion_[i];
        double sign = pose.quaternion[0] < 0.0 ? -1.0 : 1.0;
        if (has_sampled_) {
            double dot = 0.0;
            for (std::size_t c = 0; c < 4; ++c) dot += last[c] * pose.quaternion[c];
            sign = dot < 0.0 ? -1.0 : 1.0;
        }
        for (std::size_t c = 0; c < 4; ++c) last[c] = sign * pose.quaternion[c];
        put(last);
        put(pose.angular_velocity);
    }
    has_sampled_ = true;
    put(system_.reactions().mean());
    const std::span<const double> applied = system_.reactions().applied();
    for (std::size_t f = 0; f < model_.forces.size(); ++f) {
        put(applied.subspan(3 * f, num_applied_[f]));
        if (has_torque_[f]) put(system_.reactions().torques().subspan(3 * f, 3));
    }
    put(system_.accounting().efforts.so_far());
    for (std::size_t i = 0; i < system_.joints().entries().size(); ++i) {
        const JointValues::Reading read = system_.joints().read(i, q.data(), v.data());
        put(std::array{read.value, read.rate});
    }
    put_contacts(out);
    if (all_forces_)
        for (const ConstraintForces& constraint : system_.instant().dynamics().constraints) {
            put(constraint.ideal);
            put(constraint.nonideal);
        }
    if (wants_signals_)
        system_.parts().signals.sample(q.data(), v.data(), system_.time(), outputs_);
    put(outputs_);
    if (!integrator_outputs_.empty()) {
        model_.integrator.evaluate_outputs(
            system_.time(), system_.state().history, integrator_outputs_);
        put(integrator_outputs_);
    }
    for (const Attachment& point : points_) {
        std::array<double, 3> r{};
        std::array<double, 3> rate{};
        evaluate_attachment(model_.bodies, point, q.data(), v.data(), r.data(), rate.data());
        put(r);
        put(rate);
    }
}

}  // namespace ancora
