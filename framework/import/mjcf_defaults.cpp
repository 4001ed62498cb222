// SPDX-License-Identifier: BSD-3-Clause
#include "mjcf_defaults.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "ancora/framework/nearest_name.hpp"
#include "ancora/framework/printable.hpp"

namespace ancora::robot {
namespace {

constexpr const char* kMain = "main";
constexpr int kMostNestedClasses = 100;

void set(std::vector<std::pair<std::string, std::string>>& list,
         const std::string& name,
         const std::string& value) {
    const auto known = std::ranges::find(list, name, &std::pair<std::string, std::string>::first);
    if (known != list.end())
        known->second = value;
    else
        list.emplace_back(name, value);
}

}  // namespace

MjcfDefaults::MjcfDefaults(pugi::xml_node root, XmlSource& source) : root_(root), source_(source) {
    included_.emplace(source.file(root).lexically_normal().string(), root);
}

std::vector<pugi::xml_node> MjcfDefaults::elements(pugi::xml_node node) {
    std::vector<pugi::xml_node> out;
    for (const pugi::xml_node child : node.children()) {
        if (child.type() != pugi::node_element) continue;
        if (std::string_view(child.name()) != "include") {
            out.push_back(child);
            continue;
        }
        const std::string name = source_.required(child, "file");
        if (name.empty()) continue;
        // From the main file's folder, as MuJoCo has it
        const auto path = source_.file(root_).parent_path() / name;
        const std::string key = path.lexically_normal().string();
        const auto known = included_.find(key);
        if (known != included_.end() && known->second != child) {
            source_.wrong(child,
                          "file",
                          fmt::format("\"{}\" is included elsewhere already", printable(name)));
            continue;
        }
        if (known == included_.end()) {
            included_.emplace(key, child);
            source_.load(path);
        }
        const std::vector<pugi::xml_node> inside = elements(source_.root_of(path));
        out.insert(out.end(), inside.begin(), inside.end());
    }
    return out;
}

std::vector<pugi::xml_node> MjcfDefaults::elements(pugi::xml_node node, std::string_view name) {
    std::vector<pugi::xml_node> out;
    for (const pugi::xml_node child : elements(node))
        if (name == child.name()) out.push_back(child);
    return out;
}

void MjcfDefaults::read_classes() {
    classes_[kMain];
    for (const pugi::xml_node node : elements(root_, "default")) read_class(node, {}, true, 0);
}

void MjcfDefaults::read_class(pugi::xml_node node, const Class& above, bool is_first, int depth) {
    if (depth > kMostNestedClasses) {
        source_.wrong(node, nullptr, "classes are nested too deeply");
        return;
    }
    // That of the first level counts for all, whatever its name; several sections are parts of it
    const std::string name = is_first ? kMain : node.attribute("class").value();
    if (name.empty()) {
        source_.required(node, "class");
        return;
    }
    Class& own = classes_[name];
    if (!is_first) own = above;
    const std::vector<pugi::xml_node> inside = elements(node);
    for (const pugi::xml_node child : inside) {
        if (std::string_view(child.name()) == "default") continue;
        Attributes& attributes = own[child.name()];
        for (const pugi::xml_attribute attribute : child.attributes())
            set(attributes, attribute.name(), attribute.value());
    }
    const Class copy = own;
    if (const auto other = node.attribute("class")) classes_[other.value()] = copy;
    for (const pugi::xml_node child : inside)
        if (std::string_view(child.name()) == "default") read_class(child, copy, false, depth + 1);
}

void MjcfDefaults::complete(pugi::xml_node node, const std::string& surrounding, const char* tag) {
    std::string name = node.attribute("class").value();
    if (name.empty()) name = surrounding.empty() ? kMain : surrounding;
    const auto known = classes_.find(name);
    if (known == classes_.end()) {
        std::vector<std::string> names;
        for (const auto& [other, attributes] : classes_) names.push_back(other);
        source_.wrong(
            node,
            "class",
            fmt::format("there is no class \"{}\"{}", printable(name), did_you_mean(name, names)));
        return;
    }
    const auto attributes = known->second.find(tag);
    if (attributes == known->second.end()) return;
    for (const auto& [attribute, value] : attributes->second)
        if (!node.attribute(attribute.c_str()))
            node.append_attribute(attribute.c_str()).set_value(value.c_str());
}

}  // namespace ancora::robot
