#include "integer_core.hpp"

#include <bit>

#include <fmt/format.h>

#include "mantissa/fixed_rows.hpp"

namespace mantissa::sim {

namespace {

constexpr int kLeastWord = 3, kMostWord = 32;
constexpr fixed::Word kStencilLimit = fixed::Word{1} << 30;

std::string matrix_refusal(const fixed::StencilRow& row) {
    for (std::size_t b = 0; b < kBands; ++b)
        if (row.coefficient[b] >= kStencilLimit || row.coefficient[b] <= -kStencilLimit)
            return fmt::format("the integer core's stencils are integers below 2^30, and the {} one is {}; give coef= "
                               "fewer fraction bits",
                               neighbour_name(b), row.coefficient[b]);
    return {};
}

std::string matrix_refusal(const fixed::FluxRows& rows) {
    if (rows.longest > kMostWord)
        return fmt::format("the integer core's coefficients have at most {} bits, and a row sum or weight takes {}; "
                           "shorten coef=",
                           kMostWord, rows.longest);
    return {};
}

} // namespace

std::string integer_core_refusal(const DatapathSpec& spec) {
    if (!spec.u.is_fixed())
        return fmt::format("the integer core keeps u in fixed-point words too, and u= is {}; give u=fx<W>.<F>, of at "
                           "most {} bits",
                           to_string(spec.u), Format::kMaxDoubleWord);
    if (spec.moves()) return "the integer core's binary point stays where it is; leave out point=moving";
    if (!spec.dot.exact) return "the integer core's dot products are exact; leave out dot=";
    struct Named {
        const char* name;
        const Format& format;
        int most;
    };
    for (const Named& n :
         {Named{"u", spec.u, Format::kMaxDoubleWord}, Named{"r", spec.r, kMostWord}, Named{"p", spec.p, kMostWord},
          Named{"q", spec.q, kMostWord}, Named{"coef", spec.coefficient, kMostWord}})
        if (n.format.word_bits > n.most)
            return fmt::format("the integer core's words have at most {} bits in {}=, and {} has {}; shorten it",
                               n.most, n.name, to_string(n.format), n.format.word_bits);
        else if (n.format.word_bits < kLeastWord)
            return fmt::format("the integer core's words have at least {} bits in {}=, and {} has {}; give fx{}.{}",
                               kLeastWord, n.name, to_string(n.format), n.format.word_bits, kLeastWord,
                               n.format.fraction_bits);
    for (const Named& n : {Named{"operand", spec.operand, 0}, Named{"scalar", spec.scalar, 0}}) {
        if (!n.format.flushes())
            return fmt::format("the RTL core flushes subnormals and {}= is {}; use {}", n.name, to_string(n.format),
                               to_string(n.format.with(Subnormals::flush)));
        if (n.format.canonical().overflow == Overflow::saturate)
            return fmt::format("the RTL core has no saturating nearest-even and {}= is {}; leave out sat", n.name,
                               to_string(n.format));
    }
    return {};
}

std::string integer_core_refusal(const DatapathSpec& spec, const System& system) {
    if (system.kind() == System::Kind::bands)
        if (const std::string why = asymmetry(std::get<Bands>(system.matrix())); !why.empty())
            return "the integer core forms every row of bands as fluxes, whatever order= says: " + why;
    try {
        if (system.kind() == System::Kind::stencil)
            return matrix_refusal(fixed::stencil_row(std::get<Stencil>(system.matrix()), spec));
        return matrix_refusal(fixed::flux_rows(system, spec));
    } catch (const InvalidInput& e) {
        return e.what();
    }
}

CoreParameters integer_core_parameters(const DatapathSpec& spec) {
    CoreParameters list;
    const auto word = [&](const std::string& prefix, const Format& f) {
        list.emplace_back(prefix + "W", f.word_bits);
        list.emplace_back(prefix + "F", f.fraction_bits);
        list.emplace_back(prefix + "Down", f.rounding == Rounding::down ? 1 : 0);
    };
    const auto floating = [&](const std::string& prefix, const Format& f) {
        list.emplace_back(prefix + "ExpW", f.exponent_bits);
        list.emplace_back(prefix + "FracW", f.fraction_bits);
        list.emplace_back(prefix + "Rne", f.rounding == Rounding::nearest_even ? 1 : 0);
    };
    word("U", spec.u);
    word("R", spec.r);
    word("P", spec.p);
    word("Q", spec.q);
    list.emplace_back("CoefW", spec.coefficient.word_bits);
    list.emplace_back("CoefF", spec.coefficient.fraction_bits);
    floating("Operand", spec.operand);
    floating("Scalar", spec.scalar);
    list.emplace_back("Lanes", spec.lanes);
    return list;
}

CoreParameters matrix_parameters(const DatapathSpec& spec, const System& system) {
    CoreParameters list;
    if (system.kind() == System::Kind::stencil) {
        const fixed::StencilRow row = fixed::stencil_row(std::get<Stencil>(system.matrix()), spec);
        if (const std::string why = matrix_refusal(row); !why.empty()) throw InvalidInput(why);
        list.emplace_back("CoefMode", 1);
        for (std::size_t b = 0; b < kBands; ++b)
            list.emplace_back(fmt::format("S{}", b), static_cast<int>(row.coefficient[b]));
        list.emplace_back("RowShift", row.shift);
        return list;
    }
    const fixed::FluxRows rows = fixed::flux_rows(system, spec);
    if (const std::string why = matrix_refusal(rows); !why.empty()) throw InvalidInput(why);
    list.emplace_back("CoefMode", 0);
    list.emplace_back("RowSums", rows.row_sum.empty() ? 0 : 1);
    list.emplace_back("CoefW", std::max(spec.coefficient.word_bits, rows.longest));
    list.emplace_back("RowShift", rows.shift);
    return list;
}

int length_bits(std::size_t size) {
    int bits = 20;
    while (bits < 32 && size >> bits != 0) bits += 4;
    return bits;
}

} // namespace mantissa::sim
