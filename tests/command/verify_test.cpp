// SPDX-License-Identifier: BSD-3-Clause
// `ancora verify`: each wrong plugin of the zoo is caught by the check meant for it.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "verdict.hpp"

using ancora::testing::command;
using ancora::testing::Json;
using ancora::testing::Names;
using ancora::testing::ProcessResult;
using ancora::testing::Verdict;
using ancora::testing::verify;

namespace {

// The sanitizers have a malloc of their own, need more address space than any limit leaves, and
// keep memory of their own between that of a plugin.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kCounts = false;
#else
constexpr bool kCounts = true;
#endif

/// A plugin of the zoo, verified once.
const Verdict& zoo(const std::string& plugin, std::vector<std::string> options = {}) {
    static std::map<std::string, Verdict> known;
    const auto at = known.find(plugin);
    if (at != known.end()) return at->second;
    return known[plugin] =
               verify(fmt::format("{}/verify/{}.so", ANCORA_TEST_ZOO_DIR, plugin), options);
}

/// What fails in a run when something in a call is wrong enough.
const Names kRuns = {"ledger", "workless", "two_kernels", "restart", "reload", "symmetry"};

Names operator+(Names a, const Names& b) {
    a.insert(b.begin(), b.end());
    return a;
}

/// The check that is meant for it fails, and none but `others` besides.
void check_caught(const std::string& plugin,
                  const std::string& type,
                  const std::string& check,
                  const Names& others = {}) {
    // A short limit is for the type that never returns; a busy machine takes its time otherwise.
    const char* limit = plugin == "wrong_manners" ? "2" : "60";
    const Verdict& verdict = zoo(plugin, {"--time-limit", limit, "--memory-limit", "512"});
    CAPTURE(type);
    CHECK(verdict.status == 4);
    const Names failed = verdict.checks(type, "FAIL");
    CHECK_MESSAGE(failed.contains(check), verdict.reason(type, check));
    for (const std::string& name : failed)
        CHECK_MESSAGE((name == check || others.contains(name)), name);
    CHECK(verdict.reason(type, check) != "");
}

}  // namespace

