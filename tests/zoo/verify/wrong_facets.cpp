// SPDX-License-Identifier: BSD-3-Clause
// Bad: constraints and forces whose facets, attachments or own bodies are wrong in one place each,
// and right ones beside them.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "parts.hpp"

namespace {

using namespace ancora;
using zoo::Rod;

// --- a damper with all facets of a force

enum class Force {
    nothing,
    start_of_temporary,   // points into a vector that is gone
    names_of_temporary,   // so do the names of constraints
    tangent_of_last,      // is the object that was made last
    signals_of_last,      // likewise
    start_grows,          // one number more each time
    start_changes,        // another number each time
    start_of_nan,         // no number
    tangent_by_turns,     // there each second time
    reacts_to_nobody,     // a parameter that it does not have
    reacts_to_point,      // a parameter that names no constraint
    reacts_to_null,       // no name at all
    forgets_tangent,      // derives from ForceTangent, and does not name it
    forgets_signals,      // likewise from Signals
    effort_of_nobody,     // a measure of an attachment that it does not have
    writes_one_output,    // of two
    writes_three_outputs  // of two
};

/// f_a = -c (v_a - v_b) in a medium that takes the moment, with a state that remembers nothing.
template <Force kWrong>
class Damper final : public NonidealForce, private ForceTangent, private Signals {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("a", "one end").required(),
        parameter::point("b", "the other end").required(),
        parameter::object("presses", "the constraint whose reaction it shows").required(),
    };
    static constexpr TypeDocs kDocs = {.doc = "a damper that shows what presses it",
                                       .equation = "f = -c (v_a - v_b)",
                                       .source = "made for tests",
                                       .examples = {"a = \"a@[0.3, 0.1, -0.2]\"\n"
                                                    "b = \"b@[-0.4, 0.2, 0.1]\"\n"
                                                    "presses = \"c\""},
                                       .claims = {Claim::frame_invariant}};

    explicit Damper(const Arguments&) { last = this; }

    std::span<const AttachmentRequest> attachments() const override { return kOn; }
    WorkKind work() const override { return WorkKind::nonideal; }
    void evaluate(const RowPoint& at,
                  std::span<const double>,
                  const ForceValues& out) const override {
        for (std::size_t i = 0; i < 3; ++i) {
            out.f[i] = -kRate * (at.du[i] - at.du[3 + i]);
            out.f[3 + i] = -out.f[i];
        }
    }
    void facets(ForceFacets& out) const override {
        out.start_state = start_;
        out.reactions = kPresses;
        out.tangent = this;
        out.signals = this;
        out.tied_to_inertial_frame = true;
        switch (kWrong) {
            case Force::start_of_temporary: {
                const std::vector<double> gone = {0.1, 0.2, 0.3};
                out.start_state = gone;
                break;
            }
            case Force::names_of_temporary: {
                const auto gone = std::make_unique<const char*[]>(1);
                gone[0] = kPresses[0];
                out.reactions = {gone.get(), 1};
                break;
            }
            case Force::tangent_of_last:
                out.tangent = last;
                break;
            case Force::signals_of_last:
                out.signals = last;
                break;
            case Force::start_grows:
                out.start_state = std::span(start_).first(++calls_ % 3);
                break;
            case Force::start_changes:
                start_[0] += 1.0;
                break;
            case Force::start_of_nan:
                start_[2] = std::numeric_limits<double>::quiet_NaN();
                break;
            case Force::tangent_by_turns:
                if (++calls_ % 2 == 0) out.tangent = nullptr;
                break;
            case Force::reacts_to_nobody:
                out.reactions = kNobody;
                break;
            case Force::reacts_to_point:
                out.reactions = kPoint;
                break;
            case Force::reacts_to_null:
                out.reactions = kNull;
                break;
            case Force::forgets_tangent:
                out.tangent = nullptr;
                break;
            case Force::forgets_signals:
                out.signals = nullptr;
                break;
            case Force::effort_of_nobody:
                out.effort_on = &kMeasure;
                break;
            default:
                break;
        }
    }

private:
    void differentiate_step(const RowStep& step,
                            std::span<const double>,
                            std::span<double> D) const override {
        std::ranges::fill(D, 0.0);
        for (std::size_t i = 0; i < 3; ++i) {
            D[6 * i + i] = D[6 * (3 + i) + 3 + i] = -kRate / step.h;
            D[6 * i + 3 + i] = D[6 * (3 + i) + i] = kRate / step.h;
        }
    }
    std::span<const Output> outputs() const override { return kOutputs; }
    bool outputs_read_inputs() const override { return false; }
    void evaluate_outputs(const SignalPoint& at, std::span<double> y) const override {
        double square = 0.0;
        for (std::size_t i = 0; i < 3; ++i)
            square += (at.du[i] - at.du[3 + i]) * (at.du[i] - at.du[3 + i]);
        y[0] = std::sqrt(square);
        if (kWrong == Force::writes_one_output) return;
        y[1] = kRate * y[0];
        if (kWrong == Force::writes_three_outputs) y.data()[2] = y[1];
    }

