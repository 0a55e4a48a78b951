#include "mantissa/block_algebra.hpp"

#include <algorithm>
#include <cmath>

#include "fp_mode.hpp"
#include "mantissa/accumulate.hpp"
#include "mantissa/exact.hpp"

namespace mantissa {

struct BlockAlgebra::Scratch {
    std::array<std::vector<double>, kBands> term;
    std::vector<double> neighbour, coefficient, sum;
    std::vector<std::size_t> active;
    explicit Scratch(std::size_t block) : neighbour(block), coefficient(block), sum(block) {
        for (auto& t : term) t.resize(block);
    }
};

BlockAlgebra::BlockAlgebra(const System& system, const DatapathSpec& spec, int threads)
    : spec_(spec), threads_(std::max(1, threads)), size_(system.size), kind_(system.kind),
      row_length_(system.row_length()), row_unit_(spec.row), product_unit_(spec.dot.product),
      accumulator_unit_(spec.dot.accumulator) {
    const VectorUnit<double> coefficient(spec.coefficient);
    if (kind_ == System::Kind::stencil) {
        grid_ = system.stencil;
        coefficient.convert(system.stencil.coefficients, grid_.coefficients);
    } else if (kind_ == System::Kind::bands) {
        for (int b = 0; b < kBands; ++b) {
            bands_[b].resize(size_);
            coefficient.convert(system.bands.band[b], bands_[b]);
        }
    } else {
        sparse_ = system.sparse;
        coefficient.convert(system.sparse.value, sparse_.value);
    }
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
    if (kind_ == System::Kind::sparse) sparse_rows(begin, end, x, out, scratch);
    else grid_rows(begin, end, x, out, scratch);
}

void BlockAlgebra::grid_rows(std::size_t begin, std::size_t end, const double* x, double* out, Scratch& scratch) const {
    const std::size_t n = end - begin;
    for (int b = 0; b < kBands; ++b) {
        // x shifted by the band's offset, +0 outside the vector
        const std::ptrdiff_t shift = System::offset(b, row_length_);
        std::span<double> term(scratch.term[b].data(), n);
        const double* source = x + begin + shift;
        if (shift < 0 && begin < static_cast<std::size_t>(-shift)) {
            const std::size_t outside = std::min(n, static_cast<std::size_t>(-shift) - begin);
            std::fill_n(scratch.neighbour.data(), outside, 0.0);
            std::copy_n(x + (begin + outside) + shift, n - outside, scratch.neighbour.data() + outside);
            source = scratch.neighbour.data();
        } else if (shift > 0 && end + static_cast<std::size_t>(shift) > size_) {
            const std::size_t first = begin + static_cast<std::size_t>(shift);
            const std::size_t inside = first < size_ ? std::min(n, size_ - first) : 0;
            if (inside > 0) std::copy_n(x + first, inside, scratch.neighbour.data());
            std::fill_n(scratch.neighbour.data() + inside, n - inside, 0.0);
            source = scratch.neighbour.data();
        }
        if (kind_ == System::Kind::stencil) row_unit_.scale(grid_.coefficients[b], {source, n}, term);
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
    if (kind_ != System::Kind::stencil) return;
    const std::size_t length = row_length_;
    for (std::size_t i = begin; i < end; ++i) {
        const std::size_t column = i % length;
        if (i < length || i >= size_ - length || column == 0 || column == length - 1) out[i] = 0;
    }
}

void BlockAlgebra::sparse_rows(std::size_t begin, std::size_t end, const double* x, double* out,
                               Scratch& scratch) const {
    const auto& row_begin = sparse_.row_begin;
    if (spec_.order == RowOrder::tree) {
        std::vector<double> term, coefficient;
        for (std::size_t i = begin; i < end; ++i) {
            std::size_t count = row_begin[i + 1] - row_begin[i];
            term.resize(count);
            for (std::size_t k = 0; k < count; ++k) term[k] = x[sparse_.column[row_begin[i] + k]];
            row_unit_.mul({sparse_.value.data() + row_begin[i], count}, term, term);
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
    // Chains of many rows side by side: step k adds the k-th entry of every row that has one.
    std::size_t longest = 0;
    for (std::size_t i = begin; i < end; ++i) longest = std::max<std::size_t>(longest, row_begin[i + 1] - row_begin[i]);
    std::fill(out + begin, out + end, 0.0);
    for (std::size_t k = 0; k < longest; ++k) {
        auto& active = scratch.active;
        active.clear();
        for (std::size_t i = begin; i < end; ++i)
            if (row_begin[i] + k < row_begin[i + 1]) active.push_back(i);
        const std::size_t n = active.size();
        for (std::size_t j = 0; j < n; ++j) {
            const std::uint64_t entry = row_begin[active[j]] + k;
            scratch.coefficient[j] = sparse_.value[entry];
            scratch.neighbour[j] = x[sparse_.column[entry]];
            scratch.sum[j] = out[active[j]];
        }
        const std::span<double> product(scratch.neighbour.data(), n), sum(scratch.sum.data(), n);
        row_unit_.mul({scratch.coefficient.data(), n}, product, product);
        if (k > 0) row_unit_.add(sum, product, sum);
        const std::span<double> result = k > 0 ? sum : product;
        for (std::size_t j = 0; j < n; ++j) out[active[j]] = result[j];
    }
}

DotResult BlockAlgebra::dot(std::span<const double> a, std::span<const double> b) const {
    const DotSpec& dot = spec_.dot;
    std::vector<double> block(kBlock);
    if (dot.fixed) {
        FixedAccumulator total(dot.window);
        for (std::size_t begin = 0; begin < size_; begin += kBlock) {
            const std::size_t n = std::min(kBlock, size_ - begin);
            if (dot.exact_product) {
                for (std::size_t i = begin; i < begin + n; ++i) total.add_product(a[i], b[i]);
            } else {
                product_unit_.mul(a.subspan(begin, n), b.subspan(begin, n), std::span<double>(block.data(), n));
                for (std::size_t i = 0; i < n; ++i) total.add(block[i]);
            }
        }
        return {total.total(spec_.scalar), total.overflow()};
    }
    const auto width = static_cast<std::size_t>(spec_.partials());
    std::vector<double> sums(width, 0.0);
    // Blocks of a whole number of rounds over the partial sums.
    static_assert(kBlock % (DotSpec::kMaxDepth * DatapathSpec::kMaxLanes) == 0);
    const VectorUnit<double> wide(formats::kDouble); // an exact product is exact in any arithmetic this wide
    for (std::size_t begin = 0; begin < size_; begin += kBlock) {
        const std::size_t n = std::min(kBlock, size_ - begin);
        const std::span<double> terms(block.data(), n);
        (dot.exact_product ? wide : product_unit_).mul(a.subspan(begin, n), b.subspan(begin, n), terms);
        for (std::size_t i = 0; i < n; i += width) {
            const std::size_t count = std::min(width, n - i);
            accumulator_unit_.add({sums.data(), count}, terms.subspan(i, count), {sums.data(), count});
        }
    }
    LaneAccumulator::close(dot.accumulator, sums);
    return {exact::convert(spec_.scalar, sums[0]), false};
}

} // namespace mantissa
