// SPDX-License-Identifier: BSD-3-Clause
// A box of finite elements with 27 nodes each, assembled here as a program would write it.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Core>
#include <unistd.h>

namespace ancora::testing {

/// Nodes, K and the scalar mass of a box along x, from the origin on, of elements with quadratic
/// functions along each axis (Lagrange's hexahedron of 27 nodes, three Gauss points along each).
struct BoxElements {
    std::array<int, 3> counts{1, 1, 1};
    Eigen::Vector3d size = Eigen::Vector3d::Ones();
    double young = 1.0, poisson = 0.0, density = 1.0;

    std::array<int, 3> num_along() const {
        return {2 * counts[0] + 1, 2 * counts[1] + 1, 2 * counts[2] + 1};
    }
    int num_nodes() const {
        const auto n = num_along();
        return n[0] * n[1] * n[2];
    }
    int node(int i, int j, int k) const {
        const auto n = num_along();
        return i + n[0] * (j + n[1] * k);
    }
    Eigen::Vector3d position(int node) const {
        const auto n = num_along();
        return size.cwiseProduct(Eigen::Vector3d(double(node % n[0]) / (n[0] - 1),
                                                 double(node / n[0] % n[1]) / (n[1] - 1),
                                                 double(node / n[0] / n[1]) / (n[2] - 1)));
    }
    /// Nodes of the section x = i/2 elements.
    std::vector<int> section(int i) const {
        const auto n = num_along();
        std::vector<int> out;
        for (int k = 0; k < n[2]; ++k)
            for (int j = 0; j < n[1]; ++j) out.push_back(node(i, j, k));
        return out;
    }

    using Entries = std::map<std::pair<int, int>, double>;  ///< (i, j), i >= j

