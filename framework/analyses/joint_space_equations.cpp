// SPDX-License-Identifier: BSD-3-Clause
// The choice of coordinates, and the equations projected onto them.
#include "joint_space_equations.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "dense.hpp"
#include "linear_equations.hpp"
#include "rate_rows.hpp"
#include "wording.hpp"

namespace ancora {
namespace {

std::vector<double> by_rows(const Eigen::MatrixXd& x) {
    std::vector<double> values;
    values.reserve(static_cast<std::size_t>(x.size()));
    for (Eigen::Index i = 0; i < x.rows(); ++i)
        for (Eigen::Index j = 0; j < x.cols(); ++j) values.push_back(x(i, j));
    return values;
}

bool is_condition(const Assembly& parts, int row, bool with_rates) {
    if (parts.rows.is_unilateral(row)) return false;
    const RowKind kind = parts.laws[row].kind;
    return kind == RowKind::constraint || (with_rates && is_velocity_kind(kind));
}

// Of the largest pivot: coordinates with smaller ones tell of a motion by small differences.
constexpr double kClear = 1e-4;

struct ChosenCoordinate {
    std::string name;
    RateName is;
};

/// Coordinates that tell of all motions, one after the other.
class Choice {
public:
    Choice(KernelSystem& system, const ConditionRows& conditions)
        : system_(system), conditions_(conditions), q_(system.state().q), v_(system.state().v) {
        const Eigen::Index r = conditions.Z.cols();
        G_.resize(r, r);
    }

    bool is_complete() const { return count() == conditions_.Z.cols(); }
    enum class Verdict { chosen, fixed, following };
    Verdict offer(const std::string& name, RateName is) {
        const Told told = look(is);
        if (!told.moves) return Verdict::fixed;
        if (!(told.left.norm() > kIndependent)) return Verdict::following;
        G_.col(count()) = told.left / told.left.norm();
        chosen.push_back({name, std::move(is)});
        return Verdict::chosen;
    }
    /// The same set, to try others with.
    Choice fork() const {
        Choice out(system_, conditions_);
        out.G_ = G_;
        out.num_before_ = num_before_ + std::ssize(chosen);
        return out;
    }
    void take(Choice&& more) {
        G_ = more.G_;
        for (ChosenCoordinate& one : more.chosen) chosen.push_back(std::move(one));
    }
    /// Whether the set tells of all motions, none of them by small differences.
    bool is_clear() const {
        if (!is_complete()) return false;
        Eigen::MatrixXd rows(num_motions(), std::ssize(chosen));
        for (Eigen::Index i = 0; i < rows.cols(); ++i)
            rows.col(i) = along(chosen[static_cast<std::size_t>(i)].is).normalized();
        const auto before = G_.leftCols(num_before_);
        rows -= before * (before.transpose() * rows).eval();
        const Eigen::VectorXd pivots = RankRevealingQr(rows).pivots();
        return pivots.size() == 0 || pivots[pivots.size() - 1] > kClear * pivots[0];
    }
    Eigen::Index num_motions() const { return conditions_.Z.cols(); }
    /// Of its row along motions, at unit length, what those before leave.
    Eigen::VectorXd left(const RateName& is) const {
        const Told told = look(is);
        return told.moves ? told.left : Eigen::VectorXd(Eigen::VectorXd::Zero(num_motions()));
    }
    /// A motion that none of them tells, by its body that moves most.
    std::string untold() const {
        Eigen::VectorXd best;
        double most = -1.0;
        for (Eigen::Index k = 0; k < conditions_.Z.cols(); ++k) {
            Eigen::VectorXd x = Eigen::VectorXd::Unit(conditions_.Z.cols(), k);
            x -= G_.leftCols(count()) * (G_.leftCols(count()).transpose() * x).eval();
            if (x.norm() <= most) continue;
            most = x.norm();
            best = conditions_.Z * x;
        }
        const BodyPart* worst = nullptr;
        most = -1.0;
        for (const BodyPart& body : system_.parts().model.bodies) {
            const double size = best.segment(body.first, body.count).norm();
            if (size <= most) continue;
            most = size;
            worst = &body;
        }
        return worst == nullptr ? "" : worst->object.label;
    }

