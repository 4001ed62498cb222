// SPDX-License-Identifier: BSD-3-Clause
// `ancora report` from outside: what is in a page.
#include "ancora/framework/report.hpp"

#include "report/results.hpp"
#include "support/program.hpp"

namespace ancora::testing {
namespace {

TEST_SUITE("ancora report") {
    TEST_CASE("the page holds the run's numbers") {
        const RunFolder folder(kTop +
                               "[[body]]\nname = \"boom\"\ntype = \"truss\"\nfrom = [1.5, 0.0, "
                               "0.0]\nto = [2.3, 0.0, 0.0]\narea = 1.0e-4\ndensity = "
                               "2700.0\nyoung = 70.0e9\nvelocity_from = "
                               "\"box\"\n\n[[constraint]]\nname = \"hook\"\ntype = "
                               "\"position\"\na = \"box@[1.5, 0.0, 0.0]\"\nb = \"boom@0\"\n"
                               "[output]\npoints = [\"box@[1.5, 0.0, 0.0]\"]\n");
        const Json run = folder.report()["runs"].at(0);
        const auto rows = table(folder.read("run/history.csv"));

        // every column, in single precision, and t in double
        const Json& history = run["history"];
        const std::vector<double> t = decode(history["t"]);
        CHECK(t == rows.at("t"));
        REQUIRE(history["columns"].size() == rows.size());
        CHECK(history["columns"][0] == Json{{"name", "t"}, {"unit", "s"}});
        const std::vector<double> values = decode(history["values"]);
        REQUIRE(values.size() == (rows.size() - 1) * t.size());
        for (std::size_t c = 1; c < rows.size(); ++c) {
            const std::string name = history["columns"][c]["name"];
            CAPTURE(name);
            const std::vector<double>& expected = rows.at(name);
            for (std::size_t i = 0; i < t.size(); ++i)
                REQUIRE(values[(c - 1) * t.size() + i] ==
                        static_cast<double>(static_cast<float>(expected[i])));
        }
        CHECK(history["columns"].dump().find("box@[1.5, 0.0, 0.0].x") != std::string::npos);

        // the scene, to half a step of what it is rounded to
        const FrameFile frames(folder.read("run/frames.npy"));
        const Json from = Json::parse(folder.read("run/scene.json"));
        const Json& scene = run["scene"];
        CHECK(decode(scene["times"]) == rows.at("t"));
        const auto first = [](const Json& part) {
            return part["first"].get<std::size_t>();
        };
        REQUIRE(scene["bodies"].size() == 2);
        const Json &box = scene["bodies"][0], &from_box = from["bodies"][0];
        CHECK(box["shapes"][0]["size"] == Json{3.0, 2.0, 1.0});
        check_track(box["position"], slice(frames, first(from_box), 3), 3);
        check_track(box["quaternion"], slice(frames, first(from_box) + 6, 4), 4);
        const Json &boom = scene["bodies"][1], &from_boom = from["bodies"][1];
        CHECK(decode(boom["lines"]) == std::vector<double>{0, 1});
        const std::size_t nodes_at = first(from_boom) + (from_boom["pose"] == "none" ? 0 : 6);
        REQUIRE(from_boom["nodes"] == 2);
        check_track(boom["nodes"], slice(frames, nodes_at, 6), 3);
        REQUIRE(boom["channels"].size() == from_boom["channels"].size());
        for (std::size_t c = 0; c < boom["channels"].size(); ++c)
            check_track(boom["channels"][c]["data"], slice(frames, nodes_at + 12 + c, 1), 1, 255.0);
        const Json &hook = scene["constraints"][0], &from_hook = from["constraints"][0];
        CHECK(hook["points"] == Json{"box@[1.5, 0.0, 0.0]", "boom@0"});
        check_track(hook["positions"], slice(frames, first(from_hook), 6), 3);
        check_track(hook["force"], slice(frames, first(from_hook) + 6, 3), 3);
        // the same forces, from the rows
        std::vector<double> force;
        for (std::size_t i = 0; i < t.size(); ++i)
            for (const char* axis : {"x", "y", "z"})
                force.push_back(rows.at(std::string("hook.force.") + axis)[i]);
        std::vector<double> most = half_steps(force, 3, 65534.0);
        const std::vector<double> shown = decode(hook["force"]);
        for (std::size_t i = 0; i < force.size(); ++i)
            CHECK(std::abs(shown[i] - force[i]) <= most[i % 3] + 1e-7 * std::abs(force[i]));
        // an interval that holds all that is to be seen
        for (std::size_t i = 0; i < frames.rows; ++i)
            for (std::size_t c = 0; c < 3; ++c) {
                CHECK(scene["min"][c] <
                      static_cast<double>(frames(i, 2 + nodes_at + 3 + c)) + 1e-9);
                CHECK(scene["max"][c] >
                      static_cast<double>(frames(i, 2 + nodes_at + 3 + c)) - 1e-9);
            }
        CHECK(run["summary"] == Json::parse(folder.read("run/summary.json")));
        CHECK(run["notes"].empty());
        CHECK(run["checkpoint"] == true);  // a complete run may be prolonged
    }

    TEST_CASE("nothing but what is in the page runs, and nothing is asked of a network") {
        const RunFolder folder(kTop);
        folder.report();
        const std::string page = folder.read("run/report.html");
        const auto policy =
            between(page, "<meta http-equiv=\"Content-Security-Policy\" content=\"", "\">");
        REQUIRE(policy.size() == 1);
        CHECK(policy[0].starts_with("default-src 'none';"));
        CHECK(policy[0].find('*') == std::string::npos);
        CHECK(policy[0].find("http") == std::string::npos);
        CHECK(policy[0].find("unsafe") == std::string::npos);

        const auto hash = [](const std::string& text) {
            std::array<unsigned char, 32> digest{};
            unsigned size = 0;
            REQUIRE(
                EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr) ==
                1);
            std::array<char, 64> out{};
            EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()), digest.data(), 32);
            return fmt::format("'sha256-{}'", out.data());
        };
        const auto scripts = between(page, "<script>", "</script>");
        const auto styles = between(page, "<style>", "</style>");
        REQUIRE(scripts.size() == 3);
        REQUIRE(styles.size() == 1);
        std::string expected = "script-src";
        for (const std::string& script : scripts) expected += fmt::format(" {}", hash(script));
        expected += fmt::format("; style-src {};", hash(styles[0]));
        CHECK(policy[0].find(expected) != std::string::npos);

