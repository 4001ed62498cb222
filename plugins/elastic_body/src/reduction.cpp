// SPDX-License-Identifier: BSD-3-Clause
// Sparse factor, block Lanczos, and the orthonormal bases.
#include "reduction.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <stdexcept>

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>

#include "ancora/sdk/helpers/rigid_body.hpp"

namespace ancora::elastic {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Sparse = Eigen::SparseMatrix<double>;
using Triplets = std::vector<Eigen::Triplet<double>>;

// Of a function in what is left of it across others, relative to its norm: below, it is one of
// them (theory: singular values below 1e-8).
constexpr double kDependent = 1e-8;
// Residual of a vibration relative to it; its frequency is right to the square of that.
constexpr double kResidual = 1e-9;
constexpr int kBlock = 6;  // so that modes of a symmetric body that coincide are all found
// Relative to the largest.
constexpr double kFlat = 1e-12;
// Of an elastic energy, relative to its terms.
constexpr double kEnergyRounding = 1e-14;

// --- small dense matrices

/// Eigenvalues, ascending, and eigenvectors of a symmetric matrix by Jacobi's rotations.
void diagonalise(MatrixXd A, VectorXd& values, MatrixXd& vectors) {
    const Index n = A.rows();
    MatrixXd V = MatrixXd::Identity(n, n);
    constexpr int kMaxSweeps = 60;
    for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
        const double whole = A.squaredNorm();
        const double beside = whole - A.diagonal().squaredNorm();
        bool is_done = true;
        for (Index p = 0; p < n; ++p)
            for (Index q = p + 1; q < n; ++q) {
                const double limit = 1e-17 * std::sqrt(std::abs(A(p, p) * A(q, q))) + 1e-300;
                if (std::abs(A(p, q)) <= limit) continue;
                is_done = false;
                const double theta = (A(q, q) - A(p, p)) / (2.0 * A(p, q));
                const double t =
                    std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(theta, 1.0));
                const double c = 1.0 / std::sqrt(t * t + 1.0), s = t * c;
                for (Index k = 0; k < n; ++k) {
                    const double a = A(k, p), b = A(k, q);
                    A(k, p) = c * a - s * b;
                    A(k, q) = s * a + c * b;
                    const double v = V(k, p), w = V(k, q);
                    V(k, p) = c * v - s * w;
                    V(k, q) = s * v + c * w;
                }
                for (Index k = 0; k < n; ++k) {
                    const double a = A(p, k), b = A(q, k);
                    A(p, k) = c * a - s * b;
                    A(q, k) = s * a + c * b;
                }
            }
        if (is_done || !(beside > 1e-32 * whole)) break;
    }
    std::vector<Index> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), Index{0});
    std::ranges::stable_sort(order, {}, [&](Index k) {
        return A(k, k);
    });
    values.resize(n);
    vectors.resize(n, n);
    for (Index k = 0; k < n; ++k) {
        const Index from = order[static_cast<std::size_t>(k)];
        values(k) = A(from, from);
        vectors.col(k) = V.col(from);
    }
}

/// Replaces V by columns that are orthonormal in M, largest remainder first, and drops those of
/// which less than kDependent remains.
MatrixXd orthonormal(MatrixXd V, const Sparse& M) {
    MatrixXd MV = M * V;
    for (Index k = 0; k < V.cols(); ++k) {
        const double norm = std::sqrt(V.col(k).dot(MV.col(k)));
        if (!(norm > 0.0)) continue;
        V.col(k) /= norm;
        MV.col(k) /= norm;
    }
    MatrixXd out(V.rows(), V.cols());
    Index count = 0;
    std::vector<bool> is_used(static_cast<std::size_t>(V.cols()), false);
    for (Index n = 0; n < V.cols(); ++n) {
        Index best = -1;
        double most = kDependent * kDependent;
        for (Index k = 0; k < V.cols(); ++k) {
            if (is_used[static_cast<std::size_t>(k)]) continue;
            const double square = V.col(k).dot(MV.col(k));
            if (square > most) {
                most = square;
                best = k;
            }
        }
        if (best < 0) break;
        is_used[static_cast<std::size_t>(best)] = true;
        VectorXd v = V.col(best);
        for (int twice = 0; twice < 2; ++twice) {
            v /= std::sqrt(v.dot(M * v));
            const VectorXd Mv = M * v;
            v -= out.leftCols(count) * (out.leftCols(count).transpose() * Mv);
        }
        VectorXd Mv = M * v;
        const double norm = std::sqrt(v.dot(Mv));
        v /= norm;
        Mv /= norm;
        out.col(count++) = v;
        for (Index k = 0; k < V.cols(); ++k) {
            if (is_used[static_cast<std::size_t>(k)]) continue;
            const double share = V.col(k).dot(Mv);
            V.col(k) -= share * v;
            MV.col(k) -= share * Mv;
        }
    }
    out.conservativeResize(Eigen::NoChange, count);
    return out;
}

