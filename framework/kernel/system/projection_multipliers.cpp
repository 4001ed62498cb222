// SPDX-License-Identifier: BSD-3-Clause
// When multipliers of a projection are corrected, and by how much.
#include "projection_multipliers.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace ancora {
namespace {

// Velocities obey the constraints to so many units of rounding, or to as many more where they have
// ceased to fall.
constexpr double kClosedEnough = 4.0;
constexpr double kFloor = 4e3;
constexpr int kStagnant = 5;  // corrections of mu without gain
// mu is corrected where the last correction of the step is this part of it, or as good as none.
constexpr double kSettled = 0.1;
constexpr double kStill = 10.0;
// Differences that are nearly dependent say nothing.
constexpr double kDependent = 1e-8;

double dot(std::span<const double> x, std::span<const double> y) {
    double sum = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
    return sum;
}

}  // namespace

void ProjectionMultipliers::resize(int num_coordinates, int num_multipliers) {
    const auto count = static_cast<std::size_t>(num_multipliers);
    dv_.assign(count > 0 ? num_coordinates : 0, 0.0);
    for (std::vector<double>* x : {&correction_, &last_correction_, &last_mu_})
        x->assign(count, 0.0);
    dcorrection_.assign(kWindow, std::vector<double>(count, 0.0));
    dmu_ = dcorrection_;
}

void ProjectionMultipliers::begin(ProjectedEnds& ends, std::span<const double> mu) {
    // Differences are of one trial: f changes with h and with where the step starts.
    num_differences_ = since_least_ = 0;
    last_size_ = least_miss_ = kUnknown;
    kick_per_miss_ = last_moved_ = 0.0;
    contraction_ = 1.0;
    was_kicked_ = false;
    ends.start_from(mu, dv_);
}

/// |A_1 v_1 + phi_t| as a change of velocity, in units of its rounding: at round-off, or at a value
/// that has not fallen in kStagnant corrections.
bool ProjectionMultipliers::are_found(ProjectedEnds& ends, const StepTrial& trial) {
    const double miss = ends.look_at_end(trial, correction_);
    return miss <= kClosedEnough || (miss <= kFloor && since_least_ > kStagnant);
}

bool ProjectionMultipliers::follow(ProjectedEnds& ends,
                                   const StepTrial& trial,
                                   const Turn& turn,
                                   std::span<double> a,
                                   std::span<double> mu) {
    const double miss = ends.look_at_end(trial, correction_);
    if (!std::isfinite(miss)) return false;
    // Velocity errors of the step's own iteration would count as a residual of the projection.
    if (!was_kicked_ && last_moved_ > 0.0)
        contraction_ = std::min(1.0, turn.correction / last_moved_);
    last_moved_ = turn.correction;
    was_kicked_ = false;
    // ddq by dq = h v + h^2/2 a changes v_1 by 2 ddq / h: the change of velocities by a correction
    // by.
    const double moved = 2.0 * turn.correction / std::abs(trial.h);
    // The error left by the iteration, contraction times moved, against the change that mu's
    // correction would change.
    const bool is_settled = kick_per_miss_ > 0.0
                                ? contraction_ * moved <= kSettled * kick_per_miss_ * miss
                                : turn.k > 0;
    if (!is_settled && moved > kStill * turn.tolerance / std::abs(trial.h)) return true;
    if (miss < 0.5 * least_miss_) {
        least_miss_ = miss;
        since_least_ = 0;
    } else {
        ++since_least_;
    }
    // Corrections at round-off would only disturb the step's own iteration.
    if (miss <= 0.5 * kClosedEnough || (miss <= kFloor && since_least_ > kStagnant)) return true;
    correct(mu);
    ends.start_from(mu, dv_);
    // v_0 <- v_0 + dv leaves dq = h v_0 + h^2/2 a unchanged with a <- a - 2 dv / h: positions,
    // found already, stay.
    for (std::size_t i = 0; i < a.size(); ++i) a[i] -= 2.0 * dv_[i] / trial.h;
    kick_per_miss_ = ends.displacement(dv_) / miss;
    was_kicked_ = true;
    return true;
}

