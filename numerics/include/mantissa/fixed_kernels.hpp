// Vector kernels for a fixed-point format that is chosen at run time: whole arrays of words through one operation, each
// element the exact result rounded once (the contract of fixed_arithmetic.hpp), at the speed of the processor's
// integers.
//
//     const mantissa::FixedUnit<std::int32_t> unit(mantissa::parse_format("fx18.16"));
//     std::vector<std::int32_t> p(n), q(n);
//     bool overflow = unit.convert(doubles, p);
//     overflow |= unit.sub_scaled(q, mantissa::fixed::Scalar::of(0.37), p, q);        // q -= 0.37 p
//
//     using Word = mantissa::Fixed<"fx18.16"_fmt>;                                    // the same for arrays of
//     Fixed<F> const mantissa::FixedUnit<Word> words;
//
// What does not fit is reported, never lost: every operation returns whether any element overflowed, and goes on. Such
// an element keeps the low W bits of its result, as hardware would; a double that does not fit becomes the largest or
// the smallest word, NaN the word 0.
//
// Which path runs changes the speed, never a bit: products of up to 62 bits in 64-bit lanes (arrays of 32-bit words
// always, where the format's F is in 0..62), longer ones in 128 bits, and what is left (F below zero, shifts to the
// left that a factor cannot take) by the definition, element by element.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "mantissa/fixed_arithmetic.hpp"
#include "mantissa/format.hpp"
#include "mantissa/kernels.hpp"

