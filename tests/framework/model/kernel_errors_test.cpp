// SPDX-License-Identifier: BSD-3-Clause
// What users and plugin authors can do wrong once a manifest is read: kind, place and text of each
// message, through Simulation. Cases that may fail wait for a repair in the kernel.
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "framework/models.hpp"
#include "support/program.hpp"

using namespace ancora;
using ancora::testing::contains;
using ancora::testing::Failure;
using ancora::testing::failure_of;
using ancora::testing::near;

namespace {

constexpr const char* kEmm = R"(
[integrator]
type = "emm"
step = 0.01
end = 0.1
)";

std::string mass(const char* type = "test_mass") {
    return fmt::format(
        "[[body]]\nname = \"m\"\ntype = \"{}\"\nmass = 2.0\nvelocity = [1.0, 0.0, 0.0]\n", type);
}
std::string tie(const char* type) {
    return fmt::format("[[constraint]]\nname = \"c\"\ntype = \"{}\"\nat = \"m@0\"\n", type);
}
std::string push(const char* type) {
    return fmt::format("[[force]]\nname = \"f\"\ntype = \"{}\"\nat = \"m@0\"\n", type);
}
std::string box(const char* more = "") {
    return fmt::format(
        "[[body]]\nname = \"box\"\ntype = \"ancf_rigid_body\"\n"
        "size = [1.0, 1.0, 1.0]\ndensity = 10.0\n{}",
        more);
}
std::string bar(const char* name, const char* more) {
    return fmt::format(
        "[[body]]\nname = \"{}\"\ntype = \"truss\"\nfrom = [0, 0, 0]\n"
        "to = [1, 0, 0]\narea = 1e-4\nyoung = 1e9\n{}",
        name,
        more);
}
std::string position(const char* name, const char* a, const char* b) {
    return fmt::format(
        "[[constraint]]\nname = \"{}\"\ntype = \"position\"\na = \"{}\"\nb = \"{}\"\n", name, a, b);
}

struct Case {
    std::string model;
    std::string message;
};

void check_all(ErrorKind kind, const std::vector<Case>& cases) {
    for (const Case& bad : cases) {
        const Failure failure = failure_of(bad.model + kEmm);
        CHECK(failure.message == bad.message);
        CHECK(failure.kind == kind);
        CHECK(failure.line > 0);
    }
}

}  // namespace

