// SPDX-License-Identifier: BSD-3-Clause
// The attachments that an object asks for, by its parameters or at length.
#include "requested_attachments.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "references.hpp"

namespace ancora {

void resolve(const Model& model,
             const AttachmentRequest& request,
             const ObjectRef& object,
             const Asker& asker,
             std::vector<Attachment>& to) {
    using Kind = AttachmentRequest::Kind;
    switch (request.kind) {
        case Kind::coordinate:
            to.push_back(attach_coordinate(model, request.text, asker));
            return;
        case Kind::measure:
            for (Attachment& at : attachments_of(model, find_measure(model, request.text, asker)))
                to.push_back(std::move(at));
            return;
        case Kind::points:
            if (object.type->kind != TypeKind::force)
                throw std::logic_error("groups of points are for forces alone");
            attach_points(model, request.text, asker, to);
            return;
        case Kind::point:
        case Kind::direction:
            to.push_back(attach(model, request.text, asker, request.kind == Kind::direction));
    }
}

std::vector<Attachment> attachments_of(const Model& model,
                                       const ObjectRef& object,
                                       const BoundArguments& arguments,
                                       std::span<const AttachmentRequest> requests,
                                       bool may_be_none) {
    const auto ground = [](std::span<const double> r) {
        Attachment at;
        at.text = fmt::format("ground@[{}, {}, {}]", r[0], r[1], r[2]);
        std::ranges::copy(r, at.constant.begin());
        return at;
    };
    std::vector<Attachment> attachments;
    int request = 0;  // of each parameter, which may ask for many
    const auto number = [&](std::size_t first) {
        for (std::size_t i = first; i < attachments.size(); ++i) attachments[i].request = request;
    };
    std::string last_key;
    for (const AttachmentRequest& asked : requests) {
        const std::size_t first = attachments.size();
        if (const char* const key = asked.parameter; key != nullptr) {
            ++request;
            last_key.clear();
            const Asker asker{object.label, arguments.place_of(key), {}, {}};
            const Shape shape = arguments.shape(key);
            if (shape == Shape::vector) {
                attachments.push_back(ground(arguments.numbers(key)));
            } else if (shape == Shape::measure) {
                resolve(model,
                        {.kind = AttachmentRequest::Kind::measure,
                         .text = arguments.text(key).data(),
                         .key = key},
                        object,
                        asker,
                        attachments);
                continue;
            } else {
                attachments.push_back(attach(
                    model, std::string(arguments.text(key)), asker, shape == Shape::direction));
            }
        } else {
            if (asked.key != last_key) ++request;
            last_key = asked.key;
            Asker asker{object.label, arguments.place_of(asked.key), {}, {}};
            if (*asked.where != '\0') {
                asker.key = asked.key;
                asker.where = asked.where;
            }
            resolve(model, asked, object, asker, attachments);
        }
        number(first);
    }
    const bool moves = std::any_of(attachments.begin(), attachments.end(), [](const auto& at) {
        return at.body >= 0;
    });
    if (!moves && !may_be_none)
        throw Error(ErrorKind::manifest,
                    fmt::format("{}: all its attachments are on the ground, nothing can move",
                                object.label),
                    object.place);
    return attachments;
}

}  // namespace ancora
