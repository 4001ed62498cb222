// SPDX-License-Identifier: BSD-3-Clause
// The places of the entries of geometric stiffness in G.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "lanes.hpp"
#include "workers.hpp"

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
    /// Frees unused capacity when all terms have been added.
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

    /// Lays the terms out for so many threads, each of which writes coordinates of its own; for one
    /// there is nothing to lay out.
    void share(int num_coordinates, int num_threads) {
        shares_.clear();
        if (num_threads < 2) return;
        const Sides sides{num_coordinates, num_threads};
        std::vector<std::vector<Half>> shares(static_cast<std::size_t>(num_threads));
        for (const Run& run : runs_) add_to_shares(run, sides, shares);
        for (std::vector<Half>& share : shares) share.shrink_to_fit();
        shares_ = std::move(shares);
    }

    /// Calls visit(weight, entry of K, to, from) for both sides of each term, as a product with the
    /// symmetric G goes along: once for a term on the diagonal. Those of one coordinate `to` come
    /// in their order and in one thread, so that sums have the same bits with any number. [step]
    template <class Visit>
    [[gnu::always_inline]] void for_each_side(const double* K,
                                              Workers& workers,
                                              const Visit& visit) const {
        if (shares_.empty()) {
            for_each(K, [&](double weight, double entry, int i, int j) ANCORA_INLINE_LAMBDA {
                visit(weight, entry, i, j);
                if (i != j) visit(weight, entry, j, i);
            });
            return;
        }
        workers.run([&](int k) {
            for (const Half& half : shares_[k]) {
                const double entry = K[half.run.from];
                for (int at = 0; at < half.run.count; ++at) {
                    const int i = half.run.i + at;
                    const int j = half.run.j + at;
                    if (half.is_to_i) visit(half.run.weight, entry, i, j);
                    if (half.is_to_j) visit(half.run.weight, entry, j, i);
                }
            }
        });
    }

private:
    /// Which coordinates are whose.
    struct Sides {
        int num_coordinates;
        int num_threads;
        int of(int i) const {
            return static_cast<int>((i * long{num_threads}) / std::max(num_coordinates, 1));
        }
    };
    /// The part of a run for one thread, all of whose i are one thread's, and all of whose j.
    struct Half {
        Run run;
        bool is_to_i;
        bool is_to_j;
    };

    static void add_to_shares(Run run, const Sides& sides, std::vector<std::vector<Half>>& shares) {
        while (run.count > 0) {
            const int of_i = sides.of(run.i);
            const int of_j = sides.of(run.j);
            Run piece = run;
            piece.count = 1;
            while (piece.count < run.count && sides.of(run.i + piece.count) == of_i &&
                   sides.of(run.j + piece.count) == of_j)
                ++piece.count;
            const bool is_off_diagonal = run.i != run.j;
            shares[of_i].push_back({piece, true, is_off_diagonal && of_j == of_i});
            if (of_j != of_i) shares[of_j].push_back({piece, false, true});
            run.i += piece.count;
            run.j += piece.count;
            run.count -= piece.count;
        }
    }

    std::vector<Run> runs_;
    std::vector<std::vector<Half>> shares_;  // of each thread, if several are at work
    std::size_t size_ = 0;
};

}  // namespace ancora
