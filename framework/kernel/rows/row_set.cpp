// SPDX-License-Identifier: BSD-3-Clause
// Calls the plugins of rows and chains what they return.
#include "row_set.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <fmt/format.h>

#include "lanes.hpp"

namespace ancora {
namespace {

std::span<const double> view(const double* x, int n) {
    return {x, static_cast<std::size_t>(n)};
}
std::span<double> view(double* x, int n) {
    return {x, static_cast<std::size_t>(n)};
}

}  // namespace

RowSet::RowSet(const Model& model, CallMeter& meter) : RowLayout(model, meter) {
    begin();
}

RowSet::RowSet(const Model& model, CallMeter& meter, std::span<const int> constraints)
    : RowLayout(model, meter, constraints) {
    begin();
}

void RowSet::begin() {
    // One number per entry of the pattern, per row, and per tangent entry of the plugins.
    B.setZero(static_cast<Eigen::Index>(column.size()));
    tau.setZero(num_rows());
    all_ = {0, num_rows()};
    const int num_tangent =
        blocks.empty() ? 0 : blocks.back().first_tangent + blocks.back().num_tangent;
    K.setZero(num_tangent);
    u0_.setZero(num_local_);
    du_.setZero(num_local_);
    umid_.setZero(num_local_);
    u1_.setZero(num_local_);
    q1_.setZero(model_.num_coordinates);
    rate_.setZero(model_.num_coordinates);
    u_rate_.setZero(num_local_);
    work0_.setZero(num_rows());
    work1_.setZero(num_rows());
    int num_entries = 0;
    // Local Jacobians of constraints follow each other, as plugins write them.
    for (const BlockPart& part : blocks)
        if (owners[part.owner].constraint >= 0)
            num_entries = std::max(num_entries, part.first_local + part.num_values);
    local_.setZero(num_entries);
    local_now_.setZero(num_entries);
    for (const BlockPart& part : blocks)
        if (part.places >= 0)
            unpacked_.resize(std::max(unpacked_.size(), static_cast<std::size_t>(part.num_values)));

    // What rows that may not read own values are given is NaN: a plugin that reads it is seen.
    std::size_t most_own = 0;
    for (const SignalPart& part : model_.signals)
        most_own = std::max({most_own,
                             part.inputs.size(),
                             static_cast<std::size_t>(part.facts.num_continuous),
                             static_cast<std::size_t>(part.facts.num_discrete)});
    own_none_.assign(most_own, std::numeric_limits<double>::quiet_NaN());

    // Constant Jacobians are written here once for all.
    for (const BlockPart& part : blocks) {
        if (!part.is_constant) continue;
        const RowOwner& owner = owners[part.owner];
        std::vector<double> zero(static_cast<std::size_t>(owner.u_count), 0.0);
        double* values = room_of(part, B.data(), local_.data());
        RowPoint at{zero, zero, 0.0};
        at.own = own_of(part, SignalSet::Moment::now);
        call_evaluate(part, at, {{}, view(values, part.num_values), {}, {}});
        take(part, {&all_, 1}, values, B.data(), 0.0);
    }
    constant_ = B;
    local_now_ = local_;
    find_used();
    if (!unilateral().empty()) close({});
}

void RowSet::drop_rows(const std::vector<int>& rows) {
    // Of a row left out B and tau are zero and its entries are kept apart, row after row:
    // its gap goes on by theory (12), its stress is zero.
    dropped_ = rows;
    dropped_increment_.assign(rows.size(), 0.0);
    dropped_B_.clear();
    for (const int k : dropped_)
        dropped_B_.insert(dropped_B_.end(),
                          constant_.data() + row_start[k],
                          constant_.data() + row_start[static_cast<std::size_t>(k) + 1]);
    B = constant_;
    clear_dropped(B.data());
}

void RowSet::close(const std::vector<int>& closed) {
    ++num_kind_changes;
    open_.clear();
    // A closed gap row is the constraint pi = 0 and presses with s; an open one is nothing: B = 0,
    // tau = 0, s = 0 (theory, section 8.1).
    for (const int k : unilateral()) {
        const bool is_closed =
            std::ranges::binary_search(closed, k) && !std::ranges::binary_search(released_, k);
        laws[k].kind = is_closed ? RowKind::constraint : RowKind::unilateral;
        if (!is_closed) open_.push_back(k);
    }
    find_used();
    drop_rows(std::vector<int>(dropped_));
}

/// Rows that are unilateral as they stand are nothing in steps.
void RowSet::find_used() {
    used_.clear();
    for (int k = 0; k < num_rows(); ++k) {
        if (laws[k].kind == RowKind::unilateral) continue;
        if (used_.empty() || used_.back().end < k) used_.push_back({k, k});
        used_.back().end = k + 1;
    }
    find_unused_blocks();
}

void RowSet::find_unused_blocks() {
    is_unused_block_.assign(blocks.size(), 0);
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        const BlockPart& part = blocks[b];
        if (part.num_rows == 0) continue;
        // Those that write a state are asked for it.
        if (states_of_ == nullptr && owners[part.owner].state_count > 0) continue;
        const auto range = std::ranges::upper_bound(used_, part.first_row, {}, &RowRange::end);
        if (range == used_.end() || range->first >= part.first_row + part.num_rows)
            is_unused_block_[b] = 1;
    }
}

