// SPDX-License-Identifier: BSD-3-Clause
// Bodies between points of others that joints put somewhere: trees of joints and links at random,
// in any order of the file, against forward kinematics written here.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "linkages.hpp"
#include "support/model.hpp"

using namespace std::string_literals;

namespace ancora::testing {
namespace {

/// Of a rigid frame: where it is, and the velocity field of its body.
struct Frame {
    Mat3 R = Mat3::Identity();
    Vec3 x = Vec3::Zero();

    Frame operator*(const Frame& in) const { return {R * in.R, x + R * in.x}; }
    Frame inverse() const { return {R.transpose(), -(R.transpose() * x)}; }
};

std::string keys_of(const Frame& frame) {
    const Eigen::Quaterniond p(frame.R);
    return fmt::format("position = {}\norientation = [{:.17g}, {:.17g}, {:.17g}, {:.17g}]\n",
                       triple(frame.x),
                       p.w(),
                       p.x(),
                       p.y(),
                       p.z());
}

/// The least turn from x to a direction, by Rodrigues' formula.
Mat3 turn_to(const Vec3& way) {
    const Vec3 e = way.normalized();
    const Vec3 n = Vec3::UnitX().cross(e);
    Mat3 N;
    N << 0.0, -n(2), n(1), n(2), 0.0, -n(0), -n(1), n(0), 0.0;
    return Mat3::Identity() + N + N * N / (1.0 + e(0));
}

class Family {
public:
    explicit Family(unsigned seed) : random_(seed), floats_(draw(3) == 0) {
        ground_.frames = {some_frame(), some_frame(), some_frame()};
        for (std::size_t k = 0; k < ground_.frames.size(); ++k)
            add(fmt::format("[[frame]]\nname = \"p{}\"\n{}", k, keys_of(ground_.frames[k])));
        v_ = floats_ ? some_vector() : Vec3::Zero();
        w_ = floats_ ? some_vector() : Vec3::Zero();
        const int count = 4 + draw(8);
        for (int i = 0; i < count; ++i) {
            const bool is_link = i > 1 && draw(5) < 2;
            is_link ? add_link(i) : add_body(i);
        }
        std::ranges::shuffle(blocks_, random_);
        blocks_.insert(blocks_.begin(), root_);
    }

    std::string text() const {
        std::string text;
        for (const std::string& block : blocks_) text += block + "\n";
        return text + integrator("rk4", 1e-3, 1e-3);
    }

    void check(const Simulation& simulation) const {
        for (const Part& part : parts_) {
            CAPTURE(part.name);
            CHECK((vec3(simulation.pose(part.name).position) - part.at.x).norm() < kNear);
            CHECK((attitude(simulation, part.name) - part.at.R).norm() < kNear);
            const Vec3 v = v_ + w_.cross(part.at.x);
            CHECK((vec3(simulation.pose(part.name).velocity) - v).norm() < kNear);
            CHECK((part.at.R * omega(simulation, part.name) - w_).norm() < kNear);
            if (part.length == 0.0) continue;
            const Vec3 half = 0.5 * part.length * part.at.R.col(0);
            CHECK((vec3(simulation.point(part.name + "@from").position) - part.at.x + half).norm() <
                  kNear);
            CHECK((vec3(simulation.point(part.name + "@to").position) - part.at.x - half).norm() <
                  kNear);
        }
    }
    int num_links() const {
        return static_cast<int>(std::ranges::count_if(parts_, [](const Part& part) {
            return part.length > 0.0;
        }));
    }

private:
    static constexpr double kNear = 1e-11;

    struct Part {
        std::string name;
        Frame at;
        std::vector<Frame> frames;
        double length = 0.0;
    };
    /// A point or frame of a part or of the ground.
    struct Place {
        std::string text;
        Frame at;
    };

