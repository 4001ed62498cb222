// SPDX-License-Identifier: BSD-3-Clause
// The constraint type `contact`: two bodies do not overlap, and bounce where they meet.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/authoring/attachment_texts.hpp"
#include "ancora/sdk/constraint.hpp"
#include "sliding.hpp"

namespace ancora::contact {

/// One unilateral row g >= 0 between a sphere or point with the centre c, radius R, and
///
///   a plane through o with the unit normal n      g = n . (c - o) - R                    (1)
///   a sphere or point with the centre d           g = (r . r - D^2) / (2 D)              (2)
///   the inside of such a sphere                   g = (D^2 - r . r) / (2 D)              (3)
///
/// r = c - d; D = R + R_b in (2), R_b - R in (3). All are quadratic in points and directions, so
/// that A at the middle of a step is the exact discrete derivative, and the gap on the chord of a
/// step is known in closed form. At g = 0 the force of (2) and (3) is l r / D, of unit length.
class Contact final : public Constraint {
public:
    explicit Contact(const Arguments& arguments);
    Contact(const Contact&) = delete;
    Contact& operator=(const Contact&) = delete;

    std::span<const AttachmentRequest> attachments() const override { return requests_.list(); }
    std::span<const RowBlock> row_blocks() const override { return {&block_, 1}; }
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override;
    void evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const override;
    void facets(ConstraintFacets& out) const override {
        out.tied_to_inertial_frame = is_on_ground_;
        if (sliding_) out.tangents = &*sliding_;
    }

private:
    void read_plane(const Arguments& arguments);
    void read_spheres(const Arguments& arguments);
    int add(AttachmentRequest::Kind kind, const std::string& text, const char* key);
    int add_axes(const FrameStart& frame, double radius, const char* key);

    int width() const { return 3 * static_cast<int>(requests_.list().size()); }

    AttachmentTexts requests_;
    bool is_plane_ = false;
    bool is_on_ground_ = false;
    double radius_ = 0.0;  ///< R of (1)
    double reach_ = 0.0;   ///< D, with the sign of g: negative inside
    std::array<std::int32_t, 9> stencil_{};
    RowLaw law_;
    RowBlock block_;
    std::optional<Sliding> sliding_;
};

}  // namespace ancora::contact
