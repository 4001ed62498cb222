// SPDX-License-Identifier: BSD-3-Clause
// FMUs inside of models: against the same loop without one, restored, and damaged.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ancora/framework/fmu.hpp"
#include "fmu_models.hpp"
#include "support/program.hpp"

using namespace ancora;
using namespace ancora::testing;
namespace fs = std::filesystem;

namespace {

const std::string kWheel = R"(
[[body]]
name = "wheel"
type = "ancf_rigid_body"
mass = 2.0
inertia = [0.3, 0.2, 0.1]
penalty = inf

[[joint]]
name = "axle"
type = "revolute"
a = "ground"
b = "wheel"
point = [0, 0, 0]
axis = [0, 0, 1]

[integrator]
type = "emm"
step = 2.5e-3
end = 1.0
)";

std::string pid(const char* name, const char* more) {
    return fmt::format(
        "[[force]]\nname = \"{}\"\ntype = \"sampled_pid\"\nperiod = 0.01\n{}", name, more);
}
std::string actuator(const char* command) {
    return fmt::format(
        "[[force]]\nname = \"drive\"\ntype = \"actuator\"\non = \"axle\"\ncommand = \"{}\"\n",
        command);
}
constexpr const char* kGains =
    "kp = 4.0\nki = 2.0\nkd = 0.3\nreference = \"0.3 + 0.1*axle.angle\"\n";

/// A PID that acts in the middle between two samples, as an FMU.
void write_controller(const fs::path& file, int version) {
    Plugins plugins;
    const std::string text =
        "[model]\nname = \"controller\"\n[[body]]\nname = \"none\"\ntype = \"particle\"\nmass = "
        "1.0\n" +
        pid("pid",
            "offset = 0.005\nkp = 4.0\nki = 2.0\nkd = 0.3\nreference = 0.0\nmeasured = 0.0\n") +
        "[integrator]\ntype = \"emm\"\nstep = 5e-3\nend = 100.0\n";
    FmuOptions options;
    options.inputs = {"pid.reference", "pid.measured"};
    options.outputs = {"pid.command", "pid.error"};
    options.parameters = {"force.pid.kp"};
    options.version = version;
    write_fmu(Manifest::parse(text, "controller.toml"), plugins.registry, file, options);
}

const std::string kController =
    "[[force]]\nname = \"controller\"\ntype = \"fmu\"\nfile = \"controller.fmu\"\nperiod = 0.01\n"
    "inputs = [\"pid.reference\", \"pid.measured\"]\nu1 = \"0.3 + 0.1*axle.angle\"\n"
    "u2 = \"axle.angle\"\noutputs = [\"command = pid.command\"]\n";

constexpr const char* kStates = "canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\"";

void pack(const fs::path& inside, const fs::path& archive) {
    ProcessOptions options;
    options.folder = inside;
    const ProcessResult packed = run_process({ANCORA_TEST_CMAKE,
                                              "-E",
                                              "tar",
                                              "cf",
                                              archive.string(),
                                              "--format=zip",
                                              "modelDescription.xml",
                                              "binaries"},
                                             options);
    REQUIRE_MESSAGE(packed.status == 0, packed.err);
}

/// The FMU in C, with its description as wanted.
void write_tiny(const TempFolder& folder,
                const std::string& more = kStates,
                const std::string& version = "2.0",
                const std::string& guid = "{tiny}",
                const char* kind = "CoSimulation") {
    const fs::path inside = folder / "tiny";
    fs::create_directories(inside / "binaries/linux64");
    fs::copy_file(ANCORA_TEST_TINY_FMU,
                  inside / "binaries/linux64/tiny.so",
                  fs::copy_options::overwrite_existing);
    std::ofstream(inside / "modelDescription.xml") << fmt::format(
        "<?xml version=\"1.0\"?>\n<fmiModelDescription fmiVersion=\"{}\" modelName=\"tiny\" "
        "guid=\"{}\">\n<{} modelIdentifier=\"tiny\" {}/>\n<ModelVariables>\n"
        "<ScalarVariable name=\"gain\" valueReference=\"1\" causality=\"parameter\"><Real "
        "start=\"1\"/>"
        "</ScalarVariable>\n"
        "<ScalarVariable name=\"u\" valueReference=\"2\" causality=\"input\"><Real start=\"0\"/>"
        "</ScalarVariable>\n"
        "<ScalarVariable name=\"x.y\" valueReference=\"3\" causality=\"output\"><Real unit=\"m\"/>"
        "</ScalarVariable>\n"
        "<ScalarVariable name=\"n\" valueReference=\"4\" causality=\"input\"><Integer/>"
        "</ScalarVariable>\n"
        "<ScalarVariable name=\"twice\" valueReference=\"5\"><Integer/></ScalarVariable>\n"
        "<ScalarVariable name=\"off\" valueReference=\"6\" causality=\"input\"><Boolean "
        "start=\"false\"/></ScalarVariable>\n"
        "<ScalarVariable name=\"word\" valueReference=\"7\" causality=\"input\"><String "
        "start=\"\"/></ScalarVariable>\n</ModelVariables>\n<ModelStructure/>\n</"
        "fmiModelDescription>\n",
        version,
        guid,
        kind,
        more);
    pack(inside, folder / "tiny.fmu");
}

