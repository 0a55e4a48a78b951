// Vector kernels for a format chosen at run time: whole arrays through one operation, each element the exact result
// rounded once (the contract of exact.hpp), at the speed of native arithmetic where the processor allows it.
//
// Paths (which one runs changes the speed, never a bit):
//   hardware   truncating formats: the processor in round-toward-zero mode (flush-to-zero where they flush), and one
//              AND (truncation composes); clamped when the format has fewer exponent bits than its carrier
//   native     s23e8 in float and s52e11 in double, nearest-even, overflowing to infinity: the processor's arithmetic
//   double     other nearest-even formats in float: formed in double, rounded on its bits; with AVX-512, and for fused
//              multiply-adds and scaled sums, as below
//   directed   all the rest: formed twice, rounded down and up by the processor, which says how the exact result
//   rounds;
//              in one sweep with AVX-512 where the format has its carrier's exponents and overflows to infinity
//   portable   integers: other processors, and fma() of doubles without a fused multiply-add in the instruction set
// The caller's rounding mode and flags' masks are restored on return.
#pragma once

#include <span>
#include <string_view>

#include "mantissa/format.hpp"

namespace mantissa {

/// Arithmetic on arrays of T (float or double). Results are values of one format. Operands, arrays and scalars alike,
/// are values of it too; in double they may be any doubles, as mixed datapaths want. Cheap to copy; thread-safe.
/// MANTISSA_ISA=baseline|avx2|avx512 in the environment lowers the instruction set; anything else there is refused
/// (InvalidInput) by the first constructor of a unit with Path::fastest.
/// Array arguments of one call have equal length (checked: InvalidInput); the output may be one of the inputs.
template <class T> class VectorUnit {
public:
    enum class Path : std::uint8_t { fastest, portable };

    /// Throws InvalidInput when values of `format` do not fit T.
    explicit VectorUnit(const Format& format, Path path = Path::fastest);

    [[nodiscard]] const Format& format() const { return format_; }
    /// "hardware", "native", "double", "directed" or "portable".
    [[nodiscard]] std::string_view path() const;

    void add(std::span<const T> a, std::span<const T> b, std::span<T> out) const;
    void sub(std::span<const T> a, std::span<const T> b, std::span<T> out) const;
    void mul(std::span<const T> a, std::span<const T> b, std::span<T> out) const;
    void div(std::span<const T> a, std::span<const T> b, std::span<T> out) const;
    void sqrt(std::span<const T> a, std::span<T> out) const;
    /// a * b + c rounded once.
    void fma(std::span<const T> a, std::span<const T> b, std::span<const T> c, std::span<T> out) const;
    /// s * a. For T = float, s must be a value of the format, like the elements: convert() it first. That is not
    /// checked.
    void scale(T s, std::span<const T> a, std::span<T> out) const;
    /// b + (s * a), both operations rounded; s as for scale().
    void add_scaled(std::span<const T> b, T s, std::span<const T> a, std::span<T> out) const;
    /// b - (s * a), both operations rounded; s as for scale().
    void sub_scaled(std::span<const T> b, T s, std::span<const T> a, std::span<T> out) const;
    /// Any doubles rounded into the format.
    void convert(std::span<const double> a, std::span<T> out) const;

private:
    enum class Way : std::uint8_t { hardware, native, through_double, directed, portable };
    Format format_;
    Way way_ = Way::portable;
    std::uint8_t finish_ = 0;         ///< detail::Finish of the operations
    std::uint8_t convert_finish_ = 0; ///< detail::Finish of convert()
    struct Params {                   ///< mirrors detail::FinishParams
        std::uint64_t mask64 = 0;
        std::uint32_t mask32 = 0;
        int drop = 0;
        double max = 0, overflow = 0, min_normal = 0, grid = 0;
    } params_;

    void run(int op, const T* a, const T* b, const T* c, T s, T* out, std::size_t n) const;
};

extern template class VectorUnit<float>;
extern template class VectorUnit<double>;

/// Name of the instruction set that kernels use here: "avx512", "avx2" or "baseline". InvalidInput as above.
std::string_view kernel_isa();

} // namespace mantissa
