// SPDX-License-Identifier: BSD-3-Clause
// Laws of slip, friction between bodies and near its limit; what is refused.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <boost/math/quadrature/gauss.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "friction_models.hpp"

namespace ancora::testing {
namespace {

/// A particle of m = 2 kg slows down on a level floor with v' = -r(v); t and x at rest are
/// integrals over v.
struct Floor {
    double mu_s, mu_k, v_s, viscous;  // v_s = 0: no Stribeck curve
    static constexpr double kMass = 2.0, kSpeed = 3.0;

    double slowing(double v) const {
        const double mu =
            mu_k + (v_s > 0.0 ? (mu_s - mu_k) * std::exp(-(v / v_s) * (v / v_s)) : 0.0);
        return mu * kGravity + viscous * v / kMass;
    }
    template <class F>
    double integrate(const F& f) const {
        constexpr int kSubsteps = 64;
        double sum = 0.0;
        for (int i = 0; i < kSubsteps; ++i)
            sum += boost::math::quadrature::gauss<double, 20>::integrate(
                f, kSpeed * i / kSubsteps, kSpeed * (i + 1) / kSubsteps);
        return sum;
    }
    double stop() const {
        return integrate([this](double v) {
            return 1.0 / slowing(v);
        });
    }
    double path() const {
        return integrate([this](double v) {
            return v / slowing(v);
        });
    }
    Simulation run(const std::string& type, double step, double end, double tol) const {
        std::string law = mu(mu_s, mu_k) + fmt::format("\nviscous = {:.17g}", viscous);
        if (v_s > 0.0) law += fmt::format("\nstribeck_velocity = {:.17g}", v_s);
        return model(weight({0.0, 0.0, -kGravity}) +
                     particle("block", kMass, Vec3::Zero(), {kSpeed, 0.0, 0.0}) +
                     plane("floor", "block@0", Vec3::UnitZ()) + friction("floor", law) +
                     integrator(type, step, end, tol));
    }
};

TEST_SUITE("laws of slip") {
    TEST_CASE("Stribeck and viscous parts stop a particle where and when the integrals say") {
        const Floor floors[] = {
            {0.3, 0.3, 0.0, 0.0},
            {0.3, 0.3, 0.0, 1.5},
            {0.6, 0.2, 0.4, 0.0},
            {0.5, 0.25, 0.8, 2.0},
        };
        for (const Floor& floor : floors) {
            CAPTURE(floor.v_s);
            CAPTURE(floor.viscous);
            const double stop = floor.stop(), path = floor.path();
            for (const std::string& type : kIntegrators) {
                CAPTURE(type);
                Simulation simulation = floor.run(type, 1e-3, 1.5 * stop, 1e-11);
                run_to_end(simulation);
                const double most = type == "emm" ? 2e-6 : 1e-9;
                CHECK(simulation.point("block@0").position[0] == near(path, most));
                CHECK(simulation.events().size() == 1);
                CHECK(time_of_event(simulation, 0) == near(stop, most));
                for (const double v : simulation.v()) CHECK(v == 0.0);
            }
            if (floor.v_s == 0.0 && floor.viscous == 0.0) continue;
            const auto error = [&](double step) {
                Simulation simulation = floor.run("emm", step, 1.5 * stop, 0.0);
                run_to_end(simulation);
                return std::abs(simulation.point("block@0").position[0] - path);
            };
            CHECK(observed_order(2.0, error(4e-3), 1.0, error(2e-3)) == near(2.0, 0.1));
        }
    }
    // v = (v_0 + m mu g / c) exp(-c t / m) - m mu g / c
    TEST_CASE("the integrals agree with the closed solution for the viscous part") {
        const Floor floor{0.3, 0.3, 0.0, 1.5};
        const double limit = floor.kMass * 0.3 * kGravity / floor.viscous;
        const double rate = floor.viscous / floor.kMass;
        const double stop = std::log(1.0 + floor.kSpeed / limit) / rate;
        CHECK(floor.stop() == near(stop, 1e-14));
        CHECK(floor.path() == near(floor.kSpeed / rate - limit * stop, 1e-14));
    }
}

TEST_SUITE("friction between bodies") {
    // A block of m on a sled of M on ice, thrown with v_0: they meet at u = m v_0 / (m + M) after
    // t = v_0 / (mu g (1 + m / M)), and go on together; the block has slid v_0 t / 2 on the sled.
    TEST_CASE("a block on a sled: momentum is kept, both end with the same velocity") {
        constexpr double m = 2.0, M = 5.0, v_0 = 3.0, coefficient = 0.3;
        const double meet = v_0 / (coefficient * kGravity * (1.0 + m / M));
        const double common = m * v_0 / (m + M);
        for (const std::string& type : kIntegrators) {
            CAPTURE(type);
            Simulation simulation = model(
                weight({0.0, 0.0, -kGravity}) + particle("sled", M, Vec3::Zero(), Vec3::Zero()) +
                particle("block", m, Vec3::Zero(), {v_0, 0.0, 0.0}) +
                plane("ice", "sled@0", Vec3::UnitZ()) + plane("deck", "block@0", Vec3::UnitZ()) +
                "origin = \"sled@0\"\n" + friction("deck", mu(coefficient)) +
                integrator(type, 0.01, 2.0));
            run_to_end(simulation);
            const Simulation::PointState sled = simulation.point("sled@0");
            const Simulation::PointState block = simulation.point("block@0");
            CHECK(sled.velocity[0] == near(common, 1e-13));
            CHECK(block.velocity[0] == near(common, 1e-13));
            CHECK(block.position[0] - sled.position[0] == near(0.5 * v_0 * meet, 1e-13));
            CHECK(sled.position[0] == near(common * (2.0 - 0.5 * meet), 1e-12));
            CHECK(time_of_event(simulation, 0) == near(meet, 1e-12));
            const RunStatistics statistics = simulation.statistics();
            CHECK(statistics.energy.max_rel <= tolerance(1e-13));
            CHECK(statistics.momentum.max_rel <= tolerance(1e-13));
            CHECK(statistics.angular_momentum.max_rel <= tolerance(1e-13));
            // The block presses on the sled, and both on the ice.
            CHECK(column(simulation, "deck.force.z") == near(m * kGravity, 1e-10));
            CHECK(column(simulation, "ice.force.z") == near((m + M) * kGravity, 1e-10));
        }
    }
}

/// A rod that drags one end P over a rough plane, at the angle a to it, in the plane y = 0. The
/// centre of mass is at l (cos a, sin a) from P, J about y:
///
///   W_NN = 1/m + l^2 cos^2(a) / J,   W_NT = -l^2 sin(a) cos(a) / J
///
/// P slides to -x: friction mu N points to +x and its normal effect W_NT mu N pushes P into the
/// plane; for mu |W_NT| > W_NN the normal force has no solution or several. To +x it helps.
std::string dragged_rod(double coefficient, double speed) {
    const double a = std::atan(2.0), l = 1.0;
    return weight({0.0, 0.0, -kGravity}) +
           fmt::format(
               "\n[[body]]\nname = \"rod\"\ntype = \"ancf_rigid_body\"\nmass = 1.0\n"
               "inertia = [0.01, 0.333333333333333333, 0.333333333333333333]\n"
               "position = [{:.17g}, 0.0, {:.17g}]\n"
               "orientation = {{axis = [0.0, -1.0, 0.0], angle = {:.17g}}}\n"
               "velocity = [{:.17g}, 0.0, 0.0]\n",
               l * std::cos(a),
               l * std::sin(a),
               a,
               speed) +
           plane("floor", "rod@[-1.0, 0.0, 0.0]", Vec3::UnitZ()) +
           friction("floor", mu(coefficient));
}
std::string error_text(const std::string& text, ErrorKind kind) {
    try {
        Simulation simulation = model(text);
        run_to_end(simulation);
    } catch (const Error& error) {
        CHECK(error.kind() == kind);
        return error.what();
    }
    return "no error";
}

TEST_SUITE("friction near its limit") {
    /// Beads on half a drum, linked by rigid rods of equal length, pulled at both ends along the
    /// tangents of the next rods. Each bead that sticks at its limit raises the tension by the
    /// factor (cos d + mu sin d) / (cos d - mu sin d), d half the angle between rods (Euler's
    /// rope).
    struct Drum {
        static constexpr int kBeads = 25;
        static constexpr double R = 0.5, kMu = 0.3, slack = 10.0;
        static double half_angle() { return 0.5 * std::numbers::pi / (kBeads - 1); }
        static double capstan() {
            const double c = std::cos(half_angle()), s = kMu * std::sin(half_angle());
            return std::pow((c + s) / (c - s), kBeads);
        }
        /// @param part of the pull beyond the slack side's at which the rope slips
        static std::string text(double part) {
            std::string text;
            const auto at = [](int i) {
                const double angle = 2.0 * half_angle() * i;
                return Vec3(R * std::cos(angle), R * std::sin(angle), 0.0);
            };
            for (int i = 0; i < kBeads; ++i) {
                const std::string bead = fmt::format("b{}", i);
                text += particle(bead, 0.01, at(i), Vec3::Zero());
                text += fmt::format(
                    "\n[[constraint]]\nname = \"c{0}\"\ntype = \"point_on_circle\"\n"
                    "point = \"b{0}@0\"\ncenter = [0, 0, 0]\nnormal = [0, 0, 1]\n"
                    "radius = {1:.17g}\n",
                    i,
                    R);
                text += friction(fmt::format("c{}", i), mu(kMu));
                if (i == 0) continue;
                const double length = (at(i) - at(i - 1)).norm();
                text += fmt::format(
                    "\n[[constraint]]\nname = \"rod{0}\"\ntype = \"general_constraint\"\n"
                    "equation = \"((b{0}.x - b{1}.x)^2 + (b{0}.y - b{1}.y)^2 + "
                    "(b{0}.z - b{1}.z)^2)/{2:.17g} = {3:.17g}\"\n",
                    i,
                    i - 1,
                    2.0 * length,
                    0.5 * length);
            }
            const auto pull = [&](int bead, double angle, double force) {
                text += fmt::format(
                    "\n[[force]]\nname = \"pull{0}\"\ntype = \"constant_force\"\n"
                    "at = \"b{0}@0\"\nforce = {1}\n",
                    bead,
                    triple(force * Vec3(-std::sin(angle), std::cos(angle), 0.0)));
            };
            pull(0, -half_angle(), -slack);
            pull(kBeads - 1,
                 std::numbers::pi + half_angle(),
                 slack * (1.0 + part * (capstan() - 1.0)));
            return text;
        }
    };
    TEST_CASE("beads on a drum stick up to Euler's pull and slip beyond it") {
        for (const double step : {1e-4, 1e-3, 1e-2})
            for (const double part : {0.5, 0.9, 0.95, 0.99, 1.05}) {
                CAPTURE(step);
                CAPTURE(part);
                Simulation simulation =
                    model(Drum::text(part) + integrator("emm", step, 20.0 * step));
                run_to_end(simulation);
                double fastest = 0.0;
                for (const Simulation::BodyState& body : simulation.body_states())
                    for (const double v : body.v) fastest = std::max(fastest, std::abs(v));
                if (part < 1.0) {
                    CHECK(fastest == 0.0);
                    CHECK(simulation.events().empty());
                } else if (step < 5e-3) {
                    CHECK(fastest > step);
                }
            }
    }
}

/// A round body of J = k m R^2 on a plane, which a light point carries that touches it: its contact
/// point, whose velocity rows alone tell.
///
///   slip:  u' = g_t - (1 + 1/k) mu g u/|u|,  u = v - R n x w the contact point's velocity
///   roll:  v' = g_t / (1 + k)
struct Rolling {
    double k = 0.4, radius = 0.1, mu = 0.3;
    double along = 0.0;         ///< part of gravity along the plane, in the direction of sliding
    Vec3 slope = Vec3::Zero();  ///< the same in any direction, see Turning
    Vec3 v = Vec3::Zero(), w = Vec3::Zero();
    Mat3 attitude = Mat3::Identity();
    Vec3 inertia = Vec3::Ones();  ///< about body axes, in units of k m R^2