struct TypedVariable {
    const char* type;
    int reference;  ///< of the input; the output's is 20 more
};
constexpr TypedVariable kTyped[] = {{"Float64", 10},
                                    {"Float32", 11},
                                    {"Int8", 12},
                                    {"UInt8", 13},
                                    {"Int16", 14},
                                    {"UInt16", 15},
                                    {"Int32", 16},
                                    {"UInt32", 17},
                                    {"Int64", 18},
                                    {"UInt64", 19},
                                    {"Boolean", 20}};

/// The FMU in C with every type.
void write_typed(const TempFolder& folder) {
    const fs::path inside = folder / "typed";
    fs::create_directories(inside / "binaries/x86_64-linux");
    fs::copy_file(ANCORA_TEST_TYPED_FMU,
                  inside / "binaries/x86_64-linux/typed.so",
                  fs::copy_options::overwrite_existing);
    std::string text =
        "<?xml version=\"1.0\"?>\n<fmiModelDescription fmiVersion=\"3.0\" modelName=\"typed\" "
        "instantiationToken=\"{}\">\n<CoSimulation modelIdentifier=\"typed\" "
        "canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\"/>\n<ModelVariables>\n"
        "<Float64 name=\"time\" valueReference=\"0\" causality=\"independent\"/>\n"
        "<UInt64 name=\"n\" valueReference=\"1\" causality=\"structuralParameter\" start=\"3\"/>\n"
        "<Float64 name=\"A\" valueReference=\"2\" causality=\"parameter\" start=\"1 0 0 0 1 0 0 0 "
        "1\"><Dimension valueReference=\"1\"/><Dimension valueReference=\"1\"/></Float64>\n"
        "<Float64 name=\"u\" valueReference=\"3\" causality=\"input\" start=\"1 2 3\"><Dimension "
        "valueReference=\"1\"/></Float64>\n"
        "<Float64 name=\"y\" valueReference=\"4\" causality=\"output\"><Dimension "
        "valueReference=\"1\"/></Float64>\n"
        "<Float32 name=\"sum\" valueReference=\"5\" causality=\"local\"/>\n"
        "<Int32 name=\"steps\" valueReference=\"6\" causality=\"local\" initial=\"exact\" "
        "start=\"100\"/>\n";
    for (const TypedVariable& each : kTyped)
        text += fmt::format(
            "<{0} name=\"{0}_in\" valueReference=\"{1}\" causality=\"input\" start=\"0\"/>\n"
            "<{0} name=\"{0}_out\" valueReference=\"{2}\" causality=\"output\"/>\n",
            each.type,
            each.reference,
            each.reference + 20);
    std::ofstream(inside / "modelDescription.xml")
        << text << "</ModelVariables>\n<ModelStructure/>\n</fmiModelDescription>\n";
    pack(inside, folder / "typed.fmu");
}

/// With inputs and their values, outputs, and parameters.
std::string typed(const std::vector<std::pair<std::string, double>>& inputs,
                  const std::vector<std::string>& outputs,
                  const std::vector<std::string>& parameters = {}) {
    const auto list = [](const std::vector<std::string>& texts) {
        std::string out;
        for (const std::string& text : texts) out += (out.empty() ? "\"" : ", \"") + text + '"';
        return '[' + out + "]\n";
    };
    std::vector<std::string> names;
    std::string values;
    for (const auto& [name, value] : inputs) {
        names.push_back(name);
        values += fmt::format("u{} = {}\n", names.size(), value);
    }
    return kWheel +
           "[[force]]\nname = \"typed\"\ntype = \"fmu\"\nfile = \"typed.fmu\"\nperiod = 0.1\n" +
           "inputs = " + list(names) + values + "outputs = " + list(outputs) +
           "parameters = " + list(parameters);
}

std::string tiny(const std::string& more = "outputs = [\"x = x.y\"]\n") {
    return kWheel +
           "[[force]]\nname = \"tiny\"\ntype = \"fmu\"\nfile = \"tiny.fmu\"\nperiod = 0.1\n"
           "inputs = [\"u\"]\nu1 = \"2*t\"\nparameters = [\"gain = 3\"]\n" +
           more;
}

}  // namespace

TEST_CASE("a controller as an FMU closes the loop with the bits of one that is in the model") {
    for (const int version : {2, 3}) {
        CAPTURE(version);
        const TempFolder folder;
        write_controller(folder / "controller.fmu", version);
        Plugins plugins;
        Simulation with_fmu =
            simulation_of(plugins, folder, kWheel + kController + actuator("controller.command"));
        // By 2.0 the same one period late: what holds sees the value of the sample before. By 3.0
        // it names its samples, and acts at them as it would in the model, beside those of the
        // period.
        const std::string measured = "measured = \"axle.angle\"\n";
        const std::string controllers =
            version == 2
                ? pid("pid", kGains) + measured +
                      pid("hold", "kp = 1.0\nreference = \"pid.command\"\nmeasured = 0.0\n")
                : pid("hold", kGains) + measured + "offset = 0.005\n" +
                      pid("beside", "kp = 1.0\nreference = 0.0\nmeasured = 0.0\n");
        Simulation alone =
            simulation_of(plugins, folder, kWheel + controllers + actuator("hold.command"));
        double largest = 0.0;
        while (!alone.done()) {
            alone.step();
            with_fmu.step();
            REQUIRE(std::ranges::equal(alone.q(), with_fmu.q()));
            REQUIRE(with_fmu.value("controller.command") == alone.value("hold.command"));
            largest = std::max(largest, std::abs(alone.value("axle.angle")));
        }
        CHECK(largest > 0.2);

        // Restored in another simulation, and set back in its own, it repeats every bit.
        Simulation again =
            simulation_of(plugins, folder, kWheel + kController + actuator("controller.command"));
        Simulation other =
            simulation_of(plugins, folder, kWheel + kController + actuator("controller.command"));
        for (int i = 0; i < 150; ++i) again.step();
        const std::vector<std::byte> saved = again.save();
        other.restore(saved);
        while (!again.done()) again.step();
        while (!other.done()) other.step();
        CHECK(std::ranges::equal(again.q(), alone.q()));
        CHECK(std::ranges::equal(other.q(), alone.q()));
        again.restore(saved);
        while (!again.done()) again.step();
        CHECK(std::ranges::equal(again.q(), alone.q()));
    }
}

