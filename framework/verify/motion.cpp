// SPDX-License-Identifier: BSD-3-Clause
// Motions of attachments, read from the texts that name them.
#include "motion.hpp"

#include <algorithm>
#include <string_view>

namespace ancora::verify {
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
        const Rigid& body = rigid_[static_cast<std::size_t>(at.body)];
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
        q_.resize(static_cast<std::size_t>(num_scalars_));
        v_.resize(q_.size());
        object.body->start(q_, v_);
        return;
    }
    using Kind = Attachment::Kind;
    std::span<const char* const> keys;
    std::span<const AttachmentRequest> requests;
    if (object.constraint) {
        keys = object.constraint->attachments();
        requests = object.constraint->more_attachments();
    } else if (object.force) {
        keys = object.force->attachments();
        requests = object.force->more_attachments();
    }
    for (const char* key : keys) {
        if (arguments.shape(key) == Shape::vector) {
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
    for (const AttachmentRequest& request : requests) {
        if (request.kind == AttachmentRequest::Kind::measure) {
            add_measure(request.text);
            continue;
        }
        add(request.text,
            request.kind == AttachmentRequest::Kind::coordinate  ? Kind::coordinate
            : request.kind == AttachmentRequest::Kind::direction ? Kind::direction
                                                                 : Kind::point);
    }
    // its own coordinates stand behind what it is tied to
    if (object.constraint && object.constraint->own_body() != nullptr)
        for (std::size_t i = 0; i < object.constraint->own_body()->coordinates().size(); ++i)
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

Motion Stage::motion(Random& random, double perturbation) const {
    Motion motion;
    motion.free_.resize(static_cast<std::size_t>(num_scalars_));
    if (!q_.empty()) {
        for (std::size_t i = 0; i < q_.size(); ++i)
            motion.free_[i] = {q_[i] + perturbation * random.uniform(),
                               v_[i] + random.uniform(),
                               random.uniform()};
        return motion;
    }
    for (int k = 0; k < 2; ++k)
        motion.rigid_.push_back({random.vector(),
                                 random.vector(),
                                 random.vector(),
                                 random.vector(),
                                 random.rotation()});
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
            if (at.axis >= 0) {
                const Motion::Rigid& body = motion.rigid_[static_cast<std::size_t>(at.body)];
                x = {body.x(at.axis), body.v(at.axis), body.a(at.axis)};
            }
            continue;
        }
        for (std::size_t k = 0; k < 3; ++k) motion.free_[3 * i + k] = perturbed(perturbation);
        motion.attached_.push_back(
            {static_cast<int>(3 * i), at.body, local, at.kind == Attachment::Kind::direction});
    }
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
