// SPDX-License-Identifier: BSD-3-Clause
// Ordering, assembly, factorisation and refinement of a sparse island.
#include "sparse_island.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/OrderingMethods>
#include <Eigen/QR>
#include <Eigen/SparseCholesky>

namespace ancora {
namespace {

// A row's own diagonal relative to its Schur complement: small enough that long chains and loops,
// whose rows are nearly dependent, converge; large enough for pivots of dependent rows to be more
// than rounding.
constexpr double kRegularisation = 1e-11;
// A row's pivot this small may mean that it depends on others.
constexpr double kSuspectPivot = 1e-6;
// The smallest pivot of a scaled row exceeds the square of the least singular value by some factor.
constexpr double kPivotOverSquare = 100.0;
// Refinement ends when the next correction would be no more than this part of the solution.
constexpr double kConverged = 1e-15;
constexpr double kMultiplierConverged = 1e-10;
constexpr int kMostReductions = 3;
constexpr double kRounding = 1e-17;
constexpr int kMostRefinements = 12;
constexpr double kStalled = 0.5;
// Residuals of scaled rows above this part of their terms mean that rows contradict each other.
constexpr double kInconsistent = 1e-12;
// Projections end when they change no more than this part, or when all that is left of them is how
// much T falls short of 1.
constexpr double kProjected = 1e-15;
constexpr double kShortOfOne = 1e-4;
constexpr int kMostProjections = 30;
// Ranks of islands up to this size are decided densely, in a tenth of a second.
constexpr int kMostDenseAnalysis = 1000;
// As in the dense path.
constexpr double kRankThreshold = 1e-10;
constexpr double kNearLow = 1e-14;
constexpr double kNearHigh = 1e-8;
// An island without a convergent refinement goes to the dense path if it is no larger.
constexpr int kMostDense = 3000;
// Bodies up to this many coordinates are eliminated as one piece.
constexpr int kSmallBody = 24;
// Row lengths are taken with the mass matrix' diagonal alone where its factor would make them dear.
constexpr double kMostLengthWork = 100.0;  // per coordinate, row and entry
// A direction in which M and scaled rows are this small, squared, is not determined.
constexpr double kUndetermined = 1e-9;

}  // namespace

/// Eigen's L D L^T with access to its parts: our order needs no copy of the matrix, and its solve()
/// allocates.
class SparseIsland::Factor : public Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>,
                                                          Eigen::Upper,
                                                          Eigen::NaturalOrdering<int>> {
public:
    void analyse(const Eigen::SparseMatrix<double>& upper) {
        analyzePattern_preordered(upper, true);
    }
    bool factorise(const Eigen::SparseMatrix<double>& upper) {
        factorize_preordered<true>(upper);
        return m_info == Eigen::Success && m_diag.allFinite();
    }
    const Eigen::SparseMatrix<double>& L() const { return m_matrix; }
    const Eigen::VectorXd& D() const { return m_diag; }
};

SparseIsland::SparseIsland(IslandPattern pattern)
    : SolverIsland(std::move(pattern)), delta_(kRegularisation) {
    work_.setZero(n_ + m_);
    correction_.setZero(n_ + m_);
    extended_work_.assign(static_cast<std::size_t>(n_ + m_), 0.0L);
    for (Eigen::VectorXd* v : {&row_work_, &given_r_, &dlambda_, &lambda_before_}) v->setZero(m_);
    dx_.setZero(n_);
    build(false);
}

SparseIsland::~SparseIsland() = default;

void SparseIsland::build(bool is_augmented) {
    is_augmented_ = is_augmented;
    mass_pattern_ = pattern_.mass;
    local_rows_.clear();
    if (is_augmented) {
        // Rows within one body, whose coordinates then hang together in M.
        std::vector<int> body_of(static_cast<std::size_t>(n_), 0);
        for (const int first : pattern_.first_of_body)
            if (first > 0) ++body_of[static_cast<std::size_t>(first)];
        for (std::size_t i = 1; i < body_of.size(); ++i) body_of[i] += body_of[i - 1];
        for (int k = 0; k < m_; ++k) {
            const int* begin =
                pattern_.column.data() + pattern_.row_start[static_cast<std::size_t>(k)];
            const int* end =
                pattern_.column.data() + pattern_.row_start[static_cast<std::size_t>(k) + 1];
            const int body = body_of[static_cast<std::size_t>(*begin)];
            if (!std::all_of(begin, end, [&](int i) {
                    return body_of[static_cast<std::size_t>(i)] == body;
                }))
                continue;
            local_rows_.push_back(k);
            for (const int* i = begin; i < end; ++i)
                for (const int* j = begin; j <= i; ++j)
                    mass_pattern_.emplace_back(std::max(*i, *j), std::min(*i, *j));
        }
    }
    mass_ = EnvelopeCholesky(n_, mass_pattern_);
    find_reach();
    double cost = 0.0;
    for (const int i : reach_) cost += mass_.width(i);
    has_exact_lengths_ = cost <= kMostLengthWork * static_cast<double>(n_ + m_ + A_.size());
    if (!has_exact_lengths_) {
        mass_ = EnvelopeCholesky(n_, {});
        find_reach();
    }
    order();
    build_pattern();
    factor_ = std::make_unique<Factor>();
    factor_->analyse(K_);
    has_supernodes_ = false;
}

/// Which entries of L^-1 A_k^T may differ from zero.
void SparseIsland::find_reach() {
    reach_start_.assign(1, 0);
    reach_.clear();
    for (int k = 0; k < m_; ++k) {
        const auto [begin, end] = entries(k);
        const auto column = pattern_.column.begin();
        const std::vector<int> reached = mass_.reach({column + begin, column + end});
        reach_.insert(reach_.end(), reached.begin(), reached.end());
        reach_start_.push_back(static_cast<int>(reach_.size()));
    }
}

/// Orders groups (the coordinates of a small body with its own rows, the coordinates of a node, the
/// rows that tie the same groups) by minimum degree. A group of rows waits until the coordinates
/// before it leave room for twice as many rows, so that its pivots are Schur complements and not
/// the regularisation alone.
void SparseIsland::order() {
    const auto N = static_cast<std::size_t>(n_ + m_);
    std::vector<int> group(N, -1);
    std::vector<char> is_small;  // per coordinate group: a whole body
    const std::size_t num_bodies = pattern_.first_of_body.size();
    int num_groups = 0;
    for (std::size_t b = 0; b < num_bodies; ++b) {
        const int begin = pattern_.first_of_body[b];
        const int end = b + 1 < num_bodies ? pattern_.first_of_body[b + 1] : n_;
        const bool is_whole = end - begin <= kSmallBody;
        for (int i = begin; i < end; ++i) {
            group[static_cast<std::size_t>(i)] = num_groups;
            const bool ends_group = i + 1 == end || (!is_whole && (i - begin) % 3 == 2);
            if (!ends_group) continue;
            ++num_groups;
            is_small.push_back(is_whole ? 1 : 0);
        }
    }
    const int num_coordinate_groups = num_groups;
    std::vector<int> room(static_cast<std::size_t>(num_coordinate_groups), 0);
    for (int i = 0; i < n_; ++i)
        ++room[static_cast<std::size_t>(group[static_cast<std::size_t>(i)])];

    // Rows of one small body join it; others form a group with their predecessors if they tie the
    // same coordinate groups.
    std::vector<std::vector<int>> ties;  // of each row group
    std::vector<int> num_rows_in;
    std::vector<int> tied;
    for (int k = 0; k < m_; ++k) {
        tied.clear();
        for (int e = pattern_.row_start[static_cast<std::size_t>(k)];
             e < pattern_.row_start[static_cast<std::size_t>(k) + 1];
             ++e)
            tied.push_back(
                group[static_cast<std::size_t>(pattern_.column[static_cast<std::size_t>(e)])]);
        std::sort(tied.begin(), tied.end());
        tied.erase(std::unique(tied.begin(), tied.end()), tied.end());
        int& g = group[static_cast<std::size_t>(n_ + k)];
        if (tied.size() == 1 && is_small[static_cast<std::size_t>(tied.front())] != 0) {
            g = tied.front();
            --room[static_cast<std::size_t>(g)];
            continue;
        }
        if (ties.empty() || ties.back() != tied) {
            ties.push_back(tied);
            num_rows_in.push_back(0);
            ++num_groups;
        }
        g = num_groups - 1;
        ++num_rows_in.back();
    }

    std::vector<Eigen::Triplet<char>> edges;
    const auto connect = [&](int a, int b) {
        if (a == b) return;
        edges.emplace_back(a, b, char{1});
        edges.emplace_back(b, a, char{1});
    };
    for (const auto& [i, j] : mass_pattern_)
        connect(group[static_cast<std::size_t>(i)], group[static_cast<std::size_t>(j)]);
    for (std::size_t g = 0; g < ties.size(); ++g)
        for (const int other : ties[g]) connect(num_coordinate_groups + static_cast<int>(g), other);
    for (int g = 0; g < num_groups; ++g) edges.emplace_back(g, g, char{1});
    Eigen::SparseMatrix<char> graph(num_groups, num_groups);
    graph.setFromTriplets(edges.begin(), edges.end(), [](char, char) {
        return char{1};
    });
    Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> elimination;
    Eigen::AMDOrdering<int>()(graph, elimination);

    std::vector<int> sequence;
    std::vector<char> is_placed(static_cast<std::size_t>(num_groups), 0);
    std::vector<std::vector<int>> waiting(static_cast<std::size_t>(num_coordinate_groups));
    const auto place = [&](int g) {
        sequence.push_back(g);
        is_placed[static_cast<std::size_t>(g)] = 1;
    };
    // Places a row group if there is room, and takes the room.
    const auto try_rows = [&](int g, bool has_to_wait) {
        const auto of = static_cast<std::size_t>(g - num_coordinate_groups);
        int left = 0;
        bool is_last = true;
        for (const int other : ties[of]) {
            if (is_placed[static_cast<std::size_t>(other)] != 0)
                left += std::max(0, room[static_cast<std::size_t>(other)]);
            else
                is_last = false;
        }
        if (left < 2 * num_rows_in[of] && !is_last) {
            if (has_to_wait)
                for (const int other : ties[of])
                    waiting[static_cast<std::size_t>(other)].push_back(g);
            return;
        }
        int to_take = num_rows_in[of];
        for (const int other : ties[of]) {
            if (is_placed[static_cast<std::size_t>(other)] == 0) continue;
            int& has = room[static_cast<std::size_t>(other)];
            const int taken = std::clamp(has, 0, to_take);
            has -= taken;
            to_take -= taken;
        }
        place(g);
    };
    for (int step = 0; step < num_groups; ++step) {
        const int g = elimination.indices()[step];
        if (g >= num_coordinate_groups) {
            try_rows(g, true);
            continue;
        }
        place(g);
        for (const int rows : waiting[static_cast<std::size_t>(g)])
            if (is_placed[static_cast<std::size_t>(rows)] == 0) try_rows(rows, false);
    }

    std::vector<std::vector<int>> members(static_cast<std::size_t>(num_groups));
    for (std::size_t i = 0; i < N; ++i)
        members[static_cast<std::size_t>(group[i])].push_back(static_cast<int>(i));
    new_of_old_.assign(N, 0);
    int next = 0;
    for (const int g : sequence)
        for (const int i : members[static_cast<std::size_t>(g)])
            new_of_old_[static_cast<std::size_t>(i)] = next++;
}

void SparseIsland::build_pattern() {
    const auto permuted = [this](int i, int j) {
        const int a = new_of_old_[static_cast<std::size_t>(i)];
        const int b = new_of_old_[static_cast<std::size_t>(j)];
        return std::pair(std::min(a, b), std::max(a, b));  // (row, column) of the upper triangle
    };
    std::vector<Eigen::Triplet<double>> entries;
    const auto add = [&](int i, int j) {
        const auto [a, b] = permuted(i, j);
        entries.emplace_back(a, b, 0.0);
    };
    for (int i = 0; i < n_ + m_; ++i) add(i, i);
    for (const auto& [i, j] : mass_pattern_) add(i, j);
    for (int k = 0; k < m_; ++k)
        for (int e = pattern_.row_start[static_cast<std::size_t>(k)];
             e < pattern_.row_start[static_cast<std::size_t>(k) + 1];
             ++e)
            add(n_ + k, pattern_.column[static_cast<std::size_t>(e)]);
    K_.resize(n_ + m_, n_ + m_);
    K_.setFromTriplets(entries.begin(), entries.end());
    K_.makeCompressed();

    const auto place = [&](int i, int j) {
        const auto [a, b] = permuted(i, j);
        const int* begin = K_.innerIndexPtr() + K_.outerIndexPtr()[b];
        const int* end = K_.innerIndexPtr() + K_.outerIndexPtr()[b + 1];
        return static_cast<int>(std::lower_bound(begin, end, a) - K_.innerIndexPtr());
    };
    for (std::vector<int>* to : {&mass_place_, &local_place_, &row_place_, &diagonal_place_})
        to->clear();
    for (int i = 0; i < n_ + m_; ++i) diagonal_place_.push_back(place(i, i));
    for (const auto& [i, j] : pattern_.mass) mass_place_.push_back(place(i, j));
    for (std::size_t k = pattern_.mass.size(); k < mass_pattern_.size(); ++k)
        local_place_.push_back(place(mass_pattern_[k].first, mass_pattern_[k].second));
    for (int k = 0; k < m_; ++k)
        for (int e = pattern_.row_start[static_cast<std::size_t>(k)];
             e < pattern_.row_start[static_cast<std::size_t>(k) + 1];
             ++e)
            row_place_.push_back(place(n_ + k, pattern_.column[static_cast<std::size_t>(e)]));
}

/// The mass matrix, with rows of one body if it is augmented, within its envelope.
bool SparseIsland::factorise_mass() {
    mass_.clear();
    for (std::size_t k = 0; k < M_.size(); ++k) {
        const auto [i, j] = pattern_.mass[k];
        if (has_exact_lengths_ || i == j) mass_.add(i, j, M_[k]);
    }
    std::size_t next = pattern_.mass.size();
    for (const int k : local_rows_) {
        const int begin = pattern_.row_start[static_cast<std::size_t>(k)];
        const int end = pattern_.row_start[static_cast<std::size_t>(k) + 1];
        const Eigen::Map<const Eigen::VectorXd> row(A_.data() + begin, end - begin);
        const double square = row.squaredNorm();
        const double sigma =
            square > 0.0 ? usual_[pattern_.column[static_cast<std::size_t>(begin)]] / square : 0.0;
        for (int i = 0; i < end - begin; ++i)
            for (int j = 0; j <= i; ++j, ++next) {
                const auto [a, b] = mass_pattern_[next];
                if (has_exact_lengths_ || a == b) mass_.add(a, b, sigma * row[i] * row[j]);
            }
    }
    return mass_.factorise(usual_.data());
}

void SparseIsland::assemble() {
    double* K = K_.valuePtr();
    std::fill(K, K + K_.nonZeros(), 0.0);
    for (std::size_t k = 0; k < mass_place_.size(); ++k) K[mass_place_[k]] += M_[k];
    std::size_t next = 0;
    for (const int k : local_rows_) {
        const int begin = pattern_.row_start[static_cast<std::size_t>(k)];
        const int end = pattern_.row_start[static_cast<std::size_t>(k) + 1];
        const Eigen::Map<const Eigen::VectorXd> row(A_.data() + begin, end - begin);
        const double square = row.squaredNorm();
        const double sigma =
            square > 0.0 ? usual_[pattern_.column[static_cast<std::size_t>(begin)]] / square : 0.0;
        for (int i = 0; i < end - begin; ++i)
            for (int j = 0; j <= i; ++j) K[local_place_[next++]] += sigma * row[i] * row[j];
    }
    for (const int i : mass_.vanished())
        K[diagonal_place_[static_cast<std::size_t>(i)]] += delta_ * usual_[i];

    // lengths of L^-1 A_k^T, then scaled rows
    double* y = work_.data();
    for (int k = 0; k < m_; ++k) {
        const int begin = pattern_.row_start[static_cast<std::size_t>(k)];
        const int end = pattern_.row_start[static_cast<std::size_t>(k) + 1];
        const int* reached = reach_.data() + reach_start_[static_cast<std::size_t>(k)];
        const int count = reach_start_[static_cast<std::size_t>(k) + 1] -
                          reach_start_[static_cast<std::size_t>(k)];
        for (int s = 0; s < count; ++s) y[reached[s]] = 0.0;
        for (int e = begin; e < end; ++e)
            y[pattern_.column[static_cast<std::size_t>(e)]] = A_[static_cast<std::size_t>(e)];
        mass_.solve_lower(y, reached, count);
        double square = 0.0;
        for (int s = 0; s < count; ++s) square += y[reached[s]] * y[reached[s]];
        length_[k] = std::sqrt(square);
        const double scale = square > 0.0 ? 1.0 / length_[k] : 0.0;
        for (int e = begin; e < end; ++e)
            K[row_place_[static_cast<std::size_t>(e)]] = scale * A_[static_cast<std::size_t>(e)];
        K[diagonal_place_[static_cast<std::size_t>(n_ + k)]] = square > 0.0 ? -delta_ : -1.0;
    }
}

SolverIsland::Status SparseIsland::do_factorise(bool is_mass_new) {
    is_dense_current_ = false;
    if (is_mass_new || is_augmented_) {
        if (!factorise_mass()) return Status::failed;
        if (mass_.is_singular() && !is_augmented_) {
            build(true);
            if (!factorise_mass()) return Status::failed;
        }
    }
    if (m_ > 0 || is_mass_new) {
        assemble();
        if (!length_.allFinite()) return Status::failed;
        is_factorised_ = factor_->factorise(K_);
        if (is_factorised_) {
            if (!has_supernodes_) supernodes_.analyse(factor_->L());
            has_supernodes_ = true;
            supernodes_.copy(factor_->L(), factor_->D(), false);
        } else if (n_ + m_ > kMostDense) {
            return Status::failed;
        }
    }
    double smallest = 1.0;
    for (int k = 0; k < m_ && is_factorised_; ++k)
        if (length_[k] > 0.0) smallest = std::min(smallest, row_pivot(k));
    is_suspect_ = smallest < kSuspectPivot;
    slowest_gain_ = std::min(1.0, kPivotOverSquare * delta_ / smallest);
    if (mass_.is_singular() && has_null_direction()) return Status::undetermined;
    return Status::good;
}

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
    int sign = 1;
    for (const int i : mass_.vanished()) x_[i] = (sign = -sign) / weight_[i];
    for (int pass = 0; pass < 4; ++pass) {
        x_ /= mass_norm(x_);
        f_ = weight_.cwiseAbs2().cwiseProduct(x_);
        solve_once(f_, r_, x_, lambda_);
    }
    x_ /= mass_norm(x_);
    // x . M x + sum (a_k . x)^2 with rows of unit length in the coordinates w_i x_i
    double square = 0.0;
    for (std::size_t k = 0; k < M_.size(); ++k) {
        const auto [i, j] = pattern_.mass[k];
        square += (i == j ? 1.0 : 2.0) * M_[k] * x_[i] * x_[j];
    }
    for (int k = 0; k < m_; ++k) {
        double row = 0.0;
        double length = 0.0;
        for (int e = pattern_.row_start[static_cast<std::size_t>(k)];
             e < pattern_.row_start[static_cast<std::size_t>(k) + 1];
             ++e) {
            const int i = pattern_.column[static_cast<std::size_t>(e)];
            const double a = A_[static_cast<std::size_t>(e)];
            row += a * x_[i];
            length += (a / weight_[i]) * (a / weight_[i]);
        }
        if (length > 0.0) square += row * row / length;
    }
    null_direction_ = x_.normalized();
    return square < kUndetermined;
}

