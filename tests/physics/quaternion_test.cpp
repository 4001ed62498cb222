// SPDX-License-Identifier: BSD-3-Clause
// The body in quaternions against Euler's top, elliptic pendulums and the body in base vectors.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <boost/math/special_functions/ellint_1.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "support/euler_top.hpp"
#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

constexpr double kGravity = 9.81;  // m/s^2
const std::array<std::string, 2> kTypes{"quaternion_body", "ancf_rigid_body"};

// Sugano's Table 1: a box 3 x 2 x 1 m of 2700 kg/m^3.
const Vec3 kMoments(6750.0, 13500.0, 17550.0);  // kg m^2
const Vec3 kOmega(0.3, 0.5, 0.8);               // rad/s, body axes
std::string box(const std::string& type) {
    return "\n[[body]]\nname = \"box\"\ntype = \"" + type +
           "\"\nsize = [3.0, 2.0, 1.0]\ndensity = 2700.0\nangular_velocity = [0.3, 0.5, 0.8]\n";
}
std::string body(const std::string& name, const std::string& type, const std::string& more) {
    return "\n[[body]]\nname = \"" + name + "\"\ntype = \"" + type + "\"\n" + more + "\n";
}
std::string joint(const std::string& name, const std::string& a, const std::string& b) {
    return "\n[[constraint]]\nname = \"" + name + "\"\ntype = \"position\"\na = \"" + a +
           "\"\nb = \"" + b + "\"\n";
}
std::string dopri5(double end, double tol, double step = 1e-2) {
    return fmt::format(
        "\n[integrator]\ntype = \"dopri5\"\nstep = {:.17g}\nend = {:.17g}\ntolerance = {:.17g}\n",
        step,
        end,
        tol);
}
std::string rk4(double step, double end) {
    return fmt::format(
        "\n[integrator]\ntype = \"rk4\"\nstep = {:.17g}\nend = {:.17g}\n", step, end);
}
std::string triple(const Vec3& x) {
    return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x(0), x(1), x(2));
}

/// Three columns NAME.x, NAME.y, NAME.z, or those of an angular velocity, of a row.
class Row {
public:
    explicit Row(const Simulation& simulation)
        : names_(simulation.column_names()), values_(names_.size()) {}
    void read(const Simulation& simulation) { simulation.sample(values_); }
    void read(const Simulation& simulation, double t) { simulation.sample_at(t, values_); }
    double operator[](const std::string& name) const {
        const auto at = std::find(names_.begin(), names_.end(), name);
        REQUIRE(at != names_.end());
        return values_[at - names_.begin()];
    }
    Vec3 vector(const std::string& x, const std::string& y, const std::string& z) const {
        return {(*this)[x], (*this)[y], (*this)[z]};
    }
    Vec3 omega(const std::string& name) const {
        return vector(name + ".wx", name + ".wy", name + ".wz");
    }
    Eigen::Quaterniond quaternion(const std::string& name) const {
        return {(*this)[name + ".qw"],
                (*this)[name + ".qx"],
                (*this)[name + ".qy"],
                (*this)[name + ".qz"]};
    }

private:
    std::vector<std::string> names_;
    std::vector<double> values_;
};