        // markup without the insides of scripts and style
        std::string markup;
        for (std::size_t at = 0; at < page.size();) {
            const std::size_t script = page.find("<script", at), style = page.find("<style", at);
            const std::size_t next = std::min({script, style, page.size()});
            markup += page.substr(at, next - at);
            if (next == page.size()) break;
            at = page.find(next == script ? "</script>" : "</style>", next);
        }
        REQUIRE(markup.size() > 1000);
        REQUIRE(markup.size() < 20'000);
        CHECK(markup.find("src=") == std::string::npos);
        CHECK(markup.find("://") == std::string::npos);
        CHECK(markup.find("<iframe") == std::string::npos);
        CHECK(markup.find(" style=") == std::string::npos);
        for (const std::string& target : between(markup, "href=\"", "\""))
            CHECK(target.starts_with("data:"));
        CHECK(styles[0].find("@import") == std::string::npos);
        for (const std::string& target : between(styles[0], "url(", ")"))
            CHECK(target.find("data:") <= 1);
        // scripts are not modules, and load none
        for (const std::string& script : scripts) {
            CHECK(script.find("import(") == std::string::npos);
            CHECK(script.find("importScripts") == std::string::npos);
        }
    }

    TEST_CASE("names that look like markup stay names") {
        const std::string name = "</script><b>\"&<!--";
        const RunFolder folder("[model]\nname = '" + name + "'\n" + kTop);
        const Json data = folder.report();
        CHECK(data["runs"][0]["summary"]["model"] == name);
        const std::string page = folder.read("run/report.html");
        CHECK(between(page, "<title>", "</title>").at(0) ==
              "&lt;/script&gt;&lt;b&gt;&quot;&amp;&lt;!--");
        CHECK(page.find(name) == std::string::npos);
        CHECK(page.find("</script><b>") == std::string::npos);
        CHECK(count(page, "</script>") == 4);
    }

