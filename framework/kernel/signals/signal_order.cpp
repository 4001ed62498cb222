// SPDX-License-Identifier: BSD-3-Clause
// Groups by the dependencies of inputs on outputs, and an order in which outputs precede their
// readers.
#include "signal_order.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "ancora/sdk/numbers/disjoint_sets.hpp"

namespace ancora {
namespace {

enum class Visit : char { none, open, done };

/// Depth first along outputs that pass inputs on at once.
class Sorter {
public:
    explicit Sorter(const std::vector<SignalPart>& parts)
        : parts_(parts), visits_(parts.size(), Visit::none) {}

    std::vector<int> sorted() {
        for (std::size_t i = 0; i < parts_.size(); ++i) visit(static_cast<int>(i));
        return order_;
    }

private:
    void visit(int i) {
        Visit& at = visits_[i];
        if (at == Visit::done) return;
        way_.push_back(i);
        if (at == Visit::open) refuse_loop(i);
        at = Visit::open;
        const SignalPart& part = parts_[i];
        for (const auto& input : part.inputs)
            for (const OutputRead& source : input->outputs_read)
                if (parts_[source.part].facts.outputs_read_inputs) visit(source.part);
        visits_[i] = Visit::done;
        way_.pop_back();
        order_.push_back(i);
    }

    [[noreturn]] void refuse_loop(int i) const {
        const auto begin = std::ranges::find(way_, i);
        std::string names;
        for (auto at = begin; at != way_.end(); ++at)
            names += (at == begin ? "" : " reads ") + parts_[*at].name;
        const SignalPart& part = parts_[i];
        throw Error(ErrorKind::manifest,
                    fmt::format("{}: signals form a loop without delay: {}; give one of them a "
                                "state, such as a bandwidth or a sampling time",
                                part.label,
                                names),
                    part.place);
    }

    const std::vector<SignalPart>& parts_;
    std::vector<Visit> visits_;
    std::vector<int> way_, order_;
};

}  // namespace

std::vector<SignalGroup> order_signals(const std::vector<SignalPart>& parts) {
    DisjointSets sets(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i)
        for (const auto& input : parts[i].inputs)
            for (const OutputRead& source : input->outputs_read)
                sets.join(static_cast<int>(i), source.part);
    std::vector<SignalGroup> groups;
    std::vector<int> group_of(parts.size(), -1);
    for (const int i : Sorter(parts).sorted()) {
        int& group = group_of[sets.root(i)];
        if (group < 0) {
            group = static_cast<int>(groups.size());
            groups.emplace_back();
        }
        SignalGroup& to = groups[group];
        to.parts.push_back(i);
        to.num_x += parts[i].facts.num_continuous;
    }
    return groups;
}

}  // namespace ancora
