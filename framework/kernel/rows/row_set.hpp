// SPDX-License-Identifier: BSD-3-Clause
// All rows of a model: their geometry chained to q in one compressed Jacobian.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "call_meter.hpp"
#include "model.hpp"
#include "row_layout.hpp"
#include "signal_set.hpp"

namespace ancora {

/// The rows of a model with their values: pi, B, tau and geometric stiffness as their plugins give
/// them, chained to q.
///
/// For a body the values of the Jacobian are the plugin's output itself; for a constraint they are
/// chained through its attachments.
class RowSet : public RowLayout {
public:
    RowSet(const Model& model, CallMeter& meter);
    /// Only the rows that measure sliding on these constraints, in their order.
    RowSet(const Model& model, CallMeter& meter, std::span<const int> constraints);
    RowSet(const RowSet&) = delete;
    RowSet& operator=(const RowSet&) = delete;

    /// The sources' state as last accepted, which the continuous formulation reads: num_state
    /// numbers (perhaps more behind them), in the memory of the caller.
    void read_state_from(const std::vector<double>& state) { state_ = &state; }
    /// Of rows along which constraints slide: their state is that of the rows of these constraints
    /// in `rows`, which must outlive this. They do not write it.
    void share_states(const RowSet& rows);
    /// Of rows that measure sliding: those in these ranges alone are evaluated from here on, in
    /// steps and at instants; values of the others are what they were. [step]
    void use_only(std::span<const RowRange> rows);
    /// [step] Calls visit(k) for those of the rows [begin, end) that are something in steps: B and
    /// tau of the others, which are open or released, are zero.
    template <class Visit>
    [[gnu::always_inline]] void for_used(int begin, int end, const Visit& visit) const {
        for (const RowRange& range : used_)
            for (int k = std::max(begin, range.first); k < std::min(end, range.end); ++k) visit(k);
    }
    /// [step] The same for the others of all rows.
    template <class Visit>
    [[gnu::always_inline]] void for_unused(const Visit& visit) const {
        int begin = 0;
        for (const RowRange& range : used_) {
            for (int k = begin; k < range.first; ++k) visit(k);
            begin = range.end;
        }
        for (int k = begin; k < num_rows(); ++k) visit(k);
    }
    /// Where rows of constraints find own values.
    void read_own_values_from(SignalSet& signals) { signals_ = &signals; }
    /// Own values are those at (q, v, t) from here on. [step]
    void refresh_own_values(const double* q, const double* v, double t) {
        if (signals_ != nullptr) signals_->evaluate_for_rows(q, v, t);
    }
    /// Own values of constraint c, for users other than its rows.
    OwnValues own_values(int constraint, SignalSet::Moment moment) const;

    /// Discrete formulation over the step q0 -> q0 + dq: B and tau.
    void evaluate_step(const double* q0,
                       const double* dq,
                       const double* mid,
                       double t0,
                       double h,
                       std::span<const double> state0,
                       std::span<double> state1);

    /// Continuous formulation at (q, v, t): pi, A (same pattern as B), pi_t and b of every row.
    struct StateValues {
        Eigen::VectorXd pi;
        Eigen::VectorXd A;
        Eigen::VectorXd pi_t;
        Eigen::VectorXd b;
    };
    void evaluate(const double* q, const double* v, double t, StateValues& out) {
        evaluate(q, v, t, out, Elastic::all);
    }
    /// What of blocks with elastic rows alone is asked for: forces need no b of them, and no pi_t
    /// where they do not depend on time; these stay zero then.
    enum class Elastic { all, forces };
    void evaluate(const double* q, const double* v, double t, StateValues& out, Elastic asked);
    /// pi of the rows in constraint blocks only, others untouched. [step]
    void evaluate_gaps(const double* q, double t, double* pi);
    /// pi, pi_t and Jacobian, as the plugin lays it out, of one block of positions. [step]
    void evaluate_course(
        const BlockPart& part, const double* q, double t, double* pi, double* A, double* pi_t);
    /// pi of the rows in blocks with elastic rows only. [step]
    void evaluate_elastic(const double* q, double t, double* pi);
    /// A and pi_t at (q, v, t) for the blocks chosen, with own values as they were refreshed, or
    /// at another moment of the step last evaluated. [step]
    void evaluate_rates(const std::vector<int>& chosen,
                        const double* q,
                        const double* v,
                        double t,
                        double* A,
                        double* pi_t,
                        SignalSet::Moment own = SignalSet::Moment::now);

