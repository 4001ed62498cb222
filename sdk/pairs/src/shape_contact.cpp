// SPDX-License-Identifier: BSD-3-Clause
// Evaluates the gaps of shapes.
#include "ancora/pairs/shape_contact.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ancora/pairs/across.hpp"

namespace ancora::contact {
namespace {

std::size_t index(int i) {
    return static_cast<std::size_t>(i);
}
/// Of w, for Y_ij.
std::size_t place_of_turn(std::size_t i, std::size_t j) {
    return 3 + 3 * i + j;
}

Mat3 rotation_of(const RigidMotion& motion) {
    return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(motion.rotation.data());
}

void read_plane(const Arguments& arguments, const FrameStart& frame, ContactShape& shape) {
    const Arguments& plane = arguments.table("plane");
    if (frame.names_point)
        arguments.fail("b", "names a point; a plane is carried by a body or by \"ground\"");
    if (frame.body != "ground" && !frame.has_attitude)
        arguments.fail("b", "has points alone and no directions, so that it carries no plane");
    Vec3 n = vec3(plane.numbers("normal"));
    const double length = n.stableNorm();
    if (!(length > 0.0)) plane.fail("normal", "the direction [0, 0, 0] points nowhere");
    n /= length;
    const std::array<Vec3, 2> t = across(n);
    shape.position = vec3(plane.numbers("point"));
    shape.axes << t[0], t[1], n;
}

}  // namespace

PairSide read_side(const Arguments& arguments, bool is_b) {
    const char* const key = is_b ? "b" : "a";
    const char* const shape = is_b ? "shape_b" : "shape";
    const char* const radius = is_b ? "radius_b" : "radius";
    if (!arguments.given(key))
        arguments.fail(key, "is missing: give both bodies a and b, or many of them in `bodies`");
    const FrameStart& frame = arguments.frame_of(key);
    ContactShape found;
    if (is_b && arguments.has("plane")) {
        if (arguments.given(shape)) arguments.fail(shape, "stands beside plane: b is one of them");
        if (arguments.given(radius)) arguments.fail(radius, "is about a sphere, and b is a plane");
        read_plane(arguments, frame, found);
        PairSide side(key, frame, found);
        side.is_plane = true;
        return side;
    }
    if (arguments.given(shape)) {
        if (arguments.given(radius))
            arguments.fail(radius, "stands beside a shape, which has its own");
        found = read_shape(arguments, shape);
    } else {
        found.radius = arguments.number(radius);
        // A point has the radius zero, where that is written.
        if (!(found.radius > 0.0) && !arguments.given(radius))
            arguments.fail(key,
                           is_b ? "has no shape: give shape_b, radius_b, or plane"
                                : "has no shape: give shape or radius");
    }
    if (!found.is_sphere() && !frame.has_attitude && frame.body != "ground")
        arguments.fail(key, "has points alone and no directions: its shape can be a sphere");
    return {key, frame, found};
}

PairSide::PairSide(const char* parameter, const FrameStart& frame, const ContactShape& of)
    : key(parameter),
      body(frame.body),
      has_attitude(frame.has_attitude),
      carrier(frame.carrier),
      shape(of),
      turns(!of.is_sphere()) {
    const Mat3 R = rotation_of(frame.motion);
    origin = vec3(frame.motion.position) + R * shape.position;
    axes = R * shape.axes;
    if (body == "ground")
        point = attachment_text("ground", origin);
    else if (shape.position.isZero(0.0))
        point = frame.point;
    else
        point = attachment_text(
            body, rotation_of(carrier).transpose() * (origin - vec3(carrier.position)));
}

std::array<std::string, 3> PairSide::axis_texts() const {
    const Mat3 R = rotation_of(carrier);
    std::array<std::string, 3> out;
    for (int i = 0; i < 3; ++i)
        out[index(i)] = attachment_text(
            body, body == "ground" ? Vec3(axes.col(i)) : Vec3(R.transpose() * axes.col(i)));
    return out;
}

ShapeContact::ShapeContact(const PairSide& a,
                           const PairSide& b,
                           bool is_swapped,
                           const RowLaw& law,
                           const MakeGeometry& make)
    : law_(law) {
    is_on_ground_ = b.body == "ground" || a.body == "ground";
    if (is_swapped) std::swap(places_.c, places_.d);
    const PairSide& first = is_swapped ? b : a;
    const PairSide& second = is_swapped ? a : b;
    geometry_ = make(first, second);
    requests_.add(AttachmentRequest::Kind::point, a.point, a.key);
    requests_.add(AttachmentRequest::Kind::point, b.point, b.key);
    add_axes(second);
    places_.has_e = first.carries_axes();
    const bool sees_axes = first.turns;
    if (sees_axes || places_.has_e) add_axes(first);
    if (sees_axes) places_.has_e = true;
    width_ = sees_axes ? 24 : 15;
    const int count = geometry_->num_rows();
    for (int k = 0; k < count; ++k)
        for (std::int32_t i = 0; i < static_cast<std::int32_t>(width_); ++i) stencil_.push_back(i);
    block_ = {.name = "gap",
              .num_items = count,
              .rows_per_item = 1,
              .scalars_per_item = static_cast<std::int32_t>(width_),
              .stencil = stencil_,
              .laws = {&law_, 1},
              .degree = geometry_->is_linear() ? Degree::quadratic : Degree::general,
              .tangent = geometry_->is_linear() ? TangentForm::isotropic : TangentForm::full};
    Relative<double> z;
    z.y = Vec3(second.axes.transpose() * (first.origin - second.origin));
    for (int i = 0; i < 3; ++i) z.Y[index(i)] = Vec3(second.axes.transpose() * first.axes.col(i));
    for (std::size_t j = 0; j < 3; ++j) {
        at_start_[j] = Vec3(z.y)[static_cast<Eigen::Index>(j)];
        for (std::size_t i = 0; i < 3; ++i)
            at_start_[place_of_turn(i, j)] = Vec3(z.Y[i])[static_cast<Eigen::Index>(j)];
    }
    start_.assign(index(geometry_->num_features()), 0.0);
    geometry_->choose(at_start_, at_start_, start_);
    std::vector<Vec3> normals;
    for (int k = 0; k < count; ++k) normals.push_back(geometry_->touch(k, feature({}, k), z).n);
    sliding_.emplace(*geometry_,
                     places_,
                     3 * static_cast<int>(requests_.list().size()),
                     std::span<const Vec3>(normals),
                     std::span<const double>(start_));
}

void ShapeContact::add_axes(const PairSide& side) {
    for (const std::string& text : side.axis_texts())
        requests_.add(AttachmentRequest::Kind::direction, text, side.key);
}

/// Relative by product(point or axis of b, of a): of scalars from first on.
template <class Product>
RelativeValues ShapeContact::relative(Product product) const {
    RelativeValues z{};
    for (std::size_t j = 0; j < 3; ++j) {
        const std::size_t f = places_.f + 3 * j;
        z[j] = product(f, places_.c) - product(f, places_.d);
        if (width_ <= places_.e) continue;
        for (std::size_t i = 0; i < 3; ++i) z[place_of_turn(i, j)] = product(f, places_.e + 3 * i);
    }
    return z;
}

RelativeValues ShapeContact::relative(std::span<const double> u) const {
    RelativeValues z{};
    const Vec3 r = vec3(u, places_.c) - vec3(u, places_.d);
    for (std::size_t j = 0; j < 3; ++j) {
        const Vec3 f = vec3(u, places_.f + 3 * j);
        z[j] = f.dot(r);
        if (width_ <= places_.e) continue;
        for (std::size_t i = 0; i < 3; ++i)
            z[place_of_turn(i, j)] = f.dot(vec3(u, places_.e + 3 * i));
    }
    return z;
}

/// w . dz/du
void ShapeContact::put_row(const RelativeValues& w, std::span<const double> u, double* out) const {
    const std::span<double> row(out, width_);
    std::ranges::fill(row, 0.0);
    const Vec3 r = vec3(u, places_.c) - vec3(u, places_.d);
    for (std::size_t j = 0; j < 3; ++j) {
        const std::size_t f = places_.f + 3 * j;
        vec3(row, places_.c) += w[j] * vec3(u, f);
        vec3(row, f) += w[j] * r;
        if (width_ <= places_.e) continue;
        for (std::size_t i = 0; i < 3; ++i) {
            const double of_turn = w[place_of_turn(i, j)];
            vec3(row, f) += of_turn * vec3(u, places_.e + 3 * i);
            vec3(row, places_.e + 3 * i) += of_turn * vec3(u, f);
        }
    }
    vec3(row, places_.d) = -vec3(row, places_.c);
}

Feature ShapeContact::feature(std::span<const double> state, int row) const {
    if (row >= geometry_->num_features()) return 0;
    return static_cast<Feature>(
        std::abs((state.empty() ? std::span<const double>(start_) : state)[index(row)]));
}

bool ShapeContact::is_bare(std::span<const double> state, int row) const {
    return row < geometry_->num_features() && !state.empty() && state[index(row)] < 0.0;
}

/// A row that no feature has, or the pair's.
bool ShapeContact::is_nothing(int row, Feature of) const {
    const int count = geometry_->num_features();
    return count > 0 && (of == 0 || row >= count);
}

void ShapeContact::evaluate(int, const RowPoint& at, const RowValues& out) const {
    std::ranges::fill(out.pi_t, 0.0);
    const RelativeValues z = relative(at.u);
    std::array<autodiff::Taylor2, kNumRelative> course;
    if (!out.b.empty()) {
        // z' and z'' of u' constant
        const auto by = [](std::span<const double> x, std::span<const double> y) {
            return [x, y](std::size_t f, std::size_t e) {
                return vec3(x, f).dot(vec3(y, e));
            };
        };
        const RelativeValues of_a = relative(by(at.u, at.du)), of_b = relative(by(at.du, at.u));
        const RelativeValues both = relative(by(at.du, at.du));
        for (std::size_t k = 0; k < kNumRelative; ++k)
            course[k] = autodiff::Taylor2(z[k], of_a[k] + of_b[k], 2.0 * both[k]);
    }
    RelativeValues w;
    for (int k = 0; k < block_.num_items; ++k) {
        const std::size_t row = index(k);
        const Feature of = feature(at.state, k);
        const bool is_empty = is_nothing(k, of);
        if (!out.pi.empty())
            out.pi[row] =
                is_bare(at.state, k) ? geometry_->gap(k, of, z) : geometry_->value(k, of, z);
        if (!out.A.empty()) {
            w.fill(0.0);
            if (!is_empty) geometry_->gap(k, of, z, w);
            put_row(w, at.u, out.A.data() + row * width_);
        }
        if (!out.b.empty()) out.b[row] = is_empty ? 0.0 : -geometry_->second(k, of, course);
    }
}

/// (1)
void ShapeContact::evaluate_step(int, const RowStep& step, const RowStepValues& out) const {
    const RelativeValues z0 = relative(step.u0), z1 = relative(step.u1);
    const auto by = [](std::span<const double> x, std::span<const double> y) {
        return [x, y](std::size_t f, std::size_t e) {
            return vec3(x, f).dot(vec3(y, e));
        };
    };
    const RelativeValues of_a = relative(by(step.mid, step.du));
    const RelativeValues of_b = relative(by(step.du, step.mid));
    const double square = geometry_->size() * geometry_->size();
    RelativeValues mid, dz, w;
    double norm = 0.0;
    for (std::size_t k = 0; k < kNumRelative; ++k) {
        mid[k] = 0.5 * (z0[k] + z1[k]);
        dz[k] = of_a[k] + of_b[k];
        norm += (k < 3 ? 1.0 : square) * dz[k] * dz[k];
    }
    for (int row = 0; row < block_.num_items; ++row) {
        const Feature of = feature(step.state0, row);
        if (is_nothing(row, of)) {
            std::fill_n(out.B.data() + index(row) * width_, width_, 0.0);
            continue;
        }
        const bool is_exact = geometry_->mean_gradient(of, z0, z1, mid, w);
        if (!is_exact) geometry_->gap(row, of, mid, w);
        if (!is_exact && !geometry_->is_quadratic(of) && norm > 0.0) {
            double miss = geometry_->gap(row, of, z1) - geometry_->gap(row, of, z0);
            double terms = geometry_->size();
            for (std::size_t k = 0; k < kNumRelative; ++k) {
                miss -= w[k] * dz[k];
                terms += std::abs(w[k] * mid[k]);
            }
            // y is a difference of places, which may be far from the origin.
            Vec3 n = Vec3::Zero();
            for (std::size_t k = 0; k < 3; ++k) n += w[k] * vec3(step.mid, places_.f + 3 * k);
            terms = std::max(terms,
                             n.cwiseAbs().dot(vec3(step.mid, places_.c).cwiseAbs() +
                                              vec3(step.mid, places_.d).cwiseAbs()));
            miss = beyond_rounding(miss, terms);
            for (std::size_t k = 0; k < kNumRelative; ++k)
                w[k] += miss / norm * (k < 3 ? 1.0 : square) * dz[k];
        }
        put_row(w, step.mid, out.B.data() + index(row) * width_);
    }
    if (step.state1.empty()) return;
    std::ranges::copy(step.state0, step.state1.begin());
    geometry_->choose(z0, z1, step.state1);
}

/// s w . d2z/du2 by pairs of points and axes, and s (dz/du)^T g'' dz/du.
void ShapeContact::evaluate_tangent(int, const TangentPoint& at, std::span<double> G) const {
    std::ranges::fill(G, 0.0);
    const bool is_isotropic = geometry_->is_linear();
    const std::size_t n = is_isotropic ? width_ / 3 : width_;
    const RelativeValues z = relative(at.mid);
    RelativeValues w;
    for (int k = 0; k < block_.num_items; ++k) {
        const double s = at.s[index(k)];
        if (s == 0.0) continue;
        const Feature of = feature(at.state, k);
        geometry_->gap(k, feature(at.state, k), z, w);
        const auto K = [K = G.data() + index(k) * n * n, n](std::size_t i,
                                                            std::size_t j) -> double& {
            return K[i * n + j];
        };
        const auto add = [&](std::size_t a, std::size_t b, double x) {
            const double size = at.positive_part ? 0.5 * std::abs(x) : 0.0;  // of [0 x; x 0]
            if (at.positive_part) x *= 0.5;
            const std::size_t i = is_isotropic ? a / 3 : a, j = is_isotropic ? b / 3 : b;
            for (std::size_t axis = 0; axis < (is_isotropic ? 1 : 3); ++axis) {
                K(i + axis, i + axis) += size;
                K(j + axis, j + axis) += size;
                K(i + axis, j + axis) += x;
                K(j + axis, i + axis) += x;
            }
        };
        for (std::size_t j = 0; j < 3; ++j) {
            const std::size_t f = places_.f + 3 * j;
            add(f, places_.c, s * w[j]);
            add(f, places_.d, -s * w[j]);
            if (width_ <= places_.e) continue;
            for (std::size_t i = 0; i < 3; ++i)
                add(f, places_.e + 3 * i, s * w[place_of_turn(i, j)]);
        }
        if (!is_isotropic && !at.positive_part && !geometry_->bends_sharply(of))
            add_curvature(k, of, s, z, at.mid, G.data() + index(k) * n * n);
    }
}

/// g'' by second derivatives along pairs of directions.
void ShapeContact::add_curvature(int row,
                                 Feature of,
                                 double s,
                                 const RelativeValues& z,
                                 std::span<const double> u,
                                 double* G) const {
    const std::size_t count = width_ > places_.e ? kNumRelative : 3;
    const auto curvature = [&](std::size_t i, std::size_t j) {
        std::array<autodiff::Taylor2, kNumRelative> along;
        for (std::size_t k = 0; k < kNumRelative; ++k)
            along[k] = autodiff::Taylor2(z[k], k == i || k == j ? 1.0 : 0.0, 0.0);
        return geometry_->second(row, of, along);
    };
    std::array<double, kNumRelative> alone;
    std::array<std::array<double, kMostScalars>, kNumRelative> slope;
    for (std::size_t i = 0; i < count; ++i) {
        alone[i] = curvature(i, i);
        RelativeValues unit{};
        unit[i] = 1.0;
        put_row(unit, u, slope[i].data());
    }
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t j = 0; j < count; ++j) {
            const double h = i == j ? alone[i] : 0.5 * (curvature(i, j) - alone[i] - alone[j]);
            if (h == 0.0) continue;
            for (std::size_t a = 0; a < width_; ++a)
                for (std::size_t b = 0; b < width_; ++b)
                    G[a * width_ + b] += s * h * slope[i][a] * slope[j][b];
        }
}

}  // namespace ancora::contact
