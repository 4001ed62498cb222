// SPDX-License-Identifier: BSD-3-Clause
// Bad: gaps that may not become negative, wrong in one place each, and right ones beside them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "ancora/sdk/authoring.hpp"
#include "ancora/sdk/plugin.hpp"

namespace {

using namespace ancora;

enum class Gap {
    nothing,
    overlaps,         // where the example starts
    reversed,         // negative where they are apart
    claims_linear,    // a quadratic gap
    leans,            // along z, with a moment left over
    sinks,            // above z = 0, with nobody to bear it
    never_closes,     // stays at zero
    never_opens,      // is never above zero
    opens_by_half,    // a gap that goes up to a bound
    bounces_more,     // than it came with
    bounces_backward  // a restitution below zero
};

constexpr double restitution_of(Gap gap) {
    return gap == Gap::bounces_more ? 1.3 : gap == Gap::bounces_backward ? -0.2 : 0.5;
}

/// Two balls of 0.1 m, g = (d . d - D^2) / (2 D).
template <Gap kWrong>
class Balls final : public UnilateralConstraint<Balls<kWrong>> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("a", "the middle of one ball").required(),
        parameter::point("b", "of the other").required(),
    };
    static constexpr TypeDocs kDocs = {
        .doc = "two balls do not overlap",
        .equation = "(d . d - D^2) / (2 D) >= 0",
        .source = "made for tests",
        .examples = {"a = \"a@[0.3, 0.1, -0.2]\"\nb = \"b@[-0.4, 0.2, 0.1]\""}};

    explicit Balls(const Arguments&)
        : UnilateralConstraint<Balls<kWrong>>(restitution_of(kWrong)) {}

    template <class S>
    S phi(const Vector3<S>& a, const Vector3<S>& b) const {
        constexpr double D = kWrong == Gap::overlaps ? 3.0 : 0.2;
        const S gap = (squared_norm(a - b) - D * D) / (2.0 * D);
        switch (kWrong) {
            case Gap::reversed:
                return -gap;
            case Gap::leans:
                return a.z - b.z + 5.0;
            case Gap::sinks:
                return a.z + b.z + 5.0;
            case Gap::never_closes:
                return gap > 0.0 ? gap : 0.0 * gap;
            case Gap::never_opens:
                return gap < 0.0 ? gap : 0.0 * gap;
            case Gap::opens_by_half:
                return gap < 0.05 ? gap : 0.0 * gap + 0.05;
            default:
                return gap;
        }
    }
};

/// The same by the distance, g = |d| - D, whose least value on a chord no polynomial has.
/// @tparam kForgets  a second gap, 2 |d| - 3 D, has no Jacobian
template <Degree kDegree, bool kForgets = false>
class Apart final : public Constraint {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("a", "the middle of one ball").required(),
        parameter::point("b", "of the other").required(),
    };
    static constexpr TypeDocs kDocs = {
        .doc = "two balls do not overlap",
        .equation = "|d| - D >= 0",
        .source = "made for tests",
        .examples = {"a = \"a@[0.3, 0.1, -0.2]\"\nb = \"b@[-0.4, 0.2, 0.1]\""},
        .claims = {Claim::rigid_motion_invariant}};

    explicit Apart(const Arguments&) {}
    std::span<const AttachmentRequest> attachments() const override { return kOn; }
    std::span<const RowBlock> row_blocks() const override { return {&kBlock, 1}; }
    void evaluate(int, const RowPoint& at, const RowValues& out) const override {
        const std::array<double, 3> d = difference(at.u);
        const double l = std::hypot(d[0], d[1], d[2]);
        double along = 0.0, square = 0.0;
        for (std::size_t i = 0; i < 3; ++i) {
            if (!out.A.empty()) {
                out.A[i] = d[i] / l;
                out.A[3 + i] = -d[i] / l;
            }
            if (out.b.empty()) continue;
            const double w = at.du[i] - at.du[3 + i];
            along += w * d[i] / l;
            square += w * w;
        }
        if (!out.pi.empty()) out.pi[0] = l - kD;
        if (!out.pi.empty() && kForgets) out.pi[1] = 2.0 * l - 3.0 * kD;
        if (!out.b.empty()) out.b[0] = -(square - along * along) / l;
    }
    void evaluate_step(int, const RowStep& step, const RowStepValues& out) const override {
        const std::array<double, 3> d0 = difference(step.u0), d1 = difference(step.u1);
        const double sum = std::hypot(d0[0], d0[1], d0[2]) + std::hypot(d1[0], d1[1], d1[2]);
        for (std::size_t i = 0; i < 3; ++i) {
            out.B[i] = (d0[i] + d1[i]) / sum;
            out.B[3 + i] = -out.B[i];
        }
    }
    void evaluate_tangent(int, const TangentPoint& at, std::span<double> G) const override {
        const std::array<double, 3> d = difference(at.mid);
        const double l = std::hypot(d[0], d[1], d[2]);
        const double s = at.positive_part ? std::max(at.s[0], 0.0) : at.s[0];
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 3; ++j) {
                const double K = s * ((i == j ? 1.0 : 0.0) - d[i] * d[j] / (l * l)) / l;
                G[6 * i + j] = G[6 * (3 + i) + 3 + j] = K;
                G[6 * i + 3 + j] = G[6 * (3 + i) + j] = -K;
            }
    }

