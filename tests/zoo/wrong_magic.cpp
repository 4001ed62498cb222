// SPDX-License-Identifier: BSD-3-Clause
// Bad: the right symbol, but it holds something else.
#include <cstdint>

extern "C" {
[[gnu::visibility("default")]] extern const std::uint64_t ancora_plugin_descriptor[8];
const std::uint64_t ancora_plugin_descriptor[8] = {42};
}
