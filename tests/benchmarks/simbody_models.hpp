// SPDX-License-Identifier: BSD-3-Clause
// The models of rivals.cpp as a user of Simbody would build them.
#pragma once

namespace ancora::benchmark {

/// The fastest of the pieces after a first one [s a step].
double simbody_tops(int count, double h, long steps, int pieces);
/// Joints are ball joints of a tree, so that there are no constraints.
double simbody_chain(int count, double h, long steps, int pieces);

/// Second order, steps of fixed length.
inline constexpr const char* kSimbodyIntegrator = "RungeKutta2Integrator";

}  // namespace ancora::benchmark
