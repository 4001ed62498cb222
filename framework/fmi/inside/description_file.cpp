// SPDX-License-Identifier: BSD-3-Clause
// Lines and cells of variables.txt.
#include "description_file.hpp"

#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "ancora/framework/error.hpp"

namespace ancora::fmu {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostVariables = 1'000'000;

std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> out(1);
    for (const char c : text) {
        if (c == at)
            out.emplace_back();
        else
            out.back() += c;
    }
    return out;
}

double number_of(const std::string& text, const fs::path& file) {
    double x = 0.0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), x);
    if (error != std::errc() || rest != text.data() + text.size() || !std::isfinite(x))
        throw Error(ErrorKind::file,
                    fmt::format("\"{}\" holds \"{}\" where a number belongs", file.string(), text));
    return x;
}

}  // namespace

std::string read_file(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) throw Error(ErrorKind::file, fmt::format("cannot read \"{}\"", file.string()));
    return {std::istreambuf_iterator<char>(in), {}};
}

Description read_description(const fs::path& file) {
    const std::vector<std::string> lines = split(read_file(file), '\n');
    const auto damaged = [&](const char* what) {
        throw Error(ErrorKind::file, fmt::format("\"{}\" {}", file.string(), what));
    };
    if (lines.size() < 5 || lines[0] != "ancora fmu 3") damaged("is not of an FMU of Ancora");
    if (lines.size() > kMostVariables) damaged("is too long");
    Description out;
    out.token = lines[1];
    out.step = number_of(lines[2], file);
    if (!(out.step > 0.0)) damaged("has no step");
    const std::vector<std::string> sizes = split(lines[3], '\t');
    if (sizes.size() != 5) damaged("has no numbers of states and events");
    const double num_states = number_of(sizes[0], file), num_events = number_of(sizes[1], file);
    if (!(num_states >= 0.0 && num_states <= kMostVariables && num_events >= 0.0 &&
          num_events <= kMostVariables))
        damaged("has too many states");
    const double num_clocks = number_of(sizes[4], file);
    if (!(num_clocks >= 0.0 && num_clocks <= kMostVariables)) damaged("has too many clocks");
    const auto clocks = static_cast<std::size_t>(num_clocks);
    out.exchange.states.resize(static_cast<std::size_t>(num_states));
    out.exchange.num_events = static_cast<int>(num_events);
    out.exchange.has_works = number_of(sizes[2], file) != 0.0;
    out.is_for_steps = number_of(sizes[3], file) != 0.0;
    std::size_t last = 4;
    while (last < lines.size() && !lines[last].empty()) ++last;
    if (last - 4 < clocks) damaged("has fewer lines than clocks");
    for (std::size_t i = 4; i < last; ++i) {
        const std::vector<std::string> cells = split(lines[i], '\t');
        if (i >= last - clocks) {
            if (cells.size() != 2) damaged("has a line that was cut");
            out.clocks.push_back({plain_cell(cells[0]), plain_cell(cells[1]), {}});
            continue;
        }
        if (cells.size() != 7) damaged("has a line that was cut");
        Variable& variable = out.variables.emplace_back();
        const double kind = number_of(cells[0], file), type = number_of(cells[1], file),
                     component = number_of(cells[4], file);
        if (!(kind >= 0.0 && kind <= 3.0 && type >= 0.0 && type <= 2.0 && component >= 0.0 &&
              component <= 2.0))
            damaged("has a variable of an unknown kind");
        variable.kind = static_cast<Variable::Kind>(static_cast<int>(kind));
        variable.type = static_cast<Variable::Type>(static_cast<int>(type));
        variable.name = plain_cell(cells[2]);
        variable.of = plain_cell(cells[3]);
        variable.component = static_cast<int>(component);
        variable.start = number_of(cells[5], file);
        variable.text = plain_cell(cells[6]);
    }
    // Forces, and parameters of three numbers, stand together.
    for (std::size_t i = 0; i < out.variables.size(); ++i) {
        const Variable& first = out.variables[i];
        if (first.name == first.of || first.component != 0) continue;
        for (std::size_t k = i; k < i + 3; ++k)
            if (k >= out.variables.size() || out.variables[k].of != first.of)
                damaged("has a vector that was cut");
    }
    return out;
}

}  // namespace ancora::fmu
