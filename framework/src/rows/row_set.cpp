// SPDX-License-Identifier: BSD-3-Clause
// Assembles the rows of bodies and constraints and calls their plugins.
#include "row_set.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

namespace ancora {
namespace {

std::span<const double> view(const double* x, int n) {
    return {x, static_cast<std::size_t>(n)};
}
std::span<double> view(double* x, int n) {
    return {x, static_cast<std::size_t>(n)};
}

int tangent_entries(const RowBlock& block) {
    switch (block.tangent) {
        case TangentForm::none:
            return 0;
        case TangentForm::isotropic:
            return (block.scalars_per_item / 3) * (block.scalars_per_item / 3);
        case TangentForm::full:
            return block.scalars_per_item * block.scalars_per_item;
    }
    return 0;
}

bool holds(const RowBlock& block, RowKind kind) {
    return std::any_of(block.laws.begin(), block.laws.end(), [kind](const RowLaw& law) {
        return law.kind == kind;
    });
}

}  // namespace

RowSet::RowSet(const Model& model, CallMeter& meter) : model_(model), meter_(meter) {
    row_start.push_back(0);
    int u_size = 0;
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
        const BodyPart& part = model.bodies[i];
        RowOwner owner;
        owner.body = static_cast<int>(i);
        owner.u_first = part.first;
        owner.u_count = part.count;
        add_owner(part.rows(), part.object, owner);
    }
    for (std::size_t i = 0; i < model.constraints.size(); ++i)
        add_on_attachments(model.constraints[i].rows(), static_cast<int>(i), u_size);
    finish(u_size);
}

RowSet::RowSet(const Model& model, CallMeter& meter, std::span<const int> constraints)
    : model_(model), meter_(meter) {
    row_start.push_back(0);
    int u_size = 0;
    for (const int c : constraints)
        add_on_attachments(model.constraints[static_cast<std::size_t>(c)].tangents(), c, u_size);
    finish(u_size);
}

void RowSet::add_on_attachments(const GuardedRows& source, int constraint, int& u_size) {
    const ConstraintPart& part = model_.constraints[static_cast<std::size_t>(constraint)];
    RowOwner owner;
    owner.constraint = constraint;
    owner.u_first = u_size;
    owner.u_count = 3 * static_cast<int>(part.attachments.size());
    u_size += owner.u_count;
    owner.map = static_cast<int>(maps_.size());
    maps_.emplace_back(model_, part.attachments, meter_);
    add_owner(source, part.object, owner);
}

void RowSet::finish(int u_size) {
    chain_start_.push_back(static_cast<int>(chain_terms_.size()));
    product_start_.push_back(static_cast<int>(chain_products_.size()));

    B.setZero(static_cast<Eigen::Index>(column.size()));
    tau.setZero(num_rows());
    const int num_tangent =
        blocks.empty() ? 0 : blocks.back().first_tangent + blocks.back().num_tangent;
    K.setZero(num_tangent);
    u0_.setZero(u_size);
    du_.setZero(u_size);
    umid_.setZero(u_size);
    u1_.setZero(u_size);
    q1_.setZero(model_.num_coordinates);
    rate_.setZero(model_.num_coordinates);
    u_rate_.setZero(u_size);
    work0_.setZero(num_rows());
    work1_.setZero(num_rows());
    int num_local = 0;
    for (const BlockPart& part : blocks)
        if (owners[static_cast<std::size_t>(part.owner)].constraint >= 0)
            num_local = std::max(num_local, part.first_local + part.num_values);
    local_.setZero(num_local);
    local_now_.setZero(num_local);

    // Constant Jacobians are written here once for all.
    for (const BlockPart& part : blocks) {
        if (!part.is_constant) continue;
        const RowOwner& owner = owners[static_cast<std::size_t>(part.owner)];
        std::vector<double> zero(static_cast<std::size_t>(owner.u_count), 0.0);
        double* values =
            owner.body >= 0 ? B.data() + part.first_value : local_.data() + part.first_local;
        call_evaluate(part, {zero, zero, 0.0}, {{}, view(values, part.num_values), {}, {}});
        if (owner.constraint >= 0) chain(part, values, B.data());
    }
    constant_ = B;
    local_now_ = local_;
}

