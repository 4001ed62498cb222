// SPDX-License-Identifier: BSD-3-Clause
// Counts heap allocations inside steps: none in a step that keeps its factorisation, and in one
// that renews it a number that does not grow with the system.
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <execinfo.h>
#include <fmt/format.h>

#include "framework/models.hpp"

// The sanitizers bring a malloc of their own, beside which ours cannot be.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kCounts = false;
#else
constexpr bool kCounts = true;
#endif

namespace {

/// Allocations of the whole process while counting is on, and where the first of them was made.
struct Counter {
    std::atomic<bool> is_on{false};
    std::atomic<long> allocations{0};
    void* trace[24] = {};
    int depth = 0;

    void note() {
        if (!is_on.load(std::memory_order_relaxed)) return;
        if (allocations.fetch_add(1) > 0) return;
        is_on = false;  // whatever backtrace() does is not counted
        depth = ::backtrace(trace, 24);
        is_on = true;
    }
    void begin() {
        allocations = 0;
        depth = 0;
        is_on = true;
    }
    long end() {
        is_on = false;
        return allocations;
    }
    /// Where the first allocation was made, for `addr2line -e FILE OFFSET`.
    std::string where() const {
        std::string text;
        char** symbols = ::backtrace_symbols(trace, depth);
        for (int k = 2; k < depth; ++k) text += fmt::format("\n    {}", symbols[k]);
        std::free(symbols);
        return text;
    }
};
Counter counter;

}  // namespace

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// Plugins and libraries call these too: the program's symbols come first in the search.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* memory);

[[gnu::visibility("default")]] void* malloc(std::size_t size) {
    counter.note();
    return __libc_malloc(size);
}
[[gnu::visibility("default")]] void* calloc(std::size_t count, std::size_t size) {
    counter.note();
    return __libc_calloc(count, size);
}
[[gnu::visibility("default")]] void* realloc(void* old, std::size_t size) {
    counter.note();
    return __libc_realloc(old, size);
}
[[gnu::visibility("default")]] void* aligned_alloc(std::size_t alignment, std::size_t size) {
    counter.note();
    return __libc_memalign(alignment, size);
}
[[gnu::visibility("default")]] void* memalign(std::size_t alignment, std::size_t size) {
    counter.note();
    return __libc_memalign(alignment, size);
}
[[gnu::visibility("default")]] int posix_memalign(void** out,
                                                  std::size_t alignment,
                                                  std::size_t size) {
    counter.note();
    *out = __libc_memalign(alignment, size);
    return *out == nullptr ? ENOMEM : 0;
}
[[gnu::visibility("default")]] void free(void* memory) {
    __libc_free(memory);
}
}
#endif

using namespace ancora;
using ancora::testing::Run;

