// SPDX-License-Identifier: BSD-3-Clause
// Nested dissection, dense fronts, solves.
#include "sparse.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace ancora::elastic {
namespace {

// Groups that are not dissected any further.
constexpr std::size_t kLeaf = 24;
// Rows of a block: columns of this length stay in the cache.
constexpr std::size_t kRows = 128;
// Columns of a panel of an update: half a panel lies above the diagonal, and each packs all rows.
constexpr std::size_t kUpdatePanel = 768;
// Of a pivot, relative to the diagonal: below, it is rounding.
constexpr double kPivot = 1e-14;

std::size_t at(std::int32_t i) {
    return static_cast<std::size_t>(i);
}

double dot(const double* a, const double* b, std::size_t count) {
    // Four sums, which go side by side
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
    std::size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        s0 += a[i] * b[i];
        s1 += a[i + 1] * b[i + 1];
        s2 += a[i + 2] * b[i + 2];
        s3 += a[i + 3] * b[i + 3];
    }
    for (; i < count; ++i) s0 += a[i] * b[i];
    return (s0 + s1) + (s2 + s3);
}

}  // namespace

// --- matrices

/// Rows of each column ascending, each once.
void SparseSymmetric::sort_columns() {
    std::vector<std::pair<std::int32_t, double>> column;
    std::size_t count = 0;
    for (std::size_t j = 0; j + 1 < start_.size(); ++j) {
        const std::size_t begin = start_[j], end = start_[j + 1];
        column.clear();
        for (std::size_t k = begin; k < end; ++k) column.emplace_back(row_[k], value_[k]);
        const auto is_before = [](const auto& a, const auto& b) {
            return a.first < b.first;
        };
        if (!std::ranges::is_sorted(column, is_before)) std::ranges::stable_sort(column, is_before);
        start_[j] = count;
        for (const auto& [row, value] : column) {
            if (count > start_[j] && row_[count - 1] == row) {
                value_[count - 1] += value;
            } else {
                row_[count] = row;
                value_[count] = value;
                ++count;
            }
        }
    }
    start_.back() = count;
    row_.resize(count);
    value_.resize(count);
}

Eigen::MatrixXd SparseSymmetric::times(const Eigen::MatrixXd& X, bool absolute) const {
    Eigen::MatrixXd Y(X.rows(), X.cols());
    for (Eigen::Index first = 0; first < X.cols(); first += kTogether) {
        const Eigen::Index count = std::min(kTogether, X.cols() - first);
        x_.resize(kTogether, X.rows());
        if (count < kTogether) x_.setZero();
        x_.topRows(count) = X.middleCols(first, count).transpose();
        y_.setZero(kTogether, X.rows());
        for_each([&](std::int32_t i, std::int32_t j, double entry) {
            const double value = absolute ? std::abs(entry) : entry;
            y_.col(i) += value * x_.col(j);
            if (i != j) y_.col(j) += value * x_.col(i);
        });
        Y.middleCols(first, count) = y_.topRows(count).transpose();
    }
    return Y;
}

Eigen::MatrixXd product(const Columns& A, const Columns& B) {
    Eigen::MatrixXd C = Eigen::MatrixXd::Zero(A.rows(), B.cols());
    subtract_product(A, -B, C);
    return C;
}

void subtract_product(const Columns& A, const Columns& B, Eigen::MatrixXd& C) {
    const auto rows = static_cast<std::size_t>(A.rows());
    for (std::size_t first = 0; first < rows; first += kRows) {
        const std::size_t count = std::min(kRows, rows - first);
        for (Eigen::Index j = 0; j < B.cols(); ++j) {
            double* __restrict c = C.data() + j * C.rows() + first;
            for (Eigen::Index k = 0; k < A.cols(); ++k) {
                const double* __restrict a = A.data() + k * A.outerStride() + first;
                const double b = B(k, j);
                for (std::size_t i = 0; i < count; ++i) c[i] -= a[i] * b;
            }
        }
    }
}

