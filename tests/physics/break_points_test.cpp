// SPDX-License-Identifier: BSD-3-Clause
// What is given over time and is not smooth: families of prescribed motions with corners against
// closed forms, loads that come late, and efforts of smooth drives at their order.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

constexpr double kPi = std::numbers::pi;

std::string triple(const Vec3& x) {
    return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x(0), x(1), x(2));
}
std::string integrator(const std::string& type, double step, double end) {
    return fmt::format(
        "\n[integrator]\ntype = \"{}\"\nstep = {:.17g}\nend = {:.17g}\n", type, step, end);
}
std::string particle(const std::string& name, double mass, const Vec3& at, const Vec3& v) {
    return fmt::format(
        "\n[[body]]\nname = \"{}\"\ntype = \"particle\"\nmass = {:.17g}\nposition = {}\n"
        "velocity = {}\n",
        name,
        mass,
        triple(at),
        triple(v));
}

/// A motion of pieces between corners at c_i, of its rate (jump r_i) or of its acceleration (a_i),
///
///   m(t) = A (1 - cos w t) + sum_i r_i (t - c_i)_+ + a_i (t - c_i)_+^2 / 2                (1)
///
/// written with max, min, abs, or sign.
class Course {
public:
    Course(std::mt19937& random, double end) {
        std::uniform_real_distribution<double> u(0.0, 1.0);
        amplitude_ = u(random) < 0.5 ? 0.0 : 0.3 * u(random);
        w_ = 1.0 + 3.0 * u(random);
        const int count = 1 + static_cast<int>(4.0 * u(random));
        for (int i = 0; i < count; ++i) {
            Corner corner{
                (0.05 + 0.8 * u(random)) * end, 0.0, 0.0, static_cast<int>(4.0 * u(random))};
            (u(random) < 0.6 ? corner.r : corner.a) = 4.0 * u(random) - 2.0;
            // Some fall on ends of steps.
            if (u(random) < 0.3) corner.c = std::round(corner.c * 64.0) / 64.0;
            corners_.push_back(corner);
        }
    }
    double value(double t) const {
        double m = amplitude_ * (1.0 - std::cos(w_ * t));
        for (const Corner& at : corners_)
            if (t > at.c) m += (at.r + 0.5 * at.a * (t - at.c)) * (t - at.c);
        return m;
    }
    /// Behind a corner at t.
    double rate(double t) const {
        double m = amplitude_ * w_ * std::sin(w_ * t);
        for (const Corner& at : corners_)
            if (t > at.c - 1e-12) m += at.r + at.a * (t - at.c);
        return m;
    }
    std::string text() const {
        std::string out = fmt::format("{:.17g}*(1 - cos({:.17g}*t))", amplitude_, w_);
        for (const Corner& at : corners_) {
            const std::string c = fmt::format("{:.17g}", at.c);
            const std::string plus = at.form == 0   ? "max(0, t - " + c + ")"
                                     : at.form == 1 ? "(t - min(t, " + c + "))"
                                     : at.form == 2
                                         ? "(0.5*(t - " + c + " + abs(t - " + c + ")))"
                                         : "((t - " + c + ")*(1 + sign(t - " + c + "))/2)";
            out += at.r != 0.0 ? fmt::format(" + {:.17g}*{}", at.r, plus)
                               : fmt::format(" + {:.17g}*{}^2", 0.5 * at.a, plus);
        }
        return out;
    }

private:
    struct Corner {
        double c, r, a;
        int form;
    };
    double amplitude_, w_;
    std::vector<Corner> corners_;
};

/// A model, the column to look at, and its mean over a step from t0 to t1.
struct Case {
    std::string text;
    std::string column;
    std::function<double(double t0, double t1)> mean;
};

