// SPDX-License-Identifier: BSD-3-Clause
// Contacts as data: where they slide, their modes and thresholds, and calls of their laws.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "assembly.hpp"
#include "call_meter.hpp"
#include "model.hpp"
#include "row_set.hpp"
#include "step_part.hpp"

namespace ancora {

/// What a contact does; frozen within a step.
enum class ContactMode { slip, stick };

/// Sliding slower than this, relative to the fastest that the island has been, has stopped.
inline constexpr double kStopped = 1e-9;
/// A slide in two directions that is reversed at a speed above this, relative to the fastest that
/// it has been itself, has passed by zero; below, it has met zero but for the error of the step,
/// and is stopped. One that has come down to it keeps its direction, which turns ever faster, until
/// it stops or speeds up.
inline constexpr double kTurning = 1e-5;
/// A contact that begins to slip with no more deceleration than this, relative to that of its
/// forces, was at its limit exactly, and slips.
inline constexpr double kUndecided = 1e-9;

/// Sliding directions that one contact may have: two on a surface, three in a ball joint.
inline constexpr int kMostSlides = 3;
using Slides = std::array<double, kMostSlides>;

/// Length of a vector in the n sliding directions of a contact.
inline double norm(const double* x, int n) {
    if (n == 1) return std::abs(x[0]);
    return n == 2 ? std::hypot(x[0], x[1]) : std::hypot(x[0], x[1], x[2]);
}
/// Product of two of them.
inline double dot(const double* x, const double* y, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += x[i] * y[i];
    return sum;
}

/// A force object with a contact law, on one constraint; of several unilateral rows on one of them.
struct Contact {
    const ForcePart* force = nullptr;
    std::array<double, 3> surface{};  ///< its velocity, inertial axes
    int index = 0;                    ///< of the force in the model
    int constraint = 0;               ///< index in the model
    int first_row = 0;                ///< of its sliding rows among the contacts'
    int num_rows = 0;                 ///< one to three
    int first_tangent = 0;            ///< of these in Contacts::rows(), with those that are idle
    int num_tangents = 0;
    int gap = -1;          ///< unilateral row on which it slides, if that may open
    bool is_rate = false;  ///< its rows are sliding rates: there is no place to stick to
    /// Constraints hold it whatever acts: it neither slides nor has a force that anything
    /// determines. Its mode is slip then, and its law zero.
    bool is_locked = false;
    /// They hold it in some of its directions: of what sticks there rounding is left.
    bool is_partly_locked = false;
    /// Then: the projector on the directions in which it can slide, row by row. A force along the
    /// others is one of many that constraints share with it, and moves nothing.
    std::array<double, kMostSlides * kMostSlides> free{};

    // State, see Contacts::state().
    ContactMode mode = ContactMode::stick;
    /// Its constraint was open when modes were last chosen: one that closes rubs from the next
    /// choice on.
    bool is_idle = false;
    bool is_fresh = true;   ///< the mode began at the present state and is still to be confirmed
    Slides direction{};     ///< unit sliding direction at the beginning of the step
    double speed = 0.0;     ///< of sliding at the beginning of the step
    double fastest = 0.0;   ///< of sliding since the mode began
    Slides change{};        ///< of the sliding velocity per time, over the last step
    Slides anchor{};        ///< stick: sliding displacement since it began, nearly zero
    int num_flips = 0;      ///< changes of mode at the present instant
    double weight = 1.0;    ///< stick: price of its force where several may share, see Sharing
    double margin = 0.0;    ///< stick: stick_limit - |C| of the last step, its mean
    double margin_h = 0.0;  ///< length of that step; 0: none

