// Top function of the sparse core for a commercial HLS compiler: passes over vectors that stay in memory on the chip,
// the matrix streamed from off-chip memory. Not tried with such a compiler; g++ compiles it, and tests/hls compares
// whole solves through it with the emulated engine: no more is claimed.
//
// One function, since a compiler makes hardware of one: banks that another function filled would stay empty. The
// memories are arrays of beats: partitioned over lanes they are one dual-ported bank a lane. Columns and coefficients
// come by masters of their own, so that each can be given channels of a high-bandwidth memory.
#include "sparse_top.hpp"

namespace {

using namespace mantissa_hls;
using namespace mantissa_hls::sparse_top;

Top core;
Top::U u_bank[kDepth];
Top::R r_bank[kDepth];
Top::P p_bank[kDepth];
Top::Q q_bank[kDepth];

/// Where the call says so: a vector's words, or zeros, into its bank.
template <class Beats>
void bring(const Call& call, std::uint32_t vector, Beats* bank, const Beats* from, std::uint32_t slices) {
    const bool words = (call.load & vector) != 0;
    if (!words && (call.clear & vector) == 0) return;
    for (std::uint32_t a = 0; a < slices; ++a) {
#pragma HLS PIPELINE II = 1
        bank[a] = words ? from[a] : Beats{};
    }
}

template <class Beats>
void take(const Call& call, std::uint32_t vector, const Beats* bank, Beats* to, std::uint32_t slices) {
    if ((call.read & vector) == 0) return;
    for (std::uint32_t a = 0; a < slices; ++a) {
#pragma HLS PIPELINE II = 1
        to[a] = bank[a];
    }
}

/// Up to call.passes passes; alpha and beta come from pass to pass by the scalar unit.
Outcome run(const Call& call, std::uint32_t slices, const std::uint32_t* column,
            const Coefficient<kDatapath>* coefficient, const std::uint64_t* slice_begin) {
    SparseShape shape;
    shape.size = call.size;
    shape.row_shift = call.row_shift;
    core.begin(shape);
    Outcome out;
    out.last.words.alpha = call.alpha;
    out.last.words.beta = call.beta;
    std::uint64_t taken[4]{};
    while (out.passes < call.passes && out.last.end == PassEnd::go_on) {
        PassRequest request;
        request.alpha = out.last.words.alpha;
        request.beta = out.last.words.beta;
        request.rho_stop = call.rho_stop;
        request.test_rho = out.passes + 1 >= call.rho_stop_from ? 1 : 0;
        core.begin_pass(request);
        core.run_update(u_bank, r_bank, p_bank, q_bank, 0, slices);
        core.run_rows<true>(p_bank, q_bank, column, coefficient, slice_begin, 0, slices);
        out.last = core.scalars(request);
        out.guarded += out.last.guarded;
        ++out.passes;
        for (int v = 0; v < 4; ++v) taken[v] |= out.last.taken[v];
    }
    for (int v = 0; v < 4; ++v) out.last.taken[v] = taken[v];
    return out;
}

} // namespace

extern "C" std::uint32_t sparse_core(Call call, Top::U* u, Top::R* r, Top::P* p, Top::Q* q, const std::uint32_t* column,
                                     const Coefficient<kDatapath>* coefficient, const std::uint64_t* slice_begin,
                                     Outcome* outcome) {
#pragma HLS INTERFACE m_axi port = u bundle = gmem0
#pragma HLS INTERFACE m_axi port = r bundle = gmem1
#pragma HLS INTERFACE m_axi port = p bundle = gmem2
#pragma HLS INTERFACE m_axi port = q bundle = gmem3
#pragma HLS INTERFACE m_axi port = column bundle = gmem4
#pragma HLS INTERFACE m_axi port = coefficient bundle = gmem5
#pragma HLS INTERFACE m_axi port = slice_begin bundle = gmem6
#pragma HLS INTERFACE m_axi port = outcome bundle = gmem6
#pragma HLS INTERFACE s_axilite port = call
#pragma HLS INTERFACE s_axilite port = return
#pragma HLS ARRAY_PARTITION variable = u_bank dim = 2 complete
#pragma HLS ARRAY_PARTITION variable = r_bank dim = 2 complete
#pragma HLS ARRAY_PARTITION variable = p_bank dim = 2 complete
#pragma HLS ARRAY_PARTITION variable = q_bank dim = 2 complete
    if (call.size == 0) return no_elements;
    if (call.size > kDepth * static_cast<unsigned>(kLanes)) return beyond_the_banks;
    const std::uint32_t slices = (call.size + kLanes - 1) / kLanes;
    bring(call, kVectorU, u_bank, u, slices);
    bring(call, kVectorR, r_bank, r, slices);
    bring(call, kVectorP, p_bank, p, slices);
    bring(call, kVectorQ, q_bank, q, slices);
    *outcome = run(call, slices, column, coefficient, slice_begin);
    take(call, kVectorU, u_bank, u, slices);
    take(call, kVectorR, r_bank, r, slices);
    take(call, kVectorP, p_bank, p, slices);
    take(call, kVectorQ, q_bank, q, slices);
    return done;
}
