// SPDX-License-Identifier: BSD-3-Clause
// Block Lanczos, and shapes that are orthonormal in the mass.
#include "modes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

namespace ancora::elastic {

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
                const double limit = 1e-16 * std::sqrt(std::abs(A(p, p) * A(q, q))) + 1e-300;
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

namespace {

// Residual of a vibration relative to it; its frequency is right to the square of that.
constexpr double kResidual = 1e-7;
constexpr int kBlock = 6;  // so that modes of a symmetric body that coincide are all found
// Of an elastic energy, relative to its terms.
constexpr double kEnergyRounding = 1e-14;

/// V less its components along Q, whose M Q is given.
void project_out(const Columns& Q, const Columns& MQ, MatrixXd& V) {
    if (Q.cols() > 0) subtract_product(Q, transposed_product(MQ, V), V);
}

/// Columns that are orthonormal in M, and M times these.
struct Orthonormal {
    MatrixXd V, MV;
};

/// V as orthonormal columns, largest remainder first, without those of which less than kDependent
/// remains.
Orthonormal orthonormal(MatrixXd V, const Sparse& M) {
    MatrixXd MV = M.times(V);
    for (Index k = 0; k < V.cols(); ++k) {
        const double norm = std::sqrt(V.col(k).dot(MV.col(k)));
        if (!(norm > 0.0)) continue;
        V.col(k) /= norm;
        MV.col(k) /= norm;
    }
    Index count = 0;
    for (; count < V.cols(); ++count) {
        Index best = -1;
        double most = kDependent * kDependent;
        for (Index k = count; k < V.cols(); ++k) {
            const double square = V.col(k).dot(MV.col(k));
            if (square > most) {
                most = square;
                best = k;
            }
        }
        if (best < 0) break;
        if (best != count) {
            V.col(count).swap(V.col(best));
            MV.col(count).swap(MV.col(best));
        }
        auto v = V.col(count), Mv = MV.col(count);
        // What rounding has left along the columns before
        for (Index k = 0; k < count; ++k) {
            const double share = MV.col(k).dot(v);
            v -= share * V.col(k);
            Mv -= share * MV.col(k);
        }
        const double norm = std::sqrt(v.dot(Mv));
        v /= norm;
        Mv /= norm;
        for (Index k = count + 1; k < V.cols(); ++k) {
            const double share = V.col(k).dot(Mv);
            V.col(k) -= share * v;
            MV.col(k) -= share * Mv;
        }
    }
    V.conservativeResize(Eigen::NoChange, count);
    MV.conservativeResize(Eigen::NoChange, count);
    return {std::move(V), std::move(MV)};
}

/// K x = f where the supports do not move.
class SupportedSolve {
public:
    explicit SupportedSolve(const ReducedModel& reduced) {
        const std::vector<bool> is_fixed = reduced.supports();
        const std::vector<std::int32_t> groups = reduced.groups();
        std::vector<std::int32_t> of_unknowns;
        place_.assign(is_fixed.size(), -1);
        for (std::size_t k = 0; k < is_fixed.size(); ++k)
            if (!is_fixed[k]) {
                place_[k] = size_++;
                of_unknowns.push_back(groups[k]);
            }
        if (size_ == 0) return;
        try {
            const Sparse inner(size_, [&](const auto& add) {
                reduced.K.for_each([&](std::int32_t i, std::int32_t j, double value) {
                    const int a = place_[static_cast<std::size_t>(i)],
                              b = place_[static_cast<std::size_t>(j)];
                    if (a >= 0 && b >= 0) add(a, b, value);
                });
            });
            factor_ = std::make_unique<SparseCholesky>(inner, of_unknowns, reduced.positions());
        } catch (const std::domain_error&) {
            throw std::domain_error(
                "K is not that of an elastic body: with its interfaces fixed it has no Cholesky "
                "factor. Either it is not positive semidefinite, or parts of the mesh are not "
                "joined to the others");
        }
    }

