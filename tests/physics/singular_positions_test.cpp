// SPDX-License-Identifier: BSD-3-Clause
// Positions at which constraints become dependent and other motions begin.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "linkages.hpp"
#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

/// A bob of 1 kg on a rod below a cart on a rail, let go at an angle, by its equations in x and the
/// angle.
struct Cart {
    double mass, length, angle;
    double x = 0.0, v = 0.0, rate = 0.0;

    std::string text() const {
        return fmt::format(
            "[model]\ngravity = [0.0, 0.0, {}]\n"
            "[[body]]\nname = \"cart\"\ntype = \"particle\"\nmass = {}\n"
            "[[body]]\nname = \"bob\"\ntype = \"particle\"\nmass = 1.0\nposition = {}\n"
            "[[constraint]]\nname = \"rail\"\ntype = \"point_on_line\"\n"
            "point = \"cart@[0, 0, 0]\"\ndirection = [1.0, 0.0, 0.0]\n"
            "[[constraint]]\nname = \"rod\"\ntype = \"distance\"\na = \"cart@[0, 0, 0]\"\n"
            "b = \"bob@[0, 0, 0]\"\n",
            -kGravity,
            mass,
            triple(Vec3(length * std::sin(angle), 0.0, -length * std::cos(angle))));
    }
    double bob_x() const { return x + length * std::sin(angle); }
    double bob_z() const { return -length * std::cos(angle); }
    /// Of the bob where the rod is upright.
    double speed() const { return std::sqrt(2.0 * kGravity * length * (1.0 - std::cos(angle))); }

    /// Classical Runge-Kutta, in pieces far shorter than the rod turns in.
    void advance(double t) {
        using State = Eigen::Vector4d;
        const auto rates = [this](const State& y) {
            const double s = std::sin(y[1]), c = std::cos(y[1]), w = y[3];
            const double D = mass + s * s;
            return State(y[2],
                         w,
                         s * (length * w * w + kGravity * c) / D,
                         -s * (length * c * w * w + (1.0 + mass) * kGravity) / (length * D));
        };
        State y(x, angle, v, rate);
        while (t > 0.0) {
            const double root = std::sqrt(mass + std::pow(std::sin(y[1]), 2));
            const double h =
                std::min(t, 0.02 * root / (std::abs(y[3]) + std::sqrt(kGravity / length)));
            const State a = rates(y), b = rates(y + 0.5 * h * a), c = rates(y + 0.5 * h * b),
                        d = rates(y + h * c);
            y += h / 6.0 * (a + 2.0 * b + 2.0 * c + d);
            t -= h;
        }
        x = y[0];
        angle = y[1];
        v = y[2];
        rate = y[3];
    }
};

