// SPDX-License-Identifier: BSD-3-Clause
// Shift and invert, on what the drift of free parts leaves.
#include "gyroscopic_modes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <Eigen/Geometry>

#include "arnoldi.hpp"
#include "augmented_matrix.hpp"

namespace ancora {
namespace {

using Eigen::Index;
using Complex = std::complex<double>;
using Sparse = Eigen::SparseMatrix<double>;
using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor>;

constexpr double kSlowOfSpin = 0.7;
constexpr double kSlowOfFastest = 3e-6;  // of the fastest coordinate on its own
// Bounds of round-off, or of difference quotients, of quantities that vanish: of a force relative
// to inertia in a slow motion, of a condition relative to the sum of its terms.
constexpr double kNothing = 1e-7;
constexpr double kRoundedTerm = 1e-15;  // beside the fastest coordinate
constexpr double kAllowed = 1e-9;
// Rounding-error bound of a sum relative to its terms: a smaller stiffness counts as zero, however
// slow the motion.
constexpr double kRoundedAway = 1e-11;
constexpr double kMostKnown = 5e7;       // numbers of motions that are known without a solve
constexpr double kAsGoodAsZero = 1e-10;  // of what is slow
constexpr double kFarFromShift = 30.0;   // from where on digits are lost
constexpr int kMostShifts = 3;
constexpr double kOneBound = 1e-9;   // eigenvalues that differ by less stand together
constexpr double kNoGrowth = 1e-11;  // of the fastest

/// The scale of what is compared.
struct Scale {
    Scale(const LinearEquations& equations, double spin) : root(equations.M.diagonal()) {
        const double mean = root.size() > 0 ? root.mean() : 1.0;
        double fastest_square = 0.0;
        for (Index i = 0; i < root.size(); ++i) {
            if (root[i] > 0.0)
                fastest_square =
                    std::max(fastest_square, std::abs(equations.K.coeff(i, i)) / root[i]);
            root[i] = std::sqrt(root[i] > 0.0 ? root[i] : mean);
        }
        fastest = std::sqrt(fastest_square);
        slow = std::max(kSlowOfSpin * spin, kSlowOfFastest * fastest);
        if (slow == 0.0) slow = 1.0;
    }
    /// Whether a force K x is nothing, (D x with order = 1).
    bool is_nothing(const Eigen::VectorXd& force, const Eigen::VectorXd& x, int order) const {
        return force.cwiseQuotient(root).norm() <= per_mass(order) * root.cwiseProduct(x).norm();
    }
    /// Sums over columns of what entries do to masses.
    Eigen::VectorXd sums(const Sparse& K) const {
        Eigen::VectorXd out = Eigen::VectorXd::Zero(root.size());
        for (Index k = 0; k < K.outerSize(); ++k)
            for (Sparse::InnerIterator e(K, k); e; ++e)
                out[e.row()] += std::abs(e.value()) / (root[e.row()] * root[e.col()]);
        return out;
    }
    /// Whether K is as symmetric as rounding, or differences in place of derivatives, leave it.
    bool is_symmetric(const Sparse& K) const {
        return K.rows() == 0 || sums(K - Sparse(K.transpose())).maxCoeff() <= 10.0 * per_mass(2);
    }
    /// Whether nothing but rounding makes D differ from the skew one of gyroscopic forces: real
    /// damping shows however little it is.
    bool is_skew(const Sparse& D) const {
        return (sums(D + Sparse(D.transpose())).array() <= kRoundedAway * sums(D).array()).all();
    }
    double per_mass(int order) const {
        return kNothing * std::pow(slow, order) + kRoundedTerm * std::pow(fastest, order);
    }

