// SPDX-License-Identifier: BSD-3-Clause
// Stress as bodies show it, against closed forms, at any attitude: beams, plates, solids, spinning
// films.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "framework/models.hpp"
#include "plates.hpp"
#include "support/near.hpp"
#include "support/tetrahedra.hpp"

using namespace ancora;
using ancora::testing::Near;
using ancora::testing::Plate;
using ancora::testing::Run;
using Vec3 = Eigen::Vector3d;

namespace {

constexpr const char* kIntegrator = "\n[integrator]\ntype = \"emm\"\nstep = 1e-3\nend = 1.0\n";

std::string written(const Vec3& x) {
    return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x(0), x(1), x(2));
}
Eigen::Matrix3d any_attitude(unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    return Eigen::Quaterniond(normal(random), normal(random), normal(random), normal(random))
        .normalized()
        .toRotationMatrix();
}

/// Values of a channel of the first body after a step, over which they are means, and where its
/// nodes are.
struct Shown {
    explicit Shown(Run& run) : body(run.simulation.scene().bodies.at(0)) {
        frame.resize(static_cast<std::size_t>(run.simulation.scene().num_values));
        run.steps(1);
        run.simulation.sample({{}, frame, {}});
    }
    std::vector<double> values(const std::string& name) const {
        for (int c = 0; c < static_cast<int>(body.channels.size()); ++c)
            if (body.channels[std::size_t(c)].name == name)
                return {frame.begin() + body.channel_at(c),
                        frame.begin() + body.channel_at(c) + body.channel_size(c)};
        throw std::out_of_range("no channel " + name);
    }
    Vec3 node(int k) const { return Vec3(frame.data() + body.nodes_at() + 3 * k); }

    const SceneBody& body;
    std::vector<double> frame;
};

}  // namespace

