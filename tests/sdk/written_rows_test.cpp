// SPDX-License-Identifier: BSD-3-Clause
// Rows that the SDK derives from one function: against formulas by hand, against differences in
// long double, and against the identities that the kernel relies on.
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ancora/sdk/testing/fake_arguments.hpp"
#include "ancora/sdk/testing/row_errors.hpp"
#include "support/dense.hpp"
#include "support/near.hpp"
#include "zoo/test_written.hpp"

namespace by_eigen = ancora::testing::by_eigen;
using namespace ancora;
using ancora::testing::near;
using ancora::testing::tolerance;

namespace {

using Numbers = std::vector<double>;

template <class T>
test::FakeArguments arguments_of() {
    return test::FakeArguments(std::span<const Parameter>(T::kParameters));
}
zoo::Distance distance_of(double length) {
    return zoo::Distance(arguments_of<zoo::Distance>().set("length", length));
}

/// What one item of a row source says, with room for all of it.
struct Item {
    explicit Item(const RowSource& source)
        : source_(source),
          block_(source.row_blocks()[0]),
          rows(std::size_t(block_.rows_per_item)),
          width(std::size_t(block_.scalars_per_item)) {}

    Numbers pi(const Numbers& u, double t = 0.0) const {
        Numbers out(rows, kUnwritten);
        source_.evaluate(0, {u, {}, t}, {out, {}, {}, {}});
        return out;
    }
    Numbers A(const Numbers& u, double t = 0.0) const {
        Numbers out(rows * width, kUnwritten);
        source_.evaluate(0, {u, {}, t}, {{}, out, {}, {}});
        return out;
    }
    Numbers pi_t(const Numbers& u, double t = 0.0) const {
        Numbers out(rows, kUnwritten);
        source_.evaluate(0, {u, {}, t}, {{}, {}, out, {}});
        return out;
    }
    Numbers b(const Numbers& u, const Numbers& du, double t = 0.0) const {
        Numbers out(rows, kUnwritten);
        source_.evaluate(0, {u, du, t}, {{}, {}, {}, out});
        return out;
    }
    struct Step {
        Numbers B, tau;
    };
    Step step(const Numbers& u0, const Numbers& du, double t0 = 0.0, double h = 0.1) const {
        Numbers mid(u0), u1(u0), work0(rows), work1(rows);
        for (std::size_t j = 0; j < u0.size(); ++j) {
            mid[j] += 0.5 * du[j];
            u1[j] += du[j];
        }
        Step out{Numbers(rows * width, kUnwritten), Numbers(rows, 0.0)};
        RowStep step;
        step.u0 = u0;
        step.du = du;
        step.mid = mid;
        step.u1 = u1;
        step.t0 = t0;
        step.h = h;
        RowStepValues values;
        values.B = out.B;
        if (block_.depends_on_time) values.tau = out.tau;
        values.work0 = work0;
        values.work1 = work1;
        source_.evaluate_step(0, step, values);
        return out;
    }
    /// G, full, whatever its form.
    Eigen::MatrixXd tangent(const Numbers& u, const Numbers& s, bool positive_part = false) const {
        const bool isotropic = block_.tangent == TangentForm::isotropic;
        const std::size_t n = isotropic ? width / 3 : width;
        Numbers K(n * n, kUnwritten);
        source_.evaluate_tangent(0, {.mid = u, .s = s, .positive_part = positive_part}, K);
        Eigen::MatrixXd G = Eigen::MatrixXd::Zero(Eigen::Index(width), Eigen::Index(width));
        for (std::size_t i = 0; i < width; ++i)
            for (std::size_t j = 0; j < width; ++j) {
                if (isotropic && i % 3 != j % 3) continue;
                G(Eigen::Index(i), Eigen::Index(j)) =
                    isotropic ? K[i / 3 * n + j / 3] : K[i * n + j];
            }
        return G;
    }
    /// sum over the stencil of entries times u, row by row.
    Numbers times(const Numbers& entries, const Numbers& u) const {
        Numbers out(rows, 0.0);
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t j = 0; j < width; ++j)
                out[r] += entries[r * width + j] * u[std::size_t(block_.stencil[j])];
        return out;
    }

private:
    static constexpr double kUnwritten = std::numeric_limits<double>::quiet_NaN();
    const RowSource& source_;
    const RowBlock& block_;

public:
    std::size_t rows, width;
};

/// u + x du
Numbers along(const Numbers& u, const Numbers& du, double x) {
    Numbers out(u);
    for (std::size_t j = 0; j < u.size(); ++j) out[j] += x * du[j];
    return out;
}