    static constexpr double kRate = 0.4;
    static constexpr AttachmentRequest kOn[] = {{"a"}, {"b"}};
    static constexpr const char* kPresses[] = {"presses"};
    static constexpr const char* kNobody[] = {"presses_it"};
    static constexpr const char* kPoint[] = {"a"};
    static constexpr const char* kNull[] = {nullptr};
    static constexpr Output kOutputs[] = {{"speed", "m/s", "of its ends"}, {"force", "N", ""}};
    static constexpr Measure kMeasure = {
        .name = "length", .kind = MeasureKind::distance, .attachments = {0, 2, 0}};
    inline static const Damper* last = nullptr;

    mutable std::array<double, 3> start_ = {0.1, 0.2, 0.3};
    mutable std::size_t calls_ = 0;
};

// --- a motor on an angle

/// f = T dm/du, or something beside it.
template <bool kIsRight>
class Motor final : public NonidealForce {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("a", "one end").required(),
        parameter::point("b", "the other end").required(),
    };
    static constexpr TypeDocs kDocs = {
        .doc = "a jack",
        .equation = "f = T d|r_b - r_a|/du",
        .source = "made for tests",
        .examples = {"a = \"a@[0.3, 0.1, -0.2]\"\nb = \"b@[-0.4, 0.2, 0.1]\""}};

    explicit Motor(const Arguments&) {}
    std::span<const AttachmentRequest> attachments() const override { return kOn; }
    WorkKind work() const override { return WorkKind::nonideal; }
    void evaluate(const RowPoint& at,
                  std::span<const double>,
                  const ForceValues& out) const override {
        std::array<double, 3> d{};
        double square = 0.0;
        for (std::size_t i = 0; i < 3; ++i) {
            d[i] = at.u[3 + i] - at.u[i];
            square += d[i] * d[i];
        }
        if (!kIsRight) std::swap(d[0], d[1]);
        for (std::size_t i = 0; i < 3; ++i) {
            out.f[3 + i] = kEffort * d[i] / std::sqrt(square);
            out.f[i] = -out.f[3 + i];
        }
    }
    void facets(ForceFacets& out) const override { out.effort_on = &kMeasure; }

private:
    static constexpr double kEffort = 0.7;
    static constexpr AttachmentRequest kOn[] = {{"a"}, {"b"}};
    static constexpr Measure kMeasure = {
        .name = "length", .kind = MeasureKind::distance, .attachments = {0, 1, 0}};
};

// --- rods with facets

enum class Tie {
    nothing,
    unit_of_temporary,   // a text that is gone
    unit_of_nobody,      // "Newtons"
    joint_of_last,       // of the object that was made last
    factors_of_nan,      // effort factors that are no numbers
    state_changes,       // start_state() is another each time
    state_of_nan,        // not finite
    state_of_temporary,  // points into a vector that is gone
    parameter_of_nobody  // an attachment by a parameter that it does not have
};

