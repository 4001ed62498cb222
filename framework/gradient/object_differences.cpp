// SPDX-License-Identifier: BSD-3-Clause
// Local scalars, which of them are moved together, and what becomes of derivatives by them.
#include "object_differences.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "difference_moves.hpp"

namespace ancora {
namespace {

// Distances: of points relative to how far they are apart, of other scalars to their size.
constexpr double kMoveOfReach = 0x1p-12;
constexpr double kApart = 1e-6;   // of the extent: points that are apart
constexpr double kBent = 1e-5;    // leaves of (1) its square
constexpr double kNoise = 1e-14;  // of the outputs

std::span<const double> span_of(const Eigen::VectorXd& x) {
    return {x.data(), static_cast<std::size_t>(x.size())};
}

}  // namespace

LocalScalars::LocalScalars(Assembly& parts, std::span<const Attachment> attachments)
    : map_(std::in_place, parts.model, attachments, parts.meter) {
    const int count = map_->num_scalars();
    for (int scalar = 0; scalar < count; ++scalar) {
        std::vector<Entry>& to = entries_.emplace_back();
        for (const AttachmentMap::Entry& entry : map_->row(scalar))
            if (entry.jacobian < 0) to.push_back({entry.coordinate, entry.weight});
        const bool is_point = attachments[scalar / 3].is_point;
        is_of_point_.push_back(is_point ? 1 : 0);
        if (is_point && scalar % 3 == 0) points_.push_back(scalar);
    }
    for (Eigen::VectorXd* x : {&u0, &du, &mid_, &u1_, &rate_}) x->setZero(count);
}

LocalScalars::LocalScalars(int first, int count) : first_(first) {
    for (int i = 0; i < count; ++i) entries_.push_back({{first + i, 1.0}});
    is_of_point_.assign(entries_.size(), 0);
    for (Eigen::VectorXd* x : {&u0, &du, &mid_, &u1_, &rate_}) x->setZero(count);
}

void LocalScalars::read(const double* q0, const double* dq, double t0) {
    if (!map_) {
        std::copy_n(q0 + first_, u0.size(), u0.data());
        std::copy_n(dq + first_, du.size(), du.data());
        return;
    }
    map_->evaluate(q0, nullptr, t0, u0.data(), nullptr);
    map_->increment(dq, du.data());
}

RowStep LocalScalars::step(double t0, double h) {
    for (Eigen::Index i = 0; i < u0.size(); ++i) {
        mid_[i] = u0[i] + 0.5 * du[i];
        u1_[i] = u0[i] + du[i];
        rate_[i] = du[i] / h;
    }
    RowStep step;
    step.u0 = span_of(u0);
    step.du = span_of(du);
    step.mid = span_of(mid_);
    step.u1 = span_of(u1_);
    step.rate = span_of(rate_);
    step.t0 = t0;
    step.h = h;
    return step;
}

void LocalScalars::shift_points(const std::array<double, 3>& by) {
    for (const int p : points_)
        for (int c = 0; c < 3; ++c) u0[p + c] += by[c];
}

double LocalScalars::reach() const {
    double out = 0.0;
    for (const int p : points_)
        out = std::max(out, (u0.segment<3>(p) - u0.segment<3>(points_.front())).norm());
    return out;
}

ObjectDifferences::ObjectDifferences(LocalScalars its_scalars,
                                     std::vector<int> stencil,
                                     int scalars_per_item)
    : scalars(std::move(its_scalars)),
      stencil_(std::move(stencil)),
      scalars_per_item_(scalars_per_item),
      num_items_(static_cast<int>(stencil_.size()) / std::max(scalars_per_item, 1)),
      items_(scalars.count()),
      is_pinned_(scalars.count(), 0) {
    for (int item = 0; item < num_items_; ++item)
        for (int i = 0; i < scalars_per_item_; ++i) {
            std::vector<int>& of = items_[scalar(item, i)];
            if (of.empty() || of.back() != item) of.push_back(item);
        }
    // One point is as good as any other: the first, if it moves. The ground's need no derivatives,
    // and all others then have to be found.
    const std::span<const int> points = scalars.points();
    const auto moves = [&](int p) {
        return scalars.moves(p) && scalars.moves(p + 1) && scalars.moves(p + 2);
    };
    const auto is_seen = [&](int p) {
        return !items_[p].empty() && !items_[p + 1].empty() && !items_[p + 2].empty();
    };
    if (points.size() > 1 && num_items_ == 1 && std::ranges::all_of(points, is_seen)) {
        is_shiftable_ = true;
        if (std::ranges::all_of(points, moves))
            for (int c = 0; c < 3; ++c) {
                pinned_.push_back(points.front() + c);
                is_pinned_[points.front() + c] = 1;
            }
    }
    std::vector<int> colour(scalars.count(), -1);
    for (int j = 0; j < scalars.count(); ++j) {
        if (items_[j].empty() || !scalars.moves(j)) continue;
        std::vector<char> is_taken(colours_.size(), 0);
        for (const int item : items_[j])
            for (int i = 0; i < scalars_per_item_; ++i)
                if (colour[scalar(item, i)] >= 0) is_taken[colour[scalar(item, i)]] = 1;
        const auto free = std::ranges::find(is_taken, 0);
        colour[j] = static_cast<int>(free - is_taken.begin());
        if (free == is_taken.end()) colours_.emplace_back();
        colours_[colour[j]].push_back(j);
    }
}

void ObjectDifferences::begin(const std::vector<int>& colour,
                              const Eigen::VectorXd& x,
                              double reach,
                              double extent) {
    differences_.begin(colour, x, [&](int j) {
        return reach > kApart * extent && scalars.is_of_point(j)
                   ? kMoveOfReach * reach
                   : move_of_place(scalars.u0[j], extent);
    });
}

bool ObjectDifferences::is_smooth(const std::vector<int>& colour, int outputs_per_item) const {
    const Eigen::VectorXd &near = differences_.near(), &far = differences_.far();
    for (const int j : colour) {
        double bend = 0.0, size = 0.0, noise = 0.0;
        for (const int item : items_[j])
            for (int i = 0; i < outputs_per_item; ++i) {
                const int at = item * outputs_per_item + i;
                bend = std::max(bend, std::abs(near[at] - 0.5 * far[at]));
                size = std::max(size, std::abs(near[at]));
                noise = std::max(noise, std::abs(differences_.below()[at]));
            }
        if (bend > kBent * size + kNoise * noise) return false;
    }
    return true;
}

int ObjectDifferences::pinned_of(int scalar) const {
    return pinned_.empty() ? -1 : pinned_[scalar % 3];
}

RowDifferences::RowDifferences(KernelSystem& system, std::span<const char> is_wanted)
    : data_(system.step_data()), extent_(data_.state.extent) {
    const RowSet& rows = data_.parts.rows;
    std::size_t most_values = 0, most_rows = 0;
    for (std::size_t b = 0; b < rows.blocks.size(); ++b) {
        if (is_wanted[b] == 0) continue;
        const BlockPart& block = rows.blocks[b];
        const RowOwner& owner = rows.owners[block.owner];
        LocalScalars scalars =
            owner.body >= 0
                ? LocalScalars(owner.u_first, owner.u_count)
                : LocalScalars(data_.parts,
                               data_.parts.model.constraints[owner.constraint].attachments);
        bool has_velocity = false;
        for (int k = block.first_row; k < block.first_row + block.num_rows; ++k)
            has_velocity |= is_velocity_kind(rows.laws[k].kind);
        parts_.push_back(
            {static_cast<int>(b),
             has_velocity,
             ObjectDifferences(std::move(scalars),
                               {block.block->stencil.begin(), block.block->stencil.end()},
                               block.block->scalars_per_item)});
        most_values = std::max(most_values, static_cast<std::size_t>(block.num_values));
        most_rows = std::max(most_rows, static_cast<std::size_t>(block.num_rows));
    }
    B_.resize(most_values);
    for (std::vector<double>* x : {&tau_, &work0_, &work1_}) x->resize(most_rows);
    plugin_ = data_.state.plugin;
}

/// For each item B^T s on its scalars, and where there are velocity rows their increments.
void RowDifferences::evaluate(Part& part,
                              const AcceptedStep& at,
                              const double* s,
                              Eigen::VectorXd& out) {
    const BlockPart& block = data_.parts.rows.blocks[part.block];
    const RowOwner& owner = data_.parts.rows.owners[block.owner];
    ObjectDifferences& of = part.differences;
    RowStep step = of.scalars.step(at.before.t, at.h);
    step.state0 =
        std::span<const double>(at.before.plugin).subspan(owner.state_first, owner.state_count);
    step.state1 = std::span<double>(plugin_).subspan(owner.state_first, owner.state_count);
    std::ranges::copy(step.state0, step.state1.begin());
    const auto num_rows = static_cast<std::size_t>(block.num_rows);
    RowStepValues values;
    values.B = std::span(B_).first(static_cast<std::size_t>(block.num_values));
    if (block.block->depends_on_time)
        values.tau = std::span(tau_).first(num_rows);
    else
        std::fill_n(tau_.begin(), num_rows, 0.0);
    values.work0 = std::span(work0_).first(num_rows);
    values.work1 = std::span(work1_).first(num_rows);
    owner.source.evaluate_step(data_.parts.meter, block.index, step, values);
    const int S = block.block->scalars_per_item, R = block.block->rows_per_item;
    const int outputs = part.has_velocity ? S + R : S;
    out.setZero(static_cast<Eigen::Index>(outputs) * of.num_items());
    for (int item = 0; item < of.num_items(); ++item)
        for (int r = 0; r < R; ++r) {
            const double* B = B_.data() + (item * R + r) * S;
            const double stress = s[block.first_row + item * R + r];
            double* to = out.data() + item * outputs;
            for (int i = 0; i < S; ++i) to[i] += stress * B[i];
            if (!part.has_velocity) continue;
            to[S + r] = tau_[item * R + r];
            for (int i = 0; i < S; ++i) to[S + r] += B[i] * of.scalars.du[of.scalar(item, i)];
        }
}

void RowDifferences::look(const AcceptedStep& step, const Eigen::VectorXd& dq) {
    const Eigen::VectorXd ones = Eigen::VectorXd::Ones(data_.parts.m);
    for (Part& part : parts_) {
        part.differences.scalars.read(step.before.q.data(), dq.data(), step.before.t);
        part.differences.look_for_invariance(
            [&](Eigen::VectorXd& out) {
                evaluate(part, step, ones.data(), out);
            },
            extent_);
    }
}

void RowDifferences::differentiate(const AcceptedStep& step,
                                   const Eigen::VectorXd& q,
                                   const Eigen::VectorXd& dq,
                                   const Eigen::VectorXd& s,
                                   Triplets& by_dq,
                                   Triplets& by_q,
                                   Triplets& rows_dq,
                                   Triplets& rows_q) {
    for (Part& part : parts_) {
        ObjectDifferences& of = part.differences;
        const BlockPart& block = data_.parts.rows.blocks[part.block];
        const int S = block.block->scalars_per_item, R = block.block->rows_per_item;
        of.scalars.read(q.data(), dq.data(), step.before.t);
        of.center();
        const auto evaluate_here = [&](Eigen::VectorXd& out) {
            evaluate(part, step, s.data(), out);
        };
        const auto take = [&](Triplets& motion, Triplets& rows) {
            return [&](int item, int output, int by, double value) {
                const int row = block.first_row + item * R + output - S;
                const std::span<const LocalScalars::Entry> from = of.scalars.entries(by);
                if (output < S) {
                    for (const auto& [i, of_i] : of.scalars.entries(of.scalar(item, output)))
                        for (const auto& [j, of_j] : from)
                            motion.emplace_back(i, j, of_i * of_j * value);
                } else if (is_velocity_kind(data_.parts.rows.laws[row].kind)) {
                    for (const auto& [j, of_j] : from) rows.emplace_back(row, j, of_j * value);
                }
            };
        };
        const int outputs = part.has_velocity ? S + R : S;
        of.differentiate(of.scalars.du, outputs, extent_, evaluate_here, take(by_dq, rows_dq));
        of.differentiate(of.scalars.u0, outputs, extent_, evaluate_here, take(by_q, rows_q));
    }
}

ForceDifferences::ForceDifferences(KernelSystem& system)
    : data_(system.step_data()), extent_(data_.state.extent) {
    Assembly& parts = data_.parts;
    for (std::size_t f = 0; f < parts.model.forces.size(); ++f) {
        const ForcePart& force = parts.model.forces[f];
        if (force.contact != nullptr) continue;
        const auto number = static_cast<int>(has_.size());
        has_.push_back(0);
        if (!parts.forces.map(number).is_linear() || !force.facets().start_state.empty() ||
            parts.signals.has_force(static_cast<int>(f)))
            continue;
        has_.back() = 1;
        LocalScalars scalars(parts, force.attachments);
        std::vector<int> all(scalars.count());
        std::iota(all.begin(), all.end(), 0);
        const int count = scalars.count();
        parts_.push_back({&force, ObjectDifferences(std::move(scalars), std::move(all), count)});
    }
}

void ForceDifferences::look(const AcceptedStep& step, const Eigen::VectorXd& dq) {
    for (Part& part : parts_) {
        part.differences.scalars.read(step.before.q.data(), dq.data(), step.before.t);
        part.differences.look_for_invariance(
            [&](Eigen::VectorXd& out) {
                evaluate(part, step, out);
            },
            extent_);
    }
}

void ForceDifferences::evaluate(Part& part, const AcceptedStep& at, Eigen::VectorXd& out) {
    LocalScalars& scalars = part.differences.scalars;
    out.setZero(scalars.count());
    part.force->evaluate_step(data_.parts.meter,
                              scalars.step(at.before.t, at.h),
                              {out.data(), static_cast<std::size_t>(out.size())});
}

void ForceDifferences::differentiate(const AcceptedStep& step,
                                     const Eigen::VectorXd& q,
                                     const Eigen::VectorXd& dq,
                                     Triplets& by_dq,
                                     Triplets& by_q) {
    for (Part& part : parts_) {
        ObjectDifferences& of = part.differences;
        of.scalars.read(q.data(), dq.data(), step.before.t);
        of.center();
        const auto evaluate_here = [&](Eigen::VectorXd& out) {
            evaluate(part, step, out);
        };
        // r_motion has -F
        const auto take = [&](Triplets& to) {
            return [&](int, int output, int by, double value) {
                for (const auto& [i, of_i] : of.scalars.entries(output))
                    for (const auto& [j, of_j] : of.scalars.entries(by))
                        to.emplace_back(i, j, -of_i * of_j * value);
            };
        };
        const int count = of.scalars.count();
        of.differentiate(of.scalars.du, count, extent_, evaluate_here, take(by_dq));
        of.differentiate(of.scalars.u0, count, extent_, evaluate_here, take(by_q));
    }
}

}  // namespace ancora
