// SPDX-License-Identifier: BSD-3-Clause
// Many copies of a model, of the C interface.
#include <fmt/format.h>

#include "c_calls.hpp"

using namespace ancora;

ancora_status ancora_batch_new(ancora_model* model,
                               size_t copies,
                               const char* const* keys,
                               size_t num_keys,
                               const double* values,
                               const char* const* inputs,
                               size_t num_inputs,
                               const char* const* columns,
                               size_t num_columns,
                               int32_t workers,
                               ancora_batch** batch) {
    if (batch != nullptr) *batch = nullptr;
    return c::call(model, [&](ancora_model& it) {
        c::required(batch, "batch");
        // Before `values` is read, which has as many rows.
        if (copies > std::size_t{kMostBatchCopies})
            c::refuse(fmt::format("there may be 1 to {} copies, not {}", kMostBatchCopies, copies));
        BatchOptions options;
        options.copies = static_cast<int>(copies);
        options.workers = c::workers_of(*it.session, workers);
        options.keys = c::texts_of(keys, num_keys, "keys");
        if (num_keys > 0)
            options.values.assign(&c::required(values, "values"), values + copies * num_keys);
        options.inputs = c::texts_of(inputs, num_inputs, "inputs");
        options.columns = c::texts_of(columns, num_columns, "columns");
        auto made = std::make_unique<ancora_batch>();
        made->session = it.session;
        made->batch.emplace(c::source_of(it), it.session->registry, options);
        *batch = made.release();
    });
}

void ancora_batch_free(ancora_batch* batch) {
    if (batch == nullptr || batch->tag != c::Tag::batch) return;
    batch->tag = c::Tag::none;
    delete batch;
}

ancora_status ancora_batch_step(ancora_batch* batch,
                                const double* inputs,
                                int64_t count,
                                double* columns) {
    return c::call(batch, [&](ancora_batch& it) {
        Batch& of = *it.batch;
        std::span<const double> in;
        std::span<double> out;
        if (inputs != nullptr) in = {inputs, of.num_copies() * of.num_inputs()};
        if (columns != nullptr) out = {columns, of.num_copies() * of.num_columns()};
        of.step(in, out, count);
    });
}

ancora_status ancora_batch_columns(const ancora_batch* batch, double* columns) {
    return c::call(batch, [&](const ancora_batch& it) {
        const Batch& of = *it.batch;
        of.columns({&c::required(columns, "columns"), of.num_copies() * of.num_columns()});
    });
}

ancora_status ancora_batch_reset(ancora_batch* batch, const uint8_t* which) {
    return c::call(batch, [&](ancora_batch& it) {
        std::span<const std::uint8_t> marks;
        if (which != nullptr) marks = {which, it.batch->num_copies()};
        it.batch->reset(marks);
    });
}

ancora_status ancora_batch_status(const ancora_batch* batch, int32_t* status) {
    return c::call(batch, [&](const ancora_batch& it) {
        c::required(status, "status");
        for (std::size_t k = 0; k < it.batch->num_copies(); ++k)
            status[k] = static_cast<int32_t>(it.batch->status(k));
    });
}

ancora_status ancora_batch_failure(
    const ancora_batch* batch, size_t copy, char* text, size_t capacity, size_t* count) {
    return c::call(batch, [&](const ancora_batch& it) {
        if (copy >= it.batch->num_copies())
            c::refuse(
                fmt::format("there is no copy {}; there are {}", copy, it.batch->num_copies()));
        c::put_text(it.batch->failure(copy), text, capacity, count);
    });
}
