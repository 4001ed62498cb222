// SPDX-License-Identifier: BSD-3-Clause
// The files that a report's page is made of; the build puts them into the library.
#pragma once

#include <string_view>

namespace ancora::page {

extern const std::string_view kTemplate;
extern const std::string_view kStyle;
extern const std::string_view kScript;
extern const std::string_view kThree;
extern const std::string_view kUplot;

}  // namespace ancora::page
