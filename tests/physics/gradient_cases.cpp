// SPDX-License-Identifier: BSD-3-Clause
// Random beams and films beside the mechanisms, and the comparison.
#include "gradient_cases.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "ancora/framework/gradient.hpp"
#include "mechanism_builder.hpp"

namespace ancora::testing {
namespace {

using mechanisms::Random;
using mechanisms::Vec3;

constexpr int kSteps = 20;
// Both differ by less than this part and what is not known of them; pairs that are known to the
// second are counted.
constexpr double kDigits = 1e-8;
constexpr double kKnown = 1e-7;
constexpr double kErrors = 10.0;  // that differences state
// Iterations end at 1e-12 m, which runs with neighbouring values feel.
constexpr double kIteration = 1e-11;

std::string vector(const Vec3& x) {
    return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x(0), x(1), x(2));
}

/// Steps that explicit methods are stable with, in place of those of others, of beams and films;
/// and parts of those of mechanisms.
constexpr double kExplicitStep = 1e-5;
constexpr int kExplicitSteps = 200;
constexpr int kParts = 8;

std::string tail(const std::string& integrator, double step) {
    const bool is_explicit = integrator != "emm";
    if (is_explicit) step = kExplicitStep;
    return fmt::format("[integrator]\ntype = \"{}\"\nstep = {:.17g}\nend = {:.17g}\n",
                       integrator,
                       step,
                       (is_explicit ? kExplicitSteps : kSteps) * step);
}

/// A boom on a hub that is free or hinged, with a load on its end.
GradientCase boom(Random& random, const std::string& integrator) {
    GradientCase out;
    out.family = "beam";
    const double length = random.log_uniform(0.5, 4.0), radius = random.log_uniform(0.01, 0.04);
    const double young = random.log_uniform(1e8, 1e10);
    const Vec3 way = random.direction();
    out.extent = length;
    out.text = "[model]\nproject_start = true\ngravity = " + vector(9.81 * random.direction()) +
               "\n[[body]]\nname = \"hub\"\ntype = \"ancf_rigid_body\"\n" +
               fmt::format("mass = {:.17g}\ninertia = [{:.17g}, 0.2, 0.3]\nangular_velocity = {}\n",
                           random.log_uniform(0.5, 10.0),
                           random.uniform(0.15, 0.4),
                           vector(random.uniform(0.0, 1.0) * random.direction()));
    out.text += fmt::format(
        "[[body]]\nname = \"boom\"\ntype = \"beam\"\nfrom = [0, 0, 0]\nto = {}\nelements = {}\n"
        "section = {{ shape = \"tube\", radius = {:.17g}, thickness = {:.17g} }}\nyoung = {:.17g}\n"
        "poisson = 0.3\ndensity = {:.17g}\n",
        vector(length * way),
        random.integer(2, 5),
        radius,
        random.uniform(0.1, 0.9) * radius,
        young,
        random.log_uniform(500.0, 5000.0));
    if (random.chance(0.5)) out.text += "damping = 1e-3\n";
    if (random.chance(0.3)) out.text += "rigid = [\"shear\", \"axial\"]\n";
    out.text +=
        "[[constraint]]\nname = \"root\"\ntype = \"fixed\"\na = \"hub\"\nb = \"boom@start\"\n";
    if (random.chance(0.6))
        out.text +=
            "[[joint]]\nname = \"shaft\"\ntype = \"revolute\"\na = \"ground\"\nb = \"hub\"\n"
            "point = [0, 0, 0]\naxis = " +
            vector(random.direction()) + "\n" +
            (random.chance(0.5) ? "spring = { stiffness = 40.0, damping = 0.7, free = 0.3 }\n"
                                : "damping = 0.4\n");
    out.text += "[[force]]\nname = \"load\"\ntype = \"point_load\"\nat = \"boom@end\"\nforce = " +
                vector(random.uniform(0.5, 5.0) * random.direction()) + "\n";
    out.text += "[output]\npoints = [\"boom@end\"]\n" + tail(integrator, 0.004);
    out.of = {"boom@end.x", "hub.vz"};
    out.by = {"sensitive", "model.gravity[0]", "model.gravity[2]"};
    return out;
}

/// A film between particles and held points, under a load.
GradientCase film(Random& random, const std::string& integrator) {
    GradientCase out;
    out.family = "film";
    const int count = random.integer(3, 5);
    const double cell = random.log_uniform(0.1, 0.5);
    const int last = count * count - 1;
    out.extent = cell * count;
    out.text = "[model]\ngravity = " + vector(9.81 * random.direction()) +
               fmt::format(
                   "\n[[body]]\nname = \"film\"\ntype = \"membrane\"\ngrid = {{ counts = "
                   "[{0}, {0}], spacing = [{1:.17g}, {1:.17g}] }}\nyoung = {2:.17g}\n"
                   "poisson = {3:.17g}\nthickness = 1e-3\ndensity = 1400\nprestress = "
                   "{4:.17g}\n",
                   count,
                   cell,
                   random.log_uniform(1e6, 1e9),
                   random.uniform(0.1, 0.45),
                   random.log_uniform(1e3, 1e5));
    if (random.chance(0.5)) out.text += "damping = 1e3\n";
    int held = 0;
    for (const int node : {0, count - 1, last - count + 1, last})
        if (random.chance(0.8))
            out.text += fmt::format(
                "[[constraint]]\nname = \"c{}\"\ntype = \"position\"\na = \"film@{}\"\nb = "
                "\"ground@[{:.17g}, {:.17g}, 0]\"\n",
                held++,
                node,
                cell * (node % count),
                cell * (node / count));
    out.text += fmt::format(
        "[[force]]\nname = \"push\"\ntype = \"point_load\"\nat = \"film@{}\"\n"
        "force = {}\n",
        count + 1,
        vector(random.uniform(0.1, 3.0) * random.direction()));
    out.text +=
        fmt::format("[output]\npoints = [\"film@{}\"]\n", count + 1) + tail(integrator, 0.005);
    out.of = {fmt::format("film@{}.z", count + 1), fmt::format("film@{}.x", count + 1)};
    out.by = {"sensitive", "model.gravity[0]", "model.gravity[2]"};
    return out;
}

/// Links on hinges that rub: which slide, turn back, stick and begin to slide.
GradientCase rubbing_links(Random& random, const std::string& integrator) {
    GradientCase out;
    out.family = "hinges that rub";
    const int count = random.integer(1, 3);
    out.text = fmt::format("[parameters]\nmu = {:.17g}\n[model]\nproject_start = true\n",
                           random.uniform(0.05, 0.4)) +
               "gravity = " + vector(9.81 * random.direction()) + "\n";
    Vec3 pin = Vec3::Zero();
    for (int i = 0; i < count; ++i) {
        const Vec3 half = random.uniform(0.2, 0.5) * random.direction();
        out.text += fmt::format(
            "[[body]]\nname = \"b{}\"\ntype = \"ancf_rigid_body\"\nmass = {:.17g}\n"
            "inertia = [{:.17g}, 0.1, 0.09]\nposition = {}\nangular_velocity = {}\n",
            i,
            random.uniform(0.5, 3.0),
            random.uniform(0.08, 0.12),
            vector(pin + half),
            vector(random.uniform(0.0, 4.0) * random.direction()));
        out.text += fmt::format(
            "[[joint]]\nname = \"j{0}\"\ntype = \"revolute\"\na = \"{1}\"\nb = \"b{0}\"\n"
            "point = {2}\naxis = {3}\nfriction = {{ mu = \"mu\", mu_static = \"1.2*mu\", "
            "radius = {4:.17g}, effort = {5:.17g}, viscous = {6:.17g} }}\n",
            i,
            i == 0 ? std::string("ground") : fmt::format("b{}", i - 1),
            vector(pin),
            vector(random.direction()),
            random.uniform(0.02, 0.1),
            random.uniform(0.02, 0.3),
            random.uniform(0.0, 0.1));
        pin += 2.0 * half;
    }
    out.text += tail(integrator, 0.03);
    out.of = {fmt::format("b{}.x", count - 1), "b0.vz"};
    out.by = {"sensitive", "parameters.mu", "model.gravity[0]", "model.gravity[2]"};
    return out;
}

}  // namespace

