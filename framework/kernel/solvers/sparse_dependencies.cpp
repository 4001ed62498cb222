// SPDX-License-Identifier: BSD-3-Clause
// Rank of a sparse island's rows and masses: dependencies and null directions.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "dense.hpp"
#include "island_limits.hpp"
#include "sparse_island.hpp"

namespace ancora {
namespace {

// Islands up to this size are analysed densely, in a tenth of a second.
constexpr int kMostAnalysedDensely = 1000;
// Rows are chosen densely up to this size where that may be due at every step.
constexpr int kMostChosenDensely = 400;
// Rows are looked at one by one where combinations of them are this small, squared.
constexpr double kSuspectSquare = 1e-11;
// Iteration tells directions that are not determined apart from those that light bodies hold down
// to this only, since +delta weighs on both.
constexpr double kDoubtful = 1e-6;
constexpr int kInverseIterations = 4;
// Entries of a null vector below this are rounding.
constexpr double kPartOf = 1e-12;
// A combination of rows that leaves more than this of them does not vanish.
constexpr double kVanishes = 1e-6;
// A row whose pivot is below this, in units of delta, may depend on others.
constexpr double kSuspiciousPivot = 1e4;

}  // namespace

/// Inverse iteration on K, whose +delta makes a direction without mass and rows the longest.
bool SparseIsland::has_null_direction() {
    if (!is_factorised_) {
        DenseIsland& dense = factorised_dense();
        if (dense.status() != Status::undetermined) return false;
        null_direction_ = dense.null_direction();
        return true;
    }
    r_.setZero();
    x_.setZero();
    // Signs alternate, so that the start is unlikely to be orthogonal to the null direction.
    int sign = 1;
    for (const int i : mass_.vanished()) x_[i] = (sign = -sign) / weight_[i];
    // x := K^-1 (W^2 x, 0), normalised in |x|_W: grows towards the direction
    // in which mass and rows together resist least.
    for (int pass = 0; pass < kInverseIterations; ++pass) {
        x_ /= mass_norm(x_);
        f_ = weight_.cwiseAbs2().cwiseProduct(x_);
        solve_once(f_, r_, x_, lambda_);
    }
    x_ /= mass_norm(x_);
    // x . M x + sum (a_k . x)^2 with rows of unit length in the coordinates w_i x_i
    multiply_mass(x_, dx_);
    double square = x_.dot(dx_);
    for (int k = 0; k < m_; ++k) {
        double product = 0.0;
        double length = 0.0;
        const auto [begin, end] = entries(k);
        for (int e = begin; e < end; ++e) {
            const int i = pattern_.column[e];
            const double a = A_[e];
            product += a * x_[i];
            length += (a / weight_[i]) * (a / weight_[i]);
        }
        if (length > 0.0) square += product * product / length;
    }
    null_direction_ = x_.normalized();
    // Clearly one, or clearly none; or the island is too large to ask orthogonal factors.
    if (square < kUndetermined || square > kDoubtful || n_ + m_ > kMostAnalysedDensely)
        return square < kUndetermined;
    DenseIsland& dense = factorised_dense();
    if (dense.status() != Status::undetermined) return false;
    null_direction_ = dense.null_direction();
    return true;
}

/// Rows that depend on others, and how.
struct SparseIsland::Dependencies {
    double smallest_kept = 1.0;  // distances of scaled rows from the span of others
    double largest_dropped = 0.0;
    bool is_near_threshold = false;
    std::vector<Eigen::VectorXd> null_vectors;  // over scaled rows, one for each redundant row
    std::vector<int> rows;                      // these, each the last that was taken out
};

/// Rows whose pivots are of the order of delta, taken as large so that these are no rounding: they
/// may depend on others, all found at once.
std::vector<int> SparseIsland::suspicious_pivots() {
    std::vector<int> out;
    enter(Mode::dependent);
    for (int k = 0; k < m_ && is_factorised_; ++k)
        if (is_dropped_[k] == 0 && row_pivot(k) < kSuspiciousPivot * delta_) out.push_back(k);
    return out;
}

/// A row of each combination of scaled rows that may vanish; empty if there is none. Found by
/// inverse iteration, one at a time but for rows without entries, and where a pivot vanishes.
std::vector<int> SparseIsland::suspects(double& least_square) {
    std::vector<int> out;
    // A row without entries is a combination by itself.
    for (int k = 0; k < m_; ++k)
        if (!is_used(k) && is_dropped_[k] == 0) out.push_back(k);
    if (!out.empty() || m_ == 0) return out;
    if (mode_ == Mode::dependent) enter(Mode::motion_only);
    if (!is_factorised_) return suspicious_pivots();
    // No symmetry of the model is orthogonal to such a start.
    for (int k = 0; k < m_; ++k) row_work_[k] = is_used(k) ? 1.0 + 0.5 * std::sin(1.0 + k) : 0.0;
    // Inverse iteration on S = B B^T + delta: K (x, mu') = (0, -mu) gives mu' = S^-1 mu.
    // Its largest entry belongs to a row without which the combination is no longer one.
    for (int pass = 0; pass < kInverseIterations; ++pass) {
        row_work_ /= row_work_.norm();
        work_.setZero();
        const int* at = order_->new_of_old.data();
        for (int k = 0; k < m_; ++k) work_[at[n_ + k]] = -row_work_[k];
        order_->factor.solve(work_.data());
        for (int k = 0; k < m_; ++k) row_work_[k] = work_[at[n_ + k]];
    }
    least_square = 1.0 / row_work_.norm();  // s^2 + delta
    if (least_square > kSuspectSquare) return out;
    Eigen::Index largest = 0;
    row_work_.cwiseAbs().maxCoeff(&largest);
    out.push_back(static_cast<int>(largest));
    return out;
}

/// Suspects are taken out until the rows that are left have none; then each of them is measured by
/// its distance from the span of the others and of those of them that were found independent.
SparseIsland::Dependencies SparseIsland::find_dependencies() {
    Dependencies out;
    const Mode mode = mode_;
    // In the order of the pattern, whatever order serves solutions.
    Order* const order = order_;
    if (order != orders_.front().get()) {
        take_order({});
        assemble();
    }
    std::vector<int> kept(static_cast<std::size_t>(m_));
    std::iota(kept.begin(), kept.end(), 0);
    std::vector<int> taken;
    std::unique_ptr<SparseIsland> rest;
    double least_square = 1.0;
    std::vector<int> found = suspicious_pivots();
    if (found.empty()) found = suspects(least_square);
    // `found` counts in the numbers of `rest`, kept[...] in those of this island.
    for (; !found.empty(); found = rest->suspects(least_square)) {
        for (const int k : found) taken.push_back(kept[k]);
        for (const int k : found) kept[k] = -1;
        std::erase(kept, -1);
        rest = restricted_to(kept);
        least_square = 1.0;
    }
    const bool is_other_order = order_ != order;
    if (is_other_order) {
        order_ = order;
        assemble();
    }
    if (is_other_order || mode_ != mode) enter(mode);
    std::sort(taken.begin(), taken.end());
    out.smallest_kept = std::sqrt(least_square);

    if (rest != nullptr) measure(taken, *rest, kept, out);
    return out;
}

/// Measures rows by their distance from the span of those of `rest`, which are `kept` of this
/// island, and of those among them that were found independent.
void SparseIsland::measure(const std::vector<int>& rows,
                           SparseIsland& rest,
                           const std::vector<int>& kept,
                           Dependencies& out) const {
    // Part of M^-1 a that other rows leave, and how it is made of rows.
    struct Candidate {
        int row;
        Eigen::VectorXd x, combination;
        double distance = 0.0;
    };
    std::vector<Candidate> candidates;
    Eigen::VectorXd Mx(n_);
    const auto distance_of = [&](const Eigen::VectorXd& x) {
        multiply_mass(x, Mx);
        return std::sqrt(std::max(0.0, x.dot(Mx)));
    };
    for (const int k : rows) {
        // M x = a + A_rest^T lambda, A_rest x = 0 with the scaled row a
        // With scaled rows a_k and B_r those of `rest`: x = L^-T (1 - B_r^+ B_r) L^-1 a_k,
        // |x|_M its distance from their span, and M x = a_k + sum_i lambda_i a_i,
        // which is zero for a dependent row.
        Candidate one{k, Eigen::VectorXd::Zero(n_), Eigen::VectorXd::Zero(m_)};
        if (length_[k] > 0.0) {
            const auto [begin, end] = entries(k);
            rest.f_.setZero();
            for (int e = begin; e < end; ++e) rest.f_[pattern_.column[e]] += A_[e] / length_[k];
            rest.r_.setZero();
            rest.do_solve();
            one.x = rest.x_;
            for (std::size_t i = 0; i < kept.size(); ++i)
                one.combination[kept[i]] =
                    rest.lambda_[static_cast<Eigen::Index>(i)] * length_[kept[i]];
        }
        one.combination[k] = 1.0;
        one.distance = distance_of(one.x);
        candidates.push_back(std::move(one));
    }
    // The farthest first: taken in any order, rounding of those close to the others, made as long
    // as they, would make independent what is not.
    std::vector<char> is_done(candidates.size(), 0);
    // Gram-Schmidt in the inner product x . M y with pivots, on vectors from which the span of
    // `rest` is taken out already: the pivots of Q R on the rows that are in question.
    for (;;) {
        std::size_t farthest = candidates.size();
        for (std::size_t i = 0; i < candidates.size(); ++i)
            if (is_done[i] == 0 && (farthest == candidates.size() ||
                                    candidates[i].distance > candidates[farthest].distance))
                farthest = i;
        if (farthest == candidates.size()) break;
        Candidate& one = candidates[farthest];
        if (!(one.distance > kRankThreshold)) break;
        is_done[farthest] = 1;
        out.is_near_threshold |= one.distance < kNearHigh;
        out.smallest_kept = std::min(out.smallest_kept, one.distance);
        one.x /= one.distance;
        one.combination /= one.distance;
        multiply_mass(one.x, Mx);
        // x_i -= (x_i . M x) x, and the same of the numbers by which x_i is made of rows
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            if (is_done[i] != 0) continue;
            const double share = candidates[i].x.dot(Mx);
            candidates[i].x -= share * one.x;
            candidates[i].combination -= share * one.combination;
        }
        for (std::size_t i = 0; i < candidates.size(); ++i)
            if (is_done[i] == 0) candidates[i].distance = distance_of(candidates[i].x);
    }
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        // M x_i = 0 to the threshold: `combination` is a null vector of A_s^T.
        if (is_done[i] != 0) continue;
        Candidate& one = candidates[i];
        // Distances in the norm of M say nothing of rows on directions without mass.
        if (mass_.is_singular() && !vanishes(one.combination)) continue;
        out.is_near_threshold |= one.distance > kNearLow;
        out.largest_dropped = std::max(out.largest_dropped, one.distance);
        out.null_vectors.push_back(one.combination.normalized());
        out.rows.push_back(one.row);
    }
}