TEST_SUITE("singular positions") {
    // Flat twice a turn; all rods parallel is one motion of many from there.
    TEST_CASE("four-bars in a row pass their flat positions on the smooth motion") {
        std::mt19937 random(7);
#ifdef ANCORA_TEST_SHORT
        const int lengths = 3;
#else
        const int lengths = 20;
#endif
        for (const auto& [n, end] : {std::pair(1, 4.0), std::pair(2, 2.0), std::pair(5, 1.0)})
            for (int i = 0; i < lengths; ++i) {
                const double h = 1e-3 * std::pow(20.0, static_cast<double>(i) / lengths);
                const Mat3 R = random_attitude(random);
                CAPTURE(n);
                CAPTURE(h);
                Simulation simulation = model(row_of_four_bars(n, R) + integrator("emm", h, end));
                double apart = 0.0;
                double off = 0.0;
                while (!simulation.done()) {
                    simulation.step();
                    const Vec3 first = 2.0 * vec3(simulation.pose("up0").position);
                    for (int k = 1; k <= n; ++k) {
                        const Vec3 at =
                            2.0 *
                            (vec3(simulation.pose(fmt::format("up{}", k)).position) - k * R.col(0));
                        apart = std::max(apart, (at - first).norm());
                    }
                    const Vec3 exact = upright_of_four_bars(n, simulation.time(), R);
                    off = std::max(off, (first - exact).norm());
                }
                CHECK(apart <= tolerance(1e-9));
                CHECK(off <= tolerance(20.0 * h * h * std::max(1.0, end)));
                const RunStatistics run = simulation.statistics();
                CHECK(run.energy.max_rel <= tolerance(1e-11));
                CHECK(run.doubts.empty());
                // Told when: theta = pi/2 and 3 pi/2 of every turn, where the upright has no
                // height.
                const std::vector<SingularPosition> passed = simulation.singular_positions();
                CHECK(!passed.empty());
                for (const SingularPosition& position : passed) {
                    CHECK(position.continues);
                    const double height =
                        std::abs(upright_of_four_bars(n, position.t, R).dot(R.col(2)));
                    CHECK(height <= tolerance(20.0 * h));
                }
            }
    }
    TEST_CASE("a run that may not leave its grid stays on it too, or says where velocities jump") {
        for (const double h : {1e-3, 4e-3, 1.2462e-2, 2e-2}) {
            Simulation simulation =
                model(row_of_four_bars(1, Mat3::Identity()) + integrator("emm", h, 5.0) +
                      "\n[integrator.emm]\nmax_halvings = 0\n");
            double apart = 0.0;
            while (!simulation.done()) {
                simulation.step();
                const Vec3 first = vec3(simulation.pose("up0").position);
                apart = std::max(
                    apart, (vec3(simulation.pose("up1").position) - Vec3::UnitX() - first).norm());
            }
            CAPTURE(h);
            CHECK((apart <= 1e-6 || !simulation.statistics().doubts.empty()));
        }
    }
    // Stages close to a flat position see accelerations without bound, and the step control goes
    // there: steps fell to 1e-10 s, and what rounding leaves of the rows chose the motion.
    // In one of some fifteen attitudes a stage comes so close that it goes another way all the
    // same.
    TEST_CASE("dopri5 passes them in one step, on the smooth motion, or says where it leaves it") {
        constexpr int kAttitudes = 10;
        constexpr int kMostLeft = 4;
        std::mt19937 random(11);
        int left = 0;
        int told = 0;
        for (int attitude = 0; attitude < kAttitudes; ++attitude)
            for (const auto& [n, end] : {std::pair(1, 4.0), std::pair(2, 2.0)}) {
                const Mat3 R = random_attitude(random);
                Simulation simulation =
                    model(row_of_four_bars(n, R) + integrator("dopri5", 1e-3, end));
                long steps = 0;
                double off = 0.0;
                for (; !simulation.done() && steps < 5000; ++steps) {
                    simulation.step();
                    const Vec3 exact = upright_of_four_bars(n, simulation.time(), R);
                    for (int k = 0; k <= n; ++k) {
                        const Vec3 at =
                            2.0 *
                            (vec3(simulation.pose(fmt::format("up{}", k)).position) - k * R.col(0));
                        off = std::max(off, (at - exact).norm());
                    }
                }
                CAPTURE(attitude);
                CAPTURE(n);
                CAPTURE(steps);
                CHECK(simulation.done());
                if (off > tolerance(1e-5)) {
                    ++left;
                    CHECK(!simulation.statistics().doubts.empty());
                    CHECK(std::ranges::any_of(simulation.singular_positions(),
                                              [](const SingularPosition& position) {
                                                  return !position.continues;
                                              }));
                    continue;
                }
                CHECK(simulation.statistics().doubts.empty());
                for (const SingularPosition& position : simulation.singular_positions()) {
                    ++told;
                    CHECK(position.continues);
                    CHECK(std::abs(upright_of_four_bars(n, position.t, R).dot(R.col(2))) <= 0.5);
                }
            }
        CHECK(left <= kMostLeft);
        CHECK(told > 0);
    }
    // Steps that straddle one feel nothing of it; where a stage comes close the motion is
    // disturbed, by a few thousandths at most, and the position is reported.
    TEST_CASE("rk4 passes them on the smooth motion, and names those that disturb it") {
        std::mt19937 random(13);
#ifdef ANCORA_TEST_SHORT
        const int lengths = 3;
#else
        const int lengths = 12;
#endif
        int disturbed = 0;
        for (const auto& [n, end] : {std::pair(1, 4.0), std::pair(2, 2.0), std::pair(5, 1.0)})
            for (int i = 0; i < lengths; ++i) {
                const double h = 1e-3 * std::pow(20.0, static_cast<double>(i) / lengths);
                const Mat3 R = random_attitude(random);
                CAPTURE(n);
                CAPTURE(h);
                Simulation simulation = model(row_of_four_bars(n, R) + integrator("rk4", h, end));
                double off = 0.0;
                while (!simulation.done()) {
                    simulation.step();
                    const Vec3 exact = upright_of_four_bars(n, simulation.time(), R);
                    for (int k = 0; k <= n; ++k) {
                        const Vec3 at =
                            2.0 *
                            (vec3(simulation.pose(fmt::format("up{}", k)).position) - k * R.col(0));
                        off = std::max(off, (at - exact).norm());
                    }
                }
                const std::vector<SingularPosition> passed = simulation.singular_positions();
                // What a step of order 4 leaves of this swing after so many turns.
                const bool is_as_usual = off <= tolerance(4e3 * h * h * h * h);
                CHECK((is_as_usual || !passed.empty()));
                CHECK(off <= tolerance(1e-2));
                if (!is_as_usual) ++disturbed;
                for (const SingularPosition& position : passed)
                    CHECK(std::abs(upright_of_four_bars(n, position.t, R).dot(R.col(2))) <= 20 * h);
            }
#ifndef ANCORA_TEST_SHORT
        CHECK(disturbed > 0);
#endif
    }
    // A step whose middle is flat to rounding is led to another motion, on which rows that the
    // others determine open: it is made in pieces. Nothing contradicts anything there.
    TEST_CASE("coupled wheels are driven through their flat positions, wherever steps meet them") {
        constexpr double kPi = 3.14159265358979323846;
        constexpr double kEnd = 1.2;
        std::mt19937 random(17);
        std::uniform_real_distribution<double> any(0.0, 1.0);
#ifdef ANCORA_TEST_SHORT
        const int members = 10;
#else
        const int members = 60;
#endif
        for (int i = 0; i < members; ++i) {
            const double steps[] = {
                2e-2, 1e-2, 7e-3, 5e-3, 4e-3, 1e-3 * (1.0 + 25.0 * any(random))};
            const double h = steps[i % 6];
            // So that the middle of a step is flat, or any place.
            const double rate = kPi * (1 << (i % 3));
            const double whole = h * (i % 4 == 3 ? 1.5 + 20.0 * any(random) : 10.5 + i % 7);
            const double first = std::fmod(whole, kPi / rate);
            const CoupledWheels wheels{2 + i % 3,
                                       0.2 + 0.2 * any(random),
                                       -rate * whole,
                                       rate,
                                       i % 2 == 0 ? "revolute" : "cylindrical",
                                       i % 5 == 0 ? "spherical" : "revolute"};
            CAPTURE(i);
            CAPTURE(h);
            Simulation simulation = model(wheels.text() + integrator("emm", h, kEnd));
            double off = 0.0;
            while (!simulation.done()) {
                simulation.step();
                const Vec3 at = vec3(simulation.pose("rod").position);
                off = std::max(off, (at - wheels.rod(simulation.time())).norm());
            }
            CHECK(off <= tolerance(1e-7));
            const RunStatistics run = simulation.statistics();
            CHECK(run.energy.max_rel <= tolerance(1e-10));
            CHECK(run.doubts.empty());
            // Each half turn, one after the other.
            const std::vector<SingularPosition> passed = simulation.singular_positions();
            CHECK(static_cast<int>(passed.size()) ==
                  static_cast<int>(std::floor((kEnd - first) * rate / kPi)) + 1);
            for (std::size_t k = 0; k < passed.size(); ++k) {
                CHECK(passed[k].continues);
                CHECK(std::abs(passed[k].t - first - static_cast<double>(k) * kPi / rate) <=
                      1.01 * h);
            }
        }
    }
    // Also those that disturb no step.
    TEST_CASE("every flat position that is passed is counted, by every integrator") {
        constexpr double kEnd = 4.0;
        std::mt19937 random(19);
        const Mat3 R = random_attitude(random);
        for (const int n : {1, 2})
            for (const double along : {1e-3, 1e-6})
                for (const auto& [type, h] : {std::pair("emm", 1e-2),
                                              std::pair("emm", 4e-3),
                                              std::pair("emm", 2e-3),
                                              std::pair("rk4", 4e-3),
                                              std::pair("rk4", 1e-3)}) {
                    if (along < 1e-3 && std::string(type) != "emm") continue;
                    CAPTURE(n);
                    CAPTURE(along);
                    CAPTURE(type);
                    CAPTURE(h);
                    std::vector<double> exact;
                    double before = 1.0;
                    for (int k = 1; k <= 40000; ++k) {
                        const double t = k * kEnd / 40000;
                        const double height = upright_of_four_bars(n, t, R).dot(R.col(2));
                        if (height * before < 0.0) exact.push_back(t);
                        before = height;
                    }
                    Simulation simulation =
                        model(row_of_four_bars(n, R, along) + integrator(type, h, kEnd));
                    run_to_end(simulation);
                    const std::vector<SingularPosition> passed = simulation.singular_positions();
                    CHECK(passed.size() == exact.size());
                    for (std::size_t k = 0; k < std::min(passed.size(), exact.size()); ++k)
                        CHECK(std::abs(passed[k].t - exact[k]) <= 2.0 * h);
                }
    }
    // A bob of 1 kg on a rod whose other end is a cart of next to no mass: nothing pulls the bob
    // sideways, it falls, is thrown up at the height where the rod is upright, and the cart passes
    // above it in a time that goes with its mass. In the limit: free flights of half a
    // period each, and the cart on the other side after each.
    TEST_CASE("a light cart is followed by error control; fixed steps say that they lose it") {
        std::mt19937 random(23);
        std::uniform_real_distribution<double> any(0.0, 1.0);
        constexpr double kEnd = 2.0;
        for (const double mass : {1e-6, 1e-7, 1e-8, 1e-9}) {
            const double start = 0.9 + 0.4 * any(random);
            const double fall = std::sqrt(2.0 * (1.0 - std::cos(start)) / kGravity);
            const auto turns = static_cast<int>(std::floor((kEnd / fall + 1.0) / 2.0));
            const double since = kEnd - 2.0 * turns * fall;  // from the top of this flight
            const double z = -std::cos(start) - 0.5 * kGravity * since * since;
            const double side = std::sqrt(1.0 - z * z);
            const double cart = std::sin(start) + (turns % 2 == 0 ? -side : side);
            const std::string text = fmt::format(
                "[model]\ngravity = [0.0, 0.0, {}]\n"
                "[[body]]\nname = \"cart\"\ntype = \"particle\"\nmass = {}\n"
                "[[body]]\nname = \"bob\"\ntype = \"particle\"\nmass = 1.0\nposition = {}\n"
                "[[constraint]]\nname = \"rail\"\ntype = \"point_on_line\"\n"
                "point = \"cart@[0, 0, 0]\"\ndirection = [1.0, 0.0, 0.0]\n"
                "[[constraint]]\nname = \"rod\"\ntype = \"distance\"\na = \"cart@[0, 0, 0]\"\n"
                "b = \"bob@[0, 0, 0]\"\n",
                -kGravity,
                mass,
                triple(Vec3(std::sin(start), 0.0, -std::cos(start))));
            CAPTURE(mass);
            CAPTURE(start);
            Simulation followed = model(text + integrator("emm", 1e-3, kEnd, 1e-7) +
                                        "\n[integrator.emm]\norder = 4\nerror_control = true\n");
            run_to_end(followed);
            CHECK(followed.statistics().doubts.empty());
            CHECK(std::abs(vec3(followed.pose("bob").position)(2) - z) <=
                  tolerance(1e-5 + 100.0 * mass));
            CHECK(std::abs(vec3(followed.pose("cart").position)(0) - cart) <=
                  tolerance(1e-4 + 100.0 * mass));
            for (const double h : {1e-2, 1e-3}) {
                CAPTURE(h);
                Simulation lost = model(text + integrator("emm", h, kEnd));
                run_to_end(lost);
                const std::vector<std::string> doubts = lost.statistics().doubts;
                std::string all;
                for (const std::string& doubt : doubts) all += doubt + "; ";
                CAPTURE(all);
                CHECK(std::ranges::any_of(doubts, [](const std::string& doubt) {
                    return doubt.find("constraints turn the motion") != std::string::npos &&
                           doubt.find("most of all of body \"cart\"") != std::string::npos &&
                           doubt.find("error control") != std::string::npos;
                }));
            }
        }
    }
    // The bob is thrown within m L / v, v its speed there: a step turns the motion by h v / (m L).
    TEST_CASE("steps over the whip of a cart, light or not, are right or tell") {
        std::mt19937 random(29);
        std::uniform_real_distribution<double> any(0.0, 1.0);
        constexpr double kEnd = 2.0;
        int num_right = 0;
        for (const double mass : {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9})
            for (const double h : {2e-2, 1e-2, 5e-3, 2e-3, 1e-3})
                for (const double length : {0.3, 1.0, 3.0}) {
                    Cart cart{mass, length, 0.3 + 1.2 * any(random)};
                    CAPTURE(mass);
                    CAPTURE(h);
                    CAPTURE(length);
                    const double start = cart.angle;
                    CAPTURE(start);
                    const double turn = h * cart.speed() / (mass * length);
                    Simulation simulation = model(cart.text() + integrator("emm", h, kEnd));
                    double off = 0.0;
                    try {
                        while (!simulation.done()) {
                            simulation.step();
                            cart.advance(h);
                            const Vec3 at = vec3(simulation.pose("bob").position);
                            off = std::max(off,
                                           std::hypot(at(0) - cart.bob_x(), at(2) - cart.bob_z()));
                            off = std::max(
                                off, std::abs(vec3(simulation.pose("cart").position)(0) - cart.x));
                        }
                    } catch (const Error& refused) {
                        CHECK(refused.kind() == ErrorKind::numerical);
                        CHECK(turn > 1.0);
                        continue;
                    }
                    const std::vector<std::string> doubts = simulation.statistics().doubts;
                    std::string all;
                    for (const std::string& doubt : doubts) all += doubt + "; ";
                    CAPTURE(all);
                    CAPTURE(off);
                    CAPTURE(turn);
                    // Of second order in the turn, over all swings; and for the way to the whip.
                    const bool is_right =
                        off <= length * turn * turn + 4.0 * kGravity * h * h * kEnd;
                    if (turn <= 0.7) CHECK(all.find("constraints turn") == std::string::npos);
                    if (turn >= 5.0) CHECK(!doubts.empty());
                    if (doubts.empty()) CHECK((is_right && turn < 2.5));
                    num_right += doubts.empty() ? 1 : 0;
                }
        CHECK(num_right > 15);
    }
    TEST_CASE("regular mechanisms report none") {
        std::mt19937 random(3);
        const Mat3 R = random_attitude(random);
        for (const std::string& text :
             {bricard("ancf_rigid_body", kThick, kThickAcross), Door{R}.text("ancf_rigid_body")}) {
            for (const char* type : {"emm", "dopri5", "rk4"}) {
                Simulation simulation = model(text + integrator(type, 5e-3, 2.0));
                run_to_end(simulation);
                const std::vector<SingularPosition> passed = simulation.singular_positions();
                CAPTURE(text.substr(0, 200));
                CAPTURE(passed.empty() ? 0.0 : passed[0].t);
                CHECK(passed.empty());
            }
        }
    }
}

}  // namespace
}  // namespace ancora::testing