TEST_CASE("an FMU of others: inputs, parameters, times") {
    const TempFolder folder;
    write_tiny(folder);
    Plugins plugins;
    Simulation it = simulation_of(plugins, folder, tiny());
    while (!it.done()) it.step();
    // x = sum of T gain u(t_k), t_k = 0, ..., 0.9
    CHECK(std::abs(it.value("tiny.x") - 0.1 * 3.0 * 2.0 * 4.5) <= 1e-12);
}

TEST_CASE("whole numbers, truth values and what is inside, by FMI 2.0") {
    const TempFolder folder;
    write_tiny(folder);
    Plugins plugins;
    for (const int n : {-7, 0, 12345, -2147483647 - 1}) {
        const std::string model =
            kWheel + fmt::format(
                         "[[force]]\nname = \"tiny\"\ntype = \"fmu\"\nfile = \"tiny.fmu\"\n"
                         "period = 0.1\ninputs = [\"n\", \"u\", \"off\"]\nu1 = {}\nu2 = "
                         "2.0\nu3 = \"0.5 + 0.5*sign(t - 0.45)\"\nparameters = [\"gain = 3\"]\n"
                         "outputs = [\"n\", \"off\", \"gain\", \"x = x.y\"{}]\n",
                         n,
                         n > -1000000 ? ", \"twice\"" : "");
        Simulation it = simulation_of(plugins, folder, model);
        while (!it.done()) it.step();
        CHECK(it.value("tiny.n") == n);
        if (n > -1000000) CHECK(it.value("tiny.twice") == 2 * n);
        CHECK(it.value("tiny.off") == 1.0);
        CHECK(it.value("tiny.gain") == 3.0);
        CHECK(std::abs(it.value("tiny.x") - 0.5 * 3.0 * 2.0) <= 1e-12);  // on for five periods
    }
    // what starts from elsewhere, without being an input
    std::string text = tiny("outputs = [\"twice\", \"x = x.y\"]\n");
    text.replace(text.find("\"gain = 3\""), 10, "\"gain = 3\", \"n = 21\", \"off = true\"");
    Simulation it = simulation_of(plugins, folder, text);
    while (!it.done()) it.step();
    CHECK(it.value("tiny.twice") == 42.0);
    CHECK(it.value("tiny.x") == 0.0);
}

TEST_CASE("numbers of every type go in and come out, and others are refused") {
    const TempFolder folder;
    write_typed(folder);
    Plugins plugins;
    std::mt19937_64 random(11);
    // Bits of a type, and whether it has a sign; 0: floating-point numbers
    const auto whole = [&](int bits, bool is_signed) {
        const double end = std::ldexp(1.0, std::min(is_signed ? bits - 1 : bits, 53));
        switch (random() % 4) {
            case 0:
                return end - 1.0;
            case 1:
                return is_signed ? (bits < 64 ? -end : 1.0 - end) : 0.0;
            default:
                return std::floor(
                    std::uniform_real_distribution<>(is_signed ? 1.0 - end : 0.0, end)(random));
        }
    };
    const std::pair<int, bool> kinds[] = {{0, true},
                                          {0, true},
                                          {8, true},
                                          {8, false},
                                          {16, true},
                                          {16, false},
                                          {32, true},
                                          {32, false},
                                          {64, true},
                                          {64, false},
                                          {1, false}};
    std::vector<std::string> outputs;
    for (const TypedVariable& each : kTyped)
        outputs.push_back(fmt::format("y{0} = {1}_out", each.reference, each.type));
    for (int member = 0; member < 30; ++member) {
        std::vector<std::pair<std::string, double>> inputs;
        for (std::size_t k = 0; k < std::size(kTyped); ++k) {
            const auto [bits, is_signed] = kinds[k];
            inputs.emplace_back(kTyped[k].type + std::string("_in"),
                                bits == 0 ? std::uniform_real_distribution<>(-1e3, 1e3)(random)
                                          : whole(bits, is_signed));
        }
        Simulation it = simulation_of(plugins, folder, typed(inputs, outputs));
        it.step();
        for (std::size_t k = 0; k < inputs.size(); ++k) {
            const double x = inputs[k].second;
            CAPTURE(inputs[k].first);
            CHECK(it.value(fmt::format("typed.y{}", kTyped[k].reference)) ==
                  (k == 1 ? static_cast<double>(static_cast<float>(x)) : x));
        }
        // What a formula rounds is whole.
        auto rounded = inputs;
        for (auto& [name, x] : rounded)
            if (std::abs(x) < 1e5) x *= 1.0 + 1e-15;
        Simulation near = simulation_of(plugins, folder, typed(rounded, outputs));
        near.step();
        for (std::size_t k = 2; k < inputs.size(); ++k)
            CHECK(near.value(fmt::format("typed.y{}", kTyped[k].reference)) == inputs[k].second);
        // One that does not fit, of one of the types: not whole, or beyond an end.
        const std::size_t k = 1 + random() % (std::size(kTyped) - 1);
        const auto [bits, is_signed] = kinds[k];
        const double end = std::ldexp(1.0, is_signed ? bits - 1 : bits);
        const double wrong = k == 1              ? 1e39
                             : random() % 2 == 0 ? 0.5
                             : random() % 2 == 0 ? end
                             : is_signed         ? -2.0 * end
                                                 : -1.0;
        inputs[k].second = wrong;
        const std::string said = failure(folder, typed(inputs, outputs));
        CHECK(contains(said, "its \"" + inputs[k].first + "\" takes "));
        CHECK(contains(said, "force \"typed\""));
    }
}

