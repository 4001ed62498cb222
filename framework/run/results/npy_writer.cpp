// SPDX-License-Identifier: BSD-3-Clause
// The format is described in NumPy's documentation, numpy.lib.format.
#include "npy_writer.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "ancora/framework/error.hpp"

namespace ancora {
namespace {

static_assert(std::endian::native == std::endian::little, "rows are written as they lie in memory");

constexpr std::size_t kHeaderSize = 128;  // bytes, a multiple of 64

std::string without_rows(std::string header) {
    const std::size_t begin = header.find("'shape': (");
    const std::size_t end = header.find(',', begin);
    return begin == std::string::npos ? header : header.erase(begin, end - begin);
}

/// Bytes of a file with so many rows, if the number can be.
std::uint64_t bytes_of(std::uint64_t rows, std::size_t row_bytes, const FileAt& file) {
    if (rows >
        (static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) - kHeaderSize) /
            row_bytes)
        throw Error(ErrorKind::file,
                    fmt::format("\"{}\" cannot have {} rows", file.path.string(), rows));
    return kHeaderSize + rows * row_bytes;
}

}  // namespace

NpyWriter::NpyWriter(FileAt file, std::size_t columns) : columns_(columns), file_(std::move(file)) {
    file_.keep_every_byte();
    file_.append(header());
    file_.flush();
}

NpyWriter::NpyWriter(FileAt file, std::size_t columns, std::uint64_t rows)
    : columns_(columns),
      rows_(rows),
      file_(file,
            bytes_of(rows, columns * sizeof(double), file),
            [&](const FileWriter::Reader& read) {
                // It begins as one of this run would but for the number of rows.
                if (without_rows(read(0, kHeaderSize)) != without_rows(header()))
                    throw Error(ErrorKind::file,
                                fmt::format("\"{}\" holds other values than this run's",
                                            file.path.string()));
            }) {
    file_.keep_every_byte();
    file_.rewrite(0, header());
}

void NpyWriter::write_row(const double* row) {
    ++rows_;
    try {
        file_.append({reinterpret_cast<const char*>(row), columns_ * sizeof(double)});
    } catch (const Error&) {
        count_what_fitted();
        throw;
    }
}

void NpyWriter::flush() {
    write(&FileWriter::flush);
    file_.rewrite(0, header());
}

void NpyWriter::sync() {
    write(&FileWriter::sync);
    file_.rewrite(0, header());
    file_.sync();
}

void NpyWriter::close() {
    flush();
    file_.require_in_place();
    file_.close();
}

void NpyWriter::write(void (FileWriter::*what)()) {
    try {
        (file_.*what)();
    } catch (const Error&) {
        count_what_fitted();
        throw;
    }
}

// The header's place is there, so this needs no space.
void NpyWriter::count_what_fitted() noexcept {
    const std::uint64_t size = file_.bytes_in_file();
    if (size < kHeaderSize) return;
    rows_ = std::min<std::uint64_t>(rows_, (size - kHeaderSize) / (columns_ * sizeof(double)));
    file_.patch(0, header());
}

std::string NpyWriter::header() const {
    std::string text("\x93NUMPY\x01\x00", 8);
    const std::size_t length = kHeaderSize - 10;
    text += static_cast<char>(length & 0xff);
    text += static_cast<char>(length >> 8);
    text += fmt::format(
        "{{'descr': '<f8', 'fortran_order': False, 'shape': ({:>12}, {}), }}", rows_, columns_);
    text.resize(kHeaderSize - 1, ' ');
    return text + '\n';
}

}  // namespace ancora
