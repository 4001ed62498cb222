// SPDX-License-Identifier: BSD-3-Clause
// `ancora report`, `ancora plot` and a run on a full disk, from outside. What is in a page is read
// by a reader of the test's own, after framework/report/page/README.md.
#include "ancora/framework/report.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <openssl/evp.h>
#include <pugixml.hpp>
#include <zlib.h>

#include "support/process.hpp"

namespace ancora::testing {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Arguments = std::vector<std::string>;

ProcessResult ancora(const TempFolder& folder,
                     const Arguments& arguments,
                     ProcessOptions options = {}) {
    options.folder = folder.path();
    Arguments all{ANCORA_TEST_BIN};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return run_process(all, options);
}

/// The command is refused with this status and exactly this message.
void check_refused(const TempFolder& folder,
                   const Arguments& arguments,
                   int status,
                   const std::string& message) {
    CAPTURE(arguments.back());
    const ProcessResult result = ancora(folder, arguments);
    CHECK(result.status == status);
    CHECK(result.out == "");
    CHECK(result.err == "error: " + message + "\n");
}

std::size_t count(std::string_view text, std::string_view part) {
    std::size_t out = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string_view::npos; ++at) ++out;
    return out;
}

// --- results

/// history.csv by column.
std::map<std::string, std::vector<double>> table(const std::string& text) {
    std::istringstream lines(text);
    std::string line, cell;
    std::getline(lines, line);
    std::vector<std::string> names{""};
    bool is_quoted = false;
    for (const char c : line) {
        if (c == '"')
            is_quoted = !is_quoted;
        else if (c == ',' && !is_quoted)
            names.emplace_back();
        else
            names.back() += c;
    }
    std::map<std::string, std::vector<double>> out;
    while (std::getline(lines, line)) {
        if (lines.eof()) break;  // half a row
        std::istringstream cells(line);
        for (const std::string& name : names) {
            std::getline(cells, cell, ',');
            out[name].push_back(std::stod(cell));
        }
    }
    return out;
}

/// frames.npy; rows counted by its header.
struct FrameFile {
    std::size_t rows = 0, columns = 0;
    std::vector<float> values;

    explicit FrameFile(const std::string& file) {
        REQUIRE(file.substr(0, 8) == std::string("\x93NUMPY\x01\x00", 8));
        const std::size_t begin =
            10 + static_cast<unsigned char>(file[8]) +
            256 * static_cast<std::size_t>(static_cast<unsigned char>(file[9]));
        const std::string header = file.substr(0, begin);
        std::istringstream shape(header.substr(header.find("'shape': (") + 10));
        char comma = 0;
        shape >> rows >> comma >> columns;
        REQUIRE(file.size() >= begin + 4 * rows * columns);
        values.resize(rows * columns);
        std::memcpy(values.data(), file.data() + begin, 4 * values.size());
    }
    float operator()(std::size_t i, std::size_t j) const { return values[i * columns + j]; }
};

std::string npy(std::size_t rows, std::size_t columns, const std::vector<float>& values) {
    std::string header = fmt::format(
        "{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", rows, columns);
    header.resize(117, ' ');
    header += '\n';
    std::string out("\x93NUMPY\x01\x00\x76\x00", 10);
    out += header;
    return out.append(reinterpret_cast<const char*>(values.data()), 4 * values.size());
}

// --- the page

std::string unpacked(const std::string& text) {
    const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::array<int, 256> value{};
    for (std::size_t i = 0; i < digits.size(); ++i)
        value[static_cast<unsigned char>(digits[i])] = static_cast<int>(i);
    std::string out;
    std::uint32_t bits = 0;
    int held = 0;
    for (const char c : text) {
        if (c == '=') break;
        bits = bits << 6 | static_cast<std::uint32_t>(value[static_cast<unsigned char>(c)]);
        held += 6;
        if (held < 8) continue;
        held -= 8;
        out += static_cast<char>(bits >> held & 0xff);
    }
    return out;
}

template <class T>
std::vector<double> numbers(const std::string& bytes, bool is_delta, std::size_t width) {
    std::vector<T> raw(bytes.size() / sizeof(T));
    for (std::size_t i = 0; i < raw.size(); ++i) {
        std::array<char, sizeof(T)> one{};
        for (std::size_t b = 0; b < sizeof(T); ++b) one[b] = bytes[b * raw.size() + i];
        std::memcpy(&raw[i], one.data(), sizeof(T));
    }
    std::vector<double> out(raw.size());
    for (std::size_t i = 0; i < raw.size(); ++i) {
        if (is_delta && i >= width) raw[i] = static_cast<T>(raw[i] + raw[i - width]);
        out[i] = static_cast<double>(raw[i]);
    }
    return out;
}

