// Formats as Python objects.
#include "bindings.hpp"

#include <cmath>
#include <limits>

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

namespace mantissa::python {

using namespace nb::literals;

void bind_formats(nb::module_& m) {
    format_class<Format>(
        m, "Format",
        "A number format. Format('s17e8') has 17 stored fraction bits and 8 exponent bits, truncates and "
        "has no subnormal numbers; Format('fx18.16') has words of 18 bits, 16 of them fraction. Policy "
        "words follow colons: 's10e5:rne:subnormals' is IEEE's half. Names: double, float, half, "
        "bfloat16, tf32.",
        [](std::string_view text) { return parse_format(text); })
        .def_prop_ro("is_fixed", &Format::is_fixed, "Fixed-point words, or floating-point numbers?")
        .def_prop_ro("width", &Format::width, "Bits of a number.")
        .def_ro("fraction_bits", &Format::fraction_bits,
                "Stored fraction bits; of a fixed format, bits after the point.")
        .def_ro("exponent_bits", &Format::exponent_bits, "0 in a fixed format.")
        .def_prop_ro("epsilon", &Format::epsilon,
                     "Distance from 1 to the next larger number; the grid of a fixed format.")
        .def_prop_ro("max", &Format::max, "Largest finite number.")
        .def_prop_ro("min_positive", &Format::min_positive, "Smallest number above zero.")
        .def_prop_ro(
            "min_normal", [](const Format& f) { return f.is_fixed() ? f.epsilon() : f.min_normal(); },
            "Smallest number with all its bits.")
        .def_prop_ro(
            "single", [](const Format& f) { return !f.is_fixed() && f.fits<float>(); }, "Is every value a float32?")
        .def_prop_ro(
            "as_double", [](const Format& f) { return f.fits<double>(); }, "Is every value a float64?")
        .def("contains", &Format::contains, "other"_a, "Is every value of the other format one of this?")
        .def(
            "representable", [](const Format& f, double x) { return representable(f, x); }, "value"_a)
        .def(
            "encode",
            [](const Format& f, double x) {
                if (!representable(f, x) && !std::isnan(x))
                    throw InvalidInput("a number that is no value of " + to_string(f) +
                                       " has no bits in it; round it first");
                return encode(f, x);
            },
            "value"_a, "The bit pattern of a value, as an integer.")
        .def(
            "decode", [](const Format& f, std::uint64_t bits) { return decode(f, pattern(bits, f.width())); }, "bits"_a,
            "The value of a bit pattern.")
        .def(
            "bits", [](const Format& f, double x) { return bit_string(f, x); }, "value"_a,
            "The fields of a value as text, '0 01111111 10000000000000000'.");
}

} // namespace mantissa::python