Eigen::MatrixXd transposed_product(const Columns& A, const Columns& B) {
    Eigen::MatrixXd C = Eigen::MatrixXd::Zero(A.cols(), B.cols());
    const auto rows = static_cast<std::size_t>(A.rows());
    for (std::size_t first = 0; first < rows; first += kRows) {
        const std::size_t count = std::min(kRows, rows - first);
        for (Eigen::Index j = 0; j < B.cols(); ++j) {
            const double* __restrict b = B.data() + j * B.outerStride() + first;
            for (Eigen::Index k = 0; k < A.cols(); ++k) {
                const double* __restrict a = A.data() + k * A.outerStride() + first;
                C(k, j) += dot(a, b, count);
            }
        }
    }
    return C;
}

// --- ordering

/// Splits groups by planes across their longest extent until few are left.
class SparseCholesky::Dissection {
public:
    Dissection(const SparseSymmetric& A,
               const std::vector<std::int32_t>& group,
               const std::vector<Vec3>& position)
        : position_(position), neighbours_(position.size()), side_(position.size(), 0) {
        A.for_each([&](std::int32_t i, std::int32_t j, double) {
            const std::int32_t a = group[at(i)], b = group[at(j)];
            if (a == b) return;
            // Unknowns of a group come one after the other, and so do most repetitions
            if (!neighbours_[at(a)].empty() && neighbours_[at(a)].back() == b) return;
            neighbours_[at(a)].push_back(b);
            neighbours_[at(b)].push_back(a);
        });
        for (std::vector<std::int32_t>& of : neighbours_) {
            std::ranges::sort(of);
            of.erase(std::unique(of.begin(), of.end()), of.end());
        }
        std::vector<std::int32_t> all(position.size());
        std::iota(all.begin(), all.end(), 0);
        split(std::move(all));
    }

    struct Node {
        std::int32_t begin, end;  ///< groups in `order`
        std::vector<std::int32_t> children;
        std::vector<std::int32_t> boundary;  ///< places of groups in `order`, ascending
    };
    std::vector<std::int32_t> order;  ///< groups as they are eliminated
    std::vector<Node> nodes;          ///< children before parents

    void find_boundaries() {
        std::vector<std::int32_t> place(position_.size()), seen(position_.size(), -1);
        for (std::size_t k = 0; k < order.size(); ++k)
            place[at(order[k])] = static_cast<std::int32_t>(k);
        for (std::size_t n = 0; n < nodes.size(); ++n) {
            Node& node = nodes[n];
            const auto add = [&](std::int32_t k) {
                if (k < node.end || seen[at(k)] == static_cast<std::int32_t>(n)) return;
                seen[at(k)] = static_cast<std::int32_t>(n);
                node.boundary.push_back(k);
            };
            for (std::int32_t k = node.begin; k < node.end; ++k)
                for (const std::int32_t other : neighbours_[at(order[at(k)])])
                    add(place[at(other)]);
            for (const std::int32_t child : node.children)
                for (const std::int32_t k : nodes[at(child)].boundary) add(k);
            std::ranges::sort(node.boundary);
        }
    }

private:
    std::int32_t finish(const std::vector<std::int32_t>& own, std::vector<std::int32_t> children) {
        const auto begin = static_cast<std::int32_t>(order.size());
        order.insert(order.end(), own.begin(), own.end());
        nodes.push_back({begin, static_cast<std::int32_t>(order.size()), std::move(children), {}});
        return static_cast<std::int32_t>(nodes.size()) - 1;
    }

