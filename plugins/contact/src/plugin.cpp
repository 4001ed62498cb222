// SPDX-License-Identifier: BSD-3-Clause
// Entry point of the plugin "contact".
#include "ancora/sdk/plugin.hpp"

#include "ancora/pairs/gap_law.hpp"
#include "ancora/pairs/shape_contact.hpp"
#include "contact.hpp"
#include "group_contact.hpp"
#include "pairs.hpp"

namespace {

namespace p = ancora::parameter;

constexpr ancora::Parameter kPlane[] = {
    p::vector("point", 3, "m", "a point of the plane, axes of b").otherwise("[0.0, 0.0, 0.0]"),
    p::vector("normal", 3, "", "out of what a may not enter, axes of b, of any length").required(),
};

constexpr ancora::Parameter kFriction[] = {
    p::number("mu_static", "-", "coefficient of static friction; left out: mu_kinetic")
        .nonnegative()
        .sensitive(),
    p::number("mu_kinetic", "-", "coefficient of kinetic friction; left out: mu_static")
        .nonnegative()
        .sensitive(),
    p::number("viscous", "N s/m", "adds c |w| while it slips")
        .nonnegative()
        .otherwise("0.0")
        .sensitive(),
    p::number("stribeck_velocity", "m/s", "speed over which static falls to kinetic friction")
        .positive()
        .sensitive(),
    p::vector("surface_velocity", 3, "m/s", "of the surface of b, such as a belt's")
        .otherwise("[0.0, 0.0, 0.0]"),
};

constexpr ancora::Parameter kContact[] = {
    p::frame("a", "a body, or a point of one: the centre; the reaction is the force on it"),
    p::frame("b", "another, or \"ground\""),
    p::text("bodies",
            "instead of a and b: many bodies, * and ? for any characters, or \"ground\"; points of "
            "films and nets, \"sail@rim\"")
        .or_texts(),
    p::text("with", "those that they meet; left out: each other").or_texts(),
    p::matrix("planes", 0, 4, "m", "rows [n, d]: fixed planes that bodies do not enter, n.x >= d"),
    p::text("materials", "of both shapes of a pair: the contact is about no others").or_texts(),
    p::number("radius", "m", "of a sphere about the point of a, or about points; 0: points")
        .nonnegative()
        .otherwise("0.0"),
    p::number("radius_b", "m", "of a sphere about the point of b; 0: the point itself")
        .nonnegative()
        .otherwise("0.0"),
    p::table("shape", ancora::contact::kShapeKeys, "of a, about its point"),
    p::table("shape_b", ancora::contact::kShapeKeys, "of b, about its point"),
    p::boolean("inside", "the sphere a is inside of the sphere or cylinder of b")
        .otherwise("false"),
    p::table("plane", kPlane, "b is a plane, carried by the body b or fixed in space"),
    p::matrix("solids", 0, 14, "m", "shapes of `bodies`, put in by the program from their `shape`"),
    p::matrix("points", 0, 3, "m", "corners of hulls among these, put in likewise"),
    p::matrix("apart", 0, 2, "", "pairs of these that do not meet, put in likewise"),
    p::number("restitution", "-", "e: impulse of expansion per impulse of compression")
        .at_least(0.0)
        .at_most(1.0)
        .otherwise("0.0")
        .sensitive(),
    p::text("law",
            "what restitution says: impulses, p' = e p; rates, u+ = -e u-, of which friction may "
            "leave less; works, W' = -e^2 W (Stronge), of one contact at a time",
            "poisson|newton|energetic")
        .otherwise("\"poisson\""),
    p::number("friction", "-", "mu, or a table: a force \"coulomb_friction\" inside")
        .nonnegative()
        .or_table(kFriction)
        .making("coulomb_friction", "mu_kinetic")
        .sensitive(),
};

void* create(const ancora::Arguments& arguments) {
    using namespace ancora::contact;
    ancora::Constraint* out = nullptr;
    if (GroupContact::is_meant(arguments))
        out = new GroupContact(arguments);
    else if (arguments.given("shape") || arguments.given("shape_b"))
        out = shape_contact(read_side(arguments, false),
                            read_side(arguments, true),
                            arguments.boolean("inside"),
                            gap_law(arguments),
                            [&arguments](const char* key, const char* message) {
                                arguments.fail(key, message);
                            })
                  .release();
    else
        out = new Contact(arguments);
    return out;
}

constexpr ancora::TypeDescriptor made_by_shape(ancora::TypeDescriptor type) {
    type.create = &create;
    return type;
}

constexpr ancora::TypeDescriptor kTypes[] = {
    made_by_shape(ancora::type<ancora::contact::Contact>(
        "contact",
        {.doc = "two bodies do not overlap, and bounce where they meet: spheres, points, boxes, "
                "capsules and cylinders",
         .equation = "g >= 0: n . (c - o) - R, (r . r - D^2) / (2 D); at an impact p' = e p "
                     "(Poisson), 0 <= reaction _|_ g >= 0 between impacts",
         .source = "Ch. Glocker, Set-Valued Force Laws, Springer, 2001",
         .examples =
             {"a = \"a\"\n"
              "b = \"ground\"\n"
              "radius = 0.1\n"
              "plane = { point = [0.0, 0.0, -5.0], normal = [0.1, 0.2, 1.0] }\n"
              "restitution = 0.7",
              "a = \"a@[0.3, 0.1, -0.2]\"\n"
              "b = \"b\"\n"
              "plane = { point = [-9.0, 0.0, 0.0], normal = [1.0, 0.2, 0.0] }",
              "a = \"a\"\n"
              "b = \"b\"\n"
              "radius = 0.02\n"
              "radius_b = 0.03\n"
              "restitution = 1.0",
              "a = \"a\"\n"
              "b = \"ground@[0.1, 0.0, 0.0]\"\n"
              "radius = 0.1\n"
              "radius_b = 20.0\n"
              "inside = true",
              "a = \"a\"\n"
              "b = \"ground\"\n"
              "shape = { box = [0.3, 0.2, 0.1], position = [0.1, 0.0, 0.0] }\n"
              "plane = { point = [0.0, 0.0, -5.0], normal = [0.1, 0.2, 1.0] }\n"
              "restitution = 0.3",
              "a = \"a\"\n"
              "b = \"b\"\n"
              "shape = { sphere = 0.02 }\n"
              "shape_b = { box = [0.03, 0.02, 0.04] }",
              "a = \"a\"\n"
              "b = \"b\"\n"
              "shape = { capsule = { radius = 0.02, from = [0, 0, 0], to = [0.03, 0, 0] } }\n"
              "plane = { point = [-9.0, 0.0, 0.0], normal = [1.0, 0.2, 0.0] }",
              "bodies = [\"a\", \"b\"]\n"
              "solids = [[0, 3, 3, 0, 0.02, 0, 0, 0, 0, 0, 1, 0, 0, 0], "
              "[1, 3, 3, 1, 0.02, 0.03, 0, 0.01, 0, 0, 0.6, 0.8, 0, 0], "
              "[1, 3, 3, 4, 0, 4, 0, 0, 0, 0.1, 1, 0, 0, 0], "
              "[1, 3, 3, 0, 0.01, 0, 0, 0, 0, 0, 1, 0, 0, 0]]\n"
              "points = [[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]\n"
              "planes = [[0.1, 0.2, 1.0, -20.0]]"}},
        kContact)),
};

}  // namespace

ANCORA_PLUGIN("contact", "0.1.0", kTypes)
