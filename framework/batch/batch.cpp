// SPDX-License-Identifier: BSD-3-Clause
// Copies of a model, and the threads that step them.
#include "ancora/framework/batch.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>

#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "model_parameter.hpp"
#include "workers.hpp"

namespace ancora {
namespace {

[[noreturn]] void refuse(const std::string& message) {
    throw Error(ErrorKind::usage, message);
}

}  // namespace

struct Batch::Impl {
    struct Copy {
        Simulation simulation;
        std::string failure;
    };
    std::vector<Copy> copies;
    std::vector<int> inputs, columns;
    Workers workers;

    /// Of copies that have failed, the columns are those of their last step.
    void fill(const Copy& copy, std::span<double> row) const {
        try {
            copy.simulation.values(columns, row);
        } catch (const std::exception&) {
            // A column that the state of a failed copy does not have, as a reaction.
            std::ranges::fill(row, std::numeric_limits<double>::quiet_NaN());
        }
    }
    static std::span<const double> row_of(std::span<const double> all,
                                          std::size_t copy,
                                          std::size_t width) {
        return all.empty() ? all : all.subspan(copy * width, width);
    }
    static std::span<double> row_of(std::span<double> all, std::size_t copy, std::size_t width) {
        return all.empty() ? all : all.subspan(copy * width, width);
    }

    void step(Copy& copy, std::span<const double> values, long count) const {
        if (!copy.failure.empty()) return;
        try {
            if (!values.empty() && !copy.simulation.done())
                copy.simulation.set_inputs(inputs, values);
            for (long k = 0; k < count && !copy.simulation.done(); ++k) copy.simulation.step();
        } catch (const std::exception& error) {
            copy.failure = *error.what() != '\0' ? error.what() : "it failed without a word";
        }
    }
};

Batch::Batch(const ModelSource& model, PluginRegistry& registry, const BatchOptions& options)
    : impl_(std::make_unique<Impl>()) {
    if (options.copies < 1 || options.copies > kMostBatchCopies)
        refuse(
            fmt::format("there may be 1 to {} copies, not {}", kMostBatchCopies, options.copies));
    if (options.workers < 0) refuse("the number of workers is negative");
    const auto count = static_cast<std::size_t>(options.copies);
    const std::size_t width = options.keys.size();
    if (options.values.size() != count * width)
        refuse(
            fmt::format("{} values for {} copies of {} keys", options.values.size(), count, width));
    std::vector<ModelParameter> parameters;
    if (width > 0) parameters = find_parameters(model, options.keys, registry);
    const Manifest same = model({});
    impl_->copies.reserve(count);
    for (std::size_t k = 0; k < count; ++k) {
        std::vector<std::string> overrides;
        for (std::size_t i = 0; i < width; ++i) {
            const double value = options.values[k * width + i];
            if (!std::isfinite(value))
                refuse(fmt::format("copy {}: {} is not finite", k, options.keys[i]));
            overrides.push_back(parameters[i].override_with(value));
        }
        const auto make = [&] {
            Manifest manifest = overrides.empty() ? same : model(overrides);
            // All columns may be asked for; which are recorded changes no motion.
            manifest.output.columns.reset();
            return Simulation(manifest, registry);
        };
        try {
            impl_->copies.push_back({make(), ""});
        } catch (const Error& error) {
            if (k == 0 && width == 0) throw;
            throw Error(
                error.kind(), fmt::format("copy {}: {}", k, error.message()), error.place());
        }
        if (k > 0) continue;
        const Simulation& first = impl_->copies.front().simulation;
        if (first.is_adaptive())
            refuse(
                "copies step together on the grid of the model; its integrator chooses its "
                "steps");
        for (const std::string& name : options.inputs)
            impl_->inputs.push_back(first.find_input(name));
        for (const std::string& name : options.columns)
            impl_->columns.push_back(first.find_column(name));
    }
    impl_->workers.resize(
        std::min(options.copies, options.workers > 0 ? options.workers : available_cores()));
}

Batch::~Batch() = default;
Batch::Batch(Batch&&) noexcept = default;
Batch& Batch::operator=(Batch&&) noexcept = default;

std::size_t Batch::num_copies() const {
    return impl_->copies.size();
}
std::size_t Batch::num_inputs() const {
    return impl_->inputs.size();
}
std::size_t Batch::num_columns() const {
    return impl_->columns.size();
}

void Batch::step(std::span<const double> inputs, std::span<double> columns, long count) {
    Impl& it = *impl_;
    if (count < 0) refuse("the number of steps is negative");
    if (!inputs.empty() && inputs.size() != num_copies() * num_inputs())
        refuse(fmt::format(
            "{} values for {} inputs of {} copies", inputs.size(), num_inputs(), num_copies()));
    if (!columns.empty() && columns.size() != num_copies() * num_columns())
        refuse(fmt::format("room for {} values of {} columns of {} copies",
                           columns.size(),
                           num_columns(),
                           num_copies()));
    const auto bad = std::ranges::find_if(inputs, [](double x) {
        return !std::isfinite(x);
    });
    if (bad != inputs.end())
        refuse(fmt::format("copy {}: an input is not finite",
                           static_cast<std::size_t>(bad - inputs.begin()) / num_inputs()));
    it.workers.for_each(static_cast<int>(num_copies()), [&](int k, int) {
        const auto at = static_cast<std::size_t>(k);
        Impl::Copy& copy = it.copies[at];
        it.step(copy, Impl::row_of(inputs, at, num_inputs()), count);
        if (!columns.empty()) it.fill(copy, Impl::row_of(columns, at, num_columns()));
    });
}

void Batch::columns(std::span<double> to) const {
    if (to.size() != num_copies() * num_columns())
        refuse(fmt::format("room for {} values of {} columns of {} copies",
                           to.size(),
                           num_columns(),
                           num_copies()));
    for (std::size_t k = 0; k < num_copies(); ++k)
        impl_->fill(impl_->copies[k], Impl::row_of(to, k, num_columns()));
}

void Batch::reset(std::span<const std::uint8_t> which) {
    if (!which.empty() && which.size() != num_copies())
        refuse(fmt::format("{} marks for {} copies", which.size(), num_copies()));
    impl_->workers.for_each(static_cast<int>(num_copies()), [&](int k, int) {
        if (!which.empty() && which[static_cast<std::size_t>(k)] == 0) return;
        Impl::Copy& copy = impl_->copies[static_cast<std::size_t>(k)];
        copy.failure.clear();
        try {
            copy.simulation.reset();
        } catch (const std::exception& error) {
            copy.failure = error.what();
        }
    });
}

Batch::Status Batch::status(std::size_t copy) const {
    const Impl::Copy& of = impl_->copies.at(copy);
    if (!of.failure.empty()) return Status::failed;
    return of.simulation.done() ? Status::done : Status::runs;
}
const std::string& Batch::failure(std::size_t copy) const {
    return impl_->copies.at(copy).failure;
}
Simulation& Batch::copy(std::size_t copy) {
    return impl_->copies.at(copy).simulation;
}
const Simulation& Batch::copy(std::size_t copy) const {
    return impl_->copies.at(copy).simulation;
}

}  // namespace ancora
