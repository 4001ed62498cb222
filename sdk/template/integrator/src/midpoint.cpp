// SPDX-License-Identifier: BSD-3-Clause
// The integrator type `midpoint`: Runge's explicit method of second order on accelerations.
#include <vector>

#include <ancora/sdk/plugin.hpp>

namespace {

using namespace ancora;

/// For x' = f(t, x) with x = (q, v, w), w the works and impulses of the ledger:
///
///   x_m = x_0 + h/2 f(t_0, x_0),   x_1 = x_0 + h f(t_0 + h/2, x_m)                         (1)
///
/// Accepted states are projected onto the constraints by the kernel. Friction that sticks and slips
/// is refused: its events would have to be found inside the step (see EventLocator).
class Midpoint final : public Integrator {
public:
    explicit Midpoint(const Arguments&) {}

    IntegratorTraits traits() const override {
        IntegratorTraits traits;
        traits.face = Face::continuous;
        return traits;
    }

    void prepare(const System& system, const StepSettings&) override {
        const auto size = static_cast<std::size_t>(system.continuous()->size().num_states);
        for (std::vector<double>* x : {&x0_, &x_, &dx_}) x->assign(size, 0.0);
    }

    void step(System& system, double t0, double h) override {
        if (system.num_events() > 0)
            system.refuse(t0, "integrator \"midpoint\" takes no friction that sticks; take rk4");
        ContinuousSystem& model = *system.continuous();
        model.read_state(x0_);
        model.derivative(t0, x0_, dx_);
        move(0.5 * h);
        model.derivative(t0 + 0.5 * h, x_, dx_);
        move(h);
        model.accept_state(t0, t0 + h, x_);
    }

private:
    /// x = x_0 + h x'
    void move(double h) {
        for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = x0_[i] + h * dx_[i];
    }

    std::vector<double> x0_, x_, dx_;
};

constexpr TypeDescriptor kTypes[] = {
    type<Midpoint>("midpoint",
                   {.doc = "Runge's explicit method of second order, fixed step, on accelerations",
                    .equation = "x1 = x0 + h f(t0 + h/2, x0 + h/2 f(t0, x0))",
                    .source = "C. Runge, Mathematische Annalen 46 (1895) 167-178",
                    .tolerance = "not used",
                    .examples = {""},
                    .claims = {Claim::keeps_momentum},
                    .order = 2}),
};

}  // namespace

ANCORA_PLUGIN("midpoint", "0.1.0", kTypes)
