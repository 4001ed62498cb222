// SPDX-License-Identifier: BSD-3-Clause
// The ledger: energies from the state, works and impulses from forces, and their balances.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "compensated_sum.hpp"
#include "space.hpp"

namespace ancora {

/// Energies and momenta of a state.
struct Balances {
    double kinetic = 0.0;
    double elastic = 0.0;
    double gravity = 0.0;
    Momenta momenta;
    double work_external = 0.0;
    double work_nonideal = 0.0;
    double work_projection = 0.0;
    double work_impacts = 0.0;
    double energy = 0.0;  ///< total - initial - works
    std::array<double, 3> momentum{};
    std::array<double, 3> angular_momentum{};
};

/// Sums the works and impulses that steps recorded and compares them with the state (theory (43),
/// (44)). No entry is computed as the remainder of the others.
class Ledger {
public:
    /// Begins at a state with these energies and momenta.
    void begin(double kinetic, double elastic, double gravity, const Momenta& momenta) {
        *this = Ledger{};
        initial_.kinetic = kinetic;
        initial_.elastic = elastic;
        initial_.gravity = gravity;
        initial_.momenta = momenta;
        now_ = initial_;
        gravity_ = CompensatedSum{};
        record_scales();
    }

    void record_external(double work) { external_ += work; }
    void record_nonideal(double work) { nonideal_ += work; }
    void record_projection(double work) { projection_ += work; }
    void record_impact(double work) { impacts_ += work; }
    void record_gravity(double change) { gravity_ += change; }
    void record_impulse(const Momenta& rate, double h) {
        for (std::size_t c = 0; c < 3; ++c) {
            impulse_[c] += h * rate.linear[c];
            angular_impulse_[c] += h * rate.angular[c];
        }
    }

    /// Takes the energies and momenta of the new state and computes the balances.
    void close(double kinetic, double elastic, const Momenta& momenta) {
        now_.kinetic = kinetic;
        now_.elastic = elastic;
        now_.gravity = initial_.gravity + gravity_.value();
        now_.momenta = momenta;
        now_.work_external = external_.value();
        now_.work_nonideal = nonideal_.value();
        now_.work_projection = projection_.value();
        now_.work_impacts = impacts_.value();
        // The increment of the gravity energy is used, not its value: that may be large.
        now_.energy = (kinetic - initial_.kinetic) + (elastic - initial_.elastic) +
                      gravity_.value() - external_.value() - nonideal_.value() -
                      projection_.value() - impacts_.value();
        for (std::size_t c = 0; c < 3; ++c) {
            now_.momentum[c] = momenta.linear[c] - initial_.momenta.linear[c] - impulse_[c].value();
            now_.angular_momentum[c] =
                momenta.angular[c] - initial_.momenta.angular[c] - angular_impulse_[c].value();
        }
        worst_energy_ = std::max(worst_energy_, std::abs(now_.energy));
        worst_momentum_ = std::max(worst_momentum_, norm(now_.momentum));
        worst_angular_ = std::max(worst_angular_, norm(now_.angular_momentum));
        record_scales();
    }

    const Balances& now() const { return now_; }
    const Balances& initial() const { return initial_; }
    double worst_energy() const { return worst_energy_; }
    double worst_momentum() const { return worst_momentum_; }
    double worst_angular_momentum() const { return worst_angular_; }

    /// Largest of |kinetic|, |elastic|, |works| and the range of the gravity potential [J].
    double energy_scale() const { return scale_; }

private:
    static double norm(const std::array<double, 3>& x) {
        return std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    }
    void record_scales() {
        const double change = gravity_.value();
        lowest_ = std::min(lowest_, change);
        highest_ = std::max(highest_, change);
        scale_ = std::max({scale_,
                           std::abs(now_.kinetic),
                           std::abs(now_.elastic),
                           std::abs(now_.work_external),
                           std::abs(now_.work_nonideal),
                           std::abs(now_.work_projection),
                           std::abs(now_.work_impacts),
                           highest_ - lowest_});
    }

    Balances initial_;
    Balances now_;
    CompensatedSum external_, nonideal_, projection_, impacts_, gravity_;
    std::array<CompensatedSum, 3> impulse_, angular_impulse_;
    double lowest_ = 0.0;
    double highest_ = 0.0;
    double scale_ = 0.0;
    double worst_energy_ = 0.0;
    double worst_momentum_ = 0.0;
    double worst_angular_ = 0.0;
};

}  // namespace ancora
