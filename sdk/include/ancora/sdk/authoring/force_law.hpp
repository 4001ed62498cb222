// SPDX-License-Identifier: BSD-3-Clause
// Forces written as one function: of positions, rates and time, on each of many points, or dry
// friction.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "ancora/sdk/authoring/attachment_texts.hpp"
#include "ancora/sdk/authoring/written_constraint.hpp"
#include "ancora/sdk/nonideal_force.hpp"
#include "ancora/sdk/numbers/gradient.hpp"

namespace ancora {

namespace detail {

template <class Author>
struct ForceOf {
    const Author& author;
    template <class... X, class A = Author>
    auto operator()(const X&... x) const -> decltype(std::declval<const A&>().force(x...)) {
        return author.force(x...);
    }
};

}  // namespace detail

/// The reactions that a force depends on, one for each parameter::object of its schema.
class Reactions {
public:
    explicit Reactions(std::span<const double> numbers) : numbers_(numbers) {}

    std::size_t size() const { return numbers_.size() / 3; }
    /// Force on the first attachment of the constraint that object parameter i names, inertial
    /// axes [N].
    /// @throws std::out_of_range if the schema names fewer constraints
    Vector3<double> operator[](std::size_t i) const {
        if (i >= size())
            throw std::out_of_range("asks for reaction " + std::to_string(i) +
                                    ", but the schema names " + std::to_string(size()) +
                                    " constraints, counted from 0");
        return {numbers_[3 * i], numbers_[3 * i + 1], numbers_[3 * i + 2]};
    }

private:
    std::span<const double> numbers_;
};

/// Forces C on the points and directions of a schema. The author's class derives from
/// ForceLaw<itself>, has a schema kParameters, says by work() under which heading the work is
/// recorded, and has
///
///   std::array<Vec3, k> force(const Vec3& a, ..., const Vec3& a_rate, ..., double t) const
///
/// of which the rates, or t, or both are left out where the force does not depend on them, or all
/// but t where it is given beforehand: force() or force(t) has no derivative that a step needs. Of
/// one attachment a Vec3 alone is returned; of two points a Vec3 means the force on the first, and
/// the second gets its opposite. Vector3<double> serves as well as Vec3. What belongs to a
/// direction is conjugate to its three components [N m].
///
/// A force that depends on the reactions of constraints, as the torque in a journal bearing does,
/// names each of them by a parameter::object of its schema and takes, behind all else,
///
///   const Reactions& reactions
///
/// which the kernel solves together with the force (see ForceFacets::reactions). A class that
/// derives publicly from Signals too takes `const OwnValues& own` at the end, whether it reads
/// them or not; only force() and force(t) do without. Dry friction is a FrictionLaw.
///
/// Over a step the force is that of the midpoint with the mean rates, and its work is force times
/// displacement: the ledger closes to rounding. The step's iteration takes the force's derivative:
/// exact where force() is a template that takes Vector3<S>, by differences where it takes Vec3.
template <class Author>
class ForceLaw : public NonidealForce, protected ForceTangent {
    template <class A>
    using SchemaOf = SchemaArguments<A::kParameters>;

public:
    ForceLaw(const ForceLaw&) = delete;
    ForceLaw& operator=(const ForceLaw&) = delete;

    std::span<const AttachmentRequest> attachments() const override {
        return SchemaOf<Author>::kAttachments;
    }
    void facets(ForceFacets& out) const override {
        if (!is_given()) out.tangent = this;
        out.reactions = SchemaOf<Author>::kObjects;
        if constexpr (std::is_convertible_v<const Author*, const Signals*>)
            out.signals = static_cast<const Author*>(this);
    }

    void evaluate(const RowPoint& at,
                  std::span<const double>,
                  const ForceValues& out) const override {
        with_inputs(at, [&](const auto&... inputs) {
            call(at, out, inputs...);
        });
    }

    void differentiate_step(const RowStep& step,
                            std::span<const double> mean_velocity,
                            std::span<double> D) const override {
        if constexpr (is_given())
            std::ranges::fill(D, 0.0);
        else
            with_inputs(step, [&](const auto&... inputs) {
                differentiate(step, mean_velocity, D, inputs...);
            });
    }

protected:
    ForceLaw() = default;

private:
    /// Calls `function` with the reactions, if the schema names constraints, and with the author's
    /// own values, if its class has Signals.
    template <class At, class Function>
    static void with_inputs(const At& at, const Function& function) {
        constexpr bool has_signals = std::is_base_of_v<Signals, Author>;
        if constexpr (SchemaOf<Author>::kNumObjects == 0 && has_signals)
            function(at.own);
        else if constexpr (SchemaOf<Author>::kNumObjects == 0)
            function();
        else if constexpr (has_signals)
            function(Reactions(at.reactions), at.own);
        else
            function(Reactions(at.reactions));
    }
    /// Calls the author's function with the arguments that it takes; `inputs` are reactions and own
    /// values, or nothing.
    template <class... Inputs>
    void call(const RowPoint& at, const ForceValues& out, const Inputs&... inputs) const {
        using Schema = SchemaOf<Author>;
        static_assert(is_given() || takes<double, Inputs...>(),
                      "force() must take, in the order of the schema, one vector for each point "
                      "and direction, then perhaps as many rates, and perhaps t; where the schema "
                      "has a parameter::object, const Reactions& behind them; and, where the class "
                      "derives from Signals, const OwnValues& at the end, used or not");
        static_assert(Schema::kNumCoordinates == 0, "a force acts on points and directions");
        put(force_of(at.u.data(), at.du.data(), at.t, inputs...), out.f.data());
    }