void RowSet::use_only(std::span<const RowRange> rows) {
    used_.assign(rows.begin(), rows.end());
    uses_some_ = true;
    find_unused_blocks();
}

void RowSet::share_states(const RowSet& rows) {
    states_of_ = &rows;
    num_state = rows.num_state;
    for (RowOwner& owner : owners) {
        const RowOwner& of =
            rows.owners[model_.bodies.size() + static_cast<std::size_t>(owner.constraint)];
        owner.state_first = of.state_first;
        owner.state_count = of.state_count;
    }
    unwritten_.assign(static_cast<std::size_t>(num_state), 0.0);
}

void RowSet::release(const std::vector<int>& rows) {
    ++num_kind_changes;
    // What was released before is a row of its own kind again.
    for (std::size_t i = 0; i < released_.size(); ++i) laws[released_[i]].kind = kind_before_[i];
    released_ = rows;
    kind_before_.clear();
    for (const int k : released_) {
        kind_before_.push_back(laws[k].kind);
        laws[k].kind = RowKind::unilateral;
    }
    find_used();
    drop_rows(std::vector<int>(dropped_));
}

void RowSet::whole_jacobian(Eigen::VectorXd& out) const {
    // In the order of dropped_, as they were put aside.
    out = B;
    const double* kept = dropped_B_.data();
    for (const int k : dropped_)
        for (int e = row_start[k]; e < row_start[static_cast<std::size_t>(k) + 1]; ++e)
            out[e] = *kept++;
}

void RowSet::clear_row(int k, double* values) const {
    std::fill(values + row_begin(k), values + row_end(k), 0.0);
}

void RowSet::clear_dropped(double* values) const {
    for (const std::vector<int>* rows : {&dropped_, &open_, &released_})
        for (const int k : *rows) clear_row(k, values);
}

// The buffers have other values by now: the inputs are computed afresh, in memory of their own.
PluginCall RowSet::last_evaluation(const BlockPart& part) const {
    const RowOwner& owner = owners[part.owner];
    const auto& [q, v, t, wanted] = last_point_;
    const auto count = static_cast<std::size_t>(owner.u_count);
    std::vector<double> u(count, 0.0);
    std::vector<double> du(v != nullptr ? count : 0, 0.0);
    if (owner.body >= 0) {
        std::copy_n(q + owner.u_first, count, u.begin());
        std::copy_n(v != nullptr ? v + owner.u_first : q, du.size(), du.begin());
    } else {
        AttachmentMap map = maps_[owner.map];
        map.evaluate(q, v, t, u.data(), v != nullptr ? du.data() : nullptr);
    }
    PluginCall call = record_of(owner.source.call(
        part.index, RowPoint{u, du, t, {}, state_of(owner), own_of(part, SignalSet::Moment::now)}));
    const std::string_view all = wanted;
    for (const char* output : {"pi", "A", "pi_t", "b"})
        call.want(output, all.find(std::string(" ") + output + " ") != std::string_view::npos);
    return call;
}

