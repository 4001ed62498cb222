// SPDX-License-Identifier: BSD-3-Clause
// The equation of Udwadia and Kalaba in closed forms, and its forces' defining properties.
#include "ancora/framework/udwadia_kalaba.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <doctest/doctest.h>

#include "ancora/framework/error.hpp"
#include "support/dense.hpp"
#include "support/near.hpp"

namespace by_eigen = ancora::testing::by_eigen;
using ancora::ConstrainedMotion;
using ancora::Error;
using ancora::ErrorKind;
using ancora::SolverPath;
using ancora::udwadia_kalaba;
using ancora::testing::tolerance;
using Eigen::Matrix2d;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

constexpr double kGravity = 9.81;  // m/s^2

/// |x - y| relative to the larger of |y| and `scale`.
double distance(const VectorXd& x, const VectorXd& y, double scale = 0.0) {
    return (x - y).norm() / std::max(y.norm(), scale);
}

/// A mass on the line x2 = k x1 with t = (1, k) along it and p = (k, -1) across: a force F moves it
/// by t (t . F) / (t . M t), and the line answers with -p (p . M^-1 F) / (p . M^-1 p).
struct Line {
    double k;
    Matrix2d M;
    Vector2d Q, C;

    ConstrainedMotion solve(SolverPath path) const {
        MatrixXd A(1, 2);
        A << k, -1.0;
        return udwadia_kalaba(M, A, VectorXd::Zero(1), Q, C, path);
    }
    Vector2d motion_under(const Vector2d& force) const {
        const Vector2d t(1.0, k);
        return t * (t.dot(force) / t.dot(M * t));
    }
    Vector2d answer_to(const Vector2d& force) const {
        const Vector2d p(k, -1.0);
        const Vector2d weighted = M.inverse() * p;
        return -p * (weighted.dot(force) / weighted.dot(p));
    }
};

std::string message_of(const MatrixXd& M,
                       const MatrixXd& A,
                       const VectorXd& b,
                       const VectorXd& Q,
                       const VectorXd& C,
                       ErrorKind kind,
                       SolverPath path = SolverPath::automatic) {
    try {
        udwadia_kalaba(M, A, b, Q, C, path);
    } catch (const Error& error) {
        CHECK(error.kind() == kind);
        return error.message();
    }
    return "nothing thrown";
}

class Random {
public:
    explicit Random(unsigned seed) : generator_(seed) {}
    double normal() { return normal_(generator_); }
    int below(int n) { return static_cast<int>(generator_() % static_cast<unsigned>(n)); }
    MatrixXd matrix(int rows, int cols) {
        MatrixXd out(rows, cols);
        for (int j = 0; j < cols; ++j)
            for (int i = 0; i < rows; ++i) out(i, j) = normal();
        return out;
    }
    VectorXd vector(int n) { return matrix(n, 1); }
    MatrixXd mass(int n) {
        const MatrixXd x = matrix(n, n);
        return MatrixXd(x * x.transpose()) + MatrixXd::Identity(n, n);
    }

private:
    std::mt19937 generator_;
    std::normal_distribution<double> normal_;
};

}  // namespace