    TEST_CASE("large results: sizes, and what is left out") {
        const TempFolder folder;
        many_bodies(10'000, 100).write(folder, "bodies");
        net(200, 100).write(folder, "net");
        for (const std::string name : {"bodies", "net"}) {
            CAPTURE(name);
            REQUIRE(run_ancora_in_full(folder, {"report", name}).status == 0);
            const std::string page = folder.read(name + "/report.html");
            MESSAGE(name << ": page of " << 1e-6 * static_cast<double>(page.size()) << " MB");
            CHECK(page.size() < 20'000'000);
            const Json run = data_of(page)["runs"][0];
            const std::size_t frames = run["scene"]["times"]["shape"][0];
            const std::size_t all = name == "net" ? 200 : 10'000;
            const bool is_thinned = frames < all;
            CHECK(is_thinned ==
                  (notes_of(run).find("the scene shows one frame of ") != std::string::npos));
            CHECK(decode(run["scene"]["times"]).back() ==
                  doctest::Approx(1e-3 * static_cast<double>(all - 1)));
        }

        // a limit that they do not fit
        many_bodies(400, 50).write(folder, "small");
        const fs::path small = folder / "small";
        const auto full = report_page({&small, 1});
        ReportOptions options;
        options.most_bytes = full.size() - 1000;
        const auto thinned = report_page({&small, 1}, options);
        CHECK(thinned.size() <= options.most_bytes);
        const Json run = data_of(thinned)["runs"][0];
        CHECK(notes_of(run).find("the scene shows one frame of 2\n") != std::string::npos);
        const std::vector<double> times = decode(run["scene"]["times"]);
        REQUIRE(times.size() == 201);  // every second, and the last
        CHECK(times[1] == doctest::Approx(0.002));
        CHECK(times.back() == doctest::Approx(0.399));
    }

    TEST_CASE("runs that have not come to an end, and those without frames") {
        // Killed: no summary, and half a row, whose frame is there.
        const RunFolder folder(kTop);
        fs::remove(folder / "run/summary.json");
        std::string history = folder.read("run/history.csv");
        history.resize(history.size() - 20);
        folder.write("run/history.csv", history);
        Json run = folder.report()["runs"][0];
        CHECK(run["summary"] == nullptr);
        CHECK(notes_of(run) == "the run has not come to an end: it goes on, or it was killed\n");
        const auto rows = table(history);
        CHECK(rows.at("t").size() == 50);
        CHECK(decode(run["history"]["t"]) == rows.at("t"));
        CHECK(decode(run["scene"]["times"]) == rows.at("t"));

        // Killed before its first row.
        folder.write("run/history.csv", history.substr(0, history.find('\n') + 5));
        run = folder.report()["runs"][0];
        CHECK(decode(run["history"]["t"]).empty());

        // Interrupted: the checkpoint is reported.
        folder.write("long.toml",
                     fmt::format("{}end = 1.0e6\n[output]\nevery = 0.01\n",
                                 kTop.substr(0, kTop.find("end = "))));
        ProcessOptions options;
        options.folder = folder.path();
        {
            ChildProcess child({ANCORA_TEST_BIN, "run", "long.toml", "--out", "long"}, options);
            REQUIRE(child.wait_until([&] {
                return folder.read("long/history.csv").size() >= 20'000;
            }));
            child.send(SIGINT);
            CHECK(child.wait().status == 130);
        }
        run = folder.report({"long"})["runs"][0];
        CHECK(run["checkpoint"] == true);
        CHECK(run["summary"]["exit_reason"] == "interrupted");

        const RunFolder none(kTop + "[output]\nframes = 0\n");
        run = none.report()["runs"][0];
        CHECK(run["scene"] == nullptr);
        CHECK(notes_of(run) == "this run has no frames, so there is no scene; see output.frames\n");
        CHECK(decode(run["history"]["t"]).size() == 51);
    }

    TEST_CASE("efforts have the unit of what they act on; columns may be left out of the run") {
        const std::string model = R"([[body]]
name = "arm"
type = "ancf_rigid_body"
mass = 2.0
inertia = [0.1, 0.2, 0.2]
position = [0.5, 0.0, 0.0]
[[joint]]
name = "hinge"
type = "revolute"
a = "ground"
b = "arm"
point = [0.0, 0.0, 0.0]
axis = [0.0, 1.0, 0.0]
motor = "3*t"
[[force]]
name = "coil"
type = "spring"
a = "arm@[0.5, 0.0, 0.0]"
b = "ground@[1.0, 0.0, 1.0]"
stiffness = 10.0
[integrator]
type = "emm"
step = 1.0e-2
end = 0.1
[output]
columns = ["hinge.motor.*", "coil.effort", "hinge.angle"]
)";
        const RunFolder folder(model);
        const Json run = folder.report()["runs"].at(0);
        std::map<std::string, std::string> units;
        for (const Json& column : run["history"]["columns"]) units[column["name"]] = column["unit"];
        CHECK(units.at("hinge.motor.effort") == "N m");
        CHECK(units.at("hinge.motor.work") == "J");
        CHECK(units.at("coil.effort") == "N");
        CHECK(units.at("hinge.angle") == "rad");
        CHECK(units.at("energy.total") == "J");
        CHECK(units.count("arm.x") == 0);
        CHECK(units.count("hinge.angle_rate") == 0);
        CHECK(run["scene"]["bodies"].size() == 1);  // which needs no columns

        check_refused(folder,
                      {"plot", "run", "--columns", "hinge.angel", "--out", "p.svg"},
                      2,
                      "\"run/history.csv\" has no column \"hinge.angel\"; did you mean "
                      "\"hinge.angle\"?");
        if (has_gnuplot()) {
            const ProcessResult drawn = run_ancora_in_full(
                folder,
                {"plot", "run", "--columns", "hinge.motor.effort,coil.effort", "--out", "p.svg"});
            CHECK(drawn.err == "");
            REQUIRE(drawn.status == 0);
            const std::string svg = folder.read("p.svg");
            CHECK(count(svg, ">N m<") == 1);
            CHECK(count(svg, ">N<") == 1);
        }
        // without a summary the units of efforts are not known, the others are
        fs::remove(folder / "run/summary.json");
        const Json killed = folder.report()["runs"].at(0);
        for (const Json& column : killed["history"]["columns"]) {
            const std::string name = column["name"];
            if (name == "hinge.motor.effort") CHECK(column["unit"] == "");
            if (name == "hinge.angle") CHECK(column["unit"] == "rad");
        }
        folder.write("run/summary.json", R"({"units": {"coil.effort": 3}})");
        check_refused(folder,
                      {"report", "run"},
                      6,
                      "\"run/summary.json\" is damaged: the unit of \"coil.effort\" is a number, "
                      "not a text");
    }

