// SPDX-License-Identifier: BSD-3-Clause
// Arguments bound to a schema: what a plugin reads, and the text of every refusal.
#include "bound_arguments.hpp"

#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ancora/framework/manifest.hpp"

namespace {
std::atomic<long> num_allocations{0};
}  // namespace

// The library's calls end here, too: the program's symbols come first in the search.
[[gnu::noinline]] void* operator new(std::size_t size) {
    ++num_allocations;
    if (void* const memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace ancora {
namespace {

using namespace parameter;

constexpr Parameter kOrientation[] = {
    vector("axis", 3, "-", "direction").required(),
    number("angle", "rad", "turn about it").otherwise("0.25"),
};

constexpr Parameter kPart[] = {
    number("young", "Pa", "stiffness").positive(),
    number("mass", "kg", "of each").required(),
};

constexpr Parameter kParts[] = {parameter::table("*", kPart, "a part of any name")};

constexpr Parameter kSchema[] = {
    number("density", "kg/m^3", "mass per volume").positive(),
    number("penalty", "Pa", "stiffness").positive().or_infinite().otherwise("inf"),
    number("ratio", "-", "a share").at_least(0.0).below(1.0),
    number("shift", "m", "").or_infinite(),
    parameter::integer("count", "how many").at_least(1),
    parameter::boolean("lumped", "all mass at nodes").otherwise("false"),
    parameter::text("start", "how to start", "unstrained|relaxed").otherwise("\"unstrained\""),
    parameter::text("label", "any text"),
    vector("size", 3, "m", "edges").positive(),
    vector("masses", 0, "kg", "").nonnegative(),
    vector("inertia", 3, "kg m^2", "principal moments, or all").or_matrix(3, 3),
    matrix("nodes", 0, 3, "m", "places"),
    matrix("table", 0, 0, "", "any rows"),
    vector("orientation", 4, "-", "quaternion").or_table(kOrientation),
    parameter::table("turn", kOrientation, "").otherwise("{axis = [0, 0, 1]}"),
    make("names", "", "texts", Shape::texts),
    point("at", "where"),
    direction("along", "which way"),
    body("velocity_from", "moves with it"),
    number("mass", "kg", "").or_text("same").or_vector(2),
    make("on", "", "", Shape::object),
    parameter::table("parts", kParts, "parts by name"),
};

// The keys of an object that stands in line 2 of "model.toml", its first key in line 3.
struct Given {
    explicit Given(const std::string& keys) {
        const Manifest manifest =
            Manifest::parse("integrator = {type = 'emm', step = 1, end = 1}\n[[body]]\n" + keys +
                                "\nname = 'box'\ntype = 'brick'\n",
                            "model.toml");
        values = manifest.bodies[0].parameters;
        place = manifest.bodies[0].place;
    }
    Table values;
    Place place;
};

BoundArguments bind(const std::string& keys, BoundArguments::MotionOf motion = {}) {
    const Given given(keys);
    return BoundArguments(
        "body \"box\"", "box", "brick", given.values, given.place, kSchema, std::move(motion));
}

template <class Action>
std::string error_of_call(const Action& action, ErrorKind kind = ErrorKind::manifest) {
    try {
        action();
    } catch (const Error& error) {
        CHECK(error.kind() == kind);
        return error.what();
    }
    return "no error";
}

std::string error_of(const std::string& keys) {
    return error_of_call([&] {
        bind(keys);
    });
}

// The message of a plugin's mistake.
template <class Action>
std::string misuse_of(const Action& action) {
    try {
        action();
    } catch (const std::logic_error& error) {
        return error.what();
    }
    return "no error";
}

std::vector<double> list(std::span<const double> numbers) {
    return {numbers.begin(), numbers.end()};
}

}  // namespace

TEST_SUITE("bound arguments: reading") {
    TEST_CASE("each shape is handed out as it was written") {
        const BoundArguments x = bind(R"(density = 2700
count = 7
lumped = true
start = "relaxed"
label = "any"
size = [1, 2.5, 3]
nodes = [[0, 0, 0], [1, 0, 0.5]]
orientation = {axis = [0, 1, 0], angle = 1}
names = ["a", "b"]
at = "box@[1, 0, 0]"
along = "box@x"
on = "pin")");
        CHECK(x.object_name() == "box");
        CHECK(x.number("density") == 2700.0);
        CHECK(x.shape("density") == Shape::number);
        CHECK(x.integer("count") == 7);
        CHECK(x.shape("count") == Shape::integer);
        CHECK(x.boolean("lumped"));
        CHECK(x.text("start") == "relaxed");
        CHECK(x.text("label") == "any");
        CHECK(list(x.numbers("size")) == std::vector{1.0, 2.5, 3.0});
        CHECK(x.triple("size") == std::array{1.0, 2.5, 3.0});
        CHECK(x.rows("size") == 3);
        CHECK(list(x.numbers("nodes")) == std::vector{0.0, 0.0, 0.0, 1.0, 0.0, 0.5});
        CHECK(x.rows("nodes") == 2);
        CHECK(x.shape("nodes") == Shape::matrix);
        CHECK(x.shape("orientation") == Shape::table);
        CHECK(x.table("orientation").number("angle") == 1.0);
        CHECK(x.table("orientation").given("angle"));
        CHECK(x.num_texts("names") == 2);
        CHECK(x.text("names", 1) == "b");
        CHECK(x.text("at") == "box@[1, 0, 0]");
        CHECK(x.shape("at") == Shape::point);
        CHECK(x.shape("along") == Shape::direction);
        CHECK(x.shape("on") == Shape::object);
    }

    TEST_CASE("defaults are there but not given, the rest is absent") {
        const BoundArguments x = bind("");
        CHECK(x.has("penalty"));
        CHECK_FALSE(x.given("penalty"));
        CHECK(std::isinf(x.number("penalty")));
        CHECK_FALSE(x.boolean("lumped"));
        CHECK(x.text("start") == "unstrained");
        CHECK(x.table("turn").number("angle") == 0.25);
        CHECK_FALSE(x.table("turn").given("axis"));
        CHECK_FALSE(x.has("density"));
        CHECK_FALSE(x.has("orientation"));
    }

    TEST_CASE("a parameter of several shapes takes each of them") {
        CHECK(bind("mass = 2").shape("mass") == Shape::number);
        CHECK(bind("mass = 'same'").shape("mass") == Shape::text);
        CHECK(bind("mass = [1, 2]").shape("mass") == Shape::vector);
        CHECK(bind("inertia = [1, 2, 3]").shape("inertia") == Shape::vector);
        CHECK(bind("inertia = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]").shape("inertia") ==
              Shape::matrix);
        CHECK(bind("orientation = [1, 0, 0, 0]").shape("orientation") == Shape::vector);
    }

    TEST_CASE("arrays of free length may be empty") {
        CHECK(bind("masses = []").numbers("masses").empty());
        CHECK(bind("nodes = []").rows("nodes") == 0);
        CHECK(bind("names = []").num_texts("names") == 0);
    }

    TEST_CASE("infinity passes where the schema allows it") {
        CHECK(std::isinf(bind("penalty = inf").number("penalty")));
        CHECK(bind("shift = -inf").number("shift") < 0.0);
    }

    TEST_CASE("the motion of a body is asked for by its name and place") {
        RigidMotion motion;
        motion.position = {1.0, 2.0, 3.0};
        std::string asked;
        int line = 0;
        const BoundArguments x =
            bind("velocity_from = 'hub'",
                 [&](const std::string& body, const Place& place) -> const RigidMotion& {
                     asked = body;
                     line = place.line;
                     return motion;
                 });
        CHECK(x.motion_of("velocity_from").position[2] == 3.0);
        CHECK(asked == "hub");
        CHECK(line == 3);
    }

    TEST_CASE("a table of free names hands out the names and what each holds") {
        const auto x = bind("parts = {'left wing' = {mass = 2}, tail = {mass = 1, young = 3}}");
        const Arguments& parts = x.table("parts");
        REQUIRE(parts.num_texts("*") == 2);
        CHECK(parts.text("*", 0) == "left wing");
        CHECK(parts.text("*", 1) == "tail");
        CHECK(parts.table("left wing").number("mass") == 2.0);
        CHECK_FALSE(parts.table("left wing").has("young"));
        CHECK(parts.table("tail").number("young") == 3.0);
        CHECK(parts.has("tail"));
        CHECK_FALSE(parts.has("nose"));
        CHECK(bind("parts = {}").table("parts").num_texts("*") == 0);
    }

    TEST_CASE("a matrix of 67 000 rows binds with one copy of each") {
        constexpr int kRows = 67000;
        Array rows;
        for (int i = 0; i < kRows; ++i) rows.push_back(Value({1.0, 2.0, double(i)}));
        Table values;
        values.set("nodes", Value(std::move(rows)));
        num_allocations = 0;
        const BoundArguments x("body \"net\"", "net", "truss", values, {}, kSchema);
        const long allocated = num_allocations;
        CHECK(x.rows("nodes") == kRows);
        CHECK(x.numbers("nodes").back() == kRows - 1);
        CHECK(allocated < 1.1 * kRows);
    }
}

TEST_SUITE("bound arguments: refusals") {
    TEST_CASE("unknown keys") {
        CHECK(error_of("densty = 1") ==
              "model.toml:3:1: error: body \"box\": unknown key \"densty\"; did you mean "
              "\"density\"?");
        CHECK(error_of("colour = 1")
                  .starts_with("model.toml:3:1: error: body \"box\": unknown key \"colour\"; valid "
                               "keys: density, "
                               "penalty, ratio, "));
        CHECK(error_of("orientation = {axis = [1, 0, 0], angel = 1}") ==
              "model.toml:3:34: error: body \"box\": orientation: unknown key \"angel\"; did you "
              "mean \"angle\"?");
        CHECK(error_of_call([] {
                  const Given given("x = 1");
                  BoundArguments("body \"box\"", "box", "brick", given.values, given.place, {});
              }) ==
              "model.toml:3:1: error: body \"box\": unknown key \"x\"; there are none to give");
    }

    TEST_CASE("mistakes in a table of free names are told with the name") {
        CHECK(error_of("parts = {tail = {mass = 1, yuong = 2}}") ==
              "model.toml:3:28: error: body \"box\": parts.tail: unknown key \"yuong\"; did you "
              "mean \"young\"?");
        CHECK(error_of("parts = {tail = {mass = 'x'}}") ==
              "model.toml:3:25: error: body \"box\": parts.tail.mass: expected a number, got "
              "\"x\"");
        CHECK(error_of("parts = {tail = 1}") ==
              "model.toml:3:17: error: body \"box\": parts.tail: expected a table, got 1; a table "
              "is written { KEY = VALUE, ... }, with keys of young, mass");
        CHECK(error_of("parts = {tail = {}}") ==
              "model.toml:3:17: error: body \"box\": parts.tail: missing key \"mass\" (of each "
              "[kg])");
        CHECK(error_of("parts = {'*' = {mass = 1}}") ==
              "model.toml:3:16: error: body \"box\": parts: \"*\" is no name");
    }

    TEST_CASE("the first mistake in the file comes first") {
        CHECK(error_of("colour = 1\ndensity = 'x'").starts_with("model.toml:3:1:"));
        CHECK(error_of("density = 'x'\ncolour = 1").starts_with("model.toml:3:11:"));
    }

    TEST_CASE("missing keys") {
        static constexpr Parameter kNeeded[] = {
            number("density", "kg/m^3", "mass per volume").required(),
            parameter::text("mode", "").required(),
        };
        const auto error = [](const std::string& keys) {
            return error_of_call([&] {
                const Given given(keys);
                BoundArguments("body \"box\"", "box", "brick", given.values, given.place, kNeeded);
            });
        };
        CHECK(error("mode = 'a'") ==
              "model.toml:2:1: error: body \"box\": missing key \"density\" (mass per volume "
              "[kg/m^3])");
        CHECK(error("density = 1") == "model.toml:2:1: error: body \"box\": missing key \"mode\"");
        CHECK(
            error_of("orientation = {angle = 1}") ==
            "model.toml:3:15: error: body \"box\": orientation: missing key \"axis\" (direction)");
    }

    TEST_CASE("wrong shapes") {
        CHECK(error_of("density = 'heavy'") ==
              "model.toml:3:11: error: body \"box\": density: expected a number, got \"heavy\"");
        CHECK(error_of("density = true") ==
              "model.toml:3:11: error: body \"box\": density: expected a number, got true");
        CHECK(error_of("density = [1]") ==
              "model.toml:3:11: error: body \"box\": density: expected a number, got an array of 1 "
              "number");
        CHECK(error_of("density = {x = 1}") ==
              "model.toml:3:11: error: body \"box\": density: expected a number, got a table");
        CHECK(error_of("count = 2.0") ==
              "model.toml:3:9: error: body \"box\": count: expected an integer, got 2.0");
        CHECK(error_of("lumped = 1") ==
              "model.toml:3:10: error: body \"box\": lumped: expected true or false, got 1; write "
              "true "
              "or false, without quotes");
        CHECK(error_of("label = 1.5") ==
              "model.toml:3:9: error: body \"box\": label: expected a text, got 1.5");
        CHECK(error_of("names = 'a'") ==
              "model.toml:3:9: error: body \"box\": names: expected an array of texts, got \"a\"; "
              "write [\"a\"]");
        CHECK(error_of("names = ['a', 1]") ==
              "model.toml:3:15: error: body \"box\": names[1]: expected a text, got 1");
        CHECK(
            error_of("at = [1, 0, 0]") ==
            "model.toml:3:6: error: body \"box\": at: expected a point such as \"box@[1, 0, 0]\", "
            "got an array of 3 numbers");
        CHECK(
            error_of("along = 1") ==
            "model.toml:3:9: error: body \"box\": along: expected a direction such as \"box@[1, 0, "
            "0]\", got 1");
        CHECK(error_of("velocity_from = 1") ==
              "model.toml:3:17: error: body \"box\": velocity_from: expected the name of a body, "
              "got 1");
        CHECK(error_of("on = 1") ==
              "model.toml:3:6: error: body \"box\": on: expected the name of an object, got 1");
        CHECK(error_of("turn = 1") ==
              "model.toml:3:8: error: body \"box\": turn: expected a table, got 1; a table is "
              "written "
              "{ KEY = VALUE, ... }, with keys of axis, angle");
        CHECK(
            error_of("orientation = 'up'") ==
            "model.toml:3:15: error: body \"box\": orientation: expected an array of 4 numbers or "
            "a table, got \"up\"; a table is written { KEY = VALUE, ... }, with keys of axis, "
            "angle");
        CHECK(error_of("mass = false") ==
              "model.toml:3:8: error: body \"box\": mass: expected a number, \"same\" or an array "
              "of 2 numbers, got false");
    }

    TEST_CASE("wrong lengths, rows and columns") {
        CHECK(error_of("size = [1, 2]") ==
              "model.toml:3:8: error: body \"box\": size: expected an array of 3 numbers, got an "
              "array of 2 numbers; write [x, y, z]");
        CHECK(error_of("size = []") ==
              "model.toml:3:8: error: body \"box\": size: expected an array of 3 numbers, got an "
              "empty array; write [x, y, z]");
        CHECK(error_of("size = [1, 'x', 3]") ==
              "model.toml:3:12: error: body \"box\": size[1]: expected a number, got \"x\"");
        CHECK(error_of("size = ['x', 1, 3]") ==
              "model.toml:3:8: error: body \"box\": size: expected an array of 3 numbers, got an "
              "array of 3 values of mixed kinds; write [x, y, z]");
        CHECK(error_of("nodes = [1, 2, 3]") ==
              "model.toml:3:9: error: body \"box\": nodes: expected an array of rows of 3 numbers, "
              "got an array of 3 numbers");
        CHECK(error_of("nodes = [[1, 2, 3], [1, 2]]") ==
              "model.toml:3:21: error: body \"box\": nodes[1]: expected an array of 3 numbers, got "
              "an array of 2 numbers");
        CHECK(error_of("nodes = [[1, 2, 3], 5]") ==
              "model.toml:3:21: error: body \"box\": nodes[1]: expected an array of 3 numbers, got "
              "5 m");
        CHECK(error_of("nodes = [[1, 2, 3], [1, '2', 3]]") ==
              "model.toml:3:25: error: body \"box\": nodes[1][1]: expected a number, got \"2\"");
        CHECK(error_of("table = [[1, 2], [1]]") ==
              "model.toml:3:18: error: body \"box\": table[1]: expected an array of 2 numbers, got "
              "an array of 1 number");
        CHECK(
            error_of("table = [[]]") ==
            "model.toml:3:10: error: body \"box\": table[0]: expected an array of numbers, got an "
            "empty array");
        CHECK(error_of("inertia = [[1, 0, 0], [0, 1, 0]]") ==
              "model.toml:3:11: error: body \"box\": inertia: expected an array of 3 numbers or an "
              "array of 3 rows of 3 numbers, got an array of 2 rows of 3 numbers");
        CHECK(error_of("inertia = [1, 2, 3, 4]") ==
              "model.toml:3:11: error: body \"box\": inertia: expected an array of 3 numbers or an "
              "array of 3 rows of 3 numbers, got an array of 4 numbers");
    }

    TEST_CASE("ranges, infinity and NaN") {
        CHECK(error_of("density = -5") ==
              "model.toml:3:11: error: body \"box\": density: expected a value > 0 kg/m^3, got -5 "
              "kg/m^3");
        CHECK(error_of("density = inf") ==
              "model.toml:3:11: error: body \"box\": density: expected a finite number, got inf "
              "kg/m^3");
        CHECK(error_of("penalty = nan") ==
              "model.toml:3:11: error: body \"box\": penalty: expected a number, got nan Pa");
        CHECK(
            error_of("penalty = -inf") ==
            "model.toml:3:11: error: body \"box\": penalty: expected a value > 0 Pa, got -inf Pa");
        CHECK(error_of("ratio = 1") ==
              "model.toml:3:9: error: body \"box\": ratio: expected a value >= 0 and < 1, got 1");
        CHECK(error_of("count = 0") ==
              "model.toml:3:9: error: body \"box\": count: expected a value >= 1, got 0");
        CHECK(error_of("size = [1, 2, 0.0]") ==
              "model.toml:3:15: error: body \"box\": size[2]: expected a value > 0 m, got 0.0 m");
        CHECK(error_of("nodes = [[0, 0, 0], [0, nan, 0]]") ==
              "model.toml:3:25: error: body \"box\": nodes[1][1]: expected a number, got nan m");
        CHECK(error_of("orientation = {axis = [1, 0, 0], angle = inf}") ==
              "model.toml:3:42: error: body \"box\": orientation.angle: expected a finite number, "
              "got inf rad");
    }

    TEST_CASE("texts that are none of the choices") {
        CHECK(error_of("start = 'relaxd'") ==
              "model.toml:3:9: error: body \"box\": start: expected \"unstrained\" or \"relaxed\", "
              "got \"relaxd\"; did you mean \"relaxed\"?");
        CHECK(error_of("start = 'upside down'") ==
              "model.toml:3:9: error: body \"box\": start: expected \"unstrained\" or \"relaxed\", "
              "got \"upside down\"");
        CHECK(error_of("mass = 'sane'") ==
              "model.toml:3:8: error: body \"box\": mass: expected a number, \"same\" or an array "
              "of 2 numbers, got \"sane\"; did you mean \"same\"?");
    }

    TEST_CASE("a value made in code has the object's place") {
        Table values;
        values.set("size", {1.0, 2.0});
        CHECK(error_of_call([&] {
                  BoundArguments("body \"box\"", "box", "brick", values, {}, kSchema);
              }) ==
              "error: body \"box\": size: expected an array of 3 numbers, got an array of 2 "
              "numbers; write "
              "[x, y, z]");
    }

    TEST_CASE("a long text is shortened") {
        CHECK(error_of("density = '" + std::string(59, 'x') + "\u00e4\u00e4'") ==
              "model.toml:3:11: error: body \"box\": density: expected a number, got \"" +
                  std::string(59, 'x') + "...\"");
    }

    TEST_CASE("a plugin refuses a value at its place, a missing one at the object's") {
        const BoundArguments x = bind("density = 5\norientation = {axis = [1, 0, 0]}");
        const auto fail = [](const Arguments& arguments, const char* key) {
            return error_of_call([&] {
                arguments.fail(key, "this will not do");
            });
        };
        CHECK(fail(x, "density") ==
              "model.toml:3:11: error: body \"box\": density: this will not do");
        CHECK(fail(x, "size") == "model.toml:2:1: error: body \"box\": size: this will not do");
        CHECK(fail(x, "") == "model.toml:2:1: error: body \"box\": this will not do");
        CHECK(fail(x.table("orientation"), "axis") ==
              "model.toml:4:23: error: body \"box\": orientation.axis: this will not do");
        CHECK(fail(x.table("orientation"), "") ==
              "model.toml:4:15: error: body \"box\": orientation: this will not do");
        CHECK(x.place_of("density").column == 11);
        CHECK(x.place_of("size").line == 2);
    }
}

TEST_SUITE("bound arguments: mistakes of a plugin") {
    TEST_CASE("a default that does not fit its own schema") {
        static constexpr Parameter kWrong[] = {number("mass", "kg", "").positive().otherwise("-1")};
        CHECK(error_of_call(
                  [] {
                      BoundArguments("body \"box\"", "box", "brick", Table{}, {}, kWrong);
                  },
                  ErrorKind::plugin) ==
              "error: type \"brick\": the default -1 of \"mass\" does not fit its own schema (body "
              "\"box\": mass: expected a value > 0 kg, got -1 kg)");
    }

    TEST_CASE("keys and shapes that are not there") {
        const BoundArguments x =
            bind("density = 5\nnames = ['a']\norientation = {axis = [1, 0, 0]}");
        CHECK(misuse_of([&] {
                  x.has("dens");
              }) == "type \"brick\" asks for \"dens\", which is not in its schema");
        CHECK(misuse_of([&] {
                  x.number("ratio");
              }) ==
              "type \"brick\" asks for \"ratio\", which has no value and no default; ask has() "
              "first");
        CHECK(misuse_of([&] {
                  x.shape("ratio");
              }) ==
              "type \"brick\" asks for \"ratio\", which has no value and no default; ask has() "
              "first");
        CHECK(misuse_of([&] {
                  x.integer("density");
              }) == "type \"brick\" asks for \"density\" as an integer, but its value is a number");
        CHECK(
            misuse_of([&] {
                x.numbers("density");
            }) ==
            "type \"brick\" asks for \"density\" as a vector or matrix, but its value is a number");
        CHECK(misuse_of([&] {
                  x.text("names", 1);
              }) == "type \"brick\" asks for \"names\", entry 1 of 1");
        CHECK(
            misuse_of([&] {
                x.table("orientation").number("axis");
            }) ==
            "type \"brick\" asks for \"orientation.axis\" as a number, but its value is a vector");
        CHECK(misuse_of([&] {
                  x.motion_of("start");
              }) == "type \"brick\" asks for \"start\" as a body, but its value is a text");
        CHECK(
            misuse_of([] {
                bind("velocity_from = 'hub'").motion_of("velocity_from");
            }) ==
            "type \"brick\" asks for \"velocity_from\" as a body, but motions are not known here");
    }
}

}  // namespace ancora
