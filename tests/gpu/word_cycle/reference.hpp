// mantissa/multilevel/cycle.hpp's definition for a constant stencil, executed as it is written, on integers.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "mantissa/gpu/word_cycle.hpp"
#include "mantissa/multilevel/cycle_spec.hpp"

namespace mantissa::testing {

using Integers = std::vector<std::int64_t>;

inline std::int64_t half(std::int64_t x, int s) {
    if (s <= 0) return x * (std::int64_t{1} << -s);
    return s > 61 ? 0 : (x + (std::int64_t{1} << (s - 1))) >> s;
}
inline std::int64_t cut(std::int64_t x, int n) {
    const std::int64_t most = (std::int64_t{1} << (n - 1)) - 1;
    return std::clamp(x, -most, most);
}
inline int length(const Integers& v) {
    std::uint64_t most = 0;
    for (const std::int64_t x : v) most = std::max(most, static_cast<std::uint64_t>(std::abs(x)));
    return static_cast<int>(std::bit_width(most));
}

/// Vectors hold (n + 1)^2 nodes by rows; edges are zero.
class ReferenceWordCycle {
public:
    ReferenceWordCycle(const gpu::WordStencil& stencil, const CycleSpec& spec) : a_(stencil), spec_(spec) {
        double largest = 0;
        for (const double x : {-1.0, 1.0})
            for (const double y : {-1.0, 1.0})
                largest = std::max(largest, a_.centre + 2 * a_.east_west * x + 2 * a_.north_south * y + 4 * a_.corner * x * y);
        double sum = 0;
        for (int k = 0; k < spec.before; ++k) {
            const double w = 1 / (0.75 * largest + 0.25 * largest * std::cos((2 * k + 1) * std::numbers::pi / (2 * spec.before)));
            int exponent = 0;
            std::frexp(w, &exponent);
            s_.push_back(9 - exponent);
            m_.push_back(std::llround(std::ldexp(w, s_.back())));
            sum += std::ldexp(static_cast<double>(m_.back()), -s_.back());
        }
        smoothing_ = static_cast<int>(std::ceil(std::log2(sum)));
        const int row = std::abs(a_.centre) + 2 * std::abs(a_.east_west) + 2 * std::abs(a_.north_south) + 4 * std::abs(a_.corner);
        most_ = std::min(26, std::max(20, 30 - static_cast<int>(std::ceil(std::log2(row)))));
    }

