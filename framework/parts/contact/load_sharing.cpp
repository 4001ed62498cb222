// SPDX-License-Identifier: BSD-3-Clause
// Lawson's iteration among contacts that stick.
#include "load_sharing.hpp"

#include <algorithm>
#include <utility>

#include "state_archive.hpp"

namespace ancora {
namespace {

// The utilisation that counts as relieved, the progress of a round below which the iteration ends,
// and bounds of utilisations and weights. A largest utilisation u = |C| / limit counts as relieved
// at kRelieved; a round must lower it by the factor 1 - kProgress. Utilisations stay within
// [kLeastUse, kMostUse] and weights within [kLeastWeight, 1], so that one round changes no weight
// by more than 10^3 and none underflows: a contact without force may get some in a later round.
constexpr double kRelieved = 1.0 - 1e-6;
constexpr double kProgress = 1e-7;
constexpr int kMostRounds = 400;
// Limits and their sums that are the same but for rounding, and utilisations that are.
constexpr double kBeyond = 1e-9;
constexpr double kAlike = 1e-6;
constexpr double kLeastUse = 1e-3;
constexpr double kMostUse = 1e3;
constexpr double kLeastWeight = 1e-4;

}  // namespace

LoadSharing::LoadSharing(const Assembly& parts,
                         Contacts& contacts,
                         const RestIslands& islands,
                         SlipLaw& slip,
                         ModeEvents& events)
    : parts_(parts),
      contacts_(contacts),
      islands_(islands),
      slip_(slip),
      events_(events),
      sharing_(static_cast<std::size_t>(islands.num())) {}

LoadSharing::Change LoadSharing::resolve_overload(const double* s, bool of_step, double t) {
    const double* const shared = slip_.shared(s, of_step);
    find_most_used(s, shared, of_step, t);
    Change change = Change::none;
    for (std::size_t island = 0; island < sharing_.size(); ++island) {
        Sharing& sharing = sharing_[island];
        // |C| <= limit everywhere: the modes are admissible. After an event of one contact the
        // bound is strict, since that contact sits on its limit but for rounding.
        if (sharing.most_used < 0 || sharing.use <= (sharing.is_strict ? kRelieved : 1.0)) continue;
        // A different share of the same load comes first; only when no weights lower the largest
        // utilisation does the load exceed what the contacts can carry together, and the one with
        // the largest slips.
        if (reweight(static_cast<int>(island), s, shared, of_step, t)) {
            change = std::max(change, Change::share);
            continue;
        }
        let_slip(static_cast<int>(island), s, shared, of_step, t);
        change = Change::mode;
    }
    return change;
}

/// The contact with the largest utilisation, and those that are like it: feet that carry the same
/// and are loaded the same, of which none is before the others. What sticks shares the rest from
/// equal weights on: those that were found belong to a load that they could not carry.
void LoadSharing::let_slip(
    int island, const double* s, const double* shared, bool of_step, double t) {
    const int most_used = sharing_[static_cast<std::size_t>(island)].most_used;
    const auto limit_of = [&](const Contact& contact) {
        Eigen::Vector3d f;
        const double N = slip_.normal_force(contact, shared, of_step, &f);
        return contacts_.stick_limit(contact, N, t);
    };
    const auto is_same = [](double x, double y) {
        return std::abs(x - y) <= kAlike * std::max(std::abs(x), std::abs(y)) || x == y;
    };
    const Contact most = contacts_.all()[static_cast<std::size_t>(most_used)];
    const double limit = limit_of(most), most_use = use(most, s, shared, of_step, t);
    std::vector<int> beyond;
    for (const int c : islands_.contacts(island)) {
        Contact& contact = contacts_.all()[static_cast<std::size_t>(c)];
        if (!contacts_.sticks(contact)) continue;
        const bool may_change = contact.is_fresh && contact.num_flips < kMostFlips;
        if (c == most_used || (may_change && is_same(contact.weight, most.weight) &&
                               is_same(limit_of(contact), limit) &&
                               is_same(use(contact, s, shared, of_step, t), most_use)))
            beyond.push_back(c);
        contact.weight = 1.0;
    }
    for (const int c : beyond) {
        Contact& contact = contacts_.all()[static_cast<std::size_t>(c)];
        contact.begin(ContactMode::slip);
        // It begins to slide where s points: s = f d in slip, so that the force is continuous at
        // the change.
        contact.turn_to(contact.driving(s + contacts_.first() + contact.first_row).data());
        ++contact.num_flips;
        record(events_, contact, t);
    }
    sharing_[static_cast<std::size_t>(island)] = {};
}

/// u = |P s| / f_stick(N), P the projector on the directions in which the contact can slide.
/// Without load and without limit u is its lower bound, never 0 / 0.
double LoadSharing::use(
    const Contact& contact, const double* s, const double* shared, bool of_step, double t) {
    Eigen::Vector3d f;
    const double limit =
        contacts_.stick_limit(contact, slip_.normal_force(contact, shared, of_step, &f), t);
    const double force =
        norm(contact.driving(s + contacts_.first() + contact.first_row).data(), contact.num_rows);
    return force <= std::max(limit * kLeastUse, rounding_) ? kLeastUse : force / limit;
}

/// max_i u_i of each island, over contacts whose mode began at this instant and has not changed too
/// often: the others are confirmed, or would cycle.
void LoadSharing::find_most_used(const double* s, const double* shared, bool of_step, double t) {
    for (Sharing& sharing : sharing_) {
        sharing.num_sticking = 0;
        sharing.most_used = -1;
        sharing.use = 0.0;
    }
    rounding_ = slip_.force_rounding(s, shared, of_step);
    for (std::size_t c = 0; c < contacts_.all().size(); ++c) {
        const Contact& contact = contacts_.all()[c];
        if (!contacts_.sticks(contact)) continue;
        Sharing& sharing = sharing_[islands_.of(contact)];
        ++sharing.num_sticking;
        if (!contact.is_fresh || contact.num_flips >= kMostFlips) continue;
        const double here = use(contact, s, shared, of_step, t);
        if (here <= sharing.use) continue;
        sharing.use = here;
        sharing.most_used = static_cast<int>(c);
    }
}

/// Whether no distribution keeps all within their limits: the present one has the least sum of
/// w |C|^2, and where all were within them that would be at most the sum of w limit^2 (weak
/// duality, with the present normal forces).
bool LoadSharing::exceeds_together(
    int island, const double* s, const double* shared, bool of_step, double t) {
    double forces = 0.0, limits = 0.0, sum = 0.0;
    for (const int c : islands_.contacts(island)) {
        const Contact& contact = contacts_.all()[c];
        if (!contacts_.sticks(contact)) continue;
        if (contact.is_partly_locked) return false;
        Eigen::Vector3d f;
        const double N = slip_.normal_force(contact, shared, of_step, &f);
        const double limit = std::max(contacts_.stick_limit(contact, N, t), 0.0);
        const double force = norm(s + contacts_.first() + contact.first_row, contact.num_rows);
        forces += contact.weight * force * force;
        limits += contact.weight * limit * limit;
        sum += limit * limit;
    }
    // Limits that change with the distribution, as those of a rope on a drum do, bound nothing.
    Sharing& sharing = sharing_[island];
    const double before = std::exchange(sharing.limits, sum);
    const bool are_fixed = sharing.rounds > 0 && std::abs(sum - before) <= kBeyond * sum;
    return are_fixed && forces > (1.0 + kBeyond) * limits;
}

bool LoadSharing::reweight(
    int island, const double* s, const double* shared, bool of_step, double t) {
    Sharing& sharing = sharing_[island];
    // One contact has no choice. The iteration ends where the minimax is reached: the largest
    // utilisation falls no more (linear convergence, so that a bound on progress is needed).
    if (sharing.num_sticking < 2 || sharing.rounds == kMostRounds) return false;
    // Without any limit at all the largest is infinite.
    if (sharing.rounds > 0 && !(sharing.use < (1.0 - kProgress) * sharing.worst)) return false;
    if (exceeds_together(island, s, shared, of_step, t)) return false;
    ++sharing.rounds;
    sharing.worst = sharing.use;
    // Lawson: w_i <- w_i u_i. Least sum of w_i |C_i|^2 with these weights tends to the least
    // max_i u_i, as weights concentrate on the contacts with the largest utilisation.
    double largest = 0.0;
    for (const int c : islands_.contacts(island)) {
        Contact& contact = contacts_.all()[c];
        if (!contacts_.sticks(contact)) continue;
        contact.weight *= std::min(use(contact, s, shared, of_step, t), kMostUse);
        largest = std::max(largest, contact.weight);
    }
    // A common factor of all weights changes no solution: the largest becomes 1.
    for (const int c : islands_.contacts(island)) {
        Contact& contact = contacts_.all()[c];
        if (contacts_.sticks(contact))
            contact.weight = std::max(contact.weight / largest, kLeastWeight);
    }
    return true;
}

/// Two sticking contacts may have dependent rows, T X is singular then and s not unique.
bool LoadSharing::may_be_open() const {
    return std::ranges::count_if(contacts_.all(), [this](const Contact& contact) {
               return contacts_.sticks(contact);
           }) > 1;
}

bool LoadSharing::asks_others(const Contact& contact) {
    Sharing& sharing = sharing_[islands_.of(contact)];
    if (sharing.is_strict) return false;
    sharing.is_strict = islands_.has_sticking_beside(contact);
    return sharing.is_strict;
}

void LoadSharing::restart() {
    for (Sharing& sharing : sharing_) sharing = {};
}

template <class Archive>
void LoadSharing::transfer(Archive& archive) {
    for (Sharing& sharing : sharing_) {
        archive(sharing.rounds);
        archive(sharing.worst);
        archive(sharing.is_strict);
        archive.require(sharing.rounds >= 0, "a number of rounds");
    }
}
template void LoadSharing::transfer(ArchiveWriter&);
template void LoadSharing::transfer(ArchiveReader&);

}  // namespace ancora
