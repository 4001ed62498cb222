// SPDX-License-Identifier: BSD-3-Clause
// Inputs read: formulas over the state, time and other objects' outputs.
#include "signal_parts.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "ancora/framework/nearest_name.hpp"
#include "ancora/sdk/authoring/attachment_texts.hpp"
#include "release.hpp"
#include "schema_words.hpp"
#include "wording.hpp"

namespace ancora {
namespace {

/// Names in an input: outputs of objects first, then what a StateReader knows.
class InputScope final : public FormulaScope {
public:
    InputScope(const std::vector<SignalPart>& parts, SignalInput& input)
        : parts_(parts), input_(input) {}

    int find(const FormulaName& name) override {
        if (name.place.empty() && !name.component.empty()) {
            for (std::size_t i = 0; i < parts_.size(); ++i) {
                if (parts_[i].name != name.object) continue;
                const int value = parts_[i].find_output(name.component);
                if (value < 0) continue;
                if (name.is_rate)
                    throw std::invalid_argument("the rate of an output is not known here");
                return number(true, read_output({static_cast<int>(i), value}));
            }
        }
        const int index = input_.reader.find(name);
        return index < 0 ? index : number(false, index);
    }
    std::string expected() const override {
        return input_.reader.expected() + ", or an output such as \"motor.current\"";
    }

private:
    int read_output(const OutputRead& output) {
        for (std::size_t i = 0; i < input_.outputs_read.size(); ++i)
            if (input_.outputs_read[i].part == output.part &&
                input_.outputs_read[i].value == output.value)
                return static_cast<int>(i);
        input_.outputs_read.push_back(output);
        return static_cast<int>(input_.outputs_read.size()) - 1;
    }
    int number(bool is_output, int index) {
        std::vector<SignalInput::Variable>& all = input_.variables;
        for (std::size_t i = 0; i < all.size(); ++i)
            if (all[i].is_output == is_output && all[i].index == index) return static_cast<int>(i);
        all.push_back({is_output, index});
        return static_cast<int>(all.size()) - 1;
    }

    const std::vector<SignalPart>& parts_;
    SignalInput& input_;
};

/// The outputs of an object that has a name before the dot of a measure that is not there.
std::string outputs_of(const std::vector<SignalPart>& parts, const std::string& text) {
    const std::size_t dot = text.rfind('.');
    if (dot == std::string::npos) return {};
    for (const SignalPart& part : parts) {
        if (part.name != text.substr(0, dot) || part.facts.outputs.empty()) continue;
        std::vector<std::string> names;
        for (const Output& output : part.facts.outputs)
            if (!output.is_vector) names.push_back(part.name + "." + output.name);
        return fmt::format("; its outputs are {}", fmt::join(names, ", "));
    }
    return {};
}

/// The parameter that holds an input.
const Parameter& parameter_of(const ObjectRef& object, std::string_view key) {
    const std::span<const Parameter> schema(object.type->parameters,
                                            static_cast<std::size_t>(object.type->num_parameters));
    const auto found = std::ranges::find(schema, key, &Parameter::name);
    if (found == schema.end() || !found->allows(Shape::signal))
        throw Error(ErrorKind::plugin,
                    fmt::format("{}: the input \"{}\" is no parameter of its type that is a signal",
                                describe(object),
                                key),
                    object.place);
    return *found;
}

void read_formula(const std::vector<SignalPart>& parts,
                  const BoundArguments& arguments,
                  const char* key,
                  const std::string& text,
                  SignalInput& input,
                  const AttachRequest& attach,
                  const std::string& label) {
    InputScope scope(parts, input);
    try {
        input.formula.push_back(Formula::parse(text, scope));
    } catch (const FormulaError& error) {
        arguments.fail(key,
                       std::string(error.what()) + "\n" + formula_excerpt(text, error.position()));
    }
    add_break_points(arguments, input.formula.front());
    AttachmentTexts requests;
    try {
        input.reader.finish(arguments, key, requests);
        for (const AttachmentRequest& request : requests.list())
            attach(request, {label, arguments.place_of(key), key, {}}, input.attachments);
    } catch (const Error& error) {
        std::string hint;
        for (const AttachmentRequest& request : requests.list())
            if (hint.empty()) hint = outputs_of(parts, request.text);
        if (hint.empty()) hint = outputs_of(parts, text);
        if (hint.empty()) throw;
        throw Error(error.kind(), error.message() + hint, error.place());
    }
}

}  // namespace

int SignalPart::find_output(std::string_view output) const {
    int value = 0;
    for (const Output& one : facts.outputs) {
        if (output == one.name) return one.is_vector ? -1 : value;
        value += one.is_vector ? 3 : 1;
    }
    return -1;
}

void read_inputs(std::vector<SignalPart>& parts,
                 const std::vector<BoundArguments>& arguments,
                 const AttachRequest& attach) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
        SignalPart& part = parts[i];
        const BoundArguments& own = arguments[i];
        for (const char* const key : part.facts.inputs) {
            auto input = std::make_unique<SignalInput>();
            input->name = part.name + "." + key;
            input->place = own.place_of(key);
            if (part.of == SignalPart::Of::release) {
                const char* const given = Release::condition_key(own);
                input->place = own.place_of(given);
                const std::string text = Release::condition(own);
                read_formula(parts, own, given, text, *input, attach, part.label);
                part.inputs.push_back(std::move(input));
                continue;
            }
            // Where the measure decides, an input has no unit of its own.
            const Parameter& parameter = parameter_of(part.signals.object(), key);
            if (unit_alternatives(parameter.unit).size() == 1) input->unit = parameter.unit;
            if (!own.has(key)) {
                // zero over all time
            } else if (own.shape(key) == Shape::text) {
                read_formula(
                    parts, own, key, std::string(own.text(key)), *input, attach, part.label);
            } else {
                input->given =
                    TimeFunction(own, key, {.components = {key}, .outside = Outside::hold});
            }
            part.inputs.push_back(std::move(input));
        }
    }
}

}  // namespace ancora
