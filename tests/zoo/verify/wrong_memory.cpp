// SPDX-License-Identifier: BSD-3-Clause
// Bad: constraints that touch memory that is not theirs, or keep what others see; right ones that
// keep a cache.
#include <array>
#include <cstdlib>
#include <mutex>
#include <vector>

#include "parts.hpp"

namespace {

using namespace ancora;
using zoo::Rod;

/// A number behind the end of A.
class WritesBehind final : public Rod {
public:
    using Rod::Rod;
    void evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const override {
        Rod::evaluate_tangent(block, at, G);
        G.data()[4] = G[3];
    }
};

class WritesBefore final : public Rod {
public:
    using Rod::Rod;
    void evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const override {
        Rod::evaluate_tangent(block, at, G);
        G.data()[-1] = G[0];
    }
};

/// Takes a seventh scalar for one of its own.
class ReadsBehind final : public Rod {
public:
    using Rod::Rod;
    void evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const override {
        Rod::evaluate_tangent(block, at, G);
        G[0] += 1e-12 * at.mid.data()[6];
    }
};

/// Normalises its input in place.
class CastsConstAway final : public Rod {
public:
    using Rod::Rod;
    void evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const override {
        Rod::evaluate_tangent(block, at, G);
        const_cast<double&>(at.mid[2]) += 1e-12;
    }
};

/// Changes its mind after thousands of calls.
class LateCounter final : public Rod {
public:
    using Rod::Rod;
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override {
        Rod::evaluate(block, at, out);
        if (++calls_ > 4000 && !out.pi.empty()) out.pi[0] *= 1.0 + 1e-12;
    }

private:
    mutable int calls_ = 0;
};

/// All objects work in one buffer.
class SharedScratch final : public Rod {
public:
    using Rod::Rod;
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override {
        for (std::size_t i = 0; i < 6; ++i) scratch_[i] = at.u[i];
        Rod::evaluate(block, {{scratch_.data(), 6}, at.du, at.t}, out);
    }

private:
    static inline std::array<double, 6> scratch_{};
};

/// The same on the heap.
class SharedHeap final : public Rod {
public:
    using Rod::Rod;
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override {
        static std::vector<double> scratch(6);
        for (std::size_t i = 0; i < 6; ++i) scratch[i] = at.u[i];
        Rod::evaluate(block, {scratch, at.du, at.t}, out);
    }
};

/// Numbers of the call before, and what they gave.
struct Cache {
    std::array<double, 6> u{};
    std::array<double, 3> d{};
    bool is_filled = false;

    const std::array<double, 3>& differences(std::span<const double> now) {
        if (!is_filled || !std::equal(now.begin(), now.end(), u.begin())) {
            std::copy(now.begin(), now.end(), u.begin());
            for (std::size_t i = 0; i < 3; ++i) d[i] = u[i] - u[i + 3];
            is_filled = true;
        }
        return d;
    }
};

/// A rod that takes d from somewhere.
template <class Store>
class Memoises : public Rod {
public:
    using Rod::Rod;
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override {
        Rod::evaluate(block, at, out);
        if (out.pi.empty()) return;
        const std::array<double, 3> d = store_.differences(at.u);
        out.pi[0] = 0.5 * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] - length_ * length_);
    }

private:
    mutable Store store_;
};

struct InMember {
    std::array<double, 3> differences(std::span<const double> u) { return cache.differences(u); }
    Cache cache;
};
struct InThread {
    std::array<double, 3> differences(std::span<const double> u) {
        static thread_local Cache cache;
        return cache.differences(u);
    }
};
struct BehindLock {
    std::array<double, 3> differences(std::span<const double> u) {
        static std::mutex mutex;
        static Cache cache;
        const std::lock_guard lock(mutex);
        return cache.differences(u);
    }
};
/// Nobody keeps a second thread out.
struct Unlocked {
    std::array<double, 3> differences(std::span<const double> u) {
        static Cache cache;
        return cache.differences(u);
    }
};

/// A table that the first call makes for all objects.
class LazyTable final : public Rod {
public:
    using Rod::Rod;
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override {
        static const std::vector<double> halves = [] {
            return std::vector<double>{0.5, 0.5};
        }();
        Rod::evaluate(block, at, out);
        if (!out.pi.empty()) out.pi[0] *= 2.0 * halves[1];
    }
};

class LeaksObjects final : public Rod {
public:
    explicit LeaksObjects(const Arguments& arguments)
        : Rod(arguments), values_(static_cast<double*>(std::malloc(8 * sizeof(double)))) {}

private:
    double* values_;
};

class LeaksCalls final : public Rod {
public:
    using Rod::Rod;
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override {
        Rod::evaluate(block, at, out);
        last_ = static_cast<double*>(std::malloc(8 * sizeof(double)));
        last_[0] = at.t;
    }

private:
    mutable double* volatile last_ = nullptr;
};

constexpr TypeDescriptor kTypes[] = {
    type<WritesBehind>("writes_behind", Rod::kDocs, Rod::kParameters),
    type<WritesBefore>("writes_before", Rod::kDocs, Rod::kParameters),
    type<ReadsBehind>("reads_behind", Rod::kDocs, Rod::kParameters),
    type<CastsConstAway>("casts_const_away", Rod::kDocs, Rod::kParameters),
    type<LateCounter>("late_counter", Rod::kDocs, Rod::kParameters),
    type<SharedScratch>("shared_scratch", Rod::kDocs, Rod::kParameters),
    type<SharedHeap>("shared_heap", Rod::kDocs, Rod::kParameters),
    type<Memoises<Unlocked>>("memoises_unlocked", Rod::kDocs, Rod::kParameters),
    type<LeaksObjects>("leaks_objects", Rod::kDocs, Rod::kParameters),
    type<LeaksCalls>("leaks_calls", Rod::kDocs, Rod::kParameters),
    type<Memoises<InMember>>("right_member_cache", Rod::kDocs, Rod::kParameters),
    type<Memoises<InThread>>("right_thread_cache", Rod::kDocs, Rod::kParameters),
    type<Memoises<BehindLock>>("right_locked_cache", Rod::kDocs, Rod::kParameters),
    type<LazyTable>("right_lazy_table", Rod::kDocs, Rod::kParameters),
};

}  // namespace

ANCORA_PLUGIN("wrong_memory", "1.0.0", kTypes)
