// SPDX-License-Identifier: BSD-3-Clause
// Groups of contacts in models of blocks that are tied at random, against the graph of their ties.
#include "contact_groups.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "contact_responses.hpp"
#include "framework/models.hpp"

namespace ancora::testing {
namespace {

/// Ways to tie the blocks a and b, which the step's matrix knows as rows, or as a force's tangent.
const char* const kTies[] = {
    "[[constraint]]\nname = \"tie{0}\"\ntype = \"test_spring\"\nlaw = \"elastic\"\naxis = [0.6, "
    "0.8, 0]\na = \"b{1}@[0, 0, 0]\"\nb = \"b{2}@[0, 0, 0]\"\n",
    "[[constraint]]\nname = \"tie{0}\"\ntype = \"distance\"\na = \"b{1}@[0, 0, 0]\"\nb = "
    "\"b{2}@[0, 0, 0]\"\n",
    "[[force]]\nname = \"tie{0}\"\ntype = \"motor\"\neffort = \"-10*value\"\na = \"b{1}@[0, 0, "
    "0]\"\nb = \"b{2}@[0, 0, 0]\"\n",
};

/// Blocks of which some rub on the ground, by one contact or two, and ties between pairs of them.
struct Blocks {
    struct Tie {
        int a, b;
        std::size_t how;
    };
    std::vector<int> num_contacts;  ///< of each block
    std::vector<Tie> ties;

    std::string text() const {
        std::string out = "[integrator]\ntype = \"emm\"\nstep = 1e-3\nend = 1.0\n";
        for (std::size_t i = 0; i < num_contacts.size(); ++i)
            out += fmt::format(
                "[[body]]\nname = \"b{}\"\ntype = \"ancf_rigid_body\"\nsize = [0.5, 0.4, 0.3]\n"
                "density = 100.0\nposition = [{}, {}, {}]\n",
                i,
                2.0 * static_cast<double>(i % 3),
                1.5 * static_cast<double>(i / 3),
                0.01 * static_cast<double>(i * i));
        for (std::size_t i = 0; i < num_contacts.size(); ++i)
            for (int c = 0; c < num_contacts[i]; ++c)
                out += fmt::format(
                    "[[constraint]]\nname = \"on{0}_{1}\"\ntype = \"point_on_plane\""
                    "\npoint = \"b{0}@[{2}, 0, 0]\"\norigin = [0, 0, {3}]\nnormal = "
                    "[0, 0, 1]\n[[force]]\nname = \"rub{0}_{1}\"\ntype = "
                    "\"coulomb_friction\"\non = \"on{0}_{1}\"\nmu_static = 0.5\n",
                    i,
                    c,
                    0.1 * c,
                    0.01 * static_cast<double>(i * i));
        for (std::size_t k = 0; k < ties.size(); ++k)
            out += fmt::format(fmt::runtime(kTies[ties[k].how]), k, ties[k].a, ties[k].b);
        return out;
    }
    /// The least block that each hangs together with, by going along the ties until nothing
    /// changes.
    std::vector<int> components() const {
        std::vector<int> of(num_contacts.size());
        for (std::size_t i = 0; i < of.size(); ++i) of[i] = static_cast<int>(i);
        for (std::size_t round = 0; round < of.size(); ++round)
            for (const Tie& tie : ties) of[tie.a] = of[tie.b] = std::min(of[tie.a], of[tie.b]);
        return of;
    }
};

struct GroupedContacts {
    explicit GroupedContacts(const std::string& text)
        : model(manifest(text), plugins.registry),
          parts(model),
          contacts(parts, parts.m),
          groups(parts, contacts) {}
    /// The block whose point a contact's constraint holds, by the name of the constraint.
    int block_of(const Contact& contact) const {
        const std::string& label = model.constraints[contact.constraint].object.label;
        return std::stoi(label.substr(label.find("on", label.find('"')) + 2));
    }