// --- the model with rigid interfaces

/// Displacements of free nodes, and displacement and turn of interfaces: u = G x.
class ReducedModel {
public:
    explicit ReducedModel(const FiniteElements& model) : model_(model) {
        const std::size_t num_nodes = model.x.size();
        first_.assign(num_nodes, 0);
        owner_.assign(num_nodes, -1);
        for (std::size_t k = 0; k < model.interfaces.size(); ++k)
            for (const std::int32_t node : model.interfaces[k].nodes)
                owner_[static_cast<std::size_t>(node)] = static_cast<int>(k);
        for (std::size_t node = 0; node < num_nodes; ++node)
            if (owner_[node] < 0) {
                first_[node] = num_free_;
                num_free_ += 3;
            }
        size_ = num_free_ + 6 * static_cast<int>(model.interfaces.size());
        Triplets entries;
        for (std::size_t node = 0; node < num_nodes; ++node)
            for (int axis = 0; axis < 3; ++axis) {
                const auto row = static_cast<int>(3 * node) + axis;
                if (owner_[node] < 0) {
                    entries.emplace_back(row, first_[node] + axis, 1.0);
                    continue;
                }
                const int first = first_of_interface(owner_[node]);
                entries.emplace_back(row, first + axis, 1.0);
                const Vec3 r = model.x[node] - interface_of(node).origin;
                for (int about = 0; about < 3; ++about)
                    if (const double w = Vec3::Unit(about).cross(r)(axis); w != 0.0)
                        entries.emplace_back(row, first + 3 + about, w);
            }
        Sparse G(static_cast<int>(3 * num_nodes), size_);
        G.setFromTriplets(entries.begin(), entries.end());

        const auto whole = [](const std::vector<MatrixEntry>& lower, int size, int copies) {
            Triplets out;
            for (const MatrixEntry& e : lower)
                for (int c = 0; c < copies; ++c) {
                    const int i = copies * e.i + c, j = copies * e.j + c;
                    out.emplace_back(i, j, e.value);
                    if (i != j) out.emplace_back(j, i, e.value);
                }
            Sparse A(size, size);
            A.setFromTriplets(out.begin(), out.end());
            return A;
        };
        const int n = static_cast<int>(3 * num_nodes);
        m = whole(model.mass, static_cast<int>(num_nodes), 1);
        if (model.interfaces.empty()) {
            K = whole(model.stiffness, n, 1);
            M = whole(model.mass, n, 3);
        } else {
            const Sparse Gt = G.transpose();
            K = Gt * (whole(model.stiffness, n, 1) * G);
            M = Gt * (whole(model.mass, n, 3) * G);
        }
        G_ = std::move(G);
    }

    int size() const { return size_; }
    int num_free() const { return num_free_; }
    int first_of_interface(int k) const { return num_free_ + 6 * k; }
    /// Displacements of all nodes.
    MatrixXd displacements(const MatrixXd& x) const { return G_ * x; }

    /// Rigid motions along and about three axes through `center`.
    MatrixXd rigid_motions(const Vec3& center) const {
        MatrixXd R = MatrixXd::Zero(size_, 6);
        const auto put = [&](int first, const Vec3& x) {
            R.block<3, 3>(first, 0).setIdentity();
            for (int about = 0; about < 3; ++about)
                R.block<3, 1>(first, 3 + about) = Vec3::Unit(about).cross(Vec3(x - center));
        };
        for (std::size_t node = 0; node < owner_.size(); ++node)
            if (owner_[node] < 0) put(first_[node], model_.x[node]);
        for (std::size_t k = 0; k < model_.interfaces.size(); ++k) {
            const int first = first_of_interface(static_cast<int>(k));
            put(first, model_.interfaces[k].origin);
            R.block<3, 3>(first + 3, 3).setIdentity();
        }
        return R;
    }

