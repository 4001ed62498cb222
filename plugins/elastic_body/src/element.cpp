// SPDX-License-Identifier: BSD-3-Clause
#include "element.hpp"

#include <algorithm>
#include <cmath>

namespace ancora::elastic {

ElementShape shape_at(const std::array<double, 4>& L, double weight) {
    // L_0 = 1 - L_1 - L_2 - L_3
    constexpr std::array<std::array<double, 3>, 4> kSlope = {
        {{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    ElementShape out;
    out.weight = weight;
    for (std::size_t i = 0; i < 4; ++i) {
        out.N[i] = L[i] * (2.0 * L[i] - 1.0);
        for (std::size_t c = 0; c < 3; ++c) out.dN[i][c] = (4.0 * L[i] - 1.0) * kSlope[i][c];
    }
    for (std::size_t e = 0; e < 6; ++e) {
        const auto [a, b] = kEdges[e];
        out.N[4 + e] = 4.0 * L[a] * L[b];
        for (std::size_t c = 0; c < 3; ++c)
            out.dN[4 + e][c] = 4.0 * (L[a] * kSlope[b][c] + L[b] * kSlope[a][c]);
    }
    return out;
}

Gradients gradients(const ElementShape& shape,
                    const std::vector<Vec3>& x,
                    const Tetrahedron& nodes) {
    Mat3 J = Mat3::Zero();  // dx / dL
    for (std::size_t i = 0; i < 10; ++i)
        for (int c = 0; c < 3; ++c)
            J.col(c) +=
                shape.dN[i][static_cast<std::size_t>(c)] * x[static_cast<std::size_t>(nodes[i])];
    Gradients out;
    out.det = J.col(0).cross(J.col(1)).dot(J.col(2));
    // Rows of J^-1: gradients of L
    const std::array<Vec3, 3> g = {J.col(1).cross(J.col(2)) / out.det,
                                   J.col(2).cross(J.col(0)) / out.det,
                                   J.col(0).cross(J.col(1)) / out.det};
    for (std::size_t i = 0; i < 10; ++i)
        out.of[i] = shape.dN[i][0] * g[0] + shape.dN[i][1] * g[1] + shape.dN[i][2] * g[2];
    return out;
}

Eigen::MatrixXd stress_at_nodes(const std::vector<Vec3>& x,
                                const std::vector<Tetrahedron>& volumes,
                                const Lame& material,
                                const Eigen::MatrixXd& displacements,
                                const std::vector<std::int32_t>& nodes) {
    std::array<ElementShape, 10> at_node;
    for (std::size_t i = 0; i < 4; ++i) {
        std::array<double, 4> L{};
        L[i] = 1.0;
        at_node[i] = shape_at(L);
    }
    for (std::size_t e = 0; e < 6; ++e) {
        std::array<double, 4> L{};
        for (const std::size_t i : kEdges[e]) L[i] = 0.5;
        at_node[4 + e] = shape_at(L);
    }
    std::vector<std::int32_t> row_of(x.size(), -1);
    for (std::size_t k = 0; k < nodes.size(); ++k)
        row_of[static_cast<std::size_t>(nodes[k])] = static_cast<std::int32_t>(k);
    const auto num = static_cast<Eigen::Index>(nodes.size());
    Eigen::MatrixXd out = Eigen::MatrixXd::Zero(6 * num, displacements.cols());
    Eigen::VectorXd count = Eigen::VectorXd::Zero(num);
    for (const Tetrahedron& volume : volumes)
        for (std::size_t k = 0; k < 10; ++k) {
            const Eigen::Index row = row_of[static_cast<std::size_t>(volume[k])];
            if (row < 0) continue;
            count(row) += 1.0;
            const Gradients slopes = gradients(at_node[k], x, volume);
            for (Eigen::Index mode = 0; mode < displacements.cols(); ++mode) {
                Mat3 H = Mat3::Zero();  // du_p / dx_q
                for (std::size_t i = 0; i < 10; ++i)
                    H += displacements.col(mode).segment<3>(3 * volume[i]) *
                         slopes.of[i].transpose();
                const double pressure = material.lambda * H.trace();
                auto s = out.col(mode).segment<6>(6 * row);
                for (int p = 0; p < 3; ++p) {
                    const int q = (p + 1) % 3;
                    s(p) += pressure + 2.0 * material.mu * H(p, p);
                    s(3 + p) += material.mu * (H(p, q) + H(q, p));
                }
            }
        }
    for (Eigen::Index k = 0; k < num; ++k) out.middleRows<6>(6 * k) /= std::max(count(k), 1.0);
    return out;
}

double von_mises(const Eigen::Matrix<double, 6, 1>& s) {
    double square = 0.0;
    for (int p = 0; p < 3; ++p) {
        const double difference = s(p) - s((p + 1) % 3);
        square += 0.5 * difference * difference + 3.0 * s(3 + p) * s(3 + p);
    }
    return std::sqrt(square);
}

}  // namespace ancora::elastic
