// SPDX-License-Identifier: BSD-3-Clause
// Reads Gmsh's volumes and integrates their stiffness and mass.
//
// Source: N. J. Walkington, Quadrature on
// simplices of arbitrary dimension, 2000, for the 14 points.
#include "tetrahedra.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <utility>

#include "ancora/mesh/gmsh.hpp"
#include "ancora/mesh/mesh.hpp"
#include "ancora/sdk/helpers/nodes.hpp"

namespace ancora::elastic {
namespace {

// Gmsh's types of elements that matter here
constexpr int kTetrahedron4 = 4, kTetrahedron10 = 11;

class MeshReader {
public:
    MeshReader(const Arguments& arguments, double length_unit)
        : arguments_(arguments), length_unit_(length_unit) {
        std::ifstream file(std::string(arguments.path("mesh")), std::ios::binary);
        text_.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
        if (file.bad() || !file) arguments.fail("mesh", "cannot be read");
    }

    Tetrahedra read() {
        try {
            take(mesh::read_gmsh_file(text_, [](int dimension, int type, std::string& refusal) {
                if (type == kTetrahedron4)
                    refusal =
                        "the tetrahedra have four nodes and are too stiff in bending by far; mesh "
                        "again with ten (Gmsh: -order 2, or Mesh.ElementOrder = 2)";
                else if (dimension == 3 && type != kTetrahedron10)
                    refusal =
                        "volumes are taken as tetrahedra with ten nodes, and these are of "
                        "type " +
                        std::to_string(type);
                return true;
            }));
        } catch (const mesh::MeshError& error) {
            fail(error.what(), error.offset);
        }
        if (volumes_.empty())
            fail("has no tetrahedra with ten nodes; mesh the volume (Gmsh: -3 -order 2)", 0);
        keep_used_nodes();
        return std::move(out_);
    }
    const std::vector<Tetrahedron>& volumes() const { return volumes_; }
    /// Where a volume stands in the file.
    std::size_t offset(std::size_t volume) const { return offsets_[volume]; }

    [[noreturn]] void fail(const std::string& message, std::size_t offset) const {
        const auto [line, column] = mesh::line_and_column(offset, text_);
        arguments_.fail_in_file("mesh", line, column, message);
        throw std::logic_error(message);
    }

private:
    void take(mesh::GmshFile file) {
        out_.tags = std::move(file.tags);
        for (std::size_t i = 0; i + 2 < file.x.size(); i += 3)
            out_.elements.x.push_back(length_unit_ * Vec3(file.x[i], file.x[i + 1], file.x[i + 2]));
        for (const mesh::GmshBlock& block : file.blocks) {
            for (const std::string& name : block.groups) {
                std::vector<std::int32_t>& to = members_[name];
                to.insert(to.end(), block.nodes.begin(), block.nodes.end());
            }
            if (block.type != kTetrahedron10) continue;
            offsets_.insert(offsets_.end(), block.offsets.begin(), block.offsets.end());
            for (std::size_t k = 0; k < block.nodes.size(); k += block.nodes_each) {
                Tetrahedron volume{};
                std::copy_n(block.nodes.begin() + static_cast<std::ptrdiff_t>(k),
                            volume.size(),
                            volume.begin());
                volumes_.push_back(volume);
            }
        }
    }

    /// Nodes of no volume belong to something else in the file.
    void keep_used_nodes() {
        std::vector<std::int32_t> number_of(out_.tags.size(), -1);
        for (const Tetrahedron& volume : volumes_)
            for (const std::int32_t node : volume) number_of[static_cast<std::size_t>(node)] = 0;
        std::vector<Vec3> x;
        std::vector<std::int64_t> tags;
        for (std::size_t k = 0; k < number_of.size(); ++k) {
            if (number_of[k] < 0) continue;
            number_of[k] = static_cast<std::int32_t>(x.size());
            x.push_back(out_.elements.x[k]);
            tags.push_back(out_.tags[k]);
        }
        out_.elements.x = std::move(x);
        out_.tags = std::move(tags);
        for (Tetrahedron& volume : volumes_)
            for (std::int32_t& node : volume) node = number_of[static_cast<std::size_t>(node)];
        for (auto& [name, nodes] : members_) {
            MeshGroup group{name, {}};
            for (const std::int32_t node : nodes)
                if (number_of[static_cast<std::size_t>(node)] >= 0)
                    group.nodes.push_back(number_of[static_cast<std::size_t>(node)]);
            std::ranges::sort(group.nodes);
            group.nodes.erase(std::unique(group.nodes.begin(), group.nodes.end()),
                              group.nodes.end());
            out_.groups.push_back(std::move(group));
        }
    }

