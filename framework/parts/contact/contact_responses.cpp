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
    : contacts_(contacts), groups_(parts, contacts), small_(groups_.all().size()) {
    const bool is_discrete = parts.model.traits.face == Face::discrete;
    for (const ContactGroup& group : groups_.all()) {
        small(group).resize(static_cast<int>(group.rows.size()));
        small(group).set_regularisation(is_discrete ? kShareInStep : kShareAtInstant);
    }
    x_.setZero(parts.n, groups_.num_places());
    s_.setZero(contacts.first(), groups_.num_places());
    solution_.setZero(contacts.num_rows());
    unit_.setZero(parts.n);
}

int ContactResponses::solve() {
    int least = 1;
    for (const ContactGroup& group : groups_.all()) {
        SmallSolver& system = small(group);
        least = std::min(least, system.solve());
        for (std::size_t j = 0; j < group.rows.size(); ++j)
            solution_[group.rows[j]] = system.x(static_cast<int>(j));
    }
    return least;
}

void ContactResponses::subtract(const double* value, std::span<double> x) const {
    subtract_columns(x_, value, x, [this](std::size_t i) {
        return groups_.of_coordinates()[i];
    });
}

}  // namespace ancora