namespace {

/// What the steps of a run allocated.
struct Census {
    long kept = 0;               ///< steps that kept their factorisation
    long worst_kept = 0;         ///< most allocations in one of them
    long renewals = 0;           ///< factorisations, all in all
    double worst_renewal = 0.0;  ///< most allocations per factorisation in one step
    std::string where;           ///< of the first allocation in a step that kept it
};

Census census(const Manifest& manifest) {
    Run run(manifest);
    Census out;
    while (!run.simulation.done()) {
        const long before = run.simulation.statistics().factorisations;
        counter.begin();
        run.simulation.step();
        const long allocations = counter.end();
        const long renewed = run.simulation.statistics().factorisations - before;
        out.renewals += renewed;
        if (renewed > 0) {
            out.worst_renewal =
                std::max(out.worst_renewal, static_cast<double>(allocations) / double(renewed));
            continue;
        }
        ++out.kept;
        if (allocations > out.worst_kept) out.where = counter.where();
        out.worst_kept = std::max(out.worst_kept, allocations);
    }
    return out;
}

Manifest with_integrator(double h, int steps, const char* type = "emm") {
    Manifest out;
    out.integrator.type = type;
    out.integrator.step = h;
    out.integrator.end = h * steps;
    return out;
}

/// Boxes hung in a row from the ground, released from horizontal.
Manifest chain(int num_bodies, double h, int steps, const char* type = "emm") {
    Manifest out = with_integrator(h, steps, type);
    out.model.gravity = {0.0, 0.0, -9.81};
    for (int k = 0; k < num_bodies; ++k) {
        out.add_body(fmt::format("b{}", k), "ancf_rigid_body")
            .set("size", {1.0, 0.2, 0.1})
            .set("density", 1000.0)
            .set("position", {1.0 * k, 0.0, 0.0});
        out.add_constraint(fmt::format("j{}", k), "position")
            .set("a", k == 0 ? "ground@[-0.5, 0, 0]" : fmt::format("b{}@[0.5, 0, 0]", k - 1))
            .set("b", fmt::format("b{}@[-0.5, 0, 0]", k));
    }
    return out;
}

/// A square net of n x n nodes that spins about its normal.
Manifest net(int n, double h, int steps, const char* type = "emm") {
    Manifest out = with_integrator(h, steps, type);
    Table grid;
    grid.set("counts", {double(n), double(n)}).set("spacing", {0.1, 0.1});
    grid.set("origin", {-0.05 * (n - 1), -0.05 * (n - 1), 0.0});
    Table spin;
    spin.set("axis", {0.0, 0.0, 1.0}).set("rate", 1.0);
    out.add_body("net", "truss")
        .set("grid", grid)
        .set("young", 1e8)
        .set("area", 1e-5)
        .set("density", 1000.0)
        .set("mass", "lumped")
        .set("spin", spin)
        .set("rest_length", "spin");
    return out;
}

/// A film that spins; one that may wrinkle is stretched at first.
Manifest film(double n, bool tension_only) {
    Manifest out = with_integrator(1e-3, 200);
    Table grid;
    grid.set("counts", {n, n}).set("spacing", {0.1, 0.1});
    Table spin;
    spin.set("axis", {0.2, 0.0, 1.0}).set("rate", 0.5);
    out.add_body("film", "membrane")
        .set("grid", grid)
        .set("young", 1e5)
        .set("poisson", 0.3)
        .set("thickness", 1e-3)
        .set("density", 1000.0)
        .set("tension_only", tension_only)
        .set("prestress", tension_only ? 2000.0 : 0.0)
        .set("spin", spin);
    return out;
}

Manifest box(const char* penalty) {
    Manifest out = with_integrator(1e-3, 400);
    out.add_body("box", "ancf_rigid_body")
        .set("size", {3.0, 2.0, 1.0})
        .set("density", 2700.0)
        .set("penalty", parse_value(penalty))
        .set("angular_velocity", {0.3, 0.5, 0.8});
    return out;
}

void check_kept(const Manifest& manifest) {
    const Census found = census(manifest);
    CHECK(found.kept > 0);
    CHECK_MESSAGE(found.worst_kept == 0, found.where);
}

}  // namespace

