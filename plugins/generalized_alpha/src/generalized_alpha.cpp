// SPDX-License-Identifier: BSD-3-Clause
// The step's iteration and its acceptance.
#include "generalized_alpha.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ancora/sdk/helpers/step_pieces.hpp"
#include "ancora/sdk/system.hpp"

namespace ancora {
namespace {

constexpr double kUsualTolerance = 1e-12;  // [m]
// Corrections that no longer fall have reached round-off, if they are this small.
constexpr double kFloorCorrections = 1e3;
constexpr double kLevel = 0.5;
// Rounding of the way of a step, of which fast vibrations make a difference of large terms.
constexpr double kRoundings = 4.0 * std::numeric_limits<double>::epsilon();
constexpr double kDiverged = 1e3;
// A correction that shrinks by less than this calls for fresh matrices, and so do more iterations
// to come than this.
constexpr double kSlow = 0.3;
constexpr double kManyToCome = 4.0;

bool is_position(RowLevel level) {
    return level == RowLevel::position;
}

}  // namespace

GeneralizedAlpha::GeneralizedAlpha(const Arguments& arguments)
    : max_iterations_(static_cast<int>(arguments.integer("max_iterations"))),
      max_halvings_(static_cast<int>(arguments.integer("max_halvings"))) {
    const double rho = arguments.number("spectral_radius");
    alpha_m_ = (2.0 * rho - 1.0) / (rho + 1.0);
    alpha_f_ = rho / (rho + 1.0);
    gamma_ = 0.5 - alpha_m_ + alpha_f_;
    beta_ = 0.25 * (gamma_ + 0.5) * (gamma_ + 0.5);
}

IntegratorTraits GeneralizedAlpha::traits() const {
    IntegratorTraits traits;
    traits.face = Face::continuous;
    traits.projects = false;  // (1) meets the constraints itself
    traits.follows_own_states = true;
    return traits;
}

void GeneralizedAlpha::prepare(const System& system, const StepSettings& settings) {
    tolerance_ = settings.tolerance > 0.0 ? settings.tolerance : kUsualTolerance;
    const ContinuousState size = system.continuous()->size();
    const auto n = static_cast<std::size_t>(size.num_coordinates);
    const auto m = static_cast<std::size_t>(system.implicit()->num_conditions());
    const std::size_t num_quadratures = static_cast<std::size_t>(size.num_states) - 2 * n;
    for (Values* x : {&acceleration_, &course_, &course0_, &q_, &v_, &p_, &r_, &x_, &dp_, &terms_})
        x->assign(n, 0.0);
    for (Values* x : {&lambda_, &eta_, &g_, &y_, &deta_}) x->assign(m, 0.0);
    for (Values* x : {&rate_, &rate_course_, &rate_course0_}) x->assign(num_quadratures, 0.0);
    own_.assign(size.num_own, 0.0);
    state_.assign(size.num_states, 0.0);
    events_.resize(system.num_events());
}

int GeneralizedAlpha::num_history(const System& system) const {
    const ContinuousState size = system.continuous()->size();
    const int num_quadratures = size.num_states - 2 * size.num_coordinates;
    return History::kWords + 2 * size.num_coordinates + system.implicit()->num_conditions() +
           2 * num_quadratures;
}

GeneralizedAlpha::History GeneralizedAlpha::history(System& system, std::size_t m) {
    const std::span<double> x = system.history();
    const auto n = static_cast<std::size_t>(system.num_coordinates());
    const std::size_t num_quadratures = (x.size() - History::kWords - 2 * n - m) / 2;
    std::size_t at = History::kWords;
    const auto take = [&](std::size_t count) {
        at += count;
        return x.subspan(at - count, count);
    };
    return {x[History::kHasBegun],
            x[History::kLength],
            take(n),
            take(n),
            take(m),
            take(num_quadratures),
            take(num_quadratures)};
}

GeneralizedAlpha::Scales GeneralizedAlpha::scales(double h) const {
    const double part = (1.0 - alpha_f_) / (1.0 - alpha_m_);
    return {1.0 / (beta_ * part * h * h), gamma_ / (beta_ * h)};
}

void GeneralizedAlpha::step(System& system, double t0, double h) {
    if (system.num_events() > 0)
        advance_over_events(system, t0, h);
    else
        advance(system, t0, h, max_halvings_);
}

/// Pieces that end at events, or are halved where the iteration fails.
void GeneralizedAlpha::advance_over_events(System& system, double t0, double h) {
    ImplicitSystem& face = *system.implicit();
    int halvings = 0;
    double longest = h;
    for (StepPieces pieces(system, events_, t0, h); pieces.more();) {
        const double t = pieces.t();
        const double length = system.max_smooth_step(std::min(longest, pieces.rest()));
        if (history(system, lambda_.size()).has_begun == 0.0) begin(system, face, t, length);
        double made = 0.0;
        const bool is_made = pieces.advance(
            length,
            [&](double part) {
                if (!solve(system, face, t, part)) return false;
                write_state(system, part);
                system.continuous()->evaluate_events(t + part, state_, events_.values());
                return true;
            },
            [&](double, double part) {
                accept(system, t, part);
                made = part;
            });
        // Behind an event other forces act.
        if (is_made && made < length) history(system, lambda_.size()).has_begun = 0.0;
        if (!is_made && halvings++ == max_halvings_) refuse(system, t, length);
        if (is_made) halvings = 0;
        longest = is_made ? h : 0.5 * length;
    }
}

void GeneralizedAlpha::advance(System& system, double t0, double h, int halvings) {
    ImplicitSystem& face = *system.implicit();
    if (history(system, lambda_.size()).has_begun == 0.0) begin(system, face, t0, h);
    if (solve(system, face, t0, h)) {
        write_state(system, h);
        accept(system, t0, h);
        return;
    }
    if (halvings == 0) refuse(system, t0, h);
    advance(system, t0, 0.5 * h, halvings - 1);
    advance(system, t0 + 0.5 * h, 0.5 * h, halvings - 1);
}

void GeneralizedAlpha::refuse(System& system, double t0, double h) {
    system.implicit()->no_convergence(
        t0,
        h,
        x_,
        "take a shorter step; if that does not help, constraints contradict each other there or "
        "the motion jumps");
}

/// Starts the courses at t0 + (alpha_m - alpha_f) h, by the accelerations that a trial leads to.
void GeneralizedAlpha::begin(System& system, ImplicitSystem& face, double t0, double h) {
    const History past = history(system, lambda_.size());
    face.accelerations(t0, system.q(), system.v(), past.acceleration, past.lambda);
    std::ranges::copy(past.acceleration, past.course.begin());
    system.continuous()->read_state(state_);
    std::ranges::copy(own_of(state_), own_.begin());
    face.follow_own(own_, 0.0);
    face.evaluate({t0, system.q(), system.v(), past.lambda});
    face.quadrature_rates(past.rate);
    std::ranges::copy(past.rate, past.rate_course.begin());
    past.has_begun = 1.0;
    past.length = h;
    const double shift = alpha_m_ - alpha_f_;
    if (shift == 0.0 || !solve(system, face, t0, h)) return;
    for (std::size_t i = 0; i < acceleration_.size(); ++i)
        past.course[i] += shift * (acceleration_[i] - past.acceleration[i]);
    for (std::size_t i = 0; i < rate_.size(); ++i)
        past.rate_course[i] += shift * (rate_[i] - past.rate[i]);
}

/// Solves a step, with other conditions left out if those no longer depend on the rest.
bool GeneralizedAlpha::solve(System& system, ImplicitSystem& face, double t0, double h) {
    const History past = history(system, lambda_.size());
    // In steps of another length the courses are ahead by another time.
    const double part = h / past.length;
    for (std::size_t i = 0; i < course0_.size(); ++i)
        course0_[i] = past.acceleration[i] + part * (past.course[i] - past.acceleration[i]);
    for (std::size_t i = 0; i < rate_.size(); ++i)
        rate_course0_[i] = past.rate[i] + part * (past.rate_course[i] - past.rate[i]);

    // (4) with (2) of x'
    if (!own_.empty()) {
        system.continuous()->read_state(state_);
        const std::span<const double> x0 = own_of(state_);
        const double part_of_new = (1.0 - alpha_f_) / (1.0 - alpha_m_);
        const std::size_t first = rate_.size() - own_.size();
        for (std::size_t i = 0; i < own_.size(); ++i) {
            const double course = rate_course0_[first + i];
            own_[i] = x0[i] + h * ((1.0 - gamma_) * course +
                                   gamma_ * next_course(course, past.rate[first + i], 0.0));
        }
        face.follow_own(own_, h * gamma_ * part_of_new);
    }
    bool has_converged = converge(system, face, t0, h);
    if (has_converged && face.are_dropped_met()) return true;
    if (face.renew_choice()) has_converged = converge(system, face, t0, h);
    if (has_converged && !face.are_dropped_met())
        system.refuse(t0 + h,
                      "a constraint that the others determine is not met together with them: they "
                      "contradict each other; see `ancora check`");
    return has_converged;
}

bool GeneralizedAlpha::converge(System& system, ImplicitSystem& face, double t0, double h) {
    const History past = history(system, lambda_.size());
    for (std::size_t i = 0; i < course_.size(); ++i)
        course_[i] = next_course(course0_[i], past.acceleration[i], past.acceleration[i]);
    std::ranges::copy(past.lambda, lambda_.begin());
    std::ranges::fill(p_, 0.0);
    std::ranges::fill(eta_, 0.0);
    const bool has_positions = std::ranges::any_of(face.levels(), is_position);

    constexpr double kUnknown = std::numeric_limits<double>::infinity();
    double size = kUnknown, last = kUnknown, first = kUnknown;
    bool is_fresh_wanted = !face.is_factorised(
        Augmented::dynamics, {scales(h).mass, scales(h).damping, 1.0, 1.0 / scales(h).damping});
    bool was_level = false;
    evaluate(system, face, t0, h);
    for (int k = 0; k < max_iterations_; ++k) {
        if (is_fresh_wanted && !factorise(face, h, has_positions)) return false;
        is_fresh_wanted = false;
        face.count_iteration();
        last = size;
        size = correct(system, face, h, has_positions);
        if (k == 0) first = size;
        if (!std::isfinite(size) || size > kDiverged * std::max(first, tolerance_)) return false;
        evaluate(system, face, t0, h);
        const double rounding = kRoundings * system.displacement(terms_);
        const bool is_level = size >= kLevel * last;
        const bool is_at_floor =
            is_level && was_level && size <= kFloorCorrections * std::max(tolerance_, rounding);
        if (size <= std::max(tolerance_, rounding) || is_at_floor) {
            face.quadrature_rates(rate_);
            return true;
        }
        was_level = is_level;
        if (k == 0) continue;
        const double shrinks = size / last;
        is_fresh_wanted =
            shrinks > kSlow || std::log(tolerance_ / size) / std::log(shrinks) > kManyToCome;
    }
    return false;
}

/// Takes the trial's a1 to q1 and v1, and evaluates the equations there.
void GeneralizedAlpha::evaluate(System& system, ImplicitSystem& face, double t0, double h) {
    const History past = history(system, lambda_.size());
    const std::span<const double> q0 = system.q(), v0 = system.v();
    for (std::size_t i = 0; i < q_.size(); ++i) {
        const double a0 = course0_[i], a1 = course_[i];
        // (2), solved for q1'': fast vibrations make it large, and a1 a difference
        acceleration_[i] =
            ((1.0 - alpha_m_) * a1 + alpha_m_ * a0 - alpha_f_ * past.acceleration[i]) /
            (1.0 - alpha_f_);
        const double dq = h * (v0[i] + h * ((0.5 - beta_) * a0 + beta_ * a1)) + p_[i];
        terms_[i] = h * (std::abs(v0[i]) + h * (std::abs(a0) + std::abs(a1)));
        q_[i] = q0[i] + dq;
        v_[i] = v0[i] + h * ((1.0 - gamma_) * a0 + gamma_ * a1);
    }
    face.evaluate({t0 + h, q_, v_, lambda_});
}

bool GeneralizedAlpha::factorise(ImplicitSystem& face, double h, bool has_positions) {
    face.differentiate(acceleration_);
    const auto [mass, damping] = scales(h);
    return face.factorise(Augmented::dynamics, {mass, damping, 1.0, 1.0 / damping}) &&
           (!has_positions || face.factorise(Augmented::positions, {}));
}

/// One correction of the trial.
/// @returns what it displaces matter by [m]
double GeneralizedAlpha::correct(System& system,
                                 ImplicitSystem& face,
                                 double h,
                                 bool has_positions) {
    const auto [mass, damping] = scales(h);
    const CompressedMatrix M = face.mass(), A = face.jacobian();
    std::ranges::copy(face.force(), r_.begin());
    M.add_product(-1.0, acceleration_, r_);
    A.add_transposed_product(1.0, lambda_, r_);
    const std::span<const RowLevel> levels = face.levels();
    std::ranges::fill(g_, 0.0);
    A.add_product(-1.0 / mass, acceleration_, g_);
    for (std::size_t k = 0; k < g_.size(); ++k)
        g_[k] = levels[k] == RowLevel::acceleration ? g_[k] + face.biases()[k] / mass
                                                    : -face.rates()[k] / damping;
    face.solve(Augmented::dynamics, r_, g_, x_, y_);
    for (std::size_t i = 0; i < x_.size(); ++i) course_[i] += x_[i] / (beta_ * h * h);
    for (std::size_t k = 0; k < y_.size(); ++k) lambda_[k] += y_[k];
    const double size = system.displacement(x_);
    if (!has_positions) return size;
    correct_positions(face);
    return std::max(size, system.displacement(dp_));
}

/// Corrects p and eta, after x_ has been added to q.
void GeneralizedAlpha::correct_positions(ImplicitSystem& face) {
    const CompressedMatrix M = face.mass(), A = face.jacobian();
    std::ranges::fill(r_, 0.0);
    M.add_product(-1.0, p_, r_);
    A.add_transposed_product(1.0, eta_, r_);
    std::ranges::fill(g_, 0.0);
    A.add_product(-1.0, x_, g_);
    const std::span<const RowLevel> levels = face.levels();
    for (std::size_t k = 0; k < g_.size(); ++k)
        g_[k] = is_position(levels[k]) ? g_[k] - face.gaps()[k] : 0.0;
    face.solve(Augmented::positions, r_, g_, dp_, deta_);
    for (std::size_t i = 0; i < p_.size(); ++i) p_[i] += dp_[i];
    for (std::size_t k = 0; k < eta_.size(); ++k) eta_[k] += deta_[k];
}

/// The state at the end of the trial, and the courses of its rates.
void GeneralizedAlpha::write_state(System& system, double h) {
    const History past = history(system, lambda_.size());
    std::size_t at = 0;
    for (const Values* values : {&q_, &v_})
        for (const double value : *values) state_[at++] = value;
    for (std::size_t i = 0; i < rate_.size(); ++i) {
        rate_course_[i] = next_course(rate_course0_[i], past.rate[i], rate_[i]);
        state_[at++] = h * ((1.0 - gamma_) * rate_course0_[i] + gamma_ * rate_course_[i]);
    }
    const std::span<const double> x1 = system.implicit()->own();
    std::ranges::copy(x1, state_.end() - static_cast<std::ptrdiff_t>(x1.size()));
}

/// The trial that write_state() has written.
void GeneralizedAlpha::accept(System& system, double t0, double h) {
    const History past = history(system, lambda_.size());
    system.continuous()->accept_state(t0, t0 + h, state_);
    std::ranges::copy(course_, past.course.begin());
    std::ranges::copy(acceleration_, past.acceleration.begin());
    std::ranges::copy(lambda_, past.lambda.begin());
    std::ranges::copy(rate_, past.rate.begin());
    std::ranges::copy(rate_course_, past.rate_course.begin());
    past.length = h;
}

}  // namespace ancora
