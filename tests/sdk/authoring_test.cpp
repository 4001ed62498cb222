// SPDX-License-Identifier: BSD-3-Clause
// What types are written with whose rows, attachments or time depend on their parameters.
#include "ancora/sdk/authoring.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "ancora/sdk/helpers/time_function.hpp"
#include "ancora/sdk/testing/fake_arguments.hpp"

using namespace ancora;

namespace {

using Numbers = std::vector<double>;

test::FakeArguments arguments_of(std::span<const Parameter> schema) {
    return test::FakeArguments(schema);
}

/// Of a - b one row, whichever is asked for.
class OneRow final : public HolonomicConstraint<OneRow> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("a", "").required(),
        parameter::point("b", "").required(),
    };
    explicit OneRow(std::size_t row) { keep_rows({&row, 1}); }

    template <class S>
    Vector3<S> phi(const Vector3<S>& a, const Vector3<S>& b) const {
        return a - b;
    }
};

/// a stays at b + d(t), if there is a d.
class Support final : public HolonomicConstraint<Support> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("a", "").required(),
        parameter::point("b", "").required(),
        parameter::matrix("motion", 0, 4, "m", "").or_texts(),
    };
    explicit Support(const Arguments& arguments) {
        if (arguments.has("motion")) motion_ = TimeFunction(arguments, "motion");
    }
    template <class S>
    Vector3<S> phi(const Vector3<S>& a, const Vector3<S>& b, const S& t) const {
        return a - b - motion_.vector(t);
    }

private:
    TimeFunction motion_;
};

/// Three rows of which two are kept, the last one first.
class Chosen final : public HolonomicConstraint<Chosen> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("a", "").required(),
        parameter::point("b", "").required(),
    };
    Chosen(bool keeps, std::span<const RowLaw> laws) {
        if (keeps) keep_rows(std::array<std::size_t, 2>{2, 0});
        set_laws(laws);
    }
    template <class S>
    std::array<S, 3> phi(const Vector3<S>& a, const Vector3<S>& b, const S& t) const {
        return {dot(a, b), a.x * a.x * t, squared_norm(a - b) + 0.5 * t};
    }
};

/// A velocity across a direction, both of one body.
class Across final : public NonholonomicConstraint<Across> {
public:
    static constexpr Parameter kParameters[] = {parameter::body("body", "").required()};
    static constexpr ArgumentKind kArguments[] = {ArgumentKind::point, ArgumentKind::direction};
    explicit Across(const Arguments& arguments, int num_asked = 2) {
        const std::string_view body = arguments.text("body");
        ask(attachment_text(body, {0.1, 0.0, -2.0}), "body");
        for (int k = 1; k < num_asked; ++k) ask(attachment_text(body, Vec3::UnitY()), "body");
    }
    template <class S>
    S psi(const Vector3<S>&,
          const Vector3<S>& d,
          const Vector3<S>& r_rate,
          const Vector3<S>&) const {
        return dot(d, r_rate);
    }
};

class Wind final : public PointForceLaw<Wind> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("at", "").with(Shape::texts).required(),
    };
    explicit Wind(const Arguments& arguments) : PointForceLaw(arguments) {}
    WorkKind work() const override { return WorkKind::external; }
    Vec3 force(const Vec3& r, const Vec3& r_rate, double t) const { return t * r - 2.0 * r_rate; }
};

class Pull final : public ForceLaw<Pull> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("a", "").required(),
        parameter::point("b", "").required(),
    };
    WorkKind work() const override { return WorkKind::external; }
    Vec3 force(double t) const { return {t, 0.0, 1.0}; }
};

class Grease final : public FrictionLaw<Grease> {
public:
    static constexpr Parameter kParameters[] = {parameter::object("on", "").required()};
    template <class S>
    S friction(const S& N, const S& speed) const {
        return 0.2 * N + 0.1 * N * speed * speed;
    }
};

