// SPDX-License-Identifier: BSD-3-Clause
// The iteration for a step and its projection at once.
#include "projected_step.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "convergence.hpp"

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
// Turns for one trial, in those that the plain step has.
constexpr int kTimesAsMany = 3;
// Extrapolation whose weights sum to more than this makes errors larger than it takes away.
constexpr double kMostWeight = 8.0;
// Differences that are nearly dependent say nothing.
constexpr double kDependent = 1e-8;

double dot(std::span<const double> x, std::span<const double> y) {
    double sum = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
    return sum;
}

}  // namespace

void ProjectedStep::prepare(const System& system,
                            double tolerance,
                            int max_iterations,
                            int num_conditions) {
    tolerance_ = tolerance;
    max_iterations_ = kTimesAsMany * max_iterations;
    const auto n = static_cast<std::size_t>(system.num_coordinates());
    const auto m = static_cast<std::size_t>(system.num_rows());
    const auto conditions = static_cast<std::size_t>(num_conditions);
    for (std::vector<double>* x : {&a_, &ddq_, &r_motion_, &dv_}) x->assign(n, 0.0);
    for (std::vector<double>* x : {&s_, &ds_, &r_rows_}) x->assign(m, 0.0);
    for (std::vector<double>* x : {&mu_, &correction_, &last_correction_, &last_mu_})
        x->assign(conditions, 0.0);
    dcorrection_.assign(kWindow, std::vector<double>(conditions, 0.0));
    dmu_ = dcorrection_;
    closed_ = Convergence::most_of(n + m);
}

int ProjectedStep::num_history() const {
    return kWords + kPast * static_cast<int>(a_.size() + s_.size() + mu_.size());
}

double* ProjectedStep::past(System& system, int k) const {
    const std::size_t size = a_.size() + s_.size() + mu_.size();
    return system.history().data() + first_ + kWords + static_cast<std::size_t>(k) * size;
}

bool ProjectedStep::advance(System& system, double t0, double h) {
    StepProjection* const projection = mu_.empty() ? nullptr : system.projection();
    if (projection != nullptr) projection->begin();
    constexpr int kMostSettlings = 20;
    const auto solve = [&] {
        return iterate(system, t0, h, Tangent::definite, false) ||
               iterate(system, t0, h, Tangent::definite, true) ||
               iterate(system, t0, h, Tangent::exact, true);
    };
    bool is_solved = solve() || (system.renew_choice() && solve());
    for (int k = 0; is_solved && system.settle_modes(trial(t0, h)); ++k)
        is_solved = k < kMostSettlings && solve();
    if (!is_solved) {
        if (projection != nullptr) projection->abandon();
        return false;
    }
    remember(system, t0, h);
    system.accept(trial(t0, h));
    return true;
}

bool ProjectedStep::iterate(
    System& system, double t0, double h, Tangent tangent, bool is_always_fresh) {
    StepProjection* const projection = mu_.empty() ? nullptr : system.projection();
    predict(system, t0, h);
    num_differences_ = 0;
    last_size_ = std::numeric_limits<double>::infinity();
    kick_per_miss_ = 0.0;
    if (projection != nullptr) projection->start_from(mu_, dv_);
    Convergence convergence(tolerance_, max_iterations_, closed_);
    bool factorise = is_always_fresh || !system.is_factorised_for(h);
    bool is_stale = !factorise;
    double least_miss = std::numeric_limits<double>::infinity();
    int since_least = 0;
    // What an iteration leaves of a correction, as two of them without one of mu between show it.
    double contraction = 1.0;
    double last_correction = 0.0;
    bool was_kicked = false;
    for (int k = 0; k <= max_iterations_; ++k) {
        system.evaluate(trial(t0, h), r_motion_, r_rows_);
        if (convergence.is_to_be_judged(k)) {
            const Convergence::Verdict verdict =
                convergence.judge(k, system.defect(trial(t0, h), 0.0));
            if (verdict == Convergence::Verdict::failed) return false;
            if (verdict == Convergence::Verdict::converged) {
                if (projection == nullptr) return true;
                const double miss = projection->look_at_end(trial(t0, h), correction_);
                if (!std::isfinite(miss)) return false;
                if (miss <= kClosedEnough || (miss <= kFloor && since_least > kStagnant))
                    return true;
            }
            if (k > 1 && is_stale && convergence.wants_fresh_matrix(system.cost())) {
                factorise = true;
                is_stale = false;
            }
        }
        if (factorise) {
            if (!system.factorise(trial(t0, h), tangent)) return false;
            factorise = is_always_fresh;
        }
        system.solve(r_motion_, r_rows_, ddq_, ds_);
        const double to_acceleration = 2.0 / (h * h);
        for (std::size_t i = 0; i < a_.size(); ++i) a_[i] -= to_acceleration * ddq_[i];
        for (std::size_t i = 0; i < s_.size(); ++i) s_[i] -= ds_[i];
        system.count_iteration();
        const double correction = system.displacement(ddq_);
        if (!std::isfinite(correction)) return false;
        convergence.note(correction);
        if (projection == nullptr) continue;
        const double miss = projection->look_at_end(trial(t0, h), correction_);
        if (!std::isfinite(miss)) return false;
        // What the step's own iteration will still move velocities by would pass for a miss.
        if (!was_kicked && last_correction > 0.0)
            contraction = std::min(1.0, correction / last_correction);
        last_correction = correction;
        was_kicked = false;
        const double moved = 2.0 * correction / std::abs(h);
        const bool is_settled =
            kick_per_miss_ > 0.0 ? contraction * moved <= kSettled * kick_per_miss_ * miss : k > 0;
        if (!is_settled && moved > kStill * tolerance_ / std::abs(h)) continue;
        if (miss < 0.5 * least_miss) {
            least_miss = miss;
            since_least = 0;
        } else {
            ++since_least;
        }
        // What is rounding already would only stir the step's own iteration.
        if (miss <= 0.5 * kClosedEnough || (miss <= kFloor && since_least > kStagnant)) continue;
        correct_mu();
        take_mu(*projection, h);
        kick_per_miss_ = system.displacement(dv_) / miss;
        was_kicked = true;
    }
    return false;
}

