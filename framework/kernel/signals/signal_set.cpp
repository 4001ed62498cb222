// SPDX-License-Identifier: BSD-3-Clause
// Signals at instants, over steps, and at events.
#include "signal_set.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>

namespace ancora {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// The iteration for states: corrections of a few roundings are none; one that no longer shrinks
// has reached round-off if it is below the second bound.
constexpr double kSettled = 4.0 * kEpsilon;
constexpr double kStandsStill = 1e-11;
// Differences change their argument by this part of it, which leaves each half of the digits.
const double kChange = std::sqrt(kEpsilon);
// With a matrix that is right each correction is less than this part of the one before.
constexpr double kFast = 0.5;
// A residual that is larger than this part of the states beside a correction that is none: the
// matrix is too large to be right.
const double kSuspicious = std::sqrt(kEpsilon);
// Below this a double has not all its digits.
constexpr double kLeast = std::numeric_limits<double>::min() / kEpsilon;
constexpr int kMostIterations = 60;
constexpr int kRenewEvery = 8;

// Times of events this close, relative, are one.
constexpr double kSameTime = 1e-12;

// Scalars that the own values of one force may answer to: more would be a large dense matrix.
constexpr std::size_t kMostAnswered = 120;

const std::vector<Attachment>& attachments_of(const Model& model, const SignalPart& part) {
    static const std::vector<Attachment> kNothing;
    const auto i = static_cast<std::size_t>(part.index);
    switch (part.of) {
        case SignalPart::Of::constraint:
            return model.constraints[i].attachments;
        case SignalPart::Of::force:
            return model.forces[i].attachments;
        case SignalPart::Of::body:
        case SignalPart::Of::release:
            break;
    }
    return kNothing;
}

}  // namespace

SignalSet::SignalSet(const Model& model, CallMeter& meter)
    : model_(model), meter_(meter), inputs_(model, meter) {
    part_of_force_.assign(model.forces.size(), -1);
    std::size_t u = 0, z = 0, y = 0;
    for (const SignalPart& of : model.signals) {
        Part part{&of, AttachmentMap(model, attachments_of(model, of), meter)};
        if (of.of == SignalPart::Of::body) {
            const BodyPart& body = model.bodies[of.index];
            part.first_q = body.first;
            part.num_q = body.count;
        } else if (of.of == SignalPart::Of::force) {
            part_of_force_[of.index] = static_cast<int>(parts_.size());
        }
        part.is_read_by_rows = of.is_read_by_rows();
        part.first_u = u;
        part.num_u = static_cast<std::size_t>(part.num_q + part.map.num_scalars());
        part.num_x = static_cast<std::size_t>(of.facts.num_continuous);
        part.first_z = z;
        part.num_z = static_cast<std::size_t>(of.facts.num_discrete);
        part.first_y = y;
        part.num_y = static_cast<std::size_t>(of.num_values);
        part.first_crossing = num_crossings_;
        part.num_crossings = of.facts.num_crossings;
        u += part.num_u;
        z += part.num_z;
        y += part.num_y;
        num_crossings_ += part.num_crossings;
        first_y_.push_back(static_cast<int>(part.first_y));
        parts_.push_back(std::move(part));
    }
    for (const SignalPart& of : model.signals)
        for (const auto& input : of.inputs)
            for (const OutputRead& source : input->outputs_read) parts_[source.part].is_read = true;
    std::size_t x = 0;
    for (const SignalGroup& order : order_signals(model.signals)) {
        Group group;
        group.parts = order.parts;
        group.first_x = x;
        group.num_x = static_cast<std::size_t>(order.num_x);
        for (const int i : order.parts) {
            Part& part = parts_[i];
            part.first_x = x;
            x += part.num_x;
        }
        const auto n = static_cast<Eigen::Index>(group.num_x);
        group.J.setIdentity(n, n);
        if (n > 0) group.factored = Eigen::PartialPivLU<Eigen::MatrixXd>(n);
        for (Eigen::VectorXd* of :
             {&group.f, &group.f_moved, &group.correction, &group.terms, &group.rounding})
            of->setZero(n);
        groups_.push_back(std::move(group));
    }
    num_x_ = static_cast<int>(x);
    num_y_ = static_cast<int>(y);
    for (Eigen::VectorXd* of : {&x_, &x1_, &middle_, &answered_, &x_before_, &base_, &settled_})
        of->setZero(static_cast<Eigen::Index>(x));
    for (Eigen::VectorXd* of : {&z_, &z_before_}) of->setZero(static_cast<Eigen::Index>(z));
    for (Eigen::VectorXd* of : {&u_, &du_}) of->setZero(static_cast<Eigen::Index>(u));
    q1_.setZero(model.num_coordinates);
    for (Part& part : parts_) {
        if (!part.is_read_by_rows) continue;
        part.first_kept = num_kept_;
        num_kept_ += part.of->inputs.size() + part.num_x + part.num_z;
    }
    for (std::vector<double>& values : kept_) values.assign(num_kept_, 0.0);
    y_.assign(y, 0.0);
    std::size_t most_inputs = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i)
        most_inputs = std::max(most_inputs, inputs_.values_of(static_cast<int>(i)).size());
    y_none_.assign(most_inputs, kNone);
    armed_.assign(num_crossings_, 0);
    for (std::vector<double>* g : {&g_, &g_jump_}) g->assign(num_crossings_, 0.0);
    next_times_.assign(parts_.size(), kInfinity);
    next_ = kInfinity;
    find_answers();
}