/// A turntable about any axis: effort J m''.
Case turntable(const Course& m, std::mt19937& random) {
    std::uniform_real_distribution<double> u(-1.0, 1.0);
    const Vec3 axis = Vec3(u(random), u(random), u(random)).normalized();
    const Vec3 at(u(random), u(random), u(random));
    const Eigen::Quaterniond p = Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), axis);
    const double J = 0.1 + std::abs(u(random));
    return {fmt::format("[[body]]\nname = \"b\"\ntype = \"ancf_rigid_body\"\nmass = 1.5\n"
                        "inertia = [{0:.17g}, {0:.17g}, {1:.17g}]\nposition = {2}\n"
                        "orientation = [{3:.17g}, {4:.17g}, {5:.17g}, {6:.17g}]\n"
                        "[[joint]]\nname = \"j\"\ntype = \"revolute\"\na = \"ground\"\nb = \"b\"\n"
                        "point = {2}\naxis = {7}\ndrive = {{ motion = \"{8}\" }}\n",
                        0.8 * J,
                        J,
                        triple(at),
                        p.w(),
                        p.x(),
                        p.y(),
                        p.z(),
                        triple(axis),
                        m.text()),
            "j.drive.effort",
            [=](double t0, double t1) {
                return J * (m.rate(t1) - m.rate(t0)) / (t1 - t0);
            }};
}

/// A weight on a support that moves along a line: reaction m (a + g).
Case support(const Course& m, std::mt19937& random) {
    std::uniform_real_distribution<double> u(-1.0, 1.0);
    const Vec3 along(u(random), u(random), u(random));
    const double mass = 1.0 + std::abs(u(random));
    const std::string motion = m.text();
    return {
        "[model]\ngravity = [0, 0, -9.81]\n" + particle("b", mass, {0.2, 0.1, 0.0}, Vec3::Zero()) +
            fmt::format("[[constraint]]\nname = \"c\"\ntype = \"position\"\na = \"b@[0, 0, 0]\"\n"
                        "b = \"ground@[0.2, 0.1, 0]\"\nmotion = [\"{:.17g}*({})\", "
                        "\"{:.17g}*({})\", \"{:.17g}*({})\"]\n",
                        along(0),
                        motion,
                        along(1),
                        motion,
                        along(2),
                        motion),
        "c.force.z",
        [=](double t0, double t1) {
            return mass * (9.81 + along(2) * (m.rate(t1) - m.rate(t0)) / (t1 - t0));
        }};
}

/// A weight on a rigid rope of one link whose length is prescribed, hanging down.
Case winch(const Course& m, std::mt19937& random) {
    std::uniform_real_distribution<double> u(0.0, 1.0);
    const double mass = 5.0 + 10.0 * u(random);
    constexpr double kLength = 12.0;
    return {"[model]\ngravity = [0, 0, -9.81]\n" +
                particle("b", mass, {0, 0, -kLength}, Vec3::Zero()) +
                fmt::format(
                    "[[body]]\nname = \"rope\"\ntype = \"truss\"\nfrom = [0, 0, 0]\n"
                    "to = [0, 0, {:.17g}]\narea = 1e-4\nyoung = inf\ndensity = 0\n"
                    "rest_length = \"{:.17g} + {}\"\n"
                    "[[constraint]]\nname = \"top\"\ntype = \"position\"\na = \"rope@0\"\n"
                    "b = \"ground@[0, 0, 0]\"\n"
                    "[[constraint]]\nname = \"hook\"\ntype = \"position\"\na = \"b@[0, 0, 0]\"\n"
                    "b = \"rope@1\"\n",
                    -kLength,
                    kLength,
                    m.text()),
            "hook.force.z",
            [=](double t0, double t1) {
                return mass * (9.81 - (m.rate(t1) - m.rate(t0)) / (t1 - t0));
            }};
}