    /// @returns the roots of what became of these groups
    std::vector<std::int32_t> split(std::vector<std::int32_t> groups) {
        if (groups.empty()) return {};
        if (groups.size() <= kLeaf) return {finish(groups, {})};
        Vec3 low = position_[at(groups[0])], high = low;
        for (const std::int32_t g : groups) {
            low = low.cwiseMin(position_[at(g)]);
            high = high.cwiseMax(position_[at(g)]);
        }
        int axis = 0;
        const double extent = (high - low).maxCoeff(&axis);
        if (!(extent > 0.0)) return {finish(groups, {})};
        std::ranges::sort(groups, {}, [&](std::int32_t g) {
            return std::pair(position_[at(g)](axis), g);
        });
        // Planes about the middle: that with the fewest groups between both sides
        constexpr std::size_t kPlanes = 4;
        std::size_t best_size = groups.size(), best_cut = 0;
        bool best_is_lower = true;
        std::size_t cut = groups.size() / 2 - groups.size() / 16;
        for (std::size_t plane = 0; plane < kPlanes && cut < groups.size(); ++plane) {
            const double x = position_[at(groups[cut])](axis);
            while (cut < groups.size() && position_[at(groups[cut])](axis) == x) ++cut;
            if (cut == groups.size()) break;
            const auto [lower, upper] = separator_sizes(groups, cut);
            if (std::min(lower, upper) < best_size) {
                best_size = std::min(lower, upper);
                best_cut = cut;
                best_is_lower = lower <= upper;
            }
            cut = std::max(cut, cut + groups.size() / 64);
        }
        if (best_cut == 0) return {finish(groups, {})};
        mark(groups, best_cut);
        std::vector<std::int32_t> parts[2], between;
        for (std::size_t k = 0; k < groups.size(); ++k) {
            const bool is_lower = k < best_cut;
            if (is_lower == best_is_lower && touches_other(groups[k]))
                between.push_back(groups[k]);
            else
                parts[is_lower ? 0 : 1].push_back(groups[k]);
        }
        groups = {};
        std::vector<std::int32_t> children = split(std::move(parts[0]));
        for (const std::int32_t root : split(std::move(parts[1]))) children.push_back(root);
        if (between.empty()) return children;  // not joined
        return {finish(between, std::move(children))};
    }
    /// Marks lower and upper groups by numbers of their own.
    void mark(const std::vector<std::int32_t>& groups, std::size_t cut) {
        stamp_ += 2;
        for (std::size_t k = 0; k < groups.size(); ++k)
            side_[at(groups[k])] = k < cut ? stamp_ : stamp_ + 1;
    }
    bool touches_other(std::int32_t g) const {
        const std::int32_t other = side_[at(g)] == stamp_ ? stamp_ + 1 : stamp_;
        return std::ranges::any_of(neighbours_[at(g)], [&](std::int32_t n) {
            return side_[at(n)] == other;
        });
    }
    std::pair<std::size_t, std::size_t> separator_sizes(const std::vector<std::int32_t>& groups,
                                                        std::size_t cut) {
        mark(groups, cut);
        std::pair<std::size_t, std::size_t> out{0, 0};
        for (std::size_t k = 0; k < groups.size(); ++k)
            if (touches_other(groups[k])) ++(k < cut ? out.first : out.second);
        return out;
    }

    const std::vector<Vec3>& position_;
    std::vector<std::vector<std::int32_t>> neighbours_;
    std::vector<std::int32_t> side_;
    std::int32_t stamp_ = 0;
};

// --- factor

namespace {

/// What a front leaves for its parent: a lower triangle, in panels of columns without what is above
/// them.
struct Update {
    double* at = nullptr;
    std::size_t order = 0;

    /// Where row j of column j is.
    std::size_t place(std::size_t j) const {
        const std::size_t panel = j / kUpdatePanel, first = panel * kUpdatePanel;
        const std::size_t shorter = kUpdatePanel * kUpdatePanel * (panel * (panel - 1) / 2);
        return first * order - shorter + (j - first) * (order - first + 1);
    }
    std::size_t size() const { return order == 0 ? 0 : place(order - 1) + 1; }
    /// Rows from j on of a column, by their number.
    double* column(std::size_t j) const { return at + place(j) - j; }
};

/// Updates of fronts that are made children before parents. Those of even and of odd depth have a
/// stack each, so that children, which lie on top of theirs, go as soon as their parent has them.
class UpdateStacks {
public:
    /// @param order  of the update of each front
    template <class Order>
    UpdateStacks(const std::vector<std::int32_t>& parent, const Order& order)
        : updates_(parent.size()), is_odd_(parent.size()) {
        std::vector<std::vector<std::size_t>> children(parent.size());
        for (std::size_t n = parent.size(); n-- > 0;) {
            updates_[n].order = order(n);
            if (parent[n] < 0) continue;
            is_odd_[n] = 1 - is_odd_[at(parent[n])];
            children[at(parent[n])].push_back(n);
        }
        std::array<std::size_t, 2> most{};
        for (std::size_t n = 0; n < parent.size(); ++n) {
            most[is_odd_[n]] =
                std::max(most[is_odd_[n]], height_[is_odd_[n]] += updates_[n].size());
            for (const std::size_t child : children[n]) pop(child);
        }
        for (std::size_t odd = 0; odd < 2; ++odd) {
            memory_[odd] = fronts::Numbers(most[odd]);
            height_[odd] = 0;
        }
    }

