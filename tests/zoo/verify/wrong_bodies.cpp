// SPDX-License-Identifier: BSD-3-Clause
// Bad: bodies whose mass, attachments or motion are wrong in one place each, and two right ones.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "../test_mass.hpp"

namespace {

using namespace ancora;
using zoo::TestMass;

constexpr TypeDocs kMassDocs = {.doc = "a point mass",
                                .equation = "m r'' = f",
                                .source = "made for tests",
                                .examples = {"mass = 1.5\nvelocity = [1.0, 0.5, -0.2]"},
                                .claims = {Claim::rigid_motion_invariant}};

/// A point mass in the plane z = 0, in polar coordinates q = (theta, rho):
///
///   T = 1/2 m (rho'^2 + rho^2 theta'^2),   r = rho (cos theta, sin theta, 0)
class Polar : public Body, private ScalarRotation {
public:
    static constexpr Parameter kParameters[] = {
        parameter::number("mass", "kg", "mass").positive().otherwise("2.0"),
    };
    static constexpr TypeDocs kDocs = {.doc = "a point mass in polar coordinates",
                                       .equation = "T = 1/2 m (rho'^2 + rho^2 theta'^2)",
                                       .source = "made for tests",
                                       .examples = {""}};

    explicit Polar(const Arguments& arguments) : m_(arguments.number("mass")) {}

    std::span<const Coordinate> coordinates() const override { return kCoordinates; }
    void start(std::span<double> q, std::span<double> v) const override {
        q[0] = 0.3;
        q[1] = 1.2;
        v[0] = 0.5;
        v[1] = -0.1;
    }
    void mass(MassSink& M) const override {
        M.add(0, 0, m_ * 1.2 * 1.2);
        M.add(1, 1, m_);
    }
    MassKind mass_kind() const override { return MassKind::of_state; }
    void evaluate_mass(const MassState& at, const MassValues& out) const override {
        const std::span<const double> q = at.q, v = at.v;
        out.M[0] = m_ * q[1] * q[1];
        out.M[1] = out.M[2] = 0.0;
        out.M[3] = m_;
        out.force[0] = -2.0 * m_ * q[1] * v[1] * v[0];
        out.force[1] = m_ * q[1] * v[0] * v[0];
    }
    void facets(BodyFacets& out) const override { out.scalar_rotation = this; }
    void rotation(std::span<const double>, std::span<double> Xi) const override {
        std::ranges::fill(Xi, 0.0);
        Xi[2] = 1.0;  // theta about z
    }
    void turn(const std::array<double, 9>&, std::span<double>, std::span<double>) const override {
        throw std::logic_error("it stays in its plane");
    }
    void attach(const Locator& where, AttachmentSink& out) const override {
        if (where.is_direction || where.kind == Locator::Kind::name ||
            (where.kind == Locator::Kind::index && where.index != 0))
            throw std::invalid_argument("it has one point");
        out.nonlinear(0, kBoth);
    }
    void evaluate_attachment(int,
                             std::span<const double> q,
                             std::span<const double> v,
                             const AttachmentValues& out) const override {
        const double c = std::cos(q[0]);
        const double s = std::sin(q[0]);
        const double r[] = {q[1] * c, q[1] * s, 0.0};
        const double J[] = {-q[1] * s, c, q[1] * c, s, 0.0, 0.0};
        const double radial = -q[1] * v[0] * v[0];
        const double across = 2.0 * v[1] * v[0];
        const double bias[] = {radial * c - across * s, radial * s + across * c, 0.0};
        const auto copy = [](std::span<const double> from, std::span<double> to) {
            for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i];
        };
        copy(r, out.r);
        copy(J, out.J);
        copy(bias, out.bias);
    }
    PoseKind pose_kind() const override { return PoseKind::position; }
    void pose(std::span<const double> q, std::span<const double> v, Pose& out) const override {
        const double c = std::cos(q[0]);
        const double s = std::sin(q[0]);
        out.position = {q[1] * c, q[1] * s, 0.0};
        out.velocity = {v[1] * c - q[1] * v[0] * s, v[1] * s + q[1] * v[0] * c, 0.0};
    }

protected:
    static constexpr Coordinate kCoordinates[] = {{}, {}};
    static constexpr std::int32_t kBoth[] = {0, 1};

