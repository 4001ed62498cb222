// SPDX-License-Identifier: BSD-3-Clause
// Rotors: modes about spins against matrices made by hand, objects that are not invariant under the
// rotation, and bushings as bearings.
#include <algorithm>
#include <cmath>
#include <complex>
#include <random>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "support/dense.hpp"
#include "support/mechanisms.hpp"
#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

using Complex = std::complex<double>;
using Eigen::MatrixXd;

Mat3 cross(const Vec3& w) {
    Mat3 out;
    out << 0.0, -w[2], w[1], w[2], 0.0, -w[0], -w[1], w[0], 0.0;
    return out;
}

std::string numbers(const Vec3& x) {
    return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x[0], x[1], x[2]);
}

/// Rigid bodies at places p on an axis n, small displacements u of their centres and turns t, as
/// seen from axes that turn with W n: theory of rotors by hand, six coordinates a body.
class Rotors {
public:
    Rotors(const Vec3& n, double W, int count)
        : M(MatrixXd::Zero(6 * count, 6 * count)), D(M), K(M), n_(n), W_(W), at_(count) {}

    /// J in these axes; what spins in itself by `own` besides is alike all round n.
    void put(int k, const Vec3& place, double m, const Mat3& J, double own) {
        at_[k] = place;
        const Mat3 X = cross(W_ * n_), I = Mat3::Identity();
        const Mat3 H = cross(J * (W_ * n_) + n_.dot(J * n_) * own * n_);
        block(M, k, k, 0, 0) += m * I;
        block(D, k, k, 0, 0) += 2.0 * m * X;
        block(K, k, k, 0, 0) += m * X * X;
        // J (t'' + W x t') + W x J (t' + W x t) + (t' + W x t) x h = 0
        block(M, k, k, 3, 3) += J;
        block(D, k, k, 3, 3) += J * X + X * J - H;
        block(K, k, k, 3, 3) += X * J * X - H * X;
    }
    /// A spring with the matrices k and of turning kt between bodies at a point; -1: space.
    void tie(int a, int b, const Vec3& point, const Mat3& k, const Mat3& kt) {
        MatrixXd r = MatrixXd::Zero(3, M.cols()), t = r;
        for (const auto& [body, sign] : {std::pair{a, -1.0}, std::pair{b, 1.0}}) {
            if (body < 0) continue;
            const Vec3 arm = point - at_[body];
            r.middleCols<3>(6 * body) += sign * Mat3::Identity();
            r.middleCols<3>(6 * body + 3) -= sign * cross(arm);
            t.middleCols<3>(6 * body + 3) += sign * Mat3::Identity();
        }
        K += r.transpose() * k * r + t.transpose() * kt * t;
    }
    /// A hinge about n.
    void hinge(int a, int b, const Vec3& point) {
        const Vec3 x = n_.unitOrthogonal(), y = n_.cross(x);
        MatrixXd rows = MatrixXd::Zero(5, M.cols());
        for (const auto& [body, sign] : {std::pair{a, -1.0}, std::pair{b, 1.0}}) {
            const Vec3 arm = point - at_[body];
            rows.block<3, 3>(0, 6 * body) += sign * Mat3::Identity();
            rows.block<3, 3>(0, 6 * body + 3) -= sign * cross(arm);
            rows.block<1, 3>(3, 6 * body + 3) += sign * x.transpose();
            rows.block<1, 3>(4, 6 * body + 3) += sign * y.transpose();
        }
        const MatrixXd Z = by_eigen::null_space(rows);
        M = Z.transpose() * M * Z;
        D = Z.transpose() * D * Z;
        K = Z.transpose() * K * Z;
    }
    /// Those above the real axis, by modulus; without those of zero.
    std::vector<Complex> eigenvalues() const {
        const Eigen::Index n = M.rows();
        MatrixXd A = MatrixXd::Zero(2 * n, 2 * n);
        A.topRightCorner(n, n).setIdentity();
        A.bottomLeftCorner(n, n) = -by_eigen::solved(M, K);
        A.bottomRightCorner(n, n) = -by_eigen::solved(M, D);
        return kept(by_eigen::eigenvalues(A));
    }
    static std::vector<Complex> kept(const Eigen::VectorXcd& values) {
        const double least = 1e-5 * values.cwiseAbs().maxCoeff();
        std::vector<Complex> out;
        for (const Complex value : values)
            if (value.imag() >= 0.0 && std::abs(value) > least) out.push_back(value);
        std::ranges::sort(out, {}, [](Complex x) {
            return std::pair(std::abs(x), x.imag());
        });
        return out;
    }

    MatrixXd M, D, K;

private:
    static Eigen::Block<MatrixXd> block(MatrixXd& A, int i, int j, int row, int column) {
        return A.block(6 * i + row, 6 * j + column, 3, 3);
    }
    Vec3 n_;
    double W_;
    std::vector<Vec3> at_;
};

