// SPDX-License-Identifier: BSD-3-Clause
// Reads stations along a beam, and interpolates between them.
#include "stations.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "ancora/sdk/helpers/nodes.hpp"
#include "ancora/sdk/helpers/number_file.hpp"

namespace ancora::beam {
namespace {

/// The schema's own text of a name, or null.
const Parameter* find_column(std::string_view name) {
    const auto* const found = std::ranges::find_if(kStations, [&](const Parameter& p) {
        return name == p.name;
    });
    return found == std::end(kStations) ? nullptr : found;
}

std::string names_of_columns() {
    std::string out;
    for (const Parameter& p : kStations) out += (out.empty() ? "" : ", ") + std::string(p.name);
    return out;
}

}  // namespace

double AlongBeam::at(double s) const {
    // The first station beyond s; behind the last one there is nothing
    return on(static_cast<std::size_t>(std::ranges::upper_bound(at_, s) - at_.begin()), s);
}

double AlongBeam::before(double s) const {
    return on(static_cast<std::size_t>(std::ranges::lower_bound(at_, s) - at_.begin()), s);
}

/// Between the stations before and behind `piece`
double AlongBeam::on(std::size_t piece, double s) const {
    const std::size_t k = std::clamp<std::size_t>(piece, 1, at_.size() - 1);
    const double length = at_[k] - at_[k - 1];
    const double b = length > 0.0 ? (s - at_[k - 1]) / length : 1.0;
    return std::lerp(values_[k - 1], values_[k], b);
}

double AlongBeam::integral(double s) const {
    double sum = 0.0;
    for (std::size_t k = 1; k < at_.size() && at_[k - 1] < s; ++k) {
        const double length = at_[k] - at_[k - 1];
        if (!(length > 0.0)) continue;
        const double b = std::min((s - at_[k - 1]) / length, 1.0);
        sum += b * length * (values_[k - 1] + 0.5 * b * (values_[k] - values_[k - 1]));
    }
    return sum;
}

double AlongBeam::mean(double a, double b) const {
    if (std::ranges::all_of(values_, [&](double x) {
            return x == values_.front();
        }))
        return values_.front();
    return (integral(b) - integral(a)) / (b - a);
}

Stations::Stations(const Arguments& arguments) {
    if (!arguments.given("stations")) return;
    if (arguments.given("end_section"))
        arguments.fail("end_section",
                       "and \"stations\" both say how the section changes; keep one of them");
    if (arguments.shape("stations") == Shape::file)
        read_file(arguments);
    else
        read_lists(arguments.table("stations"));
}

void Stations::read_lists(const Arguments& table) {
    const std::span<const double> at = table.numbers("at");
    if (at.size() < 2 || at.front() != 0.0 || at.back() != 1.0 || !std::ranges::is_sorted(at))
        table.fail("at", "goes from 0, the first node, up to 1, the last one");
    for (const Parameter& p : kStations) {
        const std::string_view name = p.name;
        if (name == "at" || !table.given(name)) continue;
        const std::span<const double> values = table.numbers(name);
        if (values.size() != at.size())
            table.fail(name,
                       "has " + std::to_string(values.size()) + " numbers, for the " +
                           std::to_string(at.size()) + " stations of \"at\"");
        columns_.emplace_back(name,
                              AlongBeam({at.begin(), at.end()}, {values.begin(), values.end()}));
    }
    if (columns_.empty()) table.fail("at", "is alone: give what differs there, such as \"EI_1\"");
}

void Stations::read_file(const Arguments& arguments) {
    const NumberRows rows = read_numbers(arguments, "stations", 0, names_of_columns());
    const std::size_t width = rows.names.size(), count = rows.lines.size();
    const auto fail = [&](std::size_t row, const std::string& message) {
        const bool is_row = row < count;
        arguments.fail_in_file(
            "stations", is_row ? rows.lines[row] : 0, is_row ? rows.columns[row] : 0, message);
    };
    std::vector<std::vector<double>> lists(width);
    for (std::size_t k = 0; k < rows.values.size(); ++k) lists[k % width].push_back(rows.values[k]);
    const auto where = std::ranges::find(rows.names, "at");
    if (where == rows.names.end())
        fail(count, "no column is called \"at\", the part of the way along the beam, 0 to 1");
    const std::vector<double>& at = lists[static_cast<std::size_t>(where - rows.names.begin())];
    if (count < 2) fail(count, "a beam has two stations or more");
    if (at.front() != 0.0) fail(0, "\"at\" begins with 0, the first node");
    if (at.back() != 1.0) fail(count - 1, "\"at\" ends with 1, the last node");
    for (std::size_t k = 1; k < count; ++k)
        if (at[k] < at[k - 1]) fail(k, "\"at\" falls; stations go along the beam");
    for (std::size_t i = 0; i < width; ++i) {
        const std::string& name = rows.names[i];
        const Parameter* const column = find_column(name);
        if (column == nullptr)
            fail(count,
                 nodes::quoted(name) + " is no number of a section; columns are " +
                     names_of_columns());
        if (std::ranges::count(rows.names, name) > 1)
            fail(count, "two columns are called " + nodes::quoted(name));
        if (name == "at") continue;
        for (std::size_t k = 0; k < count; ++k)
            if (name != "twist" && !(lists[i][k] > 0.0))
                fail(k,
                     nodes::quoted(name) + " is " + nodes::text(lists[i][k]) +
                         "; it must be above zero");
        columns_.emplace_back(column->name, AlongBeam(at, lists[i]));
    }
    if (columns_.empty()) fail(count, "nothing differs along the beam: \"at\" is the only column");
}

const AlongBeam* Stations::find(std::string_view name) const {
    const auto found = std::ranges::find(columns_, name, &Column::first);
    return found == columns_.end() ? nullptr : &found->second;
}

}  // namespace ancora::beam