/// First and second derivative at 0 by central differences of eighth order in long double, whose
/// rounding leaves a few 1e-17.
template <class Function>
std::array<double, 2> derivatives_of(const Function& f) {
    constexpr long double h = 0.004L;
    constexpr long double first[] = {0.0L, 4.0L / 5, -1.0L / 5, 4.0L / 105, -1.0L / 280};
    constexpr long double second[] = {-205.0L / 72, 8.0L / 5, -1.0L / 5, 8.0L / 315, -1.0L / 560};
    long double d1 = 0.0L;
    long double d2 = second[0] * f(0.0L);
    for (int k = 1; k <= 4; ++k) {
        const long double right = f(k * h);
        const long double left = f(-k * h);
        d1 += first[k] * (right - left);
        d2 += second[k] * (right + left);
    }
    return {static_cast<double>(d1 / h), static_cast<double>(d2 / (h * h))};
}

using LongVector = Vector3<long double>;
LongVector vector_at(const Numbers& u, std::size_t i, const Numbers& du, long double x) {
    const auto at = [&](std::size_t j) {
        return static_cast<long double>(u[j]) + x * static_cast<long double>(du[j]);
    };
    return {at(3 * i), at(3 * i + 1), at(3 * i + 2)};
}

// Four points of no symmetry, and two motions of theirs.
const Numbers kU = {1.0, 2.0, 3.0, 0.5, -1.0, 2.5, -0.7, 0.4, 0.1, 1.3, -0.2, 0.9};
const Numbers kDu = {0.25, -0.5, 1.0, 2.0, 0.125, -0.75, 0.3, 0.7, -0.4, -0.6, 0.2, 0.5};
Numbers first(const Numbers& x, std::size_t n) {
    return Numbers(x.begin(), x.begin() + std::ptrdiff_t(n));
}
Numbers unit(std::size_t n, std::size_t j) {
    Numbers out(n, 0.0);
    out[j] = 1.0;
    return out;
}

/// Checks A, b and pi_t of a one-row constraint against differences of phi(u + x du, t + x dt).
template <class Phi>
void check_derivatives(const RowSource& source, std::size_t points, double t, const Phi& phi) {
    const Item item(source);
    const Numbers u = first(kU, 3 * points);
    const Numbers du = first(kDu, 3 * points);
    const Numbers A = item.A(u, t);
    for (std::size_t j = 0; j < u.size(); ++j) {
        const auto by_u = derivatives_of([&](long double x) {
            return phi(u, unit(u.size(), j), x, static_cast<long double>(t));
        });
        CHECK(A[j] == near(by_u[0], 2e-14));
    }
    const auto by_motion = derivatives_of([&](long double x) {
        return phi(u, du, x, static_cast<long double>(t) + x);
    });
    CHECK(item.b(u, du, t)[0] == near(-by_motion[1], 2e-12));
    CHECK(item.times(A, du)[0] + item.pi_t(u, t)[0] == near(by_motion[0], 1e-13));
}

/// What is left of a miss in a general function: 4 units of rounding of its terms, here 8 m at
/// most.
constexpr double kLeft = 4.0 * 8.0 * std::numeric_limits<double>::epsilon();

/// Checks B du + tau against the change of pi over large and small steps, to `bound`.
void check_identity(const RowSource& source, std::size_t scalars, double bound) {
    const Item item(source);
    const Numbers u = first(kU, scalars);
    for (const double size : {1.0, 0.3, 1e-3, 1e-7, 0.0}) {
        Numbers du = first(kDu, scalars);
        for (double& x : du) x *= size;
        const double t0 = 0.4;
        const double h = 0.2;
        const Item::Step step = item.step(u, du, t0, h);
        const Numbers before = item.pi(u, t0);
        const Numbers after = item.pi(along(u, du, 1.0), t0 + h);
        const Numbers B_du = item.times(step.B, du);
        for (std::size_t r = 0; r < item.rows; ++r)
            CHECK(B_du[r] + step.tau[r] == near(after[r] - before[r], bound));
    }
}

/// Resultant and moment of a row on points (and directions), the largest of all entries.
double resultant(const Numbers& row,
                 const Numbers& u,
                 std::span<const ArgumentKind> kinds,
                 std::size_t first_entry = 0) {
    Eigen::Vector3d force = Eigen::Vector3d::Zero();
    Eigen::Vector3d moment = Eigen::Vector3d::Zero();
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        const Eigen::Vector3d f(row.data() + first_entry + 3 * i);
        const Eigen::Vector3d r(u.data() + 3 * i);
        if (kinds[i] == ArgumentKind::point) force += f;
        moment += r.cross(f);
    }
    return std::max(force.cwiseAbs().maxCoeff(), moment.cwiseAbs().maxCoeff());
}
/// phi = sin(a_x) b_y, which prefers axes.
class Lopsided final : public HolonomicConstraint<Lopsided> {
public:
    static constexpr Parameter kParameters[] = {parameter::point("a", ""),
                                                parameter::point("b", "")};
    template <class S>
    S phi(const Vector3<S>& a, const Vector3<S>& b) const {
        return sin(a.x) * b.y;
    }
};

