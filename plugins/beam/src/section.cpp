// SPDX-License-Identifier: BSD-3-Clause
// Shapes, torsion constants and shear factors of cross-sections.
#include "section.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "ancora/sdk/helpers/nodes.hpp"

namespace ancora::beam {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

constexpr std::string_view kKeys[] = {
    "width",   "height",  "radius",  "thickness",  "flange",     "web",    "area",
    "inertia", "inertia", "torsion", "shear_area", "shear_area", "EA",     "GA",
    "GA",      "EI",      "EI",      "GJ",         "mass",       "rotary", "rotary"};
enum Number {
    width,
    height,
    radius,
    thickness,
    flange,
    web,
    area,
    inertia,
    inertia_2,
    torsion,
    shear_area,
    shear_area_2,
    stiff_axial,
    stiff_shear,
    stiff_shear_2,
    stiff_bending,
    stiff_bending_2,
    stiff_twist,
    mass,
    rotary,
    rotary_2,
    kNumNumbers
};

bool is_given(double x) {
    return !std::isnan(x);
}

/// "EI_2"
std::string name_at_stations(std::size_t number) {
    const std::string_view key = kKeys[number];
    const bool is_second = number > 0 && kKeys[number - 1] == key;
    const bool is_first = number + 1 < kNumNumbers && kKeys[number + 1] == key;
    return std::string(key) + (is_first ? "_1" : is_second ? "_2" : "");
}

/// Saint-Venant's torsion constant of a rectangle, a >= b (Timoshenko and Goodier, eq. (162)):
///
///   J = a b^3 / 3 (1 - 192 b / (pi^5 a) sum over odd n of tanh(n pi a / (2 b)) / n^5)
double torsion_of_rectangle(double width, double height) {
    const double a = std::max(width, height), b = std::min(width, height);
    double sum = 0.0;
    constexpr int kLast = 199;  // what follows is below 1e-10 of the first
    for (int n = kLast; n > 0; n -= 2)
        sum += std::tanh(0.5 * n * kPi * a / b) / std::pow(static_cast<double>(n), 5);
    return a * b * b * b / 3.0 * (1.0 - 192.0 * b / (std::pow(kPi, 5) * a) * sum);
}

/// Largest shear stress over a torque, in the middle of the long sides of a rectangle a >= b, and
/// in the middle of the short ones (Timoshenko and Goodier, section 109):
///
///   tau_long / T = b / J (1 - 8 / pi^2 sum over odd n of 1 / (n^2 cosh(n pi a / (2 b))))
///   tau_short / T = 8 b / (pi^2 J) sum over odd n of (-1)^((n - 1) / 2) tanh(n pi a / (2 b)) / n^2
std::array<double, 2> torsion_stress_of_rectangle(double a, double b, double J) {
    constexpr int kLast = 399;
    double at_long = 0.0, at_short = 0.0;
    for (int n = kLast; n > 0; n -= 2) {
        const double x = 0.5 * n * kPi * a / b, n2 = static_cast<double>(n) * n;
        at_long += 1.0 / (n2 * std::cosh(x));
        at_short += (n % 4 == 1 ? 1.0 : -1.0) * std::tanh(x) / n2;
    }
    const double factor = 8.0 / (kPi * kPi);
    return {b / J * (1.0 - factor * at_long), b / J * factor * at_short};
}

}  // namespace

double Fibres::bending(double M1, double M2) const {
    const double s1 = M1 * edge[1] / inertia[0], s2 = M2 * edge[0] / inertia[1];
    return is_round ? std::hypot(s1, s2) : std::abs(s1) + std::abs(s2);
}