void RowSet::leave_out(const std::vector<int>& rows) {
    left_out_ = rows;
    left_out_increment_.assign(rows.size(), 0.0);
    left_out_B_.clear();
    for (const int k : left_out_)
        left_out_B_.insert(left_out_B_.end(),
                           constant_.data() + row_start[static_cast<std::size_t>(k)],
                           constant_.data() + row_start[static_cast<std::size_t>(k) + 1]);
    B = constant_;
    clear_left_out(B.data());
}

void RowSet::whole_jacobian(Eigen::VectorXd& out) const {
    out = B;
    const double* kept = left_out_B_.data();
    for (const int k : left_out_)
        for (int e = row_start[static_cast<std::size_t>(k)];
             e < row_start[static_cast<std::size_t>(k) + 1];
             ++e)
            out[e] = *kept++;
}

void RowSet::clear_left_out(double* values) const {
    for (const int k : left_out_)
        std::fill(values + row_start[static_cast<std::size_t>(k)],
                  values + row_start[static_cast<std::size_t>(k) + 1],
                  0.0);
}

void RowSet::add_owner(const GuardedRows& source, const ObjectRef& object, RowOwner owner) {
    owner.source = source;
    owner.object = &object;
    owner.first_row = num_rows();
    const auto [source_blocks, state_count] = source.facts();
    owner.state_count = state_count;
    owner.state_first = num_state;
    num_state += owner.state_count;
    owner.first_block = static_cast<int>(blocks.size());
    owner.num_blocks = static_cast<int>(source_blocks.size());
    owners.push_back(owner);

    for (std::size_t i = 0; i < source_blocks.size(); ++i) {
        const RowBlock& block = source_blocks[i];
        check_block(owner, static_cast<int>(i), block);
        BlockPart part;
        part.owner = static_cast<int>(owners.size()) - 1;
        part.index = static_cast<int>(i);
        part.block = &block;
        part.first_row = num_rows();
        part.num_rows = block.num_items * block.rows_per_item;
        part.num_values = part.num_rows * block.scalars_per_item;
        part.is_constant = block.degree == Degree::linear && !block.depends_on_time &&
                           (owner.map < 0 || map_of(owner).is_linear());
        part.holds_constraint = holds(block, RowKind::constraint);
        part.holds_elastic = holds(block, RowKind::elastic);
        part.num_tangent = block.num_items * tangent_entries(block);
        if (!blocks.empty())
            part.first_tangent = blocks.back().first_tangent + blocks.back().num_tangent;
        for (int row = 0; row < part.num_rows; ++row) {
            const std::size_t many = block.laws.size();
            const std::size_t law =
                many == 1
                    ? 0
                    : static_cast<std::size_t>(many == static_cast<std::size_t>(block.rows_per_item)
                                                   ? row % block.rows_per_item
                                                   : row);
            laws.push_back(block.laws[law]);
        }
        chain_start_.push_back(static_cast<int>(chain_terms_.size()));
        product_start_.push_back(static_cast<int>(chain_products_.size()));
        if (owner.body >= 0)
            add_body_block(part);
        else
            add_constraint_block(part);
        blocks.push_back(part);
        owners.back().num_rows += part.num_rows;
    }
}

