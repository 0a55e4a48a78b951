#include "plan.hpp"

#include <algorithm>

#include "mantissa/format.hpp"
#include "mantissa/sim/latencies.hpp"
#include "mantissa/sparse/reorder.hpp"

namespace mantissa::sim {

namespace {

/// rtl/sparse/sp_rows: clocks from a beat that the core has taken to its p'.
constexpr int kGather = 5;
/// The core registers a beat as it takes it, and the scalar unit's start.
constexpr int kTaken = 1;
/// What a row's exact sum has above its products.
constexpr int kRowLog = 12;

/// Clocks from the first address until after the last beat where rows follow updates as closely as they may.
std::uint64_t overlapped_clocks(const hls::SparseRows& rows, const SparseTiming& timing) {
    std::uint64_t at = 0; // the clock after the last beat
    for (std::uint64_t s = 0; s < rows.slices; ++s) {
        const std::uint64_t from = rows.needed[s] == 0 ? 0 : rows.needed[s] - 1 + static_cast<unsigned>(timing.formed);
        at = std::max(at, from) + rows.slice_begin[s + 1] - rows.slice_begin[s];
    }
    return at;
}

} // namespace

SparseTiming::SparseTiming(const DatapathSpec& spec, const hls::SparseRows& rows) : scalar(spec) {
    const int o = spec.operand.fraction_bits, r = spec.r.word_bits, p = spec.p.word_bits, q = spec.q.word_bits,
              lanes = spec.lanes;
    formed = latency::fx_p_out(o, q) + 3;
    const int coefficient = rows.coefficient_bits, shift = rows.shape.row_shift;
    const bool rounds = shift > 0 && spec.q.rounding != Rounding::down && coefficient + p + kRowLog > shift;
    const int row = kGather + latency::fx_mul_latency(coefficient - 2, p) + 1 + (rounds ? 2 : 1);
    const int dot = std::max({latency::fx_dot_latency(lanes, r, r), latency::fx_dot_latency(lanes, p, q),
                              latency::fx_dot_latency(lanes, q, q)});
    drain = row + dot + 1 + kTaken;
}

SparseOrder ordered_rows(const CompressedRows& matrix, const DatapathSpec& spec, PassOrder order, SparsePass* figures) {
    SparseOrder out;
    const auto lanes = static_cast<std::size_t>(spec.lanes);
    out.rows = hls::load_rows(matrix, matrix.rows(), spec, {.lanes = spec.lanes});
    const SparseTiming timing(spec, out.rows);
    SparsePass pass;
    pass.addresses = out.rows.slices;
    pass.beats = out.rows.beats();
    pass.fill = out.rows.figures.fill();
    pass.conflict_beats = out.rows.figures.conflict_beats;
    pass.beat_bits = out.rows.beat_bits;
    mantissa_hls::ScalarResult goes_on;
    const auto ends = static_cast<std::uint64_t>(timing.begin + timing.drain) + timing.scalar.scalar(goes_on) - 1;
    pass.fixed = ends + static_cast<unsigned>(timing.formed) - 1;
    pass.two_part = pass.addresses + pass.beats + pass.fixed;
    pass.overlapping = overlapped_clocks(out.rows, timing) + ends;
    if (order == PassOrder::two_part && figures == nullptr) return out;

    // Sorting within windows keeps columns near; how wide they should be depends on the matrix.
    const std::vector<std::uint32_t> near = reverse_cuthill_mckee(matrix);
    const CompressedRows banded = permuted(matrix, near);
    hls::SparseRows best = out.rows;
    for (const std::size_t slices : {1, 4, 16, 64, 256}) {
        const std::size_t window = slices * lanes;
        if (window > matrix.rows() && slices > 1) break;
        hls::SparseRows rows =
            hls::load_rows(banded, banded.rows(), spec, {.lanes = spec.lanes, .sort_window = window});
        const std::uint64_t clocks = overlapped_clocks(rows, timing) + ends;
        if (clocks >= pass.overlapping) continue;
        pass.overlapping = clocks;
        pass.sort_window = window;
        std::vector<std::uint32_t> position(rows.position.size());
        for (std::size_t k = 0; k < near.size(); ++k) position[near[k]] = rows.position[k];
        rows.position = std::move(position);
        best = std::move(rows);
    }
    if (order == PassOrder::overlapping || (order == PassOrder::shorter && pass.overlapping < pass.two_part)) {
        out.rows = std::move(best);
        out.overlaps = true;
    }
    if (figures != nullptr) *figures = pass;
    return out;
}

SparsePass sparse_pass(const DatapathSpec& spec, const System& system) {
    if (const std::string why = hls::sparse_refusal("systemc", spec, system); !why.empty()) throw InvalidInput(why);
    SparsePass pass;
    (void)ordered_rows(std::get<CompressedRows>(system.matrix()), spec, PassOrder::two_part, &pass);
    return pass;
}

} // namespace mantissa::sim
