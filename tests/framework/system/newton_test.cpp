// SPDX-License-Identifier: BSD-3-Clause
// The iteration of a step on a mass on a spring written out by hand, and its tests on scripted
// corrections and residuals.
#include "newton.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include "ancora/framework/error.hpp"
#include "convergence.hpp"
#include "factor_reuse.hpp"
#include "workers.hpp"

namespace {

using namespace ancora;

/// Mass m on a spring k along one coordinate: one linear elastic row, pi = q. Its matrix can be
/// told to fail, and to be that of another stiffness, as an old one is.
class Oscillator final : public StepEquations {
public:
    Oscillator(double m, double k, double q, double v)
        : m_(m), c_(1.0 / k), matrix_c_(c_), v_(v), pi_(q) {}

    bool stresses_are_unique() const override { return true; }
    void clear_constraint_stress(std::span<double>) const override {}
    void evaluate(const StepTrial& trial,
                  std::span<double> r_motion,
                  std::span<double> r_rows) override {
        const double h = trial.h;
        const double dq = h * v_ + 0.5 * h * h * trial.a[0];
        r_motion[0] = motion_ = m_ * trial.a[0] + trial.s[0];
        r_rows[0] = row_ = dq + 2.0 * pi_ - 2.0 * c_ * trial.s[0];
    }
    ScaledResidual defect(const StepTrial& trial, double slack) override {
        const double inertia = 2.0 * m_ / (trial.h * trial.h);
        return {std::abs(motion_) / (1e-15 * (std::abs(trial.s[0]) + 1.0) + slack * inertia),
                std::abs(row_) / (1e-15 * (std::abs(pi_) + 1.0) + slack)};
    }
    bool factorise(const StepTrial& trial, Tangent tangent) override {
        tangents.push_back(tangent);
        h_ = trial.h;
        matrix_c_ = c_ * matrix_error;
        return std::ranges::find(refused, tangent) == refused.end();
    }
    bool is_factorised_for(double h) const override { return h == h_; }
    void solve(std::span<const double> r_motion,
               std::span<const double> r_rows,
               std::span<double> ddq,
               std::span<double> ds) override {
        // [2 m / h^2, 1; 1, -2 c] (ddq, ds) = r
        const double inertia = 2.0 * m_ / (h_ * h_);
        const double determinant = -2.0 * matrix_c_ * inertia - 1.0;
        ddq[0] = (-2.0 * matrix_c_ * r_motion[0] - r_rows[0]) / determinant;
        ds[0] = (inertia * r_rows[0] - r_motion[0]) / determinant;
        solved_ += cost_of_iteration;
    }
    SolverCost cost() const override { return {cost_of_matrix, cost_of_iteration, solved_}; }
    double displacement(std::span<const double> dq) const override { return std::abs(dq[0]); }
    bool nears_singular_position(const StepTrial&) override { return is_singular; }
    void count_iteration() override { ++iterations; }

    void accept(double h, double a, double s) {
        const double dq = h * v_ + 0.5 * h * h * a;
        pi_ += dq;
        v_ += h * a;
        s_ = s;
    }
    void stiffen(double factor) { c_ /= factor; }
    double stress() const { return s_; }

    std::vector<Tangent> tangents;
    std::vector<Tangent> refused;
    double matrix_error = 1.0;  ///< what the compliance in a new matrix is of the true one
    double cost_of_matrix = 10.0;
    double cost_of_iteration = 10.0;
    bool is_singular = false;
    int iterations = 0;

private:
    double m_;
    double c_;
    double matrix_c_;
    double v_;
    double pi_;
    double s_ = 0.0;
    double h_ = 0.0;
    double solved_ = 0.0;
    double motion_ = 0.0;
    double row_ = 0.0;
};

struct Run {
    Run(double m, double k, double q, double v) : system(m, k, q, v), newton(system, workers) {
        newton.resize(1, 1, 0);
    }
    StepReport solve(double h, StepOptions options = {}) {
        a = {0.0};
        s = {system.stress()};
        return newton.solve({0.0, h, a, s}, options, nullptr);
    }
    void step(double h) {
        REQUIRE(solve(h).has_converged);
        system.accept(h, a[0], s[0]);
        newton.note_accepted(h);
    }

    Workers workers;
    Oscillator system;
    Newton newton;
    std::vector<double> a{0.0}, s{0.0};
};

}  // namespace