    /// Coordinates that are fixed while modes are sought: those of interfaces, or six of three
    /// nodes far apart, whose reactions vanish in a free body.
    std::vector<bool> supports() const {
        std::vector<bool> is_fixed(static_cast<std::size_t>(size_), false);
        for (int k = num_free_; k < size_; ++k) is_fixed[static_cast<std::size_t>(k)] = true;
        if (num_free_ < size_) return is_fixed;
        const auto farthest = [&](auto distance) {
            std::size_t best = 0;
            for (std::size_t k = 1; k < model_.x.size(); ++k)
                if (distance(model_.x[k]) > distance(model_.x[best])) best = k;
            return best;
        };
        const Vec3 first = model_.x.front();
        const std::size_t a = farthest([&](const Vec3& x) {
            return (x - first).squaredNorm();
        });
        const std::size_t b = farthest([&](const Vec3& x) {
            return (x - model_.x[a]).squaredNorm();
        });
        const Vec3 along = (model_.x[b] - model_.x[a]).normalized();
        const std::size_t c = farthest([&](const Vec3& x) {
            return along.cross(Vec3(x - model_.x[a])).squaredNorm();
        });
        // Of the nine displacements the six that fix rigid motions best
        const double length = (model_.x[b] - model_.x[a]).norm();
        MatrixXd R(9, 6);
        std::array<int, 9> rows{};
        int count = 0;
        for (const std::size_t node : {a, b, c})
            for (int axis = 0; axis < 3; ++axis) {
                rows[static_cast<std::size_t>(count)] = first_[node] + axis;
                R.row(count).head<3>() = Vec3::Unit(axis).transpose();
                for (int about = 0; about < 3; ++about)
                    R(count, 3 + about) =
                        Vec3::Unit(about).cross(Vec3(model_.x[node] - model_.x[a]))(axis) / length;
                ++count;
            }
        for (int k = 0; k < 6; ++k) {
            Index best = 0;
            const double square = R.rowwise().squaredNorm().maxCoeff(&best);
            if (!(square > kFlat))
                throw std::domain_error("all nodes lie on one line; use a beam for such a body");
            is_fixed[static_cast<std::size_t>(rows[static_cast<std::size_t>(best)])] = true;
            const Eigen::RowVectorXd direction = R.row(best) / std::sqrt(square);
            R -= (R * direction.transpose()) * direction;
        }
        return is_fixed;
    }

    Sparse K, M;  ///< on x
    Sparse m;     ///< scalar, of all nodes

private:
    const Interface& interface_of(std::size_t node) const {
        return model_.interfaces[static_cast<std::size_t>(owner_[node])];
    }

    const FiniteElements& model_;
    std::vector<int> first_, owner_;
    int num_free_ = 0, size_ = 0;
    Sparse G_;
};

/// K x = f where the supports do not move.
class SupportedSolve {
public:
    SupportedSolve(const Sparse& K, const std::vector<bool>& is_fixed)
        : place_(is_fixed.size(), -1) {
        int count = 0;
        for (std::size_t k = 0; k < is_fixed.size(); ++k)
            if (!is_fixed[k]) place_[k] = count++;
        Triplets entries;
        for (int j = 0; j < K.outerSize(); ++j)
            for (Sparse::InnerIterator it(K, j); it; ++it) {
                const int a = place_[static_cast<std::size_t>(it.row())],
                          b = place_[static_cast<std::size_t>(j)];
                if (a >= b && b >= 0) entries.emplace_back(a, b, it.value());
            }
        Sparse inner(count, count);
        inner.setFromTriplets(entries.begin(), entries.end());
        size_ = count;
        if (count == 0) return;
        factor_.compute(inner);
        if (factor_.info() != Eigen::Success)
            throw std::domain_error(
                "K is not that of an elastic body: with its interfaces fixed it has no Cholesky "
                "factor. Either it is not positive semidefinite, or parts of the mesh are not "
                "joined to the others");
    }

