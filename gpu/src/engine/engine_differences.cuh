// Rows of differences (RowOrder::flux and RowOrder::second_difference; engine.hpp defines them) of floating vectors.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "engine/engine_arithmetic.cuh"
#include "mantissa/gpu/device.hpp"
#include "mantissa/kernels.hpp"
#include "mantissa/row_forms.hpp"

namespace mantissa::gpu {

/// What such rows are formed from; T: what a format's values are carried in.
template <class T> struct EngineDifferences {
    bool second = false, row_sums = false;
    T weight[kWeights]{}, row_sum{};  ///< of a constant stencil
    const T* weight_band[kWeights]{}; ///< null of a constant stencil
    const T* row_sum_band = nullptr;  ///< likewise
    T alpha{}, beta{}, gamma{};       ///< of second differences
    long long offset[kWeights]{};     ///< from an element to the neighbour of a weight
};

/// The same with its arrays on the device.
template <class T> class DifferenceRows {
public:
    /// `system`: a stencil or symmetric bands, as converted_for() gives them; spec.order: one of differences. Of
    /// `count` elements from `first` on.
    void load(const System& system, const DatapathSpec& spec, std::size_t first, std::size_t count) {
        const VectorUnit<T> unit(spec.coefficient);
        const auto rounded = [&](std::span<const double> values) {
            std::vector<T> host(values.size());
            unit.convert(values, std::span<T>(host));
            return host;
        };
        const auto one = [&](double x) { return rounded(std::span(&x, 1))[0]; };
        EngineDifferences<T>& d = rows_;
        for (std::size_t k = 0; k < kWeights; ++k)
            d.offset[k] = static_cast<long long>(weight_offset(k, system.row_length()));
        d.second = spec.order == RowOrder::second_difference;
        if (const auto* const m = std::get_if<SymmetricBands>(&system.matrix())) {
            for (std::size_t k = 0; k < kWeights; ++k) {
                weight_[k] = to_device(rounded(std::span(m->weight(k)).subspan(first, count)));
                d.weight_band[k] = weight_[k].data();
            }
            d.row_sums = !m->row_sums().empty();
            if (d.row_sums) row_sum_ = to_device(rounded(std::span(m->row_sums()).subspan(first, count)));
            d.row_sum_band = row_sum_.data();
            return;
        }
        const auto& stencil = std::get<Stencil>(system.matrix());
        double c = 0;
        if (d.second) {
            const SecondDifferences s = *second_differences(stencil);
            d.alpha = one(s.alpha);
            d.beta = one(s.beta);
            d.gamma = one(s.gamma);
            c = s.c;
        } else {
            const StencilFluxes f = *fluxes(stencil);
            std::ranges::transform(f.weight, d.weight, one);
            c = f.c;
        }
        d.row_sums = c != 0;
        d.row_sum = one(c);
    }
    [[nodiscard]] const EngineDifferences<T>& rows() const { return rows_; }

private:
    EngineDifferences<T> rows_;
    std::array<Buffer<T>, kWeights> weight_;
    Buffer<T> row_sum_;
};

#ifdef __CUDACC__

/// The row of element i in the row format; p: in the bands' order, +0 outside the vector.
template <class Unit, class T = typename Unit::Carrier>
__device__ __forceinline__ T difference_row(const Unit& row, const EngineDifferences<T>& d, long long i, T sw, T s,
                                            T se, T w, T p, T e, T nw, T n, T ne) {
    const auto sub = [&](T x, T y) { return row.add(x, -y); };
    T q;
    if (d.second) {
        const auto along = [&](T west, T here, T east) { return sub(sub(east, here), sub(here, west)); };
        const auto sum = [&](T here, T a) { return row.add(row.mul(d.beta, here), row.mul(d.gamma, a)); };
        const T a = along(w, p, e), here = sum(p, a), north = sum(n, along(nw, n, ne)),
                south = sum(s, along(sw, s, se));
        q = row.add(sub(sub(north, here), sub(here, south)), row.mul(d.alpha, a));
    } else {
        // The flux of weight k from element j, whose value is `from`, to its neighbour.
        const auto flux = [&](int k, long long j, T from, T to) {
            if (j < 0) return T(0);
            return row.mul(d.weight_band[k] != nullptr ? d.weight_band[k][j] : d.weight[k], sub(from, to));
        };
        const auto lower = [&](int k) { return i - d.offset[k]; };
        const T up = row.add(row.add(flux(1, i, p, nw), flux(2, i, p, n)), flux(3, i, p, ne));
        const T down = row.add(row.add(flux(3, lower(3), sw, p), flux(2, lower(2), s, p)), flux(1, lower(1), se, p));
        q = row.add(sub(flux(0, i, p, e), flux(0, lower(0), w, p)), sub(up, down));
    }
    if (d.row_sums) q = row.add(q, row.mul(d.row_sum_band != nullptr ? d.row_sum_band[i] : d.row_sum, p));
    return q;
}

#endif

} // namespace mantissa::gpu
