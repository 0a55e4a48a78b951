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
//              rounds; in one sweep with AVX-512 where the format has its carrier's exponents and overflows to infinity
//   portable   integers: other processors, and fma() of doubles without a fused multiply-add in the instruction set
// The caller's rounding mode and flags' masks are restored on return.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "mantissa/format.hpp"
#include "mantissa/operation.hpp"

namespace mantissa {

template <Format F> class Float;

namespace detail {

/// What a contiguous array R holds.
template <class R> using ElementOf = typename decltype(std::span(std::declval<R&>()))::value_type;

template <class X> struct FormatOf { static constexpr bool kIsFloat = false; };
template <Format F> struct FormatOf<Float<F>> {
    static constexpr bool kIsFloat = true;
    static constexpr Format kFormat = F;
};

template <class R>
concept Array = requires {
    typename ElementOf<R>;
};
/// A contiguous array of Float<F>, some F that T carries.
template <class R, class T>
concept NumbersIn =
    Array<R> && FormatOf<ElementOf<R>>::kIsFloat && std::is_same_v<typename ElementOf<R>::carrier_type, T>;
/// A contiguous array of what A holds.
template <class R, class A>
concept Like = Array<R> && std::is_same_v<ElementOf<R>, ElementOf<A>>;

/// Where an array's bytes are. Float<F> is its carrier and nothing else, so those of an array of Float<F> are those of
/// an array of carriers; the kernels copy them in and out element by element, whichever of the two they belong to.
template <class Address> struct Memory {
    Address address = nullptr;
    std::size_t size = 0;

    Memory() = default;
    template <class X, std::size_t N> Memory(std::span<X, N> array) : address(array.data()), size(array.size()) {
        static_assert(std::is_trivially_copyable_v<X> && std::is_standard_layout_v<X>);
        if constexpr (FormatOf<std::remove_const_t<X>>::kIsFloat) {
            using T = typename X::carrier_type;
            static_assert(sizeof(X) == sizeof(T));
            static_assert(alignof(X) == alignof(T));
        }
    }
};
using Readable = Memory<const void*>;
using Writable = Memory<void*>;

} // namespace detail

/// Arithmetic on arrays of T (float or double). Results are values of one format. Operands in arrays of float are
/// values of it too; in double they may be any doubles, as mixed datapaths want. Cheap to copy; thread-safe.
/// MANTISSA_ISA=baseline|avx2|avx512 in the environment lowers the instruction set; anything else there is refused
/// (InvalidInput) by the first constructor of a unit with Path::fastest.
/// Array arguments of one call have equal length (checked: InvalidInput); the output may be one of the inputs.
///
/// Every operation also takes contiguous arrays of Float<F> (std::vector<Float<F>>, std::span, std::array), where T is
/// their carrier, without a cast or a copy; F must be the unit's format (checked: InvalidInput). VectorUnit<Float<F>>
/// in float_kernels.hpp has that check at compile time.
template <class T> class VectorUnit {
public:
    enum class Path : std::uint8_t { fastest, portable };

    /// Throws InvalidInput when values of `format` do not fit T.
    explicit VectorUnit(const Format& format, Path path = Path::fastest);

    [[nodiscard]] const Format& format() const { return format_; }
    /// "hardware", "native", "double", "directed" or "portable".
    [[nodiscard]] std::string_view path() const;

    void add(std::span<const T> a, std::span<const T> b, std::span<T> out) const {
        run(Operation::add, nullptr, a, b, {}, T{}, out);
    }
    void sub(std::span<const T> a, std::span<const T> b, std::span<T> out) const {
        run(Operation::sub, nullptr, a, b, {}, T{}, out);
    }
    void mul(std::span<const T> a, std::span<const T> b, std::span<T> out) const {
        run(Operation::mul, nullptr, a, b, {}, T{}, out);
    }
    void div(std::span<const T> a, std::span<const T> b, std::span<T> out) const {
        run(Operation::div, nullptr, a, b, {}, T{}, out);
    }
    void sqrt(std::span<const T> a, std::span<T> out) const { run(Operation::sqrt, nullptr, a, {}, {}, T{}, out); }
    /// a * b + c rounded once.
    void fma(std::span<const T> a, std::span<const T> b, std::span<const T> c, std::span<T> out) const {
        run(Operation::fma, nullptr, a, b, c, T{}, out);
    }
    /// s * a, the exact product rounded once. s may be any T, a value of the format or not: it is not rounded into the
    /// format first. A datapath that holds its scalars in the format rounds them itself (exact::convert, Float<F>);
    /// scale(0.1F, ...) and scale(float(Float<F>(0.1F)), ...) differ.
    void scale(T s, std::span<const T> a, std::span<T> out) const { run(Operation::scale, nullptr, a, {}, {}, s, out); }
    /// b + (s * a), both operations rounded; s as for scale().
    void add_scaled(std::span<const T> b, T s, std::span<const T> a, std::span<T> out) const {
        run(Operation::add_scaled, nullptr, a, b, {}, s, out);
    }
    /// b - (s * a), both operations rounded; s as for scale().
    void sub_scaled(std::span<const T> b, T s, std::span<const T> a, std::span<T> out) const {
        run(Operation::sub_scaled, nullptr, a, b, {}, s, out);
    }
    /// Any doubles rounded into the format.
    void convert(std::span<const double> a, std::span<T> out) const { convert_memory(nullptr, a, out); }
    /// Any values of T rounded into the format: arrays of a wider format that T carries into this one.
    void round(std::span<const T> a, std::span<T> out) const { run(Operation::convert, nullptr, a, {}, {}, T{}, out); }

    /// The operation by name, `convert` being round(); operands that it does not read may be empty.
    void apply(Operation op, std::span<const T> a, std::span<const T> b, std::span<const T> c, T s,
               std::span<T> out) const {
        run(op, nullptr, a, b, c, s, out);
    }

    // The same on arrays of Float<F>.
    template <detail::NumbersIn<T> A, detail::Like<A> B, detail::Like<A> Out>
    void add(const A& a, const B& b, Out&& out) const {
        run(Operation::add, of<A>(), std::span(a), std::span(b), {}, T{}, std::span(out));
    }
    template <detail::NumbersIn<T> A, detail::Like<A> B, detail::Like<A> Out>
    void sub(const A& a, const B& b, Out&& out) const {
        run(Operation::sub, of<A>(), std::span(a), std::span(b), {}, T{}, std::span(out));
    }
    template <detail::NumbersIn<T> A, detail::Like<A> B, detail::Like<A> Out>
    void mul(const A& a, const B& b, Out&& out) const {
        run(Operation::mul, of<A>(), std::span(a), std::span(b), {}, T{}, std::span(out));
    }
    template <detail::NumbersIn<T> A, detail::Like<A> B, detail::Like<A> Out>
    void div(const A& a, const B& b, Out&& out) const {
        run(Operation::div, of<A>(), std::span(a), std::span(b), {}, T{}, std::span(out));
    }
    template <detail::NumbersIn<T> A, detail::Like<A> Out> void sqrt(const A& a, Out&& out) const {
        run(Operation::sqrt, of<A>(), std::span(a), {}, {}, T{}, std::span(out));
    }
    template <detail::NumbersIn<T> A, detail::Like<A> B, detail::Like<A> C, detail::Like<A> Out>
    void fma(const A& a, const B& b, const C& c, Out&& out) const {
        run(Operation::fma, of<A>(), std::span(a), std::span(b), std::span(c), T{}, std::span(out));
    }
    template <detail::NumbersIn<T> A, detail::Like<A> Out>
    void scale(detail::ElementOf<A> s, const A& a, Out&& out) const {
        run(Operation::scale, of<A>(), std::span(a), {}, {}, s.carrier(), std::span(out));
    }
    template <detail::NumbersIn<T> A, detail::Like<A> B, detail::Like<A> Out>
    void add_scaled(const B& b, detail::ElementOf<A> s, const A& a, Out&& out) const {
        run(Operation::add_scaled, of<A>(), std::span(a), std::span(b), {}, s.carrier(), std::span(out));
    }
    template <detail::NumbersIn<T> A, detail::Like<A> B, detail::Like<A> Out>
    void sub_scaled(const B& b, detail::ElementOf<A> s, const A& a, Out&& out) const {
        run(Operation::sub_scaled, of<A>(), std::span(a), std::span(b), {}, s.carrier(), std::span(out));
    }
    template <detail::NumbersIn<T> Out> void convert(std::span<const double> a, Out&& out) const {
        convert_memory(of<Out>(), a, std::span(out));
    }
    /// From any format that T carries.
    template <detail::NumbersIn<T> A, detail::NumbersIn<T> Out> void round(const A& a, Out&& out) const {
        run(Operation::convert, of<Out>(), std::span(a), {}, {}, T{}, std::span(out));
    }

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

    template <class R> static const Format* of() { return &detail::FormatOf<detail::ElementOf<R>>::kFormat; }
    /// Checks, and runs. `elements`: the format in the arrays' type, nullptr when they are arrays of T.
    void run(Operation op, const Format* elements, detail::Readable a, detail::Readable b, detail::Readable c, T s,
             detail::Writable out) const;
    void convert_memory(const Format* elements, detail::Readable a, detail::Writable out) const;
    void require_format(const Format* elements) const;
    void form(Operation op, const void* a, const void* b, const void* c, T s, void* out, std::size_t n) const;
    void round_floats(const void* a, void* out, std::size_t n) const requires(sizeof(T) == 4);
};

extern template class VectorUnit<float>;
extern template class VectorUnit<double>;

/// Name of the instruction set that kernels use here: "avx512", "avx2" or "baseline". InvalidInput as above.
std::string_view kernel_isa();

} // namespace mantissa
