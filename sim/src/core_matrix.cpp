#include "core_matrix.hpp"

#include <algorithm>

#include "mantissa/exact.hpp"
#include "mantissa/fixed_rows.hpp"

namespace mantissa::sim {

namespace {

CoreMatrix streamed(std::size_t streams, std::size_t size, int lanes, int bits) {
    CoreMatrix matrix;
    matrix.streams.assign(streams, Beats(size, lanes, bits));
    matrix.stream_bits = bits;
    return matrix;
}

CoreMatrix integer_matrix(const System& system, const DatapathSpec& spec) {
    CoreMatrix matrix;
    matrix.constant = system.kind() == System::Kind::stencil;
    if (matrix.constant) return matrix; // its integers are parameters
    const fixed::FluxRows rows = fixed::flux_rows(system, spec);
    const int bits = std::max(spec.coefficient.word_bits, rows.longest);
    matrix = streamed(rows.row_sum.empty() ? kWeights : kWeights + 1, system.size(), spec.lanes, bits);
    for (std::size_t k = 0; k < matrix.streams.size(); ++k) {
        const std::vector<fixed::Word>& words = k < kWeights ? rows.weight[k] : rows.row_sum;
        for (std::size_t i = 0; i < words.size(); ++i) matrix.streams[k].set(i, static_cast<std::uint64_t>(words[i]));
    }
    return matrix;
}

} // namespace

CoreMatrix core_matrix(const System& system, const DatapathSpec& spec) {
    if (spec.fixed_vectors()) return integer_matrix(system, spec);
    const Format& f = spec.coefficient;
    const auto bits = [&](double value) { return encode(f, exact::convert(f, value)); };
    if (system.kind() == System::Kind::stencil) {
        CoreMatrix matrix;
        matrix.constant = true;
        for (std::size_t b = 0; b < kBands; ++b)
            matrix.registers[b] = bits(std::get<Stencil>(system.matrix()).coefficients()[b]);
        return matrix;
    }
    CoreMatrix matrix = streamed(kBands, system.size(), spec.lanes, f.width());
    for (std::size_t b = 0; b < kBands; ++b) {
        const std::vector<double>& band = std::get<Bands>(system.matrix()).band(b);
        for (std::size_t i = 0; i < band.size(); ++i) matrix.streams[b].set(i, bits(band[i]));
    }
    return matrix;
}

} // namespace mantissa::sim
