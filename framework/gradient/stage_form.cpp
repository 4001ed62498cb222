// SPDX-License-Identifier: BSD-3-Clause
// A system of symbols, and the coefficients that a step makes of them.
#include "stage_form.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>

#include "ancora/framework/error.hpp"
#include "call_meter.hpp"

namespace ancora {
namespace {

/// Asks for what a fixed explicit step does not need.
struct OtherForm {};

constexpr std::size_t kStages = 62;  // at most; a step of another form may have no end
constexpr std::size_t kSymbols = kStages + 2;
// A coefficient may differ by rounding from what it should be, relative to one.
constexpr double kRoundedSymbol = 1e-13;

/// Coordinate 0 is q0, 1 is v0, and 2 + i is a_i.
class SymbolSystem final : public System, public ContinuousSystem {
public:
    explicit SymbolSystem(std::span<const double> history)
        : history_(history.begin(), history.end()), x_(2 * kSymbols, 0.0), none_(kSymbols, 0.0) {
        x_[0] = 1.0;
        x_[kSymbols + 1] = 1.0;
    }

    struct Visited {
        double t;
        std::vector<double> x;
    };
    std::vector<Visited> stages;
    std::optional<Visited> end;

    std::span<const double> q() const override { return std::span(x_).first(kSymbols); }
    std::span<const double> v() const override { return std::span(x_).last(kSymbols); }
    std::span<const double> acceleration() const override { return none_; }
    std::span<const double> stress() const override { return {}; }
    std::span<double> history() override { return history_; }
    StepReport solve_step(const StepGuess&, const StepOptions&) override { throw OtherForm(); }
    bool update_active_set(const StepTrial&) override { throw OtherForm(); }
    void accept(const StepTrial&) override { throw OtherForm(); }
    double displacement(std::span<const double>) const override { throw OtherForm(); }
    int num_events() const override { return 0; }
    void evaluate_events(const StepTrial&, std::span<double>) override { throw OtherForm(); }
    void pass_event(int) override { throw OtherForm(); }
    double max_smooth_step(double h) const override { return h; }
    bool nears_singular_position(const StepTrial&) override { return false; }
    void record_singular_position(double, double, bool) override {}
    [[noreturn]] void refuse(double, std::string_view) override { throw OtherForm(); }
    [[noreturn]] void no_convergence(const StepTrial&,
                                     std::string_view,
                                     std::string_view) override {
        throw OtherForm();
    }

    ContinuousState size() const override {
        return {static_cast<std::int32_t>(kSymbols), static_cast<std::int32_t>(2 * kSymbols), 0};
    }
    void read_state(std::span<double> x) const override { std::ranges::copy(x_, x.begin()); }
    void derivative(double t, std::span<const double> x, std::span<double> dx) override {
        if (stages.size() == kStages || x.size() != x_.size() || dx.size() != x_.size())
            throw OtherForm();
        std::copy(x.begin() + kSymbols, x.end(), dx.begin());
        std::ranges::fill(dx.subspan(kSymbols), 0.0);
        dx[kSymbols + 2 + stages.size()] = 1.0;
        stages.push_back({t, {x.begin(), x.end()}});
    }
    void evaluate_events(double, std::span<const double>, std::span<double>) override {}
    void accept_state(double, double t1, std::span<const double> x) override {
        if (end || x.size() != x_.size()) throw OtherForm();
        end = {t1, {x.begin(), x.end()}};
        std::ranges::copy(x, x_.begin());
    }
    std::span<const double> quadrature_scales() const override { return {}; }
    bool constraint_error(double, std::span<const double>, std::span<double>) override {
        return false;
    }
    bool has_formulas_of_time() const override { return false; }
    void record_limited_step(double, double) override {}

protected:
    void* find_facet(Facet which) override {
        if (which != Facet::continuous) throw OtherForm();
        return static_cast<ContinuousSystem*>(this);
    }

private:
    std::vector<double> history_, x_, none_;
};

/// Coefficients of a state, in units of h; nothing if q0 and v0 do not enter as they should.
std::optional<StageForm::State> coefficients(const SymbolSystem::Visited& of,
                                             double h,
                                             std::size_t num_stages) {
    const auto q = std::span(of.x).first(kSymbols), v = std::span(of.x).last(kSymbols);
    if (std::abs(q[0] - 1.0) > kRoundedSymbol || v[0] != 0.0 ||
        std::abs(v[1] - 1.0) > kRoundedSymbol)
        return std::nullopt;
    StageForm::State out;
    out.time = of.t / h;
    out.drift = q[1] / h;
    for (std::size_t j = 0; j < num_stages; ++j) {
        out.of_q.push_back(q[2 + j] / (h * h));
        out.of_v.push_back(v[2 + j] / h);
    }
    return out;
}

}  // namespace

std::optional<StageForm> find_stage_form(GuardedIntegrator& integrator,
                                         CallMeter& meter,
                                         std::span<const double> history,
                                         double h) {
    SymbolSystem system(history);
    try {
        integrator.prepare(system, {h, 0.0}, [](int) {});
        integrator.step(meter, system, 0.0, h);
    } catch (const OtherForm&) {
        return std::nullopt;
    } catch (const Error&) {
        return std::nullopt;
    }
    if (!system.end || system.end->t != h) return std::nullopt;
    StageForm out;
    for (std::size_t i = 0; i < system.stages.size(); ++i) {
        std::optional<StageForm::State> stage = coefficients(system.stages[i], h, i);
        if (!stage) return std::nullopt;
        out.stages.push_back(std::move(*stage));
    }
    std::optional<StageForm::State> end = coefficients(*system.end, h, out.stages.size());
    if (!end) return std::nullopt;
    out.end = std::move(*end);
    return out;
}

}  // namespace ancora