private:
    static std::array<double, 3> difference(std::span<const double> u) {
        return {u[0] - u[3], u[1] - u[4], u[2] - u[5]};
    }

    static constexpr double kD = 0.2;
    static constexpr AttachmentRequest kOn[] = {{"a"}, {"b"}};
    static constexpr std::int32_t kStencil[] = {0, 1, 2, 3, 4, 5};
    static constexpr RowLaw kLaws[] = {{.kind = RowKind::unilateral, .restitution = 0.5},
                                       {.kind = RowKind::unilateral, .restitution = 0.5}};
    static constexpr int kRows = kForgets ? 2 : 1;
    static constexpr RowBlock kBlock = {.name = "gap",
                                        .num_items = 1,
                                        .rows_per_item = kRows,
                                        .scalars_per_item = 6,
                                        .stencil = kStencil,
                                        .laws = std::span<const RowLaw>(kLaws, kRows),
                                        .degree = kDegree};
};

/// Says less of its degree than is true.
class ClaimsLinear final : public UnilateralConstraint<ClaimsLinear> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("a", "the middle of one ball").required(),
        parameter::point("b", "of the other").required(),
    };
    static constexpr Degree kDegree = Degree::linear;
    explicit ClaimsLinear(const Arguments&) : UnilateralConstraint(0.5) {}
    template <class S>
    S phi(const Vector3<S>& a, const Vector3<S>& b) const {
        return (squared_norm(a - b) - 0.04) / 0.4;
    }
};

template <Gap kWrong>
constexpr TypeDescriptor balls(const char* name) {
    return type<Balls<kWrong>>(name, Balls<kWrong>::kDocs, Balls<kWrong>::kParameters);
}
template <Degree kDegree, bool kForgets = false>
constexpr TypeDescriptor apart(const char* name) {
    using Type = Apart<kDegree, kForgets>;
    return type<Type>(name, Type::kDocs, Type::kParameters);
}

constexpr TypeDescriptor kTypes[] = {
    balls<Gap::nothing>("right_balls"),
    balls<Gap::overlaps>("overlaps"),
    balls<Gap::reversed>("reversed"),
    balls<Gap::leans>("leans"),
    balls<Gap::sinks>("sinks"),
    balls<Gap::never_closes>("never_closes"),
    balls<Gap::never_opens>("never_opens"),
    balls<Gap::opens_by_half>("opens_by_half"),
    balls<Gap::bounces_more>("bounces_more"),
    balls<Gap::bounces_backward>("bounces_backward"),
    apart<Degree::general>("right_apart"),
    apart<Degree::quadratic>("claims_quadratic"),
    apart<Degree::general, true>("forgets_a_row"),
    type<ClaimsLinear>("claims_linear", Balls<Gap::nothing>::kDocs, ClaimsLinear::kParameters),
};

}  // namespace

ANCORA_PLUGIN("wrong_contacts", "1.0.0", kTypes)
