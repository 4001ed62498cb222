// SPDX-License-Identifier: BSD-3-Clause
// The body type `cable`: cubic elements that stretch and bend, without torsion.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/body.hpp"
#include "ancora/sdk/helpers/nodes.hpp"
#include "ancora/sdk/numbers/math.hpp"
#include "cubic.hpp"

namespace ancora::beam {

/// A cable of elements of length l, cubic in the positions r and slopes r' of their ends:
///
///   r(s) = sum of N_i(s) e_i,   e = (r_a, r'_a, r_b, r'_b)                                 (1)
///   eps = (r'.r' - 1) / 2,   U = 1/2 integral of EA eps^2 + EI r''.r''                     (2)
///   T = 1/2 integral of m r_t.r_t                                                          (3)
///
/// Terms:
///   N_i   Hermite's cubics of s [-, m], s the length without strain along the cable
///   eps   Green strain, quadratic in e, at three Gauss points; r'' linear in e, at two: exact. (3)
///         exactly
///   EA, EI, m   stiffness [N], [N m^2], mass per length [kg/m]
/// The curvature in (2) is right while stretch is small. A cable is straight without stress and has
/// no torsion, so that its nodes have a direction along it but no axes. Viscosity is that of the
/// stretch alone: a rate of r'' would brake a bent cable that turns as a rigid body.
///
/// Source: M. Berzeri, A. A. Shabana, Development of simple models for the elastic forces in the
/// absolute nodal co-ordinate formulation, J. Sound Vib. 235 (2000), model with r''.
class Cable final : public Body, private BodyNames, private Drawing {
public:
    /// [assembly] Refuses through Arguments::fail what is no cable.
    explicit Cable(const Arguments& arguments);
    Cable(const Cable&) = delete;
    Cable& operator=(const Cable&) = delete;

    std::span<const Coordinate> coordinates() const override { return coordinates_; }
    void start(std::span<double> q, std::span<double> v) const override;
    void mass(MassSink& M) const override;
    /// Nodes, by number, "start" and "end", and [s, 0, 0], the point at the length s without
    /// strain; as a direction r' there.
    void attach(const Locator& where, AttachmentSink& out) const override;
    void facets(BodyFacets& out) const override {
        out.names = this;
        out.drawing = this;
    }
    std::span<const std::int32_t> group(std::string_view name) const override;
    /// "slope_3_y", r' of a node.
    int find_coordinate(std::string_view name) const override;

    /// Along the elements: tension [N], bending moment [N m].
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
    std::int32_t num_nodes() const { return static_cast<std::int32_t>(lengths_.size()) + 1; }
    void read_shape(const Arguments& arguments, nodes::StartMotion& motion);
    void start_at_rest(const Arguments& arguments);
    void set_rows(const Arguments& arguments);
    void evaluate_stretch(const RowPoint& at, const RowValues& out) const;
    void evaluate_curvature(const RowPoint& at, const RowValues& out) const;

    std::vector<double> lengths_;  ///< of the elements without strain [m]
    double EI_, mass_;             ///< [N m^2], per length [kg/m]
    std::vector<double> node_mass_, q_, v_;
    std::vector<Coordinate> coordinates_;
    std::vector<Group> groups_;
    std::vector<std::int32_t> stencil_, lines_;
    std::vector<RowLaw> stretch_laws_, curve_laws_;
    std::vector<RowBlock> blocks_;
};

}  // namespace ancora::beam