/// (1) for scaled rows: from f and r to x and lambda.
void SparseIsland::solve_once(const Eigen::VectorXd& f,
                              const Eigen::VectorXd& r,
                              Eigen::VectorXd& x,
                              Eigen::VectorXd& lambda) {
    double* z = work_.data();
    const int* at = new_of_old_.data();
    for (int i = 0; i < n_; ++i) z[at[i]] = f[i];
    for (const int k : local_rows_) {
        const int begin = pattern_.row_start[static_cast<std::size_t>(k)];
        const int end = pattern_.row_start[static_cast<std::size_t>(k) + 1];
        const Eigen::Map<const Eigen::VectorXd> row(A_.data() + begin, end - begin);
        const double square = row.squaredNorm();
        if (!(square > 0.0)) continue;
        const double share =
            usual_[pattern_.column[static_cast<std::size_t>(begin)]] * r[k] / square;
        for (int e = begin; e < end; ++e)
            z[at[pattern_.column[static_cast<std::size_t>(e)]]] +=
                share * A_[static_cast<std::size_t>(e)];
    }
    for (int k = 0; k < m_; ++k) z[at[n_ + k]] = length_[k] > 0.0 ? r[k] / length_[k] : 0.0;
    supernodes_.solve(z);
    for (int i = 0; i < n_; ++i) x[i] = z[at[i]];
    for (int k = 0; k < m_; ++k) lambda[k] = length_[k] > 0.0 ? -z[at[n_ + k]] / length_[k] : 0.0;
}

