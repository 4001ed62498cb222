// SPDX-License-Identifier: BSD-3-Clause
// The body type `cubic_cable`: positions and slopes at nodes, axial strain and curvature.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <span>
#include <utility>

#include <ancora/sdk/authoring.hpp>

namespace outside {

using namespace ancora;

/// r' and l r'' at one point of an element of length l between nodes a and b, cubic in xi in [0, 1]
/// with slopes as nodal values, as three quantities that no rigid motion changes:
///
///   r'.r',   r'.(l r''),   (l r'').(l r'')                                                 (1)
struct CableSection {
    static constexpr std::array<ArgumentKind, 4> kArguments = {
        ArgumentKind::point, ArgumentKind::direction, ArgumentKind::point, ArgumentKind::direction};

    CableSection(double xi, double l)
        : first_{(6.0 * xi - 6.0 * xi * xi) / l,
                 1.0 - 4.0 * xi + 3.0 * xi * xi,
                 3.0 * xi * xi - 2.0 * xi},
          second_{(6.0 - 12.0 * xi) / l, 6.0 * xi - 4.0, 6.0 * xi - 2.0} {}

    template <class S>
    std::array<S, 3> operator()(const Vector3<S>& a,
                                const Vector3<S>& a_slope,
                                const Vector3<S>& b,
                                const Vector3<S>& b_slope) const {
        const auto combine = [&](const std::array<double, 3>& w) {
            return w[0] * (b - a) + w[1] * a_slope + w[2] * b_slope;
        };
        const Vector3<S> r1 = combine(first_), r2 = combine(second_);
        return {dot(r1, r1), dot(r1, r2), dot(r2, r2)};
    }

private:
    std::array<double, 3> first_, second_;
};

/// With pi of (1), E = (pi_0 - 1) / 2 and (kappa l)^2 = (pi_0 pi_2 - pi_1^2) / pi_0^2, for weights
/// w of the quadrature:
///
///   W = w (EA E^2 + (EI / l^2) (kappa l)^2) / 2                                            (2)
class CableLaw final : public ItemLaw {
public:
    CableLaw(double axial, double bending) : axial_(axial), bending_(bending) {}

    double potential(int,
                     std::span<const double> pi,
                     std::span<double> stress,
                     std::span<double> stiffness) const override {
        const double p = pi[0], q = pi[1], r = pi[2], half = 0.5 * bending_;
        const double p2 = p * p, p3 = p2 * p;
        if (!stress.empty()) {
            stress[0] = 0.25 * axial_ * (p - 1.0) + half * (2.0 * q * q / p3 - r / p2);
            stress[1] = -2.0 * half * q / p2;
            stress[2] = half / p;
        }
        if (!stiffness.empty()) {
            const double pq = 4.0 * half * q / p3, pr = -half / p2;
            const double all[] = {0.25 * axial_ + half * (2.0 * r / p3 - 6.0 * q * q / (p2 * p2)),
                                  pq,
                                  pr,
                                  pq,
                                  -2.0 * half / p2,
                                  0.0,
                                  pr,
                                  0.0,
                                  0.0};
            std::ranges::copy(all, stiffness.begin());
        }
        const double strain = 0.5 * (p - 1.0);
        return 0.5 * axial_ * strain * strain + half * (p * r - q * q) / p2;
    }

private:
    double axial_, bending_;  ///< w EA and w EI / l^2 [J]
};

/// A straight cable at the start, with the consistent mass of a cubic:
///
///   T = sum over elements of rho A / 2 int |r'|^2 ds                                       (3)
class CubicCable final : public VectorBody {
public:
    static constexpr Parameter kParameters[] = {
        parameter::matrix("ends", 2, 3, "m", "from where to where it lies, unstrained").required(),
        parameter::vector("velocity", 3, "m/s", "of its middle").otherwise("[0.0, 0.0, 0.0]"),
        parameter::vector("spin", 3, "rad/s", "angular velocity").otherwise("[0.0, 0.0, 0.0]"),
        parameter::integer("elements", "number").at_least(1).required(),
        parameter::number("mass", "kg", "of all of it").positive().required(),
        parameter::number("axial", "N", "EA").positive().required(),
        parameter::number("bending", "N m^2", "EI").positive().required(),
    };