constexpr ArgumentKind kFourPoints[] = {
    ArgumentKind::point, ArgumentKind::point, ArgumentKind::point, ArgumentKind::point};

}  // namespace

TEST_SUITE("written rows: derivatives") {
    // n = d / |d|:  A = (n, -n),  b = -(w.w - (n.w)^2) / |d|
    TEST_CASE("a distance has the derivatives that a textbook gives") {
        const auto rod = distance_of(2.0);
        const Item item(rod);
        const Numbers u = first(kU, 6);
        const Numbers du = first(kDu, 6);
        const Eigen::Vector3d d(0.5, 3.0, 0.5);
        const Eigen::Vector3d w(-1.75, -0.625, 1.75);
        const Eigen::Vector3d n = d.normalized();
        const Numbers A = item.A(u);
        for (std::size_t k = 0; k < 3; ++k) {
            CHECK(A[k] == near(n[Eigen::Index(k)], 1e-15));
            CHECK(A[k + 3] == -A[k]);
        }
        CHECK(item.pi(u)[0] == near(std::sqrt(9.5) - 2.0, 1e-15));
        CHECK(item.pi_t(u)[0] == 0.0);
        const double radial = n.dot(w);
        CHECK(item.b(u, du)[0] == near(-(w.dot(w) - radial * radial) / d.norm(), 1e-15));

        // G = s [P -P; -P P] / |d|, P = I - n n^T
        const Eigen::Matrix3d P =
            (Eigen::Matrix3d::Identity() - n * n.transpose()) * (-3.0 / d.norm());
        const Eigen::MatrixXd G = item.tangent(u, {-3.0});
        CHECK((G.topLeftCorner(3, 3) - P).norm() <= tolerance(1e-14));
        CHECK((G.topRightCorner(3, 3) + P).norm() <= tolerance(1e-14));
        CHECK((G - G.transpose()).norm() == 0.0);
    }

    TEST_CASE("A, pi_t and b against differences in long double") {
        using namespace zoo;
        const auto phi_distance = [](const Numbers& u, const Numbers& du, long double x, auto) {
            return distance(vector_at(u, 0, du, x), vector_at(u, 1, du, x));
        };
        check_derivatives(distance_of(0.5), 2, 0.0, phi_distance);

        const Drive drive(
            arguments_of<Drive>().set("length", 1.0).set("stroke", 0.3).set("rate", 1.7));
        check_derivatives(
            drive, 2, 0.4, [&](const Numbers& u, const Numbers& du, long double x, long double t) {
                return phi_distance(u, du, x, t) - 0.3L * std::sin(1.7L * t);
            });
        const Gear gear(arguments_of<Gear>().set("ratio", 0.6).set("length", 3.0));
        check_derivatives(
            gear, 4, 0.0, [](const Numbers& u, const Numbers& du, long double x, auto) {
                return distance(vector_at(u, 0, du, x), vector_at(u, 1, du, x)) +
                       0.6L * distance(vector_at(u, 2, du, x), vector_at(u, 3, du, x));
            });
        const Angle angle(arguments_of<Angle>().set("angle", 1.0));
        check_derivatives(
            angle, 3, 0.0, [](const Numbers& u, const Numbers& du, long double x, auto) {
                const LongVector a = vector_at(u, 0, du, x) - vector_at(u, 1, du, x);
                const LongVector c = vector_at(u, 2, du, x) - vector_at(u, 1, du, x);
                return std::acos(dot(a, c) / (norm(a) * norm(c)));
            });
    }

    TEST_CASE("several rows: each is what it would be alone") {
        const zoo::Circle circle(arguments_of<zoo::Circle>().set("radius", 2.0));
        const Item item(circle);
        REQUIRE(item.rows == 2);
        REQUIRE(item.width == 9);
        const Numbers u = first(kU, 9);
        const Numbers du = first(kDu, 9);
        const Eigen::Vector3d p(u.data()), n(u.data() + 3), o(u.data() + 6);
        const Eigen::Vector3d dp(du.data()), dn(du.data() + 3), d_o(du.data() + 6);
        const Numbers pi = item.pi(u);
        CHECK(pi[0] == near(n.dot(p - o), 1e-15));
        CHECK(pi[1] == near((p - o).norm() - 2.0, 1e-15));
        const Numbers A = item.A(u);
        for (std::size_t k = 0; k < 3; ++k) {
            const auto i = Eigen::Index(k);
            CHECK(A[k] == n[i]);
            CHECK(A[3 + k] == near((p - o)[i], 1e-15));
            CHECK(A[6 + k] == -n[i]);
            CHECK(A[9 + k] == near((p - o).normalized()[i], 1e-15));
            CHECK(A[12 + k] == 0.0);
            CHECK(A[15 + k] == -A[9 + k]);
        }
        CHECK(item.b(u, du)[0] == near(-2.0 * dn.dot(dp - d_o), 1e-14));
    }

    // x - 1/2 c |p|^2 cos t: the coordinate is the first of its three scalars, behind the point's.
    TEST_CASE("a coordinate is one scalar of its attachment, wherever it stands in the schema") {
        const zoo::Follow follow(arguments_of<zoo::Follow>().set("x", "crank.theta").set("c", 0.5));
        const std::span<const AttachmentRequest> attachments = follow.attachments();
        REQUIRE(attachments.size() == 2);
        CHECK(std::string(attachments[0].parameter) == "p");
        CHECK(attachments[1].parameter == nullptr);
        CHECK(std::string(attachments[1].text) == "crank.theta");
        CHECK(std::string(attachments[1].key) == "x");
        const Item item(follow);
        const Numbers u = {1.0, 2.0, 3.0, 0.7, 0.0, 0.0};
        const Numbers du = {0.5, -1.0, 0.25, 2.0, 0.0, 0.0};
        const double t = 0.3;
        CHECK(item.pi(u, t)[0] == near(0.7 - 0.25 * 14.0 * std::cos(t), 1e-15));
        const Numbers A = item.A(u, t);
        REQUIRE(A.size() == 4);
        CHECK(A[0] == 1.0);
        for (std::size_t k = 0; k < 3; ++k)
            CHECK(A[k + 1] == near(-0.5 * u[k] * std::cos(t), 1e-15));
        CHECK(item.pi_t(u, t)[0] == near(0.25 * 14.0 * std::sin(t), 1e-15));
        // d2/dt2 of 1/2 c |p|^2 cos t with p'' = 0
        const double square = 14.0;
        const double rate = 2.0 * (0.5 - 2.0 + 0.75);
        const double second = 2.0 * (0.25 + 1.0 + 0.0625);
        CHECK(item.b(u, du, t)[0] ==
              near(0.25 * (second * std::cos(t) - 2 * rate * std::sin(t) - square * std::cos(t)),
                   1e-14));
        check_identity(follow, 6, 1e-14);
    }

    TEST_CASE("the tangent is the derivative of A^T s, and its positive part is one") {
        const auto check = [](const RowSource& source, std::size_t scalars, const Numbers& s) {
            const Item item(source);
            const Numbers u = first(kU, scalars);
            const Eigen::MatrixXd G = item.tangent(u, s);
            // Central differences of A leave about 1e-10
            const double h = 1e-5;
            for (std::size_t j = 0; j < scalars; ++j) {
                const Numbers right = item.A(along(u, unit(scalars, j), h));
                const Numbers left = item.A(along(u, unit(scalars, j), -h));
                for (std::size_t i = 0; i < item.width; ++i) {
                    double expected = 0.0;
                    for (std::size_t r = 0; r < item.rows; ++r)
                        expected += s[r] * (right[r * item.width + i] - left[r * item.width + i]);
                    CHECK(G(Eigen::Index(i), Eigen::Index(j)) == near(expected / (2 * h), 1e-9));
                }
            }
            const Eigen::MatrixXd part = item.tangent(u, s, true);
            const Eigen::MatrixXd rest = part - G;
            const auto least = [](const Eigen::MatrixXd& M) {
                return by_eigen::symmetric_eigenvalues(M)[0];
            };
            CHECK(least(part) >= -tolerance(1e-14));
            CHECK(least(rest) >= -tolerance(1e-14));
            return rest;
        };
        using namespace zoo;
        for (const double s : {2.0, -3.0}) {
            check(distance_of(2.0), 6, {s});
            check(Square(arguments_of<Square>().set("length", 2.0)), 6, {s});
            check(Angle(arguments_of<Angle>().set("angle", 1.0)), 9, {s});
            check(Gear(arguments_of<Gear>().set("ratio", 0.6).set("length", 3.0)), 12, {s});
            check(Circle(arguments_of<Circle>().set("radius", 2.0)), 9, {s, -1.5});
        }
        // One row: the part is exact, so what is taken away has nothing to do with it
        const auto rod = distance_of(2.0);
        const Eigen::MatrixXd rest = check(rod, 6, {-3.0});
        CHECK((Item(rod).tangent(first(kU, 6), {-3.0}, true) * rest).norm() <= tolerance(1e-14));
    }

    TEST_CASE("what phi is, is found out") {
        using namespace zoo;
        const auto rod = distance_of(2.0);
        const Square square(arguments_of<Square>().set("length", 2.0));
        const Together together(arguments_of<Together>());
        const Circle circle(arguments_of<Circle>().set("radius", 2.0));
        const Drive drive(
            arguments_of<Drive>().set("length", 1.0).set("stroke", 0.3).set("rate", 1.7));
        const Follow follow(arguments_of<Follow>().set("x", "a.x").set("c", 0.5));
        const auto block = [](const RowSource& source) {
            return source.row_blocks()[0];
        };

        CHECK(block(rod).degree == Degree::general);
        CHECK(block(rod).tangent == TangentForm::full);
        CHECK(rod.traits().is_invariant);
        CHECK(block(square).degree == Degree::quadratic);
        CHECK(block(square).tangent == TangentForm::isotropic);
        CHECK(square.traits().is_invariant);
        CHECK(block(together).degree == Degree::linear);
        CHECK(block(together).tangent == TangentForm::none);
        CHECK_FALSE(block(together).depends_on_time);
        // a - b turns with space
        CHECK_FALSE(together.traits().is_invariant);
        CHECK(circle.traits().is_invariant);
        CHECK(block(drive).depends_on_time);
        // its second derivatives do not depend on time, those of `follow` do
        CHECK(block(drive).tangent == TangentForm::full);
        CHECK(drive.traits().is_invariant);
        CHECK(block(follow).degree == Degree::quadratic);
        CHECK(block(follow).tangent == TangentForm::none);
    }
}