    using Law = detail::ForceOf<Author>;

    /// Whether the force depends on time at most.
    static constexpr bool is_given() {
        return std::is_invocable_v<const Law&> || std::is_invocable_v<const Law&, double>;
    }
    /// Whether force() can be called with scalars S.
    template <class S, class... Inputs>
    static constexpr bool takes() {
        using List = typename SchemaOf<Author>::List;
        return List::template takes_pair<Law, S, double, Inputs...>() ||
               List::template takes_pair<Law, S, Inputs...>() ||
               List::template takes<Law, S, double, Inputs...>() ||
               List::template takes<Law, S, Inputs...>();
    }
    template <class S, class... Inputs>
    auto force_of(const S* u, const S* du, double t, const Inputs&... inputs) const {
        using List = typename SchemaOf<Author>::List;
        const Law law{static_cast<const Author&>(*this)};
        if constexpr (std::is_invocable_v<const Law&>)
            return law();
        else if constexpr (std::is_invocable_v<const Law&, double>)
            return law(t);
        else if constexpr (List::template takes_pair<Law, S, double, Inputs...>())
            return List::call_pair(law, u, du, t, inputs...);
        else if constexpr (List::template takes_pair<Law, S, Inputs...>())
            return List::call_pair(law, u, du, inputs...);
        else if constexpr (List::template takes<Law, S, double, Inputs...>())
            return List::call(law, u, t, inputs...);
        else
            return List::call(law, u, inputs...);
    }

    template <class... Inputs>
    void differentiate(const RowStep& step,
                       std::span<const double> mean_velocity,
                       std::span<double> D,
                       const Inputs&... inputs) const {
        constexpr std::size_t k = 3 * SchemaOf<Author>::kCount;
        const double t = step.t0 + 0.5 * step.h;
        using S = Gradient<static_cast<int>(k)>;
        if constexpr (takes<S, Inputs...>()) {
            std::array<S, k> u;
            std::array<S, k> rate;
            for (std::size_t j = 0; j < k; ++j) {
                u[j] = step.mid[j] + 0.5 * S(0.0, j);
                rate[j] = mean_velocity[j] + (1.0 / step.h) * S(0.0, j);
            }
            std::array<S, k> f;
            put(force_of(u.data(), rate.data(), t, inputs...), f.data());
            for (std::size_t i = 0; i < k; ++i)
                for (std::size_t j = 0; j < k; ++j) D[i * k + j] = f[i].d(j);
        } else {
            differentiate_by_differences(step, mean_velocity, D, t, inputs...);
        }
    }

    /// Central differences in positions and rates, each by a part of what is there.
    template <class... Inputs>
    void differentiate_by_differences(const RowStep& step,
                                      std::span<const double> mean_velocity,
                                      std::span<double> D,
                                      double t,
                                      const Inputs&... inputs) const {
        constexpr std::size_t k = 3 * SchemaOf<Author>::kCount;
        constexpr double kPart = 6e-6;  // cube root of rounding
        std::array<double, k> u;
        std::array<double, k> rate;
        std::ranges::copy(step.mid, u.begin());
        std::ranges::copy(mean_velocity, rate.begin());
        const auto largest = [](const std::array<double, k>& x) {
            double out = 1e-3;
            for (const double value : x) out = std::max(out, value < 0.0 ? -value : value);
            return out;
        };
        std::ranges::fill(D, 0.0);
        const auto add = [&](std::array<double, k>& x, double by_du) {
            const double d = kPart * largest(x);
            for (std::size_t j = 0; j < k; ++j) {
                const double at = x[j];
                std::array<double, k> up;
                std::array<double, k> down;
                x[j] = at + d;
                put(force_of(u.data(), rate.data(), t, inputs...), up.data());
                x[j] = at - d;
                put(force_of(u.data(), rate.data(), t, inputs...), down.data());
                x[j] = at;
                for (std::size_t i = 0; i < k; ++i)
                    D[i * k + j] += by_du * (up[i] - down[i]) / (2.0 * d);
            }
        };
        add(u, 0.5);
        add(rate, 1.0 / step.h);
    }

