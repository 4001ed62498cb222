// SPDX-License-Identifier: BSD-3-Clause
// Checks of a start.
#include "start.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "dense.hpp"
#include "idle_viscosity.hpp"
#include "rank_analysis.hpp"
#include "side_step.hpp"

namespace ancora {
namespace {

// A start that violates its constraints by more than this, relative to the model's size or speed,
// is refused (design, section 4.3).
constexpr double kStartTolerance = 1e-9;
// Of the model's size in a second: slower motion counts as rest.
constexpr double kSlowest = 1e-6;
// Massless coordinates that hang together with gauge rows: their rank is found densely.
constexpr int kMostMassless = 1500;
// Rows named in one message.
constexpr int kMostNames = 6;

}  // namespace

void Start::begin(std::span<const double> q, std::span<const double> v, double t) {
    // The order: state and size, plugins' own state, then what follows from q and v, then limits.
    take(q, v, t);
    given_speed_ = parts_.space.displacement(state_.v.data());
    start_plugins();
    settle();
    breaking_.check_start(instant_.pi);
    instant_ = {};  // much, and not needed again
}

void Start::complete_own(std::span<const double> q, std::span<double> v, double t) {
    RowSet::StateValues at;
    for (std::size_t c = 0; c < parts_.model.constraints.size(); ++c) {
        const ConstraintPart& part = parts_.model.constraints[c];
        const RowOwner& owner = parts_.owner_of_constraint(c);
        const int count = part.own_end - part.own_first;
        const auto is_rate = [&](int k) {
            return is_velocity_kind(parts_.laws[k].kind);
        };
        if (count == 0 || !is_rate(owner.first_row)) continue;
        if (at.A.size() == 0) parts_.rows.evaluate(q.data(), v.data(), t, at);
        Eigen::MatrixXd A = Eigen::MatrixXd::Zero(owner.num_rows, count);
        Eigen::VectorXd rate(owner.num_rows);
        for (int i = 0; i < owner.num_rows; ++i) {
            const int k = owner.first_row + i;
            rate[i] = parts_.rows.multiply_onto(at.pi_t[k], at.A.data(), k, v.data());
            for (const int e : parts_.rows.entries(k)) {
                const int column = parts_.rows.column_of(e) - part.own_first;
                if (column >= 0 && column < count) A(i, column) = at.A[e];
            }
        }
        const Eigen::VectorXd change = least_norm_solution(A, rate);
        for (int i = 0; i < count; ++i)
            v[static_cast<std::size_t>(part.own_first + i)] -= change[i];
    }
}

/// A_k v + d(pi_k)/dt
double Start::rate_of(int row) const {
    return parts_.rows.multiply_onto(instant_.pi_t[row], instant_.A.data(), row, state_.v.data());
}

Start::InitialViolations Start::initial_violations() {
    parts_.rows.refresh_own_values(state_.q.data(), state_.v.data(), state_.t);
    parts_.rows.evaluate(state_.q.data(), state_.v.data(), state_.t, instant_);
    InitialViolations out{Eigen::VectorXd::Zero(parts_.m), Eigen::VectorXd::Zero(parts_.m)};
    // A strain is no violation: an elastic row may be a rigid one with other parameters.
    for (int k = 0; k < parts_.m; ++k) {
        if (parts_.laws[k].kind == RowKind::constraint) out.gap[k] = std::abs(instant_.pi[k]);
        if (parts_.laws.has_rate(k)) out.rate[k] = std::abs(rate_of(k));
    }
    return out;
}

void Start::begin_here(const InitialViolations& before) {
    allowed_ = before;
    goes_on_ = true;

    for (Eigen::VectorXd* x : {&state_.a, &state_.s, &state_.lag}) x->setZero();
    std::ranges::fill(state_.history, 0.0);
    state_.extent = parts_.space.extent(state_.q.data());
    given_speed_ = parts_.space.displacement(state_.v.data());
    settle();
    allowed_ = {};
    goes_on_ = false;
    instant_ = {};
}

void Start::note_reported() {
    const InitialViolations now = initial_violations();
    if (reported_.rate.size() == 0) {
        reported_ = now;
        return;
    }
    reported_.gap = reported_.gap.cwiseMax(now.gap);
    reported_.rate = reported_.rate.cwiseMax(now.rate);
}

void Start::begin_from_program(std::span<const double> q,
                               std::span<const double> v,
                               double t,
                               double h) {
    note_reported();
    const auto forget = [this] {
        allowed_ = {};
        h_ = 0.0;
        is_given_ = false;
    };
    allowed_ = reported_;
    h_ = h;
    is_given_ = true;
    try {
        begin(q, v, t);
    } catch (...) {
        forget();
        throw;
    }
    forget();
}

/// Bounds of the residuals of rates at the ends of steps of length h, from the state: theory (28a),
///
///   A1 v1 = -A0 v0 + dA dv / 2,
///
/// alternates between 0 and dA dv / 2 from a start that meets rates. The bound is |dA| |dv| by
/// terms, the largest of a block of equal rows, since these pass through such values in turn: dv is
/// the change of v by accelerations in h, and dA that of A by v, or by a rotation with the same
/// accelerations over the model's size, as at a turning point v gives no scale for the motion
/// elsewhere. Rows whose Jacobian is constant are met throughout. The position residual of an
/// iteration is a rate in the next step: a rate whose residual over h a start may have is allowed.
Eigen::VectorXd Start::rates_left_by_steps() {
    Eigen::VectorXd out = Eigen::VectorXd::Constant(parts_.m, kStartTolerance * state_.extent / h_);
    const Eigen::VectorXd &q = state_.q, &v = state_.v;
    ContinuousFace& face = accelerations_.face();
    Eigen::VectorXd dv(parts_.n);
    try {
        face.assemble(q.data(), v.data(), state_.t, state_.plugin);
        face.solve();
        dv = h_ * face.acceleration().cwiseAbs();
    } catch (const Error&) {
        return out;  // without accelerations there is no scale
    }
    const double turn = std::sqrt(h_ * parts_.space.displacement(dv.data()) / state_.extent);
    Eigen::VectorXd A[2], pi_t = Eigen::VectorXd::Zero(parts_.m);
    for (const double side : {-0.5, 0.5}) {
        const Eigen::VectorXd there = q + side * h_ * v;
        Eigen::VectorXd& values = A[side > 0.0];
        values.setZero(parts_.rows.B.size());
        parts_.rows.evaluate_rates(parts_.moving_blocks,
                                   there.data(),
                                   v.data(),
                                   state_.t + side * h_,
                                   values.data(),
                                   pi_t.data());
    }
    for (const int block : parts_.moving_blocks) {
        const BlockPart& part = parts_.rows.blocks[static_cast<std::size_t>(block)];
        double most = 0.0;
        for (int k = part.first_row; k < part.first_row + part.num_rows; ++k) {
            double sum = 0.0;
            for (const int e : parts_.rows.entries(k))
                sum += (std::abs(A[1][e] - A[0][e]) + turn * std::abs(instant_.A[e])) *
                       dv[parts_.rows.column_of(e)];
            most = std::max(most, sum);
        }
        for (int k = part.first_row; k < part.first_row + part.num_rows; ++k) out[k] += most;
    }
    return out;
}

/// Computes all that follows from positions and velocities.
void Start::settle() {
    const auto look = [this] {
        parts_.rows.refresh_own_values(state_.q.data(), state_.v.data(), state_.t);
        parts_.rows.evaluate(state_.q.data(), state_.v.data(), state_.t, instant_);
    };
    // A first, for the rank of massless coordinates; these before the projection, which needs all
    // of v; the check last, of what has become of the start.
    look();
    check_vanishing();
    if (!massless_.empty()) {
        determine_massless();
        look();
    }
    // A reported state of a run that meets its constraints is not changed.
    if (is_start() && parts_.model.project_start != ProjectStart::no &&
        !(is_given_ && find_worst().part <= 1.0)) {
        motion_.project_start();
        look();
    }
    check();
    // From here on pi is state, carried by theory (12) and not evaluated again.
    state_.pi = instant_.pi;
    for (int k = 0; k < parts_.m; ++k)
        if (!parts_.laws.carries(k)) state_.pi[k] = 0.0;
}

void Start::take(std::span<const double> q, std::span<const double> v, double t) {
    state_.t = t;
    std::copy(q.begin(), q.end(), state_.q.data());
    std::copy(v.begin(), v.end(), state_.v.data());
    // Low words of the compensated q and v, and what is known of steps, begin at zero.
    for (Eigen::VectorXd* x : {&state_.q_low, &state_.v_low, &state_.a, &state_.s, &state_.lag})
        x->setZero();
    std::ranges::fill(state_.history, 0.0);
    state_.extent = parts_.space.extent(state_.q.data());
    state_.farthest = parts_.space.farthest(state_.q.data());
}

void Start::follow_rows(bool with_velocities) {
    if (massless_.empty()) return;
    parts_.rows.refresh_own_values(state_.q.data(), state_.v.data(), state_.t);
    parts_.rows.evaluate(state_.q.data(), state_.v.data(), state_.t, instant_);
    release_gauge_rows();
    try {
        check_massless();
    } catch (const Error& error) {
        throw Error(
            error.kind(),
            fmt::format(
                "t = {:.9g} s, with constraints that have opened: {}", state_.t, error.message()),
            error.place());
    }
    if (with_velocities) massless_.reset(instant_.A, instant_.pi_t, state_.v.data());
}

/// Velocities without mass are not state: they follow from the others, at the start too.
void Start::determine_massless() {
    release_gauge_rows();
    check_massless();
    massless_.reset(instant_.A, instant_.pi_t, state_.v.data());
}

void Start::start_plugins() {
    const auto state_of = [this](int first, int count) {
        return std::span(state_.plugin).subspan(first, count);
    };
    for (const RowOwner& owner : parts_.rows.owners)
        if (owner.state_count > 0)
            owner.source.start_state(state_of(owner.state_first, owner.state_count));
    parts_.forces.start_state(state_.plugin);
}

/// Refuses rows that vanish: their attachments are one point and cannot move apart.
void Start::check_vanishing() const {
    const int k = parts_.rows.vanishing_row(instant_.A);
    if (k < 0) return;
    throw Error(ErrorKind::numerical,
                fmt::format("{} holds nothing: its attachments are, but for rounding, the same "
                            "point of the same body; remove it or attach it elsewhere",
                            parts_.rows.row_name(k)),
                parts_.rows.place_of_row(k));
}

/// The row that is farthest from being met, relative to what it may be.
Start::Worst Start::find_worst() {
    // Of velocities that a projection has taken away altogether rounding is left; where nothing
    // moves a rate is measured by the size that it is of.
    // Gaps against kStartTolerance times the model's size, rates against that times the larger of
    // the row's own terms and the speed in play.
    const double speed =
        std::max({parts_.space.displacement(state_.v.data()),
                  parts_.model.project_start != ProjectStart::no ? given_speed_ : 0.0,
                  kSlowest * state_.extent});
    const auto beyond = [](double x, double allowed) {
        return std::max(std::abs(x) - allowed, 0.0);
    };
    const auto of = [](const Eigen::VectorXd& allowed, int k) {
        return allowed.size() == 0 ? 0.0 : allowed[k];
    };
    const auto look = [&](const Eigen::VectorXd& left_by_steps) {
        Worst worst;
        for (int k = 0; k < parts_.m; ++k) {
            // rate = A_k v + pi_t, size = max(|pi_t|, |A_ki v_i|)
            double rate = instant_.pi_t[k];
            double size = std::abs(rate);
            for (const int i : parts_.rows.entries(k)) {
                const double term = instant_.A[i] * state_.v[parts_.rows.column_of(i)];
                rate += term;
                size = std::max(size, std::abs(term));
            }
            if (!std::isfinite(instant_.pi[k]) || !std::isfinite(rate))
                parts_.rows.refuse_row(k, state_.t);
            if (!parts_.laws.has_rate(k)) continue;
            // Of a motion that begins at rest but for rounding only its acceleration tells a speed.
            // A motion from rest with the acceleration b has rates of the order of (l b)^1/2 once
            // it has moved by the model's size l.
            if (rate != 0.0 && instant_.pi_t[k] != 0.0)
                size = std::max(size, std::sqrt(state_.extent * std::abs(instant_.b[k])));
            // A strain, a pure number, is measured like a gap in metres.
            const double gap = parts_.laws.carries(k)
                                   ? beyond(instant_.pi[k], 2.0 * of(allowed_.gap, k)) /
                                         (kStartTolerance * state_.extent)
                                   : 0.0;
            const double slip =
                beyond(rate, std::max(2.0 * of(allowed_.rate, k), of(left_by_steps, k))) /
                (kStartTolerance * std::max(size, speed));
            if (std::max(gap, slip) > worst.part) worst = {k, std::max(gap, slip), slip > gap};
        }
        return worst;
    };
    const Worst worst = look({});
    if (worst.part <= 1.0 || !worst.is_rate || !(h_ > 0.0)) return worst;
    return look(rates_left_by_steps());
}

/// Refuses a start that is not finite or violates constraints beyond rounding, naming the worst.
void Start::check() {
    const auto [worst_row, worst, is_rate] = find_worst();
    if (worst <= 1.0) return;
    if (is_start() && !is_given_) refuse_prescribed(worst_row);
    const Place& place = parts_.rows.place_of_row(worst_row);
    const std::string advice = this->advice(worst_row);
    if (is_rate) {
        const double rate = rate_of(worst_row);
        throw Error(
            ErrorKind::numerical,
            fmt::format("inconsistent start: {} changes at a rate of {:.6g} (allowed {:.2g} "
                        "of the velocities){}; correct velocities or angular velocities of "
                        "the bodies it ties{}{}",
                        parts_.rows.row_name(worst_row),
                        rate,
                        kStartTolerance,
                        instant_.pi_t[worst_row] != 0.0
                            ? fmt::format(", of which {:.6g} is prescribed over time",
                                          instant_.pi_t[worst_row])
                            : "",
                        rate == instant_.pi_t[worst_row]
                            ? "; they are at rest, and a table of motion that is to begin so says "
                              "interpolation = \"rest\" (or \"monotone\"), while the natural "
                              "spline begins with the rate of its first rows"
                            : "",
                        advice),
            place);
    }
    refuse_contradiction();
    throw Error(
        ErrorKind::numerical,
        fmt::format("inconsistent start: {} is {:.6g} instead of 0 (allowed {:.2g} of the model's "
                    "size); correct positions or attachment points of the bodies it ties{}",
                    parts_.rows.row_name(worst_row),
                    instant_.pi[worst_row],
                    kStartTolerance,
                    advice),
        place);
}

/// Of a motion that is prescribed to a joint's measure, a drive: says from where the joint begins.
void Start::refuse_prescribed(int row) const {
    const auto measure_of = [&](const RowOwner& owner) {
        const auto is_of_time = [&](const BlockPart& part) {
            return &parts_.rows.owners[static_cast<std::size_t>(part.owner)] == &owner &&
                   part.block->depends_on_time;
        };
        const ObjectRecord* const record = owner.object->record.get();
        MeasureRef none;
        if (owner.constraint < 0 || owner.num_rows != 1 || record == nullptr ||
            record->measures.size() != 1 || std::ranges::none_of(parts_.rows.blocks, is_of_time))
            return none;
        return find_measure(parts_.model, record->measures.front().first, {});
    };
    const auto holds = [row](const RowOwner& owner) {
        return row >= owner.first_row && row < owner.first_row + owner.num_rows;
    };
    const RowOwner& owner = *std::ranges::find_if(parts_.rows.owners, holds);
    const MeasureRef measure = measure_of(owner);
    if (measure.constraint < 0) return;
    const ConstraintPart& joint = parts_.model.constraints[measure.constraint];
    const std::string name = joint.joint->measures[measure.index].name;
    const std::string text = fmt::format("{}.{}", joint.object.name, name);
    for (const RowOwner& other : parts_.rows.owners) {
        const MeasureRef its = &other == &owner ? MeasureRef() : measure_of(other);
        if (its.constraint == measure.constraint && its.index == measure.index)
            throw Error(ErrorKind::numerical,
                        fmt::format("inconsistent constraints: {} is prescribed twice, by {} and "
                                    "{}; remove one of them",
                                    text,
                                    owner.object->label,
                                    other.object->label),
                        owner.object->place);
    }
    // phi = m - f(t)
    const MeasureStart& at = owner.object->record->measures.front().second;
    const double value = at.value - instant_.pi[row], rate = at.rate - rate_of(row);
    const bool is_off = std::abs(instant_.pi[row]) > kStartTolerance * state_.extent;
    const bool is_fast = std::abs(at.rate - rate) > kStartTolerance * std::abs(rate);
    const auto rounded = [](double x) {
        return std::abs(x) < 1e-12 ? 0.0 : x;
    };
    std::string why = fmt::format(
        "inconsistent start: {} is {:.6g}{} at the start and {} begins at {:.6g}{}: write ",
        text,
        rounded(at.value),
        is_fast ? fmt::format(" and its rate {:.6g}", rounded(at.rate)) : "",
        owner.object->label,
        rounded(value),
        is_fast ? fmt::format(" with the rate {:.6g}", rounded(rate)) : "");
    why += is_fast ? fmt::format("start = {{ {0} = {1:.6g}, {0}_rate = {2:.6g} }}",
                                 name,
                                 rounded(value),
                                 rounded(rate))
                   : fmt::format("start = {:.6g}", rounded(value));
    why += fmt::format(" in {}", joint.object.label);
    if (is_fast && !is_off)
        why +=
            ", or let the motion begin at rest, which a table does that says interpolation = "
            "\"rest\" (or \"monotone\")";
    throw Error(ErrorKind::numerical,
                why + ", or let [model] project_start = true move the bodies",
                owner.object->place);
}

/// Advice for a violated row.
std::string Start::advice(int row) const {
    if (!is_start()) return "";
    if (is_given_) {
        const auto holds = [row](const auto& part) {
            return row >= part.first_row && row < part.first_row + part.num_rows;
        };
        const RowOwner& owner = *std::ranges::find_if(parts_.rows.owners, holds);
        if (std::ranges::find_if(parts_.rows.blocks, holds)->block->depends_on_time)
            return fmt::format(
                "; it is prescribed over time, at t = {:.9g} s here: hand on the "
                "time of a state that another simulation has shown",
                state_.t);
        if (owner.state_count > 0)
            return fmt::format(
                "; {} counts turns of angles, which positions do not tell: a state "
                "beyond half a turn from the start is told by save() of the "
                "simulation that was there, for restore()",
                owner.object->label);
    }
    return parts_.model.project_start != ProjectStart::no
               ? "; from this start [model] project_start found no way, and this is as far as it "
                 "came"
               : ", or let [model] project_start = true move them";
}

/// If the residuals of the start cannot be brought to zero, the constraints are inconsistent: names
/// these rows. Tries Gauss-Newton steps, since rows that are inconsistent to first order may be met
/// after a rotation.
void Start::refuse_contradiction() {
    constexpr int kSteps = 20;
    Eigen::VectorXd q = state_.q;
    RowSet::StateValues at = instant_;
    GapClosing closing;
    // q <- q - dq, dq the M-weighted least-squares solution of A dq = phi; `left` is phi - A dq,
    // the part of the residuals outside the range of A. Where it remains, the rows are inconsistent
    // to first order.
    for (int step = 0; step < kSteps; ++step) {
        closing = close_gaps(parts_.rows, at.A, parts_.mass, at.pi);
        q -= closing.displacement;
        parts_.rows.evaluate(q.data(), state_.v.data(), state_.t, at);
        double gap = 0.0;
        for (int k = 0; k < parts_.m; ++k)
            if (parts_.laws[k].kind == RowKind::constraint) gap = std::max(gap, std::abs(at.pi[k]));
        if (gap <= kStartTolerance * state_.extent) return;
    }
    const double worst = closing.left.cwiseAbs().maxCoeff();
    if (!(worst > kStartTolerance * state_.extent)) return;
    std::string names;
    int count = 0;
    Place place;
    std::vector<int> rows;
    for (int k = 0; k < parts_.m; ++k) {
        // The rows that carry a tenth of the worst residual are those that contradict each other.
        if (std::abs(closing.left[k]) < 0.1 * worst) continue;
        rows.push_back(k);
        if (count < kMostNames) names += (count > 0 ? "; " : "") + parts_.rows.row_name(k);
        if (count == 0) place = parts_.rows.place_of_row(k);
        ++count;
    }
    if (count > kMostNames) names += fmt::format("; and {} more", count - kMostNames);
    if (closes_beside(rows))
        throw Error(
            ErrorKind::numerical,
            fmt::format("inconsistent start: in this position, which is singular, no motion of the "
                        "bodies closes {} together (a gap of {:.6g} is left), as those of a line "
                        "that lies straight and is too long; from a position beside it they close. "
                        "Start beside it, such as with a line that sags, or let [model] "
                        "project_start = \"far\" look for a position; a body that offers it may "
                        "find its own shape with start = \"relaxed\" and the nodes that are held",
                        names,
                        worst),
            place);
    throw Error(ErrorKind::numerical,
                fmt::format("inconsistent constraints: no motion of the bodies closes {} together "
                            "(a gap of {:.6g} is left); remove one of them or correct where they "
                            "attach",
                            names,
                            worst),
                place);
}

/// Whether the constraints can be met from a position beside this one, in which these rows cannot
/// be met together.
bool Start::closes_beside(const std::vector<int>& open) {
    constexpr int kSteps = 100;
    constexpr double kLeastPart = 1e-3;
    const double closed = kStartTolerance * state_.extent;
    RowSet::StateValues at;
    const auto gap_at = [&](const Eigen::VectorXd& q) {
        parts_.rows.evaluate(q.data(), state_.v.data(), state_.t, at);
        double gap = 0.0;
        for (int k = 0; k < parts_.m; ++k)
            if (parts_.laws[k].kind == RowKind::constraint) gap = std::max(gap, std::abs(at.pi[k]));
        return gap;
    };
    // Gauss-Newton with halved steps until the largest gap falls (Nocedal & Wright, Numerical
    // Optimization, backtracking), from points beside the position, where A has its rank.
    for (const double size : kSideSteps) {
        Eigen::VectorXd q = state_.q + side_step(parts_, open, size * state_.extent);
        double gap = gap_at(q);
        for (int step = 0; step < kSteps && gap > closed; ++step) {
            const Eigen::VectorXd way =
                close_gaps(parts_.rows, at.A, parts_.mass, at.pi).displacement;
            double part = 1.0, next = gap_at(q - way);
            while (!(next < gap) && part > kLeastPart) next = gap_at(q - (part *= 0.5) * way);
            if (!(next < gap)) break;
            q -= part * way;
            gap = next;
        }
        if (gap <= closed) return true;
    }
    return false;
}

/// Gauge rows act where no other row determines a motion without inertia; all others would
/// constrain free motion, and are released.
void Start::release_gauge_rows() {
    if (massless_.gauge_rows().empty()) return;
    if (massless_.largest_with_gauge_rows() > kMostMassless)
        throw Error(ErrorKind::numerical,
                    fmt::format("{} coordinates without mass hang together with rods that may spin "
                                "about themselves, more than the {} that are solved for at once; "
                                "give the nodes mass",
                                massless_.largest_with_gauge_rows(),
                                kMostMassless));
    std::vector<RowKind> before;
    for (const int k : massless_.gauge_rows()) {
        RowLaw& law = parts_.rows.laws[k];
        before.push_back(law.kind);
        law.kind = RowKind::gauge;
        law.viscosity = 0.0;
    }
    // A gauge row that is not needed becomes an idle dashpot, s = eta d(pi)/dt with next to no eta:
    // no force, and rows and patterns stay.
    for (const int k : massless_.idle_gauge_rows(instant_.A)) {
        RowLaw& law = parts_.rows.laws[k];
        law.kind = RowKind::dashpot;
        law.viscosity = kIdleViscosity;
    }
    bool has_changed = false;
    for (std::size_t c = 0; c < before.size(); ++c)
        has_changed |= before[c] != parts_.rows.laws[massless_.gauge_rows()[c]].kind;
    if (!has_changed) return;
    ++parts_.rows.num_kind_changes;
    accelerations_.rebuild();
}

void Start::check_massless() {
    // Whether the rows of (35) have full column rank in the massless coordinates of each cluster.
    const int i = massless_.analyse(instant_.A);
    if (i < 0) return;
    for (const BodyPart& part : parts_.model.bodies) {
        if (i < part.first || i >= part.first + part.count) continue;
        throw Error(ErrorKind::numerical,
                    fmt::format("{}: its {} (coordinate {}) has no mass, and no constraint or "
                                "stiffness determines its motion; give it mass or tie it",
                                part.object.label,
                                coordinate_name(part, i),
                                i - part.first),
                    part.object.place);
    }
}

}  // namespace ancora
