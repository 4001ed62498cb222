// SPDX-License-Identifier: BSD-3-Clause
// The method on an oscillator, where a step is a matrix that is published, and on a pendulum, where
// the multiplier that it carries has a closed value.
#include "generalized_alpha.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Dense>
#include <doctest/doctest.h>

#include "ancora/sdk/plugin.hpp"
#include "ancora/sdk/testing/fake_arguments.hpp"
#include "support/dense.hpp"

extern "C" const ancora::PluginDescriptor ancora_plugin_descriptor;

namespace ancora {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

std::span<const double> view(const Vector& x) {
    return {x.data(), static_cast<std::size_t>(x.size())};
}

/// A dense matrix as the kernel shows it.
class Shown {
public:
    explicit Shown(Matrix M) {
        start_.push_back(0);
        for (Eigen::Index i = 0; i < M.rows(); ++i) {
            for (Eigen::Index j = 0; j < M.cols(); ++j) {
                column_.push_back(static_cast<std::int32_t>(j));
                value_.push_back(M(i, j));
            }
            start_.push_back(static_cast<std::int32_t>(column_.size()));
        }
    }
    CompressedMatrix view() const { return {start_, column_, value_}; }

private:
    std::vector<std::int32_t> start_, column_;
    std::vector<double> value_;
};

/// A point of mass 1 under a force F = -k q - g e_last, on a circle of radius 1 or free; one work
/// is recorded, that of the force.
class Point final : public System, public ContinuousSystem, public ImplicitSystem {
public:
    Point(Vector q, Vector v, double k, double g, bool is_on_circle)
        : q_(std::move(q)), v_(std::move(v)), k_(k), g_(g), is_on_circle_(is_on_circle) {}

    // What the integrator asks the model.
    int num_coordinates() const override { return static_cast<int>(q_.size()); }
    std::span<const double> q() const override { return view(q_); }
    std::span<const double> v() const override { return view(v_); }
    std::span<double> history() override { return history_; }
    ContinuousState size() const override { return {num_coordinates(), 2 * num_coordinates() + 1}; }
    int num_conditions() const override { return is_on_circle_ ? 1 : 0; }
    void* find_facet(Facet which) override {
        if (which == Facet::continuous) return static_cast<ContinuousSystem*>(this);
        return which == Facet::implicit ? static_cast<ImplicitSystem*>(this) : nullptr;
    }
    std::span<const double> quadrature_scales() const override { return {}; }
    bool constraint_error(double, std::span<const double>, std::span<double>) override {
        return false;
    }
    bool has_formulas_of_time() const override { return false; }
    void record_limited_step(double, double) override {}
    double displacement(std::span<const double> dq) const override {
        double most = 0.0;
        for (const double x : dq) most = std::max(most, std::abs(x));
        return most;
    }
    void accept_state(double, double t1, std::span<const double> x) override {
        const auto n = static_cast<std::size_t>(q_.size());
        std::copy_n(x.begin(), n, q_.begin());
        std::copy_n(x.begin() + q_.size(), n, v_.begin());
        work += x.back();
        t = t1;
        pieces.push_back(t1);
    }
    void count_iteration() override { ++iterations; }

