// A sparse matrix as the sparse kernel and its timed model take it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "mantissa/engine.hpp"
#include "mantissa/sparse_core/row_stream.hpp"
#include "mantissa_hls/abi.hpp"

namespace mantissa::hls {

/// Why the sparse datapath does not run this, in one line; empty when it does. `engine` begins the line.
std::string sparse_refusal(const std::string& engine, const DatapathSpec& spec, const System& system);

/// The rows of one core. Local elements are those of the matrix given: first the core's own, then others' that it
/// reads.
struct SparseRows {
    mantissa_hls::SparseShape shape;
    std::vector<std::uint32_t> position;    ///< of each local element; the core's own come first
    std::uint64_t slices = 0;               ///< addresses that hold elements of the core's own
    std::vector<std::uint64_t> slice_begin; ///< `slices` + 1 numbers of beats
    std::vector<std::uint32_t> column;      ///< positions, `lanes` a beat
    std::vector<std::uint64_t> coefficient; ///< bytes of words of the kernel's size, `lanes` a beat
    /// The addresses below needed[s] hold all own p' that the slices up to s read.
    std::vector<std::uint64_t> needed;
    sparse_core::StreamFigures figures;
    int coefficient_bits = 0; ///< of the longest word, at least the format's
    int beat_bits = 0; ///< of a beat as the memory holds it: {coefficient, column} of each lane and the slice's end
    [[nodiscard]] std::uint64_t beats() const { return slice_begin.back(); }
};

/// `own`: the first rows of `rows`, which are the core's; the rest are empty and stand for elements of others. A
/// sort window other than 0 wants all rows to be its own. Throws InvalidInput where a coefficient does not fit.
SparseRows load_rows(const CompressedRows& rows, std::size_t own, const DatapathSpec& spec,
                     const sparse_core::StreamOptions& options);

} // namespace mantissa::hls
