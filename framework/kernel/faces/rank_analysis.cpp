// SPDX-License-Identifier: BSD-3-Clause
// Dense and sparse rank decisions.
#include "rank_analysis.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include <Eigen/SparseCholesky>

#include "dense.hpp"
#include "row_laws.hpp"

namespace ancora {
namespace {

constexpr int kDenseRows = 400;
constexpr double kShift = 1e-13;  // keeps dependent pivots of a Gram matrix above rounding
// Lower bound of masses relative to the largest one, in a decision about rank.
constexpr double kLightest = 1e-6;
// Weight of the rows of bodies in the selection of kept rows.
constexpr double kBodiesFirst = 8.0;
// Bounds of the coefficients of a dropped row: of a new selection, and of one in use.
constexpr double kLargest = 2.0;
constexpr double kLargestOfOld = 4.0;
constexpr double kNearLow = 1e-14;
constexpr double kNearHigh = 1e-8;

/// Fills rank, pivots next to the threshold and the warning from the pivots' moduli.
void decide(const Eigen::VectorXd& pivots, RankAnalysis& out) {
    // The rank is the number of pivots above the threshold times the largest (theory, section 2.2).
    const double largest = pivots.size() > 0 ? pivots.maxCoeff() : 0.0;
    out.rank = 0;
    out.smallest_kept = 1.0;
    for (const double pivot : pivots) {
        const double relative = largest > 0.0 ? pivot / largest : 0.0;
        if (relative > out.threshold) {
            ++out.rank;
            out.smallest_kept = std::min(out.smallest_kept, relative);
        } else {
            out.largest_dropped = std::max(out.largest_dropped, relative);
        }
        out.is_near_threshold |= relative > kNearLow && relative < kNearHigh;
    }
    if (out.rank == 0) out.smallest_kept = 0.0;
}

/// Columns that depend on those before them, by Gram-Schmidt with reorthogonalisation.
std::vector<int> dependent_columns(const Eigen::MatrixXd& columns, double threshold) {
    Eigen::MatrixXd basis(columns.rows(), std::min(columns.rows(), columns.cols()));
    Eigen::Index size = 0;
    std::vector<int> dependent;
    for (Eigen::Index k = 0; k < columns.cols(); ++k) {
        Eigen::VectorXd x = columns.col(k);
        // Twice is enough: cancellation leaves parts along the basis in the first pass,
        // which the second removes (Parlett, The Symmetric Eigenvalue Problem, SIAM, 1998).
        for (int pass = 0; pass < 2; ++pass)
            x -= basis.leftCols(size) * (basis.leftCols(size).transpose() * x);
        const double norm = x.norm();
        if (norm > threshold && size < basis.cols())
            basis.col(size++) = x / norm;
        else
            dependent.push_back(static_cast<int>(k));
    }
    return dependent;
}

using SparseFactor = Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>>;

/// C^T C + shift, where C has unit columns.
Eigen::SparseMatrix<double> shifted_gram(const Eigen::SparseMatrix<double>& columns,
                                         const Eigen::VectorXd& shift) {
    // G_kl is the cosine between rows k and l in the metric of M.
    Eigen::SparseMatrix<double> gram = columns.transpose() * columns;
    for (int k = 0; k < gram.cols(); ++k) gram.coeffRef(k, k) += shift[k];
    return gram;
}

/// Pivots of a Gram matrix above this are of independent columns. The pivot of a dependency that
/// involves all columns is their number times the shift.
double least_pivot(Eigen::Index num_columns) {
    constexpr double kCandidate = 1e-11;
    return std::max(kCandidate, 10.0 * kShift * static_cast<double>(num_columns));
}

/// Columns, and their shifted Gram matrix.
struct Basis {
    /// Takes `columns`.
    void factorise() {
        factor.compute(shifted_gram(columns, Eigen::VectorXd::Constant(columns.cols(), kShift)));
    }
    /// Coefficients of x as a combination of them.
    Eigen::VectorXd share(const Eigen::VectorXd& x) const {
        return factor.solve(columns.transpose() * x);
    }
    /// Distance of x from their span. Conjugate gradients: where columns are nearly dependent the
    /// shift is of their size, and refinement alone would leave a component of x in their span.
    double distance(Eigen::VectorXd x) const {
        constexpr double kNothing = 1e-14;
        constexpr int kMostRounds = 50;
        // min |x - C y| over y, with the shifted factor of C^T C as preconditioner.
        // x is carried as the residual itself; y is not needed.
        Eigen::VectorXd gradient = columns.transpose() * x;
        Eigen::VectorXd step = factor.solve(gradient);
        Eigen::VectorXd direction = step;
        double slope = gradient.dot(step);
        double least = x.norm();
        for (int round = 0; round < kMostRounds && slope > 0.0; ++round) {
            const Eigen::VectorXd move = columns * direction;
            const double square = move.squaredNorm();
            if (!(square > 0.0)) break;
            // x -= C direction slope / |C direction|^2: the least |x| along the direction
            x -= (slope / square) * move;
            const double left = x.norm();
            least = std::min(least, left);
            if (least <= kNothing) break;
            gradient = columns.transpose() * x;
            // The rest is orthogonal to the span.
            if (gradient.norm() <= kNothing * left) break;
            step = factor.solve(gradient);
            const double next = gradient.dot(step);
            direction = step + (next / slope) * direction;
            slope = next;
        }
        return least;
    }