    explicit CubicCable(const Arguments& arguments) {
        const auto vector = [](std::span<const double> x) {
            return Vec3(x[0], x[1], x[2]);
        };
        const Vec3 from = vector(arguments.numbers("ends"));
        const Vec3 to = vector(arguments.numbers("ends").subspan(3));
        const Vec3 velocity = vector(arguments.numbers("velocity"));
        const Vec3 spin = vector(arguments.numbers("spin"));
        const int count = static_cast<int>(arguments.integer("elements"));
        const double l = (to - from).norm() / count;
        if (!(l > 0.0)) arguments.fail("ends", "found two ends at one place");
        const Vec3 slope = (to - from).normalized();

        std::vector<std::pair<int, int>> nodes;
        for (int i = 0; i <= count; ++i) {
            const Vec3 from_middle = (static_cast<double>(i) / count - 0.5) * (to - from);
            nodes.emplace_back(
                add_point(0.5 * (from + to) + from_middle, velocity + spin.cross(from_middle)),
                add_direction(slope, spin.cross(slope), l));
        }
        add_masses(nodes, arguments.number("mass") / count, l);

        constexpr double kNode = 0.3872983346207417;  // Gauss' rule of three points
        for (const auto& [xi, weight] : {std::pair(0.5 - kNode, 5.0 / 18.0),
                                         std::pair(0.5, 8.0 / 18.0),
                                         std::pair(0.5 + kNode, 5.0 / 18.0)}) {
            const double w = weight * l;
            const auto law = std::make_shared<CableLaw>(w * arguments.number("axial"),
                                                        w * arguments.number("bending") / (l * l));
            const RowLaw units{.kind = RowKind::elastic,
                               .compliance = 4.0 / (w * arguments.number("axial"))};
            for (int i = 0; i < count; ++i) {
                const auto [a, a_slope] = nodes[static_cast<std::size_t>(i)];
                const auto [b, b_slope] = nodes[static_cast<std::size_t>(i) + 1];
                add_strain("section", {a, a_slope, b, b_slope}, CableSection(xi, l), units, law);
                if (xi == 0.5) add_line(a, b);
            }
        }
        name_direction("start", {{nodes.front().second, 1.0}});
        name_direction("end", {{nodes.back().second, 1.0}});
    }

private:
    void add_masses(const std::vector<std::pair<int, int>>& nodes, double mass, double l) {
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const auto [r, d] = nodes[i];
            const bool is_first = i == 0, is_last = i + 1 == nodes.size();
            const double elements = is_first || is_last ? 1.0 : 2.0;
            add_mass(r, r, elements * mass * 13.0 / 35.0);
            add_mass(d, d, elements * mass * l * l / 105.0);
            if (is_first || is_last) add_mass(r, d, (is_first ? 11.0 : -11.0) * mass * l / 210.0);
            if (is_last) continue;
            const auto [next_r, next_d] = nodes[i + 1];
            add_mass(r, next_r, mass * 9.0 / 70.0);
            add_mass(r, next_d, -mass * l * 13.0 / 420.0);
            add_mass(d, next_r, mass * l * 13.0 / 420.0);
            add_mass(d, next_d, -mass * l * l / 140.0);
        }
    }
};

constexpr TypeDescriptor kCubicCable =
    type<CubicCable>("cubic_cable",
                     {.doc = "a cable with positions and slopes at its nodes",
                      .equation = "W = int (EA E^2 + EI kappa^2) / 2 ds, E = (r'.r' - 1) / 2",
                      .source = "J. Gerstmayr, A. A. Shabana, Nonlinear Dynamics 45 (2006) 109-130",
                      .examples = {"ends = [[0.1, 0.2, 0.0], [0.6, -0.3, 0.9]]\n"
                                   "velocity = [0.1, 0.0, -0.2]\n"
                                   "spin = [0.3, 1.0, -0.5]\n"
                                   "elements = 2\n"
                                   "mass = 0.8\n"
                                   "axial = 50.0\n"
                                   "bending = 0.7"},
                      .claims = {Claim::rigid_motion_invariant}},
                     CubicCable::kParameters);

}  // namespace outside