    static constexpr double kMass = 2.0;

    Vec3 sliding() const { return v - radius * w.cross(Vec3::UnitZ()); }
    double stop() const { return sliding().norm() / ((1.0 + 1.0 / k) * mu * kGravity - along); }
    Vec3 speed(double t) const {
        const Vec3 d = sliding().normalized();
        const double slips = std::min(t, stop());
        return v + slips * (along - mu * kGravity) * d + (t - slips) * along / (1.0 + k) * d;
    }
    Vec3 path(double t) const {
        const Vec3 d = sliding().normalized();
        const double slips = std::min(t, stop()), rolls = t - slips;
        return v * slips + 0.5 * slips * slips * (along - mu * kGravity) * d +
               rolls * speed(slips) + 0.5 * rolls * rolls * along / (1.0 + k) * d;
    }
    std::string text(double light) const {
        const auto row = [&](char axis) {
            std::string text = fmt::format("c.v{0} = ball.v{0}", axis);
            for (const char* e : {"[1, 0, 0]", "[0, 1, 0]", "[0, 0, 1]"})
                text += fmt::format(
                    " - {1}*(ball@{2}.z - ball.z)*(ball@{2}.v{0} - ball.v{0})", axis, radius, e);
            return text;
        };
        const Eigen::Quaterniond q(attitude);
        return weight(along * sliding().normalized() + slope - kGravity * Vec3::UnitZ()) +
               fmt::format(
                   "\n[[body]]\nname = \"ball\"\ntype = \"ancf_rigid_body\"\n"
                   "penalty = inf\nmass = {}\ninertia = {}\nposition = {}\n"
                   "velocity = {}\nangular_velocity = {}\n"
                   "orientation = [{:.17g}, {:.17g}, {:.17g}, {:.17g}]\n",
                   kMass,
                   triple(k * kMass * radius * radius * inertia),
                   triple(radius * Vec3::UnitZ()),
                   triple(v),
                   triple(attitude.transpose() * w),
                   q.w(),
                   q.x(),
                   q.y(),
                   q.z()) +
               particle("c", light, Vec3::Zero(), sliding()) +
               fmt::format(
                   "\n[[constraint]]\nname = \"carry\"\n"
                   "type = \"general_constraint\"\nlevel = \"velocity\"\n"
                   "equation = [\"{}\", \"{}\", \"{}\"]\n",
                   row('x'),
                   row('y'),
                   row('z')) +
               plane("floor", "c@0", Vec3::UnitZ()) + friction("floor", ::ancora::testing::mu(mu));
    }
};

/// The same across a slope, where sliding turns while it stops. With a carrier of mass c,
///
///   u' = g_t - K u/|u|,   K = b mu (m + c) g / (1 + b c),   b = (1 + 1/k) / m
///   v' = (g_t + k u') / (1 + k)
///
/// In polar coordinates about g_t, u = r (cos f, sin f), w = tan(f / 2), p = K / |g_t|:
///
///   r = A w^(p-1) (1 + w^2) / 2,   (r (K + |g_t| cos f))' = |g_t|^2 - K^2
///   integral of u to the stop: A^2 / |g_t| ((w^(2p-2)/(2p-2) - w^(2p+2)/(2p+2)) / 4,
///                                           (w^(2p-1)/(2p-1) + w^(2p+1)/(2p+1)) / 2)
struct Turning {
    Rolling body;
    double carrier;