TEST_SUITE("free box") {
    // Angular velocity in body axes: Taylor series of order 30 of Euler's equations in 113 bits.
    struct Sample {
        double t;
        Vec3 omega;
    };
    const Sample kTable[] = {
        {1.0, {0.035348449362781, 0.606905250296010, 0.763615519811942}},
        {2.0, {-0.236860120440311, 0.543319774896272, 0.786302087123481}},
        {5.0, {-0.418720026211464, -0.369095361931431, 0.833484522317389}},
        {10.0, {0.498875607907583, 0.195356521381940, 0.861303749454175}},
        {100.0, {0.288915549920519, 0.508629275621088, 0.797380404578850}},
    };

    TEST_CASE("100 s of tumbling in either coordinates: omega and attitude are Euler's to 1e-9") {
        const EulerTop top(kMoments, kOmega);
        for (const std::string& type : kTypes) {
            CAPTURE(type);
            Simulation simulation = model(box(type) + dopri5(100.0, 1e-12));
            Row row(simulation);
            std::size_t next = 0;
            while (!simulation.done()) {
                simulation.step();
                for (; next < std::size(kTable) && kTable[next].t <= simulation.time(); ++next) {
                    CAPTURE(kTable[next].t);
                    row.read(simulation, kTable[next].t);
                    CHECK((row.omega("box") - kTable[next].omega).norm() <= tolerance(1e-9));
                }
            }
            CHECK(next == std::size(kTable));
            CHECK((omega(simulation, "box") - top.omega(100.0)).norm() <= tolerance(1e-9));
            CHECK(angle_between(attitude(simulation, "box"), top.attitude(100.0)) <=
                  tolerance(1e-9));
            const RunStatistics statistics = simulation.statistics();
            CHECK(statistics.momentum.max_rel <= tolerance(1e-15));
            CHECK(statistics.angular_momentum.max_rel <= tolerance(1e-10));
            CHECK(statistics.energy.max_rel <= tolerance(1e-10));
            CHECK(statistics.constraint_position.max_abs <= tolerance(1e-13));
        }
    }

    TEST_CASE("rk4 converges to Euler's top with order 4 in omega, attitude and balances") {
        const EulerTop top(kMoments, kOmega);
        struct Errors {
            double omega, attitude, energy, angular_momentum;
        } errors[2];
        const double steps[] = {0.1, 0.05};
        for (int i = 0; i < 2; ++i) {
            Simulation simulation = model(box("quaternion_body") + rk4(steps[i], 10.0));
            run_to_end(simulation);
            const RunStatistics statistics = simulation.statistics();
            errors[i] = {(omega(simulation, "box") - top.omega(10.0)).norm(),
                         angle_between(attitude(simulation, "box"), top.attitude(10.0)),
                         statistics.energy.max_rel,
                         statistics.angular_momentum.max_rel};
        }
        const auto order = [&](double Errors::*what) {
            return observed_order(steps[0], errors[0].*what, steps[1], errors[1].*what);
        };
        CHECK(order(&Errors::omega) == near(4.0, 0.2));
        CHECK(order(&Errors::attitude) == near(4.0, 0.2));
        CHECK(order(&Errors::energy) >= 3.8);
        CHECK(order(&Errors::angular_momentum) >= 3.8);
    }

    TEST_CASE("emm refuses it in words") {
        try {
            model(box("quaternion_body") +
                  "\n[integrator]\ntype = \"emm\"\nstep = 1e-3\nend = 1\n");
            FAIL("not refused");
        } catch (const Error& error) {
            CHECK(error.kind() == ErrorKind::manifest);
            CHECK(error.message() ==
                  "body \"box\" (type quaternion_body) has a mass matrix that depends on its "
                  "state: integrator \"emm\" steps on the discrete face and cannot serve it; "
                  "choose an integrator that works on accelerations, or a body with a constant "
                  "mass matrix");
            CHECK(std::string(error.what()).find("test.toml:2:") == 0);
        }
    }
}

/// A free body whose reference point is off its centre of mass by c, thrown under gravity:
///
///   x = x_c - R c,  x_c = x_c0 + v_c0 t + g t^2 / 2,  R and w of Euler's top
struct OffCentre {
    const Vec3 moments{1.0, 2.0, 2.6}, c{0.4, -0.3, 0.2}, w_0{0.9, 0.3, -0.2};
    const Vec3 x_0{1.0, 2.0, 3.0}, v_0{0.5, -0.4, 0.3}, gravity{0.0, 1.0, -9.81};
    const Eigen::Quaterniond p_0 = Eigen::Quaterniond(-0.5, 0.1, 0.7, -0.4).normalized();
    const Mat3 R_0 = p_0.toRotationMatrix();
    static constexpr double kMass = 3.0;
    const EulerTop top{moments, w_0, R_0};

    std::string text(const std::string& type) const {
        return "[model]\ngravity = " + triple(gravity) + "\n" +
               body("body",
                    type,
                    fmt::format("mass = {:.17g}\ninertia = {}\ncenter_of_mass = {}\n"
                                "position = {}\nvelocity = {}\nangular_velocity = {}\n"
                                "orientation = [{:.17g}, {:.17g}, {:.17g}, {:.17g}]",
                                kMass,
                                triple(moments),
                                triple(c),
                                triple(x_0),
                                triple(v_0),
                                triple(w_0),
                                p_0.w(),
                                p_0.x(),
                                p_0.y(),
                                p_0.z()));
    }
    Vec3 centre(double t) const {
        return x_0 + R_0 * c + centre_velocity(0.0) * t + 0.5 * gravity * t * t;
    }
    Vec3 centre_velocity(double t) const { return v_0 + R_0 * w_0.cross(c) + gravity * t; }
    Vec3 position(double t) const { return centre(t) - top.attitude(t) * c; }
    Vec3 velocity(double t) const {
        return centre_velocity(t) - top.attitude(t) * top.omega(t).cross(c);
    }
};