TEST_SUITE("written rows: over a step") {
    TEST_CASE("B du + tau is the change of pi, whatever the function") {
        using namespace zoo;
        check_identity(Square(arguments_of<Square>().set("length", 2.0)), 6, 4e-15);
        check_identity(distance_of(2.0), 6, kLeft);
        check_identity(Angle(arguments_of<Angle>().set("angle", 1.0)), 9, kLeft);
        check_identity(Gear(arguments_of<Gear>().set("ratio", 0.6).set("length", 3.0)), 12, kLeft);
        check_identity(
            Drive(arguments_of<Drive>().set("length", 1.0).set("stroke", 0.3).set("rate", 1.7)),
            6,
            kLeft);
        check_identity(Circle(arguments_of<Circle>().set("radius", 2.0)), 9, kLeft);
        check_identity(Together(arguments_of<Together>()), 6, 4e-15);
        check_identity(PlainDistance(arguments_of<PlainDistance>().set("length", 2.0)), 6, kLeft);
        check_identity(HandDistance(arguments_of<HandDistance>().set("length", 2.0)), 6, 4e-15);
    }

    TEST_CASE("the reaction of an invariant function has no resultant and no moment") {
        using namespace zoo;
        const auto check = [](const RowSource& source, std::span<const ArgumentKind> kinds) {
            const Item item(source);
            const std::size_t n = 3 * kinds.size();
            for (const double size : {1.0, 0.1, 1e-3}) {
                Numbers du = first(kDu, n);
                for (double& x : du) x *= size;
                const Numbers mid = along(first(kU, n), du, 0.5);
                const Item::Step step = item.step(first(kU, n), du);
                for (std::size_t r = 0; r < item.rows; ++r)
                    CHECK(resultant(step.B, mid, kinds, r * n) <= tolerance(8e-15));
            }
        };
        constexpr ArgumentKind kCircle[] = {
            ArgumentKind::point, ArgumentKind::direction, ArgumentKind::point};
        const std::span four(kFourPoints);
        check(distance_of(2.0), four.first(2));
        check(Angle(arguments_of<Angle>().set("angle", 1.0)), four.first(3));
        check(Gear(arguments_of<Gear>().set("ratio", 0.6).set("length", 3.0)), four);
        check(Circle(arguments_of<Circle>().set("radius", 2.0)), kCircle);

        // A formula over raw components is not invariant: B keeps the identity alone
        const Lopsided lopsided;
        CHECK_FALSE(lopsided.traits().is_invariant);
        check_identity(lopsided, 6, kLeft);
    }

    // The Cayley rotation (1 - W)^-1 (1 + W), and a translation: no shape changes, pi does not. B
    // is then the gradient in the shape's own frame, to which B for small changes of shape tends.
    TEST_CASE("over a rigid motion B vanishes along it, and is the limit of B beside it") {
        using namespace zoo;
        const auto check = [](const RowSource& source, std::span<const ArgumentKind> kinds) {
            const Item item(source);
            const std::size_t n = 3 * kinds.size();
            const Numbers u0 = first(kU, n);
            const Eigen::Matrix3d W = skew(Vec3(0.4, -0.7, 0.9));
            const Eigen::Matrix3d R =
                (Eigen::Matrix3d::Identity() - W).inverse() * (Eigen::Matrix3d::Identity() + W);
            Numbers du(n);
            for (std::size_t i = 0; i < kinds.size(); ++i) {
                const Eigen::Vector3d r(u0.data() + 3 * i);
                Eigen::Vector3d change = R * r - r;
                if (kinds[i] == ArgumentKind::point) change += Eigen::Vector3d(0.3, -1.0, 2.0);
                for (std::size_t k = 0; k < 3; ++k) du[3 * i + k] = change[Eigen::Index(k)];
            }
            const Numbers rigid = item.step(u0, du).B;
            for (const double x : item.times(rigid, du)) CHECK(x == near(0.0, 1e-14));
            const Numbers p = first(kDu, n);
            for (const double size : {1e-3, -1e-3, 1e-6, -1e-6, 1e-9, -1e-9, 1e-12}) {
                const Numbers beside = item.step(u0, along(du, p, size)).B;
                for (std::size_t j = 0; j < rigid.size(); ++j)
                    CHECK(beside[j] == near(rigid[j], 3.0 * std::abs(size) + 1e-13));
            }
        };
        constexpr ArgumentKind kCircle[] = {
            ArgumentKind::point, ArgumentKind::direction, ArgumentKind::point};
        const std::span four(kFourPoints);
        check(distance_of(2.0), four.first(2));
        check(Angle(arguments_of<Angle>().set("angle", 1.0)), four.first(3));
        check(Gear(arguments_of<Gear>().set("ratio", 0.6).set("length", 3.0)), four);
        check(Circle(arguments_of<Circle>().set("radius", 2.0)), kCircle);
    }

    TEST_CASE("a hand-written discrete Jacobian is the derived one where there is only one") {
        const auto rod = distance_of(2.0);
        const zoo::HandDistance hand(arguments_of<zoo::HandDistance>().set("length", 2.0));
        const Numbers u = first(kU, 6);
        const Numbers du = first(kDu, 6);
        const Numbers derived = Item(rod).step(u, du).B;
        const Numbers written = Item(hand).step(u, du).B;
        for (std::size_t j = 0; j < 6; ++j) CHECK(derived[j] == near(written[j], 1e-14));
    }
}

