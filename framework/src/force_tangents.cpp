// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of forces, from their attachments to coordinates.
#include "force_tangents.hpp"

#include <algorithm>

#include <Eigen/Eigenvalues>

#include "force_set.hpp"

namespace ancora {

ForceTangents::ForceTangents(const ForceSet& forces) {
    Eigen::Index first = 0;
    for (const int part : forces.parts_with_tangent()) {
        Block block;
        block.part = part;
        const AttachmentMap& map = forces.map(part);
        for (int scalar = 0; scalar < map.num_scalars(); ++scalar)
            for (const AttachmentMap::Entry& entry : map.row(scalar))
                block.coordinate.push_back(entry.coordinate);
        std::ranges::sort(block.coordinate);
        const auto [end, last] = std::ranges::unique(block.coordinate);
        block.coordinate.erase(end, last);
        if (block.coordinate.empty()) continue;
        block.W.setZero(map.num_scalars(), block.size());
        block.D.setZero(map.num_scalars(), map.num_scalars());
        block.WD.setZero(block.size(), map.num_scalars());
        block.symmetric.setZero(block.size(), block.size());
        block.first = first;
        first += static_cast<Eigen::Index>(block.size()) * block.size();
        blocks_.push_back(std::move(block));
    }
    values_.setZero(first);
}

std::vector<std::vector<int>> ForceTangents::coordinates() const {
    std::vector<std::vector<int>> out;
    for (const Block& block : blocks_) out.push_back(block.coordinate);
    return out;
}

void ForceTangents::evaluate(ForceSet& forces, bool definite) {
    for (Block& block : blocks_) {
        const AttachmentMap& map = forces.map(block.part);
        block.W.setZero();
        for (int scalar = 0; scalar < map.num_scalars(); ++scalar)
            for (const AttachmentMap::Entry& entry : map.row(scalar)) {
                const auto at = std::ranges::lower_bound(block.coordinate, entry.coordinate);
                block.W(scalar, at - block.coordinate.begin()) +=
                    entry.jacobian < 0
                        ? entry.weight
                        : entry.weight * map.jacobian()[static_cast<std::size_t>(entry.jacobian)];
            }
        forces.differentiate_by_increments(block.part, block.D);
        const int n = block.size();
        Eigen::Map<Eigen::MatrixXd> T(values_.data() + block.first, n, n);
        T.noalias() = -block.W.transpose() * block.D * block.W;
        Eigen::MatrixXd D = -0.5 * (block.D + block.D.transpose());
        if (definite) {
            const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> modes(D);
            D = modes.eigenvectors() * modes.eigenvalues().cwiseMax(0.0).asDiagonal() *
                modes.eigenvectors().transpose();
        }
        block.symmetric.noalias() = block.W.transpose() * D * block.W;
    }
}

void ForceTangents::subtract(const double* x, double* r) const {
    for (const Block& block : blocks_)
        for (int b = 0; b < block.size(); ++b) {
            const double xb = x[block.coordinate[static_cast<std::size_t>(b)]];
            if (xb == 0.0) continue;
            for (int a = 0; a < block.size(); ++a)
                r[block.coordinate[static_cast<std::size_t>(a)]] -= full(block, a, b) * xb;
        }
}

}  // namespace ancora
