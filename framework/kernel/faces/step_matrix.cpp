// SPDX-License-Identifier: BSD-3-Clause
// Ordering, assembly and factorisation of the step matrix.
#include "step_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "elimination_order.hpp"
#include "elimination_tree.hpp"
#include "sparse_lu.hpp"
#include "state_archive.hpp"
#include "symmetric_pattern.hpp"

namespace ancora {
namespace {

// A row's own diagonal relative to its Schur complement. 1e-10 leaves ten digits of each solve
// right, which the next iteration squares; with redundant rows rounding divided by it ends up in
// the multipliers, so it is larger there.
constexpr double kRegularisation = 1e-10;
constexpr double kRegularisationRedundant = 1e-7;
constexpr double kUnregularised = 1e-17;
constexpr double kLongChain = 0.2;
constexpr double kFinest = 1e-14;
// Rows whose damping relative to masses is below this are idle, and do not count in the scale.
constexpr double kIdle = 1e-100;
// A massless coordinate with less elastic support than this, relative, counts as held by
// constraints alone.
constexpr double kUnsupported = 1e-6;
// Masses that differ by more inherit each other's diagonal scale through the rows that couple them,
// in so many rounds: a heavy mass behind a light one counts in the scale of that.
constexpr double kAlike = 1e7;
constexpr int kLendings = 3;
// Regularisation of a light coordinate's diagonal: small relative to masses of their own, and large
// enough for its elimination to keep digits of the coordinates coupled to it.
constexpr double kLent = 1e-13;
// Factors with more entries exceed the caches, and a solve is then bound by memory.
constexpr long kSingleEntries = 100'000;
// Largest stiffness of a condensed row beside the mass, B M^-1 B^T h^2 / (2 gamma): the loss of
// digits in its stress by a difference. Far beyond that, rows are no longer condensed.
constexpr double kStiffest = 1e3;
constexpr double kFarBeyond = 1e2;
// Cost of a group of columns in a solve besides its entries, in operations (measured).
constexpr double kPerGroup = 60.0;

/// The least eigenvalue of a chain's Schur complement falls with the square of its length, and the
/// regularisation has to stay below it.
double regularisation(int num_rows, bool is_redundant) {
    if (is_redundant) return kRegularisationRedundant;
    // s^2 of a chain of N rows is of the order of 1 / N^2:
    // eps = 0.2 / N^2, between 1e-14 and 1e-10.
    const double rows = std::max(1, num_rows);
    return std::clamp(kLongChain / (rows * rows), kFinest, kRegularisation);
}

/// Whether every coordinate and each uncondensed row has a unique place.
bool is_order(const std::vector<int>& order, int n, int m) {
    if (order.size() != static_cast<std::size_t>(n + m)) return false;
    std::vector<char> is_taken(order.size(), 0);
    int last = -1;
    int count = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const int place = order[i];
        if (place == -1 && i >= static_cast<std::size_t>(n)) continue;
        if (place < 0 || place >= n + m) return false;
        char& taken = is_taken[place];
        if (taken != 0) return false;
        taken = 1;
        last = std::max(last, place);
        ++count;
    }
    return last + 1 == count;
}

/// The elimination sequence, in which groups that must follow another come after their first
/// neighbour, and those without any last.
std::vector<int> with_followers(const std::vector<int>& wanted,
                                const EliminationGroups::Graph& graph,
                                const std::vector<char>& must_follow) {
    std::vector<int> sequence;
    std::vector<char> is_placed(wanted.size(), 0);
    std::vector<std::vector<int>> waiting(wanted.size());
    const auto place = [&](int g) {
        if (is_placed[g] != 0) return;
        sequence.push_back(g);
        is_placed[g] = 1;
    };
    for (const int g : wanted) {
        if (must_follow[g] != 0) {
            bool has_neighbour_before = false;
            for (EliminationGroups::Graph::InnerIterator it(graph, g); it; ++it)
                has_neighbour_before |= is_placed[it.row()] != 0;
            if (!has_neighbour_before) {
                for (EliminationGroups::Graph::InnerIterator it(graph, g); it; ++it)
                    if (it.row() != g) waiting[it.row()].push_back(g);
                continue;
            }
        }
        place(g);
        for (const int follower : waiting[g]) place(follower);
    }
    for (const int g : wanted) place(g);
    return sequence;
}

}  // namespace

