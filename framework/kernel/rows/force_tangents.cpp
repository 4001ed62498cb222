// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of forces, from their attachments to coordinates.
#include "force_tangents.hpp"

#include <algorithm>
#include <cmath>

#include "force_set.hpp"

namespace ancora {

ForceTangents::ForceTangents(const ForceSet& forces) {
    Eigen::Index first = 0;
    for (const int part : forces.parts_with_tangent()) {
        Block block;
        block.part_of_forces = part;
        const AttachmentMap& map = forces.tangent_map(part);
        // Coordinates that u depends on, rising: the block is n x n on these.
        for (int scalar = 0; scalar < map.num_scalars(); ++scalar)
            for (const AttachmentMap::Entry& entry : map.row(scalar))
                block.coordinate.push_back(entry.coordinate);
        std::ranges::sort(block.coordinate);
        // not std::ranges::unique, which clang 14 cannot read in GCC 12's library
        block.coordinate.erase(std::unique(block.coordinate.begin(), block.coordinate.end()),
                               block.coordinate.end());
        if (block.coordinate.empty()) continue;
        const int k = map.num_scalars();
        const int n = block.size();
        for (Eigen::MatrixXd* x : {&block.D, &block.part}) x->setZero(k, k);
        for (Eigen::VectorXd* x : {&own_, &product_})
            if (n > x->size()) x->setZero(n);
        block.symmetric.setZero(n, n);
        block.modes.compute(block.D);  // takes its memory
        for (int scalar = 0; scalar < k; ++scalar)
            for (const AttachmentMap::Entry& entry : map.row(scalar)) {
                const auto at = std::ranges::lower_bound(block.coordinate, entry.coordinate);
                block.entries.push_back(
                    {scalar, at - block.coordinate.begin(), entry.weight, entry.jacobian});
            }
        block.first = first;
        first += static_cast<Eigen::Index>(n) * n;
        blocks_.push_back(std::move(block));
    }
    values_.setZero(first);
}

/// T = W^T D W, entry by entry of W, which has a few in each row
template <class Matrix>
void ForceTangents::transform(const Block& block, const Eigen::MatrixXd& D, Matrix& T) {
    T.setZero();
    for (const Entry& b : block.entries) {
        double* const to = T.data() + b.column * T.rows();
        const double* const from = D.data() + b.scalar * D.rows();
        for (const Entry& a : block.entries) to[a.column] += a.value * from[a.scalar] * b.value;
    }
}

void ForceTangents::evaluate(ForceSet& forces) {
    for (Block& block : blocks_) {
        const AttachmentMap& map = forces.tangent_map(block.part_of_forces);
        for (Entry& entry : block.entries)
            entry.value =
                entry.jacobian < 0 ? entry.weight : entry.weight * map.jacobian()[entry.jacobian];
        // T = -W^T D W, D = df / d(du)
        forces.differentiate_by_increments(block.part_of_forces, block.D);
        block.D *= -1.0;
        Eigen::Map<Eigen::MatrixXd> T(values_.data() + block.first, block.size(), block.size());
        transform(block, block.D, T);
        block.symmetric = 0.5 * (T + T.transpose());
    }
}

void ForceTangents::make_definite() {
    for (Block& block : blocks_) {
        // V max(0, w) V^T of -(D + D^T) / 2; congruence keeps it semidefinite
        block.part = 0.5 * (block.D + block.D.transpose());
        block.modes.compute(block.part);
        const Eigen::MatrixXd& V = block.modes.vectors();
        block.part.noalias() =
            (V * block.modes.values().cwiseMax(0.0).asDiagonal()) * V.transpose();
        transform(block, block.part, block.symmetric);
    }
}

/// Calls visit(block, T, x, room for a product) with T and x on the coordinates of each block,
/// where they lie one behind the other.
void ForceTangents::for_each_block(const double* x, const auto& visit) const {
    for (const Block& block : blocks_) {
        const int n = block.size();
        const Eigen::Map<const Eigen::MatrixXd> T(values_.data() + block.first, n, n);
        for (int b = 0; b < n; ++b) own_[b] = x[block.coordinate[b]];
        visit(block, T, own_.head(n), product_.head(n));
    }
}

void ForceTangents::subtract(const double* x, double* r) const {
    // r -= T x
    for_each_block(x, [r](const Block& block, const auto& T, const auto& own, auto product) {
        product = T.lazyProduct(own);
        for (int a = 0; a < block.size(); ++a) r[block.coordinate[a]] -= product[a];
    });
}

void ForceTangents::add_sizes(double part, const double* size, double* terms) const {
    // terms += part |T| |size|, a bound of what a change of positions
    // by `part` of their size makes of F
    for_each_block(size, [=](const Block& block, const auto& T, const auto& own, auto product) {
        product = T.cwiseAbs().lazyProduct(own);
        for (int a = 0; a < block.size(); ++a) terms[block.coordinate[a]] += part * product[a];
    });
}

}  // namespace ancora