/// An ARRAY of the page.
std::vector<double> decode(const Json& array) {
    const std::vector<std::size_t> shape = array.at("shape");
    std::size_t size = 1;
    for (const std::size_t n : shape) size *= n;
    const std::string type = array.at("type");
    const std::size_t width = type == "u8" ? 1 : type == "i16" ? 2 : type == "f64" ? 8 : 4;
    const std::string packed = unpacked(array.at("data"));
    std::string bytes(size * width, '\0');
    uLongf length = bytes.size();
    REQUIRE(uncompress(reinterpret_cast<Bytef*>(bytes.data()),
                       &length,
                       reinterpret_cast<const Bytef*>(packed.data()),
                       packed.size()) == Z_OK);
    REQUIRE(length == bytes.size());
    REQUIRE(array.at("planes") == true);
    const bool is_delta = array.at("delta");
    const std::size_t record = shape[0] > 0 ? size / shape[0] : 0;
    std::vector<double> out = type == "u8"    ? numbers<std::uint8_t>(bytes, is_delta, record)
                              : type == "i16" ? numbers<std::int16_t>(bytes, is_delta, record)
                              : type == "i32" ? numbers<std::int32_t>(bytes, is_delta, record)
                              : type == "f32" ? numbers<float>(bytes, is_delta, record)
                                              : numbers<double>(bytes, is_delta, record);
    if (!array.contains("scale")) return out;
    const std::vector<double> scale = array["scale"], offset = array["offset"];
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::size_t c = i % shape.back() % scale.size();
        out[i] = offset[c] + scale[c] * out[i];
    }
    return out;
}

/// What stands between `begin` and `end`, each time.
std::vector<std::string> between(const std::string& text,
                                 const std::string& begin,
                                 const std::string& end) {
    std::vector<std::string> out;
    for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
        at += begin.size();
        const std::size_t stop = text.find(end, at);
        REQUIRE(stop != std::string::npos);
        out.push_back(text.substr(at, stop - at));
        at = stop;
    }
    return out;
}

Json data_of(const std::string& page) {
    const auto found =
        between(page, "<script type=\"application/json\" id=\"ancora-data\">", "</script>");
    REQUIRE(found.size() == 1);
    return Json::parse(found[0]);
}

/// Half a step of a quantity that spreads over `levels` steps between the least and the largest of
/// its values at each `period`-th place, with a rounding of the single precision it came from.
std::vector<double> half_steps(const std::vector<double>& values,
                               std::size_t period,
                               double levels) {
    std::vector<double> low(period, INFINITY), high(period, -INFINITY), out(period);
    for (std::size_t i = 0; i < values.size(); ++i) {
        low[i % period] = std::min(low[i % period], values[i]);
        high[i % period] = std::max(high[i % period], values[i]);
    }
    for (std::size_t c = 0; c < period; ++c)
        out[c] = 0.501 * (high[c] - low[c]) / levels +
                 1e-12 * std::max(std::abs(low[c]), std::abs(high[c]));
    return out;
}

void check_track(const Json& array,
                 const std::vector<double>& expected,
                 std::size_t period,
                 double levels = 65534.0) {
    const std::vector<double> found = decode(array);
    REQUIRE(found.size() == expected.size());
    const std::vector<double> most = half_steps(expected, period, levels);
    for (std::size_t i = 0; i < found.size(); ++i) {
        CAPTURE(i);
        REQUIRE(std::abs(found[i] - expected[i]) <= most[i % period]);
    }
}

/// Columns [first, first + width) of all frames.
std::vector<double> slice(const FrameFile& frames, std::size_t first, std::size_t width) {
    std::vector<double> out;
    for (std::size_t i = 0; i < frames.rows; ++i)
        for (std::size_t k = 0; k < width; ++k)
            out.push_back(static_cast<double>(frames(i, 2 + first + k)));
    return out;
}

std::string notes_of(const Json& run) {
    std::string out;
    for (const std::string note : run["notes"]) out += note + "\n";
    return out;
}

