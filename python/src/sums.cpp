// Sums, dot products and matrix products in reduced formats. The order of every sum is defined: see docs/python.md.
#include "bindings.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "mantissa/accumulate.hpp"
#include "mantissa/fixed_words.hpp"
#include "mantissa/kernels.hpp"
#include "mantissa/spec.hpp"

namespace mantissa::python {

using namespace nb::literals;

namespace {

/// How terms are formed and added, from the texts of a datapath's fields dot= and product=.
DotSpec dot_spec(const Format& f, const std::string& accumulator, const std::string& product) {
    std::string text = to_string(f) + ",dot=" + accumulator;
    if (!product.empty()) text += ",product=" + product;
    return parse_spec(text).dot;
}

const double* doubles(const Readable& a, std::size_t n, const char* what) {
    if (a.dtype() != nb::dtype<double>() || a.size() != n)
        throw InvalidInput(std::string(what) + ": give float64 arrays of matching shapes");
    return static_cast<const double*>(a.data());
}

/// Terms a_k b_k of one dot product (or a_k alone) in the spec's order. The definition is LaneAccumulator; with several
/// partial sums a whole round of them is added by one vector operation.
class LaneDot {
public:
    LaneDot(const DotSpec& dot)
        : dot_(dot), product_(dot.exact_product ? dot.accumulator : dot.product), sum_(dot.accumulator),
          partials_(static_cast<std::size_t>(dot.depth)) {}

    double operator()(const double* a, const double* b, std::size_t n) {
        std::fill(partials_.begin(), partials_.end(), 0.0);
        const std::size_t depth = partials_.size();
        for (std::size_t i = 0; i < n; i += kTerms) {
            const std::size_t count = std::min(kTerms, n - i);
            if (b != nullptr && dot_.exact_product) fused(a + i, b + i, count);
            else added(b == nullptr ? a + i : products(a + i, b + i, count), count);
        }
        LaneAccumulator::close(dot_.accumulator, partials_);
        (void)depth;
        return partials_[0];
    }

private:
    static constexpr std::size_t kTerms = 4096; ///< a multiple of every depth

    const double* products(const double* a, const double* b, std::size_t n) {
        terms_.resize(kTerms);
        product_.mul({a, n}, {b, n}, std::span(terms_).first(n));
        return terms_.data();
    }
    void added(const double* terms, std::size_t n) {
        const std::size_t depth = partials_.size();
        if (depth < 4) {
            for (std::size_t i = 0; i < n; ++i)
                partials_[i % depth] = exact::add(dot_.accumulator, partials_[i % depth], terms[i]);
            return;
        }
        for (std::size_t i = 0; i < n; i += depth) {
            const std::size_t count = std::min(depth, n - i);
            const std::span<double> s = std::span(partials_).first(count);
            sum_.add(s, {terms + i, count}, s);
        }
    }
    void fused(const double* a, const double* b, std::size_t n) {
        const std::size_t depth = partials_.size();
        for (std::size_t i = 0; i < n; i += depth) {
            const std::size_t count = std::min(depth, n - i);
            const std::span<double> s = std::span(partials_).first(count);
            sum_.fma({a + i, count}, {b + i, count}, s, s);
        }
    }

