// SPDX-License-Identifier: BSD-3-Clause
// Matrices in files of their own, for the programs that go on with them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ancora::command {

/// A matrix, its values row by row.
struct NamedMatrix {
    std::string name;
    const std::vector<double>& values;
    int rows = 0, columns = 0;
};

/// Texts, one a line.
struct NamedTexts {
    std::string name;
    const std::vector<std::string>& texts;
};

/// NAME.npy in `folder`, NumPy's format 1.0.
/// @throws Error (file)
void write_npy(const std::filesystem::path& folder, const NamedMatrix& matrix);

/// All in one file of MATLAB's Level 4 format, which Octave, Scilab and SciPy read as well; texts
/// become matrices of characters.
/// @throws Error (file)
void write_mat(const std::filesystem::path& file,
               const std::vector<NamedMatrix>& matrices,
               const std::vector<NamedTexts>& texts);

}  // namespace ancora::command