void RowSet::check_block(const RowOwner& owner, int index, const RowBlock& block) const {
    const auto refuse = [&](const std::string& what) {
        throw Error(ErrorKind::plugin,
                    fmt::format("{}: block {} (\"{}\") of its rows is wrong: {}",
                                describe(*owner.object),
                                index,
                                block.name != nullptr ? block.name : "",
                                what),
                    owner.object->place);
    };
    if (block.num_items < 0 || block.rows_per_item < 1 || block.scalars_per_item < 1)
        refuse(fmt::format("{} items of {} rows on {} scalars",
                           block.num_items,
                           block.rows_per_item,
                           block.scalars_per_item));
    if (static_cast<double>(block.num_items) * block.rows_per_item * block.scalars_per_item > 2e9)
        refuse("it has more entries than an index can count");
    if (block.name == nullptr) refuse("it has no name");
    const auto stencil = static_cast<std::size_t>(block.num_items) *
                         static_cast<std::size_t>(block.scalars_per_item);
    if (block.stencil.size() != stencil)
        refuse(fmt::format("its stencil has {} entries, {} items on {} scalars need {}",
                           block.stencil.size(),
                           block.num_items,
                           block.scalars_per_item,
                           stencil));
    for (const int u : block.stencil)
        if (u < 0 || u >= owner.u_count)
            refuse(fmt::format(
                "its stencil names local scalar {}, there are 0 to {}", u, owner.u_count - 1));
    const auto rows =
        static_cast<std::size_t>(block.num_items) * static_cast<std::size_t>(block.rows_per_item);
    const std::size_t laws_given = block.laws.size();
    if (laws_given != 1 && laws_given != static_cast<std::size_t>(block.rows_per_item) &&
        laws_given != rows)
        refuse(
            fmt::format("it has {} laws; give 1, one per row of an item ({}) or one per row ({})",
                        laws_given,
                        block.rows_per_item,
                        rows));
    for (const RowLaw& law : block.laws) {
        if (law.kind < RowKind::constraint || law.kind > RowKind::acceleration_constraint)
            refuse(fmt::format("a law is of unknown kind {}", static_cast<int>(law.kind)));
        const bool bears = law.kind == RowKind::elastic;
        if (!bears && (law.compliance != 0.0 || law.prestress != 0.0))
            refuse("compliance and prestress belong to elastic rows only");
        if (!bears && law.kind != RowKind::dashpot && law.viscosity != 0.0)
            refuse("viscosity belongs to elastic and dashpot rows only");
        if (law.kind == RowKind::elastic &&
            !(law.compliance > 0.0 && std::isfinite(law.compliance)))
            refuse(fmt::format("an elastic row has compliance {}; it must be positive and finite",
                               law.compliance));
        if (!(law.viscosity >= 0.0) || !std::isfinite(law.viscosity) ||
            !std::isfinite(law.prestress))
            refuse("a viscosity is negative, or a viscosity or prestress is not finite");
        if (law.kind == RowKind::dashpot && law.viscosity == 0.0)
            refuse("a dashpot row has no viscosity");
        if (!bears && law.law != nullptr)
            refuse("only elastic rows have a law of their own, such as one that goes slack");
        if (law.law != nullptr && std::isnan(law.law->limit()))
            refuse("the limit of a law is not a number");
    }
    if (block.tangent == TangentForm::isotropic && block.scalars_per_item % 3 != 0)
        refuse("an isotropic tangent needs scalars in triples");
}

void RowSet::add_body_block(BlockPart& part) {
    const RowBlock& block = *part.block;
    const int first = owners[static_cast<std::size_t>(part.owner)].u_first;
    const int S = block.scalars_per_item;
    const auto add_tangent = [this](int from, int i, int j) {
        tangent_terms.add(from, std::max(i, j), std::min(i, j), 1.0);
    };
    part.first_value = static_cast<int>(column.size());
    for (int item = 0; item < block.num_items; ++item) {
        const std::int32_t* stencil = block.stencil.data() + std::size_t(item) * std::size_t(S);
        for (int row = 0; row < block.rows_per_item; ++row) {
            for (int j = 0; j < S; ++j) column.push_back(first + stencil[j]);
            row_start.push_back(static_cast<int>(column.size()));
        }
        int from = part.first_tangent + item * tangent_entries(block);
        if (block.tangent == TangentForm::isotropic) {
            for (int a = 0; a < S / 3; ++a)
                for (int b = 0; b < S / 3; ++b, ++from)
                    for (int axis = 0; axis < 3 && b <= a; ++axis)
                        add_tangent(
                            from, first + stencil[3 * a + axis], first + stencil[3 * b + axis]);
        } else if (block.tangent == TangentForm::full) {
            for (int a = 0; a < S; ++a)
                for (int b = 0; b < S; ++b, ++from)
                    if (b <= a) add_tangent(from, first + stencil[a], first + stencil[b]);
        }
    }
}

