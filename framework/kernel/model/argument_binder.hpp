// SPDX-License-Identifier: BSD-3-Clause
// The parameters of an object, bound to its schema and to the rest of the model.
#pragma once

#include <deque>
#include <functional>
#include <string>

#include "bound_arguments.hpp"
#include "model.hpp"

namespace ancora {

/// Makes the arguments that a plugin makes an object from.
class ArgumentBinder {
public:
    /// How the body of a name moves at the start.
    using MotionOf = std::function<const RigidMotion&(const std::string& body, const Place& place)>;

    /// How a frame or point moves at the start that the parameters of a body name.
    using FrameOf = std::function<FrameStart(const std::string& text, const Asker& asker)>;

    ArgumentBinder(Model& model, const Manifest& manifest, MotionOf motion_of, FrameOf frame_of);

    /// Notes in the object's record, and for files in the model, what it was made from.
    /// @param scope  where the names in its expressions are looked up
    BoundArguments bind(const ObjectRef& object,
                        const Table& parameters,
                        const ExpressionScope* scope) const;

    /// The keys of a constraint's release.
    BoundArguments bind_release(const ObjectRef& object,
                                const Table::Entry& release,
                                const ExpressionScope* scope) const;

private:
    void set_lookups(const ObjectRef& object,
                     const ExpressionScope* scope,
                     BoundArguments& arguments) const;

    Model& model_;
    const Manifest& manifest_;
    MotionOf motion_of_;
    FrameOf frame_of_;
};

}  // namespace ancora
