// SPDX-License-Identifier: BSD-3-Clause
// One factorisation for many iterations and steps (modified Newton).
#include "factored_step.hpp"

#include <algorithm>
#include <cmath>

#include "state_archive.hpp"

namespace ancora {
namespace {

// Contraction of one refinement with a new matrix that single precision must achieve.
constexpr double kSingleContraction = 1e-2;
// A corotated factorisation must contract at least so well, or it is used without rotation.
constexpr double kTurnedContraction = 0.1;

}  // namespace

FactoredStep::FactoredStep(Assembly& parts,
                           const Trial& trial,
                           NonlinearRows& nonlinear,
                           StepTangent& tangent)
    : parts_(parts),
      trial_(trial),
      nonlinear_(nonlinear),
      tangent_(tangent),
      co_rotation_(parts.space, parts.mass, parts.rows, parts.n) {
    turned_motion_.setZero(parts.n);
    turned_rows_.setZero(parts.m);
}

void FactoredStep::lay_out(bool is_redundant) {
    std::vector<int> first;
    for (const BodyPart& part : parts_.model.bodies) first.push_back(part.first);
    matrix_ = std::make_unique<StepMatrix>(parts_.n,
                                           parts_.mass.entries(),
                                           parts_.rows,
                                           first,
                                           is_redundant,
                                           StepMatrix::Condense::if_cheaper,
                                           tangent_.forces);
    matrix_->use_workers(&parts_.workers);
    if (parts_.mass.is_timed()) matrix_->follow_mass(parts_.mass.values());
    step_ = 0.0;
}

void FactoredStep::plan(double h, const Eigen::VectorXd& A) {
    // gamma of this h decides which rows may be condensed.
    parts_.laws.prepare(h);
    matrix_->plan({A, parts_.rows.K, parts_.laws.gamma()}, h);
}

bool FactoredStep::factorise(const StepTrial& trial, Tangent tangent) {
    const bool is_definite = tangent == Tangent::definite;
    // G(s) at the midpoint, its positive part where K is to be quasi-definite; slopes of laws; T
    tangent_.evaluate_stiffness(trial.s.data(), is_definite, trial.t0);
    is_exact_ = tangent == Tangent::consistent;
    if (is_exact_) tangent_.evaluate_start(trial.t0);
    if (!nonlinear_.empty()) nonlinear_.set_tangent_moduli();
    ForceTangents& forces = tangent_.forces;
    forces.evaluate(parts_.forces);
    if (parts_.mass.is_timed()) matrix_->follow_mass(parts_.mass.values());
    // B_end = 2 B - A(q_0) (theory (31)), in the combinations of rows that K has
    if (is_exact_) end_ = nonlinear_.combined(tangent_.end_jacobian());
    const auto factorise = [&] {
        return matrix_->factorise(
            {nonlinear_.combined(parts_.rows.B), parts_.rows.K, parts_.laws.gamma()},
            is_exact_ ? end_ : no_end_,
            trial.h,
            tangent);
    };
    bool done = factorise();
    // T as it is where the masses outweigh what is negative in it: its eigenvectors cost more than
    // all the rest of a small matrix.
    if (is_definite && !forces.empty() && !(done && matrix_->is_quasi_definite())) {
        forces.make_definite();
        done = factorise();
    }
    if (!done) {
        nonlinear_.attribute_nonfinite();
        parts_.attribute_nonfinite(trial.t0);
    }
    step_ = done ? trial.h : 0.0;
    // The attitude that K_ref belongs to.
    co_rotation_.set_reference(trial_.mid);
    is_turned_ = false;
    is_fresh_ = true;
    return done;
}

void FactoredStep::solve(std::span<const double> r_motion,
                         std::span<const double> r_rows,
                         std::span<double> ddq,
                         std::span<double> ds) {
    // Residuals in units of K's rows: gamma (s* - s), and V^T of items that have one law.
    const std::span<const double> r = nonlinear_.scale_rows(r_rows);
    if (!is_turned_) {
        matrix_->solve(r_motion, r, ddq, ds);
        return nonlinear_.unscale_multipliers(ds);
    }
    // K^-1 r = T K_ref^-1 T^T r (theory (33))
    std::copy(r_motion.begin(), r_motion.end(), turned_motion_.data());
    std::copy(r.begin(), r.end(), turned_rows_.data());
    const std::span<double> motion(turned_motion_.data(), r_motion.size());
    const std::span<double> rows(turned_rows_.data(), r.size());
    co_rotation_.into_reference(motion, rows);
    matrix_->solve(motion, rows, ddq, ds);
    co_rotation_.out_of_reference(ddq, ds);
    nonlinear_.unscale_multipliers(ds);
}

void FactoredStep::judge(double first, double second) {
    // A new matrix must contract well, or single precision is the cause and is given up.
    if (is_fresh_ && matrix_->is_single() && !(second <= kSingleContraction * first) &&
        !matrix_->use_double())
        step_ = 0.0;
    is_fresh_ = false;
    // The rotations explain too little: strains or stresses have changed.
    if (is_turned_ && !(second <= kTurnedContraction * first)) co_rotation_.give_up();
}

template <class Archive>
void FactoredStep::transfer(Archive& archive) {
    archive(step_);
    archive.require(std::isfinite(step_) && step_ >= 0.0, "a step");
    archive(is_exact_);
    archive(is_fresh_);
    archive(tangent_.forces.values());
    archive.require(tangent_.forces.values().allFinite(), "a tangent");
    matrix_->transfer(archive);
    archive.require(step_ == 0.0 || matrix_->is_factorised(), "a matrix");
    co_rotation_.transfer(archive);
    if constexpr (Archive::kReads) {
        // theta and gamma are functions of h; those of nonlinear laws follow from the slopes read.
        if (step_ > 0.0) parts_.laws.prepare(step_);
        nonlinear_.restore_slopes();
        tangent_.forget_start();
    }
}
template void FactoredStep::transfer(ArchiveWriter&);
template void FactoredStep::transfer(ArchiveReader&);

}  // namespace ancora
