// SPDX-License-Identifier: BSD-3-Clause
// Contacts that stick together on one body, by closed forms and by a linear program that is solved
// by its corners: none holds more than any share of the load would.
#include "load_sharing.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "framework/models.hpp"
#include "support/dense.hpp"

namespace ancora::testing {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Feet of the given limits under one body, which the test moves by balances of its own.
struct Feet {
    explicit Feet(const std::vector<double>& limits)
        : model(manifest(text(limits)), plugins.registry),
          parts(model),
          contacts(parts, parts.m),
          islands(parts, contacts),
          independent(parts.rows, parts.laws, parts.mass),
          slip(parts, contacts, islands, independent),
          sharing(parts, contacts, islands, slip, events) {
        VectorXd q(parts.n), v(parts.n);
        parts.read_start(q.data(), v.data());
        RowSet::StateValues instant;
        parts.rows.evaluate(q.data(), v.data(), 0.0, instant);
        contacts.evaluate(q.data(), v.data(), 0.0);
    }
    /// A normal force of 1 N each, so that limits are coefficients.
    static std::string text(const std::vector<double>& limits) {
        std::string out =
            "[[body]]\nname = \"b\"\ntype = \"particle\"\nmass = 1.0\n[integrator]\ntype = "
            "\"emm\"\n"
            "step = 1e-3\nend = 1.0\n";
        for (std::size_t i = 0; i < limits.size(); ++i)
            out += fmt::format(
                "[[constraint]]\nname = \"foot{0}\"\ntype = \"point_on_plane\"\npoint = \"b@[0, 0, "
                "0]\"\nnormal = [0, 0, 1]\n[[force]]\nname = \"rub{0}\"\ntype = "
                "\"coulomb_friction\"\non = \"foot{0}\"\nmu_static = {1}\n",
                i,
                limits[i]);
        return out;
    }

    struct Outcome {
        bool holds = false;
        int slipped = -1;
        double use = 0.0;  ///< largest, of the share last looked at
        int rounds = 0;
    };
    /// Forces c of all feet, two entries each, with balance * c = load, of least sum of price c^2,
    /// as often as shares are asked for.
    Outcome bear(const MatrixXd& balance, const VectorXd& load, const std::vector<double>& limits) {
        VectorXd s = VectorXd::Zero(parts.m + contacts.num_rows());
        s.head(parts.m).setOnes();
        Outcome out;
        sharing.restart();
        for (out.rounds = 0; out.rounds < 1000; ++out.rounds) {
            VectorXd price(contacts.num_rows());
            for (const Contact& contact : contacts.all())
                price.segment(contact.first_row, contact.num_rows).setConstant(contact.weight);
            // c = D^-1 G^T (G D^-1 G^T)^+ load
            const MatrixXd cheap = balance * price.cwiseInverse().asDiagonal();
            const MatrixXd normal = cheap * balance.transpose();
            const VectorXd c = cheap.transpose() * by_eigen::least_squares(normal, load);
            REQUIRE((balance * c - load).norm() <= 1e-9 * load.norm());
            s.tail(contacts.num_rows()) = c;
            out.use = 0.0;
            for (std::size_t i = 0; i < limits.size(); ++i)
                out.use =
                    std::max(out.use, c.segment<2>(contacts.all()[i].first_row).norm() / limits[i]);
            const LoadSharing::Change change = sharing.resolve_overload(s.data(), false, 0.0);
            if (change == LoadSharing::Change::share) continue;
            out.holds = change == LoadSharing::Change::none;
            for (std::size_t i = 0; i < limits.size(); ++i)
                if (contacts.all()[i].mode == ContactMode::slip) out.slipped = static_cast<int>(i);
            break;
        }
        return out;
    }

    Plugins plugins;
    Model model;
    Assembly parts;
    Contacts contacts;
    RestIslands islands;
    ConstraintSelection independent;
    SlipLaw slip;
    ModeEvents events;
    LoadSharing sharing;
};

std::vector<double> drawn_limits(std::size_t count, std::mt19937& random) {
    std::uniform_real_distribution<double> uniform(0.1, 1.0);
    std::vector<double> out(count);
    for (double& limit : out) limit = uniform(random);
    return out;
}

/// min over c of max |c_i| / limit_i with sum c_i = force and sum x_i c_i = moment: at the optimum
/// all but one are used alike, as corners of a linear program are.
double least_use(const std::vector<double>& x,
                 const std::vector<double>& limits,
                 double force,
                 double moment) {
    const std::size_t count = x.size();
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t free = 0; free < count; ++free)
        for (unsigned signs = 0; signs < (1U << count); ++signs) {
            if ((signs >> free & 1U) != 0) continue;
            // u sum_i +-limit_i + c = force,  u sum_i +-limit_i x_i + x_free c = moment
            Eigen::Matrix2d A;
            A << 0.0, 1.0, 0.0, x[free];
            for (std::size_t i = 0; i < count; ++i) {
                if (i == free) continue;
                const double limit = (signs >> i & 1U) != 0 ? limits[i] : -limits[i];
                A(0, 0) += limit;
                A(1, 0) += limit * x[i];
            }
            if (std::abs(A.determinant()) < 1e-12) continue;
            const Eigen::Vector2d solution = A.inverse() * Eigen::Vector2d(force, moment);
            const double use = solution[0];
            if (use >= 0.0 && std::abs(solution[1]) <= limits[free] * use * (1.0 + 1e-12))
                best = std::min(best, use);
        }
    return best;
}

}  // namespace

