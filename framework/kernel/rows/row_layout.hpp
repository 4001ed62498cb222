// SPDX-License-Identifier: BSD-3-Clause
// Which rows a model has: their owners, laws and places in one compressed Jacobian.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "attachment_map.hpp"
#include "call_meter.hpp"
#include "compressed_rows.hpp"
#include "model.hpp"
#include "tangent_terms.hpp"

namespace ancora {

/// A body or constraint as a source of rows, with its local scalars u.
struct RowOwner {
    GuardedRows source;
    const ObjectRef* object = nullptr;
    int body = -1;        ///< index in the model, or -1
    int constraint = -1;  ///< index in the model, or -1
    int map = -1;         ///< of its attachments
    int u_first = 0;      ///< bodies: first coordinate; constraints: first entry of the u buffers
    int u_count = 0;
    int first_row = 0;
    int num_rows = 0;
    int first_block = 0;
    int num_blocks = 0;
    int state_first = 0;
    int state_count = 0;
    int signals = -1;  ///< of a constraint whose rows may read own values: in Model::signals
};

/// One block of equal rows of an owner.
struct BlockPart {
    int owner = 0;
    int index = 0;  ///< within its source
    const RowBlock* block = nullptr;
    int first_row = 0;
    int num_rows = 0;
    int first_value = 0;    ///< of its entries in the Jacobian
    int places = -1;        ///< bodies: of its values, see places(); -1: all have an entry
    int num_values = 0;     ///< entries in the plugin's layout
    int first_local = 0;    ///< constraints: of its entries in the local Jacobian buffer
    int first_chain = 0;    ///< constraints: of its rows among those that are chained
    int first_tangent = 0;  ///< of its entries in the tangent buffer
    int num_tangent = 0;
    bool holds_constraint = false;  ///< some of its rows are pi = 0
    bool holds_elastic = false;
    bool is_constant = false;  ///< linear without explicit time: evaluated once
    bool reads_own = false;    ///< own values as they are, else NaN
    bool is_elastic = false;   ///< all of its rows are, so that nobody asks for their b
};

/// Rows [first, end).
struct RowRange {
    int first, end;
};

/// Where in a block's values, as the plugin writes them, those stand that have entries in the
/// Jacobian, in their order, and those that are always zero and have none.
struct ValuePlaces {
    std::vector<int> of_entries, of_zeros;
    bool operator==(const ValuePlaces&) const = default;
};

/// An entry of a buffer times a weight goes to an entry of another.
struct ChainTerm {
    int from;
    int to;
    double weight;
};

/// The same with a weight that depends on q: an entry of the owner's attachment map.
struct ChainProduct {
    int from;
    int to;
    int jacobian;
};

/// The rows of a model in the order bodies, then constraints, each by block and item: all that
/// stays as it is from the start.
///
/// The Jacobian is one compressed row matrix whose pattern never changes.
class RowLayout : public CompressedRows {
public:
    RowLayout(const RowLayout&) = delete;
    RowLayout& operator=(const RowLayout&) = delete;

    int num_rows() const { return static_cast<int>(laws.size()); }

    /// Whether the rows of its item have a coupled law.
    bool has_law_together(int row) const { return !together_.empty() && together_[row] != 0; }

    /// Where the manifest has the row's object.
    const Place& place_of_row(int row) const;

    /// 'constraint "root", gap 2' or 'body "net", strain of item 17'.
    std::string row_name(int row) const;

    std::vector<RowOwner> owners;
    std::vector<BlockPart> blocks;
    std::vector<RowLaw> laws;   ///< one per row
    long num_kind_changes = 0;  ///< times that rows have become of other kinds
    TangentTerms tangent_terms;
    int num_state = 0;
    std::vector<int> own_rows;  ///< elastic rows in blocks that read own values
    /// Rows that were given as unilateral; their laws say what they are now, see RowSet::close().
    const std::vector<int>& unilateral() const { return unilateral_; }
    bool is_unilateral(int row) const { return std::ranges::binary_search(unilateral_, row); }

protected:
    RowLayout(const Model& model, CallMeter& meter);
    /// Only the rows that measure sliding on these constraints, in their order.
    RowLayout(const Model& model, CallMeter& meter, std::span<const int> constraints);
    ~RowLayout() = default;

    AttachmentMap& map_of(const RowOwner& owner) { return maps_[owner.map]; }
    const ValuePlaces& places(const BlockPart& part) const { return places_[part.places]; }
    /// Prefetches the plugins' objects that a loop over blocks needs soon: they are scattered in
    /// memory, and many bodies leave the caches between two passes.
    void fetch_behind(const BlockPart& part) const {
        constexpr std::ptrdiff_t kAhead = 4;
        if (&blocks.back() - &part < kAhead) return;
        const BlockPart& next = *(&part + kAhead);
        __builtin_prefetch(next.block);
        __builtin_prefetch(&next.block->laws);
        owners[next.owner].source.fetch();
    }
    /// Values of the block's rows in these ranges from those on its local scalars.
    void chain(const BlockPart& part,
               std::span<const RowRange> ranges,
               const double* local,
               double* values) const;
    void call_evaluate(const BlockPart& part, const RowPoint& at, const RowValues& out);

    const Model& model_;
    CallMeter& meter_;
    std::vector<AttachmentMap> maps_;     // of the owners on attachments
    int num_local_ = 0;                   // their scalars
    std::vector<ChainTerm> chain_terms_;  // local Jacobian -> B
    std::vector<int> chain_start_;        // per row of constraints, and one past the last
    std::vector<ChainProduct> chain_products_;
    std::vector<int> product_start_;   // likewise
    std::vector<ValuePlaces> places_;  // the same ones for all blocks of equal bodies

private:
    void add_on_attachments(const GuardedRows& source, int constraint, int signals);
    void add_owner(const GuardedRows& source, const ObjectRef& object, RowOwner owner);
    void check_block(const RowOwner& owner, int index, const RowBlock& block) const;
    template <class Refuse>
    static void check_item_laws(const RowBlock& block, const Refuse& refuse);
    bool reads_own(const RowOwner& owner, int index, const RowBlock& block) const;
    void add_body_block(BlockPart& part);
    bool shows_zeros(const BlockPart& part) const;
    std::vector<char> places_with_entries(const BlockPart& part);
    std::vector<char> tangents_with_entries(const BlockPart& part,
                                            const std::vector<char>& has_entry) const;
    void find_places(BlockPart& part, const std::vector<char>& has_entry);
    void add_constraint_block(BlockPart& part);
    void close();

    std::vector<int> unilateral_;
    std::vector<char> together_;  // one per row up to the last with such a law; mostly empty
};

}  // namespace ancora