TEST_SUITE("off-centre centre of mass") {
    TEST_CASE("the centre falls on a parabola, the reference point winds about it") {
        const OffCentre exact;
        for (const std::string& type : kTypes) {
            CAPTURE(type);
            Simulation simulation = model(exact.text(type) + dopri5(3.0, 1e-12));
            const ModelAnalysis analysis = simulation.analyse();
            CHECK(analysis.mass == near(exact.kMass, 1e-14));
            CHECK((vec3(analysis.center_of_mass) - exact.centre(0.0)).norm() <= tolerance(1e-14));
            CHECK(analysis.degrees_of_freedom == 6);
            const Mat3 J_W = exact.R_0 * Mat3(exact.moments.asDiagonal()) * exact.R_0.transpose();
            for (int i = 0; i < 9; ++i)
                CHECK(analysis.inertia[i] == near(J_W(i / 3, i % 3), 1e-12));
            while (!simulation.done()) {
                simulation.step();
                const double t = simulation.time();
                const Pose pose = simulation.pose("body");
                CHECK((vec3(pose.position) - exact.position(t)).norm() <= tolerance(1e-10));
                CHECK((vec3(pose.velocity) - exact.velocity(t)).norm() <= tolerance(1e-10));
                CHECK((vec3(pose.angular_velocity) - exact.top.omega(t)).norm() <=
                      tolerance(1e-10));
                CHECK(angle_between(attitude(simulation, "body"), exact.top.attitude(t)) <=
                      tolerance(1e-10));
                const Simulation::PointState centre = simulation.point("body@" + triple(exact.c));
                CHECK((vec3(centre.position) - exact.centre(t)).norm() <= tolerance(1e-11));
                CHECK((vec3(centre.velocity) - exact.centre_velocity(t)).norm() <=
                      tolerance(1e-11));
                const Vec3 P = exact.kMass * exact.centre_velocity(t);
                CHECK((columns(simulation, "momentum") - P).norm() <= tolerance(1e-10));
                const Vec3 L =
                    exact.centre(t).cross(P) + exact.R_0 * exact.moments.cwiseProduct(exact.w_0);
                CHECK((columns(simulation, "angular_momentum") - L).norm() <= tolerance(1e-9));
                const Vec3 w = exact.top.omega(t);
                CHECK(column(simulation, "energy.kinetic") ==
                      near(0.5 * P.squaredNorm() / exact.kMass +
                               0.5 * w.dot(exact.moments.cwiseProduct(w)),
                           1e-9));
            }
            const RunStatistics statistics = simulation.statistics();
            CHECK(statistics.energy.max_rel <= tolerance(1e-11));
            CHECK(statistics.momentum.max_rel <= tolerance(1e-13));
            CHECK(statistics.angular_momentum.max_rel <= tolerance(1e-11));
        }
    }

    // Principal axes turned by 0.5 rad about z: J = S diag(1, 2, 2.5) S^T.
    TEST_CASE("oblique inertia: Euler's top in the principal axes") {
        const Mat3 S = Eigen::AngleAxisd(0.5, Vec3::UnitZ()).toRotationMatrix();
        const Vec3 moments(1.0, 2.0, 2.5), w_0(0.9, 0.3, -0.2);
        const Mat3 J = S * moments.asDiagonal() * S.transpose();
        const EulerTop top(moments, S.transpose() * w_0);
        for (const std::string& type : kTypes) {
            CAPTURE(type);
            Simulation simulation =
                model(body("body",
                           type,
                           fmt::format("mass = 2.0\ninertia = [{}, {}, {}]\nangular_velocity = {}",
                                       triple(J.row(0)),
                                       triple(J.row(1)),
                                       triple(J.row(2)),
                                       triple(w_0))) +
                      dopri5(5.0, 1e-12));
            run_to_end(simulation);
            CHECK((omega(simulation, "body") - S * top.omega(5.0)).norm() <= tolerance(1e-10));
            CHECK(angle_between(attitude(simulation, "body"),
                                S * top.attitude(5.0) * S.transpose()) <= tolerance(1e-10));
        }
    }
    TEST_CASE("a plate, J3 = J1 + J2, moves as Euler's top in either coordinates") {
        const Vec3 moments(1.0, 2.0, 3.0), w_0(0.9, 0.3, -0.2);
        const EulerTop top(moments, w_0);
        for (const std::string& type : kTypes) {
            CAPTURE(type);
            Simulation simulation = model(
                body("body",
                     type,
                     "mass = 2.0\ninertia = [1.0, 2.0, 3.0]\nangular_velocity = " + triple(w_0)) +
                dopri5(5.0, 1e-12));
            run_to_end(simulation);
            CHECK((omega(simulation, "body") - top.omega(5.0)).norm() <= tolerance(1e-10));
            CHECK(angle_between(attitude(simulation, "body"), top.attitude(5.0)) <=
                  tolerance(1e-10));
        }
    }
}