    double pull() const { return body.slope.norm(); }
    double friction() const {
        const double b = (1.0 + 1.0 / body.k) / Rolling::kMass;
        return b * body.mu * (Rolling::kMass + carrier) * kGravity / (1.0 + b * carrier);
    }
    double stop() const {
        const double K = friction(), g = pull();
        return (K * body.sliding().norm() + body.slope.dot(body.sliding())) / (K * K - g * g);
    }
    /// Where the ball is at `t` behind the stop.
    Vec3 path(double t) const {
        const Vec3 u = body.sliding(), along = body.slope.normalized();
        const double r = u.norm(), cosine = along.dot(u) / r;
        const Vec3 across = (u - r * cosine * along).normalized();
        const double w = std::sqrt((1.0 - cosine) / (1.0 + cosine)), p = friction() / pull();
        const double A = 2.0 * r / (1.0 + w * w), square = w * w;  // A w^(1-p)
        const double scale = A * A / pull();
        const double x = 0.25 * scale * (1.0 / (2.0 * p - 2.0) - square * square / (2.0 * p + 2.0));
        const double y = 0.5 * scale * w * (1.0 / (2.0 * p - 1.0) + square / (2.0 * p + 1.0));
        const Vec3 slid = x * along + y * across;
        const double part = body.k / (1.0 + body.k), ts = stop(), rolls = t - ts;
        const Vec3 pulled = (1.0 - part) * body.slope, begin = body.v - part * u;
        return begin * ts + 0.5 * ts * ts * pulled + part * slid + rolls * (begin + ts * pulled) +
               0.5 * rolls * rolls * pulled;
    }
};

TEST_SUITE("slides, then rolls") {
    // What touches the plane may weigh next to nothing beside what it carries: the rate at which
    // sliding turns is that of both, not the light one's own.
    TEST_CASE("a ball across a slope turns and stops as its closed form says, on any carrier") {
        std::mt19937 random(47);
        std::uniform_real_distribution<double> part(-1.0, 1.0);
#ifdef ANCORA_TEST_SHORT
        const int members = 3;
#else
        const int members = 10;
#endif
        for (int i = 0; i < members; ++i) {
            Rolling body;
            body.radius = i == 0 ? 0.1 : 0.08 + 0.04 * part(random);
            body.mu = i == 0 ? 0.3 : 0.3 + 0.1 * part(random);
            body.v = i == 0 ? Vec3(2.0, 1.0, 0.0) : 3.0 * Vec3(part(random), part(random), 0.0);
            body.w = i == 0 ? Vec3(20.0, -30.0, 15.0)
                            : 30.0 * Vec3(part(random), part(random), part(random));
            const double direction = 3.0 * part(random), steep = std::abs(part(random));
            body.slope =
                i == 0 ? Vec3(1.0, -2.0, 0.0)
                       : (0.2 + 3.0 * steep) * Vec3(std::cos(direction), std::sin(direction), 0.0);
            if (body.sliding().norm() < 0.5) continue;
            for (const double ratio : {1e-8, 1e-6, 1e-4, 1e-2, 1.0}) {
                const Turning turning{body, ratio * Rolling::kMass};
                const double end = 1.2 * turning.stop();
                const auto off = [&](const char* type, double step, double late) {
                    CAPTURE(i);
                    CAPTURE(ratio);
                    CAPTURE(type);
                    CAPTURE(step);
                    Simulation simulation =
                        model(body.text(turning.carrier) + integrator(type, step, end));
                    run_to_end(simulation);
                    const std::vector<ContactEvent> events = simulation.events();
                    REQUIRE(events.size() == 1);
                    CHECK(events[0].sticks);
                    CHECK(std::abs(events[0].t - turning.stop()) <= tolerance(late));
                    const Vec3 at = vec3(simulation.pose("ball").position);
                    return (at - body.radius * Vec3::UnitZ() - turning.path(end)).norm();
                };
                CHECK(off("dopri5", 1e-3, 1e-6) <= tolerance(1e-9));
                // Of fourth and of second order.
                const double long_rk4 = off("rk4", 4e-3, 2e-4), long_emm = off("emm", 4e-3, 1e-4);
                CHECK(long_rk4 <= tolerance(3e-4));
                CHECK(off("rk4", 1e-3, 1e-6) <= tolerance(0.01 * long_rk4 + 1e-10));
                CHECK(long_emm <= tolerance(1e-4));
                CHECK(off("emm", 1e-3, 2e-5) <= tolerance(0.12 * long_emm + 1e-10));
            }
        }
    }
    // Velocity rows at the middle of the chord are open by O(h^2) at the ends of steps. That
    // alternated, so that a rolling contact was pushed to and fro by O(1/h) of it and broke away.
    TEST_CASE("balls, discs and hoops stick once, where and when they are due") {
        std::mt19937 random(36);
        std::uniform_real_distribution<double> part(-1.0, 1.0);
        constexpr double kEnd = 0.8;
#ifdef ANCORA_TEST_SHORT
        const int members = 9;
#else
        const int members = 36;
#endif
        for (int i = 0; i < members; ++i) {
            Rolling body;
            body.radius = 0.06 + 0.04 * part(random);
            body.mu = 0.3 + 0.1 * part(random);
            if (i % 3 == 0) {
                // A ball, sliding and spinning in any direction.
                body.attitude = Eigen::Quaterniond(1.0, part(random), part(random), part(random))
                                    .normalized()
                                    .toRotationMatrix();
                body.v = 3.0 * Vec3(part(random), part(random), 0.0);
                body.w = 30.0 * Vec3(part(random), part(random), part(random));
            } else {
                // In a plane, with back-spin, with too much spin or with none, uphill or downhill.
                body.k = i % 3 == 1 ? 0.5 : 1.0;
                body.inertia = Vec3(0.7, 1.0, 0.6);
                body.attitude =
                    Eigen::AngleAxisd(3.0 * part(random), Vec3::UnitY()).toRotationMatrix();
                body.v = Vec3(1.5 + part(random), 0.0, 0.0);
                body.w = (i % 2 == 0 ? 40.0 : 0.0) * part(random) * Vec3::UnitY();
                body.along = i % 4 == 1 ? 0.5 * body.mu * kGravity * part(random) : 0.0;
            }
            if (body.sliding().norm() < 0.3 || body.stop() > 0.9 * kEnd) continue;
            double before = 0.0;
            for (const double h : {1e-2, 5e-3, 2.5e-3}) {
                CAPTURE(i);
                CAPTURE(h);
                const double light = i % 2 == 0 ? 1e-9 : 1e-6;
                Simulation simulation = model(body.text(light) + integrator("emm", h, kEnd));
                run_to_end(simulation);
                const double fastest =
                    std::max(body.w.norm(), body.w.norm() + body.sliding().norm() / body.radius);
                const double turn = h * fastest;
                const std::vector<ContactEvent> events = simulation.events();
                CHECK(events.size() == 1);
                if (events.empty()) continue;
                CHECK(events[0].sticks);
                CHECK(std::abs(events[0].t - body.stop()) <=
                      tolerance(0.2 * turn * turn * body.stop() + 10.0 * light));
                const Simulation::BodyState state = simulation.body_states()[0];
                const Vec3 q(state.q[0], state.q[1], 0.0);
                const double off = (q - body.path(kEnd)).norm();
                CHECK(off <= tolerance(0.02 * turn * turn + 10.0 * light));
                // Of second order.
                if (before > 2e-5) CHECK(off <= tolerance(0.35 * before));
                before = off;
                CHECK(simulation.statistics().energy.max_rel <= tolerance(1e-13));
            }
        }
    }
}

TEST_SUITE("refused") {
    // mu (l^2 sin a cos a / J) > 1/m + l^2 cos^2 a / J: with J = m l^2 / 3 and tan a = 2 the limit
    // is mu = 4/3, the smallest for a rod.
    TEST_CASE("Painleve's rod is refused where its law has no solution, else it moves") {
        for (const std::string& type : kIntegrators) {
            CAPTURE(type);
            const std::string end = integrator(type, 1e-3, 0.02);
            const std::string refusal =
                error_text(dragged_rod(1.4, -2.0) + end, ErrorKind::numerical);
            CHECK(refusal != "no error");
            if (type != "emm") CHECK(refusal.find("force \"rub_floor\"") != std::string::npos);
            CHECK(refusal.find("Painleve's paradox") != std::string::npos);
            CHECK(error_text(dragged_rod(1.4, 2.0) + end, ErrorKind::numerical) == "no error");
            CHECK(error_text(dragged_rod(1.25, -2.0) + end, ErrorKind::numerical) == "no error");
        }
    }

    // Blocks on four feet, of which some slide, some turn as they slide, one rests; every block has
    // three rows of its own that are redundant. Blocks 3 and 4 are tied by a spring.
    TEST_CASE("blocks on feet that are apart move as each does alone") {
        const auto block = [](int i) {
            const double vx[] = {0.8, 0.3, 0.0, 1.1, 0.2}, wz[] = {0.0, 2.0, 0.0, -1.0, 0.5};
            std::string text = fmt::format(
                "\n[[body]]\nname = \"b{0}\"\ntype = \"ancf_rigid_body\"\nsize = [0.4, 0.3, 0.2]\n"
                "density = 1000.0\nposition = [0.0, {0}.0, 0.1]\nvelocity = [{1}, 0.1, 0.0]\n"
                "angular_velocity = [0.0, 0.0, {2}]\n",
                i,
                vx[i],
                wz[i]);
            if (i == 2) text.replace(text.find("0.1, 0.0]"), 3, "0.0");
            for (int k = 0; k < 4; ++k)
                text += fmt::format(
                    "\n[[constraint]]\nname = \"f{0}_{1}\"\ntype = \"point_on_plane\"\n"
                    "point = \"b{0}@[{2}, {3}, -0.1]\"\nnormal = [0.0, 0.0, 1.0]\n"
                    "\n[[force]]\nname = \"c{0}_{1}\"\ntype = \"coulomb_friction\"\non = "
                    "\"f{0}_{1}\"\n"
                    "mu_kinetic = 0.3\n",
                    i,
                    k,
                    k % 2 == 0 ? 0.2 : -0.2,
                    k < 2 ? 0.15 : -0.15);
            return text;
        };
        const std::string spring =
            "\n[[constraint]]\nname = \"tie\"\ntype = \"spring\"\na = \"b3@[0, 0, 0]\"\n"
            "b = \"b4@[0, 0, 0]\"\nstiffness = 500.0\n";
        const auto poses_of =
            [](const std::string& text, const std::string& type, int first, int n) {
                Simulation simulation = model("[model]\ngravity = [0.0, 0.0, -9.81]\n" + text +
                                              integrator(type, 2e-3, 0.4));
                while (!simulation.done()) simulation.step();
                std::vector<double> out;
                for (int i = first; i < first + n; ++i) {
                    const Pose pose = simulation.pose(fmt::format("b{}", i));
                    out.insert(out.end(), pose.position.begin(), pose.position.end());
                    out.insert(out.end(), pose.quaternion.begin(), pose.quaternion.end());
                }
                return out;
            };
        for (const std::string type : {"emm", "rk4"}) {
            CAPTURE(type);
            // Pieces of steps end at the events of all blocks, which changes what a step errs by.
            const double allowed = type == "emm" ? 1e-7 : 1e-9;
            std::string all = spring;
            for (int i = 0; i < 5; ++i) all = block(i) + all;
            const std::vector<double> together = poses_of(all, type, 0, 5);
            std::vector<double> apart;
            for (int i = 0; i < 3; ++i)
                for (const double x : poses_of(block(i), type, i, 1)) apart.push_back(x);
            for (const double x : poses_of(block(3) + block(4) + spring, type, 3, 2))
                apart.push_back(x);
            REQUIRE(together.size() == apart.size());
            for (std::size_t i = 0; i < apart.size(); ++i) {
                CAPTURE(i);
                CHECK(std::abs(together[i] - apart[i]) <= allowed);
            }
        }
    }

    const std::string kBlock = Incline(0.3).block();
    TEST_CASE("friction on a constraint that does not exist names the nearest") {
        const std::string text = kBlock + friction("rampe", mu(0.1)) + integrator("emm", 0.01, 1.0);
        const std::string message = error_text(text, ErrorKind::manifest);
        CHECK(message.find("test.toml:") == 0);
        CHECK(message.find("there is no constraint \"rampe\"; did you mean \"ramp\"?") !=
              std::string::npos);
    }
    TEST_CASE("friction on a joint that nothing slides on") {
        const std::string text =
            particle("block", 1.0, Vec3::Zero(), Vec3::Zero()) +
            "\n[[constraint]]\nname = \"pin\"\ntype = \"position\"\na = \"block@0\"\n"
            "b = \"ground@[0, 0, 0]\"\n" +
            friction("pin", mu(0.1)) + integrator("emm", 0.01, 1.0);
        const std::string message = error_text(text, ErrorKind::manifest);
        CHECK(message.find("nothing slides on constraint \"pin\" (type position); friction needs a "
                           "constraint with tangential directions") != std::string::npos);
    }
    TEST_CASE("two frictions on one constraint") {
        const std::string text =
            kBlock + "\n[[force]]\nname = \"again\"\ntype = \"coulomb_friction\"\non = \"ramp\"\n" +
            mu(0.1) + integrator("emm", 0.01, 1.0);
        CHECK(error_text(text, ErrorKind::manifest)
                  .find("has friction already, by force \"rub_ramp\"") != std::string::npos);
    }
}

}  // namespace
}  // namespace ancora::testing