TEST_SUITE("sharing of a load") {
    // sum c_i = F: the largest use is least where all are used alike, |F| / sum of limits.
    TEST_CASE("feet on one point hold up to the sum of what they hold") {
        std::mt19937 random(1);
        for (std::size_t count = 1; count <= 4; ++count)
            for (int trial = 0; trial < 10; ++trial) {
                const std::vector<double> limits = drawn_limits(count, random);
                double sum = 0.0;
                for (const double limit : limits) sum += limit;
                MatrixXd balance = MatrixXd::Zero(2, 2 * static_cast<Index>(count));
                for (Index i = 0; i < balance.cols(); ++i) balance(i % 2, i) = 1.0;
                const double angle = std::uniform_real_distribution<double>(0.0, 6.3)(random);
                const VectorXd along = Eigen::Vector2d(std::cos(angle), std::sin(angle));
                CAPTURE(count);
                Feet below(limits);
                const Feet::Outcome holds = below.bear(balance, 0.99 * sum * along, limits);
                CHECK(holds.holds);
                CHECK(holds.use <= 1.0);
                CHECK(holds.slipped == -1);
                Feet above(limits);
                const Feet::Outcome slips = above.bear(balance, 1.001 * sum * along, limits);
                CHECK_FALSE(slips.holds);
                CHECK(slips.slipped >= 0);
                // It begins to slide as it was pushed, with its other rows at rest.
                const Contact& first =
                    above.contacts.all()[static_cast<std::size_t>(slips.slipped)];
                CHECK(near(std::abs(first.direction[0]), std::abs(along[0]), 1e-12));
                CHECK(std::ranges::count_if(above.contacts.all(), [](const Contact& contact) {
                          return contact.mode == ContactMode::slip;
                      }) == 1);
            }
    }

    // Feet on a beam that is pushed across and turned.
    TEST_CASE("feet on a line never hold what no share holds") {
        std::mt19937 random(2);
        std::uniform_real_distribution<double> uniform(-1.0, 1.0);
        for (std::size_t count = 3; count <= 4; ++count)
            for (int trial = 0; trial < 30; ++trial) {
                CAPTURE(count);
                CAPTURE(trial);
                const std::vector<double> limits = drawn_limits(count, random);
                std::vector<double> x(count);
                // Balances of the forces along y and of the moment; along x there are none.
                MatrixXd balance = MatrixXd::Zero(3, 2 * static_cast<Index>(count));
                for (std::size_t i = 0; i < count; ++i) {
                    x[i] = static_cast<double>(i) + 0.3 * uniform(random);
                    const auto column = 2 * static_cast<Index>(i);
                    balance(0, column + 1) = 1.0;
                    balance(1, column + 1) = x[i];
                    balance(2, column) = 1.0;
                }
                const double force = uniform(random);
                const double moment = 2.0 * uniform(random);
                const double use = least_use(x, limits, force, moment);
                REQUIRE(std::isfinite(use));
                const VectorXd load = Eigen::Vector3d(force, moment, 0.0) / use;
                Feet above(limits);
                CHECK_FALSE(above.bear(balance, 1.001 * load, limits).holds);
            }
    }

    TEST_CASE("a foot that may not change any more is left as it is") {
        const std::vector<double> limits{0.5, 0.5};
        MatrixXd balance = MatrixXd::Zero(2, 4);
        for (Index i = 0; i < 4; ++i) balance(i % 2, i) = 1.0;
        Feet feet(limits);
        for (Contact& contact : feet.contacts.all()) contact.num_flips = kMostFlips;
        CHECK(feet.bear(balance, Eigen::Vector2d(5.0, 0.0), limits).holds);
        for (Contact& contact : feet.contacts.all()) {
            contact.num_flips = kMostFlips - 1;
            contact.is_fresh = false;
        }
        CHECK(feet.bear(balance, Eigen::Vector2d(5.0, 0.0), limits).holds);
        feet.contacts.all()[1].is_fresh = true;
        CHECK(feet.bear(balance, Eigen::Vector2d(5.0, 0.0), limits).slipped == 1);
    }

    TEST_CASE("others are asked once, and only where others stick") {
        Feet feet({0.5, 0.5, 0.5});
        std::vector<Contact>& contacts = feet.contacts.all();
        CHECK(feet.sharing.may_be_open());
        CHECK(feet.sharing.asks_others(contacts[0]));
        CHECK_FALSE(feet.sharing.asks_others(contacts[0]));
        feet.sharing.restart();
        contacts[1].begin(ContactMode::slip);
        CHECK(feet.sharing.asks_others(contacts[0]));
        feet.sharing.restart();
        contacts[2].begin(ContactMode::slip);
        CHECK_FALSE(feet.sharing.may_be_open());
        CHECK_FALSE(feet.sharing.asks_others(contacts[0]));
    }
}

}  // namespace ancora::testing