TEST_SUITE("plugins that misbehave") {
    TEST_CASE("in a factory") {
        check_all(
            ErrorKind::plugin,
            {{mass("throwing_factory"),
              "body \"m\" (type throwing_factory of plugin throwing_factory 1.0.0): its factory "
              "threw \"out of luck\""},
             {mass("null_factory"),
              "body \"m\" (type null_factory of plugin bad_calls 1.0.0): its factory returned "
              "nothing"}});
    }

    TEST_CASE("in what a body says of itself") {
        const std::string who = " of plugin bad_calls 1.0.0): its ";
        check_all(ErrorKind::plugin,
                  {{mass("nan_start"),
                    "body \"m\" (type nan_start" + who + "start is not finite in coordinate 1"},
                   {mass("nan_mass"),
                    "body \"m\" (type nan_mass" + who +
                        "mass matrix is wrong: entry (2, 1) is not finite"},
                   {mass("mass_outside"),
                    "body \"m\" (type mass_outside" + who +
                        "mass matrix is wrong: entry (3, 0) is outside its 3 coordinates"},
                   {mass("negative_mass"),
                    "body \"m\" (type negative_mass" + who +
                        "mass matrix is not positive semidefinite: entry (1, 1) is -1"}});
    }

    TEST_CASE("row blocks that do not fit, each with the sizes found and needed") {
        const auto who = [](const char* type) {
            return fmt::format(
                "constraint \"c\" (type {} of plugin bad_sizes 1.0.0): block 0 "
                "(\"gap\") of its rows is wrong: ",
                type);
        };
        check_all(
            ErrorKind::plugin,
            {{mass() + tie("short_stencil"),
              who("short_stencil") + "its stencil has 2 entries, 1 items on 3 scalars need 3"},
             {mass() + tie("index_out_of_range"),
              who("index_out_of_range") + "its stencil names local scalar 3, there are 0 to 2"},
             {mass() + tie("too_many_laws"),
              who("too_many_laws") + "it has 2 laws; give 1, one per row of an item (1) or "
                                     "one per row (1)"}});
    }

    TEST_CASE("a joint that names an attachment which it does not have") {
        check_all(ErrorKind::plugin,
                  {{mass() + tie("measure_out_of_range"),
                    "constraint \"c\" (type measure_out_of_range of plugin bad_sizes 1.0.0): the "
                    "measure \"height\" of its joint() names attachment 1, and it has 1, counted "
                    "from 0"}});
    }

    TEST_CASE("laws without sense") {
        const auto spring = [](const char* law) {
            return mass() + fmt::format(
                                "[[constraint]]\nname = \"c\"\ntype = \"test_spring\"\n"
                                "a = \"m@0\"\nb = \"ground@[0, 0, 0]\"\n{}",
                                law);
        };
        const std::string who =
            "constraint \"c\" (type test_spring of plugin test_spring 1.0.0): "
            "block 0 (\"distance\") of its rows is wrong: ";
        check_all(ErrorKind::plugin,
                  {{spring("law = \"elastic\"\ncompliance = 0.0\n"),
                    who + "an elastic row has compliance 0; it must be positive and finite"},
                   {spring("law = \"elastic\"\nviscosity = -1.0\n"),
                    who + "a viscosity is negative, or a viscosity or prestress is not finite"}});
    }

    // Steps end at 0.01, 0.02, ...: the first call at t > 0 is at 0.01.
    TEST_CASE("in a call: plugin, type, object, call and time are named") {
        check_all(
            ErrorKind::plugin,
            {{mass() + tie("throws_in_call"),
              "t = 0.01 s, constraint \"c\" (type throws_in_call of plugin throws_in_call 1.0.0): "
              "evaluate threw \"out of order\""},
             {mass() + push("throwing_force"),
              "t = 0 s, force \"f\" (type throwing_force of plugin bad_calls 1.0.0): evaluate_step "
              "threw something that is not a std::exception"}});
    }

    TEST_CASE("an integrator must accept steps that lead exactly to the end of its own") {
        const auto by = [](const std::string& type) {
            return mass() + "[integrator]\ntype = \"" + type + "\"\nstep = 0.01\nend = 0.1\n";
        };
        const std::string named = " of plugin bad_steps 1.0.0): ";
        for (const auto& [type, what] :
             {std::pair{"accepts_nothing",
                        "step from t = 0 s returned at t = 0 s instead of 0.01 s; it must accept "
                        "steps that lead exactly there"},
              std::pair{
                  "accepts_twice",
                  "it accepts a step that begins at t = 0 s, but the state stands at t = 0.01 s"},
              std::pair{"stops_short", "returned at t = 0.005 s instead of 0.01 s"},
              std::pair{"goes_beyond", "returned at t = 0.015 s instead of 0.01 s"}}) {
            CAPTURE(type);
            const Failure failure = failure_of(by(type));
            CHECK(failure.kind == ErrorKind::plugin);
            CHECK(contains(failure.message, named));
            CHECK(contains(failure.message, what));
        }
    }

    TEST_CASE("NaN out of a call: where it stands is named") {
        check_all(
            ErrorKind::plugin,
            {{mass() + tie("nan_jacobian"),
              "t = 0.02 s, constraint \"c\" (type nan_jacobian of plugin bad_calls 1.0.0): "
              "evaluate_step returned a Jacobian that is not finite (block \"gap\", row 0, column "
              "2)"},
             {mass() + push("nan_force"),
              "t = 0.02 s, force \"f\" (type nan_force of plugin bad_calls 1.0.0): evaluate_step "
              "returned a force that is not finite (attachment \"m@0\", component y)"}});
    }

    TEST_CASE("a unit that nobody knows is no unit of an output") {
        check_all(ErrorKind::plugin,
                  {{mass() + push("odd_unit"),
                    "force \"f\" (type odd_unit of plugin bad_calls 1.0.0): its output \"speed\" "
                    "has the unit \"furlong/fortnight\", which cannot be read"}});
    }

    TEST_CASE("an attitude that is none does not reach results") {
        ancora::testing::Plugins plugins;
        const ancora::Simulation simulation(
            ancora::testing::manifest(
                "[model]\nplugins = [\"bad_calls\"]\n[[body]]\nname = \"m\"\ntype = "
                "\"no_attitude\"\nmass = 1.0\n[integrator]\ntype = \"emm\"\nstep = 0.02\nend "
                "= 0.2\n"),
            plugins.registry);
        std::string message;
        try {
            simulation.pose("m");
        } catch (const ancora::Error& error) {
            CHECK(error.kind() == ErrorKind::plugin);
            message = error.message();
        }
        CHECK(contains(message,
                       "body \"m\" (type no_attitude of plugin bad_calls 1.0.0): its pose has a "
                       "quaternion of length 0; an attitude has one of length 1"));
    }

    TEST_CASE("rows of a body that get an entry where their degree leaves none are refused") {
        const std::string body =
            "[[body]]\nname = \"m\"\ntype = \"late_entry\"\nmass = 1.0\nposition = [0.0, 0.0, "
            "0.95]\nvelocity = [0.0, 0.0, 1.0]\n";
        for (const char* integrator : {"emm", "rk4"}) {
            CAPTURE(integrator);
            const Failure failure = failure_of(
                "[model]\nplugins = [\"bad_calls\"]\n" + body +
                fmt::format("[integrator]\ntype = \"{}\"\nstep = 0.02\nend = 0.2\n", integrator));
            CHECK(failure.kind == ErrorKind::plugin);
            CHECK(
                contains(failure.message,
                         "body \"m\" (type late_entry of plugin bad_calls 1.0.0): block 0 "
                         "(\"late\") of its rows says that it is quadratic, but its Jacobian is "));
            CHECK(contains(failure.message,
                           "in row 0 and local scalar 2, where it was zero at every state that was "
                           "tried at the start; give it Degree::general, or mend evaluate"));
        }
    }

    TEST_CASE("NaN in the continuous face does not pass unseen") {
        const Failure failure = failure_of(mass() + tie("nan_in_call") + kEmm);
        CHECK(failure.happened);
        CHECK(failure.kind == ErrorKind::plugin);
        CHECK(failure.message.starts_with(
            "t = 0.01 s, constraint \"c\" (type nan_in_call of plugin nan_in_call 1.0.0): evaluate "
            "returned a "));
        CHECK(contains(failure.message, "not finite"));
    }

    TEST_CASE("NaN in a tangent is the plugin's error, not a lack of convergence") {
        const Failure failure = failure_of(mass() + tie("nan_tangent") + kEmm);
        CHECK(failure.kind == ErrorKind::plugin);
        CHECK(failure.message.starts_with(
            "t = 0 s, constraint \"c\" (type nan_tangent of plugin bad_calls 1.0.0): "
            "evaluate_tangent returned "));
    }

    // x > 0.015 first at the midpoint of the third step, which begins at 0.02: that is where it is
    // asked.
    TEST_CASE("a tangent that throws is told with its time") {
        check_all(ErrorKind::plugin,
                  {{mass() + tie("throws_in_tangent"),
                    "t = 0.005 s, constraint \"c\" (type throws_in_tangent of plugin bad_calls "
                    "1.0.0): evaluate_tangent threw \"no tangent today\""}});
    }

    TEST_CASE("a changed floating-point environment is refused and put right") {
        check_all(ErrorKind::plugin,
                  {{mass() + tie("changes_fp_in_call"),
                    "t = 0.01 s, constraint \"c\" (type changes_fp_in_call of plugin "
                    "changes_fp_in_call 1.0.0): evaluate changed the floating-point environment "
                    "(rounding, flush to zero or exceptions) and did not restore it"}});
        // Rounding to nearest again: upward would give 1 + 2^-52
        volatile double tiny = 1e-20;
        CHECK(1.0 + tiny == 1.0);
    }
}

