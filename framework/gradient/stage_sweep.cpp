// SPDX-License-Identifier: BSD-3-Clause
// Stages once more, then back over them.
#include "stage_sweep.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "instant_derivative.hpp"
#include "stage_form.hpp"

namespace ancora {
namespace {

// The end of a step may differ from what its stages make of its begin.
constexpr double kStagesAgree = 1e-10;
// A correction of positions that is less of the model's size leaves nothing to correct, and no
// derivative but that of the one before.
constexpr double kCorrected = 1e-13;
constexpr int kMostOfPositions = 12;

/// A step for looks at what parameters enter: without meaning, but of the right size.
AcceptedStep any_step(const Simulation& simulation, const AcceptedStep& first) {
    AcceptedStep out = first;
    const KernelSystem& system = KernelAccess::of(simulation);
    const auto fill = [](Eigen::VectorXd& x, Eigen::Index size) {
        x.resize(size);
        for (Eigen::Index i = 0; i < size; ++i) x[i] = std::cos(1.7 * static_cast<double>(i + 1));
    };
    fill(out.a, system.num_coordinates());
    fill(out.s, system.num_rows());
    return out;
}

class StageSweep final : public AdjointSweep {
public:
    explicit StageSweep(const Subject& of)
        : AdjointSweep(of, any_step(of.simulation, of.run.first_step())),
          equations_(here_.system),
          velocities_(equations_, InstantDerivative::Of::velocities),
          extent_(here_.system.state().extent) {}

private:
    void go(AdjointGradient&) override {
        // `here_` never steps, and its model is its own.
        auto& integrator =
            const_cast<GuardedIntegrator&>(here_.system.parts().model.integrator);  // NOLINT
        const std::optional<StageForm> form = find_stage_form(integrator,
                                                              here_.system.step_data().parts.meter,
                                                              system_.history(),
                                                              run_.first_step().h);
        if (!form)
            throw AdjointObstacle{
                "the integrator's steps are no fixed combination of accelerations"};
        form_ = *form;
        for (std::size_t i = 0; i < form_.stages.size(); ++i)
            stages_.push_back(std::make_unique<InstantDerivative>(
                equations_, InstantDerivative::Of::accelerations));
        pulled_.resize(num_columns());
        run_.visit_backwards(
            [this](long step) {
                note_seeds(step);
            },
            [this](const RecordedRun::Segment& segment) {
                go_back(segment);
            });
        take_start();
    }

    void go_back(const RecordedRun::Segment& segment) {
        for (long step = segment.last; step > segment.first; --step) {
            plant_at(step);
            const auto at = static_cast<std::size_t>(step - segment.first - 1);
            const std::size_t begin = at > 0 ? segment.ends[at - 1] : 0;
            for (std::size_t i = segment.ends[at]; i-- > begin;) {
                const bool is_last = i + 1 == segment.steps.size();
                const AcceptedStep& accepted = segment.steps[i];
                pull_back(accepted, is_last ? segment.end : segment.steps[i + 1].before, is_last);
            }
        }
        if (segment.first == 0) plant_at(0);
    }

    void plant_at(long step) {
        at_seeds(step, [&](const Seeds& seeds) {
            look_at_columns(seeds, {});
            for (std::size_t c = 0; c < num_columns(); ++c) {
                const double w = weight(c, step);
                if (w == 0.0) continue;
                plant(c, w, seeds, costates_[c]);
                add_columns(c, w, seeds, {});
            }
        });
    }

    // --- forth

    /// Whether a step leads to `next`, its stages solved for on the way.
    bool go_forth(const AcceptedStep& step, const StepState& next) {
        const StepState& before = step.before;
        step.before.put(here_.system);
        const double h = step.h;
        const auto put = [&](const StageForm::State& of, std::size_t count) {
            q_ = before.q + h * of.drift * before.v;
            v_ = before.v;
            for (std::size_t j = 0; j < count; ++j) {
                const Eigen::VectorXd& a = stages_[j]->x();
                if (of.of_q[j] != 0.0) q_ += h * h * of.of_q[j] * a;
                if (of.of_v[j] != 0.0) v_ += h * of.of_v[j] * a;
            }
        };
        for (std::size_t i = 0; i < stages_.size(); ++i) {
            put(form_.stages[i], i);
            InstantDerivative& stage = *stages_[i];
            if (!stage.has_choice()) stage.choose(before.q, before.v, before.t);
            if (!stage.solve(q_, v_, before.t + h * form_.stages[i].time)) return false;
        }
        put(form_.end, stages_.size());
        num_corrections_ = 0;
        if (projects()) {
            const double t = next.t;
            double last = extent_;
            while (num_corrections_ < kMostOfPositions) {
                InstantDerivative& correction = take_correction(before);
                if (!correction.solve(q_, v_, t)) return false;
                q_ += correction.x();
                const double moved = largest_entry(correction.x());
                if (!(moved > kCorrected * extent_) || !(moved < 0.5 * last)) break;
                last = moved;
            }
            if (!velocities_.has_choice()) velocities_.choose(before.q, before.v, before.t);
            if (!velocities_.solve(q_, v_, t)) return false;
            v_ += velocities_.x();
        }
        const auto agrees =
            [](const Eigen::VectorXd& x, const Eigen::VectorXd& with, double least) {
                return largest_entry(x - with) <= kStagesAgree * (largest_entry(with) + least);
            };
        return agrees(q_, next.q, extent_) && agrees(v_, next.v, extent_ / h);
    }

