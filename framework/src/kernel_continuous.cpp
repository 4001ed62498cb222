// SPDX-License-Identifier: BSD-3-Clause
// The continuous face of the whole model: accelerations by the Udwadia-Kalaba equation.
#include "kernel_system.hpp"

namespace ancora {

ContinuousState KernelSystem::continuous() const {
    return {n_, 2 * n_};
}

void KernelSystem::read_state(std::span<double>) const {}

void KernelSystem::derivative(double, std::span<const double>, std::span<double>) {}

void KernelSystem::accept_state(double, double, std::span<const double>) {}

int KernelSystem::num_events() const {
    return 0;
}

void KernelSystem::evaluate_events(const StepTrial&, std::span<double>) {}

void KernelSystem::evaluate_events(double, std::span<const double>, std::span<double>) {}

void KernelSystem::pass_event(int) {}

}  // namespace ancora
