// SPDX-License-Identifier: BSD-3-Clause
// Eigenvalues within the conditions.
#include "vibrations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>
#include <utility>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <fmt/format.h>

#include "dense.hpp"
#include "gyroscopic_modes.hpp"
#include "linear_equations.hpp"
#include "lowest_modes.hpp"
#include "part_motion.hpp"
#include "steady_spin.hpp"
#include "turn_invariance.hpp"

namespace ancora {
namespace {

// Eigenvalues of the mass beside the largest: those below have none.
constexpr double kMassless = 1e-12;
constexpr double kSymmetric = 1e-9;
// What is felt of a free motion, of the largest stiffness or damping.
constexpr double kFree = 1e-13;
// Of a matrix of n columns, rounding in its eigenvalues: n times this.
constexpr double kRoundings = 16.0;
// Of the largest square: half of the digits of those below are rounding, or more.
constexpr double kRoundedSquare = 1e-8;
constexpr double kNoRate = 1e-11;  // eigenvalue or its real part beside the largest one
constexpr int kFew = 20;
constexpr std::size_t kMostTurns = 8;  // different ones that are tried
constexpr double kSameTurn = 1e-6;
constexpr const char* kElsewhere =
    "take --at-rest, or a time at which it is at rest or in steady spin; modes about a steady "
    "travel, as of a vehicle on wheels, are not computed: disturb a run of it and look at that";

/// Axes in which the motion of the model is a rest.
class AxesSearch {
public:
    AxesSearch(KernelSystem& system, const LinearEquations& at) : system_(system), at_(at) {}

    SteadySpin find(ModeAxes axes) {
        const std::optional<SteadySpin> whole = whole_spin(system_);
        if (whole && !whole->is_spinning) {
            require_steady_drift(*whole);
            return *whole;
        }
        if (axes != ModeAxes::fixed && whole && is_constant(*whole)) return *whole;
        const std::string of_whole = std::exchange(why_not_, {});
        if (axes != ModeAxes::turning)
            if (std::optional<SteadySpin> found = with_parts({}); found) return *found;
        const std::string of_parts = std::exchange(why_not_, {});
        const bool moves_otherwise = moves_otherwise_;
        if (axes != ModeAxes::fixed)
            if (std::optional<SteadySpin> found = turning_with_a_part(); found) return *found;
        refuse(axes, whole.has_value(), moves_otherwise, of_whole, of_parts, why_not_);
    }

private:
    void require_steady_drift(const SteadySpin& drift) const {
        if (drift.S.size() > 0 && !is_steady_in(drift))
            throw Error(ErrorKind::numerical,
                        fmt::format("modes: the model moves, and not steadily; {}", kElsewhere));
    }
    bool is_steady_in(const SteadySpin& spin) const {
        const Eigen::Map<const Eigen::VectorXd> v(system_.v().data(), system_.num_coordinates());
        return is_steady(system_, spin, v, Eigen::VectorXd::Zero(v.size()), at_.acceleration);
    }
    bool is_constant(const SteadySpin& spin) {
        if (!is_steady_in(spin)) {
            why_not_ = kNotSteady;
            return false;
        }
        why_not_ = what_does_not_turn(system_, spin, at_);
        return why_not_.empty();
    }
    /// Axes of this turn of space, in which what does not turn with it spins in itself.
    std::optional<SteadySpin> with_parts(SteadySpin axes) {
        const std::optional<int> other = add_parts(system_, axes);
        if (other) {
            moves_otherwise_ = true;
            why_not_ =
                fmt::format("{} moves, and not as a rigid body that spins about an axis at rest",
                            system_.parts().model.bodies[*other].object.label);
            return std::nullopt;
        }
        return is_constant(axes) ? std::optional(axes) : std::nullopt;
    }
    std::optional<SteadySpin> turning_with_a_part() {
        std::vector<Eigen::Vector3d> seen;
        const int count = static_cast<int>(system_.parts().model.bodies.size());
        for (int b = 0; b < count && seen.size() < kMostTurns; ++b) {
            const std::optional<SteadySpin> axes = spin_like(system_, b);
            if (!axes || std::ranges::any_of(seen, [&](const Eigen::Vector3d& rate) {
                    return (rate - axes->rate).norm() <= kSameTurn * rate.norm();
                }))
                continue;
            seen.push_back(axes->rate);
            const std::string first = why_not_;
            if (std::optional<SteadySpin> found = with_parts(*axes); found) return found;
            why_not_ = first.empty() ? fmt::format("in axes that turn with {} since {}",
                                                   system_.parts().model.bodies[b].object.label,
                                                   why_not_)
                                     : first;
        }
        return std::nullopt;
    }
    [[noreturn]] static void refuse(ModeAxes axes,
                                    bool is_whole,
                                    bool moves_otherwise,
                                    const std::string& of_whole,
                                    const std::string& of_parts,
                                    const std::string& of_frame) {
        if (is_whole && of_whole == kNotSteady)
            throw Error(
                ErrorKind::numerical,
                "modes: the model spins, but not steadily: its accelerations are not those of a "
                "turn about an axis, so that it is not in equilibrium there; --spinning looks for "
                "that equilibrium");
        std::string why;
        if (!of_whole.empty())
            why += fmt::format(", in axes that turn with the spin since {}", of_whole);
        if (!of_parts.empty()) why += fmt::format(", in axes at rest since {}", of_parts);
        if (of_whole.empty() && !of_frame.empty()) why += ", " + of_frame;
        if (why.empty() || (!is_whole && moves_otherwise))
            throw Error(ErrorKind::numerical,
                        fmt::format("modes: the model moves, and not as one that spins steadily "
                                    "about an axis{}; {}",
                                    of_parts.empty() ? "" : ": " + of_parts,
                                    kElsewhere));
        const char* const only = axes == ModeAxes::fixed     ? " in axes at rest"
                                 : axes == ModeAxes::turning ? " in axes that turn"
                                                             : "";
        throw Error(
            ErrorKind::numerical,
            fmt::format("modes: small motions about this state have no constant coefficients{}{}; "
                        "what spins and what it is tied to must one of them be alike all round the "
                        "axis; {}",
                        only,
                        why,
                        kElsewhere));
    }

