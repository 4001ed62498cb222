// SPDX-License-Identifier: BSD-3-Clause
// Bad: two entries of its ABI fingerprint differ from the program's.
#include "test_mass.hpp"

namespace {

using namespace ancora;

constexpr auto kOtherFingerprint = [] {
    auto entries = kAbiFingerprint;
    entries[2].value = "4";
    entries[5].value = "16";
    return entries;
}();

constexpr TypeDescriptor kTypes[] = {
    type<zoo::TestMass>("wrong_fingerprint", {"point mass"}, zoo::TestMass::kParameters),
};

}  // namespace

extern "C" {
[[gnu::visibility("default")]] extern const PluginDescriptor ancora_plugin_descriptor;
constinit const PluginDescriptor ancora_plugin_descriptor = {
    kPluginMagic,
    sizeof(PluginDescriptor),
    ANCORA_SDK_VERSION,
    kOtherFingerprint.data(),
    static_cast<std::uint32_t>(kOtherFingerprint.size()),
    1,
    "wrong_fingerprint",
    "1.0.0",
    kTypes};
}