PluginCall RowSet::last_step(const BlockPart& part) const {
    const RowOwner& owner = owners[part.owner];
    const auto& [q0, dq, mid, t0, h, state0] = last_step_;
    const auto first = static_cast<std::size_t>(owner.u_first);
    const auto count = static_cast<std::size_t>(owner.u_count);
    // What the last step was evaluated with; u_0 and du of a constraint anew,
    // since a state may have been evaluated since.
    std::vector<double> u0(count, 0.0), du(count, 0.0);
    RowStep step;
    step.t0 = t0;
    step.h = h;
    step.state0 = state0.subspan(owner.state_first, owner.state_count);
    if (owner.body >= 0) {
        step.u0 = {q0 + first, count};
        step.du = {dq + first, count};
        step.mid = {mid + first, count};
        step.u1 = {q1_.data() + first, count};
        step.rate = {rate_.data() + first, count};
    } else {
        AttachmentMap map = maps_[owner.map];
        map.evaluate(q0, nullptr, t0, u0.data(), nullptr);
        map.increment(dq, du.data());
        step.u0 = u0;
        step.du = du;
        step.mid = {umid_.data() + first, count};
        step.u1 = {u1_.data() + first, count};
        step.rate = {u_rate_.data() + first, count};
    }
    step.own = own_of(part, SignalSet::Moment::middle);
    step.own0 = own_of(part, SignalSet::Moment::begin);
    step.own1 = own_of(part, SignalSet::Moment::end);
    return record_of(owner.source.call(part.index, step));
}

PluginCall RowSet::last_tangent(const BlockPart& part) const {
    // G of theory (30) was asked for at the middle of the step, with s then.
    const RowOwner& owner = owners[part.owner];
    const double* u = owner.body >= 0 ? last_tangent_.mid : umid_.data();
    return record_of(owner.source.call(part.index,
                                       {view(u + owner.u_first, owner.u_count),
                                        view(last_tangent_.s + part.first_row, part.num_rows),
                                        last_tangent_.t,
                                        state_of(owner),
                                        own_of(part, SignalSet::Moment::middle),
                                        last_tangent_.positive_part}));
}

double* RowSet::room_of(const BlockPart& part, double* jacobian, double* local) {
    // Constraints write A_u, which is chained; bodies write A itself,
    // or where zeros have no entry to a buffer that is packed.
    if (owners[part.owner].constraint >= 0) return local + part.first_local;
    if (part.places < 0) return jacobian + part.first_value;
    std::fill_n(unpacked_.data(), part.num_values, 0.0);
    return unpacked_.data();
}

void RowSet::take(const BlockPart& part,
                  std::span<const RowRange> ranges,
                  const double* values,
                  double* jacobian,
                  double t) const {
    if (owners[part.owner].constraint >= 0) return chain(part, ranges, values, jacobian);
    if (part.places < 0) return;
    const auto& [of_entries, of_zeros] = places(part);
    double* to = jacobian + part.first_value;
    for (const int i : of_entries) *to++ = values[i];
    std::uint64_t bits = 0;  // of what is to be zero, without signs
    // Zero of either sign has no bit but that of the sign: one comparison for all values.
    for (const int i : of_zeros) bits |= std::bit_cast<std::uint64_t>(values[i]);
    bits <<= 1;
    if (bits != 0) refuse_unexpected(part, values, t);
}

/// An entry where there was none: the rows' degree is not what the plugin says.
void RowSet::refuse_unexpected(const BlockPart& part, const double* values, double t) const {
    int place = 0;
    for (const int i : places(part).of_zeros)
        if (values[i] != 0.0) place = i;
    const RowBlock& block = *part.block;
    const RowOwner& owner = owners[part.owner];
    const int row = place / block.scalars_per_item;
    const int scalar = block.stencil[row / block.rows_per_item * block.scalars_per_item +
                                     place % block.scalars_per_item];
    throw Error(
        ErrorKind::plugin,
        fmt::format("t = {:.9g} s, {}: block {} (\"{}\") of its rows says that it is {}, but "
                    "its Jacobian is {} in row {} and local scalar {}, where it was zero at "
                    "every state that was tried at the start; give it Degree::general, or "
                    "mend evaluate",
                    t,
                    describe(*owner.object),
                    part.index,
                    block.name,
                    block.degree == Degree::linear ? "linear" : "quadratic",
                    values[place],
                    row,
                    scalar),
        owner.object->place);
}