double Fibres::von_mises(double N, double M1, double M2, double T) const {
    const double pull = std::abs(axial(N));
    const auto mises = [&](double normal, double per_torque) {
        const double shear = T * per_torque;
        return std::sqrt(normal * normal + 3.0 * shear * shear);
    };
    if (is_round) return mises(pull + bending(M1, M2), torsion[0]);
    const double along_2 = std::abs(M1) * edge[1] / inertia[0],
                 along_1 = std::abs(M2) * edge[0] / inertia[1];
    return std::max({mises(pull + along_1 + along_2, torsion_at_corner),
                     mises(pull + along_1, torsion[0]),
                     mises(pull + along_2, torsion[1])});
}

/// Numbers of a table, NaN where they are not given.
struct SectionReader::Given {
    const Arguments* arguments = nullptr;  // of the beam
    const Arguments* table = nullptr;      // `section`, if there is one
    std::string_view shape;
    std::array<double, kNumNumbers> x{};

    void fail(Number number, const std::string& message) const {
        const bool has_table = table != nullptr;
        (has_table ? *table : *arguments)
            .fail(has_table ? kKeys[number] : "stations",
                  has_table ? message : nodes::quoted(name_at_stations(number)) + " " + message);
    }
    double need(Number number, const char* why) const {
        if (!is_given(x[number])) fail(number, std::string("is missing: ") + why);
        return x[number];
    }
    void offer(Number number, double value) {
        if (!is_given(x[number])) x[number] = value;
    }

    // Shapes: A, I, J and k A, of what is not given
    void take_shape(double nu) {
        if (shape == "rectangle") {
            const double w = need(width, "a rectangle has one"),
                         h = need(height, "a rectangle has one");
            offer(area, w * h);
            offer(inertia, w * h * h * h / 12.0);
            offer(inertia_2, h * w * w * w / 12.0);
            offer(torsion, torsion_of_rectangle(w, h));
            // Cowper (1966); nu = 0 where nothing is said of it
            const double k = 10.0 * (1.0 + nu) / (12.0 + 11.0 * nu);
            for (const Number i : {shear_area, shear_area_2}) offer(i, k * w * h);
        } else if (shape == "circle" || shape == "tube") {
            const double R = need(radius, "a circle or a tube has one");
            double r = 0.0;
            if (shape == "tube") {
                r = R - need(thickness, "a tube has one");
                if (r < 0.0)
                    fail(thickness,
                         "is more than the radius, " + nodes::text(R) +
                             " m; a full section is a \"circle\"");
            }
            const double second = 0.25 * kPi * (std::pow(R, 4) - std::pow(r, 4));
            offer(area, kPi * (R * R - r * r));
            offer(inertia, second);
            offer(inertia_2, second);
            offer(torsion, 2.0 * second);
            // Cowper, with m = r / R
            const double m = r / R, p = 1.0 + m * m;
            const double k =
                6.0 * (1.0 + nu) * p * p / ((7.0 + 6.0 * nu) * p * p + (20.0 + 12.0 * nu) * m * m);
            for (const Number i : {shear_area, shear_area_2}) offer(i, k * x[area]);
        } else if (shape == "I") {
            const double b = need(width, "an I has one"), h = need(height, "an I has one");
            const double f = need(flange, "an I has flanges"), s = need(web, "an I has a web");
            if (2.0 * f >= h)
                fail(flange, "two of them leave no web in a height of " + nodes::text(h) + " m");
            if (s > b) fail(web, "is wider than the flanges, " + nodes::text(b) + " m");
            const double d = h - 2.0 * f;
            offer(area, 2.0 * b * f + d * s);
            offer(inertia, (b * h * h * h - (b - s) * d * d * d) / 12.0);
            offer(inertia_2, (2.0 * f * b * b * b + d * s * s * s) / 12.0);
            offer(torsion, (2.0 * b * f * f * f + (h - f) * s * s * s) / 3.0);
            offer(shear_area, 5.0 / 3.0 * b * f);
            offer(shear_area_2, h * s);
        }
    }
};

