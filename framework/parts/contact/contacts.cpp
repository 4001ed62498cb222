// SPDX-License-Identifier: BSD-3-Clause
// Geometry and laws of the contacts.
#include "contacts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "state_archive.hpp"

namespace ancora {

std::vector<int> Contacts::constraints_of(const Model& model) {
    std::vector<int> constraints;
    for (const ForcePart& part : model.forces)
        if (part.contact != nullptr) constraints.push_back(part.constraint);
    return constraints;
}

Contacts::Contacts(Assembly& parts, int first)
    : parts_(parts),
      model_(parts.model),
      meter_(parts.meter),
      first_(first),
      rows_(parts.model, parts.meter, constraints_of(parts.model)) {
    const Model& model = model_;
    std::size_t num_forces = 0;
    for (std::size_t f = 0; f < model.forces.size(); ++f) {
        const ForcePart& part = model.forces[f];
        if (part.contact == nullptr) continue;
        const RowOwner& owner = rows_.owners[num_forces++];
        Contact contact;
        contact.force = &part;
        contact.surface = part.surface;
        contact.index = static_cast<int>(f);
        contact.constraint = part.constraint;
        const RowOwner& on = parts.owner_of_constraint(static_cast<std::size_t>(part.constraint));
        // Of several rows that may open each has sliding rows of its own.
        const bool may_open = parts.rows.is_unilateral(on.first_row);
        const int count = may_open ? on.num_rows : 1;
        const int each = owner.num_rows / count;
        if (each < 1 || each > kMostSlides || each * count != owner.num_rows ||
            owner.state_count > 0)
            throw Error(ErrorKind::plugin,
                        fmt::format("{}: its tangents have {} rows and {} entries of state; one to "
                                    "three rows for each that may open and no state are expected",
                                    describe(*owner.object),
                                    owner.num_rows,
                                    owner.state_count),
                        owner.object->place);
        contact.num_rows = contact.num_tangents = each;
        contact.is_rate = is_velocity_kind(rows_.laws[owner.first_row].kind);
        for (int i = 0; i < count; ++i) {
            contact.first_row = static_cast<int>(row_.size());
            contact.first_tangent = owner.first_row + i * each;
            if (may_open) contact.gap = on.first_row + i;
            for (int k = 0; k < each; ++k) {
                row_.push_back(contact.first_tangent + k);
                contact_of_row_.push_back(static_cast<int>(contacts_.size()));
                arm_.push_back(part.arms[k]);
            }
            contacts_.push_back(contact);
        }
    }
    drift_.setZero(static_cast<Eigen::Index>(row_.size()));
    surface_ = drift_;
    values_ = rows_.B.data();
    rows_.share_states(parts.rows);
}

void Contacts::drop_idle_rows(const double* q, const double* v, double t) {
    evaluate_used(q, v, t);
    std::vector<int> row, owner;
    std::vector<double> arm;
    for (std::size_t c = 0; c < contacts_.size(); ++c) {
        Contact& contact = contacts_[c];
        const int first = static_cast<int>(row.size());
        for (int k = contact.first_row; k < contact.first_row + contact.num_rows; ++k) {
            const int r = row_[k];
            const auto begin = rows_.row_begin(r);
            const auto end = rows_.row_end(r);
            // A row of zeros, T_k = 0, slides by no motion: D_k = T_k M^-1 T_k^T = 0 is no scale
            // for (39) of the theory.
            const bool moves = std::any_of(values_ + begin, values_ + end, [](double x) {
                return x != 0.0;
            });
            if (!moves) continue;
            row.push_back(r);
            owner.push_back(static_cast<int>(c));
            arm.push_back(arm_[k]);
        }
        contact.first_row = first;
        contact.num_rows = static_cast<int>(row.size()) - first;
        if (contact.num_rows == 0)
            throw Error(ErrorKind::manifest,
                        fmt::format("{}: nothing can slide on {}",
                                    contact.force->object.label,
                                    model_.constraints[contact.constraint].object.label),
                        contact.force->object.place);
    }
    row_ = std::move(row);
    contact_of_row_ = std::move(owner);
    arm_ = std::move(arm);
    drift_.setZero(static_cast<Eigen::Index>(row_.size()));
    surface_ = drift_;
}

/// Where nothing touches, nothing slides.
void Contacts::use_closed() {
    used_.clear();
    for (const Contact& contact : contacts_)
        if (contact.gap < 0 || parts_.rows.is_pressed(contact.gap))
            used_.push_back({contact.first_tangent, contact.first_tangent + contact.num_tangents});
    rows_.use_only(used_);
}

void Contacts::evaluate_step(
    const double* q0, const double* dq, const double* mid, double t0, double h) {
    is_step_ = true;
    use_closed();
    rows_.evaluate_step(q0, dq, mid, t0, h, {}, {});
    values_ = rows_.B.data();
    // The sliding increment is T dq + arm tau - h w_surface: the part that does not come from dq is
    // the drift [m].
    take_surface(h, true);
    for (int k = 0; k < num_rows(); ++k) drift_[k] = arm(k) * rows_.tau[row_[k]] - surface_[k];
}

void Contacts::evaluate(const double* q, const double* v, double t) {
    use_closed();
    evaluate_used(q, v, t);
}

void Contacts::evaluate_used(const double* q, const double* v, double t) {
    is_step_ = false;
    rows_.evaluate(q, v, t, instant_);
    values_ = instant_.A.data();
    // The sliding velocity is T v + arm d(pi)/dt - w_surface: the drift is a rate [m/s] here.
    take_surface(1.0, false);
    for (int k = 0; k < num_rows(); ++k) drift_[k] = arm(k) * instant_.pi_t[row_[k]] - surface_[k];
}

/// The motion of the surface in each row, h arm (d pi / d r_1) . v_surface: the surface moves under
/// the row's first attachment, whose position r_1 are the scalars 0, 1 and 2 of the local row. Per
/// step [m], or with h = 1 per time [m/s].
void Contacts::take_surface(double h, bool of_step) {
    surface_.setZero();
    for (const Contact& contact : contacts_) {
        if (surface_is_still(contact) || is_open(contact)) continue;
        for (int k = contact.first_row; k < contact.first_row + contact.num_rows; ++k) {
            const RowSet::LocalRow local = rows_.local_row(row_[k], of_step);
            for (std::size_t j = 0; j < local.scalars.size(); ++j)
                if (local.scalars[j] < 3)
                    surface_[k] +=
                        h * arm(k) * local.entries[j] * contact.surface[local.scalars[j]];
        }
    }
}

/// T_k x = arm sum_j B_kj x_j, with B of a step, or A of an instant.
double Contacts::along(int k, const double* x) const {
    return arm(k) * rows_.multiply(values_, row_[k], x);
}

/// |T_k| x = arm sum_j |B_kj| x_j for sizes x >= 0: the bound of the rounding error of along() is a
/// unit of roundoff times this (Higham, Accuracy and Stability of Numerical Algorithms, chapter 3).
double Contacts::size_along(int k, const double* x) const {
    const int r = row_[k];
    double sum = 0.0;
    for (const int e : rows_.entries(r)) sum += std::abs(values_[e]) * x[rows_.column_of(e)];
    return arm(k) * sum;
}

/// y += c |T_k|^T, the moduli of the terms c T_k^T in a sum of forces.
void Contacts::add_size_along(int k, double c, double* y) const {
    const int r = row_[k];
    for (const int e : rows_.entries(r)) y[rows_.column_of(e)] += c * arm(k) * std::abs(values_[e]);
}

void Contacts::add_along(int k, double c, double* y) const {
    rows_.add_transposed(values_, row_[k], c * arm(k), y);
}

/// b of A a = b, times the row's arm: T a - bias is dw/dt, the change of a moving surface's term
/// left out.
double Contacts::bias(int k) const {
    return arm(k) * instant_.b[row_[k]];
}

/// D_k = arm^2 sum_j T_kj^2 / M_jj, the sliding acceleration by a unit force along the row if
/// nothing else constrained the coordinates [1/kg].
double Contacts::mobility(int k, const Eigen::VectorXd& inverse_mass) const {
    const int r = row_[k];
    double sum = 0.0;
    for (const int e : rows_.entries(r))
        sum += values_[e] * values_[e] * inverse_mass[rows_.column_of(e)];
    return arm(k) * arm(k) * sum;
}

/// d(sliding) / d(r_1): a stress s of the row is the force -s times this at the first attachment.
Eigen::Vector3d Contacts::force_axis(int k) const {
    Eigen::Vector3d axis = Eigen::Vector3d::Zero();
    const RowSet::LocalRow local = rows_.local_row(row_[k], is_step_);
    for (std::size_t j = 0; j < local.scalars.size(); ++j)
        if (local.scalars[j] < 3) axis[local.scalars[j]] += arm(k) * local.entries[j];
    return axis;
}

SlipForce Contacts::slip(const Contact& contact, double N, double speed, double t) const {
    // An iteration that diverges is no fault of the law.
    if (!std::isfinite(N) || !std::isfinite(speed)) return {NAN, NAN, NAN};
    // A row that pulls is about to open: until then the law goes on smoothly.
    SlipForce out = contact.force->law().slip(meter_, t, std::max(N, 0.0), std::max(speed, 0.0));
    if (N < 0.0) out.force += out.by_normal * N;
    return out;
}

double Contacts::stick_limit(const Contact& contact, double N, double t) const {
    if (!std::isfinite(N)) return NAN;
    return contact.force->law().stick_limit(meter_, t, std::max(N, 0.0));
}

/// With C = -s: C . w over the step, at most zero for a dissipative law, and C . (motion of the
/// surface). The sum is the work that friction does on the model.
StepPart::Work Contacts::work(const double* s, const double* dq) const {
    StepPart::Work out;
    for (int k = 0; k < num_rows(); ++k) {
        if (s[k] == 0.0) continue;
        // The relative sliding dissipates; the work of a moving surface is external.
        out.nonideal -= s[k] * (along(k, dq) + drift_[k]);
        out.external -= s[k] * surface_[k];
    }
    return out;
}

/// F += T^T C of contacts whose constraint has its other side on the ground: their reaction is an
/// external force in the momentum balance (theory (44)).
void Contacts::add_external(const double* s, double* F) const {
    for (int k = 0; k < num_rows(); ++k) {
        const Contact& contact = contacts_[contact_of(k)];
        if (contact.force->is_external && s[k] != 0.0) add_along(k, -s[k], F);
    }
}

template <class Archive>
void Contacts::transfer(Archive& archive) {
    std::size_t count = contacts_.size();
    archive(count);
    if (count != contacts_.size()) ArchiveReader::refuse();
    for (Contact& contact : contacts_) {
        int mode = static_cast<int>(contact.mode);
        archive(mode);
        archive.require(mode == static_cast<int>(ContactMode::slip) ||
                            mode == static_cast<int>(ContactMode::stick),
                        "a contact's mode");
        contact.mode = static_cast<ContactMode>(mode);
        archive(contact.is_idle);
        archive(contact.is_fresh);
        archive(contact.direction);
        archive(contact.speed);
        archive(contact.fastest);
        archive(contact.change);
        archive(contact.anchor);
        archive(contact.num_flips);
        archive(contact.margin);
        archive(contact.margin_h);
        archive(contact.weight);
        archive.require(contact.num_flips >= 0, "a number of changes");
    }
}
template void Contacts::transfer(ArchiveWriter&);
template void Contacts::transfer(ArchiveReader&);

}  // namespace ancora
