// SPDX-License-Identifier: BSD-3-Clause
// Geometry and laws of the contacts.
#include "contacts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace ancora {
namespace {

// A pivot below this, relative to the first, is a direction that the contacts leave open.
constexpr double kOpen = 1e-14;
// Each takes the effect of the regularisation out of the independent directions by its size.
constexpr int kPasses = 5;

}  // namespace

std::vector<int> Contacts::constraints_of(const Model& model) {
    std::vector<int> constraints;
    for (const ForcePart& part : model.forces)
        if (part.contact != nullptr) constraints.push_back(part.constraint);
    return constraints;
}

Contacts::Contacts(const Model& model, CallMeter& meter)
    : model_(model), meter_(meter), rows_(model, meter, constraints_of(model)) {
    for (std::size_t f = 0; f < model.forces.size(); ++f) {
        const ForcePart& part = model.forces[f];
        if (part.contact == nullptr) continue;
        const RowOwner& owner = rows_.owners[contacts_.size()];
        Contact contact;
        contact.force = &part;
        contact.law = part.contact;
        contact.index = static_cast<int>(f);
        contact.constraint = part.constraint;
        contact.first_row = static_cast<int>(row_.size());
        if (owner.num_rows < 1 || owner.num_rows > 2 || owner.state_count > 0)
            throw Error(ErrorKind::plugin,
                        fmt::format("{}: its tangents have {} rows and {} entries of state; one or "
                                    "two rows and no state are expected",
                                    describe(*owner.object),
                                    owner.num_rows,
                                    owner.state_count),
                        owner.object->place);
        contact.num_rows = owner.num_rows;
        for (int k = 0; k < owner.num_rows; ++k) {
            row_.push_back(owner.first_row + k);
            contact_of_row_.push_back(static_cast<int>(contacts_.size()));
        }
        contacts_.push_back(contact);
    }
    drift_.setZero(static_cast<Eigen::Index>(row_.size()));
    surface_ = drift_;
    values_ = rows_.B.data();
}

void Contacts::drop_idle_rows(const double* q, const double* v, double t) {
    if (empty()) return;
    evaluate(q, v, t);
    std::vector<int> row, owner;
    for (std::size_t c = 0; c < contacts_.size(); ++c) {
        Contact& contact = contacts_[c];
        const int first = static_cast<int>(row.size());
        for (int k = contact.first_row; k < contact.first_row + contact.num_rows; ++k) {
            const int r = row_[static_cast<std::size_t>(k)];
            const auto begin = rows_.row_start[static_cast<std::size_t>(r)];
            const auto end = rows_.row_start[static_cast<std::size_t>(r) + 1];
            const bool moves = std::any_of(values_ + begin, values_ + end, [](double x) {
                return x != 0.0;
            });
            if (!moves) continue;
            row.push_back(r);
            owner.push_back(static_cast<int>(c));
        }
        contact.first_row = first;
        contact.num_rows = static_cast<int>(row.size()) - first;
        if (contact.num_rows == 0)
            throw Error(
                ErrorKind::manifest,
                fmt::format(
                    "{}: nothing can slide on {}",
                    contact.force->object.label,
                    model_.constraints[static_cast<std::size_t>(contact.constraint)].object.label),
                contact.force->object.place);
    }
    row_ = std::move(row);
    contact_of_row_ = std::move(owner);
    drift_.setZero(static_cast<Eigen::Index>(row_.size()));
    surface_ = drift_;
}

void Contacts::evaluate_step(
    const double* q0, const double* dq, const double* mid, double t0, double h) {
    is_step_ = true;
    rows_.evaluate_step(q0, dq, mid, t0, h, state0_, state1_);
    values_ = rows_.B.data();
    take_surface(h, true);
    for (int k = 0; k < num_rows(); ++k)
        drift_[k] = rows_.tau[row_[static_cast<std::size_t>(k)]] - surface_[k];
}

void Contacts::evaluate(const double* q, const double* v, double t) {
    is_step_ = false;
    rows_.evaluate(q, v, t, instant_);
    values_ = instant_.A.data();
    take_surface(1.0, false);
    for (int k = 0; k < num_rows(); ++k)
        drift_[k] = instant_.pi_t[row_[static_cast<std::size_t>(k)]] - surface_[k];
}

