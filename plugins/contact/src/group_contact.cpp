// SPDX-License-Identifier: BSD-3-Clause
// Rows of many pairs.
#include "group_contact.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <Eigen/Geometry>

#include "ancora/pairs/across.hpp"
#include "ancora/pairs/gap_law.hpp"
#include "pairs.hpp"

namespace ancora::contact {
namespace {

constexpr std::size_t kWidths[] = {6, 9, 24, 15, 24};
constexpr RowLaw kGroupSlidingLaw[] = {{.kind = RowKind::velocity_constraint}};
// Overlaps at the start beyond this part of the size are no rounding.
constexpr double kOverlap = 1e-12;

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

/// Scalars of a pair.
struct Gathered {
    std::array<double, kMostScalars> x;
    std::span<const double> view;

    Gathered(std::span<const double> from,
             const std::array<std::int32_t, kMostScalars>& places,
             std::size_t width)
        : view(x.data(), from.empty() ? 0 : width) {
        for (std::size_t i = 0; i < view.size(); ++i) x[i] = from[at(places[i])];
    }
    Gathered(const Gathered&) = delete;
    Gathered& operator=(const Gathered&) = delete;
};

template <class T>
std::span<T> part_of(std::span<T> all, std::size_t first, std::size_t count) {
    return all.empty() ? all : all.subspan(first, count);
}

ContactShape shape_of(std::span<const double> row,
                      std::span<const double> points,
                      std::string& why) {
    ContactShape shape;
    shape.position = vec3(row, 4);
    shape.axes =
        Eigen::Quaterniond(row[7], row[8], row[9], row[10]).normalized().toRotationMatrix();
    switch (static_cast<int>(row[0])) {
        case 0:
            shape.radius = row[1];
            break;
        case 1:
        case 2:
            shape.kind = row[0] == 1.0 ? ContactShape::Kind::capsule : ContactShape::Kind::cylinder;
            shape.radius = row[1];
            shape.half_length = row[2];
            break;
        case 4: {
            const auto first = static_cast<std::size_t>(row[1]);
            std::vector<Vec3> of;
            for (std::size_t i = 0; i < static_cast<std::size_t>(row[2]); ++i)
                if (3 * (first + i) + 3 <= points.size())
                    of.push_back(vec3(points, 3 * (first + i)));
            why = of.empty() ? "has no points" : shape.take_hull(of);
            break;
        }
        default:
            shape.kind = ContactShape::Kind::box;
            shape.half = 0.5 * vec3(row, 1);
    }
    return shape;
}

}  // namespace

GroupContact::GroupContact(const Arguments& arguments) {
    law_ = gap_law(arguments);
    if (arguments.shape("bodies") == Shape::texts && arguments.num_texts("bodies") == 0)
        arguments.fail("bodies", "names none");
    if (!arguments.given("solids"))
        arguments.fail("bodies", "no shapes of these bodies are known here: give solids as well");
    // Which shapes these mean the solids say.
    if (arguments.given("materials") && arguments.shape("materials") == Shape::texts &&
        arguments.num_texts("materials") > 2)
        arguments.fail("materials", "a pair has two materials");
    read_solids(arguments);
    add_planes(arguments);
    add_pairs(arguments);
    if (std::ranges::all_of(pairs_, [](const std::vector<Pair>& pairs) {
            return pairs.empty();
        }))
        arguments.fail("bodies", "leaves no shapes that meet");
    finish();
}

void GroupContact::read_solids(const Arguments& arguments) {
    const std::span<const double> rows = arguments.numbers("solids");
    const std::span<const double> points =
        arguments.given("points") ? arguments.numbers("points") : std::span<const double>();
    constexpr std::size_t kColumns = 14;
    bool has_points = false;
    const int num_members =
        arguments.shape("bodies") == Shape::texts ? arguments.num_texts("bodies") : 1;
    for (std::size_t i = 0; i < at(arguments.rows("solids")); ++i) {
        const std::span<const double> row = rows.subspan(kColumns * i, kColumns);
        const int member = static_cast<int>(row[0]);
        if (member < 0 || member >= num_members)
            arguments.fail("solids", "names a body by a number that is not one of `bodies`");
        const std::string name(arguments.shape("bodies") == Shape::texts
                                   ? arguments.text("bodies", member)
                                   : arguments.text("bodies"));
        const FrameStart& frame = arguments.frame(name, "bodies");
        std::string why;
        ContactShape shape = shape_of(row.subspan(3), points, why);
        if (!why.empty()) arguments.fail("bodies", "the hull of \"" + name + "\" " + why);
        const std::size_t end = name.find('@');
        const bool is_point = end != std::string::npos;
        if (is_point) {
            shape.radius = arguments.number("radius");
            has_points = true;
        } else if (!(shape.reach() > 0.0))
            arguments.fail("bodies", "the shape of \"" + name + "\" has no volume");
        const bool is_round = is_point || (shape.is_sphere() && shape.position.isZero(0.0));
        if (!is_round && !frame.has_attitude && frame.body != "ground")
            arguments.fail("bodies",
                           "body \"" + name +
                               "\" has points alone and no directions: its shape can be a sphere "
                               "about its point");
        solids_.push_back({PairSide("bodies", frame, shape),
                           name,
                           name.substr(0, end),
                           static_cast<int>(row[1]),
                           static_cast<int>(row[2])});
        // A point touches with itself, whatever axes its body has.
        if (is_point) solids_.back().side.has_attitude = false;
    }
    if (!has_points && arguments.given("radius"))
        arguments.fail("radius", "is that of points, and `bodies` names none");
}

void GroupContact::add_planes(const Arguments& arguments) {
    if (!arguments.has("planes")) return;
    const std::span<const double> rows = arguments.numbers("planes");
    const FrameStart& ground = arguments.frame("ground", "planes");
    for (std::size_t i = 0; i < at(arguments.rows("planes")); ++i) {
        Vec3 n = vec3(rows, 4 * i);
        const double length = n.stableNorm();
        if (!(length > 0.0))
            arguments.fail("planes", "the normal [0, 0, 0] of a plane points nowhere");
        n /= length;
        const std::array<Vec3, 2> t = across(n);
        ContactShape shape;
        shape.position = rows[4 * i + 3] / length * n;
        shape.axes << t[0], t[1], n;
        Solid plane{PairSide("planes", ground, shape), "plane " + std::to_string(i + 1), "", 3, 3};
        plane.side.is_plane = true;
        planes_.push_back(std::move(plane));
    }
}

void GroupContact::add_pairs(const Arguments& arguments) {
    std::vector<std::pair<int, int>> apart;
    if (arguments.given("apart")) {
        const std::span<const double> rows = arguments.numbers("apart");
        for (std::size_t i = 0; i + 1 < rows.size(); i += 2) {
            const int a = static_cast<int>(rows[i]), b = static_cast<int>(rows[i + 1]);
            apart.emplace_back(std::min(a, b), std::max(a, b));
        }
        std::ranges::sort(apart);
    }
    const auto meet = [](int a, int b) {
        return ((a & 1) != 0 && (b & 2) != 0) || ((b & 1) != 0 && (a & 2) != 0);
    };
    const int count = static_cast<int>(solids_.size());
    for (int i = 0; i < count; ++i)
        for (int j = 0; j < i; ++j) {
            const Solid& a = solids_[at(j)];
            const Solid& b = solids_[at(i)];
            if (a.owner == b.owner || !meet(a.sides, b.sides) || !meet(a.matches, b.matches) ||
                std::ranges::binary_search(apart, std::pair(j, i)))
                continue;
            // What is on the ground is b.
            const bool is_swapped = a.side.body == "ground";
            const Solid& first = is_swapped ? b : a;
            const Solid& second = is_swapped ? a : b;
            if (a.side.shape.is_sphere() && b.side.shape.is_sphere()) {
                const double D = a.side.shape.radius + b.side.shape.radius;
                if (!(D > 0.0))
                    arguments.fail("bodies",
                                   "\"" + a.name + "\" and \"" + b.name +
                                       "\" are points, which never meet: give them a `radius`");
                const Vec3 r = first.side.origin - second.side.origin;
                check_overlap(arguments, first, second, r.norm() - D);
                add_balls(first,
                          second,
                          geometry_of(first.side.shape.radius, second.side.shape.radius, false));
            } else {
                add_shapes(arguments, first, second);
            }
        }
    for (const Solid& solid : solids_) {
        if ((solid.sides & 1) == 0 || (solid.matches & 1) == 0 || solid.side.body == "ground")
            continue;
        for (const Solid& plane : planes_) {
            if (!solid.side.shape.is_sphere()) {
                add_shapes(arguments, solid, plane);
                continue;
            }
            check_overlap(arguments,
                          solid,
                          plane,
                          plane.side.axes.col(2).dot(solid.side.origin - plane.side.origin) -
                              solid.side.shape.radius);
            add_ball_on_plane(solid, plane, geometry_of(solid.side.shape.radius, 0.0, true));
        }
    }
}

void GroupContact::check_overlap(const Arguments& arguments,
                                 const Solid& a,
                                 const Solid& b,
                                 double gap) const {
    const double size = a.side.shape.reach() + b.side.shape.reach();
    const double terms = a.side.origin.norm() + b.side.origin.norm();
    if (gap >= -kOverlap * (size + terms)) return;
    std::array<char, 32> digits{};
    std::snprintf(digits.data(), digits.size(), "%.6g", -gap);
    arguments.fail("bodies",
                   "\"" + a.name + "\" and " + (b.side.is_plane ? "" : "\"") + b.name +
                       (b.side.is_plane ? "" : "\"") + " overlap by " + digits.data() +
                       " m at the start: move one of them, or take the pair out of the contact");
}

const PairGeometry& GroupContact::geometry_of(double radius, double radius_b, bool is_plane) {
    std::unique_ptr<PairGeometry>& found = geometries_[{radius, radius_b, is_plane ? 1.0 : 0.0}];
    if (found == nullptr) {
        ContactShape ball;
        ball.radius = is_plane ? radius : radius_b;
        found = is_plane ? on_plane(ball) : ball_on_solid(radius, ball);
    }
    return *found;
}

/// First scalar of an attachment, which is asked for once.
std::int32_t GroupContact::place(AttachmentRequest::Kind kind, const std::string& text) {
    const auto next = static_cast<std::int32_t>(3 * requests_.list().size());
    const auto [found, is_new] = places_.try_emplace({static_cast<int>(kind), text}, next);
    if (is_new) requests_.add(kind, text, "bodies");
    return found->second;
}

std::array<std::int32_t, 3> GroupContact::axes_of(const PairSide& side) {
    std::array<std::int32_t, 3> out{};
    const std::array<std::string, 3> texts = side.axis_texts();
    for (std::size_t i = 0; i < 3; ++i)
        out[i] = place(AttachmentRequest::Kind::direction, texts[i]);
    return out;
}

/// The pair's scalars c, d, f_j and e_i, and how it slides.
void GroupContact::add_sliding(
    Pair& pair, const Solid& a, const Solid& b, const Vec3& n, const PairGeometry& geometry) {
    is_on_ground_ |= b.side.body == "ground";
    const auto put = [&pair](std::size_t first, std::int32_t from) {
        for (std::size_t i = 0; i < 3; ++i)
            pair.at[first + i] = from + static_cast<std::int32_t>(i);
    };
    put(0, place(AttachmentRequest::Kind::point, a.side.point));
    put(3, place(AttachmentRequest::Kind::point, b.side.point));
    // Of a body without axes those of space.
    PairSide seen_from = b.side;
    if (!seen_from.has_attitude) {
        seen_from.body = "ground";
        seen_from.axes.setIdentity();
    }
    const std::array<std::int32_t, 3> f = axes_of(seen_from);
    for (std::size_t i = 0; i < 3; ++i) put(6 + 3 * i, f[i]);
    PairPlaces places;
    places.has_e = a.side.carries_axes();
    const std::array<std::int32_t, 3> e = places.has_e ? axes_of(a.side) : f;
    for (std::size_t i = 0; i < 3; ++i) put(15 + 3 * i, e[i]);
    const std::array<Vec3, 1> normal{Vec3(seen_from.axes.transpose() * n)};
    pair.ball_sliding = std::make_unique<PairSliding>(
        geometry, places, places.has_e ? 24 : 15, normal, std::span<const double>());
    pair.sliding = pair.ball_sliding.get();
}

void GroupContact::add_balls(const Solid& a, const Solid& b, const PairGeometry& geometry) {
    Pair pair;
    pair.radius = a.side.shape.radius + b.side.shape.radius;
    const Vec3 r = a.side.origin - b.side.origin;
    add_sliding(pair, a, b, r.norm() > 0.0 ? Vec3(r.normalized()) : Vec3(Vec3::UnitZ()), geometry);
    pairs_[kBalls].push_back(std::move(pair));
}

void GroupContact::add_ball_on_plane(const Solid& a,
                                     const Solid& plane,
                                     const PairGeometry& geometry) {
    Pair pair;
    pair.radius = a.side.shape.radius;
    add_sliding(pair, a, plane, plane.side.axes.col(2), geometry);
    pairs_[kBallsOnPlanes].push_back(std::move(pair));
}

void GroupContact::add_shapes(const Arguments& arguments, const Solid& a, const Solid& b) {
    Pair pair;
    const std::string names = "\"" + a.name + "\" and " + (b.side.is_plane ? "" : "\"") + b.name +
                              (b.side.is_plane ? "" : "\"") + ": ";
    pair.shapes =
        shape_contact(a.side, b.side, false, law_, [&](const char* key, const char* message) {
            arguments.fail("bodies", names + key + " " + message);
        });
    const ShapeContact& shapes = *pair.shapes;
    double gap = shapes.gap_at_start(0);
    const int num_rows = shapes.geometry().num_rows();
    for (int k = 1; k < num_rows; ++k) gap = std::min(gap, shapes.gap_at_start(k));
    check_overlap(arguments, a, b, gap);
    is_on_ground_ |= b.side.body == "ground";
    std::size_t next = 0;
    for (const AttachmentRequest& request : shapes.attachments()) {
        const std::int32_t from = place(request.kind, request.text);
        for (std::int32_t i = 0; i < 3; ++i) pair.at[next++] = from + i;
    }
    while (next < kMostScalars) {
        pair.at[next] = pair.at[next - 3];
        ++next;
    }
    pair.sliding = &shapes.sliding();
    pair.num_rows = num_rows;
    pair.radius = shapes.geometry().size();
    pair.first_state = static_cast<int>(start_.size());
    pair.num_state = static_cast<int>(shapes.start_state().size());
    start_.insert(start_.end(), shapes.start_state().begin(), shapes.start_state().end());
    const RowBlock& block = shapes.row_blocks().front();
    const Kind kind = shapes.geometry().is_linear()  ? kOnPlanes
                      : block.scalars_per_item == 15 ? kBallsOnSolids
                                                     : kSolids;
    pairs_[kind].push_back(std::move(pair));
}

void GroupContact::finish() {
    for (int k = 0; k < kNumKinds; ++k) {
        const auto kind = static_cast<Kind>(k);
        const std::vector<Pair>& pairs = pairs_[at(k)];
        if (pairs.empty()) continue;
        std::vector<std::int32_t>& stencil = stencils_[at(k)];
        int count = 0;
        for (const Pair& pair : pairs)
            for (int row = 0; row < pair.num_rows; ++row, ++count) {
                for (std::size_t i = 0; i < kWidths[k]; ++i)
                    // The plane's normal is its third axis.
                    stencil.push_back(pair.at[kind == kBallsOnPlanes && i >= 6 ? i + 6 : i]);
                sliding_.stencil.insert(sliding_.stencil.end(), pair.at.begin(), pair.at.end());
            }
        const bool is_quadratic = kind < kBallsOnSolids;
        blocks_.push_back({.name = "gap",
                           .num_items = count,
                           .rows_per_item = 1,
                           .scalars_per_item = static_cast<std::int32_t>(kWidths[k]),
                           .stencil = stencil,
                           .laws = {&law_, 1},
                           .degree = is_quadratic ? Degree::quadratic : Degree::general,
                           // Of general rows it is large, and small beside masses.
                           .tangent = is_quadratic ? TangentForm::isotropic : TangentForm::none});
        kinds_.push_back(kind);
    }
    sliding_.block = {
        .name = "sliding",
        .num_items = static_cast<std::int32_t>(sliding_.stencil.size() / kMostScalars),
        .rows_per_item = 2,
        .scalars_per_item = static_cast<std::int32_t>(kMostScalars),
        .stencil = sliding_.stencil,
        .laws = kGroupSlidingLaw,
        .degree = Degree::general,
        .tangent = TangentForm::none};
}

/// visit(pair, first row) for the pairs of a block.
template <class Visit>
void GroupContact::for_each(int block, const Visit& visit) const {
    std::size_t row = 0;
    for (const Pair& pair : pairs_[kinds_[at(block)]]) {
        visit(pair, row);
        row += at(pair.num_rows);
    }
}

void GroupContact::evaluate(int block, const RowPoint& point, const RowValues& out) const {
    std::ranges::fill(out.pi_t, 0.0);
    const Kind kind = kinds_[at(block)];
    const std::span<const double> u = point.u, du = point.du;
    if (kind == kBalls) {
        for_each(block, [&](const Pair& pair, std::size_t row) {
            const std::size_t c = at(pair.at[0]), d = at(pair.at[3]);
            const Vec3 r = vec3(u, c) - vec3(u, d);
            const double D = pair.radius;
            if (!out.pi.empty()) out.pi[row] = (r.squaredNorm() - D * D) / (2.0 * D);
            if (!out.A.empty()) {
                vec3(out.A, 6 * row) = r / D;
                vec3(out.A, 6 * row + 3) = -r / D;
            }
            if (!out.b.empty()) out.b[row] = -(vec3(du, c) - vec3(du, d)).squaredNorm() / D;
        });
        return;
    }
    if (kind == kBallsOnPlanes) {
        for_each(block, [&](const Pair& pair, std::size_t row) {
            const std::size_t c = at(pair.at[0]), o = at(pair.at[3]), n = at(pair.at[12]);
            const Vec3 r = vec3(u, c) - vec3(u, o), normal = vec3(u, n);
            if (!out.pi.empty()) out.pi[row] = normal.dot(r) - pair.radius;
            if (!out.A.empty()) {
                vec3(out.A, 9 * row) = normal;
                vec3(out.A, 9 * row + 3) = -normal;
                vec3(out.A, 9 * row + 6) = r;
            }
            if (!out.b.empty()) out.b[row] = -2.0 * vec3(du, n).dot(vec3(du, c) - vec3(du, o));
        });
        return;
    }
    const std::size_t width = kWidths[kind];
    for_each(block, [&](const Pair& pair, std::size_t row) {
        const Gathered u_of(u, pair.at, kMostScalars), du_of(du, pair.at, kMostScalars);
        const std::size_t count = at(pair.num_rows);
        RowPoint local{u_of.view, du_of.view, point.t};
        local.state = part_of(point.state, at(pair.first_state), at(pair.num_state));
        pair.shapes->evaluate(0,
                              local,
                              {part_of(out.pi, row, count),
                               part_of(out.A, row * width, count * width),
                               part_of(out.pi_t, row, count),
                               part_of(out.b, row, count)});
    });
}

void GroupContact::evaluate_step(int block, const RowStep& step, const RowStepValues& out) const {
    const Kind kind = kinds_[at(block)];
    if (kind < kBallsOnSolids) {
        RowSource::evaluate_step(block, step, out);
        return;
    }
    const std::size_t width = kWidths[kind];
    for_each(block, [&](const Pair& pair, std::size_t row) {
        const Gathered u0(step.u0, pair.at, kMostScalars), du(step.du, pair.at, kMostScalars);
        const Gathered mid(step.mid, pair.at, kMostScalars), u1(step.u1, pair.at, kMostScalars);
        RowStep local;
        local.u0 = u0.view;
        local.du = du.view;
        local.mid = mid.view;
        local.u1 = u1.view;
        local.t0 = step.t0;
        local.h = step.h;
        local.state0 = part_of(step.state0, at(pair.first_state), at(pair.num_state));
        local.state1 = part_of(step.state1, at(pair.first_state), at(pair.num_state));
        const std::size_t count = at(pair.num_rows);
        pair.shapes->evaluate_step(
            0, local, {part_of(out.B, row * width, count * width), {}, {}, {}});
    });
}

void GroupContact::evaluate_tangent(int block,
                                    const TangentPoint& point,
                                    std::span<double> G) const {
    const Kind kind = kinds_[at(block)];
    if (kind == kBalls) {
        for_each(block, [&](const Pair& pair, std::size_t row) {
            const double x = point.s[row] / pair.radius;
            const std::span<double> K = G.subspan(4 * row, 4);
            const double size = point.positive_part && !(x > 0.0) ? 0.0 : x;
            K[0] = K[3] = size;
            K[1] = K[2] = -size;
        });
        return;
    }
    std::ranges::fill(G, 0.0);
    if (kind == kBallsOnPlanes) {
        // K = a c^T + c a^T on (c, o, n), a = (1, -1, 0), c = (0, 0, s), and its positive part
        for_each(block, [&](const Pair&, std::size_t row) {
            const double s = point.s[row];
            const std::span<double> K = G.subspan(9 * row, 9);
            const double half = point.positive_part ? 0.5 : 1.0;
            K[2] = K[6] = half * s;
            K[5] = K[7] = -half * s;
            if (!point.positive_part) return;
            const double x = std::abs(s) / (2.0 * std::sqrt(2.0));
            K[0] = K[4] = x;
            K[1] = K[3] = -x;
            K[8] = 2.0 * x;
        });
        return;
    }
    if (kind != kOnPlanes) return;
    for_each(block, [&](const Pair& pair, std::size_t row) {
        const std::size_t count = at(pair.num_rows);
        const std::span<const double> s = point.s.subspan(row, count);
        if (std::ranges::all_of(s, [](double x) {
                return x == 0.0;
            }))
            return;
        const Gathered mid(point.mid, pair.at, kMostScalars);
        TangentPoint local = point;
        local.mid = mid.view;
        local.s = s;
        local.state = {};
        pair.shapes->evaluate_tangent(0, local, G.subspan(64 * row, 64 * count));
    });
}

void GroupContact::Tangents::evaluate(int, const RowPoint& point, const RowValues& out) const {
    std::ranges::fill(out.pi, 0.0);
    std::ranges::fill(out.pi_t, 0.0);
    std::size_t row = 0;
    std::array<double, 2 * kMostScalars> A;
    for (int b = 0; b < static_cast<int>(of_.blocks_.size()); ++b)
        of_.for_each(b, [&](const Pair& pair, std::size_t) {
            const Gathered u(point.u, pair.at, kMostScalars), du(point.du, pair.at, kMostScalars);
            const std::span<const double> state =
                part_of(point.state, at(pair.first_state), at(pair.num_state));
            const std::size_t width = pair.sliding->width();
            for (int item = 0; item < pair.num_rows; ++item, row += 2) {
                pair.sliding->evaluate_item(
                    item,
                    u.view,
                    du.view,
                    state,
                    out.A.empty() ? std::span<double>() : std::span(A).first(2 * width),
                    part_of(out.b, row, 2));
                if (out.A.empty()) continue;
                for (std::size_t k = 0; k < 2; ++k) {
                    const auto to =
                        out.A.begin() + static_cast<std::ptrdiff_t>((row + k) * kMostScalars);
                    const auto from = A.begin() + static_cast<std::ptrdiff_t>(k * width);
                    std::fill(std::copy_n(from, width, to),
                              to + static_cast<std::ptrdiff_t>(kMostScalars),
                              0.0);
                }
            }
        });
}

}  // namespace ancora::contact