    DotSpec dot_;
    VectorUnit<double> product_, sum_;
    std::vector<double> partials_, terms_;
};

/// The same in a fixed-point window; `overflow` where a term or the sum lay outside.
double window_dot(const DotSpec& dot, const Format& result, const double* a, std::ptrdiff_t a_step, const double* b,
                  std::ptrdiff_t b_step, std::size_t n, std::atomic<bool>& overflow) {
    FixedAccumulator sum(dot.window);
    for (std::size_t k = 0; k < n; ++k) {
        const auto i = static_cast<std::ptrdiff_t>(k);
        const double x = a[i * a_step];
        if (b == nullptr) sum.add(x);
        else if (dot.exact_product) sum.add_product(x, b[i * b_step]);
        else sum.add(exact::mul(dot.product, x, b[i * b_step]));
    }
    if (sum.overflow()) overflow = true;
    return sum.total(result);
}

[[noreturn]] void window_overflowed() {
    throw FixedOverflow("a term or a sum lies outside the window of the accumulator; give it a higher msb");
}

/// out[i] = sum over k of a[i, k] (b[i, k]).
void rows(const Format& f, const std::string& accumulator, const std::string& product, const Format& result,
          const Readable& a, const std::optional<Readable>& b, const Writable& out, std::size_t length, int threads) {
    const DotSpec dot = dot_spec(f, accumulator, product);
    const std::size_t count = out.size();
    const double* const x = doubles(a, count * length, "a");
    const double* const y = b ? doubles(*b, count * length, "b") : nullptr;
    if (out.dtype() != nb::dtype<double>()) throw InvalidInput("out: give an array of float64");
    auto* const to = static_cast<double*>(out.data());
    const nb::gil_scoped_release release;
    std::atomic<bool> overflow = false;
    in_parallel(count, threads, std::max<std::size_t>(1, 65536 / std::max<std::size_t>(1, length)),
                [&](std::size_t first, std::size_t many) {
                    LaneDot lanes(dot);
                    for (std::size_t i = first; i < first + many; ++i) {
                        const double* const second = y == nullptr ? nullptr : y + i * length;
                        to[i] = dot.fixed ? window_dot(dot, result, x + i * length, 1, second, 1, length, overflow)
                                          : exact::convert(result, lanes(x + i * length, second, length));
                    }
                });
    if (overflow) window_overflowed();
}

/// One row of a matrix product on floating lanes, all its elements at once: partial sum k mod depth of each.
class ProductRow {
public:
    ProductRow(const DotSpec& dot, std::size_t columns)
        : dot_(dot), product_(dot.exact_product ? dot.accumulator : dot.product), sum_(dot.accumulator),
          one_rounding_(dot.exact_product), same_(!dot.exact_product && dot.product == dot.accumulator),
          depth_(static_cast<std::size_t>(dot.depth)), columns_(columns), sums_(depth_ * columns), room_(columns) {}