    /// Geometric stiffness blocks at the midpoint of the last evaluated step.
    void evaluate_tangent(const double* mid, const double* s, bool positive_part, double t) {
        last_tangent_ = {mid, s, positive_part, t};
        evaluate_tangent(mid, s, positive_part, t, SignalSet::Moment::middle, K.data());
    }
    /// The same at a state, into other memory: steps go on to read theirs. [step]
    void evaluate_tangent_at(const double* q, const double* s, double t, double* G);

    /// A constraint row whose entries cancel in the chain, at the state last evaluated with A; -1
    /// if there is none.
    int vanishing_row(const Eigen::VectorXd& A) const;

    /// Entries of a constraint's row on its local scalars, at the state last evaluated or over the
    /// step last evaluated.
    struct LocalRow {
        std::span<const std::int32_t> scalars;
        std::span<const double> entries;
    };
    LocalRow local_row(int row, bool of_step) const;
    /// Sum of the moduli of a row's terms over the step last evaluated, the basis of its
    /// rounding-error bound: its entries on the local scalars times the sizes of their points.
    /// Chained, large terms cancel: the difference of two points of a body does not depend on the
    /// body's position, its round-off does. [step]
    double size_of_value(const BlockPart& part, int row) const;

    /// Throws the plugin error for a row of the continuous formulation that is not finite.
    void refuse_row(int row, double t) const;

    /// Force of constraint c on each local scalar: f = -sum_k s_k dpi_k/du of the last step.
    void local_force(int constraint, const double* s, double* f) const;
    /// The same with A at the state last evaluated.
    void local_force_now(int constraint, const double* s, double* f) const;

    /// Throws the plugin error of the first entry of the last evaluation that is not finite, if
    /// there is one.
    void attribute_nonfinite(double t) const;

    /// Drops these rows from the discrete formulation: their B and tau are zero from here on, those
    /// of all others are unchanged.
    void drop_rows(const std::vector<int>& rows);
    const std::vector<int>& dropped() const { return dropped_; }
    /// B dq + tau of each of them over the step last evaluated.
    const std::vector<double>& dropped_increment() const { return dropped_increment_; }
    /// The same for the i-th of them, evaluated at other arguments than the step's. [step]
    void set_dropped_increment(std::size_t i, double increment) {
        dropped_increment_[i] = increment;
    }
    /// B of that step with their entries.
    void whole_jacobian(Eigen::VectorXd& out) const;
    /// Zero in the entries of rows that are dropped or open.
    void clear_dropped(double* values) const;

    /// Of the unilateral rows these are closed, and constraints from here on; the others are open:
    /// they are nothing, their B and tau zero.
    void close(const std::vector<int>& closed);
    /// These rows, ascending, are nothing from here on, as open unilateral ones are; all others are
    /// what they were given as.
    void release(const std::vector<int>& rows);
    const std::vector<int>& released() const { return released_; }
    /// A unilateral row that is closed at an instant, and may rub there.
    bool is_pressed(int row) const {
        return laws[row].kind != RowKind::unilateral &&
               (!is_crossing_ || std::ranges::binary_search(rubbing_, row));
    }
    /// Closed rows bear over a step that goes over all events, and press at none of its instants.
    bool is_crossing() const { return is_crossing_; }
    void set_crossing(bool is_crossing) {
        is_crossing_ = is_crossing;
        rubbing_.clear();
    }
    /// But these, ascending: they touch where it begins, and rub all the way where they bear it.
    void set_rubbing(std::vector<int> rows) { rubbing_ = std::move(rows); }
    const std::vector<int>& rubbing() const { return rubbing_; }

