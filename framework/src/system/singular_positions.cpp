// SPDX-License-Identifier: BSD-3-Clause
// Pivots of the constraint rows along a trial.
#include "singular_positions.hpp"

#include <algorithm>
#include <cmath>

namespace ancora {
namespace {

// What falls to zero and rises again at a constant rate, seen at three places of a trial: in the
// middle it is far below the mean of the ends, or at one end next to nothing.
constexpr double kSunk = 0.75;
constexpr double kBeside = 0.3;
bool vanishes(double begin, double middle, double end) {
    const auto [low, high] = std::minmax({begin, middle, end});
    return middle < kSunk * 0.5 * (begin + end) || low <= kBeside * (high - low);
}
// The search: places on either side of the middle, at first over the whole trial, and the part of
// its value at the ends that counts as nothing.
constexpr int kPlaces = 4;
constexpr int kRounds = 3;
constexpr double kFirstSpacing = 0.125;
constexpr double kNothing = 0.03;
constexpr double kFewPieces = 3.0;
constexpr std::size_t kMostPositions = 10'000;

}  // namespace

bool SingularPositions::nears(const StepTrial& trial) {
    const auto is_constraint = [&](int b) {
        const auto laws = parts_.rows.blocks[static_cast<std::size_t>(b)].block->laws;
        return std::any_of(laws.begin(), laws.end(), [](const RowLaw& law) {
            return RowLaws::is_constraint(law);
        });
    };
    comes_to_nothing_ = false;
    if (std::ranges::none_of(parts_.moving_blocks, is_constraint)) return false;
    try {
        return looks_singular(trial);
    } catch (const Error&) {
        // Where rows have no values a trial fails for that, and the step says so.
        return false;
    }
}

/// The same where some constraint's Jacobian moves.
bool SingularPositions::looks_singular(const StepTrial& trial) {
    // Integrators of the continuous face leave no rows out; their rank is that of the start.
    std::vector<int> left_out = parts_.rows.left_out();
    if (parts_.model.traits.face == Face::continuous) {
        parts_.rows.evaluate(state_.q.data(), state_.v.data(), trial.t0, instant_);
        left_out = dependent_rows(parts_.rows, instant_.A, parts_.mass, {});
    }
    const auto pivots_at = [&](double part) {
        for (int i = 0; i < parts_.n; ++i)
            q_[i] = state_.q[i] +
                    part * trial.h *
                        (state_.v[i] + 0.5 * trial.h * trial.a[static_cast<std::size_t>(i)]);
        parts_.rows.evaluate(q_.data(), state_.v.data(), trial.t0 + part * trial.h, instant_);
        return independence(parts_.rows, instant_.A, parts_.mass, left_out);
    };
    const std::vector<double> pivots[3] = {pivots_at(0.0), pivots_at(0.5), pivots_at(1.0)};
    // The volume that the rows span has no kinks, as pivots have where their order changes; but it
    // falls with a power of the distance where many vanish at once.
    double volume[3] = {1.0, 1.0, 1.0};
    int vanishing = -1;
    for (std::size_t k = 0; k < pivots[0].size(); ++k) {
        if (vanishing < 0 && vanishes(pivots[0][k], pivots[1][k], pivots[2][k]))
            vanishing = static_cast<int>(k);
        const double most = std::max({pivots[0][k], pivots[1][k], pivots[2][k]});
        for (int place = 0; place < 3 && most > 0.0; ++place)
            volume[place] *= pivots[place][k] / most;
    }
    if (vanishing < 0 || !vanishes(volume[0], volume[1], volume[2])) return false;
    // Does it come down to nothing? Looked for around its least value, ever closer.
    const auto k = static_cast<std::size_t>(vanishing);
    const double ends = std::max(pivots[0][k], pivots[2][k]);
    double at = 0.5;
    double least = ends;
    double spacing = kFirstSpacing;
    for (int round = 0; round < kRounds; ++round) {
        const double center = at;
        for (int j = -kPlaces; j <= kPlaces; ++j) {
            const double place = std::clamp(center + j * spacing, 0.0, 1.0);
            const double here = pivots_at(place)[k];
            if (here >= least) continue;
            least = here;
            at = place;
        }
        if (least <= kNothing * ends) {
            comes_to_nothing_ = true;
            break;
        }
        spacing /= kPlaces;
    }
    // Close by is as bad for a step, if not worth an event.
    return true;
}

void SingularPositions::record(double t0, double t1, bool continues) {
    if (continues && !comes_to_nothing_) return;
    // Steps before and behind one notice it too.
    if (!all_.empty() && t0 <= until_ + kFewPieces * (t1 - t0)) {
        all_.back().continues &= continues;
    } else if (all_.size() < kMostPositions) {
        all_.push_back({t1, continues});
    }
    until_ = t1;
}

}  // namespace ancora
