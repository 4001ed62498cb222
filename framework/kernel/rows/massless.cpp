// SPDX-License-Identifier: BSD-3-Clause
// Clusters of massless coordinates and the reset of their velocities.
#include "massless.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "ancora/sdk/numbers/disjoint_sets.hpp"
#include "dense.hpp"
#include "row_laws.hpp"

namespace ancora {
namespace {

// Eigenvalue of the normal matrix below which a direction counts as not determined, relative.
constexpr double kRankTolerance = 1e-14;
// What a row sees of massless coordinates, as a part of all that it sees: below this it is
// rounding.
constexpr double kSeen = 1e-12;
// Constraints that see less of some direction, squared, say less about it than stiffness does.
constexpr double kWellSeen = 1e-8;

}  // namespace

Massless::Massless(const MassMatrix& mass,
                   const RowSet& rows,
                   const Space& space,
                   int num_coordinates)
    : rows_(rows), reach_(space.reaches()) {
    const auto n = static_cast<std::size_t>(num_coordinates);
    // place_ is -1 for coordinates with mass.
    place_.assign(n, -1);
    // Massless coordinates that a row has in common belong to one cluster:
    // the least squares of theory (35) fall apart into clusters.
    DisjointSets sets(n);
    for (int row = 0; row < rows.num_rows(); ++row)
        if (rows.laws[row].kind == RowKind::gauge) gauge_rows_.push_back(row);
    std::vector<int> first_of_row(static_cast<std::size_t>(rows.num_rows()), -1);
    for (int row = 0; row < rows.num_rows(); ++row) {
        int& first = first_of_row[row];
        for (const int k : rows.entries(row)) {
            const int i = rows.column_of(k);
            if (!mass.is_massless(i)) continue;
            if (first < 0) first = i;
            sets.join(i, first);
        }
    }
    // Clusters in the order of their first coordinates.
    std::map<int, std::size_t> cluster_of;
    for (int i = 0; i < num_coordinates; ++i) {
        if (!mass.is_massless(i)) continue;
        const auto [it, is_new] = cluster_of.try_emplace(sets.root(i), clusters_.size());
        if (is_new) clusters_.emplace_back();
        Cluster& cluster = clusters_[it->second];
        place_[i] = static_cast<int>(cluster.coordinates.size());
        cluster.coordinates.push_back(i);
    }
    // The rows of each cluster, rising.
    for (int row = 0; row < rows.num_rows(); ++row) {
        const int first = first_of_row[row];
        if (first >= 0) clusters_[cluster_of[sets.root(first)]].rows.push_back(row);
    }
    for (Cluster& cluster : clusters_) lay_out(cluster);
    // Blocks whose A and pi_t theory (35) reads.
    for (std::size_t b = 0; b < rows.blocks.size(); ++b) {
        const BlockPart& part = rows.blocks[b];
        const bool touches = std::any_of(first_of_row.begin() + part.first_row,
                                         first_of_row.begin() + part.first_row + part.num_rows,
                                         [](int first) {
                                             return first >= 0;
                                         });
        if (touches) blocks_.push_back(static_cast<int>(b));
    }
}

/// The pattern of a cluster's normal matrix.
void Massless::lay_out(Cluster& cluster) {
    std::vector<std::vector<int>> seen;
    for (const int row : cluster.rows) {
        std::vector<int>& columns = seen.emplace_back();
        for (const int k : rows_.entries(row)) {
            const int a = place_[rows_.column_of(k)];
            int slot = -1;
            if (a >= 0) {
                slot = static_cast<int>(std::ranges::find(columns, a) - columns.begin());
                if (slot == static_cast<int>(columns.size())) columns.push_back(a);
            }
            cluster.slots.push_back(slot);
        }
        cluster.num_seen.push_back(static_cast<int>(columns.size()));
        most_seen_ = std::max(most_seen_, columns.size());
    }
    const auto size = static_cast<int>(cluster.coordinates.size());
    cluster.normal = std::make_unique<NormalMatrix>(size, seen);
    cluster.rhs.setZero(size);
    seen_.assign(most_seen_, 0.0);
}

template <class F>
void Massless::for_rows(Cluster& cluster, const Eigen::VectorXd& A, const F& f) {
    const int* slot = cluster.slots.data();
    for (std::size_t c = 0; c < cluster.rows.size(); ++c) {
        const int row = cluster.rows[c];
        const std::span<double> a = std::span(seen_).first(cluster.num_seen[c]);
        std::ranges::fill(a, 0.0);
        const int* at = slot;
        for (const int k : rows_.entries(row))
            if (const int place = *slot++; place >= 0) a[place] += A[k];
        f(static_cast<int>(c), row, a, at);
    }
}

std::vector<int> Massless::idle_gauge_rows(const Eigen::VectorXd& A) {
    std::vector<int> idle;
    for (Cluster& cluster : clusters_) {
        // The gauge rows of this cluster.
        std::vector<int> own;
        std::set_intersection(cluster.rows.begin(),
                              cluster.rows.end(),
                              gauge_rows_.begin(),
                              gauge_rows_.end(),
                              std::back_inserter(own));
        if (own.empty()) continue;
        // N = sum of A_z^T A_z over constraints except gauge rows. Its null space holds the
        // coordinates that these leave undetermined.
        cluster.by_constraints = cluster.without_gauge_rows = true;
        fill(cluster, A, nullptr, nullptr);
        cluster.without_gauge_rows = false;
        const SymmetricEigen eigen(cluster.normal->dense());
        const Eigen::Index size = cluster.normal->size();
        // A direction is free if its coefficients in all rows are at the round-off of the largest
        // ones.
        const double least = kRankTolerance * eigen.values().tail(1)[0];
        Eigen::Index free = 0;
        while (free < size && !(eigen.values()[free] > least)) ++free;
        // Gauge rows restricted to the null space: as many are needed as their rank there.
        Eigen::MatrixXd seen = Eigen::MatrixXd::Zero(free, static_cast<Eigen::Index>(own.size()));
        for (std::size_t c = 0; c < own.size(); ++c)
            for (const int k : rows_.entries(own[c])) {
                const int a = place_[rows_.column_of(k)];
                if (a >= 0)
                    seen.col(static_cast<Eigen::Index>(c)) +=
                        A[k] * eigen.vectors().row(a).head(free).transpose();
            }
        // As many gauge rows are needed as are independent in the null space; pivots select them.
        Eigen::Index needed = 0;
        std::vector<int> order;
        if (free > 0) {
            const RankRevealingQr qr(seen);
            needed = qr.rank(std::sqrt(kRankTolerance));
            order.assign(qr.order().begin(), qr.order().end());
        }
        // Gauge rows beyond the first pivots depend on these.
        for (std::size_t c = 0; c < own.size(); ++c) {
            const auto begin = order.begin();
            if (std::find(begin, begin + needed, static_cast<int>(c)) == begin + needed)
                idle.push_back(own[c]);
        }
    }
    return idle;
}

int Massless::largest_with_gauge_rows() const {
    std::size_t largest = 0;
    for (const Cluster& cluster : clusters_)
        if (std::ranges::any_of(cluster.rows, [&](int row) {
                return rows_.laws[row].kind == RowKind::gauge;
            }))
            largest = std::max(largest, cluster.coordinates.size());
    return static_cast<int>(largest);
}

double Massless::weight(const Cluster& cluster, int row) const {
    // w_k of theory (35): 1 for a constraint, the stiffness 1 / c of an elastic row
    const RowLaw& law = rows_.laws[row];
    if (cluster.without_gauge_rows && law.kind == RowKind::gauge) return 0.0;
    if (RowLaws::is_constraint(law)) return 1.0;
    if (rows_.has_law_together(row)) return 0.0;
    if (cluster.by_constraints || law.kind != RowKind::elastic) return 0.0;
    // Rows that may go slack or break do not determine coordinates.
    if (law.law != nullptr) return 0.0;
    return 1.0 / law.compliance;
}

/// The largest massless entry of a row beside its largest, per displacement of matter.
double Massless::part_seen(int row, const Eigen::VectorXd& A) const {
    // Entries over reach are rates per velocity of matter, so that
    // units of coordinates do not count.
    double most = 0.0;
    double seen = 0.0;
    for (const int k : rows_.entries(row)) {
        const int i = rows_.column_of(k);
        const double entry = std::abs(A[k]) / reach_[i];
        most = std::max(most, entry);
        if (place_[i] >= 0) seen = std::max(seen, entry);
    }
    return most > 0.0 ? seen / most : 0.0;
}

/// What a row sees by rounding alone, such as the normal director of a flat body, it does not
/// determine.
bool Massless::counts(const Cluster& cluster, int row, const Eigen::VectorXd& A) const {
    if (weight(cluster, row) == 0.0) return false;
    return !RowLaws::is_constraint(rows_.laws[row]) || part_seen(row, A) > kSeen;
}

/// Whether constraints alone determine every direction of a cluster, and not by a hair.
bool Massless::is_well_seen(Cluster& cluster, const Eigen::VectorXd& A) {
    // N = sum of a a^T, a the entries of a row relative to its largest. Its least eigenvalue
    // is the square of what the constraints see of the direction that they see least.
    cluster.normal->clear();
    for_rows(cluster, A, [&](int c, int row, std::span<double> a, const int* slot) {
        if (!RowLaws::is_constraint(rows_.laws[row])) return;
        std::ranges::fill(a, 0.0);
        double most = 0.0;
        for (const int k : rows_.entries(row)) {
            const double entry = A[k] / reach_[rows_.column_of(k)];
            most = std::max(most, std::abs(entry));
            if (const int place = *slot++; place >= 0) a[place] += entry;
        }
        if (most > 0.0) cluster.normal->add(c, 1.0 / (most * most), a);
    });
    return cluster.normal->least().value > kWellSeen;
}

/// Normal equations of min sum w (A_z v_z + A_m v_m + pi_t)^2 in the massless v_z.
void Massless::fill(Cluster& cluster,
                    const Eigen::VectorXd& A,
                    const Eigen::VectorXd* pi_t,
                    const double* v) {
    // N v_z = -sum of w A_z^T (A_m v_m + pi_t), size of the cluster
    cluster.normal->clear();
    cluster.rhs.setZero();
    // Stiffnesses are relative to the stiffest, so that N has the size of A_z^T A_z.
    double stiffest = 0.0;
    if (!cluster.by_constraints)
        for (const int row : cluster.rows) stiffest = std::max(stiffest, weight(cluster, row));
    for_rows(cluster, A, [&](int c, int row, std::span<double> a, const int*) {
        if (!counts(cluster, row, A)) return;
        double w = weight(cluster, row);
        const bool is_constraint = RowLaws::is_constraint(rows_.laws[row]);
        // Constraints beside elastic rows count much more, limited by round-off.
        if (!cluster.by_constraints) w = is_constraint ? 1e4 : w / stiffest;
        cluster.normal->add(c, w, a);
        if (v == nullptr) return;
        // known = A_m v_m + pi_t, rhs -= w A_z^T known
        double known = (*pi_t)[row];
        for (const int k : rows_.entries(row))
            if (const int i = rows_.column_of(k); place_[i] < 0) known += A[k] * v[i];
        for (const int k : rows_.entries(row)) {
            const int place = place_[rows_.column_of(k)];
            if (place >= 0) cluster.rhs[place] -= w * A[k] * known;
        }
    });
}

int Massless::analyse(const Eigen::VectorXd& A) {
    for (Cluster& cluster : clusters_) {
        // Where stiffness determines nothing more, constraints that hardly see it still count.
        const bool sees_well = is_well_seen(cluster, A);
        // Constraints alone if they determine the cluster clearly, else with elastic rows,
        // and the other way where the first choice leaves a direction free.
        NormalMatrix::Least least;
        bool is_determined = false;
        for (const bool by_constraints : {sees_well, !sees_well}) {
            cluster.by_constraints = by_constraints;
            fill(cluster, A, nullptr, nullptr);
            least = cluster.normal->least();
            is_determined = least.value > kRankTolerance * cluster.normal->largest();
            if (is_determined) break;
        }
        if (is_determined) continue;
        // A null direction of all rows: its largest entry is the coordinate to be named.
        cluster.by_constraints = false;
        fill(cluster, A, nullptr, nullptr);
        Eigen::Index worst = 0;
        cluster.normal->least().direction.cwiseAbs().maxCoeff(&worst);
        return cluster.coordinates[worst];
    }
    return -1;
}

void Massless::reset(const Eigen::VectorXd& A, const Eigen::VectorXd& pi_t, double* v) {
    for (Cluster& cluster : clusters_) {
        // v_z = N^-1 rhs
        fill(cluster, A, &pi_t, v);
        if (!cluster.normal->factorise()) continue;
        cluster.normal->solve(cluster.rhs.data());
        for (std::size_t i = 0; i < cluster.coordinates.size(); ++i)
            v[cluster.coordinates[i]] = cluster.rhs[static_cast<Eigen::Index>(i)];
    }
}

int Massless::held_by_stiffness(const Eigen::VectorXd& A) {
    for (Cluster& cluster : clusters_) {
        if (!is_well_seen(cluster, A)) {
            Eigen::Index worst = 0;
            cluster.normal->least().direction.cwiseAbs().maxCoeff(&worst);
            return cluster.coordinates[worst];
        }
        cluster.by_constraints = true;
    }
    return -1;
}

int Massless::hold(const Eigen::VectorXd& A) {
    for (Cluster& cluster : clusters_) {
        fill(cluster, A, nullptr, nullptr);
        if (!cluster.normal->factorise()) return cluster.coordinates.front();
    }
    return -1;
}

void Massless::spare(const Eigen::VectorXd& A, double* mu) {
    for (Cluster& cluster : clusters_) {
        cluster.rhs.setZero();
        const auto for_entries = [&](const auto& f) {
            for (const int row : cluster.rows) {
                if (!counts(cluster, row, A)) continue;
                for (const int k : rows_.entries(row))
                    if (const int place = place_[rows_.column_of(k)]; place >= 0)
                        f(row, A[k], cluster.rhs[place]);
            }
        };
        for_entries([mu](int row, double entry, double& sum) {
            sum += entry * mu[row];
        });
        cluster.normal->solve(cluster.rhs.data());
        for_entries([mu](int row, double entry, double x) {
            mu[row] -= entry * x;
        });
    }
}

}  // namespace ancora