    static constexpr const char* kNotSteady =
        "the accelerations are not those of the spin, so that it is not in equilibrium there";
    KernelSystem& system_;
    const LinearEquations& at_;
    std::string why_not_;
    bool moves_otherwise_ = false;  ///< some body, than by a spin in itself
};

/// Matrices in minimal coordinates, velocities in those that are left to them.
struct Reduced {
    Eigen::MatrixXd Z;        // of positions
    Eigen::MatrixXd Y;        // velocities within Z: eta' = Y zeta
    Eigen::MatrixXd M, D, K;  // rows along Z Y; columns: M, D along Z Y, K along Z
    double spin = 0.0;        // fastest [rad/s]: K and D are sums with its square, and it, times M
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
    if (spin.is_moving() && !out.is_holonomic) refuse_rates();
    out.spin = spin.fastest();
    const LinearEquations turning = in_turning_frame(at, spin);
    const Eigen::MatrixXd W = out.Z * out.Y;
    out.M = W.transpose() * (at.M * W);
    out.D = W.transpose() * (turning.D * W);
    out.K = projected(W, turning.K, out.Z);
    return out;
}

/// Static elimination of what has no mass: new columns of Y.
void condense(Reduced& of) {
    const Eigen::Index r = of.M.rows();
    if (r == 0) return;
    const SymmetricEigen eigen(of.M);
    const double largest = eigen.values()[r - 1];
    Eigen::Index none = 0;
    while (none < r && eigen.values()[none] <= kMassless * largest) ++none;
    if (none == 0) return;
    if (!of.is_holonomic || none == r)
        throw Error(ErrorKind::numerical,
                    "modes: some motion of the model has no mass; give it some, or tie it");
    const Eigen::MatrixXd V0 = eigen.vectors().leftCols(none);
    const Eigen::MatrixXd V1 = eigen.vectors().rightCols(r - none);
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
                  int count,
                  Modes& out) {
    for (Eigen::Index k = 0; k < squares.size() && k < count; ++k) {
        const double square = squares[k];
        const std::complex<double> eigenvalue = square >= 0.0
                                                    ? std::complex<double>(0.0, std::sqrt(square))
                                                    : std::complex<double>(std::sqrt(-square), 0.0);
        finish(system, eigenvalue, shapes.col(k).cast<std::complex<double>>(), out);
    }
}

/// Squares and shapes that rounding of the largest has in part or whole, as the lowest of slender
/// beams, whose turns have next to no mass: zero, or found apart from the others.
void set_lowest(KernelSystem& system,
                const LinearEquations& at,
                Eigen::VectorXd& squares,
                Eigen::MatrixXd& shapes) {
    const double rounded = kRoundedSquare * squares.cwiseAbs().maxCoeff();
    Eigen::Index count = 0;
    while (count < squares.size() && squares[count] <= rounded) ++count;
    if (count == 0) return;
    const Eigen::VectorXd by_energy = squares_of(at, shapes.leftCols(count));
    squares.head(count) = by_energy;
    if (by_energy.isZero(0.0) || count > kFew) return;
    const LowestModes lowest = lowest_modes(system, at, static_cast<int>(count));
    if (lowest.squares.size() < count) return;
    squares.head(count) = lowest.squares.head(count);
    shapes.leftCols(count) = lowest.shapes.leftCols(count);
}

/// Free motions, without stiffness and damping. In (1) below each is a defective double eigenvalue
/// (position and velocity), which round-off splits arbitrarily. They are projected out of the
/// equations; since forces on the other motions are orthogonal to them, these decouple.
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
        const double size = std::max(unit.norm(), matrix == &of.K ? of.spin * of.spin : of.spin);
        if (size == 0.0) continue;
        felt.conservativeResize(p, felt.cols() + 2 * p);
        felt.rightCols(2 * p) << unit / size, unit.transpose() / size;
    }
    Eigen::Index rank = 0;
    Eigen::MatrixXd Q = Eigen::MatrixXd::Identity(p, p);
    if (felt.cols() > 0) {
        const RankRevealingQr qr(felt);
        rank = qr.rank(kFree);
        Q = qr.columns_of_Q(0, p);
    }
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

/// Two eigenvalues that stand for one with a single eigenvector, which rounding has split. Beside
/// [l, g; 0, l] a change of e makes l +- sqrt(g e) of it, with vectors at an angle of 2 sqrt(e / g)
/// to each other: so that e = distance sin(angle) / 4. Where that is rounding, both are their mean,
/// which rounding moves no further than a simple one.
///
/// Source: F. Chaitin-Chatelin, V. Fraysse, Lectures on Finite Precision Computations, SIAM 1996.
/// @param rounding of the matrix, in its norm
void join_split(Eigen::VectorXcd& values,
                const Eigen::MatrixXcd& vectors,
                double norm,
                double rounding) {
    const double farthest = 2.0 * std::sqrt(norm * rounding);
    std::vector<Eigen::Index> order(static_cast<std::size_t>(values.size()));
    std::iota(order.begin(), order.end(), Eigen::Index{0});
    std::ranges::sort(order, {}, [&](Eigen::Index k) {
        return values[k].imag();
    });
    std::vector<char> is_joined(order.size(), 0);
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (is_joined[i] != 0) continue;
        const Eigen::Index k = order[i];
        std::size_t nearest = i;
        double least = rounding;
        for (std::size_t j = i + 1; j < order.size(); ++j) {
            const Eigen::Index other = order[j];
            if (values[other].imag() - values[k].imag() > farthest) break;
            const double distance = std::abs(values[other] - values[k]);
            if (is_joined[j] != 0 || distance > farthest) continue;
            const Eigen::VectorXcd x = vectors.col(k), y = vectors.col(other);
            const double sine = (y - x.dot(y) / x.squaredNorm() * x).norm() / y.norm();
            if (const double change = 0.25 * distance * sine; change <= least) {
                least = change;
                nearest = j;
            }
        }
        if (nearest == i) continue;
        is_joined[nearest] = 1;
        const std::complex<double> mean = 0.5 * (values[k] + values[order[nearest]]);
        values[k] = values[order[nearest]] = mean;
    }
}

