// SPDX-License-Identifier: BSD-3-Clause
// Manifests with parameters, included files and generated objects through the `ancora` program: the
// same bytes as from a manifest that is written out by hand, and as from what `check --print`
// gives.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <numbers>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ancora/framework/manifest.hpp"
#include "support/near.hpp"
#include "support/program.hpp"

namespace ancora::testing {
namespace {

namespace fs = std::filesystem;

// With a point where there is none: "-0" alone would be the integer 0.
std::string exact(double x) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", x);
    std::string out = text;
    return out.find_first_of(".e") == std::string::npos ? out.append(".0") : out;
}

std::string vector(double x, double y) {
    return exact(x).insert(0, 1, '[').append(", ").append(exact(y)).append(", 0]");
}

const fs::path kExamples = fs::path(ANCORA_TEST_SOURCE_DIR) / "examples";

// examples/ring_of_beads, with every object written out.
struct Ring {
    static constexpr int n = 12;
    static constexpr int k = 2;
    static constexpr double pi = std::numbers::pi;
    double R = 0.5;
    double m = 0.01;
    double E = 0.5e6;
    double A = pi / 4 * (0.002 * 0.002);
    double l = 2 * R * std::sin(pi / n);
    double omega = std::sqrt(E * A * l / m) / R * std::sin(pi * k / n) / std::tan(pi / n);
    double T = 2 * pi / omega;
    double v = 0.001;

    std::string position(int i) const {
        return vector(R * std::cos(2 * pi * i / n), R * std::sin(2 * pi * i / n));
    }

    std::string toml() const {
        std::string out =
            "[model]\nname = \"by hand\"\n[integrator]\ntype = \"emm\"\nstep = " + exact(T / 200) +
            "\nend = " + exact(2 * T) + "\n[output]\nevery = " + exact(T / 20) + "\n";
        for (int i = 0; i < n; ++i) {
            const std::string number = std::to_string(i);
            const double wave = std::cos(2 * pi * k * i / n);
            out +=
                "[[body]]\nname = \"bead_" + number +
                "\"\ntype = \"particle\"\nmass = " + exact(m) + "\nposition = " + position(i) +
                "\nvelocity = " +
                vector(-v * wave * std::sin(2 * pi * i / n), v * wave * std::cos(2 * pi * i / n)) +
                "\n[[body]]\nname = \"thread_" + number +
                "\"\ntype = \"truss\"\nfrom = " + position(i) + "\nto = " + position(i + 1) +
                "\narea = " + exact(A) + "\nyoung = " + exact(E) + "\ndensity = 0\n";
        }
        for (int i = 0; i < n; ++i) {
            const std::string number = std::to_string(i);
            const std::string next = std::to_string((i + 1) % n);
            out += "[[constraint]]\nname = \"wire_" + number +
                   "\"\ntype = \"point_on_circle\"\npoint = \"bead_" + number +
                   "@[0, 0, 0]\"\nnormal = [0, 0, 1]\nradius = " + exact(R) +
                   "\n[[constraint]]\nname = \"begin_" + number +
                   "\"\ntype = \"position\"\na = \"thread_" + number + "@0\"\nb = \"bead_" +
                   number + "@[0, 0, 0]\"\n[[constraint]]\nname = \"end_" + number +
                   "\"\ntype = \"position\"\na = \"thread_" + number + "@1\"\nb = \"bead_" + next +
                   "@[0, 0, 0]\"\n";
        }
        return out;
    }
};

// Rows of numbers below a header.
struct History {
    explicit History(const std::string& text) {
        std::size_t at = text.find('\n');
        std::string header = text.substr(0, at);
        for (std::size_t begin = 0; begin <= header.size();) {
            const std::size_t comma = std::min(header.find(',', begin), header.size());
            names.push_back(header.substr(begin, comma - begin));
            begin = comma + 1;
        }
        while (++at < text.size()) {
            std::vector<double> row;
            const char* cell = text.data() + at;
            for (std::size_t k = 0; k < names.size(); ++k) {
                char* end = nullptr;
                row.push_back(std::strtod(cell, &end));
                cell = end + 1;
            }
            rows.push_back(row);
            at = text.find('\n', at);
        }
    }
    double operator()(std::size_t row, const std::string& name) const {
        const auto column = std::ranges::find(names, name);
        REQUIRE(column != names.end());
        return rows[row][column - names.begin()];
    }
    std::vector<std::string> names;
    std::vector<std::vector<double>> rows;
};

}  // namespace

