// SPDX-License-Identifier: BSD-3-Clause
// The lowest modes about steady spin: the sparse method against the dense one, closed forms and
// matrices made by hand.
#include "gyroscopic_modes.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "arnoldi.hpp"
#include "kernel_system.hpp"
#include "model.hpp"
#include "physics/particle_models.hpp"
#include "rest_search.hpp"
#include "support/dense.hpp"
#include "support/mechanisms.hpp"
#include "vibrations.hpp"

namespace ancora::testing {
namespace {

using Complex = std::complex<double>;
using Eigen::Index;

/// A model whose system is at hand.
struct Spinning {
    explicit Spinning(const std::string& text,
                      bool looks_for_rest = false,
                      bool is_redundant = false)
        : parts(Manifest::parse(text + steps("emm", 1e-3, 1.0), "test.toml"), registry()),
          system(parts) {
        system.set_redundant(is_redundant);
        if (!looks_for_rest) return;
        EquilibriumOptions options;
        options.spinning = true;
        find_rest(system, options);
    }
    Modes dense() { return find_modes(system, {}); }
    Modes sparse(int count) { return find_modes(system, {count}, 0); }

    Model parts;
    KernelSystem system;
};

/// |Z^T (l^2 M + l D + K) x| and |P x|, of what their terms are, the largest of all modes.
double largest_residual(KernelSystem& system, const Modes& modes) {
    const SteadySpin spin = spin_of(system, "", "");
    const LinearEquations at = in_turning_frame(linear_equations(system), spin);
    const Eigen::MatrixXd Z = null_space(Eigen::MatrixXd(at.P));
    double largest = 0.0;
    for (const Mode& mode : modes.modes) {
        const Eigen::Map<const Eigen::VectorXcd> x(mode.shape.data(),
                                                   static_cast<Index>(mode.shape.size()));
        const Complex l = mode.eigenvalue;
        const Eigen::VectorXcd Mx = l * l * (at.M * x), Dx = l * (at.D * x), Kx = at.K * x;
        const Eigen::VectorXd size = x.cwiseAbs();
        const double terms = (std::norm(l) * (at.M.cwiseAbs() * size) +
                              std::abs(l) * (at.D.cwiseAbs() * size) + at.K.cwiseAbs() * size)
                                 .norm();
        largest = std::max(largest, (Z.transpose() * (Mx + Dx + Kx)).norm() / terms);
        if (at.P.rows() > 0)
            largest = std::max(largest, (at.P * x).norm() / (at.P.cwiseAbs() * size).norm());
    }
    return largest;
}

/// The same eigenvalues, as often. Those that stand in `doubled` are double roots, which rounding
/// splits by its root: of them only the surroundings are compared.
void check_same(const Modes& sparse,
                const Modes& dense,
                const std::vector<Complex>& doubled,
                double tolerance = 1e-8) {
    REQUIRE(!sparse.modes.empty());
    CHECK(sparse.is_spinning == dense.is_spinning);
    CHECK(sparse.degrees_of_freedom == dense.degrees_of_freedom);
    // What stands beside the last one may be left out.
    const double reach = std::abs(sparse.modes.back().eigenvalue) *
                         (sparse.modes.size() < dense.modes.size() ? 1.0 - 1e-6 : 1.0 + 1e-6);
    const auto simple = [&](const Modes& modes) {
        std::vector<Complex> out;
        for (const Mode& mode : modes.modes) {
            const bool is_double = std::ranges::any_of(doubled, [&](Complex at) {
                return std::abs(mode.eigenvalue - at) <= 1e-3;
            });
            if (!is_double && std::abs(mode.eigenvalue) < reach) out.push_back(mode.eigenvalue);
        }
        return out;
    };
    const std::vector<Complex> a = simple(sparse);
    std::vector<Complex> b = simple(dense);
    REQUIRE(a.size() == b.size());
    REQUIRE(!a.empty());
    for (const Complex value : a) {
        CAPTURE(value.real());
        CAPTURE(value.imag());
        const auto nearest = std::ranges::min_element(b, {}, [&](Complex x) {
            return std::abs(x - value);
        });
        CHECK(std::abs(*nearest - value) <= tolerance * std::abs(value));
        b.erase(nearest);
    }
}

/// Rods of 13 pieces that spin about their middles, above each other and not tied.
std::string spinning_rods(int count, double rate) {
    constexpr int kSubsteps = 13;
    std::string text;
    for (int k = 0; k < count; ++k) {
        std::string nodes, elements;
        for (int i = 0; i <= kSubsteps; ++i) {
            const double x = -1.0 + 2.0 * i / kSubsteps;
            nodes += fmt::format("{}[{:.17g}, 0, {:.17g}]", i > 0 ? ", " : "", x, 0.5 * k);
            if (i < kSubsteps) elements += fmt::format("{}[{}, {}]", i > 0 ? ", " : "", i, i + 1);
        }
        text += fmt::format(
            "[[body]]\nname = \"rod{}\"\ntype = \"truss\"\nnodes = [{}]\nelements = [{}]\n"
            "area = 1e-6\nyoung = 3e9\ndensity = 1420.0\nrest_length = \"spin\"\n"
            "spin = {{ axis = [0, 0, 1], rate = {:.17g} }}\n",
            k,
            nodes,
            elements,
            rate);
    }
    return text;
}

/// n masses in the middles of equal pieces of a string about its hub, and the matrix of their
/// motion out of plane: m w^2 z is the pull of two links.
struct HubString {
    HubString(int n, double W, double k) : diagonal(n), beside(n - 1) {
        const double l = 1.0 / n, m = 0.5 / n;
        const auto radius = [&](int i) {
            return (i - 0.5) * l;
        };
        text = "[model]\n";
        diagonal.setZero();
        std::vector<double> tension(static_cast<std::size_t>(n) + 2, 0.0);
        for (int i = n; i >= 1; --i)
            tension[i] = tension[static_cast<std::size_t>(i) + 1] + m * W * W * radius(i);
        for (int i = 1; i <= n; ++i) {
            text += point_mass(fmt::format("p{}", i),
                               {radius(i), 0, 0},
                               m,
                               fmt::format("velocity = [0, {:.17g}, 0]\n", W * radius(i)));
            const double length = i == 1 ? 0.5 * l : l, T = tension[i];
            text += spring(fmt::format("s{}", i),
                           i == 1 ? "ground@[0, 0, 0]" : fmt::format("p{}", i - 1),
                           fmt::format("p{}", i),
                           k,
                           length - T / k);
            diagonal[i - 1] += T / length / m;
            if (i == 1) continue;
            diagonal[i - 2] += T / length / m;
            beside[i - 2] = -T / length / m;
        }
    }
    std::string text;
    Eigen::VectorXd diagonal, beside;
};

/// A square net of bars with masses on its corners.
std::string net(int n, double young) {
    return fmt::format(R"([[body]]
name = "net"
type = "truss"
grid = {{ counts = [{0}, {0}], spacing = [{1:.17g}, {1:.17g}], origin = [-1, -1, 0] }}
area = 1.0e-6
young = {2}
density = 1420.0
node_masses = [[0, 0.1], [{3}, 0.1], [{4}, 0.1], [{5}, 0.1]]
spin = {{ axis = [0, 0, 1], rate = 1.5 }}
rest_length = "spin"
)",
                       n,
                       2.0 / (n - 1),
                       young,
                       n - 1,
                       n * (n - 1),
                       n * n - 1);
}

/// Frequencies of net() out of plane, by hand: each element pulls as what lies outward on its line
/// asks for, k = s / L, at a rest length L for which it does so with Green strain; consistent mass.
Eigen::VectorXd out_of_plane_of_net(int n, double young) {
    const double h = 2.0 / (n - 1), A = 1e-6, W = 1.5;
    struct Element {
        int a, b, axis;
        double L, k;
    };
    std::vector<Element> elements;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            if (i + 1 < n) elements.push_back({n * j + i, n * j + i + 1, 0, h, 0.0});
            if (j + 1 < n) elements.push_back({n * j + i, n * j + i + n, 1, h, 0.0});
        }
    const Index size = Index{n} * n;
    Eigen::MatrixXd at(size, 2), M, K;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) at.row(n * j + i) << h * i - 1.0, h * j - 1.0;
    for (int turn = 0; turn < 10; ++turn) {
        M.setZero(size, size);
        K = M;
        for (const int corner : {0, n - 1, n * (n - 1), n * n - 1}) M(corner, corner) += 0.1;
        for (const Element& e : elements) {
            const double m = 1420.0 * A * e.L / 6.0;
            M(e.a, e.a) += 2.0 * m;
            M(e.b, e.b) += 2.0 * m;
            M(e.a, e.b) += m;
            M(e.b, e.a) += m;
        }
        const Eigen::MatrixXd load = W * W * M * at;
        for (Element& e : elements) {
            double outward = 0.0;
            const int along = e.axis == 0 ? 1 : n, end = e.axis == 0 ? n * (e.b / n + 1) : n * n;
            for (int k = e.b; k < end; k += along) outward += load(k, e.axis);
            e.k = outward / h;
            // k = E A (h^2 - L^2) / (2 L^3)
            for (int step = 0; step < 20; ++step) {
                const double EA = young * A, L = e.L;
                e.L -= (0.5 * EA * (h * h - L * L) / (L * L * L) - e.k) /
                       (0.5 * EA * (1.0 / (L * L) - 3.0 * h * h / (L * L * L * L)));
            }
            K(e.a, e.a) += e.k;
            K(e.b, e.b) += e.k;
            K(e.a, e.b) -= e.k;
            K(e.b, e.a) -= e.k;
        }
    }
    return by_eigen::symmetric_eigenvalues(K, M).cwiseAbs().cwiseSqrt();
}

