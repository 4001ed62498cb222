// SPDX-License-Identifier: BSD-3-Clause
// Entry point of the plugin "fmu".
#include "ancora/sdk/plugin.hpp"

#include "exchange_fmu.hpp"
#include "fmu.hpp"

namespace {

using namespace ancora;
namespace p = ancora::parameter;

constexpr const char* kInput = "value of an input of the FMU, in the order of inputs";

#define ANCORA_FMU_VARIABLES                                                                      \
    p::make("outputs",                                                                            \
            "",                                                                                   \
            "variables of the FMU that it shows, each as \"NAME\" or \"NAME = VARIABLE\"",        \
            Shape::texts)                                                                         \
        .required(),                                                                              \
        p::make(                                                                                  \
            "inputs",                                                                             \
            "",                                                                                   \
            "variables of the FMU that u1, u2, ... are the values of, of an array as \"u[1]\"",   \
            Shape::texts),                                                                        \
        p::make("parameters",                                                                     \
                "",                                                                               \
                "values at its start, each as \"NAME = 2.5\", of an array as \"NAME = 1 0 0 1\"", \
                Shape::texts),                                                                    \
        p::signal("u1", "", kInput), p::signal("u2", "", kInput), p::signal("u3", "", kInput),    \
        p::signal("u4", "", kInput), p::signal("u5", "", kInput), p::signal("u6", "", kInput),    \
        p::signal("u7", "", kInput), p::signal("u8", "", kInput), p::signal("u9", "", kInput),    \
        p::signal("u10", "", kInput), p::signal("u11", "", kInput), p::signal("u12", "", kInput), \
        p::signal("u13", "", kInput), p::signal("u14", "", kInput), p::signal("u15", "", kInput), \
        p::signal("u16", "", kInput)

constexpr Parameter kFmu[] = {
    p::file("file", "the FMU: co-simulation, 2.0 or 3.0, for Linux on x86_64; its code is run")
        .required(),
    p::number(
        "period",
        "s",
        "T, from sample to sample; left out: that of the FMU's fastest clock, where it has one")
        .positive(),
    p::number("offset", "s", "time of the first sample, from the begin of the run on")
        .nonnegative()
        .otherwise("0.0"),
    ANCORA_FMU_VARIABLES,
};

constexpr Parameter kExchange[] = {
    p::file("file", "the FMU: model exchange, 2.0 or 3.0, for Linux on x86_64; its code is run")
        .required(),
    p::number("period",
              "s",
              "time between calls of completedIntegratorStep; then it gets inputs that change at "
              "events alone; left out: at its events")
        .positive(),
    ANCORA_FMU_VARIABLES,
};

// No example: there is no FMU that every machine has, so `ancora verify` has nothing to try.
constexpr TypeDescriptor kTypes[] = {
    type<fmu::Fmu>(
        "fmu",
        {.doc = "a co-simulation FMU as a sampled controller or any other part of a loop",
         .equation = "x(t_k) = step(x(t_(k-1)), u(t_(k-1)), T), y_k = g(x(t_k), u(t_k))",
         .source = "Functional Mock-up Interface Specification, 2.0.4 and 3.0.1, Modelica "
                   "Association, 2022 and 2023"},
        kFmu),
    type<fmu::ExchangeFmu>(
        "exchange_fmu",
        {.doc =
             "an FMU for model exchange: its states are the integrator's, its events are located",
         .equation = "x' = f(t, x, u), y = g(t, x, u); events where e(t, x, u) changes sign",
         .source = "Functional Mock-up Interface Specification, 2.0.4 and 3.0.1, Modelica "
                   "Association, 2022 and 2023"},
        kExchange),
};

}  // namespace

ANCORA_PLUGIN("fmu", "0.1.0", kTypes)
