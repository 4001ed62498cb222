// SPDX-License-Identifier: BSD-3-Clause
// The body type `elastic_body`: modes of a finite-element model in a floating frame.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/body.hpp"
#include "ancora/sdk/numbers/math.hpp"
#include "reduction.hpp"

namespace ancora::elastic {

/// A finite-element model of which a few modes phi_k move in a frame that goes along:
///
///   u(X) = sum_k phi_k(X) eta_k = sum_a Psi_a(X) sum_m e_m y_am                             (1)
///   r(X) = x + sum_a Psi_a(X) z_a                                                           (2)
///   e_m.e_n = delta_mn                                                                      (3)
///   y_am = z_a.e_m - delta_am [affine a],   eta_k = sum Q_amk y_am                          (4)
///   T = 1/2 m x'.x' + 1/2 sum_a J_a z_a'.z_a'                                               (5)
///   U = 1/2 sum_k m omega_k^2 eta_k^2                                                       (6)
///   f_3.t_1 = f_3.t_2 = 0,  f_1.t_2 = f_2.t_1,  f_i.f_j = delta_ij  of each interface       (7)
///
/// Terms:
///   x     centre of mass; e_m the axes of the floating frame, which have no mass
///   Psi   a scalar basis of the components of all modes, orthonormal in the mass, with the
///         affine functions X_i before: z_i are the axes of the body, e_i and deformation
///         together; J_i = m rho_i^2 of these, m of all others
///   Q     orthonormal; its first columns are the modes, rows of the others are constraints: the
///         body has the deformations of its modes, and e is the frame in which these carry
///         neither momentum nor angular momentum
///   f     axes of an interface, without mass; t_1, t_2 tangents of two lines of its nodes, which
///         are sums of z_a. Along the third its slope is no sum of scalar functions of its nodes
/// M is constant and diagonal, points and directions are linear, (3), (4) and (7) are quadratic and
/// made of dot products, so that energy, momentum and angular momentum are kept to rounding.
///
/// Source: R. R. Craig, M. C. C. Bampton, Coupling of substructures for dynamic analyses, AIAA J. 6
/// (1968), for the modes; constant mass by free vectors is related to the generalised component
/// mode synthesis of A. Pechstein, D. Reischl, J. Gerstmayr, J. Comput. Nonlinear Dynam. 8 (2013);
/// the scalar basis and (4) are ours.
class ElasticBody final : public Body,
                          private BodyNames,
                          private Drawing,
                          private Signals,
                          private BodyNotes {
public:
    /// [assembly] Refuses through Arguments what is no elastic body.
    explicit ElasticBody(const Arguments& arguments);
    ElasticBody(const ElasticBody&) = delete;
    ElasticBody& operator=(const ElasticBody&) = delete;

    std::span<const Coordinate> coordinates() const override { return coordinates_; }
    void start(std::span<double> q, std::span<double> v) const override;
    void mass(MassSink& M) const override;
    /// Interfaces, which have axes, and named nodes.
    void attach(const Locator& where, AttachmentSink& out) const override;
    void facets(BodyFacets& out) const override {
        out.names = this;
        out.drawing = this;
        out.signals = this;
        out.notes = this;
    }
    std::span<const std::int32_t> group(std::string_view name) const override;
    void draw(Sketch& out) const override;
    /// Von Mises' stress of bodies of volumes.
    void draw_values(const SketchState& at, std::span<double> values) const override;
    std::string_view notes() const override { return notes_; }

    /// eta_k, and the energy (6).
    std::span<const Output> outputs() const override { return outputs_; }
    bool outputs_read_inputs() const override { return false; }
    void evaluate_outputs(const SignalPoint& at, std::span<double> y) const override;

    std::span<const RowBlock> row_blocks() const override { return blocks_; }
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override;
    void evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const override;

    const Reduction& reduction() const { return reduction_; }

private:
    struct Group {
        std::string name;
        std::vector<std::int32_t> nodes;
    };
    int num_functions() const { return reduction_.num_functions(); }
    /// First coordinate of z_a, and of the frame.
    int function(int a) const { return 3 * (1 + a); }
    int frame() const { return function(num_functions()); }
    int interface_frame(int k) const { return frame() + 9 * (1 + k); }
    /// Of y_am: rho of an affine function, 1 of others.
    double unit(int a) const;
    Vec3 tangent(int row, const double* u) const;

    void set_start(const Arguments& arguments);
    std::string lowest_of() const;
    void set_damping(const Arguments& arguments);
    void set_rows(double damping);
    void set_outputs();
    void set_notes(const FiniteElements& model, const ReductionSettings& settings);
    void evaluate_frames(const RowPoint& at, const RowValues& out) const;
    void evaluate_interfaces(const RowPoint& at, const RowValues& out) const;
    void evaluate_modes(const Eigen::MatrixXd& Q,
                        int first,
                        int count,
                        const RowPoint& at,
                        const RowValues& out) const;
    /// The Q of a block's rows.
    std::pair<int, int> columns(int block) const;
    /// From the stresses S_am between z_a and three vectors, which stand right above, all of
    /// (num_functions + 3)^2 entries.
    void finish_tangent(bool positive_part, std::span<double> G) const;

    std::vector<Group> groups_;  ///< interfaces, then points
    std::int32_t num_interfaces_ = 0;
    Reduction reduction_;
    /// The coordinates that have a viscosity each, and Q of the rows: in place of the modes these.
    HeldModes damped_;
    double damping_ = 0.0;
    std::int32_t damping_held_ = -1;  ///< interface; -1: the free body
    Eigen::MatrixXd row_Q_;
    std::vector<double> q_, v_;
    std::vector<Coordinate> coordinates_;
    std::vector<std::int32_t> frame_stencil_, shape_stencil_, interface_stencil_, all_points_;
    RowLaw constraint_;
    std::vector<RowLaw> mode_laws_;
    std::vector<RowBlock> blocks_;
    std::vector<std::string> texts_;
    std::vector<Output> outputs_;
    double spin_squared_ = 0.0;  ///< at the start [1/s^2]
    std::string notes_;
};

}  // namespace ancora::elastic
