// SPDX-License-Identifier: BSD-3-Clause
// The checks of descriptors and of the floating-point environment, without any library.
#include "plugin_checks.hpp"

#include <cfenv>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "fp_environment.hpp"

using namespace ancora;

namespace {

void* never_called(const Arguments&) {
    return nullptr;
}

/// The descriptor of a plugin with one body type "brick" without parameters, to be spoilt.
struct Sample {
    std::vector<Parameter> schema;
    TypeDescriptor type;
    PluginDescriptor plugin;

    Sample() {
        type.name = "brick";
        type.create = never_called;
        plugin = {kPluginMagic,
                  sizeof(PluginDescriptor),
                  ANCORA_SDK_VERSION,
                  kAbiFingerprint.data(),
                  static_cast<std::uint32_t>(kAbiFingerprint.size()),
                  1,
                  "bricks",
                  "1.0.0",
                  nullptr};
    }

    std::string flaw() {
        if (!schema.empty()) {
            type.parameters = schema.data();
            type.num_parameters = static_cast<std::int32_t>(schema.size());
        }
        if (plugin.num_types == 1) plugin.types = &type;
        return find_flaw(&plugin);
    }
};

std::string flaw_of_plugin(void (*spoil)(PluginDescriptor&)) {
    Sample sample;
    spoil(sample.plugin);
    return sample.flaw();
}

std::string flaw_of_type(void (*spoil)(TypeDescriptor&)) {
    Sample sample;
    spoil(sample.type);
    return sample.flaw();
}

std::string flaw_of_schema(std::vector<Parameter> schema) {
    Sample sample;
    sample.schema = std::move(schema);
    return sample.flaw();
}

const std::string kFlaw = "has a flaw in its descriptor: ";
const std::string kBrick = kFlaw + "body type \"brick\"";
const std::string kNameRule =
    "; a name is a letter or \"_\" followed by letters, digits, \"_\" and \"-\"";

}  // namespace

