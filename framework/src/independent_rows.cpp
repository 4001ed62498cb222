// SPDX-License-Identifier: BSD-3-Clause
// Choice and watch of the rows that are left out.
#include "independent_rows.hpp"

#include <algorithm>
#include <cmath>

#include "rank_analysis.hpp"
#include "state_archive.hpp"

namespace ancora {
namespace {

// A row left out follows the others to this, relative to the model's size, and within a few times
// what it gaped when it was left out.
constexpr double kOpen = 1e-12;
constexpr double kTimesAtStart = 10.0;

}  // namespace

bool IndependentRows::choose(const Eigen::VectorXd& A, Eigen::VectorXd& pi) {
    std::vector<int> before = rows_.left_out();
    std::vector<int> chosen = dependent_rows(rows_, A, mass_);
    if (chosen == before) return false;
    for (std::size_t i = 0; i < before.size(); ++i)
        if (laws_.carries(before[i])) pi[before[i]] = gap_[i];
    gap_.clear();
    for (const int k : chosen) {
        gap_.push_back(pi[k]);
        pi[k] = 0.0;
    }
    rows_.leave_out(chosen);
    return true;
}

void IndependentRows::forget() {
    rows_.leave_out({});
    gap_.clear();
}

int IndependentRows::opening_row(double extent) const {
    int worst_row = -1;
    double worst = 0.0;
    for (std::size_t i = 0; i < gap_.size(); ++i) {
        const double gap = std::abs(gap_[i] + rows_.left_out_increment()[i]);
        const double allowed = kOpen * extent + kTimesAtStart * std::abs(gap_[i]);
        if (gap <= allowed || gap <= worst) continue;
        worst = gap;
        worst_row = left_out()[i];
    }
    return worst_row;
}

double IndependentRows::gap_after(int row) const {
    const auto found = std::ranges::find(left_out(), row);
    if (found == left_out().end()) return 0.0;
    const auto i = static_cast<std::size_t>(found - left_out().begin());
    return gap_[i] + rows_.left_out_increment()[i];
}

void IndependentRows::accept() {
    for (std::size_t i = 0; i < gap_.size(); ++i)
        if (laws_.carries(left_out()[i])) gap_[i] += rows_.left_out_increment()[i];
}

template <class Archive>
void IndependentRows::transfer(Archive& archive) {
    std::vector<int> rows = left_out();
    std::vector<double> gap = gap_;
    archive(rows);
    archive(gap);
    if constexpr (Archive::kReads) {
        bool fits = rows.size() == gap.size() && std::ranges::is_sorted(rows);
        for (const int k : rows) fits = fits && k >= 0 && k < rows_.num_rows() && laws_.is_constraint(k);
        if (!fits) StateReader::refuse();
        rows_.leave_out(rows);
        gap_ = gap;
    }
}
template void IndependentRows::transfer(StateWriter&);
template void IndependentRows::transfer(StateReader&);

}  // namespace ancora
