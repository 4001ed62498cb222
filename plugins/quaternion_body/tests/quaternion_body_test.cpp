// SPDX-License-Identifier: BSD-3-Clause
// The rigid body in quaternions against differences, identities and Euler's top.
#include "quaternion_body.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Dense>
#include <doctest/doctest.h>

#include "support/dense.hpp"
#include "support/rigid_body.hpp"

namespace {

using ancora::Body;
using ancora::Locator;
using ancora::Mat3;
using ancora::Pose;
using ancora::Vec3;
using ancora::test::FakeArguments;
using namespace ancora::testing;
using Eigen::Quaterniond;
using State = StateOf<7>;
using Random = RandomOf<7>;

State start(const Body& body) {
    return start_of<7>(body);
}
Quaterniond quaternion(const Vector& x) {
    return Quaterniond(x(3), x(4), x(5), x(6));
}
// Vector part of p* o p' twice: the angular velocity for |p| = 1, by Eigen's product.
Vec3 angular_velocity(const State& s) {
    return 2.0 * (quaternion(s.q).conjugate() * quaternion(s.v)).vec();
}

Matrix mass(const Body& body, const State& s) {
    RowMajor M = RowMajor::Constant(7, 7, NAN);
    body.evaluate_mass({0.0, view(s.q), view(s.v)}, {.M = view(M)});
    return M;
}
Vector inertia_force(const Body& body, const State& s) {
    Vector force = Vector::Constant(7, NAN);
    body.evaluate_mass({0.0, view(s.q), view(s.v)}, {.force = view(force)});
    return force;
}
Matrix space_rotation(const Body& body, const Vector& q) {
    RowMajor Xi = RowMajor::Constant(7, 3, NAN);
    facets_of(body).scalar_rotation->rotation(view(q), view(Xi));
    return Xi;
}
// About the origin, as the kernel finds it: x x (M x') + Xi^T M_pp p'.
Vec3 angular_momentum(const Body& body, const State& s) {
    const Vector p = mass(body, s) * s.v;
    return Vec3(s.q.head(3)).cross(Vec3(p.head(3))) + space_rotation(body, s.q).transpose() * p;
}

struct Norm {
    double phi = NAN, phi_t = NAN, b = NAN;
    Vector A = Vector::Zero(7);
};
Norm norm(const Body& body, const State& s) {
    Norm out;
    Vector A = Vector::Constant(4, NAN);
    body.evaluate(
        0, {view(s.q), view(s.v), 0.0}, {{&out.phi, 1}, view(A), {&out.phi_t, 1}, {&out.b, 1}});
    out.A.tail(4) = A;
    return out;
}

// The declaration of an attachment, and its values at a state.
class Attachment final : public ancora::AttachmentSink {
public:
    Attachment(const Body& body, const Vec3& xyz, bool is_direction = false) : body_(body) {
        Locator where;
        where.is_direction = is_direction;
        where.xyz = {xyz(0), xyz(1), xyz(2)};
        body.attach(where, *this);
    }
    void weight(int component, int coordinate, double weight) override {
        W(component, coordinate) += weight;
    }
    void constant(int, double) override { FAIL("constant"); }
    void nonlinear(int with_id, std::span<const std::int32_t> on) override {
        CHECK(id == -1);
        id = with_id;
        coordinates.assign(on.begin(), on.end());
    }

    Vec3 r(const Vector& q) const {
        if (id < 0) return W * q;
        Vec3 out = Vec3::Constant(NAN);
        body_.evaluate_attachment(id, view(q), {}, {std::span(out.data(), 3), {}, {}});
        return out;
    }
    /// dr/dq on all coordinates.
    Matrix J(const Vector& q) const {
        if (id < 0) return W;
        RowMajor J = RowMajor::Constant(3, static_cast<Eigen::Index>(coordinates.size()), NAN);
        body_.evaluate_attachment(id, view(q), {}, {{}, view(J), {}});
        Matrix all = Matrix::Zero(3, 7);
        for (std::size_t j = 0; j < coordinates.size(); ++j)
            all.col(coordinates[j]) = J.col(static_cast<Eigen::Index>(j));
        return all;
    }
    Vec3 bias(const State& s) const {
        if (id < 0) return Vec3::Zero();
        Vec3 out = Vec3::Constant(NAN);
        body_.evaluate_attachment(id, view(s.q), view(s.v), {{}, {}, std::span(out.data(), 3)});
        return out;
    }

