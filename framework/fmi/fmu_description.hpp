// SPDX-License-Identifier: BSD-3-Clause
// What an FMU says of itself: modelDescription.xml.
#pragma once

#include <string>
#include <string_view>

#include "ancora/framework/manifest.hpp"
#include "ancora/framework/plugin_registry.hpp"
#include "fmu_variables.hpp"

namespace ancora::fmu {

/// An identifier of C that the name leads to.
std::string identifier(std::string_view name);

/// What a key of an object means: the text and the unit of its type's schema; neither is a fault.
void describe_key(Variable& variable, const Manifest& manifest, PluginRegistry& registry);
/// What a column of history.csv is.
std::string doc_of_column(const std::string& column, const Manifest& manifest);

/// @param version  of the standard: 2 or 3
/// @param end      of the model [s]
std::string description_xml(int version,
                            const std::string& model_name,
                            const Description& description,
                            double begin,
                            double end);

}  // namespace ancora::fmu
