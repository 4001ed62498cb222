// SPDX-License-Identifier: BSD-3-Clause
// Lays out the rows of bodies and constraints.
#include "row_layout.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>
#include <utility>

#include <fmt/format.h>

#include "ancora/sdk/numbers/disjoint_sets.hpp"
#include "idle_viscosity.hpp"
#include "row_bodies.hpp"

namespace ancora {
namespace {

// Items that are looked at for values which are always zero. Those of many are elements, whose
// stencils are all they have.
constexpr int kFewItems = 16;
constexpr int kStates = 3;

int tangent_entries(const RowBlock& block) {
    switch (block.tangent) {
        case TangentForm::none:
            return 0;
        case TangentForm::isotropic:
            // g_ab 1_3 for each pair of vectors
            return (block.scalars_per_item / 3) * (block.scalars_per_item / 3);
        case TangentForm::full:
            // G_ab for each pair of scalars
            return block.scalars_per_item * block.scalars_per_item;
    }
    return 0;
}

bool holds(const RowBlock& block, RowKind kind) {
    return std::any_of(block.laws.begin(), block.laws.end(), [kind](const RowLaw& law) {
        return law.kind == kind;
    });
}

/// Of a constraint on more bodies than the row acts on, such as a contact of many: ' ("a", "b")'.
std::string bodies_in_brackets(const Model& model,
                               const CompressedRows& rows,
                               const RowOwner& owner,
                               int row) {
    if (owner.body >= 0) return {};
    const std::vector<int> here = bodies_of_rows(model, rows, row, row + 1);
    const int end = owner.first_row + owner.num_rows;
    if (bodies_of_rows(model, rows, owner.first_row, end).size() == here.size()) return {};
    std::string names;
    for (const int body : here)
        names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", model.bodies[body].object.name);
    return names.empty() ? names : " (" + names + ")";
}

}  // namespace

RowLayout::RowLayout(const Model& model, CallMeter& meter) : model_(model), meter_(meter) {
    row_start.push_back(0);
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
        const BodyPart& part = model.bodies[i];
        RowOwner owner;
        owner.body = static_cast<int>(i);
        owner.u_first = part.first;
        owner.u_count = part.count;
        add_owner(part.rows(), part.object, owner);
    }
    std::vector<int> signals(model.constraints.size(), -1);
    // Constraints with rows pi(u, t, w) that depend on inputs or states
    // of their own (theory, section 12).
    for (std::size_t i = 0; i < model.signals.size(); ++i)
        if (model.signals[i].is_read_by_rows())
            signals[model.signals[i].index] = static_cast<int>(i);
    for (std::size_t i = 0; i < model.constraints.size(); ++i)
        add_on_attachments(model.constraints[i].rows(), static_cast<int>(i), signals[i]);
    close();
    if (!together_.empty()) together_.resize(laws.size(), 0);
    // Half of what has grown step by step may be room for more.
    laws.shrink_to_fit();
    column.shrink_to_fit();
    row_start.shrink_to_fit();
}

RowLayout::RowLayout(const Model& model, CallMeter& meter, std::span<const int> constraints)
    : model_(model), meter_(meter) {
    row_start.push_back(0);
    for (const int c : constraints) add_on_attachments(model.constraints[c].tangents(), c, -1);
    close();
}

void RowLayout::add_on_attachments(const GuardedRows& source, int constraint, int signals) {
    const ConstraintPart& part = model_.constraints[constraint];
    RowOwner owner;
    owner.constraint = constraint;
    owner.signals = signals;
    // u of all constraints in one buffer, three scalars per attachment.
    owner.u_first = num_local_;
    owner.u_count = 3 * static_cast<int>(part.attachments.size());
    num_local_ += owner.u_count;
    owner.map = static_cast<int>(maps_.size());
    maps_.emplace_back(model_, part.attachments, meter_);
    add_owner(source, part.object, owner);
}

