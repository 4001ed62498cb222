// SPDX-License-Identifier: BSD-3-Clause
// Many copies of a model that step side by side, with arrays in and out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ancora/framework/export.hpp"
#include "ancora/framework/gradient.hpp"
#include "ancora/framework/simulation.hpp"

namespace ancora {

inline constexpr int kMostBatchCopies = 1'000'000;

struct BatchOptions {
    int copies = 1;
    int workers = 0;  ///< threads; 0: one per core that this process may use
    /// Numbers of the model that differ between copies, by keys as after --set, with "[i]" for an
    /// entry of an array; and their values, row by row, one row for each copy.
    std::vector<std::string> keys;
    std::vector<double> values;
    std::vector<std::string> inputs;   ///< that step() takes, "motor.voltage"
    std::vector<std::string> columns;  ///< that step() gives, columns of history.csv
};

/// Copies of one model. Each has the bytes of a single run, whatever the others do and however many
/// threads there are. A copy that fails stays at its last step, is left alone from there on, and
/// says why; the others go on.
class ANCORA_FRAMEWORK_EXPORT Batch {
public:
    enum class Status : std::int32_t { runs, done, failed };

    /// [assembly]
    /// @throws Error (usage) if there is no copy, or a key, input or column that the model does not
    ///         have, if the integrator chooses its steps; what a simulation of the model throws,
    ///         with the number of the copy
    Batch(const ModelSource& model, PluginRegistry& registry, const BatchOptions& options);
    ~Batch();
    Batch(Batch&&) noexcept;
    Batch& operator=(Batch&&) noexcept;

    std::size_t num_copies() const;
    std::size_t num_inputs() const;
    std::size_t num_columns() const;

    /// Takes `count` steps of the grid in each copy, fewer where the end is reached. [step]
    /// @param inputs   copies x inputs, row by row, held from here on; empty: as they are
    /// @param columns  copies x columns, at the end; empty: not wanted
    /// @throws Error (usage) if the sizes differ or an input is not finite; no copy has moved then
    void step(std::span<const double> inputs, std::span<double> columns, long count = 1);
    /// Copies x columns now.
    void columns(std::span<double> to) const;
    /// Back to the start, with the bits of a new simulation.
    /// @param which  one for each copy, other than 0: this one; empty: all
    void reset(std::span<const std::uint8_t> which = {});

    Status status(std::size_t copy) const;
    /// Why a copy failed; empty if it did not.
    const std::string& failure(std::size_t copy) const;
    /// One of them, for what arrays do not have. Not while step() is under way.
    Simulation& copy(std::size_t copy);
    const Simulation& copy(std::size_t copy) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace ancora