    Plugins plugins;
    Model model;
    Assembly parts;
    Contacts contacts;
    ContactGroups groups;
};

void check_against_graph(const Blocks& blocks) {
    const GroupedContacts found(blocks.text());
    const std::vector<int> component = blocks.components();
    const std::vector<Contact>& contacts = found.contacts.all();
    // The same group where, and only where, the blocks hang together.
    for (std::size_t c = 0; c < contacts.size(); ++c)
        for (std::size_t d = 0; d < contacts.size(); ++d)
            CHECK(
                (&found.groups.of_contact(c) == &found.groups.of_contact(d)) ==
                (component[found.block_of(contacts[c])] == component[found.block_of(contacts[d])]));
    // Each contact and each row is in one group, once, in rising order, where place_of() says.
    std::vector<int> rows(static_cast<std::size_t>(found.contacts.num_rows()), 0);
    std::size_t num_contacts = 0;
    std::size_t largest = 0;
    for (const ContactGroup& group : found.groups.all()) {
        REQUIRE(!group.contacts.empty());
        CHECK(std::ranges::is_sorted(group.contacts));
        CHECK(std::ranges::is_sorted(group.rows));
        num_contacts += group.contacts.size();
        largest = std::max(largest, group.rows.size());
        for (std::size_t place = 0; place < group.rows.size(); ++place) {
            ++rows[group.rows[place]];
            CHECK(found.groups.place_of(group.rows[place]) == static_cast<int>(place));
            CHECK(&found.groups.of_contact(static_cast<std::size_t>(
                      found.contacts.contact_of(group.rows[place]))) == &group);
        }
    }
    CHECK(num_contacts == contacts.size());
    CHECK(std::ranges::all_of(rows, [](int count) {
        return count == 1;
    }));
    CHECK(found.groups.num_places() == static_cast<int>(largest));
    // A block's coordinates and rows have the group of its component's contacts; without any, none.
    std::map<int, int> group_of;
    for (std::size_t c = 0; c < contacts.size(); ++c)
        group_of[component[found.block_of(contacts[c])]] =
            static_cast<int>(&found.groups.of_contact(c) - found.groups.all().data());
    const auto expected = [&](std::size_t block) {
        const auto at = group_of.find(component[block]);
        return at == group_of.end() ? -1 : at->second;
    };
    std::vector<int> block_of_coordinate(static_cast<std::size_t>(found.parts.n));
    for (std::size_t block = 0; block < blocks.num_contacts.size(); ++block) {
        const BodyPart& part = found.model.bodies[block];
        for (int i = part.first; i < part.first + part.count; ++i) {
            block_of_coordinate[i] = static_cast<int>(block);
            CHECK(found.groups.of_coordinates()[i] == expected(block));
        }
    }
    for (int k = 0; k < found.parts.m; ++k) {
        const int i = found.parts.rows.column_of(found.parts.rows.row_begin(k));
        CHECK(found.groups.of_rows()[k] ==
              expected(static_cast<std::size_t>(block_of_coordinate[i])));
    }
}

}  // namespace

TEST_SUITE("groups of contacts") {
    TEST_CASE("blocks of their own are groups of their own") {
        Blocks blocks{{1, 2, 1, 0, 1}, {}};
        check_against_graph(blocks);
        CHECK(GroupedContacts(blocks.text()).groups.all().size() == 4);
    }

    TEST_CASE("two blocks that anything ties are one group, the third is another") {
        for (std::size_t how = 0; how < std::size(kTies); ++how) {
            CAPTURE(how);
            const Blocks blocks{{1, 1, 2}, {{0, 2, how}}};
            check_against_graph(blocks);
            const GroupedContacts found(blocks.text());
            CHECK(found.groups.all().size() == 2);
            CHECK(found.groups.num_places() == 6);
        }
        // The tie that is a force acts by its tangent.
        const GroupedContacts by_force(Blocks{{1, 1}, {{0, 1, 2}}}.text());
        CHECK(by_force.parts.forces.parts_with_tangent().size() == 1);
    }

    TEST_CASE("blocks without friction carry on what ties them") {
        for (std::size_t how = 0; how < std::size(kTies); ++how) {
            check_against_graph({{1, 0, 1, 1}, {{0, 1, how}, {1, 2, how}}});
            check_against_graph({{1, 0, 0, 1}, {{0, 1, how}, {2, 3, how}}});
        }
    }

    TEST_CASE("as many unit solves as the largest group has rows, however many groups there are") {
        for (const int count : {1, 2, 5, 9}) {
            CAPTURE(count);
            // Each pair is tied, with one contact and two; the blocks behind have one each.
            Blocks blocks;
            for (int pair = 0; pair < count; ++pair) {
                blocks.num_contacts.insert(blocks.num_contacts.end(), {1, 2});
                blocks.ties.push_back({2 * pair, 2 * pair + 1, static_cast<std::size_t>(pair % 3)});
            }
            for (int k = 0; k < count; ++k) blocks.num_contacts.push_back(1);
            GroupedContacts found(blocks.text());
            std::vector<double> q(static_cast<std::size_t>(found.parts.n)), v = q;
            found.parts.read_start(q.data(), v.data());
            found.contacts.evaluate(q.data(), v.data(), 0.0);
            ContactResponses responses(found.parts, found.contacts);
            int num_solves = 0;
            int num_touched = 0;  // groups that one of the solves acts on
            responses.ask([&](std::span<const double> force, auto, auto) {
                ++num_solves;
                std::set<int> touched;
                for (std::size_t i = 0; i < force.size(); ++i)
                    if (force[i] != 0.0) touched.insert(found.groups.of_coordinates()[i]);
                num_touched += static_cast<int>(touched.size());
            });
            CHECK(num_solves == 6);  // three contacts in two directions
            CHECK(num_touched == found.contacts.num_rows());
        }
    }

    TEST_CASE("blocks tied at random") {
        std::mt19937 random(1);
        const auto below = [&random](int end) {
            return std::uniform_int_distribution<int>(0, end - 1)(random);
        };
        for (int trial = 0; trial < 25; ++trial) {
            Blocks blocks;
            const int count = 2 + below(6);
            for (int i = 0; i < count; ++i) blocks.num_contacts.push_back(below(3));
            blocks.num_contacts[below(count)] = 1;
            for (int k = below(count); k > 0; --k) {
                const int a = below(count);
                const int b = (a + 1 + below(count - 1)) % count;
                blocks.ties.push_back({a, b, static_cast<std::size_t>(below(3))});
            }
            check_against_graph(blocks);
        }
    }
}

}  // namespace ancora::testing