    int id = -1;
    std::vector<std::int32_t> coordinates;
    Matrix W = Matrix::Zero(3, 7);

private:
    const Body& body_;
};

struct Pattern final : ancora::MassSink {
    Matrix M = Matrix::Zero(7, 7);
    std::set<std::pair<int, int>> entries;
    void add(int i, int j, double value) override {
        CHECK(i >= j);
        CHECK(entries.emplace(i, j).second);
        M(i, j) = M(j, i) = value;
    }
};

// On the norm and its rate.
State rigid_state(Random& random) {
    State s = random.state();
    s.q.tail(4).normalize();
    s.v.tail(4) -= s.q.tail(4) * s.q.tail(4).dot(s.v.tail(4));
    return s;
}

// Motion of the free body by classical Runge-Kutta: M a = force + A^T lambda, A a = b, which
// determines a although M has rank 6.
class FreeMotion {
public:
    explicit FreeMotion(const Body& body) : body_(body), state_(start(body)) {}

    void step(double h) {
        state_ = runge_kutta_step(state_, h, [this](const State& s) {
            return acceleration(s);
        });
    }
    const State& state() const { return state_; }

private:
    Vector acceleration(const State& s) const {
        const Norm row = norm(body_, s);
        Matrix K = Matrix::Zero(8, 8);
        Vector f(8);
        K.topLeftCorner(7, 7) = mass(body_, s);
        K.block(0, 7, 7, 1) = row.A;
        K.block(7, 0, 1, 7) = row.A.transpose();
        f << inertia_force(body_, s), row.b;
        return by_eigen::solved(K, f).col(0).head(7);
    }

    const Body& body_;
    State state_;
};

}  // namespace

