// SPDX-License-Identifier: BSD-3-Clause
// Makes mechanisms from seeds: families of trees and loops, from doors to platforms.
#include "mechanisms.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "mechanism_builder.hpp"

namespace ancora::testing {
namespace {

using namespace mechanisms;

/// Adds `wanted` bodies, each joined to one that is there.
void grow_tree(Builder& b, int wanted, bool from_ground) {
    Random& random = b.random;
    const bool may_have_rods = b.may_have_rods;
    const int first = b.count();
    for (int i = 0; i < wanted; ++i) {
        int parent = b.count() - 1;
        if (b.count() > 1 && random.chance(0.4)) parent = random.integer(0, b.count() - 1);
        if (b.count() == 0) parent = from_ground ? kGround : -2;
        const Vec3 p = parent < 0 ? Vec3(Vec3::Zero())
                                  : Vec3(b.part(parent).centre + random.uniform(-0.5, 0.5) *
                                                                     b.part(parent).dims(0) *
                                                                     b.part(parent).frame.col(0));
        const int joint = parent == -2 ? 0 : random.integer(0, 9);
        Vec3 begin = p;
        if (joint == 8 || joint == 9) begin += random.uniform(0.3, 1.0) * random.direction();
        const Vec3 d = random.direction();
        // Where hinges of a parent must bear torques about its axis, it needs inertia.
        b.may_have_rods = false;
        const int child = b.bar(begin, begin + random.uniform(0.4, 1.2) * d);
        b.may_have_rods = may_have_rods;
        Vec3 w = Vec3::Zero(), v = Vec3::Zero();
        if (parent >= 0) {
            w = b.part(parent).w;
            v = b.part(parent).velocity_at(begin);
        } else if (parent == -2 && b.is_moving) {
            w = b.rate() * random.direction();
            v = b.rate() * random.direction();
        }
        const Vec3 axis = random.chance(0.5) ? Vec3(d.unitOrthogonal()) : random.direction();
        const double rate = b.is_moving ? b.rate() : 0.0;
        if (parent != -2) switch (joint) {
                case 0:
                case 1:
                case 2:
                    b.ball(child, parent, p);
                    w += rate * random.direction();
                    break;
                case 3:
                case 4:
                case 5: {
                    const int kind = random.integer(0, 3);
                    if (kind == 0) {  // a ball, and a line through it
                        b.ball(child, parent, p);
                        b.on_line(child, parent, p + 0.3 * axis, axis);
                    } else {
                        b.hinge(child, parent, p, axis);
                    }
                    if (random.chance(0.2)) {
                        const std::string angle = b.swing(random.uniform(0.1, 1.0));
                        b.turn(parent, child, axis, angle);
                        if (random.chance(0.2)) b.turn(parent, child, axis, angle);
                    } else {
                        w += rate * axis;
                    }
                    break;
                }
                case 6:  // slides, or is welded
                    if (random.chance(0.5)) {
                        b.weld(child, parent, p);
                    } else {
                        const int points = random.integer(1, 3);
                        for (int k = 0; k < points; ++k)
                            b.on_line(child, parent, p + 0.2 * k * axis, axis);
                    }
                    break;
                case 7: {
                    const Mat3 F = frame_along(axis);
                    const int feet = random.integer(1, 4);
                    for (int k = 0; k < feet; ++k)
                        b.on_plane(child,
                                   parent,
                                   p + 0.3 * std::cos(1.5 * k) * F.col(1) +
                                       0.3 * std::sin(1.5 * k) * F.col(2),
                                   p,
                                   axis);
                    break;
                }
                case 8:
                    b.distance(child, parent, begin, p);
                    break;
                default:
                    b.link(child, parent, begin, p);
                    break;
            }
        b.part(child).move_with(begin, v, w);
    }
    static_cast<void>(first);
}

std::string tree(Builder& b) {
    const bool from_ground = b.random.chance(0.7);
    if (from_ground && b.random.chance(0.2)) b.shake();
    grow_tree(b, size_of(b.random, 2, 30), from_ground);
    return from_ground ? "tree" : "free tree";
}

/// Bars without thickness among others, on balls at their ends.
std::string rope_of_rods(Builder& b) {
    b.may_have_rods = true;
    const int n = size_of(b.random, 2, 30);
    const bool is_free = b.random.chance(0.3);
    if (!is_free && b.random.chance(0.3)) b.shake();
    Vec3 p = Vec3::Zero(), v = Vec3::Zero();
    for (int i = 0; i < n; ++i) {
        const Vec3 d = b.random.uniform(0.5, 1.0) * b.random.direction();
        const int bar = b.bar(p, p + d);
        if (i > 0 || !is_free) b.ball(bar, i == 0 ? kGround : bar - 1, p);
        Vec3 w = Vec3::Zero();
        if (b.is_moving) w = b.rate() * d.cross(b.random.direction()).normalized();
        b.part(bar).move_with(p, v, w);
        p += d;
        v = b.part(bar).velocity_at(p);
    }
    return "rope of rods";
}

/// What closed loops have in common: on the ground from rest or pushed, or free and turning.
void start_loop(Builder& b, bool is_free) {
    if (!b.is_moving) return;
    if (is_free)
        b.turn_whole();
    else if (!b.has_drive)
        b.push_parts();
}

/// A polygon of bars with a hinge in every corner, the axes parallel.
std::string planar_loop(Builder& b) {
    b.may_have_rods = true;
    const bool is_free = b.random.chance(0.3);
    const int corners = size_of(b.random, is_free ? 4 : 4, is_free ? 12 : 16);
    if (!is_free && b.random.chance(0.15)) b.shake();
    std::vector<Vec3> corner;
    for (int i = 0; i < corners; ++i) {
        const double angle = 2.0 * std::numbers::pi * (i + b.random.uniform(-0.25, 0.25)) / corners;
        const double r = b.random.uniform(0.7, 1.3) * corners / 6.0;
        corner.emplace_back(r * std::cos(angle), r * std::sin(angle), 0.0);
    }
    const auto at = [&](int i) {
        return corner[i % corners];
    };
    const int bars = is_free ? corners : corners - 1;
    for (int i = 0; i < bars; ++i) b.bar(at(i), at(i + 1));
    const double balls = b.random.chance(0.3) ? 0.3 : 0.0;
    for (int i = 0; i < corners; ++i) {
        const int left = i == 0 ? (is_free ? bars - 1 : kGround) : i - 1;
        const int right = i == corners - 1 && !is_free ? kGround : i;
        if (i > 0 && b.random.chance(balls))
            b.ball(left, right, at(i));
        else
            b.hinge(left, right, at(i), Vec3::UnitZ());
    }
    if (!is_free && b.shaking.empty() && b.random.chance(0.25))
        b.turn(kGround, 0, Vec3::UnitZ(), b.swing(0.1));
    start_loop(b, is_free);
    return "planar loop";
}

/// Crank, rod and a piston on a line of the ground.
std::string slider_crank(Builder& b) {
    b.may_have_rods = true;
    const double angle = b.random.uniform(0.5, 2.5);
    const Vec3 pin(0.5 * std::cos(angle), 0.5 * std::sin(angle), 0.0);
    const Vec3 wrist(pin.x() + std::sqrt(1.44 - pin.y() * pin.y()), 0.0, 0.0);
    const int crank = b.bar(Vec3::Zero(), pin), rod = b.bar(pin, wrist);
    const int piston = b.add(wrist, Mat3::Identity(), Vec3(0.3, 0.3, 0.3));
    b.hinge(crank, kGround, Vec3::Zero(), Vec3::UnitZ());
    b.hinge(rod, crank, pin, Vec3::UnitZ());
    if (b.random.chance(0.5))
        b.hinge(rod, piston, wrist, Vec3::UnitZ());
    else
        b.ball(rod, piston, wrist);
    const int guides = b.random.integer(2, 4);
    for (int i = 0; i < guides; ++i)
        b.on_line(piston, kGround, wrist + (0.1 * i) * Vec3::UnitX(), Vec3::UnitX());
    if (b.random.chance(0.5))
        b.on_plane(piston, kGround, wrist + 0.1 * Vec3::UnitZ(), wrist, Vec3::UnitY());
    if (b.random.chance(0.3)) b.turn(kGround, crank, Vec3::UnitZ(), b.swing(1.0));
    start_loop(b, false);
    return "slider crank";
}

/// Corners anywhere, hinges of any direction and balls, with at least one freedom left.
std::string spatial_loop(Builder& b) {
    const bool is_free = b.random.chance(0.3);
    const int corners = size_of(b.random, 4, 20);
    std::vector<Vec3> corner;
    for (int i = 0; i < corners; ++i) {
        const double angle = 2.0 * std::numbers::pi * i / corners;
        const double r = b.random.uniform(0.8, 1.2) * corners / 6.0;
        corner.emplace_back(r * std::cos(angle), r * std::sin(angle), b.random.uniform(-0.6, 0.6));
    }
    const int bars = is_free ? corners : corners - 1;
    const auto at = [&](int i) {
        return corner[i % corners];
    };
    for (int i = 0; i < bars; ++i) b.bar(at(i), at(i + 1));
    const int freedoms = b.random.integer(7, 9);
    const int balls = std::max(b.random.integer(0, 1), (freedoms - corners + 1) / 2);
    std::vector<bool> is_ball(static_cast<std::size_t>(corners), false);
    for (int i = 0; i < balls;) {
        const auto k = static_cast<std::size_t>(b.random.integer(0, corners - 1));
        if (is_ball[k]) continue;
        is_ball[k] = true;
        ++i;
    }
    for (int i = 0; i < corners; ++i) {
        const int left = i == 0 ? (is_free ? bars - 1 : kGround) : i - 1;
        const int right = i == corners - 1 && !is_free ? kGround : i;
        if (is_ball[i])
            b.ball(left, right, at(i));
        else
            b.hinge(left, right, at(i), b.random.direction());
    }
    start_loop(b, is_free);
    return "spatial loop";
}

std::string bricard_loop(Builder& b) {
    b.may_have_rods = true;
    const std::array<Vec3, 6> corner{
        Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(0, 1, 0), Vec3(0, 1, 1), Vec3(0, 0, 1), Vec3(1, 0, 1)};
    const bool is_free = b.random.chance(0.4);
    const auto at = [&](int i) {
        return corner[i % 6];
    };
    const int bars = is_free ? 6 : 5;
    for (int i = 0; i < bars; ++i) b.bar(at(i), at(i + 1));
    for (int i = 0; i < 6; ++i) {
        const int left = i == 0 ? (is_free ? 5 : kGround) : i - 1;
        const int right = i == 5 && !is_free ? kGround : i;
        b.hinge(left, right, at(i), (at(i) - at(i + 5)).cross(at(i + 1) - at(i)));
    }
    start_loop(b, is_free);
    return "Bricard's loop";
}

/// Bennett's four hinges, which no count of freedoms lets move: sides a, b, a, b with twists
/// alpha, beta between the axes and sin(alpha)/a = sin(beta)/b.
std::string bennett_loop(Builder& b) {
    b.may_have_rods = true;
    const double alpha = b.random.uniform(0.5, 1.0), beta = b.random.uniform(1.2, 1.9);
    const std::array<double, 2> twist{alpha, beta};
    const std::array<double, 2> side{1.0, std::sin(beta) / std::sin(alpha)};
    const double theta = b.random.uniform(0.6, 2.2);
    const double ratio = std::sin(0.5 * (beta + alpha)) / std::sin(0.5 * (beta - alpha));
    std::array<Vec3, 5> corner;
    std::array<Vec3, 5> axis;
    double best = kInf;
    for (const double sign : {1.0, -1.0}) {
        const double other = 2.0 * std::atan(sign * ratio / std::tan(0.5 * theta));
        const std::array<double, 4> angle{theta, other, -theta, -other};
        std::array<Vec3, 5> p;
        std::array<Vec3, 5> z;
        Vec3 at = Vec3::Zero();
        Mat3 R = Mat3::Identity();
        for (std::size_t i = 0; i < 4; ++i) {
            p[i] = at;
            z[i] = R.col(2);
            R = R * Eigen::AngleAxisd(angle[i], Vec3::UnitZ()).toRotationMatrix();
            at += side[i % 2] * R.col(0);
            R = R * Eigen::AngleAxisd(twist[i % 2], Vec3::UnitX()).toRotationMatrix();
        }
        p[4] = at;
        z[4] = R.col(2);
        const double open = (p[4] - p[0]).norm() + (z[4] - z[0]).norm();
        if (open >= best) continue;
        best = open;
        corner = p;
        axis = z;
    }
    if (best > 1e-12) throw std::logic_error("Bennett's loop is open");
    const bool is_free = b.random.chance(0.4);
    const int bars = is_free ? 4 : 3;
    const auto at = [&](int i) {
        return corner[i % 4];
    };
    for (int i = 0; i < bars; ++i) b.bar(at(i), at(i + 1));
    for (int i = 0; i < 4; ++i) {
        const int left = i == 0 ? (is_free ? 3 : kGround) : i - 1;
        const int right = i == 3 && !is_free ? kGround : i;
        b.hinge(left, right, at(i), axis[i]);
    }
    start_loop(b, is_free);
    return "Bennett's loop";
}

/// Crossed bars, cell by cell; each cell's loop of parallel axes has rows that say the same.
std::string scissors(Builder& b) {
    b.may_have_rods = true;
    const int cells = size_of(b.random, 2, 12);
    const double width = b.random.uniform(0.4, 1.2), height = b.random.uniform(0.5, 1.2);
    const bool is_free = b.random.chance(0.3);
    if (!is_free && b.random.chance(0.2)) b.shake();
    const auto low = [&](int i) {
        return Vec3(i * width, 0.0, 0.0);
    };
    const auto high = [&](int i) {
        return Vec3(i * width, height, 0.0);
    };
    for (int i = 0; i < cells; ++i) {
        const int up = b.bar(low(i), high(i + 1)), down = b.bar(high(i), low(i + 1));
        b.hinge(up, down, 0.5 * (low(i) + high(i + 1)), Vec3::UnitZ());
        if (i == 0) continue;
        b.hinge(up, down - 2, low(i), Vec3::UnitZ());
        b.hinge(down, up - 2, high(i), Vec3::UnitZ());
    }
    if (!is_free) {
        b.hinge(0, kGround, low(0), Vec3::UnitZ());
        if (b.shaking.empty() && b.random.chance(0.6)) {
            b.on_line(1, kGround, high(0), Vec3::UnitY());
            if (b.random.chance(0.3)) b.turn(kGround, 0, Vec3::UnitZ(), b.swing(0.1));
        }
    }
    start_loop(b, is_free);
    return "scissors";
}

/// Storeys of beams on two and more parallel cranks.
std::string parallel_cranks(Builder& b) {
    b.may_have_rods = true;
    const int storeys = b.random.integer(1, 3), cranks = b.random.integer(2, 6);
    const double spacing = b.random.uniform(0.4, 1.0);
    if (b.random.chance(0.2)) b.shake();
    int below = kGround;
    Vec3 foot = Vec3::Zero();
    for (int s = 0; s < storeys; ++s) {
        const double angle = b.random.uniform(0.6, 2.5);
        const Vec3 up(std::cos(angle), std::sin(angle), 0.0), along = spacing * Vec3::UnitX();
        const int beam = b.bar(foot + up, foot + up + (cranks - 1) * along);
        for (int i = 0; i < cranks; ++i) {
            const Vec3 p = foot + i * along;
            const int crank = b.bar(p, p + up);
            b.hinge(crank, below, p, Vec3::UnitZ());
            b.hinge(crank, beam, p + up, Vec3::UnitZ());
            if (i == 0 && b.shaking.empty() && b.random.chance(0.25))
                b.turn(below, crank, Vec3::UnitZ(), b.swing(0.3));
        }
        below = beam;
        foot += up;
    }
    start_loop(b, false);
    return "parallel cranks";
}

/// Doors on two to four balls on a line, one on the other.
std::string doors(Builder& b) {
    const int n = b.random.integer(1, 6);
    if (b.random.chance(0.2)) b.shake();
    Vec3 edge = Vec3::Zero(), v = Vec3::Zero(), w = Vec3::Zero();
    for (int i = 0; i < n + 1; ++i) {
        const double angle = b.random.uniform(-1.5, 1.5);
        const Vec3 across(std::cos(angle), std::sin(angle), 0.0);
        Mat3 frame;
        frame << across, Vec3::UnitZ().cross(across), Vec3::UnitZ();
        const int door =
            b.add(edge + 0.4 * across, frame, Vec3(0.8, b.random.chance(0.5) ? 0.04 : 0.0, 2.0));
        const int balls = b.random.integer(2, 4);
        for (int k = 0; k < balls; ++k)
            b.ball(door, door - 1, edge + (1.8 * k / (balls - 1) - 0.9) * Vec3::UnitZ());
        if (b.random.chance(0.15))
            b.turn(door - 1, door, Vec3::UnitZ(), b.swing(1.0));
        else if (b.is_moving)
            w += b.rate() * Vec3::UnitZ();
        b.part(door).move_with(edge, v, w);
        edge += 0.8 * across;
        v = b.part(door).velocity_at(edge);
    }
    return "doors";
}

/// Three to six feet on a plane of the ground or of a plate, and what hangs on it.
std::string table(Builder& b) {
    const bool is_on_plate = b.random.chance(0.3);
    const int feet = b.random.integer(3, 6);
    if (is_on_plate) b.add(Vec3(0, 0, -0.05), Mat3::Identity(), Vec3(3.0, 3.0, 0.1));
    const int top = b.add(Vec3(0, 0, 0.7), Mat3::Identity(), Vec3(1.2, 0.8, 0.1));
    const int below = is_on_plate ? 0 : kGround;
    for (int k = 0; k < feet; ++k) {
        const double angle = 2.0 * std::numbers::pi * (k + b.random.uniform(-0.2, 0.2)) / feet;
        b.on_plane(top,
                   below,
                   Vec3(0.6 * std::cos(angle), 0.4 * std::sin(angle), 0.0),
                   Vec3(b.random.uniform(-1.0, 1.0), b.random.uniform(-1.0, 1.0), 0.0),
                   Vec3::UnitZ());
    }
    if (b.is_moving) {
        if (is_on_plate) b.turn_whole();
        const Vec3 p = b.part(top).centre;
        const Vec3 n = Vec3::UnitZ();
        const Vec3 slide = b.rate() * n.cross(b.random.direction());
        b.part(top).move_with(p, b.part(top).velocity_at(p) + slide, b.part(top).w + b.rate() * n);
    }
    if (b.random.chance(0.6) || !is_on_plate) {
        const int more = size_of(b.random, 1, 10);
        grow_tree(b, more, false);
    }
    return "table";
}

/// A platform on two to six legs: bars on balls, links, and lengths that are prescribed.
std::string platform(Builder& b) {
    const int top = b.add(Vec3(0.1, 0.0, 1.0), Mat3::Identity(), Vec3(1.2, 1.0, 0.2));
    const int legs = b.random.integer(2, 6);
    for (int k = 0; k < legs; ++k) {
        const double turned = (k % 2 == 0 ? 0.3 : -0.3) + b.random.uniform(-0.1, 0.1);
        const double angle = 2.0 * std::numbers::pi * k / legs;
        const Vec3 foot(1.2 * std::cos(angle + turned), 1.2 * std::sin(angle + turned), 0.0);
        const Vec3 head(0.5 * std::cos(angle), 0.5 * std::sin(angle), 0.9);
        switch (b.random.integer(0, 3)) {
            case 0: {
                const int leg = b.bar(foot, head);
                b.ball(leg, kGround, foot);
                b.ball(leg, top, head);
                break;
            }
            case 1:
                b.link(kGround, top, foot, head);
                break;
            case 2:
                b.distance(top, kGround, head, foot);
                break;
            default:
                b.distance(top, kGround, head, foot, b.swing(0.1 * b.size));
                b.has_drive = true;
                break;
        }
    }
    if (b.count() < 2 || b.random.chance(0.3)) grow_tree(b, b.random.integer(1, 5), false);
    if (b.is_moving) b.is_moving = false;
    for (Part& p : b.parts) p.v = p.w = Vec3::Zero();
    return "platform";
}

/// Drives that their joints do not let happen.
std::string impossible(Builder& b) {
    b.may_have_rods = false;
    b.is_moving = false;
    switch (b.random.integer(0, 2)) {
        case 0: {  // both ends of a chain's bar are held, and one is pulled along it
            const Vec3 d = b.random.direction();
            const int bar = b.bar(Vec3::Zero(), d);
            b.ball(bar, kGround, Vec3::Zero());
            b.shaking = "[";
            for (int c = 0; c < 3; ++c)
                b.shaking += fmt::format("{}\"{:.17g}*(1 - cos(3*t))\"",
                                         c > 0 ? ", " : "",
                                         0.3 * (b.world(d) - b.world(Vec3::Zero()))(c));
            b.shaking += "]";
            b.ball(bar, kGround, d);
            b.shaking.clear();
            break;
        }
        case 1: {  // a hinge with two drives
            const Vec3 axis = b.random.direction();
            const int bar = b.bar(Vec3::Zero(), axis.unitOrthogonal());
            b.hinge(bar, kGround, Vec3::Zero(), axis);
            b.turn(kGround, bar, axis, fmt::format("(1 - cos({}*t))", 2.0 / b.period));
            b.turn(kGround, bar, axis, fmt::format("(1 - cos({}*t))", 3.0 / b.period));
            break;
        }
        default: {  // two parallel cranks that are to turn differently
            const Vec3 up(0.6, 0.8, 0.0);
            const int beam = b.bar(up, up + Vec3::UnitX());
            for (int i = 0; i < 2; ++i) {
                const Vec3 p = i * Vec3::UnitX();
                const int crank = b.bar(p, p + up);
                b.hinge(crank, kGround, p, Vec3::UnitZ());
                b.hinge(crank, beam, p + up, Vec3::UnitZ());
                b.turn(kGround,
                       crank,
                       Vec3::UnitZ(),
                       fmt::format("({}*(1 - cos({}*t)))", i == 0 ? 0.5 : -0.5, 2.0 / b.period));
            }
            break;
        }
    }
    b.is_moving = false;
    grow_tree(b, b.random.integer(1, 5), true);
    return "impossible";
}

}  // namespace

std::string with_integrator(const std::string& text,
                            const std::string& type,
                            double step,
                            double end) {
    return text + fmt::format("\n[integrator]\ntype = \"{}\"\nstep = {:.17g}\nend = {:.17g}\n{}",
                              type,
                              step,
                              end,
                              type == "dopri5" ? "tolerance = 1e-9\n" : "");
}

Mechanism make_mechanism(std::uint64_t seed) {
    Builder b(seed);
    static constexpr std::string (*kFamilies[])(Builder&) = {tree,
                                                             tree,
                                                             tree,
                                                             rope_of_rods,
                                                             planar_loop,
                                                             planar_loop,
                                                             slider_crank,
                                                             spatial_loop,
                                                             spatial_loop,
                                                             bricard_loop,
                                                             bennett_loop,
                                                             scissors,
                                                             parallel_cranks,
                                                             doors,
                                                             table,
                                                             platform};
    if (b.random.chance(0.02)) {
        const std::string family = impossible(b);
        Mechanism m = b.finish(seed, family);
        m.is_impossible = true;
        return m;
    }
    const std::string family =
        kFamilies[b.random.integer(0, static_cast<int>(std::size(kFamilies)) - 1)](b);
    b.add_springs();
    b.soften_parts();
    return b.finish(seed, family);
}

}  // namespace ancora::testing