/// The consistent (unsymmetric) tangent, last of the fallback sequence.
struct StepMatrix::Exact {
    Eigen::SparseMatrix<double> K;
    SparseLu lu;
};

StepMatrix::StepMatrix(int num_coordinates,
                       const std::vector<MassEntry>& mass,
                       const RowLayout& rows,
                       const std::vector<int>& first_of_body,
                       bool is_redundant,
                       Condense condense,
                       const ForceTangents& tangents)
    : n_(num_coordinates),
      m_(rows.num_rows()),
      rows_(rows),
      eps_(regularisation(rows.num_rows(), is_redundant)),
      condense_(condense),
      mass_(mass),
      forces_(tangents),
      first_of_body_(first_of_body),
      is_massless_(static_cast<std::size_t>(num_coordinates), 1) {
    // The range of the diagonal decides whether light coordinates take a
    // scale from heavy ones, see inherit_scale().
    double trace = 0.0;
    double lightest = std::numeric_limits<double>::infinity();
    double heaviest = 0.0;
    for (const MassEntry& entry : mass_) {
        if (entry.i == entry.j && entry.value > 0.0) {
            is_massless_[entry.i] = 0;
            trace += entry.value;
            lightest = std::min(lightest, entry.value);
            heaviest = std::max(heaviest, entry.value);
        }
    }
    mean_diagonal_ = trace > 0.0 ? trace / n_ : 1.0;
    is_lent_.assign(n_, 0);
    masses_differ_ = !(heaviest <= kAlike * lightest) ||
                     std::ranges::find(is_massless_, 1) != is_massless_.end();
    support_.setZero(n_);
    for (std::size_t b = 0; b < first_of_body.size(); ++b) {
        const int first = first_of_body[b];
        const int last = b + 1 < first_of_body.size() ? first_of_body[b + 1] : n_;
        if (std::any_of(is_massless_.begin() + first, is_massless_.begin() + last, [](char x) {
                return x != 0;
            }))
            massless_runs_.emplace_back(first, last);
    }
    // Few are in K from the start, so that it is laid out once.
    const bool are_many = rows_.unilateral().size() > static_cast<std::size_t>(n_);
    set_absent([this, are_many](int row) {
        return are_many && rows_.laws[row].kind == RowKind::unilateral;
    });
    was_closed_.assign(rows_.unilateral().size(), 0);
}

/// Of the unilateral rows these are absent.
void StepMatrix::set_absent(auto is_absent) {
    is_absent_.assign(static_cast<std::size_t>(m_), 0);
    is_absent_tangent_.clear();
    for (const int row : rows_.unilateral()) is_absent_[row] = is_absent(row) ? 1 : 0;
    for (const BlockPart& part : rows_.blocks) {
        is_absent_tangent_.resize(static_cast<std::size_t>(part.first_tangent + part.num_tangent));
        if (part.num_tangent == 0) continue;
        const int rows = part.block->rows_per_item, items = part.block->num_items;
        const int each = part.num_tangent / items;
        for (int item = 0; item < items; ++item) {
            const auto first = is_absent_.begin() + part.first_row + item * rows;
            if (std::find(first, first + rows, 0) == first + rows)
                std::fill_n(
                    is_absent_tangent_.begin() + part.first_tangent + item * each, each, char{1});
        }
    }
}

/// @returns whether a row is closed that has been absent
bool StepMatrix::take_closed_in() {
    bool any = false;
    const std::vector<int>& unilateral = rows_.unilateral();
    for (std::size_t i = 0; i < unilateral.size(); ++i) {
        if (rows_.laws[unilateral[i]].kind == RowKind::unilateral) continue;
        was_closed_[i] = 1;
        any = any || is_absent_[unilateral[i]] != 0;
    }
    if (!any) return false;
    set_absent([&, i = std::size_t(0)](int) mutable {
        return was_closed_[i++] == 0;
    });
    for (std::size_t i = 0; i < unilateral.size(); ++i)
        was_closed_[i] = rows_.laws[unilateral[i]].kind == RowKind::unilateral ? 0 : 1;
    return true;
}

void StepMatrix::follow_mass(std::span<const double> values) {
    followed_mass_.assign(values.begin(), values.end());
}

void StepMatrix::plan(const Values& values, double h) {
    support(values, h);
    decide(values);
}

StepMatrix::~StepMatrix() = default;