void check_modes(const Modes& found, const std::vector<Complex>& expected, double tolerance) {
    Eigen::VectorXcd values(static_cast<Eigen::Index>(found.modes.size()));
    for (std::size_t k = 0; k < found.modes.size(); ++k)
        values[static_cast<Eigen::Index>(k)] = found.modes[k].eigenvalue;
    std::vector<Complex> left = Rotors::kept(values);
    REQUIRE(left.size() == expected.size());
    double fastest = 0.0;
    for (const Complex value : expected) fastest = std::max(fastest, std::abs(value));
    for (const Complex value : expected) {
        const auto nearest = std::ranges::min_element(left, {}, [&](Complex x) {
            return std::abs(x - value);
        });
        CAPTURE(value);
        CAPTURE(*nearest);
        CHECK(std::abs(*nearest - value) <= tolerance * fastest);
        left.erase(nearest);
    }
    // Nothing here has damping: what grows grows as it shall.
    double growth = 0.0;
    for (const Complex value : expected) growth = std::max(growth, std::abs(value.real()));
    for (const Mode& mode : found.modes)
        CHECK(std::abs(mode.eigenvalue.real()) <= growth + tolerance * fastest);
}

/// Random numbers of a fixed seed.
struct Dice {
    explicit Dice(unsigned seed) : engine(seed) {}
    double in(double low, double high) {
        return std::uniform_real_distribution<double>(low, high)(engine);
    }
    Vec3 direction() {
        const Vec3 x(in(-1.0, 1.0), in(-1.0, 1.0), in(-1.0, 1.0));
        return x.norm() > 0.3 ? x.normalized() : direction();
    }
    std::mt19937_64 engine;
};

std::string rotor(const std::string& name,
                  const Vec3& at,
                  const Mat3& R,
                  double m,
                  const Vec3& J,
                  double W,
                  const std::string& more = "") {
    const Eigen::Quaterniond q(R);
    return fmt::format(
        "[[body]]\nname = \"{}\"\ntype = \"ancf_rigid_body\"\nmass = {:.17g}\ninertia = {}\n"
        "position = {}\norientation = [{:.17g}, {:.17g}, {:.17g}, {:.17g}]\n"
        "angular_velocity = [0, 0, {:.17g}]\npenalty = inf\n{}",
        name,
        m,
        numbers(J),
        numbers(at),
        q.w(),
        q.x(),
        q.y(),
        q.z(),
        W,
        more);
}

Mat3 axes_about(const Vec3& n, double angle) {
    Mat3 R;
    R.col(2) = n;
    R.col(0) = Eigen::AngleAxisd(angle, n) * n.unitOrthogonal();
    R.col(1) = n.cross(R.col(0));
    return R;
}

/// Elastic between a and b at a point of the world: k along the axis, across beside it.
std::string bushing(const std::string& name,
                    const std::string& a,
                    const std::string& b,
                    const Vec3& point,
                    const Vec3& axis,
                    double across,
                    double along,
                    double tilt = 0.0,
                    double turn = 0.0) {
    return constraint(name,
                      "bushing",
                      fmt::format("a = \"{}\"\nb = \"{}\"\npoint = {}\naxis = {}\nstiffness = "
                                  "[{:.17g}, {:.17g}, {:.17g}]\ntorsion = [{:.17g}, {:.17g}, "
                                  "{:.17g}]",
                                  a,
                                  b,
                                  numbers(point),
                                  numbers(axis),
                                  across,
                                  across,
                                  along,
                                  tilt,
                                  tilt,
                                  turn));
}

Mat3 along(const Vec3& axis, double across, double lengthwise) {
    return across * Mat3::Identity() + (lengthwise - across) * axis * axis.transpose();
}

const std::string kEnd = steps("emm", 1e-4, 1e-2);

Modes modes_in(Simulation& simulation, ModeAxes axes) {
    ModesOptions options;
    options.axes = axes;
    return simulation.modes(options);
}

std::string message_of(const auto& call) {
    try {
        call();
    } catch (const Error& error) {
        return std::string(error.message());
    }
    return {};
}

bool has(const std::string& text, const std::string& part) {
    const bool is_there = text.find(part) != std::string::npos;
    if (!is_there) MESSAGE("not found: \"", part, "\" in: ", text);
    return is_there;
}

/// What is said against a steady spin, nothing where there is one.
std::string steady_spin_of(Simulation& simulation) {
    EquilibriumOptions options;
    options.spinning = true;
    return message_of([&] {
        simulation.find_equilibrium(options);
    });
}

