// SPDX-License-Identifier: BSD-3-Clause
// Questions about a state.
#include "instant_analysis.hpp"

#include <algorithm>

namespace ancora {

Dynamics InstantAnalysis::dynamics() {
    const Eigen::VectorXd stress = state_.s;  // the next step starts from it
    ContinuousFace& face = accelerations_.face();
    accelerations_.solve_and_store(state_.q.data(), state_.v.data(), state_.t);
    state_.s = stress;
    face.refuse_inconsistent();
    const auto list = [](const Eigen::VectorXd& x) {
        return std::vector<double>(x.begin(), x.end());
    };
    Dynamics out;
    out.acceleration = list(face.acceleration());
    out.Q = list(face.Q());
    // C of force objects and of parts, friction included: F += -T^T s.
    Eigen::VectorXd C = face.C();
    extra_.for_each([&C](const StepPart& part) {
        part.add_forces(part.stress().data(), C.data());
    });
    out.C = list(C);
    // Theory (2) and (3): F_L = A^T lambda_L of (Q, b), F_C = C + A^T lambda_C of (C, 0). The
    // reaction is A^T (lambda_L + lambda_C), not F_L alone.
    Eigen::VectorXd lambda_L, lambda_C, s_L = Eigen::VectorXd::Zero(parts_.m), s_C = s_L;
    face.split(view(C), lambda_L, lambda_C);
    out.F_L = list(face.constraint_force(lambda_L));
    out.F_C = list(C + face.constraint_force(lambda_C));
    face.write_stress(lambda_L, s_L);
    face.write_stress(lambda_C, s_C);
    // A compliant constraint's force belongs to Q, but it is its reaction all the same.
    for (int k = 0; k < parts_.m; ++k)
        if (!parts_.laws.is_constraint(k)) s_L[k] = face.stress()[k];
    const Eigen::VectorXd s = s_L + s_C;
    for (std::size_t c = 0; c < parts_.model.constraints.size(); ++c) {
        ConstraintForces forces{parts_.model.constraints[c].object.name,
                                reactions_.reported(c, s_L.data(), false),
                                reactions_.reported(c, s_C.data(), false),
                                {},
                                {}};
        for (std::size_t i = 0; i < forces.ideal.size(); ++i)
            forces.reaction.push_back(forces.ideal[i] + forces.nonideal[i]);
        forces.on_b = reactions_.wrench(c, s.data());
        out.constraints.push_back(std::move(forces));
    }
    const Eigen::VectorXd applied = reactions_.applied_at_instant();
    for (std::size_t f = 0; f < parts_.model.forces.size(); ++f) {
        const auto i = static_cast<Eigen::Index>(3 * f);
        const auto j = i + applied.size() / 2;
        out.forces.push_back({parts_.model.forces[f].object.name,
                              {applied[i], applied[i + 1], applied[i + 2]},
                              {applied[j], applied[j + 1], applied[j + 2]}});
    }
    return out;
}

InstantAnalysis::Applied InstantAnalysis::applied() {
    ContinuousFace& face = accelerations_.face();
    face.evaluate(state_.q.data(), state_.v.data(), state_.t, state_.plugin);
    return {face.Q(), face.C()};
}

void InstantAnalysis::update_reactions() {
    accelerations_.solve_and_store(state_.q.data(), state_.v.data(), state_.t);
    reactions_.take_instant(state_.s.data());
}

void InstantAnalysis::check_consistency() {
    ContinuousFace& face = accelerations_.face();
    // A a = b may have no solution where rows contradict each other: |A a - b| after the solve.
    try {
        face.assemble(state_.q.data(), state_.v.data(), state_.t, state_.plugin);
        face.solve();
    } catch (const Error&) {
        return;  // not unique, which a step may not need
    }
    face.refuse_inconsistent();
}

void InstantAnalysis::check_accelerations() {
    // |A a - b| of rows that contradict each other; the stresses are no start for a step, whose B
    // is another.
    accelerations_.solve_and_store(state_.q.data(), state_.v.data(), state_.t);
    accelerations_.face().refuse_inconsistent();
    state_.s.setZero();
}

RankAnalysis InstantAnalysis::rank() {
    ContinuousFace& face = accelerations_.face();
    face.assemble(state_.q.data(), state_.v.data(), state_.t, state_.plugin);
    // Pivots of D^-1/2 A L^-T (theory, section 2.2); rows are numbered in the row set.
    RankAnalysis rank = face.solver().rank(true);
    for (int& row : rank.redundant) row = face.constraint_rows()[row];
    return rank;
}

void InstantAnalysis::forget_solver() {
    if (parts_.model.traits.face == Face::discrete && extra_.empty()) accelerations_.rebuild();
}

std::vector<std::string> InstantAnalysis::locked() const {
    std::vector<std::string> names;
    extra_.for_each([&names](const StepPart& part) {
        for (std::string& name : part.locked()) names.push_back(std::move(name));
    });
    return names;
}

std::vector<std::string> InstantAnalysis::ambiguous() {
    std::vector<std::string> names;
    if (extra_.empty()) return names;
    ContinuousFace& face = accelerations_.face();
    face.assemble(state_.q.data(), state_.v.data(), state_.t, state_.plugin);
    extra_.for_each([&](const StepPart& part) {
        for (std::string& name : part.ambiguous(face)) names.push_back(std::move(name));
    });
    return names;
}

}  // namespace ancora
