// SPDX-License-Identifier: BSD-3-Clause
// Stiffness with and without stress, and eigenvalues of the one beside the other.
#include "buckling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "dense.hpp"
#include "lowest_modes.hpp"
#include "part_motion.hpp"
#include "steady_spin.hpp"

namespace ancora {
namespace {

// Eigenvalues of a stiffness that are none, beside the largest, in roundings for each column.
constexpr double kNone = 64.0;
// 1 / f beside the largest, below which it is rounding.
constexpr double kInfinite = 1e-9;
// 1 / f that is none at all: rounding of strains makes as much.
constexpr double kNoStress = 1e-9;
// Of the stiffness by stress, what is not symmetric.
constexpr double kUnlikeItsMirror = 1e-4;

using Sparse = Eigen::SparseMatrix<double>;

/// The stiffness at rest, and what is left of it without stress.
struct Stiffnesses {
    Sparse whole, material;
    Eigen::VectorXd lambda;  ///< multipliers that hold the state
};

/// A solve with K + s M finds the multipliers, S x - A^T y = F, A x = 0, with x = 0 at rest: that
/// of the accelerations loses digits where matter is light.
/// @throws Error (numerical) if that is no rest
Stiffnesses stiffnesses(KernelSystem& system, const LinearEquations& at) {
    constexpr double kShift = 1e-9;   // of the largest diagonal entry of K over M
    constexpr double kAtRest = 1e-6;  // of the model's size
    ImplicitFace& face = system.linearisable();
    const auto n = static_cast<std::size_t>(system.num_coordinates());
    const std::vector<double> none(n, 0.0);
    Eigen::VectorXd x(at.M.rows());
    Stiffnesses out;
    out.lambda.setZero(face.num_conditions());
    const auto go = [&](bool with_stress) {
        if (!with_stress) face.leave_out_stress();
        face.evaluate({system.time(), system.q(), none, view(out.lambda)});
        face.differentiate(none);
        face.forget_prediction();
    };
    go(false);
    double largest = 0.0;
    for (Eigen::Index i = 0; i < at.M.rows(); ++i)
        if (const double m = at.M.coeff(i, i); m > 0.0)
            largest = std::max(largest, std::abs(at.K.coeff(i, i)) / m);
    if (!face.factorise(Augmented::dynamics, {kShift * largest, 0.0, 1.0, 0.0}))
        throw Error(ErrorKind::numerical,
                    "buckling: the stiffness of the model at this state cannot be factorised "
                    "together with its conditions; something moves that has neither mass nor "
                    "stiffness");
    const Eigen::VectorXd force = Eigen::Map<const Eigen::VectorXd>(face.force().data(), x.size());
    const std::vector<double> gaps(static_cast<std::size_t>(face.num_conditions()), 0.0);
    face.solve(
        Augmented::dynamics, view(force), gaps, {x.data(), n}, {out.lambda.data(), gaps.size()});
    const double way = system.parts().space.displacement(x.data());
    if (!(way <= kAtRest * system.state().extent))
        throw Error(ErrorKind::numerical,
                    fmt::format("buckling: the model is not in equilibrium there, it would move by "
                                "{:.3g} m; look for rest first (--at-rest; in a program "
                                "find_equilibrium)",
                                way));
    go(false);
    out.material = square_matrix(face.stiffness());
    go(true);
    out.whole = square_matrix(face.stiffness()) + square_matrix(face.geometric());
    return out;
}

/// -1 / f of shapes in the norm of a stiffness K, with X^T K X = 1; f beside 1 if `is_beside_one`.
struct Factors {
    Eigen::VectorXd inverse;
    Eigen::MatrixXd shapes;
    bool is_beside_one = false;

