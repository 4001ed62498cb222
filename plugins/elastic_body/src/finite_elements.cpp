// SPDX-License-Identifier: BSD-3-Clause
// Reads nodes and matrices and refuses what is no free body.
#include "finite_elements.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "ancora/sdk/helpers/nodes.hpp"
#include "ancora/sdk/helpers/number_file.hpp"
#include "skin.hpp"
#include "tetrahedra.hpp"

namespace ancora::elastic {
namespace {

using nodes::quoted;
using nodes::text;

// Relative to the diagonals: masses that should vanish or be alike, as programs round them.
constexpr double kMassRounding = 1e-6;
// Forces of a rigid motion, relative to the sum of their terms: files have eight digits and more.
constexpr double kFree = 1e-6;
// Of a triangle of nodes, its height over its longest side.
constexpr double kOnLine = 1e-6;

constexpr std::array kAxisNames = {"x", "y", "z"};
constexpr const char* kWays =
    "an elastic body needs \"nodes\", \"stiffness\" and \"mass\", or \"mesh\", or \"nodes\" and "
    "\"tetrahedra\", these two with \"young\", \"poisson\" and \"density\"";

struct Units {
    double length = 1.0, stiffness = 1.0, mass = 1.0;
};

class Reader {
public:
    explicit Reader(const Arguments& arguments) : arguments_(arguments) {}

    FiniteElements read() {
        if (arguments_.text("units") == "mm") units_ = {1e-3, 1e3, 1e3};  // mm, N, t, s
        const Way way = find_way();
        if (way != Way::matrices) {
            if (way == Way::mesh)
                read_mesh();
            else
                read_elements();
            read_interfaces();
            read_mean();
            read_points();
            return std::move(model_);
        }
        read_nodes();
        const MatrixPlace stiffness = place("stiffness"), mass = place("mass");
        const auto n = static_cast<std::int32_t>(num_dofs());
        const NodeOf node = [this](double id) {
            return find_node(id);
        };
        SymmetricMatrix K = read_symmetric_matrix(stiffness, n, node);
        SymmetricMatrix M = read_symmetric_matrix(mass, n, node);
        require_size(stiffness, K.size);
        require_size(mass, M.size);
        read_order(node);
        for (SymmetricMatrix* of : {&K, &M})
            if (of->is_by_nodes) number_by_rows(*of);
        set_stiffness(stiffness, K);
        set_mass(mass, M);
        require_free();
        read_interfaces();
        read_mean();
        read_points();
        return std::move(model_);
    }

private:
    MatrixPlace place(std::string_view key) const {
        return {arguments_, key, arguments_.shape(key) == Shape::file};
    }
    std::size_t num_dofs() const { return 3 * model_.x.size(); }

