// SPDX-License-Identifier: BSD-3-Clause
// Bad: constraints with the right mechanics that misuse memory, time or each other.
#include <atomic>
#include <cfenv>
#include <limits>
#include <vector>

#include "parts.hpp"

namespace {

using namespace ancora;
using zoo::Rod;

/// Objects of the type count their calls together.
class SharedState final : public Rod {
public:
    using Rod::Rod;
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override {
        Rod::evaluate(block, at, out);
        if (!out.pi.empty()) out.pi[0] += 1e-9 * calls_++;
    }

private:
    static inline double calls_ = 0.0;
};

/// The constructor leaves its length where the next one writes.
class SharedParameter final : public Rod {
public:
    explicit SharedParameter(const Arguments& arguments) : Rod(arguments) { shared_ = length_; }
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override {
        Rod::evaluate(block, at, out);
        if (!out.pi.empty()) out.pi[0] += 0.5 * (length_ * length_ - shared_ * shared_);
    }

private:
    static inline double shared_ = 0.0;
};

/// What a call returns depends on the call before.
class KeepsTrace final : public Rod {
public:
    using Rod::Rod;
    void evaluate_step(int block, const RowStep& step, const RowStepValues& out) const override {
        Rod::evaluate_step(block, step, out);
        out.B[0] += 1e-13 * last_;
        last_ = step.u1[0];
    }

private:
    mutable double last_ = 0.0;
};

class Allocates final : public Rod {
public:
    using Rod::Rod;
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override {
        const std::vector<double> copy(at.u.begin(), at.u.end());
        Rod::evaluate(block, {copy, at.du, at.t}, out);
    }
};

/// NaN where the first end is far out.
class NanThere final : public Rod {
public:
    using Rod::Rod;
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override {
        Rod::evaluate(block, at, out);
        if (at.u[0] > 0.8 && !out.b.empty()) out.b[0] = std::numeric_limits<double>::quiet_NaN();
    }
};

class ChangesRounding final : public Rod {
public:
    using Rod::Rod;
    void evaluate_step(int block, const RowStep& step, const RowStepValues& out) const override {
        Rod::evaluate_step(block, step, out);
        std::fesetround(FE_UPWARD);
    }
};

class ThrowsInConstructor final : public Rod {
public:
    explicit ThrowsInConstructor(const Arguments& arguments) : Rod(arguments) {
        throw std::runtime_error("out of luck");
    }
};

/// Refuses its own example.
class Refuses final : public Rod {
public:
    explicit Refuses(const Arguments& arguments) : Rod(arguments) {
        arguments.fail("length", "is never right");
    }
};

class CrashesInConstructor final : public Rod {
public:
    explicit CrashesInConstructor(const Arguments& arguments) : Rod(arguments) { *nowhere_ = 1; }

private:
    int* volatile nowhere_ = nullptr;
};

/// Asks for a key that its schema does not have.
class AsksForMore final : public Rod {
public:
    explicit AsksForMore(const Arguments& arguments) : Rod(arguments) {
        static_cast<void>(arguments.number("width"));
    }
};

/// Declares a parameter that it never reads.
class NeverReads final : public Rod {
public:
    static constexpr Parameter kParameters[] = {
        Rod::kParameters[0],
        Rod::kParameters[1],
        Rod::kParameters[2],
        parameter::number("slack", "m", "length that the rod is too long by").otherwise("0.0"),
    };
    using Rod::Rod;
};

class NeverReturns final : public Rod {
public:
    using Rod::Rod;
    void evaluate_tangent(int, const TangentPoint&, std::span<double>) const override {
        while (!is_done_) {
        }
    }

private:
    std::atomic<bool> is_done_{false};
};

class Crashes final : public Rod {
public:
    using Rod::Rod;
    void evaluate_tangent(int, const TangentPoint&, std::span<double>) const override {
        *nowhere_ = 1;
    }

private:
    int* volatile nowhere_ = nullptr;
};

constexpr TypeDescriptor kTypes[] = {
    type<SharedState>("shared_state", Rod::kDocs, Rod::kParameters),
    type<SharedParameter>("shared_parameter", Rod::kDocs, Rod::kParameters),
    type<Refuses>("refuses", Rod::kDocs, Rod::kParameters),
    type<CrashesInConstructor>("crashes_in_constructor", Rod::kDocs, Rod::kParameters),
    type<KeepsTrace>("keeps_trace", Rod::kDocs, Rod::kParameters),
    type<Allocates>("allocates", Rod::kDocs, Rod::kParameters),
    type<NanThere>("nan_there", Rod::kDocs, Rod::kParameters),
    type<ChangesRounding>("changes_rounding", Rod::kDocs, Rod::kParameters),
    type<ThrowsInConstructor>("throws_in_constructor", Rod::kDocs, Rod::kParameters),
    type<AsksForMore>("asks_for_more", Rod::kDocs, Rod::kParameters),
    type<NeverReads>("never_reads", Rod::kDocs, NeverReads::kParameters),
    type<NeverReturns>("never_returns", Rod::kDocs, Rod::kParameters),
    type<Crashes>("crashes", Rod::kDocs, Rod::kParameters),
};

}  // namespace

ANCORA_PLUGIN("wrong_manners", "1.0.0", kTypes)
