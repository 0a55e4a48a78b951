#include "mantissa/block_algebra.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "block_scratch.hpp"
#include "fp_mode.hpp"
#include "isa/pass.hpp"
#include "mantissa/accumulate.hpp"
#include "mantissa/exact.hpp"
#include "mantissa/narrow/block_format.hpp"
#include "mantissa/row_forms.hpp"

namespace mantissa {

BlockAlgebra::BlockAlgebra(const System& system, const DatapathSpec& spec, int threads)
    : spec_(spec), threads_(std::max(1, threads)), size_(system.size()), row_length_(system.row_length()),
      row_unit_(spec.row), product_unit_(spec.dot.product), accumulator_unit_(spec.dot.accumulator) {
    const std::optional<System> converted = converted_for(spec.order, system);
    const System& formed = converted ? *converted : system;
    kind_ = formed.kind();
    std::visit([this](const auto& matrix) { load(matrix); }, formed.matrix());
}

namespace {

/// Coefficients that are stored one after the other, as the datapath holds them.
void round_coefficients(const DatapathSpec& spec, std::span<const double> given, std::span<double> out) {
    if (spec.coefficient_blocks.given()) narrow::round_blocks(spec.coefficient_blocks, given, out);
    else VectorUnit<double>(spec.coefficient).convert(given, out);
}

} // namespace

void BlockAlgebra::load(const Stencil& matrix) {
    if (spec_.order == RowOrder::flux) {
        const StencilFluxes f = *fluxes(matrix);
        std::array<double, kWeights + 1> constants{};
        std::ranges::copy(f.weight, constants.begin());
        constants.back() = f.c;
        round_coefficients(spec_, constants, constants);
        std::copy_n(constants.begin(), kWeights, constant_weight_.begin());
        has_row_sums_ = f.c != 0;
        constant_row_sum_ = constants.back();
    } else if (spec_.order == RowOrder::second_difference) {
        const SecondDifferences s = *second_differences(matrix);
        std::array<double, 4> constants{s.alpha, s.beta, s.gamma, s.c};
        round_coefficients(spec_, constants, constants);
        alpha_ = constants[0];
        beta_ = constants[1];
        gamma_ = constants[2];
        has_row_sums_ = s.c != 0;
        constant_row_sum_ = constants[3];
    } else {
        round_coefficients(spec_, matrix.coefficients(), stencil_);
    }
}

void BlockAlgebra::load(const Bands& matrix) {
    for (std::size_t b = 0; b < kBands; ++b) {
        bands_[b].resize(size_);
        round_coefficients(spec_, matrix.band(b), bands_[b]);
    }
}

void BlockAlgebra::load(const CompressedRows& matrix) {
    std::vector<double> rounded(matrix.nonzeros());
    round_coefficients(spec_, matrix.value(), rounded);
    if (spec_.order == RowOrder::chain) jag(matrix, rounded);
    else rows_ = {matrix.row_begin(), matrix.column(), std::move(rounded)};
}

void BlockAlgebra::load(const SymmetricBands& matrix) {
    for (std::size_t d = 0; d < kWeights; ++d) {
        weights_[d].resize(size_);
        round_coefficients(spec_, matrix.weight(d), weights_[d]);
    }
    has_row_sums_ = !matrix.row_sums().empty();
    row_sums_.resize(matrix.row_sums().size());
    round_coefficients(spec_, matrix.row_sums(), row_sums_);
}

template <class Body> void BlockAlgebra::for_blocks(Body&& body) const {
    const auto blocks = static_cast<std::ptrdiff_t>((size_ + kBlock - 1) / kBlock);
#pragma omp parallel for schedule(static) num_threads(threads_) if (threads_ > 1)
    for (std::ptrdiff_t b = 0; b < blocks; ++b) {
        const std::size_t begin = static_cast<std::size_t>(b) * kBlock;
        body(begin, std::min(size_, begin + kBlock));
    }
}

void BlockAlgebra::add_scaled(const Format& f, std::span<const double> x, double s, std::span<const double> y,
                              std::span<double> out) const {
    const VectorUnit<double> unit(f);
    for_blocks([&](std::size_t begin, std::size_t end) {
        const std::size_t n = end - begin;
        unit.add_scaled(x.subspan(begin, n), s, y.subspan(begin, n), out.subspan(begin, n));
    });
}

void BlockAlgebra::sub_scaled(const Format& f, std::span<const double> x, double s, std::span<const double> y,
                              std::span<double> out) const {
    const VectorUnit<double> unit(f);
    for_blocks([&](std::size_t begin, std::size_t end) {
        const std::size_t n = end - begin;
        unit.sub_scaled(x.subspan(begin, n), s, y.subspan(begin, n), out.subspan(begin, n));
    });
}

void BlockAlgebra::apply(std::span<const double> x, const Format& result, std::span<double> out) const {
    const VectorUnit<double> result_unit(result);
    for_blocks([&](std::size_t begin, std::size_t end) {
        thread_local Scratch scratch(kBlock);
        rows(begin, end, x.data(), out.data(), scratch);
        const auto block = out.subspan(begin, end - begin);
        if (!(result == spec_.row)) result_unit.convert(block, block);
    });
}

void BlockAlgebra::rows(std::size_t begin, std::size_t end, const double* x, double* out, Scratch& scratch) const {
    if (kind_ == System::Kind::sparse) return sparse_rows(begin, end, x, out, scratch);
    if (spec_.order == RowOrder::flux) flux_rows(begin, end, x, out, scratch);
    else if (spec_.order == RowOrder::second_difference) second_difference_rows(begin, end, x, out, scratch);
    else product_rows(begin, end, x, out, scratch);
    if (kind_ == System::Kind::stencil) clear_edges(begin, end, out);
}

void BlockAlgebra::clear_edges(std::size_t begin, std::size_t end, double* out) const {
    for (std::size_t i = begin; i < end; ++i) {
        const std::size_t column = i % row_length_;
        if (i < row_length_ || i >= size_ - row_length_ || column == 0 || column == row_length_ - 1) out[i] = 0;
    }
}

void BlockAlgebra::product_rows(std::size_t begin, std::size_t end, const double* x, double* out,
                                Scratch& scratch) const {
    const std::size_t n = end - begin;
    for (int b = 0; b < kBands; ++b) {
        const double* const source = shifted({x, size_}, begin, n, band_offset(b, row_length_), scratch.neighbour);
        std::span<double> term(scratch.term[b].data(), n);
        if (kind_ == System::Kind::stencil) row_unit_.scale(stencil_[b], {source, n}, term);
        else row_unit_.mul({bands_[b].data() + begin, n}, {source, n}, term);
    }
    const std::span<double> sum(out + begin, n);
    const auto t = [&](int b) { return std::span<double>(scratch.term[b].data(), n); };
    if (spec_.order == RowOrder::chain) {
        row_unit_.add(t(0), t(1), sum);
        for (int b = 2; b < kBands; ++b) row_unit_.add(sum, t(b), sum);
    } else {
        for (int b = 0; b < 8; b += 2) row_unit_.add(t(b), t(b + 1), t(b));
        row_unit_.add(t(0), t(2), t(0));
        row_unit_.add(t(4), t(6), t(4));
        row_unit_.add(t(0), t(4), t(0));
        row_unit_.add(t(0), t(8), sum);
    }
}

void BlockAlgebra::sparse_rows(std::size_t begin, std::size_t end, const double* x, double* out,
                               Scratch& scratch) const {
    static_assert(kBlock % kWindow == 0);
    if (spec_.order == RowOrder::tree) {
        const auto& row_begin = rows_.begin;
        std::vector<double> term;
        for (std::size_t i = begin; i < end; ++i) {
            std::size_t count = row_begin[i + 1] - row_begin[i];
            term.resize(count);
            for (std::size_t k = 0; k < count; ++k) term[k] = x[rows_.column[row_begin[i] + k]];
            row_unit_.mul({rows_.value.data() + row_begin[i], count}, term, term);
            while (count > 1) {
                const std::size_t pairs = count / 2;
                for (std::size_t k = 0; k < pairs; ++k) term[k] = exact::add(spec_.row, term[2 * k], term[2 * k + 1]);
                if (count % 2 != 0) term[pairs] = term[count - 1];
                count = pairs + count % 2;
            }
            out[i] = term.empty() ? 0.0 : term[0];
        }
        return;
    }
    for (std::size_t first = begin; first < end; first += kWindow)
        window_rows(first / kWindow, x, out + first, scratch);
}

void BlockAlgebra::jag(const CompressedRows& rows, std::span<const double> rounded) {
    const auto& row_begin = rows.row_begin();
    const auto length = [&](std::size_t i) { return row_begin[i + 1] - row_begin[i]; };
    jagged_.order.resize(size_);
    jagged_.column.reserve(rows.nonzeros());
    jagged_.value.reserve(rows.nonzeros());
    jagged_.window_begin.push_back(0);
    for (std::size_t first = 0; first < size_; first += kWindow) {
        const std::size_t count = std::min(kWindow, size_ - first);
        const auto order = std::span(jagged_.order).subspan(first, count);
        for (std::size_t j = 0; j < count; ++j) order[j] = static_cast<std::uint32_t>(j);
        std::stable_sort(order.begin(), order.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return length(first + a) > length(first + b); });
        std::size_t active = count;
        for (std::uint64_t k = 0;; ++k) {
            while (active > 0 && length(first + order[active - 1]) <= k) --active;
            if (active == 0) break;
            jagged_.step_begin.push_back(jagged_.value.size());
            for (std::size_t j = 0; j < active; ++j) {
                const std::uint64_t entry = row_begin[first + order[j]] + k;
                jagged_.column.push_back(rows.column()[entry]);
                jagged_.value.push_back(rounded[entry]);
            }
        }
        jagged_.window_begin.push_back(jagged_.step_begin.size());
    }
    jagged_.step_begin.push_back(jagged_.value.size());
}

