// SPDX-License-Identifier: BSD-3-Clause
// Assembly of a model: once, before the first step.
#include "assembly.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "state_archive.hpp"

namespace ancora {
namespace {

CallMeter meter_for(const Model& model) {
    CallMeter meter;
    meter.resize(model.plugins.size());
    return meter;
}

}  // namespace

Assembly::Assembly(const Model& of)
    : model(of),
      meter(meter_for(of)),
      n(of.num_coordinates),
      rows(of, meter),
      m(rows.num_rows()),
      space(of),
      mass(of),
      laws(rows),
      signals(of, meter),
      forces(of, meter, rows.num_state, signals) {
    space.use_workers(&workers);
    mass.use_workers(&workers);
    inverse_mass.setZero(n);
    // M_ii alone: a scale of mobilities, and no inverse of M.
    for (int i = 0; i < n; ++i)
        inverse_mass[i] = mass.is_massless(i) ? 0.0 : 1.0 / mass.diagonal(i);

    // Gravity: the force that a uniform acceleration of all positions takes.
    gravity_field.setZero(n);
    space.add_uniform(model.gravity, gravity_field.data());
    gravity_force.setZero(n);
    mass.multiply(gravity_field.data(), gravity_force.data());
    has_gravity = gravity_force.squaredNorm() > 0.0;

    for (const ForcePart& part : model.forces) has_external |= part.is_external;
    for (const ConstraintPart& part : model.constraints) has_external |= part.is_tied_to_ground;

    // Lists of partial evaluations: constraints for residuals, moving blocks for A, timed rows for
    // their lag behind prescribed motion.
    for (std::size_t b = 0; b < rows.blocks.size(); ++b) {
        const BlockPart& part = rows.blocks[b];
        if (!part.is_constant) moving_blocks.push_back(static_cast<int>(b));
        if (rows.owners[part.owner].constraint < 0) continue;
        const auto is_constraint = [](const RowLaw& law) {
            return RowLaws::is_constraint(law);
        };
        if (std::ranges::any_of(part.block->laws, is_constraint))
            constraint_blocks.push_back(static_cast<int>(b));
        // Gaps over explicit time add up roundings of pi's increments; a part of what theory
        // (12) lags behind pi(q, t) is closed in the next step (theory, section 10).
        for (int k = part.first_row; k < part.first_row + part.num_rows; ++k)
            if (part.block->depends_on_time && laws[k].kind == RowKind::constraint)
                timed_rows.push_back(k);
    }
}

void Assembly::read_start(double* q, double* v) const {
    std::ranges::copy(model.start_q, q);
    std::ranges::copy(model.start_v, v);
}

void Assembly::use_threads(int count) {
    // On exceptions no layout for another number of threads remains.
    columns = RowsByColumn();
    rows.tangent_terms.share(n, 1);
    workers.resize(count);
    // By columns a thread sums all of its own coordinates, in the order of rows:
    // the same bits as by rows.
    columns = workers.are_worth(m) ? RowsByColumn(rows, n) : RowsByColumn();
    const bool is_large =
        rows.tangent_terms.size() >= static_cast<std::size_t>(n) && workers.are_worth(n);
    rows.tangent_terms.share(n, is_large ? workers.size() : 1);
}

void Assembly::update_mass(const double* q, const double* v, double t) {
    // M g with the mass of the state
    mass.update(q, v, t, meter, nullptr);
    if (mass.is_timed()) mass.multiply(gravity_field.data(), gravity_force.data());
}

void Assembly::hold_mass(double t0, double h) {
    // M_bar g with the mean mass of the step
    if (!mass.is_timed()) return;
    mass.hold(t0, h, meter);
    mass.multiply(gravity_field.data(), gravity_force.data());
}

double Assembly::total_mass() const {
    double total = 0.0;  // a body may lack some directions
    // A unit velocity e of all positions has the kinetic energy m / 2: m = e^T M e along each axis.
    for (const std::array<double, 3>& axis :
         {std::array{1.0, 0.0, 0.0}, std::array{0.0, 1.0, 0.0}, std::array{0.0, 0.0, 1.0}}) {
        Eigen::VectorXd field = Eigen::VectorXd::Zero(n);
        space.add_uniform(axis, field.data());
        Eigen::VectorXd force = field;
        mass.multiply(field.data(), force.data());
        total = std::max(total, field.dot(force));
    }
    return total;
}

void Assembly::attribute_nonfinite(double t) const {
    // Rows first: NaN in a reaction comes from there.
    rows.attribute_nonfinite(t);
    forces.refuse_nonfinite_force("evaluate_step", t);
}

MotionState::MotionState(const Assembly& parts) : held(parts.n) {
    // n numbers per vector of coordinates, m per row
    for (Eigen::VectorXd* x : {&q, &q_low, &v, &v_low, &a}) x->setZero(parts.n);
    for (Eigen::VectorXd* x : {&pi, &lag}) x->setZero(parts.m);
    plugin.assign(parts.rows.num_state + parts.forces.num_state(), 0.0);
}

template <class Archive>
void MotionState::transfer(Archive& archive) {
    archive(t);
    archive.require(std::isfinite(t), "a time");
    archive(a);
    // q and v with the words that compensate them: the motion goes on to the same bits.
    for (Eigen::VectorXd* x : {&q, &q_low, &v, &v_low, &s, &pi, &lag}) {
        archive(*x);
        archive.require_finite(*x, "a number of the motion");
    }
    for (std::vector<double>* x : {&plugin, &history}) {
        archive.array(x->data(), static_cast<Eigen::Index>(x->size()));
        archive.require_finite(*x, "a number of a plugin's state");
    }
    archive(extent);
    archive(farthest);
}
template void MotionState::transfer(ArchiveWriter&);
template void MotionState::transfer(ArchiveReader&);

Trial::Trial(const Assembly& parts) {
    for (Eigen::VectorXd* x : {&dq, &mid, &Ma, &F, &q_next, &q_low_next, &v_next, &v_low_next})
        x->setZero(parts.n);
    Bdq.setZero(parts.m);
    plugin.assign(parts.rows.num_state + parts.forces.num_state(), 0.0);
}

}  // namespace ancora
