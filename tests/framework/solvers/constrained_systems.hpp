// SPDX-License-Identifier: BSD-3-Clause
// Systems with constraints, at random or of bodies, and their solution in any precision.
#pragma once

#include <cmath>
#include <cstddef>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <Eigen/Dense>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/eigen.hpp>

#include "constrained_solver.hpp"

namespace ancora::testing {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

inline constexpr SolverPath kPaths[] = {SolverPath::dense, SolverPath::sparse};

struct System {
    SystemPattern pattern;
    std::vector<double> M, A;
    VectorXd f, r;

    int n() const { return pattern.num_coordinates; }
    int m() const { return pattern.num_rows(); }
};

inline std::span<const double> view(const VectorXd& x) {
    return {x.data(), static_cast<std::size_t>(x.size())};
}
inline std::span<double> view(VectorXd& x) {
    return {x.data(), static_cast<std::size_t>(x.size())};
}

/// All of M's lower triangle and of A, zeros included.
inline System full_system(const MatrixXd& M, const MatrixXd& A) {
    System out;
    out.pattern.num_coordinates = static_cast<int>(M.rows());
    out.pattern.first_of_body = {0};
    for (int i = 0; i < M.rows(); ++i)
        for (int j = 0; j <= i; ++j) {
            out.pattern.mass.emplace_back(i, j);
            out.M.push_back(M(i, j));
        }
    out.pattern.row_start = {0};
    for (int k = 0; k < A.rows(); ++k) {
        for (int i = 0; i < A.cols(); ++i) {
            out.pattern.column.push_back(i);
            out.A.push_back(A(k, i));
        }
        out.pattern.row_start.push_back(static_cast<int>(out.A.size()));
    }
    out.f = VectorXd::Zero(M.rows());
    out.r = VectorXd::Zero(A.rows());
    return out;
}

inline MatrixXd dense_A(const System& s) {
    MatrixXd A = MatrixXd::Zero(s.m(), s.n());
    for (int k = 0; k < s.m(); ++k)
        for (int e = s.pattern.row_start[std::size_t(k)];
             e < s.pattern.row_start[std::size_t(k) + 1];
             ++e)
            A(k, s.pattern.column[std::size_t(e)]) = s.A[std::size_t(e)];
    return A;
}

inline MatrixXd dense_M(const System& s) {
    MatrixXd M = MatrixXd::Zero(s.n(), s.n());
    for (std::size_t k = 0; k < s.M.size(); ++k) {
        const auto [i, j] = s.pattern.mass[k];
        M(i, j) = M(j, i) = s.M[k];
    }
    return M;
}

struct Solution {
    SolverStatus status = SolverStatus::failed;
    bool is_solved = false;
    VectorXd x, lambda;
    double worst_row = 0.0;
    int rank = 0;
};

inline Solution solve(const System& s, SolverPath path) {
    ConstrainedSolver solver(s.pattern, path);
    Solution out;
    out.x.setZero(s.n());
    out.lambda.setZero(s.m());
    out.status = solver.factorise(s.M, s.A);
    out.is_solved = solver.solve(view(s.f), view(s.r), view(out.x), view(out.lambda));
    out.worst_row = solver.worst_row(view(s.f), view(s.r), view(out.x)).relative;
    out.rank = solver.rank().rank;
    return out;
}

/// |x - y| / |y|
inline double distance(const VectorXd& x, const VectorXd& y) {
    return (x - y).norm() / y.norm();
}

// --- the reference

using Extended = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>,
                                               boost::multiprecision::et_off>;

struct Reference {
    VectorXd x;
    VectorXd scaled_lambda;  // sqrt(D_k) lambda_k
    VectorXd length;         // sqrt(D_k)
};

/// x = M^-1 f + L^-T B^+ (r - A M^-1 f) and the least lambda, by singular values of the given rank;
/// a singular M stands for M + sigma A^+ A and f for f + sigma A^+ r, literally.
inline Reference reference(const System& s, int rank, bool is_singular) {
    using Scalar = Extended;
    using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
    using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
    using Svd = Eigen::JacobiSVD<Matrix>;
    const auto apply_inverse = [&](const Svd& svd, const Vector& y) {
        Vector c = svd.matrixU().adjoint() * y;
        for (int i = 0; i < c.size(); ++i)
            c[i] = i < rank ? Scalar(c[i] / svd.singularValues()[i]) : Scalar(0);
        return Vector(svd.matrixV() * c);
    };
    constexpr unsigned kThin = Eigen::ComputeThinU | Eigen::ComputeThinV;
    Matrix M = dense_M(s).cast<Scalar>();
    Matrix A = dense_A(s).cast<Scalar>();
    Vector f = s.f.cast<Scalar>();
    Vector r = s.r.cast<Scalar>();
    // unit rows
    Vector length(s.m());
    for (int k = 0; k < s.m(); ++k) {
        length[k] = A.row(k).norm();
        if (length[k] > Scalar(0)) {
            A.row(k) /= length[k];
            r[k] /= length[k];
        }
    }
    if (is_singular) {
        const Svd svd(A, kThin);
        const Scalar sigma = M.trace() / Scalar(s.n());
        f += sigma * apply_inverse(svd, r);
        const Matrix V = svd.matrixV().leftCols(rank);
        M += sigma * V * V.transpose();
    }
    const Eigen::LLT<Matrix> llt(M);
    Matrix Bt = llt.matrixL().solve(Matrix(A.transpose()));
    for (int k = 0; k < s.m(); ++k) {
        const Scalar norm = Bt.col(k).norm();
        if (norm > Scalar(0)) {
            Bt.col(k) /= norm;
            r[k] /= norm;
        }
        length[k] *= norm;
    }
    const Vector y_free = llt.matrixL().solve(f);
    const Svd svd(Matrix(Bt.transpose()), kThin);
    const Vector step = apply_inverse(svd, r - Bt.transpose() * y_free);
    const Vector lambda = apply_inverse(Svd(Bt, kThin), step);
    Reference out;
    out.x = Vector(llt.matrixU().solve(Vector(y_free + step))).cast<double>();
    out.scaled_lambda = lambda.cast<double>();
    out.length = length.cast<double>();
    return out;
}

// --- systems

class Random {
public:
    explicit Random(unsigned seed) : generator_(seed) {}
    double normal() { return normal_(generator_); }
    double between(double low, double high) {
        return std::uniform_real_distribution<double>(low, high)(generator_);
    }
    int below(int n) { return static_cast<int>(generator_() % static_cast<unsigned>(n)); }
    MatrixXd matrix(int rows, int cols) {
        MatrixXd out(rows, cols);
        for (int j = 0; j < cols; ++j)
            for (int i = 0; i < rows; ++i) out(i, j) = normal();
        return out;
    }
    VectorXd vector(int n) { return matrix(n, 1); }
    MatrixXd orthogonal(int n) {
        return Eigen::HouseholderQR<MatrixXd>(matrix(n, n)).householderQ();
    }
    /// From 1 / condition to 1, both ends taken.
    VectorXd spread(int n, double condition) {
        VectorXd out(n);
        for (double& x : out) x = std::pow(condition, -between(0.0, 1.0));
        out[0] = 1.0;
        if (n > 1) out[1] = 1.0 / condition;
        return out;
    }

private:
    std::mt19937 generator_;
    std::normal_distribution<double> normal_;
};

/// Random masses and `rank` independent rows of given condition numbers, and copies of rows; rows
/// scaled by powers of two from 1e-6 to 1e6, which keeps copies exactly dependent and consistent.
inline System random_system(Random& random,
                            int n,
                            int rank,
                            int copies,
                            int massless,
                            double mass_condition,
                            double row_condition) {
    VectorXd masses = random.spread(n, mass_condition);
    masses.tail(massless).setZero();
    const MatrixXd T = random.orthogonal(n);
    const MatrixXd product = T * masses.asDiagonal() * T.transpose();
    const MatrixXd M = 0.5 * (product + product.transpose());
    MatrixXd A(rank + copies, n);
    A.topRows(rank) = random.orthogonal(rank) * random.spread(rank, row_condition).asDiagonal() *
                      random.orthogonal(n).topRows(rank);
    VectorXd r(rank + copies);
    r.head(rank) = A.topRows(rank) * random.vector(n);
    for (int c = 0; c < copies; ++c) {
        const int from = random.below(rank);
        A.row(rank + c) = A.row(from);
        r[rank + c] = r[from];
    }
    for (int k = 0; k < rank + copies; ++k) {
        const double scale = std::ldexp(1.0, random.below(41) - 20);
        A.row(k) *= scale;
        r[k] *= scale;
    }
    System out = full_system(M, A);
    out.f = random.vector(n);
    out.r = r;
    return out;
}

/// Bodies of twelve coordinates, centre and three directors, each kept rigid by six rows.
class Bodies {
public:
    int add(const Vector3d& position,
            const Matrix3d& axes,
            double mass = 2.0,
            const Vector3d& inertia = {0.1, 0.15, 0.2}) {
        const int first = out_.pattern.num_coordinates;
        out_.pattern.first_of_body.push_back(first);
        for (int i = 0; i < 12; ++i) {
            out_.pattern.mass.emplace_back(first + i, first + i);
            out_.M.push_back(i < 3 ? mass : inertia[i / 3 - 1]);
        }
        out_.pattern.num_coordinates += 12;
        if (out_.pattern.row_start.empty()) out_.pattern.row_start.push_back(0);
        position_.push_back(position);
        axes_.push_back(axes);
        for (int i = 0; i < 3; ++i)
            for (int j = i; j < 3; ++j) {
                for (int k = 0; k < 3; ++k) {
                    entry(first + 3 + 3 * i + k, (i == j ? 2.0 : 1.0) * axes(k, j));
                    if (i != j) entry(first + 3 + 3 * j + k, axes(k, i));
                }
                end_row();
            }
        return static_cast<int>(axes_.size()) - 1;
    }
    /// Three rows: P of body a (or of the ground, -1) and of body b stay together.
    void point(int a, int b, const Vector3d& P) {
        for (int k = 0; k < 3; ++k) {
            for (const auto& [body, sign] : {std::pair(a, 1.0), std::pair(b, -1.0)}) {
                if (body < 0) continue;
                const Vector3d xi = axes(body).transpose() * (P - position_[std::size_t(body)]);
                entry(12 * body + k, sign);
                for (int i = 0; i < 3; ++i) entry(12 * body + 3 + 3 * i + k, sign * xi[i]);
            }
            end_row();
        }
    }
    /// Two rows: z of body b stays normal to what is normal to z in body a (or in the ground, -1).
    void axis(int a, int b, const Vector3d& z) {
        const Vector3d u = z.unitOrthogonal();
        for (const Vector3d& d : {u, Vector3d(z.cross(u))}) {
            for (int i = 0; i < 3; ++i)
                for (int k = 0; k < 3; ++k) {
                    if (a >= 0) entry(12 * a + 3 + 3 * i + k, (axes(a).transpose() * d)[i] * z[k]);
                    entry(12 * b + 3 + 3 * i + k, (axes(b).transpose() * z)[i] * d[k]);
                }
            end_row();
        }
    }
    /// With a random load, and r that the rows can meet.
    System system(unsigned seed) const {
        Random random(seed);
        System out = out_;
        out.f = random.vector(out.n());
        const VectorXd x = random.vector(out.n());
        out.r.setZero(out.m());
        for (int k = 0; k < out.m(); ++k)
            for (int e = out.pattern.row_start[std::size_t(k)];
                 e < out.pattern.row_start[std::size_t(k) + 1];
                 ++e)
                out.r[k] += out.A[std::size_t(e)] * x[out.pattern.column[std::size_t(e)]];
        return out;
    }

private:
    const Matrix3d& axes(int body) const { return axes_[std::size_t(body)]; }
    void entry(int column, double value) {
        out_.pattern.column.push_back(column);
        out_.A.push_back(value);
    }
    void end_row() { out_.pattern.row_start.push_back(static_cast<int>(out_.A.size())); }