/// Orders groups (the coordinates of a small body with its own rows, the coordinates of a node, the
/// rows of an item) by minimum degree, or small bodies before the rows that connect them, whichever
/// is less work, and puts constraint rows behind a group that they tie, so that their pivot is a
/// Schur complement and not the regularisation alone.
StepMatrix::Layout StepMatrix::lay_out_mixed() const {
    EliminationGroups groups(n_, first_of_body_, m_);
    // The rows of each item follow.
    const int num_coordinate_groups = groups.size();
    // Of each group: has a row without compliance.
    std::vector<char> must_follow(static_cast<std::size_t>(num_coordinate_groups), 0);
    // Rows within a small body are eliminated with it, others item by item.
    for (const BlockPart& part : rows_.blocks) {
        const int body = rows_.owners[part.owner].body;
        const int own = body >= 0 ? groups.of_small_body(body) : -1;
        int group = own;
        for (int row = part.first_row; row < part.first_row + part.num_rows; ++row) {
            if (is_absent_[row] != 0) continue;
            if (own < 0 && (row - part.first_row) % part.block->rows_per_item == 0) {
                group = groups.add();
                must_follow.push_back(0);
            }
            groups.put_row(row, group);
            if (own >= 0) continue;
            // Without gamma a row needs coordinates before it: its pivot is
            // then -sum of B_kj^2 / K_jj, and not -delta.
            const RowKind kind = rows_.laws[row].kind;
            if (kind != RowKind::elastic && kind != RowKind::dashpot) must_follow.back() = 1;
        }
    }

    // The graph of (1) on groups: M, G and T between coordinates, B between rows and coordinates.
    for (const MassEntry& entry : mass_) groups.connect(entry.i, entry.j);
    rows_.tangent_terms.for_each_term([&](const TangentTerm& term) {
        if (is_absent_tangent_[term.from] == 0) groups.connect(term.i, term.j);
    });
    forces_.for_each_symmetric([&](int i, int j, double) {
        groups.connect(i, j);
    });
    for (int row = 0; row < m_; ++row) {
        if (is_absent_[row] != 0) continue;
        for (const int k : rows_.entries(row)) groups.connect(n_ + row, rows_.column_of(k));
    }
    const EliminationGroups::Graph graph = groups.graph();

    const auto lay_out_in = [&](const std::vector<int>& sequence) {
        return lay_out(groups.places(with_followers(sequence, graph, must_follow)));
    };
    Layout layout = lay_out_in(by_minimum_degree(graph));
    // Massless coordinates follow the groups that determine them.
    if (std::ranges::find(is_massless_, 1) != is_massless_.end()) return layout;
    const std::vector<int> bodies_first = small_bodies_first(groups, graph);
    if (bodies_first.empty()) return layout;
    Layout other = lay_out_in(bodies_first);
    return other.work < layout.work ? other : layout;
}

Eigen::SparseMatrix<double> StepMatrix::pattern(const Order& order) const {
    const auto size = static_cast<int>(std::ranges::count_if(order, [](int place) {
        return place >= 0;
    }));
    return symmetric_pattern(size, [&](const auto& add_ordered) {
        const auto add = [&](int i, int j) {
            add_ordered(order[i], order[j]);
        };
        for (int i = 0; i < n_ + m_; ++i)
            if (order[i] >= 0) add(i, i);
        for (const MassEntry& entry : mass_) add(entry.i, entry.j);
        rows_.tangent_terms.for_each_term([&](const TangentTerm& term) {
            if (is_absent_tangent_[term.from] == 0) add(term.i, term.j);
        });
        forces_.for_each_symmetric([&](int i, int j, double) {
            add(i, j);
        });
        for (int row = 0; row < m_; ++row) {
            if (is_absent_[row] != 0) continue;
            const int* begin = rows_.column.data() + rows_.row_begin(row);
            const int* end = rows_.column.data() + rows_.row_end(row);
            // A row of K has entries B_k; condensed it leaves B_k^T B_k,
            // a clique of its coordinates.
            const bool is_condensed = order[n_ + row] < 0;
            for (const int* i = begin; i != end; ++i) {
                if (!is_condensed) add(n_ + row, *i);
                for (const int* j = begin; is_condensed && j != i; ++j) add(*i, *j);
            }
        }
    });
}

