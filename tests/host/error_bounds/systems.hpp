// Systems to judge bounds by, at random, easy and hard.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "exact.hpp"

namespace judge {

struct Judged {
    std::string family;
    Matrix a;
    std::vector<double> b;
};

class Systems {
public:
    explicit Systems(std::uint64_t seed) : random_(seed) {}

    /// The k-th: families take turns, and one in a hundred and one is five times as large (to 200 unknowns and more).
    Judged next(std::size_t k) {
        larger_ = k % 101 == 100 ? 5 : 1;
        switch (k % 8) {
        case 0:
            return with_right(spectrum(unknowns(2, 30), uniform(0, 8)), "spectrum to 1e8");
        case 1:
            return with_right(spectrum(unknowns(2, 30), uniform(8, 16.5)), "spectrum to 1e16");
        case 2:
            return with_right(graph(unknowns(2, 40), uniform(0, 4)), "M-matrix");
        case 3:
            return with_right(graph(unknowns(2, 40), uniform(4, 18)), "M-matrix, nearly singular");
        case 4:
            return scaled(k % 16 == 4 ? graph(unknowns(2, 20), uniform(0, 6))
                                      : spectrum(unknowns(2, 20), uniform(0, 6)),
                          "badly scaled");
        case 5:
            return with_right(band(unknowns(3, 60)), "biharmonic band");
        case 6:
            return k % 16 == 6 ? ends() : with_right(signs(unknowns(2, 40)), "band with signs");
        default:
            return extremes(k % 16 == 7 ? graph(unknowns(1, 20), uniform(0, 10))
                                        : spectrum(unknowns(1, 20), uniform(0, 12)));
        }
    }
    double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
    std::size_t size(std::size_t low, std::size_t high) {
        return std::uniform_int_distribution<std::size_t>(low, high)(random_);
    }
    std::size_t unknowns(std::size_t low, std::size_t high) { return larger_ * size(low, high); }
    double normal() { return std::normal_distribution<double>()(random_); }

    /// Eigenvalues from 1 down to 10^-digits, between random reflections; rounded, so the smallest may be anything.
    Matrix spectrum(std::size_t n, double digits) {
        Matrix a(n, std::vector<double>(n, 0.0));
        for (std::size_t i = 0; i < n; ++i)
            a[i][i] = std::pow(10.0, n == 1 ? 0.0 : -digits * static_cast<double>(i) / static_cast<double>(n - 1));
        for (int times = 0; times < 3; ++times) reflect(a);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < i; ++j) a[i][j] = a[j][i];
        return a;
    }
    /// A weighted graph's Laplacian and a diagonal of 10^-digits.
    Matrix graph(std::size_t n, double digits) {
        Matrix a(n, std::vector<double>(n, 0.0));
        const auto couple = [&](std::size_t i, std::size_t j) {
            const double w = std::pow(10.0, uniform(-3, 0));
            a[i][j] -= w;
            a[j][i] = a[i][j];
            a[i][i] += w;
            a[j][j] += w;
        };
        for (std::size_t i = 1; i < n; ++i) couple(i, size(0, i - 1));
        for (std::size_t more = 0; n > 1 && more < n; ++more) {
            const std::size_t i = size(0, n - 1), j = size(0, n - 1);
            if (i != j) couple(i, j);
        }
        for (std::size_t i = 0; i < n; ++i) a[i][i] += std::pow(10.0, -digits) * uniform(0.5, 1.5);
        return a;
    }

private:
    /// A = (1 - 2 v v^T / v.v) A (...)
    void reflect(Matrix& a) {
        const std::size_t n = a.size();
        std::vector<double> v(n), w(n, 0.0);
        double square = 0;
        for (double& value : v) {
            value = normal();
            square += value * value;
        }
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) w[i] += a[i][j] * v[j];
        double dot = 0;
        for (std::size_t i = 0; i < n; ++i) dot += v[i] * w[i];
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                a[i][j] += -2 / square * (v[i] * w[j] + w[i] * v[j]) + 4 * dot / (square * square) * v[i] * v[j];
    }
    /// The square of the second difference: positive couplings, condition to 1e7.
    Matrix band(std::size_t n) {
        Matrix a(n, std::vector<double>(n, 0.0));
        constexpr double kRow[] = {6, -4, 1};
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                if (const std::size_t apart = i > j ? i - j : j - i; apart < 3) a[i][j] = kRow[apart];
        return a;
    }
    Matrix signs(std::size_t n) {
        Matrix a(n, std::vector<double>(n, 0.0));
        const std::size_t width = size(1, 5);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = i + 1; j < std::min(n, i + width + 1); ++j) a[i][j] = a[j][i] = uniform(-1, 1);
        for (std::size_t i = 0; i < n; ++i) {
            double sum = 0;
            for (std::size_t j = 0; j < n; ++j) sum += j == i ? 0 : std::abs(a[i][j]);
            a[i][i] = sum + std::pow(10.0, uniform(-14, 0));
        }
        return a;
    }
    Judged with_right(Matrix a, std::string family) {
        std::vector<double> b(a.size());
        for (double& value : b) value = normal();
        return {std::move(family), std::move(a), std::move(b)};
    }
    /// S A S with S from 1e-60 to 1e60, powers of two or any numbers.
    Judged scaled(Matrix a, std::string family) {
        const std::size_t n = a.size();
        std::vector<double> s(n);
        const double reach = uniform(1, 60);
        const bool powers = uniform(0, 1) < 0.5;
        for (double& value : s) {
            value = std::pow(10.0, uniform(-reach, reach));
            if (powers) value = std::ldexp(1.0, std::ilogb(value));
        }
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j <= i; ++j) a[i][j] = a[j][i] = a[i][j] * s[i] * s[j];
        Judged out = with_right(std::move(a), std::move(family));
        for (std::size_t i = 0; i < n; ++i) out.b[i] *= s[i];
        return out;
    }
    /// 1 x 1, a right-hand side of zeros, two almost parallel rows, and one row coupled to none.
    Judged ends() {
        switch (size(0, 3)) {
        case 0:
            return {"1 x 1", {{std::pow(10.0, uniform(-300, 300))}}, {normal()}};
        case 1: {
            Matrix a = spectrum(size(1, 10), uniform(0, 10));
            const std::size_t n = a.size();
            return {"zero right-hand side", std::move(a), std::vector<double>(n, 0.0)};
        }
        case 2:
            return near_parallel();
        default:
            return {"diagonal", {{2, 0, 0}, {0, 1e-200, 0}, {0, 0, 1e200}}, {normal(), normal(), normal()}};
        }
    }
    Judged near_parallel() {
        const double c = 1 - std::pow(2.0, -uniform(20, 53));
        return {"two nearly parallel rows", {{1, c}, {c, 1}}, {1, -1}};
    }
    /// Towards the ends of double precision's range, where products and residuals leave it.
    Judged extremes(Matrix a) {
        const double factor =
            uniform(0, 1) < 0.5 ? std::pow(10.0, uniform(-310, -290)) : std::pow(10.0, uniform(290, 307));
        for (auto& row : a)
            for (double& value : row) value *= factor;
        Judged out = with_right(std::move(a), "1e-310 and 1e300");
        const double right = std::pow(10.0, uniform(-150, 150)) * (uniform(0, 1) < 0.3 ? factor : 1.0);
        for (double& value : out.b) value = std::clamp(value * right, -1e300, 1e300);
        return out;
    }

    std::mt19937_64 random_;
    std::size_t larger_ = 1;
};

} // namespace judge
