// SPDX-License-Identifier: BSD-3-Clause
// A step in pieces that end at events: the one loop of all integrators.
#pragma once

#include <algorithm>
#include <type_traits>

#include "ancora/sdk/helpers/event_locator.hpp"
#include "ancora/sdk/system.hpp"

namespace ancora {

/// The pieces of a step from t0 to t0 + h, each up to the first event inside it:
///
///   for (StepPieces pieces(system, events, t0, h); pieces.more();) {
///       ...                                         // read the accepted state at pieces.t()
///       pieces.advance(length, trial, accept);      // length <= pieces.rest()
///   }
///
/// The functions of the author:
///
///   trial(length)       makes a trial of that length from the accepted state and writes the event
///                       functions to `events`; returns nothing, or false if it has no solution
///   accept(t1, length)  makes the last trial, of that length, the state at t1
///   stay()              where no trial is taken: undoes what trials have changed; optional
///
/// An event that is due at once moves no time: the next piece begins where this one did. A step of
/// more than kMost pieces is refused, since contacts then change their modes without end.
class StepPieces {
public:
    /// Pieces of one step, those that are made anew with another length included.
    static constexpr int kMost = 10'000;

    StepPieces(System& system, EventLocator& events, double t0, double h)
        : system_(system), events_(events), end_(t0 + h), h_(h), t_(t0), rest_(h) {}

    /// Whether time of the step is left; counts the piece that is begun with it.
    bool more() {
        if (!(rest_ > 0.0)) return false;
        if (num_pieces_++ == kMost)
            system_.refuse(t_,
                           "contacts stick and slip, or close and open, without end within one "
                           "step; check coefficients of friction (too large ones may leave no "
                           "solution, Painleve's paradox) and restitutions of bodies that lie "
                           "packed, or take a shorter step");
        return true;
    }
    double t() const { return t_; }
    double rest() const { return rest_; }

    /// [step] Makes a piece: a trial of `length`, or up to the first event in it; accepts that and
    /// passes the event.
    /// @returns false if the trial has no solution. Nothing is then accepted, and a piece of
    ///          another length may be made from the same state.
    template <class Trial, class Accept, class Stay = decltype([] {})>
    bool advance(double length, const Trial& trial, const Accept& accept, const Stay& stay = {}) {
        const double wanted = length;
        bool is_solved = true;
        double last_length = 0.0;
        const auto checked = [&](double part) {
            if (!is_solved) return;
            last_length = part;
            if constexpr (std::is_same_v<decltype(trial(part)), bool>) {
                is_solved = trial(part);
                // Without a solution no event is looked for any further
                if (!is_solved) std::ranges::fill(events_.values(), 0.0);
            } else {
                trial(part);
            }
        };
        checked(length);
        const int event = is_solved ? events_.shorten(length, checked) : -1;
        if (!is_solved) {
            // The search for an event that is due at once ends in trials that fail
            if (event < 0 || last_length >= kTooShort * h_) {
                stay();
                return false;
            }
            length = 0.0;
        }

        const bool is_last = event < 0 && wanted == rest_;
        const double t1 = is_last ? end_ : t_ + length;
        if (length > 0.0 && t1 > t_)
            accept(t1, length);
        else
            stay();
        if (event >= 0) system_.pass_event(event);
        rest_ = is_last ? 0.0 : end_ - t1;
        if (rest_ < kNothing * h_) rest_ = 0.0;  // an event at the end, but for rounding
        t_ = t1;
        return true;
    }

private:
    // Relative to the step: too short for the residuals of a trial to tell rounding apart.
    static constexpr double kTooShort = 1e-5;
    static constexpr double kNothing = 1e-11;

    System& system_;
    EventLocator& events_;
    double end_;
    double h_;
    double t_;
    double rest_;
    int num_pieces_ = 0;
};

}  // namespace ancora
