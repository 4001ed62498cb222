// SPDX-License-Identifier: BSD-3-Clause
// The elements of FMI 2.0 and 3.0 that running one takes.
#include "description.hpp"

#include <algorithm>
#include <stdexcept>

#include <pugixml.hpp>

namespace ancora::fmu {
namespace {

constexpr const char* kFile = "modelDescription.xml";

[[noreturn]] void refuse(const std::string& what) {
    throw std::runtime_error(what);
}

Role role_of(std::string_view causality) {
    if (causality == "input") return Role::input;
    if (causality == "output") return Role::output;
    return causality == "parameter" ? Role::parameter : Role::other;
}

const char* word(Role role) {
    switch (role) {
        case Role::input:
            return "input";
        case Role::output:
            return "output";
        case Role::parameter:
            return "parameter";
        case Role::other:
            break;
    }
    return "variable";
}

/// An identifier is a part of a path.
void require_identifier(const std::string& text) {
    const auto is_fine = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_';
    };
    if (text.empty() || !std::ranges::all_of(text, is_fine))
        refuse("its modelIdentifier \"" + text + "\" is none");
}

}  // namespace

Description read_description(const std::filesystem::path& file) {
    pugi::xml_document document;
    const pugi::xml_parse_result parsed = document.load_file(file.c_str());
    if (!parsed) refuse(std::string("its ") + kFile + " cannot be read: " + parsed.description());
    const pugi::xml_node root = document.child("fmiModelDescription");
    if (!root) refuse(std::string("its ") + kFile + " describes no FMU");

    Description out;
    const std::string version = root.attribute("fmiVersion").value();
    if (version != "2.0" && !version.starts_with("3.0"))
        refuse("it is of FMI version \"" + version + "\"; 2.0 and 3.0 are run");
    out.version = version[0] - '0';
    const bool is_second = out.version == 2;
    out.token = root.attribute(is_second ? "guid" : "instantiationToken").value();
    const pugi::xml_node slave = root.child("CoSimulation");
    if (!slave) refuse("it is not for co-simulation, and has no solver of its own");
    if (slave.attribute("needsExecutionTool").as_bool())
        refuse("it needs the tool that wrote it to run");
    out.identifier = slave.attribute("modelIdentifier").value();
    require_identifier(out.identifier);
    out.has_states =
        slave.attribute(is_second ? "canGetAndSetFMUstate" : "canGetAndSetFMUState").as_bool() &&
        slave.attribute(is_second ? "canSerializeFMUstate" : "canSerializeFMUState").as_bool();
    out.step_size = root.child("DefaultExperiment").attribute("stepSize").as_double();
    for (const pugi::xml_node node : root.child("ModelVariables").children()) {
        const pugi::xml_node value = is_second ? node.first_child() : node;
        Variable variable;
        variable.name = node.attribute("name").value();
        variable.reference = node.attribute("valueReference").as_uint();
        variable.role = role_of(node.attribute("causality").value());
        for (pugi::xml_node each = is_second ? value : pugi::xml_node(); each;
             each = each.next_sibling())
            if (std::string_view(each.name()) == "Real") {
                variable.is_number = true;
                variable.unit = each.attribute("unit").value();
            }
        if (!is_second && std::string_view(node.name()) == "Float64") {
            variable.is_number = !node.child("Dimension");
            variable.unit = node.attribute("unit").value();
        }
        out.variables.push_back(std::move(variable));
    }
    return out;
}

const Variable& Description::find(std::string_view name, Role role) const {
    std::string known;
    for (const Variable& variable : variables) {
        if (variable.role != role) continue;
        if (variable.name == name) {
            if (!variable.is_number)
                refuse("its " + std::string(word(role)) + " \"" + variable.name +
                       "\" is no single real number");
            return variable;
        }
        if (variable.is_number) known += (known.empty() ? "\"" : ", \"") + variable.name + '"';
    }
    refuse("it has no " + std::string(word(role)) + " \"" + std::string(name) + "\"; " +
           (known.empty() ? std::string("there are none") : "there are " + known));
}

}  // namespace ancora::fmu