void RowSet::add_constraint_block(BlockPart& part) {
    const RowBlock& block = *part.block;
    const int S = block.scalars_per_item;
    const RowOwner& owner = owners[static_cast<std::size_t>(part.owner)];
    if (!blocks.empty() && owners[static_cast<std::size_t>(blocks.back().owner)].constraint >= 0)
        part.first_local = blocks.back().first_local + blocks.back().num_values;
    part.first_value = static_cast<int>(column.size());

    const AttachmentMap& map = map_of(owner);
    // A constant Jacobian shows which entries are zero, so that they need no place.
    std::vector<double> local(static_cast<std::size_t>(part.num_values), 1.0);
    if (part.is_constant) {
        const std::vector<double> zero(static_cast<std::size_t>(owner.u_count), 0.0);
        call_evaluate(part, {zero, zero, 0.0}, {{}, local, {}, {}});
    }
    for (int item = 0; item < block.num_items; ++item) {
        const std::int32_t* stencil = block.stencil.data() + std::size_t(item) * std::size_t(S);
        for (int r = 0; r < block.rows_per_item; ++r) {
            std::map<int, int> place_of;  // coordinate -> entry, in order of coordinates
            const int local_row = (item * block.rows_per_item + r) * S;
            for (int pass = 0; pass < 2; ++pass) {
                for (int j = 0; j < S; ++j) {
                    if (local[static_cast<std::size_t>(local_row + j)] == 0.0) continue;
                    for (const AttachmentMap::Entry& entry : map.row(stencil[j])) {
                        if (pass == 0)
                            place_of[entry.coordinate] = 0;
                        else if (entry.jacobian < 0)
                            chain_terms_.push_back(
                                {local_row + j, place_of[entry.coordinate], entry.weight});
                        else
                            chain_products_.push_back(
                                {local_row + j, place_of[entry.coordinate], entry.jacobian});
                    }
                }
                if (pass == 1) break;
                for (auto& [coordinate, place] : place_of) {
                    place = static_cast<int>(column.size());
                    column.push_back(coordinate);
                }
            }
            row_start.push_back(static_cast<int>(column.size()));
        }
        // G_q = W^T G_u W, lower triangle: both (u_a, u_b) and its mirror give entries.
        if (block.tangent == TangentForm::none || !map.is_linear()) continue;
        const int from = part.first_tangent + item * tangent_entries(block);
        const bool isotropic = block.tangent == TangentForm::isotropic;
        for (int a = 0; a < S; ++a)
            for (int b = 0; b < S; ++b) {
                if (isotropic && a % 3 != b % 3) continue;
                const int entry = isotropic ? (a / 3) * (S / 3) + b / 3 : a * S + b;
                for (const AttachmentMap::Entry& x : map.row(stencil[a]))
                    for (const AttachmentMap::Entry& y : map.row(stencil[b]))
                        if (x.coordinate >= y.coordinate)
                            tangent_terms.add(
                                from + entry, x.coordinate, y.coordinate, x.weight * y.weight);
            }
    }
}

void RowSet::chain(const BlockPart& part, const double* local, double* values) const {
    const auto block = static_cast<std::size_t>(&part - blocks.data());
    const int end = row_start[static_cast<std::size_t>(part.first_row + part.num_rows)];
    std::fill(values + part.first_value, values + end, 0.0);
    for (int i = chain_start_[block]; i < chain_start_[block + 1]; ++i) {
        const ChainTerm& term = chain_terms_[static_cast<std::size_t>(i)];
        values[term.to] += term.weight * local[term.from];
    }
    if (product_start_[block] == product_start_[block + 1]) return;
    const RowOwner& owner = owners[static_cast<std::size_t>(part.owner)];
    const std::vector<double>& jacobian = maps_[static_cast<std::size_t>(owner.map)].jacobian();
    for (int i = product_start_[block]; i < product_start_[block + 1]; ++i) {
        const ChainProduct& product = chain_products_[static_cast<std::size_t>(i)];
        values[product.to] +=
            jacobian[static_cast<std::size_t>(product.jacobian)] * local[product.from];
    }
}

void RowSet::call_evaluate(const BlockPart& part, const RowPoint& at, const RowValues& out) {
    const RowOwner& owner = owners[static_cast<std::size_t>(part.owner)];
    owner.source.evaluate(meter_, part.index, at, out);
}

// The buffers have other values by now: the inputs are computed afresh, in memory of their own.
PluginCall RowSet::last_evaluation(const BlockPart& part) const {
    const RowOwner& owner = owners[static_cast<std::size_t>(part.owner)];
    const auto& [q, v, t, wanted] = last_point_;
    const auto count = static_cast<std::size_t>(owner.u_count);
    std::vector<double> u(count, 0.0);
    std::vector<double> du(v != nullptr ? count : 0, 0.0);
    if (owner.body >= 0) {
        std::copy_n(q + owner.u_first, count, u.begin());
        std::copy_n(v != nullptr ? v + owner.u_first : q, du.size(), du.begin());
    } else {
        AttachmentMap map = maps_[static_cast<std::size_t>(owner.map)];
        map.evaluate(q, v, t, u.data(), v != nullptr ? du.data() : nullptr);
    }
    PluginCall call =
        record_of(owner.source.call(part.index, RowPoint{u, du, t, {}, state_of(owner)}));
    const std::string_view all = wanted;
    for (const char* output : {"pi", "A", "pi_t", "b"})
        call.want(output, all.find(std::string(" ") + output + " ") != std::string_view::npos);
    return call;
}