    double m_;
};

/// Its mass couples two coordinates more than it holds either.
class Indefinite final : public TestMass {
public:
    using TestMass::TestMass;
    void mass(MassSink& M) const override {
        TestMass::mass(M);
        M.add(1, 0, 4.0);
    }
};

/// Gives an entry above the diagonal, and nothing for its mirror.
class UpperTriangle final : public TestMass {
public:
    using TestMass::TestMass;
    void mass(MassSink& M) const override {
        TestMass::mass(M);
        M.add(0, 1, 0.1);
    }
};

/// Its state-dependent mass has one off-diagonal entry.
class Unsymmetric final : public Polar {
public:
    using Polar::Polar;
    void mass(MassSink& M) const override {
        Polar::mass(M);
        M.add(1, 0, 0.0);
    }
    void evaluate_mass(const MassState& at, const MassValues& out) const override {
        Polar::evaluate_mass(at, out);
        out.M[1] = 0.1 * (at.q[1] - 1.2);
    }
};

/// The Coriolis force lacks its factor 2.
class WrongInertiaForce final : public Polar {
public:
    using Polar::Polar;
    void evaluate_mass(const MassState& at, const MassValues& out) const override {
        Polar::evaluate_mass(at, out);
        out.force[0] *= 0.5;
    }
};

/// A sign in the derivative of its point.
class WrongAttachment final : public Polar {
public:
    using Polar::Polar;
    void evaluate_attachment(int id,
                             std::span<const double> q,
                             std::span<const double> v,
                             const AttachmentValues& out) const override {
        Polar::evaluate_attachment(id, q, v, out);
        if (!out.J.empty()) out.J[0] = -out.J[0];
    }
};

/// Its bias lacks the centripetal part.
class WrongBias final : public Polar {
public:
    using Polar::Polar;
    void evaluate_attachment(int id,
                             std::span<const double> q,
                             std::span<const double> v,
                             const AttachmentValues& out) const override {
        Polar::evaluate_attachment(id, q, v, out);
        for (double& x : out.bias) x = 0.0;
    }
};

/// Its pose is late: the velocity is missing.
class WrongPose final : public Polar {
public:
    using Polar::Polar;
    void pose(std::span<const double> q, std::span<const double> v, Pose& out) const override {
        Polar::pose(q, v, out);
        out.velocity = {};
    }
};

/// The velocity of its pose is that of the start.
class OldPoseRate final : public Polar {
public:
    using Polar::Polar;
    void pose(std::span<const double> q, std::span<const double> v, Pose& out) const override {
        std::array<double, 2> q0{}, v0{};
        start(q0, v0);
        Polar::pose(q0, v0, out);
        const std::array<double, 3> velocity = out.velocity;
        Polar::pose(q, v, out);
        out.velocity = velocity;
    }
};

/// Says that a rotation of space leaves its angle alone.
class ForgetsRotation final : public Polar {
public:
    using Polar::Polar;
    void rotation(std::span<const double>, std::span<double> Xi) const override {
        std::ranges::fill(Xi, 0.0);
    }
};
/// Turns the other way.
class TurnsBack final : public Polar {
public:
    using Polar::Polar;
    void rotation(std::span<const double>, std::span<double> Xi) const override {
        std::ranges::fill(Xi, 0.0);
        Xi[2] = -1.0;
    }
};
/// Turns its distance in place of its angle.
class TurnsDistance final : public Polar {
public:
    using Polar::Polar;
    void rotation(std::span<const double>, std::span<double> Xi) const override {
        std::ranges::fill(Xi, 0.0);
        Xi[5] = 1.0;
    }
};

