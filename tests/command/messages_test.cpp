// SPDX-License-Identifier: BSD-3-Clause
// Messages about manifests: all mistakes in one go, with the line that each is about, what was
// meant by names from elsewhere, and colour for people alone.
#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/program.hpp"

namespace ancora::testing {
namespace {

bool lacks(const std::string& text, const std::string& part) {
    return text.find(part) == std::string::npos;
}

int count(const std::string& text, const std::string& part) {
    int found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++found;
    return found;
}

const std::string kIntegrator = "[integrator]\ntype = \"emm\"\nstep = 0.01\nend = 0.1\n";
const std::string kBall = "[[body]]\nname = \"ball\"\ntype = \"particle\"\nmass = 2.0\n";

/// What `ancora check` says of a model that is refused with this status.
std::string refused(const std::string& text, int status = 3, const CommandArguments& more = {}) {
    const TempFolder folder;
    folder.write("m.toml", text);
    CommandArguments check = {"check", "m.toml"};
    check.insert(check.end(), more.begin(), more.end());
    const ProcessResult result = run_ancora_in_full(folder, check);
    CAPTURE(result.err);
    CHECK(result.status == status);
    CHECK(result.out == "");
    return result.err;
}

/// Whether there are pseudo-terminals: a container may have no /dev/pts.
bool has_terminals() {
    int terminal = -1;
    int program = -1;
    if (::openpty(&terminal, &program, nullptr, nullptr, nullptr) != 0) return false;
    ::close(program);
    ::close(terminal);
    return true;
}

/// What a program writes to a terminal.
std::string on_terminal(const TempFolder& folder, const std::string& setting) {
    int terminal = -1;
    const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
    REQUIRE(child >= 0);
    if (child == 0) {
        ::setenv("TERM", "xterm", 1);
        ::unsetenv("NO_COLOR");
        ::putenv(const_cast<char*>(setting.c_str()));
        const std::string file = (folder / "m.toml").string();
        ::execl(ANCORA_TEST_BIN, ANCORA_TEST_BIN, "check", file.c_str(), nullptr);
        ::_exit(127);
    }
    std::string text;
    std::array<char, 512> buffer{};
    for (ssize_t n = 0; (n = ::read(terminal, buffer.data(), buffer.size())) > 0;)
        text.append(buffer.data(), static_cast<std::size_t>(n));
    ::close(terminal);
    ::waitpid(child, nullptr, 0);
    return text;
}

}  // namespace

TEST_SUITE("messages: places") {
    TEST_CASE("the line of the file stands below, with a caret") {
        CHECK(refused(kBall + "velocity = [0.0, \"fast\", 0.0]\n" + kIntegrator)
                  .starts_with("m.toml:5:18: error: body \"ball\": velocity[1]: expected a number, "
                               "got \"fast\""));
        const std::string tabs =
            refused("[[body]]\nname = \"ball\"\n\t# \xc3\xa4\n\tmas\t= 2.0\n" + kIntegrator);
        CHECK(contains(tabs, "\n    1 | [[body]]\n      | ^\n"));
        const std::string text = refused(kBall + "colour = \"red\"  # it is\n" + kIntegrator);
        CHECK(contains(text, "m.toml:5:1: error: body \"ball\": unknown key \"colour\""));
        CHECK(contains(text, "\n    5 | colour = \"red\"  # it is\n      | ^\n"));
        // behind letters of several bytes, as they are counted in editors
        CHECK(contains(
            refused("[model]\nname = \"\xc3\xa4\xc3\xb6\"\ngravity = [\"\xc2\xb5\", 0, 0]\n" +
                    kBall + kIntegrator),
            "\n    3 | gravity = [\"\xc2\xb5\", 0, 0]\n      |            ^\n"));
    }

    TEST_CASE("of a long line as much as one sees, and of none nothing") {
        const std::string text = refused(kBall + "position = [" + std::string(3000, ' ') +
                                         "1.0, 2.0, \"x\"]\n" + kIntegrator);
        const std::size_t begin = text.find("\n    5 | ...");
        REQUIRE(begin != std::string::npos);
        CHECK(text.find('\n', begin + 1) - begin < 140);
        CHECK(count(refused(kBall, 3), "\n") == 1);
        CHECK(count(refused(kBall + kIntegrator, 3, {"--set", "body.ball.mass=-1"}), "\n") == 1);
    }

    TEST_CASE("what a terminal would obey stays text") {
        CHECK(lacks(refused(kBall + "x = \"\x1b[31m\x07\"\n" + kIntegrator), "\x1b"));
    }

    TEST_CASE("colour on a terminal, and only there") {
        const TempFolder folder;
        folder.write("m.toml", kBall + "colour = 1\n" + kIntegrator);
        CHECK(lacks(run_ancora_in_full(folder, {"check", "m.toml"}).err, "\033"));
        if (!has_terminals()) {
            MESSAGE("skipped: there is no pseudo-terminal to be had (is /dev/pts mounted?)");
            return;
        }
        CHECK(contains(on_terminal(folder, "ANY=1"), "\033[1;31merror:\033[0m body"));
        CHECK(lacks(on_terminal(folder, "NO_COLOR=1"), "\033"));
        CHECK(contains(on_terminal(folder, "NO_COLOR="), "\033"));
        CHECK(lacks(on_terminal(folder, "TERM=dumb"), "\033"));
    }
}

TEST_SUITE("messages: all mistakes in one go") {
    TEST_CASE("of several objects and keys, in the order of the file") {
        const std::string text = refused(
            "[[body]]\nname = \"a\"\ntype = \"particle\"\nposition = 3\nvelocty = [0, 0, 0]\n"
            "[[body]]\nname = \"b\"\ntype = \"ancf_rigid_bdy\"\n"
            "[[constraint]]\nname = \"c\"\ntype = \"position\"\na = 3\nb = \"ground@[0, 0, 0]\"\n"
            "[[force]]\nname = \"f\"\ntype = \"point_load\"\nforce = [1, 2]\n" +
            kIntegrator + "[integrator.emm]\nordr = 4\n");
        CHECK(count(text, ": error: ") == 6);
        std::size_t last = 0;
        for (const char* const begin :
             {"m.toml:4:12: error: body \"a\": position: ",
              "m.toml:5:1: error: body \"a\": unknown key \"velocty\"",
              "m.toml:8:8: error: unknown body type \"ancf_rigid_bdy\"; did you mean ",
              "m.toml:12:5: error: constraint \"c\": a: ",
              "m.toml:17:9: error: force \"f\": force: ",
              "m.toml:23:1: error: integrator \"emm\": unknown key \"ordr\""}) {
            CAPTURE(begin);
            const std::size_t at = text.find(begin);
            REQUIRE(at != std::string::npos);
            CHECK(at >= last);
            last = at;
        }
    }

    TEST_CASE("of the tables of the kernel too") {
        const std::string text = refused(
            "[modle]\n[model]\ngravty = 1\n[[body]]\nnaem = \"x\"\n[[force]]\nname = \"1\"\n"
            "type = \"drag\"\n[integrator]\ntype = \"emm\"\nstp = 1\n[output]\nevery = -1\n");
        CHECK(count(text, ": error: ") == 6);
        for (const char* const part : {"unknown table \"modle\"; did you mean \"model\"?",
                                       "unknown key \"gravty\"; did you mean \"gravity\"?",
                                       "unknown key \"naem\"; did you mean \"name\"?",
                                       "force \"1\": a name is a letter or _",
                                       "unknown key \"stp\"; did you mean \"step\"?",
                                       "[output]: every: expected a value > 0 s"})
            CHECK(contains(text, part));
    }

    TEST_CASE("what follows from a mistake is none of its own") {
        // the constraint that is wrong is not missing for the friction on it
        const std::string text = refused(
            kBall +
            "[[constraint]]\nname = \"floor\"\ntype = \"point_on_plane\"\npoint = \"bal@0\"\n"
            "normal = [0, 0, 1]\n"
            "[[force]]\nname = \"rubbing\"\ntype = \"coulomb_friction\"\non = \"floor\"\n"
            "mu_kinetic = 0.3\n" +
            kIntegrator);
        CHECK(count(text, ": error: ") == 1);
        CHECK(contains(text, "there is no body \"bal\"; did you mean \"ball\"?"));
        CHECK(count(refused("[[body]]\nname = \"a\"\ntype = \"truss\"\nvelocity_from = \"b\"\n"
                            "[[body]]\nname = \"b\"\ntype = \"ancf_rigid_body\"\ndensty = 1\n" +
                            kIntegrator),
                    "densty") == 2);
    }

    TEST_CASE("of objects that were generated, once, and of very many, some") {
        const std::string text = refused(
            "[[generate]]\nfor = {i = 1000}\n[[generate.body]]\nname = \"b_${i}\"\n"
            "type = \"particle\"\nmas = 1\n" +
            kIntegrator);
        CHECK(count(text, ": error: ") == 1);
        CHECK(contains(text, "unknown key \"mas\"; did you mean \"mass\"? (i = 0)"));
        std::string many;
        for (int i = 0; i < 50; ++i)
            many +=
                "[[body]]\nname = \"b" + std::to_string(i) + "\"\ntype = \"particle\"\nmas = 1\n";
        const std::string of_many = refused(many + kIntegrator);
        CHECK(count(of_many, ": error: ") == 20);
        CHECK(of_many.ends_with("\nand 30 more mistakes\n"));
    }
}

TEST_SUITE("messages: what was meant") {
    TEST_CASE("an unknown type: its name here, or the types that there are") {
        const auto with_type = [](const std::string& kind, const std::string& type) {
            return refused(kBall + "[[" + kind + "]]\nname = \"x\"\ntype = \"" + type + "\"\n" +
                           kIntegrator);
        };
        CHECK(contains(with_type("body", "rigid_body"),
                       "unknown body type \"rigid_body\"; here it is called ancf_rigid_body: "
                       "write type = \"ancf_rigid_body\""));
        CHECK(contains(with_type("constraint", "Position"), "; write type = \"position\""));
        const std::string none = with_type("force", "xyzzy");
        CHECK(contains(none, "unknown force type \"xyzzy\"; force types: "));
        CHECK(contains(none, "coulomb_friction, dc_motor, drag, "));
        CHECK(contains(none, "\n  searched, in this order:"));
    }

    TEST_CASE("world is ground") {
        const auto with_b = [](const std::string& b) {
            return refused(kBall +
                           "[[constraint]]\nname = \"c\"\ntype = \"position\"\n"
                           "a = \"ball@[0, 0, 0]\"\nb = \"" +
                           b + "\"\n" + kIntegrator);
        };
        CHECK(contains(with_b("world@[0, 0, 1]"),
                       "there is no body \"world\"; what is fixed in space is called \"ground\", a "
                       "point of it \"ground@[x, y, z]\""));
        CHECK(contains(with_b("world"), "or \"ground@[x, y, z]\""));
    }

    TEST_CASE("names and expressions in an attachment stand in braces") {
        const auto at = [](const std::string& locator) {
            return refused("[parameters]\nL = 2.0\n" + kBall +
                           "[[force]]\nname = \"f\"\ntype = \"drag\"\nlinear = 1\nat = \"" +
                           locator + "\"\n" + kIntegrator);
        };
        CHECK(contains(at("ball@[L, 0, 0]"), "in braces in a text: \"ball@[${L}, 0, 0]\""));
        CHECK(contains(at("ball@[0,-L/2, max(L, 1)]"), "\"ball@[0, ${-L/2}, ${max(L, 1)}]\""));
        CHECK(contains(at("ball@[10 mm, 0, 0.5]"), "\"ball@[${10 mm}, 0, 0.5]\""));
        for (const char* const other :
             {"ball@[L, 0]", "ball@[, , ]", "ball@[", "ball@]", "ball@[[L],0,0]"})
            CHECK(lacks(at(other), "braces"));
    }

    TEST_CASE("texts without quotes") {
        const auto with = [](const std::string& line) {
            return refused("[model]\n" + line + "\n" + kBall + kIntegrator);
        };
        CHECK(contains(with("name = pendulum"), "stand in quotes: name = \"pendulum\""));
        CHECK(contains(with("name = a b  # c"), "stand in quotes: name = \"a b\""));
        CHECK(contains(with("plugins = [truss, \"emm\"]"), "stand in quotes: \"truss\""));
        CHECK(contains(with("gravity = [0, 0, -9.81 m/s^2]"), "stand in quotes: \"-9.81 m/s^2\""));
        CHECK(contains(with("name = pendulum"), "\n    2 | name = pendulum\n"));
        CHECK(lacks(with("name = \"pendulum"), "stand in quotes"));
        CHECK(lacks(with("gravity = [0, 0, 1"), "stand in quotes"));
    }

    TEST_CASE("coordinates by name: those that a body knows") {
        const auto with = [](const std::string& type, const std::string& more) {
            return refused("[[body]]\nname = \"b\"\ntype = \"" + type + "\"\n" + more +
                           "[[constraint]]\nname = \"c\"\ntype = \"general_constraint\"\n"
                           "equation = \"b.u = 0\"\n" +
                           kIntegrator);
        };
        CHECK(contains(with("quaternion_body", "size = [1, 1, 1]\ndensity = 1.0\n"),
                       "has no coordinate \"u\"; \"x\", \"y\" and \"z\" are those of its reference "
                       "point, and it calls others \"qw\", \"qx\", \"qy\", \"qz\""));
        const std::string particle = with("particle", "mass = 1.0\n");
        CHECK(contains(particle, "are those of its reference point"));
        CHECK(lacks(particle, "calls others"));
        const TempFolder folder;
        CHECK(contains(run_ancora_in_full(folder, {"describe", "quaternion_body"}).out,
                       "qw, qx, qy, qz"));
    }

    TEST_CASE("one formula where several are wanted, and a file that is not there") {
        const auto with = [](const std::string& motion, int status) {
            return refused(kBall +
                               "[[constraint]]\nname = \"c\"\ntype = \"position\"\n"
                               "a = \"ball@[0, 0, 0]\"\nb = \"ground@[0, 0, 0]\"\nmotion = \"" +
                               motion + "\"\n" + kIntegrator,
                           status);
        };
        CHECK(contains(with("0.1*t", 3),
                       "motion: \"0.1*t\" is one formula; 3 stand in an array, one for each "
                       "component: [\"0.1*t\", \"0\", \"0\"]"));
        CHECK(contains(with("sin(t)", 3), "[\"sin(t)\", \"0\", \"0\"]"));
        CHECK(contains(with("0", 3), "[\"0\", \"0\", \"0\"]"));
        for (const char* const file : {"motion.csv", "tables/motion", "motion", "my table 2.txt"})
            CHECK(contains(with(file, 6), "does not exist"));
    }
}

TEST_SUITE("[[joint]] is another name for [[constraint]]") {
    const std::string kJoint =
        "[[joint]]\nname = \"pin\"\ntype = \"position\"\na = \"ball@[0, 0, 0]\"\n"
        "b = \"ground@[0, 0, 0]\"\n";

    std::string constraint_of(std::string joint) {
        return joint.replace(joint.find("[[joint]]"), 9, "[[constraint]]");
    }

    TEST_CASE("the same bytes, in whatever order they stand") {
        const TempFolder folder;
        std::string other = constraint_of(kJoint);
        other.replace(other.find("pin"), 3, "eye");
        const std::string rest =
            "[[body]]\nname = \"b_1\"\ntype = \"particle\"\nmass = 1.0\n"
            "[[generate]]\nfor = {i = [2, 3]}\n[[generate.body]]\n"
            "name = \"b_${i}\"\ntype = \"particle\"\nmass = 1.0\n";
        const std::string generated =
            "[[generate.joint]]\nname = \"j_${i}\"\ntype = \"position\"\n"
            "a = \"b_${i}@[0, 0, 0]\"\nb = \"b_${i - 1}@[0, 0, 0]\"\n";
        std::string as_constraints = generated;
        as_constraints.replace(0, 18, "[[generate.constraint]]");
        const std::string model = "[model]\ngravity = [1.0, 2.0, 3.0]\n" + kBall;
        folder.write("a.toml", model + kJoint + other + rest + generated + kIntegrator);
        folder.write("b.toml",
                     model + constraint_of(kJoint) + other + rest + as_constraints + kIntegrator);
        folder.write("part.toml", kJoint + other);
        folder.write("c.toml",
                     "include = \"part.toml\"\n" + model + rest + generated + kIntegrator);
        for (const char* const name : {"a", "b", "c"}) {
            const ProcessResult run = run_ancora_in_full(
                folder, {"run", std::string(name) + ".toml", "--out", name, "--quiet"});
            CAPTURE(run.err);
            REQUIRE(run.status == 0);
        }
        const std::string history = folder.read("b/history.csv");
        CHECK(folder.read("a/history.csv") == history);
        CHECK(folder.read("c/history.csv") == history);
        const std::string printed = run_ancora_in_full(folder, {"check", "--print", "a.toml"}).out;
        CHECK(count(printed, "[[joint]]") == 3);
        CHECK(count(printed, "[[constraint]]") == 1);
        folder.write("d.toml", printed);
        REQUIRE(run_ancora_in_full(folder, {"run", "d.toml", "--out", "d", "--quiet"}).status == 0);
        CHECK(folder.read("d/history.csv") == history);
    }

    TEST_CASE("--set and messages name it so") {
        const std::string model = kBall + kJoint + kIntegrator;
        const TempFolder folder;
        folder.write("m.toml", model);
        for (const char* const kind : {"joint", "constraint"}) {
            const ProcessResult printed = run_ancora_in_full(
                folder,
                {"check", "--print", "m.toml", "--set", std::string(kind) + ".pin.components=xy"});
            CHECK(printed.err == "");
            CHECK(contains(printed.out, "components = \"xy\""));
        }
        CHECK(contains(refused(model, 3, {"--set", "joint.pn.a=1"}),
                       "no joint \"pn\"; did you mean \"pin\"?"));
        CHECK(contains(refused(kBall + kJoint + "axs = 1\n" + kIntegrator),
                       "m.toml:10:1: error: joint \"pin\": unknown key \"axs\""));
        CHECK(contains(refused(kBall + "[[joint]]\ntype = \"position\"\n" + kIntegrator),
                       "[[joint]]: missing key \"name\""));
        CHECK(contains(refused(kBall + "[joint]\na = 1\n" + kIntegrator),
                       "\"joint\" must be a list of tables"));
        CHECK(contains(refused(kBall + "[[generate]]\nfor = {i = 2}\njoint = 3\n" + kIntegrator),
                       "joint must be a list of tables"));
        CHECK(contains(refused(kBall + kJoint + constraint_of(kJoint) + kIntegrator),
                       "this name is already that of a joint at m.toml:6:8"));
    }

    TEST_CASE("the schema for editors knows it") {
        const TempFolder folder;
        CHECK(contains(run_ancora_in_full(folder, {"schema"}).out, "\"joint\": {"));
    }
}

}  // namespace ancora::testing
