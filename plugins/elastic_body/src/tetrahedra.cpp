// SPDX-License-Identifier: BSD-3-Clause
// Reads Gmsh's volumes and integrates their stiffness and mass.
//
// Sources: "MSH file format" of the Gmsh Reference Manual; N. J. Walkington, Quadrature on
// simplices of arbitrary dimension, 2000, for the 14 points.
#include "tetrahedra.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "ancora/sdk/helpers/nodes.hpp"

namespace ancora::elastic {
namespace {

// Gmsh's types of elements that matter here
constexpr int kTetrahedron4 = 4, kTetrahedron10 = 11;
/// Nodes of its types 1 to 31; 0: not known here.
constexpr std::array<int, 32> kNumNodes = {0,  2,  3,  4,  4, 8, 6,  5,  3,  6, 9,
                                           10, 27, 18, 14, 1, 8, 20, 15, 13, 9, 10,
                                           12, 15, 15, 21, 4, 5, 6,  20, 35, 56};

class MeshReader {
public:
    MeshReader(const Arguments& arguments, double length_unit)
        : arguments_(arguments), length_unit_(length_unit) {
        std::ifstream file(std::string(arguments.path("mesh")), std::ios::binary);
        text_.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
        if (file.bad() || !file) fail("cannot be read");
        rest_ = text_;
    }

    Tetrahedra read() {
        if (word() != "$MeshFormat") fail("is no mesh of Gmsh: it begins with no $MeshFormat");
        if (word() != "4.1")
            fail("is not written in format 4.1; save it again (Gmsh: Mesh.MshFileVersion = 4.1)");
        if (number() != 0) fail("is binary; save it as text (Gmsh: Mesh.Binary = 0)");
        skip_to("$EndMeshFormat");
        bool has_nodes = false, has_elements = false;
        while (skip_blanks()) {
            const std::string section(word());
            if (section == "$PhysicalNames") read_names();
            if (section == "$Entities") read_entities();
            if (section == "$Nodes" && !std::exchange(has_nodes, true)) read_nodes();
            if (section == "$Elements") {
                if (!has_nodes) fail("$Elements stands before $Nodes");
                has_elements = true;
                read_elements();
            }
            if (section.front() != '$') fail("expected a section such as $Nodes");
            skip_to("$End" + section.substr(1));
        }
        if (!has_elements) fail("has no $Elements");
        if (volumes_.empty())
            fail("has no tetrahedra with ten nodes; mesh the volume (Gmsh: -3 -order 2)");
        keep_used_nodes();
        return std::move(out_);
    }
    const std::vector<Tetrahedron>& volumes() const { return volumes_; }
    const std::vector<int>& lines() const { return volume_lines_; }

    [[noreturn]] void fail(const std::string& message, int line = 0) const {
        arguments_.fail_in_file("mesh", line > 0 ? line : line_, 0, message);
        throw std::logic_error(message);
    }

private:
    bool skip_blanks() {
        std::size_t at = 0;
        for (; at < rest_.size() &&
               (rest_[at] == ' ' || rest_[at] == '\n' || rest_[at] == '\r' || rest_[at] == '\t');
             ++at)
            if (rest_[at] == '\n') ++line_;
        rest_.remove_prefix(at);
        return !rest_.empty();
    }
    std::string_view word() {
        if (!skip_blanks()) fail("the file ends in the middle");
        const std::size_t end = std::min(rest_.find_first_of(" \n\r\t"), rest_.size());
        const std::string_view out = rest_.substr(0, end);
        rest_.remove_prefix(end);
        return out;
    }
    template <class T>
    T read_number(const char* what) {
        const std::string_view text = word();
        T x{};
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
        if (error != std::errc() || end != text.data() + text.size())
            fail('"' + std::string(text.substr(0, 40)) + "\" is no " + what);
        return x;
    }
    std::int64_t number() { return read_number<std::int64_t>("whole number"); }
    double real() {
        const double x = read_number<double>("number");
        if (!std::isfinite(x)) fail("a number is not finite");
        return x;
    }
    std::size_t count() {
        const std::int64_t x = number();
        // Each thing that is counted takes a character at least
        if (x < 0 || x > static_cast<std::int64_t>(text_.size()))
            fail(std::to_string(x) + " is no number of things in this file");
        return static_cast<std::size_t>(x);
    }
    void skip_to(const std::string& end) {
        while (word() != end) {
        }
    }

