#include "fixed_matrix.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

namespace mantissa::detail {

namespace {

using fixed::Wide;
using fixed::Word;
constexpr std::size_t kCentre = 4;
/// Row sums below this part of the row's magnitudes are rounding errors of the assembly: nine entries, each within
/// 2^-53 of itself, and eight additions.
constexpr double kZeroSum = 0x1p-50;

class Rounder {
public:
    Rounder(const Format& f, FixedMatrix& matrix) : format_(f), matrix_(matrix) {}

    [[nodiscard]] Word round(double value, std::size_t row, std::size_t column) {
        const fixed::Rounded rounded = fixed::from_double(format_, value);
        if (rounded.overflow) refuse(value, row, column, format_.word_bits);
        note(rounded.word);
        return rounded.word;
    }
    /// One on the diagonal, which has a bit more.
    [[nodiscard]] Word diagonal(double value, std::size_t row) {
        Format wider = format_;
        ++wider.word_bits;
        const fixed::Rounded rounded = fixed::from_double(wider, value);
        if (rounded.overflow) refuse(value, row, row, wider.word_bits);
        note(rounded.word);
        return rounded.word;
    }
    /// The diagonal word of a row whose words off the diagonal sum to `others`: rounded row sum minus these.
    [[nodiscard]] Word kept(double sum, double magnitudes, Wide others, double value, std::size_t row) {
        Format wider = format_;
        ++wider.word_bits;
        const double c = std::abs(sum) <= kZeroSum * magnitudes ? 0.0 : sum;
        const fixed::Rounded rounded = fixed::from_double(wider, c);
        const Wide word = Wide{rounded.word} - others;
        if (rounded.overflow || word > fixed::max_word(wider) || word < fixed::min_word(wider))
            refuse(value, row, row, wider.word_bits);
        note(static_cast<Word>(word));
        return static_cast<Word>(word);
    }

private:
    void note(Word word) { matrix_.longest = std::max(matrix_.longest, fixed::bits_of(word)); }
    [[noreturn]] void refuse(double value, std::size_t row, std::size_t column, int bits) const {
        throw InvalidInput(fmt::format("coefficient ({}, {}) is {} and does not fit {} bits with {} of them fraction: "
                                       "scale the equation by a power of two or give coef= more integer bits",
                                       row + 1, column + 1, value, bits, format_.fraction_bits));
    }

    Format format_;
    FixedMatrix& matrix_;
};

/// Nine words of a row from nine coefficients.
template <class At, class Put>
void round_row(Rounder& rounder, std::size_t i, std::size_t row_length, At&& at, Put&& put) {
    double sum = 0, magnitudes = 0;
    Wide others = 0;
    for (std::size_t b = 0; b < kBands; ++b) {
        const double value = at(b);
        sum += value;
        magnitudes += std::abs(value);
        if (b == kCentre) continue;
        const auto j =
            static_cast<std::size_t>(static_cast<std::ptrdiff_t>(i) + band_offset(static_cast<int>(b), row_length));
        const Word word = value == 0 ? 0 : rounder.round(value, i, j);
        others += word;
        put(b, word);
    }
    put(kCentre, magnitudes == 0 ? 0 : rounder.kept(sum, magnitudes, others, at(kCentre), i));
}

/// A constant stencil's coefficients are constants of a datapath, not words that are stored: up to 53 bits long.
void load(const Stencil& m, const Format& format, FixedMatrix& out) {
    Rounder rounder(Format::fixed(Format::kMaxDoubleWord, format.fraction_bits, format.rounding), out);
    out.grid_rows = m.rows();
    const std::size_t inside = m.row_length() + 1; // the first node that is not on the edge
    round_row(
        rounder, inside, m.row_length(), [&](std::size_t b) { return m.coefficients()[b]; },
        [&](std::size_t b, Word word) { out.stencil[b] = word; });
}

void load(const Bands& m, Rounder& rounder, FixedMatrix& out) {
    for (auto& band : out.bands) band.resize(m.size());
    for (std::size_t i = 0; i < m.size(); ++i)
        round_row(
            rounder, i, m.row_length(), [&](std::size_t b) { return m.band(b)[i]; },
            [&](std::size_t b, Word word) { out.bands[b][i] = word; });
}

/// Row sums come as they are; each coupling's word serves both of its rows.
void load(const SymmetricBands& m, Rounder& rounder, FixedMatrix& out) {
    out.kind = System::Kind::bands;
    for (auto& band : out.bands) band.resize(m.size());
    for (std::size_t i = 0; i < m.size(); ++i) {
        double magnitudes = 0;
        Wide others = 0;
        for (std::size_t b = 0; b < kBands; ++b) {
            const double value = m.coefficient(b, i);
            magnitudes += std::abs(value);
            if (b == kCentre || value == 0) continue;
            const auto j = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(i) +
                                                    band_offset(static_cast<int>(b), m.row_length()));
            out.bands[b][i] = rounder.round(value, i, j);
            others += out.bands[b][i];
        }
        const double sum = m.row_sums().empty() ? 0.0 : m.row_sums()[i];
        if (magnitudes != 0) out.bands[kCentre][i] = rounder.kept(sum, magnitudes, others, m.diagonal(i), i);
    }
}

void load(const CompressedRows& m, Rounder& rounder, FixedMatrix& out) {
    out.row_begin = m.row_begin();
    out.column = m.column();
    out.value.resize(m.nonzeros());
    out.terms = 1;
    for (std::size_t i = 0; i < m.rows(); ++i) {
        out.terms = std::max(out.terms, static_cast<int>(m.row_begin()[i + 1] - m.row_begin()[i]));
        for (std::uint64_t k = m.row_begin()[i]; k < m.row_begin()[i + 1]; ++k) {
            const std::size_t j = m.column()[k];
            out.value[k] = i == j ? rounder.diagonal(m.value()[k], i) : rounder.round(m.value()[k], i, j);
        }
    }
}

} // namespace

