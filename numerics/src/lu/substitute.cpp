#include <cmath>

#include <fmt/format.h>

#include "mantissa/errors.hpp"
#include "mantissa/exact.hpp"
#include "mantissa/lu/factor.hpp"
#include "mantissa/window_units.hpp"

namespace mantissa {

namespace {

void require(const LuFactors& f, std::span<const double> b) {
    if (f.end != LuEnd::factored)
        throw InvalidInput(fmt::format("substitution with factors that ended {} at column {}: they are not complete",
                                       to_string(f.end), f.at));
    if (b.size() != f.size())
        throw InvalidInput(
            fmt::format("substitution: {} rows and a right-hand side of {} elements", f.size(), b.size()));
}

/// One sum of LuSpec's definition, a term at a time.
class Sum {
public:
    Sum(const LuSpec& spec, double first) : spec_(spec) {
        if (spec.fixed) units_ = product_units(spec.window, first, 1.0, fits_);
        else value_ = exact::convert(spec.accumulator, first);
    }
    void subtract(double l, double u) {
        if (spec_.fixed) units_ -= product_units(spec_.window, l, u, fits_);
        else if (spec_.exact_product) value_ = exact::fma(spec_.accumulator, -l, u, value_);
        else value_ = exact::sub(spec_.accumulator, value_, exact::mul(spec_.product, l, u));
    }
    [[nodiscard]] double rounded() const {
        if (!spec_.fixed) return exact::convert(spec_.u, value_);
        const Wide limit = Wide{1} << (spec_.window.width() - 1);
        if (!fits_ || units_ < -limit || units_ >= limit)
            throw InvalidInput(fmt::format("substitution: a sum outside fixed[{}:{}]; take a greater MSB or scale the "
                                           "right-hand side",
                                           spec_.window.msb, spec_.window.lsb));
        const bool negative = units_ < 0;
        return exact::from_integer(spec_.u, static_cast<exact::detail::u128>(negative ? -units_ : units_), negative,
                                   spec_.window.lsb);
    }

private:
    __extension__ using Wide = __int128;
    const LuSpec& spec_;
    double value_ = 0;
    Wide units_ = 0;
    bool fits_ = true;
};

} // namespace

std::vector<double> substitute(const LuFactors& f, std::span<const double> b) {
    require(f, b);
    const std::size_t n = f.size();
    std::vector<double> y(n), x(n);
    for (std::size_t i = 0; i < n; ++i) y[i] = b[f.rows[i]];
    // By rows, so that the matrix is read as it lies; each sum takes its terms in ascending (descending) column order,
    // which is the order of the elimination by columns.
    for (std::size_t i = 0; i < n; ++i) {
        const auto row = f.lu.row(i);
        double sum = y[i];
        for (std::size_t j = 0; j < i; ++j) sum -= row[j] * y[j];
        y[i] = sum;
    }
    for (std::size_t i = n; i-- > 0;) {
        const auto row = f.lu.row(i);
        double sum = y[i];
        for (std::size_t j = n; j-- > i + 1;) sum -= row[j] * y[j];
        y[i] = sum / row[i];
    }
    for (std::size_t j = 0; j < n; ++j) x[f.columns[j]] = y[j];
    return x;
}

std::vector<double> substitute(const LuSpec& spec, const LuFactors& f, std::span<const double> b) {
    spec.validate_bits();
    require(f, b);
    const std::size_t n = f.size();
    std::vector<double> y(n), x(n);
    for (std::size_t i = 0; i < n; ++i) {
        Sum sum(spec, exact::convert(spec.a, b[f.rows[i]]));
        for (std::size_t j = 0; j < i; ++j) sum.subtract(f.lu(i, j), y[j]);
        y[i] = sum.rounded();
    }
    for (std::size_t i = n; i-- > 0;) {
        Sum sum(spec, y[i]);
        for (std::size_t j = n; j-- > i + 1;) sum.subtract(f.lu(i, j), y[j]);
        y[i] = exact::div(spec.u, sum.rounded(), f.lu(i, i));
    }
    for (std::size_t j = 0; j < n; ++j) x[f.columns[j]] = y[j];
    return x;
}

} // namespace mantissa