TEST_SUITE("modes of rotors") {
    TEST_CASE("a rotor in two bearings that are stiffer one way, in axes at rest") {
        Dice dice(7);
        for (int member = 0; member < 40; ++member) {
            CAPTURE(member);
            const Vec3 n = dice.direction(), at(dice.in(-1, 1), dice.in(-1, 1), dice.in(-1, 1));
            const double m = dice.in(0.5, 5.0), Jt = dice.in(0.01, 0.05),
                         Jp = Jt * dice.in(0.2, 1.9);
            const double W = dice.in(20.0, 900.0) * (member % 2 == 0 ? 1.0 : -1.0);
            const Mat3 R = axes_about(n, dice.in(0.0, 6.0));
            Rotors hand(n, 0.0, 1);
            hand.put(0, at, m, Jt * Mat3::Identity() + (Jp - Jt) * n * n.transpose(), W);
            std::string text = "[model]\n" + rotor("rotor", at, R, m, {Jt, Jt, Jp}, W);
            const bool is_isotropic = member % 4 == 3;
            for (const double side : {-1.0, 1.0}) {
                const Vec3 point = at + side * dice.in(0.1, 0.4) * n;
                // Across the rotor, in any direction, or along it.
                const Vec3 axis = is_isotropic ? n : R * Vec3(dice.in(-1, 1), dice.in(-1, 1), 0.0);
                const Vec3 unit = axis.normalized();
                const double k1 = dice.in(1e4, 1e5), k2 = dice.in(1e4, 1e5);
                text +=
                    bushing(side < 0.0 ? "left" : "right", "ground", "rotor", point, axis, k1, k2);
                hand.tie(-1, 0, point, along(unit, k1, k2), Mat3::Zero());
            }
            // Tilt alone, which does not see the spin.
            const double tilt = member % 3 == 0 ? dice.in(100.0, 1000.0) : 0.0;
            text += bushing("tilt", "ground", "rotor", at, n, 1e3, 1e3, tilt);
            hand.tie(-1, 0, at, 1e3 * Mat3::Identity(), along(n, tilt, 0.0));
            Simulation simulation = model(text + kEnd);
            const Modes modes =
                modes_in(simulation,
                         member % 8 < 4 && !is_isotropic ? ModeAxes::automatic : ModeAxes::fixed);
            CHECK(!modes.is_spinning);
            REQUIRE(modes.parts.size() == 1);
            CHECK(modes.parts[0].rate[0] == near(W * n[0], 1e-9 * std::abs(W)));
            check_modes(modes, hand.eigenvalues(), 1e-8);
            // The free turn about the axis, which nothing feels: a place and a speed.
            CHECK(std::ranges::count(modes.modes, Complex(0.0, 0.0), &Mode::eigenvalue) == 2);

            const std::string refused = message_of([&] {
                modes_in(simulation, ModeAxes::turning);
            });
            if (is_isotropic) {
                Rotors turning(n, W, 1);
                turning.put(0, at, m, Jt * Mat3::Identity() + (Jp - Jt) * n * n.transpose(), 0.0);
                turning.K += hand.K;
                check_modes(modes_in(simulation, ModeAxes::turning), turning.eigenvalues(), 1e-8);
                CHECK(modes_in(simulation, ModeAxes::automatic).is_spinning);
            } else {
                CHECK(has(refused, "constraint \""));
                CHECK(has(refused, "(type bushing) resists displacements otherwise"));
            }
        }
    }
    TEST_CASE("an unsymmetric rotor in bearings that are alike all round, in axes that turn") {
        Dice dice(8);
        for (int member = 0; member < 20; ++member) {
            CAPTURE(member);
            const Vec3 n = dice.direction(), at = Vec3::Zero();
            const double m = dice.in(0.5, 5.0), W = dice.in(20.0, 300.0);
            const Vec3 J(dice.in(0.03, 0.05), dice.in(0.03, 0.05), dice.in(0.02, 0.06));
            const Mat3 R = axes_about(n, dice.in(0.0, 6.0));
            const double k = dice.in(1e4, 1e5), kz = dice.in(1e4, 1e5), tilt = dice.in(0.0, 500.0);
            // Beside it a ring that does not spin, alike all round too: in axes that turn it spins
            // backward.
            const bool has_ring = member % 2 == 0;
            const double ring_m = 1.5, Jt = 0.03, Jp = 0.05, ring_k = 3e4;
            std::string text =
                "[model]\n" + rotor("rotor", at, R, m, J, W) +
                bushing("bearing", has_ring ? "ring" : "ground", "rotor", at, n, k, kz, tilt);
            Rotors hand(n, W, has_ring ? 2 : 1);
            hand.put(0, at, m, R * J.asDiagonal() * R.transpose(), 0.0);
            if (has_ring) {
                text += rotor("ring", at, axes_about(n, 0.3), ring_m, {Jt, Jt, Jp}, 0.0) +
                        bushing("mount", "ground", "ring", at + 0.2 * n, n, ring_k, ring_k, 50.0);
                hand.put(1, at, ring_m, along(n, Jt, Jp), -W);
                hand.tie(-1, 1, at + 0.2 * n, ring_k * Mat3::Identity(), along(n, 50.0, 0.0));
            }
            hand.tie(has_ring ? 1 : -1, 0, at, along(n, k, kz), along(n, tilt, 0.0));
            Simulation simulation = model(text + kEnd);
            const Modes modes = simulation.modes();
            CHECK(modes.is_spinning);
            CHECK(modes.parts.size() == (has_ring ? 1 : 0));
            check_modes(modes, hand.eigenvalues(), 1e-8);
            if (!has_ring)
                CHECK(has(message_of([&] {
                              modes_in(simulation, ModeAxes::fixed);
                          }),
                          "body \"rotor\" is not alike all round the axis that it spins about"));
            // Neither axes serve where a bearing is stiffer one way, too.
            Simulation unlike = model(
                text +
                bushing(
                    "side", "ground", "rotor", at, n.unitOrthogonal(), k, dice.in(1.1, 3.0) * k) +
                kEnd);
            const std::string refused = message_of([&] {
                unlike.modes();
            });
            CHECK(has(refused, "constraint \"side\" (type bushing) resists displacements"));
            if (!has_ring) CHECK(has(steady_spin_of(unlike), "constraint \"side\" (type bushing)"));
        }
    }
    TEST_CASE("rotors that spin against each other, on a housing that is stiffer one way") {
        Dice dice(9);
        for (int member = 0; member < 20; ++member) {
            CAPTURE(member);
            const Vec3 n = dice.direction(), across = n.unitOrthogonal();
            const double first = dice.in(50.0, 600.0), second = -dice.in(50.0, 600.0);
            const double Jt = 0.02, Jp = dice.in(0.01, 0.035), k = dice.in(1e4, 1e5);
            const Vec3 left = -0.3 * n, right = 0.25 * n, middle = Vec3::Zero();
            const Vec3 J_housing(0.2, 0.3, 0.25);
            const Mat3 R = axes_about(n, 1.0);
            std::string text =
                "[model]\n" + rotor("housing", middle, R, 8.0, J_housing, 0.0) +
                rotor("first", left, axes_about(n, 2.0), 2.0, {Jt, Jt, Jp}, first) +
                rotor("second", right, axes_about(n, 3.0), 1.0, {Jt, Jt, Jp}, second) +
                bushing("feet", "ground", "housing", 0.1 * across, across, 5e4, 9e4, 300.0, 400.0) +
                bushing("between", "first", "second", middle, n, k, 0.5 * k, 20.0) +
                constraint("shaft",
                           "revolute",
                           fmt::format("a = \"housing\"\nb = \"first\"\npoint = {}\naxis = {}",
                                       numbers(left),
                                       numbers(n))) +
                bushing("far", "housing", "second", 0.4 * n, n, k, k);
            Rotors hand(n, 0.0, 3);
            const Mat3 I = Mat3::Identity();
            hand.put(0, middle, 8.0, R * J_housing.asDiagonal() * R.transpose(), 0.0);
            hand.put(1, left, 2.0, along(n, Jt, Jp), first);
            hand.put(2, right, 1.0, along(n, Jt, Jp), second);
            hand.tie(-1, 0, 0.1 * across, along(across, 5e4, 9e4), along(across, 300.0, 400.0));
            hand.tie(1, 2, middle, along(n, k, 0.5 * k), along(n, 20.0, 0.0));
            hand.tie(0, 2, 0.4 * n, k * I, Mat3::Zero());
            hand.hinge(0, 1, left);
            Simulation simulation = model(text + kEnd);
            const Modes modes = simulation.modes();
            CHECK(!modes.is_spinning);
            CHECK(modes.parts.size() == 2);
            check_modes(modes, hand.eigenvalues(), 1e-8);
        }
    }
    TEST_CASE("a satellite at rest with a wheel about any axis") {
        Dice dice(10);
        for (int member = 0; member < 10; ++member) {
            CAPTURE(member);
            const Vec3 n = dice.direction();
            const double W = dice.in(50.0, 500.0);
            const Vec3 J(2.0, 3.0, 4.0), at = 0.2 * n;
            std::string text =
                "[model]\n" + rotor("bus", Vec3::Zero(), Mat3::Identity(), 100.0, J, 0.0) +
                rotor("wheel", at, axes_about(n, 0.5), 3.0, {0.02, 0.02, 0.03}, W) +
                constraint("shaft",
                           "revolute",
                           fmt::format("a = \"bus\"\nb = \"wheel\"\npoint = {}\naxis = {}",
                                       numbers(at),
                                       numbers(n)));
            Rotors hand(n, 0.0, 2);
            hand.put(0, Vec3::Zero(), 100.0, J.asDiagonal(), 0.0);
            hand.put(1, at, 3.0, along(n, 0.02, 0.03), W);
            hand.hinge(0, 1, at);
            Simulation simulation = model(text + kEnd);
            const Modes modes = simulation.modes();
            CHECK(modes.parts.size() == 1);
            check_modes(modes, hand.eigenvalues(), 1e-8);
            for (const Mode& mode : modes.modes) CHECK(mode.eigenvalue.real() == 0.0);
        }
    }
    TEST_CASE("what does not turn along is named: gravity, loads, unlike bodies, springs") {
        const Vec3 n = Vec3::UnitZ();
        const std::string spun =
            rotor("rotor", Vec3::Zero(), Mat3::Identity(), 2.0, {0.01, 0.01, 0.016}, 100.0);
        const std::string off = rotor("rotor",
                                      Vec3::Zero(),
                                      Mat3::Identity(),
                                      2.0,
                                      {0.01, 0.01, 0.016},
                                      100.0,
                                      "center_of_mass = [0.001, 0, 0]\n");
        const std::string round = bushing("bearing", "ground", "rotor", Vec3::Zero(), n, 1e5, 1e5);
        const std::string unlike =
            bushing("bearing", "ground", "rotor", Vec3::Zero(), Vec3::UnitX(), 1e5, 2e5);
        const std::string other =
            rotor("rotor", Vec3::Zero(), Mat3::Identity(), 2.0, {0.01, 0.012, 0.016}, 100.0);
        const auto steady = [](const std::string& text) {
            Simulation simulation = model(text + kEnd);
            return steady_spin_of(simulation);
        };
        CHECK(
            has(steady("[model]\ngravity = [0, -9.81, 0]\n" + off + round), "gravity acts across"));
        CHECK(has(steady("[model]\ngravity = [0.001, 0, -9.81]\n" + other + round),
                  "gravity acts across"));
        CHECK(steady("[model]\ngravity = [0, 0, -9.81]\n" + off + round).empty());
        CHECK(has(steady("[model]\n" + off + unlike), "constraint \"bearing\" (type bushing)"));
        CHECK(
            has(steady("[model]\n" + other + round +
                       force("push", "point_load", "at = \"rotor@[0, 0, 0]\"\nforce = [3, 0, 0]")),
                "force \"push\" (type point_load) acts otherwise"));
        CHECK(has(message_of([&] {
                      model("[model]\ngravity = [0, -9.81, 0]\nstart = \"steady_spin\"\n" + off +
                            round + kEnd);
                  }),
                  "start = \"steady_spin\": steady spin: no shape rests"));
        // What is alike all round sags, and spins on: gravity across is then no matter.
        Simulation level = model("[model]\ngravity = [0, -9.81, 0]\n" + spun + unlike + kEnd);
        CHECK(steady_spin_of(level).empty());
        CHECK(level.point("rotor@[0, 0, 0]").position[1] == near(-2.0 * 9.81 / 1e5, 1e-12));
        CHECK(omega(level, "rotor")[2] == near(100.0, 1e-9));
        const Modes sagged = level.modes();
        CHECK(sagged.parts.size() == 1);
        for (const double w : {std::sqrt(5e4), std::sqrt(1e5), 160.0})
            CHECK(std::ranges::any_of(sagged.modes, [&](const Mode& mode) {
                return std::abs(mode.eigenvalue - Complex(0.0, w)) <= 1e-7 * w;
            }));
        // Three springs at a third of a turn are alike all round together, two are not.
        const auto springs = [&](int count) {
            std::string text = "[model]\n" + other;
            for (int k = 0; k < count; ++k) {
                const Vec3 at = axes_about(n, 2.0943951023931953 * k) * Vec3(1.0, 0.0, 0.0);
                text += force(fmt::format("s{}", k),
                              "spring",
                              fmt::format("a = \"ground@{}\"\nb = \"rotor@[0, 0, 0]\"\nstiffness = "
                                          "1e4\nfree = 1.0",
                                          numbers(at)));
            }
            return text + bushing("axial", "ground", "rotor", Vec3::Zero(), n, 10.0, 1e3);
        };
        CHECK(steady(springs(3)).empty());
        CHECK(has(steady(springs(2)), "(type spring) resists displacements otherwise"));
    }
    TEST_CASE("over rates of a spin modes go on from each other, and cross") {
        // A tilting rotor: Jt w^2 -+ Jp W w - K = 0; sideways it does not feel the spin.
        const double Jt = 0.01, Jp = 0.016, K = 400.0, m = 2.0, k = 1e5;
        const std::string text =
            "[model]\n" + rotor("rotor", Vec3::Zero(), Mat3::Identity(), m, {Jt, Jt, Jp}, 1.0) +
            bushing("bearing", "ground", "rotor", Vec3::Zero(), Vec3::UnitZ(), k, k, K);
        Simulation simulation = model(text + kEnd);
        SpinRangeOptions options;
        for (int i = 0; i <= 40; ++i) options.rates.push_back(10.0 * i);
        const SpinRange range = simulation.modes_over_spins(options);
        REQUIRE(range.modes.size() == 41);
        int forward = 0, backward = 0, sideways = 0;
        for (const std::vector<int>& branch : range.branches) {
            if (std::ranges::count(branch, -1) > 0) continue;
            const auto of = [&](std::size_t i) {
                return range.modes[i].modes[branch[i]];
            };
            if (of(40).eigenvalue == 0.0) continue;
            const double end = of(40).eigenvalue.imag();
            const double sign = of(40).whirl > 0.0 ? 1.0 : -1.0;
            const bool tilts = std::abs(of(40).bodies[0].rotation[0]) > 1.0;
            tilts ? ++(sign > 0.0 ? forward : backward) : ++sideways;
            for (std::size_t i = 0; i < 41; ++i) {
                const double W = range.rates[i], half = 0.5 * Jp * W / Jt;
                const double expected =
                    tilts ? std::sqrt(half * half + K / Jt) + sign * half : std::sqrt(k / m);
                CHECK(of(i).eigenvalue.imag() == near(expected, 1e-7 * end));
            }
            if (tilts) CHECK(std::abs(of(40).whirl) == near(1.0, 1e-6));
        }
        CHECK(forward == 1);
        CHECK(backward == 1);
        CHECK(sideways == 3);
        // The state is what it was.
        CHECK(omega(simulation, "rotor")[2] == near(1.0, 1e-12));
        SpinRangeOptions none;
        CHECK(has(message_of([&] {
                      simulation.modes_over_spins(none);
                  }),
                  "no rates"));
    }
    TEST_CASE("a free turn is zero twice, however fast the rest is") {
        // A hub with a flapping blade: W sqrt((I - Ixx + m c (off + c)) / (I + m c^2)).
        Dice dice(11);
        for (int member = 0; member < 30; ++member) {
            CAPTURE(member);
            const double W = dice.in(1.0, 300.0), off = dice.in(0.05, 0.5), c = dice.in(0.3, 2.0);
            const double m = dice.in(1.0, 30.0), Ixx = dice.in(0.01, 0.1), I = dice.in(1.0, 20.0);
            Simulation simulation = model(
                "[model]\n" +
                rotor("hub", Vec3::Zero(), Mat3::Identity(), 50.0, {1.0, 1.0, 2.0}, W) +
                rotor("blade",
                      {off + c, 0.0, 0.0},
                      Mat3::Identity(),
                      m,
                      {Ixx, I, I},
                      W,
                      fmt::format("velocity = [0, {:.17g}, 0]\n", W * (off + c))) +
                constraint("shaft",
                           "revolute",
                           "a = \"ground\"\nb = \"hub\"\npoint = [0, 0, 0]\naxis = [0, 0, 1]") +
                constraint("flap",
                           "revolute",
                           fmt::format("a = \"hub\"\nb = \"blade\"\npoint = [{:.17g}, 0, 0]\naxis "
                                       "= [0, -1, 0]",
                                       off)) +
                kEnd);
            const Modes modes = simulation.modes();
            REQUIRE(modes.modes.size() == 3);
            CHECK(modes.modes[0].eigenvalue == 0.0);
            CHECK(modes.modes[1].eigenvalue == 0.0);
            const double w = W * std::sqrt((I - Ixx + m * c * (off + c)) / (I + m * c * c));
            CHECK(modes.modes[2].eigenvalue.imag() == near(w, 1e-8 * w));
            CHECK(modes.modes[2].eigenvalue.real() == 0.0);
        }
    }
    TEST_CASE("free tops: drifts that go round in axes that turn are no instability") {
        Dice dice(12);
        for (int member = 0; member < 20; ++member) {
            CAPTURE(member);
            const double W = dice.in(1.0, 300.0);
            Vec3 J(dice.in(0.03, 0.05), dice.in(0.03, 0.05), 0.0);
            J[2] = dice.in(0.051, 0.059);
            Simulation simulation =
                model("[model]\n" +
                      rotor("top", dice.direction(), axes_about(dice.direction(), 1.0), 2.0, J, W) +
                      kEnd);
            const Modes modes = modes_in(simulation, ModeAxes::turning);
            for (const Mode& mode : modes.modes)
                CHECK(std::abs(mode.eigenvalue.real()) <= 1e-8 * W);
            const double nutation = W * std::sqrt((J[2] - J[0]) * (J[2] - J[1]) / (J[0] * J[1]));
            CHECK(std::ranges::any_of(modes.modes, [&](const Mode& mode) {
                return std::abs(mode.eigenvalue.imag() - nutation) <= 1e-7 * W;
            }));
        }
    }
}

