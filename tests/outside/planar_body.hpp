// SPDX-License-Identifier: BSD-3-Clause
// The body type `planar_body`: a rigid body that stays in a plane, with an angle as coordinate.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <stdexcept>
#include <vector>

#include <ancora/sdk/authoring.hpp>
#include <ancora/sdk/plugin.hpp>

namespace outside {

using namespace ancora;

/// q = (x, y, theta) of the centre of mass, in the plane z = 0:
///
///   T = m (x'^2 + y'^2) / 2 + J theta'^2 / 2                                               (1)
///   point p: r = (x, y, 0) + R(theta) p,   direction e: R(theta) e                         (2)
///
/// Points and directions are not linear in theta, so that there is no discrete formulation.
class PlanarBody final : public Body, private ScalarRotation, private BodyNames {
public:
    static constexpr Parameter kParameters[] = {
        parameter::number("mass", "kg", "m").positive().required(),
        parameter::number("inertia", "kg m^2", "J, about the centre of mass").positive().required(),
        parameter::vector("position", 2, "m", "of the centre of mass").otherwise("[0.0, 0.0]"),
        parameter::vector("velocity", 2, "m/s", "of it").otherwise("[0.0, 0.0]"),
        parameter::number("angle", "rad", "theta").otherwise("0.0"),
        parameter::number("spin", "rad/s", "theta'").otherwise("0.0"),
    };

    explicit PlanarBody(const Arguments& arguments)
        : mass_(arguments.number("mass")), inertia_(arguments.number("inertia")) {
        const std::span<const double> r = arguments.numbers("position");
        const std::span<const double> v = arguments.numbers("velocity");
        q_ = {r[0], r[1], arguments.number("angle")};
        v_ = {v[0], v[1], arguments.number("spin")};
    }

    std::span<const Coordinate> coordinates() const override { return kCoordinates; }
    void start(std::span<double> q, std::span<double> v) const override {
        std::ranges::copy(q_, q.begin());
        std::ranges::copy(v_, v.begin());
    }
    void mass(MassSink& M) const override {
        M.add(0, 0, mass_);
        M.add(1, 1, mass_);
        M.add(2, 2, inertia_);
    }

    void attach(const Locator& where, AttachmentSink& out) const override {
        if (where.kind != Locator::Kind::coordinates)
            throw std::invalid_argument("a planar body knows places as [x, y, z] alone");
        // A place is known by its number in the list of those that were asked for.
        places_.push_back({where.is_direction, where.xyz});
        const std::span<const std::int32_t> on = kAll;
        out.nonlinear(static_cast<int>(places_.size()) - 1, where.is_direction ? on.last(1) : on);
    }
    void evaluate_attachment(int id,
                             std::span<const double> q,
                             std::span<const double> v,
                             const AttachmentValues& out) const override {
        const Place& place = places_[static_cast<std::size_t>(id)];
        const double c = std::cos(q[2]), s = std::sin(q[2]);
        const double x = c * place.xyz[0] - s * place.xyz[1];
        const double y = s * place.xyz[0] + c * place.xyz[1];
        const auto put = [](std::span<double> to, std::initializer_list<double> values) {
            if (!to.empty()) std::ranges::copy(values, to.begin());
        };
        if (place.is_direction) {
            put(out.r, {x, y, place.xyz[2]});
            put(out.J, {-y, x, 0.0});
        } else {
            put(out.r, {q[0] + x, q[1] + y, place.xyz[2]});
            put(out.J, {1.0, 0.0, -y, 0.0, 1.0, x, 0.0, 0.0, 0.0});
        }
        if (out.bias.empty()) return;
        const double square = v[2] * v[2];
        put(out.bias, {-square * x, -square * y, 0.0});
    }

    PoseKind pose_kind() const override { return PoseKind::attitude; }
    void pose(std::span<const double> q, std::span<const double> v, Pose& out) const override {
        out.position = {q[0], q[1], 0.0};
        out.velocity = {v[0], v[1], 0.0};
        out.quaternion = {std::cos(0.5 * q[2]), 0.0, 0.0, std::sin(0.5 * q[2])};
        out.angular_velocity = {0.0, 0.0, v[2]};
    }
    void facets(BodyFacets& out) const override {
        out.scalar_rotation = this;
        out.names = this;
    }

private:
    struct Place {
        bool is_direction;
        std::array<double, 3> xyz;
    };
    static constexpr Coordinate kCoordinates[] = {
        {.vector = 0, .axis = 0, .translates = true},
        {.vector = 0, .axis = 1, .translates = true},
        {.vector = -1},
    };
    static constexpr std::int32_t kAll[] = {0, 1, 2};

    void rotation(std::span<const double>, std::span<double> Xi) const override {
        std::ranges::fill(Xi, 0.0);
        Xi[8] = 1.0;
    }
    void turn(const std::array<double, 9>& R,
              std::span<double> q,
              std::span<double>) const override {
        if (R[8] < 1.0 - 1e-12) throw std::invalid_argument("a planar body turns about z alone");
        q[2] += std::atan2(R[3], R[0]);
    }
    int find_coordinate(std::string_view name) const override { return name == "theta" ? 2 : -1; }

    double mass_, inertia_;
    std::array<double, 3> q_{}, v_{};
    mutable std::vector<Place> places_;
};

constexpr TypeDescriptor kPlanarBody =
    type<PlanarBody>("planar_body",
                     {.doc = "a rigid body that stays in the plane z = 0",
                      .equation = "T = m (x'^2 + y'^2) / 2 + J theta'^2 / 2, r = c + R(theta) p",
                      .source = "any textbook of mechanics",
                      .examples = {"mass = 1.3\n"
                                   "inertia = 0.4\n"
                                   "position = [0.1, -0.3]\n"
                                   "velocity = [0.4, 0.2]\n"
                                   "angle = 0.6\n"
                                   "spin = -1.2"},
                      .claims = {Claim::rigid_motion_invariant}},
                     PlanarBody::kParameters);

}  // namespace outside
