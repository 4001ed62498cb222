// SPDX-License-Identifier: BSD-3-Clause
// Symmetric matrices as finite-element programs write them, and which displacements their rows are.
#pragma once

#include <cstdint>
#include <functional>
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

/// The place of a node with this number in a file, or -1.
using NodeOf = std::function<std::int32_t(double)>;

struct SymmetricMatrix {
    std::int32_t size = 0;
    std::vector<MatrixEntry> lower;  ///< by rows, each entry once
    bool is_by_nodes = false;        ///< rows are 3 node + axis, whatever their order elsewhere
};

/// [assembly] The matrix that `key` holds: a file in MatrixMarket's format (coordinate or array,
/// real or integer, symmetric or general), a file of rows "i j value", or such a list. Indices
/// count from 1; of a symmetric matrix one triangle serves. A file may have "node axis node axis
/// value" in place of that, as Abaqus has it by default. Refused through Arguments, with its line:
/// what is no such file, entries given twice, not finite, or that differ from their mirror.
SymmetricMatrix read_symmetric_matrix(const MatrixPlace& place,
                                      std::int32_t num_displacements,
                                      const NodeOf& node_of);

/// [assembly] The displacement, 3 node + axis, of each row: of a file of rows "node axis",
/// "node.axis" (CalculiX) or "row node axis" (Ansys), axes 1, 2, 3 or UX, UY, UZ.
std::vector<std::int32_t> read_row_order(const MatrixPlace& place,
                                         std::int32_t num_displacements,
                                         const NodeOf& node_of);

}  // namespace ancora::elastic
