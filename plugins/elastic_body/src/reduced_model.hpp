// SPDX-License-Identifier: BSD-3-Clause
// A finite-element model whose interfaces move rigidly or by their means.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "ancora/sdk/helpers/rigid_body.hpp"
#include "finite_elements.hpp"
#include "sparse.hpp"

namespace ancora::elastic {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Sparse = SparseSymmetric;

// Of a function in what is left of it across others, relative to its norm: below, it is one of
// them (theory: singular values below 1e-8).
inline constexpr double kDependent = 1e-8;
// Relative to the largest.
inline constexpr double kFlat = 1e-12;

/// Two axes in which nodes lie farthest apart, and the third; along each the sum of squares.
struct Spread {
    Mat3 axes = Mat3::Identity();
    Vec3 squares = Vec3::Zero();
};
inline Spread spread_of(const std::vector<Vec3>& from_mean) {
    Mat3 sum = Mat3::Zero();
    for (const Vec3& r : from_mean) sum += r * r.transpose();
    const Mat3 axes = rigid::diagonalise(sum);
    int least = 0;
    sum.diagonal().minCoeff(&least);
    Spread out;
    for (int i = 0; i < 2; ++i) {
        const int axis = (least + 1 + i) % 3;
        out.axes.col(i) = axes.col(axis);
        out.squares(i) = sum(axis, axis);
    }
    out.axes.col(2) = out.axes.col(0).cross(out.axes.col(1));
    out.squares(2) = sum(least, least);
    return out;
}

/// Displacements of free nodes, and displacement and turn of interfaces: u = G x.
class ReducedModel {
public:
    explicit ReducedModel(const FiniteElements& model) : model_(model) {
        const std::size_t num_nodes = model.x.size();
        first_.assign(num_nodes, 0);
        owner_.assign(num_nodes, -1);
        for (const Interface& interface : model.interfaces) {
            if (interface.is_mean) continue;
            for (const std::int32_t node : interface.nodes)
                owner_[static_cast<std::size_t>(node)] = static_cast<int>(rigid_.size());
            rigid_.push_back(&interface);
        }
        for (std::size_t node = 0; node < num_nodes; ++node)
            if (owner_[node] < 0) {
                first_[node] = num_free_;
                num_free_ += 3;
            }
        size_ = num_free_ + 6 * static_cast<int>(rigid_.size());
        K = with_interfaces(model.stiffness, 1);
        M = with_interfaces(model.mass, 3);
        m = Sparse(static_cast<std::int32_t>(num_nodes), [&](const auto& add) {
            for (const MatrixEntry& e : model.mass) add(e.i, e.j, e.value);
        });
    }

    int size() const { return size_; }
    int num_free() const { return num_free_; }
    int first_of_interface(int k) const { return num_free_ + 6 * k; }
    /// Displacements of all nodes.
    MatrixXd displacements(const MatrixXd& x) const {
        MatrixXd u = MatrixXd::Zero(static_cast<Index>(3 * owner_.size()), x.cols());
        for (Index k = 0; k < u.rows(); ++k)
            for (const auto& [place, weight] : shares_of(static_cast<int>(k)))
                if (weight != 0.0) u.row(k) += weight * x.row(place);
        return u;
    }

    /// Node of each unknown, interfaces after them, and where these are.
    std::vector<std::int32_t> groups() const {
        std::vector<std::int32_t> out(static_cast<std::size_t>(size_));
        for (std::size_t node = 0; node < owner_.size(); ++node)
            if (owner_[node] < 0)
                for (int axis = 0; axis < 3; ++axis)
                    out[static_cast<std::size_t>(first_[node] + axis)] =
                        static_cast<std::int32_t>(node);
        for (int k = num_free_; k < size_; ++k)
            out[static_cast<std::size_t>(k)] =
                static_cast<std::int32_t>(owner_.size()) + (k - num_free_) / 6;
        return out;
    }
    std::vector<Vec3> positions() const {
        std::vector<Vec3> out = model_.x;
        for (const Interface* interface : rigid_) out.push_back(interface->origin);
        return out;
    }

    /// Rigid motions along and about three axes through `center`.
    MatrixXd rigid_motions(const Vec3& center) const {
        MatrixXd R = MatrixXd::Zero(size_, 6);
        const auto put = [&](int first, const Vec3& x) {
            R.block<3, 3>(first, 0).setIdentity();
            for (int about = 0; about < 3; ++about)
                R.block<3, 1>(first, 3 + about) = Vec3::Unit(about).cross(Vec3(x - center));
        };
        for (std::size_t node = 0; node < owner_.size(); ++node)
            if (owner_[node] < 0) put(first_[node], model_.x[node]);
        for (std::size_t k = 0; k < rigid_.size(); ++k) {
            const int first = first_of_interface(static_cast<int>(k));
            put(first, rigid_[k]->origin);
            R.block<3, 3>(first + 3, 3).setIdentity();
        }
        return R;
    }

