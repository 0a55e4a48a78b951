// Dot products of blocks of numbers with a scale each.
#include "bindings.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "mantissa/exact.hpp"

namespace mantissa::python {

using namespace nb::literals;

namespace {

using Integer = exact::detail::u128;

/// A positive number as an integer times 2^exponent, the integer as short as can be.
struct Whole {
    std::uint64_t integer = 0;
    int exponent = 0;

    explicit Whole(double x) {
        int power = 0;
        integer = static_cast<std::uint64_t>(std::ldexp(std::frexp(x, &power), 53));
        const int zeros = integer == 0 ? 0 : std::countr_zero(integer);
        integer >>= zeros;
        exponent = power - 53 + zeros;
    }
    [[nodiscard]] int bits() const { return 64 - std::countl_zero(integer); }
};

/// sx sy times the sum of x[i] y[i], exact and rounded once. Elements are multiples of 2^-unit below 2^(limit - unit).
double block_dot(const Format& f, const double* x, const double* y, std::size_t n, double sx, double sy, int unit,
                 int limit) {
    double unordered = sx + sy; // NaN where a scale or an element is
    __extension__ __int128 sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        unordered += x[i] + y[i];
        if (unordered != unordered) return std::numeric_limits<double>::quiet_NaN();
        sum += static_cast<__int128>(static_cast<std::int64_t>(std::ldexp(x[i], unit))) *
               static_cast<std::int64_t>(std::ldexp(y[i], unit));
    }
    const bool negative = sum < 0;
    const Integer size = negative ? -static_cast<Integer>(sum) : static_cast<Integer>(sum);
    const Whole a(sx), b(sy);
    if (2 * limit + static_cast<int>(std::bit_width(n)) + a.bits() + b.bits() > 127)
        throw InvalidInput("a dot product of blocks so long may not fit 128 bits; take shorter blocks");
    if (size == 0 || a.integer == 0 || b.integer == 0) return 0;
    return exact::from_integer(f, size * a.integer * b.integer, negative, a.exponent + b.exponent - 2 * unit);
}

/// out[k] = the dot product of block k: `block` elements of a and of b from k * block on, with the scales sa[k], sb[k].
void block_dots(const Format& f, const Doubles& a, const Doubles& sa, const Doubles& b, const Doubles& sb,
                const nb::ndarray<double, nb::c_contig, nb::device::cpu, nb::ndim<1>>& out, std::size_t block, int unit,
                int limit, int threads) {
    const std::size_t count = out.size();
    if (a.size() != count * block || b.size() != a.size() || sa.size() != count || sb.size() != count)
        throw InvalidInput("blocks: give arrays of matching shapes");
    if (f.is_fixed()) throw InvalidInput(to_string(f) + ": dot products of blocks are rounded into floating formats");
    const double *x = a.data(), *y = b.data(), *sx = sa.data(), *sy = sb.data();
    double* const to = out.data();
    const nb::gil_scoped_release release;
    in_parallel(count, threads, 64, [&](std::size_t first, std::size_t many) {
        for (std::size_t k = first; k < first + many; ++k)
            to[k] = block_dot(f, x + k * block, y + k * block, block, sx[k], sy[k], unit, limit);
    });
}

} // namespace

void bind_blocks(nb::module_& m) {
    m.def("block_dots", &block_dots, "format"_a, "a"_a.noconvert(), "scales_a"_a.noconvert(), "b"_a.noconvert(),
          "scales_b"_a.noconvert(), "out"_a.noconvert(), "block"_a, "unit"_a, "limit"_a, "threads"_a,
          "out[k] = the scales of block k times the dot product of its elements, exact and rounded once. Elements are "
          "multiples of 2^-unit, of at most `limit` bits.");
}

} // namespace mantissa::python
