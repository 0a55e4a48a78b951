// A dense square matrix.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace mantissa {

/// n x n doubles by rows. Element (i, j) is at i * n + j.
class DenseMatrix {
public:
    DenseMatrix() = default;
    /// All zeros. Throws InvalidInput where n x n doubles cannot be addressed.
    explicit DenseMatrix(std::size_t n);
    /// Takes `values` by rows; throws InvalidInput unless there are n x n of them.
    DenseMatrix(std::size_t n, std::vector<double> values);

    static DenseMatrix identity(std::size_t n);

    [[nodiscard]] std::size_t size() const { return n_; }
    [[nodiscard]] double operator()(std::size_t i, std::size_t j) const { return values_[i * n_ + j]; }
    [[nodiscard]] double& operator()(std::size_t i, std::size_t j) { return values_[i * n_ + j]; }
    [[nodiscard]] std::span<const double> row(std::size_t i) const { return {values_.data() + i * n_, n_}; }
    [[nodiscard]] std::span<double> row(std::size_t i) { return {values_.data() + i * n_, n_}; }
    [[nodiscard]] std::span<const double> values() const { return values_; }

    friend bool operator==(const DenseMatrix&, const DenseMatrix&) = default;

private:
    std::size_t n_ = 0;
    std::vector<double> values_;
};

} // namespace mantissa
