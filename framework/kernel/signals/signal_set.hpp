// SPDX-License-Identifier: BSD-3-Clause
// All signals of a model with their states.
#pragma once

#include <array>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>
#include <Eigen/LU>

#include "attachment_map.hpp"
#include "call_meter.hpp"
#include "model.hpp"
#include "signal_input_set.hpp"
#include "signal_order.hpp"

namespace ancora {

/// Continuous states x and discrete states z of all objects with signals, their inputs and outputs.
/// Discrete states change at events alone.
class SignalSet {
public:
    SignalSet(const Model& model, CallMeter& meter);

    bool empty() const { return parts_.empty(); }
    /// Objects that are not determined by positions and velocities: they have states of their own,
    /// or act at times.
    std::vector<std::string> names_with_states() const;
    int num_continuous() const { return num_x_; }

    // --- state

    /// Initialises: states given by the objects, no input set, events as at the begin of a run. t:
    /// begin of the run [s].
    void begin(double t);
    std::span<const double> x() const { return {x_.data(), static_cast<std::size_t>(num_x_)}; }
    void set_x(std::span<const double> x);
    struct States {
        Eigen::VectorXd x, z;
        std::vector<double> begin;  ///< what rows read
    };
    /// Allocates the first time only.
    void save(States& to) const;
    void set_states(const States& states);
    /// Stage values: the continuous states that evaluate() takes instead of the accepted ones,
    /// until forget().
    void assume(std::span<const double> x) { stage_ = x.data(); }
    void forget() { stage_ = nullptr; }

    /// Sets the implicit rule of an integrator for the continuous states: x = base + weight x'.
    /// [step]
    void follow(std::span<const double> base, double weight);
    /// evaluate() solves the implicit rule for the states, to the end of the scope; no effect
    /// without states.
    class Following {
    public:
        explicit Following(SignalSet& signals) : signals_(signals) {
            signals.is_following_ = signals.num_x_ > 0 && signals.has_rule_;
        }
        ~Following() { signals_.is_following_ = false; }
        Following(const Following&) = delete;
        Following& operator=(const Following&) = delete;

    private:
        SignalSet& signals_;
    };

    // --- at a state

    /// Inputs and the outputs that they read, at (t, q, v) with the stage values of continuous
    /// states. [step]
    void evaluate(const double* q, const double* v, double t);
    /// x' at the last evaluation. [step]
    void differentiate(std::span<double> dx);
    /// The continuous states of the last evaluation.
    std::span<const double> shown() const { return {shown_, static_cast<std::size_t>(num_x_)}; }
    /// All outputs at the accepted states, num_values() of them.
    void sample(const double* q, const double* v, double t, std::span<double> y);
    int num_values() const { return num_y_; }

    // --- over a step

    /// Own values in the middle of a step, and continuous states at its end. [step]
    /// @throws Error (numerical) if the iteration for the states does not converge
    void evaluate_step(const double* q0, const double* dq, double t0, double h);
    /// Accepts the end of the step last evaluated as the present state. [step]
    void accept_step();
    /// The same with continuous states of the integrator: only turns of angles are updated.
    void follow_step(const double* q0, const double* dq, double t0, double h);

    /// Own values of force `index` of the model, as last evaluated; empty without signals. [step]
    OwnValues own_of_force(int index) const;
    bool has_force(int index) const { return part_of_force_[index] >= 0; }

    // --- own values that rows of constraints read

    /// At the state last evaluated, or at the begin, in the middle, at the end of a step.
    enum class Moment { now, begin, middle, end };
    bool are_read_by_rows() const { return num_kept_ > 0; }
    /// Own values of part `index` of the model's signals.
    OwnValues own_of_part(int index, Moment moment) const;
    /// Its discrete states as accepted, which events alone change.
    std::span<const double> discrete_of_part(int index) const {
        const Part& part = parts_[index];
        return {z_.data() + part.first_z, part.num_z};
    }
    /// Evaluates at a state, for Moment::now. [step]
    void evaluate_for_rows(const double* q, const double* v, double t);
    /// Evaluates over a step, for its middle and its end. [step]
    void evaluate_step_for_rows(const double* q0,
                                const double* dq,
                                const double* q1,
                                const double* v1,
                                double t0,
                                double h);
    /// Sample and hold: evaluates at the accepted state, for Moment::now and the begin of the next
    /// step.
    void hold(const double* q, const double* v, double t);
    /// Moment::now takes the held values.
    void show_sampled() { kept(Moment::now) = kept(Moment::begin); }

