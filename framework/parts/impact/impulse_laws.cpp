// SPDX-License-Identifier: BSD-3-Clause
// Two phases together, contacts in turn, and the way of one impulse.
#include "impulse_laws.hpp"

#include <algorithm>
#include <cmath>

#include "complementarity.hpp"

namespace ancora {
namespace {

// A gain within this part of the terms that it is the sum of is rounding.
constexpr double kNoGain = 1e-12;
constexpr int kBisections = 60;   // of the restitution of an impact that would gain
constexpr int kMostTurns = 1000;  // of each contact; what still closes then stops
// Parts of the normal impulse that stops a contact, on the way of (3), and the most of them.
constexpr double kParts = 1000.0;
constexpr int kMostParts = 100'000;
// Two solutions whose rates differ by more than this part of the terms are not one.
constexpr double kUnlike = 1e-6;

/// Compression and expansion, with `part` of every e.
Eigen::VectorXd two_phases(const Collision& of, const Eigen::VectorXd& p, double part) {
    const Eigen::VectorXd compressed = of.q + of.W * p;
    Eigen::VectorXd given = Eigen::VectorXd::Zero(of.num_normal()), q = compressed, more;
    for (Eigen::Index i = 0; i < given.size(); ++i) {
        const Collision::Contact& contact = of.contacts[static_cast<std::size_t>(i)];
        const double e = part * contact.e;
        if (contact.law == ImpactLaw::newton)
            q[i] += e * std::min(of.q[i], 0.0);
        else
            given[i] = e * p[i];
    }
    solve_contacts(of, q, given, more);
    return p + more;
}

/// The impulses with the largest part of all e that gains nothing; e = 0 never gains.
/// @param throws_back whether any e has a part in them
/// @param work what the step before has changed of the energy
template <class Solve>
Eigen::VectorXd without_gain(
    const Collision& of, bool throws_back, double work, const Solve& solve, bool& was_lowered) {
    const Eigen::VectorXd p = solve(1.0);
    if (!throws_back) return p;
    const double terms = std::abs(work) + p.cwiseAbs().dot(of.q.cwiseAbs());
    if (!(work + of.change(p) > kNoGain * terms)) return p;
    was_lowered = true;
    double low = 0.0, high = 1.0;
    for (int k = 0; k < kBisections; ++k) {
        const double mid = 0.5 * (low + high);
        (work + of.change(solve(mid)) > 0.0 ? high : low) = mid;
    }
    return solve(low);
}

/// The two solutions of compression that are looked for: from contacts without friction, and from
/// all closed and sticking, which is taken where both are solutions.
Eigen::VectorXd compress(const Collision& of, bool& are_several) {
    Eigen::VectorXd p, sticking;
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(of.num_normal());
    if (of.cones.empty()) {
        solve_contacts(of, of.q, none, p);
        return p;
    }
    const double left = solve_friction(of.W, of.q, none, of.cones, p);
    const double left_sticking =
        solve_friction(of.W, of.q, none, of.cones, sticking, FrictionStart::sticking);
    const double scale = of.q.lpNorm<Eigen::Infinity>();
    if (left_sticking > kUnlike * kUnlike * scale) return p;
    if (left > kUnlike * kUnlike * scale) return sticking;
    are_several = (of.W * (p - sticking)).lpNorm<Eigen::Infinity>() > kUnlike * scale;
    return sticking;
}

CollisionImpulses solve_together(const Collision& of) {
    CollisionImpulses out;
    const Eigen::VectorXd p = compress(of, out.are_several);
    const bool throws_back = std::ranges::any_of(of.contacts, [](const auto& contact) {
        return contact.e > 0.0;
    });
    out.p = without_gain(
        of,
        throws_back,
        0.0,
        [&](double part) {
            return two_phases(of, p, part);
        },
        out.was_lowered);
    return out;
}

/// The impulse of one contact along its way, in parts of the normal one.
class ImpulsePath {
public:
    explicit ImpulsePath(const Collision& of)
        : of_(of), u_(of.q), p_(Eigen::VectorXd::Zero(u_.size())) {
        const Eigen::Index count = u_.size() - 1;
        if (count > 0) {
            W_t_ = of.W.bottomRightCorner(count, count);
            r_ = W_t_.trace();
            mu_ = of.cones.front().mu;
        }
        // Without friction the way is straight.
        part_ = -u_[0] / of.W(0, 0) / (r_ > 0.0 && mu_ > 0.0 ? kParts : 1.0);
    }

