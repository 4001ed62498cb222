// SPDX-License-Identifier: BSD-3-Clause
// A square net without diagonals in steady spin, by a loop that knows nothing else.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <vector>

#include <Eigen/SparseCore>

#include "loops/step.hpp"

namespace ancora::by_hand {

/// N x N nodes joined along rows and columns, with the element's Green strain e = (l^2 - L^2) /
/// (2 L^2), energy E A L e^2 / 2 and consistent mass:
///
///   M a + sum s B(middle)^T = 0,   s = E A L (e_0 + B dq / 2),   B = (-d, d) / L^2,
///   dq = h v + h^2 / 2 a,   e_1 = e_0 + B dq                                             (1)
///
/// d is the element's vector in the middle of the step. The matrix of (1) in axes that turn with
/// the net is that of the start, where elements lie along the axes: x, y and z have one each, with
/// a node's four neighbours in a row. It is factorised once.
///
/// @tparam Solver  one of Eigen's or CholmodSupport's for SparseMatrix<double>, lower half
template <class Solver>
class Net {
public:
    /// About z, through the middle. @param corner point mass on each corner [kg]
    Net(int N, double spacing, double EA, double line_density, double corner, double rate, double h)
        : n_(static_cast<std::size_t>(N)), EA_(EA), rate_(rate), h_(h) {
        const std::size_t count = n_ * n_;
        const double half = 0.5 * spacing * (N - 1);
        for (auto* of : {&x_, &v_, &a_, &dq_, &R_, &f_, &mid_})
            for (std::vector<double>& part : *of) part.assign(count, 0.0);
        for (std::size_t j = 0; j < n_; ++j)
            for (std::size_t i = 0; i < n_; ++i) {
                const std::size_t at = j * n_ + i;
                x_[0][at] = spacing * static_cast<double>(i) - half;
                x_[1][at] = spacing * static_cast<double>(j) - half;
                v_[0][at] = -rate * x_[1][at];
                v_[1][at] = rate * x_[0][at];
                a_[0][at] = -rate * rate * x_[0][at];
                a_[1][at] = -rate * rate * x_[1][at];
            }
        point_mass_.assign(count, 0.0);
        for (const std::size_t at : {std::size_t{0}, n_ - 1, n_ * (n_ - 1), n_ * n_ - 1})
            point_mass_[at] = corner;
        for (int k = 0; k < 2; ++k) {
            Elements& all = elements_[k];
            all.rest.assign(count, spacing);
            for (auto* of : {&all.strain, &all.change, &all.mass, &all.weight, &all.stiffness})
                of->assign(count, 0.0);
        }
        set_rest_lengths(spacing, line_density);
        factorise();
        // The accelerations are predicted in turning axes, where those at the start stand still.
        const double chord = std::sin(0.5 * rate * h) / (0.5 * rate * h);
        for (std::size_t at = 0; at < count; ++at)
            for (std::size_t k = 0; k < 2; ++k) a_[k][at] *= chord;
        turn(a_, -0.5 * rate * h);
    }

    void step(double) {
        const double h = h_, k = 0.5 * h * h, angle = rate_ * h;
        turn(a_, angle);
        const double middle = (static_cast<double>(steps_) + 0.5) * angle;
        bool is_solved = false;
        for (int i = 0; !is_solved; ++i) {
            residual();
            is_solved = convergence_.is_reached(i, k * correct(middle));
            ++iterations_;
        }
        const std::size_t count = n_ * n_;
        for (std::size_t c = 0; c < 3; ++c) {
            double* const x = x_[c].data();
            double* const v = v_[c].data();
            const double* const a = a_[c].data();
            for (std::size_t at = 0; at < count; ++at) {
                x[at] += h * (v[at] + 0.5 * h * a[at]);
                v[at] += h * a[at];
            }
        }
        for (Elements& all : elements_)
            for (std::size_t e = 0; e < all.strain.size(); ++e) all.strain[e] += all.change[e];
        ++steps_;
    }

    long iterations() const { return iterations_; }
    double factorise_seconds() const { return factorise_seconds_; }
    void positions(std::vector<double>& q) const {
        q.clear();
        for (std::size_t at = 0; at < n_ * n_; ++at)
            for (const std::vector<double>& part : x_) q.push_back(part[at]);
    }
    double energy() const { return kinetic() + strain_energy(); }
    double scale() const { return kinetic(); }

private:
    using Field = std::array<std::vector<double>, 3>;
    using Sparse = Eigen::SparseMatrix<double>;

    /// Those along x, each stored at its first node, or along y. Where there is none, all but the
    /// rest length is zero.
    struct Elements {
        std::vector<double> rest, strain, change;
        std::vector<double> mass;       // rho A L / 6
        std::vector<double> weight;     // 1 / L^2
        std::vector<double> stiffness;  // E A L
    };
    std::size_t stride(std::size_t direction) const { return direction == 0 ? 1 : n_; }
    bool has_element(std::size_t direction, std::size_t at) const {
        return direction == 0 ? at % n_ != n_ - 1 : at / n_ != n_ - 1;
    }