    Eigen::VectorXd root;  // of the mass of each coordinate
    double fastest = 0.0;  // any coordinate on its own
    double slow = 0.0;     // about as slow as anything that is of interest
};

/// Coordinates that forces, masses or conditions link, as lists.
std::vector<std::vector<int>> linked_parts(const LinearEquations& equations) {
    const auto n = static_cast<std::size_t>(equations.M.rows());
    std::vector<int> parent(n);
    std::iota(parent.begin(), parent.end(), 0);
    const auto root = [&](int i) {
        while (parent[i] != i) {
            int& up = parent[i];
            up = parent[up];
            i = up;
        }
        return i;
    };
    const auto link = [&](int i, int j) {
        parent[root(i)] = root(j);
    };
    for (const Sparse* matrix : {&equations.M, &equations.D, &equations.K})
        for (Index k = 0; k < matrix->outerSize(); ++k)
            for (Sparse::InnerIterator e(*matrix, k); e; ++e)
                if (e.value() != 0.0) link(static_cast<int>(e.row()), static_cast<int>(e.col()));
    for (Index k = 0; k < equations.P.outerSize(); ++k) {
        int first = -1;
        for (SparseRows::InnerIterator e(equations.P, k); e; ++e) {
            if (first < 0) first = static_cast<int>(e.col());
            link(static_cast<int>(e.col()), first);
        }
    }
    std::vector<std::vector<int>> out;
    std::vector<int> place(n, -1);
    for (int i = 0; i < static_cast<int>(n); ++i) {
        int& at = place[root(i)];
        if (at < 0) {
            at = static_cast<int>(out.size());
            out.emplace_back();
        }
        out[at].push_back(i);
    }
    return out;
}

/// What nothing holds of a part.
struct Free {
    std::array<bool, 3> along{};  ///< drifts along the axes
    bool turns = false;           ///< about the axis of the spin, as far as is known before solving
    bool drifts() const { return along[0] || along[1] || along[2]; }
};

/// Sums of squares over each part: of a product, and of its terms.
class PartSums {
public:
    PartSums(const std::vector<std::vector<int>>& parts, Index n)
        : part_of_(static_cast<std::size_t>(n)), value_(parts.size()), terms_(parts.size()) {
        for (std::size_t k = 0; k < parts.size(); ++k)
            for (int i : parts[k]) part_of_[i] = k;
    }
    template <class Matrix>
    void take(const Matrix& A, const Eigen::VectorXd& x, const auto& part_of_row) {
        std::ranges::fill(value_, 0.0);
        std::ranges::fill(terms_, 0.0);
        const Eigen::VectorXd y = A * x, t = A.cwiseAbs() * x.cwiseAbs();
        for (Index i = 0; i < y.size(); ++i) {
            const std::size_t part = part_of_row(i);
            if (part == value_.size()) continue;
            value_[part] += y[i] * y[i];
            terms_[part] += t[i] * t[i];
        }
    }
    void take(const Eigen::VectorXd& value, const Eigen::VectorXd& terms) {
        std::ranges::fill(value_, 0.0);
        std::ranges::fill(terms_, 0.0);
        for (Index i = 0; i < value.size(); ++i) {
            const std::size_t part = of(i);
            value_[part] += value[i] * value[i];
            terms_[part] += terms[i] * terms[i];
        }
    }
    std::size_t of(Index i) const { return part_of_[i]; }
    double value(std::size_t part) const { return std::sqrt(value_[part]); }
    double terms(std::size_t part) const { return std::sqrt(terms_[part]); }

private:
    std::vector<std::size_t> part_of_;
    std::vector<double> value_, terms_;
};

/// All parts at once, since nothing links them.
std::vector<Free> free_parts(const LinearEquations& inertial,
                             const LinearEquations& turning,
                             const std::vector<std::vector<int>>& parts,
                             const Eigen::MatrixXd& translations,
                             const Eigen::VectorXd& turn,
                             const Scale& scale) {
    const Index n = inertial.M.rows();
    std::vector<Free> out(parts.size());
    PartSums sums(parts, n);
    const auto is_moved = [&](const Eigen::VectorXd& x, std::size_t part) {
        return std::ranges::any_of(parts[part], [&](int i) {
            return x[i] != 0.0;
        });
    };
    std::vector<char> has_conditions(parts.size(), 0);
    const auto part_of_condition = [&](const SparseRows& P, Index row) {
        const SparseRows::InnerIterator first(P, row);
        return first ? sums.of(first.col()) : parts.size();
    };
    for (Index k = 0; k < turning.P.outerSize(); ++k)
        if (const std::size_t part = part_of_condition(turning.P, k); part < parts.size())
            has_conditions[part] = 1;
    const auto keep_allowed = [&](const SparseRows& P, const Eigen::VectorXd& x, const auto& deny) {
        sums.take(P, x, [&](Index row) {
            return part_of_condition(P, row);
        });
        for (std::size_t k = 0; k < parts.size(); ++k)
            if (!(sums.value(k) <= kAllowed * sums.terms(k))) deny(k);
    };
    const Sparse Dt = inertial.D.transpose(), Kt = inertial.K.transpose();
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const Eigen::VectorXd x = translations.col(static_cast<Index>(axis));
        for (std::size_t k = 0; k < parts.size(); ++k) out[k].along[axis] = is_moved(x, k);
        keep_allowed(inertial.P, x, [&](std::size_t k) {
            out[k].along[axis] = false;
        });
        for (const Sparse* A : {&inertial.K, &Kt, &inertial.D, &Dt}) {
            sums.take((*A * x).cwiseQuotient(scale.root),
                      (A->cwiseAbs() * x.cwiseAbs()).cwiseQuotient(scale.root));
            for (std::size_t k = 0; k < parts.size(); ++k)
                if (!(sums.value(k) <= kRoundedAway * sums.terms(k))) out[k].along[axis] = false;
        }
    }
    // Conditions may hold what forces do not balance: those are looked at with their multipliers.
    for (std::size_t k = 0; k < parts.size(); ++k) out[k].turns = is_moved(turn, k);
    keep_allowed(turning.P, turn, [&](std::size_t k) {
        out[k].turns = false;
    });
    sums.take((turning.K * turn).cwiseQuotient(scale.root), scale.root.cwiseProduct(turn));
    for (std::size_t k = 0; k < parts.size(); ++k)
        if (has_conditions[k] == 0 && !(sums.value(k) <= scale.per_mass(2) * sums.terms(k)))
            out[k].turns = false;
    return out;
}

/// What is known without a solve: parts that drift, and turn, as a whole. Momentum keeps drifts
/// apart from what else moves. A turn that nothing resists, K r = 0, is a mode with l = 0, and if
/// r^T K = 0, what is conserved is r^T M w + r^T D x: where it does not vanish, turns grow with
/// time. So zero is a double root, which rounding would split.
struct RigidMotions {
    GyroscopicModes drifts;
    Sparse F, MF;            // displacements in drifts, orthonormal in the norm of the mass
    Eigen::MatrixXd turned;  // displacements of turns, each of its own coordinates
};

/// Of each part by itself.
/// @param inertial, turning the equations in the frame at rest, and in that of the spin
RigidMotions rigid_motions(const KernelSystem& system,
                           const LinearEquations& inertial,
                           const LinearEquations& turning,
                           const SteadySpin& spin,
                           const Scale& scale) {
    const Space& space = system.parts().space;
    const int n = system.num_coordinates();
    const double rate = spin.is_spinning ? spin.rate.norm() : 0.0;
    Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();  // the last one that of the spin
    if (spin.is_spinning) {
        axes.col(2) = spin.rate / rate;
        axes.col(0) = axes.col(2).unitOrthogonal();
        axes.col(1) = axes.col(2).cross(axes.col(0));
    }
    const Eigen::MatrixXd translations = translations_of_space(space, n) * axes;
    const Eigen::VectorXd turn =
        spin.is_spinning
            ? Eigen::VectorXd(spin.S * Eigen::Map<const Eigen::VectorXd>(system.q().data(), n) +
                              spin.offset)
            : Eigen::VectorXd(Eigen::VectorXd::Zero(n));

    std::vector<Complex> values;
    std::vector<Eigen::VectorXcd> shapes;
    std::vector<Eigen::VectorXd> drifting, turned;
    const std::vector<std::vector<int>> parts = linked_parts(turning);
    const std::vector<Free> is_free =
        free_parts(inertial, turning, parts, translations, turn, scale);
    // Of very many there is no room for the shapes: they come out as others do.
    const auto most = static_cast<std::ptrdiff_t>(kMostKnown / std::max(1, n));
    const bool takes_drifts = std::ranges::count_if(is_free, &Free::drifts) <= most / 4;
    const bool takes_turns = std::ranges::count(is_free, true, &Free::turns) <= most;
    for (std::size_t k = 0; k < parts.size(); ++k) {
        const std::vector<int>& part = parts[k];
        if (!(is_free[k].drifts() && takes_drifts) && !(is_free[k].turns && takes_turns)) continue;
        Eigen::VectorXd along[3], about = Eigen::VectorXd::Zero(n);
        std::array<bool, 3> free = is_free[k].along;
        if (!takes_drifts) free = {};
        for (int i : part) about[i] = turn[i];
        for (int axis = 0; axis < 3; ++axis) {
            along[axis].setZero(n);
            for (int i : part) along[axis][i] = translations(i, axis);
        }
        if (spin.is_spinning) {
            // Across the axis a drift goes round, a displacement that grows with time.
            const bool both =
                free[0] && free[1] &&
                (spin.S * along[0] - rate * along[1]).norm() <= kAllowed * along[1].norm() * rate;
            free[0] = free[1] = both;
            if (both)
                for (int twice = 0; twice < 2; ++twice) {
                    values.emplace_back(0.0, rate);
                    shapes.emplace_back(along[0] + Complex(0.0, 1.0) * along[1]);
                }
            if (is_free[k].turns && takes_turns) turned.push_back(about);
        }
        std::vector<Eigen::VectorXd> basis;
        for (int axis = 0; axis < 3; ++axis) {
            if (!free[axis]) continue;
            Eigen::VectorXd x = along[axis];
            for (const Eigen::VectorXd& other : basis) x -= x.dot(inertial.M * other) * other;
            const double square = x.dot(inertial.M * x);
            if (!(square > 0.0)) continue;
            basis.emplace_back(x / std::sqrt(square));
            drifting.push_back(basis.back());
            if (spin.is_spinning && axis < 2) continue;
            values.emplace_back(0.0, 0.0);
            shapes.emplace_back(along[axis].cast<Complex>());
        }
    }
    // Those that spin in themselves, where nothing else turns; look_at_turns() says which do
    // freely.
    if (!spin.is_spinning && takes_turns)
        for (const SteadySpin::Part& own : spin.parts) {
            const BodyPart& body = system.parts().model.bodies[own.body];
            turned.push_back(Eigen::VectorXd::Zero(n));
            turned.back().segment(body.first, body.count) =
                (spin.N * Eigen::Map<const Eigen::VectorXd>(system.q().data(), n))
                    .segment(body.first, body.count);
        }
    RigidMotions out;
    const auto columns = [n](const std::vector<Eigen::VectorXd>& from) {
        Eigen::MatrixXd all(n, static_cast<Index>(from.size()));
        for (std::size_t k = 0; k < from.size(); ++k) all.col(static_cast<Index>(k)) = from[k];
        return all;
    };
    out.F = columns(drifting).sparseView();
    out.MF = inertial.M * out.F;
    out.turned = columns(turned);
    out.drifts.values =
        Eigen::Map<const Eigen::VectorXcd>(values.data(), static_cast<Index>(values.size()));
    out.drifts.shapes.resize(n, out.drifts.values.size());
    for (std::size_t k = 0; k < shapes.size(); ++k)
        out.drifts.shapes.col(static_cast<Index>(k)) = shapes[k];
    return out;
}

/// Those of a rest that are known, orthonormal in the norm of the mass.
RigidMotions known_motions(const LinearEquations& at, const Eigen::MatrixXd& free) {
    RigidMotions out;
    Eigen::MatrixXd F(free.rows(), free.cols());
    for (Index k = 0; k < free.cols(); ++k) {
        Eigen::VectorXd x = free.col(k);
        for (int twice = 0; twice < 2; ++twice)
            x -= F.leftCols(k) * (F.leftCols(k).transpose() * (at.M * x)).eval();
        F.col(k) = x / std::sqrt(x.dot(at.M * x));
    }
    out.F = F.sparseView();
    out.MF = at.M * out.F;
    out.turned.resize(free.rows(), 0);
    out.drifts.shapes.resize(free.rows(), 0);
    return out;
}

/// (1), on vectors (R x, R w / s) with R the roots of the masses, so that both halves count.
class ShiftedInverse {
public:
    ShiftedInverse(const LinearEquations& equations,
                   const RigidMotions& rigid,
                   const Scale& scale,
                   double shift)
        : equations_(equations),
          rigid_(rigid),
          scale_(scale),
          n_(equations.M.rows()),
          shift_(shift) {
        const SparseRows Q = equations.K + shift_ * equations.D + shift_ * shift_ * equations.M;
        const SparseRows& P = equations.P;
        const auto span = [](const auto* from, Index size) {
            return std::span(from, static_cast<std::size_t>(size));
        };
        matrix_ = std::make_unique<AugmentedMatrix>(span(Q.outerIndexPtr(), n_ + 1),
                                                    span(Q.innerIndexPtr(), Q.nonZeros()),
                                                    span(P.outerIndexPtr(), P.rows() + 1),
                                                    span(P.innerIndexPtr(), P.nonZeros()));
        is_factorised_ = matrix_->factorise(span(Q.valuePtr(), Q.nonZeros()),
                                            span(P.valuePtr(), P.nonZeros()),
                                            span(P.valuePtr(), P.nonZeros()),
                                            equations.is_dropped);
        no_gaps_.setZero(P.rows());
        multipliers_ = no_gaps_;
        first_order_ = equations.D + shift_ * equations.M;
        if (is_factorised_) look_at_turns();
    }
    bool is_factorised() const { return is_factorised_; }
    /// Eigenvectors with the eigenvalue -1 / s.
    const Eigen::MatrixXd& turns() const { return turns_; }