TEST_CASE("arrays by their elements, with sizes that are parameters") {
    const TempFolder folder;
    write_typed(folder);
    Plugins plugins;
    std::mt19937 random(3);
    const auto number = [&] {
        return std::uniform_real_distribution<>(-2.0, 2.0)(random);
    };
    for (int member = 0; member < 30; ++member) {
        const int n = 1 + static_cast<int>(random() % 5);
        std::vector<double> A(static_cast<std::size_t>(n * n)), u(static_cast<std::size_t>(n));
        // The matrix as a list, by elements, or, where the size is as described, in part.
        std::vector<std::string> parameters;
        if (n != 3) parameters.push_back(fmt::format("n = {}", n));
        const bool is_partial = n == 3 && random() % 2 == 0;
        std::string list;
        for (int i = 0; i < n * n; ++i) {
            double& a = A[i];
            a = is_partial && i % 2 == 0 ? (i % 4 == 0 ? 1.0 : 0.0) : number();
            list += fmt::format("{}{}", i == 0 ? "" : member % 4 == 0 ? " " : ", ", a);
            if (member % 2 == 1 && !(is_partial && i % 2 == 0))
                parameters.push_back(fmt::format("A[{}, {}] = {}", i / n + 1, i % n + 1, a));
        }
        if (member % 2 == 0) parameters.push_back("A = " + list);
        // The vector by inputs, by starts, or, where it is as described, not at all.
        std::vector<std::pair<std::string, double>> inputs;
        double sum = 0.0;
        for (int k = 0; k < n; ++k) {
            double& x = u[k];
            x = number();
            const std::string name = fmt::format("u[{}]", k + 1);
            const unsigned how = random() % 3;
            if (how == 0 || (how == 2 && n != 3)) {
                inputs.emplace_back(name, x);
            } else if (how == 1) {
                parameters.push_back(fmt::format("{} = {}", name, x));
            } else {
                x = k + 1.0;
            }
            sum += x;
        }
        std::vector<std::string> outputs = {"sum", "steps", "time", fmt::format("a = A[{}, 1]", n)};
        for (int r = 1; r <= n; ++r) outputs.push_back(fmt::format("y{0} = y[{0}]", r));
        // Without an element among the inputs, starts alone; of another size all must be there.
        if (inputs.empty()) inputs.emplace_back("Int8_in", 1.0);
        const std::string text = typed(inputs, outputs, parameters);
        CAPTURE(text);
        const auto check = [&](const Simulation& it, int steps) {
            for (int r = 0; r < n; ++r) {
                double y = 0.0;
                for (int k = 0; k < n; ++k) y += A[r * n + k] * u[k];
                CHECK(std::abs(it.value(fmt::format("typed.y{}", r + 1)) - y) <= 1e-14);
            }
            CHECK(it.value("typed.sum") == static_cast<double>(static_cast<float>(sum)));
            CHECK(it.value("typed.steps") == 100 + steps);
            CHECK(std::abs(it.value("typed.time") - 0.1 * steps) <= 1e-12);
            CHECK(it.value("typed.a") == A[(n - 1) * n]);
        };
        Simulation it = simulation_of(plugins, folder, text);
        for (int i = 0; i < 100; ++i) it.step();
        check(it, 2);
        // Another instance takes its state, sizes and all.
        Simulation other = simulation_of(plugins, folder, text);
        other.restore(it.save());
        while (!other.done()) other.step();
        check(other, 10);
    }
}

TEST_CASE("what is wrong with arrays, sizes and starts is told") {
    const TempFolder folder;
    write_typed(folder);
    const auto said =
        [&](const char* input, const char* output, const std::vector<std::string>& parameters) {
            return failure(folder, typed({{input, 1.0}}, {output}, parameters));
        };
    CHECK(contains(said("u", "sum", {}), "\"u\" is an array of 3 numbers; name one"));
    CHECK(contains(said("u[1]", "y = A", {}), "an array of 3 x 3 numbers"));
    CHECK(contains(said("u[4]", "sum", {}), "\"u\" is an array of 3, which are counted from 1"));
    CHECK(contains(said("u[0]", "sum", {}), "counted from 1"));
    CHECK(contains(said("u[1, 1]", "sum", {}), "is no element"));
    CHECK(contains(said("Int8_in[1]", "sum", {}), "a single number"));
    CHECK(contains(said("u[1]", "y = A[2]", {}), "1 of the indices of an array of 3 x 3"));
    CHECK(contains(said("sum", "sum", {}), "it has no input \"sum\""));
    CHECK(contains(said("u[1]", "sum", {"A = 1 2 3"}), "is given 3 numbers, and has 9"));
    CHECK(contains(said("u[1]", "sum", {"A[1, 1] = 2", "A = 1 2 3 4 5 6 7 8 9"}), "twice"));
    CHECK(contains(said("Int8_in", "sum", {"n = 2", "A[1, 1] = 2"}),
                   "must give all elements of \"A\""));
    CHECK(contains(said("u[1]", "sum", {"n = 2"}), "leave out elements of an array"));
    CHECK(contains(said("u[1]", "sum", {"u[2] = 1", "u[1] = 1"}), "is an input here"));
    CHECK(contains(said("Int8_in", "sum", {"n = 6"}), "n is too large"));
    CHECK(contains(said("Int8_in", "sum", {"n = 2.5"}), "whole numbers"));
    CHECK(contains(said("Int8_in", "sum", {"time = 1"}), "it has no parameter \"time\""));
    CHECK(contains(said("Int8_in", "sum", {"sum = 1"}), "it has no parameter \"sum\""));
    CHECK(contains(said("Int8_in", "steps", {"steps = 995"}), "it ended its simulation"));
    CHECK(said("Int8_in", "steps", {"steps = 5"}) == "no error");
}

