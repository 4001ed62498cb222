// SPDX-License-Identifier: BSD-3-Clause
// The fit of a rigid motion.
#include "steady_spin.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "linear_equations.hpp"
#include "spinning_part.hpp"

namespace ancora {
namespace {

// Slower than this part of the model's size in a second counts as rest.
constexpr double kNoSpin = 1e-9;
// A motion that differs by less from a spin, or an acceleration from that of one, is steady.
constexpr double kSteadySpin = 1e-6;
constexpr double kRoundedRate = 1e-14;  // component of an axis
// What solving for accelerations leaves of those of places, of the largest.
constexpr double kRoundedAcceleration = 1e-9;
constexpr double kNoAcceleration = 1e-6;  // of the model's size in a second squared, as at rest

Eigen::MatrixXd rotations_of_space(const Space& space, const double* q, int n) {
    Eigen::MatrixXd out(n, 3);
    for (int axis = 0; axis < 3; ++axis) out.col(axis) = space.rotation(q, axis);
    return out;
}

/// Of all points that are coordinates.
Eigen::Vector3d middle_of(const Space& space, const double* q) {
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    int count = 0;
    for (const Space::Vector& vector : space.vectors()) {
        if (!vector.translates || !vector.is_whole()) continue;
        sum += Eigen::Vector3d(q[vector.at[0]], q[vector.at[1]], q[vector.at[2]]);
        ++count;
    }
    return count > 0 ? Eigen::Vector3d(sum / count) : sum;
}

/// The least x for which A x is nearest to v.
Eigen::VectorXd fitted(const Eigen::MatrixXd& A, const Eigen::VectorXd& v) {
    return A.completeOrthogonalDecomposition().solve(v);
}

}  // namespace

Eigen::MatrixXd translations_of_space(const Space& space, int n) {
    Eigen::MatrixXd out = Eigen::MatrixXd::Zero(n, 3);
    for (int axis = 0; axis < 3; ++axis) {
        std::array<double, 3> along{};
        along[axis] = 1.0;
        space.add_uniform(along, out.col(axis).data());
    }
    return out;
}

Eigen::SparseMatrix<double> SteadySpin::generator() const {
    return parts.empty() ? S : is_spinning ? Eigen::SparseMatrix<double>(S + N) : N;
}

double SteadySpin::fastest() const {
    double out = is_spinning ? rate.norm() : 0.0;
    for (const Part& part : parts) out = std::max(out, part.rate.norm());
    return out;
}

std::optional<SteadySpin> whole_spin(const KernelSystem& system) {
    const Assembly& parts = system.parts();
    SteadySpin out;
    const Eigen::Map<const Eigen::VectorXd> q(system.q().data(), parts.n);
    const Eigen::Map<const Eigen::VectorXd> v(system.v().data(), parts.n);
    if (parts.space.displacement(v.data()) <= kNoSpin * system.state().extent) return out;
    const Eigen::MatrixXd rotations = rotations_of_space(parts.space, q.data(), parts.n);
    const Eigen::MatrixXd translations = translations_of_space(parts.space, parts.n);
    const Eigen::Vector3d middle = middle_of(parts.space, q.data());
    Eigen::MatrixXd about_middle = rotations;
    for (int axis = 0; axis < 3; ++axis)
        about_middle.col(axis) -= translations * Eigen::Vector3d::Unit(axis).cross(middle);
    Eigen::Vector3d drift = Eigen::Vector3d::Zero();
    const auto is_exact = [&] {
        return (v - rotations * out.rate - translations * drift).norm() <= kSteadySpin * v.norm();
    };
    const auto fit = [&](const Eigen::MatrixXd& turns) {
        drift.setZero();
        out.rate = turns * fitted(rotations * turns, v);
        if (is_exact()) return true;
        Eigen::MatrixXd both(parts.n, turns.cols() + 3);
        both << about_middle * turns, translations;
        const Eigen::VectorXd x = fitted(both, v);
        out.rate = turns * x.head(turns.cols());
        drift = x.tail<3>() - out.rate.cross(middle);
        return is_exact();
    };
    // Few points leave the axis open: that of gravity if it does, through the origin if that does,
    // else no faster than their motion about their middle tells.
    const Eigen::Vector3d gravity(parts.model.gravity.data());
    const bool has_own_axis = gravity.norm() > 0.0 && fit(gravity.normalized());
    if (!has_own_axis && !fit(Eigen::Matrix3d::Identity())) return std::nullopt;
    for (double& component : out.rate)
        if (std::abs(component) <= kRoundedRate * out.rate.norm()) component = 0.0;
    out.is_spinning = out.rate.norm() > 0.0;
    out.S = rotation_of_space(system, out.rate);
    out.offset = translations * drift;
    return out;
}

SteadySpin spin_of(const KernelSystem& system, const char* what, const char* advice) {
    const std::optional<SteadySpin> out = whole_spin(system);
    if (!out)
        throw Error(ErrorKind::numerical,
                    fmt::format("{}: the model moves, and not as one that spins steadily about an "
                                "axis; {}",
                                what,
                                advice));
    return *out;
}

std::optional<SteadySpin> spin_like(const KernelSystem& system, int body) {
    const Assembly& parts = system.parts();
    const std::optional<BodyAxes> frame = BodyAxes::of(parts.model, body);
    if (!frame) return std::nullopt;
    const Eigen::Map<const Eigen::VectorXd> q(system.q().data(), parts.n);
    const Eigen::Map<const Eigen::VectorXd> v(system.v().data(), parts.n);
    const BodyAxes::Motion motion = frame->motion(q, v);
    SteadySpin out;
    out.rate = motion.rate;
    out.is_spinning = motion.rate.norm() > 0.0;
    if (!out.is_spinning) return std::nullopt;
    out.S = rotation_of_space(system, motion.rate);
    out.offset = translations_of_space(parts.space, parts.n) * motion.drift;
    return out;
}

std::optional<int> add_parts(const KernelSystem& system, SteadySpin& spin) {
    const Assembly& parts = system.parts();
    const Eigen::Map<const Eigen::VectorXd> q(system.q().data(), parts.n);
    const Eigen::Map<const Eigen::VectorXd> v(system.v().data(), parts.n);
    Eigen::VectorXd rest = v;
    if (spin.S.size() > 0) rest -= spin.S * q + spin.offset;
    const double nothing = kSteadySpin * parts.space.displacement(v.data());
    spin.part_rate.setZero(parts.n);
    std::vector<Eigen::Triplet<double>> entries;
    Eigen::VectorXd alone(parts.n);
    for (std::size_t b = 0; b < parts.model.bodies.size(); ++b) {
        const BodyPart& body = parts.model.bodies[b];
        if (rest.segment(body.first, body.count).isZero(0.0)) continue;
        alone.setZero();
        alone.segment(body.first, body.count) = rest.segment(body.first, body.count);
        if (parts.space.displacement(alone.data()) <= nothing) continue;
        const int index = static_cast<int>(b);
        const std::optional<BodyAxes> frame = BodyAxes::of(parts.model, index);
        const std::optional<BodyAxes::Spin> own =
            frame ? frame->spin(q, rest) : std::optional<BodyAxes::Spin>();
        if (!own) return index;
        spin.parts.push_back({index, own->along});
        spin.part_rate.segment(body.first, body.count).setConstant(own->rate);
        for (Eigen::Index i = 0; i < own->N.rows(); ++i)
            for (Eigen::Index j = 0; j < own->N.cols(); ++j)
                if (own->N(i, j) != 0.0)
                    entries.emplace_back(body.first + i, body.first + j, own->N(i, j));
    }
    spin.N.resize(parts.n, parts.n);
    spin.N.setFromTriplets(entries.begin(), entries.end());
    if (spin.S.size() == 0) {
        spin.S.resize(parts.n, parts.n);
        spin.offset.setZero(parts.n);
    }
    return std::nullopt;
}

bool is_steady(const KernelSystem& system,
               const SteadySpin& spin,
               const Eigen::VectorXd& v,
               const Eigen::VectorXd& drift,
               const Eigen::VectorXd& acceleration) {
    const Eigen::VectorXd turned = spin.generator() * (v - drift);
    const double all = std::max(turned.norm(), acceleration.norm());
    if (!((acceleration - turned).norm() <= kSteadySpin * all)) return false;
    // Places by themselves: base vectors accelerate by the square of a spin that moves no place.
    double off = 0.0, size = 0.0;
    for (const Space::Vector& vector : system.parts().space.vectors()) {
        if (!vector.translates) continue;
        for (const int i : vector.at) {
            if (i < 0) continue;
            off = std::hypot(off, acceleration[i] - turned[i]);
            size = std::hypot(size, std::max(std::abs(acceleration[i]), std::abs(turned[i])));
        }
    }
    const double rest = kNoAcceleration * std::max(system.state().extent, 1.0);
    return off <= kSteadySpin * size +
                      std::max(kRoundedAcceleration * all, std::min(kSteadySpin * all, rest));
}

}  // namespace ancora
