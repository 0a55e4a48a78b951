// Instruction sets: the same kernel sources are compiled once per set, each into a namespace of its own, and the best
// one that this processor has is picked at run time. Sources under isa/ use no library templates, so that no inline
// function compiled for a newer processor can be linked into code that runs on an older one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mantissa/operation.hpp"

#define MANTISSA_INLINE inline __attribute__((always_inline))

namespace mantissa::detail {

/// A caller's array that is read as numbers of T: where its bytes are. No T*: the caller's elements may be Float<F>,
/// which hold one T each and nothing else. Between such elements a T* may not step, since each T is an array of its
/// own; their bytes, however, are those of an array of T, and copying the bytes of a trivially copyable object is
/// defined. Compilers make plain (vector) loads of it.
template <class T> class Source {
public:
    Source() = default;
    MANTISSA_INLINE Source(const void* at) : at_(static_cast<const unsigned char*>(at)) {}
    [[nodiscard]] MANTISSA_INLINE const void* address() const { return at_; }
    MANTISSA_INLINE T operator[](std::size_t i) const {
        T x;
        __builtin_memcpy(&x, at_ + i * sizeof(T), sizeof x);
        return x;
    }
    /// From element i on; nothing stays nothing.
    MANTISSA_INLINE Source operator+(std::size_t i) const { return at_ == nullptr ? at_ : at_ + i * sizeof(T); }

private:
    const unsigned char* at_ = nullptr;
};

/// The same, to be written.
template <class T> class Sink {
public:
    MANTISSA_INLINE Sink(void* at) : at_(static_cast<unsigned char*>(at)) {}
    [[nodiscard]] MANTISSA_INLINE void* address() const { return at_; }
    struct Element {
        unsigned char* at;
        MANTISSA_INLINE Element& operator=(T x) {
            __builtin_memcpy(at, &x, sizeof x);
            return *this;
        }
    };
    MANTISSA_INLINE Element operator[](std::size_t i) const { return {at_ + i * sizeof(T)}; }
    MANTISSA_INLINE Sink operator+(std::size_t i) const { return at_ + i * sizeof(T); }

private:
    unsigned char* at_;
};

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
    double grid = 0; ///< 2^52 * smallest subnormal; 0 when the format flushes
};

/// convert has kernels of its own.
using Op = Operation;
inline constexpr int kOps = kOperations - 1;
inline constexpr int kSingleOps = 7; ///< those before the scaled ones round once

template <class T> struct OperandArrays {
    Source<T> a, b, c;
    T s = 0;
};

/// The output may be any of the inputs.
template <class T>
using KernelFn = void (*)(const OperandArrays<T>& in, Sink<T> out, std::size_t n, const FinishParams& f);

/// For results formed in C in directed roundings, toward -infinity and toward +infinity. What lies between the two
/// decides how the exact result rounds, and whether it is exact, so that nothing need be known of ranges and of
/// remainders. All fields are of C; patterns are of magnitudes. For a format that truncates, both are the result
/// rounded toward zero, and `half_less_one` and `odd` are 0.
template <class C> struct DirectedParams;
template <> struct DirectedParams<float> {
    using Bits = std::int32_t;
    Bits mask = -1;         ///< clears the bits below the fraction
    Bits half_less_one = 0; ///< half a unit in the last place, less 1
    Bits odd = 1;           ///< 1 for nearest even
    int drop = 0;           ///< bits below the fraction
    Bits max = 0;           ///< the largest finite number
    Bits overflow = 0;      ///< what a magnitude beyond it becomes
    Bits least = 0;         ///< whose truncated magnitude is below is flushed; 0 when the format does not flush
    Bits min_normal = 0;    ///< of the format
    bool whole = false;     ///< the format has C's precision: the result is the one rounded to nearest
    float grid = 0;         ///< with fewer exponent bits than C and subnormal numbers: 2^(C's fraction bits) units
    float unit = 0;         ///< the smallest subnormal number
};
template <> struct DirectedParams<double> {
    using Bits = std::int64_t;
    Bits mask = -1, half_less_one = 0, odd = 1;
    int drop = 0;
    Bits max = 0, overflow = 0, least = 0, min_normal = 0;
    bool whole = false;
    double grid = 0, unit = 0;
};

