// The scalar twins: what one writes first. Compiled without vectorisation.
#include "kernels.hpp"

namespace mantissa::detail::plain {

namespace {

template <class T> void crs(const SimdArrays<T>& a, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
        T sum = 0;
        for (std::uint32_t k = a.begin[i]; k < a.begin[i + 1]; ++k) sum += a.value[k] * a.x[a.column[k]];
        a.y[i] = sum;
    }
}

template <class T, int B> void blocks(const SimdArrays<T>& a, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
        T sum[B] = {};
        for (std::uint32_t k = a.begin[i]; k < a.begin[i + 1]; ++k) {
            const T* const block = a.value + std::size_t{k} * (B * B);
            const T* const part = a.x + std::size_t{a.column[k]} * B;
            for (int r = 0; r < B; ++r)
                for (int c = 0; c < B; ++c) sum[r] += block[r * B + c] * part[c];
        }
        for (int r = 0; r < B; ++r) a.y[i * B + static_cast<std::size_t>(r)] = sum[r];
    }
}

template <class T> void complex2(const SimdArrays<T>& a, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
        T u = 0, v = 0;
        for (std::uint32_t k = a.begin[i]; k < a.begin[i + 1]; ++k) {
            const T re = a.value[2 * std::size_t{k}], im = a.value[2 * std::size_t{k} + 1];
            const T* const part = a.x + std::size_t{a.column[k]} * 2;
            u += re * part[0];
            u -= im * part[1];
            v += im * part[0];
            v += re * part[1];
        }
        a.y[2 * i] = u;
        a.y[2 * i + 1] = v;
    }
}

template <class T> void sliced(const SimdArrays<T>& a, std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s)
        for (std::size_t t = 0; t < kSliceRows && s * kSliceRows + t < a.rows; ++t) {
            T sum = 0;
            for (std::size_t k = a.begin[s]; k < a.begin[s + 1]; ++k)
                sum += a.value[k * kSliceRows + t] * a.x[a.column[k * kSliceRows + t]];
            a.y[a.row[s * kSliceRows + t]] = sum;
        }
}

template <class T> constexpr SimdKernels<T> kKernels{crs<T>, blocks<T, 2>, blocks<T, 4>, complex2<T>, sliced<T>};

} // namespace

const SimdKernels<float>& simd_kernels(float) {
    return kKernels<float>;
}
const SimdKernels<double>& simd_kernels(double) {
    return kKernels<double>;
}

} // namespace mantissa::detail::plain
