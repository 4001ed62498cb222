// SPDX-License-Identifier: BSD-3-Clause
// Laws of restitution: Kane's double pendulum, rows of balls, random impacts.
#include "impulse_laws.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <Eigen/Dense>
#include <doctest/doctest.h>

#include "support/dense.hpp"

namespace {

namespace by_eigen = ancora::testing::by_eigen;
using ancora::Collision;
using ancora::CollisionImpulses;
using ancora::ImpactLaw;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Rods m = L = 1 at 20 and 30 degrees from the vertical, rates -.1 and -.2, tip on a floor.
Collision kane(ImpactLaw law, double e) {
    constexpr double kDegree = 3.14159265358979323846 / 180.0;
    const double a = 20.0 * kDegree, b = 30.0 * kDegree;
    MatrixXd M(2, 2), C(2, 2);
    M << 1.0 / 3.0 + 1.0, 0.5 * std::cos(a - b), 0.5 * std::cos(a - b), 1.0 / 3.0;
    C << std::sin(a), std::sin(b), std::cos(a), std::cos(b);
    Collision out;
    out.W = C * by_eigen::solved(M, C.transpose());
    out.W = (0.5 * (out.W + out.W.transpose())).eval();
    out.q = C * Eigen::Vector2d(-0.1, -0.2);
    out.contacts = {{e, law, 1e-15}};
    out.cones = {{0, 1, 1, 0.7}};
    return out;
}

TEST_CASE("Kane's double pendulum by three laws") {
    // Values of theory, section 8.1.
    CHECK(kane(ImpactLaw::poisson, 0.5)
              .change(ancora::solve_collision(kane(ImpactLaw::poisson, 0.5)).p) ==
          doctest::Approx(-1.119780e-2).epsilon(1e-6));
    const Collision energetic = kane(ImpactLaw::energetic, 0.5);
    CHECK(energetic.change(ancora::solve_collision(energetic).p) ==
          doctest::Approx(-1.099167e-2).epsilon(1e-6));
    // Newton's law would gain 1.361896e-2 J, so that e is lowered to what gains nothing.
    const Collision newton = kane(ImpactLaw::newton, 0.5);
    const CollisionImpulses lowered = ancora::solve_collision(newton);
    CHECK(lowered.was_lowered);
    const double least = newton.change(ancora::solve_collision(kane(ImpactLaw::newton, 0.0)).p);
    CHECK(newton.change(lowered.p) <= 1e-15);
    CHECK(newton.change(lowered.p) > 0.999 * least);
    const double e = -(newton.q + newton.W * lowered.p)[0] / newton.q[0];
    CHECK(e > 0.0);
    CHECK(e < 0.5);
}

/// Ball i and ball i + 1 close at v_i - v_(i+1).
Collision row_of_balls(const std::vector<double>& masses, const VectorXd& v, double e) {
    const auto count = static_cast<Index>(masses.size());
    MatrixXd C = MatrixXd::Zero(count - 1, count), M = MatrixXd::Zero(count, count);
    for (Index i = 0; i < count; ++i) M(i, i) = masses[static_cast<std::size_t>(i)];
    for (Index i = 0; i + 1 < count; ++i) {
        C(i, i) = -1.0;
        C(i, i + 1) = 1.0;
    }
    Collision out;
    out.W = C * M.inverse() * C.transpose();
    out.q = C * v;
    out.contacts.assign(static_cast<std::size_t>(count - 1), {e, ImpactLaw::poisson, 1e-15});
    return out;
}

VectorXd velocities(const Collision& of, const VectorXd& v, const std::vector<double>& masses) {
    const VectorXd p = ancora::solve_collision(of).p;
    VectorXd out = v;
    for (Index i = 0; i < p.size(); ++i) {
        out[i] -= p[i] / masses[static_cast<std::size_t>(i)];
        out[i + 1] += p[i] / masses[static_cast<std::size_t>(i + 1)];
    }
    return out;
}

TEST_CASE("a row of equal balls, together and in turn") {
    const std::vector<double> masses{1.0, 1.0, 1.0};
    const VectorXd v = Eigen::Vector3d(1.0, 0.0, 0.0);
    Collision balls = row_of_balls(masses, v, 1.0);
    const VectorXd together = velocities(balls, v, masses);
    CHECK((together - Eigen::Vector3d(-1.0, 2.0, 2.0) / 3.0).norm() < 1e-14);
    balls.is_in_turn = true;
    CHECK((velocities(balls, v, masses) - Eigen::Vector3d(0.0, 0.0, 1.0)).norm() < 1e-14);
    // Two of five: two leave.
    const std::vector<double> five(5, 1.0);
    VectorXd w = VectorXd::Zero(5);
    w.head(2).setOnes();
    Collision cradle = row_of_balls(five, w, 1.0);
    cradle.is_in_turn = true;
    VectorXd expected = VectorXd::Zero(5);
    expected.tail(2).setOnes();
    CHECK((velocities(cradle, w, five) - expected).norm() < 1e-13);
    // A light ball between two heavy ones is struck many times; with e < 1 that converges to what
    // stops, and none closes at the end.
    const std::vector<double> unlike{100.0, 1.0, 100.0};
    for (const double e : {1.0, 0.9, 0.3, 0.0}) {
        CAPTURE(e);
        Collision heavy = row_of_balls(unlike, v, e);
        heavy.is_in_turn = true;
        const VectorXd after = velocities(heavy, v, unlike);
        CHECK(after[1] - after[0] > -1e-12);
        CHECK(after[2] - after[1] > -1e-12);
        double momentum = 0.0, energy = 0.0;
        for (Index i = 0; i < 3; ++i) {
            momentum += unlike[static_cast<std::size_t>(i)] * after[i];
            energy += 0.5 * unlike[static_cast<std::size_t>(i)] * after[i] * after[i];
        }
        CHECK(momentum == doctest::Approx(100.0).epsilon(1e-13));
        CHECK(energy <= 50.0 * (1.0 + 1e-13));
        if (e == 1.0) CHECK(energy == doctest::Approx(50.0).epsilon(1e-12));
    }
}

TEST_CASE("random impacts gain nothing by any law, and one alone leaves as its law says") {
    std::mt19937 random(23);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    int num_lowered = 0, num_gains = 0;
    for (int run = 0; run < 1500; ++run) {
        CAPTURE(run);
        const Index count = 1 + run % 3, coordinates = 3 + 3 * count;
        const MatrixXd C = MatrixXd::NullaryExpr(3 * count, coordinates, [&](Index, Index) {
            return normal(random);
        });
        Collision of;
        of.W = C * C.transpose();
        of.W = (0.5 * (of.W + of.W.transpose())).eval();
        of.q = C * VectorXd::NullaryExpr(coordinates, [&](Index) {
                   return normal(random);
               });
        const auto law = static_cast<ImpactLaw>(run / 3 % 3);
        for (Index i = 0; i < count; ++i) {
            of.contacts.push_back({uniform(random), law, 1e-14});
            of.cones.push_back(
                {static_cast<int>(i), static_cast<int>(count + 2 * i), 2, uniform(random)});
        }
        of.is_in_turn = uniform(random) < 0.3;
        if (of.q.head(count).minCoeff() >= 0.0) continue;
        const CollisionImpulses found = ancora::solve_collision(of);
        const VectorXd after = of.q + of.W * found.p;
        const double energy = 0.5 * of.q.dot(by_eigen::solved(of.W, of.q).col(0));
        num_gains += of.change(found.p) > 1e-9 * energy ? 1 : 0;
        num_lowered += found.was_lowered ? 1 : 0;
        CHECK(after.head(count).minCoeff() > -1e-6 * of.q.norm());
        if (count > 1 || found.was_lowered) continue;
        const double e = of.contacts.front().e;
        if (law == ImpactLaw::newton)
            CHECK(after[0] == doctest::Approx(-e * of.q[0]).epsilon(1e-9));
    }
    CHECK(num_gains <= 3);
    CHECK(num_lowered > 0);
    MESSAGE("lowered ", num_lowered, ", gains ", num_gains);
}

TEST_CASE("the energetic law of one contact without friction is that of Poisson and Newton") {
    for (const double e : {0.0, 0.3, 0.8, 1.0}) {
        CAPTURE(e);
        Collision one;
        one.W = MatrixXd::Constant(1, 1, 2.5);
        one.q = VectorXd::Constant(1, -0.7);
        for (const ImpactLaw law : {ImpactLaw::poisson, ImpactLaw::newton, ImpactLaw::energetic}) {
            one.contacts = {{e, law, 1e-15}};
            const VectorXd p = ancora::solve_collision(one).p;
            CHECK((one.q + one.W * p)[0] == doctest::Approx(0.7 * e).epsilon(1e-12));
        }
    }
}

TEST_CASE("where friction leaves several solutions that is seen, and the sticking one is taken") {
    // W_n < mu |W_nt|: at rates that part without an impulse one that slides or sticks presses too.
    Collision of;
    of.W = (MatrixXd(2, 2) << 1.0, -2.0, -2.0, 5.0).finished();
    of.q = Eigen::Vector2d(0.1, -1.0);
    of.contacts = {{0.0, ImpactLaw::poisson, 1e-15}};
    of.cones = {{0, 1, 1, 1.0}};
    const CollisionImpulses found = ancora::solve_collision(of);
    CHECK(found.are_several);
    CHECK((of.q + of.W * found.p).norm() < 1e-12);
    CHECK(std::abs(found.p[1]) <= found.p[0]);
    of.cones.front().mu = 0.4;
    CHECK_FALSE(ancora::solve_collision(of).are_several);
}

TEST_CASE("the end of a step over all events meets its conditions, and gains nothing with it") {
    std::mt19937 random(31);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    int num_lowered = 0;
    for (int run = 0; run < 500; ++run) {
        CAPTURE(run);
        const Index count = 1 + run % 5;
        const MatrixXd C = MatrixXd::NullaryExpr(count, count + 2, [&](Index, Index) {
            return normal(random);
        });
        Collision of;
        of.W = C * C.transpose();
        of.q = C * VectorXd::NullaryExpr(count + 2, [&](Index) {
                   return normal(random);
               });
        VectorXd P(count), began(count);
        for (Index i = 0; i < count; ++i) {
            of.contacts.push_back({uniform(random), ImpactLaw::poisson, 1e-15});
            P[i] = uniform(random) < 0.3 ? 0.0 : uniform(random);
            began[i] = normal(random);
        }
        // What P has done with gaps that have closed.
        const double work = -0.3 * P.sum() * uniform(random);
        const CollisionImpulses found = ancora::solve_sum(of, P, began, work);
        const VectorXd after = of.q + of.W * found.p;
        const double scale = of.q.norm() + (of.W.cwiseAbs() * (P + found.p.cwiseAbs())).norm();
        CHECK((P + found.p).minCoeff() >= -1e-12 * (P + found.p.cwiseAbs()).maxCoeff());
        CHECK(after.minCoeff() >= -1e-12 * scale);
        CHECK(work + of.change(found.p) <= 1e-11 * scale * scale);
        num_lowered += found.was_lowered ? 1 : 0;
        if (found.was_lowered) continue;
        for (Index i = 0; i < count; ++i) {
            const double e = of.contacts[static_cast<std::size_t>(i)].e;
            const double rate = after[i] + e * std::min(0.0, began[i]);
            CHECK(rate >= -1e-11 * scale);
            if (P[i] + found.p[i] > 1e-9 * scale) CHECK(std::abs(rate) < 1e-11 * scale);
        }
    }
    CHECK(num_lowered > 0);
}

}  // namespace