    void begin(ContactMode next) {
        mode = next;
        is_fresh = true;
        anchor = change = {};
        speed = fastest = 0.0;
        margin = margin_h = 0.0;
        weight = 1.0;
    }
    /// The part of a force s (num_rows entries) that could make it slide.
    Slides driving(const double* s) const {
        Slides out{};
        for (int i = 0; i < num_rows; ++i) {
            const auto at = static_cast<std::size_t>(i);
            out[at] = is_partly_locked ? dot(&free[at * kMostSlides], s, num_rows) : s[i];
        }
        return out;
    }
    /// Slides along x (num_rows entries) from now on, unless x is zero.
    void turn_to(const double* x) {
        const double length = norm(x, num_rows);
        if (!(length > 0.0)) return;
        for (int i = 0; i < num_rows; ++i) direction[i] = x[i] / length;
    }
};

/// Records that a contact goes on in its present mode from t.
inline void record(ModeEvents& events, const Contact& contact, double t) {
    events.record(contact.index, contact.mode == ContactMode::stick, t);
}

/// The contacts of a model and the rows along which they slide,
///
///   w = T v + pi_t - w_surface                                                           (1)
///
/// one row of T per sliding direction, times the law's arm. A row's entry among the system's
/// stresses is s = -C.
class Contacts {
public:
    /// @param first of their rows among the system's
    Contacts(Assembly& parts, int first);

    bool empty() const { return contacts_.empty(); }
    int num_rows() const { return static_cast<int>(row_.size()); }
    /// First of their rows among the system's.
    int first() const { return first_; }
    std::vector<Contact>& all() { return contacts_; }
    const std::vector<Contact>& all() const { return contacts_; }
    /// First of row k's entries in rows().
    int first_entry(int k) const { return rows_.row_begin(row_[k]); }
    /// Its constraint is open: its mode is slip, and its law zero.
    bool is_open(const Contact& contact) const {
        return contact.gap >= 0 && (contact.is_idle || !parts_.rows.is_pressed(contact.gap));
    }
    /// Over a step as a whole stick and slip are one law, without events.
    bool is_crossing() const { return parts_.rows.is_crossing(); }
    /// Takes note of which are open.
    void follow_open() {
        for (Contact& contact : contacts_)
            contact.is_idle = contact.gap >= 0 && !parts_.rows.is_pressed(contact.gap);
    }
    bool sticks(const Contact& contact) const {
        return contact.mode == ContactMode::stick && !is_open(contact);
    }
    bool surface_is_still(const Contact& contact) const {
        return std::ranges::all_of(contact.surface, [](double v) {
            return v == 0.0;
        });
    }
    /// Of row k, its number in rows().
    int row_of(int k) const { return row_[k]; }
    int contact_of(int k) const { return contact_of_row_[k]; }
    /// Which of its constraint's sliding rows row k is.
    int place_of(int k) const { return row_[k] - contacts_[contact_of(k)].first_tangent; }
    double arm(int k) const { return arm_[k]; }

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
    /// The same with the moduli of the row's entries, of sizes x and c.
    double size_along(int k, const double* x) const;
    void add_size_along(int k, double c, double* y) const;
    /// Part of the sliding increment (a step) or rate (an instant) that does not come from dq or v:
    /// explicit time, and the surface's motion.
    double drift(int k) const { return drift_[k]; }
    /// Sliding velocity w of a contact at velocities v, num_rows entries; at an instant only.
    Slides sliding(const Contact& contact, const double* v) const {
        Slides w{};
        for (int i = 0; i < contact.num_rows; ++i)
            w[i] = along(contact.first_row + i, v) + drift(contact.first_row + i);
        return w;
    }
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
    StepPart::Work work(const double* s, const double* dq) const;
    /// Adds forces on models' coordinates of the contacts whose constraint is tied to the ground.
    void add_external(const double* s, double* F) const;

    const RowSet& rows() const { return rows_; }

    /// Writes or reads the contacts' state, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive);

private:
    static std::vector<int> constraints_of(const Model& model);
    void use_closed();
    void evaluate_used(const double* q, const double* v, double t);
    void take_surface(double h, bool of_step);

    const Assembly& parts_;
    const Model& model_;
    CallMeter& meter_;
    int first_;
    std::vector<Contact> contacts_;
    RowSet rows_;
    std::vector<int> row_;  // in rows_, of each row in use
    std::vector<int> contact_of_row_;
    std::vector<double> arm_;  // of each row in use
    bool is_step_ = false;
    RowSet::StateValues instant_;
    const double* values_ = nullptr;  // of T, the step's or the instant's
    Eigen::VectorXd drift_, surface_;
    std::vector<RowRange> used_;  // rows of those that are closed
};

}  // namespace ancora