    bool projects() const {
        const Assembly& parts = here_.system.parts();
        return parts.model.traits.projects && velocities_.has_rows();
    }

    InstantDerivative& take_correction(const StepState& before) {
        if (num_corrections_ == corrections_.size())
            corrections_.push_back(
                std::make_unique<InstantDerivative>(equations_, InstantDerivative::Of::positions));
        InstantDerivative& out = *corrections_[num_corrections_++];
        if (!out.has_choice()) out.choose(before.q, before.v, before.t);
        return out;
    }

    void forget_choices() {
        for (const auto& stage : stages_) stage->forget_choice();
        for (const auto& correction : corrections_) correction->forget_choice();
        velocities_.forget_choice();
    }

    // --- back

    [[noreturn]] static void refuse_times() {
        throw AdjointObstacle{"a parameter enters the equations at some times only"};
    }

    /// Whether accelerations change as their derivatives say, along a direction at the begin of a
    /// step.
    void check_derivatives(const AcceptedStep& step) {
        constexpr double kAlong = 0x1p-20, kMissed = 1e-6, kRounding = 1e-13;
        std::mt19937 engine(++checks_);
        std::uniform_real_distribution<double> any(-1.0, 1.0);
        const auto n = static_cast<Eigen::Index>(system_.num_coordinates());
        const auto some = [&](double size) -> Eigen::VectorXd {
            return Eigen::VectorXd::NullaryExpr(n, [&] {
                return size * any(engine);
            });
        };
        const StepState& at = step.before;
        InstantDerivative& stage = *stages_.front();
        const Eigen::VectorXd L = some(1.0), dq = some(kAlong * extent_),
                              dv = some(kAlong * (1.0 + largest_entry(at.v)));
        Eigen::VectorXd of_q = Eigen::VectorXd::Zero(n), of_v = of_q;
        InstantDerivative::Pulled pulled;
        const auto along = [&](double by) {
            q_ = at.q + by * dq;
            v_ = at.v + by * dv;
            if (!stage.solve(q_, v_, at.t)) return std::numeric_limits<double>::quiet_NaN();
            return L.dot(stage.x());
        };
        along(0.0);
        const double sizes = L.cwiseAbs().dot(stage.x().cwiseAbs());
        if (!stage.pull_back(L, pulled, of_q, of_v)) return;
        const double rise = along(1.0) - along(-1.0), said = 2.0 * (of_q.dot(dq) + of_v.dot(dv));
        const double terms =
            2.0 * (of_q.cwiseAbs().dot(dq.cwiseAbs()) + of_v.cwiseAbs().dot(dv.cwiseAbs()));
        if (!(std::abs(rise - said) <= kMissed * terms + kRounding * sizes))
            throw AdjointObstacle{fmt::format(
                "t = {:.6g} s: accelerations change by other than their derivatives", at.t)};
    }

    /// Which parameters the equations of a step's instants depend on.
    void look_at_instants(const AcceptedStep& step) {
        for (ParameterGroup& group : parameters().groups) {
            const bool was_of_start = group.is_of_start();
            const auto look = [&](InstantDerivative& instant) {
                const bool is_within = group.look_at_numbers([&](KernelSystem& system,
                                                                 Eigen::VectorXd& of_coordinates,
                                                                 Eigen::VectorXd& of_rows) {
                    step.before.put(system);
                    instant.evaluate(system, of_coordinates, of_rows);
                });
                if (!is_within)
                    throw AdjointObstacle{
                        "a parameter of an object enters the equations of others"};
            };
            for (const auto& stage : stages_) look(*stage);
            for (std::size_t k = 0; k < num_corrections_; ++k) look(*corrections_[k]);
            if (projects()) look(velocities_);
            if (has_looked_ && group.is_of_start() != was_of_start) refuse_times();
        }
        has_looked_ = true;
    }