StepMatrix::Layout StepMatrix::lay_out(Order order) const {
    Layout layout{std::move(order), {}, 0.0};
    layout.pattern = pattern(layout.order);
    EliminationTree tree(layout.pattern);
    if (tree.put_in_postorder(layout.order)) {
        layout.pattern = pattern(layout.order);
        tree = EliminationTree(layout.pattern);
    }
    // Each entry of L takes two operations down and two up. A column that does not continue
    // the structure of the one before begins a panel, which costs kPerGroup besides.
    for (std::size_t j = 0; j < tree.count.size(); ++j) {
        layout.work += 4.0 * tree.count[j];
        if (j == 0 || tree.parent[j - 1] != static_cast<int>(j) ||
            tree.count[j - 1] != tree.count[j] + 1)
            layout.work += kPerGroup;
    }
    // Condensed rows are applied before the solve with L and after it.
    for (int row = 0; row < m_; ++row)
        if (layout.order[n_ + row] < 0 && is_absent_[row] == 0)
            layout.work += 4.0 * (rows_.row_end(row) - rows_.row_begin(row));
    return layout;
}

/// Chooses the rows that are condensed and the order, with these values of the rows_.
void StepMatrix::decide(const Values& values) {
    const Eigen::VectorXd& gamma = values.gamma;
    is_decided_ = true;
    const std::vector<char> none(static_cast<std::size_t>(m_), 0);
    // Soft are rows with S_k <= kStiffest |gamma_k|, S_k by (32) of theory: s = (B dq - r) / gamma
    // is then a difference that keeps its digits. gamma < 0 is that of a damper in a step back in
    // time, of which compositions have some.
    std::vector<char> soft = none;
    for (int row = 0; row < m_; ++row)
        soft[row] = gamma[row] != 0.0 && schur(values.B, row) <= kStiffest * std::abs(gamma[row]);
    Layout mixed = lay_out_mixed();
    if (condense_ == Condense::never || soft == none) {
        if (new_of_old_ != mixed.order) prepare(std::move(mixed));
        return;
    }

    // The others keep their order.
    Order without = mixed.order;
    std::vector<int> old_of_new(static_cast<std::size_t>(mixed.pattern.rows()));
    for (std::size_t i = 0; i < without.size(); ++i)
        if (without[i] >= 0) old_of_new[without[i]] = static_cast<int>(i);
    int next = 0;
    for (const int i : old_of_new) {
        const bool is_out = i >= n_ && soft[i - n_] != 0;
        without[i] = is_out ? -1 : next++;
    }
    Layout condensed = lay_out(std::move(without));
    const bool pays = condense_ == Condense::all || condensed.work < mixed.work;
    Layout& best = pays ? condensed : mixed;
    Eigen::SparseMatrix<double>().swap((pays ? mixed : condensed).pattern);  // gives room
    if (new_of_old_ != best.order) prepare(std::move(best));
}

/// Takes an order and its pattern.
void StepMatrix::prepare(Layout layout) {
    new_of_old_ = std::move(layout.order);
    K_.swap(layout.pattern);
    const Order& order = new_of_old_;
    const auto place = [&](int i, int j) {
        const int a = std::min(order[i], order[j]);
        const int b = std::max(order[i], order[j]);
        const int* begin = K_.innerIndexPtr() + K_.outerIndexPtr()[b];
        const int* end = K_.innerIndexPtr() + K_.outerIndexPtr()[b + 1];
        return static_cast<int>(std::lower_bound(begin, end, a) - K_.innerIndexPtr());
    };
    for (std::vector<int>* list : {&mass_place_,
                                   &tangent_place_,
                                   &force_place_,
                                   &jacobian_place_,
                                   &diagonal_place_,
                                   &condensed_rows_,
                                   &condensed_.column,
                                   &condensed_from_,
                                   &pair_place_})
        list->clear();
    condensed_.row_start.assign(1, 0);
    // Places of all terms in K's values, in the order in which assemble() goes along them.
    for (int i = 0; i < n_ + m_; ++i) diagonal_place_.push_back(order[i] < 0 ? -1 : place(i, i));
    mass_place_.reserve(mass_.size());
    tangent_place_.reserve(rows_.tangent_terms.size());
    jacobian_place_.reserve(rows_.column.size());
    for (const MassEntry& entry : mass_) mass_place_.push_back(place(entry.i, entry.j));
    rows_.tangent_terms.for_each_term([&](const TangentTerm& term) {
        tangent_place_.push_back(is_absent_tangent_[term.from] != 0 ? -1 : place(term.i, term.j));
    });
    forces_.for_each_symmetric([&](int i, int j, double) {
        force_place_.push_back(place(i, j));
    });
    for (int row = 0; row < m_; ++row) {
        const int begin = rows_.row_begin(row);
        const int end = rows_.row_end(row);
        const bool is_condensed = order[n_ + row] < 0;
        for (int k = begin; k < end; ++k) {
            const int i = rows_.column_of(k);
            jacobian_place_.push_back(is_condensed ? -1 : place(n_ + row, i));
            if (!is_condensed || is_absent_[row] != 0) continue;
            condensed_.column.push_back(order[i]);
            condensed_from_.push_back(k);
            // Products of a condensed row's entries, l <= k.
            for (int l = begin; l <= k; ++l) pair_place_.push_back(place(i, rows_.column_of(l)));
        }
        if (!is_condensed || is_absent_[row] != 0) continue;
        condensed_rows_.push_back(row);
        condensed_.row_start.push_back(static_cast<int>(condensed_.column.size()));
    }
    for (std::vector<int>* list : {&condensed_.column, &condensed_from_, &pair_place_})
        list->shrink_to_fit();
    condensed_B_.setZero(static_cast<Eigen::Index>(condensed_.column.size()));
    condensed_stiffness_.setZero(static_cast<Eigen::Index>(condensed_rows_.size()));
    work_.setZero(K_.rows());

    factor_.analyse(K_, kSingleEntries);
    exact_.reset();
    follow_workers();
}

