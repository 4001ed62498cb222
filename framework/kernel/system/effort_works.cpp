// SPDX-License-Identifier: BSD-3-Clause
// Works of laws on measures, in both formulations.
#include "effort_works.hpp"

namespace ancora {

EffortWorks::EffortWorks(const Assembly& parts, const StepParts& extra)
    : parts_(parts), extra_(extra) {
    const auto add = [&](Of of, int index, const ObjectRef& object) {
        laws_.push_back({of, index, 0});
        names_.push_back(object.name);
    };
    const Model& model = parts.model;
    for (std::size_t c = 0; c < model.constraints.size(); ++c)
        if (model.constraints[c].reaction == ReactionKind::effort)
            add(Of::constraint, static_cast<int>(c), model.constraints[c].object);
    for (std::size_t f = 0; f < model.forces.size(); ++f)
        if (model.forces[f].effort_on != nullptr)
            add(Of::force, static_cast<int>(f), model.forces[f].object);
    for (std::size_t p = 0; p < extra.all().size(); ++p) {
        const std::vector<std::string> efforts = extra.all()[p]->efforts();
        for (std::size_t i = 0; i < efforts.size(); ++i) {
            laws_.push_back({Of::part, static_cast<int>(i), static_cast<int>(p)});
            names_.push_back(efforts[i]);
        }
    }
    works_.setZero(static_cast<Eigen::Index>(laws_.size()));
}

std::pair<std::string, double> EffortWorks::largest_of_constraints() const {
    std::pair<std::string, double> out;
    for (std::size_t i = 0; i < laws_.size(); ++i) {
        const double work = works_[static_cast<Eigen::Index>(i)];
        if (laws_[i].of != Of::constraint || !(work > out.second)) continue;
        const auto c = static_cast<std::size_t>(laws_[i].index);
        out = {parts_.model.constraints[c].object.label, work};
    }
    return out;
}

/// W += -sum_k s_k (B_k dq - own), f . du or the part's: the work on the measure over a step.
void EffortWorks::record(const StepTrial& trial, const Trial& step) {
    for (std::size_t i = 0; i < laws_.size(); ++i) {
        const auto& [of, index, part_of] = laws_[i];
        double& work = works_[static_cast<Eigen::Index>(i)];
        switch (of) {
            case Of::constraint: {
                const RowOwner& owner = parts_.owner_of_constraint(static_cast<std::size_t>(index));
                const ConstraintPart& part = parts_.model.constraints[index];
                for (int k = owner.first_row; k < owner.first_row + owner.num_rows; ++k) {
                    double along = step.Bdq[k];
                    if (part.own_end > part.own_first)  // what its own coordinates take is kept
                        along -= parts_.rows.multiply(
                            parts_.rows.B.data(), k, part.own_first, part.own_end, step.dq.data());
                    work -= trial.s[k] * along;
                }
                break;
            }
            case Of::force:
                work += parts_.forces.work(index);
                break;
            case Of::part:
                work += extra_.effort_work(part_of, index, trial.s.data(), step.dq.data());
                break;
        }
    }
}

void EffortWorks::record_impulse(const Eigen::VectorXd& s,
                                 const Eigen::VectorXd& A,
                                 const double* v_mean) {
    for (std::size_t i = 0; i < laws_.size(); ++i) {
        if (laws_[i].of != Of::constraint) continue;
        const auto c = static_cast<std::size_t>(laws_[i].index);
        const RowOwner& owner = parts_.owner_of_constraint(c);
        const ConstraintPart& part = parts_.model.constraints[c];
        for (int k = owner.first_row; k < owner.first_row + owner.num_rows; ++k) {
            // An impulse works by the mean velocity: W += -s_k A_k (v^- + v^+) / 2, exact for M
            // constant.
            if (s[k] == 0.0) continue;
            const double own =
                parts_.rows.multiply(A.data(), k, part.own_first, part.own_end, v_mean);
            const double along = parts_.rows.multiply_onto(0.0, A.data(), k, v_mean) - own;
            works_[static_cast<Eigen::Index>(i)] -= s[k] * along;
        }
    }
}

/// P = -sum_k s_k (A_k v - own) at the state that `face` was solved for, to be integrated with it.
void EffortWorks::powers(const ContinuousFace& face, const double* v, std::span<double> out) const {
    for (std::size_t i = 0; i < laws_.size(); ++i) {
        const auto& [of, index, part_of] = laws_[i];
        out[i] = 0.0;
        switch (of) {
            case Of::constraint: {
                const RowOwner& owner = parts_.owner_of_constraint(static_cast<std::size_t>(index));
                const ConstraintPart& part = parts_.model.constraints[index];
                for (int k = owner.first_row; k < owner.first_row + owner.num_rows; ++k)
                    out[i] -=
                        face.stress()[k] * (face.motion_along(k) -
                                            face.motion_along(k, part.own_first, part.own_end, v));
                break;
            }
            case Of::force:
                out[i] = parts_.forces.work(index);
                break;
            case Of::part:
                out[i] = extra_.effort_work(part_of, index, nullptr, v);
                break;
        }
    }
}

/// Works that were integrated as states, see powers().
void EffortWorks::record(std::span<const double> works) {
    for (std::size_t i = 0; i < laws_.size(); ++i) works_[static_cast<Eigen::Index>(i)] += works[i];
}

}  // namespace ancora