TEST_SUITE("joints on quaternion bodies") {
    // Released with the line to the pin horizontal: w_0^2 = M g d / (J + M d^2), a quarter swing
    // takes K(sin 45 deg) / w_0, at the bottom the rate is sqrt(2) w_0 and the pin carries
    // M (g + 2 d w_0^2).
    TEST_CASE("a pendulum swings as its elliptic integral says") {
        constexpr double M = 2.0, d = 0.5, J = 0.4;
        const double w = std::sqrt(M * kGravity * d / (J + M * d * d));
        const double quarter = boost::math::ellint_1(std::numbers::sqrt2 / 2.0) / w;
        Simulation simulation =
            model("[model]\ngravity = [0.0, 0.0, -9.81]\n" +
                  body("body",
                       "quaternion_body",
                       "mass = 2.0\ninertia = [0.3, 0.4, 0.2]\nposition = [-0.5, 0.0, 0.0]") +
                  joint("pin", "body@[0.5, 0.0, 0.0]", "ground@[0.0, 0.0, 0.0]") +
                  dopri5(5.0 * quarter, 1e-12));
        run_to_end(simulation);
        const Pose pose = simulation.pose("body");
        CHECK(std::atan2(pose.position[0], -pose.position[2]) == near(0.0, 1e-10));
        CHECK(pose.angular_velocity[1] == near(-std::numbers::sqrt2 * w, 1e-10));
        const double load = M * (kGravity + 2.0 * d * w * w);
        CHECK((columns(simulation, "pin.force") - Vec3(0.0, 0.0, load)).norm() <= tolerance(1e-8));
        const RunStatistics statistics = simulation.statistics();
        CHECK(statistics.energy.max_rel <= tolerance(1e-10));
        CHECK(statistics.momentum.max_rel <= tolerance(1e-10));
        CHECK(statistics.angular_momentum.max_rel <= tolerance(1e-10));
        CHECK(statistics.constraint_position.max_abs <= tolerance(1e-13));
    }

    // Pinned off their principal axes, under gravity that lies in no plane of theirs.
    std::string pair(const std::string& first, const std::string& second) {
        return "[model]\ngravity = [1.0, 2.0, -9.0]\n" +
               body("upper",
                    first,
                    "mass = 2.0\ninertia = [0.2, 0.3, 0.4]\nposition = [0.5, -0.1, 0.2]") +
               body("lower",
                    second,
                    "mass = 1.5\ninertia = [0.3, 0.1, 0.35]\ncenter_of_mass = [0.1, 0.0, -0.1]\n"
                    "position = [1.3, -0.2, 0.4]\norientation = [0.6, 0.0, 0.8, 0.0]") +
               joint("top", "ground@[0.0, 0.0, 0.0]", "upper@[-0.5, 0.1, -0.2]");
    }

    TEST_CASE("two bodies in a chain move alike in quaternions, in base vectors and mixed") {
        // The elbow in the axes of the turned lower body: R^T (1, -0.2, 0.3 - position)
        const Mat3 R = Eigen::Quaterniond(0.6, 0.0, 0.8, 0.0).toRotationMatrix();
        const Vec3 elbow(1.0, -0.1, 0.3);
        const Vec3 on_upper = elbow - Vec3(0.5, -0.1, 0.2);
        const Vec3 on_lower = R.transpose() * (elbow - Vec3(1.3, -0.2, 0.4));
        const std::string more =
            joint("elbow", "lower@" + triple(on_lower), "upper@" + triple(on_upper)) +
            dopri5(2.0, 1e-12);
        Simulation reference = model(pair("ancf_rigid_body", "ancf_rigid_body") + more);
        run_to_end(reference);
        CHECK(reference.statistics().energy.max_rel <= tolerance(1e-10));
        for (const auto& [first, second] : {std::pair("quaternion_body", "quaternion_body"),
                                            std::pair("quaternion_body", "ancf_rigid_body"),
                                            std::pair("ancf_rigid_body", "quaternion_body")}) {
            CAPTURE(first);
            CAPTURE(second);
            Simulation simulation = model(pair(first, second) + more);
            CHECK(simulation.analyse().degrees_of_freedom == 6);
            run_to_end(simulation);
            for (const char* name : {"upper", "lower"}) {
                CAPTURE(name);
                const Pose a = simulation.pose(name), b = reference.pose(name);
                CHECK((vec3(a.position) - vec3(b.position)).norm() <= tolerance(1e-9));
                CHECK((vec3(a.velocity) - vec3(b.velocity)).norm() <= tolerance(1e-8));
                CHECK((vec3(a.angular_velocity) - vec3(b.angular_velocity)).norm() <=
                      tolerance(1e-8));
                CHECK(angle_between(attitude(simulation, name), attitude(reference, name)) <=
                      tolerance(1e-9));
            }
            for (const std::string pin : {"top.force", "elbow.force"})
                CHECK((columns(simulation, pin) - columns(reference, pin)).norm() <=
                      tolerance(1e-7));
            const RunStatistics statistics = simulation.statistics();
            CHECK(statistics.energy.max_rel <= tolerance(1e-10));
            CHECK(statistics.momentum.max_rel <= tolerance(1e-10));
            CHECK(statistics.angular_momentum.max_rel <= tolerance(1e-10));
            CHECK(statistics.constraint_position.max_abs <= tolerance(1e-12));
            CHECK(statistics.constraint_velocity.max_abs <= tolerance(1e-11));
        }
    }
}