// --- models

const std::string kTop = R"([[body]]
name = "box"
type = "ancf_rigid_body"
size = [3.0, 2.0, 1.0]
density = 2700.0
angular_velocity = [0.3, 0.5, 0.8]

[integrator]
type = "emm"
step = 1.0e-2
end = 0.5

)";

/// A folder with the results of a run in "run".
struct RunFolder : TempFolder {
    explicit RunFolder(const std::string& model, const Arguments& more = {}) {
        write("m.toml", model);
        Arguments arguments{"run", "m.toml", "--out", "run"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const ProcessResult result = ancora(*this, arguments);
        REQUIRE(result.status == 0);
    }
    Json report(const Arguments& folders = {"run"}) const {
        Arguments arguments{"report"};
        arguments.insert(arguments.end(), folders.begin(), folders.end());
        const ProcessResult result = ancora(*this, arguments);
        REQUIRE(result.err == "");
        REQUIRE(result.status == 0);
        CHECK(result.out == "report in " + folders[0] + "/report.html\n");
        return data_of(read(folders[0] + "/report.html"));
    }
};

// --- results by hand, larger than one would like to simulate in a test

struct HandMade {
    Json scene;
    std::size_t rows = 0, width = 0;
    std::vector<float> frames;

    HandMade(std::size_t num_rows, int num_values)
        : scene{{"format", 1},
                {"gravity", {0, 0, -9.81}},
                {"values", num_values},
                {"bodies", Json::array()},
                {"constraints", Json::array()},
                {"forces", Json::array()}},
          rows(num_rows),
          width(static_cast<std::size_t>(num_values) + 2),
          frames(rows * width) {
        for (std::size_t i = 0; i < rows; ++i) frames[i * width] = static_cast<float>(i);
    }
    float& value(std::size_t row, std::size_t k) { return frames[row * width + 2 + k]; }

    void write(const TempFolder& folder, const std::string& name) const {
        std::string history = "t,energy.total\n";
        for (std::size_t i = 0; i < rows; ++i)
            history += fmt::format("{},1\n", 1e-3 * static_cast<double>(i));
        folder.write(name + "/history.csv", history);
        folder.write(name + "/scene.json", scene.dump());
        folder.write(name + "/frames.npy", npy(rows, width, frames));
    }
};

/// Boxes that swing and turn, each at rates of its own.
HandMade many_bodies(std::size_t rows, std::size_t bodies) {
    HandMade out(rows, static_cast<int>(13 * bodies));
    for (std::size_t b = 0; b < bodies; ++b) {
        out.scene["bodies"].push_back({{"name", fmt::format("b{}", b)},
                                       {"type", "box"},
                                       {"first", 13 * b},
                                       {"coordinates", {12 * b, 12}},
                                       {"pose", "attitude"},
                                       {"shapes",
                                        {{{"kind", "box"},
                                          {"size", {1, 1, 1}},
                                          {"center", {0, 0, 0}},
                                          {"quaternion", {1, 0, 0, 0}}}}},
                                       {"nodes", 0},
                                       {"channels", Json::array()},
                                       {"lines", Json::array()}});
        const double rate = 0.5 + 0.037 * static_cast<double>(b);
        for (std::size_t i = 0; i < rows; ++i) {
            const double t = 1e-3 * static_cast<double>(i);
            for (std::size_t k = 0; k < 3; ++k)
                out.value(i, 13 * b + k) =
                    static_cast<float>(2.0 * static_cast<double>(b) * (k == 0) +
                                       std::sin(rate * (1.0 + 0.3 * static_cast<double>(k)) * t));
            out.value(i, 13 * b + 6) = static_cast<float>(std::cos(rate * t));
            out.value(i, 13 * b + 9) = static_cast<float>(std::sin(rate * t));
        }
    }
    return out;
}

/// n x n nodes with lines along both directions; waves run over it.
HandMade net(std::size_t rows, std::size_t n) {
    Json lines = Json::array();
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j + 1 < n; ++j) {
            lines.push_back({i * n + j, i * n + j + 1});
            lines.push_back({j * n + i, j * n + n + i});
        }
    const std::size_t num_lines = lines.size();
    HandMade out(rows, static_cast<int>(6 * n * n + num_lines));
    out.scene["bodies"].push_back({{"name", "net"},
                                   {"type", "truss"},
                                   {"first", 0},
                                   {"coordinates", {0, 3 * n * n}},
                                   {"pose", "none"},
                                   {"shapes", Json::array()},
                                   {"nodes", n * n},
                                   {"channels", {{{"name", "force"}, {"unit", "N"}}}},
                                   {"lines", lines}});
    for (std::size_t f = 0; f < rows; ++f) {
        const double t = 0.02 * static_cast<double>(f);
        for (std::size_t i = 0; i < n * n; ++i) {
            const double x = static_cast<double>(i % n), y = static_cast<double>(i / n);
            const double wave = std::sin(0.2 * x + 0.13 * y - 3.0 * t);
            out.value(f, 3 * i) = static_cast<float>(x + 0.05 * wave);
            out.value(f, 3 * i + 1) = static_cast<float>(y + 0.04 * std::cos(0.1 * x * y - t));
            out.value(f, 3 * i + 2) = static_cast<float>(wave);
        }
        for (std::size_t k = 0; k < num_lines; ++k)
            out.value(f, 6 * n * n + k) =
                static_cast<float>(std::sin(0.01 * static_cast<double>(k) + t));
    }
    return out;
}

