// Operations of fixed-point formats on arrays of words.
#include "bindings.hpp"

#include <optional>
#include <string>
#include <string_view>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

#include <atomic>

#include "mantissa/fixed_kernels.hpp"

namespace mantissa::python {

using namespace nb::literals;

namespace {

/// Words as they lie in an array: int32 where the format's words have at most 32 bits, else int64.
template <class T> std::span<const T> words_of(const Readable& array, std::size_t first, std::size_t n) {
    return {static_cast<const T*>(array.data()) + first, n};
}

void require_words(const Format& f, const nb::dlpack::dtype& type, std::size_t size, std::size_t n, const char* what) {
    if (!f.is_fixed()) throw InvalidInput(to_string(f) + " is a floating-point format: its numbers are no words");
    const bool fits = f.word_bits <= 32 ? type == nb::dtype<std::int32_t>() : type == nb::dtype<std::int64_t>();
    if (!fits)
        throw InvalidInput(std::string(what) + ": words of " + to_string(f) + " are in int" +
                           (f.word_bits <= 32 ? "32" : "64"));
    if (size != n) throw InvalidInput(std::string(what) + ": not as many elements as the result has");
}

template <class T> bool divide(const Format& f, std::span<const T> a, std::span<const T> b, std::span<T> out) {
    bool overflow = false;
    for (std::size_t i = 0; i < out.size(); ++i) {
        const fixed::Rounded r = fixed::div(f, a[i], b[i]);
        out[i] = static_cast<T>(r.word);
        overflow |= r.overflow;
    }
    return overflow;
}

template <class T>
bool operate(const Format& f, std::string_view op, std::span<T> out, std::span<const T> a, std::span<const T> b,
             std::span<const T> c) {
    const FixedUnit<T> unit(f);
    if (op == "add") return unit.add(a, b, out);
    if (op == "sub") return unit.sub(a, b, out);
    if (op == "mul") return unit.mul(a, b, out);
    if (op == "fma") return unit.fma(a, b, c, out);
    if (op == "div") return divide<T>(f, a, b, out);
    throw InvalidInput("operation '" + std::string(op) + "': fixed-point formats have add, sub, mul, div and fma");
}

/// Calls `work` with a null pointer to the type that holds f's words.
template <class Work> void with_word_type(const Format& f, const Work& work) {
    if (f.word_bits <= 32) work(static_cast<std::int32_t*>(nullptr));
    else work(static_cast<std::int64_t*>(nullptr));
}

bool apply_words(const Format& f, std::string_view op, const Writable& out, const Readable& a,
                 const std::optional<Readable>& b, const std::optional<Readable>& c, int threads) {
    const std::size_t n = out.size();
    require_words(f, out.dtype(), n, n, "out");
    require_words(f, a.dtype(), a.size(), n, "the first operand");
    if (b) require_words(f, b->dtype(), b->size(), n, "the second operand");
    if (c) require_words(f, c->dtype(), c->size(), n, "the third operand");
    if (!b || (op == "fma" && !c)) throw InvalidInput("operation '" + std::string(op) + "': an operand is missing");
    const nb::gil_scoped_release release;
    std::atomic<bool> overflow = false;
    in_parallel(n, threads, 16384, [&](std::size_t first, std::size_t count) {
        with_word_type(f, [&]<class T>(T*) {
            const std::span<const T> third = c ? words_of<T>(*c, first, count) : std::span<const T>();
            if (operate<T>(f, op, {static_cast<T*>(out.data()) + first, count}, words_of<T>(a, first, count),
                           words_of<T>(*b, first, count), third))
                overflow = true;
        });
    });
    return overflow;
}

bool to_words(const Format& f, const Readable& a, const Writable& out, int threads) {
    const std::size_t n = out.size();
    require_words(f, out.dtype(), n, n, "out");
    if (a.dtype() != nb::dtype<double>() || a.size() != n)
        throw InvalidInput("numbers to round: give as many float64 as the result has words");
    const nb::gil_scoped_release release;
    std::atomic<bool> overflow = false;
    in_parallel(n, threads, 16384, [&](std::size_t first, std::size_t count) {
        with_word_type(f, [&]<class T>(T*) {
            if (FixedUnit<T>(f).convert(words_of<double>(a, first, count),
                                        {static_cast<T*>(out.data()) + first, count}))
                overflow = true;
        });
    });
    return overflow;
}

void to_doubles(const Format& f, const Readable& words, const Writable& out, int threads) {
    const std::size_t n = out.size();
    require_words(f, words.dtype(), words.size(), n, "words");
    if (out.dtype() != nb::dtype<double>()) throw InvalidInput("out: give an array of float64");
    const nb::gil_scoped_release release;
    in_parallel(n, threads, 16384, [&](std::size_t first, std::size_t count) {
        with_word_type(f, [&]<class T>(T*) {
            FixedUnit<T>(f).to_doubles(words_of<T>(words, first, count),
                                       {static_cast<double*>(out.data()) + first, count});
        });
    });
}

/// Words of one fixed format rounded into another.
bool convert_words(const Format& from, const Format& f, const Readable& words, const Writable& out) {
    const std::size_t n = out.size();
    require_words(from, words.dtype(), words.size(), n, "words");
    require_words(f, out.dtype(), n, n, "out");
    const nb::gil_scoped_release release;
    bool overflow = false;
    with_word_type(from, [&]<class S>(S*) {
        with_word_type(f, [&]<class T>(T*) {
            overflow = FixedUnit<T>(f).round(from, words_of<S>(words, 0, n), {static_cast<T*>(out.data()), n});
        });
    });
    return overflow;
}

} // namespace

void bind_words(nb::module_& m) {
    m.def("apply_words", &apply_words, "format"_a, "operation"_a, "out"_a.noconvert(), "a"_a.noconvert(),
          "b"_a.noconvert().none(), "c"_a.noconvert().none(), "threads"_a,
          "The same on words of a fixed format. True where a result did not fit: it keeps its low bits.");
    m.def("to_words", &to_words, "format"_a, "a"_a.noconvert(), "out"_a.noconvert(), "threads"_a,
          "float64 rounded into words. True where one did not fit: it is the nearest word, NaN the word 0.");
    m.def("to_doubles", &to_doubles, "format"_a, "words"_a.noconvert(), "out"_a.noconvert(), "threads"_a,
          "The values of words.");
    m.def("convert_words", &convert_words, "source"_a, "format"_a, "words"_a.noconvert(), "out"_a.noconvert(),
          "Words of one fixed format rounded into another. True where one did not fit.");
}

} // namespace mantissa::python
