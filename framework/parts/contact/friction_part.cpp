// SPDX-License-Identifier: BSD-3-Clause
// Dry friction as a part of a system.
#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "accelerations.hpp"
#include "constraint_selection.hpp"
#include "contacts.hpp"
#include "energy_accounting.hpp"
#include "friction_defect.hpp"
#include "instant_friction.hpp"
#include "load_sharing.hpp"
#include "rest_islands.hpp"
#include "slip_law.hpp"
#include "state_archive.hpp"
#include "step_friction.hpp"
#include "step_parts.hpp"
#include "stick_slip.hpp"

namespace ancora {
namespace {

/// The contacts of a model: their laws in a step and at an instant, and their modes.
class FrictionPart final : public StepPart {
public:
    explicit FrictionPart(const PartContext& in)
        : StepPart(in.first_row),
          parts_(in.parts),
          state_(in.state),
          trial_(in.trial),
          contacts_(in.parts, in.first_row),
          islands_(in.parts, with_sliding_rows()),
          slip_(in.parts, contacts_, islands_, in.independent),
          responses_(in.parts, contacts_),
          in_step_(in.parts, in.state, in.trial, contacts_, slip_, responses_, in.inner),
          at_instant_(in.parts, contacts_, islands_, slip_, responses_),
          sharing_(in.parts, contacts_, islands_, slip_, in.events),
          modes_(in.parts,
                 in.state,
                 in.trial,
                 contacts_,
                 islands_,
                 slip_,
                 responses_,
                 at_instant_,
                 sharing_,
                 in.events,
                 in.accelerations,
                 in.energy) {
        for (std::size_t c = 0; c < contacts_.all().size(); ++c)
            if (is_on_joint(contacts_.all()[c])) on_measures_.push_back(static_cast<int>(c));
    }

    int num_rows() const override { return contacts_.num_rows(); }
    bool acts_on(int coordinate) const override { return islands_.have(coordinate); }

    void evaluate(const StepTrial& trial,
                  std::span<double> r_motion,
                  std::span<double> r_rows) override {
        in_step_.evaluate(trial, r_motion, r_rows);
    }
    void solve(std::span<const double> r_motion,
               std::span<const double> r_rows,
               std::span<double> ddq,
               std::span<double> ds) override {
        in_step_.solve(r_motion, r_rows, ddq, ds);
    }
    void forget_matrix() override { responses_.are_of_step = false; }
    void subtract_tangent(const double* x,
                          const double* y,
                          double* r_motion,
                          double* r_rows) override {
        in_step_.subtract_tangent(x, y, r_motion, r_rows);
    }
    void measure(const StepTrial& trial, PartResidual& defect) override {
        measure_friction(trial, trial_, contacts_, islands_, in_step_, defect);
    }
    bool settle(const StepTrial& trial) override { return modes_.settle(trial); }
    bool may_share() const override { return sharing_.may_be_open(); }
    void clear_shared_stress(std::span<double> s) const override {
        for (const Contact& contact : contacts_.all())
            for (int k = 0; contacts_.sticks(contact) && k < contact.num_rows; ++k)
                s[contacts_.first() + contact.first_row + k] = 0.0;
    }

    void hold(const StepTrial&) override { islands_.hold(state_, trial_); }
    void return_to_step(const StepTrial& trial) override {
        contacts_.evaluate_step(
            state_.q.data(), trial_.dq.data(), trial_.mid.data(), trial.t0, trial.h);
    }
    void record(const StepTrial& trial, const TrialSizes& sizes) override {
        modes_.record_step(trial, sizes);
    }
    void accept_step(double h) override { modes_.note_step(h); }

    void solve_instant(ContinuousFace& face,
                       const double* q,
                       const double* v,
                       double t,
                       bool is_tentative) override {
        at_instant_.solve(face, q, v, t, is_tentative);
    }
    const Eigen::VectorXd& stress() const override { return at_instant_.stress(); }
    void hold_accelerations(const double* v, double* a, const ContinuousFace& face) override {
        islands_.rest_accelerations(v, a, face, state_.held);
    }
    void accept_state() override { modes_.advance(); }
    double max_smooth_step(double h) const override { return modes_.max_smooth_step(h); }

