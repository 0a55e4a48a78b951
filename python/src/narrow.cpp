// Narrow formats: as Python objects, and operations on arrays.
#include "bindings.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

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
    in_parallel(n, threads, 16384, [&](std::size_t first, std::size_t count) {
        const NarrowUnit unit(f, seed);
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

} // namespace

void bind_narrow(nb::module_& m) {
    nb::class_<NarrowFormat>(
        m, "NarrowFormat",
        "A short floating-point format, or a rounding that datapaths do not have: 'fp8_e4m3', "
        "'fp8_e5m2', 'fp6_e3m2', 'fp6_e2m3', 'fp4_e2m1', or s<M>e<E> with one of the policy words rna "
        "(ties away), odd, up, down and sr (stochastic).")
        .def(
            "__init__",
            [](NarrowFormat* self, std::string_view text) {
                const auto f = narrow::parse_narrow(text);
                if (!f)
                    throw InvalidInput("format '" + std::string(text) + "': no narrow format; see mantissa.format()");
                new (self) NarrowFormat(*f);
            },
            "text"_a)
        .def("__repr__", [](const NarrowFormat& f) { return "NarrowFormat('" + narrow::to_string(f) + "')"; })
        .def("__str__", [](const NarrowFormat& f) { return narrow::to_string(f); })
        .def(
            "__eq__", [](const NarrowFormat& a, const NarrowFormat& b) { return a == b; }, nb::is_operator())
        .def("__hash__", [](const NarrowFormat& f) { return std::hash<std::string>{}(narrow::to_string(f)); })
        .def_prop_ro("is_fixed", [](const NarrowFormat&) { return false; })
        .def_prop_ro(
            "single", [](const NarrowFormat&) { return true; }, "Every value is a float32.")
        .def_prop_ro("as_double", [](const NarrowFormat&) { return true; })
        .def_prop_ro("stochastic", [](const NarrowFormat& f) { return f.direction == narrow::Direction::stochastic; })
        .def_prop_ro("width", &NarrowFormat::width, "Bits of a number.")
        .def_ro("fraction_bits", &NarrowFormat::fraction_bits)
        .def_ro("exponent_bits", &NarrowFormat::exponent_bits)
        .def_ro("max", &NarrowFormat::max, "Largest number.")
        .def_ro("has_infinity", &NarrowFormat::has_infinity)
        .def_ro("has_nan", &NarrowFormat::has_nan)
        .def_prop_ro("epsilon", [](const NarrowFormat& f) { return Format::power_of_two(-f.fraction_bits); })
        .def_prop_ro("min_normal", [](const NarrowFormat& f) { return Format::power_of_two(f.min_exponent); })
        .def_prop_ro("min_positive",
                     [](const NarrowFormat& f) {
                         return Format::power_of_two(f.gradual ? f.min_exponent - f.fraction_bits : f.min_exponent);
                     })
        .def(
            "encode", [](const NarrowFormat& f, double x) { return narrow::encode(f, x); }, "value"_a)
        .def(
            "decode", [](const NarrowFormat& f, std::uint32_t bits) { return narrow::decode(f, bits); }, "bits"_a);
    m.def(
        "is_narrow", [](std::string_view text) { return narrow::parse_narrow(text).has_value(); }, "text"_a);
    m.def("apply_narrow", &apply, "format"_a, "operation"_a, "out"_a.noconvert(), "a"_a.noconvert(),
          "b"_a.noconvert().none(), "c"_a.noconvert().none(), "seed"_a, "threads"_a,
          "out[i] = a[i] op b[i], rounded once into the narrow format.");
}

} // namespace mantissa::python
