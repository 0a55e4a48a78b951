// The sparse core's top function for a commercial HLS compiler, as its caller and a test bench see it. Vectors stay in
// memory on the chip between calls, so one call brings them in, runs and takes them out, or each is a call of its own.
#pragma once

#include "mantissa_hls/sparse/sparse_core.hpp"

#ifndef MANTISSA_HLS_SPARSE_DATAPATH
#define MANTISSA_HLS_SPARSE_DATAPATH                                                                                   \
    {                                                                                                                  \
        .u = {25, 0, true, false, 31}, .r = {16, 0, true, false, 18}, .p = {16, 0, true, false, 18},                   \
        .q = {16, 0, true, false, 18}, .coefficient = {16, 0, true, false, 18}, .operand = {17, 8}, .row = {52, 11},   \
        .form = RowForm::gathered, .exact = true, .accumulator = {52, 11}, .product = {52, 11},                        \
        .scalar = {19, 8, true}, .lanes = 8                                                                            \
    }
#endif

namespace mantissa_hls::sparse_top {

inline constexpr Datapath kDatapath MANTISSA_HLS_SPARSE_DATAPATH;
inline constexpr int kLanes = kDatapath.lanes;
inline constexpr std::uint32_t kDepth = 8192; ///< addresses of a bank: kDepth * kLanes elements
using Top = SparseCore<kDatapath, kLanes>;

/// A set of vectors is the sum of these.
inline constexpr std::uint32_t kVectorU = 1, kVectorR = 2, kVectorP = 4, kVectorQ = 8;

/// What a call returns. Where it is not `done` nothing was read or written.
enum Status : std::uint32_t {
    done = 0,
    no_elements = 1,      ///< size is 0
    beyond_the_banks = 2, ///< size is above kDepth * kLanes
};

/// What a call is to do, in this order: vectors of `clear` become 0, those of `load` come in, the passes run, those of
/// `read` go out.
struct Call {
    std::uint32_t size = 0; ///< elements
    std::uint32_t clear = 0, load = 0, read = 0;
    std::uint32_t passes = 0;          ///< at most; 0: none, and the matrix is not read
    std::uint32_t rho_stop_from = 1;   ///< the first of them after which rho is tested
    std::uint64_t alpha = 0, beta = 0; ///< words of the scalar format: 0, or those of the last pass to go on from it
    std::uint64_t rho_stop = 0;        ///< likewise; rho below it ends the run
    std::int32_t row_shift = 0;        ///< an exact row sum times 2^-row_shift is in units of q
};

struct Outcome {
    std::uint32_t passes = 0;  ///< passes run, the last (incomplete) one included
    std::uint32_t guarded = 0; ///< those of them whose sigma was negative
    ScalarResult last;         ///< of the last of them, but `taken`, which is of all
};

} // namespace mantissa_hls::sparse_top

/// Vectors by position, as many beats as the elements take, the last filled up with zeros; the pointer of a vector that
/// neither comes in nor goes out may be null. column, coefficient, slice_begin: the matrix's stream, as in
/// SparseMemory. Returns a Status.
extern "C" std::uint32_t sparse_core(mantissa_hls::sparse_top::Call call, mantissa_hls::sparse_top::Top::U* u,
                                     mantissa_hls::sparse_top::Top::R* r, mantissa_hls::sparse_top::Top::P* p,
                                     mantissa_hls::sparse_top::Top::Q* q, const std::uint32_t* column,
                                     const mantissa_hls::Coefficient<mantissa_hls::sparse_top::kDatapath>* coefficient,
                                     const std::uint64_t* slice_begin, mantissa_hls::sparse_top::Outcome* outcome);
