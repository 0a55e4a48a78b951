// Ways to share rows out. Each is a function of its arguments alone: no clock, no seed, no thread count.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mantissa/partition/partition.hpp"

namespace mantissa {

/// Where contiguous rows of equal weight are cut: part k owns rows cut[k] .. cut[k + 1] - 1. cut[k] is the smallest i
/// with row_begin[i] + row_weight i >= k (nonzeros + row_weight rows) / parts, formed in integers, and that leaves
/// every part a row. `row_weight` stands for a row's work on vectors, in units of an entry's work; 0 is the partition
/// of Cevahir et al. 2009. Throws InvalidInput on no part, or more parts than rows.
std::vector<std::uint64_t> contiguous_cuts(const CompressedRows& a, std::uint32_t parts, std::uint32_t row_weight = 0);

/// Contiguous rows as the matrix stands.
Partition cut_contiguous(const CompressedRows& a, std::uint32_t parts, std::uint32_t row_weight = 0);
/// Contiguous in the order of reverse Cuthill and McKee.
Partition cut_after_cuthill_mckee(const CompressedRows& a, std::uint32_t parts, std::uint32_t row_weight = 0);
/// Recursive bisection of the pattern's graph by METIS (Karypis and Kumar 1998), rows weighted as above, seed 0. Throws
/// InvalidInput as above, on a matrix with 2^31 rows or entries or more, where the longest row is more than half a
/// part's share, and where Mantissa was built without METIS (has_metis()).
Partition cut_by_bisection(const CompressedRows& a, std::uint32_t parts, std::uint32_t row_weight = 0);
bool has_metis();

/// A grid of `width` x `height` points in `parts` strips of whole grid rows, or in `across` x `down` tiles; heights and
/// widths differ by at most one. Throws InvalidInput where a part would be empty.
Partition cut_strips(std::uint32_t width, std::uint32_t height, std::uint32_t parts);
Partition cut_tiles(std::uint32_t width, std::uint32_t height, std::uint32_t across, std::uint32_t down);

enum class CutMethod : std::uint8_t { contiguous, cuthill_mckee, bisection };
/// "contiguous", "rcm", "bisection".
std::string to_string(CutMethod method);
/// The method of that name; throws InvalidInput, which lists the names.
CutMethod parse_cut_method(const std::string& text);
Partition cut(const CompressedRows& a, std::uint32_t parts, CutMethod method, std::uint32_t row_weight = 0);

} // namespace mantissa
