// SPDX-License-Identifier: BSD-3-Clause
// Bodies that weigh what their shape and density say: against mass and inertia given in numbers.
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

std::string numbers(const Vec3& x) {
    return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x.x(), x.y(), x.z());
}

std::string spinning(const std::string& mass) {
    return "[[body]]\nname = \"part\"\ntype = \"ancf_rigid_body\"\npenalty = inf\nvelocity = [1, "
           "2, "
           "3]\nangular_velocity = [0.7, -1.1, 0.4]\n" +
           mass + "\n[integrator]\ntype = \"emm\"\nstep = 0.01\nend = 0.01\n";
}

/// Momentum, angular momentum and energy of the start say mass, centre and inertia.
std::array<double, 7> invariants(const std::string& mass) {
    const Simulation simulation = model(spinning(mass));
    std::array<double, 7> out{};
    std::size_t i = 0;
    for (const char* const name : {"momentum.x",
                                   "momentum.y",
                                   "momentum.z",
                                   "angular_momentum.x",
                                   "angular_momentum.y",
                                   "angular_momentum.z",
                                   "energy.kinetic"})
        out[i++] = column(simulation, name);
    return out;
}

void check_alike(const std::string& shape, const std::string& given, double small = 1e-12) {
    const std::array<double, 7> by_shape = invariants("density = 2700\n" + shape);
    const std::array<double, 7> by_numbers = invariants(given);
    for (std::size_t i = 0; i < 7; ++i) {
        CAPTURE(i);
        CHECK(by_shape[i] == near(by_numbers[i], small * (1.0 + std::abs(by_numbers[i]))));
    }
}

std::string given(double mass, const Vec3& center, const Mat3& J) {
    return fmt::format("mass = {:.17g}\ncenter_of_mass = {}\ninertia = [{}, {}, {}]",
                       mass,
                       numbers(center),
                       numbers(J.col(0)),
                       numbers(J.col(1)),
                       numbers(J.col(2)));
}

constexpr double kDensity = 2700.0;

TEST_CASE("a body weighs what its box, ball or cylinder says, wherever it stands") {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> uniform(0.1, 0.6);
    for (int i = 0; i < 6; ++i) {
        CAPTURE(i);
        const Vec3 a(uniform(random), uniform(random), uniform(random));
        const Vec3 x(uniform(random), -uniform(random), uniform(random));
        const Eigen::Quaterniond q =
            Eigen::Quaterniond(uniform(random), uniform(random), -uniform(random), uniform(random))
                .normalized();
        const Mat3 R = q.toRotationMatrix();
        const double m = kDensity * a.prod();
        const Vec3 squares = a.cwiseAbs2() / 12.0;
        const Mat3 J =
            R * Vec3(m * (Vec3::Constant(squares.sum()) - squares)).asDiagonal() * R.transpose();
        check_alike(fmt::format("shape = {{ box = {}, position = {}, orientation = [{:.17g}, "
                                "{:.17g}, {:.17g}, {:.17g}] }}",
                                numbers(a),
                                numbers(x),
                                q.w(),
                                q.x(),
                                q.y(),
                                q.z()),
                    given(m, x, J));
        const double r = a.x(), ball = kDensity * 4.0 / 3.0 * std::numbers::pi * r * r * r;
        check_alike(fmt::format("shape = {{ sphere = {:.17g}, position = {} }}", r, numbers(x)),
                    given(ball, x, Mat3(0.4 * ball * r * r * Mat3::Identity())));
        // From y to z, about the unit vector n: J = m r^2 / 2 n n^T + ... across
        const Vec3 y(a.y(), -a.z(), 0.1), z(x), n = (z - y).normalized();
        const double l = (z - y).norm(), cylinder = kDensity * std::numbers::pi * r * r * l;
        const double along = 0.5 * cylinder * r * r,
                     across = cylinder * (r * r / 4.0 + l * l / 12.0);
        check_alike(
            fmt::format("shape = {{ cylinder = {{ from = {}, to = {}, radius = {:.17g} }} }}",
                        numbers(y),
                        numbers(z),
                        r),
            given(cylinder,
                  0.5 * (y + z),
                  Mat3(across * Mat3::Identity() + (along - across) * n * n.transpose())));
    }
}

