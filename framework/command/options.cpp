// SPDX-License-Identifier: BSD-3-Clause
// Splits the command line by hand and leaves the options of one command to Boost.
#include "options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <sstream>
#include <string_view>
#include <utility>

#include <boost/program_options.hpp>
#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "ancora/framework/manifest.hpp"
#include "option_table.hpp"

namespace ancora::command {
namespace {

namespace po = boost::program_options;

// Boost would otherwise take "--plug" for "--plugin-dir".
constexpr int kStyle = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;

/// The name of an option without its letter or value, and the latter.
std::string option_name(const OptionRow& row) {
    const std::string_view text = row.name;
    return std::string(text.substr(0, text.find_first_of(", ")));
}

/// The options of commands with these sets.
po::options_description describe(OptionSets sets) {
    po::options_description list("Options");
    for (const OptionRow& row : option_table()) {
        const std::string name = option_name(row);
        if ((row.of & ~sets) != 0 || list.find_nothrow(name, false) != nullptr) continue;
        if (row.flag != nullptr) {
            list.add_options()(row.name, row.doc);
            continue;
        }
        const std::string value = row.name + name.size() + 1;
        if (row.is_repeatable)
            list.add_options()(
                name.c_str(),
                po::value<std::vector<std::string>>()->composing()->value_name(value),
                row.doc);
        else
            list.add_options()(name.c_str(), po::value<std::string>()->value_name(value), row.doc);
    }
    return list;
}

std::vector<OptionText> texts_of(const po::options_description& list) {
    std::vector<OptionText> texts;
    for (const auto& option : list.options())
        texts.push_back({option->long_name(),
                         option->semantic()->max_tokens() > 0 ? option->format_parameter() : "",
                         option->description(),
                         option->semantic()->is_composing()});
    return texts;
}

[[noreturn]] void fail(const std::string& message) {
    throw Error(ErrorKind::usage, message);
}

[[noreturn]] void fail_unknown_option(const std::string& option,
                                      const std::string& of,
                                      const po::options_description& list) {
    std::vector<std::string> names;
    for (const auto& entry : list.options())
        names.push_back(fmt::format("--{}", entry->long_name()));
    fail(fmt::format("unknown option \"{}\"{} (\"{} --help\" lists the options)",
                     option,
                     did_you_mean(option, names),
                     of));
}

int parse_threads(const std::string& text) {
    int count = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, count);
    if (error != std::errc() || rest != end || count < 1)
        fail(fmt::format("option \"--threads\": \"{}\" is not a positive whole number", text));
    return count;
}

/// A whole number >= 0 after an option.
std::uint64_t parse_whole(const char* option, const std::string& text) {
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || rest != end)
        fail(fmt::format("option \"{}\": \"{}\" is not a whole number", option, text));
    return number;
}

double parse_seconds(const char* option, const std::string& text) {
    double number = 0.0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || rest != end || !(number > 0.0) || !(number < 1e6))
        fail(fmt::format("option \"{}\": \"{}\" is not a number of seconds", option, text));
    return number;
}

double parse_number(const char* option, const std::string& text) {
    double number = 0.0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || rest != end || !(std::abs(number) < 1e9))
        fail(fmt::format("option \"{}\": \"{}\" is not a number", option, text));
    return number;
}