/// The modes of
///
///   (w eta, zeta)' = [0, w Y; -M^-1 K / w, -M^-1 D] (w eta, zeta)                         (1)
///
/// until there are as many as wanted. w makes the blocks alike in size.
void add_damped(KernelSystem& system, const Reduced& reduced, std::size_t wanted, Modes& out) {
    const Eigen::Index p = reduced.Z.cols(), r = reduced.Y.cols();
    if (p == 0) return;
    const Eigen::LLT<Eigen::MatrixXd> mass(reduced.M);
    const Eigen::MatrixXd K = mass.solve(reduced.K), D = mass.solve(reduced.D);
    double w = std::max({std::sqrt(K.norm()), D.norm(), reduced.spin});
    if (!(w > 0.0)) w = 1.0;
    Eigen::MatrixXd first = Eigen::MatrixXd::Zero(p + r, p + r);
    first.topRightCorner(p, r) = w * reduced.Y;
    first.bottomLeftCorner(r, p) = -K / w;
    first.bottomRightCorner(r, r) = -D;
    auto [values, vectors] = eigen_of(first);
    const double largest = values.cwiseAbs().maxCoeff();
    join_split(values,
               vectors,
               first.norm(),
               kRoundings * static_cast<double>(p + r) * std::numeric_limits<double>::epsilon() *
                   first.norm());
    for (std::complex<double>& value : values) {
        if (std::abs(value) <= kNoRate * largest) value = 0.0;
        if (std::abs(value.real()) <= kNoRate * largest) value = {0.0, value.imag()};
    }
    std::vector<Eigen::Index> chosen;
    for (Eigen::Index k = 0; k < p + r; ++k)
        if (values[k].imag() >= 0.0) chosen.push_back(k);
    std::ranges::stable_sort(chosen, {}, [&](Eigen::Index k) {
        return std::abs(values[k]);
    });
    const std::size_t count = std::min(wanted - out.modes.size(), chosen.size());
    out.is_complete = count == chosen.size();
    for (std::size_t i = 0; i < count; ++i) {
        const Eigen::VectorXcd eta = vectors.col(chosen[i]).head(p);
        const Eigen::VectorXcd zeta = vectors.col(chosen[i]).tail(r);
        const Eigen::VectorXcd shape = eta.norm() > 0.0
                                           ? Eigen::VectorXcd(reduced.Z * eta)
                                           : Eigen::VectorXcd(reduced.Z * reduced.Y * zeta);
        finish(system, values[chosen[i]], shape, out);
    }
}

