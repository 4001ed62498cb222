// SPDX-License-Identifier: BSD-3-Clause
// Impulses with dry friction: random contacts against their conditions, and their energy.
#include "friction_impulse.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <Eigen/Dense>
#include <doctest/doctest.h>

namespace {

using ancora::FrictionCone;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Contacts of bodies with the masses M = 1: W = C C^T of random rows, normal ones first. Fewer
/// coordinates than rows make it singular.
struct Contacts {
    Contacts(std::mt19937& random, int count, int coordinates) : num(count) {
        std::normal_distribution<double> normal;
        std::uniform_real_distribution<double> uniform(0.0, 1.0);
        C = MatrixXd::NullaryExpr(3 * count, coordinates, [&](Index, Index) {
            return normal(random);
        });
        v = VectorXd::NullaryExpr(coordinates, [&](Index) {
            return normal(random);
        });
        // Some of them twice: a face that meets a face.
        if (count > 1 && uniform(random) < 0.3) {
            C.row(1) = C.row(0);
            C.middleRows(count + 2, 2) = C.middleRows(count, 2);
        }
        W = C * C.transpose();
        for (int i = 0; i < count; ++i) {
            cones.push_back({i, count + 2 * i, 2, uniform(random)});
            e.push_back(uniform(random));
        }
    }
    VectorXd rates() const { return C * v; }

    int num;
    MatrixXd C, W;
    VectorXd v;
    std::vector<FrictionCone> cones;
    std::vector<double> e;
};

/// What p leaves of its conditions, relative to the rates in play.
double missed(const Contacts& contacts,
              const VectorXd& q,
              const VectorXd& given,
              const VectorXd& p) {
    const VectorXd u = q + contacts.W * p;
    const double scale = q.lpNorm<Eigen::Infinity>() +
                         (contacts.W.cwiseAbs() * p.cwiseAbs()).lpNorm<Eigen::Infinity>();
    double worst = 0.0;
    for (const FrictionCone& cone : contacts.cones) {
        const double over = p[cone.normal] - given[cone.normal];
        worst = std::max({worst, -u[cone.normal] / scale, -over});
        if (over > 1e-9) worst = std::max(worst, std::abs(u[cone.normal]) / scale);
        const Eigen::Vector2d t = p.segment<2>(cone.first), w = u.segment<2>(cone.first);
        const double most = cone.mu * p[cone.normal];
        worst = std::max(worst, t.norm() - most);
        // Where it slides the impulse is the largest, and against the slide.
        if (w.norm() > 1e-7 * scale) worst = std::max(worst, (t + most * w / w.norm()).norm());
    }
    return worst;
}

TEST_CASE("impulses of random contacts meet their conditions, and no phase gains") {
    std::mt19937 random(17);
    int num_open = 0, num_gains = 0;
    constexpr int kRuns = 10000;
    for (int run = 0; run < kRuns; ++run) {
        CAPTURE(run);
        const int count = 1 + run % 4;
        const int coordinates = std::max(3, 3 * count - 3 + run / 4 % 6);
        const Contacts contacts(random, count, coordinates);
        const VectorXd before = contacts.rates();
        VectorXd given = VectorXd::Zero(count), p, more;
        const double first = ancora::solve_friction(contacts.W, before, given, contacts.cones, p);
        const VectorXd pressed = before + contacts.W * p;
        for (int i = 0; i < count; ++i) given[i] = contacts.e[static_cast<std::size_t>(i)] * p[i];
        const double second =
            ancora::solve_friction(contacts.W, pressed, given, contacts.cones, more);
        const bool is_met = missed(contacts, before, VectorXd::Zero(count), p) < 1e-6 &&
                            missed(contacts, pressed, given, more) < 1e-6;
        num_open += is_met ? 0 : 1;
        if (!is_met) continue;
        CHECK(std::max(first, second) < 1e-6 * (1.0 + before.norm()));
        // Compression takes what it is given, up to rounding.
        const double energy = 0.5 * contacts.v.squaredNorm();
        CHECK(0.5 * p.dot(before + pressed) <= 1e-9 * energy);
        const VectorXd all = p + more;
        const VectorXd after = before + contacts.W * all;
        num_gains += 0.5 * all.dot(before + after) > 1e-9 * energy ? 1 : 0;
    }
    // Cones with large coefficients on nearly dependent rows may have no solution that sweeps find.
    CHECK(num_open <= kRuns / 200);
    CHECK(num_gains <= kRuns / 1000);
    MESSAGE("open ", num_open, ", with a gain ", num_gains);
}

/// Each contact is there twice, one behind all others: whatever their order, both bear alike, as
/// the feet of a body do whose load is symmetric.
TEST_CASE("contacts that are alike have impulses that are") {
    std::mt19937 random(23);
    int num_alike = 0;
    constexpr int kRuns = 300;
    for (int run = 0; run < kRuns; ++run) {
        CAPTURE(run);
        const int half = 1 + run % 3, count = 2 * half;
        Contacts contacts(random, count, 6);
        MatrixXd& C = contacts.C;
        C.middleRows(half, half) = C.topRows(half);
        C.bottomRows(count) = C.middleRows(count, count).eval();
        contacts.W = C * C.transpose();
        for (int i = 0; i < half; ++i) {
            const double mu = 0.5 * contacts.cones[static_cast<std::size_t>(i)].mu;
            contacts.cones[static_cast<std::size_t>(i)].mu = mu;
            contacts.cones[static_cast<std::size_t>(i + half)].mu = mu;
        }
        const VectorXd q = contacts.rates();
        VectorXd p;
        ancora::solve_friction(contacts.W, q, VectorXd::Zero(count), contacts.cones, p);
        if (missed(contacts, q, VectorXd::Zero(count), p) > 1e-9) continue;
        double apart = (p.head(half) - p.segment(half, half)).norm();
        for (int i = 0; i < half; ++i)
            apart += (p.segment<2>(count + 2 * i) - p.segment<2>(count + 2 * (i + half))).norm();
        num_alike += apart <= 1e-9 * (1.0 + p.norm()) ? 1 : 0;
    }
    MESSAGE("alike ", num_alike);
    CHECK(num_alike >= kRuns - kRuns / 20);
}

}  // namespace
