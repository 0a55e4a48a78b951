// MatrixMarket files as dense matrices. Internal to host/.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "mantissa/lu/dense.hpp"

namespace mantissa::dense {

/// The matrix in MatrixMarket `text`: array or coordinate storage, real or integer, general or symmetric; entries of a
/// coordinate file that are not there are 0, and those given twice are added. An array file of a symmetric matrix holds
/// the lower triangle, columns from the diagonal down. `name` stands for the file in errors. Throws InvalidInput, one
/// line `FILE:LINE: what; the mend`: also for a matrix that is not square or has more than `most` rows, before memory
/// is taken for it.
DenseMatrix parse_dense_matrix(std::string_view text, std::string_view name, std::size_t most);

/// The same from a file, packed by gzip or not.
DenseMatrix read_dense_matrix(const std::string& path, std::size_t most);

/// Its rows, by the size line.
std::size_t read_dense_rows(const std::string& path, std::size_t most);

} // namespace mantissa::dense