    int size() const { return size_; }
    MatrixXd solve(const MatrixXd& F) const {
        MatrixXd inner(size_, F.cols());
        for (std::size_t k = 0; k < place_.size(); ++k)
            if (place_[k] >= 0) inner.row(place_[k]) = F.row(static_cast<Index>(k));
        if (size_ > 0) inner = factor_.solve(inner).eval();
        MatrixXd X = MatrixXd::Zero(F.rows(), F.cols());
        for (std::size_t k = 0; k < place_.size(); ++k)
            if (place_[k] >= 0) X.row(static_cast<Index>(k)) = inner.row(place_[k]);
        return X;
    }

private:
    std::vector<int> place_;
    int size_ = 0;
    Eigen::SimplicialLLT<Sparse, Eigen::Lower, Eigen::AMDOrdering<int>> factor_;
};

/// The largest `count` eigenvectors of A = K^-1 M in the scalar product of M, by block Lanczos with
/// full reorthogonalisation (Golub, Underwood 1977; Grimes, Lewis, Simon 1994).
template <class Apply>
MatrixXd largest_vectors(const Apply& apply, const Sparse& M, int count, int dimension) {
    const int wanted = std::min(count, dimension);
    if (wanted == 0) return MatrixXd(M.rows(), 0);
    // A first block without any pattern
    MatrixXd W(M.rows(), std::min(kBlock, dimension));
    std::uint64_t seed = 88172645463325252ULL;
    for (Index j = 0; j < W.cols(); ++j)
        for (Index i = 0; i < W.rows(); ++i) {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            W(i, j) = static_cast<double>(seed >> 11) * 0x1p-53 - 0.5;
        }
    W = apply(W);
    MatrixXd V(M.rows(), 0), MV(M.rows(), 0), AV(M.rows(), 0), S;
    VectorXd theta;
    while (true) {
        // What W has across V
        for (int twice = 0; twice < 2; ++twice)
            if (V.cols() > 0) W -= V * (MV.transpose() * W);
        MatrixXd next = orthonormal(W, M);
        if (V.cols() > 0) {
            next -= V * (MV.transpose() * next);
            next = orthonormal(next, M);
        }
        const Index before = V.cols(), room = std::min<Index>(next.cols(), dimension - before);
        if (room <= 0) break;
        V.conservativeResize(Eigen::NoChange, before + room);
        MV.conservativeResize(Eigen::NoChange, before + room);
        AV.conservativeResize(Eigen::NoChange, before + room);
        V.rightCols(room) = next.leftCols(room);
        MV.rightCols(room) = M * V.rightCols(room);
        W = apply(V.rightCols(room));
        AV.rightCols(room) = W;
        MatrixXd H = MV.transpose() * AV;
        H = (0.5 * (H + H.transpose())).eval();
        VectorXd values;
        MatrixXd vectors;
        diagonalise(H, values, vectors);
        theta = values.reverse();
        S = vectors.rowwise().reverse();
        if (V.cols() < wanted) continue;
        if (V.cols() >= dimension) break;
        const MatrixXd residual =
            AV * S.leftCols(wanted) - V * (S.leftCols(wanted) * theta.head(wanted).asDiagonal());
        const MatrixXd M_residual = M * residual;
        bool is_done = true;
        for (int k = 0; k < wanted; ++k)
            is_done = is_done && std::sqrt(std::abs(residual.col(k).dot(M_residual.col(k)))) <=
                                     kResidual * theta(k);
        if (is_done) break;
    }
    return V * S.leftCols(std::min<Index>(wanted, S.cols()));
}

// --- modes

struct Modes {
    VectorXd omega_squared;
    MatrixXd x;  ///< as ReducedModel has it, phi.M phi = 1
};