/// What supports each coordinate: the diagonal of the leading block without elastic rows, for one
/// without mass the elastic rows that hold it, or where there is nothing what is usual: the
/// stiffest massless coordinate of the body, else the mean mass.
void StepMatrix::support(const Values& values, double h) {
    const Eigen::VectorXd& B = values.B;
    const Eigen::VectorXd& gamma = values.gamma;
    // K_jj = 2 M_jj / h^2 + G_jj / 2 where there is mass
    const double scale = 2.0 / (h * h);
    support_.setZero();
    for (std::size_t k = 0; k < mass_.size(); ++k) {
        const auto [i, j, value] = mass_[k];
        if (i == j && is_massless_[i] == 0) support_[i] += scale * mass_value(k);
    }
    rows_.tangent_terms.for_each(values.K.data(), [&](double weight, double entry, int i, int j) {
        if (i == j && is_massless_[i] == 0) support_[i] += 0.5 * weight * entry;
    });
    for (int i = 0; i < n_; ++i) support_[i] = std::abs(support_[i]);
    if (massless_runs_.empty()) {
        inherit_scale(values);
        return;
    }
    // K_jj = sum over k of B_kj^2 / gamma_k where there is none: the stiffness of elastic rows
    for (int row = 0; row < m_; ++row) {
        for (const int k : rows_.entries(row)) {
            const int i = rows_.column_of(k);
            if (gamma[row] != 0.0 && is_massless_[i] != 0)
                support_[i] += B[k] * B[k] / std::abs(gamma[row]);
        }
    }
    for (const auto& [first, last] : massless_runs_) {
        double usual = 0.0;
        for (int i = first; i < last; ++i)
            if (is_massless_[i] != 0) usual = std::max(usual, support_[i]);
        if (!(usual > kIdle * scale * mean_diagonal_)) usual = scale * mean_diagonal_;
        for (int i = first; i < last; ++i)
            if (is_massless_[i] != 0 && support_[i] < kUnsupported * usual) support_[i] = usual;
    }
    inherit_scale(values);
}

