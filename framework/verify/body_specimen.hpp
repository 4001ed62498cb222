// SPDX-License-Identifier: BSD-3-Clause
// A body of an example with its functions as matrices, its points and directions.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Dense>

#include "call_table.hpp"
#include "differences.hpp"
#include "step_call.hpp"

namespace ancora::verify {

inline constexpr int kBodyStates = 12;
// How far off a reach may be, which is a size and may change on the way.
inline constexpr double kReach = 3.0;

/// What a body gives as its mass matrix; what the interface does not allow is refused.
struct Mass {
    Mass(const Body& body, int n) : M(Matrix::Zero(n, n)), is_given(n, n) {
        is_given.setZero();
        calls::MassEntries said;
        guard("mass", [&] {
            body.mass(said);
        });
        for (const auto& [i, j, value] : said.entries) {
            if (i < 0 || j < 0 || i >= n || j >= n)
                throw Failure(fmt::format("mass() adds to M({}, {}) of {} coordinates", i, j, n));
            if (i < j)
                throw Failure(
                    fmt::format("mass() adds to M({}, {}), above the diagonal: the mirror "
                                "entry of M({}, {}) is implied",
                                i,
                                j,
                                j,
                                i));
            if (!std::isfinite(value))
                throw Failure(fmt::format("mass() adds {} to M({}, {})", value, i, j));
            M(i, j) += value;
            if (i != j) M(j, i) += value;
            is_given(i, j) = is_given(j, i) = 1;
        }
    }

    Matrix M;
    Eigen::MatrixXi is_given;
};

struct State {
    Vector q, v, a;
    Motion motion;
};

/// A body of an example.
class BodySpecimen {
public:
    explicit BodySpecimen(const Example& example)
        : arguments_(example.bind()),
          object_(example.make(arguments_)),
          stage_(example.type(), arguments_, object_) {
        skip_wrong_sizes(stage_, object_);
    }

    const Body& body() const { return *object_.body; }
    const Object& object() const { return object_; }
    const Stage& stage() const { return stage_; }
    int n() const { return stage_.num_scalars(); }