/// Two bodies whose frames lie in each other's origin, b turned by R in axes of a.
std::string turned_pair(const Mat3& attitude, const Mat3& R, const Vec3& wa, const Vec3& wb) {
    const auto piece = [](const std::string& name, const Mat3& axes, const Vec3& w, const Vec3& J) {
        const Eigen::Quaterniond q(axes);
        return fmt::format(
            "[[body]]\nname = \"{}\"\ntype = \"ancf_rigid_body\"\nmass = 2.0\ninertia = {}\n"
            "orientation = [{:.17g}, {:.17g}, {:.17g}, {:.17g}]\nangular_velocity = {}\n"
            "penalty = inf\n[[body.frame]]\nname = \"f\"\n",
            name,
            numbers(J),
            q.w(),
            q.x(),
            q.y(),
            q.z(),
            numbers(w));
    };
    return piece("a", attitude, wa, {0.1, 0.12, 0.15}) +
           piece("b", attitude * R, wb, {0.2, 0.16, 0.11});
}

std::string torsion(const Vec3& K, const Vec3& C = Vec3::Zero()) {
    return constraint("bush",
                      "bushing",
                      fmt::format("a = \"a.f\"\nb = \"b.f\"\nstiffness = [0, 0, 0]\ntorsion = {}\n"
                                  "torsional_damping = {}",
                                  numbers(K),
                                  numbers(C)));
}

