// SPDX-License-Identifier: BSD-3-Clause
// A constraint written as one function of positions, rates and time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <type_traits>

#include "ancora/sdk/authoring/rate_function.hpp"
#include "ancora/sdk/authoring/written_constraint.hpp"

namespace ancora {

namespace detail {

template <class Author>
struct PsiOf {
    const Author& author;
    template <class... X, class A = Author>
    [[gnu::always_inline]] constexpr auto operator()(const X&... x) const
        -> decltype(std::declval<const A&>().psi(x...)) {
        return author.psi(x...);
    }
};

}  // namespace detail

/// psi(r_1, ..., r_k, r_1', ..., r_k', t) = 0, linear in the rates or not, with everything that the
/// kernel wants of it derived (RateFunction says how). The author's class derives from
/// NonholonomicConstraint<itself> and has, as for HolonomicConstraint, a schema kParameters and
///
///   template <class S>
///   S psi(const Vector3<S>& a, ..., const Vector3<S>& a_rate, ..., const S& t) const
///
/// t is left out if psi does not depend on it; several rows are returned as std::array<S, R> or
/// Vector3<S>. Over a step psi = 0 holds at the midpoint with the mean rates. Its reaction does no
/// work where psi is homogeneous in the rates; otherwise the work is recorded as external.
///
/// Whether psi = A(u) u' is found out; a constant kHomogeneous of type bool states it instead.
/// Members jacobian and bias are used where the author writes them, and every virtual function may
/// be overridden. A psi of double alone is differentiated by differences.
template <class Author>
class NonholonomicConstraint : public WrittenConstraint<Author> {
    using Base = WrittenConstraint<Author>;
    template <class A>
    using FunctionOf = RateFunction<A, detail::PsiOf, typename ArgumentsOf<A>::List>;
    using Base::author;
    using Base::gather;

public:
    /// Where the derivatives come from. The discrete formulation is the Jacobian at the midpoint.
    static constexpr DerivativeSources derivatives() {
        DerivativeSources sources = FunctionOf<Author>::sources();
        using Overridden = decltype(&Author::evaluate);
        if (!std::is_same_v<Overridden, decltype(&NonholonomicConstraint::evaluate)>)
            sources.jacobian = sources.bias = sources.discrete_jacobian =
                DerivativeSource::analytic;
        return sources;
    }

    std::span<const RowBlock> row_blocks() const override {
        prepare();
        return {&block_, 1};
    }

    void evaluate(int, const RowPoint& at, const RowValues& out) const override {
        prepare();
        using Function = FunctionOf<Author>;
        typename Function::Row x, dx;
        gather(at.u, x);
        gather(at.du, dx);
        std::ranges::fill(out.pi, 0.0);
        if (!out.A.empty() || !out.pi_t.empty()) {
            std::array<double, Function::kRows * Function::kWidth> unwanted;
            Function::linearise(author(),
                                x.data(),
                                dx.data(),
                                at.t,
                                out.A.empty() ? unwanted.data() : out.A.data(),
                                out.pi_t.empty() ? nullptr : out.pi_t.data());
            // What is left of it is rounding
            if (!block_.depends_on_time) std::ranges::fill(out.pi_t, 0.0);
        }
        if (!out.b.empty())
            std::ranges::copy(Function::bias(author(), x.data(), dx.data(), at.t), out.b.begin());
    }

protected:
    using Base::Base;

private:
    /// At the first call, when the author's constructor has run.
    void prepare() const {
        if (is_prepared_) return;
        using Function = FunctionOf<Author>;
        static constexpr RowLaw kLaw[] = {{.kind = RowKind::velocity_constraint}};
        RateTraits traits = Function::examine(author());
        if constexpr (requires { Author::kHomogeneous; })
            traits.is_homogeneous = Author::kHomogeneous;
        block_.name = "psi";
        if constexpr (requires { Author::kRowName; }) block_.name = Author::kRowName;
        block_.num_items = 1;
        block_.rows_per_item = static_cast<std::int32_t>(Function::kRows);
        block_.scalars_per_item = static_cast<std::int32_t>(Function::kWidth);
        block_.stencil = ArgumentsOf<Author>::kStencil;
        block_.laws = kLaw;
        block_.degree = traits.is_constant ? Degree::linear : Degree::general;
        block_.tangent = TangentForm::none;
        block_.depends_on_time = !traits.is_homogeneous;
        is_prepared_ = true;
    }

    // Configuration that cannot be found before the author's constructor has run.
    mutable bool is_prepared_ = false;
    mutable RowBlock block_;
};

}  // namespace ancora
