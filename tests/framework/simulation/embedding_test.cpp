// SPDX-License-Identifier: BSD-3-Clause
// What an embedding program does between steps: forces applied, states saved and restored.
#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/simulation.hpp"
#include "box_and_net.hpp"
#include "framework/models.hpp"
#include "sha256.hpp"

using namespace ancora;
using ancora::testing::kBoxAndNet;
using ancora::testing::near;
using ancora::testing::Run;

namespace {

/// A block on three feet, thrown over a floor with a spin: slides on a curve, stops, stays.
const std::string kFeet = R"(
[model]
gravity = [1.0, 0.0, -9.81]
[[body]]
name = "block"
type = "ancf_rigid_body"
mass = 2.0
inertia = [0.027, 0.041, 0.052]
velocity = [0.5, -0.3, 0.0]
angular_velocity = [0.0, 0.0, 1.5]
[[constraint]]
name = "front"
type = "point_on_plane"
point = "block@[0.2, 0.0, -0.1]"
normal = [0.0, 0.0, 1.0]
origin = [0.0, 0.0, -0.1]
[[constraint]]
name = "left"
type = "point_on_plane"
point = "block@[-0.2, 0.15, -0.1]"
normal = [0.0, 0.0, 1.0]
origin = [0.0, 0.0, -0.1]
[[constraint]]
name = "right"
type = "point_on_plane"
point = "block@[-0.2, -0.15, -0.1]"
normal = [0.0, 0.0, 1.0]
origin = [0.0, 0.0, -0.1]
[[force]]
name = "rub_front"
type = "coulomb_friction"
on = "front"
mu_kinetic = 0.4
[[force]]
name = "rub_left"
type = "coulomb_friction"
on = "left"
mu_kinetic = 0.4
[[force]]
name = "rub_right"
type = "coulomb_friction"
on = "right"
mu_kinetic = 0.4
)";

/// A net that turns as a whole and keeps its factorisation.
const std::string kSpin = R"(
[[body]]
name = "net"
type = "truss"
grid = {counts = [5, 4], spacing = [0.25, 0.25], origin = [-0.5, -0.375, 0.0], diagonals = true}
area = 1e-6
young = 3e9
density = 1420.0
node_masses = [[0, 0.5], [19, 0.5]]
spin = {axis = [0.0, 0.0, 1.0], rate = 2.0}
)";

/// A quaternion body on a joint, whose mass depends on its state.
const std::string kTop = R"(
[model]
gravity = [0.0, 0.0, -9.81]
[[body]]
name = "top"
type = "quaternion_body"
mass = 1.5
inertia = [0.02, 0.02, 0.01]
position = [0.0, 0.0, 0.3]
angular_velocity = [0.1, 0.0, 40.0]
velocity = [0.0, -0.03, 0.0]
[[constraint]]
name = "tip"
type = "position"
a = "top@[0.0, 0.0, -0.3]"
b = "ground@[0, 0, 0]"
)";

std::string integrator(const std::string& type, double step, double end) {
    return fmt::format(
        "[integrator]\ntype = \"{}\"\nstep = {:.17g}\nend = {:.17g}\n", type, step, end);
}

using Row = std::vector<double>;
Row row_of(const Simulation& simulation) {
    Row row(simulation.column_names().size());
    simulation.sample(row);
    return row;
}
bool same_bits(const Row& a, const Row& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), 8 * a.size()) == 0;
}

