// Where a sparse matrix has its entries. Internal to host/.
#pragma once

#include <cstddef>

#include "image.hpp"
#include "mantissa/sparse/compressed_rows.hpp"

namespace mantissa::pictures {

/// A square of at most `size` squares on a side, rows from the top. Each stands for as many rows and columns; the more
/// of their places are taken, the darker it is. Every entry can be seen.
Image spy_image(const CompressedRows& matrix, std::size_t size);

} // namespace mantissa::pictures
