#include "mantissa/sim/sparse_core.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <variant>

#include <fmt/format.h>

#include "../integer_core.hpp"
#include "mantissa/fixed_rows.hpp"

namespace mantissa::sim {

namespace {

/// Symmetric but for the roundings of who scaled the matrix.
bool same(double a, double b) {
    return a == b || std::abs(a - b) <= 0x1p-40 * std::max(std::abs(a), std::abs(b));
}

/// One line where a(i, j) is not a(j, i), or where the diagonal of a row that is not empty is not above zero.
std::string matrix_refusal(const CompressedRows& a) {
    const auto& begin = a.row_begin();
    // Rows in order take each column's entries from the top down, so every entry's mirror is where its column stands.
    std::vector<std::uint64_t> next(begin.begin(), begin.end() - 1);
    const auto asymmetric = [&](std::size_t row, std::uint32_t column) {
        return fmt::format(
            "the sparse core takes symmetric matrices, and a({}, {}) is not a({}, {}), counted from 0; give a "
            "symmetric one",
            row, column, column, row);
    };
    for (std::size_t i = 0; i < a.rows(); ++i) {
        bool positive = begin[i] == begin[i + 1];
        for (std::uint64_t e = begin[i]; e < begin[i + 1]; ++e) {
            const std::uint32_t j = a.column()[e];
            const std::uint64_t mirror = next[j]++;
            if (mirror >= begin[j + 1] || a.column()[mirror] != i || !same(a.value()[mirror], a.value()[e]))
                return asymmetric(i, j);
            if (j == i) positive = a.value()[e] > 0;
        }
        if (!positive)
            return fmt::format("the sparse core takes positive definite matrices, and the diagonal of row {}, counted "
                               "from 0, is not above zero; give another matrix",
                               i);
    }
    return {};
}

constexpr int kMostCoefficient = 33; // a bit more than a format's, as for the diagonal of Jacobi scaling
constexpr int kMostRowLog = 20;

/// Memories come in few depths: 2^10, 2^13, 2^16 and 2^20 rows of all lanes together, four words of a lane at least.
int depth_for(std::size_t rows, int lanes) {
    for (const int log : {10, 13, 16})
        if (rows <= std::size_t{1} << log) return std::max(4, (1 << log) / lanes);
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
    const auto* matrix = std::get_if<CompressedRows>(&system.matrix());
    if (matrix == nullptr) return "the sparse core takes sparse rows; grids run on the integer core";
    if (matrix->rows() > kMostSparseRows)
        return fmt::format("{} rows are too many for the sparse core's memory on the chip, which holds {}; use engine "
                           "emulated or gpu",
                           matrix->rows(), kMostSparseRows);
    if (std::string why = matrix_refusal(*matrix); !why.empty()) return why;
    try {
        const fixed::ProductRows rows = fixed::product_rows(system, spec);
        if (rows.longest > kMostCoefficient)
            return fmt::format("the sparse core's coefficients have at most {} bits, and one takes {}; shorten coef=",
                               kMostCoefficient, rows.longest);
        if (rows.terms > 1 << kMostRowLog)
            return fmt::format("a row has {} entries, and the sparse core adds {} at most", rows.terms,
                               1 << kMostRowLog);
    } catch (const InvalidInput& e) {
        return e.what();
    }
    return {};
}

SparseStream::SparseStream(const CompressedRows& matrix, const DatapathSpec& spec)
    : order(matrix, {.lanes = spec.lanes}) {
    const fixed::ProductRows rows = fixed::product_rows(matrix, spec);
    const int lanes = spec.lanes;
    coefficient_bits = std::max(spec.coefficient.word_bits, rows.longest);
    shift = rows.shift;
    row_log = rows.terms <= 1 << 12 ? 12 : kMostRowLog;
    depth = depth_for(matrix.rows(), lanes);
    const int whole = std::bit_width(static_cast<unsigned>(depth - 1));
    address_field = order.delta() ? std::min(whole, (order.delta_bits() + 3) / 4 * 4) : whole;

    const int entry_bits = coefficient_bits + address_field + order.bank_bits();
    const std::size_t bits = static_cast<std::size_t>(lanes) * static_cast<std::size_t>(entry_bits) + 1;
    beat_bytes = static_cast<std::uint32_t>((bits + 7) / 8);
    beat_words = (bits + 63) / 64;
    beats.assign(order.beats() * beat_words, 0);
    std::vector<std::uint64_t> beat(beat_words + 1);
    for (std::size_t s = 0; s < order.slices(); ++s)
        for (std::uint64_t b = order.beat_begin()[s]; b < order.beat_begin()[s + 1]; ++b) {
            std::fill(beat.begin(), beat.end(), 0);
            for (int l = 0; l < lanes; ++l) {
                const std::size_t at = static_cast<std::size_t>(l) * static_cast<std::size_t>(entry_bits);
                const std::uint64_t entry = order.entry()[b * static_cast<unsigned>(lanes) + static_cast<unsigned>(l)];
                put(beat, at, order.column_field(b, l, s, address_field), address_field + order.bank_bits());
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