    void operator()(const Format& result, const double* a, const double* b, std::size_t length, double* out) {
        std::fill(sums_.begin(), sums_.end(), 0.0);
        for (std::size_t k = 0; k < length; ++k) {
            const std::span<const double> row(b + k * columns_, columns_);
            const std::span<double> s(sums_.data() + k % depth_ * columns_, columns_);
            if (one_rounding_) {
                std::fill(room_.begin(), room_.end(), a[k]);
                sum_.fma(room_, row, s, s);
            } else if (same_) {
                sum_.add_scaled(s, a[k], row, s);
            } else {
                product_.scale(a[k], row, room_);
                sum_.add(s, room_, s);
            }
        }
        for (std::size_t half = depth_ / 2; half > 0; half /= 2)
            for (std::size_t j = 0; j < half; ++j) {
                const std::span<double> low(sums_.data() + j * columns_, columns_);
                sum_.add(low, {sums_.data() + (j + half) * columns_, columns_}, low);
            }
        VectorUnit<double>(result).round(std::span(sums_).first(columns_), {out, columns_});
    }

private:
    DotSpec dot_;
    VectorUnit<double> product_, sum_;
    bool one_rounding_, same_;
    std::size_t depth_, columns_;
    std::vector<double> sums_, room_;
};

void matmul(const Format& f, const std::string& accumulator, const std::string& product, const Format& result,
            const Readable& a, const Readable& b, const Writable& out, std::size_t length, int threads) {
    const DotSpec dot = dot_spec(f, accumulator, product);
    if (out.ndim() != 2) throw InvalidInput("out: give a matrix");
    const std::size_t height = out.shape(0), columns = out.shape(1);
    const double* const x = doubles(a, height * length, "a");
    const double* const y = doubles(b, length * columns, "b");
    auto* const to = static_cast<double*>(out.data());
    const nb::gil_scoped_release release;
    std::atomic<bool> overflow = false, stop = false;
    in_parallel(height, threads, 1, [&](std::size_t first, std::size_t many) {
        ProductRow row(dot, columns);
        for (std::size_t i = first; i < first + many && !stop; ++i) {
            if (!dot.fixed) row(result, x + i * length, y, length, to + i * columns);
            for (std::size_t j = 0; dot.fixed && j < columns; ++j)
                to[i * columns + j] = window_dot(dot, result, x + i * length, 1, y + j,
                                                 static_cast<std::ptrdiff_t>(columns), length, overflow);
            if (first == 0 && interrupted()) stop = true;
        }
    });
    if (stop) {
        const nb::gil_scoped_acquire gil;
        throw nb::python_error();
    }
    if (overflow) window_overflowed();
}

/// Sums of words, or of products of words, exact and then rounded once into the format; int64 in.
bool word_products(const Format& f, const Readable& a, const std::optional<Readable>& b, const Writable& out,
                   std::size_t length) {
    const bool matrix = b.has_value();
    const std::size_t height = matrix ? out.shape(0) : out.size(), columns = matrix ? out.shape(1) : 1;
    const bool integers = a.dtype() == nb::dtype<std::int64_t>() && out.dtype() == nb::dtype<std::int64_t>() &&
                          (!matrix || b->dtype() == nb::dtype<std::int64_t>());
    if (!integers || a.size() != height * length || (matrix && b->size() != length * columns))
        throw InvalidInput("words: give int64 arrays of matching shapes");
    const int term = matrix ? 2 * f.word_bits - 2 : f.word_bits - 1;
    if (length >> std::max(0, std::min(63, 126 - term)) != 0)
        throw InvalidInput("a sum of so many products of " + to_string(f) +
                           " may not fit 128 bits; take shorter words");
    const auto* const x = static_cast<const std::int64_t*>(a.data());
    const auto* const y = matrix ? static_cast<const std::int64_t*>(b->data()) : nullptr;
    auto* const to = static_cast<std::int64_t*>(out.data());
    const nb::gil_scoped_release release;
    bool overflow = false;
    for (std::size_t i = 0; i < height; ++i)
        for (std::size_t j = 0; j < columns; ++j) {
            fixed::Wide sum = 0;
            for (std::size_t k = 0; k < length; ++k)
                sum +=
                    y == nullptr ? fixed::Wide{x[i * length + k]} : fixed::Wide{x[i * length + k]} * y[k * columns + j];
            const fixed::Rounded r = fixed::fit_shifted(f, sum, matrix ? f.fraction_bits : 0);
            to[i * columns + j] = r.word;
            overflow |= r.overflow;
        }
    return overflow;
}

} // namespace

void bind_sums(nb::module_& m) {
    m.def("rows", &rows, "format"_a, "accumulator"_a, "product"_a, "result"_a, "a"_a.noconvert(),
          "b"_a.noconvert().none(), "out"_a.noconvert(), "length"_a, "threads"_a,
          "out[i] = the sum over k of a[i, k], or of a[i, k] b[i, k], as dot= and product= of a datapath say.");
    m.def("matmul", &matmul, "format"_a, "accumulator"_a, "product"_a, "result"_a, "a"_a.noconvert(), "b"_a.noconvert(),
          "out"_a.noconvert(), "length"_a, "threads"_a, "out = a b, every element a dot product likewise.");
    m.def("word_products", &word_products, "format"_a, "a"_a.noconvert(), "b"_a.noconvert().none(), "out"_a.noconvert(),
          "length"_a,
          "out[i] = the sum over k of the words a[i, k], or out = a b of matrices of words: exact, rounded once. True "
          "where a result did not fit.");
}

} // namespace mantissa::python