    const Arguments& arguments_;
    double length_unit_;
    std::string text_;
    std::map<std::string, std::vector<std::int32_t>> members_;
    std::vector<Tetrahedron> volumes_;
    std::vector<std::size_t> offsets_;
    Tetrahedra out_;
};

std::vector<ElementShape> gauss_points() {
    std::vector<ElementShape> out;
    const auto add = [&](const std::array<double, 4>& L, double weight) {
        out.push_back(shape_at(L, weight));
    };
    for (const auto& [a, weight] : {std::pair(0.31088591926330060980, 0.018781320953002641800),
                                    std::pair(0.092735250310891226402, 0.012248840519393658257)})
        for (std::size_t i = 0; i < 4; ++i) {
            std::array<double, 4> L{a, a, a, a};
            L[i] = 1.0 - 3.0 * a;
            add(L, weight);
        }
    constexpr double kA = 0.045503704125649649492;
    for (const auto& [i, j] : kEdges) {
        std::array<double, 4> L{kA, kA, kA, kA};
        L[i] = L[j] = 0.5 - kA;
        add(L, 0.0070910034628469110730);
    }
    return out;
}

/// What two nodes have to do with each other.
struct Coupling {
    std::array<double, 9> K{};
    double m = 0.0;
};

/// Pairs (i, j), j <= i, of nodes that share a tetrahedron, by i.
class NodePairs {
public:
    NodePairs(const std::vector<Tetrahedron>& volumes, std::size_t num_nodes)
        : start_(num_nodes + 1, 0) {
        std::vector<std::vector<std::int32_t>> of(num_nodes);
        for (const Tetrahedron& nodes : volumes)
            for (const std::int32_t i : nodes)
                for (const std::int32_t j : nodes)
                    if (j <= i) of[static_cast<std::size_t>(i)].push_back(j);
        for (std::size_t i = 0; i < num_nodes; ++i) {
            std::ranges::sort(of[i]);
            of[i].erase(std::unique(of[i].begin(), of[i].end()), of[i].end());
            other_.insert(other_.end(), of[i].begin(), of[i].end());
            start_[i + 1] = other_.size();
        }
    }
    std::size_t size() const { return other_.size(); }
    std::size_t find(std::int32_t i, std::int32_t j) const {
        const auto row = static_cast<std::size_t>(i);
        const auto begin = other_.begin() + static_cast<std::ptrdiff_t>(start_[row]),
                   end = other_.begin() + static_cast<std::ptrdiff_t>(start_[row + 1]);
        return static_cast<std::size_t>(std::lower_bound(begin, end, j) - other_.begin());
    }
    template <class F>
    void for_each(F f) const {
        for (std::size_t i = 0; i + 1 < start_.size(); ++i)
            for (std::size_t k = start_[i]; k < start_[i + 1]; ++k)
                f(static_cast<std::int32_t>(i), other_[k], k);
    }

private:
    std::vector<std::size_t> start_;
    std::vector<std::int32_t> other_;
};

}  // namespace

Tetrahedra read_tetrahedra(const Arguments& arguments, double length_unit) {
    MeshReader reader(arguments, length_unit);
    Tetrahedra out = reader.read();
    if (const std::ptrdiff_t bad = assemble(arguments, reader.volumes(), out.elements); bad >= 0) {
        const auto k = static_cast<std::size_t>(bad);
        reader.fail("a tetrahedron of nodes " +
                        std::to_string(out.tags[static_cast<std::size_t>(reader.volumes()[k][0])]) +
                        ", ... is flat or turned inside out",
                    reader.offset(k));
    }
    return out;
}

bool sort_middles(const std::vector<Vec3>& x, Tetrahedron& nodes) {
    const auto at = [&](std::size_t i) -> const Vec3& {
        return x[static_cast<std::size_t>(nodes[i])];
    };
    const Vec3 a = at(1) - at(0), b = at(2) - at(0), c = at(3) - at(0);
    if (a.cross(b).dot(c) < 0.0) std::swap(nodes[1], nodes[2]);
    Tetrahedron sorted = nodes;
    std::array<bool, 6> is_taken{};
    for (std::size_t e = 0; e < 6; ++e) {
        const Vec3 middle = 0.5 * (at(kEdges[e][0]) + at(kEdges[e][1]));
        std::size_t best = 0;
        for (std::size_t k = 1; k < 6; ++k)
            if ((at(4 + k) - middle).squaredNorm() < (at(4 + best) - middle).squaredNorm())
                best = k;
        if (std::exchange(is_taken[best], true)) return false;
        sorted[4 + e] = nodes[4 + best];
    }
    nodes = sorted;
    return true;
}

std::ptrdiff_t assemble(const Arguments& arguments,
                        const std::vector<Tetrahedron>& volumes,
                        FiniteElements& model) {
    const double E = arguments.number("young"), nu = arguments.number("poisson");
    const double mu = E / (2.0 * (1.0 + nu)), lambda = 2.0 * mu * nu / (1.0 - 2.0 * nu);
    model.volumes = volumes;
    model.material = {lambda, mu};
    const double density = arguments.number("density");
    const std::vector<ElementShape> points = gauss_points();

    NodePairs pairs(volumes, model.x.size());
    std::vector<Coupling> sums(pairs.size());
    for (std::size_t t = 0; t < volumes.size(); ++t) {
        const Tetrahedron& nodes = volumes[t];
        double m[10][10] = {}, K[10][10][3][3] = {};
        for (const ElementShape& shape : points) {
            const auto [slope, det] = gradients(shape, model.x, nodes);
            if (!(det > 0.0)) return static_cast<std::ptrdiff_t>(t);
            const double weight = shape.weight * det;
            for (std::size_t i = 0; i < 10; ++i)
                for (std::size_t j = 0; j < 10; ++j) {
                    m[i][j] += density * weight * shape.N[i] * shape.N[j];
                    const double both = mu * slope[i].dot(slope[j]);
                    for (int p = 0; p < 3; ++p)
                        for (int q = 0; q < 3; ++q)
                            K[i][j][p][q] +=
                                weight * (lambda * slope[i](p) * slope[j](q) +
                                          mu * slope[i](q) * slope[j](p) + (p == q ? both : 0.0));
                }
        }
        for (std::size_t i = 0; i < 10; ++i)
            for (std::size_t j = 0; j < 10; ++j) {
                if (nodes[i] < nodes[j]) continue;
                Coupling& sum = sums[pairs.find(nodes[i], nodes[j])];
                sum.m += m[i][j];
                for (std::size_t p = 0; p < 3; ++p)
                    for (std::size_t q = 0; q < 3; ++q) sum.K[3 * p + q] += K[i][j][p][q];
            }
    }
    model.mass.reserve(pairs.size());
    model.stiffness.reserve(9 * pairs.size());
    pairs.for_each([&](std::int32_t i, std::int32_t j, std::size_t place) {
        model.mass.push_back({i, j, sums[place].m, 0});
        for (int p = 0; p < 3; ++p)
            for (int q = 0; q < (i == j ? p + 1 : 3); ++q)
                model.stiffness.push_back(
                    {3 * i + p, 3 * j + q, sums[place].K[static_cast<std::size_t>(3 * p + q)], 0});
    });
    return -1;
}

}  // namespace ancora::elastic
