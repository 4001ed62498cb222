// SPDX-License-Identifier: BSD-3-Clause
// Chains and tops in Simbody.
#include "simbody_models.hpp"

#include <Simbody.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace ancora::benchmark {
namespace {

using SimTK::MassProperties;
using SimTK::MobilizedBody;
using SimTK::Real;
using SimTK::Transform;
using SimTK::Vec3;

SimTK::Body::Rigid box(const Vec3& size, Real density) {
    const Real mass = density * size[0] * size[1] * size[2];
    return SimTK::Body::Rigid(
        MassProperties(mass, Vec3(0), mass * SimTK::UnitInertia::brick(0.5 * size)));
}

double measure(const SimTK::MultibodySystem& system,
               const SimTK::State& start,
               double h,
               long steps,
               int pieces) {
    SimTK::RungeKutta2Integrator integrator(system);
    integrator.setFixedStepSize(h);
    integrator.initialize(start);
    double best = std::numeric_limits<double>::infinity();
    for (int piece = 0; piece <= pieces; ++piece) {
        const auto begin = std::chrono::steady_clock::now();
        integrator.stepTo(h * static_cast<double>(steps * (piece + 1)));
        const double taken =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        if (piece > 0) best = std::min(best, taken / static_cast<double>(steps));
    }
    const long expected = steps * (pieces + 1);
    // One more may come from the rounding of times.
    if (std::labs(integrator.getNumStepsTaken() - expected) > pieces + 1)
        return std::numeric_limits<double>::quiet_NaN();
    return best;
}

}  // namespace

double simbody_tops(int count, double h, long steps, int pieces) {
    SimTK::MultibodySystem system;
    SimTK::SimbodyMatterSubsystem matter(system);
    for (int i = 0; i < count; ++i)
        MobilizedBody::Free(matter.Ground(), box(Vec3(3, 2, 1), 2700));
    SimTK::State state = system.realizeTopology();
    for (int i = 0; i < count; ++i) {
        const MobilizedBody& body = matter.getMobilizedBody(SimTK::MobilizedBodyIndex(i + 1));
        body.setQToFitTranslation(state, Vec3(10.0 * (i % 100), 10.0 * (i / 100), 0));
        body.setUToFitAngularVelocity(
            state, Vec3(0.3 + 0.1 * std::sin(i), 0.5 + 0.1 * std::cos(3.0 * i), 0.8));
    }
    return measure(system, state, h, steps, pieces);
}

double simbody_chain(int count, double h, long steps, int pieces) {
    SimTK::MultibodySystem system;
    SimTK::SimbodyMatterSubsystem matter(system);
    SimTK::GeneralForceSubsystem forces(system);
    SimTK::Force::UniformGravity(forces, matter, Vec3(0, 0, -9.81));
    const Transform left(Vec3(-0.5, 0, 0)), right(Vec3(0.5, 0, 0));
    MobilizedBody last = matter.Ground();
    for (int i = 0; i < count; ++i)
        last = MobilizedBody::Ball(
            last, i == 0 ? Transform() : right, box(Vec3(1.0, 0.2, 0.1), 1000), left);
    return measure(system, system.realizeTopology(), h, steps, pieces);
}

}  // namespace ancora::benchmark
