// SPDX-License-Identifier: BSD-3-Clause
// Collects the bodies' mass entries and checks them.
#include "mass_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace ancora {

MassMatrix::MassMatrix(const Model& model) : n_(model.num_coordinates) {
    for (const BodyPart& part : model.bodies) {
        const auto first = static_cast<std::ptrdiff_t>(entries_.size());
        // What varies may be zero at the start only.
        for (const auto& [i, j, value] : part.mass())
            if (value != 0.0 || part.mass_kind != MassKind::constant)
                entries_.push_back(
                    {part.first + std::max(i, j), part.first + std::min(i, j), value});
        // By rows and columns. The sort is stable: entries of one pair are
        // added in the order in which the body names them.
        std::stable_sort(
            entries_.begin() + first, entries_.end(), [](const MassEntry& a, const MassEntry& b) {
                return a.i != b.i ? a.i < b.i : a.j < b.j;
            });
    }
    // One entry per pair.
    std::size_t last = 0;
    for (std::size_t k = 1; k < entries_.size(); ++k) {
        if (entries_[k].i == entries_[last].i && entries_[k].j == entries_[last].j)
            entries_[last].value += entries_[k].value;
        else
            entries_[++last] = entries_[k];
    }
    if (!entries_.empty()) entries_.resize(last + 1);
    entries_.shrink_to_fit();

    diagonal_.setZero(n_);
    for (const MassEntry& entry : entries_) {
        if (entry.i == entry.j)
            diagonal_[entry.i] = entry.value;
        else
            is_diagonal_ = false;
    }
    // Necessary for M >= 0: M_ii >= 0 and M_ij^2 <= M_ii M_jj, each of which names an entry.
    // What is indefinite otherwise is left to the factorisation.
    for (const BodyPart& part : model.bodies)
        for (int i = part.first; i < part.first + part.count; ++i)
            if (diagonal_[i] < 0.0)
                throw Error(ErrorKind::plugin,
                            fmt::format("{}: its mass matrix is not positive semidefinite: entry "
                                        "({}, {}) is {}",
                                        describe(part.object),
                                        i - part.first,
                                        i - part.first,
                                        diagonal_[i]),
                            part.object.place);
    for (const MassEntry& entry : entries_) {
        if (entry.i == entry.j) continue;
        // M_ij^2 <= M_ii M_jj, or some x has x . M x < 0.
        if (entry.value * entry.value <= diagonal_[entry.i] * diagonal_[entry.j] * (1.0 + 1e-12))
            continue;
        const auto part =
            std::find_if(model.bodies.begin(), model.bodies.end(), [&](const BodyPart& body) {
                return entry.i < body.first + body.count;
            });
        throw Error(ErrorKind::plugin,
                    fmt::format("{}: its mass matrix is not positive semidefinite: entry ({}, {}) "
                                "is {}, more than its diagonal allows",
                                describe(part->object),
                                entry.i - part->first,
                                entry.j - part->first,
                                entry.value),
                    part->object.place);
    }
    entry_value_.reserve(entries_.size());
    for (const MassEntry& entry : entries_) entry_value_.push_back(entry.value);
    // Dense blocks, count x count, of bodies whose mass varies.
    for (const BodyPart& part : model.bodies) {
        if (part.mass_kind == MassKind::constant) continue;
        is_timed_ |= part.mass_kind == MassKind::of_time;
        const auto inside = [&part](const MassEntry& entry) {
            return entry.i >= part.first && entry.i < part.first + part.count;
        };
        // The entries of a body are contiguous, since bodies come in
        // the order of their coordinates.
        const auto first = std::find_if(entries_.begin(), entries_.end(), inside);
        const auto end = std::find_if_not(first, entries_.end(), inside);
        const auto count = static_cast<std::size_t>(part.count);
        const std::size_t of_time = part.mass_kind == MassKind::of_time ? count * count : 0;
        varying_.push_back({&part,
                            static_cast<std::size_t>(first - entries_.begin()),
                            static_cast<std::size_t>(end - first),
                            std::vector<double>(count * count),
                            std::vector<double>(count),
                            std::vector<double>(of_time),
                            std::vector<double>(of_time),
                            std::vector<double>(of_time)});
    }
    if (!is_diagonal_) build_rows();
    lay_out_varying();
}

