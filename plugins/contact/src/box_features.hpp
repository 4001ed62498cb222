// SPDX-License-Identifier: BSD-3-Clause
// Boxes and axes of capsules, and the features by which two of them may meet.
#pragma once

#include <vector>

#include "ancora/pairs/features.hpp"
#include "ancora/pairs/shapes.hpp"

namespace ancora::contact {

/// What a shape is but for its rounding: a box, or the axis of a capsule.
struct Core {
    Vec3 half = Vec3::Zero();
    std::vector<Vec3> corners;

    explicit Core(const ContactShape& shape)
        : half(shape.kind == ContactShape::Kind::box ? shape.half
                                                     : Vec3(0.0, 0.0, shape.half_length)) {
        for (int k = 0; k < 8; ++k) {
            const Vec3 sign(
                k % 2 == 0 ? -1.0 : 1.0, k / 2 % 2 == 0 ? -1.0 : 1.0, k < 4 ? -1.0 : 1.0);
            const bool is_new = ((half.array() > 0.0) || (sign.array() > 0.0)).all();
            if (is_new) corners.push_back(half.cwiseProduct(sign));
        }
    }
};

inline double sign_of(int bit) {
    return bit == 0 ? -1.0 : 1.0;
}

/// A vertex of a on a face of b or the other way round, or an edge of each.
struct PairFeature {
    enum class Kind { none, corner_of_a, corner_of_b, edges };
    Kind kind = Kind::none;
    int corner = 0;              // of one
    int axis = 0, out = 0;       // face of the other, and on which side
    int i = 0, j = 0;            // axes of the edges of a and b
    int side_a = 0, side_b = 0;  // two bits, for the two other axes
    int order = 0;               // of the axes, from a to b

    Feature code() const {
        const int of = kind == Kind::edges ? i + 3 * (j + 3 * (side_a + 4 * (side_b + 4 * order)))
                                           : corner + 8 * (axis + 3 * out);
        return static_cast<int>(kind) + 4 * of;
    }
    static PairFeature from(Feature code) {
        PairFeature f;
        f.kind = static_cast<Kind>(code % 4);
        int of = code / 4;
        const auto take = [&of](int count) {
            const int digit = of % count;
            of /= count;
            return digit;
        };
        if (f.kind == Kind::edges) {
            f.i = take(3);
            f.j = take(3);
            f.side_a = take(4);
            f.side_b = take(4);
            f.order = take(2);
        } else {
            f.corner = take(8);
            f.axis = take(3);
            f.out = take(2);
        }
        return f;
    }
    /// The point of an edge in its middle.
    static Vec3 middle(const Vec3& half, int axis, int side) {
        Vec3 x = Vec3::Zero();
        x[(axis + 1) % 3] = sign_of(side % 2) * half[(axis + 1) % 3];
        x[(axis + 2) % 3] = sign_of(side / 2) * half[(axis + 2) % 3];
        return x;
    }
};

}  // namespace ancora::contact
