// SPDX-License-Identifier: BSD-3-Clause
// Runs that begin at another time than 0: nothing but what is given over time knows what time it
// is.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <algorithm>
#include <random>
#include <sstream>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "support/model.hpp"

using namespace ancora;
using namespace ancora::testing;

namespace {

constexpr double kEnd = 0.6;

/// Numbers of a model of the family, from which its text follows for any begin.
struct Member {
    explicit Member(unsigned seed) : random(seed) {}
    double between(double low, double high) {
        return std::uniform_real_distribution<>(low, high)(random);
    }
    std::mt19937 random;
};

/// A driven pendulum with a motor, a controller and a relay, and a sledge whose mass changes, with
/// tables and formulas of t - begin.
std::string text_of(unsigned seed, const std::string& integrator, double begin) {
    Member m(seed);
    const auto at = [&](double t) {
        return fmt::format("{}", begin + t);
    };
    const std::string t = fmt::format("(t - ({}))", begin);
    std::string text = fmt::format(
        "[model]\ngravity = [0, 0, -9.81]\n"
        "[[body]]\nname = \"bar\"\ntype = \"ancf_rigid_body\"\nsize = [1, 0.1, 0.1]\n"
        "density = {}\nposition = [0.5, 0, 0]\n"
        "[[body]]\nname = \"sledge\"\ntype = \"particle\"\nposition = [0, 3, 0]\n"
        "mass_over_time = [[{}, {}], [{}, {}], [{}, {}]]\n"
        "[[joint]]\nname = \"j\"\ntype = \"revolute\"\na = \"ground\"\nb = \"bar@[-0.5, 0, 0]\"\n"
        "axis = [0, 1, 0]\n",
        m.between(200.0, 2000.0),
        at(0.0),
        m.between(1.0, 3.0),
        at(m.between(0.1, 0.5)),
        m.between(1.0, 3.0),
        at(kEnd),
        m.between(1.0, 3.0));
    text += fmt::format(
        "[[force]]\nname = \"push\"\ntype = \"motor\"\non = \"j.angle\"\n"
        "effort = [[{}, 0.0], [{}, {}], [{}, {}]]\n"
        "[[force]]\nname = \"wind\"\ntype = \"point_load\"\nat = \"sledge@[0, 0, 0]\"\n"
        "force = [\"{}*sin({}*{})\", \"abs({} - {})\", \"0\"]\n",
        at(0.0),
        at(m.between(0.05, 0.5)),
        m.between(-40.0, 40.0),
        at(kEnd),
        m.between(-40.0, 40.0),
        m.between(0.5, 2.0),
        m.between(1.0, 9.0),
        t,
        t,
        m.between(0.1, 0.5));
    text += fmt::format(
        "[[force]]\nname = \"pid\"\ntype = \"sampled_pid\"\nreference = \"0.3*{}\"\n"
        "measured = \"j.angle\"\nperiod = {}\noffset = {}\nkp = 2.0\nki = 1.0\nkd = 0.3\n"
        "[[force]]\nname = \"drive\"\ntype = \"actuator\"\non = \"j.angle\"\n"
        "command = \"pid.command\"\n",
        t,
        m.between(0.006, 0.04),
        seed % 2 == 0 ? 0.0 : m.between(0.0, 0.1));
    text +=
        "[[force]]\nname = \"relay\"\ntype = \"relay\"\ninput = \"j.angle_rate\"\n"
        "on_at = 0.5\noff_at = -0.1\nstarts_on = true\n";
    return text + fmt::format("[integrator]\ntype = \"{}\"\nstep = 5e-3\nbegin = {}\nend = {}\n",
                              integrator,
                              begin,
                              at(kEnd));
}

std::vector<std::vector<double>> rows_of(Simulation& simulation) {
    std::vector<std::vector<double>> rows;
    std::vector<double> row(simulation.column_names().size());
    const auto take = [&] {
        simulation.sample(row);
        rows.push_back(row);
        rows.back()[0] -= simulation.begin_time();
    };
    take();
    while (!simulation.done()) {
        simulation.step();
        take();
    }
    return rows;
}

std::string message_of(const std::string& text) {
    try {
        model(text);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("a run that begins elsewhere is the same with what is given over time moved along") {
    for (const std::string integrator : {"emm", "rk4", "generalized_alpha", "dopri5"})
        for (const unsigned seed : {1u, 2u, 3u}) {
            Simulation first = model(text_of(seed, integrator, 0.0));
            const auto right = rows_of(first);
            CHECK(first.time() == kEnd);
            for (const double begin : {5.0, -3.5, 77.125, 1e4}) {
                CAPTURE(integrator);
                CAPTURE(seed);
                CAPTURE(begin);
                Simulation moved = model(text_of(seed, integrator, begin));
                CHECK(moved.time() == begin);
                CHECK(moved.num_steps() == first.num_steps());
                const auto got = rows_of(moved);
                CHECK(moved.time() == begin + kEnd);
                CHECK(moved.value("t") == begin + kEnd);
                if (integrator == "dopri5") {
                    // Lengths of steps are chosen by errors, which roundings of time change.
                    for (std::size_t k = 1; k < right[0].size(); ++k)
                        CHECK(std::abs(got.back()[k] - right.back()[k]) <=
                              1e-5 * (1.0 + std::abs(right.back()[k])));
                    continue;
                }
                REQUIRE(got.size() == right.size());
                // Times are rounded by 1e-16 of begin, and rates are of differences over a step.
                const double rounding = 1e-9 + 1e-16 / 5e-3 * std::abs(begin) * 10.0;
                double worst = 0.0;
                std::string column;
                for (std::size_t k = 0; k < right[0].size(); ++k) {
                    double size = 1.0, off = 0.0;
                    for (std::size_t i = 0; i < right.size(); ++i) {
                        size = std::max(size, std::abs(right[i][k]));
                        off = std::max(off, std::abs(got[i][k] - right[i][k]));
                    }
                    if (off / size > worst) {
                        worst = off / size;
                        column = moved.column_names()[k];
                    }
                }
                CHECK_MESSAGE(worst <= rounding, column);
            }
        }
}

TEST_CASE("a state that was saved goes on where the run began at the same time, and nowhere else") {
    const std::string text = text_of(4, "emm", 5.0);
    Simulation whole = model(text), one = model(text), other = model(text);
    while (one.time() < 5.3) one.step();
    other.restore(one.save());
    run_to_end(other);
    run_to_end(whole);
    CHECK(std::ranges::equal(whole.q(), other.q()));
    CHECK(std::ranges::equal(whole.v(), other.v()));
    other.reset();
    CHECK(other.time() == 5.0);
    CHECK(std::ranges::equal(run_to_end(other).q(), whole.q()));
    Simulation elsewhere = model(text_of(4, "emm", 0.0));
    CHECK_THROWS_AS(elsewhere.restore(one.save()), Error);
}

TEST_CASE("many steps far from zero end where they should") {
    // Of 1e9 s rounding leaves 1e-7 s, here a tenth of a thousandth of a step.
    for (const double begin : {1e6, 1e9, -1e9})
        for (const char* const integrator : {"emm", "rk4"}) {
            Simulation simulation = model(fmt::format(
                "[[body]]\nname = \"p\"\ntype = \"particle\"\nmass = 1\nvelocity = [1, 0, 0]\n"
                "[integrator]\ntype = \"{}\"\nstep = 1e-3\nbegin = {}\nend = {}\n",
                integrator,
                begin,
                begin + 4.0));
            CHECK(simulation.num_steps() == 4000);
            CHECK(run_to_end(simulation).time() == begin + 4.0);
            CHECK(std::abs(simulation.value("p.x") - 4.0) < 1e-12);
        }
}

TEST_CASE("what does not reach from the begin to the end is refused") {
    const auto pushed = [](const char* begin, const char* end, const char* rows) {
        return fmt::format(
            "[[body]]\nname = \"p\"\ntype = \"particle\"\nmass = 1\n[[force]]\nname = \"f\"\n"
            "type = \"point_load\"\nat = \"p@[0, 0, 0]\"\nforce = {}\n"
            "[integrator]\ntype = \"emm\"\nstep = 0.1\nbegin = {}\nend = {}\n",
            rows,
            begin,
            end);
    };
    CHECK(message_of(pushed("5", "6", "[[5, 0, 0, 1], [6, 0, 0, 1]]")) == "");
    CHECK(message_of(pushed("5", "6", "[[0, 0, 0, 1], [9, 0, 0, 1]]")) == "");
    CHECK(message_of(pushed("5", "6", "[[5.5, 0, 0, 1], [6, 0, 0, 1]]"))
              .find("the table begins at t = 5.5 s, and the run at t = 5 s") != std::string::npos);
    CHECK(message_of(pushed("5", "6", "[[0, 0, 0, 1], [5.5, 0, 0, 1]]"))
              .find("the table ends at t = 5.5 s, and the run at t = 6 s") != std::string::npos);
    CHECK(message_of(pushed("-2", "-1", "[[-2, 0, 0, 1], [-1, 0, 0, 1]]")) == "");
    CHECK(message_of(pushed("5", "5", "[[0, 0, 0, 1], [9, 0, 0, 1]]"))
              .find("test.toml:14:7: error: [integrator]: end: expected a time behind that of "
                    "begin, 5 s, got 5 s") != std::string::npos);
}