/// pi = theta d_x - 0.5, of a direction d and a scalar theta.
struct Turn {
    static constexpr ArgumentKind kArguments[] = {ArgumentKind::direction, ArgumentKind::scalar};
    template <class S>
    S operator()(const Vector3<S>& d, const S& theta) const {
        return theta * d.x - 0.5;
    }
};

/// A point, a direction and a scalar: the three kinds of vectors that a VectorBody is made of.
class Flap final : public VectorBody {
public:
    Flap() {
        const int hinge = add_point({1.0, 2.0, 3.0}, {0.1, 0.0, 0.0});
        const int along = add_direction({0.0, 1.0, 0.0}, {0.0, 0.0, 0.2}, 0.7);
        const int theta = add_scalar("theta", 0.3, -0.4, 0.7);
        add_mass(hinge, hinge, 2.0);
        add_mass(along, hinge, 0.5);
        add_mass(along, along, 1.5);
        add_mass(theta, theta, 0.25);
        add_strain("turn", {along, theta}, Turn{}, {.kind = RowKind::elastic, .compliance = 0.1});
    }
};

struct Entries final : MassSink {
    std::map<std::pair<int, int>, double> values;
    void add(int i, int j, double value) override { values[std::minmax(i, j)] += value; }
};

struct Said {
    Numbers pi, A, pi_t, b;
};
Said said_by(const RowSource& source, const Numbers& u, const Numbers& du, double t) {
    const RowBlock& block = source.row_blocks()[0];
    const auto rows = static_cast<std::size_t>(block.rows_per_item);
    Said out{Numbers(rows), Numbers(rows * u.size()), Numbers(rows), Numbers(rows)};
    source.evaluate(0, {u, du, t}, {out.pi, out.A, out.pi_t, out.b});
    return out;
}

struct Step {
    Numbers B, tau;
};
Step step_of(const RowSource& source, const Numbers& u0, const Numbers& du, double t0, double h) {
    const RowBlock& block = source.row_blocks()[0];
    const auto rows = static_cast<std::size_t>(block.rows_per_item);
    Numbers mid(u0), u1(u0), work0(rows), work1(rows);
    for (std::size_t j = 0; j < u0.size(); ++j) {
        mid[j] += 0.5 * du[j];
        u1[j] += du[j];
    }
    Step out{Numbers(rows * u0.size()), Numbers(block.depends_on_time ? rows : 0)};
    RowStep step;
    step.u0 = u0;
    step.du = du;
    step.mid = mid;
    step.u1 = u1;
    step.t0 = t0;
    step.h = h;
    source.evaluate_step(0, step, {out.B, out.tau, work0, work1});
    return out;
}

const Numbers kU = {1.0, 2.0, -0.5, 0.3, -1.2, 0.7};
const Numbers kDu = {0.2, -0.1, 0.4, 0.5, 0.3, -0.6};

}  // namespace

TEST_SUITE("written types: time that some objects have") {
    TEST_CASE("a motion that is not given costs nothing; one that is, is a term of its own") {
        const Support still(arguments_of(Support::kParameters));
        CHECK_FALSE(still.row_blocks()[0].depends_on_time);
        CHECK(still.row_blocks()[0].degree == Degree::linear);

        // The table ends before any time at which the function is tried out
        auto arguments = arguments_of(Support::kParameters);
        arguments.set_end_time(0.2);
        arguments.set_matrix("motion", 4, {0.0, 0.0, 0.0, 0.0, 0.2, 0.1, 0.0, -0.3});
        const Support moves(arguments);
        CHECK(moves.row_blocks()[0].depends_on_time);
        CHECK(moves.row_blocks()[0].degree == Degree::linear);
        CHECK(moves.row_blocks()[0].tangent == TangentForm::none);
        const Said said = said_by(moves, kU, kDu, 0.1);
        CHECK(std::abs(said.pi[0] - (0.7 - 0.05)) <= 1e-15);
        CHECK(std::abs(said.pi_t[2] - 1.5) <= 1e-15);
        CHECK(said.b == Numbers{0.0, 0.0, 0.0});
    }

    // Six digits would be lost of the difference of two phi of size 1e6.
    TEST_CASE("over a step tau is the increment of the motion, whatever the size of positions") {
        auto arguments = arguments_of(Support::kParameters);
        arguments.set_texts("motion", {"sin(3*t)", "0.1*t^3", "exp(-t)"});
        const Support moves(arguments);
        Numbers far(kU);
        for (double& x : far) x *= 1e6;
        const Step step = step_of(moves, far, kDu, 0.3, 0.01);
        CHECK(step.tau[0] == -std::sin(3.0 * 0.31) + std::sin(3.0 * 0.3));
        CHECK(step.tau[2] == -std::exp(-0.31) + std::exp(-0.3));
        const Said said = said_by(moves, far, kDu, 0.3);
        CHECK(std::abs(said.pi_t[0] + 3.0 * std::cos(0.9)) <= 1e-15);
        CHECK(std::abs(said.b[0] + 9.0 * std::sin(0.9)) <= 2e-15);
    }
}