    /// K on 3 node + axis, and m.
    void assemble(Entries& K, Entries& m) const {
        Eigen::Matrix<double, 81, 81> k_element;
        Eigen::Matrix<double, 27, 27> m_element;
        element(k_element, m_element);
        for (int ex = 0; ex < counts[0]; ++ex)
            for (int ey = 0; ey < counts[1]; ++ey)
                for (int ez = 0; ez < counts[2]; ++ez) {
                    std::array<int, 27> at;
                    for (int a = 0; a < 27; ++a)
                        at[std::size_t(a)] =
                            node(2 * ex + a % 3, 2 * ey + a / 3 % 3, 2 * ez + a / 9);
                    for (int a = 0; a < 27; ++a)
                        for (int b = 0; b < 27; ++b) {
                            const int i = at[std::size_t(a)], j = at[std::size_t(b)];
                            if (i >= j) m[{i, j}] += m_element(a, b);
                            for (int p = 0; p < 3; ++p)
                                for (int q = 0; q < 3; ++q)
                                    if (3 * i + p >= 3 * j + q)
                                        K[{3 * i + p, 3 * j + q}] +=
                                            k_element(3 * a + p, 3 * b + q);
                        }
                }
    }

private:
    void element(Eigen::Matrix<double, 81, 81>& K, Eigen::Matrix<double, 27, 27>& m) const {
        K.setZero();
        m.setZero();
        const Eigen::Vector3d h(
            size(0) / counts[0] / 2.0, size(1) / counts[1] / 2.0, size(2) / counts[2] / 2.0);
        const double mu = young / (2.0 * (1.0 + poisson));
        const double lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
        const double g = std::sqrt(0.6);
        const std::array<double, 3> points = {-g, 0.0, g}, weights = {5. / 9, 8. / 9, 5. / 9};
        const auto line = [](double x) {
            return std::array<double, 3>{x * (x - 1) / 2, 1 - x * x, x * (x + 1) / 2};
        };
        const auto slope = [](double x) {
            return std::array<double, 3>{x - 0.5, -2 * x, x + 0.5};
        };
        for (std::size_t p = 0; p < 27; ++p) {
            const std::array<std::size_t, 3> of = {p % 3, p / 3 % 3, p / 9};
            double w = h.prod();
            std::array<std::array<double, 3>, 3> N{}, D{};
            for (std::size_t c = 0; c < 3; ++c) {
                w *= weights[of[c]];
                N[c] = line(points[of[c]]);
                D[c] = slope(points[of[c]]);
                for (double& d : D[c]) d /= h(Eigen::Index(c));
            }
            Eigen::Matrix<double, 27, 1> f;
            Eigen::Matrix<double, 27, 3> df;
            for (std::size_t a = 0; a < 27; ++a) {
                const std::size_t i = a % 3, j = a / 3 % 3, k = a / 9;
                const auto r = Eigen::Index(a);
                f(r) = N[0][i] * N[1][j] * N[2][k];
                df.row(r) << D[0][i] * N[1][j] * N[2][k], N[0][i] * D[1][j] * N[2][k],
                    N[0][i] * N[1][j] * D[2][k];
            }
            m += density * w * f * f.transpose();
            const Eigen::Matrix<double, 27, 27> G = df * df.transpose();
            for (int a = 0; a < 27; ++a)
                for (int b = 0; b < 27; ++b)
                    for (int i = 0; i < 3; ++i)
                        for (int j = 0; j < 3; ++j)
                            K(3 * a + i, 3 * b + j) +=
                                w * (lambda * df(a, i) * df(b, j) + mu * df(a, j) * df(b, i) +
                                     (i == j ? mu * G(a, b) : 0.0));
        }
    }
};

/// Sylvester's law of inertia: the number of eigenvalues of K x = lambda M x below `lambda`, by the
/// signs of the pivots of K - lambda M, where `fixed` displacements are held. Independent of any
/// eigensolver.
inline int num_below(const BoxElements& box, double lambda, const std::vector<int>& fixed = {}) {
    BoxElements::Entries K, m;
    box.assemble(K, m);
    const int n = 3 * box.num_nodes();
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
    for (const auto& [at, value] : K) A(at.first, at.second) += value;
    for (const auto& [at, value] : m)
        for (int axis = 0; axis < 3; ++axis)
            A(3 * at.first + axis, 3 * at.second + axis) -= lambda * value;
    for (const int k : fixed) {
        A.row(k).setZero();
        A.col(k).setZero();
        A(k, k) = 1.0;
    }
    int count = 0;
    for (int k = 0; k < n; ++k) {
        const double pivot = A(k, k);
        if (pivot < 0.0) ++count;
        const int rest = n - k - 1;
        const Eigen::VectorXd column = A.col(k).tail(rest);
        for (int j = 0; j < rest; ++j)
            if (column(j) != 0.0)
                A.col(k + 1 + j).tail(rest - j) -= column(j) / pivot * column.tail(rest - j);
    }
    return count;
}

/// The files of a model: nodes numbered from 1, K and M in MatrixMarket's format.
struct ElementFiles {
    std::string nodes, stiffness, mass;
};
inline ElementFiles files_of(const BoxElements& box) {
    BoxElements::Entries K, m;
    box.assemble(K, m);
    ElementFiles out;
    char text[120];
    for (int i = 0; i < box.num_nodes(); ++i) {
        const Eigen::Vector3d x = box.position(i);
        std::snprintf(text, sizeof text, "%d, %.17g, %.17g, %.17g\n", i + 1, x(0), x(1), x(2));
        out.nodes += text;
    }
    const auto heading = [&](std::size_t entries) {
        std::snprintf(text,
                      sizeof text,
                      "%%%%MatrixMarket matrix coordinate real symmetric\n%d %d %zu\n",
                      3 * box.num_nodes(),
                      3 * box.num_nodes(),
                      entries);
        return std::string(text);
    };
    out.stiffness = heading(K.size());
    for (const auto& [at, value] : K) {
        std::snprintf(text, sizeof text, "%d %d %.17g\n", at.first + 1, at.second + 1, value);
        out.stiffness += text;
    }
    out.mass = heading(3 * m.size());
    for (const auto& [at, value] : m)
        for (int axis = 1; axis <= 3; ++axis) {
            std::snprintf(text,
                          sizeof text,
                          "%d %d %.17g\n",
                          3 * at.first + axis,
                          3 * at.second + axis,
                          value);
            out.mass += text;
        }
    return out;
}

/// Files in a folder that lives as long as this object.
class ElementFolder {
public:
    explicit ElementFolder(const BoxElements& box)
        : path_(std::filesystem::temp_directory_path() /
                ("ancora-elements-" + std::to_string(::getpid()) + "-" +
                 std::to_string(next_number()))) {
        std::filesystem::create_directories(path_);
        const ElementFiles files = files_of(box);
        write("nodes.csv", files.nodes);
        write("K.mtx", files.stiffness);
        write("M.mtx", files.mass);
    }
    ~ElementFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    ElementFolder(const ElementFolder&) = delete;
    ElementFolder& operator=(const ElementFolder&) = delete;

    /// Writes a file; returns its path.
    std::string write(const std::string& name, const std::string& content) const {
        std::ofstream(path_ / name, std::ios::binary) << content;
        return path(name);
    }
    std::string path(const std::string& name) const { return (path_ / name).string(); }

private:
    static int next_number() {
        static int number = 0;
        return number++;
    }
    std::filesystem::path path_;
};

}  // namespace ancora::testing
