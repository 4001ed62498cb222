// SPDX-License-Identifier: BSD-3-Clause
// The ABI fingerprint: what must agree before a C++ call between kernel and plugin is defined.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <Eigen/Core>

#include "ancora/sdk/version.hpp"

#define ANCORA_TEXT_(x) #x
#define ANCORA_TEXT(x) ANCORA_TEXT_(x)

namespace ancora {

/// One named property of the build; kernel and plugin compare values as text.
struct AbiEntry {
    const char* name;
    const char* value;
};

namespace detail {

/// Flags such as -fpack-struct and -malign-double give it another size.
struct LayoutProbe {
    char a;
    double b;
    std::int16_t c;
    void* d;
    bool e;
    std::int64_t f;
};
/// -fshort-enums gives it another size.
enum EnumProbe { kEnumProbe };

/// A number below 1000 as text.
template <std::size_t number>
inline constexpr std::array<char, 4> kDigits{static_cast<char>('0' + number / 100),
                                             static_cast<char>('0' + number / 10 % 10),
                                             static_cast<char>('0' + number % 10),
                                             '\0'};

}  // namespace detail

/// The fingerprint of the translation unit that includes this header.
///
/// The Eigen limits are part of it because they change the layout of fixed-size Eigen objects and
/// the allocator of dynamic ones. The SDK's CMake target pins both, so a plugin built through it
/// is accepted even with -march=native.
///
/// Hidden, since as a symbol that the loader shares between libraries every plugin would show the
/// first one's fingerprint.
[[gnu::visibility("hidden")]] inline constexpr std::array kAbiFingerprint = {
    AbiEntry{"SDK version", ANCORA_TEXT(ANCORA_SDK_VERSION)},
// Not the number of the ABI's version, which is 1002 for Clang and grows with GCC's majors: what it
// counts are corners (names of local templates, empty classes by value) that no call between kernel
// and plugin turns.
#if defined(__GXX_ABI_VERSION) && __GXX_ABI_VERSION >= 1002
    AbiEntry{"C++ ABI", "Itanium"},
#else
    AbiEntry{"C++ ABI", "unknown"},
#endif
    AbiEntry{"pointer size", ANCORA_TEXT(__SIZEOF_POINTER__)},
#if defined(__GLIBCXX__)
#if defined(_GLIBCXX_DEBUG)
    AbiEntry{"standard library", "libstdc++, debug containers"},
#elif defined(_GLIBCXX_USE_CXX11_ABI) && _GLIBCXX_USE_CXX11_ABI
    AbiEntry{"standard library", "libstdc++, C++11 strings"},
#else
    AbiEntry{"standard library", "libstdc++, old strings"},
#endif
#elif defined(_LIBCPP_VERSION)
    AbiEntry{"standard library", "libc++ " ANCORA_TEXT(_LIBCPP_ABI_VERSION)},
#else
    AbiEntry{"standard library", "unknown"},
#endif
    AbiEntry{"Eigen version",
             ANCORA_TEXT(EIGEN_WORLD_VERSION) "." ANCORA_TEXT(EIGEN_MAJOR_VERSION) "." ANCORA_TEXT(
                 EIGEN_MINOR_VERSION)},
    AbiEntry{"EIGEN_MAX_ALIGN_BYTES", ANCORA_TEXT(EIGEN_MAX_ALIGN_BYTES)},
    AbiEntry{"EIGEN_MAX_STATIC_ALIGN_BYTES", ANCORA_TEXT(EIGEN_MAX_STATIC_ALIGN_BYTES)},
    AbiEntry{"size of a struct", detail::kDigits<sizeof(detail::LayoutProbe)>.data()},
    AbiEntry{"size of an enumeration", detail::kDigits<sizeof(detail::EnumProbe)>.data()},
};

}  // namespace ancora