/// Whether a combination of scaled rows is zero, coordinate by coordinate, beside its terms.
bool SparseIsland::vanishes(const Eigen::VectorXd& combination) const {
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(n_), terms = sum;
    for (int k = 0; k < m_; ++k) {
        if (combination[k] == 0.0 || !(length_[k] > 0.0)) continue;
        const auto [begin, end] = entries(k);
        for (int e = begin; e < end; ++e) {
            const double term = combination[k] * A_[e] / length_[k];
            sum[pattern_.column[e]] += term;
            terms[pattern_.column[e]] += std::abs(term);
        }
    }
    return sum.cwiseQuotient(weight_).norm() <= kVanishes * terms.cwiseQuotient(weight_).norm();
}

/// Decides which rows are left out from now on: those whose pivots are of the order of delta, taken
/// as large so that these are no rounding, and one of each combination that then still vanishes, as
/// far as they are found to depend on the others. They are measured if they are not those of the
/// last choice.
void SparseIsland::choose_rows() {
    // Pivots beside what +delta holds down in M are rounded by far more than those that tell
    // dependent rows, and row lengths end where there is no mass.
    if (mass_.is_singular() && n_ + m_ <= kMostChosenDensely) {
        is_dense_current_ = false;
        dense().choose_local(M_, A_, wants_least_, *choice_);
        return;
    }
    std::vector<int> taken;
    if (choice_->suspects.empty()) {
        enter(Mode::independent);
        // A pivot may be none at all where a row is an exact combination of others.
        if (!is_factorised_ ||
            (m_ > 0 && (smallest_pivot() < kSuspiciousPivot * delta_ || length_.minCoeff() <= 0.0)))
            enter(Mode::dependent);
    } else {
        enter(Mode::dependent);
    }
    if (!is_factorised_) return;
    for (int k = 0; k < m_ && mode_ == Mode::dependent; ++k)
        if (row_pivot(k) < kSuspiciousPivot * delta_) taken.push_back(k);
    // Beside far heavier matter independent rows look suspicious too, at every state.
    const bool is_told_anew = !taken.empty() && has_far_heavier_rows();
    if (is_told_anew && n_ + m_ <= kMostChosenDensely) {
        is_dense_current_ = false;
        dense().choose_local(M_, A_, wants_least_, *choice_);
        choice_->suspects = taken;
        return;
    }
    if (taken == choice_->suspects && !taken.empty() && !wants_least_ && !is_told_anew &&
        keeps_choice())
        return;
    std::vector<int> found = taken;
    while (!found.empty()) {
        // All that look suspicious go out first, then one of each combination
        // that is left. What goes out without need comes back when it is measured:
        // independent of the others, it is kept.
        for (const int k : found) is_dropped_[k] = 1;
        if (is_augmented_ && !factorise_mass()) return;
        assemble();
        enter(Mode::independent);
        if (!is_factorised_) return;
        double least_square = 1.0;
        found = suspects(least_square);
        taken.insert(taken.end(), found.begin(), found.end());
    }
    // The same suspects as at the last choice have the same part in it, unless their null
    // vectors are wanted at this state or far heavier matter makes rows look alike.
    const bool is_known =
        taken == choice_->suspects && (!wants_least_ || taken.empty()) && !is_told_anew;
    if (is_known) {
        choice_->is_made = true;
        return;
    }
    choice_->take();
    choice_->suspects = taken;
    if (taken.empty()) return;
    choice_->is_made = false;
    // Distances in the norm of M say little beside directions without mass.
    if (mass_.is_singular() && n_ + m_ <= kMostAnalysedDensely) {
        is_dense_current_ = false;
        dense().choose_local(M_, A_, wants_least_, *choice_);
        choice_->suspects = taken;
        return;
    }
    std::vector<int> all(static_cast<std::size_t>(m_));
    std::iota(all.begin(), all.end(), 0);
    Dependencies dependencies;
    // Of the suspects, the greatest number that is independent of the rest and of each other stays.
    measure(taken, *this, all, dependencies);
    for (const int k : dependencies.rows) choice_->is_dropped[k] = 1;
    choice_->count = static_cast<int>(dependencies.rows.size());
    choice_->length = length_;
    if (wants_least_) choice_->null = blocks_of(dependencies.null_vectors);
    choice_->is_made = is_factorised_;
}

