// SPDX-License-Identifier: BSD-3-Clause
// Tests of the constraint type `position`: its rows, its faces and its messages.
#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include "ancora/sdk/plugin.hpp"
#include "ancora/sdk/testing/fake_arguments.hpp"

extern "C" const ancora::PluginDescriptor ancora_plugin_descriptor;

namespace {

using ancora::test::FakeArguments;

FakeArguments coincident(const char* components = nullptr) {
    FakeArguments arguments(ancora_plugin_descriptor.types[0]);
    arguments.set("a", "box@[1, 0, 0]").set("b", "ground@[0, 0, 0]");
    if (components != nullptr) arguments.set("components", components);
    return arguments;
}

std::unique_ptr<ancora::Constraint> make(const FakeArguments& arguments) {
    return std::unique_ptr<ancora::Constraint>(
        static_cast<ancora::Constraint*>(ancora_plugin_descriptor.types[0].create(arguments)));
}

}  // namespace

TEST_SUITE("position constraint") {
    TEST_CASE("by default all three components of the gap vanish") {
        const auto tie = make(coincident());
        const ancora::RowBlock& block = tie->row_blocks()[0];
        CHECK(tie->row_blocks().size() == 1);
        CHECK(block.num_items == 1);
        CHECK(block.rows_per_item == 3);
        CHECK(block.laws[0].kind == ancora::RowKind::constraint);
        CHECK(facets_of(*tie).reaction == ancora::ReactionKind::force);
        CHECK(std::string_view(tie->attachments()[0].parameter) == "a");
        CHECK(std::string_view(tie->attachments()[1].parameter) == "b");

        const std::array<double, 6> u = {1.0, 2.0, 3.0, 0.5, -1.0, 3.0};
        std::array<double, 3> phi, phi_t, b;
        std::array<double, 18> A;
        tie->evaluate(0, {u, u, 0.0}, {phi, A, phi_t, b});
        CHECK(phi == std::array<double, 3>{0.5, 3.0, 0.0});
        CHECK(A == std::array<double, 18>{1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1});
        CHECK(phi_t == std::array<double, 3>{});
        CHECK(b == std::array<double, 3>{});
    }

    TEST_CASE("a subset of components leaves the other directions free, in the order named") {
        const auto tie = make(coincident("zx"));
        CHECK(tie->row_blocks()[0].rows_per_item == 2);
        const std::array<double, 6> u = {1.0, 2.0, 3.0, 0.5, -1.0, 2.0};
        std::array<double, 2> phi;
        std::array<double, 12> A;
        tie->evaluate(0, {u, {}, 0.0}, {phi, A, {}, {}});
        CHECK(phi == std::array<double, 2>{1.0, 0.5});
        CHECK(A == std::array<double, 12>{0, 0, 1, 0, 0, -1, 1, 0, 0, -1, 0, 0});
    }

    // Linear: B du = phi(u1) - phi(u0) without error, here in numbers that a double holds exactly.
    TEST_CASE("over a step the discrete Jacobian gives the change of the gap") {
        const auto tie = make(coincident());
        const std::array<double, 6> u0 = {1.0, 2.0, 3.0, 0.5, -1.0, 2.0};
        const std::array<double, 6> du = {0.25, -0.5, 1.0, 2.0, 0.125, -4.0};
        std::array<double, 6> mid, u1;
        for (std::size_t k = 0; k < 6; ++k) {
            mid[k] = u0[k] + 0.5 * du[k];
            u1[k] = u0[k] + du[k];
        }
        std::array<double, 18> B;
        std::array<double, 3> phi0, phi1;
        tie->evaluate_step(0, {u0, du, mid, u1, {}, 0.0, 0.1, {}, {}}, {B, {}, {}, {}});
        tie->evaluate(0, {u0, {}, 0.0}, {phi0, {}, {}, {}});
        tie->evaluate(0, {u1, {}, 0.1}, {phi1, {}, {}, {}});
        for (std::size_t row = 0; row < 3; ++row) {
            double change = 0.0;
            for (std::size_t k = 0; k < 6; ++k) change += B[6 * row + k] * du[k];
            CHECK(change == phi1[row] - phi0[row]);
        }
    }

    TEST_CASE("a moving point of the ground: pi, pi_t, b and tau of what it is displaced by") {
        FakeArguments arguments = coincident("zx");
        arguments.set_texts("motion", {"0.5*t^2", "7", "sin(3*t)"});
        for (const bool a_is_ground : {false, true}) {
            if (a_is_ground) arguments.set("a", "ground@[0, 0, 0]").set("b", "box@[1, 0, 0]");
            const double sign = a_is_ground ? 1.0 : -1.0;
            const auto drive = make(arguments);
            CHECK(drive->row_blocks()[0].depends_on_time);
            const std::array<double, 6> u = {1.0, 2.0, 3.0, 0.5, -1.0, 2.0};
            const double t = 0.7;
            std::array<double, 2> phi, phi_t, b, tau;
            std::array<double, 12> A, B;
            drive->evaluate(0, {u, u, t}, {phi, A, phi_t, b});
            CHECK(phi[0] == doctest::Approx(1.0 + sign * std::sin(2.1)).epsilon(1e-15));
            CHECK(phi[1] == doctest::Approx(0.5 + sign * 0.245).epsilon(1e-15));
            CHECK(phi_t[0] == doctest::Approx(sign * 3.0 * std::cos(2.1)).epsilon(1e-15));
            CHECK(phi_t[1] == doctest::Approx(sign * 0.7).epsilon(1e-15));
            CHECK(b[0] == doctest::Approx(sign * 9.0 * std::sin(2.1)).epsilon(1e-15));
            CHECK(b[1] == doctest::Approx(-sign).epsilon(1e-15));
            drive->evaluate_step(0, {u, u, u, u, {}, t, 0.1, {}, {}}, {B, tau, {}, {}});
            CHECK(B == A);
            CHECK(tau[0] == doctest::Approx(sign * (std::sin(2.4) - std::sin(2.1))).epsilon(1e-14));
            CHECK(tau[1] == doctest::Approx(sign * 0.075).epsilon(1e-14));
        }
    }

    TEST_CASE("a motion that is not one of the ground, and words about tables without one") {
        FakeArguments arguments(ancora_plugin_descriptor.types[0]);
        arguments.set("a", "box@[1, 0, 0]").set("b", "boom@0");
        arguments.set_texts("motion", {"0", "0", "t"});
        CHECK_THROWS_WITH(make(arguments),
                          "motion: moves a point of the ground, but neither a nor b is one; write "
                          "\"ground@[x, y, z]\" for the point that moves");
        CHECK_THROWS_WITH(make(coincident().set("outside", "hold")),
                          "outside: is about the table of a motion, and none is given");
        arguments.set("b", "ground@[0, 0, 0]").set("interpolation", "rest");
        CHECK_THROWS_WITH(make(arguments), "interpolation: is about a table, and motion is none");
        FakeArguments table = coincident();
        table.set_matrix("motion", 4, {0, 0, 0, 0, 1, 0, 0, 2}).set("outside", "hold");
        CHECK_THROWS_WITH(make(table),
                          "outside: \"hold\" would stop a motion that does not end at rest with a "
                          "jump of its velocity; set interpolation to \"rest\" or \"monotone\"");
        CHECK_NOTHROW(make(table.set("interpolation", "rest")));
        FakeArguments formula = coincident();
        CHECK_THROWS_WITH(
            make(formula.set_texts("motion", {"0", "sin(t", "0"})),
            "motion: formula of y, position 6: found the end of the formula, expected "
            "\")\" to close \"(\" at position 4\n"
            "    sin(t\n"
            "         ^");
        CHECK_THROWS_WITH(make(formula.set_texts("motion", {"0", "t"})),
                          "motion: found 2 formulas, expected 3: those of x, y, z");
    }

    TEST_CASE("components that are no subset of x, y, z are refused in words") {
        CHECK_THROWS_WITH(make(coincident("")),
                          "components: no component is named; write some letters of \"xyz\"");
        CHECK_THROWS_WITH(make(coincident("xw")),
                          "components: \"w\" is no component; write some letters of \"xyz\"");
        CHECK_THROWS_WITH(make(coincident("xyx")), "components: component \"x\" is named twice");
    }
}