    int size() const { return size_; }
    MatrixXd solve(const MatrixXd& F) const {
        MatrixXd inner(size_, F.cols());
        for (std::size_t k = 0; k < place_.size(); ++k)
            if (place_[k] >= 0) inner.row(place_[k]) = F.row(static_cast<Index>(k));
        if (size_ > 0) factor_->solve(inner);
        MatrixXd X = MatrixXd::Zero(F.rows(), F.cols());
        for (std::size_t k = 0; k < place_.size(); ++k)
            if (place_[k] >= 0) X.row(static_cast<Index>(k)) = inner.row(place_[k]);
        return X;
    }

private:
    std::vector<int> place_;
    int size_ = 0;
    std::unique_ptr<SparseCholesky> factor_;
};

/// The `most` largest eigenvectors of A = K^-1 M in the scalar product of M, by block Lanczos with
/// full reorthogonalisation (Golub, Underwood 1977; Grimes, Lewis, Simon 1994); `apply` is K^-1.
template <class Apply>
MatrixXd largest_vectors(const Apply& apply, const Sparse& M, int most, int dimension) {
    const int wanted = std::min(most, dimension);
    if (wanted == 0) return MatrixXd(M.size(), 0);
    // A first block without any pattern
    MatrixXd W(M.size(), std::min(kBlock, dimension));
    std::uint64_t seed = 88172645463325252ULL;
    for (Index j = 0; j < W.cols(); ++j)
        for (Index i = 0; i < W.rows(); ++i) {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            W(i, j) = static_cast<double>(seed >> 11) * 0x1p-53 - 0.5;
        }
    W = apply(M.times(W));
    // Room for more columns than are needed: what is not touched costs nothing, and to move columns
    // to fresh pages as much as what is done with them.
    Index next_look = wanted + std::max(2 * kBlock, wanted / 2);
    const Index room_for = 4 * next_look;
    MatrixXd all_V(M.size(), room_for), all_MV(M.size(), room_for), all_AV(M.size(), room_for), S;
    Index count = 0;
    const auto V = [&] {
        return all_V.leftCols(count);
    };
    const auto MV = [&] {
        return all_MV.leftCols(count);
    };
    const auto AV = [&] {
        return all_AV.leftCols(count);
    };
    VectorXd theta;
    const auto find_ritz_vectors = [&] {
        const MatrixXd H = transposed_product(MV(), AV());
        VectorXd values;
        MatrixXd vectors;
        diagonalise(0.5 * (H + H.transpose()), values, vectors);
        theta = values.reverse();
        S = vectors.rowwise().reverse();
    };
    while (true) {
        // What W has across V
        for (int twice = 0; twice < 2; ++twice) project_out(V(), MV(), W);
        Orthonormal next = orthonormal(std::move(W), M);
        project_out(V(), MV(), next.V);
        next = orthonormal(std::move(next.V), M);
        const Index room = std::min<Index>(next.V.cols(), dimension - count);
        if (room <= 0) {  // there is no more
            find_ritz_vectors();
            break;
        }
        if (count + room > all_V.cols())
            for (MatrixXd* of : {&all_V, &all_MV, &all_AV})
                of->conservativeResize(M.size(), std::max(2 * count, next_look + kBlock));
        all_V.middleCols(count, room) = next.V.leftCols(room);
        all_MV.middleCols(count, room) = next.MV.leftCols(room);
        W = apply(next.MV.leftCols(room));
        all_AV.middleCols(count, room) = W;
        count += room;
        // Ritz vectors are looked at from time to time, since they cost as much as many blocks
        if (count < dimension && count < next_look) continue;
        next_look = count + std::max<Index>(kBlock, count / 4);
        find_ritz_vectors();
        if (count >= dimension) break;
        MatrixXd S_wanted = S.leftCols(wanted);
        MatrixXd residual = product(AV(), S_wanted);
        for (Index k = 0; k < wanted; ++k) S_wanted.col(k) *= theta(k);
        residual -= product(V(), S_wanted);
        const MatrixXd M_residual = M.times(residual);
        bool is_done = true;
        for (int k = 0; k < wanted; ++k)
            is_done = is_done && std::sqrt(std::abs(residual.col(k).dot(M_residual.col(k)))) <=
                                     kResidual * theta(k);
        if (is_done) break;
    }
    return product(V(), S.leftCols(std::min<Index>(wanted, S.cols())));
}

// --- modes

/// Vibrations x, phi.M phi = 1, of a body whose interfaces are held.
HeldVibrations held_vibrations(const ReducedModel& reduced,
                               const Vec3& center,
                               double mass,
                               const MatrixXd& x) {
    HeldVibrations out;
    // Largest first, as eigenvalues of K^-1 M
    out.omega_squared = (x.array() * reduced.K.times(x).array()).colwise().sum().transpose();
    const MatrixXd along = reduced.rigid_motions(center).leftCols<3>();
    const MatrixXd shares = transposed_product(x, reduced.M.times(along));
    for (int axis = 0; axis < 3; ++axis)
        out.mass_shares(axis) = shares.col(axis).squaredNorm() / mass;
    return out;
}

}  // namespace

Modes find_modes(const ReducedModel& reduced,
                 const Vec3& center,
                 double mass,
                 const ReductionSettings& settings) {
    const Sparse &K = reduced.K, &M = reduced.M;
    const Orthonormal rigid = orthonormal(reduced.rigid_motions(center), M);
    if (rigid.V.cols() < 6)
        throw std::domain_error(
            "the masses lie on one line or in one point, so that the body can "
            "turn without inertia");
    const SupportedSolve supported(reduced);
    const bool is_free = reduced.num_free() == reduced.size();
    const auto apply = [&](MatrixXd F) {
        if (is_free) project_out(rigid.MV, rigid.V, F);
        MatrixXd X = supported.solve(F);
        if (is_free) project_out(rigid.V, rigid.MV, X);
        return X;
    };
    const MatrixXd vibrations = largest_vectors(apply, M, settings.modes, supported.size());

    // Interfaces moved by one: -K_ii^-1 K_ib
    const int num_static = settings.with_static ? reduced.size() - reduced.num_free() : 0;
    // Mean interfaces that are pulled at, against what inertia a free body has
    MatrixXd loads =
        settings.with_static ? reduced.mean_loads() : MatrixXd(reduced.size(), Index{0});
    const Index num_loads = loads.cols();
    MatrixXd V(reduced.size(), vibrations.cols() + num_static + num_loads);
    V.leftCols(vibrations.cols()) = vibrations;
    if (num_static > 0) {
        MatrixXd moved = MatrixXd::Zero(reduced.size(), num_static);
        for (int k = 0; k < num_static; ++k) moved(reduced.num_free() + k, k) = 1.0;
        V.middleCols(vibrations.cols(), num_static) = moved - supported.solve(K.times(moved));
    }
    if (num_loads > 0) {
        if (is_free) project_out(rigid.MV, rigid.V, loads);
        V.rightCols(num_loads) = supported.solve(loads);
    }
    // Without rigid motions
    MatrixXd MV = M.times(V);
    for (Index k = 0; k < V.cols(); ++k) V.col(k) /= std::sqrt(V.col(k).dot(MV.col(k)));
    for (int twice = 0; twice < 2; ++twice) project_out(rigid.V, rigid.MV, V);
    MV = M.times(V);
    for (Index k = 0; k < V.cols(); ++k)
        if (V.col(k).dot(MV.col(k)) < kDependent * kDependent) V.col(k).setZero();
    MatrixXd basis = orthonormal(std::move(V), M).V;
    project_out(rigid.V, rigid.MV, basis);
    MatrixXd S;
    Modes out;
    if (!is_free) out.held = held_vibrations(reduced, center, mass, vibrations);
    const MatrixXd reduced_K = transposed_product(basis, K.times(basis));
    diagonalise(0.5 * (reduced_K + reduced_K.transpose()), out.omega_squared, S);
    out.x = product(basis, S);
    // Energy against rounding of its terms
    const MatrixXd x = out.x.cwiseAbs(), terms = K.times(x, true);
    for (Index k = 0; k < out.x.cols(); ++k)
        if (!(out.omega_squared(k) > kEnergyRounding * x.col(k).dot(terms.col(k))))
            throw std::domain_error(
                "the body has a motion without stiffness beside the rigid ones: parts of the mesh "
                "are not joined, or a part of it is a mechanism");
    if (out.x.cols() == 0)
        throw std::domain_error("nothing of the body is elastic: each node is one of an interface");
    return out;
}

}  // namespace ancora::elastic