    void apply(const Eigen::VectorXd& from, Eigen::VectorXd& to) {
        Eigen::VectorXd x = from.head(n_).cwiseQuotient(scale_.root),
                        w = shift_ * from.tail(n_).cwiseQuotient(scale_.root);
        solve(-(equations_.M * w + first_order_ * x));
        w = x + shift_ * u_;
        remove_drift(u_);
        remove_drift(w);
        to.resize(2 * n_);
        to << scale_.root.cwiseProduct(u_), scale_.root.cwiseProduct(w) / shift_;
        if (conserved_.cols() == 0) return;
        const Eigen::VectorXd part = conserved_.transpose() * to;
        to.tail(n_) -= speeds_ * part;
    }
    Eigen::VectorXcd shape(const Eigen::VectorXcd& of) const {
        return of.head(n_).cwiseQuotient(scale_.root.cast<Complex>());
    }

private:
    static std::span<double> room(Eigen::VectorXd& x) {
        return {x.data(), static_cast<std::size_t>(x.size())};
    }
    void solve(const Eigen::VectorXd& r) {
        u_.resize(n_);
        matrix_->solve(view(r), view(no_gaps_), room(u_), room(multipliers_));
    }
    /// Takes those that nothing resists but the conditions.
    void look_at_turns() {
        const Sparse Kt = equations_.K.transpose(), Dt = equations_.D.transpose();
        turns_.setZero(2 * n_, rigid_.turned.cols());
        conserved_ = turns_;
        speeds_.setZero(n_, rigid_.turned.cols());
        Index count = 0, count_conserved = 0;
        for (Index k = 0; k < rigid_.turned.cols(); ++k) {
            const Eigen::VectorXd r = rigid_.turned.col(k), Mr = equations_.M * r;
            // K r = A^T y, and so (s^2 M + s D + K) r = s (s M + D) r + A^T y.
            solve(first_order_ * r);
            const Eigen::VectorXd held = shift_ * (equations_.P.transpose() * multipliers_);
            if (!scale_.is_nothing(equations_.K * r - held, r, 2)) continue;
            turns_.col(count).head(n_) = scale_.root.cwiseProduct(r);
            turns_.col(count++).normalize();
            if (!scale_.is_nothing(Kt * r - held, r, 2) || !(r.dot(Mr) > 0.0) ||
                std::abs(r.dot(equations_.D * r)) > kNothing * scale_.slow * r.dot(Mr))
                continue;
            conserved_.col(count_conserved).head(n_) = (Dt * r).cwiseQuotient(scale_.root);
            conserved_.col(count_conserved).tail(n_) = shift_ * Mr.cwiseQuotient(scale_.root);
            speeds_.col(count_conserved++) = scale_.root.cwiseProduct(r) / (shift_ * r.dot(Mr));
        }
        turns_.conservativeResize(2 * n_, count);
        conserved_.conservativeResize(2 * n_, count_conserved);
        speeds_.conservativeResize(n_, count_conserved);
    }
    void remove_drift(Eigen::VectorXd& x) const {
        if (rigid_.F.cols() == 0) return;
        const Eigen::VectorXd part = rigid_.MF.transpose() * x;
        x -= rigid_.F * part;
    }