    // The equations.
    std::span<const RowLevel> levels() const override {
        static constexpr std::array kLevels{RowLevel::position};
        return std::span(kLevels).first(is_on_circle_ ? 1 : 0);
    }
    void accelerations(double,
                       std::span<const double> q,
                       std::span<const double> v,
                       std::span<double> a,
                       std::span<double> lambda) override {
        evaluate({0.0, q, v, lambda});
        Vector acceleration = force_;
        if (is_on_circle_) {
            const double l = (bias_[0] - A_.row(0).dot(force_)) / A_.row(0).squaredNorm();
            lambda[0] = l;
            acceleration += A_.transpose() * Vector::Constant(1, l);
        }
        std::ranges::copy(acceleration, a.begin());
    }
    void follow_own(std::span<const double>, double) override {}
    std::span<const double> own() const override { return {}; }
    void evaluate(const ImplicitPoint& at) override {
        const Eigen::Map<const Vector> q(at.q.data(), q_.size()), v(at.v.data(), q_.size());
        force_ = -k_ * q;
        force_[force_.size() - 1] -= g_;
        power_ = force_.dot(v);
        lambda_ = is_on_circle_ ? at.lambda[0] : 0.0;
        if (!is_on_circle_) return;
        A_ = q.transpose();
        A_rate_ = v.transpose();
        gap_ = Vector::Constant(1, 0.5 * (q.squaredNorm() - 1.0));
        rate_ = Vector::Constant(1, q.dot(v));
        bias_ = Vector::Constant(1, -v.squaredNorm());
    }
    std::span<const double> force() const override { return view(force_); }
    std::span<const double> gaps() const override { return view(gap_); }
    std::span<const double> rates() const override { return view(rate_); }
    std::span<const double> biases() const override { return view(bias_); }
    CompressedMatrix mass() const override { return show(Matrix::Identity(q_.size(), q_.size())); }
    CompressedMatrix jacobian() const override { return show(A_); }
    void differentiate(std::span<const double>) override { ++differentiations; }
    CompressedMatrix stiffness() const override { return mass(); }
    CompressedMatrix damping() const override { return mass(); }
    CompressedMatrix geometric() const override { return mass(); }
    CompressedMatrix jacobian_rate() const override { return show(A_rate_); }
    bool factorise(Augmented which, const AugmentedWeights& weights) override {
        const Eigen::Index n = q_.size(), m = A_.rows();
        Matrix K = Matrix::Zero(n + m, n + m);
        const double s = weights.mass + weights.stiffness * (k_ - lambda_);
        K.topLeftCorner(n, n) = s * Matrix::Identity(n, n);
        if (m > 0) {
            K.bottomLeftCorner(m, n) = A_ + weights.rate * A_rate_;
            K.topRightCorner(n, m) = -A_.transpose();
        }
        Kept& kept = kept_[which == Augmented::dynamics ? 0 : 1];
        kept = {weights, K, weights.mass <= heaviest};
        return true;
    }
    bool is_factorised(Augmented which, const AugmentedWeights& weights) const override {
        const Kept& kept = kept_[which == Augmented::dynamics ? 0 : 1];
        return kept.K.size() > 0 && kept.weights == weights;
    }
    void solve(Augmented which,
               std::span<const double> r,
               std::span<const double> g,
               std::span<double> x,
               std::span<double> y) override {
        const Kept& kept = kept_[which == Augmented::dynamics ? 0 : 1];
        Vector rhs(kept.K.rows());
        std::ranges::copy(r, rhs.begin());
        std::ranges::copy(g, rhs.begin() + q_.size());
        const Vector solution = testing::by_eigen::solved(kept.K, rhs);
        std::copy_n(solution.begin(), x.size(), x.begin());
        std::copy_n(solution.begin() + q_.size(), y.size(), y.begin());
        // a matrix of the longest steps fails to converge, if so configured
        if (kept.leads_nowhere) x[0] *= -2.0;
    }
    void quadrature_rates(std::span<double> w) override { w[0] = power_; }
    bool are_dropped_met() const override { return true; }
    bool renew_choice() override { return false; }
    [[noreturn]] void no_convergence(double,
                                     double,
                                     std::span<const double>,
                                     std::string_view advice) override {
        throw std::runtime_error(std::string(advice));
    }
    [[noreturn]] void refuse(double, std::string_view why) override {
        throw std::runtime_error(std::string(why));
    }

    // What it has no use for.
    std::span<const double> acceleration() const override { return {}; }
    std::span<const double> stress() const override { return {}; }
    StepReport solve_step(const StepGuess&, const StepOptions&) override { return {}; }
    void accept(const StepTrial&) override {}
    void read_state(std::span<double>) const override {}
    void derivative(double, std::span<const double>, std::span<double>) override {}
    double max_smooth_step(double h) const override { return h; }
    int num_events() const override { return 0; }
    void evaluate_events(const StepTrial&, std::span<double>) override {}
    void evaluate_events(double, std::span<const double>, std::span<double>) override {}
    bool update_active_set(const StepTrial&) override { return false; }
    bool nears_singular_position(const StepTrial&) override { return false; }
    void record_singular_position(double, double, bool) override {}
    void pass_event(int) override {}
    [[noreturn]] void no_convergence(const StepTrial&,
                                     std::string_view,
                                     std::string_view) override {
        throw std::runtime_error("of the other face");
    }

    void start(Integrator& integrator, double step) {
        integrator.prepare(*this, {step, 1e-14});
        history_.assign(integrator.num_history(*this), 0.0);
    }
    void set(Vector q, Vector v) {
        q_ = std::move(q);
        v_ = std::move(v);
    }