    gpu::WordCorrection correct(const Integers& d, int n) const {
        const int x = length(d), w = CycleSpec::of(spec_.w, 0);
        Integers r(d.size());
        for (std::size_t i = 0; i < d.size(); ++i) r[i] = cut(half(d[i], x - (w - 1)), w);
        auto [e, point] = level(r, n, 0);
        return {e, point + w - 1 - x};
    }

private:
    struct Found {
        Integers e;
        int point;
    };
    Integers product(const Integers& v, int n) const {
        Integers out(v.size(), 0);
        const int up = n + 1;
        for (int y = 1; y < n; ++y)
            for (int x = 1; x < n; ++x) {
                const int p = y * up + x;
                out[p] = a_.centre * v[p] + a_.east_west * (v[p - 1] + v[p + 1]) + a_.north_south * (v[p - up] + v[p + up]) +
                         a_.corner * (v[p - up - 1] + v[p - up + 1] + v[p + up - 1] + v[p + up + 1]);
            }
        return out;
    }
    Found level(const Integers& entered, int n, std::size_t l) const {
        if (n == 2) { // the inverse in 17 bits: below 2^16
            int exponent = 0;
            std::frexp(1.0 / a_.centre, &exponent);
            const auto z = std::min<std::int64_t>(65535, std::llround(std::ldexp(1.0 / a_.centre, 16 - exponent)));
            Integers e(9, 0);
            e[4] = z * entered[4];
            return {e, 16 - exponent};
        }
        const int w = CycleSpec::of(spec_.w, l), f_bits = CycleSpec::of(spec_.f, l), guard = spec_.guard;
        const int phi = f_bits - w - smoothing_, held = w + guard + 6;
        Integers r = entered, f(r.size(), 0), g(r.size());
        for (std::size_t k = 0; k < m_.size(); ++k) {
            const int q = k == 0 ? 0 : guard;
            for (std::size_t i = 0; i < r.size(); ++i) {
                g[i] = cut(half(m_[k] * r[i], s_[k] + q - phi), f_bits);
                f[i] = cut(f[i] + g[i], f_bits);
            }
            const Integers ag = product(g, n);
            const int high = std::max(q, phi);
            for (std::size_t i = 0; i < r.size(); ++i)
                r[i] = cut(half((r[i] << (high - q)) - (ag[i] << (high - phi)), high - guard), held);
            clear_edge(r, n);
        }
        const int m = n / 2, up = n + 1;
        Integers t(static_cast<std::size_t>((m + 1) * (m + 1)), 0);
        for (int y = 1; y < m; ++y)
            for (int x = 1; x < m; ++x) {
                const std::int64_t* v = &r[static_cast<std::size_t>(2 * y * up + 2 * x)];
                t[static_cast<std::size_t>(y * (m + 1) + x)] = 4 * v[0] + 2 * (v[-1] + v[1] + v[-up] + v[up]) + v[-up - 1] +
                                                               v[-up + 1] + v[up - 1] + v[up + 1];
            }
        const int y_length = length(t), next_w = CycleSpec::of(spec_.w, l + 1), next_e = CycleSpec::of(spec_.e, l + 1);
        Integers next(t.size());
        for (std::size_t i = 0; i < t.size(); ++i) next[i] = cut(half(t[i], y_length - (next_w - 1)), next_w);
        Found below = level(next, m, l + 1);
        const int shorten = std::max(0, length(below.e) - (next_e - 1));
        Integers v(t.size());
        for (std::size_t i = 0; i < t.size(); ++i) v[i] = cut(half(below.e[i], shorten), next_e);
        const int j = below.point - shorten + guard + 2 + next_w - 1 - y_length;
        Integers x(r.size(), 0);
        for (int row = 1; row < n; ++row)
            for (int c = 1; c < n; ++c) {
                const auto at = [&](int yy, int xx) { return v[static_cast<std::size_t>(yy * (m + 1) + xx)]; };
                x[static_cast<std::size_t>(row * up + c)] = at(row / 2, c / 2) + at((row + 1) / 2, c / 2) + at(row / 2, (c + 1) / 2) +
                                                            at((row + 1) / 2, (c + 1) / 2);
            }
        const int length_v = length(v);
        const int b = (length_v == 0 ? f_bits - 1 - phi : std::max(f_bits - 1 - phi, length_v + 2 - j - 2)) + 1;
        const int i_point = std::min(phi, most_ - 1 - b);
        Integers e(r.size());
        for (std::size_t i = 0; i < r.size(); ++i) e[i] = half(f[i], phi - i_point) + half(x[i], j + 2 - i_point);
        for (int k = 0; k < spec_.after; ++k) {
            const std::size_t at = static_cast<std::size_t>(spec_.before - 1 - k % spec_.before);
            const Integers ae = product(e, n);
            for (std::size_t i = 0; i < r.size(); ++i) {
                const std::int64_t exact = i_point >= 0 ? (entered[i] << i_point) - ae[i] : entered[i] - (ae[i] << -i_point);
                const std::int64_t rest = cut(half(exact, std::max(i_point, 0) - guard), held);
                e[i] = cut(e[i] + half(m_[at] * rest, s_[at] + guard - i_point), most_ + 1);
            }
            clear_edge(e, n);
        }
        return {e, i_point};
    }
    static void clear_edge(Integers& v, int n) {
        for (int i = 0; i <= n; ++i)
            for (const int p : {i, n * (n + 1) + i, i * (n + 1), i * (n + 1) + n}) v[static_cast<std::size_t>(p)] = 0;
    }

    gpu::WordStencil a_;
    CycleSpec spec_;
    std::vector<std::int64_t> m_;
    std::vector<int> s_;
    int smoothing_ = 0, most_ = 0;
};

} // namespace mantissa::testing
