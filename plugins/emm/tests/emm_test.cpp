// SPDX-License-Identifier: BSD-3-Clause
// The integrator alone, on a mass on a spring written out by hand as a System.
#include "emm.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ancora/sdk/plugin.hpp"
#include "ancora/sdk/testing/fake_arguments.hpp"

extern "C" const ancora::PluginDescriptor ancora_plugin_descriptor;

namespace {

using namespace ancora;

/// Mass m on a spring k along one coordinate: one linear elastic row, pi = q. Steps that are too
/// long can have no solution.
class Oscillator final : public System {
public:
    Oscillator(double m, double k, double q, double v) : m_(m), c_(1.0 / k), q_{q}, v_{v}, pi_(q) {}

    std::span<const double> q() const override { return q_; }
    std::span<const double> v() const override { return v_; }
    std::span<const double> acceleration() const override { return a_; }
    std::span<const double> stress() const override { return s_; }
    std::span<double> history() override { return history_; }
    StepReport solve_step(const StepGuess& guess, const StepOptions&) override {
        // [m, 1; h^2/2, -2 c] (a, s) = (0, -2 pi - h v)
        const double h = guess.h;
        guess.a[0] = -(2.0 * pi_ + h * v_[0]) / (2.0 * c_ * m_ + 0.5 * h * h);
        guess.s[0] = -m_ * guess.a[0];
        return {h <= longest_step};
    }
    double displacement(std::span<const double> dq) const override { return std::abs(dq[0]); }
    void accept(const StepTrial& trial) override {
        const double h = trial.h;
        const double dq = h * v_[0] + 0.5 * h * h * trial.a[0];
        q_[0] += dq;
        pi_ += dq;
        v_[0] += h * trial.a[0];
        a_[0] = trial.a[0];
        s_[0] = trial.s[0];
        pieces.push_back({trial.t0, h});
    }
    double max_smooth_step(double h) const override { return h; }
    int num_events() const override { return 0; }
    void evaluate_events(const StepTrial&, std::span<double>) override {}
    bool update_active_set(const StepTrial&) override { return false; }
    bool nears_singular_position(const StepTrial&) override { return false; }
    void record_singular_position(double, double, bool) override {}
    void pass_event(int) override {}
    [[noreturn]] void refuse(double, std::string_view why) override {
        throw std::runtime_error(std::string(why));
    }
    [[noreturn]] void no_convergence(const StepTrial&,
                                     std::string_view what,
                                     std::string_view) override {
        throw std::runtime_error(std::string(what));
    }

    double energy() const { return 0.5 * m_ * v_[0] * v_[0] + 0.5 * pi_ * pi_ / c_; }
    void resize_history(int n) { history_.assign(n, 0.0); }

    struct Piece {
        double t0;
        double h;
    };
    std::vector<Piece> pieces;
    double longest_step = 1e300;

private:
    double m_;
    double c_;
    std::vector<double> q_, v_, a_{0.0}, s_{0.0}, history_;
    double pi_;
};

Emm make(Oscillator& system, const char* key = nullptr, int value = 0) {
    test::FakeArguments arguments(ancora_plugin_descriptor.types[0]);
    if (key != nullptr) arguments.set(key, value);
    Emm emm(arguments);
    emm.prepare(system, {});
    system.resize_history(emm.num_history(system));
    return emm;
}

}  // namespace

TEST_SUITE("emm") {
    // For a linear oscillator the scheme is the trapezoidal rule, whose step is the rotation by
    // 2 atan(h omega / 2) in the phase plane.
    TEST_CASE("a linear oscillator turns by 2 atan(h omega / 2) a step") {
        const double m = 2.0;
        const double k = 50.0;
        const double omega = std::sqrt(k / m);
        for (const double h : {1e-3, 0.1, 1.0}) {
            Oscillator system(m, k, 1.0, 0.0);
            Emm emm = make(system);
            const int steps = 50;
            for (int i = 0; i < steps; ++i) emm.step(system, i * h, h);
            const double angle = steps * 2.0 * std::atan(0.5 * h * omega);
            CHECK(std::abs(system.q()[0] - std::cos(angle)) < 1e-13);
            CHECK(std::abs(system.v()[0] + omega * std::sin(angle)) < 1e-12);
            CHECK(std::abs(system.energy() - 0.5 * k) < 1e-12 * k);
        }
    }

    TEST_CASE("numbers of a damaged history lead nowhere") {
        for (const double number : {32.5, -5.0, 1e300, 2147483648.0}) {
            Oscillator system(1.0, 4.0, 1.0, 0.0);
            Emm emm = make(system);
            for (int i = 0; i < 5; ++i) emm.step(system, 0.01 * i, 0.01);
            const std::vector<double> good(system.history().begin(), system.history().end());
            for (std::size_t word = 0; word < 10; ++word) {
                std::ranges::copy(good, system.history().begin());
                system.history()[word] = number;
                const double before = system.energy();
                emm.step(system, 0.05, 0.01);
                CHECK(std::abs(system.energy() - before) < 1e-12);
            }
        }
    }

    TEST_CASE("a step that is too long is halved until its pieces converge, without a gap") {
        Oscillator system(1.0, 4.0, 1.0, 0.0);
        Emm emm = make(system);
        system.longest_step = 0.03;
        emm.step(system, 0.0, 0.1);
        REQUIRE(system.pieces.size() == 4);
        for (std::size_t i = 0; i < 4; ++i) {
            CHECK(system.pieces[i].h == 0.025);
            CHECK(std::abs(system.pieces[i].t0 - 0.025 * static_cast<double>(i)) < 1e-16);
        }
        const double angle = 4 * 2.0 * std::atan(0.5 * 0.025 * 2.0);
        CHECK(std::abs(system.q()[0] - std::cos(angle)) < 1e-13);
    }

    TEST_CASE("a step that no halving mends is refused, never accepted") {
        for (const int halvings : {0, 2}) {
            Oscillator system(1.0, 4.0, 1.0, 0.0);
            Emm emm = make(system, "max_halvings", halvings);
            system.longest_step = 1e-9;
            CHECK_THROWS_WITH_AS(emm.step(system, 0.0, 0.1),
                                 halvings == 0
                                     ? "no convergence, not even with the exact tangent"
                                     : "no convergence, not even with the exact tangent and in "
                                       "halved steps",
                                 std::runtime_error);
            CHECK(system.pieces.empty());
            CHECK(system.q()[0] == 1.0);
        }
    }
}