    double t = 0.0, work = 0.0;
    double heaviest = 0.0;  // weights of masses up to this lead nowhere
    int iterations = 0, differentiations = 0;
    std::vector<double> pieces;

private:
    struct Kept {
        AugmentedWeights weights;
        Matrix K;
        bool leads_nowhere = false;
    };
    CompressedMatrix show(const Matrix& M) const {
        shown_.emplace_back(M);
        if (shown_.size() > 64) shown_.erase(shown_.begin(), shown_.begin() + 32);
        return shown_.back().view();
    }

    Vector q_, v_, force_, gap_, rate_, bias_;
    Matrix A_ = Matrix::Zero(0, 0), A_rate_ = Matrix::Zero(0, 0);
    double k_, g_, lambda_ = 0.0, power_ = 0.0;
    bool is_on_circle_;
    std::array<Kept, 2> kept_;
    std::vector<double> history_;
    mutable std::vector<Shown> shown_;
};

GeneralizedAlpha make(double rho, int max_halvings = 8) {
    test::FakeArguments arguments(ancora_plugin_descriptor.types[0]);
    arguments.set("spectral_radius", rho);
    arguments.set("max_halvings", max_halvings);
    return GeneralizedAlpha(arguments);
}

/// Chung and Hulbert's amplification matrix of x'' = -w^2 x on (d, h v, h^2 a), W = h w, by their
/// formulas (7) to (9), and (25) for the parameters.
Matrix published(double rho, double W) {
    const double am = (2.0 * rho - 1.0) / (rho + 1.0), af = rho / (rho + 1.0);
    const double gamma = 0.5 - am + af, beta = 0.25 * std::pow(1.0 - am + af, 2);
    Eigen::Matrix3d next, now;
    next << 1.0, 0.0, -beta, 0.0, 1.0, -gamma, (1.0 - af) * W * W, 0.0, 1.0 - am;
    now << 1.0, 1.0, 0.5 - beta, 0.0, 1.0, 1.0 - gamma, -af * W * W, 0.0, -am;
    return testing::by_eigen::solved(next, now);
}

TEST_SUITE("generalized_alpha") {
    TEST_CASE("a step of an oscillator is the published amplification matrix") {
        for (const double rho : {0.0, 0.3, 0.5, 0.8, 1.0})
            for (const double W : {1e-2, 0.3, 1.0, 7.0, 1e3, 1e5}) {
                CAPTURE(rho);
                CAPTURE(W);
                const double h = 0.1, w = W / h;
                Matrix step(3, 3);
                for (int column = 0; column < 3; ++column) {
                    GeneralizedAlpha method = make(rho);
                    const Vector x = Vector::Unit(3, column);
                    Point point(x.segment(0, 1), x.segment(1, 1) / h, w * w, 0.0, false);
                    point.start(method, h);
                    const std::span<double> history = point.history();
                    history[0] = 1.0;
                    history[1] = h;
                    history[2] = -w * w * x[0];
                    history[3] = x[2] / (h * h);
                    method.step(point, 0.0, h);
                    step.col(column) << point.q()[0], h * point.v()[0], h * h * history[3];
                }
                const Matrix expected = published(rho, W);
                // rows and columns have different units in W
                const double size = expected.cwiseAbs().maxCoeff();
                CHECK((step - expected).cwiseAbs().maxCoeff() <= 1e-9 * size);
                const auto radius = [](const Matrix& A) {
                    return testing::by_eigen::eigenvalues(A).cwiseAbs().maxCoeff();
                };
                CHECK(std::abs(radius(step) - radius(expected)) <= 1e-5);
                CHECK(radius(step) <= 1.0 + 1e-5);  // a double root at rho = 1
                if (W >= 1e5) CHECK(std::abs(radius(step) - rho) <= 1e-3);
            }
    }

    // theta'' = -g sin(theta); lambda = -(g cos(theta) + theta'^2) with theta from the lowest point
    TEST_CASE("a pendulum: order 2 in q, v, lambda and work, for every spectral radius") {
        constexpr double kG = 9.81, kEnd = 0.9, kStart = 1.1, kRate = 1.5;
        double angle = kStart, rate = kRate;
        constexpr int kFine = 20'000;
        for (int i = 0; i < kFine; ++i) {  // Runge-Kutta's steps are exact to rounding
            const double h = kEnd / kFine;
            const auto f = [](double x) {
                return -kG * std::sin(x);
            };
            const double k1 = rate, l1 = f(angle), k2 = rate + 0.5 * h * l1,
                         l2 = f(angle + 0.5 * h * k1), k3 = rate + 0.5 * h * l2,
                         l3 = f(angle + 0.5 * h * k2), k4 = rate + h * l3, l4 = f(angle + h * k3);
            angle += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
            rate += h / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4);
        }
        const auto position = [](double x) {
            return Vector{{std::sin(x), -std::cos(x)}};
        };
        const auto along = [](double x) {
            return Vector{{std::cos(x), std::sin(x)}};
        };
        for (const double rho : {0.0, 0.5, 0.8, 1.0}) {
            CAPTURE(rho);
            std::vector<std::array<double, 4>> errors;
            for (const int steps : {50, 100, 200}) {
                GeneralizedAlpha method = make(rho);
                Point point(position(kStart), kRate * along(kStart), 0.0, kG, true);
                const double h = kEnd / steps;
                point.start(method, h);
                for (int i = 0; i < steps; ++i) method.step(point, i * h, h);
                const double lambda = point.history()[2 + 4];
                const Vector q = position(angle), v = rate * along(angle);
                const Eigen::Map<const Vector> q1(point.q().data(), 2), v1(point.v().data(), 2);
                errors.push_back(
                    {(q1 - q).norm(),
                     (v1 - v).norm(),
                     std::abs(lambda + kG * std::cos(angle) + rate * rate),
                     std::abs(point.work - kG * (std::cos(angle) - std::cos(kStart)))});
                // positions and velocities obey the constraint
                CHECK(std::abs(q1.squaredNorm() - 1.0) <= 1e-13);
                CHECK(std::abs(q1.dot(v1)) <= 1e-12);
            }
            for (std::size_t i = 0; i < 4; ++i) {
                CAPTURE(i);
                CHECK(errors[0][i] < 0.2);
                CHECK(std::log2(errors[1][i] / errors[2][i]) > 1.85);
                CHECK(std::log2(errors[1][i] / errors[2][i]) < 2.5);
            }
        }
    }