TEST_CASE("several solids are one body") {
    // Two balls of radius 0.1, 0.6 m apart.
    const double m = kDensity * 4.0 / 3.0 * std::numbers::pi * 1e-3, J = 0.4 * m * 0.01;
    check_alike(
        "shape = [{ sphere = 0.1, position = [0.2, 0, 0] }, { sphere = 0.1, position = "
        "[0.8, 0, 0] }]",
        given(2.0 * m,
              Vec3(0.5, 0, 0),
              Vec3(2.0 * J, 2.0 * J + 2.0 * m * 0.09, 2.0 * J + 2.0 * m * 0.09).asDiagonal()));
}

/// A box with a corner cut off, as text: (0, 0, 0), (2, 0, 0), (0, 3, 0), (0, 0, 4), a tetrahedron.
std::string tetrahedron(bool is_open) {
    std::string out = "v 0 0 0\nv 2 0 0\nv 0 3 0\nv 0 0 4\nf 1 3 2\nf 1 2 4\nf 1 4 3\n";
    return is_open ? out : out + "f 2 3 4\n";
}

struct Folder {
    std::filesystem::path path = std::filesystem::temp_directory_path() /
                                 fmt::format("shape_weight_{}", std::random_device()());
    Folder() { std::filesystem::create_directories(path); }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(path / name) << text;
        return (path / name).string();
    }
};

TEST_CASE("a mesh weighs what it holds, in its scale and also inside out") {
    const Folder folder;
    // Of edges a, b, c at a right corner: V = abc/6, centre at a quarter, about it
    // integral of x^2 = V 3 a^2 / 80, of xy = -V ab / 80
    const std::string file = folder.write("part.obj", tetrahedron(false));
    for (const double scale : {0.1, -0.1}) {
        CAPTURE(scale);
        const Vec3 e = scale * Vec3(2.0, 3.0, 4.0);
        const double m = kDensity * std::abs(e.prod()) / 6.0;
        Mat3 P;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) P(i, j) = m * e[i] * e[j] * (i == j ? 3.0 : -1.0) / 80.0;
        check_alike(fmt::format("shape = {{ mesh = \"{}\", scale = {} }}", file, scale),
                    given(m, 0.25 * e, Mat3(P.trace() * Mat3::Identity() - P)),
                    1e-6);
    }
}

TEST_CASE("a rod is placed by its ends, and weighs what a cylinder does") {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (int i = 0; i < 6; ++i) {
        CAPTURE(i);
        const Vec3 from(uniform(random), uniform(random), uniform(random));
        const Vec3 to(uniform(random), uniform(random), uniform(random));
        const Vec3 n = (to - from).normalized();
        const double l = (to - from).norm(), r = i % 2 == 0 ? 0.05 : 0.0;
        const double m = i % 3 == 0 && r > 0.0 ? kDensity * std::numbers::pi * r * r * l : 1.7;
        const std::string ends = fmt::format(
            "from = {}\nto = {}\n{}{}",
            numbers(from),
            numbers(to),
            r > 0.0 ? fmt::format("radius = {}\n", r) : "",
            i % 3 == 0 && r > 0.0 ? "density = 2700" : fmt::format("mass = {:.17g}", m));
        // A thin one cannot spin about its axis.
        const double spin = r > 0.0 ? 0.7 : 0.0;
        std::string text = spinning(ends);
        if (r == 0.0) text.replace(text.find("[0.7"), 4, "[0.0");
        Simulation rod = model(text);
        // The same in space: in the middle, and about n
        const Mat3 R = Eigen::Quaterniond::FromTwoVectors(Vec3::UnitX(), n).toRotationMatrix();
        const double along = 0.5 * m * r * r, across = m * (r * r / 4.0 + l * l / 12.0);
        const Vec3 v(1, 2, 3), w = R * Vec3(spin, -1.1, 0.4);
        const Vec3 x = 0.5 * (from + to);
        const Mat3 J = across * Mat3::Identity() + (along - across) * n * n.transpose();
        const Vec3 L = m * x.cross(v) + J * w;
        CHECK(column(rod, "energy.kinetic") ==
              near(0.5 * m * v.squaredNorm() + 0.5 * w.dot(J * w), 1e-11));
        CHECK((Vec3(column(rod, "angular_momentum.x"),
                    column(rod, "angular_momentum.y"),
                    column(rod, "angular_momentum.z")) -
               L)
                  .norm() <= 1e-11);
        CHECK((testing::vec3(rod.point("part@from").position) - from).norm() <= 1e-14);
        CHECK((testing::vec3(rod.point("part@to").position) - to).norm() <= 1e-14);
        run_to_end(rod);
        CHECK((testing::vec3(rod.point("part@to").position) -
               testing::vec3(rod.point("part@from").position))
                  .norm() == near(l, 1e-12));
    }
}