template <Tie kWrong>
class Tied final : public Rod, private EffortFactors {
public:
    explicit Tied(const Arguments& arguments) : Rod(arguments) {
        joint.freedom = 5;
        joint.point = 1;
        joint.on_b = kOnB;
        joint.a.body = name_a_ = std::string(arguments.frame_of("a").body);
        joint.b.body = name_b_ = std::string(arguments.frame_of("b").body);
    }
    std::span<const AttachmentRequest> attachments() const override {
        static constexpr AttachmentRequest kOther[] = {{"a"}, {"end"}};
        if (kWrong == Tie::parameter_of_nobody) return kOther;
        return kAttachments;
    }
    std::span<const double> start_state() const override {
        if (kWrong == Tie::state_changes) state_[0] += 0.5;
        if (kWrong == Tie::state_of_nan) state_[0] = std::numeric_limits<double>::infinity();
        if (kWrong == Tie::state_of_temporary) {
            const std::vector<double> gone = {0.5};
            return gone;
        }
        return state_;
    }
    void facets(ConstraintFacets& out) const override {
        out.reaction = ReactionKind::effort;
        out.effort_unit = "N m";
        out.effort_factors = this;
        if (kWrong == Tie::unit_of_temporary) {
            const std::string gone = "a unit that is too long to stand anywhere but on the heap";
            out.effort_unit = gone.c_str();
        }
        if (kWrong == Tie::unit_of_nobody) out.effort_unit = "Newtons";
        if (kWrong == Tie::joint_of_last) out.joint = &joint;
    }

private:
    void evaluate(const RowPoint&, double, std::span<double> factors) const override {
        factors[0] = kWrong == Tie::factors_of_nan ? std::numeric_limits<double>::quiet_NaN() : 1.0;
    }
    using Rod::evaluate;

    static constexpr std::array<std::int32_t, 1> kOnB = {1};
    inline static Joint joint;
    std::string name_a_, name_b_;
    mutable std::array<double, 1> state_ = {0.5};
};

// --- attachments by text

enum class Text {
    nothing,
    key_of_nobody,  // comes from a parameter that it does not have
    temporary       // a text that is gone
};

/// The rod's ends by texts of its own.
template <Text kWrong>
class ByText final : public Rod {
public:
    static constexpr Parameter kParameters[] = {
        parameter::text("ends", "two points with a semicolon between").required(),
        parameter::number("length", "m", "distance of the ends").positive().otherwise("1.0"),
    };
    static constexpr TypeDocs kDocs = {
        .doc = "a rod",
        .equation = "(d . d - L^2) / 2 = 0",
        .source = "made for tests",
        .examples = {"ends = \"a@[0.3, 0.1, -0.2];b@[-0.4, 0.2, 0.1]\""},
        .claims = {Claim::rigid_motion_invariant}};

    explicit ByText(const Arguments& arguments) : Rod(arguments) {
        const std::string ends(arguments.text("ends"));
        const std::size_t at = ends.find(';');
        if (at == std::string::npos) arguments.fail("ends", "write two points");
        texts_ = {ends.substr(0, at), ends.substr(at + 1)};
        for (std::size_t k = 0; k < 2; ++k)
            on_[k] = {.text = texts_[k].c_str(),
                      .key = kWrong == Text::key_of_nobody ? "end" : "ends"};
    }
    ByText(const ByText&) = delete;
    std::span<const AttachmentRequest> attachments() const override {
        if (kWrong == Text::temporary) {
            const std::vector<std::string> gone = {std::string(64, ' '), std::string(64, ' ')};
            for (std::size_t k = 0; k < 2; ++k) on_[k].text = gone[k].c_str();
        }
        return on_;
    }

private:
    std::array<std::string, 2> texts_;
    mutable std::array<AttachmentRequest, 2> on_;
};

// --- against the inertial frame

/// What a row between two points pulls: a height of one point above the other.
template <bool kIsTied>
class Level final : public Constraint {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("a", "one point").required(),
        parameter::point("b", "the other one").required(),
    };
    static constexpr TypeDocs kDocs = {
        .doc = "keeps two points at one height, as a water level does",
        .equation = "z_a - z_b = 0",
        .source = "made for tests",
        .examples = {"a = \"a@[0.3, 0.1, -0.2]\"\nb = \"b@[-0.4, 0.2, 0.1]\""}};

    explicit Level(const Arguments&) {}
    std::span<const AttachmentRequest> attachments() const override { return kOn; }
    std::span<const RowBlock> row_blocks() const override { return {&kBlock, 1}; }
    void evaluate(int, const RowPoint& at, const RowValues& out) const override {
        if (!out.pi.empty()) out.pi[0] = at.u[2] - at.u[5];
        if (!out.b.empty()) out.b[0] = 0.0;
        if (out.A.empty()) return;
        out.A[0] = 1.0;
        out.A[1] = -1.0;
    }
    void facets(ConstraintFacets& out) const override { out.tied_to_inertial_frame = kIsTied; }

