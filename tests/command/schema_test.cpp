// SPDX-License-Identifier: BSD-3-Clause
// `ancora schema` against `ancora describe`: every type and every key is there, with what its
// schema says. Whether manifests pass is schema_test.py's matter.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "support/process.hpp"

namespace ancora::testing {
namespace {

using Json = nlohmann::json;

Json output(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), ANCORA_TEST_BIN);
    const ProcessResult result = run_process(arguments, {});
    REQUIRE(result.status == 0);
    CHECK(result.err == "");
    return Json::parse(result.out);
}

// The schema of numbers among what a value may be; null if there is none.
Json number_of(const Json& value) {
    const auto is_number = [](const Json& schema) {
        const Json type = schema.value("type", Json());
        return type == "number" || type == "integer" || type == Json({"number", "null"});
    };
    if (is_number(value)) return value;
    for (const Json& alternative : value.value("anyOf", Json::array()))
        if (is_number(alternative)) return alternative;
    return {};
}

void check_keys(const Json& parameters, const Json& object) {
    const Json required = object.value("required", Json::array());
    for (const Json& parameter : parameters) {
        const std::string name = parameter["name"];
        CAPTURE(name);
        const bool has_free_names = name == "*";
        if (!has_free_names) REQUIRE(object["properties"].contains(name));
        const Json& value =
            has_free_names ? object["additionalProperties"] : object["properties"][name];
        const bool is_required = std::ranges::find(required, Json(name)) != required.end();
        CHECK(is_required == parameter["required"]);
        if (const std::string unit = parameter["unit"]; !unit.empty() && unit != "-")
            CHECK(value["title"] == name + " [" + unit + "]");
        CHECK(value["description"].get<std::string>().starts_with(
            parameter["doc"].get<std::string>()));
        if (const Json number = number_of(value); !number.is_null()) {
            const bool low = parameter["minimum_is_excluded"];
            CHECK(number.value(low ? "exclusiveMinimum" : "minimum", Json()) ==
                  parameter["minimum"]);
            const bool high = parameter["maximum_is_excluded"];
            CHECK(number.value(high ? "exclusiveMaximum" : "maximum", Json()) ==
                  parameter["maximum"]);
            CHECK((number["type"] == Json({"number", "null"})) == parameter["may_be_infinite"]);
        }
        if (!parameter.contains("parameters")) continue;
        const auto has_keys = [](const Json& schema) {
            return schema.value("type", Json()) == "object";
        };
        if (has_keys(value)) {
            check_keys(parameter["parameters"], value);
        } else {
            const auto table = std::ranges::find_if(value["anyOf"], has_keys);
            REQUIRE(table != value["anyOf"].end());
            check_keys(parameter["parameters"], *table);
        }
    }
}

}  // namespace