/// mu := lim T^j mu, the part of scaled multipliers or residuals that A^T D^-1/2 maps to zero. On
/// that part rounding leaves T short of 1 by a little, which ends the iteration.
/// @returns false if T^j converges too slowly
bool SparseIsland::project_on_null(Eigen::VectorXd& mu) {
    const int* at = new_of_old_.data();
    const double given = mu.norm();
    double before = 0.0;
    for (int pass = 0; pass < kMostProjections; ++pass) {
        work_.setZero();
        for (int k = 0; k < m_; ++k) work_[at[n_ + k]] = length_[k] > 0.0 ? -delta_ * mu[k] : 0.0;
        if (pass == 0)
            solve_refined();  // of all of mu; later passes have little left that could go astray
        else
            supernodes_.solve(work_.data());
        double square = 0.0;
        for (int k = 0; k < m_; ++k) {
            const double next = length_[k] > 0.0 ? work_[at[n_ + k]] : 0.0;
            square += (next - mu[k]) * (next - mu[k]);
            mu[k] = next;
        }
        const double change = std::sqrt(square);
        if (change <= kProjected * given) return true;
        if (pass > 0 && change > kStalled * before) return change <= kShortOfOne * mu.norm();
        before = change;
    }
    return false;
}

/// work_ := K^-1 work_ with one correction.
void SparseIsland::solve_refined() {
    long double* rest = extended_work_.data();
    for (int i = 0; i < n_ + m_; ++i) rest[i] = work_[i];
    supernodes_.solve(work_.data());
    const double* z = work_.data();
    for (int j = 0; j < n_ + m_; ++j)
        for (int e = K_.outerIndexPtr()[j]; e < K_.outerIndexPtr()[j + 1]; ++e) {
            const int i = K_.innerIndexPtr()[e];
            const long double value = K_.valuePtr()[e];
            rest[i] -= value * z[j];
            if (i != j) rest[j] -= value * z[i];
        }
    for (int i = 0; i < n_ + m_; ++i) correction_[i] = static_cast<double>(rest[i]);
    supernodes_.solve(correction_.data());
    work_ += correction_;
}

