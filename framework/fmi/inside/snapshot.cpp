// SPDX-License-Identifier: BSD-3-Clause
// States as bytes, with a checksum.
#include "snapshot.hpp"

#include <cmath>
#include <cstring>

#include "refusal.hpp"

namespace ancora::fmu {
namespace {

std::uint64_t checksum(std::span<const std::byte> bytes) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const std::byte b : bytes) hash = (hash ^ static_cast<std::uint64_t>(b)) * 0x100000001b3u;
    return hash;
}

constexpr std::uint64_t kMagic = 0x33304d46434e41;  // "ANCFM03"

class Writer {
public:
    template <class T>
    void put(const T& value) {
        const auto* const begin = reinterpret_cast<const std::byte*>(&value);
        bytes.insert(bytes.end(), begin, begin + sizeof value);
    }
    void put_bytes(const void* data, std::size_t size) {
        put(static_cast<std::uint64_t>(size));
        const auto* const begin = static_cast<const std::byte*>(data);
        bytes.insert(bytes.end(), begin, begin + size);
    }
    std::vector<std::byte> bytes;
};

class Reader {
public:
    explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}
    template <class T>
    T get() {
        T value;
        std::memcpy(&value, take(sizeof value).data(), sizeof value);
        return value;
    }
    std::span<const std::byte> get_bytes() { return take(get<std::uint64_t>()); }
    std::string get_text() {
        const auto bytes = get_bytes();
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
    bool is_empty() const { return rest_.empty(); }

private:
    std::span<const std::byte> take(std::uint64_t size) {
        if (size > rest_.size()) refuse("the bytes of the state were cut");
        const auto out = rest_.first(size);
        rest_ = rest_.subspan(size);
        return out;
    }
    std::span<const std::byte> rest_;
};

}  // namespace

const char* name_of(Phase phase) {
    switch (phase) {
        case Phase::instantiated:
            return "instantiated";
        case Phase::initialization:
            return "initialization mode";
        case Phase::steps:
            return "step complete";
        case Phase::events:
            return "event mode";
        case Phase::continuous:
            return "continuous-time mode";
        case Phase::failed:
            return "step failed";
        case Phase::terminated:
            return "terminated";
        default:
            return "error";
    }
}

std::vector<std::byte> Snapshot::bytes(const std::string& token) const {
    Writer to;
    to.put(kMagic);
    to.put_bytes(token.data(), token.size());
    to.put(phase);
    to.put(static_cast<std::uint32_t>(is_set_up));
    to.put(start);
    to.put(tolerance);
    to.put(num_steps);
    to.put(static_cast<std::uint32_t>(stop.has_value()));
    to.put(stop.value_or(0.0));
    to.put(static_cast<std::uint64_t>(numbers.size()));
    for (const double x : numbers) to.put(x);
    for (const std::string& text : texts) to.put_bytes(text.data(), text.size());
    to.put_bytes(simulation.data(), simulation.size());
    to.put(static_cast<std::uint64_t>(outer.size()));
    for (const double x : outer) to.put(x);
    to.put(checksum(to.bytes));
    return std::move(to.bytes);
}

Snapshot Snapshot::from(std::span<const std::byte> bytes,
                        const std::string& token,
                        std::size_t num_variables) {
    if (bytes.size() < sizeof(std::uint64_t)) refuse("these bytes are no state");
    const auto body = bytes.first(bytes.size() - sizeof(std::uint64_t));
    if (Reader(bytes.last(sizeof(std::uint64_t))).get<std::uint64_t>() != checksum(body))
        refuse("the bytes of the state are damaged");
    Reader in(body);
    if (in.get<std::uint64_t>() != kMagic || in.get_text() != token)
        refuse("the state is of another FMU");
    Snapshot out;
    out.phase = in.get<Phase>();
    if (out.phase > Phase::error) refuse("the bytes of the state are damaged");
    out.is_set_up = in.get<std::uint32_t>() != 0;
    out.start = in.get<double>();
    out.tolerance = in.get<double>();
    if (!(out.tolerance >= 0.0)) refuse("the bytes of the state are damaged");
    out.num_steps = in.get<double>();
    if (!std::isfinite(out.start) || !(out.num_steps >= 0.0 && out.num_steps <= kManySteps))
        refuse("the bytes of the state are damaged");
    const bool has_stop = in.get<std::uint32_t>() != 0;
    const auto stop = in.get<double>();
    if (has_stop) out.stop = stop;
    if (in.get<std::uint64_t>() != num_variables) refuse("the state has other variables");
    for (std::size_t i = 0; i < num_variables; ++i) {
        out.numbers.push_back(in.get<double>());
        if (!std::isfinite(out.numbers.back())) refuse("the bytes of the state are damaged");
    }
    for (std::size_t i = 0; i < num_variables; ++i) out.texts.push_back(in.get_text());
    const auto simulation = in.get_bytes();
    out.simulation.assign(simulation.begin(), simulation.end());
    const auto num_outer = in.get<std::uint64_t>();
    if (num_outer > body.size()) refuse("the bytes of the state are damaged");
    for (std::uint64_t i = 0; i < num_outer; ++i) out.outer.push_back(in.get<double>());
    if (!in.is_empty()) refuse("the bytes of the state are damaged");
    return out;
}

}  // namespace ancora::fmu