    TEST_CASE("two runs in one page, chosen columns") {
        const RunFolder folder(kTop);
        REQUIRE(run_ancora_in_full(
                    folder, {"run", "m.toml", "--out", "other", "--set", "integrator.step=0.02"})
                    .status == 0);
        const Json data = folder.report({"run", "other"});
        REQUIRE(data["runs"].size() == 2);
        CHECK(data["runs"][0]["label"] == "run");
        CHECK(data["runs"][1]["label"] == "other");
        CHECK(decode(data["runs"][0]["history"]["t"]).size() == 51);
        CHECK(decode(data["runs"][1]["history"]["t"]).size() == 26);

        REQUIRE(
            run_ancora_in_full(folder, {"report", "run", "--columns", "box.wx", "--out", "p.html"})
                .status == 0);
        const Json run = data_of(folder.read("p.html"))["runs"][0];
        std::size_t of_bodies = 0;
        for (const Json& column : run["history"]["columns"])
            of_bodies += column["name"].get<std::string>().starts_with("box.");
        CHECK(of_bodies == 1);
    }

    TEST_CASE("shapes, meshes, joints and springs of the scene are in the page") {
        const TempFolder folder;
        HandMade run = many_bodies(3, 2);
        run.scene["meshes"] = {{{"name", "part.stl"},
                                {"points", {0, 0, 0, 1, 0, 0, 0, 2.5, 0}},
                                {"triangles", {0, 1, 2}}}};
        Json& shapes = run.scene["bodies"][0]["shapes"];
        shapes.push_back({{"kind", "mesh"},
                          {"mesh", 0},
                          {"scale", {2, 4, 1}},
                          {"center", {0, 0, 0}},
                          {"quaternion", {1, 0, 0, 0}},
                          {"color", {1, 0.5, 0}},
                          {"opacity", 0.25}});
        shapes.push_back(
            {{"kind", "capsule"}, {"radius", 0.5}, {"from", {0, 0, 0}}, {"to", {1, 0, 0}}});
        run.scene["bodies"][1]["hidden"] = true;
        run.scene["bodies"][1]["frames"] = {
            {{"name", "hinge"}, {"position", {1, 2, 3}}, {"quaternion", {0, 1, 0, 0}}}};
        const Json hinge = {{"name", "elbow"},
                            {"kind", "revolute"},
                            {"a", {{"body", -1}, {"position", {0, 0, 1}}}},
                            {"b", {{"body", 1}, {"position", {0.5, 0, 0}}}},
                            {"axes_a", {{0, 1, 0}}},
                            {"axes_b", Json::array()}};
        run.scene["joints"] = {hinge};
        const Json coil = {{"name", "coil"}, {"a", hinge["b"]}, {"b", hinge["a"]}};
        run.scene["springs"] = {coil};
        run.write(folder, "run");
        REQUIRE(run_ancora_in_full(folder, {"report", "run"}).status == 0);
        const Json scene = data_of(folder.read("run/report.html"))["runs"][0]["scene"];
        const Json& first = scene["bodies"][0];
        REQUIRE(first["shapes"].size() == 3);
        CHECK(first["shapes"][1]["color"] == "#ff8000");
        CHECK(first["shapes"][1]["opacity"] == 0.25);
        CHECK_FALSE(first["shapes"][2].contains("color"));
        CHECK(first["hidden"] == false);
        CHECK(scene["bodies"][1]["hidden"] == true);
        CHECK(scene["bodies"][1]["frames"] == run.scene["bodies"][1]["frames"]);
        CHECK(scene["joints"] == run.scene["joints"]);
        CHECK(scene["springs"] == run.scene["springs"]);
        REQUIRE(scene["meshes"].size() == 1);
        CHECK(decode(scene["meshes"][0]["points"]) ==
              std::vector<double>{0, 0, 0, 1, 0, 0, 0, 2.5, 0});
        CHECK(decode(scene["meshes"][0]["triangles"]) == std::vector<double>{0, 1, 2});
        // the bounds hold the mesh as it is scaled, 10 m about the body
        CHECK(scene["max"][1].get<double>() >= 10.0);
    }

