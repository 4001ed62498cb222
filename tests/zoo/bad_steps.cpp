// SPDX-License-Identifier: BSD-3-Clause
// Bad: explicit Euler, which accepts nothing, the same step twice, or a step of another length.
#include <vector>

#include "ancora/sdk/plugin.hpp"

namespace {

using namespace ancora;

enum class Fault { nothing, twice, short_of_it, beyond };

template <Fault kFault>
class BadSteps final : public Integrator {
public:
    explicit BadSteps(const Arguments&) {}

    IntegratorTraits traits() const override {
        IntegratorTraits traits;
        traits.face = Face::continuous;
        return traits;
    }
    void prepare(const System& system, const StepSettings&) override {
        x_.assign(system.continuous()->size().num_states, 0.0);
        dx_ = x_;
    }
    void step(System& system, double t0, double h) override {
        system.continuous()->read_state(x_);
        system.continuous()->derivative(t0, x_, dx_);
        const double own = kFault == Fault::short_of_it ? 0.5 * h
                           : kFault == Fault::beyond    ? 1.5 * h
                                                        : h;
        for (std::size_t i = 0; i < x_.size(); ++i) x_[i] += own * dx_[i];
        for (int i = 0; i < (kFault == Fault::nothing ? 0 : kFault == Fault::twice ? 2 : 1); ++i)
            system.continuous()->accept_state(t0, t0 + own, x_);
    }

private:
    std::vector<double> x_, dx_;
};

constexpr TypeDescriptor kTypes[] = {
    type<BadSteps<Fault::nothing>>("accepts_nothing", {"x1 = x0"}),
    type<BadSteps<Fault::twice>>("accepts_twice", {"x1 = x0 + h f"}),
    type<BadSteps<Fault::short_of_it>>("stops_short", {"x1 = x0 + h/2 f"}),
    type<BadSteps<Fault::beyond>>("goes_beyond", {"x1 = x0 + 3h/2 f"}),
};

}  // namespace

ANCORA_PLUGIN("bad_steps", "1.0.0", kTypes)
