// SPDX-License-Identifier: BSD-3-Clause
// The rigid body in absolute nodal coordinates against identities and closed forms.
#include "ancf_rigid_body.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <memory>
#include <numbers>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <doctest/doctest.h>

#include "ancora/sdk/helpers/rigid_body.hpp"
#include "attitude.hpp"
#include "relaxed_start.hpp"
#include "support/dense.hpp"
#include "support/rigid_body.hpp"

namespace {

using ancora::Body;
using ancora::Locator;
using ancora::Mat3;
using ancora::Pose;
using ancora::RowBlock;
using ancora::RowKind;
using ancora::Vec3;
using ancora::test::FakeArguments;
using namespace ancora::testing;
using State = StateOf<12>;
using Random = RandomOf<12>;

constexpr double kInf = std::numeric_limits<double>::infinity();

FakeArguments box_arguments(double penalty) {
    return ancora::testing::box_arguments().set("penalty", penalty);
}
State start(const Body& body) {
    return start_of<12>(body);
}
Mat3 rotation(const Pose& pose) {
    const auto& p = pose.quaternion;
    return Eigen::Quaterniond(p[0], p[1], p[2], p[3]).toRotationMatrix();
}

struct DenseMass final : ancora::MassSink {
    Matrix M = Matrix::Zero(12, 12);
    void add(int i, int j, double value) override {
        M(i, j) += value;
        if (i != j) M(j, i) += value;
    }
};
Matrix mass(const Body& body) {
    DenseMass sink;
    body.mass(sink);
    return sink.M;
}

struct DenseAttachment final : ancora::AttachmentSink {
    Matrix W = Matrix::Zero(3, 12);
    Vec3 c = Vec3::Zero();
    void weight(int component, int coordinate, double weight) override {
        W(component, coordinate) += weight;
    }
    void constant(int component, double value) override { c(component) = value; }
    void nonlinear(int, std::span<const std::int32_t>) override { FAIL("nonlinear"); }
};
Matrix attachment(const Body& body, const Vec3& xyz, bool is_direction = false) {
    Locator where;
    where.is_direction = is_direction;
    where.xyz = {xyz(0), xyz(1), xyz(2)};
    DenseAttachment sink;
    body.attach(where, sink);
    CHECK(sink.c.isZero(0.0));
    return sink.W;
}

// Angular momentum about the origin as the kernel finds it: sum of z x (M v) over all vectors z.
Vec3 angular_momentum(const Body& body, const State& state) {
    const Vector p = mass(body) * state.v;
    Matrix z = Matrix::Zero(3, 4);
    Matrix pz = Matrix::Zero(3, 4);
    for (int i = 0; i < 12; ++i) {
        const ancora::Coordinate& c = body.coordinates()[i];
        z(c.axis, c.vector) = state.q(i);
        pz(c.axis, c.vector) = p(i);
    }
    Vec3 L = Vec3::Zero();
    for (int k = 0; k < 4; ++k) L += Vec3(z.col(k)).cross(Vec3(pz.col(k)));
    return L;
}

// Rows of one block: pi, A on all twelve coordinates, b.
struct Rows {
    Vector pi, b;
    Matrix A;
};
Rows rows(const Body& body, int block, const State& state) {
    const RowBlock& info = body.row_blocks()[block];
    const int m = info.rows_per_item;
    Rows out{Vector::Constant(m, NAN), Vector::Constant(m, NAN), Matrix::Zero(m, 12)};
    Vector pi_t = Vector::Constant(m, NAN);
    RowMajor A = RowMajor::Constant(m, info.scalars_per_item, NAN);
    const std::span<double> entries(A.data(), static_cast<std::size_t>(A.size()));
    body.evaluate(block,
                  {view(state.q), view(state.v), 0.0},
                  {view(out.pi), entries, view(pi_t), view(out.b)});
    CHECK(pi_t.isZero(0.0));
    for (int j = 0; j < info.scalars_per_item; ++j) out.A.col(info.stencil[j]) = A.col(j);
    return out;
}

// Motion of the free body's own twelve coordinates, M q'' = -A^T pi / c, by classical Runge-Kutta.
class FreeMotion {
public:
    explicit FreeMotion(const Body& body)
        : body_(body),
          inverse_mass_(mass(body).diagonal().cwiseInverse()),
          compliance_(body.row_blocks()[0].laws[0].compliance),
          state_(start(body)) {}