SectionReader::SectionReader(const Arguments& arguments, const Stations& stations)
    : arguments_(arguments) {
    if (!arguments.given("section") && (stations.empty() || arguments.given("end_section")))
        arguments.fail("section", "is missing: what does the beam's cross-section look like?");
    for (int i = 0; arguments.given("rigid") && i < arguments.num_texts("rigid"); ++i) {
        const std::string_view what = arguments.text("rigid", i);
        if (what != "shear" && what != "axial")
            arguments.fail("rigid",
                           nodes::quoted(what) +
                               " is nothing that a beam can be kept from; write \"shear\", "
                               "\"axial\" or both, and take a rigid body for what does not bend");
    }
    for (std::size_t i = 0; i < kNumNumbers; ++i)
        if (const AlongBeam* const along = stations.find(name_at_stations(i)))
            varying_.emplace_back(i, *along);
    if (arguments.given("end_section")) taper();
}

SectionReader::Given SectionReader::read(const char* name) const {
    Given out;
    out.arguments = &arguments_;
    out.x.fill(kNone);
    if (!arguments_.given(name)) return out;
    const Arguments& table = arguments_.table(name);
    out.table = &table;
    if (table.given("shape")) out.shape = table.text("shape");
    for (std::size_t i = 0; i < kNumNumbers; ++i) {
        const std::string_view key = kKeys[i];
        const bool is_second = i > 0 && kKeys[i - 1] == key;
        if (!table.given(key)) continue;
        if (table.shape(key) == Shape::vector)
            out.x[i] = table.numbers(key)[is_second ? 1 : 0];
        else
            out.x[i] = table.number(key);
    }
    return out;
}

void SectionReader::taper() {
    const Given start = read("section"), end = read("end_section");
    if (end.shape != start.shape)
        end.table->fail("shape", "is not that of \"section\"; a beam tapers within one shape");
    for (std::size_t i = 0; i < kNumNumbers; ++i) {
        if (is_given(end.x[i]) != is_given(start.x[i]))
            end.table->fail(kKeys[i],
                            "is given in one of \"section\" and \"end_section\" alone; give it in "
                            "both");
        if (is_given(start.x[i]) && start.x[i] != end.x[i])
            varying_.emplace_back(i, AlongBeam({0.0, 1.0}, {start.x[i], end.x[i]}));
    }
}

Section SectionReader::between(double a, double b) const {
    Given of = read("section");
    for (const auto& [i, along] : varying_) of.x[i] = along.mean(a, b);
    return made_of(of);
}

Section SectionReader::at(double s, int side) const {
    Given of = read("section");
    for (const auto& [i, along] : varying_) of.x[i] = side < 0 ? along.before(s) : along.at(s);
    return made_of(of);
}

