// Top function of the sparse core for a commercial HLS compiler: passes over vectors that stay in memory on the chip,
// the matrix streamed from off-chip memory. Not tried with such a compiler; g++ compiles it, which is all that is
// claimed.
//
// The memories are arrays of beats: partitioned over lanes they are one dual-ported bank a lane. Columns and
// coefficients come by masters of their own, so that each can be given channels of a high-bandwidth memory.
#include "mantissa_hls/sparse/sparse_core.hpp"

#ifndef MANTISSA_HLS_SPARSE_DATAPATH
#define MANTISSA_HLS_SPARSE_DATAPATH                                                                                   \
    {                                                                                                                  \
        .u = {25, 0, true, false, 31}, .r = {16, 0, true, false, 18}, .p = {16, 0, true, false, 18},                   \
        .q = {16, 0, true, false, 18}, .coefficient = {16, 0, true, false, 18}, .operand = {17, 8},                    \
        .form = RowForm::gathered, .exact = true, .scalar = {19, 8, true}, .lanes = 8                                  \
    }
#endif

namespace {

using namespace mantissa_hls;

constexpr Datapath kTop MANTISSA_HLS_SPARSE_DATAPATH;
constexpr int kLanes = kTop.lanes;
constexpr std::uint32_t kDepth = 8192; // addresses: kDepth * kLanes elements
using TopCore = SparseCore<kTop, kLanes>;

TopCore core;
TopCore::U u_bank[kDepth];
TopCore::R r_bank[kDepth];
TopCore::P p_bank[kDepth];
TopCore::Q q_bank[kDepth];

} // namespace

/// Vectors by position, `slices` beats: in from off-chip memory before a run and out after it.
extern "C" void sparse_load(const TopCore::R* r, std::uint32_t slices) {
    for (std::uint32_t a = 0; a < slices && a < kDepth; ++a) {
#pragma HLS PIPELINE II = 1
        r_bank[a] = r[a];
        u_bank[a] = {};
        p_bank[a] = {};
        q_bank[a] = {};
    }
}

extern "C" void sparse_read(TopCore::U* u, TopCore::P* p, std::uint32_t slices) {
    for (std::uint32_t a = 0; a < slices && a < kDepth; ++a) {
#pragma HLS PIPELINE II = 1
        u[a] = u_bank[a];
        p[a] = p_bank[a];
    }
}

/// Up to `passes` passes; alpha and beta come from pass to pass by the scalar unit. Returns those run.
extern "C" std::uint32_t sparse_passes(const std::uint32_t* column, const Coefficient<kTop>* coefficient,
                                       const std::uint64_t* slice_begin, std::uint32_t size, std::int32_t row_shift,
                                       std::uint32_t passes, ScalarResult* result) {
#pragma HLS INTERFACE m_axi port = column bundle = gmem0
#pragma HLS INTERFACE m_axi port = coefficient bundle = gmem1
#pragma HLS INTERFACE m_axi port = slice_begin bundle = gmem2
#pragma HLS INTERFACE s_axilite port = return
#pragma HLS ARRAY_PARTITION variable = u_bank dim = 2 complete
#pragma HLS ARRAY_PARTITION variable = r_bank dim = 2 complete
#pragma HLS ARRAY_PARTITION variable = p_bank dim = 2 complete
#pragma HLS ARRAY_PARTITION variable = q_bank dim = 2 complete
    SparseShape shape;
    shape.size = size;
    shape.row_shift = row_shift;
    core.begin(shape);
    const std::uint64_t slices = (std::uint64_t{size} + kLanes - 1) / kLanes;
    ScalarResult last;
    std::uint32_t pass = 0;
    while (pass < passes && last.end == PassEnd::go_on && slices <= kDepth) {
        PassRequest request;
        request.alpha = last.words.alpha;
        request.beta = last.words.beta;
        core.begin_pass(request);
        core.run_update(u_bank, r_bank, p_bank, q_bank, 0, slices);
        core.run_rows<true>(p_bank, q_bank, column, coefficient, slice_begin, 0, slices);
        last = core.scalars(request);
        ++pass;
    }
    *result = last;
    return pass;
}