TEST_CASE("one that keeps its state to itself runs forward, and says so") {
    const TempFolder folder;
    write_tiny(folder, "");
    Plugins plugins;
    Simulation it = simulation_of(plugins, folder, tiny());
    for (int i = 0; i < 100; ++i) it.step();
    const std::vector<std::byte> saved = it.save();
    while (!it.done()) it.step();
    CHECK(std::abs(it.value("tiny.x") - 2.7) <= 1e-12);
    std::string said;
    it.restore(saved);
    try {
        while (!it.done()) it.step();
    } catch (const Error& error) {
        said = error.what();
    }
    CHECK(contains(said, "keeps its state to itself"));
    CHECK(contains(said, "force \"tiny\""));
}

TEST_CASE("what a process has left that was stopped while it loaded is cleared away") {
    const TempFolder folder;
    write_tiny(folder);
    const pid_t ended = ::fork();
    if (ended == 0) ::_exit(0);
    ::waitpid(ended, nullptr, 0);
    const auto folder_of = [](pid_t pid) {
        return std::filesystem::temp_directory_path() /
               ("ancora-fmu-" + std::to_string(pid) + "-test00");
    };
    const auto stale = folder_of(ended), mine = folder_of(::getpid());
    std::filesystem::create_directories(stale / "binaries");
    std::filesystem::create_directories(mine);
    failure(folder, tiny("outputs = [\"y\"]\n"));
    CHECK_FALSE(std::filesystem::exists(stale));
    CHECK(std::filesystem::exists(mine));
    std::filesystem::remove_all(mine);
}

TEST_CASE("what an FMU refuses is told with its words") {
    const TempFolder folder;
    write_tiny(folder);
    const std::string said =
        failure(folder,
                tiny("outputs = [\"x = x.y\"]\nparameters = [\"gain = 1e6\"]\n")
                    .replace(tiny().find("parameters"), sizeof "parameters = [\"gain = 3\"]", ""));
    CHECK(contains(said, "DoStep returned error: x is"));
    write_tiny(folder, kStates, "2.0", "{other}");
    CHECK(contains(failure(folder, tiny()), "no guid of mine"));
}

TEST_CASE("names that it does not have, and other FMUs than it runs") {
    const TempFolder folder;
    write_tiny(folder);
    CHECK(contains(failure(folder, tiny("outputs = [\"y\"]\n")),
                   "it has no output \"y\"; there are \"x.y\""));
    CHECK(contains(failure(folder, tiny("outputs = [\"x.y\"]\n")), "write \"NAME = x.y\""));
    CHECK(contains(failure(folder, tiny("outputs = [\"x = x.y\"]\nu2 = 1.0\n")),
                   "has no name in inputs"));
    CHECK(contains(failure(folder, tiny("outputs = []\n")), "names none"));
    CHECK(contains(failure(folder, tiny("outputs = [\"x = x.y\", \"x = x.y\"]\n")),
                   "outputs: have two of the name \"x\""));
    std::string text = tiny();
    text.replace(text.find("[\"u\"]"), 5, "[\"word\"]");
    CHECK(contains(failure(folder, text), "is no number"));
    text = tiny();
    text.replace(text.find("[\"u\"]"), 5, "[\"u\", \"u\"]\nu2 = 1.0");
    CHECK(contains(failure(folder, text), "inputs: name \"u\" twice"));
    text = tiny();
    text.replace(text.find("\"gain = 3\""), 10, "\"gain = 3\", \"gain = 4\"");
    CHECK(contains(failure(folder, text), "parameters: give \"gain\" twice"));
    text = tiny();
    text.replace(text.find("gain = 3"), 8, "gain = x");
    CHECK(contains(failure(folder, text), "is given no number"));

    write_tiny(folder, kStates, "1.0");
    CHECK(contains(failure(folder, tiny()), "FMI version \"1.0\""));
    write_tiny(folder, kStates, "2.0", "{tiny}", "ModelExchange");
    CHECK(contains(failure(folder, tiny()), "not for co-simulation"));
    write_tiny(folder, kStates, "2.0", "{tiny}", "ScheduledExecution");
    CHECK(contains(failure(folder, tiny()), "for scheduled execution alone"));
    write_tiny(folder, "needsExecutionTool=\"true\"");
    CHECK(contains(failure(folder, tiny()), "needs the tool"));
}