/// Of points that go round by a cos - b sin across the spin, sums of b x a along it beside those of
/// squares: displacements as parts of the model's size, and turns.
void find_whirls(const KernelSystem& system, const SteadySpin& spin, Modes& of) {
    if (!spin.is_moving()) return;
    const double extent = system.state().extent;
    for (Mode& mode : of.modes) {
        double round = 0.0, all = 0.0;
        const auto add = [&](const Mode::Part& part, const Eigen::Vector3d& rate) {
            if (!part.has_pose) return;
            const Eigen::Vector3d axis = rate.normalized();
            for (const bool is_turn : {false, true}) {
                Eigen::Vector3d a, b;
                for (std::size_t c = 0; c < 3; ++c) {
                    const std::complex<double> x =
                        is_turn ? extent * part.rotation[c] : part.displacement[c];
                    a[static_cast<Eigen::Index>(c)] = x.real();
                    b[static_cast<Eigen::Index>(c)] = x.imag();
                }
                a -= a.dot(axis) * axis;
                b -= b.dot(axis) * axis;
                round += 2.0 * axis.dot(b.cross(a));
                all += a.squaredNorm() + b.squaredNorm();
            }
        };
        if (spin.parts.empty())
            for (const Mode::Part& part : mode.bodies) add(part, spin.rate);
        for (const SteadySpin::Part& part : spin.parts) {
            const std::string& name = system.parts().model.bodies[part.body].object.name;
            for (const Mode::Part& moved : mode.bodies)
                if (moved.name == name) add(moved, part.rate);
        }
        if (mode.eigenvalue.imag() != 0.0 && all > 0.0) mode.whirl = round / all;
    }
}

