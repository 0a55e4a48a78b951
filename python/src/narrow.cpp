// Narrow formats: as Python objects, and operations on arrays.
#include "bindings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "mantissa/narrow/block_scale.hpp"
#include "mantissa/narrow/narrow_unit.hpp"

namespace mantissa::python {

using namespace nb::literals;
using narrow::NarrowFormat;
using narrow::NarrowUnit;

namespace {

constexpr std::size_t kBlock = 2048;

Operation operation(std::string_view text) {
    for (const Operation op : kAllOperations)
        if (text == name(op)) return op;
    throw InvalidInput("operation '" + std::string(text) + "': there is none of that name");
}

struct Operand {
    const void* data = nullptr;
    bool single = false, repeated = false;

    Operand() = default;
    Operand(const Readable& a, std::size_t n, const char* what)
        : data(a.data()), single(is_single(a.dtype(), what)), repeated(a.size() == 1 && n != 1) {
        if (!repeated && a.size() != n)
            throw InvalidInput(std::string(what) + ": not as many elements as the result has");
    }
    std::span<const double> block(std::size_t first, std::size_t n, std::vector<double>& room) const {
        if (data == nullptr) return {};
        room.resize(kBlock);
        const auto from = [&](const auto* x) {
            if (repeated) std::fill_n(room.begin(), n, static_cast<double>(*x));
            else std::copy_n(x + first, n, room.begin());
        };
        if (single) from(static_cast<const float*>(data));
        else from(static_cast<const double*>(data));
        return {room.data(), n};
    }
};

void apply(const NarrowFormat& f, std::string_view op_name, const Writable& out, const Readable& a,
           const std::optional<Readable>& b, const std::optional<Readable>& c, std::uint64_t seed, int threads) {
    const Operation op = operation(op_name);
    const std::size_t n = out.size();
    const bool single = is_single(out.dtype(), "out");
    const Operand in[3] = {Operand(a, n, "the first operand"), b ? Operand(*b, n, "the second operand") : Operand(),
                           c ? Operand(*c, n, "the third operand") : Operand()};
    if ((reads_b(op) && !b) || (reads_c(op) && !c))
        throw InvalidInput("operation '" + std::string(op_name) + "': an operand is missing");
    const nb::gil_scoped_release release;
    const NarrowUnit unit(f, seed);
    in_parallel(n, threads, 16384, [&](std::size_t first, std::size_t count) {
        if (op == Operation::convert && !single && !in[0].single && !in[0].repeated)
            return unit.round({static_cast<const double*>(in[0].data) + first, count},
                              {static_cast<double*>(out.data()) + first, count}, first);
        std::vector<double> rooms[3], result(kBlock);
        for (std::size_t i = first; i < first + count; i += kBlock) {
            const std::size_t many = std::min(kBlock, first + count - i);
            const std::span<double> to(single ? result.data() : static_cast<double*>(out.data()) + i, many);
            unit.apply(op, in[0].block(i, many, rooms[0]), in[1].block(i, many, rooms[1]),
                       in[2].block(i, many, rooms[2]), to, i);
            if (single) std::copy_n(to.begin(), many, static_cast<float*>(out.data()) + i); // exact
        }
    });
}

/// A value as Python has it: a float where it is one, else a Fraction.
nb::object number(const narrow::Value& v) {
    constexpr double kInf = std::numeric_limits<double>::infinity();
    if (v.kind == narrow::Value::Kind::nan) return nb::float_(std::numeric_limits<double>::quiet_NaN());
    if (v.kind == narrow::Value::Kind::infinite) return nb::float_(v.negative ? -kInf : kInf);
    const double size = std::ldexp(static_cast<double>(v.significand), v.exponent);
    const bool exact = v.significand == 0 || (std::isfinite(size) && size > 0 && v.exponent >= -1074);
    if (exact) return nb::float_(v.negative ? -size : size);
    const nb::object fraction = nb::module_::import_("fractions").attr("Fraction");
    const nb::int_ one(1), up(std::max(v.exponent, 0)), down(std::max(-v.exponent, 0));
    const nb::object above = nb::int_(v.significand).attr("__lshift__")(up);
    return fraction(v.negative ? above.attr("__neg__")() : above, one.attr("__lshift__")(down));
}

/// Of a float, an integer or a Fraction. What is no integer over a power of two is no value of any format.
narrow::Value value_of(const NarrowFormat& f, const nb::object& x) {
    narrow::Value v;
    if (nb::isinstance<nb::float_>(x) || !nb::hasattr(x, "numerator")) {
        const auto number = nb::cast<double>(x);
        v.negative = std::signbit(number);
        if (std::isnan(number)) v.kind = narrow::Value::Kind::nan;
        if (std::isinf(number)) v.kind = narrow::Value::Kind::infinite;
        if (!std::isfinite(number) || number == 0) return v;
        int exponent = 0;
        v.significand = static_cast<std::uint64_t>(std::ldexp(std::frexp(std::fabs(number), &exponent), 53));
        v.exponent = exponent - 53;
        return v;
    }
    const nb::int_ above(x.attr("numerator")), below(x.attr("denominator"));
    const nb::object size = above.attr("__abs__")();
    const auto length = [](const nb::object& n) { return nb::cast<int>(n.attr("bit_length")()); };
    // The zeros at the end of a number: the length of n & -n, less 1.
    const auto zeros = [&](const nb::object& n) { return length(n.attr("__and__")(n.attr("__neg__")())) - 1; };
    v.negative = !above.equal(size);
    if (length(size) == 0) return v;
    const int up = zeros(size), down = zeros(below);
    if (length(size) - up > 64 || length(below) != down + 1)
        throw InvalidInput("a number that is no value of " + narrow::to_string(f) +
                           " has no bits in it; round it first");
    v.significand = nb::cast<std::uint64_t>(size.attr("__rshift__")(nb::int_(up)));
    v.exponent = up - down;
    return v;
}

/// Patterns of numbers that are values of the format.
template <class F>
void encode_all(const F& f, const Doubles& a,
                const nb::ndarray<std::uint64_t, nb::c_contig, nb::device::cpu, nb::ndim<1>>& out) {
    if (a.size() != out.size()) throw InvalidInput("patterns: not as many as there are numbers");
    for (std::size_t i = 0; i < a.size(); ++i) out.data()[i] = encode(f, a.data()[i]);
}

} // namespace

void bind_narrow(nb::module_& m) {
    format_class<NarrowFormat>(
        m, "NarrowFormat",
        "A short floating-point format, or a rounding that datapaths do not have: 'fp8_e4m3', 'fp8_e5m2', "
        "'fp8_e4m3fnuz', 'fp8_e5m2fnuz', 'fp6_e3m2', 'fp6_e2m3', 'fp4_e2m1', 'e8m0', IEEE P3109's "
        "binary<K>p<P>, or s<M>e<E> with one of the policy words rna (ties away), odd, up, down and sr "
        "(stochastic).",
        [](std::string_view text) {
            if (const auto f = narrow::parse_narrow(text)) return *f;
            throw InvalidInput("format '" + std::string(text) + "': no narrow format; see mantissa.format()");
        })
        .def_prop_ro("is_fixed", [](const NarrowFormat&) { return false; })
        .def_prop_ro(
            "single", [](const NarrowFormat& f) { return f.fits_float(); }, "Is every value a float32?")
        .def_prop_ro("as_double", &NarrowFormat::fits_double)
        .def_prop_ro("stochastic", [](const NarrowFormat& f) { return f.direction == narrow::Direction::stochastic; })
        .def_prop_ro("width", &NarrowFormat::width, "Bits of a number.")
        .def_ro("fraction_bits", &NarrowFormat::fraction_bits)
        .def_ro("exponent_bits", &NarrowFormat::exponent_bits)
        .def_prop_ro(
            "max", [](const NarrowFormat& f) { return number(narrow::largest(f)); }, "Largest number.")
        .def_ro("is_signed", &NarrowFormat::is_signed)
        .def_ro("has_infinity", &NarrowFormat::has_infinity)
        .def_ro("has_nan", &NarrowFormat::has_nan)
        .def_prop_ro("epsilon", [](const NarrowFormat& f) { return Format::power_of_two(-f.fraction_bits); })
        .def_prop_ro("min_normal",
                     [](const NarrowFormat& f) {
                         return number({narrow::Value::Kind::finite, false, 1, f.min_exponent});
                     })
        .def_prop_ro("min_positive",
                     [](const NarrowFormat& f) {
                         const int exponent = f.gradual ? f.min_exponent - f.fraction_bits : f.min_exponent;
                         return number({narrow::Value::Kind::finite, false, 1, exponent});
                     })
        .def(
            "encode", [](const NarrowFormat& f, const nb::object& x) { return narrow::encode(f, value_of(f, x)); },
            "value"_a)
        .def(
            "decode",
            [](const NarrowFormat& f, std::uint64_t bits) {
                return number(narrow::decode_value(f, pattern(bits, f.width())));
            },
            "bits"_a);
    m.def("encode_values", &encode_all<Format>, "format"_a, "a"_a.noconvert(), "out"_a.noconvert(),
          "Bit patterns of numbers that are values of the format.");
    m.def("encode_values", &encode_all<NarrowFormat>, "format"_a, "a"_a.noconvert(), "out"_a.noconvert());
    m.def(
        "block_scales",
        [](std::string_view text, const Doubles& most,
           const nb::ndarray<double, nb::c_contig, nb::device::cpu, nb::ndim<1>>& out) {
            const auto f = narrow::parse_block_format(text);
            if (!f) throw InvalidInput("block format '" + std::string(text) + "': give one, as mxint8:ceil");
            if (most.size() != out.size()) throw InvalidInput("scales: not as many as there are blocks");
            for (std::size_t i = 0; i < out.size(); ++i) out.data()[i] = narrow::block_scale(*f, most.data()[i]);
        },
        "format"_a, "most"_a.noconvert(), "out"_a.noconvert(),
        "Scales of blocks of MX words with these largest magnitudes; the format's text names the rule.");
    m.def(
        "is_narrow", [](std::string_view text) { return narrow::parse_narrow(text).has_value(); }, "text"_a);
    m.def("apply_narrow", &apply, "format"_a, "operation"_a, "out"_a.noconvert(), "a"_a.noconvert(),
          "b"_a.noconvert().none(), "c"_a.noconvert().none(), "seed"_a, "threads"_a,
          "out[i] = a[i] op b[i], rounded once into the narrow format.");
}

} // namespace mantissa::python
