// SPDX-License-Identifier: BSD-3-Clause
// Strains of a body that are written as one function: equal items, each on its own coordinates.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ancora/sdk/authoring/row_function.hpp"
#include "ancora/sdk/authoring/row_tangent.hpp"

namespace ancora {

/// A block of rows of a body, whatever function they are of.
class StrainBlock {
public:
    virtual ~StrainBlock() = default;
    StrainBlock() = default;
    StrainBlock(const StrainBlock&) = delete;
    StrainBlock& operator=(const StrainBlock&) = delete;

    /// [assembly] After the last item.
    virtual RowBlock block() = 0;
    virtual void evaluate(const RowPoint& at, const RowValues& out) const = 0;
    virtual void evaluate_step(const RowStep& step, const RowStepValues& out) const = 0;
    virtual void evaluate_tangent(const TangentPoint& at, std::span<double> G) const = 0;
    /// Tells blocks of one function and name from others.
    virtual bool is(const void* function, const std::string& name) const = 0;
};

namespace detail {

template <class Author>
struct StrainOf {
    const Author& author;
    template <class... X, class A = Author>
    [[gnu::always_inline]] constexpr auto operator()(const X&... x) const
        -> decltype(std::declval<const A&>()(x...)) {
        return author(x...);
    }
};

/// An address for each type.
template <class T>
inline constexpr char kTag = 0;

/// Kinds of a strain's arguments: its kArguments, or points throughout.
template <class Strain, std::size_t K>
constexpr std::array<ArgumentKind, K> kinds_of() {
    if constexpr (requires { Strain::kArguments; }) {
        static_assert(std::size(Strain::kArguments) == K, "one kind for each argument");
        std::array<ArgumentKind, K> out{};
        std::copy_n(std::begin(Strain::kArguments), K, out.begin());
        return out;
    } else {
        std::array<ArgumentKind, K> out{};
        out.fill(ArgumentKind::point);
        return out;
    }
}

}  // namespace detail

/// Items of one Strain, each an object of it, on K vectors or scalars of the body.
template <class Strain, std::size_t K>
class StrainsOf final : public StrainBlock {
    using Arguments = decltype([]<std::size_t... I>(std::index_sequence<I...>) {
        return ArgumentList<detail::kinds_of<Strain, K>()[I]...>();
    }(std::make_index_sequence<K>{}));
    using Function = RowFunction<Strain, detail::StrainOf, Arguments>;
    static_assert(!Function::kIsTimed, "a body's strain does not depend on time");
    static constexpr std::size_t kWidth = Function::kWidth;
    static constexpr std::size_t kRows = Function::kRows;

public:
    explicit StrainsOf(const std::string& name) : name_(name) {}

    bool is(const void* function, const std::string& name) const override {
        return function == &detail::kTag<StrainsOf> && name == name_;
    }

    /// @param first     for each argument its first coordinate
    /// @param together  the law of the strain's values together, or null
    /// @throws std::invalid_argument if some items have one and others none
    void add(const std::array<std::int32_t, K>& first,
             const Strain& strain,
             const RowLaw& law,
             std::shared_ptr<const ItemLaw> together) {
        if (!strains_.empty() && (together == nullptr) != item_laws_.empty())
            throw std::invalid_argument("some of the strains \"" + name_ +
                                        "\" have a law together and others none; give them "
                                        "another name");
        strains_.push_back(strain);
        if (together != nullptr) {
            item_laws_.push_back(together.get());
            kept_.push_back(std::move(together));
        }
        for (std::size_t i = 0; i < K; ++i)
            for (std::size_t k = 0; k < Arguments::width(i); ++k)
                stencil_.push_back(first[i] + static_cast<std::int32_t>(k));
        laws_.insert(laws_.end(), kRows, law);
    }

