// SPDX-License-Identifier: BSD-3-Clause
// Bad: constraints that are wrong somewhere out of the way, and descriptions that no model can use;
// right ones of general rows.
#include <limits>

#include "ancora/sdk/helpers/measure_function.hpp"
#include "parts.hpp"

namespace {

using namespace ancora;
using zoo::Rod;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double distance(std::span<const double> u) {
    return std::hypot(u[0] - u[3], u[1] - u[4], u[2] - u[5]);
}

/// Takes a direction across d from x and y, which an upright rod has not.
class NanOnAxis final : public Rod {
public:
    using Rod::Rod;
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override {
        Rod::evaluate(block, at, out);
        const double x = at.u[0] - at.u[3], y = at.u[1] - at.u[4];
        if (!out.pi.empty()) out.pi[0] += 0.0 * (x / (x * x + y * y));
    }
};

class NanFarOut final : public Rod {
public:
    using Rod::Rod;
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override {
        Rod::evaluate(block, at, out);
        if (!out.b.empty() && distance(at.u) > 8.0) out.b[0] = kNan;
    }
};

/// The Jacobian loses a factor beyond 8 m.
class WrongFarOut final : public Rod {
public:
    using Rod::Rod;
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override {
        Rod::evaluate(block, at, out);
        if (!out.A.empty() && distance(at.u) > 8.0) out.A[1] *= 1.01;
    }
};

/// Divides by a parameter that may be zero.
class NanAtEnd final : public Rod {
public:
    static constexpr Parameter kParameters[] = {
        Rod::kParameters[0],
        Rod::kParameters[1],
        Rod::kParameters[2],
        parameter::number("slack", "m", "a length").at_least(0.0).otherwise("0.1"),
    };
    static constexpr TypeDocs kDocs = {
        .doc = "a rod",
        .equation = "(d . d - L^2) / 2 = 0",
        .source = "made for tests",
        .examples = {"a = \"a@[0.3, 0.1, -0.2]\"\nb = \"b@[-0.4, 0.2, 0.1]\"\nslack = 0.2"},
        .claims = {Claim::rigid_motion_invariant}};
    explicit NanAtEnd(const Arguments& arguments)
        : Rod(arguments), slack_(arguments.number("slack")) {}
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override {
        Rod::evaluate(block, at, out);
        if (!out.pi.empty()) out.pi[0] += 0.0 / slack_;
    }

private:
    double slack_;
};

/// Its unit is one that no model can write.
class StrangeUnit final : public Rod {
public:
    static constexpr Parameter kParameters[] = {
        Rod::kParameters[0],
        Rod::kParameters[1],
        parameter::number("length", "metres", "distance of the ends").positive().otherwise("1.0"),
    };
    using Rod::Rod;
};

/// The angle of a direction on b about one on a, by its arc tangent: it jumps at pi.
class JumpsAtPi : public Constraint {
public:
    static constexpr Parameter kParameters[] = {
        parameter::direction("x", "from which the angle counts").required(),
        parameter::direction("y", "towards which it grows").required(),
        parameter::direction("z", "whose angle it is").required(),
    };
    static constexpr TypeDocs kDocs = {
        .doc = "an angle",
        .equation = "atan2(z . y, z . x) - 1 = 0",
        .source = "made for tests",
        .examples = {"x = \"a@[1, 0, 0]\"\ny = \"a@[0, 1, 0]\"\nz = \"b@[0.6, 0.8, 0]\""}};
    explicit JumpsAtPi(const Arguments&) {}
    std::span<const AttachmentRequest> attachments() const override { return kAttachments; }
    std::span<const RowBlock> row_blocks() const override { return {&kBlock, 1}; }
    void evaluate(int, const RowPoint& at, const RowValues& out) const override {
        const auto dot = [](std::span<const double> p, std::span<const double> q) {
            return p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
        };
        const auto x = at.u.subspan(0, 3), y = at.u.subspan(3, 3), z = at.u.subspan(6, 3);
        const double c = dot(z, x), s = dot(z, y), square = c * c + s * s;
        if (!out.pi.empty()) out.pi[0] = std::atan2(s, c) - 1.0;
        // angle' = (c s' - s c') / (c^2 + s^2)
        for (std::size_t i = 0; i < 3 && !out.A.empty(); ++i) {
            out.A[i] = -s * z[i] / square;
            out.A[3 + i] = c * z[i] / square;
            out.A[6 + i] = (c * y[i] - s * x[i]) / square;
        }
        if (out.b.empty() || at.du.empty()) return;
        const auto dx = at.du.subspan(0, 3), dy = at.du.subspan(3, 3), dz = at.du.subspan(6, 3);
        const double dc = dot(dz, x) + dot(z, dx), ds = dot(dz, y) + dot(z, dy);
        // without second derivatives of u: c'' and s'' are 2 z'.x' and 2 z'.y'
        out.b[0] = 2.0 * (c * dc + s * ds) * (c * ds - s * dc) / (square * square) -
                   (c * 2.0 * dot(dz, dy) - s * 2.0 * dot(dz, dx)) / square;
    }

private:
    static constexpr AttachmentRequest kAttachments[] = {{"x"}, {"y"}, {"z"}};
    static constexpr std::int32_t kStencil[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    static constexpr RowLaw kLaws[] = {{.kind = RowKind::constraint}};
    static constexpr RowBlock kBlock = {.name = "angle",
                                        .num_items = 1,
                                        .rows_per_item = 1,
                                        .scalars_per_item = 9,
                                        .stencil = kStencil,
                                        .laws = kLaws,
                                        .degree = Degree::general,
                                        .tangent = TangentForm::none};
};

/// The same behind a reduction gear: the jump is a small one.
class JumpsALittle final : public JumpsAtPi {
public:
    static constexpr TypeDocs kDocs = {.doc = "an angle behind a gear",
                                       .equation = "(atan2(z . y, z . x) - 1) / 60 = 0",
                                       .source = "made for tests",
                                       .examples = {JumpsAtPi::kDocs.examples[0]}};
    using JumpsAtPi::JumpsAtPi;
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override {
        JumpsAtPi::evaluate(block, at, out);
        for (const std::span<double> values : {out.pi, out.A, out.b})
            for (double& x : values) x /= 60.0;
    }
};

/// Right: an angle about a hinge that counts its turns, and has its axis among its directions.
/// Where the third direction comes to lie along the axis there is no angle.
class HingeAngle final : public Constraint {
public:
    static constexpr Parameter kParameters[] = {
        JumpsAtPi::kParameters[0],
        JumpsAtPi::kParameters[1],
        JumpsAtPi::kParameters[2],
        parameter::direction("axis", "of the hinge").required(),
    };
    static constexpr TypeDocs kDocs = {
        .doc = "an angle about a hinge",
        .equation = "m - 1 = 0 and axis . z = 0, m the angle of z in turns from x towards y",
        .source = "made for tests",
        .examples = {"x = \"a@[1, 0, 0]\"\ny = \"a@[0, 1, 0]\"\nz = \"b@[0.6, 0.8, 0]\"\n"
                     "axis = \"a@[0, 0, 1]\""}};
    explicit HingeAngle(const Arguments&) {}
    std::span<const AttachmentRequest> attachments() const override { return kAttachments; }
    std::span<const RowBlock> row_blocks() const override { return {&kBlock, 1}; }
    std::span<const double> start_state() const override { return kStart; }
    void evaluate(int, const RowPoint& at, const RowValues& out) const override {
        const auto z = at.u.subspan(6, 3), axis = at.u.subspan(9, 3);
        if (!out.pi.empty()) {
            out.pi[0] = angle_.near(angle_.value(at.u.data()), at.state[0]) - 1.0;
            out.pi[1] = dot(axis, z);
        }
        if (!out.A.empty()) {
            angle_.gradient(at.u.data(), out.A.data());
            put_second(z, axis, out.A);
        }
        if (out.b.empty()) return;
        out.b[0] = angle_.bias(at.u.data(), at.du.data());
        out.b[1] = -2.0 * dot(at.du.subspan(6, 3), at.du.subspan(9, 3));
    }
    void evaluate_step(int, const RowStep& step, const RowStepValues& out) const override {
        angle_.step_gradient(step.u0.data(), step.mid.data(), step.u1.data(), out.B.data());
        put_second(step.mid.subspan(6, 3), step.mid.subspan(9, 3), out.B);
        if (!step.state1.empty())
            step.state1[0] = angle_.near(angle_.value(step.u0.data()), step.state0[0]) +
                             angle_.dot(out.B.data(), step.du.data());
    }

private:
    static double dot(std::span<const double> p, std::span<const double> q) {
        return p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
    }
    static void put_second(std::span<const double> z,
                           std::span<const double> axis,
                           std::span<double> A) {
        std::ranges::fill(A.subspan(9, 9), 0.0);
        for (std::size_t i = 0; i < 3; ++i) {
            A[18 + i] = axis[i];
            A[21 + i] = z[i];
        }
    }

