// SPDX-License-Identifier: BSD-3-Clause
// What a viewer is shown of a run, kept for one that comes later.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace ancora::command {

/// Records of one size in the order of time. A run that goes on and on gets no larger than a bound:
/// then every other record goes, and from there on one of twice as many is kept.
class ViewTimeline {
public:
    /// Begins anew, with rows and frames of these many values.
    void begin(std::size_t row_size, std::size_t frame_size);
    void add(std::span<const double> row, std::span<const double> frame);

    std::size_t count() const { return records_.size() / record_size_; }
    /// Messages for what was added since the last call, or for all of it; see
    /// report/page/README.md.
    std::string take_new();
    std::vector<std::string> all() const;

private:
    std::string message(const char* records, std::size_t count) const;
    void thin();

    std::size_t record_size_ = 1;  // bytes
    std::size_t most_ = 1;         // records
    std::size_t every_ = 1;        // so many records that are added are one that is kept
    std::size_t added_ = 0;
    std::vector<char> records_;
    std::vector<char> new_;
};

}  // namespace ancora::command
