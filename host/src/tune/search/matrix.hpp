// Small dense systems: least squares of the area model, and the search's guesses. Internal to host/.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace mantissa::tuning {

/// A symmetric positive definite matrix as L L^T, row by row.
class Cholesky {
public:
    /// Of the lower triangle of `a`, n x n by rows. Whether it is definite.
    bool factor(std::vector<double> a, std::size_t n) {
        l_ = std::move(a);
        n_ = n;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j <= i; ++j) {
                double sum = l_[i * n + j];
                for (std::size_t k = 0; k < j; ++k) sum -= l_[i * n + k] * l_[j * n + k];
                if (i != j) {
                    l_[i * n + j] = sum / l_[j * n + j];
                } else {
                    if (!(sum > 0)) return false;
                    l_[i * n + i] = std::sqrt(sum);
                }
            }
        return true;
    }
    /// L^-1 b.
    [[nodiscard]] std::vector<double> forward(std::vector<double> b) const {
        for (std::size_t i = 0; i < n_; ++i) {
            for (std::size_t k = 0; k < i; ++k) b[i] -= l_[i * n_ + k] * b[k];
            b[i] /= l_[i * n_ + i];
        }
        return b;
    }
    /// A^-1 b.
    [[nodiscard]] std::vector<double> solve(std::vector<double> b) const {
        b = forward(std::move(b));
        for (std::size_t i = n_; i-- > 0;) {
            for (std::size_t k = i + 1; k < n_; ++k) b[i] -= l_[k * n_ + i] * b[k];
            b[i] /= l_[i * n_ + i];
        }
        return b;
    }
    /// log of the determinant of L.
    [[nodiscard]] double log_root() const {
        double sum = 0;
        for (std::size_t i = 0; i < n_; ++i) sum += std::log(l_[i * n_ + i]);
        return sum;
    }

private:
    std::vector<double> l_;
    std::size_t n_ = 0;
};

} // namespace mantissa::tuning
