// SPDX-License-Identifier: BSD-3-Clause
// The impulse where unilateral rows meet, and which of them stay closed behind it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "accelerations.hpp"
#include "assembly.hpp"
#include "energy_accounting.hpp"
#include "impact_friction.hpp"
#include "impact_records.hpp"
#include "impulse_laws.hpp"
#include "pressed_rows.hpp"
#include "unilateral_rows.hpp"

namespace ancora {

/// An impact is the energy-momentum step of length zero. With the Jacobian A of all other
/// conditions and C of the rows that touch, in two phases (Poisson),
///
///   compression   M (v* - v-) = A^T l + C^T p,     0 <= p  _|_  u* >= 0                  (1)
///   expansion     M (v+ - v*) = A^T l' + C^T p',   0 <= p' - e p  _|_  u+ >= 0           (2)
///   conditions    A (v* + v-) + 2 phi_t = 0,       A (v+ - v*) = 0                       (3)
///
/// with the rates u = C v + g_t of the gaps. (3) keeps the energy of what velocities at step ends
/// miss of their conditions; where these are met it says that they stay so. The work is
///
///   dE = (p + p') . (u- + u+) / 2                                                        (4)
///
/// of each row, an identity. Where the sum would gain, all e are lowered until it does not.
///
/// With dry friction, rows T along which a contact slides have impulses too, of at most mu p across
/// the normal ones of either phase, and against T v behind it; their work is part of (4).
///
/// Rows that then touch without approaching are closed as PressedRows says. One that would come
/// back within h / 1000 does not part: it is stopped by what bears it in that time, and what that
/// loses is recorded.
///
/// A latch that touches and does not part catches, with all others that do: an impact without
/// restitution whose rows are conditions of both signs from there on,
///
///   M (v+ - v-) = A^T l + C^T p,   u+ = 0                                                (7)
///
/// and (1), (2) then take it as one of theirs. Its energy
/// changes by u- . p / 2, of one latch alone by -u-^2 / (2 W). Beyond its limit it breaks, at once
/// or later, by the reaction at an instant: an impulse has none.
///
/// Where events in one step are too many, the rest of it is one step over all of them: rows that
/// bear it are closed from their gaps as they are, which come to zero with its end, and the impact
/// there is solved on the sum of impulses (finish_crossing()).
///
/// Source: theory, section 8.1 and 8.2.3.
class Impact {
public:
    Impact(Assembly& parts,
           MotionState& state,
           Accelerations& accelerations,
           EnergyAccounting& accounting,
           UnilateralRows& rows,
           ImpactRecords& records);