TEST_SUITE("written types: rows and attachments of a choice") {
    TEST_CASE("kept rows are those of the whole, in the order in which they are named") {
        const RowLaw springs[] = {{.kind = RowKind::elastic, .compliance = 0.1},
                                  {.kind = RowKind::elastic, .compliance = 0.2}};
        const Chosen all(false, std::vector<RowLaw>(1));
        const Chosen some(true, springs);
        REQUIRE(some.row_blocks()[0].rows_per_item == 2);
        CHECK(some.row_blocks()[0].laws[1].compliance == 0.2);
        const std::size_t kept[] = {2, 0};

        const Said whole = said_by(all, kU, kDu, 0.7);
        const Said part = said_by(some, kU, kDu, 0.7);
        const Step whole_step = step_of(all, kU, kDu, 0.7, 0.1);
        const Step part_step = step_of(some, kU, kDu, 0.7, 0.1);
        for (std::size_t k = 0; k < 2; ++k) {
            CHECK(part.pi[k] == whole.pi[kept[k]]);
            CHECK(part.pi_t[k] == whole.pi_t[kept[k]]);
            CHECK(part.b[k] == whole.b[kept[k]]);
            CHECK(part_step.tau[k] == whole_step.tau[kept[k]]);
            for (std::size_t j = 0; j < 6; ++j) {
                CHECK(part.A[6 * k + j] == whole.A[6 * kept[k] + j]);
                CHECK(part_step.B[6 * k + j] == whole_step.B[6 * kept[k] + j]);
            }
        }
    }

    TEST_CASE("attachments made of several parameters are asked for by text, digit by digit") {
        const auto arguments = arguments_of(Across::kParameters).set("body", "sled");
        const Across across(arguments);
        const std::span<const AttachmentRequest> attachments = across.attachments();
        REQUIRE(attachments.size() == 2);
        for (const AttachmentRequest& request : attachments) CHECK(request.parameter == nullptr);
        CHECK(attachments[0].text == std::string("sled@[0.1, 0, -2]"));
        CHECK(attachments[0].kind == AttachmentRequest::Kind::point);
        CHECK(attachments[1].kind == AttachmentRequest::Kind::direction);
        CHECK(across.row_blocks()[0].scalars_per_item == 6);
        CHECK_FALSE(across.row_blocks()[0].depends_on_time);
        CHECK(said_by(across, kU, kDu, 0.0).A == Numbers{0.3, -1.2, 0.7, 0.0, 0.0, 0.0});
        CHECK_THROWS_AS(Across(arguments, 3), std::logic_error);
    }
}

