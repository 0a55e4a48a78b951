#include "mantissa/sim/sparse_core.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>
#include <variant>

#include <fmt/format.h>

#include "../integer_core.hpp"
#include "mantissa/fixed_rows.hpp"
#include "mantissa/sparse_core/limits.hpp"

namespace mantissa::sim {

namespace {

using sparse_core::kMostRowLog;

constexpr int kLeastDepth = 4;

/// Memories come in few depths: 2^10, 2^13, 2^16 and 2^20 rows of all lanes together, four words of a lane at least.
int depth_for(std::size_t rows, int lanes) {
    for (const int log : {10, 13, 16})
        if (rows <= std::size_t{1} << log) return std::max(kLeastDepth, (1 << log) / lanes);
    return static_cast<int>(kMostSparseRows) / lanes;
}

void put(std::vector<std::uint64_t>& words, std::size_t bit, std::uint64_t value, int bits) {
    value &= ~std::uint64_t{0} >> (64 - bits);
    words[bit / 64] |= value << (bit % 64);
    if (bit % 64 + static_cast<std::size_t>(bits) > 64) words[bit / 64 + 1] |= value >> (64 - bit % 64);
}

} // namespace

bool is_sparse_core(const CoreParameters& parameters) {
    return std::any_of(parameters.begin(), parameters.end(), [](const auto& p) { return p.first == "RowLog"; });
}

std::string sparse_core_refusal(const DatapathSpec& spec) {
    if (!spec.fixed_vectors()) return "the sparse core computes in fixed-point words; give a datapath such as fx18.16";
    return integer_core_refusal(spec);
}

std::string sparse_core_refusal(const DatapathSpec& spec, const System& system) {
    if (std::string why = sparse_core_refusal(spec); !why.empty()) return why;
    return sparse_core::refusal(spec, system);
}

SparseStream::SparseStream(const CompressedRows& matrix, const DatapathSpec& spec, bool fitted)
    : order(matrix, {.lanes = spec.lanes}) {
    const fixed::ProductRows rows = fixed::product_rows(matrix, spec);
    const int lanes = spec.lanes;
    coefficient_bits = std::max(spec.coefficient.word_bits, rows.longest);
    shift = rows.shift;
    row_log = rows.terms <= 1 << 12 ? 12 : kMostRowLog;
    depth = fitted ? std::max(kLeastDepth, static_cast<int>(order.slices())) : depth_for(matrix.rows(), lanes);
    const int whole = std::bit_width(static_cast<unsigned>(depth - 1));
    address_field = order.delta() ? std::min(whole, (order.delta_bits() + 3) / 4 * 4) : whole;

    const int entry_bits = coefficient_bits + address_field + order.bank_bits();
    const std::size_t bits = static_cast<std::size_t>(lanes) * static_cast<std::size_t>(entry_bits) + 1;
    // Traffic is that of a core made for this matrix, whose addresses have the bits that simulate prints. Those above
    // them are of the model, which systems share; no memory would hold or move them.
    const int least_entry_bits = coefficient_bits + order.column_bits();
    beat_bytes = static_cast<std::uint32_t>((lanes * least_entry_bits + 1 + 7) / 8);
    beat_words = (bits + 63) / 64;
    beats.assign(order.beats() * beat_words, 0);
    std::vector<std::uint64_t> beat(beat_words + 1);
    for (std::size_t s = 0; s < order.slices(); ++s)
        for (std::uint64_t b = order.beat_begin()[s]; b < order.beat_begin()[s + 1]; ++b) {
            std::fill(beat.begin(), beat.end(), 0);
            std::array<std::uint64_t, 2> read{}; // banks, by the port: padding reads too
            for (int l = 0; l < lanes; ++l) {
                const std::size_t at = static_cast<std::size_t>(l) * static_cast<std::size_t>(entry_bits);
                const std::uint64_t entry = order.entry()[b * static_cast<unsigned>(lanes) + static_cast<unsigned>(l)];
                const std::uint64_t column = order.column_field(b, l, s, address_field);
                put(beat, at, column, address_field + order.bank_bits());
                std::uint64_t& banks = read[static_cast<std::size_t>(std::popcount(static_cast<unsigned>(l)) & 1)];
                const std::uint64_t bank = std::uint64_t{1} << (column & ((std::uint64_t{1} << order.bank_bits()) - 1));
                if (lanes > 2 && (banks & bank) != 0)
                    throw std::logic_error(fmt::format("sparse core: two lanes read one port in beat {}", b));
                banks |= bank;
                if (entry != sparse_core::RowStream::kPadding)
                    put(beat, at + static_cast<std::size_t>(address_field + order.bank_bits()),
                        static_cast<std::uint64_t>(rows.value[entry]), coefficient_bits);
            }
            if (b + 1 == order.beat_begin()[s + 1]) put(beat, bits - 1, 1, 1);
            std::copy_n(beat.begin(), beat_words, beats.begin() + static_cast<std::ptrdiff_t>(b * beat_words));
        }
}

CoreParameters sparse_core_parameters(const DatapathSpec& spec, const SparseStream& stream) {
    CoreParameters list = integer_core_parameters(spec);
    std::erase_if(list, [](const auto& p) { return p.first == "CoefW"; });
    list.emplace_back("CoefW", stream.coefficient_bits);
    list.emplace_back("RowShift", stream.shift);
    list.emplace_back("LenW", 24);
    list.emplace_back("Depth", stream.depth);
    list.emplace_back("AddressW", stream.address_field);
    list.emplace_back("RowLog", stream.row_log);
    return list;
}

} // namespace mantissa::sim