/// Sources of the own values of forces: all that objects of their group read.
void SignalSet::find_answers() {
    answers_.resize(parts_.size());
    for (std::size_t g = 0; g < groups_.size(); ++g)
        for (const int i : groups_[g].parts) {
            const Part& force = parts_[i];
            if (force.of->of != SignalPart::Of::force) continue;
            Answers& answers = answers_[i];
            answers.group = static_cast<int>(g);
            answers.sources.push_back({i, -1, force.num_u});
            std::size_t total = force.num_u;
            for (const int j : groups_[g].parts) {
                const Part& part = parts_[j];
                if (j != i && part.num_u > 0 && part.num_q == 0) {
                    answers.sources.push_back({j, -1, part.num_u});
                    const std::vector<Attachment>& its = attachments_of(model_, *part.of);
                    answers.attachments.insert(answers.attachments.end(), its.begin(), its.end());
                    total += part.num_u;
                }
                for (int k = inputs_.first_of(j); k < inputs_.first_of(j + 1); ++k) {
                    if (inputs_.num_scalars(k) == 0) continue;
                    answers.sources.push_back({-1, k, inputs_.num_scalars(k)});
                    const std::vector<Attachment>& its = inputs_.input(k).attachments;
                    answers.attachments.insert(answers.attachments.end(), its.begin(), its.end());
                    total += inputs_.num_scalars(k);
                }
            }
            if (total <= kMostAnswered) continue;
            answers.sources.resize(1);
            answers.attachments.clear();
        }
}

// --- state

void SignalSet::begin(double t) {
    inputs_.begin();
    for (const Part& part : parts_) {
        part.of->signals.start(sub(x_, part.first_x, part.num_x),
                               sub(z_, part.first_z, part.num_z));
        const auto i = static_cast<std::size_t>(&part - parts_.data());
        // Events that are overdue act at once.
        next_times_[i] = std::max(
            t,
            part.of->signals.next_time(meter_, t, -kInfinity, sub(z_, part.first_z, part.num_z)));
    }
    std::ranges::fill(armed_, 0);
    std::ranges::fill(g_, 0.0);
    find_next();
    forget_step();
}

std::vector<std::string> SignalSet::names_with_states() const {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < parts_.size(); ++i)
        if (parts_[i].num_x > 0 || parts_[i].num_z > 0 || std::isfinite(next_times_[i]))
            out.push_back(parts_[i].of->name);
    return out;
}

void SignalSet::set_x(std::span<const double> x) {
    std::ranges::copy(x, x_.data());
    forget_step();
}

void SignalSet::save(States& to) const {
    to.x = x_;
    to.z = z_;
    to.begin = kept_[static_cast<std::size_t>(Moment::begin)];
}

void SignalSet::set_states(const States& states) {
    x_ = states.x;
    z_ = states.z;
    kept(Moment::begin) = states.begin;
    forget_step();
}

void SignalSet::forget_step() {
    h_ = 0.0;
    x1_ = x_;
    forget_matrices();
    find_next();
}

// --- at an instant

