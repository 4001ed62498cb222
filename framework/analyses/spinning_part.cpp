// SPDX-License-Identifier: BSD-3-Clause
// From points and directions of a body to its motion and back.
#include "spinning_part.hpp"

#include <cmath>
#include <string>

#include <Eigen/Geometry>
#include <Eigen/LU>

#include "attachment.hpp"

namespace ancora {
namespace {

constexpr int kCoordinates = 12;
// Velocities that differ by less from those of a turn are one, as for the spin of a model.
constexpr double kTurns = 1e-6;

Eigen::Matrix3d cross(const Eigen::Vector3d& w) {
    Eigen::Matrix3d out;
    out << 0.0, -w[2], w[1], w[2], 0.0, -w[0], -w[1], w[0], 0.0;
    return out;
}
/// Of the skew part.
Eigen::Vector3d axial(const Eigen::Matrix3d& X) {
    return 0.5 * Eigen::Vector3d(X(2, 1) - X(1, 2), X(0, 2) - X(2, 0), X(1, 0) - X(0, 1));
}

}  // namespace

std::optional<BodyAxes> BodyAxes::of(const Model& model, int body) {
    const BodyPart& part = model.bodies[body];
    if (part.count != kCoordinates || part.is_inner) return std::nullopt;
    BodyAxes out;
    out.first_ = part.first;
    out.W_.setZero(kCoordinates, kCoordinates);
    constexpr const char* kLocators[] = {"@[0, 0, 0]", "@[1, 0, 0]", "@[0, 1, 0]", "@[0, 0, 1]"};
    try {
        for (int k = 0; k < 4; ++k) {
            const Attachment at = attach(model, part.object.name + kLocators[k], {}, k > 0);
            if (at.is_nonlinear) return std::nullopt;
            for (const double constant : at.constant)
                if (constant != 0.0) return std::nullopt;
            for (const Attachment::Term& term : at.terms)
                out.W_(3 * k + term.component, term.coordinate - part.first) += term.weight;
        }
    } catch (const Error&) {
        return std::nullopt;  // it has no such points
    }
    if (!Eigen::FullPivLU<Eigen::MatrixXd>(out.W_).isInvertible()) return std::nullopt;
    return out;
}

Eigen::Matrix<double, 3, 4> BodyAxes::columns(const Eigen::VectorXd& x) const {
    const Eigen::VectorXd y = W_ * x.segment<kCoordinates>(first_);
    return Eigen::Map<const Eigen::Matrix<double, 3, 4>>(y.data());
}

BodyAxes::Motion BodyAxes::motion(const Eigen::VectorXd& q, const Eigen::VectorXd& v) const {
    const Eigen::Matrix<double, 3, 4> y = columns(q), dy = columns(v);
    Motion out;
    out.rate = axial(dy.rightCols<3>() * y.rightCols<3>().inverse());
    out.drift = dy.col(0) - out.rate.cross(y.col(0));
    return out;
}

std::optional<BodyAxes::Spin> BodyAxes::spin(const Eigen::VectorXd& q,
                                             const Eigen::VectorXd& v) const {
    const Eigen::Matrix<double, 3, 4> y = columns(q), dy = columns(v);
    const Eigen::Matrix3d D = y.rightCols<3>(), inverse = D.inverse();
    const Eigen::Vector3d w = axial(inverse * dy.rightCols<3>());
    const double square = w.squaredNorm();
    if (!(square > 0.0)) return std::nullopt;
    const Eigen::Matrix3d X = cross(w);
    const Eigen::Vector3d about = w.cross(Eigen::Vector3d(inverse * dy.col(0))) / square;
    const Eigen::Vector3d place = -X * about;
    Eigen::MatrixXd N = Eigen::MatrixXd::Zero(kCoordinates, kCoordinates);
    for (int i = 0; i < 3; ++i) {
        for (int c = 0; c < 3; ++c) {
            N(c, 3 + 3 * i + c) = place[i];
            for (int j = 0; j < 3; ++j) N(3 + 3 * j + c, 3 + 3 * i + c) = X(i, j);
        }
    }
    Spin out;
    out.N = W_.partialPivLu().solve(N * W_);
    out.along = D * w;
    out.rate = std::sqrt(square);
    const Eigen::VectorXd own = v.segment<kCoordinates>(first_);
    if ((own - out.N * q.segment<kCoordinates>(first_)).norm() > kTurns * own.norm())
        return std::nullopt;
    return out;
}

}  // namespace ancora