TEST_SUITE("written rows: the ladder of derivatives") {
    TEST_CASE("each rung is reported") {
        using Source = DerivativeSource;
        constexpr DerivativeSources automatic = zoo::Distance::derivatives();
        static_assert(automatic.jacobian == Source::automatic);
        static_assert(automatic.bias == Source::automatic);
        static_assert(automatic.discrete_jacobian == Source::automatic);
        static_assert(automatic.tangent == Source::automatic);
        constexpr DerivativeSources plain = zoo::PlainDistance::derivatives();
        static_assert(plain.jacobian == Source::finite_difference);
        static_assert(plain.bias == Source::finite_difference);
        static_assert(plain.tangent == Source::none);
        constexpr DerivativeSources hand = zoo::HandDistance::derivatives();
        static_assert(hand.jacobian == Source::analytic);
        static_assert(hand.bias == Source::analytic);
        static_assert(hand.discrete_jacobian == Source::analytic);
        static_assert(hand.tangent == Source::none);
        // A type that writes its own rows has said all there is
        static_assert(derivative_sources<zoo::Distance>().tangent == Source::automatic);
        static_assert(derivative_sources<Constraint>().tangent == Source::analytic);
        CHECK(std::string(name_of(plain.bias)) == "finite difference");
    }

    TEST_CASE("analytic, automatic and finite differences agree as far as they are accurate") {
        for (const double size : {1.0, 1e-3, 1e3}) {
            const double L = 2.0 * size;
            const auto rod = distance_of(L);
            const zoo::HandDistance hand(arguments_of<zoo::HandDistance>().set("length", L));
            const zoo::PlainDistance plain(arguments_of<zoo::PlainDistance>().set("length", L));
            Numbers u = first(kU, 6);
            for (double& x : u) x *= size;
            const Numbers du = first(kDu, 6);
            const Numbers A = Item(rod).A(u);
            const Numbers A_hand = Item(hand).A(u);
            const Numbers A_plain = Item(plain).A(u);
            for (std::size_t j = 0; j < 6; ++j) {
                CHECK(A[j] == near(A_hand[j], 1e-15));
                CHECK(A[j] == near(A_plain[j], 3e-12));
            }
            const double b = Item(rod).b(u, du)[0];
            CHECK(b == near(Item(hand).b(u, du)[0], 1e-14 / size));
            CHECK(b == near(Item(plain).b(u, du)[0], 1e-9 / size));
        }
    }
}

