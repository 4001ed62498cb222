// SPDX-License-Identifier: BSD-3-Clause
// Bad: laws of rows together that are wrong in one place each, and the right one beside them.
#include <algorithm>
#include <memory>
#include <span>

#include <Eigen/Dense>

#include "ancora/sdk/authoring.hpp"
#include "ancora/sdk/helpers/stress_laws.hpp"
#include "ancora/sdk/plugin.hpp"

namespace {

using namespace ancora;

/// Holds two points together by a full stiffness matrix.
struct Bushing : HolonomicConstraint<Bushing> {
    static constexpr TypeDocs kDocs = {
        .doc = "holds two points together",
        .equation = "W = 1/2 pi.D pi, pi = a - b",
        .source = "tests/zoo/verify/wrong_rows.cpp",
        .examples = {"a = \"a@[0.3, 0.1, -0.2]\"\nb = \"b@[-0.4, 0.2, 0.1]\""}};
    static constexpr Parameter kParameters[] = {
        parameter::point("a", "one point").required(),
        parameter::point("b", "the other point").required(),
    };
    template <class S>
    Vector3<S> phi(const Vector3<S>& a, const Vector3<S>& b) const {
        return a - b;
    }
    void facets(ConstraintFacets& out) const override { out.tied_to_inertial_frame = true; }

protected:
    enum class Wrong {
        none,
        energy,
        stress,
        stiffness,
        symmetry,
        discontinuities,
        energy_jumps,
        stress_jumps,
        discontinuity,  ///< right: of W'', where discontinuities() says
        discontinuity_elsewhere,
        kink_from_end,
    };
    static constexpr double kPlace = 0.05;  ///< of x where it jumps
    struct Law final : ItemLaw {
        explicit Law(Wrong what) : wrong(what) {}
        double potential(int,
                         std::span<const double> pi,
                         std::span<double> stress,
                         std::span<double> stiffness) const override {
            Eigen::Matrix3d D{{5.0, 2.0, 1.0}, {2.0, 4.0, -1.0}, {1.0, -1.0, 3.0}};
            const Eigen::Map<const Eigen::Vector3d> x(pi.data());
            const Eigen::Vector3d s = D * x;
            if (!stress.empty())
                Eigen::Map<Eigen::Vector3d>(stress.data()) = wrong == Wrong::stress ? -s : s;
            if (wrong == Wrong::stiffness) D(0, 1) = D(1, 0) = 0.0;
            if (wrong == Wrong::symmetry) D(0, 2) *= 1.0 + 1e-5;
            const double W = (wrong == Wrong::energy ? 1.0 : 0.5) * x.dot(s);
            const double over = std::max(x(0) - kPlace, 0.0);
            double more = 0.0;
            if (wrong == Wrong::energy_jumps && over > 0.0) more = 0.02;
            if (wrong == Wrong::stress_jumps && over > 0.0) {
                more = 0.1 * over;
                if (!stress.empty()) stress[0] += 0.1;
            }
            if (has_kink() && over > 0.0) {
                more = 2.0 * over * over;
                if (!stress.empty()) stress[0] += 4.0 * over;
                D(0, 0) += 4.0;
            }
            if (!stiffness.empty()) Eigen::Map<Eigen::Matrix3d>(stiffness.data()) = D;
            return W + more;
        }
        bool has_kink() const {
            return wrong == Wrong::discontinuity || wrong == Wrong::discontinuity_elsewhere ||
                   wrong == Wrong::kink_from_end;
        }
        int discontinuities(int,
                            std::span<const double> pi0,
                            std::span<const double> dpi,
                            std::span<double> theta) const override {
            if (has_kink()) {
                const double place =
                    wrong == Wrong::discontinuity_elsewhere ? kPlace - 0.01 : kPlace;
                const double at = (place - pi0[0]) / dpi[0];
                if (!(at > 0.0 && at < 1.0)) return 0;
                theta[0] = wrong == Wrong::kink_from_end ? 1.0 - at : at;
                return 1;
            }
            theta[0] = 0.75;
            theta[1] = wrong == Wrong::discontinuities ? 0.25 : 0.8;
            return 2;
        }
        Wrong wrong;
    };
    explicit Bushing(Wrong what) {
        set_law({.kind = RowKind::elastic, .compliance = 0.2});
        set_law_together(std::make_shared<Law>(what));
    }
};
struct RightLaw final : Bushing {
    explicit RightLaw(const Arguments&) : Bushing(Wrong::none) {}
};
struct WrongEnergy final : Bushing {
    explicit WrongEnergy(const Arguments&) : Bushing(Wrong::energy) {}
};
struct WrongStress final : Bushing {
    explicit WrongStress(const Arguments&) : Bushing(Wrong::stress) {}
};
struct WrongStiffness final : Bushing {
    explicit WrongStiffness(const Arguments&) : Bushing(Wrong::stiffness) {}
};
struct UnsymmetricStiffness final : Bushing {
    explicit UnsymmetricStiffness(const Arguments&) : Bushing(Wrong::symmetry) {}
};
struct KinksOutOfOrder final : Bushing {
    explicit KinksOutOfOrder(const Arguments&) : Bushing(Wrong::discontinuities) {}
};
struct EnergyJumps final : Bushing {
    explicit EnergyJumps(const Arguments&) : Bushing(Wrong::energy_jumps) {}
};
struct StressJumps final : Bushing {
    explicit StressJumps(const Arguments&) : Bushing(Wrong::stress_jumps) {}
};
struct RightKink final : Bushing {
    explicit RightKink(const Arguments&) : Bushing(Wrong::discontinuity) {}
};
struct KinkElsewhere final : Bushing {
    explicit KinkElsewhere(const Arguments&) : Bushing(Wrong::discontinuity_elsewhere) {}
};
struct KinkFromEnd final : Bushing {
    explicit KinkFromEnd(const Arguments&) : Bushing(Wrong::kink_from_end) {}
};

/// A law of one row whose stress is no derivative of its energy.
class WrongLaw final : public HolonomicConstraint<WrongLaw> {
public:
    static constexpr auto& kParameters = Bushing::kParameters;

