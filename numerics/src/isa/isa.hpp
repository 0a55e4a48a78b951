// Instruction sets: the same kernel sources are compiled once per set, each into a namespace of its own, and the best
// one that this processor has is picked at run time. Sources under isa/ use no library templates, so that no inline
// function compiled for a newer processor can be linked into code that runs on an older one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mantissa::detail {

/// How a raw result becomes a value of a format.
enum class Finish : std::uint8_t {
    none,       ///< it is one already (native rounding and underflow)
    mask,       ///< truncated: clear the bits below the fraction
    mask_range, ///< ... then clamp to the largest and flush below the smallest normal number
    rne_float,  ///< from a double: round to nearest even; the conversion to float does the range (E = 8, flush, inf)
    rne_range,  ///< from a double: round to nearest even, then overflow and underflow by the policy
    rne_odd,    ///< in float, rounded to odd and from there to nearest even (E = 8, M <= 21, flush, inf); add, sub and
                ///< mul only, in round-toward-zero mode; mul without flush-to-zero
};
inline constexpr int kFinishes = 6;

struct FinishParams {
    std::uint64_t mask64 = ~std::uint64_t{0};
    std::uint32_t mask32 = ~std::uint32_t{0};
    int drop = 0;        ///< bits of a double's fraction below the format's
    double max = 0;      ///< largest finite number
    double overflow = 0; ///< what a magnitude beyond it becomes
    double min_normal = 0;
    double grid = 0; ///< 1.5 * 2^52 * smallest subnormal; 0 when the format flushes
};

enum class Op : std::uint8_t { add, sub, mul, div, sqrt, scale, add_scaled, sub_scaled };
inline constexpr int kOps = 8;

/// out[i] = a[i] op b[i]; sqrt takes a alone; scale is s * a[i]; add_scaled is b[i] + s a[i], the product rounded too;
/// sub_scaled is b[i] - s a[i]. out may be a or b.
template <class T> using KernelFn = void (*)(const T* a, const T* b, T s, T* out, std::size_t n, const FinishParams& f);

struct KernelTable {
    KernelFn<float> f32[kOps][kFinishes]; ///< nullptr where there is no such path
    KernelFn<double> f64[kOps][kFinishes];
    void (*convert32[kFinishes])(const double* a, float* out, std::size_t n, const FinishParams& f);
    void (*convert64[kFinishes])(const double* a, double* out, std::size_t n, const FinishParams& f);
};

namespace baseline {
const KernelTable& kernel_table();
}
namespace avx2 {
const KernelTable& kernel_table();
}
namespace avx512 {
const KernelTable& kernel_table();
}

enum class Isa : std::uint8_t { baseline, avx2, avx512 };
/// The best instruction set of this processor. MANTISSA_ISA=baseline|avx2|avx512 in the environment lowers it.
Isa best_isa();
const char* isa_name(Isa isa);
const KernelTable& best_kernel_table();

} // namespace mantissa::detail