/// A driven parallelogram of three bodies with four hinges in space, two rows of each redundant:
/// the coupler goes along without turning.
Case parallelogram(const Course& m, std::mt19937& random) {
    std::uniform_real_distribution<double> u(0.5, 1.5);
    const double l = 0.5 * u(random), width = u(random), mass = u(random), J = 0.05 * u(random);
    const auto bar = [&](const char* name, const Vec3& centre) {
        return fmt::format(
            "[[body]]\nname = \"{}\"\ntype = \"ancf_rigid_body\"\nmass = {:.17g}\n"
            "inertia = [0.06, 0.06, {:.17g}]\nposition = {}\n",
            name,
            mass,
            J,
            triple(centre));
    };
    const auto hinge = [&](const char* name, const char* a, const char* b, const Vec3& at) {
        return fmt::format(
            "[[joint]]\nname = \"{}\"\ntype = \"revolute\"\na = \"{}\"\nb = \"{}\"\n"
            "point = {}\naxis = [0, 0, 1]\n",
            name,
            a,
            b,
            triple(at));
    };
    // From 1 rad on: away from where all bars lie on one line.
    const Vec3 e(l * std::cos(1.0), l * std::sin(1.0), 0.0), w(width, 0.0, 0.0);
    const double inertia = 2.0 * (J + 0.25 * mass * l * l) + mass * l * l;
    return {bar("left", 0.5 * e) + bar("right", w + 0.5 * e) + bar("coupler", e + 0.5 * w) +
                hinge("A", "ground", "left", Vec3::Zero()) +
                fmt::format("drive = {{ motion = \"0.2*({})\" }}\n", m.text()) +
                hinge("B", "left", "coupler", e) + hinge("C", "coupler", "right", e + w) +
                hinge("D", "ground", "right", w),
            "A.drive.effort",
            [=](double t0, double t1) {
                return 0.2 * inertia * (m.rate(t1) - m.rate(t0)) / (t1 - t0);
            }};
}

/// Largest error of the column over the grid steps of a run, and of the balances.
struct Error2 {
    double effort = 0.0, balance = 0.0, size = 0.0;
};
Error2 errors_of(const Case& of, double step, double end) {
    Simulation simulation = model(of.text + integrator("emm", step, end));
    const std::vector<int> at{simulation.find_column(of.column)};
    std::vector<double> now(1);
    Error2 out;
    while (!simulation.done()) {
        const double t0 = simulation.time();
        simulation.step();
        simulation.values(at, now);
        const double mean = of.mean(t0, simulation.time());
        out.effort = std::max(out.effort, std::abs(now[0] - mean));
        out.size = std::max(out.size, std::abs(mean));
    }
    const RunStatistics statistics = simulation.statistics();
    out.balance = std::max({statistics.energy.max_rel,
                            statistics.momentum.max_rel,
                            statistics.angular_momentum.max_rel});
    return out;
}

TEST_CASE(
    "corners of prescribed motion: efforts and reactions of two hundred models are the exact "
    "means over their steps to second order, and balances close with the impulses") {
    std::mt19937 random(36);
    constexpr double kEnd = 1.0;
    for (int i = 0; i < 200; ++i) {
        const Course m(random, kEnd);
        const Case of = i % 4 == 0   ? turntable(m, random)
                        : i % 4 == 1 ? support(m, random)
                        : i % 4 == 2 ? winch(m, random)
                                     : parallelogram(m, random);
        CAPTURE(i);
        CAPTURE(of.text);
        const Error2 coarse = errors_of(of, 1.0 / 128.0, kEnd);
        const Error2 fine = errors_of(of, 1.0 / 256.0, kEnd);
        CHECK(fine.balance <= 1e-13);
        // A fourth part when steps are halved; beside impulses, which `size` has too, what is of
        // second order is as small as this.
        CHECK(fine.effort <= 0.3 * coarse.effort + 1e-7 * (1.0 + fine.size));
        CHECK(coarse.effort <= 2e-3 * (1.0 + coarse.size));
    }
}

