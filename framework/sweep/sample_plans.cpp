// SPDX-License-Identifier: BSD-3-Clause
// Latin hypercubes and Sobol's sequence.
#include "sample_plans.hpp"

#include <cmath>
#include <numeric>
#include <utility>

#include <boost/random/sobol.hpp>

namespace ancora {
namespace {

/// SplitMix64 (Steele, Lea, Flood 2014): the standard's distributions differ between libraries.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        std::uint64_t x = (state_ += 0x9e3779b97f4a7c15u);
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
        return x ^ (x >> 31);
    }
    /// In [0, 1), 53 bits.
    double real() { return std::ldexp(static_cast<double>(next() >> 11), -53); }
    /// Below a bound, each as likely: what would make some likelier is thrown away.
    std::uint64_t below(std::uint64_t bound) {
        const std::uint64_t rest = (~bound + 1) % bound;  // 2^64 mod bound
        std::uint64_t x = next();
        while (x < rest) x = next();
        return x % bound;
    }

private:
    std::uint64_t state_;
};

}  // namespace

std::vector<std::vector<double>> latin_hypercube(std::size_t count,
                                                 std::size_t dimensions,
                                                 std::uint64_t seed) {
    std::vector<std::vector<double>> points(count, std::vector<double>(dimensions));
    Random random(seed);
    std::vector<std::size_t> order(count);
    for (std::size_t d = 0; d < dimensions; ++d) {
        std::iota(order.begin(), order.end(), 0);
        for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
        for (std::size_t i = 0; i < count; ++i)
            points[i][d] =
                (static_cast<double>(order[i]) + random.real()) / static_cast<double>(count);
    }
    return points;
}

std::vector<std::vector<double>> sobol(std::size_t count,
                                       std::size_t dimensions,
                                       std::uint64_t seed) {
    std::vector<double> shift(dimensions, 0.0);
    Random random(seed);
    if (seed != 0)
        for (double& x : shift) x = random.real();
    boost::random::sobol sequence(dimensions);
    std::vector<std::vector<double>> points(count, std::vector<double>(dimensions));
    for (std::vector<double>& point : points)
        for (std::size_t d = 0; d < dimensions; ++d) {
            const double x = std::ldexp(static_cast<double>(sequence() >> 11), -53) + shift[d];
            point[d] = x >= 1.0 ? x - 1.0 : x;
        }
    return points;
}

}  // namespace ancora