    /// Forces that a force and a torque on each mean interface are on its nodes: alike on all, and
    /// as far as they lie from the middle.
    MatrixXd mean_loads() const {
        std::vector<const Interface*> mean;
        for (const Interface& interface : model_.interfaces)
            if (interface.is_mean) mean.push_back(&interface);
        MatrixXd F = MatrixXd::Zero(size_, 6 * static_cast<Index>(mean.size()));
        for (std::size_t k = 0; k < mean.size(); ++k) {
            std::vector<Vec3> from_mean;
            for (const std::int32_t node : mean[k]->nodes)
                from_mean.push_back(model_.x[static_cast<std::size_t>(node)] - mean[k]->origin);
            const auto [axes, squares] = spread_of(from_mean);
            for (std::size_t n = 0; n < from_mean.size(); ++n) {
                const int first = first_[static_cast<std::size_t>(mean[k]->nodes[n])];
                auto on_node = F.block<3, 6>(first, 6 * static_cast<Index>(k));
                on_node.leftCols<3>().setIdentity();
                const double along = from_mean[n].dot(axes.col(0)) / squares(0),
                             across = from_mean[n].dot(axes.col(1)) / squares(1);
                on_node.col(3) = across * axes.col(2);
                on_node.col(4) = -along * axes.col(2);
                on_node.col(5) = along * axes.col(1) - across * axes.col(0);
            }
        }
        return F;
    }

    /// Coordinates that are fixed while modes are sought: those of interfaces, or six of three
    /// nodes far apart, whose reactions vanish in a free body.
    std::vector<bool> supports() const {
        std::vector<bool> is_fixed(static_cast<std::size_t>(size_), false);
        for (int k = num_free_; k < size_; ++k) is_fixed[static_cast<std::size_t>(k)] = true;
        if (num_free_ < size_) return is_fixed;
        const auto farthest = [&](auto distance) {
            std::size_t best = 0;
            for (std::size_t k = 1; k < model_.x.size(); ++k)
                if (distance(model_.x[k]) > distance(model_.x[best])) best = k;
            return best;
        };
        const Vec3 first = model_.x.front();
        const std::size_t a = farthest([&](const Vec3& x) {
            return (x - first).squaredNorm();
        });
        const std::size_t b = farthest([&](const Vec3& x) {
            return (x - model_.x[a]).squaredNorm();
        });
        const Vec3 along = (model_.x[b] - model_.x[a]).normalized();
        const std::size_t c = farthest([&](const Vec3& x) {
            return along.cross(Vec3(x - model_.x[a])).squaredNorm();
        });
        // Of the nine displacements the six that fix rigid motions best
        const double length = (model_.x[b] - model_.x[a]).norm();
        MatrixXd R(9, 6);
        std::array<int, 9> rows{};
        int count = 0;
        for (const std::size_t node : {a, b, c})
            for (int axis = 0; axis < 3; ++axis) {
                rows[static_cast<std::size_t>(count)] = first_[node] + axis;
                R.row(count).head<3>() = Vec3::Unit(axis).transpose();
                for (int about = 0; about < 3; ++about)
                    R(count, 3 + about) =
                        Vec3::Unit(about).cross(Vec3(model_.x[node] - model_.x[a]))(axis) / length;
                ++count;
            }
        for (int k = 0; k < 6; ++k) {
            Index best = 0;
            const double square = R.rowwise().squaredNorm().maxCoeff(&best);
            if (!(square > kFlat))
                throw std::domain_error("all nodes lie on one line; use a beam for such a body");
            is_fixed[static_cast<std::size_t>(rows[static_cast<std::size_t>(best)])] = true;
            const Eigen::RowVectorXd direction = R.row(best) / std::sqrt(square);
            R -= (R * direction.transpose()) * direction;
        }
        return is_fixed;
    }

    Sparse K, M;  ///< on x
    Sparse m;     ///< scalar, of all nodes

private:
    const Interface& interface_of(std::size_t node) const {
        return *rigid_[static_cast<std::size_t>(owner_[node])];
    }

    /// A displacement as a combination of x: of itself, or of its interface's displacement and
    /// turns about two axes.
    struct Share {
        int place = 0;
        double weight = 0.0;
    };
    std::array<Share, 3> shares_of(int dof) const {
        const auto node = static_cast<std::size_t>(dof / 3);
        const int axis = dof % 3;
        if (owner_[node] < 0) return {{{first_[node] + axis, 1.0}, {}, {}}};
        const int first = first_of_interface(owner_[node]);
        const Vec3 r = model_.x[node] - interface_of(node).origin;
        // (turn x r)_axis
        const int next = (axis + 1) % 3, last = (axis + 2) % 3;
        return {{{first + axis, 1.0}, {first + 3 + next, r(last)}, {first + 3 + last, -r(next)}}};
    }
    /// G^T A G
    Sparse with_interfaces(const std::vector<MatrixEntry>& lower, int copies) const {
        return Sparse(size_, [&](const auto& add) {
            for (const MatrixEntry& e : lower)
                for (int c = 0; c < copies; ++c)
                    add_shares(copies * e.i + c, copies * e.j + c, e.value, add);
        });
    }
    template <class Add>
    void add_shares(int i, int j, double entry, const Add& add) const {
        for (const auto& [a, x] : shares_of(i))
            for (const auto& [b, y] : shares_of(j)) {
                const double value = x * y * entry;
                if (value == 0.0) continue;
                if (i == j) {
                    if (a >= b) add(a, b, value);
                    continue;
                }
                // With its mirror, which meets it on the diagonal
                add(std::max(a, b), std::min(a, b), a == b ? 2.0 * value : value);
            }
    }

    const FiniteElements& model_;
    std::vector<int> first_, owner_;  ///< place, and number among the rigid interfaces or -1
    std::vector<const Interface*> rigid_;
    int num_free_ = 0, size_ = 0;
};

}  // namespace ancora::elastic
