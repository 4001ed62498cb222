// SPDX-License-Identifier: BSD-3-Clause
// The format is described in NumPy's documentation, numpy.lib.format.
#include "npy_writer.hpp"

#include <algorithm>
#include <bit>
#include <fstream>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "ancora/framework/error.hpp"

namespace ancora {
namespace {

static_assert(std::endian::native == std::endian::little, "rows are written as they lie in memory");

constexpr std::size_t kHeaderSize = 128;  // bytes, a multiple of 64

/// The file, if it begins as one of this run would but for the number of rows.
std::filesystem::path checked(std::filesystem::path file, const std::string& header) {
    std::string found(kHeaderSize, '\0');
    std::ifstream in(file, std::ios::binary);
    if (!in) return file;  // opening it will tell
    in.read(found.data(), static_cast<std::streamsize>(found.size()));
    const auto without_rows = [](std::string text) {
        const std::size_t begin = text.find("'shape': (");
        const std::size_t end = text.find(',', begin);
        return begin == std::string::npos ? text : text.erase(begin, end - begin);
    };
    if (without_rows(found) != without_rows(header))
        throw Error(ErrorKind::file,
                    fmt::format("\"{}\" holds other values than this run's", file.string()));
    return file;
}

}  // namespace

template <class T>
NpyWriter<T>::NpyWriter(std::filesystem::path file, std::size_t columns)
    : path_(file), columns_(columns), file_(std::move(file)) {
    file_.keep_every_byte();
    file_.append(header());
    file_.flush();
}

template <class T>
NpyWriter<T>::NpyWriter(std::filesystem::path file, std::size_t columns, std::uint64_t rows)
    : path_(file),
      columns_(columns),
      rows_(rows),
      file_(checked(std::move(file), header()), kHeaderSize + rows * columns * sizeof(T)) {
    file_.keep_every_byte();
    file_.rewrite(0, header());
}

template <class T>
void NpyWriter<T>::write_row(const T* row) {
    ++rows_;
    try {
        file_.append({reinterpret_cast<const char*>(row), columns_ * sizeof(T)});
    } catch (const Error&) {
        count_what_fitted();
        throw;
    }
}

template <class T>
void NpyWriter<T>::flush() {
    write(&FileWriter::flush);
    file_.rewrite(0, header());
}

template <class T>
void NpyWriter<T>::sync() {
    write(&FileWriter::sync);
    file_.rewrite(0, header());
    file_.sync();
}

template <class T>
void NpyWriter<T>::close() {
    flush();
    file_.close();
}

template <class T>
void NpyWriter<T>::write(void (FileWriter::*what)()) {
    try {
        (file_.*what)();
    } catch (const Error&) {
        count_what_fitted();
        throw;
    }
}

// The writer has closed the file; the header's place is there, so this needs no space.
template <class T>
void NpyWriter<T>::count_what_fitted() noexcept {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path_, error);
    if (error || size < kHeaderSize) return;
    rows_ = std::min<std::uint64_t>(rows_, (size - kHeaderSize) / (columns_ * sizeof(T)));
    std::fstream out(path_, std::ios::binary | std::ios::in | std::ios::out);
    out << header();
}

template <class T>
std::string NpyWriter<T>::header() const {
    const char* const type = std::is_same_v<T, float> ? "<f4" : "<f8";
    std::string text("\x93NUMPY\x01\x00", 8);
    const std::size_t length = kHeaderSize - 10;
    text += static_cast<char>(length & 0xff);
    text += static_cast<char>(length >> 8);
    text += fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({:>12}, {}), }}",
                        type,
                        rows_,
                        columns_);
    text.resize(kHeaderSize - 1, ' ');
    return text + '\n';
}

template class NpyWriter<float>;
template class NpyWriter<double>;

}  // namespace ancora