bool SparseIsland::do_solve() {
    given_r_ = r_;
    if (!is_factorised_) return fall_back();
    bool is_solved = refine();
    if (is_suspect_) {
        // What r misses by is not for the multipliers to push against.
        compute_residual();
        double gap = 0.0;
        double terms = force_norm(f_) + mass_norm(x_);
        for (int k = 0; k < m_; ++k) {
            if (!(length_[k] > 0.0)) continue;
            row_work_[k] = residual_r_[k] / length_[k];
            gap = std::max(gap, std::abs(row_work_[k]));
            terms = std::max(terms, std::abs(r_[k]) / length_[k]);
        }
        if (gap > kInconsistent * terms) {
            if (!project_on_null(row_work_)) return fall_back();
            for (int k = 0; k < m_; ++k) r_[k] -= length_[k] * row_work_[k];
            is_solved = refine();
        }
        is_solved = is_solved && reduce_multipliers();
        r_ = given_r_;
    }
    return is_solved || fall_back();
}

/// Solves with f_ and r_ and corrects until the corrections are rounding.
/// @returns false if they are not and do not shrink either
bool SparseIsland::refine() {
    const double free = force_norm(f_);
    solve_once(f_, r_, x_, lambda_);
    double before = mass_norm(x_);
    for (int step = 0; step < kMostRefinements; ++step) {
        correct();
        const double correction = mass_norm(dx_);
        const double solution = mass_norm(x_);
        if (!std::isfinite(correction)) return false;
        // The next correction is smaller by the factor that this one gained, or that the slowest
        // part of the solution gains.
        const double gain = std::max(slowest_gain_, before > 0.0 ? correction / before : 0.0);
        const bool is_right =
            correction * gain <= kConverged * solution || correction <= kRounding * free;
        const bool are_multipliers_right =
            is_suspect_ || scaled_norm(dlambda_) * gain <= kConverged * scaled_norm(lambda_);
        if (is_right && are_multipliers_right) return true;
        if (step >= 2 && correction > kStalled * before) return is_right;
        before = correction;
    }
    return false;
}