private:
    static constexpr AttachmentRequest kOn[] = {{"a"}, {"b"}};
    static constexpr std::int32_t kStencil[] = {2, 5};
    static constexpr RowLaw kLaws[] = {{.kind = RowKind::constraint}};
    static constexpr RowBlock kBlock = {.name = "height",
                                        .num_items = 1,
                                        .rows_per_item = 1,
                                        .scalars_per_item = 2,
                                        .stencil = kStencil,
                                        .laws = kLaws,
                                        .degree = Degree::linear,
                                        .tangent = TangentForm::none};
};

// --- own bodies

enum class Own {
    nothing,
    of_last,    // that of the object which was made last
    vector,     // its coordinate is said to be a height
    negative,   // inertia
    start_nan,  // turns from nowhere
    joint       // and a joint besides
};

/// A flywheel that turns as two points draw apart, pi = y - n d . d / 2.
template <Own kWrong>
class Flywheel final : public Constraint {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("a", "one end of the rope").required(),
        parameter::point("b", "the other end").required(),
        parameter::number("inertia", "kg m^2", "of the wheel").positive().otherwise("0.5"),
    };
    static constexpr TypeDocs kDocs = {
        .doc = "a flywheel on a rope",
        .equation = "y - n d . d / 2 = 0",
        .source = "made for tests",
        .examples = {"a = \"a@[0.3, 0.1, -0.2]\"\nb = \"b@[-0.4, 0.2, 0.1]\""}};

    explicit Flywheel(const Arguments& arguments) {
        wheel_.inertia = arguments.number("inertia");
        last = this;
        joint_.a.body = name_a_ = std::string(arguments.frame_of("a").body);
        joint_.b.body = name_b_ = std::string(arguments.frame_of("b").body);
        joint_.freedom = 5;
        joint_.point = 1;
        joint_.on_b = kOnB;
    }
    std::span<const AttachmentRequest> attachments() const override { return kOn; }
    std::span<const RowBlock> row_blocks() const override { return {&kBlock, 1}; }
    void evaluate(int, const RowPoint& at, const RowValues& out) const override {
        double square = 0.0, rate = 0.0;
        for (std::size_t i = 0; i < 3; ++i) {
            const double d = at.u[i] - at.u[3 + i];
            square += d * d;
            if (!out.b.empty()) {
                const double w = at.du[i] - at.du[3 + i];
                rate += w * w;
            }
            if (out.A.empty()) continue;
            out.A[i] = -d;
            out.A[3 + i] = d;
        }
        if (!out.A.empty()) out.A[6] = 1.0;
        if (!out.pi.empty()) out.pi[0] = at.u[6] - 0.5 * square;
        if (!out.b.empty()) out.b[0] = rate;
    }
    void evaluate_tangent(int, const TangentPoint& at, std::span<double> G) const override {
        std::ranges::fill(G, 0.0);
        const double k = at.positive_part ? std::max(-at.s[0], 0.0) : -at.s[0];
        for (std::size_t i = 0; i < 3; ++i) {
            G[7 * i + i] = G[7 * (3 + i) + 3 + i] = k;
            G[7 * i + 3 + i] = G[7 * (3 + i) + i] = -k;
        }
    }
    void facets(ConstraintFacets& out) const override {
        out.own_body = kWrong == Own::of_last ? &last->wheel_ : &wheel_;
        if (kWrong == Own::joint) out.joint = &joint_;
    }