    Eigen::SparseMatrix<double> columns;
    SparseFactor factor;
};

/// The columns that are not among `left`.
struct Span {
    Span(const Eigen::SparseMatrix<double>& columns, const std::vector<int>& left) {
        // `left` is ascending.
        for (int c = 0; c < columns.cols(); ++c)
            if (!std::ranges::binary_search(left, c)) kept.push_back(c);
        const auto count = static_cast<Eigen::Index>(kept.size());
        basis.columns.resize(columns.rows(), count);
        basis.columns.reserve(columns.nonZeros());
        for (int k = 0; k < count; ++k) {
            basis.columns.startVec(k);
            const int column = kept[k];
            for (Eigen::SparseMatrix<double>::InnerIterator it(columns, column); it; ++it)
                basis.columns.insertBack(it.row(), k) = it.value();
        }
        basis.columns.finalize();
        basis.factorise();
    }

    /// A column as a combination of the kept ones.
    struct Combination {
        std::vector<int> of;  // places among `kept`
        Eigen::VectorXd share;
        double distance = 0.0;  // of the column from it
    };
    /// A dependency is mostly among rows that connect the same few bodies: it is searched in
    /// growing neighbourhoods of columns, and among all only where these do not contain it. As kept
    /// columns are independent it is unique. So the work for many dependent columns is proportional
    /// to their number, not to that times the model's size.
    Combination combination(const Eigen::SparseMatrix<double>& columns, int column) {
        if (first_.empty()) lay_out_rows();
        const double length = columns.col(column).norm();
        std::size_t before = 0;
        // Rings double, so that all searches of a column together cost a few times the last.
        for (int rings = kFirstRings;; rings *= 2) {
            Combination out;
            out.distance = length;
            const Neighbours near = neighbours(columns, column, rings);
            if (near.of.empty()) return out;
            // From a quarter of all columns on the factor of all is cheaper than another one.
            if (4 * near.of.size() > kept.size()) break;
            Basis local;
            Eigen::VectorXd x;
            restrict_to(near, columns, column, local, x);
            if (local.factor.info() != Eigen::Success) break;
            out.distance = local.distance(x);
            const bool are_all = near.of.size() == before;  // that hang together with it
            before = near.of.size();
            // Not in the span of this neighbourhood: a wider one, unless it cannot grow.
            if (out.distance > kNearLow * length && !are_all) continue;
            out.of = near.of;
            out.share = local.share(x);
            return out;
        }
        Combination out;
        const Eigen::VectorXd x = columns.col(column);
        out.of.resize(kept.size());
        std::iota(out.of.begin(), out.of.end(), 0);
        out.share = basis.share(x);
        out.distance = basis.distance(x);
        return out;
    }

    std::vector<int> kept;
    Basis basis;

private:
    static constexpr int kFirstRings = 2;

    /// Columns kept around one, and the coordinates that they and it touch.
    struct Neighbours {
        std::vector<int> of;
        std::vector<int> coordinates;
    };