TEST_SUITE("columns of a quaternion body") {
    // Three turns: q and -q are one attitude, and the columns must choose once.
    TEST_CASE("the quaternion is of unit length, starts with q_w >= 0 and never jumps") {
        const Eigen::Quaterniond p_0 = Eigen::Quaterniond(-0.5, 0.1, 0.7, -0.4).normalized();
        Simulation simulation =
            model(body("body",
                       "quaternion_body",
                       fmt::format("mass = 2.0\ninertia = [1.0, 1.0, 1.0]\n"
                                   "angular_velocity = [0.0, 0.0, 2.0]\n"
                                   "orientation = [{:.17g}, {:.17g}, {:.17g}, {:.17g}]",
                                   p_0.w(),
                                   p_0.x(),
                                   p_0.y(),
                                   p_0.z())) +
                  rk4(0.01, 3.0 * std::numbers::pi));
        Row row(simulation);
        row.read(simulation);
        Eigen::Quaterniond last = row.quaternion("body");
        CHECK((last.coeffs() + p_0.coeffs()).norm() <= tolerance(1e-15));
        CHECK(last.w() >= 0.0);
        while (!simulation.done()) {
            simulation.step();
            row.read(simulation);
            const Eigen::Quaterniond p = row.quaternion("body");
            CHECK(p.norm() == near(1.0, 1e-13));
            CHECK((p.coeffs() - last.coeffs()).norm() <= 0.011);
            const Eigen::AngleAxisd turned(2.0 * simulation.time(), Vec3::UnitZ());
            CHECK((p.toRotationMatrix() - (p_0 * turned).toRotationMatrix()).norm() <=
                  tolerance(1e-8));
            CHECK((row.omega("body") - Vec3(0.0, 0.0, 2.0)).norm() <= tolerance(1e-10));
            last = p;
        }
    }
    TEST_CASE("position and velocity columns are those of the reference point") {
        const OffCentre exact;
        Simulation simulation = model(exact.text("quaternion_body") + dopri5(1.0, 1e-11));
        run_to_end(simulation);
        CHECK((columns(simulation, "body") - exact.position(1.0)).norm() <= tolerance(1e-9));
        const Vec3 v(column(simulation, "body.vx"),
                     column(simulation, "body.vy"),
                     column(simulation, "body.vz"));
        CHECK((v - exact.velocity(1.0)).norm() <= tolerance(1e-9));
    }
}

}  // namespace
}  // namespace ancora::testing