/// Right: a body that moves in the plane z = 0, by its centre and an angle. Its vector lacks z.
class Flat : public Body, private ScalarRotation {
public:
    static constexpr Parameter kParameters[] = {
        parameter::number("mass", "kg", "mass").positive().otherwise("2.0"),
    };
    static constexpr TypeDocs kDocs = {.doc = "a body in a plane",
                                       .equation = "T = 1/2 m r'.r' + 1/2 J theta'^2",
                                       .source = "made for tests",
                                       .examples = {""}};

    explicit Flat(const Arguments& arguments) : m_(arguments.number("mass")) {}

    std::span<const Coordinate> coordinates() const override { return kCoordinates; }
    void start(std::span<double> q, std::span<double> v) const override {
        std::ranges::copy(std::array{0.2, -0.1, 0.3}, q.begin());
        std::ranges::copy(std::array{0.5, 0.4, 2.0}, v.begin());
    }
    void mass(MassSink& M) const override {
        M.add(0, 0, m_);
        M.add(1, 1, m_);
        M.add(2, 2, 0.3 * m_);
    }
    void attach(const Locator& where, AttachmentSink& out) const override {
        if (where.is_direction || where.kind == Locator::Kind::name ||
            (where.kind == Locator::Kind::index && where.index != 0))
            throw std::invalid_argument("it has one point");
        out.nonlinear(0, kAll);
    }
    void evaluate_attachment(int,
                             std::span<const double> q,
                             std::span<const double> v,
                             const AttachmentValues& out) const override {
        const double c = std::cos(q[2]), s = std::sin(q[2]);
        const auto put = [](std::span<double> to, std::initializer_list<double> values) {
            if (!to.empty()) std::ranges::copy(values, to.begin());
        };
        put(out.r, {q[0] + c, q[1] + s, 0.0});
        put(out.J, {1.0, 0.0, -s, 0.0, 1.0, c, 0.0, 0.0, 0.0});
        if (!out.bias.empty()) put(out.bias, {-c * v[2] * v[2], -s * v[2] * v[2], 0.0});
    }
    void facets(BodyFacets& out) const override { out.scalar_rotation = this; }
    void rotation(std::span<const double>, std::span<double> Xi) const override {
        std::ranges::fill(Xi, 0.0);
        Xi[8] = 1.0;
    }

private:
    static constexpr Coordinate kCoordinates[] = {{0, 0, true, 1.0}, {0, 1, true, 1.0}, {}};
    static constexpr std::int32_t kAll[] = {0, 1, 2};

    double m_;
};

/// Its angle does not go with space.
class FlatStays final : public Flat {
public:
    using Flat::Flat;
    void facets(BodyFacets&) const override {}
};

/// Right: two masses on a spring, pi = |d| - 1 with d = r_1 - r_0, and over a step
///
///   B = (d_0 + d_1) / (|d_0| + |d_1|)
class SpringBody : public Body {
public:
    static constexpr Parameter kParameters[] = {
        parameter::number("mass", "kg", "of each end").positive().otherwise("1.2"),
    };
    static constexpr TypeDocs kDocs = {.doc = "two masses on a spring",
                                       .equation = "U = (|d| - 1)^2 / (2 c)",
                                       .source = "made for tests",
                                       .examples = {""},
                                       .claims = {Claim::rigid_motion_invariant}};

