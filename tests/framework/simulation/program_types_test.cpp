// SPDX-License-Identifier: BSD-3-Clause
// Functions of the program as forces and constraints, and its own classes as types.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/lock.hpp"
#include "ancora/sdk/implicit_system.hpp"
#include "framework/models.hpp"

using namespace ancora;
using ancora::testing::near;

namespace {

/// A sink: a uniform field along z, as a class of this program.
class Field final : public NonidealForce {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("at", "where it acts").required(),
        parameter::number("size", "N", "how much").required()};

    explicit Field(const Arguments& arguments) : size_(arguments.number("size")) {}
    std::span<const AttachmentRequest> attachments() const override { return kAttachments; }
    WorkKind work() const override { return WorkKind::external; }
    void facets(ForceFacets& out) const override { out.tied_to_inertial_frame = true; }
    void evaluate(const RowPoint&, std::span<const double>, const ForceValues& out) const override {
        out.f[0] = out.f[1] = 0.0;
        out.f[2] = size_;
    }

private:
    static constexpr AttachmentRequest kAttachments[] = {{"at"}};
    double size_;
};

/// pi = n . (r_a + share r_b) - c with n fixed in space: its force is balanced for share = -1 and
/// points along n, and else against something that it may name or not.
class Guide final : public Constraint {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("a", "one point").required(),
        parameter::point("b", "another").required(),
        parameter::vector("normal", 3, "", "n").required(),
        parameter::number("share", "", "of b").required(),
        parameter::number("offset", "m", "c").required(),
        parameter::text("law", "of the row", "constraint|elastic|velocity").required(),
        parameter::boolean("is_tied", "says so").required()};

    explicit Guide(const Arguments& arguments)
        : is_tied_(arguments.boolean("is_tied")), offset_(arguments.number("offset")) {
        for (std::size_t i = 0; i < 3; ++i) {
            A_[i] = arguments.numbers("normal")[i];
            A_[3 + i] = arguments.number("share") * A_[i];
        }
        const std::string_view law = arguments.text("law");
        if (law == "elastic") law_ = {.kind = RowKind::elastic, .compliance = 0.02};
        if (law == "velocity") law_ = {.kind = RowKind::velocity_constraint};
        block_ = {.name = "guide",
                  .num_items = 1,
                  .rows_per_item = 1,
                  .scalars_per_item = 6,
                  .stencil = kStencil,
                  .laws = {&law_, 1},
                  .degree = Degree::linear,
                  .tangent = TangentForm::none};
    }
    Guide(const Guide&) = delete;
    Guide& operator=(const Guide&) = delete;

    std::span<const AttachmentRequest> attachments() const override { return kAttachments; }
    std::span<const RowBlock> row_blocks() const override { return {&block_, 1}; }
    void facets(ConstraintFacets& out) const override { out.tied_to_inertial_frame = is_tied_; }
    void evaluate(int, const RowPoint& at, const RowValues& out) const override {
        if (!out.A.empty()) std::ranges::copy(A_, out.A.begin());
        for (const std::span<double> zero : {out.pi, out.pi_t, out.b}) std::ranges::fill(zero, 0.0);
        if (out.pi.empty() || law_.kind == RowKind::velocity_constraint) return;
        out.pi[0] = -offset_;
        for (std::size_t i = 0; i < 6; ++i) out.pi[0] += A_[i] * at.u[i];
    }

private:
    static constexpr AttachmentRequest kAttachments[] = {{"a"}, {"b"}};
    static constexpr std::int32_t kStencil[] = {0, 1, 2, 3, 4, 5};
    bool is_tied_;
    double offset_;
    std::array<double, 6> A_{};
    RowLaw law_;
    RowBlock block_;
};

