// SPDX-License-Identifier: BSD-3-Clause
// Makes the scalar basis of the modes, and where it is looked at.
#include "reduction.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <Eigen/Eigenvalues>

#include "ancora/sdk/helpers/rigid_body.hpp"
#include "modes.hpp"
#include "skin.hpp"

namespace ancora::elastic {
namespace {

/// The largest eigenvalue of a symmetric matrix, and its vector.
std::pair<double, VectorXd> largest_eigenvalue(const MatrixXd& M) {
    const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(M);
    return {eigen.eigenvalues()(M.rows() - 1), eigen.eigenvectors().col(M.rows() - 1)};
}

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
        set_lowest();
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

    /// With interface k held the modes take the rigid motions with them, u = t + theta x X + U eta
    /// and theta + W eta are zero there:
    ///
    ///   (1 + T^T T + W^T J W / m) eta'' + diag(omega^2) eta = 0,   T eta = (W eta) x X - U eta
    void set_lowest() {
        const Index n = out_.omega_squared.size();
        out_.lowest_squared = out_.omega_squared(0);
        const Vec3 squares = out_.rho.cwiseAbs2();
        const Vec3 J(squares(1) + squares(2), squares(2) + squares(0), squares(0) + squares(1));
        for (std::size_t k = 0; k < model_.interfaces.size(); ++k) {
            const auto row = static_cast<Index>(k);
            MatrixXd U = MatrixXd::Zero(3, n), slope_1 = U, slope_2 = U;
            Vec3 X = Vec3::Zero();
            for (Index a = 0; a < out_.num_functions(); ++a) {
                double unit = 1.0;
                if (a < out_.num_affine) {
                    const int axis = out_.affine_axes[static_cast<std::size_t>(a)];
                    unit = out_.rho(axis);
                    X(axis) = out_.values(row, a);
                }
                const MatrixXd share = out_.Q.block(3 * a, 0, 3, n) / unit;
                U += out_.values(row, a) * share;
                slope_1 += out_.tangents(2 * row, a) * share;
                slope_2 += out_.tangents(2 * row + 1, a) * share;
            }
            const Vec3 f1 = out_.interface_axes[k].col(0), f2 = out_.interface_axes[k].col(1);
            const Vec3 f3 = f1.cross(f2);
            const MatrixXd W = f1 * (f3.transpose() * slope_2) - f2 * (f3.transpose() * slope_1) +
                               f3 * (f2.transpose() * slope_1);
            MatrixXd T(3, n);
            for (Index i = 0; i < n; ++i) T.col(i) = Vec3(W.col(i)).cross(X) - U.col(i);
            MatrixXd M = T.transpose() * T + W.transpose() * J.asDiagonal() * W;
            M.diagonal().array() += 1.0;
            const Eigen::VectorXd over = out_.omega_squared.cwiseSqrt().cwiseInverse();
            M = over.asDiagonal() * M * over.asDiagonal();
            out_.held_at.push_back(M);
            const double held = 1.0 / largest_eigenvalue(M).first;
            if (!(held < out_.lowest_squared)) continue;
            out_.lowest_squared = held;
            out_.lowest_held_at = static_cast<int>(k);
        }
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

    /// Its origin; its tangents along the two axes in which its nodes lie farthest apart are the
    /// slopes of what fits the nodes best, which they meet exactly.
    void set_interface(Index k, const MatrixXd& all) {
        const Interface& interface = model_.interfaces[static_cast<std::size_t>(k)];
        Vec3 mean = Vec3::Zero();
        const double share = 1.0 / static_cast<double>(interface.nodes.size());
        out_.values.row(k).setZero();
        for (std::size_t n = 0; n < interface.nodes.size(); ++n) {
            mean += share * affine_.row(interface.nodes[n]).transpose();
            const double weight = interface.weights.empty() ? share : interface.weights[n];
            out_.values.row(k) += weight * all.row(interface.nodes[n]);
        }
        std::vector<Vec3> from_mean;
        for (const std::int32_t node : interface.nodes)
            from_mean.push_back(affine_.row(node).transpose() - mean);
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

// With p = W^T diag(omega) eta, H = W diag(1 / omega_j^2) W^T the elastic energy is 1/2 m p.p and
// the kinetic one 1/2 m sum of (p_j' / omega_j)^2: xi = p / omega_j
HeldModes modes_held_at(const Reduction& reduction, int interface) {
    VectorXd values;
    MatrixXd W;
    diagonalise(reduction.held_at[static_cast<std::size_t>(interface)], values, W);
    HeldModes out;
    out.omega_squared = values.reverse().cwiseInverse();
    out.rows = W.rowwise().reverse().transpose();
    out.rows = out.omega_squared.cwiseSqrt().cwiseInverse().asDiagonal() * out.rows *
               reduction.omega_squared.cwiseSqrt().asDiagonal();
    return out;
}

HeldMode lowest_held_at(const Reduction& reduction,
                        int interface,
                        const HeldModes& damped,
                        double ratio) {
    const auto [value, w] =
        largest_eigenvalue(reduction.held_at[static_cast<std::size_t>(interface)]);
    // eta of the mode with the elastic energy m / 2, so that its mass is m value
    const VectorXd eta = reduction.omega_squared.cwiseSqrt().cwiseInverse().cwiseProduct(w);
    const VectorXd xi = damped.rows * eta;
    const double viscosity =
        2.0 * ratio * (damped.omega_squared.cwiseSqrt().array() * xi.array().square()).sum();
    return {1.0 / value, 0.5 * viscosity / std::sqrt(value)};
}

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
