// SPDX-License-Identifier: BSD-3-Clause
// Where the entries of geometric stiffness go.
#pragma once

#include <cstddef>
#include <vector>

namespace ancora {

/// An entry of a tangent buffer times a weight goes to G(i, j), i >= j.
struct TangentTerm {
    int from;
    int i;
    int j;
    double weight;
};

/// The terms of a model in their order, as runs that a step goes along: an isotropic entry acts
/// alike on x, y and z, and reading it three times with its places is what a product with a large G
/// would spend its time on.
class TangentTerms {
    /// Terms of one entry along a diagonal.
    struct Run {
        int from;
        int i;
        int j;
        int count;
        double weight;
    };

public:
    void add(int from, int i, int j, double weight) {
        ++size_;
        if (!runs_.empty()) {
            Run& last = runs_.back();
            if (last.from == from && last.weight == weight && last.i + last.count == i &&
                last.j + last.count == j) {
                ++last.count;
                return;
            }
        }
        runs_.push_back({from, i, j, 1, weight});
    }
    /// Gives back what room is left when all are there.
    void end() { runs_.shrink_to_fit(); }

    std::size_t size() const { return size_; }

    /// Calls visit(term) for each in order.
    template <class Visit>
    void for_each_term(const Visit& visit) const {
        for (const Run& run : runs_)
            for (int k = 0; k < run.count; ++k)
                visit(TangentTerm{run.from, run.i + k, run.j + k, run.weight});
    }

    /// Calls visit(weight, entry of K, i, j) for each term in order. [step]
    template <class Visit>
    [[gnu::always_inline]] void for_each(const double* K, const Visit& visit) const {
        for (const Run& run : runs_) {
            const double entry = K[run.from];
            if (run.count == 3) {
                visit(run.weight, entry, run.i, run.j);
                visit(run.weight, entry, run.i + 1, run.j + 1);
                visit(run.weight, entry, run.i + 2, run.j + 2);
                continue;
            }
            for (int k = 0; k < run.count; ++k) visit(run.weight, entry, run.i + k, run.j + k);
        }
    }

private:
    std::vector<Run> runs_;
    std::size_t size_ = 0;
};

}  // namespace ancora
