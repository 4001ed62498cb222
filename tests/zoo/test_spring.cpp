// SPDX-License-Identifier: BSD-3-Clause
// A good plugin: one row between two points, with every law that a row can have.
#include <array>
#include <cmath>
#include <string_view>

#include "ancora/sdk/helpers/stress_laws.hpp"
#include "ancora/sdk/plugin.hpp"

namespace {

using namespace ancora;

constexpr Parameter kParameters[] = {
    parameter::point("a", "one end").required(),
    parameter::point("b", "the other end").required(),
    parameter::text("law", "law of the row", "constraint|velocity|elastic|dashpot|hardening|play")
        .otherwise("\"constraint\""),
    parameter::text("geometry",
                    "what the row measures: a component of the distance, its square, or itself",
                    "component|square|length")
        .otherwise("\"component\""),
    parameter::vector("axis", 3, "", "direction of the component").otherwise("[1, 0, 0]"),
    parameter::number("compliance", "m/N", "of an elastic row").otherwise("1"),
    parameter::number("viscosity", "N s/m", "of an elastic row or a dashpot").otherwise("0"),
    parameter::number("prestress", "N", "of an elastic row").otherwise("0"),
    parameter::number("cubic", "N/m^3", "k3 of a hardening row").otherwise("0"),
    parameter::number("play", "m", "either side, without any force").otherwise("0"),
    parameter::number("length", "m", "where the square is zero").otherwise("0"),
    parameter::number("speed", "m/s", "prescribed motion: V t").otherwise("0"),
    parameter::number("amplitude", "m", "prescribed motion: C (1 - cos w t)").otherwise("0"),
    parameter::number("frequency", "rad/s", "its w").otherwise("1"),
};

/// s = k x + k3 x^3
class Hardening final : public PotentialLaw {
public:
    double k = 1.0, k3 = 0.0;
    Potential potential(double x) const override {
        const double xx = x * x;
        return {xx * (0.5 * k + 0.25 * k3 * xx), x * (k + k3 * xx), k + 3.0 * k3 * xx};
    }
};

/// s = k (|x| - g) sign(x) beyond a play of g either side: W' has slope discontinuities.
class Play final : public PotentialLaw {
public:
    double k = 1.0, gap = 0.0;
    Potential potential(double x) const override {
        const double over = std::abs(x) - gap;
        if (over <= 0.0) return {};
        return {0.5 * k * over * over, std::copysign(k * over, x), k};
    }
};

/// With d = r_a - r_b and the prescribed motion g(t) = V t + C (1 - cos w t), one of
///
///   pi = n . d - g(t)                                                                    (1)
///   pi = (d . d - L^2) / 2 - g(t)                                                        (2)
///   pi = |d| - L - g(t)                                                                  (3)
///
/// (1) and (2) bring their discrete formulation; that of (3) is what the SDK derives.
class TestSpring final : public Constraint {
public:
    explicit TestSpring(const Arguments& arguments)
        : is_square_(arguments.text("geometry") == "square"),
          is_length_(arguments.text("geometry") == "length"),
          n_(arguments.triple("axis")),
          length_(arguments.number("length")),
          speed_(arguments.number("speed")),
          amplitude_(arguments.number("amplitude")),
          frequency_(arguments.number("frequency")) {
        const std::string_view law = arguments.text("law");
        if (law == "velocity") law_.kind = RowKind::velocity_constraint;
        if (law == "elastic") law_.kind = RowKind::elastic;
        if (law == "dashpot") law_.kind = RowKind::dashpot;
        if (law == "hardening") law_.law = &hardening_;
        if (law == "play") law_.law = &play_;
        if (law_.law != nullptr) law_.kind = RowKind::elastic;
        if (law_.kind == RowKind::elastic) law_.compliance = arguments.number("compliance");
        hardening_.k = play_.k = 1.0 / arguments.number("compliance");
        hardening_.k3 = arguments.number("cubic");
        play_.gap = arguments.number("play");
        law_.viscosity = arguments.number("viscosity");
        law_.prestress = arguments.number("prestress");
        block_ = {.name = "distance",
                  .num_items = 1,
                  .rows_per_item = 1,
                  .scalars_per_item = 6,
                  .stencil = kStencil,
                  .laws = {&law_, 1},
                  .degree = is_square_   ? Degree::quadratic
                            : is_length_ ? Degree::general
                                         : Degree::linear,
                  .tangent = is_square_   ? TangentForm::isotropic
                             : is_length_ ? TangentForm::full
                                          : TangentForm::none,
                  .depends_on_time = speed_ != 0.0 || amplitude_ != 0.0};
    }
    TestSpring(const TestSpring&) = delete;
    TestSpring& operator=(const TestSpring&) = delete;

    std::span<const AttachmentRequest> attachments() const override { return kAttachments; }
    std::span<const RowBlock> row_blocks() const override { return {&block_, 1}; }