TEST_SUITE("written rows: velocity conditions") {
    /// psi = (d x z) . p' of the skate at kU: u = (p, d).
    TEST_CASE("a condition that is linear in the rates, by hand") {
        const zoo::Skate skate(arguments_of<zoo::Skate>());
        const RowBlock& block = skate.row_blocks()[0];
        CHECK(block.laws[0].kind == RowKind::velocity_constraint);
        CHECK_FALSE(block.depends_on_time);
        const Numbers u = first(kU, 6);
        const Numbers du = first(kDu, 6);
        Numbers A(6), pi_t(1), b(1), pi(1, 7.0);
        skate.evaluate(0, {u, du, 0.0}, {pi, A, pi_t, b});
        CHECK(A == Numbers{1.0, 0.5, 0.0, 0.0, 0.0, 0.0});
        CHECK(pi[0] == 0.0);
        CHECK(pi_t[0] == 0.0);
        // psi' = A p'' + (d'_x p'_y - d'_y p'_x)
        CHECK(b[0] == -(2.0 * -0.5 - 0.125 * 0.25));
    }

    TEST_CASE("one that is not linear, and depends on time") {
        const zoo::Speed speed(
            arguments_of<zoo::Speed>().set("speed", 2.0).set("acceleration", 0.5));
        CHECK(speed.row_blocks()[0].depends_on_time);
        const Numbers u = first(kU, 3);
        const Numbers du = first(kDu, 3);
        const double t = 0.8;
        Numbers A(3), pi_t(1), b(1);
        speed.evaluate(0, {u, du, t}, {{}, A, pi_t, b});
        const double square = 0.0625 + 0.25 + 1.0;
        const double c = 2.0 + 0.5 * t;
        for (std::size_t k = 0; k < 3; ++k) CHECK(A[k] == du[k] / 2.0);
        // psi - A u' = (v.v - c^2) / 4 - v.v / 2
        CHECK(pi_t[0] == near((square - c * c) / 4.0 - square / 2.0, 1e-15));
        // d psi / d t = -c c' / 2
        CHECK(b[0] == near(c * 0.5 / 2.0, 1e-15));
    }

    TEST_CASE("against differences, from all rungs") {
        const Numbers u = first(kU, 6);
        const Numbers du = first(kDu, 6);
        const auto check = [](const RowSource& source, const Numbers& at, const Numbers& rate) {
            const test::RowErrors errors = test::row_errors(source, 0, at, rate, 0.3, 0.2);
            CHECK(errors.jacobian <= tolerance(1e-10));
            CHECK(errors.bias <= tolerance(1e-10));
            CHECK(errors.discrete <= tolerance(1e-14));
        };
        check(zoo::Skate(arguments_of<zoo::Skate>()), u, du);
        check(zoo::Speed(arguments_of<zoo::Speed>().set("speed", 2.0).set("acceleration", 0.5)),
              first(u, 3),
              first(du, 3));
        check(zoo::PlainSpeed(arguments_of<zoo::PlainSpeed>().set("speed", 2.0)),
              first(u, 3),
              first(du, 3));
        static_assert(zoo::Speed::derivatives().jacobian == DerivativeSource::automatic);
        static_assert(zoo::PlainSpeed::derivatives().bias == DerivativeSource::finite_difference);
    }
}

