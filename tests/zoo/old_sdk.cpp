// SPDX-License-Identifier: BSD-3-Clause
// Bad: says that it was built for another version of the SDK; the rest of it must not be read.
#include "ancora/sdk/plugin.hpp"

extern "C" {
[[gnu::visibility("default")]] extern const ancora::PluginDescriptor ancora_plugin_descriptor;
constinit const ancora::PluginDescriptor ancora_plugin_descriptor = {
    ancora::kPluginMagic, 24, ANCORA_SDK_VERSION + 1, nullptr, 7, 1, nullptr, nullptr, nullptr};
}