SignalPoint SignalSet::point_of(const Part& part, double t, const double* x) const {
    const auto i = static_cast<int>(&part - parts_.data());
    return {t,
            {u_.data() + part.first_u, part.num_u},
            {du_.data() + part.first_u, part.num_u},
            {inputs_.values_of(i),
             {x + part.first_x, part.num_x},
             {z_.data() + part.first_z, part.num_z}}};
}

void SignalSet::gather(const double* q, const double* v, double t) {
    t_ = t;
    for (Part& part : parts_) {
        double* const u = u_.data() + part.first_u;
        double* const du = du_.data() + part.first_u;
        std::copy_n(q + part.first_q, part.num_q, u);
        std::copy_n(v + part.first_q, part.num_q, du);
        if (part.map.num_scalars() > 0) part.map.evaluate(q, v, t, u, du);
    }
    inputs_.read(q, v, t);
}

void SignalSet::gather_step(const double* q0, const double* dq, double t0, double h) {
    t_ = t0 + 0.5 * h;
    for (Part& part : parts_) {
        double* const u = u_.data() + part.first_u;
        double* const du = du_.data() + part.first_u;
        for (int k = 0; k < part.num_q; ++k) {
            u[k] = q0[part.first_q + k];
            du[k] = dq[part.first_q + k];
        }
        if (part.map.num_scalars() > 0) {
            part.map.evaluate(q0, nullptr, t0, u, nullptr);
            if (part.map.is_linear()) {
                part.map.increment(dq, du);
            } else {
                for (Eigen::Index k = 0; k < q1_.size(); ++k) q1_[k] = q0[k] + dq[k];
                part.map.evaluate(q1_.data(), nullptr, t0 + h, du, nullptr);
                for (std::size_t k = 0; k < part.num_u; ++k) du[k] -= u[k];
            }
        }
        for (std::size_t k = 0; k < part.num_u; ++k) {
            u[k] += 0.5 * du[k];
            du[k] /= h;
        }
    }
    inputs_.read_step(q0, dq, t0, h);
}

void SignalSet::evaluate_outputs(const Part& part, double t, const double* x) {
    if (part.num_y == 0) return;
    SignalPoint at = point_of(part, t, x);
    // what it says it does not read is not there
    if (!part.of->facts.outputs_read_inputs)
        at.own.inputs = std::span<const double>(y_none_).first(at.own.inputs.size());
    part.of->signals.evaluate_outputs(meter_, at, std::span(y_).subspan(part.first_y, part.num_y));
}

/// Inputs and outputs of these parts: first the outputs that read no inputs, then in order.
void SignalSet::ask(const std::vector<int>& parts, double t, const double* x, bool wants_all) {
    for (const int i : parts) {
        const Part& part = parts_[i];
        if (!part.of->facts.outputs_read_inputs && (wants_all || part.is_read))
            evaluate_outputs(part, t, x);
    }
    for (const int i : parts) {
        const Part& part = parts_[i];
        inputs_.combine(i, y_, first_y_);
        if (part.of->facts.outputs_read_inputs && (wants_all || part.is_read))
            evaluate_outputs(part, t, x);
    }
}

void SignalSet::differentiate(const std::vector<int>& parts,
                              double t,
                              const double* x,
                              double* dx) {
    for (const int i : parts) {
        const Part& part = parts_[i];
        if (part.num_x > 0)
            part.of->signals.differentiate(
                meter_, point_of(part, t, x), {dx + part.first_x, part.num_x});
    }
}

void SignalSet::evaluate(const double* q, const double* v, double t) {
    if (parts_.empty()) return;
    gather(q, v, t);
    if (is_following_) {
        shown_ = settled_.data();
        for (Group& group : groups_) settle(group, t);
        return;
    }
    shown_ = stage_ != nullptr ? stage_ : x_.data();
    for (const Group& group : groups_) ask(group.parts, t, shown_, false);
}

void SignalSet::follow(std::span<const double> base, double weight) {
    std::ranges::copy(base, base_.begin());
    weight_ = weight;
    has_rule_ = true;
    settled_ = base_;
    forget_matrices();
}

