// Rows of differences in the fused session: the matrix in the form that the kernels take, and what a thread carries
// from chunk to chunk, so that each flux and each second difference is formed once.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "../isa/pass.hpp"
#include "mantissa/exact.hpp"
#include "mantissa/row_forms.hpp"
#include "session_base.hpp"

namespace mantissa::detail {

template <class T> class DifferenceRows {
public:
    /// `system` is what converted_for() gives for the spec's order: a stencil or symmetric bands.
    DifferenceRows(const System& system, const DatapathSpec& spec, const DifferenceKernels<T>& kernels,
                   const PassMasks<T>& masks)
        : kernels_(&kernels), masks_(masks), row_length_(system.row_length()),
          second_(spec.order == RowOrder::second_difference) {
        std::visit([&](const auto& matrix) { load(matrix, spec); }, system.matrix());
    }

    /// One thread's: of fluxes, what each element of a chunk gives the grid row above; of second differences, a and s
    /// of the elements one grid row above. What the chunk before left lies in the margins in front; stores are aligned.
    struct Scratch {
        Padded<T> given, a, s;
    };

    /// q for [begin, end), at most `chunk` elements; p must be up to date up to a row and an element after them.
    /// `first` says that scratch holds nothing of the chunk before.
    void rows(Scratch& scratch, const T* p, T* q, std::size_t begin, std::size_t end, std::size_t chunk,
              bool first) const {
        if (second_) second_rows(scratch, p + begin, q + begin, end - begin, chunk, first);
        else flux_rows(scratch, p, q, begin, end, chunk, first);
    }

private:
    void load(const Stencil& matrix, const DatapathSpec& spec) {
        const auto rounded = [&](double x) { return static_cast<T>(exact::convert(spec.coefficient, x)); };
        double c = 0;
        if (second_) {
            const SecondDifferences s = *second_differences(matrix);
            alpha_ = rounded(s.alpha);
            beta_ = rounded(s.beta);
            gamma_ = rounded(s.gamma);
            c = s.c;
        } else {
            const StencilFluxes f = *fluxes(matrix);
            std::ranges::transform(f.weight, constant_.begin(), rounded);
            c = f.c;
        }
        has_row_sums_ = c != 0;
        row_sum_ = rounded(c);
    }
    void load(const SymmetricBands& matrix, const DatapathSpec& spec) {
        const VectorUnit<T> coefficient(spec.coefficient);
        const std::size_t size = matrix.size();
        bands_ = true;
        for (std::size_t d = 0; d < kWeights; ++d) {
            weights_[d] = Padded<T>(size, 1);
            coefficient.convert(matrix.weight(d), std::span<T>(weights_[d].data(), size));
        }
        has_row_sums_ = !matrix.row_sums().empty();
        row_sums_.resize(matrix.row_sums().size());
        coefficient.convert(matrix.row_sums(), row_sums_);
    }
    void load(const Bands&, const DatapathSpec&) {}          // converted_for() has made symmetric bands of them
    void load(const CompressedRows&, const DatapathSpec&) {} // ... has refused them

    [[nodiscard]] FluxRun<T> run_from(std::size_t begin, T* from_below, T* to_above) const {
        FluxRun<T> run{};
        for (std::size_t d = 0; d < kWeights; ++d)
            run.weight[d] = bands_ ? weights_[d].data() + begin : constant_.data() + d;
        run.row_sum = bands_ ? row_sums_.data() + (has_row_sums_ ? begin : 0) : &row_sum_;
        run.from_below = from_below;
        run.to_above = to_above;
        run.row_length = row_length_;
        run.first = begin == 0;
        return run;
    }

    void flux_rows(Scratch& scratch, const T* p, T* q, std::size_t begin, std::size_t end, std::size_t chunk,
                   bool first) const {
        const std::size_t n = row_length_;
        if (scratch.given.size() == 0) scratch.given = Padded<T>(chunk, n);
        T* const given = scratch.given.data();
        const auto kernel = kernels_->flux[bands_ ? 1 : 0][has_row_sums_ ? 1 : 0];
        if (!first) {
            std::copy_n(given + chunk - n, n, given - n);
        } else if (begin != 0) {
            // A chunk is longer than a row, so the row below it lies wholly after the first element.
            kernel(run_from(begin - n, nullptr, given - n), p + (begin - n), masks_, nullptr, n);
        }
        kernel(run_from(begin, given - n, given), p + begin, masks_, q + begin, end - begin);
    }

    void second_rows(Scratch& scratch, const T* p, T* q, std::size_t count, std::size_t chunk, bool first) const {
        const std::size_t n = row_length_;
        if (scratch.a.size() == 0) scratch.a = scratch.s = Padded<T>(chunk, 2 * n);
        T *const a = scratch.a.data(), *const s = scratch.s.data();
        if (!first)
            for (T* const kept : {a, s}) std::copy_n(kept + chunk - 2 * n, 2 * n, kept - 2 * n);
        const auto reach = static_cast<std::ptrdiff_t>(n);
        const SecondRun<T> run{alpha_, beta_, gamma_, row_sum_, a - n, s - n, first ? -reach : reach, n};
        kernels_->second[has_row_sums_ ? 1 : 0](run, p, masks_, q, count);
    }

    const DifferenceKernels<T>* kernels_;
    PassMasks<T> masks_;
    std::size_t row_length_;
    bool second_;
    bool bands_ = false; ///< weights and row sums are arrays
    bool has_row_sums_ = false;
    std::array<T, kWeights> constant_{};
    T alpha_{}, beta_{}, gamma_{}, row_sum_{};
    std::array<Padded<T>, kWeights> weights_;
    std::vector<T> row_sums_;
};

} // namespace mantissa::detail
