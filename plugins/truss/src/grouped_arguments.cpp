// SPDX-License-Identifier: BSD-3-Clause
// Spreads the parameters of groups over elements and nodes.
#include "grouped_arguments.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "groups.hpp"
#include "text.hpp"

namespace ancora::truss {
namespace {

constexpr const char* kPerElement[] = {"young",
                                       "area",
                                       "density",
                                       "damping",
                                       "prestress",
                                       "tension_only",
                                       "breaking_strain",
                                       "rest_length"};

double value_of(const Arguments& group, const char* key) {
    // Over time: whatever is positive; what it is at the start is put there when it is read
    if (key == std::string_view("rest_length") && is_over_time(group)) return 1.0;
    if (group.shape(key) == Shape::boolean) return group.boolean(key) ? 1.0 : 0.0;
    return group.number(key);
}

}  // namespace

GroupedArguments::GroupedArguments(const Arguments& given, const Network& net) : given_(given) {
    if (!given.given("groups")) return;
    const Arguments& table = given.table("groups");
    for (int k = 0; k < table.num_texts("*"); ++k) {
        const std::string_view name = table.text("*", k);
        try {
            groups_.push_back(&find_group(net, name));
        } catch (const std::invalid_argument& none) {
            table.fail(name, none.what());
        }
    }
    for (const char* key : kPerElement) spread(key, net);
    spread_masses(net);
}

void GroupedArguments::spread(const char* key, const Network& net) {
    std::vector<double> values;
    std::vector<const Group*> from(net.elements.size(), nullptr);
    for (const Group* group : groups_) {
        const Arguments& table = given_.table("groups").table(group->name);
        if (!table.given(key)) continue;
        if (group->elements.empty())
            table.fail(key, "group " + quoted(group->name) + " has no elements, only nodes");
        if (values.empty()) values = own_values(key, net);
        for (const std::int32_t e : group->elements) {
            const auto at = static_cast<std::size_t>(e);
            if (from[at] != nullptr)
                table.fail(key,
                           "element " + std::to_string(e) + " is also in group " +
                               quoted(from[at]->name) + ", which gives it another " + quoted(key));
            from[at] = group;
            values[at] = value_of(table, key);
        }
    }
    if (values.empty()) return;
    const auto none = std::ranges::find_if(values, [](double x) {
        return std::isnan(x);
    });
    if (none != values.end())
        given_.fail("groups",
                    "element " + std::to_string(none - values.begin()) +
                        " is in no group that gives " + quoted(key) +
                        "; write a value for all others beside \"groups\"");
    spread_[key] = std::move(values);
}

// What elements have without groups; NaN: they need a value and have none.
std::vector<double> GroupedArguments::own_values(const char* key, const Network& net) const {
    const std::string_view name = key;
    const std::size_t num = net.elements.size();
    if (!given_.has(key)) {
        if (name == "rest_length") return net.distance_at_rest;
        const double infinity = std::numeric_limits<double>::infinity();
        const double missing = std::numeric_limits<double>::quiet_NaN();
        return std::vector<double>(num, name == "breaking_strain" ? infinity : missing);
    }
    if (name == "rest_length" && is_over_time(given_)) return net.distance_at_rest;
    if (given_.shape(key) == Shape::text)
        given_.fail(key, "\"spin\" sets all rest lengths; a group cannot give others");
    if (given_.shape(key) != Shape::vector) return std::vector<double>(num, value_of(given_, key));
    const std::span<const double> values = given_.numbers(key);
    if (values.size() != num)
        given_.fail(key,
                    "there are " + std::to_string(values.size()) + " values for " +
                        std::to_string(num) +
                        " elements; write one value for all or one per "
                        "element");
    return {values.begin(), values.end()};
}

void GroupedArguments::add_over_time(const Network& net, RestLengths& to) const {
    const auto read = [](const Arguments& from) {
        return read_motion(from, "rest_length", {"rest_length"});
    };
    std::vector<bool> has_own(net.elements.size(), true);
    for (const Group* group : groups_) {
        const Arguments& table = given_.table("groups").table(group->name);
        if (!table.given("rest_length")) continue;
        for (const std::int32_t e : group->elements) has_own[e] = false;
        if (is_over_time(table)) to.add(read(table), 1.0, group->elements);
    }
    if (!is_over_time(given_)) {
        for (const char* option : {"interpolation", "outside"})
            if (given_.given(option))
                given_.fail(option, "is about a table of rest_length, and there is none");
        return;
    }
    std::vector<std::int32_t> own;
    for (std::size_t e = 0; e < has_own.size(); ++e)
        if (has_own[e]) own.push_back(static_cast<std::int32_t>(e));
    const double share = net.is_rope ? 1.0 / static_cast<double>(net.elements.size()) : 1.0;
    to.add(read(given_), share, std::move(own));
}

// Rows of node and mass: those that are given, then those of groups.
void GroupedArguments::spread_masses(const Network& net) {
    std::vector<double> added(static_cast<std::size_t>(net.num_nodes()), 0.0);
    bool is_any = false;
    for (const Group* group : groups_) {
        const Arguments& table = given_.table("groups").table(group->name);
        if (!table.given("node_mass")) continue;
        is_any = true;
        for (const std::int32_t i : group->nodes) added[i] += table.number("node_mass");
    }
    if (!is_any) return;
    std::vector<double>& rows = spread_["node_masses"];
    if (given_.given("node_masses")) {
        const std::span<const double> own = given_.numbers("node_masses");
        rows.assign(own.begin(), own.end());
    }
    for (std::size_t k = 0; k + 1 < rows.size(); k += 2) {
        if (!(rows[k] >= 0 && rows[k] < net.num_nodes())) continue;  // refused by who reads it
        double& mass = added[rows[k]];
        rows[k + 1] += mass;
        mass = 0.0;
    }
    for (std::size_t i = 0; i < added.size(); ++i)
        if (added[i] > 0.0) rows.insert(rows.end(), {static_cast<double>(i), added[i]});
}

Shape GroupedArguments::shape(std::string_view key) const {
    if (!is_spread(key)) return given_.shape(key);
    return key == "node_masses" ? Shape::matrix : Shape::vector;
}

std::span<const double> GroupedArguments::numbers(std::string_view key) const {
    const auto values = spread_.find(key);
    return values == spread_.end() ? given_.numbers(key) : std::span<const double>(values->second);
}

int GroupedArguments::rows(std::string_view key) const {
    if (!is_spread(key)) return given_.rows(key);
    return static_cast<int>(numbers(key).size()) / (key == "node_masses" ? 2 : 1);
}

void GroupedArguments::fail(std::string_view key, std::string_view message) const {
    if (is_spread(key) && !given_.given(key)) {
        const std::string_view in_group = key == "node_masses" ? "node_mass" : key;
        for (const Group* group : groups_) {
            const Arguments& table = given_.table("groups").table(group->name);
            if (table.given(in_group)) table.fail(in_group, message);
        }
    }
    given_.fail(key, message);
}

}  // namespace ancora::truss