/// A light coordinate that a constraint ties to a heavy one moves with it: it is measured by what
/// supports the others of the row. Else the regularisation of a row between it and the ground would
/// be soft beside what rests on it.
void StepMatrix::inherit_scale(const Values& values) {
    const Eigen::VectorXd& B = values.B;
    const Eigen::VectorXd& gamma = values.gamma;
    lent_support_ = support_;
    if (!masses_differ_) return;
    std::ranges::fill(is_lent_, 0);
    for (int round = 0; round < kLendings; ++round)
        for (int row = 0; row < m_; ++row) {
            if (gamma[row] != 0.0) continue;
            const int begin = rows_.row_begin(row);
            const int end = rows_.row_end(row);
            // The one that the row moves most easily, and what the others make of the row.
            int lightest = -1;
            double most = 0.0;
            double others = 0.0;
            for (int k = begin; k < end; ++k) {
                // Terms of S_k = sum of B_kj^2 / K_jj: the largest, and the sum of the others
                const double share = B[k] * B[k] / lent_support_[rows_.column_of(k)];
                others += share > most ? most : share;
                if (share <= most) continue;
                most = share;
                lightest = k;
            }
            if (!(most > kAlike * others) || !(others > 0.0)) continue;
            // Masses lend, and not entries next to nothing, as of a director along an axis: those
            // would hold what is free to move.
            double heaviest = 0.0;
            for (int k = begin; k < end; ++k)
                if (k != lightest) heaviest = std::max(heaviest, lent_support_[rows_.column_of(k)]);
            // The K_ii at which i has as large a term as the others together.
            const int i = rows_.column_of(lightest);
            const double lent = std::min(B[lightest] * B[lightest] / others, heaviest);
            if (!(lent > kAlike * lent_support_[i])) continue;
            lent_support_[i] = lent;
            is_lent_[i] = 1;
        }
}

/// A row's Schur complement, by the diagonal alone.
double StepMatrix::schur(const Eigen::VectorXd& B, int row) const {
    return schur(B, row, support_);
}

double StepMatrix::schur(const Eigen::VectorXd& B, int row, const Eigen::VectorXd& support) const {
    // S_k = sum over j of B_kj^2 / K_jj (theory (32))
    double sum = 0.0;
    for (const int k : rows_.entries(row)) sum += B[k] * B[k] / support[rows_.column_of(k)];
    return sum;
}

void StepMatrix::assemble(const Values& values, double h, double eps) {
    const Eigen::VectorXd& B = values.B;
    const Eigen::VectorXd& gamma = values.gamma;
    support(values, h);
    if (take_closed_in() || !is_decided_) decide(values);
    // The step has become longer or the row stiffer: beside the mass it is no longer soft.
    for (const int row : condensed_rows_) {
        if (schur(B, row) <= kFarBeyond * kStiffest * std::abs(gamma[row])) continue;
        decide(values);
        break;
    }
    double* K = K_.valuePtr();
    std::fill(K, K + K_.nonZeros(), 0.0);

    // 2 M / h^2 + G / 2 + T
    const double scale = 2.0 / (h * h);
    for (std::size_t k = 0; k < mass_place_.size(); ++k) K[mass_place_[k]] += scale * mass_value(k);
    const int* tangent_place = tangent_place_.data();
    rows_.tangent_terms.for_each(values.K.data(), [&](double weight, double entry, int, int) {
        const int place = *tangent_place++;
        if (place >= 0) K[place] += 0.5 * weight * entry;
    });
    const int* force_place = force_place_.data();
    forces_.for_each_symmetric([&](int, int, double value) {
        K[*force_place++] += value;
    });
    // +eps K_jj on coordinates without mass (theory (32)); a light coordinate
    // that bears heavy ones gets kLent of what supports these.
    for (int i = 0; i < n_ && (masses_differ_ || !massless_runs_.empty()); ++i)
        if (is_massless_[i] != 0)
            K[diagonal_place_[i]] += eps * lent_support_[i];
        else if (is_lent_[i] != 0)
            K[diagonal_place_[i]] += kLent * lent_support_[i];
    // B, and -gamma, but never less than eps times the row's Schur complement
    for (int row = 0; row < m_; ++row) {
        if (new_of_old_[n_ + row] < 0) continue;
        for (const int k : rows_.entries(row)) K[jacobian_place_[k]] += B[k];
        // Quasi-definite: leading block > 0, -gamma or -delta < 0, so L D L^T exists
        // in any order (Vanderbei, SIAM J. Optim. 5 (1995) 100).
        const double complement = schur(B, row, lent_support_);
        const double delta = complement > 0.0 ? eps * complement : 1.0;
        K[diagonal_place_[n_ + row]] = -(std::abs(gamma[row]) > delta ? gamma[row] : delta);
    }
    // B^T B / gamma
    const int* place = pair_place_.data();
    for (std::size_t c = 0; c < condensed_rows_.size(); ++c) {
        const double stiffness = 1.0 / gamma[condensed_rows_[c]];
        condensed_stiffness_[static_cast<Eigen::Index>(c)] = stiffness;
        const int begin = condensed_.row_begin(static_cast<int>(c));
        const int end = condensed_.row_end(static_cast<int>(c));
        for (int k = begin; k < end; ++k) {
            condensed_B_[k] = B[condensed_from_[k]];
            const double scaled = stiffness * condensed_B_[k];
            for (int l = begin; l <= k; ++l) K[*place++] += scaled * condensed_B_[l];
        }
    }
}

