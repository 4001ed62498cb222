// SPDX-License-Identifier: BSD-3-Clause
// The two languages of formulas: expressions of a manifest, and formulas of written plugins.
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ancora/framework/error.hpp"
#include "ancora/sdk/formula/formula.hpp"
#include "expression.hpp"
#include "expression_scope.hpp"
#include "interpolation.hpp"

namespace {

using namespace ancora;

/// Any name is the next variable.
class AnyName final : public FormulaScope {
public:
    int find(const FormulaName& name) override {
        const std::string text = name.text();
        for (std::size_t i = 0; i < names_.size(); ++i)
            if (names_[i] == text) return static_cast<int>(i);
        names_.push_back(text);
        return static_cast<int>(names_.size()) - 1;
    }

private:
    std::vector<std::string> names_;
};

const ExpressionScope& scope() {
    static const ExpressionScope the_scope = [] {
        Table parameters;
        parameters.set("n", 8).set("r", "0.5 m").set("xs", Value({1.0, 2.5, -3.0}));
        return ExpressionScope(parameters);
    }();
    return the_scope;
}

void compute(std::string_view text) {
    try {
        number_text(evaluate(text, scope()).value);
    } catch (const FormulaError&) {
    }
    written_unit(text);
    named_array(text, scope());
}

void sweep(std::string_view text) {
    try {
        AnyName names;
        const Formula formula = text.find('=') == std::string_view::npos
                                    ? Formula::parse(text, names)
                                    : Formula::parse_equation(text, names);
        const std::vector<double> x(formula.num_variables(), 0.7);
        std::vector<double> work(2 * formula.size()), by_x(formula.num_variables());
        double by_t = 0.0;
        formula.evaluate<double>(x, 0.3, std::span(work).first(formula.size()));
        formula.gradient<double>(x, 0.3, work, by_x, by_t);
        formula.degree();
    } catch (const FormulaError&) {
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    compute(text);
    sweep(text);
    Value value{std::string(text)};
    try {
        interpolate(value, scope());
    } catch (const Error&) {
    }
    return 0;
}