void MassMatrix::build_rows() {
    // Both triangles by rows, so that a row of M x is one sum and threads share rows.
    const auto n = static_cast<std::size_t>(n_);
    row_start_.assign(n + 1, 0);
    const auto for_each_place = [this](const auto& visit) {
        for (const MassEntry& entry : entries_) {
            visit(static_cast<std::size_t>(entry.i), entry.j, entry.value);
            if (entry.i != entry.j) visit(static_cast<std::size_t>(entry.j), entry.i, entry.value);
        }
    };
    for_each_place([this](std::size_t i, int, double) {
        ++row_start_[i + 1];
    });
    std::partial_sum(row_start_.begin(), row_start_.end(), row_start_.begin());
    column_.resize(row_start_.back());
    value_.resize(column_.size());
    std::vector<int> next(row_start_.begin(), row_start_.end() - 1);
    // The lower triangle comes row by row, so that columns rise here too.
    for_each_place([&](std::size_t i, int j, double value) {
        const auto k = static_cast<std::size_t>(next[i]++);
        column_[k] = j;
        value_[k] = value;
    });
    // Values that vary would have to be compared at every update.
    if (varying_.empty()) find_vectors();
}

void MassMatrix::lay_out_varying() {
    // Place of (i, j) in the compressed rows, whose columns rise.
    const auto find = [this](int i, int j) {
        if (is_diagonal_) return -1;
        const auto begin = column_.begin() + row_start_[i];
        const auto end = column_.begin() + row_start_[static_cast<std::size_t>(i) + 1];
        return static_cast<int>(std::lower_bound(begin, end, j) - column_.begin());
    };
    for (Varying& body : varying_) {
        // M of the body is given row by row, count x count; of it the lower triangle counts.
        const int first = body.part->first;
        for (std::size_t k = body.first_entry; k < body.first_entry + body.num_entries; ++k) {
            const auto [i, j, value] = entries_[k];
            body.taken.push_back({(i - first) * body.part->count + (j - first),
                                  find(i, j),
                                  find(j, i),
                                  i == j ? i : -1});
        }
    }
}

/// Whether rows come in threes that differ in their axis alone.
/// M is then M' x 1_3, as for points and directions that are linear in q (theory (16)):
/// a product reads each number of M' once for x, y and z.
void MassMatrix::find_vectors() {
    is_by_vectors_ = n_ % kAxes == 0;
    for (int i = 0; i < n_ && is_by_vectors_; i += kAxes) {
        const auto first = static_cast<std::size_t>(row_start_[i]);
        const auto count =
            static_cast<std::size_t>(row_start_[static_cast<std::size_t>(i) + 1]) - first;
        for (int axis = 1; axis < kAxes; ++axis) {
            const auto row = static_cast<std::size_t>(i + axis);
            const auto start = static_cast<std::size_t>(row_start_[row]);
            // As many entries, columns shifted by the axis, the same values.
            is_by_vectors_ &= static_cast<std::size_t>(row_start_[row + 1]) - start == count;
            for (std::size_t k = 0; k < count && is_by_vectors_; ++k)
                is_by_vectors_ = column_[start + k] == column_[first + k] + axis &&
                                 value_[start + k] == value_[first + k];
        }
    }
}

/// Of the vectors [first, last), three rows each.
void MassMatrix::multiply_by_vectors(int first, int last, const double* x, double* y) const {
    const int* column = column_.data();
    const double* value = value_.data();
    // y_z = sum of M'_zk x_k, three components at once
    for (int i = first * kAxes; i < last * kAxes; i += kAxes) {
        const int begin = row_start_[i];
        const int end = row_start_[static_cast<std::size_t>(i) + 1];
        double sum[kAxes] = {};
        for (int k = begin; k < end; ++k) {
            const double* at = x + column[k];
            for (int axis = 0; axis < kAxes; ++axis) sum[axis] += value[k] * at[axis];
        }
        for (int axis = 0; axis < kAxes; ++axis) y[i + axis] = sum[axis];
    }
}

void MassMatrix::update(
    const double* q, const double* v, double t, CallMeter& meter, double* force) {
    is_held_ = false;
    // M(q) at the state, and dT/dq - (dM/dt) v as part of Q (theory, section 2.1)
    for (Varying& body : varying_) {
        const BodyPart& part = *body.part;
        if (part.mass_kind == MassKind::of_time) {
            evaluate_timed(body, t, meter);
            take(body, body.M);
            continue;
        }
        const auto count = static_cast<std::size_t>(part.count);
        const std::span<const double> own_q(q + part.first, count);
        const std::span<const double> own_v(v + part.first, count);
        part.evaluate_mass(meter, {t, own_q, own_v}, {body.M, body.force});
        take(body, body.M);
        if (force == nullptr) continue;
        for (std::size_t i = 0; i < count; ++i)
            force[static_cast<std::size_t>(part.first) + i] += body.force[i];
    }
}

