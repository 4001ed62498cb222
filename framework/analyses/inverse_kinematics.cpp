// SPDX-License-Identifier: BSD-3-Clause
// Damped least squares within the conditions.
#include "inverse_kinematics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <fmt/format.h>

#include "ancora/framework/value.hpp"
#include "dense.hpp"
#include "joint_space_equations.hpp"
#include "linear_equations.hpp"
#include "rate_rows.hpp"
#include "trimmed.hpp"

namespace ancora {
namespace {

// Of the model's size.
constexpr double kClosed = 1e-13;   // conditions
constexpr double kReached = 1e-10;  // targets
constexpr double kLongest = 0.25;   // a step
constexpr double kPassed = 1e-9;    // a stop
constexpr int kMostSteps = 300;
constexpr int kMostClosings = 30;
constexpr double kFirstDamping = 1e-3, kLeastDamping = 1e-14, kMostDamping = 1e6;
// A change of |e| that small is the end.
constexpr double kStill = 1e-12;
// The part of the way downhill that opens a stop.
constexpr double kOpens = 1e-9;
constexpr int kMostReleases = 100;
// Places to begin at besides, of the model's size from the first, and the part of |e| that makes
// one better.
constexpr double kPlacesBeside[] = {0.03, 0.1, 0.3, 0.3, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
constexpr double kBetter = 0.999;
// Coordinates without mass, of the mean mass.
constexpr double kLentMass = 1e-9;

struct Target {
    KinematicTarget is;
    RateName rates;
    Eigen::Quaterniond turn = Eigen::Quaterniond::Identity();  // of the body
    bool is_angle = false;

    Eigen::Index size() const {
        return rates.kind == RateKind::measure || rates.kind == RateKind::component ? 1 : 3;
    }
};

Target target_of(KernelSystem& system, const KinematicTarget& wanted) {
    Target out{wanted, find_rates(system, wanted.of, "inverse_kinematics")};
    const RateKind kind = out.rates.kind;
    if (kind == RateKind::angular_component)
        throw Error(ErrorKind::usage,
                    fmt::format("inverse_kinematics: \"{}\" is an angular velocity and no place; "
                                "take \"BODY.orientation\", a quaternion",
                                wanted.of));
    const std::size_t expected = kind == RateKind::orientation                        ? 4
                                 : kind == RateKind::point || kind == RateKind::frame ? 3
                                                                                      : 1;
    if (wanted.value.size() != expected)
        throw Error(ErrorKind::usage,
                    fmt::format("inverse_kinematics: {} takes {} number{}, not {}",
                                wanted.of,
                                expected,
                                expected == 1   ? ""
                                : expected == 3 ? "s, x, y and z [m]"
                                                : "s, a quaternion w, x, y, z",
                                wanted.value.size()));
    for (const double x : wanted.value)
        if (!std::isfinite(x))
            throw Error(ErrorKind::usage,
                        fmt::format("inverse_kinematics: a number of {} is not finite", wanted.of));
    out.is_angle = out.rates.unit == "rad";
    if (kind != RateKind::orientation) return out;
    const Eigen::Quaterniond turn(
        wanted.value[0], wanted.value[1], wanted.value[2], wanted.value[3]);
    if (!(turn.norm() > 0.0))
        throw Error(ErrorKind::usage,
                    fmt::format("inverse_kinematics: {} takes a quaternion, not zero", wanted.of));
    // Of a frame: R_frame = R_body axes
    out.turn = turn.normalized() * Eigen::Quaterniond(out.rates.axes).conjugate();
    return out;
}

class Search {
public:
    Search(KernelSystem& system, std::span<const KinematicTarget> targets)
        : system_(system), parts_(system.parts()), extent_(system.state().extent) {
        for (const KinematicTarget& wanted : targets) {
            targets_.push_back(target_of(system, wanted));
            num_errors_ += targets_.back().size();
        }
    }

    Placement find() {
        const Eigen::VectorXd start = system_.state().q;
        if (!begin_at(start)) refuse();
        search();
        Place best = at_;
        // From a place where no way leads on, as that of an arm that is stretched, others beside it
        // may.
        std::mt19937 engine(1);
        for (const double part : kPlacesBeside) {
            if (is_reached(best)) break;
            if (!begin_at(beside(start, part * extent_, engine))) continue;
            const int steps = best.steps;
            search();
            at_.steps += steps;
            best.steps = at_.steps;
            if (is_reached(at_) || at_.e.norm() < kBetter * best.e.norm()) best = at_;
        }
        return placement(best);
    }

private:
    /// A place, and the rows at their stops there.
    struct Place {
        Eigen::VectorXd q, e;
        std::vector<int> closed;  // unilateral rows, ascending
        int steps = 0;
        Eigen::Index num_free = 0;
    };

    bool is_reached(const Place& place) const {
        return place.e.size() == 0 || place.e.norm() <= kReached * extent_;
    }
    /// Unilateral rows whose stops a place has passed, but for these.
    std::vector<int> passed(const Eigen::VectorXd& q, const std::vector<int>& closed) {
        std::vector<int> out;
        const std::vector<int>& all = parts_.rows.unilateral();
        if (all.empty()) return out;
        const Eigen::VectorXd v = Eigen::VectorXd::Zero(parts_.n);
        RowSet::StateValues at;
        parts_.rows.evaluate(q.data(), v.data(), system_.time(), at);
        for (const int row : all)
            if (at.pi[row] < -kPassed * extent_ && !std::ranges::binary_search(closed, row))
                out.push_back(row);
        return out;
    }
    /// The nearest place that meets the conditions and passes no stop; what it would pass is
    /// closed.
    bool close_within_stops(Eigen::VectorXd& q, std::vector<int>& closed) {
        const Eigen::VectorXd from = q;
        while (true) {
            if (!close(q, closed)) return false;
            const std::vector<int> more = passed(q, closed);
            if (more.empty()) return true;
            closed.insert(closed.end(), more.begin(), more.end());
            std::ranges::sort(closed);
            q = from;
        }
    }
    bool begin_at(const Eigen::VectorXd& q) {
        at_ = {};
        at_.q = q;
        return close_within_stops(at_.q, at_.closed);
    }
    /// Moved at random as far, of the motions that conditions leave.
    Eigen::VectorXd beside(const Eigen::VectorXd& q, double way, std::mt19937& engine) {
        const ConditionRows at = conditions(q, {});
        if (at.Z.cols() == 0) return q;
        Eigen::VectorXd x(at.Z.cols());
        for (double& one : x) one = 2.0 * static_cast<double>(engine()) * 0x1p-32 - 1.0;
        const Eigen::VectorXd dq = weighted(at.Z, q) * x;
        const double moved = parts_.space.displacement(dq.data());
        return moved > 0.0 ? Eigen::VectorXd(q + way / moved * dq) : q;
    }
    ConditionRows conditions(const Eigen::VectorXd& q, const std::vector<int>& closed) {
        return ConditionRows::of(system_, q, Eigen::VectorXd::Zero(parts_.n), false, closed);
    }
    /// Differences at q, angles times the model's size; J with them if it is wanted.
    Eigen::VectorXd differences(const Eigen::VectorXd& q, Eigen::MatrixXd* J) {
        const Eigen::VectorXd v = Eigen::VectorXd::Zero(parts_.n);
        Eigen::VectorXd e(num_errors_);
        if (J != nullptr) J->resize(num_errors_, parts_.n);
        Eigen::Index first = 0;
        for (Target& target : targets_) {
            const Eigen::Index size = target.size();
            target.rates.rows->evaluate(q, v, system_.time());
            auto part = e.segment(first, size);
            if (target.rates.kind == RateKind::orientation) {
                const Eigen::AngleAxisd left(target.turn * attitude(q, target).conjugate());
                // The shorter way round
                part = std::remainder(left.angle(), 2.0 * std::numbers::pi) * left.axis();
            } else {
                for (Eigen::Index i = 0; i < size; ++i)
                    part[i] =
                        target.is.value[static_cast<std::size_t>(i)] - target.rates.rows->value[i];
                if (target.is_angle && size == 1 && turns_round(target))
                    part[0] = std::remainder(part[0], 2.0 * std::numbers::pi);
            }
            const double scale = target.is_angle ? extent_ : 1.0;
            part *= scale;
            if (J != nullptr)
                J->middleRows(first, size) = scale * target.rates.rows->J.topRows(size);
            first += size;
        }
        return e;
    }
    /// An angle between two directions, 0 to pi, does not.
    bool turns_round(const Target& target) const {
        for (const JointValues::Entry& entry : system_.joints().entries())
            if (entry.name == target.is.of) return entry.function.kind() == MeasureKind::angle;
        return false;
    }
    Eigen::Quaterniond attitude(const Eigen::VectorXd& q, const Target& target) const {
        const BodyPart& body = parts_.model.bodies[static_cast<std::size_t>(target.rates.body)];
        const Eigen::VectorXd v = Eigen::VectorXd::Zero(parts_.n);
        const auto first = static_cast<std::size_t>(body.first);
        const auto count = static_cast<std::size_t>(body.count);
        const double t = system_.time();
        const Pose pose =
            body.pose(std::span(q.data() + first, count), std::span(v.data() + first, count), &t);
        const auto& p = pose.quaternion;
        return Eigen::Quaterniond(p[0], p[1], p[2], p[3]);
    }

    /// Newton's method on the conditions from q. Whether it closes.
    bool close(Eigen::VectorXd& q, const std::vector<int>& closed) {
        double last = std::numeric_limits<double>::infinity();
        std::vector<int> kept;
        for (int k = 0; k < kMostClosings; ++k) {
            ConditionRows at = conditions(q, closed);
            const double gap = at.gap.size() > 0 ? at.gap.cwiseAbs().maxCoeff() : 0.0;
            if (gap <= kClosed * extent_) return true;
            if (!(gap < 0.5 * last) && gap <= kReached * extent_) return true;
            if (!std::isfinite(gap) || (k > 3 && gap > last)) return false;
            last = gap;
            // Rows that are independent at the first place: others are met with them (theory,
            // section 1.6).
            if (k == 0)
                kept = at.kept;
            else
                at.kept = kept;
            q += at.least_motion(-at.gap);
        }
        return false;
    }
    /// N of (1).
    Eigen::MatrixXd weighted(const Eigen::MatrixXd& Z, const Eigen::VectorXd& q) {
        parts_.mass.update(q.data(), system_.v().data(), system_.time(), parts_.meter, nullptr);
        Eigen::MatrixXd MZ(Z.rows(), Z.cols());
        for (Eigen::Index k = 0; k < Z.cols(); ++k)
            parts_.mass.multiply(Z.col(k).data(), MZ.col(k).data());
        Eigen::MatrixXd M = Z.transpose() * MZ;
        M.diagonal().array() += kLentMass * M.trace() / static_cast<double>(M.rows());
        const Eigen::LLT<Eigen::MatrixXd> factor(M);
        // N = Z L^-T
        Eigen::MatrixXd out = Z.transpose();
        factor.matrixL().solveInPlace(out);
        return out.transpose();
    }

    /// Within the rows that are closed, and without those that hold the place from the wrong side.
    void search() {
        at_.e = differences(at_.q, nullptr);
        for (int k = 0; k <= kMostReleases; ++k) {
            descend();
            if (is_reached(at_) || at_.steps >= kMostSteps || !release()) return;
        }
    }
    void descend() {
        double damping = kFirstDamping;
        Eigen::MatrixXd J;
        for (bool goes_on = true; goes_on && at_.steps < kMostSteps; ++at_.steps) {
            differences(at_.q, &J);
            const ConditionRows at = conditions(at_.q, at_.closed);
            at_.num_free = at.Z.cols();
            if (at.Z.cols() == 0) break;
            const Eigen::MatrixXd N = weighted(at.Z, at_.q);
            const Eigen::MatrixXd G = J * N;
            at_.num_free -= G.size() > 0 ? RankRevealingQr(G.transpose()).rank(kIndependent) : 0;
            if (at_.e.norm() <= kClosed * extent_) break;
            const Eigen::MatrixXd H = G * G.transpose();
            const double unit = H.trace() / static_cast<double>(H.rows());
            goes_on = false;
            if (!(unit > 0.0)) break;
            for (; damping <= kMostDamping; damping *= 10.0) {
                Eigen::MatrixXd damped = H;
                damped.diagonal().array() += damping * unit;
                const Eigen::LDLT<Eigen::MatrixXd> factor(damped);
                const Eigen::VectorXd mu = factor.solve(at_.e);
                Eigen::VectorXd dq = N * (G.transpose() * mu);
                const double way = parts_.space.displacement(dq.data());
                if (way > kLongest * extent_) dq *= kLongest * extent_ / way;
                Eigen::VectorXd next = at_.q + dq;
                std::vector<int> closed = at_.closed;
                if (!close_within_stops(next, closed)) continue;
                const Eigen::VectorXd e = differences(next, nullptr);
                if (!(e.norm() < at_.e.norm())) continue;
                goes_on = at_.e.norm() - e.norm() > kStill * at_.e.norm();
                at_.q = next;
                at_.e = e;
                at_.closed = closed;
                damping = std::max(0.1 * damping, kLeastDamping);
                break;
            }
        }
    }
    /// Opens the closed row that the way downhill leads away from the most, if there is one.
    bool release() {
        if (at_.closed.empty()) return false;
        Eigen::MatrixXd J;
        differences(at_.q, &J);
        const ConditionRows all = conditions(at_.q, parts_.rows.unilateral());
        double most = 0.0;
        int which = -1;
        for (const int row : at_.closed) {
            std::vector<int> others = at_.closed;
            std::erase(others, row);
            const ConditionRows at = conditions(at_.q, others);
            if (at.Z.cols() == 0) continue;
            const Eigen::MatrixXd N = weighted(at.Z, at_.q);
            const Eigen::VectorXd downhill = N * (N.transpose() * (J.transpose() * at_.e));
            const auto place = std::ranges::find(all.row, row) - all.row.begin();
            const double opens = all.A.row(place).dot(downhill);
            if (opens > kOpens * downhill.norm() && opens > most) {
                most = opens;
                which = row;
            }
        }
        std::erase(at_.closed, which);
        return which >= 0;
    }
    Placement placement(const Place& place) {
        Placement out;
        out.q = place.q;
        out.found.iterations = place.steps;
        out.found.num_free = static_cast<int>(place.num_free);
        Eigen::Index first = 0;
        for (const Target& target : targets_) {
            const double left = place.e.segment(first, target.size()).norm();
            double& worst = target.is_angle ? out.found.angle : out.found.distance;
            worst = std::max(worst, target.is_angle ? left / extent_ : left);
            first += target.size();
        }
        out.found.is_reached = is_reached(place);
        for (const int row : place.closed) out.found.at_limits.push_back(parts_.rows.row_name(row));
        const ConditionRows rates =
            ConditionRows::of(system_, out.q, Eigen::VectorXd::Zero(parts_.n), true, place.closed);
        out.v = rates.least_motion(-rates.pi_t);
        return out;
    }
    [[noreturn]] static void refuse() {
        throw Error(ErrorKind::numerical,
                    "inverse_kinematics: the constraints cannot be met from the present state; "
                    "`ancora check` tells which contradict each other");
    }

    KernelSystem& system_;
    Assembly& parts_;
    double extent_;
    std::vector<Target> targets_;
    Eigen::Index num_errors_ = 0;
    Place at_;
};

}  // namespace

KinematicTarget KinematicTarget::parse(const std::string& text) {
    const auto refuse = [&text] {
        throw Error(ErrorKind::usage,
                    fmt::format("\"{}\" is no target; write \"hand@[0, 0, 0.1] = [0.3, 0, 0.5]\" "
                                "[m], \"hand.orientation = [1, 0, 0, 0]\", a quaternion, or "
                                "\"elbow.angle = 0.4\" [rad]",
                                text));
    };
    const std::size_t equal = text.rfind('=');
    if (equal == std::string::npos) refuse();
    const std::string_view both = text;
    KinematicTarget out{std::string(trimmed(both.substr(0, equal))), {}};
    const std::string numbers(trimmed(both.substr(equal + 1)));
    if (out.of.empty() || numbers.empty()) refuse();
    const auto add = [&](const Value& value) {
        if (const auto* const x = value.as<double>())
            out.value.push_back(*x);
        else if (const auto* const k = value.as<std::int64_t>())
            out.value.push_back(static_cast<double>(*k));
        else
            refuse();
    };
    const Value value = parse_value(numbers);
    if (const Array* const array = value.as<Array>(); array != nullptr)
        for (const Value& one : *array) add(one);
    else
        add(value);
    return out;
}

Placement place(KernelSystem& system, std::span<const KinematicTarget> targets) {
    if (system.num_coordinates() > kMostDense)
        throw Error(
            ErrorKind::numerical,
            fmt::format("inverse_kinematics: the model has more than {} coordinates", kMostDense));
    if (targets.empty())
        throw Error(ErrorKind::usage, "inverse_kinematics: there is nothing to be placed");
    Placement out = Search(system, targets).find();
    // As the system's own evaluations left it.
    RowSet::StateValues at;
    system.parts().rows.evaluate(system.q().data(), system.v().data(), system.time(), at);
    system.parts().mass.update(
        system.q().data(), system.v().data(), system.time(), system.parts().meter, nullptr);
    return out;
}

}  // namespace ancora
