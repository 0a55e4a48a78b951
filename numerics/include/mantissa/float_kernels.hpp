// VectorUnit<Float<F>>: the vector kernels for arrays of a format fixed at compile time.
//
//     using Short = mantissa::Float<"s17e8"_fmt>;
//     std::vector<Short> x(n), y(n);
//     const mantissa::VectorUnit<Short> unit;
//     unit.add_scaled(y, 0.5, x, y);              // y += 0.5 x, at the speed of the run-time kernels
#pragma once

#include <span>
#include <string_view>

#include "mantissa/float.hpp"
#include "mantissa/kernels.hpp"

namespace mantissa {

/// A VectorUnit of F's carrier whose arrays and scalars are Float<F> throughout, so that everything that enters an
/// operation is a value of the format. Bits and speed are those of VectorUnit<carrier_type>(F).
template <Format F> class VectorUnit<Float<F>> {
public:
    using Number = Float<F>;
    using Carrier = typename Number::carrier_type;
    using Path = typename VectorUnit<Carrier>::Path;
    using In = std::span<const Number>;
    using Out = std::span<Number>;

    explicit VectorUnit(Path path = Path::fastest) : unit_(F, path) {}

    [[nodiscard]] static constexpr Format format() { return F; }
    [[nodiscard]] std::string_view path() const { return unit_.path(); }

    void add(In a, In b, Out out) const { unit_.add(a, b, out); }
    void sub(In a, In b, Out out) const { unit_.sub(a, b, out); }
    void mul(In a, In b, Out out) const { unit_.mul(a, b, out); }
    void div(In a, In b, Out out) const { unit_.div(a, b, out); }
    void sqrt(In a, Out out) const { unit_.sqrt(a, out); }
    void fma(In a, In b, In c, Out out) const { unit_.fma(a, b, c, out); }
    void scale(Number s, In a, Out out) const { unit_.scale(s, a, out); }
    void add_scaled(In b, Number s, In a, Out out) const { unit_.add_scaled(b, s, a, out); }
    void sub_scaled(In b, Number s, In a, Out out) const { unit_.sub_scaled(b, s, a, out); }
    /// Any doubles rounded into F.
    void convert(std::span<const double> a, Out out) const { unit_.convert(a, out); }
    /// Numbers of any format with the same carrier rounded into F.
    template <detail::NumbersIn<Carrier> A> void round(const A& a, Out out) const { unit_.round(a, out); }

private:
    VectorUnit<Carrier> unit_;
};

} // namespace mantissa