void RowLayout::add_owner(const GuardedRows& source, const ObjectRef& object, RowOwner owner) {
    owner.source = source;
    owner.object = &object;
    owner.first_row = num_rows();
    const auto [source_blocks, start_state] = source.facts();
    owner.state_count = static_cast<int>(start_state.size());
    // States of owners follow each other in that of all plugins.
    owner.state_first = num_state;
    num_state += owner.state_count;
    owner.first_block = static_cast<int>(blocks.size());
    owner.num_blocks = static_cast<int>(source_blocks.size());
    owners.push_back(owner);

    for (std::size_t i = 0; i < source_blocks.size(); ++i) {
        const RowBlock& block = source_blocks[i];
        check_block(owner, static_cast<int>(i), block);
        BlockPart part;
        part.owner = static_cast<int>(owners.size()) - 1;
        part.index = static_cast<int>(i);
        part.block = &block;
        part.first_row = num_rows();
        // Values item by item, row by row, scalars_per_item each, as the plugin writes them.
        part.num_rows = block.num_items * block.rows_per_item;
        part.num_values = part.num_rows * block.scalars_per_item;
        // A is constant if pi is linear in u, u linear in q, and neither depends on time.
        part.is_constant = block.degree == Degree::linear && !block.depends_on_time &&
                           (owner.map < 0 || map_of(owner).is_linear());
        part.holds_constraint = holds(block, RowKind::constraint);
        part.holds_elastic = holds(block, RowKind::elastic);
        part.is_elastic = std::ranges::all_of(block.laws, [](const RowLaw& law) {
            return law.kind == RowKind::elastic;
        });
        part.num_tangent = block.num_items * tangent_entries(block);
        part.reads_own = reads_own(owner, static_cast<int>(i), block);
        // Tangent entries of blocks likewise, in the plugins' layout.
        if (!blocks.empty())
            part.first_tangent = blocks.back().first_tangent + blocks.back().num_tangent;
        for (int row = 0; row < part.num_rows; ++row) {
            // Laws are one for all rows, one for each row of an item, or one for each row.
            const std::size_t many = block.laws.size();
            const std::size_t law =
                many == 1
                    ? 0
                    : static_cast<std::size_t>(many == static_cast<std::size_t>(block.rows_per_item)
                                                   ? row % block.rows_per_item
                                                   : row);
            if (part.reads_own && block.laws[law].kind == RowKind::elastic)
                own_rows.push_back(num_rows());
            if (block.laws[law].kind == RowKind::unilateral) unilateral_.push_back(num_rows());
            laws.push_back(block.laws[law]);
            // gamma = h / eta is finite.
            if (laws.back().kind == RowKind::dashpot && laws.back().viscosity == 0.0)
                laws.back().viscosity = kIdleViscosity;
        }
        // Flags up to the last row that has its law with others; most models have none.
        if (!block.item_laws.empty()) {
            together_.resize(part.first_row, 0);
            together_.resize(laws.size(), 1);
        }
        part.first_chain = static_cast<int>(chain_start_.size());
        if (owner.body >= 0)
            add_body_block(part);
        else
            add_constraint_block(part);
        blocks.push_back(part);
        owners.back().num_rows += part.num_rows;
    }
}

/// Whether rows of the block may read own values, see RowSource.
bool RowLayout::reads_own(const RowOwner& owner, int index, const RowBlock& block) const {
    const auto gives_way = [](const RowLaw& law) {
        return law.kind == RowKind::elastic || law.kind == RowKind::dashpot;
    };
    if (owner.signals < 0 || !block.depends_on_time || !std::ranges::all_of(block.laws, gives_way))
        return false;
    if (!block.item_laws.empty())
        throw Error(ErrorKind::plugin,
                    fmt::format("{}: block {} (\"{}\") of its rows may read inputs and own states, "
                                "and has a law of several rows together; what reads them has a law "
                                "of its own",
                                describe(*owner.object),
                                index,
                                block.name),
                    owner.object->place);
    // eta pi' would need w', which is not known at an instant (theory, section 12).
    for (const RowLaw& law : block.laws)
        if (law.kind == RowKind::elastic && law.viscosity > 0.0)
            throw Error(ErrorKind::plugin,
                        fmt::format("{}: block {} (\"{}\") of its rows may read inputs and own "
                                    "states, whose rates nobody knows, and has an elastic row with "
                                    "viscosity; give damping a dashpot row of its own",
                                    describe(*owner.object),
                                    index,
                                    block.name),
                        owner.object->place);
    return true;
}