/// Saves after each of `cuts` steps; another simulation takes it from there and must repeat every
/// row of a run that was left alone.
void check_repeats(const std::string& text, const std::vector<int>& cuts) {
    CAPTURE(text.substr(text.find("[integrator]")));
    Run alone(text);
    std::vector<Row> rows;
    while (!alone.simulation.done()) {
        alone.simulation.step();
        rows.push_back(row_of(alone.simulation));
    }
    Run saved(text);
    std::vector<std::vector<std::byte>> states;
    for (std::size_t k = 0; k < rows.size(); ++k) {
        saved.simulation.step();
        states.push_back(saved.simulation.save());
        REQUIRE(same_bits(row_of(saved.simulation), rows[k]));  // saving changes nothing
    }
    for (const int cut : cuts) {
        CAPTURE(cut);
        const auto from = static_cast<std::size_t>(cut);
        REQUIRE(from < rows.size());
        Run other(text);
        other.simulation.restore(states[from]);
        CHECK(other.simulation.save() == states[from]);
        CHECK(same_bits(row_of(other.simulation), rows[from]));
        std::size_t worst = 0;
        for (std::size_t k = from + 1; k < rows.size(); ++k) {
            other.simulation.step();
            if (worst == 0 && !same_bits(row_of(other.simulation), rows[k])) worst = k;
        }
        CHECK(worst == 0);
        CHECK(other.simulation.done());
        CHECK(other.simulation.events().size() == alone.simulation.events().size());
    }
    // And back in time in the same one.
    saved.simulation.restore(states[cuts.front()]);
    saved.simulation.step();
    CHECK(same_bits(row_of(saved.simulation), rows[static_cast<std::size_t>(cuts.front()) + 1]));
}

std::string refusal(Simulation& simulation, const std::vector<std::byte>& saved, ErrorKind kind) {
    const Row before = row_of(simulation);
    try {
        simulation.restore(saved);
    } catch (const Error& error) {
        CHECK(error.kind() == kind);
        CHECK(same_bits(row_of(simulation), before));
        return error.what();
    }
    return "no error";
}

}  // namespace

TEST_SUITE("a host with floating-point traps") {
    // Without the kernel's care this ends in SIGFPE: parameters are infinite, NaN is looked for.
    TEST_CASE("is served, and has its traps and flags again, also after an error") {
        const int before = ::fegetexcept();
        std::feclearexcept(FE_ALL_EXCEPT);
        const int traps = FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW;
        ::feenableexcept(traps);
        const auto are_on = [&] {
            return ::fegetexcept() == (before | traps) && std::fetestexcept(traps) == 0;
        };
        bool all_on = true;
        std::string message;
        const std::string text = kBoxAndNet + integrator("emm", 4e-3, 0.4);
        Row row;
        try {
            Run run(text);
            all_on &= are_on();
            for (int k = 0; k < 5; ++k) run.simulation.step();
            all_on &= are_on();
            static_cast<void>(run.simulation.analyse());
            static_cast<void>(run.simulation.dynamics());
            row = row_of(run.simulation);
            all_on &= are_on();
            try {
                run.simulation.apply_force("ball@nowhere", {1.0, 0.0, 0.0});
            } catch (const Error& error) {
                message = error.message();
            }
            all_on &= are_on();
            // NaN returned by a plugin is reported in words
            static_cast<void>(
                Run("[[body]]\nname = \"m\"\ntype = \"test_mass\"\nmass = 2.0\n[[constraint]]\n"
                    "name = \"c\"\ntype = \"nan_in_call\"\nat = \"m@0\"\n[integrator]\n"
                    "type = \"rk4\"\nstep = 0.01\nend = 0.1\n"));
        } catch (const Error&) {
            all_on &= are_on();
        }
        ::fedisableexcept(FE_ALL_EXCEPT);
        ::feenableexcept(before);
        CHECK(all_on);
        CHECK(!message.empty());
        Run same(text);
        for (int k = 0; k < 5; ++k) same.simulation.step();
        CHECK(same_bits(row, row_of(same.simulation)));
    }
}

