// SPDX-License-Identifier: BSD-3-Clause
// The constraint types `stop` and `latch`: where a measure meets, and bounces or stays.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "acting.hpp"
#include "ancora/sdk/constraint.hpp"
#include "law_keys.hpp"

namespace ancora::joints {

/// Gaps of a measure m, unilateral rows:
///
///   g_k = s_k (m - l_k) >= 0,   s_k = 1 or -1                                            (1)
///
/// Over a step B is the exact discrete gradient of m, so the effort sum s_k lambda_k on the measure
/// changes neither momentum nor angular momentum. Whole turns of angles are state of the kernel.
class MeasureGaps : public Constraint, private EffortFactors {
public:
    MeasureGaps(const MeasureGaps&) = delete;
    MeasureGaps& operator=(const MeasureGaps&) = delete;

    std::span<const AttachmentRequest> attachments() const override { return on_.attachments(); }
    void facets(ConstraintFacets& out) const override {
        out.reaction = ReactionKind::effort;
        out.effort_factors = this;
    }
    std::span<const RowBlock> row_blocks() const override { return {&block_, 1}; }
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override;
    void evaluate_step(int block, const RowStep& step, const RowStepValues& out) const override;
    void evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const override;
    std::span<const double> start_state() const override { return {&on_.value, 1}; }

protected:
    explicit MeasureGaps(const Arguments& arguments) : on_(arguments) {}
    // --- [assembly]
    void add(double sign, double limit);
    void finish(const RowLaw& law);
    double start() const { return on_.value; }

private:
    // EffortFactors
    void evaluate(const RowPoint& at, double h, std::span<double> factors) const override;

    Acting on_;
    std::size_t num_rows_ = 0;
    std::array<double, 2> sign_{}, limit_{};  // of the rows
    std::array<std::int32_t, MeasureFunction::kMostScalars> stencil_{};
    RowLaw law_;
    RowBlock block_;
};

/// lower <= m <= upper, of which either may be missing, met with restitution. On the distance of
/// two points an upper limit is a rope that only pulls.
class Stop final : public MeasureGaps {
public:
    explicit Stop(const Arguments& arguments);
};

/// m comes to a place, from the side on which it starts, and is held there. While its input is
/// above 1/2 it is open; behind that it catches again once m has come back to its side. Its one
/// discrete state is whether it is open.
class Latch final : public MeasureGaps, public Signals {
public:
    explicit Latch(const Arguments& arguments);

    void facets(ConstraintFacets& out) const override {
        MeasureGaps::facets(out);
        // Steps of higher order do not serve what acts at events.
        if (may_open_) out.signals = this;
    }
    std::span<const char* const> inputs() const override { return kInputs; }
    int num_discrete() const override { return 1; }
    double next_time(double after, std::span<const double> z) const override;
    int num_crossings() const override { return 1; }
    void evaluate_crossings(const SignalPoint& at, std::span<double> g) const override;
    void act(const SignalPoint& at,
             int crossing,
             std::span<double> x,
             std::span<double> z) const override;

private:
    static constexpr std::array<const char*, 1> kInputs = {"open"};
    bool may_open_;
};

}  // namespace ancora::joints