TEST_SUITE("quaternion_body") {
    TEST_CASE("three translating coordinates and four scalars, that the user can name") {
        const auto body = make(box_arguments());
        const auto c = body->coordinates();
        REQUIRE(c.size() == 7);
        for (int i = 0; i < 7; ++i) {
            const auto& at = c[i];
            CHECK(at.vector == (i < 3 ? 0 : -1));
            CHECK(at.translates == (i < 3));
            CHECK(at.axis == (i < 3 ? i : 0));
            CHECK(near(at.reach, i < 3 ? 1.0 : std::sqrt(14.0), 1e-15));
        }
        CHECK(body->mass_kind() == ancora::MassKind::of_state);
        CHECK(body->pose_kind() == ancora::PoseKind::attitude);
        CHECK(facets_of(*body).names->find_coordinate("qw") == 3);
        CHECK(facets_of(*body).names->find_coordinate("qx") == 4);
        CHECK(facets_of(*body).names->find_coordinate("qy") == 5);
        CHECK(facets_of(*body).names->find_coordinate("qz") == 6);
        CHECK(facets_of(*body).names->find_coordinate("x") == -1);
        CHECK(facets_of(*body).names->find_coordinate("q") == -1);
    }

    // T = 1/2 M x'.x' + 1/2 w.J w with w = 2 vec(p* o p'), for every p and p'.
    TEST_CASE("the mass matrix is symmetric, semidefinite of rank 6, and gives the energy") {
        Random random;
        for (int k = 0; k < 50; ++k) {
            double M = 0.0;
            Mat3 J;
            const auto body = make(random_body(random, M, J));
            const State s = random.state();
            const Matrix mass_matrix = mass(*body, s);
            CHECK(mass_matrix == mass_matrix.transpose());

            const Vec3 w = angular_velocity(s);
            const double T = 0.5 * M * s.v.head(3).squaredNorm() + 0.5 * w.dot(J * w);
            CHECK(near(0.5 * s.v.dot(mass_matrix * s.v), T, 1e-14 * T));

            const Vector eigenvalues = by_eigen::symmetric_eigenvalues(mass_matrix);
            CHECK(std::abs(eigenvalues(0)) < 1e-15 * eigenvalues(6));
            CHECK(eigenvalues(1) > 1e-6 * eigenvalues(6));
            CHECK((mass_matrix.bottomRows(4).rightCols(4) * s.q.tail(4)).norm() <
                  1e-14 * eigenvalues(6));

            // With the norm's row nothing is left open
            Matrix full(8, 7);
            full << mass_matrix, norm(*body, s).A.transpose();
            CHECK(by_eigen::rank_of(full) == 7);
        }
    }

    TEST_CASE("the pattern holds all that can become nonzero, with the values at the start") {
        Random random;
        double M = 0.0;
        Mat3 J;
        for (const auto& arguments : {box_arguments(), random_body(random, M, J)}) {
            const auto body = make(arguments);
            Pattern pattern;
            body->mass(pattern);
            CHECK(pattern.M == mass(*body, start(*body)));
            CHECK(pattern.entries.size() == 13);
            for (int i = 0; i < 7; ++i)
                for (int j = 0; j <= i; ++j)
                    CHECK(pattern.entries.contains({i, j}) == (i == j || j >= 3));
        }
        // The box starts with p = (1, 0, 0, 0), where a row of M is zero
        Pattern pattern;
        make(box_arguments())->mass(pattern);
        CHECK(pattern.M(3, 3) == 0.0);
    }

    // M is quadratic in q, so that central differences of T and of M are exact for every width.
    TEST_CASE("the inertia force is dT/dq - M' v") {
        Random random;
        for (int k = 0; k < 50; ++k) {
            double M = 0.0;
            Mat3 J;
            const auto body = make(random_body(random, M, J));
            const State s = random.state();
            const auto T = [&](const Vector& q) {
                return 0.5 * s.v.dot(mass(*body, {q, s.v}) * s.v);
            };
            Vector expected(7);
            for (int j = 0; j < 7; ++j) {
                const Vector step = 0.5 * Vector::Unit(7, j);
                expected(j) = T(s.q + step) - T(s.q - step);
            }
            const Matrix dM =
                mass(*body, {s.q + 0.5 * s.v, s.v}) - mass(*body, {s.q - 0.5 * s.v, s.v});
            expected -= dM * s.v;
            CHECK(gap(inertia_force(*body, s), expected) < 1e-13 * J.trace());
        }
    }

    TEST_CASE("the norm's A is the derivative of phi, b the bias of its second derivative") {
        Random random;
        const auto body = make(box_arguments());
        REQUIRE(body->row_blocks().size() == 1);
        const ancora::RowBlock& block = body->row_blocks()[0];
        CHECK(block.laws[0].kind == ancora::RowKind::constraint);
        CHECK(block.degree == ancora::Degree::quadratic);
        CHECK(std::ranges::equal(block.stencil, std::vector<int>{3, 4, 5, 6}));

        const State s = random.state();
        const Norm at = norm(*body, s);
        CHECK(near(at.phi, 0.5 * (s.q.tail(4).squaredNorm() - 1.0), 1e-16));
        CHECK(at.phi_t == 0.0);
        for (int j = 0; j < 7; ++j) {
            const Vector step = 0.5 * Vector::Unit(7, j);
            const double up = norm(*body, {s.q + step, s.v}).phi;
            const double down = norm(*body, {s.q - step, s.v}).phi;
            CHECK(near(at.A(j), up - down, 1e-15));
        }
        // phi(q + v t + a t^2 / 2) is of fourth degree in t: phi'' = A a - b
        const Vector a = random.state().q;
        const auto phi = [&](double t) {
            return norm(*body, {s.q + t * s.v + 0.5 * t * t * a, s.v}).phi;
        };
        const double t = 0.1;
        const double second =
            (16.0 * (phi(t) + phi(-t)) - (phi(2 * t) + phi(-2 * t)) - 30.0 * phi(0.0)) /
            (12.0 * t * t);
        CHECK(near(second, at.A.dot(a) - at.b, 1e-12));

        for (const double stress : {2.0, -3.0})
            for (const bool positive : {false, true}) {
                RowMajor G = RowMajor::Constant(4, 4, NAN);
                body->evaluate_tangent(
                    0, {.mid = view(s.q), .s = {&stress, 1}, .positive_part = positive}, view(G));
                const double expected = positive ? std::max(stress, 0.0) : stress;
                CHECK(G == RowMajor(expected * RowMajor::Identity(4, 4)));
            }
    }

    TEST_CASE("attachments: J is dr/dq, J v the velocity, bias the rest of the acceleration") {
        Random random;
        double M = 0.0;
        Mat3 J;
        const auto body = make(random_body(random, M, J));
        for (int k = 0; k < 20; ++k) {
            const bool is_direction = k % 2 == 1;
            const Attachment at(*body, random.vector(), is_direction);
            CHECK(at.coordinates.size() == (is_direction ? 4 : 7));
            const State s = random.state();
            const Matrix at_q = at.J(s.q);
            for (int j = 0; j < 7; ++j) {
                const Vector step = 0.5 * Vector::Unit(7, j);
                CHECK(gap(at_q.col(j), at.r(s.q + step) - at.r(s.q - step)) < 1e-14);
            }
            CHECK(gap(at.bias(s), (at.J(s.q + s.v) - at_q) * s.v) < 2e-14);

            const Vector a = random.state().q;
            const auto r = [&](double t) {
                return at.r(s.q + t * s.v + 0.5 * t * t * a);
            };
            const double t = 0.1;
            const Vec3 second =
                (16.0 * (r(t) + r(-t)) - (r(2 * t) + r(-2 * t)) - 30.0 * r(0.0)) / (12.0 * t * t);
            CHECK(gap(second, at_q * a + at.bias(s)) < 1e-11);
        }
    }

    TEST_CASE("the centre of mass is linear; everything else has one id for one place") {
        FakeArguments arguments = box_arguments();
        const auto body = make(arguments);
        const Attachment center(*body, Vec3::Zero());
        CHECK(center.id == -1);
        CHECK(center.W == Matrix(Matrix::Identity(3, 7)));

        arguments.set("center_of_mass", {0.1, 0.2, 0.3});
        const auto eccentric = make(arguments);
        CHECK(Attachment(*eccentric, {0.1, 0.2, 0.3}).id == -1);
        CHECK(Attachment(*eccentric, Vec3::Zero()).id == 0);
        CHECK(Attachment(*eccentric, {1.0, 0.0, 0.0}).id == 1);
        CHECK(Attachment(*eccentric, {1.0, 0.0, 0.0}, true).id == 2);
        CHECK(Attachment(*eccentric, Vec3::Zero()).id == 0);
        CHECK(Attachment(*eccentric, {1.0, 0.0, 0.0}, true).id == 2);
        CHECK_THROWS_AS(
            eccentric->evaluate_attachment(3, view(start(*eccentric).q), {}, {{}, {}, {}}),
            std::out_of_range);
    }

    TEST_CASE("Xi turns the body: d(R xi)/dtheta = e x R xi, and L = R J w") {
        Random random;
        for (int k = 0; k < 20; ++k) {
            double M = 0.0;
            Mat3 J;
            const auto body = make(random_body(random, M, J));
            const State s = rigid_state(random);
            const Matrix Xi = space_rotation(*body, s.q);
            CHECK(Xi.topRows(3).isZero(0.0));
            CHECK((norm(*body, s).A.transpose() * Xi).cwiseAbs().maxCoeff() < 1e-16);

            // Of the exactly turned quaternion
            const double t = 1e-3;
            const auto turned = [&](int axis, double angle) {
                const Quaterniond p = Eigen::AngleAxisd(angle, Vec3::Unit(axis)) * quaternion(s.q);
                return Eigen::Vector4d(p.w(), p.x(), p.y(), p.z());
            };
            const Vec3 direction = random.vector();
            const Attachment at(*body, direction, true);
            for (int axis = 0; axis < 3; ++axis) {
                const Eigen::Vector4d rate = (turned(axis, t) - turned(axis, -t)) / (2.0 * t);
                CHECK(gap(Xi.col(axis).tail(4), rate) < 1e-7);
                CHECK(gap(at.J(s.q) * Xi.col(axis), Vec3::Unit(axis).cross(at.r(s.q))) < 1e-15);
            }
            const Vec3 L = quaternion(s.q) * (J * angular_velocity(s));
            CHECK(gap(Xi.transpose() * mass(*body, s) * s.v, L) < 1e-13 * J.trace());
        }
    }

    // T = 1/2 M v_c^2 + 1/2 w.J w and L = M x_c x v_c + R J w of a rigid body, for any tensor,
    // reference point and attitude: Euler.
    TEST_CASE("energy, momenta, points and pose at the start are those of the rigid body") {
        Random random;
        for (int k = 0; k < 50; ++k) {
            double M = 0.0;
            Mat3 J;
            FakeArguments arguments = random_body(random, M, J);
            if (k % 2 == 1) turn_by_half(arguments, k, random);
            const auto body = make(arguments);
            const State s = start(*body);

            const Mat3 R = ancora::read_orientation(arguments);
            const Vec3 w = ancora::vec3(arguments.numbers("angular_velocity"));
            const Vec3 c = ancora::vec3(arguments.numbers("center_of_mass"));
            const Vec3 r = ancora::vec3(arguments.numbers("position"));
            const Vec3 dr = ancora::vec3(arguments.numbers("velocity"));
            const Vec3 x = r + R * c;
            const Vec3 v = dr + R * w.cross(c);

            CHECK(std::abs(norm(*body, s).phi) < 3e-16);
            CHECK(std::abs(norm(*body, s).A.dot(s.v)) < 1e-15);
            CHECK(s.q(3) >= 0.0);
            const double T = 0.5 * M * v.squaredNorm() + 0.5 * w.dot(J * w);
            CHECK(near(0.5 * s.v.dot(mass(*body, s) * s.v), T, 1e-14 * T));
            const Vec3 L = M * x.cross(v) + R * J * w;
            CHECK(gap(angular_momentum(*body, s), L) < 1e-13 * M);

            const Pose at = pose(*body, s);
            const auto& p = at.quaternion;
            CHECK(gap(Quaterniond(p[0], p[1], p[2], p[3]).toRotationMatrix(), R) < 2e-15);
            CHECK(gap(ancora::vec3(at.position), r) < 2e-15);
            CHECK(gap(ancora::vec3(at.velocity), dr) < 5e-15);
            CHECK(gap(ancora::vec3(at.angular_velocity), w) < 2e-15);

            const Vec3 point = random.vector();
            const Attachment P(*body, point);
            CHECK(gap(P.r(s.q), r + R * point) < 2e-15);
            CHECK(gap(P.J(s.q) * s.v, dr + R * w.cross(point)) < 5e-15);
            CHECK(gap(Attachment(*body, point, true).r(s.q), R * point) < 2e-15);
        }
    }

    // w^ = R^T dR/dt of the normalised quaternion, by central differences: error of order t^2.
    TEST_CASE("off the norm, the pose is that of the normalised quaternion") {
        Random random;
        double M = 0.0;
        Mat3 J;
        const FakeArguments arguments = random_body(random, M, J);
        const auto body = make(arguments);
        const Vec3 c = ancora::vec3(arguments.numbers("center_of_mass"));
        for (int k = 0; k < 20; ++k) {
            State s = random.state();
            s.q.tail(4) *= 2.0 / s.q.tail(4).norm();
            const auto R = [&](double t) {
                return quaternion(s.q + t * s.v).normalized().toRotationMatrix();
            };
            const auto r = [&](double t) {
                return Vec3((s.q + t * s.v).head(3) - R(t) * c);
            };
            const Pose at = pose(*body, s);
            const auto& p = at.quaternion;
            CHECK(p[0] >= 0.0);
            CHECK(gap(Quaterniond(p[0], p[1], p[2], p[3]).toRotationMatrix(), R(0.0)) < 2e-15);
            CHECK(gap(ancora::vec3(at.position), r(0.0)) < 2e-15);
            const double t = 1e-5;
            const Mat3 W = R(0.0).transpose() * (R(t) - R(-t)) / (2.0 * t);
            CHECK(gap(ancora::skew(ancora::vec3(at.angular_velocity)), W) < 1e-9);
            CHECK(gap(ancora::vec3(at.velocity), (r(t) - r(-t)) / (2.0 * t)) < 1e-9);
        }
        State zero = start(*body);
        zero.q.tail(4).setZero();
        CHECK_THROWS_WITH_AS(
            pose(*body, zero),
            "the quaternion has length zero and is no attitude; use a shorter step",
            std::domain_error);
    }

    // Euler's top in Jacobi elliptic functions, angular velocity in body axes at t = 1, 2, 5, 10 s.
    TEST_CASE("the free box moves like Euler's top, in whatever axes it is described") {
        const std::pair<int, Vec3> exact[] = {
            {1, {0.035348449362781, 0.606905250296010, 0.763615519811942}},
            {2, {-0.236860120440311, 0.543319774956272, 0.786302087123481}},
            {5, {-0.418720026212111, -0.369095361931431, 0.833484522317389}},
            {10, {0.498875607907583, 0.195356521381940, 0.861303749454175}},
        };
        // The same box in oblique axes B, with its centre off the reference point
        const Mat3 B = Quaterniond(0.5, 0.1, -0.7, 0.3).normalized().toRotationMatrix();
        const Mat3 J = Vec3(6750.0, 13500.0, 17550.0).asDiagonal();
        FakeArguments oblique = schema();
        oblique.set("mass", 16200.0).set_matrix("inertia", 3, list(Mat3(B * J * B.transpose())));
        oblique.set("center_of_mass", {0.4, -0.3, 0.2});
        oblique.set("angular_velocity", list(Vec3(B * Vec3(0.3, 0.5, 0.8))));

        for (const auto& [arguments, axes] :
             {std::pair(box_arguments(), Mat3(Mat3::Identity())), std::pair(oblique, B)}) {
            const auto body = make(arguments);
            FreeMotion motion(*body);
            const Vec3 L = angular_momentum(*body, motion.state());
            const double T =
                0.5 * motion.state().v.dot(mass(*body, motion.state()) * motion.state().v);
            constexpr int steps_per_second = 100;
            int k = 0;
            double error = 0.0;
            for (const auto& [t, w] : exact) {
                for (; k < t * steps_per_second; ++k) motion.step(1.0 / steps_per_second);
                const Vec3 found = ancora::vec3(pose(*body, motion.state()).angular_velocity);
                error = std::max(error, gap(axes.transpose() * found, w));
            }
            const State& s = motion.state();
            const double energy = 0.5 * s.v.dot(mass(*body, s) * s.v);
            MESSAGE("error of the angular velocity "
                    << error << " rad/s, energy " << energy / T - 1.0 << ", angular momentum "
                    << gap(angular_momentum(*body, s), L) / L.norm() << ", norm "
                    << norm(*body, s).phi);
            CHECK(error < 1e-8);
            CHECK(near(energy, T, 1e-8 * T));
            CHECK(gap(angular_momentum(*body, s), L) < 1e-8 * L.norm());
        }
    }

    TEST_CASE("a plate is a rigid body, a rod is not enough of one") {
        FakeArguments arguments = schema();
        arguments.set("mass", 6.0).set("inertia", {2.0, 4.5, 6.5});
        const auto plate = make(arguments);
        const Vector eigenvalues = by_eigen::symmetric_eigenvalues(mass(*plate, start(*plate)));
        CHECK(near(eigenvalues(0), 0.0, 1e-14));
        CHECK(eigenvalues(1) > 5.9);

        const std::string reason =
            "the body is a rod: a spin about its axis has no inertia, and the norm of a quaternion "
            "does not determine it; give the rod a thickness, or use a body of type "
            "\"ancf_rigid_body\"";
        CHECK(refusal(arguments.set("inertia", {0.0, 2.0, 2.0})) == "inertia: " + reason);
        Random random;
        const Mat3 R = random.quaternion().toRotationMatrix();
        const Mat3 J = R * Vec3(2.0, 0.0, 2.0).asDiagonal() * R.transpose();
        CHECK(refusal(arguments.set_matrix("inertia", 3, list(J))) == "inertia: " + reason);

        FakeArguments needle = box_arguments();
        CHECK(refusal(needle.set("size", {1.0, 1e-6, 1e-6})) == "size: " + reason);
        CHECK(refusal(needle.set("size", {1.0, 1e-4, 1e-4})) == "");
    }

    // The reading is shared with the other rigid bodies and tested there; here, that it is used.
    TEST_CASE("what is no rigid body or no attitude is refused with the reason") {
        CHECK(
            refusal(schema()).starts_with("size: the body has no mass; give either \"size\" with"));
        FakeArguments lump = schema();
        lump.set("mass", 1.0).set("inertia", {1.0, 1.0, 3.0});
        CHECK(refusal(lump) ==
              "inertia: no body has the principal moments of inertia 1, 1, 3: 3 is larger than the "
              "sum of the other two, 2 (equal for a flat body)");
        CHECK(refusal(lump.set("inertia", {0.0, 0.0, 0.0})) ==
              "inertia: the inertia is zero, so the body is a point and cannot turn; use a body of "
              "type \"particle\"");
        CHECK(
            refusal(box_arguments().set("orientation", {1.0, 0.0, 0.0, 1.0})) ==
            "orientation: the quaternion [w, x, y, z] has norm 1.41421356 and a rotation needs 1; "
            "or write {axis = [...], angle = ...}");
    }

    TEST_CASE("points that a rigid body does not have are refused with what it has") {
        const auto body = make(box_arguments());
        Attachment sink(*body, Vec3::Zero());
        Locator where;
        where.kind = Locator::Kind::index;
        CHECK_THROWS_WITH_AS(
            body->attach(where, sink),
            "a rigid body has no numbered or named points; write a point or a direction as "
            "[x, y, z] in body axes, points from the reference point",
            std::invalid_argument);
        where.kind = Locator::Kind::coordinates;
        where.is_direction = true;
        CHECK_THROWS_WITH_AS(body->attach(where, sink),
                             "the direction [0, 0, 0] points nowhere",
                             std::invalid_argument);
    }
}
