// SPDX-License-Identifier: BSD-3-Clause
// Parts' residuals at neighbouring places and stresses.
#include "part_differences.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "difference_moves.hpp"
#include "step_derivative.hpp"

namespace ancora {

HeldLaws::HeldLaws(KernelSystem& system) : system_(system) {
    hold(true);
}

void HeldLaws::hold(bool on) const {
    system_.step_parts().for_each([on](StepPart& part) {
        part.hold_laws(on);
    });
}

PartDifferences::PartDifferences(KernelSystem& system)
    : system_(system),
      data_(system.step_data()),
      n_(data_.parts.n),
      m_(data_.parts.m),
      count_(system.num_rows() - data_.parts.m) {
    if (count_ == 0) return;
    std::vector<SparseDifferences::Object> of_places, of_stresses;
    system.step_parts().for_each([&](const StepPart& part) {
        for (const StepPart::Reach& reach : part.reaches()) {
            std::vector<int> outputs = reach.acted_on, stresses = reach.rows;
            for (const int k : reach.own) {
                outputs.push_back(n_ + k - m_);
                stresses.push_back(k);
            }
            of_places.push_back({reach.coordinates, outputs});
            of_stresses.push_back({std::move(stresses), std::move(outputs)});
        }
    });
    of_places_.emplace(n_, n_ + count_, of_places);
    of_stresses_.emplace(m_ + count_, n_ + count_, of_stresses);
    r_rows_.setZero(m_ + count_);
}

void PartDifferences::evaluate(const AcceptedStep& step, Eigen::VectorXd& out) {
    out.setZero(n_ + count_);
    data_.state.q = q_;
    data_.trial.dq = dq_;
    data_.trial.mid = q_ + 0.5 * dq_;
    data_.parts.rows.evaluate_step(q_.data(),
                                   dq_.data(),
                                   data_.trial.mid.data(),
                                   step.before.t,
                                   step.h,
                                   data_.state.plugin,
                                   data_.trial.plugin);
    const std::span<double> motion(out.data(), static_cast<std::size_t>(n_));
    const std::span<double> rows(r_rows_.data(), static_cast<std::size_t>(r_rows_.size()));
    system_.step_parts().for_each([&](StepPart& part) {
        part.evaluate({step.before.t, step.h, view(step.a), view(s_)}, motion, rows);
    });
    out.tail(count_) = r_rows_.tail(count_);
}

void PartDifferences::take(const AcceptedStep& step,
                           const Eigen::VectorXd& q,
                           const Eigen::VectorXd& dq) {
    if (!data_.parts.rows.dropped().empty())
        throw AdjointObstacle{"it has dry friction beside redundant conditions"};
    system_.step_parts().for_each([&](const StepPart& part) {
        if (const char* const why = part.corner())
            throw AdjointObstacle{fmt::format("t = {:.6g} s: {}", step.before.t, why)};
    });
    for (Triplets* const list : {&motion_dq, &motion_q, &motion_s, &rows_dq, &rows_q, &rows_s})
        list->clear();
    q_ = q;
    dq_ = dq;
    s_ = step.s;
    const HeldLaws held(system_);
    const auto evaluate = [&](Eigen::VectorXd& out) {
        this->evaluate(step, out);
    };
    const auto take = [this](Triplets& motion, Triplets& rows) {
        return [&, n = n_](int i, int j, double value) {
            if (i < n)
                motion.emplace_back(i, j, value);
            else
                rows.emplace_back(i - n, j, value);
        };
    };
    const auto distance = [&](int i) {
        return move_of_place(q[i], data_.state.extent);
    };
    of_places_->differentiate(evaluate, dq_, distance, take(motion_dq, rows_dq));
    of_places_->differentiate(evaluate, q_, distance, take(motion_q, rows_q));
    // Linear: any distance serves.
    const double unit = std::max(largest_entry(s_), 1.0);
    of_stresses_->differentiate(
        evaluate,
        s_,
        [unit](int) {
            return unit;
        },
        [&](int i, int k, double value) {
            if (i >= n_)
                rows_s.emplace_back(i - n_, k, value);
            else if (k >= m_)
                motion_s.emplace_back(i, k - m_, value);
        });
    data_.state.q = q;
}

}  // namespace ancora