    TEST_CASE("two runs: what differs between their manifests is listed") {
        const TempFolder folder;
        many_bodies(3, 1).write(folder, "a");
        many_bodies(3, 1).write(folder, "b");
        const std::string model =
            "[model]\nname = \"m\"\n[[body]]\nname = \"box\"\nmass = 2.0\n[[body]]\nname = "
            "\"rod\"\nend = [1, 0]\n[integrator]\nstep = 0.001\n";
        const auto differences = [&] {
            REQUIRE(run_ancora_in_full(folder, {"report", "a", "b", "--out", "both.html"}).status ==
                    0);
            const Json found = data_of(folder.read("both.html"))["differences"];
            std::filesystem::remove(folder / "both.html");
            return found;
        };
        folder.write("a/model.toml", model);
        CHECK(differences().is_null());  // the second run has none
        folder.write("b/model.toml", model);
        CHECK(differences() == Json::array());
        folder.write("b/model.toml",
                     "# Applied: --set body.box.mass=3\n# Applied: --set integrator.step=1e-2\n"
                     "[model]\nname = \"m\"\n[[body]]\nname = \"rod\"\nend = [1, 2]\n"
                     "[[body]]\nname = \"box\"\nmass = 3.0\n[integrator]\nstep = 0.01\n"
                     "tolerance = 1e-9\n");
        const auto entry = [](const char* key, const char* first, const char* second) {
            return Json{{"key", key}, {"first", first}, {"second", second}};
        };
        CHECK(differences() == Json{entry("--set", "", "body.box.mass=3, integrator.step=1e-2"),
                                    entry("body.box.mass", "2.0", "3.0"),
                                    entry("body.rod.end", "[1, 0]", "[1, 2]"),
                                    entry("integrator.step", "0.001", "0.01"),
                                    entry("integrator.tolerance", "", "1e-09")});
    }