/// An integrator that hands over a vector which is too short, or too long, by one entry.
class WrongSpans final : public Integrator {
public:
    static constexpr Parameter kParameters[] = {
        parameter::integer("call", "which call is wrong").required(),
        parameter::integer("off", "entries too many").required()};
    explicit WrongSpans(const Arguments& arguments)
        : call_(static_cast<int>(arguments.integer("call"))),
          off_(static_cast<int>(arguments.integer("off"))) {}
    IntegratorTraits traits() const override {
        IntegratorTraits traits;
        traits.face = Face::continuous;
        traits.projects = false;
        return traits;
    }
    void prepare(const System&, const StepSettings&) override {}
    void step(System& system, double t0, double h) override {
        ContinuousSystem& model = *system.continuous();
        ImplicitSystem& implicit = *system.implicit();
        int number = 0;
        const auto room = [&](int size) {
            return std::vector<double>(
                static_cast<std::size_t>(size + (number++ == call_ ? off_ : 0)), 0.0);
        };
        const int n = system.num_coordinates(), m = implicit.num_conditions();
        const int all = model.size().num_states;
        std::vector<double> x = room(all), dx = room(all);
        model.read_state(x);
        model.derivative(t0, x, dx);
        std::vector<double> g = room(system.num_events()), error = room(all);
        model.evaluate_events(t0, x, g);
        model.constraint_error(t0, x, error);
        std::vector<double> a = room(n), lambda = room(m);
        implicit.accelerations(t0, system.q(), system.v(), a, lambda);
        const std::vector<double> q = room(n), v = room(n), multipliers = room(m);
        implicit.evaluate({t0, q, v, multipliers});
        implicit.differentiate(room(n));
        std::vector<double> y = room(m), w = room(all - 2 * n), r = room(n);
        implicit.factorise(Augmented::dynamics, {});
        implicit.solve(Augmented::dynamics, r, y, a, lambda);
        implicit.quadrature_rates(w);
        model.accept_state(t0, t0 + h, room(all));
    }

private:
    int call_, off_;
};

constexpr TypeDescriptor kTypes[] = {
    type<WrongSpans>("spans_of_test",
                     {.doc = "wrong sizes", .equation = "none", .source = "this test"},
                     WrongSpans::kParameters),
    type<Guide>("guide_of_test",
                {.doc = "a guide", .equation = "n . (r_a + s r_b) = c", .source = "this test"},
                Guide::kParameters),
    type<Field>("field_of_test",
                {.doc = "a force along z", .equation = "f = size e_z", .source = "this test"},
                Field::kParameters)};

}  // namespace

ANCORA_PLUGIN("program_types_test", "1.0.0", kTypes)

namespace {

const std::string kBall =
    "[[body]]\nname = \"ball\"\ntype = \"particle\"\nmass = 2.0\nposition = [1.0, 0.0, 0.0]\n";

std::string integrator(const std::string& type, double step, double end) {
    return fmt::format("[integrator]\ntype = \"{}\"\nstep = {}\nend = {}\n", type, step, end);
}

std::string object(const char* kind, const char* type, const char* at) {
    return fmt::format("[[{}]]\nname = \"it\"\ntype = \"{}\"\nat = {}\n", kind, type, at);
}

/// A registry with types of this program, and a simulation of it.
struct Program {
    Simulation& run(const std::string& text) {
        simulation = std::make_unique<Simulation>(testing::manifest(text), plugins.registry);
        while (!simulation->done()) simulation->step();
        return *simulation;
    }
    std::string failure(const std::string& text) {
        try {
            run(text);
        } catch (const Error& error) {
            kind = error.kind();
            return error.what();
        }
        return "no error";
    }

    testing::Plugins plugins;
    PluginRegistry& registry = plugins.registry;
    std::unique_ptr<Simulation> simulation;
    ErrorKind kind = ErrorKind::internal;
};

/// f = -k r - c v on each point.
ForceFunction pull(double k, double c) {
    return {"pull",
            [k, c](const FunctionPoint& at, std::span<double> force) {
                for (std::size_t i = 0; i < force.size(); ++i)
                    force[i] = -k * at.position[i] - c * at.velocity[i];
            },
            ""};
}

double column(const Simulation& simulation, const std::string& name) {
    return simulation.value(name);
}

}  // namespace

