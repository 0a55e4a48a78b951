// The sparse core (rtl/sparse) for a matrix: what it refuses, its parameters, and its stream in bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mantissa/engine.hpp"
#include "mantissa/sim/core_parameters.hpp"
#include "mantissa/sim/rtl_engine.hpp"
#include "mantissa/sparse_core/limits.hpp"
#include "mantissa/sparse_core/row_stream.hpp"

namespace mantissa::sim {

inline constexpr std::size_t kMostSparseRows = sparse_core::kMostRows;

/// Are these the sparse core's, which has the integer core's and more?
bool is_sparse_core(const CoreParameters& parameters);

/// Empty when the sparse core computes `spec`; else one line that says why not.
std::string sparse_core_refusal(const DatapathSpec& spec);
/// Empty when it also runs on `system`: sparse rows, as many as fit, symmetric, with a positive diagonal in every row
/// that is not empty. Else one line.
std::string sparse_core_refusal(const DatapathSpec& spec, const System& system);

/// A matrix as the core reads it, beat by beat in 64-bit words (lowest first): the layout of s_axis_row.
struct SparseStream {
    /// `fitted`: memories as deep as the matrix needs, where bits that nothing reads would mislead (upsets.hpp).
    SparseStream(const CompressedRows& matrix, const DatapathSpec& spec, bool fitted = false);

    sparse_core::RowStream order;
    int coefficient_bits = 0;
    int address_field = 0; ///< bits of an address in a beat: as many as needed, rounded up to a multiple of 4
    int depth = 0;         ///< words of a bank: where not fitted, a power of two
    int row_log = 0;       ///< a row has at most 2^row_log entries
    int shift = 0;         ///< from a row's exact sum to a word of q
    /// Of one beat, whole bytes, as a core made for this matrix takes it: columns of order.column_bits().
    std::uint32_t beat_bytes = 0;
    std::size_t beat_words = 0;       ///< 64-bit words of one beat
    std::vector<std::uint64_t> beats; ///< order.beats() of them
};

/// The parameters of sp_core for a spec and a stream made for it. Memories are at least as deep as the stream asks for,
/// in few sizes where it is not fitted, so that systems share models.
CoreParameters sparse_core_parameters(const DatapathSpec& spec, const SparseStream& stream);

/// A session of the sparse core, on a model of it built when there is none. Throws InvalidInput with
/// sparse_core_refusal()'s line.
std::unique_ptr<Session> load_sparse_core(const System& system, const DatapathSpec& spec, const RtlOptions& options);

} // namespace mantissa::sim
