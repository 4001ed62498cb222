// SPDX-License-Identifier: BSD-3-Clause
// A good plugin: point masses with groups and names.
#include <array>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ancora/sdk/plugin.hpp"

namespace ancora::zoo {
namespace {

/// Point masses of 1 kg that nothing holds together: groups "*" and "even"; "first" is point 0.
class TestCluster final : public Body, private BodyNames {
public:
    static constexpr Parameter kParameters[] = {
        parameter::matrix("positions", 0, 3, "m", "one row for each point").required(),
    };

    explicit TestCluster(const Arguments& arguments)
        : r_(arguments.numbers("positions").begin(), arguments.numbers("positions").end()) {
        for (std::int32_t i = 0; i < static_cast<std::int32_t>(r_.size()); ++i)
            coordinates_.push_back({i / 3, i % 3, true, 1.0});
        for (std::int32_t i = 0; i < arguments.rows("positions"); ++i) {
            all_.push_back(i);
            if (i % 2 == 0) even_.push_back(i);
        }
    }

    std::span<const Coordinate> coordinates() const override { return coordinates_; }
    void start(std::span<double> q, std::span<double> v) const override {
        for (std::size_t i = 0; i < q.size(); ++i) {
            q[i] = r_[i];
            v[i] = 0.0;
        }
    }
    void mass(MassSink& M) const override {
        for (int i = 0; i < static_cast<int>(r_.size()); ++i) M.add(i, i, 1.0);
    }
    void attach(const Locator& where, AttachmentSink& out) const override {
        if (where.is_direction || where.kind == Locator::Kind::coordinates)
            throw std::invalid_argument("a cluster has numbered points; write @0");
        if (where.kind == Locator::Kind::name && where.name != "first")
            throw std::invalid_argument("the one point with a name is \"first\"");
        const auto point = where.kind == Locator::Kind::name ? 0 : static_cast<int>(where.index);
        for (int i = 0; i < 3; ++i) out.weight(i, 3 * point + i, 1.0);
    }
    void facets(BodyFacets& out) const override { out.names = this; }
    std::span<const std::int32_t> group(std::string_view name) const override {
        if (name == "*") return all_;
        if (name == "even") return even_;
        throw std::invalid_argument("there is no group \"" + std::string(name) +
                                    "\"; there are \"*\" and \"even\"");
    }

private:
    std::vector<double> r_;
    std::vector<Coordinate> coordinates_;
    std::vector<std::int32_t> all_, even_;
};

constexpr TypeDescriptor kTypes[] = {
    type<TestCluster>(
        "test_cluster", {"point masses with groups", "m r_i'' = f_i"}, TestCluster::kParameters),
};

}  // namespace
}  // namespace ancora::zoo

ANCORA_PLUGIN("test_cluster", "1.0.0", ancora::zoo::kTypes)
