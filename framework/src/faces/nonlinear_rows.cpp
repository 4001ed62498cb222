// SPDX-License-Identifier: BSD-3-Clause
// Rows that may go slack or break, in the matrix of a step.
#include "nonlinear_rows.hpp"

#include <algorithm>
#include <cmath>

#include "state_archive.hpp"

namespace ancora {
namespace {

// What a slope may have changed since the matrix was made, in parts of what the matrix answers to a
// force along the row: beyond it iterations converge slowly, or not at all.
constexpr double kOutlived = 0.25;

}  // namespace

NonlinearRows::NonlinearRows(Assembly& parts, const MotionState& state, const Trial& trial)
    : parts_(parts), state_(state), trial_(trial) {
    if (empty()) return;
    trial_law_.resize(static_cast<std::size_t>(parts.m));
    for (Eigen::VectorXd* x : {&slope_in_matrix_, &matrix_rows_}) x->setZero(parts.m);
}

double NonlinearRows::follow(int k, double increment, double s, double h) {
    const StressMean law = parts_.laws.mean_stress(k, state_.pi[k], increment, h);
    trial_law_[static_cast<std::size_t>(k)] = law;
    return parts_.laws.taut_gamma(k) * (law.stress - s);
}

double NonlinearRows::terms(int k, double s) const {
    if (trial_law_[static_cast<std::size_t>(k)].is_slack() && s == 0.0) return 0.0;
    return 2.0 * std::abs(state_.pi[k] + parts_.laws[k].compliance * parts_.laws[k].prestress) +
           parts_.laws.taut_gamma(k) * std::max(std::abs(s), law(k).terms);
}

void NonlinearRows::give_slopes_to_matrix() {
    for (const int k : parts_.laws.nonlinear()) {
        const double slope = trial_law_[static_cast<std::size_t>(k)].slope;
        slope_in_matrix_[k] = slope;
        parts_.laws.follow(k, slope);
    }
}

bool NonlinearRows::have_outlived_matrix() const {
    const double to_mobility = 0.5 * trial_.h * trial_.h;
    for (const int k : parts_.laws.nonlinear()) {
        const double in_matrix = slope_in_matrix_[k];
        const double change = std::abs(trial_law_[static_cast<std::size_t>(k)].slope - in_matrix);
        if (change == 0.0) continue;
        double mobility = 0.0;
        for (const int e : parts_.rows.entries(k))
            mobility += parts_.rows.B[e] * parts_.rows.B[e] *
                        parts_.inverse_mass[parts_.rows.column_of(e)] * to_mobility;
        if (change * mobility > kOutlived * (1.0 + in_matrix * mobility)) return true;
    }
    return false;
}

std::span<const double> NonlinearRows::in_units_of_matrix(std::span<const double> r_rows) {
    if (empty()) return r_rows;
    std::copy(r_rows.begin(), r_rows.end(), matrix_rows_.data());
    for (const int k : parts_.laws.nonlinear())
        matrix_rows_[k] *= parts_.laws.gamma()[k] / parts_.laws.taut_gamma(k);
    return view(matrix_rows_);
}

template <class Archive>
void NonlinearRows::transfer(Archive& archive) {
    if (empty()) return;
    archive(slope_in_matrix_);
    std::vector<char> broken = parts_.laws.broken();
    archive(broken);
    if (broken.size() != parts_.laws.broken().size()) ArchiveReader::refuse();
    archive.require(std::ranges::all_of(broken,
                                        [](char c) {
                                            return c == 0 || c == 1;
                                        }),
                    "a flag");
    parts_.laws.set_broken(broken);
}
template void NonlinearRows::transfer(ArchiveWriter&);
template void NonlinearRows::transfer(ArchiveReader&);

void NonlinearRows::restore_slopes() {
    for (const int k : parts_.laws.nonlinear()) parts_.laws.follow(k, slope_in_matrix_[k]);
}

}  // namespace ancora