TEST_SUITE("functions of the program as forces") {
    // x = cos(w t): the step's mean force at the midpoint gives just the potential's difference.
    TEST_CASE("an oscillator under every integrator: path, work, balance") {
        constexpr double k = 40.0, m = 2.0;
        const double w = std::sqrt(k / m);
        for (const auto& [type, tolerance] : {std::pair{"emm", 5e-4},
                                              std::pair{"rk4", 1e-8},
                                              std::pair{"dopri5", 1e-6},
                                              std::pair{"generalized_alpha", 1e-3}}) {
            CAPTURE(type);
            Program program;
            program.registry.add(pull(k, 0.0));
            Simulation& it = program.run(kBall + object("force", "pull", "\"ball@0\"") +
                                         integrator(type, 1e-3, 1.0));
            const double x = it.point("ball@0").position[0];
            CHECK(near(x, std::cos(w), tolerance));
            const bool is_exact = type == std::string("emm");
            CHECK(near(
                column(it, "work.external"), 0.5 * k * (1.0 - x * x), is_exact ? 1e-12 : 1e-3));
            CHECK(std::abs(column(it, "work.external")) > 1.0);
            CHECK(std::abs(column(it, "energy.balance")) <= (is_exact ? 1e-13 : 4e-4));  // of 20 J
            CHECK(near(column(it, "it.force.x"), -k * x, is_exact ? 0.2 : 1e-9));
            // The impulse counts: nobody else moves the ball.
            CHECK(std::abs(column(it, "momentum.balance.x")) <= (is_exact ? 1e-13 : 1e-4));
        }
    }

    TEST_CASE("it is what a shipped type with the same law is") {
        const std::string box =
            "[[body]]\nname = \"box\"\ntype = \"ancf_rigid_body\"\nsize = [1.0, 0.5, 0.2]\n"
            "density = 50.0\nangular_velocity = [1.0, 2.0, 3.0]\n";
        for (const char* type : {"emm", "rk4", "dopri5"}) {
            CAPTURE(type);
            const std::string end = integrator(type, 1e-3, 0.5);
            Program program;
            program.registry.add(pull(40.0, 2.0));
            const Simulation& own =
                program.run(box + object("force", "pull", "\"box@[0.5, 0.2, 0]\"") + end);
            Program other;
            const Simulation& shipped = other.run(
                box +
                "[[force]]\nname = \"it\"\ntype = \"point_load\"\nat = \"box@[0.5, 0.2, 0]\"\n"
                "force = [\"-40*x - 2*vx\", \"-40*y - 2*vy\", \"-40*z - 2*vz\"]\n" +
                end);
            for (std::size_t i = 0; i < own.q().size(); ++i)
                CHECK(near(own.q()[i], shipped.q()[i], 1e-12));
            CHECK(near(column(own, "work.external"), column(shipped, "work.external"), 1e-10));
        }
    }

    // k h^2 / 4 m = 1/8 and 125: without its answer an iteration would take long, or never meet.
    TEST_CASE("one that is stiff takes few iterations") {
        for (const auto& [k, most] : {std::pair{1e6, 3}, std::pair{1e9, 10}}) {
            CAPTURE(k);
            Program program;
            program.registry.add(pull(k, 0.0));
            const Simulation& it = program.run(
                "[[body]]\nname = \"ball\"\ntype = \"particle\"\nmass = 2.0\n"
                "position = [1e-3, 0, 0]\n" +
                object("force", "pull", "\"ball@0\"") + integrator("emm", 1e-3, 0.1));
            const RunStatistics statistics = it.statistics();
            CHECK(statistics.iterations <= most * statistics.steps);
            CHECK(statistics.energy.max_rel <= 1e-12);
        }
    }

    TEST_CASE("between two bodies: momenta stay, its work stands under its heading") {
        Program program;
        program.registry.add({"rope",
                              [](const FunctionPoint& at, std::span<double> force) {
                                  for (std::size_t c = 0; c < 3; ++c) {
                                      const double f =
                                          30.0 * (at.position[3 + c] - at.position[c]) +
                                          0.4 * (at.velocity[3 + c] - at.velocity[c]);
                                      force[c] = f;
                                      force[3 + c] = -f;
                                  }
                              },
                              ""});
        Simulation& it = program.run(
            kBall +
            "[[body]]\nname = \"other\"\ntype = \"particle\"\nmass = 1.0\nvelocity = [0, 1, 0]\n" +
            object("force", "rope", "[\"ball@0\", \"other@0\"]\nwork = \"nonideal\"") +
            integrator("emm", 1e-2, 1.0));
        CHECK(near(column(it, "momentum.y"), 1.0, 1e-14));
        CHECK(column(it, "work.nonideal") != 0.0);
        CHECK(column(it, "work.external") == 0.0);
        CHECK(std::abs(column(it, "energy.balance")) <= 1e-13);
    }

    TEST_CASE("modes know its derivative") {
        Program program;
        program.registry.add(pull(50.0, 0.0));
        Simulation it(testing::manifest(kBall + object("force", "pull", "\"ball@0\"") +
                                        integrator("emm", 1e-2, 1.0)),
                      program.registry);
        it.find_equilibrium();
        CHECK(near(it.point("ball@0").position[0], 0.0, 1e-9));
        const Modes modes = it.modes();
        REQUIRE(modes.modes.size() == 3);
        for (const Mode& mode : modes.modes)
            CHECK(near(mode.frequency, 5.0 / (2.0 * std::numbers::pi), 1e-7));
    }

    TEST_CASE("a saved state goes on with the same bits") {
        const std::string text =
            kBall + object("force", "pull", "\"ball@0\"") + integrator("emm", 1e-2, 1.0);
        Program one, two;
        one.registry.add(pull(40.0, 0.3));
        two.registry.add(pull(40.0, 0.3));
        Simulation a(testing::manifest(text), one.registry);
        for (int i = 0; i < 30; ++i) a.step();
        Simulation b(testing::manifest(text), two.registry);
        b.restore(a.save());
        while (!a.done()) {
            a.step();
            b.step();
        }
        CHECK(std::ranges::equal(a.q(), b.q()));
    }

    TEST_CASE("what fails in it is told, and the state stays") {
        Program program;
        bool fails = false, is_nan = false;
        program.registry.add({"moody",
                              [&](const FunctionPoint& at, std::span<double> force) {
                                  if (at.t < 0.5) return;
                                  if (fails) throw std::runtime_error("out of order");
                                  if (is_nan) force[2] = std::nan("");
                              },
                              ""});
        const std::string text =
            kBall + object("force", "moody", "\"ball@0\"") + integrator("emm", 0.1, 1.0);
        fails = true;
        std::string said = program.failure(text);
        CHECK(program.kind == ErrorKind::plugin);
        CHECK_MESSAGE(said.find("force \"it\"") != std::string::npos, said);
        CHECK_MESSAGE(said.find("out of order") != std::string::npos, said);
        CHECK(near(program.simulation->time(), 0.5, 1e-12));
        fails = false;
        is_nan = true;
        said = program.failure(text);
        CHECK_MESSAGE(said.find("component z") != std::string::npos, said);
        is_nan = false;
        CHECK(program.failure(text) == "no error");
    }

    TEST_CASE("what makes no sense is refused in words") {
        Program program;
        const auto refusal = [&](auto&& what) -> std::string {
            try {
                program.registry.add(what);
            } catch (const Error& error) {
                return error.what();
            }
            return "no error";
        };
        CHECK(refusal(ForceFunction{"none", {}, ""}).find("there is no function") !=
              std::string::npos);
        ForceFunction named = pull(1.0, 0.0);
        named.type = "not a name";
        CHECK(refusal(named).find("\"not a name\"") != std::string::npos);
        CHECK(refusal(pull(1.0, 0.0)) == "no error");
        CHECK(refusal(pull(1.0, 0.0)).find("has the name of a plugin that is in use") !=
              std::string::npos);
        CHECK(refusal(ConstraintFunction{"flat", 0, false, [](double, auto, auto) {}, ""})
                  .find("0 rows") != std::string::npos);
        CHECK(
            program
                .failure(kBall + object("force", "pul", "\"ball@0\"") + integrator("emm", 0.1, 1.0))
                .find("did you mean \"pull\"") != std::string::npos);
        CHECK(program.failure(kBall + object("force", "pull", "[]") + integrator("emm", 0.1, 1.0))
                  .find("names no point") != std::string::npos);
        CHECK(
            program
                .failure(kBall + object("force", "pull", "\"bal@0\"") + integrator("emm", 0.1, 1.0))
                .find("did you mean \"ball\"") != std::string::npos);
    }

    TEST_CASE("a lock cannot hold it") {
        Program program;
        program.registry.add(pull(1.0, 0.0));
        const std::string text =
            kBall + object("force", "pull", "\"ball@0\"") + integrator("emm", 0.1, 1.0);
        const Simulation& it = program.run(text);
        std::string said;
        try {
            static_cast<void>(Lock::of(it));
        } catch (const Error& error) {
            said = error.what();
        }
        CHECK_MESSAGE(said.find("a lock cannot hold it") != std::string::npos, said);
    }
}

