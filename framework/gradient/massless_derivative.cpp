// SPDX-License-Identifier: BSD-3-Clause
// Clusters of coordinates without mass, and differences of what resets their velocities.
#include "massless_derivative.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "ancora/sdk/numbers/disjoint_sets.hpp"
#include "difference_moves.hpp"
#include "step_derivative.hpp"

namespace ancora {
namespace {

// As Massless sees it.
constexpr double kSeenByRounding = 1e-12;

}  // namespace

/// Those that rows have in common, with all that these rows see.
MasslessDerivative::MasslessDerivative(KernelSystem& system)
    : system_(system), data_(system.step_data()), n_(data_.parts.n) {
    const Assembly& parts = data_.parts;
    const RowSet& rows = parts.rows;
    DisjointSets sets(static_cast<std::size_t>(n_));
    std::vector<int> first_of_row(static_cast<std::size_t>(parts.m), -1);
    for (int k = 0; k < parts.m; ++k)
        for (const int i : rows.columns(k)) {
            if (!parts.mass.is_massless(i)) continue;
            if (first_of_row[k] < 0) first_of_row[k] = i;
            sets.join(i, first_of_row[k]);
        }
    std::map<int, SparseDifferences::Object> clusters;
    for (int i = 0; i < n_; ++i)
        if (parts.mass.is_massless(i)) clusters[sets.root(i)].outputs.push_back(i);
    for (int k = 0; k < parts.m; ++k) {
        if (first_of_row[k] < 0) continue;
        std::vector<int>& inputs = clusters[sets.root(first_of_row[k])].inputs;
        inputs.insert(inputs.end(), rows.columns(k).begin(), rows.columns(k).end());
    }
    std::vector<SparseDifferences::Object> objects;
    for (auto& [root, cluster] : clusters) {
        std::ranges::sort(cluster.inputs);
        cluster.inputs.erase(std::unique(cluster.inputs.begin(), cluster.inputs.end()),
                             cluster.inputs.end());
        objects.push_back(std::move(cluster));
    }
    differences_.emplace(n_, n_, objects);
}

std::vector<int> MasslessDerivative::unseen_rows(const StepState& at) {
    std::vector<int> out;
    if (differences_->empty()) return out;
    at.put(system_);
    RowSet& rows = data_.parts.rows;
    Eigen::VectorXd A = rows.B, pi_t = Eigen::VectorXd::Zero(data_.parts.m);
    rows.evaluate_rates(system_.step_rows().massless.blocks(),
                        at.q.data(),
                        at.v.data(),
                        at.t,
                        A.data(),
                        pi_t.data());
    const Eigen::VectorXd reach = data_.parts.space.reaches();
    for (int k = 0; k < data_.parts.m; ++k) {
        double most = 0.0, seen = -1.0;
        for (const int e : rows.entries(k)) {
            const int i = rows.column_of(e);
            const double entry = std::abs(A[e]) / reach[i];
            most = std::max(most, entry);
            if (data_.parts.mass.is_massless(i)) seen = std::max(seen, entry);
        }
        if (seen >= 0.0 && seen <= kSeenByRounding * most) out.push_back(k);
    }
    return out;
}

void MasslessDerivative::reset(KernelSystem& system, const std::vector<int>& unseen) {
    Massless& massless = system.step_rows().massless;
    if (massless.empty()) return;
    const SystemData data = system.step_data();
    Eigen::VectorXd A = data.parts.rows.B;
    Eigen::VectorXd pi_t = Eigen::VectorXd::Zero(data.parts.m);
    data.parts.rows.evaluate_rates(massless.blocks(),
                                   data.state.q.data(),
                                   data.state.v.data(),
                                   data.state.t,
                                   A.data(),
                                   pi_t.data());
    for (const int k : unseen)
        for (const int e : data.parts.rows.entries(k))
            if (data.parts.mass.is_massless(data.parts.rows.column_of(e))) A[e] = 0.0;
    massless.reset(A, pi_t, data.state.v.data());
}

void MasslessDerivative::move(const StepState& at, Costate& of) {
    if (differences_->empty()) return;
    Eigen::VectorXd by = of.v;
    for (int i = 0; i < n_; ++i)
        if (!data_.parts.mass.is_massless(i)) by[i] = 0.0;
    if (largest_entry(by) == 0.0) return;
    of.v -= by;
    const std::vector<int> unseen = unseen_rows(at);
    q_ = at.q;
    v_ = at.v;
    const auto evaluate = [&](Eigen::VectorXd& out) {
        data_.state.q = q_;
        data_.state.v = v_;
        reset(system_, unseen);
        out = data_.state.v;
    };
    differences_->differentiate(
        evaluate,
        q_,
        [&](int i) {
            return move_of_place(q_[i], data_.state.extent);
        },
        [&](int i, int j, double value) {
            of.q[j] += by[i] * value;
        });
    // linear in the other velocities
    differences_->differentiate(
        evaluate,
        v_,
        [](int) {
            return 1.0;
        },
        [&](int i, int j, double value) {
            if (!data_.parts.mass.is_massless(j)) of.v[j] += by[i] * value;
        });
}

}  // namespace ancora