    System out_;
    std::vector<Vector3d> position_;
    std::vector<Matrix3d> axes_;
};

inline Matrix3d turned(double angle, const Vector3d& axis = Vector3d::UnitZ()) {
    return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
}

/// Bodies hung in a row from the ground, by points or by parallel hinges.
inline System chain(int count, bool is_hinged, const Vector3d& inertia = {0.1, 0.15, 0.2}) {
    Bodies bodies;
    for (int k = 0; k < count; ++k) {
        const int b = bodies.add(
            Vector3d(k, 0.3 * k, 0.1 * k), turned(k, Vector3d(1.0, 2.0, 3.0)), 2.0, inertia);
        const Vector3d P(k - 0.5, 0.3 * k - 0.05, 0.1 * k + 0.05);
        bodies.point(b - 1, b, P);
        if (is_hinged) bodies.axis(b - 1, b, Vector3d(1.0, 1.0, 1.0).normalized());
    }
    return bodies.system(11);
}

/// A closed polygon of bodies in a plane with parallel hinges: three rows too many.
inline System ring(int count) {
    Bodies bodies;
    const auto corner = [&](int k) {
        const double angle = 2.0 * 3.141592653589793 * (k % count) / count;
        return Vector3d(count / 6.0 * std::cos(angle), count / 6.0 * std::sin(angle), 0.0);
    };
    for (int k = 0; k < count; ++k) {
        const Vector3d along = corner(k + 1) - corner(k);
        bodies.add(0.5 * (corner(k) + corner(k + 1)), turned(std::atan2(along[1], along[0])));
    }
    for (int k = 0; k < count; ++k) {
        const int before = (k + count - 1) % count;
        bodies.point(before, k, corner(k));
        bodies.axis(before, k, Vector3d::UnitZ());
    }
    return bodies.system(12);
}

}  // namespace ancora::testing
