// SPDX-License-Identifier: BSD-3-Clause
// Which inputs may be moved together.
#include "sparse_differences.hpp"

namespace ancora {

SparseDifferences::SparseDifferences(int num_inputs,
                                     int num_outputs,
                                     const std::vector<Object>& objects)
    : outputs_(num_inputs), differences_(num_outputs) {
    std::vector<std::vector<int>> seen_by(num_outputs);  // inputs of each output
    for (const Object& object : objects)
        for (const int j : object.inputs)
            outputs_[j].insert(outputs_[j].end(), object.outputs.begin(), object.outputs.end());
    for (int j = 0; j < num_inputs; ++j) {
        std::vector<int>& of = outputs_[j];
        std::ranges::sort(of);
        of.erase(std::unique(of.begin(), of.end()), of.end());
        for (const int i : of) seen_by[i].push_back(j);
        if (!of.empty()) inputs_.push_back(j);
    }
    // Greedy: the first colour that no input has which shares an output.
    std::vector<int> colour(num_inputs, -1), taken_by;
    for (const int j : inputs_) {
        for (const int i : outputs_[j])
            for (const int other : seen_by[i])
                if (colour[other] >= 0) taken_by[colour[other]] = j;
        const auto free = std::ranges::find_if(taken_by, [j](int by) {
            return by != j;
        });
        colour[j] = static_cast<int>(free - taken_by.begin());
        if (free == taken_by.end()) {
            taken_by.push_back(-1);
            colours_.emplace_back();
        }
        colours_[colour[j]].push_back(j);
    }
}

}  // namespace ancora