    /// What the body is given by; never by several.
    enum class Way { matrices, mesh, tetrahedra };
    Way find_way() const {
        struct Keys {
            Way way;
            std::vector<const char*> own, needed;
        };
        const std::array<Keys, 3> all = {
            {{Way::mesh, {"mesh"}, {"young", "poisson", "density"}},
             {Way::tetrahedra, {"tetrahedra"}, {"nodes", "young", "poisson", "density"}},
             {Way::matrices, {"stiffness", "mass"}, {"nodes", "stiffness", "mass"}}}};
        const Keys* found = nullptr;
        for (const Keys& keys : all)
            for (const char* key : keys.own) {
                if (!arguments_.given(key)) continue;
                if (found != nullptr && found != &keys)
                    arguments_.fail(key,
                                    "and " + quoted(found->own.front()) +
                                        " both describe the body; keep one of them");
                found = &keys;
            }
        if (found == nullptr) arguments_.fail("stiffness", std::string("is missing: ") + kWays);
        for (const char* key : found->needed)
            if (!arguments_.given(key)) arguments_.fail(key, std::string("is missing: ") + kWays);
        for (const char* key : {"young", "poisson", "density", "nodes"})
            if (arguments_.given(key) &&
                std::ranges::find(found->needed, std::string_view(key)) == found->needed.end())
                arguments_.fail(key, std::string("is of no use here: ") + kWays);
        return found->way;
    }
    void read_elements() {
        read_nodes();
        const MatrixPlace where = place("tetrahedra");
        std::vector<double> numbers;
        std::vector<int> lines;
        if (where.is_file) {
            NumberRows rows =
                read_numbers(arguments_, "tetrahedra", 10, "four corners, six middles of edges");
            numbers = std::move(rows.values);
            lines = std::move(rows.lines);
        } else {
            const std::span<const double> list = arguments_.numbers("tetrahedra");
            numbers.assign(list.begin(), list.end());
            for (std::size_t k = 0; k < list.size() / 10; ++k)
                lines.push_back(static_cast<int>(k) + 1);
        }
        std::vector<Tetrahedron> volumes;
        std::vector<bool> is_used(model_.x.size(), false);
        for (std::size_t k = 0; k < lines.size(); ++k) {
            Tetrahedron volume{};
            for (std::size_t i = 0; i < 10; ++i) {
                const double id = numbers[10 * k + i];
                const auto node = number_.find(static_cast<std::int64_t>(id));
                if (id != std::floor(id) || node == number_.end())
                    where.fail(lines[k], "there is no node " + text(id));
                volume[i] = node->second;
                is_used[static_cast<std::size_t>(node->second)] = true;
            }
            if (!sort_middles(model_.x, volume))
                where.fail(lines[k],
                           "the last six nodes are not the middles of the edges between the first "
                           "four");
            volumes.push_back(volume);
        }
        if (const auto loose = std::ranges::find(is_used, false); loose != is_used.end())
            where.fail(0,
                       node_text(static_cast<std::int32_t>(loose - is_used.begin())) +
                           " is of no tetrahedron; join it or leave it out");
        if (const std::ptrdiff_t bad = assemble(arguments_, volumes, model_); bad >= 0)
            where.fail(lines[static_cast<std::size_t>(bad)],
                       "the tetrahedron is flat or turned inside out");
    }
    void read_mesh() {
        Tetrahedra mesh = read_tetrahedra(arguments_, units_.length);
        model_ = std::move(mesh.elements);
        ids_ = std::move(mesh.tags);
        groups_ = std::move(mesh.groups);
        for (std::size_t k = 0; k < ids_.size(); ++k)
            number_.emplace(ids_[k], static_cast<std::int32_t>(k));
    }

    void read_nodes() {
        const bool is_file = arguments_.shape("nodes") == Shape::file;
        NumberRows rows;
        if (is_file) {
            rows = read_numbers(arguments_, "nodes", 4, "id, x, y, z");
        } else {
            const std::span<const double> list = arguments_.numbers("nodes");
            rows.values.assign(list.begin(), list.end());
            for (std::size_t k = 0; k < list.size() / 4; ++k)
                rows.lines.push_back(static_cast<int>(k) + 1);
        }
        const MatrixPlace nodes_place = place("nodes");
        if (rows.num_rows() < 3)
            nodes_place.fail(0, "an elastic body has three nodes or more, not on one line");
        if (rows.num_rows() > nodes::kMostNodes) nodes_place.fail(0, "there are too many nodes");
        for (int k = 0; k < rows.num_rows(); ++k) {
            const double* const row = rows.values.data() + 4 * static_cast<std::ptrdiff_t>(k);
            const int line = rows.lines[static_cast<std::size_t>(k)];
            if (row[0] != std::floor(row[0]) || std::abs(row[0]) > 1e15)
                nodes_place.fail(line, text(row[0]) + " is no number of a node");
            const auto id = static_cast<std::int64_t>(row[0]);
            if (!number_.emplace(id, k).second)
                nodes_place.fail(line, "node " + std::to_string(id) + " stands there twice");
            ids_.push_back(id);
            model_.x.push_back(units_.length * Vec3(row[1], row[2], row[3]));
        }
    }
    std::string node_text(std::int32_t node) const {
        return "node " + std::to_string(ids_[static_cast<std::size_t>(node)]);
    }
    /// The node of a number as the file has it.
    std::int32_t node_of(std::string_view key, double id, const Arguments& arguments) const {
        const std::int32_t found = find_node(id);
        if (found < 0)
            arguments.fail(key,
                           "there is no node " + text(id) + "; \"nodes\" lists " +
                               std::to_string(ids_.size()) + ", " + std::to_string(ids_.front()) +
                               " to " + std::to_string(ids_.back()));
        return found;
    }
    std::int32_t find_node(double id) const {
        const auto found = id == std::floor(id) && std::abs(id) <= 1e15
                               ? number_.find(static_cast<std::int64_t>(id))
                               : number_.end();
        return found == number_.end() ? -1 : found->second;
    }

