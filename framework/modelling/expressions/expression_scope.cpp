// SPDX-License-Identifier: BSD-3-Clause
// Computing [parameters].
#include "expression_scope.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "ancora/sdk/formula/error.hpp"
#include "expression.hpp"
#include "wording.hpp"

namespace ancora {
namespace {

// Parameters that need each other are computed by recursion.
constexpr std::size_t kLongestChain = 100;

}  // namespace

/// Computes parameters on demand, so that they may stand in any order.
class ExpressionScope::Computation final : public Symbols {
public:
    explicit Computation(ExpressionScope& scope) : scope_(scope) {}

    void compute(Definition& definition) {
        if (definition.progress == Definition::Progress::done) return;
        if (definition.progress == Definition::Progress::working) refuse_cycle(definition);
        if (chain_.size() >= kLongestChain)
            throw Error(ErrorKind::manifest,
                        fmt::format("[parameters]: {}: more than {} parameters lead to this one",
                                    definition.name,
                                    kLongestChain),
                        definition.place);
        definition.progress = Definition::Progress::working;
        chain_.push_back(&definition);
        const Value& given = *definition.given;
        if (const Array* const array = given.as<Array>()) {
            definition.is_array = true;
            for (std::size_t i = 0; i < array->size(); ++i) {
                const std::string label = fmt::format("{}[{}]", definition.name, i);
                if (const Array* const row = row_of(definition, *array, i, label))
                    for (std::size_t j = 0; j < row->size(); ++j)
                        definition.values.push_back(
                            number(definition, (*row)[j], fmt::format("{}[{}]", label, j)));
                else
                    definition.values.push_back(number(definition, (*array)[i], label));
            }
        } else {
            definition.values.push_back(number(definition, given, definition.name));
        }
        chain_.pop_back();
        definition.progress = Definition::Progress::done;
    }

    Symbol find(std::string_view name) const override {
        const Definition* const known = scope_.parameter(name);
        if (known == nullptr) return {};
        // Computing is this object's purpose; Symbols is const for those who only read.
        const_cast<Computation*>(this)->compute(const_cast<Definition&>(*known));
        known->was_used = true;
        return {known->values, known->is_array, known->columns};
    }
    bool knows(std::string_view name) const override { return scope_.knows(name); }
    std::vector<std::string> names() const override { return scope_.names(); }

private:
    /// Row i, if the entries are rows, all of one length.
    static const Array* row_of(Definition& definition,
                               const Array& array,
                               std::size_t i,
                               const std::string& label) {
        const Array* const first = array.front().as<Array>();
        const Array* const row = array[i].as<Array>();
        if (first == nullptr || first->empty()) return nullptr;
        definition.columns = first->size();
        if (row == nullptr || row->size() != first->size())
            throw Error(ErrorKind::manifest,
                        fmt::format("[parameters]: {}: expected a row of {} numbers as the first "
                                    "one, got {}",
                                    label,
                                    first->size(),
                                    in_words(array[i])),
                        array[i].place().known() ? array[i].place() : definition.place);
        return row;
    }

    Quantity number(const Definition& definition, const Value& value, const std::string& label) {
        const Place& place = value.place().known() ? value.place() : definition.place;
        if (const auto* const x = value.as<double>()) {
            if (*x != *x)
                throw Error(ErrorKind::manifest,
                            fmt::format("[parameters]: {}: expected a number, got nan", label),
                            place);
            return {*x, Knowledge::open, {}};
        }
        if (const auto* const x = value.as<std::int64_t>())
            return {static_cast<double>(*x), Knowledge::open, {}};
        const auto* const text = value.as<std::string>();
        if (text == nullptr)
            throw Error(ErrorKind::manifest,
                        fmt::format("[parameters]: {}: expected a number, an expression in quotes "
                                    "or an array of these, got {}",
                                    label,
                                    in_words(value)),
                        place);
        try {
            Quantity quantity = evaluate(*text, *this);
            // "2.5" is as good as 2.5
            if (quantity.knowledge == Knowledge::number) quantity.knowledge = Knowledge::open;
            return quantity;
        } catch (const FormulaError& error) {
            throw Error(ErrorKind::manifest,
                        fmt::format("[parameters]: {}: {}: {}{}",
                                    label,
                                    in_quotes(*text),
                                    error.what(),
                                    std::string_view(error.what()).find("no parameter") !=
                                            std::string_view::npos
                                        ? "; parameters are numbers, and a text stands where it is "
                                          "used"
                                        : ""),
                        place);
        }
    }

    [[noreturn]] void refuse_cycle(const Definition& definition) const {
        std::string chain;
        for (auto at = std::ranges::find(chain_, &definition); at != chain_.end(); ++at)
            chain += (*at)->name + " -> ";
        throw Error(ErrorKind::manifest,
                    fmt::format("[parameters]: {} is needed for its own value: {}{}; give one of "
                                "them a number",
                                definition.name,
                                chain,
                                definition.name),
                    definition.place);
    }

    ExpressionScope& scope_;
    std::vector<const Definition*> chain_;
};

ExpressionScope::ExpressionScope(const Table& parameters) {
    for (const Table::Entry& entry : parameters.entries()) {
        if (const std::string problem = name_problem(entry.key); !problem.empty())
            throw Error(ErrorKind::manifest,
                        fmt::format("[parameters]: {}: {}", in_quotes(entry.key), problem),
                        entry.place);
        Definition& definition = parameters_.emplace_back();
        definition.name = entry.key;
        definition.place = entry.place;
        definition.given = &entry.value;
        by_name_.emplace(definition.name, &definition);
    }
    Computation computation(*this);
    for (Definition& definition : parameters_) computation.compute(definition);
    for (Definition& definition : parameters_) definition.given = nullptr;
}

ExpressionScope::ExpressionScope(std::shared_ptr<const ExpressionScope> outer,
                                 std::vector<Local> indices)
    : outer_(std::move(outer)), indices_(std::move(indices)) {}

const ExpressionScope::Definition* ExpressionScope::parameter(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
}

Symbol ExpressionScope::find(std::string_view name) const {
    for (const auto* const list : {&indices_, &locals_})
        for (const Local& local : *list)
            if (local.name == name)
                return {local.values, local.is_array, 0, local.text, local.texts};
    if (outer_) return outer_->find(name);
    const Definition* const found = parameter(name);
    if (found == nullptr) return {};
    found->was_used = true;
    return {found->values, found->is_array, found->columns};
}

bool ExpressionScope::knows(std::string_view name) const {
    for (const auto* const list : {&indices_, &locals_})
        for (const Local& local : *list)
            if (local.name == name) return true;
    return outer_ ? outer_->knows(name) : parameter(name) != nullptr;
}

std::vector<std::string> ExpressionScope::names() const {
    std::vector<std::string> all;
    for (const auto* const list : {&indices_, &locals_})
        for (const Local& local : *list) all.push_back(local.name);
    const ExpressionScope& of_parameters = outer_ ? *outer_ : *this;
    for (const Definition& definition : of_parameters.parameters_) all.push_back(definition.name);
    return all;
}

std::string ExpressionScope::indices_text() const {
    std::string text;
    for (const Local& index : indices_)
        text +=
            fmt::format("{}{} = {}",
                        text.empty() ? "" : ", ",
                        index.name,
                        index.text.empty() ? number_text(index.values.front().value) : index.text);
    return text;
}

}  // namespace ancora
