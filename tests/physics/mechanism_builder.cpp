// SPDX-License-Identifier: BSD-3-Clause
// Mechanisms as text, at any place, attitude and size.
#include "mechanism_builder.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include <fmt/format.h>

namespace ancora::testing::mechanisms {

std::string number(double x) {
    return fmt::format("{:.17g}", x);
}
std::string triple(const Vec3& x) {
    return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x(0), x(1), x(2));
}
Mat3 frame_along(const Vec3& direction) {
    Mat3 frame;
    frame.col(0) = direction.normalized();
    frame.col(1) = frame.col(0).unitOrthogonal();
    frame.col(2) = frame.col(0).cross(frame.col(1));
    return frame;
}

/// Springs between any two parts. Soft ones swing as slowly as the mechanism; stiff ones bear its
/// weight and give way by 1e-6 of its size and less.
void Builder::add_springs() {
    const int wanted = random.chance(0.5) ? 0 : random.integer(1, 3);
    for (int i = 0; i < wanted; ++i) {
        const int a = random.integer(0, count() - 1);
        int b = random.integer(-1, count() - 1);
        if (b == a) b = kGround;
        Spring s{};
        s.a = a;
        s.b = b;
        s.from = point_in(a);
        s.to = b == kGround ? Vec3(s.from + random.uniform(0.5, 1.5) * random.direction())
                            : point_in(b);
        if ((s.to - s.from).norm() < 0.2) continue;
        // Between parts that move, a stiff spring would be stretched and swing out of all sight.
        s.is_stiff = !is_moving && !has_drive && random.chance(0.5);
        s.rest = 1.0;
        if (s.is_stiff) {
            const double w = random.log_uniform(1e3, 3e4);
            softest_ = std::min(softest_, w);
            s.k = total_mass() * std::pow(w / period, 2);
        } else {
            // The frequency of the lighter end, were it free
            double mass = part(a).mass;
            if (b != kGround) mass = std::min(mass, part(b).mass);
            s.k = mass * std::pow(random.log_uniform(0.3, 4.0) / period, 2);
            if (random.chance(0.5)) s.damping = random.uniform(0.0, 0.5) * s.k * period;
            if (random.chance(0.5)) s.rest = random.uniform(0.8, 1.2);
        }
        springs.push_back(s);
    }
}

/// Some bodies are rigid by a penalty only.
void Builder::soften_parts() {
    if (projects_start || !random.chance(0.2)) return;
    for (Part& p : parts) {
        if (p.rod_axis() >= 0 || !random.chance(0.5)) continue;
        const double w = random.log_uniform(1e3, 3e4);
        softest_ = std::min(softest_, w);
        p.stiffness = total_mass() * std::pow(size * w / period, 2);
    }
}