    TEST_CASE("the first multipliers err by the second order too") {
        // of a pendulum at its lowest point: lambda after one and after two steps
        const auto error_after = [](double h, int steps) {
            GeneralizedAlpha method = make(0.8);
            Point point(Vector{{0.0, -1.0}}, Vector{{2.0, 0.0}}, 0.0, 9.81, true);
            point.start(method, h);
            for (int i = 0; i < steps; ++i) method.step(point, i * h, h);
            const std::span<const double> q = point.q(), v = point.v();
            return std::abs(point.history()[6] - 9.81 * q[1] + v[0] * v[0] + v[1] * v[1]);
        };
        for (const int steps : {1, 2})
            CHECK(std::log2(error_after(2e-2, steps) / error_after(1e-2, steps)) > 1.7);
    }

    TEST_CASE("one factorisation serves steps that are alike") {
        GeneralizedAlpha method = make(0.8);
        Point point(Vector{{1.0}}, Vector{{0.0}}, 4.0, 0.0, false);
        point.start(method, 0.01);
        for (int i = 0; i < 100; ++i) method.step(point, i * 0.01, 0.01);
        CHECK(point.differentiations == 1);
        CHECK(point.iterations <= 2 * 101);
    }

    TEST_CASE("a step that does not converge is halved, and refused at the end") {
        Point point(Vector{{1.0}}, Vector{{0.0}}, 1.0, 0.0, false);
        GeneralizedAlpha method = make(1.0);
        point.start(method, 0.1);
        point.heaviest = 4.0 / (0.06 * 0.06);  // steps of 0.05 are short enough
        method.step(point, 0.0, 0.1);
        CHECK(point.pieces == std::vector<double>{0.05, 0.1});

        GeneralizedAlpha stubborn = make(1.0, 2);
        point.start(stubborn, 0.1);
        point.heaviest = 1e12;
        CHECK_THROWS_WITH(stubborn.step(point, 0.1, 0.1), doctest::Contains("take a shorter step"));
        CHECK(point.pieces.size() == 2);
    }
}

}  // namespace
}  // namespace ancora