    void pull_back(const AcceptedStep& step, const StepState& next, bool is_to_look) {
        if (!go_forth(step, next)) {
            // Other rows may be the independent ones there.
            forget_choices();
            if (!go_forth(step, next))
                throw AdjointObstacle{fmt::format(
                    "t = {:.6g} s: the step's end is not what its stages say", step.before.t)};
        }
        if (is_to_look) {
            look_at_instants(step);
            check_derivatives(step);
            go_forth(step, next);
        }
        const double h = step.h;
        if (projects()) {
            // Derivatives by v of a correction of velocities go to the velocity that it corrects.
            pull_back(
                velocities_,
                step,
                [this](std::size_t c) -> const Eigen::VectorXd& {
                    return costates_[c].v;
                },
                [this](std::size_t c) -> Targets {
                    return {costates_[c].q, costates_[c].v};
                });
            for (std::size_t k = num_corrections_; k-- > 0;)
                pull_back(
                    *corrections_[k],
                    step,
                    [this](std::size_t c) -> const Eigen::VectorXd& {
                        return costates_[c].q;
                    },
                    [this](std::size_t c) -> Targets {
                        return {costates_[c].q, costates_[c].v};
                    });
        }
        const auto n = static_cast<Eigen::Index>(system_.num_coordinates());
        of_stage_.resize(stages_.size());
        for (std::vector<Costate>& of : of_stage_) {
            of.resize(costates_.size());
            for (Costate& one : of) {
                one.q.setZero(n);
                one.v.setZero(n);
            }
        }
        for (std::size_t i = stages_.size(); i-- > 0;)
            pull_back(
                *stages_[i],
                step,
                [&](std::size_t c) -> const Eigen::VectorXd& {
                    L_ = h * h * form_.end.of_q[i] * costates_[c].q +
                         h * form_.end.of_v[i] * costates_[c].v;
                    for (std::size_t j = i + 1; j < stages_.size(); ++j) {
                        const StageForm::State& later = form_.stages[j];
                        if (later.of_q[i] != 0.0) L_ += h * h * later.of_q[i] * of_stage_[j][c].q;
                        if (later.of_v[i] != 0.0) L_ += h * later.of_v[i] * of_stage_[j][c].v;
                    }
                    return L_;
                },
                [&](std::size_t c) -> Targets {
                    return {of_stage_[i][c].q, of_stage_[i][c].v};
                });
        for (std::size_t c = 0; c < costates_.size(); ++c) {
            Costate& of = costates_[c];
            of.v += h * form_.end.drift * of.q;
            for (std::size_t i = 0; i < stages_.size(); ++i) {
                const Costate& stage = of_stage_[i][c];
                of.q += stage.q;
                of.v += h * form_.stages[i].drift * stage.q + stage.v;
            }
        }
    }

    struct Targets {
        Eigen::VectorXd &q, &v;
    };
    /// Back over one instant for all costates.
    /// @param given  the derivative by what is solved for there, of a costate
    /// @param targets  gets those by the state there
    template <class Given, class Target>
    void pull_back(InstantDerivative& instant,
                   const AcceptedStep& step,
                   const Given& given,
                   const Target& targets) {
        bool is_any = false;
        for (std::size_t c = 0; c < costates_.size(); ++c) {
            const Eigen::VectorXd& L = given(c);
            is_any |= L.squaredNorm() > 0.0;
            q_.setZero(L.size());
            v_.setZero(L.size());
            if (!instant.pull_back(L, pulled_[c], q_, v_))
                throw AdjointObstacle{
                    fmt::format("t = {:.6g} s: accelerations have no adjoint", step.before.t)};
            const Targets to = targets(c);
            to.q += q_;
            to.v += v_;
        }
        if (!is_any) return;
        for (ParameterGroup& group : parameters().groups) {
            if (group.is_of_start() && !group.is_idle()) continue;
            const bool was_idle = group.is_idle();
            group.look_at_numbers([&](KernelSystem& system,
                                      Eigen::VectorXd& of_coordinates,
                                      Eigen::VectorXd& of_rows) {
                step.before.put(system);
                instant.evaluate(system, of_coordinates, of_rows);
            });
            if (was_idle && !group.is_of_start()) refuse_times();
            if (was_idle) continue;
            for (std::size_t c = 0; c < costates_.size(); ++c)
                for (const ParameterGroup::Member& member : group.members()) {
                    const auto [value, size] = group.product(member, pulled_[c].w, pulled_[c].n);
                    add(c, member.number, value, size);
                }
        }
    }

    InstantEquations equations_;
    InstantDerivative velocities_;
    double extent_;
    StageForm form_;
    std::vector<std::unique_ptr<InstantDerivative>> stages_, corrections_;
    std::size_t num_corrections_ = 0;  // of the step under way
    bool has_looked_ = false;
    std::vector<InstantDerivative::Pulled> pulled_;
    std::vector<std::vector<Costate>> of_stage_;  // by (q_i, v_i), of each costate
    Eigen::VectorXd q_, v_, L_;
};

}  // namespace

std::string obstacle_of_stages(KernelSystem& system) {
    if (system.step_parts().num_rows() > 0) return "it has dry friction";
    const std::string out = StepDerivative::obstacle_of_objects(system);
    return out.empty() ? InstantEquations::obstacle(system) : out;
}

AdjointGradient differentiate_stages(const AdjointSweep::Subject& of) {
    return StageSweep(of).run();
}

}  // namespace ancora