    template <class S, class Forces>
    static void put(const Forces& forces, S* f) {
        constexpr std::size_t kCount = SchemaOf<Author>::kCount;
        if constexpr (std::is_convertible_v<Forces, Vector3<S>>) {
            static_assert(kCount == 1 || kCount == 2, "return one force for each attachment");
            const Vector3<S> force = forces;
            put_one(force, f);
            if constexpr (kCount == 2) put_one(-force, f + 3);
        } else {
            static_assert(std::tuple_size<Forces>() == kCount,
                          "return one force for each attachment");
            for (std::size_t i = 0; i < kCount; ++i) put_one<S>(forces[i], f + 3 * i);
        }
    }
    template <class S>
    static void put_one(const Vector3<S>& force, S* f) {
        f[0] = force.x;
        f[1] = force.y;
        f[2] = force.z;
    }
};

/// One law of force on each of any number of points. The author's class derives from
/// PointForceLaw<itself> and has a schema kParameters, whose one point may be a point, a group of
/// points such as "net@rim", or, if the schema allows texts, a list of such; work(); and
///
///   Vec3 force(const Vec3& r, const Vec3& r_rate, double t) const
///
/// of which the rate, or t, or both are left out. Over a step it is taken at the midpoint with the
/// mean rates. It has no derivative for the step's iteration, which would be a full matrix of all
/// points; a stiff law on few points is better a ForceLaw.
template <class Author>
class PointForceLaw : public NonidealForce {
public:
    std::span<const AttachmentRequest> attachments() const override { return points_.list(); }

    void evaluate(const RowPoint& at,
                  std::span<const double>,
                  const ForceValues& out) const override {
        for (std::size_t i = 0; i < out.f.size(); i += 3) {
            const Vector3<double> force = force_on(at.u.data() + i, at.du.data() + i, at.t);
            out.f[i] = force.x;
            out.f[i + 1] = force.y;
            out.f[i + 2] = force.z;
        }
    }

protected:
    /// [assembly] Reads the points.
    explicit PointForceLaw(const Arguments& arguments) {
        using Schema = SchemaArguments<Author::kParameters>;
        static_assert(Schema::kNumAttachments == 1 && Schema::kNumCoordinates == 0,
                      "the schema must have one parameter::point");
        const char* const key = Schema::kAttachments[0].parameter;
        const bool is_list = arguments.shape(key) == Shape::texts;
        const int count = is_list ? arguments.num_texts(key) : 1;
        if (count == 0) arguments.fail(key, "found no point, expected one or more");
        for (int i = 0; i < count; ++i)
            points_.add(AttachmentRequest::Kind::points,
                        is_list ? arguments.text(key, i) : arguments.text(key),
                        key);
    }

private:
    auto force_on(const double* r, const double* rate, double t) const {
        using List = ArgumentList<ArgumentKind::point>;
        using Law = detail::ForceOf<Author>;
        const Law law{static_cast<const Author&>(*this)};
        if constexpr (List::takes_pair<Law, double, double>())
            return List::call_pair(law, r, rate, t);
        else if constexpr (List::takes_pair<Law, double>())
            return List::call_pair(law, r, rate);
        else if constexpr (List::takes<Law, double, double>())
            return List::call(law, r, t);
        else
            return List::call(law, r);
    }

    AttachmentTexts points_;
};

/// Dry friction on a constraint, as a function of the normal force N that the constraint's reaction
/// makes and of the sliding speed. The author's class derives from FrictionLaw<itself>, has a
/// schema kParameters in which the one parameter::object names the constraint, and has
///
///   template <class S>
///   S friction(const S& N, const S& speed) const       // [N], against the sliding velocity
///
/// Its derivatives are automatic. Sticking bears friction(N, 0), or what an overriding
/// stick_limit() says; surface_velocity() may be overridden for a belt.
template <class Author>
class FrictionLaw : public DryFriction {
protected:
    FrictionLaw() = default;

    double stick_limit(double N) const override { return author().friction(N, 0.0); }

private:
    const Author& author() const { return static_cast<const Author&>(*this); }

    const char* constraint() const override {
        constexpr auto count = [] {
            int n = 0;
            for (const Parameter& p : Author::kParameters) n += p.allows(Shape::object);
            return n;
        };
        static_assert(count() == 1, "the schema must have one parameter::object");
        for (const Parameter& p : Author::kParameters)
            if (p.allows(Shape::object)) return p.name;
        return "";
    }
    SlipForce slip(double N, double speed) const override {
        using S = Gradient<2>;
        const S force = author().friction(S(N, 0), S(speed, 1));
        return {.force = force.value, .by_normal = force.d(0), .by_speed = force.d(1)};
    }
};

}  // namespace ancora
