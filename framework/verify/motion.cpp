// SPDX-License-Identifier: BSD-3-Clause
// Motions of attachments, read from the texts that name them.
#include "motion.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>

namespace ancora::verify {
namespace {

constexpr double kPi = std::numbers::pi;

/// When something passes pi: in steps of all lengths [s].
double passing_time(Random& random) {
    return std::pow(10.0, random.uniform(-3.5, -1.5));
}

}  // namespace

void Motion::evaluate(double t,
                      std::span<double> u,
                      std::span<double> du,
                      std::span<double> ddu) const {
    const auto set = [](std::span<double> x, std::size_t i, double value) {
        if (!x.empty()) x[i] = value;
    };
    for (std::size_t i = 0; i < free_.size(); ++i) {
        const Quadratic& c = free_[i];
        set(u, i, c.c0 + t * (c.c1 + 0.5 * t * c.c2));
        set(du, i, c.c1 + t * c.c2);
        set(ddu, i, c.c2);
    }
    for (const Attached& at : attached_) {
        if (at.body < 0) continue;
        const Rigid& body = rigid_[at.body];
        const double rate = body.w.norm();
        const Mat3 turned =
            rate > 0.0 ? Mat3(Eigen::AngleAxisd(rate * t, body.w / rate)) : Mat3(Mat3::Identity());
        const Vec3 arm = turned * body.R * at.local;
        Vec3 r = arm;
        Vec3 dr = body.w.cross(arm);
        Vec3 ddr = body.w.cross(dr);
        if (!at.is_direction) {
            r += body.x + t * body.v + 0.5 * t * t * body.a;
            dr += body.v + t * body.a;
            ddr += body.a;
        }
        for (int k = 0; k < 3; ++k) {
            const auto i = static_cast<std::size_t>(at.first + k);
            if (!u.empty()) u[i] += r(k);
            if (!du.empty()) du[i] += dr(k);
            if (!ddu.empty()) ddu[i] += ddr(k);
        }
    }
}

Stage::Stage(const TypeDescriptor& type, const BoundArguments& arguments, const Object& object) {
    if (object.body) {
        num_scalars_ = static_cast<int>(object.body->coordinates().size());
        for (const Coordinate& coordinate : object.body->coordinates())
            is_lone_.push_back(coordinate.vector < 0);
        q_.resize(num_scalars_);
        v_.resize(q_.size());
        object.body->start(q_, v_);
        return;
    }
    using Kind = Attachment::Kind;
    std::span<const AttachmentRequest> requests;
    if (object.constraint)
        requests = object.constraint->attachments();
    else if (object.force)
        requests = object.force->attachments();
    for (const AttachmentRequest& request : requests) {
        const char* const key = request.parameter;
        if (key == nullptr) {
            if (request.kind == AttachmentRequest::Kind::measure) {
                add_measure(request.text);
                continue;
            }
            add(request.text,
                request.kind == AttachmentRequest::Kind::coordinate  ? Kind::coordinate
                : request.kind == AttachmentRequest::Kind::direction ? Kind::direction
                                                                     : Kind::point);
        } else if (arguments.shape(key) == Shape::vector) {
            // on the ground; the other shapes that its parameter allows say what it is
            const std::span<const double> r = arguments.numbers(key);
            Kind kind = Kind::point;
            for (int k = 0; k < type.num_parameters; ++k)
                if (std::string_view(type.parameters[k].name) == key &&
                    type.parameters[k].allows(Shape::direction))
                    kind = Kind::direction;
            attachments_.push_back({kind, -1, Vec3(r[0], r[1], r[2]), -1, true});
        } else if (arguments.shape(key) == Shape::measure) {
            add_measure(std::string(arguments.text(key)));
        } else {
            const bool is_direction = arguments.shape(key) == Shape::direction;
            add(std::string(arguments.text(key)), is_direction ? Kind::direction : Kind::point);
        }
    }
    // its own coordinates stand behind what it is tied to
    const Body* const own = object.constraint ? facets_of(*object.constraint).own_body : nullptr;
    if (own != nullptr)
        for (std::size_t i = 0; i < own->coordinates().size(); ++i)
            attachments_.push_back({Kind::coordinate, 0, {}, -1, false});
    num_scalars_ = 3 * static_cast<int>(attachments_.size());
}

// "j.angle", "k.displacement": as between a and b
void Stage::add_measure(const std::string& text) {
    using Kind = Attachment::Kind;
    if (text.ends_with("displacement")) {
        add("a@[0.2, 0.1, -0.3]", Kind::point);
        add("b@[-0.1, 0.4, 0.2]", Kind::point);
        add("a@[0.0, 0.0, 1.0]", Kind::direction);
        return;
    }
    add("a@[1.0, 0.0, 0.0]", Kind::direction);
    add("a@[0.0, 1.0, 0.0]", Kind::direction);
    add("b@[0.6, 0.8, 0.0]", Kind::direction);
}

// "a@[x, y, z]", "b@3", "a.x"
void Stage::add(const std::string& text, Attachment::Kind kind) {
    const bool is_coordinate = kind == Attachment::Kind::coordinate;
    const std::size_t mark = is_coordinate ? text.rfind('.') : text.find('@');
    const std::string_view body = std::string_view(text).substr(0, std::min(mark, text.find('@')));
    const std::string where = mark == std::string::npos ? "" : text.substr(mark + 1);
    Attachment at;
    at.kind = kind;
    at.body = body == "ground" ? -1 : body == "a" ? 0 : 1;
    if (is_coordinate) {
        if (text.find('@') == std::string::npos)
            at.axis = where == "x" ? 0 : where == "y" ? 1 : where == "z" ? 2 : -1;
        attachments_.push_back(at);
        return;
    }
    const Value locator = parse_value(where);
    if (const Array* entries = locator.as<Array>(); entries != nullptr && entries->size() == 3) {
        at.is_given = true;
        for (std::size_t k = 0; k < 3; ++k) {
            const Value& x = (*entries)[k];
            if (const double* number = x.as<double>()) at.local(static_cast<int>(k)) = *number;
            if (const std::int64_t* whole = x.as<std::int64_t>())
                at.local(static_cast<int>(k)) = static_cast<double>(*whole);
        }
    }
    // a unit vector, as the kernel hands directions on
    if (kind == Attachment::Kind::direction && at.local.norm() > 0.0) at.local.normalize();
    attachments_.push_back(at);
}

Motion Stage::body_motion(Random& random, double perturbation) const {
    Motion motion;
    motion.free_.resize(q_.size());
    const double factor = placement_ == Placement::far ? 10.0 : 1.0;
    const bool is_aligned = placement_ == Placement::aligned || placement_ == Placement::together;
    const std::size_t only = q_.empty() ? 0 : random.bits() % q_.size();
    for (std::size_t i = 0; i < q_.size(); ++i) {
        Motion::Quadratic& x = motion.free_[i];
        x = {q_[i] + factor * perturbation * random.uniform(),
             v_[i] + factor * random.uniform(),
             random.uniform()};
        if (is_aligned) x = {q_[i], i == only ? x.c1 : 0.0, 0.0};
        if (placement_ == Placement::turned && is_lone_[i])
            x.c0 = (random.uniform() < 0.0 ? -kPi : kPi) - x.c1 * passing_time(random);
    }
    return motion;
}

// Turns one body so that a direction on it passes the opposite of one on the other.
void Stage::turn(Motion& motion, Random& random) const {
    const double when = passing_time(random);
    const double rate = (random.uniform() < 0.0 ? -1.0 : 1.0) * random.uniform(0.5, 3.0);
    Motion::Rigid &a = motion.rigid_[0], &b = motion.rigid_[1];
    // pairs of directions on two bodies, or on a body and the ground
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t i = 0; i < attachments_.size(); ++i)
        for (std::size_t j = 0; j < attachments_.size(); ++j)
            if (attachments_[i].kind == Attachment::Kind::direction &&
                attachments_[j].kind == Attachment::Kind::direction && attachments_[j].body >= 0 &&
                attachments_[i].body < attachments_[j].body)
                pairs.emplace_back(i, j);
    if (pairs.empty()) {
        const Vec3 axis = a.R.col(static_cast<Eigen::Index>(random.bits() % 3));
        b.w = a.w + rate * axis;
        b.R = Eigen::AngleAxisd(kPi - rate * when, axis) * a.R;
        return;
    }
    const auto [i, j] = pairs[random.bits() % pairs.size()];
    const auto local_of = [&](std::size_t k) -> Vec3 {
        for (const Motion::Attached& at : motion.attached_)
            if (at.first == static_cast<int>(3 * k)) return at.local;
        return {motion.free_[3 * k].c0, motion.free_[3 * k + 1].c0, motion.free_[3 * k + 2].c0};
    };
    const bool on_ground = attachments_[i].body < 0;
    Motion::Rigid& turned = motion.rigid_[attachments_[j].body];
    // the other body stands still, which a difference of both does not see
    if (!on_ground) a.w.setZero();
    const Vec3 opposite = on_ground ? local_of(i) : Vec3(a.R * local_of(i));
    // across another direction of the same body, along it, or any
    Vec3 axis = random.vector();
    for (std::size_t k = 0; k < attachments_.size(); ++k) {
        if (k == i || attachments_[k].kind != Attachment::Kind::direction ||
            attachments_[k].body != attachments_[i].body)
            continue;
        const Vec3 other = on_ground ? local_of(k) : Vec3(a.R * local_of(k));
        const double which = random.uniform();
        if (which < 0.0) axis = opposite.cross(other);
        if (which > 0.7) axis = other;
    }
    axis -= axis.dot(opposite) / opposite.squaredNorm() * opposite;
    if (axis.norm() < 1e-3) axis = opposite.unitOrthogonal();
    // at the passing it stands against the other one; before that, back along the turn
    turned.w = rate * axis.normalized();
    turned.R = Eigen::AngleAxisd(-rate * when, axis.normalized()) *
               Eigen::Quaterniond::FromTwoVectors(local_of(j), Vec3(-opposite)).toRotationMatrix();
}

