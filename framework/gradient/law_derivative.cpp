// SPDX-License-Identifier: BSD-3-Clause
// Laws' own derivatives, and differences of those that have none.
#include "law_derivative.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "step_derivative.hpp"

namespace ancora {
namespace {

// Distances of differences relative to the size of a strain.
constexpr double kMoveOfStrain = 0x1p-10;
// Slopes on both sides of a corner, or at one and two distances, differ by more than this part;
// then nearer ones are tried.
constexpr double kCorner = 1e-3;
constexpr double kBendOfLaw = 0.2;
constexpr int kCloser = 3;
constexpr double kCloserBy = 0x1p-5;
constexpr double kNoSlope = 1e-300;

}  // namespace

LawDerivative::LawDerivative(KernelSystem& system) : data_(system.step_data()), m_(data_.parts.m) {
    gamma.setZero(m_);
}

void LawDerivative::take(const AcceptedStep& step) {
    const RowLaws& laws = data_.parts.laws;
    const RowSet& rows = data_.parts.rows;
    const Eigen::VectorXd& pi = data_.state.pi;
    by_increments.clear();
    by_strains.clear();
    const auto is_dropped = [&](int k) {
        return std::ranges::binary_search(rows.dropped(), k);
    };
    for (int k = 0; k < m_; ++k) {
        gamma[k] = laws.is_nonlinear(k) ? laws.stiffest_compliance(k) : laws.gamma()[k];
        if (is_dropped(k) || laws[k].kind == RowKind::unilateral) {
            gamma[k] = 1.0;  // s = 0
            continue;
        }
        if (laws.is_nonlinear(k)) continue;
        by_increments.emplace_back(k, k, 1.0);
        if (laws.theta()[k] != 0.0) by_strains.emplace_back(k, k, laws.theta()[k]);
    }
    // Differences of the law alone: the slope that it gives is one for an iteration.
    const auto fourth = [&](const auto& f, double d) {
        for (int k = 0; k < kCloser; ++k, d *= kCloserBy) {
            const double up = f(d), down = f(-d), near = up - down;
            const double far = f(2.0 * d) - f(-2.0 * d);
            const double bend = up + down - 2.0 * f(0.0);
            if (std::abs(near - 0.5 * far) <= kCorner * std::abs(near) + kNoSlope &&
                std::abs(bend) <= kBendOfLaw * std::abs(near) + kNoSlope)
                return (8.0 * near - far) / (12.0 * d);
        }
        throw AdjointObstacle{
            fmt::format("t = {:.6g} s: a law of its rows has a corner", step.before.t)};
    };
    const auto size = [&](int k, double increment) {
        return kMoveOfStrain * std::max({std::abs(pi[k]),
                                         std::abs(pi[k] + increment),
                                         std::abs(increment),
                                         laws[k].compliance * std::abs(step.s[k]),
                                         1e-12});
    };
    const ItemLaws& together = laws.together();
    Eigen::VectorXd increments;
    for (const int k : laws.nonlinear()) {
        const double increment = data_.trial.Bdq[k] + rows.tau[k];
        if (together.holds(k)) {
            if (increments.size() == 0) increments.setZero(m_);
            increments[k] = increment;
            continue;
        }
        const double unit = laws.stiffest_compliance(k);
        const auto by_increment = [&](double d) {
            return laws.mean_stress(k, pi[k], increment + d, step.h).stress;
        };
        const auto by_strain = [&](double d) {
            return laws.mean_stress(k, pi[k] + d, increment, step.h).stress;
        };
        by_increments.emplace_back(k, k, unit * fourth(by_increment, size(k, increment)));
        by_strains.emplace_back(k, k, unit * fourth(by_strain, size(k, increment)));
    }
    for (const ItemLaws::Item& item : together.items()) {
        std::vector<StressMean> mean(m_);
        std::vector<double> D(together.num_slopes());
        const auto count = item.num_rows;
        const std::span<double> own(
            D.data() + item.first_slope,
            static_cast<std::size_t>(count) * static_cast<std::size_t>(count));
        Eigen::VectorXd at = pi;
        together.mean(item, at.data(), increments.data(), step.h, mean.data(), own);
        for (int i = 0; i < count; ++i)
            for (int j = 0; j < count; ++j) {
                const int row = item.first_row + i, by = item.first_row + j;
                // D is symmetric
                by_increments.emplace_back(
                    row, by, laws.stiffest_compliance(row) * own[j * count + i]);
            }
        double d = 0.0;
        for (int k = item.first_row; k < item.first_row + count; ++k)
            d = std::max(d, size(k, increments[k]));
        for (int j = 0; j < count; ++j) {
            const int by = item.first_row + j;
            const auto stresses = [&](double move) {
                at[by] = pi[by] + move;
                together.mean(item, at.data(), increments.data(), step.h, mean.data(), own);
                at[by] = pi[by];
                Eigen::VectorXd out(count);
                for (int i = 0; i < count; ++i) out[i] = mean[item.first_row + i].stress;
                return out;
            };
            const Eigen::VectorXd near = stresses(d) - stresses(-d);
            const Eigen::VectorXd far = stresses(2.0 * d) - stresses(-2.0 * d);
            for (int i = 0; i < count; ++i) {
                const int row = item.first_row + i;
                by_strains.emplace_back(
                    row, by, laws.stiffest_compliance(row) * (8.0 * near[i] - far[i]) / (12.0 * d));
            }
        }
    }
}

}  // namespace ancora
