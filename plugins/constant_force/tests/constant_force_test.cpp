// SPDX-License-Identifier: BSD-3-Clause
// Tests of the force type `constant_force`.
#include <array>
#include <memory>
#include <string_view>

#include <doctest/doctest.h>

#include "ancora/sdk/plugin.hpp"
#include "ancora/sdk/testing/fake_arguments.hpp"

extern "C" const ancora::PluginDescriptor ancora_plugin_descriptor;

namespace {

constexpr std::array<double, 3> kForce = {1.0, 2.0, -0.5};  // N

std::unique_ptr<ancora::NonidealForce> make() {
    const ancora::TypeDescriptor& type = ancora_plugin_descriptor.types[0];
    ancora::test::FakeArguments arguments(type);
    arguments.set("at", "bead@[0, 0, 0]").set("force", {kForce[0], kForce[1], kForce[2]});
    return std::unique_ptr<ancora::NonidealForce>(
        static_cast<ancora::NonidealForce*>(type.create(arguments)));
}

}  // namespace

TEST_SUITE("constant force") {
    TEST_CASE("it acts on one point; its work is nonideal and its impulse comes from outside") {
        const auto push = make();
        REQUIRE(push->attachments().size() == 1);
        CHECK(std::string_view(push->attachments()[0].parameter) == "at");
        CHECK(facets_of(*push).contact == nullptr);
        CHECK(push->work() == ancora::WorkKind::nonideal);
        CHECK(facets_of(*push).tied_to_inertial_frame);
        CHECK(facets_of(*push).start_state.empty());
    }

    TEST_CASE("it is the same wherever the point is and however it moves") {
        const auto push = make();
        const std::array<double, 3> u = {4.0, -7.0, 2.0}, du = {-3.0, 11.0, 5.0};
        std::array<double, 3> f = {9.0, 9.0, 9.0};
        push->evaluate({{}, {}, 0.0}, {}, {f});
        CHECK(f == kForce);
        f = {9.0, 9.0, 9.0};
        push->evaluate({u, du, 3.0}, {}, {f});
        CHECK(f == kForce);
    }

    // The kernel records f . du, so the mean force over a step has to be C itself.
    TEST_CASE("over a step it is the same again") {
        const auto push = make();
        const std::array<double, 3> du = {2.0, 4.0, 6.0}, mid = {1.0, 2.0, 3.0};
        const std::array<double, 3> rate = {20.0, 40.0, 60.0};  // du / h
        ancora::RowStep step;
        step.du = du;
        step.mid = mid;
        step.rate = rate;
        step.h = 0.1;
        std::array<double, 3> f{};
        push->evaluate_step(step, rate, {f});
        CHECK(f == kForce);
    }
}