TEST_SUITE("newton") {
    TEST_CASE("the solution is that of the equations written out") {
        // (m + h^2/4 k) a = -k (q + h v / 2)
        for (const double h : {1e-3, 0.1, 3.0}) {
            Run run(2.0, 50.0, 0.3, -0.7);
            CHECK(run.solve(h).has_converged);
            const double a = -50.0 * (0.3 - 0.35 * h) / (2.0 + 12.5 * h * h);
            CHECK(std::abs(run.a[0] - a) <= 1e-14 * std::abs(a));
            CHECK(std::abs(run.s[0] + 2.0 * a) <= 1e-14 * std::abs(2.0 * a));
        }
    }

    TEST_CASE("one factorisation serves a linear system for good, another length has a new one") {
        Run run(1.0, 4.0, 1.0, 0.0);
        run.system.cost_of_matrix = 1000.0;
        for (int i = 0; i < 20; ++i) run.step(0.01);
        CHECK(run.system.tangents.size() == 1);
        run.step(0.005);
        CHECK(run.system.tangents.size() == 2);
    }

    TEST_CASE("a trial that fails is taken with the full stiffness, then with the exact tangent") {
        Run run(1.0, 4.0, 1.0, 0.0);
        run.system.refused = {Tangent::definite, Tangent::symmetric};
        run.step(0.1);
        std::vector<Tangent>& tried = run.system.tangents;
        REQUIRE(tried.size() >= 4);
        CHECK(tried[0] == Tangent::definite);
        CHECK(tried[1] == Tangent::definite);
        CHECK(tried[2] == Tangent::symmetric);
        CHECK(std::all_of(tried.begin() + 3, tried.end(), [](Tangent tangent) {
            return tangent == Tangent::consistent;
        }));
        // What the retry left behind is not used for the next step.
        tried.clear();
        run.system.refused.clear();
        run.step(0.1);
        CHECK(tried == std::vector{Tangent::definite});
    }

    TEST_CASE("beside a singular position the exact tangent comes first, and the report says so") {
        Run run(1.0, 4.0, 1.0, 0.0);
        run.system.is_singular = true;
        run.system.refused = {Tangent::definite};
        const StepReport report = run.solve(0.1);
        CHECK(report.has_converged);
        CHECK(report.nears_singular_position);
        REQUIRE(run.system.tangents.size() >= 2);
        CHECK(run.system.tangents[1] == Tangent::consistent);
    }

    TEST_CASE("an old matrix is kept while its iterations are cheaper than a new one") {
        const auto matrices = [](double cost_of_matrix) {
            Run run(1.0, 4.0, 1.0, 0.0);
            run.system.cost_of_matrix = cost_of_matrix;
            for (int i = 0; i < 40; ++i) {
                run.step(0.3);
                run.system.stiffen(1.05);
            }
            return run.system.tangents.size();
        };
        // One in each step where it costs next to nothing, few where it costs a hundred iterations.
        CHECK(matrices(1.0) >= 20);
        CHECK(2 * matrices(1000.0) <= matrices(1.0));
    }

    TEST_CASE("a guess of other sizes is refused, and so are multipliers without a projection") {
        Run run(1.0, 4.0, 1.0, 0.0);
        std::vector<double> one(1), two(2);
        const auto refused = [&](const StepGuess& guess) {
            CHECK_THROWS_WITH_AS(run.newton.solve(guess, {}, nullptr),
                                 doctest::Contains("does not fit the model"),
                                 Error);
        };
        refused({0.0, 0.1, two, one});
        refused({0.0, 0.1, one, two});
        refused({0.0, 0.1, one, one, two});
        CHECK(run.solve(0.1).has_converged);
    }

    TEST_CASE("a matrix that leads nowhere ends in a refusal, and the iterations are counted") {
        Run run(1.0, 4.0, 1.0, 0.0);
        run.system.matrix_error = -40.0;
        const StepReport report = run.solve(1.0);
        CHECK_FALSE(report.has_converged);
        CHECK(run.system.iterations > 4);
    }

    TEST_CASE("a gap that no iteration closes is accepted only as a rounding of positions") {
        using Verdict = Convergence::Verdict;
        const auto verdict_on = [](ScaledResidual stuck) {
            constexpr int kMost = 10;
            Convergence convergence(kDefaultTolerance, kMost, 1.0);
            Verdict verdict = Verdict::go_on;
            for (int k = 1; k <= kMost && verdict == Verdict::go_on; ++k) {
                convergence.note(1e-20);
                verdict = convergence.judge(k, stuck);
            }
            return verdict;
        };
        ScaledResidual stuck{0.5, 2e3};
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
        constexpr ScaledResidual kCircle[] = {
            {63.0, 0.1}, {140.0, 0.93}, {63.0, 0.4}, {140.0, 1.2}};
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
}