/// x - base - weight f = 0 at an instant.
void SignalSet::settle(Group& group, double t) {
    const auto first = static_cast<Eigen::Index>(group.first_x);
    const auto n = static_cast<Eigen::Index>(group.num_x);
    if (n == 0 || weight_ == 0.0)
        settled_.segment(first, n) = base_.segment(first, n);
    else
        iterate(group, {settled_, base_, settled_, weight_, weight_, t});
    ask(group.parts, t, settled_.data(), false);
}

void SignalSet::differentiate(std::span<double> dx) {
    for (const Group& group : groups_) differentiate(group.parts, t_, shown_, dx.data());
}

void SignalSet::sample(const double* q, const double* v, double t, std::span<double> y) {
    gather(q, v, t);
    shown_ = x_.data();
    for (const Group& group : groups_) ask(group.parts, t, shown_, true);
    std::ranges::copy(y_, y.begin());
}

OwnValues SignalSet::own_of_force(int index) const {
    const int i = part_of_force_[index];
    if (i < 0) return {};
    const Part& part = parts_[i];
    return {inputs_.values_of(i),
            {shown_ + part.first_x, part.num_x},
            {z_.data() + part.first_z, part.num_z}};
}

// --- over a step

void SignalSet::evaluate_step(const double* q0, const double* dq, double t0, double h) {
    if (parts_.empty()) return;
    if (t0 != t0_ || h != h_) {
        t0_ = t0;
        h_ = h;
        x1_ = x_;
        forget_matrices();
    }
    gather_step(q0, dq, t0, h);
    if (model_.traits.face == Face::continuous) {
        // the integrator moves the states; only turns and states of plugins are asked for
        shown_ = x_.data();
        for (const Group& group : groups_) ask(group.parts, t0 + 0.5 * h, shown_, false);
        return;
    }
    shown_ = middle_.data();
    for (Group& group : groups_) solve(group, t0, h);
}

/// x1 - x0 - h f = 0, f in the middle of the step.
void SignalSet::solve(Group& group, double t0, double h) {
    if (group.num_x == 0)
        ask(group.parts, t0 + 0.5 * h, middle_.data(), false);
    else
        iterate(group, {x1_, x_, middle_, h, 0.5 * h, t0 + 0.5 * h});
}

void SignalSet::place(const Group& group, const Equation& of) {
    if (&of.at == &of.x) return;
    const auto first = static_cast<Eigen::Index>(group.first_x);
    const auto n = static_cast<Eigen::Index>(group.num_x);
    of.at.segment(first, n) = 0.5 * (of.base.segment(first, n) + of.x.segment(first, n));
}

/// f of a group where the equation has it.
void SignalSet::rates(Group& group, const Equation& of, Eigen::VectorXd& f) {
    ask(group.parts, of.t, of.at.data(), false);
    differentiate(group.parts, of.t, of.at.data(), f.data() - group.first_x);
}

/// Newton's method for the states of a group.
void SignalSet::iterate(Group& group, const Equation& of) {
    const auto first = static_cast<Eigen::Index>(group.first_x);
    const auto n = static_cast<Eigen::Index>(group.num_x);
    Eigen::VectorXd& step = group.f_moved;  // solved into other memory, which allocates nothing
    double last = kInfinity;
    for (int k = 0; k < kMostIterations; ++k) {
        place(group, of);
        rates(group, of, group.f);
        group.correction = of.x.segment(first, n) - of.base.segment(first, n) - of.weight * group.f;
        if (!group.is_factored || (k > 0 && k % kRenewEvery == 0)) factorise(group, of);
        step = group.factored.solve(group.correction);
        double size = 0.0, left = 0.0;
        for (Eigen::Index i = 0; i < n; ++i) {
            const double terms = std::abs(of.x[first + i] - step[i]) +
                                 std::abs(of.base[first + i]) + std::abs(of.weight * group.f[i]) +
                                 group.rounding[i] + kLeast;
            size = std::max(size, std::abs(step[i]) / terms);
            left = std::max(left, std::abs(group.correction[i]) / terms);
        }
        const bool is_small = size <= kSettled || (size >= last && size <= kStandsStill);
        if (!group.has_rounding && (is_small ? left > kSuspicious : !(size <= kFast * last))) {
            // Terms of f that cancel leave rounding that the states do not show
            find_rounding(group, of);
            last = kInfinity;
            continue;
        }
        of.x.segment(first, n) -= step;
        if (!std::isfinite(size)) break;
        if (is_small) {
            place(group, of);
            return;
        }
        last = size;
    }
    refuse(group, of.t - of.slope, of.weight);
}