TEST_SUITE("verify") {
    TEST_CASE("a right constraint beside wrong ones passes") {
        const Verdict& verdict = zoo("wrong_rows");
        CHECK(verdict.checks("right_rod", "FAIL") == Names());
        CHECK(verdict.checks("right_rod", "pass").size() >= 18);
    }

    TEST_CASE("wrong geometry is caught by the check meant for it") {
        // whatever rests on A fails with it
        const Names on_A =
            kRuns +
            Names{"examples", "bias", "discrete_identity", "rigid_motion", "tangent", "momentum"};
        check_caught("wrong_rows", "wrong_sign", "jacobian", on_A);
        check_caught("wrong_rows", "wrong_stencil", "sizes", kRuns + Names{"examples"});
        check_caught("wrong_rows", "missing_factor", "bias", kRuns);
        check_caught("wrong_rows", "unwritten_entry", "outputs", on_A + Names{"jacobian"});
        check_caught("wrong_rows",
                     "old_jacobian",
                     "discrete_identity",
                     {"rigid_motion", "ledger", "symmetry"});
        check_caught("wrong_rows", "old_dashpot", "discrete_identity", {"ledger"});
        CHECK(zoo("wrong_rows").checks("right_dashpot", "FAIL") == Names());
        check_caught("wrong_rows", "turns_with_step", "consistency", kRuns + Names{"rigid_motion"});
        check_caught("wrong_rows", "squared", "rank", kRuns + Names{"examples"});
        check_caught("wrong_rows", "wrong_tangent", "tangent", {"symmetry"});
        check_caught("wrong_rows", "prefers_z", "rigid_motion", {"ledger", "momentum", "symmetry"});
        check_caught("wrong_rows", "wrong_rate", "time_derivative", kRuns + Names{"bias"});
    }

    TEST_CASE("parameters that are called sensitive and are not are caught") {
        CHECK(zoo("wrong_sensitive").checks("right_stiffness", "FAIL") == Names());
        check_caught("wrong_sensitive", "cornered", "sensitive");
        check_caught("wrong_sensitive", "rounded", "sensitive");
        CHECK(zoo("wrong_sensitive").reason("cornered", "sensitive").find("a corner") !=
              std::string::npos);
        CHECK(zoo("wrong_sensitive").reason("rounded", "sensitive").find("stiffness") !=
              std::string::npos);
    }

    TEST_CASE("what a symmetry says of the adjoint is kept by right types and no others") {
        CHECK(zoo("wrong_rows").checks("right_rod", "pass").contains("symmetry"));
        for (const char* type : {"prefers_z", "wrong_tangent", "turns_with_step"}) {
            CAPTURE(type);
            CHECK(zoo("wrong_rows").checks(type, "FAIL").contains("symmetry"));
        }
    }

    TEST_CASE("wrong laws are caught by the check meant for them") {
        CHECK(zoo("wrong_laws").checks("right_law", "FAIL") == Names());
        check_caught("wrong_laws", "wrong_energy", "laws", kRuns);
        check_caught("wrong_laws", "wrong_stress", "laws", kRuns);
        check_caught("wrong_laws", "wrong_stiffness", "laws");
        check_caught("wrong_laws", "unsymmetric_stiffness", "laws");
        check_caught("wrong_laws", "kinks_out_of_order", "laws", kRuns);
        check_caught("wrong_laws", "wrong_law_of_row", "laws", kRuns);
        CHECK(zoo("wrong_laws").checks("right_kink", "FAIL") == Names());
        for (const char* type : {"energy_jumps", "stress_jumps", "snaps_in_row"}) {
            check_caught("wrong_laws", type, "laws", kRuns);
            CHECK(zoo("wrong_laws").reason(type, "laws").find(" jumps by ") != std::string::npos);
        }
        check_caught("wrong_laws", "discontinuity_elsewhere", "laws", kRuns);
        check_caught("wrong_laws", "kink_from_end", "laws", kRuns);
        check_caught("wrong_laws", "untied_skate", "ledger");
        CHECK(zoo("wrong_laws").reason("untied_skate", "ledger").find("tied_to_inertial_frame") !=
              std::string::npos);
    }

    TEST_CASE("wrong states of objects are caught by the check meant for them") {
        const Verdict& verdict = zoo("wrong_signals");
        for (const char* type : {"right_lag",
                                 "right_refuses_level",
                                 "right_counts",
                                 "right_switch",
                                 "right_counts_passages",
                                 "right_bounces"}) {
            CAPTURE(type);
            CHECK(verdict.checks(type, "FAIL") == Names());
        }
        check_caught("wrong_signals", "forgets_rate_at_zero", "outputs", kRuns);
        check_caught("wrong_signals", "root_of_level", "finite", {"extremes"});
        check_caught("wrong_signals", "forgets_large_output", "outputs");
        check_caught("wrong_signals", "drives_by_state", "dissipation");
        check_caught(
            "wrong_signals",
            "divides_by_state",
            "finite",
            kRuns + Names{"examples", "extremes", "rest", "dissipation", "consistency", "tangent"});
    }

    TEST_CASE("wrong events are caught by the check meant for them") {
        const Names others = kRuns + Names{"repeatable", "retry", "hidden_state"};
        for (const char* type : {"leaves_nan",
                                 "counts_in_object",
                                 "shows_member",
                                 "writes_before",
                                 "writes_beside_z",
                                 "stops_in_time",
                                 "drifts",
                                 "switches_wrong_way",
                                 "crosses_into_nan",
                                 "never_rests"})
            check_caught("wrong_signals", type, "events", others);
        const auto reason = [](const char* type) {
            return zoo("wrong_signals").reason(type, "events");
        };
        CHECK(reason("leaves_nan").find("nan in z[0]") != std::string::npos);
        CHECK(reason("drifts").find("counted from the question") != std::string::npos);
        CHECK(reason("never_rests").find("without end") != std::string::npos);
    }

    TEST_CASE("joints that say something wrong of themselves are caught") {
        CHECK(zoo("wrong_joints").checks("right_sleeve", "FAIL") == Names());
        const Names others = kRuns + Names{"examples"};
        for (const char* type : {"wrong_start",
                                 "wrong_length_start",
                                 "wrong_placed_start",
                                 "angle_of_points",
                                 "way_of_axis",
                                 "angle_on_a",
                                 "wrong_freedom",
                                 "on_a",
                                 "half_on_b",
                                 "point_on_a"})
            check_caught("wrong_joints", type, "joint", others);
        CHECK(zoo("wrong_joints").reason("wrong_freedom", "joint") ==
              "joint() says that 3 of six relative motions are free; its rows hold 4, which leaves "
              "2");
    }

    TEST_CASE("facets, attachments and own bodies that are wrong are caught") {
        const Verdict& verdict = zoo("wrong_facets");
        for (const char* type : {"right_shown_damper",
                                 "right_jack",
                                 "right_tie",
                                 "right_by_text",
                                 "right_level",
                                 "right_flywheel"}) {
            CAPTURE(type);
            CHECK(verdict.checks(type, "FAIL") == Names());
        }
        // what the kernel cannot read or refuses fails with it
        const Names others = kRuns + Names{"examples"};
        for (const char* type : {"tangent_of_last",
                                 "signals_of_last",
                                 "start_grows",
                                 "start_changes",
                                 "start_of_nan",
                                 "tangent_by_turns",
                                 "reacts_to_nobody",
                                 "reacts_to_point",
                                 "forgets_tangent",
                                 "forgets_signals",
                                 "unit_of_temporary",
                                 "unit_of_nobody",
                                 "joint_of_last",
                                 "state_changes",
                                 "state_of_nan",
                                 "state_of_temporary",
                                 "text_of_temporary",
                                 "own_of_last",
                                 "own_joint"})
            check_caught("wrong_facets", type, "facets", others);
        // whatever is called with what is gone may fail
        for (const std::string type :
             {"start_of_temporary", "reacts_to_null", "parameter_of_nobody"})
            CHECK_MESSAGE(verdict.checks(type, "FAIL").contains("facets"), type);
        // Names that are read where nothing is end the process in whatever reads them first.
        check_caught("wrong_facets", "names_of_temporary", "examples");
        check_caught("wrong_facets", "effort_of_nobody", "facets", others + Names{"effort"});
        check_caught("wrong_facets", "effort_beside", "effort", others + Names{"momentum"});
        check_caught("wrong_facets", "factors_of_nan", "effort", others);
        check_caught("wrong_facets", "writes_one_output", "outputs", others);
        check_caught("wrong_facets", "writes_three_outputs", "bounds", others);
        check_caught("wrong_facets", "key_of_nobody", "attachments", others);
        check_caught("wrong_facets", "untied_level", "momentum", others);
        for (const char* type : {"own_vector", "own_negative", "own_start_nan"})
            check_caught("wrong_facets", type, "own_body", others);
        CHECK(verdict.checks("parameter_of_nobody", "FAIL").contains("attachments"));
        CHECK(verdict.reason("joint_of_last", "facets").find("another object") !=
              std::string::npos);
        CHECK(verdict.reason("forgets_tangent", "facets").find("out.tangent = this") !=
              std::string::npos);
    }

    TEST_CASE("gaps that are wrong are caught by the check meant for them") {
        const Verdict& verdict = zoo("wrong_contacts");
        for (const char* type : {"right_balls", "right_apart"}) {
            CAPTURE(type);
            CHECK(verdict.checks(type, "FAIL") == Names());
        }
        const Names others = kRuns + Names{"examples", "rank"};
        for (const char* type : {"overlaps",
                                 "reversed",
                                 "never_closes",
                                 "never_opens",
                                 "opens_by_half",
                                 "bounces_more",
                                 "bounces_backward"})
            check_caught("wrong_contacts", type, "gap", others);
        for (const char* type : {"leans", "sinks"})
            check_caught("wrong_contacts", type, "momentum", others);
        check_caught("wrong_contacts", "claims_quadratic", "degree", others);
        check_caught("wrong_contacts", "claims_linear", "degree", others + Names{"jacobian"});
        check_caught("wrong_contacts", "forgets_a_row", "outputs", others);
    }

    TEST_CASE("wrong bodies are caught by the check meant for them") {
        const Verdict& verdict = zoo("wrong_bodies");
        for (const char* type :
             {"right_mass", "right_polar", "right_tank", "right_spring_body", "right_named"})
            CHECK(verdict.checks(type, "FAIL") == Names());
        check_caught("wrong_bodies", "indefinite", "mass", kRuns + Names{"examples", "rotation"});
        // what every check of the mass needs is wrong
        check_caught("wrong_bodies",
                     "upper_triangle",
                     "mass",
                     kRuns + Names{"examples", "translation", "rotation"});
        CHECK(verdict.reason("upper_triangle", "mass") ==
              "mass() adds to M(0, 1), above the diagonal: the mirror entry of M(1, 0) is implied");
        check_caught("wrong_bodies", "unsymmetric", "mass", kRuns + Names{"inertia_force"});
        check_caught("wrong_bodies", "fills", "mass", kRuns);
        check_caught("wrong_bodies", "wrong_inertia_force", "inertia_force", kRuns);
        check_caught("wrong_bodies", "wrong_attachment", "attachments", {"pose", "rotation"});
        check_caught("wrong_bodies", "wrong_bias", "attachments");
        check_caught("wrong_bodies", "wrong_pose", "pose");
        check_caught("wrong_bodies", "old_pose_rate", "pose");
        check_caught("wrong_bodies", "short_reach", "reach");
        check_caught("wrong_bodies", "stays_behind", "translation");
        // lines to nodes that are none are looked at where forces along them are listed
        for (const char* type : {"lost_line", "lost_node"})
            check_caught("wrong_bodies", type, "drawing", {"examples"});
        check_caught("wrong_bodies", "colourless", "drawing");
        check_caught("wrong_bodies", "anisotropic", "rotation", {"ledger"});
        for (const char* type : {"forgets_rotation", "turns_back", "turns_distance", "flat_stays"})
            check_caught("wrong_bodies", type, "rotation");
        for (const char* type : {"derived_step", "leans_in_step", "old_direction"})
            check_caught("wrong_bodies", type, "rotation", {"ledger", "consistency"});
        check_caught("wrong_bodies", "half_started", "start");
        for (const char* type : {"rate_of_start", "no_rate", "forgets_rate", "runs_dry"})
            check_caught("wrong_bodies", type, "mass", kRuns + Names{"outputs", "allocation"});
        // it reads where nothing is, so that nothing can be made
        check_caught("wrong_bodies", "reads_state", "examples");
        CHECK(verdict.reason("reads_state", "examples").find("ends the process") !=
              std::string::npos);
        check_caught("wrong_bodies", "forgets_turning", "rotation");
        for (const char* type : {"forgets_names", "forgets_drawing", "turns_as_last"})
            check_caught("wrong_bodies", type, "facets");
        for (const char* type :
             {"group_beyond", "any_group", "coordinate_beyond", "any_coordinate"})
            check_caught("wrong_bodies", type, "names");
        check_caught("wrong_bodies",
                     "wrong_potential",
                     "potential",
                     kRuns + Names{"jacobian", "discrete_identity", "translation"});
    }

    TEST_CASE("wrong forces are caught by the check meant for them") {
        const Verdict& verdict = zoo("wrong_forces");
        for (const char* type : {"right_drag", "right_damper", "right_friction"})
            CHECK(verdict.checks(type, "FAIL") == Names());
        check_caught("wrong_forces", "drives", "dissipation");
        check_caught("wrong_forces", "mixes_axes", "dissipation", {"consistency"});
        check_caught("wrong_forces", "drives_when_fast", "dissipation");
        check_caught("wrong_forces", "twice_in_step", "consistency");
        check_caught("wrong_forces", "untied_drag", "momentum", {"ledger"});
        check_caught("wrong_forces", "one_sided", "momentum", {"ledger"});
        check_caught("wrong_forces", "couple", "momentum", {"ledger"});
        check_caught("wrong_forces", "old_line", "momentum", {"ledger"});
        check_caught("wrong_forces", "prefers_z", "frame");
        check_caught("wrong_forces", "no_rest", "rest", {"finite", "extremes"});
        check_caught("wrong_forces", "wrong_slope", "friction_law");
        check_caught("wrong_forces", "wrong_tangent", "tangent");
        check_caught("wrong_forces", "weak_stick", "friction_law");
    }

    TEST_CASE("wrong integrators are caught by the check meant for them") {
        const Verdict& verdict = zoo("wrong_integrators");
        for (const char* type : {"right_midpoint",
                                 "right_symplectic_euler",
                                 "right_velocity_verlet",
                                 "right_kutta3",
                                 "right_implicit_midpoint"}) {
            CAPTURE(type);
            CHECK(verdict.checks(type, "FAIL") == Names());
        }
        check_caught(
            "wrong_integrators", "first_claims_second", "order", {"order_of_works", "own_states"});
        check_caught("wrong_integrators", "accidentally_exact", "order");
        check_caught("wrong_integrators", "wrong_order", "order", {"order_of_works", "own_states"});
        check_caught("wrong_integrators", "wrong_claim", "conservation", {"ledger"});
        check_caught(
            "wrong_integrators", "hurries", "order", {"ledger", "order_of_works", "own_states"});
        check_caught(
            "wrong_integrators", "stands_still", "order", {"order_of_works", "own_states"});
        check_caught(
            "wrong_integrators", "keeps_no_books", "works", {"order_of_works", "own_states"});
        check_caught("wrong_integrators", "ignores_tolerance", "order");
        CHECK(verdict.reason("ignores_tolerance", "order")
                  .find("number of steps does not change with the tolerance") != std::string::npos);
        if (kCounts) {
            check_caught("wrong_integrators", "allocates_in_step", "step_allocation");
            check_caught("wrong_integrators", "keeps_steps", "leaks", {"step_allocation"});
        }
        check_caught("wrong_integrators", "remembers", "restart");
        check_caught("wrong_integrators", "shares_buffer", "two_kernels", {"reload", "restart"});
    }

    TEST_CASE("integrators that mistreat works, states or events are caught") {
        const Verdict& verdict = zoo("wrong_schemes");
        for (const char* type :
             {"right_located", "right_shows", "right_implicit_euler", "right_adapts"}) {
            CAPTURE(type);
            CHECK(verdict.checks(type, "FAIL") == Names());
        }
        for (const char* type : {"euler_works", "euler_works_alone", "euler_impulses"})
            check_caught("wrong_schemes", type, "order_of_works");
        for (const char* type : {"half_own_states", "leaves_own_states", "never_follows"})
            check_caught("wrong_schemes", type, "own_states");
        for (const char* type : {"ignores_events", "late_events", "passes_nothing"})
            check_caught("wrong_schemes", type, "events");
        check_caught("wrong_schemes", "shows_member", "restart");
        for (const char* type : {"shows_one_of_two",
                                 "shows_three_of_two",
                                 "shows_calls",
                                 "shows_no_unit",
                                 "forgets_outputs",
                                 "shows_last"})
            check_caught("wrong_schemes", type, "facets");
        // the kernel refuses these, so that no run can be made
        for (const char* type : {"shows_nan", "shows_twice", "forgets_inside"}) {
            CHECK_MESSAGE(verdict.checks(type, "FAIL").contains("facets"), type);
        }
        for (const char* type : {"stands_inside",
                                 "late_inside",
                                 "no_works_inside",
                                 "no_momenta_inside",
                                 "straight_on_inside"})
            check_caught("wrong_schemes", type, "inside");
    }

    TEST_CASE("wrong manners are caught by the check meant for them") {
        check_caught("wrong_manners",
                     "shared_state",
                     "repeatable",
                     kRuns + Names{"examples",
                                   "retry",
                                   "threads",
                                   "hidden_state",
                                   "jacobian",
                                   "time_derivative",
                                   "discrete_identity",
                                   "rigid_motion"});
        check_caught("wrong_manners", "shared_parameter", "repeatable");
        check_caught("wrong_manners",
                     "keeps_trace",
                     "retry",
                     kRuns + Names{"repeatable", "threads", "hidden_state"});
        if (kCounts) check_caught("wrong_manners", "allocates", "allocation");
        check_caught("wrong_manners", "nan_there", "finite", {"bias", "extremes"});
        check_caught("wrong_manners",
                     "changes_rounding",
                     "environment",
                     kRuns + Names{"repeatable", "retry"});
    }

    TEST_CASE("memory that is another's is caught by the check meant for it") {
        // whatever a stray write hits may fail too
        const Names writes = kRuns + Names{"examples", "tangent", "outputs", "repeatable"};
        check_caught("wrong_memory", "writes_behind", "bounds", writes);
        CHECK(zoo("wrong_memory").reason("writes_behind", "bounds") ==
              "evaluate_tangent, block \"length\" wrote behind its output G of 4 numbers, at entry "
              "4");
        check_caught("wrong_memory", "writes_before", "bounds", writes + Names{"inputs"});
        check_caught("wrong_memory",
                     "reads_behind",
                     "bounds",
                     writes + Names{"retry", "finite", "extremes"});
        check_caught("wrong_memory", "casts_const_away", "inputs", writes + Names{"threads"});
        CHECK(zoo("wrong_memory").reason("casts_const_away", "inputs").find("[2] was") !=
              std::string::npos);
        if (!kCounts) return;
        check_caught("wrong_memory", "late_counter", "hidden_state");
        // two threads find these by chance, a stopped call finds them always
        const Names races = kRuns + Names{"threads"};
        check_caught("wrong_memory", "shared_scratch", "hidden_state", races);
        check_caught("wrong_memory", "shared_heap", "hidden_state", races);
        check_caught("wrong_memory", "memoises_unlocked", "hidden_state", races);
        CHECK(zoo("wrong_memory").reason("shared_scratch", "hidden_state").find("scratch_") !=
              std::string::npos);
        check_caught("wrong_memory", "leaks_objects", "leaks");
        check_caught("wrong_memory", "leaks_calls", "leaks", {"allocation"});
    }

    TEST_CASE("caches that nobody sees are nobody's business") {
        const Verdict& verdict = zoo("wrong_memory");
        for (const char* type : {"right_member_cache",
                                 "right_thread_cache",
                                 "right_locked_cache",
                                 "right_lazy_table"}) {
            CAPTURE(type);
            CHECK(verdict.checks(type, "FAIL") == Names());
            CHECK(verdict.checks(type, kCounts ? "pass" : "skipped").contains("hidden_state"));
        }
        // told, since the next one may forget the lock
        if (kCounts)
            CHECK(verdict.reason("right_locked_cache", "hidden_state")
                      .find("no result depends on it") != std::string::npos);
    }

    TEST_CASE("what is done to the process is caught") {
        const auto what = [](const char* type) {
            check_caught("wrong_process", type, "environment", Names{"threads", "leaks"} + kRuns);
            return zoo("wrong_process").reason(type, "environment");
        };
        CHECK(what("speaks").find("wrote 9 bytes to standard output") != std::string::npos);
        CHECK(what("speaks_when_made").find("bytes to standard error") != std::string::npos);
        CHECK(what("handles_signal").find("Interrupt") != std::string::npos);
        CHECK(what("changes_folder").find("working folder to \"/\"") != std::string::npos);
        CHECK(what("sets_locale").find("locale") != std::string::npos);
        CHECK(what("sets_umask").find("umask 777") != std::string::npos);
        CHECK(what("sets_variable").find("ANCORA_TEST_OF_VARIABLES") != std::string::npos);
        CHECK(what("leaves_thread").find("thread") != std::string::npos);
        CHECK(what("leaves_descriptor").find("/dev/null") != std::string::npos);
        CHECK(what("leaves_process").find("process") != std::string::npos);
        for (const char* type : {"becomes_daemon", "holds_on"})
            CHECK(zoo("wrong_process").reason(type, "environment").find(" running") !=
                  std::string::npos);
        CHECK(what("closes_descriptor").find("closed descriptor 0") != std::string::npos);
        for (const char* type : {"leaves_file", "writes_log"})
            CHECK(what(type).find("leaves the file \"trace.txt\"") != std::string::npos);
        const std::string load = zoo("acts_at_load").reason("", "load");
        CHECK(load.find("standard output") != std::string::npos);
        CHECK(load.find("Terminated") != std::string::npos);
        if (!kCounts) return;
        check_caught("wrong_process", "remembers_objects", "leaks");
        for (const char* type : {"loses_sometimes", "keeps_times"})
            check_caught("wrong_process",
                         type,
                         "leaks",
                         Names{"allocation", "hidden_state", "threads"} + kRuns);
        check_caught("crashes_at_end", "crashes_at_end", "ending");
        CHECK(zoo("crashes_at_end").reason("crashes_at_end", "ending").find("Segmentation fault") !=
              std::string::npos);
    }

    // Its report comes all the same, and nothing of it goes on afterwards.
    TEST_CASE("a plugin that ends the process above it, or leaves daemons, is caught") {
        const Verdict& verdict = zoo("wrong_process");
        CHECK(verdict.status == 4);
        for (const char* type : {"ends_parent", "ends_group"}) {
            CAPTURE(type);
            CHECK(verdict.checks(type, "FAIL").contains("examples"));
            CHECK(verdict.reason(type, "examples").find("Killed") != std::string::npos);
        }
        CHECK(verdict.reason("ends_parent", "examples")
                  .find("ends the process that has started its own") != std::string::npos);
        int left = 0;
        for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
            std::ifstream file(entry.path() / "cmdline");
            std::string line;
            std::getline(file, line, '\n');
            left += line.find("verify-in-child") != std::string::npos &&
                    line.find(ANCORA_TEST_ZOO_DIR) != std::string::npos &&
                    line.find("wrong_process") != std::string::npos;
        }
        CHECK(left == 0);
    }

    // On a busy machine every call waits; only its own work counts, and waiting ten times as much.
    TEST_CASE("a check is limited by the work that it does, and waits ten times as long") {
        const Verdict& verdict = zoo("waits", {"--check", "outputs", "--time-limit", "0.5"});
        CHECK(verdict.checks("waits", "pass") == Names{"outputs"});
        CHECK(verdict.checks("waits_for_ever", "FAIL") == Names{"outputs"});
        const std::string reason = verdict.reason("waits_for_ever", "outputs");
        CHECK_MESSAGE(reason.ends_with("does not return within 5 s"), reason);
    }

    TEST_CASE("places out of the way, and words that no model can use") {
        const Verdict& verdict = zoo("wrong_places");
        CHECK(verdict.checks("right_plain_rod", "FAIL") == Names());
        check_caught("wrong_places", "nan_on_axis", "extremes");
        check_caught("wrong_places", "nan_far_out", "extremes", {"bias"});
        check_caught(
            "wrong_places", "wrong_far_out", "jacobian", {"bias", "discrete_identity", "tangent"});
        check_caught("wrong_places", "nan_at_end", "extremes");
        CHECK(verdict.reason("nan_at_end", "extremes").starts_with("with \"slack\" = 0, "));
        check_caught("wrong_places", "jumps_at_pi", "discrete_identity");
        CHECK(verdict.reason("jumps_at_pi", "discrete_identity").find("jumps from") !=
              std::string::npos);
        check_caught("wrong_places", "jumps_a_little", "discrete_identity");
        CHECK(verdict.checks("right_hinge_angle", "FAIL") == Names());
        check_caught("wrong_places", "strange_unit", "descriptor");
        CHECK(verdict.reason("strange_unit", "descriptor").find("metres") != std::string::npos);
        check_caught("wrong_places", "revolute", "descriptor", kRuns + Names{"examples"});
        CHECK(verdict.reason("revolute", "descriptor").find("\"joints\"") != std::string::npos);
    }

    TEST_CASE("a factory that throws or asks for too much is reported") {
        const Verdict& verdict =
            zoo("wrong_manners", {"--time-limit", "2", "--memory-limit", "512"});
        CHECK(verdict.checks("throws_in_constructor", "FAIL").contains("examples"));
        CHECK(verdict.reason("throws_in_constructor", "examples") ==
              "its factory threw \"out of luck\"; refuse parameters through "
              "Arguments::fail, which "
              "names the key");
        CHECK(verdict.checks("asks_for_more", "FAIL").contains("schema"));
        CHECK(verdict.reason("asks_for_more", "schema").find("width") != std::string::npos);
        CHECK(verdict.checks("never_reads", "FAIL") == Names{"schema"});
        CHECK(
            verdict.reason("never_reads", "schema") ==
            "the factory never reads \"slack\", with any example or value; use it, or take it out "
            "of the schema");
        // one cause is not reported by every check
        for (const char* type : {"refuses", "crashes_in_constructor"}) {
            CAPTURE(type);
            CHECK(verdict.checks(type, "FAIL") == Names{"examples"});
            CHECK(verdict.reason(type, "jacobian").find("see the check examples") !=
                  std::string::npos);
        }
        for (const char* type : {"throws_in_constructor", "asks_for_more"})
            CHECK(verdict.checks(type, "FAIL") == Names{"examples", "schema"});
    }

    TEST_CASE("a call that never returns, eats memory or crashes is a failed check") {
        const Names calls = kRuns + Names{"facets",
                                          "finite",
                                          "extremes",
                                          "bounds",
                                          "hidden_state",
                                          "leaks",
                                          "ending",
                                          "inputs",
                                          "repeatable",
                                          "retry",
                                          "threads",
                                          "allocation",
                                          "environment",
                                          "tangent"};
        check_caught("wrong_manners", "never_returns", "outputs", calls);
        check_caught("wrong_manners", "crashes", "outputs", calls);
        const Verdict& verdict = zoo("wrong_manners");
        CHECK(verdict.reason("never_returns", "outputs") ==
              "evaluate_tangent, block \"length\" does not return within 2 s");
        // what the kit knows without the call is still checked
        for (const char* type : {"never_returns", "crashes"})
            CHECK(verdict.checks(type, "pass").contains("schema"));
        if (!kCounts) return;
        CHECK(verdict.reason("crashes", "outputs") ==
              "evaluate_tangent, block \"length\" ends the process: Segmentation fault");
        check_caught("eats_memory", "eats_memory", "outputs", calls);
        CHECK(zoo("eats_memory").reason("eats_memory", "outputs") == "ran out of memory");
    }

    TEST_CASE("a static initialiser that throws is reported") {
        const Verdict& verdict = zoo("throws_at_load");
        CHECK(verdict.status == 4);
        CHECK(verdict.checks("", "FAIL") == Names{"load"});
        CHECK(verdict.reason("", "load").find("no table today") != std::string::npos);
    }

    TEST_CASE("a plugin that the kernel refuses is refused in the same words") {
        const Verdict verdict = verify(fmt::format("{}/old_sdk.so", ANCORA_TEST_ZOO_DIR));
        CHECK(verdict.status == 4);
        CHECK(verdict.reason("", "load").find("was built for SDK") != std::string::npos);
        CHECK(verify("no_such_plugin").reason("", "load").find("no_such_plugin") !=
              std::string::npos);
    }

    TEST_CASE("a seed repeats a failure, another one moves it") {
        const std::string plugin = fmt::format("{}/verify/wrong_rows.so", ANCORA_TEST_ZOO_DIR);
        const auto reason = [&](const char* seed) {
            return verify(plugin, {"--check", "bias", "--seed", seed})
                .reason("missing_factor", "bias");
        };
        CHECK(reason("7") == reason("7"));
        CHECK(reason("7") != reason("8"));
    }

    TEST_CASE("the table names type, check, outcome and reason") {
        const ProcessResult result =
            command({"verify",
                     fmt::format("{}/verify/wrong_rows.so", ANCORA_TEST_ZOO_DIR),
                     "--check",
                     "tangent"});
        CHECK(result.status == 4);
        CHECK(result.out.find("seed 1") != std::string::npos);
        CHECK(result.out.find("wrong_tangent    tangent  FAIL     G of block \"length\" is 0 at "
                              "row 0, scalar 3; differences of A^T s give") != std::string::npos);
        CHECK(result.out.find("FAILED: 6 passed, 3 failed, 4 skipped") != std::string::npos);
    }

    TEST_CASE("the list has every check once, with what it asks") {
        const ProcessResult result = command({"verify", "--list"});
        CHECK(result.status == 0);
        for (const char* check : {"  load ", "  jacobian ", "  allocation "})
            CHECK(result.out.find(check) != std::string::npos);
        CHECK(command({"verify", "--list", "--markdown"}).out.find("| `jacobian` |") !=
              std::string::npos);
    }

    TEST_CASE("misuse of the command") {
        CHECK(command({"verify"}).status == 2);
        CHECK(command({"verify", "emm", "--markdown"}).status == 2);
        CHECK(command({"verify", "emm", "--seed", "x"}).status == 2);
        CHECK(command({"verify", "emm", "--time-limit", "-1"}).status == 2);
        const ProcessResult result = command({"verify", "emm", "--check", "jacobean"});
        CHECK(result.status == 2);
        CHECK(result.err.find("did you mean \"jacobian\"?") != std::string::npos);
    }
}
