// SPDX-License-Identifier: BSD-3-Clause
// `ancora import` as a user sees it: files, messages, exit statuses.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "support/process.hpp"

namespace ancora::testing {
namespace {

std::string form(const std::string& name) {
    std::ifstream in(std::string(ANCORA_TEST_SOURCE_DIR) + "/tests/import/forms/" + name);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

ProcessResult ancora(const TempFolder& folder, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), ANCORA_TEST_BIN);
    ProcessOptions options;
    options.folder = folder.path();
    return run_for_messages(arguments, options);
}

void check_contains(const std::string& text, const std::string& part) {
    INFO(text);
    CAPTURE(part);
    CHECK(text.find(part) != std::string::npos);
}

}  // namespace

TEST_SUITE("ancora import") {
    TEST_CASE("a robot of six axes is imported, checked and run") {
        const TempFolder folder;
        folder.write("six_axis.urdf", form("six_axis.urdf"));
        const ProcessResult result = ancora(folder, {"import", "six_axis.urdf"});
        CHECK(result.err == "");
        CHECK(result.status == 0);
        check_contains(result.out, "model in six_axis.toml: 7 bodies, 7 joints\n");
        check_contains(result.out, "<transmission> has no part in the motion");
        check_contains(result.out, "<mujoco> has no part in the motion");
        const std::string model = folder.read("six_axis.toml");
        check_contains(model, "\nlimits = { lower = -2.967, upper = 2.967 }");
        check_contains(model, "{ name = \"tool0\", position = [0.02, 0.0, 0.0]");
        const ProcessResult check = ancora(folder, {"check", "six_axis.toml"});
        CHECK(check.status == 0);
        check_contains(check.out, "degrees of freedom             6\n");
        check_contains(check.out, "redundant rows                 0\n");
        const ProcessResult run =
            ancora(folder, {"run", "six_axis.toml", "--set", "integrator.end=0.1"});
        CHECK(run.err == "");
        CHECK(run.status == 0);
        // What was changed by hand is not lost
        const ProcessResult again = ancora(folder, {"import", "six_axis.urdf"});
        CHECK(again.status == 6);
        check_contains(again.err, "six_axis.toml: error: there is such a file already");
        CHECK(folder.read("six_axis.toml") == model);
    }

    TEST_CASE("what is damaged or has no counterpart is told with its line") {
        const std::string robot = form("six_axis.urdf");
        struct Mistake {
            const char *from, *to;
            int status;
            const char* message;
        };
        const Mistake mistakes[] = {
            {"<mass value=\"7.1\"/>",
             "<mass value=\"nan\"/>",
             3,
             ":26:15: error: <mass>: value: \"nan\" is not a finite number"},
            {"<mass value=\"7.1\"/>",
             "<mass value=\"${m}\"/>",
             3,
             "expand the file with xacro first"},
            {"<mass value=\"7.1\"/>",
             "<mass value=\"-1\"/>",
             3,
             ":26:15: error: <mass>: value: a mass is not negative"},
            {"joint_2\" type=\"revolute\"",
             "joint_2\" type=\"revolut\"",
             3,
             "there is no type \"revolut\"; did you mean \"revolute\"?"},
            {"<child link=\"link_3\"/>",
             "<child link=\"link3\"/>",
             3,
             "there is no link \"link3\"; did you mean \"link_3\"?"},
            {"<parent link=\"base_link\"/>",
             "<parent link=\"link_6\"/>",
             3,
             ":44:3: error: joints form a circle"},
            {"<parent link=\"base_link\"/>",
             "",
             3,
             ":44:3: error: <joint name=\"joint_1\">: <parent> is missing"},
            {"<link name=\"flange\"/>",
             "<link name=\"flange\"/><link name=\"other\"/>",
             3,
             ":43:24: error: no joint carries link \"other\", nor \"base_link\" in line 5"},
            {"<link name=\"flange\"/>",
             "<link name=\"flange\"/><link name=\"flange\"/>",
             3,
             "there is another link \"flange\""},
            {"<child link=\"flange\"/>",
             "<child link=\"tool0\"/>",
             3,
             "carries link \"tool0\", which joint \"joint_6-tool0\" in line"},
            {"<axis xyz=\"0 0 1\"/>", "<axis xyz=\"0 0 0\"/>", 3, "an axis has a length"},
            {"<axis xyz=\"0 0 1\"/>", "<axis xyz=\"0 1\"/>", 3, "expected 3 numbers, got 2"},
            {"lower=\"-2.967\"", "lower=\"4\"", 3, "is above upper"},
            {"<dynamics damping",
             "<dynamics dampin",
             3,
             "did you mean \"damping\"?: correct or delete it, or leave it out by --lenient"},
            {"<dynamics damping=\"1.5\" friction=\"0\"/>",
             "<dynamic damping=\"1.5\"/>",
             3,
             "<dynamic> in <joint name=\"joint_1\"> is not known; did you mean \"dynamics\"?"},
            {"<dynamics damping=\"1.5\"",
             "<dynamics damping=\"-1.5\"",
             3,
             "it would drive the joint"},
            {"ixx=\"0.16\"",
             "ixx=\"0.5\"",
             3,
             "no body has the principal moments of inertia 0.5, 0.15, 0.03 of link \"link_2\""},
            {"<box size=\"0.16 0.16 0.2\"/>",
             "<mesh filename=\"package://a/b.stl\"/>",
             6,
             "\"package://a/b.stl\" is not found: put the folder \"a\" beside the description"},
            {"<box size=\"0.16 0.16 0.2\"/>",
             "<mesh filename=\"b.dae\"/>",
             3,
             "only STL, OBJ and glTF are read"},
            {"<box size=\"0.16 0.16 0.2\"/>", "<bix size=\"1 1 1\"/>", 3, "names no shape"},
            {"<axis xyz=\"0.1 -1 0.3\"/>",
             "<mimic joint=\"joint_44\"/>",
             3,
             "there is no joint \"joint_44\"; did you mean \"joint_4\"?"},
            {"<link name=\"flange\"/>",
             "<link name=\"flange\"/><xacro:if value=\"1\"/>",
             3,
             "this is a source for xacro"},
            {"<robot name=\"six_axis\">", "<robot name=\"six_axis\"", 3, "not well-formed XML"},
        };
        for (const auto& [from, to, status, message] : mistakes) {
            CAPTURE(to);
            const TempFolder folder;
            folder.write("r.urdf", replaced(robot, from, to));
            const ProcessResult result = ancora(folder, {"import", "r.urdf"});
            CHECK(result.status == status);
            CHECK(result.out == "");
            check_contains(result.err, message);
            CHECK_FALSE(std::filesystem::exists(folder / "r.toml"));
        }
    }

    TEST_CASE("--lenient leaves out what has no counterpart, and lists it") {
        const TempFolder folder;
        std::string robot = replaced(
            form("six_axis.urdf"), "<box size=\"0.16 0.16 0.2\"/>", "<mesh filename=\"b.dae\"/>");
        robot = replaced(robot, "ixx=\"0.16\"", "ixx=\"0.5\"");
        folder.write(
            "r.urdf",
            replaced(
                robot, "<link name=\"tool0\"/>", "<link name=\"tool0\"><weight>3</weight></link>"));
        const ProcessResult result =
            ancora(folder, {"import", "r.urdf", "--lenient", "--out", "m.toml"});
        CHECK(result.status == 0);
        for (const char* const part : {"left out for want of a counterpart\n",
                                       "r.urdf:23: mesh \"b.dae\"",
                                       "r.urdf:42: <weight>",
                                       "the nearest that a body has are taken"})
            check_contains(result.out, part);
        check_contains(folder.read("m.toml"), "#   r.urdf:42: <weight>");
        CHECK(ancora(folder, {"check", "m.toml"}).status == 0);
    }

    TEST_CASE("files that are none") {
        const TempFolder folder;
        folder.write("a.txt", "<html/>");
        folder.write("empty.urdf", "");
        CHECK(ancora(folder, {"import", "none.urdf"}).status == 6);
        CHECK(ancora(folder, {"import", "."}).status == 6);
        const ProcessResult other = ancora(folder, {"import", "a.txt"});
        CHECK(other.status == 3);
        check_contains(other.err, "a.txt:1:1: error: the first element is <html>");
        CHECK(ancora(folder, {"import", "empty.urdf"}).status == 3);
        CHECK(ancora(folder, {"import"}).status == 2);
        folder.write("r.urdf", form("six_axis.urdf"));
        CHECK(ancora(folder, {"import", "r.urdf", "--out", "nowhere/m.toml"}).status == 6);
    }
}

}  // namespace ancora::testing
