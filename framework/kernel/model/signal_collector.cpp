// SPDX-License-Identifier: BSD-3-Clause
// The objects of a model that have signals, noted while they are made.
#include "signal_collector.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "ancora/framework/nearest_name.hpp"
#include "requested_attachments.hpp"
#include "units.hpp"
#include "wording.hpp"

namespace ancora {

template <class Part>
void SignalCollector::note(SignalPart::Of of,
                           std::size_t index,
                           const Part& part,
                           BoundArguments arguments) {
    const GuardedSignals signals = part.signals();
    if (signals) add(of, index, part.object, signals, std::move(arguments));
}

void SignalCollector::add(SignalPart::Of of,
                          std::size_t index,
                          const ObjectRef& object,
                          const GuardedSignals& signals,
                          BoundArguments arguments) {
    SignalPart noted;
    noted.of = of;
    noted.index = static_cast<int>(index);
    noted.name = object.name;
    noted.label = object.label;
    noted.place = object.place;
    noted.facts = signals.facts();
    noted.num_values = num_values(noted.facts.outputs);
    for (const Output& output : noted.facts.outputs) {
        const std::string unit = output.unit != nullptr ? output.unit : "";
        if (!unit.empty() && unit != "-" && !dimension_of(unit))
            throw Error(ErrorKind::plugin,
                        fmt::format("{}: its output \"{}\" has the unit \"{}\", which cannot be "
                                    "read",
                                    describe(object),
                                    output.name,
                                    unit),
                        object.place);
    }
    model_.signals.push_back(std::move(noted));
    arguments_.push_back(std::move(arguments));
}

void SignalCollector::note_body(std::size_t index, BoundArguments arguments) {
    if (model_.bodies[index].signals()) body_arguments_.emplace(index, std::move(arguments));
}

void SignalCollector::note_constraint(std::size_t index, BoundArguments arguments) {
    note(SignalPart::Of::constraint, index, model_.constraints[index], std::move(arguments));
}

void SignalCollector::note_force(std::size_t index, BoundArguments arguments) {
    note(SignalPart::Of::force, index, model_.forces[index], std::move(arguments));
}

void SignalCollector::note_release(std::size_t index, BoundArguments keys) {
    ConstraintPart& part = model_.constraints[index];
    part.release = std::make_shared<const Release>(keys);
    add(SignalPart::Of::release,
        index,
        part.object,
        {part.release.get(), part.object},
        std::move(keys));
}

/// `after` names another constraint that opens, and not in a circle.
void SignalCollector::check_order() const {
    const auto find = [&](std::string_view name) {
        for (std::size_t i = 0; i < model_.signals.size(); ++i)
            if (model_.signals[i].of == SignalPart::Of::release && model_.signals[i].name == name)
                return i;
        return model_.signals.size();
    };
    for (std::size_t i = 0; i < model_.signals.size(); ++i) {
        std::size_t at = i;
        for (std::size_t steps = 0; at < model_.signals.size(); ++steps) {
            if (model_.signals[at].of != SignalPart::Of::release || !arguments_[at].given("after"))
                break;
            if (steps > model_.signals.size())
                arguments_[i].fail("after", "it waits for itself, in a circle; none of them opens");
            const std::string name(arguments_[at].text("after"));
            const std::size_t next = find(name);
            if (next == model_.signals.size()) {
                std::vector<std::string> known;
                for (const SignalPart& part : model_.signals)
                    if (part.of == SignalPart::Of::release && part.name != model_.signals[at].name)
                        known.push_back(part.name);
                arguments_[at].fail(
                    "after",
                    fmt::format("there is no constraint \"{}\" with a release{}",
                                name,
                                known.empty() ? "; no other has one"
                                              : hint(name, known, "others that have one")));
            }
            at = next;
        }
    }
}

void SignalCollector::read() {
    check_order();
    for (auto& [i, arguments] : body_arguments_)
        note(SignalPart::Of::body, i, model_.bodies[i], std::move(arguments));
    // parts do not move any more
    for (SignalPart& part : model_.signals) {
        const auto i = static_cast<std::size_t>(part.index);
        switch (part.of) {
            case SignalPart::Of::body:
                part.signals = model_.bodies[i].signals();
                break;
            case SignalPart::Of::constraint:
                part.signals = model_.constraints[i].signals();
                break;
            case SignalPart::Of::force:
                part.signals = model_.forces[i].signals();
                break;
            case SignalPart::Of::release: {
                const ConstraintPart& of = model_.constraints[i];
                part.signals = {of.release.get(), of.object};
            }
        }
    }
    read_inputs(
        model_.signals,
        arguments_,
        [this](const AttachmentRequest& request, const Asker& asker, std::vector<Attachment>& to) {
            resolve(model_, request, model_.integrator_object, asker, to);
        });
}

}  // namespace ancora
