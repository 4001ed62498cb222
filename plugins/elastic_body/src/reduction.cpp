// SPDX-License-Identifier: BSD-3-Clause
// Block Lanczos, and the orthonormal bases.
#include "reduction.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "ancora/sdk/helpers/rigid_body.hpp"
#include "skin.hpp"
#include "sparse.hpp"

namespace ancora::elastic {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Sparse = SparseSymmetric;

// Of a function in what is left of it across others, relative to its norm: below, it is one of
// them (theory: singular values below 1e-8).
constexpr double kDependent = 1e-8;
// Residual of a vibration relative to it; its frequency is right to the square of that.
constexpr double kResidual = 1e-7;
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

// --- interfaces

/// Two axes in which nodes lie farthest apart, and the third; along each the sum of squares.
struct Spread {
    Mat3 axes = Mat3::Identity();
    Vec3 squares = Vec3::Zero();
};
Spread spread_of(const std::vector<Vec3>& from_mean) {
    Mat3 sum = Mat3::Zero();
    for (const Vec3& r : from_mean) sum += r * r.transpose();
    const Mat3 axes = rigid::diagonalise(sum);
    int least = 0;
    sum.diagonal().minCoeff(&least);
    Spread out;
    for (int i = 0; i < 2; ++i) {
        const int axis = (least + 1 + i) % 3;
        out.axes.col(i) = axes.col(axis);
        out.squares(i) = sum(axis, axis);
    }
    out.axes.col(2) = out.axes.col(0).cross(out.axes.col(1));
    out.squares(2) = sum(least, least);
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
        for (const Interface& interface : model.interfaces) {
            if (interface.is_mean) continue;
            for (const std::int32_t node : interface.nodes)
                owner_[static_cast<std::size_t>(node)] = static_cast<int>(rigid_.size());
            rigid_.push_back(&interface);
        }
        for (std::size_t node = 0; node < num_nodes; ++node)
            if (owner_[node] < 0) {
                first_[node] = num_free_;
                num_free_ += 3;
            }
        size_ = num_free_ + 6 * static_cast<int>(rigid_.size());
        K = with_interfaces(model.stiffness, 1);
        M = with_interfaces(model.mass, 3);
        m = Sparse(static_cast<std::int32_t>(num_nodes), [&](const auto& add) {
            for (const MatrixEntry& e : model.mass) add(e.i, e.j, e.value);
        });
    }

    int size() const { return size_; }
    int num_free() const { return num_free_; }
    int first_of_interface(int k) const { return num_free_ + 6 * k; }
    /// Displacements of all nodes.
    MatrixXd displacements(const MatrixXd& x) const {
        MatrixXd u = MatrixXd::Zero(static_cast<Index>(3 * owner_.size()), x.cols());
        for (Index k = 0; k < u.rows(); ++k)
            for (const auto& [place, weight] : shares_of(static_cast<int>(k)))
                if (weight != 0.0) u.row(k) += weight * x.row(place);
        return u;
    }