    explicit SpringBody(const Arguments& arguments) : m_(arguments.number("mass")) {}
    std::span<const Coordinate> coordinates() const override { return kCoordinates; }
    void start(std::span<double> q, std::span<double> v) const override {
        std::ranges::copy(std::array{0.0, 0.0, 0.0, 1.1, 0.2, -0.1}, q.begin());
        std::ranges::copy(std::array{0.1, -0.3, 0.2, 0.4, 0.5, -0.6}, v.begin());
    }
    void mass(MassSink& M) const override {
        for (int i = 0; i < 6; ++i) M.add(i, i, m_);
    }
    void attach(const Locator& where, AttachmentSink& out) const override {
        if (where.is_direction || where.kind != Locator::Kind::index || where.index > 1 ||
            where.index < 0)
            throw std::invalid_argument("it has the nodes 0 and 1");
        for (int i = 0; i < 3; ++i) out.weight(i, 3 * static_cast<int>(where.index) + i, 1.0);
    }
    std::span<const RowBlock> row_blocks() const override { return {&kBlock, 1}; }
    void evaluate(int, const RowPoint& at, const RowValues& out) const override {
        const std::array<double, 3> d = difference(at.u);
        const double length = norm(d);
        double along = 0.0, square = 0.0;
        for (std::size_t i = 0; i < 3; ++i) {
            if (!out.A.empty()) {
                out.A[i] = -d[i] / length;
                out.A[3 + i] = d[i] / length;
            }
            if (at.du.empty()) continue;
            const double rate = at.du[3 + i] - at.du[i];
            along += rate * d[i] / length;
            square += rate * rate;
        }
        if (!out.pi.empty()) out.pi[0] = length - 1.0;
        if (!out.b.empty()) out.b[0] = -(square - along * along) / length;
    }
    void evaluate_step(int, const RowStep& step, const RowStepValues& out) const override {
        const std::array<double, 3> d0 = difference(step.u0), d1 = difference(step.u1);
        const double lengths = norm(d0) + norm(d1);
        for (std::size_t i = 0; i < 3; ++i) {
            out.B[3 + i] = (d0[i] + d1[i]) / lengths;
            out.B[i] = -out.B[3 + i];
        }
    }

protected:
    static std::array<double, 3> difference(std::span<const double> u) {
        return {u[3] - u[0], u[4] - u[1], u[5] - u[2]};
    }
    static double norm(const std::array<double, 3>& d) { return std::hypot(d[0], d[1], d[2]); }

private:
    static constexpr Coordinate kCoordinates[] = {{0, 0, true, 1.0},
                                                  {0, 1, true, 1.0},
                                                  {0, 2, true, 1.0},
                                                  {1, 0, true, 1.0},
                                                  {1, 1, true, 1.0},
                                                  {1, 2, true, 1.0}};
    static constexpr std::int32_t kStencil[] = {0, 1, 2, 3, 4, 5};
    static constexpr RowLaw kLaws[] = {{.kind = RowKind::elastic, .compliance = 0.01}};
    static constexpr RowBlock kBlock = {.name = "spring",
                                        .num_items = 1,
                                        .rows_per_item = 1,
                                        .scalars_per_item = 6,
                                        .stencil = kStencil,
                                        .laws = kLaws,
                                        .tangent = TangentForm::none};

    double m_;
};
/// Leaves the step to the SDK, which corrects along the change of u.
class DerivedStep final : public SpringBody {
public:
    using SpringBody::SpringBody;
    void evaluate_step(int block, const RowStep& step, const RowStepValues& out) const override {
        Body::evaluate_step(block, step, out);
    }
};
/// A little of its B lies along x, across the change of d.
class LeansInStep final : public SpringBody {
public:
    using SpringBody::SpringBody;
    void evaluate_step(int block, const RowStep& step, const RowStepValues& out) const override {
        SpringBody::evaluate_step(block, step, out);
        const std::array<double, 3> dd = difference(step.du);
        const double square = dd[0] * dd[0] + dd[1] * dd[1] + dd[2] * dd[2];
        if (!(square > 0.0)) return;
        for (std::size_t i = 0; i < 3; ++i) {
            const double across = (i == 0 ? 1.0 : 0.0) - dd[0] * dd[i] / square;
            out.B[3 + i] += 1e-7 * across;
            out.B[i] -= 1e-7 * across;
        }
    }
};
/// Along d at the begin, as long as the energy wants it.
class OldDirection final : public SpringBody {
public:
    using SpringBody::SpringBody;
    void evaluate_step(int block, const RowStep& step, const RowStepValues& out) const override {
        SpringBody::evaluate_step(block, step, out);
        const std::array<double, 3> d0 = difference(step.u0), d1 = difference(step.u1),
                                    dd = difference(step.du);
        const double along = d0[0] * dd[0] + d0[1] * dd[1] + d0[2] * dd[2];
        if (!(std::abs(along) > 1e-3 * norm(d0) * norm(dd))) return;
        for (std::size_t i = 0; i < 3; ++i) {
            out.B[3 + i] = (norm(d1) - norm(d0)) / along * d0[i];
            out.B[i] = -out.B[3 + i];
        }
    }
};

