// SPDX-License-Identifier: BSD-3-Clause
// The force type `point_load`: a force on points and a torque on their body, given over time or as
// formulas of the state.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/authoring/attachment_texts.hpp"
#include "ancora/sdk/formula/formula.hpp"
#include "ancora/sdk/helpers/state_reader.hpp"
#include "ancora/sdk/helpers/time_function.hpp"
#include "ancora/sdk/nonideal_force.hpp"
#include "ancora/sdk/numbers/math.hpp"

namespace ancora::point_load {

/// A force F(t) on a point, or on each point of a group, and a torque T(t) on the body, in axes of
/// space or of the body, times a factor c, over time and by what another object shows:
///
///   in space    F and T as given;   following:   F = sum_k F_k d_k,  T = sum_k T_k d_k    (1)
///   on a point  f = c F                                                                   (2)
///   on d_i      f_i = a x d_i,   (tr D I - D) a = c T,   D = sum_i d_i d_i^T              (3)
///
/// Terms:
///   d_i   the body's axes as directions in space, three attachments
///   f_i   conjugate to d_i [N m], with sum_i d_i x f_i = T for any three axes that are not
///         parallel; of orthonormal ones D = I and a = T / 2
/// For a rigid body d_i' = w x d_i, so the power of (3) is T . w.
///
/// F and T may be formulas of the state as well: of position and velocity of the point, of other
/// bodies, of measures of joints, see StateReader. On a group of points each has its own.
///
/// Over a step, F, T and c are means over the time (see TimeFunction), d_i those of the midpoint,
/// which are a little shorter than 1; (3) takes that into account, so that a torque given in space
/// adds T h to the angular momentum, exactly. Formulas of the state are taken at the midpoint with
/// the mean rates, and the step's iteration gets the tangent of the load. The ledger records the
/// work f . du and these impulses.
class PointLoad final : public NonidealForce, public Signals, private ForceTangent {
public:
    /// [assembly] Refuses through Arguments::fail loads that miss a force and a torque, or a place,
    /// and what TimeFunction refuses.
    explicit PointLoad(const Arguments& arguments);

    std::span<const AttachmentRequest> attachments() const override { return requests_.list(); }
    WorkKind work() const override { return work_; }

    void evaluate(const RowPoint& at,
                  std::span<const double> state,
                  const ForceValues& out) const override;
    void evaluate_step(const RowStep& step,
                       std::span<const double> mean_velocity,
                       const ForceValues& out) const override;

    void facets(ForceFacets& out) const override {
        // Of a load that depends on the state, and acts on one point.
        if (state_.reads() && is_single_) out.tangent = this;
        if (has_signal_) out.signals = this;
        out.start_state = start_state_;
        out.tied_to_inertial_frame = work_ == WorkKind::nonideal;
    }
    void differentiate_step(const RowStep& step,
                            std::span<const double> mean_velocity,
                            std::span<double> D) const override;

    std::span<const char* const> inputs() const override { return kInputs; }

private:
    static constexpr std::array<const char*, 1> kInputs{"factor"};
    /// c, of the part over time.
    double factor_with(double over_time, const OwnValues& own) const {
        return has_signal_ ? over_time * own.inputs[0] : over_time;
    }
    static constexpr std::size_t kAxes = 9;  ///< scalars of the three axes
    static constexpr std::size_t kMostScalars = 3 + kAxes + StateReader::kMostScalars;

    /// A vector over time, or as three formulas of the state.
    struct Load {
        TimeFunction over_time;         ///< without components: there is none
        std::vector<Formula> formulas;  ///< three, or none
        std::vector<std::string> texts;
    };
    /// Values of the variables, and of a load's three components with derivatives by them.
    using Variables = std::array<double, Formula::kMaxVariables>;

    Load read_load(const Arguments& arguments, const char* key, const TimeFunctionOptions& options);
    bool has_axes() const { return has_torque_ || follows_; }
    /// Scalars of the points.
    std::size_t num_points(std::size_t size) const {
        return size - (has_axes() ? kAxes : 0) - state_.num_scalars();
    }
    StateReader::Layout layout(std::size_t point, std::size_t size) const;
    /// One value of a load; `call` evaluates a TimeFunction.
    template <class Call>
    Vec3 value_of(const Load& load, double t, const Variables& x, Call call) const;
    Vec3 formulas_of(const Load& load,
                     double t,
                     const Variables& x,
                     std::array<Variables, 3>* slopes) const;
    /// f of all points and axes; `force(i)` is F of the point whose scalars begin at i.
    template <class Force>
    void apply(Force force, const Vec3& T, std::span<const double> u, std::span<double> f) const;

    AttachmentTexts requests_;
    StateReader state_;
    std::vector<double> start_state_;  ///< what the reader keeps
    Load force_;
    Load torque_;
    TimeFunction factor_;
    bool has_force_;
    bool has_torque_;
    bool has_signal_;
    WorkKind work_;
    bool follows_ = false;   ///< the axes of force and torque are the body's
    bool is_single_ = true;  ///< the force acts on one point, not on a group
};

}  // namespace ancora::point_load
