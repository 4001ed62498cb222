// SPDX-License-Identifier: BSD-3-Clause
// Modes, damping and gyroscopic splitting against closed forms.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "particle_models.hpp"
#include "support/dense.hpp"
#include "support/mechanisms.hpp"
#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

TEST_SUITE("modes") {
    TEST_CASE("double pendulum: w^2 = (2 -+ sqrt 2) g / l, without modes of its rods") {
        Simulation simulation =
            model(model_text() + point_mass("upper", {0, 0, -1}, 1.0, "coordinates = \"xz\"\n") +
                  point_mass("lower", {0, 0, -2}, 1.0, "coordinates = \"xz\"\n") +
                  rope("a", "ground@[0, 0, 0]", "upper") + rope("b", "upper", "lower") +
                  steps("emm", 1e-3, 1.0));
        const Modes modes = simulation.modes();
        REQUIRE(modes.modes.size() == 2);
        CHECK(angular(modes)[0] == near(std::sqrt((2.0 - std::sqrt(2.0)) * kG), 1e-9));
        CHECK(angular(modes)[1] == near(std::sqrt((2.0 + std::sqrt(2.0)) * kG), 1e-9));
        CHECK(modes.modes[0].damping == 0.0);
        // Lower over upper is sqrt 2 in the first mode, -sqrt 2 in the second.
        const auto ratio = [&](int k) {
            const auto& bodies = modes.modes[k].bodies;
            return (bodies[1].displacement[0] / bodies[0].displacement[0]).real();
        };
        CHECK(ratio(0) == near(1.0 + std::sqrt(2.0), 1e-7));
        CHECK(ratio(1) == near(1.0 - std::sqrt(2.0), 1e-7));
    }
    TEST_CASE("a physical pendulum with a damper on its hinge: frequency and damping ratio") {
        const double c = 0.05, J = 0.09 + 0.25;
        Simulation simulation = model(
            model_text() +
            body("arm", "ancf_rigid_body", "position = [0, 0, -0.5]", 1.0, "[0.09, 0.09, 0.01]") +
            constraint("pin",
                       "revolute",
                       "a = \"ground\"\nb = \"arm\"\npoint = [0, 0, 0]\naxis = [0, 1, 0]") +
            force("oil", "damper", fmt::format("on = \"pin.angle\"\ndamping = {}", c)) +
            steps("emm", 1e-3, 1.0));
        const Modes modes = simulation.modes();
        REQUIRE(modes.modes.size() == 1);
        const double w = std::sqrt(0.5 * kG / J);
        CHECK(angular(modes)[0] == near(w, 1e-7));
        CHECK(modes.modes[0].damping == near(0.5 * c / J / w, 1e-7));
        REQUIRE(modes.modes[0].measures.size() >= 1);
        CHECK(modes.modes[0].measures[0].name == "pin.angle");
    }
    // Against each other with (2 k, 2 c) / J; as a whole they are free in six ways.
    TEST_CASE("two bars on a damped hinge float free: six motions without a frequency, told once") {
        const double k = 40.0, c = 0.3, J = 0.09;
        const auto bars = [&](const std::string& laws) {
            return model_text(false) +
                   body("one", "ancf_rigid_body", "", 1.0, "[0.01, 0.09, 0.09]") +
                   body("two",
                        "ancf_rigid_body",
                        "position = [1, 0, 0]",
                        1.0,
                        "[0.01, 0.09, 0.09]") +
                   constraint(
                       "hinge",
                       "revolute",
                       "a = \"one\"\nb = \"two\"\npoint = [0.5, 0, 0]\naxis = [0, 0, 1]\n" + laws) +
                   steps("emm", 1e-3, 1.0);
        };
        Simulation simulation = model(bars(fmt::format("spring = {}\ndamping = {}", k, c)));
        const Modes modes = simulation.modes();
        CHECK(modes.degrees_of_freedom == 7);
        CHECK(modes.is_complete);
        REQUIRE(modes.modes.size() == 7);
        for (int i = 0; i < 6; ++i) CHECK(modes.modes[i].eigenvalue == 0.0);
        const std::complex<double> bending = modes.modes[6].eigenvalue;
        CHECK(bending.real() == near(-c / J, 1e-7));
        CHECK(bending.imag() == near(std::sqrt(2.0 * k / J - c / J * c / J), 1e-7));
        CHECK(simulation.modes({3}).modes.size() == 3);
        CHECK(!simulation.modes({3}).is_complete);
        // Without the spring the hinge comes to rest anywhere: of its own two eigenvalues one is 0.
        Simulation slack = model(bars(fmt::format("damping = {}", c)));
        const Modes damped = slack.modes();
        REQUIRE(damped.modes.size() == 8);
        CHECK(damped.modes[6].eigenvalue == 0.0);
        CHECK(damped.modes[7].eigenvalue.real() == near(-2.0 * c / J, 1e-7));
        CHECK(damped.modes[7].eigenvalue.imag() == 0.0);
    }
    TEST_CASE("a string of masses under tension: w = 2 sqrt(T / m l) sin(k pi / 2 (n + 1))") {
        const int n = 9;
        const double T = 100.0, l = 0.1, m = 0.01, k = 1e5;
        std::string text = "[model]\n";
        for (int i = 1; i <= n; ++i) text += point_mass(fmt::format("p{}", i), {l * i, 0, 0}, m);
        for (int i = 0; i <= n; ++i)
            text += spring(
                fmt::format("s{}", i),
                i == 0 ? "ground@[0, 0, 0]" : fmt::format("p{}", i),
                i == n ? fmt::format("ground@[{}, 0, 0]", l * (n + 1)) : fmt::format("p{}", i + 1),
                k,
                l - T / k);
        Simulation simulation = model(text + steps("emm", 1e-4, 1.0));
        const Modes modes = simulation.modes();
        REQUIRE(modes.modes.size() == 3 * n);
        // Each transverse mode is there twice.
        for (int j = 1; j <= 4; ++j) {
            const double w =
                2.0 * std::sqrt(T / (m * l)) * std::sin(j * std::numbers::pi / (2.0 * (n + 1)));
            CHECK(angular(modes)[2 * j - 2] == near(w, 1e-5 * w));
            CHECK(angular(modes)[2 * j - 1] == near(w, 1e-5 * w));
        }
    }
    TEST_CASE("a large net of masses: Lanczos finds the lowest modes") {
        const int n = 600;
        const double k = 1e4, m = 1e-2;
        std::string text = "[model]\n";
        for (int i = 1; i <= n; ++i) text += point_mass(fmt::format("p{}", i), {0.01 * i, 0, 0}, m);
        for (int i = 0; i <= n; ++i) {
            const std::string a = i == 0 ? "ground@[0, 0, 0]" : fmt::format("p{}", i);
            const std::string b = i == n ? fmt::format("ground@[{}, 0, 0]", 0.01 * (n + 1))
                                         : fmt::format("p{}", i + 1);
            text += spring(fmt::format("s{}", i), a, b, k, 0.005);
        }
        Simulation simulation = model(text + steps("emm", 1e-4, 1.0));
        const Modes modes = simulation.modes({6});
        REQUIRE(modes.modes.size() == 6);
        CHECK_FALSE(modes.is_complete);
        // Half of the spring's length is stretch: T / l = k / 2 for both transverse directions, k
        // along.
        const auto w = [&](double stiffness, int j) {
            return 2.0 * std::sqrt(stiffness / m) *
                   std::sin(j * std::numbers::pi / (2.0 * (n + 1)));
        };
        const double expected[] = {
            w(0.5 * k, 1), w(0.5 * k, 1), w(k, 1), w(0.5 * k, 2), w(0.5 * k, 2), w(k, 2)};
        for (std::size_t i = 0; i < 6; ++i)
            CHECK(angular(modes)[i] == near(expected[i], 1e-6 * expected[i]));
    }
    TEST_CASE("a spinning tether: its spin out of plane, and stretch") {
        // Two masses on a rod-like spring, spinning about its middle: out of plane the spin's own
        // rate; along the spring w^2 = 2 k / m + 3 W^2.
        const double W = 2.0, k = 50.0, m = 1.0, r = 1.0;
        // At radius r the spring's stretch makes the centripetal force.
        const double free = 2.0 * r - m * W * W * r / k;
        const std::string text =
            "[model]\n" +
            point_mass("a", {r, 0, 0}, m, fmt::format("velocity = [0, {}, 0]\n", W * r)) +
            point_mass("b", {-r, 0, 0}, m, fmt::format("velocity = [0, {}, 0]\n", -W * r)) +
            spring("rope", "a", "b", k, free) + steps("emm", 1e-3, 1.0);
        Simulation simulation = model(text);
        const Modes modes = simulation.modes();
        CHECK(modes.is_spinning);
        CHECK(modes.spin[2] == near(W, 1e-12));
        const std::vector<double> w = angular(modes);
        const auto has = [&](double value) {
            return std::ranges::any_of(w, [&](double x) {
                return std::abs(x - value) <= 1e-6;
            });
        };
        CHECK(has(W));
        CHECK(has(std::sqrt(2.0 * k / m + 3.0 * W * W)));
    }
    TEST_CASE("a string that spins about its hub: 1, 6, 15 W^2 out of plane") {
        // Masses in the middles of n equal pieces; the tension in each link is what the spin of all
        // beyond it asks for. Out of plane m w^2 z is the pull of two links.
        const int n = 24;
        const double W = 3.0, l = 1.0 / n, m = 0.5 / n, k = 1e6;
        const auto radius = [&](int i) {
            return (i - 0.5) * l;
        };
        std::string text = "[model]\n";
        Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n, n);
        for (int i = 1; i <= n; ++i) {
            text += point_mass(fmt::format("p{}", i),
                               {radius(i), 0, 0},
                               m,
                               fmt::format("velocity = [0, {:.17g}, 0]\n", W * radius(i)));
            double tension = 0.0;
            for (int j = i; j <= n; ++j) tension += m * W * W * radius(j);
            const double length = i == 1 ? 0.5 * l : l;
            text += spring(fmt::format("s{}", i),
                           i == 1 ? "ground@[0, 0, 0]" : fmt::format("p{}", i - 1),
                           fmt::format("p{}", i),
                           k,
                           length - tension / k);
            K(i - 1, i - 1) += tension / length;
            if (i == 1) continue;
            K(i - 2, i - 2) += tension / length;
            K(i - 1, i - 2) -= tension / length;
            K(i - 2, i - 1) -= tension / length;
        }
        Simulation simulation = model(text + steps("emm", 1e-3, 1.0));
        const Modes modes = simulation.modes();
        CHECK(modes.is_spinning);
        CHECK(modes.spin[2] == near(W, 1e-12));
        const Eigen::VectorXd eigenvalues = by_eigen::symmetric_eigenvalues(K / m);
        // Those that move out of plane, in their order.
        std::vector<double> out_of_plane;
        for (const Mode& mode : modes.modes) {
            double across = 0.0, along = 0.0;
            for (const Mode::Part& part : mode.bodies) {
                along += std::norm(part.displacement[0]) + std::norm(part.displacement[1]);
                across += std::norm(part.displacement[2]);
            }
            if (across > along) out_of_plane.push_back(std::abs(mode.eigenvalue));
        }
        REQUIRE(out_of_plane.size() == static_cast<std::size_t>(n));
        const double continuous[] = {1.0, 6.0, 15.0};
        for (std::size_t j = 0; j < 3; ++j) {
            const double w = out_of_plane[j];
            CHECK(w == near(std::sqrt(eigenvalues[static_cast<Eigen::Index>(j)]), 1e-6 * w));
            CHECK(w * w / (W * W) == near(continuous[j], 0.01 * continuous[j]));
        }
    }
    TEST_CASE("a beam of bodies on torsion springs against its matrices, and against Euler") {
        const int n = 16;
        const double l = 1.0 / n, m = 2.0 / n, J = 1e-6, EI = 30.0;
        std::string text = "[model]\n";
        for (int i = 0; i < n; ++i)
            text += body(fmt::format("piece{}", i),
                         "ancf_rigid_body",
                         fmt::format("position = [{:.17g}, 0, 0]", (i + 0.5) * l),
                         m,
                         fmt::format("[{0}, {0}, {0}]", J));
        Eigen::MatrixXd M = Eigen::MatrixXd::Zero(n, n), K = M;
        for (int i = 0; i < n; ++i) {
            text += constraint(
                fmt::format("hinge{}", i),
                "revolute",
                fmt::format(
                    "a = \"{}\"\nb = \"piece{}\"\npoint = [{:.17g}, 0, 0]\naxis = [0, 1, 0]",
                    i == 0 ? "ground" : fmt::format("piece{}", i - 1),
                    i,
                    i * l));
            // From middle to middle of the pieces; the first one has half of it.
            const double k = (i == 0 ? 2.0 : 1.0) * EI / l;
            text += force(fmt::format("bend{}", i),
                          "spring",
                          fmt::format("on = \"hinge{}.angle\"\nstiffness = {:.17g}", i, k));
            Eigen::VectorXd at = Eigen::VectorXd::Zero(n), bend = at;
            at.head(i).setConstant(l);
            at[i] = 0.5 * l;
            bend[i] = 1.0;
            if (i > 0) bend[i - 1] = -1.0;
            M += m * at * at.transpose();
            M(i, i) += J;
            K += k * bend * bend.transpose();
        }
        Simulation simulation = model(text + steps("emm", 1e-4, 1.0));
        const Modes modes = simulation.modes();
        REQUIRE(modes.modes.size() == static_cast<std::size_t>(n));
        const Eigen::VectorXd eigenvalues = by_eigen::symmetric_eigenvalues(K, M);
        const std::vector<double> w = angular(modes);
        for (std::size_t j = 0; j < w.size(); ++j)
            CHECK(w[j] == near(std::sqrt(eigenvalues[static_cast<Eigen::Index>(j)]), 1e-7 * w[j]));
        // (beta L)^2 sqrt(EI / rho A L^4) of the clamped beam.
        const double roots[] = {1.8751040687, 4.6940911330};
        for (std::size_t j = 0; j < 2; ++j) {
            const double euler = roots[j] * roots[j] * std::sqrt(EI / 2.0);
            CHECK(w[j] == near(euler, 0.01 * euler));
        }
    }
    TEST_CASE("a rotor: gyroscopic moments split its whirl into one forward and one backward") {
        // Jt w^2 -+ Jp W w - m g l = 0 about the hanging axis, for the spin W; in the corotating
        // frame they are at w - W and w + W.
        const double m = 2.0, l = 0.4, across = 0.05, Jp = 0.08, W = 30.0;
        const double Jt = across + m * l * l;
        Simulation simulation = model(
            model_text() +
            body("rotor",
                 "ancf_rigid_body",
                 fmt::format("position = [0, 0, {}]\nangular_velocity = [0, 0, {}]", -l, W),
                 m,
                 fmt::format("[{0}, {0}, {1}]", across, Jp)) +
            constraint("ball", "spherical", "a = \"ground\"\nb = \"rotor\"\npoint = [0, 0, 0]") +
            steps("emm", 1e-3, 1.0));
        const Modes modes = simulation.modes();
        CHECK(modes.is_spinning);
        CHECK(modes.degrees_of_freedom == 3);
        const double half = 0.5 * Jp * W / Jt;
        const double root = std::sqrt(half * half + m * kG * l / Jt);
        const double forward = half + root, backward = root - half;
        CHECK(forward / backward >= 1.5);
        const std::vector<double> w = angular(modes);
        for (const double expected : {std::abs(forward - W), backward + W})
            CHECK(std::ranges::any_of(w, [&](double x) {
                return std::abs(x - expected) <= 1e-7 * expected;
            }));
        for (const Mode& mode : modes.modes) CHECK(std::abs(mode.eigenvalue.real()) <= 1e-7);
    }
    TEST_CASE("a model that falls has no modes, and says what to do") {
        Simulation simulation =
            model(model_text() + point_mass("bob", {1, 0, 0}) +
                  rope("rod", "ground@[0, 0, 0]", "bob") + steps("emm", 1e-3, 1.0));
        CHECK_THROWS_WITH_AS(simulation.modes(), doctest::Contains("--at-rest"), Error);
    }
}

}  // namespace
}  // namespace ancora::testing