TEST_SUITE("saved states") {
    TEST_CASE("a run that is restored repeats every bit") {
        check_repeats(kBoxAndNet + integrator("emm", 4e-3, 0.4), {0, 1, 2, 3, 17, 50, 98});
        check_repeats(kSpin + integrator("emm", 5e-3, 0.5), {0, 1, 5, 6, 50, 98});
        check_repeats(kFeet + integrator("emm", 5e-3, 0.5), {0, 5, 30, 40, 41, 42, 43, 60, 98});
        check_repeats(kFeet + integrator("rk4", 5e-3, 0.5), {0, 5, 30, 40, 41, 42, 43, 60, 98});
        check_repeats(kTop + integrator("rk4", 1e-3, 0.1), {0, 1, 50});
        check_repeats(kTop + integrator("dopri5", 1e-3, 0.3), {0, 1, 2, 5});
        check_repeats(kFeet + integrator("dopri5", 1e-3, 0.5), {0, 1, 2, 5});
    }

    TEST_CASE("bytes that do not belong here are refused, and nothing changes") {
        const std::string end = integrator("emm", 4e-3, 0.4);
        Run net(kBoxAndNet + end), feet(kFeet + end),
            feet_rk4(kFeet + integrator("rk4", 4e-3, 0.4));
        net.steps(3);
        feet.steps(3);
        const std::vector<std::byte> state = feet.simulation.save();
        CHECK(refusal(net.simulation, state, ErrorKind::usage) ==
              "error: the saved state belongs to another model: it has body \"block\" of type "
              "ancf_rigid_body, 12 numbers, this model has body \"box\" of type ancf_rigid_body, "
              "12 numbers");
        CHECK(refusal(feet_rk4.simulation, state, ErrorKind::usage)
                  .find("it has integrator emm, step 0.004 s, this model has integrator rk4") !=
              std::string::npos);
        feet.steps(5);
        for (std::size_t size = 0; size < state.size(); size += 37) {
            CAPTURE(size);
            const std::vector<std::byte> part(state.begin(),
                                              state.begin() + static_cast<std::ptrdiff_t>(size));
            CHECK(refusal(feet.simulation, part, ErrorKind::file) != "no error");
        }
        std::vector<std::byte> longer = state;
        longer.push_back(std::byte{1});
        CHECK(refusal(feet.simulation, longer, ErrorKind::file) != "no error");
        std::vector<std::byte> other = state;
        other[0] = std::byte{'x'};
        CHECK(refusal(feet.simulation, other, ErrorKind::file)
                  .find("these bytes are no saved state") != std::string::npos);
        std::vector<std::byte> older = state;
        older[6] = std::byte{'0'};
        older[7] = std::byte{'7'};
        CHECK(refusal(feet.simulation, older, ErrorKind::file)
                  .find("has format 07, from another version of Ancora, and this one reads "
                        "format 1") != std::string::npos);
        // After all that it goes on.
        feet.to_end();
    }
}

namespace {

using Bytes = std::vector<std::byte>;

// A saved state: a magic number, a checksum in hexadecimal digits, then what that is of.
constexpr std::size_t kChecksumAt = 8, kContentAt = 72;

void mend_checksum(Bytes& state) {
    const std::string digits = sha256_of_text(
        {reinterpret_cast<const char*>(state.data()) + kContentAt, state.size() - kContentAt});
    std::memcpy(state.data() + kChecksumAt, digits.data(), digits.size());
}

/// Flips a bit, writes over a run of bytes, puts a number that counts or points far off in place of
/// one, cuts the end, takes bytes out, or doubles some; at or behind `from`.
Bytes mutated(Bytes state, std::size_t from, std::mt19937& random) {
    const auto below = [&](std::size_t n) {
        return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
    };
    const std::size_t at = from + below(state.size() - from);
    const auto begin = state.begin() + static_cast<std::ptrdiff_t>(at);
    const std::size_t length = std::min(state.size() - at, 1 + below(16));
    switch (below(8)) {
        case 0:
        case 1:
            state[at] ^= std::byte{1} << below(8);
            break;
        case 2:
            for (std::size_t i = at; i < at + length; ++i)
                state[i] = static_cast<std::byte>(below(256));
            break;
        case 3:
            std::fill_n(begin, length, std::byte{0xff});
            break;
        case 4: {
            const std::int64_t numbers[] = {-1, 0, 1, 1000, 1L << 31, 1L << 62, INT64_MIN};
            const std::int64_t number = numbers[below(std::size(numbers))];
            std::memcpy(&state[at], &number, std::min(state.size() - at, sizeof number));
            break;
        }
        case 5:
            state.resize(at);
            break;
        case 6:
            state.erase(begin, begin + static_cast<std::ptrdiff_t>(length));
            break;
        default:
            state.insert(begin, state.begin(), state.begin() + static_cast<std::ptrdiff_t>(length));
    }
    return state;
}

struct Saved {
    std::string text;
    int steps;
};
const std::vector<Saved>& saved_models() {
    static const std::vector<Saved> models = {{kBoxAndNet + integrator("emm", 4e-3, 0.4), 3},
                                              {kFeet + integrator("emm", 5e-3, 0.5), 41},
                                              {kSpin + integrator("emm", 5e-3, 0.5), 6},
                                              {kFeet + integrator("rk4", 5e-3, 0.5), 41},
                                              {kTop + integrator("dopri5", 1e-3, 0.3), 2}};
    return models;
}

}  // namespace

