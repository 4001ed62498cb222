// SPDX-License-Identifier: BSD-3-Clause
// Analyses the constraint rows of a state.
#include "row_rank.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace ancora {
namespace {

// Of a row's entries: a resultant beyond it is no rounding, of entries from differences either.
constexpr double kUntaken = 1e-9;

}  // namespace

void RowRank::decide() {
    now_ = analyse();
    system_.set_redundant(now_.rank < now_.num_rows);
    arbitrary_ = arbitrary_reactions(now_);
    if (model_.traits.face == Face::discrete) system_.plan_matrix(step_);
    if (warn_) warn();
    rows_ = {};  // much, and not needed again
}

/// The rank is decided anew where the state has been set: what has been said is not said again.
void RowRank::say(const std::string& text) {
    if (std::ranges::find(said_, text) != said_.end()) return;
    said_.push_back(text);
    warn_(text);
}

void RowRank::warn() {
    for (const std::string& contact : system_.instant().locked())
        say(
            fmt::format("{}: what it acts on cannot slide, since constraints hold it; its force "
                        "is not determined and is left out",
                        contact));
    warn_untaken();
    if (now_.rank == now_.num_rows) return;
    warn_redundant();
    warn_idle_friction();
    for (const std::string& contact : system_.instant().ambiguous())
        say(
            fmt::format("{}: its normal force is not unique, since rows of its constraint are "
                        "redundant; friction follows the reactions of least norm",
                        contact));
}

RankAnalysis RowRank::analyse() {
    system_.parts().rows.evaluate(system_.q().data(), system_.v().data(), system_.time(), rows_);
    if (model_.traits.face == Face::continuous || model_.num_coordinates <= kMostBySolver) {
        try {
            return system_.instant().rank();
        } catch (const Error&) {
            if (model_.traits.face == Face::continuous) throw;
        }
    }
    return analyse_rank(system_.parts().rows, rows_.A, system_.parts().mass);
}

std::vector<std::string> RowRank::arbitrary_reactions(const RankAnalysis& of) const {
    std::vector<std::string> out;
    if (of.rank == of.num_rows) return out;
    constexpr int kSamples = 2;  // one might vanish by chance
    const std::vector<bool> answers = system_.reactions().answers_to(
        self_stresses(system_.parts().rows, rows_.A, system_.parts().mass, of.redundant, kSamples));
    for (std::size_t i = 0; i < answers.size(); ++i)
        if (answers[i]) out.push_back(observables_.reactions()[i]);
    return out;
}

bool RowRank::is_untaken(std::size_t first, std::size_t last) const {
    const Assembly& parts = system_.parts();
    // Stresses of no pattern, so that no two resultants cancel.
    Eigen::VectorXd force = Eigen::VectorXd::Zero(parts.n);
    double size = 0.0, gap = 0.0;
    for (std::size_t c = first; c < last; ++c) {
        if (model_.constraints[c].is_tied_to_ground) continue;
        const RowOwner& owner = parts.rows.owners[model_.bodies.size() + c];
        for (int k = owner.first_row; k < owner.first_row + owner.num_rows; ++k) {
            const double stress = 1.5 + std::sin(1.0 + 2.399963 * k);
            parts.rows.for_entries(k, [&](int e, int i) {
                force[i] += stress * rows_.A[e];
                size += stress * std::abs(rows_.A[e]);
            });
            gap = std::max(gap, std::abs(rows_.pi[k]));
        }
    }
    const auto exceeds = [&](const std::array<double, 3>& x, double limit) {
        return std::ranges::any_of(x, [&](double entry) {
            return std::abs(entry) > limit;
        });
    };
    const Momenta left = parts.space.momenta(system_.q().data(), force.data());
    double reach = 1.0;
    for (const double x : system_.q()) reach = std::max(reach, std::abs(x));
    // Points that are to meet and are apart by a gap have the moment of that lever.
    return exceeds(left.linear, kUntaken * size) ||
           exceeds(left.angular, (kUntaken * reach + 2.0 * gap) * size);
}

/// The first constraint whose force is not balanced on the bodies that it acts on, and that does
/// not say what takes the rest: momentum would be seen not to balance, without a cause.
void RowRank::warn_untaken() {
    std::size_t first = 0, last = model_.constraints.size();
    if (first == last || !is_untaken(first, last)) return;
    while (last - first > 1) {
        const std::size_t middle = first + (last - first) / 2;
        (is_untaken(first, middle) ? last : first) = middle;
    }
    if (!is_untaken(first, last)) return;
    say(
        fmt::format("{}: its force on what it ties has a resultant or moment that nothing takes, "
                    "so that momentum cannot balance; what acts against the inertial frame has an "
                    "attachment on the ground, or says tied_to_inertial_frame in facets() of its "
                    "type",
                    describe(model_.constraints[first].object)));
}

bool RowRank::acts_on_nothing(int row) const {
    const std::vector<int>& start = system_.parts().rows.row_start;
    for (int e = start[row]; e < start[static_cast<std::size_t>(row) + 1]; ++e)
        if (rows_.A[e] != 0.0) return false;
    return true;
}

/// Names of rows, not too many of them.
std::string RowRank::names_of(const std::vector<int>& rows) const {
    std::string names;
    const std::size_t shown = std::min<std::size_t>(rows.size(), 6);
    for (std::size_t i = 0; i < shown; ++i)
        names += (i > 0 ? "; " : "") + system_.parts().rows.row_name(rows[i]);
    if (shown < rows.size()) names += fmt::format("; and {} more", rows.size() - shown);
    return names;
}

void RowRank::warn_redundant() {
    std::vector<int> idle, dependent;
    for (const int row : now_.redundant) (acts_on_nothing(row) ? idle : dependent).push_back(row);
    if (!idle.empty())
        say(
            fmt::format("{} of {} constraint rows act on nothing, since no coordinate moves "
                        "along them: {}; they may be left out",
                        idle.size(),
                        now_.num_rows,
                        names_of(idle)));
    if (!dependent.empty())
        say(
            fmt::format("{} of {} constraint rows are redundant: {}; forces there are those of "
                        "least norm",
                        dependent.size(),
                        now_.num_rows,
                        names_of(dependent)));
}

void RowRank::warn_idle_friction() {
    for (const ForcePart& part : model_.forces) {
        if (part.contact == nullptr) continue;
        const RowOwner& owner =
            system_.parts()
                .rows.owners[model_.bodies.size() + static_cast<std::size_t>(part.constraint)];
        bool is_idle = owner.num_rows > 0;
        for (int k = owner.first_row; k < owner.first_row + owner.num_rows; ++k)
            // What touches nowhere may do so later.
            is_idle = is_idle && acts_on_nothing(k) && !system_.parts().rows.is_unilateral(k);
        if (is_idle)
            say(
                fmt::format("{}: its normal force is zero, since its constraint acts on "
                            "nothing: the coordinate across it is missing",
                            part.object.label));
    }
}

}  // namespace ancora