PluginCall RowSet::last_step(const BlockPart& part) const {
    const RowOwner& owner = owners[static_cast<std::size_t>(part.owner)];
    const auto& [q0, dq, mid, t0, h, state0] = last_step_;
    const auto first = static_cast<std::size_t>(owner.u_first);
    const auto count = static_cast<std::size_t>(owner.u_count);
    std::vector<double> u0(count, 0.0), du(count, 0.0);
    RowStep step;
    step.t0 = t0;
    step.h = h;
    step.state0 = state0.subspan(static_cast<std::size_t>(owner.state_first),
                                 static_cast<std::size_t>(owner.state_count));
    if (owner.body >= 0) {
        step.u0 = {q0 + first, count};
        step.du = {dq + first, count};
        step.mid = {mid + first, count};
        step.u1 = {q1_.data() + first, count};
        step.rate = {rate_.data() + first, count};
    } else {
        AttachmentMap map = maps_[static_cast<std::size_t>(owner.map)];
        map.evaluate(q0, nullptr, t0, u0.data(), nullptr);
        map.increment(dq, du.data());
        step.u0 = u0;
        step.du = du;
        step.mid = {umid_.data() + first, count};
        step.u1 = {u1_.data() + first, count};
        step.rate = {u_rate_.data() + first, count};
    }
    return record_of(owner.source.call(part.index, step));
}

PluginCall RowSet::last_tangent(const BlockPart& part) const {
    const RowOwner& owner = owners[static_cast<std::size_t>(part.owner)];
    const double* u = owner.body >= 0 ? last_tangent_.mid : umid_.data();
    return record_of(owner.source.call(part.index,
                                       last_tangent_.positive_part,
                                       view(u + owner.u_first, owner.u_count),
                                       view(last_tangent_.s + part.first_row, part.num_rows)));
}

