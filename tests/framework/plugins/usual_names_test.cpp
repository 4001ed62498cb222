// SPDX-License-Identifier: BSD-3-Clause
// Names that people bring from elsewhere, and what to write for them.
#include "usual_names.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace ancora::testing {
namespace {

const std::vector<std::string> kJoints = {
    "revolute", "spherical", "fixed", "prismatic", "universal", "position", "gear"};

std::string hint(const std::string& name, const std::vector<std::string>& types = kJoints) {
    return hint_at_usual_name("constraint", name, types);
}

}  // namespace

TEST_SUITE("usual names of types") {
    TEST_CASE("what is called otherwise elsewhere") {
        for (const auto& [name, type] : {std::pair{"hinge", "revolute"},
                                         {"pin", "revolute"},
                                         {"ball", "spherical"},
                                         {"weld", "fixed"},
                                         {"slider", "prismatic"},
                                         {"hooke", "universal"},
                                         {"Hinge", "revolute"},
                                         {"ball-joint", "spherical"},
                                         {"hinge_joint", "revolute"},
                                         {"Hooke joint", "universal"}}) {
            CAPTURE(name);
            const std::string written = std::string("\"") + type + "\"";
            CHECK(hint(name) ==
                  std::string("; here it is called ") + type + ": write type = " + written);
        }
    }

    TEST_CASE("in other letters, or with an ending") {
        CHECK(hint("Revolute") == "; write type = \"revolute\"");
        CHECK(hint("gear_joint") == "; write type = \"gear\"");
    }

    TEST_CASE("only types that there are, and of this kind") {
        CHECK(hint("hinge", {"position"}) == "");
        CHECK(hint("ball", {"position"}) ==
              "; here it is called position: write type = \"position\"");
        CHECK(hint("revolute") == "");
        CHECK(hint("") == "");
        CHECK(hint("no such thing") == "");
        CHECK(hint_at_usual_name("force", "hinge", kJoints) == "");
    }

    TEST_CASE("every line of the table is whole, and no word stands for itself") {
        int lines = 0;
        for (std::string_view rest = kUsualNames; !rest.empty();) {
            const std::string_view line = rest.substr(0, rest.find('\n'));
            rest.remove_prefix(std::min(line.size() + 1, rest.size()));
            if (line.empty() || line.starts_with('#')) continue;
            CAPTURE(std::string(line));
            const std::size_t first = line.find(' '), second = line.find(' ', first + 1);
            REQUIRE(second != std::string_view::npos);
            CHECK(line.find(' ', second + 1) == std::string_view::npos);
            CHECK(line.substr(first + 1, second - first - 1) != line.substr(second + 1));
            ++lines;
        }
        CHECK(lines > 40);
    }
}

}  // namespace ancora::testing