/// One solve with what is left, added to x_ and lambda_.
void SparseIsland::correct() {
    compute_residual();
    solve_once(residual_f_, residual_r_, dx_, dlambda_);
    x_ += dx_;
    lambda_ += dlambda_;
}

double SparseIsland::scaled_norm(const Eigen::VectorXd& lambda) const {
    return lambda.cwiseProduct(length_).norm();
}

/// The least multipliers: takes out of lambda_ what A^T maps to zero, and corrects until they are
/// right themselves; so far only A^T lambda_ is.
bool SparseIsland::reduce_multipliers() {
    for (int step = 0; step <= kMostReductions; ++step) {
        lambda_before_ = lambda_;
        if (step > 0) correct();
        row_work_ = lambda_.cwiseProduct(length_);
        if (!project_on_null(row_work_)) return false;
        for (int k = 0; k < m_; ++k)
            if (length_[k] > 0.0) lambda_[k] -= row_work_[k] / length_[k];
        lambda_before_ -= lambda_;
        if (step > 0 && scaled_norm(lambda_before_) <= kMultiplierConverged * scaled_norm(lambda_))
            break;
    }
    return true;
}

bool SparseIsland::fall_back() {
    if (n_ + m_ > kMostDense) return false;
    ++num_fallbacks_;
    r_ = given_r_;
    return factorised_dense().solve_local(f_, r_, x_, lambda_);
}