    // --- sensitivities of a force's own values to displacements over the step last evaluated

    /// Attachments that they depend on besides those of the force, through inputs and through other
    /// objects that are coupled with it; empty if there are too many.
    std::span<const Attachment> answered_attachments(int force) const;
    /// Own values after scalar `k` has moved by `change`, counted through the force's own
    /// attachments and then those above. [step]
    void answer(int force, std::size_t k, double change);
    /// Restores the values of the step. [step]
    void end_answer(int force);

    // --- events

    int num_crossings() const { return num_crossings_; }
    const SignalPart& part_of_crossing(int event) const;
    /// Evaluates crossing functions at the accepted state. Those that were not positive are armed
    /// if they are now: after a time that `has_passed`, or by a jump at one instant.
    void look(const double* q, const double* v, double t, bool has_passed);
    /// An armed crossing that is not positive at the state last evaluated and has not acted, -1
    /// without one.
    int due_crossing() const;
    /// Crossing functions, positive before their events. x null: at the end of the step last
    /// evaluated. [step]
    void evaluate_crossings(
        const double* q, const double* v, double t, const double* x, std::span<double> g);
    /// Passes crossing `event` at the accepted state, and all others that are down there.
    void pass(int event, const double* q, const double* v, double t);
    /// The next time at which some object acts, infinity if there is none.
    double next_time() const { return next_; }
    /// Lets all objects act whose time has come, with crossings that have come down just now.
    void act(const double* q, const double* v, double t);

    // --- samples

    /// A force that acts at times of equal distance, and of whose outputs some are held between
    /// these.
    struct Sampler {
        int part = 0;
        double first = 0.0, period = 0.0;  ///< [s]
        std::vector<std::string> held;     ///< columns: "pid.command"
    };
    /// At the begin of a run, t.
    std::vector<Sampler> samplers(double t) const;
    double next_time(int part) const { return next_times_[part]; }
    const std::string& name(int part) const { return parts_[part].of->name; }
    /// Undoes the samples that parts have taken at the begin, t: they are due once more.
    void sample_anew(std::span<const int> parts, double t);

    // --- inputs, as an embedding program sees them

    SignalInputSet& inputs() { return inputs_; }
    const SignalInputSet& inputs() const { return inputs_; }

    /// Writes or reads it, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive) {
        for (Eigen::VectorXd* x : {&x_, &z_}) {
            archive.array(x->data(), x->size());
            archive.require_finite(*x, "a state of an object");
        }
        archive.array(next_times_.data(), static_cast<Eigen::Index>(next_times_.size()));
        for (const double t : next_times_) archive.require(!std::isnan(t), "the time of an event");
        archive.fixed(armed_);
        archive.array(g_.data(), static_cast<Eigen::Index>(g_.size()));
        archive.require_finite(g_, "a crossing function");
        inputs_.transfer(archive);
        std::vector<double>& held = kept(Moment::begin);
        archive.array(held.data(), static_cast<Eigen::Index>(held.size()));
        archive.require_finite(held, "a value that rows read");
        if constexpr (Archive::kReads) forget_step();
    }

private:
    struct Part {
        const SignalPart* of;
        AttachmentMap map;           ///< without attachments for a body
        int first_q = 0, num_q = 0;  ///< of a body
        std::size_t first_u = 0, num_u = 0;
        std::size_t first_x = 0, num_x = 0;
        std::size_t first_z = 0, num_z = 0;
        std::size_t first_y = 0, num_y = 0;
        int first_crossing = 0, num_crossings = 0;
        bool is_read = false;
        bool is_read_by_rows = false;
        std::size_t first_kept = 0;  ///< of the values that rows read: inputs, x, z
    };
    /// States that are solved for together, with the workspace of their iteration.
    struct Group {
        std::vector<int> parts;
        std::size_t first_x = 0, num_x = 0;
        Eigen::MatrixXd J;
        Eigen::PartialPivLU<Eigen::MatrixXd> factored;
        bool is_factored = false;
        Eigen::VectorXd f, f_moved, correction;
        bool has_rounding = false;
        Eigen::VectorXd terms;     ///< moduli of the terms of f, if wanted
        Eigen::VectorXd rounding;  ///< their effect on states; times epsilon: the error bound
    };
    /// x - base - weight f(at, t) = 0, where `at` is x itself, or in the middle of base and x.
    struct Equation {
        Eigen::VectorXd& x;
        const Eigen::VectorXd& base;
        Eigen::VectorXd& at;
        double weight;
        double slope;  ///< weight d(at)/dx
        double t;
    };