TEST_SUITE("ancora schema") {
    TEST_CASE("every type has a branch with its keys, units, ranges and what it requires") {
        const std::vector<std::string> zoo{"--plugin-dir", ANCORA_TEST_ZOO_DIR};
        std::vector<std::string> arguments{"schema"};
        arguments.insert(arguments.end(), zoo.begin(), zoo.end());
        const Json schema = output(arguments);
        arguments = {"describe", "--all", "--json"};
        arguments.insert(arguments.end(), zoo.begin(), zoo.end());
        const Json types = output(arguments);
        CHECK(types.size() >= 30);
        std::vector<std::string> seen;
        for (const Json& type : types) {
            const std::string kind = type["kind"];
            const std::string name = type["name"];
            const std::string key = kind + "." + name;
            if (std::ranges::find(seen, key) != seen.end()) continue;  // of a second plugin
            seen.push_back(key);
            CAPTURE(key);
            if (kind == "integrator") {
                const Json& own = schema["properties"]["integrator"]["properties"][name];
                CHECK(own["additionalProperties"] == false);
                check_keys(type["parameters"], own);
                continue;
            }
            REQUIRE(schema["definitions"].contains(key));
            const Json& branch = schema["definitions"][key];
            CHECK(branch["additionalProperties"] == false);
            CHECK(branch["properties"]["type"]["const"] == name);
            // besides name and type
            CHECK(branch["required"][0] == "name");
            CHECK(branch["required"][1] == "type");
            check_keys(type["parameters"], branch);
            const Json& of_kind = schema["definitions"][kind]["allOf"];
            CHECK(std::ranges::any_of(of_kind, [&](const Json& one) {
                return one.contains("then") && one["then"]["$ref"] == "#/definitions/" + key &&
                       one["if"]["properties"]["type"]["const"] == name;
            }));
        }
    }

    TEST_CASE("the kernel's own tables are closed and have their keys") {
        const Json schema = output({"schema"});
        CHECK(schema["$schema"] == "http://json-schema.org/draft-07/schema#");
        CHECK(schema["additionalProperties"] == false);
        const Json& tables = schema["properties"];
        for (const char* const name : {"include",
                                       "parameters",
                                       "model",
                                       "body",
                                       "constraint",
                                       "force",
                                       "generate",
                                       "integrator",
                                       "output"})
            CHECK(tables.contains(name));
        CHECK(tables["model"]["properties"]["gravity"]["title"] == "gravity [m/s^2]");
        CHECK(tables["model"]["properties"]["gravity"]["default"] == Json({0, 0, 0}));
        CHECK(tables["output"]["properties"]["forces"]["anyOf"][0]["enum"] ==
              Json({"reaction", "all"}));
        const Json& integrators = tables["integrator"]["properties"]["type"]["enum"];
        CHECK(std::ranges::find(integrators, Json("emm")) != integrators.end());
        for (const char* const name : {"model", "integrator", "output"})
            CHECK(tables[name]["additionalProperties"] == false);
    }

    // A key that is new must be printed, too: give it a value here that is not its default.
    TEST_CASE("check --print leaves out no key of the kernel's") {
        const std::vector<std::pair<std::string, std::vector<std::string>>> tables{
            {"model",
             {"name = \"all\"",
              "gravity = [1.0, 2.0, 3.0]",
              "plugins = [\"particle\"]",
              "plugin_dirs = [\"/usr/lib\"]",
              "project_start = true",
              "start = \"equilibrium\"",
              "impacts = \"in_turn\""}},
            {"integrator",
             {"type = \"emm\"", "step = 0.125", "begin = -1.5", "end = 7.0", "tolerance = 1e-11"}},
            {"output",
             {"every = 0.25",
              "checkpoint = 3.0",
              "frames = 0.5",
              "states = true",
              "points = [\"p@[0, 0, 0]\"]",
              "columns = [\"p.*\"]",
              "forces = \"all\""}}};
        const Json schema = output({"schema"});
        std::string text = "[[body]]\nname = \"p\"\ntype = \"particle\"\nmass = 1.0\n";
        for (const auto& [table, lines] : tables) {
            text += "[" + table + "]\n";
            for (const std::string& line : lines) text += line + "\n";
            for (const auto& [key, value] : schema["properties"][table]["properties"].items()) {
                if (table == "integrator" && value.value("type", Json()) == "object") continue;
                CAPTURE(key);
                CHECK(std::ranges::any_of(lines, [&k = key](const std::string& line) {
                    return line.starts_with(k + " = ");
                }));
            }
        }
        const TempFolder folder;
        folder.write("m.toml", text);
        const ProcessResult printed =
            run_process({ANCORA_TEST_BIN, "check", "--print", (folder / "m.toml").string()}, {});
        CHECK(printed.err == "");
        for (const auto& [table, lines] : tables)
            for (const std::string& line : lines) {
                CAPTURE(line);
                CHECK(printed.out.find("\n" + line + "\n") != std::string::npos);
            }
    }
}

}  // namespace ancora::testing
