// SPDX-License-Identifier: BSD-3-Clause
// A point mass: the smallest body that the kernel can move.
#pragma once

#include <array>
#include <span>
#include <stdexcept>

#include "ancora/sdk/plugin.hpp"

namespace ancora::zoo {

/// q = r, M = m I_3, no rows. Every material point of it is at r.
class TestMass : public Body {
public:
    static constexpr Parameter kParameters[] = {
        parameter::number("mass", "kg", "mass").positive().required(),
        parameter::vector("position", 3, "m", "position at the start").otherwise("[0, 0, 0]"),
        parameter::vector("velocity", 3, "m/s", "velocity at the start").otherwise("[0, 0, 0]"),
    };

    explicit TestMass(const Arguments& arguments)
        : m_(arguments.number("mass")),
          r_(arguments.triple("position")),
          v_(arguments.triple("velocity")) {}

    std::span<const Coordinate> coordinates() const override { return kCoordinates; }

    void start(std::span<double> q, std::span<double> v) const override {
        for (std::size_t i = 0; i < 3; ++i) {
            q[i] = r_[i];
            v[i] = v_[i];
        }
    }

    void mass(MassSink& M) const override {
        for (int i = 0; i < 3; ++i) M.add(i, i, m_);
    }

    void attach(const Locator& where, AttachmentSink& out) const override {
        if (where.is_direction) throw std::invalid_argument("a test mass has no directions");
        if (where.kind == Locator::Kind::name)
            throw std::invalid_argument("a test mass has no named points; write @0");
        if (where.kind == Locator::Kind::index && where.index != 0)
            throw std::invalid_argument("a test mass has only node 0");
        for (int i = 0; i < 3; ++i) out.weight(i, i, 1.0);
    }

    PoseKind pose_kind() const override { return PoseKind::position; }
    void pose(std::span<const double> q, std::span<const double> v, Pose& out) const override {
        for (std::size_t i = 0; i < 3; ++i) {
            out.position[i] = q[i];
            out.velocity[i] = v[i];
        }
    }

private:
    static constexpr std::array<Coordinate, 3> kCoordinates = {
        {{0, 0, true, 1.0}, {0, 1, true, 1.0}, {0, 2, true, 1.0}}};

    double m_;
    std::array<double, 3> r_;
    std::array<double, 3> v_;
};

}  // namespace ancora::zoo
