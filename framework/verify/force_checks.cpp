// SPDX-License-Identifier: BSD-3-Clause
// Checks of forces: what they claim of power and frames, rest, and laws of dry friction.
#include <cmath>

#include <fmt/format.h>

#include "differences.hpp"
#include "own_values.hpp"
#include "row_states.hpp"
#include "step_call.hpp"

namespace ancora::verify {
namespace {

constexpr int kForceStates = 48;

/// A force of an example, called with plain vectors.
class ForceSpecimen {
public:
    explicit ForceSpecimen(const Example& example)
        : arguments_(example.bind()),
          object_(example.make(arguments_)),
          stage_(example.type(), arguments_, object_),
          state_(facets_of(*object_.force).start_state.size()),
          reactions(Vector::Constant(
              3 * static_cast<Eigen::Index>(facets_of(*object_.force).reactions.size()), 0.7)) {
        if (const Signals* const signals = facets_of(*object_.force).signals; signals != nullptr) {
            own_ = OwnSampler(stage_, object_);
            inputs_.setConstant(static_cast<Eigen::Index>(signals->inputs().size()), 0.3);
            x_.setZero(signals->num_continuous());
            z_.setZero(signals->num_discrete());
            guard("start_values", [&] {
                signals->start_values(view(x_), view(z_));
            });
        }
        guard("start_state", [&] {
            std::ranges::copy(facets_of(*object_.force).start_state, state_.begin());
        });
    }

    const NonidealForce& force() const { return *object_.force; }
    const ContactLaw* contact() const { return facets_of(*object_.force).contact; }
    const Stage& stage() const { return stage_; }
    int n() const { return stage_.num_scalars(); }

    /// Its own states from now on, see OwnSampler.
    void sample_states(Random& random) {
        own_.sample_x(random, view(x_));
        own_.sample_z(random, view(z_));
    }

    Vector evaluate(const Vector& u, const Vector& du, double t) const {
        Vector f = Vector::Zero(n());
        guard("evaluate", [&] {
            force().evaluate(
                {view(u), view(du), t, view(reactions), state_, own_values()}, state_, {view(f)});
        });
        return f;
    }
    Vector evaluate_step(const Vector& u0, const Vector& u1, double t0, double h) const {
        Vector f = Vector::Zero(n());
        over_step(u0, u1, t0, h, "evaluate_step", [&](const RowStep& step) {
            force().evaluate_step(step, step.rate, {view(f)});
        });
        return f;
    }
    /// d f / d u1 of the step u0 -> u1.
    Matrix differentiate_step(const Vector& u0, const Vector& u1, double t0, double h) const {
        Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> D;
        D.setConstant(n(), n(), std::nan(""));
        over_step(u0, u1, t0, h, "differentiate_step", [&](const RowStep& step) {
            facets_of(force()).tangent->differentiate_step(
                step, step.rate, {D.data(), static_cast<std::size_t>(D.size())});
        });
        return D;
    }

private:
    OwnValues own_values() const { return {view(inputs_), view(x_), view(z_)}; }
    template <class Call>
    void over_step(const Vector& u0,
                   const Vector& u1,
                   double t0,
                   double h,
                   const char* name,
                   Call&& call) const {
        const Vector du = u1 - u0;
        const Vector mid = u0 + 0.5 * du;
        const Vector rate = du / h;
        std::vector<double> state1 = state_;
        RowStep step;
        step.u0 = view(u0);
        step.du = view(du);
        step.mid = view(mid);
        step.u1 = view(u1);
        step.rate = view(rate);
        step.t0 = t0;
        step.h = h;
        step.state0 = state_;
        step.state1 = state1;
        step.reactions = view(reactions);
        step.own = own_values();
        guard(name, [&] {
            call(step);
        });
    }