    void read_names() {
        for (std::size_t k = count(); k > 0; --k) {
            const std::int64_t dimension = number(), tag = number();
            skip_blanks();
            const std::size_t end = rest_.find('\n');
            std::string_view name = rest_.substr(0, end);
            rest_.remove_prefix(name.size());
            while (!name.empty() && (name.back() == '\r' || name.back() == ' '))
                name.remove_suffix(1);
            if (name.size() < 2 || name.front() != '"' || name.back() != '"')
                fail("expected a name in quotes");
            names_[{dimension, tag}] = name.substr(1, name.size() - 2);
        }
    }
    void read_entities() {
        std::array<std::size_t, 4> counts{};
        for (std::size_t& c : counts) c = count();
        for (std::size_t dimension = 0; dimension < 4; ++dimension)
            for (std::size_t k = 0; k < counts[dimension]; ++k) {
                const std::int64_t tag = number();
                for (int c = 0; c < (dimension == 0 ? 3 : 6); ++c) real();
                for (std::size_t n = count(); n > 0; --n)
                    physical_[{static_cast<std::int64_t>(dimension), tag}].push_back(
                        std::abs(number()));
                if (dimension > 0)
                    for (std::size_t n = count(); n > 0; --n) number();
            }
    }
    void read_nodes() {
        const std::size_t blocks = count();
        count();
        number();
        number();
        for (std::size_t b = 0; b < blocks; ++b) {
            number();
            number();
            const bool is_parametric = number() != 0;
            if (is_parametric) fail("nodes carry parameters; save the mesh without them");
            const std::size_t n = count();
            for (std::size_t k = 0; k < n; ++k) {
                const std::int64_t tag = number();
                if (!place_.emplace(tag, static_cast<std::int32_t>(out_.tags.size())).second)
                    fail("node " + std::to_string(tag) + " stands there twice");
                out_.tags.push_back(tag);
            }
            for (std::size_t k = 0; k < n; ++k) {
                const double x = real(), y = real(), z = real();
                out_.elements.x.push_back(length_unit_ * Vec3(x, y, z));
            }
        }
    }
    void read_elements() {
        const std::size_t blocks = count();
        count();
        number();
        number();
        for (std::size_t b = 0; b < blocks; ++b) {
            const std::int64_t dimension = number(), entity = number(), type = number();
            const std::size_t n = count();
            const int num_nodes = type > 0 && type < static_cast<std::int64_t>(kNumNodes.size())
                                      ? kNumNodes[static_cast<std::size_t>(type)]
                                      : 0;
            if (num_nodes == 0) fail("elements of type " + std::to_string(type) + " are not known");
            if (type == kTetrahedron4)
                fail(
                    "the tetrahedra have four nodes and are too stiff in bending by far; mesh "
                    "again with ten (Gmsh: -order 2, or Mesh.ElementOrder = 2)");
            if (dimension == 3 && type != kTetrahedron10)
                fail("volumes are taken as tetrahedra with ten nodes, and these have " +
                     std::to_string(num_nodes));
            std::vector<std::vector<std::int32_t>*> groups;
            for (const std::int64_t tag : physical_[{dimension, entity}])
                if (const auto name = names_.find({dimension, tag}); name != names_.end())
                    groups.push_back(&members_[name->second]);
            for (std::size_t k = 0; k < n; ++k) {
                number();
                Tetrahedron volume{};
                const int line = line_;
                for (int i = 0; i < num_nodes; ++i) {
                    const std::int64_t tag = number();
                    const auto found = place_.find(tag);
                    if (found == place_.end()) fail("there is no node " + std::to_string(tag));
                    if (type == kTetrahedron10) volume[static_cast<std::size_t>(i)] = found->second;
                    for (std::vector<std::int32_t>* of : groups) of->push_back(found->second);
                }
                if (type != kTetrahedron10) continue;
                volumes_.push_back(volume);
                volume_lines_.push_back(line);
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
    std::string_view rest_;
    int line_ = 1;
    std::map<std::pair<std::int64_t, std::int64_t>, std::string> names_;
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::int64_t>> physical_;
    std::map<std::string, std::vector<std::int32_t>> members_;
    std::unordered_map<std::int64_t, std::int32_t> place_;
    std::vector<Tetrahedron> volumes_;
    std::vector<int> volume_lines_;
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
                    reader.lines()[k]);
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