    const LinearEquations& equations_;
    const RigidMotions& rigid_;
    const Scale& scale_;
    Index n_;
    double shift_;
    bool is_factorised_ = false;
    std::unique_ptr<AugmentedMatrix> matrix_;
    Sparse first_order_;                  // D + s M
    Eigen::MatrixXd turns_;               // parts do not overlap
    Eigen::MatrixXd conserved_, speeds_;  // what is, and speeds that make it one
    Eigen::VectorXd no_gaps_, multipliers_, u_;
};

/// Of each pair the one above the real axis, by modulus.
std::vector<Index> above_the_axis(const Eigen::VectorXcd& values) {
    std::vector<Index> out;
    for (Index k = 0; k < values.size(); ++k)
        if (values[k].imag() >= 0.0) out.push_back(k);
    std::ranges::stable_sort(out, {}, [&](Index k) {
        return std::abs(values[k]);
    });
    return out;
}

/// Without damping an eigenvector knows whether it grows: with a = x* M x, i g = x* D x and
/// k = x* K x its eigenvalue i w has a w^2 + g w - k = 0, which has real roots w if it does not.
bool is_steady_motion(const LinearEquations& equations, const Eigen::VectorXcd& x) {
    const double a = x.dot(equations.M * x).real(), g = x.dot(equations.D * x).imag(),
                 k = x.dot(equations.K * x).real();
    return g * g + 4.0 * a * k > 0.0;
}

/// The real part of a vibration about a rest that damping changes little, -x* D x / (2 x* M x):
/// beside the fastest rates it is rounding of the eigenvalue.
double slow_decay(const LinearEquations& equations, const Eigen::VectorXcd& x) {
    double damped = 0.0, moved = 0.0;
    for (const Eigen::VectorXd& part : {Eigen::VectorXd(x.real()), Eigen::VectorXd(x.imag())}) {
        damped += part.dot(equations.D * part);
        moved += part.dot(equations.M * part);
    }
    return moved > 0.0 ? -0.5 * damped / moved : 0.0;
}

/// Eigenvalues with one shift, the drifts first, among them the lowest ones.
GyroscopicModes search(const LinearEquations& equations,
                       const RigidMotions& rigid,
                       const Scale& scale,
                       double shift,
                       bool is_conservative,
                       int count) {
    ShiftedInverse inverse(equations, rigid, scale, shift);
    if (!inverse.is_factorised())
        throw Error(ErrorKind::numerical,
                    "the stiffness of the model at this state cannot be factorised together with "
                    "its conditions and gyroscopic forces");
    const Index known = rigid.drifts.values.size();
    const auto with_drifts = [&](const Eigen::VectorXcd& transformed) {
        Eigen::VectorXcd values(known + transformed.size());
        values.head(known) = rigid.drifts.values;
        for (Index k = 0; k < transformed.size(); ++k)
            values[known + k] = shift + 1.0 / transformed[k];
        return values;
    };
    // All within the circle about zero through the last one, and so about s. Without damping they
    // lie on the imaginary axis, or as pairs across it.
    const auto least_count = static_cast<std::size_t>(count);
    const WantedModulus wanted = [&](const Eigen::VectorXcd& transformed) {
        const Eigen::VectorXcd values = with_drifts(transformed);
        const std::vector<Index> order = above_the_axis(values);
        if (order.size() < least_count) return 0.0;
        const double last = std::abs(values[order[least_count - 1]]);
        double reach = last + shift;
        if (is_conservative) {
            reach = std::hypot(last, shift);
            for (std::size_t k = 0; k < least_count; ++k)
                reach = std::max(reach, std::abs(values[order[k]] + shift));
        }
        return (1.0 - kOneBound) / reach;
    };
    const Eigenpairs found = largest_eigenvalues(
        [&](const Eigen::VectorXd& x, Eigen::VectorXd& y) {
            inverse.apply(x, y);
        },
        inverse.turns(),
        -1.0 / shift,
        Index{2} * count,
        wanted);
    GyroscopicModes out;
    out.values = with_drifts(found.values);
    out.shapes.resize(equations.M.rows(), out.values.size());
    out.shapes.leftCols(known) = rigid.drifts.shapes;
    for (Index k = 0; k < found.values.size(); ++k)
        out.shapes.col(known + k) = inverse.shape(found.vectors.col(k));
    return out;
}

}  // namespace