TEST_SUITE("models that cannot be") {
    TEST_CASE("without a body, or without coordinates") {
        for (const std::string& model : {std::string(), mass("no_coordinates")}) {
            const Failure failure = failure_of(model + kEmm);
            CHECK(failure.kind == ErrorKind::manifest);
            CHECK(failure.message ==
                  "the model has no body, or none with coordinates; add a [[body]]");
        }
    }

    TEST_CASE("constraints and points on what is not there") {
        const std::string base = box() + bar("net", "density = 1.0\n");
        const auto point = [](const char* text) {
            return fmt::format("[output]\npoints = [\"{}\"]\n", text);
        };
        check_all(
            ErrorKind::manifest,
            {{base + position("root", "bax@[0.5, 0, 0]", "ground@[0, 0, 0]"),
              "constraint \"root\": there is no body \"bax\"; did you mean \"box\"?"},
             {base + position("root", "net@5", "ground@[0, 0, 0]"),
              "constraint \"root\": \"net@5\": there is no node 5; this truss has nodes 0 to 1"},
             {base + position("root", "net@[1, 0, 0]", "ground@[0, 0, 0]"),
              "constraint \"root\": \"net@[1, 0, 0]\": points of a truss are its nodes, written as "
              "a number 0 to 1 or as the name of a group of one"},
             {base + position("root", "box@[0, 0, 0]", "ground@1"),
              "constraint \"root\": \"ground@1\": a point of the ground is written \"ground@[x, y, "
              "z]\""},
             {point("bax@[0, 0, 0]") + base,
              "[output]: points: there is no body \"bax\"; did you mean \"box\"?"},
             {point("box@[0, 0]") + base,
              "[output]: points: \"box@[0, 0]\" is not an attachment; write \"BODY@[x, y, z]\" for "
              "a material point, \"BODY@3\" for a node, \"BODY.FRAME\" for a frame that it names, "
              "or "
              "\"ground@[x, y, z]\""},
             {point("box@3") + base,
              "[output]: points: \"box@3\": a rigid body has no numbered or named points; write a "
              "point or a direction as [x, y, z] in body axes, points from the reference point"}});
    }

    TEST_CASE("a constraint between the ground and the ground") {
        check_all(
            ErrorKind::manifest,
            {{box() + position("root", "ground@[0, 0, 0]", "ground@[0, 0, 0]"),
              "constraint \"root\": all its attachments are on the ground, nothing can move"}});
    }

    TEST_CASE("bodies that start from each other") {
        check_all(ErrorKind::manifest,
                  {{bar("one", "density = 1.0\nvelocity_from = \"one\"\n"),
                    "body \"one\" starts from itself, over one or more other bodies"},
                   {bar("one", "density = 1.0\nvelocity_from = \"two\"\n") +
                        bar("two", "density = 1.0\nvelocity_from = \"one\"\n"),
                    "body \"one\" starts from itself, over one or more other bodies"},
                   {bar("one", "density = 1.0\nvelocity_from = \"two\"\n") +
                        bar("two", "density = 1.0\n"),
                    "body \"two\" (type truss) has no attitude, so nothing can start as carried by "
                    "it; name a rigid body"}});
        const Failure unknown =
            failure_of(box() + bar("one", "density = 1.0\nvelocity_from = \"bix\"\n") + kEmm);
        CHECK(unknown.kind == ErrorKind::manifest);
        CHECK(contains(unknown.message, "there is no body \"bix\"; did you mean \"box\"?"));
    }

    TEST_CASE("a body whose motion neither mass nor stiffness determines") {
        const auto expect = [](const std::string& model, const char* body) {
            const Failure failure = failure_of(model + kEmm);
            CHECK(failure.kind == ErrorKind::numerical);
            CHECK(failure.line > 0);
            CHECK(failure.message.starts_with(fmt::format("body \"{}\": its ", body)));
            CHECK(contains(failure.message,
                           "has no mass, and no constraint or stiffness determines its motion; "
                           "give it mass or tie it"));
            return failure.message;
        };
        expect(mass("massless"), "m");
        expect(bar("bar", "density = 0.0\n"), "bar");
        // Tied at one end it may still swing: node 1 across the bar.
        const std::string message = expect(
            bar("bar", "density = 0.0\n") + position("root", "bar@0", "ground@[0, 0, 0]"), "bar");
        CHECK((contains(message, "vector 1 along y (coordinate 4)") ||
               contains(message, "vector 1 along z (coordinate 5)")));
        CHECK_FALSE(failure_of(bar("bar", "density = 0.0\n") +
                               position("root", "bar@0", "ground@[0, 0, 0]") +
                               position("end", "bar@1", "ground@[1, 0, 0]") + kEmm)
                        .happened);
    }

    TEST_CASE("a spring without mass between two boxes is no such body") {
        CHECK_FALSE(failure_of(box() + bar("bar", "density = 0.0\n") +
                               "[[body]]\nname = \"two\"\ntype = \"ancf_rigid_body\"\n"
                               "size = [1, 1, 1]\ndensity = 1.0\nposition = [1.5, 0, 0]\n" +
                               position("root", "bar@0", "box@[0, 0, 0]") +
                               position("end", "bar@1", "two@[-0.5, 0, 0]") + kEmm)
                        .happened);
    }
}

