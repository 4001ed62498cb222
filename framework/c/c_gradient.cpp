// SPDX-License-Identifier: BSD-3-Clause
// Derivatives and fits of the C interface.
#include <fmt/format.h>

#include "c_calls.hpp"

using namespace ancora;

ModelSource c::source_of(ancora_model& model) {
    model.read();
    return [&model](std::span<const std::string> more) {
        std::vector<std::string> overrides = model.overrides;
        overrides.insert(overrides.end(), more.begin(), more.end());
        return Manifest::parse(model.text, model.file, overrides);
    };
}

int c::workers_of(const Session& session, std::int32_t wanted) {
    if (wanted < 0) refuse("workers is negative");
    return session.has_functions ? 1 : wanted;
}

namespace {

const Gradient& gradient_of(const ancora_model& it) {
    if (!it.gradient) c::refuse("there are no derivatives yet; call ancora_gradient() first");
    return *it.gradient;
}

const Fit& fit_of(const ancora_model& it) {
    if (!it.fit) c::refuse("there is no fit yet; call ancora_fit() first");
    return *it.fit;
}

template <class List, class Member>
std::vector<double> numbers_of(const List& list, Member member) {
    std::vector<double> out;
    for (const auto& one : list) out.push_back(one.*member);
    return out;
}

}  // namespace

ancora_status ancora_gradient(ancora_model* model,
                              const char* const* of,
                              size_t num_of,
                              const char* const* by,
                              size_t num_by,
                              int32_t workers) {
    return c::call(model, [&](ancora_model& it) {
        std::vector<Objective> objectives;
        for (const std::string& text : c::texts_of(of, num_of, "of"))
            objectives.push_back(Objective::parse(text));
        it.gradient = differentiate(c::source_of(it),
                                    objectives,
                                    c::texts_of(by, num_by, "by"),
                                    it.session->registry,
                                    {.workers = c::workers_of(*it.session, workers)});
    });
}

ancora_status ancora_gradient_values(
    const ancora_model* model, int32_t which, double* values, size_t capacity, size_t* count) {
    return c::call(model, [&](const ancora_model& it) {
        const Gradient& gradient = gradient_of(it);
        std::vector<double> numbers;
        switch (which) {
            case ANCORA_GRADIENT_VALUES:
                numbers = numbers_of(gradient.of, &Gradient::Value::value);
                break;
            case ANCORA_GRADIENT_PARAMETERS:
                numbers = numbers_of(gradient.by, &Gradient::Parameter::value);
                break;
            case ANCORA_GRADIENT_DERIVATIVES:
                numbers = numbers_of(gradient.entries, &Gradient::Entry::value);
                break;
            case ANCORA_GRADIENT_ERRORS:
                numbers = numbers_of(gradient.entries, &Gradient::Entry::error);
                break;
            default:
                c::refuse(fmt::format("there are no numbers {} of a gradient", which));
        }
        c::put_all(std::span<const double>(numbers), values, capacity, count);
    });
}

ancora_status ancora_gradient_key(
    const ancora_model* model, size_t by, char* text, size_t capacity, size_t* count) {
    return c::call(model, [&](const ancora_model& it) {
        const Gradient& gradient = gradient_of(it);
        if (by >= gradient.by.size())
            c::refuse(
                fmt::format("there is no parameter {}; there are {}", by, gradient.by.size()));
        c::put_text(gradient.by[by].key, text, capacity, count);
    });
}

ancora_status ancora_gradient_remark(
    const ancora_model* model, size_t of, size_t by, char* text, size_t capacity, size_t* count) {
    return c::call(model, [&](const ancora_model& it) {
        const Gradient& gradient = gradient_of(it);
        if (of >= gradient.of.size() || by >= gradient.by.size())
            c::refuse(fmt::format("there is no derivative {}, {}; there are {} x {}",
                                  of,
                                  by,
                                  gradient.of.size(),
                                  gradient.by.size()));
        c::put_text(gradient.entry(of, by).remark, text, capacity, count);
    });
}

ancora_status ancora_fit(ancora_model* model,
                         const double* time,
                         size_t num_times,
                         const char* const* columns,
                         size_t num_columns,
                         const double* measured,
                         const char* const* by,
                         size_t num_by,
                         int32_t workers) {
    return c::call(model, [&](ancora_model& it) {
        MeasuredData data;
        data.columns = c::texts_of(columns, num_columns, "columns");
        if (num_times > 0) data.t.assign(&c::required(time, "time"), time + num_times);
        for (size_t k = 1; k < num_times; ++k)
            if (!(time[k] > time[k - 1])) c::refuse("times do not ascend");
        if (num_times * num_columns > 0)
            data.values.assign(&c::required(measured, "measured"),
                               measured + num_times * num_columns);
        std::vector<FitParameter> parameters;
        for (const std::string& text : c::texts_of(by, num_by, "by"))
            parameters.push_back(FitParameter::parse(text));
        it.fit = fit(c::source_of(it),
                     data,
                     parameters,
                     it.session->registry,
                     {.workers = c::workers_of(*it.session, workers)});
    });
}

ancora_status ancora_fit_values(
    const ancora_model* model, int32_t which, double* values, size_t capacity, size_t* count) {
    return c::call(model, [&](const ancora_model& it) {
        const Fit& found = fit_of(it);
        std::vector<double> numbers;
        switch (which) {
            case ANCORA_FIT_PARAMETERS:
                numbers = numbers_of(found.by, &Fit::Parameter::value);
                break;
            case ANCORA_FIT_DEVIATIONS:
                numbers = numbers_of(found.by, &Fit::Parameter::deviation);
                break;
            case ANCORA_FIT_CORRELATION:
                numbers = found.correlation;
                break;
            case ANCORA_FIT_LEFT:
                numbers = numbers_of(found.columns, &Fit::Column::rms);
                break;
            case ANCORA_FIT_FITTED:
                numbers = found.fitted;
                break;
            default:
                c::refuse(fmt::format("there are no numbers {} of a fit", which));
        }
        c::put_all(std::span<const double>(numbers), values, capacity, count);
    });
}

ancora_status ancora_fit_remark(
    const ancora_model* model, int32_t* has_converged, char* text, size_t capacity, size_t* count) {
    return c::call(model, [&](const ancora_model& it) {
        const Fit& found = fit_of(it);
        if (has_converged != nullptr) *has_converged = found.has_converged ? 1 : 0;
        c::put_text(found.remark, text, capacity, count);
    });
}
