// SPDX-License-Identifier: BSD-3-Clause
// The body type `beam`: nodes with directors, joined by elements that bend, twist, shear, stretch.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/body.hpp"
#include "bending_law.hpp"
#include "line.hpp"
#include "section.hpp"

namespace ancora::beam {

/// A geometrically exact beam. Each node has a point r and the axes d_1, d_2, d_3 of its section,
/// which stay orthonormal; over an element of length l between nodes a and b
///
///   d_i.d_j = delta_ij  at every node                                                       (1)
///   Gamma_i = (d_ia + d_ib) / 2 . (r_b - r_a) / l + |d_3a - d_3b|^2 / 6 [i = 3] - Gamma_i^0  (2)
///   k_i = (d_ka.d_jb - d_ja.d_kb) / 2 - k_i^0,  (i, j, k) cyclic                            (3)
///   U = l/2 (GA_1 Gamma_1^2 + GA_2 Gamma_2^2 + EA Gamma_3^2) + W(k)                         (4)
///   T = 1/2 integral of m r'.r' + rho I_2 d_1'.d_1' + rho I_1 d_2'.d_2'                     (5)
///
/// Terms:
///   r, d_i  the coordinates q, inertial axes; d_3 along the beam where it is straight
///   Gamma   shear and stretch; Gamma^0 and k^0 so that the beam is without stress as it starts.
///           The second term of Gamma_3 makes up for what the mean of d_3 is shorter than d_3 is
///           along an arc: an arc is not stretched then, and what pulls at an element holds its
///           ends from turning against each other; without it they would from 4 EI / l^2 on
///   k       n sin(phi) of the angle phi between the sections about n, less that at the start
///   W       exact in phi, see BendingLaw
///   m, rho I  mass and moments of inertia per length; r, d_i linear between the nodes in (5)
/// All rows are quadratic and made of invariants. d_3 has no mass where sections lie across the
/// beam; (1) determines it. At corners sections are turned against their node: d_i of (2) and (3)
/// are then combinations of the node's axes.
///
/// Source: the director beam of P. Betsch, P. Steinmann, Frame-indifferent beam finite elements
/// based upon the geometrically exact beam theory, Int. J. Numer. Meth. Engng 54 (2002); one point
/// per element.
class Beam final : public Body, private BodyNames, private Drawing {
public:
    /// [assembly] Refuses through Arguments::fail what is no beam.
    explicit Beam(const Arguments& arguments);
    Beam(const Beam&) = delete;
    Beam& operator=(const Beam&) = delete;

    std::span<const Coordinate> coordinates() const override { return coordinates_; }
    void start(std::span<double> q, std::span<double> v) const override;
    void mass(MassSink& M) const override;
    /// Nodes; directions in the axes of a node.
    void attach(const Locator& where, AttachmentSink& out) const override;
    void facets(BodyFacets& out) const override {
        out.names = this;
        out.drawing = this;
    }
    std::span<const std::int32_t> group(std::string_view name) const override;

    /// Its sections along the cubics that have d_3 as slopes. Along the elements: axial force and
    /// shear force [N], bending and twisting moment [N m]; where shapes of sections are given, von
    /// Mises' stress, that of the pull and that of bending [Pa].
    void draw(Sketch& out) const override;
    void draw_values(const SketchState& at, std::span<double> all) const override;

    std::span<const RowBlock> row_blocks() const override { return blocks_; }
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override;
    void evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const override;

private:
    struct Group {
        std::string_view name;
        std::vector<std::int32_t> nodes;
    };
    Beam(const Arguments& arguments, const Stations& stations);
    void set_rows(double damping);
    void set_outlines(const SectionReader& reader);
    bool has_stress() const { return sections_.front().fibres.is_known; }
    void evaluate_sections(const RowPoint& at, const RowValues& out) const;
    void evaluate_stretch(const RowPoint& at, const RowValues& out) const;
    void evaluate_bending(const RowPoint& at, const RowValues& out) const;

    Line line_;
    std::vector<Section> sections_;  ///< of each element
    std::vector<std::vector<double>> outlines_;
    std::vector<double> holes_;
    std::vector<std::int32_t> line_outlines_;  ///< two of each element
    std::vector<double> node_mass_;            ///< point masses [kg]
    std::vector<Vec3> stretch_0_;              ///< Gamma^0
    std::vector<double> q_, v_;
    std::vector<Coordinate> coordinates_;
    std::vector<Group> groups_;
    std::vector<std::int32_t> section_stencil_, stretch_stencil_, bending_stencil_, lines_;
    RowLaw section_law_;
    std::vector<RowLaw> stretch_laws_, bending_laws_;
    std::unique_ptr<BendingLaw> bending_;
    const ItemLaw* bending_law_ = nullptr;
    std::vector<RowBlock> blocks_;
};

}  // namespace ancora::beam