    const Update& push(std::size_t n) {
        updates_[n].at = memory_[is_odd_[n]].data() + height_[is_odd_[n]];
        height_[is_odd_[n]] += updates_[n].size();
        std::fill_n(updates_[n].at, updates_[n].size(), 0.0);
        return updates_[n];
    }
    const Update& of(std::size_t n) const { return updates_[n]; }
    void pop(std::size_t n) { height_[is_odd_[n]] -= updates_[n].size(); }

private:
    std::vector<Update> updates_;
    std::vector<std::size_t> is_odd_;
    std::array<fronts::Numbers, 2> memory_;
    std::array<std::size_t, 2> height_{};
};

}  // namespace

SparseCholesky::SparseCholesky(const SparseSymmetric& A,
                               const std::vector<std::int32_t>& group,
                               const std::vector<Vec3>& position) {
    Dissection dissection(A, group, position);
    dissection.find_boundaries();
    // Unknowns in the order of their groups
    std::vector<std::vector<std::int32_t>> members(position.size());
    for (std::size_t k = 0; k < group.size(); ++k)
        members[at(group[k])].push_back(static_cast<std::int32_t>(k));
    place_.resize(group.size());
    std::vector<std::int32_t> first{0};
    for (const std::int32_t g : dissection.order) {
        std::int32_t next = first.back();
        for (const std::int32_t unknown : members[at(g)]) place_[at(unknown)] = next++;
        first.push_back(next);
    }
    std::vector<std::int32_t> parent(dissection.nodes.size(), -1);
    for (std::size_t n = 0; n < dissection.nodes.size(); ++n) {
        const Dissection::Node& node = dissection.nodes[n];
        Front front;
        front.begin = first[at(node.begin)];
        front.end = first[at(node.end)];
        for (const std::int32_t k : node.boundary)
            for (std::int32_t i = first[at(k)]; i < first[at(k) + 1]; ++i)
                front.boundary.push_back(i);
        fronts_.push_back(std::move(front));
        for (const std::int32_t child : node.children)
            parent[at(child)] = static_cast<std::int32_t>(n);
    }
    factorise(A, parent);
}

void SparseCholesky::factorise(const SparseSymmetric& A, const std::vector<std::int32_t>& parent) {
    // Entries by the columns in the order of elimination
    struct Place {
        std::int32_t row = 0;
        double value = 0.0;
    };
    std::vector<std::size_t> start(place_.size() + 1, 0);
    std::vector<double> diagonal(place_.size(), 0.0);
    A.for_each([&](std::int32_t i, std::int32_t j, double value) {
        ++start[at(std::min(place_[at(i)], place_[at(j)])) + 1];
        if (i == j) diagonal[at(place_[at(i)])] = value;
    });
    std::partial_sum(start.begin(), start.end(), start.begin());
    std::vector<Place> entries(start.back());
    {
        std::vector<std::size_t> next(start.begin(), start.end() - 1);
        A.for_each([&](std::int32_t i, std::int32_t j, double value) {
            const auto [low, high] = std::minmax({place_[at(i)], place_[at(j)]});
            entries[next[at(low)]++] = {high, value};
        });
    }
    std::vector<std::vector<std::int32_t>> children(fronts_.size());
    for (std::size_t n = 0; n < parent.size(); ++n)
        if (parent[n] >= 0) children[at(parent[n])].push_back(static_cast<std::int32_t>(n));

    std::size_t size_of_L = 0;
    for (Front& front : fronts_) {
        const auto own = static_cast<std::size_t>(front.end - front.begin);
        front.first = size_of_L;
        size_of_L += (own + front.boundary.size()) * own;
    }
    L_ = fronts::Numbers(size_of_L);

    UpdateStacks updates(parent, [&](std::size_t n) {
        return fronts_[n].boundary.size();
    });
    std::vector<std::size_t> local(place_.size(), 0);
    for (std::size_t n = 0; n < fronts_.size(); ++n) {
        Front& front = fronts_[n];
        const auto own = static_cast<std::size_t>(front.end - front.begin);
        const std::size_t beyond = front.boundary.size(), size = own + beyond;
        for (std::size_t k = 0; k < own; ++k) local[at(front.begin) + k] = k;
        for (std::size_t k = 0; k < beyond; ++k) local[at(front.boundary[k])] = own + k;
        double* const L = L_.data() + front.first;
        const Update update = updates.push(n);
        for (std::size_t k = 0; k < own; ++k)
            for (std::size_t e = start[at(front.begin) + k]; e < start[at(front.begin) + k + 1];
                 ++e)
                L[local[at(entries[e].row)] + size * k] += entries[e].value;
        for (const std::int32_t child : children[n]) {
            const std::vector<std::int32_t>& boundary = fronts_[at(child)].boundary;
            const Update from = updates.of(at(child));
            for (std::size_t j = 0; j < boundary.size(); ++j) {
                const std::size_t column = local[at(boundary[j])];
                const double* const source = from.column(j);
                double* const to =
                    column < own ? L + size * column : update.column(column - own) - own;
                for (std::size_t i = j; i < boundary.size(); ++i)
                    to[local[at(boundary[i])]] += source[i];
            }
        }
        for (const std::int32_t child : children[n]) updates.pop(at(child));
        if (!fronts::factorise_columns(L, size, own, diagonal.data() + front.begin, kPivot))
            throw std::domain_error("the matrix is not positive definite");
        for (std::size_t first = 0; first < beyond; first += kUpdatePanel) {
            const double* const rows = L + own + first;
            fronts::subtract_product(update.column(first) + first,
                                     beyond - first,
                                     rows,
                                     size,
                                     rows,
                                     size,
                                     beyond - first,
                                     std::min(kUpdatePanel, beyond - first),
                                     own);
        }
    }
}