// Puts the first points of the bodies along an axis, or at one place.
void Stage::align(Motion& motion, Random& random) const {
    const auto place_of = [&](std::size_t k) -> Vec3 {
        const std::size_t i = 3 * k;
        Vec3 r(motion.free_[i].c0, motion.free_[i + 1].c0, motion.free_[i + 2].c0);
        for (const Motion::Attached& at : motion.attached_)
            if (at.first == static_cast<int>(i)) {
                const Motion::Rigid& body = motion.rigid_[at.body];
                r += body.x + body.R * at.local;
            }
        return r;
    };
    const auto first_on = [&](int body) -> std::ptrdiff_t {
        for (std::size_t k = 0; k < attachments_.size(); ++k)
            if (attachments_[k].kind == Attachment::Kind::point && attachments_[k].body == body)
                return static_cast<std::ptrdiff_t>(k);
        return -1;
    };
    const std::ptrdiff_t b = first_on(1), a = first_on(0), ground = first_on(-1);
    const std::ptrdiff_t moved = b >= 0 ? b : a;
    const std::ptrdiff_t fixed = b >= 0 && a >= 0 ? a : ground;
    if (moved < 0 || fixed < 0) return;
    Vec3 apart = Vec3::Zero();
    if (placement_ == Placement::aligned)
        apart(static_cast<int>(random.bits() % 3)) = random.uniform(0.3, 1.5);
    const auto body = static_cast<std::size_t>(attachments_[moved].body);
    motion.rigid_[body].x += place_of(static_cast<std::size_t>(fixed)) + apart -
                             place_of(static_cast<std::size_t>(moved));
    // Where components are zero they are so exactly, which sums of the bodies' own are not.
    std::vector<double> u(static_cast<std::size_t>(num_scalars_));
    motion.evaluate(0.0, u, {}, {});
    for (std::size_t k = 0; k < 3; ++k)
        motion.free_[3 * static_cast<std::size_t>(moved) + k].c0 +=
            u[3 * static_cast<std::size_t>(fixed) + k] + apart(static_cast<int>(k)) -
            u[3 * static_cast<std::size_t>(moved) + k];
}