/// Which of the three roundings of a result a finishing kernel reads, and what it minds.
enum class Directed : std::uint8_t {
    plain, ///< the format has C's exponent range, or flushes
    grid,  ///< subnormal numbers above C's
    near,  ///< plain, and the result rounded to nearest in C decides what is flushed or is the result
    near_grid,
};
inline constexpr int kDirected = 4;

template <class T> struct DirectedKernels {
    /// Forms a result, in the mode that is set.
    void (*form[kSingleOps])(const OperandArrays<T>& in, T* out, std::size_t n);
    /// From the result rounded down, up and (near only) to nearest. In nearest mode, or toward zero if the format
    /// truncates.
    void (*finish[kDirected])(const T* down, const T* up, const T* near, Sink<T> out, std::size_t n,
                              const DirectedParams<T>& f);
    /// All of it in one sweep, where the processor rounds by instruction, whatever the mode but with flush-to-zero as
    /// `Fused` says. For nearest-even formats with T's exponent range that overflow to infinity. nullptr elsewhere.
    void (*fused[kOps][3])(const OperandArrays<T>& in, Sink<T> out, std::size_t n, const DirectedParams<T>& f);
};
/// Last index of DirectedKernels::fused.
enum class Fused : std::uint8_t {
    gradual,    ///< subnormal numbers
    flush,      ///< flushing, by `least`; sums of floats in flush-to-zero mode
    flush_near, ///< one bit shorter than T: flushing, by the result rounded to nearest
};

/// What a conversion from C minds.
enum class Rounds : std::uint8_t {
    unlimited, ///< nothing: C's exponents, subnormal numbers, infinity
    limited,   ///< the largest number and what is flushed
    on_grid,   ///< the largest number, and subnormal numbers above C's
};
inline constexpr int kRounds = 3;

struct KernelTable {
    KernelFn<float> f32[kOps][kFinishes]; ///< nullptr where there is no such path
    KernelFn<double> f64[kOps][kFinishes];
    void (*convert32[kFinishes])(Source<double> a, Sink<float> out, std::size_t n, const FinishParams& f);
    void (*convert64[kFinishes])(Source<double> a, Sink<double> out, std::size_t n, const FinishParams& f);
    void (*convert_through_float)(Source<double> a, Sink<double> out, std::size_t n, const FinishParams& f);
    DirectedKernels<float> directed32;
    DirectedKernels<double> directed64;
    /// Exact numbers rounded into a format: doubles into either carrier, floats into floats.
    void (*round32[kRounds])(Source<double> a, Sink<float> out, std::size_t n, const DirectedParams<double>& f);
    void (*round64[kRounds])(Source<double> a, Sink<double> out, std::size_t n, const DirectedParams<double>& f);
    void (*shorten[kRounds])(Source<float> a, Sink<float> out, std::size_t n, const DirectedParams<float>& f);
    /// a b + c in double, whose product is exact; and results of DirectedKernels<double> into floats.
    void (*exact_product_sum)(const OperandArrays<float>& in, double* out, std::size_t n);
    void (*narrow)(const double* a, Sink<float> out, std::size_t n);
    bool has_fma = false; ///< a fused multiply-add: form[fma], fused[fma] and f32/f64[fma] are there
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
/// The best instruction set of this processor. MANTISSA_ISA=baseline|avx2|avx512 in the environment lowers it; any
/// other text, and a set that the processor lacks, is refused (InvalidInput).
Isa best_isa();
const char* isa_name(Isa isa);
const KernelTable& best_kernel_table();

} // namespace mantissa::detail
