// SPDX-License-Identifier: BSD-3-Clause
// The mass matrix of a model.
#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

#include "call_meter.hpp"
#include "model.hpp"
#include "workers.hpp"

namespace ancora {

/// Symmetric mass matrix in compressed lower form, i >= j.
struct MassEntry {
    int i;
    int j;
    double value;
};

/// M, symmetric positive semidefinite, n x n: a diagonal if it is one, else compressed rows. The
/// blocks of bodies whose mass depends on their state, or on time, are those of the last update()
/// or hold().
class MassMatrix {
public:
    explicit MassMatrix(const Model& model);

    bool is_constant() const { return varying_.empty(); }
    /// Evaluates the blocks that depend on the state, and adds dT/dq - (dM/dt) v to `force` unless
    /// that is null. [step]
    void update(const double* q, const double* v, double t, CallMeter& meter, double* force);

    /// Whether mass of some body changes with time.
    bool is_timed() const { return is_timed_; }
    /// Mass that changes with time takes the mean of its values at the ends of a step, which is
    /// then a step of constant mass: half of the mass that leaves does so at its start, half at its
    /// end (theory (67)). Nothing where this step was held last. [step]
    void hold(double t0, double h, CallMeter& meter);
    /// Momentum of the mass that leaves or comes at one end of the step that is held, x its
    /// velocity there: y = (M(t0 + h) - M(t0)) x / 2, zero for constant mass.
    void multiply_half_change(const double* x, double* y) const;
    /// y = dM/dt x at the instant of the last update(), by time alone.
    void multiply_rate(const double* x, double* y) const;

    /// Threads for the products of large matrices; they outlive their use here.
    void use_workers(Workers* workers) { workers_ = workers; }
    /// y = M x
    void multiply(const double* x, double* y) const;
    int size() const { return n_; }
    double diagonal(int i) const { return diagonal_[i]; }
    const double* diagonals() const { return diagonal_.data(); }
    bool is_massless(int i) const { return !(diagonal_[i] > 0.0); }
    /// Lower triangle, one entry per pair.
    const std::vector<MassEntry>& entries() const { return entries_; }
    /// Their values alone.
    std::span<const double> values() const { return entry_value_; }

private:
    static constexpr int kAxes = 3;
    void build_rows();
    void lay_out_varying();
    void find_vectors();
    void multiply_by_vectors(int first, int last, const double* x, double* y) const;
    void multiply_rows(int begin, int end, const double* x, double* y) const;

    /// Where an entry comes from in the body's M, and where it goes: in the compressed rows with
    /// its mirror, and on the diagonal, else -1.
    struct Taken {
        int from, place, mirror, diagonal;
    };
    /// A body whose block varies, and its entries.
    struct Varying {
        const BodyPart* part;
        std::size_t first_entry;
        std::size_t num_entries;
        std::vector<double> M;
        std::vector<double> force;
        std::vector<double> rate;    // dM/dt
        std::vector<double> before;  // M at the start of the step that is held
        std::vector<double> change;  // half of that over it
        std::vector<Taken> taken{};
    };
    void evaluate_timed(Varying& body, double t, CallMeter& meter);
    void take(const Varying& body, std::span<const double> M);
    template <class Of>
    void multiply_timed(const double* x, double* y, Of of) const;

    int n_;
    Workers* workers_ = nullptr;
    std::vector<MassEntry> entries_;
    std::vector<double> entry_value_;
    std::vector<Varying> varying_;
    bool is_timed_ = false;
    bool is_held_ = false;
    double held_t0_ = 0.0;
    double held_h_ = 0.0;
    Eigen::VectorXd diagonal_;
    bool is_diagonal_ = true;
    bool is_by_vectors_ = false;  // a constant matrix that acts alike on x, y and z
    std::vector<int> row_start_;
    std::vector<int> column_;
    std::vector<double> value_;
};

}  // namespace ancora
