// SPDX-License-Identifier: BSD-3-Clause
// A number of a model by its key, which runs are made with other values of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ancora/framework/gradient.hpp"
#include "ancora/framework/simulation.hpp"

namespace ancora {

/// The value of "parameters.length", "body.boom.young" or "body.ball.velocity[2]" in a model.
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
    double value() const { return array_.empty() ? scalar_ : array_[entry_]; }
    /// A distance over which results may change by their own size.
    /// @param extent  of the model [m], for lengths that are zero
    double scale(double extent) const;
    /// "KEY=VALUE", with all digits of `value`.
    std::string override_with(double value) const;

private:
    void find_in_parameters(const Manifest& model);
    void find_in_objects(const Manifest& plain, PluginRegistry& registry);
    void take(const Value& value);
    [[noreturn]] void refuse(const std::string& why) const;

    std::string key_, path_, unit_;
    std::string unit_in_text_;  // that a value of [parameters] has to be written with
    std::optional<std::size_t> index_;
    std::size_t entry_ = 0;
    double scalar_ = 0.0;
    std::vector<double> array_;
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

}  // namespace ancora
