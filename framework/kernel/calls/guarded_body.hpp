// SPDX-License-Identifier: BSD-3-Clause
// A body as the kernel calls it.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "guarded_rows.hpp"
#include "guarded_signals.hpp"

namespace ancora {

/// Owns a body, or shows one that a constraint owns. [step] functions are metered; all refuse what
/// is not finite. A function that takes a pointer to the time names it in messages, if there is
/// one.
class GuardedBody {
public:
    GuardedBody() = default;
    /// Asks what the body is.
    GuardedBody(ObjectRef object, std::shared_ptr<const Body> body);

    ObjectRef object;
    std::span<const Coordinate> coordinates;
    PoseKind pose_kind = PoseKind::none;
    MassKind mass_kind = MassKind::constant;
    int count = 0;  ///< of coordinates

    GuardedRows rows() const { return {body_.get(), object}; }
    GuardedSignals signals() const { return {facets_.signals, object}; }

    void start(std::span<double> q, std::span<double> v) const;
    /// Entries within n x n.
    std::vector<calls::MassEntries::Entry> mass() const;
    void evaluate_mass(CallMeter& meter, const MassState& at, const MassValues& out) const;
    void rotation(std::span<const double> q, std::span<double> Xi) const;

    /// Of the coordinates that are scalars; refuses what is not finite.
    void turn(const std::array<double, 9>& R, std::span<double> q, std::span<double> v) const;

    /// Says what `where` is; returns the reason if the body has no such point or direction.
    /// Components and coordinates are in their ranges.
    std::optional<std::string> attach(const Locator& where, calls::AttachmentTerms& out) const;
    std::optional<std::string> group(std::string_view name,
                                     std::span<const std::int32_t>& points) const;
    int find_coordinate(std::string_view name) const;

    /// A nonlinear attachment of the body.
    struct AttachmentId {
        int id;
        std::string_view locator;  ///< see locator_text()
        std::string_view text;     ///< as the model has it
    };
    /// Without meter: outside the step loop.
    void evaluate_attachment(CallMeter* meter,
                             const double* t,
                             const AttachmentId& which,
                             std::span<const double> q,
                             std::span<const double> v,
                             const AttachmentValues& out) const;

    Pose pose(std::span<const double> q, std::span<const double> v, const double* t) const;
    void draw(Sketch& out) const;
    void draw_values(const SketchState& at, std::span<double> values) const;
    std::string notes() const;

private:
    std::shared_ptr<const Body> body_;
    BodyFacets facets_;
};

}  // namespace ancora