Modes find_modes(const ReducedModel& reduced,
                 const Vec3& center,
                 const ReductionSettings& settings) {
    const Sparse &K = reduced.K, &M = reduced.M;
    const MatrixXd R = orthonormal(reduced.rigid_motions(center), M);
    if (R.cols() < 6)
        throw std::domain_error(
            "the masses lie on one line or in one point, so that the body can "
            "turn without inertia");
    const MatrixXd MR = M * R;
    const SupportedSolve supported(K, reduced.supports());
    const bool is_free = reduced.num_free() == reduced.size();
    const auto apply = [&](const MatrixXd& Y) {
        MatrixXd F = M * Y;
        if (is_free) F -= MR * (R.transpose() * F).eval();
        MatrixXd X = supported.solve(F);
        if (is_free) X -= R * (MR.transpose() * X).eval();
        return X;
    };
    const MatrixXd vibrations = largest_vectors(apply, M, settings.modes, supported.size());

    // Interfaces moved by one: -K_ii^-1 K_ib
    const int num_static = settings.with_static ? reduced.size() - reduced.num_free() : 0;
    MatrixXd V(reduced.size(), vibrations.cols() + num_static);
    V.leftCols(vibrations.cols()) = vibrations;
    if (num_static > 0) {
        MatrixXd moved = MatrixXd::Zero(reduced.size(), num_static);
        for (int k = 0; k < num_static; ++k) moved(reduced.num_free() + k, k) = 1.0;
        V.rightCols(num_static) = moved - supported.solve(K * moved);
    }
    // Without rigid motions
    for (Index k = 0; k < V.cols(); ++k) V.col(k) /= std::sqrt(V.col(k).dot(M * V.col(k)));
    for (int twice = 0; twice < 2; ++twice) V -= R * (MR.transpose() * V).eval();
    for (Index k = 0; k < V.cols(); ++k)
        if (V.col(k).dot(M * V.col(k)) < kDependent * kDependent) V.col(k).setZero();
    MatrixXd basis = orthonormal(V, M);
    basis -= R * (MR.transpose() * basis).eval();
    const MatrixXd KV = K * basis;
    MatrixXd S;
    Modes out;
    MatrixXd reduced_K = basis.transpose() * KV;
    diagonalise(0.5 * (reduced_K + reduced_K.transpose()), out.omega_squared, S);
    out.x = basis * S;
    // Energy against rounding of its terms
    const Sparse size = K.cwiseAbs();
    for (Index k = 0; k < out.x.cols(); ++k) {
        const VectorXd x = out.x.col(k).cwiseAbs();
        if (!(out.omega_squared(k) > kEnergyRounding * x.dot(size * x)))
            throw std::domain_error(
                "the body has a motion without stiffness beside the rigid ones: parts of the mesh "
                "are not joined, or a part of it is a mechanism");
    }
    if (out.x.cols() == 0)
        throw std::domain_error("nothing of the body is elastic: each node is one of an interface");
    return out;
}

// --- the scalar basis

class BasisBuilder {
public:
    BasisBuilder(const FiniteElements& model, const ReducedModel& reduced, Reduction& out)
        : model_(model), m_(reduced.m), out_(out) {
        num_nodes_ = static_cast<Index>(model.x.size());
        num_interfaces_ = static_cast<Index>(model.interfaces.size());
    }

    /// Rows of a function: its values at the nodes, then, of each interface, its value and its
    /// gradient there.
    Index num_rows() const { return num_nodes_ + 4 * num_interfaces_; }

    void build(const MatrixXd& displacements, const MatrixXd& interface_motions) {
        set_affine();
        set_functions(displacements, interface_motions);
        find_basis();
        set_coefficients();
        complete();
        set_places();
    }

private:
    double product(const VectorXd& a, const VectorXd& b) const {
        return a.head(num_nodes_).dot(m_ * b.head(num_nodes_));
    }

    void set_affine() {
        affine_.resize(num_rows(), 3);
        for (Index i = 0; i < num_nodes_; ++i)
            affine_.row(i) = to_principal(model_.x[static_cast<std::size_t>(i)]).transpose();
        for (Index k = 0; k < num_interfaces_; ++k) {
            const Index first = num_nodes_ + 4 * k;
            affine_.row(first) =
                to_principal(model_.interfaces[static_cast<std::size_t>(k)].origin).transpose();
            affine_.block<3, 3>(first + 1, 0).setIdentity();
        }
        for (int i = 0; i < 3; ++i)
            if (out_.moments(i) > 0.0) out_.affine_axes.push_back(i);
        out_.num_affine = static_cast<int>(out_.affine_axes.size());
        out_.rho = (out_.moments / out_.mass).cwiseSqrt();
    }
    Vec3 to_principal(const Vec3& x) const { return out_.axes.transpose() * (x - out_.center); }