TEST_CASE(
    "a planet on a driven arm: the effort of its drive is that of the motion at the middle of "
    "each step, to second order, in thirty models") {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> u(0.5, 1.5);
    for (int i = 0; i < 30; ++i) {
        const double W = 2.0 * u(random), w = 5.0 * u(random), tilt = 0.4 * u(random);
        const Vec3 J(0.01 + 0.004 * u(random), 0.012 + 0.004 * u(random), 0.02);
        const double first = 0.1 * u(random);  // both drives speed up and down by it
        const auto turned = [&](double t) {
            return W * t + first * (1.0 - std::cos(3.0 * t));
        };
        const auto spun = [&](double t) {
            return w * t + first * (1.0 - std::cos(4.0 * t));
        };
        const auto frame = [&](double t) {
            return Mat3((Eigen::AngleAxisd(turned(t), Vec3::UnitZ()) *
                         Eigen::AngleAxisd(tilt, Vec3::UnitY()))
                            .toRotationMatrix());
        };
        const auto momentum = [&](double t) {
            const Mat3 R = frame(t) * Eigen::AngleAxisd(spun(t), Vec3::UnitZ()).toRotationMatrix();
            const Vec3 omega = (W + 3.0 * first * std::sin(3.0 * t)) * Vec3::UnitZ() +
                               (w + 4.0 * first * std::sin(4.0 * t)) * frame(t).col(2);
            return Vec3(R * J.asDiagonal() * R.transpose() * omega);
        };
        const auto effort = [&](double t) {
            constexpr double d = 1e-3;
            const Vec3 rate = (8.0 * (momentum(t + d) - momentum(t - d)) -
                               (momentum(t + 2.0 * d) - momentum(t - 2.0 * d))) /
                              (12.0 * d);
            return rate.dot(frame(t).col(2));
        };
        const std::string text = fmt::format(
            "[[body]]\nname = \"arm\"\ntype = \"ancf_rigid_body\"\nmass = 0.4\n"
            "inertia = [0.01, 0.03, 0.035]\nposition = [0.5, 0, 0]\nvelocity = [0, {0:.17g}, 0]\n"
            "angular_velocity = [0, 0, {1:.17g}]\n"
            "[[body]]\nname = \"planet\"\ntype = \"ancf_rigid_body\"\nmass = 2.0\n"
            "inertia = {2}\nposition = [1, 0, 0]\n"
            "orientation = {{ axis = [0, 1, 0], angle = {3:.17g} }}\nvelocity = [0, {1:.17g}, 0]\n"
            "angular_velocity = [{4:.17g}, 0, {5:.17g}]\n"
            "[[joint]]\nname = \"orbit\"\ntype = \"revolute\"\na = \"ground\"\nb = \"arm\"\n"
            "point = [0, 0, 0]\naxis = [0, 0, 1]\n"
            "drive = {{ motion = \"{1:.17g}*t + {6:.17g}*(1 - cos(3*t))\" }}\n"
            "[[joint]]\nname = \"spin\"\ntype = \"revolute\"\na = \"arm\"\nb = \"planet\"\n"
            "point = [1, 0, 0]\naxis = [{7:.17g}, 0, {8:.17g}]\n"
            "drive = {{ motion = \"{9:.17g}*t + {6:.17g}*(1 - cos(4*t))\" }}\n",
            0.5 * W,
            W,
            triple(J),
            tilt,
            -W * std::sin(tilt),
            W * std::cos(tilt) + w,
            first,
            std::sin(tilt),
            std::cos(tilt),
            w);
        const auto error = [&](double h) {
            Simulation simulation = model(text + integrator("emm", h, 0.25));
            double worst = 0.0;
            while (!simulation.done()) {
                const double t0 = simulation.time();
                simulation.step();
                const double middle = 0.5 * (t0 + simulation.time());
                worst = std::max(worst,
                                 std::abs(simulation.value("spin.drive.effort") - effort(middle)));
            }
            CHECK(simulation.statistics().energy.max_rel <= 1e-13);
            return worst;
        };
        CAPTURE(i);
        const double coarse = 1.0 / 512.0, fine = 1.0 / 1024.0;
        CHECK(observed_order(coarse, error(coarse), fine, error(fine)) ==
              doctest::Approx(2.0).epsilon(0.05));
    }
}