/// The moduli of modes that move along z.
std::vector<double> along_z(const Modes& modes) {
    std::vector<double> out;
    for (const Mode& mode : modes.modes) {
        double across = 0.0, along = 0.0;
        for (std::size_t i = 0; i < mode.shape.size(); ++i)
            (i % 3 == 2 ? across : along) += std::norm(mode.shape[i]);
        if (across > along) out.push_back(std::abs(mode.eigenvalue));
    }
    return out;
}

/// Rigid bars in a row that spins about its first end, each hinged to that before it, alternately
/// about axes in and across the plane, every hinge told twice.
std::string hinged_row(int n, double W, bool is_damped) {
    std::string text = model_text(false);
    for (int i = 0; i < n; ++i) {
        text += body(fmt::format("bar{}", i),
                     "ancf_rigid_body",
                     fmt::format("position = [{0:.17g}, 0, 0]\nvelocity = [0, {1:.17g}, "
                                 "0]\nangular_velocity = [0, 0, {2}]",
                                 i + 0.5,
                                 W * (i + 0.5),
                                 W),
                     1.0,
                     "[0.01, 0.09, 0.08]");
        for (const char* twice : {"", "_again"}) {
            text += constraint(
                fmt::format("hinge{}{}", i, twice),
                "revolute",
                fmt::format("a = \"{}\"\nb = \"bar{}\"\npoint = [{}, 0, 0]\naxis = {}\n{}",
                            i == 0 ? "ground" : fmt::format("bar{}", i - 1),
                            i,
                            i,
                            i % 2 == 0 ? "[0, 0, 1]" : "[0, 1, 0]",
                            is_damped && i > 0 && *twice == 0 ? "damping = 0.05" : ""));
        }
    }
    return text;
}

