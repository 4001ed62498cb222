// SPDX-License-Identifier: BSD-3-Clause
// Ordering, assembly and factorisation of the step matrix.
#include "step_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/OrderingMethods>
#include <Eigen/SparseLU>

#include "row_set.hpp"
#include "state_archive.hpp"

namespace ancora {
namespace {

// A row's own diagonal relative to its Schur complement. 1e-10 leaves ten digits of each solve
// right, which the next iteration squares; with redundant rows rounding divided by it ends up in
// the multipliers, so it is larger there.
constexpr double kRegularisation = 1e-10;
constexpr double kRegularisationRedundant = 1e-7;
// A massless coordinate with less elastic support than this, relative, counts as held by
// constraints alone.
constexpr double kUnsupported = 1e-6;
// Factors with more entries leave the caches, and a solve then costs what reading them costs.
constexpr long kSingleEntries = 100'000;
// Bodies up to this many coordinates are eliminated as one piece.
constexpr int kSmallBody = 24;

}  // namespace

/// Eigen's L D L^T with access to its parts: our order needs no copy of the matrix, and its solve()
/// allocates.
class StepMatrix::Factor : public Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>,
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
    /// Entries of each column of L, known after analyzePattern.
    const Eigen::VectorXi& column_counts() const { return m_nonZerosPerCol; }
};

/// The unsymmetric tangent, a last resort.
struct StepMatrix::Exact {
    Eigen::SparseMatrix<double> K;
    Eigen::SparseLU<Eigen::SparseMatrix<double>> lu;
};

StepMatrix::StepMatrix(int num_coordinates,
                       const std::vector<MassEntry>& mass,
                       const RowSet& rows,
                       const std::vector<int>& first_of_body,
                       bool is_redundant)
    : n_(num_coordinates),
      m_(rows.num_rows()),
      eps_(is_redundant ? kRegularisationRedundant : kRegularisation),
      is_massless_(static_cast<std::size_t>(num_coordinates), 1),
      factor_(std::make_unique<Factor>()) {
    double trace = 0.0;
    for (const MassEntry& entry : mass) {
        mass_value_.push_back(entry.value);
        if (entry.i == entry.j && entry.value > 0.0) {
            is_massless_[static_cast<std::size_t>(entry.i)] = 0;
            trace += entry.value;
        }
    }
    mean_diagonal_ = trace > 0.0 ? trace / n_ : 1.0;
    order(mass, rows, first_of_body);
    build_pattern(mass, rows);
    support_.setZero(n_);
    for (std::size_t b = 0; b < first_of_body.size(); ++b) {
        const int first = first_of_body[b];
        const int last = b + 1 < first_of_body.size() ? first_of_body[b + 1] : n_;
        if (std::any_of(is_massless_.begin() + first, is_massless_.begin() + last, [](char x) {
                return x != 0;
            }))
            massless_runs_.emplace_back(first, last);
    }
    work_.setZero(n_ + m_);

    factor_->analyse(K_);
    for (const int count : factor_->column_counts()) {
        factorise_flops_ += static_cast<double>(count) * count;
        solve_flops_ += 4.0 * count;
    }
}

StepMatrix::~StepMatrix() = default;

long StepMatrix::num_factor_entries() const {
    return static_cast<long>(factor_->L().nonZeros());
}

