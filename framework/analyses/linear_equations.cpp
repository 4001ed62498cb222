// SPDX-License-Identifier: BSD-3-Clause
// From the implicit face to matrices.
#include "linear_equations.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "dense.hpp"

namespace ancora {
namespace {

// Of positions at rest, of the model's size: as near as Newton's method goes.
constexpr double kRoundedPosition = 1e-13;
constexpr double kRoundedSum = 1e-15;

}  // namespace

Eigen::SparseMatrix<double> square_matrix(const CompressedMatrix& from) {
    std::vector<Eigen::Triplet<double>> entries;
    for (int i = 0; i < from.num_rows(); ++i)
        for (int e = from.row_start[i]; e < from.row_start[static_cast<std::size_t>(i) + 1]; ++e)
            entries.emplace_back(i, from.column[e], from.value[e]);
    Eigen::SparseMatrix<double> out(from.num_rows(), from.num_rows());
    out.setFromTriplets(entries.begin(), entries.end());
    return out;
}

void require_smooth(const KernelSystem& system, const char* what) {
    const Model& model = system.parts().model;
    const std::string advice = fmt::format(
        "{} follows forces by their derivatives with respect to positions and "
        "velocities; ask it of a copy of the model without this",
        what);
    for (const ForcePart& force : model.forces)
        if (force.contact != nullptr)
            throw Error(ErrorKind::manifest,
                        fmt::format("{} (type {}) is dry friction, which sticks and slips: {}",
                                    force.object.label,
                                    force.object.type->name,
                                    advice),
                        force.object.place);
    for (const SignalPart& part : model.signals) {
        if (part.of == SignalPart::Of::release) continue;  // constraints are those of the state
        const char* const has = part.facts.num_continuous > 0  ? "continuous states of its own"
                                : part.facts.num_crossings > 0 ? "events inside a step"
                                : part.facts.num_discrete > 0
                                    ? "values that it holds between samples"
                                    : nullptr;
        if (has != nullptr)
            throw Error(ErrorKind::manifest,
                        fmt::format("{} has {}: {}", part.label, has, advice),
                        part.place);
    }
}

LinearEquations linear_equations(KernelSystem& system) {
    const Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(system.q().data(),
                                                                system.num_coordinates()),
                          v = Eigen::Map<const Eigen::VectorXd>(system.v().data(), q.size());
    return linear_equations(system, q, v);
}

LinearEquations linear_equations(KernelSystem& system,
                                 const Eigen::VectorXd& q,
                                 const Eigen::VectorXd& v) {
    ImplicitFace& face = system.linearisable();
    const int n = face.num_coordinates();
    LinearEquations out;
    out.acceleration.setZero(n);
    out.lambda.setZero(face.num_conditions());
    const double t = system.time();
    face.accelerations(t,
                       view(q),
                       view(v),
                       {out.acceleration.data(), static_cast<std::size_t>(n)},
                       {out.lambda.data(), static_cast<std::size_t>(out.lambda.size())});
    face.evaluate({t, view(q), view(v), view(out.lambda)});
    out.force = Eigen::Map<const Eigen::VectorXd>(face.force().data(), n);
    out.M = square_matrix(face.mass());
    const CompressedMatrix A = face.jacobian();
    std::vector<Eigen::Triplet<double>> positions, rates;
    int num_positions = 0, num_rates = 0;
    std::vector<char> is_chosen(static_cast<std::size_t>(system.parts().m), 0);
    for (const int row : system.parts().rows.dropped())  // by steps
        is_chosen[row] = 1;
    for (int k = 0; k < A.num_rows(); ++k) {
        if (face.is_open(k)) continue;
        const auto c = static_cast<std::size_t>(k);
        const bool is_position = face.levels()[c] == RowLevel::position;
        const int row = is_position ? num_positions++ : num_rates++;
        if (is_position) out.position_rows.push_back(face.row(k));
        if (is_position)
            out.is_dropped.push_back(face.is_dropped(k) || is_chosen[face.row(k)] != 0 ? 1 : 0);
        for (int e = A.row_start[c]; e < A.row_start[c + 1]; ++e)
            (is_position ? positions : rates).emplace_back(row, A.column[e], A.value[e]);
    }
    out.P.resize(num_positions, n);
    out.P.setFromTriplets(positions.begin(), positions.end());
    out.N.resize(num_rates, n);
    out.N.setFromTriplets(rates.begin(), rates.end());
    face.differentiate(view(out.acceleration));
    out.D = square_matrix(face.damping());
    out.K = square_matrix(face.stiffness()) + square_matrix(face.geometric());
    return out;
}

bool is_rounding_of_forces(KernelSystem& system,
                           const LinearEquations& at,
                           const Eigen::VectorXd& acceleration) {
    const Eigen::Index n = acceleration.size();
    const Eigen::VectorXd force = at.M * acceleration;
    const Eigen::VectorXd size =
        Eigen::VectorXd::Constant(n, kRoundedPosition * system.state().extent);
    Eigen::VectorXd bound = at.K.cwiseAbs() * size;
    int num_positions = 0, num_rates = 0;
    const ImplicitFace& face = system.linearisable();
    const std::span<const RowLevel> levels = face.levels();
    for (int k = 0; k < face.num_conditions(); ++k) {
        if (face.is_open(k)) continue;
        const bool is_position = levels[k] == RowLevel::position;
        const auto& rows = is_position ? at.P : at.N;
        const int row = is_position ? num_positions++ : num_rates++;
        for (Eigen::SparseMatrix<double, Eigen::RowMajor>::InnerIterator e(rows, row); e; ++e)
            bound[e.col()] += kRoundedSum * std::abs(e.value() * at.lambda[k]);
    }
    return (force.cwiseAbs().array() <= bound.array()).all();
}

double acceleration_from_rest(KernelSystem& system, const LinearEquations& at) {
    if (at.acceleration.size() == 0 || is_rounding_of_forces(system, at, at.acceleration))
        return 0.0;
    return system.parts().space.displacement(at.acceleration.data());
}

Eigen::MatrixXd null_space(const Eigen::MatrixXd& A) {
    const Eigen::Index n = A.cols();
    Eigen::MatrixXd columns = A.transpose();
    for (Eigen::Index k = 0; k < columns.cols(); ++k)
        if (const double length = columns.col(k).norm(); length > 0.0) columns.col(k) /= length;
    if (columns.cols() == 0) return Eigen::MatrixXd::Identity(n, n);
    const RankRevealingQr qr(columns);
    const Eigen::Index rank = qr.rank(kIndependent);
    return qr.columns_of_Q(rank, n - rank);
}

Eigen::MatrixXd projected(const Eigen::MatrixXd& W,
                          const Eigen::SparseMatrix<double>& K,
                          const Eigen::MatrixXd& Z) {
    // Entries of W and Z, whose columns have unit length, are known to E, and sums to E of their
    // terms.
    constexpr double E = 16.0 * std::numeric_limits<double>::epsilon();
    const Eigen::MatrixXd out = W.transpose() * (K * Z);
    const Eigen::SparseMatrix<double> size = K.cwiseAbs();
    const Eigen::ArrayXXd w = W.cwiseAbs(), z = Z.cwiseAbs();
    const auto sum = [&size](const Eigen::ArrayXXd& x,
                             const Eigen::ArrayXXd& y) -> Eigen::ArrayXXd {
        return (x.matrix().transpose() * (size * y.matrix())).array();
    };
    const Eigen::ArrayXXd rounding = sum(w + E, z + E) - (1.0 - E) * sum(w, z);
    return (out.array().abs() <= rounding).select(0.0, out);
}

Eigen::SparseMatrix<double> rotation_of_space(const KernelSystem& system,
                                              const Eigen::Vector3d& spin) {
    const int n = system.num_coordinates();
    std::vector<Eigen::Triplet<double>> entries;
    std::vector<char> is_part(static_cast<std::size_t>(n), 0);
    for (const Space::Vector& vector : system.parts().space.vectors())
        for (int i = 0; i < 3; ++i) {
            const int row = vector.at[i];
            if (row < 0) continue;
            is_part[row] = 1;
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            const int at_j = vector.at[j];
            const int at_k = vector.at[k];
            if (at_k >= 0) entries.emplace_back(row, at_k, spin[j]);
            if (at_j >= 0) entries.emplace_back(row, at_j, -spin[k]);
        }
    for (const char part : is_part)
        if (part == 0)
            throw Error(
                ErrorKind::numerical,
                "a body of the model has coordinates that are no vectors in space, such as a "
                "quaternion's; about a spin take bodies of points and base vectors");
    Eigen::SparseMatrix<double> out(n, n);
    out.setFromTriplets(entries.begin(), entries.end());
    return out;
}

}  // namespace ancora
