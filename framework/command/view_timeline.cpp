// SPDX-License-Identifier: BSD-3-Clause
#include "view_timeline.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

namespace ancora::command {
namespace {

constexpr std::size_t kMostBytes = 256'000'000;
constexpr std::size_t kMostRecords = 40'000;
constexpr std::size_t kMostInMessage = 4'000'000;  // bytes

}  // namespace

void ViewTimeline::begin(std::size_t row_size, std::size_t frame_size) {
    record_size_ = sizeof(double) * (row_size + frame_size);
    most_ = std::clamp<std::size_t>(kMostBytes / record_size_, 100, kMostRecords);
    every_ = 1;
    added_ = 0;
    records_.clear();
    new_.clear();
}

void ViewTimeline::add(std::span<const double> row, std::span<const double> frame) {
    std::vector<char> record(record_size_);
    std::memcpy(record.data(), row.data(), row.size_bytes());
    std::memcpy(record.data() + row.size_bytes(), frame.data(), frame.size_bytes());
    new_.insert(new_.end(), record.begin(), record.end());
    if (added_++ % every_ != 0) return;
    records_.insert(records_.end(), record.begin(), record.end());
    if (count() >= most_) thin();
}

void ViewTimeline::thin() {
    std::size_t kept = 0;
    for (std::size_t k = 0; k < count(); k += 2, ++kept)
        std::memmove(records_.data() + kept * record_size_,
                     records_.data() + k * record_size_,
                     record_size_);
    records_.resize(kept * record_size_);
    every_ *= 2;
}

/// A head of eight bytes, so that numbers of eight bytes stand where they may.
std::string ViewTimeline::message(const char* records, std::size_t count) const {
    const std::uint32_t head[2] = {1, static_cast<std::uint32_t>(count)};
    std::string out(sizeof head + count * record_size_, '\0');
    std::memcpy(out.data(), head, sizeof head);
    std::memcpy(out.data() + sizeof head, records, count * record_size_);
    return out;
}

std::string ViewTimeline::take_new() {
    std::string out = message(new_.data(), new_.size() / record_size_);
    new_.clear();
    return out;
}

std::vector<std::string> ViewTimeline::all() const {
    std::vector<std::string> out;
    const std::size_t step = std::max<std::size_t>(1, kMostInMessage / record_size_);
    for (std::size_t k = 0; k < count(); k += step)
        out.push_back(message(records_.data() + k * record_size_, std::min(step, count() - k)));
    return out;
}

}  // namespace ancora::command
