// SPDX-License-Identifier: BSD-3-Clause
// A body written as its vectors, their mass, and strains that are functions of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ancora/sdk/authoring/strain_block.hpp"
#include "ancora/sdk/body.hpp"

namespace ancora {

/// A body whose coordinates are vectors r_i (points and directions, inertial axes) and scalars,
/// with constant mass and strains that are functions of a few of them:
///
///   T = 1/2 sum_ij m_ij r_i'.r_j',   U = sum_k pi_k(r)^2 / (2 c_k)                         (1)
///   points and directions of the body: sum_i w_i r_i                                       (2)
///
/// The author's constructor states all of it, by the functions below; there is nothing to override.
/// A strain is a class with its constants and one function of its arguments, in the order in which
/// add_strain() lists them:
///
///   struct Stretch {
///       double length;
///       template <class S>
///       S operator()(const Vector3<S>& a, const Vector3<S>& b) const {
///           return distance(a, b) - length;
///       }
///   };
///
/// with the same rules and the same derivations as HolonomicConstraint::phi, but for t. Arguments
/// are taken for points unless the class says otherwise by a constant array kArguments of
/// ArgumentKind. A linear or quadratic strain has the exact discrete derivative; any other one that
/// is invariant keeps energy, momentum and angular momentum too.
class VectorBody : public Body, private BodyNames, private Drawing {
public:
    /// Strains are differentiated as templates; one of plain doubles by differences.
    static constexpr DerivativeSources derivatives() {
        constexpr auto automatic = DerivativeSource::automatic;
        return {automatic, automatic, automatic, automatic};
    }

    VectorBody(const VectorBody&) = delete;
    VectorBody& operator=(const VectorBody&) = delete;

    std::span<const Coordinate> coordinates() const override { return coordinates_; }
    void start(std::span<double> q, std::span<double> v) const override {
        std::copy(q_.begin(), q_.end(), q.begin());
        std::copy(v_.begin(), v_.end(), v.begin());
    }
    void mass(MassSink& M) const override {
        for (const Mass& m : masses_)
            for (int k = 0; k < width(m.i); ++k) M.add(first(m.i) + k, first(m.j) + k, m.value);
    }

    /// "@3" is the third point after the first, "@[0, 0, 0]" the reference point; others have
    /// names.
    void attach(const Locator& where, AttachmentSink& out) const override {
        if (where.kind == Locator::Kind::name) {
            for (const Named& named : named_)
                if (named.name == where.name && named.is_direction == where.is_direction)
                    return put(named.combination, out);
            throw std::invalid_argument("the body has no " +
                                        std::string(where.is_direction ? "direction" : "point") +
                                        " of this name" + known_names(where.is_direction));
        }
        if (where.is_direction)
            throw std::invalid_argument("the body's directions go by name" + known_names(true));
        if (where.kind == Locator::Kind::coordinates && !reference_.empty() &&
            where.xyz == std::array<double, 3>{})
            return put(reference_, out);
        if (where.kind == Locator::Kind::coordinates)
            throw std::invalid_argument("the body's points go by number, @0 to @" +
                                        std::to_string(std::ssize(points_) - 1) + ", or by name" +
                                        known_names(false));
        if (where.index < 0 || where.index >= std::ssize(points_))
            throw std::invalid_argument("the body has points @0 to @" +
                                        std::to_string(std::ssize(points_) - 1));
        put({{points_[static_cast<std::size_t>(where.index)], 1.0}}, out);
    }
    int find_coordinate(std::string_view name) const override {
        for (const Scalar& scalar : scalars_)
            if (scalar.name == name) return first(scalar.part);
        return -1;
    }

    PoseKind pose_kind() const override {
        return reference_.empty() ? PoseKind::none : PoseKind::position;
    }
    void pose(std::span<const double> q, std::span<const double> v, Pose& out) const override {
        out.position.fill(0.0);
        out.velocity.fill(0.0);
        for (const Share& share : reference_)
            for (std::size_t k = 0; k < 3; ++k) {
                const std::size_t at = static_cast<std::size_t>(first(share.part)) + k;
                out.position[k] += share.weight * q[at];
                out.velocity[k] += share.weight * v[at];
            }
    }