/// Those of the choice: independent, their pivots are small for where they stand. None if it would
/// take too much to let them wait.
std::vector<int> SparseIsland::kept_suspects() const {
    std::vector<int> out;
    for (const int k : choice_->suspects)
        if (choice_->is_dropped[k] == 0) out.push_back(k);
    std::ranges::sort(out);
    if (!may_wait(out)) out.clear();
    return out;
}

/// Takes the last choice again, of which the suspects are the same, if the rows that it keeps have
/// no combination that vanishes: then those without the suspects have none either. The factors are
/// those that serve solutions.
bool SparseIsland::keeps_choice() {
    is_dropped_ = choice_->is_dropped;
    if (!is_augmented_ || factorise_mass()) {
        take_order(kept_suspects());
        assemble();
        enter(Mode::independent);
        double least_square = 1.0;
        if (is_factorised_ && suspects(least_square).empty() && mode_ == Mode::independent) {
            choice_->is_made = true;
            return true;
        }
    }
    // All rows again, in the order of the pattern.
    std::ranges::fill(is_dropped_, 0);
    take_order({});
    return false;
}

/// The island with these rows only, factorised.
std::unique_ptr<SparseIsland> SparseIsland::restricted_to(const std::vector<int>& rows) const {
    IslandPattern pattern = pattern_;
    pattern.rows.clear();
    pattern.column.clear();
    pattern.entry_from.clear();
    pattern.row_start.assign(1, 0);
    std::vector<double> A;
    for (const int k : rows) {
        pattern.rows.push_back(pattern_.rows[k]);
        const auto [begin, end] = entries(k);
        for (int e = begin; e < end; ++e) {
            pattern.column.push_back(pattern_.column[e]);
            pattern.entry_from.push_back(static_cast<int>(A.size()));
            A.push_back(A_[e]);
        }
        pattern.row_start.push_back(static_cast<int>(A.size()));
    }
    // The masses are those of this island, in its order.
    std::iota(pattern.mass_from.begin(), pattern.mass_from.end(), 0);
    auto out = std::make_unique<SparseIsland>(std::move(pattern));
    out->factorise(M_, A, true, RankUse::decide, 0);
    return out;
}

