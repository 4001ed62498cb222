// SPDX-License-Identifier: BSD-3-Clause
// Closed forms in the coordinates of joints: loops of too many conditions, bodies that float; and
// placing them.
#include "ancora/framework/joint_space.hpp"

#include <cmath>
#include <complex>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "support/mechanisms.hpp"
#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

std::string numbers(const Vec3& x) {
    return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x(0), x(1), x(2));
}
std::string attitude(const Mat3& R) {
    const Eigen::Quaterniond p(R);
    return fmt::format(
        "orientation = [{:.17g}, {:.17g}, {:.17g}, {:.17g}]\n", p.w(), p.x(), p.y(), p.z());
}

/// Crank, rod and slider in a plane of any attitude, hinges and guide with all their conditions.
struct SliderCrank {
    explicit SliderCrank(unsigned seed) : random(seed) {
        const auto number = [this](double low, double high) {
            return std::uniform_real_distribution<double>(low, high)(random);
        };
        r = number(0.2, 0.6);
        l = r * number(1.3, 3.0);
        for (double* m : {&m1, &m2, &m3}) *m = number(0.5, 4.0);
        J1 = number(0.01, 0.1);
        J2 = number(0.01, 0.1);
        theta = number(0.3, 2.6);  // between the dead points
        rate = number(-4.0, 4.0);
        gravity = {number(-9.0, 9.0), number(-9.0, 9.0), number(-9.0, 9.0)};
        R = Eigen::Quaterniond(number(-1, 1), number(-1, 1), number(-1, 1), number(-1, 1))
                .normalized()
                .toRotationMatrix();
    }
    std::mt19937 random;
    double r, l, m1, m2, m3, J1, J2, theta, rate;
    Vec3 gravity;
    Mat3 R;

    template <class T>
    T slider(T th) const {
        using std::cos, std::sin, std::sqrt;
        return r * cos(th) + sqrt(l * l - r * r * sin(th) * sin(th));
    }
    /// dx/dtheta of the slider, and of the angle of the rod about the normal.
    template <class T>
    T slide(T th) const {
        using std::cos, std::sin, std::sqrt;
        return -r * sin(th) - r * r * sin(th) * cos(th) / sqrt(l * l - r * r * sin(th) * sin(th));
    }
    template <class T>
    T turn(T th) const {
        using std::cos, std::sin, std::sqrt;
        return -r * cos(th) / sqrt(l * l - r * r * sin(th) * sin(th));
    }
    template <class T>
    T mass(T th) const {
        using std::cos, std::sin;
        const T dx = slide(th), dphi = turn(th);
        // The rod's centre is between crank pin and slider.
        const T ux = 0.5 * (-r * sin(th) + dx), uy = 0.5 * r * cos(th);
        return m1 * 0.25 * r * r + J1 + m2 * (ux * ux + uy * uy) + J2 * dphi * dphi + m3 * dx * dx;
    }
    double bias() const {
        // M'(theta) theta'^2 / 2 by a complex step, and the weights
        constexpr double h = 1e-30;
        const double slope = mass(std::complex<double>(theta, h)).imag() / h;
        const Vec3 g = R.transpose() * gravity;
        const double dx = slide(theta), s = std::sin(theta), c = std::cos(theta);
        const double weight = m1 * 0.5 * r * (-g(0) * s + g(1) * c) +
                              m2 * (g(0) * 0.5 * (-r * s + dx) + g(1) * 0.5 * r * c) +
                              m3 * g(0) * dx;
        return 0.5 * slope * rate * rate - weight;
    }
    std::string text() const {
        const Vec3 pin(r * std::cos(theta), r * std::sin(theta), 0.0), end(slider(theta), 0.0, 0.0);
        const Mat3 along_crank = R * Eigen::AngleAxisd(theta, Vec3::UnitZ()).toRotationMatrix();
        const Vec3 rod = (end - pin) / l;
        const Mat3 along_rod =
            R * Eigen::AngleAxisd(std::atan2(rod(1), rod(0)), Vec3::UnitZ()).toRotationMatrix();
        const auto part =
            [&](const char* name, const Vec3& at, const Mat3& turned, double m, double J) {
                return body(name,
                            "ancf_rigid_body",
                            "position = " + numbers(R * at) + "\n" + attitude(turned),
                            m,
                            fmt::format("[{0:.17g}, {0:.17g}, {0:.17g}]", J));
            };
        const auto joint = [&](const char* name,
                               const char* type,
                               const char* a,
                               const char* b,
                               const Vec3& at,
                               const Vec3& axis) {
            return constraint(name,
                              type,
                              fmt::format("a = \"{}\"\nb = \"{}\"\npoint = {}\naxis = {}",
                                          a,
                                          b,
                                          numbers(R * at),
                                          numbers(R * axis)));
        };
        return "[model]\ngravity = " + numbers(gravity) + "\n" +
               part("crank", 0.5 * pin, along_crank, m1, J1) +
               part("rod", 0.5 * (pin + end), along_rod, m2, J2) +
               part("slider", end, R, m3, 0.05) +
               joint("shaft", "revolute", "ground", "crank", Vec3::Zero(), Vec3::UnitZ()) +
               joint("knee", "revolute", "crank", "rod", pin, Vec3::UnitZ()) +
               joint("gudgeon", "revolute", "rod", "slider", end, Vec3::UnitZ()) +
               joint("guide", "prismatic", "ground", "slider", end, Vec3::UnitX()) +
               steps("emm", 1e-3, 1.0);
    }
};

