// What the sources of the Python module share. Each has one function that adds its part to the module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "mantissa/format.hpp"

namespace mantissa::python {

namespace nb = nanobind;

void bind_formats(nb::module_& m);
void bind_elementwise(nb::module_& m);
void bind_words(nb::module_& m);
void bind_sums(nb::module_& m);
void bind_narrow(nb::module_& m);
void bind_blocks(nb::module_& m);
void bind_narrow_words(nb::module_& m);

/// A NumPy array (or whatever speaks DLPack) in C order on the processor, as a function reads and as it writes it.
using Readable = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;
using Doubles = nb::ndarray<const double, nb::c_contig, nb::device::cpu, nb::ndim<1>>;
using Writable = nb::ndarray<nb::c_contig, nb::device::cpu>;

/// float64, or float32. Throws InvalidInput for another type.
bool is_single(const nb::dlpack::dtype& type, const char* what);

/// Cuts 0 .. n - 1 into as many ranges as there are threads (0: all cores), each a multiple of `grain` long but the
/// last, and calls `work(first, count)` on each, at once. The first exception is thrown again after the last call.
void in_parallel(std::size_t n, int threads, std::size_t grain,
                 const std::function<void(std::size_t first, std::size_t count)>& work);

/// The bits, where a number of so many can have them; else throws InvalidInput.
inline std::uint64_t pattern(std::uint64_t bits, int width) {
    if (width < 64 && (bits >> width) != 0)
        throw InvalidInput("a bit pattern of " + std::to_string(width) + " bits is 0 to " +
                           std::to_string((std::uint64_t{1} << width) - 1));
    return bits;
}

/// What copies and pickles of a format are made by: its type, called with its text.
nb::tuple made_of_text(nb::handle format);

/// A class of formats that are told by their text: made of it, shown, compared, hashed, copied and pickled by it.
/// make(text) is the format, or throws InvalidInput.
template <class F, class Make>
nb::class_<F> format_class(nb::module_& m, const char* name, const char* what, const Make& make) {
    const auto equal = [](const F& a, const F& b) {
        if constexpr (requires { a.canonical(); }) return a.canonical() == b.canonical();
        else return a == b;
    };
    return nb::class_<F>(m, name, what)
        .def(
            "__init__", [make](F* self, std::string_view text) { new (self) F(make(text)); }, nb::arg("text"))
        .def("__repr__", [name](const F& f) { return std::string(name) + "('" + to_string(f) + "')"; })
        .def("__str__", [](const F& f) { return to_string(f); })
        .def("__eq__", equal, nb::is_operator())
        .def("__hash__", [](const F& f) { return std::hash<std::string>{}(to_string(f)); })
        .def("__reduce__", &made_of_text);
}

/// Has ^C been pressed? Looks at most every twentieth of a second; takes the GIL to look. Once true, the Python
/// exception stands, and the caller leaves by throwing nb::python_error.
bool interrupted();

} // namespace mantissa::python