/// Orders groups (the coordinates of a small body with its own rows, the coordinates of a node, the
/// rows of an item) by minimum degree, and puts constraint rows behind a group that they tie, so
/// that their pivot is a Schur complement and not the regularisation alone.
void StepMatrix::order(const std::vector<MassEntry>& mass,
                       const RowSet& rows,
                       const std::vector<int>& first_of_body) {
    const auto N = static_cast<std::size_t>(n_ + m_);
    std::vector<int> group(N, -1);
    int num_groups = 0;
    const std::size_t num_bodies = first_of_body.size();
    std::vector<int> group_of_small_body(num_bodies, -1);
    for (std::size_t b = 0; b < num_bodies; ++b) {
        const int begin = first_of_body[b];
        const int end = b + 1 < num_bodies ? first_of_body[b + 1] : n_;
        const bool is_small = end - begin <= kSmallBody;
        if (is_small) group_of_small_body[b] = num_groups;
        for (int i = begin; i < end; ++i) {
            group[static_cast<std::size_t>(i)] = num_groups;
            const bool ends_node = (i - begin) % 3 == 2 || i + 1 == end;
            if (!is_small && ends_node) ++num_groups;
        }
        if (is_small && end > begin) ++num_groups;
    }
    const int num_coordinate_groups = num_groups;
    // The rows of each item follow.
    std::vector<char> must_follow;  // per row group: has a row without compliance
    for (const BlockPart& part : rows.blocks) {
        const RowOwner& owner = rows.owners[static_cast<std::size_t>(part.owner)];
        const int per_item = part.block->rows_per_item;
        const bool joins =
            owner.body >= 0 && group_of_small_body[static_cast<std::size_t>(owner.body)] >= 0;
        for (int row = 0; row < part.num_rows; ++row) {
            int& g = group[static_cast<std::size_t>(n_ + part.first_row + row)];
            if (joins) {
                g = group_of_small_body[static_cast<std::size_t>(owner.body)];
                continue;
            }
            if (row % per_item == 0) {
                ++num_groups;
                must_follow.push_back(0);
            }
            g = num_groups - 1;
            const RowKind kind = rows.laws[static_cast<std::size_t>(part.first_row + row)].kind;
            if (kind != RowKind::elastic && kind != RowKind::dashpot) must_follow.back() = 1;
        }
    }

    std::vector<Eigen::Triplet<char>> edges;
    const auto connect = [&](int i, int j) {
        const int a = group[static_cast<std::size_t>(i)];
        const int b = group[static_cast<std::size_t>(j)];
        if (a == b) return;
        edges.emplace_back(a, b, char{1});
        edges.emplace_back(b, a, char{1});
    };
    for (const MassEntry& entry : mass) connect(entry.i, entry.j);
    for (const TangentTerm& term : rows.tangent_terms) connect(term.i, term.j);
    for (int row = 0; row < m_; ++row)
        for (int k = rows.row_start[static_cast<std::size_t>(row)];
             k < rows.row_start[static_cast<std::size_t>(row) + 1];
             ++k)
            connect(n_ + row, rows.column[static_cast<std::size_t>(k)]);
    for (int g = 0; g < num_groups; ++g) edges.emplace_back(g, g, char{1});
    Eigen::SparseMatrix<char> graph(num_groups, num_groups);
    graph.setFromTriplets(edges.begin(), edges.end());
    Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> elimination;
    Eigen::AMDOrdering<int>()(graph, elimination);

    // Sequence of groups; a row group that must follow waits for its first neighbour.
    std::vector<int> sequence;
    std::vector<char> is_placed(static_cast<std::size_t>(num_groups), 0);
    std::vector<std::vector<int>> waiting(static_cast<std::size_t>(num_groups));
    for (int step = 0; step < num_groups; ++step) {
        const int g = elimination.indices()[step];
        if (g >= num_coordinate_groups &&
            must_follow[static_cast<std::size_t>(g - num_coordinate_groups)] != 0) {
            bool has_neighbour_before = false;
            for (Eigen::SparseMatrix<char>::InnerIterator it(graph, g); it; ++it)
                has_neighbour_before |= is_placed[static_cast<std::size_t>(it.row())] != 0;
            if (!has_neighbour_before) {
                for (Eigen::SparseMatrix<char>::InnerIterator it(graph, g); it; ++it)
                    if (it.row() != g) waiting[static_cast<std::size_t>(it.row())].push_back(g);
                continue;
            }
        }
        sequence.push_back(g);
        is_placed[static_cast<std::size_t>(g)] = 1;
        if (g >= num_coordinate_groups) continue;
        for (const int follower : waiting[static_cast<std::size_t>(g)]) {
            if (is_placed[static_cast<std::size_t>(follower)] != 0) continue;
            sequence.push_back(follower);
            is_placed[static_cast<std::size_t>(follower)] = 1;
        }
    }
    // A row group without any coordinate would still be missing.
    for (int g = 0; g < num_groups; ++g)
        if (is_placed[static_cast<std::size_t>(g)] == 0) sequence.push_back(g);

    std::vector<std::vector<int>> members(static_cast<std::size_t>(num_groups));
    for (std::size_t i = 0; i < N; ++i)
        members[static_cast<std::size_t>(group[i])].push_back(static_cast<int>(i));
    new_of_old_.resize(N);
    int next = 0;
    for (const int g : sequence)
        for (const int i : members[static_cast<std::size_t>(g)])
            new_of_old_[static_cast<std::size_t>(i)] = next++;
}

