// SPDX-License-Identifier: BSD-3-Clause
// The body type `truss`: elastic or rigid straight elements between nodes, one or a whole network.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/body.hpp"
#include "grouped_arguments.hpp"
#include "material.hpp"
#include "network.hpp"
#include "rest_lengths.hpp"

namespace ancora::truss {

/// Nodes r_i joined by straight elements; an element from node a to node b has
///
///   eps = (l^2 - L^2) / (2 L^2),   l = |d|,   d = r_b - r_a                              (1)
///   U   = 1/2 E A L eps^2                                                                (2)
///   M   = rho A L / 6 [2 1; 1 2] (x) I_3, or rho A L / 2 on each node                    (3)
///
/// Terms:
///   r_i   positions of the nodes, the coordinates q [m], inertial axes
///   eps   Green strain [-], one row per element, quadratic in q; its stress s = E A L eps is an
///         energy [J], and the force on node b is -s d / L^2
///   L     rest length [m]; E, A, rho, and what else makes the law of s, as in Material
/// E = inf makes the row a constraint, a rigid link; rho = 0 a spring. Point masses add to (3).
/// L may change over time, see RestLengths. All elements are one block of rows, so that a call to
/// the plugin serves the whole network.
///
/// Source: Green-Lagrange strain of a bar, as in T. Belytschko, W. K. Liu, B. Moran, Nonlinear
/// Finite Elements for Continua and Structures, Wiley, 2000.
class Truss final : public Body, private BodyNames, private Drawing {
public:
    /// [assembly] Refuses through Arguments::fail what is no truss.
    explicit Truss(const Arguments& arguments);
    Truss(const Truss&) = delete;
    Truss& operator=(const Truss&) = delete;

    std::span<const Coordinate> coordinates() const override { return coordinates_; }
    void start(std::span<double> q, std::span<double> v) const override;
    void mass(MassSink& M) const override;
    void attach(const Locator& where, AttachmentSink& out) const override;
    void facets(BodyFacets& out) const override {
        out.names = this;
        out.drawing = this;
    }
    std::span<const std::int32_t> group(std::string_view name) const override;
    /// A single element's reference point is its node 0; a network has none.
    PoseKind pose_kind() const override;
    void pose(std::span<const double> q, std::span<const double> v, Pose& out) const override;

    /// Axial force [N], positive in tension, and Green strain of each element.
    void draw(Sketch& out) const override;
    void draw_values(const SketchState& at, std::span<double> values) const override;

    std::span<const RowBlock> row_blocks() const override { return {&block_, 1}; }
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override;
    void evaluate_step(int block, const RowStep& step, const RowStepValues& out) const override;
    void evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const override;

private:
    Truss(const Arguments& arguments, Network&& net);
    Truss(const GroupedArguments& arguments, Network&& net);
    void write_strain(const double* u, double* pi) const;
    void write_jacobian(const double* u, double* A) const;
    void write_bias(const double* du, double* b) const;
    void evaluate_changing(const RowPoint& at, const RowValues& out) const;

    Network net_;
    Material material_;
    std::vector<double> node_mass_;    ///< point masses [kg]
    std::vector<double> rest_length_;  ///< L [m], at the start
    RestLengths changing_;             ///< L over time; empty if it is constant
    std::vector<double> inv_L2_;       ///< 1 / L^2 [1/m^2]
    std::vector<double> v_;            ///< velocities at the start [m/s], 3 per node
    std::vector<Coordinate> coordinates_;
    std::vector<std::int32_t> all_nodes_;
    std::vector<std::int32_t> stencil_;
    std::deque<BreakingLaw> breaking_laws_;  // that laws_ refer to
    std::vector<RowLaw> laws_;
    RowBlock block_;
};

}  // namespace ancora::truss
