// SPDX-License-Identifier: BSD-3-Clause
// Sweeps and Newton's iteration on projections.
#include "friction_impulse.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "complementarity.hpp"
#include "dense.hpp"

namespace ancora {
namespace {

constexpr int kMostSweeps = 2000;
constexpr int kJointSweeps = 200;   // first of them, of all contacts together
constexpr int kSweepsBetween = 20;  // before Newton's iteration is tried
constexpr int kMostNewton = 20;
constexpr double kSolved = 64.0 * std::numeric_limits<double>::epsilon();

using Slide = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, 3, 1>;

/// The problem (1), (2) with its present p and u.
class FrictionProblem {
public:
    FrictionProblem(const Eigen::MatrixXd& W,
                    const Eigen::VectorXd& q,
                    const Eigen::VectorXd& given,
                    const std::vector<FrictionCone>& cones)
        : W_(W), q_(q), given_(given), cone_of_(static_cast<std::size_t>(given.size()), nullptr) {
        for (const FrictionCone& cone : cones)
            cone_of_[static_cast<std::size_t>(cone.normal)] = &cone;
        overlap_ = find_overlap();
    }

    void set(const Eigen::VectorXd& p) {
        p_ = p;
        u_ = q_ + W_ * p_;
    }
    const Eigen::VectorXd& p() const { return p_; }

    /// Gauss-Seidel over the contacts, each by a step along u that no part of it can overshoot:
    /// tangential impulses may lift a contact more than its normal one does. @returns the largest
    /// change
    double sweep() {
        double largest = 0.0;
        for (Eigen::Index i = 0; i < given_.size(); ++i) {
            const FrictionCone* const cone = cone_of_[static_cast<std::size_t>(i)];
            const double r = W_(i, i) + (cone != nullptr ? stiffness(*cone) : 0.0);
            if (W_(i, i) > 0.0)
                largest =
                    std::max(largest, change(i, std::max(given_[i], p_[i] - u_[i] / r) - p_[i]));
            if (cone == nullptr) continue;
            const Slide d = project(*cone, r) - p_.segment(cone->first, cone->count);
            for (int k = 0; k < cone->count; ++k)
                largest = std::max(largest, change(cone->first + k, d[k]));
        }
        return largest;
    }

    /// The same of all contacts at once, by a part of that step which the sum of their effects does
    /// not overshoot. Where impulses are not unique it prefers no contact for its place: what is
    /// symmetric stays so.
    double sweep_together() {
        Eigen::VectorXd d = Eigen::VectorXd::Zero(p_.size());
        for (Eigen::Index i = 0; i < given_.size(); ++i) {
            const FrictionCone* const cone = cone_of_[static_cast<std::size_t>(i)];
            const double r = overlap_ * (W_(i, i) + (cone != nullptr ? stiffness(*cone) : 0.0));
            if (W_(i, i) > 0.0) d[i] = std::max(given_[i], p_[i] - u_[i] / r) - p_[i];
            if (cone == nullptr) continue;
            d.segment(cone->first, cone->count) =
                project(*cone, r) - p_.segment(cone->first, cone->count);
        }
        p_ += d;
        u_ = q_ + W_ * p_;
        return d.lpNorm<Eigen::Infinity>();
    }

    /// What is left of (1) and (2), in units of u.
    double residual() const {
        double worst = 0.0;
        for (Eigen::Index i = 0; i < given_.size(); ++i) {
            if (W_(i, i) > 0.0)
                worst = std::max(
                    worst, std::abs(std::min(p_[i] - given_[i], u_[i] / W_(i, i))) * W_(i, i));
            const FrictionCone* const cone = cone_of_[static_cast<std::size_t>(i)];
            if (cone == nullptr || !(stiffness(*cone) > 0.0)) continue;
            worst = std::max(
                worst,
                (project(*cone, stiffness(*cone)) - p_.segment(cone->first, cone->count)).norm() *
                    stiffness(*cone));
        }
        return worst;
    }
    /// Of the terms of u.
    double scale() const {
        return q_.lpNorm<Eigen::Infinity>() + (W_.cwiseAbs() * p_.cwiseAbs()).maxCoeff();
    }