DenseIsland& SparseIsland::factorised_dense() {
    if (dense_ == nullptr) dense_ = std::make_unique<DenseIsland>(pattern_);
    if (!is_dense_current_) dense_->factorise_local(M_, A_);
    is_dense_current_ = true;
    return *dense_;
}

/// Rows that depend on others, and how.
struct SparseIsland::Dependencies {
    double smallest_kept = 1.0;  // distances of scaled rows from the span of others
    double largest_dropped = 0.0;
    bool is_near_threshold = false;
    std::vector<Eigen::VectorXd> null_vectors;  // over scaled rows, one for each redundant row
};

/// Rows with small pivots are taken out until the others have none; then each of them is measured
/// by its distance from the span of the others and of those of them that were found independent.
SparseIsland::Dependencies SparseIsland::find_dependencies() {
    Dependencies out;
    std::vector<int> kept(static_cast<std::size_t>(m_));
    std::iota(kept.begin(), kept.end(), 0);
    std::vector<int> taken;
    std::unique_ptr<SparseIsland> rest;
    for (const SparseIsland* now = this;; now = rest.get()) {
        std::vector<int> still_kept;
        for (std::size_t k = 0; k < kept.size(); ++k) {
            const double pivot = now->row_pivot(static_cast<int>(k));
            (pivot < kSuspectPivot ? taken : still_kept).push_back(kept[k]);
            if (pivot >= kSuspectPivot)
                out.smallest_kept = std::min(out.smallest_kept, std::sqrt(pivot));
        }
        if (still_kept.size() == kept.size()) break;
        kept = still_kept;
        out.smallest_kept = 1.0;
        rest = restricted_to(kept);
    }
    std::sort(taken.begin(), taken.end());

    struct Independent {
        Eigen::VectorXd x;  // part of M^-1 a that other rows leave, |x|_M = 1
        Eigen::VectorXd combination;
    };
    std::vector<Independent> independent;
    Eigen::VectorXd Mx(n_);
    for (const int k : taken) {
        // M x = a + A_rest^T lambda, A_rest x = 0 with the scaled row a
        Independent one{Eigen::VectorXd::Zero(n_), Eigen::VectorXd::Zero(m_)};
        one.combination[k] = 1.0;
        if (length_[k] > 0.0) {
            const auto [begin, end] = entries(k);
            rest->f_.setZero();
            for (int e = begin; e < end; ++e)
                rest->f_[pattern_.column[static_cast<std::size_t>(e)]] +=
                    A_[static_cast<std::size_t>(e)] / length_[k];
            rest->r_.setZero();
            rest->do_solve();
            one.x = rest->x_;
            for (std::size_t i = 0; i < kept.size(); ++i)
                one.combination[kept[i]] =
                    rest->lambda_[static_cast<Eigen::Index>(i)] * length_[kept[i]];
        }
        for (const Independent& other : independent) {
            multiply_mass(one.x, Mx);
            const double share = other.x.dot(Mx);
            one.x -= share * other.x;
            one.combination -= share * other.combination;
        }
        multiply_mass(one.x, Mx);
        const double distance = std::sqrt(std::max(0.0, one.x.dot(Mx)));
        out.is_near_threshold |= distance > kNearLow && distance < kNearHigh;
        if (distance > kRankThreshold) {
            out.smallest_kept = std::min(out.smallest_kept, distance);
            one.x /= distance;
            one.combination /= distance;
            independent.push_back(std::move(one));
        } else {
            out.largest_dropped = std::max(out.largest_dropped, distance);
            out.null_vectors.push_back(one.combination.normalized());
        }
    }
    return out;
}

