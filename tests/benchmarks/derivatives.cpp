// SPDX-License-Identifier: BSD-3-Clause
// What rows cost that the SDK derives from one function, beside the same rows written by hand.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include <fmt/format.h>

#include "ancora/sdk/authoring.hpp"

namespace {

using namespace ancora;
using Clock = std::chrono::steady_clock;

constexpr double kLength = 2.0;
constexpr Parameter kEnds[] = {parameter::point("a", "one end"),
                               parameter::point("b", "the other end")};

/// By hand: what both forms of the distance constraint share.
class Hand : public Constraint {
public:
    std::span<const AttachmentRequest> attachments() const override { return kAttachments; }
    std::span<const RowBlock> row_blocks() const override { return {&block_, 1}; }

protected:
    Hand(Degree degree, TangentForm tangent)
        : block_{"length", 1, 1, 6, kStencil, kLaw, degree, tangent, false} {}

private:
    static constexpr AttachmentRequest kAttachments[] = {{"a"}, {"b"}};
    static constexpr std::int32_t kStencil[] = {0, 1, 2, 3, 4, 5};
    static constexpr RowLaw kLaw[] = {{.kind = RowKind::constraint}};
    RowBlock block_;
};

/// phi = (d.d - L^2) / (2 L),  A = (d, -d) / L,  b = -d'.d' / L
class HandSquare final : public Hand {
public:
    HandSquare() : Hand(Degree::quadratic, TangentForm::isotropic) {}

    void evaluate(int, const RowPoint& at, const RowValues& out) const override {
        const Vec3 d = vec3(at.u, 0) - vec3(at.u, 3);
        if (!out.pi.empty()) out.pi[0] = (d.squaredNorm() - kLength * kLength) / (2 * kLength);
        if (!out.A.empty()) {
            vec3(out.A, 0) = d / kLength;
            vec3(out.A, 3) = -d / kLength;
        }
        std::ranges::fill(out.pi_t, 0.0);
        if (!out.b.empty()) out.b[0] = -(vec3(at.du, 0) - vec3(at.du, 3)).squaredNorm() / kLength;
    }
};

/// phi = |d| - L,  A = (n, -n),  b = -(d'.d' - (n.d')^2) / |d|,  B = (d0 + d1, .) / (|d0| + |d1|)
class HandDistance final : public Hand {
public:
    HandDistance() : Hand(Degree::general, TangentForm::full) {}

    void evaluate(int, const RowPoint& at, const RowValues& out) const override {
        const Vec3 d = vec3(at.u, 0) - vec3(at.u, 3);
        const double l = d.norm();
        if (!out.pi.empty()) out.pi[0] = l - kLength;
        if (!out.A.empty()) {
            vec3(out.A, 0) = d / l;
            vec3(out.A, 3) = -d / l;
        }
        std::ranges::fill(out.pi_t, 0.0);
        if (out.b.empty()) return;
        const Vec3 w = vec3(at.du, 0) - vec3(at.du, 3);
        const double radial = d.dot(w) / l;
        out.b[0] = -(w.squaredNorm() - radial * radial) / l;
    }
    void evaluate_step(int, const RowStep& step, const RowStepValues& out) const override {
        const Vec3 d0 = vec3(step.u0, 0) - vec3(step.u0, 3);
        const Vec3 d1 = vec3(step.u1, 0) - vec3(step.u1, 3);
        const Vec3 n = (d0 + d1) / (d0.norm() + d1.norm());
        vec3(out.B, 0) = n;
        vec3(out.B, 3) = -n;
    }
};

class DerivedSquare final : public HolonomicConstraint<DerivedSquare> {
public:
    static constexpr auto& kParameters = kEnds;
    template <class S>
    S phi(const Vector3<S>& a, const Vector3<S>& b) const {
        return (squared_norm(a - b) - kLength * kLength) / (2 * kLength);
    }
};

class DerivedDistance final : public HolonomicConstraint<DerivedDistance> {
public:
    static constexpr auto& kParameters = kEnds;
    template <class S>
    S phi(const Vector3<S>& a, const Vector3<S>& b) const {
        return distance(a, b) - kLength;
    }
};

/// Nanoseconds of one call, the fastest of several runs.
template <class Call>
double nanoseconds(const Call& call) {
    constexpr int kCalls = 20000;
    double best = std::numeric_limits<double>::infinity();
    for (int run = 0; run < 20; ++run) {
        const auto begin = Clock::now();
        for (int i = 0; i < kCalls; ++i) call();
        const std::chrono::duration<double, std::nano> time = Clock::now() - begin;
        best = std::min(best, time.count() / kCalls);
    }
    return best;
}

/// The compiler has to compute what stands here.
void use(const void* memory) {
    asm volatile("" : : "r"(memory) : "memory");
}

struct Cost {
    double A, b, all, step;
};

Cost cost_of(const Constraint& constraint) {
    using Six = std::array<double, 6>;
    const Six u0 = {1.0, 2.0, 3.0, 0.5, -1.0, 2.5};
    const Six du = {0.025, -0.05, 0.1, 0.2, 0.0125, -0.075};
    Six mid, u1, A;
    for (std::size_t j = 0; j < 6; ++j) {
        mid[j] = u0[j] + 0.5 * du[j];
        u1[j] = u0[j] + du[j];
    }
    std::array<double, 1> pi, b, work0, work1;
    constraint.row_blocks();
    const RowPoint at = {u0, du, 0.0};
    RowStep step;
    step.u0 = u0;
    step.du = du;
    step.mid = mid;
    step.u1 = u1;
    step.h = 0.1;
    RowStepValues values;
    values.B = A;
    values.work0 = work0;
    values.work1 = work1;
    return {nanoseconds([&] {
                constraint.evaluate(0, at, {{}, A, {}, {}});
                use(&A);
            }),
            nanoseconds([&] {
                constraint.evaluate(0, at, {{}, {}, {}, b});
                use(&b);
            }),
            nanoseconds([&] {
                constraint.evaluate(0, at, {pi, A, {}, b});
                use(&A);
            }),
            nanoseconds([&] {
                constraint.evaluate_step(0, step, values);
                use(&A);
            })};
}

void compare(const char* name, const Constraint& hand, const Constraint& derived) {
    // In turns, so that both meet the machine in the same state.
    Cost least_hand = cost_of(hand);
    Cost least_derived = cost_of(derived);
    for (int turn = 0; turn < 4; ++turn) {
        for (auto [least, constraint] :
             {std::pair(&least_hand, &hand), std::pair(&least_derived, &derived)}) {
            const Cost now = cost_of(*constraint);
            for (double Cost::*entry : {&Cost::A, &Cost::b, &Cost::all, &Cost::step})
                least->*entry = std::min(least->*entry, now.*entry);
        }
    }
    const auto line = [&](const char* what, double Cost::*entry) {
        fmt::print("{:<22}{:<18}{:>8.1f}{:>10.1f}{:>8.2f}\n",
                   name,
                   what,
                   least_hand.*entry,
                   least_derived.*entry,
                   least_derived.*entry / least_hand.*entry);
    };
    line("A", &Cost::A);
    line("b", &Cost::b);
    line("phi, A and b", &Cost::all);
    line("B of a step", &Cost::step);
}

}  // namespace

int main() {
    fmt::print(
        "{:<22}{:<18}{:>8}{:>10}{:>8}\n", "constraint", "call", "hand ns", "derived", "ratio");
    compare("(d.d - L^2) / (2 L)", HandSquare(), DerivedSquare());
    compare("|d| - L", HandDistance(), DerivedDistance());
}