    int draw(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
    double number() { return std::uniform_real_distribution<double>(-1.0, 1.0)(random_); }
    Vec3 some_vector() { return {number(), number(), number()}; }
    Frame some_frame() {
        return {Eigen::Quaterniond(number(), number(), number(), number())
                    .normalized()
                    .toRotationMatrix(),
                some_vector()};
    }
    void add(const std::string& block) { blocks_.push_back(block); }

    /// A frame of what is there, no free point of a link's.
    Place some_place(bool is_frame) {
        const int k = floats_ ? draw(static_cast<int>(parts_.size()))
                              : draw(static_cast<int>(parts_.size()) + 1) - 1;
        const Part& part = k < 0 ? ground_ : parts_[static_cast<std::size_t>(k)];
        if (!is_frame && part.length > 0.0 && draw(2) == 0) {
            const double side = draw(2) == 0 ? 0.5 : -0.5;
            return {part.name + (side > 0.0 ? "@to" : "@from"),
                    {part.at.R, part.at.x + side * part.length * part.at.R.col(0)}};
        }
        if (!is_frame && draw(3) == 0) {
            const Vec3 x = some_vector();
            return {fmt::format("{}@{}", part.name, triple(x)),
                    part.at * Frame{Mat3::Identity(), x}};
        }
        const int f = draw(static_cast<int>(part.frames.size()));
        return {fmt::format("{}.p{}", part.name, f),
                part.at * part.frames[static_cast<std::size_t>(f)]};
    }

    std::string with_frames(const Part& part) const {
        std::string text;
        for (std::size_t k = 0; k < part.frames.size(); ++k)
            text += fmt::format("[[body.frame]]\nname = \"p{}\"\n{}", k, keys_of(part.frames[k]));
        return text;
    }
    std::string head(const std::string& name) {
        return fmt::format("[[body]]\nname = \"{}\"\ntype = \"{}\"\n",
                           name,
                           draw(2) == 0 ? "ancf_rigid_body" : "quaternion_body");
    }

    void add_body(int i) {
        Part part{fmt::format("b{}", i), {}, {some_frame(), some_frame(), some_frame()}};
        const Frame given = some_frame();
        std::string text =
            head(part.name) + "size = [0.3, 0.2, 0.1]\ndensity = 1e3\n" + keys_of(given);
        if (parts_.empty() && floats_) {
            part.at = given;
            text += fmt::format("velocity = {}\nangular_velocity = {}\n",
                                triple(v_ + w_.cross(given.x)),
                                triple(given.R.transpose() * w_));
        } else {
            const Place parent = some_place(true);
            const int f = draw(3);
            static constexpr const char* kTypes[] = {
                "fixed", "revolute", "prismatic", "cylindrical"};
            const int type = draw(4);
            const double angle = type % 2 == 1 ? number() : 0.0, way = type >= 2 ? number() : 0.0;
            const Frame joint{Eigen::AngleAxisd(angle, Vec3::UnitZ()).toRotationMatrix(),
                              way * Vec3::UnitZ()};
            const bool is_turned = draw(2) == 0;  // the child is a
            part.at = parent.at * (is_turned ? joint.inverse() : joint) *
                      part.frames[static_cast<std::size_t>(f)].inverse();
            const std::string own = fmt::format("{}.p{}", part.name, f);
            std::string keys;
            if (type == 3)
                keys = fmt::format(
                    "start = {{angle = {:.17g}, displacement = {:.17g}}}\n", angle, way);
            else if (type > 0)
                keys = fmt::format("start = {:.17g}\n", type == 1 ? angle : way);
            add(fmt::format("[[joint]]\nname = \"j{}\"\ntype = \"{}\"\na = \"{}\"\nb = \"{}\"\n{}",
                            i,
                            kTypes[type],
                            is_turned ? own : parent.text,
                            is_turned ? parent.text : own,
                            keys));
        }
        // What floats goes by the first body of the file
        (parts_.empty() && floats_ ? root_ : blocks_.emplace_back()) = text + with_frames(part);
        parts_.push_back(part);
    }

    void add_link(int i) {
        Place from = some_place(false), to = some_place(false);
        while ((to.at.x - from.at.x).norm() < 1e-3) to = some_place(false);
        const Vec3 way = to.at.x - from.at.x;
        Part part{fmt::format("l{}", i),
                  {turn_to(way), 0.5 * (from.at.x + to.at.x)},
                  {some_frame(), some_frame()},
                  way.norm()};
        add(head(part.name) +
            fmt::format(
                "from = \"{}\"\nto = \"{}\"\nmass = 0.7\nradius = 0.02\n", from.text, to.text) +
            with_frames(part));
        for (const auto& [own, other] : {std::pair{"from", from.text}, std::pair{"to", to.text}})
            add(
                fmt::format("[[joint]]\nname = \"{}{}\"\ntype = \"spherical\"\na = \"{}\"\nb = "
                            "\"{}@{}\"\n",
                            own,
                            i,
                            other,
                            part.name,
                            own));
        parts_.push_back(part);
    }

    std::mt19937 random_;
    bool floats_;
    Part ground_{"ground", {}, {}};
    Vec3 v_, w_;
    std::vector<Part> parts_;
    std::vector<std::string> blocks_;
    std::string root_;
};

std::string refusal(const std::string& text) {
    try {
        model(text);
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

TEST_SUITE("links") {
    TEST_CASE("links lie between frames where joints have put these, in any order of the file") {
        int links = 0;
        for (unsigned seed = 0; seed < 150; ++seed) {
            const Family family(seed);
            CAPTURE(seed);
            CAPTURE(family.text());
            links += family.num_links();
            family.check(model(family.text()));
        }
        CHECK(links > 200);
    }

    TEST_CASE("beams, cables and trusses lie and move between frames where joints have put these") {
        const double angle = 0.7, rate = 2.0, way = 0.3, speed = -0.4;
        const auto with = [&](const std::string& body) {
            return model(
                fmt::format("{}\n[[body]]\nname = \"crank\"\ntype = \"ancf_rigid_body\"\nmass = 2\n"
                            "inertia = [0.1, 0.2, 0.2]\n[[body.frame]]\nname = \"tip\"\n"
                            "position = [0.5, 0.1, 0]\n[[body]]\nname = \"cart\"\n"
                            "type = \"ancf_rigid_body\"\nmass = 2\ninertia = [0.1, 0.2, 0.2]\n"
                            "position = [3, 0, 1]\n"
                            "[[joint]]\nname = \"j\"\ntype = \"revolute\"\na = \"ground\"\n"
                            "b = \"crank\"\npoint = [0, 0, 0]\naxis = \"y\"\nstart = {{angle = {}, "
                            "angle_rate = {}}}\n"
                            "[[joint]]\nname = \"k\"\ntype = \"prismatic\"\na = \"ground\"\n"
                            "b = \"cart\"\npoint = [0, 0, 0]\naxis = \"x\"\n"
                            "start = {{displacement = {}, displacement_rate = {}}}\n{}",
                            body,
                            angle,
                            rate,
                            way,
                            speed,
                            integrator("emm", 1e-3, 1e-3)));
        };
        const Vec3 w(0.0, rate, 0.0);
        const Vec3 from(0.5 * std::cos(angle), 0.1, -0.5 * std::sin(angle));
        const Vec3 to(3.0 + way, 0.0, 1.2), v_from = w.cross(from), v_to(speed, 0.0, 0.0);
        const std::string beam =
            "type = \"beam\"\nsection = {shape = \"tube\", radius = 0.05, thickness = 0.01}\n"
            "young = 1e9\npoisson = 0.3\ndensity = 1000\n";
        for (const std::string& type :
             {"type = \"cable\"\nEA = 1e4\nEI = 2\nmass = 0.3\n"s,
              "type = \"truss\"\nyoung = 1e9\narea = 1e-4\ndensity = 1e3\n"s,
              beam}) {
            CAPTURE(type);
            const std::string line = "[[body]]\nname = \"line\"\n" + type + "elements = 4\n";
            const std::string ends = "from = \"crank.tip\"\nto = \"cart@[0, 0, 0.2]\"\n";
            const Simulation moving = with(line + ends);
            for (int i = 0; i <= 4; ++i) {
                const Simulation::PointState point = moving.point("line@" + std::to_string(i));
                const Vec3 x = from + 0.25 * i * (to - from);
                const Vec3 v = v_from + 0.25 * i * (v_to - v_from);
                CHECK((vec3(point.position) - x).norm() < 1e-11);
                CHECK((vec3(point.velocity) - v).norm() < 1e-11);
            }
            // what is given counts
            const Simulation given = with(line + ends + "velocity = [1, 2, 3]\n");
            CHECK(vec3(given.point("line@3").velocity) == Vec3(1.0, 2.0, 3.0));
            // one end in space, at rest
            const Simulation half = with(line + "from = [0, 1, 0]\nto = \"crank.tip\"\n");
            CHECK((vec3(half.point("line@2").velocity) - 0.5 * v_from).norm() < 1e-11);
        }
        // axes of a beam's nodes turn with the line across it, and about it as the body at `from`
        const Simulation turning =
            with("[[body]]\nname = \"line\"\n" + beam +
                 "elements = 4\nfrom = \"crank.tip\"\nto = \"cart@[0, 0, 0.2]\"\n");
        const Vec3 e = (to - from).normalized();
        const Vec3 omega =
            (to - from).cross(v_to - v_from) / (to - from).squaredNorm() + e.dot(w) * e;
        for (int axis = 0; axis < 3; ++axis) {
            std::string at = "line@2@[0, 0, 0]";
            const Simulation::PointState origin = turning.point(at);
            at[8 + 3 * static_cast<std::size_t>(axis)] = '1';
            const Simulation::PointState tip = turning.point(at);
            const Vec3 d = vec3(tip.position) - vec3(origin.position);
            CHECK((vec3(tip.velocity) - vec3(origin.velocity) - omega.cross(d)).norm() < 1e-11);
        }
        // an arc turns with the body on which it begins
        const Simulation arc =
            with("[[body]]\nname = \"line\"\n" + beam +
                 "elements = 4\nfrom = \"crank.tip\"\narc = {center = [0, 1, 2], "
                 "axis = [1, 0.3, 0.2], angle = 0.9}\n");
        const Simulation::PointState end = arc.point("line@4");
        CHECK((vec3(end.velocity) - v_from - w.cross(vec3(end.position) - from)).norm() < 1e-11);
        // hanging ones, whose lengths suit where they end and nowhere else
        for (const double length : {0.04, 30.0}) {
            const Simulation hanging =
                with(fmt::format("model = {{gravity = [0, 0, -9.81]}}\n[[body]]\nname = \"line\"\n"
                                 "type = \"cable\"\nEA = 1e4\nmass = 0.3\nelements = 8\n"
                                 "length = {}\nstart = \"relaxed\"\nfrom = \"cart@[0, 0, 0]\"\n"
                                 "to = \"cart@[{}, 0, 0]\"\n",
                                 length,
                                 0.9 * length));
            const Vec3 cart = vec3(hanging.pose("cart").position);
            CHECK((vec3(hanging.point("line@end").position) - cart - Vec3(0.9 * length, 0.0, 0.0))
                      .norm() < 1e-11);
            CHECK(hanging.point("line@4").position[2] < cart(2) - 0.1 * length);
        }
    }

    TEST_CASE("a name alone is an array of [parameters], where there is one") {
        const Simulation simulation = model(
            "[parameters]\ntip = [0, 0, 2]\n[[body]]\nname = \"a\"\ntype = "
            "\"ancf_rigid_body\"\nfrom = [0, 0, 0]\nto = \"tip\"\nmass = 1\n" +
            integrator("emm", 1e-3, 1e-3));
        CHECK(vec3(simulation.pose("a").position) == Vec3(0.0, 0.0, 1.0));
    }

    TEST_CASE("a start in a loop is as it is asked for, or refused") {
        const auto four_bar = [](double angle) {
            std::string text;
            for (const auto& [name, size, x, z] :
                 {std::tuple{"crank", "[0.4, 0.05, 0.05]", 0.2, 0.0},
                  std::tuple{"rocker", "[0.05, 0.05, 0.8]", 0.0, 0.4}})
                text += fmt::format(
                    "[[body]]\nname = \"{}\"\ntype = \"ancf_rigid_body\"\nsize = {}\n"
                    "density = 1e3\n"
                    "[[body.frame]]\nname = \"root\"\nposition = [{}, 0, {}]\naxis = "
                    "\"y\"\n[[body.frame]]\nname = \"tip\"\nposition = [{}, 0, {}]\n"
                    "axis = \"y\"\n",
                    name,
                    size,
                    -x,
                    -z,
                    x,
                    z);
            text +=
                "[[body]]\nname = \"coupler\"\ntype = \"ancf_rigid_body\"\nfrom = \"crank.tip\"\n"
                "to = \"rocker.tip\"\nmass = 1\nradius = 0.02\n";
            const auto joint = [&](const char* name, const char* a, const char* b, double start) {
                text += fmt::format(
                    "[[joint]]\nname = \"{}\"\ntype = \"revolute\"\na = \"{}\"\nb = "
                    "\"{}\"\nstart = {:.17g}\n",
                    name,
                    a,
                    b,
                    start);
            };
            joint("j", "ground@[0, 0, 0]", "crank.root", -0.5);
            joint("k", "ground@[1, 0, 0]", "rocker.root", 0.1);
            joint("l", "crank.tip", "coupler@from", angle);
            return text + integrator("emm", 1e-3, 1e-3);
        };
        CHECK(column(model(four_bar(0.0)), "l.angle") == doctest::Approx(0.0));
        for (const double angle : {-2.0, -0.3, 1e-4, 0.7, 3.0})
            CHECK(refusal(four_bar(angle)).find("\"l\": start: asks for angle = ") !=
                  std::string::npos);
    }

    TEST_CASE("rods with an end in numbers keep their length and turn with what carries them") {
        const auto arm = [](const std::string& first, const std::string& second) {
            std::string text;
            for (const auto& [name, from, to] : {std::tuple{"u", "[0, 0, 0]", "[0, 0, 0.4]"},
                                                 std::tuple{"f", "\"u@to\"", "[0, 0.3, 0.8]"},
                                                 std::tuple{"h", "\"f@to\"", "[0, 0.3, 1.8]"}})
                text += fmt::format(
                    "[[body]]\nname = \"{}\"\ntype = \"ancf_rigid_body\"\nfrom = {}\nto = {}\n"
                    "mass = 1\nradius = 0.02\n",
                    name,
                    from,
                    to);
            return model(
                text +
                fmt::format(
                    "[[joint]]\nname = \"j\"\ntype = \"revolute\"\na = \"ground\"\nb = "
                    "\"u@from\"\naxis = \"z\"\n{}"
                    "[[joint]]\nname = \"k\"\ntype = \"revolute\"\na = \"u@to\"\nb = \"f\"\n"
                    "axis = \"x\"\n{}"
                    "[[joint]]\nname = \"l\"\ntype = \"spherical\"\na = \"f@to\"\n"
                    "b = \"h@from\"\n",
                    first,
                    second) +
                integrator("emm", 1e-3, 1e-3));
        };
        for (const auto& [a, b] : {std::pair{0.0, 0.0}, {0.7, 0.0}, {0.0, -0.4}, {0.7, -0.4}}) {
            const Simulation simulation = arm(a != 0.0 ? fmt::format("start = {}\n", a) : "",
                                              b != 0.0 ? fmt::format("start = {}\n", b) : "");
            const Eigen::AngleAxisd first(a, Vec3::UnitZ()), second(b, Vec3::UnitX());
            const Vec3 elbow(0.0, 0.0, 0.4);
            const Vec3 wrist = elbow + first * (second * Vec3(0.0, 0.3, 0.4));
            const Vec3 tip = wrist + first * (second * Vec3(0.0, 0.0, 1.0));
            CHECK((vec3(simulation.point("f@from").position) - elbow).norm() < 1e-14);
            CHECK((vec3(simulation.point("f@to").position) - wrist).norm() < 1e-14);
            CHECK((vec3(simulation.point("h@to").position) - tip).norm() < 1e-14);
            CHECK(column(simulation, "k.angle") == doctest::Approx(b));
        }
    }

    TEST_CASE("joints at a link's end lie along it where nothing else says their axes") {
        const auto telescope = [](const char* across, const char* along) {
            return model(
                fmt::format("[model]\ngravity = [1, -9, 2]\n"
                            "[[body]]\nname = \"leg\"\ntype = \"ancf_rigid_body\"\nfrom = [0.1, 0, "
                            "0]\nto = [0.4, 0, 1]\nmass = 2\nradius = 0.1\n"
                            "[[body]]\nname = \"piston\"\ntype = \"ancf_rigid_body\"\n"
                            "from = \"leg@to\"\nto = [0.7, 0, 2]\nmass = 1\nradius = 0.05\n"
                            "[[joint]]\nname = \"foot\"\ntype = \"universal\"\na = \"ground\"\n"
                            "b = \"leg@from\"\n{}"
                            "[[joint]]\nname = \"slide\"\ntype = \"prismatic\"\na = \"leg@to\"\n"
                            "b = \"piston\"\nspring = 200\n{}",
                            across,
                            along) +
                integrator("emm", 1e-3, 0.3));
        };
        Simulation by_link = telescope("", "");
        Simulation by_axes =
            telescope("axis_a = \"y\"\naxis_b = [-1, 0, 0.3]\n", "axis = [0.3, 0, 1]\n");
        run_to_end(by_link);
        run_to_end(by_axes);
        CHECK(std::abs(column(by_axes, "slide.displacement")) > 1e-2);
        CHECK(std::abs(column(by_axes, "foot.angle_b")) > 0.1);
        for (const char* name : {"slide.displacement", "foot.angle_a", "foot.angle_b", "piston.y"})
            CHECK(column(by_link, name) == doctest::Approx(column(by_axes, name)).epsilon(1e-9));

        // Two links that lie across each other leave the axis open
        CHECK(refusal("[[body]]\nname = \"leg\"\ntype = \"ancf_rigid_body\"\nfrom = [0, 0, 0]\nto "
                      "= [0, 0, 1]\nmass = 2\n[[body]]\nname = \"arm\"\ntype = \"ancf_rigid_body\""
                      "\nfrom = [0, 0, 1]\nto = [0, 1, 1]\nmass = 2\n[[joint]]\nname = \"slide\"\n"
                      "type = \"prismatic\"\na = \"leg@to\"\nb = \"arm@from\"\n" +
                      integrator("emm", 1e-3, 1e-3))
                  .find("slide\": axis: is missing") != std::string::npos);
    }

    TEST_CASE("links that have no place are refused") {
        const auto link =
            [](const std::string& name, const std::string& from, const std::string& to) {
                return fmt::format(
                    "[[body]]\nname = \"{}\"\ntype = \"ancf_rigid_body\"\nfrom = \"{}\"\n"
                    "to = \"{}\"\nmass = 1\n",
                    name,
                    from,
                    to);
            };
        const std::string end = integrator("emm", 1e-3, 1e-3);
        CHECK(refusal(link("a", "b@to", "ground@[1, 0, 0]") +
                      link("b", "a@to", "ground@[0, 1, 0]") + end)
                  .find("\"a\": ends on \"b\", which itself begins or ends on it") !=
              std::string::npos);
        CHECK(refusal(link("a", "a@to", "ground@[1, 0, 0]") + end)
                  .find("a point of the body itself") != std::string::npos);
        CHECK(refusal(link("arm", "ground@[0, 0, 1]", "ram@[1, 0, 0]") + end)
                  .find("did you mean \"arm\"") != std::string::npos);
        CHECK(refusal(link("arm", "ground@[0, 0, 1]", "ground.pier") + end)
                  .find("the ground has no frame \"pier\"") != std::string::npos);
        const auto cable = [&](const std::string& from, const std::string& keys) {
            return refusal("[[body]]\nname = \"line\"\ntype = \"cable\"\nfrom = \"" + from +
                           "\"\nto = [9, 0, 1]\n" + keys + end);
        };
        CHECK(cable("mast.top", "EA = 1e3\nmass = 1\n").find("no body \"mast\"") !=
              std::string::npos);
        CHECK(cable("ground@[0, 0, 1]", "EA = 1e3\nmass = 1\nlength = 2\nstart = \"relaxed\"\n")
                  .find("times the length") != std::string::npos);
        CHECK(refusal(link("arm", "ground@[0, 0, 1]", "ground@[0, 0, 1]") + end)
                  .find("both ends of the rod are one point") != std::string::npos);
    }
}

}  // namespace
}  // namespace ancora::testing