TEST_SUITE("starts that do not fit their constraints") {
    TEST_CASE("a gap: which constraint, how wide, against what") {
        const Failure failure =
            failure_of(box() + position("root", "box@[0.5, 0, 0]", "ground@[0.7, 0, 0]") + kEmm);
        CHECK(failure.kind == ErrorKind::numerical);
        CHECK(failure.line == 6);
        CHECK(failure.message.starts_with(
            "inconsistent start: constraint \"root\", gap 0 is -0.2 instead of 0"));
        CHECK(contains(failure.message, "1e-09 of the model's size"));
        CHECK(contains(failure.message,
                       "correct positions or attachment points of the bodies it ties"));
    }

    TEST_CASE("a gap within the tolerance is closed by the first step and booked") {
        ancora::testing::Run run(
            box() + position("root", "box@[0.5, 0, 0]", "ground@[0.50000000001, 0, 0]") + kEmm);
        CHECK(near(run.column("constraint.position"), 1e-11, 1e-16));
        run.simulation.step();
        CHECK(run.column("constraint.position") <= 1e-15);
        CHECK(run.column("work.projection") != 0.0);
        run.to_end();
        CHECK(std::abs(run.column("energy.balance")) <= 1e-15 * 10.0 * 1e-9);
    }

    // The point 0.5 m from the centre moves with w x r = 1 * 0.5.
    TEST_CASE("velocities that leave the constraint: the rate is told") {
        const Failure failure =
            failure_of(box("angular_velocity = [0, 0, 1]\n") +
                       position("root", "box@[0.5, 0, 0]", "ground@[0.5, 0, 0]") + kEmm);
        CHECK(failure.kind == ErrorKind::numerical);
        CHECK(failure.line == 7);
        CHECK(failure.message ==
              "inconsistent start: constraint \"root\", gap 1 changes at a rate of 0.5 (allowed "
              "1e-09 of the velocities); correct velocities or angular velocities of the bodies it "
              "ties, or let [model] project_start = true move them");
    }

    TEST_CASE("motions that contradict each other from the start are named, under emm too") {
        const Failure failure = failure_of(
            std::string(
                "[[body]]\nname = \"p\"\ntype = \"particle\"\nmass = 1.0\nposition = [1, 0, 0]\n"
                "[[constraint]]\nname = \"still\"\ntype = \"general_constraint\"\n"
                "equation = \"p.x = 1\"\n[[constraint]]\nname = \"moved\"\n"
                "type = \"general_constraint\"\nequation = \"p.x = 1 + t^2\"\n") +
            kEmm);
        CHECK(failure.kind == ErrorKind::numerical);
        CHECK(contains(failure.message, "inconsistent constraints: no acceleration meets"));
        CHECK(contains(failure.message, "\"still\""));
        CHECK(contains(failure.message, "\"moved\""));
        CHECK(contains(failure.message, "which asks for the same motion"));
    }

    TEST_CASE("friction on a constraint that acts on nothing is told") {
        ancora::testing::Run run(
            std::string(
                "[[body]]\nname = \"p\"\ntype = \"particle\"\nmass = 1.0\ncoordinates = \"x\"\n"
                "[[constraint]]\nname = \"floor\"\ntype = \"point_on_plane\"\npoint = \"p@0\"\n"
                "normal = [0, 0, 1]\n[[force]]\nname = \"rub\"\ntype = \"coulomb_friction\"\n"
                "on = \"floor\"\nmu_kinetic = 0.3\n") +
            kEmm);
        CHECK(std::ranges::any_of(run.warnings, [](const std::string& warning) {
            return contains(warning, "force \"rub\": its normal force is zero");
        }));
    }

    TEST_CASE("the equations of a list are told apart") {
        const Failure failure = failure_of(
            std::string(
                "[[body]]\nname = \"p\"\ntype = \"particle\"\nmass = 1.0\nposition = [1, 0, 0]\n"
                "[[constraint]]\nname = \"place\"\ntype = \"general_constraint\"\n"
                "equation = [\"p.x = 1\", \"p.y = 0\", \"p.z = 0.3\"]\n") +
            kEmm);
        CHECK(contains(failure.message, "constraint \"place\", equation 2 is -0.3 instead of 0"));
    }

    // Newton overshoots from inside the hoop; the steps are shortened until the gap falls.
    TEST_CASE("project_start finds the hoop from near and far") {
        for (const double x : {0.1, 0.4, 0.9, 3.0, 100.0}) {
            CAPTURE(x);
            ancora::testing::Run run(
                "[model]\nproject_start = \"far\"\n[[body]]\nname = \"p\"\ntype = \"particle\"\n"
                "mass = 1.0\nposition = [" +
                std::to_string(x) +
                ", 0, 0]\n[[constraint]]\nname = \"hoop\"\ntype = \"point_on_circle\"\n"
                "point = \"p@0\"\nnormal = [0, 0, 1]\nradius = 1.0\n" +
                kEmm);
            CHECK(near(run.simulation.point("p@0").position[0], 1.0, 1e-14));
        }
    }

    // Both begin at x = 1 at rest; projection cannot meet both later.
    TEST_CASE("constraints that contradict each other later are refused on the way") {
        for (const char* type : {"rk4", "dopri5"}) {
            CAPTURE(type);
            const Failure failure = failure_of(
                "[[body]]\nname = \"p\"\ntype = \"particle\"\nmass = 1.0\n"
                "position = [1, 0, 0]\n[[constraint]]\nname = \"still\"\n"
                "type = \"general_constraint\"\nequation = \"p.x = 1\"\n[[constraint]]\n"
                "name = \"moved\"\ntype = \"general_constraint\"\n"
                "equation = \"p.x = 1 + t^3\"\n[integrator]\ntype = \"" +
                std::string(type) + "\"\nstep = 0.01\nend = 0.5\n");
            CHECK(failure.kind == ErrorKind::numerical);
            CHECK(contains(failure.message, "cannot be projected"));
            CHECK(contains(failure.message, "contradicts other constraints"));
        }
    }

    TEST_CASE("redundant rows are named in a warning, and the run goes on") {
        const Failure none =
            failure_of(box() + position("root", "box@[0.5, 0, 0]", "ground@[0.5, 0, 0]") +
                       position("again", "box@[0.5, 0, 0]", "ground@[0.5, 0, 0]") + kEmm);
        CHECK_FALSE(none.happened);
        REQUIRE(none.warnings.size() == 1);
        CHECK(
            none.warnings[0] ==
            "3 of 12 constraint rows are redundant: constraint \"again\", gap 0; constraint "
            "\"again\", gap 1; constraint \"again\", gap 2; forces there are those of least norm");
    }

    // A particle that moves in the plane z = 0, held there once more: no row along z has a
    // coordinate, and the second row of the wire is another one.
    TEST_CASE("rows along which nothing can move are not called redundant") {
        const Failure none = failure_of(
            std::string("[[body]]\nname = \"p\"\ntype = \"particle\"\nmass = 1.0\n"
                        "coordinates = \"xy\"\n[[constraint]]\nname = \"floor\"\n"
                        "type = \"point_on_plane\"\npoint = \"p@0\"\nnormal = [0, 0, 1]\n"
                        "[[constraint]]\nname = \"wire\"\ntype = \"point_on_curve\"\n"
                        "point = \"p@0\"\nequations = [\"y = x^2\", \"z = 0\"]\n") +
            kEmm);
        CHECK(none.message.empty());
        REQUIRE(none.warnings.size() == 1);
        CHECK(none.warnings[0] ==
              "2 of 3 constraint rows act on nothing, since no coordinate moves along them: "
              "constraint \"floor\", gap 0; constraint \"wire\", gap 1; they may be left out");
    }

    // The best that any place of the box can do is to leave half of the 0.2 m on either side.
    TEST_CASE("one point held at two places: no start can be right, and both are named") {
        const Failure failure =
            failure_of(box() + position("root", "box@[0.5, 0, 0]", "ground@[0.5, 0, 0]") +
                       position("second", "box@[0.5, 0, 0]", "ground@[0.5, 0.2, 0]") + kEmm);
        CHECK(failure.kind == ErrorKind::numerical);
        CHECK(failure.line > 0);
        CHECK(
            failure.message ==
            "inconsistent constraints: no motion of the bodies closes constraint \"root\", gap 1; "
            "constraint \"second\", gap 1 together (a gap of 0.1 is left); remove one of them or "
            "correct where they attach");
    }

    TEST_CASE("two points of a rigid box held farther apart than they are") {
        const Failure failure =
            failure_of(box() + position("root", "box@[0.5, 0, 0]", "ground@[0.5, 0, 0]") +
                       position("second", "box@[-0.5, 0, 0]", "ground@[-1.5, 0, 0]") + kEmm);
        CHECK(failure.kind == ErrorKind::numerical);
        CHECK(failure.message.starts_with(
            "inconsistent constraints: no motion of the bodies closes "));
        CHECK(contains(failure.message, "constraint \"root\", gap 0"));
        CHECK(contains(failure.message, "constraint \"second\", gap 0"));
    }

    // Held at one end, the box has only to be turned by 0.1 rad to meet the other place too, though
    // along the line between them the rows, taken linear, contradict each other.
    TEST_CASE("a box at a wrong angle is a wrong start, not a contradiction") {
        const Failure failure = failure_of(
            box() + position("root", "box@[-0.5, 0, 0]", "ground@[-0.5, 0, 0]") +
            position("second",
                     "box@[0.5, 0, 0]",
                     fmt::format("ground@[{:.17g}, {:.17g}, 0]", std::cos(0.1) - 0.5, std::sin(0.1))
                         .c_str()) +
            kEmm);
        CHECK(failure.message.starts_with("inconsistent start: constraint \"second\", gap "));
    }

    TEST_CASE("a new state is checked like a start, and the old one stays when it is refused") {
        ancora::testing::Run run(box() + position("root", "box@[0.5, 0, 0]", "ground@[0.5, 0, 0]") +
                                 kEmm);
        const std::vector<double> q(run.simulation.q().begin(), run.simulation.q().end());
        std::vector<double> moved = q;
        moved[1] += 0.3;
        const std::vector<double> v(q.size(), 0.0);
        CHECK_THROWS_WITH_AS(
            run.simulation.set_state(moved, v),
            doctest::Contains("inconsistent start: constraint \"root\", gap 1 is 0.3 instead of 0"),
            Error);
        CHECK(std::equal(q.begin(), q.end(), run.simulation.q().begin()));
        CHECK_THROWS_WITH_AS(run.simulation.set_state({}, v),
                             doctest::Contains("set_state: q has 0 and v 12 entries, the model has "
                                               "12 coordinates"),
                             Error);
    }
}

