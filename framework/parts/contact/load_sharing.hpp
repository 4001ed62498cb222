// SPDX-License-Identifier: BSD-3-Clause
// Load sharing of contacts that stick together: minimax utilisation by Lawson's iteration.
#pragma once

#include <vector>

#include "assembly.hpp"
#include "contacts.hpp"
#include "mode_events.hpp"
#include "rest_islands.hpp"
#include "slip_law.hpp"

namespace ancora {

/// Limit of mode changes of one contact at one instant.
inline constexpr int kMostFlips = 4;

/// Distribution of friction among contacts of one island that stick together. It may be
/// indeterminate, as normal forces may be; the minimum-norm distribution can exceed the limit of
/// one of them though together they can carry the load. Then their forces are weighted, to approach
/// the distribution with the least maximum utilisation |C| / limit (minimax), by Lawson's
/// iteration, an iteratively reweighted least-squares method: a weight grows with the utilisation.
///
/// Source: C. L. Lawson, Contributions to the Theory of Linear Least Maximum Approximation, thesis,
/// UCLA (1961).
class LoadSharing {
public:
    LoadSharing(const Assembly& parts,
                Contacts& contacts,
                const RestIslands& islands,
                SlipLaw& slip,
                ModeEvents& events);

    enum class Change { none, share, mode };
    /// Where sticking contacts are beyond their limits, reweights their distribution, or lets the
    /// one with the largest utilisation slip; for stresses s of all rows and contacts.
    Change resolve_overload(const double* s, bool of_step, double t);
    /// A new instant: the iteration begins anew, from the weights found last.
    void restart();
    /// Whether several contacts stick together, so that their forces may be indeterminate.
    bool may_be_open() const;
    /// Whether a contact that has reached its limit may be relieved by others that stick with it,
    /// which the iteration then determines.
    bool asks_others(const Contact& contact);

    /// Writes or reads it, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive);

private:
    /// Of one island.
    struct Sharing {
        int rounds = 0;          // of the iteration, at the present instant
        double limits = 0.0;     // squares of limits, their sum before the last round
        double worst = 0.0;      // largest utilisation before the last round
        bool is_strict = false;  // one has just reached its limit: it is to be relieved, or slips
        // Set by every evaluation of the sticking contacts.
        int num_sticking = 0;
        int most_used = -1;  // of the contacts that may still change mode, -1: none
        double use = 0.0;    // its utilisation
    };
    /// Utilisation |C| / limit of a sticking contact.
    double use(
        const Contact& contact, const double* s, const double* shared, bool of_step, double t);
    /// In each island, the sticking contact with the largest utilisation that may still change
    /// mode.
    void find_most_used(const double* s, const double* shared, bool of_step, double t);
    /// One round of Lawson's iteration in an island.
    /// @returns false if it makes no progress
    bool reweight(int island, const double* s, const double* shared, bool of_step, double t);

    void let_slip(int island, const double* s, const double* shared, bool of_step, double t);
    bool exceeds_together(
        int island, const double* s, const double* shared, bool of_step, double t);

    const Assembly& parts_;
    Contacts& contacts_;
    const RestIslands& islands_;
    SlipLaw& slip_;
    ModeEvents& events_;
    std::vector<Sharing> sharing_;  // per island
    double rounding_ = 0.0;         // of forces
};

}  // namespace ancora
