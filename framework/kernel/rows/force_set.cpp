// SPDX-License-Identifier: BSD-3-Clause
// Calls of forces and their sums.
#include "force_set.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "ancora/sdk/helpers/measure_function.hpp"

namespace ancora {
namespace {

// Change of a reaction, relative to the largest, for the slope of a force by central differences.
constexpr double kReactionChange = 1e-6;

/// First scalars of the attachments that are meant.
template <class IsMeant>
std::vector<int> scalars_of(const std::vector<Attachment>& attachments, IsMeant is_meant) {
    std::vector<int> out;
    for (std::size_t i = 0; i < attachments.size(); ++i)
        if (is_meant(attachments[i])) out.push_back(3 * static_cast<int>(i));
    return out;
}

/// The points of the first request for some, or where there are only coordinates, the first.
std::vector<int> points_to_sum(const std::vector<Attachment>& attachments) {
    const auto first = std::ranges::find_if(attachments, &Attachment::is_point);
    if (first != attachments.end())
        return scalars_of(attachments, [&](const Attachment& at) {
            return at.is_point && at.request == first->request;
        });
    const bool has_coordinate = !attachments.empty() && !attachments.front().is_direction;
    return has_coordinate ? std::vector<int>{0} : std::vector<int>{};
}

Eigen::Vector3d cross(const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

std::vector<int> directions_to_sum(const std::vector<Attachment>& attachments) {
    const auto first = std::ranges::find_if(attachments, &Attachment::is_direction);
    return scalars_of(attachments, [&](const Attachment& at) {
        return at.is_direction && at.body == first->body;
    });
}

}  // namespace

ForceSet::ForceSet(const Model& model, CallMeter& meter, int first_state, SignalSet& signals)
    : meter_(meter), signals_(signals), loads_(model, meter) {
    int u = 0;
    for (const ForcePart& part : model.forces) {
        part_of_force_.push_back(-1);
        // Friction acts by rows and modes of its own (theory, section 7).
        if (part.contact != nullptr) continue;
        const std::size_t count = part.facets().start_state.size();
        AttachmentMap map(model, part.attachments, meter);
        const int u_count = map.num_scalars();
        part_of_force_.back() = static_cast<int>(parts_.size());
        parts_.push_back({&part,
                          static_cast<int>(part_of_force_.size()) - 1,
                          std::move(map),
                          u,
                          u_count,
                          static_cast<std::size_t>(first_state + num_state_),
                          count,
                          reaction_constraints_.size(),
                          part.tangent != nullptr,
                          points_to_sum(part.attachments),
                          directions_to_sum(part.attachments)});
        if (Part& added = parts_.back(); u_count > 0 && signals.has_force(added.index)) {
            // Own values depend on further attachments: the tangent is
            // by the scalars of all of them.
            std::vector<Attachment> all = part.attachments;
            const std::span<const Attachment> more = signals.answered_attachments(added.index);
            all.insert(all.end(), more.begin(), more.end());
            added.answered = std::make_unique<Part::Answered>(model, std::move(all), meter);
            added.has_tangent = true;
            answer_state_.resize(std::max(answer_state_.size(), added.state_count));
            answer_up_.resize(std::max(answer_up_.size(), static_cast<std::size_t>(u_count)));
            answer_down_.resize(answer_up_.size());
        }
        // Reactions in the order of the forces, three numbers per constraint: the columns of U.
        reaction_constraints_.insert(
            reaction_constraints_.end(), part.reactions.begin(), part.reactions.end());
        u += u_count;
        num_state_ += static_cast<int>(count);
    }
    for (Eigen::VectorXd* x : {&u0_, &du_, &mid_, &u1_, &rate_, &f_}) x->setZero(u);
    q1_.setZero(model.num_coordinates);
    for (Eigen::VectorXd* x : {&reactions_, &step_, &last_step_, &before_})
        x->setZero(3 * static_cast<Eigen::Index>(reaction_constraints_.size()));
    std::size_t most = 0;
    for (const int c : reaction_constraints_)
        most = std::max(most, model.constraints[c].attachments.size());
    local_.setZero(3 * static_cast<Eigen::Index>(most));
    if (reaction_constraints_.empty()) return;
    f_up_.setZero(u);
    f_down_.setZero(u);
    state_room_.assign(num_state_, 0.0);
}

void ForceSet::read_reactions(const RowSet& rows, const double* s, bool of_step, double* out) {
    // R = E s (theory (42)): the force of each constraint on its first attachment, f = -A_u^T s
    for (const int c : reaction_constraints_) {
        if (of_step)
            rows.local_force(c, s, local_.data());
        else
            rows.local_force_now(c, s, local_.data());
        out = std::copy_n(local_.data(), 3, out);
    }
}

ForceSet::ReactionChange ForceSet::update_reactions(const RowSet& rows,
                                                    const double* s,
                                                    bool of_step) {
    ReactionChange out;
    // One round of R -> R(s(F(R))): step_ is its residual.
    before_ = reactions_;
    last_step_ = step_;
    read_reactions(rows, s, of_step, reactions_.data());
    step_ = reactions_ - before_;
    out.change = step_.lpNorm<Eigen::Infinity>();
    out.size = reactions_.lpNorm<Eigen::Infinity>();
    return out;
}

void ForceSet::relax(double part) {
    // R = R_before + part (R - R_before)
    reactions_ = before_ + part * step_;
}

void ForceSet::forget_reactions() {
    reactions_.setZero();
    step_.setZero();
}

double ForceSet::aitken_factor(double last_part) const {
    // omega = -omega_last r_last . (r - r_last) / |r - r_last|^2 with the residuals r of two rounds
    // (Irons and Tuck, theory [11]): the secant rule for vectors. One if nothing has changed.
    const double square = (step_ - last_step_).squaredNorm();
    if (!(square > 0.0)) return 1.0;
    return -last_part * last_step_.dot(step_ - last_step_) / square;
}

ForceSet::ReactionDependents ForceSet::reaction_dependents() const {
    ReactionDependents out;
    for (const Part& part : parts_) {
        if (part.force->reactions.empty()) continue;
        if (out.names.empty()) out.place = part.force->object.place;
        out.names += (out.names.empty() ? "" : "; ") + part.force->object.label;
    }
    return out;
}

void ForceSet::start_state(std::span<double> state) const {
    // Entries of the forces behind those of the rows in the state of all plugins.
    for (const Part& part : parts_)
        if (part.state_count > 0)
            part.force->start_state(state.subspan(part.state_first, part.state_count));
}

void ForceSet::evaluate_step(const double* q0,
                             const double* dq,
                             double t0,
                             double h,
                             std::span<const double> state0,
                             std::span<double> state1,
                             double* F) {
    last_ = {t0, h, state0};
    // States and outputs of objects at this trial come first, since forces read them (theory (60)).
    signals_.evaluate_step(q0, dq, t0, h);
    for (Part& part : parts_) {
        double* u0 = u0_.data() + part.u_first;
        double* du = du_.data() + part.u_first;
        // u_0 = u(q_0). Over the step du = W dq, or u(q_1) - u(q_0) where u is not linear in q.
        part.map.evaluate(q0, nullptr, t0, u0, nullptr);
        if (part.map.is_linear()) {
            part.map.increment(dq, du);
        } else {
            for (Eigen::Index i = 0; i < q1_.size(); ++i) q1_[i] = q0[i] + dq[i];
            part.map.evaluate(q1_.data(), nullptr, t0 + h, du, nullptr);
            for (int i = 0; i < part.u_count; ++i) du[i] -= u0[i];
        }
        // Midpoint, end and mean rate, all by du: what a force derives by du is consistent.
        for (int i = part.u_first; i < part.u_first + part.u_count; ++i) {
            mid_[i] = u0_[i] + 0.5 * du_[i];
            u1_[i] = u0_[i] + du_[i];
            rate_[i] = du_[i] / h;
        }
        const auto count = static_cast<std::size_t>(part.u_count);
        RowStep step = last_step(part);
        step.state1 = state1.subspan(part.state_first, part.state_count);
        // f, the mean force on u; F += J^T f, whose work is f . du for linear u
        double* f = f_.data() + part.u_first;
        part.force->evaluate_step(meter_, step, {f, count});
        part.map.scatter(f, F);
    }
    loads_.evaluate_step(q0, dq, t0, h, F);
}

void ForceSet::evaluate(
    const double* q, const double* v, double t, std::span<const double> state, double* F) {
    last_ = {t, 0.0, state};
    // Outputs at the instant come first, since forces read them (theory (59)).
    signals_.evaluate(q, v, t);
    for (Part& part : parts_) {
        double* u = u0_.data() + part.u_first;
        double* du = du_.data() + part.u_first;
        double* f = f_.data() + part.u_first;
        const auto count = static_cast<std::size_t>(part.u_count);
        // u = u(q, t), du = u', F += J^T f
        part.map.evaluate(q, v, t, u, du);
        const std::span<const double> own = state.subspan(part.state_first, part.state_count);
        const RowPoint at{
            {u, count}, {du, count}, t, reactions_of(part), own, signals_.own_of_force(part.index)};
        part.force->evaluate(meter_, at, own, {f, count});
        part.map.scatter(f, F);
    }
    // Refused here, where the force still has a name, and not in the sum.
    for (const double f : f_)
        if (!std::isfinite(f)) refuse_nonfinite_force(calls::EvaluateForce::kName, t);
}

ForceSet::Work ForceSet::work() const {
    // f . du: work over a step, power at an instant, where du are rates
    Work out;
    for (const Part& part : parts_) {
        double work = 0.0;
        for (int i = part.u_first; i < part.u_first + part.u_count; ++i) work += f_[i] * du_[i];
        // W_ext and W_non of the energy balance (theory (43)), by what the plugin states.
        (part.force->work == WorkKind::external ? out.external : out.nonideal) += work;
    }
    out.external += loads_.work();
    return out;
}

double ForceSet::effort(int index) const {
    const int at = part_of_force_[index];
    if (at < 0) return 0.0;
    const Part& part = parts_[at];
    const Measure& measure = *part.force->effort_on;
    const MeasureFunction function(measure.kind);
    using Scalars = std::array<double, MeasureFunction::kMostScalars>;
    const auto gather = [&](const Eigen::VectorXd& from) {
        Scalars out{};
        for (std::size_t i = 0; i < function.num_scalars(); ++i)
            out[i] = from[part.u_first + 3 * measure.attachments[i / 3] + static_cast<int>(i % 3)];
        return out;
    };
    // f = effort D, with D of the step or of the instant
    Scalars D{};
    if (last_.h > 0.0)
        function.step_gradient(
            gather(u0_).data(), gather(mid_).data(), gather(u1_).data(), D.data());
    else
        function.gradient(gather(u0_).data(), D.data());
    const Scalars f = gather(f_);
    // f = effort D: effort = f . D / D . D
    const double square = function.dot(D.data(), D.data());
    return square > 0.0 ? function.dot(f.data(), D.data()) / square : 0.0;
}

double ForceSet::work(int index) const {
    const int at = part_of_force_[index];
    if (at < 0) return 0.0;
    const Part& part = parts_[at];
    double work = 0.0;
    // f . du of this force alone; its power where du are rates.
    for (int i = part.u_first; i < part.u_first + part.u_count; ++i) work += f_[i] * du_[i];
    return work;
}

void ForceSet::add_external(double* F) const {
    // F_ext of the momentum balances (theory (44))
    for (const Part& part : parts_)
        if (part.force->is_external) part.map.scatter(f_.data() + part.u_first, F);
    loads_.add_to(F);
}

void ForceSet::refuse_nonfinite_force(const char* call, double t) const {
    for (const Part& part : parts_)
        for (int i = 0; i < part.u_count; ++i)
            if (!std::isfinite(f_[part.u_first + i])) {
                // The buffers still have the inputs of that call.
                const PluginCall inputs = last_call(part, call);
                refuse_nonfinite(part.force->object,
                                 call,
                                 "a force",
                                 &t,
                                 fmt::format("attachment \"{}\", component {}",
                                             part.force->attachments[i / 3].text,
                                             "xyz"[i % 3]),
                                 &inputs);
            }
}

/// The step last evaluated, from the buffers, which still hold it; without the state at its end.
RowStep ForceSet::last_step(const Part& part) const {
    const auto of = [&part](const Eigen::VectorXd& x) {
        return std::span<const double>(x.data() + part.u_first,
                                       static_cast<std::size_t>(part.u_count));
    };
    RowStep step;
    step.u0 = of(u0_);
    step.du = of(du_);
    step.mid = of(mid_);
    step.u1 = of(u1_);
    step.rate = of(rate_);
    step.t0 = last_.t;
    step.h = last_.h;
    step.state0 = last_.state.subspan(part.state_first, part.state_count);
    step.reactions = reactions_of(part);
    step.own = signals_.own_of_force(part.index);
    return step;
}

void ForceSet::differentiate_by_reactions(Eigen::MatrixXd& by_reactions) {
    by_reactions.setZero();
    const double size = reactions_.lpNorm<Eigen::Infinity>();
    // Without reactions there is no scale of differences: U = 0.
    if (!(size > 0.0)) return;
    // dF/dR_j by central differences, of second order; d is relative to the largest reaction.
    const double d = kReactionChange * size;
    for (Part& part : parts_) {
        const auto count = static_cast<std::size_t>(part.u_count);
        const std::size_t num_values = 3 * part.force->reactions.size();
        RowStep step = last_step(part);
        step.state1 = state_room_;
        for (std::size_t k = 0; k < num_values; ++k) {
            const auto j = static_cast<Eigen::Index>(3 * part.heard_first + k);
            const double reaction = reactions_[j];
            const auto force_at = [&](double x, Eigen::VectorXd& f) {
                reactions_[j] = x;
                // The plugin writes its state at the end; every call starts from that at the begin.
                std::ranges::copy(step.state0, state_room_.begin());
                part.force->evaluate_step(meter_, step, {f.data(), count});
            };
            force_at(reaction + d, f_up_);
            force_at(reaction - d, f_down_);
            reactions_[j] = reaction;
            for (int i = 0; i < part.u_count; ++i) f_up_[i] = (f_up_[i] - f_down_[i]) / (2.0 * d);
            // U = dF/dR column by column (theory (42)), J^T of d f / d R_j
            part.map.scatter(f_up_.data(), by_reactions.col(j).data());
        }
    }
}

std::vector<int> ForceSet::parts_with_tangent() const {
    std::vector<int> out;
    for (std::size_t i = 0; i < parts_.size(); ++i)
        if (parts_[i].has_tangent) out.push_back(static_cast<int>(i));
    return out;
}

void ForceSet::differentiate_by_increments(int index, Eigen::MatrixXd& D) {
    const Part& part = parts_[index];
    if (part.answered) {
        differentiate_answers(part, D);
        return;
    }
    // D = df / d(du), count x count, by the plugin
    const auto count = static_cast<std::size_t>(part.u_count);
    tangent_.assign(count * count, 0.0);
    const RowStep step = last_step(part);
    part.force->differentiate_step(meter_, *part.force->tangent, step, tangent_);
    // The plugin's array goes by rows.
    const auto size = static_cast<Eigen::Index>(count);
    D = Eigen::Map<const Eigen::MatrixXd>(tangent_.data(), size, size).transpose();
}

/// The force where one scalar has moved, and its own values with it.
void ForceSet::evaluate_moved(const Part& part,
                              std::size_t scalar,
                              double change,
                              std::span<double> f) {
    // Scalars behind the force's own are those that only its inputs depend on.
    const bool is_own = scalar < static_cast<std::size_t>(part.u_count);
    const auto j = part.u_first + static_cast<Eigen::Index>(scalar);
    const std::array<double*, 4> moved{
        &du_[is_own ? j : 0], &mid_[is_own ? j : 0], &u1_[is_own ? j : 0], &rate_[is_own ? j : 0]};
    const std::array<double, 4> before{*moved[0], *moved[1], *moved[2], *moved[3]};
    // du moves the midpoint by half of it, the end by all of it, the mean rate by 1 / h of it.
    if (is_own) {
        du_[j] += change;
        mid_[j] += 0.5 * change;
        u1_[j] += change;
        rate_[j] += change / last_.h;
    }
    // Own values answer to the same change (theory (61)), and are put back after the call.
    signals_.answer(part.index, scalar, change);
    RowStep step = last_step(part);
    step.state1 = std::span(answer_state_).first(part.state_count);
    part.force->evaluate_step(meter_, step, f);
    signals_.end_answer(part.index);
    for (std::size_t k = 0; k < moved.size(); ++k) *moved[k] = before[k];
}

/// By central differences, since own values follow from states that are solved for.
void ForceSet::differentiate_answers(const Part& part, Eigen::MatrixXd& D) {
    constexpr double kMove = 1e-7;  // [m], or of a direction; in a step of h a rate of this / h
    const auto count = static_cast<std::size_t>(part.u_count);
    D.setZero();
    const auto num_scalars = static_cast<std::size_t>(part.answered->map.num_scalars());
    // df / d(du_j) with what own values answer (theory (61)); du_j moves both ways by kMove.
    for (std::size_t j = 0; j < num_scalars; ++j) {
        evaluate_moved(part, j, kMove, std::span(answer_up_).first(count));
        evaluate_moved(part, j, -kMove, std::span(answer_down_).first(count));
        for (std::size_t i = 0; i < count; ++i)
            D(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
                (answer_up_[i] - answer_down_[i]) / (2.0 * kMove);
    }
}

/// From the buffers, which still hold what the call was given.
PluginCall ForceSet::last_call(const Part& part, std::string_view call) const {
    const RowStep step = last_step(part);
    if (call == calls::EvaluateForce::kName)
        return record_of(calls::EvaluateForce{
            {step.u0, step.du, last_.t, step.reactions, {}, step.own}, step.state0, {}});
    return record_of(calls::EvaluateForceStep{step, {}});
}

ForceSet::Applied ForceSet::applied(int index) const {
    Applied out;
    const int part = part_of_force_[index];
    if (part < 0) return out;
    const Part& p = parts_[part];
    // At the middle of a step, where its mean force acts, or at the instant.
    const Eigen::VectorXd& u = last_.h > 0.0 ? mid_ : u0_;
    for (const int i : p.points) out.force += f_.segment<3>(p.u_first + i);
    // M = sum of d x f over directions (theory (55))
    for (const int i : p.directions)
        out.torque += cross(u.segment<3>(p.u_first + i), f_.segment<3>(p.u_first + i));
    return out;
}

}  // namespace ancora