TEST_CASE("a motor that has run up bears no effort, whatever the steps, and goes at its rate") {
    for (const double h : {3e-4, 1.1e-3, 1e-3, 7e-3}) {
        Simulation simulation = model(
            "[[body]]\nname = \"b\"\ntype = \"ancf_rigid_body\"\nmass = 1.0\n"
            "inertia = [0.1, 0.1, 0.1]\n[[joint]]\nname = \"j\"\ntype = \"revolute\"\n"
            "a = \"ground\"\nb = \"b\"\npoint = [0, 0, 0]\naxis = [0, 0, 1]\n"
            "drive = { rate = \"100*min(t/0.35, 1)\" }\n" +
            integrator("emm", h, 0.6));
        while (!simulation.done()) {
            const double t0 = simulation.time();
            simulation.step();
            if (t0 < 0.35) continue;
            CHECK(std::abs(simulation.value("j.drive.effort")) <= 1e-6);
            CHECK(simulation.value("j.angle_rate") == doctest::Approx(100.0).epsilon(1e-12));
        }
    }
}

/// A load or a motion that begins late, and what the body is to have in the end.
struct Late {
    std::string text;
    std::string column;
    double value;
    bool may_be_missed = false;  ///< but then there is a doubt
};

Late late(int kind, std::mt19937& random) {
    std::uniform_real_distribution<double> u(0.0, 1.0);
    const double mass = 1.0 + u(random), F = 50.0 + 100.0 * u(random);
    const double c = 2.0 + 15.0 * u(random), w = std::pow(10.0, -3.0 + 2.5 * u(random));
    const std::string at = fmt::format("{:.17g}", c), wide = fmt::format("{:.17g}", w);
    const std::string body = particle("b", mass, Vec3::Zero(), Vec3::Zero());
    const auto load = [&](const std::string& force) {
        return body +
               "[[force]]\nname = \"hit\"\ntype = \"point_load\"\nat = \"b@[0, 0, 0]\"\nforce = " +
               force + "\n";
    };
    const auto formula = [&](const std::string& f) {
        return load(fmt::format("[\"{:.17g}*{}\", \"0\", \"0\"]", F, f));
    };
    const auto rows = [&](const char* keys) {
        return load(
            fmt::format("[[0, 0, 0, 0], [{0}, 0, 0, 0], [{1:.17g}, {2:.17g}, 0, 0], "
                        "[{3:.17g}, 0, 0, 0], [20, 0, 0, 0]]\n{4}",
                        at,
                        c + w,
                        F,
                        c + 2.0 * w,
                        keys));
    };
    switch (kind) {
        case 0:
            return {rows(""), "b.vx", F * w / mass};
        case 1:
            return {formula("max(0, 1 - abs(t - " + at + ")/" + wide + ")"), "b.vx", F * w / mass};
        case 2:
            return {formula("(sign(t - " + at + ") - sign(t - " + at + " - " + wide + "))/2"),
                    "b.vx",
                    F * w / mass};
        case 3:
            return {formula("sin(min(max(0, t - " + at + "), " + wide + ")*pi/" + wide + ")"),
                    "b.vx",
                    F * w * 2.0 / kPi / mass};
        case 4:
            return {formula("exp(-((t - " + at + ")/" + wide + ")^2)"),
                    "b.vx",
                    F * w * std::sqrt(kPi) / mass,
                    true};
        case 5: {  // a support that moves to another place
            const double d = 0.1 + u(random);
            return {
                body + fmt::format("[[constraint]]\nname = \"c\"\ntype = \"position\"\n"
                                   "a = \"b@[0, 0, 0]\"\nb = \"ground@[0, 0, 0]\"\n"
                                   "motion = [\"{:.17g}*min(max(0, t - {}), {})\", \"0\", \"0\"]\n",
                                   d / w,
                                   at,
                                   wide),
                "b.x",
                d};
        }
        case 6: {  // one that goes on
            const double v = u(random);
            return {body + fmt::format("[[constraint]]\nname = \"c\"\ntype = \"position\"\n"
                                       "a = \"b@[0, 0, 0]\"\nb = \"ground@[0, 0, 0]\"\n"
                                       "motion = [\"{:.17g}*max(0, t - {})\", \"0\", \"0\"]\n",
                                       v,
                                       at),
                    "b.vx",
                    v};
        }
        case 7: {  // a table of places
            const double d = 0.1 + u(random);
            return {body + fmt::format("[[constraint]]\nname = \"c\"\ntype = \"position\"\n"
                                       "a = \"b@[0, 0, 0]\"\nb = \"ground@[0, 0, 0]\"\n"
                                       "motion = [[0, 0, 0, 0], [{0}, 0, 0, 0], "
                                       "[{1:.17g}, {2:.17g}, 0, 0], [20, {2:.17g}, 0, 0]]\n"
                                       "interpolation = \"monotone\"\n",
                                       at,
                                       c + w,
                                       d),
                    "b.x",
                    d};
        }
        case 8:
            return {rows("interpolation = \"spline\"\n"), "b.vx", std::nan("")};
        default: {  // a smooth step of a support, whose middle nobody knows
            const double d = 0.1 + u(random);
            return {
                body + fmt::format("[[constraint]]\nname = \"c\"\ntype = \"position\"\n"
                                   "a = \"b@[0, 0, 0]\"\nb = \"ground@[0, 0, 0]\"\n"
                                   "motion = [\"{:.17g}*(1 + tanh((t - {})/{}))\", \"0\", \"0\"]\n",
                                   0.5 * d,
                                   at,
                                   wide),
                "b.x",
                d};
        }
    }
}