TEST_SUITE("udwadia-kalaba") {
    // Udwadia, Kalaba, Fan 2005, eq. (32): unit mass on k x1 - x2 = 0, gravity along -x2,
    // C = (1, 2).
    TEST_CASE("line with a constant nonideal force: the published acceleration") {
        for (const double k : {-2.0, 0.0, 0.5, 3.0}) {
            CAPTURE(k);
            const Line line{k, Matrix2d::Identity(), Vector2d(0.0, -kGravity), Vector2d(1.0, 2.0)};
            const Vector2d exact = Vector2d(0.0, -kGravity) -
                                   kGravity / (k * k + 1.0) * Vector2d(k, -1.0) +
                                   (1.0 + 2.0 * k) / (k * k + 1.0) * Vector2d(1.0, k);
            for (const SolverPath path : {SolverPath::dense, SolverPath::sparse})
                CHECK(distance(line.solve(path).acceleration, exact) <= tolerance(1e-14));
        }
    }

    TEST_CASE("line: all forces in closed form, for equal, anisotropic and coupled masses") {
        Matrix2d equal = 2.5 * Matrix2d::Identity();
        Matrix2d anisotropic = Vector2d(0.3, 40.0).asDiagonal();
        Matrix2d coupled;
        coupled << 2.0, 0.7, 0.7, 5.0;
        for (const Matrix2d& M : {equal, anisotropic, coupled})
            for (const double k : {-1.5, 0.5, 4.0})
                for (const SolverPath path : {SolverPath::dense, SolverPath::sparse}) {
                    CAPTURE(M);
                    CAPTURE(k);
                    const Line line{k, M, M * Vector2d(0.0, -kGravity), Vector2d(1.0, 2.0)};
                    const ConstrainedMotion out = line.solve(path);
                    const Vector2d a_L = line.motion_under(line.Q);
                    const Vector2d a_C = line.motion_under(line.C);
                    CHECK(distance(out.acceleration, a_L + a_C) <= tolerance(1e-14));
                    CHECK(distance(out.F_L, line.answer_to(line.Q)) <= tolerance(1e-14));
                    CHECK(distance(out.F_C, M * a_C) <= tolerance(1e-14));
                    const Vector2d reaction = line.answer_to(line.Q + line.C);
                    CHECK(distance(out.reaction, reaction) <= tolerance(1e-14));
                    CHECK(distance(out.reaction, out.F_L + out.F_C - line.C, 1.0) <=
                          tolerance(1e-14));
                    CHECK(out.rank == 1);
                    CHECK(out.redundant_rows.empty());
                }
    }

    // F_C's last factor is M^-1/2 C; printed elsewhere as M^1/2 C, which agrees for M = 1 only.
    TEST_CASE("F_C is the published formula with C as a force, not with M^1/2 C") {
        MatrixXd A(1, 2);
        A << 0.5, -1.0;
        const Vector2d C(1.0, 2.0);
        const auto with_last_factor = [&](const Matrix2d& M, const Matrix2d& last) {
            const MatrixXd half = by_eigen::square_root(M);
            const MatrixXd B = A * half.inverse();
            return VectorXd(half * (MatrixXd::Identity(2, 2) - by_eigen::pseudo_inverse(B) * B) *
                            last * C);
        };
        const auto ours = [&](const Matrix2d& M) {
            return udwadia_kalaba(M, A, VectorXd::Zero(1), Vector2d::Zero(), C).F_C;
        };
        const Matrix2d one = Matrix2d::Identity();
        CHECK(distance(ours(one), with_last_factor(one, one)) <= tolerance(1e-14));

        for (const Matrix2d& M : {Matrix2d(4.0 * one), Matrix2d(Vector2d(1.0, 9.0).asDiagonal())}) {
            const VectorXd right = with_last_factor(M, by_eigen::square_root(M).inverse());
            const VectorXd misprinted = with_last_factor(M, by_eigen::square_root(M));
            CHECK(distance(ours(M), right) <= tolerance(1e-14));
            CHECK(distance(misprinted, right) > 0.5);
        }
    }

    // No impressed force; the constraints r = e x + l and m (x y' - y x') = L make the constraint
    // force -L^2 / (m l r^2) along the radius. On r = l / (1 - e cos s): s' = L / (m r^2),
    // r' = -e sin(s) L / (m l).
    TEST_CASE("inverse Kepler problem: the constraint force is Newton's law") {
        constexpr double m = 3.0, L = 2.0, l = 1.5;
        for (const double e : {0.0, 0.4, 0.9, 1.2})
            for (const double s : {0.9, 2.0, 3.1, 4.5}) {
                CAPTURE(e);
                CAPTURE(s);
                const double r = l / (1.0 - e * std::cos(s));
                const Vector2d radial(std::cos(s), std::sin(s));
                const Vector2d across(-radial[1], radial[0]);
                const double radial_rate = -e * std::sin(s) * L / (m * l);
                const Vector2d v = radial_rate * radial + L / (m * r) * across;
                const Vector2d x = r * radial;
                MatrixXd A(2, 2);
                A.row(0) = (radial - Vector2d(e, 0.0)).transpose();
                A.row(1) = m * Vector2d(-x[1], x[0]).transpose();
                const Vector2d b((radial_rate * radial_rate - v.squaredNorm()) / r, 0.0);
                const Vector2d zero = Vector2d::Zero();
                const ConstrainedMotion out =
                    udwadia_kalaba(m * Matrix2d::Identity(), A, b, zero, zero);
                const Vector2d exact = -L * L / (m * l * r * r) * radial;
                CHECK(distance(out.F_L, exact) <= tolerance(1e-13));
                CHECK(out.F_C.norm() == 0.0);
            }
    }

    TEST_CASE("forces do the work of C in every virtual displacement, and rows do none") {
        Random random(1);
        for (int trial = 0; trial < 50; ++trial) {
            const int n = 3 + random.below(10);
            const int m = 1 + random.below(n - 1);
            MatrixXd A = random.matrix(m + 2, n);
            A.row(m) = 2.0 * A.row(0);
            A.row(m + 1) = A.row(0) - 4.0 * A.row(m / 2);
            const VectorXd b = A * random.vector(n);
            const VectorXd C = random.vector(n);
            const SolverPath path = trial % 2 == 0 ? SolverPath::dense : SolverPath::sparse;
            const ConstrainedMotion out =
                udwadia_kalaba(random.mass(n), A, b, random.vector(n), C, path);
            CHECK(out.rank == m);
            const MatrixXd admissible = MatrixXd::Identity(n, n) - by_eigen::pseudo_inverse(A) * A;
            for (int k = 0; k < 5; ++k) {
                const VectorXd v = admissible * random.vector(n);
                const double scale = v.norm() * (out.F_L.norm() + out.F_C.norm() + C.norm());
                CHECK(std::abs(v.dot(out.F_L + out.F_C) - v.dot(C)) <= tolerance(1e-13) * scale);
                CHECK(std::abs(v.dot(out.reaction)) <= tolerance(1e-13) * scale);
            }
        }
    }

    TEST_CASE("rescaling rows changes no force and no weighted multiplier") {
        Random random(2);
        for (int trial = 0; trial < 40; ++trial) {
            const int n = 4 + random.below(6);
            MatrixXd A = random.matrix(5, n);
            A.row(3) = A.row(1);  // multipliers are shared between these
            A.row(4) = 2.0 * A.row(0);
            const VectorXd b = A * random.vector(n);
            VectorXd scale(5);
            for (double& s : scale) s = std::ldexp(1.0, random.below(41) - 20);
            const MatrixXd M = random.mass(n);
            const VectorXd Q = random.vector(n);
            const VectorXd C = random.vector(n);
            for (const SolverPath path : {SolverPath::dense, SolverPath::sparse}) {
                const ConstrainedMotion one = udwadia_kalaba(M, A, b, Q, C, path);
                const ConstrainedMotion other =
                    udwadia_kalaba(M, scale.asDiagonal() * A, scale.cwiseProduct(b), Q, C, path);
                CHECK(distance(other.acceleration, one.acceleration) <= tolerance(1e-12));
                CHECK(distance(other.F_L, one.F_L) <= tolerance(1e-12));
                CHECK(distance(other.F_C, one.F_C) <= tolerance(1e-12));
                CHECK(distance(scale.cwiseProduct(other.lambda_L), one.lambda_L) <=
                      tolerance(1e-11));
                CHECK(distance(scale.cwiseProduct(other.lambda_C), one.lambda_C) <=
                      tolerance(1e-11));
                CHECK(other.redundant_rows == std::vector<int>{3, 4});
                CHECK(other.nonunique_rows == std::vector<int>{0, 1, 3, 4});
            }
        }
    }

    // A free rigid body in unit quaternions, M = 4 E^T J E of rank 3 in the quaternion's four
    // coordinates (J: body axes, w = 2 E q'): with T = w . J w / 2 Lagrange's equations are
    // M q'' = -4 E'^T J w + lambda q and q . q'' = -q' . q'. Exact: J w' = -w x J w.
    TEST_CASE("singular mass matrix: quaternion accelerations are Euler's equations") {
        Random random(3);
        const Matrix3d J = Vector3d(1.0, 2.5, 4.0).asDiagonal();
        const auto E_of = [](const Eigen::Vector4d& q) {
            Eigen::Matrix<double, 3, 4> E;
            E << -q[1], q[0], q[3], -q[2], -q[2], -q[3], q[0], q[1], -q[3], q[2], -q[1], q[0];
            return E;
        };
        for (int trial = 0; trial < 20; ++trial) {
            const Eigen::Vector4d q = Eigen::Vector4d(random.vector(4)).normalized();
            const Vector3d w = random.vector(3);
            const auto E = E_of(q);
            const Eigen::Vector4d q_rate = 0.5 * E.transpose() * w;
            const auto E_rate = E_of(q_rate);
            const MatrixXd M = 4.0 * E.transpose() * J * E;
            const VectorXd Q = -4.0 * E_rate.transpose() * (J * w);
            const VectorXd b = VectorXd::Constant(1, -q_rate.squaredNorm());
            for (const SolverPath path : {SolverPath::dense, SolverPath::sparse}) {
                const VectorXd a =
                    udwadia_kalaba(M, q.transpose(), b, Q, VectorXd::Zero(4), path).acceleration;
                const Vector3d exact = J.inverse() * -w.cross(J * w);
                CHECK(distance(2.0 * E * a, exact, w.squaredNorm()) <= tolerance(1e-13));
            }
        }
    }

    // x1 has no mass and follows x0 through x1 = 2 x0; M a = Q + A^T lambda by hand.
    TEST_CASE("a coordinate without mass that a row ties to another") {
        const MatrixXd M = Vector2d(3.0, 0.0).asDiagonal();
        MatrixXd A(1, 2);
        A << 2.0, -1.0;
        for (const SolverPath path : {SolverPath::dense, SolverPath::sparse}) {
            const ConstrainedMotion out = udwadia_kalaba(
                M, A, VectorXd::Zero(1), Vector2d(1.0, 4.0), Vector2d(0.0, 6.0), path);
            CHECK(distance(out.acceleration, Vector2d(7.0, 14.0)) <= tolerance(1e-14));
            CHECK(distance(out.F_L, Vector2d(8.0, -4.0)) <= tolerance(1e-14));
            CHECK(distance(out.F_C, Vector2d(12.0, 0.0)) <= tolerance(1e-14));
            CHECK(distance(out.reaction, Vector2d(20.0, -10.0)) <= tolerance(1e-14));
        }
    }

    TEST_CASE("an acceleration that nothing determines is an error that names a coordinate") {
        MatrixXd M = Vector3d(1.0, 2.0, 0.0).asDiagonal();
        MatrixXd A(1, 3);
        A << 1.0, 1.0, 0.0;
        const VectorXd zero = Vector3d::Zero();
        const VectorXd b = VectorXd::Zero(1);
        const std::string nothing_on_2 =
            "the acceleration is not unique: neither mass nor a constraint acts on a direction in "
            "which coordinate 2 (counted from 0) takes part most; give it a mass or a constraint";
        CHECK(message_of(M, A, b, zero, zero, ErrorKind::numerical) == nothing_on_2);
        // coupled: M and A leave (1, 1, -3) free
        Matrix3d T;
        T << 1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, -3.0;
        const Matrix3d S = T.inverse();
        M = S.transpose() * M * S;
        A = A * S;
        for (const SolverPath path : {SolverPath::dense, SolverPath::sparse})
            CHECK(message_of(M, A, b, zero, zero, ErrorKind::numerical, path) == nothing_on_2);
    }

    TEST_CASE("rows that contradict each other are an error that names one and its partners") {
        MatrixXd A(3, 3);
        A << 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 2.0, 2.0;
        const MatrixXd M = Matrix3d::Identity();
        const VectorXd zero = Vector3d::Zero();
        for (const SolverPath path : {SolverPath::dense, SolverPath::sparse}) {
            CHECK_NOTHROW(udwadia_kalaba(M, A, Vector3d(1.0, 2.0, 4.0), zero, zero, path));
            // With s = a_1 + a_2 and D = (2, 8) the best a makes (s - 1)^2 / 2 + (2 s - 3)^2 / 8
            // least: s = 1.25 and |a| = s / sqrt 2, the most that row 1 can see of it is again s.
            // So row 1 misses 0.25 of 1 + 1.25 (0.111), row 2 misses 0.5 of 3 + 2.5 (0.091).
            CHECK(
                message_of(M, A, Vector3d(1.0, 1.0, 3.0), zero, zero, ErrorKind::numerical, path) ==
                "rows of A a = b contradict each other: the best a misses row 1 (counted from 0) "
                "by 0.11 of its terms; rows that depend on each other: 1, 2");
            A.row(2).setZero();
            CHECK(
                message_of(M, A, Vector3d(1.0, 1.0, 3.0), zero, zero, ErrorKind::numerical, path) ==
                "rows of A a = b contradict each other: the best a misses row 2 (counted from 0) "
                "by 1 of its terms");
            A.row(2) << 0.0, 2.0, 2.0;
        }
    }

    TEST_CASE("arguments that do not fit are refused") {
        const MatrixXd M = Matrix2d::Identity();
        const MatrixXd A = MatrixXd::Ones(1, 2);
        const VectorXd one = VectorXd::Zero(1);
        const VectorXd two = VectorXd::Zero(2);
        const auto refused = [](auto&&... arguments) {
            return message_of(arguments..., ErrorKind::usage);
        };
        CHECK(refused(MatrixXd::Ones(2, 3), A, one, two, two) ==
              "the mass matrix is 2 x 3; give a square one");
        CHECK(refused(M, MatrixXd::Ones(1, 3), one, two, two) ==
              "A is 1 x 3 but M is 2 x 2; write one column per coordinate");
        CHECK(refused(M, A, two, two, two) == "b has 2 entries where 1 are needed");
        CHECK(refused(M, A, one, one, two) == "Q has 1 entries where 2 are needed");
        CHECK(refused(M, A, one, two, one) == "C has 1 entries where 2 are needed");
        VectorXd bad = two;
        bad[1] = std::numeric_limits<double>::quiet_NaN();
        CHECK(refused(M, A, one, bad, two) == "Q(1) is not a finite number");
        MatrixXd infinite = A;
        infinite(0, 1) = std::numeric_limits<double>::infinity();
        CHECK(refused(M, infinite, one, two, two) == "A(0, 1) is not a finite number");
        MatrixXd skew = M;
        skew(1, 0) = 0.5;
        CHECK(refused(skew, A, one, two, two) ==
              "M(1, 0) = 0.5 but M(0, 1) = 0; give a symmetric mass matrix");
        MatrixXd negative = M;
        negative(1, 1) = -1.0;
        CHECK(message_of(negative, A, one, two, two, ErrorKind::numerical) ==
              "the mass matrix is not positive semidefinite; check signs and units of its entries");
    }

    TEST_CASE("without constraints the motion is M a = Q + C") {
        Random random(4);
        const MatrixXd M = random.mass(5);
        const VectorXd Q = random.vector(5);
        const VectorXd C = random.vector(5);
        const ConstrainedMotion out =
            udwadia_kalaba(M, MatrixXd::Zero(0, 5), VectorXd::Zero(0), Q, C);
        CHECK(distance(M * out.acceleration, Q + C) <= tolerance(1e-13));
        CHECK(out.F_L.norm() == 0.0);
        CHECK(out.F_C == C);
        CHECK(out.reaction.norm() == 0.0);
        CHECK(out.rank == 0);
    }
}
