// SPDX-License-Identifier: BSD-3-Clause
// Chains and tops in Simbody.
#include "simbody_models.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

#include <Simbody.h>

namespace ancora::benchmark {

using SimTK::MobilizedBody;
using SimTK::Transform;
using SimTK::Vec3;

struct SimbodyModel::Impl {
    SimTK::MultibodySystem system;
    SimTK::SimbodyMatterSubsystem matter{system};
    SimTK::GeneralForceSubsystem forces{system};
    SimTK::VerletIntegrator integrator{system};
    double h;
    long steps = 0;

    explicit Impl(double step) : h(step) { integrator.setFixedStepSize(h); }
};

namespace {

SimTK::Body::Rigid box(const Vec3& size, double density) {
    const double mass = density * size[0] * size[1] * size[2];
    return SimTK::Body::Rigid(
        SimTK::MassProperties(mass, Vec3(0), mass * SimTK::UnitInertia::brick(0.5 * size)));
}

}  // namespace

SimbodyModel::SimbodyModel(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SimbodyModel::SimbodyModel(SimbodyModel&&) noexcept = default;
SimbodyModel::~SimbodyModel() = default;

SimbodyModel SimbodyModel::tops(int count, double h) {
    auto out = std::make_unique<Impl>(h);
    for (int i = 0; i < count; ++i)
        static_cast<void>(MobilizedBody::Free(out->matter.Ground(), box(Vec3(3, 2, 1), 2700)));
    SimTK::State state = out->system.realizeTopology();
    for (int i = 0; i < count; ++i) {
        const MobilizedBody& body = out->matter.getMobilizedBody(SimTK::MobilizedBodyIndex(i + 1));
        const double variation = count > 1 ? 0.1 : 0.0;
        const int row = i / 100;
        body.setQToFitTranslation(state, Vec3(10.0 * (i % 100), 10.0 * row, 0));
        body.setUToFitAngularVelocity(
            state, Vec3(0.3 + variation * std::sin(i), 0.5 + variation * std::cos(3.0 * i), 0.8));
    }
    out->integrator.initialize(state);
    return SimbodyModel(std::move(out));
}

SimbodyModel SimbodyModel::chain(int count, double h) {
    auto out = std::make_unique<Impl>(h);
    SimTK::Force::UniformGravity(out->forces, out->matter, Vec3(0, 0, -9.81));
    const Transform left(Vec3(-0.5, 0, 0)), right(Vec3(0.5, 0, 0));
    MobilizedBody last = out->matter.Ground();
    for (int i = 0; i < count; ++i)
        last = MobilizedBody::Ball(
            last, i == 0 ? Transform() : right, box(Vec3(1.0, 0.2, 0.1), 1000), left);
    out->integrator.initialize(out->system.realizeTopology());
    return SimbodyModel(std::move(out));
}

void SimbodyModel::advance(long steps) {
    impl_->steps += steps;
    const long before = impl_->integrator.getNumStepsTaken();
    const double end = impl_->h * static_cast<double>(impl_->steps);
    while (impl_->integrator.getTime() < end) impl_->integrator.stepTo(end);  // first call: 0 steps
    // One more or less for the rounding of the time that it stops at.
    const long taken = impl_->integrator.getNumStepsTaken() - before;
    if (taken < steps - 1 || taken > steps + 1)
        throw std::runtime_error("Simbody has not taken the steps that it was asked for");
}

}  // namespace ancora::benchmark