    /// All points, and the lines of add_line().
    void draw(Sketch& out) const override {
        out.nodes(static_cast<int>(points_.size()));
        out.lines(lines_);
    }

    std::span<const RowBlock> row_blocks() const override {
        if (blocks_.empty())
            for (const auto& strains : strains_) blocks_.push_back(strains->block());
        return blocks_;
    }
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override {
        strains(block).evaluate(at, out);
    }
    void evaluate_step(int block, const RowStep& step, const RowStepValues& out) const override {
        strains(block).evaluate_step(step, out);
    }
    void evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const override {
        strains(block).evaluate_tangent(at, G);
    }

    void facets(BodyFacets& out) const override {
        out.names = this;
        out.drawing = this;
    }

protected:
    /// A share of a vector in a point or direction of the body.
    struct Share {
        int part;
        double weight;
    };
    using Combination = std::vector<Share>;

    VectorBody() = default;

    /// [assembly] Adds a point that moves with `velocity` at the start; returns its number for the
    /// functions below. For manifests points count by themselves: the first is "@0".
    int add_point(const Vec3& position, const Vec3& velocity) {
        points_.push_back(add_vector(position, velocity, true, 1.0));
        return points_.back();
    }
    /// [assembly] Adds a direction, or any vector that translation leaves alone. `reach`: the
    /// largest displacement of matter per unit of it [m].
    int add_direction(const Vec3& direction, const Vec3& rate, double reach) {
        return add_vector(direction, rate, false, reach);
    }
    /// [assembly] Adds a scalar that constraints may name.
    int add_scalar(const char* name, double value, double rate, double reach) {
        scalars_.push_back({name, std::ssize(first_)});
        first_.push_back(static_cast<int>(q_.size()));
        coordinates_.push_back({-1, 0, false, reach});
        q_.push_back(value);
        v_.push_back(rate);
        return static_cast<int>(first_.size()) - 1;
    }

    /// [assembly] m_ij of (1): each pair once, i = j for a mass of its own [kg].
    void add_mass(int i, int j, double value) {
        require_part(i);
        require_part(j);
        masses_.push_back({std::max(i, j), std::min(i, j), value});
    }

    /// [assembly] Names a point or direction (2), for "body@name".
    ///
    /// The weights of points sum to 1 in a point, which goes along where the body is moved, and to
    /// 0 in a direction, which does not.
    /// @throws std::invalid_argument if they do not, or a part does not exist
    void name_point(const char* name, const Combination& combination) {
        require_sum(name, combination, 1.0);
        named_.push_back({name, false, combination});
    }
    void name_direction(const char* name, const Combination& combination) {
        require_sum(name, combination, 0.0);
        named_.push_back({name, true, combination});
    }
    /// [assembly] A line between two points where the body is shown.
    /// @throws std::invalid_argument if a part is no point
    void add_line(int i, int j) {
        for (const int part : {i, j}) {
            require_part(part);
            const auto point = std::find(points_.begin(), points_.end(), part);
            if (point == points_.end())
                throw std::invalid_argument("part " + std::to_string(part) +
                                            " is no point, so no line ends at it");
            lines_.push_back(static_cast<std::int32_t>(point - points_.begin()));
        }
    }
    /// [assembly] The reference point, whose position and velocity are written to the results.
    void set_reference(const Combination& combination) {
        require_sum("reference point", combination, 1.0);
        reference_ = combination;
    }