    void require_size(const MatrixPlace& of, std::int32_t size) const {
        if (static_cast<std::size_t>(size) == num_dofs()) return;
        std::string message = "the matrix has " + std::to_string(size) + " rows, and the " +
                              std::to_string(model_.x.size()) + " nodes have " +
                              std::to_string(num_dofs()) + " displacements";
        if (static_cast<std::size_t>(size) == 2 * num_dofs())
            message +=
                "; nodes with rotations are not taken: use solid elements, or condense the "
                "rotations";
        else if (static_cast<std::size_t>(size) < num_dofs())
            message += "; write all of them, without supports: joints hold the body here";
        of.fail(0, message);
    }

    /// Which row of the matrices is which displacement.
    void read_order(const NodeOf& node) {
        const std::size_t n = num_dofs(), num_nodes = model_.x.size();
        if (arguments_.shape("order") == Shape::file) {
            dof_ = read_row_order({arguments_, "order", true}, static_cast<std::int32_t>(n), node);
            return;
        }
        dof_.resize(n);
        const bool by_axes = arguments_.text("order") == "axis";
        for (std::size_t row = 0; row < n; ++row)
            dof_[row] =
                static_cast<std::int32_t>(by_axes ? 3 * (row % num_nodes) + row / num_nodes : row);
    }
    /// As if it were by rows, whatever their order.
    void number_by_rows(SymmetricMatrix& of) const {
        std::vector<std::int32_t> row(dof_.size());
        for (std::size_t k = 0; k < dof_.size(); ++k)
            row[static_cast<std::size_t>(dof_[k])] = static_cast<std::int32_t>(k);
        for (MatrixEntry& e : of.lower) {
            e.i = row[static_cast<std::size_t>(e.i)];
            e.j = row[static_cast<std::size_t>(e.j)];
        }
    }
    std::int32_t dof(std::int32_t row) const { return dof_[static_cast<std::size_t>(row)]; }

    void set_stiffness(const MatrixPlace& where, const SymmetricMatrix& K) {
        std::vector<double> diagonal(num_dofs(), 0.0);
        for (const MatrixEntry& e : K.lower) {
            const auto [low, high] = std::minmax({dof(e.i), dof(e.j)});
            model_.stiffness.push_back({high, low, units_.stiffness * e.value, e.line});
            if (high == low) diagonal[static_cast<std::size_t>(high)] = e.value;
        }
        for (std::size_t k = 0; k < diagonal.size(); ++k)
            if (!(diagonal[k] > 0.0))
                where.fail(
                    0,
                    "K is not that of an elastic body: at axis " + std::string(kAxisNames[k % 3]) +
                        " of " + node_text(static_cast<std::int32_t>(k / 3)) + " its diagonal is " +
                        text(diagonal[k]) + ", and it is positive wherever there is material");
        for (const MatrixEntry& e : K.lower) {
            const double product = diagonal[static_cast<std::size_t>(dof(e.i))] *
                                   diagonal[static_cast<std::size_t>(dof(e.j))];
            if (e.i != e.j && !(e.value * e.value <= (1.0 + kMassRounding) * product))
                where.fail(e.line,
                           "K is not positive semidefinite: an entry of " + text(e.value) +
                               " beside diagonals " +
                               text(diagonal[static_cast<std::size_t>(dof(e.i))]) + " and " +
                               text(diagonal[static_cast<std::size_t>(dof(e.j))]));
        }
    }

