// Words of fixed-point formats with any rounding and overflow: as Python objects, and operations on arrays.
#include "bindings.hpp"

#include <cmath>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "mantissa/narrow/word_format.hpp"

namespace mantissa::python {

using namespace nb::literals;
using narrow::WordFlags;
using narrow::WordFormat;
using narrow::WordUnit;

namespace {

using WordsIn = nb::ndarray<const std::int64_t, nb::c_contig, nb::device::cpu, nb::ndim<1>>;
using WordsOut = nb::ndarray<std::int64_t, nb::c_contig, nb::device::cpu, nb::ndim<1>>;

/// 0, 1 where a result overflowed, 2 where there is none.
int code(const WordFlags& flags) {
    return flags.impossible ? 2 : flags.overflow ? 1 : 0;
}

int convert(const WordFormat& f, const Doubles& a, const WordsOut& out, std::uint64_t seed, int threads) {
    if (a.size() != out.size()) throw InvalidInput("words: not as many as there are numbers");
    const double* const x = a.data();
    std::int64_t* const to = out.data();
    const std::size_t n = out.size();
    const nb::gil_scoped_release release;
    std::mutex lock;
    WordFlags flags;
    in_parallel(n, threads, 16384, [&](std::size_t first, std::size_t count) {
        const WordFlags here = WordUnit(f, seed).convert({x + first, count}, {to + first, count}, first);
        const std::lock_guard guard(lock);
        flags |= here;
    });
    return code(flags);
}

WordUnit::Op operation(std::string_view text) {
    constexpr std::pair<std::string_view, WordUnit::Op> kAll[] = {{"add", WordUnit::Op::add},
                                                                  {"sub", WordUnit::Op::sub},
                                                                  {"mul", WordUnit::Op::mul},
                                                                  {"div", WordUnit::Op::div},
                                                                  {"fma", WordUnit::Op::fma}};
    for (const auto& [name, op] : kAll)
        if (text == name) return op;
    throw InvalidInput("operation '" + std::string(text) + "': fixed-point formats have add, sub, mul, div and fma");
}

int apply(const WordFormat& f, std::string_view op_name, const WordsOut& out, const WordsIn& a, const WordsIn& b,
          const std::optional<WordsIn>& c, std::uint64_t seed, int threads) {
    const WordUnit::Op op = operation(op_name);
    const std::size_t n = out.size();
    if (a.size() != n || b.size() != n || (c && c->size() != n) || (op == WordUnit::Op::fma && !c))
        throw InvalidInput("words: an operand is missing, or has not as many elements as the result");
    const std::int64_t *x = a.data(), *y = b.data(), *z = c ? c->data() : nullptr;
    std::int64_t* const to = out.data();
    const nb::gil_scoped_release release;
    std::mutex lock;
    WordFlags flags;
    in_parallel(n, threads, 16384, [&](std::size_t first, std::size_t count) {
        const std::span<const std::int64_t> third = z ? std::span(z + first, count) : std::span<const std::int64_t>();
        const WordFlags here =
            WordUnit(f, seed).apply(op, {x + first, count}, {y + first, count}, third, {to + first, count}, first);
        const std::lock_guard guard(lock);
        flags |= here;
    });
    return code(flags);
}

/// out[i, j] = the sum over k of a[i, k] b[k, j], or out[i] that of a[i, k].
int sums(const WordFormat& f, const WordsIn& a, const std::optional<WordsIn>& b, const WordsOut& out,
         std::size_t length, std::uint64_t seed) {
    const std::size_t columns = b && length != 0 ? b->size() / length : 1,
                      height = columns == 0 ? 0 : out.size() / columns;
    if (a.size() != height * length || out.size() != height * columns || (b && b->size() != length * columns))
        throw InvalidInput("words: give arrays of matching shapes");
    const nb::gil_scoped_release release;
    WordFlags flags;
    for (std::size_t i = 0; i < height; ++i)
        for (std::size_t j = 0; j < columns; ++j)
            flags |= WordUnit(f, seed).sum({a.data() + i * length, length}, b ? b->data() + j : nullptr, columns,
                                           out.data()[i * columns + j], i * columns + j);
    return code(flags);
}

} // namespace

void bind_narrow_words(nb::module_& m) {
    const auto power = [](int e) { return std::ldexp(1.0, e); };
    format_class<WordFormat>(
        m, "WordFormat",
        "A fixed-point format with any rounding and overflow: 'fx18.16:sat', 'fx18.16:wrap', words "
        "without a sign 'ufx18.16', and the words floor, up, rz, rne, rna, odd and sr.",
        [](std::string_view text) {
            if (const auto f = narrow::parse_words(text)) return *f;
            throw InvalidInput("format '" + std::string(text) + "': not one of these; see mantissa.format()");
        })
        .def_prop_ro("is_fixed", [](const WordFormat&) { return true; })
        .def_ro("width", &WordFormat::word_bits, "Bits of a word.")
        .def_ro("fraction_bits", &WordFormat::fraction_bits, "Bits after the point.")
        .def_prop_ro("exponent_bits", [](const WordFormat&) { return 0; })
        .def_ro("is_signed", &WordFormat::is_signed)
        .def_prop_ro("single", [](const WordFormat&) { return false; })
        .def_prop_ro(
            "as_double", [](const WordFormat& f) { return f.word_bits <= 53; }, "Is every value a float64?")
        .def_prop_ro("stochastic", [](const WordFormat& f) { return f.rounding == narrow::WordRounding::stochastic; })
        .def_prop_ro(
            "reports", [](const WordFormat& f) { return f.overflow == narrow::WordOverflow::report; },
            "Is what does not fit an error?")
        .def_prop_ro("epsilon", [power](const WordFormat& f) { return power(-f.fraction_bits); })
        .def_prop_ro(
            "max", [power](const WordFormat& f) { return static_cast<double>(f.max_word()) * power(-f.fraction_bits); })
        .def_prop_ro(
            "min", [power](const WordFormat& f) { return static_cast<double>(f.min_word()) * power(-f.fraction_bits); })
        .def_prop_ro("min_positive", [power](const WordFormat& f) { return power(-f.fraction_bits); })
        .def_prop_ro("min_word", &WordFormat::min_word)
        .def_prop_ro("max_word", &WordFormat::max_word)
        .def(
            "encode",
            [](const WordFormat& f, double x) {
                const double units = std::ldexp(x, f.fraction_bits);
                if (units != std::floor(units) || units < static_cast<double>(f.min_word()) ||
                    units > static_cast<double>(f.max_word()))
                    throw InvalidInput("a number that is no value of " + narrow::to_string(f) +
                                       " has no bits in it; round it first");
                return static_cast<std::uint64_t>(static_cast<std::int64_t>(units)) &
                       (~std::uint64_t{0} >> (64 - f.word_bits));
            },
            "value"_a, "The bit pattern of a value, as an integer.")
        .def(
            "decode",
            [](const WordFormat& f, std::uint64_t bits) {
                pattern(bits, f.word_bits);
                const int above = 64 - f.word_bits;
                const double units = f.is_signed
                                         ? static_cast<double>(static_cast<std::int64_t>(bits << above) >> above)
                                         : static_cast<double>((bits << above) >> above);
                return std::ldexp(units, -f.fraction_bits);
            },
            "bits"_a, "The value of a bit pattern.");
    m.def(
        "is_words", [](std::string_view text) { return narrow::parse_words(text).has_value(); }, "text"_a);
    m.def("convert_to", &convert, "format"_a, "a"_a.noconvert(), "out"_a.noconvert(), "seed"_a, "threads"_a,
          "float64 rounded into words: 1 where one did not fit, 2 where there is no word for it.");
    m.def("apply_to", &apply, "format"_a, "operation"_a, "out"_a.noconvert(), "a"_a.noconvert(), "b"_a.noconvert(),
          "c"_a.noconvert().none(), "seed"_a, "threads"_a, "Operations on words, likewise.");
    m.def("sums_to", &sums, "format"_a, "a"_a.noconvert(), "b"_a.noconvert().none(), "out"_a.noconvert(), "length"_a,
          "seed"_a, "Sums of words, or products of matrices of them: exact, rounded once.");
}

} // namespace mantissa::python
