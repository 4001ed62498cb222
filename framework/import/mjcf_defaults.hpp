// SPDX-License-Identifier: BSD-3-Clause
// Includes and default classes of MJCF: what stands elsewhere is put where it counts.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "xml_source.hpp"

namespace ancora::robot {

/// Elements of MJCF with the attributes that default classes give them.
class MjcfDefaults {
public:
    MjcfDefaults(pugi::xml_node root, XmlSource& source);

    /// Elements below this one, those of included files in the place of `<include>`.
    std::vector<pugi::xml_node> elements(pugi::xml_node node);
    /// Those of one name.
    std::vector<pugi::xml_node> elements(pugi::xml_node node, std::string_view name);

    /// Reads `<default>` of the first level; elements() has to be called before any complete().
    void read_classes();
    /// Gives an element what its class has and it has not. `surrounding` is the class of the
    /// bodies around it; `tag` that by which classes know it.
    void complete(pugi::xml_node node, const std::string& surrounding, const char* tag);

private:
    /// Attributes by tag, in the order of the file.
    using Attributes = std::vector<std::pair<std::string, std::string>>;
    using Class = std::map<std::string, Attributes>;
    void read_class(pugi::xml_node node, const Class& above, bool is_first, int depth);

    pugi::xml_node root_;
    XmlSource& source_;
    std::map<std::string, Class> classes_;
    std::map<std::string, pugi::xml_node> included_;
};

}  // namespace ancora::robot