void RowLayout::check_block(const RowOwner& owner, int index, const RowBlock& block) const {
    const auto refuse = [&](const std::string& what) {
        throw Error(ErrorKind::plugin,
                    fmt::format("{}: block {} (\"{}\") of its rows is wrong: {}",
                                describe(*owner.object),
                                index,
                                block.name != nullptr ? block.name : "",
                                what),
                    owner.object->place);
    };
    if (block.num_items < 0 || block.rows_per_item < 1 || block.scalars_per_item < 1)
        refuse(fmt::format("{} items of {} rows on {} scalars",
                           block.num_items,
                           block.rows_per_item,
                           block.scalars_per_item));
    if (static_cast<double>(block.num_items) * block.rows_per_item * block.scalars_per_item > 2e9)
        refuse("it has more entries than an index can count");
    if (block.name == nullptr) refuse("it has no name");
    // The stencil: which local scalars u each item reads.
    const auto stencil = static_cast<std::size_t>(block.num_items) *
                         static_cast<std::size_t>(block.scalars_per_item);
    if (block.stencil.size() != stencil)
        refuse(fmt::format("its stencil has {} entries, {} items on {} scalars need {}",
                           block.stencil.size(),
                           block.num_items,
                           block.scalars_per_item,
                           stencil));
    for (const int u : block.stencil)
        if (u < 0 || u >= owner.u_count)
            refuse(fmt::format(
                "its stencil names local scalar {}, there are 0 to {}", u, owner.u_count - 1));
    const auto rows =
        static_cast<std::size_t>(block.num_items) * static_cast<std::size_t>(block.rows_per_item);
    const std::size_t laws_given = block.laws.size();
    if (laws_given != 1 && laws_given != static_cast<std::size_t>(block.rows_per_item) &&
        laws_given != rows)
        refuse(
            fmt::format("it has {} laws; give 1, one per row of an item ({}) or one per row ({})",
                        laws_given,
                        block.rows_per_item,
                        rows));
    check_item_laws(block, refuse);
    for (const RowLaw& law : block.laws) {
        if (law.kind < RowKind::constraint || law.kind > RowKind::unilateral)
            refuse(fmt::format("a law is of unknown kind {}", static_cast<int>(law.kind)));
        if (law.kind == RowKind::unilateral ? !(law.restitution >= 0.0 && law.restitution <= 1.0)
                                            : law.restitution != 0.0)
            refuse(fmt::format("a restitution of {} in a row that {}; it lies between 0 and 1",
                               law.restitution,
                               law.kind == RowKind::unilateral ? "meets" : "never meets"));
        // Only elastic rows have an energy W(pi).
        const bool bears = law.kind == RowKind::elastic;
        const bool may_hold = law.kind == RowKind::unilateral;
        if (!bears && (law.compliance != 0.0 || (law.prestress != 0.0 && !may_hold)))
            refuse("compliance and prestress belong to elastic rows only");
        if (may_hold && (!(law.prestress >= 0.0) || (law.prestress > 0.0 && law.restitution > 0.0)))
            refuse(
                fmt::format("a row that meets holds with {} and a restitution of {}; what holds "
                            "does so with a force above zero, and has met without restitution",
                            law.prestress,
                            law.restitution));
        if (!bears && law.kind != RowKind::dashpot && law.viscosity != 0.0)
            refuse("viscosity belongs to elastic and dashpot rows only");
        // c = 0 is another law, a constraint: an elastic row would carry pi_0
        // on with alternating sign (theory, section 3.2).
        if (law.kind == RowKind::elastic &&
            !(law.compliance > 0.0 && std::isfinite(law.compliance)))
            refuse(fmt::format("an elastic row has compliance {}; it must be positive and finite",
                               law.compliance));
        if (!(law.viscosity >= 0.0) || !std::isfinite(law.viscosity) ||
            (!std::isfinite(law.prestress) && !may_hold))
            refuse("a viscosity is negative, or a viscosity or prestress is not finite");
        if (!bears && law.law != nullptr)
            refuse("only elastic rows have a law of their own, such as one that goes slack");
        if (law.law == nullptr) continue;
        double limit = 0.0;
        call_plugin(*owner.object, "StressLaw::limit", [&] {
            limit = law.law->limit();
        });
        if (std::isnan(limit)) refuse("the limit of a law is not a number");
    }
    if (block.tangent == TangentForm::isotropic && block.scalars_per_item % 3 != 0)
        refuse("an isotropic tangent needs scalars in triples");
}

