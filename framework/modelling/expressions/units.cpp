// SPDX-License-Identifier: BSD-3-Clause
// The table of units.
//
// Own, because what there is does not fit: UDUNITS reads an XML database when it runs, takes every
// prefix with every unit ("min" may be milli-inch) and gives no places of mistakes; Boost.Units
// works on types, not on text.
#include "units.hpp"

#include <algorithm>
#include <iterator>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "ancora/sdk/formula/error.hpp"
#include "expression.hpp"

namespace ancora {
namespace {

struct NamedUnit {
    std::string_view name;
    double factor;
    double divisor;
    std::array<double, 5> exponents;
    bool takes_prefix;
};

constexpr double kPi = std::numbers::pi;

// m, kg, s, K, A
using Exponents = std::array<double, 5>;
constexpr Exponents kNone{};
constexpr Exponents kLength{1};
constexpr Exponents kMass{0, 1};
constexpr Exponents kTime{0, 0, 1};
constexpr Exponents kFrequency{0, 0, -1};
constexpr Exponents kSpeed{1, 0, -1};
constexpr Exponents kAcceleration{1, 0, -2};
constexpr Exponents kForce{1, 1, -2};
constexpr Exponents kPressure{-1, 1, -2};
constexpr Exponents kEnergy{2, 1, -2};
constexpr Exponents kPower{2, 1, -3};
constexpr Exponents kTemperature{0, 0, 0, 1};
constexpr Exponents kCurrent{0, 0, 0, 0, 1};
constexpr Exponents kVoltage{2, 1, -3, 0, -1};
constexpr Exponents kResistance{2, 1, -3, 0, -2};
constexpr Exponents kInductance{2, 1, -2, 0, -2};

// Inch, pound and the standard gravity 9.80665 m/s^2 are exact by definition.
constexpr double kPoundForce = 45359237.0 * 980665.0;  // over 1e13

constexpr NamedUnit kUnits[] = {
    {"m", 1, 1, kLength, true},
    {"in", 254, 1e4, kLength, false},
    {"ft", 3048, 1e4, kLength, false},
    {"yd", 9144, 1e4, kLength, false},
    {"mi", 1609344, 1e3, kLength, false},
    {"g", 1, 1e3, kMass, true},
    {"t", 1e3, 1, kMass, false},
    {"lb", 45359237, 1e8, kMass, false},
    {"oz", 45359237, 16e8, kMass, false},
    {"slug", kPoundForce / 3048, 1e9, kMass, false},
    {"s", 1, 1, kTime, true},
    {"min", 60, 1, kTime, false},
    {"h", 3600, 1, kTime, false},
    {"Hz", 1, 1, kFrequency, true},
    {"rad", 1, 1, kNone, true},
    {"deg", kPi, 180, kNone, false},
    {"arcmin", kPi, 180 * 60, kNone, false},
    {"arcsec", kPi, 180 * 3600, kNone, false},
    {"rev", 2 * kPi, 1, kNone, false},
    {"rpm", 2 * kPi, 60, kFrequency, false},
    {"mph", 44704, 1e5, kSpeed, false},
    {"g0", 980665, 1e5, kAcceleration, false},
    {"N", 1, 1, kForce, true},
    {"kgf", 980665, 1e5, kForce, false},
    {"lbf", kPoundForce, 1e13, kForce, false},
    {"kip", kPoundForce, 1e10, kForce, false},
    {"Pa", 1, 1, kPressure, true},
    {"bar", 1e5, 1, kPressure, true},
    {"atm", 101325, 1, kPressure, false},
    {"psi", kPoundForce / (254.0 * 254.0), 1e5, kPressure, false},
    {"ksi", kPoundForce / (254.0 * 254.0), 1e2, kPressure, false},
    {"J", 1, 1, kEnergy, true},
    {"Nm", 1, 1, kEnergy, true},
    {"W", 1, 1, kPower, true},
    {"hp", kPoundForce*(550.0 * 3048.0), 1e17, kPower, false},
    {"PS", 75 * 980665, 1e5, kPower, false},
    {"K", 1, 1, kTemperature, true},
    {"A", 1, 1, kCurrent, true},
    {"V", 1, 1, kVoltage, true},
    {"ohm", 1, 1, kResistance, true},
    {"H", 1, 1, kInductance, true},
};

struct Prefix {
    std::string_view name;
    double factor;
    double divisor;
};

// The two signs for micro differ in UTF-8 alone.
constexpr Prefix kPrefixes[] = {{"p", 1, 1e12},
                                {"n", 1, 1e9},
                                {"u", 1, 1e6},
                                {"\xc2\xb5", 1, 1e6},
                                {"\xce\xbc", 1, 1e6},
                                {"m", 1, 1e3},
                                {"c", 1, 1e2},
                                {"d", 1, 1e1},
                                {"k", 1e3, 1},
                                {"M", 1e6, 1},
                                {"G", 1e9, 1},
                                {"T", 1e12, 1}};

std::optional<Unit> find_plain(std::string_view name, bool with_prefix) {
    const auto unit = std::ranges::find(kUnits, name, &NamedUnit::name);
    if (unit == std::end(kUnits) || (with_prefix && !unit->takes_prefix)) return std::nullopt;
    return Unit{unit->factor, unit->divisor, {unit->exponents}};
}

}  // namespace

std::optional<Unit> find_unit(std::string_view name) {
    if (std::optional<Unit> unit = find_plain(name, false)) return unit;
    for (const Prefix& prefix : kPrefixes) {
        if (!name.starts_with(prefix.name)) continue;
        if (std::optional<Unit> unit = find_plain(name.substr(prefix.name.size()), true)) {
            // kg is kg, not 1000/1000 of it
            if (unit->divisor >= prefix.factor)
                unit->divisor /= prefix.factor;
            else
                unit->factor *= prefix.factor;
            unit->divisor *= prefix.divisor;
            return unit;
        }
    }
    return std::nullopt;
}

std::string usual_unit(std::string_view name) {
    constexpr std::pair<std::string_view, std::string_view> kWords[] = {
        {"degree", "deg"},   {"degrees", "deg"}, {"radian", "rad"}, {"radians", "rad"},
        {"meter", "m"},      {"metre", "m"},     {"meters", "m"},   {"metres", "m"},
        {"second", "s"},     {"seconds", "s"},   {"sec", "s"},      {"minute", "min"},
        {"minutes", "min"},  {"hour", "h"},      {"hours", "h"},    {"kilogram", "kg"},
        {"kilograms", "kg"}, {"gram", "g"},      {"newton", "N"},   {"newtons", "N"},
        {"joule", "J"},      {"watt", "W"},      {"pascal", "Pa"},  {"hertz", "Hz"},
        {"kelvin", "K"},     {"inch", "in"},     {"inches", "in"},  {"foot", "ft"},
        {"feet", "ft"},      {"pound", "lb"},    {"ton", "t"},      {"tonne", "t"},
        {"l", "dm^3"},       {"liter", "dm^3"},  {"litre", "dm^3"}, {"hr", "h"},
        {"hrs", "h"},        {"lbs", "lb"},      {"lbm", "lb"},     {"kph", "km/h"},
        {"kmh", "km/h"},     {"rps", "rev/s"},   {"turns", "rev"},  {"Nmm", "N*mm"},
        {"kNmm", "kN*mm"},   {"Ns", "N*s"},      {"kNs", "kN*s"},   {"Nms", "N*m*s"},
        {"Vs", "V*s"},       {"As", "A*s"},      {"Ah", "A*h"},     {"mAh", "mA*h"},
        {"Wh", "W*h"},       {"kWh", "kW*h"},    {"kgm", "kg*m"},   {"kgm2", "kg*m^2"},
        {"henry", "H"},      {"volt", "V"},      {"volts", "V"},    {"amp", "A"},
        {"amps", "A"},       {"ampere", "A"},    {"Ohm", "ohm"},    {"ohms", "ohm"},
        {"\xce\xa9", "ohm"}, {"Kg", "kg"},       {"KN", "kN"},      {"gram-force", "N"}};
    for (const auto& [word, unit] : kWords)
        if (word == name) return std::string(unit);
    const std::size_t digits = name.find_first_of("23456789");
    if (digits == 0 || digits + 1 != name.size() || !find_unit(name.substr(0, digits))) return {};
    return fmt::format("{}^{}", name.substr(0, digits), name.back());
}

const std::vector<std::string>& unit_names() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (const NamedUnit& unit : kUnits) all.emplace_back(unit.name);
        for (const char* const name :
             {"mm", "cm",  "km",  "um",  "kg",   "mg", "ms", "us",  "kHz", "mrad", "kN",
              "MN", "kPa", "MPa", "GPa", "mbar", "kJ", "MJ", "kNm", "mW",  "kW",   "MW"})
            all.emplace_back(name);
        return all;
    }();
    return names;
}

std::optional<Dimension> dimension_of(std::string_view unit) {
    if (unit == "-") return Dimension{};
    if (unit.empty()) return std::nullopt;
    const bool is_inverse = unit.starts_with("1/");
    const std::string text =
        is_inverse ? fmt::format("1/(1 {})", unit.substr(2)) : fmt::format("1 {}", unit);
    try {
        return evaluate(text, NoSymbols{}).dimension;
    } catch (const FormulaError&) {
        return std::nullopt;  // a phrase, or one unit for each column
    }
}

}  // namespace ancora