namespace {

/// Two rows by hand, one of them on a coordinate: phi = (x - |p|^2, x p_z).
class TwoByHand final : public HolonomicConstraint<TwoByHand> {
public:
    static constexpr Parameter kParameters[] = {parameter::point("p", ""),
                                                parameter::coordinate("x", "")};
    explicit TwoByHand(const Arguments& arguments) : HolonomicConstraint(arguments) {}

    template <class S>
    std::array<S, 2> phi(const Vector3<S>& p, const S& x) const {
        return {x - squared_norm(p), x * p.z};
    }
    std::array<std::array<Vec3, 2>, 2> jacobian(const Vec3& p, double x) const {
        return {{{-2.0 * p, Vec3(1.0, 0.0, 0.0)}, {Vec3(0.0, 0.0, x), Vec3(p.z(), 0.0, 0.0)}}};
    }
    std::array<double, 2> bias(const Vec3&, double, const Vec3& v, double w) const {
        return {2.0 * v.squaredNorm(), -2.0 * w * v.z()};
    }
};

/// Says that it is quadratic, and is not.
class Liar final : public HolonomicConstraint<Liar> {
public:
    static constexpr Parameter kParameters[] = {parameter::point("a", ""),
                                                parameter::point("b", "")};
    static constexpr Degree kDegree = Degree::quadratic;
    template <class S>
    S phi(const Vector3<S>& a, const Vector3<S>& b) const {
        return distance(a, b) - 1.0;
    }
};

/// Compares, and so says itself that a rigid motion leaves it alone.
class Stated final : public HolonomicConstraint<Stated> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("a", ""), parameter::point("b", ""), parameter::point("c", "")};
    static constexpr bool kInvariant = true;
    template <class S>
    S phi(const Vector3<S>& a, const Vector3<S>& b, const Vector3<S>& c) const {
        return max(distance(a, b), distance(b, c)) - 1.0;
    }
};

