// SPDX-License-Identifier: BSD-3-Clause
// Encoding of arrays.
#include "page_array.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include <nettle/base64.h>
#include <zlib.h>

namespace ancora {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kLevel = 6;  // of deflation; higher ones gain a percent

std::string deflated(const std::string& bytes) {
    uLongf size = compressBound(bytes.size());
    std::string out(size, '\0');
    if (compress2(reinterpret_cast<Bytef*>(out.data()),
                  &size,
                  reinterpret_cast<const Bytef*>(bytes.data()),
                  bytes.size(),
                  kLevel) != Z_OK)
        throw std::runtime_error("zlib could not compress an array");
    out.resize(size);
    return out;
}

/// First the lowest byte of every element, then the next one, and so on.
template <class T>
std::string by_planes(std::span<const T> values) {
    std::string out(values.size() * sizeof(T), '\0');
    for (std::size_t i = 0; i < values.size(); ++i) {
        char bytes[sizeof(T)];
        std::memcpy(bytes, &values[i], sizeof(T));
        for (std::size_t b = 0; b < sizeof(T); ++b) out[b * values.size() + i] = bytes[b];
    }
    return out;
}

template <class T>
constexpr const char* type_name() {
    if (std::is_same_v<T, double>) return "f64";
    if (std::is_same_v<T, float>) return "f32";
    if (std::is_same_v<T, std::int32_t>) return "i32";
    if (std::is_same_v<T, std::int16_t>) return "i16";
    return "u8";
}

template <class T>
Json encode(std::span<const T> values, std::vector<std::size_t> shape, bool has_delta) {
    return {{"shape", std::move(shape)},
            {"type", type_name<T>()},
            {"delta", has_delta},
            {"planes", true},
            {"data", base64(deflated(by_planes(values)))}};
}

/// Differences to the record before, from the last to the first; they wrap.
template <class T>
void take_differences(std::vector<T>& elements, std::size_t width) {
    using U = std::make_unsigned_t<T>;
    for (std::size_t i = elements.size(); i-- > width;)
        elements[i] = static_cast<T>(
            static_cast<U>(static_cast<U>(elements[i]) - static_cast<U>(elements[i - width])));
}

struct Range {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
    void add(double x) {
        low = std::min(low, x);
        high = std::max(high, x);
    }
};

}  // namespace

std::string base64(std::string_view bytes) {
    std::string out(BASE64_ENCODE_RAW_LENGTH(bytes.size()), '\0');
    base64_encode_raw(
        out.data(), bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
    return out;
}

Json page_array(std::span<const double> values) {
    return encode(values, {values.size()}, false);
}

Json page_array(std::span<const float> values, std::size_t rows, std::size_t columns) {
    return encode(values, {rows, columns}, false);
}

Json page_array(std::span<const std::int32_t> values, std::size_t rows, std::size_t columns) {
    return encode(values, {rows, columns}, false);
}

namespace {

/// Whole numbers over the range of each component.
template <class T>
Json quantised(const Track& track, const std::vector<Range>& ranges) {
    constexpr double kMost = std::numeric_limits<T>::max();
    std::vector<double> scale, offset;
    for (const Range& range : ranges) {
        offset.push_back(0.5 * (range.low + range.high));
        scale.push_back((range.high - range.low) / (2.0 * kMost));
    }
    std::vector<T> elements(track.values.size());
    for (std::size_t i = 0; i < elements.size(); ++i) {
        const std::size_t c = i % track.width % ranges.size();
        if (scale[c] > 0.0)
            elements[i] = static_cast<T>(std::clamp(
                std::nearbyint((track.values[i] - offset[c]) / scale[c]), -kMost, kMost));
    }
    take_differences(elements, track.width);
    Json out = encode(std::span<const T>(elements), {track.count, track.width}, true);
    out["scale"] = scale;
    out["offset"] = offset;
    return out;
}

}  // namespace

Json page_track(const Track& track, std::size_t period, double coarsest) {
    std::vector<Range> ranges(period);
    for (std::size_t i = 0; i < track.values.size(); ++i)
        ranges[i % track.width % period].add(track.values[i]);
    double widest = 0.0;
    for (const Range& range : ranges) widest = std::max(widest, range.high - range.low);
    if (widest > coarsest * 0x1p32)
        return encode(std::span<const double>(track.values), {track.count, track.width}, false);
    return widest > coarsest * 0x1p16 ? quantised<std::int32_t>(track, ranges)
                                      : quantised<std::int16_t>(track, ranges);
}

Json page_colours(const Track& track) {
    Range range;
    for (const double x : track.values) range.add(x);
    const double scale = (range.high - range.low) / 255.0;
    std::vector<std::uint8_t> elements(track.values.size());
    for (std::size_t i = 0; scale > 0.0 && i < elements.size(); ++i)
        elements[i] = static_cast<std::uint8_t>(
            std::clamp(std::nearbyint((track.values[i] - range.low) / scale), 0.0, 255.0));
    take_differences(elements, track.width);
    Json out = encode(std::span<const std::uint8_t>(elements), {track.count, track.width}, true);
    out["scale"] = {scale};
    out["offset"] = {range.low};
    return out;
}

}  // namespace ancora