void SparseCholesky::solve(Eigen::MatrixXd& X) const {
    const std::size_t n = place_.size();
    const auto count = static_cast<std::size_t>(X.cols());
    double* const x = X.data();
    // In the order of elimination, and back
    std::vector<double> column(n);
    for (std::size_t c = 0; c < count; ++c) {
        for (std::size_t k = 0; k < n; ++k) column[at(place_[k])] = x[n * c + k];
        std::ranges::copy(column, x + n * c);
    }
    // Own unknowns of a front, then its boundary, by right-hand sides
    std::vector<double> w;
    const auto gather = [&](const Front& front, bool with_boundary) {
        const auto own = static_cast<std::size_t>(front.end - front.begin);
        const std::size_t size = own + front.boundary.size();
        w.assign(size * count, 0.0);
        for (std::size_t c = 0; c < count; ++c) {
            const double* const from = x + n * c;
            double* const to = w.data() + size * c;
            for (std::size_t i = 0; i < own; ++i) to[i] = from[at(front.begin) + i];
            if (with_boundary)
                for (std::size_t i = own; i < size; ++i) to[i] = from[at(front.boundary[i - own])];
        }
        return std::pair(own, size);
    };
    for (const Front& front : fronts_) {
        const auto [own, size] = gather(front, false);
        fronts::solve_forward(L_.data() + front.first, size, own, w.data(), count);
        for (std::size_t c = 0; c < count; ++c) {
            const double* const from = w.data() + size * c;
            double* const to = x + n * c;
            for (std::size_t i = 0; i < own; ++i) to[at(front.begin) + i] = from[i];
            for (std::size_t i = own; i < size; ++i) to[at(front.boundary[i - own])] += from[i];
        }
    }
    for (std::size_t f = fronts_.size(); f-- > 0;) {
        const Front& front = fronts_[f];
        const auto [own, size] = gather(front, true);
        fronts::solve_backward(L_.data() + front.first, size, own, w.data(), count);
        for (std::size_t c = 0; c < count; ++c)
            for (std::size_t i = 0; i < own; ++i) x[n * c + at(front.begin) + i] = w[size * c + i];
    }
    for (std::size_t c = 0; c < count; ++c) {
        for (std::size_t k = 0; k < n; ++k) column[k] = x[n * c + at(place_[k])];
        std::ranges::copy(column, x + n * c);
    }
}

}  // namespace ancora::elastic
