// SPDX-License-Identifier: BSD-3-Clause
// A number of a model by its key, which runs are made with other values of.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "ancora/framework/gradient.hpp"
#include "ancora/framework/simulation.hpp"
#include "ancora/framework/value.hpp"

namespace ancora {

/// The value of "parameters.length", "body.boom.young", "body.ball.velocity[2]" or
/// "force.load.force[1][2]" in a model.
class ModelParameter {
public:
    /// @param model  as it stands
    /// @param plain  the same, with its expressions computed
    /// @throws Error (usage) if the model has no such number
    ModelParameter(const std::string& key,
                   const Manifest& model,
                   const Manifest& plain,
                   PluginRegistry& registry);

    const std::string& key() const { return key_; }
    const std::string& unit() const { return unit_; }
    double value() const { return value_; }
    /// A distance over which results may change by their own size.
    /// @param extent  of the model [m], for lengths that are zero
    double scale(double extent) const;
    /// "KEY=VALUE", with all digits of `value`.
    std::string override_with(double value) const;

private:
    void find_in_parameters(const Manifest& model);
    void find_in_objects(const Manifest& plain, PluginRegistry& registry);
    void take(Value value);
    [[noreturn]] void refuse(const std::string& why) const;

    std::string key_, path_, unit_;
    std::string unit_in_text_;            // that a value of [parameters] has to be written with
    std::vector<std::size_t> entry_;      // of an array, of an entry that is one, ...
    Value whole_;                         // with that entry
    double value_ = 0.0, largest_ = 0.0;  // and of those beside it
};

/// All of them, each named once.
/// @throws Error (usage)
std::vector<ModelParameter> find_parameters(const ModelSource& model,
                                            std::span<const std::string> keys,
                                            PluginRegistry& registry);

/// Keys with those of sensitive parameters in place of "body.boom", an object, and of "sensitive",
/// which is all objects.
/// @throws Error (usage) where there are none
std::vector<std::string> with_sensitive(const ModelSource& model,
                                        std::span<const std::string> keys,
                                        PluginRegistry& registry);

/// SI unit of an objective; empty where it has none, or one that nothing tells.
std::string unit_of(const Objective& objective, const Simulation& simulation);
/// Whether a column with this unit is a length, an angle or a number, which does not jump in
/// impacts.
bool is_of_places(const std::string& unit);

}  // namespace ancora
