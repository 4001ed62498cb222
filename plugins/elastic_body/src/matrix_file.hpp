// SPDX-License-Identifier: BSD-3-Clause
// Symmetric matrices as finite-element programs write them: MatrixMarket, or rows of i, j, value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ancora/sdk/arguments.hpp"

namespace ancora::elastic {

/// An entry of the lower triangle, i >= j, counted from 0.
struct MatrixEntry {
    std::int32_t i = 0, j = 0;
    double value = 0.0;
    std::int32_t line = 0;  ///< in the file, or of the list, counted from 1
};

/// Where a parameter's value stands, for messages: a line of a file, or a row of a list.
struct MatrixPlace {
    const Arguments& arguments;
    std::string_view key;
    bool is_file = false;

    void fail(std::int32_t line, const std::string& message) const;
};

struct SymmetricMatrix {
    std::int32_t size = 0;
    std::vector<MatrixEntry> lower;  ///< by rows, each entry once
};

/// [assembly] The matrix that `key` holds: a file in MatrixMarket's format (coordinate or array,
/// real or integer, symmetric or general), a file of rows "i j value", or such a list. Indices
/// count from 1; of a symmetric matrix one triangle serves. Refused through Arguments, with its
/// line: what is no such file, entries given twice, not finite, or that differ from their mirror.
SymmetricMatrix read_symmetric_matrix(const MatrixPlace& place);

}  // namespace ancora::elastic