    PressedRows& pressed() { return pressed_; }
    /// [step] What happens at the present state: impulses, and which rows are closed behind it.
    /// @param event the row that has met, or ceased to press
    /// @param h length of the integrator's steps
    /// @returns whether anything has changed
    bool pass(int event, double h);
    /// A step over all events, of one row.
    struct Crossing {
        double gap = 0.0;      ///< where it began
        double rate = 0.0;     ///< there
        double impulse = 0.0;  ///< P >= 0 of the step, which has kept the gap from closing further
        bool rubs = false;     ///< the step has had its friction
    };
    /// [step] The end of a step that went over all events: with the sum of impulses,
    ///
    ///   0 <= P + p  _|_  C v+ + e min(0, u-) >= 0                                        (6)
    ///
    /// u- the rates where it began. The work of P is -(P / h) g-, g- the gaps there. What has
    /// touched from the begin has rubbed over the step, |P_t| <= mu P, and P is nothing to the cone
    /// of its impulse.
    void finish_crossing(const std::vector<Crossing>& crossings, double h, double longest);
    /// [step] The rows of `rows` that bear over a step of length h, where at impulses P gaps at its
    /// end (q, v, t) are g: 0 <= P + p _|_ g + (h / 2) W p >= 0.
    void find_bearing(const double* q,
                      const double* v,
                      double t,
                      double h,
                      const std::vector<int>& rows,
                      const Eigen::VectorXd& gaps,
                      const Eigen::VectorXd& P,
                      std::vector<char>& bearing);
    /// [step] Gaps and rates of the present state, with velocities that meet the conditions: at the
    /// ends of steps without a projection these are off by O(h^2), which the next step turns round.
    void look();
    /// [step] Of gaps and rates alone, where states of objects are others since then.
    void look_at_rows() { rows_.look(state_.q.data(), v_met_.data(), state_.t); }
    /// [step] Closes the rows that the present accelerations press.
    /// @returns whether there are others than before
    bool close_pressed();
    /// [step] Latches whose commands are to open do so.
    /// @returns whether there were any
    bool open_latches();
    /// Those that have caught, and no others, are conditions of the model.
    void set_latched(const std::vector<char>& is_latched);
    /// Impulses -s of all rows, of the last pass() that had any.
    const Eigen::VectorXd& stress() const { return s_; }
    bool has_struck() const { return has_struck_; }
    /// Impulses of friction among those of all force objects, see StepPart::Passage.
    const Eigen::VectorXd& applied() const { return applied_; }
    /// Refuses rows that are below zero at the present state.
    void refuse_overlap() const;

private:
    struct Touch {
        int row;  // of UnilateralRows
        bool was_closed;
        double e;
        double before = 0.0;   // rate u- of the gap
        double after = 0.0;    // u+, without what closed rows carried along
        double impulse = 0.0;  // p + p'
        double total = 0.0;    // and what the step before has brought of it
        double work = 0.0;     // of that
        bool is_met = true;
    };
    double reach_of(int event) const;
    void find_touching(int event = -1);
    enum class Approach { any, none };
    bool catch_latches(int event,
                       Approach approach = Approach::any,
                       std::span<const Crossing> crossings = {});
    void refuse_driven(const Touch& touch) const;
    void add_caught();
    bool break_latches(double margin);
    void break_overloaded();
    void let_go(const std::vector<int>& rows, ImpactRecords::What what);
    void settle_touching();
    void meet_conditions();
    void respond(ContinuousFace& face);
    void list_tangents();
    Eigen::Index num_normal() const { return collision_.num_normal(); }
    bool is_approaching() const;
    void strike(double h);
    bool lets_go() const;
    void leave_out_unreached();
    void take_impulses(const CollisionImpulses& found);
    void stop_short_flights(double h);
    void take(std::vector<char>& candidates, const Eigen::VectorXd& v, bool is_behind) const;
    void stop_missed();
    bool take_missed();
    void collect(ContinuousFace& face, const Eigen::MatrixXd& mu);
    void record(const ContinuousFace& face, bool is_impact);
    void record_changes(const std::vector<char>& before);

    Assembly& parts_;
    MotionState& state_;
    Accelerations& accelerations_;
    EnergyAccounting& accounting_;
    UnilateralRows& rows_;
    ImpactRecords& records_;

    ImpactFriction friction_;
    PressedRows pressed_;

    std::vector<Touch> touching_;
    // Rows along which these slide, behind them in collision_, X_, mu_ and impulse_.
    struct Tangent {
        int row;    // of UnilateralRows
        int place;  // among its sliding rows
        std::size_t touch;
    };
    std::vector<Tangent> tangents_;
    Collision collision_;  // with responses to unit impulses, and rates as (1) takes them
    Eigen::VectorXd v_met_, v_reflected_, v_next_;  // (3): mean of v- and v_reflected meets them
    Eigen::VectorXd reflected_s_, impulse_, s_;
    Eigen::MatrixXd X_, mu_;     // responses to unit impulses, of velocities and of conditions
    std::vector<Touch> caught_;  // latches that have just caught, with works of the step before
    Eigen::VectorXd caught_s_;   // their impulses, and those of conditions by them, as -s
    Eigen::VectorXd missed_s_;   // what has taken away that conditions were missed
    Eigen::VectorXd pressure_;
    Eigen::VectorXd applied_;
    bool has_struck_ = false;
};

}  // namespace ancora