    BoundArguments arguments_;
    Object object_;
    Stage stage_;
    std::vector<double> state_;
    OwnSampler own_;
    Vector inputs_, x_, z_;  ///< of its Signals

public:
    Vector reactions;  ///< those that it depends on
};

void check_dissipation(Subject& subject) {
    if (!subject.type.claims.has(Claim::dissipative)) throw Skipped("not claimed");
    for_each_example(subject, [&](const Example& example) {
        ForceSpecimen specimen(example);
        Random random(subject.seed);
        for (int k = 0; k < kForceStates; ++k) {
            for (double& R : specimen.reactions) R = random.uniform(-10.0, 10.0);
            specimen.sample_states(random);
            // speeds of all magnitudes: m/h to km/s
            const double factor = std::pow(10.0, k % 7 - 3);
            if (const ContactLaw* law = specimen.contact()) {
                const double N = random.uniform(0.0, 100.0);
                const double speed = factor * random.uniform(0.0, 3.0);
                const double force = law->slip(N, speed).force;
                if (!(force >= 0.0))
                    throw Failure(
                        fmt::format("slip({:.6g}, {:.6g}) is {:.6g} < 0: it drives what slides",
                                    N,
                                    speed,
                                    force));
                continue;
            }
            const Motion motion = specimen.stage().motion(random);
            Vector u(specimen.n()), du(specimen.n()), u1(specimen.n());
            motion.evaluate(0.0, view(u), view(du), {});
            double h = random.uniform(1e-3, 0.3);
            motion.evaluate(h, view(u1), {}, {});
            du *= factor;
            if (factor < 1.0)
                u1 = u + factor * (u1 - u);
            else
                h /= factor;
            const double t = random.uniform(0.0, 2.0);
            const auto require = [&](const Vector& f, const Vector& rate, const char* what) {
                const double power = f.dot(rate);
                if (!(power <= kRounding * f.cwiseAbs().dot(rate.cwiseAbs())))
                    throw Failure(fmt::format(
                        "{} is {:.6g} > 0 at sampled state {}, and is claimed to dissipate",
                        what,
                        power,
                        k + 1));
            };
            require(specimen.evaluate(u, du, t), du, "the power f . u'");
            require(specimen.evaluate_step(u, u1, t, h), u1 - u, "the work f . du over a step");
        }
    });
}

/// Refuses forces that do not balance each other in space.
///
///   sum f = 0 over points,   sum r x f + sum d x f = 0 over points and directions
void require_balance(
    const Stage& stage, const Vector& u, const Vector& f, const char* what, int state) {
    const double size = f.cwiseAbs().sum();
    const double reach = 1.0 + u.cwiseAbs().maxCoeff();
    Vector virtual_du(u.size());
    for (int axis = 0; axis < 3; ++axis) {
        const Vec3 e = Vec3::Unit(axis);
        const auto refuse = [&](double left, const char* of) {
            throw Failure(fmt::format(
                "{} has the {} {}: {:.6g} at sampled state {}, and nothing says what takes it: "
                "set tied_to_inertial_frame in facets() for a medium or a field, "
                "WorkKind::external for a load, or let the other attachments react",
                what,
                of,
                "xyz"[axis],
                left,
                state));
        };
        virtual_du = u;
        stage.move(Mat3::Identity(), e, view(virtual_du));
        virtual_du -= u;
        const double force = f.dot(virtual_du);
        if (!(std::abs(force) <= kRounding * size * reach)) refuse(force, "resultant [N] along");
        stage.spin(e, view(u), view(virtual_du));
        const double moment = f.dot(virtual_du);
        if (!(std::abs(moment) <= kRounding * size * reach)) refuse(moment, "moment [N m] about");
    }
}

void check_momentum(Subject& subject) {
    for_each_example(subject, [&](const Example& example) {
        ForceSpecimen specimen(example);
        const NonidealForce& force = specimen.force();
        if (specimen.contact() != nullptr) throw Skipped("the kernel applies friction, in pairs");
        if (force.work() == WorkKind::external) throw Skipped("it is an external load");
        if (facets_of(force).tied_to_inertial_frame)
            throw Skipped("it is tied to the inertial frame");
        const Stage& stage = specimen.stage();
        if (stage.has_lone_scalars()) throw Skipped("it acts on coordinates that stand alone");
        if (stage.is_on_ground()) throw Skipped("the ground takes its reaction");
        Random random(subject.seed);
        for (int k = 0; k < kForceStates; ++k) {
            for (double& R : specimen.reactions) R = random.uniform(-10.0, 10.0);
            specimen.sample_states(random);
            // directions keep their lengths and angles, as on bodies
            const Motion motion = stage.motion(random, 0.0);
            Vector u(specimen.n()), du(specimen.n()), u1(specimen.n());
            motion.evaluate(0.0, view(u), view(du), {});
            const double h = random.uniform(1e-3, 0.3), t = random.uniform(0.0, 2.0);
            motion.evaluate(h, view(u1), {}, {});
            require_balance(stage, u, specimen.evaluate(u, du, t), "f", k + 1);
            // the kernel's angular momentum over a step is about the midpoints
            const Vector mid = u + 0.5 * (u1 - u);
            require_balance(
                stage, mid, specimen.evaluate_step(u, u1, t, h), "f over a step", k + 1);
        }
    });
}

/// Stresses of elastic rows and dashpots at a state.
Vector stresses(const Block& block, const Block::Values& at, const Vector& du) {
    const RowBlock& shape = block.shape();
    const Vector rate = at.A * du + at.pi_t;
    Vector s(at.pi.size());
    const auto count = static_cast<std::size_t>(shape.rows_per_item);
    for (Eigen::Index i = 0; i < s.size(); ++i) {
        const auto row = static_cast<std::size_t>(i);
        const RowLaw& own = law(shape, row);
        if (own.kind == RowKind::dashpot) {
            s(i) = own.viscosity * rate(i);
        } else if (!shape.item_laws.empty()) {
            if (row % count == 0)
                shape.law_of_item(static_cast<int>(row / count))
                    .potential(static_cast<int>(row / count),
                               view(at.pi).subspan(row, count),
                               view(s).subspan(row, count),
                               {});
        } else if (own.law != nullptr) {
            s(i) = own.law->stress(own, at.pi(i), rate(i));
        } else {
            s(i) = at.pi(i) / own.compliance + own.prestress + own.viscosity * rate(i);
        }
    }
    if (!shape.item_laws.empty())
        for (Eigen::Index i = 0; i < s.size(); ++i)
            s(i) += law(shape, static_cast<std::size_t>(i)).viscosity * rate(i);
    return s;
}

/// Forces of rows on what they tie: of elastic rows and dashpots everywhere, of each condition
/// where it is met.
void check_momentum_of_rows(Subject& subject) {
    for_each_example(subject, [&](const Example& example) {
        const BoundArguments arguments = example.bind();
        const Object object = example.make(arguments);
        if (facets_of(*object.constraint).tied_to_inertial_frame)
            throw Skipped("it is tied to the inertial frame");
        const Stage stage(example.type(), arguments, object);
        skip_wrong_sizes(stage, object);
        if (stage.has_lone_scalars()) throw Skipped("it acts on coordinates that stand alone");
        if (stage.is_on_ground()) throw Skipped("the ground takes its reaction");
        Random random(subject.seed);
        const RowPart part = row_parts(object).front();
        const auto count = static_cast<int>(part.of(object)->row_blocks().size());
        int looked_at = 0;
        for (int index = 0; index < count; ++index) {
            const Block block(object, part, index, stage.num_scalars());
            // a velocity may be measured by anything
            if (block.is_velocity() || block.is_acceleration() || block.num_rows_of() == 0)
                continue;
            const bool is_condition =
                block.kind() == RowKind::constraint || block.kind() == RowKind::unilateral;
            for (int k = 0; k < kForceStates / 4; ++k) {
                // directions keep their lengths and angles, as on bodies
                const At at = random_state(stage, random, 0.0);
                Vector u = at.u;
                if (is_condition && !find_satisfied(block, at, u)) continue;
                ++looked_at;
                const Block::Values values = block.evaluate(u, at.du, at.t);
                if (!is_condition) {
                    const Vector f = values.A.transpose() * stresses(block, values, at.du);
                    require_balance(stage, u, f, ("the force of " + block.where()).c_str(), k + 1);
                    continue;
                }
                for (Eigen::Index i = 0; i < values.A.rows(); ++i)
                    require_balance(stage,
                                    u,
                                    values.A.row(i).transpose(),
                                    fmt::format("A of {}, row {},", block.where(), i).c_str(),
                                    k + 1);
            }
        }
        if (looked_at == 0) throw Skipped("no rows with a force that is known");
    });
}

void check_frame(Subject& subject) {
    if (!subject.type.claims.has(Claim::frame_invariant)) throw Skipped("not claimed");
    for_each_example(subject, [&](const Example& example) {
        ForceSpecimen specimen(example);
        if (specimen.contact() != nullptr) throw Skipped("a law of friction reads no vectors");
        Random random(subject.seed);
        for (int k = 0; k < kForceStates; ++k) {
            Vector u(specimen.n()), du(specimen.n());
            specimen.stage().motion(random).evaluate(0.0, view(u), view(du), {});
            const double t = random.uniform(0.0, 2.0);
            const Mat3 R = random.rotation();
            const Vec3 c = random.vector();
            const Vector before = specimen.evaluate(u, du, t);
            Vector moved = u, turned = du, expected = before;
            if (!specimen.stage().move(R, c, view(moved)))
                throw Failure("claims frame invariance, but reads coordinates that stand alone");
            for (Eigen::Index i = 0; i + 2 < u.size(); i += 3) {
                turned.segment<3>(i) = R * du.segment<3>(i);
                expected.segment<3>(i) = R * before.segment<3>(i);
            }
            for (Eigen::Index i = 0; i < specimen.reactions.size(); i += 3)
                specimen.reactions.segment<3>(i) = (R * specimen.reactions.segment<3>(i)).eval();
            compare_rows(specimen.evaluate(moved, turned, t),
                         expected,
                         Vector::Constant(specimen.n(), before.cwiseAbs().maxCoeff() + 1e-300),
                         1e-9,
                         "f after a rigid motion",
                         "R f is");
        }
    });
}

void check_rest(Subject& subject) {
    for_each_example(subject, [&](const Example& example) {
        const ForceSpecimen specimen(example);
        Random random(subject.seed);
        if (const ContactLaw* law = specimen.contact()) {
            for (const double N : {0.0, 1.0, 1e6})
                for (const double speed : {0.0, 1e-300, 1e-12}) {
                    const SlipForce slip = law->slip(N, speed);
                    if (!std::isfinite(slip.force) || !std::isfinite(slip.by_normal) ||
                        !std::isfinite(slip.by_speed) || !std::isfinite(law->stick_limit(N)))
                        throw Failure(fmt::format("slip({}, {}) is not finite", N, speed));
                }
            return;
        }
        Vector u(specimen.n());
        for (int k = 0; k < 8; ++k) {
            specimen.stage().motion(random).evaluate(0.0, view(u), {}, {});
            const Vector f = specimen.evaluate(u, Vector::Zero(specimen.n()), 0.0);
            const Vector step = specimen.evaluate_step(u, u, 0.0, 1e-3);
            if (!f.allFinite() || !step.allFinite())
                throw Failure("the force is not finite where nothing moves");
        }
    });
}

void check_force_tangent(Subject& subject) {
    for_each_example(subject, [&](const Example& example) {
        ForceSpecimen specimen(example);
        if (facets_of(specimen.force()).tangent == nullptr) throw Skipped("it gives no tangent");
        if (specimen.contact() != nullptr) throw Skipped("a law of friction has its own");
        // A tangent may come from differences itself; the iteration wants it, not its last digits.
        constexpr double kEnough = 1e-5;
        Random random(subject.seed);
        for (int k = 0; k < kForceStates; ++k) {
            specimen.sample_states(random);
            const Motion motion = specimen.stage().motion(random);
            const double h = random.uniform(1e-3, 0.3), t = random.uniform(0.0, 2.0);
            Vector u0(specimen.n()), u1(specimen.n());
            motion.evaluate(0.0, view(u0), {}, {});
            motion.evaluate(h, view(u1), {}, {});
            const Matrix D = specimen.differentiate_step(u0, u1, t, h);
            for (Eigen::Index j = 0; j < D.cols(); ++j) {
                double error = 0.0;
                const Vector expected =
                    derivative(error,
                               [&](double d) -> Vector {
                                   Vector moved = u1;
                                   moved(j) += d * std::min(1.0, h);
                                   return specimen.evaluate_step(u0, moved, t, h);
                               }) /
                    std::min(1.0, h);
                const double size = D.cwiseAbs().maxCoeff() + expected.cwiseAbs().maxCoeff();
                const double allowed = kEnough * size + error / std::min(1.0, h) + 1e-300;
                for (Eigen::Index i = 0; i < D.rows(); ++i)
                    if (!(std::abs(D(i, j) - expected(i)) <= allowed))
                        throw Failure(
                            fmt::format("differentiate_step's row {}, column {} is "
                                        "{:.9g}; differences of evaluate_step give "
                                        "{:.9g} (sampled state {})",
                                        i,
                                        j,
                                        D(i, j),
                                        expected(i),
                                        k + 1));
            }
        }
    });
}

void check_friction_law(Subject& subject) {
    for_each_example(subject, [&](const Example& example) {
        const ForceSpecimen specimen(example);
        const ContactLaw* law = specimen.contact();
        if (law == nullptr) throw Skipped("it is no law of dry friction");
        Random random(subject.seed);
        for (int k = 0; k < kForceStates; ++k) {
            const double N = random.uniform(0.1, 100.0), speed = random.uniform(0.01, 3.0);
            const SlipForce slip = law->slip(N, speed);
            double error = 0.0;
            const auto compare = [&](double found, double expected, const char* what) {
                const double size = std::abs(found) + std::abs(expected) + std::abs(slip.force);
                if (!(std::abs(found - expected) <= kDifference * (size + 1e-12) + error))
                    throw Failure(
                        fmt::format("{} of slip({:.6g}, {:.6g}) is {:.9g}; differences give {:.9g}",
                                    what,
                                    N,
                                    speed,
                                    found,
                                    expected));
            };
            compare(slip.by_normal,
                    derivative(error,
                               [&](double h) -> Vector {
                                   return Vector::Constant(1, law->slip(N + h, speed).force);
                               })(0),
                    "by_normal");
            compare(slip.by_speed,
                    derivative(error,
                               [&](double h) -> Vector {
                                   return Vector::Constant(1, law->slip(N, speed + h).force);
                               })(0),
                    "by_speed");
            if (!(slip.force >= 0.0))
                throw Failure(fmt::format(
                    "slip({:.6g}, {:.6g}) is {:.6g}: a magnitude is >= 0", N, speed, slip.force));
            const double limit = law->stick_limit(N), at_rest = law->slip(N, 0.0).force;
            if (!(limit >= at_rest * (1.0 - 1e-12)))
                throw Failure(fmt::format(
                    "stick_limit({0:.6g}) is {1:.9g}, less than slip({0:.6g}, 0), {2:.9g}",
                    N,
                    limit,
                    at_rest));
        }
    });
}

constexpr Check kForceChecks[] = {
    {"momentum",
     kForces,
     "forces between bodies balance each other: no resultant and no moment is left over",
     check_momentum},
    {"momentum",
     kConstraints,
     "rows pull what they tie with neither resultant nor moment, unless the ground is attached to "
     "them or they say that they are tied to the inertial frame",
     check_momentum_of_rows},
    {"dissipation",
     kForces,
     "the power is never positive, at an instant and over a step, from mm/s to km/s (if claimed)",
     check_dissipation},
    {"frame", kForces, "the force turns with what it acts on (if claimed)", check_frame},
    {"rest", kForces, "the force is finite where nothing moves", check_rest},
    {"tangent",
     kForces,
     "the derivative over a step against differences (if it gives one)",
     check_force_tangent},
    {"friction_law",
     kForces,
     "slip's derivatives against differences; sticking bears what slipping at rest takes",
     check_friction_law},
};

}  // namespace

void check_force_consistency(Subject& subject) {
    for_each_example(subject, [&](const Example& example) {
        ForceSpecimen specimen(example);
        if (specimen.contact() != nullptr) throw Skipped("a law of friction has one face");
        if (specimen.n() == 0) throw Skipped("it acts on nothing");
        Random random(subject.seed);
        for (int k = 0; k < kForceStates; ++k) {
            specimen.sample_states(random);
            const Motion motion = specimen.stage().motion(random);
            const double t = random.uniform(0.0, 2.0);
            const auto difference = [&](double h, Vector& at_instant, Vector& over_step) {
                Vector u0(specimen.n()), u1(specimen.n());
                motion.evaluate(-0.5 * h, view(u0), {}, {});
                motion.evaluate(0.5 * h, view(u1), {}, {});
                const Vector du = u1 - u0;
                at_instant = specimen.evaluate(u0 + 0.5 * du, du / h, t + 0.5 * h);
                over_step = specimen.evaluate_step(u0, u1, t, h);
                return Vector((over_step - at_instant).cwiseAbs());
            };
            Vector at_instant, over_step;
            double at_long = 0.0;
            for (const double h : kLongSteps)
                at_long = std::max(at_long, difference(h, at_instant, over_step).maxCoeff());
            const Vector at_short = difference(kShortStep, at_instant, over_step);
            const double size = at_instant.cwiseAbs().maxCoeff() + over_step.cwiseAbs().maxCoeff();
            for (Eigen::Index i = 0; i < at_short.size(); ++i)
                if (!vanishes(at_long, at_short(i), size))
                    throw Failure(fmt::format(
                        "f of evaluate_step is {:.9g} at scalar {} over a step of {:g} s, f of "
                        "evaluate at its middle {:.9g}: the two must agree as steps shrink",
                        over_step(i),
                        i,
                        kShortStep,
                        at_instant(i)));
        }
    });
}

std::span<const Check> force_checks() {
    return kForceChecks;
}

}  // namespace ancora::verify