TEST_CASE(
    "dopri5 from rest: of two hundred loads and motions that come late none is stepped over, or "
    "there is a doubt") {
    std::mt19937 random(10);
    for (int i = 0; i < 200; ++i) {
        const Late of = late(i % 10, random);
        CAPTURE(i);
        CAPTURE(of.text);
        Simulation simulation =
            model(of.text + integrator("dopri5", 1e-3, 20.0) + "[output]\nevery = 1.0\n");
        run_to_end(simulation);
        double wanted = of.value;
        if (std::isnan(wanted)) {
            // A spline: against steps that are far shorter than its rows.
            Simulation fine = model(of.text + integrator("emm", 1e-4, 20.0));
            wanted = run_to_end(fine).value(of.column);
        }
        const bool is_right =
            std::abs(simulation.value(of.column) - wanted) <= 1e-6 * (1.0 + std::abs(wanted));
        const bool has_doubt = !simulation.statistics().doubts.empty();
        CHECK((is_right || (of.may_be_missed && has_doubt)));
        if (!of.may_be_missed) CHECK(is_right);
    }
}

TEST_CASE("max_step bounds every step of dopri5, and with it there is no doubt") {
    const std::string text =
        particle("b", 2.0, Vec3::Zero(), Vec3::Zero()) +
        "[[force]]\nname = \"hit\"\ntype = \"point_load\"\nat = \"b@[0, 0, 0]\"\n"
        "force = [\"100*exp(-((t - 10)/0.05)^2)\", \"0\", \"0\"]\n" +
        integrator("dopri5", 1e-3, 20.0) + "[integrator.dopri5]\nmax_step = 0.05\n";
    Simulation simulation = model(text);
    while (!simulation.done()) {
        const double t0 = simulation.time();
        simulation.step();
        CHECK(simulation.time() - t0 <= 0.05 * 1.0011);
    }
    CHECK(simulation.value("b.vx") == doctest::Approx(2.5 * std::sqrt(kPi)).epsilon(1e-7));
    CHECK(simulation.statistics().doubts.empty());
}

}  // namespace
}  // namespace ancora::testing
