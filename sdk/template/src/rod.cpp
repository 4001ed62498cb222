// SPDX-License-Identifier: BSD-3-Clause
// The constraint type `rod`: a massless rod keeps two points at a distance.
#include <algorithm>

#include <ancora/sdk/math.hpp>
#include <ancora/sdk/plugin.hpp>

namespace {

using namespace ancora;

/// One row on the points a and b, u = (r_a, r_b), with d = r_a - r_b:
///
///   phi = (d.d - L^2) / (2 L) = 0,   A = (d, -d)^T / L,   b = -d'.d' / L                 (1)
///
/// phi is the change of length to first order [m], so the stress s is the tension [N]. It is
/// quadratic in u: A at the midpoint is the exact discrete derivative, and evaluate_step() of the
/// SDK serves.
class Rod final : public Constraint {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("a", "the end on which the reaction is reported").required(),
        parameter::point("b", "the other end").required(),
        parameter::number("length", "m", "distance of the ends").positive().required(),
    };

    explicit Rod(const Arguments& arguments) : length_(arguments.number("length")) {}

    std::span<const char* const> attachments() const override { return kAttachments; }
    std::span<const RowBlock> row_blocks() const override { return {&kBlock, 1}; }

    void evaluate(int, const RowPoint& at, const RowValues& out) const override {
        const Vec3 d = vec3(at.u, 0) - vec3(at.u, 3);
        // (l - L) (l + L) and not l^2 - L^2, which would lose digits
        if (!out.pi.empty())
            out.pi[0] = (d.norm() - length_) * (d.norm() + length_) / (2 * length_);
        if (!out.A.empty()) {
            vec3(out.A, 0) = d / length_;
            vec3(out.A, 3) = -d / length_;
        }
        std::ranges::fill(out.pi_t, 0.0);
        if (!out.b.empty()) out.b[0] = -(vec3(at.du, 0) - vec3(at.du, 3)).squaredNorm() / length_;
    }

    /// K = s / L [1 -1; -1 1], one entry for each pair of vectors
    void evaluate_tangent(int,
                          std::span<const double>,
                          std::span<const double> s,
                          bool positive_part,
                          std::span<double> G) const override {
        const double k = (positive_part ? std::max(s[0], 0.0) : s[0]) / length_;
        std::ranges::copy(std::initializer_list<double>{k, -k, -k, k}, G.begin());
    }

private:
    static constexpr const char* kAttachments[] = {"a", "b"};
    static constexpr std::int32_t kStencil[] = {0, 1, 2, 3, 4, 5};
    static constexpr RowLaw kLaw[] = {{.kind = RowKind::constraint}};
    static constexpr RowBlock kBlock = {.name = "length",
                                        .num_items = 1,
                                        .rows_per_item = 1,
                                        .scalars_per_item = 6,
                                        .stencil = kStencil,
                                        .laws = kLaw,
                                        .degree = Degree::quadratic,
                                        .tangent = TangentForm::isotropic};
    double length_;  ///< L [m]
};

constexpr TypeDescriptor kTypes[] = {
    type<Rod>("rod",
              {.doc = "a massless rod keeps two points at a distance",
               .equation = "phi = (|r_a - r_b|^2 - L^2) / (2 L) = 0",
               .source = "Shabana, Dynamics of Multibody Systems, 4th ed., Cambridge UP, 2013",
               .examples = {"a = \"a@[0.3, 0.1, -0.2]\"\n"
                            "b = \"b@[-0.4, 0.2, 0.1]\"\n"
                            "length = 1.5"},
               .claims = {Claim::rigid_motion_invariant}},
              Rod::kParameters),
};

}  // namespace

ANCORA_PLUGIN("rod", "0.1.0", kTypes)
