// SPDX-License-Identifier: BSD-3-Clause
// Eigenvalues within the conditions.
#include "vibrations.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <Eigen/QR>
#include <fmt/format.h>

#include "gyroscopic_modes.hpp"
#include "linear_equations.hpp"
#include "lowest_modes.hpp"
#include "part_motion.hpp"
#include "steady_spin.hpp"

namespace ancora {
namespace {

// Eigenvalues of the mass beside the largest: those below have none.
constexpr double kMassless = 1e-12;
constexpr double kSymmetric = 1e-9;
// What is felt of a free motion, of the largest stiffness or damping.
constexpr double kFree = 1e-13;
constexpr int kFew = 20;
constexpr const char* kElsewhere =
    "take --at-rest, or a time at which it is at rest or in steady spin";

/// The spin of the whole model, which its velocities must be: about the origin or a point besides.
SteadySpin find_spin(KernelSystem& system) {
    SteadySpin out = spin_of(system, "modes", kElsewhere);
    if (out.S.size() == 0) return out;
    const Eigen::Map<const Eigen::VectorXd> v(system.v().data(), system.num_coordinates());
    const Eigen::VectorXd no_drift = Eigen::VectorXd::Zero(v.size());
    if (!is_steady(out, v, no_drift, linear_equations(system).acceleration))
        throw Error(
            ErrorKind::numerical,
            "modes: the model spins, but not steadily: its accelerations are not those of a turn "
            "about an axis, so that it is not in equilibrium there; --spinning looks for that "
            "equilibrium");
    return out;
}

/// Matrices in minimal coordinates, velocities in those that are left to them.
struct Reduced {
    Eigen::MatrixXd Z;        // of positions
    Eigen::MatrixXd Y;        // velocities within Z: eta' = Y zeta
    Eigen::MatrixXd M, D, K;  // rows along Z Y; columns: M, D along Z Y, K along Z
    bool is_holonomic = true;
};

/// Of conditions on velocities.
[[noreturn]] void refuse_rates() {
    throw Error(ErrorKind::numerical,
                "modes: a condition on velocities in a model that spins is not served; take "
                "--at-rest");
}

Reduced reduce(const LinearEquations& at, const SteadySpin& spin) {
    Reduced out;
    out.Z = null_space(Eigen::MatrixXd(at.P));
    const Eigen::Index p = out.Z.cols();
    out.Y = Eigen::MatrixXd::Identity(p, p);
    if (at.N.rows() > 0 && p > 0) {
        out.Y = null_space(Eigen::MatrixXd(at.N * out.Z));
        out.is_holonomic = out.Y.cols() == p;
    }
    if (spin.is_spinning && !out.is_holonomic) refuse_rates();
    const LinearEquations turning = in_turning_frame(at, spin);
    const Eigen::MatrixXd W = out.Z * out.Y;
    out.M = W.transpose() * (at.M * W);
    out.D = W.transpose() * (turning.D * W);
    out.K = W.transpose() * (turning.K * out.Z);
    return out;
}

/// Static elimination of what has no mass: new columns of Y.
void condense(Reduced& of) {
    const Eigen::Index r = of.M.rows();
    if (r == 0) return;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(of.M);
    const double largest = eigen.eigenvalues()[r - 1];
    Eigen::Index none = 0;
    while (none < r && eigen.eigenvalues()[none] <= kMassless * largest) ++none;
    if (none == 0) return;
    if (!of.is_holonomic || none == r)
        throw Error(ErrorKind::numerical,
                    "modes: some motion of the model has no mass; give it some, or tie it");
    const Eigen::MatrixXd V0 = eigen.eigenvectors().leftCols(none);
    const Eigen::MatrixXd V1 = eigen.eigenvectors().rightCols(r - none);
    const double damped = (V0.transpose() * of.D).cwiseAbs().maxCoeff();
    const Eigen::MatrixXd K00 = V0.transpose() * of.K * V0;
    const Eigen::FullPivLU<Eigen::MatrixXd> lu(K00);
    if (damped > kSymmetric * std::max(of.D.cwiseAbs().maxCoeff(), 1e-300) || !lu.isInvertible())
        throw Error(ErrorKind::numerical,
                    "modes: some motion of the model has no mass, and is damped or held by nothing "
                    "elastic; give it mass");
    const Eigen::MatrixXd X = V1 - V0 * lu.solve(V0.transpose() * of.K * V1);
    // Coordinates eta = X xi.
    const Eigen::MatrixXd M = X.transpose() * of.M * X, D = X.transpose() * of.D * X,
                          K = X.transpose() * of.K * X;
    of.Z = of.Z * X;
    of.Y = Eigen::MatrixXd::Identity(X.cols(), X.cols());
    of.M = M;
    of.D = D;
    of.K = K;
}

void finish(KernelSystem& system,
            std::complex<double> eigenvalue,
            const Eigen::VectorXcd& shape,
            Modes& out) {
    Mode mode;
    mode.eigenvalue = eigenvalue;
    const double size = std::abs(eigenvalue);
    mode.frequency = size / (2.0 * std::numbers::pi);
    mode.damping = size > 0.0 ? -eigenvalue.real() / size : 0.0;
    describe_motion(system, shape, mode);
    out.modes.push_back(std::move(mode));
}

void add_undamped(KernelSystem& system,
                  const Eigen::VectorXd& squares,
                  const Eigen::MatrixXd& shapes,
                  double largest,
                  int count,
                  Modes& out) {
    for (Eigen::Index k = 0; k < squares.size() && k < count; ++k) {
        const double square = std::abs(squares[k]) <= 1e-13 * largest ? 0.0 : squares[k];
        const std::complex<double> eigenvalue = square >= 0.0
                                                    ? std::complex<double>(0.0, std::sqrt(square))
                                                    : std::complex<double>(std::sqrt(-square), 0.0);
        finish(system, eigenvalue, shapes.col(k).cast<std::complex<double>>(), out);
    }
}

/// Free motions, which neither stiffness nor damping knows. In (1) below each stands twice, as a
/// place and as a speed, and rounding makes anything of such a pair. They are taken out of the
/// equations; as forces on what is left are orthogonal to them, that moves on its own.
/// @returns their shapes
Eigen::MatrixXd split_off_free(Reduced& of, const Eigen::LLT<Eigen::MatrixXd>& mass) {
    const Eigen::Index p = of.Z.cols();
    if (of.Y.cols() != p || !of.Y.isIdentity(0.0)) return Eigen::MatrixXd(of.Z.rows(), 0);
    // Columns x of which K x, D x and the forces along x vanish, in coordinates of unit mass.
    const auto L = mass.matrixL();
    Eigen::MatrixXd felt(p, 0);
    for (const Eigen::MatrixXd* matrix : {&of.K, &of.D}) {
        const Eigen::MatrixXd half = L.solve(*matrix);
        const Eigen::MatrixXd unit = L.solve(half.transpose());
        const double size = unit.norm();
        if (size == 0.0) continue;
        felt.conservativeResize(p, felt.cols() + 2 * p);
        felt.rightCols(2 * p) << unit / size, unit.transpose() / size;
    }
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(felt);
    qr.setThreshold(kFree);
    const Eigen::Index rank = felt.cols() > 0 ? qr.rank() : 0;
    const Eigen::MatrixXd Q =
        felt.cols() > 0 ? Eigen::MatrixXd(qr.householderQ()) : Eigen::MatrixXd::Identity(p, p);
    const Eigen::MatrixXd X = mass.matrixU().solve(Q);  // orthonormal in the norm of the mass
    const Eigen::MatrixXd free = of.Z * X.rightCols(p - rank);
    if (rank == p) return free;
    const Eigen::MatrixXd kept = X.leftCols(rank);
    of.Z = of.Z * kept;
    of.Y = Eigen::MatrixXd::Identity(rank, rank);
    of.M = kept.transpose() * of.M * kept;
    of.D = kept.transpose() * of.D * kept;
    of.K = kept.transpose() * of.K * kept;
    return free;
}

/// The modes of
///
///   (eta, zeta)' = [0, Y; -M^-1 K, -M^-1 D] (eta, zeta)                                   (1)
///
/// until there are as many as wanted.
void add_damped(KernelSystem& system, const Reduced& reduced, std::size_t wanted, Modes& out) {
    const Eigen::Index p = reduced.Z.cols(), r = reduced.Y.cols();
    if (p == 0) return;
    const Eigen::LLT<Eigen::MatrixXd> mass(reduced.M);
    Eigen::MatrixXd first = Eigen::MatrixXd::Zero(p + r, p + r);
    first.topRightCorner(p, r) = reduced.Y;
    first.bottomLeftCorner(r, p) = -mass.solve(reduced.K);
    first.bottomRightCorner(r, r) = -mass.solve(reduced.D);
    const Eigen::EigenSolver<Eigen::MatrixXd> eigen(first);
    const double largest = eigen.eigenvalues().cwiseAbs().maxCoeff();
    std::vector<Eigen::Index> chosen;
    for (Eigen::Index k = 0; k < p + r; ++k)
        if (eigen.eigenvalues()[k].imag() >= 0.0) chosen.push_back(k);
    std::ranges::stable_sort(chosen, {}, [&](Eigen::Index k) {
        return std::abs(eigen.eigenvalues()[k]);
    });
    const std::size_t count = std::min(wanted - out.modes.size(), chosen.size());
    out.is_complete = count == chosen.size();
    for (std::size_t i = 0; i < count; ++i) {
        std::complex<double> eigenvalue = eigen.eigenvalues()[chosen[i]];
        if (std::abs(eigenvalue) <= 1e-8 * largest && std::abs(eigenvalue) <= 1e-6)
            eigenvalue = 0.0;
        if (std::abs(eigenvalue.real()) <= 1e-11 * largest) eigenvalue = {0.0, eigenvalue.imag()};
        const Eigen::VectorXcd eta = eigen.eigenvectors().col(chosen[i]).head(p);
        const Eigen::VectorXcd zeta = eigen.eigenvectors().col(chosen[i]).tail(r);
        const Eigen::VectorXcd shape = eta.norm() > 0.0
                                           ? Eigen::VectorXcd(reduced.Z * eta)
                                           : Eigen::VectorXcd(reduced.Z * reduced.Y * zeta);
        finish(system, eigenvalue, shape, out);
    }
}

/// At rest nothing accelerates.
void require_rest(KernelSystem& system, const LinearEquations& at, const char* what) {
    if (at.acceleration.size() == 0) return;
    const double g = system.parts().space.displacement(at.acceleration.data());
    if (g > 1e-6 * std::max(system.state().extent, 1.0))
        throw Error(ErrorKind::numerical,
                    fmt::format("{}: the model is not in equilibrium there, matter accelerates by "
                                "{:.3g} m/s^2; look for rest first (--at-rest; in a program "
                                "find_equilibrium), and where that has been done, take away the "
                                "drive or load that changes with time",
                                what,
                                g));
}

/// Of a large model.
void find_lowest(KernelSystem& system,
                 const LinearEquations& at,
                 const SteadySpin& spin,
                 int count,
                 Modes& out) {
    const double damping = at.D.norm(),
                 asymmetry = (at.K - Eigen::SparseMatrix<double>(at.K.transpose())).norm();
    out.is_complete = false;
    out.degrees_of_freedom =
        static_cast<int>(at.M.rows() - at.P.rows() + std::ranges::count(at.is_left_out, char{1}));
    if (at.N.rows() > 0) {
        if (spin.is_spinning) refuse_rates();
        throw Error(ErrorKind::numerical,
                    fmt::format("modes: a model of more than {} coordinates is served with "
                                "conditions on positions only, not on velocities",
                                kMostDense));
    }
    if (spin.is_spinning || asymmetry > kSymmetric * at.K.norm()) {
        const GyroscopicModes lowest =
            gyroscopic_modes(system, at, spin, std::min(count, out.degrees_of_freedom));
        for (Eigen::Index k = 0; k < lowest.values.size(); ++k)
            finish(system, lowest.values[k], lowest.shapes.col(k), out);
        return;
    }
    const LowestModes lowest = lowest_modes(system, at, count);
    double largest = 0.0;
    for (const double square : lowest.squares) largest = std::max(largest, std::abs(square));
    add_undamped(system, lowest.squares, lowest.shapes, largest, count, out);
    if (damping == 0.0) return;
    // Damping that is small changes a frequency by its square: the Rayleigh quotient.
    for (Eigen::Index k = 0; k < lowest.squares.size(); ++k) {
        const Eigen::VectorXd x = lowest.shapes.col(k);
        const double half = 0.5 * x.dot(at.D * x) / x.dot(at.M * x);
        Mode& mode = out.modes[static_cast<std::size_t>(k)];
        mode.eigenvalue = {mode.eigenvalue.real() - half, mode.eigenvalue.imag()};
        const double size = std::abs(mode.eigenvalue);
        mode.damping = size > 0.0 ? half / size : 0.0;
    }
}

}  // namespace

Modes find_modes(KernelSystem& system, const ModesOptions& options, int most_dense) {
    require_smooth(system, "modes");
    const SteadySpin spin = find_spin(system);
    const LinearEquations at = linear_equations(system);
    Modes out;
    out.is_spinning = spin.is_spinning;
    if (spin.is_spinning) out.spin = {spin.rate[0], spin.rate[1], spin.rate[2]};
    if (!spin.is_spinning) require_rest(system, at, "modes");
    const int n = system.num_coordinates();
    if (n > most_dense) {
        find_lowest(system, at, spin, options.count > 0 ? options.count : kFew, out);
        return out;
    }

    Reduced reduced = reduce(at, spin);
    condense(reduced);
    const Eigen::Index p = reduced.Z.cols(), r = reduced.Y.cols();
    out.degrees_of_freedom = static_cast<int>(r);
    if (p == 0) return out;
    const Eigen::LLT<Eigen::MatrixXd> mass(reduced.M);
    const double stiffness = reduced.K.norm();
    const bool is_symmetric = reduced.is_holonomic && !spin.is_spinning &&
                              (reduced.K - reduced.K.transpose()).norm() <= kSymmetric * stiffness;
    const double per_mass = reduced.M.trace() / static_cast<double>(r);
    const bool is_undamped =
        reduced.D.norm() <= 1e-13 * (std::sqrt(stiffness * per_mass) + per_mass);
    if (is_symmetric && is_undamped) {
        const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> eigen(
            0.5 * (reduced.K + reduced.K.transpose()), reduced.M);
        const Eigen::VectorXd& squares = eigen.eigenvalues();
        const int count = options.count > 0 ? options.count : static_cast<int>(p);
        out.is_complete = count >= p;
        add_undamped(system,
                     squares,
                     reduced.Z * eigen.eigenvectors(),
                     squares.cwiseAbs().maxCoeff(),
                     count,
                     out);
        std::ranges::stable_sort(out.modes, {}, &Mode::frequency);
        return out;
    }
    const auto wanted = options.count > 0 ? static_cast<std::size_t>(options.count)
                                          : static_cast<std::size_t>(p + r);
    const Eigen::MatrixXd free = split_off_free(reduced, mass);
    for (Eigen::Index k = 0; k < free.cols() && out.modes.size() < wanted; ++k)
        finish(system, 0.0, free.col(k).cast<std::complex<double>>(), out);
    add_damped(system, reduced, wanted, out);
    return out;
}

LinearModel linear_model(KernelSystem& system, const LinearPorts& ports) {
    require_smooth(system, "linearize");
    if (spin_of(system, "linearize", kElsewhere).is_spinning)
        throw Error(ErrorKind::numerical,
                    "linearize: the model moves; a linear model is that about a state of rest");
    if (system.num_coordinates() > kMostDense)
        throw Error(
            ErrorKind::numerical,
            fmt::format("linearize: the model has more than {} coordinates; reduce it, or ask "
                        "for its modes",
                        kMostDense));
    const LinearEquations at = linear_equations(system);
    require_rest(system, at, "linearize");
    Reduced reduced = reduce(at, {});
    condense(reduced);
    const Eigen::Index p = reduced.Z.cols(), r = reduced.Y.cols(), n = reduced.Z.rows();
    const Eigen::Index inputs = ports.forces.cols();
    const Eigen::MatrixXd W = reduced.Z * reduced.Y;
    const Eigen::LLT<Eigen::MatrixXd> mass(reduced.M);
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(p + r, p + r),
                    B = Eigen::MatrixXd::Zero(p + r, inputs);
    A.topRightCorner(p, r) = reduced.Y;
    A.bottomLeftCorner(r, p) = -mass.solve(reduced.K);
    A.bottomRightCorner(r, r) = -mass.solve(reduced.D);
    B.bottomRows(r) = mass.solve(W.transpose() * ports.forces);

    const Eigen::VectorXd q0 = Eigen::Map<const Eigen::VectorXd>(system.q().data(), n);
    const Eigen::VectorXd v0 = Eigen::VectorXd::Zero(n);
    LinearModel out;
    out.at = ports.outputs(q0, v0);
    const auto outputs = static_cast<Eigen::Index>(out.at.size());
    Eigen::MatrixXd C(outputs, p + r);
    for (Eigen::Index k = 0; k < p + r; ++k) {
        Eigen::VectorXd change =
            k < p ? Eigen::VectorXd(reduced.Z.col(k)) : Eigen::VectorXd(W.col(k - p));
        const double way = system.parts().space.displacement(change.data());
        const double step = 1e-5 * system.state().extent / std::max(way, 1e-300);
        const auto value = [&](double c) {
            return k < p ? ports.outputs(q0 + c * change, v0) : ports.outputs(q0, v0 + c * change);
        };
        const std::vector<double> up = value(step), down = value(-step);
        for (Eigen::Index i = 0; i < outputs; ++i)
            C(i, k) = (up[static_cast<std::size_t>(i)] - down[static_cast<std::size_t>(i)]) /
                      (2.0 * step);
    }
    const auto by_rows = [](const Eigen::MatrixXd& x) {
        std::vector<double> values;
        for (Eigen::Index i = 0; i < x.rows(); ++i)
            for (Eigen::Index j = 0; j < x.cols(); ++j) values.push_back(x(i, j));
        return values;
    };
    out.num_states = static_cast<int>(p + r);
    out.num_inputs = static_cast<int>(inputs);
    out.num_outputs = static_cast<int>(outputs);
    out.num_coordinates = static_cast<int>(n);
    out.A = by_rows(A);
    out.B = by_rows(B);
    out.C = by_rows(C);
    out.D.assign(static_cast<std::size_t>(outputs * inputs), 0.0);
    out.T = by_rows(reduced.Z);
    return out;
}

}  // namespace ancora
