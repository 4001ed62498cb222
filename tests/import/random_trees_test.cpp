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