TEST_SUITE("functions of the program as constraints") {
    ConstraintFunction on_sphere() {
        return {"on_sphere",
                1,
                false,
                [](double, std::span<const double> r, std::span<double> phi) {
                    phi[0] = r[0] * r[0] + r[1] * r[1] + r[2] * r[2] - 1.0;
                },
                ""};
    }

    TEST_CASE("a spherical pendulum is that of the type distance") {
        const std::string ball =
            "[model]\ngravity = [0.0, 0.0, -9.81]\n[[body]]\nname = \"ball\"\ntype = \"particle\"\n"
            "mass = 2.0\nposition = [1.0, 0.0, 0.0]\nvelocity = [0.0, 2.0, 0.0]\n";
        for (const auto& [type, tolerance] :
             {std::pair{"emm", 1e-9}, std::pair{"rk4", 1e-7}, std::pair{"dopri5", 1e-6}}) {
            CAPTURE(type);
            const std::string end = integrator(type, 1e-3, 1.0);
            Program program;
            program.registry.add(on_sphere());
            Simulation& own =
                program.run(ball + object("constraint", "on_sphere", "\"ball@0\"") + end);
            Program other;
            Simulation& shipped = other.run(
                ball +
                "[[constraint]]\nname = \"it\"\ntype = \"distance\"\na = \"ground@[0, 0, 0]\"\n"
                "b = \"ball@0\"\n" +
                end);
            for (std::size_t i = 0; i < 3; ++i) {
                CHECK(near(own.q()[i], shipped.q()[i], tolerance));
                CHECK(near(own.v()[i], shipped.v()[i], 10.0 * tolerance));
                // on its first attachment, which is the other's second
                CHECK(near(own.reaction("it")[i], -shipped.reaction("it")[i], 1e-4));
            }
            if (type != std::string("emm")) continue;
            CHECK(std::abs(column(own, "constraint.position")) <= 1e-13);
            CHECK(own.statistics().energy.max_rel <= 1e-13);
            // its axis
            CHECK(near(column(own, "angular_momentum.z"), 4.0, 1e-9));
        }
    }

    // Work through prescribed motion is external: m v^2 / 2 and m g z.
    TEST_CASE("one over time moves what it holds") {
        for (const char* type : {"emm", "rk4"}) {
            CAPTURE(type);
            Program program;
            program.registry.add(
                ConstraintFunction{"lift",
                                   2,
                                   true,
                                   [](double t, std::span<const double> r, std::span<double> phi) {
                                       phi[0] = r[2] - 0.5 * t * t * t;
                                       phi[1] = r[0] - 1.0;
                                   },
                                   ""});
            Simulation& it = program.run("[model]\ngravity = [0.0, 0.0, -10.0]\n" + kBall +
                                         object("constraint", "lift", "\"ball@0\"") +
                                         integrator(type, 1e-3, 1.0));
            const bool is_exact = type == std::string("emm");
            CHECK(near(it.point("ball@0").position[2], 0.5, 1e-12));
            CHECK(near(it.point("ball@0").velocity[2], 1.5, is_exact ? 1e-5 : 1e-9));
            CHECK(near(column(it, "work.external"), 2.0 * 10.0 * 0.5 + 1.5 * 1.5, 1e-4));
            CHECK(std::abs(column(it, "energy.balance")) <= (is_exact ? 1e-12 : 1e-6));
        }
    }
}