Motion Stage::motion(Random& random, double perturbation) const {
    if (!q_.empty()) return body_motion(random, perturbation);
    // what is exact is not to be perturbed
    if (placement_ != Placement::usual && placement_ != Placement::far) perturbation = 0.0;
    Motion motion;
    motion.free_.resize(num_scalars_);
    for (int k = 0; k < 2; ++k)
        motion.rigid_.push_back({random.vector(),
                                 random.vector(),
                                 random.vector(),
                                 random.vector(),
                                 random.rotation()});
    if (placement_ == Placement::far)
        for (Motion::Rigid& body : motion.rigid_) {
            body.x *= 10.0;
            body.v *= 10.0;
            body.a *= 10.0;
        }
    if (placement_ == Placement::aligned)
        for (Motion::Rigid& body : motion.rigid_) {
            const auto along = [&] {
                Vec3 x = Vec3::Zero();
                x(static_cast<int>(random.bits() % 3)) = random.uniform();
                return x;
            };
            body.v = along();
            body.a.setZero();
            body.w = random.uniform() < 0.0 ? Vec3(Vec3::Zero()) : along();
            body.R.setIdentity();
            const Vec3 axis = Vec3::Unit(static_cast<int>(random.bits() % 3));
            const auto quarters = static_cast<int>(random.bits() % 4);
            for (int k = 0; k < quarters; ++k) {
                Mat3 quarter = axis * axis.transpose();  // exact zeros and ones
                for (int i = 0; i < 3; ++i) quarter.col(i) += axis.cross(Vec3(Vec3::Unit(i)));
                body.R = (quarter * body.R).eval();
            }
        }
    const auto perturbed = [&](double size) {
        return Motion::Quadratic{
            size * random.uniform(), size * random.uniform(), size * random.uniform()};
    };
    for (std::size_t i = 0; i < attachments_.size(); ++i) {
        const Attachment& at = attachments_[i];
        const bool is_coordinate = at.kind == Attachment::Kind::coordinate;
        Vec3 local = at.local;
        if (!at.is_given && !is_coordinate) {
            local = random.vector();
            if (at.kind == Attachment::Kind::direction) local.normalize();
        }
        if (at.body < 0 && !is_coordinate) {
            for (std::size_t k = 0; k < 3; ++k)
                motion.free_[3 * i + k].c0 = local(static_cast<int>(k));
            continue;
        }
        if (is_coordinate) {
            // the first scalar alone
            if (at.body < 0) continue;
            Motion::Quadratic& x = motion.free_[3 * i];
            x = perturbed(1.0);
            if (placement_ == Placement::turned)
                x.c0 = (random.uniform() < 0.0 ? -kPi : kPi) - x.c1 * passing_time(random);
            if (at.axis >= 0) {
                const Motion::Rigid& body = motion.rigid_[at.body];
                x = {body.x(at.axis), body.v(at.axis), body.a(at.axis)};
            }
            continue;
        }
        for (std::size_t k = 0; k < 3; ++k) motion.free_[3 * i + k] = perturbed(perturbation);
        motion.attached_.push_back(
            {static_cast<int>(3 * i), at.body, local, at.kind == Attachment::Kind::direction});
    }
    if (placement_ == Placement::turned) turn(motion, random);
    if (placement_ == Placement::aligned || placement_ == Placement::together)
        align(motion, random);
    return motion;
}

