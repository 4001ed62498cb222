// SPDX-License-Identifier: BSD-3-Clause
// How contacts that stick together share a load.
#pragma once

#include <vector>

#include "assembly.hpp"
#include "contacts.hpp"
#include "mode_events.hpp"
#include "rest_islands.hpp"
#include "slip_law.hpp"

namespace ancora {

/// Changes of mode of one contact at one instant before it is left as it is.
inline constexpr int kMostFlips = 4;

/// How contacts of one island that stick together share their friction. It may be open, as normal
/// forces may; of least norm it can be more than one of them holds though together they hold it.
/// Then their forces are priced, to come nearer to the share whose largest use |C| / limit is
/// least, by Lawson's iteration: a price goes up with the use.
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
    /// Where sticking contacts bear more than they hold, they share it anew, or the one that bears
    /// most of its limit slips; for stresses s of all rows and contacts.
    Change resolve_overload(const double* s, bool of_step, double t);
    /// A new instant: sharing begins anew, from the prices found last.
    void restart();
    /// Whether contacts stick together, so that what each of them bears may be open.
    bool may_be_open() const;
    /// Whether a contact that has come to its limit may be relieved by others that stick with it:
    /// what follows finds that out.
    bool asks_others(const Contact& contact);

    /// Writes or reads it, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive);

private:
    /// Of one island.
    struct Sharing {
        int rounds = 0;          // of the iteration, at the present instant
        double worst = 0.0;      // largest use before the last round
        bool is_strict = false;  // one has just reached its limit: it is to be relieved, or slips
        // Found by every look at the sticking contacts.
        int num_sticking = 0;
        int most_used = -1;  // the contact that could still change, -1: none
        double use = 0.0;    // its use
    };
    /// What a sticking contact bears of what it holds.
    double use(
        const Contact& contact, const double* s, const double* shared, bool of_step, double t);
    /// In each island, the sticking contact that bears most of its limit and may still change.
    void find_most_used(const double* s, bool of_step, double t);
    /// One round of Lawson's iteration in an island.
    /// @returns false if it leads no further
    bool reweight(int island, const double* s, bool of_step, double t);

    const Assembly& parts_;
    Contacts& contacts_;
    const RestIslands& islands_;
    SlipLaw& slip_;
    ModeEvents& events_;
    std::vector<Sharing> sharing_;  // per island
};

}  // namespace ancora