    /// out = M x
    void times_mass(const std::vector<double>& x, std::vector<double>& out) const {
        const std::size_t count = n_ * n_;
        for (std::size_t at = 0; at < count; ++at) out[at] = own_[at] * x[at];
        for (std::size_t d = 0; d < 2; ++d) {
            const double* const m = elements_[d].mass.data();
            const std::size_t step = stride(d);
            for (std::size_t at = 0; at + step < count; ++at) out[at] += m[at] * x[at + step];
            for (std::size_t at = 0; at + step < count; ++at) out[at + step] += m[at] * x[at];
        }
    }

    /// Tensions along a row or column hold what is to its one side on its circle:
    /// N_i = sum (M x)_k rate^2 over k <= i. With y = l / L - 1, 2 N / (E A) = y (y + 1) (y + 2).
    /// M holds the L, so both are repeated.
    void set_rest_lengths(double spacing, double line_density) {
        constexpr double kStill = 1e-15;
        constexpr int kMostRepeats = 100;
        const std::size_t count = n_ * n_;
        std::vector<double> load(count);
        double change = 1.0;
        for (int repeat = 0; repeat < kMostRepeats && change > kStill; ++repeat) {
            own_ = point_mass_;
            for (std::size_t d = 0; d < 2; ++d)
                for (std::size_t at = 0; at < count; ++at) {
                    if (!has_element(d, at)) continue;
                    const double mass = line_density * elements_[d].rest[at] / 6.0;
                    elements_[d].mass[at] = mass;
                    own_[at] += 2.0 * mass;
                    own_[at + stride(d)] += 2.0 * mass;
                }
            change = 0.0;
            for (std::size_t d = 0; d < 2; ++d) {
                times_mass(x_[d], load);
                for (std::size_t line = 0; line < n_; ++line) {
                    double tension = 0.0;
                    for (std::size_t i = 0; i + 1 < n_; ++i) {
                        const std::size_t at = d == 0 ? line * n_ + i : i * n_ + line;
                        tension -= rate_ * rate_ * load[at];
                        const double n = 2.0 * tension / EA_;
                        double y = 0.5 * n;
                        for (int k = 0; k < kMostRepeats; ++k) {
                            const double next =
                                y - (y * (y + 1.0) * (y + 2.0) - n) / (3.0 * y * y + 6.0 * y + 2.0);
                            if (next == y) break;
                            y = next;
                        }
                        const double rest = spacing / (1.0 + y);
                        change = std::max(change, std::abs(rest - elements_[d].rest[at]) / rest);
                        elements_[d].rest[at] = rest;
                    }
                }
            }
        }
        for (std::size_t d = 0; d < 2; ++d)
            for (std::size_t at = 0; at < count; ++at) {
                if (!has_element(d, at)) continue;
                Elements& all = elements_[d];
                const double L = all.rest[at];
                all.weight[at] = 1.0 / (L * L);
                all.stiffness[at] = EA_ * L;
                all.strain[at] = 0.5 * (spacing - L) * (spacing + L) / (L * L);
            }
    }

    /// d (M a + ...) / da = M + h^2 / 4 sum (E A L d d^T / L^4 + s / L^2)
    void factorise() {
        const auto count = static_cast<Eigen::Index>(n_ * n_);
        const double to = 0.25 * h_ * h_;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            std::vector<Eigen::Triplet<double>> entries;
            std::vector<double> diagonal = own_;
            for (std::size_t d = 0; d < 2; ++d)
                for (std::size_t at = 0; at < n_ * n_; ++at) {
                    if (!has_element(d, at)) continue;
                    const Elements& all = elements_[d];
                    const double w = all.weight[at], axial = all.stiffness[at];
                    double k = axial * all.strain[at] * w;
                    const double length = x_[d][at + stride(d)] - x_[d][at];
                    if (d == axis) k += axial * length * length * w * w;
                    diagonal[at] += to * k;
                    diagonal[at + stride(d)] += to * k;
                    entries.emplace_back(static_cast<int>(at + stride(d)),
                                         static_cast<int>(at),
                                         all.mass[at] - to * k);
                }
            for (std::size_t at = 0; at < n_ * n_; ++at)
                entries.emplace_back(static_cast<int>(at), static_cast<int>(at), diagonal[at]);
            Sparse K(count, count);
            K.setFromTriplets(entries.begin(), entries.end());
            const auto start = std::chrono::steady_clock::now();
            solvers_[axis].compute(K);
            factorise_seconds_ +=
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
            if (solvers_[axis].info() != Eigen::Success)
                throw std::runtime_error("the net's matrix is not positive definite");
        }
    }