/// J = I - slope df/dx by differences.
void SignalSet::factorise(Group& group, const Equation& of) {
    const auto first = static_cast<Eigen::Index>(group.first_x);
    const auto n = static_cast<Eigen::Index>(group.num_x);
    for (Eigen::Index j = 0; j < n; ++j) {
        const double at = of.at[first + j];
        const double scale = std::max({std::abs(at),
                                       std::abs(x_[first + j]),
                                       std::abs(of.weight * group.f[j]),
                                       of.weight * group.terms[j]});
        const double step = kChange * (scale > kLeast ? scale : 1.0);
        of.at[first + j] = at + step;
        rates(group, of, group.f_moved);
        of.at[first + j] = at;
        group.J.col(j) = (-of.slope / step) * (group.f_moved - group.f);
        group.J(j, j) += 1.0;
    }
    group.factored.compute(group.J);
    group.is_factored = true;
}

/// The sizes of the terms that f is the sum of: what each argument does to it, and from these what
/// their rounding can do to the states. J is renewed with steps that reach beyond it.
void SignalSet::find_rounding(Group& group, const Equation& of) {
    const auto first = static_cast<Eigen::Index>(group.first_x);
    const auto n = static_cast<Eigen::Index>(group.num_x);
    place(group, of);
    rates(group, of, group.f);
    group.terms = group.f.cwiseAbs();
    const auto add_moved = [&] {
        rates(group, of, group.f_moved);
        group.terms += (group.f_moved - group.f).cwiseAbs() / kChange;
    };
    const auto add = [&](double& argument) {
        const double before = argument;
        if (before == 0.0) return;
        argument *= 1.0 + kChange;
        add_moved();
        argument = before;
    };
    for (Eigen::Index j = 0; j < n; ++j) add(of.at[first + j]);
    for (const int i : group.parts) {
        const Part& part = parts_[i];
        for (std::size_t k = part.first_u; k < part.first_u + part.num_u; ++k) {
            add(u_[static_cast<Eigen::Index>(k)]);
            add(du_[static_cast<Eigen::Index>(k)]);
        }
        for (int input = inputs_.first_of(i); input < inputs_.first_of(i + 1); ++input)
            for (std::size_t k = 0; k < inputs_.num_terms(input); ++k) {
                inputs_.lift(input, k, 1.0 + kChange);
                add_moved();
            }
        inputs_.lift(-1, 0, 1.0);
    }
    ask(group.parts, of.t, of.at.data(), false);
    factorise(group, of);
    // |J^-1| times the rounding-error bound of each equation
    group.rounding.setZero();
    for (Eigen::Index k = 0; k < n; ++k) {
        group.correction.setZero();
        group.correction[k] = of.weight * group.terms[k];
        group.f_moved = group.factored.solve(group.correction);
        group.rounding += group.f_moved.cwiseAbs();
    }
    group.has_rounding = true;
}

/// Discards solutions for another step or rule.
void SignalSet::forget_matrices() {
    for (Group& group : groups_) {
        group.is_factored = group.has_rounding = false;
        group.terms.setZero();
        group.rounding.setZero();
    }
}

void SignalSet::refuse(const Group& group, double t0, double h) const {
    std::string names;
    const SignalPart* named = nullptr;
    for (const int i : group.parts) {
        const Part& part = parts_[i];
        if (part.num_x == 0) continue;
        names += (names.empty() ? "" : ", ") + part.of->name;
        if (named == nullptr) named = part.of;
    }
    throw Error(ErrorKind::numerical,
                fmt::format("t = {:.9g} s, step of {:.3g} s: the states of {} do not settle; they "
                            "may grow without bound, jump with what they depend on, or be too fast "
                            "for the step: take a shorter one",
                            t0,
                            h,
                            names),
                named->place);
}

void SignalSet::accept_step() {
    if (parts_.empty()) return;
    inputs_.accept_step();
    x_ = x1_;
    kept(Moment::begin) = kept(Moment::end);
    forget_step();
}

void SignalSet::follow_step(const double* q0, const double* dq, double t0, double h) {
    if (parts_.empty()) return;
    inputs_.read_step(q0, dq, t0, h);
    inputs_.accept_step();
}

