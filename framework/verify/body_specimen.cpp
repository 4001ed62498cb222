// SPDX-License-Identifier: BSD-3-Clause
// Which points and directions a body has.
#include "body_specimen.hpp"

#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace ancora::verify {

/// What the body answers of some points and directions that one may ask for.
std::vector<NamedAttachment> attachments(const BodySpecimen& specimen, Random& random) {
    std::vector<NamedAttachment> found;
    const auto ask = [&](const Locator& where, const std::string& name) {
        try {
            const Vec3 xyz(where.xyz[0], where.xyz[1], where.xyz[2]);
            found.push_back({name,
                             Attached(specimen, where),
                             where.kind != Locator::Kind::index && !xyz.isZero()});
        } catch (const std::invalid_argument&) {
            // the body has no such point
        } catch (const Failure&) {
            throw;
        } catch (const std::exception& error) {
            throw Failure(
                fmt::format("attach() threw \"{}\" for {}; refuse what the body does "
                            "not have by std::invalid_argument",
                            error.what(),
                            name));
        }
    };
    Locator where;
    ask(where, "the point [0, 0, 0]");
    for (const bool is_direction : {false, true}) {
        where.is_direction = is_direction;
        Vec3 x = random.vector();
        if (is_direction) x.normalize();
        where.xyz = {x(0), x(1), x(2)};
        ask(where,
            fmt::format("the {} [{:.3g}, {:.3g}, {:.3g}]",
                        is_direction ? "direction" : "point",
                        x(0),
                        x(1),
                        x(2)));
    }
    where = {};
    where.kind = Locator::Kind::index;
    for (where.index = 0; where.index < 4; ++where.index)
        ask(where, fmt::format("node {}", where.index));
    return found;
}

}  // namespace ancora::verify
