// What the HLS datapath does not run.
#include <algorithm>
#include <bit>
#include <cstdlib>

#include <fmt/format.h>

#include "mantissa/fixed_rows.hpp"
#include "mantissa/hls/kernel.hpp"
#include "mantissa/hls/sparse_kernel.hpp"
#include "mantissa/row_forms.hpp"

namespace mantissa::hls {

namespace {

/// The longest words of r, p, q and the coefficients, and of u.
constexpr int kMostBits = 32, kMostBitsOfU = Format::kMaxDoubleWord;
/// r on p's grid and row sums of a constant stencil stay below 2 to this.
constexpr int kMostMovedBits = 60, kMostSumBits = 62;

std::string formats_refusal(const std::string& engine, const DatapathSpec& spec) {
    const DotSpec& dot = spec.dot;
    const bool sums = !dot.fixed && !dot.exact;
    for (const Format& f : {spec.u, spec.r, spec.p, spec.q, spec.coefficient, spec.operand, spec.row, spec.scalar,
                            sums ? dot.accumulator : spec.r, dot.exact_product ? spec.r : dot.product})
        if (!f.flushes())
            return fmt::format("engine '{}': datapath '{}' has a format with subnormals ({}), and the hardware flushes "
                               "them; leave out ':subnormals' and the IEEE names, or use the emulated engine",
                               engine, to_string(spec), to_string(f));
    return {};
}

std::string words_refusal(const std::string& engine, const DatapathSpec& spec) {
    if (spec.moves())
        return fmt::format("engine '{}': point=moving: its binary points stand still; leave it out or use the emulated "
                           "engine",
                           engine);
    if (!spec.dot.exact)
        return fmt::format("engine '{}': datapath '{}' has a window for its dot products, and here words have exact "
                           "ones: write dot=exact or use the emulated engine",
                           engine, to_string(spec));
    for (const auto& [key, f, most] : {std::tuple{"u", spec.u, kMostBitsOfU},
                                       {"r", spec.r, kMostBits},
                                       {"p", spec.p, kMostBits},
                                       {"q", spec.q, kMostBits},
                                       {"coef", spec.coefficient, kMostBits}})
        if (f.is_fixed() && f.word_bits > most)
            return fmt::format("engine '{}': {}={}: its words have at most {} bits; take shorter ones or use the "
                               "emulated engine",
                               engine, key, to_string(f), most);
    if (const int bits = spec.r.word_bits + spec.p.fraction_bits - spec.r.fraction_bits; bits > kMostMovedBits)
        return fmt::format("engine '{}': words of r={} take {} bits on the grid of p={}, and it has {}: bring their "
                           "points nearer or use the emulated engine",
                           engine, to_string(spec.r), bits, to_string(spec.p), kMostMovedBits);
    return {};
}

/// Integers of a constant stencil without the power of two that they have in common.
std::string stencil_refusal(const std::string& engine, const System& system, const DatapathSpec& spec) {
    std::int64_t magnitudes = 0, largest = 0;
    for (const fixed::Word c : fixed::stencil_row(std::get<Stencil>(system.matrix()), spec).coefficient) {
        magnitudes += std::abs(c);
        largest = std::max<std::int64_t>(largest, std::abs(c));
    }
    const int bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(magnitudes))) + spec.p.word_bits - 1;
    if (largest < std::int64_t{1} << 30 && bits <= kMostSumBits) return {};
    return fmt::format("engine '{}': the stencil's integers in coef={} reach {} and its row sums {} bits, and it has "
                       "integers below 2^30 and sums of {} bits: shorten coef= or p=, or use the emulated engine",
                       engine, to_string(spec.coefficient), largest, bits, kMostSumBits);
}

std::string matrix_refusal(const std::string& engine, const DatapathSpec& spec, const System& system) {
    if (system.kind() == System::Kind::sparse) return sparse_refusal(engine, spec, system);
    if (system.row_length() > static_cast<std::size_t>(mantissa_hls::kMaxRow))
        return fmt::format("engine '{}': rows of {} elements, and its line buffer holds {}; take a smaller grid or the "
                           "emulated engine",
                           engine, system.row_length(), mantissa_hls::kMaxRow);
    if (std::string why = row_form_refusal(spec.order, system); !why.empty()) return why;
    if (!spec.fixed_vectors()) return {};
    try {
        if (system.kind() == System::Kind::stencil) return stencil_refusal(engine, system, spec);
        (void)fixed::flux_rows(system, spec);
    } catch (const InvalidInput& e) {
        return fmt::format("engine '{}': datapath '{}': {}", engine, to_string(spec), e.what());
    }
    return {};
}

} // namespace

std::string refusal(const std::string& engine, const DatapathSpec& spec, const System& system,
                    const SessionOptions& options) {
    try {
        spec.validate();
    } catch (const InvalidInput& e) {
        return e.what();
    }
    if (std::string why = free_sums_refusal(spec); !why.empty()) return why;
    if (std::string why = blocks_refusal(spec, fmt::format("engine '{}'", engine)); !why.empty()) return why;
    if (options.recurrence == Recurrence::plain)
        return fmt::format(
            "engine '{}': it is a pipelined datapath and has no plain recurrence; use the emulated engine", engine);
    if (options.recurrence == Recurrence::chebyshev && system.kind() == System::Kind::sparse)
        return fmt::format(
            "engine '{}': recurrence chebyshev: its datapath of sparse rows runs pipelined CG only; take "
            "a grid, or the emulated engine",
            engine);
    if (std::string why = formats_refusal(engine, spec); !why.empty()) return why;
    if (spec.fixed_vectors())
        if (std::string why = words_refusal(engine, spec); !why.empty()) return why;
    return matrix_refusal(engine, spec, system);
}

} // namespace mantissa::hls