/// Says that its coordinates move matter by a millimetre per metre.
class ShortReach final : public TestMass {
public:
    using TestMass::TestMass;
    std::span<const Coordinate> coordinates() const override { return kShort; }

private:
    static constexpr Coordinate kShort[] = {
        {0, 0, true, 1e-3}, {0, 1, true, 1e-3}, {0, 2, true, 1e-3}};
};

/// Says of its position that it does not translate.
class StaysBehind final : public TestMass {
public:
    using TestMass::TestMass;
    std::span<const Coordinate> coordinates() const override { return kFixed; }

private:
    static constexpr Coordinate kFixed[] = {
        {0, 0, false, 1.0}, {0, 1, false, 1.0}, {0, 2, false, 1.0}};
};

/// Heavier along x, and claims to be the same in all directions.
class Anisotropic final : public TestMass {
public:
    using TestMass::TestMass;
    void mass(MassSink& M) const override {
        TestMass::mass(M);
        M.add(0, 0, 1.0);
    }
};

/// Forgets the last velocity.
class HalfStarted final : public TestMass {
public:
    using TestMass::TestMass;
    void start(std::span<double> q, std::span<double> v) const override {
        const double last = v[2];
        TestMass::start(q, v);
        v[2] = last;
    }
};

/// A point mass on a spring to nowhere whose energy row has a wrong Jacobian: force and potential
/// do not belong together.
class WrongPotential final : public TestMass {
public:
    using TestMass::TestMass;
    std::span<const RowBlock> row_blocks() const override { return {&kBlock, 1}; }
    void evaluate(int, const RowPoint& at, const RowValues& out) const override {
        const double l = at.u[0] * at.u[0] + at.u[1] * at.u[1] + at.u[2] * at.u[2] - 1.0;
        double rate = 0.0;
        for (std::size_t i = 0; i < 3; ++i) {
            if (!out.A.empty()) out.A[i] = at.u[i];
            if (!at.du.empty()) rate += at.du[i] * at.du[i];
        }
        if (!out.pi.empty()) out.pi[0] = l;
        if (!out.b.empty()) out.b[0] = -rate;
    }

private:
    static constexpr std::int32_t kStencil[] = {0, 1, 2};
    static constexpr RowLaw kLaws[] = {{.kind = RowKind::elastic, .compliance = 0.1}};
    static constexpr RowBlock kBlock = {.name = "spring",
                                        .num_items = 1,
                                        .rows_per_item = 1,
                                        .scalars_per_item = 3,
                                        .stencil = kStencil,
                                        .laws = kLaws,
                                        .degree = Degree::quadratic,
                                        .tangent = TangentForm::none};
};

/// Draws a line to a node that it does not have.
class LostLine : public TestMass, private Drawing {
public:
    using TestMass::TestMass;
    void facets(BodyFacets& out) const override { out.drawing = this; }
    void draw(Sketch& out) const override {
        constexpr std::int32_t kEnds[] = {0, 1};
        out.nodes(1);
        out.lines(kEnds);
    }
};

/// Has two nodes in the sketch, one in attach().
class LostNode : public TestMass, private Drawing {
public:
    using TestMass::TestMass;
    void facets(BodyFacets& out) const override { out.drawing = this; }
    void draw(Sketch& out) const override { out.nodes(2); }
};

/// Announces a value along its line and does not write it.
class Colourless : public TestMass, private Drawing {
public:
    using TestMass::TestMass;
    void facets(BodyFacets& out) const override { out.drawing = this; }
    void draw(Sketch& out) const override {
        constexpr std::int32_t kEnds[] = {0, 0};
        out.nodes(1);
        out.lines(kEnds);
        out.channel("force", "N");
    }
    void draw_values(const SketchState&, std::span<double>) const override {}
};

