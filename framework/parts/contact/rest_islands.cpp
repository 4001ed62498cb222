// SPDX-License-Identifier: BSD-3-Clause
// Which bodies hang together, and which of them rest.
#include "rest_islands.hpp"

#include <algorithm>
#include <cmath>

#include "contact_groups.hpp"
#include "state_archive.hpp"

namespace ancora {
namespace {

// Velocities and accelerations of an island at rest, relative to its top speed and to the
// accelerations that its forces alone would cause: bounds of round-off.
constexpr double kRestSpeed = 1e-12;
constexpr double kRestAcceleration = 1e-11;

}  // namespace

RestIslands::RestIslands(const Assembly& parts, const Contacts& contacts)
    : parts_(parts), contacts_(contacts) {
    // Islands are the connected components of the graph whose vertices are coordinates and whose
    // edges are rows (of the model and of contacts), off-diagonal entries of M, and bodies. Forces
    // act within it or from outside, so that one island may rest while others move.
    DisjointSets sets = coordinates_that_hang_together(parts, contacts, true);

    // Only components with a contact are numbered: dry friction alone brings motion to an exact
    // stop.
    std::vector<int> number(static_cast<std::size_t>(parts.n), -1);
    for (const int i : contacts.rows().column) {
        int& island = number[sets.root(i)];
        if (island >= 0) continue;
        island = num();
        islands_.emplace_back();
    }
    for (int i = 0; i < parts.n; ++i) {
        island_of_.push_back(number[sets.root(i)]);
        if (island_of_.back() >= 0) islands_[island_of_.back()].coordinates.push_back(i);
    }
    for (const Contact& contact : contacts.all()) {
        const int first = contacts.rows().column_of(contacts.first_entry(contact.first_row));
        islands_[island_of_[first]].contacts.push_back(static_cast<int>(of_contact_.size()));
        of_contact_.push_back(island_of_[first]);
    }
    top_speed_.assign(islands_.size(), 0.0);
    is_held_.assign(islands_.size(), 0);
}

bool RestIslands::has_sticking_beside(const Contact& contact) const {
    return std::ranges::any_of(contacts(of(contact)), [&](int c) {
        const Contact& other = contacts_.all()[c];
        return &other != &contact && contacts_.sticks(other);
    });
}

void RestIslands::forget_speeds() {
    std::ranges::fill(top_speed_, 0.0);
}

void RestIslands::note_speeds(const Eigen::VectorXd& v) {
    for (int island = 0; island < num(); ++island)
        top_speed_[island] = std::max(top_speed_[island], speed(island, v.data()));
}

void RestIslands::stop_still(Eigen::VectorXd& v) const {
    for (int island = 0; island < num(); ++island) {
        const bool sticks = std::ranges::any_of(contacts(island), [this](int c) {
            return contacts_.sticks(contacts_.all()[c]);
        });
        if (!sticks || !is_still(island, speed(island, v.data()))) continue;
        for (const int i : islands_[island].coordinates) v[i] = 0.0;
    }
}

/// Fastest coordinate of an island now.
double RestIslands::speed(int island, const double* v) const {
    return largest(island, [v](int i) {
        return std::abs(v[i]);
    });
}

/// A speed within rounding of sums of terms as large as the top speed.
bool RestIslands::is_still(int island, double speed) const {
    return speed <= kRestSpeed * top_speed(island);
}

/// max_i |F_i| / M_ii, the scale of accelerations: where forces balance, a is rounding of this. F
/// of a step has gravity and force objects, not B^T s.
double RestIslands::force_acceleration(int island, const Eigen::VectorXd& F) const {
    return largest(island, [&](int i) {
        return std::abs(F[i]) * parts_.inverse_mass[i];
    });
}

/// max_i |f_i| / M_ii of the forces at an instant, those of elastic and viscous rows included.
double RestIslands::free_acceleration(int island, const ContinuousFace& face) const {
    return largest(island, [&face](int i) {
        return face.free_acceleration(i);
    });
}

/// Marks the islands whose closed contacts all stick to surfaces at rest.
void RestIslands::find_sticking() {
    for (int island = 0; island < num(); ++island) {
        bool any = false, all = true;
        for (const int c : contacts(island)) {
            const Contact& contact = contacts_.all()[c];
            if (contacts_.is_open(contact)) continue;
            any = true;
            all = all && contacts_.sticks(contact) && contacts_.surface_is_still(contact);
        }
        is_held_[island] = any && all ? 1 : 0;
    }
}

void RestIslands::hold(MotionState& state, Trial& trial) {
    find_sticking();
    for (int island = 0; island < num(); ++island) {
        char& is_held = is_held_[island];
        if (is_held == 0) continue;
        // dq = h v_0 + h^2/2 a, so that 2 |dq| / h^2 is |a| but for 2 |v_0| / h.
        const double acceleration = largest(island, [&trial](int i) {
            return std::abs(trial.dq[i]) * 2.0 / (trial.h * trial.h);
        });
        const double scale = force_acceleration(island, trial.F);
        // v_0 is rounding of the top speed and a is rounding of |F| / M_ii; a velocity of
        // kRestSpeed times the top speed adds 2 / h of it, for which twice as much is allowed. A
        // held island is copied, dq = 0: integrated, roundings of dq / h would keep it creeping.
        is_held = is_still(island, speed(island, state.v.data())) &&
                  acceleration <=
                      kRestAcceleration * scale + 4.0 * kRestSpeed * top_speed(island) / trial.h;
    }
    mark(state.held);
    for (int i = 0; state.held.any() && i < parts_.n; ++i)
        if (state.held.has(i)) trial.dq[i] = 0.0;
}

void RestIslands::mark(HeldCoordinates& held) const {
    for (int i = 0; i < parts_.n; ++i)
        if (island_of_[i] >= 0 && is_held_[island_of_[i]] != 0) held.add(i);
}

void RestIslands::rest_accelerations(const double* v,
                                     double* a,
                                     const ContinuousFace& face,
                                     HeldCoordinates& held) {
    find_sticking();
    for (int island = 0; island < num(); ++island) {
        char& is_held = is_held_[island];
        if (is_held == 0) continue;
        // With v = 0 exactly and a = 0 the derivative of the state is zero: rest is an equilibrium
        // of any integrator, without a threshold on speed.
        const double acceleration = largest(island, [a](int i) {
            return std::abs(a[i]);
        });
        if (speed(island, v) > 0.0 ||
            acceleration > kRestAcceleration * free_acceleration(island, face)) {
            is_held = 0;
            continue;
        }
        for (const int i : islands_[island].coordinates) a[i] = 0.0;
    }
    mark(held);
}

template <class Archive>
void RestIslands::transfer(Archive& archive) {
    archive.array(top_speed_.data(), static_cast<Eigen::Index>(top_speed_.size()));
    archive.require_finite(top_speed_, "a speed");
    std::vector<char> is_held = is_held_;
    archive(is_held);
    if (is_held.size() != is_held_.size()) ArchiveReader::refuse();
    const auto is_flag = [](char c) {
        return c == 0 || c == 1;
    };
    archive.require(std::ranges::all_of(is_held, is_flag), "a flag");
    is_held_ = is_held;
}
template void RestIslands::transfer(ArchiveWriter&);
template void RestIslands::transfer(ArchiveReader&);

}  // namespace ancora