    /// Node of each unknown, interfaces after them, and where these are.
    std::vector<std::int32_t> groups() const {
        std::vector<std::int32_t> out(static_cast<std::size_t>(size_));
        for (std::size_t node = 0; node < owner_.size(); ++node)
            if (owner_[node] < 0)
                for (int axis = 0; axis < 3; ++axis)
                    out[static_cast<std::size_t>(first_[node] + axis)] =
                        static_cast<std::int32_t>(node);
        for (int k = num_free_; k < size_; ++k)
            out[static_cast<std::size_t>(k)] =
                static_cast<std::int32_t>(owner_.size()) + (k - num_free_) / 6;
        return out;
    }
    std::vector<Vec3> positions() const {
        std::vector<Vec3> out = model_.x;
        for (const Interface* interface : rigid_) out.push_back(interface->origin);
        return out;
    }

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
        for (std::size_t k = 0; k < rigid_.size(); ++k) {
            const int first = first_of_interface(static_cast<int>(k));
            put(first, rigid_[k]->origin);
            R.block<3, 3>(first + 3, 3).setIdentity();
        }
        return R;
    }

    /// Forces that a force and a torque on each mean interface are on its nodes: alike on all, and
    /// as far as they lie from the middle.
    MatrixXd mean_loads() const {
        std::vector<const Interface*> mean;
        for (const Interface& interface : model_.interfaces)
            if (interface.is_mean) mean.push_back(&interface);
        MatrixXd F = MatrixXd::Zero(size_, 6 * static_cast<Index>(mean.size()));
        for (std::size_t k = 0; k < mean.size(); ++k) {
            std::vector<Vec3> from_mean;
            for (const std::int32_t node : mean[k]->nodes)
                from_mean.push_back(model_.x[static_cast<std::size_t>(node)] - mean[k]->origin);
            const auto [axes, squares] = spread_of(from_mean);
            for (std::size_t n = 0; n < from_mean.size(); ++n) {
                const int first = first_[static_cast<std::size_t>(mean[k]->nodes[n])];
                auto on_node = F.block<3, 6>(first, 6 * static_cast<Index>(k));
                on_node.leftCols<3>().setIdentity();
                const double along = from_mean[n].dot(axes.col(0)) / squares(0),
                             across = from_mean[n].dot(axes.col(1)) / squares(1);
                on_node.col(3) = across * axes.col(2);
                on_node.col(4) = -along * axes.col(2);
                on_node.col(5) = along * axes.col(1) - across * axes.col(0);
            }
        }
        return F;
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
        return *rigid_[static_cast<std::size_t>(owner_[node])];
    }

    /// A displacement as a combination of x: of itself, or of its interface's displacement and
    /// turns about two axes.
    struct Share {
        int place = 0;
        double weight = 0.0;
    };
    std::array<Share, 3> shares_of(int dof) const {
        const auto node = static_cast<std::size_t>(dof / 3);
        const int axis = dof % 3;
        if (owner_[node] < 0) return {{{first_[node] + axis, 1.0}, {}, {}}};
        const int first = first_of_interface(owner_[node]);
        const Vec3 r = model_.x[node] - interface_of(node).origin;
        // (turn x r)_axis
        const int next = (axis + 1) % 3, last = (axis + 2) % 3;
        return {{{first + axis, 1.0}, {first + 3 + next, r(last)}, {first + 3 + last, -r(next)}}};
    }
    /// G^T A G
    Sparse with_interfaces(const std::vector<MatrixEntry>& lower, int copies) const {
        return Sparse(size_, [&](const auto& add) {
            for (const MatrixEntry& e : lower)
                for (int c = 0; c < copies; ++c)
                    add_shares(copies * e.i + c, copies * e.j + c, e.value, add);
        });
    }
    template <class Add>
    void add_shares(int i, int j, double entry, const Add& add) const {
        for (const auto& [a, x] : shares_of(i))
            for (const auto& [b, y] : shares_of(j)) {
                const double value = x * y * entry;
                if (value == 0.0) continue;
                if (i == j) {
                    if (a >= b) add(a, b, value);
                    continue;
                }
                // With its mirror, which meets it on the diagonal
                add(std::max(a, b), std::min(a, b), a == b ? 2.0 * value : value);
            }
    }

    const FiniteElements& model_;
    std::vector<int> first_, owner_;  ///< place, and number among the rigid interfaces or -1
    std::vector<const Interface*> rigid_;
    int num_free_ = 0, size_ = 0;
};

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

struct Modes {
    VectorXd omega_squared;
    MatrixXd x;  ///< as ReducedModel has it, phi.M phi = 1
    HeldVibrations held;
};

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

// --- the scalar basis

class BasisBuilder {
public:
    BasisBuilder(const FiniteElements& model, const ReducedModel& reduced, Reduction& out)
        : model_(model), m_(reduced.m), skin_(skin_of(model)), out_(out) {
        num_nodes_ = static_cast<Index>(model.x.size());
    }

    void build(const MatrixXd& displacements) {
        set_affine();
        set_functions(displacements);
        find_basis();
        set_coefficients();
        complete();
        set_places();
        set_drawing();
        set_stress(displacements);
    }

private:
    void set_affine() {
        affine_.resize(num_nodes_, 3);
        for (Index i = 0; i < num_nodes_; ++i)
            affine_.row(i) =
                (out_.axes.transpose() * (model_.x[static_cast<std::size_t>(i)] - out_.center))
                    .transpose();
        for (int i = 0; i < 3; ++i)
            if (out_.moments(i) > 0.0) out_.affine_axes.push_back(i);
        out_.num_affine = static_cast<int>(out_.affine_axes.size());
        M_affine_ = m_.times(affine_);
        out_.rho = (out_.moments / out_.mass).cwiseSqrt();
    }
    /// Columns 3 k + m: component m of mode k, of norm^2 mass together.
    void set_functions(const MatrixXd& displacements) {
        const double scale = std::sqrt(out_.mass);
        functions_.resize(num_nodes_, 3 * displacements.cols());
        for (Index k = 0; k < displacements.cols(); ++k)
            for (Index i = 0; i < num_nodes_; ++i)
                functions_.block<1, 3>(i, 3 * k) =
                    scale *
                    (out_.axes.transpose() * displacements.block<3, 1>(3 * i, k)).transpose();
    }

