// SPDX-License-Identifier: BSD-3-Clause
// The body type `membrane`: an elastic film of triangles without bending stiffness.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/body.hpp"
#include "film.hpp"
#include "sheet.hpp"

namespace ancora::membrane {

/// Nodes r_i joined by triangles of constant strain. At rest, in the shape of the start or one of
/// its own, a triangle has axis 1 along its first edge, L long, and its third corner at (x, y):
///
///   f_1 = d_1 / L,   f_2 = (d_2 - (x / L) d_1) / y,   d_k = r_k - r_0                    (1)
///   E_11 = (f_1.f_1 - 1) / 2,   E_22 = (f_2.f_2 - 1) / 2,   2 E_12 = f_1.f_2             (2)
///   U = A t w(E)                                                                         (3)
///   M = rho A t / 12 [2 1 1; 1 2 1; 1 1 2] (x) I_3, or rho A t / 3 on each node          (4)
///
/// Terms:
///   r_i   positions of the nodes, the coordinates q [m], inertial axes
///   E     Green strain; rows E_11 + E_22, E_11 - E_22, 2 E_12 of each triangle, quadratic in q,
///         with one law together if the film wrinkles; their stresses s are energies [J]. A
///         prestress S0, equal in all directions, is the strain 2 S0 (1 - nu) / Y that the first of
///         them has beside its own
///   w     energy per volume, see Film; A, t area and thickness at rest
/// Damping adds the stress eta E' to each triangle, taut or not.
///
/// Source: the constant strain triangle with Green-Lagrange strain, as in R. L. Taylor, E. Onate,
/// P.-A. Ubach, Finite element analysis of membrane structures, in Textile Composites and
/// Inflatable Structures, Springer, 2005.
class Membrane final : public Body, private BodyNames, private Drawing {
public:
    /// [assembly] Refuses through Arguments::fail what is no membrane.
    explicit Membrane(const Arguments& arguments);
    Membrane(const Membrane&) = delete;
    Membrane& operator=(const Membrane&) = delete;

    std::span<const Coordinate> coordinates() const override { return coordinates_; }
    void start(std::span<double> q, std::span<double> v) const override;
    void mass(MassSink& M) const override;
    void attach(const Locator& where, AttachmentSink& out) const override;
    void facets(BodyFacets& out) const override {
        out.names = this;
        out.drawing = this;
    }
    std::span<const std::int32_t> group(std::string_view name) const override;

    /// Of the triangles: von Mises' stress and the largest principal stress [Pa], the largest
    /// principal stress resultant [N/m], and 0 taut, 1 wrinkled, 2 slack.
    void draw(Sketch& out) const override;
    void draw_values(const SketchState& at, std::span<double> values) const override;

    std::span<const RowBlock> row_blocks() const override { return {&block_, 1}; }
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override;
    void evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const override;

private:
    /// Weights of a triangle's nodes in f_1 and f_2.
    struct Shape {
        std::array<double, 3> a, b;
    };
    struct Frame {
        Vec3 f1, f2;
    };
    Frame frame(std::size_t k, const double* u) const;
    const Group& find_group(std::string_view name) const;

    Sheet sheet_;
    Edges edges_;
    std::vector<Shape> shapes_;
    std::vector<double> volume_;  ///< A t at rest [m^3]
    std::optional<Film> film_;
    const ItemLaw* law_ = nullptr;
    double thickness_, density_;
    double prestrain_ = 0.0;           ///< what S0 adds to E_11 + E_22
    double own_ = 0.0, shared_ = 0.0;  ///< shares of a triangle's mass on a node and between two
    std::vector<double> node_mass_;    ///< point masses [kg]
    std::vector<double> v_;            ///< velocities at the start [m/s], 3 per node
    std::vector<Coordinate> coordinates_;
    std::vector<std::int32_t> all_nodes_;
    std::vector<std::int32_t> stencil_;
    std::vector<RowLaw> laws_;
    RowBlock block_;
};

}  // namespace ancora::membrane
