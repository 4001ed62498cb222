// SPDX-License-Identifier: BSD-3-Clause
// A constraint written as one function of positions, directions and time.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "ancora/sdk/authoring/row_function.hpp"
#include "ancora/sdk/authoring/row_tangent.hpp"
#include "ancora/sdk/authoring/written_constraint.hpp"

namespace ancora {

namespace detail {

template <class Author>
struct PhiOf {
    const Author& author;
    template <class... X, class A = Author>
    [[gnu::always_inline]] constexpr auto operator()(const X&... x) const
        -> decltype(std::declval<const A&>().phi(x...)) {
        return author.phi(x...);
    }
};

}  // namespace detail

/// phi(r_1, ..., r_k, t) = 0 with everything that the kernel wants of it derived. The author's
/// class derives from HolonomicConstraint<itself> and has, both public,
///
///   static constexpr Parameter kParameters[]    its schema; the points, directions and
///                                               coordinates in it are phi's arguments, in order
///   template <class S>
///   S phi(const Vector3<S>& a, ..., const S& t) const
///
/// t is left out if phi does not depend on it. Several rows are returned as std::array<S, R> or as
/// Vector3<S>. phi uses +, -, *, /, the functions of vector3.hpp and elementary functions without
/// a namespace. It is called with numbers of several kinds and must not keep anything.
///
/// Derived (RowFunction says how):
///   A, pi_t   exact to rounding
///   b         exact to rounding, from phi along a motion u'' = 0
///   B, tau    B du + tau = pi(u1, t1) - pi(u0, t0) to rounding. Momentum and angular momentum are
///             kept if phi is invariant, or quadratic and invariant in part
///   degree    found out. A constant kDegree of type Degree states it instead
///   G         exact; none where second derivatives depend on time
/// Whether phi is invariant (phi(R r_i + c, R d_j, t) = phi) is found out too, by trial; a constant
/// kInvariant of type bool states it instead.
///
/// Members jacobian, bias and discrete_jacobian are used where the author writes them, see
/// RowFunction; and every virtual function may be overridden. A phi of double alone is
/// differentiated by differences: A to about 1e-12 and b to 1e-10, relative; B du + tau is then
/// exact all the same, G is none.
///
/// Rows are constraints, or follow the laws that the constructor states by set_law().
template <class Author>
class HolonomicConstraint : public WrittenConstraint<Author> {
    using Base = WrittenConstraint<Author>;
    template <class A>
    using FunctionOf =
        RowFunction<A, detail::PhiOf, typename SchemaArguments<A::kParameters>::List>;
    using Base::author;
    using Base::gather;

public:
    /// Where the derivatives come from.
    static constexpr DerivativeSources derivatives() {
        DerivativeSources sources = FunctionOf<Author>::sources();
        const auto overrides = [](auto member, auto own) {
            return !std::is_same_v<decltype(member), decltype(own)>;
        };
        using Self = HolonomicConstraint;
        if (overrides(&Author::evaluate, &Self::evaluate))
            sources.jacobian = sources.bias = DerivativeSource::analytic;
        if (overrides(&Author::evaluate_step, &Self::evaluate_step))
            sources.discrete_jacobian = DerivativeSource::analytic;
        if (overrides(&Author::evaluate_tangent, &Self::evaluate_tangent))
            sources.tangent = DerivativeSource::analytic;
        return sources;
    }

    std::span<const RowBlock> row_blocks() const override {
        prepare();
        return {&block_, 1};
    }

    /// [assembly] What phi was found to be.
    const FunctionTraits& traits() const {
        prepare();
        return traits_;
    }

    void evaluate(int, const RowPoint& at, const RowValues& out) const override {
        using Function = FunctionOf<Author>;
        typename Function::Row x, dx;
        gather(at.u, x);
        if (!out.A.empty() || !out.pi_t.empty()) {
            std::array<double, Function::kRows * Function::kWidth> unwanted;
            Function::linearise(author(),
                                x.data(),
                                at.t,
                                out.A.empty() ? unwanted.data() : out.A.data(),
                                out.pi.empty() ? nullptr : out.pi.data(),
                                out.pi_t.empty() ? nullptr : out.pi_t.data());
        } else if (!out.pi.empty()) {
            std::ranges::copy(Function::value(author(), x.data(), at.t), out.pi.begin());
        }
        if (out.b.empty()) return;
        gather(at.du, dx);
        std::ranges::copy(Function::bias(author(), x.data(), dx.data(), at.t), out.b.begin());
    }

    void evaluate_step(int, const RowStep& step, const RowStepValues& out) const override {
        prepare();
        typename FunctionOf<Author>::Row x0, dx, mid, x1;
        gather(step.u0, x0);
        gather(step.du, dx);
        gather(step.mid, mid);
        gather(step.u1, x1);
        FunctionOf<Author>::step(author(),
                                 traits_,
                                 x0.data(),
                                 dx.data(),
                                 mid.data(),
                                 x1.data(),
                                 step.t0,
                                 step.h,
                                 out.B.data(),
                                 out.tau.empty() ? nullptr : out.tau.data());
    }

    void evaluate_tangent(int,
                          std::span<const double> mid,
                          std::span<const double> s,
                          bool positive_part,
                          std::span<double> G) const override {
        prepare();
        typename FunctionOf<Author>::Row x;
        gather(mid, x);
        tangent_.template evaluate<FunctionOf<Author>>(author(), x.data(), s, positive_part, G);
    }

protected:
    using Base::Base;

    /// [assembly] The law of all rows, or one for each; without it they are constraints.
    void set_law(const RowLaw& law) { laws_.assign(1, law); }
    void set_laws(std::span<const RowLaw> laws) { laws_.assign(laws.begin(), laws.end()); }

private:
    /// At the first call, when the author's constructor has run.
    void prepare() const {
        if (is_prepared_) return;
        using Function = FunctionOf<Author>;
        traits_ = Function::examine(author());
        if constexpr (requires { Author::kDegree; }) traits_.degree = Author::kDegree;
        if constexpr (requires { Author::kInvariant; }) traits_.is_invariant = Author::kInvariant;
        tangent_.template prepare<Function>(author(), traits_);
        block_.name = "phi";
        if constexpr (requires { Author::kRowName; }) block_.name = Author::kRowName;
        block_.num_items = 1;
        block_.rows_per_item = static_cast<std::int32_t>(Function::kRows);
        block_.scalars_per_item = static_cast<std::int32_t>(Function::kWidth);
        block_.stencil = SchemaArguments<Author::kParameters>::kStencil;
        block_.laws = laws_;
        block_.degree = traits_.degree;
        block_.tangent = tangent_.form();
        block_.depends_on_time = Function::kIsTimed;
        is_prepared_ = true;
    }

    std::vector<RowLaw> laws_ = {RowLaw{}};
    // Configuration that cannot be found before the author's constructor has run.
    mutable bool is_prepared_ = false;
    mutable FunctionTraits traits_;
    mutable RowTangent tangent_;
    mutable RowBlock block_;
};

}  // namespace ancora
