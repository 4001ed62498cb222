// SPDX-License-Identifier: BSD-3-Clause
// Eigenvalues of the stiffness at a rest, and how far they are rounding.
#include "rest_stability.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include "dense.hpp"
#include "linear_equations.hpp"
#include "lowest_modes.hpp"
#include "part_motion.hpp"
#include "side_step.hpp"

namespace ancora {
namespace {

constexpr double kNeutral = 1e-9;            // eigenvalue beside the largest, by differences
constexpr double kEigenRounding = 1e-13;     // likewise, of a matrix that is known to rounding
constexpr double kLanczosRounding = 1e-13;   // of an eigenvalue beside the largest
constexpr double kPositionRounding = 1e-14;  // of the model's size
constexpr double kAccelerates = 1e-6;        // accelerations beside the model's size, at rest
constexpr double kDrifts = 1e-6;             // eigenvalue of a drift, relative
constexpr int kFewLowest = 12;

double extent_of(const KernelSystem& system) {
    return std::max(system.state().extent, 1e-9);
}

/// The largest stiffness beside its mass, of single coordinates [1/s^2].
double largest_square(const LinearEquations& at) {
    const Eigen::VectorXd m = at.M.diagonal(), k = at.K.diagonal();
    double most = 0.0;
    for (Eigen::Index i = 0; i < m.size(); ++i)
        if (m[i] > 0.0) most = std::max(most, std::abs(k[i]) / m[i]);
    return most > 0.0 ? most : 1.0;
}

/// Rounding-error bound of each eigenvalue, at most kNeutral of the largest. Stiff elements raise
/// the largest far above those of soft directions, for which the change of stiffness by the
/// round-off of positions is the bound.
Eigen::VectorXd noise_of(KernelSystem& system,
                         const RestFrame& frame,
                         bool has_differences,
                         const LinearEquations& at,
                         const Eigen::VectorXd& squares,
                         const Eigen::MatrixXd& shapes) {
    const double largest = squares.cwiseAbs().maxCoeff();
    Eigen::VectorXd out = Eigen::VectorXd::Constant(squares.size(), kNeutral * largest);
    const auto is_in_doubt = [&](double square) {
        return std::abs(square) <= kNeutral * largest;
    };
    if (frame.spin.is_spinning || has_differences || std::ranges::none_of(squares, is_in_doubt))
        return out;
    const Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(system.q().data(), shapes.rows());
    const Eigen::VectorXd v = Eigen::Map<const Eigen::VectorXd>(system.v().data(), shapes.rows());
    Eigen::VectorXd beside = q;
    for (Eigen::Index i = 0; i < q.size(); ++i)
        beside[i] += spread(i) * kPositionRounding * extent_of(system);
    const Eigen::SparseMatrix<double> change =
        (linear_equations(system, beside, v).K - at.K).cwiseAbs();
    for (Eigen::Index k = 0; k < squares.size(); ++k) {
        if (!is_in_doubt(squares[k])) continue;
        const Eigen::VectorXd size = shapes.col(k).cwiseAbs();
        out[k] = std::min(out[k], std::max(kEigenRounding * largest, size.dot(change * size)));
    }
    return out;
}

/// Adds energy to drifts across the axis, which are orthogonal to all other motions in the norm of
/// M.
void hold_drift(const KernelSystem& system,
                const Eigen::Vector3d& rate,
                const LinearEquations& at,
                const Eigen::MatrixXd& Z,
                Eigen::MatrixXd& K) {
    const Eigen::MatrixXd translations =
        translations_of_space(system.parts().space, system.num_coordinates());
    const Eigen::Vector3d first = rate.unitOrthogonal();
    for (const Eigen::Vector3d& along : {first, rate.normalized().cross(first).eval()}) {
        const Eigen::VectorXd translation = translations * along;
        const Eigen::VectorXd momentum = at.M * translation;
        const Eigen::VectorXd across = Z.transpose() * momentum;
        K += 2.0 * rate.squaredNorm() / translation.dot(momentum) * across * across.transpose();
    }
}

}  // namespace

Eigen::VectorXd judge_stability(KernelSystem& system,
                                const RestFrame& frame,
                                bool has_differences,
                                Equilibrium& out) {
    const Eigen::Index n = system.num_coordinates();
    LinearEquations at = linear_equations(system);
    const Eigen::SparseMatrix<double> stiffness = at.K;  // as the face has it
    int num_drifting = 0;
    double drifts = 0.0;
    if (frame.spin.is_spinning) {
        // K <- K + D S + M S^2
        const Eigen::SparseMatrix<double>& S = frame.spin.S;
        at.K = at.K + at.D * S + at.M * S * S;
        // In the corotating frame drifts across the axis are unstable: two directions without
        // meaning for stability.
        if (frame.is_free) num_drifting = 2;
        drifts = -frame.spin.rate.squaredNorm();
    } else {
        out.acceleration = acceleration_from_rest(system, at);
        out.lasts = out.acceleration <= kAccelerates * std::max(extent_of(system), 1.0);
    }
    out.num_unstable = out.num_neutral = 0;
    out.unstable_part.clear();
    Eigen::VectorXd squares, noise, downhill;
    if (n <= kMostDense) {
        Eigen::MatrixXd A(at.P.rows() + at.N.rows(), n);
        A << Eigen::MatrixXd(at.P), Eigen::MatrixXd(at.N);
        const Eigen::MatrixXd Z = null_space(A);
        out.degrees_of_freedom = static_cast<int>(Z.cols());
        if (Z.cols() > 0) {
            Eigen::MatrixXd K = projected(Z, at.K, Z);
            if (num_drifting > 0) hold_drift(system, frame.spin.rate, at, Z, K);
            num_drifting = 0;
            const SymmetricEigen eigen(0.5 * (K + K.transpose()));
            squares = eigen.values();
            noise = noise_of(system, frame, has_differences, at, squares, Z * eigen.vectors());
            downhill = Z * eigen.vectors().col(0);
        }
    } else {
        LinearEquations of_face = at;
        of_face.K = stiffness;
        const LowestModes lowest = lowest_modes(system, of_face, kFewLowest);
        squares = lowest.squares;
        if (squares.size() > 0) downhill = lowest.shapes.col(0);
        out.is_counted = false;
        out.degrees_of_freedom = static_cast<int>(n - at.P.rows());
        // The highest are not known; the rounding-error bound is taken from the stiffness.
        const double largest = squares.size() > 0 ? squares.cwiseAbs().maxCoeff() : 0.0;
        noise.setConstant(squares.size(),
                          std::max(kNeutral * largest, kLanczosRounding * largest_square(at)));
    }
    for (Eigen::Index k = 0; k < squares.size(); ++k) {
        const double square = squares[k];
        if (num_drifting > 0 && std::abs(square - drifts) <= kDrifts * std::abs(drifts)) {
            --num_drifting;
            continue;
        }
        if (square < -noise[k]) ++out.num_unstable;
        if (std::abs(square) <= noise[k]) ++out.num_neutral;
    }
    out.stability = out.num_unstable > 0  ? Stability::unstable
                    : out.num_neutral > 0 ? Stability::neutral
                                          : Stability::stable;
    if (out.num_unstable > 0) out.unstable_part = what_moves_most(system, downhill);
    return downhill;
}

}  // namespace ancora
