// SPDX-License-Identifier: BSD-3-Clause
// A contact of many bodies: every pair of their shapes, and planes.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ancora/pairs/shape_contact.hpp"
#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/authoring/attachment_texts.hpp"
#include "ancora/sdk/constraint.hpp"

namespace ancora::contact {

/// The rows of all pairs of shapes of many bodies, in blocks of equal ones,
///
///   spheres on each other    g = (r . r - D^2) / (2 D),   r = c - d                        (1)
///   spheres on planes        g = n . (c - o) - R                                           (2)
///   other shapes             as ShapeContact has them                                      (3)
///
/// on attachments that pairs share: their number grows with that of bodies.
class GroupContact final : public Constraint {
public:
    explicit GroupContact(const Arguments& arguments);
    GroupContact(const GroupContact&) = delete;
    GroupContact& operator=(const GroupContact&) = delete;
    static bool is_meant(const Arguments& arguments) { return arguments.given("bodies"); }

    std::span<const AttachmentRequest> attachments() const override { return requests_.list(); }
    std::span<const RowBlock> row_blocks() const override { return blocks_; }
    std::span<const double> start_state() const override { return start_; }
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override;
    void evaluate_step(int block, const RowStep& step, const RowStepValues& out) const override;
    void evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const override;
    void facets(ConstraintFacets& out) const override {
        out.tied_to_inertial_frame = is_on_ground_;
        out.tangents = &sliding_;
        // Of many bodies no force is that on the first.
        out.reaction = ReactionKind::effort;
        out.effort_unit = "N";
    }

private:
    /// A shape of a body; planes are of the ground.
    struct Solid {
        PairSide side;
        std::string name;    ///< of its body, or its point
        std::string owner;   ///< its body
        int sides, matches;  ///< 1: of the first kind, 2: of the second
    };
    /// Where the scalars of a pair stand among those of the contact.
    using Stencil = std::array<std::int32_t, kMostScalars>;
    /// One of (3), or of (1) and (2) for the sake of its sliding.
    struct Pair {
        std::unique_ptr<ShapeContact> shapes;
        std::unique_ptr<PairSliding> ball_sliding;
        const PairSliding* sliding = nullptr;
        Stencil at{};
        int num_rows = 1;
        int first_state = 0, num_state = 0;
        double radius = 0.0;  ///< R of (2), D of (1), a length of (3)
    };
    enum Kind { kBalls, kBallsOnPlanes, kOnPlanes, kBallsOnSolids, kSolids, kNumKinds };

    class Tangents final : public RowSource {
    public:
        explicit Tangents(const GroupContact& of) : of_(of) {}
        std::span<const RowBlock> row_blocks() const override { return {&block, 1}; }
        void evaluate(int, const RowPoint& at, const RowValues& out) const override;
        std::vector<std::int32_t> stencil;
        RowBlock block;

    private:
        const GroupContact& of_;
    };

    void read_solids(const Arguments& arguments);
    void add_planes(const Arguments& arguments);
    void add_pairs(const Arguments& arguments);
    void add_balls(const Solid& a, const Solid& b, const PairGeometry& geometry);
    void add_ball_on_plane(const Solid& a, const Solid& plane, const PairGeometry& geometry);
    void add_shapes(const Arguments& arguments, const Solid& a, const Solid& b);
    void add_sliding(
        Pair& pair, const Solid& a, const Solid& b, const Vec3& n, const PairGeometry& geometry);
    const PairGeometry& geometry_of(double radius, double radius_b, bool is_plane);
    void check_overlap(const Arguments& arguments,
                       const Solid& a,
                       const Solid& b,
                       double gap) const;
    void finish();
    std::int32_t place(AttachmentRequest::Kind kind, const std::string& text);
    std::array<std::int32_t, 3> axes_of(const PairSide& side);

    template <class Visit>
    void for_each(int block, const Visit& visit) const;

    AttachmentTexts requests_;
    std::map<std::pair<int, std::string>, std::int32_t> places_;
    std::vector<Solid> solids_, planes_;
    std::map<std::array<double, 3>, std::unique_ptr<PairGeometry>> geometries_;
    std::array<std::vector<Pair>, kNumKinds> pairs_;
    bool is_on_ground_ = false;
    RowLaw law_;
    std::vector<double> start_;
    std::array<std::vector<std::int32_t>, kNumKinds> stencils_;
    std::vector<RowBlock> blocks_;
    std::vector<Kind> kinds_;  // of the blocks
    Tangents sliding_{*this};
};

}  // namespace ancora::contact