    // Works and forces of rows with C = -s: the power is C . w, F += -T^T s.
    Work work(const double* s, const double* dq) const override { return contacts_.work(s, dq); }
    void add_forces(const double* s, double* F) const override {
        for (int k = 0; k < contacts_.num_rows(); ++k)
            if (s[k] != 0.0) contacts_.add_along(k, -s[k], F);
    }
    void add_external(const double* s, double* F) const override { contacts_.add_external(s, F); }
    void add_applied(const double* s,
                     double factor,
                     std::span<double> forces,
                     std::span<double> torques) const override;
    std::vector<std::string> efforts() const override;
    double effort_work(int effort, const double* s, const double* dq) const override;

    void start() override { modes_.start(); }
    void restart() override { modes_.restart(); }
    int num_events() const override { return static_cast<int>(contacts_.all().size()); }
    void evaluate_events(const StepTrial& trial, std::span<double> g) override {
        modes_.evaluate(trial, g);
    }
    void evaluate_events(double t, const double* q, const double* v, std::span<double> g) override {
        modes_.evaluate(t, q, v, g);
    }
    Passage pass(int event) override {
        modes_.pass(event);
        return {};
    }
    bool is_overrun() const override { return modes_.is_overrun(); }
    void recheck() override { modes_.recheck(); }
    void note_jump() override {
        for (Contact& contact : contacts_.all()) contact.margin_h = 0.0;
    }
    void resolve() override { modes_.resolve(); }

    std::vector<Reach> reaches() const override;
    void hold_laws(bool on) override { in_step_.hold_laws(on); }
    const char* corner() const override {
        const bool keeps = std::ranges::any_of(contacts_.all(), [this](const Contact& contact) {
            return !contacts_.sticks(contact) && !contacts_.is_open(contact) &&
                   !contact.is_locked && contact.num_rows > 1 && !slip_.is_projected(contact);
        });
        return keeps ? "what slides in several directions comes to its stop" : nullptr;
    }
    void read_modes(std::vector<double>& to) const override;
    void write_modes(std::span<const double>& from) override;
    ModeEnd mode_end(const StepTrial& trial, int event) override {
        return modes_.mode_end(trial, event);
    }
    void evaluate_rates(const double* q,
                        const double* v,
                        double t,
                        std::span<double> rates) override {
        contacts_.evaluate(q, v, t);
        for (int k = 0; k < contacts_.num_rows(); ++k)
            rates[static_cast<std::size_t>(k)] =
                contacts_.sticks(contacts_.all()[contacts_.contact_of(k)])
                    ? contacts_.along(k, v) + contacts_.drift(k)
                    : 0.0;
    }

    void refuse_unsolvable(double t) const override {
        if (responses_.has_no_solution) slip_.refuse_paradox(t);
    }
    OpenRow describe_row(int k) const override;
    Unsmooth unsmooth() const override {
        return {&contacts_.all().front().force->object,
                "dry friction is no smooth law, which a projected step or one of higher order asks "
                "for"};
    }
    std::vector<std::string> locked() const override;
    std::vector<std::string> ambiguous(ContinuousFace& face) const override;

    void save(std::vector<std::byte>& to) const override;
    void restore(std::span<const std::byte> from) override;
    void transfer(ArchiveWriter& archive) override { transfer_all(archive); }
    void transfer(ArchiveReader& archive) override {
        transfer_all(archive);
        responses_.are_of_step = false;
        state_.held.clear();
        islands_.mark(state_.held);
    }
    void forget_rows() override { has_other_rows_ = true; }
    void follow_restored() override {
        // What constraints lock is found at a start, and belongs to no saved state.
        if (std::exchange(has_other_rows_, false)) modes_.find_locked();
        if (parts_.model.traits.face == Face::discrete) modes_.follow_free();
    }

private:
    /// Those that can slide at the start.
    Contacts& with_sliding_rows() {
        contacts_.drop_idle_rows(
            trial_.q_next.data(), trial_.v_next.data(), parts_.model.begin_time);
        return contacts_;
    }
    /// 0: it sticks; else the way in which it slides, where there are two.
    static double mode_of(const Contact& contact) {
        if (contact.mode == ContactMode::stick) return 0.0;
        return contact.num_rows == 1 && contact.direction[0] < 0.0 ? -1.0 : 1.0;
    }
    bool is_on_joint(const Contact& contact) const {
        return parts_.model.constraints[contact.constraint].joint != nullptr;
    }
    template <class Archive>
    void transfer_all(Archive& archive) {
        contacts_.transfer(archive);
        islands_.transfer(archive);
        sharing_.transfer(archive);
        modes_.transfer(archive);
        at_instant_.transfer(archive);
    }

