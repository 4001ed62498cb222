// SPDX-License-Identifier: BSD-3-Clause
// The folder of results that a run leaves, read back: also of a run that goes on or was killed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ancora/framework/scene.hpp"

namespace ancora {

/// history.csv. What stands behind the last line break is not read: it may be half a row.
class History {
public:
    /// Reads the header, whose names may be quoted by RFC 4180, and counts the rows.
    /// @throws Error (file), also if rows are too short to hold a number for each column
    explicit History(std::filesystem::path file);

    const std::vector<std::string>& columns() const { return columns_; }
    std::size_t num_rows() const { return num_rows_; }
    /// Index of a column; an error with the nearest name if there is none.
    /// @throws Error (usage)
    std::size_t column(const std::string& name) const;
    /// Values of chosen columns, one list each, from every `stride`-th row and the last.
    /// @throws Error (file), with line and column, if a cell is no finite number
    std::vector<std::vector<double>> read(std::span<const std::size_t> chosen,
                                          std::size_t stride = 1) const;

private:
    void read_header();
    [[noreturn]] void refuse_at(std::size_t line, std::size_t at, const char* why) const;

    std::filesystem::path file_;
    std::string text_;
    std::size_t body_ = 0;  // of the first row in the text
    std::size_t header_lines_ = 1;
    std::vector<std::string> columns_;
    std::size_t num_rows_ = 0;
};

/// SI unit of a column of history.csv, by its name; empty if it has none, or one that the name does
/// not tell.
std::string unit_of_column(const std::string& name);

/// frames.npy, beside the scene that says what its values are.
class Frames {
public:
    /// Nothing if the run wrote none.
    /// @throws Error (file) if what is there is not what a run writes: other sizes than its header
    ///         and the scene say, values that are not finite, a row that is no number of one
    static std::optional<Frames> open(const std::filesystem::path& folder);

    const Scene& scene() const { return scene_; }
    std::size_t count() const { return count_; }
    /// Number of the row in history.csv that a frame belongs to.
    std::size_t row(std::size_t frame) const {
        return static_cast<std::size_t>(data_[frame * width_]);
    }
    /// Newton iterations, or evaluations of accelerations, per step since the frame before.
    double iterations(std::size_t frame) const { return data_[frame * width_ + 1]; }
    /// Scene::num_values values.
    std::span<const double> values(std::size_t frame) const {
        return {data_.data() + frame * width_ + 2, width_ - 2};
    }

private:
    void check_values(const std::filesystem::path& file) const;

    Scene scene_;
    std::vector<double> data_;
    std::size_t width_ = 0, count_ = 0;
};

/// How runs are called in what is made of them: their folders as they were given, or without what
/// names folders of this machine; each differs.
std::vector<std::string> run_labels(std::span<const std::filesystem::path> folders,
                                    bool full_paths);

/// @throws Error (file) if the folder is not there or holds no results
void require_results(const std::filesystem::path& folder);

}  // namespace ancora
