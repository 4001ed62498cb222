// SPDX-License-Identifier: BSD-3-Clause
// The names that the expressions of a manifest may use: its [parameters], and the indices and local
// names of [[generate]].
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ancora/framework/value.hpp"
#include "symbols.hpp"

namespace ancora {

/// [parameters], all computed. Knows which of them were asked for.
class ExpressionScope final : public Symbols {
public:
    ExpressionScope() = default;
    /// Computes them all, in any order.
    /// @throws Error (manifest) at the place of the one that is wrong, with the chain of a cycle
    explicit ExpressionScope(const Table& parameters);
    /// A name of one round of [[generate]] alone.
    struct Local {
        std::string name;
        std::vector<Quantity> values;
        bool is_array = false;
        std::string text = {};                ///< of one in a list of names
        std::vector<std::string> texts = {};  ///< of a list of names
    };
    /// The names of `outer`, and indices.
    ExpressionScope(std::shared_ptr<const ExpressionScope> outer, std::vector<Local> indices);

    void add_local(Local local) { locals_.push_back(std::move(local)); }

    Symbol find(std::string_view name) const override;
    bool knows(std::string_view name) const override;
    std::vector<std::string> names() const override;

    /// "i = 3, j = 0"; empty outside [[generate]].
    std::string indices_text() const;

    /// One entry of [parameters].
    struct Definition {
        std::string name;
        Place place;
        const Value* given = nullptr;  // while they are computed
        std::vector<Quantity> values;
        bool is_array = false;
        std::size_t columns = 0;  // of an array of rows
        enum class Progress { waiting, working, done } progress = Progress::waiting;
        mutable std::atomic<bool> was_used = false;
    };
    /// Those of [parameters], in the order of the file.
    const std::deque<Definition>& parameters() const { return parameters_; }

private:
    class Computation;

    const Definition* parameter(std::string_view name) const;

    std::shared_ptr<const ExpressionScope> outer_;
    std::vector<Local> indices_, locals_;
    std::deque<Definition> parameters_;
    std::unordered_map<std::string_view, const Definition*> by_name_;
};

}  // namespace ancora
