// SPDX-License-Identifier: BSD-3-Clause
// An instance of an FMU: the calls of FMI for co-simulation.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "description.hpp"

namespace ancora::fmu {

using References = std::vector<unsigned>;

/// One instance. Whatever fails throws std::runtime_error with what the FMU said.
class Slave {
public:
    virtual ~Slave() = default;
    Slave(const Slave&) = delete;
    Slave& operator=(const Slave&) = delete;

    /// Values that the instance is begun with.
    struct Given {
        const References& references;
        std::span<const double> values;
    };
    /// Begins anew at a time.
    void begin(double t, const Given& parameters, const Given& inputs);
    virtual void set(const Given& values) = 0;
    virtual void get(const References& references, std::span<double> values) = 0;
    virtual void step(double t, double h) = 0;
    /// The state as bytes, and back.
    virtual std::vector<char> state() = 0;
    virtual void restore(std::span<const char> state) = 0;
    /// An instance that has not begun, for restore().
    virtual void instantiate() = 0;

protected:
    Slave() = default;
    virtual void initialise(double t, const Given& inputs) = 0;
    /// Throws unless the status is OK or a warning.
    void check(const char* call, int status);

    std::string said_;  ///< the last message of the FMU
};

/// Opens the library in an unpacked FMU.
std::unique_ptr<Slave> open_slave(const std::filesystem::path& folder,
                                  const Description& description,
                                  const std::string& name);

}  // namespace ancora::fmu