TEST_SUITE("written types: forces") {
    TEST_CASE("a law of a point acts on each point of a list of groups") {
        auto arguments = arguments_of(Wind::kParameters);
        arguments.set_texts("at", {"net@rim", "box@[0, 0, 0]"});
        const Wind wind(arguments);
        REQUIRE(wind.attachments().size() == 2);
        CHECK(wind.attachments()[0].kind == AttachmentRequest::Kind::points);
        CHECK(wind.attachments()[1].text == std::string("box@[0, 0, 0]"));
        Numbers f(6);
        wind.evaluate({kU, kDu, 0.5}, {}, {f});
        for (std::size_t j = 0; j < 6; ++j) CHECK(f[j] == 0.5 * kU[j] - 2.0 * kDu[j]);

        auto none = arguments_of(Wind::kParameters);
        none.set_texts("at", {});
        CHECK_THROWS_WITH(Wind{none}, "at: found no point, expected one or more");
    }

    TEST_CASE("a force that is given has no derivative to ask for") {
        const Pull pull;
        CHECK(facets_of(pull).tangent == nullptr);
        Numbers f(6);
        pull.evaluate({kU, kDu, 0.5}, {}, {f});
        CHECK(f == Numbers{0.5, 0.0, 1.0, -0.5, 0.0, -1.0});
    }

    TEST_CASE("dry friction is its law, and no force that could be evaluated") {
        const Grease grease;
        const ContactLaw* const law = facets_of(grease).contact;
        REQUIRE(law != nullptr);
        CHECK(grease.attachments().empty());
        CHECK(law->constraint() == std::string("on"));
        const SlipForce slip = law->slip(3.0, 2.0);
        CHECK(std::abs(slip.force - 1.8) <= 1e-15);
        CHECK(std::abs(slip.by_normal - 0.6) <= 1e-15);
        CHECK(std::abs(slip.by_speed - 1.2) <= 1e-15);
        CHECK(law->stick_limit(3.0) == 0.2 * 3.0);
    }

    TEST_CASE("a source without rows says nothing, one that forgets to evaluate them says so") {
        struct Forgetful final : RowSource {
        } nothing;
        CHECK(nothing.row_blocks().empty());
        CHECK_THROWS_AS(nothing.evaluate(0, {}, {}), std::logic_error);
    }
}

TEST_SUITE("written types: rows that are kept") {
    TEST_CASE("each row of phi can be kept, and no other") {
        const Numbers u = {1.0, 2.0, 4.0, 0.5, 0.25, 0.125};
        for (std::size_t row = 0; row < 3; ++row) {
            Numbers pi(1);
            OneRow(row).evaluate(0, {u, {}, 0.0}, {pi, {}, {}, {}});
            CHECK(pi[0] == u[row] - u[3 + row]);
        }
        for (const std::size_t row : {std::size_t{3}, std::size_t{77}})
            CHECK_THROWS_AS(OneRow{row}, std::out_of_range);
    }
}

TEST_SUITE("written types: bodies") {
    TEST_CASE("a point, a direction and a scalar: coordinates, start, mass, strain") {
        const Flap flap;
        REQUIRE(flap.coordinates().size() == 7);
        CHECK(flap.coordinates()[0].translates);
        CHECK_FALSE(flap.coordinates()[3].translates);
        CHECK(flap.coordinates()[6].vector == -1);
        CHECK(flap.find_coordinate("theta") == 6);
        CHECK(flap.find_coordinate("phi") == -1);
        Numbers q(7), v(7);
        flap.start(q, v);
        CHECK(q == Numbers{1.0, 2.0, 3.0, 0.0, 1.0, 0.0, 0.3});
        CHECK(v == Numbers{0.1, 0.0, 0.0, 0.0, 0.0, 0.2, -0.4});

        Entries M;
        flap.mass(M);
        CHECK(M.values.at({1, 1}) == 2.0);
        CHECK(M.values.at({1, 4}) == 0.5);
        CHECK(M.values.at({5, 5}) == 1.5);
        CHECK(M.values.at({6, 6}) == 0.25);
        CHECK_FALSE(M.values.contains({0, 1}));

        q[3] = 0.8;
        Numbers pi(1), A(4);
        flap.evaluate(0, {q, v, 0.0}, {pi, A, {}, {}});
        CHECK(pi[0] == 0.3 * 0.8 - 0.5);
        CHECK(A == Numbers{0.3, 0.0, 0.0, 0.8});
    }
}