    /// By (3); false where it does not end.
    bool go(double e) {
        double compressed = 0.0, expanded = 0.0;
        for (int k = 0; k < kMostParts; ++k) {
            const Eigen::VectorXd dp = impulses_of(part_), du = of_.W * dp;
            // The work of a part d of the normal impulse is u d + du d / 2, u its rate before.
            if (u_[0] < 0.0) {
                const double part = u_[0] + du[0] > 0.0 ? -u_[0] / du[0] : 1.0;
                const double before = u_[0];
                if (part < 1.0)
                    take(impulses_of(part * part_));
                else
                    take(dp);
                if (part < 1.0) u_[0] = 0.0;
                compressed -= 0.5 * (before + u_[0]) * part * part_;
                continue;
            }
            const double wanted = e * e * compressed - expanded;
            const double work = (u_[0] + 0.5 * du[0]) * part_;
            if (work < wanted) {
                take(dp);
                expanded += work;
                continue;
            }
            // u x + du x^2 / 2 = wanted / part
            const double c = wanted / part_;
            const double root = std::sqrt(u_[0] * u_[0] + 2.0 * du[0] * c);
            if (c > 0.0) take(impulses_of(part_ * 2.0 * c / (u_[0] + root)));
            return true;
        }
        return false;
    }
    const Eigen::VectorXd& impulse() const { return p_; }

private:
    /// Of a part d: tangential impulses of at most mu d, against the slip behind it.
    Eigen::VectorXd impulses_of(double d) const {
        Eigen::VectorXd dp = Eigen::VectorXd::Zero(u_.size());
        dp[0] = d;
        if (!(r_ > 0.0) || !(mu_ > 0.0)) return dp;
        const Eigen::Index count = u_.size() - 1;
        const Eigen::VectorXd q = u_.tail(count) + d * of_.W.col(0).tail(count);
        Eigen::VectorXd t = Eigen::VectorXd::Zero(count);
        constexpr int kMostProjections = 1000;
        for (int k = 0; k < kMostProjections; ++k) {
            // One row has its projection at once; more have it by steps that cannot overshoot.
            Eigen::VectorXd z = t - (q + W_t_ * t) / r_;
            if (const double length = z.norm(); length > mu_ * d) z *= mu_ * d / length;
            const double moved = (z - t).norm();
            t = z;
            if (moved <= kNoGain * mu_ * d) break;
        }
        dp.tail(count) = t;
        return dp;
    }
    void take(const Eigen::VectorXd& dp) {
        p_ += dp;
        u_ += of_.W * dp;
    }

    const Collision& of_;
    Eigen::VectorXd u_, p_;
    Eigen::MatrixXd W_t_;
    double r_ = 0.0, mu_ = 0.0, part_ = 0.0;
};

/// One contact of them, at the rates u.
Collision alone(const Collision& of,
                Eigen::Index i,
                const Eigen::VectorXd& u,
                std::vector<Eigen::Index>& rows) {
    rows.assign(1, i);
    Collision one;
    one.contacts = {of.contacts[static_cast<std::size_t>(i)]};
    for (const FrictionCone& cone : of.cones) {
        if (cone.normal != i) continue;
        for (int k = 0; k < cone.count; ++k) rows.push_back(cone.first + k);
        one.cones = {{0, 1, cone.count, cone.mu}};
    }
    one.W = of.W(rows, rows);
    one.q = u(rows);
    return one;
}

CollisionImpulses solve_one(const Collision& one) {
    if (one.contacts.front().law != ImpactLaw::energetic) return solve_together(one);
    ImpulsePath path(one);
    if (!path.go(one.contacts.front().e)) return solve_together(one);
    return {path.impulse()};
}

/// Where all stop at last, what is left closes without restitution.
Eigen::VectorXd stop_all(const Collision& of, const Eigen::VectorXd& u) {
    Collision rest = of;
    rest.q = u;
    for (Collision::Contact& contact : rest.contacts) contact.e = 0.0;
    return solve_together(rest).p;
}

CollisionImpulses solve_in_turn(const Collision& of) {
    CollisionImpulses out;
    out.p.setZero(of.q.size());
    Eigen::VectorXd u = of.q;
    std::vector<Eigen::Index> rows;
    const Eigen::Index most = kMostTurns * of.num_normal();
    for (Eigen::Index turn = 0; turn <= most; ++turn) {
        Eigen::Index next = -1;
        double fastest = 0.0;
        for (Eigen::Index i = 0; i < of.num_normal(); ++i) {
            if (!(of.W(i, i) > 0.0)) continue;
            const double closes = -u[i] - of.contacts[static_cast<std::size_t>(i)].at_rest;
            if (!(closes > fastest)) continue;
            fastest = closes;
            next = i;
        }
        if (next < 0) break;
        if (turn == most) {
            out.p += stop_all(of, u);
            break;
        }
        const CollisionImpulses one = solve_one(alone(of, next, u, rows));
        out.was_lowered = out.was_lowered || one.was_lowered;
        out.are_several = out.are_several || one.are_several;
        out.p(rows) += one.p;
        u = of.q + of.W * out.p;
    }
    return out;
}

}  // namespace

void solve_contacts(const Collision& collision,
                    const Eigen::VectorXd& q,
                    const Eigen::VectorXd& given,
                    Eigen::VectorXd& p) {
    if (!collision.cones.empty()) {
        solve_friction(collision.W, q, given, collision.cones, p);
        return;
    }
    solve_complementarity(collision.W, q + collision.W * given, p);
    p += given;
}

CollisionImpulses solve_sum(const Collision& collision,
                            const Eigen::VectorXd& P,
                            const Eigen::VectorXd& began,
                            double work) {
    CollisionImpulses out;
    const Eigen::Index count = collision.num_normal();
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(count);
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(collision.q.size());
    sum.head(count) = P;
    const Eigen::VectorXd without = collision.q - collision.W * sum;
    bool throws_back = false;
    for (Eigen::Index i = 0; i < count; ++i) {
        const Collision::Contact& contact = collision.contacts[static_cast<std::size_t>(i)];
        throws_back = throws_back || (contact.e > 0.0 && began[i] < -contact.at_rest);
    }
    out.p = without_gain(
        collision,
        throws_back,
        work,
        [&](double part) -> Eigen::VectorXd {
            Eigen::VectorXd q = without, r;
            for (Eigen::Index i = 0; i < count; ++i)
                q[i] += part * collision.contacts[static_cast<std::size_t>(i)].e *
                        std::min(began[i], 0.0);
            solve_contacts(collision, q, none, r);
            return r - sum;
        },
        out.was_lowered);
    return out;
}

CollisionImpulses solve_collision(const Collision& collision) {
    const bool is_energetic = std::ranges::any_of(collision.contacts, [](const auto& contact) {
        return contact.law == ImpactLaw::energetic;
    });
    return collision.is_in_turn || is_energetic ? solve_in_turn(collision)
                                                : solve_together(collision);
}

}  // namespace ancora