TEST_CASE("archives that are damaged, and ones that others may write to") {
    const TempFolder folder;
    write_tiny(folder);
    const fs::path file = folder / "tiny.fmu";
    fs::permissions(file, fs::perms::others_write, fs::perm_options::add);
    CHECK(contains(failure(folder, tiny()), "others may write to"));
    fs::permissions(file, fs::perms::others_write, fs::perm_options::remove);

    std::ifstream in(file, std::ios::binary);
    const std::string whole(std::istreambuf_iterator<char>(in), {});
    const auto with = [&](const std::string& bytes) {
        std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
        return failure(folder, tiny());
    };
    CHECK(contains(with(""), "is no FMU, or damaged"));
    CHECK(contains(with("PK"), "is no FMU, or damaged"));
    CHECK(contains(with(whole.substr(0, whole.size() / 2)), "is no FMU, or damaged"));
    std::string outside = whole;
    for (std::size_t at = 0; (at = outside.find("modelDescription.xml", at)) != std::string::npos;)
        outside.replace(at, 20, "../lDescription.xml.");
    CHECK(contains(with(outside), "lies outside of it"));
    CHECK(!fs::exists(folder / "lDescription.xml."));
    // Wherever a byte is wrong there are words, or nothing that matters was.
    std::mt19937 random(5);
    int refused = 0;
    for (int i = 0; i < 40; ++i) {
        std::string bytes = whole;
        const std::size_t near_end = std::min<std::size_t>(whole.size(), 400);
        const std::size_t at =
            i % 2 == 0 ? random() % bytes.size() : bytes.size() - 1 - random() % near_end;
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
        refused += with(bytes) != "no error" ? 1 : 0;
    }
    CHECK(refused > 15);
    CHECK(with(whole) == "no error");
}

// --- model exchange

namespace {

void write_exchange(const fs::path& file,
                    const std::string& text,
                    int version,
                    const std::vector<std::string>& inputs,
                    const std::vector<std::string>& outputs) {
    Plugins plugins;
    FmuOptions options;
    options.inputs = inputs;
    options.outputs = outputs;
    options.version = version;
    options.for_cosimulation = false;
    options.for_model_exchange = true;
    write_fmu(Manifest::parse(text, "inner.toml"), plugins.registry, file, options);
}

std::string run_with(const char* integrator, double end) {
    return fmt::format("[integrator]\n{}\nend = {}\n", integrator, end);
}
constexpr const char* kExact = "type = \"dopri5\"\nstep = 1e-3\ntolerance = 1e-11";
constexpr const char* kFine = "type = \"emm\"\nstep = 1e-3";

const std::string kNothing = "[[body]]\nname = \"none\"\ntype = \"particle\"\nmass = 1.0\n";

std::string plant(const std::string& more) {
    return "[[force]]\nname = \"plant\"\ntype = \"exchange_fmu\"\nfile = \"plant.fmu\"\n" + more;
}

double at_end(Simulation&& it, const char* column) {
    while (!it.done()) it.step();
    return it.value(column);
}

}  // namespace

TEST_CASE("an FMU for model exchange moves as its model does, by the model's integrators") {
    // Two bars in hinges with a spring, from rest at random attitudes.
    std::mt19937_64 random(3);
    const auto pick = [&random](double low, double high) {
        return std::uniform_real_distribution<double>(low, high)(random);
    };
    for (const int version : {2, 3}) {
        CAPTURE(version);
        const std::string inner = fmt::format(
            "[model]\nname = \"bars\"\ngravity = [{}, 0.0, -9.81]\n"
            "[[body]]\nname = \"upper\"\ntype = \"ancf_rigid_body\"\nsize = [0.6, 0.1, 0.1]\n"
            "density = {}\npenalty = inf\nposition = [0.3, 0, 0]\n"
            "[[body]]\nname = \"lower\"\ntype = \"ancf_rigid_body\"\nsize = [0.4, 0.08, 0.08]\n"
            "density = 700.0\npenalty = inf\nposition = [0.8, 0, 0]\n"
            "[[joint]]\nname = \"shoulder\"\ntype = \"revolute\"\na = \"ground\"\nb = \"upper\"\n"
            "point = [0, 0, 0]\naxis = [{}, 1.0, 0.2]\n"
            "[[joint]]\nname = \"elbow\"\ntype = \"revolute\"\na = \"upper\"\nb = \"lower\"\n"
            "point = [0.6, 0, 0]\naxis = \"y\"\nspring = {{ stiffness = {}, damping = 0.2 }}\n",
            pick(-3.0, 3.0),
            pick(500.0, 2000.0),
            pick(-0.5, 0.5),
            pick(5.0, 40.0));
        const TempFolder folder;
        write_exchange(folder / "plant.fmu",
                       inner + run_with(kFine, 0.4),
                       version,
                       {},
                       {"shoulder.angle", "elbow.angle"});
        Plugins plugins;
        const double right =
            at_end(simulation_of(plugins, folder, inner + run_with(kExact, 0.4)), "elbow.angle");
        REQUIRE(std::abs(right) > 0.01);
        const std::string outer =
            kNothing + plant("period = 1e-2\noutputs = [\"angle = elbow.angle\"]\n");
        const auto by = [&](const char* integrator) {
            return at_end(simulation_of(plugins, folder, outer + run_with(integrator, 0.4)),
                          "plant.angle");
        };
        CHECK(by("type = \"dopri5\"\nstep = 1e-3\ntolerance = 1e-9") ==
              doctest::Approx(right).epsilon(1e-6));
        // order two
        const double coarse = by("type = \"emm\"\nstep = 4e-3") - right;
        const double fine = by("type = \"emm\"\nstep = 2e-3") - right;
        CHECK(std::abs(fine) < 4e-4);
        CHECK(std::abs(coarse / fine) > 3.0);
        CHECK(std::abs(coarse / fine) < 5.0);
    }
}

