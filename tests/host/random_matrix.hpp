// Random symmetric systems with entries from 1e-300 to 1e300, as MatrixMarket files, for verdicts on solves.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

/// A symmetric matrix, both halves stored, and a right-hand side.
struct RandomSystem {
    std::string what; ///< how it was made, for the failure's text
    std::map<std::pair<std::size_t, std::size_t>, double> entries;
    std::vector<double> b;
    bool definite = true;

    [[nodiscard]] std::string matrix_text() const {
        std::string body;
        std::size_t count = 0;
        for (const auto& [at, value] : entries)
            if (at.first >= at.second) {
                body += fmt::format("{} {} {:.17g}\n", at.first + 1, at.second + 1, value);
                ++count;
            }
        return fmt::format("%%MatrixMarket matrix coordinate real symmetric\n{} {} {}\n", b.size(), b.size(), count) +
               body;
    }
    [[nodiscard]] std::string right_side_text() const {
        std::string text;
        for (const double x : b) text += fmt::format("{:.17g}\n", x);
        return text;
    }
};

class RandomSystems {
public:
    explicit RandomSystems(std::uint64_t seed) : random_(seed) {}

    RandomSystem make() {
        RandomSystem s;
        const std::size_t n = one_in(8) ? 1 + below(4) : 2 + below(one_in(6) ? 499 : 80);
        weighted_graph(s, n);
        if (one_in(6)) spoil(s);
        const std::vector<int> power = powers(s, n);
        // D A D with powers of two; what leaves 1e-300 .. 1e300 is left out, on both sides of the diagonal.
        for (auto it = s.entries.begin(); it != s.entries.end();) {
            const auto [i, j] = it->first;
            const int exponent = std::ilogb(it->second) + power[i] + power[j];
            const bool outside = exponent < -996 || exponent > 996;
            if (outside && i != j) {
                it = s.entries.erase(it);
                continue;
            }
            it->second = std::ldexp(it->second, power[i] + power[j]);
            ++it;
        }
        right_side(s, power);
        return s;
    }

    bool one_in(unsigned n) { return below(n) == 0; }
    std::size_t below(std::size_t n) { return random_() % n; }
    double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }

private:
    /// The Laplacian of a random graph with weights over some decades, its diagonal a little more than dominant.
    void weighted_graph(RandomSystem& s, std::size_t n) {
        const double decades = one_in(2) ? 0 : uniform(0, 6), extra = std::pow(10.0, -uniform(0, 5));
        const std::size_t edges = one_in(6) ? 0 : n * (1 + below(4));
        std::vector<double> sum(n, 0.0);
        for (std::size_t e = 0; e < edges; ++e) {
            const std::size_t i = below(n), j = one_in(2) ? (i + 1) % n : below(n);
            if (i == j) continue;
            const double w = (one_in(4) ? 1 : -1) * std::pow(10.0, uniform(-decades, 0));
            s.entries[{i, j}] += w;
            s.entries[{j, i}] = s.entries[{i, j}];
        }
        for (const auto& [at, value] : s.entries) sum[at.first] += std::abs(value);
        for (std::size_t i = 0; i < n; ++i) s.entries[{i, i}] = (sum[i] == 0 ? 1 : sum[i]) * (1 + extra);
        std::erase_if(s.entries, [](const auto& e) { return e.second == 0; });
        s.what = fmt::format("n {} edges {} decades {:.1f} extra {:.1e}", n, edges, decades, extra);
    }
    /// Makes the matrix indefinite, its diagonal still positive.
    void spoil(RandomSystem& s) {
        for (auto& [at, value] : s.entries)
            if (at.first == at.second) value *= one_in(3) ? 1e-3 : 0.3;
        s.definite = false;
        s.what += " perhaps indefinite";
    }
    std::vector<int> powers(RandomSystem& s, std::size_t n) {
        std::vector<int> power(n, 0);
        const std::size_t kind = below(5);
        const int centre = static_cast<int>(below(981)) - 490;
        for (int& p : power)
            p = kind == 0   ? 0
                : kind == 1 ? centre
                : kind == 2 ? static_cast<int>(below(981)) - 490
                : kind == 3 ? static_cast<int>(below(41)) - 20
                            : std::clamp(centre + static_cast<int>(below(31)) - 15, -490, 490);
        s.what += fmt::format(" powers {} at {}", kind, centre);
        return power;
    }
    void right_side(RandomSystem& s, const std::vector<int>& power) {
        const std::size_t kind = below(6);
        const int shift = one_in(3) ? static_cast<int>(below(1993)) - 996 : 0;
        for (const int p : power) {
            const double x = kind == 0 ? 1.0 : uniform(-1, 1);
            const bool none = kind == 5 && below(50) != 0;
            const int exponent = kind <= 1 ? shift : kind == 2 ? p : kind == 3 ? 2 * p : p + shift;
            s.b.push_back(none ? 0.0 : std::ldexp(x, std::clamp(exponent, -996, 996)));
        }
        s.what += fmt::format(" b {} by {}", kind, shift);
    }

    std::mt19937_64 random_;
};