void SparseIsland::add_rank(RankAnalysis& out) {
    if (n_ + m_ <= kMostAnalysedDensely || !is_factorised_) {
        factorised_dense().add_rank(out);
        return;
    }
    const Dependencies found = find_dependencies();
    const int rank = m_ - static_cast<int>(found.null_vectors.size());
    out.num_rows += m_;
    out.rank += rank;
    if (rank > 0)
        out.smallest_kept = out.smallest_kept > 0.0
                                ? std::min(out.smallest_kept, found.smallest_kept)
                                : found.smallest_kept;
    out.largest_dropped = std::max(out.largest_dropped, found.largest_dropped);
    out.is_near_threshold |= found.is_near_threshold;
}

std::vector<NullBlock> SparseIsland::null_blocks() {
    if (n_ + m_ <= kMostAnalysedDensely || !is_factorised_) return factorised_dense().null_blocks();
    return blocks_of(find_dependencies().null_vectors);
}

std::vector<NullBlock> SparseIsland::blocks_of(const std::vector<Eigen::VectorXd>& vectors) const {
    // Vectors that share rows form a block.
    // The classes of "has a row in common"; block_of[v] is the first vector of the class of v.
    const std::size_t count = vectors.size();
    std::vector<std::size_t> block_of(count);
    std::iota(block_of.begin(), block_of.end(), std::size_t{0});
    std::vector<std::size_t> first_with(static_cast<std::size_t>(m_), count);
    for (std::size_t v = 0; v < count; ++v)
        for (int k = 0; k < m_; ++k) {
            if (std::abs(vectors[v][k]) < kPartOf) continue;
            std::size_t& first = first_with[k];
            if (first == count) first = v;
            if (block_of[first] != block_of[v])
                std::replace(block_of.begin(), block_of.end(), block_of[v], block_of[first]);
        }
    std::vector<NullBlock> out;
    for (std::size_t b = 0; b < count; ++b) {
        std::vector<std::size_t> members;
        for (std::size_t v = 0; v < count; ++v)
            if (block_of[v] == b) members.push_back(v);
        if (members.empty()) continue;
        NullBlock block;
        for (int k = 0; k < m_; ++k) {
            const std::size_t first = first_with[k];
            if (first < count && block_of[first] == b) block.rows.push_back(k);
        }
        Eigen::MatrixXd columns(block.rows.size(), members.size());
        for (Eigen::Index c = 0; c < columns.cols(); ++c)
            for (Eigen::Index k = 0; k < columns.rows(); ++k)
                columns(k, c) = vectors[members[c]][block.rows[k]];
        // Orthonormal, so that N N^T projects, as make_least() needs it.
        block.basis = orthonormal_basis(columns);
        out.push_back(std::move(block));
    }
    return out;
}

}  // namespace ancora