    /// Which kept columns touch each coordinate.
    void lay_out_rows() {
        const Eigen::SparseMatrix<double>& columns = basis.columns;
        first_.assign(static_cast<std::size_t>(columns.rows()) + 1, 0);
        for (Eigen::Index e = 0; e < columns.nonZeros(); ++e)
            ++first_[static_cast<std::size_t>(columns.innerIndexPtr()[e]) + 1];
        std::partial_sum(first_.begin(), first_.end(), first_.begin());
        touching_.resize(columns.nonZeros());
        std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
        for (int k = 0; k < columns.cols(); ++k)
            for (Eigen::SparseMatrix<double>::InnerIterator it(columns, k); it; ++it)
                touching_[next[it.row()]++] = k;
        place_.assign(columns.rows(), -1);
        is_near_.assign(kept.size(), 0);
    }
    Neighbours neighbours(const Eigen::SparseMatrix<double>& columns, int column, int rings) {
        Neighbours out;
        const auto reach = [&](int coordinate) {
            int& place = place_[coordinate];
            if (place >= 0) return;
            place = static_cast<int>(out.coordinates.size());
            out.coordinates.push_back(coordinate);
        };
        for (Eigen::SparseMatrix<double>::InnerIterator it(columns, column); it; ++it)
            reach(static_cast<int>(it.row()));
        std::size_t from = 0;
        // A ring adds the columns that touch a coordinate reached so far, and their
        // coordinates; those before `from` have been gone through.
        for (int ring = 0; ring < rings && 4 * out.of.size() <= kept.size(); ++ring) {
            const std::size_t end = out.coordinates.size();
            for (; from < end; ++from) {
                const auto i = static_cast<std::size_t>(out.coordinates[from]);
                for (std::size_t t = first_[i]; t < first_[i + 1]; ++t) {
                    const int k = touching_[t];
                    char& is_near = is_near_[k];
                    if (is_near != 0) continue;
                    is_near = 1;
                    out.of.push_back(k);
                    for (Eigen::SparseMatrix<double>::InnerIterator it(basis.columns, k); it; ++it)
                        reach(static_cast<int>(it.row()));
                }
            }
        }
        // Marks are cleared: the cost of a search is that of the columns reached, not the size of
        // the model.
        for (const int i : out.coordinates) place_[i] = -1;
        for (const int k : out.of) is_near_[k] = 0;
        std::ranges::sort(out.of);
        std::ranges::sort(out.coordinates);
        return out;
    }
    /// The columns `near` and `x` with the coordinates that they touch alone.
    void restrict_to(const Neighbours& near,
                     const Eigen::SparseMatrix<double>& columns,
                     int column,
                     Basis& local,
                     Eigen::VectorXd& x) {
        for (std::size_t i = 0; i < near.coordinates.size(); ++i)
            place_[near.coordinates[i]] = static_cast<int>(i);
        const auto num_rows = static_cast<Eigen::Index>(near.coordinates.size());
        local.columns.resize(num_rows, static_cast<Eigen::Index>(near.of.size()));
        for (std::size_t k = 0; k < near.of.size(); ++k) {
            const auto to = static_cast<Eigen::Index>(k);
            local.columns.startVec(to);
            for (Eigen::SparseMatrix<double>::InnerIterator it(basis.columns, near.of[k]); it; ++it)
                local.columns.insertBack(place_[it.row()], to) = it.value();
        }
        local.columns.finalize();
        x.setZero(num_rows);
        for (Eigen::SparseMatrix<double>::InnerIterator it(columns, column); it; ++it)
            x[place_[it.row()]] = it.value();
        for (const int i : near.coordinates) place_[i] = -1;
        local.factorise();
    }