LinearEquations in_turning_frame(LinearEquations at, const SteadySpin& spin) {
    if (!spin.is_moving()) return at;
    const Sparse S = spin.generator(), MS = at.M * S;
    at.K = at.K + at.D * S + MS * S;
    at.D = at.D + 2.0 * MS;
    return at;
}

GyroscopicModes gyroscopic_modes(const KernelSystem& system,
                                 const LinearEquations& inertial,
                                 const SteadySpin& spin,
                                 int count,
                                 const Eigen::MatrixXd* free) {
    const LinearEquations equations = in_turning_frame(inertial, spin);
    const Scale scale(equations, spin.fastest());
    const bool is_conservative = scale.is_skew(equations.D) && scale.is_symmetric(equations.K);
    const RigidMotions rigid = free != nullptr
                                   ? known_motions(equations, *free)
                                   : rigid_motions(system, inertial, equations, spin, scale);
    const Index known = rigid.drifts.values.size();

    // The two halves of (1) are alike where l is about s: that of what is found, at last.
    GyroscopicModes found;
    double shift = scale.slow;
    std::vector<Index> order;
    for (int turn = 0; turn < kMostShifts; ++turn) {
        found = search(equations, rigid, scale, shift, is_conservative, count);
        order = above_the_axis(found.values);
        if (order.empty()) break;
        const std::size_t last = std::min(order.size(), static_cast<std::size_t>(count)) - 1;
        const double reach = std::abs(found.values[order[last]]);
        if (reach <= kFarFromShift * shift) break;
        shift = reach / std::sqrt(kFarFromShift);
    }

    for (Index k = known; k < found.values.size(); ++k) {
        Complex& value = found.values[k];
        if (std::abs(value) <= kAsGoodAsZero * scale.slow) value = 0.0;
        if (is_conservative && value.imag() > 0.0 &&
            is_steady_motion(equations, found.shapes.col(k)))
            value = {0.0, value.imag()};
        if (is_conservative || std::abs(value.real()) > kNoGrowth * scale.fastest) continue;
        if (free == nullptr)
            value = {0.0, value.imag()};
        else if (value.imag() != 0.0)
            value = {slow_decay(equations, found.shapes.col(k)), value.imag()};
    }
    order = above_the_axis(found.values);
    order.resize(std::min(order.size(), static_cast<std::size_t>(count)));
    GyroscopicModes out;
    out.values.resize(static_cast<Index>(order.size()));
    out.shapes.resize(found.shapes.rows(), out.values.size());
    for (Index k = 0; k < out.values.size(); ++k) {
        out.values[k] = found.values[order[k]];
        out.shapes.col(k) = found.shapes.col(order[k]);
    }
    return out;
}

}  // namespace ancora
