// SPDX-License-Identifier: BSD-3-Clause
// What both versions of FMI do with states of an instance, whose handles are pointers to snapshots.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "ancora/framework/error.hpp"
#include "slave.hpp"

namespace ancora::fmu {

inline void require_given(bool is_given, const char* problem = "an argument is NULL") {
    if (!is_given) throw Error(ErrorKind::usage, problem);
}

/// One that is there is used again.
inline void put_snapshot(Snapshot made, void** state) {
    if (*state != nullptr)
        *static_cast<Snapshot*>(*state) = std::move(made);
    else
        *state = std::make_unique<Snapshot>(std::move(made)).release();
}

inline void get_state(const Slave& slave, void** state) {
    require_given(state != nullptr, "the pointer is NULL");
    put_snapshot(slave.snapshot(), state);
}

inline void set_state(Slave& slave, const void* state) {
    require_given(state != nullptr, "the state is NULL");
    slave.restore(*static_cast<const Snapshot*>(state));
}

inline void free_state(void** state) {
    if (state == nullptr) return;
    delete static_cast<Snapshot*>(*state);
    *state = nullptr;
}

inline void size_of_state(const Slave& slave, const void* state, std::size_t* size) {
    require_given(state != nullptr && size != nullptr);
    *size = static_cast<const Snapshot*>(state)->bytes(slave.description().token).size();
}

template <class Byte>
void serialise_state(const Slave& slave, const void* state, Byte* bytes, std::size_t size) {
    require_given(state != nullptr && bytes != nullptr);
    const auto all = static_cast<const Snapshot*>(state)->bytes(slave.description().token);
    require_given(size >= all.size(), "the buffer is too small");
    std::memcpy(bytes, all.data(), all.size());
}

template <class Byte>
void read_state(const Slave& slave, const Byte* bytes, std::size_t size, void** state) {
    require_given(state != nullptr && bytes != nullptr);
    const auto& description = slave.description();
    put_snapshot(Snapshot::from({reinterpret_cast<const std::byte*>(bytes), size},
                                description.token,
                                description.variables.size()),
                 state);
}

}  // namespace ancora::fmu