void BlockAlgebra::window_rows(std::size_t window, const double* x, double* out, Scratch& scratch) const {
    const std::size_t first = window * kWindow, count = std::min(kWindow, size_ - first);
    double* const sums = scratch.sum.data();
    std::fill_n(sums, count, 0.0);
    for (std::uint64_t step = jagged_.window_begin[window]; step < jagged_.window_begin[window + 1]; ++step) {
        const std::uint64_t at = jagged_.step_begin[step];
        const std::size_t n = jagged_.step_begin[step + 1] - at;
        double* const products = scratch.neighbour.data();
        const std::uint32_t* const column = jagged_.column.data() + at;
        for (std::size_t j = 0; j < n; ++j) products[j] = x[column[j]];
        const std::span<double> product(products, n), sum(sums, n);
        const std::span<const double> value(jagged_.value.data() + at, n);
        if (step == jagged_.window_begin[window]) {
            row_unit_.mul(value, product, sum);
        } else {
            row_unit_.mul(value, product, product);
            row_unit_.add(sum, product, sum);
        }
    }
    const std::uint32_t* const order = jagged_.order.data() + first;
    for (std::size_t j = 0; j < count; ++j) out[order[j]] = sums[j];
}

namespace {

/// Adds terms to partial sums with the processor's own additions, where the accumulator's format has them; false (and
/// nothing added) where it has not.
bool add_lanes([[maybe_unused]] const DotSpec& dot, [[maybe_unused]] std::span<const double> terms,
               [[maybe_unused]] std::span<double> sums) {
#if MANTISSA_HAS_FP_MODE
    const Format& f = dot.accumulator;
    const bool whole = f.fraction_bits == 52 && f.exponent_bits == 11 && f.overflow == Overflow::infinity;
    if (!whole || (f.truncates() && !f.flushes())) return false;
    // Flushing, the kernel would lose terms below the normal doubles before they are added.
    if (f.flushes() && !dot.exact_product && dot.product.exponent_bits == 11 && !dot.product.flushes()) return false;
    static const std::vector<double> ones(BlockAlgebra::kBlock, 1.0);
    const detail::FpScope scope(
        {f.truncates() ? detail::FpRounding::toward_zero : detail::FpRounding::nearest, f.flushes()});
    // The exact product of a term and one is the term.
    detail::best_pass_table<double>()[0][0][1].dot_lanes_one(terms.data(), ones.data(), 0, sums.data(),
                                                             static_cast<int>(sums.size()), terms.size());
    return true;
#else
    return false;
#endif
}

} // namespace

