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
        block.W.setZero(k, n);
        for (Eigen::MatrixXd* x : {&block.D, &block.part}) x->setZero(k, k);
        block.WD.setZero(n, k);
        block.symmetric.setZero(n, n);
        block.modes.compute(block.D);  // takes its memory
        // W = du/dq, k x n. Entries with J(q) are set at each evaluation.
        for (int scalar = 0; scalar < k; ++scalar)
            for (const AttachmentMap::Entry& entry : map.row(scalar)) {
                const auto at = std::ranges::lower_bound(block.coordinate, entry.coordinate);
                const Eigen::Index column = at - block.coordinate.begin();
                if (entry.jacobian < 0)
                    block.W(scalar, column) += entry.weight;
                else
                    block.moving.push_back(
                        {scalar, column, entry.weight, static_cast<std::size_t>(entry.jacobian)});
            }
        block.first = first;
        first += static_cast<Eigen::Index>(n) * n;
        blocks_.push_back(std::move(block));
    }
    values_.setZero(first);
}

void ForceTangents::evaluate(ForceSet& forces, bool definite) {
    for (Block& block : blocks_) {
        const AttachmentMap& map = forces.tangent_map(block.part_of_forces);
        // Several entries may add up to one number, so they are cleared first.
        for (const Moving& entry : block.moving) block.W(entry.scalar, entry.column) = 0.0;
        for (const Moving& entry : block.moving)
            block.W(entry.scalar, entry.column) += entry.weight * map.jacobian()[entry.jacobian];
        forces.differentiate_by_increments(block.part_of_forces, block.D);
        const int n = block.size();
        Eigen::Map<Eigen::MatrixXd> T(values_.data() + block.first, n, n);
        // T = -W^T D W, D = df / d(du)
        block.WD.noalias() = -block.W.transpose() * block.D;
        T.noalias() = block.WD * block.W;
        // -(D + D^T) / 2: the part that K takes, semidefinite where K has to be quasi-definite
        block.part = -0.5 * (block.D + block.D.transpose());
        if (definite) {
            // V max(0, w) V^T
            block.modes.compute(block.part);
            const Eigen::MatrixXd& V = block.modes.vectors();
            block.D.noalias() = V * block.modes.values().cwiseMax(0.0).asDiagonal();
            block.part.noalias() = block.D * V.transpose();
        }
        // W^T (...) W: congruence keeps it semidefinite
        block.WD.noalias() = block.W.transpose() * block.part;
        block.symmetric.noalias() = block.WD * block.W;
    }
}

void ForceTangents::subtract(const double* x, double* r) const {
    // r -= T x, column by column of each block
    for (const Block& block : blocks_)
        for (int b = 0; b < block.size(); ++b) {
            const double xb = x[block.coordinate[b]];
            if (xb == 0.0) continue;
            for (int a = 0; a < block.size(); ++a) r[block.coordinate[a]] -= full(block, a, b) * xb;
        }
}

void ForceTangents::add_sizes(double part, const double* size, double* terms) const {
    // terms += part |T| |size|, a bound of what a change of positions
    // by `part` of their size makes of F
    for (const Block& block : blocks_)
        for (int b = 0; b < block.size(); ++b)
            for (int a = 0; a < block.size(); ++a)
                terms[block.coordinate[a]] +=
                    part * std::abs(full(block, a, b)) * size[block.coordinate[b]];
}

}  // namespace ancora