FixedMatrix fixed_matrix(const System& system, const Format& coefficient) {
    FixedMatrix matrix;
    matrix.kind = system.kind();
    matrix.size = system.size();
    matrix.row_length = system.row_length();
    Rounder rounder(coefficient, matrix);
    std::visit(Overloaded{[&](const Stencil& m) { load(m, coefficient, matrix); },
                          [&](const auto& m) { load(m, rounder, matrix); }},
               system.matrix());
    return matrix;
}

void forget_rows(FixedMatrix& matrix, std::span<const std::uint32_t> ghosts) {
    if (matrix.kind != System::Kind::bands) return;
    for (auto& band : matrix.bands)
        for (const std::uint32_t i : ghosts) band[i] = 0;
}

Wide row_sum(const FixedMatrix& matrix, const Word* p, std::size_t i) {
    Wide sum = 0;
    if (matrix.kind == System::Kind::sparse) {
        for (std::uint64_t k = matrix.row_begin[i]; k < matrix.row_begin[i + 1]; ++k)
            sum += Wide{matrix.value[k]} * p[matrix.column[k]];
        return sum;
    }
    const bool constant = matrix.kind == System::Kind::stencil;
    if (constant) {
        const std::size_t column = i % matrix.row_length, grid_row = i / matrix.row_length;
        if (column == 0 || column == matrix.row_length - 1 || grid_row == 0 || grid_row == matrix.grid_rows - 1)
            return 0;
    }
    for (int b = 0; b < kBands; ++b) {
        const std::ptrdiff_t j = static_cast<std::ptrdiff_t>(i) + band_offset(b, matrix.row_length);
        if (j < 0 || j >= static_cast<std::ptrdiff_t>(matrix.size)) continue;
        sum += Wide{constant ? matrix.stencil[static_cast<std::size_t>(b)]
                             : matrix.bands[static_cast<std::size_t>(b)][i]} *
               p[j];
    }
    return sum;
}

int common_power(const std::array<Word, kBands>& stencil) {
    int common = 64;
    for (const Word c : stencil)
        if (c != 0) common = std::min(common, std::countr_zero(static_cast<std::uint64_t>(c)));
    return common == 64 ? 0 : common;
}

std::string fixed_refusal(const System& system, const DatapathSpec& spec) {
    FixedMatrix matrix;
    try {
        matrix = fixed_matrix(system, spec.coefficient);
    } catch (const InvalidInput& e) {
        return fmt::format("datapath '{}': {}", to_string(spec), e.what());
    }
    const int bits = matrix.longest + spec.p.word_bits + std::bit_width(static_cast<unsigned>(matrix.terms));
    if (bits > 126)
        return fmt::format("datapath '{}': rows of {} products take {} bits, and sums have 126: shorten coef= or p=",
                           to_string(spec), matrix.terms, bits);
    return {};
}

} // namespace mantissa::detail
