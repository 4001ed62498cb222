// SPDX-License-Identifier: BSD-3-Clause
// Calls of RowSource.
#include "guarded_rows.hpp"

#include <fmt/format.h>

#include "call_again.hpp"

namespace ancora {

std::span<const RowBlock> GuardedRows::blocks() const {
    std::span<const RowBlock> out;
    call_plugin(*object_, "row_blocks", [&] {
        out = rows_->row_blocks();
    });
    return out;
}

GuardedRows::Facts GuardedRows::facts() const {
    Facts out;
    call_plugin(*object_, "row_blocks or start_state", [&] {
        out.blocks = rows_->row_blocks();
        out.start_state = rows_->start_state();
    });
    return out;
}

void GuardedRows::start_state(std::span<double> state) const {
    copy_start_state(*object_, facts().start_state, state);
}

void GuardedRows::evaluate(CallMeter& meter,
                           int block,
                           const RowPoint& at,
                           const RowValues& out) const {
    meter.call(
        *object_,
        calls::Evaluate::kName,
        at.t,
        [&] {
            rows_->evaluate(block, at, out);
        },
        [&] {
            return record_of(call(block, at, out));
        });
}

void GuardedRows::evaluate_step(CallMeter& meter,
                                int block,
                                const RowStep& step,
                                const RowStepValues& out) const {
    meter.call(
        *object_,
        calls::EvaluateStep::kName,
        step.t0,
        [&] {
            rows_->evaluate_step(block, step, out);
        },
        [&] {
            return record_of(call(block, step, out));
        });
}

void GuardedRows::evaluate_tangent(CallMeter& meter,
                                   int block,
                                   const TangentPoint& at,
                                   std::span<double> G) const {
    meter.call(
        *object_,
        calls::EvaluateTangent::kName,
        at.t,
        [&] {
            rows_->evaluate_tangent(block, at, G);
        },
        [&] {
            return record_of(call(block, at, G));
        });
}

std::vector<std::string> GuardedRows::bad_entries_of(const PluginCall& call) const {
    const FpEnvironment environment = FpEnvironment::capture();
    try {
        std::vector<std::string> bad = bad_entries(make_call(*rows_, call));
        environment.restore();
        return bad;
    } catch (...) {
        environment.restore();
        throw;
    }
}

}  // namespace ancora
