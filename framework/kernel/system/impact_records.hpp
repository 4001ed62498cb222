// SPDX-License-Identifier: BSD-3-Clause
// What unilateral rows have done: impacts, closings and releases, with impulses and losses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <Eigen/Core>

namespace ancora {

/// Written by the part that solves impacts, read by results.
class ImpactRecords {
public:
    enum class What : std::int32_t {
        impact,    ///< met, and parted again or not
        closed,    ///< goes on in touch
        released,  ///< its reaction has come to zero; of a latch: its command was to open
        broken     ///< of a latch: its reaction has come to its limit
    };
    struct Event {
        double t;
        int row;
        What what;
        double impulse;  ///< [N s]
        double loss;     ///< of energy [J]
    };
    struct Counts {
        long impacts = 0;  ///< rows that met
        long closed = 0;   ///< rows that went on in touch
        long released = 0;
        long lowered = 0;        ///< impacts whose restitution was lowered, since they would gain
        long several = 0;        ///< impacts with friction that had other solutions
        long stepped_over = 0;   ///< steps, or rests of one, that went over all events
        double loss = 0.0;       ///< of all of them [J]
        double least_gap = 0.0;  ///< below zero: how deep rounding has let rows come
    };

    /// [assembly] Of m rows of a model, those of them that are unilateral.
    void begin(int num_rows, const std::vector<int>& unilateral) {
        if (unilateral.empty()) return;
        for (Eigen::VectorXd* x : {&impulse_, &loss_, &gap_}) x->setZero(num_rows);
        forget();
    }
    /// A motion begins.
    void forget() {
        for (Eigen::VectorXd* x : {&impulse_, &loss_}) x->setZero();
        events_.clear();
        counts_ = {};
    }

    void record(const Event& event) {
        if (event.what == What::impact) {
            ++counts_.impacts;
            impulse_[event.row] += event.impulse;
            loss_[event.row] += event.loss;
            counts_.loss += event.loss;
        } else {
            ++(event.what == What::closed ? counts_.closed : counts_.released);
        }
        if (events_.size() < kMost) events_.push_back(event);
    }
    void record_lowered() { ++counts_.lowered; }
    void record_several() { ++counts_.several; }
    void record_stepped_over() { ++counts_.stepped_over; }
    /// @param is_absent it may be below zero
    void set_gap(int row, double gap, bool is_absent) {
        gap_[row] = gap;
        if (!is_absent && gap < counts_.least_gap) counts_.least_gap = gap;
    }

    const std::vector<Event>& all() const { return events_; }
    const Counts& counts() const { return counts_; }
    /// Per row of the model, sums since the start; and present gaps.
    const Eigen::VectorXd& impulse() const { return impulse_; }
    const Eigen::VectorXd& loss() const { return loss_; }
    const Eigen::VectorXd& gap() const { return gap_; }

    /// Writes or reads it, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive) {
        for (Eigen::VectorXd* x : {&impulse_, &loss_, &gap_}) archive(*x);
        for (long* count : {&counts_.impacts,
                            &counts_.closed,
                            &counts_.released,
                            &counts_.lowered,
                            &counts_.several,
                            &counts_.stepped_over}) {
            archive(*count);
            archive.require(*count >= 0, "a count");
        }
        archive(counts_.loss);
        archive(counts_.least_gap);
        archive.list(events_, [&](auto& event) {
            archive(event.t);
            archive(event.row);
            archive(event.what);
            archive(event.impulse);
            archive(event.loss);
            const int what = static_cast<int>(event.what);
            archive.require(event.row >= 0 && event.row < impulse_.size() && what >= 0 && what <= 3,
                            "the row of an event");
        });
    }

private:
    static constexpr std::size_t kMost = 10'000;

    Eigen::VectorXd impulse_, loss_, gap_;
    std::vector<Event> events_;
    Counts counts_;
};

}  // namespace ancora