/// "1280x720".
std::array<int, 2> parse_size(const std::string& text) {
    const std::size_t cross = text.find('x');
    if (cross == std::string::npos)
        fail(fmt::format("option \"--size\": expected WxH, as in 1280x720, not \"{}\"", text));
    const std::uint64_t width = parse_whole("--size", text.substr(0, cross)),
                        height = parse_whole("--size", text.substr(cross + 1));
    if (std::max(width, height) > 100'000)
        fail(fmt::format("option \"--size\": {} is no size of a picture", text));
    return {static_cast<int>(width), static_cast<int>(height)};
}

/// "A,E" in degrees.
std::array<double, 2> parse_eye(const std::string& text) {
    const std::size_t comma = text.find(',');
    if (comma == std::string::npos)
        fail(fmt::format("option \"--view\": expected A,E, as in -60,25, not \"{}\"", text));
    constexpr double kRadians = 0.017453292519943295;  // per degree
    return {kRadians * parse_number("--view", text.substr(0, comma)),
            kRadians * parse_number("--view", text.substr(comma + 1))};
}

/// "A:B:N".
Options::SpinRates parse_spin_range(const std::string& text) {
    constexpr const char* kOption = "--spin-range";
    const std::size_t first = text.find(':'),
                      second = first == std::string::npos ? first : text.find(':', first + 1);
    if (second == std::string::npos)
        fail(fmt::format(
            "option \"{}\": expected A:B:N, as in 0:500:51, not \"{}\"", kOption, text));
    const Options::SpinRates out{parse_number(kOption, text.substr(0, first)),
                                 parse_number(kOption, text.substr(first + 1, second - first - 1)),
                                 parse_whole(kOption, text.substr(second + 1))};
    if (out.count < 2 || out.count > 100'000)
        fail(fmt::format("option \"{}\": there may be 2 to 100000 rates", kOption));
    if (out.first == out.last)
        fail(fmt::format("option \"{}\": the first rate is the last", kOption));
    return out;
}

/// One for each word by which help names them.
std::size_t most_operands(const Command& command) {
    const std::string_view names = command.operand != nullptr ? command.operand : "";
    return names.empty() ? 0 : 1 + static_cast<std::size_t>(std::ranges::count(names, ' '));
}

/// Names of columns, separated by commas but for those in brackets, "bar@[0.5, 0.0, 0.0].x". A name
/// in quotes is read as in history.csv: with "" for a quote, and commas and brackets as they are.
void split_columns(const char* option, const std::string& text, std::vector<std::string>& to) {
    std::size_t at = 0;
    while (true) {
        std::string name;
        if (at < text.size() && text[at] == '"') {
            for (++at;; ++at) {
                if (at >= text.size())
                    fail(fmt::format(
                        "option \"{}\": a quote is not closed in \"{}\"", option, text));
                if (text[at] == '"' && (at + 1 >= text.size() || text[++at] != '"')) break;
                name += text[at];
            }
            if (text[at] == '"') ++at;  // the last character
            if (at < text.size() && text[at] != ',')
                fail(fmt::format(
                    "option \"{}\": a comma is missing behind a quote in \"{}\"", option, text));
        } else {
            int depth = 0;
            for (; at < text.size() && (text[at] != ',' || depth > 0); ++at) {
                depth += text[at] == '[' ? 1 : text[at] == ']' ? -1 : 0;
                name += text[at];
            }
            if (depth > 0)
                fail(fmt::format("option \"{}\": a bracket is not closed in \"{}\"", option, name));
        }
        if (name.empty()) fail(fmt::format("option \"{}\": \"{}\" names nothing", option, text));
        to.push_back(std::move(name));
        if (at >= text.size()) return;
        ++at;
    }
}

/// The arguments of one command, the command's name left out.
Options parse_options(const Command& command, const std::vector<std::string>& arguments) {
    const std::string name = fmt::format("ancora {}", command.name);
    const po::options_description list = describe(command.options);
    po::variables_map values;
    std::vector<std::string> operands;
    try {
        const auto parsed = po::command_line_parser(arguments).options(list).style(kStyle).run();
        for (const auto& option : parsed.options)
            if (option.position_key >= 0)
                operands.insert(operands.end(), option.value.begin(), option.value.end());
        po::store(parsed, values);
    } catch (const po::unknown_option& error) {
        fail_unknown_option(error.get_option_name(), name, list);
    } catch (const po::multiple_occurrences& error) {
        fail(fmt::format("option \"{}\" is given more than once", error.get_option_name()));
    } catch (const po::invalid_command_line_syntax& error) {
        if (error.kind() == po::invalid_syntax::missing_parameter ||
            error.kind() == po::invalid_syntax::empty_adjacent_parameter)
            fail(fmt::format("option \"{}\" needs a value", error.get_option_name()));
        fail(error.what());
    } catch (const po::error& error) {
        fail(error.what());
    }

    Options options;
    for (const OptionRow& row : option_table())
        if (row.flag != nullptr) options.*row.flag |= values.count(option_name(row)) > 0;
    options.locked |= values.count("lock") > 0;
    if (options.help) return options;

    if (values.count("threads") > 0)
        options.threads = parse_threads(values["threads"].as<std::string>());
    const auto read_names = [&](const char* option, std::vector<std::string>& to) {
        if (values.count(option) == 0) return;
        for (const std::string& text : values[option].as<std::vector<std::string>>())
            split_columns(option, text, to);
    };
    if (command.options & (kFmu | kPorts)) {
        read_names("in", options.inputs);
        read_names("out", options.outputs);
    } else if (values.count("out") > 0) {
        options.out = values["out"].as<std::string>();
    }
    if (command.options & kFmu) {
        read_names("param", options.parameters);
        if (values.count("with") > 0)
            for (const std::string& file : values["with"].as<std::vector<std::string>>())
                options.other_fmus.emplace_back(file);
        if (values.count("fmi") > 0)
            options.fmi_version =
                static_cast<int>(parse_whole("--fmi", values["fmi"].as<std::string>()) & 0xff);
        if (values.count("type") > 0) {
            const std::string type = values["type"].as<std::string>();
            if (type != "cs" && type != "me" && type != "both")
                fail(fmt::format("option \"--type\": expected cs, me or both, not \"{}\"", type));
            options.for_cosimulation = type != "me";
            options.for_model_exchange = type != "cs";
        }
        if (values.count("file") > 0) options.file = values["file"].as<std::string>();
    }
    if (values.count("dir") > 0) options.dir = values["dir"].as<std::string>();
    if (values.count("lock") > 0) options.lock = values["lock"].as<std::string>();
    if (values.count("set") > 0) options.overrides = values["set"].as<std::vector<std::string>>();
    if (values.count("plugin-dir") > 0)
        for (const std::string& folder : values["plugin-dir"].as<std::vector<std::string>>())
            options.plugin_dirs.emplace_back(folder);

    if (values.count("check") > 0) options.check = values["check"].as<std::string>();
    if (values.count("seed") > 0)
        options.seed = parse_whole("--seed", values["seed"].as<std::string>());
    if (values.count("time-limit") > 0)
        options.time_limit = parse_seconds("--time-limit", values["time-limit"].as<std::string>());
    if (values.count("memory-limit") > 0)
        options.memory_limit =
            parse_whole("--memory-limit", values["memory-limit"].as<std::string>());

    if (values.count("workers") > 0) {
        options.workers = parse_whole("--workers", values["workers"].as<std::string>());
        if (*options.workers < 1 || *options.workers > 1024)
            fail("option \"--workers\": there may be 1 to 1024");
    }
    if (values.count("part") > 0) {
        const std::string text = values["part"].as<std::string>();
        const std::size_t slash = text.find('/');
        if (slash == std::string::npos)
            fail(fmt::format("option \"--part\": expected I/N, as in 0/10, not \"{}\"", text));
        options.part = parse_whole("--part", text.substr(0, slash));
        options.parts = parse_whole("--part", text.substr(slash + 1));
        if (options.part >= options.parts)
            fail(fmt::format("option \"--part\": there is no part {}", text));
    }
    if (options.merge + options.slurm + (options.parts > 1 ? 1 : 0) > 1)
        fail("\"--part\", \"--merge\" and \"--slurm\" exclude each other");

    if (command.options & (kGradient | kFit | kJointSpace)) {
        read_names("of", options.of);
        read_names("by", options.by);
    }
    if ((command.options & kPlacement) != 0 && values.count("to") > 0)
        options.targets = values["to"].as<std::vector<std::string>>();
    if (values.count("method") > 0) {
        options.method = values["method"].as<std::string>();
        if (*options.method != "adjoint" && *options.method != "differences")
            fail(fmt::format("option \"--method\": expected adjoint or differences, not \"{}\"",
                             *options.method));
    }
    if (values.count("columns") > 0)
        for (const std::string& text : values["columns"].as<std::vector<std::string>>())
            split_columns("--columns", text, options.columns);
    if (values.count("at") > 0) options.at = parse_seconds("--at", values["at"].as<std::string>());
    if (options.at && options.at_rest) fail("\"--at\" and \"--at-rest\" exclude each other");
    if (options.spinning && options.at_rest)
        fail("\"--spinning\" and \"--at-rest\" exclude each other");
    if (values.count("count") > 0) {
        options.count = parse_whole("--count", values["count"].as<std::string>());
        if (*options.count < 1 || *options.count > 1'000'000)
            fail("option \"--count\": there may be 1 to 1000000");
    }
    if (values.count("spin-range") > 0)
        options.spin_range = parse_spin_range(values["spin-range"].as<std::string>());
    if (values.count("axes") > 0) {
        options.axes = values["axes"].as<std::string>();
        if (*options.axes != "fixed" && *options.axes != "turning")
            fail(fmt::format("option \"--axes\": expected fixed or turning, not \"{}\"",
                             *options.axes));
    }
    if (options.spin_range && options.at_rest)
        fail("\"--spin-range\" and \"--at-rest\" exclude each other");
    if (values.count("port") > 0) {
        const std::uint64_t port = parse_whole("--port", values["port"].as<std::string>());
        if (port > 65535) fail("option \"--port\": the largest is 65535");
        options.port = static_cast<unsigned short>(port);
    }
    const auto read_number = [&](const char* option, std::optional<double>& to) {
        if (values.count(option) > 0 && (command.options & kPlacement) == 0)
            to =
                parse_number(fmt::format("--{}", option).c_str(), values[option].as<std::string>());
    };
    read_number("from", options.from);
    read_number("to", options.to);
    read_number("speed", options.speed);
    read_number("fps", options.rate);
    if (values.count("colour") > 0) options.colour = values["colour"].as<std::string>();
    if (values.count("without") > 0)
        split_columns("--without", values["without"].as<std::string>(), options.without);
    if (values.count("size") > 0) {
        const auto [width, height] = parse_size(values["size"].as<std::string>());
        options.width = width;
        options.height = height;
    }
    if (values.count("view") > 0) options.eye = parse_eye(values["view"].as<std::string>());
    if (values.count("over") > 0) options.over = values["over"].as<std::string>();
    if (values.count("every") > 0) {
        options.every = parse_whole("--every", values["every"].as<std::string>());
        if (*options.every == 0) fail("option \"--every\": 0 is no number of frames");
    }

    if (options.json && options.markdown) fail("\"--json\" and \"--markdown\" exclude each other");

    if (options.json && options.print) fail("\"--json\" and \"--print\" exclude each other");

    const bool needs_none = command.operand == nullptr || options.all || options.list;
    const std::size_t most = needs_none ? 0 : most_operands(command);
    const std::size_t expected = most - (needs_none || command.operand == nullptr
                                             ? 0
                                             : static_cast<std::size_t>(std::ranges::count(
                                                   std::string_view(command.operand), '[')));
    if (operands.size() < expected)
        fail(fmt::format("\"{}\" needs {}: {} {}",
                         name,
                         expected == 1 ? "an argument" : "arguments",
                         name,
                         command.operand));
    if (operands.size() > most)
        fail(fmt::format("unexpected argument \"{}\" (see \"{} --help\")", operands[most], name));
    if (expected > 0) options.operand = operands.front();
    options.operands = std::move(operands);
    return options;
}

const Command& find(std::span<const Command> commands, const std::string& name) {
    std::vector<std::string> names;
    for (const Command& command : commands) {
        if (command.name == name) return command;
        names.emplace_back(command.name);
    }
    fail(fmt::format("unknown command \"{}\"{} (\"ancora --help\" lists the commands)",
                     name,
                     did_you_mean(name, names)));
}

}  // namespace

Invocation parse(std::span<const Command> commands, const std::vector<std::string>& arguments) {
    po::options_description list = describe(kCommon);
    list.add_options()("version", "");

    // Common options may stand before the command, too; they move behind it.
    Invocation invocation;
    std::vector<std::string> rest;
    auto argument = arguments.begin();
    for (; argument != arguments.end() && argument->starts_with('-'); ++argument) {
        if (*argument == "--version") {
            invocation.version = true;
        } else if (*argument == "--help" || *argument == "-h") {
            invocation.options.help = true;
        } else if (*argument == "--threads" && argument + 1 != arguments.end()) {
            rest.push_back(*argument);
            rest.push_back(*++argument);
        } else if (*argument == "--verbose" || argument->starts_with("--threads=")) {
            rest.push_back(*argument);
        } else {
            fail_unknown_option(*argument, "ancora", list);
        }
    }
    if (invocation.version || (invocation.options.help && argument == arguments.end()))
        return invocation;
    if (argument == arguments.end()) {
        invocation.options.help = false;
        fail("no command given (\"ancora --help\" lists the commands)");
    }
    if (invocation.options.help) rest.emplace_back("--help");

    invocation.command = &find(commands, *argument);
    rest.insert(rest.end(), argument + 1, arguments.end());
    invocation.options = parse_options(*invocation.command, rest);
    return invocation;
}

std::vector<OptionText> option_texts(const Command& command) {
    return texts_of(describe(command.options));
}

std::vector<OptionText> common_option_texts() {
    return texts_of(describe(kCommon));
}

std::vector<std::string> options_with_values(std::span<const Command> commands) {
    std::vector<std::string> names;
    for (const Command& command : commands)
        for (const OptionText& option : option_texts(command)) {
            const std::string name = "--" + option.name;
            if (!option.value.empty() && std::ranges::find(names, name) == names.end())
                names.push_back(name);
        }
    return names;
}

std::string help(std::span<const Command> commands) {
    std::string text =
        "usage: ancora COMMAND ...\n\n"
        "Simulates multibody systems from model files; bodies, constraints, forces and\n"
        "integrators come from plugins.\n\n"
        "Commands:\n";
    for (const Command& command : commands) {
        const std::string call =
            fmt::format("{} {}", command.name, command.operand != nullptr ? command.operand : "");
        text += fmt::format("  {:<18} {}\n", call, command.doc);
    }
    po::options_description list = describe(kCommon);
    list.add_options()("version", "show the version");
    std::ostringstream options;
    options << list;
    text += fmt::format("\n{}", options.str());
    text +=
        "\n\"ancora COMMAND --help\" explains a command.\n\n"
        "Exit status:\n"
        "  0  success                   4  plugin: not found, refused or at fault\n"
        "  1  internal error            5  numerical: no convergence, inconsistent start\n"
        "  2  usage of the command line 6  files: cannot read or write\n"
        "  3  error in the model file   130  interrupted; what was computed is kept\n";
    return text;
}

std::string help(const Command& command) {
    std::ostringstream options;
    options << describe(command.options);
    const std::string operand =
        command.operand != nullptr ? fmt::format(" {}", command.operand) : "";
    return fmt::format("usage: ancora {}{} [OPTION]...\n\n{}\n\n{}",
                       command.name,
                       operand,
                       command.doc,
                       options.str());
}

}  // namespace ancora::command
