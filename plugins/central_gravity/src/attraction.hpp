// SPDX-License-Identifier: BSD-3-Clause
// The force type `attraction`: points that attract or repel each other, all with all.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/authoring/attachment_texts.hpp"
#include "ancora/sdk/constraint.hpp"
#include "central_gravity.hpp"

namespace ancora::central_gravity {

/// Points r_i with weights m_i, masses or charges:
///
///   U = -sum_{i<j} k m_i m_j / |r_i - r_j|                                                (1)
///
/// k > 0 attracts: gravity with G; k < 0 repels what has weights of one sign: Coulomb's force. One
/// elastic row for each pair, pi = (|r_i - r_j|^2 - R^2) / (2 R) with the distance R at the start,
/// so that a step keeps energy, momentum and angular momentum to rounding.
class Attraction final : public Constraint {
public:
    static constexpr Parameter kParameters[] = {
        parameter::make("points", "", "the points, such as \"star@0\"", Shape::texts).required(),
        parameter::vector("weights", 0, "", "their masses [kg], or charges [C]").required(),
        parameter::number("constant",
                          "",
                          "k: G of gravity [N m^2/kg^2], or -1/(4 pi eps0) of charges [N m^2/C^2]")
            .otherwise("6.6743e-11")
            .sensitive(),
    };

    /// [assembly]
    explicit Attraction(const Arguments& arguments);

    std::span<const AttachmentRequest> attachments() const override { return requests_.list(); }
    std::span<const RowBlock> row_blocks() const override { return {&block_, 1}; }
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override;
    void evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const override;

private:
    struct Pair {
        std::size_t i, j;  ///< first scalars of the points
        double R;          ///< distance at the start
    };
    AttachmentTexts requests_;
    std::vector<Pair> pairs_;
    std::vector<PotentialOfCentre> potentials_;
    std::vector<RowLaw> laws_;
    std::vector<std::int32_t> stencil_;
    RowBlock block_;
};

}  // namespace ancora::central_gravity
