// SPDX-License-Identifier: BSD-3-Clause
// Bodies from the columns of rows.
#include "row_bodies.hpp"

#include <algorithm>

namespace ancora {

std::vector<int> bodies_of_rows(const Model& model,
                                const CompressedRows& rows,
                                int first,
                                int end) {
    std::vector<int> out;
    for (int e = rows.row_begin(first); e < rows.row_end(end - 1); ++e) {
        const auto behind =
            std::ranges::upper_bound(model.bodies, rows.column_of(e), {}, &BodyPart::first);
        const int body = static_cast<int>(behind - model.bodies.begin()) - 1;
        if (std::ranges::find(out, body) == out.end()) out.push_back(body);
    }
    std::ranges::sort(out);
    return out;
}

}  // namespace ancora