    /// Columns 3 k + m: component m of mode k, of norm^2 mass together.
    void set_functions(const MatrixXd& displacements, const MatrixXd& interface_motions) {
        const Index n = displacements.cols();
        const double scale = std::sqrt(out_.mass);
        functions_.resize(num_rows(), 3 * n);
        for (Index k = 0; k < n; ++k) {
            for (Index i = 0; i < num_nodes_; ++i)
                functions_.block<1, 3>(i, 3 * k) =
                    scale *
                    (out_.axes.transpose() * displacements.block<3, 1>(3 * i, k)).transpose();
            for (Index j = 0; j < num_interfaces_; ++j) {
                const Index first = num_nodes_ + 4 * j;
                const Vec3 u = out_.axes.transpose() * interface_motions.block<3, 1>(6 * j, k);
                const Vec3 turn =
                    out_.axes.transpose() * interface_motions.block<3, 1>(6 * j + 3, k);
                functions_.block<1, 3>(first, 3 * k) = scale * u.transpose();
                // du_m/dX_c = (turn x e_c)_m
                for (int c = 0; c < 3; ++c)
                    functions_.block<1, 3>(first + 1 + c, 3 * k) =
                        scale * turn.cross(Vec3::Unit(c)).transpose();
            }
        }
    }

    /// Psi: what the functions have across 1 and X, largest first.
    void find_basis() {
        MatrixXd rest = functions_;
        for (Index f = 0; f < rest.cols(); ++f)
            for (int twice = 0; twice < 2; ++twice)
                for (const int i : out_.affine_axes)
                    rest.col(f) -=
                        product(affine_.col(i), rest.col(f)) / out_.moments(i) * affine_.col(i);
        const double limit = kDependent * kDependent * out_.mass;
        basis_.resize(num_rows(), rest.cols());
        Index count = 0;
        MatrixXd M_basis(num_nodes_, rest.cols()), M_rest = m_ * rest.topRows(num_nodes_);
        for (Index n = 0; n < rest.cols(); ++n) {
            Index best = 0;
            double most = -1.0;
            for (Index f = 0; f < rest.cols(); ++f)
                if (const double square = rest.col(f).head(num_nodes_).dot(M_rest.col(f));
                    square > most) {
                    most = square;
                    best = f;
                }
            if (!(most > limit)) break;
            VectorXd psi = rest.col(best);
            for (Index b = 0; b < count; ++b)
                psi -= M_basis.col(b).dot(psi.head(num_nodes_)) / out_.mass * basis_.col(b);
            for (const int i : out_.affine_axes)
                psi -= product(affine_.col(i), psi) / out_.moments(i) * affine_.col(i);
            psi *= std::sqrt(out_.mass / product(psi, psi));
            M_basis.col(count) = m_ * psi.head(num_nodes_);
            basis_.col(count) = psi;
            const Eigen::RowVectorXd share =
                M_basis.col(count).transpose() * rest.topRows(num_nodes_) / out_.mass;
            rest -= psi * share;
            M_rest -= M_basis.col(count) * share;
            rest.col(best).setZero();
            M_rest.col(best).setZero();
            ++count;
        }
        basis_.conservativeResize(Eigen::NoChange, count);
    }

    void set_coefficients() {
        const Index affine = out_.num_affine, num = affine + basis_.cols();
        const Index n = functions_.cols() / 3;
        coefficients_.resize(3 * num, n);
        const MatrixXd M_functions = m_ * functions_.topRows(num_nodes_);
        for (Index a = 0; a < num; ++a) {
            VectorXd psi;
            if (a < affine) {
                const int axis = out_.affine_axes[static_cast<std::size_t>(a)];
                psi = affine_.col(axis).head(num_nodes_) / out_.rho(axis);
            } else {
                psi = basis_.col(a - affine).head(num_nodes_);
            }
            const Eigen::RowVectorXd shares = psi.transpose() * M_functions / out_.mass;
            for (Index k = 0; k < n; ++k)
                for (int axis = 0; axis < 3; ++axis)
                    coefficients_(3 * a + axis, k) = shares(3 * k + axis);
        }
    }