std::vector<double> RowSet::unpacked(const BlockPart& part) const {
    const double* const values = B.data() + part.first_value;
    // The inverse of take().
    if (part.places < 0) return {values, values + part.num_values};
    std::vector<double> out(static_cast<std::size_t>(part.num_values), 0.0);
    const double* from = values;
    for (const int i : places(part).of_entries) out[i] = *from++;
    return out;
}

/// B and tau with B dq + tau = pi(q_1, t_1) - pi(q_0, t_0) (theory (24)): the plugin answers
/// for the identity on u, the chain keeps it, since du = W dq and A_q dq = A_u du.
void RowSet::evaluate_step(const double* q0,
                           const double* dq,
                           const double* mid,
                           double t0,
                           double h,
                           std::span<const double> state0,
                           std::span<double> state1) {
    if (states_of_ != nullptr && num_state > 0) {
        state0 = std::span(*states_of_->state_).first(unwritten_.size());
        state1 = unwritten_;
    }
    last_step_ = {q0, dq, mid, t0, h, state0};
    int mapped = -1;
    double* const q1 = q1_.data();
    double* const rate = rate_.data();
    const Eigen::Index n = q1_.size();
    // q_1 = q_0 + dq, and the mean rates dq / h
    ANCORA_APART
    for (Eigen::Index i = 0; i < n; ++i) {
        q1[i] = q0[i] + dq[i];
        rate[i] = dq[i] / h;
    }
    const bool may_read_own = !model_.signals.empty();
    RowStep step;  // made once: to clear it takes longer than what is set for each block
    step.t0 = t0;
    step.h = h;
    for (const BlockPart& part : blocks) {
        const RowOwner& owner = owners[part.owner];
        // B of such a block was evaluated once, and tau = 0.
        if (part.is_constant && owner.state_count == 0) continue;
        if (is_inactive(part)) continue;
        fetch_behind(part);
        const RowBlock& block = *part.block;
        // The scalars of a body are its coordinates: views, no copies.
        if (owner.body >= 0) {
            step.u0 = view(q0 + owner.u_first, owner.u_count);
            step.du = view(dq + owner.u_first, owner.u_count);
            step.mid = view(mid + owner.u_first, owner.u_count);
            step.u1 = view(q1_.data() + owner.u_first, owner.u_count);
            step.rate = view(rate_.data() + owner.u_first, owner.u_count);
        } else {
            if (mapped != part.owner) {
                // u_0 = u(q_0), du = W dq: no difference of large numbers.
                // Blocks of one constraint share them.
                map_of(owner).evaluate(q0, nullptr, t0, u0_.data() + owner.u_first, nullptr);
                map_of(owner).increment(dq, du_.data() + owner.u_first);
                for (int i = owner.u_first; i < owner.u_first + owner.u_count; ++i) {
                    umid_[i] = u0_[i] + 0.5 * du_[i];
                    u1_[i] = u0_[i] + du_[i];
                    u_rate_[i] = du_[i] / h;
                }
                mapped = part.owner;
            }
            step.u0 = view(u0_.data() + owner.u_first, owner.u_count);
            step.du = view(du_.data() + owner.u_first, owner.u_count);
            step.mid = view(umid_.data() + owner.u_first, owner.u_count);
            step.u1 = view(u1_.data() + owner.u_first, owner.u_count);
            step.rate = view(u_rate_.data() + owner.u_first, owner.u_count);
        }
        // States of plugins at the start of the step and at its end.
        step.state0 = state0.subspan(owner.state_first, owner.state_count);
        step.state1 = state1.subspan(owner.state_first, owner.state_count);
        // w at the middle, at the start and at the end (theory, section 12).
        if (may_read_own) {
            step.own = own_of(part, SignalSet::Moment::middle);
            step.own0 = own_of(part, SignalSet::Moment::begin);
            step.own1 = own_of(part, SignalSet::Moment::end);
        }
        double* values = room_of(part, B.data(), local_.data());
        RowStepValues out;
        out.B = view(values, part.num_values);
        // Without explicit time tau = 0 in theory (24), and stays as it was set at the start.
        if (block.depends_on_time) out.tau = view(tau.data() + part.first_row, part.num_rows);
        out.work0 = view(work0_.data() + part.first_row, part.num_rows);
        out.work1 = view(work1_.data() + part.first_row, part.num_rows);
        owner.source.evaluate_step(meter_, part.index, step, out);
        take(part, used_, values, B.data(), t0);
    }
    for (const std::vector<int>* rows : {&open_, &released_})
        for (const int k : *rows) tau[k] = 0.0;
    if (dropped_.empty() && open_.empty() && released_.empty()) return;
    // increment = B dq + tau by theory (12), then both are zero in the equations.
    double* kept = dropped_B_.data();
    for (std::size_t i = 0; i < dropped_.size(); ++i) {
        const auto k = static_cast<std::size_t>(dropped_[i]);
        double increment = tau[dropped_[i]];
        for (int e = row_start[k]; e < row_start[k + 1]; ++e, ++kept) {
            // Those of constant blocks were cleared when they were left out.
            if (B[e] != 0.0) *kept = B[e];
            increment += *kept * dq[column[e]];
        }
        dropped_increment_[i] = increment;
        tau[dropped_[i]] = 0.0;
    }
    for (const int k : dropped_) clear_row(k, B.data());
    // Rows of constraints that are open or released have not been written.
    const int of_constraints = owners[model_.bodies.size()].first_row;
    for (const std::vector<int>* rows : {&open_, &released_})
        for (const int k : *rows)
            if (k < of_constraints) clear_row(k, B.data());
}

