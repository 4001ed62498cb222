// SPDX-License-Identifier: BSD-3-Clause
// Memory of an open plugin that outlives its calls: its writable statics, and what they point to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "object.hpp"

namespace ancora::verify {

/// Finds what a plugin may hide state in. Statics that the loader fills (relocations, the table of
/// functions that it binds late) are left out.
class PluginMemory {
public:
    explicit PluginMemory(const Plugin& plugin);

    /// What the statics hold, as words.
    std::vector<std::uintptr_t> statics() const;
    /// What they point to on the heap, as far as a few hundred bytes behind each pointer; it may
    /// hold what is others', so that a change says "perhaps".
    std::uint64_t pointed_to() const;
    /// Addresses of the words in which `statics()` differs from `before`.
    std::vector<const std::uintptr_t*> changed(const std::vector<std::uintptr_t>& before) const;
    /// The name of the variable at an address, as far as the file says it.
    std::string name_of(const void* address) const;
    /// Where its code is: first and last address.
    std::pair<std::uintptr_t, std::uintptr_t> code() const { return code_; }

private:
    struct Region {
        const std::uintptr_t* begin;
        std::size_t words;
    };
    std::string file_;
    std::uintptr_t base_ = 0;
    std::pair<std::uintptr_t, std::uintptr_t> code_{0, 0};
    std::vector<Region> regions_;
};

/// What an object itself holds, without what it points to; a hash.
std::uint64_t own_bytes(const Object& object);

}  // namespace ancora::verify
