// SPDX-License-Identifier: BSD-3-Clause
// Bodies of the plugin that a test is linked with, made without the kernel.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "ancora/sdk/body.hpp"
#include "ancora/sdk/plugin.hpp"
#include "ancora/sdk/testing/fake_arguments.hpp"

extern "C" const ancora::PluginDescriptor ancora_plugin_descriptor;

namespace ancora::testing {

using test::FakeArguments;

/// Arguments of the plugin's first type, none given.
inline FakeArguments schema() {
    return FakeArguments(ancora_plugin_descriptor.types[0]);
}
/// Made by the factory, as the kernel does.
inline std::unique_ptr<Body> make(const FakeArguments& arguments) {
    return std::unique_ptr<Body>(
        static_cast<Body*>(ancora_plugin_descriptor.types[0].create(arguments)));
}
/// Why it cannot be made; empty if it can.
inline std::string refusal(const FakeArguments& arguments) {
    try {
        make(arguments);
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return "";
}

}  // namespace ancora::testing
