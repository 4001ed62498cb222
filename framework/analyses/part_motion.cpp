// SPDX-License-Identifier: BSD-3-Clause
// Poses and measures are asked for velocities, which are linear in those of the coordinates.
#include "part_motion.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

namespace ancora {
namespace {

using Complex = std::complex<double>;

}  // namespace

void describe_motion(const KernelSystem& system, const Eigen::VectorXcd& shape, Mode& mode) {
    const Assembly& parts = system.parts();
    // The phase at which the largest coordinate is real, and the largest displacement at any phase.
    Eigen::Index largest = 0;
    shape.cwiseAbs().maxCoeff(&largest);
    const Complex phase = std::abs(shape[largest]) > 0.0
                              ? std::conj(shape[largest]) / std::abs(shape[largest])
                              : Complex(1.0, 0.0);
    Eigen::VectorXcd x = shape * phase;
    const Eigen::VectorXd re = x.real(), im = x.imag();
    const double size =
        std::max(parts.space.displacement(re.data()), parts.space.displacement(im.data()));
    if (size > 0.0) x /= size;
    mode.shape.assign(x.begin(), x.end());

    const Eigen::VectorXd real = x.real(), imaginary = x.imag();
    Eigen::VectorXd Mr(parts.n), Mi(parts.n);
    parts.mass.multiply(real.data(), Mr.data());
    parts.mass.multiply(imaginary.data(), Mi.data());
    const double energy = real.dot(Mr) + imaginary.dot(Mi);
    for (const BodyPart& body : parts.model.bodies) {
        if (body.is_inner) continue;
        Mode::Part part;
        part.name = body.object.name;
        double own = 0.0;
        for (int i = body.first; i < body.first + body.count; ++i)
            own += real[i] * Mr[i] + imaginary[i] * Mi[i];
        part.energy = energy > 0.0 ? own / energy : 0.0;
        part.has_pose = body.pose_kind != PoseKind::none;
        if (part.has_pose) {
            const auto first = static_cast<std::size_t>(body.first);
            const auto count = static_cast<std::size_t>(body.count);
            for (const bool is_real : {true, false}) {
                const Eigen::VectorXd& v = is_real ? real : imaginary;
                const Pose pose = body.pose(
                    system.q().subspan(first, count), view(v).subspan(first, count), nullptr);
                const Eigen::Quaterniond turn(
                    pose.quaternion[0], pose.quaternion[1], pose.quaternion[2], pose.quaternion[3]);
                const Eigen::Vector3d w =
                    turn * Eigen::Map<const Eigen::Vector3d>(pose.angular_velocity.data());
                for (std::size_t c = 0; c < 3; ++c) {
                    part.displacement[c] +=
                        is_real ? Complex(pose.velocity[c], 0.0) : Complex(0.0, pose.velocity[c]);
                    const double turned = body.pose_kind == PoseKind::position
                                              ? 0.0
                                              : w[static_cast<Eigen::Index>(c)];
                    part.rotation[c] += is_real ? Complex(turned, 0.0) : Complex(0.0, turned);
                }
            }
        }
        mode.bodies.push_back(std::move(part));
    }
    for (std::size_t k = 0; k < system.joints().entries().size(); ++k)
        mode.measures.push_back(
            {system.joints().entries()[k].name,
             Complex(system.joints().read(k, system.q().data(), real.data()).rate,
                     system.joints().read(k, system.q().data(), imaginary.data()).rate)});
}

std::string what_moves_most(const KernelSystem& system, const Eigen::VectorXd& shape) {
    const Assembly& parts = system.parts();
    const BodyPart* most = nullptr;
    double farthest = -1.0;
    Eigen::VectorXd alone(parts.n);
    for (const BodyPart& body : parts.model.bodies) {
        alone.setZero();
        alone.segment(body.first, body.count) = shape.segment(body.first, body.count);
        const double moved = parts.space.displacement(alone.data());
        if (body.is_inner || moved <= farthest) continue;
        farthest = moved;
        most = &body;
    }
    return most != nullptr ? most->object.label : std::string();
}

}  // namespace ancora
