// SPDX-License-Identifier: BSD-3-Clause
// Reads what is differentiated.
#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "ancora/framework/gradient.hpp"
#include "ancora/framework/nearest_name.hpp"
#include "trimmed.hpp"
#include "wording.hpp"

namespace ancora {
namespace {

using Take = ColumnTake;

constexpr std::pair<std::string_view, Take> kFunctionals[] = {
    {"max", Take::maximum},
    {"min", Take::minimum},
    {"largest", Take::largest},
    {"integral", Take::integral},
    {"mean", Take::mean},
};

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
    throw Error(ErrorKind::usage,
                fmt::format("{} is no number of a run: {}; write COLUMN, COLUMN @ TIME, "
                            "or max, min, largest, integral or mean of one, as in max(COLUMN)",
                            in_quotes(std::string(text)),
                            why));
}

}  // namespace

Objective Objective::parse(std::string_view text) {
    Objective out;
    out.text = trimmed(text);
    std::string_view rest = out.text;
    if (rest.empty()) refuse(text, "it is empty");
    // The last one: the name of a point has one of its own, "boom@3.x @ 2".
    const std::size_t at = rest.rfind(" @");
    if (rest.ends_with(')')) {
        const std::size_t open = rest.find('(');
        const std::string_view name = trimmed(rest.substr(0, open));
        for (const auto& [functional, take] : kFunctionals)
            if (open != std::string_view::npos && name == functional) {
                out.take = take;
                rest = rest.substr(open + 1, rest.size() - open - 2);
            }
        if (out.take == Take::final) {
            std::vector<std::string> names;
            for (const auto& [functional, take] : kFunctionals) names.emplace_back(functional);
            refuse(text,
                   fmt::format("there is no {}{}",
                               in_quotes(std::string(name)),
                               did_you_mean(std::string(name), names)));
        }
    } else if (at != std::string_view::npos) {
        std::string_view time = trimmed(rest.substr(at + 2));
        if (time.ends_with('s')) time = trimmed(time.substr(0, time.size() - 1));
        double t = 0.0;
        const auto [end, error] = std::from_chars(time.data(), time.data() + time.size(), t);
        if (error != std::errc() || end != time.data() + time.size() || !std::isfinite(t))
            refuse(text, "behind the @ stands no time in seconds");
        out.take = Take::at;
        out.time = t;
        rest = rest.substr(0, at);
    }
    out.column = trimmed(rest);
    if (out.column.empty()) refuse(text, "it names no column");
    return out;
}

}  // namespace ancora