namespace mantissa {

template <Format F> class Fixed;

namespace detail {

template <class X> struct FixedFormatOf { static constexpr bool kIsFixed = false; };
template <Format F> struct FixedFormatOf<Fixed<F>> {
    static constexpr bool kIsFixed = true;
    static constexpr Format kFormat = F;
};

/// A contiguous array of Fixed<F>, some F whose words are in T.
template <class R, class T>
concept FixedNumbersIn =
    Array<R> && FixedFormatOf<ElementOf<R>>::kIsFixed && std::is_same_v<typename ElementOf<R>::word_type, T>;
/// The same, whatever the words are in.
template <class R>
concept FixedNumbers = Array<R> && FixedFormatOf<ElementOf<R>>::kIsFixed;

/// Where an array's words are: Fixed<F> is its word and nothing else, and the kernels copy bytes.
template <class Address> struct WordMemory {
    Address address = nullptr;
    std::size_t size = 0;

    WordMemory() = default;
    template <class X, std::size_t N> WordMemory(std::span<X, N> array) : address(array.data()), size(array.size()) {
        static_assert(std::is_trivially_copyable_v<X> && std::is_standard_layout_v<X>);
        if constexpr (FixedFormatOf<std::remove_const_t<X>>::kIsFixed) {
            static_assert(sizeof(X) == sizeof(typename X::word_type));
            static_assert(alignof(X) == alignof(typename X::word_type));
        }
    }
};

} // namespace detail

/// Arithmetic on arrays of words: T is std::int32_t (W <= 32) or std::int64_t. Operands are words of the unit's format.
/// Cheap to copy; thread-safe. Instruction sets and MANTISSA_ISA as for VectorUnit. Array arguments of one call have
/// equal length (checked: InvalidInput); the output may be one of the inputs.
///
/// Every operation also takes contiguous arrays of Fixed<F> whose word_type is T; F must be the unit's format (checked:
/// InvalidInput).
template <class T> class FixedUnit {
    static_assert(std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::int64_t>,
                  "words are in std::int32_t or std::int64_t");
    using In = detail::WordMemory<const void*>;
    using Out = detail::WordMemory<void*>;
    using Words = std::span<const T>;

public:
    using Path = VectorUnit<float>::Path;

    /// Throws InvalidInput where `format` is floating, or has words longer than T.
    explicit FixedUnit(const Format& format, Path path = Path::fastest);

    [[nodiscard]] const Format& format() const { return format_; }

    [[nodiscard]] bool add(Words a, Words b, std::span<T> out) const { return run(Operation::add, {}, a, b, {}, out); }
    [[nodiscard]] bool sub(Words a, Words b, std::span<T> out) const { return run(Operation::sub, {}, a, b, {}, out); }
    [[nodiscard]] bool mul(Words a, Words b, std::span<T> out) const { return run(Operation::mul, {}, a, b, {}, out); }
    /// a * b + c rounded once.
    [[nodiscard]] bool fma(Words a, Words b, Words c, std::span<T> out) const {
        return run(Operation::fma, {}, a, b, c, out);
    }
    /// s * a, the exact product rounded once. Where a's words are of a format with other fraction bits, F' of them, add
    /// F - F' to the exponent of s: so in the two operations below.
    [[nodiscard]] bool scale(fixed::Scalar s, Words a, std::span<T> out) const {
        return run(Operation::scale, s, a, {}, {}, out);
    }
    /// b + (s * a): the product is rounded onto the format's grid, and the sum must fit a word.
    [[nodiscard]] bool add_scaled(Words b, fixed::Scalar s, Words a, std::span<T> out) const {
        return run(Operation::add_scaled, s, a, b, {}, out);
    }
    /// b - (s * a), likewise. With rounding half up this is not add_scaled() of -s.
    [[nodiscard]] bool sub_scaled(Words b, fixed::Scalar s, Words a, std::span<T> out) const {
        return run(Operation::sub_scaled, s, a, b, {}, out);
    }
    /// Doubles rounded into the format.
    [[nodiscard]] bool convert(std::span<const double> a, std::span<T> out) const { return from_doubles(a, out); }
    /// Words of the fixed format `from` rounded into this one. Not in place where their types differ in size.
    [[nodiscard]] bool round(const Format& from, std::span<const std::int32_t> a, std::span<T> out) const {
        return from_words(from, a, 4, out);
    }
    [[nodiscard]] bool round(const Format& from, std::span<const std::int64_t> a, std::span<T> out) const {
        return from_words(from, a, 8, out);
    }
    /// The values of words: exact for W <= 53, else to nearest even.
    void to_doubles(Words a, std::span<double> out) const { into_doubles(a, out); }

    // The same on arrays of Fixed<F>.
    template <detail::FixedNumbersIn<T> A, detail::Like<A> B, detail::Like<A> R>
    [[nodiscard]] bool add(const A& a, const B& b, R&& out) const {
        return numbers<A>(Operation::add, {}, std::span(a), std::span(b), {}, std::span(out));
    }
    template <detail::FixedNumbersIn<T> A, detail::Like<A> B, detail::Like<A> R>
    [[nodiscard]] bool sub(const A& a, const B& b, R&& out) const {
        return numbers<A>(Operation::sub, {}, std::span(a), std::span(b), {}, std::span(out));
    }
    template <detail::FixedNumbersIn<T> A, detail::Like<A> B, detail::Like<A> R>
    [[nodiscard]] bool mul(const A& a, const B& b, R&& out) const {
        return numbers<A>(Operation::mul, {}, std::span(a), std::span(b), {}, std::span(out));
    }
    template <detail::FixedNumbersIn<T> A, detail::Like<A> B, detail::Like<A> C, detail::Like<A> R>
    [[nodiscard]] bool fma(const A& a, const B& b, const C& c, R&& out) const {
        return numbers<A>(Operation::fma, {}, std::span(a), std::span(b), std::span(c), std::span(out));
    }
    template <detail::FixedNumbersIn<T> A, detail::Like<A> R>
    [[nodiscard]] bool scale(fixed::Scalar s, const A& a, R&& out) const {
        return numbers<A>(Operation::scale, s, std::span(a), {}, {}, std::span(out));
    }
    template <detail::FixedNumbersIn<T> A, detail::Like<A> B, detail::Like<A> R>
    [[nodiscard]] bool add_scaled(const B& b, fixed::Scalar s, const A& a, R&& out) const {
        return numbers<A>(Operation::add_scaled, s, std::span(a), std::span(b), {}, std::span(out));
    }
    template <detail::FixedNumbersIn<T> A, detail::Like<A> B, detail::Like<A> R>
    [[nodiscard]] bool sub_scaled(const B& b, fixed::Scalar s, const A& a, R&& out) const {
        return numbers<A>(Operation::sub_scaled, s, std::span(a), std::span(b), {}, std::span(out));
    }
    template <detail::FixedNumbersIn<T> R> [[nodiscard]] bool convert(std::span<const double> a, R&& out) const {
        require_format(format_of<R>());
        return from_doubles(a, std::span(out));
    }
    /// From any fixed format.
    template <detail::FixedNumbers A, detail::FixedNumbersIn<T> R> [[nodiscard]] bool round(const A& a, R&& out) const {
        require_format(format_of<R>());
        return from_words(format_of<A>(), std::span(a), sizeof(detail::ElementOf<A>), std::span(out));
    }
    template <detail::FixedNumbersIn<T> A> void to_doubles(const A& a, std::span<double> out) const {
        require_format(format_of<A>());
        into_doubles(std::span(a), out);
    }

private:
    Format format_;
    bool portable_;

    template <class R> static constexpr const Format& format_of() {
        return detail::FixedFormatOf<detail::ElementOf<R>>::kFormat;
    }
    template <class A> bool numbers(Operation op, fixed::Scalar s, In a, In b, In c, Out out) const {
        require_format(format_of<A>());
        return run(op, s, a, b, c, out);
    }
    void require_format(const Format& elements) const;
    bool run(Operation op, fixed::Scalar s, In a, In b, In c, Out out) const;
    bool from_doubles(std::span<const double> a, Out out) const;
    bool from_words(const Format& from, In a, std::size_t word_size, Out out) const;
    void into_doubles(In a, std::span<double> out) const;
};

extern template class FixedUnit<std::int32_t>;
extern template class FixedUnit<std::int64_t>;

/// The same with the format in the type: arrays of Fixed<F> throughout, so that arrays of another format do not
/// compile.
template <Format F> class FixedUnit<Fixed<F>> {
public:
    using Number = Fixed<F>;
    using Word = typename Number::word_type;
    using Path = typename FixedUnit<Word>::Path;
    using In = std::span<const Number>;
    using Out = std::span<Number>;

    explicit FixedUnit(Path path = Path::fastest) : unit_(F, path) {}

    [[nodiscard]] static constexpr Format format() { return F; }

    [[nodiscard]] bool add(In a, In b, Out out) const { return unit_.add(a, b, out); }
    [[nodiscard]] bool sub(In a, In b, Out out) const { return unit_.sub(a, b, out); }
    [[nodiscard]] bool mul(In a, In b, Out out) const { return unit_.mul(a, b, out); }
    [[nodiscard]] bool fma(In a, In b, In c, Out out) const { return unit_.fma(a, b, c, out); }
    [[nodiscard]] bool scale(fixed::Scalar s, In a, Out out) const { return unit_.scale(s, a, out); }
    [[nodiscard]] bool add_scaled(In b, fixed::Scalar s, In a, Out out) const { return unit_.add_scaled(b, s, a, out); }
    [[nodiscard]] bool sub_scaled(In b, fixed::Scalar s, In a, Out out) const { return unit_.sub_scaled(b, s, a, out); }
    [[nodiscard]] bool convert(std::span<const double> a, Out out) const { return unit_.convert(a, out); }
    template <detail::FixedNumbers A> [[nodiscard]] bool round(const A& a, Out out) const {
        return unit_.round(a, out);
    }
    void to_doubles(In a, std::span<double> out) const { unit_.to_doubles(a, out); }

private:
    FixedUnit<Word> unit_;
};

} // namespace mantissa
