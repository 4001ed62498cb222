// SPDX-License-Identifier: BSD-3-Clause
// The matrices of a model at a state.
#include "ancora/framework/equation.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "attachment_map.hpp"
#include "equation.hpp"

namespace ancora {
namespace {

struct Triplet {
    int row;
    int column;
    double value;
};

/// Entries of one place are added up.
SparseMatrix compressed(int rows, int columns, std::vector<Triplet> entries) {
    std::ranges::stable_sort(entries, {}, [](const Triplet& e) {
        return std::tuple(e.row, e.column);
    });
    SparseMatrix out;
    out.rows = rows;
    out.columns = columns;
    out.row_start.assign(static_cast<std::size_t>(rows) + 1, 0);
    int last_row = -1;
    for (const Triplet& e : entries) {
        if (e.row == last_row && out.column.back() == e.column) {
            out.value.back() += e.value;
            continue;
        }
        last_row = e.row;
        out.column.push_back(e.column);
        out.value.push_back(e.value);
        ++out.row_start[static_cast<std::size_t>(e.row) + 1];
    }
    for (std::size_t i = 1; i < out.row_start.size(); ++i) out.row_start[i] += out.row_start[i - 1];
    return out;
}

}  // namespace

Equation equation_of(KernelSystem& system) {
    Assembly& parts = system.parts();
    const MotionState& state = system.state();
    Equation out;

    parts.mass.update(state.q.data(), state.v.data(), state.t, parts.meter, nullptr);
    std::vector<Triplet> entries;
    for (const MassEntry& e : parts.mass.entries()) {
        entries.push_back({e.i, e.j, e.value});
        if (e.i != e.j) entries.push_back({e.j, e.i, e.value});
    }
    const std::span<const double> values = parts.mass.values();
    std::size_t k = 0;
    for (std::size_t e = 0; e < values.size(); ++e) {
        entries[k++].value = values[e];
        if (parts.mass.entries()[e].i != parts.mass.entries()[e].j) entries[k++].value = values[e];
    }
    out.M = compressed(parts.n, parts.n, std::move(entries));

    RowSet::StateValues instant;
    parts.rows.evaluate(state.q.data(), state.v.data(), state.t, instant);
    const double rate = parts.model.traits.baumgarte;
    entries = {};
    auto block = parts.rows.blocks.begin();
    for (int row = 0; row < parts.rows.num_rows(); ++row) {
        const double pi_dot =
            parts.rows.multiply_onto(instant.pi_t[row], instant.A.data(), row, state.v.data());
        if (!std::isfinite(pi_dot) || !std::isfinite(instant.b[row]))
            parts.rows.refuse_row(row, state.t);
        if (!parts.laws.is_constraint(row)) continue;
        const int index = static_cast<int>(out.b.size());
        for (const int e : parts.rows.entries(row))
            entries.push_back({index, parts.rows.column_of(e), instant.A[e]});
        double b = instant.b[row];
        if (rate > 0.0) {
            const bool is_position = parts.laws[row].kind == RowKind::constraint;
            b -= is_position ? rate * (2.0 * pi_dot + rate * instant.pi[row]) : rate * pi_dot;
        }
        out.b.push_back(b);
        while (row >= block->first_row + block->num_rows) ++block;
        out.owners.push_back(parts.rows.owners[block->owner].object->name);
    }
    out.A = compressed(static_cast<int>(out.b.size()), parts.n, std::move(entries));
    return out;
}

std::vector<double> jacobian_of(KernelSystem& system, const Attachment& at) {
    Assembly& parts = system.parts();
    const MotionState& state = system.state();
    AttachmentMap map(parts.model, {&at, 1}, parts.meter);
    std::array<double, 3> u{}, du{};
    map.evaluate(state.q.data(), state.v.data(), state.t, u.data(), du.data());
    const auto n = static_cast<std::size_t>(parts.n);
    std::vector<double> out(3 * n, 0.0);
    for (int c = 0; c < 3; ++c)
        for (const AttachmentMap::Entry& e : map.row(c))
            out[static_cast<std::size_t>(c) * n + static_cast<std::size_t>(e.coordinate)] +=
                e.jacobian < 0 ? e.weight : map.jacobian()[e.jacobian];
    return out;
}

}  // namespace ancora
