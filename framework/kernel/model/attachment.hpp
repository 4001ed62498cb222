// SPDX-License-Identifier: BSD-3-Clause
// Attachments: what "NAME@LOCATOR" refers to, as a function of a body's coordinates.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "ancora/framework/error.hpp"

namespace ancora {

struct BodyPart;
class Model;

/// A resolved attachment: r = c + W q, or a nonlinear function that its body evaluates.
struct Attachment {
    struct Term {
        int component;
        int coordinate;  ///< in the whole model
        double weight;
    };
    int body = -1;         ///< -1: the ground
    bool is_point = true;  ///< neither a direction nor a coordinate
    bool is_direction = false;
    int request = 0;  ///< which of its object's parameters asked for it, in their order
    std::string text;
    std::vector<Term> terms;
    std::array<double, 3> constant{};
    bool is_nonlinear = false;
    int id = 0;
    std::string locator;           ///< what stands behind the '@', see locator_text()
    int component = -1;            ///< nonlinear: only this one counts, and stands first
    std::vector<int> coordinates;  ///< of a nonlinear attachment, in the whole model

    /// c + W x, or W x without the constant, of a linear attachment; x has the model's coordinates.
    void map(const double* x, bool with_constant, double* r) const {
        for (int c = 0; c < 3; ++c) r[c] = with_constant ? constant[c] : 0.0;
        for (const Term& term : terms) r[term.component] += term.weight * x[term.coordinate];
    }
};

/// Who asks for an attachment, and where: for messages.
struct Asker {
    std::string label;  ///< 'constraint "root"'; empty: an embedding program
    Place place;
    std::string key;    ///< of the parameter that the text is a part of, or empty
    std::string where;  ///< in that parameter's value, put behind the message

    /// "LABEL: MESSAGE" or "LABEL: KEY: MESSAGE, WHERE", as an error of the manifest.
    Error error(const std::string& message) const;
};

/// Resolves "NAME@LOCATOR".
Attachment attach(const Model& model,
                  const std::string& text,
                  const Asker& asker,
                  bool is_direction);

/// Resolves "NAME@GROUP" and "NAME@*" to all the points of a body's group, and any other text
/// as attach() does; adds them to `to`.
void attach_points(const Model& model,
                   const std::string& text,
                   const Asker& asker,
                   std::vector<Attachment>& to);

/// Resolves "NAME.x": a coordinate of a body in the first of the attachment's scalars.
Attachment attach_coordinate(const Model& model, const std::string& text, const Asker& asker);

/// Position and, where v and rate are not null, velocity of an attachment, linear or not.
void evaluate_attachment(const std::vector<BodyPart>& bodies,
                         const Attachment& at,
                         const double* q,
                         const double* v,
                         double* r,
                         double* rate);

}  // namespace ancora