template <class Refuse>
void RowLayout::check_item_laws(const RowBlock& block, const Refuse& refuse) {
    const std::size_t given = block.item_laws.size();
    if (given == 0) return;
    if (given != 1 && given != static_cast<std::size_t>(block.num_items))
        refuse(fmt::format(
            "it has {} laws of items; give 1 or one per item ({})", given, block.num_items));
    // D and its eigenvectors have room of fixed size in a step.
    if (block.rows_per_item > ItemLaw::kMostRows)
        refuse(fmt::format("its items have {} rows; at most {} have a law together",
                           block.rows_per_item,
                           ItemLaw::kMostRows));
    for (const ItemLaw* const law : block.item_laws)
        if (law == nullptr) refuse("a law of an item is missing");
    for (const RowLaw& law : block.laws)
        if (law.kind != RowKind::elastic || law.law != nullptr || law.prestress != 0.0)
            refuse(
                "rows that have a law together are elastic, without prestress or a law of their "
                "own");
}

/// Whether values of a block that are zero at some states which nothing singles out are zero at
/// all of them: those of few items, quadratic in the scalars alone.
bool RowLayout::shows_zeros(const BlockPart& part) const {
    const RowBlock& block = *part.block;
    // Elements have no zeros in their stencils. Rows that are general, or depend on time or
    // on a state, may be zero at the states that are tried and differ from zero later.
    return block.num_items <= kFewItems && block.degree != Degree::general &&
           !block.depends_on_time && block.item_laws.empty() && owners[part.owner].state_count == 0;
}

/// Which of a small block's values are ever anything but zero. The Jacobian of quadratic rows is
/// linear in the coordinates but for a constant, so that values which are zero at some states that
/// nothing singles out are zero at all of them.
std::vector<char> RowLayout::places_with_entries(const BlockPart& part) {
    std::vector<char> has_entry(static_cast<std::size_t>(part.num_values), 1);
    if (!shows_zeros(part)) return has_entry;
    std::vector<double> u(static_cast<std::size_t>(owners[part.owner].u_count));
    std::vector<double> du(u.size());
    std::vector<double> A(has_entry.size());
    std::ranges::fill(has_entry, char{0});
    std::mt19937 random;
    // An affine function that is not zero everywhere is zero on a set of measure zero: states at
    // random tell the two apart. The generator's seed is fixed, so that a model has one layout.
    for (int state = 0; state < kStates; ++state) {
        for (std::vector<double>* of : {&u, &du})
            for (double& x : *of)
                x = 2.0 * static_cast<double>(random()) / static_cast<double>(random.max()) - 1.0;
        std::ranges::fill(A, 0.0);
        call_evaluate(part, {u, du, 0.0}, {{}, A, {}, {}});
        for (std::size_t i = 0; i < A.size(); ++i) has_entry[i] |= A[i] != 0.0 ? 1 : 0;
    }
    return has_entry;
}

