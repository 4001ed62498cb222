// SPDX-License-Identifier: BSD-3-Clause
// Mechanisms by the thousand: a seed makes a model of 2 to 30 bodies, and what came of its run is
// judged against `dopri5`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ancora/framework/plugin_registry.hpp"

namespace ancora::testing {

/// By which stiff parts are stiffer in Mechanism::stiffer.
inline constexpr double kStiffer = 100.0;

/// A mechanism as a user writes it. Trees and loops at any attitude, joints of too many rows,
/// drives, springs from soft to stiff, bodies flat, thin, heavy and light, from rest and in motion.
struct Mechanism {
    std::uint64_t seed = 0;
    std::string family;
    int num_bodies = 0;
    std::string text;       ///< the model without its integrator
    std::string reference;  ///< the same for `dopri5`: what is too stiff to follow is rigid there,
                            ///< and some have bodies of quaternions
    std::string stiffer;    ///< with stiff parts stiffer still; empty without any
    std::string elastic;    ///< of `dopri5` in many steps, with stiff springs as they are
    std::vector<std::string> probes;  ///< points that are compared
    double size = 1.0;                ///< of a typical part [m]
    double extent = 1.0;              ///< of the whole, from the origin [m]
    double step = 0.0;                ///< the longest that is tried [s]
    double end = 0.0;                 ///< [s]
    double yield = 0.0;               ///< how far stiff parts may give way [m]
    bool is_impossible = false;       ///< its drives contradict its joints
    std::string traits;               ///< for tables: what it is made of
};

Mechanism make_mechanism(std::uint64_t seed);

/// The whole model file under an integrator; of dopri5 the step is the first one.
std::string with_integrator(const std::string& text,
                            const std::string& type,
                            double step,
                            double end);

enum class Verdict {
    agrees,         ///< completed, balances closed, converges to the reference
    refused,        ///< with a cause that is true
    told,           ///< completed, and the run said itself why it is in doubt
    unexplained,    ///< refused without a cause, or with one that is not true
    not_compared,   ///< completed with closed balances, but the reference was refused
    unbalanced,     ///< a balance or a gap is open without a word
    disagrees,      ///< completed, and does not converge to the reference
    impossible_ran  ///< completed what cannot move
};
const char* to_text(Verdict verdict);

struct Judgement {
    Verdict verdict = Verdict::agrees;
    std::string cause;           ///< of a refusal, or what is wrong
    int num_singular = 0;        ///< singular positions that a run said to have passed
    std::vector<double> errors;  ///< of h, h/2, ... against the reference [m]
};

Judgement judge(const Mechanism& mechanism, PluginRegistry& registry);

}  // namespace ancora::testing
