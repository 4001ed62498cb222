// SPDX-License-Identifier: BSD-3-Clause
// Vectors and matrices of the C interface.
#include <fmt/format.h>

#include "c_calls.hpp"

using namespace ancora;

namespace {

const Equation& equation_now(ancora_simulation& it) {
    if (!it.equation) it.equation = it.simulation->equation();
    return *it.equation;
}

const SparseMatrix& matrix_now(ancora_simulation& it, int32_t which) {
    if (which == ANCORA_MASS) return equation_now(it).M;
    if (which == ANCORA_JACOBIAN) return equation_now(it).A;
    c::refuse(fmt::format("there is no matrix {}", which));
}

const std::vector<double>& vector_now(ancora_simulation& it, int32_t which) {
    if (which == ANCORA_RIGHT_SIDE) return equation_now(it).b;
    if (which < ANCORA_ACCELERATION || which > ANCORA_NONIDEAL)
        c::refuse(fmt::format("there is no vector {}", which));
    if (!it.dynamics) it.dynamics = it.simulation->dynamics();
    switch (which) {
        case ANCORA_ACCELERATION:
            return it.dynamics->acceleration;
        case ANCORA_IMPRESSED:
            return it.dynamics->Q;
        case ANCORA_FORCES:
            return it.dynamics->C;
        case ANCORA_IDEAL:
            return it.dynamics->F_L;
        default:
            return it.dynamics->F_C;
    }
}

}  // namespace

ancora_status ancora_vector(
    ancora_simulation* simulation, int32_t which, double* values, size_t capacity, size_t* count) {
    return c::call(simulation, [&](ancora_simulation& it) {
        c::put_all(std::span<const double>(vector_now(it, which)), values, capacity, count);
    });
}

ancora_status ancora_matrix(ancora_simulation* simulation,
                            int32_t which,
                            double* values,
                            size_t capacity,
                            size_t* rows,
                            size_t* columns) {
    return c::call(simulation, [&](ancora_simulation& it) {
        const SparseMatrix& matrix = matrix_now(it, which);
        const auto num_rows = static_cast<std::size_t>(matrix.rows);
        const auto width = static_cast<std::size_t>(matrix.columns);
        c::put(rows, num_rows);
        c::put(columns, width);
        if (capacity == 0) return;
        if (capacity < num_rows * width) throw c::BufferTooSmall{capacity, num_rows * width};
        if (num_rows * width == 0) return;
        double* const to = &c::required(values, "values");
        std::fill_n(to, num_rows * width, 0.0);
        for (std::size_t i = 0; i < num_rows; ++i)
            for (int e = matrix.row_start[i]; e < matrix.row_start[i + 1]; ++e) {
                const auto at = static_cast<std::size_t>(e);
                to[i * width + static_cast<std::size_t>(matrix.column[at])] = matrix.value[at];
            }
    });
}

ancora_status ancora_matrix_entries(ancora_simulation* simulation,
                                    int32_t which,
                                    int32_t* row_start,
                                    size_t row_capacity,
                                    int32_t* column,
                                    double* value,
                                    size_t capacity,
                                    size_t* rows,
                                    size_t* count) {
    return c::call(simulation, [&](ancora_simulation& it) {
        const SparseMatrix& matrix = matrix_now(it, which);
        c::put(rows, static_cast<std::size_t>(matrix.rows));
        c::put(count, matrix.value.size());
        if (row_capacity == 0 && capacity == 0) return;
        // All or nothing.
        if (row_capacity < matrix.row_start.size())
            throw c::BufferTooSmall{row_capacity, matrix.row_start.size()};
        if (capacity < matrix.value.size()) throw c::BufferTooSmall{capacity, matrix.value.size()};
        std::ranges::copy(matrix.row_start, &c::required(row_start, "row_start"));
        if (matrix.value.empty()) return;
        std::ranges::copy(matrix.column, &c::required(column, "column"));
        std::ranges::copy(matrix.value, &c::required(value, "value"));
    });
}

ancora_status ancora_point_jacobian(const ancora_simulation* simulation,
                                    const char* attachment,
                                    double* values,
                                    size_t capacity,
                                    size_t* count) {
    return c::call(simulation, [&](const ancora_simulation& it) {
        const std::vector<double> jacobian =
            it.simulation->point_jacobian(c::text_of(attachment, "attachment"));
        c::put_all(std::span<const double>(jacobian), values, capacity, count);
    });
}