/// The same of its tangent. A = K u + c of a quadratic row is not zero in the scalars that K
/// couples, and the positive part of sum s_k K_k couples what rows couple, directly or over others.
std::vector<char> RowLayout::tangents_with_entries(const BlockPart& part,
                                                   const std::vector<char>& has_entry) const {
    const RowBlock& block = *part.block;
    std::vector<char> has_tangent(static_cast<std::size_t>(part.num_tangent), 1);
    if (!shows_zeros(part) || has_tangent.empty()) return has_tangent;
    const int S = block.scalars_per_item;
    const int axes = block.tangent == TangentForm::isotropic ? 3 : 1;
    const int width = S / axes;
    auto tangent = has_tangent.begin();
    auto entry = has_entry.begin();
    for (int item = 0; item < block.num_items; ++item) {
        DisjointSets coupled(static_cast<std::size_t>(width));
        std::vector<char> is_coupled(static_cast<std::size_t>(width), 0);
        for (int row = 0; row < block.rows_per_item; ++row) {
            int first = -1;
            for (int a = 0; a < S; ++a) {
                if (*entry++ == 0) continue;
                if (first < 0) first = a / axes;
                coupled.join(first, a / axes);
                is_coupled[a / axes] = 1;
            }
        }
        for (int a = 0; a < width; ++a)
            for (int b = 0; b < width; ++b)
                *tangent++ = is_coupled[a] != 0 && coupled.root(a) == coupled.root(b) ? 1 : 0;
    }
    return has_tangent;
}

void RowLayout::find_places(BlockPart& part, const std::vector<char>& has_entry) {
    ValuePlaces found;
    for (std::size_t i = 0; i < has_entry.size(); ++i)
        (has_entry[i] != 0 ? found.of_entries : found.of_zeros).push_back(static_cast<int>(i));
    if (found.of_zeros.empty()) return;
    // Bodies of one kind have equal lists, which are kept once.
    const auto same = std::ranges::find(places_, found);
    part.places = static_cast<int>(same - places_.begin());
    if (same == places_.end()) places_.push_back(std::move(found));
}

void RowLayout::add_body_block(BlockPart& part) {
    const RowBlock& block = *part.block;
    const int first = owners[part.owner].u_first;
    const int S = block.scalars_per_item;
    const auto add_tangent = [this](int from, int i, int j) {
        tangent_terms.add(from, std::max(i, j), std::min(i, j), 1.0);
    };
    // An entry of the Jacobian for each value that can differ from zero:
    // A itself, not chained, since a body's scalars are coordinates.
    part.first_value = static_cast<int>(column.size());
    const std::vector<char> has_entry = places_with_entries(part);
    find_places(part, has_entry);
    // Goes over the plugin's values, whether they have an entry or not.
    std::size_t value = 0;
    const std::vector<char> has_tangent = tangents_with_entries(part, has_entry);
    const auto is_tangent = [&](int from) {
        return has_tangent[static_cast<std::size_t>(from - part.first_tangent)] != 0;
    };
    for (int item = 0; item < block.num_items; ++item) {
        const std::int32_t* stencil = block.stencil.data() + std::size_t(item) * std::size_t(S);
        for (int row = 0; row < block.rows_per_item; ++row) {
            for (int j = 0; j < S; ++j)
                if (has_entry[value++] != 0) column.push_back(first + stencil[j]);
            row_start.push_back(static_cast<int>(column.size()));
        }
        // G is symmetric, its lower triangle has an entry for b <= a.
        // An isotropic entry g_ab acts on x, y and z alike.
        int from = part.first_tangent + item * tangent_entries(block);
        if (block.tangent == TangentForm::isotropic) {
            for (int a = 0; a < S / 3; ++a)
                for (int b = 0; b < S / 3; ++b, ++from)
                    for (int axis = 0; axis < 3 && b <= a && is_tangent(from); ++axis)
                        add_tangent(
                            from, first + stencil[3 * a + axis], first + stencil[3 * b + axis]);
        } else if (block.tangent == TangentForm::full) {
            for (int a = 0; a < S; ++a)
                for (int b = 0; b < S; ++b, ++from)
                    if (b <= a && is_tangent(from))
                        add_tangent(from, first + stencil[a], first + stencil[b]);
        }
    }
}