    double factor(Eigen::Index k) const { return (is_beside_one ? 1.0 : 0.0) - 1.0 / inverse[k]; }
};

/// @returns false where K is not positive definite: `weakest` is then what it holds least
bool norm_of(const Eigen::MatrixXd& K, Eigen::MatrixXd& X, Eigen::VectorXd& weakest) {
    const SymmetricEigen eigen(K);
    const Eigen::Index p = K.rows();
    const double none = kNone * static_cast<double>(p) * std::numeric_limits<double>::epsilon() *
                        eigen.values().cwiseAbs().maxCoeff();
    weakest = eigen.vectors().col(0);
    if (!(eigen.values()[0] > none)) return false;
    X = eigen.vectors() * eigen.values().cwiseSqrt().cwiseInverse().asDiagonal();
    return true;
}

[[noreturn]] void refuse_loose(const KernelSystem& system, const Eigen::VectorXd& shape) {
    const std::string part = what_moves_most(system, shape);
    throw Error(ErrorKind::numerical,
                fmt::format("buckling: {} may move, and neither stiffness nor stress holds it in "
                            "this state; tie it, or where stress is to hold it take a load below "
                            "the critical one",
                            part.empty() ? "the model" : part));
}

/// All of a small model.
Factors all_factors(const KernelSystem& system, const LinearEquations& at, const Stiffnesses& of) {
    const Eigen::MatrixXd Z = null_space(Eigen::MatrixXd(at.P));
    Factors out;
    if (Z.cols() == 0) return out;
    const auto even = [](const Eigen::MatrixXd& full) {
        return Eigen::MatrixXd(0.5 * (full + full.transpose()));
    };
    const Eigen::MatrixXd full = Z.transpose() * (of.whole * Z);
    const Eigen::MatrixXd whole = even(full), without = even(Z.transpose() * (of.material * Z));
    Eigen::MatrixXd X;
    Eigen::VectorXd weakest;
    if (!norm_of(without, X, weakest)) {
        out.is_beside_one = true;
        if (!norm_of(whole, X, weakest)) refuse_loose(system, Z * weakest);
    }
    const Eigen::MatrixXd stress = X.transpose() * (whole - without) * X;
    const double odd = (X.transpose() * (full - full.transpose()) * X).cwiseAbs().maxCoeff();
    if (odd > std::max(kUnlikeItsMirror * stress.cwiseAbs().maxCoeff(), kNoStress))
        throw Error(ErrorKind::numerical,
                    "buckling: a load turns with what it acts on, so that no potential tells when "
                    "the state ceases to be stable; `ancora modes --at-rest` at several loads "
                    "tells it");
    const SymmetricEigen eigen(stress);
    out.inverse = eigen.values();
    out.shapes = Z * (X * eigen.vectors());
    return out;
}

/// The lowest of a large one, whose state is stable, where `of` has just been taken.
Factors lowest_factors(KernelSystem& system, const Stiffnesses& of, int count) {
    Factors out;
    out.is_beside_one = true;
    const LowestModes found = lowest_values(system, of.whole, of.whole - of.material, count);
    out.inverse = found.squares;
    out.shapes = found.shapes;
    return out;
}

}  // namespace

Buckling find_buckling(KernelSystem& system, const BucklingOptions& options, int most_dense) {
    require_smooth(system, "buckling");
    const char* const at_rest = "take a state of rest";
    if (spin_of(system, "buckling", at_rest).is_moving())
        throw Error(ErrorKind::numerical, "buckling: the model moves; take a state of rest");
    const LinearEquations at = linear_equations(system);
    if (at.N.rows() > 0)
        throw Error(ErrorKind::numerical,
                    "buckling: a condition on velocities holds at rest whatever the position; ask "
                    "it of a copy of the model without this");
    const Stiffnesses of = stiffnesses(system, at);
    const int n = system.num_coordinates();
    const Factors found = n > most_dense ? lowest_factors(system, of, std::max(options.count, 1))
                                         : all_factors(system, at, of);
    Buckling out;
    out.degrees_of_freedom =
        static_cast<int>(n - at.P.rows() + std::ranges::count(at.is_dropped, char{1}));
    const Eigen::Index count = found.inverse.size();
    const double largest = count > 0 ? found.inverse.cwiseAbs().maxCoeff() : 0.0;
    if (!(largest > kNoStress))
        throw Error(ErrorKind::numerical,
                    "buckling: nothing is stressed in this state; give it its loads, and look for "
                    "rest first (--at-rest; in a program find_equilibrium)");
    std::vector<Eigen::Index> order;
    for (Eigen::Index k = 0; k < count; ++k) {
        if (std::abs(found.inverse[k]) <= kInfinite * largest) continue;
        const double factor = found.factor(k);
        if (factor > 0.0) {
            order.push_back(k);
        } else if (out.reverse_factor == 0.0 || factor > out.reverse_factor) {
            out.reverse_factor = factor;
        }
    }
    std::ranges::sort(order, {}, [&](Eigen::Index k) {
        return found.factor(k);
    });
    for (const Eigen::Index k : order) {
        if (static_cast<int>(out.shapes.size()) >= options.count) break;
        out.shapes.push_back({found.factor(k), {}});
        describe_motion(
            system, found.shapes.col(k).cast<std::complex<double>>(), out.shapes.back().motion);
    }
    return out;
}

}  // namespace ancora
