// A system as the kernel takes it: words in registers for a constant stencil, else in streams.
#include <algorithm>

#include "mantissa/exact.hpp"
#include "mantissa/fixed_rows.hpp"
#include "mantissa/hls/kernel.hpp"
#include "mantissa/row_forms.hpp"

namespace mantissa::hls {

namespace {

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
    void operator()(const CompressedRows&) {} // has a loader of its own

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

void load_words(const System& system, const DatapathSpec& spec, LoadedMatrix& out) {
    const auto words = [](const auto& from, auto to) {
        std::ranges::transform(from, to, [](fixed::Word w) { return static_cast<std::uint64_t>(w); });
    };
    Shape& s = out.shape;
    if (const Stencil* const stencil = std::get_if<Stencil>(&system.matrix())) {
        const fixed::StencilRow row = fixed::stencil_row(*stencil, spec);
        s.stencil = 1;
        s.row_shift = row.shift;
        words(row.coefficient, s.coefficient);
        return;
    }
    const fixed::FluxRows rows = fixed::flux_rows(system, spec);
    s.row_shift = rows.shift;
    out.longest = rows.longest;
    s.row_sums = rows.row_sum.empty() ? 0 : 1;
    s.streams = kWeights + s.row_sums;
    for (std::size_t k = 0; k < s.streams; ++k) {
        const auto& from = k < kWeights ? rows.weight[k] : rows.row_sum;
        out.stream[k].resize(from.size());
        words(from, out.stream[k].begin());
    }
}

} // namespace

LoadedMatrix load_matrix(const System& system, const DatapathSpec& spec) {
    LoadedMatrix out;
    if (spec.fixed_vectors()) {
        load_words(system, spec, out);
    } else {
        const std::optional<System> converted = converted_for(spec.order, system);
        std::visit(Loader(spec, out), (converted ? *converted : system).matrix());
    }
    out.shape.size = system.size();
    out.shape.row_length = static_cast<std::uint32_t>(system.row_length());
    return out;
}

} // namespace mantissa::hls
