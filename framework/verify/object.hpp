// SPDX-License-Identifier: BSD-3-Clause
// One object made from an example of its type, and the small system around it.
#pragma once

#include <memory>
#include <string>

#include "ancora/framework/manifest.hpp"
#include "ancora/framework/simulation.hpp"
#include "bound_arguments.hpp"
#include "check.hpp"

namespace ancora::verify {

/// What a factory returned; one of the pointers is set.
struct Object {
    std::unique_ptr<Body> body;
    std::unique_ptr<Constraint> constraint;
    std::unique_ptr<NonidealForce> force;
    std::unique_ptr<Integrator> integrator;

    /// Null for forces and integrators.
    const RowSource* rows() const {
        return body ? static_cast<const RowSource*>(body.get()) : constraint.get();
    }
};

/// Where "a" and "b" are while an example's object is made by itself.
RigidMotion motion_at_start(const std::string& body);

/// How a system runs.
struct RunSettings {
    std::string integrator;
    double step = 1e-3;
    double end = 0.05;
    bool gravity = false;
};

/// One example of a type.
class Example {
public:
    /// @throws Failure if it is not TOML
    Example(Subject& subject, std::string text);

    const std::string& text() const { return text_; }
    const TypeDescriptor& type() const { return subject_.type; }

    /// The example's parameters checked against the schema, with `changes` in place of its own.
    /// @throws Error (manifest)
    BoundArguments bind(const Table& changes = {}) const;
    /// Calls the factory.
    /// @throws Error (manifest) if it refuses, Failure if it throws anything else
    Object make(const BoundArguments& arguments) const;
    Object make() const { return make(bind()); }

    /// The model around the example, see Examples of the SDK.
    Manifest system(const RunSettings& settings, int placement = 0) const;
    /// The same, where the last one could be assembled.
    Manifest placed_system(const RunSettings& settings) const {
        return system(settings, placement_);
    }
    /// "constraint.NAME" of its object in that model.
    std::string key() const;
    /// Whether nothing ties the object to the ground or to inertial axes, and nothing else takes
    /// part that is.
    bool is_free(const Object& object) const;
    /// That model, assembled.
    /// @throws NotMade if it cannot be, Skipped if a type that it is built of is on no plugin of
    /// the search path
    Simulation simulate(const RunSettings& settings) const;
    /// The integrators of the kit that can advance the object, all or those with a continuous
    /// formulation; the subject itself if it is one.
    std::vector<std::string> integrators() const;

private:
    Subject& subject_;
    std::string text_;
    Table parameters_;
    mutable int placement_ = 0;              // at which the system could be assembled
    mutable bool takes_constraints_ = true;  // an integrator, as far as was seen
};

/// Runs `check` on each example; what fails is headed by the example's number if there are several.
template <class Function>
void for_each_example(Subject& subject, Function&& check) {
    const std::vector<std::string> texts = subject.examples();
    if (texts.empty())
        throw Skipped("the type has no example; write one in `examples` of its description");
    std::string skipped;
    std::size_t done = 0;
    for (std::size_t k = 0; k < texts.size(); ++k) {
        const std::string where =
            texts.size() > 1 ? "example " + std::to_string(k + 1) + ": " : std::string();
        try {
            check(Example(subject, texts[k]));
            ++done;
        } catch (const NotMade& failure) {
            throw NotMade(where + failure.what());
        } catch (const Failure& failure) {
            throw Failure(where + failure.what());
        } catch (const Error& error) {
            // refusals of the factory are reported by the check "examples", once
            if (error.kind() == ErrorKind::manifest) throw NotMade(where + error.message());
            throw Failure(where + error.message());
        } catch (const Skipped& reason) {
            skipped = reason.what();
        }
    }
    if (done == 0) throw Skipped(skipped);
}

}  // namespace ancora::verify
