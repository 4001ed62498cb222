// SPDX-License-Identifier: BSD-3-Clause
// `ancora plot`, and a run on a full disk, from outside.
#include "report/results.hpp"
#include "support/program.hpp"

namespace ancora::testing {
namespace {

TEST_SUITE("ancora plot") {
    TEST_CASE("an SVG has a curve per column, labels and units") {
        if (!has_gnuplot()) return;
        const RunFolder folder(kTop + "[output]\npoints = [\"box@[1.5, 0.0, 0.0]\"]\n");
        const ProcessResult result = run_ancora_in_full(
            folder,
            {"plot", "run", "--columns", "box.wx,box.wy,box@[1.5, 0.0, 0.0].x", "--out", "p.svg"});
        CHECK(result.err == "");
        REQUIRE(result.status == 0);
        const std::string svg = folder.read("p.svg");
        for (const char* label :
             {"box.wx", "box.wy", "box@[1.5, 0.0, 0.0].x", "rad/s", ">m<", "t / s"})
            CHECK_MESSAGE(count(svg, label) >= 1, label);
        pugi::xml_document parsed;
        REQUIRE(parsed.load_string(svg.c_str()));
        // gnuplot makes a group for each curve, with its path
        const pugi::xpath_node_set curves = parsed.select_nodes(
            "//*[local-name()='g'][starts-with(@id, 'gnuplot_plot_')]"
            "//*[local-name()='path']");
        CHECK(curves.size() == 3);

        REQUIRE(run_ancora_in_full(
                    folder,
                    {"plot", "run", "--columns", "box.wy", "--over", "box.wx", "--out", "p.svg"})
                    .status == 0);
        CHECK(folder.read("p.svg").find("box.wx / rad/s") != std::string::npos);
        REQUIRE(
            run_ancora_in_full(
                folder, {"plot", "run", "--columns", "energy.balance", "--log", "--out", "p.svg"})
                .status == 0);
        CHECK(folder.read("p.svg").find("|energy.balance|") != std::string::npos);
        // two runs, each curve with its folder
        REQUIRE(run_ancora_in_full(folder, {"run", "m.toml", "--out", "other"}).status == 0);
        REQUIRE(run_ancora_in_full(
                    folder, {"plot", "run", "other", "--columns", "box.wx", "--out", "p.svg"})
                    .status == 0);
        CHECK(folder.read("p.svg").find("box.wx  (other)") != std::string::npos);
    }

    TEST_CASE("a column of any name is drawn under it") {
        if (!has_gnuplot()) return;
        const TempFolder folder;
        folder.write("run/history.csv",
                     "t,\"say \"\"hi\"\", [you's\",\"e\x1b[2J\"\n0,5,1\n0.1,6,2\n0.2,7,3\n");
        const ProcessResult result = run_ancora_in_full(folder,
                                                        {"plot",
                                                         "run",
                                                         "--columns",
                                                         "\"say \"\"hi\"\", [you's\",\"e\x1b[2J\"",
                                                         "--out",
                                                         "it's.svg"});
        CHECK(result.err == "");
        REQUIRE(result.status == 0);
        pugi::xml_document parsed;
        const std::string svg = folder.read("it's.svg");
        REQUIRE(parsed.load_string(svg.c_str()));
        std::string texts;
        for (const pugi::xpath_node& text : parsed.select_nodes("//*[local-name()='text']"))
            texts += std::string(text.node().text().get()) + "|";
        CAPTURE(texts);
        CHECK(texts.find("say \"hi\", [you's") != std::string::npos);
        CHECK(texts.find("e\\u001b[2J") != std::string::npos);
        CHECK(svg.find('\x1b') == std::string::npos);
        const pugi::xpath_node_set curves = parsed.select_nodes(
            "//*[local-name()='g'][starts-with(@id, 'gnuplot_plot_')]"
            "//*[local-name()='path']");
        CHECK(curves.size() == 2);
    }

    TEST_CASE("PNG and PDF") {
        if (!has_gnuplot()) return;
        const RunFolder folder(kTop);
        for (const auto& [file, magic] :
             {std::pair{"p.png", "\x89PNG\r\n"}, std::pair{"p.pdf", "%PDF-1."}}) {
            const ProcessResult result =
                run_ancora_in_full(folder, {"plot", "run", "--columns", "box.wx", "--out", file});
            CHECK(result.err == "");
            REQUIRE(result.status == 0);
            CHECK(folder.read(file).starts_with(magic));
            CHECK(folder.read(file).size() > 2000);
        }
    }

    TEST_CASE("what cannot be drawn is refused in words") {
        const RunFolder folder(kTop);
        check_refused(folder,
                      {"plot", "run", "--columns", "box.wx", "--out", "p.gif"},
                      2,
                      "\"p.gif\": pictures end in .svg, .pdf or .png");
        check_refused(folder,
                      {"plot", "run", "--columns", "box.wq", "--out", "p.svg"},
                      2,
                      "\"run/history.csv\" has no column \"box.wq\"; did you mean \"box.qw\"?");
        check_refused(folder,
                      {"plot", "run", "--columns", "box.wx"},
                      2,
                      "\"ancora plot\" needs --out FILE, ending in .svg, .pdf or .png");
        check_refused(folder,
                      {"plot", "run", "--out", "p.svg"},
                      2,
                      "no columns to draw; name some, for example --columns energy.balance,box.wx");
        check_refused(folder,
                      {"plot", "nowhere", "--columns", "t", "--out", "p.svg"},
                      6,
                      "there is no folder \"nowhere\"; name one that `ancora run` has written");

        ProcessOptions options;
        options.environment = {{"PATH", "/nowhere"}};
        const ProcessResult result = run_ancora_in_full(
            folder, {"plot", "run", "--columns", "box.wx", "--out", "p.svg"}, options);
        CHECK(result.status == 6);
        CHECK(result.err ==
              "error: cannot run gnuplot, which draws the pictures: No such file or directory; "
              "install it (Debian: apt-get install gnuplot-nox)\n");
        CHECK_FALSE(fs::exists(folder / "p.svg"));
        for (const auto& entry : fs::directory_iterator(folder.path()))
            CHECK(entry.path().string().find(".new") == std::string::npos);
    }
}

TEST_SUITE("a full disk") {
    TEST_CASE("frames that cannot be written end the run, and what is there can be read") {
        const TempFolder folder;
        folder.write("net.toml", R"([[body]]
name = "net"
type = "truss"
grid = { counts = [12, 12], spacing = [0.25, 0.25] }
area = 1.0e-6
young = 3.0e9
density = 1420.0
velocity = [1.0, 0.0, 0.0]

[integrator]
type = "emm"
step = 1.0e-3
end = 0.5
)");
        ProcessOptions options;
        options.file_size_limit = 600'000;
        const ProcessResult result =
            run_ancora_in_full(folder, {"run", "net.toml", "--out", "run"}, options);
        CHECK(result.status == 6);
        CHECK(result.out == "");
        CHECK(result.err == "error: cannot write \"run/frames.npy\": File too large\n");
        const Json summary = Json::parse(folder.read("run/summary.json"));
        CHECK(summary["exit_reason"] == "cannot write \"run/frames.npy\": File too large");
        const auto rows = table(folder.read("run/history.csv"));
        CHECK(folder.read("run/history.csv").ends_with('\n'));

        // as many frames as fit, each of a row that is there
        const std::string file = folder.read("run/frames.npy");
        CHECK(file.size() <= 600'000);
        const FrameFile frames(file);
        CHECK(8 * frames.columns * (frames.rows + 1) + 128 > 600'000);
        REQUIRE(rows.at("t").size() >= frames.rows);
        for (std::size_t i = 0; i < frames.rows; ++i) CHECK(frames(i, 0) == static_cast<float>(i));
        // The page does not fit either, and leaves nothing half.
        const ProcessResult none = run_ancora_in_full(folder, {"report", "run"}, options);
        CHECK(none.status == 6);
        CHECK(none.err.find("File too large") != std::string::npos);
        CHECK_FALSE(fs::exists(folder / "run/report.html"));
        REQUIRE(run_ancora_in_full(folder, {"report", "run"}).status == 0);
        const Json run = data_of(folder.read("run/report.html"))["runs"][0];
        CHECK(decode(run["scene"]["times"]).size() == frames.rows);
    }
}

}  // namespace
}  // namespace ancora::testing
