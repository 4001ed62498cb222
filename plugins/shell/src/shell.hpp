// SPDX-License-Identifier: BSD-3-Clause
// The body type `shell`: nodes with directors, joined by elements that stretch, bend and shear.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/body.hpp"
#include "ancora/sdk/numbers/math.hpp"
#include "material.hpp"
#include "surface.hpp"

namespace ancora::shell {

/// A shell with shear. Each node has a point r and a unit director d; in an element of four
///
///   phi = sum N_I r_I,   d = sum N_I d_I,   N bilinear                                      (1)
///   eps_ab = (phi,a.phi,b - phi0,a.phi0,b) / 2                                              (2)
///   kappa_ab = (phi,a.d,b + phi,b.d,a)_sym - that at rest                                   (3)
///   gamma_xi = phi,xi.d at eta = -1, 1,  gamma_eta = phi,eta.d at xi = -1, 1,
///     linear between, less those at rest                                                    (4)
///   U = integral of 1/2 e.C e + 1/2 (k_1 gamma_1^2 + k_2 gamma_2^2),  e = (eps, kappa)       (5)
///   T = integral of 1/2 m r'.r' + 1/2 J d'.d'                                               (6)
///   d.d = 1 at every node                                                                   (7)
///
/// Terms:
///   a, b     local axes of the surface at rest; integrals by 2 x 2 Gauss points
///   C, k     see Material; shears doubled, Voigt
///   m, J     mass per area and of the director, rho t and rho t^3 / 12
/// Rows are (2), (3) in eigenvectors of C at each point, and the shears (4) of an element in
/// eigenvectors of their energy: each has a law of its own. All are quadratic and made of dot
/// products. Turns about the director are no coordinate. A node that is asked for axes gets a
/// massless frame: e_3 along d, e_1 along an edge of its element in the surface,
///
///   e_i.e_j = delta_ij,  e_1.d = e_2.d = 0,  e_2.(r_q - r_p) = 0                             (8)
///
/// Source: E. N. Dvorkin, K.-J. Bathe, A continuum mechanics based four-node shell element for
/// general nonlinear analysis, Eng. Comput. 1 (1984), for (4); directors as coordinates as in
/// P. Betsch, N. Saenger, On the use of geometrically exact shells in a conserving framework for
/// flexible multibody dynamics, Comput. Methods Appl. Mech. Engrg. 198 (2009).
class Shell final : public Body, private BodyNames, private Drawing {
public:
    /// [assembly] Refuses through Arguments::fail what is no shell.
    explicit Shell(const Arguments& arguments);
    Shell(const Shell&) = delete;
    Shell& operator=(const Shell&) = delete;

    std::span<const Coordinate> coordinates() const override { return coordinates_; }
    void start(std::span<double> q, std::span<double> v) const override;
    void mass(MassSink& M) const override;
    /// Nodes; their directors, and axes where they are asked for.
    void attach(const Locator& where, AttachmentSink& out) const override;
    void facets(BodyFacets& out) const override {
        out.names = this;
        out.drawing = this;
    }
    std::span<const std::int32_t> group(std::string_view name) const override;
    /// "director_NODE_x"
    int find_coordinate(std::string_view name) const override;

    /// At the nodes, in the mean of the elements there: the larger von Mises' stress of both faces
    /// of a sheet [Pa], the largest principal force [N/m] and moment [N].
    void draw(Sketch& out) const override;
    void draw_values(const SketchState& at, std::span<double> values) const override;

    std::span<const RowBlock> row_blocks() const override { return blocks_; }
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override;
    void evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const override;

private:
    using Vector4 = Eigen::Matrix<double, 4, 1>;
    using Vector6 = Eigen::Matrix<double, 6, 1>;
    /// A Gauss point: weights of the corners in phi,a and phi,b, area, and the products of (2), (3)
    /// at rest.
    struct Point {
        Vector4 a = Vector4::Zero(), b = Vector4::Zero();
        double area = 0.0;
        Vector6 rest = Vector6::Zero();
    };
    /// Shears of an element: rows = T (gamma - rest).
    struct Shear {
        Eigen::Matrix4d T;
        Vector4 rest;
    };
    struct Frame {
        std::int32_t node, p, q;  ///< its node, and the edge p, q that e_1 lies along
        double length;            ///< of that edge at the start [m]
    };
    /// phi,a, phi,b, d,a, d,b
    struct Tangents {
        Vec3 ra, rb, da, db;
    };

    int frame_first(std::size_t k) const {
        return 6 * surface_.num_nodes() + 9 * static_cast<int>(k);
    }
    std::int32_t find_frame(std::int64_t node) const;
    std::int32_t node_of(const Locator& where) const;
    void read_frames(const Arguments& arguments);
    void set_elements(const Arguments& arguments, const Surface& rest);
    void set_start(const Arguments& arguments);
    void set_blocks();
    Tangents tangents(const Point& point, const Quad& quad, const double* u) const;
    static Vector6 products(const Tangents& x, const Tangents& y);
    Vector4 shears(const Quad& quad, const double* u, const double* w) const;
    void evaluate_points(const RowPoint& at, const RowValues& out) const;
    void evaluate_shears(const RowPoint& at, const RowValues& out) const;
    void evaluate_directors(const RowPoint& at, const RowValues& out) const;
    void evaluate_frames(const RowPoint& at, const RowValues& out) const;

    Surface surface_;
    Material material_;
    Edges edges_;
    Matrix6 rows_;               ///< T of e, by rows: pi = T e
    std::vector<Point> points_;  ///< four of each element
    std::vector<Shear> shears_;
    std::vector<Frame> frames_;
    std::vector<double> node_mass_, q_, v_;
    std::vector<Coordinate> coordinates_;
    std::vector<std::int32_t> all_nodes_, point_stencil_, shear_stencil_, director_stencil_,
        frame_stencil_;
    RowLaw constraint_;
    std::vector<RowLaw> point_laws_, shear_laws_;
    std::vector<RowBlock> blocks_;
};

}  // namespace ancora::shell