    /// Newton's iteration on p = projection of p - r u.
    bool polish() {
        const Eigen::Index n = p_.size();
        double best = residual();
        for (int round = 0; round < kMostNewton && best > kSolved * scale(); ++round) {
            Eigen::MatrixXd J = Eigen::MatrixXd::Zero(n, n);
            Eigen::VectorXd F = Eigen::VectorXd::Zero(n);
            for (Eigen::Index i = 0; i < given_.size(); ++i) linearise(i, J, F);
            const Eigen::VectorXd before = p_;
            const Eigen::VectorXd step = least_norm_solution(J, F);
            if (!step.allFinite()) return false;
            set(p_ - step);
            const double now = residual();
            if (!(now < best)) {
                set(before);
                return false;
            }
            best = now;
        }
        return best <= kSolved * scale();
    }

private:
    double change(Eigen::Index k, double d) {
        p_[k] += d;
        u_ += d * W_.col(k);
        return std::abs(d);
    }
    double stiffness(const FrictionCone& cone) const {
        double sum = 0.0;
        for (int k = 0; k < cone.count; ++k) sum += W_(cone.first + k, cone.first + k);
        return sum;
    }
    double radius_of(const FrictionCone& cone) const {
        return cone.mu * std::max(p_[cone.normal] - cone.rubbed, 0.0);
    }
    Slide project(const FrictionCone& cone, double r) const {
        Slide z = p_.segment(cone.first, cone.count);
        if (r > 0.0) z -= u_.segment(cone.first, cone.count) / r;
        const double length = z.norm(), radius = radius_of(cone);
        return length > radius ? Slide(radius / length * z) : z;
    }
    /// Rows of F and its derivative J, scaled to u.
    void linearise(Eigen::Index i, Eigen::MatrixXd& J, Eigen::VectorXd& F) const {
        const double w = W_(i, i) > 0.0 ? W_(i, i) : 1.0;
        const bool is_closed = W_(i, i) > 0.0 && p_[i] - u_[i] / w > given_[i];
        if (is_closed) {
            J.row(i) = W_.row(i);
            F[i] = u_[i];
        } else {
            J(i, i) = w;
            F[i] = w * (p_[i] - given_[i]);
        }
        const FrictionCone* const cone = cone_of_[static_cast<std::size_t>(i)];
        if (cone == nullptr) return;
        const double r = stiffness(*cone);
        const auto rows = Eigen::seqN(cone->first, cone->count);
        const Eigen::VectorXd p = p_(rows);
        const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(cone->count, cone->count);
        if (!(r > 0.0)) {
            J(rows, rows) = one;
            F(rows) = p;
            return;
        }
        const Eigen::VectorXd z = p - u_(rows) / r;
        const double length = z.norm(), radius = radius_of(*cone);
        if (length <= radius) {
            J(rows, Eigen::all) = W_(rows, Eigen::all);
            F(rows) = u_(rows);
            return;
        }
        // F = r (p - mu p_n z / |z|)
        const Eigen::VectorXd e = z / length;
        const Eigen::MatrixXd turning = radius / length * (one - e * e.transpose());
        J(rows, Eigen::all) = turning * W_(rows, Eigen::all);
        J(rows, rows) += r * (one - turning);
        if (p_[i] > cone->rubbed) J(rows, Eigen::Index(i)) -= r * cone->mu * e;
        F(rows) = r * (p - radius * e);
    }

    /// A bound of how much more the impulses of all contacts do to one than its own, by the terms
    /// of W scaled to its blocks.
    double find_overlap() const {
        Eigen::VectorXd scale = Eigen::VectorXd::Zero(q_.size());
        for (Eigen::Index i = 0; i < given_.size(); ++i) {
            const FrictionCone* const cone = cone_of_[static_cast<std::size_t>(i)];
            const double r = W_(i, i) + (cone != nullptr ? stiffness(*cone) : 0.0);
            if (!(r > 0.0)) continue;
            scale[i] = 1.0 / std::sqrt(r);
            if (cone != nullptr) scale.segment(cone->first, cone->count).setConstant(scale[i]);
        }
        const Eigen::VectorXd sums = scale.cwiseProduct(W_.cwiseAbs() * scale);  // rows of |S W S|
        return std::max(sums.maxCoeff(), 1.0);
    }

    const Eigen::MatrixXd& W_;
    const Eigen::VectorXd& q_;
    const Eigen::VectorXd& given_;
    std::vector<const FrictionCone*> cone_of_;  // of each normal row
    double overlap_ = 1.0;
    Eigen::VectorXd p_, u_;
};

}  // namespace

double solve_friction(const Eigen::MatrixXd& W,
                      const Eigen::VectorXd& q,
                      const Eigen::VectorXd& given,
                      const std::vector<FrictionCone>& cones,
                      Eigen::VectorXd& p,
                      FrictionStart start) {
    const Eigen::Index n = given.size();
    if (start == FrictionStart::sticking) {
        p = least_norm_solution(W, -q);
        p.head(n) = p.head(n).cwiseMax(given);
    } else {
        const Eigen::MatrixXd normal = W.topLeftCorner(n, n);
        Eigen::VectorXd more;
        solve_complementarity(normal, q.head(n) + normal * given, more, OfSeveral::least_norm);
        p.setZero(q.size());
        p.head(n) = given + more;
    }
    FrictionProblem problem(W, q, given, cones);
    problem.set(p);
    for (int sweeps = 1; sweeps <= kMostSweeps; ++sweeps) {
        const double changed = sweeps <= kJointSweeps ? problem.sweep_together() : problem.sweep();
        const bool has_settled = changed <= std::numeric_limits<double>::epsilon() *
                                                problem.p().lpNorm<Eigen::Infinity>();
        if (!has_settled && sweeps % kSweepsBetween != 0) continue;
        p = problem.p();
        problem.set(p);
        if (problem.polish() || has_settled) break;
        problem.set(p);
    }
    p = problem.p();
    return problem.residual();
}

}  // namespace ancora