void StepMatrix::build_pattern(const std::vector<MassEntry>& mass, const RowSet& rows) {
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
    for (const MassEntry& entry : mass) add(entry.i, entry.j);
    for (const TangentTerm& term : rows.tangent_terms) add(term.i, term.j);
    for (int row = 0; row < m_; ++row)
        for (int k = rows.row_start[static_cast<std::size_t>(row)];
             k < rows.row_start[static_cast<std::size_t>(row) + 1];
             ++k)
            add(n_ + row, rows.column[static_cast<std::size_t>(k)]);
    K_.resize(n_ + m_, n_ + m_);
    K_.setFromTriplets(entries.begin(), entries.end());
    K_.makeCompressed();

    const auto place = [&](int i, int j) {
        const auto [a, b] = permuted(i, j);
        const int* begin = K_.innerIndexPtr() + K_.outerIndexPtr()[b];
        const int* end = K_.innerIndexPtr() + K_.outerIndexPtr()[b + 1];
        return static_cast<int>(std::lower_bound(begin, end, a) - K_.innerIndexPtr());
    };
    for (int i = 0; i < n_ + m_; ++i) diagonal_place_.push_back(place(i, i));
    for (const MassEntry& entry : mass) mass_place_.push_back(place(entry.i, entry.j));
    for (const TangentTerm& term : rows.tangent_terms)
        tangent_place_.push_back(place(term.i, term.j));
    for (int row = 0; row < m_; ++row)
        for (int k = rows.row_start[static_cast<std::size_t>(row)];
             k < rows.row_start[static_cast<std::size_t>(row) + 1];
             ++k)
            jacobian_place_.push_back(place(n_ + row, rows.column[static_cast<std::size_t>(k)]));
}

void StepMatrix::assemble(const RowSet& rows, const Eigen::VectorXd& gamma, double h) {
    double* K = K_.valuePtr();
    std::fill(K, K + K_.nonZeros(), 0.0);

    // 2 M / h^2 + G / 2
    const double scale = 2.0 / (h * h);
    for (std::size_t k = 0; k < mass_place_.size(); ++k)
        K[mass_place_[k]] += scale * mass_value_[k];
    for (std::size_t k = 0; k < tangent_place_.size(); ++k) {
        const TangentTerm& term = rows.tangent_terms[k];
        K[tangent_place_[k]] += 0.5 * term.weight * rows.K[term.from];
    }
    // B, and what supports each coordinate: the diagonal of the leading block, for one without mass
    // the elastic rows that hold it.
    for (int i = 0; i < n_; ++i)
        support_[i] = is_massless_[static_cast<std::size_t>(i)] != 0
                          ? 0.0
                          : std::abs(K[diagonal_place_[static_cast<std::size_t>(i)]]);
    for (int row = 0; row < m_; ++row) {
        const int end = rows.row_start[static_cast<std::size_t>(row) + 1];
        for (int k = rows.row_start[static_cast<std::size_t>(row)]; k < end; ++k) {
            const double b = rows.B[k];
            K[jacobian_place_[static_cast<std::size_t>(k)]] += b;
            const int i = rows.column[static_cast<std::size_t>(k)];
            if (gamma[row] > 0.0 && is_massless_[static_cast<std::size_t>(i)] != 0)
                support_[i] += b * b / gamma[row];
        }
    }
    // +delta where no mass stands, relative to that support, or where there is none to what is
    // usual: the stiffest massless coordinate of the body, else the mean mass.
    for (const auto& [first, last] : massless_runs_) {
        double usual = 0.0;
        for (int i = first; i < last; ++i)
            if (is_massless_[static_cast<std::size_t>(i)] != 0)
                usual = std::max(usual, support_[i]);
        if (!(usual > 0.0)) usual = scale * mean_diagonal_;
        for (int i = first; i < last; ++i) {
            if (is_massless_[static_cast<std::size_t>(i)] == 0) continue;
            if (support_[i] < kUnsupported * usual) support_[i] = usual;
            K[diagonal_place_[static_cast<std::size_t>(i)]] += eps_ * support_[i];
        }
    }
    // -gamma, but never less than eps times the row's Schur complement
    for (int row = 0; row < m_; ++row) {
        double schur = 0.0;
        const int end = rows.row_start[static_cast<std::size_t>(row) + 1];
        for (int k = rows.row_start[static_cast<std::size_t>(row)]; k < end; ++k)
            schur += rows.B[k] * rows.B[k] / support_[rows.column[static_cast<std::size_t>(k)]];
        const double delta = schur > 0.0 ? eps_ * schur : 1.0;
        K[diagonal_place_[static_cast<std::size_t>(n_ + row)]] = -std::max(gamma[row], delta);
    }
}