void RowSet::evaluate_step(const double* q0,
                           const double* dq,
                           const double* mid,
                           double t0,
                           double h,
                           std::span<const double> state0,
                           std::span<double> state1) {
    last_step_ = {q0, dq, mid, t0, h, state0};
    int mapped = -1;
    for (Eigen::Index i = 0; i < q1_.size(); ++i) {
        q1_[i] = q0[i] + dq[i];
        rate_[i] = dq[i] / h;
    }
    for (const BlockPart& part : blocks) {
        const RowOwner& owner = owners[static_cast<std::size_t>(part.owner)];
        if (part.is_constant && owner.state_count == 0) continue;
        const RowBlock& block = *part.block;
        RowStep step;
        step.t0 = t0;
        step.h = h;
        if (owner.body >= 0) {
            step.u0 = view(q0 + owner.u_first, owner.u_count);
            step.du = view(dq + owner.u_first, owner.u_count);
            step.mid = view(mid + owner.u_first, owner.u_count);
            step.u1 = view(q1_.data() + owner.u_first, owner.u_count);
            step.rate = view(rate_.data() + owner.u_first, owner.u_count);
        } else {
            if (mapped != part.owner) {
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
        step.state0 = state0.subspan(static_cast<std::size_t>(owner.state_first),
                                     static_cast<std::size_t>(owner.state_count));
        step.state1 = state1.subspan(static_cast<std::size_t>(owner.state_first),
                                     static_cast<std::size_t>(owner.state_count));
        double* values =
            owner.body >= 0 ? B.data() + part.first_value : local_.data() + part.first_local;
        RowStepValues out;
        out.B = view(values, part.num_values);
        if (block.depends_on_time) out.tau = view(tau.data() + part.first_row, part.num_rows);
        out.work0 = view(work0_.data() + part.first_row, part.num_rows);
        out.work1 = view(work1_.data() + part.first_row, part.num_rows);
        owner.source.evaluate_step(meter_, part.index, step, out);
        if (owner.constraint >= 0) chain(part, values, B.data());
    }
    if (left_out_.empty()) return;
    double* kept = left_out_B_.data();
    for (std::size_t i = 0; i < left_out_.size(); ++i) {
        const auto k = static_cast<std::size_t>(left_out_[i]);
        double increment = tau[left_out_[i]];
        for (int e = row_start[k]; e < row_start[k + 1]; ++e, ++kept) {
            // Those of constant blocks were cleared when they were left out.
            if (B[e] != 0.0) *kept = B[e];
            increment += *kept * dq[column[static_cast<std::size_t>(e)]];
        }
        left_out_increment_[i] = increment;
        tau[left_out_[i]] = 0.0;
    }
    clear_left_out(B.data());
}

std::span<const double> RowSet::state_of(const RowOwner& owner) const {
    if (owner.state_count == 0 || state_ == nullptr) return {};
    return std::span<const double>(*state_).subspan(static_cast<std::size_t>(owner.state_first),
                                                    static_cast<std::size_t>(owner.state_count));
}

RowPoint RowSet::point_of(const RowOwner& owner, const double* q, const double* v, double t) {
    if (owner.body >= 0)
        return {view(q + owner.u_first, owner.u_count),
                v != nullptr ? view(v + owner.u_first, owner.u_count) : std::span<const double>{},
                t,
                {},
                state_of(owner)};
    map_of(owner).evaluate(q, v, t, u0_.data() + owner.u_first, du_.data() + owner.u_first);
    return {
        view(u0_.data() + owner.u_first, owner.u_count),
        v != nullptr ? view(du_.data() + owner.u_first, owner.u_count) : std::span<const double>{},
        t,
        {},
        state_of(owner)};
}

void RowSet::evaluate(const double* q, const double* v, double t, Instant& out) {
    last_point_ = {q, v, t, " pi A pi_t b "};
    out.pi.setZero(num_rows());
    out.A.setZero(B.size());
    out.pi_t.setZero(num_rows());
    out.b.setZero(num_rows());
    for (const BlockPart& part : blocks) {
        const RowOwner& owner = owners[static_cast<std::size_t>(part.owner)];
        double* values = owner.body >= 0 ? out.A.data() + part.first_value
                                         : local_now_.data() + part.first_local;
        call_evaluate(part,
                      point_of(owner, q, v, t),
                      {view(out.pi.data() + part.first_row, part.num_rows),
                       view(values, part.num_values),
                       view(out.pi_t.data() + part.first_row, part.num_rows),
                       view(out.b.data() + part.first_row, part.num_rows)});
        if (owner.constraint < 0) continue;
        chain(part, values, out.A.data());
        if (!map_of(owner).is_linear()) add_attachment_bias(part, values, out.b.data());
    }
}

/// With u'' = J q'' + c, A_u u'' = b_u is (A_u J) q'' = b_u - A_u c.
void RowSet::add_attachment_bias(const BlockPart& part, const double* local, double* b) const {
    const AttachmentMap& map =
        maps_[static_cast<std::size_t>(owners[static_cast<std::size_t>(part.owner)].map)];
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
    for (const BlockPart& part : blocks) {
        if (!part.holds_elastic) continue;
        const RowOwner& owner = owners[static_cast<std::size_t>(part.owner)];
        call_evaluate(part,
                      point_of(owner, q, nullptr, t),
                      {view(pi + part.first_row, part.num_rows), {}, {}, {}});
    }
}

void RowSet::evaluate_gaps(const double* q, double t, double* pi) {
    last_point_ = {q, nullptr, t, " pi "};
    for (const BlockPart& part : blocks) {
        if (!part.holds_constraint) continue;
        const RowOwner& owner = owners[static_cast<std::size_t>(part.owner)];
        call_evaluate(part,
                      point_of(owner, q, nullptr, t),
                      {view(pi + part.first_row, part.num_rows), {}, {}, {}});
    }
}

void RowSet::evaluate_course(
    const BlockPart& part, const double* q, double t, double* pi, double* A, double* pi_t) {
    last_point_ = {q, nullptr, t, " pi A pi_t "};
    const RowOwner& owner = owners[static_cast<std::size_t>(part.owner)];
    call_evaluate(
        part,
        point_of(owner, q, nullptr, t),
        {view(pi, part.num_rows), view(A, part.num_values), view(pi_t, part.num_rows), {}});
}

void RowSet::evaluate_rates(const std::vector<int>& chosen,
                            const double* q,
                            const double* v,
                            double t,
                            double* A,
                            double* pi_t) {
    last_point_ = {q, v, t, " A pi_t "};
    for (const int index : chosen) {
        const BlockPart& part = blocks[static_cast<std::size_t>(index)];
        const RowOwner& owner = owners[static_cast<std::size_t>(part.owner)];
        if (part.is_constant) {
            const int begin = part.first_value;
            const int end = row_start[static_cast<std::size_t>(part.first_row + part.num_rows)];
            std::copy(constant_.data() + begin, constant_.data() + end, A + begin);
            continue;
        }
        double* values =
            owner.body >= 0 ? A + part.first_value : local_now_.data() + part.first_local;
        call_evaluate(part,
                      point_of(owner, q, v, t),
                      {{},
                       view(values, part.num_values),
                       part.block->depends_on_time ? view(pi_t + part.first_row, part.num_rows)
                                                   : std::span<double>{},
                       {}});
        if (owner.constraint >= 0) chain(part, values, A);
    }
}

void RowSet::evaluate_tangent(const double* mid, const double* s, bool positive_part, double t) {
    last_tangent_ = {mid, s, positive_part};
    for (const BlockPart& part : blocks) {
        if (part.num_tangent == 0) continue;
        const RowOwner& owner = owners[static_cast<std::size_t>(part.owner)];
        const double* u = owner.body >= 0 ? mid + owner.u_first : umid_.data() + owner.u_first;
        owner.source.evaluate_tangent(meter_,
                                      t,
                                      part.index,
                                      view(u, owner.u_count),
                                      view(s + part.first_row, part.num_rows),
                                      positive_part,
                                      view(K.data() + part.first_tangent, part.num_tangent));
    }
}

void RowSet::evaluate_tangent_at(const double* q, const double* s, double t) {
    for (const RowOwner& owner : owners)
        if (owner.constraint >= 0)
            map_of(owner).evaluate(q, nullptr, t, umid_.data() + owner.u_first, nullptr);
    evaluate_tangent(q, s, false, t);
}

int RowSet::vanishing_row(const Eigen::VectorXd& A) const {
    constexpr double kCancelled = 1e-9;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        const BlockPart& part = blocks[b];
        if (owners[static_cast<std::size_t>(part.owner)].constraint < 0) continue;
        const int begin = part.first_value;
        const int end = row_start[static_cast<std::size_t>(part.first_row + part.num_rows)];
        const double* local = local_now_.data() + part.first_local;
        std::vector<double> gross(static_cast<std::size_t>(end - begin), 0.0);
        for (int i = chain_start_[b]; i < chain_start_[b + 1]; ++i) {
            const ChainTerm& term = chain_terms_[static_cast<std::size_t>(i)];
            gross[static_cast<std::size_t>(term.to - begin)] +=
                std::abs(term.weight * local[term.from]);
        }
        // Entries that depend on q are not looked at: they vanish at single states only.
        if (product_start_[b] != product_start_[b + 1]) continue;
        for (int row = part.first_row; row < part.first_row + part.num_rows; ++row) {
            double largest = 0.0;
            double expected = 0.0;
            for (int e = row_start[static_cast<std::size_t>(row)];
                 e < row_start[static_cast<std::size_t>(row) + 1];
                 ++e) {
                largest = std::max(largest, std::abs(A[e]));
                expected = std::max(expected, gross[static_cast<std::size_t>(e - begin)]);
            }
            if (largest <= kCancelled * expected && expected > 0.0) return row;
        }
    }
    return -1;
}

void RowSet::refuse_row(int row, double t) const {
    for (const BlockPart& part : blocks) {
        if (row < part.first_row || row >= part.first_row + part.num_rows) continue;
        const RowOwner& owner = owners[static_cast<std::size_t>(part.owner)];
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
    const auto part = std::find_if(blocks.begin(), blocks.end(), [row](const BlockPart& b) {
        return row >= b.first_row && row < b.first_row + b.num_rows;
    });
    const auto S = static_cast<std::size_t>(part->block->scalars_per_item);
    const int k = row - part->first_row;
    const Eigen::VectorXd& jacobian = of_step ? local_ : local_now_;
    return {part->block->stencil.subspan(
                static_cast<std::size_t>(k / part->block->rows_per_item) * S, S),
            {jacobian.data() + part->first_local + static_cast<std::ptrdiff_t>(S) * k, S}};
}

double RowSet::size_of_value(const BlockPart& part, int row) const {
    const RowOwner& owner = owners[static_cast<std::size_t>(part.owner)];
    const int S = part.block->scalars_per_item;
    const int k = row - part.first_row;
    const std::int32_t* scalar =
        part.block->stencil.data() + static_cast<std::ptrdiff_t>(k / part.block->rows_per_item) * S;
    const double* entry =
        owner.body >= 0 ? B.data() + part.first_value : local_.data() + part.first_local;
    entry += static_cast<std::ptrdiff_t>(k) * S;
    const double* u = (owner.body >= 0 ? last_step_.mid : umid_.data()) + owner.u_first;
    double size = 0.0;
    for (int j = 0; j < S; ++j) {
        const int point = scalar[j] - scalar[j] % 3;
        const int end = std::min(point + 3, owner.u_count);
        double length = 0.0;
        for (int i = point; i < end; ++i) length = std::max(length, std::abs(u[i]));
        size += std::abs(entry[j]) * length;
    }
    return size;
}

void RowSet::local_force(int constraint, const double* s, double* f) const {
    sum_local_force(constraint, local_.data(), s, f);
}

void RowSet::local_force_now(int constraint, const double* s, double* f) const {
    sum_local_force(constraint, local_now_.data(), s, f);
}

void RowSet::sum_local_force(int constraint,
                             const double* jacobian,
                             const double* s,
                             double* f) const {
    const RowOwner& owner = owners[model_.bodies.size() + static_cast<std::size_t>(constraint)];
    std::fill(f, f + owner.u_count, 0.0);
    for (int b = owner.first_block; b < owner.first_block + owner.num_blocks; ++b) {
        const BlockPart& part = blocks[static_cast<std::size_t>(b)];
        const RowBlock& block = *part.block;
        const int S = block.scalars_per_item;
        const double* local = jacobian + part.first_local;
        for (int row = 0; row < part.num_rows; ++row) {
            const std::int32_t* stencil =
                block.stencil.data() + std::size_t(row / block.rows_per_item) * std::size_t(S);
            for (int j = 0; j < S; ++j)
                f[stencil[j]] -= s[part.first_row + row] * local[row * S + j];
        }
    }
}

const Place& RowSet::place_of_row(int row) const {
    return std::find_if(owners.begin(),
                        owners.end(),
                        [row](const RowOwner& o) {
                            return row >= o.first_row && row < o.first_row + o.num_rows;
                        })
        ->object->place;
}

std::string RowSet::row_name(int row) const {
    const auto part = std::find_if(blocks.begin(), blocks.end(), [row](const BlockPart& b) {
        return row >= b.first_row && row < b.first_row + b.num_rows;
    });
    if (part == blocks.end()) return "no row";
    const RowOwner& owner = owners[static_cast<std::size_t>(part->owner)];
    const int local = row - part->first_row;
    if (part->block->num_items == 1) {
        // Blocks of one name are numbered on: the equations of a list.
        int before = 0;
        for (auto other = blocks.begin(); other != part; ++other)
            if (other->owner == part->owner &&
                std::string_view(other->block->name) == part->block->name)
                before += other->num_rows;
        return fmt::format("{}, {} {}", owner.object->label, part->block->name, before + local);
    }
    const int per_item = part->block->rows_per_item;
    if (per_item == 1)
        return fmt::format("{}, {} of element {}", owner.object->label, part->block->name, local);
    return fmt::format("{}, {} {} of element {}",
                       owner.object->label,
                       part->block->name,
                       local % per_item,
                       local / per_item);
}

void RowSet::attribute_nonfinite(double t) const {
    // Copies, since a call writes to its outputs.
    const auto copied = [](const double* x, int n) {
        return std::vector<double>(x, x + n);
    };
    for (const BlockPart& part : blocks) {
        const RowOwner& owner = owners[static_cast<std::size_t>(part.owner)];
        const calls::RowShape shape(
            *part.block, static_cast<std::size_t>(owner.u_count), owner.state_count);
        const auto in_block = [&] {
            return fmt::format("block \"{}\", ", part.block->name);
        };
        std::vector<double> B_of =
            copied(owner.body >= 0 ? B.data() + part.first_value : local_.data() + part.first_local,
                   part.num_values);
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
                       owner.source.call(part.index, false, {}, {}, G),
                       shape,
                       &t,
                       in_block,
                       [&] {
                           return last_tangent(part);
                       });
    }
}

}  // namespace ancora
