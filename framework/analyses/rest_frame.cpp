// SPDX-License-Identifier: BSD-3-Clause
// Spins at the start, their drift, and whether they last.
#include "rest_frame.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>

#include <fmt/format.h>

#include "linear_equations.hpp"
#include "part_motion.hpp"
#include "turn_invariance.hpp"

namespace ancora {
namespace {

constexpr double kUnpushed = 1e-12;  // a force from outside, of mass times spin

std::span<double> room(Eigen::VectorXd& x) {
    return {x.data(), static_cast<std::size_t>(x.size())};
}

/// Whether there are external forces; a load may be zero at present.
bool is_pushed(KernelSystem& system, ImplicitFace& face, double rate) {
    const Eigen::Map<const Eigen::VectorXd> q(system.q().data(), system.num_coordinates());
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(q.size());
    const Eigen::VectorXd lambda = Eigen::VectorXd::Zero(face.num_conditions());
    face.evaluate({system.time(), system.q(), view(zero), view(lambda)});
    const Assembly& parts = system.parts();
    const Momenta net = parts.space.momenta(q.data(), face.force().data());
    const double spun = parts.total_mass() * rate * rate * system.state().extent * kUnpushed;
    return std::ranges::any_of(net.linear, [&](double x) {
        return std::abs(x) > spun;
    });
}

}  // namespace

RestFrame::RestFrame(KernelSystem& system, ImplicitFace& face)
    : RestFrame(system.num_coordinates()) {
    constexpr const char* kGive =
        "give all bodies the velocities of one turn about an axis, or look for rest";
    spin = spin_of(system, "steady spin", kGive);
    if (!spin.is_spinning)
        throw Error(
            ErrorKind::numerical,
            fmt::format("steady spin: the bodies' velocities at the start are no spin; {}", kGive));
    Eigen::Matrix3d S;
    const Eigen::Vector3d& w = spin.rate;
    S << 0.0, -w[2], w[1], w[2], 0.0, -w[0], -w[1], w[0], 0.0;
    face.turn(S);
    // A free model rotates about its centre of mass, which drifts.
    const Assembly& parts = system.parts();
    is_free = !parts.has_gravity && !is_pushed(system, face, spin.rate.norm()) &&
              std::ranges::none_of(parts.model.constraints, &ConstraintPart::is_tied_to_ground);
    if (!is_free) return;
    const Eigen::VectorXd q =
        Eigen::Map<const Eigen::VectorXd>(system.q().data(), system.num_coordinates());
    const Eigen::VectorXd v = turning(q);
    Eigen::VectorXd momentum(q.size());
    parts.mass.multiply(v.data(), momentum.data());
    std::array<double, 3> mean = parts.space.momenta(q.data(), momentum.data()).linear;
    for (double& component : mean) component /= parts.total_mass();
    parts.space.add_uniform(mean, drift.data());
    spin.offset -= drift;
}

Eigen::VectorXd RestFrame::velocity(const Eigen::VectorXd& q) const {
    if (!spin.is_spinning) return Eigen::VectorXd::Zero(q.size());
    return turning(q) + drift;
}

void RestFrame::take_rigid_motion_out(const KernelSystem& system,
                                      const CompressedMatrix& M,
                                      const Eigen::VectorXd& q,
                                      Eigen::VectorXd& x) const {
    Eigen::MatrixXd rigid(q.size(), 4);
    rigid.col(0) = turning(q);
    rigid.rightCols(3) = translations_of_space(system.parts().space, static_cast<int>(q.size()));
    // x <- x - (x^T M r) / (r^T M r) r of each: the rotation is about the centre of mass, and so
    // orthogonal to the translations in the norm of M.
    Eigen::VectorXd momentum(q.size());
    for (const auto& column : rigid.colwise()) {
        const Eigen::VectorXd motion = column;
        momentum.setZero();
        M.add_product(1.0, view(motion), room(momentum));
        const double square = motion.dot(momentum);
        if (square > 0.0) x -= x.dot(momentum) / square * motion;
    }
}

void RestFrame::require_steady(KernelSystem& system) const {
    const Eigen::VectorXd v =
        Eigen::Map<const Eigen::VectorXd>(system.v().data(), system.num_coordinates());
    const LinearEquations at = linear_equations(system);
    if (is_steady(system, spin, v, drift, at.acceleration)) {
        if (const std::string why = what_does_not_turn(system, spin, at); !why.empty())
            throw Error(ErrorKind::numerical,
                        fmt::format("steady spin: no shape rests in the frame that turns with the "
                                    "spin, since {}; look for rest of a copy without the spin, or "
                                    "run the model",
                                    why));
        return;
    }
    const Eigen::VectorXd besides = at.acceleration - spin.S * (v - drift);
    throw Error(
        ErrorKind::numerical,
        fmt::format("steady spin: in the position of equilibrium the model does not spin steadily: "
                    "{} accelerates by {:.3g} m/s^2 besides; something brakes or drives it, such "
                    "as a medium, gravity across the axis, damping against the ground or a drive "
                    "of another rate",
                    what_moves_most(system, besides),
                    system.parts().space.displacement(besides.data())));
}

}  // namespace ancora
