// SPDX-License-Identifier: BSD-3-Clause
// Reads and computes an expression in one go: it is needed once.
//
// Not the formulas of the SDK: those are functions of time and coordinates, differentiated, with no
// units, no mod and no entries of arrays.
#include "expression.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>
#include <optional>

#include <fmt/format.h>

#include "ancora/sdk/formula/error.hpp"

namespace ancora {
namespace {

constexpr std::size_t kMaxLength = 4096;
constexpr int kMaxDepth = 64;

// What a function asks of its arguments' dimensions, and what it gives.
enum class Rule {
    none_to_none,  // sin
    none_to_same,  // floor: depends on the unit, so it may have none
    same_to_same,  // abs, max
    same_to_none,  // sign, atan2
    root,          // sqrt
};

struct Function {
    std::string_view name;
    int num_arguments;  // -1: two or more
    Rule rule;
    double (*of_one)(double);
    double (*of_two)(double, double);
};

double sign(double x) {
    return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0;
}

// In [0, b), so that mod(i - 1, n) goes around a ring.
double modulo(double a, double b) {
    const double rest = std::fmod(a, b);
    return rest != 0.0 && (rest < 0.0) != (b < 0.0) ? rest + b : rest;
}

constexpr Function kFunctions[] = {
    {"abs",
     1,
     Rule::same_to_same,
     [](double x) {
         return std::abs(x);
     },
     nullptr},
    {"acos",
     1,
     Rule::none_to_none,
     [](double x) {
         return std::acos(x);
     },
     nullptr},
    {"asin",
     1,
     Rule::none_to_none,
     [](double x) {
         return std::asin(x);
     },
     nullptr},
    {"atan",
     1,
     Rule::none_to_none,
     [](double x) {
         return std::atan(x);
     },
     nullptr},
    {"atan2",
     2,
     Rule::same_to_none,
     nullptr,
     [](double y, double x) {
         return std::atan2(y, x);
     }},
    {"ceil",
     1,
     Rule::none_to_same,
     [](double x) {
         return std::ceil(x);
     },
     nullptr},
    {"cos",
     1,
     Rule::none_to_none,
     [](double x) {
         return std::cos(x);
     },
     nullptr},
    {"cosh",
     1,
     Rule::none_to_none,
     [](double x) {
         return std::cosh(x);
     },
     nullptr},
    {"exp",
     1,
     Rule::none_to_none,
     [](double x) {
         return std::exp(x);
     },
     nullptr},
    {"floor",
     1,
     Rule::none_to_same,
     [](double x) {
         return std::floor(x);
     },
     nullptr},
    {"hypot",
     -1,
     Rule::same_to_same,
     nullptr,
     [](double x, double y) {
         return std::hypot(x, y);
     }},
    {"log",
     1,
     Rule::none_to_none,
     [](double x) {
         return std::log(x);
     },
     nullptr},
    {"log10",
     1,
     Rule::none_to_none,
     [](double x) {
         return std::log10(x);
     },
     nullptr},
    {"max",
     -1,
     Rule::same_to_same,
     nullptr,
     [](double x, double y) {
         return std::max(x, y);
     }},
    {"min",
     -1,
     Rule::same_to_same,
     nullptr,
     [](double x, double y) {
         return std::min(x, y);
     }},
    {"mod", 2, Rule::same_to_same, nullptr, &modulo},
    {"round",
     1,
     Rule::none_to_same,
     [](double x) {
         return std::round(x);
     },
     nullptr},
    {"sign", 1, Rule::same_to_none, &sign, nullptr},
    {"sin",
     1,
     Rule::none_to_none,
     [](double x) {
         return std::sin(x);
     },
     nullptr},
    {"sinh",
     1,
     Rule::none_to_none,
     [](double x) {
         return std::sinh(x);
     },
     nullptr},
    {"sqrt",
     1,
     Rule::root,
     [](double x) {
         return std::sqrt(x);
     },
     nullptr},
    {"tan",
     1,
     Rule::none_to_none,
     [](double x) {
         return std::tan(x);
     },
     nullptr},
    {"tanh",
     1,
     Rule::none_to_none,
     [](double x) {
         return std::tanh(x);
     },
     nullptr},
};

struct Constant {
    std::string_view name;
    double value;
};

constexpr Constant kConstants[] = {{"pi", std::numbers::pi},
                                   {"e", std::numbers::e},
                                   {"inf", std::numeric_limits<double>::infinity()}};

const Function* find_function(std::string_view name) {
    const auto found = std::ranges::find(kFunctions, name, &Function::name);
    return found == std::end(kFunctions) ? nullptr : found;
}

const Constant* find_constant(std::string_view name) {
    const auto found = std::ranges::find(kConstants, name, &Constant::name);
    return found == std::end(kConstants) ? nullptr : found;
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_word(char c) {
    return is_letter(c) || is_digit(c);
}

bool is_name(std::string_view text) {
    return !text.empty() && is_letter(text.front()) && std::ranges::all_of(text, is_word);
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kSpace = " \t\r\n";
    const std::size_t first = text.find_first_not_of(kSpace);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::string in_quotes(std::string_view text) {
    return fmt::format("\"{}\"", text);
}

std::string suggestion(std::string_view name, const std::vector<std::string>& known) {
    const std::string nearest = detail::nearest_formula_name(name, known);
    return nearest.empty() ? "" : fmt::format("; did you mean {}?", in_quotes(nearest));
}

class Evaluator {
public:
    Evaluator(std::string_view text, const Symbols& symbols) : text_(text), symbols_(symbols) {}

    Quantity evaluate() {
        if (text_.size() > kMaxLength)
            fail(kMaxLength,
                 fmt::format("the expression has {} characters, expected at most {}",
                             text_.size(),
                             kMaxLength));
        skip_space();
        if (at_end()) fail(at_, "the expression is empty");
        const Quantity value = sum();
        skip_space();
        if (!at_end()) fail_found("an operator or the end of the expression");
        return value;
    }

    /// A number with a unit and no more: the unit.
    std::string_view unit_alone() {
        skip_space();
        if (peek() == '-' || peek() == '+') ++at_;
        if (!is_digit(peek()) && peek() != '.') return {};
        number();
        skip_space();
        const std::size_t begin = at_;
        if (!unit_begins()) return {};
        unit();
        skip_space();
        return at_end() ? trimmed(text_.substr(begin)) : std::string_view();
    }

private:
    Quantity sum() {
        Quantity value = product();
        for (;;) {
            skip_space();
            const std::size_t position = at_;
            const char c = peek();
            if (c != '+' && c != '-') return value;
            ++at_;
            const Quantity right = product();
            const double left = value.value;
            const double result = c == '+' ? left + right.value : left - right.value;
            value = alike(value, right, position, c == '+' ? "added to" : "subtracted from");
            value.value = checked(result, position, left, right.value);
        }
    }

    Quantity product() {
        Quantity value = power();
        for (;;) {
            skip_space();
            const std::size_t position = at_;
            const char c = peek();
            if (c != '*' && c != '/') return value;
            ++at_;
            if (c == '*' && peek() == '*')
                fail(position, "found \"**\", expected \"^\" for a power");
            const Quantity right = power();
            if (c == '/' && right.value == 0.0) fail(position, "division by zero");
            value = combined(value, right, c == '/' ? -1.0 : 1.0);
            const double left = value.value;
            value.value = checked(
                c == '*' ? left * right.value : left / right.value, position, left, right.value);
        }
    }

    Quantity power() {
        const Level level(*this);
        skip_space();
        if (accept('-')) {
            Quantity value = power();
            value.value = -value.value;
            return value;
        }
        if (accept('+')) return power();
        Quantity base = quantity();
        skip_space();
        const std::size_t position = at_;
        if (!accept('^')) return base;
        skip_space();
        const std::size_t of_exponent = at_;
        const Quantity exponent = power();
        require_none(exponent, "an exponent", of_exponent);
        base.dimension = base.dimension.to_power(exponent.value);
        base.value =
            checked(std::pow(base.value, exponent.value), position, base.value, exponent.value);
        return base;
    }

    Quantity quantity() {
        skip_space();
        const std::size_t begin = at_;
        if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) {
            const double value = number();
            return with_unit({value, {}, {}}, begin);
        }
        if (accept('(')) {
            const Quantity value = sum();
            close('(', ')', begin);
            return with_unit(value, begin);
        }
        if (!is_letter(peek())) fail_found("a number, a name, a function or \"(\"");

        const std::string_view name = word();
        skip_space();
        if (const Function* const function = find_function(name)) {
            if (peek() != '(') fail_found(fmt::format("\"(\" behind the function \"{}\"", name));
            return call(*function, begin);
        }
        if (peek() == '(')
            fail(begin,
                 fmt::format("found \"{}(\", expected a function{}",
                             name,
                             suggestion(name, function_names())));
        if (const Constant* const constant = find_constant(name)) return {constant->value, {}, {}};
        const Symbol symbol = symbols_.find(name);
        if (!symbol.is_array && symbol.values.empty()) fail_unknown(name, begin);
        if (!symbol.is_array) {
            if (peek() == '[')
                fail(at_, fmt::format("\"{}\" is one number, it has no entries", name));
            return symbol.values.front();
        }
        return entry(name, symbol);
    }

    Quantity entry(std::string_view name, const Symbol& symbol) {
        const std::size_t bracket = at_;
        if (!accept('['))
            fail_found(
                fmt::format("\"[\" and an index: \"{}\" is an array, take \"{}[0]\"", name, name));
        const Quantity index = sum();
        close('[', ']', bracket);
        require_none(index, "an index", bracket + 1);
        const auto size = static_cast<double>(symbol.values.size());
        if (index.value != std::floor(index.value) || index.value < 0.0 || index.value >= size)
            fail(bracket + 1,
                 symbol.values.empty()
                     ? fmt::format("\"{}\" is an empty array", name)
                     : fmt::format("the index is {}, expected a whole number from 0 to {}",
                                   number_text(index.value),
                                   symbol.values.size() - 1));
        return symbol.values[static_cast<std::size_t>(index.value)];
    }

    Quantity call(const Function& function, std::size_t begin) {
        const std::size_t bracket = at_++;
        std::vector<Quantity> arguments;
        skip_space();
        if (peek() != ')') {
            do arguments.push_back(sum());
            while (skip_space(), accept(','));
        }
        close('(', ')', bracket);
        const int count = static_cast<int>(arguments.size());
        if (function.num_arguments < 0 ? count < 2 : count != function.num_arguments)
            fail(begin,
                 fmt::format("found {} argument{} of \"{}\", expected {}",
                             count,
                             count == 1 ? "" : "s",
                             function.name,
                             function.num_arguments < 0
                                 ? "two or more"
                                 : fmt::format("{}", function.num_arguments)));
        Quantity value = arguments.front();
        if (function.rule == Rule::none_to_none || function.rule == Rule::none_to_same)
            require_none(value, fmt::format("\"{}\"", function.name), begin);
        if (count > 1) {
            for (int i = 1; i < count; ++i) {
                const Quantity& right = arguments[static_cast<std::size_t>(i)];
                if (function.name == "mod" && right.value == 0.0) fail(begin, "division by zero");
                const double left = value.value;
                const double result = function.of_two(left, right.value);
                value = alike(value, right, begin, fmt::format("in \"{}\" with", function.name));
                value.value = checked(result, begin, left, right.value);
            }
        } else {
            value.value = checked(function.of_one(value.value), begin, value.value);
        }
        if (function.rule == Rule::root) value.dimension = value.dimension.to_power(0.5);
        if (function.rule == Rule::none_to_none || function.rule == Rule::same_to_none)
            value = {value.value, {}, {}};
        return value;
    }

    // --- units

    Quantity with_unit(Quantity value, std::size_t begin) {
        skip_space();
        if (!unit_begins()) return value;
        if (value.knowledge == Knowledge::unit && !value.dimension.is_none())
            fail(at_,
                 fmt::format("found a unit behind what has one already, {}",
                             to_text(value.dimension)));
        const Unit unit = this->unit();
        return {checked(value.value * unit.factor / unit.divisor, begin, value.value),
                Knowledge::unit,
                unit.dimension};
    }

    /// Whether a letter, or the other sign for micro, follows.
    bool unit_begins() const { return is_unit_letter(at_); }

    bool is_unit_letter(std::size_t at) const {
        if (at >= text_.size()) return false;
        const std::string_view rest = text_.substr(at);
        return is_letter(text_[at]) || rest.starts_with("\xc2\xb5") || rest.starts_with("\xce\xbc");
    }

    std::string_view unit_word() {
        const std::size_t begin = at_;
        while (at_ < text_.size() &&
               (is_word(text_[at_]) || (static_cast<unsigned char>(text_[at_]) & 0x80) != 0))
            ++at_;
        return text_.substr(begin, at_ - begin);
    }

    Unit unit() {
        Unit product;
        multiply(product, unit_factor(), 1.0);
        for (;;) {
            const std::size_t behind = at_;
            skip_space();
            if (is_unit_letter(at_)) {
                multiply(product, unit_factor(), 1.0);
                continue;
            }
            const char c = peek();
            if (c == '*' || c == '/') {
                ++at_;
                skip_space();
                if (names_unit()) {
                    multiply(product, unit_factor(), c == '/' ? -1.0 : 1.0);
                    continue;
                }
                if (std::optional<Unit> group = unit_group()) {
                    multiply(product, *group, c == '/' ? -1.0 : 1.0);
                    continue;
                }
            }
            at_ = behind;
            return product;
        }
    }

    /// "(s^2 kg)" behind a unit and "/" or "*"; nothing if what is in brackets is no unit.
    std::optional<Unit> unit_group() {
        const std::size_t begin = at_;
        if (!accept('(')) return std::nullopt;
        skip_space();
        if (names_unit()) {
            const Unit inner = unit();
            skip_space();
            if (accept(')')) return inner;
        }
        at_ = begin;
        return std::nullopt;
    }

    /// Whether the word behind "*" or "/" goes on with a unit.
    bool names_unit() {
        if (!is_unit_letter(at_)) return false;
        const std::size_t begin = at_;
        const std::string_view name = unit_word();
        skip_space();
        const bool is_call = peek() == '(';
        at_ = begin;
        if (is_call || find_constant(name) || !find_unit(name)) return false;
        if (symbols_.knows(name))
            fail(begin,
                 fmt::format("\"{}\" may be the unit or the parameter here; for the parameter put "
                             "what stands before it in brackets, \"(10 N)*{}\", for the unit write "
                             "\"10 N {}\" or \"10 N {}^-1\"",
                             name,
                             name,
                             name,
                             name));
        return true;
    }

    Unit unit_factor() {
        const std::size_t begin = at_;
        const std::string_view name = unit_word();
        std::optional<Unit> unit = find_unit(name);
        if (!unit) {
            const std::string help =
                symbols_.knows(name) || find_constant(name) || find_function(name)
                    ? "; a product is written with \"*\""
                    : suggestion(name, unit_names());
            fail(begin, fmt::format("found \"{}\", which is no unit{}", name, help));
        }
        skip_space_before('^');
        if (!accept('^')) return *unit;
        skip_space();
        const bool has_bracket = accept('(');
        const bool is_negative = accept('-');
        if (!is_digit(peek()) && peek() != '.') fail_found("an exponent");
        double exponent = number();
        if (has_bracket && accept('/')) {
            if (!is_digit(peek())) fail_found("a number");
            const double divisor = number();
            if (divisor == 0.0) fail(at_ - 1, "division by zero");
            exponent /= divisor;
        }
        if (has_bracket && !accept(')')) fail_found("\")\" behind the exponent");
        Unit power;
        multiply(power, *unit, is_negative ? -exponent : exponent);
        return power;
    }

    static void multiply(Unit& to, const Unit& by, double exponent) {
        double factor = std::pow(by.factor, std::abs(exponent));
        double divisor = std::pow(by.divisor, std::abs(exponent));
        if (exponent < 0.0) std::swap(factor, divisor);
        to.factor *= factor;
        to.divisor *= divisor;
        to.dimension = to.dimension * by.dimension.to_power(exponent);
    }

    // --- dimensions

    /// The dimension of a sum: numbers fit everywhere.
    static Quantity alike(const Quantity& a,
                          const Quantity& b,
                          std::size_t position,
                          std::string_view how) {
        if (a.knowledge == Knowledge::unit && b.knowledge == Knowledge::unit &&
            a.dimension != b.dimension)
            fail(position,
                 fmt::format("{} {} {}", to_text(b.dimension), how, to_text(a.dimension)));
        if (a.knowledge == Knowledge::unit) return a;
        if (b.knowledge == Knowledge::unit) return b;
        return a.knowledge == Knowledge::open ? a : b;
    }

    /// a * b^exponent, with a's value.
    static Quantity combined(const Quantity& a, const Quantity& b, double exponent) {
        if (a.knowledge == Knowledge::open || b.knowledge == Knowledge::open)
            return {a.value, Knowledge::open, {}};
        if (a.knowledge == Knowledge::number && b.knowledge == Knowledge::number)
            return {a.value, Knowledge::number, {}};
        return {a.value, Knowledge::unit, a.dimension * b.dimension.to_power(exponent)};
    }

    static void require_none(const Quantity& x, std::string_view what, std::size_t position) {
        if (x.knowledge == Knowledge::unit && !x.dimension.is_none())
            fail(position,
                 fmt::format(
                     "{} takes a number without dimension, got {}", what, to_text(x.dimension)));
    }

    // --- text

    [[noreturn]] void fail_unknown(std::string_view name, std::size_t begin) const {
        std::vector<std::string> known = symbols_.names();
        std::string help;
        if (find_unit(name)) {
            help = fmt::format("; a unit stands behind a number: \"1 {}\"", name);
        } else {
            const std::vector<std::string> parameters = known;
            for (const Constant& constant : kConstants) known.emplace_back(constant.name);
            for (const std::string& function : function_names()) known.push_back(function);
            help = suggestion(name, known);
            if (help.empty() && !parameters.empty())
                help = fmt::format("; there are: {}", listed(parameters));
            if (help.empty()) help = "; there are none in [parameters]";
        }
        fail(begin, fmt::format("found \"{}\", which is no parameter{}", name, help));
    }

    static std::string listed(const std::vector<std::string>& names) {
        constexpr std::size_t kMost = 20;
        const auto end = names.begin() + static_cast<long>(std::min(names.size(), kMost));
        return fmt::format(
            "{}{}", fmt::join(names.begin(), end, ", "), names.size() > kMost ? ", ..." : "");
    }

    static std::vector<std::string> function_names() {
        std::vector<std::string> names;
        for (const Function& function : kFunctions) names.emplace_back(function.name);
        return names;
    }

    double number() {
        double value = 0.0;
        const auto [stop, error] =
            std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
        if (error == std::errc::result_out_of_range)
            fail(at_, "found a number that is too large or too small for double precision");
        if (error != std::errc()) fail_found("a number");
        at_ = static_cast<std::size_t>(stop - text_.data());
        if (peek() == '.') fail_found("an operator");
        return value;
    }

    std::string_view word() {
        const std::size_t begin = at_;
        while (is_word(peek())) ++at_;
        return text_.substr(begin, at_ - begin);
    }

    void close(char open, char closing, std::size_t bracket) {
        skip_space();
        if (!accept(closing))
            fail_found(
                fmt::format("\"{}\" to close \"{}\" at position {}", closing, open, bracket + 1));
    }

    /// Infinity goes through from an operand, but is not made.
    static double checked(double x, std::size_t position, double a, double b = 0.0) {
        if (std::isnan(x)) fail(position, "the result is not a number");
        if (std::isinf(x) && std::isfinite(a) && std::isfinite(b))
            fail(position, "the result is not finite");
        return x;
    }

    std::string found() const {
        if (at_end()) return "the end of the expression";
        std::size_t last = at_ + 1;
        if (is_word(peek()))
            while (last < text_.size() && is_word(text_[last])) ++last;
        else  // the rest of a character of several bytes
            while (last < text_.size() && (static_cast<unsigned char>(text_[last]) & 0xc0) == 0x80)
                ++last;
        return fmt::format("\"{}\"", text_.substr(at_, last - at_));
    }
    [[noreturn]] void fail_found(const std::string& expected) const {
        fail(at_, fmt::format("found {}, expected {}", found(), expected));
    }
    /// `at` counts from 0.
    [[noreturn]] static void fail(std::size_t at, const std::string& message) {
        throw FormulaError(at + 1, message);
    }

    /// Counts how deep the rules are nested while it lives.
    struct Level {
        explicit Level(Evaluator& evaluator) : depth(evaluator.depth_) {
            if (++depth > kMaxDepth)
                fail(evaluator.at_,
                     fmt::format("the expression is nested too deep, expected at most {} levels",
                                 kMaxDepth));
        }
        ~Level() { --depth; }
        Level(const Level&) = delete;
        Level& operator=(const Level&) = delete;
        int& depth;
    };

    bool at_end() const { return at_ >= text_.size(); }
    char peek(std::size_t ahead = 0) const {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }
    void skip_space() {
        while (!at_end() && std::string_view(" \t\r\n").find(peek()) != std::string_view::npos)
            ++at_;
    }
    /// Skips space only if `c` follows it.
    void skip_space_before(char c) {
        const std::size_t begin = at_;
        skip_space();
        if (peek() != c) at_ = begin;
    }
    bool accept(char c) {
        if (peek() != c) return false;
        ++at_;
        return true;
    }

    std::string_view text_;
    const Symbols& symbols_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

}  // namespace

Quantity evaluate(std::string_view text, const Symbols& symbols) {
    return Evaluator(text, symbols).evaluate();
}

Symbol named_array(std::string_view text, const Symbols& symbols) {
    text = trimmed(text);
    if (!is_name(text) || !symbols.knows(text)) return {};
    const Symbol symbol = symbols.find(text);
    return symbol.is_array ? symbol : Symbol{};
}

std::string name_problem(std::string_view name) {
    if (!is_name(name)) return "a name here is a letter or _, then letters, digits or _";
    if (find_function(name)) return "this is the name of a function; choose another";
    if (find_constant(name)) return "this is the name of a constant; choose another";
    return {};
}

std::string_view written_unit(std::string_view text) {
    try {
        return Evaluator(text, NoSymbols{}).unit_alone();
    } catch (const FormulaError&) {
        return {};
    }
}

std::string number_text(double x) {
    constexpr double kMostWhole = 1e15;
    if (x == std::floor(x) && std::abs(x) < kMostWhole && !(x == 0.0 && std::signbit(x)))
        return fmt::format("{}", static_cast<long long>(x));
    return fmt::format("{}", x);
}

}  // namespace ancora
