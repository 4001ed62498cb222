// SPDX-License-Identifier: BSD-3-Clause
// The [step] functions of an object as maps from numbers to numbers.
#pragma once

#include <functional>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "call_in_progress.hpp"
#include "motion.hpp"

namespace ancora::verify {

/// One [step] function of an object, for checks that do not ask what its numbers mean. Everything
/// that the function reads lies in one span and everything that it writes in another, so that a
/// call by the kit allocates nothing.
struct StepCall {
    std::string name;  ///< evaluate, block "gap"
    std::size_t num_inputs = 0;
    std::size_t num_outputs = 0;  ///< every entry of these must be written
    std::size_t num_scratch = 0;  ///< behind the outputs: room that it may use
    std::function<void(Random& random, std::span<double> in)> sample;
    std::function<void(const Object& object, std::span<const double> in, std::span<double> out)>
        call;
    /// The same with each span by itself between two zones that hold `zone`. What the plugin wrote
    /// besides its outputs; empty if nothing.
    std::function<std::string(
        const Object& object, std::span<const double> in, std::span<double> out, double zone)>
        fenced;
    /// What an output is: "A, row 0, column 3".
    std::function<std::string(std::size_t)> describe;
};

/// All [step] functions of an object; none for integrators, which need a system.
std::vector<StepCall> step_calls(const Stage& stage, const Object& object);

/// Something that gives rows: a body or constraint, or what slides on a constraint.
struct RowPart {
    const char* title;  ///< "" or "tangents, "
    const RowSource* (*of)(const Object& object);
};
std::vector<RowPart> row_parts(const Object& object);

/// @throws Failure if blocks, stencils, laws or the number of states of `source` do not fit; the
///         other checks would read past their ends
void require_sizes(const RowSource& source, const char* title, int num_scalars);
/// The same for all rows of an object, for checks that ask for something else.
/// @throws Skipped
void skip_wrong_sizes(const Stage& stage, const Object& object);

// Sizes of a block's outputs.
inline std::size_t num_rows(const RowBlock& block) {
    return static_cast<std::size_t>(block.num_items) *
           static_cast<std::size_t>(block.rows_per_item);
}
inline std::size_t num_values(const RowBlock& block) {
    return num_rows(block) * static_cast<std::size_t>(block.scalars_per_item);
}
/// Of evaluate_tangent; 0 where none is asked for.
std::size_t num_tangent(const RowBlock& block);
const RowLaw& law(const RowBlock& block, std::size_t row);

/// Calls a function of the plugin, and puts its name in front of what it threw.
/// @throws Failure
template <class Function>
void guard(const std::string& name, Function&& function) {
    const CallInProgress call(name);
    try {
        function();
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const Failure&) {
        throw;  // of something that the kit gave the plugin to call
    } catch (const std::exception& error) {
        throw Failure(name + " threw \"" + error.what() + '"');
    } catch (...) {
        throw Failure(name + " threw something that is not a std::exception");
    }
}

}  // namespace ancora::verify
