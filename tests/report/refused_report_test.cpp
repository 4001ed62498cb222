// SPDX-License-Identifier: BSD-3-Clause
// `ancora report` from outside: what it refuses, damaged results among it.
#include "report/results.hpp"
#include "support/program.hpp"

namespace ancora::testing {
namespace {

TEST_SUITE("ancora report, refused") {
    TEST_CASE("what cannot be reported is refused in words") {
        const RunFolder folder(kTop);
        check_refused(folder,
                      {"report", "nowhere"},
                      6,
                      "there is no folder \"nowhere\"; name one that `ancora run` has written");
        fs::create_directory(folder / "empty");
        check_refused(folder,
                      {"report", "empty"},
                      6,
                      "the folder \"empty\" holds no results: there is no history.csv in it; name "
                      "one that `ancora run` has written");
        check_refused(folder,
                      {"report", "run", "--columns", "box.wxx"},
                      2,
                      "\"run/history.csv\" has no column \"box.wxx\"; did you mean \"box.wx\"?");
        check_refused(folder,
                      {"report", "run", "run", "run"},
                      2,
                      "unexpected argument \"run\" (see \"ancora report --help\")");
        folder.write("mine.html", "<p>mine</p>\n");
        check_refused(
            folder,
            {"report", "run", "--out", "mine.html"},
            6,
            "cannot write \"mine.html\": the file that is there is not a report, so it is "
            "left alone");
        CHECK(folder.read("mine.html") == "<p>mine</p>\n");
        check_refused(folder,
                      {"report", "run", "--out", "empty"},
                      6,
                      "cannot write \"empty\": this is a folder");
        const ProcessResult read_only =
            run_ancora_in_full(folder, {"report", "run", "--out", "/proc/r.html"});
        CHECK(read_only.status == 6);
        CHECK(read_only.err.starts_with("error: cannot write \"/proc/r.html."));
        const ProcessResult inside =
            run_ancora_in_full(folder, {"report", "run", "--out", "m.toml/r.html"});
        CHECK(inside.status == 6);
        CHECK(inside.err.find("Not a directory") != std::string::npos);
    }

    TEST_CASE("damaged results are refused, with the place") {
        const RunFolder folder(kTop);
        const auto with = [&](const std::string& name, const std::string& text, const auto& check) {
            const std::string before = folder.read(name);
            folder.write(name, text);
            check();
            folder.write(name, before);
        };
        const auto refused = [&](const std::string& message) {
            return [&folder, message] {
                check_refused(folder, {"report", "run"}, 6, message);
            };
        };
        // the third row's second cell
        std::string history = folder.read("run/history.csv");
        std::size_t at = 0;
        for (int i = 0; i < 3; ++i) at = history.find('\n', at) + 1;
        at = history.find(',', at) + 1;
        const std::size_t column = at - history.rfind('\n', at);
        history[at] = '?';
        with("run/history.csv",
             history,
             refused(fmt::format("run/history.csv:4:{}: a number is expected here", column)));
        with("run/history.csv",
             "",
             refused("\"run/history.csv\" has no column \"t\"; it is not the "
                     "history of a run"));
        with("run/history.csv",
             "a,b\n1,2\n",
             refused("\"run/history.csv\" has no column \"t\"; it is not the history of a run"));

        const std::string frames = folder.read("run/frames.npy");
        with("run/frames.npy",
             frames.substr(0, frames.size() - 100),
             refused("\"run/frames.npy\" was cut short: it says that it has 51 frames and holds "
                     "50"));
        with("run/frames.npy",
             frames.substr(0, 100),
             refused("\"run/frames.npy\" holds no frames of a run"));
        with("run/frames.npy", "", refused("\"run/frames.npy\" is no .npy file of version 1.0"));
        with("run/frames.npy",
             npy(1, 3, {0, 0, 0}),
             refused("\"run/frames.npy\" has 3 values in a frame, but the scene beside it 15"));

        Json scene = Json::parse(folder.read("run/scene.json"));
        scene["format"] = 2;
        with(
            "run/scene.json",
            scene.dump(),
            refused("\"run/scene.json\": this is no scene: it has format 2, this version reads 1"));
        const auto starts = [&](const std::string& begin) {
            return [&folder, begin] {
                const ProcessResult result = run_ancora_in_full(folder, {"report", "run"});
                CHECK(result.status == 6);
                CHECK(result.out == "");
                CAPTURE(result.err);
                CHECK(result.err.starts_with("error: " + begin));
            };
        };
        with("run/scene.json", "{", starts("\"run/scene.json\": this is no scene: "));
        with("run/summary.json",
             "{\"model\":",
             starts("\"run/summary.json\" is damaged: it is no JSON document"));
        with("run/summary.json",
             "[1, 2]",
             starts("\"run/summary.json\" is damaged: it is an array, not an object"));
        fs::remove(folder / "run/scene.json");
        const ProcessResult gone = run_ancora_in_full(folder, {"report", "run"});
        CHECK(gone.status == 6);
        CHECK(gone.err.find("scene.json") != std::string::npos);
        CHECK(gone.err.find("No such file or directory") != std::string::npos);
    }

    TEST_CASE("damage that could crash, fill the memory or go on forever is refused in words") {
        const TempFolder folder;
        many_bodies(3, 1).write(folder, "run");
        const Json scene = Json::parse(folder.read("run/scene.json"));
        const auto refused =
            [&](const std::string& name, const std::string& text, const std::string& message) {
                CAPTURE(message);
                const std::string before = folder.read("run/" + name);
                folder.write("run/" + name, text);
                for (const CommandArguments& arguments :
                     {CommandArguments{"report", "run"}, {"paraview", "run"}}) {
                    if (name == "summary.json" && arguments[0] == "paraview") continue;
                    const ProcessResult result = run_ancora_in_full(folder, arguments);
                    CHECK(result.status == 6);
                    CHECK(result.err == "error: \"run/" + name + "\"" + message + "\n");
                }
                folder.write("run/" + name, before);
            };
        const auto with_scene = [&](const auto& change, const std::string& message) {
            Json changed = scene;
            change(changed);
            refused("scene.json", changed.dump(), ": this is no scene: " + message);
        };
        const std::string outside = "values of \"b0\" lie outside a frame";
        const std::string whole = " not from 0 to 2147483645";

        // frames of no width: a division by zero
        with_scene(
            [](Json& s) {
                s["values"] = -2;
            },
            "the scene: \"values\" is -2," + whole);
        with_scene(
            [](Json& s) {
                s["values"] = 4294967309;
            },
            "the scene: \"values\" is 4294967309," + whole);
        with_scene(
            [](Json& s) {
                s["values"] = 18446744073709551615U;
            },
            "the scene: \"values\" is 18446744073709551615," + whole);
        with_scene(
            [](Json& s) {
                s["values"] = 1e300;
            },
            "the scene: \"values\" is no whole number");
        with_scene(
            [](Json& s) {
                s["values"] = "13";
            },
            "the scene: \"values\" is a text, not a whole number");
        // sums and products beyond 32 bits
        with_scene(
            [](Json& s) {
                s["bodies"][0]["first"] = 2147483640;
            },
            outside);
        with_scene(
            [](Json& s) {
                s["bodies"][0]["first"] = -1;
            },
            "body \"b0\": \"first\" is -1," + whole);
        with_scene(
            [](Json& s) {
                s["bodies"][0]["nodes"] = 715827883;
            },
            outside);
        with_scene(
            [](Json& s) {
                s["bodies"][0]["nodes"] = 2147483645;
            },
            outside);
        with_scene(
            [](Json& s) {
                Json& body = s["bodies"][0];
                body["nodes"] = 2;
                body["pose"] = "none";
                body["lines"] = std::vector<std::array<int, 2>>(70'000, {0, 1});
                for (int i = 0; i < 70'000; ++i)  // 4.9e9 values, in 32 bits 605 032 704
                    body["channels"].push_back({{"name", "c"}, {"unit", ""}});
            },
            outside);
        with_scene(
            [](Json& s) {
                s["bodies"][0]["lines"] = {{0, 0}};
            },
            "body \"b0\": \"lines\" is 0, not from 0 to -1");
        with_scene(
            [](Json& s) {
                s["bodies"][0]["pose"] = "flying";
            },
            "body \"b0\": \"pose\" is \"flying\", not none, position or attitude");
        with_scene(
            [](Json& s) {
                s["bodies"][0]["shapes"][0]["size"] = {1, 2};
            },
            "a shape of body \"b0\": \"size\" has not 3 entries");
        with_scene(
            [](Json& s) {
                s["bodies"][0]["shapes"][0] = {{"kind", "mesh"},
                                               {"mesh", 0},
                                               {"scale", {1, 1, 1}},
                                               {"center", {0, 0, 0}},
                                               {"quaternion", {1, 0, 0, 0}}};
            },
            "a shape of body \"b0\": \"mesh\" is 0, not from 0 to -1");
        with_scene(
            [](Json& s) {
                s["meshes"] = {
                    {{"name", "m"}, {"points", {0, 0, 1e39}}, {"triangles", Json::array()}}};
            },
            "mesh \"m\": \"points\" holds what is no number of single precision");
        with_scene(
            [](Json& s) {
                s["meshes"] = {{{"name", "m"}, {"points", {0, 0, 0}}, {"triangles", {0, 0, 1}}}};
            },
            "mesh \"m\": \"triangles\" is 1, not from 0 to 0");
        with_scene(
            [](Json& s) {
                s["springs"] = {{{"name", "s"},
                                 {"a", {{"body", 9}, {"position", {0, 0, 0}}}},
                                 {"b", {{"body", -1}, {"position", {0, 0, 0}}}}}};
            },
            "\"a\": \"body\" is 9, not from -1 to 0");
        with_scene(
            [](Json& s) {
                s["joints"] = {{{"name", "j"},
                                {"kind", "revolute"},
                                {"a", {{"body", -1}, {"position", {0, 0, 0}}}},
                                {"b", {{"body", 0}, {"position", {0, 0, 0}}}},
                                {"axes_a", {{0, 1}}},
                                {"axes_b", Json::array()}}};
            },
            "\"axes_a\": \"axis\" has not 3 entries");
        with_scene(
            [](Json& s) {
                s["bodies"][0].erase("name");
            },
            "a body: \"name\" is missing");
        with_scene(
            [](Json& s) {
                s["bodies"] = {{"a", 1}};
            },
            "the scene: \"bodies\" is an object, not an array");
        // few bytes that stand for many: every body is all of the frame
        with_scene(
            [](Json& s) {
                s["bodies"] = std::vector<Json>(1000, s["bodies"][0]);
            },
            "its objects have more values than the 13 of a frame");
        // nesting
        const auto deep = [](std::size_t count) {
            return std::string(count, '[') + std::string(count, ']');
        };
        refused("scene.json",
                deep(200'000),
                ": this is no scene: arrays and objects stand more than 100 deep in each other at "
                "byte 101");
        folder.write("run/summary.json", "{}");
        refused("summary.json",
                "{\"a\":" + deep(200'000) + "}",
                " is damaged: arrays and objects stand more than 100 deep in each other at byte "
                "105");
        // kinds that the page counts on
        refused("summary.json",
                R"({"model": ["m"]})",
                " is damaged: \"model\" is an array, not a text");
        refused("summary.json",
                R"({"plugins": [{"name": "a"}, 3]})",
                " is damaged: an entry of \"plugins\" is a number, not an object");
        refused("summary.json",
                R"({"cost": {"a": {"seconds": "long"}}})",
                " is damaged: \"seconds\" of an entry of \"cost\" is a text, not a number");

        // frames
        const auto with_values = [&](std::size_t at, float value, const std::string& message) {
            std::vector<float> values(45, 0.0F);
            values[at] = value;
            refused("frames.npy", npy(3, 15, values), message);
        };
        const std::string row = "does not belong to a row of history.csv";
        with_values(15, -1.0F, " is damaged: frame 1 " + row);
        with_values(15, 0.5F, " is damaged: frame 1 " + row);
        with_values(30, 1e30F, " is damaged: frame 2 " + row);
        with_values(0, NAN, " is damaged: frame 0 holds a value that is not finite");
        with_values(44, INFINITY, " is damaged: frame 2 holds a value that is not finite");
        refused("frames.npy",
                npy(18446744073709551615U, 15, std::vector<float>(15)),
                " was cut short: it says that it has 18446744073709551615 frames and holds 1");
        refused("frames.npy",
                npy(1, 18446744073709551615U, std::vector<float>(15)),
                " has 18446744073709551615 values in a frame, but the scene beside it 15");

        // a row of nothing for each byte: room for the numbers would be asked for all the same
        std::string header = "t";
        for (int i = 0; i < 50'000; ++i) header += ",energy.x";
        refused("history.csv",
                header + std::string(100'000, '\n'),
                " is damaged: it has 50001 columns and 99999 rows, but not as many numbers");
        for (const char* number : {"nan", "inf", "1e999"}) {
            folder.write("run/history.csv", std::string("t,a\n0,") + number + "\n");
            const ProcessResult result = run_ancora_in_full(folder, {"report", "run"});
            CHECK(result.status == 6);
            CHECK(result.err.starts_with("error: run/history.csv:2:"));
            CHECK(result.err.ends_with("number is expected here\n"));
        }
        folder.write("run/history.csv", "t,\"a\n0,1\n");
        check_refused(folder, {"report", "run"}, 6, "run/history.csv:1:3: a quote is not closed");
        folder.write("run/history.csv", "t,\"a\"b\n0,1\n");
        check_refused(folder,
                      {"report", "run"},
                      6,
                      "run/history.csv:1:6: a comma is expected after a name in quotes");
    }

    TEST_CASE("columns may be called anything") {
        const TempFolder folder;
        many_bodies(3, 1).write(folder, "run");
        const std::string odd = "say \"hi\", [you; 50 % 'x'";
        folder.write(
            "run/history.csv",
            "t,\"say \"\"hi\"\", [you; 50 % 'x'\",\"two\nlines\"\n0,5,1\n0.1,6,2\n0.2,7,3\n");
        REQUIRE(run_ancora_in_full(folder, {"report", "run"}).status == 0);
        Json history = data_of(folder.read("run/report.html"))["runs"][0]["history"];
        CHECK(history["columns"][1]["name"] == odd);
        CHECK(history["columns"][2]["name"] == "two\nlines");
        CHECK(decode(history["values"]) == std::vector<double>{5, 6, 7, 1, 2, 3});

        const std::string quoted = "t,\"say \"\"hi\"\", [you; 50 % 'x'\"";
        REQUIRE(run_ancora_in_full(folder, {"report", "run", "--columns", quoted}).status == 0);
        history = data_of(folder.read("run/report.html"))["runs"][0]["history"];
        REQUIRE(history["columns"].size() == 2);
        CHECK(history["columns"][1]["name"] == odd);

        for (const auto& [text, message] :
             {std::pair{"\"a", "option \"--columns\": a quote is not closed in \"\"a\""},
              {"\"a\"b", "option \"--columns\": a comma is missing behind a quote in \"\"a\"b\""},
              {"a,", "option \"--columns\": \"a,\" names nothing"},
              {"a[1,2", "option \"--columns\": a bracket is not closed in \"a[1,2\""}})
            check_refused(folder, {"report", "run", "--columns", text}, 2, message);
    }
}

}  // namespace
}  // namespace ancora::testing
