// SPDX-License-Identifier: BSD-3-Clause
// Noether's theorem for the adjoint: sums that stay on the way back.
#include <algorithm>
#include <array>
#include <random>

#include <Eigen/Core>

#include "ancora/framework/gradient.hpp"
#include "recorded_run.hpp"
#include "step_derivative.hpp"

namespace ancora {
namespace {

/// Both sums, and the sizes of their terms. Strains that are components of vectors turn as well.
struct Sums {
    Eigen::Matrix<double, 6, 1> value, size;

    Sums(const Space& space, StepDerivative& derivative, const StepState& at, const Costate& of) {
        const auto n = of.q.size();
        for (int axis = 0; axis < 3; ++axis) {
            std::array<double, 3> along{};
            along[static_cast<std::size_t>(axis)] = 1.0;
            Eigen::VectorXd shift = Eigen::VectorXd::Zero(n);
            space.add_uniform(along, shift.data());
            const Eigen::VectorXd turn = space.rotation(at.q.data(), axis);
            const Eigen::VectorXd rate = space.rotation(at.v.data(), axis);
            const Eigen::VectorXd of_shift = derivative.strain_change(at, shift);
            const Eigen::VectorXd of_turn = derivative.strain_change(at, turn);
            value[axis] = shift.dot(of.q) + of_shift.dot(of.pi);
            value[axis + 3] = turn.dot(of.q) + rate.dot(of.v) + of_turn.dot(of.pi);
            const auto terms = [](const Eigen::VectorXd& x, const Eigen::VectorXd& y) {
                return x.cwiseProduct(y).lpNorm<1>();
            };
            size[axis] = terms(shift, of.q) + terms(of_shift, of.pi);
            size[axis + 3] = terms(turn, of.q) + terms(rate, of.v) + terms(of_turn, of.pi);
        }
    }
};

}  // namespace

AdjointInvariance adjoint_invariance(Simulation& run, Simulation& other, std::uint64_t seed) {
    AdjointInvariance out;
    KernelSystem &system = KernelAccess::of(run), &neighbour = KernelAccess::of(other);
    out.obstacle = StepDerivative::obstacle(system);
    const Space& space = system.parts().space;
    if (out.obstacle.empty() && space.asks_bodies())
        out.obstacle = "it has coordinates that are no components of vectors";
    if (out.obstacle.empty() && !system.impulse().rows().empty())
        out.obstacle = "motion is prescribed";
    if (!out.obstacle.empty()) return out;

    RecordedRun recorded(run, GradientOptions().most_bytes);
    recorded.run([] {});
    if (!run.impacts().empty() || !run.events().empty() || !run.breaks().empty()) {
        out.obstacle = "the run has events";
        return out;
    }
    StepDerivative derivative(neighbour);
    const StepState end = StepState::of(system);
    std::mt19937_64 engine(seed);
    std::uniform_real_distribution<double> any(-1.0, 1.0);
    const auto random = [&](Eigen::Index size) {
        Eigen::VectorXd x(size);
        for (double& one : x) one = any(engine);
        return x;
    };
    Costate of{
        random(end.q.size()), random(end.v.size()), Eigen::VectorXd::Zero(end.pi.size()), 0.0};
    Eigen::VectorXd motion, rows;
    try {
        derivative.massless().move(end, of);
        const Sums first(space, derivative, end, of);
        Eigen::Matrix<double, 6, 1> change = Eigen::Matrix<double, 6, 1>::Zero(), size = first.size;
        bool is_first = true;
        recorded.visit_backwards(
            [](long) {},
            [&](const RecordedRun::Segment& segment) {
                for (std::size_t i = segment.steps.size(); i-- > 0;) {
                    const AcceptedStep& step = segment.steps[i];
                    if (is_first) derivative.look(step);
                    is_first = false;
                    derivative.take(step);
                    if (!derivative.pull_back(of, motion, rows))
                        throw AdjointObstacle{"a step's matrix has no inverse"};
                    const Sums sums(space, derivative, step.before, of);
                    change = change.cwiseMax((sums.value - first.value).cwiseAbs());
                    size = size.cwiseMax(sums.size);
                }
            });
        out.translation = change.head<3>().maxCoeff() / std::max(size.head<3>().maxCoeff(), 1e-300);
        out.rotation = change.tail<3>().maxCoeff() / std::max(size.tail<3>().maxCoeff(), 1e-300);
    } catch (const AdjointObstacle& obstacle) {
        out.obstacle = obstacle.why;
    }
    return out;
}

}  // namespace ancora