// --- own values that rows read

OwnValues SignalSet::own_of_part(int index, Moment moment) const {
    const Part& part = parts_[index];
    const std::size_t num_inputs = part.of->inputs.size();
    const auto own = std::span<const double>(kept_[static_cast<std::size_t>(moment)])
                         .subspan(part.first_kept, num_inputs + part.num_x + part.num_z);
    return {own.first(num_inputs), own.subspan(num_inputs, part.num_x), own.last(part.num_z)};
}

/// Of what was last evaluated.
void SignalSet::keep(Moment moment) {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const Part& part = parts_[i];
        if (!part.is_read_by_rows) continue;
        double* to = kept(moment).data() + part.first_kept;
        to = std::ranges::copy(inputs_.values_of(static_cast<int>(i)), to).out;
        to = std::copy_n(shown_ + part.first_x, part.num_x, to);
        std::copy_n(z_.data() + part.first_z, part.num_z, to);
    }
}

void SignalSet::evaluate_for_rows(const double* q, const double* v, double t) {
    if (!are_read_by_rows()) return;
    evaluate(q, v, t);
    keep(Moment::now);
}

void SignalSet::evaluate_step_for_rows(
    const double* q0, const double* dq, const double* q1, const double* v1, double t0, double h) {
    if (!are_read_by_rows()) return;
    evaluate_step(q0, dq, t0, h);
    keep(Moment::middle);
    gather(q1, v1, t0 + h);
    shown_ = stage_ != nullptr ? stage_ : x1_.data();
    for (const Group& group : groups_) ask(group.parts, t0 + h, shown_, false);
    keep(Moment::end);
}

void SignalSet::hold(const double* q, const double* v, double t) {
    if (!are_read_by_rows()) return;
    evaluate_for_rows(q, v, t);
    kept(Moment::begin) = kept(Moment::now);
}

// --- answers

std::span<const Attachment> SignalSet::answered_attachments(int force) const {
    const int i = part_of_force_[force];
    if (i < 0) return {};
    return answers_[i].attachments;
}

/// The scalar of a part that has moved.
double& SignalSet::local(Eigen::VectorXd& of, const Answers& answers) {
    const Part& part = parts_[answers.moved.part];
    return of[static_cast<Eigen::Index>(part.first_u + answers.moved_scalar)];
}

void SignalSet::answer(int force, std::size_t k, double change) {
    Answers& answers = answers_[part_of_force_[force]];
    std::size_t i = 0;
    while (k >= answers.sources[i].count) k -= answers.sources[i++].count;
    answers.moved = answers.sources[i];
    answers.moved_scalar = k;
    if (answers.moved.input >= 0) {
        inputs_.move(answers.moved.input, k, change, t0_, h_);
    } else {
        answers.u = local(u_, answers);
        answers.du = local(du_, answers);
        local(u_, answers) += 0.5 * change;
        local(du_, answers) += change / h_;
    }
    Group& group = groups_[answers.group];
    const double t = t0_ + 0.5 * h_;
    const auto first = static_cast<Eigen::Index>(group.first_x);
    const auto n = static_cast<Eigen::Index>(group.num_x);
    answered_ = middle_;
    ask(group.parts, t, middle_.data(), false);
    if (n > 0) {
        // J dx = h (f moved - f), f = (x1 - x0) / h
        differentiate(group.parts, t, middle_.data(), group.f_moved.data() - first);
        group.correction = h_ * group.f_moved - (x1_.segment(first, n) - x_.segment(first, n));
        answered_.segment(first, n) += 0.5 * group.factored.solve(group.correction);
        ask(group.parts, t, answered_.data(), false);
    }
    shown_ = answered_.data();
}

void SignalSet::end_answer(int force) {
    Answers& answers = answers_[part_of_force_[force]];
    if (answers.moved.input >= 0) {
        inputs_.move_back(answers.moved.input, answers.moved_scalar, t0_, h_);
    } else {
        local(u_, answers) = answers.u;
        local(du_, answers) = answers.du;
    }
    shown_ = middle_.data();
    ask(groups_[answers.group].parts, t0_ + 0.5 * h_, middle_.data(), false);
}

// --- events