    /// Psi: what the functions have across 1 and X, largest first.
    void find_basis() {
        MatrixXd rest = functions_;
        for (Index f = 0; f < rest.cols(); ++f)
            for (int twice = 0; twice < 2; ++twice)
                for (const int i : out_.affine_axes)
                    rest.col(f) -=
                        M_affine_.col(i).dot(rest.col(f)) / out_.moments(i) * affine_.col(i);
        const double limit = kDependent * kDependent * out_.mass;
        basis_.resize(num_nodes_, rest.cols());
        Index count = 0;
        MatrixXd M_basis(num_nodes_, rest.cols()), M_rest = m_.times(rest);
        for (Index n = 0; n < rest.cols(); ++n) {
            Index best = 0;
            double most = -1.0;
            for (Index f = 0; f < rest.cols(); ++f)
                if (const double square = rest.col(f).dot(M_rest.col(f)); square > most) {
                    most = square;
                    best = f;
                }
            if (!(most > limit)) break;
            VectorXd psi = rest.col(best);
            for (Index b = 0; b < count; ++b)
                psi -= M_basis.col(b).dot(psi) / out_.mass * basis_.col(b);
            for (const int i : out_.affine_axes)
                psi -= M_affine_.col(i).dot(psi) / out_.moments(i) * affine_.col(i);
            VectorXd M_psi = m_.times(psi);
            const double scale = std::sqrt(out_.mass / psi.dot(M_psi));
            psi *= scale;
            M_basis.col(count) = scale * M_psi;
            basis_.col(count) = psi;
            for (Index f = 0; f < rest.cols(); ++f) {
                const double share = M_basis.col(count).dot(rest.col(f)) / out_.mass;
                rest.col(f) -= share * psi;
                M_rest.col(f) -= share * M_basis.col(count);
            }
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
        const MatrixXd M_functions = m_.times(functions_);
        for (Index a = 0; a < num; ++a) {
            VectorXd psi;
            if (a < affine) {
                const int axis = out_.affine_axes[static_cast<std::size_t>(a)];
                psi = affine_.col(axis) / out_.rho(axis);
            } else {
                psi = basis_.col(a - affine);
            }
            const MatrixXd shares = transposed_product(psi, M_functions) / out_.mass;
            for (Index k = 0; k < n; ++k)
                for (int axis = 0; axis < 3; ++axis)
                    coefficients_(3 * a + axis, k) = shares(0, 3 * k + axis);
        }
    }

    /// Q: the coefficients, and columns across them.
    void complete() {
        const Index size = coefficients_.rows(), n = coefficients_.cols();
        MatrixXd& Q = out_.Q;
        Q.resize(size, size);
        const auto orthogonalise = [&](VectorXd& v, Index count) {
            for (int twice = 0; twice < 2; ++twice)
                for (Index k = 0; k < count; ++k) v -= Q.col(k).dot(v) * Q.col(k);
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
        MatrixXd all(num_nodes_, num);
        for (Index a = 0; a < affine; ++a)
            all.col(a) = affine_.col(out_.affine_axes[static_cast<std::size_t>(a)]);
        all.rightCols(basis_.cols()) = basis_;
        out_.reach = all.cwiseAbs().colwise().maxCoeff().transpose();
        const auto num_interfaces = static_cast<Index>(model_.interfaces.size());
        const auto num_points = static_cast<Index>(model_.points.size());
        const auto num_shown = static_cast<Index>(skin_.nodes.size());
        out_.values.resize(num_interfaces + num_points + num_shown, num);
        for (Index k = 0; k < num_shown; ++k)
            out_.values.row(num_interfaces + num_points + k) =
                all.row(skin_.nodes[static_cast<std::size_t>(k)]);
        out_.tangents.resize(2 * num_interfaces, num);
        for (Index k = 0; k < num_interfaces; ++k) set_interface(k, all);
        for (Index k = 0; k < num_points; ++k)
            out_.values.row(num_interfaces + k) =
                all.row(model_.points[static_cast<std::size_t>(k)].node);
    }

    /// Places of the skin, behind interfaces and points; without one these alone, joined.
    void set_drawing() {
        const auto first =
            static_cast<std::int32_t>(model_.interfaces.size() + model_.points.size());
        for (const auto& line : skin_.lines)
            for (const std::int32_t node : line) out_.lines.push_back(first + node);
        for (const auto& triangle : skin_.triangles)
            for (const std::int32_t node : triangle) out_.triangles.push_back(first + node);
        for (std::int32_t k = 1; skin_.nodes.empty() && k < first; ++k)
            out_.lines.insert(out_.lines.end(), {0, k});
    }

    /// Of each mode at each place; an interface has the mean of its nodes.
    void set_stress(const MatrixXd& displacements) {
        if (model_.volumes.empty()) return;
        std::vector<std::vector<std::int32_t>> places;
        for (const Interface& interface : model_.interfaces) places.push_back(interface.nodes);
        for (const NamedNode& point : model_.points) places.push_back({point.node});
        for (const std::int32_t node : skin_.nodes) places.push_back({node});
        std::vector<std::int32_t> nodes, row_of(static_cast<std::size_t>(num_nodes_), -1);
        for (const auto& of_place : places)
            for (const std::int32_t node : of_place) {
                std::int32_t& row = row_of[static_cast<std::size_t>(node)];
                if (row >= 0) continue;
                row = static_cast<std::int32_t>(nodes.size());
                nodes.push_back(node);
            }
        const MatrixXd at_nodes = stress_at_nodes(
            model_.x, model_.volumes, model_.material, std::sqrt(out_.mass) * displacements, nodes);
        out_.stress = MatrixXd::Zero(6 * static_cast<Index>(places.size()), at_nodes.cols());
        for (std::size_t k = 0; k < places.size(); ++k)
            for (const std::int32_t node : places[k])
                out_.stress.middleRows<6>(6 * static_cast<Index>(k)) +=
                    at_nodes.middleRows<6>(6 * row_of[static_cast<std::size_t>(node)]) /
                    static_cast<double>(places[k].size());
    }

    /// Its origin is the mean of its nodes; its tangents along the two axes in which they lie
    /// farthest apart are the slopes of what fits the nodes best, which they meet exactly.
    void set_interface(Index k, const MatrixXd& all) {
        const Interface& interface = model_.interfaces[static_cast<std::size_t>(k)];
        Vec3 origin = Vec3::Zero();
        const double share = 1.0 / static_cast<double>(interface.nodes.size());
        out_.values.row(k).setZero();
        for (const std::int32_t node : interface.nodes) {
            origin += share * affine_.row(node).transpose();
            out_.values.row(k) += share * all.row(node);
        }
        std::vector<Vec3> from_mean;
        for (const std::int32_t node : interface.nodes)
            from_mean.push_back(affine_.row(node).transpose() - origin);
        const auto [local, squares] = spread_of(from_mean);
        for (int i = 0; i < 2; ++i) {
            out_.tangents.row(2 * k + i).setZero();
            for (std::size_t n = 0; n < from_mean.size(); ++n)
                out_.tangents.row(2 * k + i) +=
                    from_mean[n].dot(local.col(i)) / squares(i) * all.row(interface.nodes[n]);
        }
        out_.interface_axes.push_back(local);
    }

    const FiniteElements& model_;
    const Sparse& m_;
    Skin skin_;
    Reduction& out_;
    Index num_nodes_ = 0;
    MatrixXd affine_, M_affine_, functions_, basis_, coefficients_;
};

void set_mass_properties(const FiniteElements& model, const Sparse& m, Reduction& out) {
    const auto num_nodes = static_cast<Index>(model.x.size());
    MatrixXd X(num_nodes, 3);
    for (Index i = 0; i < num_nodes; ++i)
        X.row(i) = model.x[static_cast<std::size_t>(i)].transpose();
    const MatrixXd weights = m.times(MatrixXd::Ones(num_nodes, 1));
    out.mass = weights.sum();
    out.center = transposed_product(X, weights) / out.mass;
    X.rowwise() -= out.center.transpose();
    Mat3 S = transposed_product(X, m.times(X));
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
    Modes modes = find_modes(reduced, out.center, out.mass, settings);
    out.held = modes.held;
    out.omega_squared = modes.omega_squared;
    BasisBuilder(model, reduced, out).build(reduced.displacements(modes.x));
    return out;
}

}  // namespace ancora::elastic