std::span<const double> RowSet::state_of(const RowOwner& owner) const {
    // State of plugins as last accepted; none before the first start.
    const std::vector<double>* const state = states_of_ != nullptr ? states_of_->state_ : state_;
    if (owner.state_count == 0 || state == nullptr) return {};
    return std::span<const double>(*state).subspan(owner.state_first, owner.state_count);
}

OwnValues RowSet::own_of(const BlockPart& part, SignalSet::Moment moment) const {
    const RowOwner& owner = owners[part.owner];
    if (owner.signals < 0) return {};
    if (part.reads_own) return signals_->own_of_part(owner.signals, moment);
    // No number for rows that may not read them.
    const SignalPart& signals = model_.signals[owner.signals];
    const std::span<const double> none(own_none_);
    return {none.first(signals.inputs.size()),
            none.first(signals.facts.num_continuous),
            none.first(signals.facts.num_discrete)};
}

OwnValues RowSet::own_values(int constraint, SignalSet::Moment moment) const {
    const RowOwner& owner = owners[model_.bodies.size() + static_cast<std::size_t>(constraint)];
    return owner.signals < 0 ? OwnValues{} : signals_->own_of_part(owner.signals, moment);
}

RowPoint RowSet::point_of(
    const BlockPart& part, const double* q, const double* v, double t, SignalSet::Moment own) {
    const RowOwner& owner = owners[part.owner];
    const bool is_body = owner.body >= 0;
    // u = u(q, t) and u' = J v + u_t
    if (!is_body)
        map_of(owner).evaluate(q, v, t, u0_.data() + owner.u_first, du_.data() + owner.u_first);
    RowPoint at{view((is_body ? q : u0_.data()) + owner.u_first, owner.u_count), {}, t};
    if (v != nullptr) at.du = view((is_body ? v : du_.data()) + owner.u_first, owner.u_count);
    at.state = state_of(owner);
    at.own = own_of(part, own);
    return at;
}

void RowSet::evaluate(const double* q, const double* v, double t, StateValues& out, Elastic asked) {
    last_point_ = {q, v, t, " pi A pi_t b "};
    const bool is_all = asked == Elastic::all;
    // pi, A, pi_t and b at the state: pi' = A v + pi_t, A q'' = b (theory (10), (1)). What is not
    // asked for stays zero.
    for (Eigen::VectorXd* x : {&out.pi, &out.pi_t, &out.b})
        if (is_all || x->size() != num_rows()) x->setZero(num_rows());
    if (out.A.size() != B.size()) out.A.setZero(B.size());
    for (const BlockPart& part : blocks) {
        if (uses_some_ && is_inactive(part)) continue;
        fetch_behind(part);
        const RowOwner& owner = owners[part.owner];
        const bool has_b = is_all || !part.is_elastic;
        const bool has_pi_t = has_b || part.block->depends_on_time;
        const auto rows_of = [&part](Eigen::VectorXd& x, bool is_asked) {
            return is_asked ? view(x.data() + part.first_row, part.num_rows) : std::span<double>{};
        };
        double* values = room_of(part, out.A.data(), local_now_.data());
        call_evaluate(part,
                      point_of(part, q, v, t),
                      {rows_of(out.pi, true),
                       view(values, part.num_values),
                       rows_of(out.pi_t, has_pi_t),
                       rows_of(out.b, has_b)});
        take(part, at_instants(), values, out.A.data(), t);
        if (owner.constraint < 0 || !has_b) continue;
        if (!map_of(owner).is_linear()) add_attachment_bias(part, values, out.b.data());
    }
}