    explicit WrongLaw(const Arguments&) {
        set_law({.kind = RowKind::elastic, .compliance = 0.2, .law = &kLaw});
    }
    template <class S>
    S phi(const Vector3<S>& a, const Vector3<S>& b) const {
        return distance(a, b) - 0.5;
    }

private:
    class Law final : public PotentialLaw {
        Potential potential(double x) const override { return {2.5 * x * x, 5.1 * x, 5.0}; }
    };
    static const Law kLaw;
};
const WrongLaw::Law WrongLaw::kLaw;

/// A law of one row whose energy jumps where it is drawn out far, as if something had snapped.
class SnapsInRow final : public HolonomicConstraint<SnapsInRow> {
public:
    static constexpr auto& kParameters = Bushing::kParameters;

    explicit SnapsInRow(const Arguments&) {
        set_law({.kind = RowKind::elastic, .compliance = 0.2, .law = &kLaw});
    }
    template <class S>
    S phi(const Vector3<S>& a, const Vector3<S>& b) const {
        return distance(a, b) - 0.5;
    }

private:
    class Law final : public PotentialLaw {
        Potential potential(double x) const override {
            return {2.5 * x * x - (x > 0.9 ? 0.05 : 0.0), 5.0 * x, 5.0};
        }
    };
    static const Law kLaw;
};
const SnapsInRow::Law SnapsInRow::kLaw;

/// A skate on ice that it does not name, so that nothing takes its force.
struct UntiedSkate final : NonholonomicConstraint<UntiedSkate> {
    static constexpr TypeDocs kDocs = {
        .doc = "a skate",
        .equation = "(k x d) . p' = 0",
        .source = "tests/zoo/verify/wrong_laws.cpp",
        .examples = {"p = \"a@[0.3, 0.1, -0.2]\"\nd = \"a@[1, 0, 0]\"\nk = \"a@[0, 0, 1]\""},
        .claims = {Claim::rigid_motion_invariant}};
    static constexpr Parameter kParameters[] = {
        parameter::point("p", "its place").required(),
        parameter::direction("d", "along it").required(),
        parameter::direction("k", "upwards").required(),
    };
    explicit UntiedSkate(const Arguments&) {}
    template <class S>
    S psi(const Vector3<S>&,
          const Vector3<S>& d,
          const Vector3<S>& k,
          const Vector3<S>& p_rate,
          const Vector3<S>&,
          const Vector3<S>&) const {
        return triple(k, d, p_rate);
    }
};

constexpr TypeDescriptor kTypes[] = {
    type<UntiedSkate>("untied_skate", UntiedSkate::kDocs, UntiedSkate::kParameters),
    type<RightLaw>("right_law", Bushing::kDocs, Bushing::kParameters),
    type<WrongEnergy>("wrong_energy", Bushing::kDocs, Bushing::kParameters),
    type<WrongStress>("wrong_stress", Bushing::kDocs, Bushing::kParameters),
    type<WrongStiffness>("wrong_stiffness", Bushing::kDocs, Bushing::kParameters),
    type<UnsymmetricStiffness>("unsymmetric_stiffness", Bushing::kDocs, Bushing::kParameters),
    type<KinksOutOfOrder>("kinks_out_of_order", Bushing::kDocs, Bushing::kParameters),
    type<WrongLaw>("wrong_law_of_row", Bushing::kDocs, Bushing::kParameters),
    type<EnergyJumps>("energy_jumps", Bushing::kDocs, Bushing::kParameters),
    type<StressJumps>("stress_jumps", Bushing::kDocs, Bushing::kParameters),
    type<RightKink>("right_kink", Bushing::kDocs, Bushing::kParameters),
    type<KinkElsewhere>("discontinuity_elsewhere", Bushing::kDocs, Bushing::kParameters),
    type<KinkFromEnd>("kink_from_end", Bushing::kDocs, Bushing::kParameters),
    type<SnapsInRow>("snaps_in_row", Bushing::kDocs, Bushing::kParameters),
};

}  // namespace

ANCORA_PLUGIN("wrong_laws", "1.0.0", kTypes)