    /// m_ij of M = m (x) 1.
    void set_mass(const MatrixPlace& where, const SymmetricMatrix& M) {
        std::vector<double> diagonal(num_dofs(), 0.0);
        for (const MatrixEntry& e : M.lower)
            if (e.i == e.j) {
                diagonal[static_cast<std::size_t>(dof(e.i))] = e.value;
                if (e.value < 0.0)
                    where.fail(e.line,
                               "M is not positive semidefinite: " + node_text(dof(e.i) / 3) +
                                   " has the mass " + text(e.value));
            }
        struct Part {
            std::int32_t i, j, axis;
            const MatrixEntry* entry;
        };
        std::vector<Part> parts;
        for (const MatrixEntry& e : M.lower) {
            const std::int32_t a = std::max(dof(e.i), dof(e.j)), b = std::min(dof(e.i), dof(e.j));
            const double size = std::sqrt(diagonal[static_cast<std::size_t>(a)] *
                                          diagonal[static_cast<std::size_t>(b)]);
            if (a % 3 == b % 3) {
                parts.push_back({a / 3, b / 3, a % 3, &e});
                continue;
            }
            if (std::abs(e.value) > kMassRounding * size)
                where.fail(e.line,
                           "the mass couples " + std::string(kAxisNames[a % 3]) + " of " +
                               node_text(a / 3) + " and " + kAxisNames[b % 3] + " of " +
                               node_text(b / 3) +
                               "; masses of elements with displacements alone act along each "
                               "axis by itself. Is \"order\" right?");
        }
        std::ranges::sort(parts, {}, [](const Part& p) {
            return std::tuple(p.i, p.j, p.axis);
        });
        for (std::size_t k = 0; k < parts.size();) {
            std::array<double, 3> value{};
            const Part& first = parts[k];
            std::size_t end = k;
            for (; end < parts.size() && parts[end].i == first.i && parts[end].j == first.j; ++end)
                value[static_cast<std::size_t>(parts[end].axis)] = parts[end].entry->value;
            const auto size = [&](std::int32_t axis) {
                return std::sqrt(diagonal[static_cast<std::size_t>(3 * first.i + axis)] *
                                 diagonal[static_cast<std::size_t>(3 * first.j + axis)]);
            };
            const auto [low, high] = std::ranges::minmax(value);
            if (high - low > kMassRounding * std::max({size(0), size(1), size(2)}))
                where.fail(first.entry->line,
                           "the mass of " + node_text(first.i) +
                               (first.i == first.j ? "" : " and " + node_text(first.j)) +
                               " is not the same along all axes: " + text(value[0]) + ", " +
                               text(value[1]) + ", " + text(value[2]));
            const double mean = (value[0] + value[1] + value[2]) / 3.0;
            if (mean != 0.0)
                model_.mass.push_back({first.i, first.j, units_.mass * mean, first.entry->line});
            k = end;
        }
        double total = 0.0;
        for (const MatrixEntry& e : model_.mass) total += (e.i == e.j ? 1.0 : 2.0) * e.value;
        if (!(total > 0.0)) where.fail(0, "the body has the mass " + text(total));
    }

    /// K u = 0 for rigid motions u.
    void require_free() const {
        Vec3 center = Vec3::Zero();
        for (const Vec3& x : model_.x) center += x / static_cast<double>(model_.x.size());
        std::vector<std::array<double, 6>> force(num_dofs()), terms(num_dofs());
        const auto motion = [&](std::int32_t k) {
            const Vec3 r = model_.x[static_cast<std::size_t>(k / 3)] - center;
            const int axis = k % 3;
            std::array<double, 6> u{};
            u[static_cast<std::size_t>(axis)] = 1.0;
            for (int about = 0; about < 3; ++about)
                u[static_cast<std::size_t>(3 + about)] = Vec3::Unit(about).cross(r)(axis);
            return u;
        };
        const auto add = [&](std::int32_t i, std::int32_t j, double value) {
            const std::array<double, 6> u = motion(j);
            for (std::size_t m = 0; m < 6; ++m) {
                force[static_cast<std::size_t>(i)][m] += value * u[m];
                terms[static_cast<std::size_t>(i)][m] += std::abs(value * u[m]);
            }
        };
        for (const MatrixEntry& e : model_.stiffness) {
            add(e.i, e.j, e.value);
            if (e.i != e.j) add(e.j, e.i, e.value);
        }
        // The largest of each motion is its unit: terms of single rows may vanish
        for (std::size_t m = 0; m < 6; ++m) {
            double most = 0.0;
            for (const auto& row : terms) most = std::max(most, row[m]);
            for (std::size_t k = 0; k < force.size(); ++k)
                if (std::abs(force[k][m]) > kFree * most)
                    place("stiffness")
                        .fail(0,
                              std::string("K resists a rigid ") +
                                  (m < 3 ? "motion along " : "turn about ") + kAxisNames[m % 3] +
                                  " at axis " + kAxisNames[k % 3] + " of " +
                                  node_text(static_cast<std::int32_t>(k / 3)) +
                                  ": write the matrix of the free body, without supports, and its "
                                  "nodes in the same units and \"order\"");
        }
    }