bool has_gnuplot() {
    static const bool answer = std::system("gnuplot --version >/dev/null 2>&1") == 0;
    if (!answer) MESSAGE("skipped: gnuplot is not installed");
    return answer;
}

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
            REQUIRE(ancora(folder, {"report", name}).status == 0);
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

        // Interrupted: the checkpoint is told.
        folder.write("long.toml",
                     fmt::format("{}end = 1.0e6\n[output]\nevery = 0.01\n",
                                 kTop.substr(0, kTop.find("end = "))));
        ProcessOptions options;
        options.folder = folder.path();
        {
            ChildProcess child({ANCORA_TEST_BIN, "run", "long.toml", "--out", "long"}, options);
            for (int i = 0; i < 600 && folder.read("long/history.csv").size() < 20'000; ++i)
                std::this_thread::sleep_for(std::chrono::milliseconds(50));
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
            const ProcessResult drawn = ancora(
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
        REQUIRE(ancora(folder, {"run", "m.toml", "--out", "other", "--set", "integrator.step=0.02"})
                    .status == 0);
        const Json data = folder.report({"run", "other"});
        REQUIRE(data["runs"].size() == 2);
        CHECK(data["runs"][0]["label"] == "run");
        CHECK(data["runs"][1]["label"] == "other");
        CHECK(decode(data["runs"][0]["history"]["t"]).size() == 51);
        CHECK(decode(data["runs"][1]["history"]["t"]).size() == 26);

        REQUIRE(
            ancora(folder, {"report", "run", "--columns", "box.wx", "--out", "p.html"}).status ==
            0);
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
        REQUIRE(ancora(folder, {"report", "run"}).status == 0);
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
            REQUIRE(ancora(folder, {"report", "a", "b", "--out", "both.html"}).status == 0);
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

    TEST_CASE("a report that is killed leaves the one before, or is whole") {
        const TempFolder folder;
        many_bodies(2000, 60).write(folder, "run");
        REQUIRE(ancora(folder, {"report", "run"}).status == 0);
        const std::string old = folder.read("run/report.html");
        REQUIRE(old.ends_with("</html>\n"));
        const auto begin = std::chrono::steady_clock::now();
        REQUIRE(ancora(folder, {"report", "run"}).status == 0);
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
        const ProcessResult read_only = ancora(folder, {"report", "run", "--out", "/proc/r.html"});
        CHECK(read_only.status == 6);
        CHECK(read_only.err.starts_with("error: cannot write \"/proc/r.html."));
        const ProcessResult inside = ancora(folder, {"report", "run", "--out", "m.toml/r.html"});
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
                     "49"));
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
                const ProcessResult result = ancora(folder, {"report", "run"});
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
        const ProcessResult gone = ancora(folder, {"report", "run"});
        CHECK(gone.status == 6);
        CHECK(gone.err.find("scene.json") != std::string::npos);
        CHECK(gone.err.find("No such file or directory") != std::string::npos);
    }

    TEST_CASE("damage that could crash, fill the memory or go on forever is refused in words") {
        const TempFolder folder;
        many_bodies(3, 1).write(folder, "run");
        const Json scene = Json::parse(folder.read("run/scene.json"));
        const auto refused = [&](const std::string& name,
                                 const std::string& text,
                                 const std::string& message) {
            CAPTURE(message);
            const std::string before = folder.read("run/" + name);
            folder.write("run/" + name, text);
            for (const Arguments& arguments : {Arguments{"report", "run"}, {"paraview", "run"}}) {
                if (name == "summary.json" && arguments[0] == "paraview") continue;
                const ProcessResult result = ancora(folder, arguments);
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
            const ProcessResult result = ancora(folder, {"report", "run"});
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
        REQUIRE(ancora(folder, {"report", "run"}).status == 0);
        Json history = data_of(folder.read("run/report.html"))["runs"][0]["history"];
        CHECK(history["columns"][1]["name"] == odd);
        CHECK(history["columns"][2]["name"] == "two\nlines");
        CHECK(decode(history["values"]) == std::vector<double>{5, 6, 7, 1, 2, 3});

        const std::string quoted = "t,\"say \"\"hi\"\", [you; 50 % 'x'\"";
        REQUIRE(ancora(folder, {"report", "run", "--columns", quoted}).status == 0);
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

// --- pictures

TEST_SUITE("ancora plot") {
    TEST_CASE("an SVG has a curve per column, labels and units") {
        if (!has_gnuplot()) return;
        const RunFolder folder(kTop + "[output]\npoints = [\"box@[1.5, 0.0, 0.0]\"]\n");
        const ProcessResult result = ancora(
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

        REQUIRE(ancora(folder,
                       {"plot", "run", "--columns", "box.wy", "--over", "box.wx", "--out", "p.svg"})
                    .status == 0);
        CHECK(folder.read("p.svg").find("box.wx / rad/s") != std::string::npos);
        REQUIRE(ancora(folder,
                       {"plot", "run", "--columns", "energy.balance", "--log", "--out", "p.svg"})
                    .status == 0);
        CHECK(folder.read("p.svg").find("|energy.balance|") != std::string::npos);
        // two runs, each curve with its folder
        REQUIRE(ancora(folder, {"run", "m.toml", "--out", "other"}).status == 0);
        REQUIRE(ancora(folder, {"plot", "run", "other", "--columns", "box.wx", "--out", "p.svg"})
                    .status == 0);
        CHECK(folder.read("p.svg").find("box.wx  (other)") != std::string::npos);
    }

    TEST_CASE("a column of any name is drawn under it") {
        if (!has_gnuplot()) return;
        const TempFolder folder;
        folder.write("run/history.csv",
                     "t,\"say \"\"hi\"\", [you's\",\"e\x1b[2J\"\n0,5,1\n0.1,6,2\n0.2,7,3\n");
        const ProcessResult result = ancora(folder,
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
                ancora(folder, {"plot", "run", "--columns", "box.wx", "--out", file});
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
        const ProcessResult result =
            ancora(folder, {"plot", "run", "--columns", "box.wx", "--out", "p.svg"}, options);
        CHECK(result.status == 6);
        CHECK(result.err ==
              "error: cannot run gnuplot, which draws the pictures: No such file or directory; "
              "install it (Debian: apt-get install gnuplot-nox)\n");
        CHECK_FALSE(fs::exists(folder / "p.svg"));
        for (const auto& entry : fs::directory_iterator(folder.path()))
            CHECK(entry.path().string().find(".new") == std::string::npos);
    }
}

// --- a full disk

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
        const ProcessResult result = ancora(folder, {"run", "net.toml", "--out", "run"}, options);
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
        CHECK(4 * frames.columns * (frames.rows + 1) + 128 > 600'000);
        REQUIRE(rows.at("t").size() >= frames.rows);
        for (std::size_t i = 0; i < frames.rows; ++i) CHECK(frames(i, 0) == static_cast<float>(i));
        // The page does not fit either, and leaves nothing half.
        const ProcessResult none = ancora(folder, {"report", "run"}, options);
        CHECK(none.status == 6);
        CHECK(none.err.find("File too large") != std::string::npos);
        CHECK_FALSE(fs::exists(folder / "run/report.html"));
        REQUIRE(ancora(folder, {"report", "run"}).status == 0);
        const Json run = data_of(folder.read("run/report.html"))["runs"][0];
        CHECK(decode(run["scene"]["times"]).size() == frames.rows);
    }
}

}  // namespace
}  // namespace ancora::testing
