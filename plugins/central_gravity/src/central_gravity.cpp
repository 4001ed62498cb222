// SPDX-License-Identifier: BSD-3-Clause
// Potential and rows of a centre's attraction.
#include "central_gravity.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ancora::central_gravity {

double PotentialOfCentre::radius(double pi) const {
    const double square = R_ * (R_ + 2.0 * pi);
    if (!(square > 0.0))
        throw std::domain_error("a point of matter has fallen into the one that attracts it");
    return std::sqrt(square);
}

double PotentialOfCentre::energy(const RowLaw&, double pi) const {
    return -mu_m_ / radius(pi);
}

double PotentialOfCentre::stress(const RowLaw&, double pi, double) const {
    const double r = radius(pi);
    return mu_m_ * R_ / (r * r * r);
}

StressMean PotentialOfCentre::mean(const RowLaw&, double pi0, double dpi, double) const {
    const double r0 = radius(pi0), r1 = radius(pi0 + dpi);
    StressMean out;
    out.stress = out.elastic = 2.0 * mu_m_ * R_ / (r0 * r1 * (r0 + r1));
    return out;
}

namespace {

/// The body among whose points of matter the centre lies, by the box about them; empty: none.
std::string body_around(const Arguments& arguments, int num, const std::array<double, 3>& center) {
    std::string name;
    std::array<double, 3> least{}, most{};
    const auto holds_it = [&] {
        for (std::size_t k = 0; k < 3; ++k)
            if (!(least[k] < center[k] && center[k] < most[k])) return false;
        return true;
    };
    for (int i = 0; i < num; ++i) {
        const std::string_view text = arguments.text("points", i);
        const std::string_view body = text.substr(0, text.find('@'));
        const std::array<double, 3> x = arguments.frame(text, "points").motion.position;
        if (name != body) {
            if (!name.empty() && holds_it()) return name;
            name = body;
            least = most = x;
        }
        for (std::size_t k = 0; k < 3; ++k) {
            least[k] = std::min(least[k], x[k]);
            most[k] = std::max(most[k], x[k]);
        }
    }
    return !name.empty() && holds_it() ? name : std::string();
}

}  // namespace

CentralGravity::CentralGravity(const Arguments& arguments) : center_(arguments.triple("center")) {
    if (!arguments.given("points"))
        arguments.fail("on", "is missing: name the bodies that are attracted, or \"*\" for all");
    if (!arguments.given("masses")) arguments.fail("masses", "is missing: each point needs one");
    const std::span<const double> masses = arguments.numbers("masses");
    const auto num = static_cast<std::size_t>(arguments.num_texts("points"));
    if (num == 0 || masses.size() != num)
        arguments.fail("masses",
                       "there are " + std::to_string(masses.size()) + " for " +
                           std::to_string(num) + " points");
    // A typical distance: that of the first point at the start
    const FrameStart& first = arguments.frame(arguments.text("points", 0), "points");
    double square = 0.0;
    for (std::size_t k = 0; k < 3; ++k) {
        const double x = first.motion.position[k] - center_[k];
        square += x * x;
    }
    if (!(square > 0.0))
        arguments.fail("center", "is where the first point is, so that the force is infinite");
    if (const std::string body = body_around(arguments, static_cast<int>(num), center_);
        !body.empty())
        arguments.fail(
            "center",
            "lies within \"" + body + "\"; give the place of what attracts, inertial axes");
    R_ = std::sqrt(square);
    const double mu = arguments.number("mu");
    potentials_.reserve(num);
    for (std::size_t i = 0; i < num; ++i) {
        requests_.add(AttachmentRequest::Kind::point,
                      arguments.text("points", static_cast<int>(i)),
                      arguments.given("on") ? "on" : "points");
        potentials_.emplace_back(mu * masses[i], R_);
        RowLaw law{.kind = RowKind::elastic};
        law.compliance = R_ * R_ * R_ / (mu * std::max(masses[i], 1e-300));
        law.law = &potentials_.back();
        laws_.push_back(law);
        for (int k = 0; k < 3; ++k) stencil_.push_back(static_cast<std::int32_t>(3 * i) + k);
    }
    block_ = {.name = "distance from the centre",
              .num_items = static_cast<std::int32_t>(num),
              .rows_per_item = 1,
              .scalars_per_item = 3,
              .stencil = stencil_,
              .laws = laws_,
              .degree = Degree::quadratic,
              .tangent = TangentForm::isotropic};
}

void CentralGravity::evaluate(int, const RowPoint& at, const RowValues& out) const {
    for (std::size_t i = 0; i < laws_.size(); ++i) {
        double square = 0.0, speed = 0.0;
        for (std::size_t k = 0; k < 3; ++k) {
            const double x = at.u[3 * i + k] - center_[k];
            square += x * x;
            if (!out.A.empty()) out.A[3 * i + k] = x / R_;
            if (!out.b.empty()) speed += at.du[3 * i + k] * at.du[3 * i + k];
        }
        if (!out.pi.empty()) {
            const double r = std::sqrt(square);
            out.pi[i] = 0.5 * (r - R_) * (r + R_) / R_;
        }
        if (!out.b.empty()) out.b[i] = -speed / R_;
    }
    std::ranges::fill(out.pi_t, 0.0);
}

void CentralGravity::evaluate_tangent(int, const TangentPoint& at, std::span<double> G) const {
    for (std::size_t i = 0; i < at.s.size(); ++i)
        G[i] = (at.positive_part ? std::max(at.s[i], 0.0) : at.s[i]) / R_;
}

}  // namespace ancora::central_gravity
