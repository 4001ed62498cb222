// SPDX-License-Identifier: BSD-3-Clause
// The integrator alone, on a mass on a spring written out by hand as a System.
#include "emm.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ancora/sdk/plugin.hpp"
#include "ancora/sdk/testing/fake_arguments.hpp"
#include "convergence.hpp"

extern "C" const ancora::PluginDescriptor ancora_plugin_descriptor;

namespace {

using namespace ancora;

/// Mass m on a spring k along one coordinate: one linear elastic row, pi = q. Its matrix can be
/// told to fail, and its solve to lead nowhere for steps that are too long.
class Oscillator final : public System {
public:
    Oscillator(double m, double k, double q, double v) : m_(m), c_(1.0 / k), q_{q}, v_{v}, pi_(q) {}

    int num_coordinates() const override { return 1; }
    int num_rows() const override { return 1; }
    std::span<const double> q() const override { return q_; }
    std::span<const double> v() const override { return v_; }
    std::span<const double> acceleration() const override { return a_; }
    std::span<const double> stress() const override { return s_; }
    std::span<double> history() override { return history_; }
    bool stresses_are_unique() const override { return true; }
    void clear_constraint_stress(std::span<double>) const override {}
    void evaluate(const StepTrial& trial,
                  std::span<double> r_motion,
                  std::span<double> r_rows) override {
        const double h = trial.h;
        const double dq = h * v_[0] + 0.5 * h * h * trial.a[0];
        r_motion[0] = m_ * trial.a[0] + trial.s[0];
        r_rows[0] = dq + 2.0 * pi_ - 2.0 * c_ * trial.s[0];
        motion_ = r_motion[0];
        row_ = r_rows[0];
    }
    StepDefect defect(const StepTrial& trial, double slack) override {
        const double inertia = 2.0 * m_ / (trial.h * trial.h);
        return {std::abs(motion_) / (1e-15 * (std::abs(trial.s[0]) + 1.0) + slack * inertia),
                std::abs(row_) / (1e-15 * (std::abs(pi_) + 1.0) + slack)};
    }
    bool factorise(const StepTrial& trial, Tangent tangent) override {
        tangents.push_back(tangent);
        h_ = trial.h;
        return std::find(refused.begin(), refused.end(), tangent) == refused.end();
    }
    void solve(std::span<const double> r_motion,
               std::span<const double> r_rows,
               std::span<double> ddq,
               std::span<double> ds) override {
        // [2 m / h^2, 1; 1, -2 c] (ddq, ds) = r
        const double inertia = 2.0 * m_ / (h_ * h_);
        const double determinant = -2.0 * c_ * inertia - 1.0;
        ddq[0] = (-2.0 * c_ * r_motion[0] - r_rows[0]) / determinant;
        ds[0] = (inertia * r_rows[0] - r_motion[0]) / determinant;
        if (h_ > longest_step) ddq[0] += 1.0;
    }
    SolverCost cost() const override { return {10.0, 10.0}; }
    bool is_factorised_for(double h) const override { return h == h_; }
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
    ContinuousState continuous() const override { return {}; }
    void read_state(std::span<double>) const override {}
    double smooth_length(double h) const override { return h; }
    void derivative(double, std::span<const double>, std::span<double>) override {}
    void accept_state(double, double, std::span<const double>) override {}
    int num_events() const override { return 0; }
    void evaluate_events(const StepTrial&, std::span<double>) override {}
    void evaluate_events(double, std::span<const double>, std::span<double>) override {}
    bool settle_modes(const StepTrial&) override { return false; }
    bool renew_choice() override { return false; }
    bool nears_singular_position(const StepTrial&) override { return false; }
    void record_singular_position(double, double, bool) override {}
    void pass_event(int) override {}
    [[noreturn]] void refuse(double, std::string_view why) override {
        throw std::runtime_error(std::string(why));
    }
    void count_iteration() override { ++iterations; }
    [[noreturn]] void no_convergence(const StepTrial&,
                                     std::string_view what,
                                     std::string_view) override {
        throw std::runtime_error(std::string(what));
    }

    double energy() const { return 0.5 * m_ * v_[0] * v_[0] + 0.5 * pi_ * pi_ / c_; }
    void resize_history(int n) { history_.assign(static_cast<std::size_t>(n), 0.0); }

    struct Piece {
        double t0;
        double h;
    };
    std::vector<Piece> pieces;
    std::vector<Tangent> tangents;
    std::vector<Tangent> refused;
    double longest_step = 1e300;
    int iterations = 0;

private:
    double m_;
    double c_;
    std::vector<double> q_, v_, a_{0.0}, s_{0.0}, history_;
    double pi_;
    double h_ = 0.0;
    double motion_ = 0.0;
    double row_ = 0.0;
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

    TEST_CASE(
        "one factorisation serves a linear system for good, and another step length a new one") {
        Oscillator system(1.0, 4.0, 1.0, 0.0);
        Emm emm = make(system);
        for (int i = 0; i < 20; ++i) emm.step(system, 0.01 * i, 0.01);
        CHECK(system.tangents.size() == 1);
        emm.step(system, 0.2, 0.005);
        CHECK(system.tangents.size() == 2);
    }