TEST_CASE("rods in a loop are tied at their ends by name") {
    // A four-bar of thin rods between balls and hinges, let go: its energy stays.
    std::string text = "[model]\ngravity = [0, 0, -9.81]\n";
    const std::array<Vec3, 4> at = {
        Vec3(0, 0, 0), Vec3(0.1, 0, 0.5), Vec3(1.2, 0, 0.9), Vec3(1.1, 0, 0)};
    const auto rod = [&](const std::string& name, const Vec3& a, const Vec3& b) {
        text += fmt::format(
            "[[body]]\nname = \"{}\"\ntype = \"ancf_rigid_body\"\npenalty = "
            "inf\nmass = 2\nradius = 0.02\nfrom = {}\nto = {}\n",
            name,
            numbers(a),
            numbers(b));
    };
    rod("crank", at[0], at[1]);
    rod("coupler", at[1], at[2]);
    rod("rocker", at[3], at[2]);
    const auto tie = [&](const std::string& name, const std::string& a, const std::string& b) {
        text += fmt::format(
            "[[joint]]\nname = \"{}\"\ntype = \"revolute\"\na = \"{}\"\nb = "
            "\"{}\"\naxis = [0, 1, 0]\n",
            name,
            a,
            b);
    };
    tie("left", "ground@[0, 0, 0]", "crank@from");
    tie("knee", "crank@to", "coupler@from");
    tie("elbow", "coupler@to", "rocker@to");
    tie("right", "ground@[1.1, 0, 0]", "rocker@from");
    Simulation simulation = model(text + "[integrator]\ntype = \"emm\"\nstep = 0.005\nend = 1.0\n");
    run_to_end(simulation);
    CHECK(std::abs(column(simulation, "left.angle_rate")) > 0.1);
    CHECK(simulation.statistics().energy.max_rel <= 1e-12);
    CHECK((testing::vec3(simulation.point("coupler@to").position) -
           testing::vec3(simulation.point("rocker@to").position))
              .norm() <= 1e-13);
}

TEST_CASE("what does not weigh is said in words") {
    const Folder folder;
    const auto refused = [](const std::string& mass) -> std::string {
        try {
            const Simulation simulation = model(spinning(mass));
        } catch (const Error& error) {
            CHECK(error.kind() == ErrorKind::manifest);
            return error.what();
        }
        return "";
    };
    const auto has = [](const std::string& text, const std::string& part) {
        INFO(text);
        return text.find(part) != std::string::npos;
    };
    const std::string open = folder.write("open.obj", tetrahedron(true));
    CHECK(has(refused(fmt::format("density = 1000\nshape = {{ mesh = \"{}\" }}", open)),
              "\"open.obj\" is not closed"));
    CHECK(has(refused("density = 1000\nshape = \"none\""), "no volume"));
    CHECK(has(refused("density = 1000\nshape = { sphere = 0.1 }\ncenter_of_mass = [0, 0, 1]"),
              "leave it out"));
    CHECK(has(refused("density = -1\nshape = { sphere = 0.1 }"), "density"));
    const std::string ends = "from = [0, 0, 0]\nto = [0, 0, 1]\n";
    CHECK(has(refused(ends), "constraint \"distance\""));
    CHECK(has(refused(ends + "density = 1000"), "radius"));
    CHECK(has(refused("from = [0, 0, 0]\nmass = 1"), "both its ends"));
    CHECK(has(refused("from = [0, 0, 0]\nto = [0, 0, 0]\nmass = 1"), "one point"));
    CHECK(has(refused(ends + "mass = 1\nposition = [0, 0, 1]"), "leave it out"));
    CHECK(has(refused("mass = 1\ninertia = [1, 1, 1]\nradius = 0.1"), "radius"));
    CHECK(has(refused("density = 1000"), "size"));
}

}  // namespace
}  // namespace ancora::testing
