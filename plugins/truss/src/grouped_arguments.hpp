// SPDX-License-Identifier: BSD-3-Clause
// A truss's parameters with those of its groups spread over the elements and nodes.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ancora/sdk/arguments.hpp"
#include "network.hpp"
#include "rest_lengths.hpp"

namespace ancora::truss {

/// What a truss was given, read as if `groups` had been written out: a key that a group gives is a
/// list of one value per element, and point masses of groups stand among `node_masses`.
///
/// An element has the value of its group, and the truss's own value where no group gives one.
/// Refused through Arguments::fail: groups that the network does not have, elements that get a
/// value from two groups, and elements that get none of what they need.
class GroupedArguments final : public Arguments {
public:
    /// [assembly] Both must outlive it, the network perhaps at another place.
    GroupedArguments(const Arguments& given, const Network& net);

    std::string_view object_name() const override { return given_.object_name(); }
    std::array<double, 3> gravity() const override { return given_.gravity(); }
    double begin_time() const override { return given_.begin_time(); }
    double end_time() const override { return given_.end_time(); }
    bool has(std::string_view key) const override { return is_spread(key) || given_.has(key); }
    bool given(std::string_view key) const override { return is_spread(key) || given_.given(key); }
    Shape shape(std::string_view key) const override;
    bool boolean(std::string_view key) const override { return given_.boolean(key); }
    std::int64_t integer(std::string_view key) const override { return given_.integer(key); }
    double number(std::string_view key) const override { return given_.number(key); }
    std::string_view text(std::string_view key) const override { return given_.text(key); }
    std::span<const double> numbers(std::string_view key) const override;
    int rows(std::string_view key) const override;
    int num_texts(std::string_view key) const override { return given_.num_texts(key); }
    std::string_view text(std::string_view key, int index) const override {
        return given_.text(key, index);
    }
    std::string_view path(std::string_view key) const override { return given_.path(key); }
    const Arguments& table(std::string_view key) const override { return given_.table(key); }
    const RigidMotion& motion_of(std::string_view key) const override {
        return given_.motion_of(key);
    }
    void add_break_points(std::shared_ptr<const BreakPoints> points) const override {
        given_.add_break_points(std::move(points));
    }
    void warn(std::string_view key, std::string_view message) const override {
        given_.warn(key, message);
    }
    /// Adds the rest lengths that the truss or its groups give over time.
    void add_over_time(const Network& net, RestLengths& to) const;
    /// At the group's value where only a group gives the key.
    void fail(std::string_view key, std::string_view message) const override;
    void fail_in_file(std::string_view key,
                      int line,
                      int column,
                      std::string_view message) const override {
        given_.fail_in_file(key, line, column, message);
    }

private:
    bool is_spread(std::string_view key) const { return spread_.find(key) != spread_.end(); }
    void spread(const char* key, const Network& net);
    void spread_masses(const Network& net);
    std::vector<double> own_values(const char* key, const Network& net) const;

    const Arguments& given_;
    std::vector<const Group*> groups_;  ///< that have parameters, in the manifest's order
    std::map<std::string, std::vector<double>, std::less<>> spread_;  ///< values by key
};

}  // namespace ancora::truss