void SignalSet::look(const double* q, const double* v, double t, bool has_passed) {
    if (num_crossings_ == 0) return;
    std::swap(g_, g_jump_);
    evaluate_all_crossings(q, v, t, x_.data(), g_);
    for (std::size_t i = 0; i < armed_.size(); ++i) {
        // The place of an event is on its positive side but for rounding: what stays there at the
        // instant at which it acted has not come up anew.
        const double least = has_passed ? 0.0 : std::max(g_jump_[i], 0.0);
        if (g_[i] > least) armed_[i] = 1;
    }
    // A condition of a release that was on its border at the start, and is met by now.
    for (const Part& part : parts_)
        if (part.of->of == SignalPart::Of::release && part.num_crossings > 0 &&
            g_[part.first_crossing] < 0.0)
            armed_[part.first_crossing] = 1;
}

int SignalSet::due_crossing() const {
    for (std::size_t i = 0; i < armed_.size(); ++i)
        if (is_down(i)) return static_cast<int>(i);
    return -1;
}

void SignalSet::evaluate_all_crossings(
    const double* q, const double* v, double t, const double* x, std::span<double> g) {
    gather(q, v, t);
    shown_ = x;
    for (const Group& group : groups_) ask(group.parts, t, shown_, false);
    for (const Part& part : parts_) {
        if (part.num_crossings == 0) continue;
        const std::span<double> own = g.subspan(part.first_crossing, part.num_crossings);
        part.of->signals.evaluate_crossings(meter_, point_of(part, t, shown_), own);
    }
}

void SignalSet::evaluate_crossings(
    const double* q, const double* v, double t, const double* x, std::span<double> g) {
    evaluate_all_crossings(q, v, t, x != nullptr ? x : x1_.data(), g);
    for (std::size_t i = 0; i < armed_.size(); ++i)
        if (armed_[i] == 0) g[i] = 1.0;
}

void SignalSet::act_on(
    const Part& part, int crossing, double t, Eigen::VectorXd& x, Eigen::VectorXd& z) {
    SignalPoint at = point_of(part, t, x_before_.data());
    at.own.z = {z_before_.data() + part.first_z, part.num_z};
    part.of->signals.act(
        meter_, at, crossing, sub(x, part.first_x, part.num_x), sub(z, part.first_z, part.num_z));
}

const SignalPart& SignalSet::part_of_crossing(int event) const {
    return *std::ranges::find_if(parts_, [event](const Part& part) {
                return event >= part.first_crossing &&
                       event < part.first_crossing + part.num_crossings;
            })->of;
}

void SignalSet::pass(int event, const double* q, const double* v, double t) {
    act_together(event, -kInfinity, q, v, t);
}

/// Objects that act at one instant, all of which see the values before: crossing `event` unless it
/// is -1, all that have come down, and those whose time has come, which is not after `until`.
void SignalSet::act_together(int event, double until, const double* q, const double* v, double t) {
    evaluate(q, v, t);
    look(q, v, t, false);
    x_before_ = x_;
    z_before_ = z_;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const Part& part = parts_[i];
        if (next_times_[i] <= until) {
            act_on(part, Signals::kTimeEvent, t, x_, z_);
            next_times_[i] = part.of->signals.next_time(
                meter_, t, next_times_[i], {z_.data() + part.first_z, part.num_z});
        }
        for (int k = 0; k < part.num_crossings; ++k) {
            const int crossing = part.first_crossing + k;
            if (crossing != event && !is_down(static_cast<std::size_t>(crossing))) continue;
            armed_[crossing] = 0;
            act_on(part, k, t, x_, z_);
            // What has changed may act sooner than it said before.
            const double next =
                part.of->signals.next_time(meter_, t, t, {z_.data() + part.first_z, part.num_z});
            const bool is_release = part.of->of == SignalPart::Of::release;
            next_times_[i] = is_release ? next : std::min(next_times_[i], next);
        }
    }
    forget_step();
    look(q, v, t, false);
}

void SignalSet::find_next() {
    next_ = kInfinity;
    for (const double time : next_times_) next_ = std::min(next_, time);
}

void SignalSet::act(const double* q, const double* v, double t) {
    const double now = t + kSameTime * std::abs(t);
    if (next_ <= now) act_together(-1, now, q, v, t);
}

}  // namespace ancora
