// SPDX-License-Identifier: BSD-3-Clause
// A source of rows as the kernel calls it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ancora/sdk/rows.hpp"
#include "call_meter.hpp"

namespace ancora {

/// A body's or constraint's rows, or the directions in which something slides on a constraint. A
/// view: the object must outlive it. [step] functions are metered.
class GuardedRows {
public:
    GuardedRows() = default;
    GuardedRows(const RowSource* rows, const ObjectRef& object, bool of_tangents = false)
        : rows_(rows), object_(&object), of_tangents_(of_tangents) {}
    /// False if there is no such source.
    explicit operator bool() const { return rows_ != nullptr; }

    std::span<const RowBlock> blocks() const;
    struct Facts {
        std::span<const RowBlock> blocks;
        std::span<const double> start_state;
    };
    Facts facts() const;
    /// Copies it; refuses what is not finite.
    void start_state(std::span<double> state) const;

    /// Its memory will be looked at soon.
    void fetch() const {
        __builtin_prefetch(rows_);
        __builtin_prefetch(object_);
    }

    // Outputs are not looked at: where something went wrong, ask the functions below.
    void evaluate(CallMeter& meter, int block, const RowPoint& at, const RowValues& out) const;
    void evaluate_step(CallMeter& meter,
                       int block,
                       const RowStep& step,
                       const RowStepValues& out) const;
    void evaluate_tangent(CallMeter& meter,
                          int block,
                          const TangentPoint& at,
                          std::span<double> G) const;

    // --- the same calls, for records

    calls::Evaluate call(int block, const RowPoint& at, const RowValues& out = {}) const {
        return {block, of_tangents_, at, out};
    }
    calls::EvaluateStep call(int block, const RowStep& step, const RowStepValues& out = {}) const {
        return {block, of_tangents_, step, out};
    }
    calls::EvaluateTangent call(int block, const TangentPoint& at, std::span<double> G = {}) const {
        return {block, of_tangents_, at, G};
    }
    /// What is not finite in the outputs of a recorded call when it is made again, see
    /// bad_entries().
    std::vector<std::string> bad_entries_of(const PluginCall& call) const;

private:
    const RowSource* rows_ = nullptr;
    const ObjectRef* object_ = nullptr;
    bool of_tangents_ = false;
};

}  // namespace ancora