    Assembly& parts_;
    MotionState& state_;
    Trial& trial_;
    Contacts contacts_;
    RestIslands islands_;
    SlipLaw slip_;
    ContactResponses responses_;
    StepFriction in_step_;
    InstantFriction at_instant_;
    LoadSharing sharing_;
    StickSlip modes_;
    std::vector<int> on_measures_;  // contacts whose forces are efforts
    bool has_other_rows_ = false;   // constraints have opened, or are there again
};

void FrictionPart::add_applied(const double* s,
                               double factor,
                               std::span<double> forces,
                               std::span<double> torques) const {
    for (const Contact& contact : contacts_.all()) {
        // In a joint it works on measures, in a ball joint it is a torque
        const std::span<double> to =
            (is_on_joint(contact) && contact.force->num_slides == 3 ? torques : forces)
                .subspan(3 * contact.index, 3);
        // A joint's friction is conjugate to its measure: -arm s [N m of an angle, N of a length].
        // Elsewhere it is the force -s d(sliding)/d(r_1) on the first attachment, inertial axes.
        // `factor` is the length of a step, of which results take the mean, or 1 at an instant.
        for (int k = contact.first_row; k < contact.first_row + contact.num_rows; ++k) {
            if (s[k] == 0.0) continue;
            if (is_on_joint(contact)) {
                to[contacts_.place_of(k)] -= factor * contacts_.arm(k) * s[k];
                continue;
            }
            const Eigen::Vector3d axis = contacts_.force_axis(k);
            for (int i = 0; i < 3; ++i) to[i] -= factor * s[k] * axis[i];
        }
    }
}

std::vector<std::string> FrictionPart::efforts() const {
    std::vector<std::string> names;
    for (const int c : on_measures_) names.push_back(contacts_.all()[c].force->object.name);
    return names;
}

double FrictionPart::effort_work(int effort, const double* s, const double* dq) const {
    // W = -sum_k s_k T_k dq, or the power with v in place of dq; what a moving surface adds is not
    // a work on the measure.
    const Contact& contact = contacts_.all()[on_measures_[effort]];
    double work = 0.0;
    for (int k = contact.first_row; k < contact.first_row + contact.num_rows; ++k)
        if (s[k] != 0.0) work -= s[k] * contacts_.along(k, dq);
    return work;
}

StepPart::OpenRow FrictionPart::describe_row(int k) const {
    const Contact& contact = contacts_.all()[contacts_.contact_of(k)];
    return {contact.force->object.label,
            contact.mode == ContactMode::slip
                ? "friction and reactions do not settle on each other there; its coefficient may "
                  "be too large for the motion (Painleve's paradox)"
                : nullptr};
}

std::vector<std::string> FrictionPart::locked() const {
    std::vector<std::string> names;
    for (const Contact& contact : contacts_.all())
        if (contact.is_locked) names.push_back(contact.force->object.label);
    return names;
}

std::vector<std::string> FrictionPart::ambiguous(ContinuousFace& face) const {
    std::vector<std::string> names;
    // Where A has dependent rows, lambda is unique but for the null space of A^T, and so is N of a
    // contact on one of these rows: friction depends on the choice (least norm, theory (5)).
    for (const int c : face.solver().rows_without_unique_multiplier()) {
        const int k = face.constraint_rows()[c];
        const auto begin = parts_.rows.row_begin(k);
        const auto end = parts_.rows.row_end(k);
        const bool vanishes = std::all_of(
            face.instant().A.data() + begin, face.instant().A.data() + end, [](double x) {
                return x == 0.0;
            });
        if (vanishes) continue;  // its force is zero
        for (const Contact& contact : contacts_.all()) {
            if (contact.is_locked || contacts_.is_open(contact)) continue;
            const RowOwner& owner = parts_.owner_of_constraint(contact.constraint);
            const std::string& label = contact.force->object.label;
            if (k >= owner.first_row && k < owner.first_row + owner.num_rows &&
                std::find(names.begin(), names.end(), label) == names.end())
                names.push_back(label);
        }
    }
    return names;
}

/// Rows of a contact, T^T s and T dq, depend on the coordinates of T; its law on the reaction,
/// which is made of the stresses of its constraint and of their directions.
std::vector<StepPart::Reach> FrictionPart::reaches() const {
    std::vector<Reach> out;
    const auto sort = [](std::vector<int>& x) {
        std::ranges::sort(x);
        x.erase(std::unique(x.begin(), x.end()), x.end());
    };
    for (const Contact& contact : contacts_.all()) {
        Reach reach;
        for (int k = contact.first_row; k < contact.first_row + contact.num_rows; ++k) {
            reach.own.push_back(contacts_.first() + k);
            const std::span<const int> columns = contacts_.rows().columns(contacts_.row_of(k));
            reach.acted_on.insert(reach.acted_on.end(), columns.begin(), columns.end());
        }
        sort(reach.acted_on);
        reach.coordinates = reach.acted_on;
        const RowOwner& on = parts_.owner_of_constraint(contact.constraint);
        const int first = contact.gap >= 0 ? contact.gap : on.first_row;
        const int count = contact.gap >= 0 ? 1 : on.num_rows;
        for (int k = first; k < first + count; ++k) {
            reach.rows.push_back(k);
            const std::span<const int> columns = parts_.rows.columns(k);
            reach.coordinates.insert(reach.coordinates.end(), columns.begin(), columns.end());
        }
        sort(reach.coordinates);
        out.push_back(std::move(reach));
    }
    return out;
}

void FrictionPart::read_modes(std::vector<double>& to) const {
    for (const Contact& contact : contacts_.all()) {
        for (const double x : {mode_of(contact),
                               contact.is_idle ? 1.0 : 0.0,
                               contact.is_locked ? 1.0 : 0.0,
                               contact.speed,
                               contact.fastest,
                               contact.margin,
                               contact.margin_h})
            to.push_back(x);
        to.insert(to.end(), contact.direction.begin(), contact.direction.end());
        to.insert(to.end(), contact.anchor.begin(), contact.anchor.end());
    }
}

void FrictionPart::write_modes(std::span<const double>& from) {
    std::size_t at = 0;
    for (Contact& contact : contacts_.all()) {
        contact.mode = from[at++] == 0.0 ? ContactMode::stick : ContactMode::slip;
        contact.is_idle = from[at++] != 0.0;
        contact.is_locked = from[at++] != 0.0;
        for (double* const x :
             {&contact.speed, &contact.fastest, &contact.margin, &contact.margin_h})
            *x = from[at++];
        for (Slides* const x : {&contact.direction, &contact.anchor})
            for (double& one : *x) one = from[at++];
    }
    from = from.subspan(at);
}

void FrictionPart::save(std::vector<std::byte>& to) const {
    static_assert(std::is_trivially_copyable_v<Contact>);
    const std::span<const std::byte> bytes = std::as_bytes(std::span(contacts_.all()));
    to.assign(bytes.begin(), bytes.end());
}

void FrictionPart::restore(std::span<const std::byte> from) {
    if (!from.empty()) std::memcpy(contacts_.all().data(), from.data(), from.size());
}

std::unique_ptr<StepPart> make_friction(const PartContext& context) {
    const bool has_contacts =
        std::ranges::any_of(context.parts.model.forces, [](const ForcePart& force) {
            return force.contact != nullptr;
        });
    if (!has_contacts) return nullptr;
    return std::make_unique<FrictionPart>(context);
}

const bool is_registered = StepParts::add_maker(make_friction);

}  // namespace
}  // namespace ancora