Section SectionReader::made_of(Given of) const {
    const auto material = [&](const char* key) {
        return arguments_.given(key) ? arguments_.number(key) : kNone;
    };
    const double E = material("young"), nu = material("poisson"), rho = material("density");
    double G = material("shear_modulus");
    if (is_given(G) && is_given(nu))
        arguments_.fail("shear_modulus",
                        "and \"poisson\" both say how stiff the material is against shear; keep "
                        "one of them");
    if (is_given(nu)) G = E / (2.0 * (1.0 + nu));
    of.take_shape(is_given(nu) ? nu : 0.0);

    // number = factor x modulus, unless it is given itself
    const auto product = [&](Number number,
                             Number factor,
                             double modulus,
                             const char* modulus_key,
                             const char* what) {
        if (is_given(of.x[number])) return of.x[number];
        if (!is_given(of.x[factor]))
            of.fail(factor,
                    std::string("is missing: ") + what + " needs it; give it, a \"shape\", or " +
                        nodes::quoted(kKeys[number]));
        if (!is_given(modulus))
            arguments_.fail(modulus_key,
                            std::string("is missing: ") + what + " needs it; give it, or " +
                                nodes::quoted(kKeys[number]) + " in the section");
        return of.x[factor] * modulus;
    };
    const auto is_rigid_against = [&](std::string_view what) {
        for (int i = 0; arguments_.given("rigid") && i < arguments_.num_texts("rigid"); ++i)
            if (arguments_.text("rigid", i) == what) return true;
        return false;
    };
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    Section out;
    out.EA = is_rigid_against("axial")
                 ? kInfinite
                 : product(stiff_axial, area, E, "young", "the axial stiffness");
    out.GA = {kInfinite, kInfinite};
    if (!is_rigid_against("shear"))
        out.GA = {
            product(stiff_shear, shear_area, G, "poisson", "the stiffness against shear"),
            product(stiff_shear_2, shear_area_2, G, "poisson", "the stiffness against shear")};
    out.EI = {product(stiff_bending, inertia, E, "young", "the bending stiffness"),
              product(stiff_bending_2, inertia_2, E, "young", "the bending stiffness"),
              product(stiff_twist, torsion, G, "poisson", "the torsional stiffness")};
    out.mass = product(mass, area, rho, "density", "the mass");
    out.rotary = {product(rotary, inertia, rho, "density", "the inertia of sections"),
                  product(rotary_2, inertia_2, rho, "density", "the inertia of sections")};
    if (of.shape == "rectangle" || of.shape == "I")
        out.half_size = {0.5 * of.x[width], 0.5 * of.x[height]};
    else if (!of.shape.empty())
        out.half_size = {of.x[radius], of.x[radius]};
    else  // of the rectangle with the same mass and inertia
        out.half_size = {std::sqrt(3.0 * out.rotary[1] / out.mass),
                         std::sqrt(3.0 * out.rotary[0] / out.mass)};
    out.is_round = of.shape == "circle" || of.shape == "tube" ||
                   (of.shape.empty() && out.rotary[0] == out.rotary[1]);
    if (of.shape.empty()) return out;
    if (of.shape == "tube") out.hole = 1.0 - of.x[thickness] / of.x[radius];
    if (of.shape == "I") {
        out.flange = of.x[flange];
        out.half_web = 0.5 * of.x[web];
    }
    Fibres& fibres = out.fibres;
    fibres.is_known = true;
    fibres.area = of.x[area];
    fibres.inertia = {of.x[inertia], of.x[inertia_2]};
    fibres.edge = out.half_size;
    const double J = of.x[torsion];
    if (of.shape == "rectangle") {
        const double w = of.x[width], h = of.x[height];
        const auto [at_long, at_short] =
            torsion_stress_of_rectangle(std::max(w, h), std::min(w, h), J);
        // Sides at edge 1 are as long as the section is high
        fibres.torsion = h >= w ? std::array{at_long, at_short} : std::array{at_short, at_long};
    } else if (of.shape == "I") {
        // Thin walls: their thickness over J, on the flanges up to the corners
        fibres.torsion = {0.0, of.x[flange] / J};
        fibres.torsion_at_corner = of.x[flange] / J;
    } else {
        fibres.is_round = true;
        fibres.torsion = {of.x[radius] / J, of.x[radius] / J};
    }
    return out;
}

std::vector<double> outline_of(const Section& section) {
    const auto [a, b] = section.half_size;
    if (section.is_round) {
        // Of one in numbers: r^2 / 4 in place of a^2 / 3 is the square of the radius of gyration
        const double r = section.fibres.is_known ? a : 2.0 / std::sqrt(3.0) * a;
        constexpr int kSides = 24;
        std::vector<double> out;
        for (int k = 0; k < kSides; ++k) {
            const double angle = 2.0 * kPi * k / kSides;
            out.insert(out.end(), {r * std::cos(angle), r * std::sin(angle)});
        }
        return out;
    }
    if (section.flange == 0.0) return {-a, -b, a, -b, a, b, -a, b};
    const double s = section.half_web, d = b - section.flange;
    return {-a, -b, a, -b, a, -d, s, -d, s, d, a, d, a, b, -a, b, -a, d, -s, d, -s, -d, -a, -d};
}

}  // namespace ancora::beam