/// Modulus of the pivot of scaled row k; 0 for a row without entries.
double SparseIsland::row_pivot(int k) const {
    if (!(length_[k] > 0.0)) return 0.0;
    return std::abs(factor_->D()[new_of_old_[static_cast<std::size_t>(n_ + k)]]);
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
        pattern.rows.push_back(pattern_.rows[static_cast<std::size_t>(k)]);
        const auto [begin, end] = entries(k);
        for (int e = begin; e < end; ++e) {
            pattern.column.push_back(pattern_.column[static_cast<std::size_t>(e)]);
            pattern.entry_from.push_back(static_cast<int>(A.size()));
            A.push_back(A_[static_cast<std::size_t>(e)]);
        }
        pattern.row_start.push_back(static_cast<int>(A.size()));
    }
    std::iota(pattern.mass_from.begin(), pattern.mass_from.end(), 0);
    auto out = std::make_unique<SparseIsland>(std::move(pattern));
    out->factorise(M_, A, true);
    return out;
}

void SparseIsland::multiply_mass(const Eigen::VectorXd& x, Eigen::VectorXd& y) const {
    y.setZero();
    for (std::size_t k = 0; k < M_.size(); ++k) {
        const auto [i, j] = pattern_.mass[k];
        y[i] += M_[k] * x[j];
        if (i != j) y[j] += M_[k] * x[i];
    }
}