/// With u'' = J q'' + c, A_u u'' = b_u is (A_u J) q'' = b_u - A_u c.
void RowSet::add_attachment_bias(const BlockPart& part, const double* local, double* b) const {
    const AttachmentMap& map = maps_[owners[part.owner].map];
    const int S = part.block->scalars_per_item;
    for (int row = 0; row < part.num_rows; ++row) {
        const std::int32_t* stencil = part.block->stencil.data() +
                                      std::size_t(row / part.block->rows_per_item) * std::size_t(S);
        for (int j = 0; j < S; ++j)
            b[part.first_row + row] -= local[row * S + j] * map.bias(stencil[j]);
    }
}

void RowSet::evaluate_elastic(const double* q, double t, double* pi) {
    last_point_ = {q, nullptr, t, " pi "};
    // H = sum of Pi(pi) over elastic rows needs their pi and no derivatives.
    // Strains alone, as what own values do to energies is asked for.
    for (const BlockPart& part : blocks) {
        if (!part.holds_elastic) continue;
        call_evaluate(part,
                      point_of(part, q, nullptr, t),
                      {view(pi + part.first_row, part.num_rows), {}, {}, {}});
    }
}

void RowSet::evaluate_gaps(const double* q, double t, double* pi) {
    last_point_ = {q, nullptr, t, " pi "};
    // Gaps alone: rows pi = 0, without derivatives.
    for (const BlockPart& part : blocks) {
        if (!part.holds_constraint) continue;
        call_evaluate(part,
                      point_of(part, q, nullptr, t),
                      {view(pi + part.first_row, part.num_rows), {}, {}, {}});
    }
}

void RowSet::evaluate_course(
    const BlockPart& part, const double* q, double t, double* pi, double* A, double* pi_t) {
    last_point_ = {q, nullptr, t, " pi A pi_t "};
    // pi and what it changes with, pi' = A_u u' + pi_t, which the caller follows along u.
    call_evaluate(
        part,
        point_of(part, q, nullptr, t),
        {view(pi, part.num_rows), view(A, part.num_values), view(pi_t, part.num_rows), {}});
}

void RowSet::evaluate_rates(const std::vector<int>& chosen,
                            const double* q,
                            const double* v,
                            double t,
                            double* A,
                            double* pi_t,
                            SignalSet::Moment own) {
    last_point_ = {q, v, t, " A pi_t "};
    for (const int index : chosen) {
        const BlockPart& part = blocks[index];
        // The same at every state, and written once.
        if (part.is_constant) {
            const int begin = part.first_value;
            const int end = row_start[part.first_row + part.num_rows];
            std::copy(constant_.data() + begin, constant_.data() + end, A + begin);
            continue;
        }
        double* values = room_of(part, A, local_now_.data());
        // psi = A v + pi_t: neither pi nor b is asked for.
        call_evaluate(part,
                      point_of(part, q, v, t, own),
                      {{},
                       view(values, part.num_values),
                       part.block->depends_on_time ? view(pi_t + part.first_row, part.num_rows)
                                                   : std::span<double>{},
                       {}});
        take(part, at_instants(), values, A, t);
    }
}