void RowLayout::add_constraint_block(BlockPart& part) {
    const RowBlock& block = *part.block;
    const int S = block.scalars_per_item;
    const RowOwner& owner = owners[part.owner];
    // Values of constraints on their scalars follow each other in the local buffer.
    if (!blocks.empty() && owners[blocks.back().owner].constraint >= 0)
        part.first_local = blocks.back().first_local + blocks.back().num_values;
    part.first_value = static_cast<int>(column.size());

    // A_q = A_u W with constant weights, A_u J(q) where an attachment is not linear in q.
    const AttachmentMap& map = map_of(owner);
    // A constant Jacobian shows which entries are zero, so that they need no place.
    std::vector<double> local(static_cast<std::size_t>(part.num_values), 1.0);
    if (part.is_constant) {
        const std::vector<double> zero(static_cast<std::size_t>(owner.u_count), 0.0);
        call_evaluate(part, {zero, zero, 0.0}, {{}, local, {}, {}});
    }
    const std::vector<char> has_tangent = tangents_with_entries(part, places_with_entries(part));
    // Rows that have a law together lie in one pattern, so that the matrix can combine them.
    const bool has_law_together = !block.item_laws.empty();
    for (int item = 0; item < block.num_items; ++item) {
        const std::int32_t* stencil = block.stencil.data() + std::size_t(item) * std::size_t(S);
        for (int r = 0; r < block.rows_per_item; ++r) {
            // A row has an entry for each coordinate that one of its scalars depends on;
            // several scalars may add to one entry, as two points of a body do.
            std::map<int, int> place_of;  // coordinate -> entry, in order of coordinates
            const int local_row = (item * block.rows_per_item + r) * S;
            chain_start_.push_back(static_cast<int>(chain_terms_.size()));
            product_start_.push_back(static_cast<int>(chain_products_.size()));
            // The first pass finds the coordinates, the second the terms of their sums.
            for (int pass = 0; pass < 2; ++pass) {
                for (int j = 0; j < S; ++j) {
                    if (!has_law_together && local[local_row + j] == 0.0) continue;
                    for (const AttachmentMap::Entry& entry : map.row(stencil[j])) {
                        if (pass == 0)
                            place_of[entry.coordinate] = 0;
                        else if (entry.jacobian < 0)
                            chain_terms_.push_back(
                                {local_row + j, place_of[entry.coordinate], entry.weight});
                        else
                            chain_products_.push_back(
                                {local_row + j, place_of[entry.coordinate], entry.jacobian});
                    }
                }
                if (pass == 1) break;
                for (auto& [coordinate, place] : place_of) {
                    place = static_cast<int>(column.size());
                    column.push_back(coordinate);
                }
            }
            row_start.push_back(static_cast<int>(column.size()));
        }
        // G_q = W^T G_u W, lower triangle: both (u_a, u_b) and its mirror give entries.
        if (block.tangent == TangentForm::none || !map.is_linear()) continue;
        const int from = part.first_tangent + item * tangent_entries(block);
        // g_ab 1_3 couples equal axes of vectors alone, G_ab scalars. (G_q)_ij += W_ai G_ab W_bj.
        // The mirror (b, a) comes by itself, so i >= j alone is taken.
        const int axes = block.tangent == TangentForm::isotropic ? 3 : 1;
        const int count = S / axes;
        for (int a = 0; a < count; ++a)
            for (int b = 0; b < count; ++b) {
                const int entry = a * count + b;
                if (has_tangent[static_cast<std::size_t>(from - part.first_tangent + entry)] == 0)
                    continue;
                std::array<std::vector<AttachmentMap::Entry>, 3> x, y;
                std::size_t most_x = 0, most_y = 0;
                for (int axis = 0; axis < axes; ++axis) {
                    x[axis] = map.row(stencil[axes * a + axis]);
                    y[axis] = map.row(stencil[axes * b + axis]);
                    most_x = std::max(most_x, x[axis].size());
                    most_y = std::max(most_y, y[axis].size());
                }
                // The three axes of a vector one after the other, see TangentTerms.
                for (std::size_t k = 0; k < most_x; ++k)
                    for (std::size_t l = 0; l < most_y; ++l)
                        for (int axis = 0; axis < axes; ++axis) {
                            if (k >= x[axis].size() || l >= y[axis].size()) continue;
                            const auto& [i, of_i, jacobian_i] = x[axis][k];
                            const auto& [j, of_j, jacobian_j] = y[axis][l];
                            if (i >= j) tangent_terms.add(from + entry, i, j, of_i * of_j);
                        }
            }
    }
}