TEST_CASE("events of an FMU for model exchange are located: a ball that bounces") {
    for (const int version : {2, 3}) {
        CAPTURE(version);
        const double k = 0.8, g = 9.81, drop = 0.3, end = 1.2;
        const TempFolder folder;
        write_exchange(folder / "plant.fmu",
                       fmt::format("[model]\nname = \"ball\"\ngravity = [0, 0, {}]\n[[body]]\n"
                                   "name = \"ball\"\ntype = \"particle\"\nmass = 0.2\nposition = "
                                   "[0, 0, {}]\n[[constraint]]\nname = \"floor\"\ntype = "
                                   "\"contact\"\na = \"ball\"\nb = \"ground\"\nradius = 0.05\n"
                                   "plane = {{ normal = [0, 0, 1] }}\nrestitution = {}\n",
                                   -g,
                                   0.05 + drop,
                                   k) +
                           run_with(kFine, 5.0),
                       version,
                       {},
                       {"ball.z"});
        // height at the end, bounce by bounce
        double t = std::sqrt(2.0 * drop / g), v = k * g * t;
        int bounces = 1;
        while (t + 2.0 * v / g < end) {
            t += 2.0 * v / g;
            v *= k;
            ++bounces;
        }
        REQUIRE(bounces >= 3);
        const double right = 0.05 + v * (end - t) - 0.5 * g * (end - t) * (end - t);
        Plugins plugins;
        const std::string outer = kNothing + plant("outputs = [\"z = ball.z\"]\n");
        for (const char* integrator :
             {"type = \"dopri5\"\nstep = 1e-3\ntolerance = 1e-9", "type = \"emm\"\nstep = 1e-3"}) {
            CAPTURE(integrator);
            CHECK(at_end(simulation_of(plugins, folder, outer + run_with(integrator, end)),
                         "plant.z") == doctest::Approx(right).epsilon(1e-5));
        }
    }
}

TEST_CASE("an FMU of others for model exchange: modes, events of both kinds, completed steps") {
    // In C, and as the standard has it: what an event does depends on the far side of a crossing.
    const TempFolder folder;
    const auto write = [&](const char* states) {
        const fs::path inside = folder / "ball";
        fs::create_directories(inside / "binaries/linux64");
        fs::copy_file(ANCORA_TEST_TINY_EXCHANGE,
                      inside / "binaries/linux64/ball.so",
                      fs::copy_options::overwrite_existing);
        std::ofstream(inside / "modelDescription.xml") << fmt::format(
            "<?xml version=\"1.0\"?>\n<fmiModelDescription fmiVersion=\"2.0\" modelName=\"ball\" "
            "guid=\"{{ball}}\" numberOfEventIndicators=\"1\">\n<ModelExchange "
            "modelIdentifier=\"ball\" {}/>\n<ModelVariables>\n"
            "<ScalarVariable name=\"h\" valueReference=\"1\" causality=\"output\"><Real/>"
            "</ScalarVariable>\n<ScalarVariable name=\"v\" valueReference=\"2\"><Real/>"
            "</ScalarVariable>\n<ScalarVariable name=\"der(h)\" valueReference=\"3\"><Real "
            "derivative=\"1\"/></ScalarVariable>\n<ScalarVariable name=\"der(v)\" "
            "valueReference=\"4\"><Real derivative=\"2\"/></ScalarVariable>\n"
            "<ScalarVariable name=\"e\" valueReference=\"5\" causality=\"parameter\"><Real "
            "start=\"0.5\"/></ScalarVariable>\n<ScalarVariable name=\"steps\" "
            "valueReference=\"6\"><Real/></ScalarVariable>\n<ScalarVariable name=\"off\" "
            "valueReference=\"7\" causality=\"input\"><Boolean start=\"false\"/></ScalarVariable>\n"
            "<ScalarVariable name=\"lit\" valueReference=\"8\"><Real/></ScalarVariable>\n"
            "<ScalarVariable name=\"late\" valueReference=\"9\"><Real/></ScalarVariable>\n"
            "</ModelVariables>\n<ModelStructure><Derivatives><Unknown index=\"3\"/><Unknown "
            "index=\"4\"/></Derivatives></ModelStructure>\n</fmiModelDescription>\n",
            states);
        pack(inside, folder / "plant.fmu");
    };
    const double g = 9.81, e = 0.7;
    /// Height at a time: flights from bounce to bounce, with the kick at 1 s, without weight behind
    /// `off`.
    int num_lit = 0;
    const auto height = [&](double end, double off) {
        double t = 0.0, h = 1.0, v = 0.0;
        num_lit = 0;
        while (t < end) {
            const double a = t < off ? -g : 0.0;
            double stop = end;
            for (const double at : {1.0, off})
                if (at > t) stop = std::min(stop, at);
            // the first time at which h + v s + a s^2 / 2 = 0 on the way down
            double hit = stop - t + 1.0;
            if (a < 0.0)
                hit = (v + std::sqrt(v * v - 2.0 * a * h)) / -a;
            else if (v < 0.0)
                hit = -h / v;
            const bool bounces = t + hit <= stop;
            const double s = bounces ? hit : stop - t;
            h = bounces ? 0.0 : h + v * s + 0.5 * a * s * s;
            v += a * s;
            if (bounces) v *= -e;
            if (bounces && t + s + 0.05 < end) ++num_lit;
            t = bounces ? t + s : stop;
            if (!bounces && t == 1.0) v += 2.0;
        }
        return h;
    };
    Plugins plugins;
    for (const bool has_states : {true, false}) {
        write(has_states ? kStates : "");
        for (const char* integrator : {"type = \"dopri5\"\nstep = 1e-3\ntolerance = 1e-9",
                                       "type = \"emm\"\nstep = 1e-2",
                                       "type = \"rk4\"\nstep = 1e-2"}) {
            for (const double end : {0.9, 1.7, 2.4}) {
                CAPTURE(has_states);
                CAPTURE(integrator);
                CAPTURE(end);
                Simulation it = simulation_of(
                    plugins,
                    folder,
                    kNothing +
                        plant("period = 0.1\ninputs = [\"off\"]\nu1 = \"if(t < 1.55, 0, "
                              "1)\"\nparameters = [\"e = 0.7\"]\noutputs = [\"h\", \"steps\", "
                              "\"lit\", \"late\"]\n") +
                        run_with(integrator, end));
                while (!it.done()) it.step();
                // the truth value is read at samples: at 1.6 s
                CHECK(std::abs(it.value("plant.h") - height(end, 1.6)) < 1e-7);
                CHECK(num_lit > 0);
                CHECK(it.value("plant.lit") == num_lit);
                CHECK(it.value("plant.late") < 1e-12);
                CHECK(it.value("plant.steps") >= std::floor(10.0 * end + 1e-9) - 1.0);
            }
        }
    }
}