TEST_SUITE("allocations" * doctest::skip(!kCounts)) {
    TEST_CASE("the count sees the kernel's and the plugins' allocations") {
        counter.begin();
        Run run(box("inf"));
        CHECK(counter.end() > 100);

        Manifest bad = box("inf");
        bad.add_force("f", "allocating_force").set("at", "box@[0, 0, 0]");
        const Census found = census(bad);
        CHECK(found.kept > 0);
        CHECK(found.worst_kept >= 2);  // once in every evaluation
    }

    TEST_CASE("no step that keeps its factorisation allocates: boxes, chains, nets") {
        for (const char* penalty : {"inf", "1e9", "1e6"}) {
            CAPTURE(penalty);
            check_kept(box(penalty));
        }
        for (const int num_bodies : {3, 30, 300}) {
            CAPTURE(num_bodies);
            check_kept(chain(num_bodies, 1e-3, num_bodies > 100 ? 60 : 300));
        }
        for (const int n : {10, 40}) {
            CAPTURE(n);
            check_kept(net(n, 1e-3, 100));
        }
    }

    TEST_CASE("nor does one of rows that have a law together, taut, wrinkled or slack") {
        for (const bool tension_only : {false, true})
            for (const double n : {3.0, 12.0}) {
                CAPTURE(tension_only);
                CAPTURE(n);
                check_kept(film(n, tension_only));
            }
    }

    // Loads, drag, damped and driven rows, a nonholonomic row, redundant rows, massless coordinates
    // and kernel-owned state go through the same steps.
    TEST_CASE("nor does one with any other kind of row, force or state") {
        check_kept(testing::manifest(R"(
[model]
gravity = [0.0, 0.0, -9.81]
[[body]]
name = "plate"
type = "ancf_rigid_body"
mass = 2.0
inertia = [1.0, 0.5, 1.5]
angular_velocity = [0.0, 0.0, 0.2]
[[body]]
name = "m"
type = "test_mass"
mass = 1.0
position = [0.0, 2.0, 0.0]
[[constraint]]
name = "edge"
type = "test_knife_edge"
point = "plate@[0, 0, 0]"
normal = "plate@[0, 1, 0]"
[[constraint]]
name = "spring"
type = "test_spring"
geometry = "square"
law = "elastic"
viscosity = 0.1
length = 2.0
a = "plate@[0, 0, 0]"
b = "m@0"
[[constraint]]
name = "drive"
type = "test_spring"
axis = [0, 0, 1]
amplitude = 0.1
a = "m@0"
b = "ground@[0, 0, 0]"
[[constraint]]
name = "drive_again"
type = "test_spring"
axis = [0, 0, 1]
amplitude = 0.1
a = "m@0"
b = "ground@[0, 0, 0]"
[[force]]
name = "drag"
type = "test_drag"
at = "m@0"
c = 0.1
[[force]]
name = "load"
type = "test_load"
at = "plate@[1, 0, 0]"
force = [0.0, 0.1, 0.0]
[[force]]
name = "wear"
type = "test_wear"
at = "m@0"
gain = 0.01
[integrator]
type = "emm"
step = 1e-3
end = 0.3
)"));
    }

    // Continuous and discrete states of objects, inputs of all kinds, times and crossings that end
    // steps, rows that read own values.
    TEST_CASE("nor does one with motors, sensors, controllers and springs that change") {
        for (const char* type : {"emm", "rk4"}) {
            CAPTURE(type);
            check_kept(testing::manifest(fmt::format(R"MODEL(
[[body]]
name = "rotor"
type = "ancf_rigid_body"
mass = 1.0
inertia = [0.02, 0.03, 0.04]
penalty = inf
[[constraint]]
name = "shaft"
type = "revolute"
a = "ground"
b = "rotor"
point = [0, 0, 0]
axis = [0, 0, 1]
[[constraint]]
name = "spring"
type = "variable_spring"
on = "shaft.angle"
stiffness = "2 + switch.value + 0.3*sin(40*t)"
free = "0.1*encoder.value"
damping = 0.1
[[force]]
name = "encoder"
type = "sensor"
input = "shaft.angle"
bandwidth = 30.0
[[force]]
name = "switch"
type = "relay"
input = "shaft.angle_rate"
on_at = 0.05
off_at = -0.05
[[force]]
name = "pid"
type = "sampled_pid"
reference = "0.5*sin(30*t)"
measured = "encoder.value"
period = 0.0037
kp = 3.0
kd = 0.1
filter = 0.01
[[force]]
name = "motor"
type = "dc_motor"
on = "shaft"
voltage = "5*pid.command"
resistance = 0.5
inductance = 0.01
constant = 0.2
[integrator]
type = "{}"
step = 1e-3
end = 0.3
)MODEL",
                                                     type)));
        }
    }

    TEST_CASE("nor does one on a surface or a curve that equations state, with friction") {
        check_kept(testing::manifest(R"(
[model]
gravity = [0.0, 0.0, -9.81]
[[body]]
name = "marble"
type = "particle"
mass = 1.0
position = [0.6, 0.0, 0.18]
velocity = [0.0, 1.5, 0.0]
[[body]]
name = "bead"
type = "particle"
mass = 0.5
position = [1.0, 0.0, 0.0]
velocity = [0.0, 2.0, 0.0]
[[constraint]]
name = "bowl"
type = "point_on_surface"
point = "marble@0"
equation = "z = 0.5*x^2 + 0.3*sin(y)^2"
[[constraint]]
name = "wire"
type = "point_on_curve"
point = "bead@0"
equations = ["x^2 + y^2 = 1", "z = 0.1*x*y*z"]
[[force]]
name = "rub"
type = "coulomb_friction"
on = "bowl"
mu_kinetic = 0.01
[[force]]
name = "drag"
type = "coulomb_friction"
on = "wire"
mu_kinetic = 0.01
[integrator]
type = "emm"
step = 1e-3
end = 0.3
)"));
    }

    // A step of its own length needs a factorisation of its own; Eigen allocates in it.
    TEST_CASE("a renewed factorisation allocates as often in a large system as in a small one") {
        const auto worst = [](const Manifest& manifest) {
            const Census found = census(manifest);
            CHECK(found.renewals > 0);
            return found.worst_renewal;
        };
        const double few = worst(chain(3, 0.02, 40));
        for (const int num_bodies : {30, 300})
            CHECK(worst(chain(num_bodies, 0.02, num_bodies > 100 ? 5 : 40)) <= few);
        CHECK(worst(net(40, 0.01, 5)) <= worst(net(10, 0.01, 40)));
        MESSAGE("allocations per factorisation: chain of 3 ", few);
    }

    TEST_CASE("with the exact tangent too") {
        const auto worst = [](int num_bodies) {
            return census(chain(num_bodies, 1e-3, 3, "test_fumbler")).worst_renewal;
        };
        CHECK(worst(300) <= worst(3));
        const auto exact = [](int num_bodies) {
            Manifest manifest = chain(num_bodies, 1e-3, 3, "test_fumbler");
            manifest.integrator.own["test_fumbler"].set("tangent", "exact");
            return census(manifest).worst_renewal;
        };
        const double few = exact(3);
        const double many = exact(300);
        MESSAGE("allocations per exact factorisation: ", few, " for 3 bodies, ", many, " for 300");
        CHECK(many <= few);
    }
}
