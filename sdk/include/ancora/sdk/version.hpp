// SPDX-License-Identifier: BSD-3-Clause
// The version of the plugin interface, and what changes it.
#pragma once

/// Version of the interface between kernel and plugins. It goes up by one whenever a plugin built
/// before the change could no longer be called safely or would mean something else: a virtual
/// function added, removed or reordered, a field of a struct in these headers changed, or the
/// meaning of an argument changed. Inline helpers that are added do not count, nor does a virtual
/// function with an empty default that stands last in a class which the kernel alone implements.
#define ANCORA_SDK_VERSION 12