TEST_SUITE("lowest modes in spin") {
    TEST_CASE("Arnoldi finds values as often as they are there, and pairs") {
        // Three times 3, a pair 2 +- i twice, 0.5 and smaller.
        const int n = 60;
        Eigen::MatrixXd T = Eigen::MatrixXd::Zero(n, n);
        T(0, 0) = T(1, 1) = T(2, 2) = 3.0;
        for (int k : {3, 5}) T.block(k, k, 2, 2) << 2, 1, -1, 2;
        for (int k = 7; k < n; ++k) T(k, k) = 0.5 / (k - 6);
        Eigen::MatrixXd mix = Eigen::MatrixXd::Identity(n, n);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) mix(i, j) += 0.3 * std::sin(1.0 + 7.0 * i + 3.0 * j * j);
        const Eigen::MatrixXd B = mix * T * mix.inverse();
        const Eigenpairs found = largest_eigenvalues(
            [&](const Eigen::VectorXd& x, Eigen::VectorXd& y) {
                y = B * x;
            },
            Eigen::MatrixXd(n, 0),
            0.0,
            8,
            [](const Eigen::VectorXcd&) {
                return 0.45;
            });
        REQUIRE(found.values.size() >= 8);
        int threes = 0, twos = 0;
        for (Index k = 0; k < found.values.size(); ++k) {
            const Complex value = found.values[k];
            const Eigen::VectorXcd x = found.vectors.col(k);
            CHECK((B * x - value * x).norm() <= 1e-9 * x.norm());
            if (std::abs(value - 3.0) <= 1e-9) ++threes;
            if (std::abs(value - Complex(2.0, 1.0)) <= 1e-9) ++twos;
        }
        CHECK(threes == 3);
        CHECK(twos == 2);
    }
    TEST_CASE("a string about its hub: as the dense method") {
        Spinning string(HubString(24, 3.0, 1e6).text);
        const Modes sparse = string.sparse(30);
        REQUIRE(sparse.modes.size() == 30);
        check_same(sparse, string.dense(), {0.0});
        CHECK(largest_residual(string.system, sparse) <= 1e-11);
        CHECK(sparse.modes[0].eigenvalue == 0.0);  // it turns as a whole, told once
        CHECK(std::abs(sparse.modes[1].eigenvalue) >= 1.0);
        for (const Mode& mode : sparse.modes) CHECK(mode.eigenvalue.real() == 0.0);
    }
    TEST_CASE("a string of 1800 coordinates about its hub: 1, 6, 15, 28 W^2 out of plane") {
        const double W = 3.0;
        const int n = 600;
        const HubString by_hand(n, W, 1e6);
        Spinning string(by_hand.text);
        const Modes modes = find_modes(string.system, {12});
        REQUIRE(modes.modes.size() == 12);
        CHECK_FALSE(modes.is_complete);
        CHECK(modes.spin[2] == near(W, 1e-12));
        const std::vector<double> out_of_plane = along_z(modes);
        REQUIRE(out_of_plane.size() >= 4);
        const Eigen::VectorXd eigenvalues =
            by_eigen::tridiagonal_eigenvalues(by_hand.diagonal, by_hand.beside);
        const double continuous[] = {1.0, 6.0, 15.0, 28.0};
        for (std::size_t j = 0; j < 4; ++j) {
            const double w = out_of_plane[j];
            CHECK(w == near(std::sqrt(eigenvalues[static_cast<Index>(j)]), 1e-8 * w));
            CHECK(w * w / (W * W) == near(continuous[j], 1e-4 * continuous[j]));
        }
    }
    TEST_CASE("a free net: drifts, the turn and its shear, and all else as the dense method") {
        Spinning free(net(8, 1e8));
        const Modes sparse = free.sparse(40);
        const Complex W(0.0, 1.5);
        // Without diagonals it shears, a mechanism that nothing resists.
        check_same(sparse, free.dense(), {0.0, W});
        CHECK(largest_residual(free.system, sparse) <= 1e-9);
        int zeros = 0, at_rate = 0, grow = 0;
        for (const Mode& mode : sparse.modes) {
            if (mode.eigenvalue == 0.0) ++zeros;
            if (std::abs(mode.eigenvalue - W) <= 1e-9) ++at_rate;
            if (mode.eigenvalue.real() > 1e-4) ++grow;
        }
        CHECK(zeros >= 2);    // along the axis, and the turn
        CHECK(at_rate == 4);  // a drift that goes round, twice, and two tilts
        CHECK(grow == 0);
    }
    TEST_CASE("a net of 1587 coordinates: out of plane as its matrices by hand") {
        Spinning free(net(23, 1e9));
        const Modes modes = find_modes(free.system, {});
        REQUIRE(modes.modes.size() == 20);
        const std::vector<double> found = along_z(modes);
        const Eigen::VectorXd by_hand = out_of_plane_of_net(23, 1e9);
        REQUIRE(found.size() >= 8);
        CHECK(found[0] == 0.0);
        for (std::size_t k = 1; k < found.size(); ++k)
            CHECK(found[k] == near(by_hand[static_cast<Index>(k)], 1e-8 * found[k]));
    }
    TEST_CASE("two nets on one axis have every motion twice") {
        std::string second = net(5, 1e7);
        second.replace(second.find("\"net\""), 5, "\"other\"");
        second.replace(second.find("-1, -1, 0"), 9, "-1, -1, 4");
        Spinning both(net(5, 1e7) + second);
        const Modes sparse = both.sparse(40);
        const Complex W(0.0, 1.5);
        check_same(sparse, both.dense(), {0.0, W});
        CHECK(largest_residual(both.system, sparse) <= 1e-9);
        CHECK(std::ranges::count_if(sparse.modes, [&](const Mode& mode) {
                  return std::abs(mode.eigenvalue - W) <= 1e-9;
              }) == 8);
    }
    TEST_CASE("what is held softly beside fast parts is not taken for free") {
        Spinning model(spinning_rods(3, 100.0) + point_mass("heavy", {0, 0, -1}, 100.0) +
                       spring("soft", "heavy", "ground@[0, 0, -2]", 0.03, 1.0));
        const double w = std::sqrt(0.03 / 100.0);
        const Modes modes = model.sparse(20);
        CHECK(std::ranges::count_if(modes.modes, [&](const Mode& mode) {
                  return std::abs(mode.eigenvalue - Complex(0.0, w)) <= 1e-8 * w;
              }) == 1);
    }
    TEST_CASE("many free parts: each drifts and turns, and nothing grows") {
        constexpr int kRods = 60;
        Spinning model(spinning_rods(kRods, 1.0));
        // Of each a turn and, twice, a drift along the axis.
        for (const int count : {20, 3 * kRods}) {
            const Modes modes = model.sparse(count);
            CHECK(modes.modes.size() == static_cast<std::size_t>(count));
            for (const Mode& mode : modes.modes)
                CHECK((mode.eigenvalue == 0.0 ||
                       std::abs(mode.eigenvalue - Complex(0.0, 1.0)) <= 1e-12));
        }
    }
    TEST_CASE("Ziegler's column: a follower makes stiffness lopsided, and it flutters at rest") {
        // Equal bars and hinges, k = 1: flutter between P l / k = 2 and 4, at 3 at the latest.
        std::string text = model_text(false);
        for (int i = 0; i < 2; ++i) {
            text += body(fmt::format("bar{}", i),
                         "ancf_rigid_body",
                         fmt::format("position = [{}, 0, 0]", i + 0.5),
                         1.0,
                         "[0.01, 0.0833, 0.0833]");
            text += constraint(fmt::format("hinge{}", i),
                               "revolute",
                               fmt::format("a = \"{}\"\nb = \"bar{}\"\npoint = [{}, 0, 0]\naxis "
                                           "= [0, 0, 1]\nspring = 1.0",
                                           i == 0 ? "ground" : "bar0",
                                           i,
                                           i));
        }
        for (const double P : {0.5, 3.0}) {
            CAPTURE(P);
            Spinning column(text + force("thrust",
                                         "point_load",
                                         fmt::format("at = \"bar1@[0.5, 0, 0]\"\nfollow = "
                                                     "true\nforce = [{}, 0, 0]",
                                                     -P)));
            const Modes sparse = column.sparse(2), dense = column.dense();
            CHECK_FALSE(sparse.is_spinning);
            check_same(sparse, dense, {});
            CHECK(largest_residual(column.system, sparse) <= 1e-11);
            CHECK((sparse.modes[1].eigenvalue.real() != 0.0) == (P == 3.0));
        }
    }
    TEST_CASE("a stiff film that is free: as the dense method") {
        for (const char* damping : {"", "damping = 50\n"}) {
            CAPTURE(damping);
            Spinning film(fmt::format(R"([[body]]
name = "film"
type = "membrane"
grid = {{ counts = [9, 9], spacing = [1.25, 1.25], origin = [-5, -5, 0] }}
young = 3.2e8
poisson = 0.34
thickness = 7.5e-6
density = 1420
{}tension_only = true
node_masses = [[0, 0.3], [8, 0.3], [72, 0.3], [80, 0.3], [40, 1.0]]
spin = {{ axis = [0, 0, 1], rate = 0.6 }}
)",
                                      damping),
                          true);
            const Modes sparse = film.sparse(20);
            check_same(sparse, film.dense(), {0.0, Complex(0.0, 0.6)});
            CHECK(largest_residual(film.system, sparse) <= 1e-9);
            for (const Mode& mode : sparse.modes) CHECK(mode.eigenvalue.real() <= 1e-4);
        }
    }
    TEST_CASE("a row of bars on hinges that are told twice, with damping and without") {
        for (const bool is_damped : {false, true}) {
            CAPTURE(is_damped);
            Spinning row(hinged_row(6, 4.0, is_damped), false, true);
            const Modes sparse = row.sparse(6), dense = row.dense();
            check_same(sparse, dense, {0.0});
            CHECK(largest_residual(row.system, sparse) <= 1e-11);
            CHECK(sparse.modes[0].eigenvalue == 0.0);
            for (const Mode& mode : sparse.modes)
                if (is_damped && mode.eigenvalue != 0.0)
                    CHECK(mode.eigenvalue.real() < 0.0);
                else
                    CHECK(mode.eigenvalue.real() == 0.0);
        }
    }
    TEST_CASE("a rotor that hangs: gyroscopic moments split its whirl, with what damps it") {
        const std::string rotor =
            model_text() +
            body("rotor",
                 "ancf_rigid_body",
                 "position = [0, 0, -0.4]\nangular_velocity = [0, 0, 30]",
                 2.0,
                 "[0.05, 0.05, 0.08]") +
            constraint("ball", "spherical", "a = \"ground\"\nb = \"rotor\"\npoint = [0, 0, 0]");
        const double Jt = 0.05 + 2.0 * 0.16, half = 0.5 * 0.08 * 30.0 / Jt,
                     root = std::sqrt(half * half + 2.0 * kG * 0.4 / Jt);
        Spinning free(rotor);
        const Modes modes = free.sparse(3);
        REQUIRE(modes.modes.size() == 3);
        CHECK(modes.modes[0].eigenvalue == 0.0);
        CHECK(modes.modes[1].eigenvalue.imag() == near(std::abs(half + root - 30.0), 1e-8));
        CHECK(modes.modes[2].eigenvalue.imag() == near(root - half + 30.0, 1e-8));
        // Drag of a point of its axis does not brake the spin.
        Spinning braked(rotor + force("air", "drag", "at = \"rotor@[0, 0, 0]\"\nlinear = 0.3"));
        const Modes sparse = braked.sparse(3);
        check_same(sparse, braked.dense(), {0.0});
        CHECK(sparse.modes[1].eigenvalue.real() < -1e-3);
    }
    // Euler's equations: s^2 = W^2 (J2 - J1) (J3 - J2) / (J1 J3).
    TEST_CASE("a box about its middle axis grows, however slowly, beside a stiff bar") {
        const double W = 0.01;
        Spinning pair(model_text(false) +
                      body("box",
                           "ancf_rigid_body",
                           fmt::format("angular_velocity = [0, {}, 0]", W),
                           1.0,
                           "[0.02, 0.03, 0.045]") +
                      fmt::format(R"([[body]]
name = "bar"
type = "truss"
nodes = [[-0.5, 3, 0], [0.5, 3, 0]]
elements = [[0, 1]]
area = 1.0e-6
young = 1.0e10
density = 7800.0
node_masses = [[0, 1.0], [1, 1.0]]
spin = {{ axis = [0, 1, 0], rate = {} }}
rest_length = "spin"
)",
                                  W));
        const double growth = W * std::sqrt(0.01 * 0.015 / (0.02 * 0.045));
        const Modes sparse = pair.sparse(12);
        const auto grows = std::ranges::count_if(sparse.modes, [&](const Mode& mode) {
            return std::abs(mode.eigenvalue - growth) <= 1e-7 * growth;
        });
        CHECK(grows == 1);
    }
}

}  // namespace
}  // namespace ancora::testing
