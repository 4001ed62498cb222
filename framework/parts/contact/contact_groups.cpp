// SPDX-License-Identifier: BSD-3-Clause
// Groups of contacts: connected components of a step's matrix.
#include "contact_groups.hpp"

#include <algorithm>

#include "force_tangents.hpp"

namespace ancora {

DisjointSets coordinates_that_hang_together(const Assembly& parts,
                                            const Contacts& contacts,
                                            bool with_open) {
    DisjointSets sets(static_cast<std::size_t>(parts.n));
    const auto join_row = [&sets](const CompressedRows& rows, int k) {
        for (int e = rows.row_begin(k) + 1; e < rows.row_end(k); ++e)
            sets.join(rows.column_of(e - 1), rows.column_of(e));
    };
    for (int k = 0; k < parts.m; ++k)
        if (with_open || parts.rows.laws[k].kind != RowKind::unilateral) join_row(parts.rows, k);
    for (const Contact& contact : contacts.all())
        for (int k = contact.first_tangent; k < contact.first_tangent + contact.num_tangents; ++k)
            if (with_open || !contacts.is_open(contact)) join_row(contacts.rows(), k);
    for (const MassEntry& entry : parts.mass.entries()) sets.join(entry.i, entry.j);
    for (const BodyPart& part : parts.model.bodies)
        for (int i = part.first + 1; i < part.first + part.count; ++i) sets.join(i, part.first);
    return sets;
}

ContactGroups::ContactGroups(const Assembly& parts, const Contacts& contacts)
    : of_contact_(contacts.all().size(), -1), place_(contacts.num_rows()) {
    // Coordinates that K couples: those, and coordinates with a common force tangent.
    DisjointSets sets = coordinates_that_hang_together(parts, contacts, false);
    ForceTangents(parts.forces).for_each_symmetric([&sets](int i, int j, double) {
        sets.join(i, j);
    });

    std::vector<int> group_of(static_cast<std::size_t>(parts.n), -1);  // of each root
    for (std::size_t c = 0; c < contacts.all().size(); ++c) {
        const Contact& contact = contacts.all()[c];
        if (contacts.is_open(contact)) continue;
        const int first = contacts.rows().column_of(contacts.first_entry(contact.first_row));
        int& group = group_of[sets.root(first)];
        if (group < 0) {
            group = static_cast<int>(groups_.size());
            groups_.emplace_back();
        }
        of_contact_[c] = group;
        ContactGroup& in = groups_[group];
        in.contacts.push_back(static_cast<int>(c));
        for (int k = contact.first_row; k < contact.first_row + contact.num_rows; ++k) {
            place_[k] = static_cast<int>(in.rows.size());
            in.rows.push_back(k);
        }
        num_places_ = std::max(num_places_, static_cast<int>(in.rows.size()));
    }
    for (int i = 0; i < parts.n; ++i) of_coordinate_.push_back(group_of[sets.root(i)]);
    for (int k = 0; k < parts.m; ++k)
        of_row_.push_back(parts.rows.row_begin(k) == parts.rows.row_end(k)
                              ? -1
                              : of_coordinate_[parts.rows.column_of(parts.rows.row_begin(k))]);
}

}  // namespace ancora
