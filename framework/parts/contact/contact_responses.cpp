// SPDX-License-Identifier: BSD-3-Clause
// The small systems of contact groups, and their solutions.
#include "contact_responses.hpp"

#include <algorithm>

namespace ancora {
namespace {

// Regularisation small enough for weights to determine the distribution: the matrix of a step is
// regularised itself, so that dependent rows seem a little independent; an instant's responses are
// exact.
constexpr double kShareInStep = 1e-4;
constexpr double kShareAtInstant = 1e-6;

}  // namespace

ContactResponses::ContactResponses(const Assembly& parts, const Contacts& contacts)
    : parts_(parts), contacts_(contacts), groups_(parts, contacts) {
    unit_.setZero(parts.n);
    make_groups();
}

void ContactResponses::make_groups() {
    const bool is_discrete = parts_.model.traits.face == Face::discrete;
    small_.resize(groups_.all().size());
    for (const ContactGroup& group : groups_.all()) {
        small(group).resize(static_cast<int>(group.rows.size()));
        small(group).set_regularisation(is_discrete ? kShareInStep : kShareAtInstant);
    }
    x_.setZero(parts_.n, groups_.num_places());
    s_.setZero(contacts_.first(), groups_.num_places());
    slide_.setZero(groups_.num_places(), contacts_.num_rows());
    solution_.setZero(contacts_.num_rows());
}

/// Groups change where constraints open and close.
void ContactResponses::follow_open() {
    for (std::size_t c = 0; c < contacts_.all().size(); ++c)
        if (contacts_.is_open(contacts_.all()[c]) != groups_.was_open(c)) {
            groups_ = ContactGroups(parts_, contacts_);
            make_groups();
            return;
        }
}

void ContactResponses::ask(ContinuousFace& face) {
    are_of_step = false;
    const auto m = static_cast<std::size_t>(face.multipliers().size());
    ask([&](std::span<const double> force, auto x, auto s) {
        face.respond(force, {x.data(), static_cast<std::size_t>(x.size())}, {s.data(), m});
    });
}

void ContactResponses::find_slides() {
    for (const ContactGroup& group : groups_.all())
        for (const int row : group.rows)
            for (int j = 0; j < static_cast<int>(group.rows.size()); ++j)
                slide_(j, row) = contacts_.along(row, x_.col(j).data());
}

int ContactResponses::factorise() {
    int least = 1;
    for (SmallSolver& system : small_) least = std::min(least, system.factorise());
    return least;
}

void ContactResponses::solve() {
    for (const ContactGroup& group : groups_.all()) {
        SmallSolver& system = small(group);
        system.solve();
        for (std::size_t j = 0; j < group.rows.size(); ++j)
            solution_[group.rows[j]] = system.x(static_cast<int>(j));
    }
}

void ContactResponses::subtract(const double* value, std::span<double> x) const {
    subtract_columns(x_, value, x, [this](std::size_t i) {
        return groups_.of_coordinates()[i];
    });
}

}  // namespace ancora
