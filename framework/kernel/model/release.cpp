// SPDX-License-Identifier: BSD-3-Clause
// Times and conditions at which constraints open.
#include "release.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string_view>

namespace ancora {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Times this close, relative, are one.
constexpr double kSameTime = 1e-12;

bool has_come(double t, double at) {
    return t + kSameTime * std::abs(t) >= at;
}

/// Whether a text has one of the words that join conditions.
bool joins_conditions(std::string_view text) {
    std::string word;
    for (const char c : std::string(text) + " ") {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
            word += c;
            continue;
        }
        if (word == "and" || word == "or" || word == "not") return true;
        word.clear();
    }
    return false;
}

}  // namespace

Release::Release(const BoundArguments& keys) : delay_(keys.number("delay")) {
    if (keys.has("at")) at_ = keys.number("at");
    has_condition_ = keys.given("when") || keys.given("after");
    if (keys.given("when") && keys.given("after"))
        keys.fail("after",
                  "\"when\" and \"after\" both say when it opens; keep one of them, or write "
                  "NAME.released > 0.5 into the condition");
    if (!keys.has("at") && !has_condition_)
        keys.fail("at", "expected one of the keys \"at\", \"when\" and \"after\"");
    if (keys.given("delay") && !has_condition_)
        keys.fail("delay", "is counted from \"when\" or \"after\", and there is neither");
    if (has_condition_) condition(keys);
}

const char* Release::condition_key(const BoundArguments& keys) {
    return keys.given("when") ? "when" : "after";
}

std::string Release::condition(const BoundArguments& keys) {
    if (!keys.given("when")) return std::string(keys.text("after")) + ".released - 0.5";
    const std::string text(keys.text("when"));
    const auto count = std::ranges::count_if(text, [](char c) {
        return c == '<' || c == '>';
    });
    if (count == 0)
        keys.fail("when", "expected a condition, such as \"hub.wz < 0.5\", got \"" + text + "\"");
    const std::size_t sign = text.find_first_of("<>");
    const bool is_inside = std::ranges::count(text.substr(0, sign), '(') !=
                           std::ranges::count(text.substr(0, sign), ')');
    if (count > 1 || is_inside || joins_conditions(text)) return "(" + text + ") - 0.5";
    std::size_t behind = sign + 1;
    if (behind < text.size() && text[behind] == '=') ++behind;
    const std::string left = text.substr(0, sign), right = text.substr(behind);
    return text[sign] == '<' ? "(" + right + ") - (" + left + ")"
                             : "(" + left + ") - (" + right + ")";
}

std::span<const char* const> Release::inputs() const {
    static constexpr const char* kInputs[] = {"when"};
    return std::span(kInputs).first(has_condition_ ? 1 : 0);
}

std::span<const Output> Release::outputs() const {
    static constexpr Output kOutputs[] = {{"released", "", "1 once it has opened, else 0"}};
    return kOutputs;
}

double Release::next_time(double after, std::span<const double> z) const {
    if (z[kOpened] > 0.5) return kInfinity;
    // A condition is looked at when the run begins.
    if (has_condition_ && after == -kInfinity) return std::numeric_limits<double>::lowest();
    const double waits_until = z[kWaits] > 0.5 ? z[kUntil] : kInfinity;
    const double next = std::min(at_, waits_until);
    return next > after ? next : kInfinity;
}

void Release::evaluate_crossings(const SignalPoint& at, std::span<double> g) const {
    const bool is_over = at.own.z[kOpened] > 0.5 || at.own.z[kWaits] > 0.5;
    g[0] = is_over ? 1.0 : -at.own.inputs[0];
}

void Release::act(const SignalPoint& at,
                  int crossing,
                  std::span<double>,
                  std::span<double> z) const {
    if (z[kOpened] > 0.5) return;
    const bool is_due = has_come(at.t, at_) || (z[kWaits] > 0.5 && has_come(at.t, z[kUntil]));
    if (is_due)
        z[kOpened] = 1.0;
    else if (crossing != kTimeEvent ||
             (has_condition_ && z[kWaits] < 0.5 && at.own.inputs[0] > 0.0))
        open(at.t, z);
}

void Release::open(double t, std::span<double> z) const {
    if (delay_ == 0.0) {
        z[kOpened] = 1.0;
        return;
    }
    z[kWaits] = 1.0;
    z[kUntil] = t + delay_;
}

}  // namespace ancora