    MeasureFunction angle_{MeasureKind::angle};
    static constexpr double kStart[] = {1.0};
    static constexpr AttachmentRequest kAttachments[] = {{"x"}, {"y"}, {"z"}, {"axis"}};
    static constexpr std::int32_t kStencil[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    static constexpr RowLaw kLaws[] = {{.kind = RowKind::constraint}};
    static constexpr RowBlock kBlock = {.name = "angle",
                                        .num_items = 1,
                                        .rows_per_item = 2,
                                        .scalars_per_item = 12,
                                        .stencil = kStencil,
                                        .laws = kLaws,
                                        .degree = Degree::general,
                                        .tangent = TangentForm::none};
};

/// Right: |d| - L with the step that the SDK derives, which keeps energy only, and no claim.
class PlainRod final : public Rod {
public:
    static constexpr TypeDocs kDocs = {.doc = "a rod",
                                       .equation = "|d| - L = 0",
                                       .source = "made for tests",
                                       .examples = {Rod::kDocs.examples[0]}};
    using Rod::Rod;
    std::span<const RowBlock> row_blocks() const override { return {&kPlainBlock, 1}; }
    void evaluate(int, const RowPoint& at, const RowValues& out) const override {
        const double l = distance(at.u);
        double along = 0.0, square = 0.0;
        for (std::size_t i = 0; i < 3; ++i) {
            const double n = (at.u[i] - at.u[i + 3]) / l;
            if (!out.A.empty()) {
                out.A[i] = n;
                out.A[i + 3] = -n;
            }
            if (at.du.empty()) continue;
            const double rate = at.du[i] - at.du[i + 3];
            along += n * rate;
            square += rate * rate;
        }
        if (!out.pi.empty()) out.pi[0] = l - length_;
        if (!out.b.empty()) out.b[0] = -(square - along * along) / l;
    }

private:
    static constexpr RowBlock kPlainBlock = {.name = kBlock.name,
                                             .num_items = 1,
                                             .rows_per_item = 1,
                                             .scalars_per_item = 6,
                                             .stencil = kStencil,
                                             .laws = kLaws,
                                             .degree = Degree::general,
                                             .tangent = TangentForm::none};
};

constexpr TypeDescriptor kTypes[] = {
    type<NanOnAxis>("nan_on_axis", Rod::kDocs, Rod::kParameters),
    type<NanFarOut>("nan_far_out", Rod::kDocs, Rod::kParameters),
    type<WrongFarOut>("wrong_far_out", Rod::kDocs, Rod::kParameters),
    type<NanAtEnd>("nan_at_end", NanAtEnd::kDocs, NanAtEnd::kParameters),
    type<StrangeUnit>("strange_unit", Rod::kDocs, StrangeUnit::kParameters),
    type<Rod>("revolute", Rod::kDocs, Rod::kParameters),  // of the plugin joints
    type<JumpsAtPi>("jumps_at_pi", JumpsAtPi::kDocs, JumpsAtPi::kParameters),
    type<JumpsALittle>("jumps_a_little", JumpsALittle::kDocs, JumpsAtPi::kParameters),
    type<HingeAngle>("right_hinge_angle", HingeAngle::kDocs, HingeAngle::kParameters),
    type<PlainRod>("right_plain_rod", PlainRod::kDocs, Rod::kParameters),
};

}  // namespace

ANCORA_PLUGIN("wrong_places", "1.0.0", kTypes)