TEST_SUITE("damaged states") {
    TEST_CASE("damage of any kind is told by the checksum, and nothing changes") {
        std::mt19937 random(1);
        for (const Saved& model : saved_models()) {
            CAPTURE(model.text.substr(model.text.find("[integrator]")));
            Run run(model.text);
            run.steps(model.steps);
            const Row before = row_of(run.simulation);
            const Bytes state = run.simulation.save();
            for (int i = 0; i < 1000; ++i) {
                CAPTURE(i);
                const Bytes damaged = mutated(state, 0, random);
                if (damaged == state) continue;
                bool is_refused = false;
                try {
                    run.simulation.restore(damaged);
                } catch (const Error& error) {
                    is_refused = error.kind() == ErrorKind::file;
                }
                REQUIRE(is_refused);
            }
            CHECK(run.simulation.save() == state);
            CHECK(same_bits(row_of(run.simulation), before));
        }
    }

    // A checksum that fits does not make an index fit. What is read must be refused or be a state:
    // the program goes on either way.
    TEST_CASE("a state made to mislead crashes nothing, and is forgotten if it is refused") {
        std::mt19937 random(2);
        for (const Saved& model : saved_models()) {
            CAPTURE(model.text.substr(model.text.find("[integrator]")));
            Run run(model.text);
            run.steps(model.steps);
            const Bytes state = run.simulation.save();
            run.steps(1);
            const Row next = row_of(run.simulation);
            run.simulation.restore(state);
            int num_refused = 0, num_taken = 0;
            for (int i = 0; i < 1500; ++i) {
                CAPTURE(i);
                Bytes damaged = mutated(state, kContentAt, random);
                mend_checksum(damaged);
                bool is_taken = false;
                try {
                    run.simulation.restore(damaged);
                    is_taken = true;
                    row_of(run.simulation);
                    (void)run.simulation.events();
                    (void)run.simulation.breaks();
                    if (!run.simulation.done()) run.simulation.step();
                } catch (const Error&) {
                }
                ++(is_taken ? num_taken : num_refused);
                if (is_taken)
                    run.simulation.restore(state);
                else if (i % 16 == 0) {
                    const Bytes now = run.simulation.save();
                    const auto [at, of] = std::ranges::mismatch(now, state);
                    CAPTURE(at - now.begin());
                    CAPTURE(of - state.begin());
                    REQUIRE(now == state);
                }
            }
            CHECK(num_refused > 50);
            CHECK(num_taken > 10);
            run.simulation.restore(state);
            run.steps(1);
            CHECK(same_bits(row_of(run.simulation), next));
        }
    }

    // Events without end at one instant, each after trials that fail.
    TEST_CASE("a step from a state made to mislead has an end") {
        Run run(kFeet + integrator("emm", 5e-3, 0.5));
        run.steps(41);
        const Bytes state = run.simulation.save();
        for (std::size_t at = kContentAt; at < state.size(); ++at) {
            CAPTURE(at);
            Bytes damaged = state;
            damaged[at] ^= std::byte{0xff};
            mend_checksum(damaged);
            long before = 0;
            try {
                run.simulation.restore(damaged);
                before = run.simulation.work_done();
                if (!run.simulation.done()) run.simulation.step();
            } catch (const Error&) {
                if (before == 0) continue;  // it was not taken
            }
            REQUIRE(run.simulation.work_done() - before < 100'000);
            run.simulation.restore(state);
        }
    }

    TEST_CASE("the ground has a pose too") {
        const Run run(kBoxAndNet + integrator("emm", 4e-3, 0.4));
        const Pose ground = run.simulation.pose("ground");
        CHECK(ground.position == std::array{0.0, 0.0, 0.0});
        CHECK(ground.quaternion == std::array{1.0, 0.0, 0.0, 0.0});
        CHECK(ground.velocity == std::array{0.0, 0.0, 0.0});
        CHECK(ground.angular_velocity == std::array{0.0, 0.0, 0.0});
        for (const auto& [name, words] : {std::pair{"bx", "did you mean \"box\"?"},
                                          {"world", "what is fixed in space is called \"ground\""},
                                          {"net", "has no pose"}}) {
            std::string message;
            try {
                run.simulation.pose(name);
            } catch (const Error& error) {
                message = error.message();
                CHECK(error.kind() == ErrorKind::usage);
            }
            CHECK(message.find(words) != std::string::npos);
        }
    }

    TEST_CASE("a state of a model with other numbers is refused") {
        const std::string end = integrator("emm", 5e-3, 0.5);
        Run here(kFeet + end);
        const auto message = [&](const std::string& from, const std::string& to) {
            std::string text = kFeet + end;
            const std::size_t at = text.find(from);
            REQUIRE(at != std::string::npos);
            Run other(text.replace(at, from.size(), to));
            other.steps(3);
            return refusal(here.simulation, other.simulation.save(), ErrorKind::usage);
        };
        CHECK(message("mass = 2.0", "mass = 2.5")
                  .find("the saved state belongs to another model: it has body.block with the "
                        "values ") != std::string::npos);
        CHECK(message("-9.81", "-9.80").find("it has model.gravity with the values ") !=
              std::string::npos);
        CHECK(message("mu_kinetic = 0.4", "mu_kinetic = 0.3")
                  .find("it has force.rub_front with the values ") != std::string::npos);
        CHECK(message("step = 0.0", "tolerance = 1e-9\nstep = 0.0")
                  .find("it has integrator with the values ") != std::string::npos);
        // When a run ends is no part of its motion.
        Run longer(kFeet + integrator("emm", 5e-3, 0.7));
        here.steps(3);
        longer.simulation.restore(here.simulation.save());
        longer.steps(1);
        here.steps(1);
        CHECK(same_bits(row_of(longer.simulation), row_of(here.simulation)));
        longer.to_end();
        CHECK(refusal(here.simulation, longer.simulation.save(), ErrorKind::file) ==
              "error: the saved state is damaged: steps beyond the end of this run cannot be");
    }
}

TEST_SUITE("applied forces") {
    const std::string kBall =
        "[[body]]\nname = \"ball\"\ntype = \"particle\"\nmass = 2.0\nposition = [1.0, 0.0, 0.0]\n";

    // x = F t^2 / (2 m) up to 1 s, then uniform motion; W = F x, P = F t.
    TEST_CASE("a particle: path, work and impulse") {
        for (const char* type : {"emm", "rk4", "dopri5"}) {
            CAPTURE(type);
            Run run(kBall + integrator(type, 0.01, 2.0));
            run.simulation.apply_force("ball@0", {3.0, -1.0, 0.5});
            while (run.simulation.time() < 1.0 - 1e-9) {
                run.simulation.step();
                if (run.simulation.is_adaptive() && run.simulation.time() >= 1.0) break;
            }
            const double t = run.simulation.time();
            const auto at = run.simulation.point("ball@0");
            CHECK(near(at.position[0], 1.0 + 0.75 * t * t, 1e-13 * (1.0 + t * t)));
            CHECK(near(at.velocity[1], -0.5 * t, 1e-13 * (1.0 + t)));
            CHECK(near(run.column("work.external"), 10.25 * t * t / 4.0, 1e-12 * (1.0 + t * t)));
            CHECK(near(run.column("momentum.balance.x"), 0.0, 1e-13));
            run.simulation.apply_force("ball@0", {0.0, 0.0, 0.0});
            if (run.simulation.done()) continue;
            run.to_end();
            CHECK(near(run.simulation.point("ball@0").velocity[0], 1.5 * t, 1e-13));
            CHECK(run.simulation.statistics().energy.max_rel <= 1e-13);
        }
    }

    // The spring of an embedding program at a point off the centre: P' = F, L' = r x F, and the
    // balances count what it gave.
    TEST_CASE("a box: momentum and angular momentum of a force on a point") {
        for (const char* type : {"emm", "rk4"}) {
            CAPTURE(type);
            Run run(
                "[[body]]\nname = \"box\"\ntype = \"ancf_rigid_body\"\nsize = [1.0, 0.5, 0.2]\n"
                "density = 500.0\nangular_velocity = [1.0, 2.0, 3.0]\n" +
                integrator(type, 1e-3, 1.0));
            for (int k = 0; !run.simulation.done(); ++k) {
                const auto at = run.simulation.point("box@[0.5, 0.2, 0]").position;
                run.simulation.apply_force("box@[0.5, 0.2, 0]",
                                           {-40.0 * at[0], -40.0 * at[1], -40.0 * at[2] + k % 3});
                run.simulation.step();
            }
            CHECK(std::abs(run.column("work.external")) > 1.0);
            const RunStatistics worst = run.simulation.statistics();
            const double tolerance = type == std::string("emm") ? 1e-14 : 1e-9;
            CHECK(worst.energy.max_rel <= tolerance);
            CHECK(worst.momentum.max_rel <= tolerance);
            CHECK(worst.angular_momentum.max_rel <= tolerance);
        }
    }

    // Below mu m g = 7.848 N a block stays; above it goes with (F - mu m g) / m.
    TEST_CASE("a block at rest on a rough floor") {
        for (const char* type : {"emm", "rk4", "dopri5"}) {
            CAPTURE(type);
            Run run(
                "[model]\ngravity = [0.0, 0.0, -9.81]\n[[body]]\nname = \"block\"\n"
                "type = \"particle\"\nmass = 2.0\n[[constraint]]\nname = \"floor\"\n"
                "type = \"point_on_plane\"\npoint = \"block@0\"\nnormal = [0.0, 0.0, 1.0]\n"
                "[[force]]\nname = \"rub\"\ntype = \"coulomb_friction\"\non = \"floor\"\n"
                "mu_kinetic = 0.4\n" +
                integrator(type, 0.01, 1.0));
            run.simulation.apply_force("block@0", {7.8, 0.0, 0.0});
            run.steps(1);
            CHECK(run.simulation.point("block@0").position[0] == 0.0);
            CHECK(run.simulation.events().empty());
            if (run.simulation.done()) continue;  // dopri5 needs but one step for that
            const double t = run.simulation.time();
            run.simulation.apply_force("block@0", {9.848, 0.0, 0.0});
            run.to_end();
            const double rest = 1.0 - t;
            CHECK(near(run.simulation.point("block@0").position[0], 0.5 * rest * rest, 1e-12));
            REQUIRE(run.simulation.events().size() == 1);
            CHECK(near(run.simulation.events()[0].t, t, 1e-12));
        }
    }

    // dL/dt = T whatever the axes do, in the very step; the power is T . w.
    TEST_CASE("a torque on a body turns it as it should") {
        for (const char* body : {"ancf_rigid_body", "quaternion_body"})
            for (const char* type : {"emm", "rk4", "dopri5"}) {
                CAPTURE(body);
                CAPTURE(type);
                const bool is_ancf = body == std::string("ancf_rigid_body");
                const bool is_step = type == std::string("emm");
                if (is_step && !is_ancf) continue;  // it has no discrete formulation
                Run run(
                    fmt::format("[[body]]\nname = \"box\"\ntype = \"{}\"\nmass = 2.0\n"
                                "inertia = [0.3, 0.2, 0.1]\nangular_velocity = [1.0, 2.0, 3.0]\n",
                                body) +
                    integrator(type, 1e-3, 0.5));
                const std::array<double, 3> before{run.column("angular_momentum.x"),
                                                   run.column("angular_momentum.y"),
                                                   run.column("angular_momentum.z")};
                const std::array<double, 3> torque{0.4, -0.3, 1.5};
                run.simulation.apply_torque("box", torque);
                run.to_end();
                const double exact = is_step ? 1e-13 : 1e-6;
                for (std::size_t c = 0; c < 3; ++c) {
                    const std::string name = std::string("angular_momentum.") + "xyz"[c];
                    CHECK(near(run.column(name), before[c] + 0.5 * torque[c], exact));
                    CHECK(near(run.column(std::string("angular_momentum.balance.") + "xyz"[c]),
                               0.0,
                               exact));
                }
                CHECK(near(run.column("momentum.x"), 0.0, exact));
                CHECK(std::abs(run.column("work.external")) > 0.1);
                CHECK(std::abs(run.column("energy.balance")) <= exact);

                run.simulation.apply_torque("box", {0.0, 0.0, 0.0});
                CHECK(near(run.simulation.dynamics().Q[0], 0.0, 1e-9));
            }
    }

    // About a fixed axis: T = J alpha, as exact as constants are.
    TEST_CASE("a wheel under a torque, and its saved state") {
        const std::string text =
            "[[body]]\nname = \"wheel\"\ntype = \"ancf_rigid_body\"\nmass = 2.0\n"
            "inertia = [0.3, 0.2, 0.1]\npenalty = inf\n[[joint]]\nname = \"axle\"\n"
            "type = \"revolute\"\na = \"ground\"\nb = \"wheel\"\npoint = [0, 0, 0]\n"
            "axis = [0, 0, 1]\n" +
            integrator("emm", 1e-3, 1.0);
        Run run(text), other(text);
        run.simulation.apply_torque("wheel", {0.0, 0.0, 0.2});
        run.steps(500);
        CHECK(near(run.column("axle.angle_rate"), 0.5 * 2.0, 1e-6));
        other.simulation.restore(run.simulation.save());
        run.to_end();
        other.to_end();
        CHECK(same_bits(row_of(run.simulation), row_of(other.simulation)));
        CHECK(near(run.column("axle.angle"), 1.0, 1e-6));
        // The joint takes what turns across its axis.
        CHECK(near(other.column("axle.angle_rate"), 2.0, 1e-6));
    }

    TEST_CASE("a torque that cannot be, and what cannot be asked meanwhile") {
        Run run(kBall +
                "[[body]]\nname = \"box\"\ntype = \"ancf_rigid_body\"\nsize = [1.0, 0.5, 0.2]\n"
                "density = 500.0\n" +
                integrator("emm", 0.01, 2.0));
        const auto message = [](auto&& call) -> std::string {
            try {
                call();
            } catch (const Error& error) {
                return error.what();
            }
            return "no error";
        };
        const auto torque = [&](const char* body, double z) {
            return message([&] {
                run.simulation.apply_torque(body, {0.0, 0.0, z});
            });
        };
        CHECK(torque("bx", 1.0).find("did you mean \"box\"?") != std::string::npos);
        CHECK(torque("ball", 1.0).find("a particle has no axes") != std::string::npos);
        CHECK(torque("ground", 1.0).find("does not turn") != std::string::npos);
        CHECK(torque("box@[1, 0, 0]", 1.0).find("write its name alone, \"box\"") !=
              std::string::npos);
        CHECK(torque("box", NAN).find("a component is not finite") != std::string::npos);
        CHECK(torque("box", 1.0) == "no error");
        const auto modes = [&] {
            run.simulation.modes();
        };
        CHECK(message(modes).find("the torque that the program applies on \"box\"") !=
              std::string::npos);
        CHECK(torque("box", 0.0) == "no error");
        CHECK(message(modes).find("torque") == std::string::npos);
    }

    TEST_CASE("what cannot be applied is refused in words") {
        Run run(kBall + integrator("emm", 0.01, 2.0));
        const auto message = [&](const char* at, double f) -> std::string {
            try {
                run.simulation.apply_force(at, {f, 0.0, 0.0});
            } catch (const Error& error) {
                return error.what();
            }
            return "no error";
        };
        CHECK(message("bal@0", 1.0).find("there is no body \"bal\"; did you mean \"ball\"?") !=
              std::string::npos);
        CHECK(message("ball@0", NAN).find("a component is not finite") != std::string::npos);
    }

    TEST_CASE("applied forces are part of a saved state") {
        const std::string text = kBall + integrator("emm", 0.01, 2.0);
        Run one(text), two(text);
        one.simulation.apply_force("ball@0", {3.0, -1.0, 0.5});
        one.steps(10);
        two.simulation.restore(one.simulation.save());
        one.to_end();
        two.to_end();
        CHECK(same_bits(row_of(one.simulation), row_of(two.simulation)));
        CHECK(two.column("momentum.x") > 5.0);
    }
}