    State start() const {
        State state{Vector(n()), Vector(n()), Vector::Zero(n()), {}};
        body().start(view(state.q), view(state.v));
        return state;
    }
    State random(Random& random) const {
        State state{Vector(n()), Vector(n()), Vector(n()), stage_.motion(random)};
        state.motion.evaluate(0.0, view(state.q), view(state.v), view(state.a));
        return state;
    }
    /// M at a state, and the force that goes with it.
    Matrix mass(const Vector& q, const Vector& v, Vector* force = nullptr) const {
        if (force != nullptr) force->setZero(n());
        if (body().mass_kind() != MassKind::of_state) return Mass(body(), n()).M;
        std::vector<double> M(static_cast<std::size_t>(n()) * static_cast<std::size_t>(n()));
        Vector f = Vector::Zero(n());
        guard("evaluate_mass", [&] {
            body().evaluate_mass({0.0, view(q), view(v)}, {M, view(f)});
        });
        if (force != nullptr) *force = f;
        return Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(M.data(), n(), n());
    }
    double kinetic_energy(const Vector& q, const Vector& v) const {
        return 0.5 * v.dot(mass(q, v) * v);
    }
    /// dq of the rotation of space by w; false if a vector lacks a component that would change.
    bool spin(const Vec3& w, const Vector& q, Vector& dq) const {
        const std::span<const Coordinate> coordinates = body().coordinates();
        std::vector<double> Xi(3 * coordinates.size(), 0.0);
        if (const ScalarRotation* const scalars = facets_of(body()).scalar_rotation)
            guard("rotation", [&] {
                scalars->rotation(view(q), Xi);
            });
        dq.setZero(n());
        for (std::size_t i = 0; i < coordinates.size(); ++i) {
            if (coordinates[i].vector < 0) {
                for (std::size_t k = 0; k < 3; ++k)
                    dq(static_cast<Eigen::Index>(i)) +=
                        Xi[3 * i + k] * w(static_cast<Eigen::Index>(k));
                continue;
            }
            Vec3 z = Vec3::Zero();
            std::array<bool, 3> has{};
            for (std::size_t j = 0; j < coordinates.size(); ++j)
                if (coordinates[j].vector == coordinates[i].vector) {
                    z(coordinates[j].axis) = q(static_cast<Eigen::Index>(j));
                    has[static_cast<std::size_t>(coordinates[j].axis)] = true;
                }
            // A component that is no coordinate stays only if the vector turns about its axis.
            for (Eigen::Index axis = 0; axis < 3; ++axis)
                if (!has[static_cast<std::size_t>(axis)] && w != Vec3(w(axis) * Vec3::Unit(axis)))
                    return false;
            dq(static_cast<Eigen::Index>(i)) = w.cross(z)(coordinates[i].axis);
        }
        return true;
    }
    /// dq of the translation of space by c.
    Vector shift(const Vec3& c) const {
        Vector dq = Vector::Zero(n());
        const std::span<const Coordinate> coordinates = body().coordinates();
        for (std::size_t i = 0; i < coordinates.size(); ++i)
            if (coordinates[i].vector >= 0 && coordinates[i].translates)
                dq(static_cast<Eigen::Index>(i)) = c(coordinates[i].axis);
        return dq;
    }

private:
    BoundArguments arguments_;
    Object object_;
    Stage stage_;
};

/// A point or direction of a body as a function of its coordinates.
class Attached {
public:
    Attached(const BodySpecimen& specimen, const Locator& where)
        : specimen_(specimen),
          is_direction_(where.is_direction),
          W_(Matrix::Zero(3, specimen.n())) {
        calls::AttachmentTerms said;
        specimen.body().attach(where, said);
        const int n = specimen.n();
        for (const auto& [component, coordinate, weight] : said.terms) {
            if (component < 0 || component > 2 || coordinate < 0 || coordinate >= n)
                throw Failure(
                    fmt::format("attach() gives the weight of component {}, coordinate {}",
                                component,
                                coordinate));
            W_(component, coordinate) += weight;
        }
        for (const auto& [component, value] : said.constants) {
            if (component < 0 || component > 2)
                throw Failure(fmt::format("attach() sets component {}", component));
            c_(component) = value;
        }
        for (const std::int32_t i : said.coordinates)
            if (i < 0 || i >= n)
                throw Failure(fmt::format("attach() names coordinate {} of {}", i, n));
        if (said.is_nonlinear) id_ = said.id;
        coordinates_ = std::move(said.coordinates);
    }

    struct Values {
        Vec3 r = Vec3::Zero();
        Matrix J;  // 3 x n
        Vec3 bias = Vec3::Zero();
    };
    Values evaluate(const Vector& q, const Vector& v) const {
        Values out{c_ + W_ * q, W_, Vec3::Zero()};
        if (id_ < 0) return out;
        const std::size_t k = coordinates_.size();
        std::vector<double> J(3 * k);
        guard("evaluate_attachment", [&] {
            specimen_.body().evaluate_attachment(
                id_, view(q), view(v), {{out.r.data(), 3}, J, {out.bias.data(), 3}});
        });
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < k; ++j)
                out.J(static_cast<Eigen::Index>(i), coordinates_[j]) += J[i * k + j];
        return out;
    }
    bool is_nonlinear() const { return id_ >= 0; }
    bool is_direction() const { return is_direction_; }

private:
    const BodySpecimen& specimen_;
    bool is_direction_;
    Matrix W_;
    Vec3 c_ = Vec3::Zero();
    int id_ = -1;
    std::vector<std::int32_t> coordinates_;
};

struct NamedAttachment {
    std::string name;
    Attached attached;
    bool is_sampled = false;  ///< at a place that need not be in the body
};

/// What the body answers of some points and directions that one may ask for.
std::vector<NamedAttachment> attachments(const BodySpecimen& specimen, Random& random);

}  // namespace ancora::verify