std::string Builder::text(Rigid what, const std::string& type, double stiffer) const {
    std::string out = "[model]\n";
    if (has_gravity) out += "gravity = " + triple(gravity_) + "\n";
    if (projects_start) out += "project_start = true\n";
    for (int i = 0; i < count(); ++i) {
        const Part& p = parts[i];
        const Vec3 square = (size * p.dims).cwiseAbs2();
        const Vec3 J = p.mass / 12.0 * (Vec3::Constant(square.sum()) - square);
        const Mat3 to_body = p.axes.transpose() * p.frame;
        const Eigen::Quaterniond attitude(Q_ * p.axes);
        Vec3 w = p.w;
        if (const int axis = p.rod_axis(); axis >= 0)
            w -= w.dot(p.frame.col(axis)) * p.frame.col(axis);
        out += fmt::format(
            "\n[[body]]\nname = \"b{}\"\ntype = \"{}\"\nmass = {:.17g}\n", i, type, p.mass);
        if (to_body.isIdentity(0.0) || p.axes == p.frame) {
            out += "inertia = " + triple(J) + "\n";
        } else {
            const Mat3 tensor = to_body * J.asDiagonal() * to_body.transpose();
            const Mat3 even = 0.5 * (tensor + tensor.transpose());
            out += fmt::format("inertia = [{}, {}, {}]\n",
                               triple(even.row(0).transpose()),
                               triple(even.row(1).transpose()),
                               triple(even.row(2).transpose()));
        }
        const Vec3 centre = size * (p.axes.transpose() * (p.centre - p.reference));
        if (!centre.isZero(0.0)) out += "center_of_mass = " + triple(centre) + "\n";
        out += fmt::format("position = {}\norientation = [{:.17g}, {:.17g}, {:.17g}, {:.17g}]\n",
                           triple(world(p.reference)),
                           attitude.w(),
                           attitude.x(),
                           attitude.y(),
                           attitude.z());
        const Vec3 v = p.v + w.cross(p.reference - p.centre);
        if (!v.isZero(0.0)) out += "velocity = " + triple(size * (Q_ * v)) + "\n";
        if (!w.isZero(0.0)) out += "angular_velocity = " + triple(p.axes.transpose() * w) + "\n";
        if (std::isfinite(p.stiffness) && what == Rigid::nothing)
            out += fmt::format("volume = {:.17g}\npenalty = {:.17g}\n",
                               p.mass / 1000.0,
                               stiffer * p.stiffness / (p.mass / 1000.0));
    }
    out += trusses_;
    std::string ties;
    for (std::size_t i = 0; i < springs.size(); ++i) {
        const Spring& s = springs[i];
        constexpr double area = 1e-4;
        const double l = s.rest * (world(s.to) - world(s.from)).norm();
        const bool is_rigid = s.is_stiff && what == Rigid::stiff_parts;
        out += fmt::format(
            "\n[[body]]\nname = \"s{}\"\ntype = \"truss\"\nfrom = {}\nto = {}\ndensity = 0.0\narea "
            "= "
            "{}\nyoung = {}\n",
            i,
            triple(world(s.from)),
            triple(world(s.to)),
            area,
            is_rigid ? "inf" : number((s.is_stiff ? stiffer : 1.0) * s.k * l / area));
        if (s.rest != 1.0) out += fmt::format("rest_length = {:.17g}\n", l);
        if (s.damping > 0.0) out += fmt::format("damping = {:.17g}\n", s.damping * l / area);
        for (int node = 0; node < 2; ++node)
            ties += fmt::format(
                "\n[[constraint]]\nname = \"s{}_{}\"\ntype = \"position\"\na = \"{}\"\nb = "
                "\"s{}@{}\"\n",
                i,
                node,
                node == 0 ? at(s.a, s.from) : at(s.b, s.to),
                i,
                node);
    }
    return out + constraints_ + ties;
}

Mechanism Builder::finish(std::uint64_t seed, const std::string& family) {
    Mechanism m;
    m.seed = seed;
    m.family = family;
    m.num_bodies = count();
    m.size = size;
    bool has_rods = false, has_flat = false, has_soft = false;
    for (int i = 0; i < count(); ++i) {
        const Part& p = part(i);
        const int axis = p.rod_axis();
        has_rods |= axis >= 0;
        has_flat |= axis < 0 && p.dims.minCoeff() <= 2e-3 * p.dims.maxCoeff();
        has_soft |= std::isfinite(p.stiffness);
        m.extent = std::max({m.extent, world(p.centre).norm(), world(p.centre).norm()});
        for (int c = 0; c < 3; ++c) {
            if (axis >= 0 && c != axis) continue;
            m.probes.push_back(at(i, p.centre + 0.5 * p.frame.col(c)));
        }
    }
    const bool has_stiff_spring = std::ranges::any_of(springs, &Spring::is_stiff);
    const bool has_stiff = has_soft || has_stiff_spring;
    const bool is_other = !has_rods && !projects_start && random.chance(0.3);
    m.text = text(Rigid::nothing, "ancf_rigid_body");
    m.reference = text(Rigid::stiff_parts, is_other ? "quaternion_body" : "ancf_rigid_body");
    m.step = period / 20.0;
    m.end = m.step * random.integer(5, 10);
    if (has_stiff) m.stiffer = text(Rigid::nothing, "ancf_rigid_body", kStiffer);
    if (has_stiff_spring) m.elastic = text(Rigid::stiff_bodies, "ancf_rigid_body");
    if (has_stiff) m.yield = 100.0 * size / (softest_ * softest_);
    m.traits = fmt::format("{} bodies{}{}{}{}{}{}{}{}{}",
                           count(),
                           spread > 1e6   ? ", masses 1e12"
                           : spread > 1e4 ? ", masses 1e6"
                                          : "",
                           has_gravity ? ", gravity" : "",
                           is_moving ? ", moving" : "",
                           has_drive ? ", driven" : "",
                           has_flat ? ", flat" : "",
                           has_rods ? ", rods" : "",
                           springs.empty() ? "" : ", springs",
                           has_stiff ? ", stiff" : "",
                           is_other ? ", quaternions" : "");
    return m;
}

int size_of(Random& random, int least, int most) {
    return static_cast<int>(std::lround(random.log_uniform(least, most)));
}

}  // namespace ancora::testing::mechanisms