GradientCase make_gradient_case(std::uint64_t seed, const std::string& integrator) {
    Random random(seed);
    GradientCase out;
    switch (seed % 6) {
        case 1:
            out = boom(random, integrator);
            break;
        case 4:
            out = film(random, integrator);
            break;
        case 3:
            if (seed % 12 == 9) {
                out = rubbing_links(random, integrator);
                break;
            }
            [[fallthrough]];
        default: {
            const Mechanism mechanism = make_mechanism(seed);
            out.family = mechanism.family;
            const double step = integrator == "emm" ? mechanism.step : mechanism.step / kParts;
            out.text = with_integrator(mechanism.text, integrator, step, kSteps * mechanism.step);
            out.of = {"b0.x", "b1.vz"};
            out.by = {"sensitive", "model.gravity[0]", "model.gravity[2]"};
            out.extent = mechanism.extent;
            out.is_impossible = mechanism.is_impossible;
        }
    }
    out.seed = seed;
    return out;
}

GradientComparison compare_gradients(const GradientCase& model,
                                     std::size_t most,
                                     PluginRegistry& registry) {
    GradientComparison out;
    const ModelSource source = [&](std::span<const std::string> overrides) {
        return Manifest::parse(model.text, "case.toml", overrides);
    };
    std::vector<Objective> of;
    for (const std::string& text : model.of) of.push_back(Objective::parse(text));
    const auto found = [&](const std::vector<std::string>& by,
                           GradientMethod method) -> std::optional<Gradient> {
        try {
            return differentiate(source, of, by, registry, {.workers = 1, .method = method});
        } catch (const Error& error) {
            out.obstacle = error.message();
            return std::nullopt;
        }
    };
    // Some of all numbers, others of each seed.
    std::vector<std::string> all, keys;
    for (const std::string& key : model.by) {
        if (key != "sensitive") {
            all.push_back(key);
            continue;
        }
        const std::vector<std::string> of_all = sensitive_parameters(source, key, registry);
        all.insert(all.end(), of_all.begin(), of_all.end());
    }
    const std::size_t count = std::min(most, all.size());
    for (std::size_t i = 0; i < count; ++i)
        keys.push_back(all[(model.seed + i * all.size() / count) % all.size()]);
    const std::optional<Gradient> adjoint = found(keys, GradientMethod::automatic);
    if (!adjoint) return out;
    out.others = adjoint->why_differences;
    if (std::ranges::none_of(adjoint->entries, &Gradient::Entry::is_by_adjoint)) {
        out.obstacle = adjoint->why_differences;
        return out;
    }
    const std::optional<Gradient> differences = found(keys, GradientMethod::differences);
    if (!differences) return out;
    for (std::size_t i = 0; i < of.size(); ++i)
        for (std::size_t k = 0; k < count; ++k) {
            const Gradient::Entry& entry = adjoint->entry(i, k);
            if (!entry.is_by_adjoint) continue;
            ++out.num_by_adjoint;
            const Gradient::Entry& expected = differences->entry(i, k);
            if (!expected.remark.empty()) continue;
            const double p = std::max(std::abs(differences->by[k].value), 1e-3);
            const double size = std::abs(expected.value);
            const double unknown =
                kErrors * expected.error + entry.error + kIteration * model.extent / p;
            const double difference = std::abs(entry.value - expected.value);
            if (difference > kDigits * size + unknown) ++out.num_off;
            if (!(unknown <= kKnown * size)) continue;
            ++out.num_compared;
            const double off = difference / size;
            if (!(off > out.worst)) continue;
            out.worst = off;
            out.where = fmt::format(
                "d {} / d {}: {:.12g} by the adjoint +- {:.1e}, {:.12g} +- "
                "{:.1e} by differences",
                model.of[i],
                keys[k],
                entry.value,
                entry.error,
                expected.value,
                expected.error);
        }
    return out;
}

}  // namespace ancora::testing
