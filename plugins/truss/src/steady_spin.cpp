// SPDX-License-Identifier: BSD-3-Clause
// Solves for the element forces of a steadily spinning network, and from them for rest lengths.
#include "steady_spin.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <Eigen/Geometry>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>

#include "material.hpp"
#include "text.hpp"

namespace ancora::truss {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
using Sparse = Eigen::SparseMatrix<double>;

// delta of the damped normal equations, whose eigenvalues are around 1: below the smallest of a
// chain of thousands of elements, far above rounding.
constexpr double kDamping = 1e-9;
// Residual of (1), relative to the largest load, above which there is no steady shape.
constexpr double kSteady = 1e-9;
// Relative change of rest lengths that counts as none.
constexpr double kStill = 1e-15;
// Factor by which a repeated solve must reduce the residual to be worth another.
constexpr double kProgress = 0.9;
constexpr int kMaxRepeats = 100;

// C: column e holds the unit vector towards the other node at both ends of element e, 3n x E.
Sparse direction_matrix(const Network& net) {
    std::vector<Eigen::Triplet<double>> entries;
    entries.reserve(6 * net.elements.size());
    for (Index e = 0; e < net.num_elements(); ++e) {
        const auto [a, b] = net.elements[e];
        const Vec3 d = (net.node(b) - net.node(a)) / net.distance[e];
        for (int k = 0; k < 3; ++k) {
            if (d[k] == 0.0) continue;
            entries.emplace_back(3 * a + k, static_cast<int>(e), d[k]);
            entries.emplace_back(3 * b + k, static_cast<int>(e), -d[k]);
        }
    }
    Sparse C(3 * net.num_nodes(), net.num_elements());
    C.setFromTriplets(entries.begin(), entries.end());
    return C;
}

// M a for elements of rest length L.
VectorXd centripetal_load(const Network& net,
                          const Material& material,
                          std::span<const double> node_mass,
                          const std::vector<double>& L,
                          const VectorXd& a) {
    VectorXd f(a.size());
    for (Index i = 0; i < net.num_nodes(); ++i)
        f.segment<3>(3 * i) = node_mass[i] * a.segment<3>(3 * i);
    for (std::size_t e = 0; e < L.size(); ++e) {
        const auto [i, j] = net.elements[e];
        const double own = material.own * material.mass(e, L[e]);
        const double shared = material.shared * material.mass(e, L[e]);
        f.segment<3>(3 * i) += own * a.segment<3>(3 * i) + shared * a.segment<3>(3 * j);
        f.segment<3>(3 * j) += own * a.segment<3>(3 * j) + shared * a.segment<3>(3 * i);
    }
    return f;
}

// The solution of (1) with least sum of squares.
class Tensions {
public:
    explicit Tensions(const Network& net) : C_(direction_matrix(net)) {
        // C C^T, not C^T C: its factor stays sparse where nodes have many elements
        Sparse damping(C_.rows(), C_.rows());
        damping.setIdentity();
        ldlt_.compute(C_ * C_.transpose() + kDamping * damping);
    }

    // Improves `N` until what is left of (1) is rounding. Starting from the last solution, what (1)
    // leaves open stays as it is.
    void improve(const VectorXd& f, VectorXd& N) const {
        VectorXd rest = f - C_ * N;
        double size = rest.lpNorm<Eigen::Infinity>();
        for (int k = 0; k < kMaxRepeats; ++k) {
            const VectorXd next = N + C_.transpose() * ldlt_.solve(rest);
            const VectorXd next_rest = f - C_ * next;
            const double next_size = next_rest.lpNorm<Eigen::Infinity>();
            if (!(next_size < kProgress * size)) break;  // rounding, or what no tension can hold
            N = next;
            rest = next_rest;
            size = next_size;
        }
        refuse_if_unbalanced(f, rest);
    }

private:
    static void refuse_if_unbalanced(const VectorXd& f, const VectorXd& rest) {
        Index worst = 0;
        const double missing = rest.cwiseAbs().maxCoeff(&worst);
        const double largest = f.lpNorm<Eigen::Infinity>();
        if (missing <= kSteady * largest) return;
        throw NoSteadyShape("no steady shape: no element forces hold node " +
                            std::to_string(worst / 3) + " on its circle; " + text(missing) +
                            " N are missing where the largest load is " + text(largest) +
                            " N; check \"spin\" and the network's symmetry");
    }

    Sparse C_;
    Eigen::SimplicialLDLT<Sparse> ldlt_;
};

// y = l / L - 1 of (2) for n = N / (E A), by Newton's method from above, where it is monotonic.
double stretch(double n, std::size_t element) {
    // y (y + 1) (y + 2) / 2 is least at y = 1 / sqrt(3) - 1
    constexpr double kLeast = -0.19245008972987526;
    if (n <= kLeast)
        throw NoSteadyShape("no steady shape: element " + std::to_string(element) +
                            " would carry a compression of " + text(-n) +
                            " E A; the most that Green strain can carry is 0.1925 E A");
    double y = n;
    for (int k = 0; k < kMaxRepeats; ++k) {
        const double residual = y * (y + 1.0) * (y + 2.0) - 2.0 * n;
        const double next = y - residual / (3.0 * y * y + 6.0 * y + 2.0);
        if (next == y) break;
        y = next;
    }
    return y;
}

}  // namespace

std::vector<double> rest_lengths_in_steady_spin(const Network& net,
                                                const Material& material,
                                                std::span<const double> node_mass,
                                                const Spin& spin) {
    // a = omega x (omega x r)
    VectorXd a(3 * net.num_nodes());
    for (std::int32_t i = 0; i < net.num_nodes(); ++i) {
        const Vec3 r = net.node(i) - spin.center;
        a.segment<3>(3 * Index{i}) = spin.omega.cross(spin.omega.cross(r));
    }

    const bool is_massless = std::ranges::all_of(material.density, [](double density) {
        return density == 0.0;
    });
    const Tensions tensions(net);
    std::vector<double> L = net.distance;
    VectorXd N = VectorXd::Zero(net.num_elements());
    for (int k = 0; k < kMaxRepeats; ++k) {
        tensions.improve(centripetal_load(net, material, node_mass, L, a), N);
        double change = 0.0;
        for (std::size_t e = 0; e < L.size(); ++e) {
            const double n = N[static_cast<Index>(e)] / material.stiffness(e);
            if (n < -kSteady && material.tension_only[e] != 0.0)
                throw NoSteadyShape("no steady shape: element " + std::to_string(e) +
                                    " would be compressed, which \"tension_only\" excludes");
            const double next = net.distance[e] / (1.0 + stretch(n, e));
            change = std::fmax(change, std::abs(next - L[e]) / next);
            L[e] = next;
        }
        if (change <= kStill) return L;
        if (is_massless) return L;  // the load does not depend on L
    }
    throw NoSteadyShape("no steady shape: rest lengths and the mass that they mean do not settle");
}

}  // namespace ancora::truss
