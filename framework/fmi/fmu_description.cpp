// SPDX-License-Identifier: BSD-3-Clause
// The description by both versions of the standard, which differ in words more than in content.
#include "fmu_description.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "ancora/framework/version.hpp"
#include "xml_text.hpp"

namespace ancora::fmu {
namespace {

std::string xml(std::string_view text) {
    return escaped_xml(text, ' ');
}

/// ` name="text"`, or nothing.
std::string attribute(const char* name, std::string_view text) {
    return text.empty() ? "" : fmt::format(" {}=\"{}\"", name, xml(text));
}

/// kg, m, s, A, rad of the units that columns, inputs and parameters have.
struct BaseUnit {
    int kg, m, s, A, rad;
};
const std::map<std::string, BaseUnit>& base_units() {
    static const std::map<std::string, BaseUnit> kUnits = {
        {"s", {0, 0, 1, 0, 0}},         {"m", {0, 1, 0, 0, 0}},     {"m/s", {0, 1, -1, 0, 0}},
        {"m/s^2", {0, 1, -2, 0, 0}},    {"rad", {0, 0, 0, 0, 1}},   {"rad/s", {0, 0, -1, 0, 1}},
        {"kg", {1, 0, 0, 0, 0}},        {"N", {1, 1, -2, 0, 0}},    {"N m", {1, 2, -2, 0, 0}},
        {"J", {1, 2, -2, 0, 0}},        {"W", {1, 2, -3, 0, 0}},    {"Pa", {1, -1, -2, 0, 0}},
        {"V", {1, 2, -3, -1, 0}},       {"A", {0, 0, 0, 1, 0}},     {"kg m/s", {1, 1, -1, 0, 0}},
        {"kg m^2/s", {1, 2, -1, 0, 0}}, {"ohm", {1, 2, -3, -2, 0}}, {"m^3", {0, 3, 0, 0, 0}},
        {"m^3/s", {0, 3, -1, 0, 0}},    {"kg m^2", {1, 2, 0, 0, 0}}};
    return kUnits;
}

std::string unit_xml(const std::string& unit) {
    const auto found = base_units().find(unit);
    if (found == base_units().end()) return fmt::format("    <Unit name=\"{}\"/>\n", xml(unit));
    const BaseUnit& base = found->second;
    std::string text = fmt::format("    <Unit name=\"{}\"><BaseUnit", xml(unit));
    const std::pair<const char*, int> exponents[] = {
        {"kg", base.kg}, {"m", base.m}, {"s", base.s}, {"A", base.A}, {"rad", base.rad}};
    for (const auto& [name, exponent] : exponents)
        if (exponent != 0) text += fmt::format(" {}=\"{}\"", name, exponent);
    return text + "/></Unit>\n";
}

const char* causality(const Variable& variable) {
    switch (variable.kind) {
        case Variable::Kind::parameter:
            return "parameter";
        case Variable::Kind::output:
            return "output";
        default:
            return "input";
    }
}

/// Type and start, which outputs do not have.
std::string typed(int version, const Variable& variable, const std::string& head) {
    const bool is_second = version == 2;
    const bool is_output = variable.kind == Variable::Kind::output;
    const std::string unit = attribute("unit", variable.unit);
    // By 2.0 an element inside of the variable's, by 3.0 the variable's own.
    const auto one = [&](const char* name, const std::string& attributes) {
        return is_second
                   ? fmt::format(
                         "    <ScalarVariable{}><{}{}/></ScalarVariable>\n", head, name, attributes)
                   : fmt::format("    <{}{}{}/>\n", name, head, attributes);
    };
    if (variable.type == Variable::Type::real)
        return one(is_second ? "Real" : "Float64",
                   unit + (is_output ? "" : fmt::format(" start=\"{}\"", variable.start)));
    if (variable.type == Variable::Type::boolean)
        return one("Boolean", variable.start != 0.0 ? " start=\"true\"" : " start=\"false\"");
    // An empty text is a start, too.
    const std::string text = xml(variable.text);
    if (is_second) return one("String", fmt::format(" start=\"{}\"", text));
    return fmt::format("    <String{}><Start value=\"{}\"/></String>\n", head, text);
}

const ObjectSpec* find_object(const Manifest& manifest, std::string_view name) {
    for (const auto* const list : {&manifest.bodies, &manifest.constraints, &manifest.forces})
        for (const ObjectSpec& object : *list)
            if (object.name == name) return &object;
    return nullptr;
}

constexpr std::pair<std::string_view, const char*> kOfModel[] = {
    {"t", "the time"},
    {"energy.kinetic", "kinetic energy"},
    {"energy.potential", "potential energy, with that of strain"},
    {"energy.total", "kinetic and potential energy"},
    {"work.external", "work that came in from outside"},
    {"work.nonideal", "work of nonideal forces"},
    {"work.projection", "work of projections onto the constraints"},
    {"energy.balance", "energy and works, which should be constant"},
    {"constraint.position", "largest residual of the constraints' positions"},
    {"constraint.velocity", "largest residual of the constraints' velocities"},
    {"constraint.strain", "largest residual of the constraints' strains"},
};

/// Columns of objects by what follows their name; '?' is one of x, y, z, w.
constexpr std::pair<std::string_view, const char*> kOfObject[] = {
    {"?", "position, inertial axes"},
    {"v?", "velocity, inertial axes"},
    {"q?", "attitude as a quaternion"},
    {"w?", "angular velocity, inertial axes"},
    {"force.?", "force, inertial axes"},
    {"torque.?", "torque, inertial axes"},
    {"on_b.force.?", "force on the second body, inertial axes"},
    {"on_b.moment.?", "moment on the second body, inertial axes"},
    {"ideal.?", "ideal part of the force"},
    {"nonideal.?", "nonideal part of the force"},
    {"effort", "effort, on what it acts on"},
    {"work", "work"},
};

bool fits(std::string_view pattern, std::string_view text) {
    return pattern.size() == text.size() &&
           std::equal(pattern.begin(), pattern.end(), text.begin(), [](char p, char c) {
               return p == c || (p == '?' && ((c >= 'x' && c <= 'z') || c == 'w'));
           });
}

}  // namespace

std::string identifier(std::string_view name) {
    std::string out;
    for (const char c : name) {
        const bool fits =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        out += fits ? c : '_';
    }
    if (out.empty() || (out[0] >= '0' && out[0] <= '9')) out.insert(0, "_");
    return out;
}

void describe_key(Variable& variable, const Manifest& manifest, PluginRegistry& registry) {
    // "body.table.mass" and "integrator.TYPE.order" of a parameter, "motor.voltage" of an input
    std::string_view key = variable.of;
    const bool is_of_integrator =
        variable.kind == Variable::Kind::parameter && key.starts_with("integrator.");
    if (variable.kind == Variable::Kind::parameter) key.remove_prefix(key.find('.') + 1);
    const std::size_t dot = key.find('.');
    if (dot == std::string_view::npos) return;
    const std::string_view owner = key.substr(0, dot), name = key.substr(dot + 1);
    const ObjectSpec* const object = find_object(manifest, owner);
    if (object == nullptr && !is_of_integrator) return;
    const TypeKind kind = is_of_integrator ? TypeKind::integrator : object->kind;
    const std::string type_name = is_of_integrator ? std::string(owner) : object->type;
    variable.doc = is_of_integrator ? fmt::format("integrator {}", owner)
                                    : fmt::format("{} {} ({})", to_text(kind), owner, type_name);
    try {
        const TypeDescriptor& type = *registry.find_type(kind, type_name).type;
        for (const Parameter& parameter :
             std::span(type.parameters, static_cast<std::size_t>(type.num_parameters)))
            if (parameter.name == name) {
                variable.doc += std::string(": ") + parameter.doc;
                if (variable.unit.empty() && variable.type == Variable::Type::real)
                    variable.unit = parameter.unit;
                return;
            }
    } catch (const Error&) {
        // a joint that is several constraints, say: its name and type are described
    }
}

std::string doc_of_column(const std::string& column, const Manifest& manifest) {
    for (const auto& [name, doc] : kOfModel)
        if (column == name) return doc;
    for (const char* of : {"momentum.balance", "angular_momentum.balance"})
        if (column.starts_with(of)) return "momentum and impulses, which should be constant";
    if (column.starts_with("momentum.")) return "momentum, inertial axes";
    if (column.starts_with("angular_momentum.")) return "angular momentum about the origin";
    // The longest name that it begins with: names of generated objects and points may have dots.
    for (std::size_t dot = column.rfind('.'); dot != std::string::npos && dot > 0;
         dot = column.rfind('.', dot - 1)) {
        const ObjectSpec* const object = find_object(manifest, column.substr(0, dot));
        if (object == nullptr) continue;
        const std::string rest = column.substr(dot + 1);
        const auto found = std::ranges::find_if(kOfObject, [&](const auto& entry) {
            return fits(entry.first, rest);
        });
        return fmt::format("{} {} ({}): {}",
                           to_text(object->kind),
                           object->name,
                           object->type,
                           found != std::end(kOfObject) ? found->second : rest);
    }
    return "column of history.csv";
}

std::string description_xml(int version,
                            const std::string& model_name,
                            const Description& description,
                            double begin,
                            double end) {
    const bool is_second = version == 2;
    const Exchange& exchange = description.exchange;
    std::set<std::string> units = {"s"};
    for (const Variable& variable : description.variables)
        if (!variable.unit.empty()) units.insert(variable.unit);
    std::string text = fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<fmiModelDescription fmiVersion=\"{}\" modelName=\"{}\" {}=\"{}\"\n"
        "    generationTool=\"Ancora {}\" variableNamingConvention=\"flat\"{}>\n",
        is_second ? "2.0" : "3.0",
        xml(model_name),
        is_second ? "guid" : "instantiationToken",
        description.token,
        ancora::version(),
        is_second ? fmt::format(" numberOfEventIndicators=\"{}\"", exchange.num_events) : "");
    const std::string by = identifier(model_name);
    const std::string kept = is_second
                                 ? "canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\""
                                 : "canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\"";
    if (!exchange.states.empty())
        text += fmt::format("  <ModelExchange modelIdentifier=\"{}\" {}\n      {}/>\n",
                            by,
                            kept,
                            is_second ? "canNotUseMemoryManagementFunctions=\"true\" "
                                        "providesDirectionalDerivative=\"true\""
                                      : "needsCompletedIntegratorStep=\"true\" "
                                        "providesDirectionalDerivatives=\"true\"");
    if (description.is_for_steps)
        text += fmt::format(
            "  <CoSimulation modelIdentifier=\"{}\" "
            "canHandleVariableCommunicationStepSize=\"true\"\n"
            "      {} {}/>\n",
            by,
            kept,
            is_second ? "canNotUseMemoryManagementFunctions=\"true\""
                      : fmt::format("hasEventMode=\"true\" fixedInternalStepSize=\"{}\"",
                                    description.step));
    text += "  <UnitDefinitions>\n";
    for (const std::string& unit : units) text += unit_xml(unit);
    text += fmt::format(
        "  </UnitDefinitions>\n  <LogCategories>\n    <Category name=\"logStatusError\"/>\n"
        "    <Category name=\"logStatusWarning\"/>\n  </LogCategories>\n"
        "  <DefaultExperiment startTime=\"{}\" stopTime=\"{}\" stepSize=\"{}\"/>\n  "
        "<ModelVariables>\n",
        begin,
        end,
        description.step);
    std::string outputs, rates, unknowns, indicators;
    // By 2.0 a variable's place in the list, by 3.0 its value reference, which is that less 1.
    const auto item = [&](const char* third, std::size_t i) {
        return is_second ? fmt::format("      <Unknown index=\"{}\"/>\n", i + 1)
                         : fmt::format("    <{} valueReference=\"{}\"/>\n", third, i);
    };
    for (std::size_t i = 0; i < description.variables.size(); ++i) {
        const Variable& variable = description.variables[i];
        const bool is_parameter = variable.kind == Variable::Kind::parameter;
        const bool is_clocked = variable.clock >= 0;
        std::string head =
            fmt::format(" name=\"{}\" valueReference=\"{}\" causality=\"{}\" variability=\"{}\"{}",
                        xml(variable.name),
                        i,
                        causality(variable),
                        is_parameter ? "fixed"
                        : is_clocked ? "discrete"
                                     : "continuous",
                        attribute("description", variable.doc));
        if (is_clocked)
            head +=
                fmt::format(" clocks=\"{}\"",
                            description.first_clock() + static_cast<std::size_t>(variable.clock));
        if (variable.kind == Variable::Kind::output) {
            head += " initial=\"calculated\"";
            outputs += item("Output", i);
            unknowns += item("InitialUnknown", i);
        } else if (is_parameter && is_second) {
            head += " initial=\"exact\"";
        }
        text += typed(version, variable, head);
    }
    const std::string head = fmt::format(
        " name=\"time\" valueReference=\"{}\" causality=\"independent\" variability=\"continuous\" "
        "description=\"the time of the importer\"",
        description.variables.size());
    text += is_second
                ? fmt::format("    <ScalarVariable{}><Real unit=\"s\"/></ScalarVariable>\n", head)
                : fmt::format("    <Float64{} unit=\"s\"/>\n", head);
    // Behind these: states, their derivatives, and by 3.0 the event indicators.
    std::size_t i = description.first_state();
    const auto add_local = [&](const std::string& name, const std::string& attributes) {
        const std::string local = fmt::format(
            " name=\"{}\" valueReference=\"{}\" causality=\"local\" variability=\"continuous\" "
            "initial=\"calculated\"",
            xml(name),
            i);
        text += is_second
                    ? fmt::format(
                          "    <ScalarVariable{}><Real{}/></ScalarVariable>\n", local, attributes)
                    : fmt::format("    <Float64{}{}/>\n", local, attributes);
    };
    for (const std::string& state : exchange.states) {
        add_local("x." + state, "");
        unknowns += item("InitialUnknown", i++);
    }
    for (std::size_t k = 0; k < exchange.states.size(); ++k) {
        const std::size_t of = description.first_state() + k + (is_second ? 1 : 0);
        add_local(fmt::format("der(x.{})", exchange.states[k]),
                  fmt::format(" derivative=\"{}\"", of));
        rates += item("ContinuousStateDerivative", i);
        unknowns += item("InitialUnknown", i++);
    }
    for (int k = 0; !is_second && k < exchange.num_events; ++k) {
        add_local(fmt::format("event.{}", k), "");
        indicators += item("EventIndicator", i++);
    }
    for (const Clock& clock : description.clocks) {
        text += fmt::format(
            "    <Clock name=\"{}\" valueReference=\"{}\" causality=\"output\" "
            "variability=\"discrete\" intervalVariability=\"triggered\"{}/>\n",
            xml(clock.name),
            i,
            attribute("description", clock.doc));
        outputs += item("Output", i++);
    }
    text += "  </ModelVariables>\n  <ModelStructure>\n";
    if (!is_second) {
        text += outputs + rates + unknowns + indicators;
    } else {
        const std::pair<const char*, const std::string*> lists[] = {
            {"Outputs", &outputs}, {"Derivatives", &rates}, {"InitialUnknowns", &unknowns}};
        for (const auto& [name, list] : lists)
            if (!list->empty()) text += fmt::format("    <{0}>\n{1}    </{0}>\n", name, *list);
    }
    return text + "  </ModelStructure>\n</fmiModelDescription>\n";
}

}  // namespace ancora::fmu
