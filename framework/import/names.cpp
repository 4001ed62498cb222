// SPDX-License-Identifier: BSD-3-Clause
#include "names.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "ancora/framework/nearest_name.hpp"
#include "ancora/framework/printable.hpp"

namespace ancora::robot {
namespace {

// Of a manifest, and words by which formulas and frames mean something else.
constexpr std::string_view kReserved[] = {"t",
                                          "energy",
                                          "work",
                                          "momentum",
                                          "angular_momentum",
                                          "constraint",
                                          "ground",
                                          "model",
                                          "value",
                                          "rate"};

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool may_stand(char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '-';
}

}  // namespace

std::string no_such_type(std::string_view type, std::span<const std::string> types) {
    std::string near = did_you_mean(type, types);
    if (near.empty()) near = fmt::format("; there are {}", fmt::join(types, ", "));
    return fmt::format("there is no type \"{}\"{}", printable(type), near);
}

std::string Names::unique(std::string_view name, const char* otherwise) {
    std::string out;
    for (const char c : name) {
        if (may_stand(c))
            out += c;
        else if (!out.empty() && out.back() != '_')
            out += '_';
    }
    while (!out.empty() && out.back() == '_' && (name.empty() || name.back() != '_'))
        out.pop_back();
    if (out.empty()) out = otherwise;
    if (!is_letter(out.front())) out = fmt::format("{}_{}", otherwise, out);
    if (std::ranges::find(kReserved, out) != std::end(kReserved)) out += '_';
    std::string free = out;
    if (taken_.contains(free)) free = fmt::format("{}_{}", out, otherwise);
    for (int i = 2; taken_.contains(free); ++i) free = fmt::format("{}_{}{}", out, otherwise, i);
    taken_.insert(free);
    return free;
}

}  // namespace ancora::robot