/// At these rates of its coordinates.
void set_rates(Simulation& simulation, const std::vector<double>& rates) {
    const JointSpace space = simulation.joint_space();
    std::vector<double> v(simulation.v().size(), 0.0);
    const std::size_t r = space.coordinates.size();
    REQUIRE(r == rates.size());
    for (std::size_t i = 0; i < v.size(); ++i)
        for (std::size_t k = 0; k < r; ++k) v[i] += space.T[i * r + k] * rates[k];
    const std::vector<double> q(simulation.q().begin(), simulation.q().end());
    simulation.set_state(q, v);
}

TEST_SUITE("joint space") {
    TEST_CASE("slider-cranks at any attitude, with redundant conditions, by crank and by slider") {
        for (unsigned seed = 1; seed <= 12; ++seed) {
            CAPTURE(seed);
            const SliderCrank crank(seed);
            Simulation simulation = model(crank.text());
            set_rates(simulation, {crank.rate});
            const JointSpace by_crank = simulation.joint_space();
            REQUIRE(by_crank.coordinates.size() == 1);
            CHECK(by_crank.coordinates[0].name == "shaft.angle");
            CHECK(by_crank.coordinates[0].rate == near(crank.rate, 1e-11));
            CHECK(by_crank.following ==
                  std::vector<std::string>{"knee.angle", "gudgeon.angle", "guide.displacement"});
            // 20 of joints in a plane, 18 of rigid bodies; 36 coordinates move in one way.
            CHECK(by_crank.num_conditions == 38);
            CHECK(by_crank.num_redundant == 3);
            CHECK(by_crank.remarks().back() == "3 of 38 conditions are implied by the others");
            const double M = crank.mass(crank.theta);
            CHECK(by_crank.M[0] == near(M, 1e-10 * M));
            const double size = std::abs(crank.bias()) + M * crank.rate * crank.rate + 1.0;
            CHECK(by_crank.bias[0] == near(crank.bias(), 1e-10 * size));

            // x' = slide theta': M' = M / slide^2, and efforts follow from powers.
            const double slide = crank.slide(crank.theta);
            const JointSpace by_slider =
                simulation.joint_space({"guide.displacement"}, {"shaft.angle", "slider"});
            CHECK(by_slider.coordinates[0].rate == near(slide * crank.rate, 1e-11));
            CHECK(by_slider.M[0] == near(M / (slide * slide), 1e-9 * M / (slide * slide)));
            CHECK(by_slider.points[0].J[0] == near(1.0 / slide, 1e-10 / std::abs(slide)));
            for (int i = 0; i < 3; ++i) {
                CHECK(by_slider.points[1].J[static_cast<std::size_t>(i)] ==
                      near(crank.R(i, 0), 1e-11));
                CHECK(by_slider.points[1].J[static_cast<std::size_t>(i) + 3] == near(0.0, 1e-11));
            }
            // tau is what theta'' = 0 takes, less or more of what x'' = 0 takes.
            constexpr double h = 1e-30;
            const double curve = crank.slide(std::complex<double>(crank.theta, h)).imag() / h;
            const double second = -curve * crank.rate * crank.rate / slide;  // theta'' at x'' = 0
            const double expected = (M * second + crank.bias()) / slide;
            CHECK(by_slider.bias[0] ==
                  near(expected, 1e-9 * (std::abs(expected) + size / std::abs(slide))));
            CHECK(by_slider.points[0].bias[0] == near(second, 1e-9 * (std::abs(second) + 1.0)));

            CHECK_THROWS_WITH_AS(simulation.joint_space({"shaft.angle", "knee.angle"}),
                                 doctest::Contains("knee.angle follows from the coordinates"),
                                 Error);
            CHECK_THROWS_WITH_AS(
                simulation.joint_space({"slider.wz"}), doctest::Contains("does not move"), Error);
        }
    }

    TEST_CASE("a slider is placed by the crank that the cosine rule has, and no further") {
        for (unsigned seed = 1; seed <= 12; ++seed) {
            CAPTURE(seed);
            SliderCrank crank(seed);
            Simulation simulation = model(crank.text());
            const double from = crank.slider(crank.theta);
            const double reach = crank.l + crank.r;
            const double x = std::uniform_real_distribution<double>(crank.l - crank.r + 0.02,
                                                                    reach - 0.02)(crank.random);
            const KinematicTarget slider{"guide.displacement", {x - from}};
            const InverseKinematics found = simulation.inverse_kinematics({&slider, 1});
            CHECK(found.is_reached);
            CHECK(found.num_free == 0);
            const double angle =
                std::acos((crank.r * crank.r + x * x - crank.l * crank.l) / (2.0 * crank.r * x));
            CHECK(simulation.value("shaft.angle") == near(angle - crank.theta, 1e-9));
            // Out of reach: the nearest place is a dead point.
            const KinematicTarget far{"guide.displacement", {reach + 0.3 - from}};
            const InverseKinematics nearest = simulation.inverse_kinematics({&far, 1});
            CHECK_FALSE(nearest.is_reached);
            CHECK(nearest.distance == near(0.3, 1e-6));
            run_to_end(simulation);
        }
    }

    TEST_CASE("a body that floats: Euler's equations in its own axes") {
        const Vec3 J(0.02, 0.03, 0.04), w(1.0, -2.0, 0.5);
        for (const char* const type : {"ancf_rigid_body", "quaternion_body"}) {
            CAPTURE(type);
            const std::string text =
                model_text() +
                body("box",
                     type,
                     "position = [1, 2, 3]\norientation = [0.5, 0.5, -0.5, 0.5]\nvelocity = [0.1, "
                     "0.2, 0.3]\nangular_velocity = " +
                         numbers(w),
                     2.0) +
                steps("rk4", 1e-3, 1.0);
            Simulation simulation = model(text);
            const JointSpace space = simulation.joint_space({}, {"box"});
            std::vector<std::string> names;
            for (const auto& one : space.coordinates) names.push_back(one.name);
            CHECK(names == std::vector<std::string>{
                               "box.x", "box.y", "box.z", "box.wx", "box.wy", "box.wz"});
            const Vec3 gyroscopic = w.cross(Vec3(J.cwiseProduct(w)));
            for (std::size_t i = 0; i < 6; ++i) {
                const auto k = static_cast<Eigen::Index>(i % 3);
                CHECK(space.coordinates[i].rate ==
                      near(i < 3 ? 0.1 * static_cast<double>(i + 1) : w(k), 1e-13));
                for (std::size_t j = 0; j < 6; ++j)
                    CHECK(space.M[6 * i + j] == near(i != j ? 0.0 : i < 3 ? 2.0 : J(k), 1e-14));
                CHECK(space.bias[i] ==
                      near(i < 3 ? (i == 2 ? 2.0 * 9.81 : 0.0) : gyroscopic(k), 1e-12));
                // C u is what rates alone take.
                double along = 0.0;
                for (std::size_t j = 0; j < 6; ++j)
                    along += space.C[6 * i + j] * space.coordinates[j].rate;
                CHECK(along == near(i < 3 ? 0.0 : gyroscopic(k), 1e-12));
            }
            const KinematicTarget targets[] = {{"box@[0.1, 0, 0]", {0.0, 0.0, 1.0}},
                                               {"box.orientation", {0.0, 1.0, 0.0, 0.0}}};
            CHECK(simulation.inverse_kinematics(targets).is_reached);
            CHECK((vec3(simulation.pose("box").position) - Vec3(-0.1, 0.0, 1.0)).norm() <=
                  tolerance(1e-9));
        }
    }

    TEST_CASE("a stop is not passed, and said to hold the place") {
        const std::string text =
            model_text() + body("arm", "ancf_rigid_body", "position = [0.5, 0, 0]") +
            constraint("hinge",
                       "revolute",
                       "a = \"ground\"\nb = \"arm\"\npoint = [0, 0, 0]\naxis = [0, 1, 0]\nlimits = "
                       "{ lower = -0.5, upper = 1.0 }") +
            steps("emm", 1e-3, 0.1);
        Simulation simulation = model(text);
        const KinematicTarget inside{"hinge.angle", {0.7}}, outside{"hinge.angle", {1.4}};
        CHECK(simulation.inverse_kinematics({&inside, 1}).is_reached);
        const InverseKinematics held = simulation.inverse_kinematics({&outside, 1});
        CHECK_FALSE(held.is_reached);
        CHECK(held.angle == near(0.4, 1e-9));
        REQUIRE(held.at_limits.size() == 1);
        CHECK(held.at_limits[0].find("hinge") != std::string::npos);
        CHECK(simulation.value("hinge.angle") == near(1.0, 1e-9));
        run_to_end(simulation);
    }

    // Rotations about the hinges' axes, one behind the other, say where the hand can be.
    TEST_CASE("arms with stops reach what angles within these reach") {
        for (unsigned seed = 1; seed <= 24; ++seed) {
            CAPTURE(seed);
            std::mt19937 random(seed);
            const auto number = [&random](double low, double high) {
                return low + (high - low) * static_cast<double>(random()) * 0x1p-32;
            };
            const int count = 2 + static_cast<int>(seed % 4);
            // Straight at first, in a plane or not.
            const bool is_plane = seed % 3 == 0;
            std::string text = model_text();
            Vec3 at = Vec3::Zero();
            Eigen::Isometry3d placed = Eigen::Isometry3d::Identity();
            for (int i = 0; i < count; ++i) {
                const double length = number(0.3, 1.0);
                const Vec3 axis = is_plane ? Vec3(Vec3::UnitZ())
                                           : Vec3(number(-1, 1), number(-1, 1), number(-1, 1));
                const double lower = -number(0.2, 2.5), upper = number(0.2, 2.5);
                const Vec3 end = at + length * Vec3::UnitX();
                text += fmt::format(
                    "[[body]]\nname = \"link{0}\"\ntype = \"ancf_rigid_body\"\nfrom = {1}\nto = "
                    "{2}\nradius = 0.05\nmass = {3:.17g}\n[[joint]]\nname = \"hinge{0}\"\ntype = "
                    "\"revolute\"\na = \"{4}\"\nb = \"link{0}\"\npoint = {1}\naxis = {5}\nlimits = "
                    "{{ lower = {6:.17g}, upper = {7:.17g} }}\n",
                    i,
                    numbers(at),
                    numbers(end),
                    number(0.2, 5.0),
                    i == 0 ? "ground" : fmt::format("link{}", i - 1),
                    numbers(axis),
                    lower,
                    upper);
                const double angle = number(lower, upper);
                placed.translate(at);
                placed.rotate(Eigen::AngleAxisd(angle, axis.normalized()));
                placed.translate(Vec3(-at));
                at = end;
            }
            const Vec3 wanted = placed * at;
            Simulation simulation = model(text + steps("emm", 1e-3, 0.1));
            const std::string hand = fmt::format("link{}@to", count - 1);
            const KinematicTarget target{hand, {wanted(0), wanted(1), wanted(2)}};
            const InverseKinematics found = simulation.inverse_kinematics({&target, 1});
            CHECK(found.is_reached);
            CHECK(found.distance <= tolerance(1e-9));
        }
    }

    TEST_CASE("models that are no mechanism of rigid bodies are refused in words") {
        Simulation box =
            model(model_text() + body("box", "ancf_rigid_body", "") + steps("emm", 1e-3, 0.1));
        const auto refused = [&](const auto& call, const char* words) {
            CHECK_THROWS_WITH_AS(call(), doctest::Contains(words), Error);
        };
        Simulation elastic = model(
            model_text() +
            "[[body]]\nname = \"block\"\ntype = \"ancf_rigid_body\"\nmass = 1\ninertia = [0.02, "
            "0.03, 0.04]\npenalty = 1e6\n" +
            steps("emm", 1e-3, 0.1));
        refused(
            [&] {
                elastic.joint_space();
            },
            "6 degrees of freedom, such as a motion of body");
        refused(
            [&] {
                box.joint_space({"bax.x"});
            },
            "there is no \"bax.x\"; did you mean \"box\"?");
        refused(
            [&] {
                box.joint_space({"box"});
            },
            "take its components");
        refused(
            [&] {
                box.joint_space({"box.x"});
            },
            "leave 5 degrees of freedom");
        const auto place = [&](const std::string& of, std::vector<double> value) {
            const KinematicTarget target{of, std::move(value)};
            box.inverse_kinematics({&target, 1});
        };
        refused(
            [&] {
                place("box", {1.0});
            },
            "box takes 3 numbers");
        refused(
            [&] {
                place("box.orientation", {0.0, 0.0, 0.0, 0.0});
            },
            "not zero");
        refused(
            [&] {
                place("box.wx", {0.0});
            },
            "no place");
        refused(
            [&] {
                place("box.x", {std::nan("")});
            },
            "not finite");
        refused(
            [&] {
                box.inverse_kinematics({});
            },
            "nothing to be placed");
        refused(
            [&] {
                KinematicTarget::parse("box");
            },
            "is no target");
        const KinematicTarget parsed = KinematicTarget::parse("box@[0, 0, 1] = [1, 2.5, -3]");
        CHECK(parsed.of == "box@[0, 0, 1]");
        CHECK(parsed.value == std::vector<double>{1.0, 2.5, -3.0});
    }
}

}  // namespace
}  // namespace ancora::testing