/// Stiffnesses of all kinds: one more than the others together, two alike and one zero, one alone.
Vec3 some_stiffness(Dice& dice, int member) {
    const double K = dice.in(1.0, 20.0);
    switch (member % 4) {
        case 0:
            return {K, K, 0.0};
        case 1:
            return {0.1 * K, 0.2 * K, 3.0 * K};
        case 2:
            return {0.0, K, 0.0};
        default:
            return {K, dice.in(0.5, 1.0) * K, dice.in(0.5, 1.0) * K};
    }
}

TEST_SUITE("bushings") {
    TEST_CASE("turned by any angle: energy (1 - cos angle) n.K n, and its moment") {
        Dice dice(21);
        for (int member = 0; member < 60; ++member) {
            CAPTURE(member);
            const Vec3 K = some_stiffness(dice, member);
            // About an axis, about any, and after two turns.
            const double angle = dice.in(0.05, 3.1);
            const Vec3 first = member % 3 == 0 ? Vec3(Vec3::Unit(member % 2)) : dice.direction();
            Mat3 R = Eigen::AngleAxisd(angle, first).toRotationMatrix();
            if (member % 3 == 2) R = R * Eigen::AngleAxisd(dice.in(0.1, 3.0), dice.direction());
            const Eigen::AngleAxisd all(R);
            Simulation simulation = model(
                "[model]\n" +
                turned_pair(axes_about(dice.direction(), 1.0), R, Vec3::Zero(), Vec3::Zero()) +
                torsion(K) + steps(member % 2 == 0 ? "rk4" : "dopri5", 1e-3, 1.0));
            const double U =
                (1.0 - std::cos(all.angle())) * all.axis().dot(K.asDiagonal() * all.axis());
            CHECK(column(simulation, "energy.potential") == near(U, 1e-12 * K.sum()));
            // sum w_i b_i x a_i, in axes of a.
            const Vec3 w = Vec3::Constant(0.5 * K.sum()) - K;
            Vec3 moment = Vec3::Zero();
            for (int i = 0; i < 3; ++i) moment += w[i] * R.col(i).cross(Vec3::Unit(i));
            if (member % 3 == 0)
                CHECK((moment + std::sin(angle) * first.cwiseProduct(K)).norm() <= 1e-12 * K.sum());
            for (int c = 0; c < 3; ++c)
                CHECK(column(simulation, fmt::format("bush.on_b.moment.{}", "xyz"[c])) ==
                      near(moment[c], 1e-11 * K.sum()));
        }
    }
    TEST_CASE("damping is against the angular velocity of b as seen from a, along axes of b") {
        Dice dice(22);
        for (int member = 0; member < 40; ++member) {
            CAPTURE(member);
            // None more than the others together, or one alone, about its axis.
            const bool is_alone = member % 4 == 3;
            const Vec3 axis = Vec3::Unit(member % 3);
            const Vec3 v(
                member % 2 == 0 ? 0.0 : dice.in(0.0, 2.0), dice.in(0.0, 2.0), dice.in(0.0, 2.0));
            const Vec3 C = is_alone ? Vec3(3.0 * axis) : Vec3(Vec3::Constant(v.sum()) - v);
            const Mat3 at = axes_about(dice.direction(), 1.0);
            const Mat3 R = Eigen::AngleAxisd(dice.in(-3.1, 3.1), is_alone ? axis : dice.direction())
                               .toRotationMatrix();
            const Vec3 wa = 5.0 * dice.direction(), wb = 5.0 * dice.direction();
            Simulation simulation = model("[model]\n" + turned_pair(at, R, wa, wb) +
                                          torsion(Vec3::Zero(), C) + steps("rk4", 1e-3, 1.0));
            const Vec3 relative = wb - R.transpose() * wa;  // in axes of b
            const Vec3 moment = -R * C.cwiseProduct(relative);
            for (int c = 0; c < 3; ++c)
                CHECK(column(simulation, fmt::format("bush.on_b.moment.{}", "xyz"[c])) ==
                      near(moment[c], 1e-10 * (1.0 + C.sum())));
        }
    }
    TEST_CASE("steps keep energy, momentum and angular momentum, and damping takes what it shall") {
        Dice dice(23);
        for (int member = 0; member < 24; ++member) {
            CAPTURE(member);
            const Vec3 K = some_stiffness(dice, member);
            const Vec3 C = member % 3 == 0 ? Vec3(0.3, 0.3, 0.1) : Vec3::Zero();
            const Mat3 R =
                Eigen::AngleAxisd(dice.in(0.0, 3.0), dice.direction()).toRotationMatrix();
            Simulation simulation = model("[model]\n" +
                                          turned_pair(axes_about(dice.direction(), 1.0),
                                                      R,
                                                      4.0 * dice.direction(),
                                                      4.0 * dice.direction()) +
                                          torsion(K, C) + steps("emm", 1e-2, 3.0));
            const double before = column(simulation, "energy.total");
            check_balances(run_to_end(simulation));
            const double after = column(simulation, "energy.total");
            if (C.isZero())
                CHECK(after == near(before, 1e-12 * (1.0 + std::abs(before))));
            else
                CHECK(after < before);
        }
    }
    // Where b has turned about the other axes only there is no stress, and turning on costs
    // nothing: what swings about the stiff axis does not resolve is small.
    TEST_CASE("one stiffness alone, far beyond what steps resolve, takes few iterations") {
        Dice dice(25);
        constexpr double h = 1e-2;
        for (const double stiff : {1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6})
            for (int axis = 0; axis < 3; ++axis)
                for (const double swing : {0.0, 1.0}) {
                    CAPTURE(stiff);
                    CAPTURE(axis);
                    CAPTURE(swing);
                    const double J = 0.11, K = stiff * J / (h * h);
                    const double at = dice.in(0.0, 6.28);
                    const Vec3 across = std::cos(at) * Vec3::Unit((axis + 1) % 3) +
                                        std::sin(at) * Vec3::Unit((axis + 2) % 3);
                    // An angle about the axis itself of as much energy as the bodies have.
                    const double about = swing * std::min(0.5, 4.0 * std::sqrt(J / K));
                    const Mat3 R = (Eigen::AngleAxisd(dice.in(-3.0, 3.0), across) *
                                    Eigen::AngleAxisd(about, Vec3::Unit(axis)))
                                       .toRotationMatrix();
                    Simulation simulation =
                        model("[model]\n" +
                              turned_pair(axes_about(dice.direction(), 1.0),
                                          R,
                                          4.0 * dice.direction(),
                                          4.0 * dice.direction()) +
                              torsion(K * Vec3::Unit(axis)) + steps("emm", h, 1.0));
                    run_to_end(simulation);
                    const RunStatistics run = simulation.statistics();
                    CHECK(static_cast<double>(run.iterations) <=
                          10.0 * static_cast<double>(run.steps));
                    CHECK(run.energy.max_rel <= tolerance(1e-11));
                    CHECK(run.angular_momentum.max_rel <= tolerance(1e-11));
                }
    }
    TEST_CASE("a rotor that spins in an elastic bearing whirls as it shall, damped or not") {
        // Jt t'' + (C - i Jp W) t' + K t = 0 for the tilt t = x + i y, nudged at the start.
        Dice dice(24);
        for (int member = 0; member < 12; ++member) {
            CAPTURE(member);
            const double Jt = 0.01, Jp = dice.in(0.004, 0.018), W = dice.in(20.0, 400.0);
            const double K = dice.in(100.0, 600.0), C = member % 2 == 0 ? 0.0 : dice.in(0.1, 1.0);
            const double rate = 1.0, end = 0.1;
            const std::string text =
                fmt::format(
                    "[[body]]\nname = \"rotor\"\ntype = \"ancf_rigid_body\"\nmass = 2.0\n"
                    "inertia = [{0}, {0}, {1:.17g}]\nangular_velocity = [{2}, 0, {3:.17g}]\n"
                    "penalty = inf\n",
                    Jt,
                    Jp,
                    rate,
                    W) +
                constraint(
                    "bearing",
                    "bushing",
                    fmt::format("a = \"ground@[0, 0, 0]\"\nb = \"rotor@[0, 0, 0]\"\n"
                                "stiffness = [1e5, 1e5, 1e5]\ntorsion = [{0:.17g}, {0:.17g}, "
                                "0]\ntorsional_damping = [{1:.17g}, {1:.17g}, 0]",
                                K,
                                C));
            const Complex i(0.0, 1.0), middle = 0.5 * (C - i * Jp * W) / Jt;
            const Complex root = std::sqrt(middle * middle - K / Jt);
            const Complex a = -middle + root, b = -middle - root;
            const auto tilt = [](const Simulation& simulation) {
                const Vec3 axis = attitude(simulation, "rotor").col(2);
                return Complex(-axis[1], axis[0]);
            };
            const auto error = [&](const std::string& type, double step, double tolerance) {
                Simulation simulation = model(text + steps(type, step, end, tolerance));
                double worst = 0.0;
                while (!simulation.done()) {
                    simulation.step();
                    const double t = simulation.time();
                    const Complex expected = rate * (std::exp(a * t) - std::exp(b * t)) / (a - b);
                    worst = std::max(worst, std::abs(tilt(simulation) - expected));
                }
                return worst;
            };
            // The tilt is small: its square beside it is what the linear equation leaves out.
            const double size = rate / std::abs(a - b);
            CHECK(error("dopri5", 1e-4, 1e-10) <= 20.0 * size * size * size + 1e-8);
            const double coarse = error("emm", 4e-4, 1e-12), fine = error("emm", 2e-4, 1e-12);
            CHECK(coarse / fine >= 3.5);
            CHECK(coarse / fine <= 4.5);
        }
    }
}

}  // namespace
}  // namespace ancora::testing