/// At rest nothing accelerates.
void require_rest(KernelSystem& system, const LinearEquations& at, const char* what) {
    const double g = acceleration_from_rest(system, at);
    if (g > 1e-6 * std::max(system.state().extent, 1.0))
        throw Error(ErrorKind::numerical,
                    fmt::format("{}: the model is not in equilibrium there, matter accelerates by "
                                "{:.3g} m/s^2; look for rest first (--at-rest; in a program "
                                "find_equilibrium), and where that has been done, take away the "
                                "drive or load that changes with time",
                                what,
                                g));
}

/// Vibrations about rest beside fast damping: free motions by their stiffness and damping, then
/// the others.
void find_damped(KernelSystem& system, const LinearEquations& at, int count, Modes& out) {
    const LowestModes lowest = lowest_modes(system, at, count);
    std::vector<Eigen::Index> are_free;
    for (Eigen::Index k = 0; k < lowest.squares.size(); ++k) {
        const Eigen::VectorXd x = lowest.shapes.col(k), size = x.cwiseAbs();
        const double resistance = size.dot(Eigen::VectorXd(at.D * x).cwiseAbs()),
                     terms = size.dot(at.D.cwiseAbs() * size);
        if (lowest.squares[k] == 0.0 && resistance <= kSymmetric * terms) are_free.push_back(k);
    }
    const Eigen::MatrixXd free = lowest.shapes(Eigen::all, are_free);
    for (Eigen::Index k = 0; k < free.cols(); ++k)
        finish(system, 0.0, free.col(k).cast<std::complex<double>>(), out);
    const int others = std::min(count, out.degrees_of_freedom) - static_cast<int>(free.cols());
    if (others <= 0) return;
    const GyroscopicModes found = gyroscopic_modes(system, at, {}, others, &free);
    for (Eigen::Index k = 0; k < found.values.size(); ++k)
        finish(system, found.values[k], found.shapes.col(k), out);
}

/// Of a large model.
/// @param is_damped damping is not to be taken for small
void find_lowest(KernelSystem& system,
                 const LinearEquations& at,
                 const SteadySpin& spin,
                 int count,
                 bool is_damped,
                 Modes& out) {
    const double damping = at.D.norm(),
                 asymmetry = (at.K - Eigen::SparseMatrix<double>(at.K.transpose())).norm();
    out.is_complete = false;
    out.degrees_of_freedom =
        static_cast<int>(at.M.rows() - at.P.rows() + std::ranges::count(at.is_dropped, char{1}));
    if (at.N.rows() > 0) {
        if (spin.is_moving()) refuse_rates();
        throw Error(ErrorKind::numerical,
                    fmt::format("modes: a model of more than {} coordinates is served with "
                                "conditions on positions only, not on velocities",
                                kMostDense));
    }
    if (is_damped) {
        find_damped(system, at, count, out);
        return;
    }
    if (spin.is_moving() || asymmetry > kSymmetric * at.K.norm()) {
        const GyroscopicModes lowest =
            gyroscopic_modes(system, at, spin, std::min(count, out.degrees_of_freedom));
        for (Eigen::Index k = 0; k < lowest.values.size(); ++k)
            finish(system, lowest.values[k], lowest.shapes.col(k), out);
        return;
    }
    const LowestModes lowest = lowest_modes(system, at, count);
    add_undamped(system, lowest.squares, lowest.shapes, count, out);
    if (damping == 0.0) return;
    // Damping that is small changes a frequency by its square: the Rayleigh quotient.
    for (Eigen::Index k = 0; k < lowest.squares.size(); ++k) {
        const Eigen::VectorXd x = lowest.shapes.col(k);
        const double half = 0.5 * x.dot(at.D * x) / x.dot(at.M * x);
        Mode& mode = out.modes[k];
        mode.eigenvalue = {mode.eigenvalue.real() - half, mode.eigenvalue.imag()};
        const double size = std::abs(mode.eigenvalue);
        mode.damping = size > 0.0 ? half / size : 0.0;
    }
}

