// SPDX-License-Identifier: BSD-3-Clause
// Breaking of rows.
#include "breaking.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ancora {
namespace {

// Rows that are this close to their limits when one reaches its own, relative, break with it.
constexpr double kTogether = 1e-10;
constexpr std::size_t kMostBreaks = 10'000;

}  // namespace

/// g_row = min_k (pi_max - pi_k) / |pi_max| over unbroken rows, at most 1 (theory (41)): the event
/// function.
double Breaking::margin(const Eigen::VectorXd& pi) const {
    double least = 1.0;
    for (const int k : parts_.laws.breakable())
        if (!parts_.laws.is_broken(k)) least = std::min(least, parts_.laws.margin(k, pi[k]));
    return least;
}

void Breaking::break_rows() {
    // Rows within rounding of the one at its limit break at the same instant: which of equal rows
    // came first would be decided by rounding.
    const double limit = std::max(margin(state_.pi), 0.0) + kTogether;
    for (const int k : parts_.laws.breakable()) {
        if (parts_.laws.is_broken(k) || parts_.laws.margin(k, state_.pi[k]) > limit) continue;
        const double energy = parts_.laws.energy(k, state_.pi[k]);
        parts_.laws.break_row(k);
        state_.s[k] = 0.0;
        // W_k is lost; v is continuous, since the force that ends is finite.
        accounting_.ledger.record_nonideal(-energy);
        if (breaks_.size() < kMostBreaks) breaks_.push_back({state_.t, k, energy});
    }
    accounting_.close();
}

void Breaking::check_start(const Eigen::VectorXd& pi) const {
    for (const int k : parts_.laws.breakable()) {
        if (parts_.laws.is_broken(k) || pi[k] <= parts_.laws.limit(k)) continue;
        throw Error(ErrorKind::numerical,
                    fmt::format("{} starts at {:.6g}, but breaks at {:.6g}; start it nearer to "
                                "rest, or let it bear more",
                                parts_.rows.row_name(k),
                                pi[k],
                                parts_.laws.limit(k)),
                    parts_.rows.place_of_row(k));
    }
}

}  // namespace ancora