FixedAccumulator BlockAlgebra::window_sum(std::span<const double> a, std::span<const double> b) const {
    std::vector<double> block(kBlock);
    FixedAccumulator total(spec_.dot.window);
    for (std::size_t begin = 0; begin < size_; begin += kBlock) {
        const std::size_t n = std::min(kBlock, size_ - begin);
        if (spec_.dot.exact_product) {
            for (std::size_t i = begin; i < begin + n; ++i) total.add_product(a[i], b[i]);
        } else {
            product_unit_.mul(a.subspan(begin, n), b.subspan(begin, n), std::span<double>(block.data(), n));
            for (std::size_t i = 0; i < n; ++i) total.add(block[i]);
        }
    }
    return total;
}

DotResult BlockAlgebra::dot(std::span<const double> a, std::span<const double> b) const {
    const DotSpec& dot = spec_.dot;
    if (dot.fixed) {
        const FixedAccumulator total = window_sum(a, b);
        return {total.total(spec_.scalar), total.overflow()};
    }
    std::vector<double> block(kBlock);
    const auto width = static_cast<std::size_t>(spec_.partials());
    std::vector<double> sums(width, 0.0);
    // Blocks of a whole number of rounds over the partial sums.
    static_assert(kBlock % (DotSpec::kMaxDepth * DatapathSpec::kMaxLanes) == 0);
    const VectorUnit<double> wide(formats::kDouble); // an exact product is exact in any arithmetic this wide
    for (std::size_t begin = 0; begin < size_; begin += kBlock) {
        const std::size_t n = std::min(kBlock, size_ - begin);
        const std::span<double> terms(block.data(), n);
        (dot.exact_product ? wide : product_unit_).mul(a.subspan(begin, n), b.subspan(begin, n), terms);
        if (add_lanes(dot, terms, sums)) continue;
        for (std::size_t i = 0; i < n; i += width) {
            const std::size_t count = std::min(width, n - i);
            accumulator_unit_.add({sums.data(), count}, terms.subspan(i, count), {sums.data(), count});
        }
    }
    LaneAccumulator::close(dot.accumulator, sums);
    return {exact::convert(spec_.scalar, sums[0]), false};
}

} // namespace mantissa
