// SPDX-License-Identifier: BSD-3-Clause
// What tests of reports share: a reader of results and of the page, after
// framework/report/page/README.md, and results made by hand.
#pragma once

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

#include "support/program.hpp"

namespace ancora::testing {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// The command is refused with this status and exactly this message.
inline void check_refused(const TempFolder& folder,
                          const CommandArguments& arguments,
                          int status,
                          const std::string& message) {
    CAPTURE(arguments.back());
    const ProcessResult result = run_ancora_in_full(folder, arguments);
    CHECK(result.status == status);
    CHECK(result.out == "");
    CHECK(result.err == "error: " + message + "\n");
}

inline std::size_t count(std::string_view text, std::string_view part) {
    std::size_t out = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string_view::npos; ++at) ++out;
    return out;
}

// --- results

/// history.csv by column.
inline std::map<std::string, std::vector<double>> table(const std::string& text) {
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
    std::vector<double> values;

    explicit FrameFile(const std::string& file) {
        REQUIRE(file.substr(0, 8) == std::string("\x93NUMPY\x01\x00", 8));
        const std::size_t begin =
            10 + static_cast<unsigned char>(file[8]) +
            256 * static_cast<std::size_t>(static_cast<unsigned char>(file[9]));
        const std::string header = file.substr(0, begin);
        std::istringstream shape(header.substr(header.find("'shape': (") + 10));
        char comma = 0;
        shape >> rows >> comma >> columns;
        REQUIRE(file.size() >= begin + 8 * rows * columns);
        values.resize(rows * columns);
        std::memcpy(values.data(), file.data() + begin, 8 * values.size());
    }
    double operator()(std::size_t i, std::size_t j) const { return values[i * columns + j]; }
};

/// In single precision, as runs wrote before.
inline std::string npy(std::size_t rows, std::size_t columns, const std::vector<float>& values) {
    std::string header = fmt::format(
        "{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", rows, columns);
    header.resize(117, ' ');
    header += '\n';
    std::string out("\x93NUMPY\x01\x00\x76\x00", 10);
    out += header;
    return out.append(reinterpret_cast<const char*>(values.data()), 4 * values.size());
}

// --- the page

inline std::string unpacked(const std::string& text) {
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
inline std::vector<double> numbers(const std::string& bytes, bool is_delta, std::size_t width) {
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
inline std::vector<double> decode(const Json& array) {
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
inline std::vector<std::string> between(const std::string& text,
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

inline Json data_of(const std::string& page) {
    const auto found =
        between(page, "<script type=\"application/json\" id=\"ancora-data\">", "</script>");
    REQUIRE(found.size() == 1);
    return Json::parse(found[0]);
}

/// Half a step of a quantity that spreads over `levels` steps between the least and the largest of
/// its values at each `period`-th place, with a rounding of the single precision it came from.
inline std::vector<double> half_steps(const std::vector<double>& values,
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

inline void check_track(const Json& array,
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
inline std::vector<double> slice(const FrameFile& frames, std::size_t first, std::size_t width) {
    std::vector<double> out;
    for (std::size_t i = 0; i < frames.rows; ++i)
        for (std::size_t k = 0; k < width; ++k)
            out.push_back(static_cast<double>(frames(i, 2 + first + k)));
    return out;
}

inline std::string notes_of(const Json& run) {
    std::string out;
    for (const std::string note : run["notes"]) out += note + "\n";
    return out;
}

// --- models

inline const std::string kTop = R"([[body]]
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
    explicit RunFolder(const std::string& model, const CommandArguments& more = {}) {
        write("m.toml", model);
        CommandArguments arguments{"run", "m.toml", "--out", "run"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const ProcessResult result = run_ancora_in_full(*this, arguments);
        REQUIRE(result.status == 0);
    }
    Json report(const CommandArguments& folders = {"run"}) const {
        CommandArguments arguments{"report"};
        arguments.insert(arguments.end(), folders.begin(), folders.end());
        const ProcessResult result = run_ancora_in_full(*this, arguments);
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
inline HandMade many_bodies(std::size_t rows, std::size_t bodies) {
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
inline HandMade net(std::size_t rows, std::size_t n) {
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

inline bool has_gnuplot() {
    static const bool answer = std::system("gnuplot --version >/dev/null 2>&1") == 0;
    if (!answer) MESSAGE("skipped: gnuplot is not installed");
    return answer;
}

}  // namespace ancora::testing