/// The angle between two directions.
class Tilt final : public HolonomicConstraint<Tilt> {
public:
    static constexpr Parameter kParameters[] = {parameter::direction("d", ""),
                                                parameter::direction("e", "")};
    template <class S>
    S phi(const Vector3<S>& d, const Vector3<S>& e) const {
        return atan2(norm(cross(d, e)), dot(d, e)) - 0.4;
    }
};

/// The sine of the angle at which p is seen from o over the plane with normal n.
class Elevation final : public HolonomicConstraint<Elevation> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("p", ""), parameter::point("o", ""), parameter::direction("n", "")};
    template <class S>
    S phi(const Vector3<S>& p, const Vector3<S>& o, const Vector3<S>& n) const {
        return dot(n, p - o) / distance(p, o) - 0.3;
    }
};

}  // namespace

TEST_SUITE("written rows: points and directions together") {
    TEST_CASE("directions alone, and with points: closed, without resultant or moment") {
        const auto check = [](const auto& constraint, std::span<const ArgumentKind> kinds) {
            CHECK(constraint.traits().is_invariant);
            CHECK(constraint.traits().degree == Degree::general);
            check_identity(constraint, 3 * kinds.size(), kLeft);
            const Numbers u = first(kU, 3 * kinds.size());
            const Numbers du = first(kDu, 3 * kinds.size());
            CHECK(resultant(Item(constraint).step(u, du).B, along(u, du, 0.5), kinds) <=
                  tolerance(8e-15));
        };
        using enum ArgumentKind;
        check(Tilt(), std::array{direction, direction});
        check(Elevation(), std::array{point, point, direction});
    }

    TEST_CASE("the unit of length does not matter") {
        const Elevation elevation;
        const Item item(elevation);
        const double unit = 1000.0;
        Numbers u = first(kU, 9);
        Numbers du = first(kDu, 9);
        const Numbers B = item.step(u, du).B;
        for (std::size_t j = 0; j < 6; ++j) {
            u[j] *= unit;
            du[j] *= unit;
        }
        const Numbers scaled = item.step(u, du).B;
        for (std::size_t j = 0; j < 9; ++j)
            CHECK(scaled[j] * (j < 6 ? unit : 1.0) == near(B[j], 1e-14));
    }
}

TEST_SUITE("written rows: what the author states") {
    TEST_CASE("row_errors finds what is wrong, and what is right") {
        const TwoByHand two(arguments_of<TwoByHand>().set("x", "a.x"));
        Numbers u = first(kU, 6);
        Numbers du = first(kDu, 6);
        u[4] = u[5] = du[4] = du[5] = 0.0;
        const test::RowErrors good = test::row_errors(two, 0, u, du);
        CHECK(good.jacobian <= tolerance(1e-10));
        CHECK(good.bias <= tolerance(1e-8));
        CHECK(good.discrete <= tolerance(1e-14));
        CHECK(good.tangent <= tolerance(1e-10));
        static_assert(TwoByHand::derivatives().jacobian == DerivativeSource::analytic);
        static_assert(TwoByHand::derivatives().tangent == DerivativeSource::automatic);

        const Liar liar;
        CHECK(test::row_errors(liar, 0, first(kU, 6), first(kDu, 6)).discrete > 1e-3);
    }

    TEST_CASE("a stated degree or invariance is taken instead of what is found") {
        CHECK(Liar().row_blocks()[0].degree == Degree::quadratic);
        const Stated stated;
        CHECK(stated.row_blocks()[0].degree == Degree::general);
        CHECK(stated.traits().is_invariant);
        check_identity(stated, 9, kLeft);
        const Item item(stated);
        const Numbers du = first(kDu, 9);
        const Item::Step step = item.step(first(kU, 9), du);
        CHECK(resultant(step.B, along(first(kU, 9), du, 0.5), std::span(kFourPoints).first(3)) <=
              tolerance(8e-15));
    }
}