bool Stage::move(const Mat3& R, const Vec3& c, std::span<double> u) const {
    if (attachments_.empty()) return false;
    for (const Attachment& at : attachments_)
        if (at.kind == Attachment::Kind::coordinate) return false;
    for (std::size_t i = 0; i < attachments_.size(); ++i) {
        Eigen::Map<Vec3> r(u.data() + 3 * i);
        const Vec3 turned = R * r;
        r = turned;
        if (attachments_[i].kind == Attachment::Kind::point) r += c;
    }
    return true;
}

bool Stage::has_lone_scalars() const {
    return attachments_.empty() || std::ranges::any_of(attachments_, [](const Attachment& at) {
               return at.kind == Attachment::Kind::coordinate;
           });
}

bool Stage::is_on_ground() const {
    return std::ranges::any_of(attachments_, [](const Attachment& at) {
        return at.body < 0;
    });
}

Stage::Place Stage::place_of(int attachment) const {
    const Attachment& at = attachments_.at(static_cast<std::size_t>(attachment));
    return {at.kind == Attachment::Kind::direction,
            at.kind == Attachment::Kind::coordinate,
            at.body,
            at.local,
            at.is_given};
}

bool Stage::spin(const Vec3& w, std::span<const double> u, std::span<double> du) const {
    if (attachments_.empty()) return false;
    for (std::size_t i = 0; i < attachments_.size(); ++i) {
        if (attachments_[i].kind == Attachment::Kind::coordinate) return false;
        const Vec3 r = Eigen::Map<const Vec3>(u.data() + 3 * i);
        Eigen::Map<Vec3>(du.data() + 3 * i) = w.cross(r);
    }
    return true;
}

}  // namespace ancora::verify