    Eigen::VectorXd B;    ///< values of the discrete Jacobian
    Eigen::VectorXd tau;  ///< per row
    Eigen::VectorXd K;    ///< tangent entries in the plugins' layout

private:
    void begin();
    PluginCall last_evaluation(const BlockPart& part) const;
    PluginCall last_step(const BlockPart& part) const;
    PluginCall last_tangent(const BlockPart& part) const;
    /// Where a block's values are written.
    /// @param local buffer of those of constraints
    double* room_of(const BlockPart& part, double* jacobian, double* local);
    /// Brings what was written there into the Jacobian.
    void take(const BlockPart& part,
              std::span<const RowRange> ranges,
              const double* values,
              double* jacobian,
              double t) const;
    void clear_row(int k, double* values) const;
    void find_used();
    void find_unused_blocks();
    [[noreturn]] void refuse_unexpected(const BlockPart& part,
                                        const double* values,
                                        double t) const;
    /// A body's values of the last step as it wrote them.
    std::vector<double> unpacked(const BlockPart& part) const;
    void sum_local_force(int constraint, const double* jacobian, const double* s, double* f) const;
    void add_attachment_bias(const BlockPart& part, const double* local, double* b) const;
    RowPoint point_of(const BlockPart& part,
                      const double* q,
                      const double* v,
                      double t,
                      SignalSet::Moment own = SignalSet::Moment::now);
    std::span<const double> state_of(const RowOwner& owner) const;
    OwnValues own_of(const BlockPart& part, SignalSet::Moment moment) const;
    void evaluate_tangent(const double* mid,
                          const double* s,
                          bool positive_part,
                          double t,
                          SignalSet::Moment own,
                          double* G);

    /// Arguments of the last evaluations, for the record of a call that was at fault.
    struct LastPoint {
        const double* q = nullptr;
        const double* v = nullptr;
        double t = 0.0;
        const char* wanted = "";  ///< outputs, separated by blanks
    };
    struct LastStep {
        const double* q0 = nullptr;
        const double* dq = nullptr;
        const double* mid = nullptr;
        double t0 = 0.0;
        double h = 0.0;
        std::span<const double> state0;
    };
    struct LastTangent {
        const double* mid = nullptr;
        const double* s = nullptr;
        bool positive_part = false;
        double t = 0.0;
    };

    /// Nobody asks for its rows in steps, nor for a state.
    bool is_inactive(const BlockPart& part) const {
        return is_unused_block_[static_cast<std::size_t>(&part - blocks.data())] != 0;
    }
    /// Rows that are evaluated at instants.
    std::span<const RowRange> at_instants() const {
        return uses_some_ ? std::span<const RowRange>(used_) : std::span(&all_, 1);
    }

    const std::vector<double>* state_ = nullptr;
    const RowSet* states_of_ = nullptr;  // whose state it is instead
    std::vector<double> unwritten_;      // then, of steps
    SignalSet* signals_ = nullptr;
    std::vector<double> own_none_;  // for rows that may not read own values
    LastPoint last_point_;
    LastStep last_step_;
    LastTangent last_tangent_;
    Eigen::VectorXd constant_;  // the values of constant blocks, of dropped rows too
    std::vector<int> dropped_;
    std::vector<double> dropped_increment_;
    std::vector<double> dropped_B_;  // their entries, one row after the other
    std::vector<int> open_;          // unilateral rows
    RowRange all_{0, 0};
    std::vector<RowRange> used_;         // what is something in steps
    bool uses_some_ = false;             // nothing else is asked for at instants either
    std::vector<char> is_unused_block_;  // of each block: none of its rows, and no state
    std::vector<int> released_;          // rows that are gone for good
    std::vector<RowKind> kind_before_;   // of these
    bool is_crossing_ = false;
    std::vector<int> rubbing_;
    Eigen::VectorXd local_;                // local Jacobians of the last step
    Eigen::VectorXd local_now_;            // the same for the continuous formulation
    std::vector<double> unpacked_;         // what a body writes of a block that keeps some of it
    Eigen::VectorXd u0_, du_, umid_, u1_;  // local scalars of the constraints
    Eigen::VectorXd q1_, rate_;            // end of the step and mean rates, for the bodies' rows
    Eigen::VectorXd u_rate_;               // the same for the constraints' local scalars
    Eigen::VectorXd work0_, work1_;        // the plugins' workspace, one number per row
};

}  // namespace ancora