bool StepMatrix::factorise(const RowSet& rows,
                           const Eigen::VectorXd& B_end,
                           const Eigen::VectorXd& gamma,
                           double h,
                           Tangent tangent) {
    assemble(rows, gamma, h);
    use_exact_ = tangent == Tangent::exact;
    is_factorised_ = use_exact_ ? factorise_exact(rows, B_end) : factorise_assembled();
    return is_factorised_;
}

bool StepMatrix::factorise_assembled() {
    if (!factor_->factorise(K_)) return false;
    if (!has_supernodes_) {
        supernodes_.analyse(factor_->L());
        has_supernodes_ = true;
        in_single_ = factor_->L().nonZeros() > kSingleEntries;
    }
    supernodes_.copy(factor_->L(), factor_->D(), in_single_);
    return true;
}

template <class Archive>
void StepMatrix::transfer(Archive& archive) {
    archive(is_factorised_);
    archive(use_exact_);
    archive(in_single_);
    archive(has_supernodes_);
    if (!is_factorised_) return;
    if (use_exact_) {
        if (exact_ == nullptr) {
            exact_ = std::make_unique<Exact>();
            exact_->K = K_.selfadjointView<Eigen::Upper>();
        }
        archive.array(exact_->K.valuePtr(), exact_->K.nonZeros());
        if constexpr (Archive::kReads) exact_->lu.compute(exact_->K);
        return;
    }
    archive.array(K_.valuePtr(), K_.nonZeros());
    if constexpr (Archive::kReads) {
        const bool in_single = in_single_;
        has_supernodes_ = false;
        factorise_assembled();
        if (!in_single) use_double();
    }
}
template void StepMatrix::transfer(StateWriter&);
template void StepMatrix::transfer(StateReader&);

void StepMatrix::use_double() {
    in_single_ = false;
    supernodes_.copy(factor_->L(), factor_->D(), false);
}

bool StepMatrix::factorise_exact(const RowSet& rows, const Eigen::VectorXd& B_end) {
    if (exact_ == nullptr) exact_ = std::make_unique<Exact>();
    exact_->K = K_.selfadjointView<Eigen::Upper>();
    // Below the diagonal block stands B at the end of the step: d(B(mid) dq) / d(dq).
    for (int row = 0; row < m_; ++row)
        for (int k = rows.row_start[static_cast<std::size_t>(row)];
             k < rows.row_start[static_cast<std::size_t>(row) + 1];
             ++k)
            exact_->K.coeffRef(
                new_of_old_[static_cast<std::size_t>(n_ + row)],
                new_of_old_[static_cast<std::size_t>(rows.column[static_cast<std::size_t>(k)])]) =
                B_end[k];
    exact_->lu.compute(exact_->K);
    return exact_->lu.info() == Eigen::Success;
}

void StepMatrix::solve(std::span<const double> r_motion,
                       std::span<const double> r_rows,
                       std::span<double> ddq,
                       std::span<double> ds) {
    const auto n = static_cast<std::size_t>(n_);
    const auto m = static_cast<std::size_t>(m_);
    double* x = work_.data();
    const int* at = new_of_old_.data();
    for (std::size_t i = 0; i < n; ++i) x[at[i]] = r_motion[i];
    for (std::size_t i = 0; i < m; ++i) x[at[n + i]] = r_rows[i];
    if (use_exact_) {
        work_ = exact_->lu.solve(work_).eval();
        x = work_.data();
    } else {
        supernodes_.solve(x);
    }
    for (std::size_t i = 0; i < n; ++i) ddq[i] = x[at[i]];
    for (std::size_t i = 0; i < m; ++i) ds[i] = x[at[n + i]];
}

}  // namespace ancora
