// SPDX-License-Identifier: BSD-3-Clause
// Asking parts in turn.
#include "step_parts.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ancora {
namespace {

std::vector<StepPartMaker>& makers() {
    static std::vector<StepPartMaker> all;
    return all;
}

}  // namespace

bool StepParts::add_maker(StepPartMaker maker) {
    makers().push_back(maker);
    return true;
}

StepParts::StepParts(const PartContext& context) : outermost_(&context.inner) {
    // Operators are nested: the solve of each part calls that of the one before, the first one
    // K^-1. Rows of parts follow those of the model, one part after the other.
    for (const StepPartMaker maker : makers()) {
        std::unique_ptr<StepPart> part = maker({context.parts,
                                                context.state,
                                                context.trial,
                                                context.independent,
                                                *outermost_,
                                                context.first_row + num_rows_,
                                                context.accelerations,
                                                context.energy,
                                                context.events,
                                                context.impacts});
        if (!part) continue;
        num_rows_ += part->num_rows();
        outermost_ = part.get();
        parts_.push_back(std::move(part));
    }
    // Those that open and close rows of the model come first in all that follows.
    std::ranges::stable_partition(parts_, [](const auto& part) {
        return part->num_rows() == 0;
    });
    if (!parts_.empty()) return;
    for (const ForcePart& force : context.parts.model.forces)
        if (force.contact != nullptr)
            throw Error(ErrorKind::manifest,
                        fmt::format("{}: this program has no part for contact laws",
                                    describe(force.object)),
                        force.object.place);
}

int StepParts::num_events() const {
    // Events g of parts follow each other; g > 0 until one happens.
    int count = 0;
    for (const auto& part : parts_) count += part->num_events();
    return count;
}

bool StepParts::acts_on(int coordinate) const {
    return std::ranges::any_of(parts_, [coordinate](const auto& part) {
        return part->acts_on(coordinate);
    });
}

bool StepParts::may_share() const {
    return std::ranges::any_of(parts_, [](const auto& part) {
        return part->may_share();
    });
}

bool StepParts::settle(const StepTrial& trial) {
    return std::ranges::any_of(parts_, [&trial](const auto& part) {
        return part->settle(trial);
    });
}

bool StepParts::is_admissible() const {
    return std::ranges::all_of(parts_, [](const auto& part) {
        return part->is_admissible();
    });
}

void StepParts::write_stress(Eigen::VectorXd& s) const {
    // s of a part's rows behind the m of the model's.
    for (const auto& part : parts_) s.segment(part->first_row(), part->num_rows()) = part->stress();
}

StepPart::Work StepParts::work(const double* s, const double* dq) const {
    // s: m entries and more, see write_stress(); null for the instant last solved.
    StepPart::Work sum;
    for (const auto& part : parts_) {
        const StepPart::Work work = part->work(own(*part, s), dq);
        sum.nonideal += work.nonideal;
        sum.external += work.external;
    }
    return sum;
}

void StepParts::add_external(const double* s, double* F) const {
    for (const auto& part : parts_) part->add_external(own(*part, s), F);
}

void StepParts::add_applied(const double* s,
                            double factor,
                            std::span<double> forces,
                            std::span<double> torques) const {
    for (const auto& part : parts_) part->add_applied(own(*part, s), factor, forces, torques);
}

double StepParts::effort_work(int part, int effort, const double* s, const double* dq) const {
    const StepPart& of = *parts_[part];
    return of.effort_work(effort, own(of, s), dq);
}

double StepParts::max_smooth_step(double h) const {
    // min over parts of the length over which laws are smooth.
    double length = h;
    for (const auto& part : parts_) length = std::min(length, part->max_smooth_step(h));
    return length;
}

void StepParts::evaluate_events(const StepTrial& trial, std::span<double> g) {
    for (const auto& part : parts_) {
        part->evaluate_events(trial, g.first(part->num_events()));
        g = g.subspan(part->num_events());
    }
}

void StepParts::evaluate_events(double t, const double* q, const double* v, std::span<double> g) {
    for (const auto& part : parts_) {
        part->evaluate_events(t, q, v, g.first(part->num_events()));
        g = g.subspan(part->num_events());
    }
}

void StepParts::evaluate_course(std::span<double> g) {
    for (const auto& part : parts_) {
        part->evaluate_course(g.first(part->num_events()));
        g = g.subspan(part->num_events());
    }
}

StepPart::Passage StepParts::pass(int event) {
    for (const auto& part : parts_) {
        if (event >= part->num_events()) {
            event -= part->num_events();
            continue;
        }
        StepPart::Passage passage = part->pass(event);
        if (std::ranges::any_of(parts_,
                                [](const auto& of) {
                                    return of->is_overrun();
                                }) &&
            go_over().is_new_course)
            passage.is_new_course = true;
        else if (passage.is_new_course)
            restart_others(*part);
        return passage;
    }
    return {};
}

StepPart::Passage StepParts::go_over() {
    return pass_in_turn([](StepPart& part) {
        return part.go_over();
    });
}

bool StepParts::take_less() {
    return std::ranges::any_of(parts_, [](const auto& part) {
        return part->take_less();
    });
}

void StepParts::restart_others(const StepPart& than) {
    for (const auto& other : parts_)
        if (other.get() != &than) other->restart();
}

/// The first passage that begins a new course; other parts then restart.
template <class Pass>
StepPart::Passage StepParts::pass_in_turn(const Pass& pass) {
    for (const auto& part : parts_) {
        const StepPart::Passage passage = pass(*part);
        if (!passage.is_new_course) continue;
        restart_others(*part);
        return passage;
    }
    return {};
}

StepPart::Passage StepParts::finish_step() {
    return pass_in_turn([](StepPart& part) {
        return part.finish_step();
    });
}

StepPart::Passage StepParts::follow_signals() {
    return pass_in_turn([](StepPart& part) {
        return part.follow_signals();
    });
}

void StepParts::save(std::vector<std::vector<std::byte>>& to) const {
    to.resize(parts_.size());
    for (std::size_t p = 0; p < parts_.size(); ++p) parts_[p]->save(to[p]);
}

void StepParts::restore(const std::vector<std::vector<std::byte>>& from) {
    for (std::size_t p = 0; p < parts_.size(); ++p) parts_[p]->restore(from[p]);
}

StepPart::OpenRow StepParts::describe_row(int row) const {
    for (const auto& part : parts_)
        if (row >= part->first_row() && row < part->first_row() + part->num_rows())
            return part->describe_row(row - part->first_row());
    return {};
}

}  // namespace ancora