/// mu <- mu + f - sum_j c_j (dmu_j + df_j), with the c that make |f - sum_j c_j df_j| least.
void ProjectionMultipliers::correct(std::span<double> mu) {
    // f(mu): the simplified Newton correction at mu. Anderson's method of depth kWindow is the
    // secant method of least squares: c minimises |f - dF c|, columns of dF are differences of f.
    const std::size_t m = mu.size();
    const double size = std::sqrt(dot(correction_, correction_));
    // Where |f| has grown the differences are invalid: restart with mu + f.
    const bool goes_on = size < last_size_;
    if (!goes_on) num_differences_ = 0;
    if (goes_on && std::isfinite(last_size_)) {
        // The oldest goes first.
        if (num_differences_ == kWindow) {
            std::rotate(dcorrection_.begin(), dcorrection_.begin() + 1, dcorrection_.end());
            std::rotate(dmu_.begin(), dmu_.begin() + 1, dmu_.end());
            --num_differences_;
        }
        const auto j = static_cast<std::size_t>(num_differences_++);
        for (std::size_t i = 0; i < m; ++i) {
            dcorrection_[j][i] = correction_[i] - last_correction_[i];
            dmu_[j][i] = mu[i] - last_mu_[i];
        }
    }
    last_size_ = size;
    last_correction_ = correction_;
    std::ranges::copy(mu, last_mu_.begin());
    // Least squares by the normal equations of few columns, newest first, dependent ones left out.
    // dF^T dF = R R^T, R lower triangular, row by row; `rest` is the squared distance of a column
    // from those taken. Normal equations square the condition number: columns within kDependent are
    // left out.
    std::array<std::array<double, kWindow>, kWindow> R{};
    std::array<double, kWindow> c{};
    std::array<int, kWindow> taken{};
    int count = 0;
    for (int j = num_differences_ - 1; j >= 0; --j) {
        // Cholesky's row for this column.
        const auto& column = dcorrection_[j];
        std::array<double, kWindow> row{};
        double rest = dot(column, column);
        const double whole = rest;
        for (int k = 0; k < count; ++k) {
            const auto uk = static_cast<std::size_t>(k);
            double sum = dot(column, dcorrection_[taken[uk]]);
            for (std::size_t l = 0; l < uk; ++l) sum -= row[l] * R[uk][l];
            row[uk] = sum / R[uk][uk];
            rest -= row[uk] * row[uk];
        }
        if (!(rest > kDependent * whole)) continue;
        const auto uc = static_cast<std::size_t>(count);
        row[uc] = std::sqrt(rest);
        R[uc] = row;
        taken[uc] = j;
        ++count;
    }
    for (int k = 0; k < count; ++k) {
        // R y = dF^T f
        const auto uk = static_cast<std::size_t>(k);
        double sum = dot(correction_, dcorrection_[taken[uk]]);
        for (std::size_t l = 0; l < uk; ++l) sum -= R[uk][l] * c[l];
        c[uk] = sum / R[uk][uk];
    }
    // R^T c = y
    for (int k = count - 1; k >= 0; --k) {
        const auto uk = static_cast<std::size_t>(k);
        for (int l = k + 1; l < count; ++l) c[uk] -= R[l][uk] * c[l];
        c[uk] /= R[uk][uk];
    }
    for (std::size_t i = 0; i < m; ++i) mu[i] += correction_[i];
    for (int k = 0; k < count; ++k) {
        const auto uk = static_cast<std::size_t>(k);
        const auto j = static_cast<std::size_t>(taken[uk]);
        for (std::size_t i = 0; i < m; ++i) mu[i] -= c[uk] * (dmu_[j][i] + dcorrection_[j][i]);
    }
}

}  // namespace ancora