    /// R of (1) and the strains' changes for the present a.
    void residual() {
        const double h = h_;
        const std::size_t count = n_ * n_;
        for (std::size_t c = 0; c < 3; ++c) {
            times_mass(a_[c], R_[c]);
            const double* const x = x_[c].data();
            const double* const v = v_[c].data();
            const double* const a = a_[c].data();
            double* const dq = dq_[c].data();
            double* const mid = mid_[c].data();
            for (std::size_t at = 0; at < count; ++at) {
                dq[at] = h * (v[at] + 0.5 * h * a[at]);
                mid[at] = x[at] + 0.5 * dq[at];
            }
        }
        for (std::size_t d = 0; d < 2; ++d) add_tensions(elements_[d], stride(d));
    }
    void add_tensions(Elements& all, std::size_t step) {
        const std::size_t last = n_ * n_ - step;
        const double *const x = mid_[0].data(), *const y = mid_[1].data(),
                            *const z = mid_[2].data();
        const double *const dx = dq_[0].data(), *const dy = dq_[1].data(),
                            *const dz = dq_[2].data();
        double *const fx = f_[0].data(), *const fy = f_[1].data(), *const fz = f_[2].data();
        const double* const weight = all.weight.data();
        const double* const stiffness = all.stiffness.data();
        const double* const strain = all.strain.data();
        double* const change = all.change.data();
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC ivdep  // the fields do not overlap
#endif
        for (std::size_t at = 0; at < last; ++at) {
            const double lx = x[at + step] - x[at], ly = y[at + step] - y[at],
                         lz = z[at + step] - z[at];
            const double e =
                weight[at] * (lx * (dx[at + step] - dx[at]) + ly * (dy[at + step] - dy[at]) +
                              lz * (dz[at + step] - dz[at]));
            const double s = weight[at] * stiffness[at] * (strain[at] + 0.5 * e);
            change[at] = e;
            fx[at] = s * lx;
            fy[at] = s * ly;
            fz[at] = s * lz;
        }
        for (std::size_t c = 0; c < 3; ++c) {
            double* const R = R_[c].data();
            const double* const f = f_[c].data();
            for (std::size_t at = 0; at < last; ++at) R[at] -= f[at];
            for (std::size_t at = 0; at < last; ++at) R[at + step] += f[at];
        }
    }

    /// @returns the largest correction of a
    double correct(double angle) {
        const std::size_t count = n_ * n_;
        turn(R_, -angle);
        for (std::size_t c = 0; c < 3; ++c) {
            const Eigen::Map<Eigen::VectorXd> R(R_[c].data(), static_cast<Eigen::Index>(count));
            da_ = solvers_[c].solve(R);
            std::copy_n(da_.data(), count, R_[c].data());
        }
        turn(R_, angle);
        double largest = 0.0;
        const double *const x = R_[0].data(), *const y = R_[1].data(), *const z = R_[2].data();
        for (std::size_t at = 0; at < count; ++at) {
            a_[0][at] -= x[at];
            a_[1][at] -= y[at];
            a_[2][at] -= z[at];
            largest = std::max(largest, x[at] * x[at] + y[at] * y[at] + z[at] * z[at]);
        }
        return std::sqrt(largest);
    }

    /// About z.
    void turn(Field& of, double angle) const {
        const double c = std::cos(angle), s = std::sin(angle);
        double *const x = of[0].data(), *const y = of[1].data();
        for (std::size_t at = 0; at < n_ * n_; ++at) {
            const double was = x[at];
            x[at] = c * was - s * y[at];
            y[at] = s * was + c * y[at];
        }
    }

    double kinetic() const {
        std::vector<double> p(n_ * n_);
        Sum out = 0.0;
        for (const std::vector<double>& v : v_) {
            times_mass(v, p);
            for (std::size_t at = 0; at < p.size(); ++at) out += 0.5 * p[at] * v[at];
        }
        return static_cast<double>(out);
    }
    double strain_energy() const {
        Sum out = 0.0;
        for (const Elements& all : elements_)
            for (std::size_t e = 0; e < all.strain.size(); ++e)
                out += 0.5 * all.stiffness[e] * all.strain[e] * all.strain[e];
        return static_cast<double>(out);
    }

    std::size_t n_;
    double EA_, rate_, h_;
    Field x_, v_, a_, dq_, R_, f_, mid_;
    std::vector<double> point_mass_, own_;  // own_: the diagonal of M
    std::array<Elements, 2> elements_;
    std::array<Solver, 3> solvers_;
    Eigen::VectorXd da_;
    Convergence convergence_;
    double factorise_seconds_ = 0.0;
    long steps_ = 0;
    long iterations_ = 0;
};

}  // namespace ancora::by_hand
