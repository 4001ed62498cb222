// SPDX-License-Identifier: BSD-3-Clause
// The continuous face as an integrator uses it: derivatives, accepted states, projection.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "accelerations.hpp"
#include "accounts.hpp"
#include "ancora/sdk/system.hpp"
#include "assembly.hpp"
#include "step_parts.hpp"
#include "step_rows.hpp"

namespace ancora {

/// A state x = (q, v, books) that moves by its derivative, is projected onto the constraints where
/// it is accepted, and carries works and impulses as quadratures.
class ContinuousMotion {
public:
    ContinuousMotion(const SystemData& of,
                     StepRows& rows,
                     StepParts& extra,
                     Accounts& accounts,
                     Accelerations& accelerations);

    /// What a state carries behind q and v; then works of efforts on measures, and the continuous
    /// states of objects with signals.
    enum Book : int { kExternal, kNonideal, kImpulse, kAngularImpulse = kImpulse + 3, kBooks = 8 };

    /// Constraints are met to this, relative to the model's size or speed; rounding is a little
    /// less.
    static constexpr double kProjected = 1e-14;
    /// Of the model's size: matter that a velocity moves by less has not moved, as positions are
    /// rounded. What is relative to a speed needs it near rest, where that may be nothing, or its
    /// square below all numbers.
    static constexpr double kUnseen = std::numeric_limits<double>::epsilon();

    int num_states() const {
        return 2 * parts_.n + kBooks + accounts_.books.efforts.count() +
               parts_.signals.num_continuous();
    }
    void read_state(std::span<double> x) const;
    /// See ContinuousSystem::derivative(). [step]
    void derivative(double t, std::span<const double> x, std::span<double> dx);
    /// Rates of what a state carries behind q and v, at the state at which the continuous face was
    /// last evaluated and has its stresses. [step]
    void book_rates(const double* q, const double* v, std::span<double> rates);
    /// See ContinuousSystem::book_scales().
    std::span<const double> book_scales() const { return book_scales_; }
    /// See ContinuousSystem::accept_state(). [step]
    void accept(double t0, double t1, std::span<const double> x);
    /// See ContinuousSystem::constraint_error(). [step]
    bool constraint_error(double t, std::span<const double> x, std::span<double> error);
    /// Coordinate of a state that has run away, or -1.
    int runaway(std::span<const double> x) const;
    /// Why a trial state of the step has no accelerations, if one had none.
    const std::optional<Error>& trial_error() const { return trial_error_; }

    /// Shows the state x at t inside the last accepted step as if it were the present one,
    /// projected and with its balances, until unpeek().
    void peek(double t, std::span<const double> x);
    void unpeek();
    double begin_of_step() const { return before_.t; }
    /// Takes what memory the copies of a state need, which a step does not allocate.
    void make_room() { save(before_); }

    /// Chooses what an error in the books of the next step means as much as one of the same size in
    /// q and v by, with 1 J, 1 N s and 1 N m s for what is small: the energy E of the ledger, the
    /// momentum (2 m E)^1/2, and that at the largest distance of mass from the origin. Powers of
    /// two, which round nothing.
    void scale_books();
    /// The accepted state is another one.
    void forget_rank() { has_chosen_rank_ = false; }
    /// Moves a start that gapes onto the constraints, as the manifest asks for.
    void project_start();
    /// What rows read of objects is that at x. [step]
    void show_own_values(double t, std::span<const double> x);

    /// Writes or reads it, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive) {
        archive.fixed(book_scales_);
        archive.require_finite(book_scales_, "a scale of the books");
        archive(evaluations);
        archive.require(evaluations >= 0, "a count");
        archive(displaced_.t);
        archive(displaced_.work);
        archive(displaced_.scale);
        archive(jumps_in_energy_);
        for (const double x : {jumps_in_energy_.usual,
                               jumps_in_energy_.sudden,
                               jumps_in_energy_.sudden_at,
                               jumps_in_energy_.largest,
                               jumps_in_energy_.largest_at})
            archive.require(std::isfinite(x) && x >= 0.0, "a jump of the energy");
    }

    long evaluations = 0;  ///< of accelerations by the integrator

    /// The first step whose end was projected onto the constraints at a price in energy that a step
    /// which resolves the motion does not ask for.
    struct Displaced {
        double t = 0.0;
        double work = 0.0;   ///< [J]; 0: none
        double scale = 0.0;  ///< energy in play then [J]
    };
    const Displaced& displaced() const { return displaced_; }

    /// Of a state x: the continuous states of objects with signals.
    template <class T>
    std::span<T> own_states(std::span<T> x) const {
        return x.last(parts_.signals.num_continuous());
    }

    /// How the energy balance has jumped within single steps. A step's error belongs to its order
    /// and changes little from step to step; one that follows another motion from somewhere on has
    /// a balance of its own.
    struct EnergyJumps {
        double usual = 0.0;                      ///< of late [J]
        double sudden = 0.0, sudden_at = 0.0;    ///< largest beyond what was usual [J, s]
        double largest = 0.0, largest_at = 0.0;  ///< of all [J, s]
    };
    const EnergyJumps& energy_jumps() const { return jumps_in_energy_; }
    /// Nothing was displaced, no energy has jumped.
    void forget_records() {
        displaced_ = {};
        jumps_in_energy_ = {};
    }

private:
    void note_energy_jump();
    std::size_t first_effort() const { return static_cast<std::size_t>(2 * parts_.n + kBooks); }
    /// What a peek must put back, and what it starts from.
    struct Snapshot {
        double t = 0.0;
        Eigen::VectorXd q, v, pi;
        Ledger ledger;
        Eigen::VectorXd efforts;
        std::vector<double> state;
        SignalSet::States own;
        std::vector<std::vector<std::byte>> parts;
        std::vector<char> broken;
        std::vector<double> book_scales;
    };
    void save(Snapshot& to) const;
    void restore(const Snapshot& from);
    bool can_solve(const double* q, const double* v, double t, RankUse use);
    bool is_accepted_state(std::span<const double> x) const;
    void advance_to(double t0, double t1, std::span<const double> x);
    void take_state(double t1, std::span<const double> x);
    void book_own_values();
    static void add(const Momenta& rate, double* books);
    void book_flow(const double* q, const double* v, double* books);
    void project(double t, double way);

    Assembly& parts_;
    MotionState& state_;
    Trial& trial_;
    StepRows& rows_;
    StepParts& extra_;
    Accounts& accounts_;
    Accelerations& accelerations_;
    Eigen::VectorXd x_force_;
    bool has_chosen_rank_ = false;  // at the present accepted state
    std::optional<Error> trial_error_;
    Snapshot before_, after_;
    bool is_peeking_ = false;
    Displaced displaced_;
    EnergyJumps jumps_in_energy_;
    std::vector<double> book_scales_;
};

}  // namespace ancora
