// SPDX-License-Identifier: BSD-3-Clause
// Redundant frames and closed loops that begin at rest, in any attitude: a portal frame with both
// feet clamped, a ring, a tensegrity of three struts.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "friction_models.hpp"

namespace ancora::testing {
namespace {

using Mat3 = Eigen::Matrix3d;

struct Frame {
    std::string text;
    std::vector<std::string> points;  ///< that are looked at
};

std::string beam(const std::string& name, const std::string& keys, bool is_rigid) {
    return fmt::format(
        "\n[[body]]\nname = \"{}\"\ntype = \"beam\"\n{}\n"
        "section = {{ shape = \"circle\", radius = 0.02 }}\nyoung = 2e9\npoisson = 0.3\n"
        "density = 1500\n{}",
        name,
        keys,
        is_rigid ? "rigid = [\"shear\", \"axial\"]\n" : "");
}
std::string rows(const std::vector<Vec3>& points, const Mat3& R) {
    std::string out;
    for (const Vec3& x : points) out += triple(R * x) + ", ";
    return "nodes = [" + out + "]\ncorners = \"sharp\"";
}
std::string constraint(const std::string& name,
                       const std::string& type,
                       const std::string& a,
                       const std::string& b) {
    return fmt::format("\n[[constraint]]\nname = \"{}\"\ntype = \"{}\"\na = \"{}\"\nb = \"{}\"\n",
                       name,
                       type,
                       a,
                       b);
}

Frame portal(const Mat3& R, bool is_rigid) {
    return {
        beam(
            "f",
            rows(
                {{0, 0, 0}, {0, 0, 0.5}, {0, 0, 1}, {0.5, 0, 1}, {1, 0, 1}, {1, 0, 0.5}, {1, 0, 0}},
                R),
            is_rigid) +
            constraint("left", "fixed", "ground", "f@0") +
            constraint("right", "fixed", "ground", "f@6"),
        {"f@3", "f@1"}};
}

Frame ring(const Mat3& R, bool is_rigid) {
    constexpr int kCount = 8;
    std::vector<Vec3> points;
    std::string elements;
    for (int k = 0; k < kCount; ++k) {
        const double angle = 2.0 * std::numbers::pi * k / kCount;
        points.emplace_back(std::cos(angle), std::sin(angle), 0.0);
        elements += fmt::format("[{}, {}], ", k, (k + 1) % kCount);
    }
    return {beam("f", rows(points, R) + "\nelements = [" + elements + "]", is_rigid) +
                constraint("pin", "position", "ground@" + triple(R * points[0]), "f@0"),
            {"f@4", "f@2"}};
}

/// Three struts between two triangles that are turned by 150 degrees, and nine ties.
Frame tensegrity(const Mat3& R, bool is_rigid) {
    Frame out;
    std::array<std::array<Vec3, 2>, 3> ends;
    for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t top = 0; top < 2; ++top) {
            const double angle = std::numbers::pi * (2.0 * static_cast<double>(k) / 3.0 +
                                                     5.0 * static_cast<double>(top) / 6.0);
            ends[k][top] = {std::cos(angle), std::sin(angle), static_cast<double>(top)};
        }
    const auto end = [](std::size_t k, std::size_t top) {
        return fmt::format("s{}@{}", k, 2 * top);
    };
    for (std::size_t k = 0; k < 3; ++k) {
        out.text += beam(
            fmt::format("s{}", k),
            fmt::format(
                "from = {}\nto = {}\nelements = 2", triple(R * ends[k][0]), triple(R * ends[k][1])),
            is_rigid);
        out.text += constraint(
            fmt::format("foot{}", k), "position", "ground@" + triple(R * ends[k][0]), end(k, 0));
        const std::size_t next = (k + 1) % 3;
        const std::array<std::array<std::size_t, 4>, 3> ties = {
            {{k, 0, next, 0}, {k, 1, next, 1}, {next, 0, k, 1}}};
        for (const auto& [i, i_top, j, j_top] : ties)
            out.text += fmt::format(
                "\n[[force]]\nname = \"tie_{0}{1}{2}{3}\"\ntype = \"spring\"\na = \"{4}\"\n"
                "b = \"{5}\"\nstiffness = 2e3\nfree = {6:.17g}\n",
                i,
                i_top,
                j,
                j_top,
                end(i, i_top),
                end(j, j_top),
                0.97 * (ends[i][i_top] - ends[j][j_top]).norm());
    }
    out.points = {end(0, 1), end(1, 1)};
    return out;
}

TEST_CASE("redundant frames and loops from rest: any attitude, every balance, dopri5 as h -> 0") {
    constexpr std::array kinds = {&portal, &ring, &tensegrity};
    std::mt19937 random(5);
    std::normal_distribution<double> normal;
    for (std::size_t kind = 0; kind < kinds.size(); ++kind)
        for (const bool is_rigid : {false, true}) {
            CAPTURE(kind);
            CAPTURE(is_rigid);
            const auto run = [&](const Mat3& R, const std::string& method) {
                const Frame frame = kinds[kind](R, is_rigid);
                Simulation simulation =
                    model(weight(R * Vec3(1.0, 2.0, -9.0)) + frame.text + method);
                run_to_end(simulation);
                if (method.find("\"emm\"") != std::string::npos) {
                    const RunStatistics statistics = simulation.statistics();
                    CHECK(statistics.energy.max_rel <= rounding_bound(80.0));
                    CHECK(statistics.momentum.max_rel <= rounding_bound(80.0));
                    CHECK(statistics.angular_momentum.max_rel <= rounding_bound(80.0));
                }
                Eigen::VectorXd out(3 * static_cast<Eigen::Index>(frame.points.size()));
                for (std::size_t i = 0; i < frame.points.size(); ++i) {
                    const auto x = simulation.point(frame.points[i]).position;
                    out.segment<3>(3 * static_cast<Eigen::Index>(i)) =
                        R.transpose() * Vec3(x[0], x[1], x[2]);
                }
                return out;
            };
            constexpr double kEnd = 0.02;
            const Mat3 upright = Mat3::Identity();
            const Eigen::VectorXd coarse = run(upright, integrator("emm", 1e-3, kEnd));
            for (int turn = 0; turn < 2; ++turn) {
                const Eigen::Quaterniond q(
                    normal(random), normal(random), normal(random), normal(random));
                const Eigen::VectorXd turned =
                    run(q.normalized().toRotationMatrix(), integrator("emm", 1e-3, kEnd));
                CHECK((turned - coarse).norm() <= tolerance(1e-12));
            }
            const Eigen::VectorXd fine = run(upright, integrator("emm", 2.5e-4, kEnd));
            const Eigen::VectorXd exact = run(upright, integrator("dopri5", 1e-4, kEnd));
            const double error = (fine - exact).norm();
            // Elements that stretch vibrate faster than either step sees.
            if (!is_rigid) continue;
            CHECK(error <= 1e-5);
            CHECK(error <= (coarse - exact).norm() / 12.0);
        }
}

}  // namespace
}  // namespace ancora::testing
