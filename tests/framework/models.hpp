// SPDX-License-Identifier: BSD-3-Clause
// Models for tests of the kernel: a registry that sees the shipped plugins and the zoo, manifests
// from text or in code, and columns by name.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ancora/framework/simulation.hpp"

namespace ancora::testing {

/// Plugins that are shipped, and those that are made for tests.
struct Plugins {
    Plugins() {
        registry.add_folder(ANCORA_TEST_PLUGIN_DIR);
        registry.add_folder(ANCORA_TEST_ZOO_DIR);
    }
    PluginRegistry registry;
};

inline Manifest manifest(std::string_view text) {
    return Manifest::parse(text, "model.toml");
}

/// |a - b| <= tol, with tol the absolute error that is allowed.
inline bool near(double a, double b, double tol) {
    return std::abs(a - b) <= tol;
}

/// A simulation with its registry.
class Run {
public:
    explicit Run(const Manifest& manifest)
        : simulation(manifest, plugins_.registry, [this](const std::string& w) {
              warnings.push_back(w);
          }) {}
    explicit Run(std::string_view text) : Run(manifest(text)) {}

    void to_end() {
        while (!simulation.done()) simulation.step();
    }
    void steps(int count) {
        for (int k = 0; k < count; ++k) simulation.step();
    }
    /// Value of a column of history.csv now.
    double column(const std::string& name) const {
        const std::vector<std::string> names = simulation.column_names();
        std::vector<double> row(names.size());
        simulation.sample(row);
        const auto at = std::find(names.begin(), names.end(), name);
        if (at == names.end()) throw std::out_of_range("no column " + name);
        return row[at - names.begin()];
    }

private:
    Plugins plugins_;

public:
    std::vector<std::string> warnings;
    Simulation simulation;
};

/// What goes wrong when a model is built and run.
struct Failure {
    bool happened = false;
    ErrorKind kind = ErrorKind::internal;
    std::string message;  ///< without its place
    int line = 0;         ///< 0: no place
    double time = 0.0;    ///< of the simulation
    std::vector<std::string> warnings;
};

inline Failure failure_of(const Manifest& manifest) {
    Failure failure;
    Plugins plugins;
    try {
        Simulation simulation(manifest, plugins.registry, [&](const std::string& warning) {
            failure.warnings.push_back(warning);
        });
        try {
            while (!simulation.done()) simulation.step();
        } catch (...) {
            failure.time = simulation.time();
            throw;
        }
    } catch (const Error& error) {
        failure.happened = true;
        failure.kind = error.kind();
        failure.message = error.message();
        failure.line = error.place().known() ? error.place().line : 0;
    }
    return failure;
}
inline Failure failure_of(std::string_view text) {
    return failure_of(manifest(text));
}

}  // namespace ancora::testing
