// SPDX-License-Identifier: BSD-3-Clause
// A constraint written as one function of positions, directions and time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
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

/// Room for all rows, of which some are kept.
template <class Function>
struct RoomForRows {
    typename Function::Rows pi, pi_t, b;
    std::array<double, Function::kRows * Function::kWidth> A;
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
/// Rows are constraints, or follow the laws that the constructor states by set_law(). Where a
/// parameter chooses axes, keep_rows() says which of phi's rows there are. Attachments that the
/// class makes from several parameters are stated by a constant kArguments of ArgumentKind and
/// asked for in the constructor by ask(). Time that only some objects have, such as a motion that
/// may be given, is found out as well.
template <class Author>
class HolonomicConstraint : public WrittenConstraint<Author> {
    using Base = WrittenConstraint<Author>;
    template <class A>
    using FunctionOf = RowFunction<A, detail::PhiOf, typename ArgumentsOf<A>::List>;
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
        if (kept_.empty()) return evaluate_all(at, out);
        detail::RoomForRows<FunctionOf<Author>> all;
        const auto wanted = [](std::span<double> values, auto& room) {
            return values.empty() ? values : std::span<double>(room);
        };
        evaluate_all(at,
                     {wanted(out.pi, all.pi),
                      wanted(out.A, all.A),
                      wanted(out.pi_t, all.pi_t),
                      wanted(out.b, all.b)});
        keep(all.pi, out.pi);
        keep(all.A, out.A);
        keep(all.pi_t, out.pi_t);
        keep(all.b, out.b);
    }

    void evaluate_step(int, const RowStep& step, const RowStepValues& out) const override {
        prepare();
        typename FunctionOf<Author>::Row x0, dx, mid, x1;
        gather(step.u0, x0);
        gather(step.du, dx);
        gather(step.mid, mid);
        gather(step.u1, x1);
        detail::RoomForRows<FunctionOf<Author>> all;
        const bool is_whole = kept_.empty();
        double* const tau = is_whole ? out.tau.data() : all.pi_t.data();
        FunctionOf<Author>::step(author(),
                                 traits_,
                                 x0.data(),
                                 dx.data(),
                                 mid.data(),
                                 x1.data(),
                                 step.t0,
                                 step.h,
                                 is_whole ? out.B.data() : all.A.data(),
                                 out.tau.empty() ? nullptr : tau);
        if (is_whole) return;
        keep(all.A, out.B);
        keep(all.pi_t, out.tau);
    }

    void evaluate_tangent(int, const TangentPoint& at, std::span<double> G) const override {
        prepare();
        using Function = FunctionOf<Author>;
        typename Function::Row x;
        gather(at.mid, x);
        std::span<const double> s = at.s;
        typename Function::Rows all{};
        for (std::size_t k = 0; k < kept_.size(); ++k) all[kept_[k]] = s[k];
        if (!kept_.empty()) s = all;
        tangent_.template evaluate<Function>(author(), x.data(), s, at.positive_part, G);
    }

protected:
    using Base::Base;

    /// [assembly] The law of all rows, or one for each; without it they are constraints.
    void set_law(const RowLaw& law) { laws_.assign(1, law); }
    void set_laws(std::span<const RowLaw> laws) { laws_.assign(laws.begin(), laws.end()); }
    /// [assembly] A law of all rows together, beside the units and viscosities of set_laws(), which
    /// see RowBlock::item_laws.
    void set_law_together(std::shared_ptr<const ItemLaw> law) {
        law_together_ = std::move(law);
        together_ = law_together_.get();
    }

    /// [assembly] Of phi's rows only these, in this order: where a parameter chooses axes.
    /// @throws std::out_of_range for a row that phi does not have
    void keep_rows(std::span<const std::size_t> rows) {
        constexpr std::size_t kRows = FunctionOf<Author>::kRows;
        for (const std::size_t row : rows)
            if (row >= kRows)
                throw std::out_of_range("keep_rows: row " + std::to_string(row) + ", but phi has " +
                                        std::to_string(kRows) + ", counted from 0");
        kept_.assign(rows.begin(), rows.end());
    }

private:
    void evaluate_all(const RowPoint& at, const RowValues& out) const {
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

    /// Copies the kept rows of all, if they are wanted.
    void keep(std::span<const double> all, std::span<double> out) const {
        if (out.empty()) return;
        const std::size_t width = out.size() / kept_.size();
        for (std::size_t k = 0; k < kept_.size(); ++k)
            std::ranges::copy(all.subspan(kept_[k] * width, width),
                              out.begin() + static_cast<std::ptrdiff_t>(k * width));
    }

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
        block_.rows_per_item =
            static_cast<std::int32_t>(kept_.empty() ? Function::kRows : kept_.size());
        block_.scalars_per_item = static_cast<std::int32_t>(Function::kWidth);
        block_.stencil = ArgumentsOf<Author>::kStencil;
        block_.laws = laws_;
        if (together_ != nullptr) block_.item_laws = {&together_, 1};
        block_.degree = traits_.degree;
        block_.tangent = tangent_.form();
        block_.depends_on_time = Function::kIsTimed && traits_.depends_on_time;
        is_prepared_ = true;
    }

    std::vector<RowLaw> laws_ = {RowLaw{}};
    std::shared_ptr<const ItemLaw> law_together_;
    const ItemLaw* together_ = nullptr;
    std::vector<std::size_t> kept_;  ///< rows of phi; none: all
    // Configuration that cannot be found before the author's constructor has run.
    mutable bool is_prepared_ = false;
    mutable FunctionTraits traits_;
    mutable RowTangent tangent_;
    mutable RowBlock block_;
};

}  // namespace ancora
