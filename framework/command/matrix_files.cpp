// SPDX-License-Identifier: BSD-3-Clause
// The formats are described in numpy.lib.format and in "MAT-File Format", chapter 2 (The
// MathWorks).
#include "matrix_files.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include <fmt/format.h>

#include "own_file.hpp"

namespace ancora::command {
namespace {

static_assert(std::endian::native == std::endian::little,
              "numbers are written as they lie in memory");

/// What a Level 4 file says of each matrix.
enum class MatKind : std::int32_t { numbers = 0, characters = 1 };

void append(std::string& out, const auto& value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void append_header(std::string& out,
                   MatKind kind,
                   std::size_t rows,
                   std::size_t columns,
                   const std::string& name) {
    for (const std::size_t number :
         {static_cast<std::size_t>(kind), rows, columns, std::size_t{0}, name.size() + 1})
        append(out, static_cast<std::int32_t>(number));
    out += name;
    out += '\0';
}

}  // namespace

void write_npy(const std::filesystem::path& folder, const NamedMatrix& matrix) {
    std::string header =
        fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}), }}",
                    matrix.rows,
                    matrix.columns);
    constexpr std::size_t kBefore = 10, kUnit = 64;
    header.append(kUnit - (kBefore + header.size() + 1) % kUnit, ' ');
    header += '\n';
    std::string out("\x93NUMPY\x01\x00", 8);
    append(out, static_cast<std::uint16_t>(header.size()));
    out += header;
    for (const double value : matrix.values) append(out, value);
    write_file(folder / (matrix.name + ".npy"), out);
}

void write_mat(const std::filesystem::path& file,
               const std::vector<NamedMatrix>& matrices,
               const std::vector<NamedTexts>& texts) {
    std::string out;
    for (const NamedMatrix& matrix : matrices) {
        const auto rows = static_cast<std::size_t>(matrix.rows);
        const auto columns = static_cast<std::size_t>(matrix.columns);
        append_header(out, MatKind::numbers, rows, columns, matrix.name);
        for (std::size_t j = 0; j < columns; ++j)
            for (std::size_t i = 0; i < rows; ++i) append(out, matrix.values[i * columns + j]);
    }
    for (const NamedTexts& lines : texts) {
        std::size_t width = 0;
        for (const std::string& text : lines.texts) width = std::max(width, text.size());
        append_header(out, MatKind::characters, lines.texts.size(), width, lines.name);
        for (std::size_t j = 0; j < width; ++j)
            for (const std::string& text : lines.texts)
                append(out,
                       static_cast<double>(j < text.size() ? static_cast<unsigned char>(text[j])
                                                           : static_cast<unsigned char>(' ')));
    }
    write_file(file, out);
}

}  // namespace ancora::command