    void read_interfaces() {
        if (!arguments_.given("interfaces")) return;
        owner_.assign(model_.x.size(), -1);
        if (arguments_.shape("interfaces") == Shape::texts) {
            for (int k = 0; k < arguments_.num_texts("interfaces"); ++k) {
                const std::string name(arguments_.text("interfaces", k));
                const auto group = std::ranges::find(groups_, name, &MeshGroup::name);
                if (group == groups_.end()) {
                    std::string known;
                    for (const MeshGroup& other : groups_)
                        known += (known.empty() ? "" : ", ") + other.name;
                    arguments_.fail(
                        "interfaces",
                        !arguments_.given("mesh")
                            ? "names of groups are those of a \"mesh\"; write "
                              "{ NAME = [nodes] }"
                            : "the mesh has no physical group " + quoted(name) +
                                  (known.empty() ? ", nor any other" : "; it has " + known));
                }
                add_interface(arguments_, "interfaces", {name, group->nodes, Vec3::Zero()});
            }
            return;
        }
        const Arguments& table = arguments_.table("interfaces");
        for (int k = 0; k < table.num_texts("*"); ++k) {
            const std::string name(table.text("*", k));
            Interface interface { name, {}, Vec3::Zero() };
            std::vector<double> ids;
            if (table.shape(name) == Shape::file) {
                ids = read_numbers(table, name, 1, "one node in a line").values;
            } else {
                const std::span<const double> list = table.numbers(name);
                ids.assign(list.begin(), list.end());
            }
            for (const double id : ids) interface.nodes.push_back(node_of(name, id, table));
            add_interface(table, name, std::move(interface));
        }
    }
    void add_interface(const Arguments& from, std::string_view key, Interface interface) {
        std::ranges::sort(interface.nodes);
        if (const auto twice = std::ranges::adjacent_find(interface.nodes);
            twice != interface.nodes.end())
            from.fail(key, node_text(*twice) + " stands there twice");
        for (const std::int32_t node : interface.nodes) {
            std::int32_t& of = owner_[static_cast<std::size_t>(node)];
            if (of >= 0)
                from.fail(key,
                          node_text(node) + " is a node of interface " +
                              quoted(model_.interfaces[static_cast<std::size_t>(of)].name) +
                              " too; a node moves with one");
            of = static_cast<std::int32_t>(model_.interfaces.size());
            interface.origin += model_.x[static_cast<std::size_t>(node)] /
                                static_cast<double>(interface.nodes.size());
        }
        if (is_on_line(interface))
            from.fail(key,
                      "an interface has three nodes or more, not on one line, so that it has "
                      "axes; a single node goes into \"points\"");
        model_.interfaces.push_back(std::move(interface));
    }
    void read_mean() {
        for (int k = 0; arguments_.given("mean") && k < arguments_.num_texts("mean"); ++k) {
            const std::string name(arguments_.text("mean", k));
            const auto found = std::ranges::find(model_.interfaces, name, &Interface::name);
            if (found == model_.interfaces.end())
                arguments_.fail("mean",
                                quoted(name) + " is no interface; list it in \"interfaces\" too");
            found->is_mean = true;
        }
    }
    bool is_on_line(const Interface& interface) const {
        if (interface.nodes.size() < 3) return true;
        const auto at = [&](std::size_t k) -> const Vec3& {
            return model_.x[static_cast<std::size_t>(interface.nodes[k])];
        };
        std::size_t far = 0;
        for (std::size_t k = 1; k < interface.nodes.size(); ++k)
            if ((at(k) - at(0)).norm() > (at(far) - at(0)).norm()) far = k;
        const Vec3 along = at(far) - at(0);
        double height = 0.0;
        for (std::size_t k = 1; k < interface.nodes.size(); ++k)
            height = std::max(height, along.cross(at(k) - at(0)).norm());
        return !(height > kOnLine * along.squaredNorm());
    }

    void read_points() {
        if (!arguments_.given("points")) return;
        const Arguments& table = arguments_.table("points");
        for (int k = 0; k < table.num_texts("*"); ++k) {
            const std::string name(table.text("*", k));
            if (std::ranges::find(model_.interfaces, name, &Interface::name) !=
                model_.interfaces.end())
                table.fail(name, "there is an interface of that name");
            model_.points.push_back(
                {name, node_of(name, static_cast<double>(table.integer(name)), table)});
        }
    }

    const Arguments& arguments_;
    FiniteElements model_;
    Units units_;
    std::vector<std::int64_t> ids_;
    std::unordered_map<std::int64_t, std::int32_t> number_;
    std::vector<MeshGroup> groups_;
    std::vector<std::int32_t> owner_;  ///< interface of each node, or -1
    std::vector<std::int32_t> dof_;    ///< 3 node + axis of each row of the matrices
};

}  // namespace

FiniteElements read_finite_elements(const Arguments& arguments) {
    return with_interfaces_by_area(Reader(arguments).read());
}

}  // namespace ancora::elastic