private:
    class Wheel final : public Body {
    public:
        std::span<const Coordinate> coordinates() const override {
            static constexpr Coordinate kTurns[] = {{}};
            static constexpr Coordinate kRises[] = {{.vector = 0, .axis = 2, .translates = true}};
            if (kWrong == Own::vector) return kRises;
            return kTurns;
        }
        void start(std::span<double> q, std::span<double> v) const override {
            q[0] = kWrong == Own::start_nan ? std::numeric_limits<double>::quiet_NaN() : 0.2;
            v[0] = 0.0;
        }
        void mass(MassSink& M) const override {
            M.add(0, 0, kWrong == Own::negative ? -inertia : inertia);
        }
        void attach(const Locator&, AttachmentSink&) const override {
            throw std::invalid_argument("a wheel has no points");
        }
        double inertia = 0.0;
    };

    static constexpr AttachmentRequest kOn[] = {{"a"}, {"b"}};
    static constexpr std::int32_t kStencil[] = {0, 1, 2, 3, 4, 5, 6};
    static constexpr RowLaw kLaws[] = {{.kind = RowKind::constraint}};
    static constexpr RowBlock kBlock = {.name = "rope",
                                        .num_items = 1,
                                        .rows_per_item = 1,
                                        .scalars_per_item = 7,
                                        .stencil = kStencil,
                                        .laws = kLaws,
                                        .degree = Degree::quadratic};
    static constexpr std::array<std::int32_t, 1> kOnB = {1};
    inline static const Flywheel* last = nullptr;
    Wheel wheel_;
    Joint joint_;
    std::string name_a_, name_b_;
};

template <Force kWrong>
constexpr TypeDescriptor force(const char* name) {
    return type<Damper<kWrong>>(name, Damper<kWrong>::kDocs, Damper<kWrong>::kParameters);
}
template <Tie kWrong>
constexpr TypeDescriptor tie(const char* name) {
    return type<Tied<kWrong>>(name, Rod::kDocs, Rod::kParameters);
}
template <Own kWrong>
constexpr TypeDescriptor own(const char* name) {
    return type<Flywheel<kWrong>>(name, Flywheel<kWrong>::kDocs, Flywheel<kWrong>::kParameters);
}
template <Text kWrong>
constexpr TypeDescriptor text(const char* name) {
    return type<ByText<kWrong>>(name, ByText<kWrong>::kDocs, ByText<kWrong>::kParameters);
}

constexpr TypeDescriptor kTypes[] = {
    force<Force::nothing>("right_shown_damper"),
    force<Force::start_of_temporary>("start_of_temporary"),
    force<Force::names_of_temporary>("names_of_temporary"),
    force<Force::tangent_of_last>("tangent_of_last"),
    force<Force::signals_of_last>("signals_of_last"),
    force<Force::start_grows>("start_grows"),
    force<Force::start_changes>("start_changes"),
    force<Force::start_of_nan>("start_of_nan"),
    force<Force::tangent_by_turns>("tangent_by_turns"),
    force<Force::reacts_to_nobody>("reacts_to_nobody"),
    force<Force::reacts_to_point>("reacts_to_point"),
    force<Force::reacts_to_null>("reacts_to_null"),
    force<Force::forgets_tangent>("forgets_tangent"),
    force<Force::forgets_signals>("forgets_signals"),
    force<Force::effort_of_nobody>("effort_of_nobody"),
    force<Force::writes_one_output>("writes_one_output"),
    force<Force::writes_three_outputs>("writes_three_outputs"),
    type<Motor<true>>("right_jack", Motor<true>::kDocs, Motor<true>::kParameters),
    type<Motor<false>>("effort_beside", Motor<false>::kDocs, Motor<false>::kParameters),
    tie<Tie::nothing>("right_tie"),
    tie<Tie::unit_of_temporary>("unit_of_temporary"),
    tie<Tie::unit_of_nobody>("unit_of_nobody"),
    tie<Tie::joint_of_last>("joint_of_last"),
    tie<Tie::factors_of_nan>("factors_of_nan"),
    tie<Tie::state_changes>("state_changes"),
    tie<Tie::state_of_nan>("state_of_nan"),
    tie<Tie::state_of_temporary>("state_of_temporary"),
    tie<Tie::parameter_of_nobody>("parameter_of_nobody"),
    text<Text::nothing>("right_by_text"),
    text<Text::key_of_nobody>("key_of_nobody"),
    text<Text::temporary>("text_of_temporary"),
    type<Level<true>>("right_level", Level<true>::kDocs, Level<true>::kParameters),
    type<Level<false>>("untied_level", Level<false>::kDocs, Level<false>::kParameters),
    own<Own::nothing>("right_flywheel"),
    own<Own::of_last>("own_of_last"),
    own<Own::vector>("own_vector"),
    own<Own::negative>("own_negative"),
    own<Own::start_nan>("own_start_nan"),
    own<Own::joint>("own_joint"),
};

}  // namespace

ANCORA_PLUGIN("wrong_facets", "1.0.0", kTypes)