    void evaluate(int, const RowPoint& at, const RowValues& out) const override {
        const double wt = frequency_ * at.t;
        const double w = frequency_;
        if (!out.pi.empty()) {
            out.pi[0] = -speed_ * at.t - amplitude_ * (1.0 - std::cos(wt));
            if (is_length_) out.pi[0] += length(at.u) - length_;
            for (std::size_t i = 0; i < 3; ++i) {
                const double d = at.u[i] - at.u[i + 3];
                out.pi[0] += is_square_ ? 0.5 * d * d : is_length_ ? 0.0 : n_[i] * d;
            }
            if (is_square_) out.pi[0] -= 0.5 * length_ * length_;
        }
        if (!out.A.empty()) write_jacobian(at.u, out.A);
        if (!out.pi_t.empty()) out.pi_t[0] = -speed_ - amplitude_ * w * std::sin(wt);
        if (!out.b.empty()) {
            // d.d'' + d'.d' for (2); for (3) the part of d' across d, squared, over |d|
            double square = 0.0;
            double along = 0.0;
            for (std::size_t i = 0; i < 3; ++i) {
                const double rate = at.du[i] - at.du[i + 3];
                square += rate * rate;
                along += rate * (at.u[i] - at.u[i + 3]);
            }
            out.b[0] = amplitude_ * w * w * std::cos(wt);
            if (is_square_) out.b[0] -= square;
            if (is_length_) {
                const double l = length(at.u);
                out.b[0] -= (square - along * along / (l * l)) / l;
            }
        }
    }

    void evaluate_step(int block, const RowStep& step, const RowStepValues& out) const override {
        if (is_length_) return RowSource::evaluate_step(block, step, out);
        write_jacobian(step.mid, out.B);
        // cos a - cos b = 2 sin((a + b) / 2) sin((b - a) / 2)
        if (!out.tau.empty())
            out.tau[0] = -speed_ * step.h - 2.0 * amplitude_ *
                                                std::sin(frequency_ * (step.t0 + 0.5 * step.h)) *
                                                std::sin(0.5 * frequency_ * step.h);
    }

    void evaluate_tangent(int, const TangentPoint& at, std::span<double> G) const override {
        const std::span<const double> mid = at.mid;
        const double k = at.positive_part ? std::max(at.s[0], 0.0) : at.s[0];
        if (is_square_) {
            G[0] = G[3] = k;
            G[1] = G[2] = -k;
        }
        if (!is_length_) return;
        // k / l (I - d d^T / l^2), with the signs of d = r_a - r_b
        const double l = length(mid);
        for (std::size_t i = 0; i < 6; ++i)
            for (std::size_t j = 0; j < 6; ++j) {
                const std::size_t a = i % 3;
                const std::size_t b = j % 3;
                const double d_d = (mid[a] - mid[a + 3]) * (mid[b] - mid[b + 3]) / (l * l);
                const double sign = i / 3 == j / 3 ? 1.0 : -1.0;
                G[6 * i + j] = sign * k / l * ((a == b ? 1.0 : 0.0) - d_d);
            }
    }

private:
    static constexpr AttachmentRequest kAttachments[] = {{"a"}, {"b"}};
    static constexpr std::array<std::int32_t, 6> kStencil = {0, 1, 2, 3, 4, 5};

    static double length(std::span<const double> u) {
        return std::hypot(u[0] - u[3], u[1] - u[4], u[2] - u[5]);
    }
    void write_jacobian(std::span<const double> u, std::span<double> A) const {
        const double scale = is_length_ ? 1.0 / length(u) : 1.0;
        for (std::size_t i = 0; i < 3; ++i) {
            A[i] = is_square_ || is_length_ ? scale * (u[i] - u[i + 3]) : n_[i];
            A[i + 3] = -A[i];
        }
    }

    bool is_square_, is_length_;
    std::array<double, 3> n_;
    double length_, speed_, amplitude_, frequency_;
    Hardening hardening_;
    Play play_;
    RowLaw law_;
    RowBlock block_;
};

constexpr Parameter kEdgeParameters[] = {
    parameter::point("point", "where the edge touches").required(),
    parameter::direction("normal", "direction across the edge").required(),
};

/// A knife edge: the point does not move across it, n . r' = 0; nonholonomic.
class TestKnifeEdge final : public Constraint {
public:
    explicit TestKnifeEdge(const Arguments&) {}

    std::span<const AttachmentRequest> attachments() const override { return kAttachments; }
    std::span<const RowBlock> row_blocks() const override { return {&kBlock, 1}; }
    void facets(ConstraintFacets& out) const override { out.tied_to_inertial_frame = true; }

    void evaluate(int, const RowPoint& at, const RowValues& out) const override {
        if (!out.pi.empty()) out.pi[0] = 0.0;
        if (!out.pi_t.empty()) out.pi_t[0] = 0.0;
        for (std::size_t i = 0; i < out.A.size(); ++i) out.A[i] = at.u[i + 3];
        // n . r'' = -n' . r'
        if (!out.b.empty()) {
            out.b[0] = 0.0;
            for (std::size_t i = 0; i < 3; ++i) out.b[0] -= at.du[i] * at.du[i + 3];
        }
    }

private:
    static constexpr AttachmentRequest kAttachments[] = {{"point"}, {"normal"}};
    static constexpr std::array<std::int32_t, 3> kStencil = {0, 1, 2};
    static constexpr RowLaw kLaw = {RowKind::velocity_constraint, 0.0, 0.0, 0.0};
    static constexpr RowBlock kBlock = {.name = "side slip",
                                        .num_items = 1,
                                        .rows_per_item = 1,
                                        .scalars_per_item = 3,
                                        .stencil = kStencil,
                                        .laws = {&kLaw, 1},
                                        .degree = Degree::quadratic,
                                        .tangent = TangentForm::none};
};

constexpr TypeDescriptor kTypes[] = {
    type<TestSpring>("test_spring",
                     {"one row between two points", "n . d - g(t), (d . d - L^2) / 2 - g(t)"},
                     kParameters),
    type<TestKnifeEdge>("test_knife_edge", {"no slip sideways", "n . r' = 0"}, kEdgeParameters),
};

}  // namespace

ANCORA_PLUGIN("test_spring", "1.0.0", kTypes)