void MassMatrix::take(const Varying& body, std::span<const double> M) {
    // The pattern stays: of each entry the list, its two places by rows, and the diagonal.
    std::size_t k = body.first_entry;
    for (const auto& [from, place, mirror, diagonal] : body.taken) {
        const double value = M[from];
        entries_[k].value = value;
        entry_value_[k++] = value;
        if (diagonal >= 0) diagonal_[diagonal] = value;
        if (place < 0) continue;
        value_[place] = value;
        // Both triangles are stored.
        value_[mirror] = value;
    }
}

/// Refuses mass that vanishes: the system without it would be another one.
void MassMatrix::evaluate_timed(Varying& body, double t, CallMeter& meter) {
    const BodyPart& part = *body.part;
    part.evaluate_mass(meter, {.t = t}, {.M = body.M, .rate = body.rate});
    // Whether a coordinate has mass is decided once: layouts and regularisation rest on it.
    const auto count = static_cast<std::size_t>(part.count);
    for (std::size_t i = 0; i < count; ++i) {
        const bool had_mass = !is_massless(part.first + static_cast<int>(i));
        if (had_mass == (body.M[i * count + i] > 0.0)) continue;
        throw Error(
            ErrorKind::plugin,
            fmt::format("t = {:.9g} s, {}: entry ({}, {}) of its mass matrix, which changes "
                        "with time, is {}; what has mass must keep some, and what has none "
                        "gets none",
                        t,
                        describe(part.object),
                        i,
                        i,
                        body.M[i * count + i]),
            part.object.place);
    }
}

void MassMatrix::hold(double t0, double h, CallMeter& meter) {
    if (is_held_ && held_t0_ == t0 && held_h_ == h) return;
    // M_bar = M_0 + dM / 2 over the step (theory (67)); `change` is the mass that leaves at each
    // end.
    is_held_ = false;
    for (Varying& body : varying_) {
        if (body.part->mass_kind != MassKind::of_time) continue;
        // M at the start, then M at the end; both are plugin calls.
        evaluate_timed(body, t0, meter);
        body.before.swap(body.M);
        evaluate_timed(body, t0 + h, meter);
        for (std::size_t k = 0; k < body.M.size(); ++k) {
            body.change[k] = 0.5 * (body.M[k] - body.before[k]);
            body.M[k] = body.before[k] + body.change[k];
        }
        take(body, body.M);
    }
    is_held_ = true;
    held_t0_ = t0;
    held_h_ = h;
}

/// The lower triangle counts, as in M.
template <class Of>
void MassMatrix::multiply_timed(const double* x, double* y, Of of) const {
    // y = D x with D of bodies whose mass depends on time: dM / 2 or dM/dt
    std::fill(y, y + n_, 0.0);
    for (const Varying& body : varying_) {
        if (body.part->mass_kind != MassKind::of_time) continue;
        const auto count = static_cast<std::size_t>(body.part->count);
        const std::vector<double>& D = body.*of;
        for (std::size_t k = body.first_entry; k < body.first_entry + body.num_entries; ++k) {
            const auto i = static_cast<std::size_t>(entries_[k].i - body.part->first);
            const auto j = static_cast<std::size_t>(entries_[k].j - body.part->first);
            y[entries_[k].i] += D[i * count + j] * x[entries_[k].j];
            if (i != j) y[entries_[k].j] += D[i * count + j] * x[entries_[k].i];
        }
    }
}

void MassMatrix::multiply_half_change(const double* x, double* y) const {
    // dM / 2, by which M_bar differs from M at each end of the step.
    multiply_timed(x, y, &Varying::change);
}

void MassMatrix::multiply_rate(const double* x, double* y) const {
    // dM/dt, of the force -(dM/dt) v at an instant.
    multiply_timed(x, y, &Varying::rate);
}

void MassMatrix::multiply(const double* x, double* y) const {
    // y = M x: the same terms in the same order for any number of threads
    if (is_diagonal_) {
        const double* d = diagonal_.data();
        for (int i = 0; i < n_; ++i) y[i] = d[i] * x[i];
        return;
    }
    // Units of work: vectors of three rows, or rows.
    const int turns = is_by_vectors_ ? n_ / kAxes : n_;
    const auto range = [&](int begin, int end) {
        if (is_by_vectors_)
            multiply_by_vectors(begin, end, x, y);
        else
            multiply_rows(begin, end, x, y);
    };
    if (workers_ != nullptr)
        workers_->split(turns, range);
    else
        range(0, turns);
}

void MassMatrix::multiply_rows(int begin, int end, const double* x, double* y) const {
    for (int i = begin; i < end; ++i) {
        // y_i = sum over k of M_ik x_k
        // Columns rise along a row.
        double sum = 0.0;
        const int last = row_start_[static_cast<std::size_t>(i) + 1];
        for (int k = row_start_[i]; k < last; ++k) sum += value_[k] * x[column_[k]];
        y[i] = sum;
    }
}

}  // namespace ancora