/// Right: a tank that empties.
class Tank : public TestMass {
public:
    explicit Tank(const Arguments& arguments)
        : TestMass(arguments), m_0_(arguments.number("mass")) {}
    MassKind mass_kind() const override { return MassKind::of_time; }
    void evaluate_mass(const MassState& at, const MassValues& out) const override {
        std::ranges::fill(out.M, 0.0);
        std::ranges::fill(out.rate, 0.0);
        for (const std::size_t i : {0, 4, 8}) {
            out.M[i] = m_0_ * std::exp(-at.t);
            out.rate[i] = rate_of(out.M[i]);
        }
    }

protected:
    virtual double rate_of(double m) const { return -m; }
    double m_0_;
};

/// Says that it fills.
class Fills final : public Tank {
public:
    using Tank::Tank;

private:
    double rate_of(double m) const override { return m; }
};

enum class Drain {
    rate_of_start,  // as if it emptied at the first rate
    no_rate,        // says that it keeps its mass
    forgets_rate,   // leaves the rate unwritten
    runs_dry,       // down to nothing
    reads_state     // asks where it is, which has no answer
};
template <Drain kWrong>
class Drains final : public Tank {
public:
    using Tank::Tank;
    void evaluate_mass(const MassState& at, const MassValues& out) const override {
        if (kWrong == Drain::forgets_rate) {
            std::vector<double> beside(out.rate.size());
            Tank::evaluate_mass(at, {.M = out.M, .rate = beside});
            return;
        }
        Tank::evaluate_mass(at, out);
        for (const std::size_t i : {0, 4, 8}) {
            if (kWrong == Drain::runs_dry) {
                out.M[i] = std::max(0.0, m_0_ * (1.0 - 2.0 * at.t));
                out.rate[i] = at.t < 0.5 ? -2.0 * m_0_ : 0.0;
            }
            if (kWrong == Drain::reads_state) out.M[i] *= 1.0 + 0.1 * at.q[0];
        }
    }

private:
    double rate_of(double m) const override {
        return kWrong == Drain::rate_of_start ? -m_0_ : kWrong == Drain::no_rate ? 0.0 : -m;
    }
};

// --- facets

enum class Named {
    nothing,
    forgets_turning,    // derives from ScalarRotation, and does not name it
    forgets_names,      // likewise from BodyNames
    forgets_drawing,    // likewise from Drawing
    turns_as_last,      // the facet of the object that was made last
    group_beyond,       // a group with a point that it does not have
    any_group,          // takes any name of a group
    coordinate_beyond,  // a name stands for a coordinate that it does not have
    any_coordinate      // any name is that of the first
};

/// The mass in polar coordinates with all facets of a body but signals.
template <Named kWrong>
class NamedPolar final : public Polar, private BodyNames, private Drawing {
public:
    explicit NamedPolar(const Arguments& arguments) : Polar(arguments) { last = this; }
    void facets(BodyFacets& out) const override {
        out.names = this;
        out.drawing = this;
        Polar::facets(out);
        if (kWrong == Named::forgets_turning) out.scalar_rotation = nullptr;
        if (kWrong == Named::forgets_names) out.names = nullptr;
        if (kWrong == Named::forgets_drawing) out.drawing = nullptr;
        if (kWrong != Named::turns_as_last) return;
        BodyFacets its;
        last->Polar::facets(its);
        out.scalar_rotation = its.scalar_rotation;
    }

private:
    std::span<const std::int32_t> group(std::string_view name) const override {
        static constexpr std::int32_t kIt[] = {0}, kTwo[] = {0, 1};
        if (kWrong == Named::any_group) return kIt;
        if (name != "*" && name != "it") throw std::invalid_argument("it has the group it");
        if (kWrong == Named::group_beyond) return kTwo;
        return kIt;
    }
    int find_coordinate(std::string_view name) const override {
        if (kWrong == Named::any_coordinate) return 0;
        if (kWrong == Named::coordinate_beyond) return name == "theta" ? 1 : name == "rho" ? 2 : -1;
        return name == "theta" ? 0 : name == "rho" ? 1 : -1;
    }
    void draw(Sketch& out) const override { out.sphere(0.1, {}); }

