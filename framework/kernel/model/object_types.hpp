// SPDX-License-Identifier: BSD-3-Clause
// The types of a model's objects, found in the plugins that it opens.
#pragma once

#include <string>

#include "model.hpp"

namespace ancora {

/// Finds types, and notes in the model which plugins and types it uses.
class ObjectTypes {
public:
    /// Opens the plugins that the manifest names.
    ObjectTypes(Model& model, const Manifest& manifest, PluginRegistry& registry);

    PluginType find(TypeKind kind, const std::string& name, const Place& place);

    /// A reference to an object that is to be made.
    ObjectRef refer(TypeKind kind,
                    const std::string& name,
                    const std::string& label,
                    const std::string& type_name,
                    const Place& place,
                    const Place& type_place);
    ObjectRef refer(const ObjectSpec& spec);

private:
    UsedPlugin& use(const Plugin& plugin);

    Model& model_;
    PluginRegistry& registry_;
};

}  // namespace ancora