    RowBlock block() override {
        // What holds for all of them
        traits_ = {Degree::linear, true, false};
        for (const Strain& strain : strains_) {
            FunctionTraits own = Function::examine(strain);
            if constexpr (requires { Strain::kDegree; }) own.degree = Strain::kDegree;
            if constexpr (requires { Strain::kInvariant; }) own.is_invariant = Strain::kInvariant;
            traits_.degree = std::max(traits_.degree, own.degree);
            traits_.is_invariant = traits_.is_invariant && own.is_invariant;
        }
        tangents_.assign(strains_.size(), {});
        bool is_one_form = true;
        for (std::size_t i = 0; i < strains_.size(); ++i) {
            tangents_[i].template prepare<Function>(strains_[i], traits_);
            is_one_form = is_one_form && tangents_[i].form() == tangents_[0].form();
        }
        if (!is_one_form)
            for (RowTangent& tangent : tangents_) tangent.make_full();

        RowBlock block;
        block.name = name_.c_str();
        block.num_items = static_cast<std::int32_t>(strains_.size());
        block.rows_per_item = static_cast<std::int32_t>(kRows);
        block.scalars_per_item = static_cast<std::int32_t>(kWidth);
        block.stencil = stencil_;
        block.laws = laws_;
        block.item_laws = item_laws_;
        block.degree = traits_.degree;
        block.tangent = tangents_.empty() ? TangentForm::none : tangents_[0].form();
        return block;
    }

    void evaluate(const RowPoint& at, const RowValues& out) const override {
        typename Function::Row x, dx;
        for (std::size_t i = 0; i < strains_.size(); ++i) {
            gather(at.u, i, x);
            if (!out.A.empty())
                Function::linearise(strains_[i],
                                    x.data(),
                                    at.t,
                                    out.A.data() + i * kRows * kWidth,
                                    out.pi.empty() ? nullptr : out.pi.data() + i * kRows,
                                    nullptr);
            else if (!out.pi.empty())
                put(Function::value(strains_[i], x.data(), at.t), i, out.pi);
            if (out.b.empty()) continue;
            gather(at.du, i, dx);
            put(Function::bias(strains_[i], x.data(), dx.data(), at.t), i, out.b);
        }
        std::ranges::fill(out.pi_t, 0.0);
    }

    void evaluate_step(const RowStep& step, const RowStepValues& out) const override {
        typename Function::Row x0, dx, mid, x1;
        for (std::size_t i = 0; i < strains_.size(); ++i) {
            gather(step.u0, i, x0);
            gather(step.du, i, dx);
            gather(step.mid, i, mid);
            gather(step.u1, i, x1);
            Function::step(strains_[i],
                           traits_,
                           x0.data(),
                           dx.data(),
                           mid.data(),
                           x1.data(),
                           step.t0,
                           step.h,
                           out.B.data() + i * kRows * kWidth,
                           nullptr);
        }
    }

    void evaluate_tangent(const TangentPoint& at, std::span<double> G) const override {
        if (strains_.empty()) return;
        const std::size_t size = G.size() / strains_.size();
        typename Function::Row x;
        for (std::size_t i = 0; i < strains_.size(); ++i) {
            gather(at.mid, i, x);
            tangents_[i].template evaluate<Function>(strains_[i],
                                                     x.data(),
                                                     at.s.subspan(i * kRows, kRows),
                                                     at.positive_part,
                                                     G.subspan(i * size, size));
        }
    }

private:
    void gather(std::span<const double> u, std::size_t item, typename Function::Row& x) const {
        const std::int32_t* stencil = stencil_.data() + item * kWidth;
        for (std::size_t j = 0; j < kWidth; ++j) x[j] = u[static_cast<std::size_t>(stencil[j])];
    }
    static void put(const typename Function::Rows& rows, std::size_t item, std::span<double> out) {
        std::copy_n(rows.data(), kRows, out.data() + item * kRows);
    }

    std::string name_;
    std::vector<Strain> strains_;
    std::vector<std::int32_t> stencil_;
    std::vector<RowLaw> laws_;
    std::vector<const ItemLaw*> item_laws_;
    std::vector<std::shared_ptr<const ItemLaw>> kept_;
    std::vector<RowTangent> tangents_;
    FunctionTraits traits_;
};

}  // namespace ancora
