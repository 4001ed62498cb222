// SPDX-License-Identifier: BSD-3-Clause
// A bushing: three rows that have a law together.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <Eigen/Dense>

#include "ancora/sdk/authoring.hpp"

namespace ancora::zoo {

/// W = 1/2 pi.D pi + k/4 |pi|^4 + c/2 <pi.n>^2, the last with a slope discontinuity of W' where
/// pi.n = 0.
struct BushingLaw : ItemLaw {
    Eigen::Matrix3d D = Eigen::Matrix3d::Zero();
    double quartic = 0.0;
    double one_sided = 0.0;
    Eigen::Vector3d n = Eigen::Vector3d(0.6, 0.0, 0.8);
    std::vector<double> given_discontinuities;

    double potential(int,
                     std::span<const double> pi,
                     std::span<double> stress,
                     std::span<double> stiffness) const override {
        const Eigen::Map<const Eigen::Vector3d> x(pi.data());
        const double square = x.squaredNorm();
        const double along = std::max(x.dot(n), 0.0);
        if (!stress.empty())
            Eigen::Map<Eigen::Vector3d>(stress.data()) =
                D * x + quartic * square * x + one_sided * along * n;
        if (!stiffness.empty()) {
            Eigen::Map<Eigen::Matrix3d> out(stiffness.data());
            out = D + quartic * (square * Eigen::Matrix3d::Identity() + 2.0 * x * x.transpose());
            if (along > 0.0) out += one_sided * n * n.transpose();
        }
        return 0.5 * x.dot(D * x) + 0.25 * quartic * square * square +
               0.5 * one_sided * along * along;
    }
    int discontinuities(int,
                        std::span<const double>,
                        std::span<const double>,
                        std::span<double> theta) const override {
        std::ranges::copy(given_discontinuities, theta.begin());
        return static_cast<int>(given_discontinuities.size());
    }
};

/// phi = a - b, held by a full stiffness matrix, xx yy zz xy yz zx.
class Bushing final : public HolonomicConstraint<Bushing> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("a", "one point").required(),
        parameter::point("b", "the other point").required(),
        parameter::vector("stiffness", 6, "N/m", "xx, yy, zz, xy, yz, zx").required(),
        parameter::number("quartic", "N/m^3", "k").nonnegative().otherwise("0.0"),
        parameter::number("one_sided", "N/m", "c").nonnegative().otherwise("0.0"),
        parameter::number("damping", "N s/m", "of each row").nonnegative().otherwise("0.0"),
        parameter::vector(
            "kinks", 2, "", "what discontinuities() says of any step, right or wrong"),
    };

    explicit Bushing(const Arguments& arguments) {
        auto law = std::make_shared<BushingLaw>();
        law->D = matrix(arguments);
        law->quartic = arguments.number("quartic");
        law->one_sided = arguments.number("one_sided");
        if (arguments.given("kinks")) {
            const std::span<const double> discontinuities = arguments.numbers("kinks");
            law->given_discontinuities.assign(discontinuities.begin(), discontinuities.end());
        }
        const double stiffest = law->D.diagonal().maxCoeff() + law->one_sided;
        set_law({.kind = RowKind::elastic,
                 .compliance = 1.0 / stiffest,
                 .viscosity = arguments.number("damping")});
        set_law_together(law);
    }
    static Eigen::Matrix3d matrix(const Arguments& arguments) {
        const std::span<const double> k = arguments.numbers("stiffness");
        Eigen::Matrix3d D;
        D << k[0], k[3], k[5], k[3], k[1], k[4], k[5], k[4], k[2];
        return D;
    }

    template <class S>
    Vector3<S> phi(const Vector3<S>& a, const Vector3<S>& b) const {
        return a - b;
    }
    void facets(ConstraintFacets& out) const override { out.tied_to_inertial_frame = true; }
};

/// The same linear bushing by rows that are lines: V^T (a - b) with the eigenvectors V of D.
class BushingByRows final : public HolonomicConstraint<BushingByRows> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("a", "one point").required(),
        parameter::point("b", "the other point").required(),
        parameter::vector("stiffness", 6, "N/m", "xx, yy, zz, xy, yz, zx").required(),
        parameter::number("damping", "N s/m", "of each row").nonnegative().otherwise("0.0"),
    };

    explicit BushingByRows(const Arguments& arguments) {
        const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(Bushing::matrix(arguments));
        std::array<RowLaw, 3> laws;
        for (int k = 0; k < 3; ++k) {
            v_[k] = eigen.eigenvectors().col(k);
            laws[k] = {.kind = RowKind::elastic,
                       .compliance = 1.0 / eigen.eigenvalues()[k],
                       .viscosity = arguments.number("damping")};
        }
        set_laws(laws);
    }

    template <class S>
    std::array<S, 3> phi(const Vector3<S>& a, const Vector3<S>& b) const {
        const Vector3<S> d = a - b;
        return {dot(d, v_[0]), dot(d, v_[1]), dot(d, v_[2])};
    }
    void facets(ConstraintFacets& out) const override { out.tied_to_inertial_frame = true; }

private:
    std::array<Vec3, 3> v_;
};

}  // namespace ancora::zoo