bool StepMatrix::factorise(const Values& values,
                           const Eigen::VectorXd& B_end,
                           double h,
                           Tangent tangent) {
    use_exact_ = tangent == Tangent::consistent;
    // Pivoting needs no regularisation, which beside a singular position is more than the rows_.
    assemble(values, h, use_exact_ ? std::min(eps_, kUnregularised) : eps_);
    is_factorised_ = use_exact_ ? factorise_exact(B_end) : factor_.factorise(K_);
    return is_factorised_;
}

bool StepMatrix::is_quasi_definite() const {
    const Eigen::VectorXd& pivots = factor_.pivots();
    return (pivots.array() > 0.0).count() == n_;
}

template <class Archive>
void StepMatrix::transfer(Archive& archive) {
    archive(is_decided_);
    Order order = new_of_old_;
    archive(order);
    if constexpr (Archive::kReads) {
        is_factorised_ = false;
        const bool fits =
            is_decided_ ? is_order(order, n_, m_) : order.empty() && new_of_old_.empty();
        if (!fits) ArchiveReader::refuse();
        if (is_decided_)
            set_absent([&](int row) {
                return order[n_ + row] < 0;
            });
        if (order != new_of_old_) prepare({order, pattern(order), 0.0});
    }
    archive.fixed(was_closed_);
    archive.require(std::ranges::all_of(was_closed_,
                                        [](char c) {
                                            return c == 0 || c == 1;
                                        }),
                    "a flag");
    archive(condensed_B_);
    archive(condensed_stiffness_);
    archive(is_factorised_);
    archive(use_exact_);
    bool in_single = factor_.is_single();
    archive(in_single);
    archive.require(is_decided_ || !is_factorised_, "a matrix");
    // The same values in the same order have the same factors to the last bit: values are saved.
    if (Archive::kReads && in_single != factor_.is_single()) factor_.use_single(in_single);
    if (!is_factorised_) return;
    if (use_exact_) {
        if (exact_ == nullptr) {
            exact_ = std::make_unique<Exact>();
            exact_->K = K_.selfadjointView<Eigen::Upper>();
        }
        archive.array(exact_->K.valuePtr(), exact_->K.nonZeros());
        exact_B_.resize(condensed_B_.size());
        archive(exact_B_);
        if constexpr (Archive::kReads) {
            archive.require(exact_->lu.compute(exact_->K), "a matrix");
        }
        return;
    }
    archive.array(K_.valuePtr(), K_.nonZeros());
    if constexpr (Archive::kReads) archive.require(factor_.factorise(K_), "a matrix");
}
template void StepMatrix::transfer(ArchiveWriter&);
template void StepMatrix::transfer(ArchiveReader&);

bool StepMatrix::use_double() {
    factor_.use_single(false);
    is_factorised_ = use_exact_ || factor_.factorise(K_);
    return is_factorised_;
}

bool StepMatrix::factorise_exact(const Eigen::VectorXd& B_end) {
    // [2 M / h^2 + G / 2 + T, B^T; B_end, -gamma], all of T, with pivots by LU
    if (exact_ == nullptr) exact_ = std::make_unique<Exact>();
    exact_->K = K_.selfadjointView<Eigen::Upper>();
    const auto entry = [this](int i, int j) -> double& {
        return exact_->K.coeffRef(new_of_old_[i], new_of_old_[j]);
    };
    // Below the diagonal block stands B at the end of the step: d(B(mid) dq) / d(dq).
    for (int row = 0; row < m_; ++row) {
        if (new_of_old_[n_ + row] < 0) continue;
        for (const int k : rows_.entries(row)) entry(n_ + row, rows_.column_of(k)) = B_end[k];
    }
    forces_.for_each_rest([&](int i, int j, double value) {
        entry(i, j) += value;
    });
    // Condensed: B^T s with s = (B_end dq - r) / gamma adds B^T B_end / gamma;
    // B^T B / gamma is there.
    exact_B_.resize(condensed_B_.size());
    for (std::size_t c = 0; c < condensed_rows_.size(); ++c) {
        const double stiffness = condensed_stiffness_[static_cast<Eigen::Index>(c)];
        const int begin = condensed_.row_begin(static_cast<int>(c));
        const int end = condensed_.row_end(static_cast<int>(c));
        for (int k = begin; k < end; ++k) {
            exact_B_[k] = B_end[condensed_from_[k]];
            for (int l = begin; l < end; ++l)
                exact_->K.coeffRef(condensed_.column_of(l), condensed_.column_of(k)) +=
                    stiffness * condensed_B_[l] * (exact_B_[k] - condensed_B_[k]);
        }
    }
    return exact_->lu.compute(exact_->K);
}