TEST_SUITE("steps that fail") {
    // A net that spins 20 rad a step, unstrained, with two iterations and no halving allowed.
    TEST_CASE("no convergence: when, how long, in what, how large, what to try") {
        const std::string net = R"(
[[body]]
name = "net"
type = "truss"
grid = {counts = [4, 4], spacing = [1.0, 1.0]}
area = 1e-4
young = 1e9
density = 1000.0
spin = {axis = [0, 0, 1], rate = 20.0}
[integrator]
type = "emm"
step = 1.0
end = 2.0
[integrator.emm]
max_iterations = 2
max_halvings = )";
        const Failure failure = failure_of(net + "0\n");
        CHECK(failure.kind == ErrorKind::numerical);
        CHECK(failure.time == 0.0);
        CHECK(failure.message.starts_with("t = 0 s, step of 1 s: no convergence"));
        CHECK(contains(failure.message, "the largest residual is in body \"net\", "));
        CHECK(contains(failure.message, "take a smaller step, or allow more max_halvings"));
        CHECK(
            failure_of(net + "2\n").message.starts_with("t = 0 s, step of 0.25 s: no convergence"));
    }

    // Two rows agree at first and not later: x = 0 and x = 1 - cos t.
    TEST_CASE("rows that come to contradict each other: when and which") {
        const auto row = [](const char* name, const char* motion) {
            return fmt::format(
                "[[constraint]]\nname = \"{}\"\ntype = \"test_spring\"\n"
                "a = \"m@0\"\nb = \"ground@[0, 0, 0]\"\n{}",
                name,
                motion);
        };
        const Failure failure =
            failure_of("[[body]]\nname = \"m\"\ntype = \"test_mass\"\nmass = 1.0\n" +
                       row("still", "") + row("moving", "amplitude = 1.0\n") + kEmm);
        CHECK(failure.kind == ErrorKind::numerical);
        REQUIRE(failure.warnings.size() == 1);
        CHECK(contains(failure.warnings[0], "1 of 2 constraint rows are redundant"));
        CHECK((contains(failure.message, "constraint \"moving\", distance 0") ||
               contains(failure.message, "constraint \"still\", distance 0")));
    }

    // The load at 1 m across the axis of the rod is a torque of 1 N m about it.
    TEST_CASE("a torque about the axis of an ideal rod") {
        const Failure failure = failure_of(R"(
[[body]]
name = "rod"
type = "ancf_rigid_body"
mass = 1.0
inertia = [0.0, 1.0, 1.0]
[[force]]
name = "f"
type = "test_load"
at = "rod@[0, 1, 0]"
force = [0.0, 0.0, 1.0]
)" + std::string(kEmm));
        CHECK(failure.kind == ErrorKind::numerical);
        CHECK(failure.message.starts_with("t = 0 s: body \"rod\", spin about the rod's axis"));
        CHECK(contains(failure.message,
                       "but nothing there has inertia or stiffness; attach on the axis, or give "
                       "the body inertia about it"));
    }

    TEST_CASE("the torque that is told is the one that acts") {
        const Failure failure = failure_of(R"(
[[body]]
name = "rod"
type = "ancf_rigid_body"
mass = 1.0
inertia = [0.0, 1.0, 1.0]
[[force]]
name = "f"
type = "test_load"
at = "rod@[0, 1, 0]"
force = [0.0, 0.0, 1.0]
)" + std::string(kEmm));
        CHECK(contains(failure.message, "is loaded by 1 N m"));
    }

    TEST_CASE("a step that fails leaves the state of the step before") {
        ancora::testing::Run run(mass() + push("nan_force") + kEmm);
        run.steps(2);
        const double x = run.column("m.x");
        for (int again = 0; again < 2; ++again) {
            CHECK_THROWS_AS(run.simulation.step(), Error);
            CHECK(run.simulation.time() == 0.02);
            CHECK(run.simulation.steps_done() == 2);
            CHECK(run.column("m.x") == x);
        }
    }

    TEST_CASE("an error at the end of a step leaves the state of the step before") {
        ancora::testing::Run run(mass() + tie("throws_in_call") + kEmm);
        CHECK_THROWS_AS(run.simulation.step(), Error);
        CHECK(run.simulation.time() == 0.0);
        CHECK(run.column("m.x") == 0.0);
    }

    // The fast box needs halved steps; the force is NaN from the second half of the first one on.
    TEST_CASE("a step that fails in its second half is not begun twice") {
        ancora::testing::Run run(box("angular_velocity = [90.0, 150.0, 240.0]\n") + mass() +
                                 push("nan_force") + R"(
[integrator]
type = "emm"
step = 0.024
end = 0.24
[integrator.emm]
max_iterations = 4
)");
        CHECK_THROWS_AS(run.simulation.step(), Error);
        const double t = run.simulation.time();
        CHECK(t < 0.024);
        const double x = run.column("m.x");
        CHECK(near(x, t, 1e-15));  // 1 m/s
        CHECK_THROWS_AS(run.simulation.step(), Error);
        CHECK(near(run.column("m.x"), run.simulation.time(), 1e-15));
    }

    TEST_CASE("no step beyond the end") {
        ancora::testing::Run run(mass() + kEmm);
        run.to_end();
        CHECK_THROWS_WITH_AS(
            run.simulation.step(), "error: the simulation has reached its end", Error);
    }
}
