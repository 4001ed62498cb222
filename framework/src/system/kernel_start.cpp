// SPDX-License-Identifier: BSD-3-Clause
// The start of the system: taking a state, checking it, and saying what is wrong with it.
#include <algorithm>
#include <cmath>
#include <tuple>

#include <fmt/format.h>

#include "kernel_system.hpp"
#include "rank_analysis.hpp"

namespace ancora {
namespace {

// A start whose constraints gape wider than this, relative to the model's size or speed, is
// refused (design, section 4.3).
constexpr double kStartTolerance = 1e-9;
// Massless coordinates that hang together are solved for densely.
constexpr int kMostMassless = 1500;
// What damps a convention that is not needed [N m s]: next to nothing, so that it has no force.
constexpr double kIdle = 1e-200;
// Rows named in one message.
constexpr int kMostNames = 6;

}  // namespace

void KernelSystem::set_state(std::span<const double> q, std::span<const double> v, double t) {
    // A state that is refused leaves the present one as it is.
    const auto saved = std::tuple(t_,
                                  q_,
                                  q_low_,
                                  v_,
                                  v_low_,
                                  a_,
                                  s_,
                                  pi_,
                                  state0_,
                                  history_,
                                  instant_,
                                  extent_,
                                  farthest_,
                                  contacts_.all());
    try {
        start_at(q, v, t);
    } catch (...) {
        std::tie(t_,
                 q_,
                 q_low_,
                 v_,
                 v_low_,
                 a_,
                 s_,
                 pi_,
                 state0_,
                 history_,
                 instant_,
                 extent_,
                 farthest_,
                 contacts_.all()) = saved;
        has_B_start_ = false;
        throw;
    }
    independent_.forget();
    reaction_mean_.setZero();
    is_reaction_shared_ = true;
    recorded_events_.clear();
    singular_positions_.clear();
    singular_until_ = -1.0;
    breaks_.clear();
    worst_violation_ = {};
    note_violation();
    close_ledger(true);
    scale_books();
}

void KernelSystem::start_at(std::span<const double> q, std::span<const double> v, double t) {
    lag_.setZero();
    t_ = t;
    std::copy(q.begin(), q.end(), q_.data());
    std::copy(v.begin(), v.end(), v_.data());
    q_low_.setZero();
    v_low_.setZero();
    std::fill(history_.begin(), history_.end(), 0.0);
    a_.setZero();
    s_.setZero();
    has_B_start_ = false;
    has_chosen_rank_ = false;
    if (face_) face_->forget_choices();
    extent_ = space_.extent(q_.data());
    farthest_ = space_.farthest(q_.data());
    rows_.evaluate(q_.data(), v_.data(), t_, instant_);
    check_vanishing();
    if (!massless_.empty()) {
        // Velocities without mass are not state: they follow from the others, at the start too.
        release_conventions();
        check_massless();
        massless_.reset(instant_.A, instant_.pi_t, v_.data());
        rows_.evaluate(q_.data(), v_.data(), t_, instant_);
    }
    if (model_.projects_start) {
        project_start();
        rows_.evaluate(q_.data(), v_.data(), t_, instant_);
    }
    check_start();
    check_limits();
    pi_ = instant_.pi;
    for (int k = 0; k < m_; ++k)
        if (!laws_.carries(k)) pi_[k] = 0.0;

    const auto state_of = [this](int first, int count) {
        return std::span(state0_).subspan(static_cast<std::size_t>(first),
                                          static_cast<std::size_t>(count));
    };
    for (const RowOwner& owner : rows_.owners)
        if (owner.state_count > 0)
            owner.source.start_state(state_of(owner.state_first, owner.state_count));
    forces_.start_state(state0_);
    measure_violation(q_.data(), v_.data(), t_);
    if (!contacts_.empty()) start_contacts();
}

/// Refuses rows that vanish: their attachments are one point and cannot move apart.
void KernelSystem::check_vanishing() {
    const int k = rows_.vanishing_row(instant_.A);
    if (k < 0) return;
    throw Error(ErrorKind::numerical,
                fmt::format("{} holds nothing: its attachments are, but for rounding, the same "
                            "point of the same body; remove it or attach it elsewhere",
                            rows_.row_name(k)),
                rows_.place_of_row(k));
}

/// Refuses a start that is not finite or violates constraints beyond rounding, naming the worst.
void KernelSystem::check_start() {
    const double speed = space_.displacement(v_.data());
    int worst_row = -1;
    double worst = 0.0;
    bool is_rate = false;
    for (int k = 0; k < m_; ++k) {
        double rate = instant_.pi_t[k];
        double size = std::abs(rate);
        const int end = rows_.row_start[static_cast<std::size_t>(k) + 1];
        for (int i = rows_.row_start[static_cast<std::size_t>(k)]; i < end; ++i) {
            const double term = instant_.A[i] * v_[rows_.column[static_cast<std::size_t>(i)]];
            rate += term;
            size = std::max(size, std::abs(term));
        }
        if (!std::isfinite(instant_.pi[k]) || !std::isfinite(rate)) rows_.refuse_row(k, t_);
        if (!laws_.has_rate(k)) continue;
        // Of a motion that begins at rest but for rounding only its acceleration tells a speed.
        if (rate != 0.0 && instant_.pi_t[k] != 0.0)
            size = std::max(size, std::sqrt(extent_ * std::abs(instant_.b[k])));
        // A strain, a pure number, is measured like a gap in metres.
        const double gap =
            laws_.carries(k) ? std::abs(instant_.pi[k]) / (kStartTolerance * extent_) : 0.0;
        const double slip = std::max(size, speed) > 0.0
                                ? std::abs(rate) / (kStartTolerance * std::max(size, speed))
                                : 0.0;
        if (std::max(gap, slip) > worst) {
            worst = std::max(gap, slip);
            worst_row = k;
            is_rate = slip > gap;
        }
    }
    if (worst <= 1.0) return;
    const Place& place = rows_.place_of_row(worst_row);
    const char* advice = model_.projects_start
                             ? "; from this start [model] project_start found no way, and this is "
                               "as far as it came"
                             : ", or let [model] project_start = true move them";
    if (is_rate) {
        double rate = instant_.pi_t[worst_row];
        const int end = rows_.row_start[static_cast<std::size_t>(worst_row) + 1];
        for (int i = rows_.row_start[static_cast<std::size_t>(worst_row)]; i < end; ++i)
            rate += instant_.A[i] * v_[rows_.column[static_cast<std::size_t>(i)]];
        throw Error(
            ErrorKind::numerical,
            fmt::format("inconsistent start: {} changes at a rate of {:.6g} (allowed {:.2g} "
                        "of the velocities){}; correct velocities or angular velocities of "
                        "the bodies it ties{}",
                        rows_.row_name(worst_row),
                        rate,
                        kStartTolerance,
                        instant_.pi_t[worst_row] != 0.0
                            ? fmt::format(", of which {:.6g} is prescribed over time",
                                          instant_.pi_t[worst_row])
                            : "",
                        advice),
            place);
    }
    refuse_contradiction();
    throw Error(
        ErrorKind::numerical,
        fmt::format("inconsistent start: {} is {:.6g} instead of 0 (allowed {:.2g} of the model's "
                    "size); correct positions or attachment points of the bodies it ties{}",
                    rows_.row_name(worst_row),
                    instant_.pi[worst_row],
                    kStartTolerance,
                    advice),
        place);
}

/// If the gaps of the start cannot be closed, the constraints contradict each other: names the rows
/// that do. Tries Gauss-Newton steps, since what contradicts along straight lines may be closed by
/// a rotation.
void KernelSystem::refuse_contradiction() {
    constexpr int kSteps = 20;
    Eigen::VectorXd q = q_;
    RowSet::Instant at = instant_;
    GapClosing closing;
    for (int step = 0; step < kSteps; ++step) {
        closing = close_gaps(rows_, at.A, mass_, at.pi);
        q -= closing.displacement;
        rows_.evaluate(q.data(), v_.data(), t_, at);
        double gap = 0.0;
        for (int k = 0; k < m_; ++k)
            if (laws_[k].kind == RowKind::constraint) gap = std::max(gap, std::abs(at.pi[k]));
        if (gap <= kStartTolerance * extent_) return;
    }
    const double worst = closing.left.cwiseAbs().maxCoeff();
    if (!(worst > kStartTolerance * extent_)) return;
    std::string names;
    int count = 0;
    Place place;
    for (int k = 0; k < m_; ++k) {
        if (std::abs(closing.left[k]) < 0.1 * worst) continue;
        if (count < kMostNames) names += (count > 0 ? "; " : "") + rows_.row_name(k);
        if (count == 0) place = rows_.place_of_row(k);
        ++count;
    }
    if (count > kMostNames) names += fmt::format("; and {} more", count - kMostNames);
    throw Error(ErrorKind::numerical,
                fmt::format("inconsistent constraints: no motion of the bodies closes {} together "
                            "(a gap of {:.6g} is left); remove one of them or correct where they "
                            "attach",
                            names,
                            worst),
                place);
}

/// Conventions stand where nothing else determines a motion without inertia; others would hold
/// what is free to move.
void KernelSystem::release_conventions() {
    if (massless_.conventions().empty() || massless_.largest_cluster() > kMostMassless) return;
    std::vector<RowKind> before;
    for (const int k : massless_.conventions()) {
        RowLaw& law = rows_.laws[static_cast<std::size_t>(k)];
        before.push_back(law.kind);
        law.kind = RowKind::convention;
        law.viscosity = 0.0;
    }
    for (const int k : massless_.idle_conventions(instant_.A)) {
        RowLaw& law = rows_.laws[static_cast<std::size_t>(k)];
        law.kind = RowKind::dashpot;
        law.viscosity = kIdle;
    }
    bool has_changed = false;
    for (std::size_t c = 0; c < before.size(); ++c)
        has_changed |=
            before[c] != rows_.laws[static_cast<std::size_t>(massless_.conventions()[c])].kind;
    if (!has_changed) return;
    laws_.forget_step();
    face_.reset();
}

void KernelSystem::check_massless() {
    if (massless_.largest_cluster() > kMostMassless)
        throw Error(ErrorKind::numerical,
                    fmt::format("{} coordinates without mass hang together, more than the {} that "
                                "are solved for at once; give the nodes mass",
                                massless_.largest_cluster(),
                                kMostMassless));
    const int i = massless_.analyse(instant_.A);
    if (i < 0) return;
    for (const BodyPart& part : model_.bodies) {
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