TEST_CASE("a plant for model exchange in a loop with a body, and its state with the run's") {
    // A slider on a spring, which the wheel's angle pushes and whose way turns the wheel.
    const std::string slider =
        "[[body]]\nname = \"slider\"\ntype = \"particle\"\nmass = 0.7\nposition = [0.1, 0, 0]\n"
        "[[force]]\nname = \"coil\"\ntype = \"spring\"\na = \"slider@[0, 0, 0]\"\nb = \"ground@[1, "
        "0, 0]\"\n"
        "stiffness = 30\n";
    std::string wheel = kWheel;
    wheel.resize(wheel.find("[integrator]"));
    const std::string drive =
        "[[force]]\nname = \"drive\"\ntype = \"actuator\"\non = \"axle\"\ncommand = ";
    const std::string push =
        "[[force]]\nname = \"push\"\ntype = \"point_load\"\nat = \"slider@[0, 0, 0]\"\n"
        "force = [\"2*axle.angle\", \"0\", \"0\"]\n";
    const TempFolder folder;
    for (const int version : {2, 3}) {
        CAPTURE(version);
        write_exchange(folder / "plant.fmu",
                       "[model]\nname = \"slider\"\n" + slider + run_with(kFine, 2.0),
                       version,
                       {"slider@[0, 0, 0]"},
                       {"slider.x"});
        const std::string outer =
            wheel +
            plant(
                "inputs = [\"slider@[0, 0, 0].force.x\"]\nu1 = \"2*axle.angle\"\noutputs = [\"x = "
                "slider.x\"]\n") +
            drive + "\"3*plant.x - 2*axle.angle\"\n";
        Plugins plugins;
        const double right =
            at_end(simulation_of(plugins,
                                 folder,
                                 wheel + slider + push + drive + "\"3*slider.x - 2*axle.angle\"\n" +
                                     run_with(kExact, 0.8)),
                   "axle.angle");
        REQUIRE(std::abs(right) > 1e-3);
        CHECK(at_end(simulation_of(
                         plugins,
                         folder,
                         outer + run_with("type = \"dopri5\"\nstep = 1e-3\ntolerance = 1e-9", 0.8)),
                     "axle.angle") == doctest::Approx(right).epsilon(1e-6));
        // saved and restored, in it and in another, the same bits
        const std::string by_steps = outer + run_with(kFine, 0.3);
        Simulation it = simulation_of(plugins, folder, by_steps);
        Simulation other = simulation_of(plugins, folder, by_steps);
        for (int i = 0; i < 100; ++i) it.step();
        const std::vector<std::byte> saved = it.save();
        other.restore(saved);
        const double first = at_end(std::move(other), "axle.angle");
        while (!it.done()) it.step();
        CHECK(it.value("axle.angle") == first);
        it.restore(saved);
        while (!it.done()) it.step();
        CHECK(it.value("axle.angle") == first);
    }
}

TEST_CASE("an FMU that is not for what it is taken for is refused with the type that runs it") {
    const TempFolder folder;
    write_exchange(folder / "plant.fmu",
                   "[model]\nname = \"x\"\n" + kNothing + run_with(kFine, 1.0),
                   2,
                   {},
                   {"none.x"});
    const std::string as_steps =
        kWheel +
        "[[force]]\nname = \"f\"\ntype = \"fmu\"\nfile = \"plant.fmu\"\nperiod = 0.1\n"
        "outputs = [\"x = none.x\"]\n";
    CHECK(contains(failure(folder, as_steps), "type = \"exchange_fmu\" integrates it"));
    write_tiny(folder);
    CHECK(contains(failure(folder,
                           kWheel + "[[force]]\nname = \"f\"\ntype = \"exchange_fmu\"\nfile = "
                                    "\"tiny.fmu\"\noutputs = [\"x = x.y\"]\n"),
                   "it is not for model exchange; type = \"fmu\" with a period runs it"));
}
