// SPDX-License-Identifier: BSD-3-Clause
// Rows that may go slack or break, in the matrix of a step.
#include "nonlinear_rows.hpp"

#include <algorithm>
#include <cmath>

#include "state_archive.hpp"

namespace ancora {
namespace {

// Allowed change of a slope since the matrix was made, times the compliance of the matrix along the
// row: beyond it iterations converge slowly, or not at all.
constexpr double kOutlived = 0.25;

using Slopes = Eigen::Matrix<double,
                             Eigen::Dynamic,
                             Eigen::Dynamic,
                             Eigen::ColMajor,
                             ItemLaw::kMostRows,
                             ItemLaw::kMostRows>;
using ItemRows = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, ItemLaw::kMostRows, 1>;

std::span<double> slopes_of(const ItemLaws::Item& item, Eigen::VectorXd& of_all) {
    const auto n = static_cast<std::size_t>(item.num_rows);
    return std::span(of_all.data(), static_cast<std::size_t>(of_all.size()))
        .subspan(item.first_slope, n * n);
}
Eigen::Map<const Eigen::MatrixXd> matrix_of(const ItemLaws::Item& item,
                                            const Eigen::VectorXd& of_all) {
    return {of_all.data() + item.first_slope, item.num_rows, item.num_rows};
}

}  // namespace

NonlinearRows::NonlinearRows(Assembly& parts, const MotionState& state, const Trial& trial)
    : parts_(parts), state_(state), trial_(trial) {
    if (empty()) return;
    trial_law_.resize(parts.m);
    for (Eigen::VectorXd* x : {&slope_in_matrix_, &matrix_rows_}) x->setZero(parts.m);
    if (parts.laws.together().empty()) return;
    increment_.setZero(parts.m);
    combined_.setZero(parts.rows.B.size());
    const auto num_slopes = static_cast<Eigen::Index>(parts.laws.together().num_slopes());
    for (Eigen::VectorXd* x : {&trial_slopes_, &slopes_in_matrix_, &combination_})
        x->setZero(num_slopes);
}

void NonlinearRows::follow(const double* s, double h, double* r_rows) {
    const ItemLaws& together = parts_.laws.together();
    for (const int k : parts_.laws.nonlinear()) {
        // dpi = B dq + tau
        const double increment = trial_.Bdq[k] + parts_.rows.tau[k];
        if (together.holds(k)) {
            increment_[k] = increment;
            continue;
        }
        const StressMean law = parts_.laws.mean_stress(k, state_.pi[k], increment, h);
        trial_law_[k] = law;
        // r = gamma_taut (s* - s), in the unit of pi as the residuals of
        // other rows (theory, section 3.3)
        r_rows[k] = parts_.laws.stiffest_compliance(k) * (law.stress - s[k]);
    }
    for (const ItemLaws::Item& item : together.items()) {
        together.mean(item,
                      state_.pi.data(),
                      increment_.data(),
                      h,
                      trial_law_.data(),
                      slopes_of(item, trial_slopes_));
        for (int k = item.first_row; k < item.first_row + item.num_rows; ++k)
            r_rows[k] = parts_.laws.stiffest_compliance(k) * (law(k).stress - s[k]);
    }
}

void NonlinearRows::subtract(const double* change, const double* ds, double* r_rows) const {
    const ItemLaws& together = parts_.laws.together();
    // d r = gamma_taut (s*' d(dpi) - ds)
    for (const int k : parts_.laws.nonlinear())
        if (!together.holds(k))
            r_rows[k] -= parts_.laws.stiffest_compliance(k) * (law(k).slope * change[k] - ds[k]);
    // The same with D = d s* / d pi_1 of all rows of the item.
    for (const ItemLaws::Item& item : together.items()) {
        const auto D = matrix_of(item, trial_slopes_);
        for (int i = 0; i < item.num_rows; ++i) {
            const int k = item.first_row + i;
            double stress = 0.0;
            for (int j = 0; j < item.num_rows; ++j) stress += D(i, j) * change[item.first_row + j];
            r_rows[k] -= parts_.laws.stiffest_compliance(k) * (stress - ds[k]);
        }
    }
}

double NonlinearRows::terms(int k, double s) const {
    if (trial_law_[k].is_slack() && s == 0.0) return 0.0;
    // |theta pi_0 + gamma s_0| at kappa = 1, and gamma |s| or the law's own terms (theory (46))
    return 2.0 * std::abs(state_.pi[k] + parts_.laws[k].compliance * parts_.laws[k].prestress) +
           parts_.laws.stiffest_compliance(k) * std::max(std::abs(s), law(k).terms);
}

void NonlinearRows::attribute_nonfinite() {
    const ItemLaws& together = parts_.laws.together();
    for (const ItemLaws::Item& item : together.items()) {
        together.stress(item, state_.pi.data(), matrix_rows_.data());
        together.stiffness(item, state_.pi.data(), slopes_of(item, trial_slopes_));
    }
}

void NonlinearRows::set_tangent_moduli() {
    for (const int k : parts_.laws.nonlinear()) {
        // K has 1 / gamma = d s* / d pi_1 of the trial.
        const double slope = trial_law_[k].slope;
        slope_in_matrix_[k] = slope;
        if (!parts_.laws.together().holds(k)) parts_.laws.follow(k, slope);
    }
    slopes_in_matrix_ = trial_slopes_;
    for (const ItemLaws::Item& item : parts_.laws.together().items()) combine(item);
}

void NonlinearRows::combine(const ItemLaws::Item& item) {
    // D = V Lambda V^T: the combinations V^T B do not couple,
    // gamma_i = 1 / lambda_i (theory, section 3.4).
    const auto D = matrix_of(item, slopes_in_matrix_);
    // What is taut or slack through and through has no slopes off the diagonal.
    const bool is_diagonal = D.isDiagonal(0.0);
    SymmetricEigen& eigen = eigen_[item.num_rows];
    if (!is_diagonal) eigen.compute(D);
    // Combinations have no units of their own
    double softest = 0.0;
    for (int k = item.first_row; k < item.first_row + item.num_rows; ++k)
        softest = std::max(softest, parts_.laws.stiffest_compliance(k));
    Eigen::Map<Eigen::MatrixXd> V(
        combination_.data() + item.first_slope, item.num_rows, item.num_rows);
    if (is_diagonal)
        V.setIdentity();
    else
        V = eigen.vectors();
    for (int i = 0; i < item.num_rows; ++i)
        parts_.laws.follow(item.first_row + i, is_diagonal ? D(i, i) : eigen.values()[i], softest);
}

bool NonlinearRows::have_outlived_matrix() const {
    for (const int k : parts_.laws.nonlinear()) {
        if (parts_.laws.together().holds(k)) continue;
        const double in_matrix = slope_in_matrix_[k];
        const double change = std::abs(trial_law_[k].slope - in_matrix);
        if (change == 0.0) continue;
        const double mobility = mobility_of(k);
        // The compliance of K to a force along the row is mobility / (1 + slope mobility), which
        // scales the change of slope.
        if (change * mobility > kOutlived * (1.0 + in_matrix * mobility)) return true;
    }
    for (const ItemLaws::Item& item : parts_.laws.together().items())
        if (has_outlived_matrix(item)) return true;
    return false;
}

/// The same of rows with a coupled law, in the eigenvectors of the matrix: in the sum over an item
/// a stiff one would hide changes of soft ones.
bool NonlinearRows::has_outlived_matrix(const ItemLaws::Item& item) const {
    const Slopes V = matrix_of(item, combination_);
    const Slopes known = matrix_of(item, slopes_in_matrix_);
    Slopes change = matrix_of(item, trial_slopes_);
    change -= known;
    if (change.isZero(0.0)) return false;
    ItemRows mobility(item.num_rows);
    for (int i = 0; i < item.num_rows; ++i) mobility[i] = mobility_of(item.first_row + i);
    // V^T dD V and V^T D V
    // Of a few rows: loops take less than the calls of products of any size.
    Slopes half = change.lazyProduct(V);
    change.noalias() = V.transpose().lazyProduct(half);
    half.noalias() = known.lazyProduct(V);
    ItemRows reach(item.num_rows);  // of a combination, with what holds it in the matrix
    // a_i = m_i / (1 + lambda_i m_i), m_i the mobility of combination i; reach_i is its root,
    // so that |dD_ij| reach_i reach_j is the change relative to K's stiffness.
    for (int i = 0; i < item.num_rows; ++i) {
        const double own = V.col(i).cwiseAbs2().dot(mobility);
        const double stiffness = std::max(V.col(i).dot(half.col(i)), 0.0);
        reach[i] = std::sqrt(own / (1.0 + stiffness * own));
    }
    for (int i = 0; i < item.num_rows; ++i)
        for (int j = 0; j <= i; ++j)
            if (std::abs(change(i, j)) * reach[i] * reach[j] > kOutlived) return true;
    return false;
}

double NonlinearRows::mobility_of(int k) const {
    // B (2 M / h^2)^-1 B^T by diag(M)
    double sum = 0.0;
    for (const int e : parts_.rows.entries(k))
        sum += parts_.rows.B[e] * parts_.rows.B[e] * parts_.inverse_mass[parts_.rows.column_of(e)] *
               (0.5 * trial_.h * trial_.h);
    return sum;
}

std::span<const double> NonlinearRows::scale_rows(std::span<const double> r_rows) {
    if (empty()) return r_rows;
    std::copy(r_rows.begin(), r_rows.end(), matrix_rows_.data());
    // r / gamma_taut is a stress, s* - s; times gamma it is the residual in K.
    const ItemLaws& together = parts_.laws.together();
    for (const int k : parts_.laws.nonlinear())
        matrix_rows_[k] *=
            (together.holds(k) ? 1.0 : parts_.laws.gamma()[k]) / parts_.laws.stiffest_compliance(k);
    for (const ItemLaws::Item& item : together.items()) {
        // V^T (s* - s), each times its gamma
        auto rows = matrix_rows_.segment(item.first_row, item.num_rows);
        const ItemRows stresses = rows;
        rows.noalias() = matrix_of(item, combination_).transpose().lazyProduct(stresses);
        for (int k = item.first_row; k < item.first_row + item.num_rows; ++k)
            matrix_rows_[k] *= parts_.laws.gamma()[k];
    }
    return view(matrix_rows_);
}

const Eigen::VectorXd& NonlinearRows::combined(const Eigen::VectorXd& jacobian) {
    if (combined_.size() == 0) return jacobian;
    combined_ = jacobian;
    // V^T B: rows of an item have one pattern, width entries each.
    for (const ItemLaws::Item& item : parts_.laws.together().items()) {
        const auto V = matrix_of(item, combination_);
        const int begin = parts_.rows.row_begin(item.first_row);
        const int width = parts_.rows.row_end(item.first_row) - begin;
        for (int i = 0; i < item.num_rows; ++i)
            for (int e = 0; e < width; ++e) {
                double sum = 0.0;
                for (int k = 0; k < item.num_rows; ++k)
                    sum += V(k, i) * jacobian[begin + k * width + e];
                combined_[begin + i * width + e] = sum;
            }
    }
    return combined_;
}

void NonlinearRows::unscale_multipliers(std::span<double> s) const {
    // s = V s_combined: B^T s = (V^T B)^T s_combined
    for (const ItemLaws::Item& item : parts_.laws.together().items()) {
        Eigen::Map<Eigen::VectorXd> rows(s.data() + item.first_row, item.num_rows);
        const ItemRows combined = rows;
        rows.noalias() = matrix_of(item, combination_).lazyProduct(combined);
    }
}

template <class Archive>
void NonlinearRows::transfer(Archive& archive) {
    if (empty()) return;
    archive(slope_in_matrix_);
    if (!parts_.laws.together().empty()) {
        archive(slopes_in_matrix_);
        archive.require(slopes_in_matrix_.allFinite(), "a slope");
    }
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
    // gamma is not saved: it follows from the slopes.
    for (const int k : parts_.laws.nonlinear())
        if (!parts_.laws.together().holds(k)) parts_.laws.follow(k, slope_in_matrix_[k]);
    for (const ItemLaws::Item& item : parts_.laws.together().items()) combine(item);
}

}  // namespace ancora
