// SPDX-License-Identifier: BSD-3-Clause
// Mass, centre and moments of one body from its mass matrix, and points that have them.
#include "mass_points.hpp"

#include <array>
#include <cmath>
#include <map>
#include <utility>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "ancora/sdk/authoring/attachment_texts.hpp"
#include "ancora/sdk/helpers/rigid_body.hpp"
#include "pose.hpp"

namespace ancora {
namespace {

// Relative: mass that differs by more between two directions is anisotropic.
constexpr double kRounding = 1e-12;

using Fields = Eigen::Matrix<double, Eigen::Dynamic, 3>;

Eigen::MatrixXd mass_matrix(const BodyPart& part) {
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(part.count, part.count);
    for (const auto& [i, j, value] : part.mass()) {
        M(i, j) += value;
        if (i != j) M(j, i) += value;
    }
    return M;
}

/// Velocities of the coordinates in translations along the axes.
Fields translations(const BodyPart& part) {
    Fields out = Fields::Zero(part.count, 3);
    for (int i = 0; i < part.count; ++i) {
        const Coordinate& of = part.coordinates[i];
        if (of.translates) out(i, of.axis) = 1.0;
    }
    return out;
}

/// And in rotations about axes through `point`.
Fields rotations(const BodyPart& part, std::span<const double> q, const Vec3& point) {
    Fields out = Fields::Zero(part.count, 3);
    std::map<std::int32_t, Vec3> vectors;
    bool has_scalars = false;
    for (int i = 0; i < part.count; ++i) {
        const Coordinate& of = part.coordinates[i];
        has_scalars |= of.vector < 0;
        if (of.vector < 0) continue;
        const auto [at, is_new] =
            vectors.try_emplace(of.vector, of.translates ? Vec3(-point) : Vec3(Vec3::Zero()));
        at->second(of.axis) += q[i];
    }
    std::vector<double> Xi(3 * static_cast<std::size_t>(part.count), 0.0);
    if (has_scalars) part.rotation(q, Xi);
    for (int i = 0; i < part.count; ++i) {
        const Coordinate& of = part.coordinates[i];
        for (int k = 0; k < 3; ++k)
            out(i, k) =
                of.vector < 0 ? Xi[3 * i + k] : Vec3::Unit(k).cross(vectors.at(of.vector))(of.axis);
    }
    return out;
}

/// (a) of a rigid body
std::vector<MassPoint> of_rigid_body(const Model& model, int body) {
    const BodyPart& part = model.bodies[body];
    const RigidMotion motion = start_motion(model, body);
    const Vec3 r(motion.position[0], motion.position[1], motion.position[2]);
    const Mat3 R =
        Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(motion.rotation.data());
    const std::span<const double> q(model.start_q.data() + part.first,
                                    static_cast<std::size_t>(part.count));
    const Eigen::MatrixXd M = mass_matrix(part);
    const Fields T = translations(part), W = rotations(part, q, r);
    const Mat3 linear = T.transpose() * M * T;
    const Mat3 mixed = T.transpose() * M * W;  // column k: m e_k x c
    const Mat3 J = W.transpose() * M * W;
    const double m = linear.trace() / 3.0;
    const Vec3 c(0.5 * (mixed(1, 2) - mixed(2, 1)) / m,
                 0.5 * (mixed(2, 0) - mixed(0, 2)) / m,
                 0.5 * (mixed(0, 1) - mixed(1, 0)) / m);
    const Mat3 about_c = J - m * (c.squaredNorm() * Mat3::Identity() - c * c.transpose());
    const Mat3 second =
        R.transpose() * (0.5 * about_c.trace() * Mat3::Identity() - about_c) * R;  // body axes
    Mat3 moments = 0.5 * (second + second.transpose());
    const Mat3 axes = rigid::diagonalise(moments);
    const Vec3 center = R.transpose() * c;
    const double largest = moments.diagonal().cwiseAbs().maxCoeff();
    std::vector<MassPoint> points;
    for (int i = 0; i < 3; ++i) {
        double moment = moments(i, i);
        if (moment < kRounding * largest) moment = 0.0;
        const Vec3 arm = std::sqrt(3.0 * moment / m) * axes.col(i);
        for (const double side : {1.0, -1.0})
            points.push_back(
                {attachment_text(part.object.name, Vec3(center + side * arm)), m / 6.0});
    }
    return points;
}

std::vector<MassPoint> of_nodes(const BodyPart& part) {
    const Fields Mt = mass_matrix(part) * translations(part);
    std::map<std::int32_t, double> nodes;
    for (int i = 0; i < part.count; ++i) {
        const Coordinate& of = part.coordinates[i];
        if (!of.translates) continue;
        const double mass = Mt(i, of.axis);
        const auto [at, is_new] = nodes.try_emplace(of.vector, mass);
        double elsewhere = 0.0;
        for (int k = 0; k < 3; ++k)
            if (k != of.axis) elsewhere = std::max(elsewhere, std::abs(Mt(i, k)));
        if (std::abs(mass - at->second) > kRounding * std::abs(mass) ||
            elsewhere > kRounding * std::abs(mass))
            throw Error(ErrorKind::manifest,
                        fmt::format("{} has a mass that depends on the direction, so that no "
                                    "centre can attract it",
                                    part.object.label),
                        part.object.place);
    }
    // Nodes are counted among the vectors that translate
    std::vector<MassPoint> points;
    int node = 0;
    for (const auto& [vector, mass] : nodes) {
        if (mass > 0.0) points.push_back({fmt::format("{}@{}", part.object.name, node), mass});
        ++node;
    }
    return points;
}

}  // namespace

std::vector<MassPoint> mass_points(const Model& model, int body) {
    const BodyPart& part = model.bodies[body];
    return part.pose_kind == PoseKind::attitude ? of_rigid_body(model, body) : of_nodes(part);
}

}  // namespace ancora