/// The start has moved; where the step leads in space shall stay.
void ProjectedStep::take_mu(StepProjection& projection, double h) {
    projection.start_from(mu_, dv_);
    for (std::size_t i = 0; i < a_.size(); ++i) a_[i] -= 2.0 * dv_[i] / h;
}

/// mu <- mu + f - sum_j c_j (dmu_j + df_j), with the c that make |f - sum_j c_j df_j| least.
void ProjectedStep::correct_mu() {
    const std::size_t m = mu_.size();
    const double size = std::sqrt(dot(correction_, correction_));
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
            dmu_[j][i] = mu_[i] - last_mu_[i];
        }
    }
    last_size_ = size;
    last_correction_ = correction_;
    last_mu_ = mu_;
    // Least squares by the normal equations of few columns, newest first, dependent ones left out.
    std::array<std::array<double, kWindow>, kWindow> R{};
    std::array<double, kWindow> c{};
    std::array<int, kWindow> taken{};
    int count = 0;
    for (int j = num_differences_ - 1; j >= 0; --j) {
        // Cholesky's row for this column.
        const auto& column = dcorrection_[static_cast<std::size_t>(j)];
        std::array<double, kWindow> row{};
        double rest = dot(column, column);
        const double whole = rest;
        for (int k = 0; k < count; ++k) {
            const auto uk = static_cast<std::size_t>(k);
            double sum = dot(column, dcorrection_[static_cast<std::size_t>(taken[uk])]);
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
        const auto uk = static_cast<std::size_t>(k);
        double sum = dot(correction_, dcorrection_[static_cast<std::size_t>(taken[uk])]);
        for (std::size_t l = 0; l < uk; ++l) sum -= R[uk][l] * c[l];
        c[uk] = sum / R[uk][uk];
    }
    for (int k = count - 1; k >= 0; --k) {
        const auto uk = static_cast<std::size_t>(k);
        for (int l = k + 1; l < count; ++l)
            c[uk] -= R[static_cast<std::size_t>(l)][uk] * c[static_cast<std::size_t>(l)];
        c[uk] /= R[uk][uk];
    }
    for (std::size_t i = 0; i < m; ++i) mu_[i] += correction_[i];
    for (int k = 0; k < count; ++k) {
        const auto uk = static_cast<std::size_t>(k);
        const auto j = static_cast<std::size_t>(taken[uk]);
        for (std::size_t i = 0; i < m; ++i) mu_[i] -= c[uk] * (dmu_[j][i] + dcorrection_[j][i]);
    }
}

/// a, s and mu / h^2 at the middle of the step, by the polynomial through the last steps that does
/// not amplify them.
void ProjectedStep::predict(System& system, double t0, double h) {
    const double* const words = system.history().data() + first_;
    const int known = static_cast<int>(words[kKnown]);
    const double* const middle = words + kMiddle;
    const double t = t0 + 0.5 * h;
    std::array<double, kPast> weight{};
    int used = known > 0 ? 1 : 0;
    weight[0] = 1.0;
    for (int count = known; count > 1; --count) {
        std::array<double, kPast> w{};
        double sum = 0.0;
        for (int j = 0; j < count; ++j) {
            const auto uj = static_cast<std::size_t>(j);
            w[uj] = 1.0;
            for (int k = 0; k < count; ++k)
                if (k != j) w[uj] *= (t - middle[k]) / (middle[j] - middle[k]);
            sum += std::abs(w[uj]);
        }
        if (!(sum <= kMostWeight)) continue;
        weight = w;
        used = count;
        break;
    }
    std::ranges::fill(mu_, 0.0);
    if (used == 0) {
        std::ranges::copy(system.acceleration(), a_.begin());
        std::ranges::copy(system.stress(), s_.begin());
    } else {
        std::ranges::fill(a_, 0.0);
        std::ranges::fill(s_, 0.0);
    }
    for (int k = 0; k < used; ++k) {
        const double w = weight[static_cast<std::size_t>(k)];
        const double* x = past(system, k);
        for (double& value : a_) value += w * *x++;
        for (double& value : s_) value += w * *x++;
        for (double& value : mu_) value += w * h * h * *x++;
    }
    if (!system.stresses_are_unique()) system.clear_constraint_stress(s_);
}

void ProjectedStep::remember(System& system, double t0, double h) {
    double* const words = system.history().data() + first_;
    const int known = std::min(static_cast<int>(words[kKnown]) + 1, kPast);
    words[kKnown] = known;
    const std::size_t size = a_.size() + s_.size() + mu_.size();
    for (int k = known - 1; k > 0; --k) {
        words[kMiddle + k] = words[kMiddle + k - 1];
        std::copy_n(past(system, k - 1), size, past(system, k));
    }
    words[kMiddle] = t0 + 0.5 * h;
    double* x = past(system, 0);
    x = std::ranges::copy(a_, x).out;
    x = std::ranges::copy(s_, x).out;
    for (const double value : mu_) *x++ = value / (h * h);
}

}  // namespace ancora