    /// The place of a scalar that own values depend on.
    struct Source {
        int part = -1;   ///< local scalars of a part, or
        int input = -1;  ///< of an input
        std::size_t count = 0;
    };
    struct Answers {
        int group = -1;
        std::vector<Source> sources;  ///< the force's own first
        std::vector<Attachment> attachments;
        Source moved{};  ///< by the last answer()
        std::size_t moved_scalar = 0;
        double u = 0.0, du = 0.0;  ///< of a part, before that
    };
    void find_answers();
    std::vector<double>& kept(Moment moment) { return kept_[static_cast<std::size_t>(moment)]; }
    void keep(Moment moment);
    double& local(Eigen::VectorXd& of, const Answers& answers);

    std::span<double> sub(Eigen::VectorXd& x, std::size_t first, std::size_t count) {
        return {x.data() + first, count};
    }
    SignalPoint point_of(const Part& part, double t, const double* x) const;
    void gather(const double* q, const double* v, double t);
    void gather_step(const double* q0, const double* dq, double t0, double h);
    void evaluate_outputs(const Part& part, double t, const double* x);
    void ask(const std::vector<int>& parts, double t, const double* x, bool wants_all);
    void differentiate(const std::vector<int>& parts, double t, const double* x, double* dx);
    void settle(Group& group, double t);
    void solve(Group& group, double t0, double h);
    static void place(const Group& group, const Equation& of);
    void rates(Group& group, const Equation& of, Eigen::VectorXd& f);
    void iterate(Group& group, const Equation& of);
    void factorise(Group& group, const Equation& of);
    void find_rounding(Group& group, const Equation& of);
    void forget_matrices();
    [[noreturn]] void refuse(const Group& group, double t0, double h) const;
    void find_next();
    void evaluate_all_crossings(
        const double* q, const double* v, double t, const double* x, std::span<double> g);
    bool is_down(std::size_t crossing) const {
        return armed_[crossing] != 0 && !(g_[crossing] > 0.0);
    }
    void act_together(int event, double until, const double* q, const double* v, double t);
    void act_on(const Part& part, int crossing, double t, Eigen::VectorXd& x, Eigen::VectorXd& z);
    void forget_step();

    const Model& model_;
    CallMeter& meter_;
    SignalInputSet inputs_;
    std::vector<Part> parts_;
    std::vector<Group> groups_;
    std::vector<int> part_of_force_;
    std::vector<Answers> answers_;  // of each part that is a force
    std::vector<int> first_y_;
    int num_x_ = 0, num_y_ = 0, num_crossings_ = 0;

    Eigen::VectorXd x_, z_;
    const double* stage_ = nullptr;
    const double* shown_ = nullptr;  ///< continuous states that own_of_force() shows
    double t_ = 0.0;
    double t0_ = 0.0, h_ = 0.0;  ///< of the step last evaluated; h 0: none
    bool has_rule_ = false, is_following_ = false;
    double weight_ = 0.0;             ///< of the rule
    Eigen::VectorXd base_, settled_;  ///< of the rule, and the states that meet it
    Eigen::VectorXd x1_, middle_, answered_, x_before_, z_before_;
    Eigen::VectorXd u_, du_, q1_;
    std::vector<double> y_, y_none_;
    std::array<std::vector<double>, 4> kept_;  // at each Moment
    std::size_t num_kept_ = 0;
    std::vector<char> armed_;  ///< crossings that have been positive since they acted
    std::vector<double> g_;    ///< at the state last looked at
    std::vector<double> g_jump_;
    std::vector<double> next_times_;
    double next_ = 0.0;
};

}  // namespace ancora
