// SPDX-License-Identifier: BSD-3-Clause
// Active sets of the accelerations, and what closed rows press by.
#include "pressed_rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "complementarity.hpp"

namespace ancora {
namespace {

// Rates, accelerations and pressures are zero within this part of the terms that they are sums of.
constexpr double kZero = 1e-12;
constexpr double kReleased = 1e-13;
constexpr double kComesBack = 1e-9;
// Of the largest acceleration, a term of all.
constexpr double kSpread = 0.1;
constexpr std::ptrdiff_t kMostChanges = 10;  // of the closed rows at one instant, and two for each

Eigen::Index index(std::size_t i) {
    return static_cast<Eigen::Index>(i);
}

}  // namespace

PressedRows::PressedRows(Assembly& parts,
                         MotionState& state,
                         Accelerations& accelerations,
                         UnilateralRows& rows,
                         const ImpactFriction& friction)
    : parts_(parts),
      state_(state),
      accelerations_(accelerations),
      rows_(rows),
      friction_(friction) {
    make_free_face();
}

void PressedRows::make_free_face() {
    const std::vector<char> closed = rows_.closed();
    rows_.close(rows_.latched());  // which hold until they open
    free_ = std::make_unique<ContinuousFace>(parts_.model,
                                             parts_.rows,
                                             parts_.mass,
                                             parts_.space,
                                             parts_.laws,
                                             parts_.forces,
                                             parts_.meter);
    rows_.close(closed);
}

double PressedRows::mobility(const double* A, int k) const {
    double sum = 0.0;
    parts_.rows.for_entries(k, [&](int e, int i) {
        sum += A[e] * A[e] * parts_.inverse_mass[i];
    });
    return sum;
}

/// Of a face, which all of its rows share.
double PressedRows::largest_acceleration(const ContinuousFace& face) const {
    double most = face.acceleration().lpNorm<Eigen::Infinity>();
    for (int i = 0; i < parts_.n; ++i) most = std::max(most, face.free_acceleration(i));
    return most;
}

/// Rounding of the largest acceleration reaches all others through the solution.
double PressedRows::spread_rounding(const ContinuousFace& face, double most, int k) const {
    double reach = 0.0;
    for (const int e : parts_.rows.entries(k)) reach += std::abs(face.instant().A[e]);
    return kSpread * most * reach;
}

/// How hard row i presses where it is closed, and how its gap is accelerated where it is open, at
/// the instant last solved.
PressedRows::Pressure PressedRows::pressure_of(const ContinuousFace& face,
                                               double most,
                                               int i) const {
    const int k = rows_.row(i);
    const double* const A = face.instant().A.data();
    double along = 0.0, mobility = 0.0;
    double terms = std::abs(face.instant().b[k]) + spread_rounding(face, most, k);
    parts_.rows.for_entries(k, [&](int e, int column) {
        along += A[e] * face.acceleration()[column];
        mobility += A[e] * A[e] * parts_.inverse_mass[column];
        terms += std::abs(A[e]) *
                 (std::abs(face.acceleration()[column]) + face.free_acceleration(column));
    });
    if (rows_.is_closed(i)) return {-face.stress()[k] * mobility, terms};
    return {along - face.instant().b[k], terms};
}

/// Whether closed rows and other conditions leave row i no motion.
bool PressedRows::is_held(ContinuousFace& face, int i) const {
    Eigen::VectorXd push = Eigen::VectorXd::Zero(parts_.n), x(parts_.n);
    Eigen::VectorXd mu(static_cast<Eigen::Index>(face.constraint_rows().size()));
    const double* const A = face.instant().A.data();
    const int k = rows_.row(i);
    parts_.rows.add_transposed(A, k, 1.0, push.data());
    face.respond(view(push), room(x), room(mu));
    return parts_.rows.multiply(A, k, x.data()) <= kHeld * mobility(A, k);
}

/// Of open rows, which one after the other close where they are not held: by those closed before
/// and other conditions. With the responses G = A x to a push along each of them it is the diagonal
/// that the ones before leave of the Cholesky factors of G.
std::vector<char> PressedRows::held_in_turn(ContinuousFace& face, const std::vector<int>& rows) {
    const Eigen::Index count = index(rows.size());
    Eigen::VectorXd push(parts_.n), x(parts_.n);
    Eigen::VectorXd mu(index(face.constraint_rows().size()));
    const double* const A = face.instant().A.data();
    const auto row = [&](Eigen::Index i) {
        return rows_.row(rows[static_cast<std::size_t>(i)]);
    };
    Eigen::MatrixXd G(count, count);
    for (Eigen::Index i = 0; i < count; ++i) {
        push.setZero();
        parts_.rows.add_transposed(A, row(i), 1.0, push.data());
        face.respond(view(push), room(x), room(mu));
        for (Eigen::Index j = i; j < count; ++j)
            G(j, i) = parts_.rows.multiply(A, row(j), x.data());
    }
    std::vector<char> are_held(rows.size(), 0);
    for (Eigen::Index i = 0; i < count; ++i) {
        const Eigen::Index rest = count - i - 1;
        if (G(i, i) <= kHeld * mobility(A, row(i))) {
            are_held[static_cast<std::size_t>(i)] = 1;
            continue;
        }
        // Those that it is apart from stay as they are.
        const Eigen::VectorXd column = G.col(i).tail(rest);
        for (Eigen::Index j = 0; j < rest; ++j)
            if (column[j] != 0.0)
                G.col(i + 1 + j).tail(rest - j) -= column[j] / G(i, i) * column.tail(rest - j);
    }
    return are_held;
}

bool PressedRows::find(const std::vector<char>& candidates,
                       const Eigen::VectorXd& v,
                       const std::vector<char>& leaving,
                       std::vector<char>& pressed) {
    std::ranges::fill(pressed, 0);
    press_.setZero(rows_.count());
    // First those that are closed where one leaves, else all.
    std::vector<int> rows;
    std::vector<Eigen::Index> used;
    for (int i = 0; i < rows_.count(); ++i) {
        if (candidates[static_cast<std::size_t>(i)] == 0) continue;
        if (leaving.empty() || (leaving[static_cast<std::size_t>(i)] == 0 && rows_.is_closed(i)))
            used.push_back(index(rows.size()));
        rows.push_back(i);
    }
    if (rows.empty()) return true;
    free_->assemble(state_.q.data(), v.data(), state_.t, state_.plugin);
    free_->solve();
    const double* const A = free_->instant().A.data();
    const double most = largest_acceleration(*free_);
    const Eigen::Index count = index(rows.size());
    Eigen::MatrixXd W(count, count);
    Eigen::VectorXd along(count), terms(count), push(parts_.n), x(parts_.n);
    Eigen::VectorXd mu(index(free_->constraint_rows().size()));
    for (Eigen::Index i = 0; i < count; ++i) {
        const int k = rows_.row(rows[static_cast<std::size_t>(i)]);
        push.setZero();
        parts_.rows.add_transposed(A, k, 1.0, push.data());
        free_->respond(view(push), room(x), room(mu));
        for (Eigen::Index j = 0; j < count; ++j)
            W(j, i) =
                parts_.rows.multiply(A, rows_.row(rows[static_cast<std::size_t>(j)]), x.data());
        if (W(i, i) <= kHeld * mobility(A, k)) W(i, i) = 0.0;
        along[i] = parts_.rows.multiply(A, k, free_->acceleration().data()) - free_->instant().b[k];
        terms[i] = std::abs(free_->instant().b[k]) + spread_rounding(*free_, most, k);
        parts_.rows.for_entries(k, [&](int e, int column) {
            terms[i] += std::abs(A[e]) * (std::abs(free_->acceleration()[column]) +
                                          free_->free_acceleration(column));
        });
    }
    W = (0.5 * (W + W.transpose())).eval();
    if (!along.allFinite() || !W.allFinite()) return false;
    Eigen::VectorXd s, part;
    for (bool any = true; any;) {
        const Eigen::Index m = index(used.size());
        Eigen::MatrixXd of(m, m);
        Eigen::VectorXd right(m);
        for (Eigen::Index i = 0; i < m; ++i) {
            right[i] = along[used[static_cast<std::size_t>(i)]];
            for (Eigen::Index j = 0; j < m; ++j)
                of(i, j) = W(used[static_cast<std::size_t>(i)], used[static_cast<std::size_t>(j)]);
        }
        solve_complementarity(of, right, part);
        s.setZero(count);
        for (Eigen::Index i = 0; i < m; ++i) s[used[static_cast<std::size_t>(i)]] = part[i];
        any = false;
        for (Eigen::Index i = 0; i < count; ++i) {
            if (std::ranges::find(used, i) != used.end() || !(W(i, i) > 0.0)) continue;
            const double size = terms[i] + W.row(i).cwiseAbs().dot(s);
            if (!(along[i] + W.row(i).dot(s) < -kComesBack * size)) continue;
            used.push_back(i);
            any = true;
        }
    }
    for (Eigen::Index i = 0; i < count; ++i)
        if (s[i] > 0.0) {
            const int row = rows[static_cast<std::size_t>(i)];
            pressed[static_cast<std::size_t>(row)] = 1;
            press_[row] = s[i];
        }
    return true;
}

std::vector<char> PressedRows::leaving_with(int row, const Eigen::VectorXd& v) {
    std::vector<char> out(rows_.closed().size(), 0);
    out[static_cast<std::size_t>(row)] = 1;
    accelerations_.solve_tentatively(state_.q.data(), v.data(), state_.t);
    const ContinuousFace& face = accelerations_.solved_face();
    const double most = largest_acceleration(face);
    for (int i = 0; i < rows_.count(); ++i) {
        if (!rows_.is_closed(i) || rows_.is_latched(i)) continue;
        const Pressure found = pressure_of(face, most, i);
        const double before =
            -state_.s[rows_.row(i)] * mobility(face.instant().A.data(), rows_.row(i));
        if (found.value <= kZero * found.terms && before > kComesBack * found.terms)
            out[static_cast<std::size_t>(i)] = 1;
    }
    return out;
}

void PressedRows::settle(const std::vector<char>& candidates,
                         const Eigen::VectorXd& v,
                         const std::vector<char>& leaving) {
    std::vector<char> pressed(rows_.closed().size(), 0);
    if (!find(candidates, v, leaving, pressed)) {
        pressed = rows_.closed();
        for (std::size_t i = 0; i < pressed.size(); ++i)
            if (candidates[i] == 0 || (!leaving.empty() && leaving[i] != 0)) pressed[i] = 0;
    }
    for (std::size_t i = 0; i < pressed.size(); ++i)
        if (rows_.latched()[i] != 0) pressed[i] = 1;
    std::vector<char> closed = pressed;
    std::vector<char> implied(closed.size(), 0);
    const std::vector<char> before = rows_.closed();
    const auto most = kMostChanges + 2 * std::ranges::count(candidates, char{1});
    for (std::ptrdiff_t round = 0; round <= most; ++round) {
        if (round == most) closed = pressed;
        if (closed != rows_.closed()) {
            rows_.close(closed);
            accelerations_.rebuild();
        }
        accelerations_.solve_tentatively(state_.q.data(), v.data(), state_.t);
        if (round == most) break;
        ContinuousFace& face = accelerations_.face();
        const double largest = largest_acceleration(face);
        int changes = -1;
        double worst = 0.0;
        bool is_rest = true;  // no row pulls or goes in
        std::vector<std::pair<double, int>> resting;
        for (int i = 0; i < rows_.count(); ++i) {
            const auto at = static_cast<std::size_t>(i);
            if (candidates[at] == 0 || implied[at] != 0) continue;
            const Pressure found = pressure_of(face, largest, i);
            const bool is_closed = closed[at] != 0;
            // A row at rest without any acceleration is closed as well; where one leaves, only if
            // it was: others may leave with that.
            const bool leaves = !leaving.empty() && (leaving[at] != 0 || before[at] == 0);
            double miss = (is_closed ? -1.0 : 1.0) * kZero * found.terms - found.value;
            if (leaves && !is_closed) miss -= kComesBack * found.terms;
            if (is_closed || leaves ? !(miss > 0.0) : !(miss >= 0.0)) continue;
            if (!is_closed && !leaves && std::abs(found.value) <= kZero * found.terms)
                resting.emplace_back(-miss, -i);
            else
                is_rest = false;
            if (is_closed || leaves ? !(miss > worst) : !(miss >= worst)) continue;
            worst = miss;
            changes = i;
        }
        if (changes < 0) break;
        if (is_rest && resting.size() > 1) {
            // Rows at rest take nothing over from others: they close together.
            std::ranges::sort(resting);
            std::vector<int> rows;
            for (const auto& [miss, i] : resting) rows.push_back(-i);
            const std::vector<char> are_held = held_in_turn(face, rows);
            for (std::size_t i = 0; i < rows.size(); ++i)
                (are_held[i] != 0 ? implied : closed)[static_cast<std::size_t>(rows[i])] = 1;
            continue;
        }
        const auto at = static_cast<std::size_t>(changes);
        // What the closed rows hold already would be a condition twice.
        if (closed[at] == 0 && is_held(face, changes))
            implied[at] = 1;
        else
            closed[at] = closed[at] != 0 ? 0 : 1;
    }
    may_depend_ = bear_together(closed, implied, v);
    if (may_depend_)
        for (std::size_t i = 0; i < implied.size(); ++i)
            if (rows_.closed()[i] != 0) implied[i] = 0;
    rows_.set_implied(implied);
    for (int i = 0; i < rows_.count(); ++i) {
        state_.pi[rows_.row(i)] = 0.0;
        if (!rows_.is_closed(i)) state_.s[rows_.row(i)] = 0.0;
    }
}

/// Rows with friction that others hold already are closed as well where all of them press by
/// reactions of least norm: what each foot of a block bears decides what it rubs.
bool PressedRows::bear_together(const std::vector<char>& closed,
                                const std::vector<char>& implied,
                                const Eigen::VectorXd& v) {
    std::vector<char> all = closed;
    bool any = false;
    for (int i = 0; i < rows_.count(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (implied[at] == 0 || friction_.num_rows(i) == 0) continue;
        all[at] = 1;
        any = true;
    }
    if (!any) return false;
    const auto close = [&](const std::vector<char>& rows) {
        rows_.close(rows);
        accelerations_.rebuild();
        accelerations_.solve_tentatively(state_.q.data(), v.data(), state_.t);
    };
    // Within each island that hangs together.
    for (bool again = true; again;) {
        again = false;
        close(all);
        DisjointSets islands = rows_.islands(all);
        std::vector<char> pulls(static_cast<std::size_t>(parts_.n), 0);
        const double most = largest_acceleration(accelerations_.face());
        for (int i = 0; i < rows_.count(); ++i) {
            if (!rows_.is_closed(i)) continue;
            const Pressure found = pressure_of(accelerations_.face(), most, i);
            if (found.value > kComesBack * found.terms) continue;
            const int root = rows_.island(islands, i);
            if (root >= 0) pulls[static_cast<std::size_t>(root)] = 1;
        }
        for (int i = 0; i < rows_.count(); ++i) {
            const auto at = static_cast<std::size_t>(i);
            const int root = rows_.island(islands, i);
            if (all[at] == closed[at] || root < 0 || pulls[static_cast<std::size_t>(root)] == 0)
                continue;
            all[at] = closed[at];
            again = true;
        }
    }
    return true;
}

void PressedRows::evaluate(const double* q, const double* v, double t, Eigen::VectorXd& pressure) {
    pressure.setOnes(rows_.count());
    const bool any_pressed = !std::ranges::equal(rows_.closed(), rows_.latched());
    if (!any_pressed && !has_limits()) return;
    // Where modes of friction have passed their end, this is where they did.
    accelerations_.solve_tentatively(q, v, t);
    const ContinuousFace& face = accelerations_.solved_face();
    const double most = largest_acceleration(face);
    for (int i = 0; i < rows_.count(); ++i) {
        if (!rows_.is_closed(i)) continue;
        if (rows_.is_latched(i)) {
            if (std::isfinite(rows_.hold(i)))
                pressure[i] = 1.0 - std::abs(face.stress()[rows_.row(i)]) / rows_.hold(i);
            continue;
        }
        const Pressure found = pressure_of(face, most, i);
        // It ceases between half of its rounding and all of it: a search for the root ends there.
        const double rounding = kReleased * found.terms, left = found.value + rounding;
        pressure[i] = left >= 0.0 && left < 0.5 * rounding ? 0.0 : left;
    }
}

bool PressedRows::has_limits() const {
    for (int i = 0; i < rows_.count(); ++i)
        if (rows_.is_latched(i) && std::isfinite(rows_.hold(i))) return true;
    return false;
}

}  // namespace ancora
