#include "mantissa/lu/dense.hpp"

#include <limits>
#include <utility>

#include <fmt/format.h>

#include "mantissa/errors.hpp"

namespace mantissa {

namespace {

std::size_t square(std::size_t n) {
    if (n > std::numeric_limits<std::uint32_t>::max())
        throw InvalidInput(fmt::format("a dense matrix of {} rows: more than 2^32 - 1; take a smaller one", n));
    return n * n;
}

} // namespace

DenseMatrix::DenseMatrix(std::size_t n) : n_(n), values_(square(n), 0.0) {}

DenseMatrix::DenseMatrix(std::size_t n, std::vector<double> values) : n_(n), values_(std::move(values)) {
    if (values_.size() != square(n))
        throw InvalidInput(
            fmt::format("a dense matrix of {} rows with {} elements: it has {}", n, values_.size(), square(n)));
}

DenseMatrix DenseMatrix::identity(std::size_t n) {
    DenseMatrix a(n);
    for (std::size_t i = 0; i < n; ++i) a(i, i) = 1;
    return a;
}

} // namespace mantissa
