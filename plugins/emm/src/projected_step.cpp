// SPDX-License-Identifier: BSD-3-Clause
// The predictor for a step and its projection.
#include "projected_step.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace ancora {
namespace {

// Iterations of one trial, relative to those of a plain step.
constexpr int kTimesAsMany = 3;
// With a larger sum of the weights' moduli extrapolation amplifies errors.
constexpr double kMostWeight = 8.0;

}  // namespace

void ProjectedStep::prepare(const System& system,
                            double tolerance,
                            int max_iterations,
                            int num_conditions) {
    options_ = {tolerance, kTimesAsMany * max_iterations};
    a_.assign(system.num_coordinates(), 0.0);
    s_.assign(system.num_rows(), 0.0);
    mu_.assign(num_conditions, 0.0);
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
    bool is_solved = solve(system, t0, h);
    for (int k = 0; is_solved && system.update_active_set(trial(t0, h)); ++k)
        is_solved = k < kMostSettlings && solve(system, t0, h);
    if (!is_solved) {
        if (projection != nullptr) projection->abandon();
        return false;
    }
    remember(system, t0, h);
    system.accept(trial(t0, h));
    return true;
}

bool ProjectedStep::solve(System& system, double t0, double h) {
    predict(system, t0, h);
    return system.solve_step({t0, h, a_, s_, mu_}, options_).has_converged;
}

/// a, s and mu / h^2 at the middle of the step, by the polynomial through the last steps that does
/// not amplify them.
void ProjectedStep::predict(System& system, double t0, double h) {
    // Lagrange: x(t) = sum_j w_j x_j, w_j = prod_(k != j) (t - t_k) / (t_j - t_k), t_j the middles
    // of the last steps, where mean values belong; mu = O(h^2) enters as mu / h^2, which varies
    // smoothly with unequal h.
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
        // sum |w_j|, the Lebesgue constant at t, is the factor by which errors of x_j may grow: of
        // the largest number of values within kMostWeight the polynomial is taken.
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
        const double w = weight[k];
        const double* x = past(system, k);
        for (double& value : a_) value += w * *x++;
        for (double& value : s_) value += w * *x++;
        for (double& value : mu_) value += w * h * h * *x++;
    }
}

void ProjectedStep::remember(System& system, double t0, double h) {
    double* const words = system.history().data() + first_;
    const int known = std::min(static_cast<int>(words[kKnown]) + 1, kPast);
    words[kKnown] = known;
    const std::size_t size = a_.size() + s_.size() + mu_.size();
    // Newest first; t_0 + h / 2 with each.
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