/// Whether rounding of the dense matrix (1) hides the lowest modes. Pairs of eigenvalues nearer to
/// each other than what it splits double ones by are taken for one: those that oscillate slowly
/// beside the fastest rate of damping, as of slender beams with viscosity.
bool hides_lowest(const LinearEquations& at,
                  const Reduced& reduced,
                  const Eigen::LLT<Eigen::MatrixXd>& mass) {
    const double rounding = kRoundings * static_cast<double>(2 * reduced.Z.cols()) *
                            std::numeric_limits<double>::epsilon();
    const double norm =
        std::max(std::sqrt(mass.solve(reduced.K).norm()), mass.solve(reduced.D).norm());
    const auto [squares, shapes] =
        symmetric_pencil(0.5 * (reduced.K + reduced.K.transpose()), reduced.M);
    double lowest = std::numeric_limits<double>::infinity();
    for (const double square : squares_of(at, reduced.Z * shapes))
        if (square > 0.0) lowest = std::min(lowest, square);
    return std::sqrt(lowest) < 2.0 * norm * std::sqrt(rounding);
}

void find_all(KernelSystem& system,
              const LinearEquations& at,
              const SteadySpin& spin,
              const ModesOptions& options,
              int most_dense,
              Modes& out) {
    const int n = system.num_coordinates();
    if (n > most_dense) {
        find_lowest(system, at, spin, options.count > 0 ? options.count : kFew, false, out);
        return;
    }

    Reduced reduced = reduce(at, spin);
    condense(reduced);
    const Eigen::Index p = reduced.Z.cols(), r = reduced.Y.cols();
    out.degrees_of_freedom = static_cast<int>(r);
    if (p == 0) return;
    const Eigen::LLT<Eigen::MatrixXd> mass(reduced.M);
    const double stiffness = reduced.K.norm();
    const bool is_symmetric = reduced.is_holonomic && !spin.is_moving() &&
                              (reduced.K - reduced.K.transpose()).norm() <= kSymmetric * stiffness;
    const double per_mass = reduced.M.trace() / static_cast<double>(r);
    const bool is_undamped =
        reduced.D.norm() <= 1e-13 * (std::sqrt(stiffness * per_mass) + per_mass);
    if (is_symmetric && !is_undamped && at.N.rows() == 0 && hides_lowest(at, reduced, mass)) {
        find_lowest(system, at, spin, options.count > 0 ? options.count : kFew, true, out);
        return;
    }
    if (is_symmetric && is_undamped) {
        auto [squares, shapes] =
            symmetric_pencil(0.5 * (reduced.K + reduced.K.transpose()), reduced.M);
        shapes = reduced.Z * shapes;
        set_lowest(system, at, squares, shapes);
        const int count = options.count > 0 ? options.count : static_cast<int>(p);
        out.is_complete = count >= p;
        add_undamped(system, squares, shapes, count, out);
        std::ranges::stable_sort(out.modes, {}, &Mode::frequency);
        return;
    }
    const auto wanted = options.count > 0 ? static_cast<std::size_t>(options.count)
                                          : static_cast<std::size_t>(p + r);
    const Eigen::MatrixXd free = split_off_free(reduced, mass);
    // About a spin each eigenvalue is a mode, and a free motion has zero twice.
    const int times = spin.is_moving() ? 2 : 1;
    for (Eigen::Index k = 0; k < times * free.cols() && out.modes.size() < wanted; ++k)
        finish(system, 0.0, free.col(k / times).cast<std::complex<double>>(), out);
    add_damped(system, reduced, wanted, out);
}

}  // namespace

Modes find_modes(KernelSystem& system, const ModesOptions& options, int most_dense) {
    require_smooth(system, "modes");
    const LinearEquations at = linear_equations(system);
    const SteadySpin spin = AxesSearch(system, at).find(options.axes);
    Modes out;
    out.is_spinning = spin.is_spinning;
    if (spin.is_spinning) out.spin = {spin.rate[0], spin.rate[1], spin.rate[2]};
    for (const SteadySpin::Part& part : spin.parts)
        out.parts.push_back({system.parts().model.bodies[part.body].object.name,
                             {part.rate[0], part.rate[1], part.rate[2]}});
    if (!spin.is_moving()) require_rest(system, at, "modes");
    find_all(system, at, spin, options, most_dense, out);
    find_whirls(system, spin, out);
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
        for (Eigen::Index i = 0; i < outputs; ++i) C(i, k) = (up[i] - down[i]) / (2.0 * step);
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
    out.D.assign(outputs * inputs, 0.0);
    out.T = by_rows(reduced.Z);
    return out;
}

}  // namespace ancora