    /// Q: the coefficients, and columns across them.
    void complete() {
        const Index size = coefficients_.rows(), n = coefficients_.cols();
        MatrixXd& Q = out_.Q;
        Q.resize(size, size);
        const auto orthogonalise = [&](VectorXd& v, Index count) {
            for (int twice = 0; twice < 2; ++twice)
                v -= Q.leftCols(count) * (Q.leftCols(count).transpose() * v).eval();
            v.normalize();
        };
        for (Index k = 0; k < n; ++k) {
            VectorXd v = coefficients_.col(k);
            orthogonalise(v, k);
            Q.col(k) = v;
        }
        // Squares of what the columns so far leave of each unit vector
        VectorXd rest = VectorXd::Ones(size) - Q.leftCols(n).rowwise().squaredNorm();
        for (Index k = n; k < size; ++k) {
            Index best = 0;
            rest.maxCoeff(&best);
            VectorXd v = VectorXd::Unit(size, best);
            orthogonalise(v, k);
            Q.col(k) = v;
            rest -= v.cwiseAbs2();
        }
    }

    void set_places() {
        const Index affine = out_.num_affine, num = affine + basis_.cols();
        MatrixXd all(num_rows(), num);
        for (Index a = 0; a < affine; ++a)
            all.col(a) = affine_.col(out_.affine_axes[static_cast<std::size_t>(a)]);
        all.rightCols(basis_.cols()) = basis_;
        out_.reach = all.topRows(num_nodes_).cwiseAbs().colwise().maxCoeff().transpose();
        const Index num_points = static_cast<Index>(model_.points.size());
        out_.values.resize(num_interfaces_ + num_points, num);
        out_.gradients.resize(3 * num_interfaces_, num);
        for (Index k = 0; k < num_interfaces_; ++k) {
            out_.values.row(k) = all.row(num_nodes_ + 4 * k);
            out_.gradients.middleRows(3 * k, 3) = all.middleRows(num_nodes_ + 4 * k + 1, 3);
        }
        for (Index k = 0; k < num_points; ++k)
            out_.values.row(num_interfaces_ + k) =
                all.row(model_.points[static_cast<std::size_t>(k)].node);
    }

    const FiniteElements& model_;
    const Sparse& m_;
    Reduction& out_;
    Index num_nodes_ = 0, num_interfaces_ = 0;
    MatrixXd affine_, functions_, basis_, coefficients_;
};

void set_mass_properties(const FiniteElements& model, const Sparse& m, Reduction& out) {
    const auto num_nodes = static_cast<Index>(model.x.size());
    MatrixXd X(num_nodes, 3);
    for (Index i = 0; i < num_nodes; ++i)
        X.row(i) = model.x[static_cast<std::size_t>(i)].transpose();
    const VectorXd weights = m * VectorXd::Ones(num_nodes);
    out.mass = weights.sum();
    out.center = X.transpose() * weights / out.mass;
    X.rowwise() -= out.center.transpose();
    Mat3 S = X.transpose() * (m * X);
    S = (0.5 * (S + S.transpose())).eval();
    out.axes = rigid::diagonalise(S);
    out.moments = S.diagonal();
    const double largest = out.moments.maxCoeff();
    for (int i = 0; i < 3; ++i)
        if (!(out.moments(i) > kFlat * largest)) out.moments(i) = 0.0;
}

}  // namespace

Reduction reduce(const FiniteElements& model, const ReductionSettings& settings) {
    const ReducedModel reduced(model);
    Reduction out;
    set_mass_properties(model, reduced.m, out);
    Modes modes = find_modes(reduced, out.center, settings);
    out.omega_squared = modes.omega_squared;
    BasisBuilder(model, reduced, out)
        .build(reduced.displacements(modes.x),
               modes.x.bottomRows(reduced.size() - reduced.num_free()));
    return out;
}

}  // namespace ancora::elastic