void RowLayout::chain(const BlockPart& part,
                      std::span<const RowRange> ranges,
                      const double* local,
                      double* values) const {
    const std::vector<double>& jacobian = maps_[owners[part.owner].map].jacobian();
    const int last = part.first_row + part.num_rows;
    auto range = std::ranges::upper_bound(ranges, part.first_row, {}, &RowRange::end);
    for (; range != ranges.end() && range->first < last; ++range) {
        const int first = std::max(range->first, part.first_row), end = std::min(range->end, last);
        std::fill(values + row_start[first], values + row_start[end], 0.0);
        const int from = part.first_chain + first - part.first_row;
        const int to = part.first_chain + end - part.first_row;
        // A_q = A_u W
        for (int i = chain_start_[from]; i < chain_start_[to]; ++i) {
            const ChainTerm& term = chain_terms_[i];
            values[term.to] += term.weight * local[term.from];
        }
        // A_q += A_u J(q)
        for (int i = product_start_[from]; i < product_start_[to]; ++i) {
            const ChainProduct& product = chain_products_[i];
            values[product.to] += jacobian[product.jacobian] * local[product.from];
        }
    }
}

void RowLayout::call_evaluate(const BlockPart& part, const RowPoint& at, const RowValues& out) {
    const RowOwner& owner = owners[part.owner];
    owner.source.evaluate(meter_, part.index, at, out);
}

const Place& RowLayout::place_of_row(int row) const {
    return std::find_if(owners.begin(),
                        owners.end(),
                        [row](const RowOwner& o) {
                            return row >= o.first_row && row < o.first_row + o.num_rows;
                        })
        ->object->place;
}

std::string RowLayout::row_name(int row) const {
    const auto part = std::find_if(blocks.begin(), blocks.end(), [row](const BlockPart& b) {
        return row >= b.first_row && row < b.first_row + b.num_rows;
    });
    if (part == blocks.end()) return "no row";
    const RowOwner& owner = owners[part->owner];
    const int local = row - part->first_row;
    if (part->block->num_items == 1) {
        // Blocks of one name are numbered on: the equations of a list.
        int before = 0;
        for (auto other = blocks.begin(); other != part; ++other)
            if (other->owner == part->owner &&
                std::string_view(other->block->name) == part->block->name)
                before += other->num_rows;
        return fmt::format("{}, {} {}", owner.object->label, part->block->name, before + local);
    }
    // Rows of a block come item by item.
    const int per_item = part->block->rows_per_item;
    const std::string kind = per_item == 1
                                 ? std::string(part->block->name)
                                 : fmt::format("{} {}", part->block->name, local % per_item);
    return fmt::format("{}, {} of element {}{}",
                       owner.object->label,
                       kind,
                       local / per_item,
                       bodies_in_brackets(model_, *this, owner, row));
}

void RowLayout::close() {
    // One past the last of each list.
    chain_start_.push_back(static_cast<int>(chain_terms_.size()));
    product_start_.push_back(static_cast<int>(chain_products_.size()));
    tangent_terms.end();
    column.shrink_to_fit();
    row_start.shrink_to_fit();
    laws.shrink_to_fit();
}

}  // namespace ancora
