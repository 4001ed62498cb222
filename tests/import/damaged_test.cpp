// SPDX-License-Identifier: BSD-3-Clause
// Descriptions with any damage: an error with a place, or a manifest that reads.
#include <fstream>
#include <iterator>

#include "ancora/framework/error.hpp"
#include "imported_model.hpp"
#include "random_trees.hpp"

namespace ancora::testing {
namespace {

std::string six_axis() {
    std::ifstream in(std::string(ANCORA_TEST_SOURCE_DIR) + "/tests/import/forms/six_axis.urdf");
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Words that mean something, in places where they mean something else.
std::string damage(const std::string& text, RandomTrees& random) {
    static const char* const kWords[] = {"nan",
                                         "1e999",
                                         "-1",
                                         "0",
                                         "",
                                         "world",
                                         "link_1",
                                         "joint_1",
                                         "revolute",
                                         "fixed",
                                         "ball",
                                         "free",
                                         "1 2",
                                         "&#0;",
                                         "<",
                                         "\"",
                                         "</robot>",
                                         "..",
                                         "__model__"};
    std::string out = text;
    for (int k = random.whole(1, 3); k > 0; --k) {
        const std::size_t at =
            static_cast<std::size_t>(random.whole(0, static_cast<int>(out.size()) - 1));
        switch (random.whole(0, 4)) {
            case 0:  // one attribute's value for another word
                if (const std::size_t from = out.find('"', at); from != std::string::npos)
                    if (const std::size_t to = out.find('"', from + 1); to != std::string::npos)
                        out.replace(from + 1, to - from - 1, kWords[random.whole(0, 18)]);
                break;
            case 1:  // an element less
                if (const std::size_t from = out.find('<', at); from != std::string::npos)
                    if (const std::size_t to = out.find("/>", from); to != std::string::npos)
                        out.erase(from, to + 2 - from);
                break;
            case 2:  // one twice
                if (const std::size_t from = out.find('<', at); from != std::string::npos)
                    if (const std::size_t to = out.find("/>", from); to != std::string::npos)
                        out.insert(from, out.substr(from, to + 2 - from));
                break;
            case 3:  // cut short
                if (random.chance(0.2)) out.resize(at + 1);
                break;
            default:
                out[at] = static_cast<char>(random.whole(1, 126));
        }
    }
    return out;
}

}  // namespace

TEST_SUITE("import: damaged descriptions") {
    TEST_CASE("any damage is an error with a place, or gives a manifest that reads") {
        RandomTrees random(4);
        std::vector<std::pair<std::string, std::string>> seeds = {{six_axis(), "a.urdf"}};
        for (int i = 0; i < 4; ++i) {
            const ReferenceTree tree = random.tree(i % 2 == 0);
            seeds.emplace_back(MjcfText(tree, random).text(), "a.xml");
            if (i % 2 == 1) seeds.emplace_back(sdf(tree, random), "a.sdf");
        }
        const TempFolder folder;
        int refused = 0, read = 0;
        for (int number = 0; number < 600; ++number) {
            const auto& [seed, name] = seeds[static_cast<std::size_t>(number) % seeds.size()];
            const std::string text = damage(seed, random);
            CAPTURE(text);
            folder.write(name, text);
            try {
                const ImportedModel model = imported(folder, name, random.chance(0.5));
                CHECK_NOTHROW(Manifest::parse(model.text, "model.toml"));
                ++read;
            } catch (const Error& error) {
                for (const Error& mistake : error.mistakes()) {
                    CHECK(mistake.place().known());
                    CHECK(mistake.message() != "");
                }
                ++refused;
            }
        }
        CHECK(read > 50);
        CHECK(refused > 100);
    }

    TEST_CASE("deep nesting ends") {
        std::string deep = "<mujoco><worldbody>";
        for (int i = 0; i < 5000; ++i) deep += "<body>";
        for (int i = 0; i < 5000; ++i) deep += "</body>";
        const TempFolder folder;
        folder.write("a.xml", deep + "</worldbody></mujoco>");
        CHECK_THROWS_AS(imported(folder, "a.xml"), Error);
        folder.write("b.xml", "<mujoco><worldbody><include file=\"b.xml\"/></worldbody></mujoco>");
        CHECK_THROWS_AS(imported(folder, "b.xml"), Error);
        folder.write("e.sdf",
                     "<sdf version=\"1.9\"><model name=\"m\"><include><uri>e.sdf</uri></include>"
                     "<include><uri>e.sdf</uri></include></model></sdf>");
        CHECK_THROWS_AS(imported(folder, "e.sdf"), Error);
        folder.write("f.sdf",
                     "<sdf version=\"1.9\"><model name=\"m\"><include><uri>model://gone</uri>"
                     "</include></model></sdf>");
        CHECK_THROWS_AS(imported(folder, "f.sdf"), Error);
        folder.write("c.xml", "<mujoco><worldbody><include file=\"d.xml\"/></worldbody></mujoco>");
        folder.write("d.xml", "<x><include file=\"d.xml\"/></x>");
        CHECK_THROWS_AS(imported(folder, "c.xml"), Error);
    }
}

}  // namespace ancora::testing