void RowSet::evaluate_tangent(const double* mid,
                              const double* s,
                              bool positive_part,
                              double t,
                              SignalSet::Moment own,
                              double* G) {
    // G_u = sum over k of s_k d2 pi_k / du2, at the midpoint, in the plugins' layout (theory (30)).
    // With positive_part each item's block is made positive semidefinite.
    for (const BlockPart& part : blocks) {
        if (part.num_tangent == 0) continue;
        if (is_inactive(part)) {
            std::fill_n(G + part.first_tangent, part.num_tangent, 0.0);
            continue;
        }
        fetch_behind(part);
        // Bodies take the midpoint from mid, constraints theirs from umid_.
        const RowOwner& owner = owners[part.owner];
        const double* u = owner.body >= 0 ? mid + owner.u_first : umid_.data() + owner.u_first;
        owner.source.evaluate_tangent(meter_,
                                      part.index,
                                      {view(u, owner.u_count),
                                       view(s + part.first_row, part.num_rows),
                                       t,
                                       state_of(owner),
                                       own_of(part, own),
                                       positive_part},
                                      view(G + part.first_tangent, part.num_tangent));
    }
}

void RowSet::evaluate_tangent_at(const double* q, const double* s, double t, double* G) {
    // Constraints take u at the state from umid_.
    for (const RowOwner& owner : owners)
        if (owner.constraint >= 0)
            map_of(owner).evaluate(q, nullptr, t, umid_.data() + owner.u_first, nullptr);
    evaluate_tangent(q, s, false, t, SignalSet::Moment::now, G);
}

int RowSet::vanishing_row(const Eigen::VectorXd& A) const {
    constexpr double kCancelled = 1e-9;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        const BlockPart& part = blocks[b];
        if (owners[part.owner].constraint < 0) continue;
        const int begin = part.first_value;
        const int end = row_start[part.first_row + part.num_rows];
        const double* local = local_now_.data() + part.first_local;
        // gross = sum of |W A_u|, of which A is the sum with signs: where A is far
        // below it the terms cancel, and the row acts on nothing.
        std::vector<double> gross(static_cast<std::size_t>(end - begin), 0.0);
        const int from = part.first_chain, to = part.first_chain + part.num_rows;
        for (int i = chain_start_[from]; i < chain_start_[to]; ++i) {
            const ChainTerm& term = chain_terms_[i];
            gross[term.to - begin] += std::abs(term.weight * local[term.from]);
        }
        // Entries that depend on q are not looked at: they vanish at single states only.
        if (product_start_[from] != product_start_[to]) continue;
        for (int row = part.first_row; row < part.first_row + part.num_rows; ++row) {
            double largest = 0.0;
            double expected = 0.0;
            for (int e = row_start[row]; e < row_start[static_cast<std::size_t>(row) + 1]; ++e) {
                largest = std::max(largest, std::abs(A[e]));
                expected = std::max(expected, gross[e - begin]);
            }
            if (largest <= kCancelled * expected && expected > 0.0) return row;
        }
    }
    return -1;
}

void RowSet::refuse_row(int row, double t) const {
    for (const BlockPart& part : blocks) {
        if (row < part.first_row || row >= part.first_row + part.num_rows) continue;
        const RowOwner& owner = owners[part.owner];
        const PluginCall call = last_evaluation(part);
        // Which entry it is, the same call says once more.
        std::string where = row_name(row);
        try {
            const std::vector<std::string> bad = owner.source.bad_entries_of(call);
            const std::string here = fmt::format(" at row {}", row - part.first_row);
            const bool is_one_row = part.num_rows == 1;
            const auto of_row = std::ranges::find_if(bad, [&](const std::string& entry) {
                return is_one_row || entry.ends_with(here) ||
                       entry.find(here + ",") != std::string::npos;
            });
            if (!bad.empty()) where += ": " + (of_row != bad.end() ? *of_row : bad.front());
        } catch (...) {
            where += "; called again with the same inputs, it threw";
        }
        refuse_nonfinite(*owner.object, calls::Evaluate::kName, "a value", &t, where, &call);
    }
}

RowSet::LocalRow RowSet::local_row(int row, bool of_step) const {
    // Blocks are in the order of their rows: the last that begins at the row or before has it.
    const auto part = std::ranges::upper_bound(blocks, row, {}, &BlockPart::first_row) - 1;
    const auto S = static_cast<std::size_t>(part->block->scalars_per_item);
    // Rows of an item share its stencil.
    const int k = row - part->first_row;
    const Eigen::VectorXd& jacobian = of_step ? local_ : local_now_;
    return {part->block->stencil.subspan(
                static_cast<std::size_t>(k / part->block->rows_per_item) * S, S),
            {jacobian.data() + part->first_local + static_cast<std::ptrdiff_t>(S) * k, S}};
}