    /// [assembly] A strain of the vectors and scalars `parts`; strains of one class and name make
    /// up one block. Where the strain has several values that act on each other, `together` is
    /// their law, and `law` gives units and viscosities (see RowBlock::item_laws).
    template <class Strain, std::size_t K>
    void add_strain(const char* name,
                    const int (&parts)[K],
                    const Strain& strain,
                    const RowLaw& law,
                    std::shared_ptr<const ItemLaw> together = nullptr) {
        using Strains = StrainsOf<Strain, K>;
        for (const int part : parts) require_part(part);
        Strains* block = nullptr;
        for (const auto& known : strains_)
            if (known->is(&detail::kTag<Strains>, name)) block = static_cast<Strains*>(known.get());
        if (block == nullptr) {
            strains_.push_back(std::make_unique<Strains>(name));
            block = static_cast<Strains*>(strains_.back().get());
        }
        std::array<std::int32_t, K> places;
        for (std::size_t i = 0; i < K; ++i) places[i] = first(parts[i]);
        block->add(places, strain, law, std::move(together));
    }

    /// The law of a strain with energy 1/2 stiffness pi^2, or without play where it is infinite.
    static RowLaw stiff(double stiffness, double viscosity = 0.0) {
        if (stiffness == std::numeric_limits<double>::infinity()) return {};
        return {.kind = RowKind::elastic, .compliance = 1.0 / stiffness, .viscosity = viscosity};
    }

private:
    struct Mass {
        int i, j;
        double value;
    };
    struct Named {
        std::string name;
        bool is_direction;
        Combination combination;
    };
    struct Scalar {
        std::string name;
        std::ptrdiff_t part;
    };

    int add_vector(const Vec3& value, const Vec3& rate, bool translates, double reach) {
        const int number = static_cast<int>(first_.size());
        first_.push_back(static_cast<int>(q_.size()));
        for (int k = 0; k < 3; ++k) {
            coordinates_.push_back({num_vectors_, k, translates, reach});
            q_.push_back(value[k]);
            v_.push_back(rate[k]);
        }
        ++num_vectors_;
        return number;
    }
    void require_part(int part) const {
        if (part < 0 || part >= std::ssize(first_))
            throw std::invalid_argument("there is no part " + std::to_string(part) +
                                        "; the body has " + std::to_string(first_.size()) +
                                        ", counted from 0 as the functions add_... return them");
    }
    void require_sum(const std::string& name, const Combination& combination, double sum) const {
        double found = 0.0;
        double size = 1.0;
        for (const Share& share : combination) {
            require_part(share.part);
            if (!coordinates_[static_cast<std::size_t>(first(share.part))].translates) continue;
            found += share.weight;
            size += std::abs(share.weight);
        }
        if (std::abs(found - sum) <= 1e-12 * size) return;
        throw std::invalid_argument("the weights of the points in \"" + name + "\" sum to " +
                                    std::to_string(found) + " instead of " +
                                    (sum == 0.0 ? "0" : "1"));
    }
    int first(std::ptrdiff_t part) const { return first_.at(static_cast<std::size_t>(part)); }
    int width(int part) const {
        return coordinates_[static_cast<std::size_t>(first(part))].vector < 0 ? 1 : 3;
    }
    void put(const Combination& combination, AttachmentSink& out) const {
        for (const Share& share : combination)
            for (int k = 0; k < 3; ++k) out.weight(k, first(share.part) + k, share.weight);
    }
    std::string known_names(bool directions) const {
        std::string names;
        for (const Named& named : named_)
            if (named.is_direction == directions) names += (names.empty() ? "" : ", ") + named.name;
        return names.empty() ? ", and it names none" : "; it names " + names;
    }
    const StrainBlock& strains(int block) const {
        return *strains_[static_cast<std::size_t>(block)];
    }

    std::vector<Coordinate> coordinates_;
    std::vector<double> q_, v_;
    std::vector<int> first_;  ///< first coordinate of each vector or scalar
    std::int32_t num_vectors_ = 0;
    std::vector<int> points_;
    std::vector<Scalar> scalars_;
    std::vector<Mass> masses_;
    std::vector<Named> named_;
    Combination reference_;
    std::vector<std::int32_t> lines_;  ///< two points each, as manifests count them
    std::vector<std::unique_ptr<StrainBlock>> strains_;
    mutable std::vector<RowBlock> blocks_;  ///< made when the last strain is there
};

}  // namespace ancora