void StepMatrix::use_workers(Workers* workers) {
    workers_ = workers;
    factor_.use_workers(workers);
}

void StepMatrix::follow_workers() {
    if (workers_ == nullptr || !workers_->are_worth(num_condensed())) {
        condensed_columns_ = {};
        condensed_r_.resize(0);
        return;
    }
    // Coordinates as they stand, since neighbours share rows.
    std::vector<int> old_of_new(static_cast<std::size_t>(work_.size()), -1);
    for (int i = 0; i < n_; ++i) old_of_new[new_of_old_[i]] = i;
    condensed_columns_ = RowsByColumn(condensed_, n_, [&](int i) {
        return old_of_new[i];
    });
    condensed_r_.setZero(num_condensed());
}

void StepMatrix::split(int count, const auto& range) const {
    if (workers_ != nullptr)
        workers_->split(count, range);
    else
        range(0, count);
}

void StepMatrix::solve(std::span<const double> r_motion,
                       std::span<const double> r_rows,
                       std::span<double> ddq,
                       std::span<double> ds) {
    const auto n = static_cast<std::size_t>(n_);
    const auto m = static_cast<std::size_t>(m_);
    double* x = work_.data();
    // [K_11 B^T; B -gamma] (ddq, ds) = (r_motion, r_rows)
    const int* at = new_of_old_.data();
    begin_with(r_motion, r_rows, x);
    if (condensed_rows_.size() < m)
        for (std::size_t i = 0; i < m; ++i)
            if (at[n + i] >= 0) x[at[n + i]] = r_rows[i];
    if (use_exact_) {
        exact_->lu.solve(work_, work_);
        x = work_.data();
    } else {
        factor_.solve(x);
    }
    split(n_, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) ddq[i] = x[at[i]];
    });
    if (condensed_rows_.size() < m)
        for (std::size_t i = 0; i < m; ++i) {
            if (at[n + i] >= 0)
                ds[i] = x[at[n + i]];
            else if (is_absent_[i] != 0)
                ds[i] = -r_rows[i];
        }
    // s = (B dq - r) / gamma
    const double* B = use_exact_ ? exact_B_.data() : condensed_B_.data();
    const int* row_of = condensed_rows_.data();
    const double* stiffness = condensed_stiffness_.data();
    split(num_condensed(), [&](int begin, int end) {
        for (int c = begin; c < end; ++c) {
            const auto row = static_cast<std::size_t>(row_of[c]);
            ds[row] = stiffness[c] * condensed_.multiply_onto(-r_rows[row], B, c, x);
        }
    });
}

/// The part of x that belongs to coordinates: r_motion + B^T r_rows / gamma of the condensed rows.
void StepMatrix::begin_with(std::span<const double> r_motion,
                            std::span<const double> r_rows,
                            double* x) {
    const int* row_of = condensed_rows_.data();
    const double* stiffness = condensed_stiffness_.data();
    const double* B = condensed_B_.data();
    const int* at = new_of_old_.data();
    const auto r_of = [&](int c) {
        return stiffness[c] * r_rows[row_of[c]];
    };
    // By rows, or where threads sum by coordinates in the order of rows: the same bits.
    if (condensed_columns_.empty()) {
        for (int i = 0; i < n_; ++i) x[at[i]] = r_motion[i];
        for (int c = 0; c < num_condensed(); ++c) condensed_.add_transposed(B, c, r_of(c), x);
        return;
    }
    split(num_condensed(), [&](int begin, int end) {
        for (int c = begin; c < end; ++c) condensed_r_[c] = r_of(c);
    });
    split(n_, [&](int begin, int end) {
        for (int i = begin; i < end; ++i)
            x[at[i]] = condensed_columns_.multiply_onto(r_motion[i], B, i, condensed_r_.data());
    });
}

}  // namespace ancora
