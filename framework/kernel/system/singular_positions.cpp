// SPDX-License-Identifier: BSD-3-Clause
// Pivots of the constraint rows along a trial.
#include "singular_positions.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "dense.hpp"

namespace ancora {
namespace {

// A value that falls to zero and rises again at a constant rate, sampled at three places of a
// trial: in the middle it is far below the mean of the ends, or at one end nearly zero.
constexpr double kSunk = 0.75;
constexpr double kBeside = 0.3;
bool vanishes(double begin, double middle, double end) {
    const auto [low, high] = std::minmax({begin, middle, end});
    return middle < kSunk * 0.5 * (begin + end) || low <= kBeside * (high - low);
}
// The search: places on either side of the middle, at first over the whole trial, and the part of
// its value at the ends that counts as zero.
constexpr int kPlaces = 4;
constexpr int kRounds = 3;
constexpr double kFirstSpacing = 0.125;
constexpr double kNothing = 0.03;
constexpr double kFewPieces = 3.0;
constexpr std::size_t kMostPositions = 10'000;
// The test between states: number of rows up to which it is done, as the sign is found densely; the
// part of the distance to zero after which it is repeated, at most this rotation of a body or part
// of the model's size; and the decay of the fastest rate from test to test.
constexpr int kMostWatched = 400;
constexpr double kSoon = 0.25;
constexpr double kFarthest = 0.1;
constexpr double kForgotten = 0.97;
// A rate may be as many times the fastest.
constexpr double kFaster = 2.0;
// A volume that counts as zero: such a state is singular itself.
constexpr double kSingular = 1e-9;
constexpr double kMostLogarithm = 300.0;
// An unknown rate: of rows that have just been selected, as beside a singular position.
constexpr double kAnyRate = 1e300;

}  // namespace

/// Models are tested that have two constraint rows or more, of which some Jacobian changes.
SingularPositions::SingularPositions(Assembly& parts, const MotionState& state)
    : parts_(parts), state_(state) {
    q_.setZero(parts.n);
    const auto count = std::ranges::count_if(parts.rows.laws, [](const RowLaw& law) {
        return RowLaws::is_constraint(law);
    });
    is_watching_ = count > 1 && count <= kMostWatched && !parts.moving_blocks.empty();
    if (!is_watching_) return;
    last_.q.setZero(parts.n);
    last_.A.setZero(parts.rows.B.size());
}

void SingularPositions::forget() {
    all_.clear();
    until_ = -1.0;
    jumped_ = -1;
    last_.looks = 0;
    last_.due = 0.0;
}

void SingularPositions::prepare() {
    if (!is_watching_) return;
    try {
        parts_.rows.evaluate(state_.q.data(), state_.v.data(), state_.t, instant_);
        lay_out(dropped_rows());
        begin_at_present();
    } catch (const Error&) {
        last_.looks = 0;  // without values there is nothing to look at yet
    }
}

bool SingularPositions::nears(const StepTrial& trial) {
    const auto is_constraint = [&](int b) {
        const auto laws = parts_.rows.blocks[b].block->laws;
        return std::any_of(laws.begin(), laws.end(), [](const RowLaw& law) {
            return RowLaws::is_constraint(law);
        });
    };
    comes_to_nothing_ = false;
    if (std::ranges::none_of(parts_.moving_blocks, is_constraint)) return false;
    try {
        return looks_singular(trial);
    } catch (const Error&) {
        // Where rows have no values the trial fails, and the step reports it.
        return false;
    }
}

/// The same where some constraint's Jacobian moves.
bool SingularPositions::looks_singular(const StepTrial& trial) {
    // Integrators of the continuous formulation drop no rows; their rank is that of the start.
    if (parts_.model.traits.face == Face::continuous)
        parts_.rows.evaluate(state_.q.data(), state_.v.data(), trial.t0, instant_);
    const std::vector<int> dropped = dropped_rows();
    // Pivots p_j of the unit rows kept, sorted, at q_0 + part h (v_0 + h/2 a): the chord of the
    // trial.
    const auto pivots_at = [&](double part) {
        for (int i = 0; i < parts_.n; ++i)
            q_[i] = state_.q[i] + part * trial.h * (state_.v[i] + 0.5 * trial.h * trial.a[i]);
        parts_.rows.evaluate(q_.data(), state_.v.data(), trial.t0 + part * trial.h, instant_);
        return independence(parts_.rows, instant_.A, parts_.mass, dropped);
    };
    const std::vector<double> pivots[3] = {pivots_at(0.0), pivots_at(0.5), pivots_at(1.0)};
    // The volume that the rows span is smooth, whereas pivots have slope discontinuities where
    // their order changes; but it falls with a power of the distance where many vanish at once. V =
    // prod_j p_j / max p_j at the two ends and in the middle.
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
    // Whether it falls to zero: refined search around its least value.
    const auto k = static_cast<std::size_t>(vanishing);
    // Search by refined sampling: 2 kPlaces + 1 places about the least, whose spacing falls by
    // kPlaces in each round, down to 1/128 of the trial.
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
    // A position close by disturbs a step as well, but is no event.
    return true;
}

/// Dropped rows of steps; integrators of the continuous formulation drop none, and theirs are the
/// dependent ones at the state evaluated last.
std::vector<int> SingularPositions::dropped_rows() {
    if (parts_.model.traits.face == Face::discrete) return parts_.rows.dropped();
    return dependent_rows(parts_.rows, instant_.A, parts_.mass, {});
}

void SingularPositions::record(double t0, double t1, bool continues) {
    // Positions through which the motion continues are detected between the states.
    if (continues && (is_watching_ || !comes_to_nothing_)) return;
    if (!continues && jumped_ < 0 && parts_.model.traits.face == Face::discrete)
        state_.a.cwiseAbs().maxCoeff(&jumped_);
    // Steps before and after one detect it too.
    if (!all_.empty() && t0 <= std::max(until_, all_.back().t) + kFewPieces * (t1 - t0))
        all_.back().continues &= continues;
    else
        add({t1, continues});
    until_ = t1;
}

void SingularPositions::add(const Passed& position) {
    if (all_.size() < kMostPositions) all_.push_back(position);
}

void SingularPositions::follow() {
    if (!is_watching_) return;
    // V needs at least the distance V / |dV/ds| to reach zero; it is not evaluated before a part of
    // that.
    q_ = state_.q - last_.q;
    const double way = turned();
    if (last_.looks > 0 && (way == 0.0 || way < last_.due)) return;
    try {
        look(way);
        // The last values of plugins are those of the state.
        parts_.rows.evaluate(state_.q.data(), state_.v.data(), state_.t, instant_);
    } catch (const Error&) {
        // Rows have no values between the states, where no step has evaluated them.
        last_.looks = 0;
    }
}

/// The largest turn of a direction, or displacement as a part of the model's size, in q_.
double SingularPositions::turned() const {
    double largest = 0.0;
    for (const Space::Vector& vector : parts_.space.vectors()) {
        double square = 0.0;
        for (const int i : vector.at)
            if (i >= 0) square += q_[i] * q_[i];
        const double size = vector.translates ? std::max(state_.extent, 1e-300) : 1.0;
        largest = std::max(largest, std::sqrt(square) / size);
    }
    return largest;
}

void SingularPositions::look(double way) {
    parts_.rows.evaluate(state_.q.data(), state_.v.data(), state_.t, instant_);
    if (!is_laid_out_) lay_out(laid_out_for_);
    if (last_.looks == 0) return begin_at_present();
    // V = (det C C^T)^1/2 of the unit rows kept, in units of that at the first test.
    const double now = volume();
    if (now <= kSingular) {
        // Exactly there: behind it the sign tells.
        last_.due = 0.0;
    } else {
        // |dV| / distance and its decaying maximum. V can have been zero in between only if V_0 +
        // V_1 <= rate distance.
        const double rate = std::abs(now - last_.volume) / way;
        const bool is_new = last_.fastest == kAnyRate;
        last_.fastest = is_new ? rate : std::max(rate, kForgotten * last_.fastest);
        const bool may_be = is_new || now + last_.volume <= kFaster * last_.fastest * way;
        bool is_other_choice = false;
        // A sign has changed: of all rows, and the position is singular, or of the kept ones alone,
        // and others of the redundant rows have to be kept from here on.
        if (const int passed = may_be ? num_passed(laid_out_for_) : 0; passed > 0) {
            const double part = least_place();
            if (vanish_together(part)) {
                const double t = last_.t + part * (state_.t - last_.t);
                if (all_.empty() || all_.back().continues || t > until_) add({t, true});
            } else {
                is_other_choice = true;
            }
        }
        if (is_other_choice) {
            lay_out(dropped_rows());
            begin_at_present();
            last_.fastest = kAnyRate;
            return;
        }
        ++last_.looks;
        last_.volume = now;
        last_.t = state_.t;
        last_.q = state_.q;
        last_.A = instant_.A;
        // The next test: after a part of V / rate, the distance to zero at the fastest rate.
        last_.due = kFarthest;
        if (last_.fastest > 0.0) last_.due = std::min(last_.due, kSoon * now / last_.fastest);
    }
    if (parts_.model.traits.face != Face::discrete || laid_out_for_ == parts_.rows.dropped())
        return;
    lay_out(parts_.rows.dropped());
    begin_at_present();
    last_.fastest = kAnyRate;
}

/// First test of the rows as laid out, unless they are dependent.
void SingularPositions::begin_at_present() {
    const double logarithm = volume_.logarithm(instant_.A);
    last_.looks = std::isfinite(logarithm) ? 1 : 0;
    last_.due = last_.fastest = 0.0;
    last_.unit = logarithm;
    last_.volume = 1.0;
    last_.t = state_.t;
    last_.q = state_.q;
    last_.A = instant_.A;
}

void SingularPositions::lay_out(const std::vector<int>& dropped) {
    laid_out_for_ = dropped;
    volume_.lay_out(parts_.rows, instant_.A, parts_.mass, laid_out_for_);
    is_laid_out_ = true;
}

/// At the state evaluated last.
double SingularPositions::volume() {
    // exp of a difference of logarithms: the product of hundreds of pivots would underflow.
    return std::exp(std::min(volume_.logarithm(instant_.A) - last_.unit, kMostLogarithm));
}

/// Negative eigenvalues of (1) from the last test to the state evaluated last.
int SingularPositions::num_passed(const std::vector<int>& dropped) const {
    // C_0 and C_1, transposed: rows A_k M^-1/2 of unit length as columns, by the diagonal of M.
    const ScaledRows before(parts_.rows, last_.A, parts_.mass);
    const ScaledRows after(parts_.rows, instant_.A, parts_.mass);
    std::vector<int> kept;
    for (std::size_t c = 0; c < before.chosen.size(); ++c)
        if (before.length[c] > 0.0 && after.length[c] > 0.0 &&
            !std::ranges::binary_search(dropped, before.chosen[c]))
            kept.push_back(static_cast<int>(c));
    const auto take = [&](const Eigen::SparseMatrix<double>& columns) {
        Eigen::MatrixXd out(columns.rows(), static_cast<Eigen::Index>(kept.size()));
        for (std::size_t c = 0; c < kept.size(); ++c)
            out.col(static_cast<Eigen::Index>(c)) = columns.col(kept[c]);
        return out;
    };
    // C_0^+ C_1 by least squares. With C_1 = C_0 it is I; its determinant passes zero where a
    // singular value does, hence a real eigenvalue changes its sign.
    const Eigen::MatrixXd change = least_squares(take(before.columns), take(after.columns));
    if (!change.allFinite()) return 0;
    const Eigen::VectorXcd values = eigenvalues_of(change);
    return static_cast<int>(std::ranges::count_if(values, [](const std::complex<double>& x) {
        return x.real() < 0.0;
    }));
}

/// The part of the chord from the last test to the state at which the rows in use span the least
/// volume.
double SingularPositions::least_place() {
    // As in looks_singular(), by V along the chord from the last test.
    double at = 0.5;
    double least = std::numeric_limits<double>::infinity();
    double spacing = kFirstSpacing;
    for (int round = 0; round < kRounds; ++round) {
        const double center = at;
        for (int j = -kPlaces; j <= kPlaces; ++j) {
            const double place = std::clamp(center + j * spacing, 0.0, 1.0);
            go_to(place);
            const double here = volume();
            if (here >= least) continue;
            least = here;
            at = place;
        }
        spacing /= kPlaces;
    }
    return at;
}

/// Evaluates the rows at a part of that chord.
void SingularPositions::go_to(double part) {
    q_ = last_.q + part * (state_.q - last_.q);
    parts_.rows.evaluate(
        q_.data(), state_.v.data(), last_.t + part * (state_.t - last_.t), instant_);
}

/// Whether it is all rows that become dependent at this part of the way from the last look, not
/// only those in use: then others that are independent there change no sign.
bool SingularPositions::vanish_together(double part) {
    if (laid_out_for_.empty()) {
        parts_.rows.evaluate(state_.q.data(), state_.v.data(), state_.t, instant_);
        return true;
    }
    go_to(part);
    const auto least = [this] {
        return independence(parts_.rows, instant_.A, parts_.mass, laid_out_for_).front();
    };
    const std::vector<int> others = dependent_rows(parts_.rows, instant_.A, parts_.mass, {});
    // Off the manifold, dependent rows are a little independent: then the least pivot has to tell.
    const double there = least();
    go_to(0.0);
    const double before = least();
    go_to(1.0);
    if (others.size() == laid_out_for_.size()) return num_passed(others) > 0;
    return others.size() > laid_out_for_.size() || there <= kBeside * std::max(before, least());
}

}  // namespace ancora