TEST_SUITE("manifests of parts") {
    TEST_CASE("a ring that is generated runs as one that is written by hand") {
        const TempFolder folder;
        folder.write("hand.toml", Ring().toml());
        const std::string example = (kExamples / "ring_of_beads/model.toml").string();
        const ProcessResult generated =
            run_ancora(folder, {"run", example, "--out", "a", "--quiet"});
        CHECK(generated.err == "");
        REQUIRE(generated.status == 0);
        const ProcessResult hand =
            run_ancora(folder, {"run", "hand.toml", "--out", "b", "--quiet"});
        CHECK(hand.err == "");
        REQUIRE(hand.status == 0);
        CHECK(folder.read("a/history.csv").size() > 10000);
        const bool is_same = folder.read("a/history.csv") == folder.read("b/history.csv");
        CHECK(is_same);
    }

    // A periodic chain (Born and von Karman): beads of mass m on a circle of radius R, threads
    // whose Green strain is cot(pi/n)/2 times the difference of their ends' angles. Wave k has
    //
    //   omega = sqrt(E A l / m) / R cot(pi/n) sin(pi k/n),  s_i(t) = v/omega cos(2 pi k i/n)
    //   sin(omega t)
    //
    // for small s. The midpoint rule is late by (omega h)^2 / 12 of the phase, 1.03e-3 at 2 T.
    TEST_CASE("beads on a ring swing with the frequency of the periodic chain") {
        const TempFolder folder;
        const Ring ring;
        const std::string example = (kExamples / "ring_of_beads/model.toml").string();
        REQUIRE(run_ancora(folder, {"run", example, "--out", "a", "--quiet"}).status == 0);
        const History history(folder.read("a/history.csv"));
        REQUIRE(history.rows.size() == 41);
        double worst = 0.0;
        for (std::size_t row = 0; row < history.rows.size(); ++row) {
            const double t = history(row, "t");
            for (int i = 0; i < Ring::n; ++i) {
                const double angle = 2 * Ring::pi * i / Ring::n;
                const std::string bead = "bead_" + std::to_string(i);
                const double s =
                    -std::sin(angle) * (history(row, bead + ".x") - ring.R * std::cos(angle)) +
                    std::cos(angle) * (history(row, bead + ".y") - ring.R * std::sin(angle));
                const double wave = std::cos(2 * Ring::pi * Ring::k * i / Ring::n);
                const double exact_s = ring.v / ring.omega * wave * std::sin(ring.omega * t);
                worst = std::max(worst, std::abs(s - exact_s) / (ring.v / ring.omega));
            }
        }
        CHECK(worst <= tolerance(1.1e-3));
    }

    TEST_CASE("what --print gives runs as the model itself, from any folder") {
        for (const auto& entry : fs::directory_iterator(kExamples)) {
            const fs::path file = entry.path() / "model.toml";
            if (!fs::exists(file) || entry.path().filename() == "custom_constraint") continue;
            CAPTURE(file.string());
            const TempFolder folder;
            // a value of --set is in what is printed
            const double end = 20.0 * Manifest::load(file).integrator.step;
            const std::vector<std::string> set{"--set", "integrator.end=" + exact(end)};
            std::vector<std::string> print{"check", "--print", file.string()};
            print.insert(print.end(), set.begin(), set.end());
            const ProcessResult printed = run_ancora(folder, print);
            CHECK(printed.err == "");
            REQUIRE(printed.status == 0);
            folder.write("deep/down/printed.toml", printed.out);
            std::vector<std::string> original{"run", file.string(), "--out", "a", "--quiet"};
            original.insert(original.end(), set.begin(), set.end());
            REQUIRE(run_ancora(folder, original).status == 0);
            const ProcessResult again =
                run_ancora(folder, {"run", "deep/down/printed.toml", "--out", "b", "--quiet"});
            CHECK(again.err == "");
            REQUIRE(again.status == 0);
            const bool is_same = folder.read("a/history.csv") == folder.read("b/history.csv");
            CHECK(is_same);
            // and is its own expansion
            const ProcessResult twice =
                run_ancora(folder, {"check", "--print", "deep/down/printed.toml"});
            const bool is_fixed = twice.out == printed.out;
            CHECK(is_fixed);
        }
    }

    TEST_CASE("--print is exact about texts, files and places") {
        const TempFolder folder;
        folder.write("parts/push.csv", "0, 1, 0, 0\n9, 1, 0, 0\n");
        folder.write("parts/push.toml",
                     "[[force]]\nname = 'push'\ntype = 'point_load'\nat = 'p@[0, 0, 0]'\n"
                     "force = 'push.csv'\n");
        folder.write(
            "m.toml",
            "include = ['parts/push.toml']\n[parameters]\nm = '2 lb'\n[model]\n"
            "name = 'a $${m} of ${m}'\n[[body]]\nname = 'p'\ntype = 'particle'\nmass = 'm'\n"
            "[integrator]\ntype = 'emm'\nstep = '1 ms'\nend = '1 min'\n");
        const ProcessResult printed = run_ancora(folder, {"check", "--print", "m.toml"});
        CHECK(printed.err == "");
        CHECK(printed.out ==
              "[model]\nname = \"a $${m} of 0.90718474\"\ngravity = [0.0, 0.0, 0.0]\n\n[[body]]\n"
              "name = \"p\"\ntype = \"particle\"\nmass = 0.90718474\n\n[[force]]\n"
              "name = \"push\"\ntype = \"point_load\"\nat = \"p@[0, 0, 0]\"\nforce = \"" +
                  (folder / "parts/push.csv").string() +
                  "\"\n\n[integrator]\ntype = \"emm\"\nstep = 0.001\nend = 60.0\n\n[output]\n"
                  "checkpoint = 30.0\n");
        const ProcessResult wrong =
            run_ancora(folder, {"check", "--print", "m.toml", "--set", "parameters.m=2 mm"});
        CHECK(wrong.status == 3);
        CHECK(wrong.out == "");
        CHECK(wrong.err == "m.toml:9:8: error: body \"p\": mass: expected kg, got m: \"m\"\n");
        CHECK(run_ancora(folder, {"check", "--print", "--json", "m.toml"}).status == 2);
    }
}

}  // namespace ancora::testing