    void step(double h) {
        state_ = runge_kutta_step(state_, h, [this](const State& s) {
            return acceleration(s);
        });
    }
    const State& state() const { return state_; }

private:
    Vector acceleration(const State& s) const {
        double pi[6];
        double A[54];
        body_.evaluate(0, {view(s.q), {}, 0.0}, {pi, A, {}, {}});
        Vector a = Vector::Zero(12);
        for (int k = 0; k < 6; ++k)
            for (int j = 0; j < 9; ++j) a(3 + j) -= A[9 * k + j] * pi[k] / compliance_;
        return a.cwiseProduct(inverse_mass_);
    }

    const Body& body_;
    Vector inverse_mass_;
    double compliance_;
    State state_;
};

}  // namespace

TEST_SUITE("ancf_rigid_body") {
    TEST_CASE("mass of a box is M, M a^2 / 12 on the diagonal and nothing else") {
        const auto body = make(box_arguments());
        Vector expected(12);
        expected << Vector::Constant(3, 16200.0), Vector::Constant(3, 12150.0),
            Vector::Constant(3, 5400.0), Vector::Constant(3, 1350.0);
        CHECK(gap(mass(*body), Matrix(expected.asDiagonal())) < 1e-11);
    }

    TEST_CASE("a box and diagonal moments keep the body axes exactly, in their order") {
        FakeArguments lump = schema();
        lump.set("mass", 2.0).set("inertia", {3.0, 1.0, 2.5});
        for (const auto& body : {make(box_arguments()), make(lump)})
            CHECK(start(*body).q.tail(9) ==
                  Eigen::Map<const Vector>(Mat3(Mat3::Identity()).data(), 9));
        CHECK(mass(*make(lump)).diagonal()(3) == 0.25);
        CHECK(mass(*make(lump)).diagonal()(6) == 2.25);
        CHECK(mass(*make(lump)).diagonal()(9) == 0.75);
    }

    TEST_CASE("principal axes of a nearly diagonal tensor keep its order and turn little") {
        Mat3 J = Vec3(3.0, 1.0, 2.5).asDiagonal();
        J(0, 1) = J(1, 0) = 1e-4;
        J(1, 2) = J(2, 1) = -2e-4;
        const Mat3 J_0 = J;
        const Mat3 R = ancora::rigid::diagonalise(J);
        CHECK(gap(R, Mat3::Identity()) < 5e-4);
        CHECK(near(R.determinant(), 1.0, 1e-15));
        CHECK(gap(R * J.diagonal().asDiagonal() * R.transpose(), J_0) < 2e-15);
    }

    // T = 1/2 M v_c^2 + 1/2 w.J w and L = M x_c x v_c + R J w of a rigid body, for any tensor,
    // reference point and attitude: Euler.
    TEST_CASE("kinetic energy, momentum and angular momentum are those of the rigid body") {
        Random random;
        for (int k = 0; k < 20; ++k) {
            double M = 0.0;
            Mat3 J;
            const FakeArguments arguments = random_body(random, M, J);
            const auto body = make(arguments);
            const State s = start(*body);

            const auto p = arguments.numbers("orientation");
            const Mat3 R = Eigen::Quaterniond(p[0], p[1], p[2], p[3]).toRotationMatrix();
            const Vec3 w = ancora::vec3(arguments.numbers("angular_velocity"));
            const Vec3 c = ancora::vec3(arguments.numbers("center_of_mass"));
            const Vec3 x = ancora::vec3(arguments.numbers("position")) + R * c;
            const Vec3 v = ancora::vec3(arguments.numbers("velocity")) + R * w.cross(c);

            const double T = 0.5 * M * v.squaredNorm() + 0.5 * w.dot(J * w);
            CHECK(near(0.5 * s.v.dot(mass(*body) * s.v), T, 1e-13 * T));
            CHECK(gap((mass(*body) * s.v).head(3), M * v) < 1e-13 * M);
            const Vec3 L = M * x.cross(v) + R * J * w;
            CHECK(gap(angular_momentum(*body, s), L) < 1e-13 * M);
            CHECK(rows(*body, 0, s).pi.cwiseAbs().maxCoeff() < 2e-15);
            CHECK((rows(*body, 0, s).A * s.v).cwiseAbs().maxCoeff() < 1e-14);
        }
    }

    TEST_CASE("points, velocities and directions are those of the user's axes") {
        Random random;
        double M = 0.0;
        Mat3 J;
        const FakeArguments arguments = random_body(random, M, J);
        const auto body = make(arguments);
        const State s = start(*body);
        const auto p = arguments.numbers("orientation");
        const Mat3 R = Eigen::Quaterniond(p[0], p[1], p[2], p[3]).toRotationMatrix();
        const Vec3 w = ancora::vec3(arguments.numbers("angular_velocity"));
        for (int k = 0; k < 5; ++k) {
            const Vec3 point = k == 0 ? Vec3(Vec3::Zero()) : random.vector();
            const Vec3 r = ancora::vec3(arguments.numbers("position")) + R * point;
            const Vec3 v = ancora::vec3(arguments.numbers("velocity")) + R * w.cross(point);
            CHECK(gap(attachment(*body, point) * s.q, r) < 1e-14);
            CHECK(gap(attachment(*body, point) * s.v, v) < 1e-14);
            const Vec3 d = random.vector();
            CHECK(gap(attachment(*body, d, true) * s.q, R * d) < 1e-14);
        }
        // Centre of mass: x alone
        const Matrix W = attachment(*body, ancora::vec3(arguments.numbers("center_of_mass")));
        CHECK(W.leftCols(3).isIdentity(0.0));
        CHECK(W.rightCols(9).isZero(0.0));
    }

    TEST_CASE("pose returns the start, for any attitude up to half a turn and beyond") {
        Random random;
        for (int k = 0; k < 200; ++k) {
            double M = 0.0;
            Mat3 J;
            FakeArguments arguments = random_body(random, M, J);
            if (k % 2 == 1) turn_by_half(arguments, k, random);
            const auto body = make(arguments);
            const Pose out = pose(*body, start(*body));

            Mat3 R;
            if (k % 2 == 1) {
                const auto& table = arguments.table("orientation");
                const Vec3 axis = ancora::vec3(table.numbers("axis"));
                R = Eigen::AngleAxisd(table.number("angle"), axis.normalized());
            } else {
                const auto p = arguments.numbers("orientation");
                R = Eigen::Quaterniond(p[0], p[1], p[2], p[3]).toRotationMatrix();
            }
            CHECK(gap(rotation(out), R) < 3e-15);
            CHECK(out.quaternion[0] >= 0.0);
            CHECK(gap(ancora::vec3(out.position), ancora::vec3(arguments.numbers("position"))) <
                  2e-15);
            CHECK(gap(ancora::vec3(out.velocity), ancora::vec3(arguments.numbers("velocity"))) <
                  5e-15);
            CHECK(gap(ancora::vec3(out.angular_velocity),
                      ancora::vec3(arguments.numbers("angular_velocity"))) < 5e-15);
        }
    }

    // Reference: U = sqrt(F^T F) by eigenvalues, R = F U^-1.
    TEST_CASE("polar decomposition is exact from strains of 1e-9 to 0.5") {
        Random random;
        for (const double strain : {0.0, 1e-9, 1e-6, 1e-3, 0.1, 0.5}) {
            for (int k = 0; k < 20; ++k) {
                const Mat3 X = random.matrix();
                const Mat3 E = strain / 3.0 * (X + X.transpose()) / 2.0;
                const Mat3 C = Mat3::Identity() + 2.0 * E;
                const Mat3 U = by_eigen::square_root(C);
                const Mat3 R = random.quaternion().toRotationMatrix();
                const auto polar = ancora::ancf::polar_decomposition(R * U);
                CHECK(gap(polar.R, R) < 2e-15);
                CHECK(gap(polar.U, U) < 2e-15);
                CHECK(gap(polar.R.transpose() * polar.R, Mat3::Identity()) < 1e-15);
            }
        }
    }

    TEST_CASE("a frame that is turned inside out has no attitude") {
        const auto body = make(box_arguments());
        State s = start(*body);
        s.q.tail(3) *= -1.0;
        CHECK_THROWS_WITH_AS(pose(*body, s),
                             "the base vectors are no right-handed frame any more: the body was "
                             "pressed flat or turned inside out; use a larger \"penalty\" or a "
                             "shorter step",
                             std::domain_error);
    }

    TEST_CASE("angular velocity is that of the polar rotation, however the frame is strained") {
        Random random;
        for (const double strain : {1e-3, 0.1, 0.4}) {
            for (int k = 0; k < 10; ++k) {
                const Mat3 F = random.quaternion().toRotationMatrix() *
                               (Mat3::Identity() + strain / 2.0 * random.matrix());
                const Mat3 dF = random.matrix();
                const auto at = [&](double t) {
                    return ancora::ancf::polar_decomposition(F + t * dF).R;
                };
                // w^ = R^T dR/dt by central differences, extrapolated once: error of order t^4
                const double t = 1e-3;
                const Mat3 dR = (8.0 * (at(t) - at(-t)) - (at(2 * t) - at(-2 * t))) / (12.0 * t);
                const Mat3 W = at(0.0).transpose() * dR;
                const auto polar = ancora::ancf::polar_decomposition(F);
                const Vec3 w = ancora::ancf::angular_velocity(polar, dF);
                CHECK(gap(ancora::skew(w), W) < 1e-9);
            }
        }
    }

    TEST_CASE("A is the derivative of the strains, b the bias of their second derivative") {
        Random random;
        const auto body = make(box_arguments());
        const State s = random.state();
        const Rows at = rows(*body, 0, s);

        // Differences of a quadratic are exact for every width
        for (int j = 0; j < 12; ++j) {
            State up = s, down = s;
            up.q(j) += 0.5;
            down.q(j) -= 0.5;
            CHECK(gap(at.A.col(j), rows(*body, 0, up).pi - rows(*body, 0, down).pi) < 1e-15);
        }
        // pi(q + v t + a t^2 / 2) is of fourth degree in t: pi'' = A a - b
        const Vector a = random.state().q;
        const auto pi = [&](double t) {
            return rows(*body, 0, {s.q + t * s.v + 0.5 * t * t * a, s.v}).pi;
        };
        const double t = 0.1;
        const Vector second =
            (16.0 * (pi(t) + pi(-t)) - (pi(2 * t) + pi(-2 * t)) - 30.0 * pi(0.0)) / (12.0 * t * t);
        CHECK(gap(second, at.A * a - at.b) < 1e-12);
    }

    TEST_CASE("strains have their names: halves of squares, then 12, 23, 31") {
        const auto body = make(box_arguments());
        State s = start(*body);
        s.q.segment(3, 3) = Vec3(2.0, 0.0, 0.0);
        s.q.segment(6, 3) = Vec3(0.1, 1.0, 0.0);
        s.q.segment(9, 3) = Vec3(0.3, 0.2, 1.0);
        Vector expected(6);
        expected << 1.5, 0.005, 0.065, 0.2, 0.23, 0.6;
        CHECK(gap(rows(*body, 0, s).pi, expected) < 1e-15);
    }

    TEST_CASE("the discrete Jacobian gives the increment of the strains exactly") {
        Random random;
        const auto body = make(box_arguments());
        for (int k = 0; k < 20; ++k) {
            const State s0 = random.state(), s1 = random.state();
            const Vector du = s1.q - s0.q, mid = s0.q + 0.5 * du;
            RowMajor B = RowMajor::Constant(6, 9, NAN);
            const std::span<double> entries(B.data(), 54);
            body->evaluate_step(0,
                                {view(s0.q), view(du), view(mid), view(s1.q), {}, 0.0, 0.1, {}, {}},
                                {entries, {}, {}, {}});
            CHECK(gap(B * du.tail(9), rows(*body, 0, s1).pi - rows(*body, 0, s0).pi) < 5e-15);
        }
    }

    TEST_CASE("the tangent is the derivative of A^T s; its positive part is the nearest one") {
        Random random;
        const auto body = make(box_arguments());
        for (int k = 0; k < 50; ++k) {
            const Vector s = random.state().q.head(6) * std::pow(10.0, k % 12);
            const Vector zero = Vector::Zero(12);
            Mat3 K, K_plus;
            body->evaluate_tangent(
                0, {.mid = view(zero), .s = view(s), .positive_part = false}, {K.data(), 9});
            body->evaluate_tangent(
                0, {.mid = view(zero), .s = view(s), .positive_part = true}, {K_plus.data(), 9});
            const State at = random.state(), to = random.state();
            const Vector change = (rows(*body, 0, to).A - rows(*body, 0, at).A).transpose() * s;
            const Mat3 dE =
                Eigen::Map<const Mat3>(to.q.data() + 3) - Eigen::Map<const Mat3>(at.q.data() + 3);
            const double scale = s.cwiseAbs().maxCoeff();
            CHECK(gap(Eigen::Map<const Mat3>(change.data() + 3), dE * K) < 1e-14 * scale);

            // Nearest semidefinite matrix: K_plus - K is semidefinite too, and K_plus (K_plus - K)
            // = 0
            const auto least = [](const Mat3& X) {
                return by_eigen::symmetric_eigenvalues(X)[0];
            };
            CHECK(least(K_plus) > -1e-14 * scale);
            CHECK(least(K_plus - K) > -1e-7 * scale);
            CHECK(gap(K_plus * (K_plus - K), Mat3::Zero()) < 1e-7 * scale * scale);
        }
    }

    TEST_CASE("a finite penalty is an elastic law with compliance 1 / (V alpha)") {
        CHECK(make(box_arguments())->row_blocks()[0].laws[0].kind == RowKind::constraint);
        const auto law = make(box_arguments(1e9))->row_blocks()[0].laws[0];
        CHECK(law.kind == RowKind::elastic);
        CHECK(near(law.compliance, 1.0 / 6e9, 1e-25));

        // The same box by mass and inertia has the same volume; a given volume replaces it
        FakeArguments lump = schema();
        lump.set("mass", 16200.0).set("inertia", {6750.0, 13500.0, 17550.0}).set("penalty", 1e9);
        CHECK(near(make(lump)->row_blocks()[0].laws[0].compliance, 1.0 / 6e9, 1e-24));
        lump.set("volume", 3.0);
        CHECK(near(make(lump)->row_blocks()[0].laws[0].compliance, 1.0 / 3e9, 1e-24));
    }

    TEST_CASE("reach of a director is the half edge of the box") {
        const auto body = make(box_arguments());
        const auto c = body->coordinates();
        CHECK(c.size() == 12);
        for (int i = 0; i < 12; ++i) {
            const auto& at = c[i];
            CHECK(at.vector == i / 3);
            CHECK(at.axis == i % 3);
            CHECK(at.translates == (i < 3));
            CHECK(at.reach == (Vector(4) << 1.0, 1.5, 1.0, 0.5).finished()(i / 3));
        }
    }

    TEST_CASE("a plate has one massless director and the dynamics of its tensor") {
        FakeArguments arguments = schema();
        arguments.set("mass", 6.0).set("inertia", {2.0, 4.5, 6.5});
        arguments.set("angular_velocity", {0.3, 0.5, 0.8});
        const auto body = make(arguments);
        const State s = start(*body);
        CHECK(mass(*body).diagonal()(9) == 0.0);
        CHECK(body->row_blocks().size() == 1);
        CHECK(near(0.5 * s.v.dot(mass(*body) * s.v), 0.5 * (0.18 + 1.125 + 4.16), 1e-15));
        CHECK(body->coordinates()[9].reach == 1.5);

        // The same plate in oblique axes: rounding does not give the third director a mass
        Random random;
        for (int k = 0; k < 20; ++k) {
            const Mat3 R = random.quaternion().toRotationMatrix();
            const Mat3 J = R * Vec3(2.0, 4.5, 6.5).asDiagonal() * R.transpose();
            arguments.set_matrix("inertia", 3, list(J));
            Vector m = mass(*make(arguments)).diagonal();
            std::sort(m.data(), m.data() + 12);
            CHECK(m(0) == 0.0);
            CHECK(near(m(3), 2.0, 1e-14));
        }
    }

    TEST_CASE("a rod carries its frame without spin about its axis") {
        for (int axis = 0; axis < 3; ++axis) {
            Vec3 J = Vec3::Constant(2.0);
            J(axis) = 0.0;
            Vec3 w(0.3, 0.5, 0.8);
            w(axis) = 0.0;
            FakeArguments arguments = schema();
            arguments.set("mass", 1.0).set("inertia", list(J)).set("angular_velocity", list(w));
            const auto body = make(arguments);
            CHECK(body->row_blocks().size() == 2);
            CHECK(body->row_blocks()[1].laws[0].kind == RowKind::gauge);
            CHECK(body->row_blocks()[1].rows_per_item == 1);
            CHECK(near((rows(*body, 1, start(*body)).A * start(*body).v)(0), 0.0, 1e-16));

            // A u' is twice the spin about the axis of a rigid motion, whatever the attitude
            Random random;
            const Mat3 R = random.quaternion().toRotationMatrix();
            const Vec3 spin = random.vector();
            State s;
            Eigen::Map<Mat3>(s.q.data() + 3) = R;
            Eigen::Map<Mat3>(s.v.data() + 3) = R * ancora::skew(spin);
            const Rows row = rows(*body, 1, s);
            CHECK(near((row.A * s.v)(0), spin(axis), 1e-15));
            CHECK(row.pi(0) == 0.0);

            // Along any motion d(A u')/dt = A u'' - b
            const Vector a = random.state().q;
            const double t = 1e-4;
            const State up{s.q + t * s.v + 0.5 * t * t * a, s.v + t * a};
            const State down{s.q - t * s.v + 0.5 * t * t * a, s.v - t * a};
            const double rate =
                ((rows(*body, 1, up).A * up.v)(0) - (rows(*body, 1, down).A * down.v)(0)) /
                (2.0 * t);
            CHECK(near(rate, (row.A * a)(0) - row.b(0), 1e-7));

            // All motions that the rows leave free have mass
            Matrix full(19, 12);
            full << mass(*body), rows(*body, 0, s).A, row.A;
            CHECK(by_eigen::rank_of(full) == 12);
        }
    }

    // Held in place by m_i w^2 e_i = V alpha eps_i e_i; what drift there is falls like h^4 and is
    // that of the Runge-Kutta method.
    TEST_CASE("relaxed spin about a principal axis is a steady motion, even of a soft body") {
        for (const double penalty : {1e5, 1e9}) {
            FakeArguments arguments = box_arguments(penalty);
            arguments.set("angular_velocity", {0.0, 0.0, 0.8}).set("start", "relaxed");
            const auto body = make(arguments);
            FreeMotion motion(*body);
            const Vector pi_0 = rows(*body, 0, motion.state()).pi;
            const double h = penalty > 1e6 ? 5e-5 : 5e-4;
            double drift = 0.0;
            for (int k = 0; k < 2000; ++k) {
                motion.step(h);
                drift = std::max(drift, gap(rows(*body, 0, motion.state()).pi, pi_0));
            }
            CHECK(pi_0.cwiseAbs().maxCoeff() > 0.9 * 12150.0 * 0.64 / (6.0 * penalty));
            CHECK(drift < 5e-13);
        }
    }

    TEST_CASE("a relaxed start has the attitude and angular momentum of the rigid body") {
        Random random;
        for (int k = 0; k < 10; ++k) {
            double M = 0.0;
            Mat3 J;
            FakeArguments arguments = random_body(random, M, J);
            arguments.set("penalty", 1e4);
            const auto rigid = make(arguments);
            const auto relaxed = make(arguments.set("start", "relaxed"));
            const State s0 = start(*rigid), s1 = start(*relaxed);
            CHECK(gap(angular_momentum(*rigid, s0), angular_momentum(*relaxed, s1)) < 1e-13 * M);
            CHECK(gap(rotation(pose(*rigid, s0)), rotation(pose(*relaxed, s1))) < 5e-15);
            CHECK(gap(s0.q, s1.q) > 1e-7);
        }
        FakeArguments exact = box_arguments();
        CHECK(start(*make(exact)).q == start(*make(exact.set("start", "relaxed"))).q);
    }

    // Free motion of the penalty body; the smooth angular velocity R J^-1 R^T L is the reference.
    TEST_CASE("a relaxed start does not ring: chatter of angular velocity and strain falls") {
        const Vec3 J(6750.0, 13500.0, 17550.0);
        Vec3 chatter[2];
        double strain_rate[2] = {0.0, 0.0};
        for (int k = 0; k < 2; ++k) {
            FakeArguments arguments = box_arguments(1e9);
            arguments.set("start", k == 0 ? "unstrained" : "relaxed");
            const auto body = make(arguments);
            FreeMotion motion(*body);
            const Vec3 L = angular_momentum(*body, motion.state());
            chatter[k].setZero();
            for (int n = 0; n < 10000; ++n) {
                motion.step(1e-4);
                const Pose at = pose(*body, motion.state());
                const Vec3 smooth = J.cwiseInverse().asDiagonal() * (rotation(at).transpose() * L);
                const Vec3 w = ancora::vec3(at.angular_velocity);
                chatter[k] = chatter[k].cwiseMax((w - smooth).cwiseAbs());
                const Vector rate = rows(*body, 0, motion.state()).A * motion.state().v;
                strain_rate[k] = std::max(strain_rate[k], rate.cwiseAbs().maxCoeff());
            }
            // Euler's top in Jacobi elliptic functions at t = 1 s; a penalty errs by order 1 /
            // alpha
            const Vec3 exact(0.035348449362781, 0.606905250296010, 0.763615519811942);
            const Vec3 w = ancora::vec3(pose(*body, motion.state()).angular_velocity);
            MESSAGE("start " << k << ": chatter " << chatter[k].transpose()
                             << " rad/s, strain rate " << strain_rate[k] << " 1/s, error at 1 s "
                             << gap(w, exact));
            CHECK(gap(w, exact) < (k == 0 ? 2e-3 : 3e-5));
            CHECK(gap(angular_momentum(*body, motion.state()), L) < 1e-7);
        }
        CHECK(chatter[0].maxCoeff() > 20.0 * chatter[1].maxCoeff());
        CHECK(strain_rate[0] > 20.0 * strain_rate[1]);
    }

    TEST_CASE("relaxed start of a plate and of a rod strains only what has mass") {
        const auto plate = ancora::ancf::relaxed_spin({4.5, 2.0, 0.0}, 1e4, {0.3, 0.5, 0.8});
        REQUIRE(plate);
        CHECK(gap(plate->U.col(2), Vec3::Unit(2)) < 1e-15);
        CHECK(plate->U(0, 1) != 0.0);
        // m w^2 = V alpha eps, eps = (U_11^2 - 1) / 2; m U_11^2 w = m w_0
        const auto rod = ancora::ancf::relaxed_spin({2.0, 0.0, 0.0}, 1e4, {0.0, 0.0, 3.0});
        REQUIRE(rod);
        const double square = rod->U(0, 0) * rod->U(0, 0);
        CHECK(near(rod->w(2), 3.0 / square, 1e-14));
        CHECK(near(0.5 * (square - 1.0), 2.0 * rod->w(2) * rod->w(2) / 1e4, 1e-14));
        CHECK(gap(Mat3(rod->U.bottomRightCorner(2, 2).eval().norm() * Mat3::Identity()),
                  std::sqrt(2.0) * Mat3::Identity()) < 1e-15);
    }

    TEST_CASE("what is no rigid body is refused with the reason") {
        const auto lump = [](std::vector<double> J) {
            FakeArguments arguments = schema();
            arguments.set("mass", 1.0).set("inertia", std::move(J));
            return arguments;
        };
        const std::string choice =
            "; give either \"size\" with \"density\" or \"mass\" (a box), or \"mass\" and "
            "\"inertia\", "
            "or the ends \"from\" and \"to\" of a rod with its \"mass\", or a \"shape\" with "
            "\"density\"";
        CHECK(refusal(schema()) == "size: the body has no mass" + choice);
        CHECK(refusal(box_arguments().set("mass", 1.0)) ==
              "mass: the mass is described twice" + choice);
        CHECK(refusal(box_arguments().erase("density")) ==
              "density: \"density\" is missing" + choice);
        CHECK(refusal(box_arguments().erase("density").set("mass", 1.0)) == "");
        CHECK(refusal(lump({1, 1, 1}).erase("mass")).starts_with("mass: \"mass\" is missing"));
        CHECK(refusal(box_arguments().set("volume", 1.0)) ==
              "volume: a box has its volume from \"size\"; leave \"volume\" out");
        CHECK(refusal(lump({1.0, 1.0, 3.0})) ==
              "inertia: no body has the principal moments of inertia 1, 1, 3: 3 is larger than the "
              "sum of the other two, 2 (equal for a flat body)");
        CHECK(refusal(lump({1.0, -0.5, 1.0})) ==
              "inertia: no body has the principal moments of inertia 1, -0.5, 1: -0.5 is negative");
        CHECK(refusal(lump({0.0, 0.0, 0.0})) ==
              "inertia: the inertia is zero, so the body is a point and cannot turn; use a body of "
              "type \"particle\"");
        FakeArguments skewed = schema();
        skewed.set("mass", 1.0).set_matrix("inertia", 3, {2, 0.1, 0, 0.2, 2, 0, 0, 0, 2});
        CHECK(refusal(skewed) ==
              "inertia: the tensor is not symmetric: entry (1, 2) is 0.1 and (2, 1) is 0.2");
        CHECK(refusal(lump({1.0, 1.0, 2.0}).set("penalty", 1e9)) ==
              "penalty: a finite penalty is weighted with the volume, and a flat body or a rod has "
              "none; give \"volume\", or penalty = inf");
        CHECK(refusal(lump({1.0, 1.0, 2.0}).set("penalty", 1e9).set("volume", 1e-3)) == "");
        CHECK(refusal(lump({0.0, 1.0, 1.0}).set("angular_velocity", {0.1, 1.0, 0.0})) ==
              "angular_velocity: the body is a rod and has no inertia about its axis, so it cannot "
              "spin about it; take that component out, or give the rod a thickness");
        CHECK(
            refusal(
                box_arguments(1e3).set("start", "relaxed").set("angular_velocity", {0, 0, 9.})) ==
            "start: there is no relaxed start: at this angular velocity the spin strains the body "
            "by more than 0.25; use a larger \"penalty\"");
        CHECK(
            refusal(box_arguments().set("orientation", {1.0, 0.0, 0.0, 1.0})) ==
            "orientation: the quaternion [w, x, y, z] has norm 1.41421356 and a rotation needs 1; "
            "or write {axis = [...], angle = ...}");
        FakeArguments no_axis = box_arguments();
        no_axis.set_table("orientation").set("axis", {0.0, 0.0, 0.0}).set("angle", 1.0);
        CHECK(refusal(no_axis) == "axis: the axis has length zero");
    }

    TEST_CASE("a quaternion typed with six digits is taken as the rotation it means") {
        FakeArguments arguments = box_arguments();
        arguments.set("orientation", {0.707107, 0.0, 0.0, 0.707107});
        const auto body = make(arguments);
        CHECK(gap(start(*body).q.segment(3, 3), Vec3::Unit(1)) < 1e-15);
        CHECK(rows(*body, 0, start(*body)).pi.cwiseAbs().maxCoeff() < 1e-15);
    }

    TEST_CASE("points that a rigid body does not have are refused with what it has") {
        const auto body = make(box_arguments());
        DenseAttachment sink;
        Locator where;
        where.kind = Locator::Kind::index;
        const char* const message =
            "a rigid body has no numbered or named points; write a point or a direction as "
            "[x, y, z] in body axes, points from the reference point";
        CHECK_THROWS_WITH_AS(body->attach(where, sink), message, std::invalid_argument);
        where.kind = Locator::Kind::name;
        CHECK_THROWS_WITH_AS(body->attach(where, sink), message, std::invalid_argument);
        where.kind = Locator::Kind::coordinates;
        where.is_direction = true;
        CHECK_THROWS_WITH_AS(body->attach(where, sink),
                             "the direction [0, 0, 0] points nowhere",
                             std::invalid_argument);
    }
}
