// Sparse rows in the core's order, as words of the kernel's coefficients.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "mantissa/fixed_rows.hpp"
#include "mantissa/hls/kernel.hpp"
#include "mantissa/hls/sparse_kernel.hpp"
#include "mantissa/sparse_core/limits.hpp"

namespace mantissa::hls {

namespace {

constexpr int kMostBits = 32; // of r, p, q and coefficients, as in words_refusal()

} // namespace

std::string sparse_refusal(const std::string& engine, const DatapathSpec& spec, const System& system) {
    if (!spec.fixed_vectors())
        return fmt::format("engine '{}': the sparse core computes in fixed-point words, whose sums no order changes, "
                           "and this is '{}'; give a datapath such as fx18.16, or use the emulated engine",
                           engine, to_string(spec));
    if (spec.lanes < 1 || spec.lanes > sparse_core::kMostLanes ||
        !std::has_single_bit(static_cast<unsigned>(spec.lanes)))
        return fmt::format("engine '{}': the sparse core has 1, 2, 4 and so on to {} lanes, not {}", engine,
                           sparse_core::kMostLanes, spec.lanes);
    const std::string why = sparse_core::refusal(spec, system);
    return why.empty() ? why : fmt::format("engine '{}': {}", engine, why);
}

SparseRows load_rows(const CompressedRows& rows, std::size_t own, const DatapathSpec& spec,
                     const sparse_core::StreamOptions& options) {
    const sparse_core::RowStream stream(rows, options);
    const fixed::ProductRows words = fixed::product_rows(rows, spec);
    const auto lanes = static_cast<std::size_t>(options.lanes);
    SparseRows out;
    out.shape.size = own;
    out.shape.row_shift = words.shift;
    out.position.assign(stream.position().begin(), stream.position().end());
    out.slices = (own + lanes - 1) / lanes;
    out.slice_begin.assign(stream.beat_begin().begin(),
                           stream.beat_begin().begin() + static_cast<std::ptrdiff_t>(out.slices + 1));
    const std::size_t entries = out.slice_begin.back() * lanes;
    out.column.assign(stream.column().begin(), stream.column().begin() + static_cast<std::ptrdiff_t>(entries));
    const std::size_t word_bytes = spec.coefficient.word_bits + 1 > kMostBits ? 8 : 4;
    out.coefficient.assign((entries * word_bytes + 7) / 8, 0);
    auto* bytes = reinterpret_cast<std::byte*>(out.coefficient.data());
    for (std::size_t k = 0; k < entries; ++k)
        if (const std::uint64_t e = stream.entry()[k]; e != sparse_core::RowStream::kPadding)
            store_word(bytes + k * word_bytes, word_bytes, static_cast<std::uint64_t>(words.value[e]));
    out.needed.resize(out.slices);
    std::uint64_t most = 0;
    for (std::uint64_t s = 0; s < out.slices; ++s) {
        for (std::uint64_t k = out.slice_begin[s] * lanes; k < out.slice_begin[s + 1] * lanes; ++k)
            if (out.column[k] < own) most = std::max<std::uint64_t>(most, out.column[k] / lanes + 1);
        out.needed[s] = most;
    }
    out.figures = stream.figures();
    out.coefficient_bits = std::max(spec.coefficient.word_bits, words.longest);
    // Of a core made for this matrix, in whole bytes, as the RTL core's traffic is counted.
    out.beat_bits = options.lanes * (out.coefficient_bits + stream.column_bits()) + 1;
    out.beat_bits = (out.beat_bits + 7) / 8 * 8;
    return out;
}

} // namespace mantissa::hls