TEST_SUITE("classes of the program as types") {
    TEST_CASE("they need no library") {
        Program program;
        const Plugin& plugin = program.registry.add(ancora_plugin_descriptor);
        CHECK(plugin.name == "program_types_test");
        CHECK(plugin.file == "this program");
        Simulation& it = program.run(kBall +
                                     "[[force]]\nname = \"it\"\ntype = \"field_of_test\"\n"
                                     "at = \"ball@0\"\nsize = 4.0\n" +
                                     integrator("emm", 0.1, 1.0));
        CHECK(near(it.point("ball@0").position[2], 1.0, 1e-14));
        CHECK(near(column(it, "work.external"), 4.0, 1e-13));

        PluginDescriptor old = ancora_plugin_descriptor;
        old.sdk_version -= 1;
        std::string said;
        try {
            program.registry.add(old);
        } catch (const Error& error) {
            said = error.what();
        }
        CHECK_MESSAGE(said.find("was built for SDK") != std::string::npos, said);
    }

    // Said at the start if and only if the balances of the run show it.
    TEST_CASE("a constraint whose force nothing takes is named, with what to say") {
        const auto text = [](const std::array<double, 3>& n) {
            return fmt::format("[{}, {}, {}]", n[0], n[1], n[2]);
        };
        const std::array<double, 3> a = {1.0, 0.2, -0.3}, b = {0.4, 0.5, 0.3};
        const std::array<double, 3> along = {0.6, -0.3, -0.6}, across = {0.3, 0.6, 0.4};
        int num_said = 0;
        for (const char* law : {"constraint", "elastic", "velocity"})
            for (const char* integrator_type : {"emm", "rk4"})
                for (const auto& [n, share] : {std::pair{along, -1.0},
                                               std::pair{across, -1.0},
                                               std::pair{along, -0.7},
                                               std::pair{along, 0.0},
                                               std::pair{across, 2.0}})
                    for (const auto& [on, is_tied] : {std::pair{"p2@0", false},
                                                      std::pair{"p2@0", true},
                                                      std::pair{"ground@[0.4, 0.5, 0.3]", false}}) {
                        CAPTURE(std::string(law));
                        CAPTURE(std::string(integrator_type));
                        CAPTURE(text(n));
                        CAPTURE(share);
                        CAPTURE(std::string(on));
                        CAPTURE(is_tied);
                        Program program;
                        program.registry.add(ancora_plugin_descriptor);
                        double offset = 0.0;
                        for (std::size_t i = 0; i < 3; ++i) offset += n[i] * (a[i] + share * b[i]);
                        std::vector<std::string> said;
                        Simulation simulation(
                            testing::manifest(fmt::format(
                                "[model]\ngravity = [0.5, 1.0, -9.81]\n"
                                "[[body]]\nname = \"p1\"\ntype = \"particle\"\nmass = 2.0\n"
                                "position = {}\n"
                                "[[body]]\nname = \"p2\"\ntype = \"particle\"\nmass = 1.0\n"
                                "position = {}\n"
                                "[[force]]\nname = \"apart\"\ntype = \"field_of_test\"\n"
                                "at = \"p1@0\"\nsize = {}\n"
                                "[[constraint]]\nname = \"it\"\ntype = \"guide_of_test\"\n"
                                "a = \"p1@0\"\nb = \"{}\"\nnormal = {}\nshare = {}\n"
                                "offset = {:.17g}\nlaw = \"{}\"\nis_tied = {}\n{}",
                                text(a),
                                text(b),
                                // so that what is along n stays so
                                n == along && share == -1.0 ? 0.0 : 4.0,
                                on,
                                text(n),
                                share,
                                offset,
                                law,
                                is_tied,
                                integrator(integrator_type, 0.01, 0.05))),
                            program.registry,
                            [&](const std::string& message) {
                                if (message.find("momentum cannot balance") != std::string::npos)
                                    said.push_back(message);
                            });
                        while (!simulation.done()) simulation.step();
                        const RunStatistics& found = simulation.statistics();
                        const bool is_open =
                            std::max(found.momentum.max_rel, found.angular_momentum.max_rel) > 1e-6;
                        CHECK(said.size() == (is_open ? 1U : 0U));
                        if (said.empty()) continue;
                        ++num_said;
                        CHECK(said[0].find("constraint \"it\"") != std::string::npos);
                        CHECK(said[0].find("tied_to_inertial_frame") != std::string::npos);
                    }
        CHECK(num_said == 24);
    }

    TEST_CASE("vectors of another size than the model's are refused, by name and call") {
        const auto failure = [](int call, int off) {
            Program program;
            program.registry.add(ancora_plugin_descriptor);
            const std::string said = program.failure(fmt::format(
                "{}[[constraint]]\nname = \"it\"\ntype = \"distance\"\na = \"ball@0\"\n"
                "b = \"ground@[0, 0, 0]\"\nlength = 1.0\n[integrator.spans_of_test]\ncall = {}\n"
                "off = {}\n{}",
                kBall,
                call,
                off,
                integrator("spans_of_test", 0.01, 0.01)));
            return std::pair{program.kind, said};
        };
        constexpr int kVectors = 14;
        CHECK(failure(kVectors, 1).second == "no error");
        for (int call = 0; call < kVectors; ++call)
            for (const int off : {-1, 1}) {
                if (call == 2 && off < 0) continue;  // there are no events
                CAPTURE(call);
                CAPTURE(off);
                const auto [kind, said] = failure(call, off);
                CHECK(kind == ErrorKind::plugin);
                CHECK_MESSAGE(said.find("spans_of_test") != std::string::npos, said);
                CHECK_MESSAGE(said.find(" entries of ") != std::string::npos, said);
            }
    }
}