    inline static const NamedPolar* last = nullptr;
};

template <Drain kWrong>
constexpr TypeDescriptor drains(const char* name) {
    return type<Drains<kWrong>>(name, kMassDocs, TestMass::kParameters);
}
template <Named kWrong>
constexpr TypeDescriptor named(const char* name) {
    return type<NamedPolar<kWrong>>(name, Polar::kDocs, Polar::kParameters);
}

constexpr TypeDescriptor kTypes[] = {
    type<TestMass>("right_mass", kMassDocs, TestMass::kParameters),
    type<Polar>("right_polar", Polar::kDocs, Polar::kParameters),
    type<Flat>("right_flat", Flat::kDocs, Flat::kParameters),
    type<FlatStays>("flat_stays", Flat::kDocs, Flat::kParameters),
    type<Indefinite>("indefinite", kMassDocs, TestMass::kParameters),
    type<UpperTriangle>("upper_triangle", kMassDocs, TestMass::kParameters),
    type<Unsymmetric>("unsymmetric", Polar::kDocs, Polar::kParameters),
    type<WrongInertiaForce>("wrong_inertia_force", Polar::kDocs, Polar::kParameters),
    type<WrongAttachment>("wrong_attachment", Polar::kDocs, Polar::kParameters),
    type<WrongBias>("wrong_bias", Polar::kDocs, Polar::kParameters),
    type<WrongPose>("wrong_pose", Polar::kDocs, Polar::kParameters),
    type<OldPoseRate>("old_pose_rate", Polar::kDocs, Polar::kParameters),
    type<StaysBehind>("stays_behind", kMassDocs, TestMass::kParameters),
    type<ShortReach>("short_reach", kMassDocs, TestMass::kParameters),
    type<Anisotropic>("anisotropic", kMassDocs, TestMass::kParameters),
    type<HalfStarted>("half_started", kMassDocs, TestMass::kParameters),
    type<WrongPotential>("wrong_potential", kMassDocs, TestMass::kParameters),
    type<LostLine>("lost_line", kMassDocs, TestMass::kParameters),
    type<LostNode>("lost_node", kMassDocs, TestMass::kParameters),
    type<Tank>("right_tank", kMassDocs, TestMass::kParameters),
    type<Fills>("fills", kMassDocs, TestMass::kParameters),
    type<ForgetsRotation>("forgets_rotation", Polar::kDocs, Polar::kParameters),
    type<TurnsBack>("turns_back", Polar::kDocs, Polar::kParameters),
    type<TurnsDistance>("turns_distance", Polar::kDocs, Polar::kParameters),
    type<SpringBody>("right_spring_body", SpringBody::kDocs, SpringBody::kParameters),
    type<DerivedStep>("derived_step", SpringBody::kDocs, SpringBody::kParameters),
    type<LeansInStep>("leans_in_step", SpringBody::kDocs, SpringBody::kParameters),
    type<OldDirection>("old_direction", SpringBody::kDocs, SpringBody::kParameters),
    type<Colourless>("colourless", kMassDocs, TestMass::kParameters),
    drains<Drain::rate_of_start>("rate_of_start"),
    drains<Drain::no_rate>("no_rate"),
    drains<Drain::forgets_rate>("forgets_rate"),
    drains<Drain::runs_dry>("runs_dry"),
    drains<Drain::reads_state>("reads_state"),
    named<Named::nothing>("right_named"),
    named<Named::forgets_turning>("forgets_turning"),
    named<Named::forgets_names>("forgets_names"),
    named<Named::forgets_drawing>("forgets_drawing"),
    named<Named::turns_as_last>("turns_as_last"),
    named<Named::group_beyond>("group_beyond"),
    named<Named::any_group>("any_group"),
    named<Named::coordinate_beyond>("coordinate_beyond"),
    named<Named::any_coordinate>("any_coordinate"),
};

}  // namespace

ANCORA_PLUGIN("wrong_bodies", "1.0.0", kTypes)