void Contacts::take_surface(double h, bool of_step) {
    for (const Contact& contact : contacts_) {
        const std::array<double, 3> velocity = contact.law->surface_velocity();
        for (int k = contact.first_row; k < contact.first_row + contact.num_rows; ++k) {
            surface_[k] = 0.0;
            const RowSet::LocalRow local =
                rows_.local_row(row_[static_cast<std::size_t>(k)], of_step);
            for (std::size_t j = 0; j < local.scalars.size(); ++j)
                if (local.scalars[j] < 3)
                    surface_[k] +=
                        h * local.entries[j] * velocity[static_cast<std::size_t>(local.scalars[j])];
        }
    }
}

double Contacts::along(int k, const double* x) const {
    const auto r = static_cast<std::size_t>(row_[static_cast<std::size_t>(k)]);
    double sum = 0.0;
    for (int e = rows_.row_start[r]; e < rows_.row_start[r + 1]; ++e)
        sum += values_[e] * x[rows_.column[static_cast<std::size_t>(e)]];
    return sum;
}

double Contacts::size_along(int k, const double* x) const {
    const auto r = static_cast<std::size_t>(row_[static_cast<std::size_t>(k)]);
    double sum = 0.0;
    for (int e = rows_.row_start[r]; e < rows_.row_start[r + 1]; ++e)
        sum += std::abs(values_[e]) * x[rows_.column[static_cast<std::size_t>(e)]];
    return sum;
}

void Contacts::add_size_along(int k, double c, double* y) const {
    const auto r = static_cast<std::size_t>(row_[static_cast<std::size_t>(k)]);
    for (int e = rows_.row_start[r]; e < rows_.row_start[r + 1]; ++e)
        y[rows_.column[static_cast<std::size_t>(e)]] += c * std::abs(values_[e]);
}

void Contacts::add_along(int k, double c, double* y) const {
    const auto r = static_cast<std::size_t>(row_[static_cast<std::size_t>(k)]);
    for (int e = rows_.row_start[r]; e < rows_.row_start[r + 1]; ++e)
        y[rows_.column[static_cast<std::size_t>(e)]] += c * values_[e];
}

double Contacts::bias(int k) const {
    return instant_.b[row_[static_cast<std::size_t>(k)]];
}

double Contacts::mobility(int k, const Eigen::VectorXd& inverse_mass) const {
    const auto r = static_cast<std::size_t>(row_[static_cast<std::size_t>(k)]);
    double sum = 0.0;
    for (int e = rows_.row_start[r]; e < rows_.row_start[r + 1]; ++e)
        sum += values_[e] * values_[e] * inverse_mass[rows_.column[static_cast<std::size_t>(e)]];
    return sum;
}

Eigen::Vector3d Contacts::force_axis(int k) const {
    Eigen::Vector3d axis = Eigen::Vector3d::Zero();
    const RowSet::LocalRow local = rows_.local_row(row_[static_cast<std::size_t>(k)], is_step_);
    for (std::size_t j = 0; j < local.scalars.size(); ++j)
        if (local.scalars[j] < 3) axis[local.scalars[j]] += local.entries[j];
    return axis;
}

SlipForce Contacts::slip(const Contact& contact, double N, double speed, double t) const {
    // An iteration that diverges is no fault of the law.
    if (!std::isfinite(N) || !std::isfinite(speed)) return {NAN, NAN, NAN};
    return contact.force->law().slip(meter_, t, N, std::max(speed, 0.0));
}

double Contacts::stick_limit(const Contact& contact, double N, double t) const {
    if (!std::isfinite(N)) return NAN;
    return contact.force->law().stick_limit(meter_, t, N);
}

Contacts::Work Contacts::work(const double* s, const double* dq) const {
    Work out;
    for (int k = 0; k < num_rows(); ++k) {
        // The relative sliding dissipates; what the surface moves, its drive pays.
        out.nonideal -= s[k] * (along(k, dq) + drift_[k]);
        out.external -= s[k] * surface_[k];
    }
    return out;
}

void Contacts::add_external(const double* s, double* F) const {
    for (int k = 0; k < num_rows(); ++k) {
        const Contact& contact = contacts_[static_cast<std::size_t>(contact_of(k))];
        if (contact.force->is_external) add_along(k, -s[k], F);
    }
}

void SmallSolver::resize(int n) {
    n_ = n;
    const auto size = static_cast<std::size_t>(n);
    W_.assign(size * size, 0.0);
    LU_ = W_;
    r_.assign(size, 0.0);
    x_ = rest_ = work_ = r_;
    weight_.assign(size, 0.0);
    row_place_.assign(size, 0);
    column_place_ = row_place_;
}

