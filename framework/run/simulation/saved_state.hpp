// SPDX-License-Identifier: BSD-3-Clause
// The bytes of a saved state: the model that they belong to, and their integrity.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ancora/framework/manifest.hpp"
#include "kernel_system.hpp"
#include "model.hpp"
#include "state_archive.hpp"

namespace ancora {

/// Of that what no change of parameters may touch: objects with their types and sizes, and the
/// integrator.
std::vector<std::string> layout_of(const Model& model, const KernelSystem& system, double step);
/// Texts of constraints and forces that name other objects, which no change may touch either: what
/// is carried belongs to these.
std::vector<std::string> ties_of(const Manifest& manifest);
/// What a saved state must have in common with the model that takes it, one item a line.
std::vector<std::string> identity_of(const Model& model,
                                     const KernelSystem& system,
                                     const Manifest& manifest);

/// Puts a state into bytes and takes it out of them: magic number, checksum of the rest, identity,
/// state. What the state is, others write and read.
class SavedState {
public:
    using Write = std::function<void(ArchiveWriter&)>;
    using Read = std::function<void(ArchiveReader&)>;

    explicit SavedState(std::vector<std::string> identity) : identity_(std::move(identity)) {}

    std::vector<std::byte> save(const Write& write) const;
    /// Bytes that are refused, on whatever way, leave everything as it was.
    void restore(std::span<const std::byte> saved, const Write& write, const Read& read) const;

private:
    void check_identity(ArchiveReader& reader) const;

    std::vector<std::string> identity_;
};

}  // namespace ancora
