// SPDX-License-Identifier: BSD-3-Clause
// Tests of values by groups: what each element and node gets, and what is refused.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "material.hpp"
#include "support/plugin_body.hpp"

namespace {

using ancora::RowLaw;
using ancora::test::FakeArguments;
using ancora::testing::make;
using ancora::testing::refusal;
using ancora::testing::schema;

// Three by two nodes: elements 0 to 3 along the first direction, 0.5 m long, 4 to 6 along the
// second, 2 m long. Of the boundary is all but element 5.
FakeArguments net() {
    FakeArguments arguments = schema();
    arguments.set("area", 1e-4).set("young", 1e9).set("density", 1000.0).set("mass", "lumped");
    arguments.set_table("grid").set("counts", {3.0, 2.0}).set("spacing", {0.5, 2.0});
    return arguments;
}

struct Diagonal final : ancora::MassSink {
    void add(int i, int j, double value) override {
        if (i == j) mass[i] += value;
    }
    std::map<int, double> mass;
};

// Mass of each node, which lumped masses have on the diagonal.
std::vector<double> node_masses(const ancora::Body& body) {
    Diagonal sink;
    body.mass(sink);
    std::vector<double> out;
    for (std::size_t i = 0; i < body.coordinates().size(); i += 3)
        out.push_back(sink.mass[static_cast<int>(i)]);
    return out;
}

// Within rounding.
bool near(double a, double b) {
    return std::abs(a - b) <= 1e-15 * std::abs(b);
}

bool near(const std::vector<double>& a, const std::vector<double>& b) {
    return std::ranges::equal(a, b, [](double x, double y) {
        return near(x, y);
    });
}

}  // namespace

TEST_SUITE("truss: values by groups") {
    TEST_CASE("elements of a group have its values, all others those of the truss") {
        FakeArguments arguments = net();
        FakeArguments& groups = arguments.set_table("groups");
        groups.set_table("along_second")
            .set("young", 4e9)
            .set("density", 500.0)
            .set("damping", 3.0)
            .set("prestress", 2e5)
            .set("tension_only", true)
            .set("breaking_strain", 0.5)
            .set("rest_length", 1.6);
        groups.set_table("along_first").set("area", 2e-4);
        const auto body = make(arguments);
        const std::span<const RowLaw> laws = body->row_blocks()[0].laws;
        REQUIRE(laws.size() == 7);
        for (std::size_t e = 0; e < 7; ++e) {
            CAPTURE(e);
            const bool is_second = e >= 4;
            // Volume A L: 2e-4 x 0.5 and 1e-4 x 1.6
            const double volume = is_second ? 1.6e-4 : 1e-4;
            CHECK(near(laws[e].compliance * ((is_second ? 4e9 : 1e9) * volume), 1.0));
            CHECK(near(laws[e].viscosity, is_second ? 3.0 * volume : 0.0));
            CHECK(near(laws[e].prestress, is_second ? 2e5 * volume : 0.0));
            CHECK(ancora::truss::is_tension_only(laws[e]) == is_second);
            CHECK(ancora::truss::breaking_strain(laws[e]) ==
                  (is_second ? 0.5 : std::numeric_limits<double>::infinity()));
        }
        // Halves of rho A L: 0.05 along the first direction, 0.04 along the second
        CHECK(near(node_masses(*body), {0.09, 0.14, 0.09, 0.09, 0.14, 0.09}));
    }

    TEST_CASE("a node has the masses of all its groups, beside those that stand alone") {
        FakeArguments arguments = net();
        arguments.set("density", 0.0).set_matrix("node_masses", 2, {1.0, 0.25, 5.0, 2.0});
        FakeArguments& groups = arguments.set_table("groups");
        groups.set_table("corner_3").set("node_mass", 0.5);
        groups.set_table("rim").set("node_mass", 0.125);
        CHECK(near(node_masses(*make(arguments)), {0.125, 0.375, 0.125, 0.125, 0.125, 2.625}));

        // Alone they are masses enough for a truss without density
        arguments.erase("density").erase("node_masses");
        CHECK(near(node_masses(*make(arguments)), {0.125, 0.125, 0.125, 0.125, 0.125, 0.625}));
    }

    TEST_CASE("what all elements get from groups the truss need not have") {
        FakeArguments arguments = net();
        arguments.erase("area").erase("density");
        FakeArguments& groups = arguments.set_table("groups");
        groups.set_table("along_first").set("area", 1e-4).set("density", 1000.0);
        CHECK(refusal(arguments) ==
              "groups: element 4 is in no group that gives \"area\"; write a value for all others "
              "beside \"groups\"");
        groups.set_table("along_second").set("area", 2e-4).set("density", 500.0);
        CHECK(near(node_masses(*make(arguments)), {0.125, 0.15, 0.125, 0.125, 0.15, 0.125}));
    }

    TEST_CASE("groups that are not there, overlap, or have no elements") {
        FakeArguments unknown = net();
        unknown.set_table("groups").set_table("boom").set("young", 2e9);
        CHECK(refusal(unknown) ==
              "boom: there is no group \"boom\"; this truss has \"corner_0\", \"corner_1\", "
              "\"corner_2\", \"corner_3\", \"rim\", \"along_first\", \"along_second\"");

        FakeArguments twice = net();
        FakeArguments& groups = twice.set_table("groups");
        groups.set_table("along_first").set("young", 2e9);
        groups.set_table("rim").set("young", 3e9);
        CHECK(refusal(twice) ==
              "young: element 0 is also in group \"along_first\", which gives it another "
              "\"young\"");

        FakeArguments point = net();
        point.set_table("groups").set_table("corner_0").set("area", 1.0);
        CHECK(refusal(point) == "area: group \"corner_0\" has no elements, only nodes");
    }

    TEST_CASE("\"spin\" leaves no rest length to groups") {
        FakeArguments arguments = net();
        arguments.set("rest_length", "spin");
        arguments.set_table("groups").set_table("rim").set("rest_length", 1.0);
        CHECK(refusal(arguments) ==
              "rest_length: \"spin\" sets all rest lengths; a group cannot give others");
    }
}
