// A system as the kernel takes it: words in registers for a constant stencil, else in streams.
#include <algorithm>
#include <bit>

#include "emulated/fixed_matrix.hpp"
#include "mantissa/exact.hpp"
#include "mantissa/hls/kernel.hpp"
#include "mantissa/row_forms.hpp"

namespace mantissa::hls {

namespace {

constexpr std::size_t kCentre = 4;
using mantissa_hls::Shape;

class Loader {
public:
    Loader(const DatapathSpec& spec, LoadedMatrix& out) : spec_(spec), out_(out) {}

    void operator()(const Stencil& m) {
        Shape& s = out_.shape;
        s.stencil = 1;
        if (adds_products(spec_.order)) {
            std::ranges::transform(m.coefficients(), s.coefficient, [this](double c) { return word(c); });
        } else if (spec_.order == RowOrder::flux) {
            const StencilFluxes f = *fluxes(m);
            std::ranges::transform(f.weight, s.coefficient, [this](double w) { return word(w); });
            with_row_sum(kWeights, f.c);
        } else {
            const SecondDifferences d = *second_differences(m);
            s.coefficient[0] = word(d.alpha);
            s.coefficient[1] = word(d.beta);
            s.coefficient[2] = word(d.gamma);
            with_row_sum(3, d.c);
        }
    }
    void operator()(const Bands& m) {
        out_.shape.streams = kBands;
        for (std::size_t b = 0; b < kBands; ++b) stream(b, m.band(b));
    }
    void operator()(const SymmetricBands& m) {
        out_.shape.row_sums = m.row_sums().empty() ? 0 : 1;
        out_.shape.streams = kWeights + out_.shape.row_sums;
        for (std::size_t d = 0; d < kWeights; ++d) stream(d, m.weight(d));
        stream(kWeights, m.row_sums());
    }
    void operator()(const CompressedRows&) {} // refusal() has refused it

private:
    [[nodiscard]] std::uint64_t word(double x) const {
        return to_word(spec_.coefficient, exact::convert(spec_.coefficient, x));
    }
    void with_row_sum(std::size_t place, double c) {
        out_.shape.coefficient[place] = word(c);
        out_.shape.row_sums = c != 0 ? 1 : 0;
    }
    void stream(std::size_t k, const std::vector<double>& values) {
        out_.stream[k].resize(values.size());
        std::ranges::transform(values, out_.stream[k].begin(), [this](double x) { return word(x); });
    }

    const DatapathSpec& spec_;
    LoadedMatrix& out_;
};

/// A stencil's integers, short: a power of two that they have in common is a shift of the sum.
void load_words(const detail::FixedMatrix& m, LoadedMatrix& out, std::int32_t shift) {
    out.shape.row_shift = shift;
    if (m.kind == System::Kind::stencil) {
        out.shape.stencil = 1;
        std::uint64_t all = 0;
        for (const fixed::Word c : m.stencil) all |= static_cast<std::uint64_t>(c);
        const int common = all == 0 ? 0 : std::countr_zero(all);
        std::ranges::transform(m.stencil, out.shape.coefficient,
                               [common](fixed::Word c) { return static_cast<std::uint64_t>(c >> common); });
        out.shape.row_shift -= common;
        return;
    }
    std::array<std::vector<std::uint64_t>, kWeights + 1> streams;
    for (std::size_t d = 0; d < kWeights; ++d) {
        streams[d].resize(m.size);
        std::ranges::transform(m.bands[weight_band(d)], streams[d].begin(),
                               [](fixed::Word a) { return static_cast<std::uint64_t>(-a); });
    }
    auto& sums = streams[kWeights];
    sums.resize(m.size);
    bool any = false;
    for (std::size_t i = 0; i < m.size; ++i) {
        fixed::Word sum = m.bands[kCentre][i];
        for (std::size_t b = 0; b < kBands; ++b)
            if (b != kCentre) sum += m.bands[b][i];
        sums[i] = static_cast<std::uint64_t>(sum);
        any |= sum != 0;
    }
    out.shape.row_sums = any ? 1 : 0;
    out.shape.streams = kWeights + out.shape.row_sums;
    for (std::size_t k = 0; k < out.shape.streams; ++k) out.stream[k] = std::move(streams[k]);
}

} // namespace

LoadedMatrix load_matrix(const System& system, const DatapathSpec& spec) {
    LoadedMatrix out;
    if (spec.fixed_vectors()) {
        load_words(detail::fixed_matrix(system, spec.coefficient), out,
                   spec.coefficient.fraction_bits + spec.p.fraction_bits - spec.q.fraction_bits);
    } else {
        const std::optional<System> converted = converted_for(spec.order, system);
        std::visit(Loader(spec, out), (converted ? *converted : system).matrix());
    }
    out.shape.size = system.size();
    out.shape.row_length = static_cast<std::uint32_t>(system.row_length());
    return out;
}

} // namespace mantissa::hls
