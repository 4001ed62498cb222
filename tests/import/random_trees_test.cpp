// SPDX-License-Identifier: BSD-3-Clause
// Random trees, written in each format, imported, and their accelerations beside recursive
// Newton-Euler.
#include "random_trees.hpp"

#include "imported_model.hpp"

namespace ancora::testing {
namespace {

// Without connectors what differs is rounding; a connector has a billionth of what it carries.
constexpr double kRounding = 1e-10, kConnectors = 1e-6;

ImportedModel import_text(const std::string& text, const std::string& name) {
    INFO(text);
    const TempFolder folder;
    folder.write(name, text);
    return imported(folder, name);
}

}  // namespace

TEST_SUITE("import: random trees") {
    TEST_CASE("URDF, MJCF and SDF of one tree move as it does") {
        RandomTrees random(1);
        for (int number = 0; number < 30; ++number) {
            CAPTURE(number);
            const ReferenceTree tree = random.tree(false);
            const std::string as_urdf = urdf(tree, random), as_mjcf = MjcfText(tree, random).text(),
                              as_sdf = sdf(tree, random);
            for (const auto& [text, name] : {std::pair{as_urdf, "tree.urdf"},
                                             std::pair{as_mjcf, "tree.xml"},
                                             std::pair{as_sdf, "tree.sdf"}}) {
                CAPTURE(text);
                const ImportedModel model = import_text(text, name);
                CHECK(model.left_out.empty());
                compare(simulate(model.text, starts(tree)), tree, kRounding);
            }
        }
    }

    TEST_CASE("links without mass between joints, several joints of a body") {
        RandomTrees random(2);
        for (int number = 0; number < 20; ++number) {
            CAPTURE(number);
            const ReferenceTree tree = random.tree(true);
            const std::string as_urdf = urdf(tree, random), as_mjcf = MjcfText(tree, random).text();
            for (const auto& [text, name] :
                 {std::pair{as_urdf, "tree.urdf"}, std::pair{as_mjcf, "tree.xml"}}) {
                CAPTURE(text);
                const ImportedModel model = import_text(text, name);
                compare(simulate(model.text, starts(tree)), tree, kConnectors);
            }
        }
    }

    TEST_CASE("limits are met and never passed, and impacts take energy") {
        RandomTrees random(4);
        int met = 0;
        for (int number = 0; number < 8; ++number) {
            CAPTURE(number);
            ReferenceTree tree = random.tree(false);
            for (TreeBody& body : tree.bodies) {
                if (body.joint == TreeBody::Joint::fixed) continue;
                body.friction = 0.0;
                body.lower = body.q - random.number(0.05, 0.5);
                body.upper = body.q + random.number(0.05, 0.5);
            }
            const std::string texts[] = {
                urdf(tree, random), MjcfText(tree, random).text(), sdf(tree, random)};
            const char* const names[] = {"tree.urdf", "tree.xml", "tree.sdf"};
            const int format = number % 3;
            const ImportedModel model = import_text(texts[format], names[format]);
            Simulation simulation = simulate(model.text, starts(tree));
            const auto energy = [&] {
                return simulation.value("energy.kinetic") + simulation.value("energy.potential");
            };
            double before = energy();
            const double scale = std::abs(before) + 1.0;
            while (simulation.time() < 0.3) {
                simulation.step();
                for (const TreeBody& body : tree.bodies) {
                    if (body.joint == TreeBody::Joint::fixed) continue;
                    const double q = simulation.value(
                        body.joint_name +
                        (body.joint == TreeBody::Joint::hinge ? ".angle" : ".displacement"));
                    CHECK(q >= body.lower - tolerance(1e-9));
                    CHECK(q <= body.upper + tolerance(1e-9));
                    met += std::min(q - body.lower, body.upper - q) < 1e-9 ? 1 : 0;
                }
                const double now = energy();
                CHECK(now <= before + tolerance(1e-12) * scale);
                before = now;
            }
        }
        CHECK(met > 100);
    }

    TEST_CASE("a start beyond a limit, limits without room, limits of what others follow") {
        const auto robot = [](const std::string& limit, const std::string& more) {
            return import_text(
                "<robot name=\"r\"><link name=\"base\"/><link name=\"a\"><inertial><mass "
                "value=\"1\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" "
                "izz=\"1\"/></inertial></link><link name=\"b\"><inertial><mass "
                "value=\"1\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" "
                "izz=\"1\"/></inertial></link><joint name=\"j\" type=\"revolute\"><parent "
                "link=\"base\"/><child link=\"a\"/><limit " +
                    limit +
                    " effort=\"1\" velocity=\"1\"/></joint><joint name=\"k\" "
                    "type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/>" +
                    more + "</joint></robot>",
                "r.urdf");
        };
        const auto has = [](const ImportedModel& model, const std::string& part) {
            return model.text.find(part) != std::string::npos;
        };
        const ImportedModel beyond = robot("lower=\"0.5\" upper=\"2\"", "");
        CHECK(has(beyond, "\nstart = 0.5 "));
        CHECK(has(beyond, "\nlimits = { lower = 0.5, upper = 2.0 }"));
        CHECK(has(beyond, "the joint begins at its limit, 0.5"));
        CHECK(simulate(beyond.text).value("j.angle") == Near(0.5, 1e-15));
        const ImportedModel shut = robot("", "");
        CHECK(has(shut, "\n# limits = { lower = 0.0, upper = 0.0 }"));
        CHECK(has(shut, "limits that leave no room are a comment"));
        const ImportedModel led =
            robot("lower=\"0.5\" upper=\"2\"", "<mimic joint=\"j\" multiplier=\"2\"/>");
        CHECK(has(led, "\n# limits = { lower = 0.5, upper = 2.0 }"));
        CHECK(has(led, "limits that do not hold 0, where the joint begins, are a comment"));
        for (const ImportedModel* const model : {&beyond, &shut, &led})
            CHECK(simulate(model->text).value("k.angle") == Near(0.0, 1e-15));
    }

    TEST_CASE("armature, springs with a reference") {
        RandomTrees random(3);
        for (int number = 0; number < 10; ++number) {
            CAPTURE(number);
            ReferenceTree tree = random.tree(false);
            for (TreeBody& body : tree.bodies) {
                if (body.joint == TreeBody::Joint::fixed) continue;
                body.armature = random.number(0.0, 0.2);
                body.stiffness = random.number(0.0, 5.0);
                body.free = random.number(-1.0, 1.0);
            }
            const std::string text = MjcfText(tree, random).text();
            CAPTURE(text);
            compare(simulate(import_text(text, "tree.xml").text, starts(tree)), tree, kRounding);
            for (TreeBody& body : tree.bodies) body.armature = 0.0;
            const std::string as_sdf = sdf(tree, random);
            CAPTURE(as_sdf);
            compare(simulate(import_text(as_sdf, "tree.sdf").text, starts(tree)), tree, kRounding);
        }
    }
}

}  // namespace ancora::testing