    std::vector<ChosenCoordinate> chosen;

private:
    struct Told {
        bool moves = false;
        Eigen::VectorXd left;  // of the row along motions, at unit length, beside those before
    };
    Eigen::VectorXd along(const RateName& is) const {
        is.rows->evaluate(q_, v_, system_.time());
        return conditions_.Z.transpose() * is.rows->J.row(0).transpose();
    }
    Told look(const RateName& is) const {
        const Eigen::VectorXd motion = along(is);
        Told out;
        if (!(motion.norm() > kIndependent * is.rows->J.norm())) return out;
        out.moves = true;
        out.left = motion / motion.norm();
        // Twice for the digits.
        const auto before = G_.leftCols(count());
        for (int pass = 0; pass < 2; ++pass)
            out.left -= before * (before.transpose() * out.left).eval();
        return out;
    }
    Eigen::Index count() const { return num_before_ + std::ssize(chosen); }

    KernelSystem& system_;
    const ConditionRows& conditions_;
    const Eigen::VectorXd &q_, &v_;
    Eigen::MatrixXd G_;  // orthonormal, of their rows within Z
    Eigen::Index num_before_ = 0;
};

void choose_by(Choice& choice, KernelSystem& system, const std::vector<std::string>& by) {
    for (const std::string& name : by) {
        RateName is = find_rates(system, name, "joint_space");
        if (is.kind != RateKind::measure && is.kind != RateKind::component &&
            is.kind != RateKind::angular_component)
            throw Error(
                ErrorKind::usage,
                fmt::format("joint_space: \"{}\" is no coordinate; take its components, "
                            "\"{}.x\"{}",
                            name,
                            name,
                            is.kind == RateKind::frame ? fmt::format(", \"{}.wx\"", name) : ""));
        switch (choice.offer(name, std::move(is))) {
            case Choice::Verdict::chosen:
                break;
            case Choice::Verdict::fixed:
                throw Error(ErrorKind::usage,
                            fmt::format("joint_space: {} does not move at the present state: "
                                        "constraints or drives fix it",
                                        name));
            case Choice::Verdict::following:
                throw Error(ErrorKind::usage,
                            fmt::format("joint_space: {} follows from the coordinates named "
                                        "before it; leave one of them out",
                                        name));
        }
    }
}

/// Whether a body's reference point is one that can be named; nodes have numbers.
bool has_origin(KernelSystem& system, const BodyPart& body) {
    if (body.pose_kind == PoseKind::none) return false;
    try {
        static_cast<void>(find_rates(system, body.object.name + ".x", "joint_space"));
        return true;
    } catch (const Error&) {
        return false;
    }
}

/// Measures in their order, then components of bodies: those of the first bodies, or where that set
/// tells poorly of some motion the clearest ones.
void choose(Choice& choice, KernelSystem& system, JointSpace& out) {
    for (const JointValues::Entry& entry : system.joints().entries())
        switch (choice.offer(entry.name, find_rates(system, entry.name, "joint_space"))) {
            case Choice::Verdict::chosen:
                break;
            case Choice::Verdict::fixed:
                out.fixed.push_back(entry.name);
                break;
            case Choice::Verdict::following:
                out.following.push_back(entry.name);
                break;
        }
    if (choice.is_complete()) return;
    std::vector<std::string> names;
    for (const BodyPart& body : system.parts().model.bodies) {
        if (body.is_inner || !has_origin(system, body)) continue;
        for (const char* const end : {".x", ".y", ".z", ".wx", ".wy", ".wz"})
            if (end[1] != 'w' || has_frame(body)) names.push_back(body.object.name + end);
    }
    Choice first = choice.fork();
    for (const std::string& name : names) {
        if (first.is_complete()) break;
        first.offer(name, find_rates(system, name, "joint_space"));
    }
    if (first.is_clear()) {
        choice.take(std::move(first));
        return;
    }
    // Pivots of what each has beside the measures, at unit length.
    Eigen::MatrixXd left(choice.num_motions(), std::ssize(names));
    for (Eigen::Index i = 0; i < left.cols(); ++i)
        left.col(i) =
            choice.left(find_rates(system, names[static_cast<std::size_t>(i)], "joint_space"));
    const RankRevealingQr qr(left);
    const Eigen::Index count = std::min<Eigen::Index>(
        qr.rank(kIndependent), choice.num_motions() - std::ssize(choice.chosen));
    std::vector<int> picked(qr.order().begin(), qr.order().begin() + count);
    std::ranges::sort(picked);
    for (const int i : picked) {
        const std::string& name = names[static_cast<std::size_t>(i)];
        choice.offer(name, find_rates(system, name, "joint_space"));
    }
}

void require_complete(const Choice& choice, const ConditionRows& conditions, bool is_asked_for) {
    const auto left = conditions.Z.cols() - std::ssize(choice.chosen);
    if (left == 0) return;
    const std::string count = fmt::format("{} degree{} of freedom", left, left == 1 ? "" : "s");
    if (is_asked_for)
        throw Error(ErrorKind::usage,
                    fmt::format("joint_space: the coordinates leave {}, such as a motion of {}; "
                                "name as many more, or none for a choice by Ancora",
                                count,
                                choice.untold()));
    throw Error(ErrorKind::numerical,
                fmt::format("joint_space: {}, such as a motion of {}, are told by no measure of a "
                            "joint and no frame of a body; equations in coordinates of joints are "
                            "those of a mechanism of rigid bodies: make this body rigid (by "
                            "penalty = inf, if it has one), or tie it by a joint",
                            count,
                            choice.untold()));
}

std::vector<std::string> what_is_omitted(const KernelSystem& system) {
    const Model& model = system.parts().model;
    std::vector<std::string> out;
    for (const ForcePart& force : model.forces)
        if (force.contact != nullptr || !force.reactions.empty()) out.push_back(force.object.label);
    const RowSet& rows = system.parts().rows;
    for (const int row : rows.unilateral())
        if (rows.laws[static_cast<std::size_t>(row)].kind != RowKind::unilateral) {
            const auto owner = std::ranges::find_if(rows.owners, [row](const RowOwner& one) {
                return row < one.first_row + one.num_rows;
            });
            if (out.empty() || out.back() != owner->object->label)
                out.push_back(owner->object->label);
        }
    return out;
}

/// M, and M x of the inertia: entries of the last update.
Eigen::MatrixXd times_mass(const MassMatrix& mass, const Eigen::MatrixXd& x) {
    Eigen::MatrixXd out(x.rows(), x.cols());
    for (Eigen::Index k = 0; k < x.cols(); ++k) mass.multiply(x.col(k).data(), out.col(k).data());
    return out;
}

}  // namespace

std::vector<std::string> JointSpace::remarks() const {
    std::vector<std::string> out;
    const auto tell = [&out](const std::vector<std::string>& names, const char* what) {
        if (!names.empty()) out.push_back(fmt::format("{}: {}", what, fmt::join(names, ", ")));
    };
    tell(following, "these follow from the coordinates");
    tell(fixed, "these do not move, by constraints or drives");
    if (num_redundant > 0)
        out.push_back(fmt::format(
            "{} of {} conditions are implied by the others", num_redundant, num_conditions));
    tell(omitted, "not in the bias, for it depends on reactions");
    return out;
}

ConditionRows ConditionRows::of(KernelSystem& system,
                                const Eigen::VectorXd& q,
                                const Eigen::VectorXd& v,
                                bool with_rates,
                                const std::vector<int>& unilateral) {
    Assembly& parts = system.parts();
    RowSet::StateValues at;
    parts.rows.evaluate(q.data(), v.data(), system.time(), at);
    ConditionRows out;
    for (int k = 0; k < parts.m; ++k)
        if (is_condition(parts, k, with_rates) || std::ranges::binary_search(unilateral, k))
            out.row.push_back(k);
    const auto m = std::ssize(out.row);
    out.A.setZero(m, parts.n);
    for (Eigen::VectorXd* x : {&out.gap, &out.pi_t, &out.b, &out.length}) x->setZero(m);
    for (Eigen::Index i = 0; i < m; ++i) {
        const int k = out.row[static_cast<std::size_t>(i)];
        for (const int e : parts.rows.entries(k)) out.A(i, parts.rows.column_of(e)) += at.A[e];
        double& length = out.length[i];
        length = out.A.row(i).norm();
        if (!(length > 0.0)) length = 1.0;
        out.A.row(i) /= length;
        if (!is_velocity_kind(parts.laws[k].kind)) out.gap[i] = at.pi[k] / length;
        out.pi_t[i] = at.pi_t[k] / length;
        out.b[i] = at.b[k] / length;
    }
    if (m == 0) {
        out.Z = Eigen::MatrixXd::Identity(parts.n, parts.n);
        return out;
    }
    const RankRevealingQr qr(out.A.transpose());
    const Eigen::Index rank = qr.rank(kIndependent);
    out.kept.assign(qr.order().begin(), qr.order().begin() + rank);
    std::ranges::sort(out.kept);
    out.Z = qr.columns_of_Q(rank, parts.n - rank);
    return out;
}

Eigen::VectorXd ConditionRows::least_motion(const Eigen::VectorXd& r) const {
    if (kept.empty()) return Eigen::VectorXd::Zero(A.cols());
    return least_norm_solution(A(kept, Eigen::all), r(kept));
}

JointSpace joint_space_of(KernelSystem& system,
                          const std::vector<std::string>& by,
                          const std::vector<std::string>& of) {
    Assembly& parts = system.parts();
    const int n = parts.n;
    if (n > kMostDense)
        throw Error(ErrorKind::numerical,
                    fmt::format("joint_space: the model has more than {} coordinates", kMostDense));
    for (int k = 0; k < parts.m; ++k)
        if (parts.laws[k].kind == RowKind::acceleration_constraint)
            throw Error(ErrorKind::manifest,
                        fmt::format("joint_space: {} is a condition on accelerations alone, which "
                                    "no coordinates of positions describe",
                                    parts.rows.row_name(k)),
                        parts.rows.place_of_row(k));
    const double t = system.time();
    const Eigen::VectorXd q = system.state().q, v = system.state().v;
    parts.rows.refresh_own_values(q.data(), v.data(), t);

    const ConditionRows conditions = ConditionRows::of(system, q, v, true);
    JointSpace out;
    out.num_coordinates = n;
    out.num_conditions = static_cast<int>(conditions.row.size());
    out.num_redundant = out.num_conditions - static_cast<int>(conditions.kept.size());
    out.omitted = what_is_omitted(system);
    Choice choice(system, conditions);
    if (by.empty())
        choose(choice, system, out);
    else
        choose_by(choice, system, by);
    require_complete(choice, conditions, !by.empty());
    const auto r = std::ssize(choice.chosen);

    // (1)
    const auto rank = std::ssize(conditions.kept);
    Eigen::MatrixXd K(rank + r, n);
    K.topRows(rank) = conditions.A(conditions.kept, Eigen::all);
    Eigen::VectorXd lengths(r);
    for (Eigen::Index i = 0; i < r; ++i) {
        const Eigen::MatrixXd& J = choice.chosen[static_cast<std::size_t>(i)].is.rows->J;
        lengths[i] = J.norm();
        K.row(rank + i) = J / lengths[i];
    }
    const auto solve = [&](const Eigen::MatrixXd& right) {
        return r + rank > 0 ? least_squares(K, right)
                            : Eigen::MatrixXd(Eigen::MatrixXd::Zero(n, right.cols()));
    };
    Eigen::MatrixXd right = Eigen::MatrixXd::Zero(rank + r, r);
    for (Eigen::Index i = 0; i < r; ++i) right(rank + i, i) = 1.0 / lengths[i];
    const Eigen::MatrixXd T = solve(right);
    const auto change_of_conditions = [&](const Eigen::VectorXd& w) {
        return along_motion(
            [&](const Eigen::VectorXd& x) -> Eigen::VectorXd {
                RowSet::StateValues at;
                parts.rows.evaluate(q.data(), x.data(), t, at);
                Eigen::VectorXd b(rank);
                for (Eigen::Index i = 0; i < rank; ++i) {
                    const auto c = conditions.kept[static_cast<std::size_t>(i)];
                    b[i] = at.b[conditions.row[static_cast<std::size_t>(c)]] / conditions.length[c];
                }
                return b;
            },
            v,
            w);
    };
    Eigen::MatrixXd changes(rank + r, r + 1);
    for (Eigen::Index j = 0; j < r; ++j) {
        changes.col(j).head(rank) = change_of_conditions(T.col(j));  // b is -A' q'
        for (Eigen::Index i = 0; i < r; ++i)
            changes(rank + i, j) =
                -choice.chosen[static_cast<std::size_t>(i)].is.rows->change(T.col(j))[0] /
                lengths[i];
    }
    changes.col(r).head(rank) = conditions.b(conditions.kept);
    for (Eigen::Index i = 0; i < r; ++i)
        changes(rank + i, r) =
            -choice.chosen[static_cast<std::size_t>(i)].is.rows->change(v)[0] / lengths[i];
    const Eigen::MatrixXd T_rate_and_c = solve(changes);

    // (2)
    const auto [Q, C_force] = system.instant().applied();
    Eigen::MatrixXd force = times_mass(parts.mass, T_rate_and_c);
    if (!parts.mass.is_constant()) {
        for (Eigen::Index j = 0; j < r; ++j)
            force.col(j) -= along_motion(
                [&](const Eigen::VectorXd& x) -> Eigen::VectorXd {
                    Eigen::VectorXd inertia = Eigen::VectorXd::Zero(n);
                    parts.mass.update(q.data(), x.data(), t, parts.meter, inertia.data());
                    return inertia;
                },
                v,
                T.col(j));
        parts.mass.update(q.data(), v.data(), t, parts.meter, nullptr);
    }
    const Eigen::MatrixXd TtMT = T.transpose() * times_mass(parts.mass, T);
    out.M = by_rows(0.5 * (TtMT + TtMT.transpose()));
    out.C = by_rows(T.transpose() * force.leftCols(r));
    out.bias = by_rows(T.transpose() * (force.col(r) - Q - C_force));
    out.T = by_rows(T);
    for (const ChosenCoordinate& one : choice.chosen)
        out.coordinates.push_back(
            {one.name, one.is.unit, one.is.rows->value[0], one.is.rows->J.row(0).dot(v)});
    for (const std::string& name : of) {
        RateName wanted = find_rates(system, name, "joint_space");
        wanted.rows->evaluate(q, v, t);
        const Eigen::VectorXd bias = wanted.rows->J * T_rate_and_c.col(r) + wanted.rows->change(v);
        out.points.push_back(
            {name, wanted.rows->rows(), by_rows(wanted.rows->J * T), {bias.begin(), bias.end()}});
    }
    // As the system's own evaluations left it.
    RowSet::StateValues at;
    parts.rows.evaluate(system.q().data(), system.v().data(), t, at);
    return out;
}

}  // namespace ancora
