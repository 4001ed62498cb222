// SPDX-License-Identifier: BSD-3-Clause
// The force type `maxwell`: a spring and a dashpot in a row between two points.
#include <array>
#include <span>

#include <ancora/sdk/authoring.hpp>

namespace {

using namespace ancora;

/// With n = (r_a - r_b) / |r_a - r_b| and the stretch x of the spring, the force on a is (1), and
/// that on b its opposite:
///
///   f = -k x n,   x' = n . (v_a - v_b) - (k / c) x                                         (1)
class Maxwell final : public ForceLaw<Maxwell>, public Signals {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("a", "the end on which the force is reported").required(),
        parameter::point("b", "the other end").required(),
        parameter::signal("stiffness", "N/m", "k").otherwise("100.0"),
        parameter::number("coefficient", "N s/m", "c").positive().required(),
    };

    explicit Maxwell(const Arguments& arguments) : coefficient_(arguments.number("coefficient")) {}

    /// Kept and lost inside, and not put in from outside as a load's would be.
    WorkKind work() const override { return WorkKind::nonideal; }

    Vec3 force(const Vec3& a, const Vec3& b, const OwnValues& own) const {
        return -own.inputs[0] * own.x[0] * (a - b).normalized();
    }

    // Inputs, states and outputs.

    std::span<const char* const> inputs() const override { return kInputs; }
    int num_continuous() const override { return 1; }
    void differentiate(const SignalPoint& at, std::span<double> dx) const override {
        const Vec3 line = end(at.u, 0) - end(at.u, 1);
        const Vec3 rate = end(at.du, 0) - end(at.du, 1);
        dx[0] = line.normalized().dot(rate) - at.own.inputs[0] / coefficient_ * at.own.x[0];
    }
    std::span<const Output> outputs() const override { return kOutputs; }
    bool outputs_read_inputs() const override { return false; }
    void evaluate_outputs(const SignalPoint& at, std::span<double> y) const override {
        y[0] = at.own.x[0];
    }

private:
    static constexpr std::array<const char*, 1> kInputs{"stiffness"};
    static constexpr std::array<Output, 1> kOutputs{{{"stretch", "m", "x of the spring"}}};

    static Vec3 end(std::span<const double> u, std::size_t i) {
        return {u[3 * i], u[3 * i + 1], u[3 * i + 2]};
    }

    double coefficient_;  ///< c [N s/m]
};

constexpr TypeDescriptor kTypes[] = {
    type<Maxwell>("maxwell",
                  {.doc = "a spring and a dashpot in a row between two points",
                   .equation = "f = -k x n,  x' = n . (v_a - v_b) - (k / c) x",
                   .source = "write here which book or paper the equations are from",
                   .examples = {"a = \"a@[0.3, 0.1, -0.2]\"\n"
                                "b = \"b@[-0.4, 0.2, 0.1]\"\n"
                                "stiffness = \"40 + 5*sin(t)\"\n"
                                "coefficient = 7.0"},
                   .claims = {Claim::frame_invariant}},
                  Maxwell::kParameters),
};

}  // namespace

ANCORA_PLUGIN("maxwell", "0.1.0", kTypes)
