// SPDX-License-Identifier: BSD-3-Clause
// The objects of a model that have signals, noted while they are made.
#include "signal_collector.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "requested_attachments.hpp"
#include "units.hpp"

namespace ancora {

template <class Part>
void SignalCollector::note(SignalPart::Of of,
                           std::size_t index,
                           const Part& part,
                           BoundArguments arguments) {
    const GuardedSignals signals = part.signals();
    if (!signals) return;
    SignalPart noted;
    noted.of = of;
    noted.index = static_cast<int>(index);
    noted.name = part.object.name;
    noted.label = part.object.label;
    noted.place = part.object.place;
    noted.facts = signals.facts();
    noted.num_values = num_values(noted.facts.outputs);
    for (const Output& output : noted.facts.outputs) {
        const std::string unit = output.unit != nullptr ? output.unit : "";
        if (!unit.empty() && unit != "-" && !dimension_of(unit))
            throw Error(ErrorKind::plugin,
                        fmt::format("{}: its output \"{}\" has the unit \"{}\", which cannot be "
                                    "read",
                                    describe(part.object),
                                    output.name,
                                    unit),
                        part.object.place);
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

void SignalCollector::read() {
    for (auto& [i, arguments] : body_arguments_)
        note(SignalPart::Of::body, i, model_.bodies[i], std::move(arguments));
    // parts do not move any more
    for (SignalPart& part : model_.signals) {
        const auto i = static_cast<std::size_t>(part.index);
        part.signals = part.of == SignalPart::Of::body         ? model_.bodies[i].signals()
                       : part.of == SignalPart::Of::constraint ? model_.constraints[i].signals()
                                                               : model_.forces[i].signals();
    }
    read_inputs(
        model_.signals,
        arguments_,
        [this](const AttachmentRequest& request, const Asker& asker, std::vector<Attachment>& to) {
            resolve(model_, request, model_.integrator_object, asker, to);
        });
}

}  // namespace ancora