    std::vector<std::size_t> first_;  // of each coordinate, in touching_
    std::vector<int> touching_;
    // Workspace of a search.
    std::vector<int> place_;
    std::vector<char> is_near_;
};

/// Exchanges dependent columns for others until each is a combination of the kept ones without a
/// coefficient above `most`: the kept ones are then nearly as well conditioned as possible, since
/// the product of their singular values grows with every exchange (strong rank-revealing QR, M. Gu
/// and S. Eisenstat, SIAM J. Sci. Comput. 17 (1996) 848).
/// @returns whether there was any
bool strengthen(const Eigen::SparseMatrix<double>& columns,
                double most,
                std::vector<int>& dependent) {
    constexpr double kTouched = 1e-6;  // part of the largest coefficient
    constexpr int kMostRounds = 50;
    struct Exchange {
        double coefficient;
        int kept;
        std::size_t left;
    };
    bool has_changed = false;
    for (int round = 0; round < kMostRounds; ++round) {
        Span span(columns, dependent);
        if (span.basis.factor.info() != Eigen::Success) return has_changed;
        const std::vector<int>& kept = span.kept;
        // An exchange must not change the columns of another's combination.
        std::vector<char> is_touched(kept.size(), 0);
        std::vector<Exchange> exchanges;
        // If l = sum c_k k over the kept columns, the volume with l in place of k is |c_k| times
        // the present one: exchanges with |c_k| > most > 1 end (Gu and Eisenstat 1996).
        for (std::size_t left = 0; left < dependent.size(); ++left) {
            const Span::Combination one = span.combination(columns, dependent[left]);
            if (one.of.empty()) continue;
            const auto of = [&one](Eigen::Index k) {
                return static_cast<std::size_t>(one.of[k]);
            };
            Eigen::Index largest = 0;
            const double coefficient = one.share.cwiseAbs().maxCoeff(&largest);
            if (!(coefficient > most) || is_touched[of(largest)] != 0) continue;
            for (Eigen::Index k = 0; k < one.share.size(); ++k)
                if (std::abs(one.share[k]) > kTouched * coefficient) is_touched[of(k)] = 1;
            exchanges.push_back({coefficient, kept[of(largest)], left});
        }
        // Every coefficient is `most` at most.
        if (exchanges.empty()) return has_changed;
        has_changed = true;
        for (const Exchange& exchange : exchanges) dependent[exchange.left] = exchange.kept;
        std::ranges::sort(dependent);
    }
    return has_changed;
}

/// Whether these columns depend on the others, which are independent, with no coefficient above
/// `most`.
bool holds(const Eigen::SparseMatrix<double>& columns,
           const Eigen::SparseMatrix<double>& weighed,
           const std::vector<int>& dependent,
           double threshold,
           double most) {
    Span span(weighed, dependent);
    // Pivots of L D L^T are squared distances from the span of the columns before.
    if (span.basis.factor.info() != Eigen::Success ||
        !(span.basis.factor.vectorD().minCoeff() > least_pivot(columns.cols())))
        return false;
    return std::ranges::all_of(dependent, [&](int c) {
        // distance / length is that of the unit column.
        const double length = weighed.col(c).norm() / columns.col(c).norm();
        const Span::Combination one = span.combination(weighed, c);
        return (one.of.empty() || one.share.cwiseAbs().maxCoeff() <= most) &&
               one.distance <= threshold * length;
    });
}

/// A column of a dependency that no pivot shows: the last column of a dependency has a pivot of
/// kShift only if its coefficient is large, which depends on the order. Inverse iteration finds the
/// combination itself.
/// @returns its place among `span.kept`, or -1
int hidden_dependency(const Span& span, double threshold) {
    constexpr int kIterations = 20;
    constexpr int kFirst = 3;
    constexpr double kFarFromNothing = 1e-3;
    if (span.kept.empty() || span.basis.factor.info() != Eigen::Success) return -1;
    Eigen::VectorXd x(static_cast<Eigen::Index>(span.kept.size()));
    // A start without the symmetry of a model; x := (C^T C + shift)^-1 x
    // turns to the least singular vector.
    for (Eigen::Index k = 0; k < x.size(); ++k) x[k] = k % 2 == 0 ? 1.0 : -0.7;
    for (int i = 0; i < kIterations; ++i) {
        x = span.basis.factor.solve(x);
        x.normalize();
        // |C x|, |x| = 1, is no less than the least singular value.
        const double length = (span.basis.columns * x).norm();
        if (!(length > threshold)) {
            Eigen::Index largest = 0;
            x.cwiseAbs().maxCoeff(&largest);
            return static_cast<int>(largest);
        }
        if (i >= kFirst && length > kFarFromNothing) break;
    }
    return -1;
}

/// Rank of many unit columns. The Gram matrix squares the pivots, so those of its L D L^T only tell
/// which columns are clearly independent. For the rest the distance of each from the span of those
/// decides, once these are well conditioned.
/// @param weighed the same columns, longer where they are preferred
/// @returns the dependent columns
std::vector<int> decide_sparse(const Eigen::SparseMatrix<double>& columns,
                               const Eigen::SparseMatrix<double>& weighed,
                               RankAnalysis& out) {
    const double candidate = least_pivot(columns.cols());
    constexpr int kMostRounds = 20;
    std::vector<int> dependent;
    auto span = std::make_unique<Span>(columns, dependent);
    const auto take_out_dependent = [&] {
        std::ranges::sort(dependent);
        span.reset();  // makes room
        span = std::make_unique<Span>(columns, dependent);
    };
    // Clearly independent are columns with pivots above rounding of a Gram matrix;
    // its pivots are squares. Exchanges change the pivots, so that they are looked at again.
    for (int round = 0; round < kMostRounds; ++round) {
        // Pivots are in the order of elimination; Pinv puts them into that of the columns.
        const Eigen::VectorXd pivots =
            span->basis.factor.permutationPinv() * span->basis.factor.vectorD();
        const std::size_t before = dependent.size();
        out.smallest_kept = 1.0;
        for (Eigen::Index k = 0; k < pivots.size(); ++k)
            if (pivots[k] > candidate)
                out.smallest_kept = std::min(out.smallest_kept, std::sqrt(pivots[k]));
            else
                dependent.push_back(span->kept[k]);
        if (dependent.size() == before) break;
        std::ranges::sort(dependent);
        strengthen(weighed, kLargest, dependent);
        take_out_dependent();
    }
    // Dependencies that no pivot shows, one at a time.
    for (;;) {
        const int hidden = hidden_dependency(*span, out.threshold);
        if (hidden < 0) break;
        dependent.push_back(span->kept[hidden]);
        take_out_dependent();
    }
    // Weakly independent columns join the span one by one, the farthest first.
    while (!dependent.empty()) {
        double farthest = 0.0;
        std::size_t which = 0;
        out.largest_dropped = 0.0;
        for (std::size_t i = 0; i < dependent.size(); ++i) {
            const double distance = span->combination(columns, dependent[i]).distance;
            out.is_near_threshold |= distance > kNearLow && distance < kNearHigh;
            if (distance <= farthest) continue;
            farthest = distance;
            which = i;
        }
        if (!(farthest > out.threshold)) {
            out.largest_dropped = farthest;
            break;
        }
        out.smallest_kept = std::min(out.smallest_kept, farthest);
        dependent.erase(dependent.begin() + static_cast<std::ptrdiff_t>(which));
        take_out_dependent();
    }
    out.rank = static_cast<int>(columns.cols() - static_cast<Eigen::Index>(dependent.size()));
    return dependent;
}

}  // namespace

ScaledRows::ScaledRows(const RowSet& rows,
                       const Eigen::VectorXd& A,
                       const MassMatrix& matrix,
                       double lightest) {
    for (int k = 0; k < rows.num_rows(); ++k)
        if (RowLaws::is_constraint(rows.laws[k])) chosen.push_back(k);
    int num_coordinates = 0;
    for (const int i : rows.column) num_coordinates = std::max(num_coordinates, i + 1);
    // Massless coordinates count with the mean mass.
    double mean = 0.0;
    for (int i = 0; i < num_coordinates; ++i) mean += matrix.diagonal(i) / num_coordinates;
    if (!(mean > 0.0)) mean = 1.0;
    for (int i = 0; i < num_coordinates; ++i)
        mass.push_back(matrix.is_massless(i) ? mean : matrix.diagonal(i));
    if (!mass.empty()) {
        const double least = lightest * *std::ranges::max_element(mass);
        for (double& m : mass) m = std::max(m, least);
    }
    std::size_t most = 0;
    for (const int k : chosen)
        most += static_cast<std::size_t>(rows.row_end(k) - rows.row_begin(k));
    std::vector<Eigen::Triplet<double>> entries;
    entries.reserve(most);
    // c_k = M^-1/2 A_k^T / |M^-1/2 A_k^T|, by two passes: length, then entries.
    // |.|^2 = D_k of theory (5) with diag(M).
    for (std::size_t c = 0; c < chosen.size(); ++c) {
        const int k = chosen[c];
        double square = 0.0;
        for (int pass = 0; pass < 2; ++pass)
            for (const int e : rows.entries(k)) {
                const int i = rows.column_of(e);
                const double x = A[e] / std::sqrt(mass[i]);
                if (pass == 0)
                    square += x * x;
                else if (square > 0.0 && x != 0.0)
                    entries.emplace_back(i, static_cast<int>(c), x / std::sqrt(square));
            }
        length.push_back(std::sqrt(square));
    }
    columns.resize(num_coordinates, static_cast<int>(chosen.size()));
    columns.setFromTriplets(entries.begin(), entries.end());
    columns.makeCompressed();
}

Eigen::MatrixXd self_stresses(const RowSet& rows,
                              const Eigen::VectorXd& A,
                              const MassMatrix& mass,
                              const std::vector<int>& dependent,
                              int count) {
    Eigen::MatrixXd out = Eigen::MatrixXd::Zero(rows.num_rows(), count);
    const ScaledRows scaled(rows, A, mass, kLightest);
    std::vector<int> left;
    for (std::size_t c = 0; c < scaled.chosen.size(); ++c)
        if (std::ranges::binary_search(dependent, scaled.chosen[c]))
            left.push_back(static_cast<int>(c));
    const Span span(scaled.columns, left);
    if (span.basis.factor.info() != Eigen::Success) return out;
    // From unit columns to rows: a stress y_k / sqrt(D_k).
    const auto set = [&](int column, int which, double stress) {
        const auto c = static_cast<std::size_t>(column);
        if (scaled.length[c] > 0.0) out(scaled.chosen[c], which) = stress / scaled.length[c];
    };
    // States of self-stress: any x on the dropped rows and y with K y = L x on the others, so that
    // the force K y - L x is zero.
    for (int k = 0; k < count; ++k) {
        Eigen::VectorXd x = Eigen::VectorXd::Zero(scaled.columns.rows());
        for (std::size_t i = 0; i < left.size(); ++i) {
            // Pseudo-random numbers
            const double stress = 1.5 + std::sin(static_cast<double>(i + 1) * (0.7 + k));
            x += stress * scaled.columns.col(left[i]);
            set(left[i], k, -stress);
        }
        Eigen::VectorXd share = span.basis.share(x);
        // Refinement on the unshifted columns.
        for (int pass = 0; pass < 2; ++pass)
            share += span.basis.share(x - span.basis.columns * share);
        for (std::size_t i = 0; i < span.kept.size(); ++i)
            set(span.kept[i], k, share[static_cast<Eigen::Index>(i)]);
    }
    return out;
}

RankAnalysis analyse_rank(const RowSet& rows, const Eigen::VectorXd& A, const MassMatrix& mass) {
    RankAnalysis out;
    const ScaledRows scaled(rows, A, mass, kLightest);
    const Eigen::SparseMatrix<double>& columns = scaled.columns;
    const std::vector<int>& chosen = scaled.chosen;
    out.num_rows = static_cast<int>(chosen.size());
    if (chosen.empty()) return out;

    std::vector<int> dependent;
    if (out.num_rows <= kDenseRows) {
        // The columns in the order of rows for the names, by pivots for the rank.
        const Eigen::MatrixXd dense(columns);
        const RankRevealingQr qr(dense);
        decide(qr.pivots(), out);
        // Named are the last rows of each dependent set; if that disagrees with the pivoted
        // decision, the pivots' own choice.
        dependent = dependent_columns(dense, 10.0 * out.threshold);
        if (static_cast<int>(dependent.size()) != out.num_rows - out.rank) {
            dependent.clear();
            const std::span<const int> last = qr.order().subspan(out.rank);
            dependent.assign(last.begin(), last.end());
        }
    } else {
        dependent = decide_sparse(columns, columns, out);
    }
    std::sort(dependent.begin(), dependent.end());
    for (const int c : dependent) out.redundant.push_back(chosen[c]);
    return out;
}

std::vector<int> dependent_rows(const RowSet& rows,
                                const Eigen::VectorXd& A,
                                const MassMatrix& mass,
                                const std::vector<int>& instead) {
    const ScaledRows scaled(rows, A, mass, kLightest);
    const std::vector<int>& chosen = scaled.chosen;
    std::vector<int> dependent;
    if (chosen.empty()) return dependent;
    RankAnalysis decision;
    // Longer columns are preferred.
    Eigen::SparseMatrix<double> weighed = scaled.columns;
    for (const RowOwner& owner : rows.owners)
        if (owner.body >= 0)
            for (auto row = std::ranges::lower_bound(chosen, owner.first_row);
                 row != chosen.end() && *row < owner.first_row + owner.num_rows;
                 ++row)
                weighed.col(row - chosen.begin()) *= kBodiesFirst;
    // A selection in use is kept while its coefficients are within the bound; this is tested often.
    // One with rows that have ceased to be conditions is not.
    for (std::size_t c = 0; c < chosen.size(); ++c)
        if (std::ranges::binary_search(instead, chosen[c]))
            dependent.push_back(static_cast<int>(c));
    if (!instead.empty() && dependent.size() == instead.size() &&
        dependent.size() < chosen.size() &&
        holds(scaled.columns, weighed, dependent, decision.threshold, kLargestOfOld))
        return instead;
    dependent.clear();
    if (chosen.size() <= kDenseRows) {
        // Pivoted by longer columns first: rows of bodies are preferred by kBodiesFirst.
        const RankRevealingQr qr{Eigen::MatrixXd(weighed)};
        decide(qr.pivots(), decision);
        const std::span<const int> last = qr.order().subspan(decision.rank);
        dependent.assign(last.begin(), last.end());
    } else {
        dependent = decide_sparse(scaled.columns, weighed, decision);
        strengthen(weighed, kLargest, dependent);
    }
    for (int& c : dependent) c = chosen[c];
    std::ranges::sort(dependent);
    return dependent;
}

std::vector<double> independence(const RowSet& rows,
                                 const Eigen::VectorXd& A,
                                 const MassMatrix& mass,
                                 const std::vector<int>& dropped) {
    const ScaledRows scaled(rows, A, mass, kLightest);
    std::vector<int> left;
    for (std::size_t c = 0; c < scaled.chosen.size(); ++c)
        if (std::ranges::binary_search(dropped, scaled.chosen[c]))
            left.push_back(static_cast<int>(c));
    std::vector<double> pivots;
    const std::size_t rank = scaled.chosen.size() - left.size();
    if (rank == 0) return pivots;
    if (scaled.chosen.size() <= kDenseRows) {
        // Of all rows, since others than those in use may be independent there.
        const Eigen::VectorXd all = RankRevealingQr(Eigen::MatrixXd(scaled.columns)).pivots();
        for (const double pivot : all.head(std::min(static_cast<Eigen::Index>(rank), all.size())))
            pivots.push_back(pivot);
    } else {
        const Span span(scaled.columns, left);
        // D of L D L^T of the Gram matrix: squares of the pivots of QR.
        for (const double pivot : span.basis.factor.vectorD())
            pivots.push_back(std::sqrt(std::abs(pivot)));
    }
    std::ranges::sort(pivots);
    return pivots;
}

GapClosing close_gaps(const RowSet& rows,
                      const Eigen::VectorXd& A,
                      const MassMatrix& mass,
                      const Eigen::VectorXd& pi) {
    const ScaledRows scaled(rows, A, mass);
    const auto count = static_cast<Eigen::Index>(scaled.chosen.size());
    GapClosing out{Eigen::VectorXd::Zero(mass.size()), Eigen::VectorXd::Zero(rows.num_rows())};
    if (count == 0) return out;
    // rest = D^-1/2 pi
    Eigen::VectorXd rest(count);
    for (Eigen::Index c = 0; c < count; ++c) {
        const auto k = static_cast<std::size_t>(c);
        rest[c] = scaled.length[k] > 0.0 ? pi[scaled.chosen[k]] / scaled.length[k] : 0.0;
    }
    // min |C^T x - gap| by refinement on a shifted Gram matrix; the residual left is out of the
    // range.
    const SparseFactor factor(shifted_gram(scaled.columns, Eigen::VectorXd::Constant(count, 1e-8)));
    Eigen::VectorXd x = Eigen::VectorXd::Zero(scaled.columns.rows());
    // x += C (C^T C + shift)^-1 rest: along a singular value s a pass leaves
    // shift / (s^2 + shift) of rest, and all of what is outside the range of C^T.
    for (int pass = 0; pass < 6; ++pass) {
        const Eigen::VectorXd step = scaled.columns * factor.solve(rest);
        x += step;
        rest -= scaled.columns.transpose() * step;
    }
    // dq = M^-1/2 x, the least in the norm of M, since x is in the range of C
    for (Eigen::Index i = 0; i < x.size(); ++i)
        out.displacement[i] = x[i] / std::sqrt(scaled.mass[i]);
    for (Eigen::Index c = 0; c < count; ++c) {
        const auto k = static_cast<std::size_t>(c);
        out.left[scaled.chosen[k]] = rest[c] * scaled.length[k];
    }
    return out;
}

}  // namespace ancora