TEST_SUITE("drawn stress") {
    // A quarter of a circle: the cubics of its elements stay on it to theta^4, chords to theta^2 /
    // 8, and the outlines of a tapered tube are circles whose radii are linear along it
    TEST_CASE("a curved, twisted and tapered beam is drawn along its curve with its sections") {
        constexpr double kR = 2.0, kTwist = 0.6;
        constexpr int kElements = 9;
        const double angle = 0.5 * std::numbers::pi, theta = angle / kElements;
        for (unsigned seed = 1; seed <= 2; ++seed) {
            CAPTURE(seed);
            const Eigen::Matrix3d R = any_attitude(seed);
            const auto at = [&](double x, double y, double z) {
                return written(R * Vec3(x, y, z));
            };
            Run run(fmt::format(
                "[[body]]\nname = \"beam\"\ntype = \"beam\"\nfrom = {}\narc = {{ center = [0, 0, "
                "0], axis = {}, angle = {:.17g} }}\nup = {}\ntwist = {}\nelements = {}\nsection = "
                "{{ shape = \"tube\", radius = 0.1, thickness = 0.02 }}\nend_section = {{ shape = "
                "\"tube\", radius = 0.04, thickness = 0.02 }}\nyoung = 2e11\npoisson = "
                "0.3\ndensity = 7800\n[[constraint]]\nname = \"root\"\ntype = \"fixed\"\na = "
                "\"ground\"\nb = \"beam@start\"\n{}",
                at(kR, 0, 0),
                at(0, 0, 1),
                angle,
                at(0, 0, 1),
                kTwist,
                kElements,
                kIntegrator));
            const Shown shown(run);
            const SceneBody& body = shown.body;
            const auto curve = shown.values("curve");
            REQUIRE(curve.size() == kCurveNumbers * kElements);
            REQUIRE(body.line_outlines.size() == kElements);
            for (int k = 0; k < kElements; ++k) {
                CAPTURE(k);
                const auto vector = [&](int of) {
                    return Vec3(curve.data() + kCurveNumbers * k + 3 * of);
                };
                for (const double x : {0.25, 0.5, 0.75}) {
                    const double y = 1.0 - x;
                    const Vec3 r = y * y * (1.0 + 2.0 * x) * shown.node(k) + x * y * y * vector(0) +
                                   x * x * (3.0 - 2.0 * x) * shown.node(k + 1) -
                                   x * x * y * vector(2);
                    const double phi = (k + x) * theta;
                    const Vec3 exact = R * Vec3(kR * std::cos(phi), kR * std::sin(phi), 0.0);
                    CHECK((r - exact).norm() <= 0.01 * kR * std::pow(theta, 4));
                }
                for (const int end : {0, 1}) {
                    const double phi = (k + end) * theta, turn = kTwist * (k + end) / kElements;
                    const Vec3 e3 = R * Vec3(-std::sin(phi), std::cos(phi), 0.0),
                               e2 = R * Vec3(0.0, 0.0, 1.0), e1 = e2.cross(e3);
                    CHECK((vector(2 * end) - kR * theta * e3).norm() <= 1e-9);
                    CHECK(
                        (vector(2 * end + 1) - std::cos(turn) * e1 - std::sin(turn) * e2).norm() <=
                        1e-9);
                    const double radius = 0.1 - 0.06 * (k + end) / kElements;
                    const SceneOutline& outline = body.outlines.at(
                        std::size_t(body.line_outlines[std::size_t(k)][std::size_t(end)]));
                    for (const auto& [a, b] : outline.points)
                        CHECK(std::hypot(a, b) == Near(radius, 1e-12));
                    CHECK(outline.hole == Near(1.0 - 0.02 / radius, 1e-12));
                }
            }
        }
    }

    TEST_CASE("frames say whether a constraint that opens still holds") {
        Run run(
            "[[body]]\nname = \"a\"\ntype = \"particle\"\nmass = 1\nposition = [1, 0, 0]\nvelocity "
            "= [0, 0.1, 0]\n[[constraint]]\nname = \"rod\"\ntype = \"distance\"\na = "
            "\"ground\"\nb = \"a@[0, 0, 0]\"\nrelease = 0.0045\n" +
            std::string(kIntegrator));
        const Scene& scene = run.simulation.scene();
        const SceneMarker& rod = scene.constraints.at(0);
        REQUIRE(rod.opens);
        CHECK(rod.end() == rod.holds_at() + 1);
        std::vector<double> frame(static_cast<std::size_t>(scene.num_values));
        for (int k = 0; k < 9; ++k) {
            CAPTURE(k);
            run.simulation.sample({{}, frame, {}});
            CHECK(frame[std::size_t(rod.holds_at())] ==
                  (run.simulation.time() < 0.0045 ? 1.0 : 0.0));
            run.steps(1);
        }
        CHECK(run.simulation.time() > 0.0045);
    }

    // Sections in numbers alone: what is drawn has their mass and inertia
    TEST_CASE("a section in numbers is drawn as the rectangle or the circle of its inertia") {
        constexpr double kMass = 3.0;
        for (const auto& rotary : {std::array{2e-3, 8e-3}, std::array{5e-3, 5e-3}}) {
            Run run(
                fmt::format("[[body]]\nname = \"beam\"\ntype = \"beam\"\nfrom = [0, 0, 0]\nto = "
                            "[2, 0, 0]\nelements = 2\nsection = {{ EA = 1e6, GA = 1e6, EI = 10, "
                            "GJ = 5, mass = {}, rotary = [{}, {}] }}\n{}",
                            kMass,
                            rotary[0],
                            rotary[1],
                            kIntegrator));
            const SceneOutline& outline = run.simulation.scene().bodies.at(0).outlines.at(0);
            // Area and second moments of a polygon by Green's theorem
            double area = 0.0, I1 = 0.0, I2 = 0.0;
            for (std::size_t i = 0; i < outline.points.size(); ++i) {
                const auto& [x, y] = outline.points[i];
                const auto& [u, v] = outline.points[(i + 1) % outline.points.size()];
                const double cross = x * v - u * y;
                area += 0.5 * cross;
                I1 += cross * (y * y + y * v + v * v) / 12.0;
                I2 += cross * (x * x + x * u + u * u) / 12.0;
            }
            // A polygon of 24 sides has 1.7 % less of a circle's radius of gyration squared
            const double less = outline.points.size() > 4 ? 0.02 : 1e-12;
            CHECK(I1 / area == Near(rotary[0] / kMass, less * rotary[0] / kMass));
            CHECK(I2 / area == Near(rotary[1] / kMass, less * rotary[1] / kMass));
        }
    }

    // s = N / A, M c / I, T R / J
    TEST_CASE("a cantilever with a pull, a bend and a twist at its end") {
        constexpr double kL = 2.0, kN = 20.0, kF = 0.02, kT = 0.5;
        constexpr int kElements = 8;
        struct Shape {
            const char* keys;
            double area, inertia, edge, torsion;  // 1/m^3: shear stress over torque
        };
        const double r4 = std::pow(0.03, 4) - std::pow(0.028, 4), pi = std::numbers::pi;
        const std::array<Shape, 2> shapes = {{{"shape = \"rectangle\", width = 0.04, height = 0.06",
                                               0.04 * 0.06,
                                               0.04 * 0.06 * 0.06 * 0.06 / 12.0,
                                               0.03,
                                               0.0},
                                              {"shape = \"tube\", radius = 0.03, thickness = 0.002",
                                               pi * (0.03 * 0.03 - 0.028 * 0.028),
                                               0.25 * pi * r4,
                                               0.03,
                                               0.03 / (0.5 * pi * r4)}}};
        for (unsigned seed = 1; seed <= 4; ++seed) {
            CAPTURE(seed);
            const Shape& shape = shapes[seed % 2];
            const Eigen::Matrix3d R = any_attitude(seed);
            const auto at = [&](double x, double y, double z) {
                return written(R * Vec3(x, y, z));
            };
            Run run(
                fmt::format("[[body]]\nname = \"beam\"\ntype = \"beam\"\nfrom = [0, 0, 0]\nto "
                            "= {}\nup = {}\nelements = {}\nsection = {{ {} }}\nyoung = "
                            "2e11\npoisson = 0.3\ndensity = 7800\n[[constraint]]\nname = "
                            "\"root\"\ntype = \"fixed\"\na = \"ground\"\nb = \"beam@start\"\n"
                            "[[force]]\nname = \"load\"\ntype = \"point_load\"\nat = "
                            "\"beam@end\"\nforce = {}\ntorque = {}\n{}",
                            at(kL, 0, 0),
                            at(0, 0, 1),
                            kElements,
                            shape.keys,
                            at(kN, 0, kF),
                            at(kT, 0, 0),
                            kIntegrator));
            run.simulation.find_equilibrium({});
            const Shown shown(run);
            const auto axial = shown.values("axial stress"), bend = shown.values("bending stress"),
                       mises = shown.values("von Mises stress");
            REQUIRE(axial.size() == kElements);
            for (std::size_t k = 0; k < axial.size(); ++k) {
                CAPTURE(k);
                // An element has the moment in its middle
                const double x = kL * (double(k) + 0.5) / kElements;
                const double s = kN / shape.area, b = kF * (kL - x) * shape.edge / shape.inertia;
                const double t = kT * shape.torsion;
                CHECK(axial[k] == Near(s, 1e-6 * s));
                // The pull straightens the beam a little: N u_z beside F (L - x)
                CHECK(bend[k] == Near(b, 1e-3 * kF * kL * shape.edge / shape.inertia));
                if (t > 0.0)
                    CHECK(mises[k] ==
                          Near(std::sqrt((s + b) * (s + b) + 3.0 * t * t), 1e-3 * (s + b + t)));
            }
        }
    }

    // M = .0479 q a^2 in the middle of a supported plate, both ways; -.0513 q a^2 in the middle of
    // the sides of a clamped one (S. Timoshenko, S. Woinowsky-Krieger, Theory of Plates and Shells,
    // tables 8 and 35), s = 6 M / t^2
    TEST_CASE("square plates under pressure") {
        constexpr double kT = Plate::kT, kWeight = Plate::kWeight, kNu = Plate::kNu;
        // In the middle of the plate and of two sides
        const auto stresses = [&](int n, bool is_clamped) {
            Plate plate(n);
            plate.support(is_clamped);
            Run run(plate.text + kIntegrator);
            run.simulation.find_equilibrium({});
            const std::vector<double> stress = Shown(run).values("von Mises stress");
            const auto at = [&](int i, int j) {
                return stress.at(std::size_t(j * (n + 1) + i));
            };
            return std::array{at(n / 2, n / 2), at(0, n / 2), at(n / 2, n)};
        };
        const double unit = 6.0 * kWeight / (kT * kT), middle = .0479 * unit,
                     root = .0513 * std::sqrt(1.0 - kNu + kNu * kNu) * unit;
        CHECK(stresses(16, false)[0] == Near(middle, 0.015 * middle));
        // Elements have the moment in their middle, half of one from the side: extrapolated to none
        const auto coarse = stresses(4, true), fine = stresses(8, true),
                   finest = stresses(16, true);
        for (const std::size_t side : {1, 2}) {
            const double limit = (8.0 * finest[side] - 6.0 * fine[side] + coarse[side]) / 3.0;
            CHECK(limit == Near(root, 0.03 * root));
        }
    }

    // A disc that spins in its plane: s_r = (3 + nu) / 8 rho W^2 (R^2 - r^2), s_phi = rho W^2 / 8
    // ((3 + nu) R^2 - (1 + 3 nu) r^2)
    TEST_CASE("a spinning disc of film") {
        constexpr int kRings = 10;
        constexpr double kR = 1.5, kY = 3e9, kNu = 0.3, kRho = 1400.0, kW = 40.0;
        for (unsigned seed = 1; seed <= 2; ++seed) {
            CAPTURE(seed);
            const Eigen::Matrix3d R = any_attitude(seed);
            // Ring j has 6 j nodes
            std::string nodes, triangles;
            const auto first = [](int ring) {
                return ring == 0 ? 0 : 1 + 3 * ring * (ring - 1);
            };
            for (int ring = 0; ring <= kRings; ++ring)
                for (int k = 0; k < std::max(1, 6 * ring); ++k) {
                    const double angle = 2.0 * std::numbers::pi * k / std::max(1, 6 * ring);
                    nodes += written(R * (kR * ring / kRings *
                                          Vec3(std::cos(angle), std::sin(angle), 0.0))) +
                             ", ";
                }
            const auto add = [&](int a, int b, int c) {
                triangles += fmt::format("[{}, {}, {}], ", a, b, c);
            };
            for (int ring = 1; ring <= kRings; ++ring)
                for (int side = 0; side < 6; ++side)
                    for (int k = 0; k < ring; ++k) {
                        const auto outer = [&](int i) {
                            return first(ring) + (side * ring + i) % (6 * ring);
                        };
                        const auto inner = [&](int i) {
                            return ring == 1
                                       ? 0
                                       : first(ring - 1) + (side * (ring - 1) + i) % (6 * ring - 6);
                        };
                        add(outer(k), outer(k + 1), inner(k));
                        if (k + 1 < ring) add(outer(k + 1), inner(k + 1), inner(k));
                    }
            Run run(
                fmt::format("[[body]]\nname = \"disc\"\ntype = \"membrane\"\nnodes = "
                            "[{}]\ntriangles = [{}]\nyoung = {}\npoisson = {}\nthickness = "
                            "1e-4\ndensity = {}\nspin = {{ axis = {}, rate = {} }}\n{}",
                            nodes,
                            triangles,
                            kY,
                            kNu,
                            kRho,
                            written(R * Vec3::UnitZ()),
                            kW,
                            kIntegrator));
            EquilibriumOptions options;
            options.spinning = true;
            run.simulation.find_equilibrium(options);
            const Shown shown(run);
            const auto principal = shown.values("principal stress"),
                       mises = shown.values("von Mises stress"), tension = shown.values("tension");
            REQUIRE(principal.size() == std::size_t(6 * kRings * kRings));
            const double unit = kRho * kW * kW / 8.0;
            double bias = 0.0;
            for (std::size_t k = 0; k < principal.size(); ++k) {
                Vec3 middle = Vec3::Zero();
                for (const std::int32_t node : shown.body.triangles.at(k))
                    middle += shown.node(node) / 3.0;
                const double r = middle.norm();
                const double radial = (3.0 + kNu) * unit * (kR * kR - r * r),
                             hoop = unit * ((3.0 + kNu) * kR * kR - (1.0 + 3.0 * kNu) * r * r);
                const double peak = (3.0 + kNu) * unit * kR * kR;
                CHECK(principal[k] == Near(hoop, 0.04 * peak));
                bias += (principal[k] - hoop) / peak / double(principal.size());
                CHECK(tension[k] == Near(1e-4 * principal[k], 1e-12 * peak));
                CHECK(mises[k] ==
                      Near(std::sqrt(radial * radial + hoop * hoop - radial * hoop), 0.04 * peak));
            }
            CHECK(bias == Near(0.0, 0.004));
        }
    }

    // s = F (L - x) c / I at the upper side of a solid that is clamped, away from its ends
    TEST_CASE("a solid cantilever of tetrahedra") {
        constexpr double kL = 1.2, kB = 0.1, kH = 0.1, kF = 40.0;
        constexpr int kNx = 12, kNy = 1, kNz = 2;
        for (unsigned seed = 1; seed <= 2; ++seed) {
            CAPTURE(seed);
            const Eigen::Matrix3d R = any_attitude(seed);
            // Cells of six tetrahedra about a diagonal, on a grid with the middles of edges
            const auto number = [](int i, int j, int k) {
                return 1 + i + (2 * kNx + 1) * (j + (2 * kNy + 1) * k);
            };
            std::string nodes, volumes, root, tip;
            for (int k = 0; k <= 2 * kNz; ++k)
                for (int j = 0; j <= 2 * kNy; ++j)
                    for (int i = 0; i <= 2 * kNx; ++i) {
                        nodes += fmt::format("[{}, {:.17g}, {:.17g}, {:.17g}], ",
                                             number(i, j, k),
                                             kL * i / (2 * kNx),
                                             kB * j / (2 * kNy),
                                             kH * k / (2 * kNz));
                        if (i == 0) root += fmt::format("{}, ", number(i, j, k));
                        if (i == 2 * kNx) tip += fmt::format("{}, ", number(i, j, k));
                    }
            ancora::testing::for_each_tetrahedron({kNx, kNy, kNz}, [&](const auto& places) {
                std::string entry;
                for (const auto& [x, y, z] : places) entry += fmt::format("{}, ", number(x, y, z));
                volumes += "[" + entry + "], ";
            });
            const Eigen::AngleAxisd turn(R);
            Run run(fmt::format(
                "[[body]]\nname = \"solid\"\ntype = \"elastic_body\"\nnodes = [{}]\ntetrahedra = "
                "[{}]\nyoung = 7e10\npoisson = 0.3\ndensity = 2700\ninterfaces = {{ root = [{}], "
                "tip = [{}] }}\nmodes = 2\norientation = {{ axis = {}, angle = {:.17g} "
                "}}\n[[constraint]]\nname = \"clamp\"\ntype = \"fixed\"\na = \"ground\"\nb = "
                "\"solid@root\"\n[[force]]\nname = \"f\"\ntype = \"point_load\"\nat = "
                "\"solid@tip\"\nforce = {}\n{}",
                nodes,
                volumes,
                root,
                tip,
                written(turn.axis()),
                turn.angle(),
                written(R * Vec3(0, 0, -kF)),
                kIntegrator));
            run.simulation.find_equilibrium({});
            const Shown shown(run);
            const std::vector<double> stress = shown.values("von Mises stress");
            REQUIRE(int(stress.size()) == shown.body.num_nodes);
            int count = 0;
            for (int k = 2; k < shown.body.num_nodes; ++k) {
                const Vec3 x = R.transpose() * shown.node(k);
                const double z = x(2) - 0.5 * kH;
                if (x(0) < 2.0 * kH || x(0) > kL - 2.0 * kH || std::abs(z) < 0.49 * kH) continue;
                const double s = kF * (kL - x(0)) * 0.5 * kH / (kB * kH * kH * kH / 12.0);
                CHECK(stress[std::size_t(k)] == Near(s, 0.03 * kF * kL * 6.0 / (kB * kH * kH)));
                ++count;
            }
            CHECK(count > 50);
            CHECK(shown.body.triangles.size() == 4 * 4 * (kNx * kNy + kNx * kNz + kNy * kNz));
        }
    }
}
