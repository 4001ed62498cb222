// SPDX-License-Identifier: BSD-3-Clause
// Contacts of shapes other than spheres and points.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ancora/pairs/relative.hpp"
#include "ancora/pairs/shapes.hpp"
#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/authoring/attachment_texts.hpp"
#include "ancora/sdk/constraint.hpp"

namespace ancora::contact {

inline constexpr std::size_t kMostScalars = 24;

/// Where points and axes of a pair stand among the local scalars.
struct PairPlaces {
    std::size_t c = 0, d = 3, f = 6;
    std::size_t e = 15;  ///< of the axes of a, if there are any
    bool has_e = false;
};

/// A body with a shape, or with a plane, at the start.
struct PairSide {
    /// @param key  the parameter that names the body
    PairSide(const char* key, const FrameStart& frame, const ContactShape& shape);

    const char* key;
    std::string body;   ///< "ground" for the inertial frame
    std::string point;  ///< its middle, as the text of an attachment
    bool has_attitude = false;
    RigidMotion carrier;
    ContactShape shape;
    bool turns;  ///< its attitude matters where it meets
    bool is_plane = false;
    Vec3 origin = Vec3::Zero();  ///< of the shape, in space
    Mat3 axes = Mat3::Identity();

    /// The axes of the shape as attachments.
    std::array<std::string, 3> axis_texts() const;
    /// Its axes are those of its body, or of the ground.
    bool carries_axes() const { return has_attitude && body != "ground"; }
};

/// What the keys a, radius, shape or b, radius_b, shape_b, plane of a contact of two say.
PairSide read_side(const Arguments& arguments, bool is_b);

/// The gaps of a shape that is seen from another.
using MakeGeometry =
    std::function<std::unique_ptr<PairGeometry>(const PairSide& seen, const PairSide& from)>;

/// Rates at which a pair slides where it touches, at the point X of space,
///
///   w_k = t_k . (c' + x_i e_i' - d' - X_j f_j'),   d + X_j f_j = c + x_i e_i,   k = 1, 2  (1)
///
/// two rows for each gap. t_k are fixed axes of b, turned the shortest way to its normal n. A body
/// a without axes touches at its own point.
///
/// Source: theory, section 8.4.
class PairSliding final : public RowSource {
public:
    /// @param n normals at the start, of each gap, in the axes of b
    PairSliding(const PairGeometry& geometry,
                const PairPlaces& places,
                int width,
                std::span<const Vec3> n,
                std::span<const double> start);
    PairSliding(const PairSliding&) = delete;
    PairSliding& operator=(const PairSliding&) = delete;

    std::span<const RowBlock> row_blocks() const override { return {&block_, 1}; }
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override;

    /// Both rows of an item, at local scalars and rates.
    /// @param A, b      empty: not wanted
    void evaluate_item(int item,
                       std::span<const double> u,
                       std::span<const double> du,
                       std::span<const double> state,
                       std::span<double> A,
                       std::span<double> b) const;
    std::size_t width() const { return width_; }

private:
    struct Axes {
        Vec3 n;
        std::array<Vec3, 2> t;
    };
    template <class S>
    void rows_of(int item, Feature of, const S* u, S* out) const;

    const PairGeometry& geometry_;
    std::span<const double> start_;  ///< features; later the state of the gaps' rows
    PairPlaces places_;
    std::size_t width_;
    std::vector<Axes> axes_;
    std::vector<std::int32_t> stencil_;
    RowBlock block_;
};

/// Unilateral rows g_k(z) >= 0 of a pair of shapes, functions of where a is seen from b, see
/// Relative. Over a step
///
///   B = (w + (dg - w . dz) D dz / (dz . D dz)) dz/du                                      (1)
///
/// with the gradient w of g in the middle of z and lengths D; dz/du at the middle of u is exact, so
/// that B du = dg, and its reactions have neither resultant nor moment.
class ShapeContact : public Constraint {
public:
    /// @param is_swapped  b is what is seen from a
    ShapeContact(const PairSide& a,
                 const PairSide& b,
                 bool is_swapped,
                 const RowLaw& law,
                 const MakeGeometry& make);
    ShapeContact(const ShapeContact&) = delete;
    ShapeContact& operator=(const ShapeContact&) = delete;

    std::span<const AttachmentRequest> attachments() const override { return requests_.list(); }
    std::span<const RowBlock> row_blocks() const override { return {&block_, 1}; }
    /// Features of a pair: which they are is decided at ends of steps.
    std::span<const double> start_state() const override { return start_; }
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override;
    void evaluate_step(int block, const RowStep& step, const RowStepValues& out) const override;
    void evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const override;
    void facets(ConstraintFacets& out) const override {
        out.tied_to_inertial_frame = is_on_ground_;
        out.tangents = &*sliding_;
    }

    const PairGeometry& geometry() const { return *geometry_; }
    const PairSliding& sliding() const { return *sliding_; }
    /// Where the one is seen from the other at the start.
    const RelativeValues& at_start() const { return at_start_; }
    /// The gap of row k at the start.
    double gap_at_start(int k) const { return geometry_->value(k, feature({}, k), at_start_); }

private:
    void add_axes(const PairSide& side);

    template <class Product>
    RelativeValues relative(Product product) const;
    RelativeValues relative(std::span<const double> u) const;
    void put_row(const RelativeValues& w, std::span<const double> u, double* out) const;
    Feature feature(std::span<const double> state, int row) const;
    bool is_bare(std::span<const double> state, int row) const;
    bool is_nothing(int row, Feature of) const;
    void add_curvature(int row,
                       Feature of,
                       double s,
                       const RelativeValues& z,
                       std::span<const double> u,
                       double* G) const;

    AttachmentTexts requests_;
    std::unique_ptr<PairGeometry> geometry_;
    PairPlaces places_;
    std::size_t width_ = 15;  ///< of a gap's scalars
    bool is_on_ground_ = false;
    RowLaw law_;
    RelativeValues at_start_{};
    std::vector<double> start_;
    std::vector<std::int32_t> stencil_;
    RowBlock block_;
    std::optional<PairSliding> sliding_;
};

}  // namespace ancora::contact
