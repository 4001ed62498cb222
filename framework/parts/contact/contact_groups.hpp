// SPDX-License-Identifier: BSD-3-Clause
// Groups of contacts that are coupled through bodies.
#pragma once

#include <vector>

#include "ancora/sdk/numbers/disjoint_sets.hpp"
#include "assembly.hpp"
#include "contacts.hpp"

namespace ancora {

/// Coordinates that a row of the model or of contacts, a mass or a body has in common.
/// @param with_open whether through constraints that are open, too
DisjointSets coordinates_that_hang_together(const Assembly& parts,
                                            const Contacts& contacts,
                                            bool with_open);

/// Contacts among bodies that a step's matrix couples, of those that are not open.
struct ContactGroup {
    std::vector<int> contacts;  ///< in their order
    std::vector<int> rows;      ///< of those, in their order
};

/// A force in one group moves nothing in another. So one solve has a right-hand side with one row
/// of each group: as many solves as the largest group has rows, and a small system for each group.
/// The cost is proportional to the number of groups.
class ContactGroups {
public:
    ContactGroups(const Assembly& parts, const Contacts& contacts);
    /// Whether a contact was open when they were made.
    bool was_open(std::size_t contact) const { return of_contact_[contact] < 0; }

    const std::vector<ContactGroup>& all() const { return groups_; }
    /// Of one that was not.
    const ContactGroup& of_contact(std::size_t c) const { return groups_[of_contact_[c]]; }
    /// Where a row of contacts stands in its group.
    int place_of(int row) const { return place_[row]; }
    /// Rows of the largest group.
    int num_places() const { return num_places_; }
    /// Groups of a coordinate and of a row of the model; -1: none.
    const std::vector<int>& of_coordinates() const { return of_coordinate_; }
    const std::vector<int>& of_rows() const { return of_row_; }

private:
    std::vector<ContactGroup> groups_;
    std::vector<int> of_contact_, place_, of_coordinate_, of_row_;
    int num_places_ = 0;
};

}  // namespace ancora
