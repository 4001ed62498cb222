// SPDX-License-Identifier: BSD-3-Clause
// Rows along which contacts slide, and their coefficients.
#include "impact_friction.hpp"

#include <algorithm>

namespace ancora {
namespace {

/// Calls visit(force, owner of its constraint's rows) for each law of dry friction on unilateral
/// rows.
template <class Visit>
void for_each_law(const Assembly& parts, const Visit& visit) {
    for (const ForcePart& force : parts.model.forces) {
        if (force.contact == nullptr) continue;
        const RowOwner& on = parts.owner_of_constraint(static_cast<std::size_t>(force.constraint));
        if (parts.rows.is_unilateral(on.first_row)) visit(force, on);
    }
}

std::vector<int> constraints_with_friction(const Assembly& parts) {
    std::vector<int> out;
    for_each_law(parts, [&](const ForcePart& force, const RowOwner&) {
        out.push_back(force.constraint);
    });
    return out;
}

}  // namespace

ImpactFriction::ImpactFriction(Assembly& parts, const UnilateralRows& rows)
    : parts_(parts),
      of_(static_cast<std::size_t>(rows.count())),
      rows_(parts.model, parts.meter, constraints_with_friction(parts)) {
    rows_.share_states(parts.rows);
    std::size_t next = 0;
    for_each_law(parts, [&](const ForcePart& force, const RowOwner& on) {
        const RowOwner& owner = rows_.owners[next++];
        const int each = owner.num_rows / on.num_rows;
        for (int i = 0; i < rows.count(); ++i)
            if (const int k = rows.row(i) - on.first_row; k >= 0 && k < on.num_rows)
                of_[static_cast<std::size_t>(i)] = {&force, owner.first_row + k * each, each};
    });
}

void ImpactFriction::evaluate(const double* q, const double* v, double t) {
    t_ = t;
    if (!rows_.owners.empty()) rows_.evaluate(q, v, t, instant_);
}

double ImpactFriction::multiply(int i, int k, const double* x) const {
    const Rows& of = of_[static_cast<std::size_t>(i)];
    return of.force->arms[static_cast<std::size_t>(k)] *
           rows_.multiply(instant_.A.data(), of.first + k, x);
}

void ImpactFriction::add(int i, int k, double c, double* y) const {
    const Rows& of = of_[static_cast<std::size_t>(i)];
    rows_.add_transposed(
        instant_.A.data(), of.first + k, c * of.force->arms[static_cast<std::size_t>(k)], y);
}

/// By explicit time, less the motion of the surface under the first attachment.
double ImpactFriction::drift(int i, int k) const {
    const Rows& of = of_[static_cast<std::size_t>(i)];
    double sum = instant_.pi_t[of.first + k];
    const RowSet::LocalRow local = rows_.local_row(of.first + k, false);
    for (std::size_t j = 0; j < local.scalars.size(); ++j)
        if (local.scalars[j] < 3)
            sum -= local.entries[j] * of.force->surface[static_cast<std::size_t>(local.scalars[j])];
    return of.force->arms[static_cast<std::size_t>(k)] * sum;
}

double ImpactFriction::mobility(int i, int k) const {
    const Rows& of = of_[static_cast<std::size_t>(i)];
    const double arm = of.force->arms[static_cast<std::size_t>(k)];
    double sum = 0.0;
    rows_.for_entries(of.first + k, [&](int e, int column) {
        sum += instant_.A[e] * instant_.A[e] * parts_.inverse_mass[column];
    });
    return arm * arm * sum;
}

double ImpactFriction::coefficient(int i, double speed, bool slides) const {
    // What an impulse feels of the law is its slope by the normal force: forces that are bounded,
    // such as viscous ones, have no impulse.
    const GuardedContactLaw law = of_[static_cast<std::size_t>(i)].force->law();
    if (slides) return std::max(law.slip(parts_.meter, t_, 1.0, speed).by_normal, 0.0);
    return std::max(law.stick_limit(parts_.meter, t_, 1.0) - law.stick_limit(parts_.meter, t_, 0.0),
                    0.0);
}

bool ImpactFriction::is_external(int i) const {
    const ForcePart* const force = of_[static_cast<std::size_t>(i)].force;
    return force != nullptr && force->is_external;
}

void ImpactFriction::add_applied(int i, int k, double p, Eigen::VectorXd& applied) const {
    const Rows& of = of_[static_cast<std::size_t>(i)];
    const auto first = 3 * (of.force - parts_.model.forces.data());
    const double factor = p * of.force->arms[static_cast<std::size_t>(k)];
    const RowSet::LocalRow local = rows_.local_row(of.first + k, false);
    for (std::size_t j = 0; j < local.scalars.size(); ++j)
        if (local.scalars[j] < 3) applied[first + local.scalars[j]] += factor * local.entries[j];
}

}  // namespace ancora
