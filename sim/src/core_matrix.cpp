#include "core_matrix.hpp"

#include <algorithm>

#include "mantissa/exact.hpp"
#include "mantissa/fixed_rows.hpp"
#include "mantissa/sim/core_parameters.hpp"

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
        std::ranges::transform(core_coefficients(spec.order, std::get<Stencil>(system.matrix())),
                               matrix.registers.begin(), bits);
        return matrix;
    }
    std::vector<const std::vector<double>*> numbers;
    if (const auto* const bands = std::get_if<Bands>(&system.matrix()); bands != nullptr) {
        for (std::size_t b = 0; b < kBands; ++b) numbers.push_back(&bands->band(b));
    } else {
        const auto& m = std::get<SymmetricBands>(system.matrix());
        for (const std::vector<double>& weight : m.weights()) numbers.push_back(&weight);
        if (!m.row_sums().empty()) numbers.push_back(&m.row_sums());
    }
    CoreMatrix matrix = streamed(numbers.size(), system.size(), spec.lanes, f.width());
    for (std::size_t k = 0; k < numbers.size(); ++k)
        for (std::size_t i = 0; i < numbers[k]->size(); ++i) matrix.streams[k].set(i, bits((*numbers[k])[i]));
    return matrix;
}

} // namespace mantissa::sim