double RowSet::size_of_value(const BlockPart& part, int row) const {
    const RowOwner& owner = owners[part.owner];
    const int S = part.block->scalars_per_item;
    const int k = row - part.first_row;
    const std::int32_t* scalar =
        part.block->stencil.data() + static_cast<std::ptrdiff_t>(k / part.block->rows_per_item) * S;
    const double* entry =
        owner.body >= 0 ? B.data() + part.first_value : local_.data() + part.first_local;
    entry += static_cast<std::ptrdiff_t>(k) * S;
    // sum of |A_uj| |u of the point that scalar j belongs to|: times epsilon it is the rounding
    // of pi (theory (46)). All three components count, so that the axes do not.
    const double* u = (owner.body >= 0 ? last_step_.mid : umid_.data()) + owner.u_first;
    double size = 0.0;
    for (int j = 0; j < S; ++j) {
        // The three components of the attachment, or of the body's coordinates by threes.
        const int point = scalar[j] - scalar[j] % 3;
        const int end = std::min(point + 3, owner.u_count);
        double length = 0.0;
        for (int i = point; i < end; ++i) length = std::max(length, std::abs(u[i]));
        size += std::abs(entry[j]) * length;
    }
    return size;
}

void RowSet::local_force(int constraint, const double* s, double* f) const {
    // By A_u of the step, whose forces do the work that the energy balance counts.
    sum_local_force(constraint, local_.data(), s, f);
}

void RowSet::local_force_now(int constraint, const double* s, double* f) const {
    // By A_u at the state, of forces at an instant.
    sum_local_force(constraint, local_now_.data(), s, f);
}

void RowSet::sum_local_force(int constraint,
                             const double* jacobian,
                             const double* s,
                             double* f) const {
    const RowOwner& owner = owners[model_.bodies.size() + static_cast<std::size_t>(constraint)];
    // f = -sum over k of A_uk^T s_k on the constraint's scalars (theory (10))
    std::fill(f, f + owner.u_count, 0.0);
    for (int b = owner.first_block; b < owner.first_block + owner.num_blocks; ++b) {
        const BlockPart& part = blocks[b];
        const RowBlock& block = *part.block;
        const int S = block.scalars_per_item;
        const double* local = jacobian + part.first_local;
        for (int row = 0; row < part.num_rows; ++row) {
            const std::int32_t* stencil =
                // Rows of an item have the same scalars and one line of the local Jacobian each.
                block.stencil.data() + std::size_t(row / block.rows_per_item) * std::size_t(S);
            for (int j = 0; j < S; ++j)
                f[stencil[j]] -= s[part.first_row + row] * local[row * S + j];
        }
    }
}

void RowSet::attribute_nonfinite(double t) const {
    // Copies, since a call writes to its outputs.
    const auto copied = [](const double* x, int n) {
        return std::vector<double>(x, x + n);
    };
    for (const BlockPart& part : blocks) {
        const RowOwner& owner = owners[part.owner];
        const calls::RowShape shape(
            *part.block, static_cast<std::size_t>(owner.u_count), owner.state_count);
        const auto in_block = [&] {
            return fmt::format("block \"{}\", ", part.block->name);
        };
        std::vector<double> B_of = owner.body >= 0
                                       ? unpacked(part)
                                       : copied(local_.data() + part.first_local, part.num_values);
        std::vector<double> tau_of = copied(tau.data() + part.first_row, part.num_rows);
        require_finite(*owner.object,
                       owner.source.call(part.index, RowStep(), {B_of, tau_of, {}, {}}),
                       shape,
                       &t,
                       in_block,
                       [&] {
                           return last_step(part);
                       });
        std::vector<double> G = copied(K.data() + part.first_tangent, part.num_tangent);
        require_finite(*owner.object,
                       owner.source.call(part.index, TangentPoint(), G),
                       shape,
                       &t,
                       in_block,
                       [&] {
                           return last_tangent(part);
                       });
    }
}

}  // namespace ancora