TEST_SUITE("plugin checks") {
    TEST_CASE("a name is a letter or _ followed by letters, digits, _ and -") {
        for (const char* name : {"a", "_", "Z9", "emm", "ancf-rigid_2"}) CHECK(is_valid_name(name));
        for (const char* name : {"", "9a", "-a", "a b", "a.b", "a/b", "\xc3\xa4", "a\n"})
            CHECK_FALSE(is_valid_name(name));
    }

    TEST_CASE("a complete descriptor has no flaw") {
        using namespace parameter;
        static constexpr Parameter kAxis[] = {vector("axis", 3, "", "").required(),
                                              number("name", "", "allowed inside a table")};
        CHECK(Sample().flaw() == "");
        CHECK(flaw_of_schema({number("a", "m", "").positive().otherwise("1"),
                              table("spin", kAxis, "").or_text("none|all"),
                              point("at", "").required()}) == "");
    }

    TEST_CASE("flaws of a plugin") {
        CHECK(flaw_of_plugin([](auto& p) {
                  p.size += 8;
              }) ==
              fmt::format("has a descriptor of {} bytes, this program's SDK {} has one of {}; "
                          "rebuild it with the installed SDK",
                          sizeof(PluginDescriptor) + 8,
                          ANCORA_SDK_VERSION,
                          sizeof(PluginDescriptor)));
        CHECK(flaw_of_plugin([](auto& p) {
                  p.abi = nullptr;
              }) ==
              "states no ABI fingerprint; write the descriptor with ANCORA_PLUGIN and rebuild it");
        CHECK(flaw_of_plugin([](auto& p) {
                  p.num_abi -= 1;
              }).ends_with(":\n  size of an enumeration: plugin not stated, program 004"));
        CHECK(flaw_of_plugin([](auto& p) {
                  p.name = nullptr;
              }) == "has the name \"\"" + kNameRule);
        CHECK(flaw_of_plugin([](auto& p) {
                  p.name = "a b";
              }) == "has the name \"a b\"" + kNameRule);
        CHECK(flaw_of_plugin([](auto& p) {
                  p.version = "";
              }) == "states no version; write one in ANCORA_PLUGIN");
        CHECK(flaw_of_plugin([](auto& p) {
                  p.num_types = 0;
              }) == "offers no types; list them in ANCORA_PLUGIN");
    }

    TEST_CASE("flaws of a type") {
        CHECK(flaw_of_type([](auto& t) {
                  t.kind = static_cast<TypeKind>(9);
              }) == kFlaw + "type 1 is of the unknown kind 9");
        CHECK(flaw_of_type([](auto& t) {
                  t.name = "2x4";
              }) == kFlaw + "type 1 has the name \"2x4\"" + kNameRule);
        CHECK(flaw_of_type([](auto& t) {
                  t.create = nullptr;
              }) == kBrick + " has no factory");
        CHECK(flaw_of_type([](auto& t) {
                  t.source = nullptr;
              }) ==
              kBrick +
                  " has a null doc, equation, source or tolerance; use an empty text for none");
        CHECK(flaw_of_type([](auto& t) {
                  t.num_parameters = 2;
              }) == kBrick + " announces 2 parameters, but leads to none");
        CHECK(flaw_of_type([](auto& t) {
                  t.num_parameters = -1;
              }) == kBrick + " announces -1 parameters, but leads to none");
        CHECK(flaw_of_type([](auto& t) {
                  t.claims.bits = 1u << 9;
              }) == kBrick + " makes a claim that SDK " + std::to_string(ANCORA_SDK_VERSION) +
                        " does not have (claims 0x200)");
        CHECK(flaw_of_type([](auto& t) {
                  t.order = -1;
              }) == kBrick + " claims the order -1");
    }

    TEST_CASE("flaws of a schema") {
        using namespace parameter;
        static constexpr Parameter kTwins[] = {number("a", "", ""), number("a", "", "")};
        Parameter p = number("a", "m", "");

        CHECK(flaw_of_schema({p, number("", "", "")}) ==
              kBrick + ": parameter 2 has the name \"\"" + kNameRule);
        CHECK(flaw_of_schema({p, p}) == kBrick + " has two parameters \"a\"");
        CHECK(flaw_of_schema({number("type", "", "")}) ==
              kBrick + ": no parameter can be called \"type\", which every object has");
        CHECK(flaw_of_schema({table("spin", kTwins, "")}) ==
              kBrick + ": parameter \"spin\" has two parameters \"a\"");
        CHECK(flaw_of_schema({p.required().otherwise("1")}) ==
              kBrick + ": parameter \"a\" is required and has the default 1; choose one");
        CHECK(flaw_of_schema({p.at_least(2.0).at_most(1.0)}) ==
              kBrick + ": parameter \"a\" has the empty range from 2 to 1");
        CHECK(flaw_of_schema({p.with(Shape::table)}) ==
              kBrick + ": parameter \"a\" allows a table but has no schema for it");
        CHECK(flaw_of_schema({p.with(static_cast<Shape>(1u << 20))}) ==
              kBrick + ": parameter \"a\" allows a shape that SDK " +
                  std::to_string(ANCORA_SDK_VERSION) + " does not have (shapes 0x100004)");
        p.shapes = 0;
        CHECK(flaw_of_schema({p}) ==
              kBrick + ": parameter \"a\" allows no shape; say what its value looks like");
        static constexpr Parameter kFree[] = {number("*", "", "")};
        static constexpr Parameter kNeeded[] = {number("*", "", "").required()};
        CHECK(flaw_of_schema({table("parts", kFree, "")}) == "");
        CHECK(flaw_of_schema({number("*", "", "")}) ==
              kBrick + ": parameter 1 has the name \"*\"" + kNameRule);
        CHECK(flaw_of_schema({table("parts", kNeeded, "")}) ==
              kBrick +
                  ": parameter \"parts\": the parameter \"*\" stands for any name, so that "
                  "it can neither be required nor have a default");
        p = number("a", nullptr, "");
        CHECK(flaw_of_schema({p}) ==
              kBrick + ": parameter \"a\" has a null unit or doc; use an empty text for none");
        p = vector("a", -3, "", "");
        CHECK(flaw_of_schema({p}) ==
              kBrick + ": parameter \"a\" has a negative length, number of rows or of columns");
        p = number("a", "", "");
        p.num_children = 1;
        CHECK(flaw_of_schema({p}) ==
              kBrick + ": parameter \"a\" announces 1 entries of its table, but leads to none");
    }

    TEST_CASE("a schema that contains itself is refused instead of followed for ever") {
        Parameter p = parameter::make("a", "", "", Shape::table);
        p.children = &p;
        p.num_children = 1;
        CHECK(flaw_of_schema({p}).ends_with("nests tables too deeply"));
    }
}

TEST_SUITE("floating-point environment") {
    TEST_CASE("a changed rounding direction is noticed, named and mended") {
        const FpEnvironment before = FpEnvironment::capture();
        CHECK_FALSE(before.differs());
        CHECK(before.changes() == "");
        std::fesetround(FE_UPWARD);
        const bool differs = before.differs();
        const std::string changes = before.changes();
        before.restore();
        CHECK(differs);
        CHECK(changes == "rounding");
        CHECK(std::fegetround() == FE_TONEAREST);
        CHECK_FALSE(before.differs());
    }

    TEST_CASE("flags of exceptions that happened do not count") {
        std::feclearexcept(FE_ALL_EXCEPT);
        const FpEnvironment before = FpEnvironment::capture();
        volatile double zero = 0.0;
        volatile double x = 1.0 / zero;
        static_cast<void>(x);
        CHECK_FALSE(before.differs());
        before.restore();
        CHECK(std::fetestexcept(FE_DIVBYZERO) != 0);
        std::feclearexcept(FE_ALL_EXCEPT);
    }
}
