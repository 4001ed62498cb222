// SPDX-License-Identifier: BSD-3-Clause
// The parts of a system.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "step_part.hpp"

namespace ancora {

/// The parts of a model in order. Most models have none.
///
/// Here `s` are stresses of all rows of the system; null stands for those at the instant last
/// solved.
class StepParts {
public:
    /// Libraries beside the kernel register their makers, before any system is made.
    /// @returns true, for a static variable
    static bool add_maker(StepPartMaker maker);

    /// The start is in `trial` (q_next, v_next).
    explicit StepParts(const PartContext& context);

    bool empty() const { return parts_.empty(); }
    std::span<const std::unique_ptr<StepPart>> all() const { return parts_; }
    /// Of all of them.
    int num_rows() const { return num_rows_; }
    int num_events() const;
    /// Solves with the rows of all of them.
    StepOperator& outermost() const { return *outermost_; }
    bool acts_on(int coordinate) const;
    bool may_share() const;

    bool settle(const StepTrial& trial);
    bool is_admissible() const;
    /// Writes the stresses at the instant last solved to their places in s.
    void write_stress(Eigen::VectorXd& s) const;

    StepPart::Work work(const double* s, const double* dq) const;
    void add_external(const double* s, double* F) const;
    void add_applied(const double* s,
                     double factor,
                     std::span<double> forces,
                     std::span<double> torques) const;
    /// Of one of a part's efforts.
    double effort_work(int part, int effort, const double* s, const double* dq) const;

    double max_smooth_step(double h) const;
    void evaluate_events(const StepTrial& trial, std::span<double> g);
    void evaluate_events(double t, const double* q, const double* v, std::span<double> g);
    void evaluate_course(std::span<double> g);
    /// Of the part whose event it is; the others restart on a new course.
    StepPart::Passage pass(int event);
    StepPart::Passage finish_step();
    StepPart::Passage follow_signals();
    StepPart::Passage go_over();
    bool take_less();

    /// Their states, see StepPart::save().
    void save(std::vector<std::vector<std::byte>>& to) const;
    void restore(const std::vector<std::vector<std::byte>>& from);

    /// The text of an error for a row of a part.
    StepPart::OpenRow describe_row(int row) const;

    /// Calls visit(part) for each.
    template <class Visit>
    void for_each(const Visit& visit) const {
        for (const std::unique_ptr<StepPart>& part : parts_) visit(*part);
    }

private:
    template <class Pass>
    StepPart::Passage pass_in_turn(const Pass& pass);
    void restart_others(const StepPart& than);
    static const double* own(const StepPart& part, const double* s) {
        return s != nullptr ? s + part.first_row() : part.stress().data();
    }

    std::vector<std::unique_ptr<StepPart>> parts_;
    StepOperator* outermost_;
    int num_rows_ = 0;
};

}  // namespace ancora