void SmallSolver::clear() {
    std::fill(W_.begin(), W_.end(), 0.0);
    std::fill(r_.begin(), r_.end(), 0.0);
    std::fill(weight_.begin(), weight_.end(), 0.0);
}

/// L U with complete pivoting of W and the regularisation; the sign of its determinant.
int SmallSolver::factorise() {
    double largest = 0.0;
    for (int k = 0; k < n_; ++k)
        if (weight_[static_cast<std::size_t>(k)] > 0.0)
            largest = std::max(largest, std::abs(at(W_, k, k)));
    LU_ = W_;
    for (int k = 0; k < n_; ++k)
        at(LU_, k, k) += share_ * weight_[static_cast<std::size_t>(k)] * largest;
    std::iota(row_place_.begin(), row_place_.end(), 0);
    column_place_ = row_place_;
    int sign = 1;
    for (rank_ = 0; rank_ < n_; ++rank_) {
        int row = rank_, column = rank_;
        for (int i = rank_; i < n_; ++i)
            for (int j = rank_; j < n_; ++j)
                if (std::abs(at(LU_, i, j)) > std::abs(at(LU_, row, column))) row = i, column = j;
        const double pivot = at(LU_, row, column);
        if (!(std::abs(pivot) > kOpen * std::abs(at(LU_, 0, 0)))) break;
        if (pivot < 0.0) sign = -sign;
        if (row != rank_) {
            for (int j = 0; j < n_; ++j) std::swap(at(LU_, row, j), at(LU_, rank_, j));
            std::swap(row_place_[static_cast<std::size_t>(row)],
                      row_place_[static_cast<std::size_t>(rank_)]);
            sign = -sign;
        }
        if (column != rank_) {
            for (int i = 0; i < n_; ++i) std::swap(at(LU_, i, column), at(LU_, i, rank_));
            std::swap(column_place_[static_cast<std::size_t>(column)],
                      column_place_[static_cast<std::size_t>(rank_)]);
            sign = -sign;
        }
        for (int i = rank_ + 1; i < n_; ++i) {
            const double factor = at(LU_, i, rank_) / at(LU_, rank_, rank_);
            at(LU_, i, rank_) = factor;
            if (factor == 0.0) continue;
            for (int j = rank_ + 1; j < n_; ++j) at(LU_, i, j) -= factor * at(LU_, rank_, j);
        }
    }
    return rank_ == n_ ? sign : 0;
}

/// x += (L U)^-1 rest
void SmallSolver::add_solution() {
    work_.resize(static_cast<std::size_t>(n_));
    for (int i = 0; i < n_; ++i) {
        double sum = rest_[static_cast<std::size_t>(row_place_[static_cast<std::size_t>(i)])];
        for (int j = 0; j < std::min(i, rank_); ++j)
            sum -= at(LU_, i, j) * work_[static_cast<std::size_t>(j)];
        work_[static_cast<std::size_t>(i)] = sum;
    }
    for (int i = rank_ - 1; i >= 0; --i) {
        double sum = work_[static_cast<std::size_t>(i)];
        for (int j = i + 1; j < rank_; ++j)
            sum -= at(LU_, i, j) * work_[static_cast<std::size_t>(j)];
        work_[static_cast<std::size_t>(i)] = sum / at(LU_, i, i);
    }
    for (int i = 0; i < rank_; ++i)
        x_[static_cast<std::size_t>(column_place_[static_cast<std::size_t>(i)])] +=
            work_[static_cast<std::size_t>(i)];
}

int SmallSolver::solve() {
    const int sign = factorise();
    std::fill(x_.begin(), x_.end(), 0.0);
    const bool is_regularised = std::ranges::any_of(weight_, [](double w) {
        return w > 0.0;
    });
    for (int pass = 0; pass < (is_regularised ? kPasses : 1); ++pass) {
        for (int i = 0; i < n_; ++i) {
            double sum = r_[static_cast<std::size_t>(i)];
            for (int j = 0; j < n_; ++j) sum -= at(W_, i, j) * x_[static_cast<std::size_t>(j)];
            rest_[static_cast<std::size_t>(i)] = sum;
        }
        add_solution();
    }
    return sign;
}

}  // namespace ancora
