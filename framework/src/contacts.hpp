// SPDX-License-Identifier: BSD-3-Clause
// Dry friction: where contacts slide, which of them stick, and the laws that say so.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "call_meter.hpp"
#include "model.hpp"
#include "row_set.hpp"

namespace ancora {

/// What a contact does; frozen within a step.
enum class ContactMode { slip, stick };

/// One force object with a contact law, on one constraint.
struct Contact {
    const ForcePart* force = nullptr;
    const ContactLaw* law = nullptr;
    int index = 0;       ///< of the force in the model
    int constraint = 0;  ///< index in the model
    int first_row = 0;   ///< of its sliding rows among the contacts'
    int num_rows = 0;    ///< one or two

    // State, see Contacts::state().
    ContactMode mode = ContactMode::stick;
    bool is_fresh = true;      ///< the mode began at the present state and is still to be confirmed
    double direction[2] = {};  ///< unit sliding direction at the beginning of the step
    double speed = 0.0;        ///< of sliding at the beginning of the step
    double anchor[2] = {};     ///< stick: sliding displacement since it began, nearly zero
    int num_flips = 0;         ///< changes of mode at the present instant
    double margin = 0.0;       ///< stick: stick_limit - |C| of the last step, its mean
    double margin_h = 0.0;     ///< length of that step; 0: none
};

/// The contacts of a model and the rows along which they slide,
///
///   w = T v + pi_t - w_surface                                                           (1)
///
/// one row of T per sliding direction. A row's entry among the system's stresses is s = -C.
class Contacts {
public:
    Contacts(const Model& model, CallMeter& meter);

    bool empty() const { return contacts_.empty(); }
    int num_rows() const { return static_cast<int>(row_.size()); }
    std::vector<Contact>& all() { return contacts_; }
    const std::vector<Contact>& all() const { return contacts_; }
    /// First of row k's entries in rows().
    int first_entry(int k) const {
        return rows_.row_start[static_cast<std::size_t>(row_[static_cast<std::size_t>(k)])];
    }
    bool surface_is_still(const Contact& contact) const {
        return std::ranges::all_of(contact.law->surface_velocity(), [](double v) {
            return v == 0.0;
        });
    }
    int contact_of(int k) const { return contact_of_row_[static_cast<std::size_t>(k)]; }

    /// Drops rows along which nothing can move (a particle in a plane has one direction less).
    /// @throws Error (manifest) for a contact that is left without one
    void drop_idle_rows(const double* q, const double* v, double t);

    /// Geometry over a step: T = discrete Jacobian, increments of sliding relative to the surface
    /// without T dq. [step]
    void evaluate_step(const double* q0, const double* dq, const double* mid, double t0, double h);
    /// Geometry at an instant. [step]
    void evaluate(const double* q, const double* v, double t);

    /// T x of row k, in the geometry last evaluated.
    double along(int k, const double* x) const;
    /// y += c T^T of row k.
    void add_along(int k, double c, double* y) const;
    /// Part of the sliding increment (a step) or rate (an instant) that does not come from dq or v:
    /// explicit time, and the surface's motion.
    double drift(int k) const { return drift_[k]; }
    /// Motion of the surface alone, in it.
    double surface(int k) const { return surface_[k]; }
    /// T a - bias(k) is the sliding acceleration; at an instant only.
    double bias(int k) const;
    /// D_k = T M^-1 T^T of row k alone, by the diagonal of M.
    double mobility(int k, const Eigen::VectorXd& inverse_mass) const;
    /// Entries of row k on the first attachment: its unit vector of force there.
    Eigen::Vector3d force_axis(int k) const;

    /// Law of slip in direction d (num_rows entries) and what sticks at most, guarded.
    SlipForce slip(const Contact& contact, double N, double speed, double t) const;
    double stick_limit(const Contact& contact, double N, double t) const;

    /// Work that friction took from sliding, and that the surface brought, over the step last
    /// evaluated, or power at the instant; s are the contacts' stresses.
    struct Work {
        double nonideal = 0.0;
        double external = 0.0;
    };
    Work work(const double* s, const double* dq) const;
    /// Adds forces on models' coordinates of the contacts whose constraint is tied to the ground.
    void add_external(const double* s, double* F) const;

    const RowSet& rows() const { return rows_; }

private:
    static std::vector<int> constraints_of(const Model& model);
    void take_surface(double h, bool of_step);

    const Model& model_;
    CallMeter& meter_;
    std::vector<Contact> contacts_;
    RowSet rows_;
    std::vector<int> row_;  // in rows_, of each row in use
    std::vector<int> contact_of_row_;
    bool is_step_ = false;
    RowSet::Instant instant_;
    const double* values_ = nullptr;  // of T, the step's or the instant's
    Eigen::VectorXd drift_, surface_;
    std::vector<double> state0_, state1_;
};

/// Solves the dense system W x = r of the few contact rows, by elimination with complete pivoting.
/// Rows that are marked as shared (stick) may depend on each other; their unknowns are then those
/// of least norm, by a little regularisation and refinement. [step]
class SmallSolver {
public:
    void resize(int n);
    double& operator()(int i, int j) { return at(W_, i, j); }
    double& rhs(int i) { return r_[static_cast<std::size_t>(i)]; }
    void share(int i) { is_shared_[static_cast<std::size_t>(i)] = 1; }
    void clear();
    /// @returns sign of the determinant: 1, -1, or 0 where W is singular
    int solve();
    double x(int i) const { return x_[static_cast<std::size_t>(i)]; }

private:
    double& at(std::vector<double>& matrix, int i, int j) const {
        return matrix[static_cast<std::size_t>(i * n_ + j)];
    }
    int factorise();
    void add_solution();

    int n_ = 0;
    int rank_ = 0;
    std::vector<double> W_, LU_, r_, x_, rest_, work_;
    std::vector<char> is_shared_;
    std::vector<int> row_place_, column_place_;
};

}  // namespace ancora