void SparseIsland::add_rank(RankAnalysis& out) {
    if (n_ + m_ <= kMostDenseAnalysis || !is_factorised_) {
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
    if (n_ + m_ <= kMostDenseAnalysis || !is_factorised_) return factorised_dense().null_blocks();
    const Dependencies found = find_dependencies();
    // Null vectors that share rows form a block.
    constexpr double kPartOf = 1e-12;
    const std::size_t count = found.null_vectors.size();
    std::vector<std::size_t> block_of(count);
    std::iota(block_of.begin(), block_of.end(), std::size_t{0});
    std::vector<std::size_t> first_with(static_cast<std::size_t>(m_), count);
    for (std::size_t v = 0; v < count; ++v)
        for (int k = 0; k < m_; ++k) {
            if (std::abs(found.null_vectors[v][k]) < kPartOf) continue;
            std::size_t& first = first_with[static_cast<std::size_t>(k)];
            if (first == count) {
                first = v;
                continue;
            }
            const std::size_t from = block_of[v];
            const std::size_t to = block_of[first];
            if (from != to)
                for (std::size_t& block : block_of)
                    if (block == from) block = to;
        }
    std::vector<NullBlock> out;
    for (std::size_t b = 0; b < count; ++b) {
        std::vector<std::size_t> members;
        for (std::size_t v = 0; v < count; ++v)
            if (block_of[v] == b) members.push_back(v);
        if (members.empty()) continue;
        NullBlock block;
        for (int k = 0; k < m_; ++k) {
            const std::size_t first = first_with[static_cast<std::size_t>(k)];
            if (first < count && block_of[first] == b) block.rows.push_back(k);
        }
        Eigen::MatrixXd columns(block.rows.size(), members.size());
        for (std::size_t c = 0; c < members.size(); ++c)
            for (std::size_t k = 0; k < block.rows.size(); ++k)
                columns(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(c)) =
                    found.null_vectors[members[c]][block.rows[k]];
        const Eigen::HouseholderQR<Eigen::MatrixXd> qr(columns);
        block.basis = qr.householderQ() * Eigen::MatrixXd::Identity(columns.rows(), columns.cols());
        out.push_back(std::move(block));
    }
    return out;
}

}  // namespace ancora