    TEST_CASE("a report that is watched is written anew as results change") {
        const RunFolder folder(kTop);
        ProcessOptions options;
        options.folder = folder.path();
        const auto page = [&] {
            return fs::exists(folder / "run/report.html") ? data_of(folder.read("run/report.html"))
                                                          : Json();
        };
        {
            ChildProcess child({ANCORA_TEST_BIN, "report", "run", "--watch"}, options);
            REQUIRE(child.wait_until([&] {
                return fs::exists(folder / "run/report.html.js");
            }));
            const std::string first = page()["watch"]["stamp"];
            CHECK(folder.read("run/report.html.js") == "ancoraStamp(\"" + first + "\");\n");
            CHECK(page()["watch"]["script"] == "report.html.js");
            // The run goes on: a row less here, so that no other run is needed.
            std::string history = folder.read("run/history.csv");
            history.resize(history.rfind('\n', history.size() - 2) + 1);
            folder.write("run/history.csv", history);
            REQUIRE(child.wait_until([&] {
                return page()["watch"]["stamp"] != first;
            }));
            CHECK(decode(page()["runs"][0]["history"]["t"]).size() == 50);
            child.send(SIGINT);
            CHECK(child.wait().status == 0);
        }
        CHECK_FALSE(page().contains("watch"));
        CHECK_FALSE(fs::exists(folder / "run/report.html.js"));
        // A run takes the place of results beside which a stamp was left.
        folder.write("run/report.html.js", "ancoraStamp(\"x\");\n");
        CHECK(run_ancora_in_full(folder, {"report", "run"}).status == 0);
    }
    TEST_CASE("a report that is killed leaves the one before, or is whole") {
        const TempFolder folder;
        many_bodies(2000, 60).write(folder, "run");
        REQUIRE(run_ancora_in_full(folder, {"report", "run"}).status == 0);
        const std::string old = folder.read("run/report.html");
        REQUIRE(old.ends_with("</html>\n"));
        const auto begin = std::chrono::steady_clock::now();
        REQUIRE(run_ancora_in_full(folder, {"report", "run"}).status == 0);
        const auto whole = std::chrono::steady_clock::now() - begin;
        ProcessOptions options;
        options.folder = folder.path();
        for (int i = 1; i <= 8; ++i) {
            ChildProcess child({ANCORA_TEST_BIN, "report", "run"}, options);
            std::this_thread::sleep_for(whole * i / 8);
            child.send(SIGKILL);
            child.wait();
            const std::string page = folder.read("run/report.html");
            CHECK(page.ends_with("</html>\n"));
            CHECK(data_of(page)["runs"].size() == 1);
        }
    }
}

}  // namespace
}  // namespace ancora::testing
