// Top function for a commercial HLS compiler: one pass as a dataflow region between AXI masters. Not tried with such a
// compiler here; g++ compiles it (tests/hls builds it), which is all that is claimed for it.
//
// The pass's processes are those of mantissa_hls/core.hpp, each run once over all beats, so the channels need only the
// depths below; p_dot carries p' past the row sum's pipeline.
#include "mantissa_hls/core.hpp"

#ifndef MANTISSA_HLS_DATAPATH
#define MANTISSA_HLS_DATAPATH                                                                                          \
    {                                                                                                                  \
        .u = {23, 8}, .r = {14, 8}, .p = {14, 8}, .q = {14, 8}, .coefficient = {14, 8}, .operand = {14, 8},            \
        .row = {20, 8}, .form = RowForm::chain, .fixed = true, .msb = 13, .lsb = -50, .accumulator = {52, 11},         \
        .partials = 1, .exact_product = true, .product = {14, 8}, .scalar = {52, 11}, .lanes = 1                       \
    }
#endif

namespace {

using namespace mantissa_hls;

constexpr Datapath kTop MANTISSA_HLS_DATAPATH;
constexpr int kDepth = 64;
using TopCore = Core<kTop, kTop.lanes>;
using TopChannels = Channels<kTop, kTop.lanes, kDepth>;

TopCore core;

} // namespace

/// u, r, p, q are read from *_in and written to *_out (two banks, exchanged by the host between passes). In a
/// sequential compilation the channels would overflow beyond kDepth beats: there, use Untimed.
extern "C" void pcg_pass(const Word<kTop.u>* u_in, const Word<kTop.r>* r_in, const Word<kTop.p>* p_in,
                         const Word<kTop.q>* q_in, Word<kTop.u>* u_out, Word<kTop.r>* r_out, Word<kTop.p>* p_out,
                         Word<kTop.q>* q_out, const std::uint64_t coefficients[9], std::uint64_t size,
                         std::uint32_t row_length, std::uint64_t alpha, std::uint64_t beta, ScalarResult* result) {
#pragma HLS INTERFACE m_axi port = u_in bundle = gmem0
#pragma HLS INTERFACE m_axi port = r_in bundle = gmem1
#pragma HLS INTERFACE m_axi port = p_in bundle = gmem2
#pragma HLS INTERFACE m_axi port = q_in bundle = gmem3
#pragma HLS INTERFACE m_axi port = u_out bundle = gmem0
#pragma HLS INTERFACE m_axi port = r_out bundle = gmem1
#pragma HLS INTERFACE m_axi port = p_out bundle = gmem2
#pragma HLS INTERFACE m_axi port = q_out bundle = gmem3
#pragma HLS INTERFACE s_axilite port = return
    Shape shape;
    shape.size = size;
    shape.row_length = row_length;
    shape.stencil = 1;
    for (int b = 0; b < 9; ++b) shape.coefficient[b] = coefficients[b];
    PassRequest request;
    request.alpha = alpha;
    request.beta = beta;
    core.begin(shape);
    core.begin_pass(request);
    const int beats = static_cast<int>(shape.beats(kTop.lanes)),
              slots = beats + static_cast<int>(shape.lag(kTop.lanes));

    TopChannels c;
    {
#pragma HLS DATAFLOW
        load(u_in, c.u_in, 0, beats);
        load(r_in, c.r_in, 0, beats);
        load(p_in, c.p_in, 0, beats);
        load(q_in, c.q_in, 0, beats);
        run_update(core, c, 0, beats);
        run_lines(core, c, 0, slots, shape.beats(kTop.lanes));
        run_rows(core, c, beats, false);
        run_rr(core, c, 0, beats);
        run_pq_qq(core, c, 0, beats);
        store(u_out, c.u_out, 0, beats);
        store(r_out, c.r_out, 0, beats);
        store(p_out, c.p_out, 0, beats);
        store(q_out, c.q_out, 0, beats);
    }
    *result = core.scalars(request);
}