    TEST_CASE("a step that fails is tried with the full stiffness, then with the exact tangent") {
        Oscillator system(1.0, 4.0, 1.0, 0.0);
        Emm emm = make(system);
        system.refused = {Tangent::definite, Tangent::symmetric};
        emm.step(system, 0.0, 0.1);
        CHECK(system.pieces.size() == 1);
        CHECK(system.tangents.front() == Tangent::definite);
        CHECK(std::count(system.tangents.begin(), system.tangents.end(), Tangent::symmetric) == 1);
        CHECK(system.tangents.back() == Tangent::exact);
        // What the retry left behind is not used for the next step.
        const std::size_t before = system.tangents.size();
        system.refused.clear();
        emm.step(system, 0.1, 0.1);
        CHECK(system.tangents.size() > before);
        CHECK(system.tangents[before] == Tangent::definite);
    }

    TEST_CASE("a gap that no iteration closes is accepted only as a rounding of positions") {
        using Verdict = Convergence::Verdict;
        const auto verdict_on = [](StepDefect stuck) {
            constexpr int kMost = 10;
            Convergence convergence(kDefaultTolerance, kMost, 1.0);
            Verdict verdict = Verdict::go_on;
            for (int k = 1; k <= kMost && verdict == Verdict::go_on; ++k) {
                convergence.note(1e-20);
                verdict = convergence.judge(k, stuck);
            }
            return verdict;
        };
        StepDefect stuck{0.5, 2e3};
        CHECK(verdict_on(stuck) == Verdict::failed);  // nothing is known of positions
        stuck.positions = 100.0;
        CHECK(verdict_on(stuck) == Verdict::failed);
        stuck.positions = 2.0;
        CHECK(verdict_on(stuck) == Verdict::converged);
        stuck.motion = 2e3;
        CHECK(verdict_on(stuck) == Verdict::failed);
    }

    TEST_CASE("roundings that go round in circles are the floor, not a failure") {
        // As rows with differenced derivatives leave them: no last value is below all before.
        constexpr StepDefect kCircle[] = {{63.0, 0.1}, {140.0, 0.93}, {63.0, 0.4}, {140.0, 1.2}};
        Convergence convergence(kDefaultTolerance, 25, 1.0);
        auto verdict = Convergence::Verdict::go_on;
        int k = 0;
        while (verdict == Convergence::Verdict::go_on) {
            convergence.note(1e-16);
            ++k;
            verdict = convergence.judge(k, kCircle[k % 4]);
        }
        CHECK(verdict == Convergence::Verdict::converged);
        CHECK(k <= 8);
    }

    TEST_CASE("a residual that falls again after a rise is no floor") {
        constexpr double kDefects[] = {4000, 800, 160, 30, 900, 300, 100, 30, 9, 2.5, 0.7};
        Convergence convergence(kDefaultTolerance, 25, 1.0);
        for (int k = 1; k <= 11; ++k) {
            CAPTURE(k);
            convergence.note(1e-13);
            const double defect = kDefects[k - 1];
            CHECK(convergence.judge(k, {defect, defect}) ==
                  (defect < 1.0 ? Convergence::Verdict::converged : Convergence::Verdict::go_on));
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

    TEST_CASE("the largest of many roundings may be larger than one of them") {
        CHECK(Convergence::most_of(1) == 1.0);
        CHECK(Convergence::most_of(20) == 1.0);
        // Against the largest of drawn ones of the same deviation, on average: the formula is an
        // upper bound of it, and tight for many.
        std::mt19937 random(5);
        std::normal_distribution<double> rounding(0.0, 0.4);
        for (const std::size_t count : {std::size_t{1000}, std::size_t{100'000}}) {
            constexpr int kDraws = 20;
            double mean = 0.0;
            for (int draw = 0; draw < kDraws; ++draw) {
                double largest = 0.0;
                for (std::size_t i = 0; i < count; ++i)
                    largest = std::max(largest, rounding(random));
                mean += largest / kDraws;
            }
            CHECK(mean <= Convergence::most_of(count));
            CHECK(mean >= 0.8 * Convergence::most_of(count));
        }
    }

    TEST_CASE("a correction that leaves nothing is the last, if residuals are closed to rounding") {
        const auto verdict_on = [](double tolerance, double correction, bool is_whole) {
            Convergence convergence(tolerance, 25, 1.0);
            convergence.note(correction, is_whole);
            return convergence.judge(1, {0.5, 0.5});
        };
        using Verdict = Convergence::Verdict;
        CHECK(verdict_on(1e-12, 1e-13, false) == Verdict::converged);
        CHECK(verdict_on(1e-12, 1e-10, false) == Verdict::go_on);
        CHECK(verdict_on(1e-12, 1e-10, true) == Verdict::converged);
        // A tolerance above the usual one lets residuals be more than rounding.
        CHECK(verdict_on(1e-11, 1e-10, true) == Verdict::go_on);
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
